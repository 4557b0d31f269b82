// SPDX-License-Identifier: MIT
/*
 * What all steps of the explorer need: successors of a state, messages; see run.h.
 */
#include <assert.h>
#include <string.h>

#include "run.h"

#define DOWN	8u	/* channels: from cores, to cores, of the ring */
#define ROUND	16u

void tx_begin_move(struct run *run)
{
	memcpy(&run->next, &run->now, sizeof(run->next));
}

void tx_end_move(struct run *run)
{
	size_t bytes = offsetof(struct tx_state, messages) +
		       run->next.count * sizeof(run->next.messages[0]);

	run->moved = true;
	search_push(&run->search, &run->next, bytes);
}

void tx_cut_move(struct run *run)
{
	run->moved = true;
	run->result->cut++;
}

u32 tx_partition_of(const struct run *run, u32 location)
{
	return location % run->tm.setup.partitions;
}

/* Not 0, whose hashes are all 0 */
u64 tx_granule_of(u32 location)
{
	return location + 1;
}

/* ---- messages ------------------------------------------------------------- */

struct tx_message tx_message(enum tx_message_kind kind)
{
	struct tx_message message;

	memset(&message, 0, sizeof(message));
	message.kind = (u8)kind;
	return message;
}

/* Messages are in the order of channels, so that the same ones are the same state. */
static void send(struct run *run, u32 channel, const struct tx_message *message)
{
	struct tx_state *s = &run->next;
	u32 at = s->count;

	assert(s->count < TX_MESSAGES);
	for (; at && s->messages[at - 1].channel > channel; at--)
		memcpy(&s->messages[at], &s->messages[at - 1], sizeof(*message));
	memcpy(&s->messages[at], message, sizeof(*message));
	s->messages[at].channel = (u8)channel;
	s->count++;
}

void tx_send_up(struct run *run, u32 core, u32 partition, const struct tx_message *message)
{
	send(run, core * TX_PARTITIONS + partition, message);
}

void tx_send_down(struct run *run, u32 core, u32 partition, const struct tx_message *message)
{
	send(run, DOWN + core * TX_PARTITIONS + partition, message);
}

void tx_send_round(struct run *run, u32 partition, const struct tx_message *message)
{
	send(run, ROUND + (partition + 1) % run->tm.setup.partitions, message);
}

void tx_take(struct run *run, u32 n)
{
	struct tx_state *s = &run->next;

	s->count--;
	memmove(&s->messages[n], &s->messages[n + 1], (s->count - n) * sizeof(s->messages[0]));
	memset(&s->messages[s->count], 0, sizeof(s->messages[0]));
}

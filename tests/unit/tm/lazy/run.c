// SPDX-License-Identifier: MIT
/*
 * What all steps of this explorer need: successors of a state, messages; see run.h.
 */
#include <assert.h>
#include <string.h>

#include "run.h"

#define DOWN	8u	/* channels: from cores, to cores */

void lazy_begin_move(struct lazy_run *run)
{
	memcpy(&run->next, &run->now, sizeof(run->next));
}

void lazy_end_move(struct lazy_run *run)
{
	run->moved = true;
	search_push(&run->search, &run->next,
		    offsetof(struct lazy_state, messages) +
		    run->next.count * sizeof(run->next.messages[0]));
}

u32 lazy_partition_of(const struct lazy_run *run, u32 location)
{
	return location % run->wtm.setup.partitions;
}

/* Not 0, whose hashes are all 0 */
u64 lazy_address_of(u32 location)
{
	return (location + 1) * (u64)VGPU_WTM_WORD_BYTES;
}

u32 lazy_location_of(u64 address)
{
	return (u32)(address / VGPU_WTM_WORD_BYTES) - 1;
}

/* ---- messages ------------------------------------------------------------- */

struct lazy_message lazy_message(enum lazy_message_kind kind)
{
	struct lazy_message message;

	memset(&message, 0, sizeof(message));
	message.kind = (u8)kind;
	return message;
}

/* Messages are in the order of channels, so that the same ones are the same state. */
static void send(struct lazy_run *run, u32 channel, const struct lazy_message *message)
{
	struct lazy_state *s = &run->next;
	u32 at = s->count;

	assert(s->count < LAZY_MESSAGES);
	for (; at && s->messages[at - 1].channel > channel; at--)
		memcpy(&s->messages[at], &s->messages[at - 1], sizeof(*message));
	memcpy(&s->messages[at], message, sizeof(*message));
	s->messages[at].channel = (u8)channel;
	s->count++;
}

void lazy_send_up(struct lazy_run *run, u32 core, u32 partition,
		  const struct lazy_message *message)
{
	send(run, core * LAZY_PARTITIONS + partition, message);
}

void lazy_send_down(struct lazy_run *run, u32 core, u32 partition,
		    const struct lazy_message *message)
{
	send(run, DOWN + core * LAZY_PARTITIONS + partition, message);
}

void lazy_take(struct lazy_run *run, u32 n)
{
	struct lazy_state *s = &run->next;

	s->count--;
	memmove(&s->messages[n], &s->messages[n + 1], (s->count - n) * sizeof(s->messages[0]));
	memset(&s->messages[s->count], 0, sizeof(s->messages[0]));
}

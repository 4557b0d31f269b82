// SPDX-License-Identifier: MIT
/*
 * What all steps of the explorer need: successors of a state, messages, outcomes; see run.h.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "run.h"

/* ---- outcomes and transitions ---------------------------------------------- */

bool ex_outcome_is_in(const struct ex_outcomes *outcomes, const struct ex_outcome *outcome)
{
	for (u32 n = 0; n < outcomes->count; n++)
		if (!memcmp(&outcomes->list[n], outcome, sizeof(*outcome)))
			return true;
	return false;
}

void ex_outcome_add(struct ex_outcomes *outcomes, const struct ex_outcome *outcome)
{
	if (ex_outcome_is_in(outcomes, outcome))
		return;
	assert(outcomes->count < EX_OUTCOMES);
	outcomes->list[outcomes->count++] = *outcome;
}

void ex_note_move(struct ex_moves *moves, u8 state, u8 event, u8 next,
		  const struct vgpu_coh_out *out)
{
	struct ex_move move = {
		.state = state, .event = event, .next = next,
		.sent = out->sends ? out->send.kind : VGPU_COH_EVENTS, .invs = out->invs,
		.wback = out->actions & VGPU_COH_WBACK,
	};

	for (u32 n = 0; n < moves->count; n++)
		if (!memcmp(&moves->list[n], &move, sizeof(move)))
			return;
	assert(moves->count < EX_MOVES);
	moves->list[moves->count++] = move;
}

/* ---- a state -------------------------------------------------------------- */

void ex_begin_move(struct run *run)
{
	memcpy(&run->next, &run->now, sizeof(run->next));
}

void ex_end_move(struct run *run)
{
	run->moved = true;
	if (!visited_add(run->visited, &run->next, ex_state_bytes(&run->next)))
		return;
	if (run->depth == run->room) {
		run->room = run->room ? run->room * 2 : 256;
		run->stack = realloc(run->stack, run->room * sizeof(*run->stack));
	}
	run->stack[run->depth++] = run->next;
}

u32 ex_partition_of(const struct run *run, u32 line)
{
	return line % run->setup.partitions;
}

static u32 network_of(const struct run *run, u32 kind)
{
	if (kind == EX_FLUSH)
		kind = VGPU_COH_DATA;
	return kind == EX_FLUSHED ? VGPU_COH_NETWORKS : run->options->protocol->network[kind];
}

/* Messages are in the order of channels, so that the same ones are the same state. */
void ex_send(struct run *run, bool up, u32 line, u32 data, const struct vgpu_coh_message *m)
{
	struct ex_state *s = &run->next;
	u32 at = s->count;
	struct ex_message message;

	memset(&message, 0, sizeof(message));
	memcpy(&message.m, m, sizeof(*m));
	message.line = (u8)line;
	message.data = (u8)data;
	message.up = up;
	message.channel = (u8)((m->core * EX_LINES + ex_partition_of(run, line)) * 8 +
			       network_of(run, m->kind));
	assert(s->count < EX_MESSAGES);
	while (at && (s->messages[at - 1].channel > message.channel ||
		      (run->options->unordered &&
		       s->messages[at - 1].channel == message.channel &&
		       memcmp(&s->messages[at - 1], &message, sizeof(message)) > 0))) {
		memcpy(&s->messages[at], &s->messages[at - 1], sizeof(message));
		at--;
	}
	memcpy(&s->messages[at], &message, sizeof(message));
	s->count++;
}

void ex_take(struct run *run, u32 n)
{
	struct ex_state *s = &run->next;

	s->count--;
	memmove(&s->messages[n], &s->messages[n + 1], (s->count - n) * sizeof(s->messages[0]));
	memset(&s->messages[s->count], 0, sizeof(s->messages[0]));
}

/* A message may be handled: none of its channel is before it. */
bool ex_is_first(const struct run *run, u32 n)
{
	const struct ex_message *messages = run->now.messages;

	return run->options->unordered || !n || messages[n - 1].channel != messages[n].channel;
}


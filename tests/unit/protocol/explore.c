// SPDX-License-Identifier: MIT
/*
 * The explorer; see explore.h. The host of a protocol, as protocol.h describes it, whose every step
 * is a choice.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "state.h"

#define POISON		0xeeu	/* bytes that are not there */
#define CLOCK_MOST	60u

/**
 * struct run - an exploration
 * @now: the state whose successors are being made
 * @next: the one that is being made
 * @moved: some have been made
 */
struct run {
	const struct ex_program *program;
	const struct ex_options *options;
	struct vgpu_coh_setup setup;
	struct ex_result *result;
	struct ex_seen *seen;
	struct ex_state *stack;
	u64 depth;
	u64 room;
	struct ex_state now;
	struct ex_state next;
	u32 cores;
	bool moved;
};

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

static void note_move(struct ex_moves *moves, u8 state, u8 event, u8 next,
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

static void begin_move(struct run *run)
{
	memcpy(&run->next, &run->now, sizeof(run->next));
}

static void end_move(struct run *run)
{
	run->moved = true;
	if (!ex_seen_add(run->seen, &run->next))
		return;
	if (run->depth == run->room) {
		run->room = run->room ? run->room * 2 : 256;
		run->stack = realloc(run->stack, run->room * sizeof(*run->stack));
	}
	run->stack[run->depth++] = run->next;
}

static u32 partition_of(const struct run *run, u32 line)
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
static void send(struct run *run, bool up, u32 line, u32 data, const struct vgpu_coh_message *m)
{
	struct ex_state *s = &run->next;
	u32 at = s->count;
	struct ex_message message;

	memset(&message, 0, sizeof(message));
	memcpy(&message.m, m, sizeof(*m));
	message.line = (u8)line;
	message.data = (u8)data;
	message.up = up;
	message.channel = (u8)((m->core * EX_LINES + partition_of(run, line)) * 8 +
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

static void take(struct run *run, u32 n)
{
	struct ex_state *s = &run->next;

	s->count--;
	memmove(&s->messages[n], &s->messages[n + 1], (s->count - n) * sizeof(s->messages[0]));
	memset(&s->messages[s->count], 0, sizeof(s->messages[0]));
}

/* A message may be handled: none of its channel is before it. */
static bool is_first(const struct run *run, u32 n)
{
	const struct ex_message *messages = run->now.messages;

	return run->options->unordered || !n || messages[n - 1].channel != messages[n].channel;
}

/* ---- rollover -------------------------------------------------------------- */

static void pass_token(struct run *run, u32 from, const struct vgpu_coh_ring_out *out)
{
	struct ex_state *s = &run->next;
	u32 at = 0;

	while (at < EX_RING && s->ring[at].used)
		at++;
	assert(at < EX_RING);
	s->ring[at] = (struct ex_token){ .to = (u8)((from + 1) % run->setup.partitions),
					 .event = out->event, .origin = (u8)out->origin,
					 .used = true };
}

static void ring_event(struct run *run, u32 partition, enum vgpu_coh_ring_event event, u32 origin)
{
	struct vgpu_coh_message flush;
	struct vgpu_coh_ring_out out;

	vgpu_coh_ring(&run->setup, &run->next.partitions[partition], partition, event, origin,
		      &out);
	for (u32 line = 0; out.zero && line < EX_LINES; line++)
		if (partition_of(run, line) == partition)
			vgpu_coh_zero_l2(&run->next.l2[line]);
	if (out.sends)
		pass_token(run, partition, &out);
	memset(&flush, 0, sizeof(flush));
	flush.kind = EX_FLUSH;
	for (u32 core = 0; out.flush && core < run->cores; core++) {
		flush.core = (u16)core;
		send(run, false, partition, 0, &flush);
	}
}

static void move_tokens(struct run *run)
{
	for (u32 n = 0; n < EX_RING && run->now.ring[n].used; n++) {
		struct ex_token token = run->now.ring[n];
		bool first = true;

		for (u32 before = 0; before < n; before++)
			first &= run->now.ring[before].to != token.to;
		if (!first)
			continue;
		begin_move(run);
		memmove(&run->next.ring[n], &run->next.ring[n + 1],
			(EX_RING - 1 - n) * sizeof(token));
		memset(&run->next.ring[EX_RING - 1], 0, sizeof(token));
		ring_event(run, token.to, token.event, token.origin);
		end_move(run);
	}
}

/* ---- L1 -------------------------------------------------------------------- */

static void end_access(struct run *run, u32 thread, u32 value)
{
	struct ex_thread *t = &run->next.threads[thread];
	const struct ex_op *op = &run->program->ops[thread][t->pc];

	if (op->what != EX_WRITE)
		run->next.regs[op->reg] = (u8)value;
	t->pc++;
	t->wait = EX_READY;
	t->leader = 0;
}

static void end_merged(struct run *run, u32 core, u32 line, u32 leader, u32 value, bool retry)
{
	for (u32 n = 0; n < run->program->threads; n++) {
		struct ex_thread *t = &run->next.threads[n];

		if (t->wait != EX_MERGED || t->leader != leader || run->program->core[n] != core ||
		    run->program->ops[n][t->pc].line != line)
			continue;
		if (retry)
			t->wait = t->leader = 0;
		else
			end_access(run, n, value);
	}
}

/* @event, with the message or access @in, at an L1; false: stalled, or a defect */
static bool l1_event(struct run *run, u32 core, u32 line, enum vgpu_coh_event event,
		     const struct vgpu_coh_message *in, struct vgpu_coh_out *out)
{
	const struct vgpu_coh_protocol *protocol = run->options->protocol;
	struct ex_state *s = &run->next;
	struct vgpu_coh_l1_line *l = &s->l1[core][line];
	struct vgpu_coh_l1_step step = { &run->setup, &s->cores[core], l, in, s->clock, out };
	u8 state = l->state;

	if (event < VGPU_COH_EVICT && vgpu_coh_l1_expire(protocol, &step)) {
		if (run->result->l1)
			note_move(run->result->l1, state, VGPU_COH_EXPIRE, l->state, out);
		if (out->actions & VGPU_COH_DROP)
			s->l1_data[core][line] = POISON;
	}
	state = l->state;
	vgpu_coh_l1(protocol, event, &step);
	if (out->actions & VGPU_COH_IMPOSSIBLE)
		run->result->impossible++;
	if (out->actions & (VGPU_COH_STALL | VGPU_COH_IMPOSSIBLE))
		return false;
	if (run->result->l1)
		note_move(run->result->l1, state, event, l->state, out);
	return true;
}

static void make_access(struct run *run, u32 thread, const struct ex_op *op)
{
	static const enum vgpu_coh_event events[] = {
		[EX_READ] = VGPU_COH_LOAD, [EX_WRITE] = VGPU_COH_STORE,
		[EX_SWAP] = VGPU_COH_ATOMIC_OP,
	};
	u32 core = run->program->core[thread];
	struct ex_state *s = &run->next;
	struct vgpu_coh_message in;
	struct vgpu_coh_out out;

	memset(&in, 0, sizeof(in));
	in.id = thread;
	in.core = (u16)core;
	if (!l1_event(run, core, op->line, events[op->what], &in, &out))
		return;
	s->threads[thread].wait = EX_SENT;
	if (out.actions & VGPU_COH_UPDATE)
		s->l1_data[core][op->line] = op->value;
	if (out.actions & VGPU_COH_HIT)
		end_access(run, thread, s->l1_data[core][op->line]);
	if (out.actions & VGPU_COH_MERGE) {
		s->threads[thread].wait = EX_MERGED;
		s->threads[thread].leader = (u8)s->l1[core][op->line].leader;
	}
	if (out.actions & VGPU_COH_DROP)
		s->l1_data[core][op->line] = POISON;
	if (out.sends)
		send(run, true, op->line, op->what == EX_READ ? 0 : op->value, &out.send);
	end_move(run);
}

static bool has_in_flight(const struct run *run, u32 core)
{
	for (u32 line = 0; line < EX_LINES; line++)
		if (vgpu_coh_pending(&run->now.l1[core][line]))
			return true;
	return false;
}

static void make_fence(struct run *run, u32 thread)
{
	u32 core = run->program->core[thread];
	struct vgpu_coh_fenced fenced;

	vgpu_coh_fence(run->options->protocol, &run->setup, &run->next.cores[core],
		       run->next.clock, &fenced);
	if (fenced.wait || (fenced.drain && has_in_flight(run, core)))
		return;
	for (u32 line = 0; fenced.drop && line < EX_LINES; line++) {
		vgpu_coh_purge_l1(run->options->protocol, &run->next.l1[core][line]);
		run->next.l1_data[core][line] = POISON;
	}
	run->next.threads[thread].pc++;
	end_move(run);
}

static void move_threads(struct run *run)
{
	for (u32 n = 0; n < run->program->threads; n++) {
		const struct ex_thread *t = &run->now.threads[n];
		const struct ex_op *op = &run->program->ops[n][t->pc];

		if (t->wait != EX_READY || op->what == EX_END)
			continue;
		begin_move(run);
		if (op->what == EX_FENCE)
			make_fence(run, n);
		else
			make_access(run, n, op);
	}
}

/* A message from L2 is at its L1. */
static void come_down(struct run *run, const struct ex_message *message)
{
	u32 core = message->m.core, line = message->line, value;
	struct ex_state *s = &run->next;
	struct vgpu_coh_out out;

	if (!l1_event(run, core, line, message->m.kind, &message->m, &out))
		return;
	if (out.actions & VGPU_COH_FILL)
		s->l1_data[core][line] = message->data;
	value = out.actions & VGPU_COH_ANSWER_LINE ? s->l1_data[core][line] : message->data;
	if (out.actions & (VGPU_COH_ANSWER | VGPU_COH_ANSWER_LINE))
		end_access(run, message->m.id, value);
	if (out.actions & (VGPU_COH_MERGED | VGPU_COH_RETRY_MERGED))
		end_merged(run, core, line, message->m.id, value,
			   out.actions & VGPU_COH_RETRY_MERGED);
	if (out.actions & VGPU_COH_DROP)
		s->l1_data[core][line] = POISON;
	if (out.sends)
		send(run, true, line, 0, &out.send);
	end_move(run);
}

static void flush_comes(struct run *run, u32 core, u32 partition)
{
	struct vgpu_coh_message answer;

	vgpu_coh_flush_core(&run->next.cores[core]);
	for (u32 line = 0; line < EX_LINES; line++) {
		vgpu_coh_purge_l1(run->options->protocol, &run->next.l1[core][line]);
		if (!run->next.l1[core][line].renewals)
			run->next.l1_data[core][line] = POISON;
	}
	memset(&answer, 0, sizeof(answer));
	answer.kind = EX_FLUSHED;
	answer.core = (u16)core;
	send(run, true, partition, 0, &answer);
	end_move(run);
}

static void move_l1_evictions(struct run *run)
{
	struct vgpu_coh_message in;
	struct vgpu_coh_out out;

	for (u32 core = 0; run->options->l1_evicts && core < run->cores; core++) {
		for (u32 line = 0; line < EX_LINES; line++) {
			struct vgpu_coh_l1_line *l = &run->next.l1[core][line];
			u32 state = run->now.l1[core][line].state;

			/* in state 0 the bytes may be there for a renewal */
			if (!state && !run->now.l1[core][line].held)
				continue;
			if (state && !run->options->protocol->l1[state][VGPU_COH_EVICT].action)
				continue;
			begin_move(run);
			memset(&in, 0, sizeof(in));
			if (state && !l1_event(run, core, line, VGPU_COH_EVICT, &in, &out))
				continue;
			if (!vgpu_coh_pending(l))
				memset(l, 0, sizeof(*l));
			run->next.l1_data[core][line] = POISON;
			end_move(run);
		}
	}
}

/* ---- L2 -------------------------------------------------------------------- */

static void keep(struct run *run, u32 line, const struct vgpu_coh_message *m, u32 data)
{
	struct ex_kept *kept = run->next.kept[line];

	while (kept->used)
		kept++;
	assert(kept < run->next.kept[line] + EX_THREADS);
	memcpy(&kept->m, m, sizeof(*m));
	kept->data = (u8)data;
	kept->used = true;
}

/* A write or an atomic takes effect: what was there before */
static u32 apply(struct run *run, u32 line, u32 data)
{
	u32 old = run->next.l2_data[line];

	run->next.l2_data[line] = (u8)data;
	run->next.written[line] = run->next.fetching[line];
	return old;
}

static void answer_kept(struct run *run, u32 line, const struct vgpu_coh_out *out)
{
	struct ex_kept kept[EX_THREADS];
	struct vgpu_coh_message m;

	memcpy(kept, run->next.kept[line], sizeof(kept));
	memset(run->next.kept[line], 0, sizeof(kept));
	for (u32 n = 0; n < EX_THREADS && kept[n].used; n++) {
		u32 data = run->next.l2_data[line];

		if (out->actions & VGPU_COH_APPLY_KEPT)
			data = apply(run, line, kept[n].data);
		memcpy(&m, &out->send, sizeof(m));
		m.id = kept[n].m.id;
		m.core = kept[n].m.core;
		m.of = kept[n].m.kind;
		m.held = kept[n].m.held;
		send(run, false, line, data, &m);
	}
}

static void send_invs(struct run *run, u32 line, const struct vgpu_coh_out *out)
{
	struct vgpu_coh_message m;

	memset(&m, 0, sizeof(m));
	m.kind = VGPU_COH_INV;
	for (u32 core = 0; core < run->cores; core++) {
		if (!(out->invs >> core & 1) || core + 1 == out->inv_but)
			continue;
		m.core = (u16)core;
		send(run, false, line, 0, &m);
	}
}

static void invalidate_now(struct run *run, u32 line)
{
	struct vgpu_coh_message in;
	struct vgpu_coh_out out;

	memset(&in, 0, sizeof(in));
	for (u32 core = 0; core < run->cores; core++) {
		l1_event(run, core, line, VGPU_COH_INV, &in, &out);
		if (out.actions & VGPU_COH_DROP)
			run->next.l1_data[core][line] = POISON;
	}
}

static void act_l2(struct run *run, u32 line, const struct ex_message *message,
		   const struct vgpu_coh_out *out)
{
	struct ex_state *s = &run->next;
	u32 reply;

	if (out->actions & VGPU_COH_WBACK)
		s->memory[line] = s->l2_data[line];
	if (out->actions & VGPU_COH_FETCH)
		s->fetching[line] = true;
	if (out->actions & VGPU_COH_ENTER) {
		s->fetching[line] = false;
		if (!s->written[line])
			s->l2_data[line] = s->memory[line];
		s->written[line] = false;
	}
	if (out->actions & VGPU_COH_KEEP)
		keep(run, line, &message->m, message->data);
	reply = s->l2_data[line];
	if (out->actions & VGPU_COH_APPLY)
		reply = apply(run, line, message->data);
	if (out->actions & VGPU_COH_ANSWER_KEPT)
		answer_kept(run, line, out);
	else if (out->sends)
		send(run, false, line, reply, &out->send);
	if (out->invs)
		send_invs(run, line, out);
	if (out->actions & VGPU_COH_INV_NOW)
		invalidate_now(run, line);
	if (!s->l2[line].state)
		s->l2_data[line] = POISON;
}

/* @message: NULL: the event is none of an L1's. Makes the successor, or none */
static bool l2_event(struct run *run, u32 line, enum vgpu_coh_event event,
		     const struct ex_message *message)
{
	const struct vgpu_coh_protocol *protocol = run->options->protocol;
	struct ex_state *s = &run->next;
	u32 partition = partition_of(run, line);
	struct vgpu_coh_out out;
	struct vgpu_coh_l2_step step = { &run->setup, &s->partitions[partition], &s->l2[line],
					 message ? &message->m : NULL, s->clock, &out };
	u8 state = s->l2[line].state;

	vgpu_coh_l2(protocol, event, &step);
	if (out.actions & VGPU_COH_IMPOSSIBLE)
		run->result->impossible++;
	if (out.actions & (VGPU_COH_STALL | VGPU_COH_IMPOSSIBLE))
		return false;
	if (out.actions & VGPU_COH_ROLLOVER) {
		begin_move(run);
		ring_event(run, partition, VGPU_COH_RING_BEGIN, partition);
		run->result->rollovers++;
		return true;
	}
	if (run->result->l2)
		note_move(run->result->l2, state, event, s->l2[line].state, &out);
	act_l2(run, line, message, &out);
	return true;
}

/* Leases that have run out end at once, whoever looks at them. */
static void expire_l2(struct run *run)
{
	struct ex_state *s = &run->next;

	for (u32 line = 0; line < EX_LINES; line++) {
		struct vgpu_coh_out out;
		struct vgpu_coh_l2_step step = { &run->setup,
						 &s->partitions[partition_of(run, line)],
						 &s->l2[line], NULL, s->clock, &out };
		u8 state = s->l2[line].state;

		if (!vgpu_coh_l2_expire(run->options->protocol, &step))
			continue;
		if (run->result->l2)
			note_move(run->result->l2, state, VGPU_COH_EXPIRE, s->l2[line].state, &out);
		act_l2(run, line, NULL, &out);
	}
}

static bool runs(const struct run *run, u32 line)
{
	return run->now.partitions[partition_of(run, line)].ring == VGPU_COH_RUNS;
}

static void move_messages(struct run *run)
{
	for (u32 n = 0; n < run->now.count; n++) {
		const struct ex_message *message = &run->now.messages[n];
		u32 kind = message->m.kind;

		/* the same message twice in a network without order */
		if (n && !memcmp(message, message - 1, sizeof(*message)))
			continue;
		if (!is_first(run, n))
			continue;
		begin_move(run);
		if (kind != EX_FLUSHED && message->up && !runs(run, message->line))
			continue;
		take(run, n);
		if (kind == EX_FLUSH) {
			flush_comes(run, message->m.core, message->line);
		} else if (kind == EX_FLUSHED) {
			ring_event(run, message->line, VGPU_COH_RING_FLUSHED, 0);
			end_move(run);
		} else if (!message->up) {
			come_down(run, message);
		} else if (l2_event(run, message->line, kind, message)) {
			end_move(run);
		}
	}
}

static void move_l2(struct run *run)
{
	for (u32 line = 0; line < EX_LINES; line++) {
		if (!runs(run, line))
			continue;
		if (run->now.fetching[line]) {
			begin_move(run);
			if (l2_event(run, line, VGPU_COH_FETCHED, NULL))
				end_move(run);
			continue;
		}
		if (!run->now.l2[line].state || !run->now.evictions)
			continue;
		begin_move(run);
		run->next.evictions--;
		if (l2_event(run, line, VGPU_COH_EVICT, NULL))
			end_move(run);
	}
}

/* Nothing waits for the line at L2, and no owner has a write of it on its way. */
static bool is_settled(const struct run *run, u32 line)
{
	for (u32 n = 0; n < run->now.count; n++)
		if (run->now.messages[n].line == line &&
		    run->now.messages[n].m.kind == VGPU_COH_THROUGH)
			return false;
	return run->now.l2[line].state < run->options->protocol->l2_stable;
}

/* A page moves: no cache has its lines any more, and its bytes are somewhere else. */
static void move_purges(struct run *run)
{
	for (u32 line = 0; run->now.purges && line < EX_LINES; line++) {
		struct ex_state *s = &run->next;

		if (!is_settled(run, line) || !runs(run, line))
			continue;
		begin_move(run);
		s->purges--;
		if (s->l2[line].state)
			s->memory[line] = s->l2_data[line];
		vgpu_coh_purge_l2(run->options->protocol, &run->setup,
				  &s->partitions[partition_of(run, line)], &s->l2[line]);
		s->l2_data[line] = POISON;
		for (u32 core = 0; core < run->cores; core++) {
			vgpu_coh_purge_l1(run->options->protocol, &s->l1[core][line]);
			if (!s->l1[core][line].renewals)
				s->l1_data[core][line] = POISON;
		}
		end_move(run);
	}
}

static void tick_clock(struct run *run)
{
	begin_move(run);
	run->next.clock++;
	expire_l2(run);
}

static void move_time(struct run *run)
{
	const struct vgpu_coh_protocol *protocol = run->options->protocol;

	if (protocol->clocked) {
		if (run->now.ticks) {
			tick_clock(run);
			run->next.ticks--;
			end_move(run);
		} else if (!run->moved && run->now.clock < CLOCK_MOST) {
			tick_clock(run);
			end_move(run);
		}
		return;
	}
	for (u32 core = 0; protocol->tick && run->now.ticks && core < run->cores; core++) {
		begin_move(run);
		run->next.ticks--;
		protocol->tick(&run->next.cores[core]);
		end_move(run);
	}
}

/* ---- all of them ----------------------------------------------------------- */

static bool has_ended(const struct run *run)
{
	for (u32 n = 0; n < run->program->threads; n++)
		if (run->program->ops[n][run->now.threads[n].pc].what != EX_END)
			return false;
	return true;
}

static bool is_drained(const struct run *run)
{
	for (u32 line = 0; line < EX_LINES; line++)
		if (run->now.fetching[line] || run->now.kept[line][0].used)
			return false;
	return !run->now.count;
}

static void note_outcome(struct run *run)
{
	const struct ex_state *s = &run->now;
	struct ex_outcome outcome;

	memset(&outcome, 0, sizeof(outcome));
	memcpy(outcome.value, s->regs, EX_REGS);
	for (u32 line = 0; run->program->final && line < EX_LINES; line++)
		outcome.value[EX_REGS + line] = s->l2[line].state ? s->l2_data[line] :
								   s->memory[line];
	ex_outcome_add(&run->result->outcomes, &outcome);
}

static void expand(struct run *run)
{
	bool ended = has_ended(run);

	if (ended && (!run->program->final || is_drained(run))) {
		note_outcome(run);
		return;
	}
	run->moved = false;
	move_threads(run);
	move_messages(run);
	move_l2(run);
	move_tokens(run);
	move_purges(run);
	move_l1_evictions(run);
	move_time(run);
	run->result->deadlocks += !run->moved;
}

/* L1s that have lines: as after a GETS of each at time 0 */
static void warm_up(struct run *run)
{
	struct vgpu_coh_out out;

	for (u32 n = 0; n < run->cores * EX_LINES; n++) {
		u32 core = n / EX_LINES, line = n % EX_LINES;
		struct vgpu_coh_message in;
		struct ex_message message;

		if (!(run->options->warm >> n & 1))
			continue;
		memset(&in, 0, sizeof(in));
		in.core = (u16)core;
		/* @moved and the stack are not looked at: nothing ends here */
		l1_event(run, core, line, VGPU_COH_LOAD, &in, &out);
		memset(&message, 0, sizeof(message));
		message.line = (u8)line;
		memcpy(&message.m, &out.send, sizeof(message.m));
		if (l2_event(run, line, VGPU_COH_GETS, &message) && run->next.fetching[line])
			l2_event(run, line, VGPU_COH_FETCHED, NULL);
		while (run->next.count) {
			memcpy(&message, &run->next.messages[0], sizeof(message));
			take(run, 0);
			if (message.up) {
				l2_event(run, line, message.m.kind, &message);
				continue;
			}
			l1_event(run, message.m.core, line, message.m.kind, &message.m, &out);
			if (out.actions & VGPU_COH_FILL)
				run->next.l1_data[message.m.core][line] = message.data;
			if (out.actions & VGPU_COH_DROP)
				run->next.l1_data[message.m.core][line] = POISON;
			if (out.sends)
				send(run, true, line, 0, &out.send);
		}
	}
}

static void begin(struct run *run)
{
	const struct ex_options *options = run->options;

	for (u32 n = 0; n < run->program->threads; n++)
		if (run->program->core[n] >= run->cores)
			run->cores = run->program->core[n] + 1u;
	run->setup = (struct vgpu_coh_setup){
		.cores = run->cores,
		.partitions = options->partitions ? options->partitions : 1,
		.lease = options->lease,
		.limit = options->limit ? options->limit : ~0ull >> 1,
		.as_published = options->as_published,
		.fault = options->fault,
	};
	memset(&run->next, 0, sizeof(run->next));
	memset(run->next.regs, EX_NO_VALUE, sizeof(run->next.regs));
	memset(run->next.l1_data, POISON, sizeof(run->next.l1_data));
	memset(run->next.l2_data, POISON, sizeof(run->next.l2_data));
	run->next.evictions = (u8)options->evictions;
	run->next.ticks = (u8)options->ticks;
	run->next.purges = (u8)options->purges;
	warm_up(run);
	end_move(run);
}

void ex_explore(const struct ex_program *program, const struct ex_options *options,
		struct ex_result *result)
{
	struct ex_moves *l1 = result->l1, *l2 = result->l2;
	struct run *run = calloc(1, sizeof(*run));

	memset(result, 0, sizeof(*result));
	result->l1 = l1;
	result->l2 = l2;
	run->program = program;
	run->options = options;
	run->result = result;
	run->seen = ex_seen_create();
	begin(run);
	while (run->depth) {
		memcpy(&run->now, &run->stack[--run->depth], sizeof(run->now));
		expand(run);
	}
	result->states = ex_seen_count(run->seen);
	ex_seen_destroy(run->seen);
	free(run->stack);
	free(run);
}

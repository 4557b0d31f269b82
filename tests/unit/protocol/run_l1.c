// SPDX-License-Identifier: MIT
/*
 * Steps of the explorer at L1s: accesses, fences, answers, evictions; see run.h.
 */
#include <string.h>

#include "run.h"

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
bool ex_l1_event(struct run *run, u32 core, u32 line, enum vgpu_coh_event event,
		 const struct vgpu_coh_message *in, struct vgpu_coh_out *out)
{
	const struct vgpu_coh_protocol *protocol = run->options->protocol;
	struct ex_state *s = &run->next;
	struct vgpu_coh_l1_line *l = &s->l1[core][line];
	struct vgpu_coh_l1_step step = { &run->setup, &s->cores[core], l, in, s->clock, out };
	u8 state = l->state;

	if (event < VGPU_COH_EVICT && vgpu_coh_l1_expire(protocol, &step)) {
		if (run->result->l1)
			ex_note_move(run->result->l1, state, VGPU_COH_EXPIRE, l->state, out);
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
		ex_note_move(run->result->l1, state, event, l->state, out);
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
	if (!ex_l1_event(run, core, op->line, events[op->what], &in, &out))
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
		ex_send(run, true, op->line, op->what == EX_READ ? 0 : op->value, &out.send);
	ex_end_move(run);
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
	ex_end_move(run);
}

void ex_move_threads(struct run *run)
{
	for (u32 n = 0; n < run->program->threads; n++) {
		const struct ex_thread *t = &run->now.threads[n];
		const struct ex_op *op = &run->program->ops[n][t->pc];

		if (t->wait != EX_READY || op->what == EX_END)
			continue;
		ex_begin_move(run);
		if (op->what == EX_FENCE)
			make_fence(run, n);
		else
			make_access(run, n, op);
	}
}

/* A message from L2 is at its L1. */
void ex_come_down(struct run *run, const struct ex_message *message)
{
	u32 core = message->m.core, line = message->line, value;
	struct ex_state *s = &run->next;
	struct vgpu_coh_out out;

	if (!ex_l1_event(run, core, line, message->m.kind, &message->m, &out))
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
		ex_send(run, true, line, 0, &out.send);
	ex_end_move(run);
}

void ex_flush_comes(struct run *run, u32 core, u32 partition)
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
	ex_send(run, true, partition, 0, &answer);
	ex_end_move(run);
}

void ex_move_l1_evictions(struct run *run)
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
			ex_begin_move(run);
			memset(&in, 0, sizeof(in));
			if (state && !ex_l1_event(run, core, line, VGPU_COH_EVICT, &in, &out))
				continue;
			if (!vgpu_coh_pending(l))
				memset(l, 0, sizeof(*l));
			run->next.l1_data[core][line] = POISON;
			ex_end_move(run);
		}
	}
}


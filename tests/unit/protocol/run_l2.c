// SPDX-License-Identifier: MIT
/*
 * Steps of the explorer at L2: requests, fetched lines, evictions, purges, rollover; see run.h.
 */
#include <assert.h>
#include <string.h>

#include "run.h"

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

static void ring_event(struct run *run, u32 partition, enum vgpu_coh_ring_event event,
		       u32 origin)
{
	struct vgpu_coh_message flush;
	struct vgpu_coh_ring_out out;

	vgpu_coh_ring(&run->setup, &run->next.partitions[partition], partition, event, origin,
		      &out);
	for (u32 line = 0; out.zero && line < EX_LINES; line++)
		if (ex_partition_of(run, line) == partition)
			vgpu_coh_zero_l2(&run->next.l2[line]);
	if (out.sends)
		pass_token(run, partition, &out);
	memset(&flush, 0, sizeof(flush));
	flush.kind = EX_FLUSH;
	for (u32 core = 0; out.flush && core < run->cores; core++) {
		flush.core = (u16)core;
		ex_send(run, false, partition, 0, &flush);
	}
}

void ex_move_tokens(struct run *run)
{
	for (u32 n = 0; n < EX_RING && run->now.ring[n].used; n++) {
		struct ex_token token = run->now.ring[n];
		bool first = true;

		for (u32 before = 0; before < n; before++)
			first &= run->now.ring[before].to != token.to;
		if (!first)
			continue;
		ex_begin_move(run);
		memmove(&run->next.ring[n], &run->next.ring[n + 1],
			(EX_RING - 1 - n) * sizeof(token));
		memset(&run->next.ring[EX_RING - 1], 0, sizeof(token));
		ring_event(run, token.to, token.event, token.origin);
		ex_end_move(run);
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
		ex_send(run, false, line, data, &m);
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
		ex_send(run, false, line, 0, &m);
	}
}

static void invalidate_now(struct run *run, u32 line)
{
	struct vgpu_coh_message in;
	struct vgpu_coh_out out;

	memset(&in, 0, sizeof(in));
	for (u32 core = 0; core < run->cores; core++) {
		ex_l1_event(run, core, line, VGPU_COH_INV, &in, &out);
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
		ex_send(run, false, line, reply, &out->send);
	if (out->invs)
		send_invs(run, line, out);
	if (out->actions & VGPU_COH_INV_NOW)
		invalidate_now(run, line);
	if (!s->l2[line].state)
		s->l2_data[line] = POISON;
}

/* @message: NULL: the event is none of an L1's. Makes the successor, or none */
bool ex_l2_event(struct run *run, u32 line, enum vgpu_coh_event event,
		 const struct ex_message *message)
{
	const struct vgpu_coh_protocol *protocol = run->options->protocol;
	struct ex_state *s = &run->next;
	u32 partition = ex_partition_of(run, line);
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
		ex_begin_move(run);
		ring_event(run, partition, VGPU_COH_RING_BEGIN, partition);
		run->result->rollovers++;
		return true;
	}
	if (run->result->l2)
		ex_note_move(run->result->l2, state, event, s->l2[line].state, &out);
	act_l2(run, line, message, &out);
	return true;
}

/* Leases that have run out end at once, whoever looks at them. */
void ex_expire_l2(struct run *run)
{
	struct ex_state *s = &run->next;

	for (u32 line = 0; line < EX_LINES; line++) {
		struct vgpu_coh_out out;
		struct vgpu_coh_l2_step step = { &run->setup,
						 &s->partitions[ex_partition_of(run, line)],
						 &s->l2[line], NULL, s->clock, &out };
		u8 state = s->l2[line].state;

		if (!vgpu_coh_l2_expire(run->options->protocol, &step))
			continue;
		if (run->result->l2)
			ex_note_move(run->result->l2, state, VGPU_COH_EXPIRE,
				     s->l2[line].state, &out);
		act_l2(run, line, NULL, &out);
	}
}

static bool runs(const struct run *run, u32 line)
{
	return run->now.partitions[ex_partition_of(run, line)].ring == VGPU_COH_RUNS;
}

void ex_move_messages(struct run *run)
{
	for (u32 n = 0; n < run->now.count; n++) {
		const struct ex_message *message = &run->now.messages[n];
		u32 kind = message->m.kind;

		/* the same message twice in a network without order */
		if (n && !memcmp(message, message - 1, sizeof(*message)))
			continue;
		if (!ex_is_first(run, n))
			continue;
		ex_begin_move(run);
		if (kind != EX_FLUSHED && message->up && !runs(run, message->line))
			continue;
		ex_take(run, n);
		if (kind == EX_FLUSH) {
			ex_flush_comes(run, message->m.core, message->line);
		} else if (kind == EX_FLUSHED) {
			ring_event(run, message->line, VGPU_COH_RING_FLUSHED, 0);
			ex_end_move(run);
		} else if (!message->up) {
			ex_come_down(run, message);
		} else if (ex_l2_event(run, message->line, kind, message)) {
			ex_end_move(run);
		}
	}
}

void ex_move_l2(struct run *run)
{
	for (u32 line = 0; line < EX_LINES; line++) {
		if (!runs(run, line))
			continue;
		if (run->now.fetching[line]) {
			ex_begin_move(run);
			if (ex_l2_event(run, line, VGPU_COH_FETCHED, NULL))
				ex_end_move(run);
			continue;
		}
		if (!run->now.l2[line].state || !run->now.evictions)
			continue;
		ex_begin_move(run);
		run->next.evictions--;
		if (ex_l2_event(run, line, VGPU_COH_EVICT, NULL))
			ex_end_move(run);
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
void ex_move_purges(struct run *run)
{
	for (u32 line = 0; run->now.purges && line < EX_LINES; line++) {
		struct ex_state *s = &run->next;

		if (!is_settled(run, line) || !runs(run, line))
			continue;
		ex_begin_move(run);
		s->purges--;
		if (s->l2[line].state)
			s->memory[line] = s->l2_data[line];
		vgpu_coh_purge_l2(run->options->protocol, &run->setup,
				  &s->partitions[ex_partition_of(run, line)], &s->l2[line]);
		s->l2_data[line] = POISON;
		for (u32 core = 0; core < run->cores; core++) {
			vgpu_coh_purge_l1(run->options->protocol, &s->l1[core][line]);
			if (!s->l1[core][line].renewals)
				s->l1_data[core][line] = POISON;
		}
		ex_end_move(run);
	}
}

// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * How a table is used, and the actions that many of them have; see protocol.h.
 */
#include "../../sim/text.h"
#include "protocol.h"

static const struct vgpu_coh_protocol *const protocols[] = {
	&vgpu_coh_gpu,    &vgpu_coh_gpu_vi,   &vgpu_coh_mesi, &vgpu_coh_rcc,
	&vgpu_coh_rcc_wo, &vgpu_coh_sc_ideal, &vgpu_coh_tcs, &vgpu_coh_tcw,
};

const struct vgpu_coh_protocol *vgpu_coh_find(const char *name)
{
	for (u32 n = 0; n < sizeof(protocols) / sizeof(protocols[0]); n++)
		if (vgpu_text_is(name, protocols[n]->name))
			return protocols[n];
	return NULL;
}

/* ---- tables --------------------------------------------------------------- */

static void clear_out(struct vgpu_coh_out *out)
{
	memset(out, 0, sizeof(*out));
}

void vgpu_coh_l1(const struct vgpu_coh_protocol *protocol, enum vgpu_coh_event event,
		 struct vgpu_coh_l1_step *step)
{
	const struct vgpu_coh_l1_cell *cell = &protocol->l1[step->line->state][event];

	clear_out(step->out);
	if (!cell->action) {
		step->out->actions = VGPU_COH_IMPOSSIBLE;
		return;
	}
	cell->action(step);
	if (cell->next != VGPU_COH_CHOSEN)
		step->line->state = cell->next;
}

void vgpu_coh_l2(const struct vgpu_coh_protocol *protocol, enum vgpu_coh_event event,
		 struct vgpu_coh_l2_step *step)
{
	const struct vgpu_coh_l2_cell *cell = &protocol->l2[step->line->state][event];

	clear_out(step->out);
	if (!cell->action) {
		step->out->actions = VGPU_COH_IMPOSSIBLE;
		return;
	}
	cell->action(step);
	if (cell->next != VGPU_COH_CHOSEN &&
	    !(step->out->actions & (VGPU_COH_STALL | VGPU_COH_ROLLOVER)))
		step->line->state = cell->next;
}

bool vgpu_coh_l1_expire(const struct vgpu_coh_protocol *protocol, struct vgpu_coh_l1_step *step)
{
	if (!protocol->l1_expired || !protocol->l1[step->line->state][VGPU_COH_EXPIRE].action ||
	    !protocol->l1_expired(step))
		return false;
	vgpu_coh_l1(protocol, VGPU_COH_EXPIRE, step);
	return true;
}

bool vgpu_coh_l2_expire(const struct vgpu_coh_protocol *protocol, struct vgpu_coh_l2_step *step)
{
	if (!protocol->l2_expired || !protocol->l2[step->line->state][VGPU_COH_EXPIRE].action ||
	    !protocol->l2_expired(step))
		return false;
	vgpu_coh_l2(protocol, VGPU_COH_EXPIRE, step);
	return true;
}

void vgpu_coh_fence(const struct vgpu_coh_protocol *protocol, const struct vgpu_coh_setup *setup,
		    struct vgpu_coh_core *core, u64 cycle, struct vgpu_coh_fenced *fenced)
{
	memset(fenced, 0, sizeof(*fenced));
	if (protocol->fence)
		protocol->fence(setup, core, cycle, fenced);
}

void vgpu_coh_purge_l1(const struct vgpu_coh_protocol *protocol, struct vgpu_coh_l1_line *line)
{
	if (!vgpu_coh_pending(line)) {
		memset(line, 0, sizeof(*line));
		return;
	}
	line->state = protocol->closed;
	line->held = false;
	line->exp = 0;
	line->stale = line->reads;
}

void vgpu_coh_purge_l2(const struct vgpu_coh_protocol *protocol,
		       const struct vgpu_coh_setup *setup, struct vgpu_coh_partition *partition,
		       struct vgpu_coh_l2_line *line)
{
	if (protocol->purge_l2)
		protocol->purge_l2(setup, partition, line);
	memset(line, 0, sizeof(*line));
}

/* ---- actions -------------------------------------------------------------- */

void vgpu_coh_request(struct vgpu_coh_l1_step *step, enum vgpu_coh_event kind)
{
	struct vgpu_coh_message *send = &step->out->send;

	step->out->sends = 1;
	send->id = step->in->id;
	send->core = step->in->core;
	send->kind = (u8)kind;
	send->epoch = step->core->epoch;
	send->now = kind == VGPU_COH_GETS ? step->core->read_now : step->core->write_now;
}

void vgpu_coh_reply(struct vgpu_coh_l2_step *step, enum vgpu_coh_event kind)
{
	struct vgpu_coh_message *send = &step->out->send;

	step->out->sends = 1;
	send->kind = (u8)kind;
	send->epoch = step->partition->epoch;
	if (!step->in)
		return;
	send->id = step->in->id;
	send->core = step->in->core;
	send->of = step->in->kind;
	send->held = step->in->held;
}

void vgpu_coh_l1_hit(struct vgpu_coh_l1_step *step)
{
	step->out->actions = VGPU_COH_HIT;
}

void vgpu_coh_l1_merge(struct vgpu_coh_l1_step *step)
{
	step->out->actions = VGPU_COH_MERGE;
}

void vgpu_coh_l1_stall(struct vgpu_coh_l1_step *step)
{
	step->out->actions = VGPU_COH_STALL;
}

void vgpu_coh_l1_drop(struct vgpu_coh_l1_step *step)
{
	step->out->actions = VGPU_COH_DROP;
	step->line->held = false;
	step->line->exp = 0;
}

void vgpu_coh_l1_gets_alone(struct vgpu_coh_l1_step *step)
{
	struct vgpu_coh_l1_line *line = step->line;

	vgpu_coh_request(step, VGPU_COH_GETS);
	line->reads++;
	if (!line->held)
		return;
	step->out->send.held = true;
	step->out->send.exp = line->exp;
	line->renewals++;
}

void vgpu_coh_l1_gets(struct vgpu_coh_l1_step *step)
{
	step->line->leader = step->in->id;
	vgpu_coh_l1_gets_alone(step);
}

void vgpu_coh_l1_write(struct vgpu_coh_l1_step *step)
{
	vgpu_coh_request(step, VGPU_COH_WRITE);
	step->line->writes++;
}

void vgpu_coh_l1_atomic(struct vgpu_coh_l1_step *step)
{
	vgpu_coh_request(step, VGPU_COH_ATOMIC);
	step->line->writes++;
}

void vgpu_coh_l2_stall(struct vgpu_coh_l2_step *step)
{
	step->out->actions = VGPU_COH_STALL;
}

// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * An L2 that has nothing to do with coherence; see plain.h.
 */
#include "plain.h"

void vgpu_plain_miss_gets(struct vgpu_coh_l2_step *step)
{
	step->line->readers = true;
	step->out->actions = VGPU_COH_FETCH | VGPU_COH_KEEP;
}

void vgpu_plain_miss_atomic(struct vgpu_coh_l2_step *step)
{
	step->out->actions = VGPU_COH_FETCH | VGPU_COH_KEEP;
}

void vgpu_plain_write(struct vgpu_coh_l2_step *step)
{
	step->line->dirty = true;
	step->line->writers = true;
	step->out->actions = VGPU_COH_APPLY;
	vgpu_coh_reply(step, VGPU_COH_ACK);
}

void vgpu_plain_miss_write(struct vgpu_coh_l2_step *step)
{
	vgpu_plain_write(step);
	step->out->actions |= VGPU_COH_FETCH;
}

void vgpu_plain_gets(struct vgpu_coh_l2_step *step)
{
	vgpu_coh_reply(step, VGPU_COH_DATA);
}

void vgpu_plain_atomic(struct vgpu_coh_l2_step *step)
{
	step->line->dirty = true;
	step->out->actions = VGPU_COH_APPLY;
	vgpu_coh_reply(step, VGPU_COH_DATA);
}

void vgpu_plain_evict(struct vgpu_coh_l2_step *step)
{
	step->out->actions = step->line->dirty ? VGPU_COH_WBACK : 0;
	memset(step->line, 0, sizeof(*step->line));
}

void vgpu_plain_wait_gets(struct vgpu_coh_l2_step *step)
{
	step->line->readers = true;
	step->out->actions = VGPU_COH_KEEP;
}

void vgpu_plain_fetched(struct vgpu_coh_l2_step *step)
{
	step->out->actions = VGPU_COH_ENTER;
	if (step->line->readers) {
		vgpu_coh_reply(step, VGPU_COH_DATA);
		step->out->actions |= VGPU_COH_ANSWER_KEPT;
	}
	step->line->readers = false;
	step->line->writers = false;
}

void vgpu_plain_fetched_atomic(struct vgpu_coh_l2_step *step)
{
	vgpu_plain_atomic(step);
	step->out->actions = VGPU_COH_ENTER | VGPU_COH_APPLY_KEPT | VGPU_COH_ANSWER_KEPT;
}

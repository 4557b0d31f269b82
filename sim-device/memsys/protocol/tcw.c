// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * TC-Weak (tc.h): a write takes effect at L2 at once. Where others have leases its acknowledgement
 * carries the cycle in which the last of them ends, and a fence waits for the latest of these.
 * Until then some see the old bytes and others the new ones: writes are not atomic, and no core
 * makes this sequentially consistent.
 *
 * The cycle is kept for an L1, not for a warp: a fence may stand for what other warps of its block
 * have written before a barrier.
 */
#include "tc.h"

static void ack_lent(struct vgpu_coh_l2_step *step)
{
	vgpu_tc_l2_too_long(step);
	step->line->dirty = true;
	step->out->actions = VGPU_COH_APPLY;
	vgpu_coh_reply(step, VGPU_COH_ACK_GLOBAL);
	step->out->send.ver = step->line->exp;
}

/* The reply of an atomic has the bytes, and the cycle. */
static void tcw_atomic(struct vgpu_coh_l2_step *step)
{
	vgpu_tc_l2_atomic(step);
	step->out->send.ver = step->line->exp;
}

static void tcw_upgrade(struct vgpu_coh_l2_step *step)
{
	if (!vgpu_tc_l2_is_holder(step)) {
		ack_lent(step);
		return;
	}
	vgpu_tc_l2_expire(step);
	vgpu_tc_l2_write(step);
	step->line->state = TC_L2_E;
}

static void tcw_data(struct vgpu_coh_l1_step *step)
{
	if (step->in->of == VGPU_COH_ATOMIC && step->in->ver > step->core->visible)
		step->core->visible = step->in->ver;
	vgpu_tc_l1_data(step);
}

static void tcw_fence(const struct vgpu_coh_setup *setup, struct vgpu_coh_core *core, u64 cycle,
		      struct vgpu_coh_fenced *fenced)
{
	(void)setup;
	fenced->drain = true;
	fenced->wait = cycle <= core->visible;
	fenced->until = core->visible + 1;
}

const struct vgpu_coh_protocol vgpu_coh_tcw = {
	.name = "tcw",
	.l1 = { VGPU_TC_L1_TABLE(vgpu_coh_l1_hit, vgpu_coh_l1_gets_alone, tcw_data,
				 vgpu_tc_l1_ack_global) },
	.l2 = { VGPU_TC_L2_TABLE(ack_lent, tcw_upgrade, ack_lent, tcw_atomic) },
	.l1_states = { "I", "S", "IS", "II", "SM" },
	.l2_states = { "NP", "E", "S", "SS", "IS", "IM", "IMA", "MI" },
	.l1_stable = 2,
	.l2_stable = 4,
	.networks = 2,
	.network = { [VGPU_COH_DATA] = 1, [VGPU_COH_ACK] = 1, [VGPU_COH_ACK_GLOBAL] = 1 },
	.closed = TC_L1_II,
	.unordered = true,
	.clocked = true,
	.l1_expired = vgpu_tc_l1_expired,
	.l2_expired = vgpu_tc_l2_expired,
	.fence = tcw_fence,
};

// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * TC-Strong (tc.h): a write waits at L2 until all leases of its line have run out, so that it is
 * seen by all at once. The only holder of a lease writes without waiting.
 *
 * While a write is in flight the old bytes are not read: a warp beside it would see them after
 * others have seen the new ones. So loads of the line stall.
 */
#include "tc.h"

static void tcs_write(struct vgpu_coh_l2_step *step)
{
	vgpu_tc_l2_too_long(step);
	vgpu_tc_l2_until_expiry(step);
}

static void tcs_upgrade(struct vgpu_coh_l2_step *step)
{
	if (!vgpu_tc_l2_is_holder(step)) {
		tcs_write(step);
		return;
	}
	vgpu_tc_l2_expire(step);
	vgpu_tc_l2_write(step);
	step->line->state = TC_L2_E;
}

const struct vgpu_coh_protocol vgpu_coh_tcs = {
	.name = "tcs",
	.l1 = { VGPU_TC_L1_TABLE(vgpu_coh_l1_stall, vgpu_coh_l1_stall, vgpu_tc_l1_data, NULL) },
	.l2 = { VGPU_TC_L2_TABLE(tcs_write, tcs_upgrade, tcs_write, vgpu_tc_l2_until_expiry) },
	.l1_states = { "I", "S", "IS", "II", "SM" },
	.l2_states = { "NP", "E", "S", "SS", "IS", "IM", "IMA", "MI" },
	.l1_stable = 2,
	.l2_stable = 4,
	.networks = 2,
	.network = { [VGPU_COH_DATA] = 1, [VGPU_COH_ACK] = 1 },
	.closed = TC_L1_II,
	.sequential = true,
	.unordered = true,
	.clocked = true,
	.l1_expired = vgpu_tc_l1_expired,
	.l2_expired = vgpu_tc_l2_expired,
};

// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * RCC-WO, weakly ordered (thesis 002, 3.4.6): the tables of RCC, and two clocks in each L1, that of
 * loads and that of stores. A store does not end the leases of other lines of its L1. A fence makes
 * both clocks the later one, and waits for nothing.
 *
 * What is asked for before a store of the line was acknowledged does not enter the L1 afterwards:
 * the clock of loads, which would refuse it in RCC, has not moved.
 */
#include "rcc.h"

static void advance_one(struct vgpu_coh_core *core, bool write, u64 time)
{
	u64 *now = write ? &core->write_now : &core->read_now;

	if (time > *now)
		*now = time;
}

/* An answer to a store or an atomic: what is still to be read is from before. */
static void close_reads(struct vgpu_coh_l1_step *step)
{
	step->line->stale = step->line->reads;
}

static void wo_data(struct vgpu_coh_l1_step *step)
{
	if (step->in->of == VGPU_COH_ATOMIC)
		close_reads(step);
	vgpu_rcc_l1_data(step, advance_one);
}

static void wo_ack(struct vgpu_coh_l1_step *step)
{
	close_reads(step);
	vgpu_rcc_l1_ack(step, advance_one);
}

static void wo_fence(const struct vgpu_coh_setup *setup, struct vgpu_coh_core *core, u64 cycle,
		     struct vgpu_coh_fenced *fenced)
{
	(void)setup;
	(void)cycle;
	if (core->read_now < core->write_now)
		core->read_now = core->write_now;
	core->write_now = core->read_now;
	fenced->drain = true;
}

const struct vgpu_coh_protocol vgpu_coh_rcc_wo = {
	.name = "rcc-wo",
	.l1 = { VGPU_RCC_L1_TABLE(wo_data, wo_ack) },
	.l2 = { VGPU_RCC_L2_TABLE },
	.l1_states = { "I", "V", "IV", "II", "VI" },
	.l2_states = { "I", "V", "IV", "IAV" },
	.l1_stable = 2,
	.l2_stable = 2,
	.networks = 2,
	.network = { [VGPU_COH_DATA] = 1, [VGPU_COH_RENEW] = 1, [VGPU_COH_ACK] = 1 },
	.closed = RCC_L1_II,
	.unordered = true,
	.rolls = true,
	.l1_expired = vgpu_rcc_l1_expired,
	.fence = wo_fence,
	.tick = vgpu_rcc_tick,
	.purge_l2 = vgpu_rcc_purge_l2,
};

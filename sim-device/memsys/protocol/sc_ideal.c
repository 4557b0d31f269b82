// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * SC-ideal (thesis 002, 3.2): permission to write costs nothing. In the instant in which a write
 * takes effect at L2 no L1 has the line any more, and nothing that is on its way enters. A load
 * that finds such a line on its way waits and asks again.
 */
#include "plain.h"

enum ideal_state { IDEAL_I, IDEAL_V, IDEAL_IV, IDEAL_II };

static void settle(struct vgpu_coh_l1_step *step)
{
	if (step->line->state == IDEAL_II && !step->line->reads)
		step->line->state = IDEAL_I;
}

static void ideal_data(struct vgpu_coh_l1_step *step)
{
	struct vgpu_coh_l1_line *line = step->line;

	step->out->actions = VGPU_COH_ANSWER;
	if (step->in->of == VGPU_COH_ATOMIC) {
		line->writes--;
		settle(step);
		return;
	}
	line->reads--;
	step->out->actions |= VGPU_COH_MERGED;
	if (line->state == IDEAL_IV) {
		line->state = IDEAL_V;
		step->out->actions |= VGPU_COH_FILL;
	}
	settle(step);
}

static void ideal_ack(struct vgpu_coh_l1_step *step)
{
	step->line->writes--;
	step->out->actions = VGPU_COH_ANSWER;
	settle(step);
}

static void ideal_nothing(struct vgpu_coh_l1_step *step)
{
	(void)step;
}

static void ideal_miss_write(struct vgpu_coh_l2_step *step)
{
	vgpu_plain_miss_write(step);
	step->out->actions |= VGPU_COH_INV_NOW;
}

static void ideal_write(struct vgpu_coh_l2_step *step)
{
	vgpu_plain_write(step);
	step->out->actions |= VGPU_COH_INV_NOW;
}

static void ideal_atomic(struct vgpu_coh_l2_step *step)
{
	vgpu_plain_atomic(step);
	step->out->actions |= VGPU_COH_INV_NOW;
}

static void ideal_fetched_atomic(struct vgpu_coh_l2_step *step)
{
	vgpu_plain_fetched_atomic(step);
	step->out->actions |= VGPU_COH_INV_NOW;
}

#define IDEAL_ANSWERS								\
	[VGPU_COH_DATA] = { ideal_data, VGPU_COH_CHOSEN },			\
	[VGPU_COH_ACK] = { ideal_ack, VGPU_COH_CHOSEN }

const struct vgpu_coh_protocol vgpu_coh_sc_ideal = {
	.name = "sc-ideal",
	.l1 = {
		[IDEAL_I] = {
			[VGPU_COH_LOAD] = { vgpu_coh_l1_gets, IDEAL_IV },
			[VGPU_COH_STORE] = { vgpu_coh_l1_write, IDEAL_I },
			[VGPU_COH_ATOMIC_OP] = { vgpu_coh_l1_atomic, IDEAL_I },
			[VGPU_COH_INV] = { ideal_nothing, IDEAL_I },
			IDEAL_ANSWERS,
		},
		[IDEAL_V] = {
			[VGPU_COH_LOAD] = { vgpu_coh_l1_hit, IDEAL_V },
			[VGPU_COH_STORE] = { vgpu_coh_l1_write, IDEAL_V },
			[VGPU_COH_ATOMIC_OP] = { vgpu_coh_l1_atomic, IDEAL_V },
			[VGPU_COH_EVICT] = { vgpu_coh_l1_drop, IDEAL_I },
			[VGPU_COH_INV] = { vgpu_coh_l1_drop, IDEAL_I },
			IDEAL_ANSWERS,
		},
		[IDEAL_IV] = {
			[VGPU_COH_LOAD] = { vgpu_coh_l1_merge, IDEAL_IV },
			[VGPU_COH_STORE] = { vgpu_coh_l1_write, IDEAL_IV },
			[VGPU_COH_ATOMIC_OP] = { vgpu_coh_l1_atomic, IDEAL_IV },
			[VGPU_COH_EVICT] = { vgpu_coh_l1_stall, IDEAL_IV },
			[VGPU_COH_INV] = { ideal_nothing, IDEAL_II },
			IDEAL_ANSWERS,
		},
		[IDEAL_II] = {
			[VGPU_COH_LOAD] = { vgpu_coh_l1_stall, IDEAL_II },
			[VGPU_COH_STORE] = { vgpu_coh_l1_write, IDEAL_II },
			[VGPU_COH_ATOMIC_OP] = { vgpu_coh_l1_atomic, IDEAL_II },
			[VGPU_COH_EVICT] = { vgpu_coh_l1_stall, IDEAL_II },
			[VGPU_COH_INV] = { ideal_nothing, IDEAL_II },
			IDEAL_ANSWERS,
		},
	},
	.l2 = { VGPU_PLAIN_TABLE(ideal_miss_write, ideal_write, ideal_atomic,
				 ideal_fetched_atomic) },
	.l1_states = { "I", "V", "IV", "II" },
	.l2_states = { "I", "V", "IV", "IAV" },
	.l1_stable = 2,
	.l2_stable = 2,
	.networks = 2,
	.network = { [VGPU_COH_DATA] = 1, [VGPU_COH_ACK] = 1 },
	.closed = IDEAL_II,
	.sequential = true,
	.unordered = true,
};

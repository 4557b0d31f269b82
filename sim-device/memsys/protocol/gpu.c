// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The protocol of today's GPUs: none. L1s keep what they have, a store updates its own L1's line, a
 * fence empties the L1. What a miss brings does not enter if a store of
 * the same L1 has overtaken it.
 */
#include "plain.h"

enum gpu_state { GPU_I, GPU_V, GPU_IV, GPU_II };

static void gpu_store_hit(struct vgpu_coh_l1_step *step)
{
	vgpu_coh_l1_write(step);
	step->out->actions = VGPU_COH_UPDATE;
}

static void gpu_atomic_hit(struct vgpu_coh_l1_step *step)
{
	vgpu_coh_l1_drop(step);
	vgpu_coh_l1_atomic(step);
}

static void gpu_data(struct vgpu_coh_l1_step *step)
{
	struct vgpu_coh_l1_line *line = step->line;

	step->out->actions = VGPU_COH_ANSWER;
	if (step->in->of == VGPU_COH_ATOMIC) {
		line->writes--;
	} else {
		line->reads--;
		step->out->actions |= VGPU_COH_MERGED;
		if (line->state == GPU_IV) {
			step->out->actions |= VGPU_COH_FILL;
			line->state = GPU_V;
		}
	}
	if (line->state == GPU_II && !line->reads)
		line->state = GPU_I;
}

static void gpu_ack(struct vgpu_coh_l1_step *step)
{
	step->line->writes--;
	step->out->actions = VGPU_COH_ANSWER;
	if (step->line->state == GPU_II && !step->line->reads)
		step->line->state = GPU_I;
}

static void gpu_fence(const struct vgpu_coh_setup *setup, struct vgpu_coh_core *core, u64 cycle,
		      struct vgpu_coh_fenced *fenced)
{
	(void)setup;
	(void)core;
	(void)cycle;
	fenced->drain = true;
	fenced->drop = true;
}

const struct vgpu_coh_protocol vgpu_coh_gpu = {
	.name = "gpu",
	.l1 = {
		[GPU_I] = {
			[VGPU_COH_LOAD] = { vgpu_coh_l1_gets, GPU_IV },
			[VGPU_COH_STORE] = { vgpu_coh_l1_write, GPU_I },
			[VGPU_COH_ATOMIC_OP] = { vgpu_coh_l1_atomic, GPU_I },
			[VGPU_COH_DATA] = { gpu_data, VGPU_COH_CHOSEN },
			[VGPU_COH_ACK] = { gpu_ack, VGPU_COH_CHOSEN },
		},
		[GPU_V] = {
			[VGPU_COH_LOAD] = { vgpu_coh_l1_hit, GPU_V },
			[VGPU_COH_STORE] = { gpu_store_hit, GPU_V },
			[VGPU_COH_ATOMIC_OP] = { gpu_atomic_hit, GPU_I },
			[VGPU_COH_EVICT] = { vgpu_coh_l1_drop, GPU_I },
			[VGPU_COH_DATA] = { gpu_data, VGPU_COH_CHOSEN },
			[VGPU_COH_ACK] = { gpu_ack, VGPU_COH_CHOSEN },
		},
		[GPU_IV] = {
			[VGPU_COH_LOAD] = { vgpu_coh_l1_merge, GPU_IV },
			[VGPU_COH_STORE] = { vgpu_coh_l1_write, GPU_II },
			[VGPU_COH_ATOMIC_OP] = { vgpu_coh_l1_atomic, GPU_II },
			[VGPU_COH_EVICT] = { vgpu_coh_l1_stall, GPU_IV },
			[VGPU_COH_DATA] = { gpu_data, VGPU_COH_CHOSEN },
			[VGPU_COH_ACK] = { gpu_ack, VGPU_COH_CHOSEN },
		},
		[GPU_II] = {
			[VGPU_COH_LOAD] = { vgpu_coh_l1_gets_alone, GPU_II },
			[VGPU_COH_STORE] = { vgpu_coh_l1_write, GPU_II },
			[VGPU_COH_ATOMIC_OP] = { vgpu_coh_l1_atomic, GPU_II },
			[VGPU_COH_EVICT] = { vgpu_coh_l1_stall, GPU_II },
			[VGPU_COH_DATA] = { gpu_data, VGPU_COH_CHOSEN },
			[VGPU_COH_ACK] = { gpu_ack, VGPU_COH_CHOSEN },
		},
	},
	.l2 = { VGPU_PLAIN_TABLE(vgpu_plain_miss_write, vgpu_plain_write, vgpu_plain_atomic,
				 vgpu_plain_fetched_atomic) },
	.l1_states = { "I", "V", "IV", "II" },
	.l2_states = { "I", "V", "IV", "IAV" },
	.l1_stable = 2,
	.l2_stable = 2,
	.networks = 2,
	.network = { [VGPU_COH_DATA] = 1, [VGPU_COH_ACK] = 1 },
	.closed = GPU_II,
	.fence = gpu_fence,
};

// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * GPU-VI (Singh, HPCA 2013): a directory (directory.h) and lines that are valid or not. A write
 * waits at L2 until all other L1s have dropped the line.
 */
#include "directory.h"

const struct vgpu_coh_protocol vgpu_coh_gpu_vi = {
	.name = "gpu-vi",
	.l1 = { VGPU_DIR_L1_COMMON },
	.l2 = {
		[DIR_L2_NP] = {
			[VGPU_COH_GETS] = { vgpu_dir_l2_miss_gets, DIR_L2_IS },
			[VGPU_COH_WRITE] = { vgpu_dir_l2_miss_other, DIR_L2_IM },
			[VGPU_COH_ATOMIC] = { vgpu_dir_l2_miss_other, DIR_L2_IM },
		},
		[DIR_L2_SS] = {
			[VGPU_COH_GETS] = { vgpu_dir_l2_gets, DIR_L2_SS },
			[VGPU_COH_WRITE] = { vgpu_dir_l2_write, VGPU_COH_CHOSEN },
			[VGPU_COH_ATOMIC] = { vgpu_dir_l2_write, VGPU_COH_CHOSEN },
			[VGPU_COH_EVICT] = { vgpu_dir_l2_evict, VGPU_COH_CHOSEN },
		},
		[DIR_L2_IS] = {
			VGPU_DIR_STALLED_BUT_GETS,
			[VGPU_COH_GETS] = { vgpu_dir_l2_wait_gets, DIR_L2_IS },
			[VGPU_COH_FETCHED] = { vgpu_dir_l2_fetched, DIR_L2_SS },
		},
		[DIR_L2_IM] = {
			VGPU_DIR_STALLED,
			[VGPU_COH_FETCHED] = { vgpu_dir_l2_fetched_other, DIR_L2_SS },
		},
		[DIR_L2_SW] = {
			VGPU_DIR_STALLED,
			[VGPU_COH_INV_ACK] = { vgpu_dir_l2_write_acked, VGPU_COH_CHOSEN },
		},
		[DIR_L2_SI] = {
			VGPU_DIR_STALLED,
			[VGPU_COH_INV_ACK] = { vgpu_dir_l2_evict_acked, VGPU_COH_CHOSEN },
		},
	},
	.l1_states = { "I", "V", "-", "-", "IV", "II" },
	.l2_states = { "NP", "V", "-", "IV", "IM", "VW", "VI" },
	.l1_stable = 2,
	.l2_stable = 2,
	.networks = 4,
	.network = {
		[VGPU_COH_INV_ACK] = 1, [VGPU_COH_DATA] = 2, [VGPU_COH_ACK] = 2,
		[VGPU_COH_INV] = 3,
	},
	.closed = DIR_L1_II,
	.sequential = true,
	.unordered = true,
};

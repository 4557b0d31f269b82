// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Presets after the data of cards; see presets.h. */
#include "presets.h"

/*
 * NVIDIA: CUDA programming guide, table of compute capability 7.0 ("table"), and
 * the Tesla V100 of the Volta whitepaper ("card"). Jia et al., Dissecting the
 * NVIDIA Volta GPU Architecture, table 3.1, where these say nothing
 */
const struct vgpu_config vgpu_preset_v100 = {
	.name = "v100",
	/*
	 * The card: 7.0. What 8.0 adds is there, and its table has the same threads,
	 * blocks and registers of an SM; 8.6 and 8.9 have fewer, 9.0 has clusters
	 */
	.compute_capability = "8.0",
	.sms = 80,				/* card */
	.clock_khz = 1530000,			/* card: boost clock */
	.regs_per_sm = 65536,			/* table */
	/* table: 255, one of which is not a register of VASS */
	.regs_per_thread = VGPU_VASS_MAX_REGS,
	/*
	 * table. The card can give a kernel less for a larger L1; the driver gives it what
	 * lets most blocks be resident
	 */
	.shared_per_sm = 96 * KB,
	.threads_per_sm = 2048,			/* table */
	.threads_per_block = 1024,		/* table */
	.grid_limit = { 0x7fffffff, 65535, 65535 },	/* table */
	.block_limit = { 1024, 1024, 64 },	/* table */
	.blocks_per_sm = 32,			/* table */
	.kernels_per_sm = 1,
	.issue_width = 4,			/* card: four warp schedulers */
	.hw_queues = 32,			/* CUDA: most connections */
	.active_kernels = 128,			/* table: resident grids */
	.vram_bytes = 16 * GB,			/* card */
	.context_budget = CONTEXT_BUDGET(80, 2048),	/* chosen: see above */
	.memory_bandwidth = 900000000000ull,	/* card */
	.memory_bus_bits = 4096,		/* card */
	.memory_latency_cycles = 375,		/* Jia et al.: a miss of L2 */
	/* card: 128 KB are L1 and shared memory, at most 96 of them shared memory */
	.l1_bytes = 32 * KB,
	.l1_ways = 4,				/* Jia et al. */
	.l1_cycles = 28,			/* Jia et al. */
	.l1_mshrs = 32,				/* as tanasic-ch6 */
	.l1_queue = 64,
	.l1_global = 1,				/* card: the L1 caches global memory */
	/* chosen: half of what Jia et al. leave of 193 beside the caches */
	.icnt_cycles = 47,
	.icnt_l2_bytes = 64,			/* card: of each partition */
	.l2_bytes = 6144 * KB,			/* card */
	.l2_ways = 16,				/* Jia et al. */
	.l2_cycles = 70,			/* as tanasic-ch6 */
	.l2_mshrs = 2048,			/* chosen: 64 of each partition */
	.l2_partitions = 32,			/* chosen: four of each controller */
	/* Jia et al.: 375 less a hit's 193 */
	.dram_cycles = 182,
	.link_bandwidth = 15750000000ull,	/* card: PCIe 3.0 x16 */
	.copy_engines = 2,			/* one for each direction */
	.link_burst = 4 * KB,			/* as k20c */
	.launch_ps = VGPU_US,			/* as k20c */
	.command_ps = 100 * VGPU_NS,
	.sm_setup_ps = 100 * VGPU_NS,
	/* as k20c: memory_latency_cycles */
	.pipeline_drain_ps = 375 * 1000000000ull / 1530000,
	.drain_ps = 16200 * VGPU_NS,
	MECHANISMS,
	.time_slice_ps = VGPU_MS,
	.slice_ps = VGPU_US,
	.seed = 1,
	.policy = "fcfs",
	.preemption = "none",
	.block_placement = "breadth",
	PAGE_FAULTS,
	/* card: four warp schedulers, 64 cores. Chosen: as gtx980 */
	PIPELINE_OF(1, 4, "gto", 2),
	HIERARCHY,
};

/*
 * NVIDIA: CUDA programming guide, table of compute capability 8.0 ("table"), and
 * the A100 SXM4 with 40 GB of the Ampere whitepaper ("card"). Luo et al.,
 * Benchmarking and Dissecting the NVIDIA Hopper GPU Architecture, 2024, table of
 * memory latencies, where these say nothing
 */
const struct vgpu_config vgpu_preset_a100 = {
	.name = "a100",
	.compute_capability = "8.0",		/* card */
	.sms = 108,				/* card */
	.clock_khz = 1410000,			/* card: boost clock */
	.regs_per_sm = 65536,			/* table */
	.regs_per_thread = VGPU_VASS_MAX_REGS,	/* as v100 */
	/* table. As v100: all that a kernel can be given */
	.shared_per_sm = 164 * KB,
	.threads_per_sm = 2048,			/* table: 64 warps */
	.threads_per_block = 1024,		/* table */
	.grid_limit = { 0x7fffffff, 65535, 65535 },	/* table */
	.block_limit = { 1024, 1024, 64 },	/* table */
	.blocks_per_sm = 32,			/* table */
	.kernels_per_sm = 1,
	.issue_width = 4,			/* card: four warp schedulers */
	.hw_queues = 32,			/* CUDA: most connections */
	.active_kernels = 128,			/* table: resident grids */
	.vram_bytes = 40 * GB,			/* card */
	.context_budget = CONTEXT_BUDGET(108, 2048),	/* chosen: see above */
	.memory_bandwidth = 1555000000000ull,	/* card */
	.memory_bus_bits = 5120,		/* card */
	.memory_latency_cycles = 466,		/* Luo et al. */
	/* card: 192 KB are L1 and shared memory, at most 164 of them shared memory */
	.l1_bytes = 28 * KB,
	.l1_ways = 4,				/* as v100 */
	.l1_cycles = 38,			/* Luo et al. */
	.l1_mshrs = 32,				/* as tanasic-ch6 */
	.l1_queue = 64,
	.l1_global = 1,				/* card */
	/* chosen: half of what Luo et al. leave of 262 beside the caches */
	.icnt_cycles = 77,
	.icnt_l2_bytes = 64,			/* card: of each partition */
	.l2_bytes = 40960 * KB,			/* card */
	.l2_ways = 16,				/* as v100 */
	.l2_cycles = 70,			/* as tanasic-ch6 */
	.l2_mshrs = 5120,			/* chosen: 64 of each partition */
	.l2_partitions = 80,			/* card: 5120 bytes a cycle */
	/* Luo et al.: 466 less a hit's 262 */
	.dram_cycles = 204,
	.link_bandwidth = 31500000000ull,	/* card: PCIe 4.0 x16 */
	.copy_engines = 2,			/* one for each direction */
	.link_burst = 4 * KB,			/* as k20c */
	.launch_ps = VGPU_US,			/* as k20c */
	DISPATCH,
	.command_ps = 100 * VGPU_NS,
	.sm_setup_ps = 100 * VGPU_NS,
	/* as k20c: memory_latency_cycles */
	.pipeline_drain_ps = 466 * 1000000000ull / 1410000,
	.drain_ps = 16200 * VGPU_NS,
	MECHANISMS,
	.time_slice_ps = VGPU_MS,
	.slice_ps = VGPU_US,
	.seed = 1,
	.policy = "fcfs",
	.preemption = "none",
	.block_placement = "breadth",
	PAGE_FAULTS,
	/* card: four warp schedulers, 64 cores. Chosen: as gtx980 */
	PIPELINE_OF(1, 4, "gto", 2),
	HIERARCHY,
};

/*
 * NVIDIA: CUDA programming guide, table of compute capability 9.0 ("table"), and
 * the H100 SXM5 of the Hopper whitepaper and of its data sheet ("card"). Luo et
 * al. as for a100, of the H100 PCIe
 */
const struct vgpu_config vgpu_preset_h100 = {
	.name = "h100",
	/* card: 9.0, but there are no clusters of blocks, on which its code counts */
	.compute_capability = "8.0",
	.sms = 132,				/* card */
	.clock_khz = 1980000,			/* card: highest boost clock */
	.regs_per_sm = 65536,			/* table */
	.regs_per_thread = VGPU_VASS_MAX_REGS,	/* as v100 */
	/* table. As v100: all that a kernel can be given */
	.shared_per_sm = 228 * KB,
	.threads_per_sm = 2048,			/* table: 64 warps */
	.threads_per_block = 1024,		/* table */
	.grid_limit = { 0x7fffffff, 65535, 65535 },	/* table */
	.block_limit = { 1024, 1024, 64 },	/* table */
	.blocks_per_sm = 32,			/* table */
	.kernels_per_sm = 1,
	.issue_width = 4,			/* card: four warp schedulers */
	.hw_queues = 32,			/* CUDA: most connections */
	.active_kernels = 128,			/* table: resident grids */
	.vram_bytes = 80 * GB,			/* card */
	.context_budget = CONTEXT_BUDGET(132, 2048),	/* chosen: see above */
	.memory_bandwidth = 3352000000000ull,	/* card: HBM3 */
	.memory_bus_bits = 5120,		/* card */
	.memory_latency_cycles = 479,		/* Luo et al. */
	/* card: 256 KB are L1 and shared memory, at most 228 of them shared memory */
	.l1_bytes = 28 * KB,
	.l1_ways = 4,				/* as v100 */
	.l1_cycles = 41,			/* Luo et al. */
	.l1_mshrs = 32,				/* as tanasic-ch6 */
	.l1_queue = 64,
	.l1_global = 1,				/* card */
	/* chosen: half of what Luo et al. leave of 263 beside the caches */
	.icnt_cycles = 76,
	.icnt_l2_bytes = 64,			/* card: of each partition */
	.l2_bytes = 51200 * KB,			/* card */
	.l2_ways = 16,				/* as v100 */
	.l2_cycles = 70,			/* as tanasic-ch6 */
	.l2_mshrs = 5120,			/* chosen: 64 of each partition */
	.l2_partitions = 80,			/* as a100 */
	/* Luo et al.: 479 less a hit's 263 */
	.dram_cycles = 216,
	.link_bandwidth = 63000000000ull,	/* card: PCIe 5.0 x16 */
	.copy_engines = 2,			/* one for each direction */
	.link_burst = 4 * KB,			/* as k20c */
	.launch_ps = VGPU_US,			/* as k20c */
	DISPATCH,
	.command_ps = 100 * VGPU_NS,
	.sm_setup_ps = 100 * VGPU_NS,
	/* as k20c: memory_latency_cycles */
	.pipeline_drain_ps = 479 * 1000000000ull / 1980000,
	.drain_ps = 16200 * VGPU_NS,
	MECHANISMS,
	.time_slice_ps = VGPU_MS,
	.slice_ps = VGPU_US,
	.seed = 1,
	.policy = "fcfs",
	.preemption = "none",
	.block_placement = "breadth",
	PAGE_FAULTS,
	/* card: four warp schedulers, 128 cores. Chosen: as gtx980 */
	PIPELINE_OF(1, 4, "gto", 4),
	HIERARCHY,
};

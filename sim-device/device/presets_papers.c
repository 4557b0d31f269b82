// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Presets after the tables of papers; see presets.h. */
#include "presets.h"

/* Tanasic table 5.1: an early Kepler, the Tesla K20c */
const struct vgpu_config vgpu_preset_k20c = {
	.name = "k20c",
	.compute_capability = "3.5",		/* card */
	.sms = 13,				/* table */
	.clock_khz = 706000,			/* table */
	.regs_per_sm = 65536,			/* table */
	/* card: 255, one of which is not a register of VASS */
	.regs_per_thread = VGPU_VASS_MAX_REGS,
	.shared_per_sm = 16 * KB,		/* table: default configuration */
	.shared_steps = { 32 * KB, 48 * KB },	/* table */
	.threads_per_sm = 2048,			/* table */
	.threads_per_block = 1024,		/* card */
	.grid_limit = { 0x7fffffff, 65535, 65535 },	/* card */
	.block_limit = { 1024, 1024, 64 },	/* card */
	.blocks_per_sm = 16,			/* table */
	.kernels_per_sm = 1,
	/* card: four warp schedulers, counted as one instruction each */
	.issue_width = 4,
	.hw_queues = 32,			/* card: Hyper-Q */
	.vram_bytes = 5 * GB,			/* card */
	.context_budget = CONTEXT_BUDGET(13, 2048),	/* chosen: see above */
	.memory_bandwidth = 208000000000ull,	/* table */
	.memory_bus_bits = 320,			/* card: five controllers */
	/* chosen: as Tanasic table 6.1, 5.1 gives none */
	.memory_latency_cycles = 200,
	/* card: 64 KB are L1 and shared memory, of which the table gives 16 to this */
	.l1_bytes = 48 * KB,
	.l1_ways = 6,				/* chosen: 64 sets, as Fermi's */
	.l1_cycles = 35,			/* Jia et al.: K80 */
	.l1_mshrs = 32,				/* as tanasic-ch6 */
	.l1_queue = 64,
	/* card: the L1 is for local memory, global memory is cached in L2 */
	.l1_global = 0,
	.tex_bytes = 48 * KB,			/* card: the read-only data cache */
	.tex_ways = 6,				/* chosen: as the L1 */
	.tex_cycles = 82,			/* chosen: as gtx980's, whose L1 it is */
	/* chosen: half of what Jia et al. leave of 200 beside the caches */
	.icnt_cycles = 46,
	/* chosen: 320 bytes a cycle, a little above the memory's 295 */
	.icnt_l2_bytes = 64,
	.l2_bytes = 1280 * KB,			/* card */
	.l2_ways = 16,				/* chosen: 128 sets of each partition */
	.l2_cycles = 70,			/* as tanasic-ch6 */
	.l2_mshrs = 512,
	.l2_partitions = 5,			/* card: memory controllers */
	/* chosen: a miss of L2 takes about 300 cycles in all */
	.dram_cycles = 100,
	.link_bandwidth = LINK_BANDWIDTH(500000000ull, 32),	/* table: 8 GB/s */
	.copy_engines = 1,			/* Tanasic 2.2; the card has two */
	.link_burst = 4 * KB,			/* table */
	/*
	 * chosen: a command crosses the front end in about the microsecond that Tanasic
	 * 5.2.3 calls significant
	 */
	.launch_ps = VGPU_US,
	/* chosen: 70 cycles for a command's few words, as for the registers of an SM */
	.command_ps = 100 * VGPU_NS,
	/* chosen: 70 cycles to load the registers of an SM */
	.sm_setup_ps = 100 * VGPU_NS,
	/*
	 * chosen: an access to memory, the slowest instruction there is, that has just
	 * begun: memory_latency_cycles
	 */
	.pipeline_drain_ps = 200 * 1000000000ull / 706000,
	/*
	 * chosen: the longest save of table 5.2 is 16.2 us; a drain that takes longer than
	 * that is not worth its wait
	 */
	.drain_ps = 16200 * VGPU_NS,
	MECHANISMS,
	/* chosen: 60 times the longest save of table 5.2 */
	.time_slice_ps = VGPU_MS,
	/* chosen: 706 cycles, small beside a kernel, large beside an event */
	.slice_ps = VGPU_US,
	.seed = 1,
	.policy = "fcfs",
	.preemption = "none",
	.block_placement = "depth",		/* Tanasic 5.2.2 */
	PAGE_FAULTS,
	/* card: four warp schedulers, 192 cores. Chosen: fetch one each */
	PIPELINE_OF(1, 4, "lrr", 6),
	HIERARCHY,
};

/* Tanasic table 6.1: the machine of chapter 6, a Kepler-like SM at 1 GHz */
const struct vgpu_config vgpu_preset_tanasic_ch6 = {
	.name = "tanasic-ch6",
	.compute_capability = "3.5",		/* as k20c */
	.sms = 16,				/* table */
	.clock_khz = 1000000,			/* table */
	.regs_per_sm = 65536,			/* table: 256 KB */
	.regs_per_thread = VGPU_VASS_MAX_REGS,	/* as k20c: the same instruction set */
	.shared_per_sm = 32 * KB,		/* table */
	.threads_per_sm = 2048,			/* table: 64 warps */
	.threads_per_block = 1024,		/* as k20c */
	.grid_limit = { 0x7fffffff, 65535, 65535 },
	.block_limit = { 1024, 1024, 64 },
	.blocks_per_sm = 16,			/* table */
	.kernels_per_sm = 1,
	.issue_width = 2,			/* table */
	.hw_queues = 32,			/* as k20c */
	.vram_bytes = 5 * GB,			/* as k20c */
	.context_budget = CONTEXT_BUDGET(16, 2048),	/* chosen: see above */
	.memory_bandwidth = 250000000000ull,	/* table */
	.memory_bus_bits = 256,			/* chosen */
	.memory_latency_cycles = 200,		/* table: DRAM */
	.l1_bytes = 32 * KB,			/* table */
	.l1_ways = 4,				/* table */
	.l1_cycles = 40,			/* table: see below */
	.l1_mshrs = 32,				/* table: see below */
	/* chosen: two lines of each of 32 warps */
	.l1_queue = 64,
	.l1_global = 1,				/* 2.3: caches of SMs hold global memory */
	.tex_bytes = 48 * KB,			/* as k20c */
	.tex_ways = 6,
	.tex_cycles = 82,
	.icnt_cycles = 20,			/* chosen */
	/* chosen: twice the memory's 250 bytes a cycle, as many as 16 SMs */
	.icnt_l2_bytes = 64,
	.l2_bytes = 2048 * KB,			/* table */
	.l2_ways = 8,				/* table */
	.l2_cycles = 70,			/* table */
	.l2_mshrs = 512,			/* table */
	.l2_partitions = 8,			/* chosen: 64 misses of each */
	.dram_cycles = 200,			/* table */
	/*
	 * table. Its row of the L1 TLB is "32 MSHRs / 40 clk latency / virtual 32 entires /
	 * 8-way LRU", that of the L1 cache ends after the line size. "virtual" is the cache
	 * (chapter 5: "virtually tagged L1"), and the rows of the second level have MSHRs
	 * and latency of each. So the first three are taken to be those of the cache. A TLB
	 * behind a cache with virtual tags translates what missed there: 32 at most
	 */
	.l1_tlb_entries = 32,			/* table */
	.l1_tlb_ways = 8,			/* table */
	.l1_tlb_cycles = 0,			/* the table gives none */
	.l1_tlb_mshrs = 32,			/* table: misses of the L1 cache */
	.l2_tlb_entries = 1024,			/* table */
	.l2_tlb_ways = 8,			/* table */
	.l2_tlb_cycles = 70,			/* table */
	.l2_tlb_mshrs = 128,			/* table */
	.page_walkers = 64,			/* table */
	.page_walk_ps = 500 * VGPU_NS,		/* table: 500 cycles */
	/* 6.5: PCIe 3.0; x16, 8 GT/s, 128b/130b coded */
	.link_bandwidth = 15750000000ull,
	/*
	 * chosen: the table gives none, GPUs whose pages migrate (Pascal) have two at
	 * least
	 */
	.copy_engines = 2,
	.link_burst = 4 * KB,			/* as k20c */
	.launch_ps = VGPU_US,			/* as k20c */
	.command_ps = 100 * VGPU_NS,
	.sm_setup_ps = 100 * VGPU_NS,
	/* as k20c: memory_latency_cycles */
	.pipeline_drain_ps = 200 * 1000000000ull / 1000000,
	.drain_ps = 16200 * VGPU_NS,
	MECHANISMS,
	.time_slice_ps = VGPU_MS,
	.slice_ps = VGPU_US,
	.seed = 1,
	.policy = "fcfs",
	.preemption = "none",
	.block_placement = "depth",		/* Tanasic 5.2.2 */
	PAGE_FAULTS,
	PIPELINE(2),
	HIERARCHY,
};

/* SMK table 4 and PEP table 2, which agree: a Maxwell, the Geforce GTX980 */
const struct vgpu_config vgpu_preset_gtx980 = {
	.name = "gtx980",
	.compute_capability = "5.2",		/* card */
	.sms = 16,				/* table */
	.clock_khz = 1216000,			/* table */
	.regs_per_sm = 65536,			/* table: 256 KB */
	.regs_per_thread = VGPU_VASS_MAX_REGS,	/* as k20c */
	.shared_per_sm = 96 * KB,		/* table */
	.threads_per_sm = 2048,			/* table */
	.threads_per_block = 1024,		/* card */
	.grid_limit = { 0x7fffffff, 65535, 65535 },	/* card */
	.block_limit = { 1024, 1024, 64 },	/* card */
	.blocks_per_sm = 32,			/* table */
	.kernels_per_sm = 1,
	.issue_width = 4,			/* table: four warp schedulers */
	.hw_queues = 32,			/* card */
	.vram_bytes = 4 * GB,			/* card */
	.context_budget = CONTEXT_BUDGET(16, 2048),	/* chosen: see above */
	.memory_bandwidth = GDDR_BANDWIDTH(7000000000ull, 4),	/* table: 224 GB/s */
	.memory_bus_bits = 256,			/* table: four controllers */
	/* as tanasic-ch6: neither table gives one */
	.memory_latency_cycles = 200,
	.l1_bytes = 24 * KB,			/* Jia et al.: M60, the same chip */
	.l1_ways = 4,				/* chosen: 48 sets */
	.l1_cycles = 82,			/* Jia et al.: M60 */
	.l1_mshrs = 32,				/* as tanasic-ch6 */
	.l1_queue = 64,
	/* card: global memory is cached in L2, unless a program asks for more */
	.l1_global = 0,
	/* chosen: half of what Jia et al. leave of 207 beside the caches */
	.icnt_cycles = 26,
	.icnt_l2_bytes = 128,			/* chosen: 512 bytes a cycle, as 16 SMs */
	.l2_bytes = 2048 * KB,			/* card */
	.l2_ways = 16,				/* chosen */
	.l2_cycles = 70,			/* as tanasic-ch6 */
	.l2_mshrs = 512,
	.l2_partitions = 4,			/* table: memory controllers */
	/* chosen: a miss of L2 takes about 370 cycles in all */
	.dram_cycles = 160,
	.link_bandwidth = 15750000000ull,	/* card: PCIe 3.0 x16 */
	.copy_engines = 2,			/* card */
	.link_burst = 4 * KB,			/* as k20c */
	.launch_ps = VGPU_US,			/* as k20c */
	.command_ps = 100 * VGPU_NS,
	.sm_setup_ps = 100 * VGPU_NS,
	/* as k20c: memory_latency_cycles */
	.pipeline_drain_ps = 200 * 1000000000ull / 1216000,
	.drain_ps = 16200 * VGPU_NS,
	MECHANISMS,
	.time_slice_ps = VGPU_MS,
	.slice_ps = VGPU_US,
	.seed = 1,
	.policy = "fcfs",
	.preemption = "none",
	.block_placement = "depth",		/* Tanasic 5.2.2 */
	PAGE_FAULTS,
	/* table: four, greedy then oldest; SMK 2.2: 32 ALUs each. Chosen: fetch one each */
	PIPELINE_OF(1, 4, "gto", 4),
	HIERARCHY,
};

/*
 * The thesis of ETC, table 3.1 ("table"), and the text of 3.7.1. It simulates a GPU
 * like the one of gtx980, from which comes what it does not say
 */
const struct vgpu_config vgpu_preset_etc = {
	.name = "etc",
	.compute_capability = "5.2",		/* as gtx980 */
	.sms = 30,				/* table */
	.clock_khz = 1020000,			/* table */
	.regs_per_sm = 65536,
	.regs_per_thread = VGPU_VASS_MAX_REGS,
	.shared_per_sm = 96 * KB,
	.threads_per_sm = 2048,
	.threads_per_block = 1024,
	.grid_limit = { 0x7fffffff, 65535, 65535 },
	.block_limit = { 1024, 1024, 64 },
	.blocks_per_sm = 32,
	.kernels_per_sm = 1,
	/* table: 64 execution units. A warp has 32 threads here, 64 in its first row */
	.issue_width = 2,
	.hw_queues = 32,
	.vram_bytes = 4 * GB,			/* experiments set what they need */
	.context_budget = CONTEXT_BUDGET(30, 2048),	/* chosen: see above */
	/*
	 * table: eight channels at 1674 MHz. Chosen: GDDR5 carries four bits a pin and
	 * clock, and a channel has 32 pins, so 16 bytes
	 */
	.memory_bandwidth = 8 * 16 * 1674000000ull,
	.memory_bus_bits = 256,
	.memory_latency_cycles = 200,
	.l1_bytes = 16 * KB,			/* table */
	.l1_ways = 4,				/* table */
	.l1_cycles = 40,			/* as tanasic-ch6 */
	.l1_mshrs = 32,
	.l1_queue = 64,
	.l1_global = 1,				/* table */
	.icnt_cycles = 26,
	.icnt_l2_bytes = 64,			/* table: two ports, chosen: of 32 bytes */
	.l2_bytes = 2048 * KB,			/* table */
	.l2_ways = 16,				/* table */
	.l2_cycles = 70,
	.l2_mshrs = 512,
	.l2_partitions = 8,			/* table */
	.dram_cycles = 160,
	/*
	 * table: 64 and 512 entries for pages of 64 KB. An entry here is for 4 KB, so the
	 * L2 TLB has 16 times as many, and the L1 TLB as many as one can have, which is a
	 * quarter of that reach. It is fully associative in the table. "1-way" of the L2
	 * TLB contradicts Mosaic, its simulator, which has 16
	 */
	.l1_tlb_entries = 256,
	.l1_tlb_ways = 32,
	.l1_tlb_mshrs = 32,
	.l2_tlb_entries = 8192,
	.l2_tlb_ways = 16,
	.l2_tlb_cycles = 70,			/* as tanasic-ch6 */
	.l2_tlb_mshrs = 128,
	.page_walkers = 64,			/* table */
	.page_walk_ps = 500 * VGPU_NS,		/* as tanasic-ch6 */
	.link_bandwidth = 16000000000ull,	/* table */
	.copy_engines = 2,			/* 3.6.2 */
	.link_burst = 4 * KB,			/* as k20c */
	.launch_ps = VGPU_US,			/* as k20c */
	.command_ps = 100 * VGPU_NS,
	.sm_setup_ps = 100 * VGPU_NS,
	/* as k20c: memory_latency_cycles */
	.pipeline_drain_ps = 200 * 1000000000ull / 1020000,
	.drain_ps = 16200 * VGPU_NS,
	MECHANISMS,
	.time_slice_ps = VGPU_MS,
	.slice_ps = VGPU_US,
	.seed = 1,
	.policy = "fcfs",
	.preemption = "none",
	.block_placement = "breadth",
	/* table */
	PAGE_FAULTS_OF(2048 * KB, 20 * VGPU_US, 20 * VGPU_US, "tree"),
	.evict_clean = 1,		/* chosen: nothing is said of clean pages */
	PIPELINE_OF(2, 1, "gto", 2),		/* table: greedy, then oldest */
	HIERARCHY,
};

/*
 * Thesis 002, table 3.3 ("table"): the machine of chapter 3, like a GTX 480. L1s and
 * L2 run RCC on cores with one access a warp in flight; VGPU_SET=coherence=...
 * has its rivals
 */
const struct vgpu_config vgpu_preset_rcc = {
	.name = "rcc",
	.compute_capability = "3.0",	/* chosen: the least there is */
	.sms = 16,				/* table */
	.clock_khz = 1400000,			/* table */
	.regs_per_sm = 32768,			/* table */
	.regs_per_thread = VGPU_VASS_MAX_REGS,	/* as k20c */
	.shared_per_sm = 48 * KB,		/* table */
	.threads_per_sm = 48 * 32,		/* table: 48 warps */
	.threads_per_block = 1024,		/* card */
	.grid_limit = { 0x7fffffff, 65535, 65535 },	/* as k20c */
	.block_limit = { 1024, 1024, 64 },	/* card */
	.blocks_per_sm = 8,			/* card */
	.kernels_per_sm = 1,
	.issue_width = 1,			/* table: 32 lanes; as it simulates */
	.hw_queues = 32,			/* as k20c */
	.vram_bytes = 1536ull * 1024 * KB,	/* card */
	.context_budget = CONTEXT_BUDGET(16, 48 * 32),	/* chosen: see above */
	.memory_bandwidth = 175000000000ull,	/* table */
	.memory_bus_bits = 384,			/* card */
	.memory_latency_cycles = 460,		/* table: the least of DRAM */
	.l1_bytes = 32 * KB,			/* table */
	.l1_ways = 4,				/* table */
	.l1_cycles = 40,			/* as tanasic-ch6: the table gives none */
	.l1_mshrs = 128,			/* table */
	.l1_queue = 128,			/* chosen: as many */
	.l1_global = 1,				/* 3.3: L1s cache global memory */
	/*
	 * table: 175 GB/s in each direction, which is a flit of 32 bytes for each of eight
	 * partitions in each cycle at 700 MHz ("32-bit" there), so 16 bytes a cycle here
	 */
	.icnt_sm_bytes = 16,
	.icnt_l2_bytes = 16,
	/*
	 * table: 340 cycles at least for what L2 has, and 460 for what DRAM has. Chosen: of
	 * these, 40 for each way; the rest is the L1's, the ports' and L2's
	 */
	.icnt_cycles = 40,
	.l2_bytes = 8 * 128 * KB,		/* table; "1024MB" there is of 8 x 128 KB */
	.l2_ways = 8,				/* table */
	.l2_cycles = 210,
	.l2_mshrs = 8 * 128,			/* table */
	.l2_partitions = 8,			/* table */
	.dram_cycles = 111,
	/* chosen: the table has no TLBs; nothing shall miss */
	.l1_tlb_entries = 256,
	.l1_tlb_ways = 32,
	.l1_tlb_mshrs = 0,
	.link_bandwidth = 8000000000ull,	/* card: PCIe 2.0 x16 */
	.copy_engines = 2,			/* as tanasic-ch6 */
	.link_burst = 4 * KB,			/* as k20c */
	.launch_ps = VGPU_US,			/* as k20c */
	.command_ps = 100 * VGPU_NS,
	.sm_setup_ps = 100 * VGPU_NS,
	/* as k20c: memory_latency_cycles */
	.pipeline_drain_ps = 460 * 1000000000ull / 1400000,
	.drain_ps = 16200 * VGPU_NS,
	MECHANISMS,
	.time_slice_ps = VGPU_MS,
	.slice_ps = VGPU_US,
	.seed = 1,
	.policy = "fcfs",
	.preemption = "none",
	.block_placement = "breadth",		/* chosen: as the simulator of the thesis */
	PAGE_FAULTS,
	.timing = "pipeline",
	.issue_order = "in-order",	/* 3.4: GPGPU-Sim 3.x, whose warps issue in order */
	PIPELINE_ALONE(1, 1, "lrr", 1),		/* table: 32 lanes, loose round-robin */
	.coherence = "rcc",
	.sc_core = 1,
};

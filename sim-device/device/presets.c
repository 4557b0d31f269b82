// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Presets: the tables of the papers as data. After each number: where it comes from. "Table" is the
 * table named above the preset; "card" is the manufacturer's data of that card; "chosen" is ours,
 * with the reason.
 */
#include "../vgpu_device.h"
#include "../sim/text.h"

#define KB	1024u
#define GB	(1ull << 30)

/*
 * PCI Express as Tanasic table 5.1 gives it: a bus clock of 500 MHz and 32 lanes. A lane of
 * generation 2 carries one byte a bus clock (5 GT/s, 8b/10b coded); the 32 lanes are the 16 of each
 * direction of the x16 link of that machine, and one engine drives one direction at a time.
 */
#define LINK_BANDWIDTH(clock_hz, lanes)	((clock_hz) * ((lanes) / 2))

/*
 * GDDR memory: effective clock x controllers x 8 bytes, a controller being 64 bits wide (SMK table
 * 4, PEP table 2).
 */
#define GDDR_BANDWIDTH(clock_hz, controllers)	((clock_hz) * (controllers) * 8)

/*
 * Memory of the host for one context: for all threads that the SMs hold as much local memory as
 * each of a largest block can have, 32 KB, and a quarter of that for everything else.
 */
#define CONTEXT_BUDGET(sms, threads)	((u64)(sms) * (threads) * 32 * KB * 5 / 4)

/*
 * Memory of the host in place. Chosen: about what a read takes over PCI Express; the papers have no
 * such accesses.
 */
#define LINK_ACCESS	VGPU_US

/*
 * Mechanisms that choose for each block: the longest of the deadlines that Chimera is measured with
 * (the thesis of PEP, 4.6.1: 5, 10 and 15 us). Chosen: so many flushes of a block. PEP: the thesis,
 * 4.5.2 and 4.5.4; the host's part of a call is the mean of what its table 4.1 has for 16 kernels
 * on a GTX 980, 3.4 to 33.3 us. Chosen: ten launches long checkpoints are kept. Chosen: a launch by
 * a kernel takes as long as launch_ps of a process; no paper here has any.
 */
#define MECHANISMS					\
	.device_launch_ps = VGPU_US,			\
	.deadline_ps = 15 * VGPU_US,			\
	.grid_turn_ps = 100 * VGPU_US,			\
	.flushes_most = 8,				\
	.pep_launch_ps = 20 * VGPU_US,			\
	.pep_lead_ps = 13300 * VGPU_NS,			\
	.pep_signal_ps = 1300 * VGPU_NS,		\
	.pep_run_instructions = 1000,			\
	.pep_keep_ps = 200 * VGPU_US,			\
	.pep_in_place = 1

/*
 * Page faults: Tanasic 6.5.1 handles them in 64 KB, 6.5.3 gives 12 us to one without data over PCI
 * Express (10 us over NVLink) and an SM 4 extra blocks, 6.5.4 the handlers' 2 us and 20 us. Chosen:
 * room for as many as an access can raise on each of 64 SMs; the evictor that needs nothing of an
 * MMU, page by page, no prefetcher and no shares.
 *
 * Oversubscription: the thesis of ETC, 3.6.2 and 3.7.3 (2 MB free, windows of 50,000 cycles, 10
 * lines), 3.7.4 (one SM down and up). It does not say how long the epochs are: chosen by the sweep
 * of docs/memory.md.
 */
#define PAGE_FAULTS	PAGE_FAULTS_OF(4 * KB, 12 * VGPU_US, 25 * VGPU_US, "none")
#define PAGE_FAULTS_OF(unit, round_trip, with_data, chooser)	\
	.link_access_ps = LINK_ACCESS,			\
	.fault_granule = 64 * KB,			\
	.eviction_unit = (unit),			\
	.managed_share = 100,				\
	.proactive_bytes = 2048 * KB,			\
	.classifier_cycles = 50000,			\
	.classifier_lines = 10,				\
	.throttle_detect_cycles = 100000,		\
	.throttle_execute_cycles = 100000,		\
	.throttle_down = 1,				\
	.throttle_up = 1,				\
	.oversubscription = "none",			\
	.fault_buffer = 2048,				\
	.fault_round_trip_ps = (round_trip),		\
	.fault_data_round_trip_ps = (with_data),	\
	.fault_cpu_ps = 2 * VGPU_US,			\
	.fault_gpu_ps = 20 * VGPU_US,			\
	.allocation = "eager",				\
	.fault_handler = "cpu",				\
	.evictor = "fifo",				\
	.prefetcher = chooser,				\
	.sm_on_fault = "preemptible",			\
	.extra_blocks = 4

/*
 * The pipeline of an SM (timing=pipeline). Tanasic table 6.1: 96 entries of the issue queue, and
 * the units beside one for loads and stores; the baseline of chapter 6 stalls on a fault. Chosen:
 * as many instructions are fetched in a cycle as can be issued; two memory instructions in flight
 * for each of 64 warps; the log of which 6.5.2 says that it suffices; latencies such that an
 * instruction that needs the result can be issued as many cycles behind as sm/timing.c takes for
 * it, which is three more than those of Execute; 32 banks as NVIDIA's.
 */
#define PIPELINE(width) PIPELINE_OF(width, 1, "lrr", 2)
/* of each of @schedulers warp schedulers; units of 32 lanes */
#define PIPELINE_OF(width, schedulers, order, units)	\
	.timing = "interval",			\
	.fault_scheme = "stall",		\
	.warp_scheduler = order,		\
	.warp_schedulers = (schedulers),	\
	.quota_epoch_cycles = 10000,		\
	.issue_order = "out-of-order",		\
	.memory_model = "caches",		\
	.fetch_width = (width),			\
	.l1i_ways = 4,				\
	.l1i_miss_cycles = 100,			\
	.issue_queue = 96,			\
	.memory_queue = 128,			\
	.operand_log_bytes = 16 * KB,		\
	.math_units = (units),			\
	.special_units = 1,			\
	.branch_units = 1,			\
	/* NVIDIA, of all the cards below: 32 lanes, a warp instruction a cycle */ \
	.ldst_units = 1,			\
	.math_cycles = 7,			\
	.wide_cycles = 17,			\
	.special_cycles = 17,			\
	.divide_cycles = 97,			\
	.divide_interval = 24,			\
	.shared_cycles = 30,			\
	.branch_cycles = 1,			\
	.shared_banks = 32

/*
 * The interconnect between SMs and L2, which no table has. Chosen: a flit of 32 bytes a cycle and
 * SM, as simulators of this field have it; a latency with which L2 answers after what
 * microbenchmarks report, about 200 cycles with the two caches' own (Jia et al., Dissecting the
 * NVIDIA Volta GPU Architecture, 2018, table 3.1: K80 200, M60 207).
 */
#define HIERARCHY			\
	.icnt_sm_bytes = 32,		\
	.coherence = "gpu"

/*
 * From the end of a kernel to the next of its queue. Chosen: what profilers' timelines show between
 * kernels that wait in a stream of an A100, 1.0 to 1.4 us (docs/import.md), less the setup of an
 * SM. The older presets have none, as the papers.
 */
#define DISPATCH	.dispatch_ps = VGPU_US

static const struct vgpu_config presets[] = {
	{
		/* Tanasic table 5.1: an early Kepler, the Tesla K20c */
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
	}, {
		/* Tanasic table 6.1: the machine of chapter 6, a Kepler-like SM at 1 GHz */
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
	}, {
		/* SMK table 4 and PEP table 2, which agree: a Maxwell, the Geforce GTX980 */
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
	}, {
		/*
		 * NVIDIA: CUDA programming guide, table of compute capability 7.0 ("table"), and
		 * the Tesla V100 of the Volta whitepaper ("card"). Jia et al., Dissecting the
		 * NVIDIA Volta GPU Architecture, table 3.1, where these say nothing
		 */
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
	}, {
		/*
		 * NVIDIA: CUDA programming guide, table of compute capability 8.0 ("table"), and
		 * the A100 SXM4 with 40 GB of the Ampere whitepaper ("card"). Luo et al.,
		 * Benchmarking and Dissecting the NVIDIA Hopper GPU Architecture, 2024, table of
		 * memory latencies, where these say nothing
		 */
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
	}, {
		/*
		 * NVIDIA: CUDA programming guide, table of compute capability 9.0 ("table"), and
		 * the H100 SXM5 of the Hopper whitepaper and of its data sheet ("card"). Luo et
		 * al. as for a100, of the H100 PCIe
		 */
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
	}, {
		/*
		 * The thesis of ETC, table 3.1 ("table"), and the text of 3.7.1. It simulates a GPU
		 * like the one of gtx980, from which comes what it does not say
		 */
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
	},
};

int vgpu_config_preset(struct vgpu_config *config, const char *name)
{
	unsigned int i;

	for (i = 0; i < VGPU_ARRAY_SIZE(presets); i++) {
		if (vgpu_text_is(name, presets[i].name)) {
			*config = presets[i];
			return 0;
		}
	}
	return -ENOENT;
}

const char *vgpu_config_preset_name(unsigned int index)
{
	return index < VGPU_ARRAY_SIZE(presets) ? presets[index].name : NULL;
}

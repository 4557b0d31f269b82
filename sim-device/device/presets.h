/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Inside device/: presets, and what many of them have. After each number: where it comes from.
 * "Table" is the table named above the preset; "card" is the manufacturer's data of that card;
 * "chosen" is ours, with the reason.
 */
#ifndef VGPU_DEVICE_PRESETS_H
#define VGPU_DEVICE_PRESETS_H

#include "../vgpu_device.h"

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
	.policy_watchdog_ps = 10 * 1000000 * VGPU_US,	\
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
	.issue_order = "out-of-order",		\
	PIPELINE_ALONE(width, schedulers, order, units)
#define PIPELINE_ALONE(width, schedulers, order, units)	\
	.fault_scheme = "stall",		\
	.warp_scheduler = order,		\
	.warp_schedulers = (schedulers),	\
	.quota_epoch_cycles = 10000,		\
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

/* presets_papers.c */
extern const struct vgpu_config vgpu_preset_k20c, vgpu_preset_tanasic_ch6, vgpu_preset_gtx980,
	vgpu_preset_etc, vgpu_preset_rcc;
/* presets_cards.c */
extern const struct vgpu_config vgpu_preset_v100, vgpu_preset_a100, vgpu_preset_h100;

#endif

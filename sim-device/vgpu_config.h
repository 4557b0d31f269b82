/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The fields of a configuration, each declared once: struct vgpu_config, the table by which fields
 * are set, read and checked by name (device/config.c), the files of sysfs and configfs and the
 * options of the tools all come from this list. To add a field, add a line here; a preset that
 * leaves it out gets 0, so 0 should be a value it can have. Included by vgpu_model.h.
 */
#ifndef VGPU_CONFIG_H
#define VGPU_CONFIG_H

/*
 * NUMBER(type, name, least, most), ARRAY(type, name, elements, least, most): every element is a
 * field of its own, "name[0]", ...; NAME(name): a text of VGPU_NAME_BYTES, the final 0 included.
 *
 * Times go up to a virtual hour and bandwidths up to 1 PB/s: sums and products of them then fit
 * into 64 bits.
 */
#define VGPU_CONFIG_FIELDS(NUMBER, ARRAY, NAME)							\
	/* of the preset it came from */							\
	NAME(name)										\
	/* what programs are told, "8.0"; they may have code for it and for older ones */	\
	NAME(compute_capability)								\
	NUMBER(u32, sms, 1, 1024)								\
	NUMBER(u32, clock_khz, 1000, 100000000)							\
	NUMBER(u32, regs_per_sm, 32, 16777216)							\
	/* up to VGPU_VASS_MAX_REGS */								\
	NUMBER(u32, regs_per_thread, 1, 254)							\
	/* bytes, the default configuration (Tanasic table 5.1) */				\
	NUMBER(u32, shared_per_sm, 0, 16777216)							\
	/* bytes, larger ones an SM can be set to, ascending, 0: none */			\
	ARRAY(u32, shared_steps, 4, 0, 16777216)						\
	NUMBER(u32, threads_per_sm, 32, 65536)							\
	NUMBER(u32, threads_per_block, 1, 1024)							\
	ARRAY(u32, grid_limit, 3, 1, 0x7fffffff)						\
	ARRAY(u32, block_limit, 3, 1, 1024)							\
	NUMBER(u32, blocks_per_sm, 1, 64)							\
	/* cycles after which quotas of issue slots are given again (SMK 5.4) */		\
	NUMBER(u32, quota_epoch_cycles, 100, 1000000)						\
	/* 1: an epoch begins with all of a quota, 0: with what the last one has left of it */	\
	NUMBER(u32, quota_each_epoch, 0, 1)							\
	/* kernels whose blocks may be on one SM at a time (SMK 5) */				\
	NUMBER(u32, kernels_per_sm, 1, 8)							\
	/* warp instructions an SM issues per cycle */						\
	NUMBER(u32, issue_width, 1, 64)								\
	NUMBER(u32, hw_queues, 1, 4096)								\
	/* 1: what each launch does is counted (vgpu_counters.h) */				\
	NUMBER(u32, kernel_statistics, 0, 1)							\
	/* entries of the KSRT, 0: as many as SMs (Tanasic 5.2.3) */				\
	NUMBER(u32, active_kernels, 0, 4096)							\
	NUMBER(u64, vram_bytes, 4096, 0x800000000000)						\
	/* bytes of the host that one context may use beside frames, 0: no limit; from 32768 */	\
	NUMBER(u64, context_budget, 0, 0x800000000000)						\
	/* bytes of device memory that one context may allocate, 0: no limit */		\
	NUMBER(u64, memory_budget, 0, 0x800000000000)						\
	/* bytes per second */									\
	NUMBER(u64, memory_bandwidth, 100000000, 1000000000000000)				\
	/* wires of the bus to memory; what programs are told, the model uses the bandwidth */	\
	NUMBER(u32, memory_bus_bits, 0, 65536)							\
	NUMBER(u32, memory_latency_cycles, 0, 1000000)						\
	/* of the TLB of an SM (Tanasic table 6.1), 0: 256, one for each page number modulo 256 */ \
	NUMBER(u32, l1_tlb_entries, 0, 256)							\
	NUMBER(u32, l1_tlb_ways, 0, 256)							\
	/* a lookup in it: what an access takes beside memory_latency_cycles */		\
	NUMBER(u32, l1_tlb_cycles, 0, 30000)							\
	/* misses that it may have in flight, 0: no limit */					\
	NUMBER(u32, l1_tlb_mshrs, 0, 4096)							\
	/* of the TLB that all SMs share, 0: there is none, and no limit to walks */		\
	NUMBER(u32, l2_tlb_entries, 0, 65536)							\
	NUMBER(u32, l2_tlb_ways, 0, 1024)							\
	/* a lookup in it */									\
	NUMBER(u32, l2_tlb_cycles, 0, 1000000)							\
	/* misses that it may have in flight */							\
	NUMBER(u32, l2_tlb_mshrs, 0, 4096)							\
	/* walks at a time */									\
	NUMBER(u32, page_walkers, 0, 4096)							\
	/* a walk of the page table */								\
	NUMBER(u64, page_walk_ps, 0, 3600000000000000)						\
	/* timing=pipeline: L1 data cache of an SM (Tanasic table 6.1), 0: there is none */	\
	NUMBER(u32, l1_bytes, 0, 1048576)							\
	NUMBER(u32, l1_ways, 0, 64)								\
	/* a lookup in it: a hit's data are there then, a miss leaves then */			\
	NUMBER(u32, l1_cycles, 0, 30000)							\
	/* misses that it may have in flight */							\
	NUMBER(u32, l1_mshrs, 0, 1024)								\
	/* stores, atomics, fences and further loads that an SM may have in flight beside them */\
	NUMBER(u32, l1_queue, 0, 4096)								\
	/* 1: loads of global memory use it; 0: only those marked .ca or .nc */			\
	NUMBER(u32, l1_global, 0, 1)								\
	/* its cache of textures, 0: their loads go through the L1; a lookup in it */		\
	NUMBER(u32, tex_bytes, 0, 1048576)							\
	NUMBER(u32, tex_ways, 0, 64)								\
	NUMBER(u32, tex_cycles, 0, 30000)							\
	/* from an SM to L2, and back: the latency alone */					\
	NUMBER(u32, icnt_cycles, 0, 1000)							\
	/* bytes per cycle of the ports of an SM, and of those of a partition of L2 */		\
	NUMBER(u32, icnt_sm_bytes, 0, 4096)							\
	NUMBER(u32, icnt_l2_bytes, 0, 4096)							\
	/* L2 data cache of all SMs, in partitions */						\
	NUMBER(u32, l2_bytes, 0, 1073741824)							\
	NUMBER(u32, l2_ways, 0, 64)								\
	/* a lookup in it */									\
	NUMBER(u32, l2_cycles, 0, 30000)							\
	/* misses that it may have in flight, all partitions together */			\
	NUMBER(u32, l2_mshrs, 0, 65536)								\
	NUMBER(u32, l2_partitions, 0, 256)							\
	/* from L2 to DRAM and back, beside the transfer; partitions share memory_bandwidth */	\
	NUMBER(u32, dram_cycles, 0, 1000000)							\
	/* test: delay until a page arrives after an SM first touched it, 0: none */		\
	NUMBER(u64, page_arrival_ps, 0, 3600000000000000)					\
	/* bytes of device memory that one page fault is for at most: a power of two */		\
	NUMBER(u32, fault_granule, 4096, 2097152)						\
	/* bytes of managed memory that leave the device at once: 4096, 65536 or 2097152 */	\
	NUMBER(u32, eviction_unit, 4096, 2097152)						\
	/* per cent of the frames for managed memory that one context may have */		\
	NUMBER(u32, managed_share, 1, 100)							\
	/* 1: pages that the device has not written are written back, too, when they go */	\
	NUMBER(u32, evict_clean, 0, 1)								\
	/* 1: whatever the scheme says (placement/pressure.h) */				\
	NUMBER(u32, proactive_eviction, 0, 1)							\
	NUMBER(u32, throttling, 0, 1)								\
	/* 1: managed memory is compressed, whether it fits or not */				\
	NUMBER(u32, compression, 0, 1)								\
	/* 0: as its bytes allow; else in per cent, 100 at least, whatever they are */		\
	NUMBER(u32, compression_ratio, 0, 800)							\
	/* proactive eviction: a unit goes where less is free */				\
	NUMBER(u64, proactive_bytes, 4096, 0x800000000000)					\
	/* a window of the classifier; fewer lines than that an instruction are regular */	\
	NUMBER(u32, classifier_cycles, 1000, 1000000000)					\
	NUMBER(u32, classifier_lines, 1, 32)							\
	/* epochs of throttling, and SMs by which it changes */					\
	NUMBER(u32, throttle_detect_cycles, 100, 1000000000)					\
	NUMBER(u32, throttle_execute_cycles, 100, 1000000000)					\
	NUMBER(u32, throttle_down, 0, 1024)							\
	NUMBER(u32, throttle_up, 0, 1024)							\
	/* faults that are handled at a time */							\
	NUMBER(u32, fault_buffer, 1, 1048576)							\
	/* a fault that the host handles, without data, when it has no other */			\
	NUMBER(u64, fault_round_trip_ps, 0, 3600000000000000)					\
	/* the same with the data of a granule, which crosses the interconnect */		\
	NUMBER(u64, fault_data_round_trip_ps, 0, 3600000000000000)				\
	/* of these, the host's: it handles one fault after another */				\
	NUMBER(u64, fault_cpu_ps, 0, 3600000000000000)						\
	/* 1: the ways to the host and back occupy the interconnect */				\
	NUMBER(u32, fault_occupies_link, 0, 1)							\
	/* a fault that an SM handles */							\
	NUMBER(u64, fault_gpu_ps, 0, 3600000000000000)						\
	/* bytes per second of the interconnect to the host */					\
	NUMBER(u64, link_bandwidth, 100000000, 1000000000000000)				\
	/* a read of host memory in place, beside the transfer */				\
	NUMBER(u64, link_access_ps, 0, 3600000000000000)					\
	/* 1: for all transfers; 2: one for each direction of the interconnect */		\
	NUMBER(u32, copy_engines, 1, 2)								\
	/* bytes of one burst (Tanasic table 5.1: 4 KB) */					\
	NUMBER(u32, link_burst, 16, 16777216)							\
	/* a command that the front end executes itself (NOP, WAIT, STAMP); least of a transfer */ \
	NUMBER(u64, command_ps, 0, 3600000000000000)						\
	/* a launch from the process to the execution engine */					\
	NUMBER(u64, launch_ps, 0, 3600000000000000)						\
	/* of that, from the dispatcher: also for one that has waited in its queue */		\
	NUMBER(u64, dispatch_ps, 0, 3600000000000000)						\
	/* a launch by a kernel, from the end of its block or of what it waits for */		\
	NUMBER(u64, device_launch_ps, 0, 3600000000000000)					\
	/* set-up of an SM before it runs another kernel */					\
	NUMBER(u64, sm_setup_ps, 0, 3600000000000000)						\
	/* context switch: until the instructions in flight have ended (Tanasic 5.2.2) */	\
	NUMBER(u64, pipeline_drain_ps, 0, 3600000000000000)					\
	/* drain-then-switch: how long it drains */						\
	NUMBER(u64, drain_ps, 0, 3600000000000000)						\
	/* chimera: how long a block may take to leave an SM */					\
	NUMBER(u64, deadline_ps, 0, 3600000000000000)						\
	/* how often a block may be flushed; 0: as often as it is decided */			\
	NUMBER(u32, flushes_most, 0, 255)							\
	/* pep: how long a launch is taken to need from its announcement (Li et al., 3.2) */	\
	NUMBER(u64, pep_launch_ps, 0, 3600000000000000)						\
	/* ... least it does need, of which the announcement says nothing: the host's part */	\
	NUMBER(u64, pep_lead_ps, 0, 3600000000000000)						\
	/* ... from an announcement until SMs know of it (thesis 4.5.4) */			\
	NUMBER(u64, pep_signal_ps, 0, 3600000000000000)						\
	/* ... warp instructions that a block that has come executes before its checkpoint */	\
	NUMBER(u32, pep_run_instructions, 0, 1000000)						\
	/* ... how long checkpoints are kept for a launch that does not come or take an SM */	\
	NUMBER(u64, pep_keep_ps, 1, 3600000000000000)						\
	/* ... 1: a save uses what the next kernel leaves free of the SM */			\
	NUMBER(u32, pep_in_place, 0, 1)								\
	/* 1: what a block has not written is not saved, by any mechanism (Li et al., 3.1) */	\
	NUMBER(u32, save_dirty, 0, 1)								\
	/* 1: fcfs changes contexts when all commands submitted before have completed */	\
	NUMBER(u32, fcfs_batch, 0, 1)								\
	/* time slice of the policy round-robin */						\
	NUMBER(u64, time_slice_ps, 100000000, 3600000000000000)					\
	/* how long blocks of a cooperative kernel keep their places from others of it */	\
	NUMBER(u64, grid_turn_ps, 1000000, 3600000000000000)					\
	/* 1: a block whose warps all wait for pages may leave its SM if another can run */	\
	NUMBER(u32, block_switching, 0, 1)							\
	/* of that: blocks that an SM may have beside as many as fit */				\
	NUMBER(u32, extra_blocks, 0, 64)							\
	/* 1: a save and a restore take one cycle of the SM each */				\
	NUMBER(u32, ideal_switch, 0, 1)								\
	/* 1: a restore that has begun ends at once, at no cost, where its SM is preempted */	\
	NUMBER(u32, abandon_restores, 0, 1)							\
	/* longest time that a kernel may run, 0: no watchdog */				\
	NUMBER(u64, watchdog_ps, 0, 3600000000000000)						\
	/* longest time without an SM for a context with work, by a policy from outside; 0: any */ \
	NUMBER(u64, policy_watchdog_ps, 0, 3600000000000000)					\
	/* time for which an SM executes compiled blocks in one event */			\
	NUMBER(u64, slice_ps, 1000, 1000000000000)						\
	/* test: interval of random block swaps (exec/swap_test.c), 0: never */			\
	NUMBER(u64, block_swap_ps, 0, 3600000000000000)						\
	/* test: 1: of these blocks, those that may be flushed are */				\
	NUMBER(u32, block_swap_flush, 0, 1)							\
	/* seed of the random generator */							\
	NUMBER(u64, seed, 0, 0xffffffffffffffff)						\
	/* "fcfs", ... */									\
	NAME(policy)										\
	/* "none", ... */									\
	NAME(preemption)									\
	/* which SM of a kernel gets its next block: "depth", "breadth" (exec/spread.c) */	\
	NAME(block_placement)									\
	/* when device memory is allocated: "eager", "lazy" */					\
	NAME(allocation)									\
	/* "cpu", "gpu" */									\
	NAME(fault_handler)									\
	/* which managed page leaves the device where there is too little room: "fifo", ... */	\
	NAME(evictor)										\
	/* which managed pages come with those that SMs touch: "none", ... */			\
	NAME(prefetcher)									\
	/* what is done where a context has more managed memory than frames: "none", ... */	\
	NAME(oversubscription)									\
	/* SMs with warps that wait for pages: "preemptible", "stall" */			\
	NAME(sm_on_fault)									\
	/* how compiled blocks advance in time: "interval", "pipeline" (docs/pipeline.md) */	\
	NAME(timing)										\
	/* 1: a launch may ask for the other of them (docs/pipeline.md) */			\
	NUMBER(u32, timing_by_kernel, 0, 1)							\
	/* --- of timing=pipeline, as all that follows --- */					\
	/* protocol between the L1s and L2: "gpu", ... (docs/coherence.md) */			\
	NAME(coherence)										\
	/* 1: a warp has one access of global memory in flight (docs/coherence.md) */		\
	NUMBER(u32, sc_core, 0, 1)								\
	/* lease of lines, in cycles (tcs, tcw) or logical time (rcc); 0: the protocol's own */	\
	NUMBER(u32, coherence_lease, 0, 1000000)						\
	/* 1: each partition predicts the leases of tcs and tcw, from coherence_lease on */	\
	NUMBER(u32, tc_predictor, 0, 1)								\
	/* bits of rcc's logical time, 0: 32 */							\
	NUMBER(u32, rcc_bits, 0, 48)								\
	/* 1: rcc evicts as the thesis has printed it, which is not coherent */			\
	NUMBER(u32, rcc_as_published, 0, 1)							\
	/* what a page fault does to the instructions of its warp: "stall", ... */		\
	NAME(fault_scheme)									\
	/* which warp the instructions are fetched of: "lrr", "gto" */				\
	NAME(warp_scheduler)									\
	/* each fetches of its own warps, and issues its part of issue_width: 1, 2, 4 or 8 */	\
	NUMBER(u32, warp_schedulers, 1, 8)							\
	/* of the instructions of a warp: "out-of-order", "in-order", "in-order-commit" */	\
	NAME(issue_order)									\
	/* what is behind the SMs: "flat", "caches" */					\
	NAME(memory_model)									\
	/* instructions of one warp that a warp scheduler fetches in a cycle */			\
	NUMBER(u32, fetch_width, 1, 16)								\
	/* instruction cache of an SM; 0: every fetch finds its line */				\
	NUMBER(u32, l1i_bytes, 0, 1048576)							\
	NUMBER(u32, l1i_ways, 1, 64)								\
	/* ... cycles until a line comes that is not there */					\
	NUMBER(u32, l1i_miss_cycles, 1, 100000)							\
	/* instructions, of all warps of an SM, that are fetched and not issued */		\
	NUMBER(u32, issue_queue, 1, 4096)							\
	/* accesses of warps to global memory that an SM has in flight */			\
	NUMBER(u32, memory_queue, 1, 1024)							\
	/* 1: accesses of a warp overtake stores of other lines that have not left the SM */	\
	NUMBER(u32, overtake_stores, 0, 1)							\
	/* bytes of the operand log of an SM (Tanasic 6.3.3) */					\
	NUMBER(u32, operand_log_bytes, 256, 1048576)						\
	/* units of an SM; each takes one warp instruction a cycle */				\
	NUMBER(u32, math_units, 1, 64)								\
	NUMBER(u32, special_units, 1, 64)							\
	NUMBER(u32, branch_units, 1, 64)							\
	/* ... and checks and sends a line of an access to global memory */			\
	NUMBER(u32, ldst_units, 1, 8)								\
	/* cycles of the stage Execute: arithmetic on 32 bits, f32 and f64 */			\
	NUMBER(u32, math_cycles, 1, 1000)							\
	/* ... integers of 64 bits and conversions */						\
	NUMBER(u32, wide_cycles, 1, 1000)							\
	/* ... the special function unit */							\
	NUMBER(u32, special_cycles, 1, 1000)							\
	/* ... divisions and square roots, on the same unit */					\
	NUMBER(u32, divide_cycles, 1, 1000)							\
	/* ... and how many cycles behind each other they begin */				\
	NUMBER(u32, divide_interval, 1, 1000)							\
	/* ... shared and local memory, shuffles */						\
	NUMBER(u32, shared_cycles, 1, 1000)							\
	/* ... branches, barriers, exits */							\
	NUMBER(u32, branch_cycles, 1, 1000)							\
	/* banks of shared memory, of 4 bytes a cycle */					\
	NUMBER(u32, shared_banks, 1, 1024)							\
	/* 1: the trace has the stages of every instruction */					\
	NUMBER(u32, trace_pipeline, 0, 1)							\
	/* 1: the trace has, for each instruction of a kernel, its issues and stalls */	\
	NUMBER(u32, trace_lines, 0, 1)

/* For an ARRAY with so many elements: ELEMENT(type, name, index, least, most) for each. */
#define VGPU_CONFIG_EACH_3(ELEMENT, type, name, least, most)					\
	ELEMENT(type, name, 0, least, most)							\
	ELEMENT(type, name, 1, least, most)							\
	ELEMENT(type, name, 2, least, most)
#define VGPU_CONFIG_EACH_4(ELEMENT, type, name, least, most)					\
	VGPU_CONFIG_EACH_3(ELEMENT, type, name, least, most)					\
	ELEMENT(type, name, 3, least, most)

#endif

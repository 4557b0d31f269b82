/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * What is counted for each kernel launch, declared once (docs/statistics.md). Each line here makes
 * an index of value[] in struct vgpu_counters, a name in VGPU_STATS files and a number in traces.
 * Lines are only added, at the end: the number of a counter is its place in this list.
 *
 * X(NAME, name, needs, metric, text)
 *   name     in files; _ps: picoseconds of virtual time, _bytes: bytes, _cycles: cycles of a warp
 *            scheduler; the others are numbers of what they are named after
 *   needs    enum vgpu_counter_needs: what a device needs to count it
 *   metric   the name that NVIDIA's Nsight Compute has for the same, "" if it has none
 *   text     what it counts
 */
#ifndef VGPU_COUNT_H
#define VGPU_COUNT_H

/** enum vgpu_counter_needs - what a device must have, or a counter does not exist there */
enum vgpu_counter_needs {
	VGPU_COUNTER_ALWAYS,
	VGPU_COUNTER_L2_TLB,		/* l2_tlb_entries */
	VGPU_COUNTER_PIPELINE,		/* timing=pipeline, of the launch */
	VGPU_COUNTER_CACHES,		/* ... with memory_model=caches */
	VGPU_COUNTER_COHERENCE,		/* ... and another coherence than gpu */
};

#define VGPU_COUNTERS(X)									\
	X(INSTRUCTIONS, instructions, ALWAYS, "smsp__inst_executed.sum",			\
	  "warp instructions executed")								\
	X(THREAD_INSTRUCTIONS, thread_instructions, ALWAYS,					\
	  "smsp__thread_inst_executed_pred_on.sum",						\
	  "the same, each times the lanes whose guard was true")				\
	/* from here to INST_GENERIC_ATOMIC: they add up to INSTRUCTIONS */			\
	X(INST_INTEGER, inst_integer, ALWAYS, "",						\
	  "warp instructions: integer arithmetic and comparison, logic, shifts")		\
	X(INST_FP32, inst_fp32, ALWAYS, "", "the same: floating point of 32 bits")		\
	X(INST_FP64, inst_fp64, ALWAYS, "", "the same: floating point of 64 bits")		\
	X(INST_SPECIAL, inst_special, ALWAYS, "",						\
	  "the same: approximations by the special function unit")				\
	X(INST_CONVERT, inst_convert, ALWAYS, "", "the same: conversions between types")	\
	X(INST_MOVE, inst_move, ALWAYS, "",							\
	  "the same: moves, selections, predicates, special registers, parameters")		\
	X(INST_CONTROL, inst_control, ALWAYS, "", "the same: branches, exits, traps")		\
	X(INST_SYNC, inst_sync, ALWAYS, "", "the same: barriers and fences")			\
	X(INST_WARP, inst_warp, ALWAYS, "", "the same: shuffles, votes, matches")		\
	X(INST_GLOBAL_LOAD, inst_global_load, ALWAYS, "smsp__inst_executed_op_global_ld.sum",	\
	  "the same: loads of global memory")							\
	X(INST_GLOBAL_STORE, inst_global_store, ALWAYS, "smsp__inst_executed_op_global_st.sum",	\
	  "the same: stores to global memory")							\
	X(INST_GLOBAL_ATOMIC, inst_global_atomic, ALWAYS, "",					\
	  "the same: atomics of global memory")							\
	X(INST_SHARED_LOAD, inst_shared_load, ALWAYS, "smsp__inst_executed_op_shared_ld.sum",	\
	  "the same: loads of shared memory")							\
	X(INST_SHARED_STORE, inst_shared_store, ALWAYS, "smsp__inst_executed_op_shared_st.sum",	\
	  "the same: stores to shared memory")							\
	X(INST_SHARED_ATOMIC, inst_shared_atomic, ALWAYS, "",					\
	  "the same: atomics of shared memory")							\
	X(INST_LOCAL_LOAD, inst_local_load, ALWAYS, "smsp__inst_executed_op_local_ld.sum",	\
	  "the same: loads of local memory")							\
	X(INST_LOCAL_STORE, inst_local_store, ALWAYS, "smsp__inst_executed_op_local_st.sum",	\
	  "the same: stores to local memory")							\
	X(INST_GENERIC_LOAD, inst_generic_load, ALWAYS,					\
	  "smsp__inst_executed_op_generic_ld.sum", "the same: loads by generic addresses")	\
	X(INST_GENERIC_STORE, inst_generic_store, ALWAYS,					\
	  "smsp__inst_executed_op_generic_st.sum", "the same: stores by generic addresses")	\
	X(INST_GENERIC_ATOMIC, inst_generic_atomic, ALWAYS, "",				\
	  "the same: atomics by generic addresses")						\
	/* of accesses to global memory, generic ones too */					\
	X(SECTORS_LOAD, sectors_load, ALWAYS,							\
	  "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",					\
	  "sectors of 32 bytes that loads of global memory touched, for each instruction")	\
	X(SECTORS_STORE, sectors_store, ALWAYS,						\
	  "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", "the same of stores")		\
	X(SECTORS_ATOMIC, sectors_atomic, ALWAYS, "", "the same of atomics")			\
	X(SHARED_WAVEFRONTS, shared_wavefronts, ALWAYS,						\
	  "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum",					\
	  "times that accesses to shared memory used its banks")				\
	X(BANK_CONFLICTS, bank_conflicts, ALWAYS,						\
	  "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum",					\
	  "of these, those that only words in one bank made necessary")			\
	X(TLB_LOOKUPS, tlb_lookups, ALWAYS, "",						\
	  "pages that accesses to global memory needed, for each instruction")			\
	X(TLB_MISSES, tlb_misses, ALWAYS, "",							\
	  "translations that the TLB of the SM did not have")					\
	X(L2_TLB_HITS, l2_tlb_hits, L2_TLB, "", "of these, those that the L2 TLB had")		\
	X(L2_TLB_MISSES, l2_tlb_misses, L2_TLB, "",						\
	  "of these, those that the L2 TLB did not have yet")					\
	X(PAGE_WALKS, page_walks, ALWAYS, "", "walks of page tables")				\
	X(PAGE_WALK_WAIT, page_walk_wait_ps, L2_TLB, "",					\
	  "time that misses waited for an MSHR (SM or L2 TLB) and a walker")			\
	X(L1_HITS, l1_hits, CACHES, "", "loads, one for each line, that found it in the L1")	\
	X(L1_MISSES, l1_misses, CACHES, "", "the same that went to L2")			\
	X(L1_MERGED, l1_merged, CACHES, "", "the same that waited for the miss of another")	\
	X(L1_BUSY, l1_busy, CACHES, "",							\
	  "tries of accesses for which the L1 had no MSHR or no room")				\
	X(L2_HITS, l2_hits, CACHES, "",							\
	  "requests that L2 had the line of, or needed none")					\
	X(L2_MISSES, l2_misses, CACHES, "", "requests for which L2 read from DRAM")		\
	X(ATOMICS, atomics, CACHES, "", "atomics at L2, one for each line")			\
	X(DRAM_READ, dram_read_bytes, CACHES, "dram__bytes_read.sum",				\
	  "bytes that L2 read for its requests")						\
	X(DRAM_WRITTEN, dram_written_bytes, CACHES, "dram__bytes_write.sum",			\
	  "bytes that crossed to write back for its requests, whoever had written them")	\
	/* cycles of a warp scheduler; what one is counted for is in docs/statistics.md */	\
	X(ISSUE_ACTIVE, issue_active_cycles, PIPELINE, "smsp__issue_active.sum",		\
	  "cycles in which a warp scheduler issued")						\
	X(STALL_DEPENDENCE, stall_dependence_cycles, PIPELINE, "",				\
	  "cycles in which it issued nothing: operands of arithmetic were not there")		\
	X(STALL_MEMORY, stall_memory_cycles, PIPELINE, "",					\
	  "the same: what is waited for comes from memory, or has to be sent there first")	\
	X(STALL_BARRIER, stall_barrier_cycles, PIPELINE, "",					\
	  "the same: warps waited at a barrier")						\
	X(STALL_FETCH, stall_fetch_cycles, PIPELINE, "",					\
	  "the same: no instruction was there")						\
	X(STALL_BRANCH, stall_branch_cycles, PIPELINE, "",					\
	  "the same: a branch had not been decided")						\
	X(STALL_FAULT, stall_fault_cycles, PIPELINE, "",					\
	  "the same: a page had not come")							\
	X(STALL_QUOTA, stall_quota_cycles, PIPELINE, "",					\
	  "the same: the kernel had used its issue slots")					\
	X(STALL_THROTTLE, stall_throttle_cycles, PIPELINE, "",					\
	  "the same: the context was throttled on the SM")					\
	X(STALL_UNIT, stall_unit_cycles, PIPELINE, "",						\
	  "the same: units or queues were full")						\
	X(STALL_LEAVE, stall_leave_cycles, PIPELINE, "",					\
	  "the same: the block was to leave its SM, or its warps had ended")			\
	X(STALL_IDLE, stall_idle_cycles, PIPELINE, "",						\
	  "the same: the scheduler had no warp, others of its SM had")				\
	X(PAGE_FAULTS, page_faults, ALWAYS, "", "page faults")					\
	X(PAGE_FAULTS_DELAYED, page_faults_delayed, ALWAYS, "",				\
	  "of these, those that found the fault buffer full")					\
	X(PAGE_FAULT_TIME, page_fault_time_ps, ALWAYS, "",					\
	  "time from raised to served, all page faults together")				\
	X(PAGE_BYTES_IN, page_bytes_in, ALWAYS, "",						\
	  "bytes of managed memory that its page faults brought to the device")		\
	X(PAGE_BYTES_OUT, page_bytes_out, ALWAYS, "",						\
	  "bytes of managed memory, of whatever context, that were written back for these")	\
	X(PAGES_EVICTED, pages_evicted, ALWAYS, "",						\
	  "pages of managed memory, of whatever context, that left to make room for these")	\
	X(BLOCKS, blocks, ALWAYS, "", "thread blocks that ended")				\
	X(WARP_TIME, warp_time_ps, ALWAYS, "",							\
	  "time that its warps were on SMs, all together")					\
	X(ACTIVE_TIME, active_time_ps, ALWAYS, "",						\
	  "time for which SMs had blocks of it, all SMs together")				\
	X(PREEMPTIONS, preemptions, ALWAYS, "",						\
	  "times that an SM, or a place on one, was taken")					\
	X(PREEMPTION_TIME, preemption_time_ps, ALWAYS, "",					\
	  "time from request to hand-over of these, all together")				\
	X(BLOCKS_SAVED, blocks_saved, ALWAYS, "", "thread blocks saved to the save area")	\
	X(SAVED_BYTES, saved_bytes, ALWAYS, "", "bytes of these, and of base checkpoints")	\
	X(BLOCKS_FLUSHED, blocks_flushed, ALWAYS, "",						\
	  "thread blocks dropped, to run again from their start")				\
	X(FLUSHED_TIME, flushed_time_ps, ALWAYS, "", "time that these had run for")		\
	X(STORES, stores, CACHES, "", "stores, one for each line")				\
	/* these four in the order of enum vgpu_mem_kind */					\
	X(LOAD_TIME, load_cycles, CACHES, "",							\
	  "cycles from loads, one for each line, to their data, all together")			\
	X(STORE_TIME, store_cycles, CACHES, "", "the same from stores until all see them")	\
	X(ATOMIC_TIME, atomic_cycles, CACHES, "", "the same from atomics to their answers")	\
	X(FENCE_TIME, fence_cycles, CACHES, "", "cycles that fences waited, all together")	\
	/* in the order of enum vgpu_mem_class; a flit is 32 bytes, the crossbar one hop */	\
	X(FLITS_LOAD, flits_load, CACHES, "",							\
	  "flits x hops between L1s and L2: lines for loads")					\
	X(FLITS_STORE, flits_store, CACHES, "", "the same: stores and their answers")		\
	X(FLITS_ATOMIC, flits_atomic, CACHES, "", "the same: atomics and their answers")	\
	X(FLITS_REQUEST, flits_request, CACHES, "", "the same: requests of loads")		\
	X(FLITS_RENEW, flits_renew, COHERENCE, "",						\
	  "the same: longer leases, instead of lines")						\
	X(FLITS_INVALIDATE, flits_invalidate, COHERENCE, "",					\
	  "the same: L1s drop lines because of accesses, and say so")				\
	X(FLITS_RECALL, flits_recall, COHERENCE, "",						\
	  "the same, because L2 needs the place")						\
	X(L1_EXPIRED, l1_expired, COHERENCE, "",						\
	  "of the loads that went to L2, those whose line was there: its lease was over")	\
	X(L1_RENEWED, l1_renewed, COHERENCE, "",						\
	  "of these, those whose lease was made longer: nobody had written the line")		\
	X(L1_LINE_WAIT, l1_line_wait_cycles, COHERENCE, "",					\
	  "cycles that accesses waited in the L1 for what was in flight to their line")		\
	/* in the order of enum vgpu_cc_cause */						\
	X(L2_FETCH_WAIT, l2_fetch_wait_cycles, COHERENCE, "",					\
	  "cycles that requests waited at L2 while their line was fetched for others")		\
	X(L2_LEASE_WAIT, l2_lease_wait_cycles, COHERENCE, "",					\
	  "the same until leases had run out")							\
	X(L2_ACK_WAIT, l2_ack_wait_cycles, COHERENCE, "",					\
	  "the same until other L1s had dropped the line")					\
	X(L2_ROOM_WAIT, l2_room_wait_cycles, COHERENCE, "",					\
	  "the same for a place, an MSHR or the end of a rollover")				\
	X(LOGICAL_STEPS, logical_steps, COHERENCE, "",						\
	  "units by which the logical time of L1s went on")					\
	X(SC_STALLS, sc_stalls, PIPELINE, "",							\
	  "sc_core: accesses and fences that waited for accesses before them alone")		\
	X(SC_STALL_TIME, sc_stall_cycles, PIPELINE, "", "cycles of these, all together")	\
	X(SC_STALL_WRITE_TIME, sc_stall_write_cycles, PIPELINE, "",				\
	  "of these cycles, those behind a store or an atomic")

enum vgpu_counter {
#define VGPU_COUNTER_ENUM(NAME, name, needs, metric, text) VGPU_COUNT_##NAME,
	VGPU_COUNTERS(VGPU_COUNTER_ENUM)
#undef VGPU_COUNTER_ENUM
	VGPU_COUNTER_COUNT
};

#endif

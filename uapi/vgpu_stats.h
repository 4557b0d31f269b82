/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * The statistics of devices and contexts, each declared once. Each line here generates the field
 * of struct vgpu_account or of the device's own struct, the file in sysfs, the line in fdinfo, the
 * attribute of netlink and the field of vgpu-smi --query. To add a statistic, add a line and the
 * code that counts it. tests/style/test_statistics.sh --print prints the table for docs/sysfs.md.
 *
 * X(number, ATTRIBUTE, path, member, file, text)
 *   number     number of the netlink attribute VGPU_NL_A_ATTRIBUTE. It is never changed and never
 *              reused; the next free one is VGPU_NL_STAT_NEXT
 *   path       path from the struct of all statistics to the struct that has @member
 *   file       name in sysfs, fdinfo and --query; _ps: picoseconds of virtual time, _ns:
 *              nanoseconds of real time, _bytes: bytes
 *   text       what it counts
 */
#ifndef VGPU_STATS_H
#define VGPU_STATS_H

/* Next free number for an attribute, a statistic or not (vgpu_netlink.h). */
#define VGPU_NL_STAT_NEXT 201

/*
 * struct vgpu_account: time that a context's kernels, thread blocks and SMs spent in each state,
 * and counters; all are sums. docs/preemption.md defines the states. A time is in picoseconds
 * multiplied by the number of objects in that state. Add new statistics of a context at the end.
 */
#define VGPU_ACCOUNT_STATS(X)									\
	X(48, KERNEL_QUEUED, account., kernel_queued, kernel_queued_ps,				\
	  "kernels at the execution engine with no block issued yet")			\
	X(49, KERNEL_RUNNING, account., kernel_running, kernel_running_ps,			\
	  "started kernels with at least one SM")						\
	X(50, KERNEL_PREEMPTED, account., kernel_preempted, kernel_preempted_ps,		\
	  "started kernels with no SM")							\
	X(51, BLOCK_RUNNING, account., block_running, block_running_ps,				\
	  "running thread blocks")								\
	X(52, BLOCK_PREEMPTED, account., block_preempted, block_preempted_ps,			\
	  "preempted thread blocks")								\
	X(53, BLOCK_SAVING, account., block_saving, block_saving_ps,				\
	  "thread blocks being saved")								\
	X(54, BLOCK_RESTORING, account., block_restoring, block_restoring_ps,			\
	  "thread blocks being restored or next in line for it")		\
	/* these five add up to sm_time */							\
	X(55, SM_SETUP, account., sm_setup, sm_setup_ps, "SMs in setup")			\
	X(56, SM_RUNNING, account., sm_running, sm_running_ps, "SMs running")			\
	X(57, SM_RESERVED, account., sm_reserved, sm_reserved_ps, "SMs reserved")		\
	X(58, SM_SAVING, account., sm_saving, sm_saving_ps, "SMs saving")			\
	X(59, SM_RESTORING, account., sm_restoring, sm_restoring_ps, "SMs restoring")		\
	X(23, CONTEXT_PREEMPTIONS, account., preemptions, preemptions,				\
	  "SMs preempted from this context")							\
	X(24, CONTEXT_PREEMPTION_TIME, account., preemption_time, preemption_time_ps,		\
	  "total time from request to hand-over")						\
	X(60, BLOCKS_SAVED, account., blocks_saved, blocks_saved,				\
	  "thread blocks saved to the save area")						\
	X(61, SAVED_BYTES, account., saved_bytes, saved_bytes, "saved bytes")		\
	X(25, CONTEXT_SAVE_AREA, account., save_area, save_area, "bytes now in the save area")	\
	X(63, HOST_BYTES, account., host_bytes, host_bytes,					\
	  "host memory in use beside frames: code, page tables, commands, blocks")		\
	X(66, PAGE_FAULTS, account., page_faults, page_faults, "page faults of SMs")		\
	X(67, PAGE_FAULTS_DELAYED, account., page_faults_delayed, page_faults_delayed,		\
	  "of these, those that found the fault buffer full")					\
	X(68, PAGE_FAULT_TIME, account., page_fault_time, page_fault_time_ps,			\
	  "time from raised to served, all page faults together")				\
	X(70, HOST_PAGE_FAULTS, account., host_page_faults, host_page_faults,			\
	  "page faults of processes, for managed memory on the device")				\
	X(71, PAGE_BYTES_IN, account., page_bytes_in, page_bytes_in,				\
	  "bytes of managed memory transferred to the device")					\
	X(72, PAGE_BYTES_OUT, account., page_bytes_out, page_bytes_out,				\
	  "bytes of managed memory transferred to the host")					\
	X(73, PAGES_EVICTED, account., pages_evicted, pages_evicted,				\
	  "pages of managed memory that left the device to make room")			\
	X(69, BLOCK_SWITCHES, account., block_switches, block_switches,			\
	  "thread blocks that left an SM which ran on")						\
	X(74, PAGE_REFAULTS, account., page_refaults, page_refaults,				\
	  "pages of managed memory that came to the device again after they were evicted")	\
	X(75, TLB_MISSES, account., tlb_misses, tlb_misses,					\
	  "translations that the TLBs of the SMs did not have")				\
	X(76, L2_TLB_HITS, account., l2_tlb_hits, l2_tlb_hits,					\
	  "of these, those that the L2 TLB had")						\
	X(77, L2_TLB_MISSES, account., l2_tlb_misses, l2_tlb_misses,				\
	  "of these, those that the L2 TLB did not have yet")					\
	X(78, PAGE_WALKS, account., page_walks, page_walks, "walks of page tables")		\
	X(79, PAGE_WALK_WAIT, account., page_walk_wait, page_walk_wait_ps,			\
	  "time that misses waited for an MSHR (SM or L2 TLB) and a walker")			\
	X(82, PAGE_FAULTS_LOCAL, account., page_faults_local, page_faults_local,		\
	  "page faults that SMs have handled themselves")					\
	/* of a page that both sides read in both; not what nobody has touched */		\
	X(83, CONTEXT_MANAGED_RESIDENT, account., managed_resident, managed_resident_bytes,	\
	  "bytes of managed memory now in device memory")					\
	X(84, CONTEXT_MANAGED_HOST, account., managed_host, managed_host_bytes,		\
	  "bytes of managed memory now on the host")					\
	X(85, RESTORES_ABANDONED, account., restores_abandoned, restores_abandoned,		\
	  "restores of thread blocks whose SM was preempted before they ended")		\
	/* now, of blocks on SMs and on their way to them and from them */			\
	X(96, ON_SM_BLOCKS, account., sm_blocks, sm_blocks, "thread blocks now on SMs")	\
	X(97, ON_SM_REGISTERS, account., sm_registers, sm_registers,				\
	  "32-bit registers that these take")							\
	X(98, ON_SM_SHARED, account., sm_shared_bytes, sm_shared_bytes,			\
	  "bytes of shared memory that these take")						\
	X(99, ON_SM_WARPS, account., sm_warps, sm_warps, "warps of these, threads / 32")	\
	X(107, BLOCKS_FLUSHED, account., blocks_flushed, blocks_flushed,			\
	  "thread blocks dropped, to run again from their start")				\
	X(108, FLUSHED_TIME, account., flushed_time, flushed_ps,				\
	  "time that these had run for")							\
	/* of blocks for which a mechanism chose how they leave an SM, and knew an estimate */	\
	X(109, BLOCKS_DRAINED, account., blocks_drained, blocks_drained,			\
	  "thread blocks that were to leave an SM, and ended there")				\
	X(110, LEAVE_ESTIMATED, account., leave_estimated, leave_estimated_ps,			\
	  "estimated time until chosen thread blocks have left, all together")			\
	X(111, LEAVE_TIME, account., leave_time, leave_ps, "the real time of these")		\
	X(112, LOST_ESTIMATED, account., lost_estimated, lost_estimated_ps,			\
	  "estimated work that is lost with these")						\
	X(113, LOST_TIME, account., lost_time, lost_ps, "the work that was lost")		\
	/* mechanism pep */									\
	X(114, BLOCKS_CHECKPOINTED, account., blocks_checkpointed, blocks_checkpointed,	\
	  "base checkpoints of thread blocks")							\
	X(115, CHECKPOINT_BYTES, account., checkpoint_bytes, checkpoint_bytes,			\
	  "of the saved bytes, those of base checkpoints")					\
	X(116, IN_PLACE_BYTES, account., in_place_bytes, in_place_bytes,			\
	  "bytes of saved thread blocks that stayed on their SM")				\
	X(117, ANNOUNCEMENTS, account., announcements, announcements,				\
	  "launches announced, as far as that counted")					\
	X(118, ANNOUNCEMENTS_BROKEN, account., announcements_broken, announcements_broken,	\
	  "of these, those that no launch followed")						\
	X(119, ANNOUNCED_STALL, account., announced_stall, announced_stall_ps,			\
	  "time that SMs stood still for these")					\
	/* of a context whose managed memory does not fit (sim-device/placement/pressure.h) */ \
	X(140, PAGES_EVICTED_AHEAD, account., pages_evicted_ahead, pages_evicted_ahead,	\
	  "of the evicted pages, those that went before room was needed")		\
	X(141, SMS_THROTTLED, account., sms_throttled, sms_throttled,			\
	  "SMs that now fetch nothing of it")						\
	X(142, THROTTLES, account., throttles, throttles, "SMs that began to do so")	\
	X(143, ACCESS_CLASS, account., access_class, access_class,			\
	  "how it accesses memory: 0 not known, 1 regular, 2 irregular")		\
	X(144, CLASSIFIED_ACCESSES, account., classified_accesses, classified_accesses,	\
	  "warp instructions of the classifier's last window that access global memory") \
	X(145, CLASSIFIED_LINES, account., classified_lines, classified_lines,		\
	  "lines of 128 bytes that each of these touched, all together")		\
	X(146, CLASSIFIED_PAGES, account., classified_pages, classified_pages,		\
	  "the same of pages of 64 KB")						\
	X(147, PAGES_COMPRESSED, account., pages_compressed, pages_compressed,		\
	  "managed pages that are compressed now")					\
	X(148, MANAGED_VRAM, account., managed_vram, managed_vram_bytes,		\
	  "VRAM that managed pages take now, compressed or not")			\
	X(149, PAGE_OVERFLOWS, account., page_overflows, page_overflows,		\
	  "compressed pages that no longer fitted their layout")			\
	X(150, LINE_EXCEPTIONS, account., line_exceptions, line_exceptions,		\
	  "accesses to lines of compressed pages that are kept as they are")		\
	X(151, METADATA_HITS, account., metadata_hits, metadata_hits,			\
	  "hits of the cache of the metadata of compressed pages")			\
	X(152, METADATA_MISSES, account., metadata_misses, metadata_misses,		\
	  "misses of it")								\
	X(153, DATA_SHARED, account., data_shared, data_shared,				\
	  "its kernels use the same data: 0 not known, 1 launches, 2 a hint says so; 3: no")

/* Of struct vgpu_context_info: the gauges (present values), the counters, and both together. */
#define VGPU_CONTEXT_GAUGES(X)									\
	X(17, CONTEXT_QUEUES, , queues, queues, "queues")					\
	X(35, MODULES, , modules, modules, "loaded modules")					\
	X(39, MAPPED_BYTES, , mapped_bytes, mapped_bytes, "reserved device memory")		\
	X(40, RESIDENT_BYTES, , resident_bytes, resident_bytes, "bytes in frames")
#define VGPU_CONTEXT_COUNTERS(X)								\
	X(41, KERNELS, , kernels, kernels, "completed kernels")					\
	X(42, BLOCKS, , blocks, blocks, "completed thread blocks")				\
	X(43, COPIES, , copies, copies, "completed copies")					\
	X(44, COPIED_BYTES, , copied_bytes, copied_bytes, "bytes of completed copies")		\
	X(45, INSTRUCTIONS, , instructions, instructions, "executed warp instructions")		\
	X(47, THREAD_INSTRUCTIONS, , thread_instructions, thread_instructions,			\
	  "executed instructions, counted once for each lane")					\
	X(46, ENGINE_TIME, , sm_time, sm_time_ps, "time x SMs")				\
	VGPU_ACCOUNT_STATS(X)

/*
 * Counters of a context that the module has and the device model has not: real time of the module's
 * threads, which serve everybody, and of the context's own. They are in no struct of vgpu.h.
 */
#define VGPU_CONTEXT_HOST_COUNTERS(X)								\
	X(64, HOST_CALLS, host., host_calls, host_calls_ns,					\
	  "real time of the module for calls, commands of rings and completions")		\
	X(65, HOST_EXECUTION, host., host_execution, host_execution_ns,				\
	  "real time of the module for executing kernels and copies")			\
	X(176, HOST_WORKERS, host., host_workers, host_workers_ns,				\
	  "of that, what workers have executed")						\
	X(177, HOST_HELPERS, host., host_helpers, host_helpers_ns,				\
	  "beside that, what its own threads have executed while they waited")
#define VGPU_CONTEXT_STATS(X)									\
	VGPU_CONTEXT_GAUGES(X) VGPU_CONTEXT_COUNTERS(X) VGPU_CONTEXT_HOST_COUNTERS(X)

/* struct vgpu_device_stats: counters of a device since it was created. */
#define VGPU_DEVICE_COUNTERS(X)									\
	X(22, EVENTS, stats., events, events, "events processed by the model")			\
	X(45, DEVICE_INSTRUCTIONS, stats., instructions, instructions,				\
	  "executed warp instructions, of closed contexts too")					\
	X(23, PREEMPTIONS, stats., preemptions, preemptions, "SMs preempted from a kernel")	\
	X(24, PREEMPTION_TIME, stats., preemption_time, preemption_time_ps,			\
	  "total time from request to hand-over")						\
	X(25, SAVE_AREA, stats., save_area, save_area, "bytes now in the save area")		\
	X(62, SAVE_AREA_MOST, stats., save_area_most, save_area_most,				\
	  "most bytes ever in the save area")							\
	X(80, COPY0_BUSY, stats., copy0_busy, copy0_busy_ps,					\
	  "time for which copy engine 0 had a transfer")					\
	X(81, COPY1_BUSY, stats., copy1_busy, copy1_busy_ps,					\
	  "the same of copy engine 1, 0 if there is none")				\
	X(86, L1_HITS, stats., l1_hits, l1_hits,					\
	  "timing=pipeline: loads that found their line in the L1 of their SM")		\
	X(87, L1_MISSES, stats., l1_misses, l1_misses,					\
	  "the same: loads that went to L2")						\
	X(88, L1_MERGED, stats., l1_merged, l1_merged,					\
	  "the same: loads that waited for the miss of another")			\
	X(89, L1_BUSY, stats., l1_busy, l1_busy,					\
	  "the same: tries of accesses for which there was no MSHR or no room")		\
	X(90, L2_HITS, stats., l2_hits, l2_hits,					\
	  "the same: requests that L2 had the line of, or needed none")			\
	X(91, L2_MISSES, stats., l2_misses, l2_misses,					\
	  "the same: requests for which L2 read from DRAM")				\
	X(92, L2_STALLS, stats., l2_stall_cycles, l2_stall_cycles,			\
	  "the same: cycles that partitions of L2 waited for an MSHR or a line")	\
	X(93, MEM_ATOMICS, stats., atomics, atomics,					\
	  "the same: atomics of warps, one for each line")				\
	X(94, DRAM_READ, stats., dram_read, dram_read_bytes,				\
	  "the same: bytes that L2 has read")						\
	X(95, DRAM_WRITTEN, stats., dram_written, dram_written_bytes,			\
	  "the same: bytes that L2 has written back to make room or for .wt")			\
	X(120, STALL_ISSUE, stats., stall_issue, stall_issue_cycles,				\
	  "the same: cycles of warp schedulers that issued nothing: units or queues were full") \
	X(121, STALL_CONTROL, stats., stall_control, stall_control_cycles,			\
	  "the same: nothing that was fetched waited, after branches, at barriers, by quotas")	\
	X(122, STALL_DATA, stats., stall_data, stall_data_cycles,				\
	  "the same: all that waited had to wait for operands")					\
	X(179, MEM_STORES, stats., stores, stores,						\
	  "the same: stores of warps, one for each line")					\
	X(180, LOAD_TIME, stats., load_cycles, load_cycles,					\
	  "timing=pipeline: cycles from loads to their data, all together")			\
	X(181, STORE_TIME, stats., store_cycles, store_cycles,					\
	  "the same from stores until all see them")						\
	X(182, ATOMIC_TIME, stats., atomic_cycles, atomic_cycles,				\
	  "the same from atomics to their answers")						\
	X(183, FENCE_TIME, stats., fence_cycles, fence_cycles,					\
	  "the same: cycles that fences waited")						\
	X(184, FLITS_LOAD, stats., flits_load, flits_load,					\
	  "the same: flits x hops between L1s and L2: lines for loads")				\
	X(185, FLITS_STORE, stats., flits_store, flits_store,					\
	  "flits x hops: stores and their answers")						\
	X(186, FLITS_ATOMIC, stats., flits_atomic, flits_atomic,				\
	  "flits x hops: atomics and their answers")						\
	X(187, FLITS_REQUEST, stats., flits_request, flits_request,				\
	  "flits x hops: requests of loads")							\
	X(188, FLITS_RENEW, stats., flits_renew, flits_renew,					\
	  "flits x hops: longer leases, instead of lines")					\
	X(189, FLITS_INVALIDATE, stats., flits_invalidate, flits_invalidate,			\
	  "flits x hops: L1s drop lines because of accesses, or a rollover")			\
	X(190, FLITS_RECALL, stats., flits_recall, flits_recall,				\
	  "flits x hops: the same, because L2 needs the place")					\
	X(191, L1_EXPIRED, stats., l1_expired, l1_expired,					\
	  "another coherence than gpu: loads that found their line with a lease that was over")	\
	X(192, L1_RENEWED, stats., l1_renewed, l1_renewed,					\
	  "the same: of these, those whose lease was made longer")				\
	X(193, L1_LINE_WAIT, stats., l1_line_wait, l1_line_wait_cycles,				\
	  "the same: cycles that accesses waited in L1s for their line")			\
	X(194, L2_FETCH_WAIT, stats., l2_fetch_wait, l2_fetch_wait_cycles,			\
	  "the same: cycles that requests waited at L2 for a fetch of others")			\
	X(195, L2_LEASE_WAIT, stats., l2_lease_wait, l2_lease_wait_cycles,			\
	  "the same: cycles that they waited there until leases had run out")			\
	X(196, L2_ACK_WAIT, stats., l2_ack_wait, l2_ack_wait_cycles,				\
	  "the same: until other L1s had dropped the line")					\
	X(197, L2_ROOM_WAIT, stats., l2_room_wait, l2_room_wait_cycles,				\
	  "the same: for a place, an MSHR or the end of a rollover")				\
	X(198, ROLLOVERS, stats., rollovers, rollovers,						\
	  "the same: rollovers of logical time")						\
	X(199, LOGICAL_TIME, stats., logical_time, logical_time,				\
	  "the same: logical time of the L1 that is farthest, with rollovers")			\
	X(156, ECC_CORRECTED, stats., ecc_corrected, ecc_corrected,				\
	  "errors of memory that ECC has corrected, as injected")				\
	X(157, ECC_UNCORRECTED, stats., ecc_uncorrected, ecc_uncorrected,			\
	  "those that it has not")								\
	X(158, RETIRED_PAGES, stats., retired_pages, retired_pages,				\
	  "pages of device memory that are not used any more for that")			\
	X(159, XIDS, stats., xids, xids, "XIDs that were injected")				\
	X(160, LAST_XID, stats., last_xid, last_xid, "the last of them, 0: none")		\
	X(161, OFFLINE, stats., offline, offline,						\
	  "1: the device has fallen off the bus; vgpu-smi inject recover")

/* All statistics of a device: those of struct vgpu_device_info and the counters above. */
#define VGPU_DEVICE_STATS(X)									\
	X(14, SMS, info., sms, sms, "number of SMs")					\
	X(15, CLOCK_KHZ, info., clock_khz, clock_khz, "clock rate of an SM")			\
	X(16, HW_QUEUES, info., hw_queues, hw_queues, "number of hardware queues")		\
	X(17, QUEUES, info., queues, queues, "queues of contexts, which share them")	\
	X(18, CONTEXTS, info., contexts, context_count, "open contexts")			\
	X(19, VRAM_BYTES, info., vram_bytes, vram_bytes, "size of device memory")		\
	X(20, VRAM_FREE, info., vram_free, vram_free, "device memory that is not reserved")	\
	X(9, TIME, info., time, time_ps, "virtual time")					\
	X(178, COMPUTE_CAPABILITY, info., compute_capability, compute_capability,		\
	  "compute capability that programs are told, 80: 8.0")				\
	X(83, MANAGED_RESIDENT, info., managed_resident, managed_resident_bytes,		\
	  "bytes of managed memory now in device memory, of all contexts")			\
	X(84, MANAGED_HOST, info., managed_host, managed_host_bytes,				\
	  "bytes of managed memory now on the host, of all contexts")			\
	VGPU_DEVICE_COUNTERS(X)

#endif

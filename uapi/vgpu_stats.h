/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * The statistics of devices and contexts, each declared once. From a line here come the field of
 * struct vgpu_account or of the device's own struct, the file in sysfs, the line in fdinfo, the
 * attribute of netlink and the field of vgpu-smi --query. To add one, add a line, and
 * count it where it happens; tests/style/test_statistics.sh prints the table for docs/sysfs.md.
 *
 * X(number, ATTRIBUTE, path, member, file, text)
 *   number     of the netlink attribute VGPU_NL_A_ATTRIBUTE: never changed, never used again; the
 *              next free one is VGPU_NL_STAT_NEXT
 *   path       from the struct that has all of them to the one that has this one
 *   file       its name in sysfs, fdinfo and --query; _ps: picoseconds, _bytes: bytes
 *   text       what it counts
 */
#ifndef VGPU_STATS_H
#define VGPU_STATS_H

/* Next free number for an attribute, a statistic or not (vgpu_netlink.h). */
#define VGPU_NL_STAT_NEXT 63

/*
 * struct vgpu_account: what became of a context's kernels, thread blocks and SMs; only sums.
 * docs/preemption.md says what each state is. Times are in picoseconds x what they count. New
 * statistics of a context are added here, at the end.
 */
#define VGPU_ACCOUNT_STATS(X)									\
	X(48, KERNEL_QUEUED, account., kernel_queued, kernel_queued_ps,				\
	  "kernels arrived at the execution engine, no block issued yet")			\
	X(49, KERNEL_RUNNING, account., kernel_running, kernel_running_ps,			\
	  "kernels started, and on an SM at least")						\
	X(50, KERNEL_PREEMPTED, account., kernel_preempted, kernel_preempted_ps,		\
	  "kernels started, and on no SM")							\
	X(51, BLOCK_RUNNING, account., block_running, block_running_ps,				\
	  "thread blocks running")								\
	X(52, BLOCK_PREEMPTED, account., block_preempted, block_preempted_ps,			\
	  "thread blocks preempted")								\
	X(53, BLOCK_SAVING, account., block_saving, block_saving_ps,				\
	  "thread blocks being saved")								\
	X(54, BLOCK_RESTORING, account., block_restoring, block_restoring_ps,			\
	  "thread blocks being restored, their turn of the SM's restores included")		\
	/* these five add up to sm_time */							\
	X(55, SM_SETUP, account., sm_setup, sm_setup_ps, "SMs in setup")			\
	X(56, SM_RUNNING, account., sm_running, sm_running_ps, "SMs running")			\
	X(57, SM_RESERVED, account., sm_reserved, sm_reserved_ps, "SMs reserved")		\
	X(58, SM_SAVING, account., sm_saving, sm_saving_ps, "SMs saving")			\
	X(59, SM_RESTORING, account., sm_restoring, sm_restoring_ps, "SMs restoring")		\
	X(23, CONTEXT_PREEMPTIONS, account., preemptions, preemptions, "SMs taken from it")	\
	X(24, CONTEXT_PREEMPTION_TIME, account., preemption_time, preemption_time_ps,		\
	  "from request to hand-over, summed over them")					\
	X(60, BLOCKS_SAVED, account., blocks_saved, blocks_saved,				\
	  "thread blocks moved to the save area")						\
	X(61, SAVED_BYTES, account., saved_bytes, saved_bytes, "moved to the save area")	\
	X(25, CONTEXT_SAVE_AREA, account., save_area, save_area, "bytes it has there now")

/* What struct vgpu_context_info says of the present, and what it counts; then all of it. */
#define VGPU_CONTEXT_GAUGES(X)									\
	X(17, CONTEXT_QUEUES, , queues, queues, "in use")					\
	X(35, MODULES, , modules, modules, "loaded")						\
	X(39, MAPPED_BYTES, , mapped_bytes, mapped_bytes, "device memory promised to it")	\
	X(40, RESIDENT_BYTES, , resident_bytes, resident_bytes, "frames that back them")
#define VGPU_CONTEXT_COUNTERS(X)								\
	X(41, KERNELS, , kernels, kernels, "completed")						\
	X(42, BLOCKS, , blocks, blocks, "thread blocks completed")				\
	X(43, COPIES, , copies, copies, "completed")						\
	X(44, COPIED_BYTES, , copied_bytes, copied_bytes, "by them")				\
	X(45, INSTRUCTIONS, , instructions, instructions, "warp instructions executed")		\
	X(47, THREAD_INSTRUCTIONS, , thread_instructions, thread_instructions,			\
	  "the same, each times the lanes that executed it")					\
	X(46, ENGINE_TIME, , sm_time, sm_time_ps, "time x SMs spent on it")			\
	VGPU_ACCOUNT_STATS(X)
#define VGPU_CONTEXT_STATS(X) VGPU_CONTEXT_GAUGES(X) VGPU_CONTEXT_COUNTERS(X)

/* struct vgpu_device_stats: what a device has done since it was created. */
#define VGPU_DEVICE_COUNTERS(X)									\
	X(22, EVENTS, stats., events, events, "processed by the model")				\
	X(23, PREEMPTIONS, stats., preemptions, preemptions, "SMs taken from a kernel")		\
	X(24, PREEMPTION_TIME, stats., preemption_time, preemption_time_ps,			\
	  "from request to hand-over, summed over them")					\
	X(25, SAVE_AREA, stats., save_area, save_area, "bytes of preempted blocks kept now")	\
	X(62, SAVE_AREA_MOST, stats., save_area_most, save_area_most, "at most")

/* They, and what struct vgpu_device_info has of the same kind. */
#define VGPU_DEVICE_STATS(X)									\
	X(14, SMS, info., sms, sms, "there are")						\
	X(15, CLOCK_KHZ, info., clock_khz, clock_khz, "of an SM")				\
	X(16, HW_QUEUES, info., hw_queues, hw_queues, "there are")				\
	X(17, QUEUES, info., queues, queues, "in use")						\
	X(18, CONTEXTS, info., contexts, context_count, "open")					\
	X(19, VRAM_BYTES, info., vram_bytes, vram_bytes, "there are")				\
	X(20, VRAM_FREE, info., vram_free, vram_free, "bytes not promised to anybody")		\
	X(9, TIME, info., time, time_ps, "virtual now")						\
	VGPU_DEVICE_COUNTERS(X)

#endif

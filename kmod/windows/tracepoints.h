/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Trace events vgpu:*, for perf, trace-cmd and bpftrace. They say what the device's own trace
 * records say (uapi/vgpu.h), in the order of virtual time; "time" is virtual, in picoseconds.
 * docs/tracing.md lists them.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM vgpu

#if !defined(KVGPU_TRACEPOINTS_H) || defined(TRACE_HEADER_MULTI_READ)
#define KVGPU_TRACEPOINTS_H

#include <linux/tracepoint.h>

#include "vgpu.h"

#ifndef KVGPU_TRACEPOINTS_ONCE
#define KVGPU_TRACEPOINTS_ONCE
/* An event is switched on or off: the devices must begin, or may cease, to make records. */
int kvgpu_listener_add(void);
void kvgpu_listener_remove(void);
#endif

#define KVGPU_EVENT(template, name)								\
DEFINE_EVENT_FN(template, name,									\
	TP_PROTO(u32 device, const struct vgpu_trace_record *record),				\
	TP_ARGS(device, record),								\
	kvgpu_listener_add, kvgpu_listener_remove)

TRACE_DEFINE_ENUM(VGPU_CMD_NOP);
TRACE_DEFINE_ENUM(VGPU_CMD_LAUNCH);
TRACE_DEFINE_ENUM(VGPU_CMD_COPY_H2D);
TRACE_DEFINE_ENUM(VGPU_CMD_COPY_D2H);
TRACE_DEFINE_ENUM(VGPU_CMD_COPY_D2D);
TRACE_DEFINE_ENUM(VGPU_CMD_FILL);
TRACE_DEFINE_ENUM(VGPU_CMD_WAIT);
TRACE_DEFINE_ENUM(VGPU_CMD_STAMP);
TRACE_DEFINE_ENUM(VGPU_CMD_PROFILED);

#define kvgpu_show_op(value) __print_symbolic(value, \
	{ VGPU_CMD_NOP, "nop" }, { VGPU_CMD_LAUNCH, "launch" }, { VGPU_CMD_COPY_H2D, "copy_h2d" }, \
	{ VGPU_CMD_COPY_D2H, "copy_d2h" }, { VGPU_CMD_COPY_D2D, "copy_d2d" },	\
	{ VGPU_CMD_FILL, "fill" },						\
	{ VGPU_CMD_WAIT, "wait" }, { VGPU_CMD_STAMP, "stamp" }, { VGPU_CMD_PROFILED, "profiled" })

TRACE_DEFINE_ENUM(VGPU_FAULT_NONE);
TRACE_DEFINE_ENUM(VGPU_FAULT_UNMAPPED);
TRACE_DEFINE_ENUM(VGPU_FAULT_MISALIGNED);
TRACE_DEFINE_ENUM(VGPU_FAULT_SHARED_RANGE);
TRACE_DEFINE_ENUM(VGPU_FAULT_LOCAL_RANGE);
TRACE_DEFINE_ENUM(VGPU_FAULT_ADDRESS_SPACE);
TRACE_DEFINE_ENUM(VGPU_FAULT_TRAP);
TRACE_DEFINE_ENUM(VGPU_FAULT_WATCHDOG);
TRACE_DEFINE_ENUM(VGPU_FAULT_BARRIER);
TRACE_DEFINE_ENUM(VGPU_FAULT_COPY_UNMAPPED);
TRACE_DEFINE_ENUM(VGPU_FAULT_COPY_HOST);
TRACE_DEFINE_ENUM(VGPU_FAULT_NO_MEMORY);
TRACE_DEFINE_ENUM(VGPU_FAULT_RING);
TRACE_DEFINE_ENUM(VGPU_FAULT_COMMAND);
TRACE_DEFINE_ENUM(VGPU_FAULT_WARP_SYNC);

#define kvgpu_show_fault(value) __print_symbolic(value, \
	{ VGPU_FAULT_NONE, "none" }, { VGPU_FAULT_UNMAPPED, "unmapped" }, \
	{ VGPU_FAULT_MISALIGNED, "misaligned" }, { VGPU_FAULT_SHARED_RANGE, "shared_range" }, \
	{ VGPU_FAULT_LOCAL_RANGE, "local_range" }, { VGPU_FAULT_ADDRESS_SPACE, "address_space" }, \
	{ VGPU_FAULT_TRAP, "trap" }, { VGPU_FAULT_WATCHDOG, "watchdog" }, \
	{ VGPU_FAULT_BARRIER, "barrier" }, { VGPU_FAULT_COPY_UNMAPPED, "copy_unmapped" }, \
	{ VGPU_FAULT_COPY_HOST, "copy_host" }, { VGPU_FAULT_NO_MEMORY, "no_memory" }, \
	{ VGPU_FAULT_RING, "ring" }, { VGPU_FAULT_COMMAND, "command" }, \
	{ VGPU_FAULT_WARP_SYNC, "warp_sync" })

TRACE_DEFINE_ENUM(VGPU_DECISION_ADMIT);
TRACE_DEFINE_ENUM(VGPU_DECISION_ASSIGN);
TRACE_DEFINE_ENUM(VGPU_DECISION_RESERVE);

#define kvgpu_show_decision(value) __print_symbolic(value, \
	{ VGPU_DECISION_ADMIT, "admit" }, { VGPU_DECISION_ASSIGN, "assign" },	\
	{ VGPU_DECISION_RESERVE, "reserve" })

/* ---- contexts ----------------------------------------------------------- */

DECLARE_EVENT_CLASS(kvgpu_open,
	TP_PROTO(u32 device, const struct vgpu_trace_record *record),
	TP_ARGS(device, record),
	TP_STRUCT__entry(
		__field(u64, time)
		__field(u32, device)
		__field(u32, context)
		__field(u64, pid)
	),
	TP_fast_assign(
		__entry->time = record->time;
		__entry->device = device;
		__entry->context = record->context;
		__entry->pid = record->a;
	),
	TP_printk("vgpu%u time=%llu context=%u pid=%llu", __entry->device, __entry->time,
		  __entry->context, __entry->pid)
);

KVGPU_EVENT(kvgpu_open, context_open);

DECLARE_EVENT_CLASS(kvgpu_close,
	TP_PROTO(u32 device, const struct vgpu_trace_record *record),
	TP_ARGS(device, record),
	TP_STRUCT__entry(
		__field(u64, time)
		__field(u32, device)
		__field(u32, context)
		__field(u32, fault)
	),
	TP_fast_assign(
		__entry->time = record->time;
		__entry->device = device;
		__entry->context = record->context;
		__entry->fault = record->a;
	),
	TP_printk("vgpu%u time=%llu context=%u fault=%s", __entry->device, __entry->time,
		  __entry->context, kvgpu_show_fault(__entry->fault))
);

KVGPU_EVENT(kvgpu_close, context_close);

DECLARE_EVENT_CLASS(kvgpu_fault,
	TP_PROTO(u32 device, const struct vgpu_trace_record *record),
	TP_ARGS(device, record),
	TP_STRUCT__entry(
		__field(u64, time)
		__field(u32, device)
		__field(u32, context)
		__field(u32, reason)
		__field(u64, address)
	),
	TP_fast_assign(
		__entry->time = record->time;
		__entry->device = device;
		__entry->context = record->context;
		__entry->reason = record->a;
		__entry->address = record->b;
	),
	TP_printk("vgpu%u time=%llu context=%u reason=%s address=0x%llx", __entry->device,
		  __entry->time, __entry->context, kvgpu_show_fault(__entry->reason),
		  __entry->address)
);

KVGPU_EVENT(kvgpu_fault, fault);

/* ---- commands ----------------------------------------------------------- */

DECLARE_EVENT_CLASS(kvgpu_command,
	TP_PROTO(u32 device, const struct vgpu_trace_record *record),
	TP_ARGS(device, record),
	TP_STRUCT__entry(
		__field(u64, time)
		__field(u32, device)
		__field(u32, context)
		__field(u32, queue)
		__field(u64, seq)
		__field(u32, op)
	),
	TP_fast_assign(
		__entry->time = record->time;
		__entry->device = device;
		__entry->context = record->context;
		__entry->queue = record->queue;
		__entry->seq = record->seq;
		__entry->op = record->a;
	),
	TP_printk("vgpu%u time=%llu context=%u queue=%u seq=%llu op=%s", __entry->device,
		  __entry->time, __entry->context, __entry->queue, __entry->seq,
		  kvgpu_show_op(__entry->op))
);

KVGPU_EVENT(kvgpu_command, queue_push);
KVGPU_EVENT(kvgpu_command, dispatch);
KVGPU_EVENT(kvgpu_command, complete);

DECLARE_EVENT_CLASS(kvgpu_copy,
	TP_PROTO(u32 device, const struct vgpu_trace_record *record),
	TP_ARGS(device, record),
	TP_STRUCT__entry(
		__field(u64, time)
		__field(u32, device)
		__field(u32, context)
		__field(u32, queue)
		__field(u64, seq)
		__field(u64, bytes)
		__field(u32, op)
	),
	TP_fast_assign(
		__entry->time = record->time;
		__entry->device = device;
		__entry->context = record->context;
		__entry->queue = record->queue;
		__entry->seq = record->seq;
		__entry->bytes = record->a;
		__entry->op = record->b;
	),
	TP_printk("vgpu%u time=%llu context=%u queue=%u seq=%llu bytes=%llu op=%s", __entry->device,
		  __entry->time, __entry->context, __entry->queue, __entry->seq, __entry->bytes,
		  kvgpu_show_op(__entry->op))
);

KVGPU_EVENT(kvgpu_copy, copy_start);
KVGPU_EVENT(kvgpu_copy, copy_end);

/* ---- kernels and thread blocks; "kernel" is the id of a launch ---------- */

DECLARE_EVENT_CLASS(kvgpu_kernel,
	TP_PROTO(u32 device, const struct vgpu_trace_record *record),
	TP_ARGS(device, record),
	TP_STRUCT__entry(
		__field(u64, time)
		__field(u32, device)
		__field(u32, context)
		__field(u32, queue)
		__field(u64, seq)
		__field(u32, kernel)
		__field(u64, blocks)
		__field(u32, module)
		__field(u32, index)
	),
	TP_fast_assign(
		__entry->time = record->time;
		__entry->device = device;
		__entry->context = record->context;
		__entry->queue = record->queue;
		__entry->seq = record->seq;
		__entry->kernel = record->kernel;
		__entry->blocks = record->a;
		__entry->module = record->b >> 32;
		__entry->index = (u32)record->b;
	),
	TP_printk("vgpu%u time=%llu context=%u queue=%u seq=%llu kernel=%u blocks=%llu "
		  "module=%d index=%u",
		  __entry->device, __entry->time, __entry->context, __entry->queue, __entry->seq,
		  __entry->kernel, __entry->blocks, (int)__entry->module, __entry->index)
);

KVGPU_EVENT(kvgpu_kernel, kernel_start);

DECLARE_EVENT_CLASS(kvgpu_kernel_over,
	TP_PROTO(u32 device, const struct vgpu_trace_record *record),
	TP_ARGS(device, record),
	TP_STRUCT__entry(
		__field(u64, time)
		__field(u32, device)
		__field(u32, context)
		__field(u32, queue)
		__field(u64, seq)
		__field(u32, kernel)
		__field(u64, queued)
		__field(u64, preempted)
	),
	TP_fast_assign(
		__entry->time = record->time;
		__entry->device = device;
		__entry->context = record->context;
		__entry->queue = record->queue;
		__entry->seq = record->seq;
		__entry->kernel = record->kernel;
		__entry->queued = record->a;
		__entry->preempted = record->b;
	),
	TP_printk("vgpu%u time=%llu context=%u queue=%u seq=%llu kernel=%u queued=%llu "
		  "preempted=%llu",
		  __entry->device, __entry->time, __entry->context, __entry->queue, __entry->seq,
		  __entry->kernel, __entry->queued, __entry->preempted)
);

KVGPU_EVENT(kvgpu_kernel_over, kernel_end);

DECLARE_EVENT_CLASS(kvgpu_block,
	TP_PROTO(u32 device, const struct vgpu_trace_record *record),
	TP_ARGS(device, record),
	TP_STRUCT__entry(
		__field(u64, time)
		__field(u32, device)
		__field(u32, context)
		__field(int, sm)
		__field(u32, kernel)
		__field(u64, block)
		__field(u32, slot)
		__field(bool, preempted)
	),
	TP_fast_assign(
		__entry->time = record->time;
		__entry->device = device;
		__entry->context = record->context;
		__entry->sm = record->sm == 0xffff ? -1 : record->sm;
		__entry->kernel = record->kernel;
		__entry->block = record->a;
		__entry->slot = record->b;
		__entry->preempted = record->type == VGPU_TRACE_BLOCK_RESUME ||
				     record->type == VGPU_TRACE_BLOCK_PREEMPT;
	),
	TP_printk("vgpu%u time=%llu context=%u sm=%d kernel=%u block=%llu slot=%u%s",
		  __entry->device, __entry->time, __entry->context, __entry->sm, __entry->kernel,
		  __entry->block, __entry->slot, __entry->preempted ? " preempted" : "")
);

/* "preempted": it goes on where it stopped, it stops to go on later. */
KVGPU_EVENT(kvgpu_block, block_issue);
KVGPU_EVENT(kvgpu_block, block_end);

/* ---- scheduling --------------------------------------------------------- */

DECLARE_EVENT_CLASS(kvgpu_decision,
	TP_PROTO(u32 device, const struct vgpu_trace_record *record),
	TP_ARGS(device, record),
	TP_STRUCT__entry(
		__field(u64, time)
		__field(u32, device)
		__field(u32, context)
		__field(int, sm)
		__field(u32, kernel)
		__field(u32, decision)
		__field(u32, loser)
	),
	TP_fast_assign(
		__entry->time = record->time;
		__entry->device = device;
		__entry->context = record->context;
		__entry->sm = record->sm == 0xffff ? -1 : record->sm;
		__entry->kernel = record->kernel;
		__entry->decision = record->a;
		__entry->loser = record->b;
	),
	TP_printk("vgpu%u time=%llu context=%u sm=%d kernel=%u decision=%s loser=%u",
		  __entry->device, __entry->time, __entry->context, __entry->sm, __entry->kernel,
		  kvgpu_show_decision(__entry->decision), __entry->loser)
);

KVGPU_EVENT(kvgpu_decision, policy_decision);

DECLARE_EVENT_CLASS(kvgpu_setup,
	TP_PROTO(u32 device, const struct vgpu_trace_record *record),
	TP_ARGS(device, record),
	TP_STRUCT__entry(
		__field(u64, time)
		__field(u32, device)
		__field(u32, context)
		__field(int, sm)
		__field(u32, kernel)
	),
	TP_fast_assign(
		__entry->time = record->time;
		__entry->device = device;
		__entry->context = record->context;
		__entry->sm = record->sm == 0xffff ? -1 : record->sm;
		__entry->kernel = record->kernel;
	),
	TP_printk("vgpu%u time=%llu context=%u sm=%d kernel=%u", __entry->device, __entry->time,
		  __entry->context, __entry->sm, __entry->kernel)
);

KVGPU_EVENT(kvgpu_setup, sm_setup);

DECLARE_EVENT_CLASS(kvgpu_request,
	TP_PROTO(u32 device, const struct vgpu_trace_record *record),
	TP_ARGS(device, record),
	TP_STRUCT__entry(
		__field(u64, time)
		__field(u32, device)
		__field(u32, context)
		__field(int, sm)
		__field(u32, kernel)
		__field(u32, next)
	),
	TP_fast_assign(
		__entry->time = record->time;
		__entry->device = device;
		__entry->context = record->context;
		__entry->sm = record->sm == 0xffff ? -1 : record->sm;
		__entry->kernel = record->kernel;
		__entry->next = record->a;
	),
	TP_printk("vgpu%u time=%llu context=%u sm=%d kernel=%u next=%u", __entry->device,
		  __entry->time, __entry->context, __entry->sm, __entry->kernel, __entry->next)
);

KVGPU_EVENT(kvgpu_request, preempt_request);

DECLARE_EVENT_CLASS(kvgpu_handover,
	TP_PROTO(u32 device, const struct vgpu_trace_record *record),
	TP_ARGS(device, record),
	TP_STRUCT__entry(
		__field(u64, time)
		__field(u32, device)
		__field(u32, context)
		__field(int, sm)
		__field(u32, kernel)
		__field(u64, latency)
	),
	TP_fast_assign(
		__entry->time = record->time;
		__entry->device = device;
		__entry->context = record->context;
		__entry->sm = record->sm == 0xffff ? -1 : record->sm;
		__entry->kernel = record->kernel;
		__entry->latency = record->time - record->a;
	),
	TP_printk("vgpu%u time=%llu context=%u sm=%d kernel=%u latency=%llu", __entry->device,
		  __entry->time, __entry->context, __entry->sm, __entry->kernel, __entry->latency)
);

KVGPU_EVENT(kvgpu_handover, preempt_done);

DECLARE_EVENT_CLASS(kvgpu_save,
	TP_PROTO(u32 device, const struct vgpu_trace_record *record),
	TP_ARGS(device, record),
	TP_STRUCT__entry(
		__field(u64, time)
		__field(u32, device)
		__field(u32, context)
		__field(int, sm)
		__field(u32, kernel)
		__field(u64, blocks)
		__field(u64, bytes)
	),
	TP_fast_assign(
		__entry->time = record->time;
		__entry->device = device;
		__entry->context = record->context;
		__entry->sm = record->sm == 0xffff ? -1 : record->sm;
		__entry->kernel = record->kernel;
		__entry->blocks = record->a;
		__entry->bytes = record->b;
	),
	TP_printk("vgpu%u time=%llu context=%u sm=%d kernel=%u blocks=%llu bytes=%llu",
		  __entry->device, __entry->time, __entry->context, __entry->sm, __entry->kernel,
		  __entry->blocks, __entry->bytes)
);

KVGPU_EVENT(kvgpu_save, save_start);
KVGPU_EVENT(kvgpu_save, save_end);

DECLARE_EVENT_CLASS(kvgpu_restore,
	TP_PROTO(u32 device, const struct vgpu_trace_record *record),
	TP_ARGS(device, record),
	TP_STRUCT__entry(
		__field(u64, time)
		__field(u32, device)
		__field(u32, context)
		__field(int, sm)
		__field(u32, kernel)
		__field(u64, block)
		__field(u64, bytes)
	),
	TP_fast_assign(
		__entry->time = record->time;
		__entry->device = device;
		__entry->context = record->context;
		__entry->sm = record->sm == 0xffff ? -1 : record->sm;
		__entry->kernel = record->kernel;
		__entry->block = record->a;
		__entry->bytes = record->b;
	),
	TP_printk("vgpu%u time=%llu context=%u sm=%d kernel=%u block=%llu bytes=%llu",
		  __entry->device, __entry->time, __entry->context, __entry->sm, __entry->kernel,
		  __entry->block, __entry->bytes)
);

KVGPU_EVENT(kvgpu_restore, restore_start);

DECLARE_EVENT_CLASS(kvgpu_restored,
	TP_PROTO(u32 device, const struct vgpu_trace_record *record),
	TP_ARGS(device, record),
	TP_STRUCT__entry(
		__field(u64, time)
		__field(u32, device)
		__field(u32, context)
		__field(int, sm)
		__field(u32, kernel)
		__field(u64, block)
		__field(bool, broken_off)
	),
	TP_fast_assign(
		__entry->time = record->time;
		__entry->device = device;
		__entry->context = record->context;
		__entry->sm = record->sm == 0xffff ? -1 : record->sm;
		__entry->kernel = record->kernel;
		__entry->block = record->a;
		__entry->broken_off = record->b;
	),
	TP_printk("vgpu%u time=%llu context=%u sm=%d kernel=%u block=%llu%s", __entry->device,
		  __entry->time, __entry->context, __entry->sm, __entry->kernel, __entry->block,
		  __entry->broken_off ? " broken off" : "")
);

KVGPU_EVENT(kvgpu_restored, restore_end);

#endif

#undef TRACE_INCLUDE_PATH
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_PATH kmod/windows
#define TRACE_INCLUDE_FILE tracepoints
#include <trace/define_trace.h>

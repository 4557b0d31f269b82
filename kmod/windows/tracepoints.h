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

/* Names of numbers, for the format of an event and for tools that read it. */
#define KVGPU_OPS										\
	EM(VGPU_CMD_NOP, "nop") EM(VGPU_CMD_LAUNCH, "launch")					\
	EM(VGPU_CMD_COPY_H2D, "copy_h2d") EM(VGPU_CMD_COPY_D2H, "copy_d2h")			\
	EM(VGPU_CMD_COPY_D2D, "copy_d2d") EM(VGPU_CMD_FILL, "fill")				\
	EM(VGPU_CMD_WAIT, "wait") EM(VGPU_CMD_STAMP, "stamp")					\
	EM(VGPU_CMD_PROFILED, "profiled") EM(VGPU_CMD_PREFETCH, "prefetch")		\
	EM(VGPU_CMD_HOST, "host") EMe(VGPU_CMD_ANNOUNCE, "announce")
#define KVGPU_FAULTS										\
	EM(VGPU_FAULT_NONE, "none") EM(VGPU_FAULT_UNMAPPED, "unmapped")				\
	EM(VGPU_FAULT_MISALIGNED, "misaligned")							\
	EM(VGPU_FAULT_SHARED_RANGE, "shared_range")						\
	EM(VGPU_FAULT_LOCAL_RANGE, "local_range")						\
	EM(VGPU_FAULT_ADDRESS_SPACE, "address_space") EM(VGPU_FAULT_TRAP, "trap")		\
	EM(VGPU_FAULT_WATCHDOG, "watchdog") EM(VGPU_FAULT_BARRIER, "barrier")			\
	EM(VGPU_FAULT_COPY_UNMAPPED, "copy_unmapped")						\
	EM(VGPU_FAULT_COPY_HOST, "copy_host") EM(VGPU_FAULT_NO_MEMORY, "no_memory")		\
	EM(VGPU_FAULT_RING, "ring") EM(VGPU_FAULT_COMMAND, "command")				\
	EM(VGPU_FAULT_WARP_SYNC, "warp_sync") EM(VGPU_FAULT_MODEL, "model")			\
	EM(VGPU_FAULT_SYSTEM, "system") EM(VGPU_FAULT_ENGINE, "engine")				\
	EM(VGPU_FAULT_ECC, "ecc") EM(VGPU_FAULT_OFFLINE, "offline")				\
	EMe(VGPU_FAULT_LAUNCH, "launch")
#define KVGPU_DECISIONS										\
	EM(VGPU_DECISION_ADMIT, "admit") EM(VGPU_DECISION_ASSIGN, "assign")			\
	EM(VGPU_DECISION_RESERVE, "reserve") EM(VGPU_DECISION_EVICT, "evict")			\
	EM(VGPU_DECISION_REPLACE, "replace") EM(VGPU_DECISION_PARTITION, "partition")		\
	EMe(VGPU_DECISION_QUOTA, "quota")
#define KVGPU_LEAVES										\
	EM(VGPU_LEAVE_DRAIN, "drain") EM(VGPU_LEAVE_SAVE, "save")				\
	EMe(VGPU_LEAVE_FLUSH, "flush")
#define KVGPU_DIRECTIONS									\
	EM(VGPU_DIRECTION_TO_DEVICE, "to_device") EMe(VGPU_DIRECTION_TO_HOST, "to_host")

/* this is read several times */
#undef EM
#undef EMe
#define EM(number, name) TRACE_DEFINE_ENUM(number);
#define EMe(number, name) TRACE_DEFINE_ENUM(number);
KVGPU_OPS
KVGPU_FAULTS
KVGPU_DECISIONS
KVGPU_LEAVES
KVGPU_DIRECTIONS
#undef EM
#undef EMe
#define EM(number, name) { number, name },
#define EMe(number, name) { number, name }
#define kvgpu_show_op(value) __print_symbolic(value, KVGPU_OPS)
#define kvgpu_show_fault(value) __print_symbolic(value, KVGPU_FAULTS)
#define kvgpu_show_decision(value) __print_symbolic(value, KVGPU_DECISIONS)
#define kvgpu_show_leave(value) __print_symbolic(value, KVGPU_LEAVES)
#define kvgpu_show_direction(value) __print_symbolic(value, KVGPU_DIRECTIONS)

#define KVGPU_PROTO TP_PROTO(u32 device, const struct vgpu_trace_record *record)
#define KVGPU_ARGS TP_ARGS(device, record)

/* An event that says the same as event @like. */
#define KVGPU_EVENT_LIKE(like, name)								\
DEFINE_EVENT_FN(like, name, KVGPU_PROTO, KVGPU_ARGS, kvgpu_listener_add, kvgpu_listener_remove)

/*
 * An event, and a class of the same name: what all events say, what those of its @kind say, then
 * its own fields, how they are filled in, and their text.
 */
#define KVGPU_EVENT(kind, name, fields, assign, format, args...)				\
DECLARE_EVENT_CLASS(name, KVGPU_PROTO, KVGPU_ARGS,						\
	TP_STRUCT__entry(__field(u64, time) __field(u32, device) __field(u32, context)		\
			 kind##_FIELDS fields),							\
	TP_fast_assign(										\
		__entry->time = record->time;							\
		__entry->device = device;							\
		__entry->context = record->context;						\
		kind##_ASSIGN assign),								\
	TP_printk(kind##_FORMAT format, __entry->device, __entry->time, kind##_VALUES, ##args)	\
);												\
KVGPU_EVENT_LIKE(name, name)

#define CONTEXT_FIELDS
#define CONTEXT_ASSIGN
#define CONTEXT_FORMAT "vgpu%u time=%llu context=%u "
#define CONTEXT_VALUES __entry->context

#define QUEUE_FIELDS __field(u32, queue) __field(u64, seq)
#define QUEUE_ASSIGN __entry->queue = record->queue; __entry->seq = record->seq;
#define QUEUE_FORMAT "vgpu%u time=%llu context=%u queue=%u seq=%llu"
#define QUEUE_VALUES __entry->context, __entry->queue, __entry->seq

#define SM_FIELDS __field(int, sm) __field(u32, kernel)
#define SM_ASSIGN __entry->sm = record->sm == 0xffff ? -1 : record->sm;				\
		  __entry->kernel = record->kernel;
#define SM_FORMAT "vgpu%u time=%llu context=%u sm=%d kernel=%u"
#define SM_VALUES __entry->context, __entry->sm, __entry->kernel

/* ---- contexts ----------------------------------------------------------- */

KVGPU_EVENT(CONTEXT, context_open,
	__field(u64, pid),
	__entry->pid = record->a;,
	"pid=%llu", __entry->pid);

KVGPU_EVENT(CONTEXT, context_close,
	__field(u32, fault),
	__entry->fault = record->a;,
	"fault=%s", kvgpu_show_fault(__entry->fault));

KVGPU_EVENT(CONTEXT, fault,
	__field(u32, reason) __field(u64, address),
	__entry->reason = record->a; __entry->address = record->b;,
	"reason=%s address=0x%llx", kvgpu_show_fault(__entry->reason), __entry->address);

/* ---- commands ----------------------------------------------------------- */

KVGPU_EVENT(QUEUE, queue_push,
	__field(u32, op),
	__entry->op = record->a;,
	" op=%s", kvgpu_show_op(__entry->op));
KVGPU_EVENT_LIKE(queue_push, dispatch);
KVGPU_EVENT_LIKE(queue_push, complete);

KVGPU_EVENT(QUEUE, copy_start,
	__field(u64, bytes) __field(u32, op) __field(u32, engine),
	__entry->bytes = record->a;
	__entry->op = (u32)record->b;
	__entry->engine = record->b >> 32;,
	" bytes=%llu op=%s engine=%u", __entry->bytes, kvgpu_show_op(__entry->op),
	__entry->engine);
KVGPU_EVENT_LIKE(copy_start, copy_end);

/* ---- kernels and thread blocks; "kernel" is the id of a launch ---------- */

KVGPU_EVENT(QUEUE, kernel_start,
	__field(u32, kernel) __field(u64, blocks) __field(u32, module) __field(u32, index),
	__entry->kernel = record->kernel;
	__entry->blocks = record->a;
	__entry->module = record->b >> 32;
	__entry->index = (u32)record->b;,
	" kernel=%u blocks=%llu module=%d index=%u",
	__entry->kernel, __entry->blocks, (int)__entry->module, __entry->index);

KVGPU_EVENT(QUEUE, kernel_end,
	__field(u32, kernel) __field(u64, queued) __field(u64, preempted),
	__entry->kernel = record->kernel;
	__entry->queued = record->a;
	__entry->preempted = record->b;,
	" kernel=%u queued=%llu preempted=%llu",
	__entry->kernel, __entry->queued, __entry->preempted);

/* "preempted": it goes on where it stopped, it stops to go on later. */
KVGPU_EVENT(SM, block_issue,
	__field(u64, block) __field(u32, slot) __field(bool, preempted),
	__entry->block = record->a;
	__entry->slot = record->b;
	__entry->preempted = record->type == VGPU_TRACE_BLOCK_RESUME ||
				     record->type == VGPU_TRACE_BLOCK_PREEMPT;,
	" block=%llu slot=%u%s",
	__entry->block, __entry->slot, __entry->preempted ? " preempted" : "");
KVGPU_EVENT_LIKE(block_issue, block_end);

/* ---- scheduling --------------------------------------------------------- */

KVGPU_EVENT(SM, policy_decision,
	__field(u32, decision) __field(u32, loser),
	__entry->decision = record->a; __entry->loser = record->b;,
	" decision=%s loser=%u", kvgpu_show_decision(__entry->decision), __entry->loser);

KVGPU_EVENT(SM, sm_setup, , , "");

KVGPU_EVENT(SM, preempt_request,
	__field(u32, next),
	__entry->next = record->a;,
	" next=%u", __entry->next);

KVGPU_EVENT(SM, preempt_done,
	__field(u64, latency),
	__entry->latency = record->time - record->a;,
	" latency=%llu", __entry->latency);

KVGPU_EVENT(SM, save_start,
	__field(u64, blocks) __field(u64, bytes),
	__entry->blocks = record->a; __entry->bytes = record->b;,
	" blocks=%llu bytes=%llu", __entry->blocks, __entry->bytes);
KVGPU_EVENT_LIKE(save_start, save_end);

KVGPU_EVENT(SM, restore_start,
	__field(u64, block) __field(u64, bytes),
	__entry->block = record->a; __entry->bytes = record->b;,
	" block=%llu bytes=%llu", __entry->block, __entry->bytes);

KVGPU_EVENT(SM, restore_end,
	__field(u64, block) __field(bool, broken_off),
	__entry->block = record->a; __entry->broken_off = record->b;,
	" block=%llu%s", __entry->block, __entry->broken_off ? " broken off" : "");

/* "lost": for how long it had run */
KVGPU_EVENT(SM, block_flush,
	__field(u64, block) __field(u64, lost),
	__entry->block = record->a; __entry->lost = record->b;,
	" block=%llu lost=%llu", __entry->block, __entry->lost);

/* as estimated when it was told to leave, and as it was when it had left */
KVGPU_EVENT(SM, leave_chosen,
	__field(u64, block) __field(u32, how) __field(u64, latency) __field(u64, lost),
	__entry->block = record->seq;
	__entry->how = record->queue;
	__entry->latency = record->a;
	__entry->lost = record->b;,
	" block=%llu how=%s latency=%llu lost=%llu",
	__entry->block, kvgpu_show_leave(__entry->how), __entry->latency, __entry->lost);
KVGPU_EVENT_LIKE(leave_chosen, leave_end);

/* ---- oversubscription --------------------------------------------------- */

KVGPU_EVENT(CONTEXT, throttle,
	__field(u32, sm) __field(u32, on) __field(u32, throttled),
	__entry->sm = record->sm;
	__entry->on = record->a;
	__entry->throttled = record->b;,
	"sm=%u on=%u throttled=%u", __entry->sm, __entry->on, __entry->throttled);

KVGPU_EVENT(CONTEXT, classified,
	__field(u32, class) __field(u64, accesses) __field(u64, lines) __field(u64, pages),
	__entry->class = record->queue;
	__entry->accesses = record->seq;
	__entry->lines = record->a;
	__entry->pages = record->b;,
	"class=%u accesses=%llu lines=%llu pages=%llu",
	__entry->class, __entry->accesses, __entry->lines, __entry->pages);

KVGPU_EVENT(CONTEXT, page_overflow,
	__field(u64, address) __field(u32, before) __field(u32, now),
	__entry->address = record->a;
	__entry->before = record->b >> 32;
	__entry->now = record->b;,
	"address=0x%llx before=%u now=%u", __entry->address, __entry->before, __entry->now);

KVGPU_EVENT(CONTEXT, sharing,
	__field(u32, sharing) __field(u64, address),
	__entry->sharing = record->queue;
	__entry->address = record->a;,
	"sharing=%u address=0x%llx", __entry->sharing, __entry->address);

/* ---- page faults -------------------------------------------------------- */

KVGPU_EVENT(SM, page_fault,
	__field(u64, mapping) __field(u64, address) __field(u32, pages) __field(u32, in_flight)
	__field(bool, delayed),
	__entry->mapping = record->seq;
	__entry->address = record->a;
	__entry->pages = (u32)record->b;
	__entry->in_flight = record->queue;
	__entry->delayed = record->b >> 32;,
	" mapping=0x%llx address=0x%llx pages=%u in_flight=%u%s",
	__entry->mapping, __entry->address, __entry->pages, __entry->in_flight,
	__entry->delayed ? " delayed" : "");

/* "latency": since it was raised */
KVGPU_EVENT(SM, page_fault_served,
	__field(u64, address) __field(u32, pages) __field(u32, in_flight) __field(u64, latency),
	__entry->address = record->a;
	__entry->pages = record->b;
	__entry->in_flight = record->queue;
	__entry->latency = record->time - record->seq;,
	" address=0x%llx pages=%u in_flight=%u latency=%llu",
	__entry->address, __entry->pages, __entry->in_flight, __entry->latency);
KVGPU_EVENT_LIKE(page_fault_served, page_fault_enter);
KVGPU_EVENT_LIKE(page_fault_served, page_fault_cancelled);

KVGPU_EVENT(CONTEXT, sm_warps,
	__field(u32, sm) __field(u32, active) __field(u32, waiting),
	__entry->sm = record->sm;
	__entry->active = record->a;
	__entry->waiting = record->b;,
	"sm=%u active=%u waiting=%u", __entry->sm, __entry->active, __entry->waiting);

/* ---- managed memory ------------------------------------------------------ */

KVGPU_EVENT(CONTEXT, host_fault,
	__field(u64, mapping) __field(u64, address) __field(u32, pages),
	__entry->mapping = record->seq;
	__entry->address = record->a;
	__entry->pages = record->b;,
	"mapping=0x%llx address=0x%llx pages=%u",
	__entry->mapping, __entry->address, __entry->pages);

KVGPU_EVENT(CONTEXT, host_fault_served,
	__field(u64, address) __field(u32, pages) __field(u64, latency),
	__entry->address = record->a;
	__entry->pages = record->b;
	__entry->latency = record->time - record->seq;,
	"address=0x%llx pages=%u latency=%llu",
	__entry->address, __entry->pages, __entry->latency);
KVGPU_EVENT_LIKE(host_fault_served, host_fault_cancelled);

KVGPU_EVENT(CONTEXT, prefetch,
	__field(u64, mapping) __field(u64, address) __field(u32, pages) __field(u32, direction),
	__entry->mapping = record->seq;
	__entry->address = record->a;
	__entry->pages = record->b;
	__entry->direction = record->queue;,
	"mapping=0x%llx address=0x%llx pages=%u direction=%s",
	__entry->mapping, __entry->address, __entry->pages,
	kvgpu_show_direction(__entry->direction));

/* "crosses": migrate_start: when its data begins to, migrate_end: when it has. */
KVGPU_EVENT(SM, migrate_start,
	__field(u64, address) __field(u32, pages) __field(u32, bytes) __field(u32, direction)
	__field(u64, crosses),
	__entry->address = record->a;
	__entry->pages = record->b >> 32;
	__entry->bytes = (u32)record->b;
	__entry->direction = record->queue;
	__entry->crosses = record->seq;,
	" address=0x%llx pages=%u bytes=%u direction=%s crosses=%llu",
	__entry->address, __entry->pages, __entry->bytes,
	kvgpu_show_direction(__entry->direction), __entry->crosses);
KVGPU_EVENT_LIKE(migrate_start, migrate_end);
KVGPU_EVENT_LIKE(migrate_start, migrate_cancelled);

/* "context" has the pages, "winner" gets the room. */
KVGPU_EVENT(SM, evict,
	__field(u32, winner) __field(u64, mapping) __field(u64, address) __field(u32, pages)
	__field(u32, bytes),
	__entry->winner = record->queue;
	__entry->mapping = record->seq;
	__entry->address = record->a;
	__entry->pages = record->b >> 32;
	__entry->bytes = (u32)record->b;,
	" winner=%u mapping=0x%llx address=0x%llx pages=%u bytes=%u",
	__entry->winner, __entry->mapping, __entry->address, __entry->pages, __entry->bytes);

KVGPU_EVENT(SM, write_back,
	__field(u64, begins) __field(u64, ends) __field(u64, bytes),
	__entry->begins = record->seq;
	__entry->ends = record->a;
	__entry->bytes = record->b;,
	" begins=%llu ends=%llu bytes=%llu",
	__entry->begins, __entry->ends, __entry->bytes);

#endif

#undef TRACE_INCLUDE_PATH
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_PATH kmod/windows
#define TRACE_INCLUDE_FILE tracepoints
#include <trace/define_trace.h>

/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * Records of a device's trace: what happened at which virtual time (docs/tracing.md). Included by
 * vgpu.h.
 */
#ifndef VGPU_TRACE_H
#define VGPU_TRACE_H

#include <linux/types.h>

enum vgpu_trace_type {
	VGPU_TRACE_CONTEXT_OPEN,	/* a: host's label (pid) */
	VGPU_TRACE_CONTEXT_CLOSE,	/* a: fault reason */
	VGPU_TRACE_PUSH,		/* queue, seq; a: op */
	VGPU_TRACE_DISPATCH,		/* queue, seq; a: op */
	VGPU_TRACE_COMPLETE,		/* queue, seq; a: op */
	/* first block issued; kernel; a: blocks, b: module << 32 | kernel index */
	VGPU_TRACE_KERNEL_START,
	/* kernel; a: picoseconds queued, b: preempted; the rest since its start it was running */
	VGPU_TRACE_KERNEL_END,
	VGPU_TRACE_COPY_START,		/* queue, seq; a: bytes, b: copy engine << 32 | op */
	VGPU_TRACE_COPY_END,		/* the same fields; a: bytes that were moved */
	/*
	 * sm, kernel; where kernels share the SM, what a block of it takes: a: dominant share in
	 * 2^-32 | warps << 40, b: registers << 32 | bytes of shared memory; else 0
	 */
	VGPU_TRACE_SM_SETUP,
	/* sm, kernel; a: block, b: slot in the SM: it runs for the first time */
	VGPU_TRACE_BLOCK_START,
	/* sm, kernel; a: block, b: slot in the SM: it will not run again */
	VGPU_TRACE_BLOCK_END,
	VGPU_TRACE_FAULT,		/* a: reason, b: address */
	/* sm, kernel that loses it; a: launch id of the kernel it is reserved for */
	VGPU_TRACE_PREEMPT_START,
	VGPU_TRACE_PREEMPT_END,		/* sm, kernel that lost it; a: time of the request */
	VGPU_TRACE_SAVE_START,		/* sm, kernel; a: blocks, b: bytes */
	VGPU_TRACE_SAVE_END,		/* sm, kernel; a: blocks, b: bytes */
	VGPU_TRACE_RESTORE_START,	/* sm, kernel; a: block, b: bytes */
	/* sm, kernel; a: block, b: 1: the SM was preempted before it was whole */
	VGPU_TRACE_RESTORE_END,
	/* sm, kernel; a: block, b: slot in the SM: it stops, to go on later */
	VGPU_TRACE_BLOCK_PREEMPT,
	VGPU_TRACE_BLOCK_RESUME,	/* sm, kernel; a: block, b: slot in the SM: it goes on */
	/*
	 * of the policy; sm, kernel; a: enum vgpu_decision, b: RESERVE, REPLACE: launch id of
	 * the kernel there
	 */
	VGPU_TRACE_DECISION,
	/*
	 * behind KERNEL_START; kernel; queue: offset in its name; seq, a, b: the piece from there
	 */
	VGPU_TRACE_KERNEL_NAME,
	/*
	 * sm, kernel that touched a page that is not there; seq: address of the mapping, a: of the
	 * first page, b: pages | 1 << 32 if the fault buffer is full; queue: faults in flight on
	 * the device with this one. Until its end, @context and @a identify the fault
	 */
	VGPU_TRACE_PAGE_FAULT,
	/* it enters the fault buffer, which was full; the fields of _SERVED */
	VGPU_TRACE_PAGE_FAULT_ENTER,
	/* sm, kernel; seq: when it was raised, a: address, b: pages; queue: faults in flight */
	VGPU_TRACE_PAGE_FAULT_SERVED,
	/* its pages are unmapped or its context ends; the fields of _SERVED */
	VGPU_TRACE_PAGE_FAULT_CANCELLED,
	/*
	 * sm; a: warps of its blocks that do not wait for pages, b: that do, from now on. As
	 * soon as a warp has waited and as long as the SM serves @context: once a slice, if the
	 * numbers have changed
	 */
	VGPU_TRACE_SM_WARPS,
	/*
	 * a process touched a managed page that is on the device; seq: address of the mapping, a:
	 * of the first page, b: pages. Until its end, @context and @a identify the fault
	 */
	VGPU_TRACE_HOST_FAULT,
	/* seq: when it was raised, a: address, b: pages */
	VGPU_TRACE_HOST_FAULT_SERVED,
	/* its pages are unmapped or its context ends; the fields of _SERVED */
	VGPU_TRACE_HOST_FAULT_CANCELLED,
	/*
	 * a command or a prefetcher brings managed pages to one side; queue: enum vgpu_direction;
	 * seq: address of the mapping, a: of the first page, b: pages
	 */
	VGPU_TRACE_PREFETCH,
	/*
	 * the pages of a PAGE_FAULT, HOST_FAULT or PREFETCH with the same @context and @a begin to
	 * move; sm, kernel of the PAGE_FAULT; queue: enum vgpu_direction; seq: when their data
	 * begins to cross the interconnect, a: address of the first page, b: pages << 32 | bytes
	 * that cross
	 */
	VGPU_TRACE_MIGRATE_START,
	/* they have arrived; seq: when their data had crossed; the other fields of _START */
	VGPU_TRACE_MIGRATE_END,
	/*
	 * they stay where they are: there is no room, they are unmapped, or the context ends; the
	 * fields of _END. There may have been no _START: seq is 0
	 */
	VGPU_TRACE_MIGRATE_CANCELLED,
	/*
	 * pages of @context go to the host, to make room; sm, kernel that need it, queue: their
	 * context; seq: address of the mapping, a: of the first page, b: pages << 32 | bytes that
	 * are written back
	 */
	VGPU_TRACE_EVICT,
	/*
	 * what the pages evicted just now have to write back; context, sm, kernel that need the
	 * room; seq: when it begins to cross the interconnect, a: when it has crossed, b: bytes
	 */
	VGPU_TRACE_WRITE_BACK,
	/*
	 * with trace_pipeline: an instruction of a warp has committed, or was squashed to be
	 * replayed; sm, kernel; queue: opcode << 24 | pc; seq: cycle of its fetch;
	 * a: cycles from then to its issue << 32 | to its end; the first is ~0 if it was not
	 * issued; b: block << 16 | warp of the block << 8 | VGPU_TRACED_*
	 */
	VGPU_TRACE_INSTRUCTION,
	/*
	 * sm, kernel; a: block, b: picoseconds that it has run for and that are lost: it is
	 * dropped, to run again from its start. BLOCK_PREEMPT follows
	 */
	VGPU_TRACE_BLOCK_FLUSH,
	/*
	 * a mechanism that chooses for each block has told this one to leave; sm, kernel; queue:
	 * enum vgpu_leave; seq: block, a: estimated picoseconds until it has left (~0: not known),
	 * b: estimated picoseconds of work that are lost
	 */
	VGPU_TRACE_LEAVE_CHOSEN,
	/*
	 * it has left; sm, kernel; queue: enum vgpu_leave, how it did; seq: block, a: picoseconds
	 * since it was told first, b: of work lost
	 */
	VGPU_TRACE_LEAVE_END,
	/*
	 * with trace_lines, before KERNEL_END: what an instruction of the kernel has cost on SM sm;
	 * kernel; queue: its number in the code, ~0: of none; seq: enum vgpu_line_count, a: count,
	 * not 0
	 */
	VGPU_TRACE_LINE,
	/*
	 * SM sm fetches no instructions of the context any more, a: 1, or again, 0; b: SMs that
	 * are throttled for it now
	 */
	VGPU_TRACE_THROTTLE,
	/*
	 * a window of the classifier has ended; queue: enum vgpu_access_class; seq: warp
	 * instructions in it that access global memory, a: lines, b: pages of 64 KB these touched
	 */
	VGPU_TRACE_CLASSIFIED,
	/*
	 * what was written to a compressed page does not fit its layout: context, a: address, b:
	 * units of 512 bytes that it took << 32 | that it takes now, 8: it is not compressed
	 */
	VGPU_TRACE_PAGE_OVERFLOW,
	/*
	 * kernels of the context use the same data: queue: enum vgpu_sharing, a: address of the
	 * mapping that two launches have a pointer to, or that was advised
	 */
	VGPU_TRACE_SHARING,
	/*
	 * with kernel_statistics, before KERNEL_END; kernel; queue: a number of vgpu_count.h; seq,
	 * a, b: the sums over all SMs of this counter and the two behind it; ~0: it is not counted
	 */
	VGPU_TRACE_KERNEL_COUNTS,
	/*
	 * these two come from the runtime, and only with an embedded device: what the program calls
	 * the range in which it has made the command; queue; seq: of the command; kernel: offset in
	 * the text; a, b: the piece from there, padded with zeros
	 */
	VGPU_TRACE_RANGE,
	/* what it calls a stream; queue; kernel: offset in the name; seq, a, b: the piece */
	VGPU_TRACE_STREAM_NAME,
	/*
	 * with trace_pipeline and another coherence than gpu, before the INSTRUCTION whose access
	 * it belongs to: a message between its L1 and L2; sm, kernel; queue: opcode << 24 | pc;
	 * seq: cycle of the fetch of the instruction; a: cycles from then until it leaves << 32 |
	 * until it arrives; INV: number of L1s that were told, instead; b: block << 16 | warp of
	 * the block << 8 | enum vgpu_message
	 */
	VGPU_TRACE_MESSAGE,
	VGPU_TRACE_COUNT
};

/**
 * enum vgpu_line_count - what VGPU_TRACE_LINE counts (docs/pipeline.md): warp instructions that
 * were issued; all others: cycles in which a warp scheduler issued nothing, because of this
 * instruction
 */
enum vgpu_line_count {
	VGPU_LINE_ISSUED,
	VGPU_LINE_MEMORY,	/* data: it waits for an access to global memory */
	VGPU_LINE_OPERAND,	/* data: it waits for another instruction */
	VGPU_LINE_UNIT,		/* issue: its unit is taken */
	VGPU_LINE_QUEUE,	/* issue: there is no room for one access more */
	VGPU_LINE_BRANCH,	/* control: it decides what is next, and has not committed */
	VGPU_LINE_BARRIER,	/* control: its warp waits there for others */
	VGPU_LINE_FETCH,	/* control: it has not been fetched yet */
	VGPU_LINE_PAGE,		/* control: its warp waits for a page */
	VGPU_LINE_END,		/* control: the warps have ended, or their block is to leave */
	VGPU_LINE_COUNTS
};

/** enum vgpu_message - what an L1 asks of L2, and what L2 answers (docs/coherence.md) */
enum vgpu_message {
	VGPU_MESSAGE_NONE,
	VGPU_MESSAGE_GETS,		/* asked: the line, to read */
	VGPU_MESSAGE_WRITE,
	VGPU_MESSAGE_UPGRADE,		/* a write by an L1 with a lease */
	VGPU_MESSAGE_ATOMIC,
	VGPU_MESSAGE_INV,		/* told to other L1s meanwhile: drop the line */
	VGPU_MESSAGE_DATA,		/* answered */
	VGPU_MESSAGE_DATA_E,		/* the same, and nobody else has it */
	VGPU_MESSAGE_RENEW,		/* a longer lease */
	VGPU_MESSAGE_ACK,
	VGPU_MESSAGE_ACK_GLOBAL,	/* and all see it when leases have run out */
	VGPU_MESSAGES
};

/** enum vgpu_leave - how a thread block leaves an SM that it is to leave (docs/preemption.md) */
enum vgpu_leave {
	VGPU_LEAVE_NONE,	/* it is not to leave */
	VGPU_LEAVE_DRAIN,	/* it runs to its end */
	VGPU_LEAVE_SAVE,	/* its context is saved; it goes on later */
	VGPU_LEAVE_FLUSH,	/* it is dropped, and runs again from its start */
	VGPU_LEAVES
};

/** enum vgpu_sharing - do kernels of a context use the same data? (docs/memory.md) */
enum vgpu_sharing {
	VGPU_SHARING_UNKNOWN,
	VGPU_SHARING_FOUND,	/* two launches have pointers to the same managed memory */
	VGPU_SHARING_HINTED,	/* it was advised: VGPU_ADVICE_SHARED … */
	VGPU_SHARING_DENIED	/* … VGPU_ADVICE_NOT_SHARED */
};

/** enum vgpu_access_class - how a context accesses memory (docs/memory.md) */
enum vgpu_access_class {
	VGPU_ACCESS_UNKNOWN,	/* no window has ended yet */
	VGPU_ACCESS_REGULAR,	/* instructions touch few lines each */
	VGPU_ACCESS_IRREGULAR,
	VGPU_ACCESS_CLASSES
};

/* Flags of VGPU_TRACE_INSTRUCTION: how it ended, how it began, what it is. */
#define VGPU_TRACED_SQUASHED	1u	/* it has not committed */
#define VGPU_TRACED_FAULTED	2u	/* ... because of a page fault of its own */
#define VGPU_TRACED_REPLAYED	4u	/* it was fetched from the replay queue */
#define VGPU_TRACED_ACCESS	8u	/* it accesses global memory */

/** enum vgpu_direction - which way pages move */
enum vgpu_direction {
	VGPU_DIRECTION_TO_DEVICE,
	VGPU_DIRECTION_TO_HOST,
	VGPU_DIRECTIONS
};

/** enum vgpu_decision - what a policy decides */
enum vgpu_decision {
	VGPU_DECISION_ADMIT,		/* the kernel enters the active queue */
	VGPU_DECISION_ASSIGN,		/* an idle SM is given to it */
	VGPU_DECISION_RESERVE,		/* an SM is to be taken from another kernel for it */
	VGPU_DECISION_EVICT,		/* block b of it is to leave an SM that several share */
	VGPU_DECISION_REPLACE,		/* a block of it is to come where those of kernel b are */
	VGPU_DECISION_PARTITION,	/* such an SM takes at most b blocks of it; ~0: no limit */
	VGPU_DECISION_QUOTA,		/* its schedulers issue b instructions of it an epoch */
	VGPU_DECISION_COUNT
};

/*
 * Names of kernels in the trace: bytes of a piece, padded with zeros, and of those of one kernel at
 * most.
 */
#define VGPU_TRACE_NAME_PIECE	24u
#define VGPU_TRACE_NAME_BYTES	96u

/** struct vgpu_trace_record - one thing that happened, 48 bytes */
struct vgpu_trace_record {
	__u64 time;
	__u16 type;			/* enum vgpu_trace_type */
	__u16 sm;			/* 0xffff: none */
	__u32 context;
	__u32 queue;
	__u32 kernel;			/* id of the launch, unique on the device */
	__u64 seq;
	__u64 a;
	__u64 b;
};

#endif

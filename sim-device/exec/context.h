/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Input of the execution engine: contexts and their launches.
 *
 * Command buffers (Tanasic 5.2.3) separate the execution commands of different contexts; each holds
 * one launch. Launches of a context whose buffer is full wait in the dispatcher, in order.
 */
#ifndef VGPU_EXEC_CONTEXT_H
#define VGPU_EXEC_CONTEXT_H

#include "../sim/list.h"
#include "../sim/sim.h"
#include "../vgpu_policy.h"

struct vgpu_access_counts;
struct vgpu_address_space;
struct vgpu_exec;
struct vgpu_exec_context;
struct vgpu_family;
struct vgpu_module_table;
struct vgpu_smst;
struct vgpu_work;

/**
 * struct vgpu_job - a launch on its way through the engine; part of its command, or of what a
 * kernel has launched (children/children.h)
 */
struct vgpu_job {
	struct vgpu_exec_context *ctx;
	u32 queue;			/* where it comes from, for traces and faults … */
	u64 seq;			/* … and its number there */
	u32 priority;			/* among those of its context (streams.c) */
	struct vgpu_list node;		/* list of launches that wait for the command buffer */
	u64 submitted;			/* when the process submitted it */
	struct vgpu_event arrival;	/* on its way to the engine */
	u64 order;			/* of arrival */
	u64 arrived;			/* when */
	bool by_kernel;			/* struct vgpu_child */
	struct vgpu_family *family;	/* what its grid has launched; NULL: nothing */
};

/* Lists of kernels in their context. */
enum vgpu_ksr_need {
	VGPU_KSR_ISSUABLE,		/* it has blocks that no SM has claimed */
	/* ... more of them than the SMs that are reserved for it will take */
	VGPU_KSR_WANTING,
	VGPU_KSR_NEEDS
};

/**
 * struct vgpu_announced - what a context has announced (announce.c)
 * @what: of the kernel
 * @time: when
 * @until: when it is over
 * @open: it is not over
 * @launched: a launch has followed
 * @broken: none had followed the last one, and none has come since
 * @stall: for how long SMs stood still for it, all together
 * @owed: the next launch comes so much later
 */
struct vgpu_announced {
	struct vgpu_announcement what;
	u64 time;
	u64 until;
	bool open;
	bool launched;
	bool broken;
	u64 stall;
	u64 owed;
};

/**
 * struct vgpu_turn - what the policy will do by itself (turn.c)
 * @at: when; VGPU_NEVER: it is not known
 * @by: the context that is given SMs then, 0: none is known
 * @prepared_by: the same of what SMs are prepared for, 0: for nothing; of this …
 * @prepared_at: … when it is expected
 * @prepare: when SMs are to be prepared for @by; VGPU_NEVER: they are, or will not be
 * @until: how long what is prepared is kept; VGPU_NEVER: until it comes
 * @event: at the first of these two
 */
struct vgpu_turn {
	u64 at;
	u32 by;
	u32 prepared_by;
	u64 prepared_at;
	u64 prepare;
	u64 until;
	struct vgpu_event event;
};

/** struct vgpu_exec_context - the data of a context in this engine */
struct vgpu_exec_context {
	struct vgpu_sched_context sched;	/* the part visible to policies */
	struct vgpu_exec *exec;
	struct vgpu_address_space *as;
	struct vgpu_mem_account *memory;	/* of the context, for its blocks */
	struct vgpu_work *work;		/* of the context */
	struct vgpu_module_table *modules;	/* of the context */
	struct vgpu_list node;		/* in exec->contexts, as opened */
	/* command buffer */
	struct vgpu_job *job;		/* NULL: empty */
	struct vgpu_list behind;	/* jobs that wait in the dispatcher */
	/* launches by its kernels (children/children.h), and those of them that are on their way */
	struct vgpu_list children, coming_children;
	struct vgpu_list families;
	struct vgpu_event children_come;
	u32 child_count;
	/* places in the run queues (runqueue.c) */
	struct vgpu_pq_entry waiting;	/* its command buffer is full */
	struct vgpu_pq_entry active;	/* it has active kernels */
	struct vgpu_pq_entry need[VGPU_KSR_NEEDS];	/* it has such kernels */
	struct vgpu_pq_entry holding;	/* it holds SMs */
	u32 cooperative;		/* active kernels of it that are (rotate.c) */
	bool prefers;			/* it has had a launch with a priority */
	u32 most_sms;			/* that it may hold: the less of the two limits below */
	u32 shared_sms;			/* SMs for several that it holds: not in sched.held */
	u32 given_sms;			/* by vgpu_exec_set_sms(); with as many it needs no more */
	u32 limit_sms;			/* the same, by its throttler; ~0: no limit */
	u32 throttled;			/* SMs that are, for it (throttle.c) */
	u64 throttles;			/* how often one was */
	struct vgpu_access_counts *counts;	/* of what its SMs access; NULL: none */
	struct vgpu_list kernels[VGPU_KSR_NEEDS];	/* active ones, by admission */
	u64 active_since;		/* admission of the kernel by which it became active */
	struct vgpu_list running;	/* SMs that run for it, newest first */
	struct vgpu_list coming;	/* SMs being preempted for it, newest first */
	struct vgpu_announced announced;
	u64 starve_mark;		/* what it had executed (outside/) … */
	u64 starve_since;		/* … since when it has no SM for its work, or NEVER */
	/* accounts, as in struct vgpu_context_info */
	u64 ended_kernels;
	u64 ended_blocks;
	u64 instructions;
	u64 thread_instructions;
	struct vgpu_account account;	/* without open intervals, which accounting.c adds */
	u32 queued;			/* kernels that have arrived and not started */
	u64 queued_since;		/* account.kernel_queued is valid up to this time */
	/* sum of end times minus arrival times of its kernels; their states add up to it */
	u64 kernel_life;
	u64 block_life;			/* the same for thread blocks, from their first issue */
};

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fences: how far queues have come, who waits for it, how virtual time passes meanwhile, and who
 * takes part in a lockstep clock.
 */
#ifndef KVGPU_FENCE_H
#define KVGPU_FENCE_H

#include <linux/rbtree.h>
#include <linux/workqueue.h>

#include "kmod/core/core.h"

struct file;

#define KVGPU_IDLE	(~0ull)

/** struct kvgpu_queue - how far a hardware queue has come, and who waits for it to come further */
struct kvgpu_queue {
	struct kref ref;
	u64 submitted;			/* the actor writes both */
	u64 completed;
	/* actor: struct kvgpu_fence by sequence number, of ordered waiters and of all others */
	struct rb_root_cached ordered;
	struct rb_root_cached fences;
	struct kvgpu_ring *ring;	/* NULL until there is one; the actor writes */
};

/** struct kvgpu_waiters - of a context */
struct kvgpu_waiters {
	struct list_head waiting;	/* actor: struct kvgpu_waiter */
	atomic_t count;			/* asynchronous ones, and those on their way to the actor */
};

/* ---- waiter.c: who waits for a fence (actor) ---------------------------- */

/** struct kvgpu_fence - a fence of a waiter: its owner fills in @queue and @seq */
struct kvgpu_fence {
	u32 queue;
	u64 seq;
	struct kvgpu_waiter *waiter;
	struct rb_root_cached *in;	/* NULL: nowhere */
	struct rb_node node;
};

/**
 * struct kvgpu_waiter - waits for the first of several fences, or for a time
 * @end: it waits no longer and belongs to its owner again. 0: @which was reached; -ETIME; or what
 *   kvgpu_waiter_end() was given
 * @which: the fence that was reached, VGPU_FENCE_NONE: virtual time @until
 * @until: VGPU_NEVER: no limit. Reached virtual time is a result of 0, wall-clock time is -ETIME.
 * @wall: @until is nanoseconds of ktime_get_ns()
 * @ordered: a thread, woken in the order of completions
 * @blocks: its participant of a lockstep clock is blocked meanwhile
 */
struct kvgpu_waiter {
	struct kvgpu_ctx *ctx;
	void (*end)(struct kvgpu_waiter *waiter, int result);
	struct kvgpu_fence *fences;
	u32 count;
	u32 which;
	u64 until;
	bool wall;
	bool ordered;
	bool blocks;
	u64 order;			/* among those with the same @until */
	struct rb_node timer;		/* in clock->sleepers or clock->timers */
	struct list_head node;		/* in ctx->waiters->waiting or clock->ready */
};

void kvgpu_waiters_init(struct kvgpu_waiters *waiters);
/* Flags and limit are for the caller to set; anybody, before kvgpu_waiter_add(). */
void kvgpu_waiter_init(struct kvgpu_waiter *waiter, struct kvgpu_ctx *ctx,
		       struct kvgpu_fence *fences, u32 count,
		       void (*end)(struct kvgpu_waiter *waiter, int result));

/**
 * kvgpu_waiter_add - begin to wait
 *
 * Calls @end at once if a fence has been reached already. -ENOENT, -EINVAL: a fence that cannot
 * come; the waiter has not begun and @end is not called.
 */
int kvgpu_waiter_add(struct kvgpu_waiter *waiter);

/**
 * kvgpu_waiter_end - take it out of everything and call @end with @result
 */
void kvgpu_waiter_end(struct kvgpu_waiter *waiter, int result);

/**
 * kvgpu_waiter_ready - what an ordered waiter waited for has come; the clock wakes it
 */
void kvgpu_waiter_ready(struct kvgpu_waiter *waiter, u32 which);

/**
 * kvgpu_queue_completed - publish that @queue has come to @seq
 */
void kvgpu_queue_completed(struct kvgpu_queue *queue, u64 seq);

/**
 * kvgpu_waiters_turn - end waiters of @ctx whose fences have been reached; true: there are more
 */
bool kvgpu_waiters_turn(struct kvgpu_ctx *ctx);

/**
 * kvgpu_waiters_close - @ctx is being closed: end its waiters with -ECANCELED; true: call again
 */
bool kvgpu_waiters_close(struct kvgpu_ctx *ctx);

/**
 * kvgpu_waiters_restart - end ordered waiters that block no participant, with -EAGAIN
 */
void kvgpu_waiters_restart(struct kvgpu_ctx *ctx);

/**
 * kvgpu_timers_turn - end waiters whose wall-clock time has come; nanoseconds until the next one
 */
u64 kvgpu_timers_turn(struct kvgpu_clock *clock);
struct kvgpu_waiter *kvgpu_timer_first(const struct rb_root_cached *timers);

/* ---- clock.c: how virtual time passes ----------------------------------- */

enum kvgpu_clock_mode { KVGPU_FREE, KVGPU_PACED, KVGPU_LOCKSTEP, KVGPU_CLOCKS };

/**
 * struct kvgpu_clock - how virtual time passes in a system; clock.c says what the modes mean.
 * Actor, but for @mode: anybody reads.
 */
struct kvgpu_clock {
	enum kvgpu_clock_mode mode;
	u64 factor;			/* paced: virtual time / wall time, in millionths */
	u64 wall_base;			/* paced: nanoseconds … */
	u64 virtual_base;		/* … when virtual time was this */
	u64 wall_start;			/* free and lockstep: nanoseconds … */
	/* … when they could have been here without running ahead */
	u64 start;
	struct list_head participants;	/* attached ones */
	u64 participants_ever;
	/* attached participants that wait for nothing: lockstep time stands */
	unsigned int running;
	u32 timeout_ms;			/* of real time, for which it may; 0: no limit; anybody */
	u64 stands_since;		/* ktime_get_ns(); 0: it does not, or has just begun to */
	atomic_t kept;			/* participants that have a file */
	/* ordered waiters: what they waited for has come, in that order */
	struct list_head ready;
	struct rb_root_cached sleepers;	/* waiters by virtual time, then by participant */
	struct rb_root_cached timers;	/* waiters by wall-clock time */
};

void kvgpu_clock_init(struct kvgpu_clock *clock);
/*
 * Let virtual time pass for a turn. Returns for how many nanoseconds the actor may sleep then,
 * KVGPU_IDLE: until a message.
 */
u64 kvgpu_clock_turn(struct kvgpu_system *system);
/* Before messages are served: a paced clock shows what the wall clock says. */
void kvgpu_clock_catch_up(struct kvgpu_system *system);
void kvgpu_clock_set_mode(struct kvgpu_system *system, enum kvgpu_clock_mode mode);
void kvgpu_clock_set_factor(struct kvgpu_system *system, u64 factor);

/* ---- participant.c: who takes part in a lockstep clock ------------------ */

/** struct kvgpu_participant - of a lockstep clock. Actor, but for what never changes. */
struct kvgpu_participant {
	struct kref ref;
	struct kvgpu_system *system;
	/* a reference while it has a file: the device that it was made through */
	struct kvgpu_dev *kdev;
	/* it and its descendants take part here; NULL: nobody, or contexts of one process */
	struct pid *pid;
	s32 priority;			/* of contexts that open here */
	bool kept;			/* it has a file */
	bool attached;			/* in clock->participants */
	u64 order;			/* of attaching */
	unsigned int contexts;
	u32 devices;			/* that a context of it is on, by number */
	/* waiters; one is enough and the participant is blocked */
	unsigned int waiting;
	struct list_head node;
	struct vgpu_context_info sum;	/* of contexts that have been closed */
	wait_queue_head_t blocked;	/* poll() of its file … */
	struct work_struct wake;	/* … which thousands of epolls may do */
};

struct kvgpu_participant *kvgpu_participant_create(struct kvgpu_system *system);
void kvgpu_participant_put(struct kvgpu_participant *participant);
/**
 * kvgpu_participant_join - actor: find the participant that @ctx, which @task opens, belongs to
 * @own: what it is if there is none yet
 */
void kvgpu_participant_join(struct kvgpu_ctx *ctx, struct task_struct *task,
			    struct kvgpu_participant *own);
/* Actor: @ctx is being closed. */
void kvgpu_participant_leave(struct kvgpu_ctx *ctx);
/* Actor: take part from now on. */
void kvgpu_participant_attach(struct kvgpu_participant *participant);
/* Actor: attached ones that wait for nothing take part no longer, until they submit or wait. */
void kvgpu_participants_detach(struct kvgpu_clock *clock);
/* Actor: does one of them wait? */
bool kvgpu_participants_wait(const struct kvgpu_clock *clock);
/* Actor: a waiter begins and ends to wait. */
void kvgpu_participant_block(struct kvgpu_participant *participant);
void kvgpu_participant_run(struct kvgpu_participant *participant);
int kvgpu_ioctl_seat_create(struct file *file, void *arg);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fences: how far queues have come, who waits for it, how virtual time passes meanwhile, and who
 * takes part in a lockstep clock.
 */
#ifndef KVGPU_FENCE_H
#define KVGPU_FENCE_H

#include <linux/rbtree.h>

#include "kmod/core/core.h"

struct file;

/** struct kvgpu_queue - what others may know of a hardware queue without asking the actor */
struct kvgpu_queue {
	struct kref ref;
	u64 submitted;
	u64 completed;
	struct rb_root_cached calls;	/* actor: struct kvgpu_call by sequence number */
	/* actor: no waiter of the clock waits for less; VGPU_NEVER: none waits */
	u64 awaited;
	struct kvgpu_ring *ring;	/* NULL until there is one; the actor writes */
};

/** struct kvgpu_waiters - fence waiters of a context */
struct kvgpu_waiters {
	struct list_head blocked;	/* actor: struct kvgpu_waiter */
	/* actor: struct kvgpu_call of io_uring that wait, for the watch to turn */
	struct list_head commands;
	struct list_head owned;		/* actor: the same, for flush to turn */
	u32 command_count;		/* actor: how many */
	struct list_head eventfds;	/* actor: struct kvgpu_call of eventfds that wait */
	struct mutex flushing;		/* one at a time */
	atomic_t call_count;		/* and of those on their way to the actor */
};

void kvgpu_waiters_init(struct kvgpu_waiters *waiters);

/* ---- clock.c: how virtual time passes, and who waits for it ------------- */

enum kvgpu_clock_mode { KVGPU_FREE, KVGPU_PACED, KVGPU_LOCKSTEP, KVGPU_CLOCKS };

/**
 * struct kvgpu_clock - how virtual time passes; clock.c says what the modes mean. Actor, but for
 * @mode: anybody reads.
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
	atomic_t kept;			/* participants that have a file */
	/* struct kvgpu_waiter: what they waited for has come, in that order */
	struct list_head ready;
	struct list_head sleepers;	/* struct kvgpu_waiter by virtual time, then by participant */
};

/**
 * struct kvgpu_waiter - a thread that waits for a fence or a virtual time, known to the actor; on
 * that thread's stack
 * @until: virtual time, VGPU_NEVER: no limit
 * @relative: @until counts from when the actor hears of it
 * @which: the fence that was reached, VGPU_FENCE_NONE: the time was
 */
struct kvgpu_waiter {
	struct kvgpu_msg msg;
	struct kvgpu_ctx *ctx;
	const struct vgpu_fence *fences;
	u32 count;
	u64 until;
	bool relative;
	u32 which;
	enum { KVGPU_BLOCKED, KVGPU_READY, KVGPU_WOKEN } state;
	struct list_head node;		/* in ctx->waiters->blocked, or in clock->ready */
	struct list_head sleeper;	/* in clock->sleepers */
	struct completion over;
};

#define KVGPU_IDLE	(~0ull)

void kvgpu_clock_init(struct kvgpu_clock *clock);
/*
 * Let device time pass for a turn. Returns for how many nanoseconds the actor may sleep then,
 * KVGPU_IDLE: until a message.
 */
u64 kvgpu_clock_turn(struct kvgpu_dev *kdev);
/* Before messages are served: a paced clock shows what the wall clock says. */
void kvgpu_clock_catch_up(struct kvgpu_dev *kdev);
/* Actor: @queue of @ctx, which has number @id, has come to @seq. */
void kvgpu_clock_completed(struct kvgpu_ctx *ctx, struct kvgpu_queue *queue, u32 id, u64 seq);
void kvgpu_clock_set_mode(struct kvgpu_dev *kdev, enum kvgpu_clock_mode mode);
void kvgpu_clock_set_factor(struct kvgpu_dev *kdev, u64 factor);
/*
 * Wait as @waiter says. 0; -EINTR: a signal came first; -ENOENT, -EINVAL: a fence that cannot come.
 */
int kvgpu_clock_wait(struct kvgpu_waiter *waiter);
long kvgpu_wait_any(struct kvgpu_ctx *ctx, void __user *arg);

/* ---- participant.c: who takes part in a lockstep clock ------------------ */

/** struct kvgpu_participant - of a lockstep clock. Actor, but for what never changes. */
struct kvgpu_participant {
	struct kref ref;
	struct kvgpu_dev *kdev;
	/* it and its descendants take part here; NULL: nobody, or one context of its own */
	struct pid *pid;
	s32 priority;			/* of contexts that open here */
	bool kept;			/* it has a file */
	bool attached;			/* in kdev->clock->participants */
	u64 order;			/* of attaching */
	unsigned int contexts;
	/* threads that wait; one is enough and the participant is blocked */
	unsigned int waiting;
	struct list_head node;
	struct vgpu_context_info sum;	/* of contexts that have been closed */
	wait_queue_head_t blocked;	/* waiters outside the device */
};

struct kvgpu_participant *kvgpu_participant_create(struct kvgpu_dev *kdev);
void kvgpu_participant_put(struct kvgpu_participant *participant);
/*
 * Actor: register a context of @task, with @own if no participant is kept for the task; and remove
 * it.
 */
struct kvgpu_participant *kvgpu_participant_join(struct kvgpu_dev *kdev, struct task_struct *task,
						 struct kvgpu_participant *own);
void kvgpu_participant_leave(struct kvgpu_ctx *ctx);
/* Actor: take part from now on. */
void kvgpu_participant_attach(struct kvgpu_participant *participant);
/* Actor: a thread begins and ends to wait. */
void kvgpu_participant_block(struct kvgpu_participant *participant);
void kvgpu_participant_run(struct kvgpu_participant *participant);
long kvgpu_ioctl_seat_create(struct kvgpu_ctx *ctx, void __user *arg);

#endif

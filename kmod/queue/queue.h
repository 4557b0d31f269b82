/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The ways of commands to the device's queues (ioctl, mapped rings, io_uring) and of their
 * completions back to the process.
 */
#ifndef KVGPU_QUEUE_H
#define KVGPU_QUEUE_H

#include <linux/llist.h>
#include <linux/poll.h>
#include <linux/workqueue.h>

#include "kmod/fence/fence.h"
#include "kmod/memory/memory.h"

struct io_uring_cmd;
struct vm_area_struct;

/** struct kvgpu_queues - of all contexts of a device. Actor. */
struct kvgpu_queues {
	struct list_head rings;		/* struct kvgpu_ring of contexts that live */
	struct llist_head ended;	/* struct uring_call: io_uring does not know yet */
	u64 retry;			/* ktime_get_ns() of the next look at all rings; 0: none */
};

/** struct kvgpu_uring - io_uring commands of a context that wait for the device */
struct kvgpu_uring {
	struct kvgpu_ctx *ctx;
	struct list_head waiting;	/* actor: struct uring_call */
	u32 count;			/* actor: how many */
	struct mutex cancelling;	/* one at a time */
	atomic_t flushes;		/* descriptors that were closed */
	struct delayed_work watch;	/* where io_uring does not tell what it cancels */
};

/* ---- queue.c: queues and their completions ------------------------------ */

struct kvgpu_queue *kvgpu_queue_alloc(void);
struct kvgpu_queue *kvgpu_queue_get(struct kvgpu_ctx *ctx, u32 id);
void kvgpu_queue_put(struct kvgpu_queue *queue);

/**
 * kvgpu_completed - actor: a command has ended
 */
void kvgpu_completed(struct kvgpu_dev *kdev, const struct vgpu_completion *completion);
void kvgpu_context_died(struct kvgpu_ctx *ctx, u32 reason);

/**
 * kvgpu_completions_turn - actor: wake who waits in contexts with completions; true: there are more
 */
bool kvgpu_completions_turn(struct kvgpu_dev *kdev);

/*
 * A command's cookie: 0, the pin of its process memory (even), or bytes of launch parameters
 * charged to the context (odd).
 */
static inline u64 kvgpu_cookie_params(u32 bytes)
{
	return (u64)bytes << 1 | 1;
}

/* ---- wait.c: what wakes others, outside the actor ----------------------- */

/** struct kvgpu_signal - of an eventfd that is to be signalled once */
struct kvgpu_signal {
	struct llist_node node;		/* in ctx->signals->pending */
	struct eventfd_ctx *eventfd;
	/* called when that is done and @eventfd released */
	void (*free)(struct kvgpu_ctx *ctx, struct kvgpu_signal *signal);
};

/** struct kvgpu_signals - of a context */
struct kvgpu_signals {
	struct kvgpu_ctx *ctx;
	struct llist_head pending;	/* struct kvgpu_signal, the newest first */
	struct llist_node *first;	/* the work item's: older ones, the oldest first */
	atomic_t idle;			/* who polls is to be woken */
	struct work_struct work;
};

void kvgpu_signals_init(struct kvgpu_signals *signals, struct kvgpu_ctx *ctx);
/* Nothing is added any more: what is left is signalled now. */
void kvgpu_signals_exit(struct kvgpu_signals *signals);
/* Signal it soon; the work item owns @signal from here on. Does not sleep. */
void kvgpu_signal_add(struct kvgpu_ctx *ctx, struct kvgpu_signal *signal);
/* The same for those who poll the context. */
void kvgpu_signal_idle(struct kvgpu_ctx *ctx);

/* ---- wait.c: waiting by file descriptor --------------------------------- */

/*
 * Wait as VGPU_IOC_WAIT does: until @queue has completed @seq, for @timeout_ns at most, < 0: for
 * ever. *@completed: what it has completed. A signal: -EINTR or -ERESTARTNOHAND.
 */
int kvgpu_wait_for(struct kvgpu_ctx *ctx, u32 queue, u64 seq, s64 timeout_ns, u64 *completed);
int kvgpu_ioctl_wait(struct file *file, void *arg);
int kvgpu_ioctl_wait_any(struct file *file, void *arg);
int kvgpu_ioctl_eventfd(struct file *file, void *arg);
__poll_t kvgpu_poll(struct file *file, poll_table *wait);
/**
 * kvgpu_wait_begin - actor: kvgpu_waiter_add(), with what it means for rings
 *
 * To be called after kvgpu_rings_fetch(). -EAGAIN: a command lies in a ring that is stalled; -EIO:
 * in that of a dead context.
 */
int kvgpu_wait_begin(struct kvgpu_waiter *waiter);
/* One more asynchronous waiter, one less. -EBUSY: too many, of which this is one. */
int kvgpu_waiter_charge(struct kvgpu_ctx *ctx);
void kvgpu_waiter_uncharge(struct kvgpu_ctx *ctx);

/* ---- submit.c ----------------------------------------------------------- */

int kvgpu_ioctl_submit(struct file *file, void *arg);

/**
 * struct kvgpu_batch - commands on their way to a queue, with all of the process that they refer to
 */
struct kvgpu_batch {
	struct kvgpu_ctx *ctx;
	u32 queue;
	u32 count;
	struct vgpu_push *push;
	void *params;
	u64 param_bytes;
	u32 failed;			/* the command that is wrong, ~0: the batch is */
	u64 seq;			/* of the last command; 0: it was not pushed */
	struct vgpu_push one;		/* @push, where there is one command */
};

/**
 * kvgpu_batch_prepare - copy commands and acquire what they refer to, for the running process
 *
 * @ctx, @queue and @count have been filled in, all else is zero. A single command may also be given
 * as @inside. To be freed with kvgpu_batch_free() in any case.
 */
int kvgpu_batch_prepare(struct kvgpu_batch *batch, u64 commands, const struct vgpu_cmd *inside);
/* Release what it holds until it is pushed, and if it was not, process memory. May be repeated. */
void kvgpu_batch_free(struct kvgpu_batch *batch);
/*
 * Actor: append it, all or nothing; to what was submitted, or also behind what lies in rings, which
 * may take several calls (KVGPU_AGAIN).
 */
int kvgpu_batch_push(struct kvgpu_batch *batch);
int kvgpu_batch_append(struct kvgpu_batch *batch);

/* ---- uring.c: commands of io_uring -------------------------------------- */

void kvgpu_uring_init(struct kvgpu_uring *uring, struct kvgpu_ctx *ctx);
/* No command waits any more. */
void kvgpu_uring_exit(struct kvgpu_uring *uring);
int kvgpu_uring_cmd(struct io_uring_cmd *cmd, unsigned int issue_flags);
/* A process closes a descriptor. */
int kvgpu_flush(struct file *file, fl_owner_t owner);

/**
 * kvgpu_uring_turn - actor: have io_uring complete the commands that have ended
 */
void kvgpu_uring_turn(struct kvgpu_dev *kdev);

/* ---- ring.c: queues mapped into the process ----------------------------- */

int kvgpu_ioctl_ring_create(struct file *file, void *arg);
int kvgpu_ioctl_ring_doorbell(struct file *file, void *arg);
int kvgpu_mmap(struct file *file, struct vm_area_struct *vma);
void kvgpu_ring_free(struct kvgpu_ring *ring);
/*
 * Actor: fetch from all rings, for a turn; returns after how many nanoseconds it is to be called
 * again, KVGPU_IDLE: when there is something to fetch. Is there?
 */
u64 kvgpu_rings_turn(struct kvgpu_dev *kdev);
bool kvgpu_rings_pending(const struct kvgpu_dev *kdev);
/* Actor: it goes to sleep, or is awake again. */
void kvgpu_rings_asleep(struct kvgpu_dev *kdev, bool asleep);
/*
 * Actor: fetch what lies in the rings of @ctx, before something else of it is done. True: the
 * message has to be repeated (KVGPU_AGAIN) before that.
 */
bool kvgpu_rings_fetch(struct kvgpu_ctx *ctx);
/*
 * Actor: the queue has got, has come to @seq; @ctx has news; it is dead; the queue goes; the
 * context does.
 */
void kvgpu_ring_submitted(struct kvgpu_ring *ring, u64 seq);
void kvgpu_ring_completed(struct kvgpu_ring *ring, u64 seq, u64 time);
void kvgpu_rings_retry(struct kvgpu_ctx *ctx);
void kvgpu_rings_dead(struct kvgpu_ctx *ctx);
void kvgpu_ring_stop(struct kvgpu_ring *ring);
void kvgpu_rings_stop(struct kvgpu_ctx *ctx);
/* Something lies in it that the actor has not fetched. */
bool kvgpu_ring_pending(const struct kvgpu_ring *ring);

#endif

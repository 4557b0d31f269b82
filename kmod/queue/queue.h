/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The ways of commands to the device's queues (ioctl, mapped rings, io_uring) and of their
 * completions back to the process.
 */
#ifndef KVGPU_QUEUE_H
#define KVGPU_QUEUE_H

#include <linux/poll.h>
#include <linux/workqueue.h>

#include "kmod/fence/fence.h"
#include "kmod/memory/memory.h"

struct eventfd_ctx;
struct io_uring_cmd;
struct vm_area_struct;

/** struct kvgpu_queues - of all contexts of a device */
struct kvgpu_queues {
	struct list_head rings;		/* actor: struct kvgpu_ring of contexts that live */
	struct io_uring_cmd *answers;	/* actor: ended, and not told yet … */
	struct io_uring_cmd *last_answer;	/* … up to this one */
	struct delayed_work watch;	/* over calls that end without the device */
	struct kvgpu_dev *kdev;
};

void kvgpu_queues_init(struct kvgpu_queues *queues, struct kvgpu_dev *kdev);

/* ---- submit.c ----------------------------------------------------------- */

long kvgpu_submit(struct kvgpu_ctx *ctx, void __user *arg);

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
	u64 seq;			/* of the last command */
};

/* Fill @push from process memory. */
int kvgpu_batch_copy(struct kvgpu_batch *batch, u64 commands);
/* Take what the commands in @push refer to, for the running process. On failure nothing is held. */
int kvgpu_batch_take(struct kvgpu_batch *batch);
/* Give it back when the batch was not pushed; and what a batch holds until it was, or was not. */
void kvgpu_batch_undo(struct kvgpu_batch *batch);
void kvgpu_batch_free(struct kvgpu_batch *batch);
/* Actor: append it, all or nothing; to what was submitted, or also behind what lies in rings. */
int kvgpu_batch_push(struct kvgpu_batch *batch);
int kvgpu_batch_append(struct kvgpu_batch *batch);

/* ---- wait.c: completions and who waits for them ------------------------- */

struct kvgpu_queue *kvgpu_queue_get(struct kvgpu_ctx *ctx, u32 id);
void kvgpu_queue_put(struct kvgpu_queue *queue);
void kvgpu_completed(struct kvgpu_dev *kdev, const struct vgpu_completion *completion);
void kvgpu_context_died(struct kvgpu_ctx *ctx, u32 reason);
/* Wake the waiters of every context that has news. Actor. true: there is more to tell. */
bool kvgpu_news(struct kvgpu_dev *kdev);
long kvgpu_wait(struct kvgpu_ctx *ctx, void __user *arg);
__poll_t kvgpu_poll(struct file *file, poll_table *wait);

/*
 * A command's cookie: 0, the pin of its process memory (even), or bytes of launch parameters
 * charged to the context (odd).
 */
static inline u64 kvgpu_cookie_params(u32 bytes)
{
	return (u64)bytes << 1 | 1;
}

/* ---- waiter.c: asynchronous fence waiters --------------------------------- */

struct io_uring_cmd;
struct eventfd_ctx;

/**
 * struct kvgpu_call - a fence waiter without a thread: an io_uring command or an eventfd
 * @end: reports the result and frees the call; -EIO: the context is dead, -ECANCELED: it is not
 *   waited for any more, -ETIME
 * @deadline: of the wall clock, in nanoseconds; 0: none
 */
struct kvgpu_call {
	struct kvgpu_msg msg;
	struct kvgpu_ctx *ctx;
	void (*end)(struct kvgpu_call *call, int result);
	u32 queue;
	u64 seq;
	u64 deadline;
	bool waits;			/* for a lockstep clock its seat waits meanwhile */
	struct rb_node node;		/* in queue->calls, once it waits … */
	struct rb_root_cached *in;	/* … which is here */
	struct list_head all;		/* in ctx->waiters->commands or ctx->waiters->eventfds … */
	struct list_head owned;		/* … and a command in ctx->waiters->owned */
	/* of io_uring: the descriptor table it came from; an eventfd: NULL */
	const void *cmd_owner;
	union {
		struct {
			struct io_uring_cmd *cmd;
			bool taken;
			struct kvgpu_batch batch;
			struct vgpu_push one;	/* a batch of one */
		};
		struct eventfd_ctx *eventfd;
	};
};

/* -EBUSY: the context has too many. */
int kvgpu_call_begin(struct kvgpu_call *call, struct kvgpu_ctx *ctx);
void kvgpu_call_free(struct kvgpu_call *call);
/*
 * Actor: wait until its queue has come to its sequence number. Otherwise it has ended with a
 * negative errno.
 */
void kvgpu_call_wait(struct kvgpu_call *call);
/*
 * Actor: @ctx has news; end a turn's worth of calls whose fence has been reached. true: there are
 * more.
 */
bool kvgpu_calls_look(struct kvgpu_ctx *ctx);
/*
 * Actor: @ctx is being closed, so it has no commands: end a turn's worth of its eventfds. true:
 * there are more.
 */
bool kvgpu_calls_end(struct kvgpu_ctx *ctx);
void kvgpu_calls_watch(struct work_struct *work);
/* A process closes a descriptor. */
int kvgpu_flush(struct file *file, fl_owner_t owner);
long kvgpu_eventfd(struct kvgpu_ctx *ctx, void __user *arg);

/* ---- uring.c: commands of io_uring -------------------------------------- */

int kvgpu_uring_cmd(struct io_uring_cmd *cmd, unsigned int issue_flags);
/* Actor: tell those that have ended. */
void kvgpu_uring_answer(struct kvgpu_dev *kdev);
/* The process behind it goes away, or the ring. */
bool kvgpu_uring_abandoned(const struct kvgpu_call *call);

/* ---- ring.c: queues mapped into the process ----------------------------- */

struct vm_area_struct;

long kvgpu_ring_create(struct kvgpu_ctx *ctx, void __user *arg);
long kvgpu_ring_doorbell(struct kvgpu_ctx *ctx, void __user *arg);
int kvgpu_mmap(struct file *file, struct vm_area_struct *vma);
void kvgpu_ring_free(struct kvgpu_ring *ring);
/* Actor: look at all rings, for a turn; and is there something to take? */
void kvgpu_rings_turn(struct kvgpu_dev *kdev);
bool kvgpu_rings_full(const struct kvgpu_dev *kdev);
/* Actor: it goes to sleep, or is awake again. */
void kvgpu_rings_asleep(struct kvgpu_dev *kdev, bool asleep);
/* Actor: take all that lies in the rings of @ctx; after this something else of it may be. */
void kvgpu_rings_take(struct kvgpu_ctx *ctx);
/* Have the actor take it. */
int kvgpu_rings_sync(struct kvgpu_ctx *ctx);
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
/* Something lies in it that the actor has not taken. */
bool kvgpu_ring_waits(const struct kvgpu_ring *ring);

#endif

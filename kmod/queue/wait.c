// SPDX-License-Identifier: GPL-2.0-only
/*
 * Completions and who waits for them. The actor publishes how far each queue has come; waiters read
 * it without asking the actor. Waiters are woken after a stretch of device time, not at every
 * command, so that a batch costs one wake.
 */
#include <linux/hrtimer.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "kmod/queue/queue.h"

struct kvgpu_queue *kvgpu_queue_get(struct kvgpu_ctx *ctx, u32 id)
{
	struct kvgpu_queue *queue;

	xa_lock(&ctx->queues);
	queue = xa_load(&ctx->queues, id);
	if (queue)
		kref_get(&queue->ref);
	xa_unlock(&ctx->queues);
	return queue;
}

static void queue_free(struct kref *ref)
{
	struct kvgpu_queue *queue = container_of(ref, struct kvgpu_queue, ref);

	if (queue->ring)
		kvgpu_ring_free(queue->ring);
	kfree(queue);
}

void kvgpu_queue_put(struct kvgpu_queue *queue)
{
	kref_put(&queue->ref, queue_free);
}

static void news_add(struct kvgpu_dev *kdev, struct kvgpu_ctx *ctx)
{
	if (list_empty(&ctx->signalled))
		list_add_tail(&ctx->signalled, &kdev->signalled);
}

bool kvgpu_news(struct kvgpu_dev *kdev)
{
	struct kvgpu_ctx *ctx;
	LIST_HEAD(news);

	list_splice_init(&kdev->signalled, &news);
	while ((ctx = list_first_entry_or_null(&news, struct kvgpu_ctx, signalled))) {
		list_del_init(&ctx->signalled);
		if (kvgpu_calls_look(ctx))
			news_add(kdev, ctx);
		kvgpu_rings_retry(ctx);
		if (wq_has_sleeper(&ctx->idle))
			wake_up_all(&ctx->idle);
	}
	return !list_empty(&kdev->signalled);
}

void kvgpu_completed(struct kvgpu_dev *kdev, const struct vgpu_completion *completion)
{
	struct kvgpu_ctx *ctx = xa_load(&kdev->contexts, completion->context);
	u64 cookie = completion->cookie;
	struct kvgpu_queue *queue;

	if (WARN_ON_ONCE(!ctx))
		return;
	if (cookie & 1)
		ctx->param_bytes -= cookie >> 1;
	else if (cookie)
		kvgpu_unpin((struct kvgpu_pin *)(uintptr_t)cookie);
	WRITE_ONCE(ctx->inflight, ctx->inflight - 1);
	WRITE_ONCE(kdev->now, completion->time);
	queue = xa_load(&ctx->queues, completion->queue);
	if (queue) {
		smp_store_release(&queue->completed, completion->seq);
		if (queue->ring)
			kvgpu_ring_completed(queue->ring, completion->seq, completion->time);
		kvgpu_clock_completed(ctx, queue, completion->queue, completion->seq);
	}
	news_add(kdev, ctx);
}

void kvgpu_context_died(struct kvgpu_ctx *ctx, u32 reason)
{
	WRITE_ONCE(ctx->dead, reason);
	kvgpu_rings_dead(ctx);
	news_add(ctx->kdev, ctx);
}

struct wait_for {
	struct kvgpu_ctx *ctx;
	struct kvgpu_queue *queue;
	struct vgpu_fence fence;
};

/* Also of a dead context the command must have ended: its memory is at rest then. */
static bool wait_over(const struct wait_for *what)
{
	return smp_load_acquire(&what->queue->completed) >= what->fence.seq;
}

static bool lockstep(const struct wait_for *what)
{
	return READ_ONCE(what->ctx->kdev->clock->mode) == KVGPU_LOCKSTEP;
}

/* Over, or the actor wants to know who waits. */
static bool wait_ends(void *arg)
{
	return wait_over(arg) || lockstep(arg);
}

/* Sleep until it ends. -EINTR, -ERESTARTNOHAND: a signal came first; -ETIMEDOUT. */
static int wait_sleep(struct wait_for *what, s64 timeout_ns)
{
	wait_queue_head_t *waiters = &what->ctx->idle;
	int ret;

	if (!timeout_ns)
		return -ETIMEDOUT;
	if (kvgpu_spin(wait_ends, what))
		return 0;
	if (timeout_ns < 0) {
		ret = wait_event_interruptible(*waiters, wait_ends(what));
		/* a stop and continue goes back to sleep by itself; a handler makes it EINTR */
		return ret == -ERESTARTSYS ? -ERESTARTNOHAND : ret;
	}
	ret = wait_event_interruptible_hrtimeout(*waiters, wait_ends(what),
						 ns_to_ktime(timeout_ns));
	if (ret == -ETIME)
		return -ETIMEDOUT;
	/* not -ERESTARTSYS: that would restart the timeout */
	return ret == -ERESTARTSYS ? -EINTR : ret;
}

/*
 * In lockstep a timeout is virtual time, and so is what a program that only looks, over and over,
 * takes for it.
 */
#define LOOK_PS		VGPU_US

static int wait_lockstep(struct wait_for *what, s64 timeout_ns)
{
	struct kvgpu_waiter waiter = {
		.ctx = what->ctx,
		.fences = &what->fence,
		.count = 1,
		.until = VGPU_NEVER,
		.relative = true,
	};
	int ret;

	if (!timeout_ns)
		waiter.until = LOOK_PS;
	else if (timeout_ns > 0 && timeout_ns < S64_MAX / (s64)VGPU_NS)
		waiter.until = timeout_ns * VGPU_NS;
	ret = kvgpu_clock_wait(&waiter);
	if (ret == -EINTR && timeout_ns < 0)
		return -ERESTARTNOHAND;
	if (!ret && waiter.which == VGPU_FENCE_NONE)
		return -ETIMEDOUT;
	return ret;
}

/* It may lie in the queue's ring yet. */
static int wait_submitted(struct kvgpu_ctx *ctx, struct kvgpu_queue *queue, u64 seq)
{
	struct kvgpu_ring *ring = smp_load_acquire(&queue->ring);
	int ret;

	if (!ring)
		return -EINVAL;
	ret = kvgpu_rings_sync(ctx);
	if (ret || seq <= READ_ONCE(queue->submitted))
		return ret;
	if (READ_ONCE(ctx->dead))
		return -EIO;
	return kvgpu_ring_waits(ring) ? -EAGAIN : -EINVAL;
}

long kvgpu_wait(struct kvgpu_ctx *ctx, void __user *arg)
{
	struct kvgpu_queue *queue;
	struct wait_for what;
	struct vgpu_wait wait;
	int ret = 0;

	if (copy_from_user(&wait, arg, sizeof(wait)))
		return -EFAULT;
	if (wait.flags)
		return -EINVAL;
	queue = kvgpu_queue_get(ctx, wait.queue);
	if (!queue)
		return -ENOENT;
	what = (struct wait_for){ ctx, queue, { .queue = wait.queue, .seq = wait.seq } };
	if (wait.seq > READ_ONCE(queue->submitted))
		ret = wait_submitted(ctx, queue, wait.seq);
	while (!ret && !wait_over(&what))
		ret = lockstep(&what) ? wait_lockstep(&what, wait.timeout_ns) :
					wait_sleep(&what, wait.timeout_ns);
	wait.completed = smp_load_acquire(&queue->completed);
	wait.time = READ_ONCE(ctx->kdev->now);
	kvgpu_queue_put(queue);
	if (ret == -EINVAL || ret == -EAGAIN)
		return ret;
	if (!ret && READ_ONCE(ctx->dead))
		ret = -EIO;
	if (copy_to_user(arg, &wait, sizeof(wait)))
		return -EFAULT;
	return ret;
}

/* Readable: nothing in flight. Error: the context is dead. */
__poll_t kvgpu_poll(struct file *file, poll_table *table)
{
	struct kvgpu_ctx *ctx = file->private_data;
	__poll_t mask = 0;

	poll_wait(file, &ctx->idle, table);
	if (!READ_ONCE(ctx->inflight))
		mask |= EPOLLIN | EPOLLRDNORM;
	if (READ_ONCE(ctx->dead))
		mask |= EPOLLERR;
	return mask;
}

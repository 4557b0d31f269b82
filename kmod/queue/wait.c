// SPDX-License-Identifier: GPL-2.0-only
/*
 * Waiting for fences by file descriptor: VGPU_IOC_WAIT and VGPU_IOC_WAIT_ANY put a thread to sleep,
 * VGPU_IOC_EVENTFD has an eventfd signalled, poll() waits for all of a context. (io_uring: uring.c)
 */
#include <linux/eventfd.h>
#include <linux/ktime.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "kmod/queue/queue.h"

/* ---- a thread as fence waiter ------------------------------------------- */

/* On the stack of the thread. */
struct thread_wait {
	struct kvgpu_msg add;
	struct kvgpu_waiter waiter;
	bool relative;			/* the limit counts from when the actor hears of it */
	bool spun;			/* the thread has busy-waited already */
	int result;
	struct completion over;
};

static void thread_end(struct kvgpu_waiter *waiter, int result)
{
	struct thread_wait *wait = container_of(waiter, struct thread_wait, waiter);

	wait->result = result;
	complete(&wait->over);
}

static int do_add(struct kvgpu_dev *kdev, void *arg)
{
	struct thread_wait *wait = arg;
	struct kvgpu_waiter *waiter = &wait->waiter;
	u64 now = vgpu_device_now(kdev->model);
	int ret = -EAGAIN;

	kvgpu_rings_fetch(waiter->ctx);
	if (wait->relative)
		waiter->until =
			waiter->until < VGPU_NEVER - 1 - now ? now + waiter->until : VGPU_NEVER;
	else if (!waiter->wall)
		waiter->until = max(waiter->until, now);
	/* the mode may have changed since the thread looked */
	if (waiter->blocks || kdev->clock->mode != KVGPU_LOCKSTEP)
		ret = kvgpu_waiter_add(waiter);
	if (ret)
		thread_end(waiter, ret);
	return 0;
}

/* A signal, unless it has ended meanwhile. */
static int do_cancel(struct kvgpu_dev *kdev, void *arg)
{
	struct thread_wait *wait = arg;

	if (!completion_done(&wait->over))
		kvgpu_waiter_end(&wait->waiter, -EINTR);
	return 0;
}

static bool thread_over(void *arg)
{
	return completion_done(arg);
}

/* Returns what the waiter ended with; -EINTR: a signal came first. */
static int thread_wait(struct thread_wait *wait)
{
	struct kvgpu_dev *kdev = wait->waiter.ctx->kdev;

	wait->waiter.ordered = true;
	init_completion(&wait->over);
	kvgpu_actor_send(kdev, &wait->add, do_add, wait);
	if (!wait->spun && kvgpu_spin(thread_over, &wait->over))
		return wait->result;
	/* messages are served in order: the actor knows the waiter when it is told to cancel it */
	if (wait_for_completion_interruptible(&wait->over))
		kvgpu_actor_call(kdev, do_cancel, wait);
	return wait->result;
}

/* ---- VGPU_IOC_WAIT ------------------------------------------------------ */

struct wait_for {
	struct kvgpu_ctx *ctx;
	struct kvgpu_queue *queue;
	struct kvgpu_fence fence;
};

/* Also of a dead context the command must have ended: its memory is at rest then. */
static bool wait_over(const struct wait_for *what)
{
	return smp_load_acquire(&what->queue->completed) >= what->fence.seq;
}

static bool wait_lockstep(const struct wait_for *what)
{
	return READ_ONCE(what->ctx->kdev->clock->mode) == KVGPU_LOCKSTEP;
}

/* Over, or the actor wants to know who waits. */
static bool wait_ends(void *arg)
{
	return wait_over(arg) || wait_lockstep(arg);
}

/*
 * In lockstep a timeout is virtual time, and so is what a program that only looks, over and over,
 * takes for it.
 */
#define LOOK_PS		VGPU_US

/* 0: look again whether it is over. */
static int wait_once(struct wait_for *what, s64 timeout_ns)
{
	struct thread_wait wait = {};
	struct kvgpu_waiter *waiter = &wait.waiter;
	int ret;

	kvgpu_waiter_init(waiter, what->ctx, &what->fence, 1, thread_end);
	if (wait_lockstep(what)) {
		waiter->blocks = wait.relative = true;
		if (!timeout_ns)
			waiter->until = LOOK_PS;
		else if (timeout_ns > 0 && timeout_ns < S64_MAX / (s64)VGPU_NS)
			waiter->until = timeout_ns * VGPU_NS;
	} else {
		if (!timeout_ns)
			return -ETIMEDOUT;
		waiter->wall = wait.spun = true;
		if (timeout_ns > 0)
			waiter->until = ktime_get_ns() + timeout_ns;
		if (kvgpu_spin(wait_ends, what))
			return 0;
	}
	ret = thread_wait(&wait);
	if (ret == -ETIME || (!ret && waiter->which == VGPU_FENCE_NONE))
		return -ETIMEDOUT;
	/*
	 * A stop and continue goes back to sleep by itself; a handler makes it EINTR. Where there
	 * is a timeout, a restart would begin that again.
	 */
	if (ret == -EINTR && timeout_ns < 0)
		return -ERESTARTNOHAND;
	return ret == -EAGAIN ? 0 : ret;
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
	return kvgpu_ring_pending(ring) ? -EAGAIN : -EINVAL;
}

int kvgpu_ioctl_wait(struct file *file, void *arg)
{
	struct kvgpu_ctx *ctx = file->private_data;
	struct vgpu_wait *wait = arg;
	struct kvgpu_queue *queue;
	struct wait_for what;
	int ret = 0;

	if (wait->flags)
		return -EINVAL;
	queue = kvgpu_queue_get(ctx, wait->queue);
	if (!queue)
		return -ENOENT;
	what = (struct wait_for){ ctx, queue, { .queue = wait->queue, .seq = wait->seq } };
	if (wait->seq > READ_ONCE(queue->submitted))
		ret = wait_submitted(ctx, queue, wait->seq);
	while (!ret && !wait_over(&what))
		ret = wait_once(&what, wait->timeout_ns);
	wait->completed = smp_load_acquire(&queue->completed);
	wait->time = READ_ONCE(ctx->kdev->system->now);
	kvgpu_queue_put(queue);
	return !ret && READ_ONCE(ctx->dead) ? -EIO : ret;
}

/* ---- VGPU_IOC_WAIT_ANY -------------------------------------------------- */

/* @count fences of the process, which fence waiters understand; to be freed with kvfree(). */
static struct kvgpu_fence *fences_copy(u64 from, u32 count)
{
	struct kvgpu_fence *fences = kvcalloc(max(count, 1u), sizeof(*fences), GFP_KERNEL_ACCOUNT);
	struct vgpu_fence __user *user = u64_to_user_ptr(from);
	struct vgpu_fence fence;
	u32 i;

	if (!fences)
		return ERR_PTR(-ENOMEM);
	for (i = 0; i < count; i++) {
		int ret = copy_from_user(&fence, user + i, sizeof(fence)) ? -EFAULT :
			  fence.reserved ? -EINVAL : 0;

		if (ret) {
			kvfree(fences);
			return ERR_PTR(ret);
		}
		fences[i] = (struct kvgpu_fence){ .queue = fence.queue, .seq = fence.seq };
	}
	return fences;
}

int kvgpu_ioctl_wait_any(struct file *file, void *arg)
{
	struct kvgpu_ctx *ctx = file->private_data;
	struct vgpu_wait_any *wait = arg;
	struct thread_wait thread = {};
	struct kvgpu_fence *fences;
	int ret;

	if (wait->flags || wait->reserved || wait->count > VGPU_FENCES_MAX)
		return -EINVAL;
	fences = fences_copy(wait->fences, wait->count);
	if (IS_ERR(fences))
		return PTR_ERR(fences);
	kvgpu_waiter_init(&thread.waiter, ctx, fences, wait->count, thread_end);
	thread.waiter.blocks = true;
	thread.waiter.until = wait->until;
	ret = thread_wait(&thread);
	kvfree(fences);
	if (ret)
		return ret;
	wait->which = thread.waiter.which;
	wait->time = READ_ONCE(ctx->kdev->system->now);
	return READ_ONCE(ctx->dead) ? -EIO : 0;
}

/* ---- VGPU_IOC_EVENTFD --------------------------------------------------- */

int kvgpu_waiter_charge(struct kvgpu_ctx *ctx)
{
	if (atomic_inc_return(&ctx->waiters->count) <= KVGPU_WAITERS_MAX)
		return 0;
	atomic_dec(&ctx->waiters->count);
	return -EBUSY;
}

void kvgpu_waiter_uncharge(struct kvgpu_ctx *ctx)
{
	atomic_dec(&ctx->waiters->count);
}

struct eventfd_wait {
	struct kvgpu_waiter waiter;
	struct kvgpu_fence fence;
	struct eventfd_ctx *eventfd;
};

static void eventfd_free(struct eventfd_wait *wait)
{
	eventfd_ctx_put(wait->eventfd);
	kvgpu_waiter_uncharge(wait->waiter.ctx);
	kfree(wait);
}

static void eventfd_end(struct kvgpu_waiter *waiter, int result)
{
	struct eventfd_wait *wait = container_of(waiter, struct eventfd_wait, waiter);

	kvgpu_eventfd_signal(wait->eventfd);
	eventfd_free(wait);
}

static int do_eventfd(struct kvgpu_dev *kdev, void *arg)
{
	struct kvgpu_waiter *waiter = arg;

	kvgpu_rings_fetch(waiter->ctx);
	return kvgpu_waiter_add(waiter);
}

int kvgpu_ioctl_eventfd(struct file *file, void *arg)
{
	struct kvgpu_ctx *ctx = file->private_data;
	struct vgpu_eventfd *args = arg;
	struct eventfd_ctx *eventfd;
	struct eventfd_wait *wait;
	int ret;

	if (args->flags || args->reserved)
		return -EINVAL;
	eventfd = eventfd_ctx_fdget(args->fd);
	if (IS_ERR(eventfd))
		return PTR_ERR(eventfd);
	wait = kzalloc(sizeof(*wait), GFP_KERNEL_ACCOUNT);
	ret = wait ? kvgpu_waiter_charge(ctx) : -ENOMEM;
	if (ret) {
		eventfd_ctx_put(eventfd);
		kfree(wait);
		return ret;
	}
	wait->eventfd = eventfd;
	wait->fence = (struct kvgpu_fence){ .queue = args->queue, .seq = args->seq };
	kvgpu_waiter_init(&wait->waiter, ctx, &wait->fence, 1, eventfd_end);
	ret = kvgpu_actor_call_killable(ctx->kdev, do_eventfd, &wait->waiter);
	if (ret)
		eventfd_free(wait);
	return ret;
}

/* ---- poll --------------------------------------------------------------- */

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

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Waiting for fences by file descriptor: VGPU_IOC_WAIT and VGPU_IOC_WAIT_ANY put a thread to sleep,
 * VGPU_IOC_EVENTFD has an eventfd signalled, poll() waits for all of a context. (io_uring: uring.c)
 */
#include <linux/eventfd.h>
#include <linux/ktime.h>
#include <linux/overflow.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "kmod/queue/queue.h"

/* ---- signals ------------------------------------------------------------ */

/*
 * Whoever signals an eventfd, or wakes those who poll a file, goes through all that watch it, with
 * interrupts off: thousands of epolls, if a process wants so. That is no work for the actor, which
 * everybody waits for, so a work item of the context does it.
 */

/* In one run of the work item, which a close waits for. */
#define SIGNALS_PER_RUN	64u

/* Signal some; true: there are more. */
static bool signals_run(struct kvgpu_signals *signals)
{
	struct kvgpu_signal *signal;
	u32 i;

	if (atomic_xchg(&signals->idle, 0))
		wake_up_all(&signals->ctx->idle);
	for (i = 0; i < SIGNALS_PER_RUN; i++) {
		if (!signals->first)
			signals->first = llist_reverse_order(llist_del_all(&signals->pending));
		if (!signals->first)
			return false;
		signal = llist_entry(signals->first, struct kvgpu_signal, node);
		signals->first = signals->first->next;
		kvgpu_eventfd_signal(signal->eventfd);
		eventfd_ctx_put(signal->eventfd);
		signal->free(signals->ctx, signal);
		cond_resched();
	}
	return true;
}

static void signals_work(struct work_struct *work)
{
	struct kvgpu_signals *signals = container_of(work, struct kvgpu_signals, work);

	if (signals_run(signals))
		queue_work(system_unbound_wq, work);
}

void kvgpu_signals_init(struct kvgpu_signals *signals, struct kvgpu_ctx *ctx)
{
	signals->ctx = ctx;
	init_llist_head(&signals->pending);
	INIT_WORK(&signals->work, signals_work);
}

void kvgpu_signals_exit(struct kvgpu_signals *signals)
{
	cancel_work_sync(&signals->work);
	while (signals_run(signals))
		cond_resched();
}

void kvgpu_signal_add(struct kvgpu_ctx *ctx, struct kvgpu_signal *signal)
{
	llist_add(&signal->node, &ctx->signals->pending);
	queue_work(system_unbound_wq, &ctx->signals->work);
}

void kvgpu_signal_idle(struct kvgpu_ctx *ctx)
{
	atomic_set(&ctx->signals->idle, 1);
	queue_work(system_unbound_wq, &ctx->signals->work);
}

/* ---- waits -------------------------------------------------------------- */

int kvgpu_wait_begin(struct kvgpu_waiter *waiter)
{
	struct kvgpu_ctx *ctx = waiter->ctx;
	int ret = kvgpu_waiter_add(waiter);
	u32 i;

	for (i = 0; ret == -EINVAL && i < waiter->count; i++) {
		const struct kvgpu_fence *fence = &waiter->fences[i];
		const struct kvgpu_queue *queue = xa_load(&ctx->queues, fence->queue);

		/* it may lie in a ring from which nothing can be fetched now, or ever */
		if (!queue || !queue->ring || fence->seq <= queue->submitted)
			continue;
		if (ctx->dead)
			ret = -EIO;
		else if (kvgpu_ring_pending(queue->ring))
			ret = -EAGAIN;
	}
	return ret;
}

/* ---- a thread as fence waiter ------------------------------------------- */

/* On the stack of the thread. */
struct thread_wait {
	struct kvgpu_msg msg;
	struct kvgpu_waiter waiter;
	struct kvgpu_queue *queue;	/* VGPU_IOC_WAIT: of its one fence */
	s64 timeout_ns;			/* VGPU_IOC_WAIT: < 0: none */
	int result;
	struct task_struct *task;
	bool over;
};

static void thread_end(struct thread_wait *wait, int result)
{
	struct task_struct *task = get_task_struct(wait->task);

	wait->result = result;
	/* from here on its stack is its own: pairs with the acquire in thread_over() */
	smp_store_release(&wait->over, true);
	wake_up_process(task);
	put_task_struct(task);
}

/*
 * In lockstep a timeout is virtual time, and so is what a program that only polls, over and over,
 * takes for it.
 */
#define POLL_NS		1000u

/* Actor: until when it waits, as the clock has it now. */
static void thread_set_limit(struct thread_wait *wait)
{
	struct kvgpu_waiter *waiter = &wait->waiter;
	struct kvgpu_dev *kdev = waiter->ctx->kdev;
	u64 now = vgpu_device_now(kdev->model);
	u64 ns = wait->timeout_ns;

	if (!wait->queue) {
		waiter->until = max(waiter->until, now);
		return;
	}
	waiter->blocks = kdev->system->clock->mode == KVGPU_LOCKSTEP;
	waiter->wall = !waiter->blocks;
	if (wait->timeout_ns < 0)
		return;
	if (waiter->wall)
		waiter->until = ktime_get_ns() + ns;
	else if (check_mul_overflow(ns ? ns : POLL_NS, VGPU_NS, &waiter->until) ||
		 check_add_overflow(waiter->until, now, &waiter->until))
		waiter->until = VGPU_NEVER;
}

/* Actor: begin to wait, or end at once. */
static void thread_begin(struct thread_wait *wait)
{
	int ret;

	thread_set_limit(wait);
	ret = kvgpu_wait_begin(&wait->waiter);
	if (ret)
		thread_end(wait, ret);
}

static void thread_waiter_end(struct kvgpu_waiter *waiter, int result)
{
	struct thread_wait *wait = container_of(waiter, struct thread_wait, waiter);

	/* the clock is a lockstep clock from now on, with its own idea of a timeout */
	if (result == -EAGAIN)
		thread_begin(wait);
	else
		thread_end(wait, result);
}

static int do_add(struct kvgpu_dev *kdev, void *arg)
{
	struct thread_wait *wait = arg;

	if (kvgpu_rings_fetch(wait->waiter.ctx))
		return KVGPU_AGAIN;
	thread_begin(wait);
	return 0;
}

/* A signal, unless it has ended meanwhile. */
static int do_cancel(struct kvgpu_dev *kdev, void *arg)
{
	struct thread_wait *wait = arg;

	if (!wait->over)
		kvgpu_waiter_end(&wait->waiter, -EINTR);
	return 0;
}

static bool thread_over(void *arg)
{
	const struct thread_wait *wait = arg;

	return smp_load_acquire(&wait->over);
}

/*
 * Returns what the waiter ended with; -EINTR: a signal came first. @spin: busy-wait, then sleep.
 * The thread executes what is handed out of its context's kernels meanwhile.
 */
static int thread_wait(struct thread_wait *wait, bool spin)
{
	struct kvgpu_ctx *ctx = wait->waiter.ctx;

	wait->waiter.ordered = true;
	wait->task = current;
	kvgpu_inbox_send(&ctx->inbox, &wait->msg, do_add, wait);
	/* messages are served in order: the actor knows the waiter when it is told to cancel it */
	if (kvgpu_help_until(ctx->helpers, thread_over, wait, spin))
		kvgpu_inbox_call(&ctx->inbox, do_cancel, wait);
	return wait->result;
}

/* ---- VGPU_IOC_WAIT ------------------------------------------------------ */

/* Also of a dead context the command must have ended: its memory is at rest then. */
static bool wait_over(void *arg)
{
	const struct thread_wait *wait = arg;

	return smp_load_acquire(&wait->queue->completed) >= wait->waiter.fences->seq;
}

/* Without the actor knowing of it: as long as there is something to execute, if it has no limit. */
static bool look_for_it(struct thread_wait *wait)
{
	if (wait->timeout_ns >= 0)
		return kvgpu_spin(wait_over, wait);
	return kvgpu_help_awake(wait->waiter.ctx->helpers, wait_over, wait);
}

static int wait_for_queue(struct thread_wait *wait)
{
	struct kvgpu_clock *clock = wait->waiter.ctx->kdev->system->clock;
	/* a lockstep clock must know who waits, and what was not submitted may lie in a ring */
	bool must_send = READ_ONCE(clock->mode) == KVGPU_LOCKSTEP ||
			 wait->waiter.fences->seq > READ_ONCE(wait->queue->submitted);
	int ret;

	if (wait_over(wait))
		return 0;
	if (!must_send && !wait->timeout_ns)
		return -ETIMEDOUT;
	if (!must_send && look_for_it(wait))
		return 0;
	ret = thread_wait(wait, must_send);
	if (ret == -ETIME || (!ret && wait->waiter.which == VGPU_FENCE_NONE))
		return -ETIMEDOUT;
	/*
	 * A stop and continue goes back to sleep by itself; a handler makes it EINTR. Where there
	 * is a timeout, a restart would begin that again.
	 */
	return ret == -EINTR && wait->timeout_ns < 0 ? -ERESTARTNOHAND : ret;
}

int kvgpu_wait_for(struct kvgpu_ctx *ctx, u32 queue, u64 seq, s64 timeout_ns, u64 *completed)
{
	struct kvgpu_fence fence = { .queue = queue, .seq = seq };
	struct thread_wait wait = { .timeout_ns = timeout_ns };
	int ret;

	wait.queue = kvgpu_queue_get(ctx, queue);
	if (!wait.queue)
		return -ENOENT;
	kvgpu_waiter_init(&wait.waiter, ctx, &fence, 1, thread_waiter_end);
	ret = wait_for_queue(&wait);
	*completed = smp_load_acquire(&wait.queue->completed);
	kvgpu_queue_put(wait.queue);
	kvgpu_managed_settle(ctx->managed);
	return !ret && READ_ONCE(ctx->dead) ? -EIO : ret;
}

int kvgpu_ioctl_wait(struct file *file, void *arg)
{
	struct kvgpu_ctx *ctx = file->private_data;
	struct vgpu_wait *args = arg;
	int ret;

	if (args->flags)
		return -EINVAL;
	ret = kvgpu_wait_for(ctx, args->queue, args->seq, args->timeout_ns, &args->completed);
	if (ret != -ENOENT)
		args->time = READ_ONCE(ctx->kdev->system->now);
	return ret;
}

/* ---- VGPU_IOC_WAIT_ANY -------------------------------------------------- */

/* @count fences of the process, as waiters have them. */
static int fences_copy(struct kvgpu_fence *fences, u64 from, u32 count)
{
	struct vgpu_fence __user *user = u64_to_user_ptr(from);
	struct vgpu_fence fence;
	u32 i;

	for (i = 0; i < count; i++) {
		if (copy_from_user(&fence, user + i, sizeof(fence)))
			return -EFAULT;
		if (fence.reserved)
			return -EINVAL;
		fences[i] = (struct kvgpu_fence){ .queue = fence.queue, .seq = fence.seq };
	}
	return 0;
}

int kvgpu_ioctl_wait_any(struct file *file, void *arg)
{
	struct kvgpu_ctx *ctx = file->private_data;
	struct vgpu_wait_any *args = arg;
	struct thread_wait wait = {};
	struct kvgpu_fence *fences;
	int ret;

	if (args->flags || args->reserved || args->count > VGPU_FENCES_MAX)
		return -EINVAL;
	fences = kvcalloc(args->count, sizeof(*fences), GFP_KERNEL_ACCOUNT);
	if (!fences)
		return -ENOMEM;
	ret = fences_copy(fences, args->fences, args->count);
	if (!ret) {
		kvgpu_waiter_init(&wait.waiter, ctx, fences, args->count, thread_waiter_end);
		wait.waiter.blocks = true;
		wait.waiter.until = args->until;
		ret = thread_wait(&wait, true);
	}
	kvfree(fences);
	kvgpu_managed_settle(ctx->managed);
	if (ret)
		return ret;
	args->which = wait.waiter.which;
	args->time = READ_ONCE(ctx->kdev->system->now);
	return READ_ONCE(ctx->dead) ? -EIO : 0;
}

/* ---- VGPU_IOC_EVENTFD --------------------------------------------------- */

int kvgpu_waiter_charge(struct kvgpu_ctx *ctx)
{
	return atomic_inc_return(&ctx->waiters->count) > KVGPU_WAITERS_MAX ? -EBUSY : 0;
}

void kvgpu_waiter_uncharge(struct kvgpu_ctx *ctx)
{
	atomic_dec(&ctx->waiters->count);
}

struct eventfd_wait {
	struct kvgpu_waiter waiter;
	struct kvgpu_fence fence;
	struct kvgpu_signal signal;
	bool added;
	bool reached;		/* before it was added */
};

static void eventfd_end(struct kvgpu_waiter *waiter, int result)
{
	struct eventfd_wait *wait = container_of(waiter, struct eventfd_wait, waiter);

	if (wait->added)
		kvgpu_signal_add(waiter->ctx, &wait->signal);
	else
		wait->reached = true;
}

static void eventfd_free(struct kvgpu_ctx *ctx, struct kvgpu_signal *signal)
{
	kvgpu_waiter_uncharge(ctx);
	kfree(container_of(signal, struct eventfd_wait, signal));
}

/* 1: there is nothing to wait for. */
static int do_eventfd(struct kvgpu_dev *kdev, void *arg)
{
	struct eventfd_wait *wait = arg;
	int ret;

	if (kvgpu_rings_fetch(wait->waiter.ctx))
		return KVGPU_AGAIN;
	ret = kvgpu_wait_begin(&wait->waiter);
	if (!ret && wait->reached)
		return 1;
	wait->added = true;
	return ret;
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
	if (!wait) {
		eventfd_ctx_put(eventfd);
		return -ENOMEM;
	}
	wait->signal = (struct kvgpu_signal){ .eventfd = eventfd, .free = eventfd_free };
	wait->fence = (struct kvgpu_fence){ .queue = args->queue, .seq = args->seq };
	kvgpu_waiter_init(&wait->waiter, ctx, &wait->fence, 1, eventfd_end);
	ret = kvgpu_waiter_charge(ctx);
	if (!ret)
		ret = kvgpu_inbox_call_killable(&ctx->inbox, do_eventfd, wait);
	if (!ret)
		return 0;
	if (ret > 0)
		kvgpu_eventfd_signal(eventfd);
	eventfd_ctx_put(eventfd);
	eventfd_free(ctx, &wait->signal);
	return min(ret, 0);
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

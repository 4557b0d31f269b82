// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls: who wants to hear of a fence without a thread that waits for it, an io_uring command or an eventfd. They lie with
 * their queue in the order of sequence numbers and belong to the actor. Each ends exactly once: when its fence is reached, the
 * context dies or is closed, a descriptor is closed by the process it came from (flush), or the watch finds that its
 * time is over, or that its process or its ring goes away: io_uring itself does not tell a driver so before 6.7.
 */
#include <linux/eventfd.h>
#include <linux/ktime.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "kvgpu.h"

/* Nobody who ends is kept waiting for longer. */
#define WATCH_PERIOD	msecs_to_jiffies(50)

int kvgpu_call_begin(struct kvgpu_call *call, struct kvgpu_ctx *ctx)
{
	if (atomic_inc_return(&ctx->call_count) > KVGPU_CALLS_MAX) {
		atomic_dec(&ctx->call_count);
		return -EBUSY;
	}
	call->ctx = ctx;
	INIT_LIST_HEAD(&call->node);
	INIT_LIST_HEAD(&call->all);
	return 0;
}

void kvgpu_call_free(struct kvgpu_call *call)
{
	atomic_dec(&call->ctx->call_count);
	kfree(call);
}

static void call_end(struct kvgpu_call *call, int result)
{
	if (!list_empty(&call->node)) {
		list_del(&call->node);
		list_del(&call->all);
		if (call->waits)
			kvgpu_seat_run(call->ctx->seat);
	}
	call->end(call, result);
}

/* Newest last, where it nearly always belongs. */
static void call_add(struct kvgpu_queue *queue, struct kvgpu_call *call)
{
	struct kvgpu_call *before;

	list_for_each_entry_reverse(before, &queue->calls, node)
		if (before->seq <= call->seq)
			break;
	list_add(&call->node, &before->node);
	list_add_tail(&call->all, &call->ctx->calls);
}

static int fate(const struct kvgpu_ctx *ctx)
{
	return ctx->dead ? -EIO : 0;
}

void kvgpu_call_wait(struct kvgpu_call *call)
{
	struct kvgpu_ctx *ctx = call->ctx;
	struct kvgpu_dev *kdev = ctx->kdev;
	struct kvgpu_queue *queue = xa_load(&ctx->queues, call->queue);

	if (queue && call->seq > queue->submitted)
		kvgpu_rings_take(ctx);
	if (!queue) {
		call_end(call, -ENOENT);
	} else if (call->seq > queue->submitted) {
		call_end(call, ctx->dead && queue->ring ? -EIO : -EINVAL);
	} else if (call->seq <= queue->completed) {
		call_end(call, fate(ctx));
	} else {
		call_add(queue, call);
		if (call->waits) {
			if (kdev->clock.mode == KVGPU_LOCKSTEP)
				kvgpu_seat_attach(ctx->seat);
			kvgpu_seat_block(ctx->seat);
		}
		queue_delayed_work(system_wq, &kdev->watch, WATCH_PERIOD);
	}
}

void kvgpu_calls_look(struct kvgpu_ctx *ctx)
{
	struct kvgpu_call *call;
	struct kvgpu_queue *queue;
	unsigned long id;

	if (list_empty(&ctx->calls))
		return;
	xa_for_each(&ctx->queues, id, queue)
		while ((call = list_first_entry_or_null(&queue->calls, struct kvgpu_call, node)) &&
		       call->seq <= queue->completed)
			call_end(call, fate(ctx));
}

void kvgpu_calls_end(struct kvgpu_ctx *ctx, const void *owner)
{
	struct kvgpu_call *call, *next;

	list_for_each_entry_safe(call, next, &ctx->calls, all)
		if (!owner || (call->cmd_owner && call->cmd_owner == owner))
			call_end(call, -ECANCELED);
}

/* ---- the end without the device ------------------------------------------------------------------------------ */

struct watch_msg {
	struct kvgpu_msg msg;
	bool more;
};

static int do_watch(struct kvgpu_dev *kdev, struct kvgpu_msg *msg)
{
	struct watch_msg *m = container_of(msg, struct watch_msg, msg);
	struct kvgpu_call *call, *next;
	u64 now = ktime_get_ns();
	struct kvgpu_ctx *ctx;
	unsigned long id;

	xa_for_each(&kdev->contexts, id, ctx) {
		list_for_each_entry_safe(call, next, &ctx->calls, all)
			if (call->deadline && call->deadline <= now)
				call_end(call, -ETIME);
			else if (call->cmd_owner && kvgpu_uring_abandoned(call))
				call_end(call, -ECANCELED);
		m->more |= !list_empty(&ctx->calls);
	}
	return 0;
}

void kvgpu_calls_watch(struct work_struct *work)
{
	struct kvgpu_dev *kdev = container_of(to_delayed_work(work), struct kvgpu_dev, watch);
	struct watch_msg m = { .msg.fn = do_watch };

	kvgpu_post(kdev, &m.msg);
	if (m.more)
		queue_delayed_work(system_wq, &kdev->watch, WATCH_PERIOD);
}

struct flush_msg {
	struct kvgpu_msg msg;
	struct kvgpu_ctx *ctx;
	fl_owner_t owner;
};

static int do_flush(struct kvgpu_dev *kdev, struct kvgpu_msg *msg)
{
	struct flush_msg *m = container_of(msg, struct flush_msg, msg);

	kvgpu_calls_end(m->ctx, m->owner);
	return 0;
}

int kvgpu_flush(struct file *file, fl_owner_t owner)
{
	struct flush_msg m = { .msg.fn = do_flush, .ctx = file->private_data, .owner = owner };

	if (owner && atomic_read(&m.ctx->call_count))
		kvgpu_post(m.ctx->kdev, &m.msg);
	return 0;
}

/* ---- eventfd --------------------------------------------------------------------------------------------------- */

static void eventfd_end(struct kvgpu_call *call, int result)
{
	kvgpu_eventfd_signal(call->eventfd);
	eventfd_ctx_put(call->eventfd);
	kvgpu_call_free(call);
}

struct eventfd_msg {
	struct kvgpu_msg msg;
	struct kvgpu_call *call;
};

/* What cannot come is refused, not called. */
static int do_eventfd(struct kvgpu_dev *kdev, struct kvgpu_msg *msg)
{
	struct kvgpu_call *call = container_of(msg, struct eventfd_msg, msg)->call;
	struct kvgpu_queue *queue = xa_load(&call->ctx->queues, call->queue);

	if (!queue)
		return -ENOENT;
	kvgpu_rings_take(call->ctx);
	if (call->seq > queue->submitted)
		return -EINVAL;
	kvgpu_call_wait(call);
	return 0;
}

long kvgpu_eventfd(struct kvgpu_ctx *ctx, void __user *arg)
{
	struct eventfd_msg m = { .msg.fn = do_eventfd };
	struct vgpu_eventfd args;
	struct kvgpu_call *call;
	int ret;

	if (copy_from_user(&args, arg, sizeof(args)))
		return -EFAULT;
	if (args.flags || args.reserved)
		return -EINVAL;
	call = kzalloc(sizeof(*call), GFP_KERNEL_ACCOUNT);
	if (!call)
		return -ENOMEM;
	ret = kvgpu_call_begin(call, ctx);
	if (ret) {
		kfree(call);
		return ret;
	}
	call->end = eventfd_end;
	call->queue = args.queue;
	call->seq = args.seq;
	call->eventfd = eventfd_ctx_fdget(args.fd);
	ret = PTR_ERR_OR_ZERO(call->eventfd);
	if (ret)
		goto free;
	m.call = call;
	ret = kvgpu_post_killable(ctx->kdev, &m.msg);
	if (!ret)
		return 0;
	eventfd_ctx_put(call->eventfd);
free:
	kvgpu_call_free(call);
	return ret;
}

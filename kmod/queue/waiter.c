// SPDX-License-Identifier: GPL-2.0-only
/*
 * Asynchronous fence waiters: io_uring commands and eventfds that a fence completes while no thread
 * waits for it. They are kept with their queue in the order of sequence numbers and belong to the
 * actor. Each ends exactly once: when its fence is reached, or the context dies or is closed. One
 * of io_uring also ends when a descriptor is closed by the process it came from (flush), and when
 * the watch finds that its time is over, or that its process or its ring goes away: io_uring itself
 * does not tell a driver so before 6.7.
 */
#include <linux/eventfd.h>
#include <linux/ktime.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "kmod/queue/queue.h"

/* Nobody who ends is kept waiting for longer, but by those who have thousands of calls. */
#define WATCH_PERIOD	msecs_to_jiffies(50)
/* Calls looked at, and calls ended (which wakes somebody), before the actor sees to others. */
#define LOOKS_PER_TURN	1024u
#define ENDS_PER_TURN	64u

int kvgpu_call_begin(struct kvgpu_call *call, struct kvgpu_ctx *ctx)
{
	if (atomic_inc_return(&ctx->waiters->call_count) > KVGPU_WAITERS_MAX) {
		atomic_dec(&ctx->waiters->call_count);
		return -EBUSY;
	}
	call->ctx = ctx;
	RB_CLEAR_NODE(&call->node);
	return 0;
}

void kvgpu_call_free(struct kvgpu_call *call)
{
	atomic_dec(&call->ctx->waiters->call_count);
	kfree(call);
}

static void call_end(struct kvgpu_call *call, int result)
{
	if (!RB_EMPTY_NODE(&call->node)) {
		rb_erase_cached(&call->node, call->in);
		list_del(&call->all);
		if (call->cmd_owner) {
			list_del(&call->owned);
			call->ctx->waiters->command_count--;
		}
		if (call->waits)
			kvgpu_participant_run(call->ctx->participant);
	}
	call->end(call, result);
}

static bool sooner(struct rb_node *a, const struct rb_node *b)
{
	return rb_entry(a, struct kvgpu_call, node)->seq <
	       rb_entry(b, struct kvgpu_call, node)->seq;
}

static void call_add(struct kvgpu_queue *queue, struct kvgpu_call *call)
{
	call->in = &queue->calls;
	rb_add_cached(&call->node, call->in, sooner);
	if (!call->cmd_owner) {
		list_add_tail(&call->all, &call->ctx->waiters->eventfds);
		return;
	}
	list_add_tail(&call->all, &call->ctx->waiters->commands);
	list_add_tail(&call->owned, &call->ctx->waiters->owned);
	call->ctx->waiters->command_count++;
}

static struct kvgpu_call *first_call(struct kvgpu_queue *queue)
{
	struct rb_node *first = rb_first_cached(&queue->calls);

	return first ? rb_entry(first, struct kvgpu_call, node) : NULL;
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
			if (kdev->clock->mode == KVGPU_LOCKSTEP)
				kvgpu_participant_attach(ctx->participant);
			kvgpu_participant_block(ctx->participant);
		}
		if (call->cmd_owner)
			queue_delayed_work(system_wq, &kdev->queues->watch, WATCH_PERIOD);
	}
}

bool kvgpu_calls_look(struct kvgpu_ctx *ctx)
{
	/* a lockstep clock must know all who run again before time passes */
	u32 ends = ctx->kdev->clock->mode == KVGPU_LOCKSTEP ? U32_MAX : ENDS_PER_TURN;
	struct kvgpu_call *call;
	struct kvgpu_queue *queue;
	unsigned long id;

	if (list_empty(&ctx->waiters->commands) && list_empty(&ctx->waiters->eventfds))
		return false;
	xa_for_each(&ctx->queues, id, queue)
		while ((call = first_call(queue)) && call->seq <= queue->completed) {
			if (!ends--)
				return true;
			call_end(call, fate(ctx));
		}
	return false;
}

bool kvgpu_calls_end(struct kvgpu_ctx *ctx)
{
	struct kvgpu_call *call;
	u32 ends;

	for (ends = 0; ends < ENDS_PER_TURN; ends++) {
		call = list_first_entry_or_null(&ctx->waiters->eventfds, struct kvgpu_call, all);
		if (!call)
			return false;
		call_end(call, -ECANCELED);
	}
	return true;
}

/* ---- the end without the device ----------------------------------------- */

struct watch_msg {
	struct kvgpu_msg msg;
	unsigned long context;		/* to go on with */
	u32 left;			/* of its commands, those to look at yet, at most */
	bool again;			/* all has not been seen */
	bool more;
};

/* Looks at one, and puts it behind the others. */
static void watch_call(struct kvgpu_call *call, u64 now)
{
	list_move_tail(&call->all, &call->ctx->waiters->commands);
	if (call->deadline && call->deadline <= now)
		call_end(call, -ETIME);
	else if (kvgpu_uring_abandoned(call))
		call_end(call, -ECANCELED);
}

static int do_watch(struct kvgpu_dev *kdev, struct kvgpu_msg *msg)
{
	struct watch_msg *m = container_of(msg, struct watch_msg, msg);
	u32 looks = LOOKS_PER_TURN;
	u64 now = ktime_get_ns();
	struct kvgpu_ctx *ctx;
	unsigned long id;

	m->again = false;
	xa_for_each_start(&kdev->contexts, id, ctx, m->context) {
		if (id != m->context || !m->left)
			m->left = ctx->waiters->command_count;
		m->context = id;
		for (; m->left && !list_empty(&ctx->waiters->commands); m->left--) {
			if (!looks--) {
				m->again = true;
				return 0;
			}
			watch_call(list_first_entry(&ctx->waiters->commands, struct kvgpu_call, all), now);
		}
		m->left = 0;
		m->more |= !list_empty(&ctx->waiters->commands);
	}
	return 0;
}

void kvgpu_calls_watch(struct work_struct *work)
{
	struct kvgpu_dev *kdev = container_of(to_delayed_work(work), struct kvgpu_queues,
					      watch)->kdev;
	struct watch_msg m = { .msg.fn = do_watch };

	do
		kvgpu_post(kdev, &m.msg);
	while (m.again);
	if (m.more)
		queue_delayed_work(system_wq, &kdev->queues->watch, WATCH_PERIOD);
}

struct flush_msg {
	struct kvgpu_msg msg;
	struct kvgpu_ctx *ctx;
	fl_owner_t owner;
	u32 left;			/* commands to look at yet, at most */
};

/* As the watch does; nobody else turns this list. */
static int do_flush(struct kvgpu_dev *kdev, struct kvgpu_msg *msg)
{
	struct flush_msg *m = container_of(msg, struct flush_msg, msg);
	struct kvgpu_ctx *ctx = m->ctx;
	struct kvgpu_call *call;
	u32 looks;

	for (looks = 0; looks < LOOKS_PER_TURN && m->left; looks++, m->left--) {
		call = list_first_entry_or_null(&ctx->waiters->owned, struct kvgpu_call, owned);
		if (!call) {
			m->left = 0;
			break;
		}
		list_move_tail(&call->owned, &ctx->waiters->owned);
		if (call->cmd_owner == m->owner)
			call_end(call, -ECANCELED);
	}
	return 0;
}

static int do_count(struct kvgpu_dev *kdev, struct kvgpu_msg *msg)
{
	struct flush_msg *m = container_of(msg, struct flush_msg, msg);

	m->left = m->ctx->waiters->command_count;
	return do_flush(kdev, msg);
}

int kvgpu_flush(struct file *file, fl_owner_t owner)
{
	struct kvgpu_ctx *ctx = file->private_data;
	struct flush_msg m = { .msg.fn = do_count, .ctx = ctx, .owner = owner };

	/* calls on their way to the actor may belong to the owner as well */
	if (!owner || !atomic_read(&ctx->waiters->call_count))
		return 0;
	mutex_lock(&ctx->waiters->flushing);
	kvgpu_post(ctx->kdev, &m.msg);
	for (m.msg.fn = do_flush; m.left;)
		kvgpu_post(ctx->kdev, &m.msg);
	mutex_unlock(&ctx->waiters->flushing);
	return 0;
}

/* ---- eventfd ------------------------------------------------------------ */

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

void kvgpu_queues_init(struct kvgpu_queues *queues, struct kvgpu_dev *kdev)
{
	queues->kdev = kdev;
	INIT_LIST_HEAD(&queues->rings);
	INIT_DELAYED_WORK(&queues->watch, kvgpu_calls_watch);
}

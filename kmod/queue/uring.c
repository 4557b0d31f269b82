// SPDX-License-Identifier: GPL-2.0-only
/*
 * io_uring: batches and fences as commands that complete with a CQE when the device is done. A
 * command takes what it needs of the process when it is issued, in the thread that issues it (the
 * process itself, its SQPOLL thread or an io-wq worker: all have its memory), as the ioctl does,
 * and is given to the actor; the order of the SQEs is the order in the queue. There it is a fence
 * waiter (fence/waiter.c); the actor completes it by task work. While it lasts it holds its file,
 * so the context outlives it.
 */
#include <linux/file.h>
#include <linux/fdtable.h>
#include <linux/ktime.h>
#include <linux/slab.h>

#include "kmod/queue/queue.h"

/** struct uring_call - a command that is with the actor */
struct uring_call {
	struct kvgpu_msg msg;
	struct kvgpu_waiter waiter;
	struct kvgpu_fence fence;
	struct io_uring_cmd *cmd;
	const void *owner;		/* the descriptor table it came from */
	bool taken;
	struct list_head node;		/* in ctx->uring->waiting while it waits */
	struct kvgpu_batch batch;
};

/** struct uring_result - in a command: what its CQE will say, and who is completed along with it */
struct uring_result {
	int res;
	bool waiting;			/* it has not ended; the actor can cancel it */
	u64 more;
	struct io_uring_cmd *next;
};

static struct uring_result *result_of(struct io_uring_cmd *cmd)
{
	BUILD_BUG_ON(sizeof(struct uring_result) > sizeof(cmd->pdu));
	return (struct uring_result *)cmd->pdu;
}

static void complete_in_task(struct io_uring_cmd *cmd, unsigned int issue_flags)
{
	while (cmd) {
		struct uring_result result = *result_of(cmd);

		io_uring_cmd_done(cmd, result.res, result.more, issue_flags);
		cmd = result.next;
	}
}

/* Of one ring and one task: whoever completes or cancels one of them may do so with the other. */
static bool same_ring(const struct io_uring_cmd *a, const struct io_uring_cmd *b)
{
	const struct io_kiocb *one = cmd_to_io_kiocb((void *)a);
	const struct io_kiocb *other = cmd_to_io_kiocb((void *)b);

	return one->ctx == other->ctx && one->task == other->task;
}

/* Neighbours of one ring are completed by one task work: its thread is woken once, not for each. */
void kvgpu_uring_turn(struct kvgpu_dev *kdev)
{
	struct io_uring_cmd *first = kdev->queues->ended, *cmd, *next;

	kdev->queues->ended = NULL;
	while (first) {
		for (cmd = first; (next = result_of(cmd)->next) && same_ring(first, next);
		     cmd = next)
			;
		result_of(cmd)->next = NULL;
		io_uring_cmd_complete_in_task(first, complete_in_task);
		first = next;
	}
}

static void call_free(struct uring_call *call)
{
	kvgpu_batch_free(&call->batch);
	kvgpu_waiter_uncharge(call->waiter.ctx);
	kfree(call);
}

/* ---- the end (actor) ---------------------------------------------------- */

static void call_complete(struct uring_call *call, int res, u64 more)
{
	struct kvgpu_queues *queues = call->waiter.ctx->kdev->queues;
	struct io_uring_cmd *cmd = call->cmd;

	*result_of(cmd) = (struct uring_result){ .res = res, .more = more };
	if (queues->ended)
		result_of(queues->last_ended)->next = cmd;
	else
		queues->ended = cmd;
	queues->last_ended = cmd;
	call_free(call);
}

/* Like ioctls, commands are known by number and direction; the size may be another. */
static bool op_is(const struct io_uring_cmd *cmd, u32 op)
{
	return !((cmd->cmd_op ^ op) & ~(_IOC_SIZEMASK << _IOC_SIZESHIFT));
}

/* A command that waited does so no longer. */
static void call_end(struct kvgpu_waiter *waiter, int result)
{
	struct uring_call *call = container_of(waiter, struct uring_call, waiter);
	struct kvgpu_ctx *ctx = waiter->ctx;
	const struct kvgpu_queue *queue = xa_load(&ctx->queues, call->fence.queue);
	u64 more = call->fence.seq;

	list_del(&call->node);
	ctx->uring->count--;
	if (ctx->dead && !result)
		result = -EIO;
	if (op_is(call->cmd, VGPU_URING_WAIT))
		more = queue ? queue->completed : 0;
	call_complete(call, result, more);
}

/* ---- cancelling --------------------------------------------------------- */

/* Commands looked at before the actor sees to others. */
#define CANCELS_PER_TURN	1024u

/* One for which @match is true ends with -ECANCELED; what was submitted goes on. */
struct cancel_args {
	struct kvgpu_uring *uring;
	bool (*match)(const struct uring_call *call, const void *key);
	const void *key;
	u32 left;			/* commands to look at yet, at most; ~0: all */
};

/* Looks at one after the other, and puts it behind the others. */
static int do_cancel(struct kvgpu_dev *kdev, void *arg)
{
	struct cancel_args *m = arg;
	struct kvgpu_uring *uring = m->uring;
	struct uring_call *call;
	u32 looks;

	m->left = min(m->left, uring->count);
	for (looks = 0; looks < CANCELS_PER_TURN && m->left; looks++, m->left--) {
		call = list_first_entry(&uring->waiting, struct uring_call, node);
		list_move_tail(&call->node, &uring->waiting);
		if (m->match(call, m->key))
			kvgpu_waiter_end(&call->waiter, -ECANCELED);
	}
	return uring->count;
}

/* Returns how many wait still. */
static int uring_cancel(struct kvgpu_uring *uring,
			bool (*match)(const struct uring_call *, const void *), const void *key)
{
	struct cancel_args m = { .uring = uring, .match = match, .key = key, .left = ~0u };
	int count;

	mutex_lock(&uring->cancelling);
	do
		count = kvgpu_actor_call(uring->ctx->kdev, do_cancel, &m);
	while (m.left);
	mutex_unlock(&uring->cancelling);
	return count;
}

#ifdef KVGPU_URING_CANCELS
static bool call_in_ring(const struct uring_call *call, const void *cmd)
{
	return same_ring(call->cmd, cmd);
}

/*
 * io_uring goes through the commands of a ring that is closed, or of a task that ends, with the
 * ring locked: none can complete meanwhile. They are ended all at once. A command that is on its
 * way to the actor, or has ended, is left alone: io_uring asks again while it is there.
 */
static int command_cancel(struct kvgpu_ctx *ctx, struct io_uring_cmd *cmd)
{
	if (READ_ONCE(result_of(cmd)->waiting))
		uring_cancel(ctx->uring, call_in_ring, cmd);
	return 0;
}

static void watch_start(struct kvgpu_uring *uring)
{
}
#else
/*
 * Before 6.7 io_uring waits for the commands of a ring that is closed, or of a task that ends or
 * calls exec, and tells nobody: a driver has to find out. There is nothing to be called by (flush
 * of the device's file comes after io_uring has waited, or never for a registered file; task work
 * is not run while a ring is torn down), so a work item looks every WATCH_PERIOD while a command
 * waits, at two things that stay as they are until the command is gone: the ring's reference count
 * is dying, or io_uring is at cancelling everything of the task.
 */
#define WATCH_PERIOD	msecs_to_jiffies(50)

static bool call_abandoned(const struct uring_call *call, const void *unused)
{
	struct io_kiocb *req = cmd_to_io_kiocb(call->cmd);

	return percpu_ref_is_dying(&req->ctx->refs) || atomic_read(&req->task->io_uring->in_idle);
}

static void watch_start(struct kvgpu_uring *uring)
{
	queue_delayed_work(system_wq, &uring->watch, WATCH_PERIOD);
}

static void uring_watch(struct work_struct *work)
{
	struct kvgpu_uring *uring = container_of(to_delayed_work(work), struct kvgpu_uring, watch);

	if (uring_cancel(uring, call_abandoned, NULL))
		watch_start(uring);
}
#endif

static bool call_owned(const struct uring_call *call, const void *owner)
{
	return call->owner == owner;
}

void kvgpu_uring_init(struct kvgpu_uring *uring, struct kvgpu_ctx *ctx)
{
	uring->ctx = ctx;
	INIT_LIST_HEAD(&uring->waiting);
	mutex_init(&uring->cancelling);
#ifndef KVGPU_URING_CANCELS
	INIT_DELAYED_WORK(&uring->watch, uring_watch);
#endif
}

void kvgpu_uring_exit(struct kvgpu_uring *uring)
{
#ifndef KVGPU_URING_CANCELS
	cancel_delayed_work_sync(&uring->watch);
#endif
}

int kvgpu_flush(struct file *file, fl_owner_t owner)
{
	struct kvgpu_ctx *ctx = file->private_data;

	/* commands on their way to the actor may belong to the owner as well */
	if (owner && atomic_read(&ctx->waiters->count))
		uring_cancel(ctx->uring, call_owned, owner);
	return 0;
}

/* ---- waiting (actor) ---------------------------------------------------- */

static void call_wait(struct uring_call *call)
{
	struct kvgpu_ctx *ctx = call->waiter.ctx;
	int ret;

	list_add_tail(&call->node, &ctx->uring->waiting);
	ctx->uring->count++;
	WRITE_ONCE(result_of(call->cmd)->waiting, true);
	watch_start(ctx->uring);
	ret = kvgpu_wait_begin(&call->waiter);
	if (ret)
		call_end(&call->waiter, ret);
}

/* ---- submit ------------------------------------------------------------- */

static int do_submit(struct kvgpu_dev *kdev, void *arg)
{
	struct uring_call *call = arg;
	int ret = kvgpu_batch_append(&call->batch);

	if (ret) {
		call_complete(call, ret, call->batch.failed);
		return ret;
	}
	kvgpu_batch_free(&call->batch);
	call->fence.seq = call->batch.seq;
	if (call->taken)
		call_complete(call, 0, call->fence.seq);
	else
		call_wait(call);
	return 0;
}

/* ---- wait --------------------------------------------------------------- */

static int do_wait(struct kvgpu_dev *kdev, void *arg)
{
	struct uring_call *call = arg;

	kvgpu_rings_fetch(call->waiter.ctx);
	call_wait(call);
	return 0;
}

/*
 * A fence that has been reached needs no actor: it publishes how far queues have come. That of a
 * dead context it must say, and with a lockstep clock it has to know who waits.
 */
static bool wait_reached(struct kvgpu_ctx *ctx, const struct vgpu_uring_wait *args, u64 *completed)
{
	struct kvgpu_queue *queue;

	if (READ_ONCE(ctx->kdev->clock->mode) == KVGPU_LOCKSTEP)
		return false;
	queue = kvgpu_queue_get(ctx, args->queue);
	if (!queue)
		return false;
	*completed = smp_load_acquire(&queue->completed);
	kvgpu_queue_put(queue);
	return args->seq <= *completed && !READ_ONCE(ctx->dead);
}

/* ---- issue -------------------------------------------------------------- */

union uring_args {
	struct vgpu_uring_submit submit;
	struct vgpu_uring_wait wait;
};

/*
 * Copy what user space may still change. A struct that is larger than args lies in a larger SQE; a
 * command behind the struct: *inside.
 */
static int args_copy(const struct io_uring_cmd *cmd, unsigned int issue_flags,
		     union uring_args *args, const struct vgpu_cmd **inside)
{
	const void *arg = kvgpu_uring_arg(cmd);
	/* 16 bytes of an SQE are the command's, and all that follows it in those of 128 */
	u32 room = sizeof(*args) + (issue_flags & IO_URING_F_SQE128 ? sizeof(**inside) : 0);
	u32 size = _IOC_SIZE(cmd->cmd_op);

	BUILD_BUG_ON(sizeof(args->submit) != 16 || sizeof(args->wait) != 16);
	if (!op_is(cmd, VGPU_URING_SUBMIT) && !op_is(cmd, VGPU_URING_WAIT))
		return -ENOTTY;
	if (size < sizeof(*args) || size > room)
		return -EINVAL;
	memcpy(args, arg, sizeof(*args));
	barrier();
	if (memchr_inv(arg + sizeof(*args), 0, size - sizeof(*args)))
		return -E2BIG;
	*inside = room - size >= sizeof(**inside) ? arg + size : NULL;
	return 0;
}

static int call_issue(struct uring_call *call, const union uring_args *args,
		      const struct vgpu_cmd *inside)
{
	if (op_is(call->cmd, VGPU_URING_SUBMIT)) {
		if (args->submit.flags & ~VGPU_URING_TAKEN)
			return -EINVAL;
		call->taken = args->submit.flags & VGPU_URING_TAKEN;
		call->fence.queue = args->submit.queue;
		call->batch.ctx = call->waiter.ctx;
		call->batch.queue = args->submit.queue;
		call->batch.count = args->submit.count;
		return kvgpu_batch_prepare(&call->batch, args->submit.commands, inside);
	}
	call->waiter.blocks = true;
	call->fence.queue = args->wait.queue;
	call->fence.seq = args->wait.seq;
	if (args->wait.timeout_ms) {
		call->waiter.wall = true;
		call->waiter.until = ktime_get_ns() + (u64)args->wait.timeout_ms * NSEC_PER_MSEC;
	}
	return 0;
}

int kvgpu_uring_cmd(struct io_uring_cmd *cmd, unsigned int issue_flags)
{
	struct kvgpu_ctx *ctx = cmd->file->private_data;
	union uring_args args;
	const struct vgpu_cmd *inside;
	struct uring_call *call;
	u64 failed, completed;
	int ret;

#ifdef KVGPU_URING_CANCELS
	if (issue_flags & IO_URING_F_CANCEL)
		return command_cancel(ctx, cmd);
#endif
	ret = args_copy(cmd, issue_flags, &args, &inside);
	if (ret)
		return ret;
	if (op_is(cmd, VGPU_URING_WAIT) && wait_reached(ctx, &args.wait, &completed)) {
		/* a returned result is completed with its neighbours, but has no room for more */
		if (!(issue_flags & IO_URING_F_CQE32))
			return 0;
		io_uring_cmd_done(cmd, 0, completed, issue_flags);
		return -EIOCBQUEUED;
	}
	call = kzalloc(sizeof(*call), GFP_KERNEL_ACCOUNT);
	if (!call)
		return -ENOMEM;
	ret = kvgpu_waiter_charge(ctx);
	if (ret) {
		kvgpu_waiter_uncharge(ctx);
		kfree(call);
		return ret;
	}
	kvgpu_waiter_init(&call->waiter, ctx, &call->fence, 1, call_end);
	call->cmd = cmd;
	call->owner = current->files;
	result_of(cmd)->waiting = false;
	ret = call_issue(call, &args, inside);
	if (!ret) {
		kvgpu_uring_mark_cancelable(cmd, issue_flags);
		kvgpu_actor_send(ctx->kdev, &call->msg,
				 op_is(cmd, VGPU_URING_SUBMIT) ? do_submit : do_wait, call);
		return -EIOCBQUEUED;
	}
	failed = call->batch.failed;
	call_free(call);
	/* not returned: EAGAIN would have it issued again, after those that follow it */
	io_uring_cmd_done(cmd, ret, failed, issue_flags);
	return -EIOCBQUEUED;
}

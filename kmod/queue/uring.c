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

/** struct uring_call - a command, until io_uring completes it */
struct uring_call {
	struct kvgpu_msg msg;
	struct kvgpu_waiter waiter;
	struct kvgpu_fence fence;
	struct io_uring_cmd *cmd;	/* which points back */
	const void *owner;		/* the descriptor table it came from */
	bool taken;
	struct list_head node;		/* actor: in ctx->uring->waiting, or empty */
	struct kvgpu_batch batch;
	int res;			/* of its CQE */
	u64 more;			/* of its CQE */
	struct llist_node ended;	/* in kdev->queues->ended; then who is completed with it */
};

static struct uring_call **call_of(struct io_uring_cmd *cmd)
{
	return (struct uring_call **)cmd->pdu;
}

/* Of one ring and one task: whoever completes or cancels one of them may do so with the other. */
static bool same_ring(const struct io_uring_cmd *a, const struct io_uring_cmd *b)
{
	const struct io_kiocb *one = cmd_to_io_kiocb((void *)a);
	const struct io_kiocb *other = cmd_to_io_kiocb((void *)b);

	return one->ctx == other->ctx && one->task == other->task;
}

/* ---- the end ------------------------------------------------------------ */

/*
 * Complete @cmd and those behind it. A call is freed when io_uring has completed its command and
 * can no longer ask to cancel it (command_cancel()).
 */
static void complete_in_task(struct io_uring_cmd *cmd, unsigned int issue_flags)
{
	struct uring_call *call, *next;

	llist_for_each_entry_safe(call, next, &(*call_of(cmd))->ended, ended) {
		/* before: the command holds the file, and with it the context */
		kvgpu_waiter_uncharge(call->waiter.ctx);
		io_uring_cmd_done(call->cmd, call->res, call->more, issue_flags);
		kfree(call);
	}
}

static struct io_uring_cmd *ended_cmd(const struct llist_node *node)
{
	return llist_entry(node, struct uring_call, ended)->cmd;
}

/* Neighbours of one ring are completed by one task work: its thread is woken once, not for each. */
void kvgpu_uring_turn(struct kvgpu_dev *kdev)
{
	struct llist_node *first = llist_reverse_order(llist_del_all(&kdev->queues->ended));
	struct llist_node *last, *next;

	for (; first; first = next) {
		last = first;
		while (last->next && same_ring(ended_cmd(first), ended_cmd(last->next)))
			last = last->next;
		next = last->next;
		last->next = NULL;
		io_uring_cmd_complete_in_task(ended_cmd(first), complete_in_task);
	}
}

/* Actor: io_uring will hear of it. */
static void call_finish(struct uring_call *call, int res, u64 more)
{
	call->res = res;
	call->more = more;
	llist_add(&call->ended, &call->waiter.ctx->kdev->queues->ended);
}

/* Actor: a command that waited does so no longer. */
static void call_end(struct kvgpu_waiter *waiter, int result)
{
	struct uring_call *call = container_of(waiter, struct uring_call, waiter);
	struct kvgpu_ctx *ctx = waiter->ctx;
	const struct kvgpu_queue *queue = xa_load(&ctx->queues, call->fence.queue);
	u64 more = call->batch.seq;

	list_del_init(&call->node);
	ctx->uring->count--;
	if (ctx->dead && !result)
		result = -EIO;
	if (!more && queue)
		more = queue->completed;
	call_finish(call, result, more);
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
	return m->left ? KVGPU_AGAIN : uring->count;
}

/* Returns how many wait still. */
static int uring_cancel(struct kvgpu_uring *uring,
			bool (*match)(const struct uring_call *, const void *), const void *key)
{
	struct cancel_args m = { .uring = uring, .match = match, .key = key, .left = ~0u };
	int count;

	mutex_lock(&uring->cancelling);
	count = kvgpu_inbox_call(&uring->ctx->inbox, do_cancel, &m);
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
 * way to the actor, or has ended, is left alone: io_uring calls again while it is there.
 */
static int command_cancel(struct io_uring_cmd *cmd)
{
	const struct uring_call *call = *call_of(cmd);

	if (!list_empty(&call->node))
		uring_cancel(call->waiter.ctx->uring, call_in_ring, cmd);
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

	atomic_inc(&ctx->uring->flushes);
	/* commands on their way to the actor may belong to the owner as well */
	if (owner && atomic_read(&ctx->waiters->count))
		uring_cancel(ctx->uring, call_owned, owner);
	return 0;
}

/* ---- with the actor ----------------------------------------------------- */

/* Push what is to be submitted; then wait for it, or for the fence that was named. */
static int do_call(struct kvgpu_dev *kdev, void *arg)
{
	struct uring_call *call = arg;
	struct kvgpu_uring *uring = call->waiter.ctx->uring;
	int ret = 0;

	if (call->batch.count) {
		ret = kvgpu_batch_append(&call->batch);
		if (ret == KVGPU_AGAIN)
			return ret;
		kvgpu_batch_free(&call->batch);
		call->fence.seq = call->batch.seq;
	} else if (kvgpu_rings_fetch(call->waiter.ctx)) {
		return KVGPU_AGAIN;
	}
	if (ret || call->taken) {
		call_finish(call, ret, ret ? call->batch.failed : call->batch.seq);
		return 0;
	}
	list_add_tail(&call->node, &uring->waiting);
	uring->count++;
	watch_start(uring);
	ret = kvgpu_wait_begin(&call->waiter);
	if (ret)
		call_end(&call->waiter, ret);
	return 0;
}

/* ---- issue -------------------------------------------------------------- */

/* Like ioctls, commands are known by number and direction; the size may be another. */
#define OP(number)	((number) & ~IOCSIZE_MASK)

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
	if (OP(cmd->cmd_op) != OP(VGPU_URING_SUBMIT) && OP(cmd->cmd_op) != OP(VGPU_URING_WAIT))
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

/*
 * A fence that has been reached needs no actor: it publishes how far queues have come. That of a
 * dead context it must say, and with a lockstep clock it has to know who waits.
 */
static bool wait_reached(struct kvgpu_ctx *ctx, const struct vgpu_uring_wait *args, u64 *completed)
{
	struct kvgpu_queue *queue;

	if (READ_ONCE(ctx->kdev->system->clock->mode) == KVGPU_LOCKSTEP)
		return false;
	queue = kvgpu_queue_get(ctx, args->queue);
	if (!queue)
		return false;
	*completed = smp_load_acquire(&queue->completed);
	kvgpu_queue_put(queue);
	return args->seq <= *completed && !READ_ONCE(ctx->dead);
}

static struct uring_call *call_alloc(struct io_uring_cmd *cmd)
{
	struct uring_call *call = kzalloc(sizeof(*call), GFP_KERNEL_ACCOUNT);
	struct kvgpu_ctx *ctx = cmd->file->private_data;

	if (!call)
		return ERR_PTR(-ENOMEM);
	if (kvgpu_waiter_charge(ctx)) {
		kvgpu_waiter_uncharge(ctx);
		kfree(call);
		return ERR_PTR(-EBUSY);
	}
	kvgpu_waiter_init(&call->waiter, ctx, &call->fence, 1, call_end);
	INIT_LIST_HEAD(&call->node);
	call->owner = current->files;
	call->cmd = cmd;
	*call_of(cmd) = call;
	return call;
}

static int prepare_submit(struct uring_call *call, const struct vgpu_uring_submit *args,
			  const struct vgpu_cmd *inside)
{
	if (args->flags & ~VGPU_URING_TAKEN)
		return -EINVAL;
	call->taken = args->flags & VGPU_URING_TAKEN;
	call->fence.queue = args->queue;
	call->batch.ctx = call->waiter.ctx;
	call->batch.queue = args->queue;
	call->batch.count = args->count;
	return kvgpu_batch_prepare(&call->batch, args->commands, inside);
}

static void prepare_wait(struct uring_call *call, const struct vgpu_uring_wait *args, u64 until)
{
	call->waiter.blocks = true;
	call->fence.queue = args->queue;
	call->fence.seq = args->seq;
	call->waiter.wall = until != VGPU_NEVER;
	call->waiter.until = until;
}

/* ---- threads of io_uring's ---------------------------------------------- */

/* One looks so often whether it is to leave, and does when nothing was executed so many times. */
#define LOOK_NS		(50 * NSEC_PER_MSEC)
#define UNUSED_LOOKS	20u

/*
 * A command with IOSQE_ASYNC is issued by a thread of the process that io_uring keeps for what may
 * sleep. Where the command is a wait, which the actor knows of as of any other, the thread waits
 * too, as it would in VGPU_IOC_WAIT: so it executes the process's kernels meanwhile
 * (core/helpers.c). What is issued in the same way may have to wait for it, so it stays only while
 * it is of use. It leaves at a signal, by which io_uring cancels what such threads do, and when a
 * descriptor is closed: @flushes of them were before.
 */
static void help_in_thread(struct kvgpu_ctx *ctx, const struct vgpu_uring_wait *args, u64 until,
			   int flushes)
{
	u64 now = ktime_get_ns(), completed;
	u32 unused = 0;
	s64 before;
	int ret;

	do {
		if (now >= until || !kvgpu_helpers_wanted(ctx->helpers) ||
		    READ_ONCE(ctx->kdev->system->clock->mode) == KVGPU_LOCKSTEP)
			return;
		before = atomic64_read(&ctx->helpers->ns);
		ret = kvgpu_wait_for(ctx, args->queue, args->seq,
				     min_t(u64, LOOK_NS, until - now), &completed);
		unused = atomic64_read(&ctx->helpers->ns) == before ? unused + 1 : 0;
		now = ktime_get_ns();
	} while (ret == -ETIMEDOUT && unused < UNUSED_LOOKS &&
		 atomic_read(&ctx->uring->flushes) == flushes);
}

int kvgpu_uring_cmd(struct io_uring_cmd *cmd, unsigned int issue_flags)
{
	struct kvgpu_ctx *ctx = cmd->file->private_data;
	const struct vgpu_cmd *inside;
	union uring_args args;
	struct uring_call *call;
	u64 completed, until = VGPU_NEVER;
	struct file *file = NULL;
	bool waits;
	int flushes, ret;

#ifdef KVGPU_URING_CANCELS
	if (issue_flags & IO_URING_F_CANCEL)
		return command_cancel(cmd);
#endif
	ret = args_copy(cmd, issue_flags, &args, &inside);
	if (ret)
		return ret;
	waits = OP(cmd->cmd_op) == OP(VGPU_URING_WAIT);
	if (waits && args.wait.timeout_ms)
		until = ktime_get_ns() + (u64)args.wait.timeout_ms * NSEC_PER_MSEC;
	if (waits && wait_reached(ctx, &args.wait, &completed)) {
		/* a returned result is completed with its neighbours, but has no room for more */
		if (!(issue_flags & IO_URING_F_CQE32))
			return 0;
		io_uring_cmd_done(cmd, 0, completed, issue_flags);
		return -EIOCBQUEUED;
	}
	call = call_alloc(cmd);
	if (IS_ERR(call))
		return PTR_ERR(call);
	flushes = atomic_read(&ctx->uring->flushes);
	/* the command holds the file, but may end before its thread has done with it */
	if (waits && !(issue_flags & IO_URING_F_NONBLOCK))
		file = get_file(cmd->file);
	if (waits)
		prepare_wait(call, &args.wait, until);
	else
		ret = prepare_submit(call, &args.submit, inside);
	if (!ret) {
		kvgpu_uring_mark_cancelable(cmd, issue_flags);
		kvgpu_inbox_send(&ctx->inbox, &call->msg, do_call, call);
	} else {
		/* not returned: EAGAIN would have it issued again, after those that follow it */
		kvgpu_batch_free(&call->batch);
		call->res = ret;
		call->more = call->batch.failed;
		complete_in_task(cmd, issue_flags);
	}
	if (file) {
		help_in_thread(ctx, &args.wait, until, flushes);
		fput(file);
	}
	return -EIOCBQUEUED;
}

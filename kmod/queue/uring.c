// SPDX-License-Identifier: GPL-2.0-only
/*
 * io_uring: batches and fences as commands that complete with a CQE when the device is done. A
 * command takes what it needs of the process when it is issued, in the thread that issues it (the
 * process itself, its SQPOLL thread or an io-wq worker: all have its memory), as the ioctl does,
 * and is given to the actor; the order of the SQEs is the order in the queue. The actor completes
 * it by task work. While it lasts it holds its file, so the context outlives it.
 */
#include <linux/file.h>
#include <linux/fdtable.h>
#include <linux/ktime.h>
#include <linux/percpu-refcount.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "kmod/queue/queue.h"

/* What the CQE will say, and who is told along with it. */
struct answer {
	int res;
	u64 more;
	struct io_uring_cmd *next;
};

static struct answer *answer_of(struct io_uring_cmd *cmd)
{
	BUILD_BUG_ON(sizeof(struct answer) > sizeof(cmd->pdu));
	return (struct answer *)cmd->pdu;
}

static void complete_in_task(struct io_uring_cmd *cmd, unsigned int issue_flags)
{
	while (cmd) {
		struct answer answer = *answer_of(cmd);

		io_uring_cmd_done(cmd, answer.res, answer.more, issue_flags);
		cmd = answer.next;
	}
}

static bool same_ring(struct io_uring_cmd *a, struct io_uring_cmd *b)
{
	return cmd_to_io_kiocb(a)->ctx == cmd_to_io_kiocb(b)->ctx &&
	       cmd_to_io_kiocb(a)->task == cmd_to_io_kiocb(b)->task;
}

/* Neighbours of one ring are told by one task work: its thread is woken once, not for each. */
void kvgpu_uring_answer(struct kvgpu_dev *kdev)
{
	struct io_uring_cmd *first = kdev->queues->answers, *cmd, *next;

	kdev->queues->answers = NULL;
	while (first) {
		for (cmd = first; (next = answer_of(cmd)->next) && same_ring(first, next);
		     cmd = next)
			;
		answer_of(cmd)->next = NULL;
		io_uring_cmd_complete_in_task(first, complete_in_task);
		first = next;
	}
}

/* Nobody needs the commands any more. */
static void batch_done(struct kvgpu_call *call)
{
	if (call->batch.push != &call->one)
		kvfree(call->batch.push);
	call->batch.push = NULL;
	kvgpu_batch_free(&call->batch);
}

static void call_free(struct kvgpu_call *call)
{
	batch_done(call);
	kvgpu_call_free(call);
}

static void answer(struct kvgpu_call *call, int result, u64 more)
{
	struct kvgpu_dev *kdev = call->ctx->kdev;
	struct io_uring_cmd *cmd = call->cmd;

	*answer_of(cmd) = (struct answer){ result, more };
	if (kdev->queues->answers)
		answer_of(kdev->queues->last_answer)->next = cmd;
	else
		kdev->queues->answers = cmd;
	kdev->queues->last_answer = cmd;
	call_free(call);
}

bool kvgpu_uring_abandoned(const struct kvgpu_call *call)
{
	struct io_kiocb *req = cmd_to_io_kiocb(call->cmd);
	struct task_struct *task = req->task;

	return percpu_ref_is_dying(&req->ctx->refs) || task->flags & PF_EXITING ||
	       task->in_execve || READ_ONCE(task->signal->flags) & SIGNAL_GROUP_EXIT ||
	       READ_ONCE(task->signal->group_exec_task);
}

/* ---- submit ------------------------------------------------------------- */

static void submit_end(struct kvgpu_call *call, int result)
{
	answer(call, result, call->seq);
}

static int do_submit(struct kvgpu_dev *kdev, struct kvgpu_msg *msg)
{
	struct kvgpu_call *call = container_of(msg, struct kvgpu_call, msg);
	int ret = kvgpu_batch_append(&call->batch);

	if (ret) {
		kvgpu_batch_undo(&call->batch);
		answer(call, ret, call->batch.failed);
		return ret;
	}
	batch_done(call);
	call->seq = call->batch.seq;
	if (call->taken)
		submit_end(call, 0);
	else
		kvgpu_call_wait(call);
	return 0;
}

/* The commands, from the process or from the SQE itself. */
static int submit_copy(struct kvgpu_call *call, u64 commands, const struct vgpu_cmd *inside)
{
	struct kvgpu_batch *batch = &call->batch;

	batch->push = &call->one;
	if (!commands && inside && batch->count == 1) {
		memcpy(&call->one.cmd, inside, sizeof(*inside));
		return 0;
	}
	if (batch->count > 1) {
		batch->push = kvcalloc(batch->count, sizeof(*batch->push), GFP_KERNEL_ACCOUNT);
		if (!batch->push)
			return -ENOMEM;
	}
	return kvgpu_batch_copy(batch, commands);
}

static int submit(struct kvgpu_call *call, const struct vgpu_uring_submit *args,
		  const struct vgpu_cmd *inside)
{
	int ret;

	if (args->flags & ~VGPU_URING_TAKEN || !args->count || args->count > VGPU_SUBMIT_MAX)
		return -EINVAL;
	call->msg.fn = do_submit;
	call->end = submit_end;
	call->queue = args->queue;
	call->taken = args->flags & VGPU_URING_TAKEN;
	call->batch.ctx = call->ctx;
	call->batch.queue = args->queue;
	call->batch.count = args->count;
	call->batch.failed = ~0u;
	ret = submit_copy(call, args->commands, inside);
	return ret ? ret : kvgpu_batch_take(&call->batch);
}

/* ---- wait --------------------------------------------------------------- */

static void wait_end(struct kvgpu_call *call, int result)
{
	struct kvgpu_queue *queue = xa_load(&call->ctx->queues, call->queue);

	answer(call, result, queue ? queue->completed : 0);
}

static int do_wait(struct kvgpu_dev *kdev, struct kvgpu_msg *msg)
{
	kvgpu_call_wait(container_of(msg, struct kvgpu_call, msg));
	return 0;
}

static void wait(struct kvgpu_call *call, const struct vgpu_uring_wait *args)
{
	call->msg.fn = do_wait;
	call->end = wait_end;
	call->waits = true;
	call->queue = args->queue;
	call->seq = args->seq;
	if (args->timeout_ms)
		call->deadline = ktime_get_ns() + (u64)args->timeout_ms * NSEC_PER_MSEC;
}

/*
 * A fence that has been reached needs no actor: it publishes how far queues have come. That of a
 * dead context it must say, and with a lockstep clock it has to know who waits.
 */
static bool reached(struct kvgpu_ctx *ctx, struct io_uring_cmd *cmd, u64 *completed)
{
	struct vgpu_uring_wait args;
	struct kvgpu_queue *queue;

	if (cmd->cmd_op != VGPU_URING_WAIT || READ_ONCE(ctx->kdev->clock->mode) == KVGPU_LOCKSTEP)
		return false;
	memcpy(&args, kvgpu_uring_arg(cmd), sizeof(args));
	barrier();
	queue = kvgpu_queue_get(ctx, args.queue);
	if (!queue)
		return false;
	*completed = smp_load_acquire(&queue->completed);
	kvgpu_queue_put(queue);
	return args.seq <= *completed && !READ_ONCE(ctx->dead);
}

/* ---- issue -------------------------------------------------------------- */

/* Copies what user space may still change. */
static int issue(struct kvgpu_call *call, unsigned int issue_flags)
{
	const void *arg = kvgpu_uring_arg(call->cmd);
	struct vgpu_uring_submit submit_args;
	struct vgpu_uring_wait wait_args;

	BUILD_BUG_ON(sizeof(submit_args) != 16 || sizeof(wait_args) != 16);
	switch (call->cmd->cmd_op) {
	case VGPU_URING_SUBMIT:
		memcpy(&submit_args, arg, sizeof(submit_args));
		barrier();
		return submit(call, &submit_args,
			      issue_flags & IO_URING_F_SQE128 ? arg + sizeof(submit_args) : NULL);
	case VGPU_URING_WAIT:
		memcpy(&wait_args, arg, sizeof(wait_args));
		barrier();
		wait(call, &wait_args);
		return 0;
	default:
		return -ENOTTY;
	}
}

int kvgpu_uring_cmd(struct io_uring_cmd *cmd, unsigned int issue_flags)
{
	struct kvgpu_ctx *ctx = cmd->file->private_data;
	struct kvgpu_call *call;
	u64 failed, completed;
	int ret;

	if (reached(ctx, cmd, &completed)) {
		/*
		 * what is returned is completed along with its neighbours, but has no room for more
		 */
		if (!(issue_flags & IO_URING_F_CQE32))
			return 0;
		io_uring_cmd_done(cmd, 0, completed, issue_flags);
		return -EIOCBQUEUED;
	}
	call = kzalloc(sizeof(*call), GFP_KERNEL_ACCOUNT);
	if (!call)
		return -ENOMEM;
	ret = kvgpu_call_begin(call, ctx);
	if (ret) {
		kfree(call);
		return ret;
	}
	call->cmd = cmd;
	call->cmd_owner = current->files;
	ret = issue(call, issue_flags);
	if (!ret) {
		kvgpu_give(ctx->kdev, &call->msg);
		return -EIOCBQUEUED;
	}
	failed = call->batch.failed;
	call_free(call);
	/* not returned: EAGAIN would have it issued again, after those that follow it */
	io_uring_cmd_done(cmd, ret, failed, issue_flags);
	return -EIOCBQUEUED;
}

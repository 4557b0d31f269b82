// SPDX-License-Identifier: GPL-2.0-only
/*
 * Submission: a batch of commands on its way from a process to a queue. Everything of the process that the batch refers
 * to is taken here, once, by the process itself: the commands and launch parameters are copied, the memory of copies
 * and stamps is pinned. The actor then only appends. All or nothing: whatever fails, nothing of the batch stays.
 */
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "kvgpu.h"

struct submit_msg {
	struct kvgpu_msg msg;
	struct kvgpu_ctx *ctx;
	u32 queue;
	u32 count;
	struct vgpu_push *push;
	u64 param_bytes;
	u32 failed;
	u64 seq;
};

static int do_submit(struct kvgpu_dev *kdev, struct kvgpu_msg *msg)
{
	struct submit_msg *m = container_of(msg, struct submit_msg, msg);
	struct kvgpu_ctx *ctx = m->ctx;
	struct kvgpu_queue *queue = xa_load(&ctx->queues, m->queue);
	int ret;

	if (!queue)
		return -ENOENT;
	if (ctx->inflight + m->count > KVGPU_COMMANDS_MAX ||
	    ctx->param_bytes + m->param_bytes > KVGPU_PARAMS_MAX)
		return READ_ONCE(ctx->dead) ? -EIO : -EAGAIN;
	if (kdev->clock.mode == KVGPU_LOCKSTEP)
		kvgpu_seat_attach(ctx->seat);
	/* before the push: a command may complete inside it */
	WRITE_ONCE(ctx->inflight, ctx->inflight + m->count);
	ctx->param_bytes += m->param_bytes;
	ret = vgpu_queue_push(kdev->model, ctx->id, m->queue, m->push, m->count, &m->failed, &m->seq);
	if (ret) {
		WRITE_ONCE(ctx->inflight, ctx->inflight - m->count);
		ctx->param_bytes -= m->param_bytes;
		return ret;
	}
	WRITE_ONCE(queue->submitted, m->seq);
	return 0;
}

/* What a command refers to in the process. */
struct host_memory {
	u64 address;
	u64 bytes;	/* 0: nothing */
	bool write;	/* by the device */
};

static struct host_memory host_memory(const struct vgpu_cmd *cmd)
{
	switch (cmd->op) {
	case VGPU_CMD_COPY_H2D:
		return (struct host_memory){ cmd->copy.src, cmd->copy.bytes, false };
	case VGPU_CMD_COPY_D2H:
		return (struct host_memory){ cmd->copy.dst, cmd->copy.bytes, true };
	case VGPU_CMD_STAMP:
		return (struct host_memory){ cmd->stamp.dst, sizeof(u64), true };
	default:
		return (struct host_memory){};
	}
}

static u32 param_bytes(const struct vgpu_cmd *cmd)
{
	return cmd->op == VGPU_CMD_LAUNCH ? cmd->launch.param_bytes : 0;
}

/* Sums that bound the batch, before anything is taken. On -EINVAL @failed is the command that goes too far. */
static int batch_check(const struct vgpu_push *push, u32 count, u64 *params, u32 *failed)
{
	u64 pinned = 0;
	u32 i;

	*params = 0;
	for (i = 0; i < count; i++) {
		struct host_memory memory = host_memory(&push[i].cmd);

		*failed = i;
		if (memory.bytes > VGPU_COPY_MAX || param_bytes(&push[i].cmd) > VGPU_VASS_MAX_PARAM)
			return -EINVAL;
		pinned += memory.bytes;
		if (pinned > VGPU_PINNED_MAX)
			return -EINVAL;
		*params += param_bytes(&push[i].cmd);
	}
	return 0;
}

static void batch_release(struct vgpu_push *push, u32 count)
{
	u32 i;

	for (i = 0; i < count; i++)
		if (push[i].cookie && !(push[i].cookie & 1))
			kvgpu_unpin((struct kvgpu_pin *)(uintptr_t)push[i].cookie);
}

/* Take what the batch refers to. On failure nothing is held and @failed names the command. */
static int batch_take(struct kvgpu_ctx *ctx, struct vgpu_push *push, u32 count, void *params, u32 *failed)
{
	struct kvgpu_pin *pin;
	u32 i, bytes;
	int ret;

	for (i = 0; i < count; i++) {
		struct host_memory memory = host_memory(&push[i].cmd);

		bytes = param_bytes(&push[i].cmd);
		if (bytes) {
			ret = -EFAULT;
			if (copy_from_user(params, u64_to_user_ptr(push[i].cmd.launch.params), bytes))
				goto undo;
			push[i].params = params;
			push[i].cookie = kvgpu_cookie_params(bytes);
			params += bytes;
		}
		if (memory.bytes) {
			pin = kvgpu_pin(ctx, memory.address, memory.bytes, memory.write);
			ret = PTR_ERR_OR_ZERO(pin);
			if (ret)
				goto undo;
			push[i].cookie = (uintptr_t)pin;
		}
	}
	return 0;
undo:
	*failed = i;
	batch_release(push, i);
	return ret;
}

static int batch_copy(struct vgpu_push *push, u32 count, u64 commands)
{
	const struct vgpu_cmd __user *from = u64_to_user_ptr(commands);
	u32 i;

	for (i = 0; i < count; i++)
		if (copy_from_user(&push[i].cmd, from + i, sizeof(push[i].cmd)))
			return -EFAULT;
	return 0;
}

static int submit(struct submit_msg *m, u64 commands)
{
	void *params = NULL;
	int ret;

	ret = batch_copy(m->push, m->count, commands);
	if (ret)
		return ret;
	ret = batch_check(m->push, m->count, &m->param_bytes, &m->failed);
	if (ret)
		return ret;
	if (m->param_bytes) {
		params = kvmalloc(m->param_bytes, GFP_KERNEL_ACCOUNT);
		if (!params)
			return -ENOMEM;
	}
	ret = batch_take(m->ctx, m->push, m->count, params, &m->failed);
	if (ret)
		goto out;
	ret = kvgpu_post_killable(m->ctx->kdev, &m->msg);
	if (ret)
		batch_release(m->push, m->count);
out:
	kvfree(params);
	return ret;
}

long kvgpu_submit(struct kvgpu_ctx *ctx, void __user *arg)
{
	struct vgpu_submit __user *user = arg;
	struct submit_msg m = { .msg.fn = do_submit, .ctx = ctx, .failed = ~0u };
	struct vgpu_submit args;
	int ret;

	if (copy_from_user(&args, user, sizeof(args)))
		return -EFAULT;
	if (args.flags || !args.count || args.count > VGPU_SUBMIT_MAX)
		return -EINVAL;
	/* what is submitted cannot be taken back, so be sure that the answer can be given */
	if (put_user(~0u, &user->failed) || put_user(0, &user->seq))
		return -EFAULT;
	m.queue = args.queue;
	m.count = args.count;
	m.push = kvcalloc(args.count, sizeof(*m.push), GFP_KERNEL_ACCOUNT);
	if (!m.push)
		return -ENOMEM;
	ret = submit(&m, args.commands);
	kvfree(m.push);
	if (ret)
		put_user(m.failed, &user->failed);
	else if (put_user(m.seq, &user->seq))
		ret = -EFAULT;
	return ret;
}

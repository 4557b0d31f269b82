// SPDX-License-Identifier: GPL-2.0-only
/*
 * Submission: a batch of commands on its way from a process to a queue. Everything of the process
 * that the batch refers to is taken here, once, by the process itself: the commands and launch
 * parameters are copied, the memory of copies and stamps is pinned. The actor then only appends.
 * All or nothing: whatever fails, nothing of the batch stays.
 */
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "kmod/queue/queue.h"

int kvgpu_batch_push(struct kvgpu_batch *batch)
{
	struct kvgpu_ctx *ctx = batch->ctx;
	struct kvgpu_dev *kdev = ctx->kdev;
	struct kvgpu_queue *queue = xa_load(&ctx->queues, batch->queue);
	int ret;

	kvgpu_assert_actor(kdev);
	if (!queue)
		return -ENOENT;
	if (ctx->inflight + batch->count > KVGPU_COMMANDS_MAX ||
	    ctx->param_bytes + batch->param_bytes > KVGPU_PARAMS_MAX)
		return READ_ONCE(ctx->dead) ? -EIO : -EAGAIN;
	if (kdev->system->clock->mode == KVGPU_LOCKSTEP)
		kvgpu_participant_attach(ctx->participant);
	/* before the push: a command may complete inside it */
	WRITE_ONCE(ctx->inflight, ctx->inflight + batch->count);
	kvgpu_user_wants(ctx, batch->count);
	ctx->param_bytes += batch->param_bytes;
	ret = vgpu_queue_push(kdev->model, ctx->id, batch->queue, batch->push, batch->count,
			      &batch->failed, &batch->seq);
	if (ret) {
		WRITE_ONCE(ctx->inflight, ctx->inflight - batch->count);
		kvgpu_user_wants(ctx, -(s64)batch->count);
		ctx->param_bytes -= batch->param_bytes;
		return ret;
	}
	WRITE_ONCE(queue->submitted, batch->seq);
	if (queue->ring)
		kvgpu_ring_submitted(queue->ring, batch->seq);
	return 0;
}

int kvgpu_batch_append(struct kvgpu_batch *batch)
{
	struct kvgpu_queue *queue;

	if (kvgpu_rings_fetch(batch->ctx))
		return KVGPU_AGAIN;
	queue = xa_load(&batch->ctx->queues, batch->queue);
	if (queue && queue->ring && kvgpu_ring_pending(queue->ring) && !batch->ctx->dead)
		return -EAGAIN;
	return kvgpu_batch_push(batch);
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

/*
 * Copy the commands, from the process or from @inside, and check the sums that bound the batch,
 * before anything is acquired.
 */
static int batch_copy(struct kvgpu_batch *batch, u64 commands, const struct vgpu_cmd *inside)
{
	const struct vgpu_cmd __user *from = u64_to_user_ptr(commands);
	u64 pinned = 0;
	u32 i;

	for (i = 0; i < batch->count; i++) {
		struct vgpu_cmd *cmd = &batch->push[i].cmd;
		u64 bytes;

		if (inside)
			memcpy(cmd, inside, sizeof(*cmd));
		else if (copy_from_user(cmd, from + i, sizeof(*cmd)))
			return -EFAULT;
		barrier();	/* what is checked from here on is the copy */
		bytes = host_memory(cmd).bytes;
		pinned += bytes;
		if (bytes > VGPU_COPY_MAX || pinned > VGPU_PINNED_MAX ||
		    param_bytes(cmd) > VGPU_VASS_MAX_PARAM) {
			batch->failed = i;
			return -EINVAL;
		}
		batch->param_bytes += param_bytes(cmd);
	}
	return 0;
}

/* Parameters and memory of one command. */
static int command_acquire(struct kvgpu_ctx *ctx, struct vgpu_push *push, void *params)
{
	struct host_memory memory = host_memory(&push->cmd);
	u32 bytes = param_bytes(&push->cmd);
	struct kvgpu_pin *pin;

	if (bytes) {
		if (copy_from_user(params, u64_to_user_ptr(push->cmd.launch.params), bytes))
			return -EFAULT;
		push->params = params;
		push->cookie = kvgpu_cookie_params(bytes);
	}
	if (memory.bytes) {
		pin = kvgpu_pin(ctx, memory.address, memory.bytes, memory.write);
		if (IS_ERR(pin))
			return PTR_ERR(pin);
		push->cookie = (uintptr_t)pin;
	}
	return 0;
}

/* What they refer to. */
static int batch_acquire(struct kvgpu_batch *batch)
{
	void *params;
	int ret;
	u32 i;

	if (batch->param_bytes) {
		batch->params = kvmalloc(batch->param_bytes, GFP_KERNEL_ACCOUNT);
		if (!batch->params)
			return -ENOMEM;
	}
	params = batch->params;
	for (i = 0; i < batch->count; i++) {
		ret = command_acquire(batch->ctx, &batch->push[i], params);
		if (ret) {
			batch->failed = i;
			return ret;
		}
		params += param_bytes(&batch->push[i].cmd);
	}
	return 0;
}

int kvgpu_batch_prepare(struct kvgpu_batch *batch, u64 commands, const struct vgpu_cmd *inside)
{
	int ret;

	batch->failed = ~0u;
	if (!batch->count || batch->count > VGPU_SUBMIT_MAX)
		return -EINVAL;
	batch->push = &batch->one;
	if (batch->count > 1)
		batch->push = kvcalloc(batch->count, sizeof(*batch->push), GFP_KERNEL_ACCOUNT);
	if (!batch->push)
		return -ENOMEM;
	ret = batch_copy(batch, commands, commands || batch->count > 1 ? NULL : inside);
	return ret ? ret : batch_acquire(batch);
}

void kvgpu_batch_free(struct kvgpu_batch *batch)
{
	u32 i;

	/* what was pushed, the device releases; a cookie that is even is a pin */
	for (i = 0; batch->push && !batch->seq && i < batch->count; i++)
		if (batch->push[i].cookie && !(batch->push[i].cookie & 1))
			kvgpu_unpin((struct kvgpu_pin *)(uintptr_t)batch->push[i].cookie);
	if (batch->push != &batch->one)
		kvfree(batch->push);
	kvfree(batch->params);
	batch->push = NULL;
	batch->params = NULL;
}

static int do_submit(struct kvgpu_dev *kdev, void *arg)
{
	return kvgpu_batch_append(arg);
}

int kvgpu_ioctl_submit(struct file *file, void *arg)
{
	struct vgpu_submit *args = arg;
	struct kvgpu_batch batch = {
		.ctx = file->private_data, .queue = args->queue, .count = args->count
	};
	int ret;

	args->failed = ~0u;
	args->seq = 0;
	if (args->flags)
		return -EINVAL;
	ret = kvgpu_batch_prepare(&batch, args->commands, NULL);
	if (!ret)
		ret = kvgpu_inbox_call_killable(&batch.ctx->inbox, do_submit, &batch);
	kvgpu_batch_free(&batch);
	args->seq = batch.seq;
	if (ret)
		args->failed = batch.failed;
	return ret;
}

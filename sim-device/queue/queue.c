// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Hardware queues (Tanasic 2.2): creation, the way in for batches, completion in order, and the end
 * of everything in them.
 */
#include "../core/device.h"
#include "../core/trace.h"

int vgpu_queues_init(struct vgpu_device *dev)
{
	u32 i;

	dev->dispatcher.event.fire = vgpu_dispatch_fire;
	dev->queues = vgpu_mem_alloc(dev->config.hw_queues * sizeof(*dev->queues));
	if (!dev->queues)
		return -ENOMEM;
	for (i = 0; i < dev->config.hw_queues; i++)
		dev->queues[i].index = i;
	/* One for the dispatcher; one for a command of each queue on its way to an engine. */
	return vgpu_event_reserve(dev, 1 + dev->config.hw_queues);
}

void vgpu_queues_fini(struct vgpu_device *dev)
{
	vgpu_commands_fini(dev);
	vgpu_mem_free(dev->queues);
}

struct vgpu_queue *vgpu_queue_of(struct vgpu_device *dev, const struct vgpu_context *ctx, u32 index)
{
	if (index >= dev->config.hw_queues || dev->queues[index].ctx != ctx)
		return NULL;
	return &dev->queues[index];
}

int vgpu_queue_create(struct vgpu_device *dev, u32 context, u32 *queue)
{
	struct vgpu_context *ctx = vgpu_context_find(dev, context);
	struct vgpu_queue *q;
	u32 i;

	if (!ctx)
		return -ENOENT;
	if (ctx->dead)
		return -EIO;
	if (dev->queues_used == dev->config.hw_queues)
		return -ENOSPC;
	for (i = 0; dev->queues[i].ctx; i++)
		;
	q = &dev->queues[i];
	q->ctx = ctx;
	q->generation++;
	q->pushed = 0;
	q->completed = 0;
	ctx->queues++;
	dev->queues_used++;
	/* It counts as a process now, and shares of SMs are by process. */
	if (ctx->queues == 1)
		vgpu_exec_rerank(dev);
	*queue = i;
	return 0;
}

static void release(struct vgpu_device *dev, struct vgpu_queue *queue)
{
	queue->ctx->queues--;
	queue->ctx = NULL;
	dev->queues_used--;
}

int vgpu_queue_destroy(struct vgpu_device *dev, u32 context, u32 queue)
{
	struct vgpu_context *ctx = vgpu_context_find(dev, context);
	struct vgpu_queue *q = ctx ? vgpu_queue_of(dev, ctx, queue) : NULL;

	if (!q)
		return -ENOENT;
	if (q->head)
		return -EBUSY;
	release(dev, q);
	if (!ctx->queues)
		vgpu_exec_rerank(dev);
	return 0;
}

int vgpu_queue_completed(const struct vgpu_device *dev, u32 context, u32 queue, u64 *seq)
{
	const struct vgpu_context *ctx = vgpu_context_find(dev, context);

	if (!ctx || queue >= dev->config.hw_queues || dev->queues[queue].ctx != ctx)
		return -ENOENT;
	*seq = dev->queues[queue].completed;
	return 0;
}

/* Builds the whole batch before any of it counts: all or nothing. */
static int build(struct vgpu_device *dev, struct vgpu_queue *queue, const struct vgpu_push *push,
		 u32 count, u32 *failed, struct vgpu_command **head, struct vgpu_command **tail)
{
	struct vgpu_command *command;
	u32 i;
	int err;

	*head = *tail = NULL;
	for (i = 0; i < count; i++) {
		err = vgpu_command_create(dev, queue, &push[i], queue->pushed + 1 + i, &command);
		if (err)
			break;
		if (*head)
			(*tail)->next = command;
		else
			*head = command;
		*tail = command;
	}
	if (i == count)
		return 0;
	*failed = i;
	while ((command = *head)) {
		*head = command->next;
		vgpu_command_free(dev, command);
	}
	return err;
}

int vgpu_queue_push(struct vgpu_device *dev, u32 context, u32 queue, const struct vgpu_push *push,
		    u32 count, u32 *failed, u64 *seq)
{
	struct vgpu_context *ctx = vgpu_context_find(dev, context);
	struct vgpu_queue *q = ctx ? vgpu_queue_of(dev, ctx, queue) : NULL;
	struct vgpu_command *head, *tail;
	int err;

	*failed = 0;
	if (!q)
		return -ENOENT;
	if (ctx->dead)
		return -EIO;
	if (!count || count > VGPU_SUBMIT_MAX)
		return -EINVAL;
	if (q->pending + count > VGPU_INFLIGHT_MAX)
		return -EAGAIN;
	err = build(dev, q, push, count, failed, &head, &tail);
	if (err)
		return err;
	if (q->head) {
		q->tail->next = head;
	} else {
		q->head = head;
		vgpu_dispatch_ready(dev, q);
	}
	q->tail = tail;
	q->pending += count;
	q->pushed += count;
	*seq = q->pushed;
	for (; head; head = head->next)
		vgpu_trace_command(dev, VGPU_TRACE_PUSH, head, head->cmd.op, 0);
	return 0;
}

/* The command at the head leaves its queue, well or not. */
static void complete(struct vgpu_device *dev, struct vgpu_queue *queue, int status)
{
	struct vgpu_command *command = queue->head;
	struct vgpu_completion completion = {
		.context = queue->ctx->id,
		.queue = queue->index,
		.seq = command->seq,
		.cookie = command->cookie,
		.time = dev->now,
		.status = status,
	};

	queue->head = command->next;
	queue->pending--;
	queue->completed = command->seq;
	vgpu_trace_command(dev, VGPU_TRACE_COMPLETE, command, command->cmd.op, 0);
	vgpu_command_free(dev, command);
	dev->ops->completed(dev->host, &completion);
}

void vgpu_command_done(struct vgpu_device *dev, struct vgpu_command *command)
{
	struct vgpu_queue *queue = command->queue;

	VGPU_CHECK(command == queue->head);
	complete(dev, queue, 0);
	vgpu_dispatch_wake(dev, queue);
	if (queue->head)
		vgpu_dispatch_ready(dev, queue);
}

void vgpu_queues_abort(struct vgpu_device *dev, struct vgpu_context *ctx)
{
	u32 i;

	if (!ctx->queues)
		return;
	for (i = 0; i < dev->config.hw_queues; i++) {
		struct vgpu_queue *queue = &dev->queues[i];

		if (queue->ctx != ctx || !queue->head)
			continue;
		vgpu_dispatch_forget(dev, queue);
		while (queue->head)
			complete(dev, queue, -EIO);
	}
}

void vgpu_queues_release(struct vgpu_device *dev, struct vgpu_context *ctx)
{
	u32 i;

	for (i = 0; ctx->queues; i++)
		if (dev->queues[i].ctx == ctx)
			release(dev, &dev->queues[i]);
}

// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Hardware queues (Tanasic 2.2): creation, the way in for batches, completion in order, and the end
 * of everything in them.
 */
#include "queue.h"

int vgpu_queues_init(struct vgpu_queues *queues)
{
	u32 count = queues->config->hw_queues;
	u32 i;
	int err;

	queues->dispatch.fire = vgpu_dispatch_fire;
	vgpu_list_init(&queues->ready);
	queues->list = vgpu_mem_alloc_device(count * sizeof(*queues->list));
	if (!queues->list)
		return -ENOMEM;
	for (i = 0; i < count; i++) {
		queues->list[i].all = queues;
		queues->list[i].index = i;
		vgpu_list_init(&queues->list[i].waiters);
	}
	/* One for the dispatcher; one for a command of each queue on its way to an engine. */
	err = vgpu_event_reserve(queues->sim, 1 + count);
	if (!err)
		queues->events = 1 + count;
	return err;
}

void vgpu_queues_fini(struct vgpu_queues *queues)
{
	vgpu_event_cancel(queues->sim, &queues->dispatch);
	vgpu_event_release(queues->sim, queues->events);
	vgpu_mem_free_device(queues->list);
}

struct vgpu_queue *vgpu_queue_of(const struct vgpu_queues *queues,
				 const struct vgpu_queue_context *ctx, u32 index)
{
	struct vgpu_queue *queue;

	if (index >= queues->config->hw_queues)
		return NULL;
	queue = &queues->list[vgpu_index(index, queues->config->hw_queues)];
	return queue->ctx == ctx ? queue : NULL;
}

int vgpu_queues_get(struct vgpu_queues *queues, struct vgpu_queue_context *ctx, u32 *index)
{
	struct vgpu_queue *q;
	u32 i;

	if (queues->used == queues->config->hw_queues)
		return -ENOSPC;
	for (i = 0; queues->list[i].ctx; i++)
		;
	q = &queues->list[i];
	q->ctx = ctx;
	q->generation++;
	q->pushed = 0;
	q->completed = 0;
	ctx->queues++;
	queues->used++;
	*index = i;
	return 0;
}

static void release_queue(struct vgpu_queues *queues, struct vgpu_queue *queue)
{
	queue->ctx->queues--;
	queue->ctx = NULL;
	queues->used--;
}

int vgpu_queues_put(struct vgpu_queues *queues, struct vgpu_queue_context *ctx, u32 index)
{
	struct vgpu_queue *q = vgpu_queue_of(queues, ctx, index);

	if (!q)
		return -ENOENT;
	if (q->head)
		return -EBUSY;
	release_queue(queues, q);
	return 0;
}

/* Build the whole batch before any of it counts: all or nothing. */
static int build_batch(struct vgpu_queue *queue, const struct vgpu_push *push, u32 count,
		       u32 *failed, struct vgpu_command **head, struct vgpu_command **tail)
{
	struct vgpu_command *command;
	u32 i;
	int err;

	*head = *tail = NULL;
	for (i = 0; i < count; i++) {
		err = vgpu_command_create(queue, &push[i], queue->pushed + 1 + i, &command);
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
		vgpu_command_free(queue->all, command);
	}
	return err;
}

int vgpu_queues_push(struct vgpu_queue *queue, const struct vgpu_push *push, u32 count, u32 *failed,
		     u64 *seq)
{
	struct vgpu_command *head, *tail;
	int err;

	if (!count || count > VGPU_SUBMIT_MAX)
		return -EINVAL;
	if (queue->pending + count > VGPU_INFLIGHT_MAX)
		return -EAGAIN;
	err = build_batch(queue, push, count, failed, &head, &tail);
	if (err)
		return err;
	if (queue->head) {
		queue->tail->next = head;
	} else {
		queue->head = head;
		vgpu_dispatch_ready(queue);
	}
	queue->tail = tail;
	queue->pending += count;
	queue->pushed += count;
	*seq = queue->pushed;
	for (; head; head = head->next)
		vgpu_trace_cmd(queue->all, VGPU_TRACE_PUSH, head);
	return 0;
}

void vgpu_queue_broken(struct vgpu_queue *queue)
{
	struct vgpu_fault fault = { .reason = VGPU_FAULT_MODEL, .queue = queue->index,
				    .module = ~0u, .kernel = ~0u };

	if (queue->ctx)
		queue->all->ops->fault(queue->ctx, &fault);
}

/* The command at the head leaves its queue, well or not. */
static void complete_head(struct vgpu_queue *queue, int status)
{
	struct vgpu_command *command = queue->head;
	struct vgpu_queues *queues = queue->all;

	queue->head = command->next;
	queue->pending--;
	queue->completed = command->seq;
	vgpu_trace_cmd(queues, VGPU_TRACE_COMPLETE, command);
	queues->ops->completed(queues->owner, command, status);
	vgpu_command_free(queues, command);
}

void vgpu_command_done(struct vgpu_command *command)
{
	struct vgpu_queue *queue = command->queue;

	if (!VGPU_CHECK(command == queue->head)) {
		vgpu_queue_broken(queue);
		return;
	}
	complete_head(queue, 0);
	vgpu_dispatch_wake(queue);
	if (queue->head)
		vgpu_dispatch_ready(queue);
}

void vgpu_queues_abort(struct vgpu_queues *queues, struct vgpu_queue_context *ctx)
{
	u32 i;

	if (!ctx->queues)
		return;
	for (i = 0; i < queues->config->hw_queues; i++) {
		struct vgpu_queue *queue = &queues->list[i];

		if (queue->ctx != ctx || !queue->head)
			continue;
		vgpu_dispatch_remove(queue);
		while (queue->head)
			complete_head(queue, -EIO);
	}
}

void vgpu_queues_release(struct vgpu_queues *queues, struct vgpu_queue_context *ctx)
{
	u32 i;

	for (i = 0; ctx->queues; i++)
		if (queues->list[i].ctx == ctx)
			release_queue(queues, &queues->list[i]);
	vgpu_commands_fini(ctx);
}

// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The command dispatcher (Tanasic 2.2): "inspects the top of the command queues and issues commands
 * to the corresponding engine"; it stops inspecting a queue until the command it issued has
 * completed. It looks at one head an event, in the order in which heads became ready, so that a
 * long row of commands that end at once does not hold up the host.
 */
#include "../core/device.h"
#include "../core/trace.h"

void vgpu_dispatch_ready(struct vgpu_device *dev, struct vgpu_queue *queue)
{
	struct vgpu_dispatcher *dispatcher = &dev->dispatcher;

	VGPU_CHECK(!queue->ready && queue->head);
	queue->ready = true;
	queue->ready_next = NULL;
	if (dispatcher->head)
		dispatcher->tail->ready_next = queue;
	else
		dispatcher->head = queue;
	dispatcher->tail = queue;
	if (!vgpu_event_pending(&dispatcher->event))
		vgpu_event_at(dev, &dispatcher->event, dev->now);
}

static struct vgpu_queue *take(struct vgpu_dispatcher *dispatcher)
{
	struct vgpu_queue *queue = dispatcher->head;

	dispatcher->head = queue->ready_next;
	queue->ready = false;
	return queue;
}

static bool wait_is_over(struct vgpu_device *dev, const struct vgpu_command *command)
{
	const struct vgpu_queue *target = &dev->queues[command->cmd.wait.queue];

	/* A queue that was destroyed since had nothing left in it. */
	return target->generation != command->generation ||
	       target->completed >= command->cmd.wait.seq;
}

/*
 * Park @queue with the one its head waits for. Both are of the same context, which has not
 * destroyed the target.
 */
static void wait(struct vgpu_device *dev, struct vgpu_queue *queue)
{
	struct vgpu_queue *target = &dev->queues[queue->head->cmd.wait.queue];
	struct vgpu_queue **at = &target->waiters;

	while (*at)
		at = &(*at)->waiter_next;
	*at = queue;
	queue->waiter_next = NULL;
	queue->waits_on = target;
}

void vgpu_dispatch_wake(struct vgpu_device *dev, struct vgpu_queue *queue)
{
	struct vgpu_queue **at = &queue->waiters;
	struct vgpu_queue *waiter;

	while ((waiter = *at)) {
		if (!wait_is_over(dev, waiter->head)) {
			at = &waiter->waiter_next;
			continue;
		}
		*at = waiter->waiter_next;
		waiter->waits_on = NULL;
		vgpu_dispatch_ready(dev, waiter);
	}
}

void vgpu_dispatch_forget(struct vgpu_device *dev, struct vgpu_queue *queue)
{
	struct vgpu_dispatcher *dispatcher = &dev->dispatcher;
	struct vgpu_queue *before = NULL;
	struct vgpu_queue **at;

	if (queue->ready) {
		for (at = &dispatcher->head; *at != queue; at = &(*at)->ready_next)
			before = *at;
		*at = queue->ready_next;
		if (dispatcher->tail == queue)
			dispatcher->tail = before;
		queue->ready = false;
	}
	if (queue->waits_on) {
		for (at = &queue->waits_on->waiters; *at != queue; at = &(*at)->waiter_next)
			;
		*at = queue->waiter_next;
		queue->waits_on = NULL;
	}
}

static void stamp(struct vgpu_device *dev, struct vgpu_command *command)
{
	struct vgpu_context *ctx = command->queue->ctx;
	struct vgpu_fault fault = {
		.reason = VGPU_FAULT_COPY_HOST,
		.queue = command->queue->index,
		.seq = command->seq,
		.module = ~0u,
		.kernel = ~0u,
		.bytes = sizeof(u64),
		.write = 1,
		.address = command->cmd.stamp.dst,
	};
	u64 time = dev->now;

	if (dev->ops->move(dev->host, ctx->id, command->cookie, 0, &time, sizeof(time),
			   VGPU_MOVE_TO_HOST))
		vgpu_context_die(dev, ctx, &fault);
	else
		vgpu_command_done(dev, command);
}

void vgpu_dispatch_fire(struct vgpu_device *dev, struct vgpu_event *event)
{
	struct vgpu_dispatcher *dispatcher =
		vgpu_container_of(event, struct vgpu_dispatcher, event);
	struct vgpu_command *command;

	/* The last one ready may have gone with its context. */
	if (!dispatcher->head)
		return;
	command = take(dispatcher)->head;
	if (dispatcher->head)
		vgpu_event_at(dev, event, dev->now);
	if (!command->dispatched)
		vgpu_trace_command(dev, VGPU_TRACE_DISPATCH, command, command->cmd.op, 0);
	command->dispatched = true;

	switch (command->cmd.op) {
	case VGPU_CMD_LAUNCH:
	case VGPU_CMD_PROFILED:
		vgpu_exec_submit(dev, command);
		break;
	case VGPU_CMD_COPY_H2D:
	case VGPU_CMD_COPY_D2H:
	case VGPU_CMD_COPY_D2D:
	case VGPU_CMD_FILL:
		vgpu_transfer_submit(dev, command);
		break;
	case VGPU_CMD_WAIT:
		if (wait_is_over(dev, command))
			vgpu_command_done(dev, command);
		else
			wait(dev, command->queue);
		break;
	case VGPU_CMD_STAMP:
		stamp(dev, command);
		break;
	default:
		vgpu_command_done(dev, command);
	}
}

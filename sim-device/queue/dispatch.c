// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The command dispatcher (Tanasic 2.2): "inspects the top of the command queues and issues commands
 * to the corresponding engine"; it stops inspecting a queue until the command it issued has
 * completed. It looks at one head an event, in the order in which heads became ready.
 *
 * Commands without an engine (NOP, STAMP, a WAIT or HOST that is over) it executes itself, one at a
 * time, command_ps each. So a row of them takes virtual time, and who keeps a queue full of them
 * cannot stop the clock of everybody else; a queue has its turn behind those that became ready
 * before it.
 */
#include "queue.h"

void vgpu_dispatch_ready(struct vgpu_queue *queue)
{
	if (!VGPU_CHECK(!vgpu_list_linked(&queue->ready) && queue->head)) {
		vgpu_queue_broken(queue);
		return;
	}
	if (vgpu_hardware_get(queue))
		vgpu_dispatch_bound(queue);
}

void vgpu_dispatch_bound(struct vgpu_queue *queue)
{
	struct vgpu_queues *queues = queue->all;

	vgpu_list_add_tail(&queue->ready, &queues->ready);
	if (!vgpu_event_pending(&queues->dispatch))
		vgpu_event_at(queues->sim, &queues->dispatch, queues->sim->now);
}

static bool wait_is_over(const struct vgpu_queues *queues, const struct vgpu_command *command)
{
	const struct vgpu_queue *target =
		vgpu_queue_of(queues, command->queue->ctx, command->cmd.wait.queue);

	/* A queue that was destroyed since had nothing left in it. */
	return !target || target->generation != command->generation ||
	       target->completed >= command->cmd.wait.seq;
}

void vgpu_dispatch_wake(struct vgpu_queue *queue)
{
	struct vgpu_queue *waiter, *next;

	vgpu_list_for_each_safe(waiter, next, &queue->waiters, struct vgpu_queue, waiter) {
		if (!wait_is_over(queue->all, waiter->head))
			continue;
		vgpu_list_del(&waiter->waiter);
		vgpu_dispatch_ready(waiter);
	}
}

static void set_parked(struct vgpu_queue *queue, bool parked)
{
	queue->ctx->parked += (u32)parked - (u32)queue->parked;
	queue->parked = parked;
}

void vgpu_dispatch_host_done(struct vgpu_queue *queue)
{
	if (!queue->parked || queue->head->seq > queue->host_done)
		return;
	set_parked(queue, false);
	vgpu_dispatch_ready(queue);
}

void vgpu_dispatch_remove(struct vgpu_queue *queue)
{
	struct vgpu_command *executing = queue->all->executing;

	set_parked(queue, false);
	if (executing && executing->queue == queue)
		queue->all->executing = NULL;
	vgpu_list_del(&queue->ready);
	vgpu_list_del(&queue->waiter);
	vgpu_hardware_unwant(queue);
}

static void dispatch_stamp(struct vgpu_queues *queues, struct vgpu_command *command)
{
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

	if (queues->ops->stamp(queues->owner, command))
		queues->ops->fault(command->queue->ctx, &fault);
	else
		vgpu_command_done(command);
}

static void dispatch_launch(struct vgpu_queues *queues, struct vgpu_command *command)
{
	command->job.ctx = command->queue->ctx->exec;
	command->job.queue = command->queue->index;
	command->job.seq = command->seq;
	command->job.submitted = command->submitted;
	command->job.priority = VGPU_LAUNCH_PRIORITY_OF(command->cmd.flags);
	vgpu_hardware_engaged(command->queue);
	vgpu_exec_submit(queues->exec, &command->job);
}

static void dispatch_transfer(struct vgpu_queues *queues, struct vgpu_command *command)
{
	command->transfer.ctx = command->queue->ctx->transfer;
	command->transfer.cmd = &command->cmd;
	command->transfer.queue = command->queue->index;
	command->transfer.seq = command->seq;
	command->transfer.cookie = command->cookie;
	vgpu_hardware_engaged(command->queue);
	vgpu_transfer_submit(queues->transfers, &command->transfer);
}

/*
 * Wait for another queue, among its waiters. Both are of the same context, which has not destroyed
 * the other.
 */
static void dispatch_wait(struct vgpu_queues *queues, struct vgpu_command *command)
{
	struct vgpu_queue *queue = command->queue;

	if (wait_is_over(queues, command)) {
		vgpu_command_done(command);
		return;
	}
	vgpu_list_add_tail(&queue->waiter, &queues->table[command->cmd.wait.queue]->waiters);
	vgpu_hardware_idle(queue);
}

static void dispatch_host(struct vgpu_queues *queues, struct vgpu_command *command)
{
	struct vgpu_queue *queue = command->queue;

	(void)queues;
	if (command->seq <= queue->host_done) {
		vgpu_command_done(command);
		return;
	}
	set_parked(queue, true);
	vgpu_hardware_idle(queue);
}

static void dispatch_nop(struct vgpu_queues *queues, struct vgpu_command *command)
{
	(void)queues;
	vgpu_command_done(command);
}

static void (*const dispatchers[])(struct vgpu_queues *queues, struct vgpu_command *command) = {
	[VGPU_CMD_NOP] = dispatch_nop,
	[VGPU_CMD_LAUNCH] = dispatch_launch,
	[VGPU_CMD_COPY_H2D] = dispatch_transfer,
	[VGPU_CMD_COPY_D2H] = dispatch_transfer,
	[VGPU_CMD_COPY_D2D] = dispatch_transfer,
	[VGPU_CMD_FILL] = dispatch_transfer,
	[VGPU_CMD_WAIT] = dispatch_wait,
	[VGPU_CMD_STAMP] = dispatch_stamp,
	[VGPU_CMD_PROFILED] = dispatch_launch,
	[VGPU_CMD_PREFETCH] = dispatch_transfer,
	[VGPU_CMD_HOST] = dispatch_host,
	[VGPU_CMD_ANNOUNCE] = dispatch_nop,
};

static bool takes_time(const struct vgpu_queues *queues, const struct vgpu_command *command)
{
	switch (command->cmd.op) {
	case VGPU_CMD_NOP:
	case VGPU_CMD_ANNOUNCE:
	case VGPU_CMD_STAMP:
		return queues->config->command_ps;
	case VGPU_CMD_WAIT:
		return queues->config->command_ps && wait_is_over(queues, command);
	case VGPU_CMD_HOST:
		return queues->config->command_ps && command->seq <= command->queue->host_done;
	default:
		return false;
	}
}

void vgpu_dispatch_fire(struct vgpu_event *event)
{
	struct vgpu_queues *queues = vgpu_container_of(event, struct vgpu_queues, dispatch);
	struct vgpu_command *command = queues->executing;

	if (!command) {
		struct vgpu_queue *queue =
			vgpu_list_first(&queues->ready, struct vgpu_queue, ready);

		/* The last one ready may have gone with its context. */
		if (!queue)
			return;
		vgpu_list_del(&queue->ready);
		command = queue->head;
		if (!command->dispatched)
			vgpu_trace_cmd(queues, VGPU_TRACE_DISPATCH, command);
		command->dispatched = true;
		if (takes_time(queues, command)) {
			queues->executing = command;
			vgpu_event_at(queues->sim, event,
				      vgpu_time_after(queues->sim, queues->config->command_ps));
			return;
		}
	}
	queues->executing = NULL;
	if (!vgpu_list_empty(&queues->ready))
		vgpu_event_at(queues->sim, event, queues->sim->now);
	dispatchers[command->cmd.op](queues, command);
}

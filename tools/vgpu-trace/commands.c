// SPDX-License-Identifier: MIT
/*
 * vgpu-trace: how long commands waited. A hardware queue's commands come, are dispatched and
 * complete in the order of their sequence numbers, so a command's place in the list of its queue
 * follows from its number.
 */
#include <stdlib.h>

#include "trace.h"

static struct queue *find_queue(struct trace *trace, uint32_t context, uint32_t id)
{
	struct queue *queues;

	for (size_t i = trace->queue_count; i-- > 0;)
		if (trace->queues[i].context == context && trace->queues[i].id == id)
			return &trace->queues[i];
	queues = realloc(trace->queues, (trace->queue_count + 1) * sizeof(*queues));
	if (!queues)
		return NULL;
	trace->queues = queues;
	queues[trace->queue_count] = (struct queue) { .context = context, .id = id };
	return &queues[trace->queue_count++];
}

/*
 * A number that does not go on where the last one was: the queue has been given to the context
 * again, or records were lost.
 */
static struct command *add_command(struct queue *queue, uint64_t seq)
{
	if (queue->count == queue->room) {
		size_t room = queue->room ? 2 * queue->room : 16;
		struct command *commands = realloc(queue->commands, room * sizeof(*commands));

		if (!commands)
			return NULL;
		queue->commands = commands;
		queue->room = room;
	}
	queue->commands[queue->count] = (struct command) { .seq = seq };
	return &queue->commands[queue->count++];
}

/* The newest command @seq of @queue. */
static struct command *command_of(struct queue *queue, uint64_t seq)
{
	uint64_t back;

	if (!queue->count || queue->commands[queue->count - 1].seq < seq)
		return NULL;
	back = queue->commands[queue->count - 1].seq - seq;
	if (back < queue->count && queue->commands[queue->count - 1 - back].seq == seq)
		return &queue->commands[queue->count - 1 - back];
	return NULL;
}

int trace_command(struct trace *trace, const struct vgpu_trace_record *rec)
{
	struct queue *queue = find_queue(trace, rec->context, rec->queue);
	struct command *command;

	if (!queue)
		return -1;
	if (rec->type == VGPU_TRACE_PUSH) {
		command = add_command(queue, rec->seq);
		if (!command)
			return -1;
		command->op = (uint32_t)rec->a;
		command->push = rec->time;
		return 0;
	}
	command = command_of(queue, rec->seq);
	if (!command)
		return 0;
	switch (rec->type) {
	case VGPU_TRACE_DISPATCH:
		command->dispatch = rec->time;
		command->stages |= COMMAND_DISPATCHED;
		break;
	case VGPU_TRACE_KERNEL_START:
	case VGPU_TRACE_COPY_START:
		command->start = rec->time;
		command->stages |= COMMAND_STARTED;
		break;
	default:
		command->end = rec->time;
		command->stages |= COMMAND_COMPLETE;
		break;
	}
	return 0;
}

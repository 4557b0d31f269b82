// SPDX-License-Identifier: MIT
/*
 * A transport that stands before the embedded one: it sees the commands of the program before the
 * device has them, when they have ended, and what the host learns by waiting. Numbers of commands
 * are the queue's, in order, so they are known before.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "api/state.h"
#include "commands.h"
#include "core.h"
#include "sanitizer.h"
#include "transport/embedded_device.h"
#include "vgpu.h"

#define DEVICES	(RT_DEVICES + RT_BESIDE)	/* each context has one */

struct pending {
	struct pending *next;
	struct san_command command;
};

/** struct queue - of a device; those that are closed stay */
struct queue {
	struct queue *next;
	u32 device, number;
	u64 last;			/* number of the newest command */
	struct pending *first, **end;
};

static const void *hosts[DEVICES];	/* by the device's number; NULL: closed */
static u32 host_count;			/* all behind are NULL */
static struct queue *queues;

u32 san_device_of(const void *host)
{
	for (u32 n = 0; n < host_count; n++)
		if (hosts[n] == host)
			return n;
	return DEVICES;
}

static u32 device_of(const struct vgpu_transport *t)
{
	return san_device_of(t->host);
}

/* A device keeps its number; those of further contexts come behind. */
static void number_device(unsigned int index, const void *host)
{
	u32 n = index;

	if (n >= DEVICES || hosts[n])
		for (n = RT_DEVICES; n < DEVICES && hosts[n]; n++)
			;
	if (n == DEVICES)
		return;
	hosts[n] = host;
	if (host_count <= n)
		host_count = n + 1;
}

static struct queue *queue_of(u32 device, u32 number)
{
	struct queue *queue = queues;

	while (queue && (queue->device != device || queue->number != number))
		queue = queue->next;
	if (queue)
		return queue;
	queue = calloc(1, sizeof(*queue));
	if (!queue)
		return NULL;
	*queue = (struct queue){ .next = queues, .device = device, .number = number };
	queue->end = &queue->first;
	queues = queue;
	return queue;
}

static struct san_command command_of(u32 device, u32 queue, u64 seq, const struct vgpu_cmd *cmd)
{
	struct san_command command = {
		.device = device, .op = cmd->op, .queue = queue, .seq = seq
	};

	switch (cmd->op) {
	case VGPU_CMD_COPY_H2D:
	case VGPU_CMD_COPY_D2H:
	case VGPU_CMD_COPY_D2D:
		command.dst = cmd->copy.dst;
		command.src = cmd->copy.src;
		command.bytes = cmd->copy.bytes;
		break;
	case VGPU_CMD_FILL:
		command.dst = cmd->fill.dst;
		command.bytes = cmd->fill.count * cmd->fill.width;
		break;
	case VGPU_CMD_WAIT:
		command.wait_queue = cmd->wait.queue;
		command.wait = cmd->wait.seq;
		break;
	default:
		break;
	}
	return command;
}

static void free_pending(struct pending *first)
{
	while (first) {
		struct pending *next = first->next;

		free(first);
		first = next;
	}
}

/* All or nothing: the device has none of the @count from @first on, and nothing is behind them. */
static void take_back(struct queue *queue, struct pending *first, u32 count)
{
	struct pending **at = &queue->first;

	san_lock();
	while (*at && *at != first)
		at = &(*at)->next;
	if (first && *at == first) {
		*at = NULL;
		queue->end = at;
		queue->last -= count;
		free_pending(first);
	}
	san_unlock();
}

static int submit(struct vgpu_transport *t, uint32_t number, const struct vgpu_cmd *commands,
		  uint32_t count, uint32_t *failed, uint64_t *seq)
{
	struct pending *first = NULL, **end = &first;
	u32 device = device_of(t);
	struct queue *queue;
	int error;

	san_lock();
	queue = queue_of(device, number);
	error = queue ? 0 : -ENOMEM;
	for (u32 i = 0; i < count && !error; i++) {
		struct pending *one = calloc(1, sizeof(*one));

		if (!one) {
			error = -ENOMEM;
			break;
		}
		one->command = command_of(device, number, queue->last + 1 + i, &commands[i]);
		*end = one;
		end = &one->next;
		if (commands[i].op == VGPU_CMD_LAUNCH)
			san_kernel_submitted(device, commands[i].launch.module,
					     commands[i].launch.kernel);
	}
	if (!error) {
		*queue->end = first;
		queue->end = end;
		queue->last += count;
		for (const struct pending *one = first; one; one = one->next)
			san_command_begin(&one->command);
	}
	san_unlock();
	if (error) {
		free_pending(first);
		return error;
	}
	error = vgpu_transport_embedded.submit(t, number, commands, count, failed, seq);
	if (error)
		take_back(queue, first, count);
	return error;
}

void san_completed(const void *host, u32 number, u64 seq)
{
	struct queue *queue;

	san_lock();
	queue = queue_of(san_device_of(host), number);
	while (queue && queue->first && queue->first->command.seq <= seq) {
		struct pending *one = queue->first;

		queue->first = one->next;
		if (!queue->first)
			queue->end = &queue->first;
		san_command_end(&one->command);
		free(one);
	}
	san_unlock();
}

static int open_device(unsigned int index, struct vgpu_transport **out, char *message, size_t size)
{
	int error = vgpu_transport_embedded.open(index, out, message, size);

	if (!error) {
		san_lock();
		number_device(index, (*out)->host);
		san_unlock();
	}
	return error;
}

static void close_device(struct vgpu_transport *t)
{
	u32 device = device_of(t);

	vgpu_transport_embedded.close(t);
	san_lock();
	for (struct queue *queue = queues; queue; queue = queue->next) {
		if (queue->device != device)
			continue;
		free_pending(queue->first);
		queue->first = NULL;
		queue->end = &queue->first;
		queue->last = 0;
	}
	if (device < DEVICES)
		hosts[device] = NULL;
	san_unlock();
}

/* A queue that is opened again under its number begins again at 1. */
static int queue_create(struct vgpu_transport *t, uint32_t *number)
{
	int error = vgpu_transport_embedded.queue_create(t, number);
	struct queue *queue;

	if (error)
		return error;
	san_lock();
	queue = queue_of(device_of(t), *number);
	if (queue)
		queue->last = 0;
	san_unlock();
	return 0;
}

static int wait_done(struct vgpu_transport *t, uint32_t queue, uint64_t seq, int64_t timeout_ns,
		     uint64_t *completed)
{
	int error = vgpu_transport_embedded.wait(t, queue, seq, timeout_ns, completed);

	if (!error || error == -ETIMEDOUT)
		san_host_knows(device_of(t), queue, *completed);
	return error;
}

const struct vgpu_transport_ops *san_transport(void)
{
	static struct vgpu_transport_ops ops;

	if (!ops.open) {
		ops = vgpu_transport_embedded;
		ops.close = close_device;
		ops.queue_create = queue_create;
		ops.submit = submit;
		ops.wait = wait_done;
		ops.open = open_device;
	}
	return &ops;
}

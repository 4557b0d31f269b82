// SPDX-License-Identifier: MIT
/*
 * Hardware queues as the runtime sees them: commands are numbered and collected, submitted in
 * batches, waited for.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "host_call.h"

/* -ENOSPC: the device has no more. */
static int queue_open(struct rt_queue *queue)
{
	uint32_t hw;
	int error = rt.ops->queue_create(rt.transport, &hw);

	if (error)
		return error;
	queue->arena = malloc(RT_ARENA);
	if (!queue->arena) {
		rt.ops->queue_destroy(rt.transport, hw);
		return -ENOMEM;
	}
	queue->open = true;
	queue->hw = hw;
	queue->streams = 1;
	queue->stages_end = &queue->stages;
	return 0;
}

/*
 * Is @a better to share for a stream of @priority than @b, which may be NULL? One whose streams
 * have that priority, so that none waits for less important work; of several, the one with the
 * fewest.
 */
static bool is_better(const struct rt_queue *a, const struct rt_queue *b, unsigned int priority)
{
	bool same = a->priority == priority || !a->streams;

	if (!b || same != (b->priority == priority || !b->streams))
		return !b || same;
	return a->streams < b->streams;
}

/*
 * A queue for a stream: an open one without streams, a new one while the device has some, else the
 * one with the fewest streams. Streams that share a queue stay right, but wait for each other.
 */
vgpuError_t rt_queue_get(unsigned int priority, struct rt_queue **out)
{
	struct rt_queue *least = NULL, *unused = NULL;
	unsigned int open = 0;
	int error;

	for (unsigned int i = 0; i < RT_QUEUES; i++) {
		struct rt_queue *queue = &rt.queues[i];

		if (!queue->open) {
			if (!unused)
				unused = queue;
			continue;
		}
		if (queue->aside)
			continue;
		open++;
		/* The default stream keeps its queue to itself as long as there is another. */
		if (queue == rt.default_stream.queue)
			continue;
		if (is_better(queue, least, priority))
			least = queue;
	}
	if (unused && open < rt.queue_limit && !(least && !least->streams)) {
		error = queue_open(unused);
		if (!error) {
			unused->priority = priority;
			*out = unused;
			return vgpuSuccess;
		}
		if (error != -ENOSPC)
			return rt_error_of(error);
	}
	if (!least)
		least = rt.default_stream.queue;
	if (!least)
		return vgpuErrorDevicesUnavailable;
	if (!least->streams++)
		least->priority = priority;
	*out = least;
	return vgpuSuccess;
}

/* One whose work is done serves again. */
struct rt_queue *rt_queue_get_aside(void)
{
	struct rt_queue *unused = NULL;
	unsigned int open = 0;

	for (unsigned int i = 0; i < RT_QUEUES; i++) {
		struct rt_queue *queue = &rt.queues[i];

		if (queue->open && queue->aside && queue->last == queue->completed)
			return queue;
		open += queue->open && queue->aside;
		if (!queue->open && !unused)
			unused = queue;
	}
	if (!unused || open >= RT_ASIDE || queue_open(unused))
		return NULL;
	unused->aside = true;
	return unused;
}

/* Batches have waits for @queue, which has done all its work: they are over. */
static void drop_waits(const struct rt_queue *queue)
{
	for (unsigned int i = 0; i < RT_QUEUES; i++) {
		struct rt_queue *other = &rt.queues[i];

		for (uint32_t n = 0; other->open && n < other->pending; n++)
			if (other->batch[n].op == VGPU_CMD_WAIT &&
			    other->batch[n].wait.queue == queue->hw)
				memset(&other->batch[n], 0, sizeof(other->batch[n]));
	}
}

/* Without the device: the queue is closed, or its context is gone. */
static void queue_forget(struct rt_queue *queue)
{
	uint64_t epoch = queue->epoch + 1;

	if (!queue->open)
		return;
	while (queue->stages) {
		struct rt_stage *stage = queue->stages;

		queue->stages = stage->next;
		free(stage);
	}
	free(queue->arena);
	rt_host_calls_forget(queue);
	memset(queue, 0, sizeof(*queue));
	queue->epoch = epoch;
}

void rt_queues_forget(void)
{
	for (unsigned int i = 0; i < RT_QUEUES; i++)
		queue_forget(&rt.queues[i]);
}

/* A queue nobody uses goes back to the device, for other processes, unless it is still at work. */
void rt_queue_put(struct rt_queue *queue)
{
	if (--queue->streams || queue->pending || queue->submitted > queue->completed ||
	    queue->stages)
		return;
	for (struct vgpuEvent *event = rt.events; event; event = event->next)
		if (event->queue == queue)
			event->queue = NULL;	/* done, since all of the queue is */
	for (struct rt_slot *slot = rt.busy_slots; slot; slot = slot->next)
		if (slot->queue == queue)
			slot->queue = NULL;
	drop_waits(queue);
	if (rt.ops->queue_destroy(rt.transport, queue->hw))
		return;
	queue_forget(queue);
}

/* Note what is done, and free the staged bytes that finished commands read. */
static void completed(struct rt_queue *queue, uint64_t seq)
{
	if (seq > queue->completed)
		queue->completed = seq;
	while (queue->stages && queue->stages->seq <= queue->completed) {
		struct rt_stage *stage = queue->stages;

		queue->stages = stage->next;
		if (!queue->stages)
			queue->stages_end = &queue->stages;
		queue->staged -= stage->bytes;
		free(stage);
	}
}

/* Signals of the program do not end the wait: CUDA calls do not return EINTR. */
vgpuError_t rt_wait_held(struct rt_queue *queue, uint64_t seq)
{
	uint64_t done = queue->completed;
	int error;

	if (done >= seq)
		return vgpuSuccess;
	do
		error = rt.ops->wait(rt.transport, queue->hw, seq, -1, &done);
	while (error == -EINTR);
	completed(queue, done);
	return rt_error_of(error);
}

/*
 * Too much in flight: lets the oldest half of this queue finish, or, with nothing of it in flight,
 * what the others hold. With nothing in flight at all it is other processes of the same user whose
 * copies have locked as much memory as he may: they end some time.
 */
static vgpuError_t make_room(struct rt_queue *queue)
{
	static const struct timespec a_moment = { .tv_nsec = 1000000 };

	if (queue->submitted > queue->completed)
		return rt_wait_held(queue, queue->completed +
						   (queue->submitted - queue->completed + 1) / 2);
	for (unsigned int i = 0; i < RT_QUEUES; i++) {
		struct rt_queue *other = &rt.queues[i];

		if (other->open && !other->aside && other->submitted > other->completed)
			return rt_wait_held(other, other->submitted);
	}
	nanosleep(&a_moment, NULL);
	return vgpuSuccess;
}

vgpuError_t rt_flush(struct rt_queue *queue)
{
	vgpuError_t first = vgpuSuccess, error;

	while (queue->pending) {
		uint32_t failed = queue->pending;
		uint64_t seq = 0;
		int err = rt.ops->submit(rt.transport, queue->hw, queue->batch, queue->pending,
					 &failed, &seq);

		if (!err) {
			queue->submitted = queue->last;
			queue->pending = 0;
			queue->arena_used = 0;
			queue->copy_bytes = 0;
			break;
		}
		if (err == -EINTR)
			continue;
		if (err == -EAGAIN) {
			error = make_room(queue);
			if (error == vgpuSuccess)
				continue;
		} else {
			error = rt_error_of(err);
		}
		if (first == vgpuSuccess)
			first = error;
		if ((err == -EINVAL || err == -EFAULT) && failed < queue->pending) {
			/* Its number is taken already: a NOP stands in, the others go on. */
			memset(&queue->batch[failed], 0, sizeof(queue->batch[failed]));
			continue;
		}
		queue->last -= queue->pending;
		queue->pending = 0;
		queue->arena_used = 0;
		queue->copy_bytes = 0;
	}
	return first;
}

vgpuError_t rt_flush_all(void)
{
	vgpuError_t first = vgpuSuccess, error;

	for (unsigned int i = 0; i < RT_QUEUES; i++) {
		if (!rt.queues[i].open)
			continue;
		error = rt_flush(&rt.queues[i]);
		if (first == vgpuSuccess)
			first = error;
	}
	return first;
}

vgpuError_t rt_put(struct rt_queue *queue, const struct vgpu_cmd *cmd, const void *params)
{
	vgpuError_t error = vgpuSuccess;
	uint32_t bytes = params ? cmd->launch.param_bytes : 0;
	struct vgpu_cmd *slot;

	if (queue->pending == VGPU_SUBMIT_MAX || queue->arena_used + bytes > RT_ARENA)
		error = rt_flush(queue);
	if (rt.sticky != vgpuSuccess)
		return rt.sticky;
	slot = &queue->batch[queue->pending++];
	*slot = *cmd;
	if (params) {
		memcpy(queue->arena + queue->arena_used, params, bytes);
		slot->launch.params = (uint64_t)(uintptr_t)(queue->arena + queue->arena_used);
		queue->arena_used += (bytes + 15u) & ~15u;
	}
	queue->last++;
	return error;
}

vgpuError_t rt_queue_host_call(struct rt_queue *queue, const struct rt_host_call *wanted)
{
	struct vgpu_cmd cmd = { .op = VGPU_CMD_HOST };
	/* first, so that an error below is the command's own: it is not there then */
	vgpuError_t error = rt_flush(queue);
	struct rt_host_call *call;

	if (error != vgpuSuccess)
		return error;
	call = malloc(sizeof(*call));
	if (!call)
		return vgpuErrorMemoryAllocation;
	*call = *wanted;
	call->next = NULL;
	error = rt_put(queue, &cmd, NULL);
	if (error == vgpuSuccess)
		error = rt_flush(queue);
	call->seq = queue->last;
	if (error == vgpuSuccess)
		error = rt_host_call_add(queue, call);
	if (error != vgpuSuccess)
		free(call);
	return error;
}

vgpuError_t rt_wait(struct rt_queue *queue, uint64_t seq)
{
	uint64_t epoch = queue->epoch, done;
	vgpuError_t error;
	int err;

	error = rt_flush(queue);
	while (queue->completed < seq && rt.sticky == vgpuSuccess) {
		const struct vgpu_transport_ops *ops = rt.ops;
		struct vgpu_transport *transport = rt.transport;
		uint32_t hw = queue->hw;

		done = queue->completed;
		rt.waiting++;
		pthread_mutex_unlock(&rt_lock);
		err = ops->wait(transport, hw, seq, -1, &done);
		pthread_mutex_lock(&rt_lock);
		rt.waiting--;
		if (queue->epoch != epoch)	/* closed meanwhile, so all of it was done */
			return rt.sticky != vgpuSuccess ? rt.sticky : error;
		completed(queue, done);
		if (err && err != -EINTR)
			return rt_error_of(err);
	}
	return rt.sticky != vgpuSuccess ? rt.sticky : error;
}

vgpuError_t rt_poll(struct rt_queue *queue, uint64_t seq)
{
	uint64_t done;
	vgpuError_t error = rt_flush(queue);
	int err;

	if (error != vgpuSuccess)
		return error;
	if (queue->completed >= seq)
		return vgpuSuccess;
	done = queue->completed;
	err = rt.ops->wait(rt.transport, queue->hw, seq, 0, &done);
	completed(queue, done);
	if (queue->completed >= seq)
		return vgpuSuccess;
	return err == -EINTR ? vgpuErrorNotReady : rt_error_of(err ? err : -ETIMEDOUT);
}

vgpuError_t rt_sync_all(void)
{
	vgpuError_t first = rt_flush_all(), error;

	for (unsigned int i = 0; i < RT_QUEUES; i++) {
		struct rt_queue *queue = &rt.queues[i];

		if (!queue->open || queue->aside || queue->completed >= queue->last)
			continue;
		error = rt_wait(queue, queue->last);
		if (first == vgpuSuccess)
			first = error;
	}
	return first;
}

vgpuError_t rt_stage(struct rt_queue *queue, const void *src, size_t bytes, const void **staged)
{
	struct rt_stage *stage;
	vgpuError_t error;

	if (queue->staged + bytes > RT_STAGE_ALL) {
		error = rt_wait(queue, queue->last);
		if (error != vgpuSuccess)
			return error;
	}
	stage = malloc(sizeof(*stage) + bytes);
	if (!stage)
		return vgpuErrorMemoryAllocation;
	memcpy(stage->data, src, bytes);
	stage->next = NULL;
	stage->bytes = bytes;
	stage->seq = queue->last + 1;	/* the copy that comes next */
	*queue->stages_end = stage;
	queue->stages_end = &stage->next;
	queue->staged += bytes;
	*staged = stage->data;
	return vgpuSuccess;
}

/* In commands of VGPU_COPY_MAX bytes at most, one after the other. */
vgpuError_t rt_copy_held(struct rt_queue *queue, uint32_t op, uint64_t dst, uint64_t src,
			 uint64_t bytes)
{
	struct vgpu_cmd cmd = { .op = op };
	vgpuError_t error = vgpuSuccess;

	for (uint64_t done = 0; done < bytes && error == vgpuSuccess; done += cmd.copy.bytes) {
		cmd.copy.dst = dst + done;
		cmd.copy.src = src + done;
		cmd.copy.bytes = bytes - done < VGPU_COPY_MAX ? bytes - done : VGPU_COPY_MAX;
		error = rt_put(queue, &cmd, NULL);
		if (error == vgpuSuccess)
			error = rt_flush(queue);
		if (error == vgpuSuccess)
			error = rt_wait_held(queue, queue->last);
	}
	return error;
}

/* Nothing uses those bytes yet, so no stream has to be waited for. */
vgpuError_t rt_module_write(const struct vgpuModule *module, uint64_t offset, uint64_t bytes)
{
	struct rt_queue *queue = rt.default_stream.queue;
	vgpuError_t error = rt_flush(queue);

	return error != vgpuSuccess ? error :
		rt_copy_held(queue, VGPU_CMD_COPY_H2D, module->data + offset,
			     (uint64_t)(uintptr_t)(module->image.program->data + offset), bytes);
}

// SPDX-License-Identifier: MIT
/*
 * Events of several processes; see ipc_event.h.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "host_call.h"
#include "ipc_event.h"

_Static_assert(sizeof(struct rt_ipc_event) == 64, "what CUDA's handles have");

/** struct event_use - a record, while a function in a stream has to do with it */
struct event_use {
	struct rt_event_page *page;
	uint64_t record;
	struct rt_state *state;
};

/* ---- pages --------------------------------------------------------------- */

vgpuError_t rt_ipc_event_create(struct vgpuEvent *event)
{
	int error = rt_event_page_create(&event->page);

	if (!error)
		return vgpuSuccess;
	rt_message("an event of several processes is a file in memory, which cannot be had: %s",
		   strerror(-error));
	return error == -ENOSYS ? vgpuErrorNotSupported : vgpuErrorMemoryAllocation;
}

vgpuError_t rt_ipc_event_attach(struct vgpuEvent *event, const struct rt_event_name *name)
{
	int error = rt_event_page_open(name, &event->page);

	switch (error) {
	case 0:
		return vgpuSuccess;
	case -EEXIST:
		return vgpuErrorDeviceUninitialized;
	case -ENOENT:
		rt_message("cudaIpcOpenEventHandle: there is no such event: it has been destroyed, "
			   "or its process has ended, or is another user's or in another pid "
			   "namespace");
		return vgpuErrorInvalidResourceHandle;
	case -ENOSPC:
		rt_message("cudaIpcOpenEventHandle: %u processes have the event, which is the most",
			   RT_EVENT_HOLDERS);
		return vgpuErrorMemoryAllocation;
	default:
		rt_message("cudaIpcOpenEventHandle: %s", strerror(-error));
		return vgpuErrorMemoryAllocation;
	}
}

void rt_ipc_event_detach(struct vgpuEvent *event)
{
	if (!event->page)
		return;
	if (event->flags & vgpuEventInterprocess)
		rt_event_page_withdraw(event->page);
	rt_event_page_put(event->page);
	event->page = NULL;
}

/* ---- functions in streams ------------------------------------------------ */

static struct event_use *use_create(struct vgpuEvent *event, uint64_t record)
{
	struct event_use *use = malloc(sizeof(*use));

	if (!use)
		return NULL;
	*use = (struct event_use){ event->page, record, rt_current };
	rt_event_page_get(event->page);
	return use;
}

static void use_over(struct event_use *use)
{
	rt_event_page_put(use->page);
	free(use);
}

/* By @stream, or by @queue where there is none. */
static vgpuError_t put_use(struct vgpuEvent *event, struct vgpuStream *stream,
			   struct rt_queue *queue, uint64_t record, rt_host_call_fn *function)
{
	struct event_use *use = use_create(event, record);
	struct rt_host_call call = { .call = function, .argument = use, .always = true };
	vgpuError_t error;

	if (!use)
		return vgpuErrorMemoryAllocation;
	error = stream ? rt_stream_host_call(stream, &call) : rt_queue_host_call(queue, &call);
	if (error != vgpuSuccess)
		use_over(use);
	return error;
}

/* The stream has come to the record, or will not any more. */
static void record_reached(void *function, void *stream, void *argument, vgpuError_t error)
{
	struct event_use *use = argument;

	(void)function;
	(void)stream;
	(void)error;
	rt_event_page_end(use->page, use->record);
	use_over(use);
}

vgpuError_t rt_ipc_event_record(struct vgpuEvent *event, struct vgpuStream *stream)
{
	uint64_t record = rt_event_page_begin(event->page);
	vgpuError_t error = put_use(event, stream, NULL, record, record_reached);

	if (error != vgpuSuccess) {
		rt_event_page_end(event->page, record);
		return error;
	}
	rt_event_page_publish(event->page, record);
	event->record = record;
	event->queue = stream->queue;
	event->seq = stream->last;
	return vgpuSuccess;
}

/* ---- records of others --------------------------------------------------- */

bool rt_ipc_event_is_elsewhere(const struct vgpuEvent *event)
{
	return event->page && rt_event_page_last(event->page) != event->record;
}

/* The context of @state, for which it is waited, may die meanwhile. */
static void sleep_until_over(struct rt_event_page *page, uint64_t record, struct rt_state *state)
{
	while (!rt_event_page_wait(page, record))
		if (__atomic_load_n(&state->sticky, __ATOMIC_RELAXED) != vgpuSuccess)
			break;
}

static void hold_stream(void *function, void *stream, void *argument, vgpuError_t error)
{
	struct event_use *use = argument;

	(void)function;
	(void)stream;
	if (error == vgpuSuccess)
		sleep_until_over(use->page, use->record, use->state);
	use_over(use);
}

vgpuError_t rt_ipc_event_hold(struct vgpuEvent *event, struct vgpuStream *stream)
{
	uint64_t record = rt_event_page_last(event->page);

	return rt_event_page_over(event->page, record) ?
		       vgpuSuccess : put_use(event, stream, NULL, record, hold_stream);
}

/* It is no work of the context: a reset goes on without it. */
static void hold_aside(void *function, void *stream, void *argument, vgpuError_t error)
{
	struct event_use *use = argument;
	struct rt_state *state = use->state;

	(void)function;
	(void)stream;
	while (error == vgpuSuccess && !rt_event_page_wait(use->page, use->record))
		if (__atomic_load_n(&state->sticky, __ATOMIC_RELAXED) != vgpuSuccess ||
		    __atomic_load_n(&state->resetting, __ATOMIC_RELAXED))
			break;
	use_over(use);
}

/*
 * From now on @record is waited for as one of this process, by a command that stands for it: in a
 * lockstep clock a process that runs holds the others, but not one that waits for its device.
 * vgpuErrorNotReady: there is no queue for that.
 */
static vgpuError_t follow(struct vgpuEvent *event, uint64_t record)
{
	struct rt_queue *queue = rt_queue_get_aside();
	vgpuError_t error;

	if (!queue)
		return vgpuErrorNotReady;
	error = put_use(event, NULL, queue, record, hold_aside);
	if (error != vgpuSuccess)
		return error;
	event->record = record;
	event->queue = queue;
	event->seq = queue->last;
	return vgpuSuccess;
}

vgpuError_t rt_ipc_event_wait(struct vgpuEvent *event)
{
	struct rt_event_page *page = event->page;
	uint64_t record = rt_event_page_last(page);
	vgpuError_t error;

	if (rt_event_page_over(page, record))
		return vgpuSuccess;
	error = follow(event, record);
	if (error == vgpuSuccess)
		return rt_wait(event->queue, event->seq);
	if (error != vgpuErrorNotReady)
		return error;
	/* others may destroy the event meanwhile */
	rt_event_page_get(page);
	pthread_mutex_unlock(&rt_lock);
	sleep_until_over(page, record, rt_current);
	pthread_mutex_lock(&rt_lock);
	rt_event_page_put(page);
	return vgpuSuccess;
}

vgpuError_t rt_ipc_event_poll(struct vgpuEvent *event)
{
	uint64_t record = rt_event_page_last(event->page);
	vgpuError_t error;

	if (rt_event_page_over(event->page, record))
		return vgpuSuccess;
	error = follow(event, record);
	return error == vgpuSuccess ? rt_poll(event->queue, event->seq) : error;
}

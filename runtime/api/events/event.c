// SPDX-License-Identifier: MIT
/*
 * Events: a place in a stream, and the virtual time at which the device passed it, which a STAMP
 * command writes into 8 bytes of this process. A record that replaces one still on its way takes
 * other 8 bytes, so that a late stamp cannot overwrite a newer one. Events of several processes
 * have no time: ipc_event.h.
 */
#include <stdlib.h>
#include <string.h>

#include "across.h"
#include "graph/capture.h"
#include "ipc_event.h"

#define SLOTS 64u

/* 64 slots at a time; they are never given back before the process ends. */
static bool more_slots(void)
{
	uint64_t *stamps = calloc(SLOTS, sizeof(*stamps));
	struct rt_slot *slots = calloc(SLOTS, sizeof(*slots));

	if (!stamps || !slots) {
		free(stamps);
		free(slots);
		return false;
	}
	for (unsigned int i = 0; i < SLOTS; i++) {
		slots[i].stamp = &stamps[i];
		slots[i].next = rt.free_slots;
		rt.free_slots = &slots[i];
	}
	return true;
}

/*
 * A stamp that no command in flight writes. Slots given up while their command was on its way are
 * looked through first.
 */
static struct rt_slot *slot_get(void)
{
	struct rt_slot **at = &rt.busy_slots, *slot;

	while (*at) {
		slot = *at;
		if (slot->queue && slot->seq > slot->queue->completed) {
			at = &slot->next;
			continue;
		}
		*at = slot->next;
		slot->next = rt.free_slots;
		rt.free_slots = slot;
	}
	if (!rt.free_slots && !more_slots())
		return NULL;
	slot = rt.free_slots;
	rt.free_slots = slot->next;
	slot->queue = NULL;
	return slot;
}

/* Give up the event's slot. It stays busy until the command that writes it is done. */
static void slot_put(struct vgpuEvent *event)
{
	struct rt_slot *slot = event->slot;

	event->slot = NULL;
	if (!slot)
		return;
	slot->queue = event->queue;
	slot->seq = event->seq;
	slot->next = rt.busy_slots;
	rt.busy_slots = slot;
}

static bool is_of(const struct rt_state *context, const struct vgpuEvent *handle)
{
	for (struct vgpuEvent *event = context->events; event; event = event->next)
		if (event == handle)
			return true;
	return false;
}

bool rt_event_known(const struct vgpuEvent *handle)
{
	return is_of(rt_current, handle);
}

/* NULL: it is no event. */
static struct rt_state *context_of(const struct vgpuEvent *handle)
{
	struct rt_state *state;

	if (rt_event_known(handle))
		return rt_current;
	rt_for_each(state)
		if (is_of(state, handle))
			return state;
	return NULL;
}

static vgpuError_t leave_to(struct rt_state *before, vgpuError_t error)
{
	error = rt_leave_quiet(error);
	rt_current = before;
	return error;
}

/* For calls that take an event of any context: its own is current until leave_to(). */
static vgpuError_t enter_for(const struct vgpuEvent *handle)
{
	struct rt_state *before = rt_current, *context;
	vgpuError_t error = rt_enter();

	if (error != vgpuSuccess)
		return error;
	context = context_of(handle);
	if (!context)
		return rt_leave(vgpuErrorInvalidResourceHandle);
	rt_current = context;
	return rt.sticky == vgpuSuccess ? vgpuSuccess : leave_to(before, rt.sticky);
}


/* @name: of the event of another process that it is; NULL: a new one */
static vgpuError_t event_add(unsigned int flags, const struct rt_event_name *name, vgpuEvent_t *out)
{
	struct vgpuEvent *event = calloc(1, sizeof(*event));
	vgpuError_t error = vgpuSuccess;

	if (!event)
		return vgpuErrorMemoryAllocation;
	event->flags = flags;
	if (name)
		error = rt_ipc_event_attach(event, name);
	else if (flags & vgpuEventInterprocess)
		error = rt_ipc_event_create(event);
	if (error != vgpuSuccess) {
		free(event);
		return error;
	}
	event->next = rt.events;
	rt.events = event;
	*out = event;
	return vgpuSuccess;
}

vgpuError_t vgpuEventCreate(vgpuEvent_t *out, unsigned int flags)
{
	const unsigned int known = vgpuEventBlockingSync | vgpuEventDisableTiming |
				   vgpuEventInterprocess;
	vgpuError_t error = rt_enter();

	if (error != vgpuSuccess)
		return error;
	if (!out || (flags & ~known) ||
	    ((flags & vgpuEventInterprocess) && !(flags & vgpuEventDisableTiming)))
		return rt_leave(vgpuErrorInvalidValue);
	return rt_leave(event_add(flags, NULL, out));
}

vgpuError_t rt_ipc_event_export(vgpuEvent_t event, struct rt_ipc_event *handle)
{
	vgpuError_t error = rt_enter();

	if (error != vgpuSuccess)
		return error;
	if (!rt_event_known(event) || !(event->flags & vgpuEventInterprocess))
		return rt_leave(vgpuErrorInvalidResourceHandle);
	*handle = (struct rt_ipc_event){ .magic = RT_IPC_EVENT };
	rt_event_page_name(event->page, &handle->name);
	return rt_leave(vgpuSuccess);
}

vgpuError_t rt_ipc_event_open(const struct rt_ipc_event *handle, vgpuEvent_t *out)
{
	static const uint32_t none[8];
	vgpuError_t error = rt_enter();

	if (error != vgpuSuccess)
		return error;
	if (handle->magic != RT_IPC_EVENT || memcmp(handle->reserved, none, sizeof(none)))
		return rt_leave(vgpuErrorInvalidResourceHandle);
	return rt_leave(event_add(vgpuEventDisableTiming, &handle->name, out));
}

vgpuError_t vgpuEventDestroy(vgpuEvent_t handle)
{
	struct rt_state *before = rt_current;
	vgpuError_t error = enter_for(handle);
	struct vgpuEvent **at = &rt.events;

	if (error != vgpuSuccess)
		return error;
	while (*at != handle)
		at = &(*at)->next;
	*at = handle->next;
	rt_ipc_event_detach(handle);
	slot_put(handle);
	free(handle->captured.list);
	free(handle);
	return leave_to(before, vgpuSuccess);
}

vgpuError_t rt_event_record(struct vgpuEvent *event, struct vgpuStream *stream)
{
	struct vgpu_cmd cmd = { .op = VGPU_CMD_STAMP };
	vgpuError_t error;

	event->capture = 0;
	if (event->page)
		return rt_ipc_event_record(event, stream);
	slot_put(event);
	event->slot = slot_get();
	if (!event->slot)
		return vgpuErrorMemoryAllocation;
	error = rt_stream_begin(stream);
	if (!(event->flags & vgpuEventDisableTiming) && error == vgpuSuccess) {
		cmd.stamp.dst = (uint64_t)(uintptr_t)event->slot->stamp;
		error = rt_stream_put(stream, &cmd, NULL);
	}
	event->queue = stream->queue;
	event->seq = stream->last;
	if (error == vgpuSuccess)
		error = rt_flush(stream->queue);
	return error;
}

vgpuError_t rt_event_record_with(vgpuEvent_t event, vgpuStream_t handle, unsigned int flags)
{
	vgpuError_t error = rt_enter();
	struct vgpuStream *stream;

	if (error != vgpuSuccess)
		return error;
	error = rt_stream_of(handle, &stream);
	if (error == vgpuSuccess && !rt_event_known(event))
		error = vgpuErrorInvalidResourceHandle;
	if (error == vgpuSuccess && ((flags & ~1u) || (flags && !stream->capture)))
		error = vgpuErrorInvalidValue;
	if (error == vgpuSuccess)
		error = stream->capture ? rt_capture_record(stream, event, flags) :
					  rt_event_record(event, stream);
	return rt_leave(error);
}

vgpuError_t vgpuEventRecord(vgpuEvent_t event, vgpuStream_t handle)
{
	return rt_event_record_with(event, handle, 0);
}

/* @event is of @context. */
static vgpuError_t wait_of(struct rt_state *context, struct vgpuEvent *event,
			   struct vgpuStream *stream)
{
	vgpuError_t error = rt_stream_begin(stream);

	if (error != vgpuSuccess)
		return error;
	if (rt_ipc_event_is_elsewhere(event))
		return rt_ipc_event_hold(event, stream);
	if (!event->queue)
		return vgpuSuccess;
	return context == rt_current ?
		       rt_stream_wait(stream, event->queue, event->seq) :
		       rt_event_hold_across(context, event->queue, event->seq, stream);
}

vgpuError_t rt_event_wait(struct vgpuEvent *event, struct vgpuStream *stream)
{
	return wait_of(rt_current, event, stream);
}

vgpuError_t vgpuStreamWaitEvent(vgpuStream_t handle, vgpuEvent_t event, unsigned int flags)
{
	vgpuError_t error = rt_enter();
	struct vgpuStream *stream;
	struct rt_state *context;

	if (error != vgpuSuccess)
		return error;
	error = rt_stream_of(handle, &stream);
	context = context_of(event);
	if (error == vgpuSuccess && !context)
		error = vgpuErrorInvalidResourceHandle;
	if (error == vgpuSuccess && ((flags & ~1u) || (flags && !stream->capture)))
		error = vgpuErrorInvalidValue;
	if (error == vgpuSuccess)
		error = stream->capture || event->capture ?
				rt_capture_wait(stream, event, flags) :
				wait_of(context, event, stream);
	return rt_leave(error);
}

/* Of an event of the current context: after an error, @before is. */
static vgpuError_t check_captured(struct rt_state *before, const struct vgpuEvent *event)
{
	vgpuError_t error = event->capture ? rt_capture_event(event) : rt_capture_guard();

	return error == vgpuSuccess ? error : leave_to(before, error);
}

vgpuError_t vgpuEventSynchronize(vgpuEvent_t event)
{
	struct rt_state *before = rt_current;
	vgpuError_t error = enter_for(event);

	if (error == vgpuSuccess)
		error = check_captured(before, event);
	if (error != vgpuSuccess)
		return error;
	if (rt_ipc_event_is_elsewhere(event))
		return leave_to(before, rt_ipc_event_wait(event));
	if (event->queue)
		error = rt_wait(event->queue, event->seq);
	if (error == vgpuSuccess && event->queue)
		error = rt_printf_flush(event->queue);
	return leave_to(before, rt_synced(error));
}

vgpuError_t vgpuEventQuery(vgpuEvent_t event)
{
	struct rt_state *before = rt_current;
	vgpuError_t error = enter_for(event);

	if (error == vgpuSuccess)
		error = check_captured(before, event);
	if (error != vgpuSuccess)
		return error;
	if (rt_ipc_event_is_elsewhere(event))
		error = rt_ipc_event_poll(event);
	else if (event->queue)
		error = rt_poll(event->queue, event->seq);
	return leave_to(before, error);
}

vgpuError_t vgpuEventElapsedTime(float *ms, vgpuEvent_t start, vgpuEvent_t end)
{
	vgpuError_t error = rt_enter();

	if (error != vgpuSuccess)
		return error;
	if (!ms)
		return rt_leave(vgpuErrorInvalidValue);
	if (!rt_event_known(start) || !rt_event_known(end))
		return rt_leave(vgpuErrorInvalidResourceHandle);
	if (start->capture || end->capture)
		return rt_leave(rt_capture_event(start->capture ? start : end));
	if (!start->slot || !end->slot ||
	    ((start->flags | end->flags) & vgpuEventDisableTiming))
		return rt_leave(vgpuErrorInvalidResourceHandle);
	if (start->queue)
		error = rt_poll(start->queue, start->seq);
	if (error == vgpuSuccess && end->queue)
		error = rt_poll(end->queue, end->seq);
	if (error == vgpuSuccess)
		*ms = (float)((double)(int64_t)(*end->slot->stamp - *start->slot->stamp) * 1e-9);
	return rt_leave_quiet(error);
}

void rt_events_reset(void)
{
	while (rt.events) {
		struct vgpuEvent *event = rt.events;

		rt.events = event->next;
		event->queue = NULL;
		rt_ipc_event_detach(event);
		slot_put(event);
		free(event->captured.list);
		free(event);
	}
	for (struct rt_slot *slot = rt.busy_slots; slot; slot = slot->next)
		slot->queue = NULL;
}

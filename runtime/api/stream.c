// SPDX-License-Identifier: MIT
/*
 * Streams, with CUDA's legacy default stream (docs/runtime.md): a command of the default stream
 * waits for all earlier work of all blocking streams, and later work of a blocking stream waits for
 * it. Non-blocking streams take no part.
 */
#include <stdlib.h>
#include <string.h>

#include "by_context.h"
#include "graph/capture.h"
#include "host_call.h"
#include "modules/grid.h"

/** struct own - the calling thread's own stream of a context, made when it is first named */
struct own {
	struct vgpuStream *stream;
	uint64_t generation;
};

static __thread struct rt_by_context own;
static __thread bool own_is_default;

static pthread_key_t own_key;
static pthread_once_t own_once = PTHREAD_ONCE_INIT;

static vgpuError_t stream_create(unsigned int flags, int priority, struct vgpuStream **out);
static void stream_reap(void);

bool rt_thread_default(bool per_thread)
{
	bool before = own_is_default;

	own_is_default = per_thread;
	return before;
}

/* The thread ends: so do its streams, when their work is done. */
static void own_destroy(void *unused)
{
	struct rt_state *before = rt_current;

	(void)unused;
	pthread_mutex_lock(&rt_lock);
	for (unsigned int n = 0; n < own.room; n++) {
		struct own *mine = rt_by_context_get(&own, n);

		rt_current = rt_context_number(n);
		if (!mine || !mine->stream || mine->generation != rt.generation ||
		    rt.phase != RT_READY)
			continue;
		rt_capture_leave(mine->stream);
		mine->stream->destroyed = true;
		stream_reap();
	}
	rt_current = before;
	rt_by_context_free(&own);
	pthread_mutex_unlock(&rt_lock);
}

static void own_key_create(void)
{
	pthread_key_create(&own_key, own_destroy);
}

static vgpuError_t own_stream(struct vgpuStream **out)
{
	struct own *mine = rt_by_context_make(&own, rt_current, sizeof(*mine));
	vgpuError_t error = vgpuSuccess;

	if (!mine)
		return vgpuErrorMemoryAllocation;
	if (!mine->stream || mine->generation != rt.generation) {
		pthread_once(&own_once, own_key_create);
		pthread_setspecific(own_key, &own);
		mine->stream = NULL;
		error = stream_create(vgpuStreamDefault, 0, &mine->stream);
		mine->generation = rt.generation;
	}
	*out = mine->stream;
	return error;
}

vgpuError_t rt_stream_of(vgpuStream_t handle, struct vgpuStream **out)
{
	if (handle == RT_STREAM_PER_THREAD || (!handle && own_is_default))
		return own_stream(out);
	if (!handle || handle == RT_STREAM_LEGACY) {
		*out = &rt.default_stream;
		return vgpuSuccess;
	}
	for (struct vgpuStream *stream = rt.streams; stream; stream = stream->next)
		if (stream == handle && !stream->destroyed) {
			*out = stream;
			return vgpuSuccess;
		}
	return vgpuErrorInvalidResourceHandle;
}

struct rt_state *rt_stream_context(vgpuStream_t handle)
{
	struct rt_state *state;

	rt_for_each(state)
		for (struct vgpuStream *stream = state->streams; stream; stream = stream->next)
			if (stream == handle && !stream->destroyed)
				return state;
	return NULL;
}

static vgpuError_t leave_to(struct rt_state *before, vgpuError_t error)
{
	error = rt_leave_quiet(error);
	rt_current = before;
	return error;
}

/* For calls that take a stream of any context: its own is current until leave_to(). */
static vgpuError_t enter_for(vgpuStream_t handle, struct vgpuStream **stream)
{
	struct rt_state *before = rt_current, *context;
	vgpuError_t error = rt_enter();

	if (error != vgpuSuccess)
		return error;
	error = rt_stream_of(handle, stream);
	if (error != vgpuErrorInvalidResourceHandle)
		return error == vgpuSuccess ? error : rt_leave(error);
	context = rt_stream_context(handle);
	if (!context)
		return rt_leave(error);
	rt_current = context;
	*stream = handle;
	return rt.sticky == vgpuSuccess ? vgpuSuccess : leave_to(before, rt.sticky);
}

vgpuError_t rt_stream_wait(struct vgpuStream *stream, struct rt_queue *queue, uint64_t seq)
{
	struct vgpu_cmd cmd = { .op = VGPU_CMD_WAIT };
	vgpuError_t error = vgpuSuccess;

	if (seq <= queue->completed)
		return vgpuSuccess;
	if (queue == stream->queue) {
		/* what comes next is behind it; so is the end of the stream already */
		if (stream->last < seq)
			stream->last = seq;
		return vgpuSuccess;
	}
	if (seq > queue->submitted)
		error = rt_flush(queue);
	if (rt.sticky != vgpuSuccess)
		return rt.sticky;
	cmd.wait.queue = queue->hw;
	cmd.wait.seq = seq;
	if (seq <= queue->submitted) {
		vgpuError_t put = rt_put(stream->queue, &cmd, NULL);

		stream->last = stream->queue->last;
		if (error == vgpuSuccess)
			error = put;
	}
	return error;
}

/* Drops destroyed streams whose work is done. */
static void stream_reap(void)
{
	struct vgpuStream **at = &rt.streams;

	while (*at) {
		struct vgpuStream *stream = *at;

		if (!stream->destroyed || stream->last > stream->queue->completed) {
			at = &stream->next;
			continue;
		}
		*at = stream->next;
		rt_grid_forget(stream);
		rt_queue_put(stream->queue);
		free(stream);
	}
}

vgpuError_t rt_stream_begin(struct vgpuStream *stream)
{
	struct vgpuStream *main = &rt.default_stream;
	vgpuError_t first = vgpuSuccess, error;

	/* what can be captured has been by now */
	if (stream->capture)
		return rt_capture_refuse(stream);
	if (stream->flags & vgpuStreamNonBlocking)
		return vgpuSuccess;
	if (stream == main && rt_captures) {
		error = rt_capture_legacy();
		if (error != vgpuSuccess)
			return error;
	}
	if (stream != main) {
		if (main->last <= stream->seen_of_default)
			return vgpuSuccess;
		error = rt_stream_wait(stream, main->queue, main->last);
		stream->seen_of_default = main->last;
		return error;
	}
	for (struct vgpuStream *other = rt.streams; other; other = other->next) {
		if ((other->flags & vgpuStreamNonBlocking) || other->last <= other->seen_by_default)
			continue;
		error = rt_stream_wait(main, other->queue, other->last);
		other->seen_by_default = other->last;
		if (first == vgpuSuccess)
			first = error;
	}
	return first;
}

vgpuError_t rt_stream_put(struct vgpuStream *stream, const struct vgpu_cmd *cmd, const void *params)
{
	vgpuError_t error = rt_put(stream->queue, cmd, params);

	stream->last = stream->queue->last;
	return error;
}

vgpuError_t rt_stream_sync(struct vgpuStream *stream)
{
	vgpuError_t error = vgpuSuccess;

	/*
	 * Its position is behind the blocking streams' work: waiting for that and for its own is
	 * the same.
	 */
	if (stream == &rt.default_stream || stream->capture)
		error = rt_stream_begin(stream);
	if (error == vgpuSuccess)
		error = rt_wait(stream->queue, stream->last);
	if (error == vgpuSuccess)
		error = rt_printf_flush(stream->queue);
	stream_reap();
	return error;
}

unsigned int rt_most_priority(void)
{
	return rt.info.launch_flags & VGPU_LAUNCH_PRIORITY(7) ? VGPU_LAUNCH_PRIORITY_MOST : 0;
}

/* CUDA's numbers are negative, and what is beyond the range is clamped to it. */
static unsigned int priority_of(int cuda)
{
	unsigned int most = rt_most_priority();

	return cuda >= 0 ? 0 : (unsigned int)-(long)cuda > most ? most : (unsigned int)-cuda;
}

static vgpuError_t stream_create(unsigned int flags, int priority, struct vgpuStream **out)
{
	struct vgpuStream *stream;
	vgpuError_t error;

	stream_reap();
	stream = calloc(1, sizeof(*stream));
	if (!stream)
		return vgpuErrorMemoryAllocation;
	stream->priority = priority_of(priority);
	error = rt_queue_get(stream->priority, &stream->queue);
	if (error != vgpuSuccess) {
		free(stream);
		return error;
	}
	stream->flags = flags;
	stream->next = rt.streams;
	rt.streams = stream;
	*out = stream;
	return vgpuSuccess;
}

vgpuError_t vgpuStreamCreate(vgpuStream_t *out, unsigned int flags)
{
	return vgpuStreamCreatePriority(out, flags, 0);
}

vgpuError_t vgpuStreamPriorityRange(int *least, int *greatest)
{
	vgpuError_t error = rt_enter();

	if (error != vgpuSuccess)
		return error;
	if (least)
		*least = 0;
	if (greatest)
		*greatest = -(int)rt_most_priority();
	return rt_leave(vgpuSuccess);
}

vgpuError_t vgpuStreamGetPriority(vgpuStream_t handle, int *priority)
{
	vgpuError_t error = rt_enter();
	struct vgpuStream *stream;

	if (error != vgpuSuccess)
		return error;
	if (!priority)
		return rt_leave(vgpuErrorInvalidValue);
	error = rt_stream_of(handle, &stream);
	if (error == vgpuSuccess)
		*priority = -(int)stream->priority;
	return rt_leave(error);
}

vgpuError_t vgpuStreamCreatePriority(vgpuStream_t *out, unsigned int flags, int priority)
{
	vgpuError_t error = rt_enter();

	if (error != vgpuSuccess)
		return error;
	if (!out || (flags & ~vgpuStreamNonBlocking))
		return rt_leave(vgpuErrorInvalidValue);
	return rt_leave(stream_create(flags, priority, out));
}

vgpuError_t vgpuStreamDestroy(vgpuStream_t handle)
{
	bool named = handle && handle != RT_STREAM_LEGACY && handle != RT_STREAM_PER_THREAD;
	struct rt_state *before = rt_current;
	struct vgpuStream *stream;
	vgpuError_t error = named ? enter_for(handle, &stream) : rt_enter();

	if (error != vgpuSuccess)
		return error;
	if (!named)
		return rt_leave(vgpuErrorInvalidResourceHandle);
	rt_capture_leave(stream);
	stream->destroyed = true;
	error = rt_poll(stream->queue, stream->last);
	stream_reap();
	return leave_to(before, error == vgpuErrorNotReady ? vgpuSuccess : error);
}

vgpuError_t vgpuStreamSynchronize(vgpuStream_t handle)
{
	struct rt_state *before = rt_current;
	struct vgpuStream *stream;
	vgpuError_t error = enter_for(handle, &stream);

	if (error != vgpuSuccess)
		return error;
	if (!stream->capture)
		error = rt_capture_guard();
	return leave_to(before, error == vgpuSuccess ? rt_synced(rt_stream_sync(stream)) : error);
}

vgpuError_t vgpuStreamQuery(vgpuStream_t handle)
{
	struct rt_state *before = rt_current;
	struct vgpuStream *stream;
	vgpuError_t error = enter_for(handle, &stream);

	if (error != vgpuSuccess)
		return error;
	if (!stream->capture)
		error = rt_capture_guard();
	if (error == vgpuSuccess && (stream == &rt.default_stream || stream->capture))
		error = rt_stream_begin(stream);
	if (error == vgpuSuccess)
		error = rt_poll(stream->queue, stream->last);
	return leave_to(before, error);
}

vgpuError_t vgpuStreamGetFlags(vgpuStream_t handle, unsigned int *flags)
{
	vgpuError_t error = rt_enter();
	struct vgpuStream *stream;

	if (error != vgpuSuccess)
		return error;
	error = flags ? rt_stream_of(handle, &stream) : vgpuErrorInvalidValue;
	if (error == vgpuSuccess)
		*flags = stream->flags;
	return rt_leave(error);
}

vgpuError_t rt_stream_host_call(struct vgpuStream *stream, const struct rt_host_call *call)
{
	vgpuError_t error = rt_stream_begin(stream);

	if (error != vgpuSuccess)
		return error;
	error = rt_queue_host_call(stream->queue, call);
	stream->last = stream->queue->last;
	return error;
}

vgpuError_t rt_host_call(vgpuStream_t handle, const struct rt_host_call *call)
{
	vgpuError_t error = rt_enter();
	struct vgpuStream *stream;

	if (error != vgpuSuccess)
		return error;
	error = call->function ? rt_stream_of(handle, &stream) : vgpuErrorInvalidValue;
	return rt_leave(error == vgpuSuccess ? rt_stream_host_call(stream, call) : error);
}

static void call_function(void *function, void *stream, void *argument, vgpuError_t error)
{
	void (*const call)(void *) = (void (*)(void *))(uintptr_t)function;

	(void)stream;
	(void)error;
	call(argument);
}

vgpuError_t rt_stream_host_function(struct vgpuStream *stream, void (*function)(void *),
				    void *argument)
{
	const struct rt_params node = {
		.type = RT_NODE_HOST,
		.host = { function, argument },
	};
	const struct rt_host_call call = {
		.call = call_function,
		.function = (void *)(uintptr_t)function,
		.argument = argument,
	};

	return stream->capture ? rt_capture_add(stream, &node) : rt_stream_host_call(stream, &call);
}

vgpuError_t vgpuLaunchHostFunc(vgpuStream_t handle, void (*function)(void *), void *argument)
{
	vgpuError_t error = rt_enter();
	struct vgpuStream *stream;

	if (error != vgpuSuccess)
		return error;
	error = function ? rt_stream_of(handle, &stream) : vgpuErrorInvalidValue;
	return rt_leave(error == vgpuSuccess ?
				rt_stream_host_function(stream, function, argument) : error);
}

struct vgpuStream *rt_stream_make(void)
{
	struct vgpuStream *stream;

	return stream_create(vgpuStreamNonBlocking, 0, &stream) == vgpuSuccess ? stream : NULL;
}

void rt_stream_drop(struct vgpuStream *stream)
{
	stream->destroyed = true;
	stream_reap();
}

void rt_streams_reset(void)
{
	rt_captures_forget();
	while (rt.streams) {
		struct vgpuStream *stream = rt.streams;

		rt.streams = stream->next;
		free(stream);
	}
	rt.default_stream = (struct vgpuStream){ 0 };
	memset(rt.lanes, 0, sizeof(rt.lanes));
	rt.lane_users = 0;
}

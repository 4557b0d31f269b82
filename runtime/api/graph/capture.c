// SPDX-License-Identifier: MIT
/*
 * Captures as the streams see them; see capture.h.
 */
#include <stdlib.h>
#include <string.h>

#include "capture.h"

unsigned int rt_captures;
static struct rt_capture *captures;
static __thread enum rt_capture_mode thread_mode;

uint64_t rt_capture_thread(void)
{
	static uint64_t last;
	static __thread uint64_t own;

	if (!own)
		own = __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED);
	return own;
}

enum rt_capture_mode rt_capture_exchange(enum rt_capture_mode mode)
{
	enum rt_capture_mode before = thread_mode;

	thread_mode = mode;
	return before;
}

struct rt_capture *rt_capture_new(void)
{
	static uint64_t last_id;
	struct rt_capture *capture = calloc(1, sizeof(*capture));

	if (!capture)
		return NULL;
	capture->id = ++last_id;
	capture->thread = rt_capture_thread();
	capture->context = rt_current;
	capture->next = captures;
	captures = capture;
	rt_captures++;
	return capture;
}

static vgpuError_t join_nodes(struct rt_nodes *to, const struct rt_nodes *from)
{
	vgpuError_t error = vgpuSuccess;

	for (size_t i = 0; i < from->count && error == vgpuSuccess; i++)
		if (!rt_nodes_have(to, from->list[i]))
			error = rt_nodes_add(to, from->list[i]);
	return error;
}

static void forget_nodes(struct rt_nodes *nodes)
{
	free(nodes->list);
	*nodes = (struct rt_nodes){ 0 };
}

/* Takes all streams out of it. */
void rt_capture_end(struct rt_capture *capture)
{
	struct rt_capture **at = &captures;

	for (struct vgpuStream *stream = capture->context->streams; stream; stream = stream->next)
		if (stream->capture == capture) {
			stream->capture = NULL;
			forget_nodes(&stream->after);
		}
	while (*at != capture)
		at = &(*at)->next;
	*at = capture->next;
	rt_captures--;
	forget_nodes(&capture->left);
	if (capture->graph_is_own)
		rt_graph_free(capture->graph);
	else if (capture->graph)
		capture->graph->captured_into = false;
	free(capture);
}

void rt_captures_forget(void)
{
	struct rt_capture *capture = captures;

	while (capture) {
		struct rt_capture *next = capture->next;

		if (capture->context == rt_current)
			rt_capture_end(capture);
		capture = next;
	}
}

void rt_capture_leave(struct vgpuStream *stream)
{
	struct rt_capture *capture = stream->capture;

	if (!capture)
		return;
	if (join_nodes(&capture->left, &stream->after) != vgpuSuccess)
		capture->invalid = true;
	stream->capture = NULL;
	forget_nodes(&stream->after);
	/* nobody can end it any more */
	if (capture->origin == stream)
		rt_capture_end(capture);
}

static struct rt_capture *capture_of(uint64_t id)
{
	struct rt_capture *capture = captures;

	while (capture && capture->id != id)
		capture = capture->next;
	return capture;
}

/* ---- what is not allowed ---------------------------------------------------- */

static vgpuError_t invalidate(struct rt_capture *capture, vgpuError_t error)
{
	if (capture->invalid)
		return vgpuErrorStreamCaptureInvalidated;
	capture->invalid = true;
	return error;
}

vgpuError_t rt_capture_refuse(struct vgpuStream *stream)
{
	return invalidate(stream->capture, vgpuErrorStreamCaptureUnsupported);
}

static bool has_blocking(const struct rt_capture *capture)
{
	for (struct vgpuStream *stream = rt.streams; stream; stream = stream->next)
		if (stream->capture == capture && !(stream->flags & vgpuStreamNonBlocking))
			return true;
	return false;
}

vgpuError_t rt_capture_legacy(void)
{
	vgpuError_t error = vgpuSuccess;

	for (struct rt_capture *each = captures; each; each = each->next)
		if (each->context == rt_current && has_blocking(each)) {
			each->invalid = true;
			error = vgpuErrorStreamCaptureImplicit;
		}
	return error;
}

vgpuError_t rt_capture_wide(void)
{
	vgpuError_t error = vgpuSuccess;

	for (struct rt_capture *each = captures; each; each = each->next)
		if (each->context == rt_current) {
			each->invalid = true;
			error = vgpuErrorStreamCaptureUnsupported;
		}
	return error;
}

vgpuError_t rt_capture_unsafe(void)
{
	uint64_t thread = rt_capture_thread();
	vgpuError_t error = vgpuSuccess;

	if (thread_mode == RT_CAPTURE_RELAXED)
		return vgpuSuccess;
	for (struct rt_capture *each = captures; each; each = each->next) {
		if (each->mode == RT_CAPTURE_RELAXED)
			continue;
		if (each->thread != thread && (each->mode != RT_CAPTURE_GLOBAL ||
					       thread_mode != RT_CAPTURE_GLOBAL))
			continue;
		each->invalid = true;
		error = vgpuErrorStreamCaptureUnsupported;
	}
	return error;
}

/* ---- nodes ------------------------------------------------------------------- */

/* The program may have destroyed some of them meanwhile. */
static void drop_unknown(struct rt_nodes *nodes, const struct rt_graph *graph)
{
	size_t kept = 0;

	for (size_t i = 0; i < nodes->count; i++)
		if (rt_node_known(nodes->list[i]) && nodes->list[i]->graph == graph)
			nodes->list[kept++] = nodes->list[i];
	nodes->count = kept;
}

vgpuError_t rt_capture_add(struct vgpuStream *stream, const struct rt_params *params)
{
	struct rt_capture *capture = stream->capture;
	struct rt_nodes *after = &stream->after;
	struct rt_node *node;
	vgpuError_t error;

	if (capture->invalid)
		return vgpuErrorStreamCaptureInvalidated;
	drop_unknown(after, capture->graph);
	error = rt_node_add(capture->graph, after->list, after->count, params, &node);
	if (error != vgpuSuccess) {
		capture->invalid = true;
		return error;
	}
	after->count = 0;
	return rt_nodes_add(after, node);
}

vgpuError_t rt_capture_record(struct vgpuStream *stream, struct vgpuEvent *event, bool external)
{
	struct rt_capture *capture = stream->capture;
	const struct rt_params params = { .type = RT_NODE_EVENT_RECORD, .event = event };

	if (capture->invalid)
		return vgpuErrorStreamCaptureInvalidated;
	if (external)
		return rt_capture_add(stream, &params);
	/* other processes would wait for what does not run */
	if (event->page)
		return rt_capture_refuse(stream);
	event->capture = capture->id;
	event->captured.count = 0;
	return join_nodes(&event->captured, &stream->after);
}

/* The event was recorded in @capture. */
static vgpuError_t wait_captured(struct vgpuStream *stream, struct vgpuEvent *event,
				 struct rt_capture *capture)
{
	if (capture->invalid)
		return vgpuErrorStreamCaptureInvalidated;
	if (capture->context != rt_current)
		return invalidate(capture, vgpuErrorStreamCaptureUnsupported);
	if (stream == &rt.default_stream)
		return invalidate(capture, vgpuErrorStreamCaptureImplicit);
	if (stream->capture && stream->capture != capture) {
		stream->capture->invalid = true;
		return invalidate(capture, vgpuErrorStreamCaptureMerge);
	}
	stream->capture = capture;
	drop_unknown(&event->captured, capture->graph);
	return join_nodes(&stream->after, &event->captured);
}

vgpuError_t rt_capture_wait(struct vgpuStream *stream, struct vgpuEvent *event, bool external)
{
	const struct rt_params params = { .type = RT_NODE_EVENT_WAIT, .event = event };
	struct rt_capture *capture;

	if (stream->capture && stream->capture->invalid)
		return vgpuErrorStreamCaptureInvalidated;
	if (external && stream->capture)
		return rt_capture_add(stream, &params);
	if (!event->capture)
		return invalidate(stream->capture, vgpuErrorStreamCaptureIsolation);
	capture = capture_of(event->capture);
	if (capture)
		return wait_captured(stream, event, capture);
	/* that capture has ended */
	return stream->capture ? invalidate(stream->capture, vgpuErrorStreamCaptureIsolation) :
				 vgpuErrorCapturedEvent;
}

vgpuError_t rt_capture_event(const struct vgpuEvent *event)
{
	struct rt_capture *capture = capture_of(event->capture);

	if (capture)
		capture->invalid = true;
	return vgpuErrorCapturedEvent;
}

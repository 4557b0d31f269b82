// SPDX-License-Identifier: MIT
/*
 * Begin and end of captures, and questions about them.
 */
#include <stdlib.h>

#include "capture.h"

static vgpuError_t set_nodes(struct rt_nodes *nodes, struct rt_node *const *list, size_t count)
{
	vgpuError_t error = vgpuSuccess;

	for (size_t i = 0; i < count && error == vgpuSuccess; i++)
		if (!rt_nodes_have(nodes, list[i]))
			error = rt_nodes_add(nodes, list[i]);
	return error;
}

static bool are_of(const struct rt_graph *graph, struct rt_node *const *list, size_t count)
{
	if (count && !list)
		return false;
	for (size_t i = 0; i < count; i++)
		if (!rt_node_known(list[i]) || list[i]->graph != graph)
			return false;
	return true;
}

vgpuError_t rt_capture_begin(vgpuStream_t handle, int mode, struct rt_graph *graph,
			     struct rt_node *const *after, size_t count)
{
	struct rt_capture *capture;
	struct vgpuStream *stream;
	vgpuError_t error = rt_stream_of(handle, &stream);

	if (error != vgpuSuccess)
		return error;
	if (mode < RT_CAPTURE_GLOBAL || mode > RT_CAPTURE_RELAXED ||
	    (graph && (!rt_graph_known(graph) || graph->captured_into ||
		       !are_of(graph, after, count))))
		return vgpuErrorInvalidValue;
	if (stream == &rt.default_stream)
		return vgpuErrorStreamCaptureUnsupported;
	if (stream->capture) {
		stream->capture->invalid = true;
		return vgpuErrorIllegalState;
	}
	capture = rt_capture_new();
	if (!capture)
		return vgpuErrorMemoryAllocation;
	capture->mode = (enum rt_capture_mode)mode;
	capture->origin = stream;
	capture->graph_is_own = !graph;
	stream->capture = capture;
	if (!graph)
		graph = rt_graph_new(false);
	if (graph)
		graph->captured_into = true;
	capture->graph = graph;
	error = graph ? set_nodes(&stream->after, after, count) : vgpuErrorMemoryAllocation;
	if (error != vgpuSuccess)
		rt_capture_end(capture);
	return error;
}

/* Marks @nodes, and what they come after, with 1. */
static void mark(const struct rt_nodes *nodes)
{
	struct rt_nodes found = { 0 };
	size_t done = 0;

	for (size_t i = 0; i < nodes->count; i++)
		if (rt_node_known(nodes->list[i]) && !nodes->list[i]->mark) {
			nodes->list[i]->mark = 1;
			rt_nodes_add(&found, nodes->list[i]);
		}
	while (done < found.count) {
		const struct rt_node *node = found.list[done++];

		for (size_t i = 0; i < node->from.count; i++)
			if (!node->from.list[i]->mark) {
				node->from.list[i]->mark = 1;
				rt_nodes_add(&found, node->from.list[i]);
			}
	}
	free(found.list);
}

/* What was destroyed meanwhile does not count. */
static bool are_marked(const struct rt_nodes *nodes)
{
	for (size_t i = 0; i < nodes->count; i++)
		if (rt_node_known(nodes->list[i]) && !nodes->list[i]->mark)
			return false;
	return true;
}

/* Has the first stream come behind what the others did? */
static bool all_joined(const struct rt_capture *capture)
{
	rt_for_nodes(node, capture->graph)
		node->mark = 0;
	mark(&capture->origin->after);
	for (struct vgpuStream *stream = rt.streams; stream; stream = stream->next)
		if (stream->capture == capture && !are_marked(&stream->after))
			return false;
	return are_marked(&capture->left);
}

vgpuError_t rt_capture_finish(vgpuStream_t handle, struct rt_graph **out)
{
	struct vgpuStream *stream;
	struct rt_capture *capture;
	vgpuError_t error = rt_stream_of(handle, &stream);

	if (error != vgpuSuccess)
		return error;
	if (!out)
		return vgpuErrorInvalidValue;
	*out = NULL;
	capture = stream->capture;
	if (!capture)
		return vgpuErrorIllegalState;
	if (capture->origin != stream) {
		capture->invalid = true;
		return vgpuErrorStreamCaptureUnmatched;
	}
	if (capture->mode != RT_CAPTURE_RELAXED && capture->thread != rt_capture_thread())
		return vgpuErrorStreamCaptureWrongThread;
	if (capture->invalid)
		error = vgpuErrorStreamCaptureInvalidated;
	else if (!all_joined(capture))
		error = vgpuErrorStreamCaptureUnjoined;
	if (error == vgpuSuccess) {
		*out = capture->graph;
		capture->graph->captured_into = false;
		capture->graph_is_own = false;
		capture->graph = NULL;
	}
	rt_capture_end(capture);
	return error;
}

/* The legacy default stream is captured with all blocking streams, as far as it can be used. */
vgpuError_t rt_capture_info(vgpuStream_t handle, struct rt_capture_info *info)
{
	struct vgpuStream *stream;
	vgpuError_t error = rt_stream_of(handle, &stream);

	if (error != vgpuSuccess)
		return error;
	*info = (struct rt_capture_info){ 0 };
	if (stream == &rt.default_stream && rt_captures)
		for (struct vgpuStream *other = rt.streams; other; other = other->next)
			if (other->capture && !(other->flags & vgpuStreamNonBlocking))
				return vgpuErrorStreamCaptureImplicit;
	if (!stream->capture)
		return vgpuSuccess;
	info->status = stream->capture->invalid ? 2 : 1;
	info->id = stream->capture->id;
	if (stream->capture->invalid)
		return vgpuSuccess;
	info->graph = stream->capture->graph;
	info->nodes = stream->after.list;
	info->count = stream->after.count;
	return vgpuSuccess;
}

vgpuError_t rt_capture_update(vgpuStream_t handle, struct rt_node *const *nodes, size_t count,
			      bool set)
{
	struct vgpuStream *stream;
	vgpuError_t error = rt_stream_of(handle, &stream);

	if (error != vgpuSuccess)
		return error;
	if (!stream->capture)
		return vgpuErrorIllegalState;
	if (stream->capture->invalid)
		return vgpuErrorStreamCaptureInvalidated;
	if (!are_of(stream->capture->graph, nodes, count))
		return vgpuErrorInvalidValue;
	if (set)
		stream->after.count = 0;
	return set_nodes(&stream->after, nodes, count);
}

vgpuError_t rt_capture_mode(int *mode)
{
	if (!mode || *mode < RT_CAPTURE_GLOBAL || *mode > RT_CAPTURE_RELAXED)
		return vgpuErrorInvalidValue;
	*mode = (int)rt_capture_exchange((enum rt_capture_mode)*mode);
	return vgpuSuccess;
}

vgpuError_t rt_capture_never(vgpuStream_t handle)
{
	vgpuError_t error = rt_enter();
	struct vgpuStream *stream;

	if (error != vgpuSuccess)
		return error;
	error = rt_stream_of(handle, &stream);
	if (error == vgpuSuccess && stream->capture)
		error = rt_capture_refuse(stream);
	return rt_leave(error);
}

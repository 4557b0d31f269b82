// SPDX-License-Identifier: MIT
/*
 * What programs ask of nodes of graphs: request.h.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../modules/launch.h"
#include "../textures/array.h"
#include "allocation.h"
#include "request.h"

/* CUDA's numbers: cudaMemAllocationTypePinned, cudaMemLocationTypeDevice. */
#define PINNED		1
#define ON_DEVICE	1

static void request_end(struct rt_request *request)
{
	free(request->arguments);
	if (request->params.type == RT_NODE_ALLOC && request->params.memory)
		rt_graph_memory_put(request->params.memory);
}

vgpuError_t rt_request_apply(const struct rt_target *target, struct rt_request *request,
			     vgpuError_t before)
{
	vgpuError_t error = before;

	if (error == vgpuSuccess && !target->node)
		error = target->out ? rt_graph_add(target->graph, target->after, target->count,
						   &request->params, target->out) :
				      vgpuErrorInvalidValue;
	else if (error == vgpuSuccess)
		error = target->exec ?
				rt_exec_set(target->exec, target->node, &request->params) :
				rt_node_set_params(target->node, &request->params);
	request_end(request);
	return error;
}

vgpuError_t rt_request_kernel(struct rt_request *request, const struct rt_node_kernel *shape,
			      void **extra)
{
	struct rt_node_kernel *kernel = &request->params.kernel;
	vgpuError_t error;

	request->params.type = RT_NODE_KERNEL;
	*kernel = *shape;
	kernel->context = rt_current;
	kernel->generation = rt.generation;
	if (!extra)
		return vgpuSuccess;
	if (kernel->arguments)
		return vgpuErrorInvalidValue;
	error = rt_launch_extra(kernel->function, extra, &request->arguments);
	kernel->arguments = request->arguments;
	return error;
}

vgpuError_t rt_side_of_array(struct rt_side *side, const void *handle, size_t x, size_t y,
			     size_t z)
{
	const struct rt_array *array = rt_array_known(handle, false);
	const struct rt_array_level *level;

	if (!array)
		return vgpuErrorInvalidResourceHandle;
	level = &array->level[0];
	*side = (struct rt_side){
		.base = (void *)(uintptr_t)level->base,
		.pitch = level->pitch,
		.rows = level->height,
		.width = (size_t)level->width * rt_format_texel(&array->shape.format),
		.x = x,
		.y = y,
		.z = z,
		.array = array,
	};
	return vgpuSuccess;
}

vgpuError_t rt_request_event(struct rt_request *request, bool record, struct vgpuEvent *event)
{
	request->params.type = record ? RT_NODE_EVENT_RECORD : RT_NODE_EVENT_WAIT;
	request->params.event = event;
	return vgpuSuccess;
}

vgpuError_t rt_request_alloc(struct rt_request *request, const struct rt_alloc_asked *asked,
			     uint64_t *address)
{
	vgpuError_t error;

	request->params.type = RT_NODE_ALLOC;
	request->params.memory = NULL;
	*address = 0;
	if (asked->type != PINNED || asked->location != ON_DEVICE ||
	    asked->device != rt_device() || !asked->bytes)
		return vgpuErrorInvalidValue;
	if (asked->handles)
		return vgpuErrorNotSupported;
	error = rt_graph_memory_new(asked->bytes, &request->params.memory);
	if (error == vgpuSuccess)
		*address = request->params.memory->address;
	return error;
}

const char *rt_request_refused(int type)
{
	switch (type) {
	case 8:
	case 9:
		return "semaphores of other APIs in graphs are";
	case 12:
		return "waiting for words of memory is";
	case 13:
		return "conditional nodes are";
	default:
		return NULL;
	}
}

/* ---- edges ---------------------------------------------------------------- */

bool rt_edges_are_plain(const void *edges, size_t count)
{
	static const struct rt_edge_data plain;
	const struct rt_edge_data *edge = edges;

	for (size_t i = 0; edge && i < count; i++)
		if (memcmp(&edge[i], &plain, sizeof(plain)))
			return false;
	return true;
}

void rt_edges_tell(void *edges, size_t count)
{
	if (edges)
		memset(edges, 0, count * sizeof(struct rt_edge_data));
}

/* ---- attributes ------------------------------------------------------------ */

/* Hints about caches are remembered nowhere; priorities are as those of streams. */
vgpuError_t rt_node_set_attribute(struct rt_node *node, int attribute, const void *in)
{
	const union rt_attribute_value *value = in;
	unsigned int most = rt_most_priority(), wanted;
	struct rt_params params;
	vgpuError_t error = value ? rt_node_get(node, RT_NODE_KERNEL, &params) :
				    vgpuErrorInvalidValue;

	if (error != vgpuSuccess)
		return error;
	switch (attribute) {
	case RT_ATTRIBUTE_PRIORITY:
		wanted = value->priority < 0 ? (unsigned int)-(long)value->priority : 0;
		node->params.kernel.priority = wanted > most ? most : wanted;
		return vgpuSuccess;
	case RT_ATTRIBUTE_CACHE_WINDOW:
	case RT_ATTRIBUTE_WAITING:
		return vgpuSuccess;
	case RT_ATTRIBUTE_COOPERATIVE:
		params.kernel.cooperative = value->cooperative != 0;
		return rt_node_set(node, &params);
	case RT_ATTRIBUTE_CLUSTER:
		return (uint64_t)value->cluster.x * value->cluster.y * value->cluster.z > 1 ?
			       vgpuErrorNotSupported : vgpuSuccess;
	default:
		return vgpuErrorInvalidValue;
	}
}

vgpuError_t rt_node_get_attribute(struct rt_node *node, int attribute, void *out)
{
	union rt_attribute_value *value = out;
	struct rt_params params;
	vgpuError_t error = value ? rt_node_get(node, RT_NODE_KERNEL, &params) :
				    vgpuErrorInvalidValue;

	if (error != vgpuSuccess)
		return error;
	memset(value, 0, sizeof(*value));
	switch (attribute) {
	case RT_ATTRIBUTE_COOPERATIVE:
		value->cooperative = params.kernel.cooperative;
		return vgpuSuccess;
	case RT_ATTRIBUTE_PRIORITY:
		value->priority = -(int)params.kernel.priority;
		return vgpuSuccess;
	case RT_ATTRIBUTE_CACHE_WINDOW:
	case RT_ATTRIBUTE_WAITING:
	case RT_ATTRIBUTE_CLUSTER:
		return vgpuSuccess;
	default:
		return vgpuErrorInvalidValue;
	}
}

vgpuError_t rt_node_copy_attributes(struct rt_node *from, struct rt_node *to)
{
	struct rt_params source, own;
	vgpuError_t error = rt_node_get(from, RT_NODE_KERNEL, &source);

	if (error == vgpuSuccess)
		error = rt_node_get(to, RT_NODE_KERNEL, &own);
	if (error != vgpuSuccess)
		return error;
	rt_params_keep(&own, &source);
	return rt_node_set(to, &own);
}

/* ---- executable graphs ----------------------------------------------------- */

vgpuError_t rt_exec_create_with(struct rt_exec **out, struct rt_graph *graph,
				unsigned long long flags, vgpuStream_t stream,
				struct rt_node **node, int *result)
{
	vgpuError_t error = rt_exec_create(out, graph, flags, node);

	*result = error == vgpuSuccess		 ? RT_EXEC_SUCCESS :
		  *node				 ? RT_EXEC_INVALID_STRUCTURE :
		  error == vgpuErrorNotSupported ? RT_EXEC_NODE_NOT_SUPPORTED :
						   RT_EXEC_ERROR;
	return error == vgpuSuccess && flags & RT_EXEC_UPLOAD ? rt_exec_upload(*out, stream) :
								 error;
}

void rt_exec_log(bool made, char *log, size_t bytes)
{
	if (log && bytes)
		snprintf(log, bytes, "%s", made ? "" : "the graph is no graph, or has a circle");
}

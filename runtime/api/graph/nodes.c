// SPDX-License-Identifier: MIT
/*
 * Nodes as the program asks for them: what CUDA refuses when a node is made is refused here.
 */
#include "../memory/rows.h"
#include "../modules/launch.h"
#include "../textures/array.h"
#include "allocation.h"
#include "exec.h"

static vgpuError_t check_kernel(const struct rt_node_kernel *kernel)
{
	if (kernel->context != rt_current || !rt_function_known(kernel->function))
		return vgpuErrorInvalidDeviceFunction;
	return rt_launch_check(kernel->function, kernel->grid, kernel->block, kernel->arguments,
			       kernel->shared, kernel->cooperative);
}

/* The rows of plane @z of a box. */
struct rt_rows rt_box_rows(const struct rt_node_copy *box, size_t z)
{
	const struct rt_side *dst = &box->dst, *src = &box->src;

	return (struct rt_rows){
		.dst = (char *)dst->base +
		       ((dst->z + z) * dst->rows + dst->y) * dst->pitch + dst->x,
		.dst_pitch = dst->pitch,
		.src = (const char *)src->base +
		       ((src->z + z) * src->rows + src->y) * src->pitch + src->x,
		.src_pitch = src->pitch,
		.width = box->width,
		.height = box->height,
	};
}

struct rt_fill rt_node_fill_of(const struct rt_node_fill *fill)
{
	size_t width = fill->width * fill->element;

	return (struct rt_fill){ fill->dst,  fill->height > 1 ? fill->pitch : width,
				 fill->value, fill->element, width, fill->height };
}

/* An array that is there, and all of the box in it. */
static bool is_in_array(const struct rt_side *side, const struct rt_node_copy *box)
{
	const struct rt_box part = { side->x, side->y, side->z, box->width, box->height,
				     box->depth };
	struct rt_place place;

	return rt_array_known(side->array, false) &&
	       rt_array_place(side->array, &part, &place) == vgpuSuccess;
}

static bool is_side(const struct rt_side *side, const struct rt_node_copy *box)
{
	size_t plane;

	if (side->array)
		return is_in_array(side, box);
	return side->base && !__builtin_mul_overflow(side->pitch, side->rows, &plane) &&
	       (!plane || side->z + box->depth <= SIZE_MAX / plane) &&
	       (box->depth <= 1 || side->rows >= box->height);
}

static bool is_there(const struct rt_side *side, const struct rt_node_copy *box)
{
	return !side->array || (is_in_array(side, box) &&
				side->array->level[0].base == (uint64_t)(uintptr_t)side->base);
}

bool rt_copy_has_arrays(const struct rt_node_copy *box)
{
	return is_there(&box->dst, box) && is_there(&box->src, box);
}

static vgpuError_t check_copy(const struct rt_node_copy *box)
{
	vgpuMemcpyKind kind = box->kind, first;
	vgpuError_t error = vgpuSuccess;

	if ((unsigned int)kind > vgpuMemcpyDefault)
		return vgpuErrorInvalidMemcpyDirection;
	if (!is_side(&box->dst, box) || !is_side(&box->src, box))
		return vgpuErrorInvalidValue;
	if (!box->width || !box->height)
		return vgpuSuccess;
	for (size_t z = 0; z < box->depth && error == vgpuSuccess; z++) {
		struct rt_rows rows = rt_box_rows(box, z);

		first = kind;
		error = rt_rows_check(&rows, &first);
	}
	return error;
}

static vgpuError_t check_fill(const struct rt_node_fill *fill)
{
	struct rt_fill rows;

	if ((fill->element != 1 && fill->element != 2 && fill->element != 4) || !fill->dst ||
	    (uintptr_t)fill->dst % fill->element ||
	    (fill->height > 1 && fill->pitch % fill->element) ||
	    fill->width > SIZE_MAX / fill->element)
		return vgpuErrorInvalidValue;
	rows = rt_node_fill_of(fill);
	return rt_fill_check(&rows);
}

vgpuError_t rt_params_check(const struct rt_params *params)
{
	switch (params->type) {
	case RT_NODE_KERNEL: return check_kernel(&params->kernel);
	case RT_NODE_COPY: return check_copy(&params->copy);
	case RT_NODE_FILL: return check_fill(&params->fill);
	case RT_NODE_HOST:
		return params->host.function ? vgpuSuccess : vgpuErrorInvalidValue;
	case RT_NODE_CHILD:
		if (!rt_graph_known(params->child))
			return vgpuErrorInvalidValue;
		return rt_graph_has_memory(params->child) ? vgpuErrorNotSupported : vgpuSuccess;
	case RT_NODE_EVENT_WAIT:
	case RT_NODE_EVENT_RECORD:
		return rt_event_known(params->event) ? vgpuSuccess : vgpuErrorInvalidValue;
	case RT_NODE_FREE:
		return rt_graph_memory_at(params->pointer) ? vgpuSuccess : vgpuErrorInvalidValue;
	case RT_NODE_ALLOC:
	case RT_NODE_EMPTY:
	default:
		return vgpuSuccess;
	}
}

vgpuError_t rt_graph_add(struct rt_graph *graph, struct rt_node *const *after, size_t count,
			 const struct rt_params *params, struct rt_node **out)
{
	struct rt_params own = *params;
	vgpuError_t error = out && rt_graph_known(graph) ? rt_params_check(params) :
							   vgpuErrorInvalidValue;

	if (error == vgpuSuccess && own.type == RT_NODE_CHILD)
		error = rt_graph_copy(params->child, false, &own.child);
	if (error != vgpuSuccess)
		return error;
	error = rt_node_add(graph, after, count, &own, out);
	if (error != vgpuSuccess && own.type == RT_NODE_CHILD)
		rt_graph_free(own.child);
	return error;
}

vgpuError_t rt_node_set(struct rt_node *node, const struct rt_params *params)
{
	struct rt_params own;
	vgpuError_t error;

	if (!rt_node_known(node) || node->params.type != params->type ||
	    params->type == RT_NODE_CHILD)
		return vgpuErrorInvalidValue;
	/* the address of memory is known to the program */
	if (params->type == RT_NODE_ALLOC || params->type == RT_NODE_FREE)
		return vgpuErrorNotSupported;
	error = rt_params_check(params);
	if (error == vgpuSuccess)
		error = rt_params_copy(&own, params);
	if (error != vgpuSuccess)
		return error;
	rt_params_free(&node->params);
	node->params = own;
	return vgpuSuccess;
}

void rt_params_keep(struct rt_params *to, const struct rt_params *from)
{
	if (to->type != RT_NODE_KERNEL || from->type != RT_NODE_KERNEL)
		return;
	to->kernel.priority = from->kernel.priority;
	to->kernel.cooperative = from->kernel.cooperative;
}

vgpuError_t rt_node_set_params(struct rt_node *node, const struct rt_params *params)
{
	struct rt_params kept = *params;

	if (!rt_node_known(node))
		return vgpuErrorInvalidValue;
	rt_params_keep(&kept, &node->params);
	return rt_node_set(node, &kept);
}

// SPDX-License-Identifier: MIT
/*
 * Executable graphs that are changed: single nodes, and all that another graph of the same shape
 * does. Nodes of the two are paired in the order in which they were added.
 */
#include "exec.h"

static vgpuError_t find_node(struct rt_exec *exec, struct rt_node *node, struct rt_node **out)
{
	vgpuError_t error = rt_exec_check(exec);

	if (error != vgpuSuccess)
		return error;
	*out = rt_node_known(node) ? rt_node_copy_in(exec->graph, node) : NULL;
	return *out ? vgpuSuccess : vgpuErrorInvalidValue;
}

vgpuError_t rt_exec_enable(struct rt_exec *exec, struct rt_node *node, bool enabled)
{
	struct rt_node *own;
	vgpuError_t error = find_node(exec, node, &own);

	if (error != vgpuSuccess)
		return error;
	if (own->params.type != RT_NODE_KERNEL && own->params.type != RT_NODE_COPY &&
	    own->params.type != RT_NODE_FILL)
		return vgpuErrorInvalidValue;
	own->disabled = !enabled;
	return vgpuSuccess;
}

vgpuError_t rt_exec_is_enabled(struct rt_exec *exec, struct rt_node *node, unsigned int *enabled)
{
	struct rt_node *own;
	vgpuError_t error = enabled ? find_node(exec, node, &own) : vgpuErrorInvalidValue;

	if (error == vgpuSuccess)
		*enabled = !own->disabled;
	return error;
}

/* @node, of the executable graph, does what @params says, which was checked. */
static vgpuError_t set_node(struct rt_exec *exec, struct rt_node *node,
			    const struct rt_params *params)
{
	struct rt_params before = node->params, own;
	vgpuError_t error = rt_params_copy(&own, params);

	if (error != vgpuSuccess)
		return error;
	node->params = own;
	if (own.type == RT_NODE_KERNEL)
		error = rt_exec_prepare(exec, &exec->plan.steps[node->step]);
	if (error != vgpuSuccess) {
		node->params = before;
		rt_params_free(&own);
		return error;
	}
	rt_params_free(&before);
	return vgpuSuccess;
}

/* ---- another graph ------------------------------------------------------------ */

static bool refuse(struct rt_update *update, enum rt_update_result result, struct rt_node *node)
{
	update->result = result;
	update->node = node;
	return false;
}

static bool same_edges(const struct rt_node *own, const struct rt_node *other,
		       struct rt_update *update)
{
	if (own->from.count != other->from.count)
		return false;
	for (size_t i = 0; i < own->from.count; i++)
		if (own->from.list[i]->mark != other->from.list[i]->mark) {
			update->from = other->from.list[i];
			return false;
		}
	return true;
}

/* Memory of the device or of the host: that may not change. */
static bool same_places(const struct rt_params *own, const struct rt_params *other)
{
	if (own->type == RT_NODE_FILL)
		return (own->fill.height > 1) == (other->fill.height > 1);
	return rt_is_device(own->copy.dst.base) == rt_is_device(other->copy.dst.base) &&
	       rt_is_device(own->copy.src.base) == rt_is_device(other->copy.src.base);
}

static bool same_shape(struct rt_graph *own, struct rt_graph *other, struct rt_update *update);

static bool same_node(const struct rt_node *own, struct rt_node *other, struct rt_update *update)
{
	const struct rt_params *had = &own->params, *has = &other->params;

	if (had->type != has->type)
		return refuse(update, RT_UPDATE_NODE_TYPE, other);
	if (!same_edges(own, other, update))
		return refuse(update, RT_UPDATE_TOPOLOGY, other);
	switch (had->type) {
	case RT_NODE_KERNEL:
		return has->kernel.context == rt_current ||
		       refuse(update, RT_UPDATE_FUNCTION, other);
	case RT_NODE_COPY:
	case RT_NODE_FILL:
		return same_places(had, has) || refuse(update, RT_UPDATE_PARAMETERS, other);
	case RT_NODE_CHILD: return same_shape(had->child, has->child, update);
	case RT_NODE_ALLOC:
		return had->memory == has->memory ||
		       refuse(update, RT_UPDATE_NOT_SUPPORTED, other);
	case RT_NODE_FREE:
		return had->pointer == has->pointer ||
		       refuse(update, RT_UPDATE_NOT_SUPPORTED, other);
	default:
		return true;
	}
}

static void number(struct rt_graph *graph)
{
	size_t count = 0;

	rt_for_nodes(node, graph)
		node->mark = count++;
}

static bool same_shape(struct rt_graph *own, struct rt_graph *other, struct rt_update *update)
{
	struct rt_node *second = other->first;

	if (own->count != other->count)
		return refuse(update, RT_UPDATE_TOPOLOGY, NULL);
	number(own);
	number(other);
	rt_for_nodes(first, own) {
		if (!same_node(first, second, update))
			return false;
		second = second->next;
	}
	return true;
}

static vgpuError_t set_all(struct rt_exec *exec, struct rt_graph *own, struct rt_graph *other)
{
	struct rt_node *second = other->first;
	vgpuError_t error = vgpuSuccess;

	rt_for_nodes(first, own) {
		if (error == vgpuSuccess && first->params.type == RT_NODE_CHILD)
			error = set_all(exec, first->params.child, second->params.child);
		else if (error == vgpuSuccess)
			error = set_node(exec, first, &second->params);
		second = second->next;
	}
	return error;
}

vgpuError_t rt_exec_update(struct rt_exec *exec, struct rt_graph *graph,
			   struct rt_update *update)
{
	vgpuError_t error = rt_exec_check(exec);

	*update = (struct rt_update){ .result = RT_UPDATE_ERROR };
	if (error == vgpuSuccess && !rt_graph_known(graph))
		error = vgpuErrorInvalidValue;
	if (error != vgpuSuccess)
		return error;
	update->result = RT_UPDATE_SUCCESS;
	if (!same_shape(exec->graph, graph, update))
		return vgpuErrorGraphExecUpdateFailure;
	error = set_all(exec, exec->graph, graph);
	if (error != vgpuSuccess)
		update->result = RT_UPDATE_ERROR;
	return error;
}

vgpuError_t rt_exec_set(struct rt_exec *exec, struct rt_node *node,
			const struct rt_params *params)
{
	struct rt_update update = { .result = RT_UPDATE_SUCCESS };
	struct rt_params kept = *params;
	struct rt_node *own;
	vgpuError_t error = find_node(exec, node, &own);

	if (error != vgpuSuccess)
		return error;
	if (own->params.type != params->type)
		return vgpuErrorInvalidValue;
	rt_params_keep(&kept, &own->params);
	if (params->type == RT_NODE_ALLOC || params->type == RT_NODE_FREE)
		return vgpuErrorNotSupported;
	error = rt_params_check(&kept);
	if (error != vgpuSuccess)
		return error;
	if (params->type != RT_NODE_CHILD)
		return set_node(exec, own, &kept);
	if (!same_shape(own->params.child, params->child, &update))
		return vgpuErrorInvalidValue;
	return set_all(exec, own->params.child, params->child);
}

// SPDX-License-Identifier: MIT
/*
 * Executable graphs: making and ending them; see exec.h.
 */
#include <stdlib.h>

#include "allocation.h"
#include "exec.h"

#define KNOWN_FLAGS \
	(RT_EXEC_AUTO_FREE | RT_EXEC_UPLOAD | RT_EXEC_ON_DEVICE | RT_EXEC_PRIORITY)

vgpuError_t rt_exec_check(const struct rt_exec *exec)
{
	if (!rt_handle_known(exec, RT_HANDLE_EXEC))
		return vgpuErrorInvalidValue;
	return exec->context == rt_current && exec->generation == rt.generation ?
		       vgpuSuccess : vgpuErrorInvalidResourceHandle;
}

vgpuError_t rt_exec_prepare(struct rt_exec *exec, struct rt_step *step)
{
	const struct rt_node_kernel *kernel = &step->node->params.kernel;

	if (kernel->context != exec->context || kernel->generation != exec->generation)
		return vgpuErrorNotSupported;
	if (!rt_function_known(kernel->function) ||
	    rt_kernel(kernel->function)->vass.param_bytes != kernel->bytes)
		return vgpuErrorInvalidResourceHandle;
	return rt_launch_prepare(kernel->function, kernel->grid, kernel->block, kernel->shared,
				 kernel->cooperative, &step->launch);
}

static vgpuError_t prepare_all(struct rt_exec *exec)
{
	vgpuError_t error = vgpuSuccess;

	for (size_t i = 0; i < exec->plan.count && error == vgpuSuccess; i++) {
		struct rt_step *step = &exec->plan.steps[i];

		step->node->step = (uint32_t)i;
		if (step->node->params.type == RT_NODE_KERNEL)
			error = rt_exec_prepare(exec, step);
	}
	exec->unloads = rt.unloads;
	return error;
}

/* Each allocation of a graph is of one executable graph. */
static vgpuError_t claim_memory(struct rt_graph *graph, bool claim)
{
	vgpuError_t error = vgpuSuccess;

	rt_for_nodes(node, graph)
		if (node->params.type == RT_NODE_ALLOC && claim &&
		    node->params.memory->has_exec)
			error = vgpuErrorNotSupported;
	rt_for_nodes(node, graph)
		if (node->params.type == RT_NODE_ALLOC && error == vgpuSuccess)
			node->params.memory->has_exec = claim;
	return error;
}

static unsigned int lanes_here(void)
{
	return rt.queue_limit < RT_LANES ? rt.queue_limit : RT_LANES;
}

static void exec_free(struct rt_exec *exec)
{
	rt_plan_free(&exec->plan);
	rt_graph_free(exec->graph);
	free(exec);
}

/* The program knows nodes of its own graph. */
static struct rt_node *original(struct rt_graph *graph, const struct rt_node *copy)
{
	rt_for_nodes(node, graph) {
		struct rt_node *found = NULL;

		if (node->id == copy->origin)
			return node;
		if (node->params.type == RT_NODE_CHILD)
			found = original(node->params.child, copy);
		if (found)
			return found;
	}
	return NULL;
}

vgpuError_t rt_exec_create(struct rt_exec **out, struct rt_graph *graph, unsigned long long flags,
			   struct rt_node **node)
{
	struct rt_node *circle = NULL;
	struct rt_exec *exec;
	vgpuError_t error;

	*node = NULL;
	if (!out || !rt_graph_known(graph) || (flags & ~(unsigned long long)KNOWN_FLAGS))
		return vgpuErrorInvalidValue;
	if (flags & RT_EXEC_ON_DEVICE)
		return vgpuErrorNotSupported;
	exec = calloc(1, sizeof(*exec));
	if (!exec)
		return vgpuErrorMemoryAllocation;
	exec->context = rt_current;
	exec->generation = rt.generation;
	exec->flags = (unsigned int)flags;
	error = rt_graph_copy(graph, true, &exec->graph);
	if (error == vgpuSuccess)
		error = rt_plan_make(exec->graph, lanes_here(), &exec->plan, &circle);
	if (error == vgpuSuccess)
		error = prepare_all(exec);
	if (error == vgpuSuccess)
		error = claim_memory(exec->graph, true);
	if (error == vgpuSuccess && !rt_handle_add(exec, RT_HANDLE_EXEC)) {
		claim_memory(exec->graph, false);
		error = vgpuErrorMemoryAllocation;
	}
	if (error != vgpuSuccess) {
		if (circle)
			*node = original(graph, circle);
		exec_free(exec);
		return error;
	}
	exec->first_lane = rt.next_lane;
	rt.next_lane = (rt.next_lane + exec->plan.lanes - 1) % RT_GRAPH_LANES;
	rt.lane_users++;
	*out = exec;
	return vgpuSuccess;
}

static void drop_lanes(void)
{
	if (--rt.lane_users)
		return;
	for (unsigned int i = 0; i < RT_GRAPH_LANES; i++) {
		if (rt.lanes[i])
			rt_stream_drop(rt.lanes[i]);
		rt.lanes[i] = NULL;
	}
}

/* In a thread of the runtime: the last launch is over. */
static void end_later(void *function, void *stream, void *graph, vgpuError_t error)
{
	(void)function;
	(void)stream;
	(void)error;
	pthread_mutex_lock(&rt_lock);
	rt_graph_free(graph);
	pthread_mutex_unlock(&rt_lock);
	rt_objects_settle();
}

/* What the program's objects free may be in use until the last launch is over. */
static bool free_later(struct rt_exec *exec)
{
	const struct rt_host_call call = {
		.call = end_later,
		.argument = exec->graph,
		.always = true,
	};

	return exec->graph->objects && exec->queue && exec->queue->epoch == exec->epoch &&
	       exec->queue->completed < exec->seq &&
	       rt_queue_host_call(exec->queue, &call) == vgpuSuccess;
}

vgpuError_t rt_exec_destroy(struct rt_exec *exec)
{
	struct rt_state *before = rt_current;

	if (!rt_handle_known(exec, RT_HANDLE_EXEC))
		return vgpuErrorInvalidValue;
	rt_handle_remove(exec);
	rt_current = exec->context;
	claim_memory(exec->graph, false);
	if (exec->generation == rt.generation) {
		drop_lanes();
		if (free_later(exec))
			exec->graph = NULL;
	}
	exec_free(exec);
	rt_graph_memory_settle();
	rt_current = before;
	return vgpuSuccess;
}

vgpuError_t rt_exec_flags(struct rt_exec *exec, unsigned long long *flags)
{
	if (!flags || !rt_handle_known(exec, RT_HANDLE_EXEC))
		return vgpuErrorInvalidValue;
	*flags = exec->flags;
	return vgpuSuccess;
}

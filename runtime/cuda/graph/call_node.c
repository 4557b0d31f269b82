// SPDX-License-Identifier: MIT
/*
 * CUDA names: what the nodes of a graph, and of an executable one, do.
 */
#include <string.h>

#include "api/graph/allocation.h"
#include "convert.h"

/** struct target - where parameters go: a new node, a node, or one of an executable graph */
struct target {
	cudaGraphNode_t *out;
	cudaGraph_t graph;
	const cudaGraphNode_t *after;
	size_t count;
	cudaGraphExec_t exec;
	cudaGraphNode_t node;
};

#define NEW_NODE(out, graph, after, count)	(&(const struct target){ out, graph, after, count, \
								  NULL, NULL })
#define OLD_NODE(node)		(&(const struct target){ NULL, NULL, NULL, 0, NULL, node })
#define NODE_OF(exec, node)	(&(const struct target){ NULL, NULL, NULL, 0, exec, node })

static vgpuError_t apply(const struct target *target, struct node_params *node, vgpuError_t error)
{
	if (error == vgpuSuccess && !target->node)
		error = target->out ? rt_graph_add(to_graph(target->graph),
						   to_nodes(target->after), target->count,
						   &node->params, to_list(target->out)) :
				      vgpuErrorInvalidValue;
	else if (error == vgpuSuccess)
		error = target->exec ? rt_exec_set(to_exec(target->exec), to_node(target->node),
						   &node->params) :
				       rt_node_set_params(to_node(target->node),
							  &node->params);
	node_params_end(node);
	return error;
}

/* A call that converts by @expression, into `node'. */
#define APPLY(target, expression) ({ \
	struct node_params node = { .arguments = NULL }; \
	GRAPH_CALL(apply(target, &node, expression)); \
})

/* The parameters of a node of this type; with rt_lock held. */
#define READ(node, type, out, statement) ({ \
	struct rt_params params; \
	vgpuError_t error = rt_enter(); \
\
	if (error == vgpuSuccess) { \
		error = out ? rt_node_get(to_node(node), type, &params) : \
			      vgpuErrorInvalidValue; \
		if (error == vgpuSuccess) { \
			statement; \
		} \
		error = rt_leave(error); \
	} \
	cuda_error(error); \
})

/* ---- of any type ---------------------------------------------------------------- */

static bool is_refused(const struct cudaGraphNodeParams *params)
{
	return params && (params->type == cudaGraphNodeTypeConditional ||
			  params->type == cudaGraphNodeTypeExtSemaphoreSignal ||
			  params->type == cudaGraphNodeTypeExtSemaphoreWait);
}

static cudaError_t refuse_type(const struct cudaGraphNodeParams *params, const char *call)
{
	static bool conditional, semaphore;

	return params->type == cudaGraphNodeTypeConditional ?
		       cuda_refuse(&conditional, call, "conditional nodes are") :
		       cuda_refuse(&semaphore, call, "semaphores of other APIs in graphs are");
}

cudaError_t cudaGraphAddNode(cudaGraphNode_t *out, cudaGraph_t graph,
			     const cudaGraphNode_t *after, size_t count,
			     struct cudaGraphNodeParams *params)
{
	return is_refused(params) ? refuse_type(params, __func__) :
		APPLY(NEW_NODE(out, graph, after, count), node_any(&node, params));
}

cudaError_t cudaGraphAddNode_v2(cudaGraphNode_t *out, cudaGraph_t graph,
				const cudaGraphNode_t *after, const cudaGraphEdgeData *edges,
				size_t count, struct cudaGraphNodeParams *params)
{
	return edges_are_plain(edges, count) ?
		       cudaGraphAddNode(out, graph, after, count, params) :
		       CUDA_REFUSE("edges with ports are");
}

cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t at, struct cudaGraphNodeParams *params)
{
	return is_refused(params) ? refuse_type(params, __func__) :
				    APPLY(OLD_NODE(at), node_any(&node, params));
}

cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t at,
				       struct cudaGraphNodeParams *params)
{
	return is_refused(params) ? refuse_type(params, __func__) :
				    APPLY(NODE_OF(exec, at), node_any(&node, params));
}

/* ---- kernels -------------------------------------------------------------------- */

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *out, cudaGraph_t graph,
				   const cudaGraphNode_t *after, size_t count,
				   const struct cudaKernelNodeParams *params)
{
	return APPLY(NEW_NODE(out, graph, after, count), node_kernel(&node, params));
}

cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t at,
					 const struct cudaKernelNodeParams *params)
{
	return APPLY(OLD_NODE(at), node_kernel(&node, params));
}

cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t at,
					     const struct cudaKernelNodeParams *params)
{
	return APPLY(NODE_OF(exec, at), node_kernel(&node, params));
}

static void tell_kernel(const struct rt_node_kernel *kernel, struct cudaKernelNodeParams *out)
{
	*out = (struct cudaKernelNodeParams){
		.func = (void *)(uintptr_t)cuda_host_function(kernel->function),
		.gridDim = { kernel->grid[0], kernel->grid[1], kernel->grid[2] },
		.blockDim = { kernel->block[0], kernel->block[1], kernel->block[2] },
		.sharedMemBytes = (unsigned int)kernel->shared,
		.kernelParams = kernel->arguments,
	};
}

cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t at, struct cudaKernelNodeParams *out)
{
	return READ(at, RT_NODE_KERNEL, out, tell_kernel(&params.kernel, out));
}

/* Hints about caches are remembered nowhere; priorities are as those of streams. */
static vgpuError_t set_attribute(cudaGraphNode_t at, cudaKernelNodeAttrID attribute,
				 const cudaKernelNodeAttrValue *value)
{
	unsigned int most = rt_most_priority(), wanted;
	struct rt_params params;
	vgpuError_t error = value ? rt_node_get(to_node(at), RT_NODE_KERNEL, &params) :
				    vgpuErrorInvalidValue;

	if (error != vgpuSuccess)
		return error;
	switch ((int)attribute) {
	case cudaLaunchAttributePriority:
		wanted = value->priority < 0 ? (unsigned int)-(long)value->priority : 0;
		to_node(at)->params.kernel.priority = wanted > most ? most : wanted;
		return vgpuSuccess;
	case cudaLaunchAttributeAccessPolicyWindow:
	case cudaLaunchAttributeSynchronizationPolicy:
		return vgpuSuccess;
	case cudaLaunchAttributeCooperative:
		params.kernel.cooperative = value->cooperative != 0;
		return rt_node_set(to_node(at), &params);
	case cudaLaunchAttributeClusterDimension:
		return value->clusterDim.x * value->clusterDim.y * value->clusterDim.z > 1 ?
			       vgpuErrorNotSupported : vgpuSuccess;
	default:
		return vgpuErrorInvalidValue;
	}
}

cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t at, cudaKernelNodeAttrID attribute,
					    const cudaKernelNodeAttrValue *value)
{
	return GRAPH_CALL(set_attribute(at, attribute, value));
}

static vgpuError_t get_attribute(cudaGraphNode_t at, cudaKernelNodeAttrID attribute,
				 cudaKernelNodeAttrValue *value)
{
	struct rt_params params;
	vgpuError_t error = value ? rt_node_get(to_node(at), RT_NODE_KERNEL, &params) :
				    vgpuErrorInvalidValue;

	if (error != vgpuSuccess)
		return error;
	memset(value, 0, sizeof(*value));
	switch ((int)attribute) {
	case cudaLaunchAttributeCooperative:
		value->cooperative = params.kernel.cooperative;
		return vgpuSuccess;
	case cudaLaunchAttributePriority:
		value->priority = -(int)params.kernel.priority;
		return vgpuSuccess;
	case cudaLaunchAttributeAccessPolicyWindow:
	case cudaLaunchAttributeSynchronizationPolicy:
	case cudaLaunchAttributeClusterDimension:
		return vgpuSuccess;
	default:
		return vgpuErrorInvalidValue;
	}
}

cudaError_t cudaGraphKernelNodeGetAttribute(cudaGraphNode_t at, cudaKernelNodeAttrID attribute,
					    cudaKernelNodeAttrValue *value)
{
	return GRAPH_CALL(get_attribute(at, attribute, value));
}

static vgpuError_t copy_attributes(cudaGraphNode_t src, cudaGraphNode_t dst)
{
	struct rt_params from, to;
	vgpuError_t error = rt_node_get(to_node(src), RT_NODE_KERNEL, &from);

	if (error == vgpuSuccess)
		error = rt_node_get(to_node(dst), RT_NODE_KERNEL, &to);
	if (error != vgpuSuccess)
		return error;
	to.kernel.priority = from.kernel.priority;
	to.kernel.cooperative = from.kernel.cooperative;
	return rt_node_set(to_node(dst), &to);
}

cudaError_t cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t src, cudaGraphNode_t dst)
{
	return GRAPH_CALL(copy_attributes(src, dst));
}

/* ---- copies --------------------------------------------------------------------- */

static bool has_array(const struct cudaMemcpy3DParms *params)
{
	return params && (params->srcArray || params->dstArray);
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *out, cudaGraph_t graph,
				   const cudaGraphNode_t *after, size_t count,
				   const struct cudaMemcpy3DParms *params)
{
	return has_array(params) ? CUDA_REFUSE("copies of arrays in graphs are") :
		APPLY(NEW_NODE(out, graph, after, count), node_copy(&node, params));
}

cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t at,
					 const struct cudaMemcpy3DParms *params)
{
	return has_array(params) ? CUDA_REFUSE("copies of arrays in graphs are") :
				   APPLY(OLD_NODE(at), node_copy(&node, params));
}

cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t at,
					     const struct cudaMemcpy3DParms *params)
{
	return has_array(params) ? CUDA_REFUSE("copies of arrays in graphs are") :
				   APPLY(NODE_OF(exec, at), node_copy(&node, params));
}

static void tell_side(const struct rt_side *side, struct cudaPitchedPtr *pitched,
		      struct cudaPos *pos)
{
	*pitched = (struct cudaPitchedPtr){ side->base, side->pitch, side->width, side->rows };
	*pos = (struct cudaPos){ side->x, side->y, side->z };
}

static void tell_copy(const struct rt_node_copy *copy, struct cudaMemcpy3DParms *out)
{
	*out = (struct cudaMemcpy3DParms){
		.extent = { copy->width, copy->height, copy->depth },
		.kind = (enum cudaMemcpyKind)copy->kind,
	};
	tell_side(&copy->dst, &out->dstPtr, &out->dstPos);
	tell_side(&copy->src, &out->srcPtr, &out->srcPos);
}

cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t at, struct cudaMemcpy3DParms *out)
{
	return READ(at, RT_NODE_COPY, out, tell_copy(&params.copy, out));
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *out, cudaGraph_t graph,
				     const cudaGraphNode_t *after, size_t count, void *dst,
				     const void *src, size_t bytes, enum cudaMemcpyKind kind)
{
	return APPLY(NEW_NODE(out, graph, after, count), node_row(&node, dst, src, bytes, kind));
}

cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t at, void *dst, const void *src,
					   size_t bytes, enum cudaMemcpyKind kind)
{
	return APPLY(OLD_NODE(at), node_row(&node, dst, src, bytes, kind));
}

cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec, cudaGraphNode_t at,
					       void *dst, const void *src, size_t bytes,
					       enum cudaMemcpyKind kind)
{
	return APPLY(NODE_OF(exec, at), node_row(&node, dst, src, bytes, kind));
}

cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *out, cudaGraph_t graph,
					   const cudaGraphNode_t *after, size_t count,
					   const void *symbol, const void *src, size_t bytes,
					   size_t offset, enum cudaMemcpyKind kind)
{
	return APPLY(NEW_NODE(out, graph, after, count),
		     node_symbol(&node, NULL, src, symbol, bytes, offset, kind));
}

cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t at, const void *symbol,
						 const void *src, size_t bytes, size_t offset,
						 enum cudaMemcpyKind kind)
{
	return APPLY(OLD_NODE(at), node_symbol(&node, NULL, src, symbol, bytes, offset, kind));
}

cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t exec, cudaGraphNode_t at,
						     const void *symbol, const void *src,
						     size_t bytes, size_t offset,
						     enum cudaMemcpyKind kind)
{
	return APPLY(NODE_OF(exec, at),
		     node_symbol(&node, NULL, src, symbol, bytes, offset, kind));
}

cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t *out, cudaGraph_t graph,
					     const cudaGraphNode_t *after, size_t count,
					     void *dst, const void *symbol, size_t bytes,
					     size_t offset, enum cudaMemcpyKind kind)
{
	return APPLY(NEW_NODE(out, graph, after, count),
		     node_symbol(&node, dst, NULL, symbol, bytes, offset, kind));
}

cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t at, void *dst,
						   const void *symbol, size_t bytes,
						   size_t offset, enum cudaMemcpyKind kind)
{
	return APPLY(OLD_NODE(at), node_symbol(&node, dst, NULL, symbol, bytes, offset, kind));
}

cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t exec, cudaGraphNode_t at,
						       void *dst, const void *symbol,
						       size_t bytes, size_t offset,
						       enum cudaMemcpyKind kind)
{
	return APPLY(NODE_OF(exec, at),
		     node_symbol(&node, dst, NULL, symbol, bytes, offset, kind));
}

/* ---- fills ---------------------------------------------------------------------- */

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *out, cudaGraph_t graph,
				   const cudaGraphNode_t *after, size_t count,
				   const struct cudaMemsetParams *params)
{
	return APPLY(NEW_NODE(out, graph, after, count), node_fill(&node, params));
}

cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t at,
					 const struct cudaMemsetParams *params)
{
	return APPLY(OLD_NODE(at), node_fill(&node, params));
}

cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t at,
					     const struct cudaMemsetParams *params)
{
	return APPLY(NODE_OF(exec, at), node_fill(&node, params));
}

static void tell_fill(const struct rt_node_fill *fill, struct cudaMemsetParams *out)
{
	*out = (struct cudaMemsetParams){ fill->dst, fill->pitch, fill->value, fill->element,
					  fill->width, fill->height };
}

cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t at, struct cudaMemsetParams *out)
{
	return READ(at, RT_NODE_FILL, out, tell_fill(&params.fill, out));
}

/* ---- functions, child graphs, events ------------------------------------------------ */

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *out, cudaGraph_t graph,
				 const cudaGraphNode_t *after, size_t count,
				 const struct cudaHostNodeParams *params)
{
	return APPLY(NEW_NODE(out, graph, after, count), node_host(&node, params));
}

cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t at,
				       const struct cudaHostNodeParams *params)
{
	return APPLY(OLD_NODE(at), node_host(&node, params));
}

cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t at,
					   const struct cudaHostNodeParams *params)
{
	return APPLY(NODE_OF(exec, at), node_host(&node, params));
}

cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t at, struct cudaHostNodeParams *out)
{
	return READ(at, RT_NODE_HOST, out,
		    (*out = (struct cudaHostNodeParams){ params.host.function,
							 params.host.argument }));
}

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *out, cudaGraph_t graph,
				       const cudaGraphNode_t *after, size_t count,
				       cudaGraph_t child)
{
	return APPLY(NEW_NODE(out, graph, after, count), node_child(&node, child));
}

cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t at,
						 cudaGraph_t child)
{
	return APPLY(NODE_OF(exec, at), node_child(&node, child));
}

cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t at, cudaGraph_t *out)
{
	return READ(at, RT_NODE_CHILD, out, (*out = (cudaGraph_t)(void *)params.child));
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *out, cudaGraph_t graph,
				  const cudaGraphNode_t *after, size_t count)
{
	return APPLY(NEW_NODE(out, graph, after, count),
		     (node.params.type = RT_NODE_EMPTY, vgpuSuccess));
}

cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t *out, cudaGraph_t graph,
					const cudaGraphNode_t *after, size_t count,
					cudaEvent_t event)
{
	return APPLY(NEW_NODE(out, graph, after, count), node_event(&node, true, event));
}

cudaError_t cudaGraphEventRecordNodeSetEvent(cudaGraphNode_t at, cudaEvent_t event)
{
	return APPLY(OLD_NODE(at), node_event(&node, true, event));
}

cudaError_t cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t exec, cudaGraphNode_t at,
						 cudaEvent_t event)
{
	return APPLY(NODE_OF(exec, at), node_event(&node, true, event));
}

cudaError_t cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t at, cudaEvent_t *out)
{
	return READ(at, RT_NODE_EVENT_RECORD, out, (*out = (cudaEvent_t)(void *)params.event));
}

cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t *out, cudaGraph_t graph,
				      const cudaGraphNode_t *after, size_t count,
				      cudaEvent_t event)
{
	return APPLY(NEW_NODE(out, graph, after, count), node_event(&node, false, event));
}

cudaError_t cudaGraphEventWaitNodeSetEvent(cudaGraphNode_t at, cudaEvent_t event)
{
	return APPLY(OLD_NODE(at), node_event(&node, false, event));
}

cudaError_t cudaGraphExecEventWaitNodeSetEvent(cudaGraphExec_t exec, cudaGraphNode_t at,
					       cudaEvent_t event)
{
	return APPLY(NODE_OF(exec, at), node_event(&node, false, event));
}

cudaError_t cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t at, cudaEvent_t *out)
{
	return READ(at, RT_NODE_EVENT_WAIT, out, (*out = (cudaEvent_t)(void *)params.event));
}

/* ---- memory --------------------------------------------------------------------- */

cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t *out, cudaGraph_t graph,
				     const cudaGraphNode_t *after, size_t count,
				     struct cudaMemAllocNodeParams *params)
{
	return APPLY(NEW_NODE(out, graph, after, count),
		     params ? node_alloc(&node, &params->poolProps, params->bytesize,
					 &params->dptr) :
			      (node.params.type = RT_NODE_EMPTY, vgpuErrorInvalidValue));
}

static void tell_memory(const struct rt_graph_memory *memory, struct cudaMemAllocNodeParams *out)
{
	*out = (struct cudaMemAllocNodeParams){
		.poolProps = {
			.allocType = cudaMemAllocationTypePinned,
			.location = { cudaMemLocationTypeDevice, rt_device_of(memory->context) },
		},
		.bytesize = memory->bytes,
		.dptr = (void *)(uintptr_t)memory->address,
	};
}

cudaError_t cudaGraphMemAllocNodeGetParams(cudaGraphNode_t at, struct cudaMemAllocNodeParams *out)
{
	return READ(at, RT_NODE_ALLOC, out, tell_memory(params.memory, out));
}

cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t *out, cudaGraph_t graph,
				    const cudaGraphNode_t *after, size_t count, void *pointer)
{
	return APPLY(NEW_NODE(out, graph, after, count), node_free(&node, pointer));
}

cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t at, void *out)
{
	return READ(at, RT_NODE_FREE, out, (*(void **)out = params.pointer));
}

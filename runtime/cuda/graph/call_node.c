// SPDX-License-Identifier: MIT
/*
 * CUDA names: what the nodes of a graph, and of an executable one, do.
 */
#include <string.h>

#include "api/graph/allocation.h"
#include "api/textures/array.h"
#include "convert.h"

#define NEW_NODE(out, graph, after, count) \
	(&(const struct rt_target){ to_list(out), to_graph(graph), to_nodes(after), count, NULL, \
				    NULL })
#define OLD_NODE(node) \
	(&(const struct rt_target){ NULL, NULL, NULL, 0, NULL, to_node(node) })
#define NODE_OF(exec, node) \
	(&(const struct rt_target){ NULL, NULL, NULL, 0, to_exec(exec), to_node(node) })

/* A call that converts by @expression, into `node'. */
#define APPLY(target, expression) ({ \
	struct rt_request node = { .arguments = NULL }; \
	GRAPH_CALL(rt_request_apply(target, &node, expression)); \
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
	return params && rt_request_refused((int)params->type);
}

static cudaError_t refuse_type(const struct cudaGraphNodeParams *params, const char *call)
{
	static bool said[16];

	return cuda_refuse(&said[params->type % 16], call, rt_request_refused((int)params->type));
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
	return rt_edges_are_plain(edges, count) ?
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

cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t at, cudaKernelNodeAttrID attribute,
					    const cudaKernelNodeAttrValue *value)
{
	return GRAPH_CALL(rt_node_set_attribute(to_node(at), (int)attribute, value));
}

cudaError_t cudaGraphKernelNodeGetAttribute(cudaGraphNode_t at, cudaKernelNodeAttrID attribute,
					    cudaKernelNodeAttrValue *value)
{
	return GRAPH_CALL(rt_node_get_attribute(to_node(at), (int)attribute, value));
}

cudaError_t cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t src, cudaGraphNode_t dst)
{
	return GRAPH_CALL(rt_node_copy_attributes(to_node(src), to_node(dst)));
}

/* ---- copies --------------------------------------------------------------------- */

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *out, cudaGraph_t graph,
				   const cudaGraphNode_t *after, size_t count,
				   const struct cudaMemcpy3DParms *params)
{
	return APPLY(NEW_NODE(out, graph, after, count), node_copy(&node, params));
}

cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t at,
					 const struct cudaMemcpy3DParms *params)
{
	return APPLY(OLD_NODE(at), node_copy(&node, params));
}

cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t at,
					     const struct cudaMemcpy3DParms *params)
{
	return APPLY(NODE_OF(exec, at), node_copy(&node, params));
}

/* Bytes of a texel of the array, 0: memory. */
static size_t tell_side(const struct rt_side *side, cudaArray_t *array,
			struct cudaPitchedPtr *pitched, struct cudaPos *pos)
{
	size_t texel = side->array ? rt_format_texel(&side->array->shape.format) : 0;

	*array = (cudaArray_t)(uintptr_t)side->array;
	if (!side->array)
		*pitched = (struct cudaPitchedPtr){ side->base, side->pitch, side->width,
						    side->rows };
	*pos = (struct cudaPos){ texel ? side->x / texel : side->x, side->y, side->z };
	return texel;
}

static void tell_copy(const struct rt_node_copy *copy, struct cudaMemcpy3DParms *out)
{
	size_t dst, src;

	*out = (struct cudaMemcpy3DParms){
		.extent = { copy->width, copy->height, copy->depth },
		.kind = (enum cudaMemcpyKind)copy->kind,
	};
	dst = tell_side(&copy->dst, &out->dstArray, &out->dstPtr, &out->dstPos);
	src = tell_side(&copy->src, &out->srcArray, &out->srcPtr, &out->srcPos);
	if (dst || src)
		out->extent.width /= dst ? dst : src;
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
	return APPLY(NEW_NODE(out, graph, after, count),
		     rt_request_event(&node, true, cuda_event(event)));
}

cudaError_t cudaGraphEventRecordNodeSetEvent(cudaGraphNode_t at, cudaEvent_t event)
{
	return APPLY(OLD_NODE(at), rt_request_event(&node, true, cuda_event(event)));
}

cudaError_t cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t exec, cudaGraphNode_t at,
						 cudaEvent_t event)
{
	return APPLY(NODE_OF(exec, at), rt_request_event(&node, true, cuda_event(event)));
}

cudaError_t cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t at, cudaEvent_t *out)
{
	return READ(at, RT_NODE_EVENT_RECORD, out, (*out = (cudaEvent_t)(void *)params.event));
}

cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t *out, cudaGraph_t graph,
				      const cudaGraphNode_t *after, size_t count,
				      cudaEvent_t event)
{
	return APPLY(NEW_NODE(out, graph, after, count),
		     rt_request_event(&node, false, cuda_event(event)));
}

cudaError_t cudaGraphEventWaitNodeSetEvent(cudaGraphNode_t at, cudaEvent_t event)
{
	return APPLY(OLD_NODE(at), rt_request_event(&node, false, cuda_event(event)));
}

cudaError_t cudaGraphExecEventWaitNodeSetEvent(cudaGraphExec_t exec, cudaGraphNode_t at,
					       cudaEvent_t event)
{
	return APPLY(NODE_OF(exec, at), rt_request_event(&node, false, cuda_event(event)));
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

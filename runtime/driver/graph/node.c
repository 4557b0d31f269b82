// SPDX-License-Identifier: MIT
/*
 * Driver API: what the nodes of a graph, and of an executable one, do.
 */
#include <string.h>

#include "api/graph/allocation.h"
#include "convert.h"

#define NEW_NODE(out, graph, after, count) \
	(&(const struct rt_target){ drv_list(out), drv_graph(graph), drv_nodes(after), count, \
				    NULL, NULL })
#define OLD_NODE(node) \
	(&(const struct rt_target){ NULL, NULL, NULL, 0, NULL, drv_node(node) })
#define NODE_OF(exec, node) \
	(&(const struct rt_target){ NULL, NULL, NULL, 0, drv_exec(exec), drv_node(node) })

/* A call that converts by @expression, into `node'. */
#define APPLY(target, expression) ({ \
	struct rt_request node = { .arguments = NULL }; \
	DRV_GRAPH_CALL(rt_request_apply(target, &node, expression)); \
})

/* The parameters of a node of this type; with rt_lock held. */
#define READ(node, type, out, statement) ({ \
	struct rt_params params; \
	CUresult entered = drv_enter(); \
	vgpuError_t error; \
\
	if (entered == CUDA_SUCCESS) { \
		error = out ? rt_node_get(drv_node(node), type, &params) : \
			      vgpuErrorInvalidValue; \
		if (error == vgpuSuccess) { \
			statement; \
		} \
		entered = drv_error(rt_leave(error)); \
	} \
	entered; \
})

/* ---- of any type ---------------------------------------------------------------- */

static bool is_refused(const CUgraphNodeParams *params)
{
	return params && rt_request_refused((int)params->type);
}

static CUresult refuse_type(const CUgraphNodeParams *params, const char *call)
{
	static bool said[16];

	return drv_refuse(&said[params->type % 16], call, rt_request_refused((int)params->type));
}

CUresult cuGraphAddNode(CUgraphNode *out, CUgraph graph,
			const CUgraphNode *after, size_t count,
			CUgraphNodeParams *params)
{
	return is_refused(params) ? refuse_type(params, __func__) :
		APPLY(NEW_NODE(out, graph, after, count), drv_any(&node, params));
}

CUresult cuGraphAddNode_v2(CUgraphNode *out, CUgraph graph,
			   const CUgraphNode *after, const CUgraphEdgeData *edges,
			   size_t count, CUgraphNodeParams *params)
{
	return rt_edges_are_plain(edges, count) ?
		       cuGraphAddNode(out, graph, after, count, params) :
		       DRV_REFUSE("edges with ports are");
}

CUresult cuGraphNodeSetParams(CUgraphNode at, CUgraphNodeParams *params)
{
	return is_refused(params) ? refuse_type(params, __func__) :
				    APPLY(OLD_NODE(at), drv_any(&node, params));
}

CUresult cuGraphExecNodeSetParams(CUgraphExec exec, CUgraphNode at,
				  CUgraphNodeParams *params)
{
	return is_refused(params) ? refuse_type(params, __func__) :
				    APPLY(NODE_OF(exec, at), drv_any(&node, params));
}

/* ---- kernels -------------------------------------------------------------------- */

#define KERNEL_CALLS(suffix, type, convert) \
	CUresult cuGraphAddKernelNode##suffix(CUgraphNode *out, CUgraph graph, \
					      const CUgraphNode *after, size_t count, \
					      const type *params) \
	{ \
		return APPLY(NEW_NODE(out, graph, after, count), convert(&node, params)); \
	} \
	CUresult cuGraphKernelNodeSetParams##suffix(CUgraphNode at, const type *params) \
	{ \
		return APPLY(OLD_NODE(at), convert(&node, params)); \
	} \
	CUresult cuGraphExecKernelNodeSetParams##suffix(CUgraphExec exec, CUgraphNode at, \
							const type *params) \
	{ \
		return APPLY(NODE_OF(exec, at), convert(&node, params)); \
	}
KERNEL_CALLS(, CUDA_KERNEL_NODE_PARAMS, drv_kernel)
KERNEL_CALLS(_v2, CUDA_KERNEL_NODE_PARAMS_v2, drv_kernel_v2)

static void tell_kernel(const struct rt_node_kernel *kernel, CUDA_KERNEL_NODE_PARAMS *out)
{
	*out = (CUDA_KERNEL_NODE_PARAMS){
		.func = (CUfunction)(void *)kernel->function,
		.gridDimX = kernel->grid[0],
		.gridDimY = kernel->grid[1],
		.gridDimZ = kernel->grid[2],
		.blockDimX = kernel->block[0],
		.blockDimY = kernel->block[1],
		.blockDimZ = kernel->block[2],
		.sharedMemBytes = (unsigned int)kernel->shared,
		.kernelParams = kernel->arguments,
	};
}

CUresult cuGraphKernelNodeGetParams(CUgraphNode at, CUDA_KERNEL_NODE_PARAMS *out)
{
	return READ(at, RT_NODE_KERNEL, out, tell_kernel(&params.kernel, out));
}

static void tell_kernel_v2(const struct rt_node_kernel *kernel, CUDA_KERNEL_NODE_PARAMS_v2 *out)
{
	CUDA_KERNEL_NODE_PARAMS first;

	tell_kernel(kernel, &first);
	memset(out, 0, sizeof(*out));
	memcpy(out, &first, sizeof(first));
	out->ctx = drv_context_of(kernel->context);
}

CUresult cuGraphKernelNodeGetParams_v2(CUgraphNode at, CUDA_KERNEL_NODE_PARAMS_v2 *out)
{
	return READ(at, RT_NODE_KERNEL, out, tell_kernel_v2(&params.kernel, out));
}

CUresult cuGraphKernelNodeSetAttribute(CUgraphNode at, CUlaunchAttributeID attribute,
				       const CUlaunchAttributeValue *value)
{
	return DRV_GRAPH_CALL(rt_node_set_attribute(drv_node(at), (int)attribute, value));
}

CUresult cuGraphKernelNodeGetAttribute(CUgraphNode at, CUlaunchAttributeID attribute,
				       CUlaunchAttributeValue *value)
{
	return DRV_GRAPH_CALL(rt_node_get_attribute(drv_node(at), (int)attribute, value));
}

CUresult cuGraphKernelNodeCopyAttributes(CUgraphNode dst, CUgraphNode src)
{
	return DRV_GRAPH_CALL(rt_node_copy_attributes(drv_node(src), drv_node(dst)));
}

/* ---- copies --------------------------------------------------------------------- */

CUresult cuGraphAddMemcpyNode(CUgraphNode *out, CUgraph graph,
			      const CUgraphNode *after, size_t count,
			      const CUDA_MEMCPY3D *params, CUcontext context)
{
	(void)context;
	return APPLY(NEW_NODE(out, graph, after, count), drv_copy(&node, params));
}

CUresult cuGraphMemcpyNodeSetParams(CUgraphNode at,
				    const CUDA_MEMCPY3D *params)
{
	return APPLY(OLD_NODE(at), drv_copy(&node, params));
}

CUresult cuGraphExecMemcpyNodeSetParams(CUgraphExec exec, CUgraphNode at,
					const CUDA_MEMCPY3D *params, CUcontext context)
{
	(void)context;
	return APPLY(NODE_OF(exec, at), drv_copy(&node, params));
}

CUresult cuGraphMemcpyNodeGetParams(CUgraphNode at, CUDA_MEMCPY3D *out)
{
	return READ(at, RT_NODE_COPY, out, drv_tell_copy(&params.copy, out));
}

/* ---- fills ---------------------------------------------------------------------- */

CUresult cuGraphAddMemsetNode(CUgraphNode *out, CUgraph graph,
			      const CUgraphNode *after, size_t count,
			      const CUDA_MEMSET_NODE_PARAMS *params, CUcontext context)
{
	(void)context;
	return APPLY(NEW_NODE(out, graph, after, count), drv_fill(&node, params));
}

CUresult cuGraphMemsetNodeSetParams(CUgraphNode at,
				    const CUDA_MEMSET_NODE_PARAMS *params)
{
	return APPLY(OLD_NODE(at), drv_fill(&node, params));
}

CUresult cuGraphExecMemsetNodeSetParams(CUgraphExec exec, CUgraphNode at,
					const CUDA_MEMSET_NODE_PARAMS *params, CUcontext context)
{
	(void)context;
	return APPLY(NODE_OF(exec, at), drv_fill(&node, params));
}

static void tell_fill(const struct rt_node_fill *fill, CUDA_MEMSET_NODE_PARAMS *out)
{
	*out = (CUDA_MEMSET_NODE_PARAMS){ (CUdeviceptr)(uintptr_t)fill->dst, fill->pitch,
					  fill->value, fill->element, fill->width, fill->height };
}

CUresult cuGraphMemsetNodeGetParams(CUgraphNode at, CUDA_MEMSET_NODE_PARAMS *out)
{
	return READ(at, RT_NODE_FILL, out, tell_fill(&params.fill, out));
}

/* ---- functions, child graphs, events ------------------------------------------------ */

CUresult cuGraphAddHostNode(CUgraphNode *out, CUgraph graph,
			    const CUgraphNode *after, size_t count,
			    const CUDA_HOST_NODE_PARAMS *params)
{
	return APPLY(NEW_NODE(out, graph, after, count), drv_host(&node, params));
}

CUresult cuGraphHostNodeSetParams(CUgraphNode at,
				  const CUDA_HOST_NODE_PARAMS *params)
{
	return APPLY(OLD_NODE(at), drv_host(&node, params));
}

CUresult cuGraphExecHostNodeSetParams(CUgraphExec exec, CUgraphNode at,
				      const CUDA_HOST_NODE_PARAMS *params)
{
	return APPLY(NODE_OF(exec, at), drv_host(&node, params));
}

CUresult cuGraphHostNodeGetParams(CUgraphNode at, CUDA_HOST_NODE_PARAMS *out)
{
	return READ(at, RT_NODE_HOST, out,
		    (*out = (CUDA_HOST_NODE_PARAMS){ params.host.function,
							 params.host.argument }));
}

CUresult cuGraphAddChildGraphNode(CUgraphNode *out, CUgraph graph,
				  const CUgraphNode *after, size_t count,
				  CUgraph child)
{
	return APPLY(NEW_NODE(out, graph, after, count), drv_child(&node, child));
}

CUresult cuGraphExecChildGraphNodeSetParams(CUgraphExec exec, CUgraphNode at,
					    CUgraph child)
{
	return APPLY(NODE_OF(exec, at), drv_child(&node, child));
}

CUresult cuGraphChildGraphNodeGetGraph(CUgraphNode at, CUgraph *out)
{
	return READ(at, RT_NODE_CHILD, out, (*out = (CUgraph)(void *)params.child));
}

CUresult cuGraphAddEmptyNode(CUgraphNode *out, CUgraph graph,
			     const CUgraphNode *after, size_t count)
{
	return APPLY(NEW_NODE(out, graph, after, count),
		     (node.params.type = RT_NODE_EMPTY, vgpuSuccess));
}

CUresult cuGraphAddEventRecordNode(CUgraphNode *out, CUgraph graph,
				   const CUgraphNode *after, size_t count,
				   CUevent event)
{
	return APPLY(NEW_NODE(out, graph, after, count),
		     rt_request_event(&node, true, drv_event(event)));
}

CUresult cuGraphEventRecordNodeSetEvent(CUgraphNode at, CUevent event)
{
	return APPLY(OLD_NODE(at), rt_request_event(&node, true, drv_event(event)));
}

CUresult cuGraphExecEventRecordNodeSetEvent(CUgraphExec exec, CUgraphNode at,
					    CUevent event)
{
	return APPLY(NODE_OF(exec, at), rt_request_event(&node, true, drv_event(event)));
}

CUresult cuGraphEventRecordNodeGetEvent(CUgraphNode at, CUevent *out)
{
	return READ(at, RT_NODE_EVENT_RECORD, out, (*out = (CUevent)(void *)params.event));
}

CUresult cuGraphAddEventWaitNode(CUgraphNode *out, CUgraph graph,
				 const CUgraphNode *after, size_t count,
				 CUevent event)
{
	return APPLY(NEW_NODE(out, graph, after, count),
		     rt_request_event(&node, false, drv_event(event)));
}

CUresult cuGraphEventWaitNodeSetEvent(CUgraphNode at, CUevent event)
{
	return APPLY(OLD_NODE(at), rt_request_event(&node, false, drv_event(event)));
}

CUresult cuGraphExecEventWaitNodeSetEvent(CUgraphExec exec, CUgraphNode at,
					  CUevent event)
{
	return APPLY(NODE_OF(exec, at), rt_request_event(&node, false, drv_event(event)));
}

CUresult cuGraphEventWaitNodeGetEvent(CUgraphNode at, CUevent *out)
{
	return READ(at, RT_NODE_EVENT_WAIT, out, (*out = (CUevent)(void *)params.event));
}

/* ---- memory --------------------------------------------------------------------- */

CUresult cuGraphAddMemAllocNode(CUgraphNode *out, CUgraph graph,
				const CUgraphNode *after, size_t count,
				CUDA_MEM_ALLOC_NODE_PARAMS *params)
{
	return APPLY(NEW_NODE(out, graph, after, count),
		     drv_alloc(&node, params));
}

static void tell_memory(const struct rt_graph_memory *memory, CUDA_MEM_ALLOC_NODE_PARAMS *out)
{
	*out = (CUDA_MEM_ALLOC_NODE_PARAMS){
		.poolProps = {
			.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
			.location = { CU_MEM_LOCATION_TYPE_DEVICE, rt_device_of(memory->context) },
		},
		.bytesize = memory->bytes,
		.dptr = memory->address,
	};
}

CUresult cuGraphMemAllocNodeGetParams(CUgraphNode at, CUDA_MEM_ALLOC_NODE_PARAMS *out)
{
	return READ(at, RT_NODE_ALLOC, out, tell_memory(params.memory, out));
}

CUresult cuGraphAddMemFreeNode(CUgraphNode *out, CUgraph graph,
			       const CUgraphNode *after, size_t count, CUdeviceptr pointer)
{
	return APPLY(NEW_NODE(out, graph, after, count), drv_free(&node, pointer));
}

CUresult cuGraphMemFreeNodeGetParams(CUgraphNode at, CUdeviceptr *out)
{
	return READ(at, RT_NODE_FREE, out, (*out = (CUdeviceptr)(uintptr_t)params.pointer));
}

// SPDX-License-Identifier: MIT
/*
 * CUDA names: what nodes of graphs do, as the native API has it.
 */
#include <stdlib.h>
#include <string.h>

#include "api/graph/allocation.h"
#include "api/modules/launch.h"
#include "convert.h"

void node_params_end(struct node_params *node)
{
	free(node->arguments);
	if (node->params.type == RT_NODE_ALLOC && node->params.memory)
		rt_graph_memory_put(node->params.memory);
}

vgpuError_t node_kernel(struct node_params *node, const struct cudaKernelNodeParams *params)
{
	struct rt_node_kernel *kernel = &node->params.kernel;
	vgpuError_t error;

	node->params.type = RT_NODE_EMPTY;
	if (!params || (params->kernelParams && params->extra))
		return vgpuErrorInvalidValue;
	*kernel = (struct rt_node_kernel){
		.context = rt_current,
		.generation = rt.generation,
		.grid = { params->gridDim.x, params->gridDim.y, params->gridDim.z },
		.block = { params->blockDim.x, params->blockDim.y, params->blockDim.z },
		.shared = params->sharedMemBytes,
		.arguments = params->kernelParams,
	};
	error = cuda_function(params->func, &kernel->function);
	if (error == vgpuSuccess && params->extra) {
		error = rt_launch_extra(kernel->function, params->extra, &node->arguments);
		kernel->arguments = node->arguments;
	}
	node->params.type = RT_NODE_KERNEL;
	return error;
}

static struct rt_side side_of(const struct cudaPitchedPtr *pitched, const struct cudaPos *pos)
{
	return (struct rt_side){ pitched->ptr,	 pitched->pitch, pitched->ysize, pitched->xsize,
				 pos->x, pos->y, pos->z };
}

vgpuError_t node_copy(struct node_params *node, const struct cudaMemcpy3DParms *params)
{
	struct rt_node_copy *copy = &node->params.copy;

	node->params.type = RT_NODE_COPY;
	if (!params)
		return vgpuErrorInvalidValue;
	if (params->srcArray || params->dstArray)
		return vgpuErrorNotSupported;
	*copy = (struct rt_node_copy){
		.dst = side_of(&params->dstPtr, &params->dstPos),
		.src = side_of(&params->srcPtr, &params->srcPos),
		.width = params->extent.width,
		.height = params->extent.height,
		.depth = params->extent.depth,
		.kind = (vgpuMemcpyKind)params->kind,
	};
	return vgpuSuccess;
}

vgpuError_t node_row(struct node_params *node, void *dst, const void *src, size_t bytes,
		     enum cudaMemcpyKind kind)
{
	node->params.type = RT_NODE_COPY;
	node->params.copy = (struct rt_node_copy){
		.dst = { dst, bytes, 1, bytes, 0, 0, 0 },
		.src = { (void *)(uintptr_t)src, bytes, 1, bytes, 0, 0, 0 },
		.width = bytes,
		.height = 1,
		.depth = 1,
		.kind = (vgpuMemcpyKind)kind,
	};
	return vgpuSuccess;
}

vgpuError_t node_symbol(struct node_params *node, void *dst, const void *src, const void *symbol,
			size_t bytes, size_t offset, enum cudaMemcpyKind kind)
{
	enum cudaMemcpyKind wrong = dst ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost;
	uint64_t address, size;
	vgpuError_t error;
	void *variable;

	node->params.type = RT_NODE_COPY;
	if (!dst && !src)
		return vgpuErrorInvalidValue;
	error = cuda_symbol(symbol, &address, &size);
	if (error != vgpuSuccess)
		return error;
	if ((unsigned int)kind > cudaMemcpyDefault || kind == wrong ||
	    kind == cudaMemcpyHostToHost)
		return vgpuErrorInvalidMemcpyDirection;
	if (offset > size || bytes > size - offset)
		return vgpuErrorInvalidValue;
	variable = (void *)(uintptr_t)(address + offset);
	return node_row(node, dst ? dst : variable, dst ? variable : src, bytes, kind);
}

vgpuError_t node_fill(struct node_params *node, const struct cudaMemsetParams *params)
{
	node->params.type = RT_NODE_FILL;
	if (!params)
		return vgpuErrorInvalidValue;
	node->params.fill = (struct rt_node_fill){ params->dst, params->pitch, params->value,
						   params->elementSize, params->width,
						   params->height };
	return vgpuSuccess;
}

vgpuError_t node_host(struct node_params *node, const struct cudaHostNodeParams *params)
{
	node->params.type = RT_NODE_HOST;
	if (!params)
		return vgpuErrorInvalidValue;
	node->params.host = (struct rt_node_host){ params->fn, params->userData };
	return vgpuSuccess;
}

vgpuError_t node_event(struct node_params *node, bool record, cudaEvent_t event)
{
	node->params.type = record ? RT_NODE_EVENT_RECORD : RT_NODE_EVENT_WAIT;
	node->params.event = cuda_event(event);
	return vgpuSuccess;
}

vgpuError_t node_child(struct node_params *node, cudaGraph_t child)
{
	node->params.type = RT_NODE_CHILD;
	node->params.child = to_graph(child);
	return vgpuSuccess;
}

vgpuError_t node_alloc(struct node_params *node, const struct cudaMemPoolProps *props,
		       size_t bytes, void **pointer)
{
	vgpuError_t error;

	node->params.type = RT_NODE_ALLOC;
	node->params.memory = NULL;
	*pointer = NULL;
	if (props->allocType != cudaMemAllocationTypePinned ||
	    props->location.type != cudaMemLocationTypeDevice ||
	    props->location.id != rt_device() || !bytes)
		return vgpuErrorInvalidValue;
	if (props->handleTypes != cudaMemHandleTypeNone)
		return vgpuErrorNotSupported;
	error = rt_graph_memory_new(bytes, &node->params.memory);
	if (error == vgpuSuccess)
		*pointer = (void *)(uintptr_t)node->params.memory->address;
	return error;
}

vgpuError_t node_free(struct node_params *node, void *pointer)
{
	node->params.type = RT_NODE_FREE;
	node->params.pointer = pointer;
	return vgpuSuccess;
}

vgpuError_t node_any(struct node_params *node, struct cudaGraphNodeParams *params)
{
	struct cudaKernelNodeParams kernel;
	struct cudaMemsetParams fill;
	struct cudaHostNodeParams host;

	node->params.type = RT_NODE_EMPTY;
	if (!params)
		return vgpuErrorInvalidValue;
	switch (params->type) {
	case cudaGraphNodeTypeKernel:
		memcpy(&kernel, &params->kernel, sizeof(kernel));
		return node_kernel(node, &kernel);
	case cudaGraphNodeTypeMemcpy: return node_copy(node, &params->memcpy.copyParams);
	case cudaGraphNodeTypeMemset:
		memcpy(&fill, &params->memset, sizeof(fill));
		return node_fill(node, &fill);
	case cudaGraphNodeTypeHost:
		memcpy(&host, &params->host, sizeof(host));
		return node_host(node, &host);
	case cudaGraphNodeTypeGraph: return node_child(node, params->graph.graph);
	case cudaGraphNodeTypeEmpty: return vgpuSuccess;
	case cudaGraphNodeTypeWaitEvent: return node_event(node, false, params->eventWait.event);
	case cudaGraphNodeTypeEventRecord:
		return node_event(node, true, params->eventRecord.event);
	case cudaGraphNodeTypeMemAlloc:
		return node_alloc(node, &params->alloc.poolProps, params->alloc.bytesize,
				  &params->alloc.dptr);
	case cudaGraphNodeTypeMemFree: return node_free(node, params->free.dptr);
	case cudaGraphNodeTypeExtSemaphoreSignal:
	case cudaGraphNodeTypeExtSemaphoreWait:
	case cudaGraphNodeTypeConditional:
		return vgpuErrorNotSupported;
	}
	return vgpuErrorInvalidValue;
}

bool edges_are_plain(const cudaGraphEdgeData *edges, size_t count)
{
	static const cudaGraphEdgeData plain;

	for (size_t i = 0; edges && i < count; i++)
		if (memcmp(&edges[i], &plain, sizeof(plain)))
			return false;
	return true;
}

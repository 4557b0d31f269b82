// SPDX-License-Identifier: MIT
/*
 * CUDA names: what nodes of graphs do, as the native API has it.
 */
#include <string.h>

#include "api/textures/array.h"
#include "convert.h"

vgpuError_t node_kernel(struct rt_request *node, const struct cudaKernelNodeParams *params)
{
	struct rt_node_kernel kernel;
	vgpuError_t error;

	if (!params)
		return vgpuErrorInvalidValue;
	kernel = (struct rt_node_kernel){
		.grid = { params->gridDim.x, params->gridDim.y, params->gridDim.z },
		.block = { params->blockDim.x, params->blockDim.y, params->blockDim.z },
		.shared = params->sharedMemBytes,
		.arguments = params->kernelParams,
	};
	error = cuda_function(params->func, &kernel.function);
	return error == vgpuSuccess ? rt_request_kernel(node, &kernel, params->extra) : error;
}

/* @texel: bytes that positions in arrays count. */
static vgpuError_t side_of(struct rt_side *side, const void *array,
			   const struct cudaPitchedPtr *pitched, const struct cudaPos *pos,
			   size_t texel)
{
	if (array)
		return rt_side_of_array(side, array, pos->x * texel, pos->y, pos->z);
	*side = (struct rt_side){ pitched->ptr, pitched->pitch, pitched->ysize, pitched->xsize,
				  pos->x, pos->y, pos->z, NULL };
	return vgpuSuccess;
}

/* Bytes of a texel of the arrays of a copy, 1 without; 0: they differ, or one is none. */
static size_t texel_of(const struct cudaMemcpy3DParms *params)
{
	const struct rt_array *dst = rt_array_known(params->dstArray, false);
	const struct rt_array *src = rt_array_known(params->srcArray, false);
	size_t texel;

	if ((params->dstArray && !dst) || (params->srcArray && !src))
		return 0;
	if (!dst && !src)
		return 1;
	texel = rt_format_texel(&(dst ? dst : src)->shape.format);
	return !dst || !src || rt_format_texel(&src->shape.format) == texel ? texel : 0;
}

vgpuError_t node_copy(struct rt_request *node, const struct cudaMemcpy3DParms *params)
{
	struct rt_node_copy *copy = &node->params.copy;
	size_t texel = params ? texel_of(params) : 0;
	vgpuError_t error;

	node->params.type = RT_NODE_COPY;
	if (!texel || params->extent.width > SIZE_MAX / texel)
		return vgpuErrorInvalidValue;
	*copy = (struct rt_node_copy){
		.width = params->extent.width * texel,
		.height = params->extent.height,
		.depth = params->extent.depth,
		.kind = (vgpuMemcpyKind)params->kind,
	};
	error = side_of(&copy->dst, params->dstArray, &params->dstPtr, &params->dstPos, texel);
	if (error == vgpuSuccess)
		error = side_of(&copy->src, params->srcArray, &params->srcPtr, &params->srcPos,
				texel);
	return error;
}

vgpuError_t node_row(struct rt_request *node, void *dst, const void *src, size_t bytes,
		     enum cudaMemcpyKind kind)
{
	node->params.type = RT_NODE_COPY;
	node->params.copy = (struct rt_node_copy){
		.dst = { dst, bytes, 1, bytes, 0, 0, 0, NULL },
		.src = { (void *)(uintptr_t)src, bytes, 1, bytes, 0, 0, 0, NULL },
		.width = bytes,
		.height = 1,
		.depth = 1,
		.kind = (vgpuMemcpyKind)kind,
	};
	return vgpuSuccess;
}

vgpuError_t node_symbol(struct rt_request *node, void *dst, const void *src, const void *symbol,
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

vgpuError_t node_fill(struct rt_request *node, const struct cudaMemsetParams *params)
{
	node->params.type = RT_NODE_FILL;
	if (!params)
		return vgpuErrorInvalidValue;
	node->params.fill = (struct rt_node_fill){ params->dst, params->pitch, params->value,
						   params->elementSize, params->width,
						   params->height };
	return vgpuSuccess;
}

vgpuError_t node_host(struct rt_request *node, const struct cudaHostNodeParams *params)
{
	node->params.type = RT_NODE_HOST;
	if (!params)
		return vgpuErrorInvalidValue;
	node->params.host = (struct rt_node_host){ params->fn, params->userData };
	return vgpuSuccess;
}

vgpuError_t node_child(struct rt_request *node, cudaGraph_t child)
{
	node->params.type = RT_NODE_CHILD;
	node->params.child = to_graph(child);
	return vgpuSuccess;
}

vgpuError_t node_alloc(struct rt_request *node, const struct cudaMemPoolProps *props,
		       size_t bytes, void **pointer)
{
	const struct rt_alloc_asked asked = {
		(int)props->allocType, (int)props->location.type, props->location.id,
		(int)props->handleTypes, bytes,
	};
	uint64_t address;
	vgpuError_t error = rt_request_alloc(node, &asked, &address);

	*pointer = (void *)(uintptr_t)address;
	return error;
}

vgpuError_t node_free(struct rt_request *node, void *pointer)
{
	node->params.type = RT_NODE_FREE;
	node->params.pointer = pointer;
	return vgpuSuccess;
}

vgpuError_t node_any(struct rt_request *node, struct cudaGraphNodeParams *params)
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
	case cudaGraphNodeTypeWaitEvent:
		return rt_request_event(node, false, cuda_event(params->eventWait.event));
	case cudaGraphNodeTypeEventRecord:
		return rt_request_event(node, true, cuda_event(params->eventRecord.event));
	case cudaGraphNodeTypeMemAlloc:
		return node_alloc(node, &params->alloc.poolProps, params->alloc.bytesize,
				  &params->alloc.dptr);
	case cudaGraphNodeTypeMemFree: return node_free(node, params->free.dptr);
	case cudaGraphNodeTypeExtSemaphoreSignal:
	case cudaGraphNodeTypeExtSemaphoreWait:
	case cudaGraphNodeTypeConditional:
		break;
	}
	return vgpuErrorInvalidValue;
}

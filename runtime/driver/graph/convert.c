// SPDX-License-Identifier: MIT
/*
 * Driver API: what nodes of graphs do, as the native API has it.
 */
#include <string.h>

#include "convert.h"

vgpuError_t drv_kernel(struct rt_request *node, const CUDA_KERNEL_NODE_PARAMS *params)
{
	struct rt_node_kernel kernel;
	vgpuError_t error;

	if (!params)
		return vgpuErrorInvalidValue;
	kernel = (struct rt_node_kernel){
		.grid = { params->gridDimX, params->gridDimY, params->gridDimZ },
		.block = { params->blockDimX, params->blockDimY, params->blockDimZ },
		.shared = params->sharedMemBytes,
		.arguments = params->kernelParams,
	};
	error = drv_function(params->func, &kernel.function);
	return error == vgpuSuccess ? rt_request_kernel(node, &kernel, params->extra) : error;
}

vgpuError_t drv_kernel_v2(struct rt_request *node, const CUDA_KERNEL_NODE_PARAMS_v2 *params)
{
	CUDA_KERNEL_NODE_PARAMS first;

	if (!params)
		return drv_kernel(node, NULL);
	memcpy(&first, params, sizeof(first));
	/* a CUkernel may stand for a CUfunction */
	if (!first.func)
		first.func = (CUfunction)(void *)params->kern;
	return drv_kernel(node, &first);
}

/** struct end - one end of a copy, as the API has it */
struct end {
	CUmemorytype type;
	const void *host;
	CUdeviceptr device;
	CUarray array;
	size_t x, y, z, pitch, height;
};

/* A pitch of 0: rows without gaps. */
static vgpuError_t side_of(struct rt_side *side, const struct end *end,
			   const CUDA_MEMCPY3D *params)
{
	if (end->type == CU_MEMORYTYPE_ARRAY)
		return rt_side_of_array(side, end->array, end->x, end->y, end->z);
	if (end->type != CU_MEMORYTYPE_HOST && end->type != CU_MEMORYTYPE_DEVICE &&
	    end->type != CU_MEMORYTYPE_UNIFIED)
		return vgpuErrorInvalidValue;
	*side = (struct rt_side){
		.base = end->type == CU_MEMORYTYPE_HOST ? (void *)(uintptr_t)end->host :
							  drv_pointer(end->device),
		.pitch = end->pitch ? end->pitch : params->WidthInBytes,
		.rows = end->height ? end->height : params->Height,
		.width = params->WidthInBytes,
		.x = end->x, .y = end->y, .z = end->z,
	};
	return vgpuSuccess;
}

vgpuError_t drv_copy(struct rt_request *node, const CUDA_MEMCPY3D *params)
{
	struct rt_node_copy *copy = &node->params.copy;
	struct end dst, src;
	vgpuError_t error;

	node->params.type = RT_NODE_COPY;
	if (!params)
		return vgpuErrorInvalidValue;
	dst = (struct end){ params->dstMemoryType, params->dstHost, params->dstDevice,
			    params->dstArray, params->dstXInBytes, params->dstY, params->dstZ,
			    params->dstPitch, params->dstHeight };
	src = (struct end){ params->srcMemoryType, params->srcHost, params->srcDevice,
			    params->srcArray, params->srcXInBytes, params->srcY, params->srcZ,
			    params->srcPitch, params->srcHeight };
	*copy = (struct rt_node_copy){
		.width = params->WidthInBytes,
		.height = params->Height,
		.depth = params->Depth,
		.kind = drv_copy_kind(params->dstMemoryType, params->srcMemoryType),
	};
	error = side_of(&copy->dst, &dst, params);
	return error == vgpuSuccess ? side_of(&copy->src, &src, params) : error;
}

static CUmemorytype type_of(vgpuMemcpyKind kind, bool dst)
{
	if (kind == vgpuMemcpyDefault)
		return CU_MEMORYTYPE_UNIFIED;
	if (kind == vgpuMemcpyDeviceToDevice)
		return CU_MEMORYTYPE_DEVICE;
	if (kind == vgpuMemcpyHostToHost)
		return CU_MEMORYTYPE_HOST;
	return (kind == vgpuMemcpyHostToDevice) == dst ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST;
}

void drv_tell_copy(const struct rt_node_copy *copy, CUDA_MEMCPY3D *out)
{
	CUdeviceptr dst = (CUdeviceptr)(uintptr_t)copy->dst.base;
	CUdeviceptr src = (CUdeviceptr)(uintptr_t)copy->src.base;

	*out = (CUDA_MEMCPY3D){
		.srcXInBytes = copy->src.x, .srcY = copy->src.y, .srcZ = copy->src.z,
		.srcMemoryType = type_of(copy->kind, false),
		.srcPitch = copy->src.pitch, .srcHeight = copy->src.rows,
		.dstXInBytes = copy->dst.x, .dstY = copy->dst.y, .dstZ = copy->dst.z,
		.dstMemoryType = type_of(copy->kind, true),
		.dstPitch = copy->dst.pitch, .dstHeight = copy->dst.rows,
		.WidthInBytes = copy->width, .Height = copy->height, .Depth = copy->depth,
	};
	if (copy->src.array) {
		out->srcMemoryType = CU_MEMORYTYPE_ARRAY;
		out->srcArray = (CUarray)(uintptr_t)copy->src.array;
	} else if (out->srcMemoryType == CU_MEMORYTYPE_HOST)
		out->srcHost = copy->src.base;
	else
		out->srcDevice = src;
	if (copy->dst.array) {
		out->dstMemoryType = CU_MEMORYTYPE_ARRAY;
		out->dstArray = (CUarray)(uintptr_t)copy->dst.array;
	} else if (out->dstMemoryType == CU_MEMORYTYPE_HOST)
		out->dstHost = copy->dst.base;
	else
		out->dstDevice = dst;
}

vgpuError_t drv_fill(struct rt_request *node, const CUDA_MEMSET_NODE_PARAMS *params)
{
	node->params.type = RT_NODE_FILL;
	if (!params)
		return vgpuErrorInvalidValue;
	node->params.fill = (struct rt_node_fill){ drv_pointer(params->dst), params->pitch,
						   params->value, params->elementSize,
						   params->width, params->height };
	return vgpuSuccess;
}

vgpuError_t drv_host(struct rt_request *node, const CUDA_HOST_NODE_PARAMS *params)
{
	node->params.type = RT_NODE_HOST;
	if (!params)
		return vgpuErrorInvalidValue;
	node->params.host = (struct rt_node_host){ params->fn, params->userData };
	return vgpuSuccess;
}

vgpuError_t drv_child(struct rt_request *node, CUgraph child)
{
	node->params.type = RT_NODE_CHILD;
	node->params.child = drv_graph(child);
	return vgpuSuccess;
}

vgpuError_t drv_alloc(struct rt_request *node, CUDA_MEM_ALLOC_NODE_PARAMS *params)
{
	const CUmemPoolProps *props = params ? &params->poolProps : NULL;
	const struct rt_alloc_asked asked = params ? (struct rt_alloc_asked){
		(int)props->allocType, (int)props->location.type, props->location.id,
		(int)props->handleTypes, params->bytesize,
	} : (struct rt_alloc_asked){ 0 };
	uint64_t address;
	vgpuError_t error = rt_request_alloc(node, &asked, &address);

	if (params)
		params->dptr = address;
	return error;
}

vgpuError_t drv_free(struct rt_request *node, CUdeviceptr pointer)
{
	node->params.type = RT_NODE_FREE;
	node->params.pointer = drv_pointer(pointer);
	return vgpuSuccess;
}

vgpuError_t drv_any(struct rt_request *node, CUgraphNodeParams *params)
{
	node->params.type = RT_NODE_EMPTY;
	if (!params)
		return vgpuErrorInvalidValue;
	switch (params->type) {
	case CU_GRAPH_NODE_TYPE_KERNEL: return drv_kernel_v2(node, &params->kernel);
	case CU_GRAPH_NODE_TYPE_MEMCPY: return drv_copy(node, &params->memcpy.copyParams);
	case CU_GRAPH_NODE_TYPE_MEMSET: return drv_fill(node, &params->memset.params);
	case CU_GRAPH_NODE_TYPE_HOST: return drv_host(node, &params->host);
	case CU_GRAPH_NODE_TYPE_GRAPH: return drv_child(node, params->graph.graph);
	case CU_GRAPH_NODE_TYPE_EMPTY: return vgpuSuccess;
	case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
		return rt_request_event(node, false, drv_event(params->eventWait.event));
	case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
		return rt_request_event(node, true, drv_event(params->eventRecord.event));
	case CU_GRAPH_NODE_TYPE_MEM_ALLOC: return drv_alloc(node, &params->alloc);
	case CU_GRAPH_NODE_TYPE_MEM_FREE: return drv_free(node, params->free.dptr);
	case CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL:
	case CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT:
	case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP:
	case CU_GRAPH_NODE_TYPE_CONDITIONAL:
		break;
	}
	return vgpuErrorInvalidValue;
}

/* SPDX-License-Identifier: MIT */
/*
 * For nvcc 13, whose memory advice takes a location and whose edges of graphs have data: the calls
 * with a device number, and without such data, as the tests have them. nvcc.sh includes it before
 * all.
 */
#ifndef TESTS_CUDA_NVCC13_H
#define TESTS_CUDA_NVCC13_H

#include <cuda_runtime.h>

#if CUDART_VERSION >= 13000
static inline cudaMemLocation location_of_device(int device)
{
	cudaMemLocation location = {};

	location.type = device == cudaCpuDeviceId ? cudaMemLocationTypeHost :
						    cudaMemLocationTypeDevice;
	location.id = device == cudaCpuDeviceId ? 0 : device;
	return location;
}

static inline cudaError_t cudaMemPrefetchAsync(const void *pointer, size_t bytes, int device,
					       cudaStream_t stream = 0)
{
	return cudaMemPrefetchAsync(pointer, bytes, location_of_device(device), 0, stream);
}

static inline cudaError_t cudaMemAdvise(const void *pointer, size_t bytes,
					cudaMemoryAdvise advice, int device)
{
	return cudaMemAdvise(pointer, bytes, advice, location_of_device(device));
}

static inline cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from,
					    cudaGraphNode_t *to, size_t *count)
{
	return cudaGraphGetEdges(graph, from, to, NULL, count);
}

static inline cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node,
						       cudaGraphNode_t *nodes, size_t *count)
{
	return cudaGraphNodeGetDependencies(node, nodes, NULL, count);
}

static inline cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
						   const cudaGraphNode_t *to, size_t count)
{
	return cudaGraphAddDependencies(graph, from, to, NULL, count);
}

static inline cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph,
						      const cudaGraphNode_t *from,
						      const cudaGraphNode_t *to, size_t count)
{
	return cudaGraphRemoveDependencies(graph, from, to, NULL, count);
}

static inline cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t stream,
						      cudaStreamCaptureStatus *status,
						      unsigned long long *id, cudaGraph_t *graph,
						      const cudaGraphNode_t **nodes,
						      size_t *count)
{
	return cudaStreamGetCaptureInfo(stream, status, id, graph, nodes, NULL, count);
}

static inline cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream,
							      cudaGraphNode_t *nodes,
							      size_t count, unsigned int flags)
{
	return cudaStreamUpdateCaptureDependencies(stream, nodes, NULL, count, flags);
}
#endif

#endif

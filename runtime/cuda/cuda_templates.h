/* SPDX-License-Identifier: MIT */
/*
 * The C++ forms of the CUDA runtime API: typed pointers, kernels as functions, symbols as
 * variables.
 */
#ifndef VGPU_CUDA_TEMPLATES_H
#define VGPU_CUDA_TEMPLATES_H

#include "cuda_runtime_api.h"

template <class T> static inline cudaError_t cudaMalloc(T **pointer, size_t bytes)
{
	return cudaMalloc((void **)(void *)pointer, bytes);
}

template <class T>
static inline cudaError_t cudaMallocPitch(T **pointer, size_t *pitch, size_t width, size_t height)
{
	return cudaMallocPitch((void **)(void *)pointer, pitch, width, height);
}

template <class T>
static inline cudaError_t cudaMallocHost(T **pointer, size_t bytes, unsigned int flags = 0)
{
	return cudaHostAlloc((void **)(void *)pointer, bytes, flags);
}

template <class T>
static inline cudaError_t cudaHostAlloc(T **pointer, size_t bytes, unsigned int flags)
{
	return cudaHostAlloc((void **)(void *)pointer, bytes, flags);
}

template <class T>
static inline cudaError_t cudaHostGetDevicePointer(T **device, void *host, unsigned int flags)
{
	return cudaHostGetDevicePointer((void **)(void *)device, host, flags);
}

template <class T>
static inline cudaError_t cudaMallocManaged(T **pointer, size_t bytes,
					    unsigned int flags = cudaMemAttachGlobal)
{
	return cudaMallocManaged((void **)(void *)pointer, bytes, flags);
}

template <class T>
static inline cudaError_t cudaMallocAsync(T **pointer, size_t bytes, cudaStream_t stream)
{
	return cudaMallocAsync((void **)(void *)pointer, bytes, stream);
}

template <class T>
static inline cudaError_t cudaMemcpyToSymbol(const T &symbol, const void *src, size_t bytes,
					     size_t offset = 0,
					     enum cudaMemcpyKind kind = cudaMemcpyHostToDevice)
{
	return cudaMemcpyToSymbol((const void *)&symbol, src, bytes, offset, kind);
}

template <class T>
static inline cudaError_t cudaMemcpyFromSymbol(void *dst, const T &symbol, size_t bytes,
					       size_t offset = 0,
					       enum cudaMemcpyKind kind = cudaMemcpyDeviceToHost)
{
	return cudaMemcpyFromSymbol(dst, (const void *)&symbol, bytes, offset, kind);
}

template <class T>
static inline cudaError_t
cudaMemcpyToSymbolAsync(const T &symbol, const void *src, size_t bytes, size_t offset = 0,
			enum cudaMemcpyKind kind = cudaMemcpyHostToDevice, cudaStream_t stream = 0)
{
	return cudaMemcpyToSymbolAsync((const void *)&symbol, src, bytes, offset, kind, stream);
}

template <class T>
static inline cudaError_t
cudaMemcpyFromSymbolAsync(void *dst, const T &symbol, size_t bytes, size_t offset = 0,
			  enum cudaMemcpyKind kind = cudaMemcpyDeviceToHost,
			  cudaStream_t stream = 0)
{
	return cudaMemcpyFromSymbolAsync(dst, (const void *)&symbol, bytes, offset, kind, stream);
}

template <class T> static inline cudaError_t cudaGetSymbolAddress(void **pointer, const T &symbol)
{
	return cudaGetSymbolAddress(pointer, (const void *)&symbol);
}

template <class T> static inline cudaError_t cudaGetSymbolSize(size_t *bytes, const T &symbol)
{
	return cudaGetSymbolSize(bytes, (const void *)&symbol);
}

template <class T>
static inline cudaError_t cudaMallocFromPoolAsync(T **pointer, size_t bytes, cudaMemPool_t pool,
						  cudaStream_t stream)
{
	return cudaMallocFromPoolAsync((void **)(void *)pointer, bytes, pool, stream);
}

template <class T>
static inline cudaError_t cudaMallocAsync(T **pointer, size_t bytes, cudaMemPool_t pool,
					  cudaStream_t stream)
{
	return cudaMallocFromPoolAsync((void **)(void *)pointer, bytes, pool, stream);
}

template <class T>
static inline cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, T *pointer,
						   size_t length = 0,
						   unsigned int flags = cudaMemAttachSingle)
{
	return cudaStreamAttachMemAsync(stream, (void *)pointer, length, flags);
}

/* As CUDA 13 declares them. */
static inline cudaError_t cudaMemPrefetchAsync(const void *pointer, size_t count,
					       cudaMemLocation location, unsigned int flags,
					       cudaStream_t stream = 0)
{
	return cudaMemPrefetchAsync_v2(pointer, count, location, flags, stream);
}

static inline cudaError_t cudaMemAdvise(const void *pointer, size_t count, cudaMemoryAdvise advice,
					cudaMemLocation location)
{
	return cudaMemAdvise_v2(pointer, count, advice, location);
}

/* The channels of a type: as many as it has elements, all of one kind. */
#define __VGPU_CHANNELS(type, count, bits, kind) \
	template <> inline cudaChannelFormatDesc cudaCreateChannelDesc<type>() \
	{ \
		return cudaCreateChannelDesc(bits, (count) > 1 ? bits : 0, (count) > 2 ? bits : 0, \
					     (count) > 3 ? bits : 0, cudaChannelFormatKind##kind); \
	}
#define __VGPU_CHANNELS_OF(name, bits, kind) \
	__VGPU_CHANNELS(name##1, 1, bits, kind) \
	__VGPU_CHANNELS(name##2, 2, bits, kind) \
	__VGPU_CHANNELS(name##4, 4, bits, kind)
static inline cudaChannelFormatDesc cudaCreateChannelDescHalf(void)
{
	return cudaCreateChannelDesc(16, 0, 0, 0, cudaChannelFormatKindFloat);
}
static inline cudaChannelFormatDesc cudaCreateChannelDescHalf1(void)
{
	return cudaCreateChannelDescHalf();
}
static inline cudaChannelFormatDesc cudaCreateChannelDescHalf2(void)
{
	return cudaCreateChannelDesc(16, 16, 0, 0, cudaChannelFormatKindFloat);
}
static inline cudaChannelFormatDesc cudaCreateChannelDescHalf4(void)
{
	return cudaCreateChannelDesc(16, 16, 16, 16, cudaChannelFormatKindFloat);
}
template <class T> inline cudaChannelFormatDesc cudaCreateChannelDesc()
{
	return cudaCreateChannelDesc(0, 0, 0, 0, cudaChannelFormatKindNone);
}
__VGPU_CHANNELS(char, 1, 8, Signed)
__VGPU_CHANNELS(signed char, 1, 8, Signed)
__VGPU_CHANNELS(unsigned char, 1, 8, Unsigned)
__VGPU_CHANNELS(short, 1, 16, Signed)
__VGPU_CHANNELS(unsigned short, 1, 16, Unsigned)
__VGPU_CHANNELS(int, 1, 32, Signed)
__VGPU_CHANNELS(unsigned int, 1, 32, Unsigned)
__VGPU_CHANNELS(float, 1, 32, Float)
__VGPU_CHANNELS_OF(char, 8, Signed)
__VGPU_CHANNELS_OF(uchar, 8, Unsigned)
__VGPU_CHANNELS_OF(short, 16, Signed)
__VGPU_CHANNELS_OF(ushort, 16, Unsigned)
__VGPU_CHANNELS_OF(int, 32, Signed)
__VGPU_CHANNELS_OF(uint, 32, Unsigned)
__VGPU_CHANNELS_OF(float, 32, Float)
#undef __VGPU_CHANNELS_OF
#undef __VGPU_CHANNELS

static inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph,
					       unsigned long long flags = 0)
{
	return cudaGraphInstantiateWithFlags(exec, graph, flags);
}

/* CUDA 12's, and 13's with data of edges. */
static inline cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
					      cudaGraphExecUpdateResultInfo *info)
{
	cudaGraphExecUpdateResultInfo found = {};
	cudaError_t error = cudaGraphExecUpdate(exec, graph, &found.errorNode, &found.result);

	if (info)
		*info = found;
	return error;
}

static inline cudaError_t cudaGraphAddNode(cudaGraphNode_t *node, cudaGraph_t graph,
					   const cudaGraphNode_t *after,
					   const cudaGraphEdgeData *edges, size_t count,
					   struct cudaGraphNodeParams *params)
{
	return cudaGraphAddNode_v2(node, graph, after, edges, count, params);
}

static inline cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
						   const cudaGraphNode_t *to,
						   const cudaGraphEdgeData *edges, size_t count)
{
	return cudaGraphAddDependencies_v2(graph, from, to, edges, count);
}

static inline cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph,
						      const cudaGraphNode_t *from,
						      const cudaGraphNode_t *to,
						      const cudaGraphEdgeData *edges,
						      size_t count)
{
	return cudaGraphRemoveDependencies_v2(graph, from, to, edges, count);
}

static inline cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from,
					    cudaGraphNode_t *to, cudaGraphEdgeData *edges,
					    size_t *count)
{
	return cudaGraphGetEdges_v2(graph, from, to, edges, count);
}

static inline cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node,
						       cudaGraphNode_t *nodes,
						       cudaGraphEdgeData *edges, size_t *count)
{
	return cudaGraphNodeGetDependencies_v2(node, nodes, edges, count);
}

static inline cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node,
							 cudaGraphNode_t *nodes,
							 cudaGraphEdgeData *edges, size_t *count)
{
	return cudaGraphNodeGetDependentNodes_v2(node, nodes, edges, count);
}

static inline cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream,
						   enum cudaStreamCaptureStatus *status,
						   unsigned long long *id, cudaGraph_t *graph,
						   const cudaGraphNode_t **nodes = 0,
						   size_t *count = 0)
{
	return cudaStreamGetCaptureInfo_v2(stream, status, id, graph, nodes, count);
}

static inline cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream,
						   enum cudaStreamCaptureStatus *status,
						   unsigned long long *id, cudaGraph_t *graph,
						   const cudaGraphNode_t **nodes,
						   const cudaGraphEdgeData **edges,
						   size_t *count)
{
	return cudaStreamGetCaptureInfo_v3(stream, status, id, graph, nodes, edges, count);
}

template <class... Formal, class... Actual>
static inline cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config,
					     void (*function)(Formal...), Actual &&...arguments)
{
	return [&](Formal... converted) {
		void *pointers[sizeof...(Formal) + 1] = { (void *)&converted... };

		return cudaLaunchKernelExC(config, (const void *)function, pointers);
	}(static_cast<Actual &&>(arguments)...);
}

template <class T>
static inline cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *dynamic_shared,
								    T *function, int blocks,
								    int block_size)
{
	return cudaOccupancyAvailableDynamicSMemPerBlock(dynamic_shared, (const void *)function,
							 blocks, block_size);
}

static inline cudaError_t cudaEventCreate(cudaEvent_t *event, unsigned int flags)
{
	return cudaEventCreateWithFlags(event, flags);
}

template <class T>
static inline cudaError_t cudaLaunchKernel(const T *function, dim3 grid, dim3 block,
					   void **arguments, size_t shared = 0,
					   cudaStream_t stream = 0)
{
	return cudaLaunchKernel((const void *)function, grid, block, arguments, shared, stream);
}

template <class T>
static inline cudaError_t cudaLaunchCooperativeKernel(const T *function, dim3 grid, dim3 block,
						      void **arguments, size_t shared = 0,
						      cudaStream_t stream = 0)
{
	return cudaLaunchCooperativeKernel((const void *)function, grid, block, arguments, shared,
					   stream);
}

template <class T>
static inline cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, T *function)
{
	return cudaFuncGetAttributes(attributes, (const void *)function);
}

template <class T>
static inline cudaError_t cudaFuncSetAttribute(T *function, cudaFuncAttribute attribute, int value)
{
	return cudaFuncSetAttribute((const void *)function, attribute, value);
}

template <class T>
static inline cudaError_t cudaFuncSetCacheConfig(T *function, cudaFuncCache config)
{
	return cudaFuncSetCacheConfig((const void *)function, config);
}

template <class T>
static inline cudaError_t cudaFuncSetSharedMemConfig(T *function, cudaSharedMemConfig config)
{
	return cudaFuncSetSharedMemConfig((const void *)function, config);
}

template <class T>
static inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, T function,
									int block_size,
									size_t dynamic_shared)
{
	return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, (const void *)function,
							     block_size, dynamic_shared);
}

template <class T>
static inline cudaError_t
cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, T function, int block_size,
						       size_t dynamic_shared, unsigned int flags)
{
	return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
		blocks, (const void *)function, block_size, dynamic_shared, flags);
}

/*
 * The block size with the most resident threads: larger sizes first, so that the fewest blocks do
 * it.
 */
template <class Size, class T>
static inline cudaError_t
cudaOccupancyMaxPotentialBlockSizeVariableSMem(int *min_grid, int *block_size, T function,
					       Size shared_of, int limit = 0)
{
	struct cudaFuncAttributes attributes;
	int device, sms, best = 0;
	cudaError_t error = cudaGetDevice(&device);

	if (error == cudaSuccess)
		error = cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
	if (error == cudaSuccess)
		error = cudaFuncGetAttributes(&attributes, (const void *)function);
	if (error != cudaSuccess)
		return error;
	if (limit <= 0 || limit > attributes.maxThreadsPerBlock)
		limit = attributes.maxThreadsPerBlock;
	for (int size = (limit + 31) / 32 * 32; size > 0; size -= 32) {
		int threads = size < limit ? size : limit, blocks;

		error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(
			&blocks, (const void *)function, threads, shared_of(threads));
		if (error != cudaSuccess)
			return error;
		if (blocks * threads > best) {
			best = blocks * threads;
			*block_size = threads;
			*min_grid = blocks * sms;
		}
	}
	return best ? cudaSuccess : cudaErrorInvalidValue;
}

struct __vgpu_same_shared {
	size_t bytes;
	size_t operator()(int) const { return bytes; }
};

template <class T>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSize(int *min_grid, int *block_size,
							     T function, size_t dynamic_shared = 0,
							     int limit = 0)
{
	__vgpu_same_shared shared = { dynamic_shared };

	return cudaOccupancyMaxPotentialBlockSizeVariableSMem(min_grid, block_size, function,
							      shared, limit);
}

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Calls that mean the default stream, or take 0 for it: X(NAME, SUFFIX, PARAMETERS, ARGUMENTS).
 * Code compiled with a default stream for each thread calls NAMESUFFIX in their place, which are
 * CUDA's names: _ptds where no stream is named, _ptsz where one is.
 */
#ifndef VGPU_CUDA_PER_THREAD_CALLS_H
#define VGPU_CUDA_PER_THREAD_CALLS_H

#define VGPU_CUDA_PER_THREAD_CALLS(X) \
	X(cudaMemcpy, _ptds, (void *dst, const void *src, size_t bytes, \
	     enum cudaMemcpyKind kind), (dst, src, bytes, kind)) \
	X(cudaMemcpyAsync, _ptsz, (void *dst, const void *src, size_t bytes, \
	     enum cudaMemcpyKind kind, cudaStream_t stream), \
	  (dst, src, bytes, kind, stream)) \
	X(cudaMemcpyPeer, _ptds, (void *dst, int dst_device, const void *src, \
	     int src_device, size_t count), (dst, dst_device, src, src_device, count)) \
	X(cudaMemcpyPeerAsync, _ptsz, (void *dst, int dst_device, const void *src, \
	     int src_device, size_t count, cudaStream_t stream), \
	  (dst, dst_device, src, src_device, count, stream)) \
	X(cudaMemcpy2D, _ptds, (void *dst, size_t dpitch, const void *src, \
	     size_t spitch, size_t width, size_t height, enum cudaMemcpyKind kind), \
	  (dst, dpitch, src, spitch, width, height, kind)) \
	X(cudaMemcpy2DAsync, _ptsz, (void *dst, size_t dpitch, const void *src, \
	     size_t spitch, size_t width, size_t height, enum cudaMemcpyKind kind, \
	     cudaStream_t stream), \
	  (dst, dpitch, src, spitch, width, height, kind, stream)) \
	X(cudaMemcpy3D, _ptds, (const struct cudaMemcpy3DParms *params), (params)) \
	X(cudaMemcpy3DAsync, _ptsz, (const struct cudaMemcpy3DParms *params, \
	     cudaStream_t stream), (params, stream)) \
	X(cudaMemcpy3DPeer, _ptds, (const struct cudaMemcpy3DPeerParms *params), \
	  (params)) \
	X(cudaMemcpy3DPeerAsync, _ptsz, (const struct cudaMemcpy3DPeerParms *params, \
	     cudaStream_t stream), (params, stream)) \
	X(cudaMemcpyToArray, _ptds, (cudaArray_t dst, size_t x, size_t y, const void *src, \
	     size_t count, enum cudaMemcpyKind kind), (dst, x, y, src, count, kind)) \
	X(cudaMemcpyToArrayAsync, _ptsz, (cudaArray_t dst, size_t x, size_t y, \
	     const void *src, size_t count, enum cudaMemcpyKind kind, \
	     cudaStream_t stream), (dst, x, y, src, count, kind, stream)) \
	X(cudaMemcpyFromArray, _ptds, (void *dst, cudaArray_const_t src, size_t x, size_t y, \
	     size_t count, enum cudaMemcpyKind kind), (dst, src, x, y, count, kind)) \
	X(cudaMemcpyFromArrayAsync, _ptsz, (void *dst, cudaArray_const_t src, size_t x, \
	     size_t y, size_t count, enum cudaMemcpyKind kind, cudaStream_t stream), \
	  (dst, src, x, y, count, kind, stream)) \
	X(cudaMemcpyArrayToArray, _ptds, (cudaArray_t dst, size_t dst_x, size_t dst_y, \
	     cudaArray_const_t src, size_t src_x, size_t src_y, size_t count, \
	     enum cudaMemcpyKind kind), \
	  (dst, dst_x, dst_y, src, src_x, src_y, count, kind)) \
	X(cudaMemcpy2DToArray, _ptds, (cudaArray_t dst, size_t x, size_t y, const void *src, \
	     size_t spitch, size_t width, size_t height, enum cudaMemcpyKind kind), \
	  (dst, x, y, src, spitch, width, height, kind)) \
	X(cudaMemcpy2DToArrayAsync, _ptsz, (cudaArray_t dst, size_t x, size_t y, \
	     const void *src, size_t spitch, size_t width, size_t height, \
	     enum cudaMemcpyKind kind, cudaStream_t stream), \
	  (dst, x, y, src, spitch, width, height, kind, stream)) \
	X(cudaMemcpy2DFromArray, _ptds, (void *dst, size_t dpitch, cudaArray_const_t src, \
	     size_t x, size_t y, size_t width, size_t height, enum cudaMemcpyKind kind), \
	  (dst, dpitch, src, x, y, width, height, kind)) \
	X(cudaMemcpy2DFromArrayAsync, _ptsz, (void *dst, size_t dpitch, \
	     cudaArray_const_t src, size_t x, size_t y, size_t width, size_t height, \
	     enum cudaMemcpyKind kind, cudaStream_t stream), \
	  (dst, dpitch, src, x, y, width, height, kind, stream)) \
	X(cudaMemcpy2DArrayToArray, _ptds, (cudaArray_t dst, size_t dst_x, size_t dst_y, \
	     cudaArray_const_t src, size_t src_x, size_t src_y, size_t width, \
	     size_t height, enum cudaMemcpyKind kind), \
	  (dst, dst_x, dst_y, src, src_x, src_y, width, height, kind)) \
	X(cudaMemcpyToSymbol, _ptds, (const void *symbol, const void *src, \
	     size_t bytes, size_t offset, enum cudaMemcpyKind kind), \
	  (symbol, src, bytes, offset, kind)) \
	X(cudaMemcpyFromSymbol, _ptds, (void *dst, const void *symbol, size_t bytes, \
	     size_t offset, enum cudaMemcpyKind kind), \
	  (dst, symbol, bytes, offset, kind)) \
	X(cudaMemcpyToSymbolAsync, _ptsz, (const void *symbol, const void *src, \
	     size_t bytes, size_t offset, enum cudaMemcpyKind kind, \
	     cudaStream_t stream), (symbol, src, bytes, offset, kind, stream)) \
	X(cudaMemcpyFromSymbolAsync, _ptsz, (void *dst, const void *symbol, \
	     size_t bytes, size_t offset, enum cudaMemcpyKind kind, \
	     cudaStream_t stream), (dst, symbol, bytes, offset, kind, stream)) \
	X(cudaMemset, _ptds, (void *pointer, int value, size_t bytes), \
	  (pointer, value, bytes)) \
	X(cudaMemsetAsync, _ptsz, (void *pointer, int value, size_t bytes, \
	     cudaStream_t stream), (pointer, value, bytes, stream)) \
	X(cudaMemset2D, _ptds, (void *pointer, size_t pitch, int value, size_t width, \
	     size_t height), (pointer, pitch, value, width, height)) \
	X(cudaMemset2DAsync, _ptsz, (void *pointer, size_t pitch, int value, \
	     size_t width, size_t height, cudaStream_t stream), \
	  (pointer, pitch, value, width, height, stream)) \
	X(cudaMemset3D, _ptds, (struct cudaPitchedPtr pitched, int value, \
	     struct cudaExtent extent), (pitched, value, extent)) \
	X(cudaMemset3DAsync, _ptsz, (struct cudaPitchedPtr pitched, int value, \
	     struct cudaExtent extent, cudaStream_t stream), \
	  (pitched, value, extent, stream)) \
	X(cudaMemPrefetchAsync, _ptsz, (const void *pointer, size_t count, int device, \
	     cudaStream_t stream), (pointer, count, device, stream)) \
	X(cudaMemPrefetchAsync_v2, _ptsz, (const void *pointer, size_t count, \
	     struct cudaMemLocation location, unsigned int flags, \
	     cudaStream_t stream), (pointer, count, location, flags, stream)) \
	X(cudaStreamAttachMemAsync, _ptsz, (cudaStream_t stream, void *pointer, \
	     size_t length, unsigned int flags), (stream, pointer, length, flags)) \
	X(cudaMallocAsync, _ptsz, (void **pointer, size_t bytes, cudaStream_t stream), \
	  (pointer, bytes, stream)) \
	X(cudaFreeAsync, _ptsz, (void *pointer, cudaStream_t stream), (pointer, stream)) \
	X(cudaMallocFromPoolAsync, _ptsz, (void **pointer, size_t bytes, \
	     cudaMemPool_t pool, cudaStream_t stream), (pointer, bytes, pool, stream)) \
	X(cudaStreamGetFlags, _ptsz, (cudaStream_t stream, unsigned int *flags), \
	  (stream, flags)) \
	X(cudaStreamGetPriority, _ptsz, (cudaStream_t stream, int *priority), \
	  (stream, priority)) \
	X(cudaStreamSynchronize, _ptsz, (cudaStream_t stream), (stream)) \
	X(cudaStreamQuery, _ptsz, (cudaStream_t stream), (stream)) \
	X(cudaStreamWaitEvent, _ptsz, (cudaStream_t stream, cudaEvent_t event, \
	     unsigned int flags), (stream, event, flags)) \
	X(cudaStreamAddCallback, _ptsz, (cudaStream_t stream, \
	     cudaStreamCallback_t callback, void *data, unsigned int flags), \
	  (stream, callback, data, flags)) \
	X(cudaStreamGetId, _ptsz, (cudaStream_t stream, unsigned long long *id), \
	  (stream, id)) \
	X(cudaStreamGetDevice, _ptsz, (cudaStream_t stream, int *device), \
	  (stream, device)) \
	X(cudaStreamIsCapturing, _ptsz, (cudaStream_t stream, \
	     enum cudaStreamCaptureStatus *status), (stream, status)) \
	X(cudaStreamGetCaptureInfo_v2, _ptsz, (cudaStream_t stream, \
	     enum cudaStreamCaptureStatus *status, unsigned long long *id, cudaGraph_t *graph, \
	     const cudaGraphNode_t **nodes, size_t *count), \
	  (stream, status, id, graph, nodes, count)) \
	X(cudaStreamGetCaptureInfo_v3, _ptsz, (cudaStream_t stream, \
	     enum cudaStreamCaptureStatus *status, unsigned long long *id, cudaGraph_t *graph, \
	     const cudaGraphNode_t **nodes, const cudaGraphEdgeData **edges, size_t *count), \
	  (stream, status, id, graph, nodes, edges, count)) \
	X(cudaStreamBeginCapture, _ptsz, (cudaStream_t stream, \
	     enum cudaStreamCaptureMode mode), (stream, mode)) \
	X(cudaStreamBeginCaptureToGraph, _ptsz, (cudaStream_t stream, cudaGraph_t graph, \
	     const cudaGraphNode_t *after, const cudaGraphEdgeData *edges, size_t count, \
	     enum cudaStreamCaptureMode mode), (stream, graph, after, edges, count, mode)) \
	X(cudaStreamEndCapture, _ptsz, (cudaStream_t stream, cudaGraph_t *graph), \
	  (stream, graph)) \
	X(cudaStreamUpdateCaptureDependencies, _ptsz, (cudaStream_t stream, \
	     cudaGraphNode_t *nodes, size_t count, unsigned int flags), \
	  (stream, nodes, count, flags)) \
	X(cudaStreamUpdateCaptureDependencies_v2, _ptsz, (cudaStream_t stream, \
	     cudaGraphNode_t *nodes, const cudaGraphEdgeData *edges, size_t count, \
	     unsigned int flags), (stream, nodes, edges, count, flags)) \
	X(cudaGraphLaunch, _ptsz, (cudaGraphExec_t exec, cudaStream_t stream), (exec, stream)) \
	X(cudaGraphUpload, _ptsz, (cudaGraphExec_t exec, cudaStream_t stream), (exec, stream)) \
	X(cudaGraphInstantiateWithParams, _ptsz, (cudaGraphExec_t *exec, cudaGraph_t graph, \
	     cudaGraphInstantiateParams *params), (exec, graph, params)) \
	X(cudaStreamGetCaptureInfo, _ptsz, (cudaStream_t stream, \
	     enum cudaStreamCaptureStatus *status, unsigned long long *id), \
	  (stream, status, id)) \
	X(cudaStreamSetAttribute, _ptsz, (cudaStream_t stream, cudaStreamAttrID attr, \
	     const cudaStreamAttrValue *value), (stream, attr, value)) \
	X(cudaStreamGetAttribute, _ptsz, (cudaStream_t stream, cudaStreamAttrID attr, \
	     cudaStreamAttrValue *value), (stream, attr, value)) \
	X(cudaStreamCopyAttributes, _ptsz, (cudaStream_t dst, cudaStream_t src), \
	  (dst, src)) \
	X(cudaLaunchHostFunc, _ptsz, (cudaStream_t stream, cudaHostFn_t function, \
	     void *data), (stream, function, data)) \
	X(cudaEventRecord, _ptsz, (cudaEvent_t event, cudaStream_t stream), \
	  (event, stream)) \
	X(cudaEventRecordWithFlags, _ptsz, (cudaEvent_t event, cudaStream_t stream, \
	     unsigned int flags), (event, stream, flags)) \
	X(cudaLaunchKernel, _ptsz, (const void *function, dim3 grid, dim3 block, \
	     void **arguments, size_t shared, cudaStream_t stream), \
	  (function, grid, block, arguments, shared, stream)) \
	X(cudaLaunchCooperativeKernel, _ptsz, (const void *function, dim3 grid, \
	     dim3 block, void **arguments, size_t shared, cudaStream_t stream), \
	  (function, grid, block, arguments, shared, stream)) \
	X(cudaLaunchKernelExC, _ptsz, (const cudaLaunchConfig_t *config, \
	     const void *function, void **arguments), (config, function, arguments))

#endif

// SPDX-License-Identifier: MIT
/*
 * CUDA names of graphs that CUDA 13 gave to the calls with data of edges, which 12 has by the names
 * with _v2 and _v3, and one whose parameters it has the other way round (runtime/libvgpu.map).
 */
#include "convert.h"

#define EXPORT	__attribute__((visibility("default")))
#define VERSION(function, name, version) __asm__(".symver " #function ", " #name "@" version)

/* X(name, parameters up to 12, arguments, new name, parameters since 13, arguments) */
#define CALLS(X) \
	X(cudaGraphGetEdges, (cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to, \
	     size_t *count), (graph, from, to, count), cudaGraphGetEdges_v2, \
	  (cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to, \
	     cudaGraphEdgeData *edges, size_t *count), (graph, from, to, edges, count)) \
	X(cudaGraphNodeGetDependencies, (cudaGraphNode_t node, cudaGraphNode_t *nodes, \
	     size_t *count), (node, nodes, count), cudaGraphNodeGetDependencies_v2, \
	  (cudaGraphNode_t node, cudaGraphNode_t *nodes, cudaGraphEdgeData *edges, \
	     size_t *count), (node, nodes, edges, count)) \
	X(cudaGraphNodeGetDependentNodes, (cudaGraphNode_t node, cudaGraphNode_t *nodes, \
	     size_t *count), (node, nodes, count), cudaGraphNodeGetDependentNodes_v2, \
	  (cudaGraphNode_t node, cudaGraphNode_t *nodes, cudaGraphEdgeData *edges, \
	     size_t *count), (node, nodes, edges, count)) \
	X(cudaGraphAddDependencies, (cudaGraph_t graph, const cudaGraphNode_t *from, \
	     const cudaGraphNode_t *to, size_t count), (graph, from, to, count), \
	  cudaGraphAddDependencies_v2, (cudaGraph_t graph, const cudaGraphNode_t *from, \
	     const cudaGraphNode_t *to, const cudaGraphEdgeData *edges, size_t count), \
	  (graph, from, to, edges, count)) \
	X(cudaGraphRemoveDependencies, (cudaGraph_t graph, const cudaGraphNode_t *from, \
	     const cudaGraphNode_t *to, size_t count), (graph, from, to, count), \
	  cudaGraphRemoveDependencies_v2, (cudaGraph_t graph, const cudaGraphNode_t *from, \
	     const cudaGraphNode_t *to, const cudaGraphEdgeData *edges, size_t count), \
	  (graph, from, to, edges, count)) \
	X(cudaGraphKernelNodeCopyAttributes, (cudaGraphNode_t src, cudaGraphNode_t dst), \
	  (src, dst), cudaGraphKernelNodeCopyAttributes, \
	  (cudaGraphNode_t dst, cudaGraphNode_t src), (src, dst)) \
	X(cudaGraphAddNode, (cudaGraphNode_t *node, cudaGraph_t graph, \
	     const cudaGraphNode_t *after, size_t count, struct cudaGraphNodeParams *params), \
	  (node, graph, after, count, params), cudaGraphAddNode_v2, \
	  (cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, \
	     const cudaGraphEdgeData *edges, size_t count, \
	     struct cudaGraphNodeParams *params), (node, graph, after, edges, count, params)) \
	X(cudaStreamGetCaptureInfo, (cudaStream_t stream, enum cudaStreamCaptureStatus *status, \
	     unsigned long long *id), (stream, status, id), cudaStreamGetCaptureInfo_v3, \
	  (cudaStream_t stream, enum cudaStreamCaptureStatus *status, unsigned long long *id, \
	     cudaGraph_t *graph, const cudaGraphNode_t **nodes, \
	     const cudaGraphEdgeData **edges, size_t *count), \
	  (stream, status, id, graph, nodes, edges, count)) \
	X(cudaStreamUpdateCaptureDependencies, (cudaStream_t stream, cudaGraphNode_t *nodes, \
	     size_t count, unsigned int flags), (stream, nodes, count, flags), \
	  cudaStreamUpdateCaptureDependencies_v2, (cudaStream_t stream, cudaGraphNode_t *nodes, \
	     const cudaGraphEdgeData *edges, size_t count, unsigned int flags), \
	  (stream, nodes, edges, count, flags))

#define DEFINE(name, params, args, newer, newer_params, newer_args) \
	EXPORT cudaError_t name##_of_11 params; \
	EXPORT cudaError_t name##_of_13 newer_params; \
	cudaError_t name##_of_11 params \
	{ \
		return name args; \
	} \
	cudaError_t name##_of_13 newer_params \
	{ \
		return newer newer_args; \
	} \
	VERSION(name##_of_11, name, "libcudart.so.11.0"); \
	VERSION(name##_of_13, name, "libcudart.so.13");
CALLS(DEFINE)

/* Those of code whose default stream is the thread's. */
EXPORT cudaError_t cudaStreamGetCaptureInfo_ptsz_of_11(cudaStream_t stream,
						       enum cudaStreamCaptureStatus *status,
						       unsigned long long *id);
EXPORT cudaError_t cudaStreamGetCaptureInfo_ptsz_of_13(cudaStream_t stream,
						       enum cudaStreamCaptureStatus *status,
						       unsigned long long *id,
						       cudaGraph_t *graph,
						       const cudaGraphNode_t **nodes,
						       const cudaGraphEdgeData **edges,
						       size_t *count);
EXPORT cudaError_t cudaStreamUpdateCaptureDependencies_ptsz_of_11(cudaStream_t stream,
								  cudaGraphNode_t *nodes,
								  size_t count,
								  unsigned int flags);
EXPORT cudaError_t cudaStreamUpdateCaptureDependencies_ptsz_of_13(cudaStream_t stream,
								  cudaGraphNode_t *nodes,
								  const cudaGraphEdgeData *edges,
								  size_t count,
								  unsigned int flags);

static cudaStream_t own(cudaStream_t stream)
{
	return stream ? stream : cudaStreamPerThread;
}

cudaError_t cudaStreamGetCaptureInfo_ptsz_of_11(cudaStream_t stream,
						enum cudaStreamCaptureStatus *status,
						unsigned long long *id)
{
	return cudaStreamGetCaptureInfo(own(stream), status, id);
}
VERSION(cudaStreamGetCaptureInfo_ptsz_of_11, cudaStreamGetCaptureInfo_ptsz, "libcudart.so.11.0");

cudaError_t cudaStreamGetCaptureInfo_ptsz_of_13(cudaStream_t stream,
						enum cudaStreamCaptureStatus *status,
						unsigned long long *id, cudaGraph_t *graph,
						const cudaGraphNode_t **nodes,
						const cudaGraphEdgeData **edges, size_t *count)
{
	return cudaStreamGetCaptureInfo_v3(own(stream), status, id, graph, nodes, edges, count);
}
VERSION(cudaStreamGetCaptureInfo_ptsz_of_13, cudaStreamGetCaptureInfo_ptsz, "libcudart.so.13");

cudaError_t cudaStreamUpdateCaptureDependencies_ptsz_of_11(cudaStream_t stream,
							   cudaGraphNode_t *nodes, size_t count,
							   unsigned int flags)
{
	return cudaStreamUpdateCaptureDependencies(own(stream), nodes, count, flags);
}
VERSION(cudaStreamUpdateCaptureDependencies_ptsz_of_11, cudaStreamUpdateCaptureDependencies_ptsz,
	"libcudart.so.11.0");

cudaError_t cudaStreamUpdateCaptureDependencies_ptsz_of_13(cudaStream_t stream,
							   cudaGraphNode_t *nodes,
							   const cudaGraphEdgeData *edges,
							   size_t count, unsigned int flags)
{
	return cudaStreamUpdateCaptureDependencies_v2(own(stream), nodes, edges, count, flags);
}
VERSION(cudaStreamUpdateCaptureDependencies_ptsz_of_13, cudaStreamUpdateCaptureDependencies_ptsz,
	"libcudart.so.13");

// SPDX-License-Identifier: MIT
/*
 * CUDA names: capture of streams.
 */
#include "api/graph/capture.h"
#include "convert.h"

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode)
{
	return GRAPH_CALL(rt_capture_begin(cuda_stream(stream), (int)mode, NULL, NULL, 0));
}

cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph,
					  const cudaGraphNode_t *after,
					  const cudaGraphEdgeData *edges, size_t count,
					  enum cudaStreamCaptureMode mode)
{
	if (!rt_edges_are_plain(edges, count))
		return CUDA_REFUSE("edges with ports are");
	return GRAPH_CALL(graph ? rt_capture_begin(cuda_stream(stream), (int)mode,
						   to_graph(graph), to_nodes(after), count) :
				  vgpuErrorInvalidValue);
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph)
{
	return GRAPH_CALL(rt_capture_finish(cuda_stream(stream),
					    (struct rt_graph **)(void *)graph));
}

static cudaError_t info_of(cudaStream_t stream, const void *status, struct rt_capture_info *info)
{
	return GRAPH_CALL(status ? rt_capture_info(cuda_stream(stream), info) :
				   vgpuErrorInvalidValue);
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status)
{
	struct rt_capture_info info;
	cudaError_t error = info_of(stream, status, &info);

	if (error == cudaSuccess)
		*status = (enum cudaStreamCaptureStatus)info.status;
	return error;
}

cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
					unsigned long long *id, cudaGraph_t *graph,
					const cudaGraphNode_t **nodes, size_t *count)
{
	struct rt_capture_info info;
	cudaError_t error = info_of(stream, status, &info);

	if (error != cudaSuccess)
		return error;
	*status = (enum cudaStreamCaptureStatus)info.status;
	if (info.status != cudaStreamCaptureStatusActive)
		return cudaSuccess;
	if (id)
		*id = info.id;
	if (graph)
		*graph = (cudaGraph_t)(void *)info.graph;
	if (nodes)
		*nodes = (const cudaGraphNode_t *)(const void *)info.nodes;
	if (count)
		*count = info.count;
	return cudaSuccess;
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
				     unsigned long long *id)
{
	return cudaStreamGetCaptureInfo_v2(stream, status, id, NULL, NULL, NULL);
}

/* No edge has a port. */
cudaError_t cudaStreamGetCaptureInfo_v3(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
					unsigned long long *id, cudaGraph_t *graph,
					const cudaGraphNode_t **nodes,
					const cudaGraphEdgeData **edges, size_t *count)
{
	if (edges)
		*edges = NULL;
	return cudaStreamGetCaptureInfo_v2(stream, status, id, graph, nodes, count);
}

cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t *nodes,
						size_t count, unsigned int flags)
{
	return GRAPH_CALL(flags > cudaStreamSetCaptureDependencies ?
		vgpuErrorInvalidValue :
		rt_capture_update(cuda_stream(stream), to_nodes(nodes), count,
				  flags == cudaStreamSetCaptureDependencies));
}

cudaError_t cudaStreamUpdateCaptureDependencies_v2(cudaStream_t stream, cudaGraphNode_t *nodes,
						   const cudaGraphEdgeData *edges, size_t count,
						   unsigned int flags)
{
	return rt_edges_are_plain(edges, count) ?
		       cudaStreamUpdateCaptureDependencies(stream, nodes, count, flags) :
		       CUDA_REFUSE("edges with ports are");
}

cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode)
{
	return GRAPH_CALL(rt_capture_mode((int *)(void *)mode));
}

// SPDX-License-Identifier: MIT
/*
 * Driver API: capture of streams.
 */
#include "api/graph/capture.h"
#include "convert.h"

CUresult cuStreamBeginCapture_v2(CUstream stream, CUstreamCaptureMode mode)
{
	return DRV_GRAPH_CALL(rt_capture_begin(drv_stream(stream), (int)mode, NULL, NULL, 0));
}

CUresult cuStreamBeginCaptureToGraph(CUstream stream, CUgraph graph,
				     const CUgraphNode *after,
				     const CUgraphEdgeData *edges, size_t count,
				     CUstreamCaptureMode mode)
{
	if (!rt_edges_are_plain(edges, count))
		return DRV_REFUSE("edges with ports are");
	return DRV_GRAPH_CALL(graph ? rt_capture_begin(drv_stream(stream), (int)mode,
						   drv_graph(graph), drv_nodes(after), count) :
				  vgpuErrorInvalidValue);
}

CUresult cuStreamEndCapture(CUstream stream, CUgraph *graph)
{
	return DRV_GRAPH_CALL(rt_capture_finish(drv_stream(stream),
					    (struct rt_graph **)(void *)graph));
}

static CUresult info_of(CUstream stream, const void *status, struct rt_capture_info *info)
{
	return DRV_GRAPH_CALL(status ? rt_capture_info(drv_stream(stream), info) :
				   vgpuErrorInvalidValue);
}

CUresult cuStreamIsCapturing(CUstream stream, int *status)
{
	struct rt_capture_info info;
	CUresult error = info_of(stream, status, &info);

	if (error == CUDA_SUCCESS)
		*status = info.status;
	return error;
}

CUresult cuStreamGetCaptureInfo_v2(CUstream stream, CUstreamCaptureStatus *status,
				   cuuint64_t *id, CUgraph *graph,
				   const CUgraphNode **nodes, size_t *count)
{
	struct rt_capture_info info;
	CUresult error = info_of(stream, status, &info);

	if (error != CUDA_SUCCESS)
		return error;
	*status = (CUstreamCaptureStatus)info.status;
	if (info.status != CU_STREAM_CAPTURE_STATUS_ACTIVE)
		return CUDA_SUCCESS;
	if (id)
		*id = info.id;
	if (graph)
		*graph = (CUgraph)(void *)info.graph;
	if (nodes)
		*nodes = (const CUgraphNode *)(const void *)info.nodes;
	if (count)
		*count = info.count;
	return CUDA_SUCCESS;
}

CUresult cuStreamGetCaptureInfo(CUstream stream, CUstreamCaptureStatus *status,
				cuuint64_t *id)
{
	return cuStreamGetCaptureInfo_v2(stream, status, id, NULL, NULL, NULL);
}

/* No edge has a port. */
CUresult cuStreamGetCaptureInfo_v3(CUstream stream, CUstreamCaptureStatus *status,
				   cuuint64_t *id, CUgraph *graph,
				   const CUgraphNode **nodes,
				   const CUgraphEdgeData **edges, size_t *count)
{
	if (edges)
		*edges = NULL;
	return cuStreamGetCaptureInfo_v2(stream, status, id, graph, nodes, count);
}

CUresult cuStreamUpdateCaptureDependencies(CUstream stream, CUgraphNode *nodes,
					   size_t count, unsigned int flags)
{
	return DRV_GRAPH_CALL(flags > (unsigned int)CU_STREAM_SET_CAPTURE_DEPENDENCIES ?
		vgpuErrorInvalidValue :
		rt_capture_update(drv_stream(stream), drv_nodes(nodes), count,
				  flags == CU_STREAM_SET_CAPTURE_DEPENDENCIES));
}

CUresult cuStreamUpdateCaptureDependencies_v2(CUstream stream, CUgraphNode *nodes,
					      const CUgraphEdgeData *edges, size_t count,
					      unsigned int flags)
{
	return rt_edges_are_plain(edges, count) ?
		       cuStreamUpdateCaptureDependencies(stream, nodes, count, flags) :
		       DRV_REFUSE("edges with ports are");
}

CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode)
{
	return DRV_GRAPH_CALL(rt_capture_mode((int *)(void *)mode));
}

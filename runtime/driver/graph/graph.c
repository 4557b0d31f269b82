// SPDX-License-Identifier: MIT
/*
 * Driver API: graphs, their nodes and edges.
 */
#include "api/graph/allocation.h"
#include "convert.h"

CUresult cuGraphCreate(CUgraph *graph, unsigned int flags)
{
	return DRV_GRAPH_CALL(flags ? vgpuErrorInvalidValue :
				  rt_graph_create((struct rt_graph **)(void *)graph));
}

CUresult cuGraphDestroy(CUgraph graph)
{
	return DRV_GRAPH_CALL(rt_graph_destroy(drv_graph(graph)));
}

CUresult cuGraphClone(CUgraph *clone, CUgraph original)
{
	return DRV_GRAPH_CALL(rt_graph_clone(drv_graph(original),
					     (struct rt_graph **)(void *)clone));
}

CUresult cuGraphNodeFindInClone(CUgraphNode *node, CUgraphNode original,
				CUgraph clone)
{
	return DRV_GRAPH_CALL(rt_node_find_in_clone(drv_node(original), drv_graph(clone),
						drv_list(node)));
}

CUresult cuGraphNodeGetType(CUgraphNode node, CUgraphNodeType *type)
{
	return DRV_GRAPH_CALL(rt_node_type(drv_node(node), (int *)(void *)type));
}

CUresult cuGraphGetNodes(CUgraph graph, CUgraphNode *nodes, size_t *count)
{
	return DRV_GRAPH_CALL(rt_graph_nodes(drv_graph(graph), false, drv_list(nodes), count));
}

CUresult cuGraphGetRootNodes(CUgraph graph, CUgraphNode *nodes, size_t *count)
{
	return DRV_GRAPH_CALL(rt_graph_nodes(drv_graph(graph), true, drv_list(nodes), count));
}

CUresult cuGraphGetEdges(CUgraph graph, CUgraphNode *from, CUgraphNode *to,
			 size_t *count)
{
	return DRV_GRAPH_CALL(rt_graph_edges(drv_graph(graph), drv_list(from), drv_list(to),
					     count));
}

CUresult cuGraphGetEdges_v2(CUgraph graph, CUgraphNode *from, CUgraphNode *to,
			    CUgraphEdgeData *edges, size_t *count)
{
	CUresult error = cuGraphGetEdges(graph, from, to, count);

	if (error == CUDA_SUCCESS && from)
		rt_edges_tell(edges, *count);
	return error;
}

CUresult cuGraphNodeGetDependencies(CUgraphNode node, CUgraphNode *nodes,
				    size_t *count)
{
	return DRV_GRAPH_CALL(rt_node_neighbours(drv_node(node), false, drv_list(nodes), count));
}

CUresult cuGraphNodeGetDependencies_v2(CUgraphNode node, CUgraphNode *nodes,
				       CUgraphEdgeData *edges, size_t *count)
{
	CUresult error = cuGraphNodeGetDependencies(node, nodes, count);

	if (error == CUDA_SUCCESS && nodes)
		rt_edges_tell(edges, *count);
	return error;
}

CUresult cuGraphNodeGetDependentNodes(CUgraphNode node, CUgraphNode *nodes,
				      size_t *count)
{
	return DRV_GRAPH_CALL(rt_node_neighbours(drv_node(node), true, drv_list(nodes), count));
}

CUresult cuGraphNodeGetDependentNodes_v2(CUgraphNode node, CUgraphNode *nodes,
					 CUgraphEdgeData *edges, size_t *count)
{
	CUresult error = cuGraphNodeGetDependentNodes(node, nodes, count);

	if (error == CUDA_SUCCESS && nodes)
		rt_edges_tell(edges, *count);
	return error;
}

CUresult cuGraphAddDependencies(CUgraph graph, const CUgraphNode *from,
				const CUgraphNode *to, size_t count)
{
	return DRV_GRAPH_CALL(rt_graph_link(drv_graph(graph), drv_nodes(from), drv_nodes(to),
					    count));
}

CUresult cuGraphAddDependencies_v2(CUgraph graph, const CUgraphNode *from,
				   const CUgraphNode *to, const CUgraphEdgeData *edges,
				   size_t count)
{
	return rt_edges_are_plain(edges, count) ? cuGraphAddDependencies(graph, from, to, count) :
					       DRV_REFUSE("edges with ports are");
}

CUresult cuGraphRemoveDependencies(CUgraph graph, const CUgraphNode *from,
				   const CUgraphNode *to, size_t count)
{
	return DRV_GRAPH_CALL(rt_graph_unlink(drv_graph(graph), drv_nodes(from), drv_nodes(to),
					      count));
}

CUresult cuGraphRemoveDependencies_v2(CUgraph graph, const CUgraphNode *from,
				      const CUgraphNode *to,
				      const CUgraphEdgeData *edges, size_t count)
{
	return rt_edges_are_plain(edges, count) ?
		       cuGraphRemoveDependencies(graph, from, to, count) :
		       CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGraphDestroyNode(CUgraphNode node)
{
	return DRV_GRAPH_CALL(rt_node_destroy(drv_node(node)));
}

CUresult cuGraphDebugDotPrint(CUgraph graph, const char *path, unsigned int flags)
{
	return DRV_GRAPH_CALL(rt_graph_dot(drv_graph(graph), path, flags));
}

/* ---- user objects -------------------------------------------------------------- */

static struct rt_user_object *to_object(CUuserObject object)
{
	return (struct rt_user_object *)(void *)object;
}

CUresult cuUserObjectCreate(CUuserObject *object, void *pointer, CUhostFn destroy,
			    unsigned int count, unsigned int flags)
{
	return DRV_GRAPH_CALL(rt_object_create((struct rt_user_object **)(void *)object, pointer,
					       destroy, count, flags));
}

CUresult cuUserObjectRetain(CUuserObject object, unsigned int count)
{
	return DRV_GRAPH_CALL(rt_object_retain(to_object(object), count));
}

CUresult cuUserObjectRelease(CUuserObject object, unsigned int count)
{
	return DRV_GRAPH_CALL(rt_object_release(to_object(object), count));
}

CUresult cuGraphRetainUserObject(CUgraph graph, CUuserObject object,
				 unsigned int count, unsigned int flags)
{
	return DRV_GRAPH_CALL(rt_graph_retain(drv_graph(graph), to_object(object), count, flags));
}

CUresult cuGraphReleaseUserObject(CUgraph graph, CUuserObject object,
				  unsigned int count)
{
	return DRV_GRAPH_CALL(rt_graph_release(drv_graph(graph), to_object(object), count));
}

/* ---- memory of graphs ------------------------------------------------------------ */

CUresult cuDeviceGetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attribute,
				      void *value)
{
	CUresult known = drv_device(device);

	if (known != CUDA_SUCCESS)
		return known;
	return DRV_GRAPH_CALL(value ? rt_graph_memory_read(device, (int)attribute, value) :
				  vgpuErrorInvalidValue);
}

CUresult cuDeviceSetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attribute,
				      void *value)
{
	CUresult known = drv_device(device);

	if (known != CUDA_SUCCESS)
		return known;
	return DRV_GRAPH_CALL(value ? rt_graph_memory_reset(device, (int)attribute,
							*(const uint64_t *)value) :
				  vgpuErrorInvalidValue);
}

CUresult cuDeviceGraphMemTrim(CUdevice device)
{
	CUresult known = drv_device(device);

	if (known != CUDA_SUCCESS)
		return known;
	return DRV_GRAPH_CALL(rt_graph_memory_trim());
}

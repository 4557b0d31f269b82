// SPDX-License-Identifier: MIT
/*
 * CUDA names: graphs, their nodes and edges.
 */
#include "api/graph/allocation.h"
#include "convert.h"

cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned int flags)
{
	return GRAPH_CALL(flags ? vgpuErrorInvalidValue :
				  rt_graph_create((struct rt_graph **)(void *)graph));
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
	return GRAPH_CALL(rt_graph_destroy(to_graph(graph)));
}

cudaError_t cudaGraphClone(cudaGraph_t *clone, cudaGraph_t original)
{
	return GRAPH_CALL(rt_graph_clone(to_graph(original), (struct rt_graph **)(void *)clone));
}

cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t *node, cudaGraphNode_t original,
				     cudaGraph_t clone)
{
	return GRAPH_CALL(rt_node_find_in_clone(to_node(original), to_graph(clone),
						to_list(node)));
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, enum cudaGraphNodeType *type)
{
	return GRAPH_CALL(rt_node_type(to_node(node), (int *)(void *)type));
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count)
{
	return GRAPH_CALL(rt_graph_nodes(to_graph(graph), false, to_list(nodes), count));
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count)
{
	return GRAPH_CALL(rt_graph_nodes(to_graph(graph), true, to_list(nodes), count));
}

cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to,
			      size_t *count)
{
	return GRAPH_CALL(rt_graph_edges(to_graph(graph), to_list(from), to_list(to), count));
}

cudaError_t cudaGraphGetEdges_v2(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to,
				 cudaGraphEdgeData *edges, size_t *count)
{
	cudaError_t error = cudaGraphGetEdges(graph, from, to, count);

	if (error == cudaSuccess && from)
		rt_edges_tell(edges, *count);
	return error;
}

cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *nodes,
					 size_t *count)
{
	return GRAPH_CALL(rt_node_neighbours(to_node(node), false, to_list(nodes), count));
}

cudaError_t cudaGraphNodeGetDependencies_v2(cudaGraphNode_t node, cudaGraphNode_t *nodes,
					    cudaGraphEdgeData *edges, size_t *count)
{
	cudaError_t error = cudaGraphNodeGetDependencies(node, nodes, count);

	if (error == cudaSuccess && nodes)
		rt_edges_tell(edges, *count);
	return error;
}

cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t *nodes,
					   size_t *count)
{
	return GRAPH_CALL(rt_node_neighbours(to_node(node), true, to_list(nodes), count));
}

cudaError_t cudaGraphNodeGetDependentNodes_v2(cudaGraphNode_t node, cudaGraphNode_t *nodes,
					      cudaGraphEdgeData *edges, size_t *count)
{
	cudaError_t error = cudaGraphNodeGetDependentNodes(node, nodes, count);

	if (error == cudaSuccess && nodes)
		rt_edges_tell(edges, *count);
	return error;
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
				     const cudaGraphNode_t *to, size_t count)
{
	return GRAPH_CALL(rt_graph_link(to_graph(graph), to_nodes(from), to_nodes(to), count));
}

cudaError_t cudaGraphAddDependencies_v2(cudaGraph_t graph, const cudaGraphNode_t *from,
					const cudaGraphNode_t *to, const cudaGraphEdgeData *edges,
					size_t count)
{
	return rt_edges_are_plain(edges, count) ? cudaGraphAddDependencies(graph, from, to, count) :
					       CUDA_REFUSE("edges with ports are");
}

cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
					const cudaGraphNode_t *to, size_t count)
{
	return GRAPH_CALL(rt_graph_unlink(to_graph(graph), to_nodes(from), to_nodes(to), count));
}

cudaError_t cudaGraphRemoveDependencies_v2(cudaGraph_t graph, const cudaGraphNode_t *from,
					   const cudaGraphNode_t *to,
					   const cudaGraphEdgeData *edges, size_t count)
{
	return rt_edges_are_plain(edges, count) ?
		       cudaGraphRemoveDependencies(graph, from, to, count) :
		       cuda_error(rt_result(vgpuErrorInvalidValue));
}

cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node)
{
	return GRAPH_CALL(rt_node_destroy(to_node(node)));
}

cudaError_t cudaGraphDebugDotPrint(cudaGraph_t graph, const char *path, unsigned int flags)
{
	return GRAPH_CALL(rt_graph_dot(to_graph(graph), path, flags));
}

/* ---- user objects -------------------------------------------------------------- */

static struct rt_user_object *to_object(cudaUserObject_t object)
{
	return (struct rt_user_object *)(void *)object;
}

cudaError_t cudaUserObjectCreate(cudaUserObject_t *object, void *pointer, cudaHostFn_t destroy,
				 unsigned int count, unsigned int flags)
{
	return GRAPH_CALL(rt_object_create((struct rt_user_object **)(void *)object, pointer,
					   destroy, count, flags));
}

cudaError_t cudaUserObjectRetain(cudaUserObject_t object, unsigned int count)
{
	return GRAPH_CALL(rt_object_retain(to_object(object), count));
}

cudaError_t cudaUserObjectRelease(cudaUserObject_t object, unsigned int count)
{
	return GRAPH_CALL(rt_object_release(to_object(object), count));
}

cudaError_t cudaGraphRetainUserObject(cudaGraph_t graph, cudaUserObject_t object,
				      unsigned int count, unsigned int flags)
{
	return GRAPH_CALL(rt_graph_retain(to_graph(graph), to_object(object), count, flags));
}

cudaError_t cudaGraphReleaseUserObject(cudaGraph_t graph, cudaUserObject_t object,
				       unsigned int count)
{
	return GRAPH_CALL(rt_graph_release(to_graph(graph), to_object(object), count));
}

/* ---- memory of graphs ------------------------------------------------------------ */

static bool is_device(int device)
{
	return device >= 0 && (unsigned int)device < rt_device_count();
}

cudaError_t cudaDeviceGetGraphMemAttribute(int device, enum cudaGraphMemAttributeType attribute,
					   void *value)
{
	if (!is_device(device))
		return cuda_error(rt_result(vgpuErrorInvalidDevice));
	return GRAPH_CALL(value ? rt_graph_memory_read(device, (int)attribute, value) :
				  vgpuErrorInvalidValue);
}

cudaError_t cudaDeviceSetGraphMemAttribute(int device, enum cudaGraphMemAttributeType attribute,
					   void *value)
{
	if (!is_device(device))
		return cuda_error(rt_result(vgpuErrorInvalidDevice));
	return GRAPH_CALL(value ? rt_graph_memory_reset(device, (int)attribute,
							*(const uint64_t *)value) :
				  vgpuErrorInvalidValue);
}

cudaError_t cudaDeviceGraphMemTrim(int device)
{
	if (!is_device(device))
		return cuda_error(rt_result(vgpuErrorInvalidDevice));
	return GRAPH_CALL(rt_graph_memory_trim());
}

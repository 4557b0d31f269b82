/* SPDX-License-Identifier: MIT */
/*
 * Between CUDA's names for graphs and the native ones: handles are the same pointers.
 */
#ifndef VGPU_CUDA_GRAPH_CONVERT_H
#define VGPU_CUDA_GRAPH_CONVERT_H

#include "api/graph/exec.h"
#include "cuda/calls.h"
#include "cuda/registry.h"

static inline struct rt_graph *to_graph(cudaGraph_t graph)
{
	return (struct rt_graph *)(void *)graph;
}

static inline struct rt_node *to_node(cudaGraphNode_t node)
{
	return (struct rt_node *)(void *)node;
}

static inline struct rt_exec *to_exec(cudaGraphExec_t exec)
{
	return (struct rt_exec *)(void *)exec;
}

static inline struct rt_node **to_list(cudaGraphNode_t *nodes)
{
	return (struct rt_node **)(void *)nodes;
}

static inline struct rt_node *const *to_nodes(const cudaGraphNode_t *nodes)
{
	return (struct rt_node *const *)(const void *)nodes;
}

/* A call of @expression, which wants rt_lock. */
#define GRAPH_CALL(expression) ({ \
	vgpuError_t error_of_call = rt_enter(); \
\
	if (error_of_call == vgpuSuccess) { \
		error_of_call = rt_leave(expression); \
		rt_objects_settle(); \
	} \
	cuda_error(error_of_call); \
})

/*
 * What becomes of parameters, with rt_lock held. What node_params_end() frees is needed for as long
 * as they are.
 */
struct node_params {
	struct rt_params params;
	void **arguments;
};

void node_params_end(struct node_params *node);
vgpuError_t node_kernel(struct node_params *node, const struct cudaKernelNodeParams *params);
vgpuError_t node_copy(struct node_params *node, const struct cudaMemcpy3DParms *params);
vgpuError_t node_row(struct node_params *node, void *dst, const void *src, size_t bytes,
		     enum cudaMemcpyKind kind);
/* @dst or @src, which is not NULL, and the variable. */
vgpuError_t node_symbol(struct node_params *node, void *dst, const void *src, const void *symbol,
			size_t bytes, size_t offset, enum cudaMemcpyKind kind);
vgpuError_t node_fill(struct node_params *node, const struct cudaMemsetParams *params);
vgpuError_t node_host(struct node_params *node, const struct cudaHostNodeParams *params);
vgpuError_t node_event(struct node_params *node, bool record, cudaEvent_t event);
vgpuError_t node_child(struct node_params *node, cudaGraph_t child);
/* Allocates the memory, which the caller gives up by node_params_end(). */
vgpuError_t node_alloc(struct node_params *node, const struct cudaMemPoolProps *props,
		       size_t bytes, void **pointer);
vgpuError_t node_free(struct node_params *node, void *pointer);
/* Of any type; vgpuErrorNotSupported. */
vgpuError_t node_any(struct node_params *node, struct cudaGraphNodeParams *params);
/* Ports and types of edges are refused. */
bool edges_are_plain(const cudaGraphEdgeData *edges, size_t count);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Between CUDA's names for graphs and the native ones: handles are the same pointers.
 */
#ifndef VGPU_CUDA_GRAPH_CONVERT_H
#define VGPU_CUDA_GRAPH_CONVERT_H

#include "api/graph/request.h"
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

/* What becomes of parameters, with rt_lock held. */
vgpuError_t node_kernel(struct rt_request *node, const struct cudaKernelNodeParams *params);
vgpuError_t node_copy(struct rt_request *node, const struct cudaMemcpy3DParms *params);
vgpuError_t node_row(struct rt_request *node, void *dst, const void *src, size_t bytes,
		     enum cudaMemcpyKind kind);
/* @dst or @src, which is not NULL, and the variable. */
vgpuError_t node_symbol(struct rt_request *node, void *dst, const void *src, const void *symbol,
			size_t bytes, size_t offset, enum cudaMemcpyKind kind);
vgpuError_t node_fill(struct rt_request *node, const struct cudaMemsetParams *params);
vgpuError_t node_host(struct rt_request *node, const struct cudaHostNodeParams *params);
vgpuError_t node_child(struct rt_request *node, cudaGraph_t child);
vgpuError_t node_alloc(struct rt_request *node, const struct cudaMemPoolProps *props,
		       size_t bytes, void **pointer);
vgpuError_t node_free(struct rt_request *node, void *pointer);
/* Of any type that rt_request_refused() does not name. */
vgpuError_t node_any(struct rt_request *node, struct cudaGraphNodeParams *params);

#endif

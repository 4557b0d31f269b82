/* SPDX-License-Identifier: MIT */
/*
 * Between the driver API's names for graphs and the native ones: handles are the same pointers.
 */
#ifndef VGPU_DRIVER_GRAPH_CONVERT_H
#define VGPU_DRIVER_GRAPH_CONVERT_H

#include "api/graph/exec.h"
#include "driver/driver.h"

static inline struct rt_graph *drv_graph(CUgraph graph)
{
	return (struct rt_graph *)(void *)graph;
}

static inline struct rt_node *drv_node(CUgraphNode node)
{
	return (struct rt_node *)(void *)node;
}

static inline struct rt_exec *drv_exec(CUgraphExec exec)
{
	return (struct rt_exec *)(void *)exec;
}

static inline struct rt_node **drv_list(CUgraphNode *nodes)
{
	return (struct rt_node **)(void *)nodes;
}

static inline struct rt_node *const *drv_nodes(const CUgraphNode *nodes)
{
	return (struct rt_node *const *)(const void *)nodes;
}

static inline struct vgpuEvent *drv_event(CUevent event)
{
	return (struct vgpuEvent *)(void *)event;
}

/* A call of @expression, which wants rt_lock. */
#define DRV_GRAPH_CALL(expression) ({ \
	CUresult error_of_call = drv_enter(); \
\
	if (error_of_call == CUDA_SUCCESS) { \
		error_of_call = drv_error(rt_leave(expression)); \
		rt_objects_settle(); \
	} \
	error_of_call; \
})

/*
 * What becomes of parameters, with rt_lock held. What drv_params_end() frees is needed for as long
 * as they are.
 */
struct drv_params {
	struct rt_params params;
	void **arguments;
};

void drv_params_end(struct drv_params *node);
vgpuError_t drv_kernel(struct drv_params *node, const CUDA_KERNEL_NODE_PARAMS *params);
vgpuError_t drv_kernel_v2(struct drv_params *node, const CUDA_KERNEL_NODE_PARAMS_v2 *params);
vgpuError_t drv_copy(struct drv_params *node, const CUDA_MEMCPY3D *params);
void drv_tell_copy(const struct rt_node_copy *copy, CUDA_MEMCPY3D *out);
vgpuError_t drv_fill(struct drv_params *node, const CUDA_MEMSET_NODE_PARAMS *params);
vgpuError_t drv_host(struct drv_params *node, const CUDA_HOST_NODE_PARAMS *params);
vgpuError_t drv_event_node(struct drv_params *node, bool record, CUevent event);
vgpuError_t drv_child(struct drv_params *node, CUgraph child);
/* Allocates the memory, which the caller gives up by drv_params_end(). */
vgpuError_t drv_alloc(struct drv_params *node, CUDA_MEM_ALLOC_NODE_PARAMS *params);
vgpuError_t drv_free(struct drv_params *node, CUdeviceptr pointer);
/* Of any type; vgpuErrorNotSupported. */
vgpuError_t drv_any(struct drv_params *node, CUgraphNodeParams *params);
/* Ports and types of edges are refused. */
bool drv_edges_are_plain(const CUgraphEdgeData *edges, size_t count);

#endif

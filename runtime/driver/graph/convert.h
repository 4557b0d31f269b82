/* SPDX-License-Identifier: MIT */
/*
 * Between the driver API's names for graphs and the native ones: handles are the same pointers.
 */
#ifndef VGPU_DRIVER_GRAPH_CONVERT_H
#define VGPU_DRIVER_GRAPH_CONVERT_H

#include "api/graph/request.h"
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

/* What becomes of parameters, with rt_lock held. */
vgpuError_t drv_kernel(struct rt_request *node, const CUDA_KERNEL_NODE_PARAMS *params);
vgpuError_t drv_kernel_v2(struct rt_request *node, const CUDA_KERNEL_NODE_PARAMS_v2 *params);
vgpuError_t drv_copy(struct rt_request *node, const CUDA_MEMCPY3D *params);
void drv_tell_copy(const struct rt_node_copy *copy, CUDA_MEMCPY3D *out);
vgpuError_t drv_fill(struct rt_request *node, const CUDA_MEMSET_NODE_PARAMS *params);
vgpuError_t drv_host(struct rt_request *node, const CUDA_HOST_NODE_PARAMS *params);
vgpuError_t drv_child(struct rt_request *node, CUgraph child);
vgpuError_t drv_alloc(struct rt_request *node, CUDA_MEM_ALLOC_NODE_PARAMS *params);
vgpuError_t drv_free(struct rt_request *node, CUdeviceptr pointer);
/* Of any type that rt_request_refused() does not name. */
vgpuError_t drv_any(struct rt_request *node, CUgraphNodeParams *params);

#endif

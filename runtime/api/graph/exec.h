/* SPDX-License-Identifier: MIT */
/*
 * Executable graphs: made of a graph once, launched many times. They have a copy of the graph, so
 * that what becomes of the graph does not matter. Lane 0 of the plan is the stream of the launch;
 * the others are streams of the runtime's own, which the executable graphs of a context share.
 *
 * A launch begins when all of its stream is over, and the launch before it; its stream goes on
 * when all of it is over. With rt_lock held.
 */
#ifndef VGPU_RT_GRAPH_EXEC_H
#define VGPU_RT_GRAPH_EXEC_H

#include "../memory/rows.h"
#include "plan.h"

/* CUDA's numbers, cudaGraphInstantiateFlags and CUgraphInstantiate_flags. */
#define RT_EXEC_AUTO_FREE	1u	/* what a launch has allocated ends with the next one */
#define RT_EXEC_UPLOAD		2u
#define RT_EXEC_ON_DEVICE	4u	/* is launched by kernels: not supported */
#define RT_EXEC_PRIORITY	8u	/* kernels have the priorities of their nodes */

struct rt_exec {
	struct rt_graph *graph;
	struct rt_plan plan;
	struct rt_state *context;
	uint64_t generation;		/* of the context */
	unsigned int flags;
	unsigned int unloads;		/* of the context, when the kernels were looked up */
	unsigned int first_lane;	/* of the context's; of the plan's lane 1 */
	/* the end of the last launch; NULL: there was none */
	struct rt_queue *queue;
	uint64_t epoch, seq;
};

/* CUDA's numbers, cudaGraphExecUpdateResult and CUgraphExecUpdateResult. */
enum rt_update_result {
	RT_UPDATE_SUCCESS = 0,
	RT_UPDATE_ERROR = 1,
	RT_UPDATE_TOPOLOGY = 2,
	RT_UPDATE_NODE_TYPE = 3,
	RT_UPDATE_FUNCTION = 4,
	RT_UPDATE_PARAMETERS = 5,
	RT_UPDATE_NOT_SUPPORTED = 6,
};

/** struct rt_update - why a graph does not fit; the nodes are those of the graph, or NULL */
struct rt_update {
	enum rt_update_result result;
	struct rt_node *node, *from;
};

/*
 * @node becomes one of a circle, or NULL. vgpuErrorInvalidValue: a circle, or unknown flags;
 * vgpuErrorNotSupported: memory that another executable graph allocates, kernels or events of
 * another context, RT_EXEC_ON_DEVICE.
 */
vgpuError_t rt_exec_create(struct rt_exec **out, struct rt_graph *graph, unsigned long long flags,
			   struct rt_node **node);
/* Launches go on. */
vgpuError_t rt_exec_destroy(struct rt_exec *exec);
vgpuError_t rt_exec_upload(struct rt_exec *exec, vgpuStream_t handle);
vgpuError_t rt_exec_launch(struct rt_exec *exec, vgpuStream_t handle);
vgpuError_t rt_exec_flags(struct rt_exec *exec, unsigned long long *flags);
/* @node is of the graph that it was made of, as for all that follows. */
vgpuError_t rt_exec_enable(struct rt_exec *exec, struct rt_node *node, bool enabled);
vgpuError_t rt_exec_is_enabled(struct rt_exec *exec, struct rt_node *node, unsigned int *enabled);
/* Launches before are as they were. */
vgpuError_t rt_exec_set(struct rt_exec *exec, struct rt_node *node,
			const struct rt_params *params);
/* vgpuErrorGraphExecUpdateFailure: nothing has changed, and @update says why. */
vgpuError_t rt_exec_update(struct rt_exec *exec, struct rt_graph *graph,
			   struct rt_update *update);

/* exec.c, for update.c: the handle is one of the current context, which was not reset */
vgpuError_t rt_exec_check(const struct rt_exec *exec);
/* Looks up the kernel of a step again. */
vgpuError_t rt_exec_prepare(struct rt_exec *exec, struct rt_step *step);

/* nodes.c */
struct rt_rows rt_box_rows(const struct rt_node_copy *box, size_t z);
/* False: an array of the copy was freed. */
bool rt_copy_has_arrays(const struct rt_node_copy *box);
struct rt_fill rt_node_fill_of(const struct rt_node_fill *fill);

#endif

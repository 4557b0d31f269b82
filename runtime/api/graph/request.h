/* SPDX-License-Identifier: MIT */
/*
 * What programs ask of nodes of graphs: the rules that both front ends have. They translate the
 * names of types and the layout of parameters; numbers are CUDA's, which both APIs share. With
 * rt_lock held.
 */
#ifndef VGPU_RT_GRAPH_REQUEST_H
#define VGPU_RT_GRAPH_REQUEST_H

#include "../modules/attribute.h"
#include "exec.h"

/** struct rt_target - where parameters go: a new node, a node, or one of an executable graph */
struct rt_target {
	struct rt_node **out;
	struct rt_graph *graph;
	struct rt_node *const *after;
	size_t count;
	struct rt_exec *exec;
	struct rt_node *node;		/* NULL: a new one */
};

/**
 * struct rt_request - parameters as a front end makes them
 * @arguments: of a kernel whose arguments came in one block; freed by rt_request_end()
 */
struct rt_request {
	struct rt_params params;
	void **arguments;
};

/* What goes before: vgpuSuccess, or what the front end or a function below has found wrong. */
vgpuError_t rt_request_apply(const struct rt_target *target, struct rt_request *request,
			     vgpuError_t before);
/* A kernel of the current context; @arguments or @extra (CU_LAUNCH_PARAM_...), or neither. */
vgpuError_t rt_request_kernel(struct rt_request *request, const struct rt_node_kernel *shape,
			      void **extra);
/* One end of a copy: an array, which is looked for, and @x, in bytes, @y and @z. */
vgpuError_t rt_side_of_array(struct rt_side *side, const void *array, size_t x, size_t y,
			     size_t z);
vgpuError_t rt_request_event(struct rt_request *request, bool record, struct vgpuEvent *event);

/** struct rt_alloc_asked - CUDA's struct cudaMemPoolProps as far as it says something here */
struct rt_alloc_asked {
	int type, location, device, handles;
	uint64_t bytes;
};

/* Allocates the memory, which the request has until it ends; 0 becomes @address of an error. */
vgpuError_t rt_request_alloc(struct rt_request *request, const struct rt_alloc_asked *asked,
			     uint64_t *address);
/* Why no graph here has nodes of CUDA's type @type: "... are"; NULL: it may have them. */
const char *rt_request_refused(int type);

/* ---- edges ---------------------------------------------------------------- */

/** struct rt_edge_data - cudaGraphEdgeData and CUgraphEdgeData; all 0: an edge without ports */
struct rt_edge_data {
	uint8_t bytes[8];
};

bool rt_edges_are_plain(const void *edges, size_t count);
/* All edges are plain; @edges may be NULL. */
void rt_edges_tell(void *edges, size_t count);

/* ---- attributes of kernel nodes ------------------------------------------- */

/* vgpuErrorNotSupported: clusters; vgpuErrorInvalidValue: it is no attribute, or no kernel. */
vgpuError_t rt_node_set_attribute(struct rt_node *node, int attribute, const void *value);
vgpuError_t rt_node_get_attribute(struct rt_node *node, int attribute, void *value);
vgpuError_t rt_node_copy_attributes(struct rt_node *from, struct rt_node *to);

/* ---- executable graphs ----------------------------------------------------- */

/* CUDA's numbers, cudaGraphInstantiateResult and CUgraphInstantiateResult. */
enum rt_exec_result {
	RT_EXEC_SUCCESS = 0,
	RT_EXEC_ERROR = 1,
	RT_EXEC_INVALID_STRUCTURE = 2,
	RT_EXEC_NODE_NOT_SUPPORTED = 3,
};

/* rt_exec_create(), and with RT_EXEC_UPLOAD rt_exec_upload() into @stream. */
vgpuError_t rt_exec_create_with(struct rt_exec **out, struct rt_graph *graph,
				unsigned long long flags, vgpuStream_t stream,
				struct rt_node **node, int *result);
/* Why there is none, for the buffers of CUDA 11's calls; may be NULL. */
void rt_exec_log(bool made, char *log, size_t bytes);

#endif

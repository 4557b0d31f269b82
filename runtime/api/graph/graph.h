/* SPDX-License-Identifier: MIT */
/*
 * Graphs: contents page of runtime/api/graph. Both front ends call what is here and translate only
 * handles and the layout of parameters; a cudaGraph_t and a CUgraph are a struct rt_graph.
 *
 * DOC: Graphs
 *
 * A graph is data of the process: nodes, each with what it does and the nodes it comes after. It
 * is built node by node (graph.c), or from what is put into streams (capture.h). It needs no
 * device. An executable graph (exec.h) is a plan of a graph for one context: steps in an order in
 * which every step comes behind those it depends on, spread over a few lanes, with the waits
 * between lanes that are needed (plan.h). A launch puts the commands of all steps into the queues
 * of the lanes; what a kernel's launch has to check and to copy was done before.
 *
 * Handles come from the program. handles.c knows which are alive, so that one that was destroyed,
 * or never was one, is vgpuErrorInvalidValue and is not read.
 *
 * All functions are called with rt_lock held.
 */
#ifndef VGPU_RT_GRAPH_H
#define VGPU_RT_GRAPH_H

#include "../host_call.h"

struct rt_graph;
struct rt_exec;
struct rt_graph_memory;
struct rt_array;

/* CUDA's numbers, cudaGraphNodeType and CUgraphNodeType. */
enum rt_node_type {
	RT_NODE_KERNEL = 0,
	RT_NODE_COPY = 1,
	RT_NODE_FILL = 2,
	RT_NODE_HOST = 3,
	RT_NODE_CHILD = 4,
	RT_NODE_EMPTY = 5,
	RT_NODE_EVENT_WAIT = 6,
	RT_NODE_EVENT_RECORD = 7,
	RT_NODE_ALLOC = 10,
	RT_NODE_FREE = 11,
};

/**
 * struct rt_node_kernel - a launch
 * @arguments: one pointer for each parameter; those of a node point into @values
 * @values: the node's own; NULL: what the program says, not copied yet
 */
struct rt_node_kernel {
	struct rt_state *context;
	uint64_t generation;		/* of the context */
	struct vgpuFunction *function;
	unsigned int grid[3], block[3];
	size_t shared;
	unsigned int priority;		/* VGPU_LAUNCH_PRIORITY; 0: that of the stream */
	bool cooperative;		/* blocks may wait for each other (modules/grid.h) */
	void **arguments;
	uint8_t *values;
	uint32_t count, bytes;
};

/**
 * struct rt_side - one end of a copy: a box in rows of @pitch bytes, @rows of them in a plane
 * @array: it is in this one, where @base and what follows are the array's; NULL: in memory
 */
struct rt_side {
	void *base;
	size_t pitch, rows;
	size_t width;			/* of a row without what fills it up; as the program says */
	size_t x, y, z;			/* of the first byte: bytes, rows, planes */
	const struct rt_array *array;
};

struct rt_node_copy {
	struct rt_side dst, src;
	size_t width, height, depth;	/* bytes, rows, planes */
	vgpuMemcpyKind kind;
};

struct rt_node_fill {
	void *dst;
	size_t pitch;			/* bytes */
	uint32_t value;
	unsigned int element;		/* bytes: 1, 2 or 4 */
	size_t width, height;		/* elements, rows */
};

struct rt_node_host {
	void (*function)(void *);
	void *argument;
};

/** struct rt_params - what a node does */
struct rt_params {
	enum rt_node_type type;
	union {
		struct rt_node_kernel kernel;
		struct rt_node_copy copy;
		struct rt_node_fill fill;
		struct rt_node_host host;
		struct vgpuEvent *event;
		struct rt_graph *child;
		struct rt_graph_memory *memory;	/* RT_NODE_ALLOC */
		void *pointer;			/* RT_NODE_FREE */
	};
};

struct rt_node {
	struct rt_graph *graph;
	struct rt_node *next, *before;	/* in the order in which they were added */
	uint64_t id;			/* never used again */
	uint64_t origin;		/* the id of what this is a copy of; 0: of none */
	struct rt_nodes from, to;	/* what it comes after; what comes after it */
	struct rt_params params;
	bool disabled;			/* of an executable graph: does nothing */
	uint32_t step;			/* of an executable graph: of its plan */
	/* of whoever walks the graph: */
	size_t mark;
	struct rt_ends *ends;
};

struct rt_user_object;

struct rt_graph {
	struct rt_graph *parent;	/* it is the child of a node there; NULL: of none */
	struct rt_node *first, *last;
	size_t count;
	uint64_t id;
	uint64_t origin;
	bool hidden;			/* of an executable graph: no handle of the program */
	bool captured_into;		/* a capture adds to it */
	struct rt_node *cursor;		/* where the last search by origin has ended */
	struct rt_object_use *objects;
};

/* ---- handles.c ----------------------------------------------------------- */

enum rt_handle_kind { RT_HANDLE_GRAPH = 1, RT_HANDLE_NODE, RT_HANDLE_EXEC, RT_HANDLE_OBJECT };

/* False: no memory. */
bool rt_handle_add(const void *handle, enum rt_handle_kind kind);
void rt_handle_remove(const void *handle);
bool rt_handle_known(const void *handle, enum rt_handle_kind kind);

static inline bool rt_graph_known(const struct rt_graph *graph)
{
	return rt_handle_known(graph, RT_HANDLE_GRAPH);
}

static inline bool rt_node_known(const struct rt_node *node)
{
	return rt_handle_known(node, RT_HANDLE_NODE);
}

/* ---- params.c ------------------------------------------------------------ */

/*
 * A copy that is the node's own, of what the program says or of what is a node's. Memory is
 * referred to; a child graph is taken as it is.
 */
vgpuError_t rt_params_copy(struct rt_params *to, const struct rt_params *from);
void rt_params_free(struct rt_params *params);

/* ---- graph.c ------------------------------------------------------------- */

vgpuError_t rt_graph_create(struct rt_graph **out);
/* Child graphs go with their node: vgpuErrorInvalidValue for one. */
vgpuError_t rt_graph_destroy(struct rt_graph *graph);
/*
 * vgpuErrorInvalidValue: @after has a node of another graph, one twice, or one that is none.
 * @params is not checked.
 */
vgpuError_t rt_node_add(struct rt_graph *graph, struct rt_node *const *after, size_t count,
			const struct rt_params *params, struct rt_node **out);
/* Edges from @from[i] to @to[i], all or none; those there are already are vgpuErrorInvalidValue. */
vgpuError_t rt_graph_link(struct rt_graph *graph, struct rt_node *const *from,
			  struct rt_node *const *to, size_t count);
vgpuError_t rt_graph_unlink(struct rt_graph *graph, struct rt_node *const *from,
			    struct rt_node *const *to, size_t count);
/* As CUDA lists: no list: @count becomes how many there are; else what there are fewer is NULL. */
vgpuError_t rt_graph_nodes(struct rt_graph *graph, bool roots, struct rt_node **list,
			   size_t *count);
vgpuError_t rt_graph_edges(struct rt_graph *graph, struct rt_node **from, struct rt_node **to,
			   size_t *count);
vgpuError_t rt_node_neighbours(struct rt_node *node, bool after, struct rt_node **list,
			       size_t *count);
/* vgpuErrorNotSupported: it allocates or frees memory. */
vgpuError_t rt_node_destroy(struct rt_node *node);
vgpuError_t rt_node_type(struct rt_node *node, int *type);
/* What it does, if it is of @type; pointers in it are the node's. */
vgpuError_t rt_node_get(struct rt_node *node, enum rt_node_type type, struct rt_params *out);

/* Without checks, for those who build and walk graphs here. */
vgpuError_t rt_node_new(struct rt_graph *graph, struct rt_node **out);
vgpuError_t rt_nodes_add(struct rt_nodes *nodes, struct rt_node *node);
bool rt_nodes_have(const struct rt_nodes *nodes, const struct rt_node *node);
void rt_nodes_remove(struct rt_nodes *nodes, const struct rt_node *node);
vgpuError_t rt_edge_add(struct rt_node *from, struct rt_node *to);
struct rt_graph *rt_graph_new(bool hidden);
void rt_graph_free(struct rt_graph *graph);

#define rt_for_nodes(node, graph) \
	for (struct rt_node *node = (graph)->first; node; node = node->next)

/* ---- clone.c -------------------------------------------------------------- */

/* @hidden: for an executable graph, else for the program. */
vgpuError_t rt_graph_copy(const struct rt_graph *graph, bool hidden, struct rt_graph **out);
/* The program's: vgpuErrorNotSupported with nodes of memory. */
vgpuError_t rt_graph_clone(struct rt_graph *graph, struct rt_graph **out);
/* What @clone, and child graphs in it, has for @node; NULL: nothing. */
struct rt_node *rt_node_copy_in(struct rt_graph *clone, const struct rt_node *node);
vgpuError_t rt_node_find_in_clone(struct rt_node *node, struct rt_graph *clone,
				  struct rt_node **out);
bool rt_graph_has_memory(const struct rt_graph *graph);

/* ---- nodes.c: what the program says, checked ------------------------------ */

/*
 * Kernels are checked as at a launch, copies and fills as when they are put into a stream; of a
 * child graph a clone is taken.
 */
vgpuError_t rt_graph_add(struct rt_graph *graph, struct rt_node *const *after, size_t count,
			 const struct rt_params *params, struct rt_node **out);
/* @params is of the same type as what the node does. */
vgpuError_t rt_node_set(struct rt_node *node, const struct rt_params *params);
/* The same, and a kernel has the attributes that it had. */
vgpuError_t rt_node_set_params(struct rt_node *node, const struct rt_params *params);
/* @to, of a kernel or anything else, has the attributes of @from, which is of the same type. */
void rt_params_keep(struct rt_params *to, const struct rt_params *from);
vgpuError_t rt_params_check(const struct rt_params *params);

/* ---- dot.c ---------------------------------------------------------------- */

/* Bits of @flags as cudaGraphDebugDotFlags: 1 says everything. */
vgpuError_t rt_graph_dot(struct rt_graph *graph, const char *path, unsigned int flags);

/* ---- user_object.c --------------------------------------------------------- */

/* Flags, CUDA's numbers: the first one is needed. */
#define RT_OBJECT_NO_SYNC	1u	/* nobody can wait for @destroy */
#define RT_OBJECT_MOVE		1u	/* references of the program become the graph's */

/* @destroy is called with @pointer when nobody has the object any more. */
vgpuError_t rt_object_create(struct rt_user_object **out, void *pointer, void (*destroy)(void *),
			     unsigned int count, unsigned int flags);
vgpuError_t rt_object_retain(struct rt_user_object *object, unsigned int count);
vgpuError_t rt_object_release(struct rt_user_object *object, unsigned int count);
vgpuError_t rt_graph_retain(struct rt_graph *graph, struct rt_user_object *object,
			    unsigned int count, unsigned int flags);
vgpuError_t rt_graph_release(struct rt_graph *graph, struct rt_user_object *object,
			     unsigned int count);
/* A copy of a graph has what the graph has. */
vgpuError_t rt_objects_copy(struct rt_graph *to, const struct rt_graph *from);
void rt_objects_free(struct rt_graph *graph);
/* Calls the functions of objects that nobody has any more; takes the lock itself. */
void rt_objects_settle(void);

#endif

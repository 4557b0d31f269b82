/* SPDX-License-Identifier: MIT */
/*
 * Memory that graphs allocate and free. It has its address from when its node is made, and is
 * there for as long as a graph has the node; allocating and freeing at a launch say whether the
 * program may count on it. So nothing is mapped or unmapped while graphs run. With rt_lock held.
 */
#ifndef VGPU_RT_GRAPH_ALLOCATION_H
#define VGPU_RT_GRAPH_ALLOCATION_H

#include "../state.h"

/** struct rt_graph_memory - one node's */
struct rt_graph_memory {
	struct rt_graph_memory *next;
	struct rt_state *context;
	uint64_t generation;
	uint64_t address, bytes;
	unsigned int refs;		/* of nodes */
	bool live;			/* allocated by a launch and not freed */
	bool used;			/* allocated by a launch once */
	bool has_exec;			/* an executable graph allocates it, and no other may */
	/* nothing of it may begin before this: what was put into a queue when it was freed */
	struct rt_queue *queue;
	uint64_t epoch, seq;
	/* no node has it: it goes when queues have come here */
	struct {
		uint64_t epoch, seq;
	} last[RT_QUEUES];
};

/*
 * CUDA's numbers, cudaGraphMemAttributeType and CUgraphMem_attribute. Reserved is all memory of
 * graphs, used is what launches have allocated, whether it was freed since or not.
 */
enum rt_graph_memory_attribute {
	RT_GRAPH_MEMORY_USED,
	RT_GRAPH_MEMORY_USED_HIGH,	/* can be set to 0, as the other one */
	RT_GRAPH_MEMORY_RESERVED,
	RT_GRAPH_MEMORY_RESERVED_HIGH,
};

/* Of the current context, with one reference. */
vgpuError_t rt_graph_memory_new(uint64_t bytes, struct rt_graph_memory **out);
void rt_graph_memory_get(struct rt_graph_memory *memory);
void rt_graph_memory_put(struct rt_graph_memory *memory);
/* That of the current context which begins at @pointer; NULL: there is none. */
struct rt_graph_memory *rt_graph_memory_at(const void *pointer);
/* It is freed by what @queue has now; NULL: nothing uses it any more. */
void rt_graph_memory_free(struct rt_graph_memory *memory, struct rt_queue *queue, uint64_t seq);
void rt_graph_memory_use(struct rt_graph_memory *memory);
/* Gives back what nobody has and nothing uses. */
void rt_graph_memory_settle(void);
/* The same when all work of the current context is over. */
vgpuError_t rt_graph_memory_trim(void);
/* Bytes of @device; vgpuErrorInvalidValue: there is no such attribute. */
vgpuError_t rt_graph_memory_read(int device, int attribute, uint64_t *value);
vgpuError_t rt_graph_memory_reset(int device, int attribute, uint64_t value);

#endif

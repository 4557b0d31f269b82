/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Inside memsys/: what travels. A request is taken from the pool of its L1, is in its outbox, then
 * in a partition of L2, then in the inbox of its L1, and returns to the pool when the SM has seen
 * its response. It carries the bytes of one line.
 *
 * Also queues of requests, and ports: places through which so many bytes go in a cycle. A port is
 * one number: until when it is used by what has been reserved, in parts of a cycle.
 */
#ifndef VGPU_MEMSYS_REQUEST_H
#define VGPU_MEMSYS_REQUEST_H

#include "../sim/list.h"
#include "memsys.h"

#define VGPU_MEM_MESSAGE	(VGPU_MEM_FENCE + 1)	/* kind: from a protocol at L2 */
#define VGPU_MEM_HEADER		8u	/* bytes of a request or response beside its data. Chosen */
#define VGPU_MEM_SECTORS	9u	/* 0 to 8: data of one at most is 32 lanes with 8 bytes */
#define VGPU_PART_SHIFT		10u	/* parts of a cycle */

/**
 * struct vgpu_mem_request - an access in flight
 * @next: in a queue, a list of merged requests, or the pool
 * @merged, @merged_tail: LOAD: further loads of the line that wait for this one
 * @followers, @followers_tail: at L2: requests that wait for the line that this one reads
 * @order_node: in l1->in_flight, in the order of their calls
 * @at: cycle of its next step: of its arrival at L2, ready to leave L2, of its arrival at the SM
 * @seq: order among equal @at, in a heap
 * @sent: cycle of the access
 * @line: virtual line number, of the address space of @context
 * @tag: that of the line in @l1, when it was sent
 * @physical: frame number << 5 | line in the frame
 * @mask: bytes of the line
 * @bytes: the line in its frame; NULL: it has had its effect, or needs none
 * @stamp: the protocol's
 * @counters, @launch: for which it is counted (vgpu_counters_of())
 * @mshr: of the L1, ~0: none
 * @use: enum vgpu_l1_use
 * @sectors: of data: those of the request until it is at L2, then those of the response
 * @whole: the response brings all bytes of the line
 * @here: it has come through the port of the partition
 */
struct vgpu_mem_request {
	struct vgpu_mem_request *next;
	struct vgpu_mem_request *merged;
	struct vgpu_mem_request *merged_tail;
	struct vgpu_mem_request *followers;
	struct vgpu_mem_request *followers_tail;
	struct vgpu_list order_node;
	u64 at;
	u64 seq;
	u64 sent;
	u64 line;
	u64 physical;
	u64 mask[2];
	u8 *bytes;
	void *owner;
	u64 cookie;
	u64 stamp;
	struct vgpu_l1d *l1;
	struct vgpu_mem_atomic *atomic;
	u64 tag;
	struct vgpu_counters *counters;
	u32 launch;
	u32 context;
	u32 mshr;
	u32 use;
	u8 kind;
	u8 order;
	u8 scope;
	u8 cache;
	u8 sectors;
	bool whole;
	bool here;
	bool aborted;
	u8 data[VGPU_LINE] __attribute__((aligned(8)));
};

/** struct vgpu_mem_queue - first in, first out */
struct vgpu_mem_queue {
	struct vgpu_mem_request *head;
	struct vgpu_mem_request *tail;
};

static inline void vgpu_mem_queue_add(struct vgpu_mem_queue *queue,
				      struct vgpu_mem_request *request)
{
	request->next = NULL;
	if (queue->head)
		queue->tail->next = request;
	else
		queue->head = request;
	queue->tail = request;
}

static inline struct vgpu_mem_request *vgpu_mem_queue_take(struct vgpu_mem_queue *queue)
{
	struct vgpu_mem_request *request = queue->head;

	queue->head = request->next;
	return request;
}

/** struct vgpu_mem_heap - requests by (at, seq); room is reserved when it is made */
struct vgpu_mem_heap {
	struct vgpu_mem_heap_entry {
		u64 at;
		u64 seq;
		struct vgpu_mem_request *request;
	} *entries;
	u32 count;
	u32 room;
};

/* -ENOMEM */
int vgpu_mem_heap_init(struct vgpu_mem_heap *heap, u32 room);
void vgpu_mem_heap_fini(struct vgpu_mem_heap *heap);
/* There must be room. */
void vgpu_mem_heap_add(struct vgpu_mem_heap *heap, struct vgpu_mem_request *request);
/* Remove the first; there must be one. */
struct vgpu_mem_request *vgpu_mem_heap_take(struct vgpu_mem_heap *heap);

static inline struct vgpu_mem_request *vgpu_mem_heap_first(const struct vgpu_mem_heap *heap)
{
	return heap->count ? heap->entries[0].request : NULL;
}

/** struct vgpu_mem_costs - parts of a cycle that a port needs for so many sectors and a header */
struct vgpu_mem_costs {
	u32 parts[VGPU_MEM_SECTORS];
};

static inline u64 vgpu_parts_of(u64 cycle)
{
	return cycle << VGPU_PART_SHIFT;
}

/* The first cycle that begins at @parts or later */
static inline u64 vgpu_cycle_of_parts(u64 parts)
{
	return (parts + (1u << VGPU_PART_SHIFT) - 1) >> VGPU_PART_SHIFT;
}

/* From @cycle on @parts of the port: when the last byte has left it */
static inline u64 vgpu_port_send(u64 *port, u64 cycle, u64 parts)
{
	u64 begin = vgpu_parts_of(cycle);

	*port = (*port > begin ? *port : begin) + parts;
	return vgpu_cycle_of_parts(*port);
}

/* When the last byte, which is at the port at @cycle, has come through it */
static inline u64 vgpu_port_receive(u64 *port, u64 cycle, u64 parts)
{
	u64 last = vgpu_parts_of(cycle);

	*port += parts;
	*port = *port > last ? *port : last;
	return vgpu_cycle_of_parts(*port);
}

/*
 * @request is sent with @request->sectors of data, as @class: flits of VGPU_SECTOR bytes, a header
 * and each sector of data one; a crossbar is one hop.
 */
static inline void vgpu_mem_count_flits(u64 *flits, const struct vgpu_mem_request *request,
					u32 class)
{
	flits[class] += 1u + request->sectors;
	vgpu_count(vgpu_counters_of(request->counters, request->launch),
		   (enum vgpu_counter)(VGPU_COUNT_FLITS_LOAD + class), 1u + request->sectors);
}

static inline u32 vgpu_mask_sectors(const u64 mask[2])
{
	return !!(u32)mask[0] + !!(mask[0] >> 32) + !!(u32)mask[1] + !!(mask[1] >> 32);
}

/* The bytes of @mask from @from to @to, which are lines aligned to 8 bytes */
void vgpu_mask_copy(u8 *to, const u8 *from, const u64 mask[2]);

#endif

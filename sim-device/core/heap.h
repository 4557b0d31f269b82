/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * A 4-ary min-heap over (key, seq) of nodes embedded in what they order: events by time, waiting commands and kernels by
 * the rank a policy gives them. Equal keys leave in the order of seq; nothing depends on an address.
 *
 * A node in the heap has a number, and the heap keeps keys and places by number in arrays of its own: sifting touches
 * none of the nodes, which lie far apart.
 */
#ifndef VGPU_HEAP_H
#define VGPU_HEAP_H

#include "../platform.h"

struct vgpu_heap_node {
	u64 key;
	u64 seq;	/* order among equal keys, unique in one heap */
	u32 number;	/* in the heap, from 1; 0: in none */
};

struct vgpu_heap_entry {
	u64 key;
	u64 seq;
	u32 number;
};

struct vgpu_heap {
	struct vgpu_heap_entry *entries;
	struct vgpu_heap_node **nodes;	/* by number - 1 */
	u32 *place;			/* in entries, by number - 1 */
	u32 *free;			/* stack of free numbers */
	u32 count;
	u32 room;
	u32 free_count;
	bool hole;	/* entries[0] has left; whatever is put in next fills its place */
};

/* Room for @room nodes in all. -ENOMEM, and then nothing has changed. */
int vgpu_heap_reserve(struct vgpu_heap *heap, u32 room);
void vgpu_heap_free(struct vgpu_heap *heap);
/* Put @node in under (key, seq); if it is in already it moves. Room must have been reserved. */
void vgpu_heap_put(struct vgpu_heap *heap, struct vgpu_heap_node *node, u64 key, u64 seq);
/* Take @node out; nothing happens if it is in no heap. */
void vgpu_heap_remove(struct vgpu_heap *heap, struct vgpu_heap_node *node);
/* Take the first out, which must be there. Cheaper than removing it when another is put in soon after. */
void vgpu_heap_pop(struct vgpu_heap *heap);
/* The first stays gone: move up another (for vgpu_heap_first() only). */
void vgpu_heap_close(struct vgpu_heap *heap);

static inline struct vgpu_heap_node *vgpu_heap_first(struct vgpu_heap *heap)
{
	if (heap->hole)
		vgpu_heap_close(heap);
	return heap->count ? heap->nodes[heap->entries[0].number - 1] : NULL;
}

static inline bool vgpu_heap_has(const struct vgpu_heap_node *node)
{
	return node->number != 0;
}

#endif

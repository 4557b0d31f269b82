/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The 4-ary heap under events and under waiting work. Four children to a node: half the depth of a binary heap, and the four
 * keys compared lie in two cache lines.
 */
#include "heap.h"

static inline bool before(const struct vgpu_heap_entry *a, const struct vgpu_heap_entry *b)
{
	return a->key < b->key || (a->key == b->key && a->seq < b->seq);
}

static inline void place(struct vgpu_heap *heap, u32 at, const struct vgpu_heap_entry *entry)
{
	heap->entries[at] = *entry;
	entry->node->index = at + 1;
}

static void sift_up(struct vgpu_heap *heap, u32 at, const struct vgpu_heap_entry *entry)
{
	while (at) {
		u32 parent = (at - 1) / 4;

		if (!before(entry, &heap->entries[parent]))
			break;
		place(heap, at, &heap->entries[parent]);
		at = parent;
	}
	place(heap, at, entry);
}

static void sift_down(struct vgpu_heap *heap, u32 at, const struct vgpu_heap_entry *entry)
{
	const struct vgpu_heap_entry *entries = heap->entries;
	u32 count = heap->count;

	for (;;) {
		u32 child = at * 4 + 1;
		u32 end = child + 4 < count ? child + 4 : count;
		u32 least = child;

		if (child >= count)
			break;
		while (++child < end)
			if (before(&entries[child], &entries[least]))
				least = child;
		if (!before(&entries[least], entry))
			break;
		place(heap, at, &entries[least]);
		at = least;
	}
	place(heap, at, entry);
}

static void settle(struct vgpu_heap *heap, u32 at, const struct vgpu_heap_entry *entry)
{
	if (at && before(entry, &heap->entries[(at - 1) / 4]))
		sift_up(heap, at, entry);
	else
		sift_down(heap, at, entry);
}

int vgpu_heap_reserve(struct vgpu_heap *heap, u32 room)
{
	struct vgpu_heap_entry *entries;

	if (room <= heap->room)
		return 0;
	/* Doubling, so that a slowly growing reservation does not copy every time. */
	if (room < heap->room * 2)
		room = heap->room * 2;
	entries = vgpu_mem_alloc(room * sizeof(*entries));
	if (!entries)
		return -ENOMEM;
	if (heap->count)
		memcpy(entries, heap->entries, heap->count * sizeof(*entries));
	vgpu_mem_free(heap->entries);
	heap->entries = entries;
	heap->room = room;
	return 0;
}

void vgpu_heap_free(struct vgpu_heap *heap)
{
	vgpu_mem_free(heap->entries);
	memset(heap, 0, sizeof(*heap));
}

void vgpu_heap_close(struct vgpu_heap *heap)
{
	struct vgpu_heap_entry last;

	heap->hole = false;
	if (!--heap->count)
		return;
	last = heap->entries[heap->count];
	sift_down(heap, 0, &last);
}

void vgpu_heap_pop(struct vgpu_heap *heap)
{
	if (heap->hole)
		vgpu_heap_close(heap);
	VGPU_CHECK(heap->count);
	heap->entries[0].node->index = 0;
	heap->hole = true;
}

void vgpu_heap_put(struct vgpu_heap *heap, struct vgpu_heap_node *node, u64 key, u64 seq)
{
	struct vgpu_heap_entry entry = { .key = key, .seq = seq, .node = node };

	node->key = key;
	node->seq = seq;
	if (heap->hole && !node->index) {
		heap->hole = false;
		sift_down(heap, 0, &entry);
		return;
	}
	if (heap->hole)
		vgpu_heap_close(heap);
	if (node->index) {
		settle(heap, node->index - 1, &entry);
		return;
	}
	VGPU_CHECK(heap->count < heap->room);
	heap->count++;
	sift_up(heap, heap->count - 1, &entry);
}

void vgpu_heap_remove(struct vgpu_heap *heap, struct vgpu_heap_node *node)
{
	struct vgpu_heap_entry last;
	u32 at;

	if (!node->index)
		return;
	if (heap->hole)
		vgpu_heap_close(heap);
	at = node->index - 1;
	node->index = 0;
	heap->count--;
	if (at == heap->count)
		return;
	last = heap->entries[heap->count];
	settle(heap, at, &last);
}

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
	heap->place[entry->number - 1] = at;
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

/* The arrays of one heap are one allocation, entries first. */
int vgpu_heap_reserve(struct vgpu_heap *heap, u32 room)
{
	struct vgpu_heap grown = *heap;
	size_t one = sizeof(*heap->entries) + sizeof(*heap->nodes) + sizeof(*heap->place) + sizeof(*heap->free);

	if (room <= heap->room)
		return 0;
	/* Doubling, so that a slowly growing reservation does not copy every time. */
	if (room < heap->room * 2)
		room = heap->room * 2;
	grown.entries = vgpu_mem_alloc(room * one);
	if (!grown.entries)
		return -ENOMEM;
	grown.nodes = (void *)(grown.entries + room);
	grown.place = (void *)(grown.nodes + room);
	grown.free = grown.place + room;
	if (heap->room) {
		memcpy(grown.entries, heap->entries, heap->count * sizeof(*heap->entries));
		memcpy(grown.nodes, heap->nodes, heap->room * sizeof(*heap->nodes));
		memcpy(grown.place, heap->place, heap->room * sizeof(*heap->place));
		memcpy(grown.free, heap->free, heap->free_count * sizeof(*heap->free));
	}
	for (; grown.room < room; grown.room++)
		grown.free[grown.free_count++] = grown.room + 1;
	vgpu_mem_free(heap->entries);
	*heap = grown;
	return 0;
}

void vgpu_heap_free(struct vgpu_heap *heap)
{
	vgpu_mem_free(heap->entries);
	memset(heap, 0, sizeof(*heap));
}

/* @node is not in the heap any more, wherever its entry goes. */
static void forget(struct vgpu_heap *heap, struct vgpu_heap_node *node)
{
	heap->free[heap->free_count++] = node->number;
	node->number = 0;
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
	struct vgpu_heap_node *first = vgpu_heap_first(heap);

	forget(heap, first);
	heap->hole = true;
}

void vgpu_heap_put(struct vgpu_heap *heap, struct vgpu_heap_node *node, u64 key, u64 seq)
{
	struct vgpu_heap_entry entry = { .key = key, .seq = seq };
	bool moves = node->number;

	node->key = key;
	node->seq = seq;
	if (!moves) {
		VGPU_CHECK(heap->free_count);
		node->number = heap->free[--heap->free_count];
		heap->nodes[node->number - 1] = node;
	}
	entry.number = node->number;
	if (heap->hole && !moves) {
		heap->hole = false;
		sift_down(heap, 0, &entry);
		return;
	}
	if (heap->hole)
		vgpu_heap_close(heap);
	if (moves)
		settle(heap, heap->place[entry.number - 1], &entry);
	else
		sift_up(heap, heap->count++, &entry);
}

void vgpu_heap_remove(struct vgpu_heap *heap, struct vgpu_heap_node *node)
{
	struct vgpu_heap_entry last;
	u32 at;

	if (!node->number)
		return;
	if (heap->hole)
		vgpu_heap_close(heap);
	at = heap->place[node->number - 1];
	forget(heap, node);
	heap->count--;
	if (at == heap->count)
		return;
	last = heap->entries[heap->count];
	settle(heap, at, &last);
}

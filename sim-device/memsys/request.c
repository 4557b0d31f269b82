// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Heaps of requests, and bytes under a mask; see request.h.
 */
#include "request.h"

int vgpu_mem_heap_init(struct vgpu_mem_heap *heap, u32 room)
{
	heap->entries = vgpu_mem_alloc_device(room * sizeof(*heap->entries));
	heap->count = 0;
	heap->room = room;
	return heap->entries ? 0 : -ENOMEM;
}

void vgpu_mem_heap_fini(struct vgpu_mem_heap *heap)
{
	vgpu_mem_free_device(heap->entries);
	heap->entries = NULL;
}

static inline bool is_before(const struct vgpu_mem_heap_entry *a,
			     const struct vgpu_mem_heap_entry *b)
{
	return a->at < b->at || (a->at == b->at && a->seq < b->seq);
}

void vgpu_mem_heap_add(struct vgpu_mem_heap *heap, struct vgpu_mem_request *request)
{
	struct vgpu_mem_heap_entry entry = { request->at, request->seq, request };
	struct vgpu_mem_heap_entry *entries = heap->entries;
	u32 n = heap->count, above;

	/* every request has its place reserved: see struct vgpu_l1d, struct vgpu_partition */
	if (!VGPU_CHECK(n < heap->room))
		return;
	heap->count++;
	for (; n; n = above) {
		above = (n - 1) / 2;
		if (!is_before(&entry, &entries[above]))
			break;
		entries[n] = entries[above];
	}
	entries[n] = entry;
}

struct vgpu_mem_request *vgpu_mem_heap_take(struct vgpu_mem_heap *heap)
{
	struct vgpu_mem_heap_entry *entries = heap->entries;
	struct vgpu_mem_request *first = entries[0].request;
	struct vgpu_mem_heap_entry last = entries[--heap->count];
	u32 n = 0, below;

	while ((below = 2 * n + 1) < heap->count) {
		if (below + 1 < heap->count && is_before(&entries[below + 1], &entries[below]))
			below++;
		if (!is_before(&entries[below], &last))
			break;
		entries[n] = entries[below];
		n = below;
	}
	entries[n] = last;
	return first;
}

/* A byte of ones for each bit */
static inline u64 spread(u64 bits)
{
	bits = (bits | bits << 28) & 0x0000000f0000000full;
	bits = (bits | bits << 14) & 0x0003000300030003ull;
	bits = (bits | bits << 7) & 0x0101010101010101ull;
	return bits * 0xff;
}

void vgpu_mask_copy(u8 *to, const u8 *from, const u64 mask[2])
{
	u64 *out = (u64 *)to;
	const u64 *in = (const u64 *)from;

	for (u32 half = 0; half < 2; half++) {
		if (mask[half] == ~0ull) {
			memcpy(out + half * 8, in + half * 8, VGPU_LINE / 2);
			continue;
		}
		for (u64 bits = mask[half], n = half * 8; bits; bits >>= 8, n++) {
			u64 bytes = spread(bits & 0xff);

			if (bits & 0xff)
				out[n] = (out[n] & ~bytes) | (in[n] & bytes);
		}
	}
}

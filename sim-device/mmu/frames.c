// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The table of frames; see frames.h. It grows by chunks up to the most frames that were ever in use
 * at once, and is released with the device.
 */
#include "frames.h"

static int grow_directory(struct vgpu_frame_table *table)
{
	u64 room = table->chunks_room ? table->chunks_room * 2 : 16;
	struct vgpu_frame **chunks;

	if (table->chunks_made < table->chunks_room)
		return 0;
	chunks = vgpu_mem_alloc_device(room * sizeof(*chunks));
	if (!chunks)
		return -ENOMEM;
	if (table->chunks_made)
		memcpy(chunks, table->chunks, table->chunks_made * sizeof(*chunks));
	vgpu_mem_free_device(table->chunks);
	table->chunks = chunks;
	table->chunks_room = room;
	return 0;
}

static int grow_table(struct vgpu_frame_table *table)
{
	struct vgpu_frame *chunk;
	int err = grow_directory(table);

	if (err)
		return err;
	chunk = vgpu_mem_alloc_device(VGPU_FRAME_CHUNK * sizeof(*chunk));
	if (!chunk)
		return -ENOMEM;
	table->chunks[table->chunks_made++] = chunk;
	return 0;
}

/* Memory for one more entry; -ENOMEM. */
static int reserve_entry(struct vgpu_frame_table *table)
{
	/* Number 0 is not given out: it means none. */
	if (table->first_free ||
	    ((table->numbers + 1) >> VGPU_FRAME_CHUNK_SHIFT) < table->chunks_made)
		return 0;
	return grow_table(table);
}

/* The entry was reserved. */
static u64 use_entry(struct vgpu_frame_table *table, struct vgpu_address_space *owner, u64 address,
		     void *memory, struct vgpu_resident *resident)
{
	u64 number = table->first_free;
	struct vgpu_frame *frame;

	if (number)
		table->first_free = vgpu_frame_at(table, number)->next_free;
	else
		number = ++table->numbers;
	frame = vgpu_frame_at(table, number);
	*frame = (struct vgpu_frame){
		.owner = owner,
		.memory = memory,
		.address = address,
		.state = VGPU_FRAME_USED,
		.resident = resident,
	};
	table->count++;
	return number;
}

u64 vgpu_frame_get(struct vgpu_frame_table *table, struct vgpu_address_space *owner, u32 context,
		   u64 address)
{
	u8 *memory;

	if (reserve_entry(table))
		return 0;
	memory = table->ops.get_frame(table->host, context);
	return memory ? use_entry(table, owner, address, memory, NULL) : 0;
}

u64 vgpu_frame_get_managed(struct vgpu_frame_table *table, struct vgpu_address_space *owner,
			   struct vgpu_resident *resident, u64 address, void *memory,
			   bool preferred, struct vgpu_compressed *compressed)
{
	struct vgpu_frame *frame;
	u64 number;

	if (reserve_entry(table))
		return 0;
	number = use_entry(table, owner, address, memory, resident);
	frame = vgpu_frame_at(table, number);
	frame->preferred = preferred;
	frame->compressed = compressed;
	if (unlikely(compressed)) {
		compressed->frame = frame;
		resident->compressed++;
		table->compressed++;
	}
	resident->frames++;
	resident->units += vgpu_frame_units(frame);
	table->managed++;
	table->units += vgpu_frame_units(frame);
	vgpu_frame_arrived(table, number);
	return number;
}

void vgpu_frame_resize(struct vgpu_frame_table *table, struct vgpu_frame *frame,
		       const struct vgpu_lcp *lcp)
{
	u64 more = (u64)lcp->units - vgpu_frame_units(frame);

	frame->compressed->lcp = *lcp;
	frame->resident->units += more;
	table->units += more;
}

u8 *vgpu_frame_use(struct vgpu_frame_table *table, u64 number, bool write)
{
	struct vgpu_frame *frame = vgpu_frame_at(table, number);

	if (likely(!frame->resident))
		return frame->memory;
	frame->used = ++table->clock;
	frame->dirty |= write;
	frame->referenced = true;
	if (vgpu_list_linked(&frame->use_node)) {
		vgpu_list_del(&frame->use_node);
		vgpu_list_add_tail(&frame->use_node, &frame->resident->by_use[frame->preferred]);
	}
	return frame->memory;
}

/* ---- managed pages that may be evicted ---------------------------------- */

static bool has_none(const struct vgpu_resident *resident)
{
	return vgpu_list_empty(&resident->by_arrival[false]) &&
	       vgpu_list_empty(&resident->by_arrival[true]);
}

void vgpu_frame_leaves(struct vgpu_frame *frame)
{
	vgpu_list_del(&frame->node);
	vgpu_list_del(&frame->use_node);
	if (frame->resident && has_none(frame->resident))
		vgpu_list_del(&frame->resident->node);
}

void vgpu_frame_arrived(struct vgpu_frame_table *table, u64 number)
{
	struct vgpu_frame *frame = vgpu_frame_at(table, number);
	struct vgpu_resident *resident = frame->resident;

	if (has_none(resident))
		vgpu_list_add_tail(&resident->node, &table->residents);
	frame->arrived = frame->used = ++table->clock;
	vgpu_list_add_tail(&frame->node, &resident->by_arrival[frame->preferred]);
	vgpu_list_add_tail(&frame->use_node, &resident->by_use[frame->preferred]);
}

void vgpu_frame_prefer(struct vgpu_frame_table *table, u64 number, bool preferred)
{
	struct vgpu_frame *frame = vgpu_frame_at(table, number);
	bool listed = vgpu_list_linked(&frame->node);

	if (frame->preferred == preferred)
		return;
	if (listed)
		vgpu_frame_leaves(frame);
	frame->preferred = preferred;
	if (listed)
		vgpu_frame_arrived(table, number);
}

void vgpu_frame_pass(struct vgpu_frame_table *table, struct vgpu_frame *frame)
{
	frame->arrived = ++table->clock;
	vgpu_list_del(&frame->node);
	vgpu_list_add_tail(&frame->node, &frame->resident->by_arrival[frame->preferred]);
}

static struct vgpu_frame *first_to_come(const struct vgpu_resident *resident, bool preferred)
{
	return vgpu_list_first(&resident->by_arrival[preferred], struct vgpu_frame, node);
}

static struct vgpu_frame *first_to_be_used(const struct vgpu_resident *resident, bool preferred)
{
	return vgpu_list_first(&resident->by_use[preferred], struct vgpu_frame, use_node);
}

struct vgpu_frame *vgpu_frame_oldest(const struct vgpu_frame_table *table,
				     const struct vgpu_resident *of, bool preferred)
{
	struct vgpu_frame *oldest = of ? first_to_come(of, preferred) : NULL, *frame;

	if (of)
		return oldest;
	vgpu_list_for_each(of, &table->residents, struct vgpu_resident, node) {
		frame = first_to_come(of, preferred);
		if (frame && (!oldest || frame->arrived < oldest->arrived))
			oldest = frame;
	}
	return oldest;
}

struct vgpu_frame *vgpu_frame_least_used(const struct vgpu_frame_table *table,
					 const struct vgpu_resident *of, bool preferred)
{
	struct vgpu_frame *least = of ? first_to_be_used(of, preferred) : NULL, *frame;

	if (of)
		return least;
	vgpu_list_for_each(of, &table->residents, struct vgpu_resident, node) {
		frame = first_to_be_used(of, preferred);
		if (frame && (!least || frame->used < least->used))
			least = frame;
	}
	return least;
}

/* ---- the life of a frame, again ----------------------------------------- */

static void forget_compressed(struct vgpu_frame_table *table, const struct vgpu_frame *frame,
			      u64 number)
{
	vgpu_list_del(&frame->compressed->node);
	vgpu_mem_free_device(frame->compressed);
	vgpu_metadata_forget(table->metadata, number);
	frame->resident->compressed--;
	table->compressed--;
}

void vgpu_frame_put(struct vgpu_frame_table *table, u64 number)
{
	struct vgpu_frame *frame = vgpu_frame_at(table, number);

	/* rather lost than given to two */
	if (!VGPU_CHECK(frame->state == VGPU_FRAME_USED && !frame->pinned))
		return;
	if (table->cache_ops)
		table->cache_ops->forget(table->caches, number);
	vgpu_frame_leaves(frame);
	if (frame->resident) {
		frame->resident->frames--;
		frame->resident->units -= vgpu_frame_units(frame);
		table->managed--;
		table->units -= vgpu_frame_units(frame);
		if (unlikely(frame->compressed))
			forget_compressed(table, frame, number);
	} else {
		table->ops.put_frame(table->host, frame->memory);
	}
	*frame = (struct vgpu_frame){ .next_free = table->first_free, .state = VGPU_FRAME_FREE };
	table->first_free = number;
	table->count--;
}

void vgpu_frames_init(struct vgpu_frame_table *table, const struct vgpu_frame_ops *ops, void *host)
{
	table->ops = *ops;
	table->host = host;
	vgpu_list_init(&table->residents);
	vgpu_list_init(&table->to_check);
}

void vgpu_resident_init(struct vgpu_resident *resident)
{
	for (u32 preferred = 0; preferred < 2; preferred++) {
		vgpu_list_init(&resident->by_arrival[preferred]);
		vgpu_list_init(&resident->by_use[preferred]);
	}
}

void vgpu_frames_fini(struct vgpu_frame_table *table)
{
	VGPU_CHECK(!table->count && !table->units && !table->compressed);
	vgpu_mem_free_device(table->metadata);
	while (table->chunks_made)
		vgpu_mem_free_device(table->chunks[--table->chunks_made]);
	vgpu_mem_free_device(table->chunks);
	table->chunks = NULL;
	table->chunks_room = 0;
}

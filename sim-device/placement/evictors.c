// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Evictors. To add one, add it here: what it has to know of a page is in struct vgpu_frame.
 *
 * All of these evict pages whose preferred location is the device when there are no others.
 */
#include "../sim/text.h"
#include "lists.h"

/*
 * First in, first out: the page that has been on the device longest goes. It needs to know of no
 * access, and evicts what is used all the time, too.
 */
static struct vgpu_frame *fifo(struct vgpu_frame_table *table, const struct vgpu_resident *of)
{
	struct vgpu_frame *frame = vgpu_frame_oldest(table, of, false);

	return frame ? frame : vgpu_frame_oldest(table, of, true);
}

/*
 * Least recently used: the page goes whose last use is longest ago. A page is used when it comes,
 * and when it is translated: one whose translations stay in TLBs seems unused. Of data that is used
 * in turn and is larger than VRAM it evicts always, as fifo does, what will be used next.
 */
static struct vgpu_frame *lru(struct vgpu_frame_table *table, const struct vgpu_resident *of)
{
	struct vgpu_frame *frame = vgpu_frame_least_used(table, of, false);

	return frame ? frame : vgpu_frame_least_used(table, of, true);
}

/*
 * Clock, or second chance: as fifo, but a page that was used since it came is passed once, as if it
 * came now. It needs a bit for each page, which an MMU sets. For fifo, too, the pages that were
 * passed came then. This ends, as nothing is used meanwhile.
 */
static struct vgpu_frame *clock(struct vgpu_frame_table *table, const struct vgpu_resident *of)
{
	struct vgpu_frame *frame;

	while ((frame = fifo(table, of)) && frame->referenced) {
		frame->referenced = false;
		vgpu_frame_pass(table, frame);
	}
	return frame;
}

static const struct vgpu_evictor evictors[] = {
	{ "fifo", fifo },
	{ "lru", lru },
	{ "clock", clock },
};

const struct vgpu_evictor *vgpu_evictor_at(unsigned int index)
{
	return index < VGPU_ARRAY_SIZE(evictors) ? &evictors[index] : NULL;
}

const struct vgpu_evictor *vgpu_evictor_find(const char *name)
{
	for (unsigned int n = 0; n < VGPU_ARRAY_SIZE(evictors); n++)
		if (vgpu_text_is(name, evictors[n].name))
			return &evictors[n];
	return NULL;
}

// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * DOC: capacity compression (CC of the thesis of ETC, 3.6.4; LCP and BDI: lcp.h, bdi.h)
 *
 * While a context compresses (vgpu_as_compress()), each of its managed pages that comes to the
 * device is laid out as its bytes allow, and takes so many units of 512 bytes of VRAM: more pages
 * have a frame than VRAM has room for whole ones. Which unit is whose is not modelled: any that are
 * free make a page, as if they were moved together.
 *
 * The bytes of pages are where they are without compression, so what a program computes cannot be
 * different. What is:
 *
 *   room       eviction.c counts units. A page that was written may not fit its layout any more,
 *              and is laid out anew (grow()): with more units, at most as many as a page that is
 *              not compressed. If there are no free ones, others go at once (settle()), and what
 *              was written of these crosses the interconnect; nobody waits for that but who needs
 *              this room
 *   when       with the memory hierarchy: when L2 writes a line back, as in the thesis. Without it
 *              no write is seen, and pages that may be written are looked at CHECK later (check());
 *              so are pages that a copy has written
 *   time       with the hierarchy: what lines cost (vgpu_mmu_line()). Without: a translation that
 *              misses the TLB looks for the metadata, too, and waits for one access to memory if
 *              the cache has them not (vgpu_compressed_time())
 */
#include "address_space.h"
#include "../compression/traffic.h"

#define CHECK	(10 * VGPU_US)	/* chosen */

/* ---- pages that come ---------------------------------------------------------------------- */

static void lay_out(const struct vgpu_address_space *as, u64 address, const u8 *bytes,
		    struct vgpu_lcp *lcp)
{
	u32 ratio = as->mmu->config->compression_ratio;

	if (ratio)
		vgpu_lcp_synthetic(lcp, ratio, address >> VGPU_PAGE_SHIFT);
	else
		vgpu_lcp_lay_out(lcp, bytes);
}

u32 vgpu_compressed_units(const struct vgpu_address_space *as, u64 page, u64 count)
{
	const struct vgpu_frame_table *frames = &as->mmu->frames;
	u32 units = 0;

	for (u64 n = 0; n < count; n++) {
		u64 address = (page + n) << VGPU_PAGE_SHIFT;
		const u8 *bytes = frames->ops.managed_page(frames->host, as->context, address);
		struct vgpu_lcp lcp = { .units = VGPU_LCP_UNITS };

		if (bytes)
			lay_out(as, address, bytes, &lcp);
		units += lcp.units;
	}
	return units;
}

struct vgpu_compressed *vgpu_compressed_new(const struct vgpu_address_space *as, u64 address,
					    const u8 *bytes)
{
	struct vgpu_compressed *compressed;

	if (!as->compresses)
		return NULL;
	compressed = vgpu_mem_alloc_device(sizeof(*compressed));
	if (!compressed)
		return NULL;
	vgpu_list_init(&compressed->node);
	lay_out(as, address, bytes, &compressed->lcp);
	return compressed;
}

void vgpu_as_compress(struct vgpu_address_space *as, bool on)
{
	struct vgpu_frame_table *frames = &as->mmu->frames;

	if (on && !frames->metadata)
		frames->metadata = vgpu_mem_alloc_device(sizeof(*frames->metadata));
	as->compresses = on && frames->metadata;
}

/* ---- pages that are written --------------------------------------------------------------- */

/* More is taken than there is, as a page has grown. */
void vgpu_compressed_settle(struct vgpu_event *event)
{
	struct vgpu_mmu *mmu = vgpu_container_of(event, struct vgpu_mmu, settle);

	vgpu_evict_excess(mmu);
}

void vgpu_compressed_excess(struct vgpu_address_space *as)
{
	struct vgpu_mmu *mmu = as->mmu;

	if (vgpu_is_over(mmu, as) && !vgpu_event_pending(&mmu->settle))
		vgpu_event_after(mmu->faults.sim, &mmu->settle, 0);
}

/* @frame does not fit its layout. Returns the sectors that are read and written for a new one. */
static u32 grow(struct vgpu_mmu *mmu, struct vgpu_frame *frame)
{
	struct vgpu_address_space *as = frame->owner;
	u32 before = vgpu_frame_units(frame);
	struct vgpu_lcp lcp;

	vgpu_lcp_lay_out(&lcp, frame->memory);
	vgpu_frame_resize(&mmu->frames, frame, &lcp);
	as->compression.overflows++;
	if (unlikely(mmu->faults.trace->on))
		vgpu_trace_emit(mmu->faults.trace, &(struct vgpu_trace_record){
							   .type = VGPU_TRACE_PAGE_OVERFLOW,
							   .sm = VGPU_NO_SM,
							   .context = as->context,
							   .a = frame->address,
							   .b = (u64)before << 32 | lcp.units,
						   });
	vgpu_compressed_excess(as);
	return (before + lcp.units) * (VGPU_LCP_UNIT / 32);
}

/* Lines @first to @last of @frame have been written. */
static u32 written(struct vgpu_mmu *mmu, struct vgpu_frame *frame, u32 first, u32 last)
{
	struct vgpu_lcp *lcp = &frame->compressed->lcp;

	for (u32 line = first; line <= last; line++)
		if (vgpu_lcp_write(lcp, frame->memory, line) == VGPU_LCP_OVERFLOW)
			return grow(mmu, frame);
	return 0;
}

void vgpu_compressed_check(struct vgpu_event *event)
{
	struct vgpu_mmu *mmu = vgpu_container_of(event, struct vgpu_mmu, check);
	struct vgpu_compressed *compressed;

	while ((compressed = vgpu_list_first(&mmu->frames.to_check, struct vgpu_compressed,
					     node))) {
		struct vgpu_frame *frame = compressed->frame;

		vgpu_list_del(&compressed->node);
		/* the next write is to be seen */
		if (!mmu->frames.cache_ops)
			vgpu_as_invalidate(frame->owner, frame->address, VGPU_PAGE_SIZE);
		written(mmu, frame, 0, VGPU_LCP_LINES - 1);
	}
}

void vgpu_compressed_written(struct vgpu_mmu *mmu, u64 number)
{
	struct vgpu_compressed *compressed = vgpu_frame_at(&mmu->frames, number)->compressed;

	if (!compressed || compressed->lcp.fixed || compressed->lcp.target == VGPU_BDI_LINE ||
	    vgpu_list_linked(&compressed->node))
		return;
	vgpu_list_add_tail(&compressed->node, &mmu->frames.to_check);
	if (!vgpu_event_pending(&mmu->check))
		vgpu_event_after(mmu->faults.sim, &mmu->check, CHECK);
}

/* ---- what it costs ------------------------------------------------------------------------ */

/* The memory controller needs the metadata of @frame. Has it them? */
static bool use_metadata(struct vgpu_mmu *mmu, const struct vgpu_frame *frame, u64 number)
{
	bool hit = vgpu_metadata_use(mmu->frames.metadata, number);
	struct vgpu_compression_counts *counts = &frame->owner->compression;

	counts->metadata_hits += hit;
	counts->metadata_misses += !hit;
	return hit;
}

u64 vgpu_compressed_time(struct vgpu_mmu *mmu, u64 number)
{
	const struct vgpu_frame *frame = vgpu_frame_at(&mmu->frames, number);

	if (!number || !frame->compressed || mmu->frames.cache_ops ||
	    frame->compressed->lcp.target == VGPU_BDI_LINE)
		return 0;
	if (use_metadata(mmu, frame, number))
		return 0;
	return vgpu_mul_div(mmu->config->memory_latency_cycles, VGPU_PS_PER_KCYCLE,
			    mmu->config->clock_khz);
}

void vgpu_mmu_line(struct vgpu_mmu *mmu, u64 number, u32 line, u32 halves, bool write,
		   struct vgpu_line_traffic *traffic)
{
	struct vgpu_frame *frame;
	const struct vgpu_lcp *lcp;
	u32 slots = 0;

	*traffic = (struct vgpu_line_traffic){};
	/* the save area is no frames (sm/pipeline/move.c) */
	if (number > mmu->frames.numbers)
		return;
	frame = vgpu_frame_at(&mmu->frames, number);
	if (!frame->compressed || frame->compressed->lcp.target == VGPU_BDI_LINE)
		return;
	traffic->compressed = true;
	lcp = &frame->compressed->lcp;
	if (write)
		for (u32 half = 0; half < 2; half++)
			if (halves >> half & 1)
				traffic->moved += written(mmu, frame, 2 * line + half,
							  2 * line + half);
	if (!use_metadata(mmu, frame, number))
		traffic->metadata = VGPU_METADATA_SECTORS;
	for (u32 half = 0; half < 2; half++) {
		if (!(halves >> half & 1))
			continue;
		if (lcp->exceptions >> (2 * line + half) & 1) {
			traffic->exceptions += VGPU_BDI_LINE / 32;
			frame->owner->compression.exceptions++;
		} else {
			slots += lcp->target;
		}
	}
	traffic->slots = (slots + 31) / 32;
}

// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Evictions: managed pages go to the host to make room for others, when a fault needs it
 * (vgpu_evict_for()), or before one does (vgpu_evict_ahead()); and their trace records: which pages
 * of whom went, for whom, and when what had been written there crosses the interconnect.
 */
#include "address_space.h"

/* Pages of a record: their bytes have 32 bits. */
#define RUN_PAGES	(1u << 18)

/* ---- trace records: nothing is done here while tracing is off ------------- */

static void emit(const struct vgpu_page_fault *fault, struct vgpu_trace_record *record)
{
	const struct vgpu_fault_request *request = &fault->request;

	record->sm = request->prefetch ? VGPU_NO_SM : (u16)request->sm;
	record->kernel = request->prefetch ? 0 : request->kernel;
	vgpu_trace_emit(fault->faults->trace, record);
}

static void emit_run(struct vgpu_eviction *e)
{
	if (e->pages)
		emit(e->fault, &(struct vgpu_trace_record){
				       .type = VGPU_TRACE_EVICT,
				       .context = e->owner,
				       .queue = e->fault->space->context,
				       .seq = e->mapping,
				       .a = e->address,
				       .b = e->pages << 32 | e->written,
			       });
	e->pages = 0;
}

static void note_page(struct vgpu_eviction *e, const struct vgpu_address_space *owner, u64 address,
		      u64 written)
{
	const struct vgpu_range *mapping;

	if (likely(!e->fault->faults->trace->on))
		return;
	mapping = vgpu_ranges_at(&owner->mappings, address);
	if (!VGPU_CHECK(mapping))
		return;
	if (e->owner != owner->context || e->mapping != mapping->first || e->pages == RUN_PAGES ||
	    e->address + (e->pages << VGPU_PAGE_SHIFT) != address)
		emit_run(e);
	if (!e->pages) {
		e->owner = owner->context;
		e->mapping = mapping->first;
		e->address = address;
		e->written = 0;
	}
	e->pages++;
	e->written += written;
}

static void note_end(struct vgpu_eviction *e, u64 written)
{
	const struct vgpu_faults *faults = e->fault->faults;

	if (likely(!faults->trace->on))
		return;
	emit_run(e);
	if (written)
		emit(e->fault, &(struct vgpu_trace_record){
				       .type = VGPU_TRACE_WRITE_BACK,
				       .context = e->fault->space->context,
				       .seq = faults->link.began[VGPU_LINK_TO_HOST],
				       .a = faults->link.free[VGPU_LINK_TO_HOST],
				       .b = written,
			       });
}

/* ---- pages go -------------------------------------------------------------- */

static u64 pages_of(u64 bytes)
{
	return bytes >> VGPU_PAGE_SHIFT;
}

/* Frames that managed pages may have, all together, as long as none is compressed. */
static u64 frames_for_managed(const struct vgpu_mmu *mmu)
{
	return pages_of(mmu->config->vram_bytes - mmu->promised);
}

/* The same, and what one context may have of it, in units of VRAM: room is counted in these. */
static u64 units_for_managed(const struct vgpu_mmu *mmu)
{
	return frames_for_managed(mmu) * VGPU_LCP_UNITS;
}

static u64 share_of_context(const struct vgpu_mmu *mmu)
{
	return frames_for_managed(mmu) * mmu->config->managed_share / 100 * VGPU_LCP_UNITS;
}

/* The page of @frame goes to the host. Returns the bytes that were written on the device. */
static u64 evict(struct vgpu_mmu *mmu, struct vgpu_frame *frame, struct vgpu_eviction *eviction)
{
	struct vgpu_address_space *as = frame->owner;
	u64 *pte = vgpu_pte_find(&as->table, frame->address);
	u64 written = frame->dirty || mmu->config->evict_clean ? VGPU_PAGE_SIZE : 0;
	u64 number;

	if (!VGPU_CHECK(pte && *pte & VGPU_PTE_FRAME)) {
		vgpu_frame_leaves(frame);
		return 0;
	}
	number = vgpu_pte_number(*pte);
	note_page(eviction, as, frame->address, written);
	vgpu_as_invalidate(as, frame->address, VGPU_PAGE_SIZE);
	vgpu_as_set_managed(as, pte,
			    (*pte & (VGPU_PTE_MANAGED | VGPU_PTE_HOST)) | VGPU_PTE_EVICTED |
				    (written ? VGPU_PTE_HOST : 0));
	vgpu_frame_put(&mmu->frames, number);
	as->frames--;
	as->migrated.evicted++;
	as->migrated.to_host += written;
	vgpu_count(vgpu_fault_counters(eviction->fault), VGPU_COUNT_PAGES_EVICTED, 1);
	vgpu_count(vgpu_fault_counters(eviction->fault), VGPU_COUNT_PAGE_BYTES_OUT, written);
	if (as->pressure)
		mmu->pressure_ops->evicted(as->pressure);
	return written;
}

/* The page of @frame may not go for that of @request, of @as. */
static bool is_protected(const struct vgpu_address_space *as,
			 const struct vgpu_fault_request *request, const struct vgpu_frame *frame)
{
	return frame->owner == as &&
	       pages_of(frame->address) - request->protected_first < request->protected_pages;
}

/* So many of the units that are free are those of pages whose data has not crossed yet. */
static u64 leaving(const struct vgpu_mmu *mmu)
{
	return mmu->leaving.until > mmu->faults.sim->now ? mmu->leaving.units : 0;
}

/* When the frames that @fault needs, and its data on the host, are there at the earliest. */
static u64 wait_for_leaving(const struct vgpu_page_fault *fault, u64 most)
{
	const struct vgpu_address_space *as = vgpu_as_of_fault(fault);
	const struct vgpu_fault_request *request = &fault->request;
	const struct vgpu_mmu *mmu = as->mmu;
	u64 time = 0;

	if (mmu->frames.units + mmu->arriving + fault->units + leaving(mmu) > most)
		time = mmu->leaving.until;
	if (as->leaving.until > time && request->first <= as->leaving.last &&
	    request->first + request->pages > as->leaving.first)
		time = as->leaving.until;
	return time;
}

/*
 * The page of @victim and those around it, in the same unit of eviction_unit bytes, that may be
 * evicted go to the host, but none that is preferred unless @victim is. Pages of a unit are in one
 * table. Returns the bytes that were written on the device.
 */
static u64 evict_unit(struct vgpu_eviction *eviction, struct vgpu_frame *victim)
{
	const struct vgpu_fault_request *request = &eviction->fault->request;
	const struct vgpu_address_space *as = vgpu_as_of_fault(eviction->fault);
	struct vgpu_mmu *mmu = as->mmu;
	u64 unit = mmu->config->eviction_unit;
	u64 *pte = vgpu_pte_find(&victim->owner->table, victim->address & ~(unit - 1));
	bool preferred = victim->preferred;
	u64 written = evict(mmu, victim, eviction);

	for (u64 n = 0; pte && n < pages_of(unit); n++) {
		if ((pte[n] & (VGPU_PTE_MANAGED | VGPU_PTE_FRAME | VGPU_PTE_MOVING)) !=
		    (VGPU_PTE_MANAGED | VGPU_PTE_FRAME))
			continue;
		victim = vgpu_frame_at(&mmu->frames, vgpu_pte_number(pte[n]));
		if (victim->preferred <= preferred && !is_protected(as, request, victim))
			written += evict(mmu, victim, eviction);
	}
	return written;
}

/*
 * Frames for the pages of @fault. Its context evicts its own pages as long as it would have more
 * than its share. @time: when what had to be written back has crossed the interconnect. False:
 * device memory or the share leaves too little room.
 *
 * What a prefetcher chose gets none where it would be that of pages that it protects, or where more
 * than half of the frames would be for pages on their way: then nothing could be evicted for those
 * that SMs touch meanwhile.
 */
bool vgpu_evict_for(const struct vgpu_page_fault *fault, u64 *time)
{
	const struct vgpu_fault_request *request = &fault->request;
	const struct vgpu_address_space *as = vgpu_as_of_fault(fault);
	struct vgpu_eviction eviction = { .fault = fault };
	struct vgpu_mmu *mmu = as->mmu;
	const struct vgpu_resident *own = &as->resident;
	u64 most = units_for_managed(mmu), share = share_of_context(mmu);
	u64 units = fault->units, written = 0;
	struct vgpu_frame *victim;
	bool above, full;

	if (units > share)
		return false;
	if (request->protected_pages && ((mmu->arriving + units) * 2 > most ||
					 (own->arriving + units) * 2 > share))
		return false;
	do {
		above = share < most && own->units + own->arriving + units > share;
		full = mmu->frames.units + mmu->arriving + units > most;
		victim = above || full ? mmu->evictor->victim(&mmu->frames, above ? own : NULL) :
					 NULL;
		if (victim && is_protected(as, request, victim))
			break;
		written += victim ? evict_unit(&eviction, victim) : 0;
	} while (victim);
	*time = vgpu_link_reserve(&mmu->faults.link, VGPU_LINK_TO_HOST, *time, written);
	note_end(&eviction, written);
	if (above || full)
		return false;
	if (unlikely(mmu->leaving.units)) {
		u64 free = wait_for_leaving(fault, most);

		*time = free > *time ? free : *time;
	}
	return true;
}

bool vgpu_as_oversubscribed(const struct vgpu_address_space *as)
{
	const struct vgpu_mmu *mmu = as->mmu;

	return pages_of(as->managed) > frames_for_managed(mmu) * mmu->config->managed_share / 100;
}

/* @units of pages that have gone are free when what was @written there has crossed: returned. */
static u64 leaves(struct vgpu_mmu *mmu, u64 units, u64 written)
{
	u64 until = vgpu_link_reserve(&mmu->faults.link, VGPU_LINK_TO_HOST, mmu->faults.sim->now,
				      written);

	if (!written)
		return 0;
	mmu->leaving.units = leaving(mmu) + units;
	mmu->leaving.until = until;
	return until;
}

void vgpu_evict_ahead(const struct vgpu_page_fault *fault, u64 bytes)
{
	struct vgpu_address_space *as = vgpu_as_of_fault(fault);
	struct vgpu_eviction eviction = { .fault = fault };
	struct vgpu_mmu *mmu = as->mmu;
	u64 most = units_for_managed(mmu), now = mmu->faults.sim->now, before, written, until;
	u64 used = mmu->frames.units + mmu->arriving + leaving(mmu), units = mmu->frames.units;
	struct vgpu_frame *victim;
	u64 address, unit = mmu->config->eviction_unit;

	if (as->leaving.until > now ||
	    (used < most && most - used >= pages_of(bytes) * VGPU_LCP_UNITS))
		return;
	victim = mmu->evictor->victim(&mmu->frames, &as->resident);
	if (!victim || is_protected(as, &fault->request, victim))
		return;
	address = victim->address & ~(unit - 1);
	before = as->migrated.evicted;
	written = evict_unit(&eviction, victim);
	until = leaves(mmu, units - mmu->frames.units, written);
	note_end(&eviction, written);
	if (!until)
		return;
	as->leaving.first = pages_of(address);
	as->leaving.last = pages_of(address + unit) - 1;
	as->leaving.until = until;
	as->migrated.ahead += as->migrated.evicted - before;
}

/* ---- pages that have grown ---------------------------------------------------------------- */

bool vgpu_is_over(const struct vgpu_mmu *mmu, const struct vgpu_address_space *as)
{
	return mmu->frames.units + mmu->arriving > units_for_managed(mmu) ||
	       as->resident.units + as->resident.arriving > share_of_context(mmu);
}

/*
 * The next page that is to go, as some have grown: of a context that has more than its share, which
 * pays for that itself; else of all, if there is too little for all. NULL: none.
 */
static struct vgpu_frame *excess(struct vgpu_mmu *mmu)
{
	u64 most = units_for_managed(mmu), share = share_of_context(mmu);
	const struct vgpu_resident *of;
	struct vgpu_frame *victim;

	vgpu_list_for_each(of, &mmu->frames.residents, struct vgpu_resident, node) {
		if (share == most || of->units + of->arriving <= share)
			continue;
		victim = mmu->evictor->victim(&mmu->frames, of);
		if (victim)
			return victim;
	}
	return mmu->frames.units + mmu->arriving > most ?
		       mmu->evictor->victim(&mmu->frames, NULL) : NULL;
}

void vgpu_evict_excess(struct vgpu_mmu *mmu)
{
	struct vgpu_frame *victim;

	while ((victim = excess(mmu))) {
		const struct vgpu_page_fault needs = {
			.faults = &mmu->faults,
			.space = &victim->owner->faults,
			.request.prefetch = true,
		};
		struct vgpu_eviction eviction = { .fault = &needs };
		u64 units = mmu->frames.units, written = evict_unit(&eviction, victim);

		leaves(mmu, units - mmu->frames.units, written);
		note_end(&eviction, written);
	}
}

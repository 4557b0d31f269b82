// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * DOC: managed memory (Tanasic 2.1, 6.4.2)
 *
 * A managed page is used by processes and by SMs. Its bytes are the host's memory and stay where
 * they are in this program; what moves is who may access them, and what it costs. On the device
 * the page has a frame of VRAM. On the host it has none, and processes access it directly. It
 * changes sides by a page fault of the side that does not have it:
 *
 *   SM        vgpu_managed_raise(): the host loses its access at once (revoke). When the fault has
 *             been handled, frames are made free for the pages and their data crosses the
 *             interconnect (vgpu_managed_move()); when it has been served, they have the frames.
 *   process   vgpu_as_fetch(): the SMs lose their translations at once, what they have written
 *             crosses the interconnect, and then the host may grant access to its process.
 *
 * Pages that neither has touched have no data. Frames are taken from the managed page that the
 * evictor chooses (placement.h), of whatever context, or of the one that needs it if that would
 * have more than its share. What was written there crosses the interconnect first; other data the
 * host has as well. Memory that was promised to device mappings is not for managed pages.
 *
 * A prefetcher may choose further pages, which come behind those of a fault (prefetch.c).
 *
 * Copies, and accesses that waited too often (access.c), use the bytes of a page where it is.
 */
#include "address_space.h"

static u64 pages_of(u64 bytes)
{
	return bytes >> VGPU_PAGE_SHIFT;
}

static u64 data_of(const struct vgpu_page_run *run)
{
	u64 pages = 0;

	for (u64 n = 0; n < run->count; n++)
		pages += !!(run->pte[n] & VGPU_PTE_HOST);
	return pages << VGPU_PAGE_SHIFT;
}

/* ---- to the device ------------------------------------------------------ */

static int raise_run(struct vgpu_address_space *as, const struct vgpu_access *access,
		     struct vgpu_fault_request *request, const struct vgpu_page_run *run)
{
	request->prefetch = !access;
	request->first = run->first;
	request->pages = run->count;
	request->sm = access ? access->sm : 0;
	request->kernel = access ? access->kernel : 0;
	request->counters = access ? access->counters : NULL;
	return vgpu_fault_raise(&as->mmu->faults, &as->faults, request);
}

static void revoke_run(const struct vgpu_address_space *as, const struct vgpu_page_run *run)
{
	const struct vgpu_frame_table *frames = &as->mmu->frames;

	frames->ops.revoke(frames->host, as->context, run->first << VGPU_PAGE_SHIFT,
			   run->count << VGPU_PAGE_SHIFT);
}

static void protect_run(const struct vgpu_address_space *as, const struct vgpu_page_run *run)
{
	const struct vgpu_frame_table *frames = &as->mmu->frames;

	frames->ops.protect(frames->host, as->context, run->first << VGPU_PAGE_SHIFT,
			    run->count << VGPU_PAGE_SHIFT);
}

/* What is mostly read and is not written now stays on the host, too, if that has it. */
int vgpu_managed_to_device(struct vgpu_address_space *as, const struct vgpu_access *access,
			   const struct vgpu_range *mapping, u64 address, u64 *pte,
			   const struct vgpu_page_span *chosen)
{
	bool write = access && access->kind != VGPU_ACCESS_LOAD;
	bool mostly_read = !write && vgpu_advice_at(as, address) & VGPU_ADVISED_READ_MOSTLY;
	bool duplicate = mostly_read && *pte & VGPU_PTE_HOST;
	struct vgpu_page_run run =
		vgpu_as_run(as, mapping, address, pte, duplicate ? VGPU_PTE_HOST : 0,
			    VGPU_PTE_FRAME | VGPU_PTE_MOVING |
				    (mostly_read && !duplicate ? VGPU_PTE_HOST : 0));
	struct vgpu_fault_request request = {
		.kind = VGPU_PAGE_FAULT_TO_DEVICE,
		.duplicate = duplicate,
		.data = data_of(&run),
		.mapping = mapping->first,
		.protected_first = chosen ? chosen->first : 0,
		.protected_pages = chosen ? chosen->last - chosen->first + 1 : 0,
	};
	int err = raise_run(as, access, &request, &run);

	if (err)
		return err;
	if (duplicate)
		protect_run(as, &run);
	else if (request.data)
		revoke_run(as, &run);
	for (u64 n = 0; n < run.count; n++)
		run.pte[n] |= VGPU_PTE_MANAGED | VGPU_PTE_MOVING |
			      (duplicate ? VGPU_PTE_DUPLICATE : 0);
	return 0;
}

/* The pages have frames, and the host reads them. */
static int raise_claim(struct vgpu_address_space *as, const struct vgpu_access *access,
		       const struct vgpu_range *mapping, u64 address, u64 *pte)
{
	struct vgpu_frame_table *frames = &as->mmu->frames;
	struct vgpu_page_run run =
		vgpu_as_run(as, mapping, address, pte, VGPU_PTE_FRAME | VGPU_PTE_DUPLICATE,
			    VGPU_PTE_MOVING);
	struct vgpu_fault_request request = {
		.kind = VGPU_PAGE_FAULT_CLAIM,
		.mapping = mapping->first,
	};
	int err = raise_run(as, access, &request, &run);

	if (err)
		return err;
	revoke_run(as, &run);
	for (u64 n = 0; n < run.count; n++) {
		vgpu_as_set_managed(as, &run.pte[n], run.pte[n] & ~VGPU_PTE_DUPLICATE);
		run.pte[n] |= VGPU_PTE_MOVING;
		vgpu_frame_leaves(vgpu_frame_at(frames, vgpu_pte_number(run.pte[n])));
	}
	return 0;
}

int vgpu_managed_raise(struct vgpu_address_space *as, const struct vgpu_access *access,
		       const struct vgpu_range *mapping, u64 address, u64 *pte)
{
	int err;

	if (*pte & VGPU_PTE_FRAME)
		return raise_claim(as, access, mapping, address, pte);
	err = vgpu_managed_to_device(as, access, mapping, address, pte, NULL);
	if (as->pressure && !err && access)
		as->mmu->pressure_ops->raised(as->pressure, access->sm);
	return err;
}

void vgpu_managed_claim(struct vgpu_address_space *as, u64 address, u64 *pte)
{
	const struct vgpu_page_run run = { pte, address >> VGPU_PAGE_SHIFT, 1 };

	vgpu_as_set_managed(as, pte, *pte & ~VGPU_PTE_DUPLICATE);
	revoke_run(as, &run);
}

bool vgpu_managed_move(struct vgpu_page_fault *fault, u64 *time)
{
	struct vgpu_address_space *as = vgpu_as_of_fault(fault);
	struct vgpu_link *link = &as->mmu->faults.link;

	if (fault->request.kind == VGPU_PAGE_FAULT_TO_HOST) {
		*time = vgpu_link_reserve(link, VGPU_LINK_TO_HOST, *time, fault->request.data);
		vgpu_prefetch_behind(as, &fault->request);
		return true;
	}
	fault->units = likely(!as->compresses) ?
			       (u32)fault->request.pages * VGPU_LCP_UNITS :
			       vgpu_compressed_units(as, fault->request.first,
						     fault->request.pages);
	if (!vgpu_evict_for(fault, time))
		return false;
	as->mmu->arriving += fault->units;
	as->resident.arriving += fault->units;
	*time = vgpu_link_reserve(link, VGPU_LINK_TO_DEVICE, *time, fault->request.data);
	if (as->pressure)
		as->mmu->pressure_ops->placed(as->pressure, fault);
	vgpu_prefetch_behind(as, &fault->request);
	return true;
}

/*
 * The page at @address, on the host, has arrived. Without a frame it stays where it is. It may have
 * lost its DUPLICATE on the way.
 */
static void arrive(struct vgpu_address_space *as, u64 address, u64 *pte)
{
	struct vgpu_frame_table *frames = &as->mmu->frames;
	void *memory = frames->ops.managed_page(frames->host, as->context, address);
	bool preferred = vgpu_advice_at(as, address) & VGPU_ADVISED_DEVICE;
	struct vgpu_compressed *compressed =
		memory ? vgpu_compressed_new(as, address, memory) : NULL;
	u64 number = memory ? vgpu_frame_get_managed(frames, as, &as->resident, address, memory,
						     preferred, compressed) :
			      0;

	if (!number) {
		vgpu_mem_free_device(compressed);
		*pte &= ~VGPU_PTE_DUPLICATE;
		return;
	}
	/* SMs may have used it where it was; what they write now is written on the device */
	vgpu_as_invalidate(as, address, VGPU_PAGE_SIZE);
	as->migrated.refaults += !!(*pte & VGPU_PTE_EVICTED);
	vgpu_as_set_managed(as, pte,
			    (*pte & ~VGPU_PTE_EVICTED) | number << VGPU_PTE_NUMBER_SHIFT |
				    VGPU_PTE_FRAME);
	as->frames++;
}

static void depart(struct vgpu_address_space *as, u64 *pte)
{
	vgpu_frame_put(&as->mmu->frames, vgpu_pte_number(*pte));
	vgpu_as_set_managed(as, pte, VGPU_PTE_MANAGED | VGPU_PTE_HOST);
	as->frames--;
}

void vgpu_managed_drop(struct vgpu_address_space *as, u64 address, u64 *pte)
{
	vgpu_as_invalidate(as, address, VGPU_PAGE_SIZE);
	depart(as, pte);
}

/* A page that has a frame, and that the host or an SM has waited for, stays. */
static void stay(struct vgpu_address_space *as, const struct vgpu_fault_request *request, u64 page,
		 u64 *pte, bool served)
{
	struct vgpu_frame *frame = vgpu_frame_at(&as->mmu->frames, vgpu_pte_number(*pte));

	vgpu_frame_arrived(&as->mmu->frames, vgpu_pte_number(*pte));
	if (!request->duplicate)
		return;
	/* the host reads them, too */
	if (served)
		vgpu_frame_flush(&as->mmu->frames, vgpu_pte_number(*pte), false);
	/* a copy may have written it, and the advice may have ended: who waits asks again */
	if (!served)
		frame->dirty |= request->data;
	else if (!frame->dirty)
		*pte |= VGPU_PTE_HOST;
	if (served && !frame->dirty &&
	    vgpu_advice_at(as, page << VGPU_PAGE_SHIFT) & VGPU_ADVISED_READ_MOSTLY)
		vgpu_as_set_managed(as, pte, *pte | VGPU_PTE_DUPLICATE);
}

void vgpu_managed_ended(const struct vgpu_page_fault *fault, bool served)
{
	struct vgpu_address_space *as = vgpu_as_of_fault(fault);
	const struct vgpu_frame_table *frames = &as->mmu->frames;
	bool to_host = fault->request.kind == VGPU_PAGE_FAULT_TO_HOST;
	bool to_device = fault->request.kind == VGPU_PAGE_FAULT_TO_DEVICE;
	u64 *pte = vgpu_pte_find(&as->table, fault->request.first << VGPU_PAGE_SHIFT);

	if (fault->room && to_device) {
		as->mmu->arriving -= fault->units;
		as->resident.arriving -= fault->units;
	}
	if (!VGPU_CHECK(pte))
		return;
	for (u64 n = 0; n < fault->request.pages; n++) {
		u64 page = fault->request.first + n;

		pte[n] &= ~VGPU_PTE_MOVING;
		if (to_host && served && !fault->request.duplicate)
			/* an access that had waited too often may have used it on its way */
			vgpu_managed_drop(as, page << VGPU_PAGE_SHIFT, &pte[n]);
		else if (!to_device)
			stay(as, &fault->request, page, &pte[n], served);
		else if (served && fault->room)
			arrive(as, page << VGPU_PAGE_SHIFT, &pte[n]);
		else
			pte[n] &= ~VGPU_PTE_DUPLICATE;
	}
	if (served && to_host) {
		as->migrated.to_host += fault->request.data;
	} else if (served && fault->room) {
		as->migrated.to_device += fault->request.data;
		vgpu_count(vgpu_fault_counters(fault), VGPU_COUNT_PAGE_BYTES_IN,
			   fault->request.data);
		/* some contexts compress, or have: a page is laid out as it is when it comes */
		if (unlikely(frames->metadata))
			vgpu_compressed_excess(as);
	}
	if (as->pressure && to_device && !fault->request.prefetch)
		as->mmu->pressure_ops->ended(as->pressure, fault->request.sm);
	if (frames->ops.arrived)
		frames->ops.arrived(frames->host, as->context,
				    fault->request.first << VGPU_PAGE_SHIFT,
				    fault->request.pages << VGPU_PAGE_SHIFT);
}

/* ---- to the host -------------------------------------------------------- */

int vgpu_managed_to_host(struct vgpu_address_space *as, const struct vgpu_range *mapping,
			 u64 address, u64 *pte, bool prefetch, bool duplicate)
{
	const struct vgpu_page_run run =
		vgpu_as_run(as, mapping, address, pte, VGPU_PTE_FRAME,
			    VGPU_PTE_MOVING | (duplicate ? VGPU_PTE_DUPLICATE : 0));
	struct vgpu_fault_request request = {
		.kind = VGPU_PAGE_FAULT_TO_HOST,
		.prefetch = prefetch,
		.duplicate = duplicate,
		.first = run.first,
		.pages = run.count,
		.mapping = mapping->first,
	};
	struct vgpu_mmu *mmu = as->mmu;
	struct vgpu_frame *frame;
	int err;

	for (u64 n = 0; n < run.count; n++)
		if (vgpu_frame_at(&mmu->frames, vgpu_pte_number(run.pte[n]))->dirty)
			request.data += VGPU_PAGE_SIZE;
	err = vgpu_fault_raise(&mmu->faults, &as->faults, &request);
	if (err)
		return err;
	vgpu_as_invalidate(as, run.first << VGPU_PAGE_SHIFT, run.count << VGPU_PAGE_SHIFT);
	for (u64 n = 0; n < run.count; n++) {
		frame = vgpu_frame_at(&mmu->frames, vgpu_pte_number(run.pte[n]));
		vgpu_as_set_managed(as, &run.pte[n], run.pte[n] & ~VGPU_PTE_DUPLICATE);
		run.pte[n] |= VGPU_PTE_MOVING;
		vgpu_frame_leaves(frame);
		frame->dirty &= !duplicate;
	}
	return 0;
}

int vgpu_as_fetch(struct vgpu_address_space *as, u64 address, bool write, u64 *first, u64 *bytes,
		  bool *writable)
{
	const struct vgpu_range *mapping = vgpu_ranges_at(&as->mappings, address);
	struct vgpu_page_run run;
	bool duplicate;
	u64 *pte;
	int err;

	if (!mapping || mapping->value != VGPU_MAPPING_MANAGED)
		return -EFAULT;
	pte = vgpu_pte_make(as->mmu, &as->table, address);
	if (!pte)
		return -ENOMEM;
	duplicate = !write && *pte & VGPU_PTE_DUPLICATE;
	if (*pte & VGPU_PTE_MOVING && !duplicate)
		return -EAGAIN;
	if (*pte & VGPU_PTE_FRAME && !duplicate) {
		duplicate = !write && vgpu_advice_at(as, address) & VGPU_ADVISED_READ_MOSTLY;
		err = vgpu_managed_to_host(as, mapping, address, pte, false, duplicate);
		return err ? err : -EAGAIN;
	}
	run = vgpu_as_run(as, mapping, address, pte, duplicate ? VGPU_PTE_DUPLICATE : 0,
			  duplicate ? 0 : VGPU_PTE_FRAME | VGPU_PTE_MOVING);
	/* whether the process writes them is not known */
	for (u64 n = 0; n < run.count; n++)
		vgpu_as_set_managed(as, &run.pte[n],
				    run.pte[n] | VGPU_PTE_MANAGED | VGPU_PTE_HOST);
	*first = run.first << VGPU_PAGE_SHIFT;
	*bytes = run.count << VGPU_PAGE_SHIFT;
	if (writable)
		*writable = !duplicate;
	return 0;
}

u64 vgpu_as_ahead(struct vgpu_address_space *as, u64 address)
{
	const struct vgpu_range *mapping = vgpu_ranges_at(&as->mappings, address);
	const u64 *pte = vgpu_pte_find(&as->table, address);
	u64 block_last = address | (VGPU_PREFETCH_BLOCK - 1), pages, n = 0;

	/* where a block begins, the range before it is of another table */
	if (!mapping || mapping->value != VGPU_MAPPING_MANAGED || !pte ||
	    !(address & (VGPU_PREFETCH_BLOCK - 1)))
		return 0;
	pages = pages_of((mapping->last < block_last ? mapping->last : block_last) + 1 - address);
	while (n < pages &&
	       (pte[n] & (VGPU_PTE_HOST | VGPU_PTE_FRAME | VGPU_PTE_MOVING)) == VGPU_PTE_HOST)
		n++;
	return n << VGPU_PAGE_SHIFT;
}

u8 *vgpu_managed_bytes(struct vgpu_address_space *as, u64 address, u64 *pte, bool write)
{
	const struct vgpu_frame_table *frames = &as->mmu->frames;

	vgpu_as_set_managed(as, pte, *pte | VGPU_PTE_MANAGED | (write ? VGPU_PTE_HOST : 0));
	return frames->ops.managed_page(frames->host, as->context,
					address & ~(u64)(VGPU_PAGE_SIZE - 1));
}

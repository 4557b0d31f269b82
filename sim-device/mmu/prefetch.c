// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Prefetches of managed memory and of memory of the process: what a prefetcher (placement.h)
 * chooses behind a fault, and what a command asks for.
 */
#include "address_space.h"

/* Has the side to which @pages go what is in the page of @entry, or is that on its way? */
static bool is_there(u64 entry, bool to_host)
{
	bool moving = entry & VGPU_PTE_MOVING;

	if (entry & VGPU_PTE_FRAME) /* those that move go to the host, a few to have a copy there */
		return to_host ? moving || entry & VGPU_PTE_DUPLICATE : !moving;
	return to_host ? entry & VGPU_PTE_HOST && !moving : moving;
}

u64 vgpu_pages_there(const struct vgpu_touched *touched, const struct vgpu_page_span *pages)
{
	const u64 *pte = vgpu_pte_find(&touched->as->table, pages->first << VGPU_PAGE_SHIFT);
	u64 there = 0;

	for (u64 n = 0; pte && n <= pages->last - pages->first; n++)
		there += is_there(pte[n], touched->to_host);
	return there;
}

/* The page at @address, whose entry is @pte, comes if it is on the other side; -ENOMEM. */
static int bring(struct vgpu_address_space *as, const struct vgpu_range *mapping, u64 address,
		 u64 *pte, const struct vgpu_page_span *pages)
{
	if (*pte & (VGPU_PTE_FRAME | VGPU_PTE_MOVING) || vgpu_advice_in_place(as, address, *pte))
		return 0;
	return vgpu_managed_to_device(as, NULL, mapping, address, pte, pages);
}

/* The same to the host, but for what is to be on the device. */
static int bring_back(struct vgpu_address_space *as, const struct vgpu_range *mapping, u64 address,
		      u64 *pte)
{
	u64 advice = vgpu_advice_at(as, address);

	if ((*pte & (VGPU_PTE_FRAME | VGPU_PTE_MOVING | VGPU_PTE_DUPLICATE)) != VGPU_PTE_FRAME ||
	    advice & VGPU_ADVISED_DEVICE)
		return 0;
	return vgpu_managed_to_host(as, mapping, address, pte, true,
				    advice & VGPU_ADVISED_READ_MOSTLY);
}

void vgpu_prefetch_behind(struct vgpu_address_space *as, const struct vgpu_fault_request *request)
{
	const struct vgpu_config *config = as->mmu->config;
	const struct vgpu_range *mapping = vgpu_ranges_at(&as->mappings, request->mapping);
	struct vgpu_touched touched = {
		.as = as,
		.to_host = request->kind == VGPU_PAGE_FAULT_TO_HOST,
		.fault = { request->first, request->first + request->pages - 1 },
		.granule = (config->page_arrival_ps ? VGPU_PAGE_SIZE : config->fault_granule) >>
			   VGPU_PAGE_SHIFT,
	};
	struct vgpu_page_span pages;

	if (request->prefetch || !VGPU_CHECK(mapping))
		return;
	touched.mapping.first = mapping->first >> VGPU_PAGE_SHIFT;
	touched.mapping.last = mapping->last >> VGPU_PAGE_SHIFT;
	if (!as->mmu->prefetcher->choose(&touched, &pages))
		return;
	for (u64 page = pages.first; page <= pages.last; page++) {
		u64 address = page << VGPU_PAGE_SHIFT;
		u64 *pte = vgpu_pte_make(as->mmu, &as->table, address);

		if (!pte || (touched.to_host ? bring_back(as, mapping, address, pte) :
					       bring(as, mapping, address, pte, &pages)))
			return;
	}
}

enum vgpu_access_result vgpu_as_prefetch(struct vgpu_address_space *as, u64 address, u64 last,
					 bool to_device, struct vgpu_page_waiter *waiter, u64 *next)
{
	const struct vgpu_range *mapping = vgpu_ranges_at(&as->mappings, address);
	u64 granule_last = address | (as->mmu->config->fault_granule - 1);
	bool copy;
	u64 *pte;

	if (vgpu_is_system(address))
		return VGPU_ACCESS_FAULT;
	if (as->process && !mapping) {
		vgpu_process_prefetch(as, address, last, to_device, next);
		return VGPU_ACCESS_OK;
	}
	if (as->process && vgpu_range_on_host(mapping)) {
		*next = (last < mapping->last ? last : mapping->last) + 1;
		return VGPU_ACCESS_OK;
	}
	if (!mapping || mapping->value != VGPU_MAPPING_MANAGED)
		return VGPU_ACCESS_FAULT;
	last = last < mapping->last ? last : mapping->last;
	last = last < granule_last ? last : granule_last;
	*next = last + 1;
	pte = to_device ? vgpu_pte_make(as->mmu, &as->table, address) :
			  vgpu_pte_find(&as->table, address);
	if (!pte)
		return to_device ? VGPU_ACCESS_FAULT : VGPU_ACCESS_OK;
	for (u64 page = address >> VGPU_PAGE_SHIFT; page <= last >> VGPU_PAGE_SHIFT;
	     page++, pte++) {
		address = page << VGPU_PAGE_SHIFT;
		if (!(*pte & VGPU_PTE_MOVING)) {
			if (!(*pte & VGPU_PTE_FRAME) == !to_device ||
			    *pte & VGPU_PTE_DUPLICATE)
				continue;
			copy = vgpu_advice_at(as, address) & VGPU_ADVISED_READ_MOSTLY;
			if (to_device ? vgpu_managed_raise(as, NULL, mapping, address, pte) :
					vgpu_managed_to_host(as, mapping, address, pte, true, copy))
				return VGPU_ACCESS_FAULT;
		}
		vgpu_fault_wait(&as->faults, page, waiter);
		*next = address + VGPU_PAGE_SIZE;
		return VGPU_ACCESS_PENDING;
	}
	return VGPU_ACCESS_OK;
}

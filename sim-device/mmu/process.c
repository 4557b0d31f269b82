// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Memory of the process that owns an address space, which SMs use where nothing is mapped. The page
 * tables are the process's: nothing is remembered of its pages here. See access.h.
 */
#include "address_space.h"

int vgpu_as_process_enable(struct vgpu_address_space *as)
{
	if (!as->mmu->frames.ops.process_page)
		return -EOPNOTSUPP;
	as->process = true;
	return 0;
}

/* ---- what SMs access ---------------------------------------------------- */

void vgpu_process_hold(const struct vgpu_address_space *as)
{
	as->mmu->frames.ops.process_hold(as->mmu->frames.host, as->context);
}

void vgpu_process_release(const struct vgpu_address_space *as)
{
	as->mmu->frames.ops.process_release(as->mmu->frames.host, as->context);
}

u8 *vgpu_process_page(const struct vgpu_address_space *as, u64 address, bool write)
{
	return as->mmu->frames.ops.process_page(as->mmu->frames.host, as->context,
						address & ~(u64)(VGPU_PAGE_SIZE - 1), write);
}

/* Which of @count pages from @first on are at hand: bit n: page n. They may have gone already. */
static u64 at_hand(const struct vgpu_address_space *as, u64 first, u32 count, bool write)
{
	u64 there = 0;

	vgpu_process_hold(as);
	for (u32 n = 0; n < count; n++)
		if (vgpu_process_page(as, (first + n) << VGPU_PAGE_SHIFT, write))
			there |= 1ull << n;
	vgpu_process_release(as);
	return there;
}

/* May @page be of a fault that is raised now, if it is not at hand? */
static bool may_come(const struct vgpu_address_space *as, u64 page)
{
	return !vgpu_ranges_at(&as->mappings, page << VGPU_PAGE_SHIFT) &&
	       !vgpu_fault_at(&as->faults, page);
}

/*
 * For the page and those around it, within a granule of fault_granule bytes or VGPU_PROCESS_PAGES
 * pages, that are not at hand either.
 */
static int raise_fault(struct vgpu_address_space *as, const struct vgpu_access *access, u64 page)
{
	const struct vgpu_config *config = as->mmu->config;
	bool write = access->kind != VGPU_ACCESS_LOAD;
	u64 granule = config->page_arrival_ps ? 1 : config->fault_granule >> VGPU_PAGE_SHIFT;
	u64 low, first = page, last = page, there, readable;

	if (granule > VGPU_PROCESS_PAGES)
		granule = VGPU_PROCESS_PAGES;
	low = page & ~(granule - 1);
	there = at_hand(as, low, (u32)granule, write);
	readable = write ? at_hand(as, low, (u32)granule, false) : 0;
	while (first > low && !(there >> (first - 1 - low) & 1) && may_come(as, first - 1))
		first--;
	while (last + 1 < low + granule && !(there >> (last + 1 - low) & 1) &&
	       may_come(as, last + 1))
		last++;
	return vgpu_fault_raise(&as->mmu->faults, &as->faults,
				&(struct vgpu_fault_request){
					.kind = VGPU_PAGE_FAULT_PROCESS,
					.first = first,
					.pages = last - first + 1,
					.wanted = 1ull << (page - first),
					.readable = readable >> (first - low),
					.write = write,
					.sm = access->sm,
					.kernel = access->kernel,
					.counters = access->counters,
				});
}

/*
 * Prefetches in flight: what an address space may have, each VGPU_PROCESS_PAGES pages at most. What
 * is beyond is left to faults.
 */
#define PREFETCHES	4096u

/* Pages of one aligned run at a time. No transfer waits for them: that may take long. */
void vgpu_process_prefetch(struct vgpu_address_space *as, u64 address, u64 last, bool to_device,
			   u64 *next)
{
	u64 page = address >> VGPU_PAGE_SHIFT, end = page | (VGPU_PROCESS_PAGES - 1), there;
	struct vgpu_fault_request request = {
		.kind = VGPU_PAGE_FAULT_PROCESS,
		.prefetch = true,
		.write = true,
	};

	last = last < VGPU_SYSTEM_BASE ? last : VGPU_SYSTEM_BASE - 1;
	end = end < last >> VGPU_PAGE_SHIFT ? end : last >> VGPU_PAGE_SHIFT;
	there = at_hand(as, page, (u32)(end - page + 1), false);
	for (; page <= end && (there & 1 || !may_come(as, page)); there >>= 1)
		page++;
	request.first = page;
	for (; page <= end && !(there & 1) && may_come(as, page); there >>= 1)
		page++;
	request.pages = page - request.first;
	*next = page << VGPU_PAGE_SHIFT < last ? page << VGPU_PAGE_SHIFT : last + 1;
	if (!to_device || !request.pages || as->faults.prefetches >= PREFETCHES)
		return;
	request.wanted = ~0ull >> (VGPU_PROCESS_PAGES - request.pages);
	/* without memory for it SMs fault */
	vgpu_fault_raise(&as->mmu->faults, &as->faults, &request);
}

/*
 * A page of a fault in flight is not used before the fault has been served, also if the host has it
 * at hand already. Only one that could be read before a write raised the fault still can.
 */
static bool is_usable(const struct vgpu_address_space *as, const struct vgpu_page_fault *fault,
		      u64 page, bool write)
{
	if (fault && (write || !(fault->request.readable >> (page - fault->request.first) & 1)))
		return false;
	return at_hand(as, page, 1, write);
}

enum vgpu_access_result vgpu_process_fetch(struct vgpu_address_space *as,
					   const struct vgpu_access *access, u64 address)
{
	u64 page = address >> VGPU_PAGE_SHIFT;
	struct vgpu_page_fault *fault = vgpu_fault_at(&as->faults, page);

	if (is_usable(as, fault, page, access->kind != VGPU_ACCESS_LOAD))
		return VGPU_ACCESS_OK;
	if (!fault)
		return raise_fault(as, access, page) ? VGPU_ACCESS_FAULT : VGPU_ACCESS_PENDING;
	vgpu_fault_process_join(fault, page);
	return VGPU_ACCESS_PENDING;
}

u32 vgpu_process_lanes(const struct vgpu_address_space *as, const struct vgpu_access *access)
{
	u32 usable = 0;

	for (u32 lanes = as->process ? access->lanes : 0; lanes; lanes &= lanes - 1) {
		u64 address = access->address[__builtin_ctz(lanes)];
		u64 page = address >> VGPU_PAGE_SHIFT;

		if (address < VGPU_ADDRESS_LIMIT && !vgpu_ranges_at(&as->mappings, address) &&
		    is_usable(as, vgpu_fault_at(&as->faults, page), page,
			      access->kind != VGPU_ACCESS_LOAD))
			usable |= lanes & -lanes;
	}
	return usable;
}

/* ---- what the host has -------------------------------------------------- */

void vgpu_process_wants(const struct vgpu_page_fault *fault)
{
	const struct vgpu_address_space *as = vgpu_as_of_fault(fault);

	as->mmu->frames.ops.process_wants(as->mmu->frames.host, as->context);
}

bool vgpu_as_process_wanted(struct vgpu_address_space *as, struct vgpu_process_pages *pages)
{
	return vgpu_fault_process_wanted(&as->faults, pages);
}

void vgpu_as_process_came(struct vgpu_address_space *as, const struct vgpu_process_pages *pages)
{
	vgpu_fault_process_came(&as->faults, pages);
}

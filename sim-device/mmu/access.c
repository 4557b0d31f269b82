// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Accesses of SMs that miss the TLB; see access.h. A page that is not there is fetched: a fault is
 * raised for it, or is in flight already.
 */
#include "address_space.h"

struct vgpu_page_run vgpu_as_run(const struct vgpu_address_space *as,
				 const struct vgpu_range *mapping, u64 address, u64 *pte, u64 with,
				 u64 without)
{
	const struct vgpu_config *config = as->mmu->config;
	u64 granule = config->page_arrival_ps ? VGPU_PAGE_SIZE : config->fault_granule;
	u64 low = address & ~(granule - 1), high = low + granule - 1;
	u64 page = address >> VGPU_PAGE_SHIFT;
	struct vgpu_page_run run = { pte, page, 1 };

	mapping = vgpu_advice_part(as, mapping, address);
	low = (low < mapping->first ? mapping->first : low) >> VGPU_PAGE_SHIFT;
	high = (high > mapping->last ? mapping->last : high) >> VGPU_PAGE_SHIFT;
	while (run.first > low && (run.pte[-1] & (with | without)) == with) {
		run.first--;
		run.pte--;
		run.count++;
	}
	while (run.first + run.count <= high &&
	       (run.pte[run.count] & (with | without)) == with)
		run.count++;
	return run;
}

/* For pages of device memory, which are allocated where they are. */
static int raise_fault(struct vgpu_address_space *as, const struct vgpu_access *access,
		       const struct vgpu_range *mapping, u64 address, u64 *pte)
{
	struct vgpu_page_run run = vgpu_as_run(as, mapping, address, pte, 0,
					       as->mmu->there | VGPU_PTE_MOVING);
	struct vgpu_fault_request request = {
		.kind = VGPU_PAGE_FAULT_ALLOCATE,
		.first = run.first,
		.pages = run.count,
		.sm = access->sm,
		.kernel = access->kernel,
		.counters = access->counters,
		.mapping = mapping->first,
	};
	int err = vgpu_fault_raise(&as->mmu->faults, &as->faults, &request);

	if (err)
		return err;
	for (u64 n = 0; n < run.count; n++)
		run.pte[n] |= VGPU_PTE_MOVING;
	return 0;
}

/*
 * The page at @address, touched by an SM. OK: it is there, or not mapped, or managed and used where
 * it is, because of @in_place or of advice; PENDING: a fault for it is in flight, from now on if
 * need be; FAULT: there is no memory for one.
 */
static enum vgpu_access_result fetch_page(struct vgpu_address_space *as,
					  const struct vgpu_access *access, u64 address,
					  bool in_place)
{
	const struct vgpu_range *mapping;
	u64 *pte, entry, not_there = VGPU_PTE_MOVING;
	bool managed;
	int err;

	/* nothing is fetched for what will be refused */
	if (address >= VGPU_SYSTEM_BASE)
		return VGPU_ACCESS_OK;
	pte = vgpu_pte_find(&as->table, address);
	entry = pte ? *pte : 0;
	managed = entry & VGPU_PTE_MANAGED;
	if (access->kind != VGPU_ACCESS_LOAD)
		not_there |= VGPU_PTE_DUPLICATE;
	if (managed && (in_place || (entry & VGPU_PTE_FRAME && !(entry & not_there))))
		return VGPU_ACCESS_OK;
	if (!managed && entry & as->mmu->there)
		return VGPU_ACCESS_OK;
	if (entry & VGPU_PTE_MOVING)
		return VGPU_ACCESS_PENDING;
	mapping = vgpu_ranges_at(&as->mappings, address);
	managed = mapping && mapping->value == VGPU_MAPPING_MANAGED;
	if (!mapping && as->process)
		return vgpu_process_fetch(as, access, address);
	if (!mapping || vgpu_range_on_host(mapping) || vgpu_range_view(mapping) ||
	    (managed ? in_place || vgpu_advice_in_place(as, address, entry) : !as->mmu->there))
		return VGPU_ACCESS_OK;
	if (!pte)
		pte = vgpu_pte_make(as->mmu, &as->table, address);
	if (!pte)
		return VGPU_ACCESS_FAULT;
	err = managed ? vgpu_managed_raise(as, access, mapping, address, pte) :
			raise_fault(as, access, mapping, address, pte);
	return err ? VGPU_ACCESS_FAULT : VGPU_ACCESS_PENDING;
}

/*
 * All pages of @access from access->lane on. The waiter waits for the last that is not there: when
 * it is woken, the access mostly needs no page more.
 */
static enum vgpu_access_result fetch_pages(struct vgpu_address_space *as,
					   const struct vgpu_access *access,
					   struct vgpu_page_waiter *waiter, bool in_place)
{
	u64 page = ~0ull;	/* of the lane before */

	for (u32 lanes = access->lanes & ~0u << access->lane; lanes; lanes &= lanes - 1) {
		u64 address = access->address[__builtin_ctz(lanes)];
		enum vgpu_access_result result;

		if (address >> VGPU_PAGE_SHIFT == page)
			continue;
		page = address >> VGPU_PAGE_SHIFT;
		result = fetch_page(as, access, address, in_place);
		if (result == VGPU_ACCESS_FAULT) {
			vgpu_page_waiter_cancel(waiter);
			return result;
		}
		if (result == VGPU_ACCESS_PENDING)
			vgpu_fault_wait(&as->faults, page, waiter);
	}
	return vgpu_list_linked(&waiter->node) ? VGPU_ACCESS_PENDING : VGPU_ACCESS_OK;
}

/*
 * Pages of an access may go again while others come: to the host, or because there is no room for
 * all. After so many rounds it is made where its managed pages are, of which there are at most one
 * for each lane, with a call each.
 */
#define ROUNDS	4u

static enum vgpu_access_result fetch(struct vgpu_address_space *as,
				     const struct vgpu_access *access,
				     struct vgpu_page_waiter *waiter,
				     struct vgpu_access_answer *answer)
{
	u64 first = access->address[__builtin_ctz(access->lanes)], raised = as->faults.raised;
	enum vgpu_access_result result;
	bool in_place;

	/* the one before may have found its pages in the TLB, where others have entered them */
	if (waiter->access != first)
		waiter->waits = 0;
	waiter->access = first;
	in_place = waiter->waits > ROUNDS;
	result = fetch_pages(as, access, waiter, in_place);
	answer->faults = (u32)(as->faults.raised - raised);
	if (in_place)
		waiter->waits = waiter->waits == ROUNDS + 1 ? 0 : waiter->waits - 1;
	else if (result == VGPU_ACCESS_PENDING)
		waiter->waits = waiter->waits == ROUNDS - 1 ? ROUNDS + 32 : waiter->waits + 1;
	else
		waiter->waits = 0;
	return result;
}

/* Does a lane of @access use a page that @waiter waited for in vain? Then @answer says why. */
static bool is_refused(const struct vgpu_access *access, const struct vgpu_page_waiter *waiter,
		       struct vgpu_access_answer *answer)
{
	u64 pages = waiter->refused | waiter->no_memory;

	for (u32 lanes = access->lanes; pages && lanes; lanes &= lanes - 1) {
		u32 n = (u32)__builtin_ctz(lanes);
		u64 page = (access->address[n] >> VGPU_PAGE_SHIFT) - waiter->first;

		if (page >= VGPU_PROCESS_PAGES || !(pages >> page & 1))
			continue;
		answer->lane = n;
		answer->fault = waiter->refused >> page & 1 ? VGPU_FAULT_UNMAPPED :
							      VGPU_FAULT_NO_MEMORY;
		return true;
	}
	return false;
}

/*
 * How long the SM waits for the translation of the page at @address, which the table has given it
 * as @found. After that: it may have invalidated what TLBs have of the page.
 */
static u64 translation_time(struct vgpu_address_space *as, const struct vgpu_access *access,
			    enum vgpu_translation found)
{
	struct vgpu_mmu *mmu = as->mmu;
	u64 now = mmu->faults.sim->now, wait = 0, time;

	as->translations.misses++;
	if (likely(!mmu->l2_tlb.entries) || found >= VGPU_XLATE_UNMAPPED) {
		as->translations.walks++;
		return mmu->config->page_walk_ps;
	}
	if (access->l1)
		wait = vgpu_l1_wait(access->l1, now, access->elapsed);
	/* no TLB has pages of the process */
	time = vgpu_l2_tlb_lookup(&mmu->l2_tlb, as->context,
				  access->address[access->lane] >> VGPU_PAGE_SHIFT, now,
				  access->elapsed + wait, found != VGPU_XLATE_PROCESS,
				  &as->translations);
	if (access->l1)
		vgpu_l1_miss(access->l1, access->in_order ? now + access->elapsed : now, time);
	as->translations.waited += access->waited + wait;
	return wait + time;
}

bool vgpu_mmu_walks(const struct vgpu_address_space *as)
{
	return !as->mmu->there && !as->mmu->l2_tlb.entries && !as->managed;
}

u8 *vgpu_mmu_walk(const struct vgpu_address_space *as, u64 address)
{
	const u64 *pte;

	if (!vgpu_mmu_walks(as) || address >= VGPU_ADDRESS_LIMIT)
		return NULL;
	pte = vgpu_pte_find(&as->table, address);
	/* one that is only read is not found here: the answer does not depend on what is done */
	if (!pte || (*pte & (VGPU_PTE_FRAME | VGPU_PTE_SYSTEM | VGPU_PTE_READ_ONLY)) !=
			    VGPU_PTE_FRAME)
		return NULL;
	/* no page of @as is managed, so it does not matter when it is used */
	return vgpu_frame_at(&as->mmu->frames, vgpu_pte_number(*pte))->memory;
}

bool vgpu_mmu_finds(const struct vgpu_address_space *as, const struct vgpu_page_waiter *waiter,
		    u32 lanes, const u64 *address)
{
	u64 page = ~0ull;	/* of the lane before */

	/* what it waited for in vain decides, also if something has been mapped there since */
	if (as->process && (waiter->refused | waiter->no_memory | waiter->waits))
		return false;
	for (; lanes; lanes &= lanes - 1) {
		u64 at = address[__builtin_ctz(lanes)];

		if (at >> VGPU_PAGE_SHIFT == page)
			continue;
		page = at >> VGPU_PAGE_SHIFT;
		if (!vgpu_mmu_walk(as, at))
			return false;
	}
	return true;
}

bool vgpu_mmu_walks_first(const struct vgpu_address_space *as)
{
	return !as->process;
}

void vgpu_mmu_walked(struct vgpu_address_space *as, u64 walks)
{
	as->translations.misses += walks;
	as->translations.walks += walks;
}

static enum vgpu_access_result make_access(struct vgpu_address_space *as,
					   const struct vgpu_access *access,
					   struct vgpu_page_waiter *waiter,
					   struct vgpu_access_answer *answer)
{
	enum vgpu_access_result result = VGPU_ACCESS_OK;
	enum vgpu_translation found;

	answer->cost_ps = 0;
	answer->frame = 0;
	answer->in_place = false;
	answer->process = false;
	answer->fault = VGPU_FAULT_NO_MEMORY;
	answer->lane = access->lane;
	answer->faults = 0;
	if (unlikely(as->process)) {
		if (is_refused(access, waiter, answer))
			return VGPU_ACCESS_FAULT;
		/* another access may find what this one did not */
		waiter->refused = 0;
		waiter->no_memory = 0;
	}
	if (unlikely(as->mmu->there || as->managed || as->process))
		result = fetch(as, access, waiter, answer);
	if (unlikely(result != VGPU_ACCESS_OK)) {
		/* nothing is entered: the page of @lane or another one is not there */
		if (result == VGPU_ACCESS_PENDING && access->walks)
			answer->cost_ps = translation_time(as, access, VGPU_XLATE_PROCESS);
		return result;
	}
	found = vgpu_as_translate(as, access->address[access->lane],
				  access->kind != VGPU_ACCESS_LOAD, &answer->page);
	if (likely(!access->translated))
		answer->cost_ps = translation_time(as, access, found);
	if (unlikely(as->resident.compressed) && found == VGPU_XLATE_OK && !access->translated)
		answer->cost_ps += vgpu_compressed_time(
			as->mmu, vgpu_as_frame_number(as, access->address[access->lane]));
	switch (found) {
	case VGPU_XLATE_IN_PLACE:
		answer->in_place = true;
		return VGPU_ACCESS_OK;
	case VGPU_XLATE_OK:
		if (unlikely(as->mmu->frames.cache_ops))
			answer->frame = vgpu_as_frame_number(
				as, access->address[access->lane]);
		return VGPU_ACCESS_OK;
	case VGPU_XLATE_PROCESS:
		answer->in_place = true;
		answer->process = true;
		return VGPU_ACCESS_OK;
	case VGPU_XLATE_UNMAPPED:
		answer->fault = VGPU_FAULT_UNMAPPED;
		return VGPU_ACCESS_FAULT;
	case VGPU_XLATE_SYSTEM:
		answer->fault = VGPU_FAULT_SYSTEM;
		return VGPU_ACCESS_FAULT;
	default:
		return VGPU_ACCESS_FAULT;
	}
}

/* What translations of @as have cost since they were @before is that of a launch. */
static void count(struct vgpu_counters *counters, const struct vgpu_translations *now,
		  const struct vgpu_translations *before)
{
	counters->value[VGPU_COUNT_TLB_MISSES] += now->misses - before->misses;
	counters->value[VGPU_COUNT_L2_TLB_HITS] += now->l2_hits - before->l2_hits;
	counters->value[VGPU_COUNT_L2_TLB_MISSES] += now->l2_misses - before->l2_misses;
	counters->value[VGPU_COUNT_PAGE_WALKS] += now->walks - before->walks;
	counters->value[VGPU_COUNT_PAGE_WALK_WAIT] += now->waited - before->waited;
}

enum vgpu_access_result vgpu_mmu_access(struct vgpu_address_space *as,
					const struct vgpu_access *access,
					struct vgpu_page_waiter *waiter,
					struct vgpu_access_answer *answer)
{
	struct vgpu_translations before;
	enum vgpu_access_result result;

	if (likely(!access->counters))
		return make_access(as, access, waiter, answer);
	before = as->translations;
	result = make_access(as, access, waiter, answer);
	count(access->counters, &as->translations, &before);
	return result;
}

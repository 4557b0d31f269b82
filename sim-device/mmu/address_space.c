// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Address spaces: what a context has mapped (ranges in a tree), where its pages are, and the
 * translation of a page, which gives it its frame at the first write. A page of a mapping without
 * an entry in the page table was never written.
 *
 * Whatever takes a translation back (an unmap, the first write of a page that was read as zeros,
 * the end of the address space) invalidates that range in the TLBs that serve the address space.
 */
#include "../sim/text.h"
#include "allocation.h"

/*
 * What a page reads as that was never written. Constant: a write through it is a bug that ends the
 * program.
 */
const u8 vgpu_zero_page[VGPU_PAGE_SIZE] __attribute__((aligned(4096)));

/*
 * A promise is counted when memory is mapped, so that a program is told at once that there is not
 * enough, as on a card; the host gives a frame only when a page is first written.
 */
int vgpu_promise(struct vgpu_mmu *mmu, u64 bytes)
{
	if (bytes > mmu->config->vram_bytes - mmu->promised)
		return -ENOMEM;
	mmu->promised += bytes;
	return 0;
}

void vgpu_unpromise(struct vgpu_mmu *mmu, u64 bytes)
{
	if (VGPU_CHECK(mmu->promised >= bytes))
		mmu->promised -= bytes;
}

int vgpu_as_create(struct vgpu_mmu *mmu, u32 context, struct vgpu_mem_account *memory,
		   struct vgpu_address_space **out)
{
	struct vgpu_address_space *as = vgpu_mem_alloc(memory, sizeof(*as));

	if (!as)
		return -ENOMEM;
	as->mmu = mmu;
	as->context = context;
	as->memory = memory;
	as->table.memory = memory;
	as->mappings.memory = memory;
	as->advice.memory = memory;
	vgpu_list_init(&as->tlbs);
	vgpu_list_init(&as->views);
	vgpu_resident_init(&as->resident);
	vgpu_fault_space_init(&as->faults, context, memory);
	*out = as;
	return 0;
}

/* Returns what remains of @left: see struct vgpu_pte_clearing. */
static u64 clear_entries(struct vgpu_address_space *as, u64 address, u64 bytes, u64 left)
{
	struct vgpu_pte_clearing clearing = { .left = left };

	vgpu_pte_clear(as->mmu, &as->table, address, bytes, &clearing);
	as->frames -= clearing.frames;
	as->on_host -= clearing.on_host;
	as->mmu->on_host -= clearing.on_host;
	return clearing.left;
}

void vgpu_as_destroy(struct vgpu_address_space *as)
{
	struct vgpu_tlb *tlb;

	if (!as)
		return;
	while ((tlb = vgpu_list_first(&as->tlbs, struct vgpu_tlb, node)))
		vgpu_tlb_leave(tlb);
	vgpu_l2_tlb_invalidate(&as->mmu->l2_tlb, as->context, 0,
			       VGPU_ADDRESS_LIMIT >> VGPU_PAGE_SHIFT);
	vgpu_faults_cancel(&as->mmu->faults, &as->faults, 0, VGPU_ADDRESS_LIMIT >> VGPU_PAGE_SHIFT,
			   ~0ull);
	vgpu_fault_space_fini(&as->faults);
	clear_entries(as, 0, VGPU_ADDRESS_LIMIT, ~0ull);
	vgpu_views_drop(as, ~0ull);
	VGPU_CHECK(!as->on_host && !as->resident.frames && !as->viewed);
	vgpu_unpromise(as->mmu, as->mapped);
	vgpu_ranges_free(&as->mappings);
	vgpu_ranges_free(&as->advice);
	vgpu_mem_free(as->memory, as, sizeof(*as));
}

void vgpu_as_invalidate(struct vgpu_address_space *as, u64 address, u64 bytes)
{
	struct vgpu_tlb *tlb;

	/* who reads it meanwhile has nothing of these pages: see vgpu_as_stays() */
	__atomic_store_n(&as->changes, as->changes + 1, __ATOMIC_RELAXED);
	vgpu_list_for_each(tlb, &as->tlbs, struct vgpu_tlb, node)
		vgpu_tlb_invalidate(tlb, address, bytes);
	vgpu_l2_tlb_invalidate(&as->mmu->l2_tlb, as->context, address >> VGPU_PAGE_SHIFT,
			       bytes >> VGPU_PAGE_SHIFT);
}

void vgpu_tlb_serve(struct vgpu_tlb *tlb, struct vgpu_address_space *as)
{
	if (tlb->as == as)
		return;
	vgpu_tlb_leave(tlb);
	vgpu_tlb_flush(tlb);
	tlb->as = as;
	vgpu_list_add(&tlb->node, &as->tlbs);
}

static bool range_is_valid(u64 address, u64 bytes)
{
	return bytes && !((address | bytes) & (VGPU_PAGE_SIZE - 1)) &&
	       bytes <= VGPU_ADDRESS_LIMIT && address <= VGPU_ADDRESS_LIMIT - bytes;
}

int vgpu_as_add_mapping(struct vgpu_address_space *as, u64 address, u64 bytes, u64 value)
{
	struct vgpu_range range = { address, address + bytes - 1, value };
	int err;

	if (!range_is_valid(address, bytes))
		return -EINVAL;
	if (vgpu_is_system(address + bytes - 1))
		return -EEXIST;
	if (as->mappings.count >= VGPU_MAPPINGS_MAX)
		return -ENOMEM;
	err = vgpu_ranges_add(&as->mappings, &range);
	if (err)
		return err;
	/* of what was memory of the process up to now */
	if (as->process)
		vgpu_faults_cancel(&as->mmu->faults, &as->faults, address >> VGPU_PAGE_SHIFT,
				   bytes >> VGPU_PAGE_SHIFT, ~0ull);
	return 0;
}

/* It has more managed memory, or less. */
static void tell_mapped(struct vgpu_address_space *as)
{
	if (as->pressure)
		as->mmu->pressure_ops->mapped(as->pressure);
}

int vgpu_as_map(struct vgpu_address_space *as, u64 address, u64 bytes,
		enum vgpu_mapping_kind kind)
{
	int err;

	if (kind != VGPU_MAPPING_DEVICE && range_is_valid(address, bytes) &&
	    !vgpu_is_system(address + bytes - 1) && !as->mmu->frames.ops.managed_page)
		return -EOPNOTSUPP;
	err = vgpu_as_add_mapping(as, address, bytes, kind);
	if (err)
		return err;
	if (kind == VGPU_MAPPING_MANAGED) {
		as->managed += bytes;
		tell_mapped(as);
		return 0;
	}
	if (kind != VGPU_MAPPING_DEVICE)
		return 0;
	err = vgpu_promise(as->mmu, bytes);
	if (err)
		vgpu_ranges_remove(&as->mappings, address, address + bytes - 1);
	else
		as->mapped += bytes;
	return err;
}

void vgpu_as_set_pressure(struct vgpu_address_space *as, struct vgpu_pressure *pressure)
{
	as->pressure = pressure;
}

u64 vgpu_as_managed_bytes(const struct vgpu_address_space *as)
{
	return as->managed;
}

bool vgpu_as_clear(struct vgpu_address_space *as, u64 address, u64 bytes, u64 most)
{
	u64 left = most;

	/* Before the entries go. A page whose entry stays may be touched, and fault, again. */
	left -= vgpu_faults_cancel(&as->mmu->faults, &as->faults, address >> VGPU_PAGE_SHIFT,
				   bytes >> VGPU_PAGE_SHIFT, most);
	if (!left)
		return false;
	left = clear_entries(as, address, bytes, left);
	vgpu_as_invalidate(as, address, bytes);
	return left;
}

bool vgpu_as_drop(struct vgpu_address_space *as, u64 most)
{
	return vgpu_as_clear(as, 0, VGPU_ADDRESS_LIMIT, most) && vgpu_views_drop(as, most);
}

int vgpu_as_unmap(struct vgpu_address_space *as, u64 address, u64 bytes, u64 most)
{
	const struct vgpu_range *range;
	u64 kind;

	if (!range_is_valid(address, bytes))
		return -EINVAL;
	range = vgpu_ranges_at(&as->mappings, address);
	if (!range || range->first != address || range->last != address + bytes - 1)
		return -ENOENT;
	kind = range->value;
	if (!vgpu_as_clear(as, address, bytes, most) || !vgpu_advice_forget(as, range, most))
		return -EAGAIN;
	if (vgpu_range_view(range))
		return vgpu_view_remove(as, vgpu_range_view(range), &most) ? 0 : -EAGAIN;
	if (!VGPU_CHECK(!vgpu_ranges_remove(&as->mappings, address, address + bytes - 1)))
		return -ENOENT;
	if (kind == VGPU_MAPPING_MANAGED) {
		as->managed -= bytes;
		if (as->pressure)
			as->mmu->pressure_ops->unmapped(as->pressure, address);
		tell_mapped(as);
		return 0;
	}
	if (kind != VGPU_MAPPING_DEVICE)
		return 0;
	as->mapped -= bytes;
	vgpu_unpromise(as->mmu, bytes);
	return 0;
}

u64 vgpu_as_mapped_bytes(const struct vgpu_address_space *as)
{
	return as->mapped + as->managed + as->viewed;
}

u64 vgpu_as_managed_mapping(const struct vgpu_address_space *as, u64 address)
{
	const struct vgpu_range *mapping = vgpu_ranges_at(&as->mappings, address);

	return mapping && mapping->value == VGPU_MAPPING_MANAGED ? mapping->first : 0;
}

bool vgpu_as_is_managed(const struct vgpu_address_space *as, u64 address)
{
	const struct vgpu_range *mapping = vgpu_ranges_at(&as->mappings, address);

	return mapping && mapping->value == VGPU_MAPPING_MANAGED;
}

const struct vgpu_migrated *vgpu_as_migrated(const struct vgpu_address_space *as)
{
	return &as->migrated;
}

const struct vgpu_fault_space *vgpu_as_faults(const struct vgpu_address_space *as)
{
	return &as->faults;
}

const struct vgpu_translations *vgpu_as_translations(const struct vgpu_address_space *as)
{
	return &as->translations;
}

u64 vgpu_as_resident_bytes(const struct vgpu_address_space *as)
{
	return as->frames << VGPU_PAGE_SHIFT;
}

u64 vgpu_as_managed_resident(const struct vgpu_address_space *as)
{
	return as->resident.frames << VGPU_PAGE_SHIFT;
}

u64 vgpu_as_compressed_pages(const struct vgpu_address_space *as)
{
	return as->resident.compressed;
}

u64 vgpu_as_managed_vram(const struct vgpu_address_space *as)
{
	return as->resident.units * VGPU_LCP_UNIT;
}

const struct vgpu_compression_counts *vgpu_as_compression(const struct vgpu_address_space *as)
{
	return &as->compression;
}

u64 vgpu_as_managed_on_host(const struct vgpu_address_space *as)
{
	return as->on_host << VGPU_PAGE_SHIFT;
}

bool vgpu_as_is_device(const struct vgpu_address_space *as, u64 first, u64 last)
{
	const struct vgpu_range *mapping = vgpu_ranges_at(&as->mappings, first);

	return mapping && mapping->value == VGPU_MAPPING_DEVICE && last <= mapping->last;
}

u64 vgpu_as_changes(const struct vgpu_address_space *as)
{
	return __atomic_load_n(&as->changes, __ATOMIC_RELAXED);
}

bool vgpu_as_stays(const struct vgpu_address_space *as)
{
	return !as->mmu->there && !as->managed && !as->has_zeros;
}

enum vgpu_page_state vgpu_as_page_state(const struct vgpu_address_space *as, u64 address)
{
	const struct vgpu_range *mapping;
	const u64 *pte;

	mapping = address < VGPU_ADDRESS_LIMIT ? vgpu_ranges_at(&as->mappings, address) : NULL;
	if (!mapping)
		return VGPU_PAGE_UNMAPPED;
	if (vgpu_range_on_host(mapping))
		return VGPU_PAGE_HOST;
	pte = vgpu_pte_find(&as->table, address);
	if (!pte)
		return VGPU_PAGE_UNWRITTEN;
	if (*pte & VGPU_PTE_MOVING)
		return VGPU_PAGE_MOVING;
	if (*pte & VGPU_PTE_FRAME)
		return VGPU_PAGE_FRAME;
	return *pte & VGPU_PTE_HOST ? VGPU_PAGE_HOST : VGPU_PAGE_UNWRITTEN;
}

u64 vgpu_as_frame_number(const struct vgpu_address_space *as, u64 address)
{
	const u64 *pte = address < VGPU_ADDRESS_LIMIT ? vgpu_pte_find(&as->table, address) : NULL;

	return pte && (*pte & VGPU_PTE_FRAME) ? vgpu_pte_number(*pte) : 0;
}

const struct vgpu_frame *vgpu_as_frame(const struct vgpu_address_space *as, u64 address)
{
	u64 number = vgpu_as_frame_number(as, address);

	return number ? vgpu_frame_at(&as->mmu->frames, number) : NULL;
}

void vgpu_as_flush(const struct vgpu_address_space *as, u64 address, bool write)
{
	u64 number = unlikely(as->mmu->frames.cache_ops) ? vgpu_as_frame_number(as, address) : 0;

	if (!number)
		return;
	vgpu_frame_flush(&as->mmu->frames, number, write);
	if (unlikely(write && as->mmu->frames.compressed))
		vgpu_compressed_written(as->mmu, number);
}

enum vgpu_translation vgpu_as_translate(struct vgpu_address_space *as, u64 address, bool write,
					u8 **page)
{
	const struct vgpu_range *mapping = NULL;
	u64 *pte, number;

	if (unlikely(address >= VGPU_ADDRESS_LIMIT))
		return VGPU_XLATE_UNMAPPED;
	pte = vgpu_pte_find(&as->table, address);
	/* the entry of the system page has the bit also before it is made */
	if (unlikely(pte && *pte ? *pte & VGPU_PTE_SYSTEM : vgpu_is_system(address)))
		return VGPU_XLATE_SYSTEM;
	if (pte && (*pte & VGPU_PTE_FRAME)) {
		if (unlikely(write && *pte & VGPU_PTE_READ_ONLY))
			return VGPU_XLATE_UNMAPPED;
		if (unlikely(write && *pte & VGPU_PTE_DUPLICATE))
			vgpu_managed_claim(as, address, pte);
		*page = vgpu_frame_use(&as->mmu->frames, vgpu_pte_number(*pte), write);
		/* with caches it is known when it is written */
		if (unlikely(write && as->mmu->frames.compressed) && !as->mmu->frames.cache_ops)
			vgpu_compressed_written(as->mmu, vgpu_pte_number(*pte));
		return VGPU_XLATE_OK;
	}
	/* Entries exist only inside mappings: unmap clears them. */
	if (!(pte && *pte)) {
		mapping = vgpu_ranges_at(&as->mappings, address);
		if (!mapping)
			return as->process ? VGPU_XLATE_PROCESS : VGPU_XLATE_UNMAPPED;
		if (vgpu_range_on_host(mapping)) {
			if (write && mapping->value == VGPU_MAPPING_HOST_READ)
				return VGPU_XLATE_UNMAPPED;
			*page = vgpu_host_bytes(as, address);
			return *page ? VGPU_XLATE_IN_PLACE : VGPU_XLATE_NO_FRAME;
		}
		if (vgpu_range_view(mapping))
			return vgpu_view_translate(as, vgpu_range_view(mapping), address, write,
						   pte, page);
	}
	if (!pte)
		pte = vgpu_pte_make(as->mmu, &as->table, address);
	if (!pte)
		return VGPU_XLATE_NO_FRAME;
	if (*pte & VGPU_PTE_MANAGED || (mapping && mapping->value == VGPU_MAPPING_MANAGED)) {
		*page = vgpu_managed_bytes(as, address, pte, write);
		return *page ? VGPU_XLATE_IN_PLACE : VGPU_XLATE_NO_FRAME;
	}
	if (!write) {
		*pte |= VGPU_PTE_READ_ZERO;
		as->has_zeros = true;
		*page = (u8 *)(unsigned long)vgpu_zero_page;
		return VGPU_XLATE_OK;
	}
	address &= ~(u64)(VGPU_PAGE_SIZE - 1);
	number = vgpu_frame_get(&as->mmu->frames, as, as->context, address);
	if (!number)
		return VGPU_XLATE_NO_FRAME;
	/* A TLB that still has the page of zeros would not see what is written now. */
	if (*pte & VGPU_PTE_READ_ZERO) {
		vgpu_as_invalidate(as, address, VGPU_PAGE_SIZE);
		vgpu_frame_replace(&as->mmu->frames);
	}
	*pte &= VGPU_PTE_MOVING | VGPU_PTE_SERVED;
	*pte |= number << VGPU_PTE_NUMBER_SHIFT | VGPU_PTE_FRAME;
	as->frames++;
	*page = vgpu_frame_use(&as->mmu->frames, number, true);
	return VGPU_XLATE_OK;
}

/* ---- all of it ---------------------------------------------------------- */

static void fault_ended(const struct vgpu_page_fault *fault, bool served)
{
	u64 *pte;

	if (fault->request.kind == VGPU_PAGE_FAULT_PROCESS)
		return;
	if (fault->request.kind != VGPU_PAGE_FAULT_ALLOCATE) {
		vgpu_managed_ended(fault, served);
		return;
	}
	/* pages of a granule are in one table */
	pte = vgpu_pte_find(&vgpu_as_of_fault(fault)->table,
			    fault->request.first << VGPU_PAGE_SHIFT);
	if (!VGPU_CHECK(pte))
		return;
	for (u64 n = 0; n < fault->request.pages; n++) {
		pte[n] &= ~VGPU_PTE_MOVING;
		pte[n] |= served ? VGPU_PTE_SERVED : 0;
	}
}

static const struct vgpu_fault_ops fault_ops = {
	.move = vgpu_managed_move,
	.ended = fault_ended,
	.local = vgpu_system_handles,
	.process_wants = vgpu_process_wants,
};

#define EVENTS	2	/* settle, check */

int vgpu_mmu_init(struct vgpu_mmu *mmu, struct vgpu_sim *sim, const struct vgpu_trace *trace,
		  const struct vgpu_config *config, const struct vgpu_frame_ops *ops, void *host)
{
	memset(mmu, 0, sizeof(*mmu));
	mmu->config = config;
	vgpu_frames_init(&mmu->frames, ops, host);
	vgpu_mmu_update(mmu);
	vgpu_faults_init(&mmu->faults, sim, trace, config, &fault_ops);
	mmu->settle.fire = vgpu_compressed_settle;
	mmu->check.fire = vgpu_compressed_check;
	if (vgpu_event_reserve(sim, EVENTS))
		return -ENOMEM;
	mmu->reserved = true;
	return vgpu_l2_tlb_init(&mmu->l2_tlb, config);
}

void vgpu_mmu_update(struct vgpu_mmu *mmu)
{
	bool lazy = vgpu_text_is(mmu->config->allocation, "lazy");

	/* the test: each page of device memory comes late, once, also what a copy has written */
	mmu->there = mmu->config->page_arrival_ps ? VGPU_PTE_SERVED :
		     lazy			  ? VGPU_PTE_FRAME | VGPU_PTE_SERVED :
						    0;
}

void vgpu_mmu_fini(struct vgpu_mmu *mmu)
{
	VGPU_CHECK(!mmu->promised && !mmu->page_tables && !mmu->on_host && !mmu->allocations);
	if (mmu->reserved) {
		vgpu_event_cancel(mmu->faults.sim, &mmu->settle);
		vgpu_event_cancel(mmu->faults.sim, &mmu->check);
		vgpu_event_release(mmu->faults.sim, EVENTS);
	}
	vgpu_l2_tlb_fini(&mmu->l2_tlb);
	vgpu_frames_fini(&mmu->frames);
	vgpu_faults_fini(&mmu->faults);
}

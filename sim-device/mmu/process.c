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

/* It may have gone when this returns. */
static bool is_there(const struct vgpu_address_space *as, u64 address, bool write)
{
	bool there;

	vgpu_process_hold(as);
	there = vgpu_process_page(as, address, write);
	vgpu_process_release(as);
	return there;
}

enum vgpu_access_result vgpu_process_fetch(struct vgpu_address_space *as,
					   const struct vgpu_access *access, u64 address)
{
	u64 page = address >> VGPU_PAGE_SHIFT;
	struct vgpu_fault_request request = {
		.kind = VGPU_PAGE_FAULT_PROCESS,
		.first = page,
		.pages = 1,
		.write = access->kind != VGPU_ACCESS_LOAD,
		.sm = access->sm,
		.kernel = access->kernel,
	};

	if (is_there(as, address, request.write))
		return VGPU_ACCESS_OK;
	if (!vgpu_fault_at(&as->faults, page) &&
	    vgpu_fault_raise(&as->mmu->faults, &as->faults, &request))
		return VGPU_ACCESS_FAULT;
	return VGPU_ACCESS_PENDING;
}

/* ---- what the host has -------------------------------------------------- */

void vgpu_process_wants(const struct vgpu_page_fault *fault)
{
	const struct vgpu_address_space *as = vgpu_as_of_fault(fault);

	as->mmu->frames.ops.process_wants(as->mmu->frames.host, as->context);
}

bool vgpu_as_process_wanted(struct vgpu_address_space *as, u64 *address, bool *write)
{
	const struct vgpu_page_fault *fault = vgpu_fault_process_wanted(&as->faults);

	if (!fault)
		return false;
	*address = fault->request.first << VGPU_PAGE_SHIFT;
	*write = fault->request.write;
	return true;
}

void vgpu_as_process_came(struct vgpu_address_space *as, u64 address, bool there)
{
	vgpu_fault_process_came(&as->faults, address >> VGPU_PAGE_SHIFT, there);
}

// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Faults for memory of a process. Which pages there are only the host can say, and it may take as
 * long as it likes: a fault of this kind is served when it has been handled, in virtual time, and
 * the host has answered for all pages of it that were accessed meanwhile.
 *
 * With these come the others of the run, if the process has them. They are at hand when the host
 * has answered, and until the fault has been served nobody uses them (mmu/process.c): so when they
 * can be used does not depend on when that was.
 */
#include "fault.h"

static u64 answered(const struct vgpu_page_fault *fault)
{
	return fault->there | fault->refused | fault->no_memory;
}

/* The host may be told of it: it is in the buffer, or it is none of an SM. */
static bool may_ask(const struct vgpu_page_fault *fault)
{
	return fault->entered || fault->request.prefetch;
}

/* Handled and answered: what is left is the way back. */
static void serve_later(struct vgpu_page_fault *fault)
{
	struct vgpu_faults *faults = fault->faults;

	if (!fault->moving || fault->returning || fault->request.wanted & ~answered(fault))
		return;
	fault->returning = true;
	vgpu_event_after(faults->sim, &fault->event,
			 vgpu_fault_notice(faults, fault, faults->sim->now));
}

void vgpu_fault_process_handled(struct vgpu_page_fault *fault)
{
	fault->moving = true;
	serve_later(fault);
}

void vgpu_fault_process_join(struct vgpu_page_fault *fault, u64 page)
{
	u64 bit = 1ull << (page - fault->request.first);

	if (fault->returning || fault->request.wanted & bit)
		return;
	fault->request.wanted |= bit;
	if (may_ask(fault) && !fault->asked && !(answered(fault) & bit))
		fault->faults->ops->process_wants(fault);
}

bool vgpu_fault_process_wanted(const struct vgpu_fault_space *space,
			       struct vgpu_process_pages *pages)
{
	struct vgpu_page_fault *fault;

	vgpu_list_for_each(fault, &space->faults, struct vgpu_page_fault, space_node) {
		if (fault->request.kind != VGPU_PAGE_FAULT_PROCESS || fault->asked ||
		    !(fault->request.wanted & ~answered(fault)))
			continue;
		if (!may_ask(fault)) {
			/* SMs' enter in the order in which they were raised, prefetches do not */
			if (!space->prefetches)
				return false;
			continue;
		}
		fault->asked = true;
		*pages = (struct vgpu_process_pages){
			.address = fault->request.first << VGPU_PAGE_SHIFT,
			.pages = (u32)fault->request.pages,
			.write = fault->request.write,
			.prefetch = fault->request.prefetch,
			.wanted = fault->request.wanted & ~answered(fault),
		};
		return true;
	}
	return false;
}

void vgpu_fault_process_came(struct vgpu_fault_space *space, const struct vgpu_process_pages *pages)
{
	struct vgpu_page_fault *fault = vgpu_fault_at(space, pages->address >> VGPU_PAGE_SHIFT);

	/* it may have been cancelled meanwhile, or be another one, which was not asked for */
	if (!fault || !fault->asked || fault->request.first != pages->address >> VGPU_PAGE_SHIFT)
		return;
	fault->asked = false;
	fault->there |= pages->there;
	fault->no_memory |= pages->no_memory & ~answered(fault);
	fault->refused |= pages->wanted & ~answered(fault);
	if (fault->request.wanted & ~answered(fault))
		fault->faults->ops->process_wants(fault);
	else
		serve_later(fault);
}

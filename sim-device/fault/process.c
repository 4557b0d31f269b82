// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Faults for memory of a process. Whether there is a page only the host can say, and it may take as
 * long as it likes: a fault of this kind is served when it has been handled, in virtual time, and
 * the host has answered.
 */
#include "fault.h"

/* Handled and answered: what is left is the way back. */
static void serve_later(struct vgpu_page_fault *fault)
{
	struct vgpu_faults *faults = fault->faults;

	vgpu_event_after(faults->sim, &fault->event, vgpu_fault_notice(faults, fault));
}

void vgpu_fault_process_handled(struct vgpu_page_fault *fault)
{
	fault->moving = true;
	if (fault->answer != VGPU_PROCESS_UNKNOWN)
		serve_later(fault);
}

struct vgpu_page_fault *vgpu_fault_process_wanted(const struct vgpu_fault_space *space)
{
	struct vgpu_page_fault *fault;

	vgpu_list_for_each(fault, &space->faults, struct vgpu_page_fault, space_node) {
		if (fault->request.kind != VGPU_PAGE_FAULT_PROCESS || fault->asked)
			continue;
		/* they enter in the order in which they were raised */
		if (!fault->entered)
			return NULL;
		fault->asked = true;
		return fault;
	}
	return NULL;
}

void vgpu_fault_process_came(struct vgpu_fault_space *space, u64 page, bool there)
{
	struct vgpu_page_fault *fault = vgpu_fault_at(space, page);

	/* it may have been cancelled meanwhile, or be another one, which was not asked for */
	if (!fault || !fault->asked || fault->answer != VGPU_PROCESS_UNKNOWN)
		return;
	fault->answer = there ? VGPU_PROCESS_THERE : VGPU_PROCESS_REFUSED;
	if (fault->moving)
		serve_later(fault);
}

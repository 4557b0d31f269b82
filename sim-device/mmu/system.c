// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The system page of an address space: memory of the code that SMs execute in system mode (Tanasic
 * 2.4). The one that there is, is the local fault handler (6.4.2): each SM has a word there, in
 * which it counts the faults of this address space that it has begun to handle.
 *
 * Kernels execute at the user level, all of them, and so do commands: for them a translation of the
 * page ends where the bit of its page table entry is seen (vgpu_as_translate()). So no TLB has it.
 * The page is there from the beginning; it has a frame when an SM first writes to it.
 */
#include "address_space.h"

#define WORDS	(VGPU_PAGE_SIZE / sizeof(u32))	/* config->sms at most */

/* What the system level has at the page; NULL: no memory. */
static u32 *system_words(struct vgpu_address_space *as)
{
	struct vgpu_frame_table *frames = &as->mmu->frames;
	u64 *pte = vgpu_pte_make(as->mmu, &as->table, VGPU_SYSTEM_BASE), number;

	if (!pte)
		return NULL;
	if (!(*pte & VGPU_PTE_FRAME)) {
		number = vgpu_frame_get(frames, as, as->context, VGPU_SYSTEM_BASE);
		if (!number)
			return NULL;
		*pte = number << VGPU_PTE_NUMBER_SHIFT | VGPU_PTE_FRAME | VGPU_PTE_SYSTEM;
		as->frames++;
	}
	return (u32 *)vgpu_frame_use(frames, vgpu_pte_number(*pte), true);
}

void vgpu_system_handles(const struct vgpu_page_fault *fault)
{
	u32 *words = system_words(vgpu_as_of_fault(fault));

	if (words)
		words[fault->request.sm % WORDS]++;
}

u64 vgpu_as_handled_by_sms(const struct vgpu_address_space *as)
{
	const struct vgpu_frame *frame = vgpu_as_frame(as, VGPU_SYSTEM_BASE);
	const u32 *words = frame ? (const u32 *)frame->memory : NULL;
	u64 handled = 0;

	for (u32 n = 0; words && n < as->mmu->config->sms; n++)
		handled += words[n];
	return handled;
}

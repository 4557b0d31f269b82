// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Translation caches; see tlb.h. Their list is in the address space (address_space.c).
 */
#include "tlb.h"
#include "vgpu.h"

int vgpu_tlb_init(struct vgpu_tlb *tlb, u32 limit)
{
	memset(tlb, 0, sizeof(*tlb));
	vgpu_list_init(&tlb->ages);
	tlb->entries = vgpu_mem_alloc_device(VGPU_TLB_ENTRIES * sizeof(*tlb->entries));
	if (!tlb->entries)
		return -ENOMEM;
	if (!limit || limit >= VGPU_TLB_ENTRIES)
		return 0;
	tlb->age = vgpu_mem_alloc_device(VGPU_TLB_ENTRIES * sizeof(*tlb->age));
	if (!tlb->age) {
		vgpu_tlb_fini(tlb);
		return -ENOMEM;
	}
	tlb->limit = limit;
	return 0;
}

void vgpu_tlb_fini(struct vgpu_tlb *tlb)
{
	if (!tlb->entries)
		return;
	vgpu_tlb_leave(tlb);
	vgpu_mem_free_device(tlb->entries);
	vgpu_mem_free_device(tlb->age);
	tlb->entries = NULL;
	tlb->age = NULL;
}

/* Entry @n is not used any more. */
static void forget(struct vgpu_tlb *tlb, u32 n)
{
	if (!tlb->limit || !vgpu_list_linked(&tlb->age[n]))
		return;
	vgpu_list_del(&tlb->age[n]);
	tlb->used--;
}

void vgpu_tlb_flush(struct vgpu_tlb *tlb)
{
	for (u32 n = 0; n < VGPU_TLB_ENTRIES; n++) {
		tlb->entries[n] = (struct vgpu_tlb_entry){ .page = ~0ull };
		forget(tlb, n);
	}
}

void vgpu_tlb_age(struct vgpu_tlb *tlb, u32 n)
{
	u32 first;

	forget(tlb, n);
	if (tlb->used == tlb->limit) {
		first = (u32)(tlb->ages.next - tlb->age);
		tlb->entries[first] = (struct vgpu_tlb_entry){ .page = ~0ull };
		forget(tlb, first);
	}
	vgpu_list_add_tail(&tlb->age[n], &tlb->ages);
	tlb->used++;
}

static void drop_entry(struct vgpu_tlb *tlb, struct vgpu_tlb_entry *entry)
{
	*entry = (struct vgpu_tlb_entry){ .page = ~0ull };
	forget(tlb, (u32)(entry - tlb->entries));
	tlb->invalidated++;
}

void vgpu_tlb_invalidate(struct vgpu_tlb *tlb, u64 address, u64 bytes)
{
	u64 first = address >> VGPU_PAGE_SHIFT;
	u64 count = bytes >> VGPU_PAGE_SHIFT;

	/* Whichever are fewer: the pages of the range, or the entries. */
	if (count < VGPU_TLB_ENTRIES) {
		for (u64 page = first; page < first + count; page++) {
			struct vgpu_tlb_entry *entry =
				&tlb->entries[page & (VGPU_TLB_ENTRIES - 1)];

			if ((entry->page & ~VGPU_TLB_IN_PLACE) == page)
				drop_entry(tlb, entry);
		}
		return;
	}
	for (u32 n = 0; n < VGPU_TLB_ENTRIES; n++)
		if ((tlb->entries[n].page & ~VGPU_TLB_IN_PLACE) - first < count)
			drop_entry(tlb, &tlb->entries[n]);
}

void vgpu_tlb_leave(struct vgpu_tlb *tlb)
{
	if (!tlb->as)
		return;
	vgpu_list_del(&tlb->node);
	tlb->as = NULL;
}

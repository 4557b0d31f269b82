// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Translation caches; see tlb.h. Their list is in the address space (address_space.c).
 */
#include "tlb.h"
#include "vgpu.h"

int vgpu_tlb_init(struct vgpu_tlb *tlb, const struct vgpu_config *config)
{
	memset(tlb, 0, sizeof(*tlb));
	tlb->entries = vgpu_mem_alloc_device(VGPU_TLB_ENTRIES * sizeof(*tlb->entries));
	if (!tlb->entries || vgpu_l1_init(&tlb->l1, config)) {
		vgpu_tlb_fini(tlb);
		return -ENOMEM;
	}
	return 0;
}

void vgpu_tlb_fini(struct vgpu_tlb *tlb)
{
	vgpu_tlb_leave(tlb);
	vgpu_l1_fini(&tlb->l1);
	vgpu_mem_free_device(tlb->entries);
	tlb->entries = NULL;
}

void vgpu_tlb_flush(struct vgpu_tlb *tlb)
{
	for (u32 n = 0; n < VGPU_TLB_ENTRIES; n++)
		tlb->entries[n] = (struct vgpu_tlb_entry){ .page = ~0ull };
	vgpu_l1_flush(&tlb->l1);
}

static struct vgpu_tlb_entry *entry_of(const struct vgpu_tlb *tlb, u64 page)
{
	return &tlb->entries[page & (VGPU_TLB_ENTRIES - 1)];
}

/* Lanes do not find the page of @tag any more. */
static void hide(const struct vgpu_tlb *tlb, u64 tag)
{
	if (entry_of(tlb, tag)->page == tag)
		*entry_of(tlb, tag) = (struct vgpu_tlb_entry){ .page = ~0ull };
}

/* Entry @n of the set of @page is used. Lanes find it once its walk has ended. */
static const struct vgpu_l1_entry *use(struct vgpu_tlb *tlb, u64 page, u32 n, u64 now)
{
	struct vgpu_l1_entry *set = vgpu_l1_set(&tlb->l1, page);

	if (n) {
		hide(tlb, set[0].translation.page);
		vgpu_l1_first(&tlb->l1, page, n);
	}
	if (set[0].walk.ready <= now && set[0].translation.page == page)
		*entry_of(tlb, page) = set[0].translation;
	return set;
}

const struct vgpu_l1_entry *vgpu_tlb_use(struct vgpu_tlb *tlb, u64 page, bool write, u64 now)
{
	const struct vgpu_l1_entry *set = vgpu_l1_set(&tlb->l1, page);
	u32 n = vgpu_l1_find(&tlb->l1, page);

	if (n == tlb->l1.ways || (write && !set[n].translation.write))
		return NULL;
	return use(tlb, page, n, now);
}

void vgpu_tlb_enter_walked(struct vgpu_tlb *tlb, u64 tag, u8 *bytes, bool write, u64 now,
			   struct vgpu_walk walk)
{
	u64 page = tag & ~VGPU_TLB_IN_PLACE;
	struct vgpu_l1_entry *set = vgpu_l1_set(&tlb->l1, page);
	u32 n = vgpu_l1_find(&tlb->l1, page);

	if (n == tlb->l1.ways)
		n--;
	hide(tlb, set[n].translation.page);
	vgpu_tlb_keep(&set[n].translation, tag, bytes, write);
	set[n].walk = walk;
	use(tlb, page, n, now);
}

/* One for the page and the address space: with a shape, lanes may not find what is there. */
static void drop_page(struct vgpu_tlb *tlb, u64 page)
{
	struct vgpu_tlb_entry *entry = entry_of(tlb, page);
	bool there = (entry->page & ~VGPU_TLB_IN_PLACE) == page;

	if (there)
		*entry = (struct vgpu_tlb_entry){ .page = ~0ull };
	if (tlb->l1.entries)
		there = vgpu_l1_drop(&tlb->l1, page);
	tlb->invalidated += there;
}

void vgpu_tlb_invalidate(struct vgpu_tlb *tlb, u64 address, u64 bytes)
{
	u64 first = address >> VGPU_PAGE_SHIFT;
	u64 count = bytes >> VGPU_PAGE_SHIFT;

	/* Whichever are fewer: the pages of the range, or the entries. */
	if (count < VGPU_TLB_ENTRIES) {
		for (u64 page = first; page < first + count; page++)
			drop_page(tlb, page);
		return;
	}
	for (u32 n = 0; n < VGPU_TLB_ENTRIES; n++) {
		u64 page = tlb->entries[n].page & ~VGPU_TLB_IN_PLACE;

		if (page - first < count)
			drop_page(tlb, page);
	}
	/* An entry that goes makes room for the next one of its set: from the last one on. */
	for (u32 n = tlb->l1.sets * tlb->l1.ways; n--;) {
		u64 page = tlb->l1.entries[n].translation.page & ~VGPU_TLB_IN_PLACE;

		if (page - first < count)
			drop_page(tlb, page);
	}
}

void vgpu_tlb_leave(struct vgpu_tlb *tlb)
{
	if (!tlb->as)
		return;
	vgpu_list_del(&tlb->node);
	tlb->as = NULL;
}

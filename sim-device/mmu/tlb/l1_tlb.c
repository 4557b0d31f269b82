// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Sets and miss registers of an SM's TLB; see l1_tlb.h.
 */
#include "../../vgpu_model.h"
#include "tlb.h"

int vgpu_l1_init(struct vgpu_l1_tlb *l1, const struct vgpu_config *config)
{
	memset(l1, 0, sizeof(*l1));
	if (!config->l1_tlb_entries)
		return 0;
	l1->ways = config->l1_tlb_ways;
	l1->sets = config->l1_tlb_entries / config->l1_tlb_ways;
	l1->entries = vgpu_mem_alloc_device(config->l1_tlb_entries * sizeof(*l1->entries));
	if (!l1->entries || (config->l1_tlb_mshrs &&
			     vgpu_units_init(&l1->registers, config->l1_tlb_mshrs))) {
		vgpu_l1_fini(l1);
		return -ENOMEM;
	}
	vgpu_l1_flush(l1);
	return 0;
}

void vgpu_l1_fini(struct vgpu_l1_tlb *l1)
{
	vgpu_units_fini(&l1->registers);
	vgpu_mem_free_device(l1->entries);
	l1->entries = NULL;
}

void vgpu_l1_flush(struct vgpu_l1_tlb *l1)
{
	for (u32 n = 0; l1->entries && n < l1->sets * l1->ways; n++)
		l1->entries[n].translation.page = ~0ull;
}

u32 vgpu_l1_find(const struct vgpu_l1_tlb *l1, u64 page)
{
	const struct vgpu_l1_entry *set = vgpu_l1_set(l1, page);
	u32 n = 0;

	while (n < l1->ways && (set[n].translation.page & ~VGPU_TLB_IN_PLACE) != page)
		n++;
	return n;
}

void vgpu_l1_first(struct vgpu_l1_tlb *l1, u64 page, u32 n)
{
	struct vgpu_l1_entry *set = vgpu_l1_set(l1, page), used = set[n];

	memmove(set + 1, set, n * sizeof(*set));
	set[0] = used;
}

bool vgpu_l1_drop(struct vgpu_l1_tlb *l1, u64 page)
{
	struct vgpu_l1_entry *set = vgpu_l1_set(l1, page);
	u32 n = vgpu_l1_find(l1, page);

	if (n == l1->ways)
		return false;
	memmove(set + n, set + n + 1, (l1->ways - 1 - n) * sizeof(*set));
	set[l1->ways - 1].translation.page = ~0ull;
	return true;
}

u64 vgpu_l1_wait(struct vgpu_l1_tlb *l1, u64 now, u64 elapsed)
{
	u64 miss = now + elapsed, free;

	if (!l1->registers.count)
		return 0;
	free = vgpu_units_free(&l1->registers, vgpu_units_first(&l1->registers));
	return free > miss ? free - miss : 0;
}

void vgpu_l1_miss(struct vgpu_l1_tlb *l1, u64 from, u64 ps)
{
	u32 first;
	u64 free;

	if (!l1->registers.count)
		return;
	first = vgpu_units_first(&l1->registers);
	free = vgpu_units_free(&l1->registers, first);
	free = free > from ? free : from;
	vgpu_units_reserve(&l1->registers, first,
			   ps < VGPU_NEVER - 1 - free ? free + ps : VGPU_NEVER - 1);
}

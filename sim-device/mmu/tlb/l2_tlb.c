// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The L2 TLB; see l2_tlb.h.
 */
#include "../../vgpu_model.h"
#include "l2_tlb.h"

int vgpu_l2_tlb_init(struct vgpu_l2_tlb *tlb, const struct vgpu_config *config)
{
	memset(tlb, 0, sizeof(*tlb));
	if (!config->l2_tlb_entries)
		return 0;
	if (vgpu_walkers_init(&tlb->walkers, config))
		return -ENOMEM;
	tlb->entries = vgpu_mem_alloc_device(config->l2_tlb_entries * sizeof(*tlb->entries));
	if (!tlb->entries) {
		vgpu_walkers_fini(&tlb->walkers);
		return -ENOMEM;
	}
	tlb->ways = config->l2_tlb_ways;
	tlb->sets = config->l2_tlb_entries / config->l2_tlb_ways;
	tlb->lookup_ps = vgpu_mul_div(config->l2_tlb_cycles, VGPU_PS_PER_KCYCLE, config->clock_khz);
	return 0;
}

void vgpu_l2_tlb_fini(struct vgpu_l2_tlb *tlb)
{
	vgpu_walkers_fini(&tlb->walkers);
	vgpu_mem_free_device(tlb->entries);
	tlb->entries = NULL;
}

static struct vgpu_l2_entry *set_of(const struct vgpu_l2_tlb *tlb, u64 page)
{
	return tlb->entries + page % tlb->sets * tlb->ways;
}

/* The entry of @page, else the one that it replaces: an empty one, or that used longest ago. */
static struct vgpu_l2_entry *find_or_replace(const struct vgpu_l2_tlb *tlb, u32 context, u64 page,
					     bool *found)
{
	struct vgpu_l2_entry *set = set_of(tlb, page), *oldest = set;

	*found = true;
	for (u32 n = 0; n < tlb->ways; n++) {
		if (set[n].page == page && set[n].context == context)
			return &set[n];
		if (set[n].used < oldest->used)
			oldest = &set[n];
	}
	*found = false;
	return oldest;
}

u64 vgpu_l2_tlb_lookup(struct vgpu_l2_tlb *tlb, u32 context, u64 page, u64 now, u64 elapsed,
		       bool enter, struct vgpu_translations *count)
{
	u64 miss = now + elapsed, looked = miss + tlb->lookup_ps, ready;
	const struct vgpu_walk *walk = NULL;
	struct vgpu_l2_entry *entry;
	bool found;

	entry = find_or_replace(tlb, context, page, &found);
	if (found && vgpu_walk_ready(&entry->walk, looked) <= looked) {
		count->l2_hits++;
		entry->used = ++tlb->lookups;
		return tlb->lookup_ps;
	}
	count->l2_misses++;
	if (found)
		walk = &entry->walk;
	else if (enter)
		walk = vgpu_walkers_merge(&tlb->walkers, context, page, looked);
	if (!walk) {
		count->walks++;
		walk = vgpu_walkers_walk(&tlb->walkers, enter ? context : 0, page, now, looked,
					 &count->waited);
	}
	ready = vgpu_walk_ready(walk, looked);
	if (enter)
		*entry = (struct vgpu_l2_entry){
			.context = context,
			.page = page,
			.walk = looked < walk->asked ? (struct vgpu_walk){ looked, ready } : *walk,
			.used = ++tlb->lookups,
		};
	return ready - miss;
}

static void drop(struct vgpu_l2_entry *entry)
{
	*entry = (struct vgpu_l2_entry){ .context = 0 };
}

static void drop_page(struct vgpu_l2_tlb *tlb, u32 context, u64 page)
{
	struct vgpu_l2_entry *set = set_of(tlb, page);

	for (u32 n = 0; n < tlb->ways; n++)
		if (set[n].page == page && set[n].context == context)
			drop(&set[n]);
}

void vgpu_l2_tlb_invalidate(struct vgpu_l2_tlb *tlb, u32 context, u64 first, u64 count)
{
	if (!tlb->entries)
		return;
	vgpu_walkers_invalidate(&tlb->walkers, context, first, count);
	/* Whichever are fewer: the pages of the range, or the sets. */
	if (count < tlb->sets) {
		for (u64 page = first; page < first + count; page++)
			drop_page(tlb, context, page);
		return;
	}
	for (u32 n = 0; n < tlb->sets * tlb->ways; n++)
		if (tlb->entries[n].context == context && tlb->entries[n].page - first < count)
			drop(&tlb->entries[n]);
}

// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Page table walkers and miss registers; see walkers.h. A program may miss all the time: the
 * register of a page and the units that are free first are known without a search.
 */
#include "../vgpu_model.h"
#include "walkers.h"

int vgpu_walkers_init(struct vgpu_walkers *walkers, const struct vgpu_config *config)
{
	u32 count = config->l2_tlb_mshrs, buckets = 1;

	while (buckets < count)
		buckets *= 2;
	walkers->bucket_mask = buckets - 1;
	walkers->walk_ps = config->page_walk_ps;
	walkers->mshrs = vgpu_mem_alloc_device(count * sizeof(*walkers->mshrs));
	walkers->buckets = vgpu_mem_alloc_device(buckets * sizeof(*walkers->buckets));
	if (!walkers->mshrs || !walkers->buckets || vgpu_units_init(&walkers->registers, count) ||
	    vgpu_units_init(&walkers->walkers, config->page_walkers)) {
		vgpu_walkers_fini(walkers);
		return -ENOMEM;
	}
	return 0;
}

void vgpu_walkers_fini(struct vgpu_walkers *walkers)
{
	vgpu_units_fini(&walkers->walkers);
	vgpu_units_fini(&walkers->registers);
	vgpu_mem_free_device(walkers->buckets);
	vgpu_mem_free_device(walkers->mshrs);
	memset(walkers, 0, sizeof(*walkers));
}

static u64 later(u64 a, u64 b)
{
	return a > b ? a : b;
}

static u64 after(u64 time, u64 ps)
{
	return ps < VGPU_NEVER - 1 - time ? time + ps : VGPU_NEVER - 1;
}

static u32 *bucket_of(const struct vgpu_walkers *walkers, u32 context, u64 page)
{
	u64 hash = (page ^ (u64)context << 40) * 0x9e3779b97f4a7c15ull;

	return &walkers->buckets[hash >> 32 & walkers->bucket_mask];
}

/* From now on nobody waits for the walk of @mshr. */
static void forget(struct vgpu_walkers *walkers, struct vgpu_mshr *mshr)
{
	u32 *at = bucket_of(walkers, mshr->context, mshr->page);
	u32 number = (u32)(mshr - walkers->mshrs) + 1;

	if (!mshr->context)
		return;
	while (*at != number)
		at = &walkers->mshrs[*at - 1].next;
	*at = mshr->next;
	mshr->context = 0;
}

const struct vgpu_walk *vgpu_walkers_merge(const struct vgpu_walkers *walkers, u32 context,
					   u64 page, u64 time)
{
	const struct vgpu_walk *best = NULL;
	const struct vgpu_mshr *mshr;
	u64 ready, first = ~0ull;

	for (u32 n = *bucket_of(walkers, context, page); n; n = mshr->next) {
		mshr = &walkers->mshrs[n - 1];
		ready = vgpu_walk_ready(&mshr->walk, time);
		if (mshr->page == page && mshr->context == context && ready > time &&
		    ready < first) {
			best = &mshr->walk;
			first = ready;
		}
	}
	return best;
}

const struct vgpu_walk *vgpu_walkers_walk(struct vgpu_walkers *walkers, u32 context, u64 page,
					  u64 now, u64 time, u64 *waited)
{
	u32 n = vgpu_units_first(&walkers->registers);
	u32 walker = vgpu_units_first(&walkers->walkers);
	u64 began = later(vgpu_units_free(&walkers->registers, n), now);
	u64 idle = later(vgpu_units_free(&walkers->walkers, walker), now);
	u64 walk = later(later(began, time), idle), ready = after(walk, walkers->walk_ps);
	struct vgpu_mshr *mshr = &walkers->mshrs[n];
	u32 *bucket = bucket_of(walkers, context, page);

	*waited += walk - time;
	vgpu_units_reserve(&walkers->walkers, walker, after(idle, walkers->walk_ps));
	/* it is in use from when the miss had it until the translation has come */
	vgpu_units_reserve(&walkers->registers, n, after(began, ready - later(began, time)));
	forget(walkers, mshr);
	*mshr = (struct vgpu_mshr){
		.context = context,
		.page = page,
		.walk = { .asked = time, .ready = ready },
		.next = context ? *bucket : 0,
	};
	if (context)
		*bucket = n + 1;
	return &mshr->walk;
}

static void forget_page(struct vgpu_walkers *walkers, u32 context, u64 page)
{
	for (u32 n = *bucket_of(walkers, context, page), next; n; n = next) {
		struct vgpu_mshr *mshr = &walkers->mshrs[n - 1];

		next = mshr->next;
		if (mshr->page == page && mshr->context == context)
			forget(walkers, mshr);
	}
}

void vgpu_walkers_invalidate(struct vgpu_walkers *walkers, u32 context, u64 first, u64 count)
{
	/* Whichever are fewer: the pages of the range, or the registers. */
	if (count < walkers->registers.count) {
		for (u64 page = first; page < first + count; page++)
			forget_page(walkers, context, page);
		return;
	}
	for (u32 n = 0; n < walkers->registers.count; n++) {
		struct vgpu_mshr *mshr = &walkers->mshrs[n];

		if (mshr->context == context && mshr->page - first < count)
			forget(walkers, mshr);
	}
}

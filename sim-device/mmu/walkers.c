// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Page table walkers and miss registers; see walkers.h. There are about a hundred of each: they are
 * searched one by one, by misses only.
 */
#include "../vgpu_model.h"
#include "walkers.h"

int vgpu_walkers_init(struct vgpu_walkers *walkers, const struct vgpu_config *config)
{
	walkers->mshrs = vgpu_mem_alloc_device(config->l2_tlb_mshrs * sizeof(*walkers->mshrs));
	walkers->walkers = vgpu_mem_alloc_device(config->page_walkers * sizeof(*walkers->walkers));
	if (!walkers->mshrs || !walkers->walkers) {
		vgpu_walkers_fini(walkers);
		return -ENOMEM;
	}
	walkers->mshr_count = config->l2_tlb_mshrs;
	walkers->walker_count = config->page_walkers;
	walkers->walk_ps = config->page_walk_ps;
	return 0;
}

void vgpu_walkers_fini(struct vgpu_walkers *walkers)
{
	vgpu_mem_free_device(walkers->mshrs);
	vgpu_mem_free_device(walkers->walkers);
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

const struct vgpu_walk *vgpu_walkers_merge(const struct vgpu_walkers *walkers, u32 context,
					   u64 page, u64 time)
{
	for (u32 n = 0; n < walkers->mshr_count; n++) {
		const struct vgpu_mshr *mshr = &walkers->mshrs[n];

		if (mshr->page == page && mshr->context == context &&
		    vgpu_walk_ready(&mshr->walk, time) > time)
			return &mshr->walk;
	}
	return NULL;
}

const struct vgpu_walk *vgpu_walkers_walk(struct vgpu_walkers *walkers, u32 context, u64 page,
					  u64 now, u64 time, u64 *waited)
{
	struct vgpu_mshr *mshr = walkers->mshrs;
	u64 *walker = walkers->walkers, began, walk, ready;

	for (u32 n = 1; n < walkers->mshr_count; n++)
		if (walkers->mshrs[n].free < mshr->free)
			mshr = &walkers->mshrs[n];
	for (u32 n = 1; n < walkers->walker_count; n++)
		if (walkers->walkers[n] < *walker)
			walker = &walkers->walkers[n];
	began = later(mshr->free, now);
	*walker = later(*walker, now);
	walk = later(later(began, time), *walker);
	*waited += walk - time;
	ready = after(walk, walkers->walk_ps);
	*walker = after(*walker, walkers->walk_ps);
	*mshr = (struct vgpu_mshr){
		.context = context,
		.page = page,
		.walk = { .asked = time, .ready = ready },
		/* it is in use from when the miss had it until the translation has come */
		.free = after(began, ready - later(began, time)),
	};
	return &mshr->walk;
}

void vgpu_walkers_invalidate(struct vgpu_walkers *walkers, u32 context, u64 first, u64 count)
{
	for (u32 n = 0; n < walkers->mshr_count; n++) {
		struct vgpu_mshr *mshr = &walkers->mshrs[n];

		if (mshr->context == context && mshr->page - first < count)
			mshr->context = 0;
	}
}

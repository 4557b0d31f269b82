// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The cache of the metadata of compressed pages; see metadata.h. Frames that follow each other are
 * in different sets.
 */
#include "metadata.h"

#define SETS	(VGPU_METADATA_ENTRIES / VGPU_METADATA_WAYS)

bool vgpu_metadata_use(struct vgpu_metadata_cache *cache, u64 frame)
{
	u32 first = (u32)(frame % SETS) * VGPU_METADATA_WAYS, at = first;
	bool hit;

	for (u32 n = first; n < first + VGPU_METADATA_WAYS; n++) {
		if (cache->tags[n] == frame) {
			at = n;
			break;
		}
		if (cache->used[n] < cache->used[at])
			at = n;
	}
	hit = cache->tags[at] == frame;
	cache->tags[at] = frame;
	cache->used[at] = ++cache->clock;
	return hit;
}

void vgpu_metadata_forget(struct vgpu_metadata_cache *cache, u64 frame)
{
	u32 first = (u32)(frame % SETS) * VGPU_METADATA_WAYS;

	for (u32 n = first; n < first + VGPU_METADATA_WAYS; n++) {
		if (cache->tags[n] != frame)
			continue;
		cache->tags[n] = 0;
		cache->used[n] = 0;
	}
}

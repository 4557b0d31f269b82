/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The metadata cache of the memory controller (the thesis of ETC, 3.7.5): 512 entries of 64 bytes,
 * each the metadata of one compressed page. Chosen: 16 ways and least recently used; one for all
 * channels, because the lines of a page are spread over them.
 */
#ifndef VGPU_COMPRESSION_METADATA_H
#define VGPU_COMPRESSION_METADATA_H

#include "../platform.h"

#define VGPU_METADATA_ENTRIES	512u
#define VGPU_METADATA_WAYS	16u

/** struct vgpu_metadata_cache - zero: empty. @tags: frame; 0: nothing. @used: by @clock */
struct vgpu_metadata_cache {
	u64 tags[VGPU_METADATA_ENTRIES];
	u64 used[VGPU_METADATA_ENTRIES];
	u64 clock;
};

/** vgpu_metadata_use - has it those of @frame, not 0? If not it has from now on. */
bool vgpu_metadata_use(struct vgpu_metadata_cache *cache, u64 frame);
/** vgpu_metadata_forget - the page of @frame is gone */
void vgpu_metadata_forget(struct vgpu_metadata_cache *cache, u64 frame);

#endif

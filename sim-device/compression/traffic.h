/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * What a line of a compressed page costs the memory controller: the memory hierarchy asks
 * (memsys/memsys.h), and who knows the pages answers (mmu/mmu.h). The device connects them.
 */
#ifndef VGPU_COMPRESSION_TRAFFIC_H
#define VGPU_COMPRESSION_TRAFFIC_H

#include "../platform.h"

#define VGPU_METADATA_SECTORS	2u	/* of 32 bytes: 64 */
#define VGPU_DECOMPRESS_CYCLES	1u	/* BDI: a vector addition */

/**
 * struct vgpu_line_traffic - of a line of 128 bytes, in sectors of 32 bytes
 * @compressed: its page is; else the others are not set
 * @slots: of its lines of 64 bytes, where their slots are
 * @exceptions: of those that are no longer in their slots. Where these are the metadata say
 * @metadata: of metadata that the cache has not
 * @moved: a write has made the page too large: it has been laid out anew, and so much was read and
 *   written for that
 */
struct vgpu_line_traffic {
	bool compressed;
	u32 slots;
	u32 exceptions;
	u32 metadata;
	u32 moved;
};

#endif

/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Memory management unit: VRAM accounting, one address space (page table) per context, translations
 * for the SMs' TLBs and for the transfer engine. Pages are 4 KB. A mapped page that was never
 * written has no frame, and reads as zero.
 */
#ifndef VGPU_MMU_H
#define VGPU_MMU_H

#include "../platform.h"
#include "vgpu.h"

struct vgpu_device;
struct vgpu_address_space;

enum vgpu_translation {
	VGPU_XLATE_OK,
	VGPU_XLATE_UNMAPPED,
	VGPU_XLATE_NO_FRAME,	/* the host has no frame to back a first write */
};

int vgpu_as_create(struct vgpu_device *dev, u32 context, struct vgpu_address_space **out);
/* Frees page tables and frames. Nobody may be using it. */
void vgpu_as_destroy(struct vgpu_address_space *as);
int vgpu_as_map(struct vgpu_address_space *as, u64 address, u64 bytes);
int vgpu_as_unmap(struct vgpu_address_space *as, u64 address, u64 bytes);
u64 vgpu_as_mapped_bytes(const struct vgpu_address_space *as);
u64 vgpu_as_resident_bytes(const struct vgpu_address_space *as);

/**
 * vgpu_as_translate - find the frame of a page
 * @address: any address inside the page
 * @write: the access writes: a page that was never written gets its frame now
 * @page: start of the 4 KB of the page in the memory of this program
 *
 * A read of a page that was never written yields a shared page of zeros, which must not be written
 * through. A translation that was handed out (for reading, or for writing) stays valid until
 * vgpu_as_epoch() changes; whoever caches some compares the epoch before use and after every call
 * of this function.
 */
enum vgpu_translation vgpu_as_translate(struct vgpu_address_space *as, u64 address, bool write,
					u8 **page);

/* First member of every address space, so that the TLBs read it without a call. */
struct vgpu_as_head {
	u64 epoch;	/* never 0 */
};
static inline u64 vgpu_as_epoch(const struct vgpu_address_space *as)
{
	return ((const struct vgpu_as_head *)as)->epoch;
}

#endif

/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The radix tree of one address space: 35 bits of page number in four levels (8, 9, 9, 9), tables
 * made when a page is first looked at, so that mapping gigabytes costs nothing. An entry of the
 * last level is a frame address and flags in its low bits.
 */
#ifndef VGPU_PAGE_TABLE_H
#define VGPU_PAGE_TABLE_H

#include "../platform.h"

struct vgpu_device;

#define VGPU_PTE_FRAME		1ull	/* has a frame: the rest of the entry is its address */
#define VGPU_PTE_READ_ZERO	2ull	/* was handed out as the page of zeros */
#define VGPU_PTE_FLAGS		4095ull

struct vgpu_page_table {
	void *root;
};

/* Entry of the page at @address: NULL if its table was never made. */
u64 *vgpu_pte_find(const struct vgpu_page_table *table, u64 address);
/* The same, making the tables on the way. NULL: no memory. */
u64 *vgpu_pte_make(struct vgpu_device *dev, struct vgpu_page_table *table, u64 address);
/*
 * Put back the frames of [address, address + bytes) and the tables that become empty. Returns the
 * number of frames.
 */
u64 vgpu_pte_clear(struct vgpu_device *dev, struct vgpu_page_table *table, u64 address, u64 bytes);

#endif

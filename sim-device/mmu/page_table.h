/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The radix tree of one address space: 35 bits of page number in four levels (8, 9, 9, 9; arm64: 36
 * in 9, 9, 9, 9), with tables allocated on first access, so that mapping gigabytes costs nothing.
 * An entry of the last level says where the page is; 0: no page has been accessed.
 */
#ifndef VGPU_PAGE_TABLE_H
#define VGPU_PAGE_TABLE_H

#include "mmu.h"

#define VGPU_PTE_FRAME		1ull	/* has a frame: its number, and what is in it counts */
#define VGPU_PTE_READ_ZERO	2ull	/* was handed out as the page of zeros */
/* managed: the host has its data; without a frame it is there, with one while it is not written */
#define VGPU_PTE_HOST		4ull
#define VGPU_PTE_MOVING		8ull	/* a fault for it is in flight */
#define VGPU_PTE_SERVED		16ull	/* a fault for it has been served */
#define VGPU_PTE_MANAGED	32ull	/* of a managed mapping */
#define VGPU_PTE_EVICTED	64ull	/* managed: was evicted, and has not come again */
/*
 * managed: the host may read it beside the device; without a frame, which it moves to, the device
 * does not have it yet
 */
#define VGPU_PTE_DUPLICATE	128ull
#define VGPU_PTE_SYSTEM		256ull	/* for the system level only (Tanasic 2.4) */
#define VGPU_PTE_SHARED		512ull	/* its frame is an allocation's, which releases it */
#define VGPU_PTE_READ_ONLY	1024ull	/* of a view that is not written */
#define VGPU_PTE_NUMBER_SHIFT	12

static inline u64 vgpu_pte_number(u64 pte)
{
	return pte >> VGPU_PTE_NUMBER_SHIFT;
}

/*
 * Is it a managed page on the host? One that moves is where it was until it has arrived. One that
 * both sides read is on the host and in VRAM.
 */
static inline bool vgpu_pte_on_host(u64 pte)
{
	return pte & (pte & VGPU_PTE_FRAME ? VGPU_PTE_DUPLICATE : VGPU_PTE_HOST);
}

struct vgpu_page_table {
	void *root;
	struct vgpu_mem_account *memory;	/* of the context, for the tables */
};

/* Entry of the page at @address: NULL if its table was never made. */
u64 *vgpu_pte_find(const struct vgpu_page_table *table, u64 address);
/* The same, making the tables on the way. NULL: no memory. */
u64 *vgpu_pte_make(struct vgpu_mmu *mmu, struct vgpu_page_table *table, u64 address);

/**
 * struct vgpu_pte_clearing - entries that are cleared
 * @left: in: how many, at most; a table counts as some. Out: what remains of it, 0 if there may be
 *   more
 * @frames, @on_host: those that had a frame, and those for which vgpu_pte_on_host() was true, added
 */
struct vgpu_pte_clearing {
	u64 left;
	u64 frames;
	u64 on_host;
};

/* Release the frames of [address, address + bytes) and the tables that become empty. */
void vgpu_pte_clear(struct vgpu_mmu *mmu, struct vgpu_page_table *table, u64 address, u64 bytes,
		    struct vgpu_pte_clearing *clearing);

#endif

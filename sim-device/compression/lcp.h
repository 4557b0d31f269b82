/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * LCP: linearly compressed pages (Pekhimenko et al., MICRO 2013; the thesis of ETC, 3.6.4). All 64
 * lines of a page have slots of one size, so that where a line is follows from its number:
 *
 *   | 64 slots | metadata, 64 bytes | exceptions: lines that do not fit their slot, 64 bytes each |
 *
 * and the whole is 1, 2, 4 or 8 units of 512 bytes. A page that would take 8 is left as it is.
 * Pages of 64 KB are 16 of these (digest 1.4.6: the thesis does not say; its metadata cache has 64
 * bytes an entry, which are those of 4 KB).
 *
 * Pure functions of bytes.
 */
#ifndef VGPU_COMPRESSION_LCP_H
#define VGPU_COMPRESSION_LCP_H

#include "bdi.h"

#define VGPU_LCP_LINES		64u
#define VGPU_LCP_PAGE		(VGPU_LCP_LINES * VGPU_BDI_LINE)
#define VGPU_LCP_UNIT		512u	/* bytes: of what physical memory is made */
/* Of a page that is not compressed */
#define VGPU_LCP_UNITS		(VGPU_LCP_PAGE / VGPU_LCP_UNIT)
#define VGPU_LCP_METADATA	64u	/* bytes */

/**
 * struct vgpu_lcp - how a page is laid out
 * @exceptions: bit n: line n is not in its slot
 * @target: bytes of a slot; VGPU_BDI_LINE: the page is not compressed
 * @units: of the page
 * @fixed: it is of a synthetic ratio: nothing that is written changes it
 *
 * Which exception slot is whose makes no difference, and is not kept.
 */
struct vgpu_lcp {
	u64 exceptions;
	u8 target;
	u8 units;
	bool fixed;
};

/** vgpu_lcp_room - exception slots of a compressed page of @units with slots of @target bytes */
u32 vgpu_lcp_room(u32 units, u32 target);
/**
 * vgpu_lcp_lay_out - the smallest page for the VGPU_LCP_PAGE bytes at @page
 *
 * Of slots with which it is as small, those with the fewest exceptions; then the smallest.
 */
void vgpu_lcp_lay_out(struct vgpu_lcp *lcp, const u8 *page);
/**
 * vgpu_lcp_synthetic - a page as if all had the ratio @per_cent >= 100
 * @page: its number: the mean of many is as good as that ratio, though each has whole units
 */
void vgpu_lcp_synthetic(struct vgpu_lcp *lcp, u32 per_cent, u64 page);

/** enum vgpu_lcp_write - what became of a line that was written */
enum vgpu_lcp_write {
	VGPU_LCP_FITS,		/* it is in its slot, now if not before */
	VGPU_LCP_EXCEPTION,	/* it is an exception, now if not before */
	VGPU_LCP_OVERFLOW,	/* there is no room for it: the page is to be laid out again */
};

/** vgpu_lcp_write - line @line of @page has been written */
enum vgpu_lcp_write vgpu_lcp_write(struct vgpu_lcp *lcp, const u8 *page, u32 line);

#endif

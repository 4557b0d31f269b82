// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Linearly compressed pages; see lcp.h.
 */
#include "lcp.h"

/* Slots for which a page is smaller than 4 KB; those of 34 bytes and more are not. */
static const u8 targets[] = { 1, 8, 16, 20, 24 };

#define MOST	24u	/* the last of these */

u32 vgpu_lcp_room(u32 units, u32 target)
{
	u32 bytes = units * VGPU_LCP_UNIT, taken = VGPU_LCP_LINES * target + VGPU_LCP_METADATA;

	return bytes < taken ? 0 : (bytes - taken) / VGPU_BDI_LINE;
}

static u32 count_exceptions(const struct vgpu_lcp *lcp)
{
	return vgpu_popcount32((u32)lcp->exceptions) +
	       vgpu_popcount32((u32)(lcp->exceptions >> 32));
}

static bool has_room(u32 units, u32 target, u32 exceptions)
{
	return units * VGPU_LCP_UNIT >= VGPU_LCP_LINES * target + VGPU_LCP_METADATA &&
	       exceptions <= vgpu_lcp_room(units, target);
}

static void leave_raw(struct vgpu_lcp *lcp)
{
	*lcp = (struct vgpu_lcp){ .target = VGPU_BDI_LINE, .units = VGPU_LCP_UNITS };
}

void vgpu_lcp_lay_out(struct vgpu_lcp *lcp, const u8 *page)
{
	u8 size[VGPU_LCP_LINES];
	u32 fewest = VGPU_LCP_LINES + 1, target = 0, units;

	for (u32 n = 0; n < VGPU_LCP_LINES; n++)
		size[n] = (u8)vgpu_bdi_size(page + n * VGPU_BDI_LINE, MOST);
	for (units = 1; units < VGPU_LCP_UNITS; units *= 2) {
		for (u32 t = 0; t < VGPU_ARRAY_SIZE(targets); t++) {
			u32 exceptions = 0;

			for (u32 n = 0; n < VGPU_LCP_LINES; n++)
				exceptions += size[n] > targets[t];
			if (!has_room(units, targets[t], exceptions) || exceptions >= fewest)
				continue;
			fewest = exceptions;
			target = targets[t];
		}
		if (target)
			break;
	}
	if (!target) {
		leave_raw(lcp);
		return;
	}
	*lcp = (struct vgpu_lcp){ .target = (u8)target, .units = (u8)units };
	for (u32 n = 0; n < VGPU_LCP_LINES; n++)
		if (size[n] > target)
			lcp->exceptions |= 1ull << n;
}

void vgpu_lcp_synthetic(struct vgpu_lcp *lcp, u32 per_cent, u64 page)
{
	u64 all = 100 * VGPU_LCP_UNITS;
	u64 units = (page + 1) * all / per_cent - page * all / per_cent;

	*lcp = (struct vgpu_lcp){
		.target = (u8)(VGPU_BDI_LINE * 100 / per_cent),
		.units = (u8)(units ? units : 1),
		.fixed = true,
	};
}

enum vgpu_lcp_write vgpu_lcp_write(struct vgpu_lcp *lcp, const u8 *page, u32 line)
{
	u64 bit = 1ull << line;
	u32 size;

	if (lcp->fixed || lcp->target == VGPU_BDI_LINE)
		return VGPU_LCP_FITS;
	size = vgpu_bdi_size(page + line * VGPU_BDI_LINE, lcp->target);
	if (size <= lcp->target) {
		lcp->exceptions &= ~bit;
		return VGPU_LCP_FITS;
	}
	if (lcp->exceptions & bit)
		return VGPU_LCP_EXCEPTION;
	if (count_exceptions(lcp) >= vgpu_lcp_room(lcp->units, lcp->target))
		return VGPU_LCP_OVERFLOW;
	lcp->exceptions |= bit;
	return VGPU_LCP_EXCEPTION;
}

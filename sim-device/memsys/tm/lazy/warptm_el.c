// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * WarpTM-EL; see warptm_el.h.
 */
#include "warptm_el.h"

u32 vgpu_wtm_el_stale(const struct vgpu_wtm *wtm, const struct vgpu_wtm_word *reads, u32 count,
		      u32 (*memory)(void *host, u64 address), void *host)
{
	u32 stale = 0;

	if (wtm->setup.fault == VGPU_WTM_NO_VALIDATION)
		return 0;
	for (u32 n = 0; n < count; n++)
		if (memory(host, reads[n].address) != reads[n].value)
			stale |= reads[n].lanes;
	return stale;
}

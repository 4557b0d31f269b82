/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * DOC: WarpTM-EL: WarpTM with ideal eager detection of conflicts (thesis 002, 4.2, 4.7)
 *
 * Validation, steps (i) and (ii) of WarpTM, happens with each access and takes no time and no
 * messages: all that the transaction has read is compared with memory in that instant, and a lane
 * that has read something else aborts at once. At its end the same happens once more, and what
 * passes has committed: the host writes its bytes in the same instant. Its writes then go to the
 * partitions with a commit id (vgpu_wtm_log.decided), leave in order, and are acknowledged, which
 * takes the time that it takes in WarpTM; the host writes nothing then.
 *
 * So what a transaction has read was there together, whenever it makes an access.
 */
#ifndef VGPU_WARPTM_EL_H
#define VGPU_WARPTM_EL_H

#include "warptm.h"

/**
 * vgpu_wtm_el_stale - lanes that have to abort
 *
 * @memory: the word that memory has at @address, for @host
 */
u32 vgpu_wtm_el_stale(const struct vgpu_wtm *wtm, const struct vgpu_wtm_word *reads, u32 count,
		      u32 (*memory)(void *host, u64 address), void *host);

#endif

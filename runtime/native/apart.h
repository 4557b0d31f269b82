/* SPDX-License-Identifier: MIT */
/*
 * Lanes that are inactive while others execute: what they may read when they go on. Where a branch
 * may diverge (stride.h), those that jump wait at its target for the others, and who has come to
 * its reconvergence point waits there. So until lanes meet again, what is live at neither is read
 * by none but the active lanes. Most of what is computed behind "if (i < n)" is such. It is written
 * in all lanes, and its strides hold in all.
 */
#ifndef VGPU_NATIVE_APART_H
#define VGPU_NATIVE_APART_H

#include "live.h"
#include "stride.h"

/*
 * Fills elsewhere, unmasked, whole and a_whole of the @count instructions of @code in @strides, of
 * which the other fields are known. @leader: as for vgpu_stride_find(). @diverges: of each branch,
 * whether it may. @live: NULL if that is not known. Where the search takes too long, or there is no
 * memory, everything may be read elsewhere.
 */
void vgpu_apart_find(const struct vgpu_insn *code, u32 count, const u8 *leader, const u8 *diverges,
		     const struct live_registers *live, struct stride *strides);

#endif

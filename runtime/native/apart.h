/* SPDX-License-Identifier: MIT */
/*
 * Lanes that are inactive while others execute: what they may read when they go on. Where a branch
 * may diverge (stride.h), those of the other way wait at its beginning, and those that have come
 * to its reconvergence point wait there; so until lanes meet again, what is not live at either is
 * nobody's but theirs who execute. Most of what is computed behind "if (i < n)" is such. It is
 * written in all lanes, and its strides hold in all.
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

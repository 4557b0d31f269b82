/* SPDX-License-Identifier: MIT */
/*
 * Lanes that are inactive while others execute: what they may read when they go on. Where a branch
 * may diverge (stride.h), those that jump wait at its target for the others, and who has come to
 * its reconvergence point waits there. So until lanes meet again, what is live at neither is read
 * by none but the active lanes. Most of what is computed behind "if (i < n)" is such. It is written
 * in all lanes, and its strides hold in all. Those of other values hold in lanes that wait: at the
 * target of a branch not those of what the lanes may have written that went on there first.
 */
#ifndef VGPU_NATIVE_APART_H
#define VGPU_NATIVE_APART_H

#include "live.h"
#include "stride.h"

/** struct meeting - a reconvergence point: what lanes may have written when they were apart */
struct meeting {
	u64 registers[LIVE_WORDS], preds;
};

/** struct divergence - of a kernel of @count instructions; vgpu_stride_find() finds it */
struct divergence {
	const struct vgpu_insn *code;
	u32 count;
	const u8 *leader;		/* of each instruction: a segment begins there */
	const u32 *number;		/* of that segment */
	u32 segments;
	const u8 *diverges;		/* of each branch: it may */
	const struct meeting *meetings;	/* of each segment: at its beginning */
};

/*
 * Fills elsewhere, unmasked, whole and a_whole of @strides, of which the other fields are known.
 * @live: NULL if that is not known. Where the search takes too long, or there is no memory,
 * everything may be read elsewhere.
 */
void vgpu_apart_find(const struct divergence *d, const struct live_registers *live,
		     struct stride *strides);

#endif

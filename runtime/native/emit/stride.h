/* SPDX-License-Identifier: MIT */
/*
 * What is known of values before a kernel runs: by how much each lane has more than the one before.
 * Zero is a uniform value. Most addresses of most kernels are known so: base + 4 * (block * threads
 * + thread). An access by one needs no look at its lanes, and the rest of a vector is derived from
 * its first part.
 *
 * A stride holds for all lanes that are active where it is known, and in all warps that have been
 * executed by code for strides from their first instruction on (run.c), in blocks whose warps are
 * rows: the lanes of a warp are threads in a row along x. What is known is no guess, but for one
 * thing: that a value of 32 bits does not wrap from one lane to the next where it becomes one of 64
 * bits. Code looks at that there, and if it does the warp goes on with code for no strides.
 *
 * Lanes that have been apart and meet again (at the reconvergence point of a branch) may have
 * written a register on different ways: nothing is known of it then.
 */
#ifndef VGPU_NATIVE_STRIDE_H
#define VGPU_NATIVE_STRIDE_H

#include <stdbool.h>

#include "live.h"

#define STRIDE_NONE	((s32)0x80000000)	/* nothing is known */

/** struct stride - of an instruction */
struct stride {
	s32 result;	/* of all registers that it writes */
	s32 a;		/* of its operand a, before it */
	/* for apart.h */
	bool unmasked;	/* its result may be written in inactive lanes as well */
	bool whole;	/* … and its stride holds there, too */
	bool a_whole;	/* that of operand a does */
	struct live elsewhere;	/* before it: what inactive lanes may read */
};

/*
 * Of the @count instructions of @code, malloc'ed. @leader: of each, whether a segment begins there;
 * only there do ways meet. @live: what is live in it, or NULL. Returns NULL where nothing is known
 * that helps, or it took too long, or there is no memory.
 */
struct stride *vgpu_stride_find(const struct vgpu_insn *code, u32 count, const u8 *leader,
				const struct live_registers *live);

/*
 * Does @i, with the stride @stride, widen a value of 32 bits that may wrap? @most: the highest
 * value of lane 0, or of the lowest active lane, that does not.
 */
bool vgpu_stride_may_wrap(const struct vgpu_insn *i, const struct stride *stride, u32 *most,
			  bool *is_signed);

#endif

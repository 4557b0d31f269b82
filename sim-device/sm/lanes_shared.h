/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Words of shared memory, each lane of a full warp at a place of its own: what tiles are read by. Offsets are 32 bits and
 * memory is one piece, so that one comparison of vectors is the whole check. Part of lanes_impl.h, used by lanes_mem.h.
 */
#ifndef VGPU_LANES_SHARED_H
#define VGPU_LANES_SHARED_H

#include "lanes_vec.h"

/* The value is taken as it is: loads lane by lane are not gathered into vectors, which is slower. */
#define OPAQUE(v)	__asm__("" : "+r"(v))

/* Offsets of all lanes from base registers @a and @imm; false: one is out of bounds or misaligned. */
lanes_inline bool shared_offsets(const struct vgpu_lanes *s, const u32 *a, u32 imm, u32 bytes, u32 *offsets)
{
	vu limit = splat(s->shared_bytes - bytes), bad = {};

	if (unlikely(s->shared_bytes < bytes))
		return false;
	EACH_VECTOR(k) {
		vu o = ((const vu *)a)[k] + splat(imm);

		((vu *)offsets)[k] = o;
		bad |= (vu)(o > limit) | (o & splat(bytes - 1));
	}
	return all_zero(bad);
}

/* Load @count words of each lane to the registers from @to on. false: nothing has happened, not that case. */
lanes_noinline bool shared_load(const struct vgpu_lanes *s, const u32 *a, u32 imm, u32 count, u32 *to)
{
	u32 offsets[VGPU_LANES] __attribute__((aligned(64)));
	const u8 *shared = s->shared;

	if (unlikely(!shared_offsets(s, a, imm, count * 4, offsets)))
		return false;
	for (u32 n = 0; n < count; n++, to += VGPU_LANES, shared += 4)
		UNROLL for (u32 l = 0; l < VGPU_LANES; l++) {
			u32 v = *(const u32 *)(shared + offsets[l]);

			OPAQUE(v);
			to[l] = v;
		}
	return true;
}

/* Store likewise, in the order of the lanes: of several that write the same place the highest wins. */
lanes_noinline bool shared_store(const struct vgpu_lanes *s, const u32 *a, u32 imm, u32 count, const u32 *from)
{
	u32 offsets[VGPU_LANES] __attribute__((aligned(64)));
	u8 *shared = s->shared;

	if (unlikely(!shared_offsets(s, a, imm, count * 4, offsets)))
		return false;
	if (count == 1)
		UNROLL for (u32 l = 0; l < VGPU_LANES; l++)
			*(u32 *)(shared + offsets[l]) = from[l];
	else
		for (u32 l = 0; l < VGPU_LANES; l++)
			for (u32 n = 0; n < count; n++)
				*(u32 *)(shared + offsets[l] + 4 * n) = from[n * VGPU_LANES + l];
	return true;
}

/* Are these the words of shared memory that the two above are for? */
lanes_inline bool shared_words(const struct vgpu_insn *i, u32 m)
{
	return m == FULL && (i->flags & 3) == 2 && !(i->flags & VGPU_F_ABS);
}

#endif

/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * What the lanes of a warp learn of each other: shuffles, votes, matches, all lanes at once. Which lanes take part is the
 * caller's affair (lanes_sync.h). Part of lanes_impl.h.
 */
#ifndef VGPU_LANES_VOTE_H
#define VGPU_LANES_VOTE_H

#if LANES_VECTOR == 32

lanes_inline vu permuted(vu v, vu from)
{
	vu r;

	__asm__("vpermd %2, %1, %0" : "=x"(r) : "x"(from), "x"(v));
	return r;
}

/* The words of 32 that the low five bits of @from name */
lanes_inline vu words_at(const vu *t, vu from)
{
	vu low = choose_words(from << 28, permuted(t[1], from), permuted(t[0], from));
	vu high = choose_words(from << 28, permuted(t[3], from), permuted(t[2], from));

	return choose_words(from << 27, high, low);
}

#endif

/* From lane @source of l, the lane, and n where that, j, is @in range; else from the lane itself. */
#define SHUFFLE(source, in)									\
	EACH_VECTOR(k) {									\
		vu l = vu_at(lane_iota, k), n = vu_at(b, k) & 31;				\
		vs j = (vs)(source);								\
		vu ok = (vu)(in);								\
		PUT(k, choose(ok, (vu)j, l));							\
		in_range |= mask_of(ok) << k * (LANES_VECTOR / 4);				\
	}
#define SEGMENT		(vu_at(c, k) >> 8 & 31)
#define FIRST		(l & SEGMENT)
#define LAST		(vs)(FIRST | (vu_at(c, k) & 31 & ~SEGMENT))
#if LANES_VECTOR == 32
#define PUT(k, from)	(((vu *)o)[k] = words_at(t, from))
#else
#define PUT(k, from)	(((vu *)at)[k] = (from) & 31)
#endif
#define WHOLE		0x100u		/* no segments: the first lane is 0, the last one 31 */

/*
 * shfl as PTX has it; a source lane that does not execute gives what its register holds. Returns "source in range". @o may
 * be an operand.
 */
lanes_noinline u32 shuffle(u32 *o, const u32 *a, const u32 *b, const u32 *c, u32 how)
{
#if LANES_VECTOR != 32
	u32 at[VGPU_LANES] __attribute__((aligned(64)));
#endif
	u32 in_range = 0;
	vu t[NV], other = {};

	EACH_VECTOR(k) {
		t[k] = vu_at(a, k);
		other |= vu_at(c, k) ^ (how == VGPU_SHFL_UP ? 0 : 31);
	}
	switch (how | (all_zero(other & 0x1f1f) ? WHOLE : 0)) {
	case VGPU_SHFL_UP | WHOLE:
		SHUFFLE(l - n, j >= 0);
		break;
	case VGPU_SHFL_DOWN | WHOLE:
		SHUFFLE(l + n, j <= 31);
		break;
	case VGPU_SHFL_BFLY | WHOLE:
		SHUFFLE(l ^ n, j == j);
		break;
	case VGPU_SHFL_IDX | WHOLE:
		SHUFFLE(n, j == j);
		break;
	case VGPU_SHFL_UP:
		SHUFFLE(l - n, j >= LAST);
		break;
	case VGPU_SHFL_DOWN:
		SHUFFLE(l + n, j <= LAST);
		break;
	case VGPU_SHFL_BFLY:
		SHUFFLE(l ^ n, j <= LAST);
		break;
	default:
		SHUFFLE(FIRST | (n & ~SEGMENT), j <= LAST);
	}
#if LANES_VECTOR != 32
	EACH_LANE(l)
		o[l] = ((const u32 *)t)[at[l]];
#endif
	return in_range;
}
#undef PUT
#undef SHUFFLE
#undef SEGMENT
#undef FIRST
#undef LAST
#undef WHOLE

/* The verdict of the lanes in @m, for all of them. */
lanes_inline u32 vote(u32 how, u32 preds, u32 m)
{
	u32 yes = preds & m;

	switch (how) {
	case VGPU_VOTE_ALL:
		return yes == m ? FULL : 0;
	case VGPU_VOTE_ANY:
		return yes ? FULL : 0;
	default:
		return yes == m || !yes ? FULL : 0;
	}
}

/* The verdict for each lane, of those in @m that its mask names. */
lanes_noinline u32 vote_by(u32 how, u32 preds, u32 m, const u32 *masks)
{
	u32 verdicts = 0;

	EACH_VECTOR(k) {
		vu among = ((const vu *)masks)[k] & splat(m), yes = among & splat(preds);
		vu all = (vu)(yes == among), none = (vu)(yes == splat(0));
		vu r = how == VGPU_VOTE_ALL ? all : how == VGPU_VOTE_ANY ? ~none : all | none;

		verdicts |= mask_of(r) << k * (LANES_VECTOR / 4);
	}
	return verdicts;
}

/*
 * The lanes whose value equals @value, of values laid out so that narrowing comparisons to bytes puts the lanes in order: the
 * lower half of vector k is lanes 4k and on, the upper half, where there is one, lanes 16 + 4k and on.
 */
#if LANES_VECTOR == 32
typedef short v16 __attribute__((vector_size(32)));
typedef char v8 __attribute__((vector_size(32)));

lanes_inline u32 same_lanes(const vu *v, u32 value)
{
	vs x = (vs)splat(value);
	v16 low = __builtin_ia32_packssdw256((vs)v[0] == x, (vs)v[1] == x);
	v16 high = __builtin_ia32_packssdw256((vs)v[2] == x, (vs)v[3] == x);

	return (u32)__builtin_ia32_pmovmskb256((v8)__builtin_ia32_packsswb256(low, high));
}

lanes_inline void lay_out(vu *v, const u32 *a)
{
	for (u32 k = 0; k < 4; k++) {
		__builtin_memcpy(&v[k], a + 4 * k, 16);
		__builtin_memcpy((u32 *)&v[k] + 4, a + 16 + 4 * k, 16);
	}
}
#else
typedef short v16 __attribute__((vector_size(16)));
typedef char v8 __attribute__((vector_size(16)));

lanes_inline u32 same_half(const vu *v, vs x)
{
	v16 low = __builtin_ia32_packssdw128((vs)v[0] == x, (vs)v[1] == x);
	v16 high = __builtin_ia32_packssdw128((vs)v[2] == x, (vs)v[3] == x);

	return (u32)__builtin_ia32_pmovmskb128((v8)__builtin_ia32_packsswb128(low, high));
}

lanes_inline u32 same_lanes(const vu *v, u32 value)
{
	vs x = (vs)splat(value);

	return same_half(v, x) | same_half(v + 4, x) << 16;
}

lanes_inline void lay_out(vu *v, const u32 *a)
{
	__builtin_memcpy(v, a, VGPU_LANES * sizeof(*a));
}
#endif

/* For each lane of @m those with the same @a. */
lanes_noinline void match32(u32 *o, const u32 *a, u32 m)
{
	vu v[NV];
	u32 same;

	lay_out(v, a);
	same = same_lanes(v, a[__builtin_ctz(m)]) & m;
	if (same == m) {
		EACH_VECTOR(k)
			((vu *)o)[k] = splat(m);
		return;
	}
	for (u32 l = 0; l < VGPU_LANES; l++)
		o[l] = same_lanes(v, a[l]) & m;
}

lanes_noinline void match64(u32 *o, const u64 *a, u32 m)
{
	u32 half[VGPU_LANES] __attribute__((aligned(64))), high[VGPU_LANES] __attribute__((aligned(64)));

	EACH_LANE(l)
		half[l] = (u32)(a[l] >> 32);
	match32(high, half, m);
	EACH_LANE(l)
		half[l] = (u32)a[l];
	match32(o, half, m);
	EACH_LANE(l)
		o[l] &= high[l];
}

/* From what match32() or match64() found among the lanes of @m to what MATCHSYNC answers. */
lanes_noinline void match_by(u32 *o, u32 m, const u32 *masks, u32 how)
{
	EACH_VECTOR(k) {
		vu among = ((const vu *)masks)[k] & splat(m), same = ((const vu *)o)[k] & among;

		((vu *)o)[k] = how == VGPU_MATCH_ALL ? same & (vu)(same == among) : same;
	}
}

#endif

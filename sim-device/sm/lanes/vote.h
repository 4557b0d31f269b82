/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * What the lanes of a warp learn of each other: shuffles, votes, matches, all lanes at once. Which
 * lanes take part is the caller's affair (sync.h). Part of impl.h.
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

/*
 * From lane @source of l, the lane, and n; where that, j, is @out of range, which a sign says, from
 * the lane itself.
 */
#define SHUFFLE(source, out)									\
	EACH_VECTOR(k) {									\
		vu l = vu_at(lane_iota, k), n = vu_at(b, k) & 31;				\
		vs j = (vs)(source);								\
		vu away = (vu)(out);								\
		PUT_LANES(k, j, away, l);							\
		in_range &= ~(mask_of(away) << k * (LANES_VECTOR / 4));				\
	}
/* The same where none is out of range. */
#define SHUFFLE_ALL(source)									\
	EACH_VECTOR(k) {									\
		vu l = vu_at(lane_iota, k), n = vu_at(b, k) & 31;				\
		(void)l;									\
		PUT_ALL(k, source);								\
	}
#define SEGMENT		(vu_at(c, k) >> 8 & 31)
#define FIRST		(l & SEGMENT)
#define LAST		(vs)(FIRST | (vu_at(c, k) & 31 & ~SEGMENT))
#if LANES_VECTOR == 32
#define PUT_LANES(k, j, away, l)								\
	(((vu *)o)[k] = choose_words(away, t[k], words_at(t, (vu)(j))))
#define PUT_ALL(k, from)	(((vu *)o)[k] = words_at(t, from))
#else
#define PUT_LANES(k, j, away, l)								\
	(((vu *)at)[k] = choose((vu)((vs)(away) < 0), l, (vu)(j)) & 31)
#define PUT_ALL(k, from)	(((vu *)at)[k] = (from) & 31)
#endif
#define WHOLE		0x100u		/* no segments: the first lane is 0, the last one 31 */

/*
 * shfl as PTX has it; a source lane that does not execute gives what its register holds. Returns
 * "source in range". @o may be an operand.
 */
lanes_noinline u32 shuffle(u32 *o, const u32 *a, const u32 *b, const u32 *c, u32 how)
{
#if LANES_VECTOR != 32
	u32 at[VGPU_LANES] __attribute__((aligned(64)));
#endif
	u32 in_range = FULL;
	vu t[NV], other = {};

	EACH_VECTOR(k) {
		t[k] = vu_at(a, k);
		other |= vu_at(c, k) ^ (how == VGPU_SHFL_UP ? 0 : 31);
	}
	switch (how | (all_zero(other & 0x1f1f) ? WHOLE : 0)) {
	case VGPU_SHFL_UP | WHOLE:
		SHUFFLE(l - n, j);
		break;
	case VGPU_SHFL_DOWN | WHOLE:
		SHUFFLE(l + n, j << 26);
		break;
	case VGPU_SHFL_BFLY | WHOLE:
		SHUFFLE_ALL(l ^ n);
		break;
	case VGPU_SHFL_IDX | WHOLE:
		SHUFFLE_ALL(n);
		break;
	case VGPU_SHFL_UP:
		SHUFFLE(l - n, LAST > j);
		break;
	case VGPU_SHFL_DOWN:
		SHUFFLE(l + n, j > LAST);
		break;
	case VGPU_SHFL_BFLY:
		SHUFFLE(l ^ n, j > LAST);
		break;
	default:
		SHUFFLE(FIRST | (n & ~SEGMENT), j > LAST);
	}
#if LANES_VECTOR != 32
	EACH_LANE(l)
		o[l] = ((const u32 *)t)[at[l]];
#endif
	return in_range;
}
#undef PUT_LANES
#undef PUT_ALL
#undef SHUFFLE
#undef SHUFFLE_ALL
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
 * The same where all lanes differ in the low byte alone, as digits and small numbers do; false: not
 * that case.
 */
lanes_inline bool match_bytes(u32 *o, const u32 *a, u32 m)
{
	u32 byte[VGPU_LANES] __attribute__((aligned(64)));	/* four times each */
	vu v[NV], other = {};

	lay_out(v, a);
	EACH_VECTOR(k) {
		vu x = vu_at(a, k) ^ splat(a[0]);

		other |= x;
		((vu *)byte)[k] = x * 0x01010101u;
	}
	if (!all_zero(other & ~0xffu))
		return false;
	EACH_VECTOR(k)
		v[k] ^= splat(a[0]);
	lay_out_bytes(v);
	for (u32 l = 0; l < VGPU_LANES; l++)
		o[l] = same_bytes(v, byte[l]) & m;
	return true;
}

#if LANES_VECTOR == 32
#define ROTATED(v)	__builtin_shufflevector(v, v, 1, 2, 3, 4, 5, 6, 7, 0)
#else
#define ROTATED(v)	__builtin_shufflevector(v, v, 1, 2, 3, 0)
#endif

/* Lanes whose value another has too: of those with the same value at least one. */
lanes_inline u32 repeated(const u32 *a)
{
	vu v[NV], turned[NV], same[NV] = {};
	u32 lanes = 0;

	EACH_VECTOR(k)
		v[k] = turned[k] = vu_at(a, k);
	for (u32 n = 0; n < LANES_VECTOR / 4; n++) {
		EACH_VECTOR(k) {
			for (int j = 0; j < k; j++)
				same[k] |= (vu)(v[k] == turned[j]);
		}
		EACH_VECTOR(k) {
			turned[k] = ROTATED(turned[k]);
			if (n < LANES_VECTOR / 8)
				same[k] |= (vu)(v[k] == turned[k]);
		}
	}
	EACH_VECTOR(k)
		lanes |= mask_of(same[k]) << k * (LANES_VECTOR / 4);
	return lanes;
}

/* Write @v to @o in the lanes of @m. */
lanes_inline void put(u32 *o, u32 v, u32 m)
{
	EACH_VECTOR(k)
		((vu *)o)[k] = choose(lanes_of(m, k), splat(v), vu_at(o, k));
}

/* For each lane of @m those with the same @a. */
lanes_noinline void match32(u32 *o, const u32 *a, u32 m)
{
	u32 same, left = m;
	vu v[NV];

	lay_out(v, a);
	/* one value after the other while many lanes have it */
	for (;;) {
		same = same_lanes(v, a[__builtin_ctz(left)]) & m;
		if (same != left && popcount32(same) < 5)
			break;
		put(o, same, same);
		left &= ~same;
		if (!left)
			return;
	}
	if (match_bytes(o, a, m))
		return;
	same = repeated(a) & left;
	if (popcount32(same) > 6) {
		for (u32 l = 0; l < VGPU_LANES; l++)
			o[l] = same_lanes(v, a[l]) & m;
		return;
	}
	EACH_VECTOR(k)
		((vu *)o)[k] = choose(lanes_of(left, k), vu_at(lane_bit, k), vu_at(o, k));
	for (left = same; left; left &= ~same) {
		same = same_lanes(v, a[__builtin_ctz(left)]) & m;
		put(o, same, same);
	}
}

struct halves {
	u32 low[VGPU_LANES], high[VGPU_LANES];
} __attribute__((aligned(64)));

lanes_inline void halve(struct halves *h, const u64 *a)
{
	EACH_LANE(l) {
		h->low[l] = (u32)a[l];
		h->high[l] = (u32)(a[l] >> 32);
	}
}

/* Is it @v in all lanes of @m? */
lanes_inline bool all_are(const u32 *a, u32 v, u32 m)
{
	vu other = {};

	EACH_VECTOR(k)
		other |= (vu_at(a, k) ^ splat(v)) & lanes_of(m, k);
	return all_zero(other);
}

lanes_noinline void match64(u32 *o, const u64 *a, u32 m)
{
	struct halves h;
	vu other = {};

	halve(&h, a);
	match32(o, h.low, m);
	if (all_are(h.high, h.high[__builtin_ctz(m)], m))
		return;
	EACH_VECTOR(k)
		other |= (vu_at(o, k) ^ vu_at(lane_bit, k)) & lanes_of(m, k);
	if (all_zero(other))	/* the low halves are all different */
		return;
	match32(h.low, h.high, m);
	EACH_VECTOR(k)
		((vu *)o)[k] &= vu_at(h.low, k);
}

/* From what match32() or match64() found among the lanes of @m to what MATCHSYNC answers. */
lanes_noinline void match_by(u32 *o, u32 m, const u32 *masks, u32 how)
{
	EACH_VECTOR(k) {
		vu among = ((const vu *)masks)[k] & splat(m), same = ((const vu *)o)[k] & among;

		((vu *)o)[k] = how == VGPU_MATCH_ALL ? same & (vu)(same == among) : same;
	}
}

/*
 * Match all by the masks, where those of all lanes are the same: the value of one of its members
 * decides. false: not that case.
 * @high: of 64-bit values, or NULL
 */
lanes_noinline bool match_all(u32 *o, const u32 *low, const u32 *high, u32 m, const u32 *masks)
{
	u32 mask = masks[__builtin_ctz(m)], among = mask & m, same = 0;
	vu v[NV];

	if (!all_are(masks, mask, m))
		return false;
	if (among) {
		u32 first = (u32)__builtin_ctz(among);

		lay_out(v, low);
		same = same_lanes(v, low[first]);
		if (high) {
			lay_out(v, high);
			same &= same_lanes(v, high[first]);
		}
	}
	if (among & ~same)
		same = 0;
	EACH_VECTOR(k)
		((vu *)o)[k] = lanes_of(same, k) & splat(among);
	return true;
}

/* MATCHSYNC and MATCHSYNCQ where all members execute it */
lanes_noinline void match_sync32(u32 *o, const u32 *a, u32 m, const u32 *masks, u32 how)
{
	if (how == VGPU_MATCH_ALL && match_all(o, a, NULL, m, masks))
		return;
	match32(o, a, m);
	match_by(o, m, masks, how);
}

lanes_noinline void match_sync64(u32 *o, const u64 *a, u32 m, const u32 *masks, u32 how)
{
	struct halves h;

	if (how == VGPU_MATCH_ALL) {
		halve(&h, a);
		if (match_all(o, h.low, h.high, m, masks))
			return;
	}
	match64(o, a, m);
	match_by(o, m, masks, how);
}

#endif

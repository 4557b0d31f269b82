/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Fused multiply-add without the instruction: the exact product plus c, rounded once. Part of
 * impl.h; the AVX2 build has only the instruction, the unit tests compare the two.
 */
#ifndef VGPU_LANES_FMA_H
#define VGPU_LANES_FMA_H

#if LANES_VECTOR == 32

lanes_inline vf fma_vf(vf a, vf b, vf c)
{
	return __builtin_ia32_vfmaddps256(a, b, c);
}

lanes_inline vd fma_vd(vd a, vd b, vd c)
{
	return __builtin_ia32_vfmaddpd256(a, b, c);
}

#else

/*
 * f32 by way of f64: the product of two 24-bit significands is exact in 53 bits. The sum is
 * computed with its error (Knuth's TwoSum) and made odd where it is not exact, so that rounding it
 * once more, to 24 bits, rounds as the exact sum would (Boldo and Melquiond: 53 >= 24 + 2).
 */
lanes_inline vd ffma_odd(vd a, vd b, vd c, bool down)
{
	vd p = a * b;
	vd s = p + c;
	vd t = s - p;
	vd e = (p - (s - t)) + (c - t);
	vuq bits = (vuq)s;
	/* not exact, even, and finite, which a NaN for an error needs */
	vuq move = (vuq)(e != 0) & ((bits & 1) - 1) & (vuq)(s - s == 0);
	vuq same = ~((vuq)(e > 0) ^ (vuq)(s > 0));

	bits += ((same & 2) - 1) & move;
	if (down)	/* a sum that is exactly zero: -0, but for +0 + +0 */
		bits |= (vuq)(s == 0) & ((vuq)p | (vuq)c | (0 - ((vuq)p | (vuq)c))) &
			0x8000000000000000ull;
	return (vd)bits;
}

/*
 * Sums that have been rounded to 53 bits: where rounding them once more may differ from rounding
 * the exact ones. They lie in the middle between two floats, or are less than the least normal one.
 */
lanes_inline vu ffma_is_near(vd s)
{
	vuq bits = (vuq)s;
	vu middle = (vu)(bits & 0x1fffffff) == (vu)splatq(1ull << 32 | 0x10000000);
	vs high = (vs)(bits & 0x7fffffff00000000ull);

	return middle | (vu)((high < 0x38100000) & (high > 0));
}

lanes_noinline vf ffma_exact(vf a, vf b, vf c)
{
	return join_f(
		ffma_odd(widen_f(LOW_HALF(a)), widen_f(LOW_HALF(b)), widen_f(LOW_HALF(c)), false),
		ffma_odd(widen_f(HIGH_HALF(a)), widen_f(HIGH_HALF(b)), widen_f(HIGH_HALF(c)),
			 false));
}

/* to nearest */
lanes_inline vf fma_vf(vf a, vf b, vf c)
{
	vd low = widen_f(LOW_HALF(a)) * widen_f(LOW_HALF(b)) + widen_f(LOW_HALF(c));
	vd high = widen_f(HIGH_HALF(a)) * widen_f(HIGH_HALF(b)) + widen_f(HIGH_HALF(c));

	if (unlikely(mask_of(ffma_is_near(low) | ffma_is_near(high))))
		return ffma_exact(a, b, c);
	return join_f(low, high);
}

/* What an FFMA under another mode rounds: sums that are exact, or odd. The mode is to nearest. */
lanes_noinline void ffma_odds(u64 *o, const u32 *a, const u32 *b, const u32 *c, u32 flags)
{
	vu clear = flushed(flags & VGPU_F_FTZ);
	bool down = VGPU_F_RND(flags) == VGPU_RND_RM;

	for (int k = 0; k < NV; k++) {
		vf x = (vf)flush_v(vu_at(a, k), clear), y = (vf)flush_v(vu_at(b, k), clear);
		vf z = (vf)flush_v(vu_at(c, k), clear);

		((vd *)o)[2 * k] = ffma_odd(widen_f(LOW_HALF(x)), widen_f(LOW_HALF(y)),
					    widen_f(LOW_HALF(z)), down);
		((vd *)o)[2 * k + 1] = ffma_odd(widen_f(HIGH_HALF(x)), widen_f(HIGH_HALF(y)),
						widen_f(HIGH_HALF(z)), down);
	}
}

/* Shift right, keeping in bit 0 whether anything was lost. */
lanes_inline unsigned __int128 shift_sticky(unsigned __int128 v, u32 n)
{
	if (!n)
		return v;
	if (n >= 128)
		return v != 0;
	return v >> n | ((v & (((unsigned __int128)1 << n) - 1)) != 0);
}

lanes_inline u32 clz128(unsigned __int128 v)
{
	return v >> 64 ? clz64((u64)(v >> 64)) : 64 + clz64((u64)v);
}

/* Round (-1)^sign x v x 2^exp, v != 0, to a double. */
lanes_inline u64 round_pack64(u32 sign, unsigned __int128 v, s32 exp, u32 mode)
{
	u32 lead = clz128(v);
	s32 top = exp + 127 - (s32)lead;	/* exponent of the leading bit */
	s32 drop;			/* bits below the result's last */
	u64 sig, low;
	bool up;

	/*
	 * leading bit to bit 127, exactly; then the significand is bits 127..75, or fewer when
	 * subnormal
	 */
	v <<= lead;
	drop = 75;
	if (top < -1022)
		drop += -1022 - top;
	if (drop > 129)
		drop = 129;	/* less than half of the smallest subnormal, however much less */
	v = shift_sticky(v, (u32)drop - 62);	/* 62 bits stay below, the last one sticky */
	sig = (u64)(v >> 62);
	low = (u64)v & ((1ull << 62) - 1);
	switch (mode) {
	case VGPU_RND_RN:
		up = low > 1ull << 61 || (low == 1ull << 61 && (sig & 1));
		break;
	case VGPU_RND_RM:
		up = sign && low;
		break;
	case VGPU_RND_RP:
		up = !sign && low;
		break;
	default:
		up = false;
	}
	sig += up;
	/* a carry out of the significand moves into the exponent by itself */
	if (top >= -1022) {
		if (top > 1023 || (top == 1023 && sig >> 53)) {
			bool infinite =
				mode == VGPU_RND_RN || mode == (sign ? VGPU_RND_RM : VGPU_RND_RP);

			return (u64)sign << 63 |
			       (infinite ? 0x7ff0000000000000ull : 0x7fefffffffffffffull);
		}
		sig += (u64)(top + 1022) << 52;
	}
	return (u64)sign << 63 | sig;
}

lanes_inline u64 dfma_soft(u64 a, u64 b, u64 c, u32 mode)
{
	const u64 frac = (1ull << 52) - 1;
	u32 ea = a >> 52 & 0x7ff, eb = b >> 52 & 0x7ff, ec = c >> 52 & 0x7ff;
	u32 sp = (u32)((a ^ b) >> 63), sc = (u32)(c >> 63);
	u64 ma = a & frac, mb = b & frac, mc = c & frac;
	unsigned __int128 p, q;
	s32 ep, eq;

	if (ea == 0x7ff || eb == 0x7ff || ec == 0x7ff) {
		bool zero = !(a << 1) || !(b << 1);

		if ((ea == 0x7ff && ma) || (eb == 0x7ff && mb) || (ec == 0x7ff && mc))
			return 0x7ff8000000000000ull;
		if (ea == 0x7ff || eb == 0x7ff) {
			if (zero || (ec == 0x7ff && sc != sp))
				return 0x7ff8000000000000ull;
			return (u64)sp << 63 | 0x7ff0000000000000ull;
		}
		return c;
	}
	if (ea)
		ma |= 1ull << 52;
	else
		ea = 1;
	if (eb)
		mb |= 1ull << 52;
	else
		eb = 1;
	if (ec)
		mc |= 1ull << 52;
	else
		ec = 1;
	p = (unsigned __int128)ma * mb;			/* below 2^106 */
	ep = (s32)ea + (s32)eb - 2 * 1075;
	q = mc;
	eq = (s32)ec - 1075;
	if (!p && !q)
		return (u64)(sp == sc ? sp : mode == VGPU_RND_RM) << 63;
	if (!p)
		return c;
	if (!q)
		return round_pack64(sp, p, ep, mode);
	/*
	 * The one with the higher leading bit goes to bit 126; the other is aligned to it, lost
	 * bits sticky. Two significands of at most 106 bits: when the leading bits are within one
	 * of each other nothing is lost.
	 */
	{
		u32 lp = clz128(p), lq = clz128(q);
		s32 tp = ep + 127 - (s32)lp, tq = eq + 127 - (s32)lq;
		s32 top = tp > tq ? tp : tq;
		unsigned __int128 v;
		u32 sign;

		p = p << lp >> 1;
		q = q << lq >> 1;
		p = shift_sticky(p, (u32)(top - tp));
		q = shift_sticky(q, (u32)(top - tq));
		if (sp == sc) {
			v = p + q;
			sign = sp;
		} else if (p >= q) {
			v = p - q;
			sign = sp;
		} else {
			v = q - p;
			sign = sc;
		}
		if (!v)
			return (u64)(mode == VGPU_RND_RM) << 63;
		return round_pack64(sign, v, top - 126, mode);
	}
}

lanes_noinline void dfma_lanes(u64 *o, const u64 *a, const u64 *b, const u64 *c, u32 mode)
{
	for (u32 l = 0; l < VGPU_LANES; l++)
		o[l] = dfma_soft(a[l], b[l], c[l], mode);
}

#endif

#endif

/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Integer operations of one lane that C has no operator for, as PTX defines them. Part of
 * impl.h.
 */
#ifndef VGPU_LANES_INT_H
#define VGPU_LANES_INT_H

lanes_inline u64 divs64(u64 a, u64 b)
{
	if (!b)
		return ~0ull;
	if (b == ~0ull)
		return 0 - a;
	return (u64)((s64)a / (s64)b);
}

lanes_inline u64 divu64(u64 a, u64 b)
{
	return b ? a / b : ~0ull;
}

lanes_inline u64 rems64(u64 a, u64 b)
{
	if (!b)
		return a;
	if (b == ~0ull)
		return 0;
	return (u64)((s64)a % (s64)b);
}

lanes_inline u64 remu64(u64 a, u64 b)
{
	return b ? a % b : a;
}

lanes_inline u32 clz64(u64 a)
{
	return a ? (u32)__builtin_clzll(a) : 64;
}

lanes_inline u64 shl64(u64 a, u32 n)
{
	return n < 64 ? a << n : 0;
}

lanes_inline u64 shru64(u64 a, u32 n)
{
	return n < 64 ? a >> n : 0;
}

lanes_inline u64 shrs64(u64 a, u32 n)
{
	return (u64)((s64)a >> (n < 64 ? n : 63));
}

/* High word of high:low << n, low word of high:low >> n; n in 0..32. */
lanes_inline u32 funnel_left(u32 low, u32 high, u32 n)
{
	return (u32)((((u64)high << 32 | low) << n) >> 32);
}

lanes_inline u32 funnel_right(u32 low, u32 high, u32 n)
{
	return (u32)(((u64)high << 32 | low) >> n);
}

/* ---- the same of all lanes at once -------------------------------------- */

#if LANES_VECTOR == 32

/* Bytes: table lookup in 16 of them, and choice by a top bit */
lanes_inline vu bytes_of(vu table, vu index)
{
	vu r;

	__asm__("vpshufb %2, %1, %0" : "=x"(r) : "x"(table), "x"(index));
	return r;
}

lanes_inline vu choose_bytes(vu by, vu a, vu b)
{
	vu r;

	__asm__("vpblendvb %3, %2, %1, %0" : "=x"(r) : "x"(b), "x"(a), "x"(by));
	return r;
}

/* Shifts by 64 and more leave nothing. */
lanes_inline vuq shl_vq(vuq v, vuq n)
{
	vuq r;

	__asm__("vpsllvq %2, %1, %0" : "=x"(r) : "x"(v), "x"(n));
	return r;
}

lanes_inline vuq shr_vq(vuq v, vuq n)
{
	vuq r;

	__asm__("vpsrlvq %2, %1, %0" : "=x"(r) : "x"(v), "x"(n));
	return r;
}

#define SHIFT_OP(name, insn)									\
	lanes_inline vu name(vu v, vu n)							\
	{											\
		vu r;										\
												\
		__asm__(insn " %2, %1, %0" : "=x"(r) : "x"(v), "x"(n));				\
		return r;									\
	}

/* By 32 and more: nothing is left, or the sign alone. */
SHIFT_OP(shl_v, "vpsllvd")
SHIFT_OP(shr_v, "vpsrlvd")
SHIFT_OP(sar_v, "vpsravd")
#undef SHIFT_OP

lanes_inline vu least_vu(vu a, vu b)
{
	vu r;

	__asm__("vpminud %2, %1, %0" : "=x"(r) : "x"(a), "x"(b));
	return r;
}

#endif

/* all ones where @v, as 32 bits, is not 0 */
lanes_inline vu nonzero(vu v)
{
	return ~(vu)(v == 0);
}

#if LANES_VECTOR == 16
/* v << n; 0 from the width up */
lanes_inline vu shl_v(vu v, vu n)
{
	return (v << (n & 31)) & (vu)(n < 32);
}
#endif

/* As floats: the exponent. The bit below the leading one is cleared, so that nothing rounds up. */
lanes_inline vu clz_v(vu v)
{
	vu f = (vu)floats_vs((vs)(v & ~(v >> 1))) >> 23;
	vu n = 158 - f;

	n = choose((vu)(v == 0), splat(32), n);
	return n & ~(vu)((vs)v < 0);
}

lanes_inline vu popc_v(vu v)
{
	v -= v >> 1 & 0x55555555u;
	v = (v & 0x33333333u) + (v >> 2 & 0x33333333u);
	v = (v + (v >> 4)) & 0x0f0f0f0fu;
	v += v >> 8;
	return (v + (v >> 16)) & 0x3f;
}

#if LANES_VECTOR == 32

/* Nibbles by table, bytes moved by @order */
lanes_inline vu reversed_v(vu v, vu order)
{
	const vu low = { 0x0c040800, 0x0e060a02, 0x0d050901, 0x0f070b03,
			 0x0c040800, 0x0e060a02, 0x0d050901, 0x0f070b03 };

	v = bytes_of(low << 4, v & 0x0f0f0f0fu) | bytes_of(low, v >> 4 & 0x0f0f0f0fu);
	return bytes_of(v, order);
}

lanes_inline vu brev_v(vu v)
{
	const vu order = { 0x00010203, 0x04050607, 0x08090a0b, 0x0c0d0e0f,
			   0x00010203, 0x04050607, 0x08090a0b, 0x0c0d0e0f };

	return reversed_v(v, order);
}

lanes_inline vuq brev_vq(vuq v)
{
	const vu order = { 0x04050607, 0x00010203, 0x0c0d0e0f, 0x08090a0b,
			   0x04050607, 0x00010203, 0x0c0d0e0f, 0x08090a0b };

	return (vuq)reversed_v((vu)v, order);
}

#else

lanes_inline vu brev_v(vu v)
{
	v = (v >> 1 & 0x55555555u) | (v & 0x55555555u) << 1;
	v = (v >> 2 & 0x33333333u) | (v & 0x33333333u) << 2;
	v = (v >> 4 & 0x0f0f0f0fu) | (v & 0x0f0f0f0fu) << 4;
	v = (v >> 8 & 0x00ff00ffu) | (v & 0x00ff00ffu) << 8;
	return v >> 16 | v << 16;
}

lanes_inline vuq brev_vq(vuq v)
{
	v = (vuq)brev_v((vu)v);
	return v >> 32 | v << 32;
}

#endif

/* Of 64 bits by halves */
lanes_inline vu clz_halves(vu low, vu high)
{
	vu none = (vu)(high == 0);

	return clz_v(high | (low & none)) + (none & 32);
}

lanes_inline vu popc_halves(vu low, vu high)
{
	low -= low >> 1 & 0x55555555u;
	high -= high >> 1 & 0x55555555u;
	low = (low & 0x33333333u) + (low >> 2 & 0x33333333u) + (high & 0x33333333u) +
	      (high >> 2 & 0x33333333u);
	low = (low & 0x0f0f0f0fu) + (low >> 4 & 0x0f0f0f0fu);
	low += low >> 8;
	return (low + (low >> 16)) & 0x7f;
}

/*
 * bfe: the field has `have` bits of the word, at least one unless its length is 0; signed, the top
 * one goes on. bfi: position in bits 0-7 of @spec, length in bits 8-15.
 */
#if LANES_VECTOR == 32

/* The field to the top of the word and back, which is not as far only where the word ends first */
lanes_inline vu bfe_v(vu a, vu pos, vu len, bool is_signed)
{
	vs back;

	pos &= 0xff;
	len &= 0xff;
	if (!is_signed)
		return shr_v(a, pos) & ~shl_v(splat(~0u), len);
	pos = least_vu(pos, splat(31));
	back = most_vs((vs)(32 - len), (vs)pos);
	return sar_v(shl_v(shr_v(a, pos), (vu)back), (vu)back);
}

#else

lanes_inline vu bfe_v(vu a, vu pos, vu len, bool is_signed)
{
	vu beyond, have, field, top;

	pos &= 0xff;
	len &= 0xff;
	beyond = (vu)((vs)pos > 31);
	pos = choose(beyond, splat(31), pos);
	have = 32 - pos;
	have = choose((vu)((vs)len < (vs)have), len, have);
	field = (a >> pos) & (shl_v(splat(1), have) - 1);
	if (!is_signed)
		return field & ~beyond;
	top = splat(1) << ((have - 1) & 31);
	return ((field ^ top) - top) & nonzero(len);
}

#endif

lanes_inline vu bfi_v(vu a, vu b, vu spec)
{
	vu pos = spec & 0xff, len = spec >> 8 & 0xff;
	vu mask = shl_v(shl_v(splat(1), len) - 1, pos);

	return (b & ~mask) | (shl_v(a, pos) & mask);
}

/* The same of 64 bits */
#if LANES_VECTOR == 32

lanes_inline vuq bfe_vq(vuq a, vuq pos, vuq len, bool is_signed)
{
	vuq back, minus;

	pos &= 0xff;
	len &= 0xff;
	if (!is_signed)
		return shr_vq(a, pos) & ~shl_vq(splatq(~0ull), len);
	pos = (vuq)least_vu((vu)pos, (vu)splatq(63));
	back = (vuq)most_vs((vs)(64 - len), (vs)pos);
	a = shl_vq(shr_vq(a, pos), back);
	minus = minus_vq(a);
	return shr_vq(a ^ minus, back) ^ minus;
}

lanes_inline vuq bfi_vq(vuq a, vuq b, vuq spec)
{
	vuq pos = spec & 0xff, len = spec >> 8 & 0xff;
	vuq mask = shl_vq(~shl_vq(splatq(~0ull), len), pos);

	return (b & ~mask) | (shl_vq(a, pos) & mask);
}

#else

lanes_inline vuq bfe_vq(vuq a, vuq pos, vuq len, bool is_signed)
{
	vuq beyond, have, field, top, more;

	pos &= 0xff;
	len &= 0xff;
	beyond = minus_vq(63 - pos);
	pos = chooseq(beyond, splatq(63), pos);
	have = 64 - pos;
	more = minus_vq(len - have);
	have = chooseq(more, len, have);	/* 64: only at 0 */
	top = (splatq(1) << ((have - 1) & 63)) & ~minus_vq(have - 1);
	field = (a >> pos) & (top | (top - 1)) & ~minus_vq(len - 1);
	if (!is_signed)
		return field & ~beyond;
	return (field ^ top) - top;
}

lanes_inline vuq bfi_vq(vuq a, vuq b, vuq spec)
{
	vuq pos = spec & 0xff, len = spec >> 8 & 0xff, inside = minus_vq(pos - 64);
	vuq mask = ((splatq(1) << (len & 63)) - 1) | ~minus_vq(len - 64);

	mask = (mask << (pos & 63)) & inside;
	return (b & ~mask) | (((a << (pos & 63))) & mask);
}

#endif

#if LANES_VECTOR == 32

lanes_inline vu prmt_v(vu a, vu b, vu select)
{
	const vu lane = { 0, 0x04040404, 0x08080808, 0x0c0c0c0c,
			  0, 0x04040404, 0x08080808, 0x0c0c0c0c };
	vu s, index, r, minus;

	s = select & 0xffff;
	s = (s | s << 8) & 0x00ff00ffu;
	s = (s | s << 4) & 0x0f0f0f0fu;		/* a nibble in each byte */
	index = (s & 0x03030303u) | lane;
	r = choose_bytes(s << 5, bytes_of(b, index), bytes_of(a, index));
	__asm__("vpcmpgtb %2, %1, %0" : "=x"(minus) : "x"((vu){}), "x"(r));
	return choose_bytes(s << 4, minus, r);
}

#else

lanes_inline vu prmt_v(vu a, vu b, vu select)
{
	vu d = {};

	UNROLL for (u32 n = 0; n < 4; n++) {
		vu s = select >> 4 * n, v = choose(nonzero(s & 4), b, a), minus = nonzero(s & 8);

		v = choose(nonzero(s & 2), v >> 16, v);
		v = choose(nonzero(s & 1), v >> 8, v) & 0xff;
		d |= choose(minus, (0 - (v >> 7)) & 0xff, v) << 8 * n;
	}
	return d;
}

#endif

/*
 * The high words of products of 64 bits, lane by lane: the vector unit has no such product, and to
 * put one together from those of the halves is slower.
 */
#define HIGH_PRODUCTS(name, wide, narrow)							\
	lanes_noinline void name(u64 *o, const u64 *a, const u64 *b)				\
	{											\
		UNROLL for (u32 l = 0; l < VGPU_LANES; l++)					\
			o[l] = (u64)((wide)(narrow)a[l] * (narrow)b[l] >> 64);			\
	}											\
	lanes_noinline void name##_by(u64 *o, const u64 *a, u64 b)				\
	{											\
		UNROLL for (u32 l = 0; l < VGPU_LANES; l++)					\
			o[l] = (u64)((wide)(narrow)a[l] * (narrow)b >> 64);			\
	}

HIGH_PRODUCTS(mulhsq, __int128, s64)
HIGH_PRODUCTS(mulhuq, unsigned __int128, u64)

/*
 * Division of 32 bits is exact in doubles: what is not an integer is further from one than the
 * quotient is rounded. Only by 1 can an unsigned quotient be beyond the signed range.
 */
lanes_inline vu_half quotient(vu_half a, vu_half b, bool is_signed)
{
	vd x, y;

	if (is_signed) {
		x = __builtin_convertvector((vs_half)a, vd);
		y = __builtin_convertvector((vs_half)b, vd);
	} else {
		x = small_d(widen(a));
		y = small_d(widen(b));
	}
	return (vu_half)truncated_halves(x / y);
}

lanes_inline vu div_v(vu a, vu b, bool is_signed)
{
	vu q = JOIN(quotient(LOW_HALF(a), LOW_HALF(b), is_signed),
		    quotient(HIGH_HALF(a), HIGH_HALF(b), is_signed));

	if (!is_signed)
		q = choose((vu)(b == 1), a, q);
	return q | (vu)(b == 0);
}

/*
 * By a divisor, of which @inverse is 1 over it: a + 1/2 is at least half of that away from its next
 * multiples, and the error less than 2^-20 of that. Not of unsigned numbers by 1.
 */
lanes_inline vu_half quotient_by(vu_half a, double inverse, bool is_signed)
{
	vd v = is_signed ? __builtin_convertvector((vs_half)a, vd) : small_d(widen(a));
	vd half = splat_d(0.5);

	if (is_signed)
		half = (vd)((vuq)half | ((vuq)v & splatq(1ull << 63)));
	return (vu_half)truncated_halves((v + half) * splat_d(inverse));
}

lanes_inline vu div_by(vu a, u32 b, double inverse, bool is_signed)
{
	if (!is_signed && b == 1)
		return a;
	return JOIN(quotient_by(LOW_HALF(a), inverse, is_signed),
		    quotient_by(HIGH_HALF(a), inverse, is_signed));
}

/* Of the lanes in @m, which mostly have one divisor; what the others have in @o is not used. */
lanes_inline void divide(u32 *o, const u32 *a, const u32 *b, u32 m, bool is_signed, bool remainder)
{
	u32 one = b[__builtin_ctz(m)];
	vu other = {};
	double inverse;

	EACH_VECTOR(k)
		other |= (vu_at(b, k) ^ splat(one)) & lanes_of(m, k);
	if (!one || !all_zero(other)) {
		EACH_VECTOR(k) {
			vu x = vu_at(a, k), y = vu_at(b, k), q = div_v(x, y, is_signed);

			((vu *)o)[k] = remainder ? x - q * y : q;
		}
		return;
	}
	inverse = 1.0 / (is_signed ? (double)(s32)one : (double)one);
	EACH_VECTOR(k) {
		vu x = vu_at(a, k), q = div_by(x, one, inverse, is_signed);

		((vu *)o)[k] = remainder ? x - q * splat(one) : q;
	}
}

lanes_noinline void divs(u32 *o, const u32 *a, const u32 *b, u32 m)
{
	divide(o, a, b, m, true, false);
}

lanes_noinline void divu(u32 *o, const u32 *a, const u32 *b, u32 m)
{
	divide(o, a, b, m, false, false);
}

lanes_noinline void rems(u32 *o, const u32 *a, const u32 *b, u32 m)
{
	divide(o, a, b, m, true, true);
}

lanes_noinline void remu(u32 *o, const u32 *a, const u32 *b, u32 m)
{
	divide(o, a, b, m, false, true);
}

/*
 * Of 64 bits: the same while operands are below 2^52, signed ones from -2^51 to 2^51. A quotient
 * that is not integral is further below the next integer than a double rounds it. false: not that
 * case.
 */
lanes_inline bool div_near(u64 *o, const u64 *a, const u64 *b, bool is_signed, bool remainder)
{
	const u64 below = is_signed ? 1ull << 51 : 0,
		  magic = is_signed ? 0x4338000000000000ull : 0x4330000000000000ull;
	const vd base = splat_d(is_signed ? 0x1.8p+52 : 0x1p+52);
	vuq far = {};

	EACH_VECTORQ(k)
		far |= (vuq_at(a, k) + below) | (vuq_at(b, k) + below);
	if (!all_zero((vu)(far >> 52)))
		return false;
	EACH_VECTORQ(k) {
		/* the integers lie in the low bits of the base + them */
		vuq x = vuq_at(a, k), y = vuq_at(b, k), r;
		vd xd = (vd)(x + magic) - base, yd = (vd)(y + magic) - base,
		   q = truncated_vd(xd / yd);
		vuq by_zero = (vuq)(yd == 0);

		if (remainder) {
			r = (vuq)(xd - q * yd + base) - magic;
			r = chooseq(by_zero, x, r);
		} else {
			r = ((vuq)(q + base) - magic) | by_zero;
		}
		((vuq *)o)[k] = r;
	}
	return true;
}

#if LANES_VECTOR == 32

lanes_inline vd doubles_vq(vuq v)
{
	const vu magic = (vu)splatq(0x4330000000000000ull);
	vd high = (vd)(v >> 32 | 0x4530000000000000ull) - (0x1p+84 + 0x1p+52);

	return high + (vd)__builtin_shufflevector((vu)v, magic, 0, 9, 2, 11, 4, 13, 6, 15);
}

/*
 * Any operands: a quotient from doubles, which is below the true one by 2^-49 of it and 1 at most,
 * then the same of what is left over, which is less than the divisor and 2^15; not where all
 * quotients are below 2^48. After that 1 may be missing. Whatever is left fits 64 bits, since no
 * quotient is too large.
 */
lanes_inline void div_far(u64 *o, const u64 *a, const u64 *b, bool is_signed, bool remainder)
{
	vuq small = {};
	bool two;

	EACH_VECTORQ(k) {
		vuq y = vuq_at(b, k), sy = is_signed ? minus_vq(y) : (vuq){};

		small |= (vuq)(((y ^ sy) >> 16) == 0);
	}
	two = !all_zero((vu)small);
	for (int k = 0; k < NVQ; k++) {
		vuq n = vuq_at(a, k), x = n, y = vuq_at(b, k), sx = {}, sy = {}, q, r, more;
		vd inverse, d, high;

		if (is_signed) {
			sx = minus_vq(x);
			sy = minus_vq(y);
			x = (x ^ sx) - sx;
			y = (y ^ sy) - sy;
		}
		inverse = (1 - 0x1p-50) / doubles_vq(y);
		/*
		 * rounded to the nearest when what is added takes its bits: the upper 32, then the
		 * others
		 */
		d = doubles_vq(x) * inverse - 0.5;
		high = d + 0x1.8p+84;
		q = ((vuq)high << 32) +
		    ((vuq)(d - (high - 0x1.8p+84) + 0x1.8p+52) - 0x4338000000000000ull);
		r = x - q * y;
		if (two) {
			vuq step = (vuq)(doubles_vq(r) * inverse - 0.5 + 0x1.8p+52) -
				   0x4338000000000000ull;

			r -= product(step, y) + (product(step, y >> 32) << 32);
			q += step;
		}
		more = (vuq)(r >= y);
		if (remainder) {
			r -= y & more;
			r = (r ^ sx) - sx;
			r = chooseq((vuq)(y == 0), n, r);
		} else {
			r = q - more;
			r = (r ^ sx ^ sy) - (sx ^ sy);
			r |= (vuq)(y == 0);
		}
		((vuq *)o)[k] = r;
	}
}

#else

lanes_inline void div_far(u64 *o, const u64 *a, const u64 *b, bool is_signed, bool remainder)
{
	for (u32 l = 0; l < VGPU_LANES; l++)
		o[l] = is_signed ? remainder ? rems64(a[l], b[l]) : divs64(a[l], b[l]) :
				   remainder ? remu64(a[l], b[l]) : divu64(a[l], b[l]);
}

#endif

#define DIVISION(name, is_signed, remainder)							\
	lanes_noinline void name(u64 *o, const u64 *a, const u64 *b)				\
	{											\
		if (!div_near(o, a, b, is_signed, remainder))					\
			div_far(o, a, b, is_signed, remainder);					\
	}

DIVISION(divsq, true, false)
DIVISION(divuq, false, false)
DIVISION(remsq, true, true)
DIVISION(remuq, false, true)

/*
 * fns: from bit @base of @mask on, upwards or, @offset < 0, downwards, the |offset|-th bit set; 0:
 * bit @base itself. Counted from below in any case, in fields of 16, 8, 4, 2 and 1 bits.
 */
#if LANES_VECTOR == 32

lanes_inline vu fns_v(vu mask, vu base, vu offset)
{
	vu down = (vu)((vs)offset < 0), here = (vu)(offset == 0), bit = splat(1) << (base & 31);
	vu left = ((offset ^ down) - down) - here, none = nonzero(base & ~31u), ones, twos, fours,
	   eights, all, n, at, t;

	mask &= choose(down, bit | (bit - 1), 0 - bit) & (~here | bit);
	ones = mask - (mask >> 1 & 0x55555555u);
	twos = (ones & 0x33333333u) + (ones >> 2 & 0x33333333u);
	fours = (twos + (twos >> 4)) & 0x0f0f0f0fu;
	eights = (fours + (fours >> 8)) & 0x00ff00ffu;
	all = (eights + (eights >> 16)) & 0xff;
	none |= (vu)(left > all);
	n = choose(down, all - left, left - 1);		/* so many bits are below */
	at = splat(0);
#define STEP(field, size, bits)									\
	t = field >> at & (bits);								\
	t = ~(vu)((vs)t > (vs)n) & (t | (size) << 8);						\
	n -= t & 0xff;										\
	at += t >> 8
	STEP(eights, 16, 0xff);
	STEP(fours, 8, 0xf);
	STEP(twos, 4, 0xf);
	STEP(ones, 2, 3);
	STEP(mask, 1, 1);
#undef STEP
	return at | none;
}

#else

lanes_inline u32 fns(u32 mask, u32 base, u32 offset)
{
	bool down = (s32)offset < 0;
	u32 left = down ? 0 - offset : offset;

	if (base >= 32)
		return ~0u;
	if (!offset)
		return mask >> base & 1 ? base : ~0u;
	mask &= down ? ~0u >> (31 - base) : ~0u << base;
	while (mask && --left)
		mask &= down ? ~(0x80000000u >> __builtin_clz(mask)) : mask - 1;
	if (!mask)
		return ~0u;
	return (u32)(down ? 31 - __builtin_clz(mask) : __builtin_ctz(mask));
}

#endif

#endif

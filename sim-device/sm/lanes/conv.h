/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Conversions between integers and floats and between floats, all lanes at once. To an integer:
 * rounded by the mode, clamped to the range; NaN to 0 or, where one side has 64 bits, to the top
 * bit alone, as PTX cvt has it. What rounds in the unit does it under the present mode, but for
 * integers towards zero, which need no mode. Part of impl.h.
 */
#ifndef VGPU_LANES_CONV_H
#define VGPU_LANES_CONV_H

#define SIGN64	0x8000000000000000ull

/* ---- to 32-bit integers ------------------------------------------------- */

/*
 * @zero: towards zero; else by the present mode. What is too large becomes 0x80000000 by the
 * instruction.
 */
lanes_inline vu f2i(vf x, bool is_signed, bool zero)
{
	vu big, r;

	if (is_signed) {
		r = (vu)(zero ? truncated_vf(x) : integers_vf(x));
		return (r ^ (vu)(x >= 0x1p+31f)) & (vu)(x == x);
	}
	big = (vu)(x >= 0x1p+31f);	/* those are integral */
	x = x - (vf)(big & 0x4f000000u);
	r = (vu)(zero ? truncated_vf(x) : integers_vf(x)) ^ (big & 0x80000000u);
	return (r & (vu)(x >= 0)) | (big & (vu)(x >= 0x1p+31f));
}

lanes_noinline void f2i_lanes(u32 *o, const u32 *a, u32 flags)
{
	vu clear = flushed(flags & VGPU_F_FTZ);
	bool zero = VGPU_F_RND(flags) == VGPU_RND_RZ;

	if (flags & VGPU_F_SIGNED && zero)
		EACH_VECTOR(k)
			((vu *)o)[k] = f2i((vf)flush_v(vu_at(a, k), clear), true, true);
	else if (flags & VGPU_F_SIGNED)
		EACH_VECTOR(k)
			((vu *)o)[k] = f2i((vf)flush_v(vu_at(a, k), clear), true, false);
	else if (zero)
		EACH_VECTOR(k)
			((vu *)o)[k] = f2i((vf)flush_v(vu_at(a, k), clear), false, true);
	else
		EACH_VECTOR(k)
			((vu *)o)[k] = f2i((vf)flush_v(vu_at(a, k), clear), false, false);
}

/*
 * Clamped, by what makes the lower bound of a NaN; the fraction is lost by adding what has no bits
 * below 1: the integer is then in the low half.
 */
lanes_inline vuq d2i(vd x, bool is_signed, bool zero)
{
	vd low = splat_d(is_signed ? -0x1p+31 : 0),
	   high = splat_d(is_signed ? 2147483647.0 : 4294967295.0);
	vuq nan = is_signed ? (vuq){} : (vuq)(x != x) & 0x80000000u;

	x = least_vd(most_vd(x, low), high);
	return (vuq)((zero ? truncated_vd(x) : x) + 0x1.8p+52) | nan;
}

#define D2I(is_signed, zero)									\
	EACH_VECTOR(k)										\
		((vu *)o)[k] = IN_ORDER(LOW_WORDS(d2i(vd_at(a, 2 * k), is_signed, zero),	\
						  d2i(vd_at(a, 2 * k + 1), is_signed, zero)))

lanes_noinline void d2i_lanes(u32 *o, const u64 *a, u32 flags)
{
	bool zero = VGPU_F_RND(flags) == VGPU_RND_RZ;

	if (flags & VGPU_F_SIGNED && zero)
		D2I(true, true);
	else if (flags & VGPU_F_SIGNED)
		D2I(true, false);
	else if (zero)
		D2I(false, true);
	else
		D2I(false, false);
}
#undef D2I

/* ---- to 64-bit integers ------------------------------------------------- */

/* Below 2^51: what is added has no bits below 1, and the integer is in the low bits of the sum. */
lanes_inline vuq near_integer(vd x, bool is_signed, bool zero)
{
	vuq r = (vuq)((zero ? truncated_vd(x) : x) + 0x1.8p+52) - 0x4338000000000000ull;

	return is_signed ? r : r & ~(vuq)(x < 0);
}

/* One of them for each kind, that is chosen outside the loop */
#define NEAR(flags, f, ...)									\
	do {											\
		bool zero = VGPU_F_RND(flags) == VGPU_RND_RZ;					\
												\
		if ((flags) & VGPU_F_SIGNED)							\
			zero ? f(__VA_ARGS__, true, true) : f(__VA_ARGS__, true, false);	\
		else										\
			zero ? f(__VA_ARGS__, false, true) : f(__VA_ARGS__, false, false);	\
	} while (0)

lanes_inline void d2l_near(u64 *o, const u64 *a, bool is_signed, bool zero)
{
	EACH_VECTORQ(k)
		((vuq *)o)[k] = near_integer(vd_at(a, k), is_signed, zero);
}

lanes_inline void f2l_near(u64 *o, const u32 *a, vu clear, bool is_signed, bool zero)
{
	EACH_VECTOR(k) {
		vf x = (vf)flush_v(vu_at(a, k), clear);

		((vuq *)o)[2 * k] = near_integer(widen_f(LOW_HALF(x)), is_signed, zero);
		((vuq *)o)[2 * k + 1] = near_integer(widen_f(HIGH_HALF(x)), is_signed, zero);
	}
}

/*
 * @x: doubles, which become what is in range of the instruction and then the result; @fix: changed
 * in them afterwards
 */
lanes_noinline void far_integers(u64 *o, u64 *x, u64 *fix, u32 flags)
{
	bool is_signed = flags & VGPU_F_SIGNED;

	EACH_VECTORQ(k) {
		vd d = vd_at(x, k);
		vuq big = (vuq)(d >= 0x1p+63);

		if (is_signed) {
			((vuq *)fix)[k] = big;		/* smallest to largest */
		} else {
			vuq nan = (vuq)(d != d) & SIGN64;

			d = (vd)((vuq)d & (vuq)(d > 0));
			d = d - (vd)(big & 0x43e0000000000000ull);
			/* 2^63 to all ones */
			((vuq *)fix)[k] = (big & SIGN64) ^ (vuq)(d >= 0x1p+63) ^ nan;
		}
		((vd *)x)[k] = d;
	}
	if (VGPU_F_RND(flags) == VGPU_RND_RZ)
		for (u32 l = 0; l < VGPU_LANES; l++)
			o[l] = integer_d(x + l, true);
	else
		for (u32 l = 0; l < VGPU_LANES; l++)
			o[l] = integer_d(x + l, false);
	EACH_VECTORQ(k)
		((vuq *)o)[k] ^= vuq_at(fix, k);
}

/* @x, @fix: scratch */
lanes_noinline void d2l_lanes(u64 *o, const u64 *a, u64 *x, u64 *fix, u32 flags)
{
	vuq far = {};

	EACH_VECTORQ(k)
		far |= ~(vuq)((vd)(vuq_at(a, k) & ~SIGN64) < 0x1p+51);
	if (all_zero((vu)far)) {
		NEAR(flags, d2l_near, o, a);
		return;
	}
	EACH_VECTORQ(k)
		((vuq *)x)[k] = vuq_at(a, k);
	far_integers(o, x, fix, flags);
}

lanes_noinline void f2l_lanes(u64 *o, const u32 *a, u64 *x, u64 *fix, u32 flags)
{
	vu clear = flushed(flags & VGPU_F_FTZ), far = {};

	EACH_VECTOR(k)
		far |= ~(vu)((vf)(vu_at(a, k) & 0x7fffffffu) < 0x1p+51f);
	if (all_zero(far)) {
		NEAR(flags, f2l_near, o, a, clear);
		return;
	}
	for (int k = 0; k < NV; k++) {
		vf v = (vf)flush_v(vu_at(a, k), clear);

		((vd *)x)[2 * k] = widen_f(LOW_HALF(v));
		((vd *)x)[2 * k + 1] = widen_f(HIGH_HALF(v));
	}
	far_integers(o, x, fix, flags);
}
#undef NEAR

lanes_noinline void f2d_lanes(u64 *o, const u32 *a, u32 flags)
{
	vu clear = flushed(flags & VGPU_F_FTZ);

	for (int k = 0; k < NV; k++) {
		vf x = (vf)flush_v(vu_at(a, k), clear);

		((vuq *)o)[2 * k] = canonical_vq((vuq)widen_f(LOW_HALF(x)));
		((vuq *)o)[2 * k + 1] = canonical_vq((vuq)widen_f(HIGH_HALF(x)));
	}
}

/* ---- from integers ------------------------------------------------------ */

/* Unsigned by halves of 16 bits, of which only the sum rounds. */
lanes_noinline void i2f_lanes(u32 *o, const u32 *a, u32 flags)
{
	if (flags & VGPU_F_SIGNED)
		EACH_VECTOR(k)
			((vf *)o)[k] = floats_vs(((const vs *)a)[k]);
	else
		EACH_VECTOR(k)
			((vf *)o)[k] = floats_vs((vs)(vu_at(a, k) >> 16)) * 65536.0f +
				       floats_vs((vs)(vu_at(a, k) & 0xffff));
	if (flags & VGPU_F_SAT)		/* nothing is subnormal */
		saturate(o);
}

lanes_noinline void i2d_lanes(u64 *o, const u32 *a, u32 flags)
{
	if (flags & VGPU_F_SIGNED)
		EACH_VECTORQ(k)
			((vd *)o)[k] = __builtin_convertvector(HALF_AT(const vs_half, a, k), vd);
	else
		EACH_VECTORQ(k)
			((vuq *)o)[k] = (vuq)small_d(widen(HALF_AT(const vu_half, a, k))) & ~SIGN64;
}

/* 2^32 x the high half, exact, plus the low half, which rounds. A zero is +0 under every mode. */
lanes_inline vd l2d(vuq v, bool is_signed)
{
	vuq high = v >> 32;
	vd d;

	/*
	 * the high half, signed by an offset, in the low bits of 2^84; 2^52, which the low half
	 * brings along, is taken off too
	 */
	if (is_signed)
		d = (vd)((high ^ 0x80000000u) | 0x4530000000000000ull) -
		    (0x1p+84 + 0x1p+63 + 0x1p+52);
	else
		d = (vd)(high | 0x4530000000000000ull) - (0x1p+84 + 0x1p+52);
	d = d + (vd)((v & 0xffffffffu) | 0x4330000000000000ull);
	return (vd)((vuq)d & (vuq)(d != 0));
}

lanes_noinline void l2d_lanes(u64 *o, const u64 *a, u32 flags)
{
	if (flags & VGPU_F_SIGNED)
		EACH_VECTORQ(k)
			((vd *)o)[k] = l2d(vuq_at(a, k), true);
	else
		EACH_VECTORQ(k)
			((vd *)o)[k] = l2d(vuq_at(a, k), false);
}

/*
 * To 24 bits by way of a double that must be exact: from 2^53 on the low 11 bits go into one above
 * them that says whether any was set. It lies below what 24 bits and the one that decides need.
 */
lanes_inline vd l2d_exact(vuq v, bool is_signed)
{
	vuq sticky = (((v & 0x7ff) + 0x7ff) & 0x800) | (v & ~0x7ffull);
	vuq far = is_signed ? (v + (1ull << 53)) >> 54 : v >> 53;
	vuq near_mask = (vuq)(far == 0);

	return l2d(chooseq(near_mask, v, sticky), is_signed);
}

/* From -2^51 to 2^51, unsigned to 2^52: the integer lies in the low bits of the base + it. */
lanes_inline vd l2d_near(vuq v, bool is_signed)
{
	vd d = is_signed ? (vd)(v + 0x4338000000000000ull) - 0x1.8p+52 : small_d(v);

	return (vd)((vuq)d & (vuq)(d != 0));
}

#define L2F(f, is_signed)									\
	EACH_VECTOR(k)										\
		((vf *)o)[k] = join_f(f(vuq_at(a, 2 * k), is_signed), f(vuq_at(a, 2 * k + 1), \
			is_signed))

lanes_noinline void l2f_lanes(u32 *o, const u64 *a, u32 flags)
{
	u64 below = flags & VGPU_F_SIGNED ? 1ull << 51 : 0;
	vuq far = {};

	EACH_VECTORQ(k)
		far |= vuq_at(a, k) + below;
	if (all_zero((vu)(far >> 52))) {
		if (flags & VGPU_F_SIGNED)
			L2F(l2d_near, true);
		else
			L2F(l2d_near, false);
	} else if (flags & VGPU_F_SIGNED) {
		L2F(l2d_exact, true);
	} else {
		L2F(l2d_exact, false);
	}
	if (flags & VGPU_F_SAT)
		saturate(o);
}
#undef L2F

/* ---- between floats ----------------------------------------------------- */

/* By the present mode; of an FFMA what ffma_odds() has left */
lanes_noinline void d2f_lanes(u32 *o, const u64 *a, u32 flags)
{
	vu clear = flushed(flags & VGPU_F_FTZ), r[NV], small = {};

	EACH_VECTOR(k) {
		r[k] = finished((vu)join_f(vd_at(a, 2 * k), vd_at(a, 2 * k + 1)), clear);
		small |= smallest(r[k]);
	}
	if (flags & VGPU_F_FTZ && unlikely(!all_zero(small)))
		EACH_VECTOR(k)
			r[k] = flush_risen(r[k], (vu)join_f(vd_at(a, 2 * k) * 0x1p64,
							    vd_at(a, 2 * k + 1) * 0x1p64));
	EACH_VECTOR(k)
		((vu *)o)[k] = r[k];
	if (flags & VGPU_F_SAT)
		saturate(o);
}

/* binary16 to binary32, exact */
lanes_noinline void h2f_lanes(u32 *o, const u32 *a, u32 flags)
{
	EACH_VECTOR(k) {
		vu h = vu_at(a, k), sign = (h & 0x8000) << 16, size = h & 0x7fff;
		vu small = (vu)(floats_vs((vs)size) * 0x1p-24f);
		vu v = choose((vu)((vs)size < 0x400), small, (size << 13) + (112u << 23));
		vu above = (vu)((vs)size >= 0x7c00);

		v = sign | (v + (above & (112u << 23)));
		((vu *)o)[k] = canonical_v(v);
	}
	if (flags & VGPU_F_SAT)		/* nothing is subnormal */
		saturate(o);
}

#if LANES_VECTOR == 32

/* binary32 to binary16 by the present mode */
lanes_noinline void f2h_lanes(u32 *o, const u32 *a, u32 flags)
{
	vu clear = flushed(flags & VGPU_F_FTZ);
	bool sat = flags & VGPU_F_SAT;

	EACH_VECTOR(k) {
		vu v = flush_v(vu_at(a, k), clear), h;

		/*
		 * the instruction gives the second operand of two if the first is a NaN, and +0 of
		 * two zeros
		 */
		if (sat)
			v = (vu)least_vf(most_vf((vf)v, (vf){}), (vf){} + 1.0f);
		__asm__("vcvtps2ph $4, %1, %x0\n\tvpmovzxwd %x0, %0" : "=x"(h) : "x"(v));
		((vu *)o)[k] = choose((vu)((vf)v != (vf)v), splat(0x7fff), h);
	}
}

#else

/*
 * binary32 to binary16: the fraction is lost, under the present mode, by adding 2^13 x what 2^e the
 * value begins with, or the smallest normal half does: the sum's last bit is then a half's.
 */
lanes_noinline void f2h_lanes(u32 *o, const u32 *a, u32 flags)
{
	u32 mode = VGPU_F_RND(flags);
	vu clear = flushed(flags & VGPU_F_FTZ), one = splat(0x3f800000);
	bool sat = flags & VGPU_F_SAT;

	EACH_VECTOR(k) {
		vu v = flush_v(vu_at(a, k), clear), sign, size, top, big, half, beyond, limit;
		vf x;

		if (sat) {
			v = v & (vu)((vf)v > 0);
			v = choose((vu)((vf)v > 1), one, v);
		}
		sign = v & 0x80000000u;
		size = v & 0x7fffffffu;
		beyond = (vu)((vs)size >= 0x47800000);	/* 65536 */
		top = size & 0x7f800000u;
		top = choose((vu)((vs)top < (113 << 23)), splat(113u << 23), top);
		top = choose(beyond, splat(142u << 23), top) + (13u << 23);
		big = sign | top;
		x = (vf)(choose(beyond, splat(0x47000000), size) | sign);
		x = (x + (vf)big) - (vf)big;
		half = (vu)x & 0x7fffffffu;
		half = choose((vu)((vs)half < (113 << 23)), (vu)truncated_vf((vf)half * 0x1p+24f),
			      (half - (112u << 23)) >> 13);
		/* what is too large: infinite, or the largest half when rounding inwards */
		limit = mode == VGPU_RND_RN ? splat(0x7c00) : mode == VGPU_RND_RZ ? splat(0x7bff) :
			splat(0x7bff) + ((mode == VGPU_RND_RM ? sign : ~sign) >> 31);
		limit = choose((vu)(size == splat(0x7f800000)), splat(0x7c00), limit);
		half = choose(beyond, limit, half) | sign >> 16;
		((vu *)o)[k] = choose((vu)((vs)size > 0x7f800000), splat(0x7fff), half);
	}
}

#endif

#endif

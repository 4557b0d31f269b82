/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The approximate functions of the special function unit. Computed in f64 by polynomials and rounded to f32 at the end,
 * which makes all of them good to about one unit in the last place, far inside what PTX promises. No library, no
 * contraction, no table: the same bits wherever they are compiled. Part of lanes_impl.h.
 */
#ifndef VGPU_LANES_MATH_H
#define VGPU_LANES_MATH_H

#define LN2		0x1.62e42fefa39efp-1
#define LOG2E		0x1.71547652b82fep+0
#define PI_2_HI		0x1.921fb54442d18p+0
#define PI_2_LO		0x1.1a62633145c07p-54
#define TWO_OVER_PI	0x1.45f306dc9c883p-1
#define ROUNDER		0x1.8p+52	/* x + it - it rounds x to an integer, |x| < 2^51 */

/* 2^x: the integer part by the exponent, the rest, in [-1/2, 1/2], as exp(r ln 2) by Taylor's series to r^10 (error below
 * 2^-44). @x within [-1000, 1000]. */
lanes_inline double exp2_d(double x)
{
	double n = (x + ROUNDER) - ROUNDER;
	double r = (x - n) * LN2;
	double p = 1.0 / 3628800;

	p = p * r + 1.0 / 362880;
	p = p * r + 1.0 / 40320;
	p = p * r + 1.0 / 5040;
	p = p * r + 1.0 / 720;
	p = p * r + 1.0 / 120;
	p = p * r + 1.0 / 24;
	p = p * r + 1.0 / 6;
	p = p * r + 0.5;
	p = p * r + 1.0;
	p = p * r + 1.0;
	return p * as_d((u64)((s64)(s32)n + 1023) << 52);
}

lanes_inline float ex2_f(float x)
{
	double d = (double)x;

	/* beyond these the result is 0 or infinite in f32; NaN passes through the polynomial's range by the last line */
	d = d > 200.0 ? 200.0 : d;
	d = d < -200.0 ? -200.0 : d;
	d = x != x ? 0.0 : d;
	return x != x ? x : (float)exp2_d(d);
}

/*
 * log2(x): x = m 2^e with m in [sqrt(1/2), sqrt(2)); log2(m) = 2/ln 2 atanh(s), s = (m - 1) / (m + 1), |s| < 0.1716,
 * series to s^15 (relative error below 2^-42).
 */
lanes_inline float lg2_f(float x)
{
	u64 bits = bits_d((double)x);
	s32 e = (s32)(bits >> 52 & 0x7ff) - 1023;
	double m = as_d((bits & 0xfffffffffffffull) | 0x3ff0000000000000ull);
	bool big = m > 0x1.6a09e667f3bcdp+0;
	double s, t, p, r;

	m = big ? m * 0.5 : m;
	e = big ? e + 1 : e;
	s = (m - 1.0) / (m + 1.0);
	t = s * s;
	p = 1.0 / 15;
	p = p * t + 1.0 / 13;
	p = p * t + 1.0 / 11;
	p = p * t + 1.0 / 9;
	p = p * t + 1.0 / 7;
	p = p * t + 1.0 / 5;
	p = p * t + 1.0 / 3;
	p = p * t + 1.0;
	r = (double)e + s * p * (2 * LOG2E);
	r = x > 0 ? r : x == 0 ? -__builtin_inf() : __builtin_nan("");
	return bits_f(x) == 0x7f800000u ? x : (float)r;
}

/*
 * Sine of x + quadrant x pi/2. The argument is reduced by pi/2 in two parts, which is exact enough while |x| < 2^27;
 * beyond, digits are lost as on the hardware, and the result stays within [-1, 1]. Taylor's series to r^13, r^14 in
 * [-pi/4, pi/4] (error below 2^-44).
 */
lanes_inline float sin_f(float x, u32 quadrant)
{
	double d = (double)x;
	double k, r, t, s, c;
	u32 q;

	if (!(d < 0x1p+40 && d > -0x1p+40))
		d = x == x && bits_f(x) << 1 != 0xff000000u ? 0.0 : d - d;
	k = (d * TWO_OVER_PI + ROUNDER) - ROUNDER;
	r = (d - k * PI_2_HI) - k * PI_2_LO;
	r = r > 0.8 ? 0.8 : r;
	r = r < -0.8 ? -0.8 : r;
	q = (k == k ? (u32)(s64)k : 0) + quadrant;
	t = r * r;
	s = 1.0 / 6227020800.0;
	s = s * t - 1.0 / 39916800;
	s = s * t + 1.0 / 362880;
	s = s * t - 1.0 / 5040;
	s = s * t + 1.0 / 120;
	s = s * t - 1.0 / 6;
	s = r + r * (t * s);
	c = -1.0 / 87178291200.0;
	c = c * t + 1.0 / 479001600;
	c = c * t - 1.0 / 3628800;
	c = c * t + 1.0 / 40320;
	c = c * t - 1.0 / 720;
	c = c * t + 1.0 / 24;
	c = c * t - 0.5;
	c = 1.0 + t * c;
	s = q & 1 ? c : s;
	s = q & 2 ? -s : s;
	return d == d ? (float)s : as_f(0x7fffffffu);
}

/* tanh(x) = 1 - 2 / (e^2x + 1); near 0, where that cancels, the odd series to x^9 (|x| < 1/16: error below 2^-40). */
lanes_inline float tanh_f(float x)
{
	double d = (double)x;
	double t = d * d;
	double small, large;

	small = 62.0 / 2835;
	small = small * t - 17.0 / 315;
	small = small * t + 2.0 / 15;
	small = small * t - 1.0 / 3;
	small = d + d * (t * small);
	d = d > 20.0 ? 20.0 : d;
	d = d < -20.0 ? -20.0 : d;
	d = x != x ? 0.0 : d;
	large = 1.0 - 2.0 / (exp2_d(d * (2 * LOG2E)) + 1.0);
	return t > 1.0 / 256 ? (float)large : (float)small;	/* small is NaN if x is */
}

/* one of FSIN .. FTANH over all lanes */
lanes_noinline void special_lanes(u32 op, u32 *o, const u32 *a)
{
	switch (op) {
	case VGPU_OP_FSIN:
		EACH_LANE(l)
			o[l] = bits_f(sin_f(as_f(a[l]), 0));
		break;
	case VGPU_OP_FCOS:
		EACH_LANE(l)
			o[l] = bits_f(sin_f(as_f(a[l]), 1));
		break;
	case VGPU_OP_FEX2:
		EACH_LANE(l)
			o[l] = bits_f(ex2_f(as_f(a[l])));
		break;
	case VGPU_OP_FLG2:
		EACH_LANE(l)
			o[l] = bits_f(lg2_f(as_f(a[l])));
		break;
	case VGPU_OP_FTANH:
		EACH_LANE(l)
			o[l] = bits_f(tanh_f(as_f(a[l])));
		break;
	}
}

#endif

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

/*
 * EACH step of a function is taken for many vectors of doubles before the next: a polynomial is one long chain, and the
 * processor looks ahead less far than to the next vector's. The most that are worth it, and have room on a kernel's stack.
 */
#define MANY		8
#define EACH(j)		UNROLL for (int j = 0; j < many; j++)
#define HORNER(p, t, c)	EACH(j_) (p)[j_] = (p)[j_] * (t)[j_] + (c)

/* 2^x: the integer part by the exponent, the rest, in [-1/2, 1/2], as exp(r ln 2) by Taylor's series to r^10 (error below
 * 2^-44). @x within [-1000, 1000]; NaN of a NaN. */
lanes_inline void exp2_many(vd *x, int many)
{
	vd r[MANY], p[MANY];
	vuq n[MANY];

	EACH(j) {
		vd m = x[j] + ROUNDER;		/* the integer in its low bits */

		n[j] = ((vuq)m + 1023) << 52;
		r[j] = (x[j] - (m - ROUNDER)) * LN2;
		p[j] = r[j] * (1.0 / 3628800) + 1.0 / 362880;
	}
	HORNER(p, r, 1.0 / 40320);
	HORNER(p, r, 1.0 / 5040);
	HORNER(p, r, 1.0 / 720);
	HORNER(p, r, 1.0 / 120);
	HORNER(p, r, 1.0 / 24);
	HORNER(p, r, 1.0 / 6);
	HORNER(p, r, 0.5);
	HORNER(p, r, 1.0);
	HORNER(p, r, 1.0);
	EACH(j)
		x[j] = p[j] * (vd)n[j];
}

/* beyond these the result is 0 or infinite in f32 */
lanes_inline void ex2_many(vd *x, int many)
{
	EACH(j)
		x[j] = most_vd(splat_d(-200), least_vd(splat_d(200), x[j]));
	exp2_many(x, many);
}

/*
 * log2(x) of finite x > 0: x = m 2^e with m in [sqrt(1/2), sqrt(2)); log2(m) = 2/ln 2 atanh(s), s = (m - 1) / (m + 1),
 * |s| < 0.1716, series to s^15 (relative error below 2^-42).
 */
lanes_inline void lg2_many(vd *x, int many)
{
	vd s[MANY], t[MANY], p[MANY];

	EACH(j) {
		vuq bits = (vuq)x[j], big;
		vd m = (vd)((bits & 0xfffffffffffffull) | 0x3ff0000000000000ull);

		big = (vuq)(m > 0x1.6a09e667f3bcdp+0);
		x[j] = (vd)((bits >> 52 & 0x7ff) | 0x4330000000000000ull) - (0x1p+52 + 1023);
		x[j] = x[j] + (vd)(big & (vuq)splat_d(1.0));
		m = (vd)((vuq)m - (big & 1ull << 52));		/* halved */
		s[j] = (m - 1.0) / (m + 1.0);
		t[j] = s[j] * s[j];
		p[j] = t[j] * (1.0 / 15) + 1.0 / 13;
	}
	HORNER(p, t, 1.0 / 11);
	HORNER(p, t, 1.0 / 9);
	HORNER(p, t, 1.0 / 7);
	HORNER(p, t, 1.0 / 5);
	HORNER(p, t, 1.0 / 3);
	HORNER(p, t, 1.0);
	EACH(j)
		x[j] = x[j] + s[j] * p[j] * (2 * LOG2E);
}

/* what that does not hold for */
lanes_inline vu lg2_other(vu r, vf x)
{
	vu v = choose((vu)(x > 0), r, choose((vu)(x == 0), splat(0xff800000), splat(NAN32)));

	return choose((vu)((vu)x == splat(0x7f800000)), (vu)x, v);
}

/* @odd of an odd quadrant, else @even: by bit 0 of @q */
#if LANES_VECTOR == 32
#define BY_QUADRANT(q, even, odd) ({								\
		vd both_ = { even, odd, even, odd }, r_;					\
		__asm__("vpermilpd %2, %1, %0" : "=x"(r_) : "x"(both_), "x"((q) << 1));		\
		r_;										\
	})
#else
#define BY_QUADRANT(q, even, odd) ({								\
		vuq even_ = (vuq)splat_d(even), odd_ = (vuq)splat_d(odd);			\
		(vd)(even_ ^ ((even_ ^ odd_) & (0 - ((q) & 1))));				\
	})
#endif
#define HORNER_Q(p, t, q, even, odd)	EACH(j_) (p)[j_] = (p)[j_] * (t)[j_] + BY_QUADRANT((q)[j_], even, odd)

/*
 * Sine of x + quadrant x pi/2. The argument is reduced by pi/2 in two parts, which is exact enough while |x| < 2^27;
 * beyond, digits are lost as on the hardware, and the result stays within [-1, 1]. Taylor's series to r^13, or for the cosine
 * r^14, in [-pi/4, pi/4] (error below 2^-44). Both are base + base t p(t), t = r^2, the base r or 1: one polynomial with
 * the coefficients of the lane's quadrant.
 */
lanes_inline void sin_many(vd *x, int many, u32 quadrant)
{
	vd t[MANY], p[MANY];
	vuq q[MANY];

	EACH(j) {
		/* too large to reduce: 0; infinite: a NaN */
		vuq near_mask = (vuq)((vd)((vuq)x[j] & 0x7fffffffffffffffull) < 0x1p+40);
		vd d = (vd)chooseq(near_mask, (vuq)x[j], (vuq)(x[j] - x[j]));
		vd m = d * TWO_OVER_PI + ROUNDER, k = m - ROUNDER, r = (d - k * PI_2_HI) - k * PI_2_LO;

		r = most_vd(splat_d(-0.8), least_vd(splat_d(0.8), r));
		q[j] = (vuq)m + quadrant;
		t[j] = r * r;
		x[j] = (vd)chooseq(0 - (q[j] & 1), (vuq)splat_d(1.0), (vuq)r);
		p[j] = t[j] * BY_QUADRANT(q[j], 0.0, -1.0 / 87178291200.0) +
		       BY_QUADRANT(q[j], 1.0 / 6227020800.0, 1.0 / 479001600);
	}
	HORNER_Q(p, t, q, -1.0 / 39916800, -1.0 / 3628800);
	HORNER_Q(p, t, q, 1.0 / 362880, 1.0 / 40320);
	HORNER_Q(p, t, q, -1.0 / 5040, -1.0 / 720);
	HORNER_Q(p, t, q, 1.0 / 120, 1.0 / 24);
	HORNER_Q(p, t, q, -1.0 / 6, -0.5);
	EACH(j) {
		x[j] = x[j] + x[j] * (t[j] * p[j]);
		x[j] = (vd)((vuq)x[j] ^ (q[j] & 2) << 62);
	}
}

/* tanh(x) = 1 - 2 / (e^2x + 1); near 0, where that cancels, the odd series to x^9 (|x| < 1/16: error below 2^-40). */
lanes_inline void tanh_many(vd *x, int many)
{
	vd large[MANY];

	EACH(j)
		large[j] = most_vd(splat_d(-20), least_vd(splat_d(20), x[j])) * (2 * LOG2E);
	exp2_many(large, many);
	EACH(j) {
		vd t = x[j] * x[j], small = t * (62.0 / 2835) - 17.0 / 315;

		small = small * t + 2.0 / 15;
		small = small * t - 1.0 / 3;
		small = x[j] + x[j] * (t * small);
		large[j] = 1.0 - 2.0 / (large[j] + 1.0);
		x[j] = (vd)chooseq((vuq)(t > 1.0 / 256), (vuq)large[j], (vuq)small);	/* small is NaN if x is */
	}
}

#endif

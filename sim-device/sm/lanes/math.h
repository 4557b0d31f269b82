/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The approximate functions of the special function unit. The polynomials are those of least
 * maximal error (Remez), their coefficients rounded to what they are computed in; each says where
 * it holds, and its error before any rounding. What is added last is exact or much larger than the
 * rest, so that the result is nearly as good as rounded once: docs/isa.md has the errors over all
 * arguments. No library, no contraction, no table: the same bits wherever they are compiled.
 * Products that would be subnormal are kept out of the way, they take a processor very long.
 * Part of impl.h.
 */
#ifndef VGPU_LANES_MATH_H
#define VGPU_LANES_MATH_H

/* x + it - it rounds x to an integer, |x| < 2^22 (2^51); the sum has that in its low bits */
#define ROUNDER_F	0x1.8p+23f
#define ROUNDER		0x1.8p+52

/*
 * EACH step of a function is taken for some vectors before the next: a polynomial is one long
 * chain, and the processor looks ahead less far than to the next vector's.
 */
#define MANY		4
#define EACH(j)		UNROLL for (int j = 0; j < MANY; j++)
#define HORNER(p, t, c)	EACH(j_) (p)[j_] = (p)[j_] * (t)[j_] + (c)

/*
 * 2^a = 2^n 2^r, n integer, |r| <= 1/2. 2^r = 1 + r p(r) (degree 5, error 2^-28.4 of the result),
 * where the leading coefficient is split into one of 11 bits and the rest, and r into h of 12 bits
 * and the rest: 1 + h times it is exact. 2^n goes into the exponent. Where that gets too small,
 * 1 + 2^126 2^a has the subnormal result, rounded, in its fraction: as integers, the larger one of
 * the two bit patterns is right.
 */
lanes_inline void ex2_many(vf *x, const vf *a)
{
	const vf one = splat_f(1);
	vf r[MANY], h[MANY], p[MANY];
	vu n[MANY], nan = {};

	EACH(j) {
		/* beyond these the result is 0 or infinite */
		vf v = most_vf(splat_f(-151), least_vf(splat_f(128), a[j])), m = v + ROUNDER_F;

		nan |= (vu)(a[j] != a[j]);
		n[j] = (vu)m << 23;
		r[j] = v - (m - ROUNDER_F);
		h[j] = (r[j] + 0x1.8p+11f) - 0x1.8p+11f;
		p[j] = r[j] * 0x1.42ea38p-13f + 0x1.5f50c2p-10f;
	}
	HORNER(p, r, 0x1.3b2ac2p-7f);
	HORNER(p, r, 0x1.c6aeacp-5f);
	HORNER(p, r, 0x1.ebfbe2p-3f);
	HORNER(p, r, -0x1.bcee8cp-13f);
	EACH(j) {
		vu normal, sub;

		p[j] = (h[j] * 0x1.63p-1f + 1) + ((r[j] - h[j]) * 0x1.63p-1f + r[j] * p[j]);
		normal = (vu)p[j] + n[j];
		sub = (vu)((vf)(normal + 126 * 0x800000) + 1) - (vu)one;
		x[j] = (vf)most_vs((vs)sub, (vs)normal);
	}
	if (unlikely(mask_of(nan)))
		EACH(j)
			x[j] = (vf)choose((vu)(a[j] != a[j]), splat(NAN32), (vu)x[j]);
}

/*
 * log2(a) = e + log2(1 + f), 1 + f in [sqrt(1/2), sqrt(2)), f exact; log2(1 + f) = 3/2 f + f p(f)
 * (degree 9, error 2^-27.2 of it), of which the first is exact. A subnormal is an integer times
 * 2^-149; @keep are the bits of it to look at: none where they are flushed.
 */
lanes_inline void lg2_many(vf *x, const vf *a, u32 keep)
{
	const vf least = splat_f(0x1p-126f), most = splat_f(0x1.fffffep+127f);
	vf from[MANY], e[MANY], f[MANY], p[MANY];
	vu odd = {};

	EACH(j) {
		from[j] = a[j];
		odd |= (vu)(most_vf(least, least_vf(most, a[j])) != a[j]);
	}
	if (unlikely(mask_of(odd))) {
		EACH(j) {
			vu integer = (vu)floats_vs((vs)((vu)a[j] & keep));

			from[j] = (vf)choose((vu)(a[j] < least), integer, (vu)a[j]);
		}
	}
	EACH(j) {
		vu n = (vu)from[j] - 0x3f3504f3;		/* sqrt(1/2) */

		e[j] = floats_vs((vs)n >> 23);
		f[j] = (vf)((n & 0x7fffff) + 0x3f3504f3) - 1;
		p[j] = f[j] * -0x1.a7a31p-4f + 0x1.76e02ep-3f;
	}
	HORNER(p, f, -0x1.893a4ep-3f);
	HORNER(p, f, 0x1.a40c62p-3f);
	HORNER(p, f, -0x1.eaa71cp-3f);
	HORNER(p, f, 0x1.277854p-2f);
	HORNER(p, f, -0x1.715aaep-2f);
	HORNER(p, f, 0x1.ec70a6p-2f);
	HORNER(p, f, -0x1.71547p-1f);
	HORNER(p, f, -0x1.d57136p-5f);
	EACH(j)
		x[j] = e[j] + (f[j] * 1.5f + f[j] * p[j]);
	if (unlikely(mask_of(odd))) {
		EACH(j) {
			vu sub = (vu)((vf)((vu)a[j] & 0x7fffffff) < least);
			vu zero = sub & (vu)(((vu)a[j] & keep) == 0);
			vu r = (vu)(x[j] - (vf)(sub & (vu)splat_f(149)));

			r = choose((vu)(a[j] > most), (vu)a[j], r);
			r = choose((vu)(a[j] > 0), r, splat(NAN32));
			x[j] = (vf)choose(zero, splat(0xff800000), r);
		}
	}
}

/* @odd where bit 0 of @q is set, else @even */
#if LANES_VECTOR == 32
#define BY_QUADRANT(q, even, odd) ({								\
		vf both_ = { even, odd, even, odd, even, odd, even, odd }, r_;			\
		__asm__("vpermilps %2, %1, %0" : "=x"(r_) : "x"(both_), "x"(q));		\
		r_;										\
	})
#else
#define BY_QUADRANT(q, even, odd) ({								\
		vu even_ = (vu)splat_f(even), odd_ = (vu)splat_f(odd);				\
		(vf)(even_ ^ ((even_ ^ odd_) & (0 - ((q) & 1))));				\
	})
#endif
#define HORNER_Q(p, t, q, even, odd)								\
	EACH(j_) (p)[j_] = (p)[j_] * (t)[j_] + BY_QUADRANT((q)[j_], even, odd)

/*
 * Sine (@quadrant 0) or cosine (1) of large @x, in doubles: reduced by k pi, of the cosine k - 1/2,
 * to r in [-pi/2, pi/2]. pi in two parts, whose first has 26 bits, so that k times it is exact
 * while x < 2^27; beyond, digits are lost as on the hardware, and the result stays within [-1, 1].
 * There r p(r^2) (degree 4, error 2^-27.3 of the result).
 */
#define FAR	0x43800000	/* 256 */

lanes_noinline void sin_far(vf *x, u32 quadrant)
{
	const double half = quadrant ? 0.5 : 0;

	for (int k = 0; k < 2 * MANY; k += MANY) {
		vd r[MANY], t[MANY], p[MANY];
		vuq n[MANY];

		EACH(j) {
			vd d = widen_f(HALF_AT(const vf_half, x, k + j));
			vd m = d * 0x1.45f306dc9c883p-2 + half + ROUNDER, i = m - ROUNDER - half;

			n[j] = (vuq)m;
			/* of infinity a NaN */
			r[j] = (d - i * 0x1.921fb58p+1) - i * -0x1.dde973dcb3b3ap-26;
			r[j] = most_vd(splat_d(-1.6), least_vd(splat_d(1.6), r[j]));
			t[j] = r[j] * r[j];
			p[j] = t[j] * 0x1.5dbdf2a8e11a6p-19 + -0x1.9f6fff11d172ep-13;
		}
		HORNER(p, t, 0x1.110ed38145b19p-7);
		HORNER(p, t, -0x1.55554bc83c04dp-3);
		HORNER(p, t, 1);
		EACH(j)
			r[j] = (vd)((vuq)(p[j] * r[j]) ^ n[j] << 63);
		for (int j = 0; j < MANY; j += 2)
			x[(k + j) / 2] = join_f(r[j], r[j + 1]);
	}
}

/*
 * Sine or cosine of @a. The argument is reduced by k pi/2 in three parts, of 16 bits, so that k
 * times it is exact while x < 256, to r + s, |r| <= pi/4. Sine and cosine of it are
 * base + base t p(t), t = r^2, the base r or 1 (degree 2 and 3, errors 2^-27.9 and 2^-33 of the
 * result), and s or -r s: one polynomial with the coefficients of the lane's quadrant.
 */
lanes_inline void sin_many(vf *x, const vf *a, u32 quadrant)
{
	const vu one = (vu)splat_f(1), top = splat(0x80000000);
	vf r[MANY], s[MANY], t[MANY], p[MANY];
	vu q[MANY];
	vs most = {};		/* of the bits: infinity and NaN are the largest */

	EACH(j) {
		vu v = (vu)a[j] & ~top, tiny = (vu)((vf)v < 0x1p-30f);	/* is its sine */
		vf m = (vf)(v & ~tiny) * 0x1.45f306p-1f + ROUNDER_F, k = m - ROUNDER_F;
		vf high = (vf)v - k * 0x1.922p+0f, low = k * -0x1.2aeep-18f;

		most = most_vs(most, (vs)v);
		q[j] = (vu)m + quadrant;
		r[j] = high - low;
		s[j] = ((high - r[j]) - low) - k * -0x1.e973dcp-35f;
		t[j] = (vf)((vu)r[j] & ~tiny);
		t[j] = t[j] * t[j];
		p[j] = t[j] * BY_QUADRANT(q[j], 0, 0x1.99e80cp-16f) +
		       BY_QUADRANT(q[j], -0x1.995404p-13f, -0x1.6c0c28p-10f);
	}
	HORNER_Q(p, t, q, 0x1.110778p-7f, 0x1.55554ap-5f);
	EACH(j) {
		vu odd = q[j] << 31, change = ((vu)r[j] ^ one) & (vu)((vs)odd >> 31);
		vf base = (vf)((vu)r[j] ^ change), other = (vf)((one ^ change) ^ odd);
		vf u = base * t[j];

		/* the smallest first; t / 2 of the cosine is exact */
		p[j] = u * (t[j] * p[j]) + s[j] * other;
		x[j] = base + (u * BY_QUADRANT(q[j], -0x1.555546p-3f, -0.5f) + p[j]);
		q[j] = q[j] << 30;
		x[j] = (vf)((vu)x[j] ^ ((quadrant ? q[j] : q[j] ^ (vu)a[j]) & top));
	}
	if (unlikely(mask_of((vu)(most >= FAR)))) {
		vf z[MANY];

		EACH(j)
			z[j] = (vf)((vu)a[j] & ~top);
		sin_far(z, quadrant);
		EACH(j) {
			vu sign = quadrant ? (vu){} : (vu)a[j] & top;
			vu here = (vu)((vs)((vu)a[j] & ~top) >= FAR);

			x[j] = (vf)choose(here, canonical_v((vu)z[j] ^ sign), (vu)x[j]);
		}
	}
}

/*
 * tanh(a) = a - a^3 / p(a^2) up to 1 (degree 3, error 2^-28.7 of the result), beyond
 * 1 - 1 / ((e^2a + 1) / 2). Either minuend and numerator is the smaller one there, either
 * denominator the larger one. e^2a / 2 = 2^n e^2r, |r| <= ln 2 / 4, e^2r = 1 + r q(r) (degree 5,
 * error 2^-28.2 of it).
 */
lanes_inline void tanh_many(vf *x, const vf *a)
{
	const float rounder = ROUNDER_F - 1;
	const vf one = splat_f(1);
	vf v[MANY], t[MANY], p[MANY], r[MANY], q[MANY];
	vu n[MANY];
	vs most = {};		/* of the bits: a NaN is the largest */

	EACH(j) {
		vu size = (vu)a[j] & 0x7fffffff;
		vf m, k;

		most = most_vs(most, (vs)size);
		/* of a tiny one no more than itself is needed */
		v[j] = (vf)((vu)least_vf(splat_f(10), (vf)size) & (vu)((vf)size > 0x1p-30f));
		m = v[j] * 0x1.715476p+1f + rounder;	/* 2 / ln 2 */
		k = m - rounder;
		n[j] = (vu)m << 23;
		r[j] = (v[j] - k * 0x1.62e4p-2f) - k * 0x1.7f7d1cp-21f;
		q[j] = r[j] * 0x1.6ab728p-4f + 0x1.123d64p-2f;
	}
	HORNER(q, r, 0x1.55585ap-1f);
	HORNER(q, r, 0x1.55548cp+0f);
	HORNER(q, r, 0x1.fffffcp+0f);
	HORNER(q, r, 2);
	HORNER(q, r, 1);
	EACH(j) {
		t[j] = v[j] * v[j];
		p[j] = t[j] * 0x1.dad2a2p-13f + -0x1.750566p-8f;
	}
	HORNER(p, t, 0x1.3332bap+0f);
	HORNER(p, t, 0x1.800006p+1f);
	EACH(j) {
		vf cube = least_vf(one, v[j] * t[j]);
		vf over = most_vf(p[j], (vf)((vu)q[j] + n[j]) + 0.5f);

		x[j] = least_vf(one, (vf)((vu)a[j] & 0x7fffffff)) - cube / over;
		x[j] = (vf)((vu)x[j] | ((vu)a[j] & 0x80000000));
	}
	if (unlikely(mask_of((vu)(most > 0x7f800000))))
		EACH(j)
			x[j] = (vf)canonical_v((vu)x[j]);
}

#endif

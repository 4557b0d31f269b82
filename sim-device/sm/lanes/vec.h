/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Vectors of the lanes files: types as wide as the vector unit that is compiled for, masks of
 * lanes, the rounding mode. Part of impl.h.
 */
#ifndef VGPU_LANES_VEC_H
#define VGPU_LANES_VEC_H

#include "../lanes.h"

typedef u32 vu __attribute__((vector_size(LANES_VECTOR)));
typedef s32 vs __attribute__((vector_size(LANES_VECTOR)));
typedef float vf __attribute__((vector_size(LANES_VECTOR)));
typedef u64 vuq __attribute__((vector_size(LANES_VECTOR)));
typedef s64 vsq __attribute__((vector_size(LANES_VECTOR)));
typedef double vd __attribute__((vector_size(LANES_VECTOR)));
/* the same where memory is aligned to nothing */
typedef u32 vu_any __attribute__((vector_size(LANES_VECTOR), aligned(1)));
/* 32-bit elements beside as many of 64 bits */
typedef u32 vu_half __attribute__((vector_size(LANES_VECTOR / 2)));
typedef s32 vs_half __attribute__((vector_size(LANES_VECTOR / 2)));
typedef float vf_half __attribute__((vector_size(LANES_VECTOR / 2)));

#define NV	(int)(128 / LANES_VECTOR)	/* vectors of an R slot */
#define NVQ	(int)(256 / LANES_VECTOR)	/* vectors of a Q slot */
#define FULL	0xffffffffu

#define lanes_noinline	static __attribute__((__noinline__))
#define lanes_inline	static inline __attribute__((always_inline))

#ifdef __clang__
#define UNROLL		_Pragma("clang loop unroll(full)")
#define LANEWISE
#else
#define UNROLL		_Pragma("GCC unroll 16")
#define LANEWISE	_Pragma("GCC ivdep")
#endif
#define EACH_VECTOR(k)	UNROLL for (int k = 0; k < NV; k++)
#define EACH_VECTORQ(k)	UNROLL for (int k = 0; k < NVQ; k++)
/* the iterations may read and write the same lane of the same array, never another's */
#define EACH_LANE(l)	LANEWISE for (u32 l = 0; l < VGPU_LANES; l++)
/* active lanes in order; for what has a side effect or an order */
#define EACH_ACTIVE(l, m)	for (u32 l##_left = (m), l; \
	l##_left && (l = (u32)__builtin_ctz(l##_left), 1); \
				     l##_left &= l##_left - 1)

static const u32 lane_iota[VGPU_LANES] __attribute__((aligned(64))) = {
	0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
	16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
};
static const u64 lane_iotaq[VGPU_LANES] __attribute__((aligned(64))) = {
	0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
	16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
};
#define B(n)	(1u << (n))
#define B4(n)	B(n), B(n + 1), B(n + 2), B(n + 3)
static const u32 lane_bit[VGPU_LANES] __attribute__((aligned(64))) = {
	B4(0), B4(4), B4(8), B4(12), B4(16), B4(20), B4(24), B4(28),
};
/* in both halves: then a comparison of 32 bits serves, which SSE2 has */
#define BB(n)	((u64)B(n) << 32 | B(n))
#define BB4(n)	BB(n), BB(n + 1), BB(n + 2), BB(n + 3)
static const u64 lane_bitq[VGPU_LANES] __attribute__((aligned(64))) = {
	BB4(0), BB4(4), BB4(8), BB4(12), BB4(16), BB4(20), BB4(24), BB4(28),
};
#undef BB4
#undef BB
#undef B4
#undef B

lanes_inline vu splat(u32 v)
{
	return v - (vu){};
}

lanes_inline vuq splatq(u64 v)
{
	return v - (vuq){};
}

lanes_inline vu choose(vu mask, vu a, vu b)
{
	return (mask & a) | (~mask & b);
}

lanes_inline vuq chooseq(vuq mask, vuq a, vuq b)
{
	return (mask & a) | (~mask & b);
}

#if LANES_VECTOR == 32

/* By the sign alone */
lanes_inline vuq choose_quads(vuq by, vuq a, vuq b)
{
	vuq r;

	__asm__("vblendvpd %3, %2, %1, %0" : "=x"(r) : "x"(b), "xm"(a), "x"(by));
	return r;
}

lanes_inline vu choose_words(vu by, vu a, vu b)
{
	vu r;

	__asm__("vblendvps %3, %2, %1, %0" : "=x"(r) : "x"(b), "xm"(a), "x"(by));
	return r;
}

#endif

/* all ones in the lanes of @m that vector @k holds */
lanes_inline vu lanes_of(u32 m, int k)
{
	vu bits = ((const vu *)lane_bit)[k];

	return (vu)((splat(m) & bits) == bits);
}

lanes_inline vuq lanes_ofq(u32 m, int k)
{
	vu bits = ((const vu *)lane_bitq)[k];

	return (vuq)((splat(m) & bits) == bits);
}

lanes_inline u32 popcount32(u32 v)
{
#ifdef __POPCNT__
	return (u32)__builtin_popcount(v);
#else
	return vgpu_popcount32(v);
#endif
}

/* Write @from to @to in the lanes of @m only. */
lanes_inline void blend(u32 *to, const u32 *from, u32 m)
{
	vu *d = (vu *)to;
	const vu *s = (const vu *)from;

	EACH_VECTOR(k)
		d[k] = choose(lanes_of(m, k), s[k], d[k]);
}

lanes_inline void blendq(u64 *to, const u64 *from, u32 m)
{
	vuq *d = (vuq *)to;
	const vuq *s = (const vuq *)from;

	EACH_VECTORQ(k)
#if LANES_VECTOR == 32
		d[k] = choose_quads(splatq(m) << (63 - ((const vuq *)lane_iotaq)[k]), s[k], d[k]);
#else
		d[k] = chooseq(lanes_ofq(m, k), s[k], d[k]);
#endif
}

/* The same where all lanes are likely */
lanes_inline void take(u32 *to, const u32 *from, u32 m)
{
	if (m == FULL)
		EACH_VECTOR(k)
			((vu *)to)[k] = ((const vu *)from)[k];
	else
		blend(to, from, m);
}

lanes_inline void takeq(u64 *to, const u64 *from, u32 m)
{
	if (m == FULL)
		EACH_VECTORQ(k)
			((vuq *)to)[k] = ((const vuq *)from)[k];
	else
		blendq(to, from, m);
}

lanes_noinline const u32 *splat_imm(struct vgpu_lanes *s, u32 v)
{
	EACH_VECTOR(k)
		((vu *)s->imm)[k] = splat(v);
	return (const u32 *)s->imm;
}

lanes_inline float as_f(u32 v)
{
	float f;

	__builtin_memcpy(&f, &v, 4);
	return f;
}

lanes_inline u32 bits_f(float f)
{
	u32 v;

	__builtin_memcpy(&v, &f, 4);
	return v;
}

lanes_inline double as_d(u64 v)
{
	double d;

	__builtin_memcpy(&d, &v, 8);
	return d;
}

lanes_inline u64 bits_d(double d)
{
	u64 v;

	__builtin_memcpy(&v, &d, 8);
	return v;
}

lanes_inline vu vu_at(const u32 *r, int k)
{
	return ((const vu *)r)[k];
}

lanes_inline vuq vuq_at(const u64 *r, int k)
{
	return ((const vuq *)r)[k];
}

lanes_inline vf vf_at(const u32 *r, int k)
{
	return ((const vf *)r)[k];
}

lanes_inline vd vd_at(const u64 *r, int k)
{
	return ((const vd *)r)[k];
}

lanes_inline vd splat_d(double v)
{
	return v - (vd){};
}

lanes_inline vf splat_f(float v)
{
	return v - (vf){};
}

#if defined(__x86_64__)
#include "units/processor_x86.h"
#elif defined(__aarch64__)
#include "units/processor_arm64.h"
#else
#error "lanes: there is no units/processor_*.h for this processor"
#endif
/* The instructions of its vector unit, or what does the same without any by name. */
#ifdef LANES_PORTABLE
#include "units/portable.h"
#else
#include "units/x86.h"
#endif

/* Part @k of 32-bit registers that stands beside vector @k of 64-bit ones. */
#define HALF_AT(type, r, k)	(((type *)(r))[k])

/* (gcc takes __builtin_convertvector() apart) */
lanes_inline vuq widen(vu_half v)
{
#if LANES_VECTOR == 32
	vuq r;

	__asm__("vpmovzxdq %1, %0" : "=x"(r) : "xm"(v));
	return r;
#else
	return __builtin_convertvector(v, vuq);
#endif
}

lanes_inline vu_half narrow(vuq v)
{
	return __builtin_convertvector(v, vu_half);
}

/* The halves of a vector of floats as doubles, and two of doubles rounded to floats. */
#if LANES_VECTOR == 32
#define LOW_HALF(v)	__builtin_shufflevector(v, v, 0, 1, 2, 3)
#define HIGH_HALF(v)	__builtin_shufflevector(v, v, 4, 5, 6, 7)
#define JOIN(a, b)	__builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7)
#else
#define LOW_HALF(v)	__builtin_shufflevector(v, v, 0, 1)
#define HIGH_HALF(v)	__builtin_shufflevector(v, v, 2, 3)
#define JOIN(a, b)	__builtin_shufflevector(a, b, 0, 1, 2, 3)
#endif

/*
 * The low, and the high, halves of the elements of two vectors of 64 bits; as many words in order
 */
#if LANES_VECTOR == 32
#define LOW_WORDS(a, b)		__builtin_shufflevector((vu)(a), (vu)(b), 0, 2, 8, 10, 4, 6, 12, 14)
#define HIGH_WORDS(a, b)	__builtin_shufflevector((vu)(a), (vu)(b), 1, 3, 9, 11, 5, 7, 13, 15)
#define IN_ORDER(v)		((vu)__builtin_shufflevector((vuq)(v), (vuq)(v), 0, 2, 1, 3))
#else
#define LOW_WORDS(a, b)		__builtin_shufflevector((vu)(a), (vu)(b), 0, 2, 4, 6)
#define HIGH_WORDS(a, b)	__builtin_shufflevector((vu)(a), (vu)(b), 1, 3, 5, 7)
#define IN_ORDER(v)		((vu)(v))
#endif

/* (gcc takes __builtin_convertvector() apart) */
lanes_inline vd widen_f(vf_half v)
{
#if LANES_VECTOR == 32
	vd r;

	__asm__("vcvtps2pd %1, %0" : "=x"(r) : "xm"(v));
	return r;
#else
	return __builtin_convertvector(v, vd);
#endif
}

lanes_inline vf_half narrow_d(vd v)
{
#if LANES_VECTOR == 32
	vf_half r;

	__asm__("vcvtpd2ps %1, %0" : "=x"(r) : "x"(v));
	return r;
#else
	return __builtin_convertvector(v, vf_half);
#endif
}

lanes_inline vf join_f(vd low, vd high)
{
	return JOIN(narrow_d(low), narrow_d(high));
}

/* An integer in [0, 2^52) as a double and back: it lies in the low bits of 2^52 + it. */
lanes_inline vd small_d(vuq v)
{
	return (vd)(v | 0x4330000000000000ull) - 0x1p+52;
}

#if LANES_VECTOR == 32
SELECT_OP(most_vs, vs, "pmaxsd")
#else
lanes_inline vs most_vs(vs a, vs b)
{
	return (vs)choose((vu)(a > b), (vu)a, (vu)b);
}
#endif

/* Without its fraction; below 2^51 */
lanes_inline vd truncated_vd(vd x)
{
#if LANES_VECTOR == 32
	__asm__("vroundpd $3, %1, %0" : "=x"(x) : "x"(x));
	return x;
#else
	vuq sign = (vuq)x & 0x8000000000000000ull;
	vd size = (vd)((vuq)x ^ sign), r = (size + 0x1p+52) - 0x1p+52;

	r = r - (vd)((vuq)(r > size) & (vuq)splat_d(1.0));
	return (vd)((vuq)r | sign);
#endif
}

#if LANES_VECTOR == 32
/* The product of the low halves */
lanes_inline vuq product(vuq a, vuq b)
{
	vuq r;

	__asm__("vpmuludq %2, %1, %0" : "=x"(r) : "x"(a), "x"(b));
	return r;
}
#endif

/* all ones where the sign is set */
lanes_inline vuq minus_vq(vuq v)
{
#if LANES_VECTOR == 32
	return (vuq)((vsq)v < 0);
#else
	vs sign = (vs)v >> 31;

	return (vuq)__builtin_shufflevector(sign, sign, 1, 1, 3, 3);
#endif
}

lanes_inline vf floats_vs(vs x)
{
	return __builtin_convertvector(x, vf);
}

/* ---- what flags do to operands and results that are floats -------------- */

#define NAN32	0x7fffffffu		/* as NVIDIA's */
#define NAN64	0x7ff8000000000000ull

lanes_inline vu canonical_v(vu v)
{
	return choose((vu)((vf)v != (vf)v), splat(NAN32), v);
}

lanes_inline vuq canonical_vq(vuq v)
{
	return chooseq((vuq)((vd)v != (vd)v), splatq(NAN64), v);
}

lanes_noinline void canonical(u32 *o)
{
	EACH_VECTOR(k)
		((vu *)o)[k] = canonical_v(vu_at(o, k));
}

lanes_noinline void canonicalq(u64 *o)
{
	EACH_VECTORQ(k)
		((vuq *)o)[k] = canonical_vq(vuq_at(o, k));
}

/* What flush_v() clears of a subnormal: all but the sign, or nothing. */
lanes_inline vu flushed(bool ftz)
{
	return splat(ftz ? 0x7fffffffu : 0);
}

lanes_inline vu flush_v(vu v, vu clear)
{
	return v & ~((vu)((v & 0x7f800000u) == splat(0)) & clear);
}

/*
 * Whether a result is flushed is decided by what it would be if exponents had no end: what rounds
 * to the smallest normal number only where it must be a multiple of 2^-149 is flushed, too
 * (measured on an H100). So where a result is that number, the operation is repeated with operands
 * of which it is 2^64 times as large. (MXCSR could say that results are flushed, which decides the
 * same way, but not in QEMU.)
 */
lanes_inline vu smallest(vu v)
{
	return (vu)((v & 0x7fffffff) == splat(0x800000));
}

/* @v, but zero where it is the smallest number and @larger is less than 2^64 of that */
lanes_inline vu flush_risen(vu v, vu larger)
{
	vu risen = smallest(v) & (vu)((vs)(larger & 0x7fffffff) < (vs)splat(0x20800000));

	return v & ~(risen & 0x7fffffff);
}

/* NaN and -0 too become +0 */
lanes_inline void saturate(u32 *o)
{
	EACH_VECTOR(k)
		((vf *)o)[k] = least_vf(splat_f(1), most_vf(vf_at(o, k), splat_f(0)));
}

/* A result that may be a NaN, to where flags say what else is done to it. */
lanes_inline vu finished(vu v, vu clear)
{
	return flush_v(canonical_v(v), clear);
}

#endif

/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Vectors of the lanes files: types as wide as the vector unit that is compiled for, masks of lanes, the rounding mode.
 * Part of lanes_impl.h.
 */
#ifndef VGPU_LANES_VEC_H
#define VGPU_LANES_VEC_H

#include "lanes.h"

typedef u32 vu __attribute__((vector_size(LANES_VECTOR)));
typedef s32 vs __attribute__((vector_size(LANES_VECTOR)));
typedef float vf __attribute__((vector_size(LANES_VECTOR)));
typedef u64 vuq __attribute__((vector_size(LANES_VECTOR)));
typedef s64 vsq __attribute__((vector_size(LANES_VECTOR)));
typedef double vd __attribute__((vector_size(LANES_VECTOR)));
/* the same where memory is aligned to nothing */
typedef u32 vu_any __attribute__((vector_size(LANES_VECTOR), aligned(1)));


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
#define EACH_ACTIVE(l, m)	for (u32 l##_left = (m), l; l##_left && (l = (u32)__builtin_ctz(l##_left), 1); \
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
static const u64 lane_bitq[VGPU_LANES] __attribute__((aligned(64))) = {
	B4(0), B4(4), B4(8), B4(12), B4(16), B4(20), B4(24), B4(28),
};
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

/* all ones in the lanes of @m that vector @k holds */
lanes_inline vu lanes_of(u32 m, int k)
{
	vu bits = ((const vu *)lane_bit)[k];

	return (vu)((splat(m) & bits) == bits);
}

lanes_inline vuq lanes_ofq(u32 m, int k)
{
	vuq bits = ((const vuq *)lane_bitq)[k];

	return (vuq)((splatq(m) & bits) == bits);
}

/* a bit for each element whose top bit is set */
lanes_inline u32 mask_of(vu v)
{
#if LANES_VECTOR == 32
	return (u32)__builtin_ia32_movmskps256((vf)v);
#else
	return (u32)__builtin_ia32_movmskps((vf)v);
#endif
}

lanes_inline u32 mask_ofq(vuq v)
{
#if LANES_VECTOR == 32
	return (u32)__builtin_ia32_movmskpd256((vd)v);
#else
	return (u32)__builtin_ia32_movmskpd((vd)v);
#endif
}

lanes_inline bool all_zero(vu v)
{
#if LANES_VECTOR == 32
	return __builtin_ia32_ptestz256((long long __attribute__((vector_size(32))))v,
					(long long __attribute__((vector_size(32))))v);
#else
	return mask_of((vu)(v == 0)) == 15;
#endif
}

lanes_inline u32 popcount32(u32 v)
{
#ifdef __POPCNT__
	return (u32)__builtin_popcount(v);
#else
	v -= v >> 1 & 0x55555555u;
	v = (v & 0x33333333u) + (v >> 2 & 0x33333333u);
	v = (v + (v >> 4)) & 0x0f0f0f0fu;
	return v * 0x01010101u >> 24;
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
		d[k] = chooseq(lanes_ofq(m, k), s[k], d[k]);
}

lanes_noinline const u32 *splat_imm(struct vgpu_lanes *s, u32 v)
{
	EACH_VECTOR(k)
		((vu *)s->imm)[k] = splat(v);
	return (const u32 *)s->imm;
}

/* MXCSR: exceptions masked, subnormals kept, rounding as VGPU_RND_*. What computes under another mode than to nearest
 * is a function of its own that is not inlined and works on memory, so that no operation moves across the change. */
#define MXCSR_NEAREST	0x1f80u

lanes_inline u32 mxcsr_read(void)
{
	u32 v;

	__asm__ volatile("stmxcsr %0" : "=m"(v) : : "memory");
	return v;
}

lanes_inline void mxcsr_write(u32 v)
{
	__asm__ volatile("ldmxcsr %0" : : "m"(v) : "memory");
}

lanes_inline void round_by(u32 mode)
{
	static const u16 bits[4] = { 0, 0x6000, 0x2000, 0x4000 };

	mxcsr_write(MXCSR_NEAREST | bits[mode & 3]);
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

#endif

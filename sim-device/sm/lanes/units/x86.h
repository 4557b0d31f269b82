/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Operations of the vector units of x86-64 that the lanes use by name: SSE2's, or with vectors of
 * 32 bytes those of AVX2. Part of impl.h; portable.h has the same without such instructions.
 */
#ifndef VGPU_LANES_UNIT_H
#define VGPU_LANES_UNIT_H

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

/* a < b ? a : b, a > b ? a : b */
#if LANES_VECTOR == 32
#define SELECT_OP(name, type, insn)								\
	lanes_inline type name(type a, type b)							\
	{											\
		type r;										\
												\
		__asm__("v" insn " %2, %1, %0" : "=x"(r) : "x"(a), "x"(b));			\
		return r;									\
	}
#else
#define SELECT_OP(name, type, insn)								\
	lanes_inline type name(type a, type b)							\
	{											\
		__asm__(insn " %1, %0" : "+x"(a) : "x"(b));					\
		return a;									\
	}
#endif
SELECT_OP(least_vd, vd, "minpd")
SELECT_OP(most_vd, vd, "maxpd")
SELECT_OP(least_vf, vf, "minps")
SELECT_OP(most_vf, vf, "maxps")

/* Elements of two vectors, in each half of them, as ones half as wide: what does not fit is cut. */
SELECT_OP(signed_pairs, vs, "packssdw")
SELECT_OP(unsigned_bytes, vs, "packuswb")

/* To integers, by the present mode and towards zero; what does not fit is 0x80000000. */
lanes_inline vs integers_vf(vf x)
{
	vs r;

	__asm__(VEX "cvtps2dq %1, %0" : "=x"(r) : "x"(x));
	return r;
}

lanes_inline vs truncated_vf(vf x)
{
	vs r;

	__asm__(VEX "cvttps2dq %1, %0" : "=x"(r) : "x"(x));
	return r;
}

/* The low words of the integers without their fractions; 2^63 and beyond anything */
lanes_inline vs_half truncated_halves(vd x)
{
	return __builtin_convertvector(x, vs_half);
}

/* One lane by the instruction: 2^63 where it does not fit, and of a NaN. */
lanes_inline u64 integer_d(const u64 *x, bool zero)
{
	u64 r;

	if (zero)
		__asm__(VEX "cvttsd2si %1, %0" : "=r"(r) : "m"(*x));
	else
		__asm__(VEX "cvtsd2si %1, %0" : "=r"(r) : "m"(*x));
	return r;
}

lanes_inline vf sqrt_vf(vf x)
{
#if LANES_VECTOR == 32
	__asm__("vsqrtps %1, %0" : "=x"(x) : "x"(x));
#else
	__asm__("sqrtps %1, %0" : "=x"(x) : "x"(x));
#endif
	return x;
}

lanes_inline vd sqrt_vd(vd x)
{
#if LANES_VECTOR == 32
	__asm__("vsqrtpd %1, %0" : "=x"(x) : "x"(x));
#else
	__asm__("sqrtpd %1, %0" : "=x"(x) : "x"(x));
#endif
	return x;
}

/*
 * The lanes whose value equals @value, of values laid out so that narrowing comparisons to bytes
 * puts the lanes in order: the lower half of vector k is lanes 4k and on, the upper half, where
 * there is one, lanes 16 + 4k and on.
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

/* Where all are below 256: as bytes, in order */
lanes_inline void lay_out_bytes(vu *v)
{
	v16 low = __builtin_ia32_packssdw256((vs)v[0], (vs)v[1]),
	    high = __builtin_ia32_packssdw256((vs)v[2], (vs)v[3]);

	v[0] = (vu)__builtin_ia32_packuswb256(low, high);
}

lanes_inline u32 same_bytes(const vu *v, u32 value)
{
	return (u32)__builtin_ia32_pmovmskb256((v8)v[0] == (v8)splat(value));
}

lanes_inline void lay_out(vu *v, const u32 *a)
{
	for (int k = 0; k < 2; k++) {
		v[2 * k] = __builtin_shufflevector(vu_at(a, k), vu_at(a, k + 2), 0, 1, 2, 3, 8, 9,
						   10, 11);
		v[2 * k + 1] = __builtin_shufflevector(vu_at(a, k), vu_at(a, k + 2), 4, 5, 6, 7, 12,
						       13, 14, 15);
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

lanes_inline void lay_out_bytes(vu *v)
{
	for (u32 k = 0; k < 2; k++) {
		v16 low = __builtin_ia32_packssdw128((vs)v[4 * k], (vs)v[4 * k + 1]);
		v16 high = __builtin_ia32_packssdw128((vs)v[4 * k + 2], (vs)v[4 * k + 3]);

		v[k] = (vu)__builtin_ia32_packuswb128(low, high);
	}
}

lanes_inline u32 same_bytes(const vu *v, u32 value)
{
	v8 x = (v8)splat(value);

	return (u32)__builtin_ia32_pmovmskb128((v8)v[0] == x) |
	       (u32)__builtin_ia32_pmovmskb128((v8)v[1] == x) << 16;
}

lanes_inline void lay_out(vu *v, const u32 *a)
{
	__builtin_memcpy(v, a, VGPU_LANES * sizeof(*a));
}
#endif

#endif

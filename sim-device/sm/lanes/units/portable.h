/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * What the lanes use of a vector unit beyond the operators of C, with no instruction by name:
 * vectors of 16 bytes, for any processor. x86.h has the same operations. Part of impl.h.
 */
#ifndef VGPU_LANES_UNIT_H
#define VGPU_LANES_UNIT_H

_Static_assert(LANES_VECTOR == 16, "the portable form has vectors of four words");

/* a bit for each element whose top bit is set */
lanes_inline u32 mask_of(vu v)
{
	v = v >> 31 << (vu){ 0, 1, 2, 3 };
	return v[0] | v[1] | v[2] | v[3];
}

lanes_inline u32 mask_ofq(vuq v)
{
	v = v >> 63 << (vuq){ 0, 1 };
	return (u32)(v[0] | v[1]);
}

lanes_inline bool all_zero(vu v)
{
	vuq q = (vuq)v;

	return !(q[0] | q[1]);
}

/* a < b ? a : b, a > b ? a : b: the second where they are equal, or one is a NaN */
#define SELECT_OP(name, type, by, bits, chosen)							\
	lanes_inline type name(type a, type b)							\
	{											\
		return (type)chosen((bits)(a by b), (bits)a, (bits)b);				\
	}
SELECT_OP(least_vd, vd, <, vuq, chooseq)
SELECT_OP(most_vd, vd, >, vuq, chooseq)
SELECT_OP(least_vf, vf, <, vu, choose)
SELECT_OP(most_vf, vf, >, vu, choose)
#undef SELECT_OP

/* Elements of two vectors as ones half as wide, which they fit */
lanes_inline vs signed_pairs(vs a, vs b)
{
	typedef u16 pairs __attribute__((vector_size(LANES_VECTOR)));

	return (vs)__builtin_shufflevector((pairs)a, (pairs)b, 0, 2, 4, 6, 8, 10, 12, 14);
}

lanes_inline vs unsigned_bytes(vs a, vs b)
{
	typedef u8 bytes __attribute__((vector_size(LANES_VECTOR)));

	return (vs)__builtin_shufflevector((bytes)a, (bytes)b, 0, 2, 4, 6, 8, 10, 12, 14,
					   16, 18, 20, 22, 24, 26, 28, 30);
}

/* To integers, by the present mode and towards zero; what does not fit is 0x80000000. */
lanes_inline vs truncated_vf(vf x)
{
	vu fits = (vu)(x >= -0x1p+31f) & (vu)(x < 0x1p+31f);
	vu r = (vu)__builtin_convertvector((vf)((vu)x & fits), vs);

	return (vs)choose(fits, r, splat(0x80000000));
}

/* Below 2^23 what is added has no bits below 1; beyond everything is integral. */
lanes_inline vs integers_vf(vf x)
{
	vu whole = (vu)(((vu)x & 0x7fffffffu) < splat(0x4b000000));
	vf big = (vf)(((vu)x & 0x80000000u) | 0x4b000000u);

	return truncated_vf((vf)choose(whole, (vu)((x + big) - big), (vu)x));
}

/* The low words of the integers without their fractions; 2^63 and beyond anything */
lanes_inline vs_half truncated_halves(vd x)
{
	return __builtin_convertvector(__builtin_convertvector(x, vsq), vs_half);
}

/* One lane, by the present mode or towards zero: 2^63 where it does not fit, and of a NaN. */
lanes_inline u64 integer_d(const u64 *x, bool zero)
{
	u64 size = *x & 0x7fffffffffffffffull;
	double d = as_d(*x);

	if (!zero && size < 0x4330000000000000ull) {	/* 2^52, as above */
		double big = as_d((*x & 0x8000000000000000ull) | 0x4330000000000000ull);

		d = (d + big) - big;
	}
	return d >= -0x1p+63 && d < 0x1p+63 ? (u64)(s64)d : 0x8000000000000000ull;
}

lanes_inline vf sqrt_vf(vf x)
{
	UNROLL for (int n = 0; n < 4; n++)
		x[n] = __builtin_sqrtf(x[n]);
	return x;
}

lanes_inline vd sqrt_vd(vd x)
{
	UNROLL for (int n = 0; n < 2; n++)
		x[n] = __builtin_sqrt(x[n]);
	return x;
}

/* The lanes whose value equals @value; values are laid out in the order of the lanes. */
lanes_inline void lay_out(vu *v, const u32 *a)
{
	__builtin_memcpy(v, a, VGPU_LANES * sizeof(*a));
}

lanes_inline u32 same_lanes(const vu *v, u32 value)
{
	u32 same = 0;

	EACH_VECTOR(k)
		same |= mask_of((vu)(v[k] == splat(value))) << 4 * k;
	return same;
}

/* The same where all are below 256, and @value is one such, four times: as they are */
lanes_inline void lay_out_bytes(vu *v)
{
	(void)v;
}

lanes_inline u32 same_bytes(const vu *v, u32 value)
{
	return same_lanes(v, value & 0xff);
}

#endif

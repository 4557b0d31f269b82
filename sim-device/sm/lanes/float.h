/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Arithmetic on floats, all lanes at once: what needs a rounding mode, flushing or saturation goes
 * through here; plain add, subtract, multiply and fused multiply-add are in the run loop. Every NaN
 * that comes out is the canonical one, so that nothing depends on the order in which a compiler
 * puts operands. Part of impl.h.
 */
#ifndef VGPU_LANES_FLOAT_H
#define VGPU_LANES_FLOAT_H

#if LANES_VECTOR == 32

/* To an integral value by the present mode, sign of zero kept. */
lanes_inline vu rnd_vf(vf x)
{
	__asm__("vroundps $4, %1, %0" : "=x"(x) : "x"(x));
	return (vu)x;
}

lanes_inline vuq rnd_vd(vd x)
{
	__asm__("vroundpd $4, %1, %0" : "=x"(x) : "x"(x));
	return (vuq)x;
}

#else

/*
 * To an integral value by the present mode: what is added has no bits below 1, and has the sign of
 * x, which a result of zero keeps. Beyond 2^23 (2^52) everything is integral.
 */
lanes_inline vu rnd_vf(vf x)
{
	vu sign = (vu)x & 0x80000000u;
	/* there is a fraction to lose */
	vu whole = (vu)(((vu)x & 0x7fffffffu) < splat(0x4b000000));
	vf big = (vf)(sign | 0x4b000000u);
	vu r = ((vu)((x + big) - big) & 0x7fffffffu) | sign;

	return choose(whole, r, (vu)x);
}

lanes_inline vuq rnd_vd(vd x)
{
	vuq sign = (vuq)x & 0x8000000000000000ull;
	vuq size = (vuq)x & 0x7fffffffffffffffull;
	vd big = (vd)(sign | 0x4330000000000000ull);
	vuq r = ((vuq)((x + big) - big) & 0x7fffffffffffffffull) | sign;

	return chooseq((vuq)((vd)size < splat_d(0x1p+52)), r, (vuq)x);
}

#endif

/*
 * The smaller; the other one if one is NaN; -0 < +0. The instruction gives b where they are equal
 * or one is NaN.
 */
lanes_inline vu fmin_vf(vf a, vf b)
{
	vu r = (vu)least_vf(a, b) | ((vu)(a == b) & (vu)a);

	return choose((vu)(b != b), (vu)a, r);
}

/* the same but that +0 wins */
lanes_inline vu fmax_vf(vf a, vf b)
{
	vu r = (vu)most_vf(a, b) & ~((vu)(a == b) & ~(vu)a);

	return choose((vu)(b != b), (vu)a, r);
}

lanes_inline vuq dmin_vd(vd a, vd b)
{
	vuq r = (vuq)least_vd(a, b) | ((vuq)(a == b) & (vuq)a);

	return chooseq((vuq)(b != b), (vuq)a, r);
}

lanes_inline vuq dmax_vd(vd a, vd b)
{
	vuq r = (vuq)most_vd(a, b) & ~((vuq)(a == b) & ~(vuq)a);

	return chooseq((vuq)(b != b), (vuq)a, r);
}

/* Subnormals to zero, sign kept. */
lanes_inline void flush(u32 *o, const u32 *a)
{
	EACH_VECTOR(k)
		((vu *)o)[k] = flush_v(vu_at(a, k), splat(0x7fffffffu));
}

/* @x, times 2^64 where it is the smaller one of two factors, and where both are equal if @equal */
lanes_inline vf scaled(vf x, vf y, u32 equal)
{
	vu less = (vu)((vs)((vu)x & 0x7fffffff) < (vs)(((vu)y & 0x7fffffff) + equal));

	return (vf)choose(less, (vu)(x * 0x1p64f), (vu)x);
}

/*
 * An operation on floats with all its flags but the mode, which is set, into @o, which may be
 * an operand. @rises: it may round to the smallest normal number; @larger: @expr times 2^64.
 */
#define FLOAT_OP(name, expr, rises, larger)							\
	lanes_noinline void float_##name(u32 *o, const u32 *a, const u32 *b, const u32 *c, \
		u32 flags) \
	{											\
		vu clear = splat(0x7fffffff);							\
		(void)b, (void)c;								\
		if (flags & VGPU_F_FTZ) {							\
			vu r[NV], small = {};							\
			EACH_VECTOR(k) {							\
				vf x = (vf)flush_v(vu_at(a, k), clear), y = (vf)flush_v(vu_at(b, \
					k), clear); \
				vf z = (vf)flush_v(vu_at(c, k), clear);				\
				(void)y, (void)z;						\
				r[k] = finished((vu)(expr), clear);				\
				small |= smallest(r[k]);					\
			}									\
			if ((rises) && unlikely(!all_zero(small)))				\
				EACH_VECTOR(k) {						\
					vf x = (vf)flush_v(vu_at(a, k), clear);			\
					vf y = (vf)flush_v(vu_at(b, k), clear);			\
					vf z = (vf)flush_v(vu_at(c, k), clear);			\
					(void)x, (void)y, (void)z;				\
					r[k] = flush_risen(r[k], (vu)(larger));			\
				}								\
			EACH_VECTOR(k)								\
				((vu *)o)[k] = r[k];						\
		} else {									\
			EACH_VECTOR(k) {							\
				vf x = vf_at(a, k), y = vf_at(b, k), z = vf_at(c, k);		\
				(void)y, (void)z;						\
				((vu *)o)[k] = canonical_v((vu)(expr));				\
			}									\
		}										\
		if (flags & VGPU_F_SAT)								\
			saturate(o);								\
	}
/* those that move a sign, whatever it is a sign of */
#define SIGN_OP(name, expr)									\
	lanes_noinline void float_##name(u32 *o, const u32 *a, const u32 *b, const u32 *c, \
		u32 flags) \
	{											\
		vu clear = flushed(flags & VGPU_F_FTZ);						\
		(void)b, (void)c;								\
		EACH_VECTOR(k) {								\
			vu x = flush_v(vu_at(a, k), clear);					\
			((vu *)o)[k] = expr;							\
		}										\
		if (flags & VGPU_F_SAT)								\
			saturate(o);								\
	}
#define DOUBLE_OP(name, expr)									\
	lanes_noinline void double_##name(u64 *o, const u64 *a, const u64 *b, const u64 *c)	\
	{											\
		(void)b, (void)c;								\
		EACH_VECTORQ(k) {								\
			vd x = vd_at(a, k), y = vd_at(b, k), z = vd_at(c, k);			\
			(void)y, (void)z;							\
			((vuq *)o)[k] = canonical_vq((vuq)(expr));				\
		}										\
	}

FLOAT_OP(FADD, x + y, false, x)
FLOAT_OP(FSUB, x - y, false, x)
FLOAT_OP(FMUL, x * y, true, scaled(x, y, 0) * scaled(y, x, 1))
FLOAT_OP(FDIV, x / y, true, x * 0x1p64f / y)
FLOAT_OP(FRCP, 1.0f / x, true, 0x1p64f / x)
FLOAT_OP(FSQRT, sqrt_vf(x), false, x)
FLOAT_OP(FRSQ, 1.0f / sqrt_vf(x), false, x)
FLOAT_OP(FMIN, fmin_vf(x, y), false, x)
FLOAT_OP(FMAX, fmax_vf(x, y), false, x)
FLOAT_OP(FRND, rnd_vf(x), false, x)
SIGN_OP(FABS, x & 0x7fffffffu)
SIGN_OP(FNEG, x ^ 0x80000000u)
DOUBLE_OP(DADD, x + y)
DOUBLE_OP(DSUB, x - y)
DOUBLE_OP(DMUL, x * y)
DOUBLE_OP(DDIV, x / y)
DOUBLE_OP(DRCP, 1.0 / x)
DOUBLE_OP(DSQRT, sqrt_vd(x))
DOUBLE_OP(DRSQ, 1.0 / sqrt_vd(x))
DOUBLE_OP(DMIN, dmin_vd(x, y))
DOUBLE_OP(DMAX, dmax_vd(x, y))
DOUBLE_OP(DRND, rnd_vd(x))
FLOAT_OP(FFMA, fma_vf(x, y, z), true,
	 fma_vf(scaled(x, y, 0), scaled(y, x, 1), z * 0x1p64f))
#if LANES_VECTOR == 32
DOUBLE_OP(DFMA, fma_vd(x, y, z))
#endif
/* To [0, 1] of what is above @low, the rest (NaN and -0 too) becomes +0. */
lanes_inline void saturate_above(u32 *o, vf low)
{
	EACH_VECTOR(k) {
		vf r = least_vf(splat_f(1), vf_at(o, k));

		((vu *)o)[k] = (vu)r & (vu)(r > low);
	}
}

/*
 * Approximate: the mode is not looked at. @f: of vectors at from into x. @small: a result may be
 * subnormal.
 */
#define SPECIAL_OP(name, small, f)								\
	lanes_noinline void float_##name(u32 *o, const u32 *a, const u32 *b, const u32 *c, \
		u32 flags) \
	{											\
		u32 ftz = small ? flags & VGPU_F_FTZ : 0;					\
		(void)b, (void)c;								\
		for (int k = 0; k < NV; k += MANY) {						\
			const vf *from = (const vf *)a + k;					\
			vf x[MANY];								\
			f;									\
			EACH(j)									\
				((vf *)o)[k + j] = x[j];					\
		}										\
		if (flags & VGPU_F_SAT)								\
			saturate_above(o, (vf)splat(ftz ? 0x7fffff : 0));			\
		else if (ftz)									\
			flush(o, o);								\
	}

SPECIAL_OP(FSIN, true, sin_many(x, from, 0))
SPECIAL_OP(FCOS, false, sin_many(x, from, 1))
SPECIAL_OP(FEX2, true, ex2_many(x, from))
SPECIAL_OP(FLG2, false, lg2_many(x, from, flags & VGPU_F_FTZ ? 0 : 0x7fffff))
SPECIAL_OP(FTANH, true, tanh_many(x, from))

#endif

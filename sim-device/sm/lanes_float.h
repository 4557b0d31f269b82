/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Arithmetic on floats, all lanes at once: what needs a rounding mode, flushing or saturation goes through here; plain
 * add, subtract, multiply and fused multiply-add are in the run loop. Every NaN that comes out is the canonical one,
 * so that nothing depends on the order in which a compiler puts operands. Part of lanes_impl.h.
 */
#ifndef VGPU_LANES_FLOAT_H
#define VGPU_LANES_FLOAT_H

#define NAN32	0x7fffffffu		/* as NVIDIA's */
#define NAN64	0x7ff8000000000000ull

lanes_inline vf vf_at(const u32 *r, int k)
{
	return ((const vf *)r)[k];
}

lanes_inline vd vd_at(const u64 *r, int k)
{
	return ((const vd *)r)[k];
}

lanes_noinline void canonical(u32 *o)
{
	EACH_VECTOR(k) {
		vf r = vf_at(o, k);

		((vu *)o)[k] = choose((vu)(r != r), splat(NAN32), ((vu *)o)[k]);
	}
}

lanes_noinline void canonicalq(u64 *o)
{
	EACH_VECTORQ(k) {
		vd r = vd_at(o, k);

		((vuq *)o)[k] = chooseq((vuq)(r != r), splatq(NAN64), ((vuq *)o)[k]);
	}
}

/* Subnormals to zero, sign kept. */
lanes_noinline void flush(u32 *o, const u32 *a)
{
	EACH_VECTOR(k) {
		vu v = ((const vu *)a)[k];
		vu subnormal = (vu)((v & 0x7f800000u) == splat(0));

		((vu *)o)[k] = v & ~(subnormal & 0x7fffffffu);
	}
}

lanes_noinline void saturate(u32 *o)
{
	EACH_VECTOR(k) {
		vf r = vf_at(o, k);
		vu v = (vu)r & (vu)(r > 0);	/* NaN and -0 too become +0 */

		((vu *)o)[k] = choose((vu)(r > 1), (vu)((vf){} + 1.0f), v);
	}
}

/* To an integral value; independent of MXCSR. */
lanes_inline double round_d(double x, u32 mode)
{
	double magnitude = x < 0 ? -x : x, t, d;
	s64 n;

	if (!(magnitude < 0x1p+52))
		return x;
	n = (s64)x;
	t = (double)n;
	d = x - t;	/* exact */
	switch (mode) {
	case VGPU_RND_RN:
		d = d < 0 ? -d : d;
		if (d > 0.5 || (d == 0.5 && (n & 1)))
			t += x < 0 ? -1 : 1;
		break;
	case VGPU_RND_RM:
		t -= d < 0;
		break;
	case VGPU_RND_RP:
		t += d > 0;
		break;
	}
	return as_d((bits_d(t) & ~(1ull << 63)) | (bits_d(x) & 1ull << 63));
}

lanes_noinline void frnd_lanes(u32 *o, const u32 *a, u32 mode)
{
	for (u32 l = 0; l < VGPU_LANES; l++)
		o[l] = bits_f((float)round_d((double)as_f(a[l]), mode));
}

lanes_noinline void drnd_lanes(u64 *o, const u64 *a, u32 mode)
{
	for (u32 l = 0; l < VGPU_LANES; l++)
		o[l] = bits_d(round_d(as_d(a[l]), mode));
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

/* The smaller; the other one if one is NaN; -0 < +0. For the larger swap a and b, and and for or. */
lanes_inline vu fmin_vf(vf a, vf b)
{
	vu less = (vu)(a < b), same = (vu)(a == b), a_nan = (vu)(a != a), b_nan = (vu)(b != b);
	vu r = choose(less | b_nan, (vu)a, (vu)b);

	r = choose(same, (vu)a | (vu)b, r);
	return choose(a_nan, (vu)b, r);
}

lanes_inline vu fmax_vf(vf a, vf b)
{
	vu more = (vu)(a > b), same = (vu)(a == b), a_nan = (vu)(a != a), b_nan = (vu)(b != b);
	vu r = choose(more | b_nan, (vu)a, (vu)b);

	r = choose(same, (vu)a & (vu)b, r);
	return choose(a_nan, (vu)b, r);
}

lanes_inline vuq dmin_vd(vd a, vd b)
{
	vuq less = (vuq)(a < b), same = (vuq)(a == b), a_nan = (vuq)(a != a), b_nan = (vuq)(b != b);
	vuq r = chooseq(less | b_nan, (vuq)a, (vuq)b);

	r = chooseq(same, (vuq)a | (vuq)b, r);
	return chooseq(a_nan, (vuq)b, r);
}

lanes_inline vuq dmax_vd(vd a, vd b)
{
	vuq more = (vuq)(a > b), same = (vuq)(a == b), a_nan = (vuq)(a != a), b_nan = (vuq)(b != b);
	vuq r = chooseq(more | b_nan, (vuq)a, (vuq)b);

	r = chooseq(same, (vuq)a & (vuq)b, r);
	return chooseq(a_nan, (vuq)b, r);
}

/* One operation under the MXCSR as it stands. */
lanes_noinline void float_lanes(u32 op, u32 *o, const u32 *a, const u32 *b)
{
	switch (op) {
	case VGPU_OP_FADD:
		EACH_VECTOR(k)
			((vf *)o)[k] = vf_at(a, k) + vf_at(b, k);
		break;
	case VGPU_OP_FSUB:
		EACH_VECTOR(k)
			((vf *)o)[k] = vf_at(a, k) - vf_at(b, k);
		break;
	case VGPU_OP_FMUL:
		EACH_VECTOR(k)
			((vf *)o)[k] = vf_at(a, k) * vf_at(b, k);
		break;
	case VGPU_OP_FDIV:
		EACH_VECTOR(k)
			((vf *)o)[k] = vf_at(a, k) / vf_at(b, k);
		break;
	case VGPU_OP_FRCP:
		EACH_VECTOR(k)
			((vf *)o)[k] = 1.0f / vf_at(a, k);
		break;
	case VGPU_OP_FSQRT:
		EACH_VECTOR(k)
			((vf *)o)[k] = sqrt_vf(vf_at(a, k));
		break;
	case VGPU_OP_FRSQ:
		EACH_VECTOR(k)
			((vf *)o)[k] = 1.0f / sqrt_vf(vf_at(a, k));
		break;
	case VGPU_OP_FMIN:
		EACH_VECTOR(k)
			((vu *)o)[k] = fmin_vf(vf_at(a, k), vf_at(b, k));
		break;
	case VGPU_OP_FMAX:
		EACH_VECTOR(k)
			((vu *)o)[k] = fmax_vf(vf_at(a, k), vf_at(b, k));
		break;
	}
}

lanes_noinline void double_lanes(u32 op, u64 *o, const u64 *a, const u64 *b)
{
	switch (op) {
	case VGPU_OP_DADD:
		EACH_VECTORQ(k)
			((vd *)o)[k] = vd_at(a, k) + vd_at(b, k);
		break;
	case VGPU_OP_DSUB:
		EACH_VECTORQ(k)
			((vd *)o)[k] = vd_at(a, k) - vd_at(b, k);
		break;
	case VGPU_OP_DMUL:
		EACH_VECTORQ(k)
			((vd *)o)[k] = vd_at(a, k) * vd_at(b, k);
		break;
	case VGPU_OP_DDIV:
		EACH_VECTORQ(k)
			((vd *)o)[k] = vd_at(a, k) / vd_at(b, k);
		break;
	case VGPU_OP_DRCP:
		EACH_VECTORQ(k)
			((vd *)o)[k] = 1.0 / vd_at(a, k);
		break;
	case VGPU_OP_DRSQ:
		EACH_VECTORQ(k)
			((vd *)o)[k] = 1.0 / sqrt_vd(vd_at(a, k));
		break;
	case VGPU_OP_DSQRT:
		EACH_VECTORQ(k)
			((vd *)o)[k] = sqrt_vd(vd_at(a, k));
		break;
	case VGPU_OP_DMIN:
		EACH_VECTORQ(k)
			((vuq *)o)[k] = dmin_vd(vd_at(a, k), vd_at(b, k));
		break;
	case VGPU_OP_DMAX:
		EACH_VECTORQ(k)
			((vuq *)o)[k] = dmax_vd(vd_at(a, k), vd_at(b, k));
		break;
	}
}

/* An instruction of class FP on 32-bit floats, with all its flags, into @o, which may be an operand. */
lanes_noinline void float_any(struct vgpu_lanes *s, const struct vgpu_insn *i, u32 *o, const u32 *a, const u32 *b,
			      const u32 *c)
{
	u32 mode = VGPU_F_RND(i->flags);

	if (i->flags & VGPU_F_FTZ) {
		u32 *x = (u32 *)s->x, *y = (u32 *)s->y, *z = (u32 *)s->z;

		flush(x, a);
		flush(y, b);
		flush(z, c);
		a = x;
		b = y;
		c = z;
	}
	switch (i->op) {
	case VGPU_OP_FFMA:
		ffma_lanes(o, a, b, c, mode);
		break;
	case VGPU_OP_FRND:
		frnd_lanes(o, a, mode);
		break;
	case VGPU_OP_FRSQ:	/* has no rounding mode */
		float_lanes(i->op, o, a, b);
		break;
	case VGPU_OP_FSIN:
	case VGPU_OP_FCOS:
	case VGPU_OP_FEX2:
	case VGPU_OP_FLG2:
	case VGPU_OP_FTANH:
		special_lanes(i->op, o, a);
		break;
	case VGPU_OP_FABS:
		EACH_VECTOR(k)
			((vu *)o)[k] = ((const vu *)a)[k] & 0x7fffffffu;
		break;
	case VGPU_OP_FNEG:
		EACH_VECTOR(k)
			((vu *)o)[k] = ((const vu *)a)[k] ^ 0x80000000u;
		break;
	default:
		if (mode)
			round_by(mode);
		float_lanes(i->op, o, a, b);
		if (mode)
			round_by(VGPU_RND_RN);
	}
	if (i->op != VGPU_OP_FABS && i->op != VGPU_OP_FNEG)	/* those move a sign, whatever it is a sign of */
		canonical(o);
	if (i->flags & VGPU_F_FTZ)
		flush(o, o);
	if (i->flags & VGPU_F_SAT)
		saturate(o);
}

lanes_noinline void double_any(const struct vgpu_insn *i, u64 *o, const u64 *a, const u64 *b, const u64 *c)
{
	u32 mode = VGPU_F_RND(i->flags);

	switch (i->op) {
	case VGPU_OP_DFMA:
		dfma_lanes(o, a, b, c, mode);
		break;
	case VGPU_OP_DRND:
		drnd_lanes(o, a, mode);
		break;
	case VGPU_OP_DABS:
		EACH_VECTORQ(k)
			((vuq *)o)[k] = ((const vuq *)a)[k] & 0x7fffffffffffffffull;
		return;
	case VGPU_OP_DNEG:
		EACH_VECTORQ(k)
			((vuq *)o)[k] = ((const vuq *)a)[k] ^ 0x8000000000000000ull;
		return;
	default:
		if (mode)
			round_by(mode);
		double_lanes(i->op, o, a, b);
		if (mode)
			round_by(VGPU_RND_RN);
	}
	canonicalq(o);
}

#endif

/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Conversions between integers and floats and between floats. To an integer: rounded by the mode, clamped to the
 * range, NaN to 0. Part of lanes_impl.h.
 */
#ifndef VGPU_LANES_CONV_H
#define VGPU_LANES_CONV_H

/* round_d() has made @r integral */
lanes_inline u32 to_s32(double r)
{
	if (r != r)
		return 0;
	return r >= 2147483647.0 ? 0x7fffffffu : r <= -2147483648.0 ? 0x80000000u : (u32)(s32)r;
}

lanes_inline u32 to_u32(double r)
{
	return !(r > 0) ? 0 : r >= 4294967295.0 ? 0xffffffffu : (u32)(s64)r;
}

lanes_inline u64 to_s64(double r)
{
	if (r != r)
		return 0;
	return r >= 0x1p+63 ? 0x7fffffffffffffffull : r < -0x1p+63 ? 1ull << 63 : (u64)(s64)r;
}

lanes_inline u64 to_u64(double r)
{
	if (!(r > 0))
		return 0;
	if (r >= 0x1p+64)
		return ~0ull;
	return r >= 0x1p+63 ? (u64)(s64)(r - 0x1p+63) + (1ull << 63) : (u64)(s64)r;
}

/* Unsigned 64 bits to a float under the present mode: above the signed range halve it, the lost bit made sticky. */
lanes_inline u64 u64_to_d(u64 v)
{
	u64 half = v >> 1 | (v & 1);

	return bits_d((s64)v >= 0 ? (double)(s64)v : (double)(s64)half * 2);
}

lanes_inline u32 u64_to_f(u64 v)
{
	u64 half = v >> 1 | (v & 1);

	return bits_f((s64)v >= 0 ? (float)(s64)v : (float)(s64)half * 2);
}

/* binary16 to binary32, exact */
lanes_inline u32 half_to_f(u32 h)
{
	u32 sign = (h & 0x8000u) << 16, exp = h >> 10 & 31, frac = h & 0x3ff;

	if (exp == 31)
		return frac ? NAN32 : sign | 0x7f800000u;
	if (exp)
		return sign | (exp + 112) << 23 | frac << 13;
	return sign | bits_f((float)(s32)frac * 0x1p-24f);
}

lanes_inline u32 f_to_half(u32 f, u32 mode)
{
	u32 sign = f >> 16 & 0x8000u, exp = f >> 23 & 0xff, frac = f & 0x7fffff;
	u32 drop, sig, low, half;
	bool up;

	if (exp == 255)
		return frac ? 0x7fffu : sign | 0x7c00u;
	/* significand with its leading one; the result keeps bits from `drop` up */
	sig = exp ? frac | 0x800000u : frac;
	if (exp >= 113)
		drop = 13;
	else
		drop = exp ? 126 - exp : 125;
	if (drop > 25)
		drop = 25;	/* less than half of the smallest subnormal */
	low = sig & ((1u << drop) - 1);
	half = 1u << (drop - 1);
	up = mode == VGPU_RND_RN ? low > half || (low == half && (sig >> drop & 1)) :
	     mode == VGPU_RND_RM ? sign && low : mode == VGPU_RND_RP ? !sign && low : false;
	sig = (sig >> drop) + up;
	if (exp >= 113)
		sig += (exp - 113) << 10;
	if (sig >= 0x7c00u) {
		bool infinite = mode == VGPU_RND_RN || mode == (sign ? VGPU_RND_RM : VGPU_RND_RP);

		return sign | (infinite ? 0x7c00u : 0x7bffu);
	}
	return sign | sig;
}

/* Conversions that round in the unit, under the present mode; a is R or Q as the opcode says. */
lanes_noinline void convert_rounding(const struct vgpu_insn *i, void *out, const void *in)
{
	bool is_signed = i->flags & VGPU_F_SIGNED;
	u32 *o = out;
	u64 *oq = out;
	const u32 *a = in;
	const u64 *aq = in;

	switch (i->op) {
	case VGPU_OP_I2F:
		if (is_signed)
			EACH_LANE(l)
				o[l] = bits_f((float)(s32)a[l]);
		else
			EACH_LANE(l)
				o[l] = bits_f((float)(s64)a[l]);
		break;
	case VGPU_OP_L2F:
		for (u32 l = 0; l < VGPU_LANES; l++)
			o[l] = is_signed ? bits_f((float)(s64)aq[l]) : u64_to_f(aq[l]);
		break;
	case VGPU_OP_L2D:
		for (u32 l = 0; l < VGPU_LANES; l++)
			oq[l] = is_signed ? bits_d((double)(s64)aq[l]) : u64_to_d(aq[l]);
		break;
	case VGPU_OP_D2F:
		EACH_LANE(l)
			o[l] = bits_f((float)as_d(aq[l]));
		break;
	}
}

/* An instruction of class CV, all lanes, into @out, which does not overlap @in. */
lanes_noinline void convert(struct vgpu_lanes *s, const struct vgpu_insn *i, void *out, const void *in)
{
	u32 mode = VGPU_F_RND(i->flags);
	bool is_signed = i->flags & VGPU_F_SIGNED;
	u32 *o = out;
	u64 *oq = out;
	const u32 *a = in;
	const u64 *aq = in;
	bool single = true;		/* the result is an f32 */

	if (i->flags & VGPU_F_FTZ && (i->op == VGPU_OP_F2I || i->op == VGPU_OP_F2L || i->op == VGPU_OP_F2D ||
				      i->op == VGPU_OP_F2H)) {
		flush((u32 *)s->x, a);
		a = (const u32 *)s->x;
	}
	switch (i->op) {
	case VGPU_OP_F2I:
		for (u32 l = 0; l < VGPU_LANES; l++) {
			double r = round_d((double)as_f(a[l]), mode);

			o[l] = is_signed ? to_s32(r) : to_u32(r);
		}
		return;
	case VGPU_OP_F2L:
		for (u32 l = 0; l < VGPU_LANES; l++) {
			double r = round_d((double)as_f(a[l]), mode);

			oq[l] = is_signed ? to_s64(r) : to_u64(r);
		}
		return;
	case VGPU_OP_D2I:
		for (u32 l = 0; l < VGPU_LANES; l++) {
			double r = round_d(as_d(aq[l]), mode);

			o[l] = is_signed ? to_s32(r) : to_u32(r);
		}
		return;
	case VGPU_OP_D2L:
		for (u32 l = 0; l < VGPU_LANES; l++) {
			double r = round_d(as_d(aq[l]), mode);

			oq[l] = is_signed ? to_s64(r) : to_u64(r);
		}
		return;
	case VGPU_OP_I2D:
		if (is_signed)
			EACH_LANE(l)
				oq[l] = bits_d((double)(s32)a[l]);
		else
			EACH_LANE(l)
				oq[l] = bits_d((double)(s64)a[l]);
		return;
	case VGPU_OP_F2D:
		EACH_LANE(l)
			oq[l] = bits_d((double)as_f(a[l]));
		canonicalq(oq);
		return;
	case VGPU_OP_H2F:
		for (u32 l = 0; l < VGPU_LANES; l++)
			o[l] = half_to_f(a[l]);
		break;
	case VGPU_OP_F2H:
		if (i->flags & VGPU_F_SAT) {
			EACH_VECTOR(k)
				((vu *)s->y)[k] = ((const vu *)a)[k];
			saturate((u32 *)s->y);
			a = (const u32 *)s->y;
		}
		for (u32 l = 0; l < VGPU_LANES; l++)
			o[l] = f_to_half(a[l], mode);
		return;
	default:
		if (mode)
			round_by(mode);
		convert_rounding(i, out, in);
		if (mode)
			round_by(VGPU_RND_RN);
		single = i->op != VGPU_OP_L2D;
	}
	if (!single)
		return;
	canonical(o);
	if (i->flags & VGPU_F_FTZ)
		flush(o, o);
	if (i->flags & VGPU_F_SAT)
		saturate(o);
}

#endif

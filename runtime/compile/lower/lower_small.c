// SPDX-License-Identifier: MIT
/*
 * Lowering of conversions to and from the small floats: .tf32, of which a register has all bits of
 * an f32 with the lowest 13 zero, and pairs of bytes, .e4m3x2 and .e5m2x2. The device has none of
 * them; what they are is in the PTX ISA, "alternate floating point data formats":
 *
 *	e5m2	5 bits of exponent, bias 15, 2 of mantissa: the upper byte of an f16
 *	e4m3	4 bits of exponent, bias 7, 3 of mantissa; no infinity, and NaN is 0x7f and 0xff
 */
#include "lower.h"

/* ---- bytes to floats ----------------------------------------------------- */

/*
 * e4m3: the bits moved to where an f16 has them are a number that is 2^8 times too small, of
 * subnormals too, and for its one NaN 480, which no other byte gives.
 */
uint32_t cc_fp8_to_f32(struct cc_lower *l, uint32_t byte, bool e5m2)
{
	uint32_t half = cc_temp(l, CC_R), small = cc_temp(l, CC_R), single, magnitude, sign, moved,
		 nan, nans, out;

	if (e5m2) {
		cc_opi(l, VGPU_OP_SHL, 0, half, byte, 8, CC_NONE);
		cc_op(l, VGPU_OP_H2F, 0, small, half, CC_NONE, CC_NONE);
		return small;
	}
	magnitude = cc_temp(l, CC_R);
	moved = cc_temp(l, CC_R);
	sign = cc_temp(l, CC_R);
	single = cc_temp(l, CC_R);
	nan = cc_temp(l, CC_P);
	out = cc_temp(l, CC_R);
	cc_opi(l, VGPU_OP_AND, 0, magnitude, byte, 0x7f, CC_NONE);
	cc_opi(l, VGPU_OP_SHL, 0, moved, magnitude, 7, CC_NONE);
	cc_opi(l, VGPU_OP_SHL, 0, half, byte, 8, CC_NONE);
	cc_opi(l, VGPU_OP_AND, 0, sign, half, 0x8000, CC_NONE);
	half = cc_temp(l, CC_R);
	cc_op(l, VGPU_OP_OR, 0, half, moved, sign, CC_NONE);
	cc_op(l, VGPU_OP_H2F, 0, small, half, CC_NONE, CC_NONE);
	cc_opi(l, VGPU_OP_FMUL, 0, single, small, 0x43800000, CC_NONE); /* 256 */
	cc_opi(l, VGPU_OP_SETPU, VGPU_CMP_EQ, nan, magnitude, 0x7f, CC_NONE);
	nans = cc_const(l, CC_R, 0x7fffffff);
	cc_op(l, VGPU_OP_SEL, 0, out, nans, single, nan);
	return out;
}

/* ---- floats to bytes ----------------------------------------------------- */

struct fp8 {
	unsigned int mantissa; /* bits */
	uint32_t rebias; /* what is subtracted from the exponent and mantissa of an f32 */
	uint32_t magic; /* an f32 whose last bit is worth what that of subnormals is */
	uint32_t least; /* f32: the least normal number */
	uint32_t largest; /* byte: the largest finite number */
};

static const struct fp8 e4m3 = {
	.mantissa = 3,
	.rebias = (127 - 7) << 3,
	.magic = (127 + 14) << 23,
	.least = (127 - 6) << 23,
	.largest = 0x7e,
};
static const struct fp8 e5m2 = {
	.mantissa = 2,
	.rebias = (127 - 15) << 2,
	.magic = (127 + 7) << 23,
	.least = (127 - 14) << 23,
	.largest = 0x7b,
};

/* Bits of an f32 rounded to those that are left when @drop are dropped: to the nearest, even. */
static uint32_t round_bits(struct cc_lower *l, uint32_t bits, unsigned int drop)
{
	uint32_t last = cc_temp(l, CC_R), odd = cc_temp(l, CC_R), bias = cc_temp(l, CC_R),
		 sum = cc_temp(l, CC_R);

	cc_opi(l, VGPU_OP_SHRU, 0, last, bits, drop, CC_NONE);
	cc_opi(l, VGPU_OP_AND, 0, odd, last, 1, CC_NONE);
	cc_opi(l, VGPU_OP_ADD, 0, bias, odd, (1u << (drop - 1)) - 1, CC_NONE);
	cc_op(l, VGPU_OP_ADD, 0, sum, bits, bias, CC_NONE);
	return sum;
}

/* Once rounded, .rn.satfinite: what is too large, and infinity, becomes the largest number. */
static uint32_t to_fp8(struct cc_lower *l, const struct fp8 *format, uint32_t single)
{
	uint32_t magnitude = cc_temp(l, CC_R), top = cc_temp(l, CC_R), sign = cc_temp(l, CC_R),
		 shifted = cc_temp(l, CC_R), normal = cc_temp(l, CC_R), sum = cc_temp(l, CC_R),
		 subnormal = cc_temp(l, CC_R), is_small = cc_temp(l, CC_P),
		 either = cc_temp(l, CC_R), finite = cc_temp(l, CC_R), with_sign = cc_temp(l, CC_R),
		 nan = cc_temp(l, CC_P), out = cc_temp(l, CC_R), nans = cc_const(l, CC_R, 0x7f);

	cc_opi(l, VGPU_OP_AND, 0, magnitude, single, 0x7fffffff, CC_NONE);
	cc_opi(l, VGPU_OP_SHRU, 0, top, single, 24, CC_NONE);
	cc_opi(l, VGPU_OP_AND, 0, sign, top, 0x80, CC_NONE);
	cc_opi(l, VGPU_OP_SHRU, 0, shifted, round_bits(l, magnitude, 23 - format->mantissa),
	       23 - format->mantissa, CC_NONE);
	cc_opi(l, VGPU_OP_SUB, 0, normal, shifted, format->rebias, CC_NONE);
	cc_opi(l, VGPU_OP_FADD, 0, sum, magnitude, format->magic, CC_NONE);
	cc_opi(l, VGPU_OP_SUB, 0, subnormal, sum, format->magic, CC_NONE);
	cc_opi(l, VGPU_OP_SETPU, VGPU_CMP_LT, is_small, magnitude, format->least, CC_NONE);
	cc_op(l, VGPU_OP_SEL, 0, either, subnormal, normal, is_small);
	cc_opi(l, VGPU_OP_MINU, 0, finite, either, format->largest, CC_NONE);
	cc_op(l, VGPU_OP_OR, 0, with_sign, finite, sign, CC_NONE);
	cc_opi(l, VGPU_OP_SETPU, VGPU_CMP_GT, nan, magnitude, 0x7f800000, CC_NONE);
	cc_op(l, VGPU_OP_SEL, 0, out, nans, with_sign, nan);
	return out;
}

/* ---- the forms of cvt ---------------------------------------------------- */

static bool is_fp8_pair(enum ptx_type type)
{
	return type == PTX_E4M3X2 || type == PTX_E5M2X2;
}

static uint32_t shifted(struct cc_lower *l, unsigned int op, uint32_t value, unsigned int by)
{
	uint32_t out = cc_temp(l, CC_R);

	cc_opi(l, op, 0, out, value, by, CC_NONE);
	return out;
}

/* A NaN stays one. */
static uint32_t maybe_relu(struct cc_lower *l, uint32_t single)
{
	uint32_t positive = cc_temp(l, CC_R), number = cc_temp(l, CC_P), out = cc_temp(l, CC_R);

	if (!ptx_has(l->in, PTX_M_RELU))
		return single;
	cc_opi(l, VGPU_OP_FMAX, 0, positive, single, 0, CC_NONE);
	cc_op(l, VGPU_OP_SETPF, VGPU_CMP_NUM, number, single, single, CC_NONE);
	cc_op(l, VGPU_OP_SEL, 0, out, positive, single, number);
	return out;
}

/* The two sources are the upper and the lower byte; of an .f16x2 its halves are. */
static void to_pair(struct cc_lower *l, enum ptx_type dtype, enum ptx_type stype)
{
	const struct fp8 *format = dtype == PTX_E4M3X2 ? &e4m3 : &e5m2;
	bool halves = stype == PTX_F16X2;
	uint32_t dst = cc_dst(l, 0, dtype), single[2], byte[2];

	if (l->in->count != (halves ? 2u : 3u) || (!halves && stype != PTX_F32) ||
	    !ptx_has(l->in, PTX_M_RN) || !ptx_has(l->in, PTX_M_SATFINITE))
		cc_refuse(l, ".rn.satfinite from two .f32 or one .f16x2 is wanted");
	for (unsigned int i = 0; i < 2; i++) {
		if (halves) {
			single[i] = cc_src_reg(l, 1, stype);
			if (i)
				single[i] = shifted(l, VGPU_OP_SHRU, single[i], 16);
			single[i] = cc_half_to_f32(l, single[i], false);
		} else {
			single[i] = cc_src_reg(l, 2 - i, stype);
		}
		byte[i] = to_fp8(l, format, maybe_relu(l, single[i]));
	}
	cc_op(l, VGPU_OP_OR, 0, dst, byte[0], shifted(l, VGPU_OP_SHL, byte[1], 8), CC_NONE);
}

static void from_pair(struct cc_lower *l, enum ptx_type dtype, enum ptx_type stype)
{
	uint32_t dst = cc_dst(l, 0, dtype), pair = cc_src_reg(l, 1, stype), half[2];

	if (l->in->count != 2 || dtype != PTX_F16X2 || !ptx_has(l->in, PTX_M_RN) ||
	    ptx_has(l->in, PTX_M_SATFINITE))
		cc_refuse(l, "cvt.rn.f16x2 is wanted");
	for (unsigned int i = 0; i < 2; i++) {
		uint32_t single = cc_fp8_to_f32(l, i ? shifted(l, VGPU_OP_SHRU, pair, 8) : pair,
						stype == PTX_E5M2X2);

		half[i] = cc_f32_to_half(l, maybe_relu(l, single), false, VGPU_RND_RN);
	}
	cc_op(l, VGPU_OP_OR, 0, dst, half[0], shifted(l, VGPU_OP_SHL, half[1], 16), CC_NONE);
}

/* A NaN becomes the one that has all bits set, as in an f32. */
static void to_tf32(struct cc_lower *l, enum ptx_type stype)
{
	uint32_t dst = cc_dst(l, 0, PTX_B32), single, sum, cut, nan, nans;

	if (stype != PTX_F32 || l->in->count != 2 ||
	    ptx_mod_of(l->in, PTX_K_RELU | PTX_K_FINITE | PTX_K_FTZ) != PTX_M_NONE ||
	    !(ptx_has(l->in, PTX_M_RN) || ptx_has(l->in, PTX_M_RZ) || ptx_has(l->in, PTX_M_RNA)))
		cc_refuse(l, ".rna, .rn or .rz from .f32 is wanted");
	single = sum = cc_src_reg(l, 1, PTX_F32);
	if (ptx_has(l->in, PTX_M_RN)) {
		sum = round_bits(l, single, 13);
	} else if (ptx_has(l->in, PTX_M_RNA)) {
		sum = cc_temp(l, CC_R);
		cc_opi(l, VGPU_OP_ADD, 0, sum, single, 1 << 12, CC_NONE);
	}
	cut = cc_temp(l, CC_R);
	nan = cc_temp(l, CC_P);
	nans = cc_const(l, CC_R, 0x7fffffff);
	cc_opi(l, VGPU_OP_AND, 0, cut, sum, 0xffffe000, CC_NONE);
	cc_op(l, VGPU_OP_SETPF, VGPU_CMP_NAN, nan, single, single, CC_NONE);
	cc_op(l, VGPU_OP_SEL, 0, dst, nans, cut, nan);
}

bool cc_lower_cvt_small(struct cc_lower *l, enum ptx_type dtype, enum ptx_type stype)
{
	if (dtype == PTX_TF32)
		to_tf32(l, stype);
	else if (is_fp8_pair(dtype))
		to_pair(l, dtype, stype);
	else if (is_fp8_pair(stype))
		from_pair(l, dtype, stype);
	else if (ptx_type_letter(dtype) == 'm' || ptx_type_letter(stype) == 'm')
		cc_refuse(l, "these types cannot be converted");
	else
		return false;
	return true;
}

// SPDX-License-Identifier: MIT
/*
 * Lowering of conversions to and from the small floats: .tf32, of which a register has all bits of
 * an f32 with the lowest 13 zero, and pairs of bytes, .e4m3x2 and .e5m2x2, of 6 bits in a byte
 * each, and of 4 bits in one byte. The device has none of them; what they are is in the PTX ISA,
 * "alternate floating point data formats":
 *
 *	e5m2	5 bits of exponent, bias 15, 2 of mantissa: the upper byte of an f16
 *	e4m3	4 bits of exponent, bias 7, 3 of mantissa; no infinity, and NaN is 0x7f and 0xff
 *	e2m3	2 bits of exponent, bias 1; like those below it has neither infinity nor NaN
 *	e3m2	3 bits of exponent, bias 3
 *	e2m1	2 bits of exponent, bias 1: 0, 0.5, 1, 1.5, 2, 3, 4 and 6
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

/** struct small - a format of which two are packed */
struct small {
	enum ptx_type pair;
	unsigned int bits, mantissa;
	unsigned int bias;	/* of the exponent */
	uint32_t largest;	/* the largest finite number */
	uint32_t nan;		/* what a NaN becomes */
};

static const struct small formats[] = {
	{ PTX_E4M3X2, 8, 3, 7, 0x7e, 0x7f }, { PTX_E5M2X2, 8, 2, 15, 0x7b, 0x7f },
	{ PTX_E2M3X2, 6, 3, 1, 0x1f, 0x1f }, { PTX_E3M2X2, 6, 2, 3, 0x1f, 0x1f },
	{ PTX_E2M1X2, 4, 1, 1, 0x07, 0x07 },
};

/* NULL: the type is no pair. */
static const struct small *format_of(enum ptx_type pair)
{
	for (unsigned int i = 0; i < sizeof(formats) / sizeof(*formats); i++)
		if (formats[i].pair == pair)
			return &formats[i];
	return NULL;
}

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

/*
 * Once rounded, .rn.satfinite: what is too large, and infinity, becomes the largest number. Below
 * the least normal number an addition rounds, of an f32 whose last bit is worth what that of
 * subnormals is.
 */
static uint32_t to_small(struct cc_lower *l, const struct small *format, uint32_t single)
{
	const uint32_t rebias = (127 - format->bias) << format->mantissa;
	const uint32_t magic = (127 + 24 - format->bias - format->mantissa) << 23;
	const uint32_t least = (128 - format->bias) << 23;
	uint32_t magnitude = cc_temp(l, CC_R), top = cc_temp(l, CC_R), sign = cc_temp(l, CC_R),
		 shifted = cc_temp(l, CC_R), normal = cc_temp(l, CC_R), sum = cc_temp(l, CC_R),
		 subnormal = cc_temp(l, CC_R), is_small = cc_temp(l, CC_P),
		 either = cc_temp(l, CC_R), finite = cc_temp(l, CC_R), with_sign = cc_temp(l, CC_R),
		 nan = cc_temp(l, CC_P), out = cc_temp(l, CC_R),
		 nans = cc_const(l, CC_R, format->nan);

	cc_opi(l, VGPU_OP_AND, 0, magnitude, single, 0x7fffffff, CC_NONE);
	cc_opi(l, VGPU_OP_SHRU, 0, top, single, 32 - format->bits, CC_NONE);
	cc_opi(l, VGPU_OP_AND, 0, sign, top, 1u << (format->bits - 1), CC_NONE);
	cc_opi(l, VGPU_OP_SHRU, 0, shifted, round_bits(l, magnitude, 23 - format->mantissa),
	       23 - format->mantissa, CC_NONE);
	cc_opi(l, VGPU_OP_SUB, 0, normal, shifted, rebias, CC_NONE);
	cc_opi(l, VGPU_OP_FADD, 0, sum, magnitude, magic, CC_NONE);
	cc_opi(l, VGPU_OP_SUB, 0, subnormal, sum, magic, CC_NONE);
	cc_opi(l, VGPU_OP_SETPU, VGPU_CMP_LT, is_small, magnitude, least, CC_NONE);
	cc_op(l, VGPU_OP_SEL, 0, either, subnormal, normal, is_small);
	cc_opi(l, VGPU_OP_MINU, 0, finite, either, format->largest, CC_NONE);
	cc_op(l, VGPU_OP_OR, 0, with_sign, finite, sign, CC_NONE);
	cc_opi(l, VGPU_OP_SETPU, VGPU_CMP_GT, nan, magnitude, 0x7f800000, CC_NONE);
	cc_op(l, VGPU_OP_SEL, 0, out, nans, with_sign, nan);
	return out;
}

/* ---- the forms of cvt ---------------------------------------------------- */

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

/* Numbers of 4 bits share a byte, others have one each. */
static unsigned int upper_place(const struct small *format)
{
	return format->bits == 4 ? 4 : 8;
}

/* The two sources are the upper and the lower number; of an .f16x2 its halves are. */
static void to_pair(struct cc_lower *l, const struct small *format, enum ptx_type dtype,
		    enum ptx_type stype)
{
	bool halves = stype == PTX_F16X2;
	uint32_t dst = cc_dst(l, 0, dtype), single[2], byte[2];

	if (l->in->count != (halves ? 2u : 3u) || (!halves && stype != PTX_F32) ||
	    (halves && format->bits != 8) || !ptx_has(l->in, PTX_M_RN) ||
	    !ptx_has(l->in, PTX_M_SATFINITE))
		cc_refuse(l, ".rn.satfinite from two .f32%s is wanted",
			  format->bits == 8 ? " or one .f16x2" : "");
	for (unsigned int i = 0; i < 2; i++) {
		if (halves) {
			single[i] = cc_src_reg(l, 1, stype);
			if (i)
				single[i] = shifted(l, VGPU_OP_SHRU, single[i], 16);
			single[i] = cc_half_to_f32(l, single[i], false);
		} else {
			single[i] = cc_src_reg(l, 2 - i, stype);
		}
		byte[i] = to_small(l, format, maybe_relu(l, single[i]));
	}
	byte[1] = shifted(l, VGPU_OP_SHL, byte[1], upper_place(format));
	cc_op(l, VGPU_OP_OR, 0, dst, byte[0], byte[1], CC_NONE);
}

/*
 * Without NaN: the bits moved to where an f16 has them are a number that is too small by what the
 * biases differ, of subnormals too.
 */
static uint32_t from_small(struct cc_lower *l, const struct small *format, uint32_t number)
{
	uint32_t magnitude = cc_temp(l, CC_R), sign = cc_temp(l, CC_R), half = cc_temp(l, CC_R),
		 few = cc_temp(l, CC_R), single = cc_temp(l, CC_R);

	if (format->bits == 8)
		return cc_fp8_to_f32(l, number, format->pair == PTX_E5M2X2);
	cc_opi(l, VGPU_OP_AND, 0, magnitude, number, (1u << (format->bits - 1)) - 1, CC_NONE);
	magnitude = shifted(l, VGPU_OP_SHL, magnitude, 10 - format->mantissa);
	cc_opi(l, VGPU_OP_AND, 0, sign, shifted(l, VGPU_OP_SHL, number, 16 - format->bits), 0x8000,
	       CC_NONE);
	cc_op(l, VGPU_OP_OR, 0, half, magnitude, sign, CC_NONE);
	cc_op(l, VGPU_OP_H2F, 0, few, half, CC_NONE, CC_NONE);
	cc_opi(l, VGPU_OP_FMUL, 0, single, few, (127 + 15 - format->bias) << 23, CC_NONE);
	return single;
}

static void from_pair(struct cc_lower *l, const struct small *format, enum ptx_type dtype,
		      enum ptx_type stype)
{
	uint32_t dst = cc_dst(l, 0, dtype), pair = cc_src_reg(l, 1, stype), half[2];

	if (l->in->count != 2 || dtype != PTX_F16X2 || !ptx_has(l->in, PTX_M_RN) ||
	    ptx_has(l->in, PTX_M_SATFINITE))
		cc_refuse(l, "cvt.rn.f16x2 is wanted");
	for (unsigned int i = 0; i < 2; i++) {
		uint32_t number =
			i ? shifted(l, VGPU_OP_SHRU, pair, upper_place(format)) : pair;
		uint32_t single = from_small(l, format, number);

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
	else if (format_of(dtype))
		to_pair(l, format_of(dtype), dtype, stype);
	else if (format_of(stype))
		from_pair(l, format_of(stype), dtype, stype);
	else if (ptx_type_letter(dtype) == 'm' || ptx_type_letter(stype) == 'm')
		cc_refuse(l, "these types cannot be converted");
	else
		return false;
	return true;
}

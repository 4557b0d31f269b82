// SPDX-License-Identifier: MIT
/*
 * Lowering of arithmetic on halves (.f16, .bf16) and on pairs of them (.f16x2, .bf16x2). The device
 * has none: operands are widened, which is exact, and the result is rounded once to the half.
 *
 * Addition and multiplication in f32 and then rounding to 11 or 8 bits give what one rounding
 * gives, because 24 bits are at least twice as many and two more. A fused multiply-add is made in
 * f64, whose result is cut to f32 with the last bit set if anything was lost (round to odd), so
 * that the last rounding sees on which side of a tie it is.
 */
#include "lower.h"

#define UPPER	0xffff0000u

bool cc_is_half(enum ptx_type type)
{
	return type == PTX_F16 || type == PTX_BF16 || type == PTX_F16X2 || type == PTX_BF16X2;
}

static bool is_pair(enum ptx_type type)
{
	return type == PTX_F16X2 || type == PTX_BF16X2;
}

static bool is_bf16(enum ptx_type type)
{
	return type == PTX_BF16 || type == PTX_BF16X2;
}

/* ---- between halves and f32 ---------------------------------------------- */

uint32_t cc_half_to_f32(struct cc_lower *l, uint32_t half, bool bf16)
{
	uint32_t single = cc_temp(l, CC_R);

	if (bf16)
		cc_opi(l, VGPU_OP_SHL, 0, single, half, 16, CC_NONE);
	else
		cc_op(l, VGPU_OP_H2F, 0, single, half, CC_NONE, CC_NONE);
	return single;
}

/* To the nearest, ties to even; cut off for .rz. A NaN becomes the one that has all bits set. */
static uint32_t to_bf16(struct cc_lower *l, uint32_t single, bool cut)
{
	uint32_t bit = cc_temp(l, CC_R), odd = cc_temp(l, CC_R), bias = cc_temp(l, CC_R),
		 sum = cc_temp(l, CC_R), upper = cc_temp(l, CC_R), nan = cc_temp(l, CC_P),
		 half = cc_temp(l, CC_R), all = cc_const(l, CC_R, 0x7fff);

	if (cut) {
		sum = single;
	} else {
		cc_opi(l, VGPU_OP_SHRU, 0, bit, single, 16, CC_NONE);
		cc_opi(l, VGPU_OP_AND, 0, odd, bit, 1, CC_NONE);
		cc_opi(l, VGPU_OP_ADD, 0, bias, odd, 0x7fff, CC_NONE);
		cc_op(l, VGPU_OP_ADD, 0, sum, single, bias, CC_NONE);
	}
	cc_opi(l, VGPU_OP_SHRU, 0, upper, sum, 16, CC_NONE);
	cc_op(l, VGPU_OP_SETPF, VGPU_CMP_NAN, nan, single, single, CC_NONE);
	cc_op(l, VGPU_OP_SEL, 0, half, all, upper, nan);
	return half;
}

uint32_t cc_f32_to_half(struct cc_lower *l, uint32_t single, bool bf16, unsigned int rounding)
{
	uint32_t half;

	if (bf16) {
		if (rounding != VGPU_RND_RN && rounding != VGPU_RND_RZ)
			cc_refuse(l, "to .bf16 .rn and .rz are supported");
		return to_bf16(l, single, rounding == VGPU_RND_RZ);
	}
	half = cc_temp(l, CC_R);
	cc_op(l, VGPU_OP_F2H, rounding, half, single, CC_NONE, CC_NONE);
	return half;
}

/* The two halves as f32; of a single one the second is the same. */
static void widen(struct cc_lower *l, uint32_t reg, enum ptx_type type, uint32_t out[2])
{
	uint32_t upper;

	out[0] = out[1] = cc_half_to_f32(l, reg, is_bf16(type));
	if (!is_pair(type))
		return;
	upper = cc_temp(l, CC_R);
	if (is_bf16(type)) {
		cc_opi(l, VGPU_OP_AND, 0, upper, reg, UPPER, CC_NONE);
		out[1] = upper;
	} else {
		cc_opi(l, VGPU_OP_SHRU, 0, upper, reg, 16, CC_NONE);
		out[1] = cc_half_to_f32(l, upper, false);
	}
}

/* Halves of 16 bits, whatever is above them, to the destination. */
static void write_halves(struct cc_lower *l, uint32_t dst, enum ptx_type type,
			 const uint32_t half[2])
{
	uint32_t low, high;

	if (!is_pair(type)) {
		cc_op(l, VGPU_OP_MOV, 0, dst, CC_NONE, half[0], CC_NONE);
		return;
	}
	low = cc_temp(l, CC_R);
	high = cc_temp(l, CC_R);
	cc_opi(l, VGPU_OP_AND, 0, low, half[0], 0xffff, CC_NONE);
	cc_opi(l, VGPU_OP_SHL, 0, high, half[1], 16, CC_NONE);
	cc_op(l, VGPU_OP_OR, 0, dst, low, high, CC_NONE);
}

/* ---- one half ------------------------------------------------------------ */

/* a * b + c as f32, rounded to odd. */
static uint32_t fma_odd(struct cc_lower *l, uint32_t a, uint32_t b, uint32_t c)
{
	uint32_t wide[3], sum = cc_temp(l, CC_Q), cut = cc_temp(l, CC_R), back = cc_temp(l, CC_Q),
		 lost = cc_temp(l, CC_P), bit = cc_temp(l, CC_R), odd = cc_temp(l, CC_R);
	const uint32_t from[3] = { a, b, c };

	for (unsigned int i = 0; i < 3; i++) {
		wide[i] = cc_temp(l, CC_Q);
		cc_op(l, VGPU_OP_F2D, 0, wide[i], from[i], CC_NONE, CC_NONE);
	}
	cc_op(l, VGPU_OP_DFMA, 0, sum, wide[0], wide[1], wide[2]);
	cc_op(l, VGPU_OP_D2F, VGPU_RND_RZ, cut, sum, CC_NONE, CC_NONE);
	cc_op(l, VGPU_OP_F2D, 0, back, cut, CC_NONE, CC_NONE);
	/* a NaN is not equal to itself, and stays one with any bit set */
	cc_op(l, VGPU_OP_SETPD, VGPU_CMP_NEU, lost, back, sum, CC_NONE);
	cc_op(l, VGPU_OP_P2R, 0, bit, lost, CC_NONE, CC_NONE);
	cc_op(l, VGPU_OP_OR, 0, odd, cut, bit, CC_NONE);
	return odd;
}

/* min and max: with .NaN the result is one if an operand is. */
static uint32_t minmax(struct cc_lower *l, unsigned int op, uint32_t a, uint32_t b)
{
	uint32_t least = cc_temp(l, CC_R), unordered, result, nan;

	cc_op(l, op, 0, least, a, b, CC_NONE);
	if (!ptx_has(l->in, PTX_M_NANP))
		return least;
	unordered = cc_temp(l, CC_P);
	result = cc_temp(l, CC_R);
	nan = cc_const(l, CC_R, 0x7fffffff);
	cc_op(l, VGPU_OP_SETPF, VGPU_CMP_NAN, unordered, a, b, CC_NONE);
	cc_op(l, VGPU_OP_SEL, 0, result, nan, least, unordered);
	return result;
}

static uint32_t one_result(struct cc_lower *l, uint32_t a, uint32_t b, uint32_t c)
{
	uint32_t result = cc_temp(l, CC_R);

	switch (l->in->op) {
	case PTX_I_ADD: cc_op(l, VGPU_OP_FADD, 0, result, a, b, CC_NONE); break;
	case PTX_I_SUB: cc_op(l, VGPU_OP_FSUB, 0, result, a, b, CC_NONE); break;
	case PTX_I_MUL: cc_op(l, VGPU_OP_FMUL, 0, result, a, b, CC_NONE); break;
	case PTX_I_FMA: result = fma_odd(l, a, b, c); break;
	case PTX_I_MIN: result = minmax(l, VGPU_OP_FMIN, a, b); break;
	case PTX_I_MAX: result = minmax(l, VGPU_OP_FMAX, a, b); break;
	case PTX_I_EX2: cc_op(l, VGPU_OP_FEX2, 0, result, a, CC_NONE, CC_NONE); break;
	case PTX_I_TANH: cc_op(l, VGPU_OP_FTANH, 0, result, a, CC_NONE, CC_NONE); break;
	default: cc_refuse(l, "not of halves");
	}
	if (ptx_has(l->in, PTX_M_SAT)) {	/* adding -0 changes nothing else */
		uint32_t clamped = cc_temp(l, CC_R);

		cc_opi(l, VGPU_OP_FADD, VGPU_F_SAT, clamped, result, 0x80000000u, CC_NONE);
		result = clamped;
	}
	if (ptx_has(l->in, PTX_M_RELU)) {	/* a NaN remains one */
		uint32_t positive = cc_temp(l, CC_R), nan = cc_temp(l, CC_P),
			 kept = cc_temp(l, CC_R);

		cc_opi(l, VGPU_OP_FMAX, 0, positive, result, 0, CC_NONE);
		cc_op(l, VGPU_OP_SETPF, VGPU_CMP_NAN, nan, result, result, CC_NONE);
		cc_op(l, VGPU_OP_SEL, 0, kept, result, positive, nan);
		result = kept;
	}
	return result;
}

/* ---- the instructions ---------------------------------------------------- */

/* The sign, which is not arithmetic. */
static void half_sign(struct cc_lower *l, enum ptx_type type)
{
	uint32_t sign = is_pair(type) ? 0x80008000u : 0x8000u, dst = cc_dst(l, 0, type),
		 a = cc_src_reg(l, 1, type);

	if (l->in->op == PTX_I_NEG)
		cc_opi(l, VGPU_OP_XOR, 0, dst, a, sign, CC_NONE);
	else
		cc_opi(l, VGPU_OP_AND, 0, dst, a, ~sign, CC_NONE);
}

static void half_arithmetic(struct cc_lower *l, enum ptx_type type)
{
	uint32_t wide[3][2] = { { CC_NONE, CC_NONE }, { CC_NONE, CC_NONE }, { CC_NONE, CC_NONE } };
	unsigned int sources = l->in->count - 1, halves = is_pair(type) ? 2 : 1,
		     mode = ptx_mod_of(l->in, PTX_K_RND);
	uint32_t dst = cc_dst(l, 0, type), half[2];

	if (mode != PTX_M_NONE && mode != PTX_M_RN)
		cc_refuse(l, "arithmetic on halves rounds by .rn");
	if (ptx_mod_of(l->in, PTX_K_LOHI | PTX_K_WIDE | PTX_K_CC) != PTX_M_NONE)
		cc_refuse(l, "a modifier for integers on halves");
	for (unsigned int i = 0; i < sources; i++)
		widen(l, cc_src_reg(l, i + 1, type), type, wide[i]);
	for (unsigned int i = 0; i < halves; i++)
		half[i] = cc_f32_to_half(l, one_result(l, wide[0][i], wide[1][i], wide[2][i]),
					 is_bf16(type), VGPU_RND_RN);
	write_halves(l, dst, type, half);
}

uint32_t cc_half_sum(struct cc_lower *l, uint32_t a, uint32_t b, enum ptx_type type)
{
	uint32_t wide[2][2], half[2], sum, out = cc_temp(l, CC_R);

	widen(l, a, type, wide[0]);
	widen(l, b, type, wide[1]);
	for (unsigned int i = 0; i < (is_pair(type) ? 2u : 1u); i++) {
		sum = cc_temp(l, CC_R);
		cc_op(l, VGPU_OP_FADD, 0, sum, wide[0][i], wide[1][i], CC_NONE);
		half[i] = cc_f32_to_half(l, sum, is_bf16(type), VGPU_RND_RN);
	}
	write_halves(l, out, type, half);
	return out;
}

void cc_half_operands(struct cc_lower *l, unsigned int first, enum ptx_type type, uint32_t a[2],
		      uint32_t b[2])
{
	widen(l, cc_src_reg(l, first, type), type, a);
	widen(l, cc_src_reg(l, first + 1, type), type, b);
}

/* set: 1.0 or 0 in each half. */
void cc_half_flags(struct cc_lower *l, uint32_t dst, enum ptx_type type, const uint32_t preds[2])
{
	uint32_t one = cc_const(l, CC_R, is_bf16(type) ? 0x3f80 : 0x3c00), half[2];

	for (unsigned int i = 0; i < (is_pair(type) ? 2u : 1u); i++) {
		half[i] = cc_temp(l, CC_R);
		cc_opi(l, VGPU_OP_SEL, 0, half[i], one, 0, preds[i]);
	}
	write_halves(l, dst, type, half);
}

/* False: the instruction treats halves itself. */
bool cc_lower_half(struct cc_lower *l)
{
	enum ptx_type type = cc_type(l, 0);

	switch (l->in->op) {
	case PTX_I_NEG:
	case PTX_I_ABS:
		half_sign(l, type);
		return true;
	case PTX_I_ADD:
	case PTX_I_SUB:
	case PTX_I_MUL:
	case PTX_I_FMA:
	case PTX_I_MIN:
	case PTX_I_MAX:
	case PTX_I_EX2:
	case PTX_I_TANH:
		half_arithmetic(l, type);
		return true;
	default:
		return false;
	}
}

/* ---- conversions --------------------------------------------------------- */

static unsigned int mode_of(struct cc_lower *l)
{
	return cc_rounding(l) & VGPU_RND_RP;
}

static uint32_t maybe_relu(struct cc_lower *l, uint32_t single)
{
	uint32_t positive;

	if (!ptx_has(l->in, PTX_M_RELU))
		return single;
	positive = cc_temp(l, CC_R);
	cc_opi(l, VGPU_OP_FMAX, 0, positive, single, 0, CC_NONE);
	return positive;
}

/*
 * cvt to pairs from two f32, of which the first is the upper half, and from and to .bf16. False: it
 * is neither.
 */
bool cc_lower_cvt_half(struct cc_lower *l, enum ptx_type dtype, enum ptx_type stype)
{
	uint32_t dst, half[2];

	if (is_pair(dtype) && stype == PTX_F32 && l->in->count == 3) {
		dst = cc_dst(l, 0, dtype);
		for (unsigned int i = 0; i < 2; i++)
			half[i] = cc_f32_to_half(l, maybe_relu(l, cc_src_reg(l, 2 - i, PTX_F32)),
						 is_bf16(dtype), mode_of(l));
		write_halves(l, dst, dtype, half);
		return true;
	}
	if (l->in->count != 2)
		cc_refuse(l, "two sources are for .f16x2 and .bf16x2 of .f32");
	if (dtype == PTX_BF16 && (stype == PTX_F32 || stype == PTX_F16)) {
		dst = cc_dst(l, 0, dtype);
		half[0] = cc_src_reg(l, 1, stype);
		if (stype == PTX_F16)
			half[0] = cc_half_to_f32(l, half[0], false);
		half[0] = cc_f32_to_half(l, maybe_relu(l, half[0]), true, mode_of(l));
		write_halves(l, dst, dtype, half);
		return true;
	}
	if (stype == PTX_BF16 && (dtype == PTX_F32 || dtype == PTX_F16 || dtype == PTX_F64)) {
		dst = cc_dst(l, 0, dtype);
		half[0] = cc_half_to_f32(l, cc_src_reg(l, 1, stype), true);
		if (dtype == PTX_F64)
			cc_op(l, VGPU_OP_F2D, 0, dst, half[0], CC_NONE, CC_NONE);
		else if (dtype == PTX_F16)
			cc_op(l, VGPU_OP_MOV, 0, dst, CC_NONE,
			      cc_f32_to_half(l, half[0], false, mode_of(l)), CC_NONE);
		else
			cc_op(l, VGPU_OP_MOV, 0, dst, CC_NONE, half[0], CC_NONE);
		return true;
	}
	if (is_bf16(dtype) || is_bf16(stype))
		cc_refuse(l, "of .bf16 there are conversions from and to .f16, .f32 and .f64");
	return false;
}

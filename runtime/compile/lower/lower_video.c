// SPDX-License-Identifier: MIT
/*
 * Lowering of video instructions: arithmetic on bytes, halves and words of mixed sign, of one value
 * (vadd, vset and so on) or of two or four beside each other (vadd2, vadd4). All is computed with
 * 64 bits, which hold every sum, and then clamped or cut.
 */
#include "lower.h"

/** struct video - what an instruction says */
struct video {
	enum ptx_type d, a, b;
	unsigned int lanes, bits;	/* of a SIMD instruction; lanes 1: one value */
};

/* ---- values ---------------------------------------------------------------- */

static uint32_t two(struct cc_lower *l, unsigned int op, uint32_t a, uint32_t b)
{
	uint32_t out = cc_temp(l, CC_Q);

	cc_op(l, op, 0, out, a, b, CC_NONE);
	return out;
}

static uint32_t with_number(struct cc_lower *l, unsigned int op, uint32_t a, int64_t number)
{
	uint32_t out = cc_temp(l, CC_Q);

	cc_opi(l, op, 0, out, a, (uint64_t)number, CC_NONE);
	return out;
}

/* @bits of @word from @position on, extended by the sign that @type has. */
static uint32_t part_of(struct cc_lower *l, uint32_t word, unsigned int position,
			unsigned int bits, enum ptx_type type)
{
	bool sign = cc_signed(type);
	uint32_t part = word, wide = cc_temp(l, CC_Q);

	if (bits < 32) {
		part = cc_temp(l, CC_R);
		cc_opi(l, sign ? VGPU_OP_BFES : VGPU_OP_BFEU, 0, part, word, position,
		       cc_const(l, CC_R, bits));
	}
	cc_op(l, sign ? VGPU_OP_SXQ : VGPU_OP_ZXQ, 0, wide, part, CC_NONE, CC_NONE);
	return wide;
}

/* 1 or 0. */
static uint32_t compared(struct cc_lower *l, uint32_t a, uint32_t b)
{
	static const struct {
		uint8_t mod, condition;
	} table[] = {
		{ PTX_M_EQ, VGPU_CMP_EQ }, { PTX_M_NE, VGPU_CMP_NE }, { PTX_M_LT, VGPU_CMP_LT },
		{ PTX_M_LE, VGPU_CMP_LE }, { PTX_M_GT, VGPU_CMP_GT }, { PTX_M_GE, VGPU_CMP_GE },
	};
	unsigned int mod = ptx_mod_of(l->in, PTX_K_CMP), i = 0;
	uint32_t p = cc_temp(l, CC_P), bit = cc_temp(l, CC_R), wide = cc_temp(l, CC_Q);

	while (i < 6 && table[i].mod != mod)
		i++;
	if (i == 6)
		cc_refuse(l, "a comparison is wanted: .eq .ne .lt .le .gt .ge");
	cc_op(l, VGPU_OP_SETPSQ, table[i].condition, p, a, b, CC_NONE);
	cc_op(l, VGPU_OP_P2R, 0, bit, p, CC_NONE, CC_NONE);
	cc_op(l, VGPU_OP_ZXQ, 0, wide, bit, CC_NONE, CC_NONE);
	return wide;
}

static uint32_t shifted(struct cc_lower *l, uint32_t a, uint32_t b, bool left)
{
	uint32_t count = cc_temp(l, CC_R), out = cc_temp(l, CC_Q);

	if (ptx_has(l->in, PTX_M_WRAP))
		b = with_number(l, VGPU_OP_ANDQ, b, 31);
	else if (ptx_has(l->in, PTX_M_CLAMP))
		b = with_number(l, VGPU_OP_MINUQ, b, 32);
	else
		cc_refuse(l, "a mode is wanted: .clamp .wrap");
	cc_op(l, VGPU_OP_UNLO, 0, count, b, CC_NONE, CC_NONE);
	cc_op(l, left ? VGPU_OP_SHLQ : VGPU_OP_SHRSQ, 0, out, a, count, CC_NONE);
	return out;
}

/* Half of the sum; what is not negative is rounded up. */
static uint32_t average(struct cc_lower *l, uint32_t a, uint32_t b)
{
	uint32_t sum = two(l, VGPU_OP_ADDQ, a, b);
	uint32_t not_negative = with_number(l, VGPU_OP_SHRUQ, sum, 63);

	not_negative = with_number(l, VGPU_OP_XORQ, not_negative, 1);
	return with_number(l, VGPU_OP_SHRSQ, two(l, VGPU_OP_ADDQ, sum, not_negative), 1);
}

static uint32_t operated(struct cc_lower *l, uint32_t a, uint32_t b)
{
	uint32_t out, difference;

	switch (l->in->op) {
	case PTX_I_VADD: case PTX_I_VADD2: case PTX_I_VADD4: return two(l, VGPU_OP_ADDQ, a, b);
	case PTX_I_VSUB: case PTX_I_VSUB2: case PTX_I_VSUB4: return two(l, VGPU_OP_SUBQ, a, b);
	case PTX_I_VMIN: case PTX_I_VMIN2: case PTX_I_VMIN4: return two(l, VGPU_OP_MINSQ, a, b);
	case PTX_I_VMAX: case PTX_I_VMAX2: case PTX_I_VMAX4: return two(l, VGPU_OP_MAXSQ, a, b);
	case PTX_I_VAVRG2: case PTX_I_VAVRG4: return average(l, a, b);
	case PTX_I_VSHL: return shifted(l, a, b, true);
	case PTX_I_VSHR: return shifted(l, a, b, false);
	case PTX_I_VSET: case PTX_I_VSET2: case PTX_I_VSET4: return compared(l, a, b);
	default:
		difference = two(l, VGPU_OP_SUBQ, a, b);
		out = cc_temp(l, CC_Q);
		cc_op(l, VGPU_OP_ABSQ, 0, out, difference, CC_NONE, CC_NONE);
		return out;
	}
}

/* With .sat within what @bits of the result's type hold; the low word. */
static uint32_t narrowed(struct cc_lower *l, uint32_t value, enum ptx_type type, unsigned int bits)
{
	int64_t most = cc_signed(type) ? (1ll << (bits - 1)) - 1 : (1ll << bits) - 1;
	uint32_t out = cc_temp(l, CC_R);

	if (ptx_has(l->in, PTX_M_SAT)) {
		value = with_number(l, VGPU_OP_MINSQ, value, most);
		value = with_number(l, VGPU_OP_MAXSQ, value, cc_signed(type) ? -most - 1 : 0);
	}
	cc_op(l, VGPU_OP_UNLO, 0, out, value, CC_NONE, CC_NONE);
	return out;
}

/* @word with @value in the place of @bits from @position on. */
static uint32_t placed(struct cc_lower *l, uint32_t word, uint32_t value, unsigned int position,
		       unsigned int bits)
{
	uint32_t out = cc_temp(l, CC_R);

	cc_op(l, VGPU_OP_BFI, 0, out, value, word, cc_const(l, CC_R, position | bits << 8));
	return out;
}

/* ---- the types ------------------------------------------------------------- */

static struct video video_of(struct cc_lower *l, unsigned int lanes)
{
	bool set = l->in->op == PTX_I_VSET || l->in->op == PTX_I_VSET2 ||
		   l->in->op == PTX_I_VSET4;
	struct video v = { .lanes = lanes, .bits = 32 / lanes };

	if (l->in->type_count != (set ? 2 : 3))
		cc_refuse(l, "%u types where %u are wanted", l->in->type_count, set ? 2 : 3);
	for (unsigned int i = 0; i < l->in->type_count; i++)
		if (cc_type(l, i) != PTX_U32 && cc_type(l, i) != PTX_S32)
			cc_refuse(l, "types are .u32 and .s32");
	v.d = set ? PTX_U32 : cc_type(l, 0);
	v.a = cc_type(l, set ? 0 : 1);
	v.b = cc_type(l, set ? 1 : 2);
	if (!set && ptx_mod_of(l->in, PTX_K_CMP) != PTX_M_NONE)
		cc_refuse(l, "a comparison is for vset");
	return v;
}

/* ---- one value ------------------------------------------------------------- */

/* What the selector of operand @index picks: bits, and where they begin. */
static unsigned int selected(struct cc_lower *l, unsigned int index, unsigned int *position)
{
	const struct ptx_operand *o = cc_operand(l, index);
	unsigned int bits = o->select_halves ? 16 : 8;

	*position = 0;
	if (!o->select_count)
		return 32;
	if (o->select_count > 1 || o->select[0] >= 32 / bits)
		cc_refuse(l, "a selector is .b0 .b1 .b2 .b3 .h0 .h1");
	*position = o->select[0] * bits;
	return bits;
}

static uint32_t operand_part(struct cc_lower *l, unsigned int index, enum ptx_type type)
{
	unsigned int position, bits = selected(l, index, &position);

	return part_of(l, cc_src_reg(l, index, PTX_B32), position, bits, type);
}

static uint32_t second_operation(struct cc_lower *l, uint32_t value, enum ptx_type type)
{
	unsigned int mod = ptx_mod_of(l->in, PTX_K_ATOM);
	uint32_t out = cc_temp(l, CC_R);
	bool sign = cc_signed(type);

	cc_op(l,
	      mod == PTX_M_MIN ? (sign ? VGPU_OP_MINS : VGPU_OP_MINU) :
	      mod == PTX_M_MAX ? (sign ? VGPU_OP_MAXS : VGPU_OP_MAXU) :
				 VGPU_OP_ADD,
	      0, out, value, cc_src_reg(l, 3, PTX_B32), CC_NONE);
	return out;
}

void cc_lower_video(struct cc_lower *l)
{
	struct video v = video_of(l, 1);
	unsigned int mod = ptx_mod_of(l->in, PTX_K_ATOM), position;
	unsigned int bits = selected(l, 0, &position);
	bool second = mod == PTX_M_ADD || mod == PTX_M_MIN || mod == PTX_M_MAX;
	uint32_t value;

	if (mod != PTX_M_NONE && !second)
		cc_refuse(l, "the second operation is .add, .min or .max");
	if (second && bits < 32)
		cc_refuse(l, "a second operation, or a part of the result, not both");
	if ((l->in->count == 4) != (second || bits < 32))
		cc_refuse(l, "a third source is for a second operation, or a part of the result");
	if ((l->in->op == PTX_I_VSHL || l->in->op == PTX_I_VSHR) && v.b != PTX_U32)
		cc_refuse(l, "a shift count is .u32");
	value = operated(l, operand_part(l, 1, v.a), operand_part(l, 2, v.b));
	value = narrowed(l, value, v.d, bits);
	if (second)
		value = second_operation(l, value, v.d);
	else if (bits < 32)
		value = placed(l, cc_src_reg(l, 3, PTX_B32), value, position, bits);
	cc_move(l, cc_dst(l, 0, PTX_B32), (struct cc_value){ .reg = value });
}

/* ---- multiply and add ------------------------------------------------------- */

/* Bits 64 to 127 of -@product, whose bits 0 to 63 are @low: of 0 it is 0. */
static uint32_t high_of_negative(struct cc_lower *l, uint32_t low)
{
	uint32_t p = cc_temp(l, CC_P), bit = cc_temp(l, CC_R), wide = cc_temp(l, CC_Q);

	cc_opi(l, VGPU_OP_SETPUQ, VGPU_CMP_NE, p, low, 0, CC_NONE);
	cc_op(l, VGPU_OP_P2R, 0, bit, p, CC_NONE, CC_NONE);
	cc_op(l, VGPU_OP_ZXQ, 0, wide, bit, CC_NONE, CC_NONE);
	return two(l, VGPU_OP_SUBQ, cc_const(l, CC_Q, 0), wide);
}

/* *@low and *@high, 128 bits, plus @add, which is signed. */
static void add_wide(struct cc_lower *l, uint32_t *low, uint32_t *high, uint32_t add)
{
	uint32_t p = cc_temp(l, CC_P), bit = cc_temp(l, CC_R), carry = cc_temp(l, CC_Q);

	*low = two(l, VGPU_OP_ADDQ, *low, add);
	cc_op(l, VGPU_OP_SETPUQ, VGPU_CMP_LT, p, *low, add, CC_NONE);
	cc_op(l, VGPU_OP_P2R, 0, bit, p, CC_NONE, CC_NONE);
	cc_op(l, VGPU_OP_ZXQ, 0, carry, bit, CC_NONE, CC_NONE);
	*high = two(l, VGPU_OP_ADDQ, *high, with_number(l, VGPU_OP_SHRSQ, add, 63));
	*high = two(l, VGPU_OP_ADDQ, *high, carry);
}

static uint32_t shifted_wide(struct cc_lower *l, uint32_t low, uint32_t high, unsigned int by)
{
	return two(l, VGPU_OP_ORQ, with_number(l, VGPU_OP_SHRUQ, low, by),
		   with_number(l, VGPU_OP_SHLQ, high, 64 - by));
}

/*
 * A signed sum of 66 bits, as it is when the product is of two unsigned words and something is
 * negated, without shift: half of it fits. Clamped just beyond what a word holds, the lowest bit
 * does not matter to who is outside.
 */
static uint32_t clamped_wide(struct cc_lower *l, uint32_t low, uint32_t high)
{
	uint32_t half = shifted_wide(l, low, high, 1), bit = with_number(l, VGPU_OP_ANDQ, low, 1);

	half = with_number(l, VGPU_OP_MINSQ, half, 1ll << 30);
	half = with_number(l, VGPU_OP_MAXSQ, half, -(1ll << 30) - 1);
	return two(l, VGPU_OP_ORQ, with_number(l, VGPU_OP_SHLQ, half, 1), bit);
}

/* The scale: how far the sum is shifted. */
static unsigned int scale_of(struct cc_lower *l)
{
	bool seven = ptx_has(l->in, PTX_M_SHR7), fifteen = ptx_has(l->in, PTX_M_SHR15);

	if (seven && fifteen)
		cc_refuse(l, ".shr7 or .shr15, not both");
	return seven ? 7 : fifteen ? 15 : 0;
}

void cc_lower_vmad(struct cc_lower *l)
{
	struct video v = video_of(l, 1);
	bool minus = cc_operand(l, 1)->minus != cc_operand(l, 2)->minus;
	bool minus_c = cc_operand(l, 3)->minus, plus_one = ptx_has(l->in, PTX_M_PLUSONE);
	bool wide = minus || minus_c, is_signed = wide;
	unsigned int by = scale_of(l), position;
	uint32_t c, low, high;

	if (plus_one && (cc_operand(l, 1)->minus || cc_operand(l, 2)->minus || minus_c))
		cc_refuse(l, ".po or a negated operand, not both");
	if (minus && minus_c)
		cc_refuse(l, "the product or the third source is negated, not both");
	if (cc_operand(l, 0)->minus || selected(l, 0, &position) < 32 ||
	    selected(l, 3, &position) < 32)
		cc_refuse(l, "the result and the third source are whole words");
	if (cc_signed(v.a) || cc_signed(v.b)) {
		is_signed = true;
		wide = false;
	}
	v.d = is_signed ? PTX_S32 : PTX_U32;
	c = part_of(l, cc_src_reg(l, 3, PTX_B32), 0, 32, v.d);
	if (minus_c)
		c = two(l, VGPU_OP_SUBQ, cc_const(l, CC_Q, 0), c);
	if (plus_one)
		c = with_number(l, VGPU_OP_ADDQ, c, 1);
	low = two(l, VGPU_OP_MULQ, operand_part(l, 1, v.a), operand_part(l, 2, v.b));
	high = cc_const(l, CC_Q, 0);
	if (minus) {
		if (wide)
			high = high_of_negative(l, low);
		low = two(l, VGPU_OP_SUBQ, cc_const(l, CC_Q, 0), low);
	}
	if (wide)
		add_wide(l, &low, &high, c);
	else
		low = two(l, VGPU_OP_ADDQ, low, c);
	if (wide && by)
		low = shifted_wide(l, low, high, by);
	else if (by)
		low = with_number(l, is_signed ? VGPU_OP_SHRSQ : VGPU_OP_SHRUQ, low, by);
	else if (wide && ptx_has(l->in, PTX_M_SAT))
		low = clamped_wide(l, low, high);
	/* An unsigned sum may have all 64 bits, which narrowed() would take for a sign. */
	if (!is_signed && ptx_has(l->in, PTX_M_SAT))
		low = with_number(l, VGPU_OP_MINUQ, low, 0xffffffff);
	cc_move(l, cc_dst(l, 0, PTX_B32),
		(struct cc_value){ .reg = narrowed(l, low, v.d, 32) });
}

/* ---- several beside each other ---------------------------------------------- */

/* Element @lane of operand @index, which its selector picks from both sources. */
static uint32_t lane_of(struct cc_lower *l, const struct video *v, unsigned int index,
			unsigned int lane)
{
	const struct ptx_operand *o = cc_operand(l, index);
	unsigned int element = lane + (index - 1) * v->lanes;

	if (o->select_count) {
		if (o->select_count != v->lanes || o->select_halves != (v->lanes == 2))
			cc_refuse(l, "a selector has an element of the sources for each of %u",
				  v->lanes);
		element = o->select[v->lanes - 1 - lane];
		if (element >= 2 * v->lanes)
			cc_refuse(l, "elements of the sources are 0 to %u", 2 * v->lanes - 1);
	}
	return part_of(l, cc_src_reg(l, 1 + element / v->lanes, PTX_B32),
		       element % v->lanes * v->bits, v->bits, index == 1 ? v->a : v->b);
}

/* The elements of the result that are wanted, a bit for each. */
static unsigned int mask_of(struct cc_lower *l, const struct video *v)
{
	const struct ptx_operand *o = cc_operand(l, 0);
	unsigned int mask = 0;

	if (!o->select_count)
		return (1u << v->lanes) - 1;
	for (unsigned int i = 0; i < o->select_count; i++) {
		if (o->select[i] >= v->lanes || o->select_halves != (v->lanes == 2) ||
		    (i && o->select[i] >= o->select[i - 1]))
			cc_refuse(l, "a mask names elements of the result, the last one first");
		mask |= 1u << o->select[i];
	}
	return mask;
}

static void lower_lanes(struct cc_lower *l, unsigned int lanes)
{
	struct video v = video_of(l, lanes);
	unsigned int mod = ptx_mod_of(l->in, PTX_K_ATOM), mask = mask_of(l, &v);
	uint32_t word, value, sum;

	if (mod != PTX_M_NONE && mod != PTX_M_ADD)
		cc_refuse(l, "the second operation is .add");
	if (mod == PTX_M_ADD && ptx_has(l->in, PTX_M_SAT))
		cc_refuse(l, ".sat or .add, not both");
	word = cc_src_reg(l, 3, PTX_B32);
	for (unsigned int lane = 0; lane < lanes; lane++) {
		if (!(mask >> lane & 1))
			continue;
		value = operated(l, lane_of(l, &v, 1, lane), lane_of(l, &v, 2, lane));
		value = narrowed(l, value, v.d, v.bits);
		if (mod == PTX_M_ADD) {
			sum = cc_temp(l, CC_R);
			cc_op(l, VGPU_OP_ADD, 0, sum, word, value, CC_NONE);
			word = sum;
		} else {
			word = placed(l, word, value, lane * v.bits, v.bits);
		}
	}
	cc_move(l, cc_dst(l, 0, PTX_B32), (struct cc_value){ .reg = word });
}

void cc_lower_video2(struct cc_lower *l)
{
	lower_lanes(l, 2);
}

void cc_lower_video4(struct cc_lower *l)
{
	lower_lanes(l, 4);
}

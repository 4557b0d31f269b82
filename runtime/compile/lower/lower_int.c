// SPDX-License-Identifier: MIT
/*
 * Lowering of integer arithmetic: add to rem, carries, minimum and maximum, 24-bit forms, dot
 * products. The float forms of the same names go on to lower_float.c.
 */
#include "lower.h"

static bool is_float(enum ptx_type type)
{
	return ptx_type_letter(type) == 'f' || ptx_type_letter(type) == 'h';
}

/* Arithmetic is on 16, 32 and 64-bit integers. */
static unsigned int int_bytes(struct cc_lower *l, enum ptx_type type)
{
	unsigned int bytes = ptx_type_bytes(type);

	if (is_float(type) || type == PTX_PRED || bytes < 2)
		cc_refuse(l, "type .%s is not supported here", ptx_mod_name(type));
	return bytes;
}

static uint32_t carry(struct cc_lower *l)
{
	if (l->frame->carry == CC_NONE)
		l->frame->carry = cc_named(l, CC_R);
	return l->frame->carry;
}

/* 1 or 0 in a new R register: a < b, unsigned. */
static uint32_t below(struct cc_lower *l, bool wide, uint32_t a, uint32_t b)
{
	uint32_t p = cc_temp(l, CC_P), r = cc_temp(l, CC_R);

	cc_op(l, wide ? VGPU_OP_SETPUQ : VGPU_OP_SETPU, VGPU_CMP_LT, p, a, b, CC_NONE);
	cc_op(l, VGPU_OP_P2R, 0, r, p, CC_NONE, CC_NONE);
	return r;
}

/* dst = a + b (+ carry in), or a - b (- borrow in), and the carry out when `out`. */
static void add_carry(struct cc_lower *l, bool wide, bool minus, bool in, bool out, uint32_t dst,
		      uint32_t a, uint32_t b)
{
	enum cc_class class = wide ? CC_Q : CC_R;
	unsigned int op =
		minus ? (wide ? VGPU_OP_SUBQ : VGPU_OP_SUB) : (wide ? VGPU_OP_ADDQ : VGPU_OP_ADD);
	uint32_t sum = cc_temp(l, class), c1 = CC_NONE, c2 = CC_NONE, cin, total;

	cc_op(l, op, 0, sum, a, b, CC_NONE);
	if (out)
		c1 = minus ? below(l, wide, a, b) : below(l, wide, sum, a);
	if (in) {
		cin = carry(l);
		if (wide) {
			uint32_t wide_in = cc_temp(l, CC_Q);

			cc_op(l, VGPU_OP_ZXQ, 0, wide_in, cin, CC_NONE, CC_NONE);
			cin = wide_in;
		}
		total = cc_temp(l, class);
		cc_op(l, op, 0, total, sum, cin, CC_NONE);
		if (out)
			c2 = minus ? below(l, wide, sum, cin) : below(l, wide, total, cin);
		sum = total;
	}
	if (out) {
		if (c2 != CC_NONE)
			cc_op(l, VGPU_OP_OR, 0, carry(l), c1, c2, CC_NONE);
		else
			cc_op(l, VGPU_OP_MOV, 0, carry(l), CC_NONE, c1, CC_NONE);
	}
	cc_op(l, wide ? VGPU_OP_MOVQ : VGPU_OP_MOV, 0, dst, CC_NONE, sum, CC_NONE);
}

static void add_saturated(struct cc_lower *l, uint32_t dst, uint32_t a, uint32_t b, bool minus)
{
	uint32_t qa = cc_temp(l, CC_Q), qb = cc_temp(l, CC_Q), sum = cc_temp(l, CC_Q),
		 low = cc_temp(l, CC_Q);
	uint32_t high = cc_temp(l, CC_Q);

	cc_op(l, VGPU_OP_SXQ, 0, qa, a, CC_NONE, CC_NONE);
	cc_op(l, VGPU_OP_SXQ, 0, qb, b, CC_NONE, CC_NONE);
	cc_op(l, minus ? VGPU_OP_SUBQ : VGPU_OP_ADDQ, 0, sum, qa, qb, CC_NONE);
	cc_opi(l, VGPU_OP_MAXSQ, 0, low, sum, (uint64_t)INT32_MIN, CC_NONE);
	cc_opi(l, VGPU_OP_MINSQ, 0, high, low, INT32_MAX, CC_NONE);
	cc_op(l, VGPU_OP_UNLO, 0, dst, high, CC_NONE, CC_NONE);
}

void cc_lower_add(struct cc_lower *l)
{
	enum ptx_type type = cc_type(l, 0);
	unsigned int op = l->in->op;
	bool minus = op == PTX_I_SUB || op == PTX_I_SUBC, in = op == PTX_I_ADDC || op == PTX_I_SUBC;
	bool out = ptx_has(l->in, PTX_M_CC), wide;
	struct cc_value a, b;
	uint32_t dst;

	if (is_float(type)) {
		cc_lower_farith(l, minus ? VGPU_OP_FSUB : VGPU_OP_FADD,
				minus ? VGPU_OP_DSUB : VGPU_OP_DADD);
		return;
	}
	wide = int_bytes(l, type) == 8;
	if (ptx_mod_of(l->in, PTX_K_RND | PTX_K_FTZ) != PTX_M_NONE)
		cc_refuse(l, "a rounding mode on integers");
	dst = cc_dst(l, 0, type);
	a = cc_src(l, 1, type);
	b = cc_src(l, 2, type);
	if (ptx_has(l->in, PTX_M_SAT)) {
		if (type != PTX_S32 || in || out)
			cc_refuse(l, ".sat is for .s32 here");
		add_saturated(l, dst, cc_in_reg(l, a, CC_R), cc_in_reg(l, b, CC_R), minus);
	} else if (in || out) {
		if (ptx_type_bytes(type) < 4)
			cc_refuse(l, "carries are for 32 and 64-bit integers");
		add_carry(l, wide, minus, in, out, dst, cc_in_reg(l, a, wide ? CC_Q : CC_R),
			  cc_in_reg(l, b, wide ? CC_Q : CC_R));
	} else if (minus) {
		cc_opv(l, wide ? VGPU_OP_SUBQ : VGPU_OP_SUB, 0, dst, a, b, CC_NONE);
	} else {
		cc_opv(l, wide ? VGPU_OP_ADDQ : VGPU_OP_ADD, 0, dst, a, b, CC_NONE);
	}
}

enum half { LO, HI, WIDE };

static enum half product_half(struct cc_lower *l)
{
	unsigned int mod = ptx_mod_of(l->in, PTX_K_LOHI | PTX_K_WIDE);

	if (mod == PTX_M_NONE)
		cc_refuse(l, ".lo, .hi or .wide is wanted");
	return mod == PTX_M_LO ? LO : mod == PTX_M_HI ? HI : WIDE;
}

static enum ptx_type widened(struct cc_lower *l, enum ptx_type type)
{
	switch (type) {
	case PTX_S16:
		return PTX_S32;
	case PTX_U16:
		return PTX_U32;
	case PTX_S32:
		return PTX_S64;
	case PTX_U32:
		return PTX_U64;
	default:
		cc_refuse(l, ".wide is for 16 and 32-bit integers");
	}
}

/*
 * LLVM 14 and 16 write x << 31, x a sign-extended int, as mul.wide.s32 by 1 << 31, which as an s32
 * is negative. A product with that negative number they never write: it is -(x << 31).
 */
static bool shift_of_llvm(struct cc_lower *l, uint32_t dst, struct cc_value a, struct cc_value b)
{
	uint32_t temp;

	if (!l->cc->from_llvm || b.reg != CC_NONE || (uint32_t)b.imm != 1u << 31)
		return false;
	temp = cc_temp(l, CC_Q);
	cc_op(l, VGPU_OP_SXQ, 0, temp, cc_in_reg(l, a, CC_R), CC_NONE, CC_NONE);
	cc_opi(l, VGPU_OP_SHLQ, 0, dst, temp, 31, CC_NONE);
	return true;
}

static void multiply(struct cc_lower *l, enum ptx_type type, enum half half, uint32_t dst,
		     struct cc_value a, struct cc_value b)
{
	bool sign = cc_signed(type);
	uint32_t whole;

	switch (int_bytes(l, type)) {
	case 8:
		cc_opv(l,
		       half == LO ? VGPU_OP_MULQ :
		       sign	  ? VGPU_OP_MULHSQ :
				    VGPU_OP_MULHUQ,
		       0, dst, a, b, CC_NONE);
		return;
	case 4:
		if (half == WIDE && sign && shift_of_llvm(l, dst, a, b))
			return;
		cc_opv(l,
		       half == LO   ? VGPU_OP_MUL :
		       half == WIDE ? (sign ? VGPU_OP_MULWS : VGPU_OP_MULWU) :
		       sign	    ? VGPU_OP_MULHS :
				      VGPU_OP_MULHU,
		       0, dst, a, b, CC_NONE);
		return;
	}
	if (half == LO) {
		cc_opv(l, VGPU_OP_MUL, 0, dst, a, b, CC_NONE);
		return;
	}
	a = cc_extended(l, a, type);
	b = cc_extended(l, b, type);
	if (half == WIDE) {
		cc_opv(l, VGPU_OP_MUL, 0, dst, a, b, CC_NONE);
		return;
	}
	whole = cc_temp(l, CC_R);
	cc_opv(l, VGPU_OP_MUL, 0, whole, a, b, CC_NONE);
	cc_opi(l, VGPU_OP_SHRU, 0, dst, whole, 16, CC_NONE);
}

void cc_lower_mul(struct cc_lower *l)
{
	enum ptx_type type = cc_type(l, 0);
	enum half half;
	uint32_t dst;

	if (is_float(type)) {
		if (ptx_mod_of(l->in, PTX_K_LOHI | PTX_K_WIDE) != PTX_M_NONE)
			cc_refuse(l, ".lo, .hi and .wide are for integers");
		cc_lower_farith(l, VGPU_OP_FMUL, VGPU_OP_DMUL);
		return;
	}
	if (ptx_mod_of(l->in, ARITH_FLOAT_KINDS) != PTX_M_NONE)
		cc_refuse(l, "a modifier for floats on integers");
	int_bytes(l, type);
	half = product_half(l);
	dst = cc_dst(l, 0, half == WIDE ? widened(l, type) : type);
	multiply(l, type, half, dst, cc_src(l, 1, type), cc_src(l, 2, type));
}

/* mad and madc of integers: the product, then an addition with its carries. */
void cc_lower_mad(struct cc_lower *l)
{
	enum ptx_type type = cc_type(l, 0), wide_type;
	bool in = l->in->op == PTX_I_MADC, out = ptx_has(l->in, PTX_M_CC), wide;
	struct cc_value a, b, c;
	uint32_t dst, product;
	enum half half;

	if (is_float(type)) {
		cc_lower_fma(l);
		return;
	}
	if (ptx_mod_of(l->in, ARITH_FLOAT_KINDS) != PTX_M_NONE)
		cc_refuse(l, "a modifier for floats on integers");
	int_bytes(l, type);
	half = product_half(l);
	wide_type = half == WIDE ? widened(l, type) : type;
	wide = ptx_type_bytes(wide_type) == 8;
	dst = cc_dst(l, 0, wide_type);
	a = cc_src(l, 1, type);
	b = cc_src(l, 2, type);
	c = cc_src(l, 3, wide_type);
	if (!in && !out && half == LO) {
		cc_opv(l, wide ? VGPU_OP_MADQ : VGPU_OP_MAD, 0, dst, a, b,
		       cc_in_reg(l, c, wide ? CC_Q : CC_R));
		return;
	}
	if (!in && !out && half == WIDE && wide) {
		cc_opv(l, cc_signed(type) ? VGPU_OP_MADWS : VGPU_OP_MADWU, 0, dst, a, b,
		       cc_in_reg(l, c, CC_Q));
		return;
	}
	product = cc_temp(l, wide ? CC_Q : CC_R);
	multiply(l, type, half, product, a, b);
	if (in || out)
		add_carry(l, wide, false, in, out, dst, product,
			  cc_in_reg(l, c, wide ? CC_Q : CC_R));
	else
		cc_opv(l, wide ? VGPU_OP_ADDQ : VGPU_OP_ADD, 0, dst,
		       (struct cc_value){ .reg = product }, c, CC_NONE);
}

static struct cc_value low24(struct cc_lower *l, unsigned int index, enum ptx_type type)
{
	struct cc_value value = { .reg = cc_temp(l, CC_R) };
	uint32_t high = cc_temp(l, CC_R), source = cc_src_reg(l, index, type);

	cc_opi(l, VGPU_OP_SHL, 0, high, source, 8, CC_NONE);
	cc_opi(l, cc_signed(type) ? VGPU_OP_SHRS : VGPU_OP_SHRU, 0, value.reg, high, 8, CC_NONE);
	return value;
}

void cc_lower_muladd24(struct cc_lower *l)
{
	enum ptx_type type = cc_type(l, 0);
	bool add = l->in->op == PTX_I_MAD24;
	struct cc_value a, b, c = { .reg = CC_NONE };
	uint32_t dst, product, whole, high;

	if (type != PTX_U32 && type != PTX_S32)
		cc_refuse(l, "type .u32 or .s32 is wanted");
	dst = cc_dst(l, 0, type);
	a = low24(l, 1, type);
	b = low24(l, 2, type);
	if (add)
		c = cc_src(l, 3, type);
	product = cc_temp(l, CC_R);
	if (product_half(l) == LO) {
		cc_opv(l, VGPU_OP_MUL, 0, product, a, b, CC_NONE);
	} else {	/* bits 16 to 47 of the 48-bit product */
		whole = cc_temp(l, CC_Q);
		high = cc_temp(l, CC_Q);
		cc_opv(l, cc_signed(type) ? VGPU_OP_MULWS : VGPU_OP_MULWU, 0, whole, a, b, CC_NONE);
		cc_opi(l, VGPU_OP_SHRUQ, 0, high, whole, 16, CC_NONE);
		cc_op(l, VGPU_OP_UNLO, 0, product, high, CC_NONE, CC_NONE);
	}
	if (add)
		cc_opv(l, VGPU_OP_ADD, 0, dst, (struct cc_value){ .reg = product }, c, CC_NONE);
	else
		cc_op(l, VGPU_OP_MOV, 0, dst, CC_NONE, product, CC_NONE);
}

void cc_lower_divrem(struct cc_lower *l)
{
	static const uint16_t ops[2][2][2] = {	/* rem, 64-bit, unsigned */
		{ { VGPU_OP_DIVS, VGPU_OP_DIVU }, { VGPU_OP_DIVSQ, VGPU_OP_DIVUQ } },
		{ { VGPU_OP_REMS, VGPU_OP_REMU }, { VGPU_OP_REMSQ, VGPU_OP_REMUQ } },
	};
	enum ptx_type type = cc_type(l, 0);
	bool wide = int_bytes(l, type) == 8;
	uint32_t dst = cc_dst(l, 0, type);
	struct cc_value a = cc_extended(l, cc_src(l, 1, type), type),
			b = cc_extended(l, cc_src(l, 2, type), type);

	if (ptx_mod_of(l->in, ~PTX_K_TYPE) != PTX_M_NONE)
		cc_refuse(l, "a modifier for floats on integers");
	cc_opv(l, ops[l->in->op == PTX_I_REM][wide][!cc_signed(type)], 0, dst, a, b, CC_NONE);
}

void cc_lower_minmax(struct cc_lower *l)
{
	static const uint16_t ops[2][2][2] = {	/* max, 64-bit, unsigned */
		{ { VGPU_OP_MINS, VGPU_OP_MINU }, { VGPU_OP_MINSQ, VGPU_OP_MINUQ } },
		{ { VGPU_OP_MAXS, VGPU_OP_MAXU }, { VGPU_OP_MAXSQ, VGPU_OP_MAXUQ } },
	};
	enum ptx_type type = cc_type(l, 0);
	bool max = l->in->op == PTX_I_MAX, wide;
	struct cc_value a, b;
	uint32_t dst;

	if (is_float(type)) {
		cc_lower_farith(l, max ? VGPU_OP_FMAX : VGPU_OP_FMIN,
				max ? VGPU_OP_DMAX : VGPU_OP_DMIN);
		return;
	}
	if (ptx_has(l->in, PTX_M_FTZ) || ptx_has(l->in, PTX_M_NANP))
		cc_refuse(l, ".ftz or .NaN on integers");
	wide = int_bytes(l, type) == 8;
	dst = cc_dst(l, 0, type);
	a = cc_extended(l, cc_src(l, 1, type), type);
	b = cc_extended(l, cc_src(l, 2, type), type);
	cc_opv(l, ops[max][wide][!cc_signed(type)], 0, dst, a, b, CC_NONE);
}

void cc_lower_absneg(struct cc_lower *l)
{
	enum ptx_type type = cc_type(l, 0);
	bool neg = l->in->op == PTX_I_NEG, wide;
	struct cc_value a;
	uint32_t dst;

	if (is_float(type)) {
		cc_lower_funary(l);
		return;
	}
	if (ptx_has(l->in, PTX_M_FTZ))
		cc_refuse(l, ".ftz on integers");
	wide = int_bytes(l, type) == 8;
	dst = cc_dst(l, 0, type);
	a = cc_src(l, 1, type);
	if (!neg)
		a = cc_extended(l, a, type);
	cc_op(l, neg ? (wide ? VGPU_OP_NEGQ : VGPU_OP_NEG) : (wide ? VGPU_OP_ABSQ : VGPU_OP_ABS), 0,
	      dst, cc_in_reg(l, a, wide ? CC_Q : CC_R), CC_NONE, CC_NONE);
}

void cc_lower_sad(struct cc_lower *l)
{
	enum ptx_type type = cc_type(l, 0);
	bool wide = int_bytes(l, type) == 8, sign = cc_signed(type);
	enum cc_class class = wide ? CC_Q : CC_R;
	uint32_t dst = cc_dst(l, 0, type), large = cc_temp(l, class), small = cc_temp(l, class);
	uint32_t difference = cc_temp(l, class);
	struct cc_value a = cc_extended(l, cc_src(l, 1, type), type),
			b = cc_extended(l, cc_src(l, 2, type), type);
	struct cc_value c = cc_src(l, 3, type);

	if (wide) {
		cc_opv(l, sign ? VGPU_OP_MAXSQ : VGPU_OP_MAXUQ, 0, large, a, b, CC_NONE);
		cc_opv(l, sign ? VGPU_OP_MINSQ : VGPU_OP_MINUQ, 0, small, a, b, CC_NONE);
	} else {
		cc_opv(l, sign ? VGPU_OP_MAXS : VGPU_OP_MAXU, 0, large, a, b, CC_NONE);
		cc_opv(l, sign ? VGPU_OP_MINS : VGPU_OP_MINU, 0, small, a, b, CC_NONE);
	}
	cc_op(l, wide ? VGPU_OP_SUBQ : VGPU_OP_SUB, 0, difference, large, small, CC_NONE);
	cc_opv(l, wide ? VGPU_OP_ADDQ : VGPU_OP_ADD, 0, dst, (struct cc_value){ .reg = difference },
	       c, CC_NONE);
}

/* One field of a packed operand: `bits` wide at `shift`, extended by the type's sign. */
static uint32_t field(struct cc_lower *l, uint32_t word, unsigned int shift, unsigned int bits,
		      bool sign)
{
	uint32_t up = cc_temp(l, CC_R), out = cc_temp(l, CC_R);

	cc_opi(l, VGPU_OP_SHL, 0, up, word, 32 - shift - bits, CC_NONE);
	cc_opi(l, sign ? VGPU_OP_SHRS : VGPU_OP_SHRU, 0, out, up, 32 - bits, CC_NONE);
	return out;
}

/*
 * dp4a: four products of bytes; dp2a: two products of halves of a with the low or high two bytes of
 * b.
 */
void cc_lower_dot(struct cc_lower *l)
{
	enum ptx_type ta = cc_type(l, 0), tb = cc_type(l, 1);
	bool four = l->in->op == PTX_I_DP4A, high = ptx_has(l->in, PTX_M_HI);
	uint32_t dst, a, b, sum, next;

	if (ptx_type_bytes(ta) != 4 || ptx_type_bytes(tb) != 4 || is_float(ta) || is_float(tb))
		cc_refuse(l, "types .u32 or .s32 are wanted");
	if (!four)
		product_half(l);
	dst = cc_dst(l, 0, ta);
	a = cc_src_reg(l, 1, ta);
	b = cc_src_reg(l, 2, tb);
	sum = cc_src_reg(l, 3, ta);
	for (unsigned int i = 0; i < (four ? 4u : 2u); i++) {
		uint32_t x = four ? field(l, a, i * 8, 8, cc_signed(ta)) :
				    field(l, a, i * 16, 16, cc_signed(ta));
		uint32_t y = field(l, b, (i + (!four && high ? 2 : 0)) * 8, 8, cc_signed(tb));

		next = cc_temp(l, CC_R);
		cc_op(l, VGPU_OP_MAD, 0, next, x, y, sum);
		sum = next;
	}
	cc_op(l, VGPU_OP_MOV, 0, dst, CC_NONE, sum, CC_NONE);
}

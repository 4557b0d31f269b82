// SPDX-License-Identifier: MIT
/*
 * Lowering of bit operations: logic, shifts, fields, counts, permutations.
 */
#include "lower.h"

static unsigned int bit_bytes(struct cc_lower *l, enum ptx_type type)
{
	if (ptx_type_letter(type) == 'f' || ptx_type_letter(type) == 'h' ||
	    ptx_type_bytes(type) < 2)
		cc_refuse(l, "type .%s is not supported here", ptx_mod_name(type));
	return ptx_type_bytes(type);
}

static unsigned int word_bytes(struct cc_lower *l, enum ptx_type type)
{
	if (bit_bytes(l, type) < 4)
		cc_refuse(l, "a 32 or 64-bit type is wanted");
	return ptx_type_bytes(type);
}

static void logic_pred(struct cc_lower *l)
{
	uint32_t dst = cc_dst_pred(l, cc_operand(l, 0)), a = cc_src_pred(l, 1);
	unsigned int op = l->in->op;

	if (op == PTX_I_CNOT)
		cc_refuse(l, "type .pred is not supported here");
	if (op == PTX_I_NOT)
		cc_set_pred(l, dst, a ^ CC_NOT);
	else
		cc_op(l,
		      op == PTX_I_AND ? VGPU_OP_PAND :
		      op == PTX_I_OR  ? VGPU_OP_POR :
					VGPU_OP_PXOR,
		      0, dst, a, cc_src_pred(l, 2), CC_NONE);
}

void cc_lower_logic(struct cc_lower *l)
{
	static const uint16_t ops[3][2] = {
		{ VGPU_OP_AND, VGPU_OP_ANDQ },
		{ VGPU_OP_OR, VGPU_OP_ORQ },
		{ VGPU_OP_XOR, VGPU_OP_XORQ },
	};
	enum ptx_type type = cc_type(l, 0);
	unsigned int op = l->in->op;
	uint32_t dst, p, bit;
	struct cc_value a;
	bool wide;

	if (type == PTX_PRED) {
		logic_pred(l);
		return;
	}
	wide = bit_bytes(l, type) == 8;
	dst = cc_dst(l, 0, type);
	a = cc_src(l, 1, type);
	switch (op) {
	case PTX_I_NOT:
		cc_op(l, wide ? VGPU_OP_NOTQ : VGPU_OP_NOT, 0, dst,
		      cc_in_reg(l, a, wide ? CC_Q : CC_R), CC_NONE, CC_NONE);
		return;
	case PTX_I_CNOT:
		a = cc_extended(l, a, ptx_type_bytes(type) == 2 ? PTX_U16 : type);
		p = cc_temp(l, CC_P);
		cc_opi(l, wide ? VGPU_OP_SETPUQ : VGPU_OP_SETPU, VGPU_CMP_EQ, p,
		       cc_in_reg(l, a, wide ? CC_Q : CC_R), 0, CC_NONE);
		if (!wide) {
			cc_op(l, VGPU_OP_P2R, 0, dst, p, CC_NONE, CC_NONE);
			return;
		}
		bit = cc_temp(l, CC_R);
		cc_op(l, VGPU_OP_P2R, 0, bit, p, CC_NONE, CC_NONE);
		cc_op(l, VGPU_OP_ZXQ, 0, dst, bit, CC_NONE, CC_NONE);
		return;
	}
	cc_opv(l,
	       ops[op == PTX_I_AND ? 0 :
		   op == PTX_I_OR  ? 1 :
				     2][wide],
	       0, dst, a, cc_src(l, 2, type), CC_NONE);
}

void cc_lower_shift(struct cc_lower *l)
{
	enum ptx_type type = cc_type(l, 0);
	bool wide = bit_bytes(l, type) == 8, left = l->in->op == PTX_I_SHL, sign = cc_signed(type);
	uint32_t dst = cc_dst(l, 0, type);
	struct cc_value a = cc_src(l, 1, type), count = cc_src(l, 2, PTX_U32);
	unsigned int op;

	if (left)
		op = wide ? VGPU_OP_SHLQ : VGPU_OP_SHL;
	else if (sign)
		op = wide ? VGPU_OP_SHRSQ : VGPU_OP_SHRS;
	else
		op = wide ? VGPU_OP_SHRUQ : VGPU_OP_SHRU;
	if (!left)
		a = cc_extended(l, a, ptx_type_bytes(type) > 2 ? type : sign ? PTX_S16 : PTX_U16);
	cc_opv(l, op, 0, dst, a, count, CC_NONE);
}

void cc_lower_funnel(struct cc_lower *l)
{
	bool left = ptx_has(l->in, PTX_M_L), clamp = ptx_has(l->in, PTX_M_CLAMP);
	uint32_t dst, c;
	struct cc_value a, b;

	if (cc_type(l, 0) != PTX_B32 || left == ptx_has(l->in, PTX_M_R) ||
	    clamp == ptx_has(l->in, PTX_M_WRAP))
		cc_refuse(l, "shf.l or .r, .wrap or .clamp, .b32 is wanted");
	dst = cc_dst(l, 0, PTX_B32);
	a = cc_src(l, 1, PTX_B32);
	b = cc_src(l, 2, PTX_B32);
	c = cc_src_reg(l, 3, PTX_U32);
	cc_opv(l,
	       left ? (clamp ? VGPU_OP_SHFLC : VGPU_OP_SHFLW) :
		      (clamp ? VGPU_OP_SHFRC : VGPU_OP_SHFRW),
	       0, dst, a, b, c);
}

static void shift_amount(struct cc_lower *l, uint32_t dst, uint32_t position, unsigned int bits)
{
	uint32_t p = cc_temp(l, CC_P), top = cc_const(l, CC_R, bits - 1), amount = cc_temp(l, CC_R);

	cc_op(l, VGPU_OP_SUB, 0, amount, top, position, CC_NONE);
	cc_opi(l, VGPU_OP_SETPU, VGPU_CMP_NE, p, position, UINT32_MAX, CC_NONE);
	cc_opi(l, VGPU_OP_SEL, 0, dst, amount, UINT32_MAX, p);
}

void cc_lower_count(struct cc_lower *l)
{
	enum ptx_type type = cc_type(l, 0);
	bool wide = word_bytes(l, type) == 8, sign = cc_signed(type),
	     amount = ptx_has(l->in, PTX_M_SHIFTAMT);
	uint32_t a = cc_src_reg(l, 1, type), dst, position;
	unsigned int op;

	if (ptx_mod_of(l->in, PTX_K_SHIFT) != PTX_M_NONE && !amount)
		cc_refuse(l, "modifier .%s is not supported here",
			  ptx_mod_name(ptx_mod_of(l->in, PTX_K_SHIFT)));
	dst = cc_dst(l, 0, l->in->op == PTX_I_BREV ? type : PTX_U32);
	switch (l->in->op) {
	case PTX_I_POPC:
		op = wide ? VGPU_OP_POPCQ : VGPU_OP_POPC;
		break;
	case PTX_I_CLZ:
		op = wide ? VGPU_OP_CLZQ : VGPU_OP_CLZ;
		break;
	case PTX_I_BREV:
		op = wide ? VGPU_OP_BREVQ : VGPU_OP_BREV;
		break;
	default:
		op = wide ? (sign ? VGPU_OP_BFINDSQ : VGPU_OP_BFINDUQ) :
			    (sign ? VGPU_OP_BFINDS : VGPU_OP_BFINDU);
		break;
	}
	if (amount) {
		position = cc_temp(l, CC_R);
		cc_op(l, op, 0, position, a, CC_NONE, CC_NONE);
		shift_amount(l, dst, position, wide ? 64 : 32);
	} else {
		cc_op(l, op, 0, dst, a, CC_NONE, CC_NONE);
	}
}

void cc_lower_fns(struct cc_lower *l)
{
	struct cc_value mask = cc_src(l, 1, PTX_B32), base = cc_src(l, 2, PTX_B32);
	uint32_t offset = cc_src_reg(l, 3, PTX_S32);

	if (cc_type(l, 0) != PTX_B32)
		cc_refuse(l, ".b32 is wanted");
	cc_opv(l, VGPU_OP_FNS, 0, cc_dst(l, 0, PTX_B32), mask, base, offset);
}

/*
 * A field at a constant place is two shifts, or a shift and a mask: cheaper than bfe, whose length
 * is a register.
 */
static bool bfe_constant(struct cc_lower *l, bool wide, bool sign, uint32_t dst, struct cc_value a,
			 struct cc_value position, struct cc_value length)
{
	enum cc_class class = wide ? CC_Q : CC_R;
	unsigned int bits = wide ? 64 : 32, pos = position.imm & 255, len = length.imm & 255;
	uint32_t source, temp;

	if (position.reg != CC_NONE || length.reg != CC_NONE || !len || pos + len > bits)
		return false;
	source = cc_in_reg(l, a, class);
	temp = cc_temp(l, class);
	if (sign) {
		cc_opi(l, wide ? VGPU_OP_SHLQ : VGPU_OP_SHL, 0, temp, source, bits - pos - len,
		       CC_NONE);
		cc_opi(l, wide ? VGPU_OP_SHRSQ : VGPU_OP_SHRS, 0, dst, temp, bits - len, CC_NONE);
	} else {
		cc_opi(l, wide ? VGPU_OP_SHRUQ : VGPU_OP_SHRU, 0, temp, source, pos, CC_NONE);
		cc_opi(l, wide ? VGPU_OP_ANDQ : VGPU_OP_AND, 0, dst, temp,
		       len == 64 ? UINT64_MAX : (1ull << len) - 1, CC_NONE);
	}
	return true;
}

/*
 * LLVM (14 to 16 at least) writes bfe.u64 for the low bits of an arithmetic shift to the right by
 * more than 32, although more bits are wanted than are left (it looks at the width of the shift
 * count). PTX says that zeros follow; the sign is meant. For a logical shift it never does: there
 * the mask is redundant, and removed before.
 */
static bool bfe_of_llvm(struct cc_lower *l, uint32_t dst, struct cc_value a,
			struct cc_value position, struct cc_value length)
{
	uint32_t temp;

	if (!l->cc->from_llvm || position.reg != CC_NONE || length.reg != CC_NONE ||
	    position.imm <= 32 || position.imm >= 64 || length.imm >= 64 ||
	    position.imm + length.imm <= 64)
		return false;
	temp = cc_temp(l, CC_Q);
	cc_opi(l, VGPU_OP_SHRSQ, 0, temp, cc_in_reg(l, a, CC_Q), position.imm, CC_NONE);
	cc_opi(l, VGPU_OP_ANDQ, 0, dst, temp, (1ull << length.imm) - 1, CC_NONE);
	return true;
}

void cc_lower_bfe(struct cc_lower *l)
{
	enum ptx_type type = cc_type(l, 0);
	bool wide = word_bytes(l, type) == 8, sign = cc_signed(type);
	uint32_t dst = cc_dst(l, 0, type);
	struct cc_value a = cc_src(l, 1, type), position = cc_src(l, 2, PTX_U32),
			length = cc_src(l, 3, PTX_U32);

	if (bfe_constant(l, wide, sign, dst, a, position, length))
		return;
	if (wide && !sign && bfe_of_llvm(l, dst, a, position, length))
		return;
	cc_opv(l,
	       wide ? (sign ? VGPU_OP_BFESQ : VGPU_OP_BFEUQ) : (sign ? VGPU_OP_BFES : VGPU_OP_BFEU),
	       0, dst, a, position, cc_in_reg(l, length, CC_R));
}

void cc_lower_bfi(struct cc_lower *l)
{
	enum ptx_type type = cc_type(l, 0);
	bool wide = word_bytes(l, type) == 8;
	uint32_t dst = cc_dst(l, 0, type), a = cc_src_reg(l, 1, type), b = cc_src_reg(l, 2, type),
		 where, p, n, shifted;
	struct cc_value position = cc_src(l, 3, PTX_U32), length = cc_src(l, 4, PTX_U32);

	if (position.reg == CC_NONE && length.reg == CC_NONE) {
		where = cc_const(l, CC_R, (position.imm & 255) | (length.imm & 255) << 8);
	} else {
		p = cc_temp(l, CC_R);
		n = cc_temp(l, CC_R);
		shifted = cc_temp(l, CC_R);
		where = cc_temp(l, CC_R);
		cc_opi(l, VGPU_OP_AND, 0, p, cc_in_reg(l, position, CC_R), 255, CC_NONE);
		cc_opi(l, VGPU_OP_AND, 0, n, cc_in_reg(l, length, CC_R), 255, CC_NONE);
		cc_opi(l, VGPU_OP_SHL, 0, shifted, n, 8, CC_NONE);
		cc_op(l, VGPU_OP_OR, 0, where, p, shifted, CC_NONE);
	}
	cc_op(l, wide ? VGPU_OP_BFIQ : VGPU_OP_BFI, 0, dst, a, b, where);
}

/*
 * Selectors of the default mode that do what mode `mod` does with its control value 0, 1, 2, 3 (16
 * bits each).
 */
static uint64_t prmt_selectors(unsigned int mod)
{
	switch (mod) {
	case PTX_M_F4E:
		return 0x6543543243213210ull;
	case PTX_M_B4E:
		return 0x0123701267015670ull;
	case PTX_M_RC8:
		return 0x3333222211110000ull;
	case PTX_M_ECL:
		return 0x3333322232113210ull;
	case PTX_M_ECR:
		return 0x3210221011100000ull;
	default:	/* .rc16 */
		return 0x3232101032321010ull;
	}
}

void cc_lower_prmt(struct cc_lower *l)
{
	unsigned int mod = ptx_mod_of(l->in, PTX_K_PRMT);
	uint32_t dst, b, low, shift, table, selector, shifted;
	struct cc_value a, c;

	if (cc_type(l, 0) != PTX_B32)
		cc_refuse(l, "type .b32 is wanted");
	dst = cc_dst(l, 0, PTX_B32);
	a = cc_src(l, 1, PTX_B32);
	b = cc_src_reg(l, 2, PTX_B32);
	c = cc_src(l, 3, PTX_B32);
	if (mod != PTX_M_NONE) {
		low = cc_temp(l, CC_R);
		shift = cc_temp(l, CC_R);
		shifted = cc_temp(l, CC_Q);
		selector = cc_temp(l, CC_R);
		table = cc_const(l, CC_Q, prmt_selectors(mod));
		cc_opi(l, VGPU_OP_AND, 0, low, cc_in_reg(l, c, CC_R), 3, CC_NONE);
		cc_opi(l, VGPU_OP_SHL, 0, shift, low, 4, CC_NONE);
		cc_op(l, VGPU_OP_SHRUQ, 0, shifted, table, shift, CC_NONE);
		cc_op(l, VGPU_OP_UNLO, 0, selector, shifted, CC_NONE, CC_NONE);
		c.reg = selector;
	}
	cc_opv(l, VGPU_OP_PRMT, 0, dst, a, c, b);
}

void cc_lower_lop3(struct cc_lower *l)
{
	uint32_t dst, a, b, c;
	struct cc_value table = cc_src(l, 4, PTX_U32);

	if (cc_type(l, 0) != PTX_B32 || table.reg != CC_NONE || table.imm > 255)
		cc_refuse(l, ".b32 and a constant truth table from 0 to 255 are wanted");
	dst = cc_dst(l, 0, PTX_B32);
	a = cc_src_reg(l, 1, PTX_B32);
	b = cc_src_reg(l, 2, PTX_B32);
	c = cc_src_reg(l, 3, PTX_B32);
	cc_op(l, VGPU_OP_LOP3, 0, dst, a, b, c)->imm = table.imm;
}

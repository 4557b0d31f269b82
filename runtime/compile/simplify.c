// SPDX-License-Identifier: MIT
/*
 * Simplification of one instruction: constants are computed, what changes nothing becomes a copy,
 * two instructions become one where VASS has it (an addition of a product, a widened shift). Floats
 * are left as they are.
 */
#include "cc.h"

/*
 * Make the instruction a move of @value. The uses of its operands are given up (cc_use), so that
 * the instructions that computed them can become dead.
 */
static void to_constant(struct cc *cc, struct cc_insn *insn, uint64_t value)
{
	bool wide = cc->vregs[insn->dst] == CC_Q;

	if (insn->a != CC_NONE)
		cc_use(cc, &insn->a, CC_NONE);
	if (insn->b != CC_NONE)
		cc_use(cc, &insn->b, CC_NONE);
	if (insn->c != CC_NONE)
		cc_use(cc, &insn->c, CC_NONE);
	insn->op = wide ? VGPU_OP_MOVQ : VGPU_OP_MOV;
	insn->flags = VGPU_F_IMM;
	insn->imm = wide ? value : (uint32_t)value;
}

/*
 * Make it a move of @source. The use is counted first: @source may be an operand of the
 * instruction.
 */
static void to_copy(struct cc *cc, struct cc_insn *insn, uint32_t source)
{
	cc->defs[source & ~CC_NOT].uses++;
	to_constant(cc, insn, 0);
	insn->flags = 0;
	insn->b = source;
}

static void to_pred_copy(struct cc *cc, struct cc_insn *insn, uint32_t source)
{
	if (insn->a != CC_NONE)
		cc_use(cc, &insn->a, CC_NONE);
	if (insn->b != CC_NONE)
		cc_use(cc, &insn->b, CC_NONE);
	insn->op = VGPU_OP_PMOV;
	insn->flags = 0;
	insn->imm = 0;
	cc_use(cc, &insn->a, source);
}

static bool has_imm(const struct cc_insn *insn)
{
	return insn->flags & VGPU_F_IMM;
}

/* May operands a and b change places? A third operand stays where it is. */
static bool commutes(unsigned int op)
{
	switch (op) {
	case VGPU_OP_ADD:
	case VGPU_OP_MUL:
	case VGPU_OP_MULHS:
	case VGPU_OP_MULHU:
	case VGPU_OP_MAD:
	case VGPU_OP_MULWS:
	case VGPU_OP_MULWU:
	case VGPU_OP_MADWS:
	case VGPU_OP_MADWU:
	case VGPU_OP_MINS:
	case VGPU_OP_MINU:
	case VGPU_OP_MAXS:
	case VGPU_OP_MAXU:
	case VGPU_OP_AND:
	case VGPU_OP_OR:
	case VGPU_OP_XOR:
	case VGPU_OP_ADDQ:
	case VGPU_OP_MULQ:
	case VGPU_OP_MADQ:
	case VGPU_OP_ANDQ:
	case VGPU_OP_ORQ:
	case VGPU_OP_XORQ:
	case VGPU_OP_FADD:
	case VGPU_OP_FMUL:
	case VGPU_OP_FFMA:
	case VGPU_OP_DADD:
	case VGPU_OP_DMUL:
	case VGPU_OP_DFMA:
		return true;
	default:
		return false;
	}
}

/* Only operand b can be an immediate: bring the constant of a commutative instruction there. */
static bool swap_constant(struct cc *cc, struct cc_insn *insn)
{
	uint64_t value;
	uint32_t a = insn->a;

	if (!commutes(insn->op) || insn->b == CC_NONE || !cc_constant(cc, a, &value) ||
	    cc_constant(cc, insn->b, &value))
		return false;
	insn->a = insn->b;
	insn->b = a;
	return true;
}

/* ---- constants ---------------------------------------------------------- */

/*
 * What the device computes from two constants. Results of 32-bit opcodes are cut to 32 bits by the
 * caller. Counts of shifts beyond the width are as in docs/isa.md, not as in C. Floats are absent
 * on purpose: their rounding and flags are the device's.
 */
static bool compute(unsigned int op, uint64_t a, uint64_t b, uint64_t *out)
{
	uint32_t la = (uint32_t)a, lb = (uint32_t)b;

	switch (op) {
	case VGPU_OP_ADD:
	case VGPU_OP_ADDQ:
		*out = a + b;
		return true;
	case VGPU_OP_SUB:
	case VGPU_OP_SUBQ:
		*out = a - b;
		return true;
	case VGPU_OP_MUL:
	case VGPU_OP_MULQ:
		*out = a * b;
		return true;
	case VGPU_OP_MULWS:
		*out = (uint64_t)((int64_t)(int32_t)la * (int32_t)lb);
		return true;
	case VGPU_OP_MULWU:
		*out = (uint64_t)la * lb;
		return true;
	case VGPU_OP_AND:
	case VGPU_OP_ANDQ:
		*out = a & b;
		return true;
	case VGPU_OP_OR:
	case VGPU_OP_ORQ:
		*out = a | b;
		return true;
	case VGPU_OP_XOR:
	case VGPU_OP_XORQ:
		*out = a ^ b;
		return true;
	case VGPU_OP_SHL:
		*out = lb > 31 ? 0 : la << lb;
		return true;
	case VGPU_OP_SHRU:
		*out = lb > 31 ? 0 : la >> lb;
		return true;
	case VGPU_OP_SHRS:
		*out = (uint64_t)((int32_t)la >> (lb > 31 ? 31 : lb));
		return true;
	case VGPU_OP_SHLQ:
		*out = lb > 63 ? 0 : a << lb;
		return true;
	case VGPU_OP_SHRUQ:
		*out = lb > 63 ? 0 : a >> lb;
		return true;
	case VGPU_OP_SHRSQ:
		*out = (uint64_t)((int64_t)a >> (lb > 63 ? 63 : lb));
		return true;
	case VGPU_OP_PACK:
		*out = la | b << 32;
		return true;
	default:
		return false;
	}
}

static bool compute_unary(unsigned int op, uint64_t a, uint64_t *out)
{
	switch (op) {
	case VGPU_OP_UNLO:
	case VGPU_OP_ZXQ:
		*out = (uint32_t)a;
		return true;
	case VGPU_OP_UNHI:
		*out = a >> 32;
		return true;
	case VGPU_OP_SXQ:
		*out = (uint64_t)(int32_t)(uint32_t)a;
		return true;
	case VGPU_OP_SX8:
		*out = (uint64_t)(int8_t)a;
		return true;
	case VGPU_OP_SX16:
		*out = (uint64_t)(int16_t)a;
		return true;
	case VGPU_OP_ZX8:
		*out = (uint8_t)a;
		return true;
	case VGPU_OP_ZX16:
		*out = (uint16_t)a;
		return true;
	case VGPU_OP_NEG:
	case VGPU_OP_NEGQ:
		*out = -a;
		return true;
	case VGPU_OP_NOT:
	case VGPU_OP_NOTQ:
		*out = ~a;
		return true;
	default:
		return false;
	}
}

static bool fold_constants(struct cc *cc, struct cc_insn *insn)
{
	const struct cc_opinfo *info = &cc_opinfo[insn->op];
	uint64_t a, out;

	if (info->class != CC_C_NONE || insn->a == CC_NONE || insn->dst == CC_NONE ||
	    insn->c != CC_NONE || info->a == CC_K_P || !cc_constant(cc, insn->a, &a))
		return false;
	if (has_imm(insn) ? !compute(insn->op, a, insn->imm, &out) :
	    insn->b != CC_NONE || !compute_unary(insn->op, a, &out))
		return false;
	to_constant(cc, insn, out);
	return true;
}

/* ---- what is known of a value ------------------------------------------- */

/* Low bits of a 32-bit register that may be set; those above are zero. */
static unsigned int low_bits(const struct cc *cc, uint32_t reg)
{
	const struct cc_insn *def = cc_def_of(cc, reg);
	unsigned int bits = 32;

	if (!def)
		return 32;
	switch (def->op) {
	case VGPU_OP_ZX8:
		return 8;
	case VGPU_OP_ZX16:
		return 16;
	case VGPU_OP_P2R:
		return 1;
	case VGPU_OP_AND:
		while (has_imm(def) && bits > 0 && !((uint32_t)def->imm >> (bits - 1)))
			bits--;
		return bits;
	case VGPU_OP_MOV:
		while (has_imm(def) && bits > 0 && !((uint32_t)def->imm >> (bits - 1)))
			bits--;
		return bits;
	case VGPU_OP_SHRU:
		return has_imm(def) && def->imm < 32 ? 32 - (unsigned int)def->imm : 32;
	case VGPU_OP_LD:
	case VGPU_OP_LDG:
	case VGPU_OP_LDS:
	case VGPU_OP_LDL:
	case VGPU_OP_LDP:
		return (def->flags & VGPU_F_SEXT) || VGPU_F_COUNT(def->flags) > 1 ?
			       32 :
			       VGPU_F_SIZE(def->flags) * 8;
	default:
		return 32;
	}
}

/* Sign-extended from this many bits. */
static unsigned int signed_bits(const struct cc *cc, uint32_t reg)
{
	const struct cc_insn *def = cc_def_of(cc, reg);
	unsigned int zero = low_bits(cc, reg);

	if (zero < 32)
		return zero + 1;
	if (!def)
		return 32;
	switch (def->op) {
	case VGPU_OP_SX8:
		return 8;
	case VGPU_OP_SX16:
		return 16;
	case VGPU_OP_LD:
	case VGPU_OP_LDG:
	case VGPU_OP_LDS:
	case VGPU_OP_LDL:
	case VGPU_OP_LDP:
		return (def->flags & VGPU_F_SEXT) && VGPU_F_COUNT(def->flags) == 1 ?
			       VGPU_F_SIZE(def->flags) * 8 :
			       32;
	default:
		return 32;
	}
}

/* ---- identities --------------------------------------------------------- */

static unsigned int power_of_two(uint64_t value)
{
	return value && !(value & (value - 1)) ? (unsigned int)__builtin_ctzll(value) : 64;
}

static bool copy_of_a(struct cc *cc, struct cc_insn *insn)
{
	to_copy(cc, insn, insn->a);
	return true;
}

/* (x + i) + j, and the like for and, or, xor. */
static bool combine(struct cc *cc, struct cc_insn *insn)
{
	const struct cc_insn *def = cc_def_of(cc, insn->a);
	uint64_t imm;

	if (!def || def->op != insn->op || !has_imm(def) || !cc_fixed(cc, def->a) ||
	    !compute(insn->op, def->imm, insn->imm, &imm))
		return false;
	if ((insn->op == VGPU_OP_ADDQ && ((def->imm | insn->imm) & VGPU_WINDOW_MASK) &&
	     !(def->imm >> 63) && !(insn->imm >> 63)))
		return false;	/* leave the window of a generic address where it can be seen */
	cc_use(cc, &insn->a, def->a);
	insn->imm = cc_opinfo[insn->op].b == CC_K_RI ? (uint32_t)imm : imm;
	return true;
}

/* Identities of an operation with an immediate: x - i, x + 0, x & ~0, x * 2^n and so on. */
static bool simplify_imm(struct cc *cc, struct cc_insn *insn)
{
	bool wide = cc->vregs[insn->dst] == CC_Q;
	uint64_t imm = insn->imm, ones = wide ? UINT64_MAX : UINT32_MAX;
	unsigned int shift;

	switch (insn->op) {
	case VGPU_OP_SUB:
	case VGPU_OP_SUBQ:
		insn->op = wide ? VGPU_OP_ADDQ : VGPU_OP_ADD;
		insn->imm = wide ? -imm : (uint32_t)-imm;
		return true;
	case VGPU_OP_ADD:
	case VGPU_OP_ADDQ:
	case VGPU_OP_OR:
	case VGPU_OP_ORQ:
	case VGPU_OP_XOR:
	case VGPU_OP_XORQ:
		return imm ? combine(cc, insn) : copy_of_a(cc, insn);
	case VGPU_OP_SHL:
	case VGPU_OP_SHLQ:
	case VGPU_OP_SHRU:
	case VGPU_OP_SHRUQ:
	case VGPU_OP_SHRS:
	case VGPU_OP_SHRSQ:
		return imm ? false : copy_of_a(cc, insn);
	case VGPU_OP_AND:
	case VGPU_OP_ANDQ:
		if (imm == ones || (!wide && low_bits(cc, insn->a) < 32 &&
				    (~imm & ((1ull << low_bits(cc, insn->a)) - 1)) == 0))
			return copy_of_a(cc, insn);
		if (imm)
			return combine(cc, insn);
		to_constant(cc, insn, 0);
		return true;
	case VGPU_OP_MUL:
	case VGPU_OP_MULQ:
		shift = power_of_two(imm);
		if (!imm) {
			to_constant(cc, insn, 0);
		} else if (!shift) {
			return copy_of_a(cc, insn);
		} else if (shift < 64) {
			insn->op = wide ? VGPU_OP_SHLQ : VGPU_OP_SHL;
			insn->imm = shift;
		} else {
			return false;
		}
		return true;
	default:
		return false;
	}
}

/* A widened register shifted left is a widening product. */
static bool widen_shift(struct cc *cc, struct cc_insn *insn)
{
	const struct cc_insn *def = cc_def_of(cc, insn->a);

	if (!def || !has_imm(insn) || !cc_fixed(cc, def->a))
		return false;
	if (def->op == VGPU_OP_SXQ && insn->imm <= 30)
		insn->op = VGPU_OP_MULWS;
	else if (def->op == VGPU_OP_ZXQ && insn->imm <= 31)
		insn->op = VGPU_OP_MULWU;
	else
		return false;
	insn->imm = 1ull << insn->imm;
	cc_use(cc, &insn->a, def->a);
	return true;
}

/* Taking apart what was put together: PACK of both halves of one value, a half of a PACK. */
static bool simplify_halves(struct cc *cc, struct cc_insn *insn)
{
	const struct cc_insn *def = cc_def_of(cc, insn->a), *other;
	bool high = insn->op == VGPU_OP_UNHI;

	if (insn->op == VGPU_OP_PACK) {
		other = cc_def_of(cc, insn->b);
		if (!def || !other || def->op != VGPU_OP_UNLO || other->op != VGPU_OP_UNHI ||
		    def->a != other->a || !cc_fixed(cc, def->a))
			return false;
		to_copy(cc, insn, def->a);
		return true;
	}
	if (!def)
		return false;
	switch (def->op) {
	case VGPU_OP_PACK:
		if (high && has_imm(def)) {
			to_constant(cc, insn, def->imm);
			return true;
		}
		if (!cc_fixed(cc, high ? def->b : def->a))
			return false;
		to_copy(cc, insn, high ? def->b : def->a);
		return true;
	case VGPU_OP_ZXQ:
	case VGPU_OP_SXQ:
		if (high && def->op == VGPU_OP_ZXQ) {
			to_constant(cc, insn, 0);
			return true;
		}
		if (high || !cc_fixed(cc, def->a))
			return false;
		to_copy(cc, insn, def->a);
		return true;
	case VGPU_OP_SHRUQ:
	case VGPU_OP_SHRSQ:
		if (high || !has_imm(def) || def->imm != 32 || !cc_fixed(cc, def->a))
			return false;
		insn->op = VGPU_OP_UNHI;
		cc_use(cc, &insn->a, def->a);
		return true;
	default:
		return false;
	}
}

/* A comparison of a predicate's 1 or 0 is the predicate. */
static bool simplify_compare(struct cc *cc, struct cc_insn *insn)
{
	const struct cc_insn *def = cc_def_of(cc, insn->a);
	unsigned int condition = VGPU_F_CMP(insn->flags);

	if (!def || !has_imm(insn) || insn->imm > 1 || condition > VGPU_CMP_NE)
		return false;
	if (def->op == VGPU_OP_P2R && cc_fixed(cc, def->a)) {
		to_pred_copy(cc, insn,
			     def->a ^
				     ((condition == VGPU_CMP_EQ) == (insn->imm == 1) ? 0 : CC_NOT));
		return true;
	}
	/* (p ? -1 : 0) == 0, as libclc writes it */
	if (def->op == VGPU_OP_SEL && has_imm(def) && def->imm == 0 && insn->imm == 0 &&
	    cc_fixed(cc, def->c)) {
		uint64_t yes;

		if (!cc_constant(cc, def->a, &yes) || !yes)
			return false;
		to_pred_copy(cc, insn, def->c ^ (condition == VGPU_CMP_EQ ? CC_NOT : 0));
		return true;
	}
	return false;
}

/* ---- an addition of a product ------------------------------------------- */

/*
 * product + addend as one MAD, where *product is made in the same block and its operands still have
 * their values here (cc_steady). With more than two users the product would be computed again and
 * again instead of once.
 */
static bool fuse_product(struct cc *cc, struct cc_insn *insn, uint32_t block, uint32_t *product,
			 uint32_t *addend)
{
	const struct cc_insn *def = cc_def_of(cc, *product);
	const struct cc_def *info;
	uint32_t other = *addend;
	unsigned int op;

	if (!def)
		return false;
	info = &cc->defs[*product];
	/* a second user is welcome: it will take the product too, and the product goes */
	if (info->block != block || info->uses > 2)
		return false;
	switch (def->op) {
	case VGPU_OP_MULWS:
		op = VGPU_OP_MADWS;
		break;
	case VGPU_OP_MULWU:
		op = VGPU_OP_MADWU;
		break;
	case VGPU_OP_MUL:
		op = VGPU_OP_MAD;
		break;
	case VGPU_OP_SHL:
		op = VGPU_OP_MAD;
		if (!has_imm(def) || def->imm > 31)
			return false;
		break;
	default:
		return false;
	}
	if (!cc_steady(cc, def->a, info->insn, (uint32_t)(insn - cc->insns)) ||
	    (def->b != CC_NONE && !cc_steady(cc, def->b, info->insn, (uint32_t)(insn - cc->insns))))
		return false;
	if (cc_opinfo[op].dst != cc_opinfo[insn->op].dst || (info->uses > 1 && op == VGPU_OP_MAD))
		return false;
	insn->op = (uint16_t)op;
	cc->defs[other].uses++;
	cc_use(cc, &insn->a, def->a);
	cc_use(cc, &insn->b, def->b);
	insn->c = other;
	insn->flags = def->flags;
	insn->imm = def->op == VGPU_OP_SHL ? 1ull << def->imm : def->imm;
	return true;
}

static bool simplify_sum(struct cc *cc, struct cc_insn *insn, uint32_t block)
{
	if (has_imm(insn))
		return false;
	return fuse_product(cc, insn, block, &insn->b, &insn->a) ||
	       fuse_product(cc, insn, block, &insn->a, &insn->b);
}

/*
 * cc_simplify - one step on one instruction; the caller repeats it while it returns true
 *
 * Guarded instructions are left alone: a move in their place would need the guard as well, and
 * their result is also the old value.
 */
bool cc_simplify(struct cc *cc, struct cc_insn *insn, uint32_t block)
{
	if (insn->dst == CC_NONE || insn->guard != CC_PT || !cc_pure(insn))
		return false;
	if (swap_constant(cc, insn) || fold_constants(cc, insn))
		return true;
	switch (insn->op) {
	case VGPU_OP_ADD:
	case VGPU_OP_ADDQ:
		return has_imm(insn) ? simplify_imm(cc, insn) : simplify_sum(cc, insn, block);
	case VGPU_OP_SHLQ:
		if (widen_shift(cc, insn))
			return true;
		break;
	case VGPU_OP_UNLO:
	case VGPU_OP_UNHI:
	case VGPU_OP_PACK:
		return simplify_halves(cc, insn);
	case VGPU_OP_ZX8:
	case VGPU_OP_ZX16:
		return low_bits(cc, insn->a) <= (insn->op == VGPU_OP_ZX8 ? 8 : 16) &&
		       copy_of_a(cc, insn);
	case VGPU_OP_SX8:
	case VGPU_OP_SX16:
		return signed_bits(cc, insn->a) <= (insn->op == VGPU_OP_SX8 ? 8 : 16) &&
		       copy_of_a(cc, insn);
	case VGPU_OP_SETPU:
	case VGPU_OP_SETPS:
		return simplify_compare(cc, insn);
	default:
		break;
	}
	return has_imm(insn) && insn->c == CC_NONE && insn->a != CC_NONE && simplify_imm(cc, insn);
}

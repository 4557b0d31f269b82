// SPDX-License-Identifier: MIT
/*
 * Lowering of compares and selections: setp, set, selp, slct, mov.
 */
#include "lower.h"

/* A comparison of PTX as a VASS one: the type its operands are read as, opcode and condition. */
struct compare {
	enum ptx_type type;
	unsigned int op, flags;
};

/*
 * .lo .ls .hi .hs are the unsigned names of .lt .le .gt .ge; whether a comparison is signed comes
 * from the type, so they map to the same conditions.
 */
static struct compare compare_of(struct cc_lower *l, enum ptx_type type)
{
	static const struct {
		uint8_t mod, condition;
	} table[] = {
		{ PTX_M_EQ, VGPU_CMP_EQ },   { PTX_M_NE, VGPU_CMP_NE },
		{ PTX_M_LT, VGPU_CMP_LT },   { PTX_M_LE, VGPU_CMP_LE },
		{ PTX_M_GT, VGPU_CMP_GT },   { PTX_M_GE, VGPU_CMP_GE },
		{ PTX_M_EQU, VGPU_CMP_EQU }, { PTX_M_NEU, VGPU_CMP_NEU },
		{ PTX_M_LTU, VGPU_CMP_LTU }, { PTX_M_LEU, VGPU_CMP_LEU },
		{ PTX_M_GTU, VGPU_CMP_GTU }, { PTX_M_GEU, VGPU_CMP_GEU },
		{ PTX_M_NUM, VGPU_CMP_NUM }, { PTX_M_NAN, VGPU_CMP_NAN },
		{ PTX_M_LO, VGPU_CMP_LT },   { PTX_M_LS, VGPU_CMP_LE },
		{ PTX_M_HI, VGPU_CMP_GT },   { PTX_M_HS, VGPU_CMP_GE },
	};
	unsigned int mod = ptx_mod_of(l->in, PTX_K_CMP);
	bool is_float = ptx_type_letter(type) == 'f' || cc_is_half(type),
	     wide = ptx_type_bytes(type) == 8, sign = cc_signed(type);
	struct compare compare = { .type = type, .flags = VGPU_CMP_COUNT };

	if (type == PTX_PRED || ptx_type_bytes(type) < 2)
		cc_refuse(l, "type .%s is not supported here", ptx_mod_name(type));
	for (unsigned int i = 0; i < sizeof(table) / sizeof(*table); i++)
		if (table[i].mod == mod)
			compare.flags = table[i].condition;
	if (compare.flags == VGPU_CMP_COUNT)
		cc_refuse(l, "a comparison (.eq, .lt and so on) is missing");
	if (!is_float && compare.flags > VGPU_CMP_GE)
		cc_refuse(l, ".%s is for floats", ptx_mod_name(mod));
	if (mod == PTX_M_LO || mod == PTX_M_LS || mod == PTX_M_HI || mod == PTX_M_HS) {
		if (is_float || sign)
			cc_refuse(l, ".%s is for unsigned integers", ptx_mod_name(mod));
	} else if (ptx_type_letter(type) == 'b' && compare.flags > VGPU_CMP_NE) {
		cc_refuse(l, "bits can only be compared with .eq and .ne");
	}
	if (is_float) {
		compare.op = wide ? VGPU_OP_SETPD : VGPU_OP_SETPF;
		if (ptx_has(l->in, PTX_M_FTZ) && !wide)
			compare.flags |= VGPU_F_CMP_FTZ;
	} else {
		compare.op = sign ? (wide ? VGPU_OP_SETPSQ : VGPU_OP_SETPS) :
				    (wide ? VGPU_OP_SETPUQ : VGPU_OP_SETPU);
		if (ptx_has(l->in, PTX_M_FTZ))
			cc_refuse(l, ".ftz on integers");
	}
	return compare;
}

/*
 * dst = operand @first compared to the one behind it; narrow operands are extended by their type.
 */
static void emit_compare(struct cc_lower *l, struct compare compare, uint32_t dst,
			 unsigned int first)
{
	struct cc_value a, b;
	uint32_t halves[2][2];

	if (cc_is_half(compare.type)) {
		cc_half_operands(l, first, compare.type, halves[0], halves[1]);
		cc_op(l, compare.op, compare.flags & ~VGPU_F_CMP_FTZ, dst, halves[0][0],
		      halves[1][0], CC_NONE);
		return;
	}
	a = cc_src(l, first, compare.type);
	b = cc_src(l, first + 1, compare.type);
	cc_opv(l, compare.op, compare.flags, dst, cc_extended(l, a, compare.type),
	       cc_extended(l, b, compare.type), CC_NONE);
}

/* .and, .or, .xor of setp and set: with the predicate that is then the last operand. */
static unsigned int combine_op(struct cc_lower *l)
{
	unsigned int mod = ptx_mod_of(l->in, PTX_K_BOOL);

	if ((mod != PTX_M_NONE) != (l->in->count == 4))
		cc_refuse(l, ".and, .or, .xor and a fourth operand go together");
	return mod == PTX_M_AND ? VGPU_OP_PAND : mod == PTX_M_OR ? VGPU_OP_POR : VGPU_OP_PXOR;
}

/*
 * setp p|q: q is the inverse of the comparison, each combined with the third operand. Both results
 * are written after everything is read, since p and q may be that operand.
 */
/* The comparison of both halves of a pair, each combined with the last operand. */
static void compare_pair(struct cc_lower *l, struct compare compare, uint32_t preds[2])
{
	uint32_t a[2], b[2], result;
	unsigned int combine = combine_op(l);

	cc_half_operands(l, 1, compare.type, a, b);
	for (unsigned int i = 0; i < 2; i++) {
		result = preds[i] = cc_temp(l, CC_P);
		cc_op(l, compare.op, compare.flags & ~VGPU_F_CMP_FTZ, result, a[i], b[i], CC_NONE);
		if (l->in->count == 4) {
			preds[i] = cc_temp(l, CC_P);
			cc_op(l, combine, 0, preds[i], result, cc_src_pred(l, 3), CC_NONE);
		}
	}
}

/* setp p|q of pairs: p is of the lower half, q of the upper one. */
static void setp_pair(struct cc_lower *l)
{
	const struct ptx_operand *o = cc_operand(l, 0);
	struct ptx_operand q = *o;
	uint32_t preds[2], dst;

	if (o->second == PTX_NONE)
		cc_refuse(l, "p|q are wanted, one predicate for each half");
	q.reg = o->second;
	q.second = PTX_NONE;
	compare_pair(l, compare_of(l, cc_type(l, 0)), preds);
	dst = cc_reg(l, o->reg);
	cc_set_pred(l, dst, preds[0]);
	cc_set_pred(l, cc_dst_pred(l, &q), preds[1]);
}

/* set of halves: 1.0 or 0 of the half's type, or all bits or none. */
static void set_half(struct cc_lower *l, enum ptx_type dtype, enum ptx_type stype)
{
	bool pair = ptx_type_bytes(stype) == 4;
	struct compare compare = compare_of(l, stype);
	uint32_t preds[2], low, high, dst;

	dst = cc_dst(l, 0, dtype);
	compare_pair(l, compare, preds);
	if (cc_is_half(dtype)) {
		if (ptx_type_bytes(dtype) != ptx_type_bytes(stype))
			cc_refuse(l, "both types are pairs, or both single halves");
		cc_half_flags(l, dst, dtype, preds);
		return;
	}
	if (ptx_type_bytes(dtype) != 4 || ptx_type_letter(dtype) == 'f')
		cc_refuse(l, "the result is of halves, .u32 or .s32");
	low = cc_temp(l, CC_R);
	high = cc_temp(l, CC_R);
	cc_opi(l, VGPU_OP_SEL, 0, low, cc_const(l, CC_R, pair ? 0xffff : UINT32_MAX), 0, preds[0]);
	if (!pair) {
		cc_op(l, VGPU_OP_MOV, 0, dst, CC_NONE, low, CC_NONE);
		return;
	}
	cc_opi(l, VGPU_OP_SEL, 0, high, cc_const(l, CC_R, 0xffff0000u), 0, preds[1]);
	cc_op(l, VGPU_OP_OR, 0, dst, low, high, CC_NONE);
}

void cc_lower_setp(struct cc_lower *l)
{
	const struct ptx_operand *o = cc_operand(l, 0);
	struct compare compare = compare_of(l, cc_type(l, 0));
	unsigned int combine = combine_op(l);
	struct ptx_operand q = *o;
	uint32_t dst, second = CC_NONE, result, other = CC_NONE;

	if (cc_is_half(compare.type) && ptx_type_bytes(compare.type) == 4) {
		setp_pair(l);
		return;
	}
	dst = cc_dst_pred(l, o);
	if (o->second != PTX_NONE) {
		q.reg = o->second;
		second = cc_dst_pred(l, &q);
	}
	if (l->in->count == 4)
		other = cc_src_pred(l, 3);
	if (second == CC_NONE && other == CC_NONE) {
		emit_compare(l, compare, dst, 1);
		return;
	}
	result = cc_temp(l, CC_P);
	emit_compare(l, compare, result, 1);
	if (second == CC_NONE) {
		cc_op(l, combine, 0, dst, result, other, CC_NONE);
	} else if (other == CC_NONE) {
		cc_set_pred(l, dst, result);
		cc_set_pred(l, second, result | CC_NOT);
	} else {
		uint32_t one = cc_temp(l, CC_P), two = cc_temp(l, CC_P);

		cc_op(l, combine, 0, one, result, other, CC_NONE);
		cc_op(l, combine, 0, two, result | CC_NOT, other, CC_NONE);
		cc_set_pred(l, dst, one);
		cc_set_pred(l, second, two);
	}
}

void cc_lower_set(struct cc_lower *l)
{
	enum ptx_type dtype = cc_type(l, 0);
	struct compare compare = compare_of(l, cc_type(l, 1));
	unsigned int combine = combine_op(l);
	uint32_t dst, result = cc_temp(l, CC_P), combined = result, yes;

	if (cc_is_half(compare.type)) {
		set_half(l, dtype, compare.type);
		return;
	}
	if (dtype != PTX_U32 && dtype != PTX_S32 && dtype != PTX_F32)
		cc_refuse(l, "the result is .u32, .s32 or .f32");
	dst = cc_dst(l, 0, dtype);
	emit_compare(l, compare, result, 1);
	if (l->in->count == 4) {
		combined = cc_temp(l, CC_P);
		cc_op(l, combine, 0, combined, result, cc_src_pred(l, 3), CC_NONE);
	}
	yes = cc_const(l, CC_R, dtype == PTX_F32 ? 0x3f800000u : UINT32_MAX);
	cc_opi(l, VGPU_OP_SEL, 0, dst, yes, 0, combined);
}

/* dst = p ? a : b. Only b can be a constant, so a constant a changes places with it. */
static void select(struct cc_lower *l, bool wide, uint32_t dst, struct cc_value a,
		   struct cc_value b, uint32_t p)
{
	if (!wide && a.reg == CC_NONE && b.reg == CC_NONE && a.imm + b.imm == 1 &&
	    (a.imm == 0 || b.imm == 0)) {
		cc_op(l, VGPU_OP_P2R, 0, dst, a.imm ? p : p ^ CC_NOT, CC_NONE, CC_NONE);
		return;
	}
	if (a.reg == CC_NONE) {
		struct cc_value swap = a;

		a = b;
		b = swap;
		p ^= CC_NOT;
	}
	cc_opv(l, wide ? VGPU_OP_SELQ : VGPU_OP_SEL, 0, dst, a, b, p);
}

void cc_lower_selp(struct cc_lower *l)
{
	enum ptx_type type = cc_type(l, 0);
	uint32_t dst;

	if (type == PTX_PRED || ptx_type_bytes(type) < 2)
		cc_refuse(l, "type .%s is not supported here", ptx_mod_name(type));
	dst = cc_dst(l, 0, type);
	select(l, ptx_type_bytes(type) == 8, dst, cc_src(l, 1, type), cc_src(l, 2, type),
	       cc_src_pred(l, 3));
}

void cc_lower_slct(struct cc_lower *l)
{
	enum ptx_type type = cc_type(l, 0), ctype = cc_type(l, 1);
	uint32_t dst, p = cc_temp(l, CC_P);
	struct cc_value a, b, c;

	if (type == PTX_PRED || ptx_type_bytes(type) < 2 || (ctype != PTX_S32 && ctype != PTX_F32))
		cc_refuse(l, "a type of 16 to 64 bits, then .s32 or .f32 is wanted");
	dst = cc_dst(l, 0, type);
	a = cc_src(l, 1, type);
	b = cc_src(l, 2, type);
	c = cc_src(l, 3, ctype);
	cc_opi(l, ctype == PTX_F32 ? VGPU_OP_SETPF : VGPU_OP_SETPS,
	       VGPU_CMP_GE | (ptx_has(l->in, PTX_M_FTZ) ? VGPU_F_CMP_FTZ : 0), p,
	       cc_in_reg(l, c, CC_R), 0, CC_NONE);
	select(l, ptx_type_bytes(type) == 8, dst, a, b, p);
}

/* ---- mov ---------------------------------------------------------------- */

/*
 * Special registers. wide: 0 a 32-bit register, 1 a 64-bit one, 2 the upper half of a 64-bit one, 3
 * the lower half. components: it has .x .y .z (.w is a constant, handled apart).
 */
static const struct {
	uint8_t sreg, components, wide;
} special[PTX_SR_COUNT] = {
	[PTX_SR_TID] = { VGPU_SR_TID_X, 3, 0 },
	[PTX_SR_NTID] = { VGPU_SR_NTID_X, 3, 0 },
	[PTX_SR_CTAID] = { VGPU_SR_CTAID_X, 3, 0 },
	[PTX_SR_NCTAID] = { VGPU_SR_NCTAID_X, 3, 0 },
	[PTX_SR_LANEID] = { VGPU_SR_LANEID, 0, 0 },
	[PTX_SR_WARPID] = { VGPU_SR_WARPID, 0, 0 },
	[PTX_SR_NWARPID] = { VGPU_SR_NWARPID, 0, 0 },
	[PTX_SR_SMID] = { VGPU_SR_SMID, 0, 0 },
	[PTX_SR_NSMID] = { VGPU_SR_NSMID, 0, 0 },
	[PTX_SR_GRIDID] = { VGPU_SR_GRIDID, 0, 0 },
	[PTX_SR_LANEMASK_EQ] = { VGPU_SR_LANEMASK_EQ, 0, 0 },
	[PTX_SR_LANEMASK_LT] = { VGPU_SR_LANEMASK_LT, 0, 0 },
	[PTX_SR_LANEMASK_LE] = { VGPU_SR_LANEMASK_LE, 0, 0 },
	[PTX_SR_LANEMASK_GT] = { VGPU_SR_LANEMASK_GT, 0, 0 },
	[PTX_SR_LANEMASK_GE] = { VGPU_SR_LANEMASK_GE, 0, 0 },
	[PTX_SR_DYNSHARED] = { VGPU_SR_DYNSHARED, 0, 0 },
	[PTX_SR_TOTALSHARED] = { VGPU_SR_DYNSHARED, 0, 0 },
	[PTX_SR_CLOCK] = { VGPU_SR_CLOCK, 0, 0 },
	[PTX_SR_CLOCK_HI] = { VGPU_SR_CLOCK64, 0, 2 },
	[PTX_SR_CLOCK64] = { VGPU_SR_CLOCK64, 0, 1 },
	[PTX_SR_GLOBALTIMER] = { VGPU_SR_GLOBALTIMER, 0, 1 },
	[PTX_SR_GLOBALTIMER_LO] = { VGPU_SR_GLOBALTIMER, 0, 3 },
	[PTX_SR_GLOBALTIMER_HI] = { VGPU_SR_GLOBALTIMER, 0, 2 },
};

/* Half of the address of the workspace, a parameter that the launch puts behind the others. */
static void workspace_half(struct cc_lower *l, uint32_t dst, bool upper)
{
	l->cc->uses_workspace = true;
	cc_op(l, VGPU_OP_LDP, 2, dst, CC_NONE, CC_NONE, CC_NONE)->imm =
		l->cc->workspace_offset + 4 * upper;
}

static void mov_special(struct cc_lower *l, uint32_t dst, uint32_t number, bool wide)
{
	unsigned int which = number & 255, component = number >> 8;
	uint32_t r = wide ? cc_temp(l, CC_R) : dst, q;

	if (which == PTX_SR_ZERO || component == 3) {	/* %tid.w is 0, %ntid.w is 1 */
		cc_move(l, dst,
			(struct cc_value){ .reg = CC_NONE,
					   .imm = component == 3 && (which == PTX_SR_NTID ||
								     which == PTX_SR_NCTAID) });
		return;
	}
	if (which == PTX_SR_DEPTH) {
		l->cc->uses_depth = true;
		cc_op(l, VGPU_OP_LDP, 2, r, CC_NONE, CC_NONE, CC_NONE)->imm =
			l->cc->workspace_offset + 8;
	} else if (which == PTX_SR_WORKSPACE_HI || which == PTX_SR_WORKSPACE_LO) {
		workspace_half(l, r, which == PTX_SR_WORKSPACE_HI);
	} else if (special[which].wide) {
		q = special[which].wide == 1 && wide ? dst : cc_temp(l, CC_Q);
		cc_op(l, VGPU_OP_SREGQ, 0, q, CC_NONE, CC_NONE, CC_NONE)->imm = special[which].sreg;
		if (special[which].wide == 1 && wide)
			return;
		cc_op(l, special[which].wide == 2 ? VGPU_OP_UNHI : VGPU_OP_UNLO, 0, r, q, CC_NONE,
		      CC_NONE);
	} else if (which == PTX_SR_TOTALSHARED) {
		q = cc_temp(l, CC_R);
		cc_op(l, VGPU_OP_SREG, 0, q, CC_NONE, CC_NONE, CC_NONE)->imm = VGPU_SR_DYNSHARED;
		cc_opi(l, VGPU_OP_ADD, 0, r, q, l->cc->shared_bytes, CC_NONE);
	} else {
		cc_op(l, VGPU_OP_SREG, 0, r, CC_NONE, CC_NONE, CC_NONE)->imm =
			special[which].sreg + component;
	}
	if (wide)
		cc_op(l, VGPU_OP_ZXQ, 0, dst, r, CC_NONE, CC_NONE);
}

/* The type of one part when a value of @type is taken apart into, or made of, @count parts. */
static enum ptx_type part_type(struct cc_lower *l, enum ptx_type type, unsigned int count)
{
	unsigned int bytes = ptx_type_bytes(type) / count;

	if (count * bytes != ptx_type_bytes(type) || (bytes != 1 && bytes != 2 && bytes != 4))
		cc_refuse(l, "%u parts do not make a .%s", count, ptx_mod_name(type));
	return bytes == 1 ? PTX_B8 : bytes == 2 ? PTX_B16 : PTX_B32;
}

/* Takes the word apart into `count` parts of 8 or 16 bits. */
static void unpack_word(struct cc_lower *l, const struct ptx_operand *parts, unsigned int count,
			unsigned int bits, uint32_t word)
{
	enum ptx_type type = bits == 8 ? PTX_B8 : PTX_B16;
	uint32_t source = cc_temp(l, CC_R);

	cc_op(l, VGPU_OP_MOV, 0, source, CC_NONE, word, CC_NONE);
	for (unsigned int i = 0; i < count; i++) {
		uint32_t dst = cc_dst_element(l, &parts[i], type, bits == 8);

		if (l->cc->vregs[dst] != CC_R)
			cc_refuse(l, "a part of a word cannot go to a 64-bit register");
		cc_opi(l, VGPU_OP_SHRU, 0, dst, source, i * bits, CC_NONE);
	}
}

/*
 * A word of 2 or 4 parts of 8 or 16 bits, the first one lowest. PRMT picks bytes, so upper bits do
 * not matter.
 */
static uint32_t pack_word(struct cc_lower *l, const struct ptx_operand *parts, unsigned int count,
			  unsigned int bits)
{
	uint32_t regs[4], low, high, word;

	for (unsigned int i = 0; i < count; i++)
		regs[i] = cc_in_reg(
			l, cc_src_element(l, &parts[i], bits == 8 ? PTX_B8 : PTX_B16, true), CC_R);
	word = cc_temp(l, CC_R);
	if (count == 2) {
		cc_opi(l, VGPU_OP_PRMT, 0, word, regs[0], bits == 8 ? 0x0040 : 0x5410, regs[1]);
		return word;
	}
	low = cc_temp(l, CC_R);
	high = cc_temp(l, CC_R);
	cc_opi(l, VGPU_OP_PRMT, 0, low, regs[0], 0x0040, regs[1]);
	cc_opi(l, VGPU_OP_PRMT, 0, high, regs[2], 0x0040, regs[3]);
	cc_opi(l, VGPU_OP_PRMT, 0, word, low, 0x5410, high);
	return word;
}

/*
 * mov {a, b}, x. The source is copied first: a destination may be the source, and it is read again
 * for the second part.
 */
static void mov_unpack(struct cc_lower *l, enum ptx_type type)
{
	const struct ptx_operand *v = cc_operand(l, 0);
	enum ptx_type part = part_type(l, type, v->count);
	uint32_t source = cc_src_reg(l, 1, type), copy, low, high;

	if (ptx_type_bytes(type) <= 4) {
		unpack_word(l, v->elements, v->count, 8 * ptx_type_bytes(part), source);
		return;
	}
	copy = cc_temp(l, CC_Q);
	cc_op(l, VGPU_OP_MOVQ, 0, copy, CC_NONE, source, CC_NONE);
	if (part == PTX_B32) {
		cc_op(l, VGPU_OP_UNLO, 0, cc_dst_element(l, &v->elements[0], part, false), copy,
		      CC_NONE, CC_NONE);
		cc_op(l, VGPU_OP_UNHI, 0, cc_dst_element(l, &v->elements[1], part, false), copy,
		      CC_NONE, CC_NONE);
		return;
	}
	low = cc_temp(l, CC_R);
	high = cc_temp(l, CC_R);
	cc_op(l, VGPU_OP_UNLO, 0, low, copy, CC_NONE, CC_NONE);
	cc_op(l, VGPU_OP_UNHI, 0, high, copy, CC_NONE, CC_NONE);
	unpack_word(l, v->elements, v->count / 2u, 8 * ptx_type_bytes(part), low);
	unpack_word(l, v->elements + v->count / 2, v->count / 2u, 8 * ptx_type_bytes(part), high);
}

static void mov_pack(struct cc_lower *l, enum ptx_type type)
{
	const struct ptx_operand *v = cc_operand(l, 1);
	enum ptx_type part = part_type(l, type, v->count);
	uint32_t dst = cc_dst(l, 0, type), word;

	if (ptx_type_bytes(type) <= 4) {
		word = pack_word(l, v->elements, v->count, 8 * ptx_type_bytes(part));
		cc_op(l, VGPU_OP_MOV, 0, dst, CC_NONE, word, CC_NONE);
	} else if (part == PTX_B32) {
		struct cc_value low = cc_src_element(l, &v->elements[0], part, false);

		cc_opv(l, VGPU_OP_PACK, 0, dst, low,
		       cc_src_element(l, &v->elements[1], part, false), CC_NONE);
	} else {
		unsigned int bits = 8 * ptx_type_bytes(part), half = v->count / 2u;
		uint32_t low = pack_word(l, v->elements, half, bits);
		uint32_t high = pack_word(l, v->elements + half, half, bits);

		cc_op(l, VGPU_OP_PACK, 0, dst, low, high, CC_NONE);
	}
}

void cc_lower_mov(struct cc_lower *l)
{
	enum ptx_type type = cc_type(l, 0);
	const struct ptx_operand *src = cc_operand(l, 1);
	uint32_t dst;

	if (type == PTX_PRED) {
		dst = cc_dst_pred(l, cc_operand(l, 0));
		cc_set_pred(l, dst, cc_src_pred(l, 1));
		return;
	}
	if (ptx_type_bytes(type) < 2)
		cc_refuse(l, "type .%s is not supported here", ptx_mod_name(type));
	if (cc_operand(l, 0)->kind == PTX_OPND_VEC) {
		mov_unpack(l, type);
		return;
	}
	if (src->kind == PTX_OPND_VEC) {
		mov_pack(l, type);
		return;
	}
	dst = cc_dst(l, 0, type);
	if (src->kind == PTX_OPND_SREG)
		mov_special(l, dst, src->reg, ptx_type_bytes(type) == 8);
	else
		cc_move(l, dst, cc_src(l, 1, type));
}

// SPDX-License-Identifier: MIT
/*
 * Lowering of atomics. The device has them for words of 32 and 64 bits. Those on halves, pairs of
 * halves and 16 bits become a loop that compares and exchanges the word that the half is in: a
 * lane goes around until the word is what it has computed from. Lanes that want the same word
 * succeed one by one, the lowest first, as they do in one instruction of the device.
 */
#include "lower.h"

static unsigned int atom_op(struct cc_lower *l, enum ptx_space space, bool wide)
{
	switch (space) {
	case PTX_GENERIC:
		return wide ? VGPU_OP_ATOMQ : VGPU_OP_ATOM;
	case PTX_GLOBAL:
		return wide ? VGPU_OP_ATOMGQ : VGPU_OP_ATOMG;
	case PTX_SHARED:
		return wide ? VGPU_OP_ATOMSQ : VGPU_OP_ATOMS;
	default:
		cc_refuse(l, "atomics work on global and shared memory");
	}
}

/* The instruction without its operands b and c. */
struct cc_insn *cc_atom_insn(struct cc_lower *l, const struct cc_address *address, bool wide,
			     unsigned int flags, uint32_t dst)
{
	struct cc_insn *insn;

	if (address->base == CC_NONE)
		flags |= VGPU_F_ATOM_ABS;
	cc_check_offset(l, address);
	insn = cc_op(l, atom_op(l, address->space, wide), flags, dst, address->base, CC_NONE,
		     CC_NONE);
	insn->mem = l->mem;
	insn->imm = address->offset;
	insn->reloc = address->reloc;
	return insn;
}

void cc_atom_add64(struct cc_lower *l, const struct cc_address *address, uint32_t value,
		   uint32_t dst)
{
	unsigned int flags = VGPU_ATOM_ADD | (dst == CC_NONE ? VGPU_F_ATOM_NORET : 0);

	cc_atom_insn(l, address, true, flags, dst)->b = value;
}

/* ---- halves ------------------------------------------------------------- */

struct half_place {
	struct cc_address word; /* that the half is in */
	uint32_t shift; /* of the half in it, in bits; CC_NONE: the two are the word */
};

/* An odd address stays odd, so that it is a fault of the access as any other. */
static struct half_place half_place(struct cc_lower *l, const struct cc_address *address, bool pair)
{
	struct half_place place = {.word = *address, .shift = CC_NONE};
	bool narrow = address->space == PTX_SHARED;
	enum cc_class class = narrow ? CC_R : CC_Q;
	uint32_t at, low, bit;

	if (pair)
		return place;
	at = cc_in_reg(
		l,
		(struct cc_value){.reg = CC_NONE, .imm = address->offset, .reloc = address->reloc},
		class);
	if (address->base != CC_NONE) {
		at = cc_temp(l, class);
		cc_opi(l, narrow ? VGPU_OP_ADD : VGPU_OP_ADDQ, 0, at, address->base,
		       address->offset, CC_NONE);
	}
	place.word = (struct cc_address){.space = address->space, .base = cc_temp(l, class)};
	cc_opi(l, narrow ? VGPU_OP_AND : VGPU_OP_ANDQ, 0, place.word.base, at, ~2ull, CC_NONE);
	low = at;
	if (!narrow) {
		low = cc_temp(l, CC_R);
		cc_op(l, VGPU_OP_UNLO, 0, low, at, CC_NONE, CC_NONE);
	}
	bit = cc_temp(l, CC_R);
	place.shift = cc_temp(l, CC_R);
	cc_opi(l, VGPU_OP_AND, 0, bit, low, 2, CC_NONE);
	cc_opi(l, VGPU_OP_SHL, 0, place.shift, bit, 3, CC_NONE);
	return place;
}

/* The half in a word, with other bits above it. */
static uint32_t half_of(struct cc_lower *l, const struct half_place *place, uint32_t word)
{
	uint32_t half;

	if (place->shift == CC_NONE)
		return word;
	half = cc_temp(l, CC_R);
	cc_op(l, VGPU_OP_SHRU, 0, half, word, place->shift, CC_NONE);
	return half;
}

/* The word with another half. */
static uint32_t word_with(struct cc_lower *l, const struct half_place *place, uint32_t word,
			  uint32_t half)
{
	uint32_t field, out;

	if (place->shift == CC_NONE)
		return half;
	field = cc_temp(l, CC_R);
	out = cc_temp(l, CC_R);
	cc_opi(l, VGPU_OP_OR, 0, field, place->shift, 16 << 8, CC_NONE); /* 16 bits there */
	cc_op(l, VGPU_OP_BFI, 0, out, half, word, field);
	return out;
}

static uint32_t low_half(struct cc_lower *l, uint32_t value)
{
	uint32_t out = cc_temp(l, CC_R);

	cc_op(l, VGPU_OP_ZX16, 0, out, value, CC_NONE, CC_NONE);
	return out;
}

/*
 * The loop. It begins with a guess of the word, which the first exchange corrects; that of .cas is
 * one with the half that is compared with, since another one must not be exchanged.
 */
static void half_loop(struct cc_lower *l, enum ptx_type type, unsigned int first, uint32_t dst)
{
	bool cas = type == PTX_B16;
	struct cc_address address = cc_address_operand(l, cc_operand(l, first), cc_space_of(l));
	struct half_place place = half_place(l, &address, ptx_type_bytes(type) == 4);
	uint32_t b = cc_src_reg(l, first + 1, type), loop = l->cc->label_count++, old, found, again,
		 same, next = cas ? cc_src_reg(l, first + 2, type) : CC_NONE;
	struct cc_insn *insn;

	old = cc_named(l, CC_R);
	if (cas) {
		b = low_half(l, b);
		cc_op(l, VGPU_OP_SHL, 0, old, b, place.shift, CC_NONE);
	} else {
		cc_opi(l, VGPU_OP_MOV, 0, old, CC_NONE, 0, CC_NONE);
	}
	cc_acquire_release(l, true);
	cc_place(l, loop);
	if (!cas)
		next = cc_half_sum(l, half_of(l, &place, old), b, type);
	next = word_with(l, &place, old, next);
	found = cc_temp(l, CC_R);
	again = cc_temp(l, CC_P);
	insn = cc_atom_insn(l, &place.word, false, VGPU_ATOM_CAS, found);
	insn->b = old;
	insn->c = next;
	cc_op(l, VGPU_OP_SETPU, VGPU_CMP_NE, again, found, old, CC_NONE);
	cc_op(l, VGPU_OP_MOV, 0, old, CC_NONE, found, CC_NONE);
	if (cas) {
		uint32_t both = cc_temp(l, CC_P);

		same = cc_temp(l, CC_P);
		cc_op(l, VGPU_OP_SETPU, VGPU_CMP_EQ, same, low_half(l, half_of(l, &place, found)),
		      b, CC_NONE);
		cc_op(l, VGPU_OP_PAND, 0, both, same, again, CC_NONE);
		again = both;
	}
	l->guard = again;
	cc_jump(l, loop);
	l->guard = CC_PT;
	cc_acquire_release(l, false);
	if (dst != CC_NONE)
		cc_op(l, VGPU_OP_MOV, 0, dst, CC_NONE, half_of(l, &place, old), CC_NONE);
}

static void atom_half(struct cc_lower *l, enum ptx_type type, unsigned int first, uint32_t dst)
{
	bool cas = type == PTX_B16;
	uint32_t skip = CC_NONE;

	if (cas ? !ptx_has(l->in, PTX_M_CAS) || !first
		: !ptx_has(l->in, PTX_M_ADD) || !ptx_has(l->in, PTX_M_NOFTZ))
		cc_refuse(l, "of halves there are atom.add.noftz and atom.cas.b16");
	if (l->in->count != 2 + first + cas)
		cc_refuse(l, "wrong number of operands");
	if (l->guard != CC_PT) {
		skip = l->cc->label_count++;
		l->guard_not = !l->guard_not;
		cc_jump(l, skip);
		l->guard = CC_PT;
		l->guard_not = false;
	}
	half_loop(l, type, first, dst);
	if (skip != CC_NONE)
		cc_place(l, skip);
}

/* ---- words -------------------------------------------------------------- */

static unsigned int atom_flags(struct cc_lower *l, enum ptx_type type)
{
	static const struct {
		uint8_t mod, operation;
	} table[] = {
		{PTX_M_ADD, VGPU_ATOM_ADD},   {PTX_M_MIN, VGPU_ATOM_MIN},
		{PTX_M_MAX, VGPU_ATOM_MAX},   {PTX_M_AND, VGPU_ATOM_AND},
		{PTX_M_OR, VGPU_ATOM_OR},     {PTX_M_XOR, VGPU_ATOM_XOR},
		{PTX_M_EXCH, VGPU_ATOM_EXCH}, {PTX_M_CAS, VGPU_ATOM_CAS},
		{PTX_M_INC, VGPU_ATOM_INC},   {PTX_M_DEC, VGPU_ATOM_DEC},
	};
	unsigned int mod = ptx_mod_of(l->in, PTX_K_ATOM), flags = VGPU_ATOM_COUNT;
	bool is_float = ptx_type_letter(type) == 'f';

	if (type == PTX_PRED || ptx_has(l->in, PTX_M_NOFTZ) || ptx_type_bytes(type) < 4)
		cc_refuse(l, "type .%s is not supported here", ptx_mod_name(type));
	for (unsigned int i = 0; i < sizeof(table) / sizeof(*table); i++)
		if (table[i].mod == mod)
			flags = table[i].operation;
	if (flags == VGPU_ATOM_COUNT)
		cc_refuse(l, "an operation (.add, .cas and so on) is missing");
	if ((flags == VGPU_ATOM_INC || flags == VGPU_ATOM_DEC) && type != PTX_U32)
		cc_refuse(l, ".inc and .dec are for .u32");
	if (is_float && flags == VGPU_ATOM_ADD)
		flags |= VGPU_F_ATOM_FLOAT;
	else if (is_float && flags != VGPU_ATOM_EXCH)
		cc_refuse(l, "floats can only be added");
	if (cc_signed(type) && (flags == VGPU_ATOM_MIN || flags == VGPU_ATOM_MAX))
		flags |= VGPU_F_ATOM_SIGNED;
	return flags;
}

void cc_lower_atom(struct cc_lower *l)
{
	enum ptx_type type = cc_type(l, 0);
	unsigned int first = l->in->op == PTX_I_ATOM, flags;
	bool half = cc_is_half(type) || type == PTX_B16, cas;
	uint32_t dst, b, c = CC_NONE;
	struct cc_address address;
	struct cc_insn *insn;

	flags = half ? 0 : atom_flags(l, type);
	cas = VGPU_F_ATOM(flags) == VGPU_ATOM_CAS;
	dst = first ? cc_dst(l, 0, type) : CC_NONE;
	l->mem = cc_atom_bits(l);
	if (half) {
		atom_half(l, type, first, dst);
		return;
	}
	if (l->in->count != 2 + first + cas || (cas && !first))
		cc_refuse(l, "wrong number of operands");
	address = cc_address_operand(l, cc_operand(l, first), cc_space_of(l));
	b = cc_src_reg(l, first + 1, type);
	if (cas)
		c = cc_src_reg(l, first + 2, type);
	if (!first)
		flags |= VGPU_F_ATOM_NORET;
	cc_acquire_release(l, true);
	insn = cc_atom_insn(l, &address, ptx_type_bytes(type) == 8, flags, dst);
	insn->b = b;
	insn->c = c;
	cc_acquire_release(l, false);
}

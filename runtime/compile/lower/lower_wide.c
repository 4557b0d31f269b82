// SPDX-License-Identifier: MIT
/*
 * What is wider than the device's own accesses and registers: a .b128 register is two 64-bit ones
 * beside each other, the lower half first, and an access of 32 bytes is two of 16.
 */
#include "lower.h"

/* ---- accesses of 32 bytes ----------------------------------------------- */

/*
 * The address in a register of its own, since a load may write the one that it has it from. One
 * that is no multiple of 32 becomes odd, so that it is a fault of the access as any other.
 */
static struct cc_address address_of_32(struct cc_lower *l, const struct cc_address *address)
{
	struct cc_value offset = { .reg = CC_NONE, .imm = address->offset,
				   .reloc = address->reloc };
	uint32_t at = cc_in_reg(l, offset, CC_Q);
	uint32_t low = cc_temp(l, CC_R), odd = cc_temp(l, CC_R), wide = cc_temp(l, CC_Q);
	uint32_t out = cc_temp(l, CC_Q), sum;

	if (address->base != CC_NONE) {
		sum = cc_temp(l, CC_Q);
		cc_opi(l, VGPU_OP_ADDQ, 0, sum, address->base, address->offset, CC_NONE);
		at = sum;
	}
	cc_op(l, VGPU_OP_UNLO, 0, low, at, CC_NONE, CC_NONE);
	cc_opi(l, VGPU_OP_BFEU, 0, odd, low, 4, cc_const(l, CC_R, 1));
	cc_op(l, VGPU_OP_ZXQ, 0, wide, odd, CC_NONE, CC_NONE);
	cc_op(l, VGPU_OP_ORQ, 0, out, at, wide, CC_NONE);
	return (struct cc_address){ .space = address->space, .base = out,
				    .constant = address->constant };
}

void cc_access_32(struct cc_lower *l, const struct cc_address *address, bool store,
		  unsigned int bytes, const uint32_t *regs)
{
	unsigned int half = 16 / bytes;
	struct cc_address at;

	at = address_of_32(l, address);
	cc_access_memory(l, &at, store, bytes, false, half, regs);
	at.offset += 16;
	cc_access_memory(l, &at, store, bytes, false, half, regs + half);
}

/* ---- registers of 128 bits ---------------------------------------------- */

static uint32_t reg_128(struct cc_lower *l, const struct ptx_operand *o)
{
	if (o->kind != PTX_OPND_REG || o->negated || o->second != PTX_NONE ||
	    l->frame->func->regs[o->reg].type != PTX_B128)
		cc_refuse(l, "a .b128 register is wanted");
	return cc_reg(l, o->reg);
}

static void halves(struct cc_lower *l, const struct ptx_operand *o, uint32_t half[2])
{
	if (o->kind == PTX_OPND_SINK) {
		half[0] = cc_temp(l, CC_Q);
		half[1] = cc_temp(l, CC_Q);
		return;
	}
	half[0] = reg_128(l, o);
	half[1] = half[0] + 1;
}

static void mov_128(struct cc_lower *l)
{
	const struct ptx_operand *to = cc_operand(l, 0), *from = cc_operand(l, 1);
	uint32_t source[2], dst[2];
	struct cc_value parts[2];

	if ((to->kind == PTX_OPND_VEC && to->count != 2) ||
	    (from->kind == PTX_OPND_VEC && from->count != 2))
		cc_refuse(l, "two parts of 64 bits make a .b128");
	if (from->kind == PTX_OPND_VEC) {
		for (unsigned int i = 0; i < 2; i++)
			parts[i] = cc_src_element(l, &from->elements[i], PTX_B64, false);
	} else {
		source[0] = reg_128(l, from);
		for (unsigned int i = 0; i < 2; i++)
			parts[i] = (struct cc_value){ .reg = source[0] + i };
	}
	if (to->kind == PTX_OPND_VEC)
		for (unsigned int i = 0; i < 2; i++)
			dst[i] = cc_dst_element(l, &to->elements[i], PTX_B64, false);
	else
		halves(l, to, dst);
	for (unsigned int i = 0; i < 2; i++)
		cc_move(l, dst[i], parts[i]);
}

static void access_128(struct cc_lower *l, bool store)
{
	const struct ptx_operand *at = cc_operand(l, !store), *value = cc_operand(l, store);
	struct cc_address address;
	uint32_t half[2];

	if (ptx_mod_of(l->in, PTX_K_VEC) != PTX_M_NONE)
		cc_refuse(l, "an access of more than 16 bytes");
	l->mem = store ? cc_st_bits(l) : cc_ld_bits(l);
	if (store)
		reg_128(l, value);
	halves(l, value, half);
	if (at->kind == PTX_OPND_ADDR && at->var && at->var->space == PTX_PARAM)
		cc_refuse(l, "parameters are not accessed as .b128");
	if (store && cc_space_of(l) == PTX_CONST)
		cc_refuse(l, "constant memory cannot be written");
	address = cc_address_operand(l, at, cc_space_of(l));
	if (store)
		cc_acquire_release(l, true);
	cc_access_memory(l, &address, store, 8, false, 2, half);
	if (!store)
		cc_acquire_release(l, false);
}

static void atom_128(struct cc_lower *l)
{
	bool cas = ptx_has(l->in, PTX_M_CAS);
	uint32_t dst[2], b[2], c[2] = { CC_NONE, CC_NONE };
	struct cc_address address;
	struct cc_insn *insn;

	if (!cas && !ptx_has(l->in, PTX_M_EXCH))
		cc_refuse(l, "of .b128 there are atom.exch and atom.cas");
	if (l->in->count != 3u + cas)
		cc_refuse(l, "wrong number of operands");
	l->mem = cc_atom_bits(l);
	halves(l, cc_operand(l, 0), dst);
	address = cc_address_operand(l, cc_operand(l, 1), cc_space_of(l));
	b[0] = reg_128(l, cc_operand(l, 2));
	b[1] = b[0] + 1;
	if (cas) {
		c[0] = reg_128(l, cc_operand(l, 3));
		c[1] = c[0] + 1;
	}
	cc_acquire_release(l, true);
	cc_define_temp(l, dst[1]);
	insn = cc_atom_insn(l, &address, true, cas ? VGPU_ATOM_CAS128 : VGPU_ATOM_EXCH128, dst[0]);
	insn->b = b[0];
	insn->more[0] = b[1];
	insn->more[1] = c[0];
	insn->more[2] = c[1];
	insn->second = dst[1];
	cc_acquire_release(l, false);
}

void cc_lower_128(struct cc_lower *l)
{
	if (l->in->type_count != 1)
		cc_refuse(l, "type .b128 is not supported here");
	switch (l->in->op) {
	case PTX_I_MOV:
		mov_128(l);
		return;
	case PTX_I_LD:
	case PTX_I_ST:
		access_128(l, l->in->op == PTX_I_ST);
		return;
	case PTX_I_ATOM:
		atom_128(l);
		return;
	default:
		cc_refuse(l, "type .b128 is not supported here");
	}
}

// SPDX-License-Identifier: MIT
/*
 * State spaces of generic addresses. An address that surely comes from a shared, local or global
 * variable is accessed in its own space, which is cheaper; of a shared or local one the low 32 bits
 * are all it takes.
 *
 * What is an address stays one when an integer is added to it. A difference of two addresses is not
 * known to be either, nor is anything that was loaded.
 */
#include <string.h>

#include "cc.h"

enum space { TOP, INT, SHARED, LOCAL, GLOBAL, OTHER };

static enum space space_of_constant(uint64_t value, bool reloc)
{
	if (reloc)
		return GLOBAL;
	switch (value & VGPU_WINDOW_MASK) {
	case VGPU_SHARED_WINDOW:
		return SHARED;
	case VGPU_LOCAL_WINDOW:
		return LOCAL;
	default:
		return INT;
	}
}

static enum space space_of_sum(enum space a, enum space b)
{
	if (a == TOP || b == TOP)
		return a == TOP && b == TOP	? TOP :
		       a == OTHER || b == OTHER ? OTHER :
		       a == TOP			? b :
						  a;
	if (a == INT)
		return b;
	return b == INT ? a : OTHER;
}

static enum space space_join(enum space a, enum space b)
{
	return a == TOP ? b : b == TOP || a == b ? a : OTHER;
}

static enum space result_space(const struct cc_insn *insn, const uint8_t *space)
{
	bool imm = insn->flags & VGPU_F_IMM;
	enum space a = insn->a != CC_NONE ? space[insn->a & ~CC_NOT] : INT;
	enum space b = imm		  ? space_of_constant(insn->imm, insn->reloc) :
		       insn->b != CC_NONE ? space[insn->b] :
					    INT;

	switch (insn->op) {
	case VGPU_OP_MOVQ:
		return b;
	case VGPU_OP_ADDQ:
		/* cvta adds a window to what is no generic address before */
		return imm && (b == SHARED || b == LOCAL) ? b : space_of_sum(a, b);
	case VGPU_OP_ORQ:
	case VGPU_OP_ANDQ:
		return imm && b == INT ? a : OTHER;
	case VGPU_OP_SELQ:
		return imm ? space_join(a, b) : space_join(space[insn->a], space[insn->b]);
	case VGPU_OP_MADWS:
	case VGPU_OP_MADWU:
		return space[insn->c];
	case VGPU_OP_SXQ:
	case VGPU_OP_ZXQ:
	case VGPU_OP_MULWS:
	case VGPU_OP_MULWU:
		return INT;
	case VGPU_OP_SHLQ:
		return a == INT ? INT : a == TOP ? TOP : OTHER;
	default:
		return OTHER;
	}
}

static uint8_t *solve_spaces(struct cc *cc)
{
	uint8_t *space = ptx_alloc(cc->ctx, cc->vregs_count);
	bool changed = true;
	uint32_t *slots[5];

	/* rising only, and at most three times a register: few sweeps */
	for (unsigned int sweep = 0; changed && sweep < 32; sweep++) {
		changed = false;
		for (uint32_t o = 0; o < cc->order_count; o++) {
			const struct cc_block *block = &cc->blocks[cc->order[o]];

			for (uint32_t i = block->start; i < block->end; i++) {
				struct cc_insn *insn = &cc->insns[i];
				unsigned int count = cc_results(insn, slots);

				for (unsigned int s = 0; s < count; s++) {
					uint32_t reg = *slots[s];
					enum space now;

					if (CC_CLASS(cc->vregs[reg]) != CC_Q || space[reg] == OTHER)
						continue;
					now = space_join(space[reg], result_space(insn, space));
					changed |= now != space[reg];
					space[reg] = (uint8_t)now;
				}
			}
		}
	}
	if (changed) /* no fixed point: nothing is known */
		memset(space, OTHER, cc->vregs_count);
	return space;
}

static uint16_t op_in_space(uint16_t op, enum space space)
{
	switch (op) {
	case VGPU_OP_LD:
		return space == SHARED ? VGPU_OP_LDS : space == LOCAL ? VGPU_OP_LDL : VGPU_OP_LDG;
	case VGPU_OP_ST:
		return space == SHARED ? VGPU_OP_STS : space == LOCAL ? VGPU_OP_STL : VGPU_OP_STG;
	case VGPU_OP_ATOM:
		return space == SHARED ? VGPU_OP_ATOMS : space == LOCAL ? op : VGPU_OP_ATOMG;
	case VGPU_OP_ATOMQ:
		return space == SHARED ? VGPU_OP_ATOMSQ : space == LOCAL ? op : VGPU_OP_ATOMGQ;
	default:
		return op;
	}
}

bool cc_infer_spaces(struct cc *cc)
{
	uint8_t *space = NULL;
	bool changed = false;
	struct {
		struct cc_insn *insns;
		uint32_t insns_count, insns_room;
	} out = { 0 };

	for (uint32_t i = 0; i < cc->insns_count && !space; i++)
		if (op_in_space(cc->insns[i].op, GLOBAL) != cc->insns[i].op)
			space = solve_spaces(cc);
	if (!space)
		return false;
	for (uint32_t b = 0; b < cc->block_count; b++) {
		struct cc_block *block = &cc->blocks[b];
		uint32_t start = out.insns_count;

		for (uint32_t i = block->start; i < block->end; i++) {
			struct cc_insn insn = cc->insns[i], *low;
			enum space where = insn.a != CC_NONE ? space[insn.a & ~CC_NOT] : OTHER;
			uint16_t op = where == SHARED || where == LOCAL || where == GLOBAL
					      ? op_in_space(insn.op, where)
					      : insn.op;

			if (op != insn.op) {
				changed = true;
				insn.op = op;
				if (cc_addr_class(&insn) == CC_R) {
					low = PTX_PUSH(cc->ctx, &out, insns);
					memset(low, 0, sizeof(*low));
					cc_remove(low);
					low->op = VGPU_OP_UNLO;
					low->line = insn.line;
					low->a = insn.a;
					insn.a = low->dst = cc_vreg(cc, CC_R);
				}
			}
			*PTX_PUSH(cc->ctx, &out, insns) = insn;
		}
		block->start = start;
		block->end = out.insns_count;
	}
	cc->insns = out.insns;
	cc->insns_count = out.insns_count;
	cc->insns_room = out.insns_room;
	return changed;
}

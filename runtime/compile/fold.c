// SPDX-License-Identifier: MIT
/*
 * Folding: copies and constants go into the instructions that use them, address arithmetic into the
 * offset of loads and stores. Blocks are visited in reverse postorder, so that definitions come
 * before uses.
 */
#include "cc.h"

bool cc_fixed(const struct cc *cc, uint32_t reg)
{
	return reg != CC_NONE && ((reg & ~CC_NOT) == CC_PT || cc->defs[reg & ~CC_NOT].ssa);
}

/*
 * Whether the register still has at instruction `to` the value it had at `from` of the same block.
 */
bool cc_steady(const struct cc *cc, uint32_t reg, uint32_t from, uint32_t to)
{
	if (cc_fixed(cc, reg))
		return true;
	if (reg == CC_NONE || to < from || to - from > 64)
		return false;
	for (uint32_t i = from; i < to; i++) {
		uint32_t *slots[5];
		unsigned int count = cc_results(&cc->insns[i], slots);

		for (unsigned int s = 0; s < count; s++)
			if (*slots[s] == (reg & ~CC_NOT))
				return false;
	}
	return true;
}

const struct cc_insn *cc_def_of(const struct cc *cc, uint32_t reg)
{
	const struct cc_def *def;

	if (reg == CC_NONE || (reg & ~CC_NOT) == CC_PT)
		return NULL;
	def = &cc->defs[reg & ~CC_NOT];
	return def->ssa ? &cc->insns[def->insn] : NULL;
}

bool cc_constant(const struct cc *cc, uint32_t reg, uint64_t *value)
{
	const struct cc_insn *def = cc_def_of(cc, reg);

	if (!def || (def->op != VGPU_OP_MOV && def->op != VGPU_OP_MOVQ) ||
	    !(def->flags & VGPU_F_IMM) || def->reloc)
		return false;
	*value = def->imm;
	return true;
}

void cc_use(struct cc *cc, uint32_t *slot, uint32_t reg)
{
	if (*slot != CC_NONE)
		cc->defs[*slot & ~CC_NOT].uses--;
	if (reg != CC_NONE)
		cc->defs[reg & ~CC_NOT].uses++;
	*slot = reg;
}

/* What a copied register is a copy of. */
static uint32_t origin(const struct cc *cc, uint32_t reg)
{
	for (unsigned int steps = 0; steps < 16; steps++) {
		const struct cc_insn *def = cc_def_of(cc, reg);
		uint32_t source;

		if (!def)
			break;
		if (def->op == VGPU_OP_PMOV)
			source = def->a ^ (reg & CC_NOT);
		else if ((def->op == VGPU_OP_MOV || def->op == VGPU_OP_MOVQ) && def->b != CC_NONE)
			source = def->b;
		else
			break;
		if (!cc_fixed(cc, source))
			break;
		reg = source;
	}
	return reg;
}

static bool propagate_copies(struct cc *cc, struct cc_insn *insn)
{
	uint32_t *slots[12], reg;
	unsigned int count = cc_sources(insn, slots);
	bool changed = false;

	for (unsigned int s = 0; s < count; s++) {
		if (slots[s] == &insn->guard) {
			reg = origin(cc, insn->guard);
			if (reg == insn->guard)
				continue;
			insn->guard_not ^= (reg & CC_NOT) != 0;
			cc_use(cc, &insn->guard, reg & ~CC_NOT);
			changed = true;
			continue;
		}
		reg = origin(cc, *slots[s]);
		if (reg != *slots[s]) {
			cc_use(cc, slots[s], reg);
			changed = true;
		}
	}
	return changed;
}

/* A constant b becomes the immediate, a member mask of all lanes needs no register. */
static bool fold_immediate(struct cc *cc, struct cc_insn *insn)
{
	const struct cc_opinfo *info = &cc_opinfo[insn->op];
	bool full = false;
	uint64_t value;

	if (insn->members != CC_NONE && cc_constant(cc, insn->members, &value) &&
	    (uint32_t)value == UINT32_MAX) {
		cc_use(cc, &insn->members, CC_NONE);
		full = true;
	}
	if ((info->b != CC_K_RI && info->b != CC_K_QI) || insn->b == CC_NONE ||
	    !cc_constant(cc, insn->b, &value))
		return full;
	cc_use(cc, &insn->b, CC_NONE);
	insn->flags |= VGPU_F_IMM;
	insn->imm = info->b == CC_K_RI ? (insn->imm & ~0xffffffffull) | (uint32_t)value : value;
	return true;
}

/* ---- addresses ---------------------------------------------------------- */

static uint16_t op_in_space(uint16_t op, uint64_t window)
{
	switch (op) {
	case VGPU_OP_LD:
		return window == VGPU_SHARED_WINDOW ? VGPU_OP_LDS :
		       window == VGPU_LOCAL_WINDOW  ? VGPU_OP_LDL :
						      VGPU_OP_LDG;
	case VGPU_OP_ST:
		return window == VGPU_SHARED_WINDOW ? VGPU_OP_STS :
		       window == VGPU_LOCAL_WINDOW  ? VGPU_OP_STL :
						      VGPU_OP_STG;
	case VGPU_OP_ATOM:
		return window == VGPU_SHARED_WINDOW ? VGPU_OP_ATOMS : window ? op : VGPU_OP_ATOMG;
	case VGPU_OP_ATOMQ:
		return window == VGPU_SHARED_WINDOW ? VGPU_OP_ATOMSQ : window ? op : VGPU_OP_ATOMGQ;
	default:
		return op;
	}
}

static bool fold_address(struct cc *cc, struct cc_insn *insn, uint32_t block)
{
	const struct cc_opinfo *info = &cc_opinfo[insn->op];
	const struct cc_insn *def;
	bool narrow = cc_addr_class(insn) == CC_R;
	uint64_t window;

	if ((info->class != CC_C_MEM && info->class != CC_C_ATOM) || insn->a == CC_NONE)
		return false;
	def = cc_def_of(cc, insn->a);
	if (!def || !(def->flags & VGPU_F_IMM))
		return false;
	if (def->op == (narrow ? VGPU_OP_ADD : VGPU_OP_ADDQ) && !insn->reloc &&
	    (cc_fixed(cc, def->a) ||
	     (cc->defs[insn->a].block == block &&
	      cc_steady(cc, def->a, cc->defs[insn->a].insn, (uint32_t)(insn - cc->insns))))) {
		/*
		 * of a generic address the window is worth more in its place: space.c looks for it
		 * there
		 */
		if (!narrow && (def->imm & VGPU_WINDOW_MASK) &&
		    (def->imm & VGPU_WINDOW_MASK) != VGPU_WINDOW_MASK)
			return false;
		insn->imm += def->imm;
		if (narrow)	/* it wraps */
			insn->imm = (uint64_t)(int32_t)insn->imm;
		cc_use(cc, &insn->a, def->a);
		return true;
	}
	if (def->op != (narrow ? VGPU_OP_MOV : VGPU_OP_MOVQ))
		return false;
	insn->imm += def->imm;
	insn->reloc = def->reloc;
	cc_use(cc, &insn->a, CC_NONE);
	insn->flags |= info->class == CC_C_MEM ? VGPU_F_ABS : VGPU_F_ATOM_ABS;
	window = insn->reloc ? 0 : insn->imm & VGPU_WINDOW_MASK;
	if (window == 0 || window == VGPU_SHARED_WINDOW || window == VGPU_LOCAL_WINDOW)
		insn->op = op_in_space(insn->op, window);
	if (cc_addr_class(insn) == CC_R)
		insn->imm = (uint32_t)insn->imm;
	return true;
}

bool cc_fold(struct cc *cc)
{
	bool changed = false;

	cc_count_defs(cc);
	for (uint32_t o = 0; o < cc->order_count; o++) {
		uint32_t b = cc->order[o];

		for (uint32_t i = cc->blocks[b].start; i < cc->blocks[b].end; i++) {
			struct cc_insn *insn = &cc->insns[i];

			/* each round leaves less to do; the bound is for what nobody foresaw */
			for (unsigned int round = 0; round < 16; round++) {
				bool again = propagate_copies(cc, insn);

				again |= fold_immediate(cc, insn);
				again |= fold_address(cc, insn, b);
				again |= cc_simplify(cc, insn, b);
				if (!again)
					break;
				changed = true;
			}
		}
	}
	return changed;
}

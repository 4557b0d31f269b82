// SPDX-License-Identifier: MIT
/*
 * Dead code: an instruction without effect whose results nobody reads goes, and then what only it
 * needed. An atomic whose result nobody reads becomes a reduction.
 */
#include <string.h>

#include "cc.h"

static bool removable(const struct cc_insn *insn)
{
	if (insn->op == VGPU_OP_NOP)
		return false;
	if (cc_opinfo[insn->op].class == CC_C_MEM)	/* a load that is not volatile */
		return cc_opinfo[insn->op].dst == CC_K_V && !insn->keep;
	return cc_pure(insn) && insn->dst != CC_NONE;
}

static bool unread(const struct cc *cc, struct cc_insn *insn)
{
	uint32_t *slots[5];
	unsigned int count = cc_results(insn, slots);

	for (unsigned int s = 0; s < count; s++)
		if (cc->defs[*slots[s]].uses)
			return false;
	return count > 0;
}

bool cc_remove_dead(struct cc *cc)
{
	uint32_t *slots[12], *stack, *head, *next, depth = 0;
	bool changed = false;

	cc_count_defs(cc);
	/* instructions by the register they define: a chain for each register */
	head = ptx_alloc(cc->ctx, cc->vregs_count * sizeof(*head));
	next = ptx_alloc(cc->ctx, (cc->insns_count + 1) * sizeof(*next));
	stack = ptx_alloc(cc->ctx, (cc->insns_count + 1) * sizeof(*stack));
	memset(head, 0xff, cc->vregs_count * sizeof(*head));
	for (uint32_t i = 0; i < cc->insns_count; i++) {
		struct cc_insn *insn = &cc->insns[i];

		if (insn->dst != CC_NONE && cc_opinfo[insn->op].class != CC_C_ATOM) {
			next[i] = head[insn->dst];
			head[insn->dst] = i;
		}
		if (removable(insn) && unread(cc, insn))
			stack[depth++] = i;
		else if (cc_opinfo[insn->op].class == CC_C_ATOM &&
			 !(insn->flags & VGPU_F_ATOM_NORET) && !VGPU_F_ATOM_128(insn->flags) &&
			 VGPU_F_ATOM(insn->flags) != VGPU_ATOM_CAS &&
			 VGPU_F_ATOM(insn->flags) != VGPU_ATOM_EXCH && !cc->defs[insn->dst].uses) {
			insn->flags |= VGPU_F_ATOM_NORET;
			insn->dst = CC_NONE;
			changed = true;
		}
	}
	while (depth) {
		struct cc_insn *insn = &cc->insns[stack[--depth]];
		unsigned int count = cc_sources(insn, slots);
		uint32_t reads[12];

		if (insn->op == VGPU_OP_NOP)
			continue;
		for (unsigned int s = 0; s < count; s++)
			reads[s] = *slots[s] & ~CC_NOT;
		cc_remove(insn);
		changed = true;
		for (unsigned int s = 0; s < count; s++) {
			if (--cc->defs[reads[s]].uses)
				continue;
			for (uint32_t i = head[reads[s]]; i != CC_NONE; i = next[i])
				if (removable(&cc->insns[i]) && unread(cc, &cc->insns[i]))
					stack[depth++] = i;
		}
	}
	return changed;
}

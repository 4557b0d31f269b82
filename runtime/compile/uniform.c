// SPDX-License-Identifier: MIT
/*
 * Which branches can diverge. A value is uniform when all lanes of a warp that have it have the
 * same one: it is made of block numbers, parameters and constants, and not under a branch on
 * something else. A branch on uniform values sends all lanes the same way.
 */
#include <string.h>

#include "cc.h"

#define MAX_SWEEPS	64u

struct state {
	struct cc *cc;
	uint8_t *varies;	/* by register */
	/* by register: written in several places, or read in another block than written */
	uint8_t *crosses;
	uint32_t *seen, *stack;
};

/* Does the instruction give lanes different values although its operands are uniform? */
static bool lane_dependent(const struct cc_insn *insn)
{
	switch (cc_opinfo[insn->op].class) {
	case CC_C_SREG:
		switch (insn->imm) {
		case VGPU_SR_TID_X:
		case VGPU_SR_TID_Y:
		case VGPU_SR_TID_Z:
		case VGPU_SR_LANEID:
		case VGPU_SR_LANEMASK_EQ:
		case VGPU_SR_LANEMASK_LT:
		case VGPU_SR_LANEMASK_LE:
		case VGPU_SR_LANEMASK_GT:
		case VGPU_SR_LANEMASK_GE:
			return true;
		}
		return !cc_pure(insn);
	/* a generic address may be one of local memory, where every lane has its own */
	case CC_C_MEM:
		return insn->op != VGPU_OP_LDP && insn->op != VGPU_OP_LDG &&
		       insn->op != VGPU_OP_LDS;
	default:
		return !cc_pure(insn);
	}
}

/* Registers whose value can reach a use other than by way of one definition in the same block. */
static void mark_crossing(struct state *s)
{
	struct cc *cc = s->cc;
	uint32_t *slots[12];

	for (uint32_t v = 1; v < cc->vregs_count; v++) {
		s->crosses[v] = cc->defs[v].defs != 1;
		if (cc->defs[v].defs == 1 && !cc->defs[v].ssa)
			s->varies[v] = 1;	/* read where it may not have been written */
	}
	for (uint32_t b = 0; b < cc->block_count; b++) {
		for (uint32_t i = cc->blocks[b].start; i < cc->blocks[b].end; i++) {
			unsigned int count = cc_sources(&cc->insns[i], slots);

			for (unsigned int k = 0; k < count; k++)
				if (cc->defs[*slots[k] & ~CC_NOT].block != b)
					s->crosses[*slots[k] & ~CC_NOT] = 1;
		}
	}
	s->crosses[CC_PT] = 0;
}

static bool propagate_in_block(struct state *s, const struct cc_block *block)
{
	struct cc *cc = s->cc;
	uint32_t *slots[12];
	bool changed = false;

	for (uint32_t i = block->start; i < block->end; i++) {
		struct cc_insn *insn = &cc->insns[i];
		bool varies = lane_dependent(insn);
		unsigned int count = cc_sources(insn, slots);

		for (unsigned int k = 0; k < count; k++)
			varies |= s->varies[*slots[k] & ~CC_NOT];
		count = varies ? cc_results(insn, slots) : 0;
		for (unsigned int k = 0; k < count; k++) {
			changed |= !s->varies[*slots[k]];
			s->varies[*slots[k]] = 1;
		}
	}
	return changed;
}

/*
 * What is written between a divergent branch and its meeting point differs between lanes that went
 * different ways.
 */
static void propagate_in_region(struct state *s, uint32_t b)
{
	struct cc *cc = s->cc;
	const struct cc_block *branch = &cc->blocks[b];
	uint32_t depth = 0, tag = b + 1, *slots[5];

	if (branch->ipdom != CC_NONE)
		s->seen[branch->ipdom] = tag;
	for (unsigned int k = 0; k < 2; k++)
		if (s->seen[branch->succ[k]] != tag) {
			s->seen[branch->succ[k]] = tag;
			s->stack[depth++] = branch->succ[k];
		}
	while (depth) {
		const struct cc_block *block = &cc->blocks[s->stack[--depth]];

		for (uint32_t i = block->start; i < block->end; i++) {
			unsigned int count = cc_results(&cc->insns[i], slots);

			for (unsigned int k = 0; k < count; k++)
				s->varies[*slots[k]] |= s->crosses[*slots[k]];
		}
		for (unsigned int k = 0; k < 2; k++)
			if (block->succ[k] != CC_NONE && s->seen[block->succ[k]] != tag) {
				s->seen[block->succ[k]] = tag;
				s->stack[depth++] = block->succ[k];
			}
	}
}

void cc_find_divergence(struct cc *cc)
{
	size_t bytes = (cc->block_count + 1) * sizeof(uint32_t);
	struct state state = { .cc = cc }, *s = &state;
	uint64_t budget = 1u << 22;
	bool changed = true;

	s->varies = ptx_alloc(cc->ctx, cc->vregs_count);
	s->crosses = ptx_alloc(cc->ctx, cc->vregs_count);
	s->seen = ptx_alloc(cc->ctx, bytes);
	s->stack = ptx_alloc(cc->ctx, bytes);
	cc_count_defs(cc);
	mark_crossing(s);
	for (unsigned int sweep = 0; changed && sweep < MAX_SWEEPS && budget; sweep++) {
		changed = false;
		for (uint32_t o = 0; o < cc->order_count && budget; o++) {
			uint32_t b = cc->order[o];
			struct cc_block *block = &cc->blocks[b];
			const struct cc_insn *last =
				block->end > block->start ? &cc->insns[block->end - 1] : NULL;

			changed |= propagate_in_block(s, block);
			if (block->succ[1] == CC_NONE || block->divergent ||
			    !s->varies[last->guard])
				continue;
			block->divergent = true;
			changed = true;
			propagate_in_region(s, b);
			budget -= budget < cc->block_count ? budget : cc->block_count;
		}
	}
	if (!changed && budget)
		return;
	for (uint32_t b = 0; b < cc->block_count; b++) /* no fixed point: assume the worst */
		cc->blocks[b].divergent = cc->blocks[b].succ[1] != CC_NONE;
}

// SPDX-License-Identifier: MIT
/*
 * Emission: blocks in their order, virtual registers by their physical ones, branches by
 * instruction number and with the point where their paths meet.
 */
#include <string.h>

#include "cc.h"

struct place {
	uint32_t index;		/* of the block's first instruction */
	bool inverted;		/* its branch jumps to what was the fall-through */
	bool jump;		/* it ends with a jump to succ[0] (succ[1] when inverted) */
};

static bool emitted(const struct cc_insn *insn)
{
	return insn->op != VGPU_OP_NOP && insn->op != CC_LABEL;
}

/* Where every block comes to stand. */
static uint32_t place_blocks(const struct cc *cc, struct place *places)
{
	uint32_t index = 0;

	for (uint32_t b = 0; b < cc->block_count; b++) {
		const struct cc_block *block = &cc->blocks[b];
		struct place *place = &places[b];

		place->index = index;
		for (uint32_t i = block->start; i < block->end; i++)
			index += emitted(&cc->insns[i]);
		place->inverted = block->succ[1] == b + 1;
		place->jump =
			block->succ[0] != CC_NONE && block->succ[0] != b + 1 && !place->inverted;
		index += place->jump;
	}
	return index;
}

static uint8_t phys(const struct cc *cc, uint32_t reg)
{
	return reg == CC_NONE ?
		       0 :
		       (uint8_t)(cc->phys[reg & ~CC_NOT] | (reg & CC_NOT ? VGPU_P_NOT : 0));
}

/*
 * Memory order, scope and cache operator of an access in the state space that it turned out to be
 * in: a thread's own memory has no order, shared memory and parameters no cache operator.
 */
static uint8_t mem_bits(const struct cc_insn *insn)
{
	unsigned int order = VGPU_MEM_ORDER(insn->mem);

	switch (insn->op) {
	case VGPU_OP_LDP:
		return 0;
	case VGPU_OP_LDL:
	case VGPU_OP_STL:
		return order == VGPU_ORDER_WEAK ? insn->mem : 0;
	case VGPU_OP_LDS:
	case VGPU_OP_STS:
		return order == VGPU_ORDER_WEAK ? 0 : insn->mem;
	default:
		return insn->mem;
	}
}

static void encode_insn(const struct cc *cc, const struct cc_insn *insn, struct vgpu_insn *out)
{
	memset(out, 0, sizeof(*out));
	out->op = (uint8_t)insn->op;
	out->mem = mem_bits(insn);
	out->guard = (uint8_t)(cc->phys[insn->guard] | (insn->guard_not ? VGPU_P_NOT : 0));
	out->flags = insn->flags;
	out->dst = phys(cc, insn->dst);
	out->a = phys(cc, insn->a);
	out->b = phys(cc, insn->b);
	out->c = phys(cc, insn->c);
	out->imm = insn->imm;
	if (insn->op == VGPU_OP_SHFL || insn->op == VGPU_OP_SHFLSYNC)
		out->imm = (uint32_t)insn->imm |
			   (uint64_t)(insn->second == CC_NONE ? VGPU_PT : cc->phys[insn->second])
				   << 32;
	if (insn->op == VGPU_OP_SHFLSYNC)
		out->imm |= (uint64_t)(insn->members == CC_NONE ? VGPU_SHFL_FULL :
								  cc->phys[insn->members])
			    << 40;
}

static uint64_t branch_imm(const struct place *places, uint32_t target, uint32_t meet)
{
	return places[target].index |
	       (uint64_t)(meet == CC_NONE ? VGPU_NO_RECONV : places[meet].index) << 32;
}

void cc_emit(struct cc *cc, struct cc_code *code)
{
	struct place *places = ptx_alloc(cc->ctx, (cc->block_count + 1) * sizeof(*places));
	uint32_t at = 0;

	code->count = place_blocks(cc, places);
	code->insns = ptx_alloc(cc->ctx, code->count * sizeof(*code->insns));
	code->lines = ptx_alloc(cc->ctx, code->count * sizeof(*code->lines));
	code->relocs = ptx_alloc(cc->ctx, code->count);
	for (uint32_t b = 0; b < cc->block_count; b++) {
		const struct cc_block *block = &cc->blocks[b];
		uint32_t line = 0;

		for (uint32_t i = block->start; i < block->end; i++) {
			const struct cc_insn *insn = &cc->insns[i];
			struct vgpu_insn *out = &code->insns[at];

			line = insn->line ? insn->line : line;
			if (!emitted(insn))
				continue;
			encode_insn(cc, insn, out);
			if (insn->op == VGPU_OP_BRA) {
				uint32_t target =
					places[b].inverted ? block->succ[0] : block->succ[1];

				out->guard ^= places[b].inverted ? VGPU_P_NOT : 0;
				out->imm = branch_imm(places, target, block->ipdom);
			}
			code->lines[at] = insn->line;
			code->relocs[at++] = insn->reloc;
		}
		if (places[b].jump) {
			code->insns[at].op = VGPU_OP_BRA;
			code->insns[at].guard = VGPU_PT;
			code->insns[at].imm = branch_imm(places, block->succ[0], CC_NONE);
			code->lines[at++] = line;
		}
	}
}

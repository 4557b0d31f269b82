// SPDX-License-Identifier: MIT
/*
 * Narrowing: a 64-bit register of which nobody looks at the upper half becomes a 32-bit one, and
 * the arithmetic that makes it 32-bit arithmetic. PTX computes addresses of shared and local memory
 * with 64 bits; this takes that back.
 */
#include <string.h>

#include "cc.h"

/*
 * The instruction that gives the low half of what `op` gives from the low halves of its operands;
 * NOP: none.
 */
static unsigned int low_op(const struct cc_insn *insn)
{
	switch (insn->op) {
	case VGPU_OP_MOVQ:
		return insn->reloc ? VGPU_OP_NOP : VGPU_OP_MOV;
	case VGPU_OP_SELQ:
		return VGPU_OP_SEL;
	case VGPU_OP_ADDQ:
		return VGPU_OP_ADD;
	case VGPU_OP_SUBQ:
		return VGPU_OP_SUB;
	case VGPU_OP_MULQ:
	case VGPU_OP_MULWS:
	case VGPU_OP_MULWU:
		return VGPU_OP_MUL;
	case VGPU_OP_MADQ:
	case VGPU_OP_MADWS:
	case VGPU_OP_MADWU:
		return VGPU_OP_MAD;
	case VGPU_OP_ANDQ:
		return VGPU_OP_AND;
	case VGPU_OP_ORQ:
		return VGPU_OP_OR;
	case VGPU_OP_XORQ:
		return VGPU_OP_XOR;
	case VGPU_OP_NOTQ:
		return VGPU_OP_NOT;
	case VGPU_OP_NEGQ:
		return VGPU_OP_NEG;
	case VGPU_OP_SHLQ:
		return VGPU_OP_SHL;
	case VGPU_OP_SXQ:
	case VGPU_OP_ZXQ:
	case VGPU_OP_PACK:
		return VGPU_OP_MOV;
	case VGPU_OP_LD:
	case VGPU_OP_LDG:
	case VGPU_OP_LDS:
	case VGPU_OP_LDL:
	case VGPU_OP_LDP:
		return VGPU_F_COUNT(insn->flags) == 1 && !insn->keep ? insn->op : VGPU_OP_NOP;
	default:
		return VGPU_OP_NOP;
	}
}

static bool is_load(const struct cc_insn *insn)
{
	return cc_opinfo[insn->op].dst == CC_K_V;
}

/* Marks what needs all its 64 bits; everything else can be narrow. */
static uint8_t *mark_full(struct cc *cc)
{
	uint8_t *full = ptx_alloc(cc->ctx, cc->vregs_count);
	uint32_t *slots[12];
	bool changed = true;

	for (uint32_t i = 0; i < cc->insns_count; i++) {
		struct cc_insn *insn = &cc->insns[i];
		unsigned int count = cc_results(insn, slots);

		for (unsigned int s = 0; s < count; s++)
			if (low_op(insn) == VGPU_OP_NOP)
				full[*slots[s]] = 1;
	}
	while (changed) {
		changed = false;
		for (uint32_t i = cc->insns_count; i > 0; i--) {
			struct cc_insn *insn = &cc->insns[i - 1];
			unsigned int count = cc_sources(insn, slots);
			bool low = insn->op == VGPU_OP_UNLO || (low_op(insn) != VGPU_OP_NOP &&
								!is_load(insn) && !full[insn->dst]);

			for (unsigned int s = 0; s < count && !low; s++) {
				uint32_t reg = *slots[s] & ~CC_NOT;

				changed |= !full[reg];
				full[reg] = 1;
			}
		}
	}
	return full;
}

struct output {
	struct cc_insn *insns;
	uint32_t insns_count, insns_room;
};

/*
 * The low half of a source: itself if it became narrow, else taken out of it before the
 * instruction.
 */
static void low_source(struct cc *cc, struct output *out, const struct cc_insn *near,
		       uint32_t *slot, const uint8_t *full)
{
	struct cc_insn *low;

	if (*slot == CC_NONE || CC_CLASS(cc->vregs[*slot]) != CC_Q || !full[*slot])
		return;
	low = PTX_PUSH(cc->ctx, out, insns);
	memset(low, 0, sizeof(*low));
	cc_remove(low);
	low->op = VGPU_OP_UNLO;
	low->line = near->line;
	low->a = *slot;
	low->dst = cc_vreg(cc, CC_R);
	*slot = low->dst;
}

static void narrow_insn(struct cc *cc, struct output *out, struct cc_insn insn, const uint8_t *full)
{
	switch (insn.op) {
	case VGPU_OP_SXQ:
	case VGPU_OP_ZXQ:
	case VGPU_OP_PACK:
		insn.op = VGPU_OP_MOV;
		insn.b = insn.a;
		insn.a = CC_NONE;
		insn.flags = 0;
		insn.imm = 0;
		break;
	case VGPU_OP_LD:
	case VGPU_OP_LDG:
	case VGPU_OP_LDS:
	case VGPU_OP_LDL:
	case VGPU_OP_LDP:
		/* little-endian: the low half comes first */
		insn.flags = (uint8_t)((insn.flags & ~3u) | 2);
		break;
	default:
		insn.op = (uint16_t)low_op(&insn);
		low_source(cc, out, &insn, &insn.a, full);
		low_source(cc, out, &insn, &insn.b, full);
		if (cc_opinfo[insn.op].c != CC_K_P)
			low_source(cc, out, &insn, &insn.c, full);
		insn.imm = (uint32_t)insn.imm;
		break;
	}
	*PTX_PUSH(cc->ctx, out, insns) = insn;
}

bool cc_narrow(struct cc *cc)
{
	uint8_t *full = mark_full(cc);
	struct output out = { 0 };
	uint32_t known = cc->vregs_count, narrowed = 0;

	for (uint32_t i = 0; i < cc->insns_count; i++) {
		const struct cc_insn *insn = &cc->insns[i];

		if (insn->dst != CC_NONE && cc->vregs[insn->dst] == CC_Q && !full[insn->dst])
			narrowed++;
	}
	if (!narrowed)
		return false;
	for (uint32_t b = 0; b < cc->block_count; b++) {
		struct cc_block *block = &cc->blocks[b];
		uint32_t start = out.insns_count;

		for (uint32_t i = block->start; i < block->end; i++) {
			struct cc_insn insn = cc->insns[i];

			if (insn.dst != CC_NONE && cc->vregs[insn.dst] == CC_Q && !full[insn.dst]) {
				narrow_insn(cc, &out, insn, full);
				continue;
			}
			if (insn.op == VGPU_OP_UNLO && !full[insn.a]) {
				insn.op = VGPU_OP_MOV;
				insn.b = insn.a;
				insn.a = CC_NONE;
			}
			*PTX_PUSH(cc->ctx, &out, insns) = insn;
		}
		block->start = start;
		block->end = out.insns_count;
	}
	for (uint32_t v = 1; v < known; v++)
		if (cc->vregs[v] == CC_Q && !full[v])
			cc->vregs[v] = CC_R;
	cc->insns = out.insns;
	cc->insns_count = out.insns_count;
	cc->insns_room = out.insns_room;
	return true;
}

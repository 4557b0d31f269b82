// SPDX-License-Identifier: MIT
/*
 * Building blocks of the compiler's instructions: operand roles from the opcode list, walks over
 * sources and results.
 */
#include <string.h>

#include "cc.h"

const struct cc_opinfo cc_opinfo[CC_OPS] = {
#define CC_X(name, class, dst, a, b, c) \
	{ #name, CC_C_##class, CC_K_##dst, CC_K_##a, CC_K_##b, CC_K_##c },
	VGPU_ISA(CC_X)
#undef CC_X
	{ "LABEL", CC_C_NONE, CC_K_N, CC_K_N, CC_K_N, CC_K_N },
	{ "CALL", CC_C_NONE, CC_K_N, CC_K_N, CC_K_N, CC_K_N },
	{ "ENTER", CC_C_NONE, CC_K_Q, CC_K_N, CC_K_N, CC_K_N },
	{ "LEAVE", CC_C_NONE, CC_K_N, CC_K_Q, CC_K_N, CC_K_N },
	{ "INVOKE", CC_C_NONE, CC_K_N, CC_K_Q, CC_K_N, CC_K_N },
	{ "FRAME", CC_C_NONE, CC_K_R, CC_K_N, CC_K_N, CC_K_N },
};

/* Number 0 is CC_PT: cc_lower() makes it first. */
uint32_t cc_vreg(struct cc *cc, enum cc_class class)
{
	*PTX_PUSH(cc->ctx, cc, vregs) = (uint8_t)class;
	return cc->vregs_count - 1;
}

struct cc_insn *cc_append(struct cc *cc, unsigned int op, uint32_t line)
{
	struct cc_insn *insn;

	if (cc->insns_count >= CC_MAX_INSNS)
		ptx_fail(cc->ctx, line,
			 "kernel `%s' is too large: more than %zu instructions after inlining",
			 cc->kernel->name, CC_MAX_INSNS);
	insn = PTX_PUSH(cc->ctx, cc, insns);
	memset(insn, 0, sizeof(*insn));
	insn->op = (uint16_t)op;
	insn->line = line;
	insn->guard = CC_PT;
	insn->dst = insn->a = insn->b = insn->c = insn->second = insn->members = insn->target =
		CC_NONE;
	insn->more[0] = insn->more[1] = insn->more[2] = CC_NONE;
	return insn;
}

/* The *SYNC opcodes and BARWARP, which are neighbours in the opcode list. */
bool cc_waits(const struct cc_insn *insn)
{
	return insn->op >= VGPU_OP_SHFLSYNC && insn->op <= VGPU_OP_BARWARP;
}

/*
 * No effect but its results, the same wherever it stands, harmless in lanes whose guard is false.
 * Loads are not: another thread may store in between, and an address can fault.
 */
bool cc_pure(const struct cc_insn *insn)
{
	switch (cc_opinfo[insn->op].class) {
	case CC_C_NONE:
		switch (insn->op) {
		case CC_LABEL:
		case CC_CALL:
		case CC_ENTER:
		case CC_LEAVE:
		case CC_INVOKE:
		case CC_FRAME:
		case VGPU_OP_EXIT:
		case VGPU_OP_TRAP:
		case VGPU_OP_BALLOT:	/* these look at which lanes run them */
		case VGPU_OP_ACTIVE:
		case VGPU_OP_MATCH:
		case VGPU_OP_MATCHQ:
		case VGPU_OP_BALLOTSYNC:
		case VGPU_OP_BARWARP:
			return false;
		}
		return true;
	case CC_C_SREG:
		return insn->imm != VGPU_SR_CLOCK && insn->imm != VGPU_SR_CLOCK64 &&
		       insn->imm != VGPU_SR_GLOBALTIMER;
	case CC_C_LUT:
	case CC_C_FP:
	case CC_C_CV:
	case CC_C_CMP:
		return true;
	default:
		return false;
	}
}

/* Shared and local memory are addressed with 32 bits, everything else with 64. */
unsigned int cc_addr_class(const struct cc_insn *insn)
{
	switch (insn->op) {
	case VGPU_OP_LDS:
	case VGPU_OP_LDL:
	case VGPU_OP_STS:
	case VGPU_OP_STL:
	case VGPU_OP_ATOMS:
	case VGPU_OP_ATOMSQ:
		return CC_R;
	default:
		return CC_Q;
	}
}

unsigned int cc_source_vector(const struct cc_insn *insn)
{
	const struct cc_opinfo *info = &cc_opinfo[insn->op];

	if (info->class == CC_C_ATOM && VGPU_F_ATOM_128(insn->flags))
		return VGPU_F_ATOM(insn->flags) == VGPU_ATOM_CAS128 ? 4 : 2;
	return info->b == CC_K_W ? VGPU_F_COUNT(insn->flags) : 1;
}

unsigned int cc_sources(struct cc_insn *insn, uint32_t *slots[12])
{
	unsigned int count = 0;

	if (insn->guard != CC_PT)
		slots[count++] = &insn->guard;
	if (insn->a != CC_NONE)
		slots[count++] = &insn->a;
	if (insn->b != CC_NONE)
		slots[count++] = &insn->b;
	if (insn->c != CC_NONE)
		slots[count++] = &insn->c;
	if (insn->members != CC_NONE)
		slots[count++] = &insn->members;
	for (unsigned int i = 1; i < cc_source_vector(insn); i++)
		slots[count++] = &insn->more[i - 1];
	if (insn->op == CC_CALL)
		for (unsigned int i = 0; i < insn->passed->params_count; i++)
			slots[count++] = &insn->passed->params[i];
	return count;
}

unsigned int cc_results(struct cc_insn *insn, uint32_t *slots[5])
{
	unsigned int count = 0;

	if (insn->dst != CC_NONE)
		slots[count++] = &insn->dst;
	if (insn->second != CC_NONE)
		slots[count++] = &insn->second;
	if (cc_opinfo[insn->op].dst == CC_K_V)
		for (unsigned int i = 1; i < VGPU_F_COUNT(insn->flags); i++)
			slots[count++] = &insn->more[i - 1];
	if (insn->op == CC_CALL)
		for (unsigned int i = 0; i < insn->passed->results_count; i++)
			slots[count++] = &insn->passed->results[i];
	return count;
}

/* Positions of the others stay: definitions and live ranges are known by them. */
void cc_remove(struct cc_insn *insn)
{
	uint32_t line = insn->line;

	memset(insn, 0, sizeof(*insn));
	insn->op = VGPU_OP_NOP;
	insn->line = line;
	insn->guard = CC_PT;
	insn->dst = insn->a = insn->b = insn->c = insn->second = insn->members = insn->target =
		CC_NONE;
	insn->more[0] = insn->more[1] = insn->more[2] = CC_NONE;
}

void cc_compact(struct cc *cc)
{
	uint32_t to = 0;

	for (uint32_t b = 0; b < cc->block_count; b++) {
		struct cc_block *block = &cc->blocks[b];
		uint32_t start = to;

		for (uint32_t i = block->start; i < block->end; i++)
			if (cc->insns[i].op != VGPU_OP_NOP)
				cc->insns[to++] = cc->insns[i];
		block->start = start;
		block->end = to;
	}
	cc->insns_count = to;
}

/*
 * Definitions and uses of every virtual register, and which of them are in single-assignment form.
 */
void cc_count_defs(struct cc *cc)
{
	uint32_t *slots[12];

	if (cc->vregs_count > cc->defs_room) {
		cc->defs_room = cc->vregs_count + cc->vregs_count / 4;
		cc->defs = ptx_alloc(cc->ctx, cc->defs_room * sizeof(*cc->defs));
	} else {
		memset(cc->defs, 0, cc->vregs_count * sizeof(*cc->defs));
	}
	for (uint32_t b = 0; b < cc->block_count; b++) {
		for (uint32_t i = cc->blocks[b].start; i < cc->blocks[b].end; i++) {
			struct cc_insn *insn = &cc->insns[i];
			unsigned int count = cc_results(insn, slots);

			for (unsigned int s = 0; s < count; s++) {
				struct cc_def *def = &cc->defs[*slots[s]];

				if (def->defs < UINT16_MAX)
					def->defs++;
				def->insn = i;
				def->block = b;
				def->ssa = def->defs == 1 && insn->guard == CC_PT;
			}
		}
	}
	for (uint32_t b = 0; b < cc->block_count; b++) {
		for (uint32_t i = cc->blocks[b].start; i < cc->blocks[b].end; i++) {
			unsigned int count = cc_sources(&cc->insns[i], slots);

			for (unsigned int s = 0; s < count; s++) {
				struct cc_def *def = &cc->defs[*slots[s] & ~CC_NOT];

				def->uses++;
				if (def->ssa &&
				    (def->block == b ? def->insn >= i :
						       !cc_dominates(cc, def->block, b)))
					def->ssa = false;
			}
		}
	}
}

// SPDX-License-Identifier: MIT
/*
 * Which object the address of an access to global memory is derived from (VGPU_OBJECT_*): what a
 * parameter of the kernel points to, the variables of the program, or constant memory. From that
 * the device learns how far a thread block may get and still be run again from its start
 * (sim-device/sm/repeat.c).
 *
 * An address is that of an object and an offset in bytes, as in C: what is computed from an address
 * by adding a number that is no address stays in its object. A 64-bit parameter may be an address
 * or a number, so a sum of two of them is not known to be in either. Once multiplied or shifted it
 * is a number: no program gets an address of it back. What has been loaded, or put together from
 * halves, may be any address. Registers are looked at as a whole: whatever is moved to one,
 * anywhere, joins.
 */
#include <string.h>

#include "cc.h"

/* What is known of a 64-bit register. From FIRST on: in object value - FIRST. */
enum origin { NOTHING, NUMBER, ANYWHERE, FIRST };

static uint16_t in_object(unsigned int object)
{
	return (uint16_t)(FIRST + object);
}

static uint16_t join(uint16_t a, uint16_t b)
{
	return a == NOTHING ? b : b == NOTHING || a == b ? a : ANYWHERE;
}

static uint16_t sum(uint16_t a, uint16_t b)
{
	if (a == NOTHING || b == NOTHING)
		return NOTHING;
	return b == NUMBER ? a : a == NUMBER ? b : ANYWHERE;
}

/* Of a register of 64 bits that is loaded from @offset of the parameters. */
static uint16_t of_parameter(uint64_t offset)
{
	return offset % 8 || VGPU_OBJECT_PARAM(offset) > VGPU_OBJECT_PARAMS ?
		       ANYWHERE :
		       in_object(VGPU_OBJECT_PARAM(offset));
}

/* Of the result of @insn, of which @index is the place in a vector. */
static uint16_t origin_of(const struct cc_insn *insn, unsigned int index, const uint16_t *known)
{
	bool imm = insn->flags & VGPU_F_IMM;
	uint16_t a = insn->a != CC_NONE ? known[insn->a & ~CC_NOT] : (uint16_t)NUMBER;
	uint16_t b = imm ? (insn->reloc ? in_object(VGPU_OBJECT_VARIABLE) : (uint16_t)NUMBER) :
		     insn->b != CC_NONE ? known[insn->b & ~CC_NOT] :
					  (uint16_t)NUMBER;

	switch (insn->op) {
	case VGPU_OP_LDP:
		return VGPU_F_SIZE(insn->flags) == 8 ? of_parameter(insn->imm + index * 8) :
						       (uint16_t)ANYWHERE;
	case VGPU_OP_MOVQ:
		return b;
	case VGPU_OP_ADDQ:
		return sum(a, b);
	case VGPU_OP_SUBQ:
		/* an address less another one is a number, and less a number an address */
		return b == NOTHING || b == NUMBER ? sum(a, b) : (uint16_t)ANYWHERE;
	case VGPU_OP_MADWS:
	case VGPU_OP_MADWU:
	case VGPU_OP_MADQ:
		return known[insn->c];
	case VGPU_OP_ANDQ:
	case VGPU_OP_ORQ:
		return sum(a, b);
	case VGPU_OP_SELQ:
	case VGPU_OP_MINSQ:
	case VGPU_OP_MINUQ:
	case VGPU_OP_MAXSQ:
	case VGPU_OP_MAXUQ:
		return join(a, b);
	case VGPU_OP_SXQ:
	case VGPU_OP_ZXQ:
	case VGPU_OP_MULWS:
	case VGPU_OP_MULWU:
	case VGPU_OP_MULQ:
	case VGPU_OP_MULHSQ:
	case VGPU_OP_MULHUQ:
	case VGPU_OP_DIVSQ:
	case VGPU_OP_DIVUQ:
	case VGPU_OP_REMSQ:
	case VGPU_OP_REMUQ:
	case VGPU_OP_SHLQ:
	case VGPU_OP_SHRSQ:
	case VGPU_OP_SHRUQ:
	case VGPU_OP_F2L:
	case VGPU_OP_D2L:
	case VGPU_OP_SREGQ:
		return NUMBER;
	default:
		return ANYWHERE;
	}
}

/* What is known of every register; each rises twice at most. */
static uint16_t *solve(struct cc *cc)
{
	uint16_t *known = ptx_alloc(cc->ctx, cc->vregs_count * sizeof(*known));
	bool changed = true;
	uint32_t *slots[5];

	for (uint32_t v = 0; v < cc->vregs_count; v++)
		known[v] = CC_CLASS(cc->vregs[v]) == CC_Q ? NOTHING : NUMBER;
	while (changed) {
		changed = false;
		for (uint32_t i = 0; i < cc->insns_count; i++) {
			struct cc_insn *insn = &cc->insns[i];
			unsigned int count = cc_results(insn, slots);

			for (unsigned int s = 0; s < count; s++) {
				uint32_t reg = *slots[s];
				uint16_t now;

				if (CC_CLASS(cc->vregs[reg]) != CC_Q)
					continue;
				now = join(known[reg], origin_of(insn, s, known));
				changed |= now != known[reg];
				known[reg] = now;
			}
		}
	}
	return known;
}

static bool is_global(unsigned int op)
{
	return op == VGPU_OP_LD || op == VGPU_OP_LDG || op == VGPU_OP_ST || op == VGPU_OP_STG;
}

static unsigned int object_of(const struct cc_insn *insn, const uint16_t *known)
{
	uint16_t base = insn->a != CC_NONE ? known[insn->a] : (uint16_t)NUMBER;

	if (insn->constant)
		return VGPU_OBJECT_CONSTANT;
	if (insn->reloc)
		return base == NUMBER ? VGPU_OBJECT_VARIABLE : VGPU_OBJECT_ANY;
	return base >= FIRST ? (unsigned int)base - FIRST : VGPU_OBJECT_ANY;
}

void cc_find_objects(struct cc *cc)
{
	const uint16_t *known = solve(cc);

	for (uint32_t i = 0; i < cc->insns_count; i++)
		if (is_global(cc->insns[i].op))
			cc->insns[i].object = (uint8_t)object_of(&cc->insns[i], known);
}

void cc_count_objects(const struct vgpu_insn *code, uint32_t count, struct vgpu_program_kernel *out)
{
	for (uint32_t i = 0; i < count; i++) {
		const struct vgpu_insn *insn = &code[i];
		bool store = insn->op == VGPU_OP_ST || insn->op == VGPU_OP_STG;
		uint64_t *set = store ? out->writes : out->reads;

		if (is_global(insn->op) && insn->c != VGPU_OBJECT_CONSTANT &&
		    VGPU_MEM_ORDER(insn->mem) != VGPU_ORDER_NC)
			set[insn->c / 64] |= 1ull << insn->c % 64;
	}
}

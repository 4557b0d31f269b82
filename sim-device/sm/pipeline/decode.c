// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * What the pipeline must know of an instruction: operands, unit, how long it executes.
 */
#include "pipeline.h"

/* Where an instruction is executed, and what is special about it. Others: a math unit. */
#define LDST(op, more)	[VGPU_OP_##op] = { VGPU_UNIT_LDST, VGPU_DEC_MEMORY | (more) }
#define BRANCH(op, more) [VGPU_OP_##op] = { VGPU_UNIT_BRANCH, VGPU_DEC_CONTROL | (more) }
#define SPECIAL(op)	[VGPU_OP_##op] = { VGPU_UNIT_SPECIAL, 0 }
#define DIVIDE(op)	[VGPU_OP_##op] = { VGPU_UNIT_SPECIAL, VGPU_DEC_DIVIDE }
#define SHARED(op)	[VGPU_OP_##op] = { VGPU_UNIT_LDST, 0 }
static const struct where {
	u8 unit;
	u16 flags;
} where[VGPU_OP_COUNT] = {
	LDST(LD, VGPU_DEC_GLOBAL), LDST(LDG, VGPU_DEC_GLOBAL),
	LDST(LDS, 0), LDST(LDL, 0),
	LDST(ST, VGPU_DEC_GLOBAL | VGPU_DEC_WRITES), LDST(STG, VGPU_DEC_GLOBAL | VGPU_DEC_WRITES),
	LDST(STS, 0), LDST(STL, 0),
	LDST(ATOM, VGPU_DEC_GLOBAL | VGPU_DEC_WRITES),
	LDST(ATOMG, VGPU_DEC_GLOBAL | VGPU_DEC_WRITES),
	LDST(ATOMQ, VGPU_DEC_GLOBAL | VGPU_DEC_WRITES),
	LDST(ATOMGQ, VGPU_DEC_GLOBAL | VGPU_DEC_WRITES),
	LDST(ATOMS, 0), LDST(ATOMSQ, 0),
	SHARED(SHFL), SHARED(SHFLSYNC),
	DIVIDE(DIVS), DIVIDE(DIVU), DIVIDE(REMS), DIVIDE(REMU),
	DIVIDE(DIVSQ), DIVIDE(DIVUQ), DIVIDE(REMSQ), DIVIDE(REMUQ),
	DIVIDE(FDIV), DIVIDE(FSQRT), DIVIDE(DDIV), DIVIDE(DSQRT), DIVIDE(DRCP), DIVIDE(DRSQ),
	SPECIAL(FRCP), SPECIAL(FRSQ), SPECIAL(FSIN), SPECIAL(FCOS), SPECIAL(FEX2), SPECIAL(FLG2),
	SPECIAL(FTANH),
	BRANCH(BRA, 0),
	BRANCH(EXIT, VGPU_DEC_SERIAL), BRANCH(TRAP, VGPU_DEC_SERIAL),
	BRANCH(BAR, VGPU_DEC_SERIAL), BRANCH(BARRED, VGPU_DEC_SERIAL),
	BRANCH(MEMBAR, VGPU_DEC_SERIAL | VGPU_DEC_FENCE),
};

static u32 cycles_of(const struct vgpu_config *config, const struct vgpu_decoded *d, u32 op)
{
	switch (d->unit) {
	case VGPU_UNIT_LDST:
		return config->shared_cycles;
	case VGPU_UNIT_SPECIAL:
		return d->flags & VGPU_DEC_DIVIDE ? config->divide_cycles : config->special_cycles;
	case VGPU_UNIT_BRANCH:
		return config->branch_cycles;
	}
	if ((op >= VGPU_OP_ADDQ && op <= VGPU_OP_BFIQ) || (op >= VGPU_OP_F2I && op <= VGPU_OP_F2H))
		return config->wide_cycles;
	return config->math_cycles;
}

/* Orders that the pipeline has to keep; what else there is to them is the memory's. */
static void order(struct vgpu_decoded *d, const struct vgpu_insn *i)
{
	u32 how = VGPU_MEM_ORDER(i->mem);

	if (how == VGPU_ORDER_ACQUIRE || how == VGPU_ORDER_ACQ_REL)
		d->flags |= VGPU_DEC_ACQUIRES;
	if (how == VGPU_ORDER_RELEASE || how == VGPU_ORDER_ACQ_REL)
		d->flags |= VGPU_DEC_SERIAL;
}

void vgpu_pipe_decode(const struct vgpu_config *config, const struct vgpu_insn *i,
		      struct vgpu_decoded *d)
{
	const struct where *at = &where[i->op];

	vgpu_operands_find(i, &d->operands);
	d->unit = at->unit;
	d->flags = at->flags;
	if (d->flags & VGPU_DEC_GLOBAL)
		order(d, i);
	if (unlikely(config->sc_core) && d->flags & (VGPU_DEC_MEMORY | VGPU_DEC_FENCE))
		d->flags |= VGPU_DEC_ALONE;
	d->cycles = (u16)cycles_of(config, d, i->op);
}

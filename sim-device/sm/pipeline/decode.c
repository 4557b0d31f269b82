// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * What the pipeline must know of an instruction: operands, unit, how long it executes. The operand
 * kinds are those of the opcode list in vgpu_isa.h.
 */
#include "pipeline.h"

enum kind { N, R, Q, P, RI, QI, V, W, A };

static const struct shape {
	u8 dst, a, b, c;
} shapes[VGPU_OP_COUNT] = {
#define SHAPE(name, class, dst_, a_, b_, c_)	\
	[VGPU_OP_##name] = { .dst = dst_, .a = a_, .b = b_, .c = c_ },
	VGPU_ISA(SHAPE)
#undef SHAPE
};

/* Where an instruction is executed, and what is special about it. Others: a math unit. */
#define LDST(op, more)	[VGPU_OP_##op] = { VGPU_UNIT_LDST, VGPU_DEC_MEMORY | (more) }
#define BRANCH(op, more) [VGPU_OP_##op] = { VGPU_UNIT_BRANCH, VGPU_DEC_CONTROL | (more) }
#define SPECIAL(op)	[VGPU_OP_##op] = { VGPU_UNIT_SPECIAL, 0 }
#define DIVIDE(op)	[VGPU_OP_##op] = { VGPU_UNIT_SPECIAL, VGPU_DEC_DIVIDE }
#define SHARED(op)	[VGPU_OP_##op] = { VGPU_UNIT_LDST, 0 }
static const struct where {
	u8 unit;
	u8 flags;
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

static u32 width(u8 kind, u32 flags)
{
	switch (kind) {
	case Q:
	case QI:
		return 2;
	case V:
	case W:
		return VGPU_F_COUNT(flags) * (VGPU_F_SIZE(flags) == 8 ? 2 : 1);
	default:
		return 1;
	}
}

static bool address_is_wide(u32 op)
{
	return op != VGPU_OP_LDS && op != VGPU_OP_LDL && op != VGPU_OP_STS && op != VGPU_OP_STL &&
	       op != VGPU_OP_ATOMS && op != VGPU_OP_ATOMSQ;
}

static void read(struct vgpu_decoded *d, u32 first, u32 count)
{
	while (count--)
		d->reads[d->read_count++] = (u16)first++;
}

static void read_pred(struct vgpu_decoded *d, u32 operand)
{
	if ((operand & 63) != VGPU_PT)
		read(d, 256 + (operand & 63), 1);
}

static void source(struct vgpu_decoded *d, const struct vgpu_insn *i, u8 kind, u32 number)
{
	switch (kind) {
	case N:
		break;
	case P:
		read_pred(d, number);
		break;
	case RI:
	case QI:
		if (!(i->flags & VGPU_F_IMM))
			read(d, number, width(kind, i->flags));
		break;
	case A:
		/* VGPU_F_ABS and VGPU_F_ATOM_ABS are the same bit */
		if (!(i->flags & VGPU_F_ABS))
			read(d, number, address_is_wide(i->op) ? 2 : 1);
		break;
	default:
		read(d, number, width(kind, i->flags));
	}
}

static void write_pred(struct vgpu_decoded *d, u32 number)
{
	if (number != VGPU_PT)
		d->writes[d->write_count++] = (u16)(256 + number);
}

static bool is_atomic(u32 op)
{
	return op >= VGPU_OP_ATOM && op <= VGPU_OP_ATOMSQ;
}

static void result(struct vgpu_decoded *d, const struct vgpu_insn *i, u8 kind)
{
	u32 count = width(kind, i->flags);

	if (kind == N || (is_atomic(i->op) && i->flags & VGPU_F_ATOM_NORET))
		return;
	if (kind == P) {
		write_pred(d, i->dst);
		return;
	}
	for (u32 n = 0; n < count; n++)
		d->writes[d->write_count++] = (u16)(i->dst + n);
}

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
	const struct shape *shape = &shapes[i->op];
	const struct where *at = &where[i->op];

	d->read_count = 0;
	d->write_count = 0;
	d->unit = at->unit;
	d->flags = at->flags;
	read_pred(d, i->guard);
	source(d, i, shape->a, i->a);
	source(d, i, shape->b, i->b);
	source(d, i, shape->c, i->c);
	result(d, i, shape->dst);
	if (i->op == VGPU_OP_SHFL || i->op == VGPU_OP_SHFLSYNC)
		write_pred(d, VGPU_SHFL_PRED(i->imm));
	if (i->op == VGPU_OP_SHFLSYNC && VGPU_SHFL_MASK(i->imm) != VGPU_SHFL_FULL)
		read(d, VGPU_SHFL_MASK(i->imm), 1);
	if (d->flags & VGPU_DEC_GLOBAL)
		order(d, i);
	d->cycles = (u16)cycles_of(config, d, i->op);
}

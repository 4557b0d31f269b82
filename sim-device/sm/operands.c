// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Operands of an instruction, by the operand kinds of the opcode list in vgpu_isa.h. */
#include "operands.h"

enum kind { N, R, Q, P, RI, QI, V, W, A };

static const struct shape {
	u8 dst, a, b, c;
} shapes[VGPU_OP_COUNT] = {
#define SHAPE(name, class, dst_, a_, b_, c_)	\
	[VGPU_OP_##name] = { .dst = dst_, .a = a_, .b = b_, .c = c_ },
	VGPU_ISA(SHAPE)
#undef SHAPE
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

static bool is_wide(u8 kind, u32 flags)
{
	return kind == Q || kind == QI ||
	       ((kind == V || kind == W) && VGPU_F_SIZE(flags) == 8);
}

static void read(struct vgpu_operands *o, u32 first, u32 count, bool wide)
{
	for (; count--; first++) {
		o->wide_reads |= (u16)(wide << o->read_count);
		o->reads[o->read_count++] = (u16)first;
	}
}

static void read_pred(struct vgpu_operands *o, u32 operand)
{
	if ((operand & 63) != VGPU_PT)
		read(o, VGPU_OPERAND_PREDICATE + (operand & 63), 1, false);
}

static bool is_atomic(u32 op)
{
	return op >= VGPU_OP_ATOM && op <= VGPU_OP_ATOMSQ;
}

static bool is_atomic_128(const struct vgpu_insn *i)
{
	return is_atomic(i->op) && VGPU_F_ATOM_128(i->flags);
}

static void source(struct vgpu_operands *o, const struct vgpu_insn *i, u8 kind, u32 number)
{
	switch (kind) {
	case N:
		break;
	case P:
		read_pred(o, number);
		break;
	case RI:
	case QI:
		if (!(i->flags & VGPU_F_IMM))
			read(o, number, width(kind, i->flags), is_wide(kind, i->flags));
		break;
	case A:
		/* VGPU_F_ABS and VGPU_F_ATOM_ABS are the same bit */
		if (!(i->flags & VGPU_F_ABS))
			read(o, number, address_is_wide(i->op) ? 2 : 1, address_is_wide(i->op));
		break;
	default:
		read(o, number, width(kind, i->flags), is_wide(kind, i->flags));
	}
}

static void write_pred(struct vgpu_operands *o, u32 number)
{
	if (number != VGPU_PT)
		o->writes[o->write_count++] = (u16)(VGPU_OPERAND_PREDICATE + number);
}

static void result(struct vgpu_operands *o, const struct vgpu_insn *i, u8 kind)
{
	u32 count = is_atomic_128(i) ? 4 : width(kind, i->flags);

	if (kind == N || (is_atomic(i->op) && i->flags & VGPU_F_ATOM_NORET))
		return;
	if (kind == P) {
		write_pred(o, i->dst);
		return;
	}
	for (u32 n = 0; n < count; n++) {
		o->wide_writes |= (u16)(is_wide(kind, i->flags) << o->write_count);
		o->writes[o->write_count++] = (u16)(i->dst + n);
	}
}

void vgpu_operands_find(const struct vgpu_insn *i, struct vgpu_operands *o)
{
	const struct shape *shape = &shapes[i->op];

	o->read_count = 0;
	o->write_count = 0;
	o->wide_reads = 0;
	o->wide_writes = 0;
	read_pred(o, i->guard);
	source(o, i, shape->a, i->a);
	if (is_atomic_128(i)) {
		read(o, i->b, VGPU_F_ATOM(i->flags) == VGPU_ATOM_CAS128 ? 8 : 4, true);
	} else {
		source(o, i, shape->b, i->b);
		source(o, i, shape->c, i->c);
	}
	result(o, i, shape->dst);
	if (i->op == VGPU_OP_SHFL || i->op == VGPU_OP_SHFLSYNC)
		write_pred(o, VGPU_SHFL_PRED(i->imm));
	if (i->op == VGPU_OP_SHFLSYNC && VGPU_SHFL_MASK(i->imm) != VGPU_SHFL_FULL)
		read(o, VGPU_SHFL_MASK(i->imm), 1, false);
}

bool vgpu_reads_others(u32 op)
{
	return op == VGPU_OP_SHFL || op == VGPU_OP_SHFLSYNC || op == VGPU_OP_MATCH ||
	       op == VGPU_OP_MATCHQ || op == VGPU_OP_MATCHSYNC || op == VGPU_OP_MATCHSYNCQ;
}

/* SPDX-License-Identifier: MIT */
/* Operations that flush subnormal numbers, and numbers that are, or become, nearly subnormal. */
#ifndef SMALLEST_RIG_H
#define SMALLEST_RIG_H

#include "stride_rig.h"

/*
 * Registers 0 to 3 and 8: operands of results about 2^-126, the smallest float that is normal, in
 * few lanes or in all; 5 and 6: subnormal numbers.
 */
static void make_smallest(struct state *s)
{
	u32 few = below(2) ? 8 : 1;

	if (below(2))
		make_state(s);
	else
		make_strided_state(s);
	for (u32 l = 0; l < VGPU_LANES; l++) {
		float sign = below(2) ? 1 : -1, size = 1 + (float)below(8) * 0x1p-23f;
		double wide = sign * 0x1p-126 * (1 - below(16) * 0x1p-27);
		float r[4];

		/* a * b, a * b + c, b / a, 1 / d */
		size = below(2) ? size : 3 - size;
		r[0] = sign * size;
		r[1] = (float)(below(2) ? 0x1p-126 / size : 0x1p-126 * size);
		r[1] *= 1 + ((float)below(5) - 2) * 0x1p-23f;
		r[2] = below(3) ? 0 : sign * 0x1p-125f;
		r[3] = 0x1p126f * (1 + (float)below(3) * 0x1p-23f);
		if (below(few)) {
			r[1] = r[0];
			r[2] = r[3] = sign;
			wide = r[0];
		}
		for (u32 n = 0; n < 4; n++)
			memcpy(&s->regs[n * VGPU_LANES + l], &r[n], sizeof(*r));
		memcpy(&s->regs[8 * VGPU_LANES + 2 * l], &wide, sizeof(wide));
		s->regs[5 * VGPU_LANES + l] = (u32)random64() & 0x807fffff;
		s->regs[6 * VGPU_LANES + l] = (u32)random64() & 0x80ffffff;
	}
}

/* Of an operation, or a move, mostly one that flushes; registers 10 to 15 have results. */
static struct vgpu_insn flushing_insn(void)
{
	static const struct vgpu_insn ops[] = {
		{ .op = VGPU_OP_FMUL, .a = 0, .b = 1 },
		{ .op = VGPU_OP_FFMA, .a = 0, .b = 1, .c = 2 },
		{ .op = VGPU_OP_FDIV, .a = 1, .b = 0 },
		{ .op = VGPU_OP_FRCP, .a = 3 },
		{ .op = VGPU_OP_D2F, .a = 8 },
		/* the same in all lanes */
		{ .op = VGPU_OP_FMUL, .a = 4, .flags = VGPU_F_IMM, .imm = 0x3f7fffff },
		{ .op = VGPU_OP_FADD, .a = 5, .b = 6 },
		{ .op = VGPU_OP_FNEG, .a = 5 },
		{ .op = VGPU_OP_MOV, .b = 5 },
		{ .op = VGPU_OP_MOV, .flags = VGPU_F_IMM, .imm = 0x80000003 },
	};
	struct vgpu_insn i = ops[below(VGPU_ARRAY_SIZE(ops))];

	i.dst = (u8)(10 + below(6));
	if (i.op == VGPU_OP_MOV)
		return i;
	i.flags |= (below(4) ? VGPU_F_FTZ : 0) | (below(8) ? 0 : VGPU_F_SAT);
	if (i.op != VGPU_OP_FNEG && below(2))
		i.flags |= (u32)below(4);
	if (i.op != VGPU_OP_D2F && below(2)) {
		i.a = (u8)(10 + below(6));
		i.b = i.flags & VGPU_F_IMM ? 0 : i.b ? (u8)(10 + below(6)) : 0;
		i.c = i.c ? (u8)(10 + below(6)) : 0;
		i.imm = i.flags & VGPU_F_IMM && below(2) ? 0x7fffff : i.imm;
	}
	return i;
}

#endif

/* SPDX-License-Identifier: MIT */
/* Lanes anywhere in shared memory, at its end, and beyond it; loads of one absolute address. */
#ifndef APART_RIG_H
#define APART_RIG_H

#include "stride_rig.h"

/* R_ANY: offsets of 8 bytes, of which one lane's may be elsewhere; Q(0): addresses that exist */
static void make_apart(struct state *s)
{
	u32 lane = below(VGPU_LANES), kind = below(4);

	make_state(s);
	for (u32 l = 0; l < VGPU_LANES; l++) {
		s->regs[R_ANY * VGPU_LANES + l] = below(SHARED / 8) * 8;
		((u64 *)s->regs)[l] = BASE + below(SPAN) * VGPU_PAGE_SIZE;
	}
	if (kind == 1)
		s->regs[R_ANY * VGPU_LANES + lane] = SHARED - 8 + below(12);
	else if (kind == 2)
		s->regs[R_ANY * VGPU_LANES + lane] += below(8);
}

static void add_apart(void)
{
	u32 size = below(4), reg = 8 + 2 * below(8), offset = below(VGPU_PAGE_SIZE) >> size << size;
	u32 sext = size < 2 && below(2) ? VGPU_F_SEXT : 0;

	switch (below(4)) {
	case 0:
		add((struct vgpu_insn){ .op = VGPU_OP_LDG, .flags = (u8)(size | VGPU_F_ABS | sext),
					.dst = (u8)reg,
					.imm = BASE + below(SPAN) * VGPU_PAGE_SIZE + offset });
		break;
	case 1:
		add((struct vgpu_insn){ .op = VGPU_OP_STS, .flags = (u8)size, .a = R_ANY,
					.b = (u8)reg, .imm = below(2) * 8 });
		break;
	case 2:
		/* another register of addresses, for those who know this one */
		add((struct vgpu_insn){ .op = VGPU_OP_XOR, .flags = VGPU_F_IMM, .dst = R_ANY,
					.a = R_ANY, .imm = 8 });
		break;
	default:
		add((struct vgpu_insn){ .op = VGPU_OP_LDS, .flags = (u8)(size | sext), .a = R_ANY,
					.dst = (u8)reg, .imm = below(2) * 8 });
	}
}

static void make_apart_program(void)
{
	count = 0;
	while (count < 14)
		add_apart();
	code[count++] = (struct vgpu_insn){ .op = VGPU_OP_EXIT, .guard = VGPU_PT };
}

#endif

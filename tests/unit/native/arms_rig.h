/* SPDX-License-Identifier: MIT */
/*
 * Random programs as compilers make them of structured code: if, if with else, loops, breaks and
 * exits, in each other. Their values have strides mostly (stride_rig.h), and many are changed in
 * place in one arm and used in the other.
 */
#ifndef ARMS_RIG_H
#define ARMS_RIG_H

#include "stride_rig.h"

#define NO_BRANCH	(~0u)

static inline void add_statements(u32 depth);

/* Returns its instruction, for set_branch(); NO_BRANCH: there is no room. */
static inline u32 add_jump(u32 guard)
{
	if (count >= CODE - 3)
		return NO_BRANCH;
	code[count] = (struct vgpu_insn){ .op = VGPU_OP_BRA, .guard = (u8)guard };
	return count++;
}

static inline void set_branch(u32 branch, u32 target, u32 meet)
{
	if (branch != NO_BRANCH)
		code[branch].imm = target | (u64)meet << 32;
}

/* The point where its lanes meet, or sometimes the one of what is around it */
static inline u32 meeting(u32 pc)
{
	return below(5) ? pc : VGPU_NO_RECONV;
}

static inline u32 add_condition(void)
{
	u32 p = below(4);
	u8 r = some_r();

	if (below(3) == 0)
		add((struct vgpu_insn){ .op = VGPU_OP_SREG, .dst = r,
					.imm = below(2) ? VGPU_SR_LANEID : VGPU_SR_TID_X });
	if (below(4))
		add((struct vgpu_insn){ .op = below(2) ? VGPU_OP_SETPS : VGPU_OP_SETPU,
					.flags = (u8)(below(6) | VGPU_F_IMM), .dst = (u8)p, .a = r,
					.imm = below(40) });
	return p | (below(2) ? VGPU_P_NOT : 0);
}

static inline void add_simple(void)
{
	u8 r = some_r(), q = some_q();

	switch (below(9)) {
	case 0:
		add_index(r);
		break;
	case 1:
	case 2:
		add_new_access(r, q);
		break;
	case 3:
		add_access(q);
		break;
	case 4:
		add((struct vgpu_insn){ .op = VGPU_OP_ADD, .flags = VGPU_F_IMM, .dst = r, .a = r,
					.imm = below(5) });
		break;
	case 5:
		add((struct vgpu_insn){ .op = VGPU_OP_STS, .flags = 2, .a = R_ROW, .b = r,
					.imm = 4 * below(8) });
		break;
	default:
		if (below(25))
			add_arithmetic();
		else
			add_meeting();
	}
}

/* One arm changes an index or an address, and the other one uses it. */
static inline void add_arms(u32 depth)
{
	u8 r = some_r(), q = some_q(), other = some_q();
	u32 branch, end, kind = below(3);

	if (kind)
		add_index(r);
	if (kind == 2)
		add_address(r, q, 4);
	branch = add_jump(add_condition());
	if (kind == 1)
		add((struct vgpu_insn){ .op = VGPU_OP_ADD, .flags = VGPU_F_IMM, .dst = r, .a = r,
					.imm = below(5) });
	else if (kind == 2)
		add((struct vgpu_insn){ .op = VGPU_OP_ADDQ, .flags = VGPU_F_IMM, .dst = q, .a = q,
					.imm = 4 * below(5) });
	add_statements(depth);
	if (below(12) == 0)
		add_guarded((struct vgpu_insn){ .op = VGPU_OP_EXIT },
			    below(3) ? below(4) : VGPU_PT);
	end = add_jump(VGPU_PT);
	set_branch(branch, count, 0);
	if (kind == 1)
		add_address(r, other, 4);
	if (kind)
		add_access(kind == 1 ? other : q);
	add_statements(depth);
	if (branch != NO_BRANCH)
		set_branch(branch, VGPU_BRA_TARGET(code[branch].imm), meeting(count));
	set_branch(end, count, VGPU_NO_RECONV);
}

static inline void add_loop(u32 depth)
{
	u32 top = count, leave = NO_BRANCH, back;

	add_statements(depth);
	if (below(2)) {		/* it is left in its middle */
		leave = add_jump(add_condition());
		add_statements(depth);
		back = add_jump(VGPU_PT);
	} else {
		back = add_jump(add_condition());
	}
	set_branch(back, top, leave == NO_BRANCH ? meeting(count) : VGPU_NO_RECONV);
	set_branch(leave, count, meeting(count));
}

static inline void add_statement(u32 depth)
{
	u32 branch;

	if (!depth || count > CODE - 30) {
		add_simple();
		return;
	}
	switch (below(7)) {
	case 0:
	case 1:
		add_arms(depth - 1);
		break;
	case 2:
		branch = add_jump(add_condition());
		add_statements(depth - 1);
		set_branch(branch, count, meeting(count));
		break;
	case 3:
		if (count)
			add_loop(depth - 1);
		break;
	case 4:
		if (below(3) == 0)
			add_guarded((struct vgpu_insn){ .op = VGPU_OP_EXIT },
				    below(4) | (below(2) ? VGPU_P_NOT : 0));
		else if (below(3) == 0)
			add((struct vgpu_insn){ .op = VGPU_OP_BAR });
		break;
	default:
		add_simple();
	}
}

static inline void add_statements(u32 depth)
{
	for (u32 n = 1 + below(3); n--;)
		add_statement(depth);
}

static inline void make_structured_program(void)
{
	count = 0;
	moved_by = 0;
	/* registers of both widths in one place, or apart as compilers have them */
	first_q = below(3) ? 20 : 8;
	for (u8 r = 0; r < WORDS_; r++)
		if (below(3))
			add_index(r);
	while (count < CODE - 30 && below(30))
		add_statement(3);
	while (count < 8)
		add_arithmetic();
	for (u8 r = 0; r < 4; r++)
		add((struct vgpu_insn){ .op = VGPU_OP_STS, .flags = 2, .a = R_ROW, .b = some_r(),
					.imm = 128 * r });
	code[count++] = (struct vgpu_insn){ .op = VGPU_OP_EXIT, .guard = VGPU_PT };
	first_q = 8;
}

/* Some warps have few lanes, or are all of their block. */
static inline void make_structured_state(struct state *s)
{
	make_strided_state(s);
	if (below(3) == 0) {
		s->warp.live = 1u << below(32);
		if (below(2))
			s->warp.live |= (1u << (1 + below(31))) - 1;
	}
	if (below(4) == 0) {
		u32 n = 1 + below(31);

		memcpy(s->launch.block, (const u32[3]){ n, 1, 1 }, sizeof(s->launch.block));
		s->launch.threads = n;
		s->launch.warps = 1;
		s->warp.index = 0;
		s->warp.threads = n;
		s->warp.live = (1u << n) - 1;
	}
	s->warp.active = s->warp.live;
}

#endif

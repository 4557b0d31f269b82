/* SPDX-License-Identifier: MIT */
/*
 * Random programs whose values mostly have strides: indexes of threads, sums and products of them
 * and of uniform values, addresses made of these, and what is loaded and stored there. Some wrap,
 * and some lanes go ways of their own.
 */
#ifndef STRIDE_RIG_H
#define STRIDE_RIG_H

#include "native_rig.h"

#define WORDS_	12u	/* R(0) to R(11) have values, Q(first_q) and the next five addresses */
#define QUADS	6u

static u32 first_q = 8;		/* they overlap */

static inline u8 some_r(void)
{
	return (u8)below(WORDS_);
}

static inline u8 some_q(void)
{
	return (u8)(first_q + 2 * below(QUADS));
}

static inline void add_guarded(struct vgpu_insn i, u32 guard)
{
	const struct vgpu_vass_kernel kernel = { .regs = REGS, .code_count = CODE,
						 .param_bytes = PARAMS };

	i.guard = (u8)guard;
	if (i.flags & VGPU_F_IMM)
		i.b = 0;
	if (count < CODE - 1 && !vgpu_verify_insn(&i, &kernel))
		code[count++] = i;
}

static inline void add(struct vgpu_insn i)
{
	add_guarded(i, VGPU_PT);
}

static u64 moved_by;	/* what was added last so that an index wraps */

/* An index of the thread, as it is or moved */
static inline void add_index(u8 r)
{
	static const u32 which[] = { VGPU_SR_TID_X, VGPU_SR_TID_X, VGPU_SR_LANEID, VGPU_SR_TID_Y,
				     VGPU_SR_CTAID_X, VGPU_SR_NTID_X };

	add((struct vgpu_insn){ .op = VGPU_OP_SREG, .dst = r, .imm = which[below(6)] });
	if (below(6) == 0) {	/* it wraps, with signs or without */
		moved_by = (below(2) ? 0x7ffffff0 : 0xfffffff0) - below(80);
		add((struct vgpu_insn){ .op = VGPU_OP_ADD, .flags = VGPU_F_IMM, .dst = r, .a = r,
					.imm = moved_by });
	} else if (below(6) == 0) {	/* each lane has less than the one before */
		add((struct vgpu_insn){ .op = VGPU_OP_NEG, .dst = r, .a = r });
		add((struct vgpu_insn){ .op = VGPU_OP_ADD, .flags = VGPU_F_IMM, .dst = r, .a = r,
					.imm = below(100) });
	}
}

/* Q(q) = where a lane's element lies, mostly in memory that is there */
static inline void add_address(u8 r, u8 q, u32 size)
{
	u32 factor = below(8) ? size : below(3) * 4;
	u64 base = BASE + below(below(6) ? 8 : SPAN) * 512 + (below(10) ? 0 : below(8));
	u8 at = some_q();

	/* what does not wrap is there */
	if (below(2))
		base -= moved_by * factor;
	add((struct vgpu_insn){ .op = VGPU_OP_MOVQ, .flags = VGPU_F_IMM, .dst = at, .imm = base });
	switch (below(4)) {
	case 0:
		add((struct vgpu_insn){ .op = below(2) ? VGPU_OP_MADWS : VGPU_OP_MADWU,
					.flags = VGPU_F_IMM, .dst = q, .a = r, .c = at,
					.imm = factor });
		return;
	case 1:
		add((struct vgpu_insn){ .op = below(2) ? VGPU_OP_MULWS : VGPU_OP_MULWU,
					.flags = VGPU_F_IMM, .dst = q, .a = r, .imm = factor });
		break;
	default:
		add((struct vgpu_insn){ .op = below(2) ? VGPU_OP_SXQ : VGPU_OP_ZXQ, .dst = q,
					.a = r });
		add((struct vgpu_insn){ .op = VGPU_OP_SHLQ, .flags = VGPU_F_IMM, .dst = q, .a = q,
					.imm = (u32)__builtin_ctz(size) });
	}
	add((struct vgpu_insn){ .op = VGPU_OP_ADDQ, .dst = q, .a = q, .b = at });
}

/* Of 1 << @size bytes each lane, or twice as many, by the address in register @a */
static inline void add_access_of(u8 a, u32 size, bool shared)
{
	bool load = below(3), sext = load && size < 2 && below(2);
	u32 count_ = below(4) ? 0 : below(2);

	add((struct vgpu_insn){
		.op = shared ? (load ? VGPU_OP_LDS : VGPU_OP_STS) :
			       (load ? VGPU_OP_LDG : VGPU_OP_STG),
		.flags = (u8)(size | (load ? count_ << 2 : 0) | (sext ? VGPU_F_SEXT : 0)),
		.dst = load ? (u8)(size == 3 ? some_q() : below(WORDS_ / 2) * 2) : 0,
		.a = a,
		.b = load ? 0 : size == 3 ? some_q() : some_r(),
		.imm = below(3) ? 8 * below(8) : 0,
	});
}

static inline void add_access(u8 q)
{
	add_access_of(q, below(3) ? 2 + below(2) : below(2), false);
}

/* An access by an address that is made for it */
static inline void add_new_access(u8 r, u8 q)
{
	u32 size = below(3) ? 2 + below(2) : below(2);

	if (below(2))
		add_index(r);
	add_address(r, q, 1u << size);
	if (below(8))
		add_access_of(q, size, false);
	else
		add_access(q);
}

/* One of shared memory, mostly of a row in it */
static inline void add_shared_access(u8 r)
{
	u32 size = below(4);

	if (below(2))
		add_index(r);
	if (below(8))
		add((struct vgpu_insn){ .op = VGPU_OP_SHL, .flags = VGPU_F_IMM, .dst = r, .a = r,
					.imm = size });
	add((struct vgpu_insn){ .op = VGPU_OP_ADD, .flags = VGPU_F_IMM, .dst = r, .a = r,
				.imm = below(4) ? below(SHARED / 8) * 8 : below(SHARED) });
	add_access_of(r, size, true);
}

/* One of local memory, mostly of all lanes at the same offset, and inside */
static inline void add_local_access(u8 r)
{
	u32 size = below(6) ? 2 + below(2) : below(2), count_ = below(3) ? 0 : below(2);
	bool load = below(2), absolute = below(6) == 0;
	u32 bytes = 1u << (size + count_);

	if (below(8))
		add((struct vgpu_insn){ .op = VGPU_OP_MOV, .flags = VGPU_F_IMM, .dst = r,
					.imm = below(LOCAL / bytes) * bytes });
	else if (below(2))
		add((struct vgpu_insn){ .op = VGPU_OP_SHL, .flags = VGPU_F_IMM, .dst = r, .a = r,
					.imm = size });
	add((struct vgpu_insn){
		.op = load ? VGPU_OP_LDL : VGPU_OP_STL,
		.flags = (u8)(size | count_ << 2 | (absolute ? VGPU_F_ABS : 0) |
			      (load && size < 2 && below(2) ? VGPU_F_SEXT : 0)),
		.dst = load ? (u8)(size == 3 ? first_q + 4 * below(QUADS / 2) :
					       below(WORDS_ / 2) * 2) : 0,
		.a = absolute ? 0 : r,
		.b = load ? 0 : size == 3 ? (u8)(first_q + 4 * below(QUADS / 2)) :
					    (u8)(below(WORDS_ / 2) * 2),
		.imm = below(3) ? bytes * below(4) : below(20) ? 0 : below(2 * LOCAL),
	});
}

static inline void add_arithmetic(void)
{
	static const u8 words[] = {
		VGPU_OP_ADD, VGPU_OP_ADD, VGPU_OP_SUB, VGPU_OP_MUL, VGPU_OP_MAD, VGPU_OP_MAD,
		VGPU_OP_SHL, VGPU_OP_NEG, VGPU_OP_MOV, VGPU_OP_AND, VGPU_OP_XOR, VGPU_OP_MINS,
		VGPU_OP_SHRU, VGPU_OP_FADD, VGPU_OP_FFMA, VGPU_OP_FMUL, VGPU_OP_SEL, VGPU_OP_I2F,
		VGPU_OP_DIVU, VGPU_OP_POPC,
	}, quads[] = {
		VGPU_OP_ADDQ, VGPU_OP_SUBQ, VGPU_OP_MULQ, VGPU_OP_MADQ, VGPU_OP_SHLQ, VGPU_OP_NEGQ,
		VGPU_OP_MOVQ, VGPU_OP_DADD, VGPU_OP_MULWS, VGPU_OP_MADWS, VGPU_OP_MADWU,
		VGPU_OP_SXQ, VGPU_OP_ZXQ, VGPU_OP_PACK,
	};
	bool wide = below(3) == 0;
	u32 op = wide ? quads[below(sizeof(quads))] : words[below(sizeof(words))];
	struct vgpu_insn i = { .op = (u8)op };

	i.dst = wide ? some_q() : some_r();
	i.a = isa[op].a == KIND_N ? 0 : isa[op].a == KIND_Q ? some_q() : some_r();
	i.b = isa[op].b == KIND_N ? 0 : isa[op].b == KIND_QI ? some_q() : some_r();
	i.c = isa[op].c == KIND_N ? 0 : isa[op].c == KIND_Q ? some_q() :
	      isa[op].c == KIND_P ? (u8)below(4) : some_r();
	if (below(2) && (isa[op].b == KIND_RI || isa[op].b == KIND_QI)) {
		static const u64 values[] = { 0, 1, 2, 4, 8, 3, 32, 0xffffffffffffffff, 0x10000 };

		i.flags = VGPU_F_IMM;
		i.imm = values[below(9)];
		if (isa[op].b == KIND_RI)
			i.imm = (u32)i.imm;
	}
	add_guarded(i, below(8) ? VGPU_PT : below(4));
	if (below(8) == 0)
		add((struct vgpu_insn){ .op = VGPU_OP_UNLO, .dst = some_r(), .a = some_q() });
}

static inline void add_branch(void)
{
	u32 target = count + 2 + below(6), reconv = below(4) ? target + below(4) : VGPU_NO_RECONV;

	add((struct vgpu_insn){ .op = below(2) ? VGPU_OP_SETPS : VGPU_OP_SETPU,
				.flags = (u8)(below(6) | (below(2) ? VGPU_F_IMM : 0)),
				.dst = (u8)below(4), .a = some_r(), .b = some_r(),
				.imm = 0 });
	/* some of them are loops, which the number of turns ends */
	if (below(6) == 0 && count > 4) {
		target = 1 + below(count - 1);
		reconv = count + 1;
	}
	if (below(10))
		add_guarded((struct vgpu_insn){ .op = VGPU_OP_BRA,
						.imm = target | (u64)reconv << 32 },
			    below(4) | (below(2) ? VGPU_P_NOT : 0));
	else
		add_guarded((struct vgpu_insn){ .op = VGPU_OP_EXIT },
			    below(4) | (below(2) ? VGPU_P_NOT : 0));
}

/* A shuffle as compilers make them: how far lanes reach is written before it. */
static inline void add_shuffle(void)
{
	static const u32 reaches[] = { 31, 0, 0x181f, 0x1807, 0x101f, 0x1c03, 31 };
	u32 c = some_r(), how = below(VGPU_SHFL_COUNT), sync = below(2);
	bool imm = below(2);

	add((struct vgpu_insn){ .op = VGPU_OP_MOV, .flags = VGPU_F_IMM, .dst = (u8)c,
				.imm = below(6) ? reaches[below(7)] : (u32)random64() });
	if (below(4) == 0)
		add_index(some_r());
	add((struct vgpu_insn){
		.op = sync ? VGPU_OP_SHFLSYNC : VGPU_OP_SHFL,
		.flags = (u8)(how | (imm ? VGPU_F_IMM : 0)),
		.dst = some_r(), .a = some_r(), .b = some_r(), .c = (u8)c,
		.imm = (u64)(below(2) ? VGPU_PT : below(4)) << 32 |
		       (u64)(sync ? VGPU_SHFL_FULL : 0) << 40 |
		       (imm ? (below(2) ? 1u << below(5) : below(32)) : 0),
	});
}

/* What lanes wait at, and what the interpreter gets more than one instruction for */
static inline void add_meeting(void)
{
	static const u8 ops[] = { VGPU_OP_MATCH, VGPU_OP_SHFL, VGPU_OP_BALLOTSYNC, VGPU_OP_BARWARP,
				  VGPU_OP_VOTESYNC };
	struct vgpu_insn i = one(count, ops[below(sizeof(ops))]);

	i.dst = i.dst && i.op != VGPU_OP_VOTESYNC ? some_r() : i.dst;
	add(i);
}

static inline void make_strided_program(void)
{
	count = 0;
	moved_by = 0;
	for (u8 r = 0; r < WORDS_; r++)
		if (below(3))
			add_index(r);
	while (count < CODE - 12 && below(60)) {
		u8 r = some_r(), q = some_q();

		switch (below(10)) {
		case 0:
			add_index(r);
			break;
		case 1:
			add_branch();
			break;
		case 2:
		case 3:
			add_new_access(r, q);
			break;
		case 4:
			add_access(q);
			break;
		case 5:
			add_shared_access(r);
			break;
		case 6:
			add_local_access(r);
			break;
		case 7:
			add_shuffle();
			break;
		default:
			if (below(20))
				add_arithmetic();
			else
				add_meeting();
		}
	}
	while (count < 8)
		add_arithmetic();
	/* what lanes have gets where it can be seen */
	for (u8 r = 0; r < 4; r++)
		add((struct vgpu_insn){ .op = VGPU_OP_STS, .flags = 2, .a = R_ROW, .b = some_r() });
	for (u32 pc = 0; pc < count; pc++) {
		struct vgpu_insn *i = &code[pc];
		u32 reconv = (u32)(i->imm >> 32);

		if (i->op != VGPU_OP_BRA)
			continue;
		i->imm = VGPU_BRA_TARGET(i->imm) <= count ? VGPU_BRA_TARGET(i->imm) : count;
		i->imm |= (u64)(reconv == VGPU_NO_RECONV || reconv <= count ? reconv : count) << 32;
	}
	code[count++] = (struct vgpu_insn){ .op = VGPU_OP_EXIT, .guard = VGPU_PT };
}

/* A warp before its first instruction, mostly of a block with rows of warps */
static inline void make_strided_state(struct state *s)
{
	static const u32 blocks[][3] = { { 96, 1, 1 }, { 32, 1, 3 }, { 32, 3, 1 }, { 8, 4, 3 },
					 { 96, 1, 1 } };

	make_state(s);
	memcpy(s->launch.block, blocks[below(5)], sizeof(s->launch.block));
	s->warp.live = below(4) ? ~0u : (u32)random64() | 1;
	s->warp.active = s->warp.live;
	for (u32 n = 0; n < SPAN; n++)
		if (below(8))
			set_tlb(s, n, below(8));
}

#endif

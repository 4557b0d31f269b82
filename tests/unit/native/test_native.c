// SPDX-License-Identifier: MIT
/*
 * Native code against the interpreter: random programs of all opcodes and flags that the verifier
 * takes, branches forward and back among them, on random state, with budgets that end anywhere,
 * translations that are missing and addresses that fault. After every return both must have left
 * the same in every bit.
 *
 * TEST_SEED, TEST_PROGRAMS: another first seed, another number of programs; TEST_ONLY: a pattern of
 * the tests to run.
 */
#include <errno.h>
#include <stdio.h>

#include "apart_rig.h"
#include "arms_rig.h"
#include "native_rig.h"
#include "same.h"
#include "smallest_rig.h"
#include "stride_rig.h"
#include "tests/unit/sm/fma_tie.h"

/* The page is found, or it is not there. As block_access.c. */
static bool serve(struct state *s, bool enter)
{
	u64 number = s->lanes.address >> VGPU_PAGE_SHIFT, first = BASE >> VGPU_PAGE_SHIFT;
	u32 slot;

	if (number < first || number >= first + SPAN)
		return false;
	if (enter)
		set_tlb(s, (u32)(number - first), s->lanes.write);
	/* as walk_pages(): the code goes on by the TLB alone */
	if (enter && s->lanes.one_page)
		return true;
	if (!s->lanes.held)
		s->lanes.hold_used = 0;
	slot = vgpu_lanes_hold_slot(&s->lanes, number);
	s->lanes.held += !(s->lanes.hold_used >> slot & 1);
	s->lanes.hold_used |= 1ull << slot;
	s->lanes.hold[slot] = (struct vgpu_tlb_entry){ number, s->memory[(number - first) % PAGES],
						       s->memory[(number - first) % PAGES] };
	return true;
}

/* Other warps have come to the barrier: as pass() of warps.c. */
static void pass_barrier(struct state *s)
{
	const struct vgpu_insn *bar = &s->warp.bar;

	for (u32 l = 0; l < VGPU_LANES && bar->op == VGPU_OP_BARRED; l++)
		if (s->warp.bar_mask >> l & 1)
			s->regs[bar->dst * VGPU_LANES + l] = s->warp.bar_pred != 0;
}

static void run_both(struct state *a, struct state *b, unsigned long long seed, u32 turns)
{
	for (u32 turn = 0; turn < turns; turn++) {
		u32 budget = below(8) ? 1 + below(20) : 200, end, other;
		bool enter = below(8);

		a->lanes.budget = budget;
		b->lanes.budget = budget;
		for (;;) {
			end = vgpu_cpu_has_avx2() ? vgpu_lanes_run_avx2(&a->lanes) :
						    vgpu_lanes_run_sse2(&a->lanes);
			other = b->lanes.native->run(&b->lanes);
			if (end != other) {
				show();
				fail_msg("seed %llu: end %u, native %u at %u and %u", seed, end,
					 other, a->warp.pc, b->warp.pc);
			}
			if (end == VGPU_LANES_BARRIER) {
				pass_barrier(a);
				pass_barrier(b);
			}
			same(a, b, seed, "state");
			same_end(a, b, seed, end);
			spoil_what_is_not_seen(b);
			if (end == VGPU_LANES_LOCAL) {
				for (u32 n = 0; n < 2; n++) {
					a->local_pages[n].memory = a->local[n];
					b->local_pages[n].memory = b->local[n];
				}
			} else if (end != VGPU_LANES_TRANSLATE || !serve(a, enter) ||
				   !serve(b, enter)) {
				break;
			}
		}
		if (end == VGPU_LANES_EXIT || end == VGPU_LANES_FAULT ||
		    end == VGPU_LANES_TRANSLATE)
			return;
		if (below(4) == 0) {
			u32 page = below(SPAN);

			a->tlb[((BASE >> VGPU_PAGE_SHIFT) + page) % VGPU_TLB_ENTRIES].page = ~0ull;
			b->tlb[((BASE >> VGPU_PAGE_SHIFT) + page) % VGPU_TLB_ENTRIES].page = ~0ull;
		}
	}
}

static u64 with_strides;	/* warps that had code for strides to the end */

static void run_program_in(void (*make)(struct state *s), u64 seed)
{
	static struct state a, b;
	const struct vgpu_native_code *native = NULL;

	assert_int_equal(vgpu_native_find(&choice, code, count, cost, 0, &native), 0);
	live = vgpu_live_find(code, count);
	assert_non_null(live);
	for (u32 states = 0; states < 3; states++) {
		make(&a);
		memcpy(&b, &a, sizeof(a));
		connect(&a, NULL);
		connect(&b, native);
		run_both(&a, &b, seed, 40);
		with_strides += b.warp.native == NATIVE_STRIDES;
	}
	vgpu_native_forget();
	free(live);
}

static void run_program(u64 seed)
{
	run_program_in(make_state, seed);
}

static void one_seed(u64 seed, u32 only)
{
	random_state = seed;
	make_program(only);
	run_program(seed);
}

static u64 from_environment(const char *name, u64 otherwise)
{
	const char *text = getenv(name);

	return text ? strtoull(text, NULL, 10) : otherwise;
}

/* Can this processor execute code for @vectors? */
static bool available(const char *vectors)
{
	char message[200];

	setenv("VGPU_NATIVE", "always", 1);
	setenv("VGPU_VECTORS", vectors, 1);
	if (vgpu_native_configure(&choice, message, sizeof(message))) {
		assert_non_null(strstr(message, "this processor has"));
		return false;
	}
	return choice.mode == VGPU_NATIVE_ALWAYS;
}

static void test_random(void **state)
{
	u64 first = from_environment("TEST_SEED", 1), n = from_environment("TEST_PROGRAMS", 1500);

	if (!available(*state))
		skip();
	for (u64 seed = first; seed < first + n; seed++)
		one_seed(seed, VGPU_OP_COUNT);
}

/* Half of the instructions are of one opcode. */
static void test_each_opcode(void **state)
{
	u64 first = from_environment("TEST_SEED", 1000000),
	    n = from_environment("TEST_PROGRAMS", 1500) / 150;

	if (!available(*state))
		skip();
	for (u32 op = 0; op < VGPU_OP_COUNT; op++)
		for (u64 seed = first; seed < first + n; seed++)
			one_seed(seed * 256 + op, op);
}

static void test_global(void **state)
{
	u64 first = from_environment("TEST_SEED", 2000000),
	    n = from_environment("TEST_PROGRAMS", 1500) / 2;

	if (!available(*state))
		skip();
	for (u64 seed = first; seed < first + n; seed++) {
		random_state = seed;
		make_global_program();
		run_program(seed);
	}
}

static void make_ties(struct state *s)
{
	u32 kind = below(4);	/* of all lanes: what finds one kind must not serve another */

	make_state(s);
	for (u32 l = 0; l < VGPU_LANES; l++)
		fma_tie(((u32)random64() & ~3u) | kind, &s->regs[l], &s->regs[VGPU_LANES + l],
			&s->regs[2 * VGPU_LANES + l]);
}

/* Where there is no instruction for a fused multiply-add, it is rounded once as well. */
static void test_fma_ties(void **state)
{
	const struct vgpu_insn program[] = {
		{ .op = VGPU_OP_FFMA, .guard = VGPU_PT, .dst = 5, .a = 0, .b = 1, .c = 2 },
		{ .op = VGPU_OP_STS, .guard = VGPU_PT, .flags = 2, .a = R_ROW, .b = 5 },
		{ .op = VGPU_OP_EXIT, .guard = VGPU_PT },
	};

	if (!available(*state))
		skip();
	memcpy(code, program, sizeof(program));
	count = VGPU_ARRAY_SIZE(program);
	for (u64 seed = 1; seed <= 100; seed++) {
		random_state = seed;
		run_program_in(make_ties, seed);
	}
}

/* What is flushed is decided as the interpreter does, in all modes. */
static void test_smallest(void **state)
{
	if (!available(*state))
		skip();
	for (u64 seed = 1; seed <= 1000; seed++) {
		u32 n = 0;

		random_state = seed;
		code[n++] = (struct vgpu_insn){ .op = VGPU_OP_MOV, .flags = VGPU_F_IMM, .dst = 4,
						.imm = 0x800000 };
		for (u32 k = 0; k < 12; k++) {
			code[n++] = flushing_insn();
			code[n] = (struct vgpu_insn){ .op = VGPU_OP_STS, .flags = 2, .a = R_ROW,
						      .b = code[n - 1].dst, .imm = 128 * k };
			n++;
		}
		code[n++] = (struct vgpu_insn){ .op = VGPU_OP_EXIT };
		for (u32 pc = 0; pc < n; pc++)
			code[pc].guard = VGPU_PT;
		count = n;
		run_program_in(make_smallest, seed);
	}
}

/* Programs of @make, from seed @otherwise on, before their first instruction */
static void run_random(u64 otherwise, void (*make)(void), void (*make_state_)(struct state *s))
{
	u64 first = from_environment("TEST_SEED", otherwise),
	    n = from_environment("TEST_PROGRAMS", 1500);

	with_strides = 0;
	for (u64 seed = first; seed < first + n; seed++) {
		random_state = seed;
		make();
		run_program_in(make_state_, seed);
	}
	/* of three states each */
	assert_true(with_strides > n / 2);
}

static void test_strides(void **state)
{
	if (!available(*state))
		skip();
	run_random(3000000, make_strided_program, make_strided_state);
}

/* In states before the first instruction; where a program names no guard it has none. */
static void run_strided(const struct vgpu_insn *program, u32 count_)
{
	memcpy(code, program, count_ * sizeof(*program));
	count = count_;
	for (u32 pc = 0; pc < count; pc++)
		if (!code[pc].guard)
			code[pc].guard = VGPU_PT;
	for (u64 seed = 1; seed <= 100; seed++) {
		random_state = seed;
		run_program_in(make_strided_state, seed);
	}
}

/*
 * The interpreter gets more than one instruction for a MATCH, and nobody looks whether strides hold
 * in these: the warp goes on without them.
 */
static void test_no_strides(void **state)
{
	const struct vgpu_insn program[] = {
		{ .op = VGPU_OP_SREG, .dst = 0, .imm = VGPU_SR_TID_X },
		{ .op = VGPU_OP_ADD, .flags = VGPU_F_IMM, .dst = 0, .a = 0, .imm = 0x7ffffff0 },
		{ .op = VGPU_OP_MATCH, .dst = 1, .a = 0 },
		{ .op = VGPU_OP_SXQ, .dst = 8, .a = 0 },
		/* each counts for several, so that a budget ends before what uses it */
		{ .op = VGPU_OP_MATCH, .dst = 1, .a = 0 },
		{ .op = VGPU_OP_MATCH, .dst = 1, .a = 0 },
		{ .op = VGPU_OP_MATCH, .dst = 1, .a = 0 },
		{ .op = VGPU_OP_MATCH, .dst = 1, .a = 0 },
		{ .op = VGPU_OP_MATCH, .dst = 1, .a = 0 },
		{ .op = VGPU_OP_MATCH, .dst = 1, .a = 0 },
		{ .op = VGPU_OP_MATCH, .dst = 1, .a = 0 },
		{ .op = VGPU_OP_ADDQ, .flags = VGPU_F_IMM, .dst = 10, .a = 8, .imm = 5 },
		{ .op = VGPU_OP_UNHI, .dst = 2, .a = 10 },
		{ .op = VGPU_OP_STS, .flags = 2, .a = R_ROW, .b = 2 },
		{ .op = VGPU_OP_MOVQ, .flags = VGPU_F_IMM, .dst = 12, .imm = BASE },
		{ .op = VGPU_OP_LDG, .flags = 2, .dst = 3, .a = 12 },
		{ .op = VGPU_OP_EXIT },
	};

	if (!available(*state))
		skip();
	run_strided(program, VGPU_ARRAY_SIZE(program));
}

/*
 * Lanes of the second branch go through the point where those of the first meet, and come back: the
 * uniform register 5 has one value in some of them and another one in others.
 */
static void test_lanes_meet_twice(void **state)
{
	const u64 nowhere = (u64)VGPU_NO_RECONV << 32;
	const struct vgpu_insn program[] = {
		{ .op = VGPU_OP_SREG, .dst = 0, .imm = VGPU_SR_LANEID },
		{ .op = VGPU_OP_MOV, .flags = VGPU_F_IMM, .dst = 5, .imm = 3 },
		{ .op = VGPU_OP_SETPS, .flags = VGPU_F_IMM | VGPU_CMP_LT, .dst = 1, .imm = 16 },
		{ .op = VGPU_OP_BRA, .guard = 1, .imm = 7 | 7ull << 32 },
		{ .op = VGPU_OP_SETPS, .flags = VGPU_F_IMM | VGPU_CMP_LT, .dst = 2, .imm = 24 },
		{ .op = VGPU_OP_BRA, .guard = 2, .imm = 7 | 14ull << 32 },
		{ .op = VGPU_OP_BRA, .imm = 7 | nowhere },
		{ .op = VGPU_OP_ADD, .flags = VGPU_F_IMM, .dst = 6, .a = 5, .imm = 1 },
		{ .op = VGPU_OP_STS, .flags = 2, .a = R_ROW, .b = 6 },
		{ .op = VGPU_OP_SETPS, .flags = VGPU_F_IMM | VGPU_CMP_EQ, .dst = 3, .a = 5,
		  .imm = 3 },
		{ .op = VGPU_OP_BRA, .guard = 3, .imm = 14 | nowhere },
		{ .op = VGPU_OP_MOVQ, .flags = VGPU_F_IMM, .dst = 12, .imm = BASE },
		{ .op = VGPU_OP_LDG, .flags = 2, .dst = 3, .a = 12 },
		{ .op = VGPU_OP_EXIT },
		{ .op = VGPU_OP_MOV, .flags = VGPU_F_IMM, .dst = 5, .imm = 7 },
		{ .op = VGPU_OP_BRA, .imm = 7 | nowhere },
	};

	if (!available(*state))
		skip();
	run_strided(program, VGPU_ARRAY_SIZE(program));
}

/*
 * Lanes of the first arm change what those of the other use, who wait for them: an index, which is
 * a row in these still, and a uniform register that lies where a pair is written.
 */
static void test_other_arm(void **state)
{
	const u64 nowhere = (u64)VGPU_NO_RECONV << 32;
	struct vgpu_insn program[] = {
		{ .op = VGPU_OP_SREG, .dst = 0, .imm = VGPU_SR_TID_X },
		{ .op = VGPU_OP_MOVQ, .flags = VGPU_F_IMM, .dst = 12, .imm = BASE },
		{ .op = VGPU_OP_SETPS, .flags = VGPU_F_IMM | VGPU_CMP_GT, .dst = 1, .imm = 16 },
		{ .op = VGPU_OP_MOV, .flags = VGPU_F_IMM, .dst = 10, .imm = 3 },
		{ .op = VGPU_OP_BRA, .guard = 1, .imm = 7 | 10ull << 32 },
		{ .op = VGPU_OP_ADD, .flags = VGPU_F_IMM, .dst = 0, .a = 0, .imm = 7 },
		{ .op = VGPU_OP_BRA, .imm = 10 | nowhere },
		{ .op = VGPU_OP_MADWU, .flags = VGPU_F_IMM, .dst = 14, .a = 0, .c = 12, .imm = 4 },
		{ .op = VGPU_OP_LDG, .flags = 2, .dst = 3, .a = 14 },
		{ .op = VGPU_OP_STS, .flags = 2, .a = R_ROW, .b = 3 },
		{ .op = VGPU_OP_STS, .flags = 2, .a = R_ROW, .b = 0, .imm = 256 },
		{ .op = VGPU_OP_EXIT },
	};

	if (!available(*state))
		skip();
	run_strided(program, VGPU_ARRAY_SIZE(program));
	program[5] = (struct vgpu_insn){ .op = VGPU_OP_MOVQ, .flags = VGPU_F_IMM, .dst = 10,
					 .imm = 0x500000006 };
	program[7].a = 10;
	run_strided(program, VGPU_ARRAY_SIZE(program));
}

/*
 * Lanes of the second branch pass the point where those of the first meet, and write there what is
 * used by lanes that wait at the target of the first: in the same register, or where it lies.
 */
static void test_lanes_pass(void **state)
{
	const u64 nowhere = (u64)VGPU_NO_RECONV << 32;
	struct vgpu_insn program[] = {
		{ .op = VGPU_OP_SREG, .dst = 0, .imm = VGPU_SR_LANEID },
		{ .op = VGPU_OP_MOVQ, .flags = VGPU_F_IMM, .dst = 12, .imm = BASE },
		{ .op = VGPU_OP_MOV, .flags = VGPU_F_IMM, .dst = 6 },
		{ .op = VGPU_OP_SETPS, .flags = VGPU_F_IMM | VGPU_CMP_GE, .dst = 1, .imm = 16 },
		{ .op = VGPU_OP_BRA, .guard = 1, .imm = 9 | 12ull << 32 },
		{ .op = VGPU_OP_SETPS, .flags = VGPU_F_IMM | VGPU_CMP_LT, .dst = 2, .imm = 8 },
		{ .op = VGPU_OP_BRA, .guard = 2, .imm = 12 | 7ull << 32 },
		{ .op = VGPU_OP_MOV, .flags = VGPU_F_IMM, .dst = 6, .imm = 3 },
		{ .op = VGPU_OP_BRA, .imm = 12 | nowhere },
		{ .op = VGPU_OP_LDG, .flags = 2, .dst = 3, .a = 12 },
		{ .op = VGPU_OP_STS, .flags = 2, .a = R_ROW, .b = 3 },
		{ .op = VGPU_OP_MOV, .flags = VGPU_F_IMM, .dst = 6, .imm = 3 },
		{ .op = VGPU_OP_SETPS, .flags = VGPU_F_IMM | VGPU_CMP_EQ, .dst = 3, .a = 6,
		  .imm = 3 },
		{ .op = VGPU_OP_BRA, .guard = 3, .imm = 16 | nowhere },
		{ .op = VGPU_OP_MOVQ, .flags = VGPU_F_IMM, .dst = 12, .imm = BASE + 64 },
		{ .op = VGPU_OP_BRA, .imm = 7 | nowhere },
		{ .op = VGPU_OP_STS, .flags = 2, .a = R_ROW, .b = 6, .imm = 256 },
		{ .op = VGPU_OP_EXIT },
	};

	if (!available(*state))
		skip();
	run_strided(program, VGPU_ARRAY_SIZE(program));
	program[5].flags = VGPU_F_IMM | VGPU_CMP_EQ;
	program[5].imm = 6;
	program[14] = (struct vgpu_insn){ .op = VGPU_OP_MOV, .flags = VGPU_F_IMM, .dst = 13,
					  .imm = (u32)BASE + 64 };
	run_strided(program, VGPU_ARRAY_SIZE(program));
}

/* Half of a pair is overwritten, whose other half is derived from it. */
static void test_half_of_pair(void **state)
{
	const struct vgpu_insn program[] = {
		{ .op = VGPU_OP_MOVQ, .flags = VGPU_F_IMM, .dst = 8, .imm = BASE },
		{ .op = VGPU_OP_LDG, .flags = 2, .dst = 3, .a = 8 },
		{ .op = VGPU_OP_MOV, .flags = VGPU_F_IMM, .dst = 8, .imm = 5 },
		{ .op = VGPU_OP_UNLO, .dst = 2, .a = 8 },
		{ .op = VGPU_OP_STS, .flags = 2, .a = R_ROW, .b = 2 },
		{ .op = VGPU_OP_STS, .flags = 2, .a = R_ROW, .b = 3, .imm = 256 },
		{ .op = VGPU_OP_EXIT },
	};

	if (!available(*state))
		skip();
	run_strided(program, VGPU_ARRAY_SIZE(program));
}

static void test_structured(void **state)
{
	if (!available(*state))
		skip();
	run_random(4000000, make_structured_program, make_structured_state);
}

/* A shuffle reads what lanes have that are elsewhere, where they cannot read it any more. */
static void test_registers_of_others(void **state)
{
	const struct vgpu_insn start[] = {
		{ .op = VGPU_OP_NOT, .guard = VGPU_PT, .dst = 5, .a = 7 },
		{ .op = VGPU_OP_BRA, .guard = VGPU_PT, .imm = 2 | (u64)VGPU_NO_RECONV << 32 },
		{ .op = VGPU_OP_BRA, .guard = 0, .imm = 5 | (u64)VGPU_NO_RECONV << 32 },
		{ .op = VGPU_OP_NOT, .guard = VGPU_PT, .dst = 5, .a = 8 },
	};

	if (!available(*state))
		skip();
	for (u64 seed = 1; seed <= 300; seed++) {
		random_state = seed;
		memcpy(code, start, sizeof(start));
		count = 8;
		code[4] = one(4, VGPU_OP_SHFL);
		code[4].guard = VGPU_PT;
		code[4].a = 5;
		code[4].dst = 6;
		code[5] = (struct vgpu_insn){ .op = VGPU_OP_ADD, .guard = VGPU_PT, .dst = 9, .a = 6,
					      .b = 6 };
		code[6] = (struct vgpu_insn){ .op = VGPU_OP_STS, .guard = VGPU_PT, .flags = 2,
					      .a = R_ROW, .b = 9 };
		code[7] = (struct vgpu_insn){ .op = VGPU_OP_EXIT, .guard = VGPU_PT };
		run_program(seed);
	}
}

/*
 * Each atomic of all lanes at one word, whose operands are near each other, and near the values at
 * which an operation begins again.
 */
static void test_one_word(void **state)
{
	static const u32 near[] = { 0, 0xfffffffe, 0x7ffffffe, 5 };

	if (!available(*state))
		skip();
	for (u64 seed = 1; seed <= 1500; seed++) {
		/* those of a word: all before those of 16 bytes */
		u32 operation = (u32)seed % VGPU_ATOM_EXCH128, from = near[seed / 11 % 4];
		bool is_signed = operation == VGPU_ATOM_MIN || operation == VGPU_ATOM_MAX;
		u32 flags = operation;

		random_state = seed;
		count = 0;
		if (is_signed && below(2))
			flags |= VGPU_F_ATOM_SIGNED;
		/* the word is near them, too */
		add((struct vgpu_insn){ .op = VGPU_OP_SREG, .dst = 9, .imm = VGPU_SR_LANEID });
		add((struct vgpu_insn){ .op = VGPU_OP_MUL, .flags = VGPU_F_IMM, .dst = 9, .a = 9,
					.imm = (u32)random64() | 1 });
		add((struct vgpu_insn){ .op = VGPU_OP_SHRU, .flags = VGPU_F_IMM, .dst = 9, .a = 9,
					.imm = 29 + below(3) });
		add((struct vgpu_insn){ .op = VGPU_OP_ADD, .flags = VGPU_F_IMM, .dst = 9, .a = 9,
					.imm = from });
		add((struct vgpu_insn){ .op = VGPU_OP_STS, .flags = 2, .a = R_SAME, .b = 9 });
		add((struct vgpu_insn){
			.op = VGPU_OP_ATOMS, .flags = (u8)flags, .dst = 8, .a = R_SAME, .b = 9,
			.c = operation == VGPU_ATOM_CAS ? 10 : 0,
			.mem = VGPU_MEM(VGPU_ORDER_RELAXED, VGPU_SCOPE_GPU, VGPU_CACHE_NONE) });
		add((struct vgpu_insn){ .op = VGPU_OP_STS, .flags = 2, .a = R_ROW, .b = 8 });
		assert_int_equal(count, 7);
		code[count++] = (struct vgpu_insn){ .op = VGPU_OP_EXIT, .guard = VGPU_PT };
		run_program(seed);
	}
}

static void test_apart(void **state)
{
	if (!available(*state))
		skip();
	for (u64 seed = 1; seed <= 600; seed++) {
		random_state = seed;
		make_apart_program();
		run_program_in(make_apart, seed);
	}
}

/* All lanes divide by the same: multiples of it, one more, one less, and anything. */
static void test_one_divisor(void **state)
{
	static const u8 ops[] = { VGPU_OP_DIVU, VGPU_OP_DIVS, VGPU_OP_REMU, VGPU_OP_REMS };
	static const u32 divisors[] = { 0, 1, 2, 3, 7, 0x7fffffff, 0x80000000, 0x80000001,
					0xfffffffe, 0xffffffff };

	if (!available(*state))
		skip();
	for (u64 seed = 1; seed <= 300; seed++) {
		u32 y, n = 0;

		random_state = seed;
		y = seed <= VGPU_ARRAY_SIZE(divisors) ? divisors[seed - 1] :
							(u32)(random64() >> (32 + below(32)));
		code[n++] = (struct vgpu_insn){ .op = VGPU_OP_MUL, .guard = VGPU_PT,
						.flags = VGPU_F_IMM, .dst = 1, .imm = y };
		for (u32 k = 0; k < 4; k++) {
			code[n++] = (struct vgpu_insn){ .op = VGPU_OP_ADD, .guard = VGPU_PT,
							.flags = VGPU_F_IMM, .dst = 1,
							.a = k == 3 ? 4 : 1,
							.imm = k ? 1 : 0xffffffff };
			for (u32 op = 0; op < VGPU_ARRAY_SIZE(ops); op++) {
				code[n++] = (struct vgpu_insn){ .op = ops[op], .guard = VGPU_PT,
								.flags = VGPU_F_IMM, .dst = 2,
								.a = 1, .imm = y };
				code[n++] = (struct vgpu_insn){ .op = VGPU_OP_STS,
								.guard = VGPU_PT, .flags = 2,
								.a = R_ROW, .b = 2,
								.imm = 128 * (4 * k + op) };
			}
		}
		code[n++] = (struct vgpu_insn){ .op = VGPU_OP_EXIT, .guard = VGPU_PT };
		count = n;
		run_program(seed);
	}
}

/* Whatever the thread of the host has set is there again. */
static void test_floating_point_state(void **state)
{
	const u32 nearest = 0x1f80, to_zero = 0x7f80;
	const struct vgpu_native_code *native = NULL;
	u32 was, inside;

	if (!available(*state))
		skip();
	random_state = 1;
	make_program(VGPU_OP_COUNT);
	assert_int_equal(vgpu_native_find(&choice, code, count, cost, 0, &native), 0);
	for (u32 n = 0; n < 2; n++) {
		__builtin_ia32_ldmxcsr(n ? to_zero : nearest);
		was = native->begin();
		inside = __builtin_ia32_stmxcsr();
		native->end(was);
		was = __builtin_ia32_stmxcsr();
		__builtin_ia32_ldmxcsr(nearest);
		assert_int_equal(inside, nearest);
		assert_int_equal(was, n ? to_zero : nearest);
	}
	vgpu_native_forget();
}

/* Two devices of a process may differ, and each has the code that it was opened for. */
static void test_two_devices(void **state)
{
	const struct vgpu_native_code *native = NULL, *again = NULL, *other = NULL;
	struct vgpu_native_choice first, none;

	(void)state;
	assert_true(available("sse2"));
	first = choice;
	assert_false(available("none"));
	none = choice;
	random_state = 1;
	make_program(VGPU_OP_COUNT);
	assert_int_equal(vgpu_native_find(&none, code, count, cost, 0, &native), -EOPNOTSUPP);
	assert_int_equal(vgpu_native_find(&first, code, count, cost, 0, &native), 0);
	assert_int_equal(vgpu_native_find(&first, code, count, cost, 0, &again), 0);
	assert_ptr_equal(native, again);
	if (available("avx512")) {
		assert_int_equal(vgpu_native_find(&choice, code, count, cost, 0, &other), 0);
		assert_ptr_not_equal(native, other);
	}
	vgpu_native_forget();
}

static void test_configure(void **state)
{
	char message[200];

	(void)state;
	setenv("VGPU_NATIVE", "fast", 1);
	assert_int_equal(vgpu_native_configure(&choice, message, sizeof(message)), -EINVAL);
	assert_non_null(strstr(message, "VGPU_NATIVE=fast"));
	setenv("VGPU_NATIVE", "off", 1);
	assert_int_equal(vgpu_native_configure(&choice, message, sizeof(message)), 0);
	assert_int_equal(choice.mode, VGPU_NATIVE_OFF);
	setenv("VGPU_NATIVE", "always", 1);
	setenv("VGPU_VECTORS", "mmx", 1);
	assert_int_equal(vgpu_native_configure(&choice, message, sizeof(message)), -EINVAL);
	assert_string_equal(message, "VGPU_VECTORS=mmx: it must be none, sse2, avx2 or avx512");
	setenv("VGPU_VECTORS", "none", 1);
	assert_int_equal(vgpu_native_configure(&choice, message, sizeof(message)), 0);
	assert_int_equal(choice.mode, VGPU_NATIVE_OFF);
	unsetenv("VGPU_VECTORS");
}

int main(void)
{
	static char sse2[] = "sse2", avx2[] = "avx2", avx512[] = "avx512";
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_configure),
		cmocka_unit_test(test_two_devices),
		{ "test_floating_point_state", test_floating_point_state, NULL, NULL, avx512 },
		{ "test_each_opcode", test_each_opcode, NULL, NULL, avx512 },
		{ "test_random", test_random, NULL, NULL, avx512 },
		{ "test_smallest", test_smallest, NULL, NULL, avx512 },
		{ "test_smallest_avx2", test_smallest, NULL, NULL, avx2 },
		{ "test_smallest_sse2", test_smallest, NULL, NULL, sse2 },
		{ "test_global", test_global, NULL, NULL, avx512 },
		{ "test_registers_of_others", test_registers_of_others, NULL, NULL, avx512 },
		{ "test_one_divisor", test_one_divisor, NULL, NULL, avx512 },
		{ "test_one_word", test_one_word, NULL, NULL, avx512 },
		{ "test_apart", test_apart, NULL, NULL, avx512 },
		{ "test_apart_avx2", test_apart, NULL, NULL, avx2 },
		{ "test_apart_sse2", test_apart, NULL, NULL, sse2 },
		{ "test_strides", test_strides, NULL, NULL, avx512 },
		{ "test_no_strides", test_no_strides, NULL, NULL, avx512 },
		{ "test_lanes_meet_twice", test_lanes_meet_twice, NULL, NULL, avx512 },
		{ "test_other_arm", test_other_arm, NULL, NULL, avx512 },
		{ "test_lanes_pass", test_lanes_pass, NULL, NULL, avx512 },
		{ "test_lanes_pass_sse2", test_lanes_pass, NULL, NULL, sse2 },
		{ "test_half_of_pair", test_half_of_pair, NULL, NULL, avx512 },
		{ "test_structured", test_structured, NULL, NULL, avx512 },
		{ "test_structured_avx2", test_structured, NULL, NULL, avx2 },
		{ "test_structured_sse2", test_structured, NULL, NULL, sse2 },
		{ "test_strides_avx2", test_strides, NULL, NULL, avx2 },
		{ "test_strides_sse2", test_strides, NULL, NULL, sse2 },
		{ "test_each_opcode_avx2", test_each_opcode, NULL, NULL, avx2 },
		{ "test_random_avx2", test_random, NULL, NULL, avx2 },
		{ "test_global_avx2", test_global, NULL, NULL, avx2 },
		{ "test_each_opcode_sse2", test_each_opcode, NULL, NULL, sse2 },
		{ "test_random_sse2", test_random, NULL, NULL, sse2 },
		{ "test_global_sse2", test_global, NULL, NULL, sse2 },
		{ "test_fma_ties", test_fma_ties, NULL, NULL, sse2 },
	};

	for (u32 op = 0; op < VGPU_OP_COUNT; op++)
		cost[op] = (u16)(1 + op * 7);
	if (getenv("TEST_ONLY"))
		cmocka_set_test_filter(getenv("TEST_ONLY"));
	return cmocka_run_group_tests(tests, NULL, NULL);
}

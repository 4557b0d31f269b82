// SPDX-License-Identifier: MIT
/*
 * Control flow of a warp: reconvergence in cases small enough to follow on paper, in random
 * programs against lanes that are run one by one, and the bound on the stack; guards, votes,
 * shuffles, special registers, slices.
 */
#include <stdio.h>
#include <string.h>

#include "lanes_rig.h"
#include "sm/verify.h"
#include "vass_build.h"

static void load(struct rig *rig, const struct vass *v)
{
	assert_true(v->count <= VGPU_ARRAY_SIZE(rig->code));
	memcpy(rig->code, v->code, v->count * sizeof(v->code[0]));
}

/* R0 = lane */
static void lanes_in_r0(struct rig *rig)
{
	for (u32 l = 0; l < VGPU_LANES; l++)
		rig_r(rig, 0)[l] = l;
}

static u32 set(struct vass *v, u32 cmp, u32 pred, u32 reg, u32 value)
{
	return vass_op(v, VGPU_OP_SETPU, cmp | VGPU_F_IMM, pred, reg, 0, 0, value);
}

static u32 branch(struct vass *v, u32 pred)
{
	u32 at = OP(v, BRA, 0, 0, 0, 0, 0, 0);

	vass_guard(v, pred);
	return at;
}

/*
 * if (lane < 16) { if (lane < 4) a; else b; } else c; d
 * R1 collects which parts a lane passed, R2 the mask each of them ran under.
 */
static void test_nested_if(void **state)
{
	struct vass v;
	u32 outer, inner, skip_b, skip_c;

	(void)state;
	vass_init(&v, 8, 0);
	set(&v, VGPU_CMP_GE, 0, 0, 16);
	set(&v, VGPU_CMP_GE, 1, 0, 4);
	outer = branch(&v, 0);
	inner = branch(&v, 1);
	OP(&v, ACTIVE, 0, 2, 0, 0, 0, 0);	/* a */
	OPI(&v, ADD, 1, 1, 1);
	skip_b = branch(&v, VGPU_PT);
	vass_target(&v, inner, v.count, v.count + 2);
	OP(&v, ACTIVE, 0, 2, 0, 0, 0, 0);	/* b */
	OPI(&v, ADD, 1, 1, 2);
	vass_target(&v, skip_b, v.count, VGPU_NO_RECONV);
	OP(&v, ACTIVE, 0, 3, 0, 0, 0, 0);	/* where a and b meet */
	skip_c = branch(&v, VGPU_PT);
	vass_target(&v, outer, v.count, v.count + 2);
	OP(&v, ACTIVE, 0, 2, 0, 0, 0, 0);	/* c */
	OPI(&v, ADD, 1, 1, 4);
	vass_target(&v, skip_c, v.count, VGPU_NO_RECONV);
	OP(&v, ACTIVE, 0, 4, 0, 0, 0, 0);	/* d */
	OPI(&v, ADD, 1, 1, 8);
	OP(&v, EXIT, 0, 0, 0, 0, 0, 0);
	for (int build = 0; build < rig_builds(); build++) {
		struct rig *rig = rig_new(1);

		load(rig, &v);
		lanes_in_r0(rig);
		assert_int_equal(rig_run(rig, build, 1000), VGPU_LANES_EXIT);
		for (u32 l = 0; l < VGPU_LANES; l++) {
			assert_int_equal(rig_r(rig, 1)[l], l < 4 ? 9 : l < 16 ? 10 : 12);
			assert_int_equal(rig_r(rig, 2)[l], l < 4  ? 0xf :
							   l < 16 ? 0xfff0 :
								    0xffff0000);
			assert_int_equal(rig_r(rig, 3)[l], l < 16 ? 0xffff : 0);
			assert_int_equal(rig_r(rig, 4)[l], 0xffffffff);
		}
		rig_free(rig);
	}
}

/* Lane l goes l + 1 times round; the stack does not grow while they leave one after the other. */
static void test_loop(void **state)
{
	struct vass v;
	u32 at;

	(void)state;
	vass_init(&v, 8, 0);
	OPI(&v, ADD, 1, 1, 1);
	vass_op(&v, VGPU_OP_SETPU, VGPU_CMP_LE, 0, 1, 0, 0, 0);
	at = branch(&v, 0);
	vass_target(&v, at, 0, v.count);
	OP(&v, ACTIVE, 0, 2, 0, 0, 0, 0);
	OP(&v, EXIT, 0, 0, 0, 0, 0, 0);
	for (int build = 0; build < rig_builds(); build++) {
		struct rig *rig = rig_new(1);
		u32 deepest = 0, steps = 0;

		load(rig, &v);
		lanes_in_r0(rig);
		while (rig_run(rig, build, 1) == VGPU_LANES_BUDGET) {
			steps++;
			if (rig->warp.depth > deepest)
				deepest = rig->warp.depth;
		}
		assert_int_equal(steps, 32 * 3 + 1);
		assert_int_equal(deepest, 1);
		for (u32 l = 0; l < VGPU_LANES; l++) {
			assert_int_equal(rig_r(rig, 1)[l], l + 1);
			assert_int_equal(rig_r(rig, 2)[l], 0xffffffff);
		}
		rig_free(rig);
	}
}

/* Lanes leave one by one in different places; the others go on, and meet. */
static void test_partial_exit(void **state)
{
	struct vass v;
	u32 at;

	(void)state;
	vass_init(&v, 8, 0);
	set(&v, VGPU_CMP_LT, 0, 0, 8);
	set(&v, VGPU_CMP_EQ, 1, 0, 20);
	OP(&v, EXIT, 0, 0, 0, 0, 0, 0);
	vass_guard(&v, 1);				/* lane 20 */
	at = branch(&v, 0);
	OP(&v, ACTIVE, 0, 1, 0, 0, 0, 0);
	set(&v, VGPU_CMP_GE, 2, 0, 16);
	OP(&v, EXIT, 0, 0, 0, 0, 0, 0);
	vass_guard(&v, 2);				/* lanes 16.. */
	vass_target(&v, at, v.count, v.count);
	OP(&v, ACTIVE, 0, 2, 0, 0, 0, 0);
	OP(&v, EXIT, 0, 0, 0, 0, 0, 0);
	for (int build = 0; build < rig_builds(); build++) {
		struct rig *rig = rig_new(1);

		load(rig, &v);
		lanes_in_r0(rig);
		assert_int_equal(rig_run(rig, build, 1000), VGPU_LANES_EXIT);
		assert_int_equal(rig->warp.live, 0);
		for (u32 l = 0; l < VGPU_LANES; l++) {
			assert_int_equal(rig_r(rig, 1)[l], l >= 8 && l != 20 ? 0xffefff00 : 0);
			assert_int_equal(rig_r(rig, 2)[l], l < 16 ? 0xffff : 0);
		}
		rig_free(rig);
	}
}

/*
 * Random branches, targets and reconvergence points, hostile ones included: every lane must compute
 * what it computes alone, as long as each runs to its end, and the stack stays below its bound.
 * Lane results do not depend on reconvergence because the program has no communication.
 */
static void test_random_programs(void **state)
{
	const struct vgpu_vass_kernel kernel = { .regs = 8, .code_count = 24 };
	struct rig *rig = rig_new(1), *alone = rig_new(1);
	u64 seed = 11;
	u32 ended = 0, deepest = 0;

	(void)state;
	for (u32 round = 0; round < 1500; round++) {
		int build = (int)(round % (u32)rig_builds());
		u32 fuel = 0;
		enum vgpu_lanes_end end = VGPU_LANES_BUDGET;

		for (u32 n = 0; n < 24; n++) {
			u64 r = rig_random(&seed);
			struct vgpu_insn *i = &rig->code[n];

			memset(i, 0, sizeof(*i));
			i->guard = r >> 60 ? VGPU_PT : (u8)(r & 0x43);
			if (n == 23) {
				*i = (struct vgpu_insn){ .op = VGPU_OP_EXIT, .guard = VGPU_PT };
			} else if (n % 3 == 0) {
				i->op = VGPU_OP_SETPU;
				i->flags =
					VGPU_F_IMM | (u8)(r >> 8 & 1 ? VGPU_CMP_LT : VGPU_CMP_GT);
				i->dst = r >> 16 & 3;
				i->a = r >> 18 & 3;
				i->imm = r >> 24 & 63;
			} else if (n % 3 == 1) {
				i->op = r >> 8 & 1 ? VGPU_OP_ADD : VGPU_OP_XOR;
				i->flags = VGPU_F_IMM;
				i->dst = r >> 16 & 3;
				i->a = r >> 18 & 3;
				i->imm = r >> 24 & 31;
			} else if (r >> 8 & 15) {
				i->op = VGPU_OP_BRA;
				i->guard = r & 0x43;
				i->imm = (r >> 16) % 24 |
					 (r >> 32 & 7 ? (r >> 40) % 24 : VGPU_NO_RECONV) << 32;
			} else {
				i->op = VGPU_OP_EXIT;
			}
			assert_null(vgpu_verify_insn(i, &kernel));
		}
		memcpy(alone->code, rig->code, sizeof(rig->code));
		memset(rig->regs, 0, sizeof(rig->regs));
		rig_reset(rig, ~0u);
		lanes_in_r0(rig);
		while (end == VGPU_LANES_BUDGET && fuel++ < 4000) {
			end = rig_run(rig, build, 1);
			assert_int_not_equal(end, VGPU_LANES_FAULT);
			if (rig->warp.depth > deepest)
				deepest = rig->warp.depth;
		}
		if (end != VGPU_LANES_EXIT)
			continue;	/* it loops for ever: some do */
		ended++;
		for (u32 l = 0; l < VGPU_LANES; l++) {
			memset(alone->regs, 0, sizeof(alone->regs));
			rig_reset(alone, 1u << l);
			lanes_in_r0(alone);
			assert_int_equal(rig_run(alone, build, 4000), VGPU_LANES_EXIT);
			for (u32 n = 0; n < 4; n++)
				assert_int_equal(rig_r(alone, n)[l], rig_r(rig, n)[l]);
		}
	}
	assert_true(ended > 300);
	assert_true(deepest >= 4 && deepest <= 62);
	rig_free(rig);
	rig_free(alone);
}

/*
 * The deepest nest there is: each divergence takes one lane away from the rest, with a new
 * reconvergence point.
 */
static void test_stack_bound(void **state)
{
	(void)state;
	for (int build = 0; build < rig_builds(); build++) {
		struct rig *rig = rig_new(1);
		u32 deepest = 0;

		/*
		 * 31 branches in a row at 0..30, lane n jumps at branch n, all meet at different
		 * points behind
		 */
		for (u32 n = 0; n < 31; n++) {
			rig->code[n] =
				(struct vgpu_insn){ .op = VGPU_OP_BRA,
						    .guard = (u8)n,
						    .imm = (u64)(62 - n) << 32 | (33 - n % 2) };
			rig->warp.preds[n] = 1u << n;
		}
		for (u32 n = 31; n < 64; n++)
			rig->code[n] = (struct vgpu_insn){ .op = VGPU_OP_NOP, .guard = VGPU_PT };
		rig->code[63] = (struct vgpu_insn){ .op = VGPU_OP_EXIT, .guard = VGPU_PT };
		for (;;) {
			enum vgpu_lanes_end end = rig_run(rig, build, 1);

			if (rig->warp.depth > deepest)
				deepest = rig->warp.depth;
			if (end == VGPU_LANES_EXIT)
				break;
			assert_int_equal(end, VGPU_LANES_BUDGET);
		}
		assert_int_equal(deepest, 62);
		rig_free(rig);
	}
}

static u32 ref_shuffle(u32 how, u32 lane, u32 b, u32 c, bool *in_range)
{
	s32 segment = (s32)(c >> 8 & 31), clamp = (s32)(c & 31), n = (s32)(b & 31), l = (s32)lane;
	s32 most = (l & segment) | (clamp & ~segment), least = l & segment, j;

	switch (how) {
	case VGPU_SHFL_UP:
		j = l - n;
		*in_range = j >= most;
		break;
	case VGPU_SHFL_DOWN:
		j = l + n;
		*in_range = j <= most;
		break;
	case VGPU_SHFL_BFLY:
		j = l ^ n;
		*in_range = j <= most;
		break;
	default:
		j = least | (n & ~segment);
		*in_range = j <= most;
	}
	return *in_range ? (u32)j : lane;
}

static void test_shuffle(void **state)
{
	u64 seed = 4;

	(void)state;
	for (u32 round = 0; round < 2000; round++) {
		struct rig *rig = rig_new(1);
		int build = (int)(round % (u32)rig_builds());
		u32 how = round / 2 % VGPU_SHFL_COUNT,
		    m = round % 3 ? ~0u : (u32)rig_random(&seed) | 2;
		bool immediate = round % 5 == 0;
		u32 before[VGPU_LANES], imm = (u32)rig_random(&seed) & 31;

		for (u32 l = 0; l < VGPU_LANES; l++) {
			rig_r(rig, 1)[l] = (u32)rig_random(&seed);
			rig_r(rig, 2)[l] = (u32)rig_random(&seed);
			/* as the intrinsics make it for a width of 2^k, or anything */
			rig_r(rig, 3)[l] = round & 64 ? (u32)rig_random(&seed) :
				((32u - (1u << round % 6)) << 8 | (how == VGPU_SHFL_UP ? 0 : 31));
		}
		memcpy(before, rig_r(rig, 1), sizeof(before));
		rig->warp.active = m;
		rig->code[0] =
			(struct vgpu_insn){ .op = VGPU_OP_SHFL,
					    .guard = VGPU_PT,
					    .flags = (u8)(how | (immediate ? VGPU_F_IMM : 0)),
					    .dst = 1,
					    .a = 1,
					    .b = immediate ? 0 : 2,
					    .c = 3,
					    .imm = 5ull << 32 | (immediate ? imm : 0) };
		rig_run(rig, build, 1);
		for (u32 l = 0; l < VGPU_LANES; l++) {
			bool ok;
			u32 from = ref_shuffle(how, l, immediate ? imm : rig_r(rig, 2)[l],
					       rig_r(rig, 3)[l], &ok);

			if (m >> l & 1) {
				assert_int_equal(rig_r(rig, 1)[l], before[from]);
				assert_int_equal(rig->warp.preds[5] >> l & 1, ok);
			} else {
				assert_int_equal(rig_r(rig, 1)[l], before[l]);
				assert_int_equal(rig->warp.preds[5] >> l & 1, 0);
			}
		}
		rig_free(rig);
	}
}

static void test_votes(void **state)
{
	static const u32 yes[] = { 0, ~0u, 0x0000ff00, 0x00000f00, 0x80000000, 0xffff00ff };
	const u32 m = 0x0000ff00;

	(void)state;
	for (int build = 0; build < rig_builds(); build++) {
		for (size_t n = 0; n < VGPU_ARRAY_SIZE(yes); n++) {
			struct rig *rig = rig_new(1);
			u32 in = yes[n] & m;
			struct vass v;

			vass_init(&v, 8, 0);
			OP(&v, VOTE, VGPU_VOTE_ALL, 1, 0, 0, 0, 0);
			OP(&v, VOTE, VGPU_VOTE_ANY, 2, 0, 0, 0, 0);
			OP(&v, VOTE, VGPU_VOTE_UNI, 3, 0, 0, 0, 0);
			OP(&v, VOTE, VGPU_VOTE_ANY, 4, 0 | VGPU_P_NOT, 0, 0, 0);
			OP(&v, BALLOT, 0, 1, 0, 0, 0, 0);
			OP(&v, P2R, 0, 2, 0, 0, 0, 0);
			OP(&v, VOTE, VGPU_VOTE_ALL, VGPU_PT, 0, 0, 0, 0);
			load(rig, &v);
			memset(rig->regs, 0, sizeof(rig->regs));
			rig->warp.active = m;
			rig->warp.preds[0] = yes[n];
			rig_run(rig, build, v.count);
			assert_int_equal(rig->warp.preds[1], in == m ? m : 0);
			assert_int_equal(rig->warp.preds[2], in ? m : 0);
			assert_int_equal(rig->warp.preds[3], in == m || !in ? m : 0);
			assert_int_equal(rig->warp.preds[4], in != m ? m : 0);
			assert_int_equal(rig->warp.preds[VGPU_PT], ~0u);
			for (u32 l = 0; l < VGPU_LANES; l++) {
				assert_int_equal(rig_r(rig, 1)[l], m >> l & 1 ? in : 0);
				assert_int_equal(rig_r(rig, 2)[l], in >> l & 1);
			}
			rig_free(rig);
		}
	}
}

static void test_match(void **state)
{
	const u32 m = 0xfffffffe;
	u64 seed = 9;

	(void)state;
	for (int build = 0; build < rig_builds(); build++) {
		struct rig *rig = rig_new(1);

		for (u32 l = 0; l < VGPU_LANES; l++) {
			rig_r(rig, 0)[l] = (u32)rig_random(&seed) & 3;
			rig_q(rig, 2)[l] = (rig_random(&seed) & 1) << 40 | (rig_random(&seed) & 1);
		}
		rig->warp.active = m;
		rig->code[0] = (struct vgpu_insn){
			.op = VGPU_OP_MATCH, .guard = VGPU_PT, .dst = 4, .a = 0
		};
		rig->code[1] = (struct vgpu_insn){
			.op = VGPU_OP_MATCHQ, .guard = VGPU_PT, .dst = 5, .a = 2
		};
		/* they count as 16 and 32, but are two */
		rig->lanes.threads = 0;
		rig->lanes.slow = 0;
		assert_int_equal(rig_run(rig, build, 48), VGPU_LANES_BUDGET);
		assert_int_equal(rig->warp.pc, 2);
		assert_int_equal(rig->lanes.slow, 46);
		assert_int_equal(rig->lanes.threads, 2 * 31);
		for (u32 l = 1; l < VGPU_LANES; l++) {
			u32 same = 0, sameq = 0;

			for (u32 j = 1; j < VGPU_LANES; j++) {
				same |= (u32)(rig_r(rig, 0)[j] == rig_r(rig, 0)[l]) << j;
				sameq |= (u32)(rig_q(rig, 2)[j] == rig_q(rig, 2)[l]) << j;
			}
			assert_int_equal(rig_r(rig, 4)[l], same);
			assert_int_equal(rig_r(rig, 5)[l], sameq);
		}
		rig_free(rig);
	}
}

static void test_predicates(void **state)
{
	const u32 x = 0xf0f0aaaa, y = 0x0ff0cccc, m = 0x00ffffff, old = 0x12345678;

	(void)state;
	for (int build = 0; build < rig_builds(); build++) {
		struct rig *rig = rig_new(1);
		struct vass v;

		vass_init(&v, 8, 0);
		OP(&v, PAND, 0, 2, 0, 1, 0, 0);
		OP(&v, POR, 0, 3, 0, 1 | VGPU_P_NOT, 0, 0);
		OP(&v, PXOR, 0, 4, 0 | VGPU_P_NOT, 1, 0, 0);
		OP(&v, PMOV, 0, 5, VGPU_PT | VGPU_P_NOT, 0, 0, 0);
		OP(&v, PMOV, 0, VGPU_PT, 0, 0, 0, 0);
		OP(&v, SEL, 0, 2, 0, 1, 0 | VGPU_P_NOT, 0);
		load(rig, &v);
		rig->warp.active = m;
		rig->warp.preds[0] = x;
		rig->warp.preds[1] = y;
		for (u32 n = 2; n < 6; n++)
			rig->warp.preds[n] = old;
		for (u32 l = 0; l < VGPU_LANES; l++) {
			rig_r(rig, 0)[l] = 1;
			rig_r(rig, 1)[l] = 2;
		}
		rig_run(rig, build, v.count);
		assert_int_equal(rig->warp.preds[2], ((x & y) & m) | (old & ~m));
		assert_int_equal(rig->warp.preds[3], ((x | ~y) & m) | (old & ~m));
		assert_int_equal(rig->warp.preds[4], ((~x ^ y) & m) | (old & ~m));
		assert_int_equal(rig->warp.preds[5], old & ~m);
		assert_int_equal(rig->warp.preds[VGPU_PT], ~0u);
		for (u32 l = 0; l < 24; l++)
			assert_int_equal(rig_r(rig, 2)[l], x >> l & 1 ? 2 : 1);
		rig_free(rig);
	}
}

static void test_special_registers(void **state)
{
	(void)state;
	for (int build = 0; build < rig_builds(); build++) {
		struct rig *rig = rig_new(1);
		struct vass v;

		vass_init(&v, 64, 0);
		for (u32 n = 0; n < VGPU_SR_COUNT32; n++)
			OP(&v, SREG, 0, n, 0, 0, 0, n);
		OP(&v, SREGQ, 0, 40, 0, 0, 0, VGPU_SR_CLOCK64);
		OP(&v, SREGQ, 0, 42, 0, 0, 0, VGPU_SR_GLOBALTIMER);
		load(rig, &v);
		rig->warp.index = 1;	/* threads 32..63 of a block of 8 x 4 x 2 */
		rig->lanes.block[0] = 4;
		rig->lanes.block[1] = 3;
		rig->lanes.block[2] = 2;
		rig->lanes.sm_index = 11;
		rig->lanes.sm_count = 13;
		rig->lanes.clock = 0x100000000ull;
		rig->lanes.timer = 77;
		rig->cost[VGPU_OP_SREG] = 1;
		rig_run(rig, build, v.count);
		for (u32 l = 0; l < VGPU_LANES; l++) {
			const u32 want[VGPU_SR_COUNT32] = {
				l % 8,
				l / 8,
				1,
				8,
				4,
				2,
				4,
				3,
				2,
				5,
				6,
				7,
				l,
				1,
				2,
				11,
				13,
				9,
				1u << l,
				(1u << l) - 1,
				(1u << l) | ((1u << l) - 1),
				~((1u << l) | ((1u << l) - 1)),
				~((1u << l) - 1),
				12,
				VGPU_SR_COUNT32,
			};

			for (u32 n = 0; n < VGPU_SR_COUNT32; n++)
				assert_int_equal(rig_r(rig, n)[l], want[n]);
			assert_int_equal(rig_q(rig, 40)[l], 0x100000000ull + VGPU_SR_COUNT32);
			assert_int_equal(rig_q(rig, 42)[l], 77);
		}
		rig_free(rig);
	}
}

/* The rounding mode of the caller, subnormals flushed: x86's MXCSR, arm64's FPCR */
#ifdef __x86_64__
#define STRANGE_MODE	(0x1f80u | 0x6000u | 0x8040u)
#define MODE_BITS	(~0x3fu)	/* not the exceptions that there were */

static u32 read_mode(void)
{
	return __builtin_ia32_stmxcsr();
}

static void write_mode(u32 mode)
{
	__builtin_ia32_ldmxcsr(mode);
}
#else
#define STRANGE_MODE	(3u << 22 | 1u << 24)
#define MODE_BITS	(~0u)

static u32 read_mode(void)
{
	return (u32)__builtin_aarch64_get_fpcr();
}

static void write_mode(u32 mode)
{
	__builtin_aarch64_set_fpcr(mode);
}
#endif

/* Whatever the caller's mode is, the lanes compute by their own and give it back. */
static void test_mode_of_caller(void **state)
{
	u32 usual = read_mode();

	(void)state;
	for (int build = 0; build < rig_builds(); build++) {
		struct rig *rig = rig_new(1);
		u32 after;

		for (u32 l = 0; l < VGPU_LANES; l++) {
			rig_r(rig, 0)[l] = 0x00400000;	/* subnormal */
			rig_r(rig, 1)[l] = 0x3f800000;
			rig_r(rig, 2)[l] = 0x33c00000;	/* 2^-24 x 1.5: rounds up */
		}
		rig->code[0] = (struct vgpu_insn){
			.op = VGPU_OP_FMUL, .guard = VGPU_PT, .dst = 3, .a = 0, .b = 1
		};
		rig->code[1] = (struct vgpu_insn){
			.op = VGPU_OP_FADD, .guard = VGPU_PT, .dst = 4, .a = 1, .b = 2
		};
		write_mode(STRANGE_MODE);
		rig_run(rig, build, 2);
		after = read_mode();
		write_mode(usual);
		assert_int_equal(after & MODE_BITS, STRANGE_MODE & MODE_BITS);
		assert_int_equal(rig_r(rig, 3)[0], 0x00400000);
		assert_int_equal(rig_r(rig, 4)[0], 0x3f800001);
		rig_free(rig);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nested_if),    cmocka_unit_test(test_loop),
		cmocka_unit_test(test_partial_exit), cmocka_unit_test(test_random_programs),
		cmocka_unit_test(test_stack_bound),  cmocka_unit_test(test_shuffle),
		cmocka_unit_test(test_votes),	     cmocka_unit_test(test_match),
		cmocka_unit_test(test_predicates),   cmocka_unit_test(test_special_registers),
		cmocka_unit_test(test_mode_of_caller),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

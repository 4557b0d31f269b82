// SPDX-License-Identifier: MIT
/*
 * Every arithmetic opcode, in all builds of the lanes, against the reference: random and extreme
 * operands, every legal combination of flags, immediates, part of the lanes active, results that
 * overlap operands.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fma_tie.h"
#include "lanes_rig.h"
#include "ops_ref.h"
#include "sm/verify.h"

enum kind { KIND_N, KIND_R, KIND_Q, KIND_P, KIND_RI, KIND_QI, KIND_V, KIND_W, KIND_A };

static const struct {
	const char *name;
	enum kind dst, a, b, c;
} rows[] = {
#define ROW(name, class, dst, a, b, c)	{ #name, KIND_##dst, KIND_##a, KIND_##b, KIND_##c },
	VGPU_ISA(ROW)
};

static const u32 edges32[] = {
	0,
	1,
	2,
	3,
	4,
	5,
	7,
	8,
	31,
	32,
	33,
	63,
	64,
	255,
	256,
	0x7fff,
	0x8000,
	0xffff,
	0x10000,
	0x3ff00000,
	0x7ffffffe,
	0x7fffffff,
	0x80000000,
	0x80000001,
	0xffffffff,
	0xfffffffe,
	0xffffff80,
	0x00ff00ff,
	0x0810,
	0x2000,
	0x0420,
	/* floats */
	0x3f800000,
	0xbf800000,
	0x3f000000,
	0xbf000000,
	0x3fc00000,
	0x40200000,
	0xc0200000,
	0x3effffff,
	0x3f000001,
	0x3f7fffff,
	0x3f7ffffe,
	0x00800000,
	0x00800001,
	0x00ffffff,
	0x80800000,
	0x007fffff,
	0x00000001,
	0x807fffff,
	0x7f7fffff,
	0xff7fffff,
	0x7f800000,
	0xff800000,
	0x7fc00000,
	0xffc00000,
	0x7f800001,
	0xffbfffff,
	0x4b000000,
	0x4b7fffff,
	0x4b800001,
	0x4f000000,
	0xcf000000,
	0x4f7fffff,
	0x4f800000,
	0x5f000000,
	0xdf000000,
	0x5f800000,
	0x5f7fffff,
	0x477fe000,
	0x477ff000,
	0x33000000,
	0x33800000,
	0x387fc000,
	0x38800000,
	0x387fe000,
	0x32ffffff,
	0x33000001,
	/* halves */
	0x0001,
	0x03ff,
	0x0400,
	0x7bff,
	0x7c00,
	0x7c01,
	0xfc00,
	0xfe00,
	0x3c00,
	0xbc00,
};
static const u64 edges64[] = {
	0,
	1,
	2,
	3,
	31,
	32,
	63,
	64,
	65,
	0xffffffff,
	0x100000000,
	0x7fffffffffffffff,
	0x8000000000000000,
	0x8000000000000001,
	0xffffffffffffffff,
	0xfffffffffffffffe,
	0x00ff00ff00ff00ff,
	/* doubles */
	0x3ff0000000000000,
	0xbff0000000000000,
	0x3fe0000000000000,
	0xbfe0000000000000,
	0x3ff8000000000000,
	0x4004000000000000,
	0xc004000000000000,
	0x0010000000000000,
	/* about the smallest float that is normal */
	0x380fffffe0000000,
	0x380fffffefffffff,
	0xb80ffffff0000000,
	0x380ffffff0000001,
	0x000fffffffffffff,
	0x8000000000000001,
	0x800fffffffffffff,
	0x7fefffffffffffff,
	0xffefffffffffffff,
	0x7ff0000000000000,
	0xfff0000000000000,
	0x7ff8000000000000,
	0xfff8000000000000,
	0x7ff0000000000001,
	0x41dfffffffc00000,
	0x41dfffffffe00000,
	0x41e0000000000000,
	0xc1e0000000000000,
	0xc1e0000000200000,
	0x41efffffffe00000,
	0x41f0000000000000,
	0x43e0000000000000,
	0xc3e0000000000000,
	0x43f0000000000000,
	0x43efffffffffffff,
	0x43dfffffffffffff,
	0x36a0000000000000,
	0x3690000000000000,
	0x36a0000000000001,
	0x380fffffffffffff,
	0x3810000000000000,
	0x47efffffe0000000,
	0x47efffffefffffff,
	0x47effffff0000000,
	0x4330000000000001,
	0x432fffffffffffff,
	0x3c90000000000001,
};

static u32 value32(u64 *seed)
{
	u64 r = rig_random(seed);

	switch (r >> 60) {
	case 0: case 1: case 2: case 3: case 4: case 5:
		return edges32[r % VGPU_ARRAY_SIZE(edges32)];
	case 6: case 7:	/* floats of like size, so that sums cancel and round */
		return (u32)(r & 0x807fffff) | (u32)(120 + (r >> 32) % 16) << 23;
	case 8:
		return (u32)r & 0x1f1f;
	case 9:	/* integers of every size; floats that are subnormal, or become so */
		return (u32)(r >> 32) & 1 ? (u32)r >> (r >> 33) % 32 : (u32)r & 0x817fffff;
	default:
		return (u32)r;
	}
}

static u64 value64(u64 *seed)
{
	u64 r = rig_random(seed);

	switch (r >> 60) {
	case 0: case 1: case 2: case 3: case 4: case 5:
		return edges64[r % VGPU_ARRAY_SIZE(edges64)];
	case 6: case 7:
		return (r & 0x800fffffffffffff) | (u64)(1015 + rig_random(seed) % 16) << 52;
	case 8:	/* products near the bottom and the top of the range */
		return (r & 0x800fffffffffffff) | (u64)(490 + rig_random(seed) % 80) << 52;
	case 9:
		return (r & 0x800fffffffffffff) | rig_random(seed) % 60 << 52;
	case 10: case 11:	/* integers of every size, of either sign */
		return (u64)((s64)rig_random(seed) >> r % 64);
	case 12:	/* floats about where integers end */
		return (r & 0x800fffffffffffff) | (u64)(1023 + r / 7 % 66) << 52;
	default:
		return r;
	}
}

/* Bits of the operand as the lane sees it. */
static u64 operand(struct rig *rig, enum kind kind, u32 n, u32 lane)
{
	switch (kind) {
	case KIND_R: case KIND_RI:
		return rig_r(rig, n)[lane];
	case KIND_Q: case KIND_QI:
		return rig_q(rig, n)[lane];
	default:
		return 0;
	}
}

static bool wide(enum kind kind)
{
	return kind == KIND_Q || kind == KIND_QI;
}

/* Registers 0..15 for the operands, overlapping in every way that a program may make them. */
static u8 some_register(enum kind kind, u64 *seed)
{
	u8 n = rig_random(seed) % 12;

	if (kind == KIND_N)
		return 0;
	if (kind == KIND_P)
		return rig_random(seed) % 63;
	return wide(kind) ? n & ~1 : n;
}

/* What registers of the first rig have, in all builds */
static void check(struct rig *rigs[RIG_BUILDS], const struct vgpu_insn *i, u32 active)
{
	u64 expected[VGPU_LANES], got;
	u32 before[VGPU_LANES * 2];
	bool known = true;
	char what[96];

	for (u32 l = 0; l < VGPU_LANES; l++) {
		u64 b = i->flags & VGPU_F_IMM &&
					(rows[i->op].b == KIND_RI || rows[i->op].b == KIND_QI) ?
				(rows[i->op].b == KIND_RI ? (u32)i->imm : i->imm) :
				operand(rigs[0], rows[i->op].b, i->b, l);

		known = ref_op(i->op, i->flags & ~VGPU_F_IMM,
			       operand(rigs[0], rows[i->op].a, i->a, l), b,
			       operand(rigs[0], rows[i->op].c, i->c, l), i->imm, &expected[l]);
		if (!known)
			break;
	}
	for (int build = 1; build < rig_builds(); build++)
		memcpy(rigs[build]->regs, rigs[0]->regs, sizeof(rigs[0]->regs));
	memcpy(before, rig_r(rigs[0], i->dst < 60 ? i->dst : 0), sizeof(before));
	snprintf(what, sizeof(what), "%s flags %02x", rows[i->op].name, i->flags);
	for (int build = 0; build < rig_builds(); build++) {
		rig_reset(rigs[build], ~0u);
		rigs[build]->warp.active = active;
		rigs[build]->code[0] = *i;
		assert_int_equal(rig_run(rigs[build], build, 1), VGPU_LANES_BUDGET);
		for (u32 l = 0; known && l < VGPU_LANES; l++) {
			u64 want = expected[l];

			if (rows[i->op].dst == KIND_P) {
				got = rigs[build]->warp.preds[i->dst] >> l & 1;
				if (!(active >> l & 1))
					want = 0;
			} else {
				got = operand(rigs[build], rows[i->op].dst, i->dst, l);
				if (!(active >> l & 1))
					want = wide(rows[i->op].dst) ? ((u64 *)before)[l] :
								       before[l];
			}
			if (got != want)
				fail_msg("%s build %s lane %u: got %llx, want %llx", what,
					 rig_build_name(build), l, (unsigned long long)got,
					 (unsigned long long)want);
		}
	}
	for (int build = 1; build < rig_builds(); build++)
		rig_same(rigs[build], build, rigs[0], what);
}

static void one(struct rig *rigs[RIG_BUILDS], const struct vgpu_insn *i, u32 active, u64 *seed)
{
	for (u32 n = 0; n < 16; n += 2) {
		for (u32 l = 0; l < VGPU_LANES; l++) {
			if (wide(rows[i->op].a) || (wide(rows[i->op].b) && n & 4)) {
				rig_q(rigs[0], n)[l] = value64(seed);
			} else {
				rig_r(rigs[0], n)[l] = value32(seed);
				rig_r(rigs[0], n + 1)[l] = value32(seed);
			}
		}
	}
	check(rigs, i, active);
}

static bool tested(u32 op)
{
	u64 r;

	/* of the approximate ones: that all builds are alike */
	return ref_op(op, 0, 0, 0, 0, 0, &r) || op == VGPU_OP_FRSQ ||
	       (op >= VGPU_OP_FSIN && op <= VGPU_OP_FTANH);
}

static void run_range(u32 from, u32 to)
{
	static const u32 masks[] = { ~0u,	 ~0u,	     ~0u,	 0x00000001,
				     0x80000000, 0xaaaaaaaa, 0x0000ffff, 0x7fffffff };
	const struct vgpu_vass_kernel kernel = { .regs = 16, .code_count = 1 };
	struct rig *rigs[RIG_BUILDS];
	u64 seed = from;

	rigs_new(rigs, 1);
	for (u32 op = from; op <= to; op++) {
		u32 forms = 0;

		if (!tested(op))
			continue;
		for (u32 flags = 0; flags < 256; flags++) {
			for (u32 round = 0; round < 36; round++) {
				struct vgpu_insn i = {
					.op = (u8)op,
					.guard = VGPU_PT,
					.flags = (u8)flags,
					.dst = some_register(rows[op].dst, &seed),
					.a = some_register(rows[op].a, &seed),
					.b = some_register(rows[op].b, &seed),
					.c = some_register(rows[op].c, &seed),
				};

				if (flags & VGPU_F_IMM) {
					i.b = 0;
					i.imm = wide(rows[op].b) ? value64(&seed) : value32(&seed);
				}
				if (op == VGPU_OP_LOP3)
					i.imm = rig_random(&seed) & 0xff;
				if (vgpu_verify_insn(&i, &kernel))
					break;
				forms += !round;
				one(rigs, &i, masks[rig_random(&seed) % VGPU_ARRAY_SIZE(masks)],
				    &seed);
			}
		}
		if (!forms)
			fail_msg("%s: no form of it passes the verifier", rows[op].name);
	}
	rigs_free(rigs);
}

static void test_int32(void **state)
{
	(void)state;
	run_range(VGPU_OP_MOV, VGPU_OP_ZXQ);
}

/* Lanes that divide by the same, of numbers next to its multiples; inactive ones by others */
static void test_one_divisor(void **state)
{
	static const u8 ops[] = { VGPU_OP_DIVS, VGPU_OP_DIVU, VGPU_OP_REMS, VGPU_OP_REMU };
	static const u32 divisors[] = { 0, 1, 2, 3, 7, 1000, 0x7fffffff, 0x80000000, 0x80000001,
					0xfffffffe, 0xffffffff };
	struct rig *rigs[RIG_BUILDS];
	u64 seed = 1;

	(void)state;
	rigs_new(rigs, 1);
	for (u32 n = 0; n < 4000; n++) {
		struct vgpu_insn i = { .op = ops[n % 4], .guard = VGPU_PT, .dst = 6, .a = 2,
				       .b = 4 };
		u32 shift = (u32)(rig_random(&seed) % 32), kind = n / 4;
		u32 y = kind < VGPU_ARRAY_SIZE(divisors) ? divisors[kind] :
							   (u32)rig_random(&seed) >> shift;
		u32 active = n % 8 < 4 ? ~0u : (u32)rig_random(&seed) | 1u << n % 32;

		for (u32 l = 0; l < VGPU_LANES; l++) {
			u32 times = (u32)rig_random(&seed) >> rig_random(&seed) % 32;

			rig_r(rigs[0], 2)[l] = y * times + l % 3 - 1;
			rig_r(rigs[0], 4)[l] = active >> l & 1 ? y : value32(&seed);
		}
		check(rigs, &i, active);
	}
	rigs_free(rigs);
}

static void test_int64(void **state)
{
	(void)state;
	run_range(VGPU_OP_ADDQ, VGPU_OP_BFIQ);
}

static void test_float32(void **state)
{
	(void)state;
	run_range(VGPU_OP_FADD, VGPU_OP_FTANH);
}

static void test_float64(void **state)
{
	(void)state;
	run_range(VGPU_OP_DADD, VGPU_OP_DRSQ);
}

static void test_conversions(void **state)
{
	(void)state;
	run_range(VGPU_OP_F2I, VGPU_OP_F2H);
}

static void test_compares(void **state)
{
	(void)state;
	run_range(VGPU_OP_SETPS, VGPU_OP_SETPD);
}

/*
 * A fused multiply-add many more times: the build without the instruction computes it another way.
 */
static void test_fma(void **state)
{
	struct rig *rigs[RIG_BUILDS];
	u64 seed = 77;

	(void)state;
	rigs_new(rigs, 1);
	for (u32 n = 0; n < 8000; n++) {
		struct vgpu_insn i = { .op = n & 1 ? VGPU_OP_FFMA : VGPU_OP_DFMA,
				       .guard = VGPU_PT,
				       .flags = n >> 1 & 3,
				       .dst = 12,
				       .a = 0,
				       .b = 2,
				       .c = 4 };

		one(rigs, &i, ~0u, &seed);
	}
	rigs_free(rigs);
}

/* Sums that would be rounded twice by way of 53 bits */
static void test_fma_ties(void **state)
{
	const struct vgpu_insn i = {
		.op = VGPU_OP_FFMA, .guard = VGPU_PT, .dst = 12, .a = 0, .b = 2, .c = 4
	};
	struct rig *rigs[RIG_BUILDS];
	u64 seed = 78;

	(void)state;
	rigs_new(rigs, 1);
	for (u32 n = 0; n < 100; n++) {
		u32 *a = rig_r(rigs[0], 0), *b = rig_r(rigs[0], 2), *c = rig_r(rigs[0], 4);

		for (u32 l = 0; l < VGPU_LANES; l++)
			fma_tie((u32)(rig_random(&seed) >> 32), &a[l], &b[l], &c[l]);
		check(rigs, &i, ~0u);
	}
	rigs_free(rigs);
}

/* ---- approximate functions ---------------------------------------------- */

static float f_of(u32 v)
{
	float f;

	memcpy(&f, &v, 4);
	return f;
}

static void special(u32 op, float from, float to, double absolute, double ulps)
{
	struct rig *rigs[RIG_BUILDS];
	u64 seed = op;

	rigs_new(rigs, 1);
	for (u32 n = 0; n < 2000; n++) {
		struct vgpu_insn i = { .op = (u8)op, .guard = VGPU_PT, .dst = 12, .a = 0 };
		float x[VGPU_LANES];

		one(rigs, &i, ~0u, &seed);	/* any bits at all: all builds alike */
		for (u32 l = 0; l < VGPU_LANES; l++)
			x[l] = from + (to - from) * (float)(rig_random(&seed) >> 40) * 0x1p-24f;
		for (int build = 0; build < rig_builds(); build++) {
			memcpy(rig_r(rigs[build], 0), x, sizeof(x));
			rig_reset(rigs[build], ~0u);
			rig_run(rigs[build], build, 1);
			for (u32 l = 0; l < VGPU_LANES; l++) {
				double want = ref_special(op, x[l]),
				       got = f_of(rig_r(rigs[build], 12)[l]);
				double ulp =
					ldexp(1, (fabs(want) < 0x1p-126 ? -126 : ilogb(want)) - 23);
				double error = fabs(got - want);

				if (!(error <= absolute || error <= ulps * ulp))
					fail_msg("%s(%a): got %a, want %a", rows[op].name,
						 (double)x[l], got, want);
			}
		}
	}
	rigs_free(rigs);
}

static void test_special(void **state)
{
	(void)state;
	special(VGPU_OP_FSIN, -3.1415927f, 3.1415927f, 0x1p-20, 0);
	special(VGPU_OP_FCOS, -3.1415927f, 3.1415927f, 0x1p-20, 0);
	special(VGPU_OP_FSIN, -256, 256, 0, 1.02);
	special(VGPU_OP_FCOS, -256, 256, 0, 1.02);
	special(VGPU_OP_FSIN, -1000, 1000, 0, 1.02);
	special(VGPU_OP_FCOS, -100000, 100000, 0, 1.02);
	special(VGPU_OP_FSIN, 256, 0x1p27f, 0, 0.61);
	special(VGPU_OP_FCOS, 256, 0x1p27f, 0, 0.61);
	special(VGPU_OP_FSIN, -1e-12f, 1e-12f, 0, 0.5);
	special(VGPU_OP_FEX2, -126, 128, 0, 0.65);
	special(VGPU_OP_FEX2, -1, 1, 0, 0.65);
	special(VGPU_OP_FEX2, -149, -126, 0, 0.78);
	special(VGPU_OP_FLG2, 0, 4, 0, 1.16);
	special(VGPU_OP_FLG2, 0.99f, 1.01f, 0, 1.16);
	special(VGPU_OP_FLG2, 1.3f, 1.42f, 0, 1.16);
	special(VGPU_OP_FLG2, 1.5f, 1e30f, 0, 0.96);
	special(VGPU_OP_FLG2, 0x1p-149f, 0x1p-126f, 0, 0.96);
	special(VGPU_OP_FTANH, -2, 2, 0, 1.11);
	special(VGPU_OP_FTANH, -100, 100, 0, 1.11);
	special(VGPU_OP_FTANH, -1e-6f, 1e-6f, 0, 1.11);
	special(VGPU_OP_FRSQ, 0, 2, 0, 2);
	special(VGPU_OP_FRSQ, 0, 1e38f, 0, 2);
}

/* Values that are exact, or not numbers. */
static void test_special_exact(void **state)
{
	static const struct {
		u32 op, x, want;		/* flags from bit 16 of op on */
	} cases[] = {
		{ VGPU_OP_FSIN, 0x7f800000, 0x7fffffff },
		{ VGPU_OP_FSIN, 0x7fc00001, 0x7fffffff },
		{ VGPU_OP_FSIN, 0x00000001, 0x00000001 },
		{ VGPU_OP_FCOS, 0, 0x3f800000 },
		{ VGPU_OP_FCOS, 0xff800000, 0x7fffffff },
		{ VGPU_OP_FEX2, 0, 0x3f800000 },
		{ VGPU_OP_FEX2, 0x41200000, 0x44800000 },
		{ VGPU_OP_FEX2, 0x7f800000, 0x7f800000 },
		{ VGPU_OP_FEX2, 0xff800000, 0 },
		{ VGPU_OP_FEX2, 0xffc00000, 0x7fffffff },
		{ VGPU_OP_FEX2, 0x43000000, 0x7f800000 },
		{ VGPU_OP_FLG2, 0x3f800000, 0 },
		{ VGPU_OP_FLG2, 0x44800000, 0x41200000 },
		{ VGPU_OP_FLG2, 0, 0xff800000 },
		{ VGPU_OP_FLG2, 0x80000000, 0xff800000 },
		{ VGPU_OP_FLG2, 0x7f800000, 0x7f800000 },
		{ VGPU_OP_FLG2, 0xbf800000, 0x7fffffff },
		{ VGPU_OP_FLG2, 0x00000001, 0xc3150000 },
		{ VGPU_OP_FTANH, 0x7f800000, 0x3f800000 },
		{ VGPU_OP_FTANH, 0xff800000, 0xbf800000 },
		{ VGPU_OP_FTANH, 0, 0 },
		{ VGPU_OP_FTANH, 0x00000001, 0x00000001 },
		{ VGPU_OP_FTANH, 0x7f800001, 0x7fffffff },
		/* the sign of zero */
		{ VGPU_OP_FSIN, 0x80000000, 0x80000000 },
		{ VGPU_OP_FTANH, 0x80000000, 0x80000000 },
		/* the ends: 2^-149, half of it, most of a subnormal, infinity where it begins */
		{ VGPU_OP_FEX2, 0xc3150000, 0x00000001 },
		{ VGPU_OP_FEX2, 0xc3160000, 0 },
		{ VGPU_OP_FEX2, 0xc2fc0001, 0x007fffd4 },
		{ VGPU_OP_FEX2, 0xc2ffffff, 0x0020000b },
		{ VGPU_OP_FEX2, 0xc2fc0000, 0x00800000 },
		{ VGPU_OP_FEX2, 0x42ffffff, 0x7f7fffa7 },
		{ VGPU_OP_FLG2, 0x00800000, 0xc2fc0000 },
		{ VGPU_OP_FLG2, 0x7f000000, 0x42fe0000 },
		{ VGPU_OP_FLG2, 0x80000001, 0x7fffffff },
		/* flushed, clamped */
		{ VGPU_OP_FSIN | VGPU_F_FTZ << 16, 0x80000001, 0x80000000 },
		{ VGPU_OP_FTANH | VGPU_F_FTZ << 16, 0x007fffff, 0 },
		{ VGPU_OP_FEX2 | VGPU_F_FTZ << 16, 0xc2fc0001, 0 },
		{ VGPU_OP_FEX2 | (VGPU_F_FTZ | VGPU_F_SAT) << 16, 0xc2fc0001, 0 },
		{ VGPU_OP_FEX2 | VGPU_F_SAT << 16, 0xc2fc0001, 0x007fffd4 },
		{ VGPU_OP_FEX2 | VGPU_F_SAT << 16, 0x40000000, 0x3f800000 },
		{ VGPU_OP_FLG2 | VGPU_F_FTZ << 16, 0x007fffff, 0xff800000 },
		{ VGPU_OP_FLG2 | VGPU_F_FTZ << 16, 0x80000001, 0xff800000 },
		{ VGPU_OP_FCOS | VGPU_F_SAT << 16, 0x7f800000, 0 },
		{ VGPU_OP_FSIN | VGPU_F_SAT << 16, 0x80000000, 0 },
		{ VGPU_OP_FTANH | VGPU_F_SAT << 16, 0xbf800000, 0 },
	};

	(void)state;
	for (size_t n = 0; n < VGPU_ARRAY_SIZE(cases); n++) {
		for (int build = 0; build < rig_builds(); build++) {
			struct rig *rig = rig_new(1);

			rig->code[0] = (struct vgpu_insn){ .op = (u8)cases[n].op,
							   .guard = VGPU_PT,
							   .dst = 2,
							   .flags = (u8)(cases[n].op >> 16) };
			rig_r(rig, 0)[5] = cases[n].x;
			rig_run(rig, build, 1);
			if (rig_r(rig, 2)[5] != cases[n].want)
				fail_msg("%s(%08x): got %08x, want %08x",
					 rows[cases[n].op & 0xffff].name, cases[n].x,
					 rig_r(rig, 2)[5], cases[n].want);
			rig_free(rig);
		}
	}
}

/* The index of every thread of blocks of all shapes, and the masks of lanes. */
static void test_special_registers(void **state)
{
	struct rig *rig = rig_new(1);
	u64 seed = 5;

	(void)state;
	for (u32 round = 0; round < 600; round++) {
		u32 x = 1 + rig_random(&seed) % (round & 1 ? 1024 : 40),
		    y = 1 + rig_random(&seed) % (1024 / x);
		u32 z = 1 + rig_random(&seed) % (1024 / (x * y)), threads = x * y * z;

		memcpy(rig->launch.block, (u32[3]){ x, y, z }, sizeof(rig->launch.block));
		rig->launch.threads = threads;
		for (u32 which = VGPU_SR_TID_X; which <= VGPU_SR_TID_Z; which++)
			rig->code[which] = (struct vgpu_insn){
				.op = VGPU_OP_SREG, .guard = VGPU_PT, .dst = (u8)which, .imm = which
			};
		for (u32 n = 0; n < 5; n++)
			rig->code[3 + n] = (struct vgpu_insn){ .op = VGPU_OP_SREG,
							       .guard = VGPU_PT,
							       .dst = (u8)(3 + n),
							       .imm = VGPU_SR_LANEMASK_EQ + n };
		for (u32 w = 0; w * VGPU_LANES < threads; w++) {
			for (int build = 0; build < rig_builds(); build++) {
				rig_reset(rig, ~0u);
				rig->warp.index = w;
				memset(rig->regs, 0xee, sizeof(rig->regs));
				rig_run(rig, build, 8);
				for (u32 l = 0, t = w * VGPU_LANES; l < VGPU_LANES && t < threads;
				     l++, t++) {
					assert_int_equal(rig_r(rig, 0)[l], t % x);
					assert_int_equal(rig_r(rig, 1)[l], t / x % y);
					assert_int_equal(rig_r(rig, 2)[l], t / x / y);
					assert_int_equal(rig_r(rig, 3)[l], 1u << l);
					assert_int_equal(rig_r(rig, 4)[l], (1u << l) - 1);
					assert_int_equal(rig_r(rig, 5)[l], (u32)((2ull << l) - 1));
					assert_int_equal(rig_r(rig, 6)[l], ~(u32)((2ull << l) - 1));
					assert_int_equal(rig_r(rig, 7)[l], ~((1u << l) - 1));
				}
			}
		}
	}
	rig_free(rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_int32),	      cmocka_unit_test(test_int64),
		cmocka_unit_test(test_one_divisor),
		cmocka_unit_test(test_float32),	      cmocka_unit_test(test_float64),
		cmocka_unit_test(test_conversions),   cmocka_unit_test(test_compares),
		cmocka_unit_test(test_fma_ties),
		cmocka_unit_test(test_fma),	      cmocka_unit_test(test_special),
		cmocka_unit_test(test_special_exact), cmocka_unit_test(test_special_registers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: MIT
/*
 * EXCH128 and CAS128, random ones: each lane's place and what it finds there, against a model that
 * goes lane by lane; all builds of the lanes.
 */
#include <string.h>

#include "lanes_rig.h"
#include "sm/verify.h"

#define ADDRESS	20
#define VALUE	24	/* to 31 */
#define APART	40	/* a result that is none of the operands */
#define AMONG	28	/* one that is */

struct two {
	u64 low, high;
};

static const struct {
	u32 op;
	bool shared;
} ops[] = {
	{ VGPU_OP_ATOMQ, false }, { VGPU_OP_ATOMQ, true }, { VGPU_OP_ATOMGQ, false },
	{ VGPU_OP_ATOMSQ, true },
};

/* Few values, so that many comparisons find what they want; halves that differ alone, too. */
static u64 few(u64 *seed)
{
	return rig_random(seed) % 3;
}

static struct vgpu_insn any_insn(u32 op, u64 *seed)
{
	static const u8 orders[] = {
		VGPU_MEM(VGPU_ORDER_RELAXED, VGPU_SCOPE_GPU, 0),
		VGPU_MEM(VGPU_ORDER_ACQ_REL, VGPU_SCOPE_SYS, 0),
	};
	u64 r = rig_random(seed);

	return (struct vgpu_insn){
		.op = (u8)op,
		.mem = orders[r & 1],
		.guard = VGPU_PT,
		.flags = r & 2 ? VGPU_ATOM_EXCH128 : VGPU_ATOM_CAS128,
		.dst = r & 4 ? APART : AMONG,
		.a = ADDRESS,
		.b = VALUE,
	};
}

/* Places of the lanes: one for all, a row, or anywhere. */
static u32 place(u32 kind, u32 lane, u64 *seed)
{
	switch (kind) {
	case 0:
		return 48;
	case 1:
		return 16 * lane + 512;
	default:
		return (u32)(rig_random(seed) % (RIG_SHARED / 16)) * 16;
	}
}

static void execute(struct rig *want, const struct vgpu_insn *i, const u32 *offset, u8 *memory,
		    u32 m)
{
	bool compares = i->flags == VGPU_ATOM_CAS128;

	for (u32 l = 0; l < VGPU_LANES; l++) {
		struct two found, put, wanted;

		if (!(m >> l & 1))
			continue;
		memcpy(&found, memory + offset[l], sizeof(found));
		wanted = (struct two){ rig_q(want, VALUE)[l], rig_q(want, VALUE + 2)[l] };
		put = compares ? (struct two){ rig_q(want, VALUE + 4)[l],
					       rig_q(want, VALUE + 6)[l] } : wanted;
		if (!compares || (found.low == wanted.low && found.high == wanted.high))
			memcpy(memory + offset[l], &put, sizeof(put));
		/* a lane's registers are its own, so the operands of the next are as they were */
		rig_q(want, i->dst)[l] = found.low;
		rig_q(want, i->dst + 2)[l] = found.high;
	}
}

static void test_random(void **state)
{
	const struct vgpu_vass_kernel kernel = { .regs = RIG_REGS, .code_count = 1 };
	struct rig *rigs[RIG_BUILDS], *want = rig_new(9);
	u64 seed = 21;

	(void)state;
	rigs_new(rigs, 9);
	for (int n = 0; n <= rig_builds(); n++) {
		struct rig *rig = n == rig_builds() ? want : rigs[n];

		memset(rig->memory, 0, sizeof(rig->memory));
		memset(rig->shared, 0, sizeof(rig->shared));
	}
	for (u32 round = 0; round < 3000; round++) {
		u32 n = (u32)(rig_random(&seed) % VGPU_ARRAY_SIZE(ops)), offset[VGPU_LANES];
		u32 m = rig_random(&seed) & 1 ? ~0u : (u32)rig_random(&seed) | 1;
		u32 kind = (u32)(rig_random(&seed) % 3);
		struct vgpu_insn i = any_insn(ops[n].op, &seed);
		u64 base = i.op == VGPU_OP_ATOMSQ ? 0 :
			   ops[n].shared	  ? VGPU_SHARED_WINDOW :
						    RIG_BASE;

		assert_null(vgpu_verify_insn(&i, &kernel));
		for (u32 l = 0; l < VGPU_LANES; l++) {
			u64 value[4] = { few(&seed), few(&seed), few(&seed), few(&seed) };

			offset[l] = place(kind, l, &seed);
			for (int at = 0; at <= rig_builds(); at++) {
				struct rig *rig = at == rig_builds() ? want : rigs[at];

				if (i.op == VGPU_OP_ATOMSQ)
					rig_r(rig, ADDRESS)[l] = offset[l];
				else
					rig_q(rig, ADDRESS)[l] = base + offset[l];
				for (u32 v = 0; v < 4; v++)
					rig_q(rig, VALUE + 2 * v)[l] = value[v];
			}
		}
		execute(want, &i, offset, ops[n].shared ? want->shared : want->memory, m);
		for (int build = 0; build < rig_builds(); build++) {
			rig_reset(rigs[build], ~0u);
			rigs[build]->warp.active = m;
			rigs[build]->code[0] = i;
			assert_int_equal(rig_run(rigs[build], build, 1), VGPU_LANES_BUDGET);
			want->warp = rigs[build]->warp;
			rig_same(rigs[build], build, want, "atomic of 16 bytes");
		}
	}
	rigs_free(rigs);
	rig_free(want);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

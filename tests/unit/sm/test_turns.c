// SPDX-License-Identifier: MIT
/*
 * Lanes that wait in a loop for what other lanes of their warp do: when those have their turn, in
 * cases small enough to follow on paper, and in which order; and a warp that is put away meanwhile.
 */
#include <string.h>

#include "lanes_rig.h"
#include "sm/verify.h"
#include "vass_build.h"

#define ABSOLUTE (VASS_MEM(4, 1) | VGPU_F_ABS)

static struct rig *rig_with(struct vass *v, u32 active)
{
	struct rig *rig = rig_new(1);

	assert_true(v->count <= VGPU_ARRAY_SIZE(rig->code));
	vgpu_find_waits(v->code, v->count);
	memcpy(rig->code, v->code, v->count * sizeof(v->code[0]));
	memset(rig->shared, 0, sizeof(rig->shared));
	rig_reset(rig, active);
	for (u32 l = 0; l < VGPU_LANES; l++)
		rig_r(rig, 0)[l] = l;
	return rig;
}

/* Lane 0 waits until lane 1, which waits at the other side of the branch, has stored 5. */
static void make_flag(struct vass *v)
{
	u32 at;

	vass_init(v, 8, 0);
	vass_op(v, VGPU_OP_SETPU, VGPU_CMP_GE | VGPU_F_IMM, 0, 0, 0, 0, 1);	/* 0 */
	at = OP(v, BRA, 0, 0, 0, 0, 0, 0);
	vass_guard(v, 0);
	vass_target(v, at, 6, 8);
	OP(v, LDS, ABSOLUTE, 1, 0, 0, 0, 0);					/* 2 */
	vass_mem(v, VGPU_ORDER_RELAXED, VGPU_SCOPE_CTA, 0);
	vass_op(v, VGPU_OP_SETPU, VGPU_CMP_EQ | VGPU_F_IMM, 1, 1, 0, 0, 0);
	at = OP(v, BRA, 0, 0, 0, 0, 0, 0);					/* 4 */
	vass_guard(v, 1);
	vass_target(v, at, 2, 5);
	at = OP(v, BRA, 0, 0, 0, 0, 0, 0);
	vass_target(v, at, 8, VGPU_NO_RECONV);
	OPI(v, MOV, 2, 0, 5);							/* 6 */
	OP(v, STS, ABSOLUTE, 0, 0, 2, 0, 0);
	OP(v, ACTIVE, 0, 3, 0, 0, 0, 0);					/* 8 */
	OP(v, EXIT, 0, 0, 0, 0, 0, 0);
}

static void check_flag(struct rig *rig, int build, u32 from)
{
	for (u32 step = from; step < 2 + 3 * 32; step++) {
		assert_int_equal(rig->warp.pc, step < 2 ? step : 2 + (step - 2) % 3);
		assert_int_equal(rig->warp.active, step < 2 ? 3 : 1);
		assert_int_equal(rig_run(rig, build, 1), VGPU_LANES_BUDGET);
	}
	/* two and 32 rounds of three: the turn of lane 1 */
	assert_int_equal(rig->warp.pc, 6);
	assert_int_equal(rig->warp.active, 2);
	assert_int_equal(rig->warp.depth, 2);
	assert_int_equal(rig_run(rig, build, 2), VGPU_LANES_BUDGET);
	assert_int_equal(rig->warp.pc, 2);
	assert_int_equal(rig->warp.active, 1);
	assert_int_equal(rig_run(rig, build, 4), VGPU_LANES_BUDGET);
	assert_int_equal(rig->warp.pc, 8);
	assert_int_equal(rig->warp.active, 3);
	assert_int_equal(rig->warp.depth, 0);
	assert_int_equal(rig->warp.loose, 1);
	assert_int_equal(rig_run(rig, build, 2), VGPU_LANES_EXIT);
	assert_int_equal(rig_r(rig, 1)[0], 5);
	assert_int_equal(rig_r(rig, 3)[0], 3);
}

static void test_flag(void **state)
{
	struct vass v;

	(void)state;
	make_flag(&v);
	for (int build = 0; build < rig_builds(); build++) {
		struct rig *rig = rig_with(&v, 3);

		assert_int_equal(v.code[4].flags, VGPU_F_BRA_WAITS);
		assert_int_equal(v.code[1].flags | v.code[5].flags, 0);
		check_flag(rig, build, 0);
		rig_free(rig);
	}
}

/* The same, put away in the middle: its state is all there is of it. */
static void test_put_away(void **state)
{
	struct vass v;

	(void)state;
	make_flag(&v);
	for (int build = 0; build < rig_builds(); build++) {
		struct rig *rig = rig_with(&v, 3), *other = rig_with(&v, 3);

		assert_int_equal(rig_run(rig, build, 50), VGPU_LANES_BUDGET);
		other->warp = rig->warp;
		memcpy(other->regs, rig->regs, sizeof(rig->regs));
		check_flag(other, build, 50);
		rig_free(rig);
		rig_free(other);
	}
}

/*
 * A lock that all lanes of a warp want, taken in front of where they meet: who has it waits there
 * for the others, and has to go on without them. The lowest of those that wait has it next.
 */
static void test_lock(void **state)
{
	struct vass v;
	u32 at;

	(void)state;
	vass_init(&v, 8, 0);
	OPI(&v, MOV, 4, 0, 1);
	OP(&v, ATOMS, VGPU_ATOM_EXCH | VGPU_F_ATOM_ABS, 1, 0, 4, 0, 0);
	vass_op(&v, VGPU_OP_SETPU, VGPU_CMP_NE | VGPU_F_IMM, 0, 1, 0, 0, 0);
	at = OP(&v, BRA, 0, 0, 0, 0, 0, 0);
	vass_guard(&v, 0);
	vass_target(&v, at, 1, 4);
	OP(&v, LDS, ABSOLUTE, 3, 0, 0, 0, 4);
	OPI(&v, ADD, 3, 3, 1);
	OP(&v, STS, ABSOLUTE, 0, 0, 3, 0, 4);
	OPI(&v, MOV, 4, 0, 0);
	OP(&v, ATOMS, VGPU_ATOM_EXCH | VGPU_F_ATOM_ABS, 5, 0, 4, 0, 0);
	OP(&v, BAR, 0, 0, 0, 0, 0, 0);
	OP(&v, ACTIVE, 0, 6, 0, 0, 0, 0);
	OP(&v, EXIT, 0, 0, 0, 0, 0, 0);
	for (int build = 0; build < rig_builds(); build++) {
		struct rig *rig = rig_with(&v, ~0u);
		u32 deepest = 0, steps = 0;
		enum vgpu_lanes_end end;

		do {
			end = rig_run(rig, build, 1);
			if (rig->warp.depth > deepest)
				deepest = rig->warp.depth;
		} while (end == VGPU_LANES_BUDGET && ++steps < 100000);
		/* the warp arrives as a whole */
		assert_int_equal(end, VGPU_LANES_BARRIER);
		assert_int_equal(rig->warp.bar_mask, ~0u);
		assert_true(deepest < VGPU_RECONV_DEPTH);
		assert_int_equal(rig_run(rig, build, 10), VGPU_LANES_EXIT);
		for (u32 l = 0; l < VGPU_LANES; l++) {
			assert_int_equal(rig_r(rig, 3)[l], l + 1);
			assert_int_equal(rig_r(rig, 6)[l], ~0u);
		}
		rig_free(rig);
	}
}

/* A loop in which lanes can learn nothing of others is none to wait in, however long it takes. */
static void test_work(void **state)
{
	struct vass v;
	u32 at;

	(void)state;
	vass_init(&v, 8, 0);
	OP(&v, LDS, ABSOLUTE, 3, 0, 0, 0, 0);
	OP(&v, ATOMS, VGPU_ATOM_ADD | VGPU_F_ATOM_ABS | VGPU_F_ATOM_NORET, 0, 0, 0, 0, 4);
	OPI(&v, ADD, 1, 1, 1);
	OPI(&v, MUL, 4, 0, 100);
	vass_op(&v, VGPU_OP_SETPU, VGPU_CMP_LE, 0, 1, 4, 0, 0);
	at = OP(&v, BRA, 0, 0, 0, 0, 0, 0);
	vass_guard(&v, 0);
	vass_target(&v, at, 0, 6);
	OP(&v, ACTIVE, 0, 2, 0, 0, 0, 0);
	OP(&v, EXIT, 0, 0, 0, 0, 0, 0);
	for (int build = 0; build < rig_builds(); build++) {
		struct rig *rig = rig_with(&v, ~0u);

		assert_int_equal(rig_run(rig, build, 100000), VGPU_LANES_EXIT);
		for (u32 l = 0; l < VGPU_LANES; l++) {
			assert_int_equal(rig_r(rig, 1)[l], 100 * l + 1);
			assert_int_equal(rig_r(rig, 2)[l], ~0u);
		}
		rig_free(rig);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_flag),
		cmocka_unit_test(test_put_away),
		cmocka_unit_test(test_lock),
		cmocka_unit_test(test_work),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

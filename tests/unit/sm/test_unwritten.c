// SPDX-License-Identifier: MIT
/* What of a block's state a kernel can see that it has not written: registers, by paths. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "sm/sm.h"
#include "sm/verify.h"

static struct vgpu_insn code[16];
static u32 count;

static struct vgpu_insn *put(u32 op, u32 dst, u32 a, u32 b, u32 c)
{
	struct vgpu_insn *i = &code[count++];

	*i = (struct vgpu_insn){ .op = (u8)op, .guard = VGPU_PT, .dst = (u8)dst, .a = (u8)a,
				 .b = (u8)b, .c = (u8)c };
	return i;
}

static void move(u32 dst)
{
	put(VGPU_OP_MOV, dst, 0, 0, 0)->flags = VGPU_F_IMM;
}

static struct vgpu_insn *branch(u32 target)
{
	struct vgpu_insn *i = put(VGPU_OP_BRA, 0, 0, 0, 0);

	i->imm = target | (u64)VGPU_NO_RECONV << 32;
	return i;
}

static struct vgpu_kernel find(const struct vgpu_insn *insns, u32 n)
{
	struct vgpu_kernel kernel = { .code = insns, .vass.code_count = n };

	vgpu_find_unwritten(&kernel);
	return kernel;
}

/* Registers below 64, of the program that has been put together */
static u64 unwritten(void)
{
	struct vgpu_kernel kernel = find(code, count);

	count = 0;
	assert_int_equal(kernel.unwritten[1] | kernel.unwritten[2] | kernel.unwritten[3], 0);
	return kernel.unwritten[0];
}

static void test_straight(void **state)
{
	(void)state;
	move(1);
	put(VGPU_OP_ADD, 2, 1, 1, 0);
	put(VGPU_OP_EXIT, 0, 0, 0, 0);
	assert_int_equal(unwritten(), 0);

	put(VGPU_OP_ADD, 2, 1, 3, 0);
	put(VGPU_OP_ADDQ, 4, 2, 8, 0);	/* register 3 is the upper half of 2 */
	put(VGPU_OP_EXIT, 0, 0, 0, 0);
	assert_int_equal(unwritten(), 1 << 1 | 1 << 3 | 3 << 8);

	/* two elements of 64 bits, and an address */
	put(VGPU_OP_STG, 0, 6, 8, 0)->flags = 3 | 1 << 2;
	put(VGPU_OP_EXIT, 0, 0, 0, 0);
	assert_int_equal(unwritten(), 3 << 6 | 15 << 8);

	put(VGPU_OP_STS, 0, 6, 8, 0)->flags = 2;
	put(VGPU_OP_EXIT, 0, 0, 0, 0);
	assert_int_equal(unwritten(), 1 << 6 | 1 << 8);
}

static void test_guard(void **state)
{
	(void)state;
	move(1);
	code[0].guard = 2;
	put(VGPU_OP_ADD, 2, 1, 1, 0);
	put(VGPU_OP_EXIT, 0, 0, 0, 0);
	assert_int_equal(unwritten(), 1 << 1);
}

/* Written on one path of two; on both */
static void test_paths(void **state)
{
	(void)state;
	for (u32 both = 0; both < 2; both++) {
		branch(3)->guard = 0;
		move(5);
		branch(4);
		move(both ? 5 : 6);
		put(VGPU_OP_ADD, 2, 5, 5, 0);
		put(VGPU_OP_EXIT, 0, 0, 0, 0);
		assert_int_equal(unwritten(), both ? 0 : 1 << 5);
	}
}

/* What comes first in the code is executed last, and the path there is found last, too. */
static void test_back(void **state)
{
	(void)state;
	for (u32 written = 0; written < 2; written++) {
		branch(3);
		put(VGPU_OP_ADD, 2, 5, 5, 0);
		put(VGPU_OP_EXIT, 0, 0, 0, 0);
		move(written ? 5 : 6);
		branch(1);
		assert_int_equal(unwritten(), written ? 0 : 1 << 5);
	}
	/* a loop that is entered with 5 and comes back with it */
	move(5);
	put(VGPU_OP_ADD, 6, 5, 5, 0);
	branch(1)->guard = 1;
	put(VGPU_OP_ADD, 7, 6, 6, 0);
	put(VGPU_OP_EXIT, 0, 0, 0, 0);
	assert_int_equal(unwritten(), 0);
	/* a chain of such paths that is followed from its end: more passes than are made */
	branch(13);
	for (u32 n = 1; n < 14; n++)
		branch(n == 1 ? 14 : n - 1);
	put(VGPU_OP_ADD, 2, 5, 5, 0);
	put(VGPU_OP_EXIT, 0, 0, 0, 0);
	assert_true(find(code, count).unwritten[0] >> 5 & 1);
	count = 0;
}

/* The register of another thread */
static void test_shuffle(void **state)
{
	struct vgpu_insn *i;

	(void)state;
	move(1);
	move(2);
	i = put(VGPU_OP_SHFL, 3, 1, 0, 2);
	i->flags = VGPU_F_IMM | VGPU_SHFL_IDX;
	i->imm = (u64)9 << 32;
	put(VGPU_OP_EXIT, 0, 0, 0, 0);
	assert_int_equal(find(code, count).preds, 10);
	assert_true(unwritten() >> 1 & 1);
}

static void test_predicates(void **state)
{
	(void)state;
	put(VGPU_OP_EXIT, 0, 0, 0, 0);
	assert_int_equal(find(code, count).preds, 0);
	count = 0;
	put(VGPU_OP_POR, 3, 12 | VGPU_P_NOT, VGPU_PT, 0);
	put(VGPU_OP_EXIT, 0, 0, 0, 0);
	code[1].guard = 7 | VGPU_P_NOT;
	put(VGPU_OP_EXIT, 0, 0, 0, 0);
	assert_int_equal(find(code, count).preds, 13);
	count = 0;
}

/* What is too long to look at is cleared. */
static void test_long(void **state)
{
	u32 n = 100000;
	struct vgpu_insn *insns = calloc(n, sizeof(*insns));

	(void)state;
	assert_non_null(insns);
	for (u32 pc = 0; pc < n; pc++)
		insns[pc] = (struct vgpu_insn){ .op = VGPU_OP_NOP, .guard = VGPU_PT };
	insns[n - 1].op = VGPU_OP_EXIT;
	assert_int_equal(find(insns, n).unwritten[3], ~0ull);
	free(insns);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_straight),   cmocka_unit_test(test_guard),
		cmocka_unit_test(test_paths),	   cmocka_unit_test(test_back),
		cmocka_unit_test(test_shuffle),	   cmocka_unit_test(test_predicates),
		cmocka_unit_test(test_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

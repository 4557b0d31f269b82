// SPDX-License-Identifier: MIT
/*
 * Shares, partitions and quotas of SMK, to the digit: the examples of the paper (figure 8, 5.2,
 * 5.4, 6.7) and cases made on paper. The SM has 1000 of each resource, so that 1 is a tenth of a
 * percent.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "policy/drf.h"

static const struct vgpu_resources thousand = { 1000, 1000, 1000, 1000 };

/* @share is a part of @all that is rounded down to 2^-32 */
static void check_share(u64 share, u64 part, u64 all)
{
	assert_int_equal(share, (part << 32) / all);
}

/* 5.2: kernel A's block takes 10 %, 20 %, 30 % and 3 %: 30 %. An SM with 30, 15, 20, 10 %: 30 %. */
static void shares_of_5_2(void **state)
{
	static const struct vgpu_resources a = { 100, 200, 300, 30 }, sm = { 300, 150, 200, 100 };

	(void)state;
	check_share(vgpu_resources_share(&a, &thousand), 3, 10);
	check_share(vgpu_resources_share(&sm, &thousand), 3, 10);
}

static void a_share_is_the_largest_of_four(void **state)
{
	static const struct vgpu_resources each[] = {
		{ 7, 1, 2, 3 }, { 1, 7, 2, 3 }, { 1, 2, 7, 3 }, { 1, 2, 3, 7 }
	};
	static const struct vgpu_resources none = {}, no_shared = { 10, 0, 10, 10 };
	struct vgpu_resources sum = {};

	(void)state;
	for (u32 n = 0; n < 4; n++)
		check_share(vgpu_resources_share(&each[n], &thousand), 7, 1000);
	assert_int_equal(vgpu_resources_share(&none, &thousand), 0);
	assert_int_equal(vgpu_resources_share(&thousand, &thousand), VGPU_SHARE_ONE);
	/* there is none of it, so none is used */
	assert_int_equal(vgpu_resources_share(&none, &no_shared), 0);
	vgpu_resources_add(&sum, &each[0], 3);
	assert_int_equal(sum.registers, 21);
	assert_int_equal(sum.blocks, 9);
	vgpu_resources_sub(&sum, &each[0], 2);
	assert_memory_equal(&sum, &each[0], sizeof(sum));
}

/* One resource after the other has room for exactly one more, or lacks 1. */
static void a_block_fits_if_all_four_do(void **state)
{
	static const struct vgpu_resources more = { 10, 20, 30, 40 };
	u64 *field;

	(void)state;
	for (u32 n = 0; n < 4; n++) {
		struct vgpu_resources used = { 990, 980, 970, 960 };

		assert_true(vgpu_resources_fit(&used, &more, &thousand));
		field = (u64 *)&used + n;
		++*field;
		assert_false(vgpu_resources_fit(&used, &more, &thousand));
	}
}

static void divide(struct vgpu_drf_kernel *kernels, u32 count, const u32 *expected)
{
	vgpu_drf_divide(kernels, count, &thousand);
	for (u32 n = 0; n < count; n++)
		assert_int_equal(kernels[n].blocks, expected[n]);
}

/*
 * Figure 8, per mille: 100, 0, 66 and 30, 60, 50. Steps: 1 of K1 (100), 2 of K2 (120), K1 200, K2
 * 180, 240, K1 300, K2 300; equal: K2, whose block is smaller, 360; K1 400; K2 420, ... K1 600, K2
 * 600, 660; K1 would be 700, but of threads 396 + 550 leave 54; K2 once more: 720. 6 and 12.
 */
static void figure_8(void **state)
{
	struct vgpu_drf_kernel kernels[] = {
		{ .needs = { 100, 0, 66, 1 } },
		{ .needs = { 30, 60, 50, 1 } },
	};
	static const u32 expected[] = { 6, 12 };

	(void)state;
	divide(kernels, 2, expected);
}

/* The same with K2 first: nothing else. */
static void figure_8_the_other_way_round(void **state)
{
	struct vgpu_drf_kernel kernels[] = {
		{ .needs = { 30, 60, 50, 1 } },
		{ .needs = { 100, 0, 66, 1 } },
	};
	static const u32 expected[] = { 12, 6 };

	(void)state;
	divide(kernels, 2, expected);
}

/* 600 each: the first has it, the second does not fit. Who comes first is the caller's choice. */
static void one_that_does_not_fit_gets_nothing(void **state)
{
	struct vgpu_drf_kernel kernels[] = {
		{ .needs = { 600, 0, 10, 1 } },
		{ .needs = { 600, 0, 10, 1 } },
	};
	static const u32 expected[] = { 1, 0 };

	(void)state;
	divide(kernels, 2, expected);
}

/*
 * Three kernels: registers 300, shared memory 200, threads 100, 1 slot of 1000 each. 300, 200, 100,
 * 200, 300, 400, 400, 500, 600 ...: each is bounded by its own resource: 3, 5 and 10.
 */
static void kernels_that_do_not_meet(void **state)
{
	struct vgpu_drf_kernel kernels[] = {
		{ .needs = { 300, 0, 0, 1 } },
		{ .needs = { 0, 200, 0, 1 } },
		{ .needs = { 0, 0, 100, 1 } },
	};
	static const u32 expected[] = { 3, 5, 10 };

	(void)state;
	divide(kernels, 3, expected);
}

/* The first keeps two blocks, 400 of the registers; the others, 100 and 150 a block, have 600. */
static void one_that_does_not_grow_keeps_what_it_has(void **state)
{
	struct vgpu_drf_kernel kernels[] = {
		{ .needs = { 200, 0, 0, 1 }, .blocks = 2, .most = 2 },
		{ .needs = { 100, 0, 0, 1 } },
		{ .needs = { 150, 0, 0, 1 } },
	};
	/* 100, 150, 200, 300, 300: 600 */
	static const u32 expected[] = { 2, 3, 2 };

	(void)state;
	divide(kernels, 3, expected);
}

/*
 * Of 1000 registers: 100, 100 and 200 a block; the first gets 2 at most, the second 20, the third
 * has no limit. Shares in the order of the steps: 100, 100, 200; 200, 200; the second 300, which
 * leaves the third with the lowest: 400; the second 400. Nothing is left.
 */
static void one_that_needs_no_more_leaves_it_to_the_others(void **state)
{
	struct vgpu_drf_kernel kernels[] = {
		{ .needs = { 100, 0, 0, 1 }, .most = 2 },
		{ .needs = { 100, 0, 0, 1 }, .most = 20 },
		{ .needs = { 200, 0, 0, 1 } },
	};
	static const u32 expected[] = { 2, 4, 2 };

	(void)state;
	divide(kernels, 3, expected);
}

static void nothing_is_divided_among_nobody(void **state)
{
	/* one that is larger than the SM, and one that has all that it needs */
	struct vgpu_drf_kernel kernel = { .needs = { 1001, 1, 1, 1 } };
	struct vgpu_drf_kernel has = { .needs = { 1, 1, 1, 1 }, .blocks = 1, .most = 1 };

	(void)state;
	vgpu_drf_divide(NULL, 0, &thousand);
	vgpu_drf_divide(&has, 1, &thousand);
	assert_int_equal(has.blocks, 1);
	vgpu_drf_divide(&kernel, 1, &thousand);
	assert_int_equal(kernel.blocks, 0);
}

/* 5.4: WIPC 0.4 and 0.5, 8 blocks alone, 2 and 4 here: C 0.1 and 0.25; 0.1 / 0.35, 0.25 / 0.35. */
static void quotas_of_5_4(void **state)
{
	struct vgpu_quota_kernel kernels[] = {
		{ .instructions = 4, .slots = 10, .alone = 8, .blocks = 2 },
		{ .instructions = 5, .slots = 10, .alone = 8, .blocks = 4 },
	};

	(void)state;
	vgpu_quota_divide(kernels, 2, 10000);
	assert_int_equal(kernels[0].quota, 2857);
	assert_int_equal(kernels[1].quota, 7142);
}

static void a_kernel_that_issued_nothing_gets_one(void **state)
{
	struct vgpu_quota_kernel kernels[] = {
		{ .instructions = 0, .slots = 10000, .alone = 8, .blocks = 2 },
		{ .instructions = 5000, .slots = 10000, .alone = 8, .blocks = 4 },
		/* not here */
		{ .instructions = 5000, .slots = 10000, .alone = 8, .blocks = 0 },
	};

	(void)state;
	vgpu_quota_divide(kernels, 3, 10000);
	assert_int_equal(kernels[0].quota, 1);
	assert_int_equal(kernels[1].quota, 10000);
	assert_int_equal(kernels[2].quota, 0);
	kernels[1].instructions = 0;
	vgpu_quota_divide(kernels, 3, 10000);
	assert_int_equal(kernels[0].quota, 1);
	assert_int_equal(kernels[1].quota, 1);
}

/* Nothing is known of either: by their blocks. 2 of 4 and 1 of 8: 1/2 and 1/8. */
static void what_was_not_measured_goes_by_blocks(void **state)
{
	struct vgpu_quota_kernel kernels[] = {
		{ .alone = 4, .blocks = 2 },
		{ .alone = 8, .blocks = 1 },
	};

	(void)state;
	vgpu_quota_divide(kernels, 2, 10000);
	assert_int_equal(kernels[0].quota, 8000);
	assert_int_equal(kernels[1].quota, 2000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shares_of_5_2),
		cmocka_unit_test(a_share_is_the_largest_of_four),
		cmocka_unit_test(a_block_fits_if_all_four_do),
		cmocka_unit_test(figure_8),
		cmocka_unit_test(figure_8_the_other_way_round),
		cmocka_unit_test(one_that_does_not_fit_gets_nothing),
		cmocka_unit_test(kernels_that_do_not_meet),
		cmocka_unit_test(one_that_does_not_grow_keeps_what_it_has),
		cmocka_unit_test(one_that_needs_no_more_leaves_it_to_the_others),
		cmocka_unit_test(nothing_is_divided_among_nobody),
		cmocka_unit_test(quotas_of_5_4),
		cmocka_unit_test(a_kernel_that_issued_nothing_gets_one),
		cmocka_unit_test(what_was_not_measured_goes_by_blocks),
	};

	return cmocka_run_group_tests_name("drf", tests, NULL, NULL);
}

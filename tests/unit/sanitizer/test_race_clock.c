// SPDX-License-Identifier: MIT
/* Vector clocks of racecheck: what joins know, and that clocks which know the same are shared. */
#include "race_rig.h"

static struct race_clock *clock_of(u32 block, u32 warp, u32 lanes, u32 counter)
{
	struct race_known known = { warp, lanes, counter };

	return race_clock_make(block, &known, 1);
}

static u32 lane_of(const struct race_clock *clock, u32 block, u32 warp, u32 lane)
{
	return race_clock_lane(race_clock_leaf(clock, block), warp, lane);
}

static void nothing_is_known(void **unused)
{
	(void)unused;
	assert_null(race_clock_join(NULL, NULL));
	assert_int_equal(lane_of(NULL, 1, 0, 0), 0);
}

/* Of each lane the later counter stays; where all have the same, they are one number. */
static void lanes_join(void **unused)
{
	struct race_clock *low = clock_of(1, 2, 0x0000ffff, 5),
			  *high = clock_of(1, 2, 0xffff0000, 5),
			  *one = clock_of(1, 2, 1u << 20, 9), *joined, *all;

	(void)unused;
	joined = race_clock_join(low, one);
	assert_int_equal(lane_of(joined, 1, 2, 0), 5);
	assert_int_equal(lane_of(joined, 1, 2, 16), 0);
	assert_int_equal(lane_of(joined, 1, 2, 20), 9);
	assert_int_equal(lane_of(joined, 1, 1, 0), 0);
	assert_int_equal(lane_of(joined, 2, 2, 0), 0);
	race_clock_add(&joined, high);
	assert_int_equal(race_clock_warp(race_clock_leaf(joined, 1), 2), 5);
	assert_int_equal(lane_of(joined, 1, 2, 20), 9);
	all = race_clock_join(low, high);
	assert_int_equal(race_clock_warp(race_clock_leaf(all, 1), 2), 5);
	race_clock_add(&all, one);
	assert_int_equal(lane_of(all, 1, 2, 20), 9);
	assert_int_equal(lane_of(all, 1, 2, 21), 5);
	race_clock_drop(low);
	race_clock_drop(high);
	race_clock_drop(one);
	race_clock_drop(joined);
	race_clock_drop(all);
}

static void splits_of_several_warps(void **unused)
{
	const struct race_known known[] = { { 0, 3, 4 }, { 1, RACE_ALL, 6 }, { 3, 1, 8 } };
	const struct race_known more[] = { { 0, RACE_ALL, 2 }, { 3, 2, 9 }, { 5, 1, 1 } };
	struct race_clock *a = race_clock_make(7, known, 3), *b = race_clock_make(7, more, 3),
			  *joined = race_clock_join(a, b);

	(void)unused;
	assert_int_equal(lane_of(joined, 7, 0, 0), 4);
	assert_int_equal(lane_of(joined, 7, 0, 2), 2);
	assert_int_equal(lane_of(joined, 7, 1, 31), 6);
	assert_int_equal(lane_of(joined, 7, 2, 0), 0);
	assert_int_equal(lane_of(joined, 7, 3, 0), 8);
	assert_int_equal(lane_of(joined, 7, 3, 1), 9);
	assert_int_equal(lane_of(joined, 7, 5, 0), 1);
	assert_int_equal(lane_of(joined, 7, 5, 1), 0);
	race_clock_drop(a);
	race_clock_drop(b);
	race_clock_drop(joined);
}

/* Blocks 1 to 300 in an order that branches everywhere, joined from two halves */
static void many_blocks(void **unused)
{
	struct race_clock *half[2] = {}, *joined, *again;

	(void)unused;
	for (u32 n = 0; n < 300; n++) {
		u32 block = n * 7 % 300 + 1;
		struct race_clock *clock = clock_of(block, 0, RACE_ALL, block * 10);

		race_clock_add(&half[n % 2], clock);
		race_clock_drop(clock);
	}
	joined = race_clock_join(half[0], half[1]);
	for (u32 block = 1; block <= 300; block++)
		assert_int_equal(lane_of(joined, block, 0, 5), block * 10);
	assert_int_equal(lane_of(joined, 301, 0, 0), 0);
	/* what knows no more is the same clock */
	again = race_clock_join(joined, half[1]);
	assert_ptr_equal(again, joined);
	race_clock_drop(again);
	again = race_clock_join(half[0], joined);
	assert_ptr_equal(again, joined);
	race_clock_drop(again);
	race_clock_drop(joined);
	race_clock_drop(half[0]);
	race_clock_drop(half[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_known),
		cmocka_unit_test(lanes_join),
		cmocka_unit_test(splits_of_several_warps),
		cmocka_unit_test(many_blocks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: MIT
/*
 * Who makes room on shared SMs, and for how many blocks (docs/sharing.md): blocks so large that
 * several kernels have to, kernels so small that few have to. Computed by hand on the SMs of
 * sharing.h.
 */
#include "sharing.h"

/*
 * smk. Two endless kernels have 5 blocks of 10 % each on both SMs: each has 50 % of the device. One
 * of the third takes 90 % of an SM, 45 % of all. No single one has that on an SM. Blocks leave SM 0
 * by turns, each of the kernel with more then, 50 and 50, 45 and 50, 45 and 45 ...: five and four.
 * That leaves them 25 and 30, a range of 20; the last is one of the first kernel. They are saved
 * from 115 on, one in 10, the last at 205.
 */
static void two_kernels_make_room(void **state)
{
	static const struct expected first[] = {
		AT(11, START, 1, 0, 0, 4),
		AT(11, START, 1, 1, 5, 9),
		AT(110, EVICT, 1, 0, 0, 4),
		AT(110, PREEMPT, 1, 0, 0, 4),
	};
	static const struct expected second[] = {
		AT(51, START, 2, 0, 0, 4),
		AT(51, START, 2, 1, 5, 9),
		AT(110, EVICT, 2, 0, 1, 4),
		AT(110, PREEMPT, 2, 0, 1, 4),
	};
	static const struct expected third[] = {
		AT(110, REPLACE, 3, 0, 1),
		AT(206, START, 3, 0, 0),
	};
	struct host *h = host_new("gtx980", PAPER, "policy=smk", NULL);

	(void)state;
	sharing_arrives(h, 10, KERNEL(10, 1000000, 100));
	sharing_arrives(h, 50, KERNEL(10, 1000000, 100));
	sharing_arrives(h, 110, KERNEL(1, 300, 900));
	sharing_run(h, 500);
	CHECK_EVENTS_OF(h, 1, first);
	CHECK_EVENTS_OF(h, 2, second);
	CHECK_EVENTS_OF(h, 3, third);
	sharing_run(h, 1000);
	assert_int_equal(sharing_end(h, 3), 506);
	/* 515, 525, ...: all are back */
	assert_int_equal(h->dev->exec.sms[0].resident_count, 10);
	host_free(h);
}

/*
 * The same on one SM: 90 % against nothing would be a larger range than 50 % against 50 % and
 * nothing. So nobody leaves, as 5.3.1 has it, until both have ended, at 1011 and 1051.
 */
static void nobody_makes_room_for_what_is_less_fair(void **state)
{
	static const struct expected third[] = {
		AT(1052, START, 3, 0, 0),
		AT(1352, END, 3, 0, 0),
	};
	struct host *h = host_new("gtx980", PAPER, "sms=1", "policy=smk", NULL);

	(void)state;
	sharing_arrives(h, 10, KERNEL(5, 1000, 100));
	sharing_arrives(h, 50, KERNEL(5, 1000, 100));
	sharing_arrives(h, 110, KERNEL(1, 300, 900));
	sharing_run_out(h);
	CHECK_EVENTS_OF(h, 3, third);
	assert_int_equal(host_count_of(h, VGPU_TRACE_BLOCK_PREEMPT), 0);
	host_free(h);
}

/*
 * Three kernels of which two are on each SM at most: the third needs a place, so all five blocks of
 * one leave, though one of the other would be enough for its registers.
 */
static void a_kernel_makes_room_for_a_kernel(void **state)
{
	struct host *h = host_new("gtx980", PAPER, "kernels_per_sm=2", "policy=smk", NULL);

	(void)state;
	sharing_arrives(h, 10, KERNEL(10, 1000000, 100));
	sharing_arrives(h, 50, KERNEL(10, 1000000, 100));
	sharing_arrives(h, 110, KERNEL(1, 300, 100));
	sharing_run(h, 1000);
	assert_int_equal(sharing_end(h, 3), 466);
	host_free(h);
}

/* smk-p: one block needs one place. The newest block of SM 0 leaves, from 115 to 125. */
static void one_block_has_one_place(void **state)
{
	static const struct expected second[] = {
		AT(126, START, 2, 0, 0),
		AT(426, END, 2, 0, 0),
	};
	struct host *h = host_new("gtx980", PAPER, "policy=smk-p", NULL);

	(void)state;
	sharing_arrives(h, 10, KERNEL(40, 1000, 100));
	sharing_arrives(h, 110, KERNEL(1, 300, 100));
	sharing_run_out(h);
	CHECK_EVENTS_OF(h, 2, second);
	sharing_check_partition(h, 200, 0, 2, 1);
	sharing_check_partition(h, 200, 0, 1, 9);
	sharing_check_partition(h, 200, 1, 1, 10);
	assert_int_equal(host_count_of(h, VGPU_TRACE_BLOCK_PREEMPT), 1);
	sharing_check_runs(h, 1, 40, 1000);
	host_free(h);
}

/* Three: two on SM 0, for which it takes 10 longer, one on SM 1. */
static void three_blocks_have_three_places(void **state)
{
	static const struct expected second[] = {
		AT(126, START, 2, 0, 0),
		AT(126, START, 2, 1, 1),
		AT(135, START, 2, 0, 2),
		AT(426, END, 2, 0, 0),
		AT(426, END, 2, 1, 1),
		AT(435, END, 2, 0, 2),
	};
	struct host *h = host_new("gtx980", PAPER, "policy=smk-p", NULL);

	(void)state;
	sharing_arrives(h, 10, KERNEL(40, 1000, 100));
	sharing_arrives(h, 110, KERNEL(3, 300, 100));
	sharing_run_out(h);
	CHECK_EVENTS_OF(h, 2, second);
	assert_int_equal(host_count_of(h, VGPU_TRACE_BLOCK_PREEMPT), 3);
	sharing_check_runs(h, 1, 40, 1000);
	host_free(h);
}

/*
 * smk-pw. SM 0 is that of kernel 1, until it has issued its last block; then kernel 2 comes there,
 * and some of kernel 1 leave. They come back, but neither drives the other out again.
 */
static void nobody_is_driven_out_twice(void **state)
{
	struct host *h = host_new("gtx980", PAPER, "policy=smk-pw", NULL);

	(void)state;
	sharing_arrives(h, 10, KERNEL(24, 1000, 100));
	sharing_arrives(h, 110, KERNEL(40, 1000, 100));
	sharing_run_out(h);
	sharing_check_runs(h, 1, 24, 1000);
	sharing_check_runs(h, 2, 40, 1000);
	assert_in_range(host_count_of(h, VGPU_TRACE_BLOCK_PREEMPT), 1, 15);
	host_free(h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_kernels_make_room),
		cmocka_unit_test(nobody_makes_room_for_what_is_less_fair),
		cmocka_unit_test(a_kernel_makes_room_for_a_kernel),
		cmocka_unit_test(one_block_has_one_place),
		cmocka_unit_test(three_blocks_have_three_places),
		cmocka_unit_test(nobody_is_driven_out_twice),
	};

	return cmocka_run_group_tests_name("room on shared SMs", tests, NULL, NULL);
}

// SPDX-License-Identifier: MIT
/*
 * Kernels of several contexts side by side on an SM (SMK 5.1 to 5.3, docs/sharing.md), computed on
 * paper from the rules before it was run: who is on which SM when, each with one resource
 * exhausted. The SMs of the paper are those of sharing.h.
 */
#include "sharing.h"

/*
 * Registers, smk. Kernel 1 fills both SMs, 10 blocks of 10 % each. Kernel 2, 4 blocks of 10 %,
 * arrives at 110. Shares of the device: 100 and 0; each block that comes for one that leaves makes
 * them 95 and 5, 90 and 10, 85 and 15, 80 and 20: on SM 0, then on SM 1, whose share without
 * kernel 2 is higher, then on 0 and on 1. The newest leave: 9, 19, 8, 18. They drain until 115
 * and are saved one after the other, until 125 and 135; kernel 2 is set up until 126. When its
 * blocks end, at 426 and 435, those of kernel 1 come back in the order in which they went. The
 * restore of 8 waits for that of 9, until 436. They ran from 11 to 110: 901 are left.
 */
static void a_block_comes_if_shares_get_closer(void **state)
{
	static const struct expected events[] = {
		AT(11, START, 1, 0, 0, 9),
		AT(11, START, 1, 1, 10, 19),
		AT(110, REPLACE, 2, 0, 1, .times = 2),
		AT(110, EVICT, 1, 0, 8, 9),
		AT(110, PREEMPT, 1, 0, 8, 9),
		AT(110, REPLACE, 2, 1, 1, .times = 2),
		AT(110, EVICT, 1, 1, 18, 19),
		AT(110, PREEMPT, 1, 1, 18, 19),
		AT(126, START, 2, 0, 0),
		AT(126, START, 2, 1, 1),
		AT(135, START, 2, 0, 2),
		AT(135, START, 2, 1, 3),
		AT(426, END, 2, 0, 0),
		AT(426, END, 2, 1, 1),
		AT(435, END, 2, 0, 2),
		AT(435, END, 2, 1, 3),
		AT(436, RESUME, 1, 0, 9),
		AT(436, RESUME, 1, 1, 19),
		AT(446, RESUME, 1, 0, 8),
		AT(446, RESUME, 1, 1, 18),
		AT(1011, END, 1, 0, 0, 7),
		AT(1011, END, 1, 1, 10, 17),
		AT(1337, END, 1, 0, 9),
		AT(1337, END, 1, 1, 19),
		AT(1347, END, 1, 0, 8),
		AT(1347, END, 1, 1, 18),
	};
	struct host *h = host_new("gtx980", PAPER, "policy=smk", NULL);

	(void)state;
	sharing_arrives(h, 10, KERNEL(20, 1000, 100));
	sharing_arrives(h, 110, KERNEL(4, 300, 100));
	sharing_run_out(h);
	CHECK_EVENTS(h, events);
	assert_int_equal(sharing_end(h, 2), 435);
	assert_int_equal(sharing_end(h, 1), 1347);
	host_free(h);
}

/*
 * Kernel 1 has two blocks of 10 % on each SM: 20 % of the device. A block of kernel 2 takes 90 % of
 * an SM. If one of kernel 1 left for it the shares were 15 and 45: a range of 30, and it is 20. So
 * it waits until those of kernel 1 end by themselves.
 */
static void no_block_comes_if_shares_get_further_apart(void **state)
{
	static const struct expected events[] = {
		AT(11, START, 1, 0, 0, 1),
		AT(11, START, 1, 1, 2, 3),
		AT(511, END, 1, 0, 0, 1),
		AT(511, END, 1, 1, 2, 3),
		AT(512, START, 2, 0, 0),
		AT(512, START, 2, 1, 1),
		AT(712, END, 2, 0, 0),
		AT(712, END, 2, 1, 1),
	};
	struct host *h = host_new("gtx980", PAPER, "policy=smk", NULL);

	(void)state;
	sharing_arrives(h, 10, KERNEL(4, 500, 100));
	sharing_arrives(h, 110, KERNEL(2, 200, 900));
	sharing_run_out(h);
	CHECK_EVENTS(h, events);
	host_free(h);
}

/*
 * Registers, blocks of 40 % and 30 % of an SM: 20 and 15 of the device. Kernel 2 arrives at 110:
 * 80 and 0, 60 and 15, 40 and 30. A third exchange would leave 20 and 45. The save of 400 registers
 * takes 4 us, to 155. Then kernel 2 (30) is before kernel 1 (40), SM 0 has room for another one
 * beside the one that it waited for: 45. Now kernel 1 is the candidate. It does not fit, two of
 * kernel 2 are in the way: 60 and 15, no. The 300 registers that are free on SM 1 stay free.
 * At 656 the first end, on SM 0, is followed by 3 there (30 and 40); the second leaves 300 free
 * there, too few for kernel 1; the third, on SM 1, brings 1 back there in 4 us, and the end of 3
 * brings 3 back on SM 0. Both have 1901 left.
 */
static void nobody_overtakes_the_candidate(void **state)
{
	static const struct expected events[] = {
		AT(11, START, 1, 0, 0, 1),
		AT(11, START, 1, 1, 2, 3),
		AT(110, REPLACE, 2, 0, 1),
		AT(110, EVICT, 1, 0, 1),
		AT(110, PREEMPT, 1, 0, 1),
		AT(110, REPLACE, 2, 1, 1),
		AT(110, EVICT, 1, 1, 3),
		AT(110, PREEMPT, 1, 1, 3),
		AT(156, START, 2, 0, 0, 1),
		AT(156, START, 2, 1, 2),
		AT(656, END, 2, 0, 0, 1),
		AT(656, END, 2, 1, 2),
		AT(656, START, 2, 0, 3),
		AT(696, RESUME, 1, 1, 1),
		AT(1156, END, 2, 0, 3),
		AT(1196, RESUME, 1, 0, 3),
		AT(2011, END, 1, 0, 0),
		AT(2011, END, 1, 1, 2),
		AT(2597, END, 1, 1, 1),
		AT(3097, END, 1, 0, 3),
	};
	struct host *h = host_new("gtx980", PAPER, "policy=smk", NULL);

	(void)state;
	sharing_arrives(h, 10, KERNEL(4, 2000, 400));
	sharing_arrives(h, 110, KERNEL(4, 500, 300));
	sharing_run_out(h);
	CHECK_EVENTS(h, events);
	host_free(h);
}

/*
 * Threads: 10 % a block of kernel 1, 20 % one of kernel 2, for which two leave. They have 10
 * registers: 0.1 us each, to 116 and 117. Nobody gets the room of the first, though kernel 1 has
 * that block to issue again. At 418 SM 0 gets 9 and 19, SM 1 gets 8 and 18.
 */
static void two_blocks_leave_for_one(void **state)
{
	static const struct expected events[] = {
		AT(11, START, 1, 0, 0, 9),
		AT(11, START, 1, 1, 10, 19),
		AT(110, REPLACE, 2, 0, 1),
		AT(110, EVICT, 1, 0, 8, 9),
		AT(110, PREEMPT, 1, 0, 8, 9),
		AT(110, REPLACE, 2, 1, 1),
		AT(110, EVICT, 1, 1, 18, 19),
		AT(110, PREEMPT, 1, 1, 18, 19),
		AT(118, START, 2, 0, 0),
		AT(118, START, 2, 1, 1),
		AT(418, END, 2, 0, 0),
		AT(418, END, 2, 1, 1),
		AT(419, RESUME, 1, 0, 9),
		AT(420, RESUME, 1, 0, 19),
		AT(419, RESUME, 1, 1, 8),
		AT(420, RESUME, 1, 1, 18),
		AT(1011, END, 1, 0, 0, 7),
		AT(1011, END, 1, 1, 10, 17),
		AT(1320, END, 1, 0, 9),
		AT(1321, END, 1, 0, 19),
		AT(1320, END, 1, 1, 8),
		AT(1321, END, 1, 1, 18),
	};
	struct host *h = host_new("gtx980", PAPER, "policy=smk", NULL);

	(void)state;
	sharing_arrives(h, 10, KERNEL(20, 1000, 10, .threads = 320));
	sharing_arrives(h, 110, KERNEL(2, 300, 20, .threads = 640));
	sharing_run_out(h);
	CHECK_EVENTS(h, events);
	host_free(h);
}

/*
 * Slots, 4 on each SM: a block is 12.5 % of the device. Kernel 2 comes to 50 beside 50 of kernel 1.
 * Kernel 3 arrives at 310. Of kernels 1 and 2, equal, the first loses its newest on SM 0: 37.5, 50,
 * 12.5. Then kernel 2 loses 3 on SM 1, whose share is higher: 37.5, 37.5, 25. One more would leave
 * the range at 12.5. Kernel 3 goes on with its two others on the same SMs, since it has the least;
 * it had no other block there, so the SMs are set up for it again.
 * At 1026 an end of kernel 2 on SM 0 makes it the candidate: 3 comes back there. The next end, on
 * SM 1, is room for kernel 1, which has 3, 7, 2, 6, 1 in its queue; at 1035 again on SM 0, behind
 * the restore of 3 of kernel 2; at 1127, when both of kernel 3 end, on each SM; at 1761.
 */
static void three_kernels_by_slots(void **state)
{
	static const struct expected events[] = {
		AT(11, START, 1, 0, 0, 3),
		AT(11, START, 1, 1, 4, 7),
		AT(110, REPLACE, 2, 0, 1, .times = 2),
		AT(110, EVICT, 1, 0, 2, 3),
		AT(110, PREEMPT, 1, 0, 2, 3),
		AT(110, REPLACE, 2, 1, 1, .times = 2),
		AT(110, EVICT, 1, 1, 6, 7),
		AT(110, PREEMPT, 1, 1, 6, 7),
		AT(126, START, 2, 0, 0),
		AT(126, START, 2, 1, 1),
		AT(135, START, 2, 0, 2),
		AT(135, START, 2, 1, 3),
		AT(310, REPLACE, 3, 0, 1),
		AT(310, EVICT, 1, 0, 1),
		AT(310, PREEMPT, 1, 0, 1),
		AT(310, REPLACE, 3, 1, 2),
		AT(310, EVICT, 2, 1, 3),
		AT(310, PREEMPT, 2, 1, 3),
		AT(326, START, 3, 0, 0),
		AT(326, START, 3, 1, 1),
		AT(726, END, 3, 0, 0),
		AT(726, END, 3, 1, 1),
		AT(727, START, 3, 0, 2),
		AT(727, START, 3, 1, 3),
		AT(1026, END, 2, 0, 0),
		AT(1026, END, 2, 1, 1),
		AT(1035, END, 2, 0, 2),
		AT(1036, RESUME, 2, 0, 3),
		AT(1036, RESUME, 1, 1, 3),
		AT(1046, RESUME, 1, 0, 7),
		AT(1127, END, 3, 0, 2),
		AT(1127, END, 3, 1, 3),
		AT(1137, RESUME, 1, ANY, 2),
		AT(1137, RESUME, 1, ANY, 6),
		AT(1761, END, 2, 0, 3),
		AT(1771, RESUME, 1, 0, 1),
		AT(2011, END, 1, 0, 0),
		AT(2011, END, 1, 1, 4, 5),
		AT(2937, END, 1, 1, 3),
		AT(2947, END, 1, 0, 7),
		AT(3038, END, 1, ANY, 2),
		AT(3038, END, 1, ANY, 6),
		AT(3472, END, 1, 0, 1),
	};
	struct host *h = host_new("gtx980", PAPER, "blocks_per_sm=4", "policy=smk", NULL);

	(void)state;
	sharing_arrives(h, 10, KERNEL(8, 2000, 100));
	sharing_arrives(h, 110, KERNEL(4, 900, 100));
	sharing_arrives(h, 310, KERNEL(4, 400, 100));
	sharing_run_out(h);
	CHECK_EVENTS(h, events);
	assert_int_equal(sharing_end(h, 3), 1127);
	assert_int_equal(sharing_end(h, 2), 1761);
	assert_int_equal(sharing_end(h, 1), 3472);
	host_free(h);
}

/*
 * Shared memory: 10 % a block of kernel 1, 5 % and 10 % the only ones of kernels 2 and 3. Kernel 2
 * takes the place of 9 on SM 0, which has 95 % then; so kernel 3 takes the place of 19 on SM 1.
 * When kernel 3 ends, at 426, 9 comes back on SM 1, and not 20, which is new. At 611 the first end
 * of kernel 1 brings 19 back, the next one lets 20 begin, wherever they are.
 */
static void a_preempted_block_comes_back_before_new_ones_on_another_sm(void **state)
{
	static const struct expected events[] = {
		AT(11, START, 1, 0, 0, 9),
		AT(11, START, 1, 1, 10, 19),
		AT(110, REPLACE, 2, 0, 1),
		AT(110, EVICT, 1, 0, 9),
		AT(110, PREEMPT, 1, 0, 9),
		AT(126, START, 2, 0, 0),
		AT(210, REPLACE, 3, 1, 1),
		AT(210, EVICT, 1, 1, 19),
		AT(210, PREEMPT, 1, 1, 19),
		AT(226, START, 3, 1, 0),
		AT(426, END, 3, 1, 0),
		AT(436, RESUME, 1, 1, 9),
		AT(611, END, 1, 0, 0, 8),
		AT(611, END, 1, 1, 10, 18),
		AT(611, START, 1, ANY, 20),
		AT(621, RESUME, 1, ANY, 19),
		AT(937, END, 1, 1, 9),
		AT(1022, END, 1, ANY, 19),
		AT(1211, END, 1, ANY, 20),
		AT(3126, END, 2, 0, 0),
	};
	struct host *h = host_new("gtx980", PAPER, "policy=smk", NULL);

	(void)state;
	sharing_arrives(h, 10, KERNEL(21, 600, .shared = 400));
	sharing_arrives(h, 110, KERNEL(1, 3000, .shared = 200));
	sharing_arrives(h, 210, KERNEL(1, 200, .shared = 400));
	sharing_run_out(h);
	CHECK_EVENTS(h, events);
	host_free(h);
}

/*
 * smk-p, three kernels that are bounded by different resources: 30 % of the registers, 20 % of the
 * shared memory, 10 % of the threads a block; a block of the first two has 1 % of the threads, too.
 * Alone kernel 1 gets 3. With kernel 2: 3 and 5. With kernel 3, shares in the order of the steps:
 * K1 30; K3 10 (of two with nothing the smaller block), K2 20, K3 20, 30, K2 40, K3 40, K1 60, K3
 * 50, K2 60, K3 60, 70, K2 80, K1 90, K3 80, 90, K2 100: 3, 5, 9 with 3 + 5 + 90 % of the threads.
 * Nothing is evicted. At 411 and 511 kernels 1 and 2 issue their last blocks and keep what they
 * have. When kernel 2 is over, at 911, there is room for a tenth one of kernel 3 on each SM.
 */
static void a_partition_for_each_of_three(void **state)
{
	static const struct expected events[] = {
		AT(11, START, 1, 0, 0, 2),
		AT(11, START, 1, 1, 3, 5),
		AT(111, START, 2, 0, 0, 4),
		AT(111, START, 2, 1, 5, 9),
		AT(211, START, 3, 0, 0, 8),
		AT(211, START, 3, 1, 9, 17),
		AT(411, END, 1, 0, 0, 2),
		AT(411, END, 1, 1, 3, 5),
		AT(411, START, 1, ANY, 6, 11),
		AT(511, END, 2, 0, 0, 4),
		AT(511, END, 2, 1, 5, 9),
		AT(511, START, 2, ANY, 10, 19),
		AT(811, END, 1, ANY, 6, 11),
		AT(911, END, 2, ANY, 10, 19),
		AT(911, START, 3, 0, 18),
		AT(911, START, 3, 1, 19),
		AT(1211, END, 3, 0, 0, 8),
		AT(1211, END, 3, 1, 9, 17),
		AT(1211, START, 3, ANY, 20, 37),
		AT(1911, END, 3, 0, 18),
		AT(1911, END, 3, 1, 19),
		AT(2211, END, 3, ANY, 20, 37),
	};
	struct host *h = host_new("gtx980", PAPER, "policy=smk-p", NULL);

	(void)state;
	sharing_arrives(h, 10, KERNEL(12, 400, .regs = 300));
	sharing_arrives(h, 110, KERNEL(20, 400, .shared = 800));
	sharing_arrives(h, 210, KERNEL(38, 1000, .threads = 320));
	sharing_run_out(h);
	CHECK_EVENTS(h, events);
	for (u32 sm = 0; sm < 2; sm++) {
		sharing_check_partition(h, 10, sm, 1, 3);
		sharing_check_partition(h, 110, sm, 1, 3);
		sharing_check_partition(h, 110, sm, 2, 5);
		sharing_check_partition(h, 210, sm, 1, 3);
		sharing_check_partition(h, 210, sm, 2, 5);
		sharing_check_partition(h, 210, sm, 3, 9);
		sharing_check_partition(h, 911, sm, 3, 10);
	}
	host_free(h);
}

/*
 * smk-p, registers: kernel 1, which has 10 blocks of 10 % on each SM and 10 more, gets partitions
 * of 5 when kernel 2 comes. The newest five of each SM leave, one after the other: 125 to 165, and
 * one of kernel 2 comes for each. At 1011 the first five of each SM end; the ten preempted ones
 * come back, five on SM 0, which ends first, and five on SM 1. From 665 on kernel 2 has issued its
 * last block, and keeps 5. It is over at 1165: the other ten of kernel 1.
 */
static void what_is_beyond_a_partition_leaves(void **state)
{
	static const struct expected events[] = {
		AT(11, START, 1, 0, 0, 9),
		AT(11, START, 1, 1, 10, 19),
		AT(110, EVICT, 1, 0, 5, 9),
		AT(110, EVICT, 1, 1, 15, 19),
		AT(110, PREEMPT, 1, 0, 5, 9),
		AT(110, PREEMPT, 1, 1, 15, 19),
		AT(126, START, 2, 0, 0),
		AT(126, START, 2, 1, 1),
		AT(135, START, 2, 0, 2),
		AT(135, START, 2, 1, 3),
		AT(145, START, 2, 0, 4),
		AT(145, START, 2, 1, 5),
		AT(155, START, 2, 0, 6),
		AT(155, START, 2, 1, 7),
		AT(165, START, 2, 0, 8),
		AT(165, START, 2, 1, 9),
		AT(626, END, 2, 0, 0),
		AT(626, END, 2, 1, 1),
		AT(626, START, 2, 0, 10),
		AT(626, START, 2, 1, 11),
		AT(635, END, 2, 0, 2),
		AT(635, END, 2, 1, 3),
		AT(635, START, 2, 0, 12),
		AT(635, START, 2, 1, 13),
		AT(645, END, 2, 0, 4),
		AT(645, END, 2, 1, 5),
		AT(645, START, 2, 0, 14),
		AT(645, START, 2, 1, 15),
		AT(655, END, 2, 0, 6),
		AT(655, END, 2, 1, 7),
		AT(655, START, 2, 0, 16),
		AT(655, START, 2, 1, 17),
		AT(665, END, 2, 0, 8),
		AT(665, END, 2, 1, 9),
		AT(665, START, 2, 0, 18),
		AT(665, START, 2, 1, 19),
		AT(1011, END, 1, 0, 0, 4),
		AT(1011, END, 1, 1, 10, 14),
		AT(1021, RESUME, 1, 0, 9),
		AT(1031, RESUME, 1, 0, 19),
		AT(1041, RESUME, 1, 0, 8),
		AT(1051, RESUME, 1, 0, 18),
		AT(1061, RESUME, 1, 0, 7),
		AT(1021, RESUME, 1, 1, 17),
		AT(1031, RESUME, 1, 1, 6),
		AT(1041, RESUME, 1, 1, 16),
		AT(1051, RESUME, 1, 1, 5),
		AT(1061, RESUME, 1, 1, 15),
		AT(1126, END, 2, 0, 10),
		AT(1126, END, 2, 1, 11),
		AT(1135, END, 2, 0, 12),
		AT(1135, END, 2, 1, 13),
		AT(1145, END, 2, 0, 14),
		AT(1145, END, 2, 1, 15),
		AT(1155, END, 2, 0, 16),
		AT(1155, END, 2, 1, 17),
		AT(1165, END, 2, 0, 18),
		AT(1165, END, 2, 1, 19),
		AT(1165, START, 1, 0, 20, 28, 2),
		AT(1165, START, 1, 1, 21, 29, 2),
		AT(1922, END, 1, 0, 9),
		AT(1932, END, 1, 0, 19),
		AT(1942, END, 1, 0, 8),
		AT(1952, END, 1, 0, 18),
		AT(1962, END, 1, 0, 7),
		AT(1922, END, 1, 1, 17),
		AT(1932, END, 1, 1, 6),
		AT(1942, END, 1, 1, 16),
		AT(1952, END, 1, 1, 5),
		AT(1962, END, 1, 1, 15),
		AT(2165, END, 1, 0, 20, 28, 2),
		AT(2165, END, 1, 1, 21, 29, 2),
	};
	struct host *h = host_new("gtx980", PAPER, "policy=smk-p", NULL);

	(void)state;
	sharing_arrives(h, 10, KERNEL(30, 1000, 100));
	sharing_arrives(h, 110, KERNEL(20, 500, 100));
	sharing_run_out(h);
	CHECK_EVENTS(h, events);
	host_free(h);
}

/*
 * smk-p with kernels_per_sm=2, three SMs (at 1.2 GB/s: 400 x 3 / 1.2 GB/s = 1 us), blocks of 10 %
 * of the registers. Kernels 1 and 2 share all SMs, 5 and 5, when kernel 3 arrives at 210. SM 0
 * keeps kernels 1 and 2. SM 1 takes kernel 3, which has no partition yet, and of 1 and 2, which
 * have one each, the first. SM 2 takes 2 and 3, since 1 has two. So five blocks leave SM 1 and
 * SM 2. Kernel 3 is a third kernel there until the last of them has gone, at 265.
 */
static void two_of_three_kernels_on_each_sm(void **state)
{
	static const struct expected events[] = {
		AT(11, START, 1, 0, 0, 9),
		AT(11, START, 1, 1, 10, 19),
		AT(11, START, 1, 2, 20, 29),
		AT(110, EVICT, 1, 0, 5, 9),
		AT(110, EVICT, 1, 1, 15, 19),
		AT(110, EVICT, 1, 2, 25, 29),
		AT(110, PREEMPT, 1, 0, 5, 9),
		AT(110, PREEMPT, 1, 1, 15, 19),
		AT(110, PREEMPT, 1, 2, 25, 29),
		AT(126, START, 2, 0, 0),
		AT(126, START, 2, 1, 1),
		AT(126, START, 2, 2, 2),
		AT(135, START, 2, 0, 3),
		AT(135, START, 2, 1, 4),
		AT(135, START, 2, 2, 5),
		AT(145, START, 2, 0, 6),
		AT(145, START, 2, 1, 7),
		AT(145, START, 2, 2, 8),
		AT(155, START, 2, 0, 9),
		AT(155, START, 2, 1, 10),
		AT(155, START, 2, 2, 11),
		AT(165, START, 2, 0, 12),
		AT(165, START, 2, 1, 13),
		AT(165, START, 2, 2, 14),
		AT(210, EVICT, 2, 1, 1, 13, 3),
		AT(210, EVICT, 1, 2, 20, 24),
		AT(210, PREEMPT, 2, 1, 1, 13, 3),
		AT(210, PREEMPT, 1, 2, 20, 24),
		AT(266, START, 3, 1, 0, 4),
		AT(266, START, 3, 2, 5, 9),
	};
	struct host *h = host_new("gtx980", PAPER, "sms=3", "memory_bandwidth=1200000000",
				  "kernels_per_sm=2", "policy=smk-p", NULL);

	(void)state;
	sharing_arrives(h, 10, KERNEL(60, 3000, 100));
	sharing_arrives(h, 110, KERNEL(60, 3000, 100));
	sharing_arrives(h, 210, KERNEL(60, 3000, 100));
	sharing_run(h, 1000);
	CHECK_EVENTS(h, events);
	sharing_check_partition(h, 1000, 0, 1, 5);
	sharing_check_partition(h, 1000, 0, 2, 5);
	sharing_check_partition(h, 1000, 1, 1, 5);
	sharing_check_partition(h, 1000, 1, 3, 5);
	sharing_check_partition(h, 1000, 2, 2, 5);
	sharing_check_partition(h, 1000, 2, 3, 5);
	sharing_run_out(h);
	host_free(h);
}

/*
 * smk with kernels_per_sm=2. Kernels 1 and 2 have five blocks of 10 % on each SM when kernel 3
 * comes: 50, 50 and 0. It is a third kernel, so all five of a kernel are in the way: those of
 * kernel 1 on SM 0 (25, 50 and 5), then those of kernel 2, which has more now, on SM 1, whose share
 * without kernel 3 is higher: 25, 25 and 10. From then on there is room for its others as soon as
 * these have left: nobody is in the way. The last one has at 165; two begin on each SM. Kernels 1
 * and 2 could only come back for all blocks of another.
 */
static void a_third_kernel_takes_the_place_of_a_whole_one(void **state)
{
	static const struct expected events[] = {
		AT(11, START, 1, 0, 0, 4),
		AT(11, START, 1, 1, 5, 9),
		AT(51, START, 2, 0, 0, 4),
		AT(51, START, 2, 1, 5, 9),
		AT(110, REPLACE, 3, 0, 1),
		AT(110, EVICT, 1, 0, 0, 4),
		AT(110, PREEMPT, 1, 0, 0, 4),
		AT(110, REPLACE, 3, 1, 2),
		AT(110, EVICT, 2, 1, 5, 9),
		AT(110, PREEMPT, 2, 1, 5, 9),
		AT(166, START, 3, 0, 0, 1),
		AT(166, START, 3, 1, 2, 3),
	};
	struct host *h = host_new("gtx980", PAPER, "kernels_per_sm=2", "policy=smk", NULL);

	(void)state;
	sharing_arrives(h, 10, KERNEL(10, 1000, 100));
	sharing_arrives(h, 50, KERNEL(10, 1000, 100));
	sharing_arrives(h, 110, KERNEL(4, 300, 100));
	sharing_run(h, 400);
	CHECK_EVENTS(h, events);
	sharing_run_out(h);
	sharing_check_runs(h, 1, 10, 1000);
	sharing_check_runs(h, 2, 10, 1000);
	sharing_check_runs(h, 3, 4, 300);
	host_free(h);
}

/*
 * Figure 8 on the device, with 60 warps on an SM: blocks of 10 % registers and 4 warps, of 3 %
 * registers, 6 % shared memory and 3 warps. Partitions of 6 and 12: 4 of kernel 1 leave each SM.
 * Room for kernel 2 by registers: 3 blocks of 100 registers, 3 of 110, 4 of 120, the last 2. Of
 * kernel 1 the first six of each SM end at 1011: 9, 19, 8, 18, 7, 17 come back on SM 0, 6 and 16
 * on SM 1, and there are four new ones. Kernel 2 is over at 1155: four more on each SM.
 */
static void figure_8_on_the_device(void **state)
{
	static const struct expected events[] = {
		AT(11, START, 1, 0, 0, 9),
		AT(11, START, 1, 1, 10, 19),
		AT(110, EVICT, 1, 0, 6, 9),
		AT(110, EVICT, 1, 1, 16, 19),
		AT(110, PREEMPT, 1, 0, 6, 9),
		AT(110, PREEMPT, 1, 1, 16, 19),
		AT(126, START, 2, 0, 0, 2),
		AT(126, START, 2, 1, 3, 5),
		AT(135, START, 2, 0, 6, 8),
		AT(135, START, 2, 1, 9, 11),
		AT(145, START, 2, 0, 12, 15),
		AT(145, START, 2, 1, 16, 19),
		AT(155, START, 2, 0, 20, 21),
		AT(155, START, 2, 1, 22, 23),
		AT(626, END, 2, 0, 0, 2),
		AT(626, END, 2, 1, 3, 5),
		AT(635, END, 2, 0, 6, 8),
		AT(635, END, 2, 1, 9, 11),
		AT(645, END, 2, 0, 12, 15),
		AT(645, END, 2, 1, 16, 19),
		AT(655, END, 2, 0, 20, 21),
		AT(655, END, 2, 1, 22, 23),
		AT(626, START, 2, ANY, 24, 29),
		AT(635, START, 2, ANY, 30, 35),
		AT(645, START, 2, ANY, 36, 43),
		AT(655, START, 2, ANY, 44, 47),
		AT(1011, END, 1, 0, 0, 5),
		AT(1011, END, 1, 1, 10, 15),
		AT(1021, RESUME, 1, 0, 9),
		AT(1031, RESUME, 1, 0, 19),
		AT(1041, RESUME, 1, 0, 8),
		AT(1051, RESUME, 1, 0, 18),
		AT(1061, RESUME, 1, 0, 7),
		AT(1071, RESUME, 1, 0, 17),
		AT(1021, RESUME, 1, 1, 6),
		AT(1031, RESUME, 1, 1, 16),
		AT(1011, START, 1, 1, 20, 23),
		AT(1126, END, 2, ANY, 24, 29),
		AT(1135, END, 2, ANY, 30, 35),
		AT(1145, END, 2, ANY, 36, 43),
		AT(1155, END, 2, ANY, 44, 47),
		AT(1155, START, 1, 0, 24, 30, 2),
		AT(1155, START, 1, 1, 25, 31, 2),
		AT(1922, END, 1, 0, 9),
		AT(1932, END, 1, 0, 19),
		AT(1942, END, 1, 0, 8),
		AT(1952, END, 1, 0, 18),
		AT(1962, END, 1, 0, 7),
		AT(1972, END, 1, 0, 17),
		AT(1922, END, 1, 1, 6),
		AT(1932, END, 1, 1, 16),
		AT(2011, END, 1, 1, 20, 23),
		AT(2155, END, 1, 0, 24, 30, 2),
		AT(2155, END, 1, 1, 25, 31, 2),
	};
	struct host *h = host_new("gtx980", PAPER, "threads_per_sm=1920", "policy=smk-p", NULL);

	(void)state;
	sharing_arrives(h, 10, KERNEL(32, 1000, 100, .threads = 128));
	sharing_arrives(h, 110, KERNEL(48, 500, 30, 240, 96));
	sharing_run_out(h);
	CHECK_EVENTS(h, events);
	for (u32 sm = 0; sm < 2; sm++) {
		sharing_check_partition(h, 110, sm, 1, 6);
		sharing_check_partition(h, 110, sm, 2, 12);
	}
	host_free(h);
}

/*
 * Two kernels arrive at the same time. The blocks of the first that are to leave for the second
 * have not begun, so they go back at once, and both begin when the SMs are set up: half of each SM.
 */
static void what_has_not_begun_goes_back_at_once(void **state)
{
	static const struct expected events[] = {
		AT(10, REPLACE, 2, 0, 1, .times = 5),
		AT(10, REPLACE, 2, 1, 1, .times = 5),
		AT(11, START, 1, 0, 0, 4),
		AT(11, START, 1, 1, 5, 9),
		AT(11, START, 2, 0, 0, 4),
		AT(11, START, 2, 1, 5, 9),
	};
	static const char *const policies[] = { "policy=smk", "policy=smk-p" };

	(void)state;
	for (u32 n = 0; n < VGPU_ARRAY_SIZE(policies); n++) {
		struct host *h = host_new("gtx980", PAPER, policies[n], NULL);

		sharing_arrives(h, 10, KERNEL(20, 1000, 100));
		sharing_arrives(h, 10, KERNEL(20, 1000, 100));
		sharing_run(h, 500);
		/* with smk-p nothing is replaced */
		sharing_check(h, 0, events + 2 * n, VGPU_ARRAY_SIZE(events) - 2 * n);
		sharing_run_out(h);
		sharing_check_runs(h, 1, 20, 1000);
		sharing_check_runs(h, 2, 20, 1000);
		host_free(h);
	}
}

/*
 * leftover: kernel 1 has three blocks of 30 % on each SM and one more, so kernel 2 waits, though a
 * tenth of each SM is free. At 511 the first end lets 6 begin on SM 0, 90 % then, as SM 1; now
 * kernel 2 gets its two, one on each SM, and kernel 3, 90 %, SM 1 when the others of kernel 1 have
 * ended. Its second block follows there, with a setup of its own.
 */
static void leftover_goes_by_admission(void **state)
{
	static const struct expected events[] = {
		AT(11, START, 1, 0, 0, 2),
		AT(11, START, 1, 1, 3, 5),
		AT(511, END, 1, 0, 0, 2),
		AT(511, END, 1, 1, 3, 5),
		AT(511, START, 1, 0, 6),
		AT(512, START, 2, 0, 0),
		AT(512, START, 2, 1, 1),
		AT(512, START, 3, 1, 0),
		AT(812, END, 3, 1, 0),
		AT(813, START, 3, 1, 1),
		AT(1011, END, 1, 0, 6),
		AT(1113, END, 3, 1, 1),
		AT(1512, END, 2, 0, 0),
		AT(1512, END, 2, 1, 1),
	};
	struct host *h = host_new("gtx980", PAPER, "policy=leftover", NULL);

	(void)state;
	sharing_arrives(h, 10, KERNEL(7, 500, 300));
	sharing_arrives(h, 110, KERNEL(2, 1000, 100));
	sharing_arrives(h, 210, KERNEL(2, 300, 900));
	sharing_run_out(h);
	CHECK_EVENTS(h, events);
	host_free(h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_block_comes_if_shares_get_closer),
		cmocka_unit_test(no_block_comes_if_shares_get_further_apart),
		cmocka_unit_test(nobody_overtakes_the_candidate),
		cmocka_unit_test(two_blocks_leave_for_one),
		cmocka_unit_test(three_kernels_by_slots),
		cmocka_unit_test(a_preempted_block_comes_back_before_new_ones_on_another_sm),
		cmocka_unit_test(a_partition_for_each_of_three),
		cmocka_unit_test(what_is_beyond_a_partition_leaves),
		cmocka_unit_test(two_of_three_kernels_on_each_sm),
		cmocka_unit_test(a_third_kernel_takes_the_place_of_a_whole_one),
		cmocka_unit_test(figure_8_on_the_device),
		cmocka_unit_test(what_has_not_begun_goes_back_at_once),
		cmocka_unit_test(leftover_goes_by_admission),
	};

	return cmocka_run_group_tests_name("sharing", tests, NULL, NULL);
}

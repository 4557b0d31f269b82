// SPDX-License-Identifier: MIT
/*
 * Shared SMs (docs/sharing.md) with neighbours that are hard to live with: kernels that fit beside
 * nobody, sizes of shared memory that exclude each other, contexts that end while their blocks
 * move, kernels that never end, knobs and policies that change under load. The others end when they
 * have to, every block runs for its time, and the accounts close behind each event (sharing.h).
 */
#include "sharing.h"

/* ---- kernels that fit beside nobody ------------------------------------- */

/*
 * Blocks of 60 %: no two fit. SM 0 has a block of kernel 1 and goes on with it; SM 1, of the two,
 * takes kernel 2, which has no SM yet. The block there is told to leave at 110, its 2400 bytes are
 * saved from 115 to 175. It comes back on SM 0 behind 0, set up from 511 to 512, restored to 572,
 * with 401 left. An SM is set up anew for each block, since there is no other one of its kernel.
 * When kernel 1 is over, at 1975, the last block of kernel 2 gets SM 0.
 */
static void kernels_that_fit_no_partition_beside_each_other(void **state)
{
	static const struct expected events[] = {
		AT(11, START, 1, 0, 0),
		AT(11, START, 1, 1, 1),
		AT(110, EVICT, 1, 1, 1),
		AT(110, PREEMPT, 1, 1, 1),
		AT(176, START, 2, 1, 0),
		AT(511, END, 1, 0, 0),
		AT(572, RESUME, 1, 0, 1),
		AT(676, END, 2, 1, 0),
		AT(677, START, 2, 1, 1),
		AT(973, END, 1, 0, 1),
		AT(974, START, 1, 0, 2),
		AT(1177, END, 2, 1, 1),
		AT(1178, START, 2, 1, 2),
		AT(1474, END, 1, 0, 2),
		AT(1475, START, 1, 0, 3),
		AT(1678, END, 2, 1, 2),
		AT(1679, START, 2, 1, 3),
		AT(1975, END, 1, 0, 3),
		AT(1976, START, 2, 0, 4),
		AT(2179, END, 2, 1, 3),
		AT(2476, END, 2, 0, 4),
	};
	struct host *h = host_new("gtx980", PAPER, "policy=smk-p", NULL);

	(void)state;
	sharing_arrives(h, 10, KERNEL(4, 500, 600));
	sharing_arrives(h, 110, KERNEL(5, 500, 600));
	sharing_run_out(h);
	CHECK_EVENTS(h, events);
	host_free(h);
}

/* The same on one SM: the first kernel has it, the second one waits until that is over. */
static void a_kernel_that_has_no_room_waits_for_the_end_of_the_other(void **state)
{
	static const struct expected events[] = {
		AT(11, START, 1, 0, 0),
		AT(511, END, 1, 0, 0),
		AT(512, START, 1, 0, 1),
		AT(1012, END, 1, 0, 1),
		AT(1013, START, 2, 0, 0),
		AT(1513, END, 2, 0, 0),
	};
	struct host *h = host_new("gtx980", PAPER, "sms=1", "policy=smk-p", NULL);

	(void)state;
	sharing_arrives(h, 10, KERNEL(2, 500, 600));
	sharing_arrives(h, 110, KERNEL(1, 500, 600));
	sharing_run_out(h);
	CHECK_EVENTS(h, events);
	host_free(h);
}

/*
 * smk, one SM (at 400 MB/s: 400 / 400 MB/s = 1 us). Kernel 1 has ten blocks of 10 %, nine are in
 * the way of one of kernel 2: 100 and 0, 10 and 90. Now kernel 1 is the candidate, and the range
 * would be smaller, 20, without the block of kernel 2. But that would have nothing then, less than
 * kernel 1 now: they would take turns for ever. At 506 kernel 2 goes on, at 807 it is over. Nine
 * blocks come back, 817 to 897, with 901 left.
 */
static void two_kernels_do_not_take_turns(void **state)
{
	static const struct expected second[] = {
		AT(110, REPLACE, 2, 0, 1),
		AT(206, START, 2, 0, 0),
		AT(506, END, 2, 0, 0),
		AT(507, START, 2, 0, 1),
		AT(807, END, 2, 0, 1),
	};
	struct host *h = host_new("gtx980", PAPER, "sms=1", "memory_bandwidth=400000000",
				  "policy=smk", NULL);

	(void)state;
	sharing_arrives(h, 10, KERNEL(20, 1000, 100));
	sharing_arrives(h, 110, KERNEL(2, 300, 900));
	sharing_run_out(h);
	CHECK_EVENTS_OF(h, 2, second);
	assert_int_equal(host_count_of(h, VGPU_TRACE_BLOCK_PREEMPT), 9);
	assert_int_equal(sharing_end(h, 1), 897 + 901 + 1000);
	sharing_check_runs(h, 1, 20, 1000);
	host_free(h);
}

/* ---- sizes of shared memory --------------------------------------------- */

/* k20c: 16, 32 or 48 KB. 4 KB are moved in 1 us: 4096 x 2 / 8.192 GB/s. */
#define SIZES	"sms=2", "kernels_per_sm=3", "memory_bandwidth=8192000000",	\
		"pipeline_drain_ps=500000", "active_kernels=8"

/*
 * smk. Kernel 1, 40 KB, sets SM 0 to 48 KB. Kernel 2, 8 KB a block, gets two on SM 1, which it sets
 * to 16 KB, and the third one beside kernel 1, where 8 KB are left. Kernel 3 needs 48 KB: SM 1 has
 * 16 until it is empty, at 611. Then it is set to 48.
 */
static void an_sm_keeps_its_size_until_it_is_empty(void **state)
{
	static const struct expected events[] = {
		AT(11, START, 1, 0, 0),
		AT(111, START, 2, 1, 0, 1),
		AT(111, START, 2, 0, 2),
		AT(611, END, 2, 1, 0, 1),
		AT(611, END, 2, 0, 2),
		AT(612, START, 3, 1, 0),
		AT(712, END, 3, 1, 0),
		AT(1011, END, 1, 0, 0),
	};
	struct host *h = host_new("k20c", SIZES, "policy=smk", NULL);

	(void)state;
	sharing_arrives(h, 10, KERNEL(1, 1000, .shared = 40 << 10));
	sharing_arrives(h, 110, KERNEL(3, 500, .shared = 8 << 10));
	sharing_arrives(h, 210, KERNEL(1, 100, .shared = 48 << 10));
	sharing_run_out(h);
	CHECK_EVENTS(h, events);
	host_free(h);
}

/*
 * smk-p. Kernel 1 has two blocks of 8 KB on each SM, for half a millisecond, and more to come.
 * Kernel 2, one block of 40 KB, is first on SM 1: both blocks leave, 115 to 135 to 155, and the SM
 * is set to 48 KB. Kernel 2 is over at 256, of kernel 1 one fits beside it.
 */
static void a_partition_sets_the_size(void **state)
{
	struct host *h = host_new("k20c", SIZES, "policy=smk-p", NULL);

	(void)state;
	sharing_arrives(h, 10, KERNEL(8, 5000, .shared = 8 << 10));
	sharing_arrives(h, 110, KERNEL(1, 100, .shared = 40 << 10));
	sharing_run_out(h);
	assert_int_equal(sharing_end(h, 2), 256);
	sharing_check_runs(h, 1, 8, 5000);
	sharing_check_runs(h, 2, 1, 100);
	host_free(h);
}

/* ---- kernels_per_sm changes --------------------------------------------- */

/*
 * leftover, one SM. Kernel 2 may not come beside kernel 1 until kernels_per_sm is 2, at 200; then
 * four blocks of 10 % fit. From 500 on it is 1 again: kernel 2 stays and goes on with its others,
 * at 701, but kernel 3, 10 %, may not come, neither at 600 nor at 1011, where kernel 1 is over. At
 * 1100 it is 2.
 */
static void what_shares_an_sm_stays(void **state)
{
	static const struct expected events[] = {
		AT(11, START, 1, 0, 0, 1),
		AT(201, START, 2, 0, 0, 3),
		AT(701, END, 2, 0, 0, 3),
		AT(701, START, 2, 0, 4, 5),
		AT(1011, END, 1, 0, 0, 1),
		AT(1101, START, 3, 0, 0),
		AT(1201, END, 2, 0, 4, 5),
		AT(1401, END, 3, 0, 0),
	};
	struct host *h = host_new("gtx980", PAPER, "sms=1", "kernels_per_sm=1", "policy=leftover",
				  NULL);

	(void)state;
	sharing_arrives(h, 10, KERNEL(2, 1000, 300));
	sharing_arrives(h, 110, KERNEL(6, 500, 100));
	sharing_run(h, 200);
	sharing_set(h, "kernels_per_sm", "2");
	sharing_run(h, 500);
	sharing_set(h, "kernels_per_sm", "1");
	sharing_arrives(h, 600, KERNEL(1, 300, 100));
	sharing_run(h, 1100);
	sharing_set(h, "kernels_per_sm", "2");
	sharing_run_out(h);
	CHECK_EVENTS(h, events);
	host_free(h);
}

/*
 * It goes down and up while blocks are on their way, at each event of the sequence that has most of
 * them: nothing is lost.
 */
static void kernels_per_sm_changes_all_the_time(void **state)
{
	static const char *const policies[] = { "policy=smk", "policy=smk-p", "policy=leftover" };
	static const char *const values[] = { "1", "3", "2", "8", "1", "2" };

	(void)state;
	for (u32 n = 0; n < VGPU_ARRAY_SIZE(policies); n++) {
		struct host *h = host_new("gtx980", PAPER, policies[n], NULL);
		u64 next = 0;

		sharing_arrives(h, 10, KERNEL(24, 300, 100));
		sharing_arrives(h, 110, KERNEL(12, 200, 100, 400, 320));
		sharing_arrives(h, 210, KERNEL(9, 150, 300));
		for (u32 step = 0; next != VGPU_NEVER; step++) {
			next = vgpu_device_run(h->dev, VGPU_NEVER, 1);
			sharing_set(h, "kernels_per_sm", values[step % VGPU_ARRAY_SIZE(values)]);
			assert_true(vgpu_exec_check(&h->dev->exec));
		}
		sharing_check_runs(h, 1, 24, 300);
		sharing_check_runs(h, 2, 12, 200);
		sharing_check_runs(h, 3, 9, 150);
		host_free(h);
	}
}

/* ---- contexts that end while a block is half stored --------------------- */

/*
 * smk: kernel 1, a block of 10 % on each SM until 711, kernel 2 with nine, and kernel 3 with four
 * blocks for which 8, 7 and 17, 16 of kernel 2 leave from 110 on: 125, 135.
 */
static struct host *three_of_which_one_moves(u32 contexts[3])
{
	struct host *h = host_new("gtx980", PAPER, "policy=smk", NULL);

	contexts[0] = sharing_arrives(h, 10, KERNEL(2, 700, 100));
	contexts[1] = sharing_arrives(h, 50, KERNEL(18, 1000, 100));
	contexts[2] = sharing_arrives(h, 110, KERNEL(4, 300, 100));
	sharing_run(h, 120);
	return h;
}

static void close_context(struct host *h, u32 context)
{
	assert_int_equal(vgpu_context_close(h->dev, context), 0);
	assert_true(vgpu_exec_check(&h->dev->exec));
}

/* Nothing happens: kernel 3 from 126 and 135 on, kernel 2 comes back at 426 and 435. */
static void nobody_ends(void **state)
{
	static const struct expected third[] = {
		AT(110, REPLACE, 3, 0, 2, .times = 2),
		AT(110, REPLACE, 3, 1, 2, .times = 2),
		AT(126, START, 3, 0, 0),
		AT(126, START, 3, 1, 1),
		AT(135, START, 3, 0, 2),
		AT(135, START, 3, 1, 3),
		AT(426, END, 3, 0, 0),
		AT(426, END, 3, 1, 1),
		AT(435, END, 3, 0, 2),
		AT(435, END, 3, 1, 3),
	};
	u32 contexts[3];
	struct host *h = three_of_which_one_moves(contexts);

	(void)state;
	sharing_run_out(h);
	CHECK_EVENTS_OF(h, 3, third);
	assert_int_equal(sharing_end(h, 1), 711);
	/* 59 of 1000 before; the second of each SM is restored from 436 to 446 */
	assert_int_equal(sharing_end(h, 2), 446 + 941);
	sharing_check_runs(h, 2, 18, 1000);
	host_free(h);
}

/* The victim ends at 120: all its room is free at once, two of kernel 3 are set up on each SM. */
static void the_context_whose_block_is_being_saved_ends(void **state)
{
	static const struct expected third[] = {
		AT(110, REPLACE, 3, 0, 2, .times = 2),
		AT(110, REPLACE, 3, 1, 2, .times = 2),
		AT(121, START, 3, 0, 0, 1),
		AT(121, START, 3, 1, 2, 3),
		AT(421, END, 3, 0, 0, 1),
		AT(421, END, 3, 1, 2, 3),
	};
	struct vgpu_device_stats stats;
	u32 contexts[3];
	struct host *h = three_of_which_one_moves(contexts);

	(void)state;
	close_context(h, contexts[1]);
	sharing_run_out(h);
	CHECK_EVENTS_OF(h, 3, third);
	assert_int_equal(sharing_end(h, 1), 711);
	sharing_check_runs(h, 1, 2, 700);
	vgpu_device_stats(h->dev, &stats);
	assert_int_equal(stats.save_area, 0);
	host_free(h);
}

/*
 * Who the room is for ends at 120: what was told to leave leaves, and comes back. 8 is saved at
 * 125 and has room, but the SM saves 7 first, to 135: restored at 145 and 155, with 941 left.
 */
static void the_context_that_waits_for_the_room_ends(void **state)
{
	static const struct expected second[] = {
		AT(51, START, 2, 0, 0, 8),
		AT(51, START, 2, 1, 9, 17),
		AT(110, EVICT, 2, 0, 7, 8),
		AT(110, EVICT, 2, 1, 16, 17),
		AT(110, PREEMPT, 2, 0, 7, 8),
		AT(110, PREEMPT, 2, 1, 16, 17),
		AT(145, RESUME, 2, 0, 8),
		AT(145, RESUME, 2, 1, 17),
		AT(155, RESUME, 2, 0, 7),
		AT(155, RESUME, 2, 1, 16),
		AT(1051, END, 2, 0, 0, 6),
		AT(1051, END, 2, 1, 9, 15),
		AT(1086, END, 2, 0, 8),
		AT(1086, END, 2, 1, 17),
		AT(1096, END, 2, 0, 7),
		AT(1096, END, 2, 1, 16),
	};
	u32 contexts[3];
	struct host *h = three_of_which_one_moves(contexts);

	(void)state;
	close_context(h, contexts[2]);
	sharing_run_out(h);
	CHECK_EVENTS_OF(h, 2, second);
	assert_int_equal(sharing_end(h, 1), 711);
	host_free(h);
}

/*
 * A neighbour ends: its room is enough for a block of kernel 3 on each SM at once, and what 8 and
 * 17 leave at 125 for another; 7 and 16, told to leave, leave.
 */
static void a_neighbour_ends(void **state)
{
	static const struct expected third[] = {
		AT(110, REPLACE, 3, 0, 2, .times = 2),
		AT(110, REPLACE, 3, 1, 2, .times = 2),
		AT(121, START, 3, 0, 0),
		AT(121, START, 3, 1, 1),
		AT(125, START, 3, 0, 2),
		AT(125, START, 3, 1, 3),
		AT(421, END, 3, 0, 0),
		AT(421, END, 3, 1, 1),
		AT(425, END, 3, 0, 2),
		AT(425, END, 3, 1, 3),
	};
	u32 contexts[3];
	struct host *h = three_of_which_one_moves(contexts);

	(void)state;
	close_context(h, contexts[0]);
	sharing_run_out(h);
	CHECK_EVENTS_OF(h, 3, third);
	sharing_check_runs(h, 2, 18, 1000);
	host_free(h);
}

/* While it drains, saves, between two saves, is set up, is restored: at each event from 110 on. */
static void contexts_end_at_any_event(void **state)
{
	(void)state;
	for (u32 who = 0; who < 3; who++)
		for (u32 events = 0; events < 40; events++) {
			u32 contexts[3];
			struct host *h = host_new("gtx980", PAPER,
						  events % 2 ? "policy=smk" : "policy=smk-p", NULL);

			contexts[0] = sharing_arrives(h, 10, KERNEL(2, 700, 100));
			contexts[1] = sharing_arrives(h, 50, KERNEL(30, 400, 100));
			contexts[2] = sharing_arrives(h, 110, KERNEL(8, 100, 100));
			sharing_run(h, 109);
			vgpu_device_run(h->dev, VGPU_NEVER, events + 1);
			close_context(h, contexts[who]);
			sharing_run_out(h);
			for (u32 n = 0; n < 3; n++)
				if (n != who)
					sharing_check_runs(h, n + 1, n == 0 ? 2 : n == 1 ? 30 : 8,
							   n == 0 ? 700 : n == 1 ? 400 : 100);
			host_free(h);
		}
}

/*
 * The first block of kernel 2 touches memory that is not mapped, at 126, beside kernel 1 on both
 * SMs. It was to take the places of 9, 19 and 8, 18, of which the first two have been saved and the
 * others are being saved until 135. All come back: 145 and 155, with 901 left.
 */
static void a_kernel_faults(void **state)
{
	struct host *h = host_new("gtx980", PAPER, "policy=smk", NULL);
	struct vgpu_cmd cmd = cmd_profiled(4, 300 * TENTH, 1);
	u32 faulty;

	(void)state;
	sharing_arrives(h, 10, KERNEL(20, 1000, 100));
	sharing_run(h, 100);
	faulty = host_open(h);
	cmd.profiled.regs_per_block = 100;
	cmd.profiled.touches = 1;
	cmd.profiled.touch_bytes = VGPU_PAGE_SIZE;
	cmd.profiled.touch_address = 0x10000000;
	host_push(h, faulty, host_queue(h, faulty), cmd);
	sharing_run_out(h);
	assert_int_equal(h->fault_count, 1);
	assert_int_equal(h->dead[0], faulty);
	assert_int_equal(h->faults[0].reason, VGPU_FAULT_UNMAPPED);
	assert_int_equal(sharing_end(h, 1), 1056);
	sharing_check_runs(h, 1, 20, 1000);
	host_free(h);
}

/*
 * The watchdog ends kernel 1, which runs from 11 on, at 511. Kernel 2, beside it until 435, and
 * kernel 3, which comes later, run shorter than it allows.
 */
static void the_watchdog_bites(void **state)
{
	struct host *h = host_new("gtx980", PAPER, "policy=smk", "watchdog_ps=50000000", NULL);

	(void)state;
	sharing_arrives(h, 10, KERNEL(20, 10000, 100));
	sharing_arrives(h, 110, KERNEL(4, 300, 100));
	sharing_run(h, 510);
	assert_int_equal(h->fault_count, 0);
	sharing_arrives(h, 600, KERNEL(4, 300, 100));
	sharing_run_out(h);
	assert_int_equal(h->fault_count, 1);
	assert_int_equal(h->faults[0].reason, VGPU_FAULT_WATCHDOG);
	assert_int_equal(h->faults[0].time, 511 * TENTH);
	assert_int_equal(sharing_end(h, 2), 435);
	assert_int_equal(sharing_end(h, 3), 901);
	sharing_check_runs(h, 2, 4, 300);
	sharing_check_runs(h, 3, 4, 300);
	host_free(h);
}

/* ---- policies of the other kind ----------------------------------------- */

/*
 * Two kernels under smk as in test_sharing.c: 8 blocks of kernel 1 and 2 of kernel 2 on each SM,
 * 9, 19, 8, 18 of kernel 1 preempted. At 200 fcfs comes: all blocks leave, 205 to 305, one after
 * the other, those of kernel 1 first. Kernel 1 gets the SMs, is set up until 306, and is restored,
 * ten blocks on each SM, 316 to 406, the four that were preempted first on SM 0: they have 901
 * left, the others 811. So the last one ends at 346 + 901, on SM 1 at 406 + 811 = 1217. Kernel 2,
 * which was admitted before, gets SM 1 then: 1218, 1228 to 1258; two of its blocks have 235 left,
 * the last two 226.
 */
static void fcfs_gets_the_sms_empty(void **state)
{
	struct host *h = host_new("gtx980", PAPER, "policy=smk", NULL);

	(void)state;
	sharing_arrives(h, 10, KERNEL(20, 1000, 100));
	sharing_arrives(h, 110, KERNEL(4, 300, 100));
	sharing_run(h, 200);
	sharing_set(h, "policy", "fcfs");
	sharing_run_out(h);
	sharing_check_runs(h, 1, 20, 1000);
	sharing_check_runs(h, 2, 4, 300);
	assert_int_equal(sharing_end(h, 1), 1247);
	assert_int_equal(sharing_end(h, 2), 1484);
	host_free(h);
}

/*
 * Back under load: at 500 all 20 blocks of kernel 1 run on whole SMs. They drain until 505 and are
 * saved together, until 605. Then all 24 are restored on the two SMs, on which they fit but for
 * four of kernel 1. What kernel 2 has left, at most 235 behind ten restores, ends by 605 + 1 +
 * 100 + 235.
 */
static void smk_gets_the_sms_back(void **state)
{
	static const struct expected second[] = {
		AT(110, REPLACE, 2, 0, 1, .times = 2),
		AT(110, REPLACE, 2, 1, 1, .times = 2),
		AT(126, START, 2, 0, 0),
		AT(126, START, 2, 1, 1),
		AT(135, START, 2, 0, 2),
		AT(135, START, 2, 1, 3),
	};
	struct host *h = host_new("gtx980", PAPER, "policy=smk", NULL);
	u64 resumed = VGPU_NEVER;

	(void)state;
	sharing_arrives(h, 10, KERNEL(20, 1000, 100));
	sharing_arrives(h, 110, KERNEL(4, 300, 100));
	sharing_run(h, 199);
	CHECK_EVENTS_OF(h, 2, second);
	sharing_run(h, 200);
	sharing_set(h, "policy", "fcfs");
	sharing_run(h, 500);
	sharing_set(h, "policy", "smk");
	sharing_run_out(h);
	sharing_check_runs(h, 1, 20, 1000);
	sharing_check_runs(h, 2, 4, 300);
	assert_in_range(sharing_end(h, 2), 606 + 226, 606 + 100 + 235);
	/* setup 606, the first restore 616 */
	for (size_t i = 0; i < h->record_count; i++)
		if (h->records[i].type == VGPU_TRACE_BLOCK_RESUME &&
		    h->records[i].time > 500 * TENTH && h->records[i].time < resumed)
			resumed = h->records[i].time;
	assert_int_equal(resumed, 616 * TENTH);
	host_free(h);
}

/* At each event the policy becomes one of the other kind. */
static void the_policy_changes_all_the_time(void **state)
{
	static const char *const names[] = { "smk-p", "fcfs", "smk",	    "spart",
					     "smk",   "dss",  "leftover", "smk-p" };

	(void)state;
	for (u32 every = 1; every < 12; every++) {
		struct host *h = host_new("gtx980", PAPER, "policy=smk", NULL);
		u64 next = 0;
		u32 step = 0;

		sharing_arrives(h, 10, KERNEL(24, 300, 100));
		sharing_arrives(h, 110, KERNEL(12, 200, 100, 400, 320));
		while (next != VGPU_NEVER) {
			next = vgpu_device_run(h->dev, VGPU_NEVER, every);
			/* 100 times: a policy that never lasts lets nobody run */
			if (step < 100)
				sharing_set(h, "policy",
					    names[step % VGPU_ARRAY_SIZE(names)]);
			step++;
			assert_true(vgpu_exec_check(&h->dev->exec));
		}
		sharing_check_runs(h, 1, 24, 300);
		sharing_check_runs(h, 2, 12, 200);
		host_free(h);
	}
}

/* ---- a kernel that never ends ------------------------------------------- */

#define ENDLESS	100000000u	/* ten seconds, in tenths of a microsecond */

/*
 * Kernel 1 has all registers for good. Kernel 2, of a context that is more important, comes as in
 * test_sharing.c: two on each SM from 126 and 135 on, over at 435, whether kernel 1 has @blocks to
 * issue or not.
 */
static void beside_an_endless_one(const char *policy, u32 blocks)
{
	struct host *h = host_new("gtx980", PAPER, policy, NULL);
	u32 endless = host_open(h), important = host_open(h);

	assert_int_equal(vgpu_context_priority(h->dev, important, 5), 0);
	sharing_arrive(h, endless, 10, KERNEL(blocks, ENDLESS, 100));
	sharing_arrive(h, important, 110, KERNEL(4, 300, 100));
	sharing_run(h, 5000);
	assert_int_equal(sharing_end(h, 2), 435);
	sharing_check_runs(h, 2, 4, 300);
	close_context(h, endless);
	host_free(h);
}

static void an_endless_kernel_under_smk(void **state)
{
	(void)state;
	beside_an_endless_one("policy=smk", 20);
	beside_an_endless_one("policy=smk", 40);
}

static void an_endless_kernel_with_blocks_to_issue_under_smk_p(void **state)
{
	(void)state;
	beside_an_endless_one("policy=smk-p", 40);
}

static void an_endless_kernel_that_has_issued_all_under_smk_p(void **state)
{
	(void)state;
	beside_an_endless_one("policy=smk-p", 20);
}

/*
 * smk-p with kernels_per_sm=2: two endless kernels have 5 blocks each on both SMs, and none to
 * issue. The third comes at 110: SM 0 keeps the two that it has, SM 1 takes the third and the first
 * and all of the second leave, from 115 to 165. Four of the third run there from 166 on.
 */
static void two_endless_kernels_under_smk_p(void **state)
{
	struct host *h = host_new("gtx980", PAPER, "kernels_per_sm=2", "policy=smk-p", NULL);
	u32 first, second;

	(void)state;
	first = sharing_arrives(h, 10, KERNEL(10, ENDLESS, 100));
	second = sharing_arrives(h, 50, KERNEL(10, ENDLESS, 100));
	sharing_arrives(h, 110, KERNEL(4, 300, 100));
	sharing_run(h, 5000);
	assert_int_equal(sharing_end(h, 3), 466);
	sharing_check_runs(h, 3, 4, 300);
	close_context(h, first);
	close_context(h, second);
	host_free(h);
}

/*
 * smk-p: two endless kernels share both SMs, and a block of the third takes 90 %. On SM 1 it is the
 * first: it gets one, and the first kernel one beside it. Four and five leave, 115 to 205.
 */
static void a_large_block_beside_endless_kernels_under_smk_p(void **state)
{
	struct host *h = host_new("gtx980", PAPER, "policy=smk-p", NULL);
	u32 first, second;

	(void)state;
	first = sharing_arrives(h, 10, KERNEL(10, ENDLESS, 100));
	second = sharing_arrives(h, 50, KERNEL(10, ENDLESS, 100));
	sharing_arrives(h, 110, KERNEL(1, 300, 900));
	sharing_run(h, 5000);
	assert_int_equal(sharing_end(h, 3), 506);
	close_context(h, first);
	close_context(h, second);
	host_free(h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kernels_that_fit_no_partition_beside_each_other),
		cmocka_unit_test(a_kernel_that_has_no_room_waits_for_the_end_of_the_other),
		cmocka_unit_test(two_kernels_do_not_take_turns),
		cmocka_unit_test(an_sm_keeps_its_size_until_it_is_empty),
		cmocka_unit_test(a_partition_sets_the_size),
		cmocka_unit_test(what_shares_an_sm_stays),
		cmocka_unit_test(kernels_per_sm_changes_all_the_time),
		cmocka_unit_test(nobody_ends),
		cmocka_unit_test(the_context_whose_block_is_being_saved_ends),
		cmocka_unit_test(the_context_that_waits_for_the_room_ends),
		cmocka_unit_test(a_neighbour_ends),
		cmocka_unit_test(contexts_end_at_any_event),
		cmocka_unit_test(a_kernel_faults),
		cmocka_unit_test(the_watchdog_bites),
		cmocka_unit_test(fcfs_gets_the_sms_empty),
		cmocka_unit_test(smk_gets_the_sms_back),
		cmocka_unit_test(the_policy_changes_all_the_time),
		cmocka_unit_test(an_endless_kernel_under_smk),
		cmocka_unit_test(an_endless_kernel_with_blocks_to_issue_under_smk_p),
		cmocka_unit_test(an_endless_kernel_that_has_issued_all_under_smk_p),
		cmocka_unit_test(two_endless_kernels_under_smk_p),
		cmocka_unit_test(a_large_block_beside_endless_kernels_under_smk_p),
	};

	return cmocka_run_group_tests_name("sharing, hostile", tests, NULL, NULL);
}

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

/* ---- limits of SMs ------------------------------------------------------ */

#define THREE	PAPER, "sms=3", "memory_bandwidth=1200000000"

/* Blocks of @kernel that began at @time, 0: at any time; fails if one is on an SM but @only. */
static u32 count_begun(struct host *h, u32 kernel, u32 time, u32 only)
{
	u32 count = 0;

	for (size_t i = 0; i < h->record_count; i++) {
		const struct vgpu_trace_record *r = &h->records[i];

		if (r->type != VGPU_TRACE_BLOCK_START || r->kernel != kernel)
			continue;
		assert_true(only == ANY || r->sm == only);
		count += !time || r->time == time * TENTH;
	}
	return count;
}

/*
 * The first context may have one SM of three. Its kernel has ten blocks there, ten more and room
 * for none; that keeps nobody out of the other two SMs.
 */
static void a_context_at_its_limit_keeps_nobody_out(void **state)
{
	static const char *const policies[] = { "policy=smk", "policy=smk-p", "policy=leftover" };

	(void)state;
	for (u32 n = 0; n < VGPU_ARRAY_SIZE(policies); n++) {
		struct host *h = host_new("gtx980", THREE, policies[n], NULL);
		u32 limited = host_open(h), other = host_open(h);

		assert_int_equal(vgpu_context_sms(h->dev, limited, 1), 0);
		sharing_arrive(h, limited, 10, KERNEL(20, 1000, 100));
		sharing_arrive(h, other, 120, KERNEL(20, 300, 100));
		sharing_run_out(h);
		assert_int_equal(count_begun(h, 1, 11, 0), 10);
		/* with smk-p five are on SM 0, where the save of the first ends at 135 */
		if (strcmp(policies[n], "policy=smk-p"))
			assert_int_equal(count_begun(h, 2, 121, ANY), 20);
		assert_true(sharing_end(h, 2) <= 421 + 310);
		sharing_check_runs(h, 1, 20, 1000);
		sharing_check_runs(h, 2, 20, 300);
		host_free(h);
	}
}

/*
 * smk: all SMs are full when six blocks of the limited context come. All of them get room on SM 0,
 * one behind the other, though others have a higher rSM: 96.7 and 3.3 to 80 and 20.
 */
static void what_is_promised_counts_to_the_limit(void **state)
{
	static const struct expected second[] = {
		AT(110, REPLACE, 2, 0, 1, .times = 6),
		AT(126, START, 2, 0, 0),
		AT(135, START, 2, 0, 1),
		AT(145, START, 2, 0, 2),
		AT(155, START, 2, 0, 3),
		AT(165, START, 2, 0, 4),
		AT(175, START, 2, 0, 5),
		AT(426, END, 2, 0, 0),
		AT(435, END, 2, 0, 1),
		AT(445, END, 2, 0, 2),
		AT(455, END, 2, 0, 3),
		AT(465, END, 2, 0, 4),
		AT(475, END, 2, 0, 5),
	};
	struct host *h = host_new("gtx980", THREE, "policy=smk", NULL);
	u32 other = host_open(h), limited = host_open(h);

	(void)state;
	assert_int_equal(vgpu_context_sms(h->dev, limited, 1), 0);
	sharing_arrive(h, other, 10, KERNEL(30, 1000, 100));
	sharing_arrive(h, limited, 110, KERNEL(6, 300, 100));
	sharing_run_out(h);
	CHECK_EVENTS_OF(h, 2, second);
	sharing_check_runs(h, 1, 30, 1000);
	host_free(h);
}

/*
 * The limit of a context with blocks on all SMs goes down to 1 and up again: nothing is preempted,
 * but from 200 on new blocks come to no SM that it has left.
 */
static void the_limit_changes(void **state)
{
	static const char *const policies[] = { "policy=smk", "policy=smk-p", "policy=leftover" };

	(void)state;
	for (u32 n = 0; n < VGPU_ARRAY_SIZE(policies); n++) {
		struct host *h = host_new("gtx980", THREE, policies[n], NULL);
		u32 a = host_open(h), b = host_open(h);

		sharing_arrive(h, a, 10, KERNEL(90, 200, 100));
		sharing_arrive(h, b, 110, KERNEL(30, 100, 150, 200));
		for (u32 time = 120; time < 2000; time += 30) {
			sharing_run(h, time);
			assert_int_equal(vgpu_context_sms(h->dev, time / 30 % 2 ? a : b,
							  time / 60 % 3 + 1), 0);
			assert_true(vgpu_exec_check(&h->dev->exec));
		}
		sharing_run_out(h);
		sharing_check_runs(h, 1, 90, 200);
		sharing_check_runs(h, 2, 30, 100);
		host_free(h);
	}
}

/* ---- any kernels, any limits -------------------------------------------- */

#define RANDOM_KERNELS	8u
#define RANDOM_CONTEXTS	4u

/* No SM has blocks of more than @kernels kernels, no context on more than @limit of its SMs. */
static void check_limits(struct host *h, u32 kernels, const u32 *limit)
{
	const struct vgpu_exec *exec = &h->dev->exec;
	u32 sms[RANDOM_CONTEXTS + 1] = {};

	for (u32 sm = 0; sm < exec->config->sms; sm++) {
		const struct vgpu_sharer *sharer;
		bool has[RANDOM_CONTEXTS + 1] = {};
		u32 count = 0;

		vgpu_list_for_each(sharer, &exec->smst[sm].residents, struct vgpu_sharer, node) {
			count += !!sharer->blocks;
			has[sharer->ksr->ctx->sched.id] |= !!sharer->blocks;
		}
		assert_true(count <= kernels);
		for (u32 n = 1; n <= RANDOM_CONTEXTS; n++)
			sms[n] += has[n];
	}
	for (u32 n = 1; n <= RANDOM_CONTEXTS; n++)
		assert_true(sms[n] <= limit[n]);
}

/* From 0: below @usual as a rule, below @most at times. */
static u32 any_need(struct vgpu_random *random, u32 usual, u32 most)
{
	u32 limit = vgpu_random_next(random) % 4 ? usual : most;

	return (u32)(vgpu_random_next(random) % limit);
}

static struct kernel any_kernel(struct vgpu_random *random)
{
	struct kernel kernel;

	kernel.blocks = 1 + any_need(random, 40, 40);
	kernel.tenths = 1 + any_need(random, 300, 300);
	kernel.regs = any_need(random, 200, 1000);
	kernel.shared = any_need(random, 600, 4000);
	kernel.threads = 1 + any_need(random, 300, 1000);
	return kernel;
}

static void kernels_and_sms_stay_within_their_limits(void **state)
{
	static const char *const policies[] = { "smk", "smk-p", "leftover" };

	(void)state;
	for (u32 seed = 0; seed < 120; seed++) {
		struct host *h = host_new("gtx980", THREE, NULL);
		struct vgpu_random random;
		u32 kernels = 1 + seed % 4, context[RANDOM_CONTEXTS], limit[RANDOM_CONTEXTS + 1];
		struct kernel kernel[RANDOM_KERNELS];
		char text[2] = { (char)('0' + kernels) };
		u32 time = 10;
		u64 next;

		vgpu_random_seed(&random, seed);
		sharing_set(h, "policy", policies[seed % 3]);
		sharing_set(h, "kernels_per_sm", text);
		for (u32 n = 0; n < RANDOM_CONTEXTS; n++) {
			context[n] = host_open(h);
			limit[context[n]] = 1 + (u32)vgpu_random_next(&random) % 3;
			assert_int_equal(vgpu_context_sms(h->dev, context[n],
							  limit[context[n]]), 0);
		}
		for (u32 n = 0; n < RANDOM_KERNELS; n++) {
			kernel[n] = any_kernel(&random);
			sharing_arrive(h, context[n % RANDOM_CONTEXTS], time, kernel[n]);
			for (u32 until = time + (u32)vgpu_random_next(&random) % 300; time < until;
			     time++) {
				sharing_run(h, time);
				check_limits(h, kernels, limit);
			}
		}
		do {
			next = vgpu_device_run(h->dev, VGPU_NEVER, 1);
			assert_true(vgpu_exec_check(&h->dev->exec));
			check_limits(h, kernels, limit);
		} while (next != VGPU_NEVER);
		for (u32 n = 0; n < RANDOM_KERNELS; n++)
			sharing_check_runs(h, n + 1, kernel[n].blocks, kernel[n].tenths);
		host_free(h);
	}
}

/* ---- accounts ----------------------------------------------------------- */

static u64 sm_time(struct host *h, u32 context)
{
	struct vgpu_context_info info;

	assert_int_equal(vgpu_context_info(h->dev, context, &info), 0);
	return info.sm_time;
}

static u64 busy_time(struct host *h, u32 sm)
{
	struct vgpu_sm_stats stats;
	u64 time = 0;

	assert_int_equal(vgpu_device_sm_stats(h->dev, sm, &stats), 0);
	for (u32 state = 0; state < VGPU_SM_STATES; state++)
		time += state == VGPU_SM_IDLE ? 0 : stats.time[state];
	return time;
}

/* Shares are rounded down to 2^-32: a few picoseconds. */
static void check_near(u64 value, u64 expected)
{
	assert_in_range(value, expected - 10, expected + 10);
}

/*
 * One SM. Kernel 1 has 30 % of it (registers) from 10 to 1011, kernel 2 20 % (threads) from 110 to
 * 611, kernel 3 10 % (shared memory) from 210 to 411. Of the SM's 1001:
 *
 *	10-110	   100		  1
 *	110-210	   100 and 411-611 200:  3/5, 2/5
 *	210-411	   201:			 3/6, 2/6, 1/6
 *	611-1011   400		  1
 */
static void time_is_in_proportion_to_dominant_shares(void **state)
{
	struct host *h = host_new("gtx980", PAPER, "sms=1", "policy=leftover", NULL);
	u32 contexts[3];
	u64 of[3], part = TENTH / 2;

	(void)state;
	contexts[0] = sharing_arrives(h, 10, KERNEL(1, 1000, 300));
	contexts[1] = sharing_arrives(h, 110, KERNEL(1, 500, 10, .threads = 640));
	contexts[2] = sharing_arrives(h, 210, KERNEL(1, 200, 10, .shared = 400));
	sharing_run_out(h);
	for (u32 n = 0; n < 3; n++)
		of[n] = sm_time(h, contexts[n]);
	/* in halves of a tenth: 500 + 300 x 3/5 + 201 / 2 */
	check_near(of[0], (1000 + 360 + 201) * part);
	check_near(of[1], (240 + 134) * part);
	check_near(of[2], 67 * part);
	assert_int_equal(of[0] + of[1] + of[2], 1001 * TENTH);
	assert_int_equal(busy_time(h, 0), 1001 * TENTH);
	host_free(h);
}

/*
 * The first sequence of test_sharing.c: 9, 19 and 8, 18 of the first context are told to leave at
 * 110 and have left at 125 and 135, are dispatched at 426 and 435, and run again at 436 and 446.
 */
static void a_partial_switch_is_accounted(void **state)
{
	struct host *h = host_new("gtx980", PAPER, "policy=smk", NULL);
	struct vgpu_context_info info;
	const struct vgpu_account *a = &info.account;
	u32 contexts[2];

	(void)state;
	contexts[0] = sharing_arrives(h, 10, KERNEL(20, 1000, 100));
	contexts[1] = sharing_arrives(h, 110, KERNEL(4, 300, 100));
	sharing_run(h, 200);
	vgpu_context_info(h->dev, contexts[0], &info);
	assert_int_equal(a->save_area, 4 * 400);
	sharing_run_out(h);
	vgpu_context_info(h->dev, contexts[0], &info);
	assert_int_equal(a->preemptions, 4);
	assert_int_equal(a->preemption_time, 2 * (15 + 25) * TENTH);
	assert_int_equal(a->blocks_saved, 4);
	assert_int_equal(a->saved_bytes, 4 * 400);
	assert_int_equal(a->save_area, 0);
	assert_int_equal(a->block_running, 20 * 1000 * TENTH);
	assert_int_equal(a->block_saving, 2 * (15 + 25) * TENTH);
	assert_int_equal(a->block_preempted, 2 * (301 + 300) * TENTH);
	assert_int_equal(a->block_restoring, 2 * (10 + 11) * TENTH);
	assert_int_equal(a->kernel_queued, TENTH);
	assert_int_equal(a->kernel_preempted, 0);
	vgpu_context_info(h->dev, contexts[1], &info);
	assert_int_equal(a->kernel_queued, 16 * TENTH);
	assert_int_equal(a->kernel_running, (435 - 126) * TENTH);
	assert_int_equal(a->preemptions, 0);
	assert_int_equal(a->block_running, 4 * 300 * TENTH);
	host_free(h);
}

/*
 * Two contexts with two kernels each, blocks that leave and come back: at any time what the
 * contexts have adds up to what the SMs have been busy.
 */
static void time_adds_up(void **state)
{
	static const char *const policies[] = { "policy=smk", "policy=smk-p", "policy=leftover" };

	(void)state;
	for (u32 n = 0; n < VGPU_ARRAY_SIZE(policies); n++) {
		struct host *h = host_new("gtx980", PAPER, policies[n], NULL);
		u32 a = host_open(h), b = host_open(h);

		sharing_arrive(h, a, 10, KERNEL(23, 310, 100));
		sharing_arrive(h, b, 110, KERNEL(7, 130, 150, 300));
		sharing_arrive(h, a, 130, KERNEL(11, 170, .threads = 480));
		sharing_arrive(h, b, 170, KERNEL(5, 90, .shared = 1300));
		for (u32 time = 180; time < 2000; time += 7) {
			sharing_run(h, time);
			assert_int_equal(sm_time(h, a) + sm_time(h, b),
					 busy_time(h, 0) + busy_time(h, 1));
		}
		sharing_run_out(h);
		sharing_check_runs(h, 1, 23, 310);
		sharing_check_runs(h, 2, 7, 130);
		sharing_check_runs(h, 3, 11, 170);
		sharing_check_runs(h, 4, 5, 90);
		host_free(h);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kernels_that_fit_no_partition_beside_each_other),
		cmocka_unit_test(a_kernel_that_has_no_room_waits_for_the_end_of_the_other),
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
		cmocka_unit_test(a_context_at_its_limit_keeps_nobody_out),
		cmocka_unit_test(what_is_promised_counts_to_the_limit),
		cmocka_unit_test(the_limit_changes),
		cmocka_unit_test(kernels_and_sms_stay_within_their_limits),
		cmocka_unit_test(time_is_in_proportion_to_dominant_shares),
		cmocka_unit_test(a_partial_switch_is_accounted),
		cmocka_unit_test(time_adds_up),
	};

	return cmocka_run_group_tests_name("sharing, hostile", tests, NULL, NULL);
}

// SPDX-License-Identifier: MIT
/*
 * PEP on SMs that several kernels share, computed on paper: the cases of test_pep.c, block by
 * block. The SMs are those of sharing.h, the policy is smk; times are in tenths of a microsecond.
 *
 * Kernel 1 has ten blocks of 10 % on each of two SMs, which begin at 11 and run for 1000. When
 * kernel 2, of four such blocks, comes, the two newest of each SM leave (test_sharing.c). Of a
 * block's 400 bytes half are dirty at a base checkpoint: it takes 5. After that 40 % are: 4. The
 * pipeline drains in 5; a switch of two takes 25. An announcement takes 13 to the SMs, and the
 * launch is expected 200 after it.
 */
#include "sharing.h"

struct pep {
	struct host *h;
	u32 a, b;
};

static void announce(struct pep *t, u32 time)
{
	struct vgpu_announcement what = { .blocks = 4, .needs.registers = 100 };

	sharing_run(t->h, time);
	vgpu_exec_announce(&vgpu_context_find(t->h->dev, t->b)->exec, &what);
	assert_true(vgpu_exec_check(&t->h->dev->exec));
}

static struct pep begin_with(u32 blocks, u32 shared, const char *in_place)
{
	struct pep t = { .h = host_new("gtx980", PAPER, "policy=smk", "preemption=pep", in_place,
				     NULL) };
	struct vgpu_cmd cmd = cmd_profiled(blocks, 1000 * TENTH, 1);

	cmd.profiled.regs_per_block = 100;
	cmd.profiled.shared_bytes = shared;
	cmd.profiled.threads = 32;
	cmd.profiled.clean_base_permille = 500;
	cmd.profiled.clean_increment_permille = 600;
	t.a = host_open(t.h);
	t.b = host_open(t.h);
	host_push(t.h, t.a, host_queue(t.h, t.a), cmd);
	return t;
}

static struct pep begin(u32 blocks)
{
	return begin_with(blocks, 0, "pep_in_place=0");
}

/* Kernel 1 was launched at 0, and comes at 10. */
static void arrive(struct pep *t, u32 time)
{
	sharing_arrive(t->h, t->b, time, KERNEL(4, 300, 100));
}

static struct vgpu_account account_of(struct pep *t, u32 context)
{
	struct vgpu_context_info info;

	assert_int_equal(vgpu_context_info(t->h->dev, context, &info), 0);
	return info.account;
}

static void end(struct pep *t)
{
	struct vgpu_device_stats stats;

	vgpu_device_stats(t->h->dev, &stats);
	assert_int_equal(t->h->dev->exec.bases, 0);
	assert_int_equal(t->h->dev->exec.save_area, 0);
	assert_int_equal(t->h->dev->exec.smst[0].in_place, 0);
	assert_int_equal(t->h->dev->exec.smst[1].in_place, 0);
	assert_int_equal(t->h->dev->exec.smst[0].standing, 0);
	assert_int_equal(t->h->dev->exec.smst[1].standing, 0);
	host_free(t->h);
}

/*
 * Announced at 80, looked at at 93: blocks 8 and 9 stop, are drained at 98, and go on at 103 and
 * 108. Kernel 2 comes at 250; increments are saved from 255 to 259 and 263. It is set up for 1.
 * When it has ended a base and an increment are restored in 9. Block 9 has run for 82 and 142.
 */
static void two_checkpoints(void **state)
{
	static const struct expected events[] = {
		AT(11, START, 1, 0, 0, 9),
		AT(11, START, 1, 1, 10, 19),
		AT(93, PREEMPT, 1, 0, 8, 9),
		AT(93, PREEMPT, 1, 1, 18, 19),
		AT(103, RESUME, 1, 0, 8),
		AT(103, RESUME, 1, 1, 18),
		AT(108, RESUME, 1, 0, 9),
		AT(108, RESUME, 1, 1, 19),
		AT(250, REPLACE, 2, 0, 1, .times = 2),
		AT(250, EVICT, 1, 0, 8, 9),
		AT(250, PREEMPT, 1, 0, 8, 9),
		AT(250, REPLACE, 2, 1, 1, .times = 2),
		AT(250, EVICT, 1, 1, 18, 19),
		AT(250, PREEMPT, 1, 1, 18, 19),
		AT(260, START, 2, 0, 0),
		AT(260, START, 2, 1, 1),
		AT(263, START, 2, 0, 2),
		AT(263, START, 2, 1, 3),
		AT(560, END, 2, 0, 0),
		AT(560, END, 2, 1, 1),
		AT(563, END, 2, 0, 2),
		AT(563, END, 2, 1, 3),
		AT(569, RESUME, 1, 0, 9),
		AT(569, RESUME, 1, 1, 19),
		AT(578, RESUME, 1, 0, 8),
		AT(578, RESUME, 1, 1, 18),
		AT(1011, END, 1, 0, 0, 7),
		AT(1011, END, 1, 1, 10, 17),
		AT(1345, END, 1, 0, 9),
		AT(1345, END, 1, 1, 19),
		AT(1349, END, 1, 0, 8),
		AT(1349, END, 1, 1, 18),
	};
	struct pep t = begin(20);
	u64 stall;

	(void)state;
	announce(&t, 80);
	sharing_run(t.h, 109);
	assert_int_equal(account_of(&t, t.a).save_area, 4 * 200);
	assert_int_equal(account_of(&t, t.a).blocks_checkpointed, 4);
	/* 10 and 15 of a tenth of an SM, twice; shares are rounded down */
	stall = account_of(&t, t.b).announced_stall;
	assert_in_range(stall, 5 * TENTH - 10, 5 * TENTH);
	arrive(&t, 250);
	sharing_run_out(t.h);
	CHECK_EVENTS(t.h, events);
	assert_int_equal(account_of(&t, t.a).saved_bytes, 4 * (200 + 160));
	assert_int_equal(account_of(&t, t.a).blocks_saved, 4);
	end(&t);
}

/*
 * Kernel 2 comes at 100, while the first base checkpoints are being made: blocks leave when those
 * are, at 103 and 108, and only they are restored.
 */
static void one_checkpoint(void **state)
{
	static const struct expected events[] = {
		AT(11, START, 1, 0, 0, 9),
		AT(11, START, 1, 1, 10, 19),
		AT(93, PREEMPT, 1, 0, 8, 9),
		AT(93, PREEMPT, 1, 1, 18, 19),
		AT(100, REPLACE, 2, 0, 1, .times = 2),
		AT(100, EVICT, 1, 0, 8, 9),
		AT(100, REPLACE, 2, 1, 1, .times = 2),
		AT(100, EVICT, 1, 1, 18, 19),
		AT(104, START, 2, 0, 0),
		AT(104, START, 2, 1, 1),
		AT(108, START, 2, 0, 2),
		AT(108, START, 2, 1, 3),
		AT(404, END, 2, 0, 0),
		AT(404, END, 2, 1, 1),
		AT(408, END, 2, 0, 2),
		AT(408, END, 2, 1, 3),
		AT(409, RESUME, 1, 0, 8),
		AT(409, RESUME, 1, 1, 18),
		AT(414, RESUME, 1, 0, 9),
		AT(414, RESUME, 1, 1, 19),
		AT(1011, END, 1, 0, 0, 7),
		AT(1011, END, 1, 1, 10, 17),
		AT(1327, END, 1, 0, 8),
		AT(1327, END, 1, 1, 18),
		AT(1332, END, 1, 0, 9),
		AT(1332, END, 1, 1, 19),
	};
	struct pep t = begin(20);

	(void)state;
	announce(&t, 80);
	arrive(&t, 100);
	sharing_run_out(t.h);
	CHECK_EVENTS(t.h, events);
	assert_int_equal(account_of(&t, t.a).saved_bytes, 4 * 200);
	end(&t);
}

/*
 * At 963 blocks have 48 left, and the launch is expected later. Kernel 2 comes at 1000: they end 11
 * later, sooner than a switch of 15.
 */
static void blocks_drain(void **state)
{
	struct pep t = begin(40);

	(void)state;
	announce(&t, 950);
	arrive(&t, 1000);
	sharing_run(t.h, 1012);
	assert_int_equal(account_of(&t, t.a).blocks_checkpointed, 0);
	assert_int_equal(host_time_of(t.h, VGPU_TRACE_KERNEL_START, 2), 1012 * TENTH);
	sharing_run_out(t.h);
	assert_int_equal(account_of(&t, t.a).blocks_saved, 0);
	assert_int_equal(account_of(&t, t.a).blocks_drained, 4);
	end(&t);
}

/*
 * As before, but kernel 2 comes at 1150. The blocks that come at 1011 run for 1,000 cycles of
 * 1216 MHz, 8.2, and will not have ended at 1150: of each SM the two newest make a base checkpoint,
 * to 1030 and 1035.
 */
static void blocks_drain_then_two_checkpoints(void **state)
{
	struct pep t = begin(40);

	(void)state;
	announce(&t, 950);
	sharing_run(t.h, 1019);
	assert_int_equal(account_of(&t, t.a).blocks_checkpointed, 0);
	sharing_run(t.h, 1036);
	assert_int_equal(account_of(&t, t.a).blocks_checkpointed, 4);
	assert_int_equal(t.h->dev->exec.bases, 4);
	arrive(&t, 1150);
	/* drained at 1155, the increments are saved at 1159 and 1163 */
	sharing_run_out(t.h);
	assert_int_equal(host_time_of(t.h, VGPU_TRACE_KERNEL_START, 2), 1160 * TENTH);
	assert_int_equal(account_of(&t, t.a).saved_bytes, 4 * (200 + 160));
	end(&t);
}

/* Without an announcement: what is dirty is saved from 255 to 260 and 265. */
static void nothing_was_announced(void **state)
{
	struct pep t = begin(20);

	(void)state;
	arrive(&t, 250);
	sharing_run_out(t.h);
	assert_int_equal(host_time_of(t.h, VGPU_TRACE_KERNEL_START, 2), 261 * TENTH);
	assert_int_equal(account_of(&t, t.a).saved_bytes, 4 * 200);
	end(&t);
}

/* After 200 us the base checkpoints are gone; the announcer owes its part of the SMs. */
static void no_launch_follows(void **state)
{
	struct pep t = begin(100);

	(void)state;
	announce(&t, 80);
	sharing_run(t.h, 300);
	assert_int_equal(t.h->dev->exec.bases, 4);
	sharing_run(t.h, 2081);
	assert_int_equal(t.h->dev->exec.bases, 0);
	assert_int_equal(account_of(&t, t.a).save_area, 0);
	assert_int_equal(account_of(&t, t.b).announcements_broken, 1);
	sharing_run_out(t.h);
	end(&t);
}

/* Who has announced dies, or who is prepared, at each time, with the launch at 250 or without. */
static void one_of_them_dies(void **state)
{
	(void)state;
	for (u32 time = 81; time < 620; time += time < 115 || time > 245 ? 1 : 20) {
		for (u32 n = 0; n < 4; n++) {
			struct pep t = begin(30);

			announce(&t, 80);
			if (n & 1 && time > 250)
				arrive(&t, 250);
			sharing_run(t.h, time);
			vgpu_context_close(t.h->dev, n & 2 ? t.a : t.b);
			assert_true(vgpu_exec_check(&t.h->dev->exec));
			sharing_run_out(t.h);
			end(&t);
		}
	}
}

/* The policy becomes one of the other kind while base checkpoints are being made. */
static void the_policy_changes(void **state)
{
	(void)state;
	for (u32 time = 81; time < 115; time++) {
		struct pep t = begin(20);

		announce(&t, 80);
		sharing_run(t.h, time);
		sharing_set(t.h, "policy", "ppq-shared");
		assert_true(vgpu_exec_check(&t.h->dev->exec));
		sharing_run(t.h, time + 3);
		sharing_set(t.h, "preemption", time % 2 ? "chimera" : "switch");
		sharing_run_out(t.h);
		sharing_check_runs(t.h, 1, 20, 1000);
		end(&t);
	}
}

/*
 * Blocks of kernel 1 have 400 bytes of shared memory, too: base checkpoints of half of 800 take 10,
 * increments of 320 take 8. Blocks of kernel 2 have as many registers, and 160 bytes less of shared
 * memory: so much of each increment stays on the SM, and the rest is saved in 4, from 255 to 259
 * and 263. Restored are 400 and 160: 14. Block 9 has run for 82 and 132, block 8 for 82 and 142.
 */
static void a_part_stays_in_place(void **state)
{
	static const struct expected events[] = {
		AT(11, START, 1, 0, 0, 9),
		AT(11, START, 1, 1, 10, 19),
		AT(93, PREEMPT, 1, 0, 8, 9),
		AT(93, PREEMPT, 1, 1, 18, 19),
		AT(108, RESUME, 1, 0, 8),
		AT(108, RESUME, 1, 1, 18),
		AT(118, RESUME, 1, 0, 9),
		AT(118, RESUME, 1, 1, 19),
		AT(250, REPLACE, 2, 0, 1, .times = 2),
		AT(250, EVICT, 1, 0, 8, 9),
		AT(250, PREEMPT, 1, 0, 8, 9),
		AT(250, REPLACE, 2, 1, 1, .times = 2),
		AT(250, EVICT, 1, 1, 18, 19),
		AT(250, PREEMPT, 1, 1, 18, 19),
		AT(260, START, 2, 0, 0),
		AT(260, START, 2, 1, 1),
		AT(263, START, 2, 0, 2),
		AT(263, START, 2, 1, 3),
		AT(560, END, 2, 0, 0),
		AT(560, END, 2, 1, 1),
		AT(563, END, 2, 0, 2),
		AT(563, END, 2, 1, 3),
		AT(574, RESUME, 1, 0, 9),
		AT(574, RESUME, 1, 1, 19),
		AT(588, RESUME, 1, 0, 8),
		AT(588, RESUME, 1, 1, 18),
		AT(1011, END, 1, 0, 0, 7),
		AT(1011, END, 1, 1, 10, 17),
		AT(1360, END, 1, 0, 9),
		AT(1360, END, 1, 1, 19),
		AT(1364, END, 1, 0, 8),
		AT(1364, END, 1, 1, 18),
	};
	struct pep t = begin_with(20, 400, "pep_in_place=1");

	(void)state;
	announce(&t, 80);
	sharing_arrive(t.h, t.b, 250, KERNEL(4, 300, 100, 240));
	sharing_run(t.h, 300);
	assert_int_equal(t.h->dev->exec.smst[0].in_place, 2 * 160);
	assert_int_equal(t.h->dev->exec.smst[1].in_place, 2 * 160);
	assert_int_equal(account_of(&t, t.a).in_place_bytes, 4 * 160);
	assert_int_equal(account_of(&t, t.a).save_area, 4 * (400 + 160));
	sharing_run_out(t.h);
	CHECK_EVENTS(t.h, events);
	assert_int_equal(account_of(&t, t.a).saved_bytes, 4 * (400 + 160));
	end(&t);
}

/*
 * The same, and kernel 3 comes at 300, a block of 300 bytes: it fits into the 320 that are free of
 * the first SM, beside nothing that is in place. That moves to memory in 8, and the setup takes 1.
 */
static void what_is_in_the_way_of_a_neighbour_moves(void **state)
{
	static const struct expected of_3[] = {
		AT(309, START, 3, 0, 0),
		AT(409, END, 3, 0, 0),
	};
	struct pep t = begin_with(20, 400, "pep_in_place=1");

	(void)state;
	announce(&t, 80);
	sharing_arrive(t.h, t.b, 250, KERNEL(4, 300, 100, 240));
	sharing_arrives(t.h, 300, KERNEL(1, 100, 0, 300));
	sharing_run(t.h, 310);
	assert_int_equal(t.h->dev->exec.smst[0].in_place, 0);
	assert_int_equal(t.h->dev->exec.smst[1].in_place, 2 * 160);
	assert_int_equal(account_of(&t, t.a).save_area, 2 * (400 + 320) + 2 * (400 + 160));
	sharing_run_out(t.h);
	CHECK_EVENTS_OF(t.h, 3, of_3);
	assert_int_equal(account_of(&t, t.a).saved_bytes, 4 * (400 + 320));
	end(&t);
}

/* Whose blocks are in place dies, at any time: nothing is left there. */
static void in_place_until_its_context_dies(void **state)
{
	(void)state;
	for (u32 time = 248; time < 600; time += 3) {
		struct pep t = begin_with(20, 400, "pep_in_place=1");

		announce(&t, 80);
		sharing_arrive(t.h, t.b, 250, KERNEL(4, 300, 100, 240));
		sharing_run(t.h, time);
		vgpu_context_close(t.h->dev, t.a);
		assert_true(vgpu_exec_check(&t.h->dev->exec));
		assert_int_equal(t.h->dev->exec.smst[0].in_place, 0);
		assert_int_equal(t.h->dev->exec.smst[1].in_place, 0);
		sharing_run_out(t.h);
		end(&t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_checkpoints),
		cmocka_unit_test(one_checkpoint),
		cmocka_unit_test(blocks_drain),
		cmocka_unit_test(blocks_drain_then_two_checkpoints),
		cmocka_unit_test(nothing_was_announced),
		cmocka_unit_test(no_launch_follows),
		cmocka_unit_test(one_of_them_dies),
		cmocka_unit_test(the_policy_changes),
		cmocka_unit_test(a_part_stays_in_place),
		cmocka_unit_test(what_is_in_the_way_of_a_neighbour_moves),
		cmocka_unit_test(in_place_until_its_context_dies),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: MIT
/*
 * Blocks that leave their SM one by one while their neighbours run, and what mechanisms estimate.
 *
 * On paper as in test_preempt.c: a launch takes 1 us to the engine and 0.1 us to set the SM up; the
 * context of one block, of which four fit into the SM, moves in 1 us.
 */
#include "host.h"
#include "manual.h"

#define US	VGPU_US
#define TENTH	(VGPU_US / 10)

static struct vgpu_block *resident(struct host *h, u32 at)
{
	struct vgpu_block *block = vgpu_sm_first(&h->dev->exec.sms[0]);

	while (at--)
		block = vgpu_list_after(block, &h->dev->exec.sms[0].resident, struct vgpu_block,
					node);
	return block;
}

static void run_to(struct host *h, u64 time)
{
	vgpu_device_run(h->dev, time, ~0u);
	assert_true(vgpu_exec_check(&h->dev->exec));
}

/*
 * Four blocks of 100 us begin at 1.1. Block 2 leaves at 50, is saved at 51, asked for again at 60
 * and restored at 61: it has 51.1 us left and ends at 112.1. The others end at 101.1.
 */
static void one_block_leaves_and_comes_back(void **state)
{
	struct host *h = manual_one_sm("none");
	const struct vgpu_smst *smst = &h->dev->exec.smst[0];
	u32 a = host_open(h);
	struct vgpu_context_info info;
	struct vgpu_block *block;

	(void)state;
	host_push(h, a, host_queue(h, a), cmd_profiled(4, 100 * US, 4));
	run_to(h, 50 * US);
	block = resident(h, 2);
	assert_int_equal(vgpu_exec_swap_out(&h->dev->exec, block), 0);
	assert_int_equal(block->state, VGPU_BLOCK_SAVING);
	assert_int_equal(smst->state, VGPU_SM_RUNNING);
	assert_int_equal(vgpu_exec_swap_out(&h->dev->exec, block), -EBUSY);
	assert_false(vgpu_exec_swap_in(&h->dev->exec, 0));
	run_to(h, 55 * US);
	assert_int_equal(block->state, VGPU_BLOCK_PREEMPTED);
	assert_int_equal(h->dev->exec.sms[0].resident_count, 3);
	run_to(h, 60 * US);
	assert_true(vgpu_exec_swap_in(&h->dev->exec, 0));
	run_to(h, 60 * US);
	assert_int_equal(block->state, VGPU_BLOCK_RESTORING);
	run_to(h, 105 * US);
	assert_int_equal(h->dev->exec.sms[0].resident_count, 1);
	assert_int_equal(smst->state, VGPU_SM_RUNNING);
	host_run(h);
	assert_int_equal(host_time_of(h, VGPU_TRACE_KERNEL_END, 1), 1121 * TENTH);
	vgpu_context_info(h->dev, a, &info);
	assert_int_equal(info.account.blocks_saved, 1);
	assert_int_equal(info.account.preemptions, 0);
	assert_int_equal(info.account.block_saving, US);
	assert_int_equal(info.account.block_preempted, 9 * US);
	assert_int_equal(info.account.block_restoring, US);
	assert_int_equal(info.account.sm_running, 1110 * TENTH);
	host_free(h);
}

/* All are off: the SM belongs to its kernel still, and nothing is idle. */
static void an_sm_whose_blocks_are_off_is_not_idle(void **state)
{
	struct host *h = manual_one_sm("none");
	const struct vgpu_smst *smst = &h->dev->exec.smst[0];
	u32 a = host_open(h), i;

	(void)state;
	host_push(h, a, host_queue(h, a), cmd_profiled(6, 100 * US, 4));
	run_to(h, 50 * US);
	for (i = 0; i < 4; i++)
		assert_int_equal(vgpu_exec_swap_out(&h->dev->exec, resident(h, 0)), 0);
	assert_int_equal(smst->state, VGPU_SM_SAVING);
	/* The first alone, as it was asked for alone; the three behind it together. */
	assert_int_equal(smst->batch, 1);
	run_to(h, 52 * US);
	assert_int_equal(smst->batch, 3);
	run_to(h, 200 * US);
	assert_int_equal(smst->state, VGPU_SM_RESTORING);
	assert_int_equal(smst->off_count, 4);
	assert_int_equal(vgpu_exec_idle_sm(&h->dev->exec), -1);
	for (i = 0; i < 4; i++)
		assert_true(vgpu_exec_swap_in(&h->dev->exec, 0));
	host_run(h);
	/* Restored at 201, 202, 203, 204, each with 51.1 us left; then two of 100 us. */
	assert_int_equal(host_time_of(h, VGPU_TRACE_KERNEL_END, 1),
			 (2010 + 511 + 10 + 1000) * TENTH);
	assert_int_equal(host_count_of(h, VGPU_TRACE_BLOCK_END), 6);
	host_free(h);
}

/* What is off goes to the PTBQ when the SM is reserved, what is being saved when it has been. */
static void a_reservation_takes_all(void **state)
{
	static const char *const mechanisms[] = { "drain", "switch", "drain-then-switch",
						  "flush", "chimera" };
	size_t m;

	(void)state;
	for (m = 0; m < VGPU_ARRAY_SIZE(mechanisms); m++) {
		struct host *h = manual_one_sm(mechanisms[m]);
		u32 a = host_open(h), b = host_open(h), left;

		for (left = 0; left < 4; left++) {
			u64 start = h->dev->sim->now;
			u32 i;

			host_push(h, a, host_queue(h, a), cmd_profiled(4, 100 * US, 4));
			run_to(h, start + 40 * US);
			for (i = 0; i < 4 - left; i++)
				vgpu_exec_swap_out(&h->dev->exec, resident(h, 0));
			/* Some have been saved, or none. */
			run_to(h, start + (40 + left) * US);
			host_push(h, b, host_queue(h, b), cmd_profiled(1, 10 * US, 4));
			run_to(h, start + (41 + left) * US);
			assert_int_equal(vgpu_exec_reserve(&h->dev->exec, 0,
							   manual_kernel(h->dev, left * 2 + 2)), 0);
			while (vgpu_device_run(h->dev, VGPU_NEVER, 1) != VGPU_NEVER)
				assert_true(vgpu_exec_check(&h->dev->exec));
		}
		assert_int_equal(h->completion_count, 8);
		assert_int_equal(host_count_of(h, VGPU_TRACE_BLOCK_END), 20);
		host_free(h);
	}
}

static void a_context_dies_with_blocks_off(void **state)
{
	u64 when;

	(void)state;
	for (when = 50; when < 56; when++) {
		struct host *h = manual_one_sm("switch");
		u32 a = host_open(h);

		host_push(h, a, host_queue(h, a), cmd_profiled(9, 100 * US, 4));
		run_to(h, 50 * US);
		vgpu_exec_swap_out(&h->dev->exec, resident(h, 3));
		run_to(h, when * US);
		vgpu_exec_swap_out(&h->dev->exec, resident(h, 1));
		if (when > 53)
			vgpu_exec_swap_in(&h->dev->exec, 0);
		assert_int_equal(vgpu_context_close(h->dev, a), 0);
		assert_true(vgpu_exec_check(&h->dev->exec));
		host_run(h);
		host_free(h);
	}
}

/* The configuration that swaps at random, with every policy and mechanism: each block once. */
static void random_swaps_change_no_count(void **state)
{
	const struct vgpu_preemption *mechanism;
	const struct vgpu_policy *policy;
	unsigned int p, m;

	(void)state;
	for (p = 0; (policy = vgpu_policy_at(p)); p++) {
		for (m = 0; (mechanism = vgpu_preemption_at(m)); m++) {
			struct host *h = host_new("k20c", "sms=3", "block_swap_ps=7000000",
						  "memory_bandwidth=65536000000", NULL);
			u32 c[3], i, k, steps = 0;

			assert_int_equal(vgpu_device_knob_set(h->dev, "policy", policy->name), 0);
			assert_int_equal(vgpu_device_knob_set(h->dev, "preemption",
							      mechanism->name), 0);
			for (i = 0; i < 3; i++) {
				c[i] = host_open(h);
				vgpu_context_priority(h->dev, c[i], (s32)i);
				for (k = 0; k < 2; k++)
					host_push(h, c[i], host_queue(h, c[i]),
						  cmd_profiled(10 + 7 * i, (30 + 11 * k) * US,
							       1 + i));
				vgpu_device_run(h->dev, (u64)(i + 1) * 20 * US, ~0u);
			}
			while (vgpu_device_run(h->dev, VGPU_NEVER, 1) != VGPU_NEVER) {
				assert_true(vgpu_exec_check(&h->dev->exec));
				assert_true(++steps < 100000);
			}
			assert_int_equal(h->completion_count, 6);
			assert_int_equal(host_count_of(h, VGPU_TRACE_BLOCK_END),
					 2 * (10 + 17 + 24));
			assert_true(host_count_of(h, VGPU_TRACE_BLOCK_PREEMPT) > 10);
			assert_int_equal(host_count_of(h, VGPU_TRACE_BLOCK_PREEMPT),
					 host_count_of(h, VGPU_TRACE_BLOCK_RESUME));
			host_free(h);
		}
	}
}

/* Of profiled blocks everything is known: what is estimated is what it takes. */
static void estimates_come_true(void **state)
{
	static const struct {
		const char *mechanism;
		u64 block_us;
		u64 latency;
		u64 cost;
	} cases[] = {
		{ "drain", 100, 501 * TENTH, 0 },
		{ "switch", 100, 45 * TENTH, 80 * TENTH },
		{ "drain-then-switch", 100, 245 * TENTH, 80 * TENTH },
		{ "drain-then-switch", 60, 101 * TENTH, 0 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < VGPU_ARRAY_SIZE(cases); i++) {
		struct host *h = manual_one_sm(cases[i].mechanism);
		struct vgpu_preemption_estimate estimate;
		u32 a = host_open(h), b = host_open(h);

		host_push(h, a, host_queue(h, a), cmd_profiled(5, cases[i].block_us * US, 4));
		run_to(h, 50 * US);
		host_push(h, b, host_queue(h, b), cmd_profiled(1, 10 * US, 4));
		run_to(h, 51 * US);
		assert_int_equal(vgpu_exec_estimate(&h->dev->exec, 0, &estimate), 0);
		assert_int_equal(estimate.latency, cases[i].latency);
		assert_int_equal(estimate.cost, cases[i].cost);
		assert_int_equal(estimate.lost, 0);
		vgpu_exec_reserve(&h->dev->exec, 0, manual_kernel(h->dev, 2));
		host_run(h);
		assert_int_equal(h->preemption_ps, estimate.latency);
		host_free(h);
	}
}

static void no_mechanism_no_estimate(void **state)
{
	struct vgpu_preemption_estimate estimate;
	struct host *h = manual_one_sm("none");

	(void)state;
	assert_int_equal(vgpu_exec_estimate(&h->dev->exec, 0, &estimate), -EOPNOTSUPP);
	host_free(h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_block_leaves_and_comes_back),
		cmocka_unit_test(an_sm_whose_blocks_are_off_is_not_idle),
		cmocka_unit_test(a_reservation_takes_all),
		cmocka_unit_test(a_context_dies_with_blocks_off),
		cmocka_unit_test(random_swaps_change_no_count),
		cmocka_unit_test(estimates_come_true),
		cmocka_unit_test(no_mechanism_no_estimate),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

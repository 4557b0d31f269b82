// SPDX-License-Identifier: MIT
/*
 * Blocks of a cooperative kernel that are not on SMs together take turns (exec/rotate.c). Two SMs
 * with four places each, of profiled blocks; the pipeline drains in 0.5 us, and the context of a
 * block moves in 1 us. A turn is 100 us. All times are made on paper.
 */
#include <stdio.h>

#include "host.h"

#define LONG	(10 * VGPU_MS)

static struct host *new_host(const char *policy, const char *kernels)
{
	char chosen[64];

	snprintf(chosen, sizeof(chosen), "policy=%s", policy);
	return host_new("k20c", "sms=2", "launch_ps=0", "command_ps=0", "sm_setup_ps=0",
			"memory_bandwidth=131072000000", "pipeline_drain_ps=500000",
			"grid_turn_ps=100000000", "preemption=none", chosen, kernels, NULL);
}

static struct vgpu_cmd cooperative(u64 blocks, u64 us)
{
	struct vgpu_cmd cmd = cmd_profiled(blocks, us * VGPU_US, 4);

	cmd.flags = VGPU_LAUNCH_COOPERATIVE;
	return cmd;
}

/* One block that keeps others from SM 0, or from a place of it, then @cmd. When that ends, in ns */
static u64 beside_a_long_one(struct host *h, struct vgpu_cmd cmd)
{
	u32 context = host_open(h), one = host_queue(h, context), two = host_queue(h, context);
	u64 seq, end;

	host_push(h, context, one, cmd_profiled(1, LONG, 4));
	seq = host_push(h, context, two, cmd);
	host_run(h);
	end = host_done(h, context, two, seq)->time;
	assert_int_equal(host_done(h, context, one, 1)->time, LONG);
	vgpu_context_close(h->dev, context);
	return end / VGPU_NS;
}

/*
 * Blocks 0 to 3 begin on SM 1. At 200 us they have been there for a turn, and four wait: they run
 * on to 200.5, and are saved at 204.5, when 4 to 7 begin. At 400 those leave, saved at 404.5.
 * Restored, one after the other, 0 to 3 have 99.5 us left: they end at 505, 506, 507 and 508.
 * Behind each one of 4 to 7 comes, which ran for 196 us: restored at 506 ... 509, to 613.
 */
static void blocks_of_an_sm_take_turns(void **state)
{
	struct host *h = new_host("fcfs", "kernels_per_sm=1");

	(void)state;
	assert_int_equal(beside_a_long_one(h, cooperative(8, 300)), 613000);
	assert_int_equal(host_count_of(h, VGPU_TRACE_PREEMPT_START), 2);
	host_free(h);
}

/* Without the flag the second four come when the first have ended. */
static void others_do_not(void **state)
{
	struct host *h = new_host("fcfs", "kernels_per_sm=1");

	(void)state;
	assert_int_equal(beside_a_long_one(h, cmd_profiled(8, 300 * VGPU_US, 4)), 600000);
	assert_int_equal(host_count_of(h, VGPU_TRACE_PREEMPT_START), 0);
	host_free(h);
}

/* Nor do they where all have a place. */
static void nothing_moves_where_all_have_places(void **state)
{
	struct host *h = new_host("fcfs", "kernels_per_sm=1");
	u32 context = host_open(h), queue = host_queue(h, context);
	u64 seq = host_push(h, context, queue, cooperative(8, 1000));

	(void)state;
	host_run(h);
	assert_int_equal(host_done(h, context, queue, seq)->time, VGPU_MS);
	assert_int_equal(host_count_of(h, VGPU_TRACE_PREEMPT_START), 0);
	vgpu_context_close(h->dev, context);
	host_free(h);
}

/*
 * By blocks there are seven places: 1, 3 and 5 are on SM 0, 0, 2, 4 and 6 on SM 1. At 200 us block
 * 1 leaves for 7, which begins at 201.5; at 300 block 0, whose SM has had its blocks for longest,
 * for 1, which comes back at 302.5. At 350 five blocks end, and 0 comes back at 351, to 400.5; 1
 * ends at 452, and 7 last, at 551.5.
 */
static void single_blocks_take_turns_on_shared_sms(void **state)
{
	struct host *h = new_host("leftover", "kernels_per_sm=4");

	(void)state;
	assert_int_equal(beside_a_long_one(h, cooperative(8, 350)), 551500);
	assert_int_equal(host_count_of(h, VGPU_TRACE_BLOCK_PREEMPT), 2);
	host_free(h);
}

/*
 * For a more important stream an SM drains, but not of such blocks: at 100 us those of one are
 * told, saved at 104.5, and the important block runs to 154.5. Restored by 155.5 ... 158.5 they
 * have 899.5 us left.
 */
static void they_do_not_drain(void **state)
{
	struct host *h = new_host("fcfs", "kernels_per_sm=1");
	u32 context = host_open(h), low = host_queue(h, context), high = host_queue(h, context);
	struct vgpu_cmd cmd = cmd_profiled(1, 50 * VGPU_US, 4);
	u64 first = host_push(h, context, low, cooperative(8, 1000)), second;

	(void)state;
	cmd.flags = VGPU_LAUNCH_PRIORITY(1);
	vgpu_device_run(h->dev, 100 * VGPU_US, ~0u);
	second = host_push(h, context, high, cmd);
	host_run(h);
	assert_int_equal(host_done(h, context, high, second)->time, 154500 * VGPU_NS);
	assert_int_equal(host_done(h, context, low, first)->time, 1058000 * VGPU_NS);
	vgpu_context_close(h->dev, context);
	host_free(h);
}

/* Two that each have a part only both come to their end. */
static void two_of_them_take_turns_beside_each_other(void **state)
{
	struct host *h = new_host("spart", "kernels_per_sm=1");
	u32 context[2], queue[2];
	u64 seq[2];

	(void)state;
	assert_int_equal(vgpu_device_knob_set(h->dev, "preemption", "switch"), 0);
	for (u32 n = 0; n < 2; n++) {
		context[n] = host_open(h);
		queue[n] = host_queue(h, context[n]);
		seq[n] = host_push(h, context[n], queue[n], cooperative(8, 1000));
	}
	host_run(h);
	for (u32 n = 0; n < 2; n++) {
		host_done(h, context[n], queue[n], seq[n]);
		vgpu_context_close(h->dev, context[n]);
	}
	assert_true(host_count_of(h, VGPU_TRACE_PREEMPT_START) > 4);
	host_free(h);
}

/* A grid that cannot be there at once on an empty device is refused, and so is a flag elsewhere. */
static void too_large_is_refused(void **state)
{
	struct host *h = new_host("fcfs", "kernels_per_sm=1");
	u32 context = host_open(h), queue = host_queue(h, context);
	struct vgpu_cmd cmd = cooperative(9, 1), copy = cmd_d2d(4096, 0, 64);

	(void)state;
	assert_int_equal(host_try(h, context, queue, &cmd, 0, NULL), -E2BIG);
	copy.flags = VGPU_LAUNCH_COOPERATIVE;
	assert_int_equal(host_try(h, context, queue, &copy, 0, NULL), -EINVAL);
	vgpu_context_close(h->dev, context);
	host_free(h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(blocks_of_an_sm_take_turns),
		cmocka_unit_test(others_do_not),
		cmocka_unit_test(nothing_moves_where_all_have_places),
		cmocka_unit_test(single_blocks_take_turns_on_shared_sms),
		cmocka_unit_test(they_do_not_drain),
		cmocka_unit_test(two_of_them_take_turns_beside_each_other),
		cmocka_unit_test(too_large_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

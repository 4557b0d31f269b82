// SPDX-License-Identifier: MIT
/*
 * Priorities of launches within their context (exec/streams.c; docs/policies.md). One SM, without
 * setup and without latencies of commands, so all times are whole and made on paper.
 */
#include <stdio.h>

#include "host.h"

#define T	(100 * VGPU_US)

static struct host *new_host(const char *active_kernels, const char *policy)
{
	char active[64], chosen[64];

	snprintf(active, sizeof(active), "active_kernels=%s", active_kernels);
	snprintf(chosen, sizeof(chosen), "policy=%s", policy);
	return host_new("k20c", "sms=1", "launch_ps=0", "command_ps=0", "sm_setup_ps=0",
			"kernels_per_sm=4", active, chosen, NULL);
}

static struct vgpu_cmd with_priority(struct vgpu_cmd cmd, u32 priority)
{
	cmd.flags = VGPU_LAUNCH_PRIORITY(priority);
	return cmd;
}

static void check_end(struct host *h, u32 context, u32 queue, u64 seq, u64 time)
{
	assert_int_equal(host_done(h, context, queue, seq)->time, time);
}

/* One kernel is active at a time. */
static void the_most_important_waits_first(void **state)
{
	static const u32 priorities[] = { 0, 0, 3, 5, 3, 0, 1 };
	static const u64 ends[] = { T, 6 * T, 3 * T, 2 * T, 4 * T, 7 * T, 5 * T };
	struct host *h = new_host("1", "fcfs");
	u32 context = host_open(h), queue[7];
	u64 seq[7];

	(void)state;
	for (u32 n = 0; n < 7; n++) {
		queue[n] = host_queue(h, context);
		seq[n] = host_push(h, context, queue[n],
				   with_priority(cmd_profiled(1, T, 1), priorities[n]));
	}
	host_run(h);
	for (u32 n = 0; n < 7; n++)
		check_end(h, context, queue[n], seq[n], ends[n]);
	vgpu_context_close(h->dev, context);
	host_free(h);
}

/*
 * Eight blocks of T, two at a time; a launch of one block of T/2 comes at T/10. @low, @high: ends.
 */
static void run_pair(const char *policy, u32 priority, u64 low_end, u64 high_end)
{
	struct host *h = new_host("4", policy);
	u32 context = host_open(h), low = host_queue(h, context), high = host_queue(h, context);
	u64 first = host_push(h, context, low, cmd_profiled(8, T, 2)), second;

	vgpu_device_run(h->dev, T / 10, ~0u);
	second = host_push(h, context, high,
			   with_priority(cmd_profiled(1, T / 2, 2), priority));
	host_run(h);
	check_end(h, context, low, first, low_end);
	check_end(h, context, high, second, high_end);
	vgpu_context_close(h->dev, context);
	host_free(h);
}

/* What runs ends: two blocks at T. Then the important one, then the other six in three rounds. */
static void an_sm_drains_for_a_more_important_kernel(void **state)
{
	(void)state;
	run_pair("fcfs", 0, 4 * T, 4 * T + T / 2);
	run_pair("fcfs", 1, T + T / 2 + 3 * T, T + T / 2);
	run_pair("fcfs", 5, T + T / 2 + 3 * T, T + T / 2);
}

/*
 * By blocks: where one of the two at T has ended, the important one runs to 1.5 T, and behind it
 * three of the six that are left, to 4.5 T; the other three beside them, from T to 4 T.
 */
static void the_next_block_is_of_the_most_important(void **state)
{
	(void)state;
	run_pair("leftover", 0, 4 * T, 4 * T + T / 2);
	run_pair("leftover", 5, 4 * T + T / 2, T + T / 2);
}

/* The same with SMs enough for both: nobody waits for anybody. */
static void idle_sms_come_first(void **state)
{
	struct host *h = host_new("k20c", "sms=2", "launch_ps=0", "command_ps=0", "sm_setup_ps=0",
				  "policy=fcfs", NULL);
	u32 context = host_open(h), low = host_queue(h, context), high = host_queue(h, context);
	u64 first = host_push(h, context, low, cmd_profiled(2, T, 2)), second;

	(void)state;
	vgpu_device_run(h->dev, T / 10, ~0u);
	second = host_push(h, context, high, with_priority(cmd_profiled(2, T, 2), 5));
	host_run(h);
	check_end(h, context, low, first, T);
	check_end(h, context, high, second, T + T / 10);
	assert_int_equal(host_count_of(h, VGPU_TRACE_PREEMPT_START), 0);
	vgpu_context_close(h->dev, context);
	host_free(h);
}

/* Only as many SMs drain as the important kernel fills. */
static void no_more_sms_drain_than_it_needs(void **state)
{
	struct host *h = host_new("k20c", "sms=4", "launch_ps=0", "command_ps=0", "sm_setup_ps=0",
				  "policy=fcfs", NULL);
	u32 context = host_open(h), low = host_queue(h, context), high = host_queue(h, context);

	(void)state;
	host_push(h, context, low, cmd_profiled(40, T, 2));
	vgpu_device_run(h->dev, T / 10, ~0u);
	host_push(h, context, high, with_priority(cmd_profiled(3, T, 2), 5));
	host_run(h);
	assert_int_equal(host_count_of(h, VGPU_TRACE_PREEMPT_START), 2);
	vgpu_context_close(h->dev, context);
	host_free(h);
}

/* Contexts: @first has the SM; then a launch of @own, one of @other, an important one of @own. */
static void run_contexts(const char *policy, s32 priority, const u64 ends[3])
{
	struct host *h = new_host("1", policy);
	u32 first = host_open(h), own = host_open(h), other = host_open(h);
	u32 queue = host_queue(h, first), of_other = host_queue(h, other), of_own[2];
	u64 seq[3];

	of_own[0] = host_queue(h, own);
	of_own[1] = host_queue(h, own);
	assert_int_equal(vgpu_context_priority(h->dev, other, priority), 0);
	host_push(h, first, queue, cmd_profiled(1, T, 1));
	vgpu_device_run(h->dev, T / 10, ~0u);
	seq[0] = host_push(h, own, of_own[0], cmd_profiled(1, T, 1));
	vgpu_device_run(h->dev, T / 5, ~0u);
	seq[1] = host_push(h, other, of_other, cmd_profiled(1, T, 1));
	vgpu_device_run(h->dev, T / 2, ~0u);
	seq[2] = host_push(h, own, of_own[1], with_priority(cmd_profiled(1, T, 1), 5));
	host_run(h);
	check_end(h, own, of_own[0], seq[0], ends[0]);
	check_end(h, other, of_other, seq[1], ends[1]);
	check_end(h, own, of_own[1], seq[2], ends[2]);
	vgpu_context_close(h->dev, first);
	vgpu_context_close(h->dev, own);
	vgpu_context_close(h->dev, other);
	host_free(h);
}

/* It takes the place of the launch of its own context, and no other. */
static void the_place_of_a_context_stays(void **state)
{
	static const u64 arrival[] = { 4 * T, 3 * T, 2 * T }, behind[] = { 4 * T, 2 * T, 3 * T };

	(void)state;
	run_contexts("fcfs", 0, arrival);
	run_contexts("npq", 0, arrival);
	run_contexts("npq", 1, behind);
	run_contexts("ppq-shared", 0, arrival);
	run_contexts("ppq-exclusive", 1, behind);
}

static void others_are_refused(void **state)
{
	struct host *h = new_host("1", "fcfs");
	u32 context = host_open(h), queue = host_queue(h, context);
	struct vgpu_cmd cmd = with_priority(cmd_profiled(1, T, 1), 6);

	(void)state;
	assert_int_equal(host_try(h, context, queue, &cmd, 0, NULL), -EINVAL);
	cmd.flags = VGPU_LAUNCH_PRIORITY(7);
	assert_int_equal(host_try(h, context, queue, &cmd, 0, NULL), -EINVAL);
	cmd = with_priority(cmd_nop(), 1);
	assert_int_equal(host_try(h, context, queue, &cmd, 0, NULL), -EINVAL);
	vgpu_context_close(h->dev, context);
	host_free(h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_most_important_waits_first),
		cmocka_unit_test(an_sm_drains_for_a_more_important_kernel),
		cmocka_unit_test(the_next_block_is_of_the_most_important),
		cmocka_unit_test(idle_sms_come_first),
		cmocka_unit_test(no_more_sms_drain_than_it_needs),
		cmocka_unit_test(the_place_of_a_context_stays),
		cmocka_unit_test(others_are_refused),
	};

	return cmocka_run_group_tests_name("streams", tests, NULL, NULL);
}

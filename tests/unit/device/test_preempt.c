/* SPDX-License-Identifier: MIT */
/*
 * The preemption mechanisms on one SM, computed on paper (Tanasic 5.2.2).
 *
 * On paper a launch takes 1 us to the engine and 0.1 us to set the SM up. The pipeline drains in 0.5 us, and memory is such that the
 * context of one block, of which four fit into the SM, moves in 1 us.
 */
#include "host.h"
#include "manual.h"

#define US	VGPU_US
#define TENTH	(VGPU_US / 10)

static u64 end_of(struct host *h, u32 kernel)
{
	return host_time_of(h, VGPU_TRACE_KERNEL_END, kernel);
}

static u64 start_of(struct host *h, u32 kernel)
{
	return host_time_of(h, VGPU_TRACE_KERNEL_START, kernel);
}

static struct host *one_sm(const char *mechanism)
{
	struct host *h = host_new("k20c", "sms=1", "active_kernels=8", "memory_bandwidth=65536000000", "pipeline_drain_ps=500000",
				  "drain_ps=20000000", NULL);

	vgpu_exec_set_policy(h->dev, &manual_policy);
	assert_int_equal(vgpu_device_knob_set(h->dev, "preemption", mechanism), 0);
	return h;
}

/* Kernel 1 of @blocks x @block_us runs; kernel 2, one block of 10 us, arrives at 51 us and takes the SM. */
static void two_kernels(struct host *h, u64 blocks, u64 block_us)
{
	u32 a = host_open(h), b = host_open(h);

	host_push(h, a, host_queue(h, a), cmd_profiled(blocks, block_us * US, 4));
	vgpu_device_run(h->dev, 50 * US, ~0u);
	host_push(h, b, host_queue(h, b), cmd_profiled(1, 10 * US, 4));
	vgpu_device_run(h->dev, 51 * US, ~0u);
	assert_int_equal(vgpu_exec_reserve(h->dev, 0, manual_kernel(h->dev, 2)), 0);
	assert_int_equal(h->dev->exec.smst[0].state, VGPU_SM_RESERVED);
}

/* Its four blocks end at 101.1, kernel 2 runs 101.2 to 111.2; of the fifth, 111.3 to 211.3. */
static void draining_waits_for_the_blocks(void **state)
{
	struct host *h = one_sm("drain");

	(void)state;
	two_kernels(h, 5, 100);
	host_run(h);
	assert_int_equal(start_of(h, 2), 1012 * TENTH);
	assert_int_equal(end_of(h, 2), 1112 * TENTH);
	assert_int_equal(end_of(h, 1), 2113 * TENTH);
	assert_int_equal(h->preemption_ps, 501 * TENTH);
	assert_int_equal(h->dev->exec.smst[0].time[VGPU_SM_RESERVED], 501 * TENTH);
	assert_int_equal(host_count_of(h, VGPU_TRACE_SAVE_START), 0);
	host_free(h);
}

/*
 * The pipeline is drained at 51.5, four contexts saved at 55.5, kernel 2 set up at 55.6 and over at 65.6. Kernel 1 is set up again
 * at 65.7; its blocks, which have run 50.4 us, are restored at 66.7, 67.7, 68.7, 69.7 and run 49.6 us more: the last to 119.3.
 * The fifth block starts when the first ends, at 116.3, and ends at 216.3.
 */
static void a_switch_saves_and_restores(void **state)
{
	struct host *h = one_sm("switch");
	const struct vgpu_smst *smst = &h->dev->exec.smst[0];

	(void)state;
	two_kernels(h, 5, 100);
	vgpu_device_run(h->dev, 52 * US, ~0u);
	assert_int_equal(smst->state, VGPU_SM_SAVING);
	assert_int_equal(smst->moving_count, 4);
	vgpu_device_run(h->dev, 66 * US, ~0u);
	assert_int_equal(smst->state, VGPU_SM_RESTORING);
	vgpu_device_run(h->dev, 67 * US, ~0u);
	assert_int_equal(smst->state, VGPU_SM_RUNNING);
	host_run(h);
	assert_int_equal(start_of(h, 2), 556 * TENTH);
	assert_int_equal(end_of(h, 2), 656 * TENTH);
	assert_int_equal(end_of(h, 1), 2163 * TENTH);
	assert_int_equal(h->preemption_ps, 45 * TENTH);
	assert_int_equal(smst->time[VGPU_SM_RESERVED], 5 * TENTH);
	assert_int_equal(smst->time[VGPU_SM_SAVING], 40 * TENTH);
	assert_int_equal(smst->time[VGPU_SM_RESTORING], 10 * TENTH);
	assert_int_equal(host_count_of(h, VGPU_TRACE_RESTORE_END), 4);
	host_free(h);
}

/*
 * 20 us are enough to drain what ends at 61.1: kernel 2 runs 61.2 to 71.2. They are not for blocks of 100 us: those are switched at
 * 71.0, saved at 75.5, and kernel 2 runs 75.6 to 85.6.
 */
static void drain_then_switch_waits_for_some_time(void **state)
{
	struct host *h = one_sm("drain-then-switch");

	(void)state;
	two_kernels(h, 5, 60);
	host_run(h);
	assert_int_equal(end_of(h, 2), 712 * TENTH);
	assert_int_equal(host_count_of(h, VGPU_TRACE_SAVE_START), 0);
	host_free(h);

	h = one_sm("drain-then-switch");
	two_kernels(h, 5, 100);
	host_run(h);
	assert_int_equal(end_of(h, 2), 856 * TENTH);
	assert_int_equal(host_count_of(h, VGPU_TRACE_SAVE_START), 1);
	host_free(h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(draining_waits_for_the_blocks),
		cmocka_unit_test(a_switch_saves_and_restores),
		cmocka_unit_test(drain_then_switch_waits_for_some_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

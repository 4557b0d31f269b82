// SPDX-License-Identifier: MIT
/*
 * timing=interval: what a partial context switch moves takes bandwidth from the blocks that go on
 * (SMK 5.1). On one SM, whose share is all of the bandwidth: while states move, only the slice
 * executes that they move beside; those that go when nothing executes cost nobody anything.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

#include "device/device.h"
#include "pipeline_rig.h"

/* Counts for ever. */
static void endless(struct vass *v)
{
	u32 loop, at;

	prologue(v, 24);
	loop = OPI(v, ADD, 20, 20, 1);
	at = OP(v, BRA, 0, 0, 0, 0, 0, 0);
	vass_target(v, at, loop, at + 1);
	epilogue(v, 20);
}

static struct rig begin_at(const char *bandwidth)
{
	struct vgpu_config config;
	struct rig r;
	struct vass v;

	assert_int_equal(vgpu_config_preset(&config, "gtx980"), 0);
	set_field(&config, "sms", "1");
	set_field(&config, "kernels_per_sm", "2");
	set_field(&config, "policy", "leftover");
	set_field(&config, "watchdog_ps", "0");
	set_field(&config, "pipeline_drain_ps", "0");
	if (bandwidth)
		set_field(&config, "memory_bandwidth", bandwidth);
	r = start_pipeline(&config);
	endless(&v);
	program(&r, &v);
	return r;
}

static struct rig begin(void)
{
	return begin_at(NULL);
}

static u64 executed(struct rig *r, u64 us)
{
	u64 before = r->h->dev->exec.sms[0].instructions;

	vgpu_device_run(r->h->dev, r->h->dev->sim->now + us * VGPU_US, ~0u);
	return r->h->dev->exec.sms[0].instructions - before;
}

/* 224 GB/s: 100 us of it, in ten moves spread over 200 us, each beside a slice of 1 us: 110 us. */
static void neighbours_wait_for_it(void **state)
{
	struct rig r = begin();
	u64 alone, beside = 0;

	(void)state;
	launch(&r, 2, 128, BASE, 0);
	vgpu_device_run(r.h->dev, 10 * VGPU_US, ~0u);
	alone = executed(&r, 200);
	for (u32 n = 0; n < 10; n++) {
		assert_false(vgpu_sm_move(&r.h->dev->exec.sms[0], NULL, 224000 * 10));
		beside += executed(&r, 20);
	}
	assert_in_range(beside, alone * 53 / 100, alone * 57 / 100);
	stop(&r);
}

static void what_moves_alone_costs_nobody(void **state)
{
	struct rig r = begin();
	u64 alone, after;

	(void)state;
	assert_false(vgpu_sm_move(&r.h->dev->exec.sms[0], NULL, 224000 * 100));
	launch(&r, 2, 128, BASE, 0);
	vgpu_device_run(r.h->dev, 10 * VGPU_US, ~0u);
	after = executed(&r, 100);
	alone = executed(&r, 100);
	assert_true(alone > 10000);
	assert_in_range(after, alone * 98 / 100, alone * 102 / 100);
	stop(&r);
}

/* A profiled kernel executes nothing beside which its states could move: nothing is owed later. */
static void profiled_blocks_owe_nothing(void **state)
{
	struct rig r = begin();
	u64 alone, after;
	u32 other;

	(void)state;
	other = host_open(r.h);
	host_push(r.h, other, host_queue(r.h, other), cmd_profiled(1, 50 * VGPU_US, 4));
	vgpu_device_run(r.h->dev, 10 * VGPU_US, ~0u);
	assert_int_equal(r.h->dev->exec.sms[0].resident_count, 1);
	assert_false(vgpu_sm_move(&r.h->dev->exec.sms[0], NULL, 224000 * 100));
	vgpu_device_run(r.h->dev, 100 * VGPU_US, ~0u);
	launch(&r, 2, 128, BASE, 0);
	vgpu_device_run(r.h->dev, 110 * VGPU_US, ~0u);
	after = executed(&r, 100);
	alone = executed(&r, 100);
	assert_true(alone > 10000);
	assert_in_range(after, alone * 98 / 100, alone * 102 / 100);
	vgpu_context_close(r.h->dev, other);
	stop(&r);
}

/*
 * Of two kernels one loses a block, which stops at the end of a slice and is moved at once: its
 * 12,288 bytes of registers and some more take 13 us at 1 GB/s, and the other, in slices of 1 us,
 * waits for them in the next.
 */
static void what_moves_at_the_end_of_a_slice_is_in_the_next(void **state)
{
	struct rig r = begin_at("1000000000"), other = r;
	u64 alone, beside;
	struct vass v;

	(void)state;
	other.context = host_open(r.h);
	other.queue = host_queue(r.h, other.context);
	assert_int_equal(vgpu_memory_map(r.h->dev, other.context, BASE, BYTES), 0);
	endless(&v);
	program(&other, &v);
	launch(&r, 1, 128, BASE, 0);
	launch(&other, 1, 128, BASE, 0);
	vgpu_device_run(r.h->dev, 10 * VGPU_US, ~0u);
	assert_int_equal(r.h->dev->exec.smst[0].kernels, 2);
	alone = executed(&r, 10) / 2;
	assert_true(alone > 1000);
	assert_int_equal(vgpu_exec_evict(&r.h->dev->exec, 0,
					 vgpu_exec_next_kernel(&r.h->dev->exec, NULL)), 0);
	vgpu_device_run(r.h->dev, r.h->dev->sim->now + 2 * VGPU_US, ~0u);
	beside = executed(&r, 10);
	assert_in_range(beside, 0, alone / 2);
	vgpu_context_close(r.h->dev, other.context);
	stop(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(neighbours_wait_for_it),
		cmocka_unit_test(what_moves_alone_costs_nobody),
		cmocka_unit_test(profiled_blocks_owe_nothing),
		cmocka_unit_test(what_moves_at_the_end_of_a_slice_is_in_the_next),
	};

	return cmocka_run_group_tests_name("bandwidth of moves", tests, NULL, NULL);
}

// SPDX-License-Identifier: MIT
/*
 * A block that ends is mostly followed by another one of its kernel, which takes its struct and its
 * state (sim-device/sm/block_compiled.c). Where blocks may be switched it is not: there each is
 * issued by itself. Without page faults nothing else differs, so bytes, records, times and work are
 * the same.
 */
#include "ahead_rig.h"

static struct host *device_that_issues(void)
{
	struct host *h = device();

	assert_int_equal(vgpu_device_knob_set(h->dev, "block_switching", "1"), 0);
	return h;
}

static void shape_of(struct host *h, u64 seed)
{
	h->dev->config.blocks_per_sm = 1 + (u32)seed % 5;
	h->dev->config.slice_ps = seed % 2 ? 300000 : 10000000;
}

static void blocks_of_one_kernel(void **state)
{
	(void)state;
	for (u64 seed = 1; seed <= 120; seed++) {
		struct host *expected = device_that_issues(), *h = device();

		shape_of(expected, seed);
		shape_of(h, seed);
		add_either(expected, seed, 20 + (u32)seed % 7, 0);
		add_either(h, seed, 20 + (u32)seed % 7, 0);
		host_run(expected);
		host_run(h);
		must_be_the_same(h, expected, seed);
	}
}

/* Random SMs are taken for the other kernel, or for the one that runs there, until both end. */
static void disturb(struct host *h, u64 seed)
{
	struct vgpu_random random;
	u64 next;

	vgpu_random_seed(&random, seed);
	do {
		u64 until = h->dev->sim->now + below(&random, 2 * VGPU_US);
		u32 sm = below(&random, SMS);
		struct vgpu_ksr *ksr;

		do
			next = vgpu_device_run(h->dev, until, ~0u);
		while (next <= until);
		ksr = manual_kernel(h->dev, 1 + below(&random, 2));
		assert_true(vgpu_exec_check(&h->dev->exec));
		if (ksr && h->dev->exec.smst[sm].ksr)
			assert_int_equal(vgpu_exec_reserve(&h->dev->exec, sm, ksr), 0);
	} while (next != VGPU_NEVER);
}

/* Blocks of both are preempted, and go on before new ones are issued. */
static void kernels_that_take_turns(void **state)
{
	(void)state;
	for (u64 seed = 1; seed <= 60; seed++) {
		struct host *both[2] = {device_that_issues(), device()};

		for (u32 n = 0; n < 2; n++) {
			struct host *h = both[n];

			shape_of(h, seed);
			assert_int_equal(vgpu_device_knob_set(h->dev, "preemption",
							      seed % 3 ? "switch" : "drain"),
					 0);
			add_either(h, seed, 30, 0);
			add_either(h, seed + 1, 20, BYTES);
			disturb(h, seed);
		}
		must_be_the_same(both[1], both[0], seed);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(blocks_of_one_kernel),
		cmocka_unit_test(kernels_that_take_turns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: MIT
/*
 * SMs are throttled and go on at random (exec/throttle.c), with both timings, while SMs are taken
 * from kernels, pages fault and a neighbour is killed: each context has the bytes that it has
 * alone, all that was throttled comes to an end, and blocks of others on the same SM go on.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "chaos_rig.h"

#define CHANGES		2000u		/* steps with changes */
#define STEPS		(CHANGES + 20000u)	/* far more than it takes */

static struct vgpu_exec_context *random_context(struct host *h, const struct rig *rigs,
						struct vgpu_random *random)
{
	return &vgpu_context_find(h->dev, rigs[chaos_below(random, CONTEXTS)].context)->exec;
}

static void change(struct host *h, const struct rig *rigs, struct vgpu_random *random)
{
	static const char *const mechanisms[] = { "chimera", "pep", "flush", "switch", "drain" };
	struct vgpu_exec_context *ctx = random_context(h, rigs, random);

	switch (chaos_below(random, 12)) {
	case 0:
		chaos_set(h, "preemption", mechanisms[chaos_below(random, 5)]);
		break;
	case 1:
	case 2:
		chaos_reserve(h, random);
		break;
	case 3:
		vgpu_exec_unthrottle(ctx);
		break;
	case 4:
	case 5:
	case 6:
		vgpu_exec_unthrottle_last(ctx);
		break;
	case 7:
		vgpu_exec_throttle_some(ctx, 2);
		break;
	default:
		vgpu_exec_throttle(ctx, chaos_below(random, SMS));
	}
}

/* An SM that is throttled for a context has blocks of it, and one at least is not. */
static void check_throttled(struct host *h, const struct rig *rigs)
{
	for (u32 n = 0; n < CONTEXTS; n++) {
		const struct vgpu_exec_context *ctx =
			&vgpu_context_find(h->dev, rigs[n].context)->exec;
		u32 throttled = 0;

		for (u32 sm = 0; sm < SMS; sm++)
			throttled += vgpu_sm_throttles(&h->dev->exec.sms[sm], rigs[n].context);
		assert_int_equal(throttled, ctx->throttled);
		assert_true(throttled < SMS);
	}
}

/* Beside its other kernel, blocks by profile that touch its memory */
static void touch(struct host *h, const struct rig *rig)
{
	struct vgpu_cmd cmd = cmd_profiled(BLOCKS, 3 * VGPU_US, 4);

	cmd.profiled.touches = 3;
	cmd.profiled.touch_bytes = VGPU_PAGE_SIZE;
	cmd.profiled.touch_address = BASE;
	host_push(h, rig->context, host_queue(h, rig->context), cmd);
}

/* Returns how often an SM was throttled. */
static u64 compute(const struct vgpu_config *config, const char *policy, u64 seed,
		   u8 (*bytes)[MIXTURE_BYTES])
{
	struct host *h = host_new_config(config);
	struct rig rigs[CONTEXTS], other;
	struct vgpu_random random;
	u64 throttles;
	u32 step;

	vgpu_random_seed(&random, seed);
	if (policy)
		chaos_set(h, "policy", policy);
	else
		assert_int_equal(vgpu_exec_set_policy(&h->dev->exec, &manual_policy), 0);
	chaos_set(h, "preemption", "switch");
	chaos_open(h, rigs);
	other = mixture_endless(h);
	launch(&other, 4, THREADS, BASE, 0);
	for (u32 n = 0; n < CONTEXTS; n++)
		launch(&rigs[n], BLOCKS, THREADS, BASE, 0);
	for (u32 n = 0; seed % 2 && n < CONTEXTS; n++)
		touch(h, &rigs[n]);
	for (step = 0; step < STEPS && !chaos_over(h, rigs); step++) {
		vgpu_device_run(h->dev, h->dev->sim->now + chaos_below(&random, VGPU_US / 4), ~0u);
		if (seed && step < CHANGES)
			change(h, rigs, &random);
		if (step == CHANGES)
			for (u32 n = 0; n < CONTEXTS; n++)
				vgpu_exec_unthrottle(&vgpu_context_find(h->dev, rigs[n].context)
							      ->exec);
		if (step == CHANGES / 4 || step == CHANGES / 2) {
			vgpu_context_close(h->dev, other.context);
			other = mixture_endless(h);
			if (step == CHANGES / 4)
				launch(&other, 4, THREADS, BASE, 0);
		}
		check_throttled(h, rigs);
		assert_true(vgpu_exec_check(&h->dev->exec));
	}
	if (step == STEPS)
		fail_msg("seed %llu: not over after %llu us", seed, h->dev->sim->now / VGPU_US);
	vgpu_context_close(h->dev, other.context);
	host_run(h);
	assert_int_equal(h->fault_count, 0);
	assert_int_equal(h->dev->exec.save_area, 0);
	throttles = h->dev->exec.throttles;
	chaos_close(h, rigs, bytes);
	return throttles;
}

static struct vgpu_config config_of(u32 n, const char *timing)
{
	struct vgpu_config config;

	assert_int_equal(vgpu_config_preset(&config, "tanasic-ch6"), 0);
	set_field(&config, "timing", timing);
	set_field(&config, "sms", "3");
	set_field(&config, "issue_width", "4");
	set_field(&config, "slice_ps", "100000");
	set_field(&config, "watchdog_ps", "0");
	set_field(&config, "active_kernels", "8");
	set_field(&config, "kernels_per_sm", "4");
	set_field(&config, "page_arrival_ps", n & 4 ? "3000000" : "0");
	set_field(&config, "fault_scheme", n & 2 ? "replay-queue" : "stall");
	set_field(&config, "fault_granule", "4096");
	set_field(&config, "sm_on_fault", n & 8 ? "stall" : "preemptible");
	return config;
}

static void check(const char *timing)
{
	static const char *const policies[] = { NULL, "smk", "dss", "smk-pw" };
	static u8 want[CONTEXTS][MIXTURE_BYTES], got[CONTEXTS][MIXTURE_BYTES];
	struct vgpu_config config = config_of(0, timing);
	u64 throttles = 0;

	assert_int_equal(compute(&config, "smk", 0, want), 0);
	assert_memory_not_equal(want[0], want[1], PART);
	for (u32 n = 0; n < 20; n++) {
		config = config_of(n, timing);
		throttles += compute(&config, policies[n % 4], n + 1, got);
		chaos_compare(n, got, want);
	}
	assert_true(throttles > 100);
}

static void by_slices(void **state)
{
	(void)state;
	check("interval");
}

static void in_the_pipeline(void **state)
{
	(void)state;
	check("pipeline");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_slices),
		cmocka_unit_test(in_the_pipeline),
	};

	return cmocka_run_group_tests_name("throttled SMs, at random", tests, NULL, NULL);
}

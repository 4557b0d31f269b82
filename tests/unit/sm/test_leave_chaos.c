// SPDX-License-Identifier: MIT
/*
 * timing=pipeline: whole SMs are taken at random from kernels of three contexts, by mechanisms that
 * have blocks leave one by one, as requests to memory, or all together, or prepare SMs for it
 * (PEP), while mechanisms, policies and priorities change and a neighbour is killed. Whatever moves
 * comes to an end, and each context has the bytes that it has alone.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "chaos_rig.h"

#define CHANGES		3000u		/* steps with changes */
#define STEPS		(CHANGES + 20000u)	/* far more than it takes */

static const char *const mechanisms[] = { "chimera", "pep", "flush", "switch",
					  "drain-then-switch" };
static const char *const policies[] = { "ppq-exclusive", "ppq-shared", "dss", "round-robin",
					"smk" };

enum changes { TAKEN, CHANGED, KILLED };

static void announce(struct host *h, u32 context, struct vgpu_random *random)
{
	struct vgpu_announcement what = { .blocks = 1 + chaos_below(random, 30) };

	vgpu_exec_announce(&vgpu_context_find(h->dev, context)->exec, &what);
}

static void change(struct host *h, const struct rig *rigs, struct vgpu_random *random,
		   enum changes changes)
{
	switch (chaos_below(random, 20)) {
	case 0:
		chaos_set(h, "preemption", mechanisms[chaos_below(random, 5)]);
		break;
	case 1:
		if (changes == TAKEN)
			break;
		if (chaos_below(random, 2))
			chaos_set(h, "policy", policies[chaos_below(random, 5)]);
		else
			assert_int_equal(vgpu_exec_set_policy(&h->dev->exec, &manual_policy), 0);
		break;
	case 2:
	case 3:
		vgpu_context_priority(h->dev, rigs[chaos_below(random, CONTEXTS)].context,
				      (s32)chaos_below(random, 4));
		break;
	case 4:
		announce(h, rigs[chaos_below(random, CONTEXTS)].context, random);
		break;
	default:
		if (chaos_below(random, 3) == 0)
			chaos_reserve(h, random);
	}
}

/* Whatever began has ended, once. */
static void check_moves(struct host *h)
{
	for (u32 sm = 0; sm < SMS; sm++)
		assert_true(vgpu_l1d_idle(vgpu_memsys_l1d(h->dev->memsys, sm)));
	assert_int_equal(host_count_of(h, VGPU_TRACE_SAVE_START),
			 host_count_of(h, VGPU_TRACE_SAVE_END));
	assert_int_equal(host_count_of(h, VGPU_TRACE_RESTORE_START),
			 host_count_of(h, VGPU_TRACE_RESTORE_END));
	assert_int_equal(host_count_of(h, VGPU_TRACE_BLOCK_PREEMPT),
			 host_count_of(h, VGPU_TRACE_BLOCK_RESUME));
	assert_int_equal(host_count_of(h, VGPU_TRACE_PREEMPT_START),
			 host_count_of(h, VGPU_TRACE_PREEMPT_END));
}

static void check_nothing_moves(struct host *h)
{
	for (u32 sm = 0; sm < SMS; sm++)
		assert_false(h->dev->exec.sms[sm].moving);
	assert_int_equal(h->dev->exec.save_area, 0);
	assert_true(vgpu_exec_check(&h->dev->exec));
}

/* Returns how many saves there were. */
static size_t compute(const struct vgpu_config *config, u64 seed, enum changes changes,
		      u8 (*bytes)[MIXTURE_BYTES])
{
	struct host *h = host_new_config(config);
	struct rig rigs[CONTEXTS], other = {};
	struct vgpu_random random;
	size_t saves;
	u32 step;

	vgpu_random_seed(&random, seed);
	assert_int_equal(vgpu_exec_set_policy(&h->dev->exec, &manual_policy), 0);
	chaos_set(h, "preemption", mechanisms[seed % 2]);
	chaos_open(h, rigs);
	if (changes == KILLED) {
		other = mixture_endless(h);
		launch(&other, 40, THREADS, BASE, 0);
	}
	for (u32 n = 0; n < CONTEXTS; n++)
		launch(&rigs[n], BLOCKS, THREADS, BASE, 0);
	for (step = 0; step < STEPS && !chaos_over(h, rigs); step++) {
		vgpu_device_run(h->dev, h->dev->sim->now + chaos_below(&random, VGPU_US / 4), ~0u);
		assert_true(vgpu_exec_check(&h->dev->exec));
		if (seed && step < CHANGES)
			change(h, rigs, &random, changes);
		if (changes == KILLED && step < CHANGES && !chaos_below(&random, 40)) {
			vgpu_context_close(h->dev, other.context);
			assert_true(vgpu_exec_check(&h->dev->exec));
			other = mixture_endless(h);
			launch(&other, 40, THREADS, BASE, 0);
		}
		assert_true(vgpu_exec_check(&h->dev->exec));
	}
	if (step == STEPS)
		fail_msg("seed %llu: not over after %llu us", seed, h->dev->sim->now / VGPU_US);
	if (changes == KILLED)
		vgpu_context_close(h->dev, other.context);
	host_run(h);
	assert_int_equal(h->fault_count, 0);
	check_nothing_moves(h);
	if (changes != KILLED)
		check_moves(h);
	saves = host_count_of(h, VGPU_TRACE_SAVE_END);
	chaos_close(h, rigs, bytes);
	return saves;
}

static struct vgpu_config pipeline_config(u32 n)
{
	static const char *const deadlines[] = { "15000000", "200000", "0" };
	static const char *const schemes[] = { "replay-queue", "stall", "operand-log" };
	struct vgpu_config config;

	assert_int_equal(vgpu_config_preset(&config, "tanasic-ch6"), 0);
	set_field(&config, "timing", "pipeline");
	set_field(&config, "sms", "3");
	set_field(&config, "issue_width", "4");
	set_field(&config, "watchdog_ps", "0");
	set_field(&config, "active_kernels", "8");
	set_field(&config, "kernels_per_sm", "4");
	set_field(&config, "pep_signal_ps", "100000");
	set_field(&config, "pep_launch_ps", "1000000");
	set_field(&config, "pipeline_drain_ps", n % 3 ? "0" : "500000");
	set_field(&config, "memory_model", n % 5 ? "caches" : "flat");
	set_field(&config, "fault_scheme", schemes[n % 3]);
	set_field(&config, "deadline_ps", deadlines[n / 2 % 3]);
	set_field(&config, "abandon_restores", n & 2 ? "1" : "0");
	set_field(&config, "ideal_switch", n % 7 == 6 ? "1" : "0");
	set_field(&config, "page_arrival_ps", n & 4 ? "3000000" : "0");
	set_field(&config, "fault_granule", "4096");
	set_field(&config, "sm_on_fault", n & 8 ? "stall" : "preemptible");
	return config;
}

static void check(enum changes changes, u32 runs)
{
	static u8 want[CONTEXTS][MIXTURE_BYTES], got[CONTEXTS][MIXTURE_BYTES];
	struct vgpu_config config = pipeline_config(1);
	size_t saves = 0;

	assert_int_equal(compute(&config, 0, TAKEN, want), 0);
	assert_memory_not_equal(want[0], want[1], PART);
	for (u32 n = 0; n < runs; n++) {
		config = pipeline_config(n);
		saves += compute(&config, n + 1, changes, got);
		chaos_compare(n, got, want);
	}
	assert_true(saves > 10 * runs);
}

static void whole_sms_are_taken(void **state)
{
	(void)state;
	check(TAKEN, 24);
}

static void policies_change(void **state)
{
	(void)state;
	check(CHANGED, 24);
}

static void a_neighbour_is_killed(void **state)
{
	(void)state;
	check(KILLED, 24);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_sms_are_taken),
		cmocka_unit_test(policies_change),
		cmocka_unit_test(a_neighbour_is_killed),
	};

	return cmocka_run_group_tests_name("blocks leave, at random", tests, NULL, NULL);
}

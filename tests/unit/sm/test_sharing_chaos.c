// SPDX-License-Identifier: MIT
/*
 * Blocks of three contexts side by side on SMs, at the same addresses, leave them at random places:
 * each context has the bytes, and has executed the instructions, that it has alone. So too when the
 * fourth beside them faults, is killed, or never ends.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "chaos_rig.h"

enum neighbour { NONE, FAULTS, KILLED, ENDLESS };

/** struct share - what one context has computed */
struct share {
	u8 bytes[MIXTURE_BYTES];
	u64 thread_instructions;
};

static struct vgpu_config sharing_config(const char *timing, const char *policy)
{
	struct vgpu_config config;

	assert_int_equal(vgpu_config_preset(&config, "tanasic-ch6"), 0);
	set_field(&config, "timing", timing);
	set_field(&config, "sms", "3");
	set_field(&config, "kernels_per_sm", "4");
	set_field(&config, "policy", policy);
	/* so that there are many switches */
	set_field(&config, "pipeline_drain_ps", "0");
	set_field(&config, "issue_width", "4");
	return config;
}

static void read_back(struct rig *r, struct share *share)
{
	struct vgpu_context_info info;

	mixture_read_back(r, share->bytes);
	assert_int_equal(vgpu_context_info(r->h->dev, r->context, &info), 0);
	share->thread_instructions = info.thread_instructions;
}

/* One that stores below its memory at once, and would go round for ever. */
static struct rig faulting(struct host *h)
{
	struct rig r = mixture_open_context(h);
	struct vass v;
	u32 loop, at;

	prologue(&v, 40);
	OPI(&v, ADDQ, 14, 2, 0);
	OPI(&v, SUBQ, 14, 14, 65536);
	OP(&v, STG, VASS_MEM(4, 1), 0, 14, 0, 0, 0);
	loop = OPI(&v, ADD, 20, 20, 1);
	at = OP(&v, BRA, 0, 0, 0, 0, 0, 0);
	vass_target(&v, at, loop, at + 1);
	epilogue(&v, 20);
	program(&r, &v);
	return r;
}

static void run_all(struct host *h, const struct rig *rigs)
{
	u64 done = 0;

	for (u32 n = 0; n < CONTEXTS; n++)
		do {
			vgpu_device_run(h->dev, h->dev->sim->now + 10 * VGPU_US, ~0u);
			vgpu_queue_completed(h->dev, rigs[n].context, rigs[n].queue, &done);
		} while (done < 6);
	assert_true(vgpu_exec_check(&h->dev->exec));
}

/* Returns how often a block was preempted; *most: kernels that were on one SM at a time. */
static u64 compute(const struct vgpu_config *config, enum neighbour kind, struct share *shares,
		   u32 *most)
{
	struct host *h = host_new_config(config);
	struct rig rigs[CONTEXTS], other = {};
	u64 preempted;

	chaos_open(h, rigs);
	if (kind != NONE) {
		other = kind == FAULTS ? faulting(h) : mixture_endless(h);
		launch(&other, 40, THREADS, BASE, 0);
	}
	for (u32 n = 0; n < CONTEXTS; n++)
		launch(&rigs[n], BLOCKS, THREADS, BASE, 0);
	*most = 0;
	for (u32 n = 0; n < 40; n++) {
		vgpu_device_run(h->dev, h->dev->sim->now + VGPU_US / 4, ~0u);
		assert_true(vgpu_exec_check(&h->dev->exec));
		for (u32 sm = 0; sm < SMS; sm++)
			if (h->dev->exec.smst[sm].kernels > *most)
				*most = h->dev->exec.smst[sm].kernels;
		if (kind == KILLED && n == 20)
			vgpu_context_close(h->dev, other.context);
	}
	run_all(h, rigs);
	if (kind == ENDLESS)
		vgpu_context_close(h->dev, other.context);
	assert_int_equal(h->fault_count, kind == FAULTS);
	for (u32 n = 0; n < CONTEXTS; n++)
		read_back(&rigs[n], &shares[n]);
	preempted = host_count_of(h, VGPU_TRACE_BLOCK_PREEMPT);
	if (kind == FAULTS)
		vgpu_context_close(h->dev, other.context);
	for (u32 n = 0; n < CONTEXTS; n++)
		vgpu_context_close(h->dev, rigs[n].context);
	host_free(h);
	return preempted;
}

static struct share *alone(void)
{
	static struct share shares[CONTEXTS];
	struct vgpu_config config = sharing_config("interval", "fcfs");
	u32 most;

	compute(&config, NONE, shares, &most);
	assert_memory_not_equal(shares[0].bytes, shares[1].bytes, PART);
	return shares;
}

static u64 check(const struct vgpu_config *config, enum neighbour kind, const struct share *want,
		 const char *what)
{
	static struct share got[CONTEXTS];
	u64 preempted;
	u32 most;

	preempted = compute(config, kind, got, &most);
	for (u32 n = 0; n < CONTEXTS; n++) {
		if (memcmp(got[n].bytes, want[n].bytes, MIXTURE_BYTES))
			fail_msg("%s, %s, seed %llu: context %u has other bytes", what,
				 config->policy, config->seed, n);
		/* what is flushed is executed again */
		if (!strcmp(config->preemption, "none"))
			assert_int_equal(got[n].thread_instructions, want[n].thread_instructions);
		assert_true(got[n].thread_instructions >= want[n].thread_instructions);
	}
	if (most < 2)
		fail_msg("%s, %s: no SM was shared", what, config->policy);
	return preempted;
}

static const char *const policies[] = { "leftover", "smk", "smk-p", "smk-pw" };

static void seed(struct vgpu_config *config, u32 n)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", n + 1);
	set_field(config, "seed", text);
}

static void with_interval(void **state)
{
	const struct share *want = alone();

	(void)state;
	for (u32 n = 0; n < 12; n++) {
		struct vgpu_config config = sharing_config("interval", policies[n % 4]);

		seed(&config, n);
		set_field(&config, "ideal_switch", n % 2 ? "1" : "0");
		set_field(&config, "block_swap_ps", n < 4 ? "0" : "50000");
		set_field(&config, "page_arrival_ps", n & 4 ? "3000000" : "0");
		set_field(&config, "fault_granule", "4096");
		assert_true(check(&config, NONE, want, "interval") >= (n < 4 ? 0 : 100));
	}
}

/* Blocks that policies have leave, or the test, leave as the mechanism chooses. */
static void with_mechanisms_by_block(void **state)
{
	static const char *const mechanisms[] = { "flush", "chimera", "pep" };
	static const char *const deadlines[] = { "15000000", "200000", "0" };
	const struct share *want = alone();

	(void)state;
	for (u32 n = 0; n < 27; n++) {
		struct vgpu_config config =
			sharing_config(n % 2 ? "interval" : "pipeline", policies[1 + n / 3 % 3]);

		seed(&config, n);
		set_field(&config, "preemption", mechanisms[n % 3]);
		set_field(&config, "deadline_ps", deadlines[n / 2 % 3]);
		set_field(&config, "memory_model", n % 5 ? "caches" : "flat");
		set_field(&config, "fault_scheme", n & 1 ? "replay-queue" : "stall");
		set_field(&config, "quota_epoch_cycles", "200");
		set_field(&config, "ideal_switch", n % 4 == 1 ? "1" : "0");
		set_field(&config, "block_swap_ps", n < 6 ? "0" : "50000");
		set_field(&config, "page_arrival_ps", n & 4 ? "3000000" : "0");
		set_field(&config, "fault_granule", "4096");
		check(&config, NONE, want, mechanisms[n % 3]);
	}
}

static void with_pipeline(void **state)
{
	static const char *const schemes[] = { "stall", "replay-queue", "operand-log" };
	const struct share *want = alone();

	(void)state;
	for (u32 n = 0; n < 12; n++) {
		struct vgpu_config config = sharing_config("pipeline", policies[n % 4]);

		seed(&config, n);
		set_field(&config, "memory_model", n % 5 ? "caches" : "flat");
		set_field(&config, "fault_scheme", schemes[n / 4]);
		set_field(&config, "warp_scheduler", n & 1 ? "gto" : "lrr");
		set_field(&config, "warp_schedulers", n % 3 ? "4" : "1");
		set_field(&config, "quota_epoch_cycles", "200");
		set_field(&config, "ideal_switch", "1");
		set_field(&config, "block_swap_ps", n < 4 ? "0" : "50000");
		set_field(&config, "page_arrival_ps", n & 4 ? "3000000" : "0");
		set_field(&config, "fault_granule", "4096");
		check(&config, NONE, want, schemes[n / 4]);
	}
}

static void beside_a_hostile_neighbour(void **state)
{
	static const enum neighbour kinds[] = { FAULTS, KILLED, ENDLESS };
	const struct share *want = alone();

	(void)state;
	for (u32 n = 0; n < 12; n++) {
		struct vgpu_config config =
			sharing_config(n < 6 ? "interval" : "pipeline", policies[1 + n % 3]);

		seed(&config, n);
		set_field(&config, "block_swap_ps", n % 2 ? "200000" : "0");
		set_field(&config, "memory_model", "caches");
		set_field(&config, "watchdog_ps", "0");
		set_field(&config, "preemption", n & 4 ? "chimera" : "none");
		check(&config, kinds[n % 3], want, "beside a neighbour");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(with_interval),
		cmocka_unit_test(with_mechanisms_by_block),
		cmocka_unit_test(with_pipeline),
		cmocka_unit_test(beside_a_hostile_neighbour),
	};

	return cmocka_run_group_tests_name("sharing, at random", tests, NULL, NULL);
}

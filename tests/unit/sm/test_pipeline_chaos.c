// SPDX-License-Identifier: MIT
/*
 * Thread blocks leave their SM at random places, in the middle of page faults, thousands of times
 * in a kernel: with every fault scheme, memory model and order of issue they compute what they
 * compute with timing=interval, in as many instructions. Pages come late, so nearly every access
 * faults at first.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "device/device.h"
#include "mixture_rig.h"

struct result {
	u8 *bytes;
	bool faulted;			/* the kernel: there are no bytes */
	u64 switches;
	u64 replayed;
	u64 thread_instructions;	/* each once, however often it faults or finds no port */
};

/* What a device of @config computes; the caller frees the bytes. */
static struct result compute(const struct vgpu_config *config)
{
	static const u64 parts[] = { 0, OUT, 2 * OUT, 3 * OUT };
	struct rig r = start_pipeline(config);
	struct result result = { .bytes = malloc(4 * PART + ROUNDS * 16384) };
	u32 *words = (u32 *)r.h->memory;
	struct vgpu_context_info info;
	struct vass v;

	mixture(&v);
	program(&r, &v);
	for (u32 n = 0; n < 16384; n++)
		words[n] = n * 2654435761u;
	for (u32 n = 0; n < 5; n++)
		host_push(r.h, r.context, r.queue, cmd_h2d(BASE + n * 65536, 0, 65536));
	host_run(r.h);
	launch(&r, BLOCKS, THREADS, BASE, 0);
	host_run(r.h);
	result.faulted = r.h->fault_count;
	for (u32 n = 0; n < 4 && !result.faulted; n++) {
		host_push(r.h, r.context, r.queue, cmd_d2h(0, BASE + parts[n], 65536));
		host_run(r.h);
		memcpy(result.bytes + n * PART, r.h->memory, PART);
	}
	for (u32 n = 0; n < ROUNDS && !result.faulted; n++) {
		host_push(r.h, r.context, r.queue,
			  cmd_d2h(0, BASE + OUT + (n + 1) * 16384, 16384));
		host_run(r.h);
		memcpy(result.bytes + 4 * PART + n * 16384, r.h->memory, 16384);
	}
	result.switches = host_count_of(r.h, VGPU_TRACE_BLOCK_PREEMPT);
	result.replayed = traced_with(&r, VGPU_TRACED_REPLAYED);
	assert_int_equal(vgpu_context_info(r.h->dev, r.context, &info), 0);
	result.thread_instructions = info.thread_instructions;
	stop(&r);
	return result;
}

static struct vgpu_config chaos_config(const char *timing)
{
	struct vgpu_config config;

	assert_int_equal(vgpu_config_preset(&config, "tanasic-ch6"), 0);
	set_field(&config, "timing", timing);
	set_field(&config, "sms", "3");
	return config;
}

static void check(const struct vgpu_config *config, const struct result *want, u64 least,
		  const char *what)
{
	struct result got = compute(config);

	assert_false(want->faulted || got.faulted);
	if (memcmp(got.bytes, want->bytes, 4 * PART + ROUNDS * 16384))
		fail_msg("%s, %s, %s, seed %llu: other bytes", what, config->memory_model,
			 config->issue_order, config->seed);
	assert_int_equal(got.thread_instructions, want->thread_instructions);
	if (got.switches < least)
		fail_msg("%s: only %llu switches", what, got.switches);
	free(got.bytes);
}

static void at_random_places(void **state)
{
	static const char *const schemes[] = {
		"stall", "wd-commit", "wd-lastcheck", "replay-queue", "operand-log",
	};
	static const char *const memories[] = { "flat", "caches" };
	static const char *const orders[] = { "out-of-order", "in-order", "in-order-commit" };
	struct vgpu_config config = chaos_config("interval");
	struct result want = compute(&config);

	(void)state;
	for (u32 n = 0; n < 30; n++) {
		char seed[16];

		config = chaos_config("pipeline");
		snprintf(seed, sizeof(seed), "%u", n + 1);
		set_field(&config, "seed", seed);
		set_field(&config, "overtake_stores", n % 4 < 2 ? "1" : "0");
		/* the kernel does not fit into it */
		set_field(&config, "l1i_bytes", n % 3 ? "0" : "256");
		set_field(&config, "l1i_ways", "1");
		set_field(&config, "fault_scheme", schemes[n % 5]);
		set_field(&config, "memory_model", memories[n / 5 % 2]);
		set_field(&config, "issue_order", orders[n / 10]);
		set_field(&config, "warp_scheduler", n & 1 ? "gto" : "lrr");
		set_field(&config, "operand_log_bytes", n & 2 ? "8192" : "16384");
		/* saves and restores take no time, so that there are many */
		set_field(&config, "ideal_switch", "1");
		set_field(&config, "page_arrival_ps", "3000000");
		set_field(&config, "fault_granule", "4096");
		set_field(&config, "block_swap_ps", "50000");
		check(&config, &want, n % 5 ? 1000 : 50, schemes[n % 5]);
	}
	free(want.bytes);
}

/* The test would see it. */
static void the_wrong_scheme_is_found(void **state)
{
	struct vgpu_config config = chaos_config("interval");
	struct result want = compute(&config), got;

	(void)state;
	config = chaos_config("pipeline");
	set_field(&config, "fault_scheme", "wrong");
	set_field(&config, "page_arrival_ps", "3000000");
	set_field(&config, "fault_granule", "4096");
	got = compute(&config);
	/* it may have computed a wrong address */
	assert_true(got.faulted || memcmp(got.bytes, want.bytes, PART));
	free(got.bytes);
	free(want.bytes);
}

/* What is saved: replay queues and logs are part of the context. */
static void contexts_grow(void **state)
{
	static const char *const schemes[] = { "wd-commit", "replay-queue", "operand-log" };
	u64 bytes[3];

	(void)state;
	for (u32 n = 0; n < 3; n++) {
		struct vgpu_config config = chaos_config("pipeline");
		struct rig r;
		struct vass v;

		set_field(&config, "memory_model", "flat");
		set_field(&config, "fault_scheme", schemes[n]);
		set_field(&config, "page_arrival_ps", "1000000000");
		set_field(&config, "sms", "1");
		r = start_pipeline(&config);
		mixture(&v);
		program(&r, &v);
		host_push(r.h, r.context, r.queue, cmd_h2d(BASE, 0, 65536));
		host_run(r.h);
		launch(&r, 1, THREADS, BASE, 0);
		/* all its warps wait for the page of their first load */
		vgpu_device_run(r.h->dev, r.h->dev->sim->now + 100000000, 100000);
		bytes[n] = vgpu_block_context_bytes(vgpu_sm_first(&r.h->dev->exec.sms[0]));
		host_run(r.h);
		stop(&r);
	}
	/* of each of three warps some instructions, the load first */
	assert_true(bytes[1] > bytes[0]);
	assert_int_equal((bytes[1] - bytes[0]) % (3 * 8), 0);
	/* the address of the load, of each warp */
	assert_true(bytes[2] >= bytes[0] + 3 * (8 + 256));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(at_random_places),
		cmocka_unit_test(the_wrong_scheme_is_found),
		cmocka_unit_test(contexts_grow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

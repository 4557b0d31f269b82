// SPDX-License-Identifier: MIT
/*
 * Contexts whose managed memory does not fit compute what they compute with enough memory, whatever
 * is compressed, evicted, throttled and preempted at random places, while the process takes pages
 * back and other contexts are killed in the middle.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "chaos_rig.h"

#define MEMORY		HOST_MANAGED
#define MAPPED		(4u << 20)	/* all parts of a mixture */
#define STEPS_MOST	4000u
#define MEASURED	2u

static struct rig managed_context(struct host *h)
{
	struct rig r = { .h = h };
	struct vass v;

	r.context = host_open(h);
	r.queue = host_queue(h, r.context);
	assert_int_equal(vgpu_memory_map_managed(h->dev, r.context, MEMORY, MAPPED), 0);
	mixture(&v);
	program(&r, &v);
	return r;
}

/* The first has small numbers, the second what has no pattern. */
static void fill(struct rig *r, u32 n)
{
	u32 *words = (u32 *)r->h->memory;

	for (u32 i = 0; i < 16384; i++)
		words[i] = n ? (i + 77777) * 2654435761u : i % 16;
	for (u32 i = 0; i < 5; i++)
		host_push(r->h, r->context, r->queue, cmd_h2d(MEMORY + i * 65536, 0, 65536));
	host_run(r->h);
}

static void read_back(struct rig *r, u8 *bytes)
{
	for (u32 n = 0; n < MAPPED; n += 65536) {
		host_push(r->h, r->context, r->queue, cmd_d2h(0, MEMORY + n, 65536));
		host_run(r->h);
		memcpy(bytes + n, r->h->memory, 65536);
	}
}

static void change(struct host *h, const struct rig *rigs, struct vgpu_random *random)
{
	static const char *const ratios[] = { "0", "0", "100", "150", "400" };
	static const char *const units[] = { "4096", "65536", "2097152" };
	static const char *const schemes[] = { "none", "simple-throttle", "etc" };
	static const char *const mechanisms[] = { "chimera", "pep", "flush", "switch", "drain" };
	const struct rig *r = &rigs[chaos_below(random, MEASURED)];
	int error;

	switch (chaos_below(random, 12)) {
	case 0:
	case 1:
	case 2:
		chaos_set(h, "compression", chaos_below(random, 3) ? "1" : "0");
		break;
	case 3:
		chaos_set(h, "compression_ratio", ratios[chaos_below(random, 5)]);
		break;
	case 4:
		chaos_set(h, "eviction_unit", units[chaos_below(random, 3)]);
		break;
	case 5:
		chaos_set(h, "oversubscription", schemes[chaos_below(random, 3)]);
		break;
	case 6:
		chaos_set(h, "throttling", chaos_below(random, 2) ? "1" : "0");
		break;
	case 7:
		chaos_set(h, "proactive_eviction", chaos_below(random, 2) ? "1" : "0");
		break;
	case 8:
		chaos_set(h, "preemption", mechanisms[chaos_below(random, 5)]);
		break;
	case 9:
		chaos_set(h, "managed_share", chaos_below(random, 2) ? "100" : "60");
		break;
	default:
		host_read(h, r->context, MEMORY + chaos_below(random, MAPPED / 4) * 4, &error);
		assert_int_equal(error, 0);
	}
}

static bool is_over(struct host *h, const struct rig *rigs)
{
	u64 done = 0;

	for (u32 n = 0; n < MEASURED; n++) {
		vgpu_queue_completed(h->dev, rigs[n].context, rigs[n].queue, &done);
		if (done < 6)
			return false;
	}
	return true;
}

/* Returns pages that were compressed and had to be laid out anew; @evicted: those that went */
static u64 compute(const struct vgpu_config *config, u64 seed, u8 (*bytes)[MAPPED], u64 *evicted)
{
	struct host *h = host_new_config(config);
	struct vgpu_context_info info;
	struct vgpu_random random;
	struct rig rigs[MEASURED], killed;
	u64 overflows = 0;
	u32 step;

	vgpu_random_seed(&random, seed);
	for (u32 n = 0; n < MEASURED; n++) {
		rigs[n] = managed_context(h);
		fill(&rigs[n], n);
	}
	killed = managed_context(h);
	for (u32 n = 0; n < MEASURED; n++)
		launch(&rigs[n], BLOCKS, THREADS, MEMORY, 0);
	launch(&killed, BLOCKS, THREADS, MEMORY, 0);
	for (step = 0; step < STEPS_MOST && !is_over(h, rigs); step++) {
		vgpu_device_run(h->dev, h->dev->sim->now + chaos_below(&random, 5 * VGPU_US), ~0u);
		if (seed)
			change(h, rigs, &random);
		if (step == 20 + seed * 10)
			vgpu_context_close(h->dev, killed.context);
		assert_true(vgpu_exec_check(&h->dev->exec));
	}
	host_run(h);
	assert_int_equal(h->fault_count, 0);
	for (u32 n = 0; n < MEASURED; n++) {
		assert_int_equal(vgpu_context_info(h->dev, rigs[n].context, &info), 0);
		overflows += info.account.page_overflows;
		*evicted += info.account.pages_evicted;
		read_back(&rigs[n], bytes[n]);
	}
	for (u32 n = 0; n < MEASURED; n++)
		vgpu_context_close(h->dev, rigs[n].context);
	if (step <= 20 + seed * 10)
		vgpu_context_close(h->dev, killed.context);
	assert_int_equal(h->dev->mmu.frames.units, 0);
	assert_int_equal(h->dev->mmu.arriving, 0);
	host_free(h);
	return overflows;
}

static struct vgpu_config config_of(u64 n, const char *timing)
{
	static const char *const prefetchers[] = { "none", "granule", "tree" };
	static const char *const evictors[] = { "fifo", "lru", "clock" };
	struct vgpu_config config;

	assert_int_equal(vgpu_config_preset(&config, "tanasic-ch6"), 0);
	set_field(&config, "timing", timing);
	set_field(&config, "sms", "3");
	set_field(&config, "watchdog_ps", "0");
	set_field(&config, "active_kernels", "8");
	set_field(&config, "kernels_per_sm", "4");
	set_field(&config, "policy", n & 1 ? "smk" : "dss");
	set_field(&config, "preemption", "switch");
	set_field(&config, "classifier_cycles", "5000");
	set_field(&config, "throttle_detect_cycles", "10000");
	set_field(&config, "throttle_execute_cycles", "10000");
	set_field(&config, "proactive_bytes", "65536");
	set_field(&config, "fault_granule", n & 2 ? "65536" : "4096");
	set_field(&config, "prefetcher", prefetchers[n % 3]);
	set_field(&config, "evictor", evictors[n / 2 % 3]);
	set_field(&config, "sm_on_fault", n & 4 ? "stall" : "preemptible");
	set_field(&config, "vram_bytes", n ? n & 8 ? "393216" : "786432" : "67108864");
	return config;
}

static void check(const char *timing)
{
	static u8 want[MEASURED][MAPPED], got[MEASURED][MAPPED];
	struct vgpu_config config = config_of(0, timing);
	u64 overflows = 0, evicted = 0;

	assert_int_equal(compute(&config, 0, want, &evicted), 0);
	assert_int_equal(evicted, 0);
	assert_memory_not_equal(want[0], want[1], PART);
	for (u64 n = 1; n < 13; n++) {
		config = config_of(n, timing);
		overflows += compute(&config, n, got, &evicted);
		for (u32 c = 0; c < MEASURED; c++)
			if (memcmp(got[c], want[c], MAPPED))
				fail_msg("run %llu: context %u has other bytes", n, c);
	}
	assert_true(overflows > 20);
	assert_true(evicted > 1000);
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

	return cmocka_run_group_tests_name("compression, at random", tests, NULL, NULL);
}

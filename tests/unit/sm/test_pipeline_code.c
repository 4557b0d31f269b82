// SPDX-License-Identifier: MIT
/*
 * The instruction cache of the pipeline: what a miss costs, for whom, and which lines stay. One
 * instruction is fetched in a cycle, 16 are in a line.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "device/device.h"
#include "pipeline_rig.h"

#define LINE	16u
#define MISS	200u

static struct vgpu_config code_config(const char *bytes, const char *ways)
{
	struct vgpu_config config = timeline_config("stall");

	set_field(&config, "l1i_bytes", bytes);
	set_field(&config, "l1i_ways", ways);
	set_field(&config, "l1i_miss_cycles", "200");
	return config;
}

/* Instructions of which none waits for another, up to @count in all. */
static void fill(struct vass *v, u32 count)
{
	while (v->count < count)
		OPI(v, MOV, 2 + v->count % 12, 0, 1);
}

static void straight(struct vass *v, u32 count)
{
	vass_init(v, 16, 16);
	fill(v, count - 1);
	OP(v, EXIT, 0, 0, 0, 0, 0, 0);
}

/* Three lines, a number of times; the branch is the last instruction of the third. */
static void loop(struct vass *v, u32 times)
{
	u32 back;

	vass_init(v, 16, 16);
	OPI(v, MOV, 0, 0, times);
	fill(v, 4 * LINE - 3);
	OPI(v, SUB, 0, 0, 1);
	OP(v, SETPU, VGPU_F_IMM | VGPU_CMP_NE, 1, 0, 0, 0, 0);
	back = OP(v, BRA, 0, 0, 0, 0, 0, 0);
	vass_guard(v, 1);
	vass_target(v, back, LINE, v->count);
	OP(v, EXIT, 0, 0, 0, 0, 0, 0);
}

/* Cycles from the first fetch to the last commit. */
static u64 cycles_of(const struct vgpu_config *config, const struct vass *v, u32 threads,
		     u32 launches)
{
	struct rig r = start_pipeline(config);
	u64 first = ~0ull, last = 0;

	program(&r, v);
	for (u32 n = 0; n < launches; n++) {
		launch(&r, 1, threads, BASE, 0);
		host_run(r.h);
	}
	assert_int_equal(r.h->fault_count, 0);
	for (size_t n = 0; n < r.h->record_count; n++) {
		const struct vgpu_trace_record *record = &r.h->records[n];

		if (record->type != VGPU_TRACE_INSTRUCTION)
			continue;
		first = record->seq < first ? record->seq : first;
		if (record->seq + (u32)record->a > last)
			last = record->seq + (u32)record->a;
	}
	stop(&r);
	return last - first;
}

static void each_line_is_missed_once(void **state)
{
	struct vgpu_config config = code_config("2048", "4");
	struct rig r = start_pipeline(&config);
	struct vass v;

	(void)state;
	straight(&v, 3 * LINE);
	program(&r, &v);
	launch(&r, 1, 32, BASE, 0);
	host_run(r.h);
	for (u32 pc = 1; pc < 3 * LINE; pc++)
		assert_int_equal(stages_of(&r, pc).fetch - stages_of(&r, pc - 1).fetch,
				 pc % LINE ? 1 : 1 + MISS);
	stop(&r);
}

static void warps_wait_for_a_line_together(void **state)
{
	struct vgpu_config without = code_config("0", "4"), with = code_config("2048", "4");
	struct vass v;

	(void)state;
	straight(&v, LINE);
	/* the first fetch is that of the first warp, which has waited already */
	assert_int_equal(cycles_of(&with, &v, 32, 1), cycles_of(&without, &v, 32, 1));
	assert_int_equal(cycles_of(&with, &v, 128, 1), cycles_of(&without, &v, 128, 1));
	straight(&v, 2 * LINE);
	assert_int_equal(cycles_of(&with, &v, 32, 1), MISS + cycles_of(&without, &v, 32, 1));
	/* while the first waits for the second line, the others use the first */
	assert_in_range(cycles_of(&with, &v, 128, 1), MISS + cycles_of(&without, &v, 32, 1),
			MISS + cycles_of(&without, &v, 128, 1));
}

static void a_loop_stays_where_it_fits(void **state)
{
	struct vgpu_config without = code_config("0", "4"), fits = code_config("512", "4"),
			   less = code_config("256", "2"), ways = code_config("384", "1");
	struct vass v;
	u64 cycles;

	(void)state;
	loop(&v, 10);
	cycles = cycles_of(&without, &v, 32, 1);
	/* behind the first line: three of the loop, and that of the exit */
	assert_int_equal(cycles_of(&fits, &v, 32, 1), cycles + 4 * MISS);
	/* the oldest of three goes, so that none of the loop is ever there */
	assert_int_equal(cycles_of(&less, &v, 32, 1), cycles + (10 * 3 + 1) * MISS);
	/* three sets of one line each: lines 2, 3 and 4 of the kernel have one each */
	assert_int_equal(cycles_of(&ways, &v, 32, 1), cycles + 4 * MISS);
}

static void lines_are_those_of_a_kernel(void **state)
{
	struct vgpu_config config = code_config("2048", "4");
	struct rig r = start_pipeline(&config);
	u64 fetch[5];
	struct vass v;

	(void)state;
	straight(&v, 2 * LINE);
	program(&r, &v);
	for (u32 n = 0; n < 5; n++) {
		/* twice the same, then another one with the same instructions */
		if (n == 2)
			program(&r, &v);
		/* and one that gets the handle of that, whose lines are still there */
		if (n == 4) {
			u32 handle = r.module;

			assert_int_equal(vgpu_module_unload(r.h->dev, r.context, handle), 0);
			program(&r, &v);
			assert_int_equal(r.module, handle);
		}
		launch(&r, 1, 32, BASE, 0);
		host_run(r.h);
		fetch[n] = stages_of(&r, LINE).fetch - stages_of(&r, LINE - 1).fetch;
	}
	assert_int_equal(fetch[0], 1 + MISS);
	assert_int_equal(fetch[1], 1);
	assert_int_equal(fetch[2], 1 + MISS);
	assert_int_equal(fetch[3], 1);
	assert_int_equal(fetch[4], 1 + MISS);
	stop(&r);
}

static void sizes_that_are_none(void **state)
{
	static const char *const wrong[][2] = { { "l1i_bytes", "100" }, { "l1i_bytes", "640" } };
	struct vgpu_config config = timeline_config("stall");

	(void)state;
	for (u32 n = 0; n < 2; n++) {
		set_field(&config, wrong[n][0], wrong[n][1]);
		assert_non_null(vgpu_config_check(&config));
	}
	set_field(&config, "l1i_bytes", "1024");
	assert_null(vgpu_config_check(&config));
}

/* Blocks that wait for lines die, and others come, which wait for others. */
static void misses_of_the_dead(void **state)
{
	struct vgpu_config config = code_config("2048", "4");
	struct vass v;
	struct rig r;

	(void)state;
	set_field(&config, "l1i_miss_cycles", "100000");
	set_field(&config, "clock_khz", "1000");
	r = start_pipeline(&config);
	straight(&v, 3 * LINE);
	for (u32 n = 0; n < 100; n++) {
		u64 kept = r.context;

		r.context = host_open(r.h);
		r.queue = host_queue(r.h, r.context);
		assert_int_equal(vgpu_memory_map(r.h->dev, r.context, BASE, BYTES), 0);
		program(&r, &v);
		launch(&r, 13 * 16, 128, BASE, 0);
		vgpu_device_run(r.h->dev, r.h->dev->sim->now + 200000000, 100000);
		vgpu_context_close(r.h->dev, r.context);
		r.context = kept;
	}
	stop(&r);
}

#define WARPS	32u

/* Each warp loops on a line of its own. */
static void own_lines(struct vass *v)
{
	u32 at[WARPS];

	vass_init(v, 16, 16);
	OP(v, SREG, 0, 0, 0, 0, 0, VGPU_SR_WARPID);
	OPI(v, MOV, 3, 0, 20);
	for (u32 w = 0; w < WARPS; w++) {
		OP(v, SETPU, VGPU_F_IMM | VGPU_CMP_EQ, 1, 0, 0, 0, w);
		at[w] = OP(v, BRA, 0, 0, 0, 0, 0, 0);
		vass_guard(v, 1);
	}
	for (u32 w = 0; w < WARPS; w++) {
		u32 back;

		while (v->count % LINE)
			OPI(v, MOV, 10, 0, 1);
		vass_target(v, at[w], v->count, 0xffffffff);
		OPI(v, SUB, 3, 3, 1);
		OP(v, SETPU, VGPU_F_IMM | VGPU_CMP_NE, 1, 3, 0, 0, 0);
		back = OP(v, BRA, 0, 0, 0, 0, 0, 0);
		vass_guard(v, 1);
		vass_target(v, back, v->count - 3, v->count);
		OP(v, EXIT, 0, 0, 0, 0, 0, 0);
	}
}

/* Lines that push each other out before it is the turn of their warps: all get on. */
static void warps_of_one_set_get_on(void **state)
{
	static const char *const how[][4] = {
		{ "200", "128", "1", "lrr" }, { "20", "128", "1", "lrr" },
		{ "8", "128", "1", "lrr" },   { "1", "128", "1", "gto" },
		{ "8", "512", "4", "lrr" },   { "8", "512", "4", "gto" },
	};

	(void)state;
	for (u32 n = 0; n < sizeof(how) / sizeof(*how); n++) {
		struct vgpu_config config = code_config(how[n][1], how[n][2]);
		struct vass v;
		struct rig r;

		set_field(&config, "l1i_miss_cycles", how[n][0]);
		set_field(&config, "warp_scheduler", how[n][3]);
		set_field(&config, "trace_pipeline", "0");
		r = start_pipeline(&config);
		own_lines(&v);
		program(&r, &v);
		launch(&r, 1, 32 * WARPS, BASE, 0);
		vgpu_device_run(r.h->dev, r.h->dev->sim->now + 2000000000, 4000000);
		assert_int_equal(host_count_of(r.h, VGPU_TRACE_KERNEL_END), 1);
		stop(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_line_is_missed_once),
		cmocka_unit_test(warps_wait_for_a_line_together),
		cmocka_unit_test(a_loop_stays_where_it_fits),
		cmocka_unit_test(lines_are_those_of_a_kernel),
		cmocka_unit_test(misses_of_the_dead),
		cmocka_unit_test(warps_of_one_set_get_on),
		cmocka_unit_test(sizes_that_are_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

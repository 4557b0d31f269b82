// SPDX-License-Identifier: MIT
/*
 * warp_scheduler=gto, greedy then oldest, to the cycle, on a machine that fetches one instruction
 * and issues one in a cycle. An instruction that is issued in cycle n commits in n + 3, and one
 * that needs its result is issued in n + 4. All tables are made on paper; the first fetch is in
 * cycle 1. In a cycle, Issue comes before Fetch.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "pipeline_rig.h"

#define WARPS	3
#define COUNT	4	/* instructions of a program, the exit among them */

/** struct when - cycles of an instruction of one warp */
struct when {
	u64 fetch;
	u64 issue;
};

/* Three additions to these registers, then the exit. */
static void program_of(struct rig *r, const u32 *registers)
{
	struct vass v;

	vass_init(&v, 16, 16);
	for (u32 n = 0; n < COUNT - 1; n++)
		OPI(&v, ADD, registers[n], registers[n], 1);
	OP(&v, EXIT, 0, 0, 0, 0, 0, 0);
	program(r, &v);
}

static void check_order(const u32 *registers, u32 warps, const struct when want[][COUNT])
{
	struct vgpu_config config = timeline_config("stall");
	struct when got[WARPS][COUNT] = {};
	u64 base = VGPU_NEVER;
	struct rig r;

	set_field(&config, "warp_scheduler", "gto");
	r = start_pipeline(&config);
	program_of(&r, registers);
	launch(&r, 1, warps * 32, BASE, 0);
	host_run(r.h);
	assert_int_equal(r.h->fault_count, 0);
	for (size_t n = 0; n < r.h->record_count; n++) {
		const struct vgpu_trace_record *record = &r.h->records[n];
		struct when *at;

		if (record->type != VGPU_TRACE_INSTRUCTION)
			continue;
		assert_in_range(record->b >> 8 & 0xff, 0, warps - 1);
		assert_in_range(record->queue & 0xffffff, 0, COUNT - 1);
		at = &got[record->b >> 8 & 0xff][record->queue & 0xffffff];
		at->fetch = record->seq;
		at->issue = record->seq + (record->a >> 32);
		base = record->seq < base ? record->seq : base;
	}
	for (u32 w = 0; w < warps; w++)
		for (u32 n = 0; n < COUNT; n++)
			if (got[w][n].fetch - base + 1 != want[w][n].fetch ||
			    got[w][n].issue - base + 1 != want[w][n].issue)
				fail_msg("warp %u, insn %u: F%llu I%llu, must be F%llu I%llu",
					 w, n, got[w][n].fetch - base + 1,
					 got[w][n].issue - base + 1, want[w][n].fetch,
					 want[w][n].issue);
	stop(&r);
}

/* Nothing waits: one warp to its exit, then the next. */
static void stays_with_a_warp_that_can_be_issued_of(void **state)
{
	static const u32 registers[] = { 2, 3, 4 };
	/* the exit waits for the commit of the addition before it, in cycles 7 and 11 */
	static const struct when want[][COUNT] = {
		{ { 1, 2 }, { 2, 3 }, { 3, 4 }, { 4, 8 } },
		{ { 5, 6 }, { 6, 7 }, { 7, 9 }, { 8, 13 } },
	};

	(void)state;
	check_order(registers, 2, want);
}

/*
 * The second addition of a warp waits for the first, the third for nobody. In cycle 3 the first
 * warp has one that waits: the second. In cycle 5 both have one: the oldest.
 */
static void leaves_a_warp_that_waits(void **state)
{
	static const u32 registers[] = { 2, 2, 3 };
	static const struct when want[][COUNT] = {
		{ { 1, 2 }, { 2, 6 }, { 5, 7 }, { 6, 11 } },
		{ { 3, 4 }, { 4, 8 }, { 7, 9 }, { 8, 13 } },
	};

	(void)state;
	check_order(registers, 2, want);
}

/*
 * Each addition waits for the one before. In cycle 5 the first two warps wait: the third. In
 * cycle 6 that of the first warp is issued, so its next is fetched; that of the third is issued in
 * 7, that of the second in 8. In cycle 9 all wait, and the oldest is fetched of.
 */
static void goes_back_to_the_oldest(void **state)
{
	static const u32 registers[] = { 2, 2, 2 };
	static const struct when want[][COUNT] = {
		{ { 1, 2 }, { 2, 6 }, { 6, 10 }, { 9, 14 } },
		{ { 3, 4 }, { 4, 8 }, { 8, 12 }, { 10, 16 } },
		{ { 5, 7 }, { 7, 11 }, { 11, 15 }, { 12, 19 } },
	};

	(void)state;
	check_order(registers, 3, want);
}

/* Picoseconds of 32 warps, each with chains of additions that wait for themselves only. */
static u64 many_warps(const char *scheduler)
{
	struct vgpu_config config;
	struct vass v;
	struct rig r;
	u64 time;

	assert_int_equal(vgpu_config_preset(&config, "k20c"), 0);
	set_field(&config, "timing", "pipeline");
	set_field(&config, "warp_scheduler", scheduler);
	r = start_pipeline(&config);
	vass_init(&v, 16, 16);
	for (u32 n = 0; n < 400; n++)
		OPI(&v, ADD, 2, 2, 1);
	OP(&v, EXIT, 0, 0, 0, 0, 0, 0);
	program(&r, &v);
	launch(&r, 1, 32 * 32, BASE, 0);
	host_run(r.h);
	assert_int_equal(r.h->fault_count, 0);
	time = vgpu_device_now(r.h->dev);
	stop(&r);
	return time;
}

/* No warp can have the issue queue for itself: as many instructions a cycle as with lrr. */
static void is_about_as_fast_as_round_robin(void **state)
{
	(void)state;
	assert_in_range(many_warps("gto") * 4, 0, many_warps("lrr") * 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stays_with_a_warp_that_can_be_issued_of),
		cmocka_unit_test(leaves_a_warp_that_waits),
		cmocka_unit_test(goes_back_to_the_oldest),
		cmocka_unit_test(is_about_as_fast_as_round_robin),
	};

	return cmocka_run_group_tests_name("gto", tests, NULL, NULL);
}

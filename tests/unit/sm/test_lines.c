// SPDX-License-Identifier: MIT
/*
 * trace_lines: what each instruction of a kernel has cost, on the machine of the timelines. The
 * cycles of the first test are those of test_pipeline_timeline.c, baseline; what a scheduler waits
 * for in those without an issue is worked out on paper.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "pipeline_rig.h"

#define ROWS	64

struct counts {
	u64 of[ROWS][VGPU_LINE_COUNTS];
	u64 none[VGPU_LINE_COUNTS];	/* of no instruction */
};

static struct counts counts_of(const struct rig *r)
{
	struct counts counts = {};

	for (size_t n = 0; n < r->h->record_count; n++) {
		const struct vgpu_trace_record *record = &r->h->records[n];

		if (record->type != VGPU_TRACE_LINE)
			continue;
		assert_in_range(record->seq, 0, VGPU_LINE_COUNTS - 1);
		assert_true(record->a);
		if (record->queue == ~0u) {
			counts.none[record->seq] += record->a;
			continue;
		}
		assert_in_range(record->queue, 0, ROWS - 1);
		counts.of[record->queue][record->seq] += record->a;
	}
	return counts;
}

static u64 sum_of(const struct counts *counts, u32 from, u32 to)
{
	u64 sum = 0;

	for (u32 what = from; what <= to; what++) {
		sum += counts->none[what];
		for (u32 pc = 0; pc < ROWS; pc++)
			sum += counts->of[pc][what];
	}
	return sum;
}

/* The cycles of an SM's schedulers are in the trace, each once, and each issue. */
static void check_sums(const struct rig *r, const struct counts *counts)
{
	struct vgpu_device_stats stats;

	vgpu_device_stats(r->h->dev, &stats);
	assert_int_equal(sum_of(counts, VGPU_LINE_MEMORY, VGPU_LINE_OPERAND), stats.stall_data);
	assert_int_equal(sum_of(counts, VGPU_LINE_UNIT, VGPU_LINE_QUEUE), stats.stall_issue);
	assert_int_equal(sum_of(counts, VGPU_LINE_BRANCH, VGPU_LINE_END), stats.stall_control);
	assert_int_equal(sum_of(counts, VGPU_LINE_ISSUED, VGPU_LINE_ISSUED), stats.instructions);
}

/* F1 I2 C11, F2 I4 C7, F3 I12 C15, F4 I5 C8; the exit: F5 I16 C19 */
static void each_cycle_has_its_instruction(void **state)
{
	struct vgpu_config config = timeline_config("stall");
	static const u64 want[5][VGPU_LINE_COUNTS] = {
		/* cycle 1: it is being fetched */
		{ [VGPU_LINE_ISSUED] = 1, [VGPU_LINE_FETCH] = 1 },
		/* cycle 3: the load reads its address */
		{ [VGPU_LINE_ISSUED] = 1, [VGPU_LINE_OPERAND] = 1 },
		/* cycles 6 to 11 */
		{ [VGPU_LINE_ISSUED] = 1, [VGPU_LINE_MEMORY] = 6 },
		{ [VGPU_LINE_ISSUED] = 1 },
		/* cycles 13 to 15: it waits for mul; 17 to 19: it has not committed */
		{ [VGPU_LINE_ISSUED] = 1, [VGPU_LINE_OPERAND] = 3, [VGPU_LINE_BRANCH] = 3 },
	};
	struct counts counts;
	struct rig r;
	struct vass v;
	u32 first;

	(void)state;
	set_field(&config, "trace_lines", "1");
	r = start_pipeline(&config);
	vass_init(&v, 16, 16);
	OP(&v, LDP, VASS_MEM(8, 1), 2, 0, 0, 0, 0);
	OP(&v, BAR, 0, 0, 0, 0, 0, 0);
	first = OP(&v, LDG, VASS_MEM(4, 1), 10, 2, 0, 0, 0);
	OPI(&v, ADD, 2, 7, 8);
	OPI(&v, MUL, 8, 10, 3);
	OPI(&v, SUB, 9, 9, 4);
	OP(&v, EXIT, 0, 0, 0, 0, 0, 0);
	program(&r, &v);
	launch(&r, 1, 32, BASE, 0);
	host_run(r.h);
	counts = counts_of(&r);
	for (u32 n = 0; n < 5; n++)
		for (u32 what = 0; what < VGPU_LINE_COUNTS; what++)
			if (counts.of[first + n][what] != want[n][what])
				fail_msg("instruction %u, count %u: %llu, must be %llu", n, what,
					 counts.of[first + n][what], want[n][what]);
	check_sums(&r, &counts);
	stop(&r);
}

/* Two warps and two schedulers; one that has no warp counts for no instruction. */
static void a_scheduler_without_warps(void **state)
{
	struct vgpu_config config = timeline_config("stall");
	struct counts counts;
	struct rig r;
	struct vass v;

	(void)state;
	set_field(&config, "trace_lines", "1");
	set_field(&config, "issue_width", "2");
	set_field(&config, "warp_schedulers", "2");
	r = start_pipeline(&config);
	vass_init(&v, 16, 16);
	OPI(&v, ADD, 2, 2, 1);
	OP(&v, EXIT, 0, 0, 0, 0, 0, 0);
	program(&r, &v);
	launch(&r, 1, 32, BASE, 0);
	host_run(r.h);
	counts = counts_of(&r);
	/* add: F1 I2 C5; exit: F2 I6 C9: nine cycles */
	assert_int_equal(counts.none[VGPU_LINE_END], 9);
	assert_int_equal(counts.of[0][VGPU_LINE_FETCH], 1);
	assert_int_equal(counts.of[1][VGPU_LINE_OPERAND], 3);
	assert_int_equal(counts.of[1][VGPU_LINE_BRANCH], 3);
	check_sums(&r, &counts);
	stop(&r);
}

/*
 * Two warps, each with a scheduler, and one unit for branches: that of the first commits in cycle
 * 0, of the other in 1. The first is at the barrier: F1 I2 C5; the other has four additions, I3, 7,
 * 11, 15, then the barrier: F6 I19 C22.
 */
static void a_barrier(void **state)
{
	struct vgpu_config config = timeline_config("stall");
	struct counts counts;
	struct rig r;
	struct vass v;
	u32 at, bar;

	(void)state;
	set_field(&config, "trace_lines", "1");
	set_field(&config, "issue_width", "2");
	set_field(&config, "warp_schedulers", "2");
	r = start_pipeline(&config);
	vass_init(&v, 16, 16);
	OP(&v, SREG, 0, 0, 0, 0, 0, VGPU_SR_TID_X);
	OP(&v, SETPU, VGPU_F_IMM | VGPU_CMP_LT, 1, 0, 0, 0, 32);
	at = OP(&v, BRA, 0, 0, 0, 0, 0, 0);
	vass_guard(&v, 1);
	for (u32 n = 0; n < 4; n++)
		OPI(&v, ADD, 2, 2, 1);
	bar = OP(&v, BAR, 0, 0, 0, 0, 0, 0);
	vass_target(&v, at, bar, VGPU_NO_RECONV);
	OP(&v, EXIT, 0, 0, 0, 0, 0, 0);
	program(&r, &v);
	launch(&r, 1, 64, BASE, 0);
	host_run(r.h);
	assert_int_equal(r.h->fault_count, 0);
	counts = counts_of(&r);
	assert_int_equal(counts.of[bar][VGPU_LINE_ISSUED], 2);
	/* cycles 6 to 22 of the first; 3 to 5, and 20 to 22 of the other; 16 to 18 */
	assert_int_equal(counts.of[bar][VGPU_LINE_BARRIER], 17);
	assert_int_equal(counts.of[bar][VGPU_LINE_BRANCH], 6);
	assert_int_equal(counts.of[bar][VGPU_LINE_OPERAND], 3);
	check_sums(&r, &counts);
	stop(&r);
}

/* Barriers, divisions, loads that queue, many blocks and warps on the machine of table 6.1. */
static void sums_are_those_of_the_device(void **state)
{
	struct vgpu_config config = caches_config("stall");
	struct counts counts;
	struct rig r;
	struct vass v;

	(void)state;
	set_field(&config, "trace_lines", "1");
	set_field(&config, "memory_queue", "2");
	set_field(&config, "l1i_bytes", "512");
	r = start_pipeline(&config);
	prologue(&v, 16);
	OP(&v, LDG, VASS_MEM(4, 1), 10, 4, 0, 0, 0);
	OP(&v, LDG, VASS_MEM(4, 1), 11, 4, 0, 0, 128);
	OPI(&v, DIVU, 12, 10, 3);
	OP(&v, BAR, 0, 0, 0, 0, 0, 0);
	OPI(&v, DIVU, 13, 11, 3);
	epilogue(&v, 12);
	program(&r, &v);
	launch(&r, 40, 256, BASE, 0);
	host_run(r.h);
	assert_int_equal(r.h->fault_count, 0);
	counts = counts_of(&r);
	assert_true(sum_of(&counts, VGPU_LINE_QUEUE, VGPU_LINE_QUEUE));
	assert_true(sum_of(&counts, VGPU_LINE_UNIT, VGPU_LINE_UNIT));
	check_sums(&r, &counts);
	stop(&r);
}

static void nothing_is_recorded_unasked(void **state)
{
	struct vgpu_config config = timeline_config("stall");
	struct rig r = start_pipeline(&config);
	struct vass v;

	(void)state;
	vass_init(&v, 16, 16);
	OP(&v, EXIT, 0, 0, 0, 0, 0, 0);
	program(&r, &v);
	launch(&r, 1, 32, BASE, 0);
	host_run(r.h);
	assert_int_equal(host_count_of(r.h, VGPU_TRACE_LINE), 0);
	stop(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_cycle_has_its_instruction),
		cmocka_unit_test(a_scheduler_without_warps),
		cmocka_unit_test(a_barrier),
		cmocka_unit_test(sums_are_those_of_the_device),
		cmocka_unit_test(nothing_is_recorded_unasked),
	};

	return cmocka_run_group_tests_name("lines", tests, NULL, NULL);
}

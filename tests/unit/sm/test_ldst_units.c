// SPDX-License-Identifier: MIT
/*
 * ldst_units: several load/store units, to the cycle, on the machine of the timelines: a load whose
 * check begins in cycle n has it passed, and its datum, in n + 7. All numbers are made on paper;
 * the load is fetched in cycle 1, issued in 2, and executes from 4 on.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "pipeline_rig.h"

/* The cycle in which a load commits whose lanes lie @stride bytes apart. */
static u64 commit_of(const char *units, u32 stride)
{
	struct vgpu_config config = timeline_config("stall");
	struct stages load;
	struct vass v;
	struct rig r;
	u32 at;

	set_field(&config, "ldst_units", units);
	r = start_pipeline(&config);
	vass_init(&v, 16, 16);
	OP(&v, SREG, 0, 0, 0, 0, 0, VGPU_SR_TID_X);
	OP(&v, LDP, VASS_MEM(8, 1), 2, 0, 0, 0, 0);
	OPI(&v, MADWU, 4, 0, stride);
	v.code[v.count - 1].c = 2;
	OP(&v, BAR, 0, 0, 0, 0, 0, 0);	/* nothing is in flight behind it */
	at = OP(&v, LDG, VASS_MEM(4, 1), 10, 4, 0, 0, 0);
	OP(&v, EXIT, 0, 0, 0, 0, 0, 0);
	program(&r, &v);
	launch(&r, 1, 32, BASE, 0);
	host_run(r.h);
	assert_int_equal(r.h->fault_count, 0);
	load = stages_of(&r, at);
	stop(&r);
	assert_int_equal(load.issue - load.fetch, 1);
	return load.commit - load.fetch + 1;
}

/* Its lines are checked in cycles 4, 5, 6, 7; in 4, 4, 5, 5; all in 4. */
static void lines_of_an_access_are_checked_together(void **state)
{
	(void)state;
	assert_int_equal(commit_of("1", 16), 14);
	assert_int_equal(commit_of("2", 16), 12);
	assert_int_equal(commit_of("4", 16), 11);
	/* 32 lines */
	assert_int_equal(commit_of("1", 128), 42);
	assert_int_equal(commit_of("4", 128), 18);
	assert_int_equal(commit_of("8", 128), 14);
}

/* One line needs one unit. */
static void one_line_is_as_fast(void **state)
{
	(void)state;
	assert_int_equal(commit_of("1", 4), 11);
	assert_int_equal(commit_of("8", 4), 11);
}

/* Cycles between the issues of the first loads of shared memory of two warps. */
static u64 apart(const char *units)
{
	struct vgpu_config config = timeline_config("stall");
	u64 issue[2] = {};
	struct vass v;
	struct rig r;

	set_field(&config, "ldst_units", units);
	set_field(&config, "issue_width", "2");
	set_field(&config, "warp_schedulers", "2");
	r = start_pipeline(&config);
	vass_init(&v, 16, 16);
	v.kernel.shared_bytes = 256;
	OP(&v, LDS, VASS_MEM(4, 1), 8, 7, 0, 0, 0);
	OP(&v, EXIT, 0, 0, 0, 0, 0, 0);
	program(&r, &v);
	launch(&r, 1, 64, BASE, 0);
	host_run(r.h);
	assert_int_equal(r.h->fault_count, 0);
	for (size_t n = 0; n < r.h->record_count; n++) {
		const struct vgpu_trace_record *record = &r.h->records[n];

		if (record->type == VGPU_TRACE_INSTRUCTION && !(record->queue & 0xffffff))
			issue[record->b >> 8 & 1] = record->seq + (record->a >> 32);
	}
	stop(&r);
	assert_true(issue[0] && issue[1]);
	return issue[0] < issue[1] ? issue[1] - issue[0] : issue[0] - issue[1];
}

/* Each scheduler has an instruction in the same cycle; a unit takes one. */
static void each_unit_takes_an_instruction(void **state)
{
	(void)state;
	assert_int_equal(apart("1"), 1);
	assert_int_equal(apart("2"), 0);
}

/* NVIDIA's tables have 32 lanes of load/store units an SM for all of these: one of a warp. */
static void presets_have_one_unit_of_a_warp(void **state)
{
	struct vgpu_config config;
	const char *name;

	(void)state;
	for (u32 n = 0; (name = vgpu_config_preset_name(n)); n++) {
		assert_int_equal(vgpu_config_preset(&config, name), 0);
		assert_int_equal(config.ldst_units, 1);
		assert_int_equal(vgpu_config_set(&config, "ldst_units", "0"), -EINVAL);
		assert_int_equal(vgpu_config_set(&config, "ldst_units", "9"), -EINVAL);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_of_an_access_are_checked_together),
		cmocka_unit_test(one_line_is_as_fast),
		cmocka_unit_test(each_unit_takes_an_instruction),
		cmocka_unit_test(presets_have_one_unit_of_a_warp),
	};

	return cmocka_run_group_tests_name("ldst units", tests, NULL, NULL);
}

// SPDX-License-Identifier: MIT
/*
 * The four-instruction timelines of Tanasic 6.2 and 6.3 to the cycle (figures 6.3, 6.4, 6.6, 6.8),
 * the machine being as simple as the one of the figures. On paper, instructions of one warp:
 *
 *	R3 <- ld [R2]     R2 <- add R7, 8     R8 <- mul R3, 3     R9 <- sub R9, 4
 *
 * Here an address is a pair of registers, and the load writes R10: the hazards are the same.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "device/device.h"
#include "pipeline_rig.h"

#define COUNT	4

/* Returns the index of the load. */
static u32 four(struct vass *v)
{
	u32 first;

	vass_init(v, 16, 16);
	OP(v, LDP, VASS_MEM(8, 1), 2, 0, 0, 0, 0);
	OP(v, BAR, 0, 0, 0, 0, 0, 0);	/* nothing is in flight behind it */
	first = OP(v, LDG, VASS_MEM(4, 1), 10, 2, 0, 0, 0);
	OPI(v, ADD, 2, 7, 8);
	OPI(v, MUL, 8, 10, 3);
	OPI(v, SUB, 9, 9, 4);
	OP(v, EXIT, 0, 0, 0, 0, 0, 0);
	return first;
}

static void run_four(struct vgpu_config config, const struct stages *want)
{
	struct rig r = start_pipeline(&config);
	struct vass v;
	u32 first = four(&v);

	program(&r, &v);
	launch(&r, 1, 32, BASE, 0);
	host_run(r.h);
	assert_int_equal(r.h->fault_count, 0);
	check_timeline(&r, first, want, COUNT);
	stop(&r);
}

/* Figure 6.3 ends at cycle 10; what follows is that of figure 6.8, which is the same machine. */
static void baseline(void **state)
{
	static const struct stages want[COUNT] = {
		{ 1, 2, 11 }, { 2, 4, 7 }, { 3, 12, 15 }, { 4, 5, 8 },
	};

	(void)state;
	run_four(timeline_config("stall"), want);
}

static void warp_disable_until_commit(void **state)
{
	static const struct stages want[COUNT] = {
		{ 1, 2, 11 }, { 12, 13, 16 }, { 13, 14, 17 }, { 14, 15, 18 },
	};

	(void)state;
	run_four(timeline_config("wd-commit"), want);
}

/* No figure: figure 6.4, with a check that ends in the first cycle of Execute. */
static void warp_disable_until_last_check(void **state)
{
	static const struct stages want[COUNT] = {
		{ 1, 2, 11 }, { 6, 7, 10 }, { 7, 12, 15 }, { 8, 9, 12 },
	};
	struct vgpu_config config = timeline_config("wd-lastcheck");

	(void)state;
	set_field(&config, "l1_tlb_cycles", "1");
	run_four(config, want);
}

static void replay_queue(void **state)
{
	static const struct stages want[COUNT] = {
		{ 1, 2, 11 }, { 2, 12, 15 }, { 3, 13, 16 }, { 4, 5, 8 },
	};
	/* with the two ways of table 6.1 both that wait are issued together */
	static const struct stages wide[COUNT] = {
		{ 1, 2, 11 }, { 2, 12, 15 }, { 3, 12, 15 }, { 4, 5, 8 },
	};
	struct vgpu_config config = timeline_config("replay-queue");

	(void)state;
	run_four(config, want);
	set_field(&config, "issue_width", "2");
	run_four(config, wide);
}

static void operand_log(void **state)
{
	static const struct stages want[COUNT] = {
		{ 1, 2, 11 }, { 2, 4, 7 }, { 3, 12, 15 }, { 4, 5, 8 },
	};

	(void)state;
	run_four(timeline_config("operand-log"), want);
}

/* Of the in-order variants (figure 6.1) there is no timeline; these are on paper. */
static void in_order(void **state)
{
	/* sub stands behind mul, which waits for the load */
	static const struct stages issue[COUNT] = {
		{ 1, 2, 11 }, { 2, 4, 7 }, { 3, 12, 15 }, { 4, 13, 16 },
	};
	/* add has its result in cycle 7 and waits for the load, with which it commits */
	static const struct stages commit[COUNT] = {
		{ 1, 2, 11 }, { 2, 4, 11 }, { 3, 12, 15 }, { 4, 13, 16 },
	};
	struct vgpu_config config = timeline_config("stall");

	(void)state;
	set_field(&config, "issue_order", "in-order");
	run_four(config, issue);
	set_field(&config, "issue_order", "in-order-commit");
	run_four(config, commit);
}

/* What follows a branch is fetched in the cycle behind its commit. */
static void branch(void **state)
{
	struct vgpu_config config = timeline_config("stall");
	struct rig r = start_pipeline(&config);
	struct stages bra, next;
	struct vass v;
	u32 at;

	(void)state;
	vass_init(&v, 16, 16);
	OP(&v, BAR, 0, 0, 0, 0, 0, 0);
	at = OP(&v, BRA, 0, 0, 0, 0, 0, 0);
	vass_target(&v, at, at + 1, at + 1);
	OPI(&v, ADD, 2, 7, 8);
	OP(&v, EXIT, 0, 0, 0, 0, 0, 0);
	program(&r, &v);
	launch(&r, 1, 32, BASE, 0);
	host_run(r.h);
	bra = stages_of(&r, at);
	next = stages_of(&r, at + 1);
	assert_int_equal(bra.commit - bra.fetch, 4);
	assert_int_equal(next.fetch, bra.commit + 1);
	stop(&r);
}

/*
 * Stalls of a warp alone (SMK 6.4), from the stages that the trace has of its @count instructions:
 * in a cycle without an issue, an instruction that waits has to wait for operands.
 */
static void stalls_of(const struct rig *r, u32 count, u64 from, u64 to, u64 *stalls)
{
	memset(stalls, 0, VGPU_STALLS * sizeof(*stalls));
	for (u64 cycle = from; cycle <= to; cycle++) {
		bool issues = false, waits = false;

		for (u32 pc = 0; pc < count; pc++) {
			struct stages s = stages_of(r, pc);

			issues |= s.issue == cycle;
			waits |= s.fetch < cycle && cycle < s.issue;
		}
		stalls[waits ? VGPU_STALL_DATA : VGPU_STALL_CONTROL] += !issues;
	}
}

static void check_stalls(struct rig *r, u64 issue, u64 control, u64 data)
{
	struct vgpu_device_stats stats;

	vgpu_device_stats(r->h->dev, &stats);
	assert_int_equal(stats.stall_issue, issue);
	assert_int_equal(stats.stall_control, control);
	assert_int_equal(stats.stall_data, data);
}

/*
 * The load and the three behind it, from the fetch of the load on. Baseline: add waits in cycle 3,
 * mul in cycles 6 to 11. With warps disabled until commit: nothing is fetched in cycles 3 to 12.
 */
static void stalls(void **state)
{
	static const struct { const char *scheme; u64 control, data; } want[] = {
		{ "stall", 1, 7 }, { "wd-commit", 11, 0 },
	};
	u64 all[VGPU_STALLS], some[VGPU_STALLS];

	(void)state;
	for (u32 n = 0; n < VGPU_ARRAY_SIZE(want); n++) {
		struct vgpu_config config = timeline_config(want[n].scheme);
		struct rig r = start_pipeline(&config);
		struct vass v;
		u32 first = four(&v);
		u64 from;

		program(&r, &v);
		launch(&r, 1, 32, BASE, 0);
		host_run(r.h);
		from = stages_of(&r, first).fetch;
		stalls_of(&r, first + 4, from, stages_of(&r, first + 2).issue, some);
		assert_int_equal(some[VGPU_STALL_CONTROL], want[n].control);
		assert_int_equal(some[VGPU_STALL_DATA], want[n].data);
		stalls_of(&r, first + 5, stages_of(&r, 0).fetch,
			  stages_of(&r, first + 4).commit, all);
		check_stalls(&r, 0, all[VGPU_STALL_CONTROL], all[VGPU_STALL_DATA]);
		stop(&r);
	}
}

/* The unit takes another division after 24 cycles: in 23 of them the second could be issued. */
static void stalls_of_a_unit(void **state)
{
	struct vgpu_config config = timeline_config("stall");
	struct rig r = start_pipeline(&config);
	struct vgpu_device_stats stats;
	struct stages one, two;
	struct vass v;
	u32 at;

	(void)state;
	vass_init(&v, 16, 16);
	at = OP(&v, FDIV, 0, 2, 4, 5, 0, 0);
	OP(&v, FDIV, 0, 3, 6, 7, 0, 0);
	OP(&v, EXIT, 0, 0, 0, 0, 0, 0);
	program(&r, &v);
	launch(&r, 1, 32, BASE, 0);
	host_run(r.h);
	one = stages_of(&r, at);
	two = stages_of(&r, at + 1);
	assert_int_equal(two.issue - one.issue, 24);
	vgpu_device_stats(r.h->dev, &stats);
	assert_int_equal(stats.stall_issue, 23);
	stop(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(baseline),
		cmocka_unit_test(warp_disable_until_commit),
		cmocka_unit_test(warp_disable_until_last_check),
		cmocka_unit_test(replay_queue),
		cmocka_unit_test(operand_log),
		cmocka_unit_test(in_order),
		cmocka_unit_test(branch),
		cmocka_unit_test(stalls),
		cmocka_unit_test(stalls_of_a_unit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

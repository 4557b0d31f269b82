// SPDX-License-Identifier: MIT
/*
 * All protocols on all litmus tests, in every order in which things may happen (explore.h): what is
 * seen is what an independent machine without caches allows (oracle.h), all of it is seen, and no
 * run gets stuck. What weak protocols may show, and what defective ones do show, is seen as well:
 * else the explorer would say nothing.
 *
 * VGPU_EXPLORE=deep in the environment (`make explore`): more evictions, of L1s too, in all
 * programs. With arguments it is one exploration (command.h).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "command.h"
#include "oracle.h"
#include "programs.h"

static bool is_deep(void)
{
	const char *wanted = getenv("VGPU_EXPLORE");

	return wanted && !strcmp(wanted, "deep");
}

static bool is_weak(const struct vgpu_coh_protocol *protocol)
{
	return !protocol->sequential;
}

/* What @program may show under @protocol */
static void allowed(const struct vgpu_coh_protocol *protocol, const struct ex_program *program,
		    struct ex_outcomes *outcomes)
{
	if (!is_weak(protocol))
		ex_oracle_sc(program, outcomes);
	else if (protocol == &vgpu_coh_rcc_wo)
		ex_oracle_reordered(program, outcomes);
	else
		ex_oracle_views(program, protocol == &vgpu_coh_gpu ? EX_FENCE_ACQUIRES :
								     EX_FENCE_RELEASES, outcomes);
}

static const char *text_of(const struct ex_outcome *outcome)
{
	static char text[64];

	for (u32 n = 0; n < EX_REGS + EX_LINES; n++)
		snprintf(text + n * 3, 4, "%02x ", outcome->value[n]);
	return text;
}

/* Outcomes of @from that @to does not have */
static u32 beyond(const struct ex_outcomes *from, const struct ex_outcomes *to,
		  struct ex_outcome *first)
{
	u32 count = 0;

	for (u32 n = 0; n < from->count; n++) {
		if (ex_outcome_is_in(to, &from->list[n]))
			continue;
		if (!count++)
			*first = from->list[n];
	}
	return count;
}

/* Explore, and check that nothing is seen that must not be. Adds to @seen. */
static void check(const struct ex_program *program, const struct ex_options *options,
		  struct ex_outcomes *seen)
{
	static struct ex_outcomes expected;
	static struct ex_result result;
	struct ex_outcome first;

	result.l1 = NULL;
	result.l2 = NULL;
	ex_explore(program, options, &result);
	allowed(options->protocol, program, &expected);
	if (beyond(&result.outcomes, &expected, &first))
		fail_msg("%s, %s: registers and lines are %s, which must not be",
			 options->protocol->name, program->name, text_of(&first));
	if (result.deadlocks || result.impossible)
		fail_msg("%s, %s: %llu deadlocks, %llu events that the tables do not have",
			 options->protocol->name, program->name,
			 (unsigned long long)result.deadlocks,
			 (unsigned long long)result.impossible);
	for (u32 n = 0; n < result.outcomes.count; n++)
		ex_outcome_add(seen, &result.outcomes.list[n]);
}

/* The settings in which a program is explored: they find different things. */
static void explore(const struct vgpu_coh_protocol *protocol, const struct ex_program *program,
		    struct ex_outcomes *seen)
{
	bool small = program->threads < 3, deep = is_deep();
	struct ex_options options = { .protocol = protocol, .lease = 2 };

	/* nothing is anywhere */
	options.ticks = protocol->clocked ? 3 : 0;
	options.evictions = program->threads < 4;
	options.l1_evicts = small || deep;
	options.partitions = 2;
	check(program, &options, seen);
	/* all L1s have all lines */
	options.warm = ex_program_warm(program);
	options.partitions = 1;
	options.l1_evicts = false;
	options.ticks = 1;
	options.evictions = small || deep ? 2 : program->threads < 4;
	check(program, &options, seen);
	/* messages overtake each other */
	options.evictions = small || deep;
	options.unordered = true;
	if (protocol->unordered && (program->threads < 4 || deep))
		check(program, &options, seen);
	/* pages move */
	options.unordered = false;
	options.purges = 1;
	if (small || deep)
		check(program, &options, seen);
}

static void run_all(const struct vgpu_coh_protocol *protocol)
{
	static struct ex_outcomes seen, expected;
	struct ex_outcome first;

	for (u32 n = 0; n < ex_program_count; n++) {
		seen.count = 0;
		explore(protocol, &ex_programs[n], &seen);
		/* and all that sequential consistency has */
		ex_oracle_sc(&ex_programs[n], &expected);
		if (beyond(&expected, &seen, &first))
			fail_msg("%s, %s: %s is never seen", protocol->name, ex_programs[n].name,
				 text_of(&first));
	}
}

static void rcc_is_sequentially_consistent(void **state)
{
	(void)state;
	run_all(&vgpu_coh_rcc);
}

static void tcs_is_sequentially_consistent(void **state)
{
	(void)state;
	run_all(&vgpu_coh_tcs);
}

static void mesi_is_sequentially_consistent(void **state)
{
	(void)state;
	run_all(&vgpu_coh_mesi);
}

static void gpu_vi_is_sequentially_consistent(void **state)
{
	(void)state;
	run_all(&vgpu_coh_gpu_vi);
}

static void sc_ideal_is_sequentially_consistent(void **state)
{
	(void)state;
	run_all(&vgpu_coh_sc_ideal);
}

/* ---- timestamps roll over ---------------------------------------------------- */

/* So soon that it happens with messages in flight, by one partition and by both at once. */
static void rcc_rolls_over(void **state)
{
	static const char *const names[] = { "MP", "SB", "CoRR+own", "MP+one", "SB+one", "MP+at",
					     "AT", "WRC+pair" };
	static struct ex_outcomes seen;

	(void)state;
	for (u32 n = 0; n < sizeof(names) / sizeof(names[0]); n++) {
		const struct ex_program *program = ex_program_find(names[n]);

		seen.count = 0;
		for (u32 k = 0; k < 12; k++) {
			const struct ex_options options = {
				.protocol = &vgpu_coh_rcc, .lease = 2, .evictions = 1,
				.l1_evicts = is_deep() && program->threads < 3,
				.ticks = 1, .partitions = 1 + k % 2,
				.unordered = k / 2 % 2, .limit = 4 + k / 4,
				.warm = k % 3 ? ex_program_warm(program) : 0,
			};

			check(program, &options, &seen);
		}
	}
}

static void rollover_happens(void **state)
{
	const struct ex_options options = { .protocol = &vgpu_coh_rcc, .lease = 2, .limit = 4,
					    .evictions = 1, .l1_evicts = true, .partitions = 2,
					    .warm = 3u << EX_LINES };
	static struct ex_result result;

	(void)state;
	ex_explore(ex_program_find("MP"), &options, &result);
	assert_true(result.rollovers > 0);
	assert_int_equal(result.outcomes.count, 3);
}

/* ---- weak ones ------------------------------------------------------------- */

/* Is there a run that is not sequentially consistent? */
static bool shows_weak(const struct vgpu_coh_protocol *protocol, const struct ex_program *program,
		       bool warm)
{
	const struct ex_options options = {
		.protocol = protocol, .lease = 2, .ticks = 1, .partitions = 1,
		.l1_evicts = warm && program->threads < 4,
		.warm = warm ? ex_program_warm(program) : 0,
	};
	static struct ex_outcomes seen, sc;
	struct ex_outcome first;

	seen.count = 0;
	check(program, &options, &seen);
	ex_oracle_sc(program, &sc);
	return beyond(&seen, &sc, &first);
}

static bool shows_weak_fenced(const struct vgpu_coh_protocol *protocol, const char *name)
{
	struct ex_program fenced = ex_program_fenced(ex_program_find(name));

	return shows_weak(protocol, &fenced, true);
}

static void weak_ones_are_as_weak_as_they_may_be(void **state)
{
	static const struct vgpu_coh_protocol *const weak[] = { &vgpu_coh_gpu, &vgpu_coh_tcw,
								&vgpu_coh_rcc_wo };
	static struct ex_outcomes seen;

	(void)state;
	for (u32 p = 0; p < 3; p++) {
		for (u32 n = 0; n < ex_program_count; n++) {
			struct ex_program fenced = ex_program_fenced(&ex_programs[n]);

			seen.count = 0;
			explore(weak[p], &ex_programs[n], &seen);
			if (fenced.threads < 3 || is_deep())
				explore(weak[p], &fenced, &seen);
			else
				shows_weak(weak[p], &fenced, true);
		}
	}
}

/* Old lines in L1s: of the reader of a message, and of those that buffer stores */
static void gpu_shows_stale_lines(void **state)
{
	(void)state;
	assert_true(shows_weak(&vgpu_coh_gpu, ex_program_find("MP"), true));
	assert_false(shows_weak(&vgpu_coh_gpu, ex_program_find("MP"), false));
	assert_true(shows_weak(&vgpu_coh_gpu, ex_program_find("SB"), true));
	assert_true(shows_weak(&vgpu_coh_gpu, ex_program_find("WRC"), true));
	assert_true(shows_weak(&vgpu_coh_gpu, ex_program_find("IRIW+pairs"), true));
	assert_false(shows_weak_fenced(&vgpu_coh_gpu, "MP"));
	assert_false(shows_weak_fenced(&vgpu_coh_gpu, "SB"));
	assert_false(shows_weak_fenced(&vgpu_coh_gpu, "IRIW+pairs"));
}

/* Others see the new bytes while leases on the old ones run; a fence waits for its own only. */
static void tcw_writes_are_not_atomic(void **state)
{
	(void)state;
	assert_true(shows_weak(&vgpu_coh_tcw, ex_program_find("MP"), true));
	assert_true(shows_weak(&vgpu_coh_tcw, ex_program_find("SB"), true));
	assert_false(shows_weak_fenced(&vgpu_coh_tcw, "MP"));
	assert_false(shows_weak_fenced(&vgpu_coh_tcw, "SB"));
	assert_true(shows_weak_fenced(&vgpu_coh_tcw, "WRC"));
}

/* A read may be before the thread's own write, if no fence is between them. */
static void rcc_wo_reorders(void **state)
{
	(void)state;
	assert_true(shows_weak(&vgpu_coh_rcc_wo, ex_program_find("SB"), true));
	assert_false(shows_weak(&vgpu_coh_rcc_wo, ex_program_find("MP"), true));
	assert_false(shows_weak_fenced(&vgpu_coh_rcc_wo, "SB"));
}

/* ---- defects --------------------------------------------------------------- */

/* Is an outcome seen that must not be? */
static bool is_caught(const char *name, const struct ex_options *options)
{
	const struct ex_program *program = ex_program_find(name);
	static struct ex_result result;
	static struct ex_outcomes sc;
	struct ex_outcome first;

	ex_explore(program, options, &result);
	ex_oracle_sc(program, &sc);
	return beyond(&result.outcomes, &sc, &first);
}

/*
 * The counterexample of eviction: x is in the L1 of the reader and nothing else is anywhere, L2
 * evicts x once, and message passing fails.
 */
static void the_published_rule_fails_with_one_eviction(void **state)
{
	struct ex_options options = { .protocol = &vgpu_coh_rcc, .lease = 2, .evictions = 1,
				      .partitions = 1, .warm = 1u << EX_LINES };

	(void)state;
	assert_false(is_caught("MP", &options));
	options.as_published = true;
	assert_true(is_caught("MP", &options));
	/* and without an eviction it holds */
	options.evictions = 0;
	assert_false(is_caught("MP", &options));
}

static void the_published_rule_fails_in_other_shapes(void **state)
{
	struct ex_options options = { .protocol = &vgpu_coh_rcc, .lease = 2, .evictions = 2,
				      .partitions = 1, .l1_evicts = true, .as_published = true,
				      .warm = ex_program_warm(ex_program_find("SB")) };

	(void)state;
	assert_true(is_caught("SB", &options));
	assert_true(is_caught("MP+at", &options));
	options.as_published = false;
	assert_false(is_caught("SB", &options));
	assert_false(is_caught("MP+at", &options));
}

static bool fault_is_caught(const char *name, enum vgpu_coh_fault fault, bool unordered)
{
	const struct ex_options options = {
		.protocol = &vgpu_coh_rcc, .lease = 2, .partitions = 1, .ticks = 1,
		.l1_evicts = true, .unordered = unordered, .fault = (u8)fault, .evictions = 2,
		.warm = ex_program_warm(ex_program_find(name)),
	};

	return is_caught(name, &options);
}

static void each_fault_is_found(void **state)
{
	(void)state;
	assert_true(fault_is_caught("MP", VGPU_COH_WRITE_IN_LEASE, false));
	assert_true(fault_is_caught("MP", VGPU_COH_EVICT_FORGETS, false));
	assert_true(fault_is_caught("SB", VGPU_COH_EVICT_AT_LEASE, false));
	assert_true(fault_is_caught("MP+one", VGPU_COH_RENEW_DROPPED, true));
	/* in a network with order no answer comes behind a later one */
	assert_false(fault_is_caught("MP+one", VGPU_COH_RENEW_DROPPED, false));
	assert_false(fault_is_caught("MP+one", VGPU_COH_SOUND, true));
}

/* MESI's answers and its owner's writes must not overtake each other. */
static void mesi_needs_order(void **state)
{
	const struct ex_options options = {
		.protocol = &vgpu_coh_mesi, .partitions = 1, .unordered = true, .l1_evicts = true,
	};
	static struct ex_result result;
	struct ex_outcome first;
	static struct ex_outcomes sc;
	bool wrong = false;

	(void)state;
	for (u32 n = 0; n < ex_program_count && !wrong; n++) {
		if (ex_programs[n].threads > 2)
			continue;
		ex_explore(&ex_programs[n], &options, &result);
		ex_oracle_sc(&ex_programs[n], &sc);
		wrong = beyond(&result.outcomes, &sc, &first) || result.impossible ||
			result.deadlocks;
	}
	assert_true(wrong);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rcc_is_sequentially_consistent),
		cmocka_unit_test(tcs_is_sequentially_consistent),
		cmocka_unit_test(mesi_is_sequentially_consistent),
		cmocka_unit_test(gpu_vi_is_sequentially_consistent),
		cmocka_unit_test(sc_ideal_is_sequentially_consistent),
		cmocka_unit_test(rcc_rolls_over),
		cmocka_unit_test(rollover_happens),
		cmocka_unit_test(weak_ones_are_as_weak_as_they_may_be),
		cmocka_unit_test(gpu_shows_stale_lines),
		cmocka_unit_test(tcw_writes_are_not_atomic),
		cmocka_unit_test(rcc_wo_reorders),
		cmocka_unit_test(the_published_rule_fails_with_one_eviction),
		cmocka_unit_test(the_published_rule_fails_in_other_shapes),
		cmocka_unit_test(each_fault_is_found),
		cmocka_unit_test(mesi_needs_order),
	};

	if (argc > 1)
		return ex_command(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: MIT
/*
 * WarpTM, EAPG and WarpTM-EL in every order in which messages may arrive and partitions work
 * (lazy/lazy.h): what committed transactions have loaded and left is what some serial order of them
 * gives (oracle.h), that of commit ids; no run gets stuck, and nothing is left. Temporal conflict
 * detection as published shows what is not serialisable, and each defect that is put in on purpose
 * is found.
 *
 * VGPU_EXPLORE=deep in the environment (`make explore`): more programs, of more warps.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "lazy/lazy.h"
#include "oracle.h"
#include "programs.h"

static bool is_deep(void)
{
	const char *wanted = getenv("VGPU_EXPLORE");

	return wanted && !strcmp(wanted, "deep");
}

static const char *const kinds[] = { "WarpTM", "EAPG", "WarpTM-EL" };

#define KINDS	(LAZY_EL + 1u)

static struct lazy_options roomy(enum lazy_kind kind)
{
	return (struct lazy_options){ .setup = lazy_setup(), .kind = kind, .commits = 12 };
}

/* As small as may be: two commit ids, one log, a line of each table, one time for all */
static struct lazy_options narrow(enum lazy_kind kind)
{
	struct lazy_options options = roomy(kind);

	options.setup.entries = 2;
	options.setup.words = 4;
	options.setup.lwhr_ways = 1;
	options.setup.tcd_ways = 1;
	options.setup.tcd_rows = 1;
	options.setup.count_ways = 1;
	options.setup.conflict_ways = 1;
	return options;
}

/* Outcomes that no serial order has */
static u32 beyond_serial(const struct tx_program *program, const struct lazy_result *result)
{
	static struct tx_outcomes serial;
	struct tx_outcome first;

	tx_oracle(program, &serial);
	return tx_outcomes_beyond(&result->outcomes, &serial, &first);
}

static bool is_safe(const struct lazy_result *result)
{
	return !result->deadlocks && !result->left && !result->cut;
}

static void check(const struct tx_program *program, const struct lazy_options *options,
		  struct lazy_result *result)
{
	static struct tx_outcomes serial;
	struct tx_outcome first;
	u32 beyond;

	lazy_explore(program, options, result);
	beyond = beyond_serial(program, result);
	if (beyond || result->disordered || !is_safe(result))
		fail_msg("%s, %s: %u outcomes are not serialisable, %llu ends out of order, %llu "
			 "deadlocks, %llu ends with something left, %llu cut", program->name,
			 kinds[options->kind], beyond, (unsigned long long)result->disordered,
			 (unsigned long long)result->deadlocks, (unsigned long long)result->left,
			 (unsigned long long)result->cut);
	tx_oracle(program, &serial);
	if (tx_outcomes_beyond(&serial, &result->outcomes, &first))
		fail_msg("%s, %s: %u of %u serial outcomes are seen", program->name,
			 kinds[options->kind], result->outcomes.count, serial.count);
}

/* ---- what is seen ------------------------------------------------------------------- */

/* Three warps are many states, but for WarpTM-EL. */
static bool is_small(const struct tx_program *program, enum lazy_kind kind)
{
	return program->warps < 3 || kind == LAZY_EL;
}

static void all_show_what_serial_orders_do(void **state)
{
	static struct lazy_result result;
	u64 hazards = 0, failed = 0;

	(void)state;
	for (u32 n = 0; n < tx_program_count; n++) {
		for (u32 kind = 0; kind < KINDS; kind++) {
			struct lazy_options options = roomy(kind);

			if (!is_small(&tx_programs[n], kind))
				continue;
			check(&tx_programs[n], &options, &result);
			hazards += result.hazards;
			failed += result.failed;
			options.delays = true;
			check(&tx_programs[n], &options, &result);
		}
	}
	assert_true(hazards > 0);
	assert_true(failed > 0);
}

static void they_do_so_in_the_smallest_tables(void **state)
{
	static struct lazy_result result;

	(void)state;
	for (u32 n = 0; n < tx_program_count; n++) {
		for (u32 kind = 0; kind < KINDS; kind++) {
			const struct lazy_options options = narrow(kind);

			if (is_small(&tx_programs[n], kind))
				check(&tx_programs[n], &options, &result);
		}
	}
}

static void they_do_so_in_two_partitions(void **state)
{
	static const char *const names[] = {
		"write-skew", "increments", "read-both-write-one", "reader",
	};
	static struct lazy_result result;

	(void)state;
	for (u32 n = 0; n < sizeof(names) / sizeof(names[0]); n++) {
		for (u32 kind = 0; kind < KINDS; kind++) {
			struct lazy_options options = roomy(kind);

			options.setup.partitions = 2;
			check(tx_program_find(names[n]), &options, &result);
		}
	}
}

/* Three warps: one commit id at a time, and in a deep run more of them */
static void they_do_so_with_three_warps(void **state)
{
	static const char *const names[] = { "3-cycle", "mixture" };
	struct lazy_options options = roomy(LAZY_WARPTM);
	static struct lazy_result result;

	(void)state;
	for (u32 n = 0; n < sizeof(names) / sizeof(names[0]); n++) {
		options.setup.entries = 1;
		check(tx_program_find(names[n]), &options, &result);
		options.setup.entries = 4;
		if (is_deep())
			check(tx_program_find(names[n]), &options, &result);
	}
	options = roomy(LAZY_EAPG);
	if (is_deep())
		check(tx_program_find("3-cycle"), &options, &result);
}

static void random_programs(void **state)
{
	u32 count = is_deep() ? 250 : 24;
	static struct lazy_result result;

	(void)state;
	for (u32 n = 0; n < count; n++) {
		struct tx_program program = tx_program_random(n);

		for (u32 kind = 0; kind < KINDS; kind++) {
			struct lazy_options options = roomy(kind);

			program.warps = kind == LAZY_EL ? 3 : 2;
			check(&program, &options, &result);
			options.setup.partitions = 2;
			if (is_deep() && kind == LAZY_WARPTM)
				check(&program, &options, &result);
		}
	}
}

/* ---- opacity ------------------------------------------------------------------------- */

/* Has a transaction of this program seen together what never was there together? */
static bool is_inconsistent(const char *name, enum lazy_kind kind)
{
	const struct lazy_options options = roomy(kind);
	static struct lazy_result result;

	lazy_explore(tx_program_find(name), &options, &result);
	return result.inconsistent > 0;
}

/* WarpTM-EL alone does not let one run that has. */
static void lazy_validation_is_not_opaque(void **state)
{
	(void)state;
	assert_true(is_inconsistent("reader", LAZY_WARPTM));
	assert_true(is_inconsistent("reader", LAZY_EAPG));
	assert_true(is_inconsistent("transfers", LAZY_WARPTM));
	for (u32 n = 0; n < tx_program_count; n++)
		assert_false(is_inconsistent(tx_programs[n].name, LAZY_EL));
}

/* ---- temporal conflict detection ---------------------------------------------------------- */

static void readers_commit_silently(void **state)
{
	struct lazy_options options = roomy(LAZY_WARPTM);
	static struct lazy_result result;

	(void)state;
	options.ticks = true;
	check(tx_program_find("reader"), &options, &result);
	assert_true(result.silent > 0);
	options.setup.tcd = VGPU_TCD_OFF;
	check(tx_program_find("reader"), &options, &result);
	assert_true(result.silent == 0);
}

/*
 * T2 stores A and B. T1 starts between these writes: it loads the new A, then the old B; neither is
 * stored to in between. With two partitions it may be B first.
 */
static void as_published_they_see_half_a_commit(void **state)
{
	struct lazy_options options = roomy(LAZY_WARPTM);
	struct tx_outcome half = tx_outcome_begin();
	static struct lazy_result result;

	(void)state;
	options.setup.tcd = VGPU_TCD_AS_PUBLISHED;
	half.memory[0] = 1;
	half.memory[1] = 1;
	half.regs[0] = 1;
	half.regs[1] = 0;
	lazy_explore(tx_program_find("reader"), &options, &result);
	assert_true(is_safe(&result));
	assert_int_equal(beyond_serial(tx_program_find("reader"), &result), 1);
	assert_true(tx_outcome_is_in(&result.outcomes, &half));
	options.setup.partitions = 2;
	half.regs[0] = 0;
	half.regs[1] = 1;
	lazy_explore(tx_program_find("reader"), &options, &result);
	assert_int_equal(beyond_serial(tx_program_find("reader"), &result), 2);
	assert_true(tx_outcome_is_in(&result.outcomes, &half));
}

/* ---- EAPG, WarpTM-EL ------------------------------------------------------------------------ */

static void transactions_abort_early(void **state)
{
	const struct lazy_options eapg = roomy(LAZY_EAPG), el = roomy(LAZY_EL);
	const struct lazy_options warptm = roomy(LAZY_WARPTM);
	static struct lazy_result result;

	(void)state;
	check(tx_program_find("transfers"), &eapg, &result);
	assert_true(result.aborted > 0);
	assert_true(result.paused > 0);
	check(tx_program_find("transfers"), &el, &result);
	assert_true(result.aborted > 0);
	assert_true(result.failed == 0);
	check(tx_program_find("transfers"), &warptm, &result);
	assert_true(result.aborted == 0);
	assert_true(result.paused == 0);
}

/* ---- defects ------------------------------------------------------------------------- */

/* Is what is wrong with it seen? */
static bool fault_shows(const char *name, struct lazy_options options, u32 fault)
{
	const struct tx_program *program = tx_program_find(name);
	static struct lazy_result result;

	options.setup.fault = (u8)fault;
	lazy_explore(program, &options, &result);
	return beyond_serial(program, &result) || result.disordered || !is_safe(&result);
}

static void each_fault_is_found(void **state)
{
	static const struct {
		const char *name;
		enum lazy_kind kind;
		enum vgpu_wtm_fault fault;
	} faults[] = {
		{ "increments", LAZY_WARPTM, VGPU_WTM_NO_VALIDATION },
		{ "increments", LAZY_EL, VGPU_WTM_NO_VALIDATION },
		{ "write-skew", LAZY_WARPTM, VGPU_WTM_NO_HAZARDS },
		{ "reader", LAZY_WARPTM, VGPU_WTM_TCD_LATE },
		{ "transfers", LAZY_EAPG, VGPU_WTM_PAUSE_STAYS },
		{ "blind-writers", LAZY_WARPTM, VGPU_WTM_ANY_ORDER },
	};

	(void)state;
	for (u32 n = 0; n < sizeof(faults) / sizeof(faults[0]); n++) {
		const struct lazy_options options = roomy(faults[n].kind);

		if (!fault_shows(faults[n].name, options, faults[n].fault))
			fail_msg("%s does not show fault %d", faults[n].name, faults[n].fault);
		assert_false(fault_shows(faults[n].name, options, VGPU_WTM_SOUND));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_show_what_serial_orders_do),
		cmocka_unit_test(they_do_so_in_the_smallest_tables),
		cmocka_unit_test(they_do_so_in_two_partitions),
		cmocka_unit_test(they_do_so_with_three_warps),
		cmocka_unit_test(random_programs),
		cmocka_unit_test(lazy_validation_is_not_opaque),
		cmocka_unit_test(readers_commit_silently),
		cmocka_unit_test(as_published_they_see_half_a_commit),
		cmocka_unit_test(transactions_abort_early),
		cmocka_unit_test(each_fault_is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: MIT
/*
 * GETM in every order in which messages may arrive and units work (explore.h): what committed
 * transactions have loaded and left is what some serial order of them gives (oracle.h), that of
 * (warpts, wid); no run gets stuck, and nothing stays locked. The published rule shows what is not
 * serialisable, and each defect that is put in on purpose is found: else the explorer would say
 * nothing.
 *
 * VGPU_EXPLORE=deep in the environment (`make explore`): later times, more rollovers, more random
 * programs. With arguments it is one exploration (command.h).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
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

static const char *const rules[] = { "unique", "strict", "as published" };

/* Room for all: nothing leaves the precise table, and nobody finds the stall buffer full. */
static struct tx_options roomy(enum vgpu_tm_rule rule)
{
	struct tx_options options = { .setup = tx_small(rule), .times = is_deep() ? 8 : 4 };

	options.setup.precise_ways = 4;
	options.setup.stall_lines = 2;
	options.setup.stall_entries = 2;
	options.setup.commit_regions = 2;
	return options;
}

static struct tx_options narrow(enum vgpu_tm_rule rule)
{
	return (struct tx_options){ .setup = tx_small(rule), .times = is_deep() ? 6 : 4 };
}

/* Outcomes that no serial order has */
static u32 beyond_serial(const struct tx_program *program, const struct tx_result *result)
{
	static struct tx_outcomes serial;
	struct tx_outcome first;

	tx_oracle(program, &serial);
	return tx_outcomes_beyond(&result->outcomes, &serial, &first);
}

/* Nothing is wrong but perhaps what is seen. */
static bool is_safe(const struct tx_result *result)
{
	return !result->deadlocks && !result->lost && !result->locked;
}

static void check(const struct tx_program *program, const struct tx_options *options,
		  struct tx_result *result)
{
	u32 beyond;

	tx_explore(program, options, result);
	beyond = beyond_serial(program, result);
	if (beyond || result->disordered || !is_safe(result))
		fail_msg("%s, %s: %u outcomes are not serialisable, %llu ends out of order, %llu "
			 "deadlocks, %llu logs lost, %llu ends with locks", program->name,
			 rules[options->setup.rule], beyond,
			 (unsigned long long)result->disordered,
			 (unsigned long long)result->deadlocks,
			 (unsigned long long)result->lost, (unsigned long long)result->locked);
}

/* And all that serial orders give is seen. */
static void check_all(const struct tx_program *program, const struct tx_options *options,
		      struct tx_result *result)
{
	static struct tx_outcomes serial;
	struct tx_outcome first;

	check(program, options, result);
	tx_oracle(program, &serial);
	if (tx_outcomes_beyond(&serial, &result->outcomes, &first))
		fail_msg("%s, %s: %u of %u serial outcomes are seen", program->name,
			 rules[options->setup.rule], result->outcomes.count, serial.count);
}

/* ---- outcomes, counted -------------------------------------------------------------- */

/** struct counts - of a program: outcomes, of serial orders, not serialisable as published */
struct counts {
	const char *name;
	u32 outcomes;
	u32 serial;
	u32 wrong;
};

/* From a model of the rules in another language, without messages, tables and commit units */
static const struct counts expected[] = {
	{ "write-skew", 3, 2, 1 },
	{ "transfers", 2, 2, 0 },
	{ "3-cycle", 7, 6, 1 },
	{ "increments", 2, 2, 0 },
	{ "read-both-write-one", 3, 2, 1 },
	{ "reader", 2, 2, 0 },
	{ "mixture", 8, 6, 2 },
};

static void the_published_rule_is_not_serialisable(void **state)
{
	const struct tx_options options = roomy(VGPU_TM_AS_PUBLISHED);
	static struct tx_result result;

	(void)state;
	for (u32 n = 0; n < sizeof(expected) / sizeof(expected[0]); n++) {
		const struct tx_program *program = tx_program_find(expected[n].name);

		tx_explore(program, &options, &result);
		assert_true(is_safe(&result));
		assert_int_equal(result.outcomes.count, expected[n].outcomes);
		assert_int_equal(beyond_serial(program, &result), expected[n].wrong);
	}
}

static void corrected_rules_show_what_serial_orders_do(void **state)
{
	static struct tx_result result;

	(void)state;
	for (u32 n = 0; n < sizeof(expected) / sizeof(expected[0]); n++) {
		for (u32 rule = 0; rule < VGPU_TM_AS_PUBLISHED; rule++) {
			const struct tx_options options = roomy(rule);

			check_all(tx_program_find(expected[n].name), &options, &result);
			assert_int_equal(result.outcomes.count, expected[n].serial);
		}
	}
}

/* T1 has loaded A = 0, T2 B = 0, and both have committed: the other one's write is there. */
static void the_published_rule_shows_write_skew(void **state)
{
	const struct tx_options options = roomy(VGPU_TM_AS_PUBLISHED);
	struct tx_outcome skew = tx_outcome_begin();
	static struct tx_result result;

	(void)state;
	skew.memory[0] = 2;
	skew.memory[1] = 1;
	skew.regs[0] = 0;
	skew.regs[1] = 0;
	tx_explore(tx_program_find("write-skew"), &options, &result);
	assert_true(tx_outcome_is_in(&result.outcomes, &skew));
}

/* ---- corrected rules, in all programs ------------------------------------------------- */

static void corrected_rules_are_serialisable(void **state)
{
	static struct tx_result result;
	u64 queued = 0;

	(void)state;
	for (u32 n = 0; n < tx_program_count; n++) {
		for (u32 rule = 0; rule < VGPU_TM_AS_PUBLISHED; rule++) {
			struct tx_options options = roomy(rule);

			check_all(&tx_programs[n], &options, &result);
			queued += result.queued;
			options.setup.partitions = 2;
			check(&tx_programs[n], &options, &result);
		}
	}
	assert_true(queued > 0);
}

/* One entry of each table: all of it is full, evicts, and overflows. */
static void they_are_so_in_the_smallest_tables(void **state)
{
	static struct tx_result result;
	u64 full = 0, no_room = 0;
	u32 overflowed = 0;

	(void)state;
	for (u32 n = 0; n < tx_program_count; n++) {
		for (u32 rule = 0; rule < VGPU_TM_AS_PUBLISHED; rule++) {
			struct tx_options options = narrow(rule);

			if (tx_programs[n].warps > 2 && !is_deep())
				options.times = 2;
			check(&tx_programs[n], &options, &result);
			full += result.causes[VGPU_TM_STALL_FULL];
			overflowed += result.overflowed;
			options.setup.overflow = 0;
			check(&tx_programs[n], &options, &result);
			no_room += result.causes[VGPU_TM_NO_ROOM];
		}
	}
	assert_true(full > 0);
	assert_true(no_room > 0);
	assert_true(overflowed > 0);
}

/* So soon that it happens with everything in flight, by one partition and by both at once. */
static void timestamps_roll_over(void **state)
{
	static struct tx_result result;
	u64 rollovers = 0;

	(void)state;
	for (u32 n = 0; n < tx_program_count; n++) {
		for (u32 k = 0; k < 4; k++) {
			struct tx_options options = roomy(k & 1 ? VGPU_TM_STRICT : VGPU_TM_UNIQUE);

			if (tx_programs[n].warps > 2 && !is_deep())
				continue;
			options.times = 0;
			options.delays = true;
			options.rollovers = tx_programs[n].warps > 2 ? 1 : 2;
			options.setup.limit = 2;
			options.setup.partitions = 1 + k / 2;
			check(&tx_programs[n], &options, &result);
			rollovers += result.rollovers;
		}
	}
	assert_true(rollovers > 0);
}

/* Programs at random: none is wrong under a corrected rule, some are as published. */
static void random_programs(void **state)
{
	u32 count = is_deep() ? 250 : 24, wrong = 0;
	static struct tx_result result;

	(void)state;
	for (u32 n = 0; n < count; n++) {
		struct tx_program program = tx_program_random(n);

		for (u32 rule = 0; rule < VGPU_TM_RULES; rule++) {
			struct tx_options options = roomy(rule);

			options.times = 3;
			if (rule != VGPU_TM_AS_PUBLISHED) {
				check(&program, &options, &result);
				continue;
			}
			tx_explore(&program, &options, &result);
			assert_true(is_safe(&result));
			wrong += beyond_serial(&program, &result) > 0;
		}
	}
	assert_true(wrong > 0);
}

/* ---- defects ------------------------------------------------------------------------- */

/* Is what is wrong with it seen? */
static bool fault_shows(const char *name, struct tx_options options, enum vgpu_tm_fault fault)
{
	const struct tx_program *program = tx_program_find(name);
	static struct tx_result result;

	options.setup.fault = (u8)fault;
	tx_explore(program, &options, &result);
	return beyond_serial(program, &result) || !is_safe(&result);
}

static struct tx_options rolling(void)
{
	struct tx_options options = roomy(VGPU_TM_UNIQUE);

	options.times = 0;
	options.delays = true;
	options.rollovers = 1;
	options.setup.limit = 2;
	options.setup.partitions = 2;
	return options;
}

static void each_fault_is_found(void **state)
{
	static const struct {
		const char *name;
		enum vgpu_tm_fault fault;
	} roomy_ones[] = {
		{ "reader", VGPU_TM_STORE_KEEPS_WTS },
		{ "write-skew", VGPU_TM_LOAD_KEEPS_RTS },
		{ "transfers", VGPU_TM_LOCK_FIRST },
		{ "one-after-the-other", VGPU_TM_OWNER_IS_WARP },
		{ "transfers", VGPU_TM_ABORT_KEEPS_LOCK },
		{ "transfers", VGPU_TM_RETRY_UNLOCKED },
	}, narrow_ones[] = {
		{ "write-skew", VGPU_TM_EVICT_FORGETS },
		{ "three-locations", VGPU_TM_CHAIN_LOSES },
	};

	(void)state;
	for (u32 n = 0; n < sizeof(roomy_ones) / sizeof(roomy_ones[0]); n++) {
		const struct tx_options options = roomy(VGPU_TM_UNIQUE);

		if (!fault_shows(roomy_ones[n].name, options, roomy_ones[n].fault))
			fail_msg("%s does not show fault %d", roomy_ones[n].name,
				 roomy_ones[n].fault);
		assert_false(fault_shows(roomy_ones[n].name, options, VGPU_TM_SOUND));
	}
	for (u32 n = 0; n < sizeof(narrow_ones) / sizeof(narrow_ones[0]); n++) {
		const struct tx_options options = narrow(VGPU_TM_UNIQUE);

		if (!fault_shows(narrow_ones[n].name, options, narrow_ones[n].fault))
			fail_msg("%s does not show fault %d", narrow_ones[n].name,
				 narrow_ones[n].fault);
		assert_false(fault_shows(narrow_ones[n].name, options, VGPU_TM_SOUND));
	}
	assert_true(fault_shows("increments", rolling(), VGPU_TM_ROLL_EARLY));
	assert_false(fault_shows("increments", rolling(), VGPU_TM_SOUND));
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_published_rule_is_not_serialisable),
		cmocka_unit_test(the_published_rule_shows_write_skew),
		cmocka_unit_test(corrected_rules_show_what_serial_orders_do),
		cmocka_unit_test(corrected_rules_are_serialisable),
		cmocka_unit_test(they_are_so_in_the_smallest_tables),
		cmocka_unit_test(timestamps_roll_over),
		cmocka_unit_test(random_programs),
		cmocka_unit_test(each_fault_is_found),
	};

	if (argc > 1)
		return tx_command(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

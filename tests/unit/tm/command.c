// SPDX-License-Identifier: MIT
/*
 * One exploration from the command line; see command.h. PROGRAM is the name of one of ours
 * (programs.h).
 */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "../device/choices.h"
#include "command.h"
#include "lazy/command.h"
#include "oracle.h"
#include "programs.h"
#include "run.h"

static struct choice choices[] = {
	{ "as_published", 0 }, { "strict", 0 }, { "fault", 0 }, { "times", 8 }, { "limit", 0 },
	{ "rollovers", 1 }, { "delays", 0 }, { "partitions", 1 }, { "ways", 4 }, { "rows", 1 },
	{ "stash", 1 }, { "overflow", 2 }, { "probes", 2 }, { "evict_percent", 0 },
	{ "approximate_ways", 1 }, { "approximate_rows", 1 }, { "stall_lines", 2 },
	{ "stall_entries", 2 }, { "commit_regions", 2 },
	{ NULL, 0 },
};

static u32 chosen(const char *name)
{
	return choice_value(choices, name);
}

static enum vgpu_tm_rule rule_of_choices(void)
{
	if (chosen("as_published"))
		return VGPU_TM_AS_PUBLISHED;
	return chosen("strict") ? VGPU_TM_STRICT : VGPU_TM_UNIQUE;
}

static struct tx_options options_of_choices(void)
{
	return (struct tx_options){
		.setup = {
			.seed = 1, .limit = chosen("limit") ? chosen("limit") : 1u << 20,
			.cores = 1, .partitions = chosen("partitions"),
			.precise_ways = chosen("ways"), .precise_rows = chosen("rows"),
			.stash = chosen("stash"), .overflow = chosen("overflow"),
			.probes = chosen("probes"), .evict_percent = chosen("evict_percent"),
			.approximate_ways = chosen("approximate_ways"),
			.approximate_rows = chosen("approximate_rows"),
			.stall_lines = chosen("stall_lines"),
			.stall_entries = chosen("stall_entries"),
			.commit_regions = chosen("commit_regions"),
			.rule = (u8)rule_of_choices(), .fault = (u8)chosen("fault"),
		},
		.times = chosen("times"), .rollovers = chosen("rollovers"),
		.delays = chosen("delays"),
	};
}

#define TIMES	200u	/* they are kept in a byte */

/* Does the explorer have room for it, and does it end? */
static bool is_right(const struct vgpu_tm_setup *setup)
{
	const char *wrong = vgpu_tm_check(setup);
	struct vgpu_tm tm;

	if (!wrong && !chosen("times") && !chosen("limit"))
		wrong = "times or limit: 1 to 200, else there is no end";
	if (!wrong && (chosen("times") > TIMES || chosen("limit") > TIMES ||
		       chosen("rollovers") > TIMES))
		wrong = "times, limit and rollovers: 200 at most";
	if (!wrong && setup->partitions > TX_PARTITIONS)
		wrong = "partitions: 1 or 2";
	if (!wrong && setup->commit_regions > TX_REGIONS)
		wrong = "commit_regions: 1 to 4";
	if (!wrong) {
		vgpu_tm_init(&tm, setup);
		if (tm.bytes > TX_UNIT * sizeof(u64))
			wrong = "tables: a unit has more than 512 bytes";
	}
	if (wrong)
		fprintf(stderr, "%s\n", wrong);
	return !wrong;
}

void tx_print_outcomes(const struct tx_outcomes *outcomes, const struct tx_outcomes *serial)
{
	for (u32 n = 0; n < outcomes->count; n++) {
		const struct tx_outcome *outcome = &outcomes->list[n];

		for (u32 reg = 0; reg < TX_REGS; reg++)
			if (outcome->regs[reg] != TX_NO_VALUE)
				printf("r%u=%u ", reg, outcome->regs[reg]);
		for (u32 location = 0; location < TX_LOCATIONS; location++)
			printf("%c=%u ", 'A' + location, outcome->memory[location]);
		puts(tx_outcome_is_in(serial, outcome) ? "" : "  not serialisable");
	}
}

static void print_result(const struct tx_program *program, const struct tx_result *result)
{
	static struct tx_outcomes serial;
	struct tx_outcome first;

	tx_oracle(program, &serial);
	tx_print_outcomes(&result->outcomes, &serial);
	printf("%u outcomes, %u of serial orders, %u not serialisable; %llu ends out of order\n",
	       result->outcomes.count, serial.count,
	       tx_outcomes_beyond(&result->outcomes, &serial, &first),
	       (unsigned long long)result->disordered);
	printf("%llu states, %llu cut, %llu deadlocks, %llu logs lost, %llu ends with locks, "
	       "%llu rollovers\n", (unsigned long long)result->states,
	       (unsigned long long)result->cut, (unsigned long long)result->deadlocks,
	       (unsigned long long)result->lost, (unsigned long long)result->locked,
	       (unsigned long long)result->rollovers);
}

/* The protocol that is wanted */
static const char *protocol(int argc, char **argv)
{
	const char *name = "getm";

	for (int n = 2; n < argc; n++)
		if (!strncmp(argv[n], "tm=", 3))
			name = argv[n] + 3;
	return name;
}

int tx_command(int argc, char **argv)
{
	const struct tx_program *program = tx_program_find(argv[1]);
	static struct tx_result result;
	struct tx_options options;

	if (!program) {
		fprintf(stderr, "usage: %s PROGRAM [OPTION=NUMBER ...]; PROGRAM is one of",
			argv[0]);
		for (u32 n = 0; n < tx_program_count; n++)
			fprintf(stderr, " %s", tx_programs[n].name);
		fputc('\n', stderr);
		return 2;
	}
	if (strcmp(protocol(argc, argv), "getm"))
		return lazy_command(program, protocol(argc, argv), argc, argv);
	for (int n = 2; n < argc; n++)
		if (strcmp(argv[n], "tm=getm") && !choice_set(choices, argv[n]))
			return 2;
	options = options_of_choices();
	if (!is_right(&options.setup))
		return 2;
	tx_explore(program, &options, &result);
	print_result(program, &result);
	return 0;
}

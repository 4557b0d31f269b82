// SPDX-License-Identifier: MIT
/*
 * One exploration from the command line; see command.h. PROGRAM is a file with a litmus test in
 * herd's format (litmus.h), or the name of one of ours (programs.h).
 */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "../device/choices.h"
#include "command.h"
#include "litmus.h"
#include "oracle.h"
#include "programs.h"

static struct choice choices[] = {
	{ "lease", 2 }, { "limit", 0 }, { "partitions", 1 }, { "evictions", 1 }, { "l1_evicts", 1 },
	{ "ticks", 0 }, { "purges", 0 }, { "warm", 0 }, { "unordered", 0 }, { "as_published", 0 },
	{ "fault", 0 }, { "fences", 0 },
	{ NULL, 0 },
};

static u32 chosen(const char *name)
{
	return choice_value(choices, name);
}

static bool find_program(const char *name, struct lit_test *test)
{
	for (u32 n = 0; n < ex_program_count; n++) {
		if (strcmp(ex_programs[n].name, name))
			continue;
		test->program = ex_programs[n];
		return true;
	}
	fprintf(stderr, "%s: no such program; a file, or one of", name);
	for (u32 n = 0; n < ex_program_count; n++)
		fprintf(stderr, " '%s'", ex_programs[n].name);
	fputc('\n', stderr);
	return false;
}

/* A litmus test of herd's, or one of ours by its name */
static bool find_test(const char *name, struct lit_test *test)
{
	static char text[1 << 16];
	FILE *file = fopen(name, "r");
	char error[160];
	size_t length;

	if (!file)
		return find_program(name, test);
	length = fread(text, 1, sizeof(text) - 1, file);
	fclose(file);
	text[length] = 0;
	if (!lit_read(text, test, error, sizeof(error))) {
		fprintf(stderr, "%s, %s\n", name, error);
		return false;
	}
	if (test->beyond)
		fprintf(stderr, "%s is beyond the explorer: %s\n", name, test->beyond);
	return !test->beyond;
}

static void print_outcome(const struct lit_test *test, const struct ex_outcome *outcome)
{
	for (u32 reg = 0; reg < EX_REGS; reg++) {
		if (outcome->value[reg] == EX_NO_VALUE)
			continue;
		if (test->terms)
			printf("%u:%s=%u ", test->reg_thread[reg], test->reg[reg],
			       outcome->value[reg]);
		else
			printf("r%u=%u ", reg, outcome->value[reg]);
	}
	for (u32 line = 0; test->program.final && line < EX_LINES; line++)
		printf("%s=%u ", test->lines > line ? test->line[line] : line ? "y" : "x",
		       outcome->value[EX_REGS + line]);
}

/* As herd ends: does the condition hold, in how many of the outcomes is it true? */
static void print_condition(const struct lit_test *test, const struct ex_outcomes *outcomes)
{
	bool holds;
	u32 count = lit_count(test, outcomes, &holds);

	puts(holds ? "Ok" : "No");
	printf("Observation %s %s %u %u\n", test->name,
	       !count ? "Never" : count == outcomes->count ? "Always" : "Sometimes", count,
	       outcomes->count - count);
}

static void print_outcomes(const struct lit_test *test, const struct ex_result *result)
{
	static struct ex_outcomes sc;

	ex_oracle_sc(&test->program, &sc);
	for (u32 n = 0; n < result->outcomes.count; n++) {
		const struct ex_outcome *outcome = &result->outcomes.list[n];

		print_outcome(test, outcome);
		puts(ex_outcome_is_in(&sc, outcome) ? "" : "  not sequentially consistent");
	}
	if (test->terms)
		print_condition(test, &result->outcomes);
	printf("%u outcomes, %u of sequential consistency; %llu states, %llu deadlocks, %llu "
	       "rollovers\n", result->outcomes.count, sc.count,
	       (unsigned long long)result->states, (unsigned long long)result->deadlocks,
	       (unsigned long long)result->rollovers);
}

/* For a fence between any two accesses, and the end */
static bool has_room(const struct ex_program *program)
{
	for (u32 n = 0; n < program->threads; n++)
		if (program->ops[n][EX_OPS / 2].what != EX_END)
			return false;
	return true;
}

int ex_command(int argc, char **argv)
{
	const struct vgpu_coh_protocol *protocol = vgpu_coh_find(argv[1]);
	static struct ex_result result;
	static struct lit_test test;
	struct ex_options options;

	if (!protocol || argc < 3) {
		fprintf(stderr, "usage: %s PROTOCOL PROGRAM [OPTION=NUMBER ...]; PROTOCOL is gpu "
			"gpu-vi mesi rcc rcc-wo sc-ideal tcs or tcw\n", argv[0]);
		return 2;
	}
	if (!find_test(argv[2], &test))
		return 2;
	for (int n = 3; n < argc; n++)
		if (!choice_set(choices, argv[n]))
			return 2;
	if (chosen("partitions") < 1 || chosen("partitions") > EX_LINES) {
		fprintf(stderr, "partitions: 1 or %u\n", EX_LINES);
		return 2;
	}
	if (chosen("fences") && !has_room(&test.program)) {
		fprintf(stderr, "fences: a thread has more than %u instructions\n", EX_OPS / 2);
		return 2;
	}
	if (chosen("fences"))
		test.program = ex_program_fenced(&test.program);
	options = (struct ex_options){
		.protocol = protocol, .lease = chosen("lease"), .limit = chosen("limit"),
		.partitions = chosen("partitions"), .evictions = chosen("evictions"),
		.l1_evicts = chosen("l1_evicts"), .ticks = chosen("ticks"),
		.purges = chosen("purges"), .warm = chosen("warm") & ex_program_warm(&test.program),
		.unordered = chosen("unordered"), .as_published = chosen("as_published"),
		.fault = (u8)chosen("fault"),
	};
	ex_explore(&test.program, &options, &result);
	print_outcomes(&test, &result);
	return 0;
}

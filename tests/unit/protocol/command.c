// SPDX-License-Identifier: MIT
/*
 * One exploration from the command line; see command.h.
 */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "oracle.h"
#include "programs.h"

struct choice {
	const char *name;
	u32 value;
};

static struct choice choices[] = {
	{ "lease", 2 }, { "limit", 0 }, { "partitions", 1 }, { "evictions", 1 }, { "l1_evicts", 1 },
	{ "ticks", 0 }, { "purges", 0 }, { "warm", 0 }, { "unordered", 0 }, { "as_published", 0 },
	{ "fault", 0 }, { "fences", 0 },
};

#define CHOICES	(sizeof(choices) / sizeof(choices[0]))

static u32 chosen(const char *name)
{
	for (u32 n = 0; n < CHOICES; n++)
		if (!strcmp(choices[n].name, name))
			return choices[n].value;
	abort();
}

static bool choose(const char *text)
{
	for (u32 n = 0; n < CHOICES; n++) {
		size_t length = strlen(choices[n].name);
		char *end;

		if (strncmp(text, choices[n].name, length) || text[length] != '=')
			continue;
		choices[n].value = (u32)strtoul(text + length + 1, &end, 0);
		if (end != text + length + 1 && !*end)
			return true;
	}
	fprintf(stderr, "%s: no such option; OPTION=NUMBER, where OPTION is", text);
	for (u32 n = 0; n < CHOICES; n++)
		fprintf(stderr, " %s", choices[n].name);
	fputc('\n', stderr);
	return false;
}

static const struct ex_program *find_program(const char *name)
{
	for (u32 n = 0; n < ex_program_count; n++)
		if (!strcmp(ex_programs[n].name, name))
			return &ex_programs[n];
	fprintf(stderr, "%s: no such program; there are", name);
	for (u32 n = 0; n < ex_program_count; n++)
		fprintf(stderr, " '%s'", ex_programs[n].name);
	fputc('\n', stderr);
	return NULL;
}

static void print_outcomes(const struct ex_program *program, const struct ex_result *result)
{
	static struct ex_outcomes sc;

	ex_oracle_sc(program, &sc);
	for (u32 n = 0; n < result->outcomes.count; n++) {
		const struct ex_outcome *outcome = &result->outcomes.list[n];

		for (u32 reg = 0; reg < EX_REGS; reg++)
			if (outcome->value[reg] != EX_NO_VALUE)
				printf("r%u=%u ", reg, outcome->value[reg]);
		if (program->final)
			printf("x=%u y=%u ", outcome->value[EX_REGS], outcome->value[EX_REGS + 1]);
		puts(ex_outcome_is_in(&sc, outcome) ? "" : "  not sequentially consistent");
	}
	printf("%u outcomes, %u of sequential consistency; %llu states, %llu deadlocks, %llu "
	       "rollovers\n", result->outcomes.count, sc.count,
	       (unsigned long long)result->states, (unsigned long long)result->deadlocks,
	       (unsigned long long)result->rollovers);
}

int ex_command(int argc, char **argv)
{
	const struct vgpu_coh_protocol *protocol = vgpu_coh_find(argv[1]);
	static struct ex_result result;
	const struct ex_program *found;
	struct ex_program program;
	struct ex_options options;

	if (!protocol || argc < 3) {
		fprintf(stderr, "usage: %s PROTOCOL PROGRAM [OPTION=NUMBER ...]; PROTOCOL is gpu "
			"gpu-vi mesi rcc rcc-wo sc-ideal tcs or tcw\n", argv[0]);
		return 2;
	}
	found = find_program(argv[2]);
	for (int n = 3; n < argc; n++)
		if (!choose(argv[n]))
			return 2;
	if (!found)
		return 2;
	if (chosen("partitions") < 1 || chosen("partitions") > EX_LINES) {
		fprintf(stderr, "partitions: 1 or %u\n", EX_LINES);
		return 2;
	}
	program = chosen("fences") ? ex_program_fenced(found) : *found;
	options = (struct ex_options){
		.protocol = protocol, .lease = chosen("lease"), .limit = chosen("limit"),
		.partitions = chosen("partitions"), .evictions = chosen("evictions"),
		.l1_evicts = chosen("l1_evicts"), .ticks = chosen("ticks"),
		.purges = chosen("purges"), .warm = chosen("warm") & ex_program_warm(&program),
		.unordered = chosen("unordered"), .as_published = chosen("as_published"),
		.fault = (u8)chosen("fault"),
	};
	ex_explore(&program, &options, &result);
	print_outcomes(&program, &result);
	return 0;
}

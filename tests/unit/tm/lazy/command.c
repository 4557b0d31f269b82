// SPDX-License-Identifier: MIT
/*
 * One exploration from the command line; see command.h.
 */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "../../device/choices.h"
#include "../command.h"
#include "../oracle.h"
#include "command.h"
#include "run.h"

static struct choice choices[] = {
	{ "tcd_as_published", 0 }, { "tcd_off", 0 }, { "fault", 0 }, { "commits", 8 },
	{ "ticks", 0 }, { "delays", 0 }, { "partitions", 1 }, { "entries", 4 }, { "words", 12 },
	{ "log_words", 4 }, { "lwhr_ways", 3 }, { "lwhr_sets", 1 }, { "filter_ways", 1 },
	{ "filter_rows", 1 }, { "tcd_ways", 2 }, { "tcd_rows", 8 }, { "tcd_bytes", 4 },
	{ "count_ways", 3 }, { "conflict_ways", 3 },
	{ NULL, 0 },
};

static const char *const kinds[] = {
	[LAZY_WARPTM] = "warptm", [LAZY_EAPG] = "eapg", [LAZY_EL] = "warptm-el",
};

#define KINDS	(sizeof(kinds) / sizeof(kinds[0]))

static u32 chosen(const char *name)
{
	return choice_value(choices, name);
}

static struct lazy_options options_of_choices(enum lazy_kind kind)
{
	struct lazy_options options = {
		.setup = lazy_setup(), .kind = kind, .commits = chosen("commits"),
		.ticks = chosen("ticks"), .delays = chosen("delays"),
	};
	struct vgpu_wtm_setup *setup = &options.setup;

	setup->partitions = chosen("partitions");
	setup->entries = chosen("entries");
	setup->words = chosen("words");
	setup->log_words = chosen("log_words");
	setup->lwhr_ways = chosen("lwhr_ways");
	setup->lwhr_sets = chosen("lwhr_sets");
	setup->filter_ways = chosen("filter_ways");
	setup->filter_rows = chosen("filter_rows");
	setup->tcd_ways = chosen("tcd_ways");
	setup->tcd_rows = chosen("tcd_rows");
	setup->tcd_bytes = chosen("tcd_bytes");
	setup->count_ways = chosen("count_ways");
	setup->conflict_ways = chosen("conflict_ways");
	setup->fault = (u8)chosen("fault");
	if (chosen("tcd_as_published"))
		setup->tcd = VGPU_TCD_AS_PUBLISHED;
	if (chosen("tcd_off"))
		setup->tcd = VGPU_TCD_OFF;
	return options;
}

/* Does the explorer have room for it? */
static bool is_right(const struct lazy_options *options)
{
	const char *wrong = vgpu_wtm_check(&options->setup);
	struct vgpu_wtm wtm;

	if (!wrong && (!options->commits || options->commits > 200))
		wrong = "commits: 1 to 200";
	if (!wrong && options->setup.partitions > LAZY_PARTITIONS)
		wrong = "partitions: 1 or 2";
	if (!wrong && options->setup.log_words < TX_OPS)
		wrong = "log_words: 4 at least";
	if (!wrong && options->setup.conflict_ways > LAZY_LINES)
		wrong = "conflict_ways: 1 to 4";
	if (!wrong) {
		vgpu_wtm_init(&wtm, &options->setup);
		if (wtm.bytes > LAZY_UNIT * sizeof(u64))
			wrong = "tables: a unit has more than 1280 bytes";
	}
	if (wrong)
		fprintf(stderr, "%s\n", wrong);
	return !wrong;
}

static void print_result(const struct tx_program *program, const struct lazy_result *result)
{
	static struct tx_outcomes serial;
	struct tx_outcome first;

	tx_oracle(program, &serial);
	tx_print_outcomes(&result->outcomes, &serial);
	printf("%u outcomes, %u of serial orders, %u not serialisable; %llu ends out of order\n",
	       result->outcomes.count, serial.count,
	       tx_outcomes_beyond(&result->outcomes, &serial, &first),
	       (unsigned long long)result->disordered);
	printf("%llu states, %llu cut, %llu deadlocks, %llu ends with something left\n",
	       (unsigned long long)result->states, (unsigned long long)result->cut,
	       (unsigned long long)result->deadlocks, (unsigned long long)result->left);
	printf("%llu silent, %llu failed, %llu hazards, %llu aborted early, %llu paused, "
	       "%llu inconsistent views\n", (unsigned long long)result->silent,
	       (unsigned long long)result->failed, (unsigned long long)result->hazards,
	       (unsigned long long)result->aborted, (unsigned long long)result->paused,
	       (unsigned long long)result->inconsistent);
}

int lazy_command(const struct tx_program *program, const char *kind, int argc, char **argv)
{
	static struct lazy_result result;
	struct lazy_options options;
	u32 number = 0;

	while (number < KINDS && strcmp(kinds[number], kind))
		number++;
	if (number == KINDS) {
		fprintf(stderr, "tm=%s: getm, warptm, eapg or warptm-el\n", kind);
		return 2;
	}
	for (int n = 2; n < argc; n++)
		if (strncmp(argv[n], "tm=", 3) && !choice_set(choices, argv[n]))
			return 2;
	options = options_of_choices(number);
	if (!is_right(&options))
		return 2;
	lazy_explore(program, &options, &result);
	print_result(program, &result);
	return 0;
}

// SPDX-License-Identifier: MIT
/* Racecheck: what there is, and how it begins and ends. race.h has the rules. */
#include "race_shadow.h"
#include <stdlib.h>
#include <string.h>

/* Beyond this much nothing is remembered of what was before: races are missed, none invented. */
#define TABLE_LIMIT	(6ull << 30)
#define NUMBERS_LIMIT	(1u << 31)

struct race *race_new(race_report_fn *report, void *arg)
{
	struct race *race = calloc(1, sizeof(*race));

	if (!race)
		return NULL;
	race->report = report;
	race->arg = arg;
	race->numbers = 1;
	return race;
}

void race_free(struct race *race)
{
	if (!race)
		return;
	race_table_clear(&race->table);
	race_vars_clear(&race->vars);
	race_commands_free(race);
	free(race->site);
	free(race->span);
	free(race);
}

u32 race_sites(struct race *race, const struct race_site *sites, u32 count)
{
	u32 first = race->sites;

	/* more than can be told apart: the last stand for all that come */
	if (first + count > RACE_MAX_SITES)
		first = race->sites = RACE_MAX_SITES - count;
	if (first + count > race->site_room) {
		race->site_room = (first + count) * 2;
		race->site = realloc(race->site, race->site_room * sizeof(*race->site));
		if (!race->site)
			abort();
	}
	memcpy(race->site + first, sites, count * sizeof(*sites));
	race->sites = first + count;
	return first;
}

/* With nothing that runs, and too much that is remembered */
static void forget_all(struct race *race)
{
	/* chunks that are spare have numbers of blocks, too */
	race_table_clear(&race->table);
	race->spans = 0;
	race->numbers = 1;
}

struct race_launch *race_launch_begin(struct race *race, u32 queue, u64 seq, u64 blocks,
				      void *caller)
{
	struct race_launch *launch = calloc(1, sizeof(*launch));

	if (!launch)
		abort();
	if (!race->running && (race->table.bytes > TABLE_LIMIT || race->numbers > NUMBERS_LIMIT))
		forget_all(race);
	launch->race = race;
	launch->span = *race_span_new(race, (u32)blocks, queue, seq, caller);
	launch->before = race_seqs_of(race, queue, seq);
	if (launch->before)
		launch->before->refs++;
	launch->restart = 1;
	launch->next = race->launches;
	race->launches = launch;
	race->running++;
	return launch;
}

void race_launch_end(struct race_launch *launch)
{
	struct race *race = launch->race;
	struct race_launch **at = &race->launches;

	while (*at != launch)
		at = &(*at)->next;
	*at = launch->next;
	race_doubts_end(launch);
	race_seqs_drop(launch->before);
	free(launch);
	if (!--race->running)
		race_vars_clear(&race->vars);
}

struct race_block *race_block_begin(struct race_launch *launch, u64 index, u32 threads,
				    u32 shared_bytes)
{
	u32 warps = (threads + RACE_LANES - 1) / RACE_LANES;
	struct race_block *block = calloc(1, sizeof(*block) + warps * sizeof(block->warp[0]));

	if (!block)
		abort();
	block->launch = launch;
	block->number = launch->span.first + (u32)index;
	block->index = index;
	block->warps = warps;
	block->chunks = (shared_bytes + RACE_CHUNK_BYTES - 1) >> RACE_CHUNK_SHIFT;
	block->shared = calloc(block->chunks + 1, sizeof(*block->shared));
	if (!block->shared)
		abort();
	race_state_begin(block, warps, threads, launch->restart);
	return block;
}

void race_block_end(struct race_block *block, bool dropped)
{
	struct race *race = block->launch->race;

	for (u32 w = 0; dropped && w < block->warps; w++)
		if (block->launch->restart <= block->warp[w].counter)
			block->launch->restart = block->warp[w].counter + 1;
	for (u32 n = 0; n < block->chunks; n++)
		if (block->shared[n])
			race_chunk_put(&race->table, block->shared[n]);
	race_state_end(block);
	free(block->shared);
	free(block);
}

void *race_caller(const struct race_block *block)
{
	return block->launch->span.launch;
}

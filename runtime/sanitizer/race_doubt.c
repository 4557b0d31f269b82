// SPDX-License-Identifier: MIT
/*
 * Plain reads beside atomics of other threads. Where threads go on with an atomicCAS() at the same
 * address, as the loops of the CUDA guide do (old = *p; do ... old = atomicCAS(p, assumed, new)), a
 * stale value does no harm: it is compared. So such a race is kept until the launch ends, by then
 * it is known of which instructions the reads begin such loops. A thread that finds nothing to do
 * (a maximum) does not go on. So are volatile accesses beside those of other lanes of the warp: an
 * instruction that reads again and again waits for a flag, and those whose values it has seen set
 * flags.
 */
#include <stdlib.h>
#include <string.h>

#include "race_state.h"

#define BUCKETS	4096u
#define DOUBTS	65536u		/* more are of no use: these tell what is wrong */
#define LOOPS	64u

struct doubt {
	struct doubt *next;
	u64 address;
	u32 number, thread;	/* the reader's, or found.first's */
	u32 reader;		/* 0: found.first, 1: second, 2: both have written */
	u32 site[2];		/* of found.first and second, whose pointers do not last */
	struct race_found found;
};

struct race_doubts {
	struct doubt *bucket[BUCKETS];
	u32 count;
	u32 loop[LOOPS], loops;	/* sites of reads that begin loops or wait, of flags */
};

static struct race_doubts *doubts_of(struct race_launch *launch)
{
	if (!launch->doubts) {
		launch->doubts = calloc(1, sizeof(*launch->doubts));
		if (!launch->doubts)
			abort();
	}
	return launch->doubts;
}

/* The link to that of a thread, or to NULL */
static struct doubt **find_doubt(struct race_doubts *doubts, u64 address, u32 number, u32 thread,
				 bool writes)
{
	u64 hash = (address ^ (u64)number << 36 ^ (u64)thread << 24) * 0x9e3779b97f4a7c15ull;
	struct doubt **at = &doubts->bucket[hash >> 52];

	while (*at && ((*at)->number != number || (*at)->address != address ||
		       (*at)->thread != thread || ((*at)->reader == 2) != writes))
		at = &(*at)->next;
	return at;
}

void race_doubt(struct race_launch *launch, const struct race_found *found, u32 number)
{
	u32 reader = found->first.site->kind == RACE_READ  ? 0 :
		     found->second.site->kind == RACE_READ ? 1 : 2;
	const struct race_site *sites = launch->race->site;
	struct race_doubts *doubts = doubts_of(launch);
	u32 thread = reader == 1 ? found->second.thread : found->first.thread;
	struct doubt **at = find_doubt(doubts, found->address, number, thread, reader == 2);
	struct doubt *doubt;

	if (*at || doubts->count == DOUBTS)
		return;
	doubt = malloc(sizeof(*doubt));
	if (!doubt)
		abort();
	*doubt = (struct doubt){
		.address = found->address,
		.number = number,
		.thread = thread,
		.reader = reader,
		.site = { (u32)(found->first.site - sites), (u32)(found->second.site - sites) },
		.found = *found,
	};
	*at = doubt;
	doubts->count++;
}

static bool is_loop(const struct race_doubts *doubts, u32 site)
{
	for (u32 n = 0; n < doubts->loops; n++)
		if (doubts->loop[n] == site)
			return true;
	return false;
}

void race_doubt_loop(struct race_launch *launch, u32 site)
{
	struct race_doubts *doubts = doubts_of(launch);

	if (doubts->loops < LOOPS && !is_loop(doubts, site))
		doubts->loop[doubts->loops++] = site;
}

void race_doubt_flag(struct race_launch *launch, u32 reader, u32 writer)
{
	if (launch->doubts && is_loop(launch->doubts, reader))
		race_doubt_loop(launch, writer);
}

void race_doubt_settled(struct race_launch *launch, u64 address, u32 number, u32 thread)
{
	struct doubt **at, *doubt;

	if (!launch->doubts)
		return;
	at = find_doubt(launch->doubts, address, number, thread, false);
	doubt = *at;
	if (!doubt)
		return;
	race_doubt_loop(launch, doubt->site[doubt->reader]);
	*at = doubt->next;
	free(doubt);
	launch->doubts->count--;
}

static bool is_harmless(const struct race_doubts *doubts, const struct doubt *doubt)
{
	if (doubt->reader < 2)
		return is_loop(doubts, doubt->site[doubt->reader]);
	return is_loop(doubts, doubt->site[0]) && is_loop(doubts, doubt->site[1]);
}

static void end_doubt(struct race *race, const struct race_doubts *doubts, struct doubt *doubt)
{
	doubt->found.first.site = &race->site[doubt->site[0]];
	doubt->found.second.site = &race->site[doubt->site[1]];
	if (!is_harmless(doubts, doubt))
		race->report(race->arg, &doubt->found);
	free(doubt);
}

void race_doubts_end(struct race_launch *launch)
{
	struct race_doubts *doubts = launch->doubts;

	if (!doubts)
		return;
	for (u32 n = 0; n < BUCKETS; n++)
		for (struct doubt *doubt = doubts->bucket[n], *next; doubt; doubt = next) {
			next = doubt->next;
			end_doubt(launch->race, doubts, doubt);
		}
	free(doubts);
	launch->doubts = NULL;
}

// SPDX-License-Identifier: MIT
/*
 * The explorer of transactions; see explore.h. The host of the units, as tm.h describes it, whose
 * every step is a choice.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "memsys/tm/precise.h"
#include "memsys/tm/stall.h"
#include "oracle.h"
#include "run.h"

struct vgpu_tm_setup tx_small(enum vgpu_tm_rule rule)
{
	return (struct vgpu_tm_setup){
		.seed = 1, .limit = 1u << 20, .cores = 1, .partitions = 1,
		.precise_ways = 1, .precise_rows = 1, .stash = 1, .overflow = 1, .probes = 1,
		.approximate_ways = 1, .approximate_rows = 1,
		.stall_lines = 1, .stall_entries = 1, .commit_regions = 1,
		.rule = (u8)rule,
	};
}

/* ---- the end of a run --------------------------------------------------------- */

static bool has_ended(const struct run *run)
{
	for (u32 n = 0; n < run->program->warps; n++)
		if (run->now.threads[n].tx != tx_count(run->program, n))
			return false;
	for (u32 n = 0; n < run->tm.setup.partitions; n++)
		if (((const struct vgpu_tm_unit *)run->now.units[n])->regions)
			return false;
	return !run->now.count;
}

/* Warp whose transaction, the first one that is not in @done, is the earliest; none: @warps */
static u32 earliest(const struct run *run, const u32 *done)
{
	u32 first = run->program->warps, times[TX_WARPS];

	for (u32 n = 0; n < run->program->warps; n++) {
		const struct tx_thread *thread = &run->now.threads[n];

		if (done[n] == tx_count(run->program, n))
			continue;
		times[n] = thread->epoch[done[n]] * 256u + thread->ts[done[n]];
		if (first == run->program->warps || times[n] < times[first])
			first = n;
	}
	return first;
}

/* Is the outcome that of the transactions in the order of (timestamp, warp)? */
static bool is_in_order(const struct run *run)
{
	struct tx_outcome outcome = tx_outcome_begin();
	u32 done[TX_WARPS] = { 0 };

	for (;;) {
		u32 warp = earliest(run, done);

		if (warp == run->program->warps)
			break;
		tx_outcome_execute(run->program, warp, done[warp]++, &outcome);
	}
	return !memcmp(&outcome, &run->now.outcome, sizeof(outcome));
}

static void note_end(struct run *run)
{
	u32 left = 0;

	for (u32 n = 0; n < run->tm.setup.partitions; n++)
		left += vgpu_tm_locks(&run->tm, tx_unit(&run->now, n)) +
			vgpu_tm_stalled(&run->tm, tx_unit(&run->now, n));
	run->result->locked += left > 0;
	run->result->disordered += !is_in_order(run);
	tx_outcome_add(&run->result->outcomes, &run->now.outcome);
}

/* ---- all of them -------------------------------------------------------------- */

static void expand(struct run *run)
{
	if (has_ended(run)) {
		note_end(run);
		return;
	}
	run->moved = false;
	tx_move_warps(run);
	tx_move_messages(run);
	tx_move_units(run);
	run->result->deadlocks += !run->moved;
}

static void begin(struct run *run)
{
	struct vgpu_tm_setup setup = run->options->setup;

	setup.cores = run->program->warps;
	assert(!vgpu_tm_check(&setup) && setup.partitions <= TX_PARTITIONS &&
	       setup.commit_regions <= TX_REGIONS);
	vgpu_tm_init(&run->tm, &setup);
	assert(run->tm.bytes <= sizeof(run->next.units[0]));
	memset(&run->next, 0, sizeof(run->next));
	run->next.outcome = tx_outcome_begin();
	for (u32 n = 0; n < run->program->warps; n++) {
		run->next.threads[n].warp.wid = (u16)n;
		run->next.threads[n].warp.warpts = run->program->start[n];
	}
	tx_end_move(run);
}

void tx_explore(const struct tx_program *program, const struct tx_options *options,
		struct tx_result *result)
{
	struct run *run = calloc(1, sizeof(*run));

	memset(result, 0, sizeof(*result));
	run->program = program;
	run->options = options;
	run->result = result;
	search_open(&run->search, sizeof(run->now));
	begin(run);
	while (search_pop(&run->search, &run->now))
		expand(run);
	result->states = search_close(&run->search);
	free(run);
}

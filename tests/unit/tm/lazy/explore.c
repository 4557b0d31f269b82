// SPDX-License-Identifier: MIT
/*
 * The explorer of WarpTM, EAPG and WarpTM-EL; see lazy.h. The host of the units, as
 * sim-device/memsys/tm/lazy/warptm.h describes it, whose every step is a choice.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "../oracle.h"
#include "run.h"

struct vgpu_wtm_setup lazy_setup(void)
{
	return (struct vgpu_wtm_setup){
		.seed = 1, .cores = 1, .partitions = 1, .entries = 4, .words = 12,
		.log_words = 4, .lwhr_ways = 3, .lwhr_sets = 1, .filter_ways = 1,
		.filter_rows = 1, .tcd_ways = 2, .tcd_rows = 8, .tcd_bytes = 4,
		.count_ways = 3, .count_sets = 1, .conflict_ways = 3, .conflict_sets = 1,
	};
}

/* ---- the end of a run --------------------------------------------------------- */

static bool has_ended(struct lazy_run *run)
{
	for (u32 n = 0; n < run->program->warps; n++)
		if (run->now.threads[n].tx != tx_count(run->program, n))
			return false;
	for (u32 n = 0; n < run->wtm.setup.partitions; n++)
		if (lazy_unit(&run->now, n)->left != run->now.cids)
			return false;
	return !run->now.count;
}

/* The smallest commit id of those that are not in @done */
static u32 next_cid(const struct lazy_run *run, const u32 *done)
{
	u32 first = LAZY_SILENT;

	for (u32 n = 0; n < run->program->warps; n++) {
		u32 count = tx_count(run->program, n);

		for (u32 tx = done[n]; tx < count; tx++)
			if (run->now.threads[n].order[tx] < first)
				first = run->now.threads[n].order[tx];
	}
	return first;
}

/* Is the outcome that of an order of those not in @done: commit ids, and silent ones anywhere? */
static bool is_in_order(const struct lazy_run *run, const u32 *done,
			const struct tx_outcome *outcome)
{
	u32 first = next_cid(run, done), ended = 0;

	for (u32 n = 0; n < run->program->warps; n++) {
		struct tx_outcome next = *outcome;
		u32 then[TX_WARPS], order;

		if (done[n] == tx_count(run->program, n)) {
			ended++;
			continue;
		}
		order = run->now.threads[n].order[done[n]];
		if (order != LAZY_SILENT && order != first)
			continue;
		memcpy(then, done, sizeof(then));
		tx_outcome_execute(run->program, n, then[n]++, &next);
		if (is_in_order(run, then, &next))
			return true;
	}
	return ended == run->program->warps &&
	       !memcmp(outcome, &run->now.outcome, sizeof(*outcome));
}

static bool is_empty(struct lazy_run *run, u32 partition)
{
	struct vgpu_wtm_unit *unit = lazy_unit(&run->now, partition);
	u32 counts = run->wtm.setup.count_ways * run->wtm.setup.count_sets;

	for (u32 n = 0; n < run->wtm.setup.entries; n++)
		if (vgpu_wtm_entries(unit)[n].cid)
			return false;
	for (u32 n = 0; n < counts; n++)
		if (vgpu_wtm_counts(&run->wtm, unit)[n].tag)
			return false;
	return !unit->used && !unit->first_reader && !unit->last_reader;
}

static void note_end(struct lazy_run *run)
{
	const struct tx_outcome outcome = tx_outcome_begin();
	const u32 done[TX_WARPS] = { 0 };
	bool empty = true;

	for (u32 n = 0; n < run->wtm.setup.partitions; n++)
		empty &= is_empty(run, n);
	for (u32 n = 0; n < run->program->warps; n++)
		for (u32 line = 0; line < LAZY_LINES; line++)
			empty &= !run->now.threads[n].conflicts[line].tag;
	run->result->left += !empty;
	run->result->disordered += !is_in_order(run, done, &outcome);
	tx_outcome_add(&run->result->outcomes, &run->now.outcome);
}

/* ---- all of them -------------------------------------------------------------- */

static void expand(struct lazy_run *run)
{
	if (has_ended(run)) {
		note_end(run);
		return;
	}
	run->moved = false;
	lazy_move_warps(run);
	lazy_move_messages(run);
	lazy_move_units(run);
	run->result->deadlocks += !run->moved;
}

static bool only_reads(const struct tx_op *op)
{
	for (; op->what != TX_END; op++)
		if (op->what == TX_STORE)
			return false;
	return true;
}

static void begin(struct lazy_run *run)
{
	struct vgpu_wtm_setup setup = run->options->setup;

	setup.cores = run->program->warps;
	assert(!vgpu_wtm_check(&setup) && setup.partitions <= LAZY_PARTITIONS);
	assert(setup.conflict_ways * setup.conflict_sets <= LAZY_LINES);
	vgpu_wtm_init(&run->wtm, &setup);
	assert(run->wtm.bytes <= sizeof(run->next.units[0]));
	for (u32 n = 0; n < run->program->warps; n++) {
		for (u32 tx = 0; tx < tx_count(run->program, n); tx++) {
			tx_oracle_views(run->program, n, tx, &run->views[n][tx]);
			run->timed |= only_reads(run->program->ops[n][tx]);
		}
	}
	run->timed &= setup.tcd != VGPU_TCD_OFF && run->options->kind != LAZY_EL;
	memset(&run->next, 0, sizeof(run->next));
	run->next.outcome = tx_outcome_begin();
	lazy_end_move(run);
}

void lazy_explore(const struct tx_program *program, const struct lazy_options *options,
		  struct lazy_result *result)
{
	struct lazy_run *run = calloc(1, sizeof(*run));

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

// SPDX-License-Identifier: MIT
/*
 * What transactions may show; see oracle.h.
 */
#include <assert.h>
#include <string.h>

#include "oracle.h"

bool tx_outcome_is_in(const struct tx_outcomes *outcomes, const struct tx_outcome *outcome)
{
	for (u32 n = 0; n < outcomes->count; n++)
		if (!memcmp(&outcomes->list[n], outcome, sizeof(*outcome)))
			return true;
	return false;
}

void tx_outcome_add(struct tx_outcomes *outcomes, const struct tx_outcome *outcome)
{
	if (tx_outcome_is_in(outcomes, outcome))
		return;
	assert(outcomes->count < TX_OUTCOMES);
	outcomes->list[outcomes->count++] = *outcome;
}

u32 tx_outcomes_beyond(const struct tx_outcomes *from, const struct tx_outcomes *to,
		       struct tx_outcome *first)
{
	u32 count = 0;

	for (u32 n = 0; n < from->count; n++) {
		if (tx_outcome_is_in(to, &from->list[n]))
			continue;
		if (!count++)
			*first = from->list[n];
	}
	return count;
}

struct tx_outcome tx_outcome_begin(void)
{
	struct tx_outcome outcome;

	memset(outcome.memory, 0, sizeof(outcome.memory));
	memset(outcome.regs, TX_NO_VALUE, sizeof(outcome.regs));
	return outcome;
}

void tx_outcome_execute(const struct tx_program *program, u32 warp, u32 tx,
			struct tx_outcome *outcome)
{
	for (const struct tx_op *op = program->ops[warp][tx]; op->what != TX_END; op++) {
		if (op->what == TX_LOAD)
			outcome->regs[op->value] = outcome->memory[op->location];
		else
			outcome->memory[op->location] = op->value;
	}
}

u32 tx_count(const struct tx_program *program, u32 warp)
{
	u32 count = 0;

	while (count < TX_EACH && program->ops[warp][count][0].what != TX_END)
		count++;
	return count;
}

static void go_on(const struct tx_program *program, const u32 *done,
		  const struct tx_outcome *outcome, struct tx_outcomes *outcomes)
{
	bool ended = true;

	for (u32 warp = 0; warp < program->warps; warp++) {
		struct tx_outcome next = *outcome;
		u32 then[TX_WARPS];

		if (done[warp] == tx_count(program, warp))
			continue;
		ended = false;
		memcpy(then, done, sizeof(then));
		tx_outcome_execute(program, warp, then[warp]++, &next);
		go_on(program, then, &next, outcomes);
	}
	if (ended)
		tx_outcome_add(outcomes, outcome);
}

void tx_oracle(const struct tx_program *program, struct tx_outcomes *outcomes)
{
	const struct tx_outcome outcome = tx_outcome_begin();
	const u32 done[TX_WARPS] = { 0 };

	outcomes->count = 0;
	go_on(program, done, &outcome, outcomes);
}

/* Transactions @done have left @memory: what the loads of @tx return now, and after others */
static void view(const struct tx_program *program, u32 warp, u32 tx, const u32 *done,
		 const struct tx_outcome *memory, struct tx_outcomes *views)
{
	struct tx_outcome seen = tx_outcome_begin();

	if (done[warp] == tx) {
		memcpy(seen.memory, memory->memory, sizeof(seen.memory));
		tx_outcome_execute(program, warp, tx, &seen);
		memset(seen.memory, 0, sizeof(seen.memory));
		tx_outcome_add(views, &seen);
	}
	for (u32 n = 0; n < program->warps; n++) {
		struct tx_outcome next = *memory;
		u32 then[TX_WARPS];

		if (done[n] == (n == warp ? tx : tx_count(program, n)))
			continue;
		memcpy(then, done, sizeof(then));
		tx_outcome_execute(program, n, then[n]++, &next);
		view(program, warp, tx, then, &next, views);
	}
}

void tx_oracle_views(const struct tx_program *program, u32 warp, u32 tx,
		     struct tx_outcomes *views)
{
	const struct tx_outcome outcome = tx_outcome_begin();
	const u32 done[TX_WARPS] = { 0 };

	views->count = 0;
	view(program, warp, tx, done, &outcome, views);
}

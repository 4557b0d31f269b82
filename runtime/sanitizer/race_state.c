// SPDX-License-Identifier: MIT
/*
 * What orders threads of a kernel, but for strong accesses (race_var.c): fences, meetings of lanes
 * and of warps.
 */
#include "race_state.h"
#include <stdlib.h>

static void state_drop(struct race_state *state)
{
	if (!state || --state->refs)
		return;
	race_clock_drop(state->now);
	for (u32 n = 0; n < 2; n++) {
		race_clock_drop(state->fenced[n].clock);
		race_clock_drop(state->seen[n]);
	}
	free(state);
}

static struct race_state *state_new(void)
{
	struct race_state *state = calloc(1, sizeof(*state));

	if (!state)
		abort();
	state->refs = 1;
	return state;
}

static struct race_state *state_copy(const struct race_state *from)
{
	struct race_state *state = state_new();

	*state = *from;
	state->refs = 1;
	race_clock_hold(state->now);
	for (u32 n = 0; n < 2; n++) {
		race_clock_hold(state->fenced[n].clock);
		race_clock_hold(state->seen[n]);
	}
	return state;
}

/* The lanes in @lanes of @warp have @state from now on. */
static void set_state(struct race_warp *warp, u32 lanes, struct race_state *state)
{
	for (u32 left = lanes; left; left &= left - 1) {
		u32 l = (u32)__builtin_ctz(left);

		state->refs++;
		state_drop(warp->lane[l]);
		warp->lane[l] = state;
	}
	warp->together = true;
	for (u32 l = 1; warp->together && l < RACE_LANES; l++)
		warp->together = warp->lane[l] == warp->lane[0];
}

void race_state_begin(struct race_block *block, u32 warps, u32 threads, u32 counter)
{
	struct race_state *state = state_new();
	struct race_known known[RACE_WARPS] = {};

	for (u32 w = 0; w < warps; w++)
		known[w] = (struct race_known){ w, RACE_ALL, counter - 1 };
	state->now = race_clock_make(block->number, known, warps);
	state->own = state->now;
	for (u32 w = 0; w < warps; w++) {
		struct race_warp *warp = &block->warp[w];
		u32 lanes = threads - w * RACE_LANES;

		warp->counter = counter;
		warp->gone = lanes >= RACE_LANES ? 0 : RACE_ALL << lanes;
		set_state(warp, RACE_ALL, state);
	}
	state_drop(state);
}

void race_state_end(struct race_block *block)
{
	for (u32 w = 0; w < block->warps; w++)
		for (u32 l = 0; l < RACE_LANES; l++)
			state_drop(block->warp[w].lane[l]);
}

/* The lanes of @lanes that have the state of its first */
static u32 alike(const struct race_warp *warp, u32 lanes)
{
	const struct race_state *state = warp->lane[__builtin_ctz(lanes)];
	u32 same = 0;

	if (warp->together)
		return lanes;
	for (u32 left = lanes; left; left &= left - 1) {
		u32 l = (u32)__builtin_ctz(left);

		same |= (u32)(warp->lane[l] == state) << l;
	}
	return same;
}

/* What has been seen becomes known; of other blocks only with @all. */
static void acquire_seen(struct race_state *state, u32 number, bool all)
{
	for (u32 n = RACE_BLOCK; n <= (all ? RACE_GPU : RACE_BLOCK); n++) {
		race_clock_add(&state->now, state->seen[n]);
		race_clock_drop(state->seen[n]);
		state->seen[n] = NULL;
	}
	state->own = race_clock_leaf(state->now, number);
}

void race_fence(struct race_block *block, u32 w, u32 lanes, bool acquire, bool release,
		enum race_scope scope)
{
	struct race_warp *warp = &block->warp[w];

	for (u32 left = lanes, same; left; left &= ~same) {
		struct race_state *state;

		same = alike(warp, left);
		state = state_copy(warp->lane[__builtin_ctz(same)]);
		if (acquire)
			acquire_seen(state, block->number, scope == RACE_GPU);
		for (u32 n = RACE_BLOCK; release && n <= scope; n++) {
			race_clock_drop(state->fenced[n].clock);
			state->fenced[n].clock = race_clock_hold(state->now);
			state->fenced[n].own = warp->counter;
		}
		set_state(warp, same, state);
		state_drop(state);
	}
	if (release)
		warp->counter++;
}

/* ---- meetings ------------------------------------------------------------------------------ */

/* What @state's lanes @lanes of warp @w have done and know joins @to. */
static void meet_group(struct race_block *block, u32 w, u32 lanes, const struct race_state *state,
		       struct race_state *to)
{
	race_clock_add(&to->now, state->now);
	for (u32 n = 0; n < 2; n++) {
		const struct race_fenced *fenced = &state->fenced[n];

		race_clock_add(&to->now, state->seen[n]);
		if (!fenced->clock)
			continue;
		race_clock_add(&to->fenced[n].clock, fenced->clock);
		if (fenced->own) {
			struct race_known known = { w, lanes, fenced->own };
			struct race_clock *own = race_clock_make(block->number, &known, 1);

			race_clock_add(&to->fenced[n].clock, own);
			race_clock_drop(own);
		}
	}
}

/* What @lanes of warp @w bring to a meeting, and that @done have done */
static void meet_warp(struct race_block *block, u32 w, u32 lanes, u32 done,
		      struct race_state *to, struct race_known *known)
{
	const struct race_warp *warp = &block->warp[w];

	for (u32 left = lanes, same; left; left &= ~same) {
		same = alike(warp, left);
		meet_group(block, w, same == lanes ? done : same,
			   warp->lane[__builtin_ctz(same)], to);
	}
	*known = (struct race_known){ w, done, warp->counter };
}

/* Those of @lanes[] of the warps have met; all of their warps have, with @whole. */
static void meet(struct race_block *block, const u32 *lanes, bool whole)
{
	struct race_state *state = state_new();
	struct race_known known[RACE_WARPS] = {};
	struct race_clock *own;
	u32 count = 0;

	for (u32 w = 0; w < block->warps; w++)
		if (lanes[w])
			meet_warp(block, w, lanes[w],
				  whole ? RACE_ALL : lanes[w] | block->warp[w].gone, state,
				  &known[count++]);
	own = race_clock_make(block->number, known, count);
	race_clock_add(&state->now, own);
	race_clock_drop(own);
	state->own = race_clock_leaf(state->now, block->number);
	for (u32 w = 0; w < block->warps; w++) {
		if (!lanes[w])
			continue;
		set_state(&block->warp[w], lanes[w] | block->warp[w].gone, state);
		block->warp[w].counter++;
	}
	state_drop(state);
}

void race_warp_sync(struct race_block *block, u32 w, u32 lanes)
{
	u32 of[RACE_WARPS] = {};

	of[w] = lanes;
	if (lanes)
		meet(block, of, false);
}

void race_barrier_arrive(struct race_block *block, u32 w, u32 lanes, bool all)
{
	block->warp[w].arrived = lanes;
	block->warp[w].for_all = all;
}

void race_barrier_leave(struct race_block *block, const u32 *warps)
{
	u32 of[RACE_WARPS] = {};
	bool all = false;

	for (u32 w = 0; w < block->warps; w++)
		if (warps[w / 32] >> w % 32 & 1) {
			of[w] = block->warp[w].arrived;
			all |= block->warp[w].for_all;
		}
	for (u32 w = 0; all && w < block->warps; w++)
		if (block->warp[w].gone == RACE_ALL)
			of[w] = RACE_ALL;
	meet(block, of, true);
}

void race_exit(struct race_block *block, u32 w, u32 lanes)
{
	block->warp[w].gone |= lanes;
}

/* ---- strong accesses ----------------------------------------------------------------------- */

void race_state_see(struct race_block *block, u32 w, u32 lane, enum race_scope scope,
		    struct race_clock *clock)
{
	struct race_warp *warp = &block->warp[w];
	struct race_clock *joined = race_clock_join(warp->lane[lane]->seen[scope], clock);
	struct race_state *state;

	if (joined == warp->lane[lane]->seen[scope]) {
		race_clock_drop(joined);
		return;
	}
	state = state_copy(warp->lane[lane]);
	race_clock_drop(state->seen[scope]);
	state->seen[scope] = joined;
	set_state(warp, 1u << lane, state);
	state_drop(state);
}

struct race_clock *race_state_release(struct race_block *block, u32 w, u32 lane,
				      enum race_scope scope)
{
	const struct race_fenced *fenced = &race_state_of(block, w, lane)->fenced[scope];
	struct race_known known = { w, 1u << lane, fenced->own };
	struct race_clock *own, *all;

	if (!fenced->clock)
		return NULL;
	own = race_clock_make(block->number, &known, 1);
	all = race_clock_join(fenced->clock, own);
	race_clock_drop(own);
	return all;
}

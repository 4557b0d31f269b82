// SPDX-License-Identifier: MIT
/* Vector clocks of racecheck: race_clock.h. */
#include "race_clock.h"
#include "race.h"
#include <stdlib.h>
#include <string.h>

/** struct race_split - the lanes of @warp are known to different counters */
struct race_split {
	u32 warp;
	u32 lane[RACE_LANES];
};

struct race_clock {
	u32 refs;
	u32 block;		/* of a leaf; else the bits above @bit that all blocks below have */
	u32 bit;		/* 0: a leaf; else the highest bit in which blocks below differ */
	u32 warps;		/* of a leaf: known[0 .. warps - 1], and @splits behind them */
	u32 splits;
	union {
		struct race_clock *below[2];
		u32 known[1];
	};
};

static struct race_split *splits_of(const struct race_clock *leaf)
{
	return (struct race_split *)(leaf->known + leaf->warps);
}

static size_t leaf_bytes(u32 warps, u32 splits)
{
	size_t bytes = offsetof(struct race_clock, known) + warps * sizeof(u32) +
		       splits * sizeof(struct race_split);

	return bytes < sizeof(struct race_clock) ? sizeof(struct race_clock) : bytes;
}

static struct race_clock *allocate(size_t bytes)
{
	struct race_clock *clock = malloc(bytes);

	if (!clock)
		abort();	/* as the core does: a checker that forgets is of no use */
	clock->refs = 1;
	return clock;
}

struct race_clock *race_clock_hold(struct race_clock *clock)
{
	if (clock)
		clock->refs++;
	return clock;
}

void race_clock_drop(struct race_clock *clock)
{
	while (clock && !--clock->refs) {
		struct race_clock *next = NULL;

		if (clock->bit) {
			race_clock_drop(clock->below[0]);
			next = clock->below[1];
		}
		free(clock);
		clock = next;
	}
}

struct race_clock *race_clock_make(u32 block, const struct race_known *known, u32 count)
{
	u32 warps = count ? known[count - 1].warp + 1 : 0, splits = 0;
	struct race_clock *leaf;
	struct race_split *split;

	for (u32 n = 0; n < count; n++)
		splits += known[n].lanes != RACE_ALL;
	leaf = allocate(leaf_bytes(warps, splits));
	leaf->block = block;
	leaf->bit = 0;
	leaf->warps = warps;
	leaf->splits = splits;
	memset(leaf->known, 0, warps * sizeof(u32));
	split = splits_of(leaf);
	for (u32 n = 0; n < count; n++) {
		if (known[n].lanes == RACE_ALL) {
			leaf->known[known[n].warp] = known[n].counter;
			continue;
		}
		split->warp = known[n].warp;
		for (u32 l = 0; l < RACE_LANES; l++)
			split->lane[l] = known[n].lanes >> l & 1 ? known[n].counter : 0;
		split++;
	}
	return leaf;
}

/* Of warp @warp: its lanes' counters in @lane. @next: the first split that is not before it */
static void spread(const struct race_clock *leaf, u32 warp, u32 *next, u32 *lane)
{
	const struct race_split *split = splits_of(leaf);
	bool split_up = *next < leaf->splits && split[*next].warp == warp;
	u32 known = race_clock_warp(leaf, warp);

	for (u32 l = 0; l < RACE_LANES; l++)
		lane[l] = split_up && split[*next].lane[l] > known ? split[*next].lane[l] : known;
	*next += split_up;
}

static bool same_leaf(const struct race_clock *a, const struct race_clock *b)
{
	return a->warps == b->warps && a->splits == b->splits &&
	       !memcmp(a->known, b->known,
		       a->warps * sizeof(u32) + a->splits * sizeof(struct race_split));
}

/* Warp @w of both, one of which has it split */
static void join_split(const struct race_clock *a, const struct race_clock *b, u32 w, u32 *next_a,
		       u32 *next_b, struct race_clock *leaf)
{
	struct race_split *split = &splits_of(leaf)[leaf->splits];
	u32 x[RACE_LANES], y[RACE_LANES], least = RACE_ALL, most = 0;

	spread(a, w, next_a, x);
	spread(b, w, next_b, y);
	for (u32 l = 0; l < RACE_LANES; l++) {
		x[l] = x[l] > y[l] ? x[l] : y[l];
		least = x[l] < least ? x[l] : least;
		most = x[l] > most ? x[l] : most;
	}
	leaf->known[w] = least;
	if (least == most)
		return;
	split->warp = w;
	memcpy(split->lane, x, sizeof(x));
	leaf->splits++;
}

static bool is_split(const struct race_clock *leaf, u32 next, u32 warp)
{
	return next < leaf->splits && splits_of(leaf)[next].warp == warp;
}

static struct race_clock *join_leaves(struct race_clock *a, struct race_clock *b)
{
	u32 warps = a->warps > b->warps ? a->warps : b->warps, next_a = 0, next_b = 0;
	struct race_clock *leaf = allocate(leaf_bytes(warps, a->splits + b->splits));
	struct race_clock *same = NULL;

	leaf->block = a->block;
	leaf->bit = 0;
	leaf->warps = warps;
	leaf->splits = 0;
	for (u32 w = 0; w < warps; w++) {
		u32 x = race_clock_warp(a, w), y = race_clock_warp(b, w);

		leaf->known[w] = x > y ? x : y;
		if (is_split(a, next_a, w) || is_split(b, next_b, w))
			join_split(a, b, w, &next_a, &next_b, leaf);
	}
	/* whoever has it already is to share it */
	if (same_leaf(leaf, a))
		same = a;
	else if (same_leaf(leaf, b))
		same = b;
	if (!same)
		return leaf;
	race_clock_drop(leaf);
	return race_clock_hold(same);
}

/* ---- the tree ------------------------------------------------------------------------------ */

/* What blocks below a node with @bit have in common with @block. */
static u32 above(u32 block, u32 bit)
{
	return bit ? block & ~(bit | (bit - 1)) : block;
}

/* Two trees whose blocks differ above both */
static struct race_clock *branch(struct race_clock *a, struct race_clock *b)
{
	u32 bit = 1u << (31 - (u32)__builtin_clz(a->block ^ b->block));
	struct race_clock *node = allocate(sizeof(*node));
	bool a_high = a->block & bit;

	node->bit = bit;
	node->block = above(a->block, bit);
	node->below[a_high] = a;
	node->below[!a_high] = b;
	return node;
}

/* @node with @side replaced by @joined, whose reference is taken */
static struct race_clock *with_side(struct race_clock *node, bool side, struct race_clock *joined)
{
	struct race_clock *copy;

	if (joined == node->below[side]) {
		race_clock_drop(joined);
		return race_clock_hold(node);
	}
	copy = allocate(sizeof(*copy));
	copy->bit = node->bit;
	copy->block = node->block;
	copy->below[side] = joined;
	copy->below[!side] = race_clock_hold(node->below[!side]);
	return copy;
}

static struct race_clock *join_nodes(struct race_clock *a, struct race_clock *b)
{
	struct race_clock *low = race_clock_join(a->below[0], b->below[0]);
	struct race_clock *high = race_clock_join(a->below[1], b->below[1]);
	struct race_clock *node, *same = NULL;

	if (low == a->below[0] && high == a->below[1])
		same = a;
	else if (low == b->below[0] && high == b->below[1])
		same = b;
	if (same) {
		race_clock_drop(low);
		race_clock_drop(high);
		return race_clock_hold(same);
	}
	node = allocate(sizeof(*node));
	node->bit = a->bit;
	node->block = a->block;
	node->below[0] = low;
	node->below[1] = high;
	return node;
}

struct race_clock *race_clock_join(struct race_clock *a, struct race_clock *b)
{
	bool side;

	if (!b || a == b)
		return race_clock_hold(a);
	if (!a)
		return race_clock_hold(b);
	if (a->bit < b->bit) {
		struct race_clock *swap = a;

		a = b;
		b = swap;
	}
	if (above(b->block, a->bit) != a->block)
		return branch(race_clock_hold(a), race_clock_hold(b));
	if (!a->bit)
		return join_leaves(a, b);
	if (a->bit == b->bit)
		return join_nodes(a, b);
	side = b->block & a->bit;
	return with_side(a, side, race_clock_join(a->below[side], b));
}

void race_clock_add(struct race_clock **to, struct race_clock *more)
{
	struct race_clock *joined;

	if (!more || *to == more)
		return;
	joined = race_clock_join(*to, more);
	race_clock_drop(*to);
	*to = joined;
}

const struct race_clock *race_clock_leaf(const struct race_clock *clock, u32 block)
{
	while (clock && clock->bit)
		clock = clock->below[!!(block & clock->bit)];
	return clock && clock->block == block ? clock : NULL;
}

u32 race_clock_warp(const struct race_clock *leaf, u32 warp)
{
	return leaf && warp < leaf->warps ? leaf->known[warp] : 0;
}

u32 race_clock_lane(const struct race_clock *leaf, u32 warp, u32 lane)
{
	u32 known = race_clock_warp(leaf, warp);

	for (u32 n = 0; leaf && n < leaf->splits; n++) {
		const struct race_split *split = &splits_of(leaf)[n];

		if (split->warp == warp)
			return split->lane[lane] > known ? split->lane[lane] : known;
	}
	return known;
}

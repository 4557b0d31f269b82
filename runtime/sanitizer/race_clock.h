/* SPDX-License-Identifier: MIT */
/*
 * Vector clocks of racecheck. A clock says, for each lane of each warp of each block, up to which
 * counter of its warp accesses are known. It is immutable and shared by references: a tree by block
 * (a Patricia tree: Okasaki and Gill, ML 1998) whose leaves hold a block each. A block's leaf has a
 * number for each warp, and numbers of 32 lanes for those warps only whose lanes differ. Clocks
 * that came from each other share most of their nodes, so joining them costs little.
 */
#ifndef VGPU_SANITIZER_RACE_CLOCK_H
#define VGPU_SANITIZER_RACE_CLOCK_H

#include <linux/types.h>
#include "platform.h"

#define RACE_WARPS	64u

struct race_clock;	/* NULL: knows nothing */

/** struct race_known - some lanes of a warp are known up to a counter */
struct race_known {
	u32 warp;
	u32 lanes;
	u32 counter;
};

struct race_clock *race_clock_hold(struct race_clock *clock);
void race_clock_drop(struct race_clock *clock);

/* A clock that knows @known[@count] of @block, and nothing else. Warps rise. */
struct race_clock *race_clock_make(u32 block, const struct race_known *known, u32 count);

/* All that either knows. A new reference; the arguments keep theirs. */
struct race_clock *race_clock_join(struct race_clock *a, struct race_clock *b);

/* *@to becomes what it and @more know. */
void race_clock_add(struct race_clock **to, struct race_clock *more);

/* The leaf of @block in @clock, without a reference; NULL: it knows nothing of it */
const struct race_clock *race_clock_leaf(const struct race_clock *clock, u32 block);

/* Of @leaf, which may be NULL: up to which counter it knows a lane, or at least all of a warp */
u32 race_clock_lane(const struct race_clock *leaf, u32 warp, u32 lane);
u32 race_clock_warp(const struct race_clock *leaf, u32 warp);

#endif

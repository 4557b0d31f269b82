/* SPDX-License-Identifier: MIT */
/*
 * What racecheck keeps of memory: a cell for each word of 4 bytes, or, in chunks where something
 * accessed less than a word, for each byte. A chunk is 1 KiB of memory.
 */
#ifndef VGPU_SANITIZER_RACE_SHADOW_H
#define VGPU_SANITIZER_RACE_SHADOW_H

#include "race_state.h"

#define RACE_CHUNK_SHIFT	10
#define RACE_CHUNK_BYTES	(1u << RACE_CHUNK_SHIFT)
#define RACE_READS		3u

/* Site, warp and lane of an access in one word; @flag: of a write several, of a read strong */
#define RACE_WHO(site, warp, lane, flag) \
	((site) << 12 | (u32)(flag) << 11 | (warp) << 5 | (lane))
#define RACE_WHO_SITE(who)	((who) >> 12)
#define RACE_WHO_SEVERAL(who)	((who) >> 11 & 1)
#define RACE_WHO_STRONG(who)	((who) >> 11 & 1)
#define RACE_WHO_WARP(who)	((who) >> 5 & 63)
#define RACE_WHO_LANE(who)	((who) & 31)
#define RACE_MAX_SITES		(1u << 20)

/**
 * struct race_mark - an access that is remembered
 * @block: its number; 0: there is none
 * @lanes: of a read: those that made it. Of a write: the value, which @who's lane wrote
 */
struct race_mark {
	u32 block;
	u32 counter;
	u32 lanes;
	u32 who;
};

struct race_cell {
	struct race_mark write;
	struct race_mark read[RACE_READS];
};

/**
 * struct race_chunk - 1 KiB of memory
 * @cell: NULL: all would be as @all
 * @shift: log2 of the bytes of a cell, 2 or 0
 */
struct race_chunk {
	struct race_chunk *next;	/* of those that are spare */
	struct race_cell *cell;
	u32 shift;
	struct race_cell all;
};

/* The chunk of a global address; NULL with !@make: nothing is known there */
struct race_chunk *race_chunk_of(struct race_table *table, u64 address, bool make);
/* Of shared memory. @chunk: of the block */
struct race_chunk *race_chunk_shared(struct race_table *table, struct race_chunk **chunk);
void race_chunk_put(struct race_table *table, struct race_chunk *chunk);
/* Give it cells of 1 << @shift bytes, or smaller ones. */
void race_chunk_cells(struct race_table *table, struct race_chunk *chunk, u32 shift);
/* All of it is as @all. */
void race_chunk_fill(struct race_table *table, struct race_chunk *chunk,
		     const struct race_cell *all);
/* Forget everything; no block is there. */
void race_table_clear(struct race_table *table);

static inline u32 race_chunk_count(const struct race_chunk *chunk)
{
	return RACE_CHUNK_BYTES >> chunk->shift;
}

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Who runs: launches, blocks, warps, and what their lanes know and have fenced. race.h has the
 * rules.
 *
 * A block has a number that no other has had: those of a launch follow each other, so that a number
 * says which launch, too.
 */
#ifndef VGPU_SANITIZER_RACE_STATE_H
#define VGPU_SANITIZER_RACE_STATE_H

#include "race.h"

/** struct race_fenced - what a strong write releases: @clock, and the lane's own up to @own */
struct race_fenced {
	struct race_clock *clock;
	u32 own;
};

/**
 * struct race_state - what lanes know that did the same. Immutable, shared by references
 * @now: what is ordered before what they do next
 * @own: its leaf of their block
 * @fenced: by fences of a scope, enum race_scope
 * @seen: by strong reads, and not behind a fence yet: released by threads of the block, by others
 */
struct race_state {
	u32 refs;
	struct race_clock *now;
	const struct race_clock *own;
	struct race_fenced fenced[2];
	struct race_clock *seen[2];
};

/**
 * struct race_warp - a warp
 * @counter: of its accesses, from 1
 * @gone: lanes that have exited, or do not exist
 * @arrived: lanes that are at a barrier, @for_all threads
 * @together: all lanes have the state of lane 0
 */
struct race_warp {
	u32 counter;
	u32 gone;
	u32 arrived;
	bool for_all;
	bool together;
	struct race_state *lane[RACE_LANES];
};

struct race_chunk;

struct race_block {
	struct race_launch *launch;
	u32 number;
	u64 index;
	u32 warps;
	u32 chunks;
	struct race_chunk **shared;		/* [chunks], NULL until it is accessed */
	struct race_warp warp[];
};

/** struct race_span - numbers of blocks of one launch, or of a command */
struct race_span {
	u32 first, count;
	u32 queue;
	u64 seq;
	void *launch;				/* the caller's */
};

/** struct race_seqs - of each queue, what is before: an array that is shared by references */
struct race_seqs {
	u32 refs;
	u32 count;
	u64 seq[];
};

struct race_launch {
	struct race *race;
	struct race_launch *next;
	struct race_span span;
	struct race_seqs *before;
	/* what was looked up last: numbers in [low, high) are ordered before, or not */
	u32 low, high;
	bool ordered;
	struct race_doubts *doubts;		/* race_doubt.c */
	/* blocks that have been dropped begin again with counters from here on */
	u32 restart;
};

/** struct race_var - where something was released (race_var.c) */
struct race_var {
	struct race_var *next;
	u64 address;
	u32 block;				/* 0: for all; else of and for that block */
	u32 version;
	struct race_clock *clock;
};

struct race_vars {
	struct race_var **bucket;
	u32 buckets;
	u32 count;
};

struct race_queue;

struct race_table {
	struct race_chunk ***top;		/* [1 << 17] of [1 << 20] */
	struct race_chunk *spare;		/* of shared memory */
	u64 bytes;
};

struct race {
	race_report_fn *report;
	void *arg;
	struct race_site *site;
	u32 sites, site_room;
	/* rising by first */
	struct race_span *span;
	u32 spans, span_room;
	u32 numbers;				/* the next block's */
	struct race_launch *launches;
	u32 running;
	struct race_queue *queue;
	u32 queues;
	struct race_seqs *host;
	struct race_vars vars;
	struct race_table table;
};

static inline const struct race_state *race_state_of(const struct race_block *block, u32 warp,
						     u32 lane)
{
	return block->warp[warp].lane[lane];
}

/* ---- race_state.c ---- */
void race_state_begin(struct race_block *block, u32 warps, u32 threads, u32 counter);
void race_state_end(struct race_block *block);
/* Lane @lane has seen what was released at @var, if anything */
void race_state_see(struct race_block *block, u32 warp, u32 lane, enum race_scope scope,
		    struct race_clock *clock);
/* A reference to what @lane releases with a write of scope @scope; NULL: nothing */
struct race_clock *race_state_release(struct race_block *block, u32 warp, u32 lane,
				      enum race_scope scope);

/* ---- race_var.c ---- */
struct race_var *race_var_find(struct race_vars *vars, u64 address, u32 block);
/* Lane @lane makes a strong access of kind @kind and scope @scope at @address. */
void race_var_access(struct race_block *block, u32 warp, u32 lane, const struct race_site *site,
		     u64 address, bool shared);
void race_vars_clear(struct race_vars *vars);

/* ---- race_doubt.c ---- */
/*
 * @found is a plain read, of block @number, beside an atomic, or a volatile access beside one of
 * another lane.
 */
void race_doubt(struct race_launch *launch, const struct race_found *found, u32 number);
/* A thread has gone on from the read @site with an atomicCAS() at its address, or waits by it. */
void race_doubt_loop(struct race_launch *launch, u32 site);
/* @reader has read what @writer wrote: if the one waits for flags, the other sets them. */
void race_doubt_flag(struct race_launch *launch, u32 reader, u32 writer);
/* The thread makes an atomicCAS() at @address: if a read is in doubt, that was such a read. */
void race_doubt_settled(struct race_launch *launch, u64 address, u32 number, u32 thread);
/* Report those that are left, but for those of such reads. */
void race_doubts_end(struct race_launch *launch);

/* ---- race_command.c ---- */
struct race_seqs *race_seqs_of(struct race *race, u32 queue, u64 seq);
void race_seqs_drop(struct race_seqs *seqs);
/* Is @span, of other blocks, before a command of @queue that is behind @before? */
bool race_span_before(const struct race_span *span, u32 queue, u64 seq,
		      const struct race_seqs *before);
/* A span of @count new numbers */
struct race_span *race_span_new(struct race *race, u32 count, u32 queue, u64 seq, void *launch);
const struct race_span *race_span_of(const struct race *race, u32 number);
void race_commands_free(struct race *race);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Inside the explorer of lazy.h: a state, an exploration, and the steps from a state to the next
 * ones, as ../run.h has them for GETM.
 */
#ifndef TEST_TM_LAZY_RUN_H
#define TEST_TM_LAZY_RUN_H

#include "../search.h"
#include "lazy.h"
#include "memsys/tm/lazy/core.h"
#include "memsys/tm/lazy/tcd.h"

#define LAZY_PARTITIONS	2u
#define LAZY_UNIT	160u	/* words of a unit at most */
#define LAZY_MESSAGES	40u
#define LAZY_LINES	4u	/* of a conflict address table at most */
#define LAZY_SILENT	0xffu	/* instead of a commit id */

enum lazy_phase { LAZY_RUNS, LAZY_LOADS, LAZY_COMMITS };

/**
 * struct lazy_log - of an attempt: first what was read, then what is written, an entry a location
 */
struct lazy_log {
	u8 reads;
	u8 writes;
	u8 location[TX_OPS];
	u8 value[TX_OPS];
};

/**
 * struct lazy_thread - a warp, and its attempt
 * @conflicts: conflict address table of its core
 * @tx, @pc: transaction and access; @phase: enum lazy_phase
 * @aborted: it has, and waits for the answer to its load
 * @order: commit ids of transactions that have committed
 */
struct lazy_thread {
	struct vgpu_wtm_commit commit;
	struct vgpu_tcd_reads reads;
	struct vgpu_eapg_line conflicts[LAZY_LINES];
	struct lazy_log log;
	u8 tx;
	u8 pc;
	u8 phase;
	u8 aborted;
	u8 order[TX_EACH];
	u8 unused[8];
};

enum lazy_message_kind {
	LAZY_LOAD, LAZY_LOG, LAZY_DECISION,				/* to a partition */
	LAZY_ANSWER, LAZY_VERDICT, LAZY_ACK, LAZY_INSERT, LAZY_REMOVE,	/* to a core */
};

/**
 * struct lazy_message - on its way
 * @stored: ANSWER: of temporal conflict detection
 * @channel: those of one stay in order
 * @what: LOAD, ANSWER, INSERT, REMOVE: location; VERDICT: has failed; DECISION: commits
 * @value: ANSWER
 * @cid: LOG, VERDICT, DECISION
 */
struct lazy_message {
	u64 stored;
	struct lazy_log log;
	u8 channel;
	u8 kind;
	u8 what;
	u8 value;
	u8 cid;
	u8 unused;
};

/**
 * struct lazy_state
 * @now: time
 * @cids: that have been taken
 */
struct lazy_state {
	struct lazy_thread threads[TX_WARPS];
	u64 units[LAZY_PARTITIONS][LAZY_UNIT];
	u64 now;
	struct tx_outcome outcome;	/* memory, registers */
	u8 cids;
	u8 unused[2];
	u32 count;
	struct lazy_message messages[LAZY_MESSAGES];
};

/**
 * struct lazy_run - an exploration
 * @now: the state whose successors are being made
 * @next: the one that is being made
 * @moved: some have been made
 * @timed: there is something that commits silently: time goes on
 * @views: what transactions may see
 */
struct lazy_run {
	const struct tx_program *program;
	const struct lazy_options *options;
	struct vgpu_wtm wtm;
	struct lazy_result *result;
	struct search search;
	struct lazy_state now;
	struct lazy_state next;
	bool moved;
	bool timed;
	struct tx_outcomes views[TX_WARPS][TX_EACH];
};

static inline struct vgpu_wtm_unit *lazy_unit(struct lazy_state *state, u32 partition)
{
	return (struct vgpu_wtm_unit *)state->units[partition];
}

/* run.c */
void lazy_begin_move(struct lazy_run *run);
void lazy_end_move(struct lazy_run *run);
u32 lazy_partition_of(const struct lazy_run *run, u32 location);
u64 lazy_address_of(u32 location);
u32 lazy_location_of(u64 address);
struct lazy_message lazy_message(enum lazy_message_kind kind);
/* To partition @partition from core @core, or the other way */
void lazy_send_up(struct lazy_run *run, u32 core, u32 partition,
		  const struct lazy_message *message);
void lazy_send_down(struct lazy_run *run, u32 core, u32 partition,
		    const struct lazy_message *message);
/* Message @n of @next is not on its way any more. */
void lazy_take(struct lazy_run *run, u32 n);

/* core.c: the steps of warps, and what a message does at one */
void lazy_move_warps(struct lazy_run *run);
void lazy_core_comes(struct lazy_run *run, u32 core, u32 partition,
		     const struct lazy_message *message);

/* unit.c: the steps of messages, and of partitions */
void lazy_move_messages(struct lazy_run *run);
void lazy_move_units(struct lazy_run *run);

#endif

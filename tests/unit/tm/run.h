/* SPDX-License-Identifier: MIT */
/*
 * Inside the explorer (explore.h): a state, an exploration, and the steps from a state to the next
 * ones. A step begins with tx_begin_move(), changes @next, and ends with tx_end_move(); one that
 * turns out not to be possible just does not end.
 */
#ifndef TEST_TM_RUN_H
#define TEST_TM_RUN_H

#include "explore.h"
#include "memsys/tm/rollover.h"
#include "memsys/tm/warp.h"
#include "search.h"

#define TX_PARTITIONS	2u
#define TX_UNIT		64u	/* words of a unit at most */
#define TX_MESSAGES	32u
#define TX_REGIONS	4u

/**
 * struct tx_thread - a warp, and its attempt
 * @tx, @pc: transaction and access; @sent: the access is on its way
 * @entries: of the log: @location, @value
 * @ts, @epoch: of transactions that have committed
 */
struct tx_thread {
	struct vgpu_tm_warp warp;
	u8 tx;
	u8 pc;
	u8 sent;
	u8 entries;
	u8 location[TX_OPS];
	u8 value[TX_OPS];
	u8 ts[TX_EACH];
	u8 epoch[TX_EACH];
};

enum tx_message_kind {
	TX_REQUEST, TX_LOG, TX_ACK,	/* to a partition */
	TX_ANSWER, TX_FLUSH,		/* to a core */
	TX_RING,			/* to the next partition */
};

/**
 * struct tx_message - on its way
 * @request: REQUEST, ANSWER; of LOG the granule
 * @time: ANSWER
 * @origin: FLUSH, RING
 * @channel: those of one stay in order
 * @what: ANSWER: result; LOG: commits; RING: event
 * @value: ANSWER, LOG: the bytes
 */
struct tx_message {
	struct vgpu_tm_request request;
	u64 time;
	u16 origin;
	u8 channel;
	u8 kind;
	u8 what;
	u8 value;
	u8 unused[2];
};

struct tx_state {
	struct tx_thread threads[TX_WARPS];
	u64 units[TX_PARTITIONS][TX_UNIT];
	u8 data[TX_PARTITIONS][TX_REGIONS];	/* of the regions of commit units */
	struct tx_outcome outcome;		/* memory, registers */
	u8 rollovers;
	u8 unused[2];
	u32 count;
	struct tx_message messages[TX_MESSAGES];
};

/**
 * struct run - an exploration
 * @now: the state whose successors are being made
 * @next: the one that is being made
 * @moved: some have been made
 */
struct run {
	const struct tx_program *program;
	const struct tx_options *options;
	struct vgpu_tm tm;
	struct tx_result *result;
	struct search search;
	struct tx_state now;
	struct tx_state next;
	bool moved;
};

static inline struct vgpu_tm_unit *tx_unit(struct tx_state *state, u32 partition)
{
	return (struct vgpu_tm_unit *)state->units[partition];
}

/* run.c */
void tx_begin_move(struct run *run);
void tx_end_move(struct run *run);
/* @next is a state that is not followed. */
void tx_cut_move(struct run *run);
u32 tx_partition_of(const struct run *run, u32 location);
u64 tx_granule_of(u32 location);
struct tx_message tx_message(enum tx_message_kind kind);
/* To partition @partition from core @core, or the other way; to the next partition */
void tx_send_up(struct run *run, u32 core, u32 partition, const struct tx_message *message);
void tx_send_down(struct run *run, u32 core, u32 partition, const struct tx_message *message);
void tx_send_round(struct run *run, u32 partition, const struct tx_message *message);
/* Message @n of @next is not on its way any more. */
void tx_take(struct run *run, u32 n);

/* run_warp.c: the steps of warps, and what a message does at one. False: @next is cut */
void tx_move_warps(struct run *run);
bool tx_answer_comes(struct run *run, u32 core, const struct tx_message *message);
void tx_flush_comes(struct run *run, u32 core);

/* run_unit.c: the steps of messages, of commit units and of the stall buffer */
void tx_move_messages(struct run *run);
void tx_move_units(struct run *run);

#endif

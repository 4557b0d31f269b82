/* SPDX-License-Identifier: MIT */
/*
 * An explorer of coherence protocols: small programs on 2 to 4 L1s, an L2 of one or two partitions
 * and a network, around the tables of sim-device/memsys/protocol, which it instantiates as the
 * device does. It goes through all states that there are: every order in which warps make their
 * accesses, messages arrive, DRAM answers, lines are evicted and purged, and time passes, to the
 * bounds of struct ex_options. Data are in the caches: what a load returns is what a line has.
 */
#ifndef TEST_EXPLORE_H
#define TEST_EXPLORE_H

#include "memsys/protocol/protocol.h"

#define EX_THREADS	4u
#define EX_CORES	4u
#define EX_LINES	2u
#define EX_OPS		8u
#define EX_REGS		6u
#define EX_OUTCOMES	1024u
#define EX_NO_VALUE	0xffu	/* of a register that has not been loaded */

enum ex_do { EX_END, EX_READ, EX_WRITE, EX_SWAP, EX_FENCE };

/** struct ex_op - @reg: of READ and SWAP (atomic exchange) */
struct ex_op {
	u8 what;
	u8 line;
	u8 value;
	u8 reg;
};

/**
 * struct ex_program - a litmus test. All lines are 0 at first
 * @core: on which a thread runs
 * @final: its outcomes have the last values of the lines, too
 */
struct ex_program {
	const char *name;
	u32 threads;
	u8 core[EX_THREADS];
	bool final;
	struct ex_op ops[EX_THREADS][EX_OPS];
};

/** struct ex_outcome - of a run: registers, then lines */
struct ex_outcome {
	u8 value[EX_REGS + EX_LINES];
};

struct ex_outcomes {
	struct ex_outcome list[EX_OUTCOMES];
	u32 count;
};

/**
 * struct ex_options - bounds
 * @unordered: messages overtake each other
 * @partitions: 1 or 2: line n is in n modulo this
 * @lease, @limit: as in struct vgpu_coh_setup
 * @evictions: of L2; L1s evict at any time if @l1_evicts
 * @ticks: times at which a clock goes on although nothing waits for it
 * @purges: of a page, in all caches
 * @warm: bit core * EX_LINES + line: the L1 has the line at first, and a lease
 */
struct ex_options {
	const struct vgpu_coh_protocol *protocol;
	bool unordered;
	u32 partitions;
	u64 lease;
	u64 limit;
	u32 evictions;
	bool l1_evicts;
	u32 ticks;
	u32 purges;
	u32 warm;
	bool as_published;
	u8 fault;
};

/** struct ex_move - a transition: of state, on event, to state, and what was sent and written */
struct ex_move {
	u8 state;
	u8 event;
	u8 next;
	u8 sent;	/* kind of the message; VGPU_COH_EVENTS: none */
	bool invs;
	bool wback;
};

#define EX_MOVES	256u

/** struct ex_moves - without those that stalled */
struct ex_moves {
	struct ex_move list[EX_MOVES];
	u32 count;
};

/**
 * struct ex_result - of all runs
 * @impossible: events that the table does not have
 * @deadlocks: states from which nothing goes on, although threads have not ended
 * @rollovers: how often one has begun
 */
struct ex_result {
	struct ex_outcomes outcomes;
	u64 states;
	u64 impossible;
	u64 deadlocks;
	u64 rollovers;
	struct ex_moves *l1;	/* NULL: not wanted. Adds to what is there */
	struct ex_moves *l2;
};

void ex_explore(const struct ex_program *program, const struct ex_options *options,
		struct ex_result *result);
/* Add @outcome unless it is there. */
void ex_outcome_add(struct ex_outcomes *outcomes, const struct ex_outcome *outcome);
bool ex_outcome_is_in(const struct ex_outcomes *outcomes, const struct ex_outcome *outcome);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * An explorer of GETM: 2 or 3 warps of one thread, each on a core of its own, with small
 * transactions on 2 or 3 locations, one or two partitions and a network, around the units of
 * sim-device/memsys/tm, which it instantiates as a device does. It goes through all states that
 * there are: every order in which warps make accesses, messages arrive, commit units work, requests
 * leave the stall buffer, and partitions roll over, to the bounds of struct tx_options. What a load
 * returns is what memory has when the validation unit says that it succeeds.
 */
#ifndef TEST_TM_EXPLORE_H
#define TEST_TM_EXPLORE_H

#include "memsys/tm/tm.h"

#define TX_WARPS	3u
#define TX_LOCATIONS	3u
#define TX_EACH		2u	/* transactions of a warp, one after the other */
#define TX_OPS		4u
#define TX_REGS		6u
#define TX_OUTCOMES	256u
#define TX_NO_VALUE	0xffu	/* of a register that has not been loaded */

enum tx_do { TX_END, TX_LOAD, TX_STORE };

/** struct tx_op - @value: of a store; register of a load */
struct tx_op {
	u8 what;
	u8 location;
	u8 value;
};

/**
 * struct tx_program - all locations are 0 at first
 * @start: warpts at first
 * @ops: of each warp, of each of its transactions, up to TX_END
 */
struct tx_program {
	const char *name;
	u32 warps;
	u8 start[TX_WARPS];
	struct tx_op ops[TX_WARPS][TX_EACH][TX_OPS + 1];
};

/** struct tx_outcome - of a run: locations at its end, and what its transactions have loaded */
struct tx_outcome {
	u8 memory[TX_LOCATIONS];
	u8 regs[TX_REGS];
};

struct tx_outcomes {
	struct tx_outcome list[TX_OUTCOMES];
	u32 count;
};

/**
 * struct tx_options - bounds
 * @setup: of the units; @setup.cores does not count
 * @times: runs in which a warp begins at a later time are not followed; 0: all are
 * @rollovers: nor are those with more rollovers of a partition
 * @delays: answers take time. Without it they are there at once, which shows the same unless there
 *   are rollovers: a warp makes its next access at any time anyway
 */
struct tx_options {
	struct vgpu_tm_setup setup;
	u32 times;
	u32 rollovers;
	bool delays;
};

/**
 * struct tx_result - of all runs
 * @cut: transitions that were not followed, see @times and @rollovers
 * @deadlocks: states from which nothing goes on, although transactions have not committed
 * @disordered: runs whose outcome is not that of the order (warpts, wid)
 * @lost: logs of more writes than there were
 * @locked: ends at which something is still locked, or a request waits
 * @rollovers, @queued, @causes: how often one began, a request waited, one aborted and why
 * @overflowed: most entries of an overflow area
 */
struct tx_result {
	struct tx_outcomes outcomes;
	u64 states;
	u64 cut;
	u64 deadlocks;
	u64 disordered;
	u64 lost;
	u64 locked;
	u64 rollovers;
	u64 queued;
	u64 causes[VGPU_TM_CAUSES];
	u32 overflowed;
};

void tx_explore(const struct tx_program *program, const struct tx_options *options,
		struct tx_result *result);
/* A setup in which tables are as small as they may be: one row of one way, one entry of others */
struct vgpu_tm_setup tx_small(enum vgpu_tm_rule rule);

#endif

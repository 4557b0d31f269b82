/* SPDX-License-Identifier: MIT */
/*
 * An explorer of WarpTM, EAPG and WarpTM-EL, beside that of GETM (../explore.h), of whose programs
 * and outcomes it makes use: warps of one thread, each on a core of its own, one or two partitions
 * and a network, around the units of sim-device/memsys/tm/lazy. Every order is tried in which warps
 * make accesses and commit, messages arrive, partitions look for hazards, compare reads, send
 * verdicts and write, a word at a time, and time goes on.
 */
#ifndef TEST_TM_LAZY_H
#define TEST_TM_LAZY_H

#include "../explore.h"
#include "memsys/tm/lazy/warptm.h"

enum lazy_kind { LAZY_WARPTM, LAZY_EAPG, LAZY_EL };

/**
 * struct lazy_options - bounds
 * @setup: of the units; @setup.cores does not count
 * @kind: enum lazy_kind
 * @commits: runs with more commit ids are not followed
 * @ticks: what happens may happen at the same time. Without it stores, and first loads of
 *   transactions, are all at different times
 * @delays: answers to loads take time
 */
struct lazy_options {
	struct vgpu_wtm_setup setup;
	enum lazy_kind kind;
	u32 commits;
	bool ticks;
	bool delays;
};

/**
 * struct lazy_result - of all runs
 * @cut: transitions that were not followed, see @commits
 * @deadlocks: states from which nothing goes on, although transactions have not committed
 * @disordered: runs whose outcome is not that of the order of commit ids, with those that have
 *   committed silently anywhere
 * @left: ends at which something is still in a partition or a conflict table
 * @inconsistent: loads after which a transaction has seen what no serial order has together
 * @silent, @failed, @hazards: transactions that have committed silently, verdicts that failed,
 *   commit ids with a hazard
 * @aborted: transactions that aborted early, or because an access was stale
 * @paused: states in which an access waits for what is being committed
 */
struct lazy_result {
	struct tx_outcomes outcomes;
	u64 states;
	u64 cut;
	u64 deadlocks;
	u64 disordered;
	u64 left;
	u64 inconsistent;
	u64 silent;
	u64 failed;
	u64 hazards;
	u64 aborted;
	u64 paused;
};

void lazy_explore(const struct tx_program *program, const struct lazy_options *options,
		  struct lazy_result *result);
/* Room for all in small tables: a set of some ways each */
struct vgpu_wtm_setup lazy_setup(void);

#endif

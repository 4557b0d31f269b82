/* SPDX-License-Identifier: MIT */
/*
 * What transactions may show: they are executed one after the other, without any units.
 */
#ifndef TEST_TM_ORACLE_H
#define TEST_TM_ORACLE_H

#include "explore.h"

/* Add @outcome unless it is there. */
void tx_outcome_add(struct tx_outcomes *outcomes, const struct tx_outcome *outcome);
bool tx_outcome_is_in(const struct tx_outcomes *outcomes, const struct tx_outcome *outcome);
/* Those of @from that @to does not have; *@first: one of them */
u32 tx_outcomes_beyond(const struct tx_outcomes *from, const struct tx_outcomes *to,
		       struct tx_outcome *first);

/* An outcome before anything has happened */
struct tx_outcome tx_outcome_begin(void);
/* Transaction @tx of warp @warp executes alone. */
void tx_outcome_execute(const struct tx_program *program, u32 warp, u32 tx,
			struct tx_outcome *outcome);
/* How many transactions warp @warp has */
u32 tx_count(const struct tx_program *program, u32 warp);
/* Of all orders of transactions; those of one warp stay in order */
void tx_oracle(const struct tx_program *program, struct tx_outcomes *outcomes);
/*
 * What the loads of transaction @tx of warp @warp return in all these orders, as registers of
 * outcomes without memory: what it may see together, if all others are atomic
 */
void tx_oracle_views(const struct tx_program *program, u32 warp, u32 tx,
		     struct tx_outcomes *views);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * What a program may show, without caches: three machines, which share nothing with the protocols.
 */
#ifndef TEST_ORACLE_H
#define TEST_ORACLE_H

#include "explore.h"

/* One memory, and an access after the other in the order of each thread: sequential consistency */
void ex_oracle_sc(const struct ex_program *program, struct ex_outcomes *outcomes);

/*
 * The same, but a read may be before a write or an atomic that its thread makes before it, and the
 * other way round, if they are of different lines and no fence is between them: RCC-WO
 */
void ex_oracle_reordered(const struct ex_program *program, struct ex_outcomes *outcomes);

enum ex_fence_kind {
	EX_FENCE_ACQUIRES,	/* what its core reads then is not older than now: gpu */
	EX_FENCE_RELEASES,	/* what its core has written is seen by all: TC-Weak */
};

/*
 * Each line is the sequence of its writes, and each core has got to some place in it: a read may
 * move that on, and never back; writes and atomics are at the end. Cores are otherwise independent
 * of each other: no atomicity of writes
 */
void ex_oracle_views(const struct ex_program *program, enum ex_fence_kind fence,
		     struct ex_outcomes *outcomes);

#endif

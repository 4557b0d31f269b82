/* SPDX-License-Identifier: MIT */
/*
 * The programs that the explorer of transactions runs.
 */
#ifndef TEST_TM_PROGRAMS_H
#define TEST_TM_PROGRAMS_H

#include "explore.h"

extern const struct tx_program tx_programs[];
extern const u32 tx_program_count;

/* The one of this name; NULL: there is none */
const struct tx_program *tx_program_find(const char *name);
/* A program of 3 warps with a transaction each, of 2 or 3 accesses to 2 locations, from @seed */
struct tx_program tx_program_random(u64 seed);

#endif

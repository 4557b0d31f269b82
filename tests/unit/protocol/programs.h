/* SPDX-License-Identifier: MIT */
/*
 * The litmus tests that the explorer runs: shapes of two to four threads, on L1s of their own and
 * on shared ones.
 */
#ifndef TEST_PROGRAMS_H
#define TEST_PROGRAMS_H

#include "explore.h"

extern const struct ex_program ex_programs[];
extern const u32 ex_program_count;

/* The one of this name; there must be one. */
const struct ex_program *ex_program_find(const char *name);
/* @program with a fence between any two accesses of a thread */
struct ex_program ex_program_fenced(const struct ex_program *program);
/* A bit core * EX_LINES + line for all L1s on which it has threads, and all lines */
u32 ex_program_warm(const struct ex_program *program);

#endif

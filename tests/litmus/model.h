/* SPDX-License-Identifier: MIT */
/*
 * What a litmus test may show, without any machine: two models that share nothing with each other
 * and with the protocols.
 *
 *	SC	one memory, and an access after the other in the order of each thread
 *	PTX	the axioms of the PTX ISA, "Memory Consistency Model", on all candidate executions:
 *		each read reads from some write of its location, and the writes of each location
 *		are in some order
 *
 * An outcome has the registers of the test, then the last values of its locations.
 */
#ifndef TEST_LITMUS_MODEL_H
#define TEST_LITMUS_MODEL_H

#include "tests/unit/protocol/litmus.h"

#define MOD_SLOTS	(EX_REGS + LIT_LINES)
#define MOD_OUTCOMES	1024u

/** struct mod_outcome - slots that the test does not have are 0 */
struct mod_outcome {
	u8 value[MOD_SLOTS];
};

struct mod_outcomes {
	struct mod_outcome list[MOD_OUTCOMES];
	u32 count;
};

/* By value, each once */
void mod_sc(const struct lit_test *test, struct mod_outcomes *outcomes);
/* @cta: of each thread: what is in one is in the scope .cta of each other */
void mod_ptx(const struct lit_test *test, const u8 cta[EX_THREADS], struct mod_outcomes *outcomes);
bool mod_has(const struct mod_outcomes *outcomes, const struct mod_outcome *outcome);
void mod_add(struct mod_outcomes *outcomes, const struct mod_outcome *outcome);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Litmus tests in herd's format, with the instructions of PTX:
 *
 *	PTX MP
 *	{ x=0; y=0; }
 *	 P0              | P1              ;
 *	 st.relaxed x,1  | ld.relaxed r0,y ;
 *	 fence.sc        | fence.sc        ;
 *	 st.relaxed y,1  | ld.relaxed r1,x ;
 *	ScopeTree(device (cta P0) (cta P1))
 *	exists (1:r0=1 /\ 1:r1=0)
 *
 * What is after the first point of an instruction, orders and scopes, makes no difference here.
 * Each cta of the tree is an L1; without one each thread has its own. Locations are 0 at first, may
 * stand in [], and are as many as the explorer has lines.
 */
#ifndef TEST_LITMUS_H
#define TEST_LITMUS_H

#include <stddef.h>

#include "explore.h"

#define LIT_NAME	32u
#define LIT_TERMS	8u

enum lit_quantifier { LIT_EXISTS, LIT_NOT_EXISTS, LIT_FORALL };

/**
 * struct lit_test - a test that has been read
 * @program: @program.name is @name
 * @reg_thread, @reg: of each register of the program: whose it is, and its name there
 * @line: names of locations; @lines: how many there are
 * @slot, @value: of the condition: this byte of an outcome is this value, for all @terms
 */
struct lit_test {
	struct ex_program program;
	char name[LIT_NAME];
	u32 regs;
	u32 reg_thread[EX_REGS];
	char reg[EX_REGS][LIT_NAME];
	u32 lines;
	char line[EX_LINES][LIT_NAME];
	enum lit_quantifier quantifier;
	u32 terms;
	u32 slot[LIT_TERMS];
	u32 value[LIT_TERMS];
};

/*
 * Read @text, which is changed. Returns false and says in @error (of @size) which line is wrong,
 * and why. @test points into itself: it must not be copied.
 */
bool lit_read(char *text, struct lit_test *test, char *error, size_t size);
/* Is the condition's conjunction true of @outcome? */
bool lit_holds(const struct lit_test *test, const struct ex_outcome *outcome);
/* As lit_holds() for all of them: how many it is true of; *@holds: what the test claims is so */
u32 lit_count(const struct lit_test *test, const struct ex_outcomes *outcomes, bool *holds);

#endif

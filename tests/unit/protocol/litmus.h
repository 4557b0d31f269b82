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
 * Instructions: ld, st, atom.exch, atom.add, atom.cas, fence and membar, with .weak, .volatile,
 * .relaxed, .acquire, .release, .acq_rel, .sc, .cta, .gpu and .sys; other parts of a name (.global,
 * .u32) make no difference. Without a scope it is .gpu. Each cta of the tree is an L1; without one
 * each thread has its own. Locations are 0 at first, and may stand in [].
 *
 * The explorer knows no orders and scopes, no atom.add and atom.cas, and two locations: tests that
 * need more are for tests/litmus, which makes CUDA programs of them.
 */
#ifndef TEST_LITMUS_H
#define TEST_LITMUS_H

#include <stddef.h>

#include "explore.h"

#define LIT_NAME	32u
#define LIT_TERMS	8u
#define LIT_LINES	4u

enum lit_quantifier { LIT_EXISTS, LIT_NOT_EXISTS, LIT_FORALL };

enum lit_what { LIT_END, LIT_LD, LIT_ST, LIT_EXCH, LIT_ADD, LIT_CAS, LIT_FENCE };
enum lit_order {
	LIT_WEAK, LIT_VOLATILE, LIT_RELAXED, LIT_ACQUIRE, LIT_RELEASE, LIT_ACQ_REL, LIT_SC
};
enum lit_scope { LIT_CTA, LIT_GPU, LIT_SYS };

/**
 * struct lit_insn - an instruction
 * @value: ST, EXCH: that is stored; ADD: added; CAS: stored if @expect is there
 */
struct lit_insn {
	u8 what;
	u8 order;
	u8 scope;
	u8 line;
	u8 reg;
	u8 value;
	u8 expect;
};

/**
 * struct lit_test - a test that has been read
 * @insn: of each thread, up to LIT_END
 * @beyond: why the explorer cannot run it: then @program has not all of it; NULL: it can
 * @program: @program.name is @name
 * @reg_thread, @reg: of each register of the program: whose it is, and its name there
 * @line: names of locations; @lines: how many there are
 * @slot, @value: of the condition: this byte of an outcome is this value, for all @terms
 */
struct lit_test {
	struct lit_insn insn[EX_THREADS][EX_OPS];
	const char *beyond;
	struct ex_program program;
	char name[LIT_NAME];
	u32 regs;
	u32 reg_thread[EX_REGS];
	char reg[EX_REGS][LIT_NAME];
	u32 lines;
	char line[LIT_LINES][LIT_NAME];
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
/*
 * The next test of a file that has several: each begins in a line with "PTX ". NULL: there is none.
 * *@next: where to look for the one behind it; *@line: number of the first line of this one
 */
char *lit_next(char **next, u32 *line);
/* Is the condition's conjunction true of @outcome? */
bool lit_holds(const struct lit_test *test, const struct ex_outcome *outcome);
/* As lit_holds() for all of them: how many it is true of; *@holds: what the test claims is so */
u32 lit_count(const struct lit_test *test, const struct ex_outcomes *outcomes, bool *holds);

#endif

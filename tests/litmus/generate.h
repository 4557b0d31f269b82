/* SPDX-License-Identifier: MIT */
/* Inside tests/litmus: what a test may show, and the CUDA program that is written of it. */
#ifndef TEST_LITMUS_GENERATE_H
#define TEST_LITMUS_GENERATE_H

#include <stdio.h>

#include "model.h"

/**
 * struct gen_test - a test and what it may show
 * @apart, @together: PTX's outcomes with each thread in a block of its own, all in one
 */
struct gen_test {
	struct lit_test test;
	struct mod_outcomes sc;
	struct mod_outcomes apart;
	struct mod_outcomes together;
};

/* Its kernel, and the table of what it may show. @number: of the test in the program */
void gen_write(const struct gen_test *test, u32 number, FILE *out);
/* What all tests of a program share: before them, and after @count of them */
void gen_begin(FILE *out);
void gen_end(u32 count, FILE *out);
/* "0:r0=1 x=2": of the slots that the test has; into @text of @size */
const char *gen_outcome(const struct lit_test *test, const struct mod_outcome *outcome, char *text,
			size_t size);
/* Is @slot of an outcome a register or a location of @test, which the outcome has? */
bool gen_has_slot(const struct lit_test *test, u32 slot);

#endif

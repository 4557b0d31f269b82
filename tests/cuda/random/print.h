/* SPDX-License-Identifier: MIT */
/*
 * What print.c, the statements, has from print_expr.c.
 */
#ifndef TESTS_CUDA_RANDOM_PRINT_H
#define TESTS_CUDA_RANDOM_PRINT_H

#include "random.h"

void print_constant(FILE *out, enum type type, uint64_t value);
/* The text of an expression, until the next but seven. */
const char *expr_text(const struct expr *e);

#endif

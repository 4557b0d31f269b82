/* SPDX-License-Identifier: MIT */
/*
 * What generate.c, the statements, has from expression.c.
 */
#ifndef TESTS_CUDA_RANDOM_GENERATE_H
#define TESTS_CUDA_RANDOM_GENERATE_H

#include "random.h"

void *new_zeroed(size_t bytes);
unsigned int below(struct kernel *k, unsigned int n);
uint64_t random_of(struct kernel *k, enum type type);
uint64_t constant_bits(struct kernel *k, enum type type); /* no NaN */
bool has(const struct kernel *k, enum class class);
bool type_there(const struct kernel *k, enum type type);
enum type random_type(struct kernel *k);
struct expr *constant(enum type type, uint64_t value);
/* At most that many operations in one another, and no more than the kernel may have. */
struct expr *expression(struct kernel *k, enum type type, unsigned int depth);
/* A variable, old or new, for a value of that type. */
unsigned int target(struct kernel *k, enum type type);

#endif

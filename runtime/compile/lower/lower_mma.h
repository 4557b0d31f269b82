/* SPDX-License-Identifier: MIT */
/*
 * What lower_mma.c and lower_sparse.c share: one mma as it is written.
 */
#ifndef VGPU_CC_LOWER_MMA_H
#define VGPU_CC_LOWER_MMA_H

#include "lower.h"

struct cc_mma {
	const struct cc_mma_kind *kind;
	enum ptx_type d, a, b, c, sum;
	unsigned int k;
	unsigned int rows; /* that a lane has of A, C and D */
	unsigned int e; /* elements in a register of A and B */
	unsigned int registers; /* of B, and of each row of A; half as many of a sparse A */
};

/* out = a * b + sum, in the type of the sums */
uint32_t cc_mma_add_product(struct cc_lower *l, const struct cc_mma *mma, uint32_t a, uint32_t b,
			    uint32_t sum);
/* Register @number of B, of the lane @further behind the first of those with the column. */
uint32_t cc_mma_fetch_b(struct cc_lower *l, const struct cc_mma *mma, unsigned int number,
			uint32_t lane);
/* lower_sparse.c: adds the products of a sparse A */
void cc_mma_multiply_sparse(struct cc_lower *l, const struct cc_mma *mma, uint32_t sum[2][2]);

#endif

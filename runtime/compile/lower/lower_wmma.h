/* SPDX-License-Identifier: MIT */
/*
 * What lower_wmma.c and lower_wmma_memory.c share: shapes of fragments, and how their elements lie.
 */
#ifndef VGPU_CC_LOWER_WMMA_H
#define VGPU_CC_LOWER_WMMA_H

#include "lower.h"

struct cc_wmma_shape {
	uint16_t mod;
	uint8_t m, n, k;
};

/* Types that A and B may be of, the type of the sums, and the k of their shapes. */
struct cc_wmma_kind {
	uint8_t types[2], sum, k;
};

struct cc_wmma_order {
	unsigned int width, lanes, rows;
	unsigned int count; /* elements of a lane: width * rows */
	unsigned int each; /* elements in a register */
	unsigned int registers; /* of the fragment */
};

/* The shape of the instruction; what matrices of a type and shape are, NULL: there are none */
const struct cc_wmma_shape *cc_wmma_shape_of(struct cc_lower *l);
const struct cc_wmma_kind *cc_wmma_kind_of(enum ptx_type type, const struct cc_wmma_shape *shape);
/* Elements of A and B are of 4 bits or single bits, and a lane has a word of each. */
bool cc_wmma_has_words(const struct cc_wmma_shape *shape);
struct cc_wmma_order cc_wmma_order_of(const struct cc_wmma_shape *shape, unsigned int matrix,
				      enum ptx_type type);
/* Of a power of two. */
unsigned int cc_wmma_log2(unsigned int number);
/* The number of the lane, divided by @lanes, and what is left, each times a number. */
void cc_wmma_split_lane(struct cc_lower *l, unsigned int lanes, unsigned int times,
			unsigned int rest_times, uint32_t *row, uint32_t *rest);
/* In registers everything is bits, but what is multiplied as a register is. */
enum ptx_type cc_wmma_holder_of(enum ptx_type type);
/* lower_wmma_memory.c: wmma.load of one of the matrices, wmma.store.d */
void cc_lower_wmma_load(struct cc_lower *l, unsigned int matrix);
void cc_lower_wmma_store(struct cc_lower *l);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * What each arithmetic opcode yields in one lane, written from the definition of PTX in the
 * plainest way, with libm where floats are concerned. Tests compare the lanes with it.
 */
#ifndef OPS_REF_H
#define OPS_REF_H

#include <stdbool.h>
#include <stdint.h>

#include <linux/types.h>

/*
 * Result of @op with operands @a, @b (or the immediate, already chosen), @c, in the low bits for a
 * 32-bit result; 1 or 0 for a compare. False: this opcode is not one that computes lane by lane, or
 * is approximate.
 */
bool ref_op(unsigned int op, unsigned int flags, uint64_t a, uint64_t b, uint64_t c, uint64_t imm,
	    __u64 *result);
/* The exact value that approximate @op approaches. */
double ref_special(unsigned int op, double x);

#endif

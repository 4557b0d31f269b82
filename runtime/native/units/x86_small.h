/* SPDX-License-Identifier: MIT */
/* What instructions on vectors of 64 bytes have when they are put together of smaller ones. */
#ifndef VGPU_X86_SMALL_H
#define VGPU_X86_SMALL_H

#include "x86.h"

#define CODE(pp, map, w, op)	((pp) | (map) << 2 | (w) << 4 | (op) << 8)
#define PP(op)			((op) & 3)
#define MAP(op)			((op) >> 2 & 3)
#define WIDE(op)		((op) >> 4 & 1)
#define OPCODE(op)		((op) >> 8 & 0xff)

/* Of the options: the mask, 0: there is none */
#define MASK_OF(options)	((uint8_t)((options) & 7))

/* Vectors of the processor that an instruction computes in */
enum { S0, S1, S2, S3 };

/* What AVX2 and SSE2 both have */
enum {
	FROM_GPR = CODE(1, 1, 0, 0x6e),		/* movd; wide: movq. Of memory, too */
	TO_GPR = CODE(1, 1, 1, 0x7e),		/* movq */
	XOR = CODE(1, 1, 0, 0xef),
	OR = CODE(1, 1, 0, 0xeb),
	AND = CODE(1, 1, 0, 0xdb),
	AND_NOT = CODE(1, 1, 0, 0xdf),
	SUB = CODE(1, 1, 0, 0xfa),
	SUBQ = CODE(1, 1, 0, 0xfb),
	MULTIPLY = CODE(1, 1, 0, 0xf4),		/* pmuludq: even words */
	EQUAL = CODE(1, 1, 0, 0x76),
	GREATER = CODE(1, 1, 0, 0x66),
	SHIFT = CODE(1, 1, 0, 0x72),		/* by the field of reg: 6 left, 2 right, 4 sign */
	SHIFTQ = CODE(1, 1, 0, 0x73),
	EVEN_WORDS = CODE(0, 1, 0, 0xc6),	/* shufps */
};

/** struct source - the last operand of an instruction */
struct source {
	bool memory;
	uint8_t reg;
	struct x86_mem m;
};

static inline struct x86_mem moved(struct x86_mem m, int32_t by)
{
	m.disp += by;
	return m;
}

#endif

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

// SPDX-License-Identifier: MIT
/* What later vectors have one instruction for, and SSE2 several. See x86_sse2.h. */
#include "x86_sse2.h"

void x86_sse2_greater(struct x86 *x, bool wide)
{
	if (!wide) {
		put(x, GREATER, S0, register_quarter(S1), X86_NO_IMM);
		return;
	}
	/* by the high words; where they are equal, by the low ones, whose sign bits are changed */
	copy(x, S3, register_quarter(S0));
	put(x, EQUAL, S3, register_quarter(S1), X86_NO_IMM);
	put(x, GREATER, S0, register_quarter(S1), X86_NO_IMM);
	order(x, S1, S0, 0xa0);
	order(x, S3, S3, 0xf5);
	put(x, AND, S1, register_quarter(S3), X86_NO_IMM);
	order(x, S0, S0, 0xf5);
	put(x, OR, S0, register_quarter(S1), X86_NO_IMM);
}

/* The low words of S0 * S1 */
static void product(struct x86 *x)
{
	copy(x, S3, register_quarter(S0));
	put(x, MULTIPLY, S0, register_quarter(S1), X86_NO_IMM);
	put_shift(x, SHIFTQ, 2, S3, 32);
	put_shift(x, SHIFTQ, 2, S1, 32);
	put(x, MULTIPLY, S3, register_quarter(S1), X86_NO_IMM);
	order(x, S0, S0, 0x08);
	order(x, S3, S3, 0x08);
	put(x, LOW_WORDS, S0, register_quarter(S3), X86_NO_IMM);
}

/*
 * S0 * S1, 64 bits of the even words with signs: a negative factor is 2^32 too large as one without
 * a sign. Destroys S2.
 */
static void signed_product(struct x86 *x)
{
	copy(x, S3, register_quarter(S0));
	put_shift(x, SHIFT, 4, S3, 31);
	put(x, AND, S3, register_quarter(S1), X86_NO_IMM);
	copy(x, S2, register_quarter(S1));
	put_shift(x, SHIFT, 4, S2, 31);
	put(x, AND, S2, register_quarter(S0), X86_NO_IMM);
	put(x, ADD, S3, register_quarter(S2), X86_NO_IMM);
	put_shift(x, SHIFTQ, 6, S3, 32);
	put(x, MULTIPLY, S0, register_quarter(S1), X86_NO_IMM);
	put(x, SUBQ, S0, register_quarter(S3), X86_NO_IMM);
}

/* S0 = the smaller, or larger, of S0 and S1 */
static void min_max(struct x86 *x, bool larger, bool is_unsigned)
{
	uint64_t top = 0x8000000080000000ull;

	if (is_unsigned) {
		put(x, XOR, S0, all(x, top), X86_NO_IMM);
		put(x, XOR, S1, all(x, top), X86_NO_IMM);
	}
	copy(x, S3, register_quarter(S0));
	put(x, GREATER, S3, register_quarter(S1), X86_NO_IMM);
	put(x, XOR, S0, register_quarter(S1), X86_NO_IMM);
	put(x, AND, S3, register_quarter(S0), X86_NO_IMM);
	/* the second, or the first, where that is not greater; exchanged where it is */
	if (!larger)
		put(x, XOR, S1, register_quarter(S0), X86_NO_IMM);
	copy(x, S0, register_quarter(S1));
	put(x, XOR, S0, register_quarter(S3), X86_NO_IMM);
	if (is_unsigned)
		put(x, XOR, S0, all(x, top), X86_NO_IMM);
}

/* S0 without its sign */
static void absolute(struct x86 *x)
{
	copy(x, S1, register_quarter(S0));
	put_shift(x, SHIFT, 4, S1, 31);
	put(x, XOR, S0, register_quarter(S1), X86_NO_IMM);
	put(x, SUB, S0, register_quarter(S1), X86_NO_IMM);
}

bool x86_sse2_several(struct x86 *x, uint32_t op)
{
	switch (op) {
	case CODE(1, 2, 0, 0x40): product(x); break;
	case CODE(1, 2, 1, 0x28): signed_product(x); break;
	case CODE(1, 2, 0, 0x39): min_max(x, false, false); break;
	case CODE(1, 2, 0, 0x3b): min_max(x, false, true); break;
	case CODE(1, 2, 0, 0x3d): min_max(x, true, false); break;
	case CODE(1, 2, 0, 0x3f): min_max(x, true, true); break;
	case CODE(1, 2, 0, 0x1e):
		copy(x, S0, register_quarter(S1));
		absolute(x);
		break;
	default: return false;
	}
	return true;
}

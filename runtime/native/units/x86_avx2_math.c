// SPDX-License-Identifier: MIT
/* What later vectors have one instruction for, and AVX2 several. See x86_avx2.h. */
#include "x86_avx2.h"

/* A vector beside those that are for every instruction: half of vector 0 */
#define S4	4

enum {
	SHIFT_EACHQ = CODE(1, 2, 1, 0x45),	/* vpsrlvq */
	ADDQ = CODE(1, 1, 0, 0xd4),
	MIN = CODE(1, 2, 0, 0x39),
	MAX = CODE(1, 2, 0, 0x3d),
	TO_FLOAT = CODE(0, 1, 0, 0x5b),		/* vcvtdq2ps */
	ADD_FLOAT = CODE(0, 1, 0, 0x58),
	SUB_FLOAT = CODE(0, 1, 0, 0x5c),
	PERMUTE = CODE(1, 2, 0, 0x36),		/* vpermd: lanes by number */
	WIDEN = CODE(1, 2, 0, 0x31),		/* vpmovzxbd */
	BLEND_IMM = CODE(1, 3, 0, 0x02),	/* vpblendd */
};

/* to = op(a, b), all of them registers */
static void each(struct x86 *x, uint32_t op, uint8_t to, uint8_t a, uint8_t b)
{
	put_rr(x, op, true, to, a, b);
}

static void shift(struct x86 *x, uint32_t op, uint8_t field, uint8_t to, uint8_t from, int count)
{
	put_rr(x, op, true, field, to, from);
	x86_byte(x, (uint8_t)count);
}

/* to = b where the top of a lane of @where is set, else a */
static void blend(struct x86 *x, uint32_t op, uint8_t to, uint8_t a, uint8_t b, uint8_t where)
{
	put_rr(x, op, true, to, a, b);
	x86_byte(x, (uint8_t)(where << 4));
}

/* ---- 64 bits: S1 = op(S0, S1). Destroy S0 and S3. ---------------------------------------- */

static void product(struct x86 *x)
{
	shift(x, SHIFTQ, 2, S3, S0, 32);
	each(x, MULTIPLY, S3, S3, S1);
	/* S0 and S1 exchanged: the other high word */
	shift(x, SHIFTQ, 2, S4, S1, 32);
	each(x, MULTIPLY, S4, S4, S0);
	each(x, ADDQ, S3, S3, S4);
	shift(x, SHIFTQ, 6, S3, S3, 32);
	each(x, MULTIPLY, S1, S0, S1);
	each(x, ADDQ, S1, S1, S3);
}

static void min_max(struct x86 *x, bool larger, bool is_unsigned)
{
	each(x, LOAD, S3, 0, S0);
	each(x, LOAD, S4, 0, S1);
	if (is_unsigned) {
		put_rm(x, XOR, S3, S3, all(x, 1ull << 63), 0);
		put_rm(x, XOR, S4, S4, all(x, 1ull << 63), 0);
	}
	each(x, GREATERQ, S3, S3, S4);
	if (larger)
		blend(x, BLENDQ, S1, S1, S0, S3);
	else
		blend(x, BLENDQ, S1, S0, S1, S3);
}

/* S3 = all ones where S0 is negative */
static void sign_of(struct x86 *x)
{
	each(x, XOR, S3, S3, S3);
	each(x, GREATERQ, S3, S3, S0);
}

static void shift_right(struct x86 *x)
{
	sign_of(x);
	each(x, XOR, S0, S0, S3);
	each(x, SHIFT_EACHQ, S1, S0, S1);
	each(x, XOR, S1, S1, S3);
}

/* S1 = S0 moved by @count */
static void shift_right_by(struct x86 *x, int count)
{
	sign_of(x);
	each(x, XOR, S0, S0, S3);
	shift(x, SHIFTQ, 2, S1, S0, count);
	each(x, XOR, S1, S1, S3);
}

/* S1 = S0 without its sign */
static void absolute(struct x86 *x)
{
	sign_of(x);
	each(x, XOR, S1, S0, S3);
	each(x, SUBQ, S1, S1, S3);
}

/* ---- 32 bits ----------------------------------------------------------------------------- */

/*
 * S1 = zeros above the highest bit of S0, which is the exponent of what it is as a float: without
 * the bits below, by which it could be rounded up.
 */
static void leading_zeros(struct x86 *x)
{
	shift(x, SHIFT, 2, S1, S0, 1);
	each(x, AND_NOT, S1, S1, S0);
	put_rr(x, TO_FLOAT, true, S1, 0, S1);
	shift(x, SHIFT, 2, S1, S1, 23);
	put_rm(x, LOAD, S3, 0, all(x, 158ull << 32 | 158), 0);
	each(x, SUB, S1, S3, S1);
	/* the highest bit is a sign there, and 0 has no exponent */
	each(x, XOR, S3, S3, S3);
	each(x, MAX, S1, S1, S3);
	put_rm(x, MIN, S1, S1, all(x, 32ull << 32 | 32), 0);
}

/*
 * S1 = S0, without a sign, as floats: its halves are low bits of floats from 2^39 and 2^23 on, so
 * only their sum is rounded.
 */
static void unsigned_to_float(struct x86 *x)
{
	each(x, LOAD, S1, 0, S0);
	put_rm(x, AND, S1, S1, all(x, 0x0000ffff0000ffffull), 0);
	put_rm(x, OR, S1, S1, all(x, 0x4b0000004b000000ull), 0);	/* 2^23 + low */
	shift(x, SHIFT, 2, S0, S0, 16);
	put_rm(x, OR, S0, S0, all(x, 0x5300000053000000ull), 0);	/* 2^39 + high * 2^16 */
	put_rm(x, SUB_FLOAT, S0, S0, all(x, 0x5300008053000080ull), 0);	/* 2^39 + 2^23 */
	each(x, ADD_FLOAT, S1, S0, S1);
}

/* to = what @table has at the number of two bits: of S2, the higher one, and of @b */
static void logic_of_two(struct x86 *x, uint8_t to, uint8_t b, int table)
{
	switch (table & 1 ? 15 - table : table) {
	case 0: each(x, XOR, to, to, to); break;
	case 2: each(x, AND_NOT, to, S2, b); break;
	case 4: each(x, AND_NOT, to, b, S2); break;
	case 6: each(x, XOR, to, S2, b); break;
	case 8: each(x, AND, to, S2, b); break;
	case 10: each(x, LOAD, to, 0, b); break;
	case 12: each(x, LOAD, to, 0, S2); break;
	case 14: each(x, OR, to, S2, b); break;
	}
	if (table & 1)
		put_rm(x, XOR, to, to, all(x, ~0ull), 0);
}

/* reg = what @table has at the number of three bits: of reg, @v and @rm */
static void logic(struct x86 *x, uint8_t reg, uint8_t v, uint8_t rm, int table)
{
	for (int half = 0; half < 2; half++) {
		put(x, LOAD, S2, 0, half_of(x, v, half), X86_NO_IMM);
		put(x, LOAD, S3, 0, half_of(x, rm, half), X86_NO_IMM);
		/* what is so without the first, and where it makes a difference */
		logic_of_two(x, S1, S3, table & 15);
		logic_of_two(x, S0, S3, (table >> 4 ^ table) & 15);
		put(x, AND, S0, S0, half_of(x, reg, half), X86_NO_IMM);
		each(x, XOR, S1, S1, S0);
		set(x, half_of(x, reg, half), S1);
	}
}

/* ---- lanes ------------------------------------------------------------------------------- */

/* Lanes 8 * @eight and the next of the 32 of @a and @b */
static struct half eight_of(const struct x86 *x, uint8_t a, uint8_t b, int eight)
{
	return half_of(x, eight < 2 ? a : b, eight & 1);
}

/* reg = the lanes of a and b whose numbers it has */
static void permute(struct x86 *x, uint8_t reg, uint8_t a, uint8_t b)
{
	for (int half = 0; half < 2; half++) {
		put(x, LOAD, S1, 0, half_of(x, reg, half), X86_NO_IMM);
		shift(x, SHIFT, 6, S0, S1, 27);		/* the number's bit 4 */
		shift(x, SHIFT, 6, S4, S1, 28);		/* bit 3 */
		put(x, PERMUTE, S2, S1, eight_of(x, a, b, 0), X86_NO_IMM);
		put(x, PERMUTE, S3, S1, eight_of(x, a, b, 1), X86_NO_IMM);
		blend(x, BLEND, S2, S2, S3, S4);
		put(x, PERMUTE, S3, S1, eight_of(x, a, b, 2), X86_NO_IMM);
		put(x, PERMUTE, S1, S1, eight_of(x, a, b, 3), X86_NO_IMM);
		blend(x, BLEND, S3, S3, S1, S4);
		blend(x, BLEND, S2, S2, S3, S0);
		set(x, half_of(x, reg, half), S2);
	}
}

void x86_avx2_pick(struct x86 *x, uint8_t reg, uint8_t a, uint8_t b, const uint8_t *from)
{
	x86_label numbers = x86_bytes(x, from);

	for (int half = 0; half < 2; half++) {
		bool first = true;

		put_rm(x, WIDEN, S1, 0, moved(at_label(numbers), 8 * half), 0);
		for (int eight = 0; eight < 4; eight++) {
			int lanes = 0;

			for (int l = 0; l < 8; l++)
				lanes |= (from[8 * half + l] / 8 == eight) << l;
			if (!lanes)
				continue;
			put(x, PERMUTE, first ? S2 : S3, S1, eight_of(x, a, b, eight), X86_NO_IMM);
			if (!first)
				put(x, BLEND_IMM, S2, S2, register_half(S3), lanes);
			first = false;
		}
		set(x, half_of(x, reg, half), S2);
	}
}

/* ---- all of them ------------------------------------------------------------------------- */

/* S1 = op(S0, S1) */
static bool one_half(struct x86 *x, uint32_t op, int imm)
{
	switch (op) {
	case CODE(1, 2, 1, 0x40): product(x); break;
	case CODE(1, 2, 1, 0x39): min_max(x, false, false); break;
	case CODE(1, 2, 1, 0x3b): min_max(x, false, true); break;
	case CODE(1, 2, 1, 0x3d): min_max(x, true, false); break;
	case CODE(1, 2, 1, 0x3f): min_max(x, true, true); break;
	case CODE(1, 2, 1, 0x46): shift_right(x); break;
	case CODE(1, 1, 1, 0x72): shift_right_by(x, imm); break;
	case CODE(1, 2, 1, 0x1f): absolute(x); break;
	case CODE(1, 2, 0, 0x44): leading_zeros(x); break;
	case CODE(3, 1, 0, 0x7a): unsigned_to_float(x); break;
	default: return false;
	}
	return true;
}

bool x86_avx2_several(struct x86 *x, uint32_t op, uint8_t reg, uint8_t v, const struct source *s,
		      uint32_t options, int imm)
{
	bool by_count = op == CODE(1, 1, 1, 0x72),
	     unary = by_count || op == CODE(1, 2, 1, 0x1f) || op == CODE(1, 2, 0, 0x44) ||
		     op == CODE(3, 1, 0, 0x7a);

	switch (op) {
	case CODE(1, 2, 0, 0x76):
		permute(x, reg, v, s->reg);
		return true;
	case CODE(1, 3, 0, 0x25):
		logic(x, reg, v, s->reg, imm);
		return true;
	}
	for (int half = 0; half < 2; half++) {
		struct half b = half_of_source(x, s, half, op, options);

		put(x, LOAD, S0, 0, unary ? b : half_of(x, v, half), X86_NO_IMM);
		if (!unary)
			put(x, LOAD, S1, 0, b, X86_NO_IMM);
		if (!one_half(x, op, imm))
			return false;
		result(x, op, by_count ? v : reg, half, S1, options);
	}
	return true;
}

/* SPDX-License-Identifier: MIT */
/*
 * Instructions of SSE2 on quarters of a vector, for x86_sse2.c and what it needs of computing
 * (x86_sse2_math.c).
 */
#ifndef VGPU_X86_SSE2_H
#define VGPU_X86_SSE2_H

#include "x86_small.h"

/* S2 has an operand that is broadcast. */
enum {
	LOAD = CODE(0, 1, 0, 0x28),		/* movaps: aligned, or between registers */
	STORE = CODE(0, 1, 0, 0x29),
	LOAD_ANY = CODE(0, 1, 0, 0x10),		/* movups */
	STORE_ANY = CODE(0, 1, 0, 0x11),
	LOAD_LOW = CODE(2, 1, 0, 0x7e),		/* movq: 8 bytes, zeros above */
	ADD = CODE(1, 1, 0, 0xfe),
	ORDER = CODE(1, 1, 0, 0x70),		/* pshufd */
	LOW_WORDS = CODE(1, 1, 0, 0x62),	/* punpckldq */
	LOW_HALVES = CODE(1, 1, 0, 0x6c),	/* punpcklqdq */
	PACK_WORDS = CODE(1, 1, 0, 0x6b),	/* packssdw */
	PACK_BYTES = CODE(1, 1, 0, 0x63),	/* packsswb */
	SIGNS = CODE(1, 1, 0, 0xd7),		/* pmovmskb */
};

/* A quarter of a vector: in a register of the processor, or in memory */
struct quarter {
	bool memory;
	uint8_t xmm;
	struct x86_mem m;
};

static inline struct quarter quarter_of(const struct x86 *x, uint8_t reg, int n)
{
	if (reg == 1)
		return (struct quarter){ .xmm = (uint8_t)(4 + n) };
	if (reg == 8 || reg == 9)
		return (struct quarter){ .xmm = (uint8_t)(8 + 4 * (reg - 8) + n) };
	return (struct quarter){ .memory = true,
				 .m = moved(reg < X86_ALIAS_FIRST ?
						    at(RSP, X86_HOMES + 64 * reg) :
						    x->alias[reg - X86_ALIAS_FIRST],
					    16 * n) };
}

static inline struct quarter register_quarter(uint8_t xmm)
{
	return (struct quarter){ .xmm = xmm };
}

static inline struct quarter mask_quarter(uint8_t k, int n)
{
	return (struct quarter){ .memory = true, .m = at(RSP, X86_MASKS + 64 * k + 16 * n) };
}

/* A quarter of 64 bytes that are all @value */
static inline struct quarter all(struct x86 *x, uint64_t value)
{
	return (struct quarter){ .memory = true, .m = at_label(x86_row(x, value, 0)) };
}

/* ---- one instruction of the processor ------------------------------------------- */

static inline void put_prefix(struct x86 *x, uint32_t op, uint8_t reg, uint8_t rm)
{
	static const uint8_t prefixes[4] = { 0, 0x66, 0xf3, 0xf2 };
	uint8_t rex = (uint8_t)(0x40 | WIDE(op) << 3 | (reg >> 3) << 2 | rm >> 3);

	if (PP(op))
		x86_byte(x, prefixes[PP(op)]);
	if (rex != 0x40)
		x86_byte(x, rex);
	x86_byte(x, 0x0f);
	x86_byte(x, (uint8_t)OPCODE(op));
}

static inline void put_rr(struct x86 *x, uint32_t op, uint8_t reg, uint8_t rm)
{
	put_prefix(x, op, reg, rm);
	x86_put_reg(x, reg, rm);
}

static inline void put_rm(struct x86 *x, uint32_t op, uint8_t reg, struct x86_mem m, uint32_t tail)
{
	put_prefix(x, op, reg, m.label ? 0 : m.base);
	x86_put_mem(x, reg, m, 1, tail);
}

/* reg = op(reg, b), or op(b). W is for integers alone. */
static inline void put(struct x86 *x, uint32_t op, uint8_t reg, struct quarter b, int imm)
{
	op &= ~(uint32_t)CODE(0, 0, 1, 0);
	if (b.memory)
		put_rm(x, op, reg, b.m, imm != X86_NO_IMM);
	else
		put_rr(x, op, reg, b.xmm);
	if (imm != X86_NO_IMM)
		x86_byte(x, (uint8_t)imm);
}

static inline void put_shift(struct x86 *x, uint32_t op, uint8_t field, uint8_t xmm, uint8_t count)
{
	put(x, op, field, register_quarter(xmm), count);
}

static inline void order(struct x86 *x, uint8_t to, uint8_t from, int how)
{
	put(x, ORDER, to, register_quarter(from), how);
}

static inline void copy(struct x86 *x, uint8_t to, struct quarter from)
{
	if (from.memory || from.xmm != to)
		put(x, LOAD, to, from, X86_NO_IMM);
}

/* The quarter in a register: @scratch, if it is in memory */
static inline uint8_t get(struct x86 *x, struct quarter quarter, uint8_t scratch)
{
	if (!quarter.memory)
		return quarter.xmm;
	copy(x, scratch, quarter);
	return scratch;
}

static inline void set(struct x86 *x, struct quarter quarter, uint8_t xmm)
{
	if (quarter.memory)
		put_rm(x, STORE, xmm, quarter.m, 0);
	else
		copy(x, quarter.xmm, register_quarter(xmm));
}

/* ---- x86_sse2_math.c ---------------------------------------------------------------- */

/* S0 = S0 > S1, with signs, all ones where it is. Destroys S1 and S3. */
void x86_sse2_greater(struct x86 *x, bool wide);
/*
 * S0 = op(S0, S1), or op(S1), where SSE2 has no such instruction; false: that is not done here.
 * Destroys S1 to S3.
 */
bool x86_sse2_several(struct x86 *x, uint32_t op);

#endif

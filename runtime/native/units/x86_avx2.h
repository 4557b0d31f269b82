/* SPDX-License-Identifier: MIT */
/*
 * Instructions of AVX2 on halves of a vector, for x86_avx2.c and what it needs of computing
 * (x86_avx2_math.c).
 */
#ifndef VGPU_X86_AVX2_H
#define VGPU_X86_AVX2_H

#include "x86_small.h"

#define NOTHING	4	/* half of vector 0 */

enum {
	LOAD = CODE(2, 1, 0, 0x6f),		/* vmovdqu */
	STORE = CODE(2, 1, 0, 0x7f),
	TEST = CODE(1, 2, 0, 0x17),
	BROADCAST = CODE(1, 2, 0, 0x58),
	BROADCASTQ = CODE(1, 2, 0, 0x59),
	SIGNS = CODE(0, 1, 0, 0x50),		/* vmovmskps */
	SIGNSQ = CODE(1, 1, 0, 0x50),
	BLEND = CODE(1, 3, 0, 0x4a),		/* vblendvps */
	BLENDQ = CODE(1, 3, 0, 0x4b),
	STORE_MASKED = CODE(1, 2, 0, 0x8e),	/* vpmaskmovd */
	STORE_MASKEDQ = CODE(1, 2, 1, 0x8e),
	UPPER = CODE(1, 3, 0, 0x39),		/* vextracti128: operands exchanged */
	SET_UPPER = CODE(1, 3, 0, 0x38),	/* vinserti128 */
	ORDER = CODE(1, 3, 1, 0x00),		/* vpermq */
	PACK = CODE(1, 2, 0, 0x2b),		/* vpackusdw */
	TO_HALF = CODE(1, 3, 0, 0x1d),		/* vcvtps2ph: operands exchanged */
	SHIFT_LEFT = CODE(1, 2, 0, 0x47),
	EQUALQ = CODE(1, 2, 0, 0x29),
	GREATERQ = CODE(1, 2, 0, 0x37),
};

/* Half of a vector: in a register of the processor, or in memory */
struct half {
	bool memory;
	uint8_t ymm;
	struct x86_mem m;
};

static inline struct half half_of(const struct x86 *x, uint8_t reg, int half)
{
	if (reg < 2)
		return (struct half){ .ymm = (uint8_t)(4 + 2 * reg + half) };
	if (reg >= 8 && reg < 12)
		return (struct half){ .ymm = (uint8_t)(8 + 2 * (reg - 8) + half) };
	return (struct half){ .memory = true,
			      .m = moved(reg < X86_ALIAS_FIRST ? at(RSP, X86_HOMES + 64 * reg) :
								 x->alias[reg - X86_ALIAS_FIRST],
					 32 * half) };
}

static inline struct half register_half(uint8_t ymm)
{
	return (struct half){ .ymm = ymm };
}

static inline struct x86_mem mask_half(uint8_t k, int half)
{
	return at(RSP, X86_MASKS + 64 * k + 32 * half);
}

/* 64 bytes that are all @value */
static inline struct x86_mem all(struct x86 *x, uint64_t value)
{
	return at_label(x86_row(x, value, 0));
}

/* ---- one instruction of the processor ------------------------------------------- */

/*
 * Other instructions ignore the bit W. It is zero there, so that they can be short, and valgrind
 * knows them.
 */
static inline bool has_wide_form(uint32_t op)
{
	switch (MAP(op)) {
	case 1:
		return OPCODE(op) == OPCODE(FROM_GPR) || OPCODE(op) == OPCODE(TO_GPR);
	case 2:
		return OPCODE(op) > 0x40;
	default:
		return true;
	}
}

static inline void put_vex(struct x86 *x, uint32_t op, bool length, uint8_t reg, uint8_t v, bool b)
{
	uint8_t inverted = (reg & 8 ? 0 : 0x80), rest = (~v & 15) << 3 | length << 2 | PP(op);
	bool wide = WIDE(op) && has_wide_form(op);

	if (MAP(op) == 1 && !wide && !b) {
		x86_byte(x, 0xc5);
		x86_byte(x, (uint8_t)(inverted | rest));
	} else {
		x86_byte(x, 0xc4);
		x86_byte(x, (uint8_t)(inverted | 0x40 | (b ? 0 : 0x20) | MAP(op)));
		x86_byte(x, (uint8_t)(wide << 7 | rest));
	}
	x86_byte(x, (uint8_t)OPCODE(op));
}

/* reg = op(v, rm); of 16 bytes without @length */
static inline void put_rr(struct x86 *x, uint32_t op, bool length, uint8_t reg, uint8_t v,
			  uint8_t rm)
{
	put_vex(x, op, length, reg, v, rm & 8);
	x86_put_reg(x, reg, rm);
}

static inline void put_rm(struct x86 *x, uint32_t op, uint8_t reg, uint8_t v, struct x86_mem m,
		   uint32_t tail)
{
	put_vex(x, op, true, reg, v, !m.label && m.base & 8);
	x86_put_mem(x, reg, m, 1, tail);
}

static inline void put(struct x86 *x, uint32_t op, uint8_t reg, uint8_t v, struct half b, int imm)
{
	if (b.memory)
		put_rm(x, op, reg, v, b.m, imm != X86_NO_IMM);
	else
		put_rr(x, op, true, reg, v, b.ymm);
	if (imm != X86_NO_IMM)
		x86_byte(x, (uint8_t)imm);
}

/* The half in a register: @scratch, if it is in memory */
static inline uint8_t get(struct x86 *x, struct half half, uint8_t scratch)
{
	if (!half.memory)
		return half.ymm;
	put_rm(x, LOAD, scratch, 0, half.m, 0);
	return scratch;
}

static inline void set(struct x86 *x, struct half half, uint8_t ymm)
{
	if (half.memory)
		put_rm(x, STORE, ymm, 0, half.m, 0);
	else if (half.ymm != ymm)
		put_rr(x, LOAD, true, half.ymm, 0, ymm);
}

/* ---- results ---------------------------------------------------------------------- */

/* Where to compute half @half of @reg: a register that may be changed before it is a result */
static inline uint8_t place_of(const struct x86 *x, uint8_t reg, int half, uint32_t options)
{
	struct half to = half_of(x, reg, half);

	return to.memory || MASK_OF(options) ? S1 : to.ymm;
}

/* @ymm is the result, where the mask says so. Destroys S0 and S3. */
static inline void result(struct x86 *x, uint32_t op, uint8_t reg, int half, uint8_t ymm,
			  uint32_t options)
{
	struct half to = half_of(x, reg, half);
	uint8_t k = MASK_OF(options), old = S0;

	if (!k) {
		set(x, to, ymm);
		return;
	}
	if (options & V_ZERO)
		put_rr(x, XOR, true, S0, S0, S0);
	else
		old = get(x, to, S0);
	put_rm(x, LOAD, S3, 0, mask_half(k, half), 0);
	put_rr(x, WIDE(op) ? BLENDQ : BLEND, true, S0, old, ymm);
	x86_byte(x, S3 << 4);
	set(x, to, S0);
}

/* ---- operands ---------------------------------------------------------------------- */

/* Half of it. One that is broadcast is in S2 from the first half on. */
static inline struct half half_of_source(struct x86 *x, const struct source *s, int half,
					 uint32_t op, uint32_t options)
{
	if (!s->memory)
		return half_of(x, s->reg, half);
	if (!(options & V_BROADCAST))
		return (struct half){ .memory = true, .m = moved(s->m, 32 * half) };
	if (!half)
		put_rm(x, WIDE(op) ? BROADCASTQ : BROADCAST, S2, 0, s->m, 0);
	return register_half(S2);
}

/* ---- x86_avx2_math.c ---------------------------------------------------------------- */

/*
 * reg = op(v, s), where AVX2 has no such instruction; false: that is not done here. Destroys
 * vector 0, which may be an operand of shifts alone.
 */
bool x86_avx2_several(struct x86 *x, uint32_t op, uint8_t reg, uint8_t v, const struct source *s,
		      uint32_t options, int imm);
void x86_avx2_pick(struct x86 *x, uint8_t reg, uint8_t a, uint8_t b, const uint8_t *from);

#endif

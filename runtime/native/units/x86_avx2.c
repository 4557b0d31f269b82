// SPDX-License-Identifier: MIT
/*
 * Vectors of 64 bytes where the processor has vectors of 32, and no masks (AVX2); see x86.h. Each
 * instruction is done by halves. A mask is a vector, of which the highest bit of each lane counts.
 *
 * What AVX2 has no instruction for is refused: x86.failed. Who translates does not ask for it.
 */
#include "x86_avx2.h"

/* ---- masks ------------------------------------------------------------------------- */

static void not(struct x86 *x, uint8_t ymm)
{
	put_rm(x, XOR, ymm, ymm, all(x, ~0ull), 0);
}

static void set_mask(struct x86 *x, uint8_t k, int half, uint8_t ymm, bool wide)
{
	put_rm(x, STORE, ymm, 0, mask_half(k, half), 0);
	x->k_wide[k] = wide;
}

/* S0 has the bits in every lane: bit n to the top of lane n. */
static void spread(struct x86 *x, uint8_t k, bool wide)
{
	x86_label counts = wide ? x86_row(x, 63, ~0ull) :
				  x86_row(x, 30ull << 32 | 31, -(2ull << 32 | 2));

	for (int half = 0; half < 2; half++) {
		put_rm(x, SHIFT_LEFT | (wide ? CODE(0, 0, 1, 0) : 0), S1, S0,
		       moved(at_label(counts), 32 * half), 0);
		set_mask(x, k, half, S1, wide);
	}
}

static void k_load(struct x86 *x, uint8_t k, struct x86_mem m, uint8_t bytes)
{
	/* there are more bytes behind it, which lead to nothing */
	put_rm(x, BROADCAST, S0, 0, m, 0);
	spread(x, k, bytes == 1);
}

static void k_from(struct x86 *x, uint8_t k, uint8_t reg)
{
	put_rr(x, FROM_GPR, false, S0, 0, reg);
	put_rr(x, BROADCAST, true, S0, 0, S0);
	spread(x, k, false);
}

static void signs(struct x86 *x, bool wide, uint8_t reg, uint8_t ymm)
{
	put_rr(x, wide ? SIGNSQ : SIGNS, true, reg, 0, ymm);
}

static void k_to(struct x86 *x, uint8_t reg, uint8_t k)
{
	bool wide = x->k_wide[k];

	put_rm(x, LOAD, S0, 0, mask_half(k, 0), 0);
	signs(x, wide, reg, S0);
	put_rm(x, LOAD, S0, 0, mask_half(k, 1), 0);
	signs(x, wide, RDX, S0);
	x86_shift(x, false, 4, RDX, wide ? 4 : 8);
	x86_rr(x, false, X_OR, reg, RDX);
}

static void k_not(struct x86 *x, uint8_t to, uint8_t k)
{
	for (int half = 0; half < 2; half++) {
		put_rm(x, LOAD, S0, 0, mask_half(k, half), 0);
		not(x, S0);
		set_mask(x, to, half, S0, x->k_wide[k]);
	}
}

static void k_ortest(struct x86 *x, uint8_t a, uint8_t b)
{
	put_rm(x, LOAD, S0, 0, mask_half(a, 0), 0);
	put_rm(x, OR, S0, S0, mask_half(a, 1), 0);
	if (a != b) {
		put_rm(x, OR, S0, S0, mask_half(b, 0), 0);
		put_rm(x, OR, S0, S0, mask_half(b, 1), 0);
	}
	signs(x, x->k_wide[a], RDX, S0);
	x86_rr(x, false, X_TEST, RDX, RDX);
}

/* ---- what makes masks ---------------------------------------------------------------- */

/* Of vcmpps and vcmppd */
static void compare_floats(struct x86 *x, uint32_t op, uint8_t k, uint8_t v, const struct source *s,
			   uint32_t options, int condition)
{
	for (int half = 0; half < 2; half++) {
		struct half b = half_of_source(x, s, half, op, options);

		put(x, op, S1, get(x, half_of(x, v, half), S0), b, condition);
		set_mask(x, k, half, S1, WIDE(op));
	}
}

/* Of vpcmpd and the like: 0 equal, 1 less, 2 less or equal, 4 to 6 the contrary of these */
static void compare_integers(struct x86 *x, uint32_t op, uint8_t k, uint8_t v,
			     const struct source *s, uint32_t options, int condition)
{
	bool wide = WIDE(op), is_unsigned = OPCODE(op) == 0x1e, equal = !(condition & 3);
	uint64_t top = wide ? 1ull << 63 : 0x8000000080000000ull;
	uint32_t greater = wide ? GREATERQ : GREATER;

	for (int half = 0; half < 2; half++) {
		struct half b = half_of_source(x, s, half, op, options);

		put(x, LOAD, S0, 0, half_of(x, v, half), X86_NO_IMM);
		put(x, LOAD, S1, 0, b, X86_NO_IMM);
		if (is_unsigned && !equal) {
			put_rm(x, XOR, S0, S0, all(x, top), 0);
			put_rm(x, XOR, S1, S1, all(x, top), 0);
		}
		if (equal)
			put_rr(x, wide ? EQUALQ : EQUAL, true, S1, S0, S1);
		else if ((condition & 3) == 1)
			put_rr(x, greater, true, S1, S1, S0);
		else
			put_rr(x, greater, true, S1, S0, S1);
		/* not equal; not less; less or equal is not greater */
		if (equal ? condition & 4 : (condition & 3) == 1 ? condition & 4 : !(condition & 4))
			not(x, S1);
		set_mask(x, k, half, S1, wide);
	}
}

/* Of vptestm: where a & b is not zero; @none: where it is */
static void test(struct x86 *x, uint32_t op, uint8_t k, uint8_t v, const struct source *s,
		 uint32_t options, bool none)
{
	bool wide = WIDE(op);

	for (int half = 0; half < 2; half++) {
		struct half b = half_of_source(x, s, half, op, options);

		put(x, AND, S1, get(x, half_of(x, v, half), S0), b, X86_NO_IMM);
		put_rr(x, XOR, true, S3, S3, S3);
		put_rr(x, wide ? EQUALQ : EQUAL, true, S1, S1, S3);
		if (!none)
			not(x, S1);
		set_mask(x, k, half, S1, wide);
	}
}

/* ---- moves ---------------------------------------------------------------------------- */

static void load(struct x86 *x, uint32_t op, uint8_t reg, const struct source *s, uint32_t options)
{
	for (int half = 0; half < 2; half++) {
		struct half from = half_of_source(x, s, half, op, 0);
		uint8_t ymm = place_of(x, reg, half, options);

		if (!from.memory)
			ymm = from.ymm;
		else
			put_rm(x, LOAD, ymm, 0, from.m, 0);
		result(x, op, reg, half, ymm, options);
	}
}

static void store(struct x86 *x, uint32_t op, uint8_t reg, struct x86_mem m, uint32_t options)
{
	uint8_t k = MASK_OF(options);

	for (int half = 0; half < 2; half++) {
		uint8_t ymm = get(x, half_of(x, reg, half), S1);

		if (!k) {
			put_rm(x, STORE, ymm, 0, moved(m, 32 * half), 0);
			continue;
		}
		put_rm(x, LOAD, S3, 0, mask_half(k, half), 0);
		put_rm(x, WIDE(op) ? STORE_MASKEDQ : STORE_MASKED, ymm, S3, moved(m, 32 * half),
		       0);
	}
}

/* The lowest lane of @s to all */
static void broadcast(struct x86 *x, uint32_t op, uint8_t reg, const struct source *s,
		      uint32_t options)
{
	uint32_t how = WIDE(op) ? BROADCASTQ : BROADCAST;
	struct half from = s->memory ? (struct half){ .memory = true, .m = s->m } :
				       half_of(x, s->reg, 0);

	put(x, how, S1, 0, from, X86_NO_IMM);
	for (int half = 0; half < 2; half++)
		result(x, op, reg, half, S1, options);
}

static void broadcast_gpr(struct x86 *x, uint32_t op, uint8_t reg, uint8_t gpr, uint32_t options)
{
	put_rr(x, FROM_GPR | (WIDE(op) ? CODE(0, 0, 1, 0) : 0), false, S1, 0, gpr);
	put_rr(x, WIDE(op) ? BROADCASTQ : BROADCAST, true, S1, 0, S1);
	for (int half = 0; half < 2; half++)
		result(x, op, reg, half, S1, options);
}

/*
 * 32 bytes become 64, or 16, by an instruction that makes 32 of @bytes, 16 or 8. The upper half
 * first: @reg may be @s.
 */
static void widen_from(struct x86 *x, uint32_t op, uint8_t reg, const struct source *s,
		       int32_t bytes)
{
	for (int half = 1; half >= 0; half--) {
		struct half from = s->memory ? (struct half){ .memory = true, .m = s->m } :
					       half_of(x, s->reg, 0);
		uint8_t ymm = place_of(x, reg, half, 0);

		if (from.memory) {
			from.m = moved(from.m, bytes * half);
		} else if (half) {
			put_rr(x, UPPER, true, from.ymm, 0, S0);
			x86_byte(x, 1);
			from.ymm = S0;
		}
		put(x, op, ymm, 0, from, X86_NO_IMM);
		result(x, op, reg, half, ymm, 0);
	}
}

static void widen(struct x86 *x, uint32_t op, uint8_t reg, const struct source *s)
{
	widen_from(x, op, reg, s, 16);
}

/* 64 bytes become 32, by an instruction that makes 16 of 32 */
static void shrink(struct x86 *x, uint32_t op, uint8_t reg, uint8_t rm)
{
	put(x, op, S0, 0, half_of(x, rm, 0), X86_NO_IMM);
	put(x, op, S1, 0, half_of(x, rm, 1), X86_NO_IMM);
	put_rr(x, SET_UPPER, true, S0, S0, S1);
	x86_byte(x, 1);
	set(x, half_of(x, reg, 0), S0);
}

/* The low words of 64 bits */
static void low_words(struct x86 *x, uint8_t reg, uint8_t rm)
{
	uint8_t low = get(x, half_of(x, rm, 0), S0);

	put(x, EVEN_WORDS, S0, low, half_of(x, rm, 1), 0x88);
	put(x, ORDER, S0, 0, register_half(S0), 0xd8);
	set(x, half_of(x, reg, 0), S0);
}

/* The low halves of 32 bits */
static void low_halves(struct x86 *x, uint8_t reg, uint8_t rm)
{
	struct x86_mem low = all(x, 0x0000ffff0000ffffull);

	put_rm(x, AND, S1, get(x, half_of(x, rm, 0), S0), low, 0);
	put_rm(x, AND, S0, get(x, half_of(x, rm, 1), S0), low, 0);
	put_rr(x, PACK, true, S0, S1, S0);
	put(x, ORDER, S0, 0, register_half(S0), 0xd8);
	set(x, half_of(x, reg, 0), S0);
}

static void float_to_half(struct x86 *x, uint8_t reg, uint8_t rm, int mode)
{
	for (int half = 0; half < 2; half++) {
		put_rr(x, TO_HALF, true, get(x, half_of(x, rm, half), S0), 0, half ? S0 : S1);
		x86_byte(x, (uint8_t)mode);
	}
	put_rr(x, SET_UPPER, true, S1, S1, S0);
	x86_byte(x, 1);
	set(x, half_of(x, reg, 0), S1);
}

/* ---- computing ------------------------------------------------------------------------- */

static void shift(struct x86 *x, uint32_t op, uint8_t field, uint8_t to, uint8_t rm, int count)
{
	for (int half = 0; half < 2; half++) {
		uint8_t from = get(x, half_of(x, rm, half), S0), ymm = place_of(x, to, half, 0);

		put_rr(x, op, true, field, ymm, from);
		x86_byte(x, (uint8_t)count);
		result(x, op, to, half, ymm, 0);
	}
}

/* reg | (v ^ rm): the one use of vpternlog */
static void differ(struct x86 *x, uint32_t op, uint8_t reg, uint8_t v, const struct source *s,
		   uint32_t options)
{
	for (int half = 0; half < 2; half++) {
		struct half b = half_of_source(x, s, half, op, options);

		put(x, XOR, S1, get(x, half_of(x, v, half), S0), b, X86_NO_IMM);
		put(x, OR, S1, S1, half_of(x, reg, half), X86_NO_IMM);
		result(x, op, reg, half, S1, options);
	}
}

/* What has the same opcode in AVX2, and takes @v */
static bool is_binary(uint32_t op)
{
	switch (MAP(op)) {
	case 1:
		switch (OPCODE(op)) {
		case 0x58: case 0x59: case 0x5c: case 0x5d: case 0x5e: case 0x5f:
		case 0xd4: case 0xdb: case 0xdf: case 0xeb: case 0xef: case 0xf4:
		case 0xfa: case 0xfb: case 0xfe:
			return true;
		}
		return false;
	case 2:
		switch (OPCODE(op)) {
		case 0x28: case 0x45: case 0x47: case 0xb8:
			return true;
		case 0x39: case 0x3b: case 0x3d: case 0x3f: case 0x40: case 0x46:
			return !WIDE(op);
		}
		return false;
	}
	return false;
}

/* The same without @v */
static bool is_unary(uint32_t op)
{
	switch (MAP(op)) {
	case 1:
		return OPCODE(op) == 0x51 || (OPCODE(op) == 0x5b && !WIDE(op));
	case 2:
		return OPCODE(op) == 0x1e;
	}
	return OPCODE(op) == 0x08 || OPCODE(op) == 0x09;
}

/* What is for elements of 8 and 16 bits; false: it is something else. */
static bool small_elements(struct x86 *x, uint32_t op, uint8_t reg, const struct source *s, int imm)
{
	switch (op) {
	case CODE(1, 2, 0, 0x13):	/* vcvtph2ps */
	case CODE(1, 2, 0, 0x23):	/* vpmovsxwd */
	case CODE(1, 2, 0, 0x33):	/* vpmovzxwd */
		widen(x, op, reg, s);
		return true;
	case CODE(1, 2, 0, 0x21):	/* vpmovsxbd */
	case CODE(1, 2, 0, 0x31):	/* vpmovzxbd */
		x->failed |= !s->memory;
		widen_from(x, op, reg, s, 8);
		return true;
	case CODE(2, 2, 0, 0x33):	/* vpmovdw: operands exchanged */
		low_halves(x, s->reg, reg);
		return true;
	case TO_HALF:
		float_to_half(x, s->reg, reg, imm);
		return true;
	}
	return false;
}

static void compute(struct x86 *x, uint32_t op, uint8_t reg, uint8_t v, const struct source *s,
		    uint32_t options, int imm)
{
	bool binary = is_binary(op), adds = OPCODE(op) == 0xb8;

	if (small_elements(x, op, reg, s, imm))
		return;
	if (!binary && !is_unary(op)) {
		x->failed |= !x86_avx2_several(x, op, reg, v, s, options, imm);
		return;
	}
	for (int half = 0; half < 2; half++) {
		struct half b = half_of_source(x, s, half, op, options);
		uint8_t ymm = place_of(x, reg, half, options), a = 0;

		if (binary)
			a = get(x, half_of(x, v, half), S0);
		if (adds && ymm == S1)
			put(x, LOAD, S1, 0, half_of(x, reg, half), X86_NO_IMM);
		put(x, op, ymm, a, b, imm);
		result(x, op, reg, half, ymm, options);
	}
}

/* Half @to of @reg is half @from of @rm. */
static void move_half(struct x86 *x, uint8_t reg, int to, uint8_t rm, int from)
{
	set(x, half_of(x, reg, to), get(x, half_of(x, rm, from), S0));
}

/* ---- all of them ------------------------------------------------------------------------ */

#include "x86_lower.h"

static void v_to(struct x86 *x, uint8_t reg, uint8_t v)
{
	struct half low = half_of(x, v, 0);

	if (low.memory)
		x86_rm(x, true, X_LOAD, reg, low.m);
	else
		put_rr(x, TO_GPR, false, low.ymm, 0, reg);
}

static void compare_row(struct x86 *x, struct x86_mem lanes, uint32_t step, bool masked)
{
	put_rr(x, FROM_GPR | CODE(0, 0, 1, 0), false, S2, 0, RAX);
	put_rr(x, BROADCASTQ, true, S2, 0, S2);
	put_rr(x, XOR, true, S3, S3, S3);
	put_rr(x, XOR, true, NOTHING, NOTHING, NOTHING);
	for (int n = 0; n < 8; n++) {
		struct x86_mem m = moved(lanes, 32 * n);

		if (step) {
			x86_label row = x86_row(x, 8 * (uint64_t)step * (uint64_t)(n / 2), step);

			put_rm(x, LOAD, S0, 0, m, 0);
			put_rm(x, SUBQ, S0, S0, moved(at_label(row), 32 * (n & 1)), 0);
			put_rr(x, XOR, true, S0, S0, S2);
		} else {
			put_rm(x, XOR, S0, S2, m, 0);
		}
		if (masked) {
			put_rm(x, LOAD, S1, 0, mask_half((uint8_t)(3 + n / 2), n & 1), 0);
			put_rr(x, BLENDQ, true, S0, S0, NOTHING);
			x86_byte(x, S1 << 4);
		}
		put_rr(x, OR, true, S3, S3, S0);
	}
	put_rr(x, TEST, true, S3, 0, S3);
}

const struct x86_small x86_avx2 = {
	.v = vectors,
	.vm = vector_and_memory,
	.k_load = k_load,
	.k_from = k_from,
	.k_to = k_to,
	.k_not = k_not,
	.k_ortest = k_ortest,
	.v_to = v_to,
	.compare_row = compare_row,
	.pick = x86_avx2_pick,
	.zero_upper = true,
};

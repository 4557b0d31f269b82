// SPDX-License-Identifier: MIT
/*
 * Vectors of 64 bytes where the processor has vectors of 16 (SSE2); see x86.h. Each instruction is
 * done by quarters. The first operand of an instruction is its result; an operand in memory must be
 * aligned. A mask is a vector, of which each lane is all ones or all zeros.
 *
 * What SSE2 has no instructions for is refused: x86.failed. Who translates does not ask for it.
 */
#include "x86_sse2.h"

/* @xmm = (xmm ^ old) & mask ^ old */
static void blend(struct x86 *x, uint8_t xmm, uint8_t old, struct quarter mask)
{
	put(x, XOR, xmm, register_quarter(old), X86_NO_IMM);
	put(x, AND, xmm, mask, X86_NO_IMM);
	put(x, XOR, xmm, register_quarter(old), X86_NO_IMM);
}

/* ---- results ---------------------------------------------------------------------- */

/* Where to compute a quarter of @reg that @b is an operand of: what may be changed before */
static uint8_t place_of(const struct x86 *x, uint8_t reg, int n, struct quarter b, uint32_t options)
{
	struct quarter to = quarter_of(x, reg, n);

	return to.memory || MASK_OF(options) || (!b.memory && b.xmm == to.xmm) ? S0 : to.xmm;
}

/* @xmm, which is S0 or S1 if there is a mask, is the result where that says so. Destroys S3. */
static void result(struct x86 *x, uint8_t reg, int n, uint8_t xmm, uint32_t options)
{
	struct quarter to = quarter_of(x, reg, n);
	uint8_t k = MASK_OF(options);

	if (k && options & V_ZERO)
		put(x, AND, xmm, mask_quarter(k, n), X86_NO_IMM);
	else if (k)
		blend(x, xmm, get(x, to, S3), mask_quarter(k, n));
	set(x, to, xmm);
}

/* ---- operands ---------------------------------------------------------------------- */

/* The lowest word, or two, of @xmm in all */
static void spread_word(struct x86 *x, uint8_t xmm, bool wide)
{
	order(x, xmm, xmm, wide ? 0x44 : 0);
}

static void load_word(struct x86 *x, uint8_t xmm, struct x86_mem m, bool wide)
{
	put_rm(x, wide ? LOAD_LOW : FROM_GPR, xmm, m, 0);
	spread_word(x, xmm, wide);
}

/* A quarter of it. One that is broadcast is in S2 from the first on. */
static struct quarter quarter_of_source(struct x86 *x, const struct source *s, int n, uint32_t op,
					uint32_t options)
{
	if (!s->memory)
		return quarter_of(x, s->reg, n);
	if (!(options & V_BROADCAST))
		return (struct quarter){ .memory = true, .m = moved(s->m, 16 * n) };
	if (!n)
		load_word(x, S2, s->m, WIDE(op));
	return register_quarter(S2);
}

/* ---- masks ------------------------------------------------------------------------- */

static void not(struct x86 *x, uint8_t xmm)
{
	put(x, EQUAL, S3, register_quarter(S3), X86_NO_IMM);
	put(x, XOR, xmm, register_quarter(S3), X86_NO_IMM);
}

static void set_mask(struct x86 *x, uint8_t k, int n, uint8_t xmm, bool wide)
{
	set(x, mask_quarter(k, n), xmm);
	x->k_wide[k] = wide;
}

/* S0 has the bits in every word: lane n becomes bit n. */
static void spread(struct x86 *x, uint8_t k, bool wide)
{
	x86_label bits = wide ? x86_bits(x, 1ull << 32 | 1, 1) : x86_bits(x, 2ull << 32 | 1, 2);

	for (int n = 0; n < 4; n++) {
		struct quarter of_lanes = { .memory = true, .m = moved(at_label(bits), 16 * n) };

		copy(x, S1, of_lanes);
		put(x, AND, S1, register_quarter(S0), X86_NO_IMM);
		put(x, EQUAL, S1, of_lanes, X86_NO_IMM);
		set_mask(x, k, n, S1, wide);
	}
}

static void k_load(struct x86 *x, uint8_t k, struct x86_mem m, uint8_t bytes)
{
	/* there are more bytes behind it, which lead to nothing */
	load_word(x, S0, m, false);
	spread(x, k, bytes == 1);
}

static void k_from(struct x86 *x, uint8_t k, uint8_t reg)
{
	put_rr(x, FROM_GPR, S0, reg);
	spread_word(x, S0, false);
	spread(x, k, false);
}

static void k_to(struct x86 *x, uint8_t reg, uint8_t k)
{
	bool wide = x->k_wide[k];

	for (int n = 0; n < 2; n++) {
		copy(x, n ? S1 : S0, mask_quarter(k, 2 * n));
		put(x, wide ? EVEN_WORDS : PACK_WORDS, n ? S1 : S0, mask_quarter(k, 2 * n + 1),
		    wide ? 0x88 : X86_NO_IMM);
	}
	if (wide) {
		put(x, PACK_WORDS, S0, register_quarter(S1), X86_NO_IMM);
		put(x, XOR, S1, register_quarter(S1), X86_NO_IMM);
	}
	put(x, PACK_BYTES, S0, register_quarter(S1), X86_NO_IMM);
	put_rr(x, SIGNS, reg, S0);
}

static void k_not(struct x86 *x, uint8_t to, uint8_t k)
{
	put(x, EQUAL, S3, register_quarter(S3), X86_NO_IMM);
	for (int n = 0; n < 4; n++) {
		copy(x, S0, register_quarter(S3));
		put(x, XOR, S0, mask_quarter(k, n), X86_NO_IMM);
		set_mask(x, to, n, S0, x->k_wide[k]);
	}
}

static void k_ortest(struct x86 *x, uint8_t a, uint8_t b)
{
	copy(x, S0, mask_quarter(a, 0));
	for (int n = 1; n < 8; n++)
		if (n < 4 || a != b)
			put(x, OR, S0, mask_quarter(n < 4 ? a : b, n & 3), X86_NO_IMM);
	put_rr(x, SIGNS, RDX, S0);
	x86_rr(x, false, X_TEST, RDX, RDX);
}

/* ---- what makes masks ---------------------------------------------------------------- */

/*
 * A condition of AVX, of those that are asked for: by one of SSE2 (0 equal, 1 less, 2 less or
 * equal, 3 unordered, 4 to 7 the contrary of these), of operands exchanged; and by another one
 */
static const struct condition {
	bool known, exchanged, both, either;
	uint8_t how, other;
} conditions[32] = {
	[0x00] = { .known = true, .how = 0 },
	[0x03] = { .known = true, .how = 3 },
	[0x04] = { .known = true, .how = 4 },
	[0x07] = { .known = true, .how = 7 },
	[0x08] = { .known = true, .how = 0, .either = true, .other = 3 },
	[0x0c] = { .known = true, .how = 4, .both = true, .other = 7 },
	[0x11] = { .known = true, .how = 1 },
	[0x12] = { .known = true, .how = 2 },
	[0x15] = { .known = true, .how = 5 },
	[0x16] = { .known = true, .how = 6 },
	[0x19] = { .known = true, .how = 6, .exchanged = true },
	[0x1a] = { .known = true, .how = 5, .exchanged = true },
	[0x1d] = { .known = true, .how = 2, .exchanged = true },
	[0x1e] = { .known = true, .how = 1, .exchanged = true },
};

/* Of cmpps and cmppd */
static void compare_floats(struct x86 *x, uint32_t op, uint8_t k, uint8_t v, const struct source *s,
			   uint32_t options, int condition)
{
	const struct condition *c = &conditions[condition & 31];

	x->failed |= !c->known;
	for (int n = 0; n < 4; n++) {
		struct quarter a = quarter_of(x, v, n);
		struct quarter b = quarter_of_source(x, s, n, op, options);

		copy(x, S1, c->exchanged ? b : a);
		put(x, op, S1, c->exchanged ? a : b, c->how);
		if (c->both || c->either) {
			copy(x, S0, a);
			put(x, op, S0, b, c->other);
			put(x, c->both ? AND : OR, S1, register_quarter(S0), X86_NO_IMM);
		}
		set_mask(x, k, n, S1, WIDE(op));
	}
}

/* @a = a == b. Destroys S3. */
static void equal(struct x86 *x, uint8_t a, struct quarter b, bool wide)
{
	put(x, EQUAL, a, b, X86_NO_IMM);
	if (wide) {
		order(x, S3, a, 0xb1);
		put(x, AND, a, register_quarter(S3), X86_NO_IMM);
	}
}

/* Of vpcmpd and the like: 0 equal, 1 less, 2 less or equal, 4 to 6 the contrary of these */
static void compare_integers(struct x86 *x, uint32_t op, uint8_t k, uint8_t v,
			     const struct source *s, uint32_t options, int condition)
{
	bool wide = WIDE(op), is_unsigned = OPCODE(op) == 0x1e, is_less = (condition & 3) == 1;
	uint64_t changed = (is_unsigned ? 1ull << 63 : 0) | (is_unsigned || wide ? 1ull << 31 : 0);

	for (int n = 0; n < 4; n++) {
		struct quarter a = quarter_of(x, v, n);
		struct quarter b = quarter_of_source(x, s, n, op, options);

		if (!(condition & 3)) {
			copy(x, S0, a);
			equal(x, S0, b, wide);
		} else {
			/* less: b > a; less or equal: not a > b */
			copy(x, is_less ? S1 : S0, a);
			copy(x, is_less ? S0 : S1, b);
			if (changed) {
				put(x, XOR, S0, all(x, changed), X86_NO_IMM);
				put(x, XOR, S1, all(x, changed), X86_NO_IMM);
			}
			x86_sse2_greater(x, wide);
		}
		if ((condition & 3) == 2 ? !(condition & 4) : condition & 4)
			not(x, S0);
		set_mask(x, k, n, S0, wide);
	}
}

/* Of vptestm: where a & b is not zero; @none: where it is */
static void test(struct x86 *x, uint32_t op, uint8_t k, uint8_t v, const struct source *s,
		 uint32_t options, bool none)
{
	for (int n = 0; n < 4; n++) {
		struct quarter b = quarter_of_source(x, s, n, op, options);

		copy(x, S0, quarter_of(x, v, n));
		put(x, AND, S0, b, X86_NO_IMM);
		put(x, XOR, S1, register_quarter(S1), X86_NO_IMM);
		equal(x, S0, register_quarter(S1), WIDE(op));
		if (!none)
			not(x, S0);
		set_mask(x, k, n, S0, WIDE(op));
	}
}

/* ---- moves ---------------------------------------------------------------------------- */

static void load(struct x86 *x, uint32_t op, uint8_t reg, const struct source *s, uint32_t options)
{
	for (int n = 0; n < 4; n++) {
		struct quarter from = quarter_of_source(x, s, n, op, 0);
		uint8_t xmm = place_of(x, reg, n, from, options);

		if (from.memory)
			put_rm(x, LOAD_ANY, xmm, from.m, 0);
		else if (MASK_OF(options))
			copy(x, xmm, from);
		else
			xmm = from.xmm;
		result(x, reg, n, xmm, options);
	}
}

/* With a mask what is there is read and written, too: not where others may write. */
static void store(struct x86 *x, uint32_t op, uint8_t reg, struct x86_mem m, uint32_t options)
{
	uint8_t k = MASK_OF(options);

	(void)op;
	for (int n = 0; n < 4; n++) {
		struct quarter from = quarter_of(x, reg, n);
		struct x86_mem to = moved(m, 16 * n);

		if (k) {
			copy(x, S0, from);
			put_rm(x, LOAD_ANY, S1, to, 0);
			blend(x, S0, S1, mask_quarter(k, n));
			from = register_quarter(S0);
		}
		put_rm(x, STORE_ANY, get(x, from, S0), to, 0);
	}
}

/* S1 to all of @reg */
static void set_all(struct x86 *x, uint8_t reg, uint32_t options)
{
	for (int n = 0; n < 4; n++) {
		if (MASK_OF(options))
			copy(x, S0, register_quarter(S1));
		result(x, reg, n, MASK_OF(options) ? S0 : S1, options);
	}
}

/* The lowest lane of @s to all */
static void broadcast(struct x86 *x, uint32_t op, uint8_t reg, const struct source *s,
		      uint32_t options)
{
	if (s->memory) {
		load_word(x, S1, s->m, WIDE(op));
	} else {
		copy(x, S1, quarter_of(x, s->reg, 0));
		spread_word(x, S1, WIDE(op));
	}
	set_all(x, reg, options);
}

static void broadcast_gpr(struct x86 *x, uint32_t op, uint8_t reg, uint8_t gpr, uint32_t options)
{
	put_rr(x, FROM_GPR | (op & CODE(0, 0, 1, 0)), S1, gpr);
	spread_word(x, S1, WIDE(op));
	set_all(x, reg, options);
}

/*
 * 32 bytes become 64: integers with zeros or their sign, or by an instruction that makes 16 of 8.
 * The upper quarters first: @reg may be @s.
 */
static void widen(struct x86 *x, uint32_t op, uint8_t reg, const struct source *s)
{
	for (int n = 3; n >= 0; n--) {
		if (s->memory) {
			put_rm(x, LOAD_LOW, S0, moved(s->m, 8 * n), 0);
		} else {
			copy(x, S0, quarter_of(x, s->reg, n / 2));
			if (n & 1)
				order(x, S0, S0, 0xee);
		}
		if (MAP(op) == 2) {
			if (OPCODE(op) == 0x25) {
				copy(x, S1, register_quarter(S0));
				put_shift(x, SHIFT, 4, S1, 31);
			} else {
				put(x, XOR, S1, register_quarter(S1), X86_NO_IMM);
			}
			put(x, LOW_WORDS, S0, register_quarter(S1), X86_NO_IMM);
		} else {
			put(x, op, S0, register_quarter(S0), X86_NO_IMM);
		}
		set(x, quarter_of(x, reg, n), S0);
	}
}

/* 64 bytes become 32, by an instruction that makes 8 of 16 */
static void shrink(struct x86 *x, uint32_t op, uint8_t reg, uint8_t rm)
{
	for (int n = 0; n < 2; n++) {
		put(x, op, S0, quarter_of(x, rm, 2 * n), X86_NO_IMM);
		put(x, op, S1, quarter_of(x, rm, 2 * n + 1), X86_NO_IMM);
		put(x, LOW_HALVES, S0, register_quarter(S1), X86_NO_IMM);
		set(x, quarter_of(x, reg, n), S0);
	}
}

/* The low words of 64 bits */
static void low_words(struct x86 *x, uint8_t reg, uint8_t rm)
{
	for (int n = 0; n < 2; n++) {
		copy(x, S0, quarter_of(x, rm, 2 * n));
		put(x, EVEN_WORDS, S0, quarter_of(x, rm, 2 * n + 1), 0x88);
		set(x, quarter_of(x, reg, n), S0);
	}
}

/* Half @to of @reg is half @from of @rm. */
static void move_half(struct x86 *x, uint8_t reg, int to, uint8_t rm, int from)
{
	for (int n = 0; n < 2; n++)
		set(x, quarter_of(x, reg, 2 * to + n),
		    get(x, quarter_of(x, rm, 2 * from + n), S0));
}

/* ---- computing ------------------------------------------------------------------------- */

static void shift(struct x86 *x, uint32_t op, uint8_t field, uint8_t to, uint8_t rm, int count)
{
	for (int n = 0; n < 4; n++) {
		copy(x, S0, quarter_of(x, rm, n));
		put_shift(x, op, field, S0, (uint8_t)count);
		result(x, to, n, S0, 0);
	}
}

/* reg | (v ^ rm): the one use of vpternlog */
static void differ(struct x86 *x, uint32_t op, uint8_t reg, uint8_t v, const struct source *s,
		   uint32_t options)
{
	for (int n = 0; n < 4; n++) {
		struct quarter b = quarter_of_source(x, s, n, op, options);

		copy(x, S0, quarter_of(x, v, n));
		put(x, XOR, S0, b, X86_NO_IMM);
		put(x, OR, S0, quarter_of(x, reg, n), X86_NO_IMM);
		result(x, reg, n, S0, options);
	}
}

/* What has the same opcode in SSE2, and takes @v */
static bool is_binary(uint32_t op)
{
	if (MAP(op) != 1)
		return false;
	switch (OPCODE(op)) {
	case 0x58: case 0x59: case 0x5c: case 0x5d: case 0x5e: case 0x5f:
	case 0xd4: case 0xdb: case 0xdf: case 0xeb: case 0xef: case 0xf4:
	case 0xfa: case 0xfb: case 0xfe:
		return true;
	}
	return false;
}

/* The same without @v */
static bool is_unary(uint32_t op)
{
	return MAP(op) == 1 && (OPCODE(op) == 0x51 || (OPCODE(op) == 0x5b && !WIDE(op)));
}

static void compute(struct x86 *x, uint32_t op, uint8_t reg, uint8_t v, const struct source *s,
		    uint32_t options, int imm)
{
	x->failed |= imm != X86_NO_IMM;
	for (int n = 0; n < 4; n++) {
		struct quarter b = quarter_of_source(x, s, n, op, options);
		uint8_t xmm = S0;

		if (is_unary(op)) {
			put(x, op, xmm, b, X86_NO_IMM);
		} else if (is_binary(op)) {
			xmm = place_of(x, reg, n, b, options);
			copy(x, xmm, quarter_of(x, v, n));
			put(x, op, xmm, b, X86_NO_IMM);
		} else {
			copy(x, S0, quarter_of(x, v, n));
			copy(x, S1, b);
			x->failed |= !x86_sse2_several(x, op);
		}
		result(x, reg, n, xmm, options);
	}
}

/* ---- all of them ------------------------------------------------------------------------ */

#include "x86_lower.h"

static void v_to(struct x86 *x, uint8_t reg, uint8_t v)
{
	struct quarter low = quarter_of(x, v, 0);

	if (low.memory)
		x86_rm(x, true, X_LOAD, reg, low.m);
	else
		put_rr(x, TO_GPR, low.xmm, reg);
}

static void compare_row(struct x86 *x, struct x86_mem lanes, uint32_t step, bool masked)
{
	put_rr(x, FROM_GPR | CODE(0, 0, 1, 0), S2, RAX);
	spread_word(x, S2, true);
	put(x, XOR, S3, register_quarter(S3), X86_NO_IMM);
	for (int n = 0; n < 16; n++) {
		put_rm(x, LOAD, S0, moved(lanes, 16 * n), 0);
		if (step) {
			x86_label row = x86_row(x, 8 * (uint64_t)step * (uint64_t)(n / 4), step);

			put_rm(x, SUBQ, S0, moved(at_label(row), 16 * (n & 3)), 0);
		}
		put(x, XOR, S0, register_quarter(S2), X86_NO_IMM);
		if (masked) {
			copy(x, S1, mask_quarter((uint8_t)(3 + n / 4), n & 3));
			put(x, AND_NOT, S1, register_quarter(S0), X86_NO_IMM);
		}
		put(x, OR, S3, register_quarter(masked ? S1 : S0), X86_NO_IMM);
	}
	put(x, XOR, S0, register_quarter(S0), X86_NO_IMM);
	put(x, EQUAL, S3, register_quarter(S0), X86_NO_IMM);
	put_rr(x, SIGNS, RDX, S3);
	x86_ri(x, false, 7, RDX, 0xffff);
}

const struct x86_small x86_sse2 = {
	.v = vectors,
	.vm = vector_and_memory,
	.k_load = k_load,
	.k_from = k_from,
	.k_to = k_to,
	.k_not = k_not,
	.k_ortest = k_ortest,
	.v_to = v_to,
	.compare_row = compare_row,
};

// SPDX-License-Identifier: MIT
/* Moves and integers as vector instructions. */
#include "translate.h"

enum {
	V_MIN_S = EVEX(1, 2, 0, 0x39),
	V_MIN_U = EVEX(1, 2, 0, 0x3b),
	V_MAX_S = EVEX(1, 2, 0, 0x3d),
	V_SUBQ = EVEX(1, 1, 1, 0xfb),
	V_SLL = EVEX(1, 2, 0, 0x47),
	V_SRL = EVEX(1, 2, 0, 0x45),
	V_SRA = EVEX(1, 2, 0, 0x46),
	V_SLLQ = EVEX(1, 2, 1, 0x47),
	V_SRLQ = EVEX(1, 2, 1, 0x45),
	V_SRAQ = EVEX(1, 2, 1, 0x46),
	V_SHIFT_IMM = EVEX(1, 1, 0, 0x72),	/* by the field of reg: 6 left, 2 right, 4 sign */
	V_SRA_IMMQ = EVEX(1, 1, 1, 0x72),	/* 4 */
	V_MUL_S = EVEX(1, 2, 1, 0x28),		/* of low halves */
	V_MUL_U = EVEX(1, 1, 1, 0xf4),
	V_MULL = EVEX(1, 2, 0, 0x40),
	V_MULLQ = EVEX(1, 2, 1, 0x40),
	V_LOGIC = EVEX(1, 3, 0, 0x25),		/* vpternlogd */
};

/* d = op(a, b), or op(b): of what has one operand, that is a */
static void binary(struct translation *t, const struct vgpu_insn *i, u32 op, bool wide)
{
	u32 parts = tr_parts(t, wide);
	u8 d[4];

	for (u32 p = 0; p < parts; p++) {
		u8 a = tr_use(t, chunk(i->a, p));

		d[p] = tr_fresh(t);
		tr_with_b(t, op, d[p], a, i, p, wide, 0);
	}
	tr_results_of(t, d, parts, i->dst, wide);
}

/* d = op(a), or op(vector 0, a) */
static void unary(struct translation *t, const struct vgpu_insn *i, u32 op, bool wide)
{
	u32 parts = tr_parts(t, wide);
	u8 d[4];

	for (u32 p = 0; p < parts; p++) {
		u8 a = tr_use(t, chunk(i->a, p));

		d[p] = tr_fresh(t);
		x86_v(&t->x, op, d[p], 0, a, 0);
	}
	tr_results_of(t, d, parts, i->dst, wide);
}

/* d = op(first, a), first a constant in all lanes */
static void with_constant(struct translation *t, const struct vgpu_insn *i, u32 op, u64 value,
			  bool wide)
{
	tr_splat(t, 0, value, wide);
	unary(t, i, op, wide);
}

static void move(struct translation *t, const struct vgpu_insn *i, bool wide)
{
	u32 parts = tr_parts(t, wide);
	u8 d[4];

	for (u32 p = 0; p < parts; p++) {
		d[p] = tr_fresh(t);
		if (i->flags & VGPU_F_IMM)
			tr_splat(t, d[p], wide ? i->imm : (u32)i->imm, wide);
		else
			tr_copy(t, d[p], chunk(i->b, p));
	}
	tr_results_of(t, d, parts, i->dst, wide);
}

/* c ? a : b */
static void choose(struct translation *t, const struct vgpu_insn *i, bool wide)
{
	u8 d[4];

	for (u32 p = 0; p < parts_of(wide); p++) {
		u8 a = tr_use(t, chunk(i->a, p));

		d[p] = tr_fresh(t);
		if (i->flags & VGPU_F_IMM)
			tr_splat(t, d[p], wide ? i->imm : (u32)i->imm, wide);
		else
			tr_copy(t, d[p], chunk(i->b, p));
		tr_pred(t, i->c, p, wide);
		x86_v(&t->x, wide ? V_LOADQ : V_LOAD, d[p], 0, a, V_MASK(7));
	}
	tr_results(t, d, i->dst, wide);
}

/* a * b + c */
static void multiply_add(struct translation *t, const struct vgpu_insn *i, bool wide)
{
	u32 parts = tr_parts(t, wide);
	u8 d[4];

	for (u32 p = 0; p < parts; p++) {
		u8 a = tr_use(t, chunk(i->a, p)), c;

		d[p] = tr_fresh(t);
		tr_with_b(t, wide ? V_MULLQ : V_MULL, d[p], a, i, p, wide, 0);
		c = tr_use(t, chunk(i->c, p));
		x86_v(&t->x, wide ? V_ADDQ : V_ADD, d[p], d[p], c, 0);
		tr_unpin(t, a);
		tr_unpin(t, c);
	}
	tr_results_of(t, d, parts, i->dst, wide);
}

/* The whole product of 32-bit a and b, plus 64-bit c */
static void wide_product(struct translation *t, const struct vgpu_insn *i, bool is_signed,
			 bool add)
{
	u32 extend = is_signed ? V_SX : V_ZX, op = is_signed ? V_MUL_S : V_MUL_U;
	u32 parts = tr_parts(t, true);
	u8 d[4];

	if (i->flags & VGPU_F_IMM)
		tr_splat(t, 1, (u32)i->imm, false);
	for (u32 p = 0; p < parts; p++) {
		d[p] = tr_fresh(t);
		tr_half(t, extend, 0, i->a, p);
		if (!(i->flags & VGPU_F_IMM))
			tr_half(t, extend, 1, i->b, p);
		x86_v(&t->x, op, d[p], 0, 1, 0);
		if (add) {
			u8 c = tr_use(t, chunk(i->c, p));

			x86_v(&t->x, V_ADDQ, d[p], d[p], c, 0);
			tr_unpin(t, c);
		}
	}
	tr_results_of(t, d, parts, i->dst, true);
}

/* The high halves of 32-bit products: of even lanes, and of odd ones moved down */
static void high_product(struct translation *t, const struct vgpu_insn *i, bool is_signed)
{
	u32 op = is_signed ? V_MUL_S : V_MUL_U;
	u8 d[2];

	for (u32 p = 0; p < 2; p++) {
		u8 a = tr_use(t, chunk(i->a, p)), b = tr_b(t, i, p, false, 0);

		d[p] = tr_fresh(t);
		x86_v(&t->x, op, d[p], a, b, 0);
		x86_vi(&t->x, V_SHIFT_IMMQ, 2, 1, a, 0, 32);
		x86_vi(&t->x, V_SHIFT_IMMQ, 2, 2, b, 0, 32);
		x86_v(&t->x, op, 1, 1, 2, 0);
		x86_vi(&t->x, V_SHIFT_IMMQ, 2, d[p], d[p], 0, 32);
		/* the high words of the odd products stand where they belong */
		x86_mov_ri(&t->x, RAX, 0xaaaa);
		x86_k_from(&t->x, 7, RAX);
		x86_v(&t->x, V_LOAD, d[p], 0, 1, V_MASK(7));
	}
	tr_results(t, d, i->dst, false);
}

/* Counts from the width up shift everything out, as the instructions do. */
static void shift(struct translation *t, const struct vgpu_insn *i, u32 op, u32 imm_op, u8 field,
		  bool wide)
{
	u32 width = wide ? 64 : 32;
	u32 parts = tr_parts(t, wide);
	u8 d[4];

	for (u32 p = 0; p < parts; p++) {
		u8 a = tr_use(t, chunk(i->a, p));

		d[p] = tr_fresh(t);
		if (i->flags & VGPU_F_IMM) {
			u8 n = (u32)i->imm < width ? (u8)i->imm : (u8)width;

			x86_vi(&t->x, imm_op, field, d[p], a, 0, n);
		} else if (wide) {
			tr_half(t, V_ZX, 0, i->b, p);
			x86_v(&t->x, op, d[p], a, 0, 0);
		} else {
			x86_v(&t->x, op, d[p], a, tr_use(t, chunk(i->b, p)), 0);
		}
	}
	tr_results_of(t, d, parts, i->dst, wide);
}

/* The low bits of a, with zeros or their sign */
static void extend_low(struct translation *t, const struct vgpu_insn *i, u8 bits, bool is_signed)
{
	u32 parts = tr_parts(t, false);
	u8 d[2], n = (u8)(32 - bits);

	for (u32 p = 0; p < parts; p++) {
		u8 a = tr_use(t, chunk(i->a, p));

		d[p] = tr_fresh(t);
		x86_vi(&t->x, V_SHIFT_IMM, 6, d[p], a, 0, n);
		x86_vi(&t->x, V_SHIFT_IMM, is_signed ? 4 : 2, d[p], d[p], 0, n);
	}
	tr_results_of(t, d, parts, i->dst, false);
}

static void extend(struct translation *t, const struct vgpu_insn *i, u32 op)
{
	u32 parts = tr_parts(t, true);
	u8 d[4];

	for (u32 p = 0; p < parts; p++) {
		d[p] = tr_fresh(t);
		tr_half(t, op, d[p], i->a, p);
	}
	tr_results_of(t, d, parts, i->dst, true);
}

/* b << 32 | a */
static void pack(struct translation *t, const struct vgpu_insn *i)
{
	u32 parts = tr_parts(t, true);
	u8 d[4];

	if (i->flags & VGPU_F_IMM)
		tr_splat(t, 1, (u64)(u32)i->imm << 32, true);
	for (u32 p = 0; p < parts; p++) {
		d[p] = tr_fresh(t);
		tr_half(t, V_ZX, 0, i->a, p);
		if (!(i->flags & VGPU_F_IMM)) {
			tr_half(t, V_ZX, 1, i->b, p);
			x86_vi(&t->x, V_SHIFT_IMMQ, 6, 1, 1, 0, 32);
		}
		x86_v(&t->x, V_ORQ, d[p], 0, 1, 0);
	}
	tr_results_of(t, d, parts, i->dst, true);
}

/* Two vectors of 64 bits as one of 32: their low halves */
static void narrow(struct translation *t, u8 to, u8 low, u8 high)
{
	x86_v(&t->x, V_NARROW, low, 0, to, 0);
	x86_v(&t->x, V_NARROW, high, 0, 1, 0);
	x86_vi(&t->x, V_INSERT, to, to, 1, 0, 1);
}

static void half(struct translation *t, const struct vgpu_insn *i, bool high)
{
	u32 parts = tr_parts(t, false);
	u8 d[2];

	for (u32 p = 0; p < parts; p++) {
		u8 low = tr_use(t, chunk(i->a, 2 * p)), up = tr_use(t, chunk(i->a, 2 * p + 1));

		d[p] = tr_fresh(t);
		if (high) {
			x86_vi(&t->x, V_SHIFT_IMMQ, 2, 2, low, 0, 32);
			x86_vi(&t->x, V_SHIFT_IMMQ, 2, 3, up, 0, 32);
			narrow(t, d[p], 2, 3);
		} else {
			narrow(t, d[p], low, up);
		}
	}
	tr_results_of(t, d, parts, i->dst, false);
}

/* The instruction's table is indexed as ours is: a the highest bit. */
static void logic(struct translation *t, const struct vgpu_insn *i)
{
	u8 d[2];

	for (u32 p = 0; p < 2; p++) {
		u8 b = tr_use(t, chunk(i->b, p)), c = tr_use(t, chunk(i->c, p));

		d[p] = tr_fresh(t);
		tr_copy(t, d[p], chunk(i->a, p));
		x86_vi(&t->x, V_LOGIC, d[p], b, c, 0, (u8)i->imm);
	}
	tr_results(t, d, i->dst, false);
}

/* A word of b:a that begins by the count in c after (left: before) the upper (lower) end of it */
static void funnel(struct translation *t, const struct vgpu_insn *i, bool left, bool clamp)
{
	struct x86 *x = &t->x;
	u8 d[2];

	for (u32 p = 0; p < 2; p++) {
		u8 a = tr_use(t, chunk(i->a, p)), c = tr_use(t, chunk(i->c, p)),
		   b = tr_b(t, i, p, false, 3);

		d[p] = tr_fresh(t);
		tr_splat(t, 0, clamp ? 32 : 31, false);
		x86_v(x, clamp ? V_MIN_U : V_AND, 0, 0, c, 0);
		tr_splat(t, 1, 32, false);
		x86_v(x, V_SUB, 1, 1, 0, 0);
		x86_v(x, left ? V_SLL : V_SRL, 2, left ? b : a, 0, 0);
		x86_v(x, left ? V_SRL : V_SLL, 1, left ? a : b, 1, 0);
		x86_v(x, V_OR, d[p], 2, 1, 0);
	}
	tr_results(t, d, i->dst, false);
}

/* The field of a at b, of length c, each of 8 bits */
static void extract(struct translation *t, const struct vgpu_insn *i, bool is_signed)
{
	struct x86 *x = &t->x;
	u8 d[2];

	for (u32 p = 0; p < 2; p++) {
		u8 a = tr_use(t, chunk(i->a, p)), c = tr_use(t, chunk(i->c, p)),
		   b = tr_b(t, i, p, false, 3);

		d[p] = tr_fresh(t);
		tr_splat(t, 0, 255, false);
		x86_v(x, V_AND, 1, 0, b, 0);
		x86_v(x, V_AND, 2, 0, c, 0);
		if (is_signed) {
			/* to the top of the word and back, not as far where the word ends first */
			tr_splat(t, 0, 31, false);
			x86_v(x, V_MIN_U, 1, 0, 1, 0);
			tr_splat(t, 0, 32, false);
			x86_v(x, V_SUB, 2, 0, 2, 0);
			x86_v(x, V_MAX_S, 2, 2, 1, 0);
			x86_v(x, V_SRL, d[p], a, 1, 0);
			x86_v(x, V_SLL, d[p], d[p], 2, 0);
			x86_v(x, V_SRA, d[p], d[p], 2, 0);
		} else {
			tr_splat(t, 0, ~0u, false);
			x86_v(x, V_SLL, 2, 0, 2, 0);
			x86_v(x, V_SRL, d[p], a, 1, 0);
			x86_v(x, V_ANDN, d[p], 2, d[p], 0);
		}
	}
	tr_results(t, d, i->dst, false);
}

/* a into b at bits 0-7 of c, of length bits 8-15 */
static void insert(struct translation *t, const struct vgpu_insn *i)
{
	struct x86 *x = &t->x;
	u8 d[2];

	for (u32 p = 0; p < 2; p++) {
		u8 a = tr_use(t, chunk(i->a, p)), c = tr_use(t, chunk(i->c, p));

		d[p] = tr_fresh(t);
		tr_splat(t, 0, 255, false);
		x86_v(x, V_AND, 1, 0, c, 0);
		x86_vi(x, V_SHIFT_IMM, 2, 2, c, 0, 8);
		x86_v(x, V_AND, 2, 0, 2, 0);
		tr_splat(t, 0, ~0u, false);
		x86_v(x, V_SLL, 2, 0, 2, 0);		/* zeros, as many as it is long */
		x86_v(x, V_ANDN, 2, 2, 0, 0);
		x86_v(x, V_SLL, 2, 2, 1, 0);		/* where it goes */
		x86_v(x, V_SLL, 3, a, 1, 0);
		tr_copy(t, d[p], chunk(i->b, p));
		x86_v(x, V_XOR, 3, 3, d[p], 0);		/* b ^ ((b ^ a) & where) */
		x86_v(x, V_AND, 3, 3, 2, 0);
		x86_v(x, V_XOR, d[p], d[p], 3, 0);
	}
	tr_results(t, d, i->dst, false);
}

/* ---- all of them ------------------------------------------------------------------ */

static bool wide_integer(struct translation *t, const struct vgpu_insn *i)
{
	switch (i->op) {
	case VGPU_OP_ADDQ: binary(t, i, V_ADDQ, true); break;
	case VGPU_OP_SUBQ: binary(t, i, V_SUBQ, true); break;
	case VGPU_OP_MULQ: binary(t, i, V_MULLQ, true); break;
	case VGPU_OP_MADQ: multiply_add(t, i, true); break;
	case VGPU_OP_MINSQ: binary(t, i, EVEX(1, 2, 1, 0x39), true); break;
	case VGPU_OP_MINUQ: binary(t, i, EVEX(1, 2, 1, 0x3b), true); break;
	case VGPU_OP_MAXSQ: binary(t, i, EVEX(1, 2, 1, 0x3d), true); break;
	case VGPU_OP_MAXUQ: binary(t, i, EVEX(1, 2, 1, 0x3f), true); break;
	case VGPU_OP_ABSQ: unary(t, i, EVEX(1, 2, 1, 0x1f), true); break;
	case VGPU_OP_NEGQ: with_constant(t, i, V_SUBQ, 0, true); break;
	case VGPU_OP_ANDQ: binary(t, i, V_ANDQ, true); break;
	case VGPU_OP_ORQ: binary(t, i, V_ORQ, true); break;
	case VGPU_OP_XORQ: binary(t, i, V_XORQ, true); break;
	case VGPU_OP_NOTQ: with_constant(t, i, V_XORQ, ~0ull, true); break;
	case VGPU_OP_DABS: with_constant(t, i, V_ANDQ, ~0ull >> 1, true); break;
	case VGPU_OP_DNEG: with_constant(t, i, V_XORQ, 1ull << 63, true); break;
	case VGPU_OP_SHLQ: shift(t, i, V_SLLQ, V_SHIFT_IMMQ, 6, true); break;
	case VGPU_OP_SHRUQ: shift(t, i, V_SRLQ, V_SHIFT_IMMQ, 2, true); break;
	case VGPU_OP_SHRSQ: shift(t, i, V_SRAQ, V_SRA_IMMQ, 4, true); break;
	default: return false;
	}
	return true;
}

bool tr_integer(struct translation *t, const struct vgpu_insn *i)
{
	switch (i->op) {
	case VGPU_OP_MOV: move(t, i, false); break;
	case VGPU_OP_MOVQ: move(t, i, true); break;
	case VGPU_OP_PACK: pack(t, i); break;
	case VGPU_OP_UNLO: half(t, i, false); break;
	case VGPU_OP_UNHI: half(t, i, true); break;
	case VGPU_OP_SEL: choose(t, i, false); break;
	case VGPU_OP_SELQ: choose(t, i, true); break;
	case VGPU_OP_ADD: binary(t, i, V_ADD, false); break;
	case VGPU_OP_SUB: binary(t, i, V_SUB, false); break;
	case VGPU_OP_MUL: binary(t, i, V_MULL, false); break;
	case VGPU_OP_MULHS: high_product(t, i, true); break;
	case VGPU_OP_MULHU: high_product(t, i, false); break;
	case VGPU_OP_MAD: multiply_add(t, i, false); break;
	case VGPU_OP_MULWS: wide_product(t, i, true, false); break;
	case VGPU_OP_MULWU: wide_product(t, i, false, false); break;
	case VGPU_OP_MADWS: wide_product(t, i, true, true); break;
	case VGPU_OP_MADWU: wide_product(t, i, false, true); break;
	case VGPU_OP_MINS: binary(t, i, V_MIN_S, false); break;
	case VGPU_OP_MINU: binary(t, i, V_MIN_U, false); break;
	case VGPU_OP_MAXS: binary(t, i, V_MAX_S, false); break;
	case VGPU_OP_MAXU: binary(t, i, EVEX(1, 2, 0, 0x3f), false); break;
	case VGPU_OP_ABS: unary(t, i, EVEX(1, 2, 0, 0x1e), false); break;
	case VGPU_OP_NEG: with_constant(t, i, V_SUB, 0, false); break;
	case VGPU_OP_AND: binary(t, i, V_AND, false); break;
	case VGPU_OP_OR: binary(t, i, V_OR, false); break;
	case VGPU_OP_XOR: binary(t, i, V_XOR, false); break;
	case VGPU_OP_NOT: with_constant(t, i, V_XOR, ~0u, false); break;
	case VGPU_OP_SHL: shift(t, i, V_SLL, V_SHIFT_IMM, 6, false); break;
	case VGPU_OP_SHRU: shift(t, i, V_SRL, V_SHIFT_IMM, 2, false); break;
	case VGPU_OP_SHRS: shift(t, i, V_SRA, V_SHIFT_IMM, 4, false); break;
	case VGPU_OP_CLZ: unary(t, i, EVEX(1, 2, 0, 0x44), false); break;
	case VGPU_OP_SHFLW: funnel(t, i, true, false); break;
	case VGPU_OP_SHFRW: funnel(t, i, false, false); break;
	case VGPU_OP_SHFLC: funnel(t, i, true, true); break;
	case VGPU_OP_SHFRC: funnel(t, i, false, true); break;
	case VGPU_OP_BFES: extract(t, i, true); break;
	case VGPU_OP_BFEU: extract(t, i, false); break;
	case VGPU_OP_BFI: insert(t, i); break;
	case VGPU_OP_LOP3: logic(t, i); break;
	case VGPU_OP_SX8: extend_low(t, i, 8, true); break;
	case VGPU_OP_SX16: extend_low(t, i, 16, true); break;
	case VGPU_OP_ZX8: extend_low(t, i, 8, false); break;
	case VGPU_OP_ZX16: extend_low(t, i, 16, false); break;
	case VGPU_OP_SXQ: extend(t, i, V_SX); break;
	case VGPU_OP_ZXQ: extend(t, i, V_ZX); break;
	default: return wide_integer(t, i);
	}
	return true;
}

// SPDX-License-Identifier: MIT
/*
 * Floats as vector instructions, with the bits that sim-device/sm/lanes/float.h computes: every
 * operation is the one instruction that IEEE 754 rounds once, under the mode that the instruction
 * itself carries; NaNs become canonical; FTZ and SAT work on operands and results.
 */
#include "access.h"
#include "translate.h"

#define NAN32	0x7fffffffu
#define NAN64	0x7ff8000000000000ull
#define ONE32	0x3f800000u
#define ONE64	0x3ff0000000000000ull

/* The same opcode for both widths */
#define PS(op)		EVEX(0, 1, 0, op)
#define PD(op)		EVEX(1, 1, 1, op)
#define PACKED(op)	(wide ? (u32)PD(op) : (u32)PS(op))
#define FMA231		(wide ? (u32)EVEX(1, 2, 1, 0xb8) : (u32)EVEX(1, 2, 0, 0xb8))
#define COMPARE		(wide ? (u32)V_COMPARE_PD : (u32)V_COMPARE_PS)
#define ADD		0x58
#define MULTIPLY	0x59
#define SUBTRACT	0x5c
#define DIVIDE		0x5e
#define SQUARE_ROOT	0x51
#define CMP_EQ		0		/* of V_COMPARE, too */
#define CMP_UNORDERED	3

/* Some of them are NaN */
static void emit_canonical(struct translation *t, const struct later *l)
{
	bool wide = l->wide;

	for (u32 n = 0; n < l->count; n++) {
		u8 d = l->regs[n];

		x86_vi(&t->x, COMPARE, 7, d, d, 0, CMP_UNORDERED);
		x86_vm(&t->x, wide ? V_BROADQ : V_BROAD, d, 0,
		       at_label(x86_constant(&t->x, wide ? NAN64 : NAN32)), V_MASK(7));
	}
}

void tr_canonical(struct translation *t, const u8 *d, u32 count, bool wide)
{
	struct later *l = tr_later(t, emit_canonical);
	struct x86 *x = &t->x;

	l->count = (u8)count;
	l->wide = wide;
	for (u32 n = 0; n < count; n++)
		l->regs[n] = d[n];
	/* unordered: one of the two is a NaN */
	x86_vi(x, COMPARE, 7, d[0], d[count > 1], 0, CMP_UNORDERED);
	if (count == 4)
		x86_vi(x, COMPARE, 0, d[2], d[3], 0, CMP_UNORDERED);
	x86_k_ortest(x, 7, count == 4 ? 0 : 7);
	x86_jump_if(x, CC_NE, l->here);
	tr_back(t, l);
}

/* Subnormals to zero, the sign is kept. Destroys k7. */
void tr_flush(struct translation *t, u8 d)
{
	x86_vm(&t->x, V_TESTN, 7, d, at_label(x86_constant(&t->x, 0x7f800000)), V_BROADCAST);
	x86_vm(&t->x, V_AND, d, d, at_label(x86_constant(&t->x, 0x80000000)),
	       V_BROADCAST | V_MASK(7));
}

static bool is_subnormal(u32 v)
{
	return !(v & 0x7f800000) && v & 0x7fffff;
}

static bool makes_flushed(const struct translation *t, const struct vgpu_insn *i)
{
	if (i->guard != VGPU_PT)
		return false;
	switch (i->op) {
	case VGPU_OP_FADD:
	case VGPU_OP_FSUB:
	case VGPU_OP_FMUL:
	case VGPU_OP_FDIV:
	case VGPU_OP_FFMA:
	case VGPU_OP_FSQRT:
	case VGPU_OP_FRCP:
	case VGPU_OP_FRSQ:
	case VGPU_OP_FMIN:
	case VGPU_OP_FMAX:
	case VGPU_OP_FABS:
	case VGPU_OP_FNEG:
	case VGPU_OP_FRND:
	case VGPU_OP_FSIN:
	case VGPU_OP_FCOS:
	case VGPU_OP_FEX2:
	case VGPU_OP_FLG2:
	case VGPU_OP_FTANH:
	case VGPU_OP_D2F:
		return i->flags & VGPU_F_FTZ;
	case VGPU_OP_I2F:
	case VGPU_OP_L2F:
		return true;
	case VGPU_OP_MOV:
		return i->flags & VGPU_F_IMM ? !is_subnormal((u32)i->imm) :
					       tr_is_flushed(t, i->b);
	}
	return false;
}

void tr_note_flushed(struct translation *t, const struct vgpu_insn *i)
{
	bool flushed = makes_flushed(t, i);
	struct vgpu_operands o;

	vgpu_operands_find(i, &o);
	for (u32 n = 0; n < o.write_count; n++)
		if (o.writes[n] < VGPU_OPERAND_PREDICATE)
			t->flushed[o.writes[n] / 64] &= ~(1ull << o.writes[n] % 64);
	if (flushed)
		t->flushed[i->dst / 64] |= 1ull << i->dst % 64;
}

static void interpret_instead(struct translation *t, const struct later *l)
{
	tr_call_instead(t, l, vgpu_native_interpret);
}

/* See smallest() in sim-device/sm/lanes/vec.h. Destroys vector 0 and k7. */
struct later *tr_smallest(struct translation *t, const u8 *d, u32 count)
{
	struct later *l = tr_later(t, interpret_instead);
	struct x86 *x = &t->x;

	for (u32 n = 0; n < count; n++) {
		x86_vm(x, V_AND, 0, d[n], at_label(x86_constant(x, 0x7fffffff)), V_BROADCAST);
		x86_vmi(x, V_COMPARE, n ? 0 : 7, 0, at_label(x86_constant(x, 0x800000)),
			V_BROADCAST, CMP_EQ);
	}
	tr_leaves(t, l);
	x86_k_ortest(x, 7, count > 1 ? 0 : 7);
	x86_jump_if(x, CC_NE, l->here);
	return l;
}

/* Into [0, 1]; NaN and -0 become +0. The instructions give the second of two zeros, or if one is a
 * NaN. */
void tr_saturate(struct translation *t, u8 d)
{
	x86_v(&t->x, V_XOR, 7, 7, 7, 0);
	x86_v(&t->x, PS(0x5f), d, d, 7, 0);
	tr_splat(t, 7, ONE32, false);
	x86_v(&t->x, PS(0x5d), d, 7, d, 0);
}

enum form {
	BINARY,		/* op(a, b) */
	UNARY,		/* op(a) */
	RECIPROCAL,	/* 1 / a */
	RSQRT,		/* 1 / sqrt(a) */
	FMA,
	MINMAX,		/* op: min 5d, max 5f */
	ROUND,
	SIGN,		/* a with its sign bit changed; not a NaN of its own */
};

static void min_max(struct translation *t, u32 op, u8 d, u8 a, u8 b, bool wide)
{
	struct x86 *x = &t->x;

	x86_v(x, PACKED(op), d, a, b, 0);
	/* equal: -0 is less than +0 */
	x86_vi(x, COMPARE, 7, a, b, 0, CMP_EQ);
	x86_v(x, op == 0x5d ? (wide ? V_ORQ : V_OR) : (wide ? V_ANDQ : V_AND), d, a, b,
	      V_MASK(7));
	x86_vi(x, COMPARE, 7, b, b, 0, CMP_UNORDERED);
	x86_v(x, wide ? V_LOADQ : V_LOAD, d, 0, a, V_MASK(7));
}

/*
 * Products, quotients and roots of subnormal numbers take a hundred times as long on some
 * processors (Intel's), and what inactive lanes have may be such: an integer for instance. So
 * masked code computes those of active lanes alone, unless the others are to have the same.
 * Destroys k7.
 */
static u32 of_active(struct translation *t, u32 op, u32 part, bool wide)
{
	if (op == ADD || op == SUBTRACT || !t->masked || t->x.small || tr_has_stride(t))
		return 0;
	x86_k_not(&t->x, 7, (u8)((wide ? 3 : 1) + part));
	return V_MASK(7) | V_ZERO;
}

/* The same with smaller vectors: a factor, zero in inactive lanes, which suffices. */
static u8 factor(struct translation *t, u8 reg, u8 temp, u32 part, bool wide)
{
	if (!t->masked || !t->x.small || tr_has_stride(t))
		return reg;
	if (reg != temp)
		x86_v(&t->x, V_LOAD, temp, 0, reg, 0);
	x86_v(&t->x, wide ? V_XORQ : V_XOR, temp, temp, temp,
	      V_MASK((wide ? 3 : 1) + part));
	return temp;
}

/* An operand, flushed into @temp if it must be */
static u8 operand(struct translation *t, u8 reg, u8 temp, bool ftz)
{
	if (!ftz)
		return reg;
	if (reg != temp)
		x86_v(&t->x, V_LOAD, temp, 0, reg, 0);
	tr_flush(t, temp);
	return temp;
}

static void compute(struct translation *t, const struct vgpu_insn *i, enum form form, u32 op,
		    u8 d, u32 p, bool wide)
{
	bool ftz = i->flags & VGPU_F_FTZ && !wide, imm = i->flags & VGPU_F_IMM;
	bool ftz_b = ftz && !imm && !tr_is_flushed(t, i->b);
	u32 mode = VGPU_F_RND(i->flags), round = mode ? V_ROUND(mode) : 0;
	u8 a = operand(t, tr_use(t, chunk(i->a, p)), 0, ftz && !tr_is_flushed(t, i->a)), b;
	struct vgpu_insn with_imm = *i;
	struct x86 *x = &t->x;

	if (imm && ftz && is_subnormal((u32)i->imm))
		with_imm.imm = i->imm & 0x80000000;
	i = &with_imm;

	if (form == FMA || (form == BINARY && op == MULTIPLY))
		a = factor(t, a, 0, p, wide);
	switch (form) {
	case BINARY:
		if (imm && !mode) {
			tr_with_b(t, PACKED(op), d, a, i, p, wide, of_active(t, op, p, wide));
			return;
		}
		b = operand(t, tr_b(t, i, p, wide, 1), 1, ftz_b);
		x86_v(x, PACKED(op), d, a, b, round | of_active(t, op, p, wide));
		return;
	case UNARY:
		x86_v(x, PACKED(op), d, 0, a, round | of_active(t, op, p, wide));
		return;
	case RSQRT:
		x86_v(x, PACKED(SQUARE_ROOT), 0, 0, a,
		      round | of_active(t, SQUARE_ROOT, p, wide));
		a = 0;
		/* fall through */
	case RECIPROCAL:
		tr_splat(t, 1, wide ? ONE64 : ONE32, wide);
		x86_v(x, PACKED(DIVIDE), d, 1, a, round | of_active(t, DIVIDE, p, wide));
		return;
	case FMA:
		tr_copy(t, d, chunk(i->c, p));
		if (ftz && !tr_is_flushed(t, i->c))
			tr_flush(t, d);
		if (imm && !mode) {
			tr_with_b(t, FMA231, d, a, i, p, wide,
				  of_active(t, MULTIPLY, p, wide));
			return;
		}
		b = operand(t, tr_b(t, i, p, wide, 1), 1, ftz_b);
		x86_v(x, FMA231, d, a, b, round | of_active(t, MULTIPLY, p, wide));
		return;
	case MINMAX:
		b = operand(t, tr_b(t, i, p, wide, 1), 1, ftz_b);
		min_max(t, op, d, a, b, wide);
		return;
	case ROUND: {
		/* the instruction's modes: nearest, down, up, zero; 8: no exception */
		static const u8 modes[4] = { 0, 3, 1, 2 };

		x86_vi(x, wide ? EVEX(1, 3, 1, 0x09) : EVEX(1, 3, 0, 0x08), d, 0, a, 0,
		       8 | modes[mode]);
		return;
	}
	case SIGN:
		x86_vm(x, op, d, a,
		       at_label(x86_constant(x, op == V_AND ? 0x7fffffffu : 0x80000000u)),
		       V_BROADCAST);
		return;
	}
}

static void arithmetic(struct translation *t, const struct vgpu_insn *i, enum form form, u32 op,
		       bool wide)
{
	bool ftz = i->flags & VGPU_F_FTZ && !wide && form != SIGN;
	u32 parts = tr_parts(t, wide);
	struct later *l = NULL;
	u8 d[4];

	for (u32 p = 0; p < parts; p++) {
		u32 results = t->pinned;

		d[p] = tr_fresh(t);
		results |= 1u << d[p];
		compute(t, i, form, op, d[p], p, wide);
		t->pinned = results;	/* operands of this part are done with */
	}
	if (form != SIGN)
		tr_canonical(t, d, parts, wide);
	if (ftz && (form == FMA || form == RECIPROCAL || op == MULTIPLY || op == DIVIDE))
		l = tr_smallest(t, d, parts);
	for (u32 p = 0; p < parts; p++) {
		if (ftz)
			tr_flush(t, d[p]);
		if (i->flags & VGPU_F_SAT && !wide)
			tr_saturate(t, d[p]);
	}
	tr_results_of(t, d, parts, i->dst, wide);
	if (l)
		tr_back(t, l);
}

bool tr_float(struct translation *t, const struct vgpu_insn *i)
{
	switch (i->op) {
	case VGPU_OP_FADD: arithmetic(t, i, BINARY, ADD, false); break;
	case VGPU_OP_FSUB: arithmetic(t, i, BINARY, SUBTRACT, false); break;
	case VGPU_OP_FMUL: arithmetic(t, i, BINARY, MULTIPLY, false); break;
	case VGPU_OP_FDIV: arithmetic(t, i, BINARY, DIVIDE, false); break;
	case VGPU_OP_FFMA: arithmetic(t, i, FMA, 0, false); break;
	case VGPU_OP_FSQRT: arithmetic(t, i, UNARY, SQUARE_ROOT, false); break;
	case VGPU_OP_FRCP: arithmetic(t, i, RECIPROCAL, 0, false); break;
	case VGPU_OP_FMIN: arithmetic(t, i, MINMAX, 0x5d, false); break;
	case VGPU_OP_FMAX: arithmetic(t, i, MINMAX, 0x5f, false); break;
	case VGPU_OP_FABS: arithmetic(t, i, SIGN, V_AND, false); break;
	case VGPU_OP_FNEG: arithmetic(t, i, SIGN, V_XOR, false); break;
	case VGPU_OP_FRND: arithmetic(t, i, ROUND, 0, false); break;
	case VGPU_OP_FRSQ:
		if (VGPU_F_RND(i->flags))	/* it has no mode */
			return false;
		arithmetic(t, i, RSQRT, 0, false);
		break;
	case VGPU_OP_DADD: arithmetic(t, i, BINARY, ADD, true); break;
	case VGPU_OP_DSUB: arithmetic(t, i, BINARY, SUBTRACT, true); break;
	case VGPU_OP_DMUL: arithmetic(t, i, BINARY, MULTIPLY, true); break;
	case VGPU_OP_DDIV: arithmetic(t, i, BINARY, DIVIDE, true); break;
	case VGPU_OP_DFMA: arithmetic(t, i, FMA, 0, true); break;
	case VGPU_OP_DSQRT: arithmetic(t, i, UNARY, SQUARE_ROOT, true); break;
	case VGPU_OP_DRCP: arithmetic(t, i, RECIPROCAL, 0, true); break;
	case VGPU_OP_DRSQ: arithmetic(t, i, RSQRT, 0, true); break;
	case VGPU_OP_DMIN: arithmetic(t, i, MINMAX, 0x5d, true); break;
	case VGPU_OP_DMAX: arithmetic(t, i, MINMAX, 0x5f, true); break;
	case VGPU_OP_DRND: arithmetic(t, i, ROUND, 0, true); break;
	default: return false;
	}
	return true;
}

// SPDX-License-Identifier: MIT
/* Conversions as vector instructions, with the bits of sim-device/sm/lanes/conv.h. */
#include "translate.h"

#define CMP_UNORDERED	0x03
#define CMP_GE		0x1d

#define ROUND(i)	(VGPU_F_RND((i)->flags) ? V_ROUND(VGPU_F_RND((i)->flags)) : 0u)

/* 32 bits to 32 bits */
static void integer_to_float(struct translation *t, const struct vgpu_insn *i)
{
	u32 op = i->flags & VGPU_F_SIGNED ? EVEX(0, 1, 0, 0x5b) : EVEX(3, 1, 0, 0x7a);
	u8 d[2];

	for (u32 p = 0; p < 2; p++) {
		u8 a = tr_use(t, chunk(i->a, p));

		d[p] = tr_fresh(t);
		x86_v(&t->x, op, d[p], 0, a, ROUND(i));
		if (i->flags & VGPU_F_SAT)
			tr_saturate(t, d[p]);
	}
	tr_results(t, d, i->dst, false);
}

static void float_to_integer(struct translation *t, const struct vgpu_insn *i)
{
	bool zero = VGPU_F_RND(i->flags) == VGPU_RND_RZ;
	struct x86 *x = &t->x;
	u8 d[2];

	for (u32 p = 0; p < 2; p++) {
		u8 a = tr_use(t, chunk(i->a, p));

		if (i->flags & VGPU_F_FTZ) {
			x86_v(x, V_LOAD, 0, 0, a, 0);
			tr_flush(t, 0);
			a = 0;
		}
		d[p] = tr_fresh(t);
		if (i->flags & VGPU_F_SIGNED) {
			/* what is too large, and NaN, is 0x80000000 */
			x86_v(x, zero ? EVEX(2, 1, 0, 0x5b) : EVEX(1, 1, 0, 0x5b), d[p], 0, a,
			      zero ? 0 : ROUND(i));
			x86_vmi(x, V_COMPARE_PS, 7, a, at_label(x86_constant(x, 0x4f000000)),
				V_BROADCAST, CMP_GE);
			x86_vm(x, V_XOR, d[p], d[p], at_label(x86_constant(x, ~0ull)),
			       V_BROADCAST | V_MASK(7));
			x86_vi(x, V_COMPARE_PS, 7, a, a, 0, CMP_UNORDERED);
			x86_v(x, V_XOR, d[p], d[p], d[p], V_MASK(7));
		} else {
			/* below 0, and NaN: 0; what is too large: all ones */
			x86_v(x, V_XOR, 1, 1, 1, 0);
			x86_v(x, EVEX(0, 1, 0, 0x5f), 1, a, 1, 0);
			x86_v(x, zero ? EVEX(0, 1, 0, 0x78) : EVEX(0, 1, 0, 0x79), d[p], 0, 1,
			      zero ? 0 : ROUND(i));
		}
	}
	tr_results(t, d, i->dst, false);
}

/* From the halves of 32-bit registers, exact */
static void widen(struct translation *t, const struct vgpu_insn *i, u32 op)
{
	u8 d[4];

	for (u32 p = 0; p < 4; p++) {
		d[p] = tr_fresh(t);
		tr_half(t, op, d[p], i->a, p);
	}
	if (i->op == VGPU_OP_F2D)
		tr_canonical(t, d, 4, true);
	tr_results(t, d, i->dst, true);
}

/* 64 bits to 64 bits */
static void long_to_double(struct translation *t, const struct vgpu_insn *i)
{
	u32 op = i->flags & VGPU_F_SIGNED ? EVEX(2, 1, 1, 0xe6) : EVEX(2, 1, 1, 0x7a);
	u8 d[4];

	for (u32 p = 0; p < 4; p++) {
		u8 a = tr_use(t, chunk(i->a, p));

		d[p] = tr_fresh(t);
		x86_v(&t->x, op, d[p], 0, a, ROUND(i));
		tr_unpin(t, a);
	}
	tr_results(t, d, i->dst, true);
}

/* The instruction makes 2^63 of what it cannot convert; of what is too large: the largest. */
static void to_long(struct translation *t, const struct vgpu_insn *i)
{
	bool zero = VGPU_F_RND(i->flags) == VGPU_RND_RZ;
	struct x86 *x = &t->x;
	u8 d[4];

	for (u32 p = 0; p < 4; p++) {
		u8 a = 0;

		if (i->op == VGPU_OP_F2L)
			tr_half(t, EVEX_OF(0, 1, 0, 0x5a, 32), 0, i->a, p);
		else
			a = tr_use(t, chunk(i->a, p));
		d[p] = tr_fresh(t);
		x86_v(x, zero ? EVEX(1, 1, 1, 0x7a) : EVEX(1, 1, 1, 0x7b), d[p], 0, a,
		      zero ? 0 : ROUND(i));
		x86_vmi(x, V_COMPARE_PD, 7, a, at_label(x86_constant(x, 0x43e0000000000000ull)),
			V_BROADCAST, CMP_GE);
		x86_vm(x, V_XORQ, d[p], d[p], at_label(x86_constant(x, ~0ull)),
		       V_BROADCAST | V_MASK(7));
		if (a)
			tr_unpin(t, a);
	}
	tr_results(t, d, i->dst, true);
}

/* 64 bits to 32 bits, by @op, whose results are half a vector */
static void narrow(struct translation *t, const struct vgpu_insn *i, u32 op, bool clamp)
{
	struct x86 *x = &t->x;
	u32 round = i->op == VGPU_OP_D2I && VGPU_F_RND(i->flags) == VGPU_RND_RZ ? 0 : ROUND(i);
	struct later *l = NULL;
	u8 d[2];

	for (u32 p = 0; p < 2; p++) {
		u8 a = tr_use(t, chunk(i->a, 2 * p)), b = tr_use(t, chunk(i->a, 2 * p + 1));

		if (clamp) {	/* of a NaN: the lower bound */
			tr_splat(t, 2, 0xc1e0000000000000ull, true);
			tr_splat(t, 3, 0x41dfffffffc00000ull, true);
			x86_v(x, EVEX(1, 1, 1, 0x5f), 0, a, 2, 0);
			x86_v(x, EVEX(1, 1, 1, 0x5f), 1, b, 2, 0);
			x86_v(x, EVEX(1, 1, 1, 0x5d), 0, 0, 3, 0);
			x86_v(x, EVEX(1, 1, 1, 0x5d), 1, 1, 3, 0);
			a = 0;
			b = 1;
		}
		d[p] = tr_fresh(t);
		x86_v(x, op, d[p], 0, a, round);
		x86_v(x, op, 4, 0, b, round);
		x86_vi(x, V_INSERT, d[p], d[p], 4, 0, 1);
	}
	if (i->op == VGPU_OP_D2F)
		tr_canonical(t, d, 2, false);
	if (i->op == VGPU_OP_D2F && i->flags & VGPU_F_FTZ)
		l = tr_smallest(t, d, 2);
	for (u32 p = 0; p < 2; p++) {
		if (i->op == VGPU_OP_D2F && i->flags & VGPU_F_FTZ)
			tr_flush(t, d[p]);
		if (i->op != VGPU_OP_D2I && i->flags & VGPU_F_SAT)
			tr_saturate(t, d[p]);
	}
	tr_results(t, d, i->dst, false);
	if (l)
		tr_back(t, l);
}

enum {
	V_HALF_TO_FLOAT = EVEX_OF(1, 2, 0, 0x13, 32),
	V_FLOAT_TO_HALF = EVEX_OF(1, 3, 0, 0x1d, 32),	/* operands exchanged */
};

static void half_to_float(struct translation *t, const struct vgpu_insn *i)
{
	struct x86 *x = &t->x;
	u8 d[2];

	for (u32 p = 0; p < 2; p++) {
		x86_v(x, V_TO16, tr_use(t, chunk(i->a, p)), 0, 0, 0);
		d[p] = tr_fresh(t);
		x86_v(x, V_HALF_TO_FLOAT, d[p], 0, 0, 0);
	}
	tr_canonical(t, d, 2, false);
	for (u32 p = 0; p < 2; p++)
		if (i->flags & VGPU_F_SAT)	/* nothing is subnormal */
			tr_saturate(t, d[p]);
	tr_results(t, d, i->dst, false);
}

static void float_to_half(struct translation *t, const struct vgpu_insn *i)
{
	/* the instruction's modes: nearest, down, up, zero */
	static const u8 modes[4] = { 0, 3, 1, 2 };
	struct x86 *x = &t->x;
	u8 d[2];

	for (u32 p = 0; p < 2; p++) {
		u8 a = tr_use(t, chunk(i->a, p));

		if (i->flags & (VGPU_F_FTZ | VGPU_F_SAT)) {
			x86_v(x, V_LOAD, 0, 0, a, 0);
			a = 0;
			if (i->flags & VGPU_F_FTZ)
				tr_flush(t, 0);
			if (i->flags & VGPU_F_SAT)
				tr_saturate(t, 0);
		}
		d[p] = tr_fresh(t);
		x86_vi(x, V_FLOAT_TO_HALF, a, 0, 1, 0, modes[VGPU_F_RND(i->flags)]);
		x86_v(x, V_ZX16, d[p], 0, 1, 0);
		x86_vi(x, V_COMPARE_PS, 7, a, a, 0, CMP_UNORDERED);
		x86_vm(x, V_BROAD, d[p], 0, at_label(x86_constant(x, 0x7fff)), V_MASK(7));
	}
	tr_results(t, d, i->dst, false);
}

bool tr_convert(struct translation *t, const struct vgpu_insn *i)
{
	bool is_signed = i->flags & VGPU_F_SIGNED;

	switch (i->op) {
	case VGPU_OP_I2F:
		integer_to_float(t, i);
		return true;
	case VGPU_OP_F2I:
		float_to_integer(t, i);
		return true;
	case VGPU_OP_H2F:
		half_to_float(t, i);
		return true;
	case VGPU_OP_F2H:
		float_to_half(t, i);
		return true;
	case VGPU_OP_I2D:
		widen(t, i, is_signed ? EVEX_OF(2, 1, 0, 0xe6, 32) : EVEX_OF(2, 1, 0, 0x7a, 32));
		return true;
	case VGPU_OP_F2D:
		if (i->flags & VGPU_F_FTZ)
			return false;
		widen(t, i, EVEX_OF(0, 1, 0, 0x5a, 32));
		return true;
	case VGPU_OP_L2D:
		long_to_double(t, i);
		return true;
	case VGPU_OP_L2F:
		narrow(t, i, is_signed ? EVEX(0, 1, 1, 0x5b) : EVEX(3, 1, 1, 0x7a), false);
		return true;
	case VGPU_OP_D2F:
		narrow(t, i, EVEX(1, 1, 1, 0x5a), false);
		return true;
	case VGPU_OP_D2I:
		if (!is_signed)
			return false;
		narrow(t, i,
		       VGPU_F_RND(i->flags) == VGPU_RND_RZ ? EVEX(1, 1, 1, 0xe6) :
							     EVEX(3, 1, 1, 0xe6),
		       true);
		return true;
	case VGPU_OP_F2L:
	case VGPU_OP_D2L:
		if (!is_signed || i->flags & VGPU_F_FTZ)
			return false;
		to_long(t, i);
		return true;
	}
	return false;
}

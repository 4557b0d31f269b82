/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The run loop: fetch, guard, execute, for one warp until its budget is used or it must wait. One line an opcode.
 * Operands have been verified: no index here is checked again. Part of lanes_impl.h.
 *
 * With all 32 lanes active a result goes straight into its register; else into scratch, from where the active lanes are
 * taken. The inactive lanes are computed too and dropped.
 */
#ifndef VGPU_LANES_RUN_H
#define VGPU_LANES_RUN_H

#define R(n)	(regs + (n) * VGPU_LANES)
#define Q(n)	((u64 *)(regs + (n) * VGPU_LANES))
#define P(n)	(w->preds[(n) & 63] ^ (0u - ((n) >> 6 & 1u)))

#define OUT	(m == FULL ? R(i->dst) : (u32 *)s->out)
#define OUTQ	(m == FULL ? Q(i->dst) : s->out)
#define KEEP	do { if (m != FULL) blend(R(i->dst), (const u32 *)s->out, m); } while (0)
#define KEEPQ	do { if (m != FULL) blendq(Q(i->dst), s->out, m); } while (0)
/* results that were computed in scratch even for all lanes, because operands and result overlap unequally */
#define TAKE	blend(R(i->dst), (const u32 *)s->out, m)
#define TAKEQ	blendq(Q(i->dst), s->out, m)

/* operand b: a register or the immediate in all lanes */
#define BR	(i->flags & VGPU_F_IMM ? splat_imm(s, (u32)i->imm) : R(i->b))
#define BQ	(i->flags & VGPU_F_IMM ? splat_immq(s, i->imm) : Q(i->b))

#define EACH_R(expr) do {									\
		const vu *pa = (const vu *)R(i->a), *pb = (const vu *)rb, *pc_ = (const vu *)R(i->c);	\
		vu *po = (vu *)OUT;								\
		EACH_VECTOR(k) {								\
			vu x = pa[k], y = pb[k], z = pc_[k];					\
			(void)x, (void)y, (void)z;						\
			po[k] = (vu)(expr);							\
		}										\
		KEEP;										\
	} while (0)
#define EACH_Q(expr) do {									\
		const vuq *pa = (const vuq *)Q(i->a), *pb = (const vuq *)qb, *pc_ = (const vuq *)Q(i->c);	\
		vuq *po = (vuq *)OUTQ;								\
		EACH_VECTORQ(k) {								\
			vuq x = pa[k], y = pb[k], z = pc_[k];					\
			(void)x, (void)y, (void)z;						\
			po[k] = (vuq)(expr);							\
		}										\
		KEEPQ;										\
	} while (0)
/* whole vectors: R from R, Q from Q */
#define V1(op, expr)	case VGPU_OP_##op: { const u32 *rb = R(0); EACH_R(expr); break; }
#define V2(op, expr)	case VGPU_OP_##op: { const u32 *rb = BR; EACH_R(expr); break; }
#define VQ1(op, expr)	case VGPU_OP_##op: { const u64 *qb = Q(0); EACH_Q(expr); break; }
#define VQ2(op, expr)	case VGPU_OP_##op: { const u64 *qb = BQ; EACH_Q(expr); break; }
/* lane by lane: x, y, z are a, b, c; result and operands of any width */
#define LANEWISE_OP(op, out, keep, X, ra, rb, rc, expr)						\
	case VGPU_OP_##op: {									\
		const X *pa = ra;								\
		const __typeof__(*(rb)) *pb = rb;						\
		const __typeof__(*(rc)) *pc_ = rc;						\
		__typeof__(*(out)) *po = out;							\
		EACH_LANE(l) {									\
			X x = pa[l];								\
			__typeof__(*(rb)) y = pb[l];						\
			__typeof__(*(rc)) z = pc_[l];						\
			(void)y, (void)z;							\
			po[l] = (__typeof__(*(out)))(expr);					\
		}										\
		keep;										\
		break;										\
	}
#define S32	((u32 *)s->out)
#define L2(op, expr)	LANEWISE_OP(op, OUT, KEEP, u32, R(i->a), BR, R(i->c), expr)	/* R, R RI R */
#define LQ2(op, expr)	LANEWISE_OP(op, OUTQ, KEEPQ, u64, Q(i->a), BQ, Q(i->c), expr)	/* Q, Q QI Q */
#define LQR(op, expr)	LANEWISE_OP(op, s->out, TAKEQ, u64, Q(i->a), BR, R(i->c), expr)	/* Q, Q RI R */
#define LWIDE(op, expr)	LANEWISE_OP(op, s->out, TAKEQ, u32, R(i->a), BR, Q(i->c), expr)	/* Q, R RI Q */
#define LNARROW(op, expr) LANEWISE_OP(op, S32, TAKE, u64, Q(i->a), Q(0), R(0), expr)	/* R, Q */

lanes_noinline const u32 *splat_imm(struct vgpu_lanes *s, u32 v)
{
	EACH_VECTOR(k)
		((vu *)s->imm)[k] = splat(v);
	return (const u32 *)s->imm;
}

lanes_noinline const u64 *splat_immq(struct vgpu_lanes *s, u64 v)
{
	EACH_VECTORQ(k)
		((vuq *)s->imm)[k] = splatq(v);
	return s->imm;
}

/* which of less, equal, greater, unordered make a condition true */
static const u8 cmp_parts[16] = {
	[VGPU_CMP_EQ] = 2, [VGPU_CMP_NE] = 5, [VGPU_CMP_LT] = 1, [VGPU_CMP_LE] = 3, [VGPU_CMP_GT] = 4, [VGPU_CMP_GE] = 6,
	[VGPU_CMP_EQU] = 10, [VGPU_CMP_NEU] = 13, [VGPU_CMP_LTU] = 9, [VGPU_CMP_LEU] = 11, [VGPU_CMP_GTU] = 12,
	[VGPU_CMP_GEU] = 14, [VGPU_CMP_NUM] = 7, [VGPU_CMP_NAN] = 8,
};

lanes_inline u32 cmp_result(u32 flags, u32 less, u32 equal, u32 unordered)
{
	u32 parts = cmp_parts[VGPU_F_CMP(flags)];

	return (less & (0u - (parts & 1))) | (equal & (0u - (parts >> 1 & 1))) |
	       (~(less | equal | unordered) & (0u - (parts >> 2 & 1))) | (unordered & (0u - (parts >> 3)));
}

/* T: the vector type to compare as; LANES: elements in it; MASK: how its sign bits are collected */
#define COMPARE(T, U, EACH, LANES_, MASK, ra, rb)						\
	do {											\
		const T *pa = (const T *)(ra), *pb = (const T *)(rb);				\
		u32 less = 0, equal = 0, unordered = 0;						\
		EACH(k) {									\
			T x = pa[k], y = pb[k];							\
			less |= MASK((U)(x < y)) << k * (LANES_);				\
			equal |= MASK((U)(x == y)) << k * (LANES_);				\
			unordered |= MASK((U)(x != x) | (U)(y != y)) << k * (LANES_);		\
		}										\
		bits = cmp_result(i->flags, less, equal, unordered);				\
	} while (0)

#define FP_PLAIN	(!(i->flags & (3u | VGPU_F_FTZ | VGPU_F_SAT)))

/* add, subtract, multiply, fma without flags: straight, and a look whether any result is a NaN */
#define FAST_F(expr) do {									\
		const vf *pa = (const vf *)R(i->a), *pb = (const vf *)rb, *pc_ = (const vf *)R(i->c);	\
		vf *po = (vf *)OUT;								\
		vs nan = {};									\
		EACH_VECTOR(k) {								\
			vf x = pa[k], y = pb[k], z = pc_[k], r;					\
			(void)z;								\
			r = (expr);								\
			nan |= (vs)(r != r);							\
			po[k] = r;								\
		}										\
		if (unlikely(mask_of((vu)nan)))							\
			canonical((u32 *)po);							\
		KEEP;										\
	} while (0)
#define FAST_D(expr) do {									\
		const vd *pa = (const vd *)Q(i->a), *pb = (const vd *)qb, *pc_ = (const vd *)Q(i->c);	\
		vd *po = (vd *)OUTQ;								\
		vsq nan = {};									\
		EACH_VECTORQ(k) {								\
			vd x = pa[k], y = pb[k], z = pc_[k], r;					\
			(void)z;								\
			r = (expr);								\
			nan |= (vsq)(r != r);							\
			po[k] = r;								\
		}										\
		if (unlikely(mask_ofq((vuq)nan)))						\
			canonicalq((u64 *)po);							\
		KEEPQ;										\
	} while (0)
#define F2(op, expr)										\
	case VGPU_OP_##op: {									\
		const u32 *rb = BR;								\
		if (likely(FP_PLAIN)) {								\
			FAST_F(expr);								\
			break;									\
		}										\
		float_any(s, i, OUT, R(i->a), rb, R(i->c));					\
		KEEP;										\
		break;										\
	}
#define D2(op, expr)										\
	case VGPU_OP_##op: {									\
		const u64 *qb = BQ;								\
		if (likely(FP_PLAIN)) {								\
			FAST_D(expr);								\
			break;									\
		}										\
		double_any(i, OUTQ, Q(i->a), qb, Q(i->c));					\
		KEEPQ;										\
		break;										\
	}

#define MEM(op, access, space)									\
	case VGPU_OP_##op:									\
		end = access(s, i, m, space);							\
		if (unlikely(end != MEM_DONE))							\
			goto restart;								\
		break;
#define ATOMIC(op, space, wide)									\
	case VGPU_OP_##op:									\
		end = mem_atomic(s, i, m, space, wide);						\
		if (unlikely(end != MEM_DONE))							\
			goto restart;								\
		break;
#define SET_PRED(d, v) do {									\
		w->preds[(d)] = (w->preds[(d)] & ~m) | ((v) & m);				\
		w->preds[VGPU_PT] = FULL;							\
	} while (0)

enum vgpu_lanes_end LANES_RUN(struct vgpu_lanes *s)
{
	struct vgpu_warp *w = s->warp;
	const struct vgpu_insn *code = s->code, *i;
	const u16 *cost = s->cost;
	u32 *regs = w->regs;
	u32 budget = s->budget, saved = mxcsr_read(), m, bits;
	u64 threads = 0;
	enum vgpu_lanes_end end;

	mxcsr_write(MXCSR_NEAREST);
	for (;;) {
		if (unlikely(w->pc == w->reconv) && !reconv_pop(w)) {
			end = VGPU_LANES_EXIT;
			break;
		}
		if (unlikely(!budget)) {
			end = VGPU_LANES_BUDGET;
			break;
		}
		i = code + w->pc;
		m = w->active & P(i->guard);
		budget--;
		w->cycles += cost[i->op];
		if (unlikely(!m)) {
			w->pc++;
			continue;
		}
		threads += m == FULL ? VGPU_LANES : popcount32(m);
		switch (i->op) {
#include "lanes_ops.h"
		}
		w->pc++;
		continue;
jumped:
		continue;
restart:
		budget++;
		w->cycles -= cost[i->op];
		threads -= popcount32(m);
		break;
out:
		break;
	}
	s->budget = budget;
	s->threads += threads;
	mxcsr_write(saved);
	return end;
}

#endif

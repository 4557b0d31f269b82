/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The run loop: fetch, guard, execute, for one warp until its budget is used or it must wait. One
 * line an opcode. Operands have been verified: no index here is checked again. Part of
 * impl.h.
 *
 * With all 32 lanes active a result goes straight into its register; else into scratch, from where
 * the active lanes are taken. The inactive lanes are computed too and dropped.
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
/*
 * results that were computed in scratch even for all lanes, because operands and result overlap
 * unequally
 */
#define TAKE	take(R(i->dst), (const u32 *)s->out, m)
#define TAKEQ	takeq(Q(i->dst), s->out, m)

/* operand b: a register or the immediate in all lanes */
#define BR	(i->flags & VGPU_F_IMM ? splat_imm(s, (u32)i->imm) : R(i->b))
#define BQ	(i->flags & VGPU_F_IMM ? splat_immq(s, i->imm) : Q(i->b))

#define EACH_R(load_y, expr) do {								\
		const vu *pa = (const vu *)R(i->a), *pc_ = (const vu *)R(i->c);			\
		vu *po = (vu *)OUT;								\
		EACH_VECTOR(k) {								\
			vu x = pa[k], y = load_y, z = pc_[k];					\
			(void)x, (void)y, (void)z;						\
			po[k] = (vu)(expr);							\
		}										\
		KEEP;										\
	} while (0)
#define EACH_Q(load_y, expr) do {								\
		const vuq *pa = (const vuq *)Q(i->a), *pc_ = (const vuq *)Q(i->c);		\
		vuq *po = (vuq *)OUTQ;								\
		EACH_VECTORQ(k) {								\
			vuq x = pa[k], y = load_y, z = pc_[k];					\
			(void)x, (void)y, (void)z;						\
			po[k] = (vuq)(expr);							\
		}										\
		KEEPQ;										\
	} while (0)
#define IMM		(i->flags & VGPU_F_IMM)
#define Y_IMM		splat((u32)i->imm)
#define Y_IMMQ		splatq(i->imm)
#define Y_REG		((const vu *)R(i->b))[k]
#define Y_REGQ		((const vuq *)Q(i->b))[k]
/* whole vectors: R from R, Q from Q; the 2 forms take an immediate as well */
#define V1(op, expr)	case VGPU_OP_##op: EACH_R((vu){}, expr); break;
#define VQ1(op, expr)	case VGPU_OP_##op: EACH_Q((vuq){}, expr); break;
#define V2(op, expr)                         \
	case VGPU_OP_##op:                   \
		if (IMM)                     \
			EACH_R(Y_IMM, expr); \
		else                         \
			EACH_R(Y_REG, expr); \
		break;
#define VQ2(op, expr)                         \
	case VGPU_OP_##op:                    \
		if (IMM)                      \
			EACH_Q(Y_IMMQ, expr); \
		else                          \
			EACH_Q(Y_REGQ, expr); \
		break;
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
#define L2(op, expr) LANEWISE_OP(op, OUT, KEEP, u32, R(i->a), BR, R(i->c), expr) /* R, R RI R */
#define LQ2(op, expr) LANEWISE_OP(op, OUTQ, KEEPQ, u64, Q(i->a), BQ, Q(i->c), expr) /* Q, Q QI Q */
#define LQR(op, expr) \
	LANEWISE_OP(op, s->out, TAKEQ, u64, Q(i->a), BR, R(i->c), expr) /* Q, Q RI R */
#define LWIDE(op, expr) \
	LANEWISE_OP(op, s->out, TAKEQ, u32, R(i->a), BR, Q(i->c), expr) /* Q, R RI Q */
#define LNARROW(op, expr) LANEWISE_OP(op, S32, TAKE, u64, Q(i->a), Q(0), R(0), expr)	/* R, Q */

/* whole vectors: R from the halves of Q */
#define VNARROW(op, expr)									\
	case VGPU_OP_##op: {									\
		const u64 *pa = Q(i->a);							\
		EACH_VECTOR(k) {								\
			vu low = LOW_WORDS(vuq_at(pa, 2 * k), vuq_at(pa, 2 * k + 1));		\
			vu high = HIGH_WORDS(vuq_at(pa, 2 * k), vuq_at(pa, 2 * k + 1));		\
			((vu *)s->out)[k] = IN_ORDER(expr);					\
		}										\
		TAKE;										\
		break;										\
	}
/* whole vectors: Q from Q, R or immediate, R, which it may not write before they are read */
#define VQRR(op, expr)										\
	case VGPU_OP_##op: {									\
		const u64 *pa = Q(i->a);							\
		const u32 *pb = BR, *pc_ = R(i->c);						\
		bool apart = (i->b ^ i->dst) > 1 && (i->c ^ i->dst) > 1;			\
		u64 *po = apart ? OUTQ : s->out;						\
		EACH_VECTORQ(k) {								\
			vuq x = vuq_at(pa, k), y = widen(HALF_AT(const vu_half, pb, k));	\
			vuq z = widen(HALF_AT(const vu_half, pc_, k));				\
			((vuq *)po)[k] = expr;							\
		}										\
		if (po == s->out)								\
			TAKEQ;									\
		break;										\
	}
/* Division, high words of 64-bit products */
#define DIVIDE32(op, f)										\
	case VGPU_OP_##op:									\
		f(OUT, R(i->a), BR, m);								\
		KEEP;										\
		break;
#define DIVIDE(op, f)										\
	case VGPU_OP_##op:									\
		f(OUTQ, Q(i->a), BQ);								\
		KEEPQ;										\
		break;
#define HIGH_Q(op, f)										\
	case VGPU_OP_##op:									\
		if (IMM)									\
			f##_by(OUTQ, Q(i->a), i->imm);						\
		else										\
			f(OUTQ, Q(i->a), Q(i->b));						\
		KEEPQ;										\
		break;

lanes_noinline const u64 *splat_immq(struct vgpu_lanes *s, u64 v)
{
	EACH_VECTORQ(k)
		((vuq *)s->imm)[k] = splatq(v);
	return s->imm;
}

/* which of less, equal, greater, unordered make a condition true */
static const u8 cmp_parts[16] = {
	[VGPU_CMP_EQ] = 2,  [VGPU_CMP_NE] = 5,	 [VGPU_CMP_LT] = 1,   [VGPU_CMP_LE] = 3,
	[VGPU_CMP_GT] = 4,  [VGPU_CMP_GE] = 6,	 [VGPU_CMP_EQU] = 10, [VGPU_CMP_NEU] = 13,
	[VGPU_CMP_LTU] = 9, [VGPU_CMP_LEU] = 11, [VGPU_CMP_GTU] = 12, [VGPU_CMP_GEU] = 14,
	[VGPU_CMP_NUM] = 7, [VGPU_CMP_NAN] = 8,
};

lanes_inline u32 cmp_result(u32 flags, u32 less, u32 equal, u32 unordered)
{
	u32 parts = cmp_parts[VGPU_F_CMP(flags)];

	return (less & (0u - (parts & 1))) | (equal & (0u - (parts >> 1 & 1))) |
	       (~(less | equal | unordered) & (0u - (parts >> 2 & 1))) |
	       (unordered & (0u - (parts >> 3)));
}

/* T: the vector type to compare as; LANES: elements in it; MASK: how its sign bits are collected */
#define COMPARE(T, U, EACH, LANES_, MASK, ra, load_y)						\
	do {											\
		const T *pa = (const T *)(ra);							\
		u32 less = 0, equal = 0, unordered = 0;						\
		EACH(k) {									\
			T x = pa[k], y = (T)load_y;						\
			less |= MASK((U)(x < y)) << k * (LANES_);				\
			equal |= MASK((U)(x == y)) << k * (LANES_);				\
			unordered |= MASK((U)(x != x) | (U)(y != y)) << k * (LANES_);		\
		}										\
		bits = cmp_result(i->flags, less, equal, unordered);				\
	} while (0)

/*
 * Floats to multiply: with zeros where lanes are not in @m. There may be integers, which are
 * subnormal floats, and some processors (Intel's) take a hundred times as long to multiply those,
 * but not by zero.
 */
lanes_noinline const u32 *factors(struct vgpu_lanes *s, const u32 *a, u32 m)
{
	EACH_VECTOR(k)
		((vu *)s->x)[k] = vu_at(a, k) & lanes_of(m, k);
	return (const u32 *)s->x;
}

lanes_noinline const u64 *factorsq(struct vgpu_lanes *s, const u64 *a, u32 m)
{
	EACH_VECTORQ(k)
		((vuq *)s->x)[k] = vuq_at(a, k) & lanes_ofq(m, k);
	return s->x;
}

#define FACTORS		(likely(m == FULL) ? R(i->a) : factors(s, R(i->a), m))
#define FACTORSQ	(likely(m == FULL) ? Q(i->a) : factorsq(s, Q(i->a), m))

#define FP_PLAIN	(!(i->flags & (3u | VGPU_F_FTZ | VGPU_F_SAT)))

/* add, subtract, multiply, fma without flags: straight, and a look whether any result is a NaN */
#define FAST_F(a, load_y, expr) do {								\
		const vf *pa = (const vf *)(a), *pc_ = (const vf *)R(i->c);			\
		vf *po = (vf *)OUT;								\
		vs nan = {};									\
		EACH_VECTOR(k) {								\
			vf x = pa[k], y = (vf)load_y, z = pc_[k], r;				\
			(void)z;								\
			r = (expr);								\
			nan |= (vs)(r != r);							\
			po[k] = r;								\
		}										\
		if (unlikely(mask_of((vu)nan)))							\
			canonical((u32 *)po);							\
		KEEP;										\
	} while (0)
#define FAST_D(a, load_y, expr) do {								\
		const vd *pa = (const vd *)(a), *pc_ = (const vd *)Q(i->c);			\
		vd *po = (vd *)OUTQ;								\
		vsq nan = {};									\
		EACH_VECTORQ(k) {								\
			vd x = pa[k], y = (vd)load_y, z = pc_[k], r;				\
			(void)z;								\
			r = (expr);								\
			nan |= (vsq)(r != r);							\
			po[k] = r;								\
		}										\
		if (unlikely(mask_ofq((vuq)nan)))						\
			canonicalq((u64 *)po);							\
		KEEPQ;										\
	} while (0)
/* A float operation with flags; under the mode, where it has one. */
#define FLOAT_CALL(op)										\
	do {											\
		float_##op(OUT, R(i->a), BR, R(i->c), i->flags);				\
		KEEP;										\
	} while (0)
#define DOUBLE_CALL(op)										\
	do {											\
		double_##op(OUTQ, Q(i->a), BQ, Q(i->c));					\
		KEEPQ;										\
	} while (0)
#define UNDER_MODE(call)									\
	do {											\
		if (VGPU_F_RND(i->flags)) {							\
			round_by(i->flags);							\
			call;									\
			round_by(VGPU_RND_RN);							\
		} else {									\
			call;									\
		}										\
	} while (0)
#define FLOAT(op)	case VGPU_OP_##op: FLOAT_CALL(op); break;
#define FLOAT_MODE(op)	case VGPU_OP_##op: UNDER_MODE(FLOAT_CALL(op)); break;
#define DOUBLE(op)	case VGPU_OP_##op: DOUBLE_CALL(op); break;
#define DOUBLE_MODE(op)	case VGPU_OP_##op: UNDER_MODE(DOUBLE_CALL(op)); break;
#define CONVERT(op, f, operand, out, keep)							\
	case VGPU_OP_##op:									\
		UNDER_MODE(f(out, operand(i->a), i->flags));					\
		keep;										\
		break;
#define F2(op, a, expr)									\
	case VGPU_OP_##op:									\
		if (unlikely(!FP_PLAIN))							\
			UNDER_MODE(FLOAT_CALL(op));						\
		else if (IMM)									\
			FAST_F(a, Y_IMM, expr);							\
		else										\
			FAST_F(a, Y_REG, expr);							\
		break;
#define D2(op, a, expr)									\
	case VGPU_OP_##op:									\
		if (unlikely(!FP_PLAIN))							\
			UNDER_MODE(DOUBLE_CALL(op));						\
		else if (IMM)									\
			FAST_D(a, Y_IMMQ, expr);						\
		else										\
			FAST_D(a, Y_REGQ, expr);						\
		break;

#define MEM(op, access, space)									\
	case VGPU_OP_##op:									\
		WATCH_ADDRESSES;								\
		end = access(s, i, m, space);							\
		if (unlikely(end != MEM_DONE))							\
			goto restart;								\
		WATCH_ACCESS;									\
		break;
/* Go on only when all members of the masks execute this; else another entry may run. */
#define MEET											\
	do {											\
		WATCH_ARRIVE;									\
		if (unlikely(m != w->live) && !members_here(s, i, m))				\
			goto wait;								\
		WATCH_MEET;									\
	} while (0)
#define SET_PRED(d, v) do {									\
		w->preds[(d)] = (w->preds[(d)] & ~m) | ((v) & m);				\
		w->preds[VGPU_PT] = FULL;							\
	} while (0)

#define COMPARE_R(T)										\
	do {											\
		if (IMM)									\
			COMPARE(T, vu, EACH_VECTOR, LANES_VECTOR / 4, mask_of, R(i->a), Y_IMM);	\
		else										\
			COMPARE(T, vu, EACH_VECTOR, LANES_VECTOR / 4, mask_of, R(i->a), Y_REG);	\
		SET_PRED(i->dst, bits);								\
	} while (0)
#define COMPARE_Q(T)										\
	do {											\
		if (IMM)									\
			COMPARE(T, vuq, EACH_VECTORQ, LANES_VECTOR / 8, mask_ofq, Q(i->a), \
				Y_IMMQ); \
		else										\
			COMPARE(T, vuq, EACH_VECTORQ, LANES_VECTOR / 8, mask_ofq, Q(i->a), \
				Y_REGQ); \
		SET_PRED(i->dst, bits);								\
	} while (0)

/*
 * The running entry lives in locals; these move it between them and the warp, for what changes or
 * looks at it there.
 */
#define LEAVE	do { w->pc = (u32)(i - code); w->active = active; w->cycles = cycles; } while (0)
#define ENTER                                    \
	do {                                     \
		i = code + w->pc;                \
		active = w->active;              \
		stop = stop_at(code, w->reconv); \
	} while (0)

/*
 * What takes as long as several ordinary instructions, and is not made for speed on any machine,
 * counts as @n of them in the slice.
 */
#define SLOW(n)                                                     \
	do {                                                        \
		u32 more = budget < (n) - 1 ? budget : (n) - 1;     \
		budget -= more;                                     \
		idle += (u64)more * VGPU_LANES;                     \
		s->slow += more;                                    \
	} while (0)

lanes_inline const struct vgpu_insn *stop_at(const struct vgpu_insn *code, u32 reconv)
{
	return reconv == VGPU_NO_RECONV ? NULL : code + reconv;
}

/* For who wants to know of each instruction; nobody, mostly. */
lanes_noinline void count_one(const struct vgpu_lanes *s, const struct vgpu_insn *i, u32 m)
{
	if (s->counters)
		vgpu_count_instruction(s, i, m);
}

lanes_noinline void watch(const struct vgpu_lanes *s, const struct vgpu_insn *i, u32 m)
{
	if (s->warp->written)
		vgpu_written_mark(s->warp->written, i);
	count_one(s, i, m);
}

enum vgpu_lanes_end LANES_RUN(struct vgpu_lanes *s)
{
	struct vgpu_warp *w = s->warp;
	const struct vgpu_insn *code = s->code, *i, *stop;
	const u16 *cost = s->cost;
	u32 *regs = w->regs;
	u32 budget = s->budget, saved = mode_read(), m, bits, active;
	u64 cycles = w->cycles, idle = 0;	/* lanes that did not execute */
	const bool watched = w->written || s->counters;
	enum vgpu_lanes_end end;
	WATCH_STATE

	mode_write(MODE_NEAREST);
	ENTER;
	for (;;) {
		if (unlikely(i == stop)) {
			LEAVE;
			end = reconv_pop(s);
			ENTER;
			if (unlikely(end != MEM_DONE))
				break;
		}
		if (unlikely(!budget)) {
			end = VGPU_LANES_BUDGET;
			break;
		}
		m = active;
		if (i->guard != VGPU_PT)
			m &= P(i->guard);
		budget--;
		cycles += cost[i->op];
		if (m != FULL) {
			idle += VGPU_LANES - popcount32(m);
			if (!m) {
				if (unlikely(watched))
					count_one(s, i, 0);
				i++;
				continue;
			}
		}
		if (unlikely(watched))
			watch(s, i, m);
		switch (i->op) {
#include "ops.h"
		}
		i++;
		continue;
wait:
		LEAVE;
		end = sync_wait(s, m);
		ENTER;
		SLOW(16);
		s->work += VGPU_WORK_WAIT;
		if (unlikely(end != MEM_DONE))
			break;
jumped:
		continue;
restart:
		/* as if it had not been fetched */
		budget++;
		cycles -= cost[i->op];
		idle -= VGPU_LANES - popcount32(m);
		if (unlikely(watched) && s->counters)
			vgpu_uncount_instruction(s, i, m);
		break;
out:
		break;
	}
	LEAVE;
	s->threads += (u64)(s->budget - budget) * VGPU_LANES - idle;
	s->budget = budget;
	mode_write(saved);
	return end;
}

#endif

/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The opcodes, one line each: the cases of the switch in run.h, which includes this and has
 * the macros. x, y, z are the operands a, b, c. Those that take many instructions are in
 * calls.h.
 */
#include "calls.h"
	case VGPU_OP_NOP:
		break;
	case VGPU_OP_MEMBAR:
		WATCH_FENCE;
		/* one actor: every access is complete before the next; processes are others */
		if (VGPU_MEM_SCOPE(i->mem) == VGPU_SCOPE_SYS)
			__atomic_thread_fence(__ATOMIC_SEQ_CST);
		break;
	/* moves */
	V2(MOV, y)
	VQ2(MOVQ, y)
	case VGPU_OP_SREG:
		special32(s, OUT, (u32)i->imm, cycles);
		KEEP;
		break;
	case VGPU_OP_SREGQ: {
		u64 v = i->imm == VGPU_SR_CLOCK64 ? s->clock + cycles : s->timer;

		EACH_VECTORQ(k)
			((vuq *)s->out)[k] = splatq(v);
		TAKEQ;
		break;
	}
	LANEWISE_OP(PACK, s->out, TAKEQ, u32, R(i->a), BR, Q(0), (u64)y << 32 | x)
	LNARROW(UNLO, x)
	LNARROW(UNHI, x >> 32)
	case VGPU_OP_SEL: {
		const vu *pa = (const vu *)R(i->a), *pb = (const vu *)BR;
		vu *po = (vu *)OUT;

		bits = P(i->c);
		EACH_VECTOR(k)
			po[k] = choose(lanes_of(bits, k), pa[k], pb[k]);
		KEEP;
		break;
	}
	case VGPU_OP_SELQ: {
		const vuq *pa = (const vuq *)Q(i->a), *pb = (const vuq *)BQ;
		vuq *po = (vuq *)OUTQ;

		bits = P(i->c);
		EACH_VECTORQ(k)
			po[k] = chooseq(lanes_ofq(bits, k), pa[k], pb[k]);
		KEEPQ;
		break;
	}
	/* 32-bit integers */
	V2(ADD, x + y)
	V2(SUB, x - y)
	V2(MUL, x * y)
	L2(MULHS, (u64)((s64)(s32)x * (s32)y) >> 32)
	L2(MULHU, (u64)x * y >> 32)
	V2(MAD, x * y + z)
	LWIDE(MULWS, (s64)(s32)x * (s32)y)
	LWIDE(MULWU, (u64)x * y)
	LWIDE(MADWS, (u64)((s64)(s32)x * (s32)y) + z)
	LWIDE(MADWU, (u64)x * y + z)
	V2(MINS, choose((vu)((vs)x < (vs)y), x, y))
	V2(MINU, choose((vu)(x < y), x, y))
	V2(MAXS, choose((vu)((vs)x > (vs)y), x, y))
	V2(MAXU, choose((vu)(x > y), x, y))
	V1(ABS, choose((vu)((vs)x < 0), 0 - x, x))
	V1(NEG, 0 - x)
	V2(AND, x & y)
	V2(OR, x | y)
	V2(XOR, x ^ y)
	V1(NOT, ~x)
	V2(SHL, (x << (y & 31)) & (vu)(y < 32))
	V2(SHRS, (vs)x >> (vs)choose((vu)(y < 32), y, splat(31)))
	V2(SHRU, (x >> (y & 31)) & (vu)(y < 32))
	L2(SHFLW, funnel_left(x, y, z & 31))
	L2(SHFRW, funnel_right(x, y, z & 31))
	L2(SHFLC, funnel_left(x, y, z < 32 ? z : 32))
	L2(SHFRC, funnel_right(x, y, z < 32 ? z : 32))
	V2(BFES, bfe_v(x, y, z, true))
	V2(BFEU, bfe_v(x, y, z, false))
	V2(BFI, bfi_v(x, y, z))
	V1(SX8, (vs)(x << 24) >> 24)
	V1(SX16, (vs)(x << 16) >> 16)
	V1(ZX8, x & 0xff)
	V1(ZX16, x & 0xffff)
	LWIDE(SXQ, (s64)(s32)x)
	LWIDE(ZXQ, x)
	/* 64-bit integers */
	VQ2(ADDQ, x + y)
	VQ2(SUBQ, x - y)
	VQ1(NEGQ, 0 - x)
	VQ2(ANDQ, x & y)
	VQ2(ORQ, x | y)
	VQ2(XORQ, x ^ y)
	VQ1(NOTQ, ~x)
	LQR(SHLQ, shl64(x, y))
	LQR(SHRUQ, shru64(x, y))
	VQRR(BFESQ, bfe_vq(x, y, z, true))
	VQRR(BFEUQ, bfe_vq(x, y, z, false))
	case VGPU_OP_BFIQ:
		EACH_VECTORQ(k)
			((vuq *)s->out)[k] = bfi_vq(vuq_at(Q(i->a), k), vuq_at(Q(i->b), k),
						    widen(HALF_AT(const vu_half, R(i->c), k)));
		TAKEQ;
		break;
	/* floats */
	F2(FADD, R(i->a), x + y)
	F2(FSUB, R(i->a), x - y)
	F2(FMUL, FACTORS, x * y)
#if LANES_VECTOR == 32
	F2(FFMA, FACTORS, fma_vf(x, y, z))
#else
	case VGPU_OP_FFMA:
		if (VGPU_F_RND(i->flags)) {
			ffma_odds(s->x, R(i->a), BR, R(i->c), i->flags);
			round_by(i->flags);
			d2f_lanes(OUT, s->x, i->flags);
			round_by(VGPU_RND_RN);
			KEEP;
		} else {
			FLOAT_CALL(FFMA);
		}
		break;
#endif
	FLOAT_MODE(FDIV)
	FLOAT_MODE(FSQRT)
	FLOAT(FMIN)
	FLOAT(FMAX)
	FLOAT(FABS)
	FLOAT(FNEG)
	FLOAT_MODE(FRND)
	FLOAT_MODE(FRCP)
	D2(DADD, Q(i->a), x + y)
	D2(DSUB, Q(i->a), x - y)
	D2(DMUL, FACTORSQ, x * y)
#if LANES_VECTOR == 32
	D2(DFMA, FACTORSQ, fma_vd(x, y, z))
#else
	case VGPU_OP_DFMA:
		dfma_lanes(OUTQ, Q(i->a), BQ, Q(i->c), VGPU_F_RND(i->flags));
		KEEPQ;
		break;
#endif
	DOUBLE_MODE(DDIV)
	DOUBLE_MODE(DSQRT)
	DOUBLE(DMIN)
	DOUBLE(DMAX)
	VQ1(DABS, x & 0x7fffffffffffffffull)
	VQ1(DNEG, x ^ 0x8000000000000000ull)
	DOUBLE_MODE(DRND)
	DOUBLE_MODE(DRCP)
	DOUBLE_MODE(DRSQ)
	/* compares */
	case VGPU_OP_SETPS:
		COMPARE_R(vs);
		break;
	case VGPU_OP_SETPU:
		COMPARE_R(vu);
		break;
	case VGPU_OP_SETPSQ:
		COMPARE_Q(vsq);
		break;
	case VGPU_OP_SETPUQ:
		COMPARE_Q(vuq);
		break;
	case VGPU_OP_SETPF:
		if (i->flags & VGPU_F_CMP_FTZ) {
			flush((u32 *)s->x, R(i->a));
			flush((u32 *)s->y, BR);
			COMPARE(vf, vu, EACH_VECTOR, LANES_VECTOR / 4, mask_of, s->x,
				((const vu *)s->y)[k]);
			SET_PRED(i->dst, bits);
		} else {
			COMPARE_R(vf);
		}
		break;
	case VGPU_OP_SETPD:
		COMPARE_Q(vd);
		break;
	/* predicates */
	case VGPU_OP_PMOV:
		SET_PRED(i->dst, P(i->a));
		break;
	case VGPU_OP_PAND:
		SET_PRED(i->dst, P(i->a) & P(i->b));
		break;
	case VGPU_OP_POR:
		SET_PRED(i->dst, P(i->a) | P(i->b));
		break;
	case VGPU_OP_PXOR:
		SET_PRED(i->dst, P(i->a) ^ P(i->b));
		break;
	case VGPU_OP_P2R: {
		vu *po = (vu *)OUT;

		bits = P(i->a);
		EACH_VECTOR(k)
			po[k] = lanes_of(bits, k) & 1;
		KEEP;
		break;
	}
	/* memory */
	case VGPU_OP_LDP:
		mem_param(s, i, m);
		break;
	/* warp and block */
	case VGPU_OP_MATCH:
		SLOW(32);
		match32((u32 *)s->out, R(i->a), m);
		TAKE;
		break;
	case VGPU_OP_MATCHQ:
		SLOW(64);
		match64((u32 *)s->out, Q(i->a), m);
		TAKE;
		break;
	case VGPU_OP_MATCHSYNC:
		MEET;
		SLOW(32);
		match_sync32((u32 *)s->out, R(i->a), m, BR, i->flags & ~VGPU_F_IMM);
		TAKE;
		break;
	case VGPU_OP_MATCHSYNCQ:
		MEET;
		SLOW(64);
		match_sync64((u32 *)s->out, Q(i->a), m, BR, i->flags & ~VGPU_F_IMM);
		TAKE;
		break;
	case VGPU_OP_BARWARP:
		MEET;
		break;
	case VGPU_OP_BAR:
	case VGPU_OP_BARRED:
		if (unlikely((w->waiting || w->loose) && m != w->live))
			goto wait;
		w->bar = *i;
		w->bar_mask = m;
		w->bar_pred = P(i->a) & m;
		WATCH_BARRIER(w, (u32)(i - code));
		i++;
		end = VGPU_LANES_BARRIER;
		goto out;
	/* control */
	case VGPU_OP_BRA:
		bits = unlikely(i->flags) && active != FULL && ++w->rounds >= VGPU_TURN_ROUNDS;
		if (m == active) {
			i = code + VGPU_BRA_TARGET(i->imm);
			if (unlikely(bits)) {
				LEAVE;
				reconv_turn(w);
				ENTER;
			}
			goto jumped;
		}
		LEAVE;
		if (unlikely(!diverge(w, i, m))) {
			mem_fault(s, VGPU_FAULT_TRAP, (u32)__builtin_ctz(m), 0, false);
			s->address = 0;
			end = VGPU_LANES_FAULT;
			goto restart;
		}
		if (unlikely(bits))
			reconv_turn(w);
		ENTER;
		goto jumped;
	case VGPU_OP_EXIT:
		WATCH_EXIT;
		w->live &= ~m;
		active &= ~m;
		if (active)
			break;
		LEAVE;
		end = reconv_pop(s);
		ENTER;
		if (end != MEM_DONE)
			goto out;
		goto jumped;
	case VGPU_OP_TRAP:
		mem_fault(s, VGPU_FAULT_TRAP, (u32)__builtin_ctz(m), 0, false);
		s->address = 0;
		end = VGPU_LANES_FAULT;
		goto restart;

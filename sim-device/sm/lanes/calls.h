/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The opcodes that take many instructions, mostly of a function, and do not change which lanes are
 * active: cases of the switches in run.h and one.h, as those in ops.h. Native
 * code has them executed one at a time, by LANES_ONE.
 */
	/* 32-bit integers */
	DIVIDE32(DIVS, divs)
	DIVIDE32(DIVU, divu)
	DIVIDE32(REMS, rems)
	DIVIDE32(REMU, remu)
	V1(CLZ, clz_v(x))
	V1(POPC, popc_v(x))
	V1(BREV, brev_v(x))
	V1(BFINDS, 31 - clz_v(x ^ (vu)((vs)x < 0)))
	V1(BFINDU, 31 - clz_v(x))
	V2(PRMT, prmt_v(x, z, y))
#if LANES_VECTOR == 32
	V2(FNS, fns_v(x, y, z))
#else
	L2(FNS, fns(x, y, z))
#endif
	case VGPU_OP_LOP3: {
		const vu *pa = (const vu *)R(i->a), *pb = (const vu *)R(i->b),
			 *pc_ = (const vu *)R(i->c);
		vu *po = (vu *)OUT;
		u32 table = (u32)i->imm;

		EACH_VECTOR(k) {
			vu x = pa[k], y = pb[k], z = pc_[k], r = {};

			for (u32 n = 0; n < 8; n++)
				if (table >> n & 1)
					r |= (n & 4 ? x : ~x) & (n & 2 ? y : ~y) & (n & 1 ? z : ~z);
			po[k] = r;
		}
		KEEP;
		break;
	}
	/* 64-bit integers */
	LQ2(MULQ, x * y)
	HIGH_Q(MULHSQ, mulhsq)
	HIGH_Q(MULHUQ, mulhuq)
	LQ2(MADQ, x * y + z)
	DIVIDE(DIVSQ, divsq)
	DIVIDE(DIVUQ, divuq)
	DIVIDE(REMSQ, remsq)
	DIVIDE(REMUQ, remuq)
	LQ2(MINSQ, (s64)x < (s64)y ? x : y)
	LQ2(MINUQ, x < y ? x : y)
	LQ2(MAXSQ, (s64)x > (s64)y ? x : y)
	LQ2(MAXUQ, x > y ? x : y)
	LQ2(ABSQ, (s64)x < 0 ? 0 - x : x)
	LQR(SHRSQ, shrs64(x, y))
	VNARROW(CLZQ, clz_halves(low, high))
	VNARROW(POPCQ, popc_halves(low, high))
	VQ1(BREVQ, brev_vq(x))
	VNARROW(BFINDSQ, 63 - clz_halves(low ^ (vu)((vs)high < 0), high ^ (vu)((vs)high < 0)))
	VNARROW(BFINDUQ, 63 - clz_halves(low, high))
	/* floats */
	FLOAT(FRSQ)
	FLOAT(FSIN)
	FLOAT(FCOS)
	FLOAT(FEX2)
	FLOAT(FLG2)
	FLOAT(FTANH)
	/* conversions */
#define TO_INTEGER(call)                                 \
	do {                                             \
		if (VGPU_F_RND(i->flags) == VGPU_RND_RZ) \
			call;                            \
		else                                     \
			UNDER_MODE(call);                \
	} while (0)
	case VGPU_OP_F2I:
		TO_INTEGER(f2i_lanes(OUT, R(i->a), i->flags));
		KEEP;
		break;
	CONVERT(I2F, i2f_lanes, R, OUT, KEEP)
	CONVERT(F2H, f2h_lanes, R, OUT, KEEP)
	case VGPU_OP_D2I:
		TO_INTEGER(d2i_lanes(S32, Q(i->a), i->flags));
		TAKE;
		break;
	CONVERT(L2F, l2f_lanes, Q, S32, TAKE)
	CONVERT(D2F, d2f_lanes, Q, S32, TAKE)
	CONVERT(L2D, l2d_lanes, Q, OUTQ, KEEPQ)
	case VGPU_OP_H2F:
		h2f_lanes(OUT, R(i->a), i->flags);
		KEEP;
		break;
	case VGPU_OP_I2D:
		i2d_lanes(s->out, R(i->a), i->flags);
		TAKEQ;
		break;
	case VGPU_OP_F2D:
		f2d_lanes(s->out, R(i->a), i->flags);
		TAKEQ;
		break;
	case VGPU_OP_F2L:
		TO_INTEGER(f2l_lanes(s->out, R(i->a), s->x, s->y, i->flags));
		TAKEQ;
		break;
	case VGPU_OP_D2L:
		TO_INTEGER(d2l_lanes(s->out, Q(i->a), s->x, s->y, i->flags));
		TAKEQ;
		break;
#undef TO_INTEGER
	/* memory */
	MEM(LD, mem_load, GENERIC)
	MEM(LDG, mem_load, GLOBAL)
	MEM(LDS, mem_load, SHARED)
	MEM(LDL, mem_load, LOCAL)
	MEM(ST, mem_store, GENERIC)
	MEM(STG, mem_store, GLOBAL)
	MEM(STS, mem_store, SHARED)
	MEM(STL, mem_store, LOCAL)
	MEM(ATOM, mem_atomic, GENERIC)
	MEM(ATOMG, mem_atomic, GLOBAL)
	MEM(ATOMS, mem_atomic, SHARED)
	MEM(ATOMQ, mem_atomicq, GENERIC)
	MEM(ATOMGQ, mem_atomicq, GLOBAL)
	MEM(ATOMSQ, mem_atomicq, SHARED)
	/* of the warp */
	case VGPU_OP_SHFL:
		bits = shuffle(OUT, R(i->a), BR, R(i->c), i->flags & ~VGPU_F_IMM);
		KEEP;
		SET_PRED(VGPU_SHFL_PRED(i->imm), bits);
		break;
	case VGPU_OP_SHFLSYNC:
		MEET;
		bits = shuffle(OUT, R(i->a), BR, R(i->c), i->flags & ~VGPU_F_IMM);
		KEEP;
		SET_PRED(VGPU_SHFL_PRED(i->imm), bits);
		break;
	case VGPU_OP_VOTE:
		bits = vote(i->flags, P(i->a), m);
		SET_PRED(i->dst, bits);
		break;
	case VGPU_OP_BALLOT:
		bits = P(i->a) & m;
		EACH_VECTOR(k)
			((vu *)s->out)[k] = splat(bits);
		TAKE;
		break;
	case VGPU_OP_ACTIVE:
		EACH_VECTOR(k)
			((vu *)s->out)[k] = splat(m);
		TAKE;
		break;
	case VGPU_OP_VOTESYNC:
		MEET;
		if (IMM)
			bits = vote(i->flags & ~VGPU_F_IMM, P(i->a), m & (u32)i->imm);
		else
			bits = vote_by(i->flags, P(i->a), m, R(i->b));
		SET_PRED(i->dst, bits);
		break;
	case VGPU_OP_BALLOTSYNC: {
		const vu *masks = (const vu *)BR;
		vu *po = (vu *)OUT;

		MEET;
		bits = P(i->a) & m;
		EACH_VECTOR(k)
			po[k] = splat(bits) & masks[k];
		KEEP;
		break;
	}

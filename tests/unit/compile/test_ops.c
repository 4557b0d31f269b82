// SPDX-License-Identifier: MIT
/*
 * Every PTX instruction of docs/ptx.md against C: one kernel each, 64 threads with operands of
 * their own, at no limit of registers and at the smallest.
 */
#include <math.h>

#include "ptx_run.h"
#include "vgpu_runtime.h"

#define THREADS	64u

struct in {
	uint32_t a, b, c, t;		/* t: the thread */
	uint64_t qa, qb, qc;
	float fa, fb, fc, pad;
	double da, db, dc;
};

struct op {
	char result;
	/* from %ra %rb %rc %qa ... %fa ... %da ... to %r, %h, %q, %f, %d or %p */
	const char *ptx;
};

static uint64_t of_f(float f)
{
	uint32_t bits;

	memcpy(&bits, &f, 4);
	return bits;
}

static uint64_t of_d(double d)
{
	uint64_t bits;

	memcpy(&bits, &d, 8);
	return bits;
}

static uint64_t field(uint64_t value, unsigned int pos, unsigned int len, unsigned int bits,
		      int sign)
{
	uint64_t out = 0;
	unsigned int top = pos + len - 1 < bits - 1 ? pos + len - 1 : bits - 1;
	int fill = sign && len ? value >> top & 1 : 0;

	for (unsigned int i = 0; i < bits; i++)
		out |= (uint64_t)(i < len && pos + i < bits ? (value >> (pos + i) & 1) :
							      (uint64_t)fill)
		       << i;
	return out;
}

static uint64_t insert(uint64_t a, uint64_t b, unsigned int pos, unsigned int len,
		       unsigned int bits)
{
	for (unsigned int i = 0; i < len && pos + i < bits; i++)
		b = (b & ~(1ull << (pos + i))) | (a >> i & 1) << (pos + i);
	return b;
}

static uint32_t permute(uint32_t a, uint32_t b, uint32_t selector)
{
	uint64_t both = a | (uint64_t)b << 32;
	uint32_t out = 0;

	for (unsigned int i = 0; i < 4; i++) {
		unsigned int s = selector >> (4 * i) & 15;
		uint32_t byte = both >> (8 * (s & 7)) & 255;

		out |= (s & 8 ? (byte & 128 ? 255u : 0u) : byte) << (8 * i);
	}
	return out;
}

static uint32_t reversed(uint32_t x)
{
	uint32_t out = 0;

	for (unsigned int i = 0; i < 32; i++)
		out |= (x >> i & 1) << (31 - i);
	return out;
}

static int64_t clamp(int64_t v, int64_t low, int64_t high)
{
	return v < low ? low : v > high ? high : v;
}

#define A	(x->a)
#define B	(x->b)
#define C	(x->c)
#define SA	((int32_t)x->a)
#define SB	((int32_t)x->b)
#define HA	((int16_t)x->a)
#define HB	((int16_t)x->b)
#define UHA	((uint16_t)x->a)
#define UHB	((uint16_t)x->b)
#define S24A	((int32_t)(x->a << 8) >> 8)
#define S24B	((int32_t)(x->b << 8) >> 8)
#define QA	(x->qa)
#define QB	(x->qb)
#define QC	(x->qc)
#define LA	((int64_t)x->qa)
#define LB	((int64_t)x->qb)

/* X(result kind, PTX, what it is in C) */
#define OPS(X)											\
	X('r', "add.s32 %r, %ra, %rb;", A + B)							\
	X('r', "add.u32 %r, 17, %rb;", 17 + B)							\
	X('q', "add.s64 %q, %qa, %qb;", QA + QB)						\
	X('h', "add.s16 %h, %ha, %hb;", (uint16_t)(A + B))					\
	X('r', "sub.s32 %r, %ra, %rb;", A - B)							\
	X('r', "sub.u32 %r, 5, %rb;", 5 - B)							\
	X('q', "sub.s64 %q, %qa, 99;", QA - 99)							\
	X('r', "add.sat.s32 %r, %ra, %rb;",							\
	  (uint32_t)clamp((int64_t)SA + SB, INT32_MIN, INT32_MAX))				\
	X('r', "sub.sat.s32 %r, %ra, %rb;",							\
	  (uint32_t)clamp((int64_t)SA - SB, INT32_MIN, INT32_MAX))				\
	X('r', "add.cc.u32 %r, %ra, %rb; addc.u32 %r, %rc, 3;", C + 3 + ((A + (uint64_t)B) >> 32)) \
	X('r', "sub.cc.u32 %r, %ra, %rb; subc.u32 %r, %rc, 3;", C - 3 - (A < B))		\
	X('q', "add.cc.u64 %q, %qa, %qb; addc.cc.u64 %q, %qc, -1; addc.u64 %q, 0, 0;",		\
	  (uint64_t)(((unsigned __int128)QC + UINT64_MAX + (QA + QB < QA)) >> 64))		\
	X('r', "mad.lo.cc.u32 %r, %ra, %rb, %rc; madc.hi.u32 %r, %ra, %rb, 7;",			\
	  (uint32_t)(((uint64_t)A * B + C) >> 32) + 7)						\
	X('r', "mul.lo.s32 %r, %ra, %rb;", A * B)						\
	X('r', "mul.hi.s32 %r, %ra, %rb;", (uint32_t)((int64_t)SA * SB >> 32))			\
	X('r', "mul.hi.u32 %r, %ra, %rb;", (uint64_t)A * B >> 32)				\
	X('q', "mul.wide.s32 %q, %ra, %rb;", (uint64_t)((int64_t)SA * SB))			\
	X('q', "mul.wide.u32 %q, %ra, 40000;", (uint64_t)A * 40000)				\
	X('r', "mul.wide.s16 %r, %ha, %hb;", (uint32_t)(HA * HB))				\
	X('r', "mul.wide.u16 %r, %ha, %hb;", (uint32_t)UHA * UHB)				\
	X('h', "mul.hi.s16 %h, %ha, %hb;", (uint16_t)(HA * HB >> 16))				\
	X('h', "mul.hi.u16 %h, %ha, %hb;", (uint16_t)((uint32_t)UHA * UHB >> 16))		\
	X('q', "mul.lo.s64 %q, %qa, %qb;", QA * QB)						\
	X('q', "mul.hi.s64 %q, %qa, %qb;", (uint64_t)((__int128)LA * LB >> 64))			\
	X('q', "mul.hi.u64 %q, %qa, %qb;", (uint64_t)((unsigned __int128)QA * QB >> 64))	\
	X('r', "mul.lo.u32 %r, %ra, 64;", A * 64)						\
	X('r', "mad.lo.s32 %r, %ra, %rb, %rc;", A * B + C)					\
	X('q', "mad.wide.s32 %q, %ra, %rb, %qc;", (uint64_t)((int64_t)SA * SB) + QC)		\
	X('r', "mad.hi.u32 %r, %ra, %rb, %rc;", (uint32_t)((uint64_t)A * B >> 32) + C)		\
	X('q', "mad.lo.u64 %q, %qa, %qb, %qc;", QA * QB + QC)					\
	X('r', "mul24.lo.u32 %r, %ra, %rb;", (A & 0xffffff) * (B & 0xffffff))			\
	X('r', "mul24.hi.s32 %r, %ra, %rb;", (uint32_t)((int64_t)S24A * S24B >> 16))		\
	X('r', "mad24.lo.s32 %r, %ra, %rb, %rc;", (uint32_t)(S24A * (int64_t)S24B) + C)		\
	X('r', "div.s32 %r, %ra, 7;", (uint32_t)(SA / 7))					\
	X('r', "or.b32 %r, %rb, 1; div.u32 %r, %ra, %r;", A / (B | 1))				\
	X('r', "or.b32 %r, %rb, 1; rem.u32 %r, %ra, %r;", A % (B | 1))				\
	X('r', "rem.s32 %r, %ra, -11;", (uint32_t)(SA % -11))					\
	X('q', "or.b64 %q, %qb, 1; div.u64 %q, %qa, %q;", QA / (QB | 1))			\
	X('q', "rem.s64 %q, %qa, 1000003;", (uint64_t)(LA % 1000003))				\
	X('h', "div.s16 %h, %ha, 3;", (uint16_t)(HA / 3))					\
	X('h', "rem.u16 %h, %ha, 10;", UHA % 10)						\
	X('r', "min.s32 %r, %ra, %rb;", (uint32_t)(SA < SB ? SA : SB))				\
	X('r', "max.u32 %r, %ra, %rb;", A > B ? A : B)						\
	X('q', "min.u64 %q, %qa, %qb;", QA < QB ? QA : QB)					\
	X('q', "max.s64 %q, %qa, %qb;", (uint64_t)(LA > LB ? LA : LB))				\
	X('h', "min.s16 %h, %ha, %hb;", (uint16_t)(HA < HB ? HA : HB))				\
	X('h', "max.u16 %h, %ha, %hb;", UHA > UHB ? UHA : UHB)					\
	X('r', "abs.s32 %r, %ra;", SA < 0 ? 0 - A : A)						\
	X('q', "abs.s64 %q, %qa;", LA < 0 ? 0 - QA : QA)					\
	X('h', "abs.s16 %h, %ha;", (uint16_t)(HA < 0 ? -HA : HA))				\
	X('r', "neg.s32 %r, %ra;", 0 - A)							\
	X('q', "neg.s64 %q, %qa;", 0 - QA)							\
	X('r', "sad.u32 %r, %ra, %rb, %rc;", C + (A > B ? A - B : B - A))			\
	X('r', "sad.s32 %r, %ra, %rb, %rc;", C + (SA > SB ? A - B : B - A))			\
	X('r', "dp4a.u32.u32 %r, %ra, %rb, %rc;",						\
	  C + (A & 255) * (B & 255) + (A >> 8 & 255) * (B >> 8 & 255) +				\
	  (A >> 16 & 255) * (B >> 16 & 255) + (A >> 24) * (B >> 24))				\
	X('r', "dp2a.lo.s32.u32 %r, %ra, %rb, %rc;",						\
	  C + (uint32_t)(HA * (int)(B & 255) + (SA >> 16) * (int)(B >> 8 & 255)))		\
	X('r', "and.b32 %r, %ra, %rb;", A & B)							\
	X('r', "or.b32 %r, %ra, 0xf0;", A | 0xf0)						\
	X('r', "xor.b32 %r, %ra, %rb;", A ^ B)							\
	X('r', "not.b32 %r, %ra;", ~A)								\
	X('q', "and.b64 %q, %qa, %qb;", QA & QB)						\
	X('q', "or.b64 %q, %qa, %qb;", QA | QB)							\
	X('q', "xor.b64 %q, %qa, -1;", ~QA)							\
	X('q', "not.b64 %q, %qa;", ~QA)								\
	X('h', "and.b16 %h, %ha, %hb;", UHA & UHB)						\
	X('h', "not.b16 %h, %ha;", (uint16_t)~A)						\
	X('r', "and.b32 %r, %ra, 1; cnot.b32 %r, %r;", !(A & 1))				\
	X('q', "and.b64 %q, %qa, 3; cnot.b64 %q, %q;", !(QA & 3))				\
	X('r', "and.b32 %r, %rb, 63; shl.b32 %r, %ra, %r;", (B & 63) > 31 ? 0 : A << (B & 63))	\
	X('r', "shl.b32 %r, %ra, 40;", 0)							\
	X('r', "and.b32 %r, %rb, 63; shr.s32 %r, %ra, %r;",					\
	  (uint32_t)(SA >> ((B & 63) > 31 ? 31 : (B & 63))))					\
	X('r', "shr.u32 %r, %ra, 5;", A >> 5)							\
	X('q', "and.b32 %r, %rb, 127; shl.b64 %q, %qa, %r;", (B & 127) > 63 ? 0 : QA << (B & 127)) \
	X('q', "shr.s64 %q, %qa, 33;", (uint64_t)(LA >> 33))					\
	X('q', "and.b32 %r, %rb, 127; shr.u64 %q, %qa, %r;", (B & 127) > 63 ? 0 : QA >> (B & 127)) \
	X('h', "shl.b16 %h, %ha, 3;", (uint16_t)(A << 3))					\
	X('h', "shr.u16 %h, %ha, 3;", UHA >> 3)							\
	X('h', "shr.s16 %h, %ha, 20;", (uint16_t)(HA >> 15))					\
	X('r', "shf.l.wrap.b32 %r, %ra, %rb, %rc;",						\
	  C & 31 ? B << (C & 31) | A >> (32 - (C & 31)) : B)					\
	X('r', "shf.r.wrap.b32 %r, %ra, %rb, 9;", A >> 9 | B << 23)				\
	X('r', "shf.r.clamp.b32 %r, %ra, %rb, 77;", B)						\
	X('r', "shf.l.clamp.b32 %r, %ra, %rb, 77;", A)						\
	X('r', "popc.b32 %r, %ra;", (uint32_t)__builtin_popcount(A))				\
	X('r', "popc.b64 %r, %qa;", (uint32_t)__builtin_popcountll(QA))				\
	X('r', "clz.b32 %r, %ra;", A ? (uint32_t)__builtin_clz(A) : 32)				\
	X('r', "clz.b64 %r, %qa;", QA ? (uint32_t)__builtin_clzll(QA) : 64)			\
	X('r', "brev.b32 %r, %ra;", reversed(A))						\
	X('q', "brev.b64 %q, %qa;",								\
	  (uint64_t)reversed((uint32_t)QA) << 32 | reversed((uint32_t)(QA >> 32)))		\
	X('r', "bfind.u32 %r, %ra;", A ? 31 - (uint32_t)__builtin_clz(A) : UINT32_MAX)		\
	X('r', "bfind.shiftamt.u32 %r, %ra;", A ? (uint32_t)__builtin_clz(A) : UINT32_MAX)	\
	X('r', "bfind.s64 %r, %qa;",								\
	  (LA < 0 ? ~QA : QA) ? 63 - (uint32_t)__builtin_clzll(LA < 0 ? ~QA : QA) : UINT32_MAX)	\
	X('r', "and.b32 %r, %rb, 31; and.b32 %t, %rc, 15; bfe.u32 %r, %ra, %r, %t;",		\
	  field(A, B & 31, C & 15, 32, 0))							\
	X('r', "bfe.s32 %r, %ra, 5, 9;", field(A, 5, 9, 32, 1))					\
	X('r', "bfe.u32 %r, %ra, 28, 9;", field(A, 28, 9, 32, 0))				\
	X('q', "bfe.s64 %q, %qa, 12, 40;", field(QA, 12, 40, 64, 1))				\
	X('q', "and.b32 %r, %rb, 63; bfe.u64 %q, %qa, %r, 17;", field(QA, B & 63, 17, 64, 0))	\
	X('r', "bfi.b32 %r, %ra, %rb, 7, 13;", insert(A, B, 7, 13, 32))				\
	X('r', "and.b32 %r, %rc, 31; bfi.b32 %r, %ra, %rb, %r, 6;", insert(A, B, C & 31, 6, 32)) \
	X('q', "bfi.b64 %q, %qa, %qb, 20, 30;", insert(QA, QB, 20, 30, 64))			\
	X('r', "prmt.b32 %r, %ra, %rb, %rc;", permute(A, B, C))					\
	X('r', "prmt.b32 %r, %ra, %rb, 0x3715;", permute(A, B, 0x3715))				\
	X('r', "prmt.b32.f4e %r, %ra, %rb, %rc;", permute(A, B, 0x3210 + 0x1111 * (C & 3)))	\
	X('r', "prmt.b32.rc16 %r, %ra, %rb, 1;", permute(A, B, 0x3232))				\
	X('r', "prmt.b32.b4e %r, %ra, %rb, 1;", permute(A, B, 0x6701))				\
	X('r', "prmt.b32.ecl %r, %ra, %rb, 2;", permute(A, B, 0x3222))				\
	X('r', "prmt.b32.ecr %r, %ra, %rb, 2;", permute(A, B, 0x2210))				\
	X('r', "lop3.b32 %r, %ra, %rb, %rc, 0x96;", A ^ B ^ C)					\
	X('r', "lop3.b32 %r, %ra, %rb, %rc, 0xe8;", (A & B) | (A & C) | (B & C))		\
	X('p', "setp.lt.s32 %p, %ra, %rb;", SA < SB)						\
	X('p', "setp.hs.u32 %p, %ra, %rb;", A >= B)						\
	X('p', "setp.ne.s64 %p, %qa, %qb;", QA != QB)						\
	X('p', "setp.gt.u64 %p, %qa, %qb;", QA > QB)						\
	X('p', "setp.lt.s16 %p, %ha, %hb;", HA < HB)						\
	X('p', "setp.eq.b16 %p, %ha, %ha;", 1)							\
	X('p', "setp.lt.and.u32 %p, %ra, %rb, %pc;", A < B && (C & 1))				\
	X('p', "setp.lt.xor.u32 %pd|%p, %ra, %rb, !%pc;", !(A < B) ^ !(C & 1))			\
	X('p', "setp.ge.or.u32 %p|%pd, %ra, %rb, %pc;", A >= B || (C & 1))			\
	X('p', "setp.lt.f32 %p, %fa, %fb;", x->fa < x->fb)					\
	X('p', "setp.geu.f64 %p, %da, %db;", x->da >= x->db)					\
	X('p', "setp.num.f32 %p, %fa, %fb;", 1)							\
	X('p', "div.rn.f32 %f, 0f00000000, 0f00000000; setp.nan.f32 %p, %f, %fb;", 1)		\
	X('p', "div.rn.f32 %f, 0f00000000, 0f00000000; setp.ltu.f32 %p, %f, %fb;", 1)		\
	X('r', "set.lt.u32.s32 %r, %ra, %rb;", SA < SB ? UINT32_MAX : 0)			\
	X('f', "set.gt.f32.u32 %f, %ra, %rb;", of_f(A > B ? 1.0f : 0))				\
	X('r', "set.eq.or.u32.u32 %r, %ra, %rb, %pc;", A == B || (C & 1) ? UINT32_MAX : 0)	\
	X('r', "selp.b32 %r, %ra, %rb, %pc;", C & 1 ? A : B)					\
	X('r', "selp.b32 %r, 4, %rb, %pc;", C & 1 ? 4 : B)					\
	X('q', "selp.b64 %q, 1, 0, %pc;", C & 1)						\
	X('h', "selp.u16 %h, %ha, %hb, %pc;", C & 1 ? UHA : UHB)				\
	X('d', "selp.f64 %d, %da, %db, %pc;", of_d(C & 1 ? x->da : x->db))			\
	X('r', "slct.b32.s32 %r, %ra, %rb, %rc;", (int32_t)C >= 0 ? A : B)			\
	X('q', "slct.u64.f32 %q, %qa, %qb, %fc;", x->fc >= 0 ? QA : QB)				\
	X('p', "and.pred %p, %pc, %pe;", (C & 3) == 3)						\
	X('p', "or.pred %p, %pc, !%pe;", (C & 1) || !(C & 2))					\
	X('p', "xor.pred %p, %pc, %pe;", (C & 1) != (C >> 1 & 1))				\
	X('p', "not.pred %p, %pc;", !(C & 1))							\
	X('p', "mov.pred %p, -1;", 1)								\
	X('r', "mov.u32 %r, %tid.x;", x->t)							\
	X('r', "mov.u32 %r, %laneid;", x->t & 31)						\
	X('r', "mov.u32 %r, %ntid.x;", THREADS)							\
	X('r', "mov.u32 %r, %lanemask_lt;", (1u << (x->t & 31)) - 1)				\
	X('r', "mov.u32 %r, WARP_SZ;", 32)							\
	X('q', "mov.b64 %q, {%ra, %rb};", A | (uint64_t)B << 32)				\
	X('r', "mov.b64 {%r, %t}, %qa; xor.b32 %r, %r, %t;", (uint32_t)QA ^ (uint32_t)(QA >> 32)) \
	X('r', "mov.b32 %r, {%ha, %hb};", UHA | (uint32_t)UHB << 16)				\
	X('h', "mov.b32 {_, %h}, %ra;", A >> 16)						\
	X('q', "mov.b64 %q, {%ha, %hb, %hb, %ha};",						\
	  UHA | (uint64_t)UHB << 16 | (uint64_t)UHB << 32 | (uint64_t)UHA << 48)		\
	X('h', "mov.b64 {%h, %hc, _, _}, %qa; xor.b16 %h, %h, %hc;", (uint16_t)(QA ^ QA >> 16))	\
	X('r', "cvt.s32.s8 %r, %ra;", (uint32_t)(int8_t)A)					\
	X('r', "cvt.u32.u8 %r, %ra;", A & 255)							\
	X('h', "cvt.u16.u32 %h, %ra;", UHA)							\
	X('r', "cvt.s32.s16 %r, %ha;", (uint32_t)HA)						\
	X('r', "cvt.u32.u16 %r, %ha;", UHA)							\
	X('q', "cvt.s64.s32 %q, %ra;", (uint64_t)SA)						\
	X('q', "cvt.u64.u16 %q, %ha;", UHA)							\
	X('r', "cvt.u32.u64 %r, %qa;", (uint32_t)QA)						\
	X('r', "cvt.sat.u8.s32 %r, %ra;", (uint64_t)clamp(SA, 0, 255))				\
	X('r', "cvt.sat.s16.s64 %r, %qa;", (uint32_t)clamp(LA, -32768, 32767))			\
	X('r', "cvt.sat.u32.s64 %r, %qa;", (uint64_t)clamp(LA, 0, UINT32_MAX))			\
	X('q', "cvt.s64.s8 %q, %ra;", (uint64_t)(int8_t)A)					\
	X('f', "cvt.rn.f32.s32 %f, %ra;", of_f((float)SA))					\
	X('f', "cvt.rn.f32.u64 %f, %qa;", of_f((float)QA))					\
	X('d', "cvt.rn.f64.u32 %d, %ra;", of_d(A))						\
	X('d', "cvt.rn.f64.s64 %d, %qa;", of_d((double)LA))					\
	X('f', "cvt.rn.f32.s16 %f, %ha;", of_f(HA))						\
	X('f', "cvt.rn.f32.u8 %f, %ra;", of_f((float)(A & 255)))				\
	X('r', "cvt.rzi.s32.f32 %r, %fa;", (uint32_t)(int32_t)x->fa)				\
	X('r', "cvt.rni.s32.f32 %r, %fa;", (uint32_t)(int32_t)rintf(x->fa))			\
	X('r', "cvt.rmi.s32.f64 %r, %da;", (uint32_t)(int32_t)floor(x->da))			\
	X('q', "cvt.rpi.s64.f32 %q, %fa;", (uint64_t)(int64_t)ceilf(x->fa))			\
	X('r', "cvt.rzi.u8.f32 %r, %fa;", (uint64_t)clamp((int64_t)x->fa, 0, 255))		\
	X('h', "cvt.rzi.s16.f64 %h, %da;", (uint16_t)clamp((int64_t)x->da, -32768, 32767))	\
	X('f', "cvt.rni.f32.f32 %f, %fa;", of_f(rintf(x->fa)))					\
	X('d', "cvt.rmi.f64.f64 %d, %da;", of_d(floor(x->da)))					\
	X('d', "cvt.f64.f32 %d, %fa;", of_d(x->fa))						\
	X('f', "cvt.rn.f32.f64 %f, %da;", of_f((float)x->da))					\
	X('f', "cvt.sat.f32.f32 %f, %fa;", of_f(x->fa < 0 ? 0 : x->fa > 1 ? 1 : x->fa))		\
	X('f', "cvt.rn.f16.f32 %h, %fi; cvt.f32.f16 %f, %h;", of_f((float)(x->t)))		\
	X('d', "cvt.rn.f16.f64 %h, 0d3ff0000000000000; cvt.f64.f16 %d, %h;", of_d(1.0))		\
	X('r', "cvt.rn.f16.u32 %h, %rt; cvt.rzi.s32.f16 %r, %h;", x->t)				\
	X('f', "add.f32 %f, %fa, %fb;", of_f(x->fa + x->fb))					\
	X('f', "sub.f32 %f, 0f3f800000, %fb;", of_f(1 - x->fb))					\
	X('f', "mul.rn.f32 %f, %fa, %fb;", of_f(x->fa * x->fb))					\
	X('f', "fma.rn.f32 %f, %fa, %fb, %fc;", of_f(fmaf(x->fa, x->fb, x->fc)))		\
	X('f', "mad.rn.f32 %f, 0f40000000, %fb, %fc;", of_f(fmaf(2, x->fb, x->fc)))		\
	X('f', "div.rn.f32 %f, %fa, %fb;", of_f(x->fa / x->fb))					\
	X('f', "div.full.f32 %f, %fa, %fb;", of_f(x->fa / x->fb))				\
	X('f', "rcp.rn.f32 %f, %fa;", of_f(1 / x->fa))						\
	X('f', "abs.f32 %f, %fa; sqrt.rn.f32 %f, %f;", of_f(sqrtf(fabsf(x->fa))))		\
	X('f', "neg.f32 %f, %fa;", of_f(-x->fa))						\
	X('f', "min.f32 %f, %fa, %fb;", of_f(fminf(x->fa, x->fb)))				\
	X('f', "max.f32 %f, %fa, %fb;", of_f(fmaxf(x->fa, x->fb)))				\
	X('f', "add.sat.f32 %f, %fa, %fb;",							\
	  of_f(x->fa + x->fb < 0 ? 0 : x->fa + x->fb > 1 ? 1 : x->fa + x->fb))			\
	X('f', "mul.ftz.f32 %f, 0f00800000, 0f3f000000;", 0)					\
	X('f', "add.rz.f32 %f, 0f3f800000, 0f33800001;", of_f(1))				\
	X('f', "add.rp.f32 %f, 0f3f800000, 0f2f800001;", of_f(nextafterf(1, 2)))		\
	X('d', "add.f64 %d, %da, %db;", of_d(x->da + x->db))					\
	X('d', "sub.f64 %d, %da, %db;", of_d(x->da - x->db))					\
	X('d', "mul.f64 %d, %da, 0d3ff8000000000000;", of_d(x->da * 1.5))			\
	X('d', "fma.rn.f64 %d, %da, %db, %dc;", of_d(fma(x->da, x->db, x->dc)))			\
	X('d', "div.rn.f64 %d, %da, %db;", of_d(x->da / x->db))					\
	X('d', "rcp.rn.f64 %d, %da;", of_d(1 / x->da))						\
	X('d', "abs.f64 %d, %da; sqrt.rn.f64 %d, %d;", of_d(sqrt(fabs(x->da))))			\
	X('d', "neg.f64 %d, %da;", of_d(-x->da))						\
	X('d', "min.f64 %d, %da, %db;", of_d(fmin(x->da, x->db)))				\
	X('d', "max.f64 %d, %da, %db;", of_d(fmax(x->da, x->db)))				\
	X('f', "copysign.f32 %f, %fa, %fb;", of_f(copysignf(x->fb, x->fa)))			\
	X('d', "copysign.f64 %d, %da, %db;", of_d(copysign(x->db, x->da)))			\
	X('p', "testp.finite.f32 %p, %fa;", 1)							\
	X('p', "testp.normal.f64 %p, %da;", 1)							\
	X('p', "testp.infinite.f32 %p, 0f7f800000;", 1)						\
	X('p', "testp.subnormal.f32 %p, 0f00000001;", 1)					\
	X('p', "testp.notanumber.f32 %p, 0f7fffffff;", 1)					\
	X('p', "testp.number.f64 %p, 0d7ff8000000000000;", 0)					\
	X('f', "mov.f32 %f, 0f40800000; sqrt.approx.f32 %f, %f;", of_f(2))			\
	X('f', "mov.f32 %f, 0f40800000; lg2.approx.f32 %f, %f; ex2.approx.ftz.f32 %f, %f; "	\
	  "cvt.rni.f32.f32 %f, %f;", of_f(4))							\
	X('f', "mov.f32 %f, 0f40800000; rsqrt.approx.f32 %f, %f; rcp.approx.f32 %f, %f; "	\
	  "cvt.rni.f32.f32 %f, %f;", of_f(2))							\
	X('f', "cos.approx.f32 %f, 0f00000000; sin.approx.f32 %fe, 0f00000000; "		\
	  "tanh.approx.f32 %fg, 0f00000000; add.f32 %f, %f, %fe; add.f32 %f, %f, %fg;", of_f(1)) \
	X('r', "activemask.b32 %r;", UINT32_MAX)						\
	X('r', "vote.sync.ballot.b32 %r, %pl, -1;", 0x0000ffff)					\
	X('p', "vote.sync.any.pred %p, %pl, -1;", 1)						\
	X('p', "vote.sync.all.pred %p, %pl, -1;", 0)						\
	X('p', "vote.sync.uni.pred %p, !%pl, -1;", 0)						\
	X('r', "vote.ballot.b32 %r, !%pl;", 0xffff0000)						\
	X('r', "and.b32 %t, %rt, 3; match.any.sync.b32 %r, %t, -1;", 0x11111111u << (x->t & 3))	\
	X('r', "match.all.sync.b32 %r|%pd, 5, -1;", UINT32_MAX)					\
	X('p', "match.all.sync.b64 %r|%p, %qt, -1;", 0)						\
	X('q', "match.any.sync.b64 %q, 7, -1;", UINT32_MAX)					\
	X('r', "match.any.sync.b64 %r, %qt, -1;", 1u << (x->t & 31))				\
	X('r', "fns.b32 %r, 0xf0f0, 5, %rt;", \
		!x->t ? 5 : x->t <= 3 ? x->t + 4 : x->t <= 7 ? x->t + 8 : UINT32_MAX) \
	X('r', "mov.u32 %t, -2; fns.b32 %r, 0xf0f0, 12, %t;", 7)				\
	X('r', "and.b32 %t, %rt, 16; shl.b32 %t, 65535, %t; vote.sync.ballot.b32 %r, %pd, %t;", 0) \
	X('r', "shfl.sync.bfly.b32 %r, %rt, 1, 31, -1;", x->t ^ 1)				\
	X('r', "shfl.sync.up.b32 %r|%pd, %rt, 2, 0, -1; @!%pd mov.u32 %r, 77;",			\
	  (x->t & 31) < 2 ? 77 : x->t - 2)							\
	X('r', "shfl.sync.down.b32 %r, %rt, 4, 31, -1;", (x->t & 31) > 27 ? x->t : x->t + 4)	\
	X('r', "shfl.sync.idx.b32 %r, %rt, %rs, 31, -1;", (x->t & 32) + 3)			\
	X('r', "st.shared.u32 [%sh], %ra; bar.sync 0; xor.b32 %t, %rt, 63; "			\
	  "mul.wide.u32 %q, %t, 16; mov.u64 %qe, mem; add.u64 %q, %q, %qe; "			\
	  "ld.shared.u32 %r, [%q]; xor.b32 %r, %r, %ra;", A ^ (x + 63 - 2 * (int)x->t)->a)	\
	X('r', "barrier.sync 0, 64; bar.red.popc.u32 %r, 1, %pl;", 32)				\
	X('p', "bar.red.or.pred %p, 0, %pl;", 1)						\
	X('p', "bar.red.and.pred %p, 0, %pl;", 0)						\
	X('r', "bar.warp.sync -1; mov.u32 %r, 3;", 3)						\
	X('r', "st.shared.v2.u32 [%sh], {%ra, %rb}; ld.shared.v2.u32 {%t, %r}, [%sh]; "		\
	  "sub.u32 %r, %r, %t;", B - A)								\
	X('q', "st.shared.v2.u64 [%sh], {%qa, %qb}; ld.shared.v2.u64 {%q, %qe}, [%sh]; "	\
	  "add.u64 %q, %q, %qe;", QA + QB)							\
	X('r', "st.shared.v4.u8 [%sh+4], {%ra, %rb, %rc, 7}; ld.shared.s8 %r, [%sh+5];",	\
	  (uint32_t)(int8_t)B)									\
	X('q', "st.shared.u16 [%sh+2], %ha; ld.shared.s16 %q, [%sh+2];", (uint64_t)HA)		\
	X('r', "mov.u64 %qe, depot; st.local.u32 [%qe+4], %ra; cvta.local.u64 %q, %qe; "	\
	  "ld.u32 %r, [%q+4]; isspacep.local %pd, %q; @!%pd mov.u32 %r, 0;", A)			\
	X('r', "cvta.shared.u64 %q, %sh; st.volatile.u32 [%q], %rb; isspacep.shared %pd, %q; "	\
	  "ld.relaxed.cta.u32 %r, [%q]; @!%pd mov.u32 %r, 0;", B)				\
	X('r', "ld.const.u32 %r, [table+8];", 30)						\
	X('r', "ld.global.u64 %q, [pointer]; ld.u32 %r, [%q];", 40)				\
	X('r', "ld.global.nc.u32 %r, [%in]; membar.gl; fence.acq_rel.gpu;", A)			\
	X('r', "st.shared.u32 [%sh], %ra; atom.shared.add.u32 %r, [%sh], 5; "			\
	  "red.shared.max.u32 [%sh], %rb; ld.shared.u32 %t, [%sh]; sub.u32 %r, %t, %r;",	\
	  (A + 5 > B ? A + 5 : B) - A)								\
	X('r', "st.shared.u32 [%sh], %ra; atom.shared.cas.b32 %r, [%sh], %ra, %rb; "		\
	  "ld.shared.u32 %r, [%sh];", B)							\
	X('q', "st.shared.u64 [%sh], %qa; cvta.shared.u64 %qe, %sh; "				\
	  "atom.exch.b64 %q, [%qe], %qb; ld.shared.u64 %qe, [%sh]; xor.b64 %q, %q, %qe;", QA ^ QB) \
	X('f', "st.shared.f32 [%sh], %fa; red.shared.add.f32 [%sh], %fb; "			\
	  "ld.shared.f32 %f, [%sh];", of_f(x->fa + x->fb))					\
	X('d', "st.shared.f64 [%sh], %da; atom.shared.add.f64 %d, [%sh], %db; "			\
	  "ld.shared.f64 %d, [%sh];", of_d(x->da + x->db))					\
	X('r', "st.shared.u32 [%sh], 9; atom.shared.inc.u32 %r, [%sh], 9; "			\
	  "atom.shared.dec.u32 %r, [%sh], 4; ld.shared.u32 %r, [%sh];", 4)			\
	X('r', "st.shared.u32 [%sh], %ra; red.shared.min.s32 [%sh], %rb; "			\
	  "red.shared.xor.b32 [%sh], %rc; ld.shared.u32 %r, [%sh];",				\
	  (uint32_t)(SA < SB ? SA : SB) ^ C)							\
	X('r', "@%pc add.u32 %r, %ra, 1; @!%pc sub.u32 %r, %ra, 1;", C & 1 ? A + 1 : A - 1)	\
	X('r', "mov.u32 %r, 1; { .reg .b32 %r; mov.u32 %r, 2; } add.u32 %r, %r, 1;", 2)		\
	X('r', "call (%r), twice, (%ra);", A * 2)						\
	X('q', "{ .param .b64 p0; .param .align 8 .b8 r0[16]; st.param.b64 [p0+0], %qa; "	\
	  "call.uni (r0), pair, (p0); ld.param.v2.b64 {%q, %qe}, [r0+0]; "			\
	  "} add.u64 %q, %q, %qe;", QA * 4)							\
	X('r', "mov.u32 %r, %ra; @%pc call grow; nanosleep.u32 10; prefetch.global.L1 [%in]; "	\
	  "griddepcontrol.wait; griddepcontrol.launch_dependents; " \
	  "add.u32 %r, %r, 1;", A + 1)

static const struct op ops[] = {
#define X(kind, ptx, c) { kind, ptx },
	OPS(X)
#undef X
};

#define OP_COUNT	(sizeof(ops) / sizeof(*ops))

static uint64_t expected(size_t index, const struct in *x)
{
	size_t i = 0;

#define X(kind, ptx, c) \
	if (i++ == index) \
		return (uint64_t)(c);
	OPS(X)
#undef X
	return 0;
}

/* ---- the kernels -------------------------------------------------------- */

static const char head[] = PTX_HEAD
	".visible .const .align 4 .u32 table[4] = {10, 20, 30, 40};\n"
	".visible .global .align 8 .u64 pointer = generic(table)+12;\n"
	".func (.reg .b32 r) twice(.reg .b32 x) { add.u32 r, x, x; ret; }\n"
	".func (.param .align 8 .b8 r[16]) pair(.param .b64 p)\n"
	"{ .reg .b64 %q; ld.param.b64 %q, [p]; add.u64 %q, %q, %q; st.param.v2.b64 [r+0], {%q, "
	"%q}; ret; }\n"
	".func grow() { ret; }\n";

static const char prologue[] =
	".local .align 16 .b8 depot[16]; .shared .align 16 .b8 mem[1024];\n"
	".reg .b32 %r; .reg .b32 %t; .reg .b32 %ra; .reg .b32 %rb; .reg .b32 %rc; .reg .b32 %rt; "
	".reg .b32 %rs;\n"
	".reg .b16 %h; .reg .b16 %ha; .reg .b16 %hb; .reg .b16 %hc; .reg .b64 %q; .reg .b64 %qa; "
	".reg .b64 %qb;\n"
	".reg .b64 %qc; .reg .b64 %qe; .reg .b64 %qt; .reg .b64 %sh; .reg .b64 %in; .reg .b64 "
	"%out;\n"
	".reg .f32 %f; .reg .f32 %fa; .reg .f32 %fb; .reg .f32 %fc; .reg .f32 %fe; .reg .f32 %fg; "
	".reg .f32 %fi;\n"
	".reg .f64 %d; .reg .f64 %da; .reg .f64 %db; .reg .f64 %dc;\n"
	".reg .pred %p; .reg .pred %pc; .reg .pred %pd; .reg .pred %pe; .reg .pred %pl;\n"
	"ld.param.u64 %in, [i]; ld.param.u64 %out, [o]; mov.u32 %rt, %tid.x;\n"
	"mad.wide.u32 %in, %rt, 80, %in; mad.wide.u32 %out, %rt, 8, %out;\n"
	"ld.global.u32 %ra, [%in]; ld.global.u32 %rb, [%in+4]; ld.global.u32 %rc, [%in+8];\n"
	"ld.global.v2.u64 {%qa, %qb}, [%in+16]; ld.global.u64 %qc, [%in+32];\n"
	"ld.global.v2.f32 {%fa, %fb}, [%in+40]; ld.global.v2.f32 {%fc, _}, [%in+48];\n"
	"ld.global.f64 %da, [%in+56]; ld.global.f64 %db, [%in+64]; ld.global.f64 %dc, [%in+72];\n"
	"cvt.u16.u32 %ha, %ra; cvt.u16.u32 %hb, %rb; cvt.u64.u32 %qt, %rt; cvt.rn.f32.u32 %fi, "
	"%rt; mov.u32 %rs, 3;\n"
	"mul.wide.u32 %sh, %rt, 16; mov.u64 %qe, mem; add.u64 %sh, %sh, %qe;\n"
	"and.b32 %r, %rc, 1; setp.ne.u32 %pc, %r, 0; and.b32 %r, %rc, 2; setp.ne.u32 %pe, %r, 0;\n"
	"mov.u32 %r, %laneid; setp.lt.u32 %pl, %r, 16;\n";

static void add_kernel(struct text *t, size_t index)
{
	text_add(t, ".visible .entry k%zu(.param .u64 i, .param .u64 o)\n{\n%s%s\n", index,
		 prologue, ops[index].ptx);
	switch (ops[index].result) {
	case 'r':
		text_add(t, "cvt.u64.u32 %%q, %%r;\n");
		break;
	case 'h':
		text_add(t, "cvt.u64.u16 %%q, %%h;\n");
		break;
	case 'f':
		text_add(t, "mov.b32 %%r, %%f;\ncvt.u64.u32 %%q, %%r;\n");
		break;
	case 'd':
		text_add(t, "mov.b64 %%q, %%d;\n");
		break;
	case 'p':
		text_add(t, "selp.u64 %%q, 1, 0, %%p;\n");
		break;
	}
	text_add(t, "st.global.u64 [%%out], %%q;\nret;\n}\n");
}

static void fill(struct in in[THREADS])
{
	static const uint32_t ends[] = { 0, 1, UINT32_MAX, 0x80000000u, 0x7fffffffu, 0xffff8000u };
	uint64_t seed = 42;

	for (unsigned int i = 0; i < THREADS; i++) {
		in[i].a = i < 36 ? ends[i % 6] : (uint32_t)ptx_random(&seed) >> (i % 24);
		in[i].b = i < 36 ? ends[i / 6] : (uint32_t)ptx_random(&seed) >> (i % 9);
		in[i].c = (uint32_t)ptx_random(&seed);
		in[i].t = i;
		in[i].qa = ptx_random(&seed) >> (i % 40);
		in[i].qb = i % 5 ? ptx_random(&seed) >> (i % 64) : in[i].qa;
		in[i].qc = ptx_random(&seed);
		in[i].fa = ((float)(ptx_random(&seed) % 2000001) - 1000000.0f) / 997.0f + 0.013f;
		in[i].fb =
			((float)(ptx_random(&seed) % 2000001) - 1000000.0f) / 499979.0f + 0.0001f;
		in[i].fc = ((float)(ptx_random(&seed) % 2000001) - 1000000.0f) / 31.0f;
		in[i].da = ((double)(ptx_random(&seed) % 2000001) - 1000000.0) / 997.0 + 0.013;
		in[i].db = ((double)(ptx_random(&seed) % 2000001) - 1000000.0) / 499979.0 + 0.0001;
		in[i].dc = ((double)(ptx_random(&seed) % 2000001) - 1000000.0) / 31.0;
	}
}

static void every_instruction(void **state)
{
	static struct in in[THREADS];
	static const uint32_t limits[] = { 0, 16 };
	struct text text = { 0 };
	unsigned int wrong = 0;

	(void)state;
	fill(in);
	text_add(&text, "%s", head);
	for (size_t k = 0; k < OP_COUNT; k++)
		add_kernel(&text, k);
	ptx_begin();
	for (size_t l = 0; l < sizeof(limits) / sizeof(*limits); l++) {
		struct vgpuModule *module = ptx_load(text.text, limits[l]);

		for (size_t k = 0; k < OP_COUNT; k++) {
			uint64_t got[THREADS] = { 0 };
			char name[16];

			snprintf(name, sizeof(name), "k%zu", k);
			ptx_launch(module, name, THREADS, in, sizeof(in), got, sizeof(got));
			for (unsigned int i = 0; i < THREADS; i++) {
				if (got[i] == expected(k, &in[i]))
					continue;
				print_message("`%s' in thread %u: %llx, expected %llx\n",
					      ops[k].ptx, i, (unsigned long long)got[i],
					      (unsigned long long)expected(k, &in[i]));
				wrong++;
				break;
			}
		}
		assert_int_equal(vgpuModuleUnload(module), vgpuSuccess);
	}
	ptx_end();
	text_free(&text);
	assert_int_equal(wrong, 0);
}

/* Lanes with an even number, and those from 5 on with an odd one, elect one each. */
static void elected_lanes(void **state)
{
	uint32_t out[32] = { 0 }, in = 0;

	(void)state;
	ptx_begin();
	ptx_launch(ptx_load(PTX_HEAD
			    ".visible .entry k(.param .u64 i, .param .u64 o) {\n"
			    ".reg .b32 %r<6>; .reg .b64 %d<3>; .reg .pred %p<4>;\n"
			    "mov.u32 %r0, %tid.x; ld.param.u64 %d0, [o]; "
			    "mul.wide.u32 %d1, %r0, 4;\n"
			    "add.u64 %d0, %d0, %d1; mov.u32 %r3, 99; and.b32 %r1, %r0, 1;\n"
			    "setp.eq.u32 %p0, %r1, 0; setp.lt.u32 %p3, %r0, 5;\n"
			    "mov.pred %p1, 0;\n@%p0 bra even;\n@%p3 bra done;\n"
			    "mov.u32 %r2, 0xaaaaaaa0; elect.sync _|%p1, %r2; bra done;\n"
			    "even: elect.sync %r3|%p1, 0x55555555;\n"
			    "done: selp.u32 %r4, 100, 0, %p1; add.u32 %r3, %r3, %r4;\n"
			    "st.global.u32 [%d0], %r3; ret; }\n",
			    0),
		   "k", 32, &in, sizeof(in), out, sizeof(out));
	for (uint32_t t = 0; t < 32; t++)
		assert_int_equal(out[t], (t % 2 ? 99 : 0) + (t == 0 || t == 5 ? 100 : 0));
	ptx_end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_instruction),
		cmocka_unit_test(elected_lanes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
/*
 * Random programs, and random states in which they begin, for tests of native code. One of each at
 * a time: code[] and what is drawn from random_state.
 */
#ifndef NATIVE_RIG_H
#define NATIVE_RIG_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "live.h"
#include "native.h"
#include "sm/lanes.h"
#include "sm/verify.h"

#define REGS		64u
#define DATA_REGS	44u		/* that programs write; above are addresses */
#define CODE		96u
#define SHARED		4096u
#define LOCAL		256u		/* two pages of local memory */
#define PAGES		4u
#define SPAN		40u		/* pages of virtual memory, with the bytes of PAGES */
#define BASE		0x400ea000ull	/* the entries of its pages are not behind each other */
#define PARAMS		64u

enum { R_ROW = 44, R_SAME, R_ANY, R_TILE, Q_ROW = 48, Q_SAME = 50, Q_ANY = 52, Q_ROW8 = 54,
       Q_WINDOW = 56, Q_SPREAD = 58, Q_BAD = 60, R_LOCAL = 62, R_SPREAD = 63 };

enum kind { KIND_N, KIND_R, KIND_Q, KIND_P, KIND_RI, KIND_QI, KIND_V, KIND_W, KIND_A };
enum class {
	CLASS_NONE, CLASS_SREG, CLASS_LUT, CLASS_FP, CLASS_CV, CLASS_CMP, CLASS_MEM, CLASS_ATOM,
	CLASS_FENCE, CLASS_SHFL, CLASS_VOTE, CLASS_MATCH, CLASS_BAR, CLASS_BARR, CLASS_BRA
};
static const struct {
	const char *name;
	enum class class;
	enum kind dst, a, b, c;
} isa[] = {
#define ROW(name, class, dst, a, b, c) \
	{ #name, CLASS_##class, KIND_##dst, KIND_##a, KIND_##b, KIND_##c },
	VGPU_ISA(ROW)
};

struct state {
	struct vgpu_lanes lanes;
	struct vgpu_warp warp;
	struct vgpu_launch launch;
	u32 regs[REGS * VGPU_LANES] __attribute__((aligned(64)));
	u8 shared[SHARED + 64] __attribute__((aligned(64)));
	u8 local[2][VGPU_PAGE_SIZE] __attribute__((aligned(64)));
	struct vgpu_local_page local_pages[VGPU_LOCAL_TABLE];
	u8 zeros[VGPU_PAGE_SIZE];
	u8 memory[PAGES][VGPU_PAGE_SIZE] __attribute__((aligned(4096)));
	u8 params[PARAMS];
	struct vgpu_tlb_entry tlb[VGPU_TLB_ENTRIES];
};

static u16 cost[VGPU_OP_COUNT];
static struct vgpu_insn code[CODE];
static u32 count;
static struct live_registers *live;	/* of code[] */
static u64 random_state;
static struct vgpu_native_choice choice;

static inline u64 random64(void)
{
	u64 z = random_state += 0x9e3779b97f4a7c15ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

static inline u32 below(u32 n)
{
	return (u32)(random64() >> 33) % n;
}

static inline u32 word(void)
{
	static const u32 edges[] = {
		0, 1, 2, 5, 31, 32, 33, 63, 64, 255, 0x7fff, 0x8000, 0xffff, 0x10000, 0x7fffffff,
		0x80000000, 0x80000001, 0xffffffff, 0xfffffffe, 0x3f800000, 0xbf800000, 0x3f000000,
		0x40200000, 0x3effffff, 0x00800000, 0x007fffff, 0x00000001, 0x807fffff, 0x7f7fffff,
		0x7f800000, 0xff800000, 0x7fc00000, 0xffc00000, 0x7f800001, 0x4b000000, 0x4f000000,
		0xcf000000, 0x4f7fffff, 0x4f800000, 0x5f000000, 0xdf000000, 0x477fe000, 0x7ff00000,
		0x7ff80000, 0x3ff00000, 0xbff00000, 0x43e00000, 0xc3e00000, 0x41dfffff, 0xc1e00000,
		0x000fffff, 0x7fefffff,
	};

	return below(3) ? edges[below(VGPU_ARRAY_SIZE(edges))] : (u32)random64();
}

/* ---- programs ----------------------------------------------------------------- */

#define HALF	(DATA_REGS / 8 * 4)

/*
 * 64-bit registers are in the upper half, and what reads registers of other lanes is rare: so much
 * is dead also while lanes are elsewhere.
 */
static bool separate;

static inline u8 group_of(bool wide)
{
	return (u8)(separate ? below(HALF / 4) * 4 + (wide ? HALF : 0) : below(DATA_REGS / 4) * 4);
}

static inline u8 reg_of(enum kind kind, bool result)
{
	if (kind == KIND_P)
		return (u8)(below(result ? 8 : 8) | (!result && below(4) == 0 ? VGPU_P_NOT : 0));
	if (kind == KIND_Q || kind == KIND_QI)
		return (u8)(separate ? HALF + below(HALF / 2) * 2 : below(DATA_REGS / 2) * 2);
	return kind == KIND_N ? 0 : (u8)below(separate ? HALF : DATA_REGS);
}

static inline void address_of(struct vgpu_insn *i)
{
	static const u8 wide[] = { Q_ROW,    Q_ROW,    Q_SAME,	 Q_ANY, Q_ROW8,
				   Q_WINDOW, Q_SPREAD, Q_SPREAD, Q_BAD };
	static const u8 narrow[] = { R_ROW, R_SAME, R_ANY, R_TILE };
	bool local = i->op == VGPU_OP_LDL || i->op == VGPU_OP_STL;
	bool shared = i->op == VGPU_OP_LDS || i->op == VGPU_OP_STS || i->op == VGPU_OP_ATOMS ||
		      i->op == VGPU_OP_ATOMSQ;

	i->a = local ? (below(4) ? R_LOCAL : R_SPREAD) : shared ? narrow[below(4)] :
								     wide[below(sizeof(wide))];
	if (below(40) == 0)
		i->a = reg_of(local || shared ? KIND_R : KIND_Q, false);
	i->imm = below(3) ? 16 * below(8) : below(64);
	if (isa[i->op].class == CLASS_ATOM ? i->flags & VGPU_F_ATOM_ABS : i->flags & VGPU_F_ABS) {
		i->a = 0;
		i->imm += local || shared ? 0 : BASE;
	}
	if (isa[i->op].class == CLASS_ATOM)
		i->mem = VGPU_MEM(VGPU_ORDER_RELAXED, VGPU_SCOPE_GPU, VGPU_CACHE_NONE);
}

static inline struct vgpu_insn one(u32 pc, u32 only)
{
	struct vgpu_vass_kernel kernel = { .regs = REGS, .code_count = count,
					   .param_bytes = PARAMS };
	struct vgpu_insn i;

	for (;;) {
		u32 op = only != VGPU_OP_COUNT ? only : below(VGPU_OP_COUNT);
		enum class class = isa[op].class;

		i = (struct vgpu_insn){ .op = (u8)op, .guard = VGPU_PT };
		/* loads and stores are what most can happen to */
		if (only == VGPU_OP_COUNT && below(5) == 0)
			i.op = (u8)(VGPU_OP_LD + below(VGPU_OP_MEMBAR - VGPU_OP_LD));
		class = isa[i.op].class;
		i.flags = (u8)(below(2) ? random64() : random64() & random64());
		if (below(2))
			i.flags &= VGPU_F_IMM;
		if (class == CLASS_MEM && below(2))	/* a word each lane, or two */
			i.flags = (u8)(2 + below(2));
		i.dst = reg_of(isa[i.op].dst, true);
		i.a = reg_of(isa[i.op].a, false);
		i.b = reg_of(isa[i.op].b, false);
		i.c = reg_of(isa[i.op].c, false);
		if (isa[i.op].dst == KIND_V)
			i.dst = group_of(VGPU_F_SIZE(i.flags) == 8);
		if (isa[i.op].b == KIND_W)
			i.b = group_of(VGPU_F_SIZE(i.flags) == 8);
		if (isa[i.op].a == KIND_A)
			address_of(&i);
		if (i.flags & VGPU_F_IMM && (isa[i.op].b == KIND_RI || isa[i.op].b == KIND_QI)) {
			i.b = 0;
			i.imm = isa[i.op].b == KIND_QI ? (u64)word() << 32 | word() : word();
		}
		if (class == CLASS_SREG)
			i.imm = i.op == VGPU_OP_SREG ? below(VGPU_SR_COUNT32) : VGPU_SR_CLOCK64;
		if (class == CLASS_LUT)
			i.imm = below(256);
		if (i.op == VGPU_OP_LDP)
			i.imm = below(4) * 16;
		if (class == CLASS_SHFL)
			i.imm = (i.imm & 31) | (u64)(below(2) ? VGPU_PT : below(8)) << 32 |
				(u64)(i.op == VGPU_OP_SHFLSYNC ? VGPU_SHFL_FULL : 0) << 40;
		if (class == CLASS_FENCE)
			i.mem = VGPU_MEM(VGPU_ORDER_SC, VGPU_SCOPE_GPU, VGPU_CACHE_NONE);
		if (class == CLASS_BAR || class == CLASS_BARR)
			i.imm = 0;
		if (class == CLASS_BRA) {
			/* mostly forward, and lanes meet behind it */
			u32 target = below(4) ? pc + 1 + below(8) : below(count);
			u32 reconv = below(6) ? target + below(4) : below(count);

			i.imm = (target < count ? target : count - 1) |
				(u64)(reconv < count ? reconv : VGPU_NO_RECONV) << 32;
			i.flags = 0;
		}
		if (below(class == CLASS_BRA || i.op == VGPU_OP_EXIT ? 8 : 1) || below(12) == 0 ||
		    i.op == VGPU_OP_TRAP || i.op == VGPU_OP_EXIT)
			i.guard = (u8)(below(8) | (below(2) ? VGPU_P_NOT : 0));
		if (separate && vgpu_reads_others(i.op) && i.op != only && below(12))
			continue;
		if (!vgpu_verify_insn(&i, &kernel))
			return i;
	}
}

static inline void make_program(u32 only)
{
	count = 8 + below(CODE - 8);
	separate = below(2);
	for (u32 pc = 0; pc < count - 1; pc++) {
		code[pc] = one(pc, only != VGPU_OP_COUNT && below(2) ? only : VGPU_OP_COUNT);
		/* most programs are not over at once */
		if ((code[pc].op == VGPU_OP_EXIT || code[pc].op == VGPU_OP_TRAP) && below(8))
			code[pc] = (struct vgpu_insn){ .op = VGPU_OP_NOP, .guard = VGPU_PT };
	}
	code[count - 1] = (struct vgpu_insn){ .op = VGPU_OP_EXIT, .guard = VGPU_PT };
}

/*
 * Words of global memory in a row or at one place, of which there is code in the segment, between
 * instructions whose results are in registers of the processor then.
 */
static inline void make_global_program(void)
{
	static const u8 addresses[] = { Q_ROW, Q_SAME, Q_ROW8 };
	static const u8 between[] = { VGPU_OP_ADD, VGPU_OP_XOR, VGPU_OP_MOV };
	const struct vgpu_vass_kernel kernel = { .regs = REGS, .code_count = CODE };

	count = 16 + below(CODE - 16);
	for (u32 pc = 0; pc < count - 1; pc++) {
		struct vgpu_insn *i = &code[pc];

		*i = one(pc, between[below(sizeof(between))]);
		if (below(2))
			continue;
		i->op = below(3) ? VGPU_OP_LDG : VGPU_OP_STG;
		i->flags = (u8)(2 + below(2));
		i->a = addresses[below(sizeof(addresses))];
		i->dst = i->op == VGPU_OP_LDG ? (u8)(below(DATA_REGS / 4) * 4) : 0;
		i->b = i->op == VGPU_OP_STG ? (u8)(below(DATA_REGS / 4) * 4) : 0;
		i->c = 0;
		i->imm = 16 * below(8);
		assert_null(vgpu_verify_insn(i, &kernel));
	}
	code[count - 1] = (struct vgpu_insn){ .op = VGPU_OP_EXIT, .guard = VGPU_PT };
}

/* ---- states ------------------------------------------------------------------- */

static inline void set_tlb(struct state *s, u32 page, bool write)
{
	u64 number = (BASE >> VGPU_PAGE_SHIFT) + page;

	s->tlb[number % VGPU_TLB_ENTRIES] = (struct vgpu_tlb_entry){
		number, s->memory[page % PAGES], write ? s->memory[page % PAGES] : NULL
	};
}

static inline void set_addresses(struct state *s)
{
	u64 *q = (u64 *)s->regs;
	static const u32 spans[] = { 1, 2, 3, 4, 9, 18, SPAN };
	u32 start = below(64) * 4, word_ = below(1024), span = spans[below(7)];
	u64 first = BASE + below(SPAN - span + 1) * VGPU_PAGE_SIZE;
	/* a lane that is not where the others are */
	u32 odd = below(2) ? VGPU_LANES : below(VGPU_LANES);
	/* quarters of the lanes are rows, or at one place */
	bool quarters = below(2);
	u32 step = below(3) * 4;
	u64 quarter[4];

	for (u32 n = 0; n < 4; n++)
		quarter[n] = first + below(span * 256 - 16) * 16 + (below(4) ? 0 : 8);
	for (u32 l = 0; l < VGPU_LANES; l++) {
		u32 n = VGPU_LANES;

		s->regs[R_ROW * n + l] = start + 4 * l;
		s->regs[R_SAME * n + l] = word_ / 16 * 16;
		s->regs[R_ANY * n + l] = below(SHARED / 16 - 16) * 16;
		s->regs[R_TILE * n + l] = l / 16 * 256 + (below(8) ? 4 * (l % 16) : 0);
		/* some rows reach into the next page */
		q[Q_ROW / 2 * n + l] = BASE + VGPU_PAGE_SIZE - 256 + start + 4 * l;
		q[Q_SAME / 2 * n + l] = BASE + word_ * 16 + (l == odd ? 16 : 0);
		q[Q_ANY / 2 * n + l] = BASE + 4096 + below(200) * 16;
		q[Q_ROW8 / 2 * n + l] = BASE + 2 * VGPU_PAGE_SIZE - 512 + start * 2 + 8 * l;
		q[Q_WINDOW / 2 * n + l] = below(20) ? VGPU_SHARED_WINDOW + 4 * l :
						      VGPU_LOCAL_WINDOW + 16 * below(4);
		q[Q_SPREAD / 2 * n + l] =
			quarters && l != odd ? quarter[l / 8] + (l & 7) * (below(99) ? step : 4) :
					       first + below(span * 256 - 16) * 16;
		q[Q_BAD / 2 * n + l] = l == 7 && !below(3) ? random64() : BASE + 16 * l;
		s->regs[R_LOCAL * n + l] = word_ % 4 * 16;
		s->regs[R_SPREAD * n + l] = below(8) * 16;
	}
}

static inline void make_state(struct state *s)
{
	u32 missing;

	memset(s, 0, sizeof(*s));
	for (u32 n = 0; n < REGS * VGPU_LANES; n++)
		s->regs[n] = word();
	set_addresses(s);
	for (size_t n = 0; n < sizeof(s->memory); n += 4) {
		u32 v = word();

		memcpy(&s->memory[0][0] + n, &v, 4);
	}
	for (size_t n = 0; n < SHARED; n++)
		s->shared[n] = (u8)random64();
	/* pages that are not there yet have it when they are */
	for (size_t n = 0; n < sizeof(s->local); n += 8)
		memcpy(&s->local[0][0] + n, &(u64){ random64() }, 8);
	for (size_t n = 0; n < sizeof(s->params); n++)
		s->params[n] = (u8)random64();
	for (u32 n = 0; n < VGPU_TLB_ENTRIES; n++)
		s->tlb[n].page = ~0ull;
	missing = below(2) ? 4 : 200;
	for (u32 n = 0; n < SPAN; n++)
		if (below(missing))
			set_tlb(s, n, below(4));
	s->launch = (struct vgpu_launch){ .id = 9,
					  .grid = { 5, 6, 7 },
					  .block = { 8, 4, 3 },
					  .warps = 3,
					  .threads = 96,
					  .dynamic_shared = 12 };
	if (below(2))
		memcpy(s->launch.block, (const u32[3]){ 96, 1, 1 }, sizeof(s->launch.block));
	s->warp.live = below(3) ? ~0u : below(2) ? (u32)random64() | 1 : (2u << below(32)) - 1;
	s->warp.active = s->warp.live;
	s->warp.reconv = VGPU_NO_RECONV;
	s->warp.threads = VGPU_LANES;
	s->warp.index = below(3);
	for (u32 n = 0; n < VGPU_PREDS; n++)
		s->warp.preds[n] = below(3) ? below(2) ? ~0u : 0 : (u32)random64();
	s->warp.preds[VGPU_PT] = ~0u;
}

/* What the state refers to is its own. */
static inline void connect(struct state *s, const struct vgpu_native_code *native)
{
	struct vgpu_lanes *l = &s->lanes;

	s->warp.regs = s->regs;
	s->warp.local[0] = s->local_pages;
	for (u32 n = 0; n < VGPU_TLB_ENTRIES; n++)
		if (s->tlb[n].page != ~0ull) {
			u64 number = s->tlb[n].page - (BASE >> VGPU_PAGE_SHIFT);
			u8 *page = s->memory[number % PAGES];

			s->tlb[n].read = page;
			s->tlb[n].write = s->tlb[n].write ? page : NULL;
		}
	l->native = native;
	l->code = code;
	l->launch = &s->launch;
	l->params = s->params;
	l->shared = s->shared;
	l->shared_bytes = SHARED;
	l->local_bytes = LOCAL;
	l->zeros = s->zeros;
	l->tlb = s->tlb;
	l->cost = cost;
	l->warp = &s->warp;
	l->sm_index = 3;
	l->sm_count = 13;
	l->clock = 1000;
	l->timer = 77;
}

#endif

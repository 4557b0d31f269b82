// SPDX-License-Identifier: MIT
/*
 * Native code against the interpreter: random programs of all opcodes and flags that the verifier
 * takes, branches forward and back among them, on random state, with budgets that end anywhere,
 * translations that are missing and addresses that fault. After every return both must have left
 * the same in every bit.
 *
 * TEST_SEED, TEST_PROGRAMS: another first seed, another number of programs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "live.h"
#include "native.h"
#include "sm/lanes.h"
#include "sm/verify.h"

#define REGS		64u
#define DATA_REGS	44u		/* that programs write; above are addresses */
#define CODE		64u
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

static u64 random64(void)
{
	u64 z = random_state += 0x9e3779b97f4a7c15ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

static u32 below(u32 n)
{
	return (u32)(random64() >> 33) % n;
}

static u32 word(void)
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

static u8 group_of(bool wide)
{
	return (u8)(separate ? below(HALF / 4) * 4 + (wide ? HALF : 0) : below(DATA_REGS / 4) * 4);
}

static u8 reg_of(enum kind kind, bool result)
{
	if (kind == KIND_P)
		return (u8)(below(result ? 8 : 8) | (!result && below(4) == 0 ? VGPU_P_NOT : 0));
	if (kind == KIND_Q || kind == KIND_QI)
		return (u8)(separate ? HALF + below(HALF / 2) * 2 : below(DATA_REGS / 2) * 2);
	return kind == KIND_N ? 0 : (u8)below(separate ? HALF : DATA_REGS);
}

static void address_of(struct vgpu_insn *i)
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

static struct vgpu_insn one(u32 pc, u32 only)
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

static void make_program(u32 only)
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
static void make_global_program(void)
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

static void set_tlb(struct state *s, u32 page, bool write)
{
	u64 number = (BASE >> VGPU_PAGE_SHIFT) + page;

	s->tlb[number % VGPU_TLB_ENTRIES] = (struct vgpu_tlb_entry){
		number, s->memory[page % PAGES], write ? s->memory[page % PAGES] : NULL
	};
}

static void set_addresses(struct state *s)
{
	u64 *q = (u64 *)s->regs;
	static const u32 spans[] = { 1, 2, 3, 4, 9, 18, SPAN };
	u32 start = below(64) * 4, word_ = below(1024), span = spans[below(7)];
	u64 first = BASE + below(SPAN - span + 1) * VGPU_PAGE_SIZE;
	/* a lane that is not where the others are */
	u32 odd = below(2) ? VGPU_LANES : below(VGPU_LANES);

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
		q[Q_SPREAD / 2 * n + l] = first + below(span * 256 - 16) * 16;
		q[Q_BAD / 2 * n + l] = l == 7 && !below(3) ? random64() : BASE + 16 * l;
		s->regs[R_LOCAL * n + l] = word_ % 4 * 16;
		s->regs[R_SPREAD * n + l] = below(8) * 16;
	}
}

static void make_state(struct state *s)
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
	s->warp.live = below(3) ? ~0u : (u32)random64() | 1;
	s->warp.active = s->warp.live;
	s->warp.reconv = VGPU_NO_RECONV;
	s->warp.threads = VGPU_LANES;
	s->warp.index = below(3);
	for (u32 n = 0; n < VGPU_PREDS; n++)
		s->warp.preds[n] = below(3) ? below(2) ? ~0u : 0 : (u32)random64();
	s->warp.preds[VGPU_PT] = ~0u;
}

/* What the state refers to is its own. */
static void connect(struct state *s, const struct vgpu_native_code *native)
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

#define SAME(field)									\
	do {										\
		if (memcmp(&a->field, &b->field, sizeof(a->field)))			\
			fail_msg("seed %llu, %s: %s differs: %llx and %llx", seed, what, #field, \
				 first_of(&a->field, sizeof(a->field)),			\
				 first_of(&b->field, sizeof(b->field)));		\
	} while (0)

static unsigned long long first_of(const void *field, size_t size)
{
	unsigned long long v = 0;

	memcpy(&v, field, size < 8 ? size : 8);
	return v;
}

static void show(void)
{
	for (u32 pc = 0; pc < count; pc++)
		fprintf(stderr,
			"%3u: %-10s guard %02x flags %02x dst %u a %u b %u c %u imm %llx\n", pc,
			isa[code[pc].op].name, code[pc].guard, code[pc].flags, code[pc].dst,
			code[pc].a, code[pc].b, code[pc].c, (unsigned long long)code[pc].imm);
}

/* Where lane @l goes on: with the running entry, or the last one pushed that has it */
static u32 pc_of(const struct vgpu_warp *w, u32 l)
{
	if (w->active >> l & 1)
		return w->pc;
	for (u32 n = w->depth; n-- > 0;)
		if (w->stack[n].mask >> l & 1)
			return w->stack[n].pc;
	return 0;
}

/* What is live in lane @l; of one that has exited, what others may read of it: always live */
static bool may_read(const struct vgpu_warp *w, u32 l, u32 reg, bool wide)
{
	const struct live *before = &live->before[pc_of(w, l)];
	u64 bits = (wide ? before->wide : before->narrow)[reg / 64];

	for (u32 n = 0; n < count && !(w->live >> l & 1); n++)
		bits &= (wide ? live->before[n].wide : live->before[n].narrow)[reg / 64];
	return bits >> reg % 64 & 1;
}

/*
 * Of a register that a lane cannot read any more nothing is known. So nobody can see those of a
 * warp that has exited. A word of regs[] is a lane of one, or a half of a lane of one of 64 bits.
 */
static bool may_see(const struct vgpu_warp *w, u32 n)
{
	u32 reg = n / VGPU_LANES, l = n % VGPU_LANES;

	return w->live && (may_read(w, l, reg, false) ||
			   may_read(w, (reg % 2 * VGPU_LANES + l) / 2, reg, true));
}

/* If somebody can see it after all, it makes a difference. */
static void spoil_what_is_not_seen(struct state *s)
{
	static u64 noise;

	for (u32 n = 0; n < REGS * VGPU_LANES; n++)
		if (!may_see(&s->warp, n)) {
			noise = noise * 6364136223846793005ull + 1442695040888963407ull;
			s->regs[n] = (u32)(noise >> 33);
		}
}

static void same(const struct state *a, const struct state *b, unsigned long long seed,
		 const char *what)
{
	bool differ = false;

	for (u32 n = 0; n < REGS * VGPU_LANES && !differ; n++)
		if (a->regs[n] != b->regs[n] && may_see(&a->warp, n)) {
			fprintf(stderr, "seed %llu, %s: register %u lane %u: %08x, native %08x\n",
				seed, what, n / 32, n % 32, a->regs[n], b->regs[n]);
			differ = true;
		}
	if (a->warp.pc != b->warp.pc || differ) {
		fprintf(stderr, "pc %u and %u\n", a->warp.pc, b->warp.pc);
		show();
	}
	if (differ)
		fail_msg("registers differ");
	SAME(warp.pc);
	SAME(warp.active);
	SAME(warp.live);
	SAME(warp.reconv);
	SAME(warp.depth);
	SAME(warp.waiting);
	SAME(warp.loose);
	SAME(warp.cycles);
	SAME(warp.preds);
	SAME(warp.bar);
	SAME(warp.bar_mask);
	SAME(warp.bar_pred);
	if (memcmp(a->warp.stack, b->warp.stack, a->warp.depth * sizeof(a->warp.stack[0])))
		fail_msg("seed %llu, %s: the stack differs", seed, what);
	SAME(lanes.budget);
	SAME(lanes.slow);
	SAME(lanes.work);
	SAME(lanes.threads);
	SAME(lanes.segments);
	SAME(lanes.held);
	SAME(memory);
	SAME(shared);
	SAME(local);
}

/* Why both returned */
static void same_end(const struct state *a, const struct state *b, unsigned long long seed, u32 end)
{
	const char *what = "end";

	if (end == VGPU_LANES_BUDGET || end == VGPU_LANES_EXIT || end == VGPU_LANES_BARRIER)
		return;
	SAME(lanes.reason);
	SAME(lanes.address);
	SAME(lanes.bytes);
	SAME(lanes.write);
	SAME(lanes.lane);
	if (end == VGPU_LANES_FAULT)
		return;
	SAME(lanes.accessing);
	SAME(lanes.atomic);
	for (u32 l = 0; l < VGPU_LANES; l++)
		if (a->lanes.accessing >> l & 1)
			SAME(lanes.addr[l]);
	if (end == VGPU_LANES_LOCAL)
		SAME(lanes.window);
}

/* The page is found, or it is not there. As block_access.c. */
static bool serve(struct state *s, bool enter)
{
	u64 number = s->lanes.address >> VGPU_PAGE_SHIFT, first = BASE >> VGPU_PAGE_SHIFT;
	u32 slot;

	if (number < first || number >= first + SPAN)
		return false;
	if (enter)
		set_tlb(s, (u32)(number - first), s->lanes.write);
	/* as walk_pages(): the code goes on by the TLB alone */
	if (enter && s->lanes.one_page)
		return true;
	if (!s->lanes.held)
		s->lanes.hold_used = 0;
	slot = vgpu_lanes_hold_slot(&s->lanes, number);
	s->lanes.held += !(s->lanes.hold_used >> slot & 1);
	s->lanes.hold_used |= 1ull << slot;
	s->lanes.hold[slot] = (struct vgpu_tlb_entry){ number, s->memory[(number - first) % PAGES],
						       s->memory[(number - first) % PAGES] };
	return true;
}

/* Other warps have come to the barrier: as pass() of warps.c. */
static void pass_barrier(struct state *s)
{
	const struct vgpu_insn *bar = &s->warp.bar;

	for (u32 l = 0; l < VGPU_LANES && bar->op == VGPU_OP_BARRED; l++)
		if (s->warp.bar_mask >> l & 1)
			s->regs[bar->dst * VGPU_LANES + l] = s->warp.bar_pred != 0;
}

static void run_both(struct state *a, struct state *b, unsigned long long seed, u32 turns)
{
	for (u32 turn = 0; turn < turns; turn++) {
		u32 budget = below(8) ? 1 + below(20) : 200, end, other;
		bool enter = below(8);

		a->lanes.budget = budget;
		b->lanes.budget = budget;
		for (;;) {
			end = vgpu_lanes_run_avx2(&a->lanes);
			other = b->lanes.native->run(&b->lanes);
			if (end != other) {
				show();
				fail_msg("seed %llu: end %u, native %u at %u and %u", seed, end,
					 other, a->warp.pc, b->warp.pc);
			}
			if (end == VGPU_LANES_BARRIER) {
				pass_barrier(a);
				pass_barrier(b);
			}
			same(a, b, seed, "state");
			same_end(a, b, seed, end);
			spoil_what_is_not_seen(b);
			if (end == VGPU_LANES_LOCAL) {
				for (u32 n = 0; n < 2; n++) {
					a->local_pages[n].memory = a->local[n];
					b->local_pages[n].memory = b->local[n];
				}
			} else if (end != VGPU_LANES_TRANSLATE || !serve(a, enter) ||
				   !serve(b, enter)) {
				break;
			}
		}
		if (end == VGPU_LANES_EXIT || end == VGPU_LANES_FAULT ||
		    end == VGPU_LANES_TRANSLATE)
			return;
		if (below(4) == 0) {
			u32 page = below(SPAN);

			a->tlb[((BASE >> VGPU_PAGE_SHIFT) + page) % VGPU_TLB_ENTRIES].page = ~0ull;
			b->tlb[((BASE >> VGPU_PAGE_SHIFT) + page) % VGPU_TLB_ENTRIES].page = ~0ull;
		}
	}
}

static void run_program(u64 seed)
{
	static struct state a, b;
	const struct vgpu_native_code *native = NULL;

	assert_int_equal(vgpu_native_find(&choice, code, count, cost, 0, &native), 0);
	live = vgpu_live_find(code, count);
	assert_non_null(live);
	for (u32 states = 0; states < 3; states++) {
		make_state(&a);
		memcpy(&b, &a, sizeof(a));
		connect(&a, NULL);
		connect(&b, native);
		run_both(&a, &b, seed, 40);
	}
	vgpu_native_forget();
	free(live);
}

static void one_seed(u64 seed, u32 only)
{
	random_state = seed;
	make_program(only);
	run_program(seed);
}

static u64 from_environment(const char *name, u64 otherwise)
{
	const char *text = getenv(name);

	return text ? strtoull(text, NULL, 10) : otherwise;
}

/* Can this processor execute code for @vectors? */
static bool available(const char *vectors)
{
	char message[200];

	setenv("VGPU_NATIVE", "always", 1);
	setenv("VGPU_VECTORS", vectors, 1);
	if (vgpu_native_configure(&choice, message, sizeof(message))) {
		assert_non_null(strstr(message, "this processor has"));
		return false;
	}
	return choice.mode == VGPU_NATIVE_ALWAYS;
}

static void test_random(void **state)
{
	u64 first = from_environment("TEST_SEED", 1), n = from_environment("TEST_PROGRAMS", 1500);

	if (!available(*state))
		skip();
	for (u64 seed = first; seed < first + n; seed++)
		one_seed(seed, VGPU_OP_COUNT);
}

/* Half of the instructions are of one opcode. */
static void test_each_opcode(void **state)
{
	u64 first = from_environment("TEST_SEED", 1000000),
	    n = from_environment("TEST_PROGRAMS", 1500) / 150;

	if (!available(*state))
		skip();
	for (u32 op = 0; op < VGPU_OP_COUNT; op++)
		for (u64 seed = first; seed < first + n; seed++)
			one_seed(seed * 256 + op, op);
}

static void test_global(void **state)
{
	u64 first = from_environment("TEST_SEED", 2000000),
	    n = from_environment("TEST_PROGRAMS", 1500) / 2;

	if (!available(*state))
		skip();
	for (u64 seed = first; seed < first + n; seed++) {
		random_state = seed;
		make_global_program();
		run_program(seed);
	}
}

/* A shuffle reads what lanes have that are elsewhere, where they cannot read it any more. */
static void test_registers_of_others(void **state)
{
	const struct vgpu_insn start[] = {
		{ .op = VGPU_OP_NOT, .guard = VGPU_PT, .dst = 5, .a = 7 },
		{ .op = VGPU_OP_BRA, .guard = VGPU_PT, .imm = 2 | (u64)VGPU_NO_RECONV << 32 },
		{ .op = VGPU_OP_BRA, .guard = 0, .imm = 5 | (u64)VGPU_NO_RECONV << 32 },
		{ .op = VGPU_OP_NOT, .guard = VGPU_PT, .dst = 5, .a = 8 },
	};

	if (!available(*state))
		skip();
	for (u64 seed = 1; seed <= 300; seed++) {
		random_state = seed;
		memcpy(code, start, sizeof(start));
		count = 8;
		code[4] = one(4, VGPU_OP_SHFL);
		code[4].guard = VGPU_PT;
		code[4].a = 5;
		code[4].dst = 6;
		code[5] = (struct vgpu_insn){ .op = VGPU_OP_ADD, .guard = VGPU_PT, .dst = 9, .a = 6,
					      .b = 6 };
		code[6] = (struct vgpu_insn){ .op = VGPU_OP_STS, .guard = VGPU_PT, .flags = 2,
					      .a = R_ROW, .b = 9 };
		code[7] = (struct vgpu_insn){ .op = VGPU_OP_EXIT, .guard = VGPU_PT };
		run_program(seed);
	}
}

/* Whatever the thread of the host has set is there again. */
static void test_floating_point_state(void **state)
{
	const u32 nearest = 0x1f80, to_zero = 0x7f80;
	const struct vgpu_native_code *native = NULL;
	u32 was, inside;

	if (!available(*state))
		skip();
	random_state = 1;
	make_program(VGPU_OP_COUNT);
	assert_int_equal(vgpu_native_find(&choice, code, count, cost, 0, &native), 0);
	for (u32 n = 0; n < 2; n++) {
		__builtin_ia32_ldmxcsr(n ? to_zero : nearest);
		was = native->begin();
		inside = __builtin_ia32_stmxcsr();
		native->end(was);
		was = __builtin_ia32_stmxcsr();
		__builtin_ia32_ldmxcsr(nearest);
		assert_int_equal(inside, nearest);
		assert_int_equal(was, n ? to_zero : nearest);
	}
	vgpu_native_forget();
}

/* Two devices of a process may differ, and each has the code that it was opened for. */
static void test_two_devices(void **state)
{
	const struct vgpu_native_code *native = NULL, *again = NULL, *other = NULL;
	struct vgpu_native_choice first, none;

	(void)state;
	if (!available("avx2"))
		skip();
	first = choice;
	assert_false(available("none"));
	none = choice;
	random_state = 1;
	make_program(VGPU_OP_COUNT);
	assert_int_equal(vgpu_native_find(&none, code, count, cost, 0, &native), -EOPNOTSUPP);
	assert_int_equal(vgpu_native_find(&first, code, count, cost, 0, &native), 0);
	assert_int_equal(vgpu_native_find(&first, code, count, cost, 0, &again), 0);
	assert_ptr_equal(native, again);
	if (available("avx512")) {
		assert_int_equal(vgpu_native_find(&choice, code, count, cost, 0, &other), 0);
		assert_ptr_not_equal(native, other);
	}
	vgpu_native_forget();
}

static void test_configure(void **state)
{
	char message[200];

	(void)state;
	setenv("VGPU_NATIVE", "fast", 1);
	assert_int_equal(vgpu_native_configure(&choice, message, sizeof(message)), -EINVAL);
	assert_non_null(strstr(message, "VGPU_NATIVE=fast"));
	setenv("VGPU_NATIVE", "off", 1);
	assert_int_equal(vgpu_native_configure(&choice, message, sizeof(message)), 0);
	assert_int_equal(choice.mode, VGPU_NATIVE_OFF);
	setenv("VGPU_NATIVE", "always", 1);
	setenv("VGPU_VECTORS", "mmx", 1);
	assert_int_equal(vgpu_native_configure(&choice, message, sizeof(message)), -EINVAL);
	assert_string_equal(message, "VGPU_VECTORS=mmx: it must be none, avx2 or avx512");
	setenv("VGPU_VECTORS", "none", 1);
	assert_int_equal(vgpu_native_configure(&choice, message, sizeof(message)), 0);
	assert_int_equal(choice.mode, VGPU_NATIVE_OFF);
	unsetenv("VGPU_VECTORS");
}

int main(void)
{
	static char avx2[] = "avx2", avx512[] = "avx512";
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_configure),
		cmocka_unit_test(test_two_devices),
		{ "test_floating_point_state", test_floating_point_state, NULL, NULL, avx512 },
		{ "test_each_opcode", test_each_opcode, NULL, NULL, avx512 },
		{ "test_random", test_random, NULL, NULL, avx512 },
		{ "test_global", test_global, NULL, NULL, avx512 },
		{ "test_registers_of_others", test_registers_of_others, NULL, NULL, avx512 },
		{ "test_each_opcode_avx2", test_each_opcode, NULL, NULL, avx2 },
		{ "test_random_avx2", test_random, NULL, NULL, avx2 },
		{ "test_global_avx2", test_global, NULL, NULL, avx2 },
	};

	for (u32 op = 0; op < VGPU_OP_COUNT; op++)
		cost[op] = (u16)(1 + op * 7);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

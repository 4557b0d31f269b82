// SPDX-License-Identifier: MIT
/*
 * What code does not do itself: the interpreter executes what there is no code for. It gets one
 * instruction, or the rest of the budget if the instruction may count for several, and looks for
 * reconvergence points behind what it executes, as it would have anyway.
 */
#include <stddef.h>

#include "access.h"
#include "run.h"
#include "sm/lanes/stack.h"

#define MXCSR_NEAREST	0x1f80u

static const struct native_kernel *kernel_of(const struct vgpu_lanes *s)
{
	return vgpu_container_of(s->native, struct native_kernel, code);
}

/* Of the budget, how much the interpreter must have for the instruction the warp stands at. */
static u32 share(const struct vgpu_lanes *s, const struct vgpu_warp *w)
{
	const struct vgpu_insn *i = &s->code[w->pc];

	switch (i->op) {
	case VGPU_OP_MATCH:
	case VGPU_OP_MATCHQ:
	case VGPU_OP_MATCHSYNC:
	case VGPU_OP_MATCHSYNCQ:
		return s->budget;
	case VGPU_OP_SHFLSYNC:
	case VGPU_OP_VOTESYNC:
	case VGPU_OP_BALLOTSYNC:
	case VGPU_OP_BARWARP:
	case VGPU_OP_BAR:
	case VGPU_OP_BARRED:
		/* lanes may wait, which counts */
		return i->guard == VGPU_PT && w->active == w->live ? 1 : s->budget;
	}
	return 1;
}

static enum vgpu_lanes_end interpret(struct vgpu_lanes *s, u32 budget)
{
	u32 more = s->budget - budget;
	struct vgpu_warp *w = s->warp;
	bool anywhere = w->waiting || w->loose;
	enum vgpu_lanes_end end;

	s->budget = budget;
	end = kernel_of(s)->interpreter(s);
	s->budget += more;
	/* nobody has looked whether strides hold, or lanes may meet anywhere */
	if (budget > 1 || anywhere || w->waiting || w->loose)
		w->native = NATIVE_PLAIN;
	return end;
}

/* Why one of the functions below had the code left, until one() knows; BUDGET: none did */
static _Thread_local enum vgpu_lanes_end left = VGPU_LANES_BUDGET;

/*
 * The instruction at which the warp stands. Budget and cycles are the code's, which has counted it
 * already, and so are the reconvergence points: it looks for them where they may be.
 */
static enum vgpu_lanes_end run_loop_for_one(struct vgpu_lanes *s)
{
	struct vgpu_warp *w = s->warp;
	u64 cycles = w->cycles, threads = s->threads;
	u32 budget = s->budget, reconv = w->reconv;
	enum vgpu_lanes_end end;

	w->reconv = VGPU_NO_RECONV;
	s->budget = 1;
	end = kernel_of(s)->interpreter(s);
	s->budget = budget;
	w->reconv = reconv;
	w->cycles = cycles;
	s->threads = threads;
	return end;
}

u32 vgpu_native_interpret(struct vgpu_lanes *s, const struct vgpu_insn *i, u32 m)
{
	const struct native_kernel *kernel = kernel_of(s);
	enum vgpu_lanes_end end;

	s->warp->pc = (u32)(i - kernel->insns);
	end = kernel->one(s, i, m);
	if (likely(end == VGPU_LANES_BUDGET))
		return 0;
	if (end == VGPU_LANES_OTHER)
		end = run_loop_for_one(s);
	left = end;
	return end != VGPU_LANES_BUDGET;
}

typedef u64 pair __attribute__((vector_size(16)));
_Static_assert(offsetof(struct vgpu_lanes, addr) % sizeof(pair) == 0, "it is aligned");

u32 vgpu_native_absent(struct vgpu_lanes *s, const struct vgpu_insn *i, u32 m)
{
	const pair *from = (const pair *)(s->warp->regs + i->a * VGPU_LANES);
	pair *to = (pair *)s->addr, imm = { i->imm, i->imm };
	u32 lane = (u32)__builtin_ctz(m);

	for (u32 n = 0; n < VGPU_LANES / 2; n++)
		to[n] = i->flags & VGPU_F_ABS ? imm : from[n] + imm;
	/* no global memory: the interpreter says what is wrong */
	if (s->addr[lane] >= VGPU_ADDRESS_LIMIT)
		return 1;
	vgpu_native_says_missing(s, i, m, lane, true);
	left = VGPU_LANES_TRANSLATE;
	return 1;
}

/* Some lanes take the branch at which the warp stands. */
static enum vgpu_lanes_end diverge_here(struct vgpu_lanes *s, struct vgpu_warp *w)
{
	const struct vgpu_insn *i = &s->code[w->pc];
	u32 guard = w->preds[i->guard & 63] ^ (0u - (i->guard >> 6 & 1u)), m = w->active & guard;

	/* lanes that may wait for others; or it says what is wrong */
	if (i->flags || !diverge(w, i, m))
		return interpret(s, 1);
	s->budget--;
	s->threads += vgpu_native_count(m);
	w->cycles += s->cost[i->op];
	return VGPU_LANES_BUDGET;
}

/* Some lanes, or all of those that are left of the running entry, exit. */
static enum vgpu_lanes_end exit_here(struct vgpu_lanes *s, struct vgpu_warp *w)
{
	const struct vgpu_insn *i = &s->code[w->pc];
	u32 guard = w->preds[i->guard & 63] ^ (0u - (i->guard >> 6 & 1u)), m = w->active & guard;

	if (w->waiting)
		return interpret(s, 1);
	s->budget--;
	s->threads += vgpu_native_count(m);
	w->cycles += s->cost[i->op];
	w->live &= ~m;
	w->active &= ~m;
	if (w->active) {
		w->pc++;
		return VGPU_LANES_BUDGET;
	}
	return reconv_next(w) ? VGPU_LANES_BUDGET : VGPU_LANES_EXIT;
}

static bool is_global_access(const struct vgpu_insn *i)
{
	return (i->op == VGPU_OP_LDG || i->op == VGPU_OP_STG || i->op == VGPU_OP_LD ||
		i->op == VGPU_OP_ST) &&
	       i->guard == VGPU_PT;
}

/*
 * With some budget: the access at which the warp stands is restarted. What it had to wait for is
 * held for it; mostly it is in the TLB as well, and the access needs nothing else.
 */
static enum vgpu_lanes_end again(struct vgpu_lanes *s, struct vgpu_warp *w,
				 const struct native_kernel *kernel)
{
	const struct vgpu_insn *i = &s->code[w->pc];
	native_access *access;

	if (w->pc == w->reconv || !is_global_access(i))
		return interpret(s, share(s, w));
	if (kernel->vectors != VGPU_VECTORS_AVX512)
		return interpret(s, 1);
	access = vgpu_native_access(i);
	if (!access || access(s, i, w->active))
		return interpret(s, 1);
	s->held = 0;
	s->budget--;
	s->threads += vgpu_native_count(w->active);
	w->cycles += s->cost[i->op];
	w->pc++;
	return VGPU_LANES_BUDGET;
}

/* The warp stands at what native code has left, with some budget. */
static enum vgpu_lanes_end one(struct vgpu_lanes *s, struct vgpu_warp *w,
			       const struct native_kernel *kernel)
{
	const struct vgpu_insn *i = &s->code[w->pc];

	if (left != VGPU_LANES_BUDGET) {
		enum vgpu_lanes_end end = left;

		left = VGPU_LANES_BUDGET;
		return end;
	}
	if (kernel->vectors == VGPU_VECTORS_AVX512 && is_global_access(i) &&
	    vgpu_native_missing(s, i, w->active))
		return VGPU_LANES_TRANSLATE;
	switch (i->op) {
	case VGPU_OP_BRA:
		return diverge_here(s, w);
	case VGPU_OP_EXIT:
		return exit_here(s, w);
	}
	return interpret(s, share(s, w));
}

/*
 * Which code @w goes on with. That for strides it gets before its first instruction or never: else
 * nobody has looked whether they hold.
 */
static u32 path_of(const struct native_kernel *kernel, const struct vgpu_lanes *s,
		   const struct vgpu_warp *w)
{
	const u32 *block = s->launch->block;
	bool rows = block[0] % VGPU_LANES == 0 || (block[1] == 1 && block[2] == 1);

	return kernel->strided && !w->pc && rows ? NATIVE_STRIDES : NATIVE_PLAIN;
}

/* @w goes on with what is next on its stack. */
static enum vgpu_lanes_end meet(struct vgpu_lanes *s, struct vgpu_warp *w)
{
	if (unlikely(w->waiting))
		return interpret(s, 0);
	return reconv_next(w) ? VGPU_LANES_BUDGET : VGPU_LANES_EXIT;
}

/* BUDGET, with some left: the warp goes on. */
static enum vgpu_lanes_end stopped(struct vgpu_lanes *s, struct vgpu_warp *w, enum native_stop why)
{
	const struct native_kernel *kernel = kernel_of(s);

	switch (why) {
	case STOP_NOT:
		if (!w->native)
			w->native = path_of(kernel, s, w);
		if (!s->held)
			return VGPU_LANES_BUDGET;
		return s->budget ? again(s, w, kernel) : interpret(s, 0);
	case STOP_HERE:
		return s->budget ? one(s, w, kernel) : VGPU_LANES_BUDGET;
	case STOP_BARRIER:
		w->bar = s->code[w->pc - 1];
		w->bar_mask = w->active;
		w->bar_pred = w->preds[w->bar.a & 63] & w->active;
		return VGPU_LANES_BARRIER;
	default:
		return VGPU_LANES_BUDGET;
	}
}

u32 vgpu_native_go_on(struct vgpu_lanes *s, u32 why)
{
	struct vgpu_warp *w = s->warp;
	enum vgpu_lanes_end end = stopped(s, w, (enum native_stop)why);

	while (end == VGPU_LANES_BUDGET) {
		/* a reconvergence point comes before the end of the budget */
		if (!s->budget)
			return w->pc == w->reconv ? interpret(s, 0) : VGPU_LANES_BUDGET;
		if (w->pc != w->reconv)
			return NATIVE_ENTER;
		end = meet(s, w);
	}
	return end;
}

u32 vgpu_native_count(u32 lanes)
{
	return (u32)__builtin_popcount(lanes);
}

/* Code is for this state; to read it takes as long as several instructions of a warp. */
u32 vgpu_native_begin(void)
{
	u32 was = __builtin_ia32_stmxcsr();

	if (unlikely(was != MXCSR_NEAREST))
		__builtin_ia32_ldmxcsr(MXCSR_NEAREST);
	return was;
}

void vgpu_native_end(u32 was)
{
	if (unlikely(was != MXCSR_NEAREST))
		__builtin_ia32_ldmxcsr(was);
}

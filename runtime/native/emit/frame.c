// SPDX-License-Identifier: MIT
/*
 * Where the code of a kernel begins and ends: vgpu_native_code.run(). It goes on with a warp where
 * that stands, as long as there is code for it and the budget lasts. What it cannot do itself, and
 * what comes between two stretches of code, is done in C, by vgpu_native_go_on() (run.c).
 */
#include <stddef.h>

#include "run.h"

#define WARP(field)	at(RBP, (int32_t)offsetof(struct vgpu_warp, field))
#define LANES(field)	at(RBX, (int32_t)offsetof(struct vgpu_lanes, field))
#define LAUNCH(field)	at(RAX, (int32_t)offsetof(struct vgpu_launch, field))

static const u8 saved[] = { RBX, RBP, R12, R13, R14, R15 };

static void save(struct translation *t)
{
	struct x86 *x = &t->x;

	for (u32 n = 0; n < sizeof(saved); n++)
		x86_push(x, saved[n]);
	if (!x->small) {
		x86_ri(x, true, 5, RSP, FRAME);
		return;
	}
	x86_rr(x, true, X_LOAD, RAX, RSP);
	x86_ri(x, true, 5, RSP, X86_SMALL_FRAME);
	x86_ri(x, true, 4, RSP, -64);
	x86_rm(x, true, X_STORE, RAX, at(RSP, WAS));
}

/* Return what is in eax. */
static void restore_and_return(struct translation *t)
{
	struct x86 *x = &t->x;

	x86_vzeroupper(x);
	if (x->small)
		x86_rm(x, true, X_LOAD, RSP, at(RSP, WAS));
	else
		x86_ri(x, true, 0, RSP, FRAME);
	for (u32 n = sizeof(saved); n-- > 0;)
		x86_pop(x, saved[n]);
	x86_byte(x, 0xc3);
}

/*
 * A warp that is executed by code for the first time, where it is simple to say by which: before
 * its first instruction, in a block with rows of whole warps. Else @ask.
 */
static void choose_path(struct translation *t, x86_label ask)
{
	struct x86 *x = &t->x;
	x86_label chosen = x86_new_label(x);

	x86_mi(x, false, 7, WARP(native), NATIVE_NOT_YET);
	x86_jump_if(x, CC_NE, chosen);
	x86_mi(x, false, 7, WARP(pc), 0);
	x86_jump_if(x, CC_NE, ask);
	x86_rm(x, true, X_LOAD, RAX, LANES(launch));
	x86_rm(x, false, X_LOAD, RAX, LAUNCH(block));
	x86_test(x, RAX, VGPU_LANES - 1);
	x86_jump_if(x, CC_NE, ask);
	x86_store_imm(x, false, WARP(native), t->strides ? NATIVE_STRIDES : NATIVE_PLAIN);
	x86_here(x, chosen);
}

/* r12d: active lanes; some are not. */
static void prepare_masks(struct translation *t)
{
	struct x86 *x = &t->x;

	if (x->small == &x86_sse2) {
		/* there may be no instruction for it */
		x86_rr(x, false, X_LOAD, RDI, R12);
		x86_call_c(x, (u64)(uintptr_t)vgpu_native_count);
		x86_rr(x, false, X_LOAD, RAX, RAX);	/* 32 bits are the result */
	} else {
		x86_popcnt(x, RAX, R12);
	}
	x86_rm(x, true, X_STORE, RAX, at(RSP, ACTIVE));
	x86_rr(x, false, X_LOAD, RAX, R12);
	x86_not(x, RAX);
	x86_rm(x, false, X_STORE, RAX, at(RSP, INACTIVE));
	x86_rr(x, false, X_LOWEST, RAX, R12);
	x86_rr(x, false, X_HIGHEST, RCX, R12);
	x86_rr(x, false, X_SUB, RCX, RAX);
	x86_shift(x, false, 4, RAX, 2);
	x86_shift(x, false, 4, RCX, 2);
	x86_rm(x, false, X_STORE, RAX, at(RSP, LOWEST));
	x86_rm(x, false, X_STORE, RCX, at(RSP, SPREAD));
	tr_load_masks(t);
}

/* Go on at instruction ecx, by code for @masked or all lanes, and for strides or none. */
static void enter(struct translation *t, const u32 *entries, u32 masked, x86_label begin)
{
	struct x86 *x = &t->x;
	const u32 *plain = entries + (size_t)masked * t->count;
	x86_label chosen = x86_new_label(x);

	x86_mov_ri(x, RDX, (u64)(uintptr_t)plain);
	if (t->strides) {
		x86_mi(x, false, 7, WARP(native), NATIVE_STRIDES);
		x86_jump_if(x, CC_NE, chosen);
		x86_mov_ri(x, RDX, (u64)(uintptr_t)(plain + 2 * (size_t)t->count));
		x86_here(x, chosen);
	}
	x86_shift(x, true, 4, RCX, 2);
	x86_rr(x, true, X_ADD, RDX, RCX);
	x86_rm(x, false, X_LOAD, RDX, at(RDX, 0));
	x86_rm(x, true, X_LEA, RAX, at_label(begin));
	x86_rr(x, true, X_ADD, RAX, RDX);
	x86_jump_reg(x, RAX);
}

/* What code has used and counted goes to where others look for it. Keeps all registers but rcx. */
static void settle(struct translation *t)
{
	struct x86 *x = &t->x;

	x86_rm(x, false, X_STORE, R15, LANES(budget));
	x86_rm(x, true, X_STORE, R13, WARP(cycles));
	x86_rm(x, false, X_LOAD, RCX, at(RSP, BUDGET));
	x86_rr(x, false, X_SUB, RCX, R15);
	x86_rm(x, true, X_MULTIPLY, RCX, at(RSP, ACTIVE));
	x86_rm(x, true, X_SUB, RCX, at(RSP, LOST));
	x86_rm(x, true, X_ADD_TO, RCX, LANES(threads));
}

/* The code of segments jumps to @t->leave, or to leave_done with why in eax. */
static void leave(struct translation *t, x86_label ask, x86_label back)
{
	struct x86 *x = &t->x;

	x86_here(x, t->leave);
	x86_ri(x, false, 0, R15, 1);
	x86_mov_ri(x, RAX, STOP_HERE);
	x86_here(x, t->leave_done);
	settle(t);
	x86_ri(x, false, 7, RAX, STOP_EXIT);
	x86_jump_if(x, CC_NE, ask);
	x86_not(x, R12);
	x86_rm(x, false, X_AND_TO, R12, WARP(live));
	x86_store_imm(x, false, WARP(active), 0);
	x86_mov_ri(x, RAX, VGPU_LANES_EXIT);
	x86_here(x, back);
	restore_and_return(t);
}

/*
 * The code of segments jumps to @t->fewer, behind a branch that the lanes in ecx have executed:
 * those in eax go on, at w->pc.
 */
static void fewer(struct translation *t, x86_label go_on)
{
	struct x86 *x = &t->x;

	x86_here(x, t->fewer);
	x86_rm(x, false, X_STORE, RAX, WARP(active));
	x86_popcnt(x, RCX, RCX);
	x86_rm(x, true, X_LOAD, RDX, at(RSP, ACTIVE));
	x86_rr(x, true, X_SUB, RDX, RCX);
	x86_rm(x, true, X_ADD_TO, RDX, at(RSP, LOST));
	settle(t);
	x86_jump(x, go_on);
}

void tr_frame(struct translation *t, const u32 *entries)
{
	struct x86 *x = &t->x;
	x86_label begin = x86_new_label(x), go_on = x86_new_label(x), ask = x86_new_label(x),
		  ask_first = x86_new_label(x), masked = x86_new_label(x),
		  back = x86_new_label(x);

	x86_here(x, begin);
	save(t);
	x86_rr(x, true, X_LOAD, RBX, RDI);
	x86_rm(x, true, X_LOAD, RBP, LANES(warp));
	choose_path(t, ask_first);
	x86_mi(x, false, 7, LANES(held), 0);
	x86_jump_if(x, CC_NE, ask_first);

	x86_here(x, go_on);
	x86_rm(x, false, X_LOAD, R15, LANES(budget));
	x86_rr(x, false, X_TEST, R15, R15);
	x86_jump_if(x, CC_E, ask_first);
	x86_rm(x, false, X_LOAD, RCX, WARP(pc));
	x86_rm(x, false, X_CMP, RCX, WARP(reconv));
	x86_jump_if(x, CC_E, ask_first);
	x86_rm(x, false, X_STORE, R15, at(RSP, BUDGET));
	x86_rm(x, false, X_LOAD, R12, WARP(active));
	x86_rm(x, true, X_LOAD, R13, WARP(cycles));
	x86_rm(x, true, X_LOAD, R14, WARP(regs));
	x86_ri(x, true, 0, R14, BIAS);
	x86_store_imm(x, true, at(RSP, LOST), 0);
	for (u32 n = 0; n < t->shape_count; n++)
		x86_store_imm(x, false, at(RSP, SHAPES + 32 * (int32_t)n), 0);
	x86_ri(x, false, 7, R12, -1);
	x86_jump_if(x, CC_NE, masked);
	x86_store_imm(x, true, at(RSP, ACTIVE), VGPU_LANES);
	enter(t, entries, 0, begin);

	leave(t, ask, back);
	if (x->small != &x86_sse2)
		fewer(t, go_on);

	x86_here(x, masked);
	prepare_masks(t);
	x86_rm(x, false, X_LOAD, RCX, WARP(pc));
	enter(t, entries, 1, begin);
	x86_here(x, ask_first);
	x86_mov_ri(x, RAX, STOP_NOT);
	x86_here(x, ask);
	x86_rr(x, true, X_LOAD, RDI, RBX);
	x86_rr(x, false, X_LOAD, RSI, RAX);
	x86_call_c(x, (u64)(uintptr_t)vgpu_native_go_on);
	x86_ri(x, false, 7, RAX, (int32_t)NATIVE_ENTER);
	x86_jump_if(x, CC_E, go_on);
	x86_jump(x, back);
}

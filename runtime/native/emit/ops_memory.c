// SPDX-License-Identifier: MIT
/*
 * Loads and stores, and what else is not computed in vectors alone. What is common of global,
 * shared and local memory is in ops_global.c, ops_shared.c and ops_local.c; the rest are calls
 * (access.h), and what those cannot do the interpreter does.
 */
#include <stddef.h>

#include "access.h"
#include "translate.h"

#define LANES(field)	at(RBX, (int32_t)offsetof(struct vgpu_lanes, field))

/* rax = f(lanes, the instruction, edx) */
static void call_for(struct translation *t, const struct vgpu_insn *i, native_access *f)
{
	struct x86 *x = &t->x;

	x86_rr(x, true, X_LOAD, RDI, RBX);
	x86_mov_ri(x, RSI, (u64)(uintptr_t)i);
	x86_call_c(x, (u64)(uintptr_t)f);
	if (t->masked && !x->small)
		tr_load_masks(t);
}

/* rax = f(lanes, the instruction, active lanes) */
void tr_call(struct translation *t, const struct vgpu_insn *i, native_access *f)
{
	x86_rr(&t->x, false, X_LOAD, RDX, R12);
	call_for(t, i, f);
}

void tr_call_instead(struct translation *t, const struct later *l, native_access *f)
{
	tr_store_at(t, l->left, l->index);
	x86_rr(&t->x, false, X_LOAD, RDX, R12);
	if (tr_unmasked(t))
		x86_mov_ri(&t->x, RDX, ~0u);
	call_for(t, &t->code[l->index], f);
	tr_load_at(t, l->returned);
}

/* What is live is in memory; nothing is cached behind it. */
static void call_here(struct translation *t, const struct vgpu_insn *i, native_access *f)
{
	tr_store(t, t->index);
	tr_call(t, i, f);
	tr_forget(t);
}

/* What tr_call_later() does when what is live is in memory */
void tr_call_and_load(struct translation *t, const struct later *l)
{
	const struct vgpu_insn *i = &t->code[l->index];

	tr_call(t, i, t->x.small ? vgpu_native_interpret : vgpu_native_access(i));
	x86_rr(&t->x, false, X_TEST, RAX, RAX);
	x86_jump_if(&t->x, CC_NE, tr_exit_complete(t, l->index));
	tr_load_at(t, l->returned);
}

void tr_call_later(struct translation *t, const struct later *l)
{
	tr_store_at(t, l->left, l->index);
	tr_call_and_load(t, l);
}

/* ---- offsets in shared and local memory that are known from one lane's --------------- */

s32 tr_known_stride(const struct translation *t, const struct vgpu_insn *i)
{
	if (i->flags & VGPU_F_ABS)
		return 0;
	return tr_in_all_lanes(t) ? tr_stride_of_a(t) : STRIDE_NONE;
}

void tr_find_offset(struct translation *t, const struct vgpu_insn *i, u32 align, u32 bytes,
		    struct x86_mem limit, struct later *l)
{
	struct x86 *x = &t->x;

	if (i->flags & VGPU_F_ABS) {
		tr_leaves(t, l);
		x86_mov_ri(x, RSI, (u32)i->imm);
	} else {
		if (x->small)
			x86_rm(x, false, X_LOAD, RSI, chunk_mem(chunk(i->a, 0)));
		else
			x86_v_to(x, RSI, tr_use(t, chunk(i->a, 0)));
		tr_begin(t);
		tr_leaves(t, l);
		x86_ri(x, false, 0, RSI, (int32_t)(u32)i->imm);
	}
	if (align > 1) {
		x86_test(x, RSI, align - 1);
		x86_jump_if(x, CC_NE, l->here);
	}
	x86_rm(x, false, X_LOAD, RCX, limit);
	x86_ri(x, false, 5, RCX, (int32_t)bytes);
	x86_jump_if(x, CC_B, l->here);
	x86_rr(x, false, X_CMP, RSI, RCX);
	x86_jump_if(x, CC_A, l->here);
}

/* ---- elements whose places are known ---------------------------------------------- */

/* Lanes are a row of elements, or all at one place, and that is a load. */
bool tr_has_code(const struct translation *t, const struct vgpu_insn *i, s32 stride)
{
	bool load = i->op == VGPU_OP_LDG || i->op == VGPU_OP_LDS;
	u32 size = VGPU_F_SIZE(i->flags), count = VGPU_F_COUNT(i->flags);

	if (!stride)
		return load && (size >= 4 || count == 1);
	/* SSE2 cannot widen elements of less than a word, nor AVX2 narrow them */
	return stride == (s32)size && count == 1 &&
	       (size >= 4 || !t->x.small || (load && t->x.small == &x86_avx2));
}

static void load_place(struct translation *t, const struct vgpu_insn *i, u32 size, u32 count)
{
	bool wide = size == 8, is_signed = i->flags & VGPU_F_SEXT;
	u32 parts = tr_parts(t, wide);
	struct x86 *x = &t->x;

	if (size < 4)
		x86_rm(x, false,
		       size == 1 ? (is_signed ? X_MOVSX8 : X_MOVZX8) :
				   (is_signed ? X_MOVSX16 : X_MOVZX16),
		       RCX, at(RSI, 0));
	for (u32 n = 0; n < count; n++) {
		u8 d[4];

		for (u32 p = 0; p < parts; p++) {
			d[p] = tr_fresh(t);
			if (size < 4)
				x86_v(x, V_BROAD_GPR, d[p], 0, RCX, 0);
			else
				x86_vm(x, wide ? V_BROADQ : V_BROAD, d[p], 0,
				       at(RSI, (int32_t)(n * size)), 0);
		}
		tr_results_of(t, d, parts, i->dst + n * (wide ? 2 : 1), wide);
		tr_begin(t);
	}
}

/* What loads the elements of a row into a vector, wherever it is */
static u32 load_of_row(u32 size, bool is_signed)
{
	switch (size) {
	case 1: return is_signed ? V_SX8 : V_ZX8;
	case 2: return is_signed ? V_SX16 : V_ZX16;
	}
	return V_LOAD_ANY;
}

/* Part @part of a row at rsi */
static struct x86_mem row_mem(u32 size, u32 part)
{
	return at(RSI, (int32_t)(size * VGPU_LANES / parts_of(size == 8) * part));
}

void tr_load_here(struct translation *t, const struct vgpu_insn *i, s32 stride)
{
	u32 size = VGPU_F_SIZE(i->flags);
	bool wide = size == 8;
	u8 d[4];

	if (!stride) {
		load_place(t, i, size, VGPU_F_COUNT(i->flags));
		return;
	}
	for (u32 p = 0; p < parts_of(wide); p++) {
		d[p] = tr_fresh(t);
		x86_vm(&t->x, load_of_row(size, i->flags & VGPU_F_SEXT), d[p], 0,
		       row_mem(size, p), 0);
	}
	tr_results(t, d, i->dst, wide);
}

void tr_store_row(struct translation *t, const struct vgpu_insn *i)
{
	u32 size = VGPU_F_SIZE(i->flags), mask = t->masked ? V_MASK(7) : 0;
	bool wide = size == 8;
	u32 op = size == 1 ? V_TO8 : size == 2 ? V_TO16 : wide && mask ? V_STORE_ANYQ : V_STORE_ANY;

	for (u32 p = 0; p < parts_of(wide); p++) {
		u8 b = tr_use(t, chunk(i->b, p));

		if (mask)
			x86_k_not(&t->x, 7, (u8)((wide ? 3 : 1) + p));
		x86_vm(&t->x, op, b, 0, row_mem(size, p), mask);
	}
}

void tr_store_one(struct translation *t, const struct vgpu_insn *i)
{
	u32 size = VGPU_F_SIZE(i->flags), lane_bytes = size == 8 ? 8 : 4;
	int32_t from = (int32_t)(i->b * VGPU_LANES * 4) - BIAS;
	struct x86 *x = &t->x;

	if (t->masked) {
		x86_rr(x, false, X_HIGHEST, RAX, R12);
		x86_shift(x, false, 4, RAX, (u8)__builtin_ctz(lane_bytes));
		x86_rr(x, true, X_ADD, RAX, R14);
		x86_rm(x, size == 8, X_LOAD, RAX, at(RAX, from));
	} else {
		from += (int32_t)((VGPU_LANES - 1) * lane_bytes);
		x86_rm(x, size == 8, X_LOAD, RAX, at(R14, from));
	}
	if (size == 2)
		x86_byte(x, X_16_BITS);
	x86_rm(x, size == 8, size == 1 ? X_STORE8 : X_STORE, RAX, at(RSI, 0));
}

static void parameter(struct translation *t, const struct vgpu_insn *i)
{
	u32 size = VGPU_F_SIZE(i->flags), count = VGPU_F_COUNT(i->flags);
	u32 parts = tr_parts(t, size == 8);
	struct x86 *x = &t->x;

	x86_rm(x, true, X_LOAD, RAX, LANES(params));
	for (u32 n = 0; n < count; n++) {
		struct x86_mem m = at(RAX, (int32_t)((u32)i->imm + n * size));
		u32 reg = i->dst + n * (size == 8 ? 2 : 1);
		u8 d[4];

		tr_begin(t);
		if (size < 4)
			x86_rm(x, false,
			       size == 1 ? (i->flags & VGPU_F_SEXT ? X_MOVSX8 : X_MOVZX8) :
					   (i->flags & VGPU_F_SEXT ? X_MOVSX16 : X_MOVZX16),
			       RCX, m);
		for (u32 p = 0; p < parts; p++) {
			d[p] = tr_fresh(t);
			if (size < 4)
				x86_v(x, V_BROAD_GPR, d[p], 0, RCX, 0);
			else
				x86_vm(x, size == 8 ? V_BROADQ : V_BROAD, d[p], 0, m, 0);
		}
		tr_results_of(t, d, parts, reg, size == 8);
	}
}

/* ---- the index of a thread -------------------------------------------------------- */

static native_access *small_function(const struct translation *t, const struct vgpu_insn *i)
{
	return t->x.small == &x86_avx2 ? vgpu_native_small_avx2(i) : vgpu_native_small_sse2(i);
}

static void call_thread_index(struct translation *t, const struct later *l)
{
	const struct vgpu_insn *i = &t->code[l->index];

	tr_call_instead(t, l, t->x.small ? small_function(t, i) : vgpu_native_thread_index);
}

struct x86_mem tr_lane_numbers(struct translation *t, u32 half)
{
	u64 two = (16ull * half + 1) << 32 | 16 * half;

	return at_label(x86_row(&t->x, two, 2ull << 32 | 2));
}

/* In a block of one row it is the lane's number in the block. */
static void thread_index(struct translation *t, const struct vgpu_insn *i)
{
	struct later *l = tr_later(t, call_thread_index);
	u32 parts = tr_parts(t, false);
	struct x86 *x = &t->x;
	u8 d[2];

	for (u32 p = 0; p < parts; p++)
		d[p] = tr_fresh(t);
	tr_leaves(t, l);
	x86_rm(x, true, X_LOAD, RAX, LANES(launch));
	x86_rm(x, false, X_LOAD, RCX, at(RAX, (int32_t)offsetof(struct vgpu_launch, block)));
	x86_rm(x, false, X_CMP, RCX, at(RAX, (int32_t)offsetof(struct vgpu_launch, threads)));
	x86_jump_if(x, CC_B, l->here);
	if (i->imm == VGPU_SR_TID_X) {
		x86_rm(x, false, X_LOAD, RAX, at(RBP, (int32_t)offsetof(struct vgpu_warp, index)));
		x86_shift(x, false, 4, RAX, 5);
		x86_v(x, V_BROAD_GPR, 0, 0, RAX, 0);
	}
	for (u32 p = 0; p < parts; p++) {
		if (i->imm == VGPU_SR_TID_X)
			x86_vm(x, V_ADD, d[p], 0, tr_lane_numbers(t, p), 0);
		else
			x86_v(x, V_XOR, d[p], d[p], d[p], 0);
	}
	tr_results_of(t, d, parts, i->dst, false);
	tr_back(t, l);
}

static bool by_members(const struct vgpu_insn *i)
{
	return i->op == VGPU_OP_SHFLSYNC || i->op == VGPU_OP_VOTESYNC ||
	       i->op == VGPU_OP_BALLOTSYNC || i->op == VGPU_OP_BARWARP;
}

void tr_check_members(struct translation *t, const struct vgpu_insn *i)
{
	if (!t->masked || !by_members(i))
		return;
	x86_rm(&t->x, false, X_CMP, R12, at(RBP, (int32_t)offsetof(struct vgpu_warp, live)));
	x86_jump_if(&t->x, CC_NE, tr_exit(t));
}

/*
 * Not what asks for the time, stops the warp or changes which lanes are active, or may have to wait
 * for lanes.
 */
static bool is_one_step(const struct vgpu_insn *i)
{
	switch (i->op) {
	case VGPU_OP_SREG:
	case VGPU_OP_SREGQ:
	case VGPU_OP_NOP:
	case VGPU_OP_BRA:
	case VGPU_OP_EXIT:
	case VGPU_OP_TRAP:
	case VGPU_OP_BAR:
	case VGPU_OP_BARRED:
	case VGPU_OP_MATCH:
	case VGPU_OP_MATCHQ:
	case VGPU_OP_MATCHSYNC:
	case VGPU_OP_MATCHSYNCQ:
	case VGPU_OP_BARWARP:
		return false;
	case VGPU_OP_SHFLSYNC:
		return VGPU_SHFL_MASK(i->imm) == VGPU_SHFL_FULL;
	case VGPU_OP_VOTESYNC:
	case VGPU_OP_BALLOTSYNC:
		return i->flags & VGPU_F_IMM;
	}
	return true;
}

static bool is_plain_fma(const struct translation *t, const struct vgpu_insn *i)
{
	return t->x.small == &x86_sse2 && i->op == VGPU_OP_FFMA &&
	       !(i->flags & (VGPU_F_FTZ | VGPU_F_SAT)) && !VGPU_F_RND(i->flags);
}

bool tr_call_interpreter(struct translation *t, const struct vgpu_insn *i)
{
	if (!is_one_step(i))
		return false;
	tr_check_members(t, i);
	call_here(t, i, is_plain_fma(t, i) ? vgpu_native_fma_sse2 : vgpu_native_interpret);
	x86_rr(&t->x, false, X_TEST, RAX, RAX);
	x86_jump_if(&t->x, CC_NE, tr_exit(t));
	return true;
}

bool tr_memory(struct translation *t, const struct vgpu_insn *i)
{
	bool done = false;
	native_access *f;

	switch (i->op) {
	case VGPU_OP_LDP:
		parameter(t, i);
		return true;
	case VGPU_OP_SREG:
		if (i->imm > VGPU_SR_TID_Z)
			return false;
		thread_index(t, i);
		return true;
	case VGPU_OP_LDG:
		done = tr_global_load(t, i);
		break;
	case VGPU_OP_STG:
		done = tr_global_store(t, i);
		break;
	case VGPU_OP_LDS:
		done = tr_shared_load(t, i);
		break;
	case VGPU_OP_STS:
		done = tr_shared_store(t, i);
		break;
	case VGPU_OP_LDL:
	case VGPU_OP_STL:
		done = tr_local(t, i);
		break;
	}
	if (done)
		return true;
	f = t->x.small ? small_function(t, i) : vgpu_native_access(i);
	if (f) {
		call_here(t, i, f);
		x86_rr(&t->x, false, X_TEST, RAX, RAX);
		x86_jump_if(&t->x, CC_NE, tr_exit(t));
		return true;
	}
	if (t->x.small)
		return is_one_step(i) && tr_shuffle(t, i);
	f = vgpu_native_rare(i);
	if (!f)
		return false;
	if (!tr_shuffle(t, i)) {
		tr_check_members(t, i);
		call_here(t, i, f);
	}
	return true;
}

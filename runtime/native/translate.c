// SPDX-License-Identifier: MIT
/*
 * The frame of a kernel's code: segments, branches, where it is entered and left.
 *
 * A segment is a stretch of instructions that is entered at its beginning. The cycles of all are
 * added there, and what is left of them taken off where it is left before its end. Before each
 * instruction stands the look at the budget. The whole is emitted twice, for warps with all lanes
 * active and for others. Behind each segment lie the ways in and out of its instructions (ways.c).
 */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "translate.h"

#define LARGEST	20000u		/* instructions: beyond that the interpreter serves */

#define WARP(field)	at(RBP, (int32_t)offsetof(struct vgpu_warp, field))
#define LANES(field)	at(RBX, (int32_t)offsetof(struct vgpu_lanes, field))

static struct x86_mem pred_mem(u32 p, u32 byte)
{
	return at(RBP, (int32_t)(offsetof(struct vgpu_warp, preds) + 4 * (p & 63) + byte));
}

/* ---- what instructions share ------------------------------------------------ */

void tr_splat(struct translation *t, u8 to, u64 value, bool wide)
{
	x86_vm(&t->x, wide ? V_BROADQ : V_BROAD, to, 0, at_label(x86_constant(&t->x, value)), 0);
}

u8 tr_b(struct translation *t, const struct vgpu_insn *i, u32 part, bool wide, u8 temp)
{
	if (!(i->flags & VGPU_F_IMM))
		return tr_use(t, chunk(i->b, part));
	tr_splat(t, temp, wide ? i->imm : (u32)i->imm, wide);
	return temp;
}

void tr_with_b(struct translation *t, u32 op, u8 d, u8 a, const struct vgpu_insn *i, u32 part,
	       bool wide, u32 options)
{
	if (i->flags & VGPU_F_IMM)
		x86_vm(&t->x, op, d, a,
		       at_label(x86_constant(&t->x, wide ? i->imm : (u32)i->imm)),
		       options | V_BROADCAST);
	else
		x86_v(&t->x, op, d, a, tr_use(t, chunk(i->b, part)), options);
}

void tr_pred(struct translation *t, u32 p, u32 part, bool wide)
{
	x86_k_load(&t->x, 7, pred_mem(p, wide ? part : 2 * part), wide ? 1 : 2);
	if (p & VGPU_P_NOT)
		x86_k_not(&t->x, 7, 7);
}

void tr_set_pred(struct translation *t, u32 p)
{
	struct x86 *x = &t->x;

	if (p == VGPU_PT)
		return;
	if (t->masked) {
		/* (old & ~active) | (eax & active) = old ^ ((old ^ eax) & active) */
		x86_rm(x, false, X_LOAD, RCX, pred_mem(p, 0));
		x86_rr(x, false, X_XOR, RAX, RCX);
		x86_rr(x, false, X_AND, RAX, R12);
		x86_rr(x, false, X_XOR, RAX, RCX);
	}
	x86_rm(x, false, X_STORE, RAX, pred_mem(p, 0));
}

void tr_interpret(struct translation *t)
{
	x86_jump(&t->x, tr_exit(t));
	tr_forget(t);
}

void tr_load_masks(struct translation *t)
{
	x86_k_load(&t->x, 1, at(RSP, INACTIVE), 2);
	x86_k_load(&t->x, 2, at(RSP, INACTIVE + 2), 2);
	for (u8 n = 0; n < 4; n++)
		x86_k_load(&t->x, (u8)(3 + n), at(RSP, INACTIVE + n), 1);
}

int32_t tr_shape(struct translation *t, u32 reg)
{
	for (u32 n = 0; n < t->shape_count; n++)
		if (t->shape_reg[n] == reg)
			return SHAPES + 32 * (int32_t)n;
	return 0;
}

/* ---- control ---------------------------------------------------------------- */

/* eax = the lanes of the guard, all lanes: not only active ones */
static void load_guard(struct translation *t, u32 guard)
{
	x86_rm(&t->x, false, X_LOAD, RAX, pred_mem(guard, 0));
	if (guard & VGPU_P_NOT)
		x86_not(&t->x, RAX);
	if (t->masked)
		x86_rr(&t->x, false, X_AND, RAX, R12);
}

/* No lane executes the instruction: they are lost for the count. */
static void lose_all(struct translation *t)
{
	if (t->masked) {
		x86_rm(&t->x, true, X_LOAD, RAX, at(RSP, ACTIVE));
		x86_rm(&t->x, true, X_ADD_TO, RAX, at(RSP, LOST));
	} else {
		x86_mi(&t->x, true, 0, at(RSP, LOST), 32);
	}
}

/*
 * Lanes may wait for others where branch @i goes back to: it counts, or the interpreter lets those
 * have their turn. @l as in emit_taken(), or NULL
 */
static void count_round(struct translation *t, const struct vgpu_insn *i, const struct later *l)
{
	if (!i->flags || !t->masked)
		return;
	x86_mi(&t->x, false, 7, WARP(rounds), VGPU_TURN_ROUNDS - 1);
	x86_jump_if(&t->x, CC_AE, l ? tr_exit_later(t, l) : tr_exit(t));
	x86_mi(&t->x, false, 0, WARP(rounds), 1);
}

/*
 * One side of the branch is the point where its lanes meet again: those that are there wait, and
 * the others go on, as in a loop that lanes leave one after the other. See diverge() of
 * lanes/stack.h.
 */
static bool is_left_by_lanes(const struct translation *t, u32 index)
{
	u32 target = VGPU_BRA_TARGET(t->code[index].imm);
	u32 meet = VGPU_BRA_RECONV(t->code[index].imm);

	/* SSE2: counting lanes takes a call */
	return t->x.small != &x86_sse2 && target != index + 1 &&
	       (meet == index + 1 || meet == target);
}

/* Some lanes are left, which go on, if they meet the others where the warp does anyway. */
static void emit_fewer(struct translation *t, const struct later *l)
{
	const struct vgpu_insn *i = &t->code[l->index];
	u32 meet = VGPU_BRA_RECONV(i->imm), next = l->index + 1;
	struct x86 *x = &t->x;

	x86_mi(x, false, 7, WARP(reconv), (int32_t)meet);
	x86_jump_if(x, CC_NE, tr_exit_later(t, l));
	count_round(t, i, l);
	tr_store_at(t, l->left, l->index);
	tr_take_cycles(t, next);
	x86_store_imm(x, false, WARP(pc),
		      (int32_t)(meet == next ? VGPU_BRA_TARGET(i->imm) : next));
	load_guard(t, i->guard);
	x86_rr(x, false, X_LOAD, RCX, RAX);
	if (meet != next) {
		x86_not(x, RAX);
		x86_rr(x, false, X_AND, RAX, R12);
	}
	x86_jump(x, t->fewer);
}

/* eax has lanes that take the branch. */
static void emit_taken(struct translation *t, const struct later *l)
{
	const struct vgpu_insn *i = &t->code[l->index];
	struct x86 *x = &t->x;

	if (t->masked)
		x86_rr(x, false, X_CMP, RAX, R12);
	else
		x86_ri(x, false, 7, RAX, -1);
	if (is_left_by_lanes(t, l->index)) {
		x86_label all = x86_new_label(x);

		x86_jump_if(x, CC_E, all);
		emit_fewer(t, l);
		x86_here(x, all);
	} else {
		x86_jump_if(x, CC_NE, tr_exit_later(t, l));	/* lanes diverge */
	}
	count_round(t, i, l);
	tr_store_at(t, l->left, VGPU_BRA_TARGET(i->imm));
	tr_take_cycles(t, l->index + 1);
	x86_jump(x, t->segment[VGPU_BRA_TARGET(i->imm)]);
}

static void branch(struct translation *t, const struct vgpu_insn *i)
{
	struct x86 *x = &t->x;
	struct later *l;

	if (i->guard == VGPU_PT) {
		count_round(t, i, NULL);
		tr_store(t, VGPU_BRA_TARGET(i->imm));
		x86_jump(x, t->segment[VGPU_BRA_TARGET(i->imm)]);
		return;
	}
	load_guard(t, i->guard);
	l = tr_later(t, emit_taken);
	x86_rr(x, false, X_TEST, RAX, RAX);
	x86_jump_if(x, CC_NE, l->here);
	lose_all(t);
	tr_back(t, l);
}

/* Stop behind the instruction, which has been executed. */
static void stop(struct translation *t, u32 pc, enum native_stop why)
{
	x86_store_imm(&t->x, false, WARP(pc), (int32_t)pc);
	x86_mov_ri(&t->x, RAX, why);
	x86_jump(&t->x, t->leave_done);
}

static void exit_lanes(struct translation *t, const struct vgpu_insn *i)
{
	struct x86 *x = &t->x;

	if (i->guard != VGPU_PT) {
		load_guard(t, i->guard);
		x86_rr(x, false, X_TEST, RAX, RAX);
		x86_jump_if(x, CC_NE, tr_exit(t));
		lose_all(t);
		return;
	}
	x86_mi(x, false, 7, WARP(depth), 0);
	x86_jump_if(x, CC_NE, tr_exit(t));
	/* nobody sees registers of a warp that has exited: what is dirty is not stored */
	stop(t, t->index, STOP_EXIT);
}

static void barrier(struct translation *t)
{
	struct x86 *x = &t->x;

	tr_store(t, t->index + 1);
	x86_rm(x, true, X_LOAD, RAX, WARP(waiting));
	x86_rm(x, false, X_LOAD, RCX, WARP(loose));
	x86_rr(x, true, X_OR, RAX, RCX);
	x86_jump_if(x, CC_NE, tr_exit(t));
	stop(t, t->index + 1, STOP_BARRIER);
}

/* A branch that no lane takes, or an exit, does not. */
static bool ends_segment(const struct vgpu_insn *i)
{
	return ((i->op == VGPU_OP_BRA || i->op == VGPU_OP_EXIT) && i->guard == VGPU_PT) ||
	       i->op == VGPU_OP_BAR || i->op == VGPU_OP_BARRED || i->op == VGPU_OP_TRAP;
}

enum kind { KIND_N, KIND_R, KIND_Q, KIND_P, KIND_RI, KIND_QI, KIND_V, KIND_W, KIND_A };

/* Registers that the instruction writes: from dst on */
static u32 written(const struct vgpu_insn *i)
{
	static const u8 kinds[VGPU_OP_COUNT] = {
#define ROW(name, class, dst, a, b, c)	[VGPU_OP_##name] = KIND_##dst,
		VGPU_ISA(ROW)
#undef ROW
	};

	switch (kinds[i->op]) {
	case KIND_R:
		return 1;
	case KIND_Q:
		return 2;
	case KIND_V:
		return VGPU_F_COUNT(i->flags) * (VGPU_F_SIZE(i->flags) == 8 ? 2 : 1);
	}
	return 0;
}

/* Addresses in what has been written have no known shape. */
static void forget_shapes(struct translation *t, const struct vgpu_insn *i)
{
	for (u32 n = 0, count = written(i); n < count; n++) {
		int32_t shape = tr_shape(t, i->dst + n);

		if (shape)
			x86_store_imm(&t->x, false, at(RSP, shape), 0);
	}
}

/* The registers with addresses in shared memory that most loads and stores use */
static void choose_shapes(struct translation *t)
{
	u32 uses[256] = { 0 };

	for (u32 pc = 0; pc < t->count; pc++)
		if ((t->code[pc].op == VGPU_OP_LDS || t->code[pc].op == VGPU_OP_STS) &&
		    !(t->code[pc].flags & VGPU_F_ABS))
			uses[t->code[pc].a]++;
	while (t->shape_count < SHAPE_COUNT) {
		u32 best = 0;

		for (u32 n = 1; n < 256; n++)
			best = uses[n] > uses[best] ? n : best;
		if (!uses[best])
			return;
		uses[best] = 0;
		t->shape_reg[t->shape_count++] = (u8)best;
	}
}

static bool has_code(struct translation *t, const struct vgpu_insn *i)
{
	if (t->x.small && !tr_small_can(t, i))
		return tr_call_interpreter(t, i);
	return tr_integer(t, i) || tr_predicate(t, i) || tr_float(t, i) || tr_convert(t, i) ||
	       tr_memory(t, i) || tr_call_interpreter(t, i);
}

/* A warp for which a stride does not hold goes on with code for none. */
static void emit_no_strides(struct translation *t, const struct later *l)
{
	x86_store_imm(&t->x, false, WARP(native), NATIVE_PLAIN);
	x86_jump(&t->x, tr_exit_later(t, l));
}

/* Where a value of 32 bits is widened that may wrap from one lane to the next */
static void check_stride(struct translation *t, const struct vgpu_insn *i)
{
	struct x86 *x = &t->x;
	struct later *l;
	bool is_signed;
	u32 most;

	if (!t->strided || !vgpu_stride_may_wrap(i, &t->strides[t->index], &most, &is_signed))
		return;
	l = tr_later(t, emit_no_strides);
	if (!tr_in_all_lanes(t)) {
		/* of any active lane, which is more than is asked for */
		for (u32 p = 0; p < 2; p++) {
			x86_vmi(x, is_signed ? V_COMPARE : V_COMPARE_U, 7,
				tr_use(t, chunk(i->a, p)), at_label(x86_constant(x, most)),
				V_BROADCAST, 6);
			x86_k_to(x, p ? RCX : RAX, 7);
		}
		tr_leaves(t, l);
		x86_shift(x, false, 4, RCX, 16);
		x86_rr(x, false, X_OR, RAX, RCX);
		x86_rr(x, false, X_TEST, RAX, R12);
		x86_jump_if(x, CC_NE, l->here);
	} else {
		if (x->small)
			x86_rm(x, false, X_LOAD, RAX, chunk_mem(chunk(i->a, 0)));
		else
			x86_v_to(x, RAX, tr_use(t, chunk(i->a, 0)));
		tr_leaves(t, l);
		x86_ri(x, false, 7, RAX, (s32)most);
		x86_jump_if(x, is_signed ? CC_G : CC_A, l->here);
	}
	tr_begin(t);
	tr_back(t, l);
}

static void instruction(struct translation *t, const struct vgpu_insn *i)
{
	bool guarded = i->guard != VGPU_PT;

	tr_begin(t);
	switch (i->op) {
	case VGPU_OP_BRA:
		branch(t, i);
		return;
	case VGPU_OP_EXIT:
		exit_lanes(t, i);
		return;
	case VGPU_OP_BAR:
		if (!guarded) {
			barrier(t);
			return;
		}
		break;
	case VGPU_OP_NOP:
		if (!guarded)
			return;
		break;
	}
	check_stride(t, i);
	/* compilers guard branches and little else */
	if (!guarded && has_code(t, i))
		forget_shapes(t, i);
	else
		tr_interpret(t);
}

/* ---- segments --------------------------------------------------------------- */

static u32 segment(struct translation *t, u32 first)
{
	struct x86 *x = &t->x;
	u32 end = first;

	do
		end++;
	while (end < t->count && !t->leader[end]);
	t->end = end;
	tr_begin_segment(t);
	x86_here(x, t->segment[first]);
	x86_here(x, t->entry[first]);
	if (t->reconverges[first]) {
		x86_label on = x86_new_label(x);

		x86_mi(x, false, 7, WARP(reconv), (int32_t)first);
		x86_jump_if(x, CC_NE, on);
		stop(t, first, STOP_RECONVERGED);
		x86_here(x, on);
	}
	tr_add_cycles(t, first);
	for (u32 pc = first; pc < end; pc++) {
		t->index = pc;
		t->began[pc] = ++t->now;
		x86_here(x, t->body[pc]);
		x86_ri(x, false, 5, R15, 1);
		x86_jump_if(x, CC_B, t->exit[pc]);
		instruction(t, &t->code[pc]);
		tr_note_flushed(t, &t->code[pc]);
	}
	/* the verifier has seen that the last instruction leaves */
	if (end < t->count &&
	    !((t->code[end - 1].op == VGPU_OP_BRA || t->code[end - 1].op == VGPU_OP_EXIT ||
	       t->code[end - 1].op == VGPU_OP_BAR) &&
	      t->code[end - 1].guard == VGPU_PT)) {
		tr_store(t, end);
		x86_jump(x, t->segment[end]);
	}
	tr_forget(t);
	tr_ways(t, first);
	return end;
}

static void find_segments(struct translation *t)
{
	t->leader[0] = 1;
	for (u32 pc = 0; pc < t->count; pc++) {
		const struct vgpu_insn *i = &t->code[pc];

		if (ends_segment(i) && pc + 1 < t->count)
			t->leader[pc + 1] = 1;
		if (i->op != VGPU_OP_BRA)
			continue;
		t->leader[VGPU_BRA_TARGET(i->imm)] = 1;
		if (VGPU_BRA_RECONV(i->imm) < t->count) {
			t->leader[VGPU_BRA_RECONV(i->imm)] = 1;
			t->reconverges[VGPU_BRA_RECONV(i->imm)] = 1;
		}
	}
	/* so that sums of cycles, and what a segment has to be put behind it, stay small */
	for (u32 pc = 0, since = 0; pc < t->count; pc++, since++) {
		if (t->leader[pc])
			since = 0;
		if (since == 48) {
			t->leader[pc] = 1;
			since = 0;
		}
	}
}

static void new_labels(struct translation *t, x86_label *labels)
{
	for (u32 n = 0; n < t->count; n++)
		labels[n] = x86_new_label(&t->x);
}

int vgpu_translate(const struct vgpu_insn *code, u32 count, const u16 *cost,
		   enum vgpu_native_vectors vectors, struct native_object *out)
{
	static const struct x86_small *const small[] = {
		[VGPU_VECTORS_SSE2] = &x86_sse2,
		[VGPU_VECTORS_AVX2] = &x86_avx2,
		[VGPU_VECTORS_AVX512] = NULL,
	};
	struct translation *t;
	int error = -ENOMEM;
	u32 *entries, modes;

	if (count > LARGEST)
		return -E2BIG;
	t = calloc(1, sizeof(*t));
	entries = calloc(4 * (size_t)count, sizeof(*entries));
	if (!t || !entries)
		goto out;
	t->code = code;
	t->count = count;
	t->cost = cost;
	t->next_slot = CACHE_FIRST;
	t->leader = calloc(2, count);
	t->segment = calloc(5 * (size_t)count, sizeof(*t->segment));
	if (!t->leader || !t->segment)
		goto out;
	t->reconverges = t->leader + count;
	t->body = t->segment + count;
	t->entry = t->body + count;
	t->exit = t->entry + count;
	t->began = t->exit + count;
	x86_init(&t->x);
	t->x.small = small[vectors];
	t->leave = x86_new_label(&t->x);
	t->leave_done = x86_new_label(&t->x);
	t->fewer = x86_new_label(&t->x);
	t->live = vgpu_live_find(code, count);
	find_segments(t);
	t->strides = vgpu_stride_find(code, count, t->leader, t->live);
	choose_shapes(t);
	tr_frame(t, entries);
	modes = t->strides ? 4 : 2;
	for (u32 mode = 0; mode < modes; mode++) {
		t->masked = mode & 1;
		t->strided = mode & 2;
		new_labels(t, t->segment);
		new_labels(t, t->body);
		new_labels(t, t->entry);
		new_labels(t, t->exit);
		for (u32 pc = 0; pc < count;)
			pc = segment(t, pc);
		for (u32 pc = 0; pc < count && !t->x.failed; pc++)
			entries[mode * count + pc] = t->x.labels[t->entry[pc]];
	}
	if (!x86_finish(&t->x) || t->failed)
		goto out;
	*out = (struct native_object){ t->x.bytes, t->x.count, entries, t->strides != NULL };
	t->x.bytes = NULL;
	entries = NULL;
	error = 0;
out:
	free(entries);
	if (t) {
		x86_fini(&t->x);
		free(t->residencies);
		free(t->live);
		free(t->strides);
		free(t->leader);
		free(t->segment);
		free(t);
	}
	return error;
}

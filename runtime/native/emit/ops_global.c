// SPDX-License-Identifier: MIT
/*
 * Global memory: elements in a row, behind one look at the TLB, or at one place. Where strides
 * (stride.h) do not say that they are, the lanes are compared. The rest are calls (access.h).
 */
#include <stddef.h>

#include "access.h"
#include "translate.h"

#define LANES(field)	at(RBX, (int32_t)offsetof(struct vgpu_lanes, field))

enum {
	V_TESTQ = EVEX(1, 2, 1, 0x27),		/* vptestmq */
	V_LOGICQ = EVEX(1, 3, 1, 0x25),		/* vpternlogq */
	V_BROADQ_GPR = EVEX(1, 2, 1, 0x7c),
	V_STOREQ = EVEX(1, 1, 1, 0x7f),
};

#define VGPU_SEGMENT	(1u << VGPU_SEGMENT_SHIFT)

/* of vpternlogq: d | (v ^ rm) */
#define DIFFER	0xf6

/* What is live is in memory, and the page of all lanes is not in the TLB. */
static void leave_absent(struct translation *t, const struct later *l)
{
	tr_call(t, &t->code[l->index], vgpu_native_absent);
	x86_jump(&t->x, tr_exit_complete(t, l->index));
}

/* A load or store that is no row in a page, or has no translation */
static void access_later(struct translation *t, const struct later *l)
{
	tr_call_later(t, l);
	x86_jump(&t->x, l->back);
	x86_here(&t->x, l->absent);
	tr_store_at(t, l->left, l->index);
	leave_absent(t, l);
}

static struct later *later_of(struct translation *t,
			      void (*emit)(struct translation *t, const struct later *later))
{
	struct later *l = tr_later(t, emit);

	l->absent = x86_new_label(&t->x);
	return l;
}

/*
 * rsi = where the bytes at address rax + imm are, ecx = their offset in the page; @bytes there must
 * lie in one page, @otherwise, that is in the TLB, or @absent.
 */
static void find_bytes(struct translation *t, const struct vgpu_insn *i, u32 size, u32 bytes,
		       bool write, x86_label otherwise, x86_label absent)
{
	struct x86 *x = &t->x;

	if (i->imm)
		x86_ri(x, true, 0, RAX, (int32_t)i->imm);
	x86_rr(x, false, X_LOAD, RCX, RAX);
	x86_ri(x, false, 4, RCX, VGPU_PAGE_SIZE - 1);
	x86_ri(x, false, 7, RCX, (int32_t)(VGPU_PAGE_SIZE - bytes));
	x86_jump_if(x, CC_A, otherwise);
	if (size > 1) {
		x86_test(x, RCX, size - 1);
		x86_jump_if(x, CC_NE, otherwise);
	}
	x86_shift(x, true, 5, RAX, VGPU_PAGE_SHIFT);
	x86_rr(x, false, X_MOVZX8, RSI, RAX);
	x86_multiply(x, RSI, RSI, sizeof(struct vgpu_tlb_entry));
	x86_rm(x, true, X_ADD, RSI, LANES(tlb));
	x86_rm(x, true, X_CMP, RAX, at(RSI, (int32_t)offsetof(struct vgpu_tlb_entry, page)));
	x86_jump_if(x, CC_NE, absent);
	x86_rm(x, true, X_LOAD, RSI,
	       at(RSI, (int32_t)(write ? offsetof(struct vgpu_tlb_entry, write) :
					 offsetof(struct vgpu_tlb_entry, read))));
	if (write) {
		x86_rr(x, true, X_TEST, RSI, RSI);
		x86_jump_if(x, CC_E, absent);
	}
	x86_rr(x, true, X_ADD, RSI, RCX);
}

/* One lane of a Q */
static struct x86_mem lane_mem(u32 reg, u32 lane)
{
	return at(R14, (int32_t)(reg * 128 + lane * 8) - BIAS);
}

/*
 * rsi = where the first lane's bytes are, ecx = their offset in the page, if the addresses of all
 * lanes are a row with @step bytes from one to the next (0: one place), with @bytes in all, aligned
 * to @size, in one page that is in the TLB.
 */
static void find_row(struct translation *t, const struct vgpu_insn *i, u32 step, u32 size,
		     u32 bytes, bool write, struct later *l)
{
	struct x86 *x = &t->x;

	if (x->small) {
		/* mostly the last lane says already that they are none */
		x86_rm(x, true, X_LOAD, RAX, lane_mem(i->a, VGPU_LANES - 1));
		x86_ri(x, true, 5, RAX, (int32_t)(step * (VGPU_LANES - 1)));
		x86_rm(x, true, X_CMP, RAX, lane_mem(i->a, 0));
		x86_jump_if(x, CC_NE, l->here);
		x->small->compare_row(x, lane_mem(i->a, 0), step, false);
		x86_jump_if(x, CC_NE, l->here);
		tr_leaves(t, l);
		find_bytes(t, i, size, bytes, write, l->elsewhere, l->absent);
		return;
	}
	for (u32 p = 0; p < 4; p++) {
		u8 a = tr_use(t, chunk(i->a, p)), row = 0;

		if (!p) {
			x86_v_to(x, RAX, a);
			x86_v(x, V_BROADQ, 0, 0, a, 0);
		}
		if (step) {
			row = 1;
			x86_vm(x, V_ADDQ, 1, 0, at_label(x86_row(x, 8 * p * step, step)), 0);
		}
		if (p)
			x86_vi(x, V_LOGICQ, 2, a, row, 0, DIFFER);
		else
			x86_v(x, V_XORQ, 2, a, row, 0);
		tr_unpin(t, a);
	}
	tr_leaves(t, l);
	x86_v(x, V_TESTQ, 7, 2, 2, 0);
	x86_k_ortest(x, 7, 7);
	x86_jump_if(x, CC_NE, l->here);
	find_bytes(t, i, size, bytes, write, l->elsewhere, l->absent);
}

/* @reg = the address that the lowest or the highest active lane has in memory, ecx = 4 * lane */
static void lane_address(struct translation *t, const struct vgpu_insn *i, u32 which, u8 reg)
{
	struct x86 *x = &t->x;

	x86_rr(x, false, which, RCX, R12);
	x86_rr(x, false, X_LOAD, RDX, RCX);
	x86_shift(x, true, 4, RDX, 3);
	x86_rr(x, true, X_ADD, RDX, R14);
	x86_rm(x, true, X_LOAD, reg, at(RDX, (int32_t)(i->a * 128) - BIAS));
	x86_shift(x, false, 4, RCX, 2);
}

/*
 * The same where some lanes are active: those are in a row of words. rsi, ecx: of the first lane,
 * which may be none of them.
 */
static void find_masked_row(struct translation *t, const struct vgpu_insn *i, bool write,
			    struct later *l)
{
	struct x86 *x = &t->x;
	u8 a[4];

	for (u32 p = 0; p < 4; p++) {
		tr_store_chunk(t, chunk(i->a, p));
		a[p] = tr_use(t, chunk(i->a, p));
	}
	tr_leaves(t, l);
	lane_address(t, i, X_LOWEST, RAX);
	x86_rr(x, true, X_SUB, RAX, RCX);
	if (x->small) {
		/* mostly the last lane says already that they are none */
		lane_address(t, i, X_HIGHEST, RDX);
		x86_rr(x, true, X_SUB, RDX, RCX);
		x86_rr(x, true, X_CMP, RDX, RAX);
		x86_jump_if(x, CC_NE, l->here);
		x->small->compare_row(x, lane_mem(i->a, 0), 4, true);
		x86_jump_if(x, CC_NE, l->here);
		find_bytes(t, i, 4, 4 * VGPU_LANES, write, l->elsewhere, l->absent);
		return;
	}
	x86_v(x, V_BROADQ_GPR, 0, 0, RAX, 0);
	for (u32 p = 0; p < 4; p++) {
		x86_vm(x, V_ADDQ, 1, 0, at_label(x86_row(x, 32 * p, 4)), 0);
		x86_k_not(x, 7, (u8)(3 + p));
		if (p)
			x86_vi(x, V_LOGICQ, 2, a[p], 1, V_MASK(7), DIFFER);
		else
			x86_v(x, V_XORQ, 2, a[p], 1, V_MASK(7) | V_ZERO);
		tr_unpin(t, a[p]);
	}
	x86_v(x, V_TESTQ, 7, 2, 2, 0);
	x86_k_ortest(x, 7, 7);
	x86_jump_if(x, CC_NE, l->here);
	find_bytes(t, i, 4, 4 * VGPU_LANES, write, l->elsewhere, l->absent);
}
_Static_assert(VGPU_TLB_ENTRIES == 256, "a byte of the page's number is the index");

/*
 * The same as find_row() where the stride says that it is one, @step bytes from lane to lane. Where
 * some lanes are active it is of words, or of one place.
 */
static void find_known(struct translation *t, const struct vgpu_insn *i, u32 step, u32 size,
		       u32 bytes, bool write, struct later *l)
{
	struct x86 *x = &t->x;

	if (!tr_in_all_lanes(t)) {
		for (u32 p = 0; p < 4; p++)
			tr_store_chunk(t, chunk(i->a, p));
		tr_leaves(t, l);
		lane_address(t, i, X_LOWEST, RAX);
		if (step)
			x86_rr(x, true, X_SUB, RAX, RCX);
	} else if (x->small) {
		tr_leaves(t, l);
		x86_rm(x, true, X_LOAD, RAX, lane_mem(i->a, 0));
	} else {
		x86_v_to(x, RAX, tr_use(t, chunk(i->a, 0)));
		tr_begin(t);
		tr_leaves(t, l);
	}
	find_bytes(t, i, size, bytes, write, l->elsewhere, l->absent);
}

/*
 * rsi = where the bytes at i->imm are, if that is in a page that is in the TLB: no register is
 * looked at.
 */
static void find_absolute(struct translation *t, const struct vgpu_insn *i, struct later *l)
{
	u64 page = i->imm >> VGPU_PAGE_SHIFT;
	int32_t entry = (int32_t)(page % VGPU_TLB_ENTRIES * sizeof(struct vgpu_tlb_entry));
	int32_t number = entry + (int32_t)offsetof(struct vgpu_tlb_entry, page);
	int32_t bytes = entry + (int32_t)offsetof(struct vgpu_tlb_entry, read);
	struct x86 *x = &t->x;

	tr_leaves(t, l);
	x86_mov_ri(x, RAX, page);
	x86_rm(x, true, X_LOAD, RSI, LANES(tlb));
	x86_rm(x, true, X_CMP, RAX, at(RSI, number));
	x86_jump_if(x, CC_NE, l->absent);
	x86_rm(x, true, X_LOAD, RSI, at(RSI, bytes));
	x86_ri(x, true, 0, RSI, (int32_t)(i->imm & (VGPU_PAGE_SIZE - 1)));
}

/* From the offset in ecx; @bytes: of all lanes */
static void count_segments(struct translation *t, u32 bytes)
{
	struct x86 *x = &t->x;

	if (bytes <= 16) {	/* aligned to its size */
		x86_mi(x, true, 0, LANES(segments), 1);
		return;
	}
	if (bytes % VGPU_SEGMENT == 0) {
		/* one more unless they begin with one */
		x86_ri(x, false, 4, RCX, VGPU_SEGMENT - 1);
		x86_negate(x, RCX);
		x86_mi(x, true, 2, LANES(segments), (int32_t)(bytes / VGPU_SEGMENT));
		return;
	}
	x86_rm(x, false, X_LEA, RDX, at(RCX, (int32_t)bytes - 1));
	x86_shift(x, false, 5, RDX, VGPU_SEGMENT_SHIFT);
	x86_shift(x, false, 5, RCX, VGPU_SEGMENT_SHIFT);
	x86_rr(x, false, X_SUB, RDX, RCX);
	x86_ri(x, false, 0, RDX, 1);
	x86_rm(x, true, X_ADD_TO, RDX, LANES(segments));
}

/* Of a row of words from the offset in ecx on: those between the lowest and the highest lane */
static void count_masked_segments(struct translation *t)
{
	struct x86 *x = &t->x;

	/* they are two at most, and both have lanes: two, less one if the last is in the first */
	x86_rm(x, false, X_ADD, RCX, at(RSP, LOWEST));
	x86_ri(x, false, 4, RCX, VGPU_SEGMENT - 1);
	x86_rm(x, false, X_ADD, RCX, at(RSP, SPREAD));
	x86_ri(x, false, 7, RCX, VGPU_SEGMENT);
	x86_mi(x, true, 3, LANES(segments), -2);
}

/*
 * The address of the first active lane, where the lanes are no row: rax with small vectors. With
 * AVX-512 it is vector 0, and nothing is read alone that may just have been stored with others:
 * find_row() has left it there, and find_masked_row() its parts in rax and ecx.
 */
static void find_first(struct translation *t, const struct vgpu_insn *i)
{
	struct x86 *x = &t->x;

	if (x->small && t->masked)
		lane_address(t, i, X_LOWEST, RAX);
	else if (x->small)
		x86_rm(x, true, X_LOAD, RAX, lane_mem(i->a, 0));
	if (x->small || !t->masked)
		return;
	x86_rr(x, true, X_ADD, RAX, RCX);
	x86_v(x, V_BROADQ_GPR, 0, 0, RAX, 0);
}

/* Jump if an active lane has another address than find_first() has found; rax = that. */
static void jump_if_others(struct translation *t, const struct vgpu_insn *i, x86_label otherwise)
{
	struct x86 *x = &t->x;

	if (x->small) {
		/* mostly the last lane says already that there are others */
		if (t->masked) {
			lane_address(t, i, X_HIGHEST, RDX);
			x86_rr(x, true, X_CMP, RDX, RAX);
		} else {
			x86_rm(x, true, X_CMP, RAX, lane_mem(i->a, VGPU_LANES - 1));
		}
		x86_jump_if(x, CC_NE, otherwise);
		x->small->compare_row(x, lane_mem(i->a, 0), 0, t->masked);
		x86_jump_if(x, CC_NE, otherwise);
		return;
	}
	/* mostly the last lanes say already that there are others */
	for (u32 n = 0; n < 4; n++) {
		u32 p = 3 - n, active = t->masked ? V_MASK(7) : 0;

		if (t->masked)
			x86_k_not(x, 7, (u8)(3 + p));
		x86_vm(x, V_LOADQ, 1, 0, chunk_mem(chunk(i->a, p)), 0);
		if (n > 1)
			x86_vi(x, V_LOGICQ, 2, 0, 1, active, DIFFER);
		else
			x86_v(x, V_XORQ, 2, 0, 1, active | (active ? V_ZERO : 0));
		if (n == 0 || n == 3) {
			x86_v(x, V_TESTQ, 7, 2, 2, 0);
			x86_k_ortest(x, 7, 7);
			x86_jump_if(x, CC_NE, otherwise);
		}
	}
	x86_v_to(x, RAX, 0);
}

/*
 * A load whose addresses are no row: of one place, which all lanes get, or by a call. Behind the
 * segment, where what is live is in memory.
 */
static void load_later(struct translation *t, const struct later *l)
{
	const struct vgpu_insn *i = &t->code[l->index];
	struct x86 *x = &t->x;
	x86_label otherwise = x86_new_label(x), absent = x86_new_label(x);
	u32 size = VGPU_F_SIZE(i->flags);
	bool wide = size == 8;

	tr_store_at(t, l->left, l->index);
	find_first(t, i);
	jump_if_others(t, i, otherwise);
	find_bytes(t, i, size, size, false, otherwise, absent);
	count_segments(t, size);
	x86_vm(x, wide ? V_BROADQ : V_BROAD, 0, 0, at(RSI, 0), 0);
	for (u32 p = 0; p < parts_of(wide); p++) {
		struct x86_mem to = chunk_mem(chunk(i->dst, p));

		if (t->masked)
			x86_k_not(x, 7, (u8)((wide ? 3 : 1) + p));
		x86_vm(x, wide ? V_STOREQ : V_STORE, 0, 0, to, t->masked ? V_MASK(7) : 0);
	}
	tr_load_at(t, l->returned);
	x86_jump(x, l->back);
	x86_here(x, l->absent);
	tr_store_at(t, l->left, l->index);
	x86_here(x, absent);
	leave_absent(t, l);
	x86_here(x, l->elsewhere);
	tr_store_at(t, l->left, l->index);
	x86_here(x, otherwise);
	tr_call_and_load(t, l);
}

static bool masked_load(struct translation *t, const struct vgpu_insn *i)
{
	struct later *l = later_of(t, load_later);

	l->elsewhere = x86_new_label(&t->x);
	find_masked_row(t, i, false, l);
	count_masked_segments(t);
	for (u32 p = 0; p < 2; p++) {
		u8 d = tr_fresh(t);

		/* all of the row is in the page, also what inactive lanes drop */
		x86_vm(&t->x, V_LOAD_ANY, d, 0, at(RSI, (int32_t)(64 * p)), 0);
		tr_result(t, d, i->dst, p, false);
		tr_unpin(t, d);
	}
	tr_back(t, l);
	return true;
}

static bool masked_store(struct translation *t, const struct vgpu_insn *i)
{
	struct later *l = later_of(t, access_later);

	if (tr_stride_of_a(t) == 4)
		find_known(t, i, 4, 4, 4 * VGPU_LANES, true, l);
	else
		find_masked_row(t, i, true, l);
	count_masked_segments(t);
	tr_store_row(t, i);
	tr_back(t, l);
	return true;
}

/*
 * A load whose stride is known, as that of an absolute address. False: it is none of what is done
 * here.
 */
static bool known_load(struct translation *t, const struct vgpu_insn *i)
{
	u32 size = VGPU_F_SIZE(i->flags), count = VGPU_F_COUNT(i->flags);
	bool absolute = i->flags & VGPU_F_ABS;
	s32 stride = absolute ? 0 : tr_stride_of_a(t);
	struct later *l;

	/* of some lanes find_known() finds rows of words */
	if (!tr_has_code(t, i, stride) || (stride && t->masked && size != 4) ||
	    (absolute && i->imm & (size * count - 1)))
		return false;
	l = later_of(t, access_later);
	if (!stride) {
		if (absolute)
			find_absolute(t, i, l);
		else
			find_known(t, i, 0, size * count, size * count, false, l);
		count_segments(t, size * count);
	} else {
		find_known(t, i, size, size, size * VGPU_LANES, false, l);
		if (t->masked)
			count_masked_segments(t);
		else
			count_segments(t, size * VGPU_LANES);
	}
	tr_load_here(t, i, stride);
	tr_back(t, l);
	return true;
}

/* One word of each lane in a row; several, where they are likely of all lanes, at one place. */
bool tr_global_load(struct translation *t, const struct vgpu_insn *i)
{
	u32 size = VGPU_F_SIZE(i->flags), count = VGPU_F_COUNT(i->flags), bytes = size * count;
	bool wide = size == 8, in_row = count == 1;
	struct x86 *x = &t->x;
	struct later *l;
	u8 d[8];

	if (i->flags & VGPU_F_ABS)
		return known_load(t, i);
	if ((s64)i->imm != (s32)i->imm)
		return false;
	if (tr_stride_of_a(t) != STRIDE_NONE && known_load(t, i))
		return true;
	if (size < 4)
		return false;
	if (t->masked)
		return size == 4 && in_row ? masked_load(t, i) : false;
	l = later_of(t, in_row ? load_later : access_later);
	if (in_row)
		l->elsewhere = x86_new_label(x);
	find_row(t, i, in_row ? size : 0, bytes, in_row ? size * VGPU_LANES : bytes, false,
		 l);
	count_segments(t, in_row ? size * VGPU_LANES : bytes);
	for (u32 n = 0; n < count; n++) {
		u32 reg = i->dst + n * (wide ? 2 : 1);

		for (u32 p = 0; p < parts_of(wide); p++) {
			d[p] = tr_fresh(t);
			if (in_row)
				x86_vm(x, V_LOAD_ANY, d[p], 0, at(RSI, (int32_t)(64 * p)), 0);
			else
				x86_vm(x, wide ? V_BROADQ : V_BROAD, d[p], 0,
				       at(RSI, (int32_t)(n * size)), 0);
			tr_result(t, d[p], reg, p, wide);
			tr_unpin(t, d[p]);
		}
	}
	tr_back(t, l);
	return true;
}

bool tr_global_store(struct translation *t, const struct vgpu_insn *i)
{
	u32 size = VGPU_F_SIZE(i->flags);
	struct later *l;

	if (i->flags >> 2 & 3 || i->flags & VGPU_F_ABS || (s64)i->imm != (s32)i->imm)
		return false;
	if (t->masked)
		return size == 4 ? masked_store(t, i) : false;
	if (tr_has_code(t, i, tr_stride_of_a(t))) {
		l = later_of(t, access_later);
		find_known(t, i, size, size, size * VGPU_LANES, true, l);
	} else if (size >= 4) {
		l = later_of(t, access_later);
		find_row(t, i, size, size, size * VGPU_LANES, true, l);
	} else {
		return false;
	}
	count_segments(t, size * VGPU_LANES);
	tr_store_row(t, i);
	tr_back(t, l);
	return true;
}

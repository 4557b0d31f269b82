// SPDX-License-Identifier: MIT
/*
 * Shared memory. Where strides (stride.h) say that lanes are a row, or at one place, one address is
 * looked at. Else, of words, how the addresses of a register lie (struct shape) is found once and
 * holds until the register is written; the code in the segment is that of rows.
 */
#include <stddef.h>

#include "access.h"
#include "translate.h"

#define LANES(field)	at(RBX, (int32_t)offsetof(struct vgpu_lanes, field))

/* rax, rcx = places of the halves; to @otherwise if the shape is not @kind, or there is no room */
static void places(struct translation *t, int32_t shape, enum shape_kind kind, u32 imm,
		   x86_label otherwise)
{
	struct x86 *x = &t->x;

	x86_mi(x, false, 7, at(RSP, shape + (int32_t)offsetof(struct shape, kind)), (int32_t)kind);
	x86_jump_if(x, CC_NE, otherwise);
	x86_mi(x, false, 7, at(RSP, shape + (int32_t)offsetof(struct shape, room)), (int32_t)imm);
	x86_jump_if(x, CC_L, otherwise);
	x86_rm(x, true, X_LOAD, RAX, at(RSP, shape + (int32_t)offsetof(struct shape, place)));
	x86_rm(x, true, X_LOAD, RCX, at(RSP, shape + (int32_t)offsetof(struct shape, place) + 8));
}

/*
 * The shape is not that of the code in the segment. A load may be of one place each half; else it
 * may have to be found first.
 */
static void emit_shared(struct translation *t, const struct later *l)
{
	const struct vgpu_insn *i = &t->code[l->index];
	int32_t shape = tr_shape(t, i->a);
	x86_label other = x86_new_label(&t->x), ended = x86_new_label(&t->x);
	struct x86 *x = &t->x;

	if (i->op == VGPU_OP_LDS) {
		places(t, shape, SHAPE_PLACES, (u32)i->imm, other);
		x86_vm(x, V_BROAD, l->regs[0], 0, at(RAX, (int32_t)i->imm), 0);
		x86_vm(x, V_BROAD, l->regs[1], 0, at(RCX, (int32_t)i->imm), 0);
		x86_jump(x, l->loaded);
	}
	x86_here(x, other);
	tr_store_at(t, l->left, l->index);
	x86_rr(x, true, X_LOAD, RDI, RBX);
	x86_mov_ri(x, RSI, (u64)(uintptr_t)i);
	x86_rr(x, false, X_LOAD, RDX, R12);
	x86_rm(x, true, X_LEA, RCX, at(RSP, shape));
	x86_call_c(x, (u64)(uintptr_t)(!x->small	      ? vgpu_native_shared :
				       x->small == &x86_avx2 ? vgpu_native_shared_avx2 :
							       vgpu_native_shared_sse2));
	if (t->masked && !x->small)
		tr_load_masks(t);
	x86_ri(x, false, 7, RAX, SHARED_DONE);
	x86_jump_if(x, CC_E, ended);
	x86_jump_if(x, CC_A, tr_exit_complete(t, l->index));
	tr_load_at(t, l->left);
	x86_jump(x, l->again);
	x86_here(x, ended);
	tr_load_at(t, l->returned);
}

static bool shared_word(const struct vgpu_insn *i)
{
	return (i->flags & (15 | VGPU_F_ABS)) == 2 && (u32)i->imm < 1u << 20 && !(i->imm & 3);
}

/* False: by its shape, or there is no code for it. */
static bool known_access(struct translation *t, const struct vgpu_insn *i)
{
	u32 size = VGPU_F_SIZE(i->flags), bytes = size * VGPU_F_COUNT(i->flags);
	s32 stride = tr_known_stride(t, i);
	bool one = i->op == VGPU_OP_STS && !stride && bytes == size;
	struct later *l;

	if (stride == STRIDE_NONE || (!one && !tr_has_code(t, i, stride)))
		return false;
	for (u32 p = 0; one && p < parts_of(size == 8); p++)
		tr_store_chunk(t, chunk(i->b, p));
	l = tr_later(t, tr_call_later);
	tr_find_offset(t, i, bytes, stride ? size * VGPU_LANES : bytes, LANES(shared_bytes), l);
	x86_rm(&t->x, true, X_ADD, RSI, LANES(shared));
	if (i->op == VGPU_OP_LDS)
		tr_load_here(t, i, stride);
	else if (one)
		tr_store_one(t, i);
	else
		tr_store_row(t, i);
	tr_back(t, l);
	return true;
}

bool tr_shared_load(struct translation *t, const struct vgpu_insn *i)
{
	int32_t shape = tr_shape(t, i->a);
	struct x86 *x = &t->x;
	struct later *l;
	u8 d[2];

	if (known_access(t, i))
		return true;
	if (!shape || !shared_word(i))
		return false;
	l = tr_later(t, emit_shared);
	l->again = x86_new_label(x);
	l->loaded = x86_new_label(x);
	l->regs[0] = d[0] = tr_fresh(t);
	l->regs[1] = d[1] = tr_fresh(t);
	tr_leaves(t, l);
	x86_here(x, l->again);
	places(t, shape, SHAPE_ROWS, (u32)i->imm, l->here);
	x86_vm(x, V_LOAD_ANY, d[0], 0, at(RAX, (int32_t)i->imm), 0);
	x86_vm(x, V_LOAD_ANY, d[1], 0, at(RCX, (int32_t)i->imm), 0);
	x86_here(x, l->loaded);
	tr_result(t, d[0], i->dst, 0, false);
	tr_result(t, d[1], i->dst, 1, false);
	tr_back(t, l);
	return true;
}

bool tr_shared_store(struct translation *t, const struct vgpu_insn *i)
{
	int32_t shape = tr_shape(t, i->a);
	struct x86 *x = &t->x;
	struct later *l;

	if (known_access(t, i))
		return true;
	if (!shape || !shared_word(i))
		return false;
	l = tr_later(t, emit_shared);
	l->again = x86_new_label(x);
	x86_here(x, l->again);
	places(t, shape, SHAPE_ROWS, (u32)i->imm, l->here);
	for (u32 p = 0; p < 2; p++) {
		u8 b = tr_use(t, chunk(i->b, p));

		if (t->masked)
			x86_k_not(x, 7, (u8)(1 + p));
		x86_vm(x, V_STORE_ANY, b, 0, at(p ? RCX : RAX, (int32_t)i->imm),
		       t->masked ? V_MASK(7) : 0);
	}
	tr_back(t, l);
	return true;
}

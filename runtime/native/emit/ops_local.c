// SPDX-License-Identifier: MIT
/*
 * Local memory where all lanes have the same offset: words of all lanes are a row there
 * (sim-device/sm/lanes.h).
 */
#include <stddef.h>

#include "translate.h"

#define LANES(field)	at(RBX, (int32_t)offsetof(struct vgpu_lanes, field))

_Static_assert(sizeof(struct vgpu_local_page) == 8, "tables of pages are tables of addresses");

static u32 log2_of(u32 n)
{
	return (u32)__builtin_ctz(n);
}

/* rsi = where the row begins that has offset esi; to @l->here where there is no page */
static void find_row(struct translation *t, struct later *l)
{
	u32 in_table = log2_of(VGPU_LOCAL_TABLE);
	struct x86 *x = &t->x;

	x86_rr(x, false, X_LOAD, RCX, RSI);
	x86_shift(x, false, 5, RCX, (u8)(VGPU_LOCAL_SHIFT + in_table));
	x86_shift(x, false, 4, RCX, 3);
	x86_rr(x, true, X_ADD, RCX, RBP);
	x86_rm(x, true, X_LOAD, RCX, at(RCX, (int32_t)offsetof(struct vgpu_warp, local)));
	x86_rr(x, true, X_TEST, RCX, RCX);
	x86_jump_if(x, CC_E, l->here);
	x86_rr(x, false, X_LOAD, RAX, RSI);
	x86_shift(x, false, 5, RAX, VGPU_LOCAL_SHIFT);
	x86_ri(x, false, 4, RAX, (int32_t)VGPU_LOCAL_TABLE - 1);
	x86_shift(x, false, 4, RAX, 3);
	x86_rr(x, true, X_ADD, RCX, RAX);
	x86_rm(x, true, X_LOAD, RCX, at(RCX, 0));
	x86_rr(x, true, X_TEST, RCX, RCX);
	x86_jump_if(x, CC_E, l->here);
	x86_ri(x, false, 4, RSI, (int32_t)VGPU_LOCAL_SPAN - 4);
	x86_shift(x, false, 4, RSI, (u8)log2_of(VGPU_LANES));
	x86_rr(x, true, X_ADD, RSI, RCX);
}

/* Part @part of the row of words that is @n rows behind rsi */
static struct x86_mem part_of(u32 n, u32 part, u32 parts)
{
	return at(RSI, (int32_t)(n * VGPU_LOCAL_ROW + part * (VGPU_LOCAL_ROW / parts)));
}

static void load_rows(struct translation *t, const struct vgpu_insn *i, u32 size)
{
	struct x86 *x = &t->x;
	bool wide = size == 8;

	for (u32 n = 0; n < VGPU_F_COUNT(i->flags); n++) {
		u8 d[4];

		for (u32 p = 0; p < parts_of(wide); p++) {
			d[p] = tr_fresh(t);
			if (!wide) {
				x86_vm(x, V_LOAD_ANY, d[p], 0, part_of(n, p, 2), 0);
				continue;
			}
			x86_vm(x, V_ZX, d[p], 0, part_of(2 * n, p, 4), 0);
			x86_vm(x, V_ZX, 0, 0, part_of(2 * n + 1, p, 4), 0);
			x86_vi(x, V_SHIFT_IMMQ, 6, 0, 0, 0, 32);
			x86_v(x, V_ORQ, d[p], d[p], 0, 0);
		}
		tr_results(t, d, i->dst + n * (wide ? 2 : 1), wide);
		tr_begin(t);
	}
}

static void store_rows(struct translation *t, const struct vgpu_insn *i, u32 size)
{
	u32 mask = t->masked ? V_MASK(7) : 0;
	struct x86 *x = &t->x;
	bool wide = size == 8;

	for (u32 n = 0; n < VGPU_F_COUNT(i->flags); n++) {
		for (u32 p = 0; p < parts_of(wide); p++) {
			u8 b = tr_use(t, chunk(i->b + n * (wide ? 2 : 1), p));

			if (mask)
				x86_k_not(x, 7, (u8)((wide ? 3 : 1) + p));
			if (!wide) {
				x86_vm(x, V_STORE_ANY, b, 0, part_of(n, p, 2), mask);
				continue;
			}
			x86_vm(x, V_NARROW, b, 0, part_of(2 * n, p, 4), mask);
			x86_vi(x, V_SHIFT_IMMQ, 2, 0, b, 0, 32);
			x86_vm(x, V_NARROW, 0, 0, part_of(2 * n + 1, p, 4), mask);
		}
		tr_begin(t);
	}
}

bool tr_local(struct translation *t, const struct vgpu_insn *i)
{
	u32 size = VGPU_F_SIZE(i->flags), bytes = size * VGPU_F_COUNT(i->flags);
	struct later *l;

	if (tr_known_stride(t, i) || size < 4 || (t->x.small && size > 4))
		return false;
	l = tr_later(t, tr_call_later);
	tr_find_offset(t, i, bytes, bytes, LANES(local_bytes), l);
	find_row(t, l);
	if (i->op == VGPU_OP_LDL)
		load_rows(t, i, size);
	else
		store_rows(t, i, size);
	tr_back(t, l);
	return true;
}

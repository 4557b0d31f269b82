// SPDX-License-Identifier: MIT
/* Compares, predicates and special registers as vector instructions. */
#include <stddef.h>

#include "translate.h"

/* Of vcmpps: NaNs count as the condition says. */
static const u8 float_conditions[VGPU_CMP_COUNT] = {
	[VGPU_CMP_EQ] = 0x00,  [VGPU_CMP_NE] = 0x0c,  [VGPU_CMP_LT] = 0x11,  [VGPU_CMP_LE] = 0x12,
	[VGPU_CMP_GT] = 0x1e,  [VGPU_CMP_GE] = 0x1d,  [VGPU_CMP_EQU] = 0x08, [VGPU_CMP_NEU] = 0x04,
	[VGPU_CMP_LTU] = 0x19, [VGPU_CMP_LEU] = 0x1a, [VGPU_CMP_GTU] = 0x16, [VGPU_CMP_GEU] = 0x15,
	[VGPU_CMP_NUM] = 0x07, [VGPU_CMP_NAN] = 0x03,
};
static const u8 conditions[VGPU_CMP_GE + 1] = {
	[VGPU_CMP_EQ] = 0, [VGPU_CMP_NE] = 4, [VGPU_CMP_LT] = 1,
	[VGPU_CMP_LE] = 2, [VGPU_CMP_GT] = 6, [VGPU_CMP_GE] = 5,
};

static void compare(struct translation *t, const struct vgpu_insn *i, u32 op, u8 condition,
		    bool wide)
{
	bool ftz = i->op == VGPU_OP_SETPF && i->flags & VGPU_F_CMP_FTZ;
	struct x86 *x = &t->x;

	for (u32 p = 0; p < parts_of(wide); p++) {
		u8 a = tr_use(t, chunk(i->a, p));
		bool imm = i->flags & VGPU_F_IMM;

		if (ftz) {
			u8 b = tr_b(t, i, p, false, 1);

			x86_v(x, V_LOAD, 0, 0, a, 0);
			tr_flush(t, 0);
			if (b != 1)
				x86_v(x, V_LOAD, 1, 0, b, 0);
			tr_flush(t, 1);
			x86_vi(x, op, 7, 0, 1, 0, condition);
		} else if (imm) {
			u64 value = wide ? i->imm : (u32)i->imm;

			x86_vmi(x, op, 7, a, at_label(x86_constant(x, value)), V_BROADCAST,
				condition);
		} else {
			x86_vi(x, op, 7, a, tr_use(t, chunk(i->b, p)), 0, condition);
		}
		x86_k_to(x, p ? RCX : RAX, 7);
		if (p) {
			x86_shift(x, false, 4, RCX, (u8)(p * (wide ? 8 : 16)));
			x86_rr(x, false, X_OR, RAX, RCX);
		}
	}
	tr_set_pred(t, i->dst);
}

/* reg = predicate operand @p of all lanes */
static void load_pred(struct translation *t, u8 reg, u32 p)
{
	x86_rm(&t->x, false, X_LOAD, reg,
	       at(RBP, (int32_t)(offsetof(struct vgpu_warp, preds) + 4 * (p & 63))));
	if (p & VGPU_P_NOT)
		x86_not(&t->x, reg);
}

static void predicates(struct translation *t, const struct vgpu_insn *i, u32 op)
{
	load_pred(t, RAX, i->a);
	if (op) {
		load_pred(t, RCX, i->b);
		x86_rr(&t->x, false, op, RAX, RCX);
	}
	tr_set_pred(t, i->dst);
}

static void pred_to_word(struct translation *t, const struct vgpu_insn *i)
{
	u8 d[2];

	for (u32 p = 0; p < 2; p++) {
		d[p] = tr_fresh(t);
		tr_pred(t, i->a, p, false);
		x86_vm(&t->x, V_BROAD, d[p], 0, at_label(x86_constant(&t->x, 1)),
		       V_MASK(7) | V_ZERO);
	}
	tr_results(t, d, i->dst, false);
}

static void splat_eax(struct translation *t, u32 reg)
{
	u32 parts = tr_parts(t, false);
	u8 d[2];

	for (u32 p = 0; p < parts; p++)
		d[p] = tr_fresh(t);
	x86_v(&t->x, V_BROAD_GPR, d[0], 0, RAX, 0);
	if (parts > 1)
		x86_v(&t->x, V_LOAD, d[1], 0, d[0], 0);
	tr_results_of(t, d, parts, reg, false);
}

/* ---- special registers ---------------------------------------------------------- */

#define LANES(field)	at(RBX, (int32_t)offsetof(struct vgpu_lanes, field))
#define LAUNCH(field)	((int32_t)offsetof(struct vgpu_launch, field))

static bool of_launch(u32 which, int32_t *where)
{
	switch (which) {
	case VGPU_SR_NTID_X:
	case VGPU_SR_NTID_Y:
	case VGPU_SR_NTID_Z:
		*where = LAUNCH(block) + 4 * (int32_t)(which - VGPU_SR_NTID_X);
		return true;
	case VGPU_SR_NCTAID_X:
	case VGPU_SR_NCTAID_Y:
	case VGPU_SR_NCTAID_Z:
		*where = LAUNCH(grid) + 4 * (int32_t)(which - VGPU_SR_NCTAID_X);
		return true;
	case VGPU_SR_NWARPID:
		*where = LAUNCH(warps);
		return true;
	case VGPU_SR_GRIDID:
		*where = LAUNCH(id);
		return true;
	case VGPU_SR_DYNSHARED:
		*where = LAUNCH(dynamic_shared);
		return true;
	}
	return false;
}

static bool special(struct translation *t, const struct vgpu_insn *i)
{
	struct x86 *x = &t->x;
	u32 which = (u32)i->imm;
	int32_t where;

	if (of_launch(which, &where)) {
		x86_rm(x, true, X_LOAD, RAX, LANES(launch));
		x86_rm(x, false, X_LOAD, RAX, at(RAX, where));
	} else if (which >= VGPU_SR_CTAID_X && which <= VGPU_SR_CTAID_Z) {
		x86_rm(x, false, X_LOAD, RAX,
		       at(RBX, (int32_t)(offsetof(struct vgpu_lanes, block) +
					 4 * (which - VGPU_SR_CTAID_X))));
	} else if (which == VGPU_SR_WARPID) {
		x86_rm(x, false, X_LOAD, RAX, at(RBP, (int32_t)offsetof(struct vgpu_warp, index)));
	} else if (which == VGPU_SR_SMID) {
		x86_rm(x, false, X_LOAD, RAX, LANES(sm_index));
	} else if (which == VGPU_SR_NSMID) {
		x86_rm(x, false, X_LOAD, RAX, LANES(sm_count));
	} else {
		return false;
	}
	splat_eax(t, i->dst);
	return true;
}

static bool test(struct translation *t, const struct vgpu_insn *i)
{
	u8 condition = VGPU_F_CMP(i->flags);
	bool real = i->op == VGPU_OP_SETPF || i->op == VGPU_OP_SETPD;

	if (condition > (real ? (u32)VGPU_CMP_NAN : (u32)VGPU_CMP_GE))
		return false;
	condition = real ? float_conditions[condition] : conditions[condition];
	switch (i->op) {
	case VGPU_OP_SETPS: compare(t, i, V_COMPARE, condition, false); break;
	case VGPU_OP_SETPU: compare(t, i, V_COMPARE_U, condition, false); break;
	case VGPU_OP_SETPSQ: compare(t, i, EVEX(1, 3, 1, 0x1f), condition, true); break;
	case VGPU_OP_SETPUQ: compare(t, i, EVEX(1, 3, 1, 0x1e), condition, true); break;
	case VGPU_OP_SETPF: compare(t, i, V_COMPARE_PS, condition, false); break;
	default: compare(t, i, V_COMPARE_PD, condition, true); break;
	}
	return true;
}

bool tr_predicate(struct translation *t, const struct vgpu_insn *i)
{
	switch (i->op) {
	case VGPU_OP_SREG: return special(t, i);
	case VGPU_OP_SETPS:
	case VGPU_OP_SETPU:
	case VGPU_OP_SETPSQ:
	case VGPU_OP_SETPUQ:
	case VGPU_OP_SETPF:
	case VGPU_OP_SETPD: return test(t, i);
	case VGPU_OP_PMOV: predicates(t, i, 0); break;
	case VGPU_OP_PAND: predicates(t, i, X_AND); break;
	case VGPU_OP_POR: predicates(t, i, X_OR); break;
	case VGPU_OP_PXOR: predicates(t, i, X_XOR); break;
	case VGPU_OP_P2R: pred_to_word(t, i); break;
	default: return false;
	}
	return true;
}

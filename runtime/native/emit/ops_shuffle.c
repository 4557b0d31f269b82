// SPDX-License-Identifier: MIT
/*
 * Shuffles whose third operand, which says how far lanes reach, is a constant that the segment has
 * written: compilers write it before each. Not for SSE2.
 */
#include "translate.h"

enum {
	V_PERMUTE = EVEX(1, 2, 0, 0x76),	/* vpermi2d: of two by what is in the result */
};

/** struct reach - of a lane; its words are in sim-device/sm/lanes/vote.h */
struct reach {
	u8 first[VGPU_LANES], last[VGPU_LANES];
	u32 segment;
	bool whole;	/* the first lane is 0, the last one 31 */
};

static bool is_constant(const struct translation *t, u32 reg, u32 *value)
{
	for (u32 pc = t->index; !t->leader[pc];) {
		const struct vgpu_insn *i = &t->code[--pc];
		struct vgpu_operands o;

		if (i->op == VGPU_OP_MOV && i->dst == reg && i->guard == VGPU_PT &&
		    i->flags & VGPU_F_IMM) {
			*value = (u32)i->imm;
			return true;
		}
		vgpu_operands_find(i, &o);
		for (u32 n = 0; n < o.write_count; n++)
			if (o.writes[n] == reg)
				return false;
	}
	return false;
}

static struct reach reach_of(u32 c)
{
	struct reach r = { .segment = c >> 8 & 31, .whole = (c & 0x1f1f) == 31 };

	for (u32 l = 0; l < VGPU_LANES; l++) {
		r.first[l] = (u8)(l & r.segment);
		r.last[l] = (u8)(r.first[l] | (c & 31 & ~r.segment));
	}
	return r;
}

/* What is known of each lane, as words */
static void lanes_to(struct translation *t, u8 to, const u8 *bytes, u32 half)
{
	x86_vm(&t->x, V_ZX8, to, 0, at_label(x86_bytes(&t->x, bytes + 16 * half)), 0);
}

/* A distance, or a lane, that is known. eax = the lanes that have one in range to take from */
static void shuffle_known(struct translation *t, const struct vgpu_insn *i, const struct reach *r,
			  const u8 *a, const u8 *d)
{
	u32 how = i->flags & ~VGPU_F_IMM, in_range = 0;
	s32 n = (s32)(i->imm & 31);
	u8 from[VGPU_LANES];

	for (u32 lane = 0; lane < VGPU_LANES; lane++) {
		s32 l = (s32)lane, j;
		bool away;

		switch (how) {
		case VGPU_SHFL_UP:
			j = l - n;
			break;
		case VGPU_SHFL_DOWN:
			j = l + n;
			break;
		case VGPU_SHFL_BFLY:
			j = l ^ n;
			break;
		default:
			j = r->first[lane] | (n & ~(s32)r->segment);
		}
		away = how == VGPU_SHFL_UP ? r->last[lane] > j : j > r->last[lane];
		from[lane] = (u8)((away ? l : j) & 31);
		in_range |= (u32)!away << lane;
	}
	for (u32 h = 0; h < 2; h++)
		x86_pick(&t->x, d[h], a[0], a[1], from + 16 * h);
	x86_mov_ri(&t->x, RAX, in_range);
}

/* Which lanes those of a half take from, where operand b is a register. Destroys vectors 0 and 1 */
static void sources(struct translation *t, const struct vgpu_insn *i, const struct reach *r,
		    const u8 *d)
{
	bool all = r->whole && (i->flags == VGPU_SHFL_IDX || i->flags == VGPU_SHFL_BFLY);
	u32 bits = i->flags == VGPU_SHFL_IDX ? 31 & ~r->segment : 31;
	struct x86 *x = &t->x;

	for (u32 h = 0; h < 2; h++) {
		x86_vm(x, V_AND, d[h], tr_use(t, chunk(i->b, h)), at_label(x86_constant(x, bits)),
		       V_BROADCAST);
		switch (i->flags) {
		case VGPU_SHFL_UP:
			x86_vm(x, V_LOAD, 0, 0, tr_lane_numbers(t, h), 0);
			x86_v(x, V_SUB, d[h], 0, d[h], 0);
			break;
		case VGPU_SHFL_DOWN:
			x86_vm(x, V_ADD, d[h], d[h], tr_lane_numbers(t, h), 0);
			break;
		case VGPU_SHFL_BFLY:
			x86_vm(x, V_XOR, d[h], d[h], tr_lane_numbers(t, h), 0);
			break;
		default:
			if (!r->segment)
				break;
			lanes_to(t, 0, r->first, h);
			x86_v(x, V_OR, d[h], d[h], 0, 0);
		}
		if (all)
			continue;
		lanes_to(t, 1, r->last, h);
		if (i->flags == VGPU_SHFL_UP)
			x86_vi(x, V_COMPARE, 7, 1, d[h], 0, 6);
		else
			x86_vi(x, V_COMPARE, 7, d[h], 1, 0, 6);
		x86_vm(x, V_LOAD, d[h], 0, tr_lane_numbers(t, h), V_MASK(7));
		x86_k_to(x, h ? RAX : RCX, 7);
	}
	if (all) {
		x86_mov_ri(x, RAX, ~0u);
		return;
	}
	x86_shift(x, false, 4, RAX, 16);
	x86_rr(x, false, X_OR, RAX, RCX);
	x86_not(x, RAX);
}

bool tr_shuffle(struct translation *t, const struct vgpu_insn *i)
{
	u8 a[2], d[2];
	struct reach r;
	u32 c;

	if (t->x.small && !t->x.small->pick)
		return false;
	if ((i->op != VGPU_OP_SHFL && i->op != VGPU_OP_SHFLSYNC) || !is_constant(t, i->c, &c))
		return false;
	tr_check_members(t, i);
	r = reach_of(c);
	for (u32 h = 0; h < 2; h++) {
		a[h] = tr_use(t, chunk(i->a, h));
		d[h] = tr_fresh(t);
	}
	if (i->flags & VGPU_F_IMM) {
		shuffle_known(t, i, &r, a, d);
	} else {
		sources(t, i, &r, d);
		for (u32 h = 0; h < 2; h++)
			x86_v(&t->x, V_PERMUTE, d[h], a[0], a[1], 0);
	}
	if (VGPU_SHFL_PRED(i->imm) != VGPU_PT)
		tr_set_pred(t, VGPU_SHFL_PRED(i->imm));
	tr_results(t, d, i->dst, false);
	return true;
}

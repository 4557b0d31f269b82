// SPDX-License-Identifier: MIT
/*
 * The ways in and out of a segment, which lie behind it: in before each instruction, where the
 * budget may end, and out before each. And code that is rarely executed, which leaves the segment
 * and returns to it.
 */
#include <stddef.h>

#include "translate.h"

static u32 cost_of(const struct translation *t, u32 from, u32 to)
{
	u32 cycles = 0;

	while (from < to)
		cycles += t->cost[t->code[from++].op];
	return cycles;
}

void tr_add_cycles(struct translation *t, u32 from)
{
	u32 cycles = cost_of(t, from, t->end);

	if (cycles)
		x86_ri(&t->x, true, 0, R13, (int32_t)cycles);
}

void tr_take_cycles(struct translation *t, u32 from)
{
	u32 cycles = cost_of(t, from, t->end);

	if (cycles)
		x86_ri(&t->x, true, 5, R13, (int32_t)cycles);
}

/* ---- out -------------------------------------------------------------------------- */

static x86_label new_out(struct translation *t, u32 index, u32 when, bool complete)
{
	struct way_out *out = &t->outs[t->out_count];

	if (t->out_count + 1 < MOST_OUTS)
		t->out_count++;
	else
		t->failed = true;
	*out = (struct way_out){ x86_new_label(&t->x), index, when, complete };
	return out->label;
}

x86_label tr_exit(struct translation *t)
{
	return new_out(t, t->index, ++t->now, false);
}

x86_label tr_exit_later(struct translation *t, const struct later *l)
{
	return new_out(t, l->index, l->left, false);
}

x86_label tr_exit_complete(struct translation *t, u32 index)
{
	return new_out(t, index, 0, true);
}

static void way_out(struct translation *t, u32 index, u32 when, bool complete)
{
	if (!complete)
		tr_store_at(t, when, index);
	tr_take_cycles(t, index);
	x86_store_imm(&t->x, false, at(RBP, (int32_t)offsetof(struct vgpu_warp, pc)),
		      (int32_t)index);
	x86_jump(&t->x, t->leave);
}

/* ---- out and back ----------------------------------------------------------------- */

struct later *tr_later(struct translation *t,
		       void (*emit)(struct translation *t, const struct later *later))
{
	struct later *l = &t->later[t->later_count];

	if (t->later_count + 1 < MOST_LATER)
		t->later_count++;
	else
		t->failed = true;
	*l = (struct later){ .emit = emit,
			     .here = x86_new_label(&t->x),
			     .back = x86_new_label(&t->x),
			     .index = t->index,
			     .left = ++t->now };
	l->elsewhere = l->here;
	return l;
}

void tr_leaves(struct translation *t, struct later *l)
{
	l->left = ++t->now;
}

void tr_back(struct translation *t, struct later *l)
{
	x86_here(&t->x, l->back);
	l->returned = ++t->now;
}

/* ---- all of a segment ------------------------------------------------------------- */

void tr_ways(struct translation *t, u32 first)
{
	struct x86 *x = &t->x;

	for (u32 n = 0; n < t->later_count; n++) {
		x86_here(x, t->later[n].here);
		t->index = t->later[n].index;
		t->later[n].emit(t, &t->later[n]);
		x86_jump(x, t->later[n].back);
	}
	t->later_count = 0;
	for (u32 pc = first; pc < t->end; pc++) {
		if (pc != first) {
			x86_here(x, t->entry[pc]);
			tr_load_at(t, t->began[pc]);
			tr_add_cycles(t, pc);
			x86_jump(x, t->body[pc]);
		}
		x86_here(x, t->exit[pc]);
		way_out(t, pc, t->began[pc], false);
	}
	for (u32 n = 0; n < t->out_count; n++) {
		x86_here(x, t->outs[n].label);
		way_out(t, t->outs[n].index, t->outs[n].when, t->outs[n].complete);
	}
	t->out_count = 0;
}

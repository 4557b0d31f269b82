/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Operations by a member mask (PTX *.sync). A lane waits until every lane that its mask names, and
 * that has not exited, executes the same opcode with the same flags, at the same instruction or at
 * another one (legal since sm_70).
 *
 * Mostly all named lanes execute the instruction at once: members_here(), and nobody waits. Else
 * the running entry goes on the stack with its bit set in `waiting`, and another entry runs. Which
 * one may: an entry is runnable when it does not wait and no entry above it has a lane of its mask;
 * those are what it reconverges with. Entries lie above the one they come from, so masks and order
 * say it all. When the last member arrives the operation is done for all, each with the operands of
 * its own instruction, and those that waited are ordinary entries again.
 *
 * Reconvergence is no promise, waiting for members is: when nothing can run, lanes that have come
 * to a reconvergence point go on without those that have not (`loose`). From then on a barrier of
 * the block is such an operation too, of all live lanes. When nothing is left to let go, lanes wait
 * for lanes that cannot come: VGPU_FAULT_WARP_SYNC.
 *
 * Lanes may also wait in a loop of their own, for what other lanes write: reconv_turn().
 *
 * At the end what stands for any reason: reconv_pop(). Part of impl.h.
 */
#ifndef VGPU_LANES_SYNC_H
#define VGPU_LANES_SYNC_H

#include "stack.h"

static const u32 full_masks[VGPU_LANES] __attribute__((aligned(64))) = {
#define M4	FULL, FULL, FULL, FULL
	M4, M4, M4, M4, M4, M4, M4, M4
#undef M4
};

/* The member masks of all lanes that execute @i. A barrier is for all. */
lanes_inline const u32 *sync_masks(struct vgpu_lanes *s, const struct vgpu_insn *i)
{
	if (i->op == VGPU_OP_BAR || i->op == VGPU_OP_BARRED)
		return full_masks;
	if (i->op == VGPU_OP_SHFLSYNC)
		return VGPU_SHFL_MASK(i->imm) == VGPU_SHFL_FULL ? full_masks :
								  reg32(s, VGPU_SHFL_MASK(i->imm));
	return i->flags & VGPU_F_IMM ? splat_imm(s, (u32)i->imm) : reg32(s, i->b);
}

/* Do the lanes of @m, which are not all, execute @i with all that their masks name? */
lanes_noinline bool members_here(struct vgpu_lanes *s, const struct vgpu_insn *i, u32 m)
{
	const u32 *masks = sync_masks(s, i);
	u32 named = 0;

	EACH_ACTIVE(l, m)
		named |= masks[l];
	return !(named & s->warp->live & ~m);
}

/* All that waits, by lane. */
struct meeting {
	u32 what[VGPU_LANES];	/* what must be the same: sync_what(); 0: the lane does not wait */
	u32 mask[VGPU_LANES];
	/* lanes that stay together with it: those of its entry, or itself alone */
	u32 with[VGPU_LANES];
	u32 waiting;
};

/*
 * Opcode, flags and number of a barrier. A barrier with a result has one register for it: the same
 * instruction.
 */
lanes_inline u32 sync_what(const struct vgpu_insn *i, u32 pc)
{
	if (i->op == VGPU_OP_BARRED)
		return 1u << 31 | pc;
	return (i->op == VGPU_OP_BAR ? VGPU_BAR_ID(i->imm) << 24 : 0) | (u32)i->op << 8 |
	       (i->flags & ~VGPU_F_IMM);
}

static void sync_gather(struct vgpu_lanes *s, struct meeting *t, bool entries)
{
	struct vgpu_warp *w = s->warp;

	__builtin_memset(t, 0, sizeof(*t));
	for (u32 n = 0; n < w->depth; n++) {
		const struct vgpu_reconv *e = &w->stack[n];
		const struct vgpu_insn *i = s->code + e->pc;
		u32 lanes = e->mask & w->live;
		const u32 *masks;

		if (!(w->waiting >> n & 1))
			continue;
		masks = sync_masks(s, i);
		t->waiting |= lanes;
		EACH_ACTIVE(l, lanes) {
			t->what[l] = sync_what(i, e->pc);
			t->mask[l] = masks[l];
			t->with[l] = entries ? lanes : 1u << l;
		}
	}
}

/*
 * The lanes that can go on together with those of @lanes, which wait with one operation; 0:
 * somebody is missing. Whoever a mask names has to wait with the same operation and the same mask.
 */
static u32 sync_meet(const struct meeting *t, u32 live, u32 lanes)
{
	u32 what = t->what[__builtin_ctz(lanes)], done = 0;

	while (lanes & ~done) {
		u32 mask = t->mask[__builtin_ctz(lanes & ~done)], same = 0;

		EACH_ACTIVE(l, lanes)
			same |= (u32)(t->mask[l] == mask) << l;
		done |= same;
		EACH_ACTIVE(j, mask & live & ~same) {
			if (t->what[j] != what || t->mask[j] != mask)
				return 0;
			done |= 1u << j;
			lanes |= t->with[j];
		}
	}
	return lanes;
}

/*
 * Operands of the lanes @m that wait at @i, to where sync_execute() wants them; returns their
 * predicates.
 */
static u32 sync_operands(struct vgpu_lanes *s, const struct vgpu_insn *i, u32 m)
{
	u32 *x = (u32 *)s->x, *y = (u32 *)s->y, *z = (u32 *)s->z;

	switch (i->op) {
	case VGPU_OP_SHFLSYNC:
		EACH_ACTIVE(l, m) {
			x[l] = reg32(s, i->a)[l];
			y[l] = i->flags & VGPU_F_IMM ? (u32)i->imm : reg32(s, i->b)[l];
			z[l] = reg32(s, i->c)[l];
		}
		return 0;
	case VGPU_OP_MATCHSYNC:
		EACH_ACTIVE(l, m)
			x[l] = reg32(s, i->a)[l];
		return 0;
	case VGPU_OP_MATCHSYNCQ:
		EACH_ACTIVE(l, m)
			s->x[l] = reg64(s, i->a)[l];
		return 0;
	case VGPU_OP_VOTESYNC:
	case VGPU_OP_BALLOTSYNC:
	case VGPU_OP_BARRED:
		return (s->warp->preds[i->a & 63] ^ (0u - (i->a >> 6 & 1u))) & m;
	default:	/* BARWARP, BAR */
		return 0;
	}
}

static void sync_results(struct vgpu_lanes *s, const struct vgpu_insn *i, u32 m, u32 bits)
{
	u32 *preds = s->warp->preds,
	    pred = i->op == VGPU_OP_SHFLSYNC ? VGPU_SHFL_PRED(i->imm) : i->dst;

	switch (i->op) {
	case VGPU_OP_SHFLSYNC:
	case VGPU_OP_VOTESYNC:
		preds[pred] = (preds[pred] & ~m) | (bits & m);
		preds[VGPU_PT] = FULL;
		if (i->op == VGPU_OP_VOTESYNC)
			return;
		break;
	case VGPU_OP_BARWARP:
	case VGPU_OP_BAR:
	case VGPU_OP_BARRED:
		return;
	}
	EACH_ACTIVE(l, m)
		reg32(s, i->dst)[l] = ((const u32 *)s->out)[l];
}

static void reconv_remove(struct vgpu_warp *w, u32 n)
{
	u64 below = (1ull << n) - 1;

	w->waiting = (w->waiting & below) | (w->waiting >> 1 & ~below);
	w->depth--;
	for (; n < w->depth; n++)
		w->stack[n] = w->stack[n + 1];
}

/*
 * An entry that waits for the lanes of one other entry, and has no more, is of no use: that one may
 * as well go on to where the two of them end.
 */
static void reconv_tidy(struct vgpu_warp *w)
{
	for (u32 n = w->depth; n-- > 0;) {
		const struct vgpu_reconv *e = &w->stack[n];
		u32 lanes = e->mask & w->live, k = n + 1;

		/* the lowest above it that has lanes of it comes next to it in the tree */
		while (k < w->depth && !(w->stack[k].mask & lanes))
			k++;
		if (k == w->depth || (w->stack[k].mask & w->live) != lanes)
			continue;
		w->stack[k].reconv = e->reconv;
		reconv_remove(w, n);
	}
}

/*
 * Entries that stand at the same place and have the same to reconverge with become one, the upper
 * one.
 */
static void reconv_merge(struct vgpu_warp *w, u32 n)
{
	struct vgpu_reconv *e = &w->stack[n];

	for (u32 j = 0; j < n; j++) {
		const struct vgpu_reconv *other = &w->stack[j];
		bool same =
			other->pc == e->pc && other->reconv == e->reconv && !(w->waiting >> j & 1);

		for (u32 k = 0; same && k < w->depth; k++)
			same = k == n || k == j ||
			       !(w->stack[k].mask & e->mask) == !(w->stack[k].mask & other->mask);
		if (same) {
			e->mask |= other->mask;
			reconv_remove(w, j);
			return;
		}
	}
}

/*
 * The operation for @lanes, all of which wait for it. Each goes on behind its own instruction.
 * MEM_DONE; BARRIER: it is the warp that has arrived at a barrier; FAULT: the stack is full.
 */
static enum vgpu_lanes_end sync_execute(struct vgpu_lanes *s, const struct meeting *t, u32 lanes)
{
	struct vgpu_warp *w = s->warp;
	u32 how = t->what[__builtin_ctz(lanes)] & 0xff, bits = 0, depth = w->depth;
	const struct vgpu_insn *i = NULL;
	u32 *o = (u32 *)s->out;
	u32 masks[VGPU_LANES] __attribute__((aligned(64)));

	__builtin_memcpy(masks, t->mask, sizeof(masks));
	for (u32 n = 0; n < depth; n++) {
		if (!(w->waiting >> n & 1) || !(w->stack[n].mask & lanes))
			continue;
		/* of lanes that take no part */
		if (!i && s->code[w->stack[n].pc].op == VGPU_OP_SHFLSYNC)
			__builtin_memcpy(s->x, reg32(s, s->code[w->stack[n].pc].a),
					 VGPU_LANES * sizeof(u32));
		i = s->code + w->stack[n].pc;
		bits |= sync_operands(s, i, w->stack[n].mask & lanes);
	}
	switch (i->op) {
	case VGPU_OP_SHFLSYNC:
		bits = shuffle(o, (u32 *)s->x, (u32 *)s->y, (u32 *)s->z, how);
		break;
	case VGPU_OP_VOTESYNC:
		bits = vote_by(how, bits, lanes, masks);
		break;
	case VGPU_OP_BALLOTSYNC:
		EACH_LANE(l)
			o[l] = bits & masks[l];
		break;
	case VGPU_OP_MATCHSYNC:
		match32(o, (u32 *)s->x, lanes);
		match_by(o, lanes, masks, how);
		break;
	case VGPU_OP_MATCHSYNCQ:
		match64(o, s->x, lanes);
		match_by(o, lanes, masks, how);
		break;
	case VGPU_OP_BAR:
	case VGPU_OP_BARRED:
		w->bar = *i;
		w->bar_mask = lanes;
		w->bar_pred = bits;
		WATCH_BARRIER(w, (u32)(i - s->code));
		break;
	}
	WATCH_MET(i, lanes, masks);
	for (u32 n = 0; n < depth; n++) {
		struct vgpu_reconv *e = &w->stack[n];
		u32 m = e->mask & lanes, pc = e->pc;

		if (!(w->waiting >> n & 1) || !m)
			continue;
		sync_results(s, s->code + pc, m, bits);
		if (e->mask & w->live & ~m) {	/* some of them wait on */
			e->mask &= ~m;
			if (!reconv_push(w, pc + 1, e->reconv, m))
				return VGPU_LANES_FAULT;
		} else {
			e->pc = pc + 1;
			w->waiting &= ~(1ull << n);
		}
	}
	for (u32 n = w->depth; n-- > 0;)
		if (n < w->depth && w->stack[n].mask & lanes && !(w->waiting >> n & 1))
			reconv_merge(w, n);
	reconv_tidy(w);
	return i->op == VGPU_OP_BAR || i->op == VGPU_OP_BARRED ? VGPU_LANES_BARRIER : MEM_DONE;
}

/*
 * Lanes that have come to the reconvergence point of an entry go on without the others. false:
 * there are none.
 */
static bool reconv_break(struct vgpu_warp *w)
{
	u32 above = 0;

	for (u32 n = w->depth; n-- > 0;) {
		struct vgpu_reconv *e = &w->stack[n];
		u32 lanes = e->mask & w->live, here = lanes & ~above;

		above |= lanes;
		if (w->waiting >> n & 1 || !here)
			continue;
		w->loose = 1;
		e->mask &= ~here;
		if (e->pc != e->reconv && !reconv_push(w, e->pc, e->reconv, here))
			return false;
		reconv_tidy(w);
		return true;
	}
	return false;
}

/*
 * Nothing can run but lanes wait: let go whom nobody is missing, entries as a whole first. FAULT:
 * there are none.
 */
static enum vgpu_lanes_end sync_release(struct vgpu_lanes *s)
{
	struct meeting t;

	for (u32 apart = 0; apart < 2; apart++) {
		sync_gather(s, &t, !apart);
		while (t.waiting) {
			u32 first = (u32)__builtin_ctz(t.waiting),
			    lanes = sync_meet(&t, s->warp->live, t.with[first]);

			if (lanes)
				return sync_execute(s, &t, lanes);
			/* the same members are missing to all of these */
			EACH_ACTIVE(l, t.waiting)
				if (t.what[l] == t.what[first] && t.mask[l] == t.mask[first])
					t.waiting &= ~(1u << l);
		}
	}
	return reconv_break(s->warp) ? MEM_DONE : VGPU_LANES_FAULT;
}

/*
 * Where the topmost entry waits becomes where the warp has stopped; address: the lanes that are
 * missing.
 */
static enum vgpu_lanes_end sync_fault(struct vgpu_lanes *s)
{
	struct vgpu_warp *w = s->warp;
	const struct vgpu_reconv *e = &w->stack[w->depth - 1];
	const u32 *masks = sync_masks(s, s->code + e->pc);
	u32 named = 0;

	w->pc = e->pc;
	w->reconv = e->reconv;
	w->active = e->mask & w->live;
	EACH_ACTIVE(l, w->active)
		named |= masks[l];
	mem_fault(s, VGPU_FAULT_WARP_SYNC, (u32)__builtin_ctz(w->active), 0, false);
	s->address = named & w->live & ~w->active;
	return VGPU_LANES_FAULT;
}

/* Take up an entry that can run. @end: what to answer then. As reconv_pop(). */
static enum vgpu_lanes_end reconv_take(struct vgpu_lanes *s, enum vgpu_lanes_end end)
{
	struct vgpu_warp *w = s->warp;

	for (;;) {
		u32 above = 0;		/* lanes of the entries above */

		for (u32 n = w->depth; n-- > 0;) {
			const struct vgpu_reconv *e = &w->stack[n];
			u32 lanes = e->mask & w->live, pc = e->pc, reconv = e->reconv;

			if (lanes && (w->waiting >> n & 1 || lanes & above)) {
				above |= lanes;
				continue;
			}
			reconv_remove(w, n);
			if (lanes && pc != reconv) {
				w->pc = pc;
				w->reconv = reconv;
				w->active = lanes;
				reconv_taken(w);
				return end;
			}
		}
		if (!w->depth) {
			w->active = 0;
			return VGPU_LANES_EXIT;
		}
		end = sync_release(s);
		if (end == VGPU_LANES_FAULT)
			return sync_fault(s);
	}
}

/*
 * The lanes @m of the running entry have come to an instruction at which members are missing. As
 * reconv_pop().
 */
lanes_noinline enum vgpu_lanes_end sync_wait(struct vgpu_lanes *s, u32 m)
{
	struct vgpu_warp *w = s->warp;
	/* rest: their guard is false, they go on */
	u32 rest = w->active & ~m, next = w->pc + 1, lanes;
	enum vgpu_lanes_end end = MEM_DONE;
	struct meeting t;

	if (!reconv_push(w, w->pc, w->reconv, m))
		return sync_fault(s);
	w->waiting |= 1ull << (w->depth - 1);
	if (rest && next != w->reconv && !reconv_push(w, next, w->reconv, rest))
		return sync_fault(s);
	sync_gather(s, &t, true);
	lanes = sync_meet(&t, w->live, m);
	if (lanes)
		end = sync_execute(s, &t, lanes);
	return end == VGPU_LANES_FAULT ? sync_fault(s) : reconv_take(s, end);
}

/*
 * The lanes of the entry that is returned, and not of those above it, which do not wait for
 * members: they can run, or are at the reconvergence point of others. From @n down; ~0: none.
 * @above: the lanes of those above
 */
static u32 turn_next(const struct vgpu_warp *w, u32 n, u32 *above, u32 *here)
{
	while (n-- > 0) {
		const struct vgpu_reconv *e = &w->stack[n];
		u32 lanes = e->mask & w->live;

		/* at the point of another: they are lanes of that one */
		if (e->pc == e->reconv && !(w->waiting >> n & 1))
			continue;
		*here = lanes & ~*above;
		*above |= lanes;
		if (*here && !(w->waiting >> n & 1))
			return n;
	}
	return ~0u;
}

/* Of the lanes that can go on, those with the next lane behind w->turn: which entry, and lanes */
static u32 turn_choose(struct vgpu_warp *w, u32 *here)
{
	u32 able = 0, above = 0, n = w->depth, behind;

	while ((n = turn_next(w, n, &above, here)) != ~0u)
		able |= *here;
	able &= ~w->active;
	if (!able)
		return ~0u;
	behind = able & ~((2u << w->turn) - 1);
	w->turn = (u32)__builtin_ctz(behind ? behind : able);
	above = 0;
	n = w->depth;
	do
		n = turn_next(w, n, &above, here);
	while (!(*here >> w->turn & 1));
	return n;
}

/*
 * The running entry has gone round loops for long, in which it may wait for what other lanes do:
 * those have their turn, if there are any that can go on. That may be lanes which have come to the
 * reconvergence point of the running ones; they go on without them (`loose`). Lanes have their turn
 * in the order of their numbers, so each that can go on does before any has a second turn. Where
 * the running entry stands when it is put aside, others may stand already: they become one.
 */
lanes_noinline void reconv_turn(struct vgpu_warp *w)
{
	struct vgpu_reconv next;
	u32 n, here = 0;

	if (w->pc == w->reconv || !reconv_push(w, w->pc, w->reconv, w->active))
		return;
	w->rounds = 0;
	n = turn_choose(w, &here);
	if (n == ~0u) {
		w->depth--;
		return;
	}
	next = w->stack[n];
	for (u32 k = w->depth; k-- > n;) {
		w->stack[k].mask &= w->live & ~here;
		if (!w->stack[k].mask)
			reconv_remove(w, k);
	}
	reconv_merge(w, w->depth - 1);
	reconv_tidy(w);
	w->loose = 1;
	w->pc = next.pc;
	w->reconv = next.reconv;
	w->active = here;
}

/*
 * The running entry has come to its reconvergence point or has no lane left: take up what is on the
 * stack. MEM_DONE, or what ends the run: nothing is there, the warp has exited; or all that is
 * there waits for lanes that cannot come.
 */
lanes_noinline enum vgpu_lanes_end reconv_pop(struct vgpu_lanes *s)
{
	struct vgpu_warp *w = s->warp;

	if (unlikely(w->waiting))
		return reconv_take(s, MEM_DONE);
	return reconv_next(w) ? MEM_DONE : VGPU_LANES_EXIT;
}

#endif

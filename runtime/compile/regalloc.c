// SPDX-License-Identifier: MIT
/*
 * Register allocation: linear scan over live ranges with their holes. Registers are taken in the
 * order in which they come to life; each physical register holds the ranges of everything placed on
 * it that are not over yet, so that two registers share one as long as they are never live
 * together: in one lane if both are of one size, in any two lanes of a warp if not (warplive.c).
 * 64-bit registers take an aligned pair, groups of vector accesses a run. Where nothing is free the
 * cheapest of the candidates goes to memory, the code is rewritten and the scan is restarted.
 */
#include <string.h>

#include "cc.h"

#define MAX_ROUNDS	64u

struct placed {			/* a live range on a physical register */
	uint32_t from, to, owner;
};

struct list {			/* ascending by start; entries before head are over */
	struct placed *placed;
	uint32_t placed_count, placed_room, head;
};

enum { LANE, WARP };

struct file {			/* one physical register: what is on it, by liveness and by size */
	struct list list[2][2];	/* [LANE or WARP][64-bit] */
};

struct scan {
	struct cc *cc;
	const struct cc_live *live, *warp;
	const struct cc_groups *groups;
	struct file *file;
	uint32_t *hint;
	float *weight;		/* cost of living in memory */
	uint32_t limit;
	uint32_t *victims, victims_count, victims_room;
	uint8_t *done;		/* placed, or spilled */
	uint32_t now;
};

static bool is_pair(const struct scan *s, uint32_t v)
{
	return CC_CLASS(s->cc->vregs[v]) == CC_Q;
}

/* Skip what ended before now: the scan only goes forward. */
static void reg_list_expire(const struct scan *s, struct list *list)
{
	while (list->head < list->placed_count && list->placed[list->head].to <= s->now)
		list->head++;
}

static bool reg_list_overlaps(const struct scan *s, struct list *list, const struct cc_live *live)
{
	uint32_t i;

	reg_list_expire(s, list);
	i = list->head;
	for (uint32_t r = 0; r < live->count && i < list->placed_count;) {
		if (list->placed[i].to <= live->ranges[r].from)
			i++;
		else if (live->ranges[r].to <= list->placed[i].from)
			r++;
		else
			return true;
	}
	return false;
}

/*
 * Is something on @phys in the way of v? Two of one size share it if they are never live together
 * in one lane. Of different size, neither may be live in any lane (its warp liveness) while the
 * other is in its own.
 */
static bool conflicts(struct scan *s, uint32_t phys, uint32_t v)
{
	struct file *file = &s->file[phys];
	bool q = is_pair(s, v);

	return reg_list_overlaps(s, &file->list[LANE][q], &s->live[v]) ||
	       reg_list_overlaps(s, &file->list[WARP][!q], &s->live[v]) ||
	       reg_list_overlaps(s, &file->list[LANE][!q], &s->warp[v]);
}

static void reg_list_insert(struct scan *s, struct list *list, uint32_t owner,
			    const struct cc_live *live)
{
	uint32_t i, r = live->count;

	while (list->placed_count + live->count > list->placed_room)
		list->placed = ptx_grow(s->cc->ctx, list->placed, list->placed_count, live->count,
					&list->placed_room, sizeof(*list->placed));
	/* merge from the end */
	i = list->placed_count;
	list->placed_count += live->count;
	for (uint32_t to = list->placed_count; r > 0; to--) {
		if (i > list->head && list->placed[i - 1].from > live->ranges[r - 1].from) {
			list->placed[to - 1] = list->placed[i - 1];
			i--;
		} else {
			list->placed[to - 1] = (struct placed){live->ranges[r - 1].from,
							       live->ranges[r - 1].to, owner};
			r--;
		}
	}
}

static void reg_list_remove(struct list *list, uint32_t owner)
{
	uint32_t to = list->head;

	for (uint32_t i = list->head; i < list->placed_count; i++)
		if (list->placed[i].owner != owner)
			list->placed[to++] = list->placed[i];
	list->placed_count = to;
}

static uint32_t register_words(const struct scan *s, uint32_t v)
{
	return CC_CLASS(s->cc->vregs[v]) == CC_Q ? 2 : 1;
}

/*
 * The registers that v may have. Those of procedures are apart by their size, as lanes of a warp
 * can be in two of them at the same time (warplive.c has the reason).
 */
static uint32_t first_phys(const struct scan *s, uint32_t v)
{
	return is_pair(s, v) ? s->cc->singles : 0;
}

static uint32_t end_phys(const struct scan *s, uint32_t v)
{
	return s->cc->singles && CC_CLASS(s->cc->vregs[v]) == CC_R ? s->cc->singles : s->limit;
}

/* Put v on @phys, and on the one behind it if it is a pair. */
static void place_register(struct scan *s, uint32_t v, uint32_t phys)
{
	for (uint32_t i = 0; i < register_words(s, v); i++) {
		reg_list_insert(s, &s->file[phys + i].list[LANE][is_pair(s, v)], v, &s->live[v]);
		reg_list_insert(s, &s->file[phys + i].list[WARP][is_pair(s, v)], v, &s->warp[v]);
	}
	s->cc->phys[v] = phys;
	s->done[v] = 1;
}

static bool register_fits(struct scan *s, uint32_t v, uint32_t phys)
{
	for (uint32_t i = 0; i < register_words(s, v); i++)
		if (conflicts(s, phys + i, v))
			return false;
	return true;
}

static bool occupied_now(const struct scan *s, uint32_t phys)
{
	for (unsigned int q = 0; q < 2; q++) {
		const struct list *list = &s->file[phys].list[LANE][q];

		if (list->head < list->placed_count && list->placed[list->head].from <= s->now &&
		    s->now < list->placed[list->head].to)
			return true;
	}
	return false;
}

/*
 * A register for v, CC_NONE if none is free. Singles go beside an occupied half, to leave pairs
 * whole.
 */
static uint32_t pick_register(struct scan *s, uint32_t v)
{
	uint32_t step = register_words(s, v), hint = s->hint[v], whole = CC_NONE;
	uint32_t first = first_phys(s, v), end = end_phys(s, v);

	if (hint != CC_NONE && (hint = s->cc->phys[hint]) != CC_NONE && hint % step == 0 &&
	    hint >= first && hint + step <= end && register_fits(s, v, hint))
		return hint;
	for (uint32_t p = first; p + step <= end; p += step) {
		if (!register_fits(s, v, p))
			continue;
		if (step == 2 || CC_CLASS(s->cc->vregs[v]) == CC_P || occupied_now(s, p ^ 1))
			return p;
		if (whole == CC_NONE)
			whole = p;
		else if (p > whole + 24)	/* do not go far for it */
			break;
	}
	return whole;
}

/* The registers that must be placed with v: its group in order, or v alone. Returns how many. */
static uint32_t members_of(const struct scan *s, uint32_t v, uint32_t members[4])
{
	uint32_t group = v < s->groups->vregs ? s->groups->of[v] : CC_NONE, count = 0;

	members[0] = v;
	if (group == CC_NONE)
		return 1;
	while (count < 4 && s->groups->members[group][count] != CC_NONE) {
		members[count] = s->groups->members[group][count];
		count++;
	}
	return count;
}

/* Place all members on the first run of registers that is free for them. */
static bool place_group(struct scan *s, const uint32_t *members, uint32_t count)
{
	uint32_t step = register_words(s, members[0]), end = end_phys(s, members[0]);

	for (uint32_t p = first_phys(s, members[0]); p + step * count <= end; p += step) {
		uint32_t i = 0;

		while (i < count && register_fits(s, members[i], p + i * step))
			i++;
		if (i < count)
			continue;
		for (i = 0; i < count; i++)
			place_register(s, members[i], p + i * step);
		return true;
	}
	return false;
}

/* v goes to memory, and its place becomes free for the rest of this scan. */
static void spill_one(struct scan *s, uint32_t v)
{
	if (s->cc->phys[v] != CC_NONE)
		for (uint32_t i = 0; i < register_words(s, v); i++) {
			reg_list_remove(&s->file[s->cc->phys[v] + i].list[LANE][is_pair(s, v)], v);
			reg_list_remove(&s->file[s->cc->phys[v] + i].list[WARP][is_pair(s, v)], v);
		}
	s->cc->phys[v] = CC_NONE;
	s->done[v] = 1;
	*PTX_PUSH(s->cc->ctx, s, victims) = v;
}

/* Registers that would have to be spilled to free a place; full: too many to consider. */
struct owners {
	uint32_t list[64], count;
	float cost;
	bool full;
};

static void add_owners(const struct scan *s, const struct list *list, const struct cc_live *live,
		       struct owners *o)
{
	for (uint32_t i = list->head, r = 0;
	     i < list->placed_count && r < live->count && !o->full;) {
		uint32_t owner = list->placed[i].owner, k = 0;

		if (list->placed[i].to <= live->ranges[r].from) {
			i++;
			continue;
		}
		if (live->ranges[r].to <= list->placed[i].from) {
			r++;
			continue;
		}
		while (k < o->count && o->list[k] != owner)
			k++;
		if (k == o->count) {
			o->cost += s->weight[owner];
			if (o->count == 64)
				o->full = true;
			else
				o->list[o->count++] = owner;
		}
		i++;
	}
}

/* Who on `phys` is in the way of v, and what it would cost to send them to memory. */
static void owners_in_way(struct scan *s, uint32_t phys, uint32_t v, struct owners *o)
{
	const struct file *file = &s->file[phys];
	bool q = is_pair(s, v);

	add_owners(s, &file->list[LANE][q], &s->live[v], o);
	add_owners(s, &file->list[WARP][!q], &s->live[v], o);
	add_owners(s, &file->list[LANE][!q], &s->warp[v], o);
}

/*
 * Makes room for the members by sending to memory what is cheapest: what holds some run of
 * registers, or themselves.
 */
static void make_room(struct scan *s, const uint32_t *members, uint32_t count)
{
	uint32_t step = register_words(s, members[0]), end = end_phys(s, members[0]);
	struct owners best = { .full = true };
	float own = 0;

	for (uint32_t i = 0; i < count; i++)
		own += s->weight[members[i]];
	for (uint32_t p = first_phys(s, members[0]); p + step * count <= end; p += step) {
		struct owners o = { .count = 0 };

		for (uint32_t i = 0; i < count * step; i++)
			owners_in_way(s, p + i, members[i / step], &o);
		if (!o.full && (best.full || o.cost < best.cost))
			best = o;
	}
	if (!best.full && (best.cost < own || own >= 1e30f) && best.cost < 1e30f) {
		for (uint32_t i = 0; i < best.count; i++)
			spill_one(s, best.list[i]);
		return;
	}
	if (own >= 1e30f)
		ptx_fail(s->cc->ctx, s->cc->kernel->line, "`%s' does not fit into %u registers",
			 s->cc->kernel->name, s->limit);
	/* without the cheapest of its members the group is no lighter: all go */
	for (uint32_t i = 0; i < count; i++)
		if (s->weight[members[i]] < 1e30f)
			spill_one(s, members[i]);
}

/* Place v and its group, spilling others until there is room. */
static void scan_register(struct scan *s, uint32_t v)
{
	uint32_t members[4], count = members_of(s, v, members), phys;

	for (unsigned int attempt = 0; !s->done[v]; attempt++) {
		if (count > 1 ? place_group(s, members, count)
			      : (phys = pick_register(s, v)) != CC_NONE) {
			if (count == 1)
				place_register(s, v, phys);
			return;
		}
		if (attempt > 8)
			ptx_fail(s->cc->ctx, s->cc->kernel->line,
				 "`%s' does not fit into %u registers", s->cc->kernel->name,
				 s->limit);
		make_room(s, members, count);
	}
}

/*
 * Uses count ten times more for each loop around them; what is made anew by a few instructions
 * costs less than what is in memory.
 */
static void compute_weights(struct scan *s)
{
	static const float by_depth[] = { 1, 10, 100, 1000, 1e4f, 1e5f };
	struct cc *cc = s->cc;
	uint32_t *slots[12];

	for (uint32_t b = 0; b < cc->block_count; b++) {
		float unit = by_depth[cc->blocks[b].depth < 5 ? cc->blocks[b].depth : 5];

		for (uint32_t i = cc->blocks[b].start; i < cc->blocks[b].end; i++) {
			struct cc_insn *insn = &cc->insns[i];
			unsigned int count = cc_sources(insn, slots);

			for (unsigned int k = 0; k < count; k++)
				s->weight[*slots[k] & ~CC_NOT] += unit;
			count = cc_results(insn, slots);
			for (unsigned int k = 0; k < count; k++)
				s->weight[*slots[k]] += unit;
			if ((insn->op == VGPU_OP_MOV || insn->op == VGPU_OP_MOVQ) &&
			    insn->b != CC_NONE) {
				s->hint[insn->dst] = insn->b;
				s->hint[insn->b] = insn->dst;
			}
		}
	}
	for (uint32_t v = 0; v < cc->vregs_count; v++) {
		uint64_t length = 1;

		for (uint32_t r = 0; r < s->live[v].count; r++)
			length += s->live[v].ranges[r].to - s->live[v].ranges[r].from;
		s->weight[v] =
			(cc->vregs[v] & CC_SPILL_TEMP) ? 1e30f : s->weight[v] / (float)length;
		if (s->live[v].count && s->weight[v] < 1e30f && cc_can_remake(cc, v))
			s->weight[v] /= 4;
	}
}

/* Registers of the wanted kind in the order in which they come to life. */
static uint32_t *order_by_start(struct cc *cc, const struct cc_live *live, bool preds,
				uint32_t *count)
{
	uint32_t positions = cc->insns_count * 2 + 2,
		 *start = ptx_alloc(cc->ctx, (positions + 1) * sizeof(*start));
	uint32_t *order = ptx_alloc(cc->ctx, (cc->vregs_count + 1) * sizeof(*order));

	for (unsigned int pass = 0; pass < 2; pass++) {
		for (uint32_t v = 1; v < cc->vregs_count; v++) {
			if (!live[v].count || (CC_CLASS(cc->vregs[v]) == CC_P) != preds)
				continue;
			if (pass == 0)
				start[live[v].ranges[0].from + 1]++;
			else
				order[start[live[v].ranges[0].from]++] = v;
		}
		for (uint32_t i = 0; pass == 0 && i < positions; i++)
			start[i + 1] += start[i];
		if (pass == 0)
			*count = start[positions];
	}
	return order;
}

/* One scan; false if registers had to go to memory and the code was rewritten. */
static bool scan_file(struct cc *cc, const struct cc_live *live, const struct cc_live *warp,
		      const struct cc_groups *groups, bool preds)
{
	struct scan scan = { .cc = cc, .live = live, .warp = warp, .groups = groups }, *s = &scan;
	uint32_t count = 0, *order = order_by_start(cc, warp, preds, &count), most = 0;

	s->limit = preds ? VGPU_PREDS - 1 : cc->max_regs;
	s->limit -= preds ? cc->reserved_preds : cc->reserved_regs;
	if (!preds && cc->procedures && !cc->procedure)
		s->limit -= cc->procedures->regs;
	s->file = ptx_alloc(cc->ctx, 256 * sizeof(*s->file));
	s->hint = ptx_alloc(cc->ctx, cc->vregs_count * sizeof(*s->hint));
	memset(s->hint, 0xff, cc->vregs_count * sizeof(*s->hint));
	s->weight = ptx_alloc(cc->ctx, cc->vregs_count * sizeof(*s->weight));
	s->done = ptx_alloc(cc->ctx, cc->vregs_count);
	cc_count_defs(cc);
	compute_weights(s);
	for (uint32_t i = 0; i < count; i++) {
		s->now = warp[order[i]].ranges[0].from;
		if (!s->done[order[i]])
			scan_register(s, order[i]);
	}
	if (s->victims_count) {
		if (preds)
			cc_spill_predicates(cc, s->victims, s->victims_count);
		else
			cc_spill(cc, live, s->victims, s->victims_count);
		return false;
	}
	for (uint32_t i = 0; i < count; i++) {
		uint32_t end = cc->phys[order[i]] + register_words(s, order[i]);

		if (end > most)
			most = end;
		if (!preds && !is_pair(s, order[i]) && end > cc->singles_used)
			cc->singles_used = end;
		if (!preds && cc->singles && is_pair(s, order[i]) &&
		    end - cc->singles > cc->pairs_used)
			cc->pairs_used = end - cc->singles;
	}
	if (preds)
		cc->preds_used = most;
	else
		cc->regs = most ? most : 1;
	return true;
}

void cc_allocate(struct cc *cc)
{
	struct cc_groups groups;
	struct cc_live *live, *warp;

	for (unsigned int round = 0; round < MAX_ROUNDS; round++) {
		cc_make_groups(cc, &groups);
		live = cc_liveness(cc);
		if (!round)
			cc->max_live = cc_max_live(cc, live);
		cc_coalesce(cc, &groups, live);
		warp = cc->singles ? live : cc_warp_liveness(cc, live);
		cc->phys = ptx_alloc(cc->ctx, cc->vregs_count * sizeof(*cc->phys));
		memset(cc->phys, 0xff, cc->vregs_count * sizeof(*cc->phys));
		cc->phys[CC_PT] = VGPU_PT;
		if (scan_file(cc, live, warp, &groups, true) &&
		    scan_file(cc, live, warp, &groups, false))
			return;
	}
	ptx_fail(cc->ctx, cc->kernel->line, "`%s' does not fit into its registers",
		 cc->kernel->name);
}

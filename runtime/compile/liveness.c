// SPDX-License-Identifier: MIT
/*
 * Liveness, one virtual register at a time: from every use that a block does not define itself up
 * through the predecessors to the definitions. The cost is that of the result, however many
 * registers there are.
 *
 * Instruction i reads at position 2i and writes at 2i + 1. A write under a guard keeps the old
 * value where the guard is false, so it ends no live range. Registers are per lane: divergence
 * changes nothing here.
 */
#include <stdlib.h>
#include <string.h>

#include "cc.h"

struct event {			/* a place where a register is read or written */
	uint32_t insn;
	uint32_t block : 30, write : 1, kill : 1;
};

struct work {
	struct cc *cc;
	uint32_t *first;	/* events of each register, in the order of the code */
	struct event *events;
	/* by block: the register it was last found live for, plus one */
	uint32_t *live_in, *live_out;
	uint32_t *touched, touched_count;
	uint32_t *touch;	/* by block, as live_in */
	uint32_t *stack;
	struct cc_range *ranges;	/* of the register at hand, backwards */
	uint32_t ranges_count, ranges_room;
	struct ptx_ctx *ctx;
};

static void each_event(struct cc *cc, void (*visit)(struct work *, uint32_t, struct event),
		       struct work *w)
{
	uint32_t *slots[12];

	for (uint32_t b = 0; b < cc->block_count; b++) {
		for (uint32_t i = cc->blocks[b].start; i < cc->blocks[b].end; i++) {
			struct cc_insn *insn = &cc->insns[i];
			unsigned int count = cc_sources(insn, slots);

			for (unsigned int s = 0; s < count; s++)
				visit(w, *slots[s] & ~CC_NOT,
				      (struct event){ .insn = i, .block = b });
			count = cc_results(insn, slots);
			for (unsigned int s = 0; s < count; s++) {
				uint32_t reg = *slots[s];
				bool kill =
					insn->guard == CC_PT || (cc->vregs[reg] & CC_SPILL_TEMP);

				visit(w, reg,
				      (struct event){
					      .insn = i, .block = b, .write = 1, .kill = kill });
			}
		}
	}
}

static void count_event(struct work *w, uint32_t reg, struct event event)
{
	(void)event;
	w->first[reg + 1]++;
}

static void put_event(struct work *w, uint32_t reg, struct event event)
{
	w->events[w->touch[reg]++] = event;
}

static void collect_events(struct work *w)
{
	struct cc *cc = w->cc;

	w->first = ptx_alloc(cc->ctx, (cc->vregs_count + 2) * sizeof(*w->first));
	each_event(cc, count_event, w);
	for (uint32_t v = 0; v < cc->vregs_count; v++)
		w->first[v + 1] += w->first[v];
	w->events = ptx_alloc(cc->ctx, (w->first[cc->vregs_count] + 1) * sizeof(*w->events));
	w->touch = ptx_alloc(cc->ctx, (cc->vregs_count + 1) * sizeof(*w->touch));
	memcpy(w->touch, w->first, cc->vregs_count * sizeof(*w->touch));
	each_event(cc, put_event, w);
}

/* Remember that the register of @tag has something to do in the block. */
static void touch_block(struct work *w, uint32_t block, uint32_t tag)
{
	if (w->touch[block] == tag)
		return;
	w->touch[block] = tag;
	w->touched[w->touched_count++] = block;
}

/* From the blocks that need the register at their start to those that provide it. */
static void propagate_live(struct work *w, uint32_t reg, uint32_t depth)
{
	struct cc *cc = w->cc;
	uint32_t tag = reg + 1;

	while (depth) {
		const struct cc_block *block = &cc->blocks[w->stack[--depth]];

		for (uint32_t p = 0; p < block->pred_count; p++) {
			uint32_t pred = cc->preds[block->pred_first + p];

			if (w->live_out[pred] == tag)
				continue;
			w->live_out[pred] = tag;
			/*
			 * a touched block without events passes it on; one with events has decided
			 * for itself
			 */
			if (w->touch[pred] == tag)
				continue;
			touch_block(w, pred, tag);
			w->live_in[pred] = tag;
			w->stack[depth++] = pred;
		}
	}
}

static void add_range(struct work *w, uint32_t from, uint32_t to)
{
	struct cc_range *last = w->ranges_count ? &w->ranges[w->ranges_count - 1] : NULL;

	if (last && last->from <= to) {
		if (from < last->from)
			last->from = from;
		return;
	}
	*PTX_PUSH(w->ctx, w, ranges) = (struct cc_range){ from, to };
}

static int compare_blocks(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

/* Ranges of one block, from its end to its start. */
static void block_ranges(struct work *w, uint32_t b, uint32_t tag, const struct event *first,
			 const struct event *last)
{
	const struct cc_block *block = &w->cc->blocks[b];
	bool open = w->live_out[b] == tag;
	uint32_t end = block->end * 2;

	for (const struct event *e = last; e > first; e--) {
		const struct event *event = e - 1;
		uint32_t at = event->insn * 2 + event->write;

		if (!open) {
			end = at + 1;
			open = true;
		}
		if (event->write && event->kill) {
			add_range(w, at, end);
			open = false;
		}
	}
	if (open)
		add_range(w, block->start * 2, end);
}

/* The ranges of one register, from its events and the blocks that it is live through. */
static void register_ranges(struct work *w, uint32_t reg, struct cc_live *live)
{
	const struct event *events = w->events + w->first[reg],
			   *end = w->events + w->first[reg + 1];
	uint32_t tag = reg + 1, depth = 0;

	w->touched_count = 0;
	w->ranges_count = 0;
	for (const struct event *e = events; e < end;) {
		const struct event *next = e;

		touch_block(w, e->block, tag);
		/*
		 * needed at the start unless the first thing that happens is a write without
		 * condition
		 */
		if (!(e->write && e->kill)) {
			w->live_in[e->block] = tag;
			w->stack[depth++] = e->block;
		}
		while (next < end && next->block == e->block)
			next++;
		e = next;
	}
	propagate_live(w, reg, depth);
	qsort(w->touched, w->touched_count, sizeof(*w->touched), compare_blocks);
	for (uint32_t t = w->touched_count; t > 0; t--) {
		uint32_t b = w->touched[t - 1];
		const struct event *last = end;

		while (last > events && last[-1].block > b)
			last--;
		const struct event *first = last;

		while (first > events && first[-1].block == b)
			first--;
		end = first;
		block_ranges(w, b, tag, first, last);
	}
	live->count = live->room = w->ranges_count;
	live->ranges = ptx_alloc(w->ctx, w->ranges_count * sizeof(*live->ranges));
	for (uint32_t i = 0; i < w->ranges_count; i++)
		live->ranges[i] = w->ranges[w->ranges_count - 1 - i];
}

struct cc_live *cc_liveness(struct cc *cc)
{
	struct cc_live *live = ptx_alloc(cc->ctx, cc->vregs_count * sizeof(*live));
	size_t bytes = (cc->block_count + 1) * sizeof(uint32_t);
	struct work work = { .cc = cc, .ctx = cc->ctx }, *w = &work;

	collect_events(w);
	w->live_in = ptx_alloc(cc->ctx, bytes);
	w->live_out = ptx_alloc(cc->ctx, bytes);
	w->touch = ptx_alloc(cc->ctx, bytes);
	w->touched = ptx_alloc(cc->ctx, bytes);
	w->stack = ptx_alloc(cc->ctx, bytes);
	for (uint32_t v = 1; v < cc->vregs_count; v++)
		register_ranges(w, v, &live[v]);
	return live;
}

bool cc_live_overlap(const struct cc_live *a, const struct cc_live *b)
{
	for (uint32_t i = 0, j = 0; i < a->count && j < b->count;) {
		if (a->ranges[i].to <= b->ranges[j].from)
			i++;
		else if (b->ranges[j].to <= a->ranges[i].from)
			j++;
		else
			return true;
	}
	return false;
}

/* Adds the ranges of b, which do not overlap a's, to a. */
void cc_live_merge(struct cc *cc, struct cc_live *a, const struct cc_live *b)
{
	struct cc_range *ranges = ptx_alloc(cc->ctx, (a->count + b->count) * sizeof(*ranges));
	uint32_t count = 0;

	for (uint32_t i = 0, j = 0; i < a->count || j < b->count;) {
		struct cc_range next =
			j == b->count || (i < a->count && a->ranges[i].from < b->ranges[j].from) ?
				a->ranges[i++] :
				b->ranges[j++];

		if (count && ranges[count - 1].to == next.from)
			ranges[count - 1].to = next.to;
		else
			ranges[count++] = next;
	}
	a->ranges = ranges;
	a->count = a->room = count;
}

/* Most 32-bit registers live at one position. */
uint32_t cc_max_live(struct cc *cc, const struct cc_live *live)
{
	int32_t *change = ptx_alloc(cc->ctx, (cc->insns_count * 2 + 4) * sizeof(*change)), now = 0,
		most = 0;

	for (uint32_t v = 1; v < cc->vregs_count; v++) {
		enum cc_class class = CC_CLASS(cc->vregs[v]);
		int32_t size = class == CC_P ? 0 : class == CC_Q ? 2 : 1;

		for (uint32_t r = 0; r < live[v].count; r++) {
			change[live[v].ranges[r].from] += size;
			change[live[v].ranges[r].to] -= size;
		}
	}
	for (uint32_t i = 0; i < cc->insns_count * 2 + 4; i++) {
		now += change[i];
		if (now > most)
			most = now;
	}
	return (uint32_t)most;
}

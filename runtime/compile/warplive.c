// SPDX-License-Identifier: MIT
/*
 * Liveness of a warp. The register file keeps a 64-bit register of 32 lanes where it keeps two
 * 32-bit ones, but lane by lane: writing R4 in one lane overwrites Q4 of another. So a pair and its
 * halves must not be in use at the same time in any two lanes, while lanes that took different ways
 * of a branch run one after the other.
 *
 * Lanes wait at the start of the side that has not run yet and where the sides meet; meanwhile
 * others run anywhere between the branch and the meeting point. What is live where lanes can wait
 * is therefore taken to be live in all of that region. Registers of one size need no more than
 * their own lane's liveness.
 *
 * An instruction by a member mask makes its lanes wait for others in the middle of a side, and
 * leaves them there when it is done until it is their turn. Then every other side of the regions
 * around it can run, and stand anywhere: in such a region lanes are taken to be able to wait at
 * every block, and at those instructions.
 *
 * Where lanes may wait in a loop for what others do, those have their turn whatever they wait at
 * (docs/isa.md, turns): from then on lanes can be anywhere in the kernel. What is live at the start
 * of any block, or at a barrier, is then taken to be live everywhere.
 */
#include <stdlib.h>
#include <string.h>

#include "cc.h"

#define REGION_BUDGET (1u << 22) /* blocks in all regions; beyond it everything is one region */

struct region {
	uint32_t first, count;	/* in regions.blocks */
};

struct regions {
	struct region *list;
	uint32_t list_count, list_room;
	uint32_t *blocks;
	uint32_t blocks_count, blocks_room;
	/* regions whose lanes can wait at a block: chains through next[] */
	uint32_t *head;
	struct link {
		uint32_t region, next;
	} *links;
	uint32_t links_count, links_room;
	/* instructions by a member mask inside a region, in ascending order */
	struct point {
		uint32_t insn, block;
	} *points;
	uint32_t points_count, points_room;
	bool everything;	/* too large: every region is the whole kernel */
};

/*
 * Lanes can wait at the start of the block. No live range covers a block without instructions, but
 * what is live there is live at the start of its successor.
 */
static void add_wait(struct cc *cc, struct regions *r, uint32_t block, uint32_t region)
{
	struct link *link;

	for (uint32_t steps = 0; block != CC_NONE && steps < cc->block_count &&
				 cc->blocks[block].start == cc->blocks[block].end;
	     steps++)
		block = cc->blocks[block].succ[0];
	if (block == CC_NONE)
		return;
	link = PTX_PUSH(cc->ctx, r, links);
	link->region = region;
	link->next = r->head[block];
	r->head[block] = r->links_count - 1;
}

/* The blocks that can run between the branch at the end of b and its meeting point. */
static void collect_region(struct cc *cc, struct regions *r, uint32_t b, uint32_t *seen,
			   uint32_t *stack)
{
	const struct cc_block *branch = &cc->blocks[b];
	uint32_t depth = 0, tag = b + 1, first = r->blocks_count;

	if (branch->ipdom != CC_NONE)
		seen[branch->ipdom] = tag;
	for (unsigned int s = 0; s < 2; s++)
		if (seen[branch->succ[s]] != tag) {
			seen[branch->succ[s]] = tag;
			stack[depth++] = branch->succ[s];
		}
	while (depth) {
		const struct cc_block *block = &cc->blocks[stack[--depth]];

		*PTX_PUSH(cc->ctx, r, blocks) = stack[depth];
		for (unsigned int s = 0; s < 2; s++)
			if (block->succ[s] != CC_NONE && seen[block->succ[s]] != tag) {
				seen[block->succ[s]] = tag;
				stack[depth++] = block->succ[s];
			}
	}
	*PTX_PUSH(cc->ctx, r, list) = (struct region){ first, r->blocks_count - first };
}

bool cc_observes(const struct cc *cc)
{
	bool observes = false;

	for (uint32_t i = 0; i < cc->insns_count; i++) {
		const struct cc_insn *insn = &cc->insns[i];

		switch (cc_opinfo[insn->op].class) {
		case CC_C_ATOM:
			observes |= !(insn->flags & VGPU_F_ATOM_NORET);
			break;
		case CC_C_FENCE:
			observes = true;
			break;
		case CC_C_MEM:
			observes |= VGPU_MEM_ORDER(insn->mem) == VGPU_ORDER_RELAXED ||
				    VGPU_MEM_ORDER(insn->mem) == VGPU_ORDER_ACQUIRE ||
				    VGPU_MEM_CACHE(insn->mem) == VGPU_CACHE_CG ||
				    VGPU_MEM_CACHE(insn->mem) == VGPU_CACHE_CV;
			break;
		default:
			observes |= insn->op == CC_INVOKE ||
				    (insn->op == CC_CALL && insn->shared->observes);
		}
	}
	return observes;
}

/*
 * Can lanes have turns? That takes a branch back across what can observe other lanes; the end of a
 * function that is called is one. No less than what the device takes for it
 * (sim-device/sm/waits.c), whatever the order of blocks becomes.
 */
static bool has_turns(const struct cc *cc)
{
	bool loops = false;

	if (!cc_observes(cc))
		return false;
	for (uint32_t i = 0; i < cc->insns_count; i++)
		loops |= cc->insns[i].op == CC_CALL || cc->insns[i].op == CC_INVOKE;
	for (uint32_t b = 0; b < cc->block_count; b++)
		for (unsigned int s = 0; s < 2; s++)
			loops |= cc->blocks[b].succ[s] != CC_NONE && cc->blocks[b].succ[s] <= b;
	return loops;
}

static bool block_waits(const struct cc *cc, uint32_t b)
{
	for (uint32_t i = cc->blocks[b].start; i < cc->blocks[b].end; i++)
		if (cc_waits(&cc->insns[i]))
			return true;
	return false;
}

/*
 * Lanes can wait at every block of a region with an instruction that waits for members of a mask.
 */
static void add_mask_waits(struct cc *cc, struct regions *r)
{
	uint8_t *has = ptx_alloc(cc->ctx, cc->block_count + 1);
	bool any = false;

	for (uint32_t b = 0; b < cc->block_count; b++) {
		has[b] = block_waits(cc, b);
		any |= has[b];
	}
	for (uint32_t n = 0; any && n < r->list_count; n++) {
		const struct region *region = &r->list[n];
		bool found = r->everything;

		for (uint32_t i = 0; i < region->count; i++)
			found |= has[r->blocks[region->first + i]];
		for (uint32_t i = 0; found && i < region->count; i++)
			add_wait(cc, r, r->blocks[region->first + i], n);
	}
	for (uint32_t b = 0; any && b < cc->block_count; b++) {
		if (!has[b] || (r->head[b] == CC_NONE && !r->everything))
			continue;
		for (uint32_t i = cc->blocks[b].start; i < cc->blocks[b].end; i++)
			if (cc_waits(&cc->insns[i]))
				*PTX_PUSH(cc->ctx, r, points) = (struct point){ i, b };
	}
}

/*
 * Lanes can wait at every block, at barriers and instructions by a member mask, and in a shared
 * function that they call. And where they have come back from it: its result is then still where
 * that has it.
 */
static void wait_anywhere(struct cc *cc, struct regions *r)
{
	r->everything = true;
	*PTX_PUSH(cc->ctx, r, list) = (struct region){ 0, 0 };
	for (uint32_t b = 0; b < cc->block_count; b++) {
		add_wait(cc, r, b, 0);
		for (uint32_t i = cc->blocks[b].start; i < cc->blocks[b].end; i++)
			if (cc_waits(&cc->insns[i]) || cc->insns[i].op == VGPU_OP_BAR ||
			    cc->insns[i].op == VGPU_OP_BARRED || cc->insns[i].op == CC_LEAVE ||
			    cc->insns[i].op == CC_CALL || cc->insns[i].op == CC_INVOKE ||
			    (i + 1 < cc->blocks[b].end && cc->insns[i + 1].op == CC_LEAVE))
				*PTX_PUSH(cc->ctx, r, points) = (struct point){ i, b };
	}
}

static void build_regions(struct cc *cc, struct regions *r)
{
	size_t bytes = (cc->block_count + 1) * sizeof(uint32_t);
	uint32_t *seen = ptx_alloc(cc->ctx, bytes), *stack = ptx_alloc(cc->ctx, bytes);

	r->head = ptx_alloc(cc->ctx, bytes);
	memset(r->head, 0xff, bytes);
	if (has_turns(cc)) {
		wait_anywhere(cc, r);
		return;
	}
	for (uint32_t b = 0; b < cc->block_count; b++) {
		const struct cc_block *block = &cc->blocks[b];

		if (block->succ[1] == CC_NONE || !block->divergent)
			continue;
		if (!r->everything)
			collect_region(cc, r, b, seen, stack);
		else
			*PTX_PUSH(cc->ctx, r, list) = (struct region){ 0, 0 };
		for (unsigned int s = 0; s < 2; s++)
			if (block->succ[s] != block->ipdom)
				add_wait(cc, r, block->succ[s], r->list_count - 1);
		add_wait(cc, r, block->ipdom, r->list_count - 1);
		if (r->blocks_count > REGION_BUDGET)
			r->everything = true;
	}
	add_mask_waits(cc, r);
}

static int compare_u32(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

struct grow {
	struct cc *cc;
	const struct regions *r;
	uint32_t *seen;		/* by block: the register it was last added for, plus one */
	uint32_t *done;		/* by region */
	uint32_t *added, added_count;
	struct cc_range *ranges;
	uint32_t ranges_count, ranges_room;
};

/* First block that starts at position `at` or later. */
static uint32_t block_from(const struct cc *cc, uint32_t at)
{
	uint32_t low = 0, high = cc->block_count;

	while (low < high) {
		uint32_t mid = (low + high) / 2;

		if (cc->blocks[mid].start * 2 < at)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* First point at which what is live from position `from` on can be live. */
static uint32_t point_from(const struct regions *r, uint32_t from)
{
	uint32_t low = 0, high = r->points_count;

	while (low < high) {
		uint32_t mid = (low + high) / 2;

		if (r->points[mid].insn * 2 + 1 < from)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static void add_regions(struct grow *g, uint32_t block, uint32_t tag)
{
	for (uint32_t l = g->r->head[block]; l != CC_NONE; l = g->r->links[l].next) {
		const struct region *region = &g->r->list[g->r->links[l].region];

		if (g->done[g->r->links[l].region] == tag)
			continue;
		g->done[g->r->links[l].region] = tag;
		for (uint32_t i = 0; i < region->count; i++) {
			uint32_t b = g->r->blocks[region->first + i];

			if (g->seen[b] == tag)
				continue;
			g->seen[b] = tag;
			g->added[g->added_count++] = b;
		}
	}
}

static void append_range(struct grow *g, uint32_t from, uint32_t to)
{
	struct cc_range *last = g->ranges_count ? &g->ranges[g->ranges_count - 1] : NULL;

	if (from == to)
		return;
	if (last && from <= last->to) {
		if (to > last->to)
			last->to = to;
		return;
	}
	*PTX_PUSH(g->cc->ctx, g, ranges) = (struct cc_range){ from, to };
}

static void extend_over_regions(struct grow *g, uint32_t v, const struct cc_live *lane,
				struct cc_live *warp)
{
	const struct cc *cc = g->cc;
	uint32_t tag = v + 1, r = 0, b;

	*warp = *lane;
	g->added_count = 0;
	g->ranges_count = 0;
	for (uint32_t i = 0; i < lane->count; i++)
		for (b = block_from(cc, lane->ranges[i].from);
		     b < cc->block_count && cc->blocks[b].start * 2 < lane->ranges[i].to; b++) {
			if (g->r->everything && g->r->head[b] != CC_NONE) {
				append_range(g, 0, cc->insns_count * 2 + 2);
				goto out;
			}
			add_regions(g, b, tag);
		}
	for (uint32_t i = 0; i < lane->count; i++)
		for (uint32_t p = point_from(g->r, lane->ranges[i].from);
		     p < g->r->points_count && g->r->points[p].insn * 2 < lane->ranges[i].to; p++) {
			if (g->r->everything) {
				append_range(g, 0, cc->insns_count * 2 + 2);
				goto out;
			}
			add_regions(g, g->r->points[p].block, tag);
		}
	if (!g->added_count)
		return;
	qsort(g->added, g->added_count, sizeof(*g->added), compare_u32);
	for (uint32_t i = 0; i < g->added_count || r < lane->count;) {
		const struct cc_block *block = i < g->added_count ? &cc->blocks[g->added[i]] : NULL;

		if (r < lane->count && (!block || lane->ranges[r].from < block->start * 2)) {
			append_range(g, lane->ranges[r].from, lane->ranges[r].to);
			r++;
		} else {
			append_range(g, block->start * 2, block->end * 2);
			i++;
		}
	}
out:
	warp->count = warp->room = g->ranges_count;
	warp->ranges = ptx_alloc(cc->ctx, g->ranges_count * sizeof(*warp->ranges));
	memcpy(warp->ranges, g->ranges, g->ranges_count * sizeof(*warp->ranges));
}

struct cc_live *cc_warp_liveness(struct cc *cc, const struct cc_live *live)
{
	struct cc_live *warp = ptx_alloc(cc->ctx, cc->vregs_count * sizeof(*warp));
	size_t bytes = (cc->block_count + 1) * sizeof(uint32_t);
	struct regions regions = { 0 };
	struct grow grow = { .cc = cc, .r = &regions }, *g = &grow;

	build_regions(cc, &regions);
	g->seen = ptx_alloc(cc->ctx, bytes);
	g->added = ptx_alloc(cc->ctx, bytes);
	g->done = ptx_alloc(cc->ctx, (regions.list_count + 1) * sizeof(*g->done));
	for (uint32_t v = 1; v < cc->vregs_count; v++)
		extend_over_regions(g, v, &live[v], &warp[v]);
	return warp;
}

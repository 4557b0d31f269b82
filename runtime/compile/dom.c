// SPDX-License-Identifier: MIT
/*
 * Dominators and post-dominators, by the iterative algorithm of Cooper, Harvey and Kennedy on
 * blocks in reverse postorder, and the loops that back edges make.
 *
 * Where lanes of a divergent branch meet again is its immediate post-dominator. A lane that exits
 * leaves its warp for good and waits for nobody, so a path that only leads to another EXIT or TRAP
 * does not count against a meeting point of the rest: post-dominators are found for the blocks that
 * reach the last EXIT, then for what is left.
 */
#include <string.h>

#include "cc.h"

struct walk {
	uint32_t *order;	/* reverse postorder from the root */
	uint32_t *number;	/* position in it, CC_NONE: not in the graph */
	uint32_t *parent;	/* result */
	uint32_t count;
	bool reverse;
};

static unsigned int neighbours(const struct cc *cc, uint32_t b, bool reverse, const uint32_t **list)
{
	const struct cc_block *block = &cc->blocks[b];

	if (reverse) {
		*list = cc->preds + block->pred_first;
		return block->pred_count;
	}
	*list = block->succ;
	return block->succ[1] != CC_NONE ? 2 : block->succ[0] != CC_NONE ? 1 : 0;
}

/* Reverse postorder from `root` over blocks that have no number yet; numbers them from `base`. */
static void order_from(struct cc *cc, struct walk *walk, uint32_t root, uint32_t *stack,
		       uint32_t *next)
{
	uint32_t depth = 0, at = cc->block_count, first;

	stack[depth++] = root;
	walk->number[root] = 0;
	next[root] = 0;
	while (depth) {
		uint32_t b = stack[depth - 1];
		const uint32_t *list;
		unsigned int count = neighbours(cc, b, walk->reverse, &list);

		if (next[b] == count) {
			walk->order[--at] = b;
			depth--;
			continue;
		}
		uint32_t to = list[next[b]++];

		if (walk->number[to] == CC_NONE) {
			walk->number[to] = 0;
			next[to] = 0;
			stack[depth++] = to;
		}
	}
	first = at;
	walk->count = cc->block_count - first;
	memmove(walk->order, walk->order + first, walk->count * sizeof(*walk->order));
	for (uint32_t i = 0; i < walk->count; i++)
		walk->number[walk->order[i]] = i;
}

static uint32_t intersect(const struct walk *walk, uint32_t a, uint32_t b)
{
	while (a != b) {
		while (walk->number[a] > walk->number[b])
			a = walk->parent[a];
		while (walk->number[b] > walk->number[a])
			b = walk->parent[b];
	}
	return a;
}

/* `member` says which blocks belong to this walk's graph. */
static void solve_dominators(struct cc *cc, struct walk *walk, const uint32_t *member, uint32_t tag)
{
	bool changed = true;

	walk->parent[walk->order[0]] = walk->order[0];
	while (changed) {
		changed = false;
		for (uint32_t i = 1; i < walk->count; i++) {
			uint32_t b = walk->order[i], new = CC_NONE;
			const uint32_t *list;
			unsigned int count = neighbours(cc, b, !walk->reverse, &list);

			for (unsigned int p = 0; p < count; p++) {
				if (member[list[p]] != tag || walk->parent[list[p]] == CC_NONE)
					continue;
				new = new == CC_NONE ? list[p] : intersect(walk, list[p], new);
			}
			if (new != walk->parent[b]) {
				walk->parent[b] = new;
				changed = true;
			}
		}
	}
}

static void new_walk(struct cc *cc, struct walk *walk, bool reverse)
{
	size_t bytes = (cc->block_count + 1) * sizeof(uint32_t);

	walk->order = ptx_alloc(cc->ctx, bytes);
	walk->number = ptx_alloc(cc->ctx, bytes);
	walk->parent = ptx_alloc(cc->ctx, bytes);
	memset(walk->number, 0xff, bytes);
	memset(walk->parent, 0xff, bytes);
	walk->reverse = reverse;
	walk->count = 0;
}

/* Numbers the dominator tree so that cc_dominates() is two comparisons. */
static void number_tree(struct cc *cc, const struct walk *walk)
{
	size_t bytes = (cc->block_count + 1) * sizeof(uint32_t);
	uint32_t *child = ptx_alloc(cc->ctx, bytes), *sibling = ptx_alloc(cc->ctx, bytes);
	uint32_t *stack = ptx_alloc(cc->ctx, bytes), depth = 0, clock = 0;

	memset(child, 0xff, bytes);
	memset(sibling, 0xff, bytes);
	for (uint32_t i = walk->count; i > 1; i--) {
		uint32_t b = walk->order[i - 1], parent = walk->parent[b];

		sibling[b] = child[parent];
		child[parent] = b;
	}
	stack[depth++] = walk->order[0];
	cc->blocks[walk->order[0]].dom_in = clock++;
	while (depth) {
		uint32_t b = stack[depth - 1], next = child[b];

		if (next == CC_NONE) {
			cc->blocks[b].dom_out = clock++;
			depth--;
			continue;
		}
		child[b] = sibling[next];
		cc->blocks[next].dom_in = clock++;
		stack[depth++] = next;
	}
}

void cc_dominators(struct cc *cc)
{
	size_t bytes = (cc->block_count + 1) * sizeof(uint32_t);
	uint32_t *member = ptx_alloc(cc->ctx, bytes);
	struct walk walk;

	new_walk(cc, &walk, false);
	order_from(cc, &walk, 0, ptx_alloc(cc->ctx, bytes), ptx_alloc(cc->ctx, bytes));
	solve_dominators(cc, &walk, member, 0);
	for (uint32_t b = 0; b < cc->block_count; b++)
		cc->blocks[b].idom = walk.parent[b] == b ? CC_NONE : walk.parent[b];
	number_tree(cc, &walk);
}

bool cc_dominates(const struct cc *cc, uint32_t a, uint32_t b)
{
	return cc->blocks[a].dom_in <= cc->blocks[b].dom_in &&
	       cc->blocks[b].dom_out <= cc->blocks[a].dom_out;
}

static bool ends_with(const struct cc *cc, const struct cc_block *block, unsigned int op)
{
	return block->succ[0] == CC_NONE && block->end > block->start &&
	       cc->insns[block->end - 1].op == op;
}

void cc_postdominators(struct cc *cc)
{
	size_t bytes = (cc->block_count + 1) * sizeof(uint32_t);
	uint32_t *member = ptx_alloc(cc->ctx, bytes), *stack = ptx_alloc(cc->ctx, bytes);
	uint32_t *next = ptx_alloc(cc->ctx, bytes), tag = 0;
	struct walk walk;

	new_walk(cc, &walk, true);
	for (uint32_t b = 0; b < cc->block_count; b++)
		cc->blocks[b].ipdom = CC_NONE;
	/*
	 * roots: EXITs from the last to the first, then TRAPs, then the last block of what never
	 * ends
	 */
	for (unsigned int round = 0; round < 3; round++) {
		for (uint32_t b = cc->block_count; b > 0; b--) {
			uint32_t root = b - 1;

			if (walk.number[root] != CC_NONE ||
			    (round == 0 && !ends_with(cc, &cc->blocks[root], VGPU_OP_EXIT)) ||
			    (round == 1 && cc->blocks[root].succ[0] != CC_NONE))
				continue;
			order_from(cc, &walk, root, stack, next);
			tag++;
			for (uint32_t i = 0; i < walk.count; i++)
				member[walk.order[i]] = tag;
			solve_dominators(cc, &walk, member, tag);
			for (uint32_t i = 1; i < walk.count; i++)
				cc->blocks[walk.order[i]].ipdom = walk.parent[walk.order[i]];
		}
	}
}

/*
 * How many loops are around each block: every natural loop of a back edge adds one to its blocks.
 */
void cc_loop_depths(struct cc *cc)
{
	size_t bytes = (cc->block_count + 1) * sizeof(uint32_t);
	uint32_t *seen = ptx_alloc(cc->ctx, bytes), *stack = ptx_alloc(cc->ctx, bytes), depth,
		 budget = 1u << 20;

	for (uint32_t h = 0; h < cc->block_count; h++) {
		const struct cc_block *head = &cc->blocks[h];

		depth = 0;
		for (uint32_t p = 0; p < head->pred_count; p++) {
			uint32_t tail = cc->preds[head->pred_first + p];

			if (!cc_dominates(cc, h, tail))
				continue;
			if (seen[h] != h + 1) {
				seen[h] = h + 1;
				cc->blocks[h].depth++;
			}
			if (seen[tail] != h + 1) {
				seen[tail] = h + 1;
				stack[depth++] = tail;
			}
		}
		/* the head stops the walk up */
		while (depth && budget) {
			uint32_t b = stack[--depth];

			budget--;
			cc->blocks[b].depth++;
			for (uint32_t p = 0; p < cc->blocks[b].pred_count; p++) {
				uint32_t pred = cc->preds[cc->blocks[b].pred_first + p];

				if (seen[pred] != h + 1) {
					seen[pred] = h + 1;
					stack[depth++] = pred;
				}
			}
		}
	}
}

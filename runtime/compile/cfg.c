// SPDX-License-Identifier: MIT
/*
 * Basic blocks: from the list of instructions and labels to blocks with successors and
 * predecessors, in reverse postorder too. Jumps to jumps are threaded, code that nothing reaches
 * goes.
 */
#include <string.h>

#include "cc.h"

static bool ends_block(const struct cc_insn *insn)
{
	return insn->op == VGPU_OP_BRA || ((insn->op == VGPU_OP_EXIT || insn->op == VGPU_OP_TRAP) &&
					   insn->guard == CC_PT);
}

/* Which block each label begins. Labels in a row begin the same one. */
static uint32_t *split_blocks(struct cc *cc)
{
	uint32_t *label_block = ptx_alloc(cc->ctx, (cc->label_count + 1) * sizeof(*label_block));
	uint32_t room = 2;
	bool open = false;

	for (uint32_t i = 0; i < cc->insns_count; i++)
		room += cc->insns[i].op == CC_LABEL || ends_block(&cc->insns[i]);
	cc->blocks = ptx_alloc(cc->ctx, room * sizeof(*cc->blocks));
	cc->block_count = 0;
	for (uint32_t i = 0; i < cc->insns_count; i++) {
		struct cc_insn *insn = &cc->insns[i];
		bool label = insn->op == CC_LABEL;

		if (!open || (label && cc->blocks[cc->block_count - 1].end >
					       cc->blocks[cc->block_count - 1].start)) {
			cc->blocks[cc->block_count].start = cc->blocks[cc->block_count].end = i;
			cc->block_count++;
			open = true;
		}
		if (label) {
			label_block[insn->target] = cc->block_count - 1;
			if (cc->blocks[cc->block_count - 1].end ==
			    cc->blocks[cc->block_count - 1].start)
				cc->blocks[cc->block_count - 1].start =
					cc->blocks[cc->block_count - 1].end = i + 1;
			continue;
		}
		cc->blocks[cc->block_count - 1].end = i + 1;
		if (ends_block(insn))
			open = false;
	}
	return label_block;
}

static void link_successors(struct cc *cc, const uint32_t *label_block)
{
	for (uint32_t b = 0; b < cc->block_count; b++) {
		struct cc_block *block = &cc->blocks[b];
		struct cc_insn *last =
			block->end > block->start ? &cc->insns[block->end - 1] : NULL;

		block->succ[0] = block->succ[1] = CC_NONE;
		if (last && last->op == VGPU_OP_BRA) {
			uint32_t target = label_block[last->target];

			last->target = target;
			if (last->guard == CC_PT || target == b + 1) {
				block->succ[0] = target;
				/* emission puts a jump where the target does not follow */
				cc_remove(last);
			} else {
				block->succ[0] = b + 1;
				block->succ[1] = target;
			}
		} else if (!last || !ends_block(last)) {
			block->succ[0] = b + 1;
		}
		if (block->succ[0] != CC_NONE && block->succ[0] >= cc->block_count)
			block->succ[0] = CC_NONE;
	}
}

static bool is_empty(const struct cc *cc, const struct cc_block *block)
{
	for (uint32_t i = block->start; i < block->end; i++)
		if (cc->insns[i].op != VGPU_OP_NOP)
			return false;
	return block->succ[0] != CC_NONE && block->succ[1] == CC_NONE;
}

/* An edge to a block that only goes on goes there directly. */
static void thread_jumps(struct cc *cc)
{
	uint32_t *to = ptx_alloc(cc->ctx, cc->block_count * sizeof(*to));

	for (uint32_t b = 0; b < cc->block_count; b++) {
		uint32_t at = b, steps = 0;

		while (is_empty(cc, &cc->blocks[at]) && steps++ < 64)
			at = cc->blocks[at].succ[0];
		to[b] = steps < 64 ? at : b;
	}
	for (uint32_t b = 0; b < cc->block_count; b++) {
		struct cc_block *block = &cc->blocks[b];

		for (unsigned int s = 0; s < 2; s++)
			if (block->succ[s] != CC_NONE)
				block->succ[s] = to[block->succ[s]];
		if (block->succ[1] == CC_NONE)
			continue;
		if (block->succ[1] == block->succ[0]) {	/* both ways lead to the same place */
			cc_remove(&cc->insns[block->end - 1]);
			block->succ[1] = CC_NONE;
		} else {
			cc->insns[block->end - 1].target = block->succ[1];
		}
	}
}

/* Depth-first from the entry; the blocks in postorder go to `order` from its end. */
static void number_blocks(struct cc *cc, uint32_t *number)
{
	uint32_t *stack = ptx_alloc(cc->ctx, (cc->block_count + 1) * sizeof(*stack));
	uint8_t *next = ptx_alloc(cc->ctx, cc->block_count + 1);
	uint32_t depth = 0, at = cc->block_count;

	cc->order = ptx_alloc(cc->ctx, (cc->block_count + 1) * sizeof(*cc->order));
	memset(number, 0xff, cc->block_count * sizeof(*number));
	if (!cc->block_count)
		return;
	stack[depth++] = 0;
	number[0] = 0;
	while (depth) {
		uint32_t b = stack[depth - 1], succ;

		if (next[b] == 2) {
			cc->order[--at] = b;
			depth--;
			continue;
		}
		/*
		 * the taken side first, so that the fall-through side comes first in reverse
		 * postorder
		 */
		succ = cc->blocks[b].succ[1 - next[b]++];
		if (succ != CC_NONE && number[succ] == CC_NONE) {
			number[succ] = 0;
			stack[depth++] = succ;
		}
	}
	cc->order_count = cc->block_count - at;
	memmove(cc->order, cc->order + at, cc->order_count * sizeof(*cc->order));
}

/*
 * Drops unreached blocks, keeping the rest in their order, and a block into its only predecessor
 * before it.
 */
static void drop_unreached(struct cc *cc, const uint32_t *number)
{
	uint32_t *moved = ptx_alloc(cc->ctx, (cc->block_count + 1) * sizeof(*moved)), to = 0;
	uint32_t *entries = ptx_alloc(cc->ctx, (cc->block_count + 1) * sizeof(*entries));

	for (uint32_t b = 0; b < cc->block_count; b++)
		for (unsigned int s = 0; s < 2 && number[b] != CC_NONE; s++)
			if (cc->blocks[b].succ[s] != CC_NONE)
				entries[cc->blocks[b].succ[s]]++;
	for (uint32_t b = 0; b < cc->block_count; b++) {
		struct cc_block *block = &cc->blocks[b], *before = to ? &cc->blocks[to - 1] : NULL;

		if (number[b] == CC_NONE)
			continue;
		if (before && before->succ[0] == b && before->succ[1] == CC_NONE &&
		    entries[b] == 1) {
			uint32_t end = before->end;

			for (uint32_t i = block->start; i < block->end; i++, end++)
				if (end != i)
					cc->insns[end] = cc->insns[i];
			before->end = end;
			before->succ[0] = block->succ[0];
			before->succ[1] = block->succ[1];
			moved[b] = to - 1;
			continue;
		}
		moved[b] = to;
		cc->blocks[to++] = *block;
	}
	cc->block_count = to;
	for (uint32_t b = 0; b < to; b++) {
		struct cc_block *block = &cc->blocks[b];

		for (unsigned int s = 0; s < 2; s++)
			if (block->succ[s] != CC_NONE)
				block->succ[s] = moved[block->succ[s]];
		if (block->succ[1] != CC_NONE)
			cc->insns[block->end - 1].target = block->succ[1];
	}
}

static void link_predecessors(struct cc *cc)
{
	uint32_t total = 0, *fill;

	for (uint32_t b = 0; b < cc->block_count; b++)
		cc->blocks[b].pred_count = 0;
	for (uint32_t b = 0; b < cc->block_count; b++)
		for (unsigned int s = 0; s < 2; s++)
			if (cc->blocks[b].succ[s] != CC_NONE)
				cc->blocks[cc->blocks[b].succ[s]].pred_count++;
	fill = ptx_alloc(cc->ctx, (cc->block_count + 1) * sizeof(*fill));
	for (uint32_t b = 0; b < cc->block_count; b++) {
		cc->blocks[b].pred_first = total;
		total += cc->blocks[b].pred_count;
	}
	cc->preds = ptx_alloc(cc->ctx, (total + 1) * sizeof(*cc->preds));
	for (uint32_t b = 0; b < cc->block_count; b++)
		for (unsigned int s = 0; s < 2; s++)
			if (cc->blocks[b].succ[s] != CC_NONE) {
				uint32_t succ = cc->blocks[b].succ[s];

				cc->preds[cc->blocks[succ].pred_first + fill[succ]++] = b;
			}
}

void cc_build_blocks(struct cc *cc)
{
	uint32_t *label_block = split_blocks(cc), *number;

	link_successors(cc, label_block);
	thread_jumps(cc);
	number = ptx_alloc(cc->ctx, (cc->block_count + 1) * sizeof(*number));
	number_blocks(cc, number);
	drop_unreached(cc, number);
	cc_compact(cc);
	link_predecessors(cc);
	number_blocks(cc, number);
}

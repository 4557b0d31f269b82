// SPDX-License-Identifier: MIT
/*
 * Coalescing: a copy between registers that are never live at the same time makes them one register
 * and goes away. Copies in the deepest loops are tried first.
 */
#include <string.h>

#include "cc.h"

/* The register that stands for all that were merged with v. */
static uint32_t class_root(uint32_t *parent, uint32_t v)
{
	while (parent[v] != v) {
		parent[v] = parent[parent[v]];
		v = parent[v];
	}
	return v;
}

static bool is_copy(const struct cc *cc, const struct cc_insn *insn, uint32_t *src)
{
	if (insn->op == VGPU_OP_PMOV)
		*src = insn->a;
	else if ((insn->op == VGPU_OP_MOV || insn->op == VGPU_OP_MOVQ) && insn->b != CC_NONE)
		*src = insn->b;
	else
		return false;
	if ((*src & CC_NOT) || *src == CC_PT || insn->guard != CC_PT)
		return false;
	return !((cc->vregs[insn->dst] | cc->vregs[*src]) & CC_SPILL_TEMP);
}

/* A register has one place in one group, so two that are both in groups stay apart. */
static bool groups_allow(const uint32_t *group_of, uint32_t a, uint32_t b)
{
	return group_of[a] == CC_NONE || group_of[b] == CC_NONE;
}

/*
 * Merge the two sides of every copy in blocks of loop depth @depth (@deeper: and beyond) that allow
 * it. @parent is the union-find forest of merged registers, @group_of the group of each root.
 */
static void try_copies(struct cc *cc, struct cc_live *live, uint32_t *parent, uint32_t *group_of,
		       uint32_t depth, bool deeper)
{
	for (uint32_t b = 0; b < cc->block_count; b++) {
		const struct cc_block *block = &cc->blocks[b];

		if (deeper ? block->depth < depth : block->depth != depth)
			continue;
		for (uint32_t i = block->start; i < block->end; i++) {
			uint32_t src, dst, keep, gone;

			if (!is_copy(cc, &cc->insns[i], &src))
				continue;
			dst = class_root(parent, cc->insns[i].dst);
			src = class_root(parent, src);
			if (dst == src || !groups_allow(group_of, dst, src) ||
			    live[dst].count + live[src].count > 4096 ||
			    cc_live_overlap(&live[dst], &live[src]))
				continue;
			/* the group's register keeps its number: the group knows it by that */
			keep = group_of[dst] != CC_NONE ? dst : src;
			gone = keep == dst ? src : dst;
			parent[gone] = keep;
			cc_live_merge(cc, &live[keep], &live[gone]);
			live[gone].count = 0;
		}
	}
}

void cc_coalesce(struct cc *cc, const struct cc_groups *groups, struct cc_live *live)
{
	uint32_t *parent = ptx_alloc(cc->ctx, cc->vregs_count * sizeof(*parent)), *slots[12];
	uint32_t *group_of = ptx_alloc(cc->ctx, cc->vregs_count * sizeof(*group_of));

	memset(group_of, 0xff, cc->vregs_count * sizeof(*group_of));
	memcpy(group_of, groups->of,
	       (cc->vregs_count < groups->vregs ? cc->vregs_count : groups->vregs) *
		       sizeof(*group_of));
	for (uint32_t v = 0; v < cc->vregs_count; v++)
		parent[v] = v;
	try_copies(cc, live, parent, group_of, 3, true);
	for (uint32_t depth = 3; depth > 0; depth--)
		try_copies(cc, live, parent, group_of, depth - 1, false);
	for (uint32_t i = 0; i < cc->insns_count; i++) {
		struct cc_insn *insn = &cc->insns[i];
		unsigned int count = cc_sources(insn, slots);
		uint32_t src;

		for (unsigned int s = 0; s < count; s++)
			*slots[s] = class_root(parent, *slots[s] & ~CC_NOT) | (*slots[s] & CC_NOT);
		count = cc_results(insn, slots);
		for (unsigned int s = 0; s < count; s++)
			*slots[s] = class_root(parent, *slots[s]);
		if (is_copy(cc, insn, &src) && src == insn->dst)
			cc_remove(insn);	/* a NOP until emission: positions stay */
	}
}

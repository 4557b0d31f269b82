// SPDX-License-Identifier: MIT
/*
 * Vector accesses and atomics of 16 bytes take consecutive registers: those of an operand form a
 * group, which the allocator places as a whole. A register is in one group at most; where it would
 * be in two, or twice in one, a copy stands in for it.
 */
#include <string.h>

#include "cc.h"

static bool same_group(const struct cc_groups *groups, const uint32_t *regs, unsigned int count)
{
	uint32_t group = groups->of[regs[0]];

	if (group == CC_NONE)
		return false;
	for (unsigned int i = 0; i < 4; i++)
		if (i < count ? groups->members[group][i] != regs[i] :
				groups->members[group][i] != CC_NONE)
			return false;
	return true;
}

static void groups_resize(struct cc *cc, struct cc_groups *groups)
{
	uint32_t *of;
	uint8_t *index;

	if (cc->vregs_count <= groups->vregs)
		return;
	of = ptx_alloc(cc->ctx, cc->vregs_count * 2 * sizeof(*of));
	index = ptx_alloc(cc->ctx, cc->vregs_count * 2 * sizeof(*index));
	memset(of, 0xff, cc->vregs_count * 2 * sizeof(*of));
	if (groups->vregs) {
		memcpy(of, groups->of, groups->vregs * sizeof(*of));
		memcpy(index, groups->index, groups->vregs * sizeof(*index));
	}
	groups->of = of;
	groups->index = index;
	groups->vregs = cc->vregs_count * 2;
}

static struct cc_insn move_insn(struct cc *cc, const struct cc_insn *near, uint32_t dst,
				uint32_t src)
{
	struct cc_insn move;

	memset(&move, 0, sizeof(move));
	cc_remove(&move);
	move.op = CC_CLASS(cc->vregs[dst]) == CC_Q ? VGPU_OP_MOVQ : VGPU_OP_MOV;
	move.line = near->line;
	move.guard = near->guard;
	move.guard_not = near->guard_not;
	move.dst = dst;
	move.b = src;
	return move;
}

struct output {
	struct cc_insn *insns;
	uint32_t insns_count, insns_room;
};

struct vector {			/* operands of one instruction that lie beside each other */
	uint32_t *slots[4];
	unsigned int count;
};

static struct vector sources_of(struct cc_insn *insn)
{
	return (struct vector){
		.slots = {&insn->b, &insn->more[0], &insn->more[1], &insn->more[2]},
		.count = cc_source_vector(insn),
	};
}

static struct vector results_of(struct cc_insn *insn)
{
	const struct cc_opinfo *info = &cc_opinfo[insn->op];

	if (info->class == CC_C_ATOM && VGPU_F_ATOM_128(insn->flags))
		return (struct vector){.slots = {&insn->dst, &insn->second}, .count = 2};
	return (struct vector){
		.slots = {&insn->dst, &insn->more[0], &insn->more[1], &insn->more[2]},
		.count = info->dst == CC_K_V ? VGPU_F_COUNT(insn->flags) : 1,
	};
}

struct copies {			/* behind an instruction, of its results */
	struct cc_insn insns[4];
	unsigned int count;
};

/*
 * Makes the registers of one vector of @insn a group, with copies of sources before the instruction
 * or, in @after, of results behind it where needed.
 */
static void group_vector(struct cc *cc, struct cc_groups *groups, struct output *out,
			 struct cc_insn *insn, const struct vector *vector, struct copies *after)
{
	uint32_t regs[4], group;

	groups_resize(cc, groups);
	for (unsigned int i = 0; i < vector->count; i++)
		regs[i] = *vector->slots[i];
	if (same_group(groups, regs, vector->count))
		return;
	group = groups->members_count;
	memset(*PTX_PUSH(cc->ctx, groups, members), 0xff, sizeof(*groups->members));
	for (unsigned int i = 0; i < vector->count; i++) {
		/*
		 * only registers with one definition join: others would drag all their lives into
		 * the constraint
		 */
		if (groups->of[regs[i]] != CC_NONE || cc->defs[regs[i]].defs != 1) {
			uint32_t copy = cc_vreg(cc, CC_CLASS(cc->vregs[regs[i]]));

			if (!after) {
				*PTX_PUSH(cc->ctx, out, insns) = move_insn(cc, insn, copy, regs[i]);
				/* harmless for all lanes */
				out->insns[out->insns_count - 1].guard = CC_PT;
				out->insns[out->insns_count - 1].guard_not = 0;
			} else {
				after->insns[after->count++] = move_insn(cc, insn, regs[i], copy);
				cc->vregs[copy] |= insn->guard != CC_PT ? CC_SPILL_TEMP : 0;
			}
			regs[i] = copy;
			*vector->slots[i] = copy;
			groups_resize(cc, groups);
		}
		groups->of[regs[i]] = group;
		groups->index[regs[i]] = (uint8_t)i;
		groups->members[group][i] = regs[i];
	}
}

static bool is_vector(struct cc_insn *insn)
{
	return sources_of(insn).count > 1 || results_of(insn).count > 1;
}

static void group_access(struct cc *cc, struct cc_groups *groups, struct output *out,
			 struct cc_insn *insn)
{
	struct vector sources = sources_of(insn), results = results_of(insn);
	struct copies after = {.count = 0};

	if (sources.count > 1)
		group_vector(cc, groups, out, insn, &sources, NULL);
	if (results.count > 1)
		group_vector(cc, groups, out, insn, &results, &after);
	*PTX_PUSH(cc->ctx, out, insns) = *insn;
	for (unsigned int i = 0; i < after.count; i++)
		*PTX_PUSH(cc->ctx, out, insns) = after.insns[i];
}

void cc_make_groups(struct cc *cc, struct cc_groups *groups)
{
	struct output out = { 0 };
	bool any = false;

	memset(groups, 0, sizeof(*groups));
	groups_resize(cc, groups);
	for (uint32_t i = 0; i < cc->insns_count; i++)
		any |= is_vector(&cc->insns[i]);
	if (!any)
		return;
	cc_count_defs(cc);
	for (uint32_t b = 0; b < cc->block_count; b++) {
		struct cc_block *block = &cc->blocks[b];
		uint32_t start = out.insns_count;

		for (uint32_t i = block->start; i < block->end; i++) {
			struct cc_insn insn = cc->insns[i];

			if (is_vector(&insn))
				group_access(cc, groups, &out, &insn);
			else
				*PTX_PUSH(cc->ctx, &out, insns) = insn;
		}
		block->start = start;
		block->end = out.insns_count;
	}
	cc->insns = out.insns;
	cc->insns_count = out.insns_count;
	cc->insns_room = out.insns_room;
}

// SPDX-License-Identifier: MIT
/*
 * Constants that an instruction cannot hold: the third operand of a fused multiply-add, mostly.
 * Each use has a MOV of its own, which folding left. The same constant is kept in one register
 * where that saves MOVs in loops, as long as the kernel needs no more registers for it than an SM
 * that is full of threads has, or than the step in which registers are given to warps.
 */
#include <stdlib.h>
#include <string.h>

#include "cc.h"

#define FREE_REGS	32u	/* of each thread of a full SM */
#define STEP		8u	/* registers of a thread are given out in such steps */
#define LEAST_GAIN	3u	/* MOVs that are saved, those in loops counted more */
#define MOST_GROUPS	4096u

struct mov {
	uint64_t value;
	uint32_t insn, block;
	bool wide;
};

/* MOVs of one constant. */
struct group {
	uint32_t first, count;		/* in the list of MOVs */
	uint32_t block;			/* where the one that stays is */
	float gain;
};

struct share {
	struct cc *cc;
	struct mov *movs;
	uint32_t movs_count, movs_room;
	struct group *groups;
	uint32_t groups_count, groups_room;
	/* by virtual register: the one that replaces it, 0: none */
	uint32_t *instead;
	/* MOVs that go to the end of their block */
	struct mov *added;
	uint32_t added_count, added_room;
};

static float unit_of(const struct cc *cc, uint32_t block)
{
	static const float by_depth[] = { 1, 10, 100, 1000 };

	return by_depth[cc->blocks[block].depth < 3 ? cc->blocks[block].depth : 3];
}

static bool is_constant_mov(const struct cc *cc, const struct cc_insn *insn)
{
	return (insn->op == VGPU_OP_MOV || insn->op == VGPU_OP_MOVQ) &&
	       insn->flags & VGPU_F_IMM && !insn->reloc && !insn->keep && insn->guard == CC_PT &&
	       cc->defs[insn->dst].ssa;
}

/* Vectors want their registers in a row, which one that is shared cannot be in. */
static void find_movs(struct share *s)
{
	struct cc *cc = s->cc;
	uint8_t *other = ptx_alloc(cc->ctx, cc->vregs_count);
	uint32_t *slots[12];

	for (uint32_t i = 0; i < cc->insns_count; i++) {
		unsigned int count = cc_sources(&cc->insns[i], slots);

		for (unsigned int k = 0; k < count && !cc_pure(&cc->insns[i]); k++)
			other[*slots[k] & ~CC_NOT] = 1;
	}
	for (uint32_t b = 0; b < cc->block_count; b++)
		for (uint32_t i = cc->blocks[b].start; i < cc->blocks[b].end; i++) {
			const struct cc_insn *insn = &cc->insns[i];

			if (is_constant_mov(cc, insn) && !other[insn->dst])
				*PTX_PUSH(cc->ctx, s, movs) = (struct mov){
					insn->imm, i, b, insn->op == VGPU_OP_MOVQ
				};
		}
}

static int by_value(const void *a, const void *b)
{
	const struct mov *one = a, *other = b;

	if (one->wide != other->wide)
		return one->wide ? 1 : -1;
	if (one->value != other->value)
		return one->value < other->value ? -1 : 1;
	return one->insn < other->insn ? -1 : one->insn > other->insn;
}

static int by_gain(const void *a, const void *b)
{
	const struct group *one = a, *other = b;

	if (one->gain != other->gain)
		return one->gain > other->gain ? -1 : 1;
	return one->first < other->first ? -1 : one->first > other->first;
}

/* The block that all of them are behind, outside of loops. */
static void find_block(struct share *s, struct group *group)
{
	const struct cc *cc = s->cc;
	uint32_t block = s->movs[group->first].block;

	for (uint32_t i = 1; i < group->count; i++)
		while (!cc_dominates(cc, block, s->movs[group->first + i].block))
			block = cc->blocks[block].idom;
	while (cc->blocks[block].depth && cc->blocks[block].idom != block &&
	       cc->blocks[block].idom != CC_NONE)
		block = cc->blocks[block].idom;
	group->block = block;
	group->gain = -unit_of(cc, block);
	for (uint32_t i = 0; i < group->count; i++)
		group->gain += unit_of(cc, s->movs[group->first + i].block);
}

static void find_groups(struct share *s)
{
	qsort(s->movs, s->movs_count, sizeof(*s->movs), by_value);
	for (uint32_t i = 0, next; i < s->movs_count && s->groups_count < MOST_GROUPS; i = next) {
		struct group group = { .first = i };

		for (next = i; next < s->movs_count && s->movs[next].wide == s->movs[i].wide &&
			       s->movs[next].value == s->movs[i].value;
		     next++)
			group.count++;
		find_block(s, &group);
		if (group.gain >= LEAST_GAIN)
			*PTX_PUSH(s->cc->ctx, s, groups) = group;
	}
	if (s->groups_count)
		qsort(s->groups, s->groups_count, sizeof(*s->groups), by_gain);
}

/* One MOV for all: the first in that block, or a new one at its end. */
static void share_group(struct share *s, const struct group *group)
{
	struct cc *cc = s->cc;
	const struct mov *first = &s->movs[group->first];
	uint32_t kept = CC_NONE, reg;

	for (uint32_t i = 0; i < group->count && kept == CC_NONE; i++)
		if (first[i].block == group->block)
			kept = i;
	if (kept != CC_NONE) {
		reg = cc->insns[first[kept].insn].dst;
	} else {
		struct mov *added = PTX_PUSH(cc->ctx, s, added);

		*added = *first;
		added->block = group->block;
		reg = cc_vreg(cc, first->wide ? CC_Q : CC_R);
	}
	for (uint32_t i = 0; i < group->count; i++) {
		struct cc_insn *insn = &cc->insns[first[i].insn];

		if (i == kept)
			continue;
		s->instead[insn->dst] = reg;
		if (kept == CC_NONE && !i)
			insn->dst = reg;	/* what is copied when code is written anew */
		else
			cc_remove(insn);
	}
}

static bool ends_block(const struct cc_insn *insn)
{
	return insn->op == VGPU_OP_EXIT || insn->op == VGPU_OP_TRAP ||
	       (insn->op < CC_OPS && cc_opinfo[insn->op].class == CC_C_BRA);
}

/* The code once more, with what is added. */
static void write_code(struct share *s)
{
	struct cc *cc = s->cc;
	struct {
		struct cc_insn *insns;
		uint32_t insns_count, insns_room;
	} list = { 0 }, *out = &list;
	uint8_t *moved = ptx_alloc(cc->ctx, cc->insns_count + 1);

	for (uint32_t k = 0; k < s->added_count; k++)
		moved[s->added[k].insn] = 1;
	for (uint32_t b = 0; b < cc->block_count; b++) {
		struct cc_block *block = &cc->blocks[b];
		uint32_t start = out->insns_count, end = block->end;

		if (end > block->start && ends_block(&cc->insns[end - 1]))
			end--;
		for (uint32_t i = block->start; i < block->end; i++) {
			for (uint32_t k = 0; i == end && k < s->added_count; k++)
				if (s->added[k].block == b)
					*PTX_PUSH(cc->ctx, out, insns) =
						cc->insns[s->added[k].insn];
			if (!moved[i])
				*PTX_PUSH(cc->ctx, out, insns) = cc->insns[i];
		}
		for (uint32_t k = 0; end == block->end && k < s->added_count; k++)
			if (s->added[k].block == b)
				*PTX_PUSH(cc->ctx, out, insns) = cc->insns[s->added[k].insn];
		block->start = start;
		block->end = out->insns_count;
	}
	cc->insns = out->insns;
	cc->insns_count = out->insns_count;
	cc->insns_room = out->insns_room;
}

static void replace_uses(struct share *s)
{
	uint32_t *slots[12];

	for (uint32_t i = 0; i < s->cc->insns_count; i++) {
		unsigned int count = cc_sources(&s->cc->insns[i], slots);

		for (unsigned int k = 0; k < count; k++)
			if (s->instead[*slots[k] & ~CC_NOT])
				*slots[k] = s->instead[*slots[k] & ~CC_NOT];
	}
}

void cc_share_constants(struct cc *cc)
{
	struct share share = { .cc = cc }, *s = &share;
	uint32_t live, left;

	cc_count_defs(cc);
	find_movs(s);
	if (!s->movs_count)
		return;
	find_groups(s);
	if (!s->groups_count)
		return;
	live = cc_max_live(cc, cc_liveness(cc));
	left = live < FREE_REGS ? FREE_REGS - live : (STEP - live % STEP) % STEP;
	s->instead = ptx_alloc(cc->ctx, (cc->vregs_count + s->groups_count) * sizeof(*s->instead));
	for (uint32_t i = 0; i < s->groups_count; i++) {
		uint32_t size = s->movs[s->groups[i].first].wide ? 2 : 1;

		if (size > left)
			continue;
		left -= size;
		share_group(s, &s->groups[i]);
	}
	replace_uses(s);
	write_code(s);
	cc_compact(cc);
}

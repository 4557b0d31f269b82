// SPDX-License-Identifier: MIT
/*
 * Spilling: a register that found no place lives in local memory. Every read becomes a load into a
 * temporary before the instruction, every write a store behind it. What can be computed anew in a
 * few instructions from constants, parameters and special registers, as most addresses, is
 * rematerialized instead. Predicates spill into R registers.
 */
#include <string.h>

#include "cc.h"

/* Instructions that are executed again rather than a load. */
#define MOST_REMADE	3u

struct home {			/* of a spilled register */
	uint32_t slot;		/* offset in local memory */
	bool remade;		/* anew where it is used, it is not in memory */
	uint32_t victim;	/* its place in the list of victims, plus one; 0: not spilled */
};

/* The rewritten code; blocks get their new places as it grows. */
struct output {
	struct cc_insn *insns;
	uint32_t insns_count, insns_room;
};

/* A new instruction that is attributed to the PTX line of @near. */
static struct cc_insn *emit_near(struct cc *cc, struct output *out, unsigned int op,
				 const struct cc_insn *near)
{
	struct cc_insn *insn = PTX_PUSH(cc->ctx, out, insns);

	memset(insn, 0, sizeof(*insn));
	cc_remove(insn);
	insn->op = (uint16_t)op;
	insn->line = near->line;
	insn->spill = 1;
	return insn;
}

/*
 * Whether some instructions make the value of v anywhere, no more than *left, which grows less: its
 * own, and those of its sources. At the ends are constants, kernel parameters, special registers.
 */
static bool can_remake(struct cc *cc, uint32_t v, unsigned int *left)
{
	const struct cc_def *def = &cc->defs[v];
	uint32_t *slots[12], *results[5];
	struct cc_insn insn;
	unsigned int count;

	if (!def->ssa || !(*left)--)
		return false;
	insn = cc->insns[def->insn];
	if (insn.op == VGPU_OP_LDP)
		return VGPU_F_COUNT(insn.flags) == 1;
	if (!cc_pure(&insn) || insn.keep || insn.guard != CC_PT || cc_results(&insn, results) != 1)
		return false;
	count = cc_sources(&insn, slots);
	for (unsigned int s = 0; s < count; s++) {
		uint32_t source = *slots[s] & ~CC_NOT;

		if (source == CC_PT)
			continue;
		if (CC_CLASS(cc->vregs[source]) == CC_P || !can_remake(cc, source, left))
			return false;
	}
	return true;
}

bool cc_can_remake(struct cc *cc, uint32_t v)
{
	unsigned int left = MOST_REMADE;

	return CC_CLASS(cc->vregs[v]) != CC_P && can_remake(cc, v, &left);
}

/* Slots in local memory, shared by registers that are never live together. */
static void assign_slots(struct cc *cc, const struct cc_live *live, const uint32_t *victims,
			 uint32_t count, struct home *home)
{
	struct cc_live *taken = ptx_alloc(cc->ctx, (count + 1) * sizeof(*taken));
	uint32_t *offset = ptx_alloc(cc->ctx, (count + 1) * sizeof(*offset)), slots = 0;
	uint8_t *wide = ptx_alloc(cc->ctx, count + 1);
	uint32_t at = ((cc->local_bytes + 7) & ~7u) + ((cc->spilled_bytes + 7) & ~7u);

	for (uint32_t i = 0; i < count; i++) {
		uint32_t v = victims[i], k = 0, is_wide = CC_CLASS(cc->vregs[v]) == CC_Q;

		if (home[v].remade)
			continue;
		for (; k < slots; k++)
			if (wide[k] == is_wide && taken[k].count < 256 &&
			    !cc_live_overlap(&taken[k], &live[v]))
				break;
		if (k == slots || slots > 512) {
			k = slots++;
			at = is_wide ? (at + 7) & ~7u : at;
			offset[k] = at;
			wide[k] = (uint8_t)is_wide;
			at += is_wide ? 8 : 4;
		}
		cc_live_merge(cc, &taken[k], &live[v]);
		home[v].slot = offset[k];
	}
	cc->spilled_bytes = at - ((cc->local_bytes + 7) & ~7u);
	if (at > VGPU_VASS_MAX_LOCAL)
		ptx_fail(cc->ctx, cc->kernel->line,
			 "`%s' spills more than the %u bytes of local memory", cc->kernel->name,
			 VGPU_VASS_MAX_LOCAL);
}

/* A register of the class of @like that must not be spilled again: it lives for one instruction. */
static uint32_t new_temp(struct cc *cc, uint32_t like)
{
	uint32_t temp = cc_vreg(cc, CC_CLASS(cc->vregs[like]));

	cc->vregs[temp] |= CC_SPILL_TEMP;
	return temp;
}

/* The instructions that make v once more, in @temp. */
static void remake(struct cc *cc, struct output *out, const struct cc_insn *near, uint32_t v,
		   uint32_t temp)
{
	struct cc_insn insn = cc->insns[cc->defs[v].insn];
	uint32_t *slots[12];
	unsigned int count = cc_sources(&insn, slots);

	for (unsigned int s = 0; s < count; s++) {
		uint32_t source = *slots[s];

		if ((source & ~CC_NOT) == CC_PT)
			continue;
		*slots[s] = new_temp(cc, source);
		remake(cc, out, near, source, *slots[s]);
	}
	insn.dst = temp;
	insn.line = near->line;
	*PTX_PUSH(cc->ctx, out, insns) = insn;
}

/* Put the value of spilled register v into @temp: from memory, or computed again. */
static void load_source(struct cc *cc, struct output *out, const struct cc_insn *near,
			const struct home *home, uint32_t v, uint32_t temp)
{
	bool wide = CC_CLASS(cc->vregs[v]) == CC_Q;
	struct cc_insn *insn;

	if (home[v].remade) {
		remake(cc, out, near, v, temp);
		return;
	}
	insn = emit_near(cc, out, VGPU_OP_LDL, near);
	insn->flags = (uint8_t)((wide ? 3 : 2) | VGPU_F_ABS);
	insn->dst = temp;
	insn->imm = home[v].slot;
}

/*
 * One instruction with temporaries for its spilled operands. Registers from @known on were made by
 * this pass. A definition that is rematerialized at its uses goes. A store has the guard of the
 * instruction, so that a false guard leaves the old value in memory.
 */
static void rewrite_insn(struct cc *cc, struct output *out, struct cc_insn insn,
			 const struct home *home, uint32_t known)
{
	uint32_t *slots[12], from[12], to[12], *results[5], stored[5], temps[5];
	unsigned int count = cc_sources(&insn, slots), loads = 0, stores = 0;

	for (unsigned int s = 0; s < count; s++) {
		uint32_t v = *slots[s] & ~CC_NOT, k = 0;

		if (v >= known || !home[v].victim || CC_CLASS(cc->vregs[v]) == CC_P)
			continue;
		while (k < loads && from[k] != v)
			k++;
		if (k == loads) {
			from[k] = v;
			to[k] = new_temp(cc, v);
			load_source(cc, out, &insn, home, v, to[k]);
			loads++;
		}
		*slots[s] = to[k];
	}
	count = cc_results(&insn, results);
	for (unsigned int s = 0; s < count; s++) {
		uint32_t v = *results[s];

		if (v >= known || !home[v].victim || CC_CLASS(cc->vregs[v]) == CC_P)
			continue;
		if (home[v].remade) /* made where it is needed, not here */
			return;
		stored[stores] = v;
		temps[stores] = new_temp(cc, v);
		*results[s] = temps[stores++];
	}
	*PTX_PUSH(cc->ctx, out, insns) = insn;
	for (unsigned int s = 0; s < stores; s++) {
		struct cc_insn *store = emit_near(cc, out, VGPU_OP_STL, &insn);

		store->flags =
			(uint8_t)((CC_CLASS(cc->vregs[stored[s]]) == CC_Q ? 3 : 2) | VGPU_F_ABS);
		store->b = temps[s];
		store->imm = home[stored[s]].slot;
		store->guard = insn.guard;
		store->guard_not = insn.guard_not;
	}
}

void cc_spill(struct cc *cc, const struct cc_live *live, const uint32_t *victims, uint32_t count)
{
	uint32_t known = cc->vregs_count;
	struct home *home = ptx_alloc(cc->ctx, known * sizeof(*home));
	struct output out = { 0 };

	cc_count_defs(cc);
	for (uint32_t i = 0; i < count; i++) {
		home[victims[i]].victim = i + 1;
		home[victims[i]].remade = cc_can_remake(cc, victims[i]);
	}
	assign_slots(cc, live, victims, count, home);
	for (uint32_t b = 0; b < cc->block_count; b++) {
		struct cc_block *block = &cc->blocks[b];
		uint32_t start = out.insns_count;

		for (uint32_t i = block->start; i < block->end; i++)
			if (cc->insns[i].op != VGPU_OP_NOP)
				rewrite_insn(cc, &out, cc->insns[i], home, known);
		block->start = start;
		block->end = out.insns_count;
	}
	cc->insns = out.insns;
	cc->insns_count = out.insns_count;
	cc->insns_room = out.insns_room;
}

/* ---- predicates --------------------------------------------------------- */

/* The same for predicates, whose home is an R register of 0 or 1 (word[v]). */
static void rewrite_predicates(struct cc *cc, struct output *out, struct cc_insn insn,
			       const uint32_t *word, uint32_t known)
{
	uint32_t *slots[12], *results[5], from[12], to[12], stored[5], temps[5];
	unsigned int count = cc_sources(&insn, slots), loads = 0, stores = 0;

	for (unsigned int s = 0; s < count; s++) {
		uint32_t v = *slots[s] & ~CC_NOT, k = 0;

		if (v >= known || word[v] == CC_NONE)
			continue;
		while (k < loads && from[k] != v)
			k++;
		if (k == loads) {
			struct cc_insn *load = emit_near(cc, out, VGPU_OP_SETPU, &insn);

			from[k] = v;
			to[k] = new_temp(cc, v);
			load->flags = VGPU_CMP_NE | VGPU_F_IMM;
			load->dst = to[k];
			load->a = word[v];
			loads++;
		}
		*slots[s] = to[k] | (*slots[s] & CC_NOT);
	}
	count = cc_results(&insn, results);
	for (unsigned int s = 0; s < count; s++) {
		uint32_t v = *results[s];

		if (v >= known || word[v] == CC_NONE)
			continue;
		stored[stores] = v;
		temps[stores] = new_temp(cc, v);
		*results[s] = temps[stores++];
	}
	*PTX_PUSH(cc->ctx, out, insns) = insn;
	for (unsigned int s = 0; s < stores; s++) {
		struct cc_insn *store = emit_near(cc, out, VGPU_OP_P2R, &insn);

		store->dst = word[stored[s]];
		store->a = temps[s];
		store->guard = insn.guard;
		store->guard_not = insn.guard_not;
	}
}

void cc_spill_predicates(struct cc *cc, const uint32_t *victims, uint32_t count)
{
	uint32_t known = cc->vregs_count, *word = ptx_alloc(cc->ctx, known * sizeof(*word));
	struct output out = { 0 };

	memset(word, 0xff, known * sizeof(*word));
	for (uint32_t i = 0; i < count; i++)
		word[victims[i]] = cc_vreg(cc, CC_R);
	for (uint32_t b = 0; b < cc->block_count; b++) {
		struct cc_block *block = &cc->blocks[b];
		uint32_t start = out.insns_count;

		for (uint32_t i = block->start; i < block->end; i++)
			if (cc->insns[i].op != VGPU_OP_NOP)
				rewrite_predicates(cc, &out, cc->insns[i], word, known);
		block->start = start;
		block->end = out.insns_count;
	}
	cc->insns = out.insns;
	cc->insns_count = out.insns_count;
	cc->insns_room = out.insns_room;
}

// SPDX-License-Identifier: MIT
/*
 * Two searches over the segments of a kernel, each until nothing changes (apart.h): what inactive
 * lanes may read, which becomes more, and which registers have their stride in all lanes, which
 * become fewer.
 */
#include <stdlib.h>
#include <string.h>

#include "apart.h"

#define MOST_STEPS	(1u << 18)	/* instructions looked at in a search; some 10 ns each */
#define MOST_BYTES	(4u << 20)	/* of what is known before segments */

struct search {
	const struct divergence *d;
	const struct live_registers *live;
	struct stride *strides;
	struct live *before;	/* each segment */
	bool changed;
};

static bool has(const struct live *set, u32 reg, bool wide)
{
	return (wide ? set->wide : set->narrow)[reg / 64] >> reg % 64 & 1;
}

static void put(struct live *set, u32 reg, bool wide, bool value)
{
	u64 bit = 1ull << reg % 64, *word = &(wide ? set->wide : set->narrow)[reg / 64];

	*word = value ? *word | bit : *word & ~bit;
}

/* ---- what inactive lanes may read -------------------------------------------------- */

static void more(struct search *s, u32 pc, const struct live *read)
{
	struct live *before = &s->before[s->d->number[pc]], was = *before;

	vgpu_live_unite(before, read);
	s->changed |= memcmp(&was, before, sizeof(was)) != 0;
}

/*
 * Is @pc to leave alone what it would write in inactive lanes? What lies there in another view of
 * the register may be that of any lane.
 */
static bool is_read(const struct search *s, const struct live *read, u32 pc)
{
	const struct live *behind = &s->live->before[pc + 1 < s->d->count ? pc + 1 : pc];
	struct vgpu_operands o;

	vgpu_operands_find(&s->d->code[pc], &o);
	for (u32 n = 0; n < o.write_count; n++) {
		u32 reg = o.writes[n];

		if (reg >= VGPU_OPERAND_PREDICATE || has(read, reg, false) ||
		    has(read, reg, true) || has(behind, reg, !(o.wide_writes >> n & 1)))
			return true;
	}
	return false;
}

/*
 * At branch @pc: @read becomes what is read behind it of lanes that are inactive there. Those that
 * jump wait at its target until the others have come to the reconvergence point (lanes/stack.h).
 */
static void part(struct search *s, u32 pc, struct live *read)
{
	u64 imm = s->d->code[pc].imm;
	u32 target = VGPU_BRA_TARGET(imm), meet = VGPU_BRA_RECONV(imm);

	if (s->d->diverges[pc] && meet < s->d->count)
		vgpu_live_unite(read, &s->live->before[meet]);
	more(s, target, read);
	if (s->d->diverges[pc])
		vgpu_live_unite(read, &s->live->before[target]);
}

static void read_in_segment(struct search *s, u32 pc)
{
	struct live read = s->before[s->d->number[pc]];

	do {
		const struct vgpu_insn *i = &s->d->code[pc];

		s->strides[pc].elsewhere = read;
		s->strides[pc].unmasked = i->guard == VGPU_PT && !is_read(s, &read, pc);
		if (i->op == VGPU_OP_BRA)
			part(s, pc, &read);
		if (vgpu_ends_way(i))
			return;
		pc++;
	} while (pc < s->d->count && !s->d->leader[pc]);
	if (pc < s->d->count)
		more(s, pc, &read);
}

/* ---- which strides hold in all lanes ------------------------------------------------ */

/*
 * Is there code for @i that computes all lanes, whichever are active? Of what stride.c finds a
 * stride for, and addresses are made of.
 */
static bool computes_all(const struct vgpu_insn *i)
{
	switch (i->op) {
	case VGPU_OP_SREG:
		return i->imm != VGPU_SR_LANEID;
	case VGPU_OP_LDP:
	case VGPU_OP_MOV: case VGPU_OP_MOVQ:
	case VGPU_OP_ADD: case VGPU_OP_ADDQ:
	case VGPU_OP_SUB: case VGPU_OP_SUBQ:
	case VGPU_OP_NEG: case VGPU_OP_NEGQ:
	case VGPU_OP_MUL: case VGPU_OP_MULQ:
	case VGPU_OP_MAD: case VGPU_OP_MADQ:
	case VGPU_OP_SHL: case VGPU_OP_SHLQ:
	case VGPU_OP_MULWS: case VGPU_OP_MULWU:
	case VGPU_OP_MADWS: case VGPU_OP_MADWU:
	case VGPU_OP_SXQ: case VGPU_OP_ZXQ:
	case VGPU_OP_UNLO:
		return true;
	}
	return false;
}

static bool all_whole(const struct live *whole, const struct vgpu_operands *o)
{
	for (u32 n = 0; n < o->read_count; n++)
		if (o->reads[n] >= VGPU_OPERAND_PREDICATE ||
		    !has(whole, o->reads[n], o->wide_reads >> n & 1))
			return false;
	return true;
}

static void fewer(struct search *s, u32 pc, const struct live *whole)
{
	struct live *before = &s->before[s->d->number[pc]], was = *before;

	for (u32 w = 0; w < LIVE_WORDS; w++) {
		before->narrow[w] &= whole->narrow[w];
		before->wide[w] &= whole->wide[w];
	}
	s->changed |= memcmp(&was, before, sizeof(was)) != 0;
}

/* @whole at branch @pc is so at its target but for what the others have written meanwhile. */
static void jump(struct search *s, u32 pc, const struct live *whole)
{
	u64 imm = s->d->code[pc].imm;
	u32 meet = VGPU_BRA_RECONV(imm);
	struct live left = *whole;

	bool waits = s->d->diverges[pc] && meet != pc + 1;

	for (u32 w = 0; w < LIVE_WORDS && waits; w++) {
		/* where they do not meet, it may be anything */
		u64 written = meet < s->d->count ?
				      s->d->meetings[s->d->number[meet]].registers[w] : ~0ull;

		left.narrow[w] &= ~written;
		left.wide[w] &= ~vgpu_live_pairs(written);
	}
	fewer(s, VGPU_BRA_TARGET(imm), &left);
}

static void write_whole(struct live *whole, const struct vgpu_operands *o, bool is_whole)
{
	for (u32 n = 0; n < o->write_count; n++) {
		u32 reg = o->writes[n];
		bool wide = o->wide_writes >> n & 1;

		if (reg >= VGPU_OPERAND_PREDICATE)
			continue;
		put(whole, reg, !wide, false);
		put(whole, reg ^ 1, !wide, false);
		put(whole, reg, wide, is_whole);
	}
}

static void whole_in_segment(struct search *s, u32 pc)
{
	struct live whole = s->before[s->d->number[pc]];

	do {
		const struct vgpu_insn *i = &s->d->code[pc];
		struct stride *stride = &s->strides[pc];
		struct vgpu_operands o;

		vgpu_operands_find(i, &o);
		stride->a_whole = stride->a != STRIDE_NONE &&
				  (i->op == VGPU_OP_LDG || i->op == VGPU_OP_STG ?
					   has(&whole, i->a & ~1u, true) :
					   has(&whole, i->a, false));
		stride->whole = stride->result != STRIDE_NONE && stride->unmasked &&
				computes_all(i) && all_whole(&whole, &o);
		write_whole(&whole, &o, stride->whole);
		if (i->op == VGPU_OP_BRA)
			jump(s, pc, &whole);
		if (vgpu_ends_way(i))
			return;
		pc++;
	} while (pc < s->d->count && !s->d->leader[pc]);
	if (pc < s->d->count)
		fewer(s, pc, &whole);
}

/* ---- both ------------------------------------------------------------------------------ */

static bool settle(struct search *s, void (*segment)(struct search *s, u32 pc))
{
	u32 steps = 0;

	do {
		s->changed = false;
		for (u32 pc = 0; pc < s->d->count; pc++)
			if (s->d->leader[pc])
				segment(s, pc);
		steps += s->d->count;
	} while (s->changed && steps < MOST_STEPS);
	return !s->changed;
}

static void forget(struct stride *stride)
{
	stride->unmasked = stride->whole = stride->a_whole = false;
	memset(&stride->elsewhere, 0xff, sizeof(stride->elsewhere));
}

static void search_both(struct search *s, u32 segments)
{
	bool settled;

	/* of lanes that have exited, or are none, only a shuffle reads anything */
	for (u32 n = 0; n < segments; n++)
		s->before[n] = s->live->always;
	settled = settle(s, read_in_segment);
	/* what no instruction has written has no stride */
	memset(s->before, 0xff, segments * sizeof(*s->before));
	settled = settled && settle(s, whole_in_segment);
	for (u32 pc = 0; pc < s->d->count && !settled; pc++)
		forget(&s->strides[pc]);
}

void vgpu_apart_find(const struct divergence *d, const struct live_registers *live,
		     struct stride *strides)
{
	struct search s = { .d = d, .live = live, .strides = strides };

	for (u32 pc = 0; pc < d->count; pc++)
		forget(&strides[pc]);
	if (!live || d->segments > MOST_BYTES / sizeof(*s.before))
		return;
	s.before = calloc(d->segments, sizeof(*s.before));
	if (s.before)
		search_both(&s, d->segments);
	free(s.before);
}

// SPDX-License-Identifier: MIT
/*
 * Strides of registers, by passes over the segments of a kernel until nothing changes (stride.h).
 * What is known only becomes less: first every stride is thought to be what the first way to it
 * says, and is unknown when another says otherwise.
 */
#include <stdlib.h>
#include <string.h>

#include "apart.h"
#include "sm/lanes.h"
#include "stride.h"

#define UNSEEN		(STRIDE_NONE + 1)	/* no way has come here yet */
#define MOST_PASSES	64u
#define MOST_STEPS	(2u << 20)	/* of all searches; some 20 ns each */
#define STEPS_A_SEGMENT	64u		/* a pass over it takes as long */
#define MOST_BYTES	(16u << 20)	/* of what is known before segments */
#define SPARSE		64u		/* more instructions for each access that is helped */
#define WIDEST		(1 << 16)	/* a stride that is widened: 31 of it are no wrap by far */
#define REGS		VGPU_OPERAND_PREDICATE

/** struct facts - before an instruction */
struct facts {
	s32 narrow[REGS];	/* R(n) */
	s32 wide[REGS];		/* Q(n) */
	s32 preds[VGPU_PREDS];	/* 0: the same in all lanes */
	bool seen;		/* a way leads here */
};

struct search {
	const struct vgpu_insn *code;
	u32 count;
	const u8 *leader;
	u32 *number;		/* of the segment that begins at an instruction */
	struct facts *before;	/* each segment */
	struct meeting *meetings;	/* at the beginning of each segment */
	u8 *diverges;		/* the branch has been found to */
	const struct live_registers *live;	/* or NULL */
	u32 *visited;		/* by the search for which branch */
	u32 *stack;
	u32 *inner;		/* branches between that and where its lanes meet */
	u32 inner_count;
	u32 *passed;		/* by which search for where one of those leads */
	u32 searches;
	u32 steps;
	bool changed;
	bool refused;		/* it takes too long, or lanes may meet where nobody looks */
};

/* ---- what is known ------------------------------------------------------------------ */

static void forget_all(struct facts *f)
{
	for (u32 n = 0; n < REGS; n++)
		f->narrow[n] = f->wide[n] = STRIDE_NONE;
	for (u32 n = 0; n < VGPU_PREDS; n++)
		f->preds[n] = n == VGPU_PT ? 0 : STRIDE_NONE;
}

static bool join_one(s32 *into, s32 stride)
{
	if (*into == stride || stride == UNSEEN || *into == STRIDE_NONE)
		return false;
	*into = *into == UNSEEN ? stride : STRIDE_NONE;
	return true;
}

static bool join(struct facts *into, const struct facts *from)
{
	bool changed = !into->seen;

	into->seen = true;
	for (u32 n = 0; n < REGS; n++) {
		changed |= join_one(&into->narrow[n], from->narrow[n]);
		changed |= join_one(&into->wide[n], from->wide[n]);
	}
	for (u32 n = 0; n < VGPU_PREDS; n++)
		changed |= join_one(&into->preds[n], from->preds[n]);
	return changed;
}

static bool known(s32 stride)
{
	return stride != STRIDE_NONE && stride != UNSEEN;
}

static s32 in_range(s64 stride)
{
	return stride > UNSEEN && stride <= 0x7fffffff ? (s32)stride : STRIDE_NONE;
}

/* Modulo 2^32 */
static s32 word(u64 stride)
{
	s32 k = (s32)(u32)stride;

	return known(k) ? k : STRIDE_NONE;
}

/* ---- one instruction ------------------------------------------------------------------- */

static bool all_uniform(const struct facts *f, const struct vgpu_operands *o)
{
	for (u32 n = 0; n < o->read_count; n++) {
		u32 r = o->reads[n];
		s32 k = r >= REGS	     ? f->preds[r - REGS] :
			o->wide_reads >> n & 1 ? f->wide[r & ~1u] :
						 f->narrow[r];

		if (k)
			return false;
	}
	return true;
}

static s32 of_special(u32 which)
{
	switch (which) {
	case VGPU_SR_TID_X:
	case VGPU_SR_LANEID:
		return 1;
	case VGPU_SR_TID_Y: case VGPU_SR_TID_Z:
	case VGPU_SR_NTID_X: case VGPU_SR_NTID_Y: case VGPU_SR_NTID_Z:
	case VGPU_SR_CTAID_X: case VGPU_SR_CTAID_Y: case VGPU_SR_CTAID_Z:
	case VGPU_SR_NCTAID_X: case VGPU_SR_NCTAID_Y: case VGPU_SR_NCTAID_Z:
	case VGPU_SR_WARPID: case VGPU_SR_NWARPID:
	case VGPU_SR_SMID: case VGPU_SR_NSMID:
	case VGPU_SR_GRIDID: case VGPU_SR_DYNSHARED:
		return 0;
	}
	return STRIDE_NONE;
}

/*
 * Is what it writes a function of what it reads alone? Of one place all lanes load the same, if
 * nobody writes there: who may do that while it is read says so in the order. Shared memory is the
 * block's alone, whose warps are executed one after the other.
 */
static bool is_pure(const struct vgpu_insn *i)
{
	u32 order = VGPU_MEM_ORDER(i->mem);

	switch (i->op) {
	case VGPU_OP_LDP:
	case VGPU_OP_LDS:
		return true;
	case VGPU_OP_LDG:
		return order == VGPU_ORDER_WEAK || order == VGPU_ORDER_NC;
	}
	return i->op < VGPU_OP_LD && i->op != VGPU_OP_SREG && i->op != VGPU_OP_SREGQ;
}

/* a + factor * b, of which one may be missing, where 64 bits do not wrap, or 32 bits do */
static s32 sum(s32 a, s64 factor, s32 b, bool wide)
{
	if (!known(a) || !known(b))
		return STRIDE_NONE;
	if (!wide)
		return word((u64)(u32)a + (u64)factor * (u64)(s64)b);
	if (factor > WIDEST || factor < -WIDEST)
		return b ? STRIDE_NONE : a;
	return in_range(a + factor * b);
}

/* The stride of a value of 32 bits as one of 64, which code looks at */
static s32 widened(s32 k)
{
	return k >= 0 && k <= WIDEST ? k : STRIDE_NONE;
}

static s32 of_instruction(const struct facts *f, const struct vgpu_insn *i,
			  const struct vgpu_operands *o)
{
	bool imm = i->flags & VGPU_F_IMM;
	const s32 *r = f->narrow, *q = f->wide;

	if (i->op == VGPU_OP_SREG)
		return of_special((u32)i->imm);
	if (is_pure(i) && all_uniform(f, o))
		return 0;
	switch (i->op) {
	case VGPU_OP_MOV: return r[i->b];
	case VGPU_OP_MOVQ: return q[i->b];
	case VGPU_OP_ADD: return sum(r[i->a], 1, imm ? 0 : r[i->b], false);
	case VGPU_OP_SUB: return sum(r[i->a], -1, imm ? 0 : r[i->b], false);
	case VGPU_OP_NEG: return sum(0, -1, r[i->a], false);
	case VGPU_OP_ADDQ: return sum(q[i->a], 1, imm ? 0 : q[i->b], true);
	case VGPU_OP_SUBQ: return sum(q[i->a], -1, imm ? 0 : q[i->b], true);
	case VGPU_OP_NEGQ: return sum(0, -1, q[i->a], true);
	case VGPU_OP_UNLO: return sum(0, 1, q[i->a], false);
	case VGPU_OP_SXQ:
	case VGPU_OP_ZXQ: return widened(r[i->a]);
	/* a uniform product, whatever it is */
	case VGPU_OP_MAD:
		if (!r[i->a] && (imm || !r[i->b]))
			return r[i->c];
		break;
	case VGPU_OP_MADWS:
	case VGPU_OP_MADWU:
		if (!r[i->a] && (imm || !r[i->b]))
			return q[i->c];
		break;
	case VGPU_OP_MADQ:
		if (!q[i->a] && (imm || !q[i->b]))
			return q[i->c];
		break;
	}
	if (!imm)
		return STRIDE_NONE;
	switch (i->op) {
	case VGPU_OP_MUL: return sum(0, (s32)i->imm, r[i->a], false);
	case VGPU_OP_MAD: return sum(r[i->c], (s32)i->imm, r[i->a], false);
	case VGPU_OP_SHL: return (u32)i->imm < 32 ? sum(0, 1ll << i->imm, r[i->a], false) : 0;
	case VGPU_OP_MULQ: return sum(0, (s64)i->imm, q[i->a], true);
	case VGPU_OP_MADQ: return sum(q[i->c], (s64)i->imm, q[i->a], true);
	case VGPU_OP_SHLQ: return (u32)i->imm < 32 ? sum(0, 1ll << i->imm, q[i->a], true) :
						     STRIDE_NONE;
	case VGPU_OP_MULWS: return sum(0, (s32)i->imm, widened(r[i->a]), true);
	case VGPU_OP_MULWU: return sum(0, (u32)i->imm, widened(r[i->a]), true);
	case VGPU_OP_MADWS: return sum(q[i->c], (s32)i->imm, widened(r[i->a]), true);
	case VGPU_OP_MADWU: return sum(q[i->c], (u32)i->imm, widened(r[i->a]), true);
	}
	return STRIDE_NONE;
}

static void write(struct facts *f, u32 number, bool wide, s32 stride)
{
	if (number >= REGS) {
		f->preds[number - REGS] = stride == 0 || stride == UNSEEN ? stride : STRIDE_NONE;
		return;
	}
	f->wide[number & ~1u] = STRIDE_NONE;
	f->narrow[number] = STRIDE_NONE;
	if (!wide)
		f->narrow[number] = stride;
	else if (number & 1)	/* both halves have been written now */
		f->wide[number - 1] = stride;
}

/* Of what @i writes. @f is what is known behind it then. */
static s32 step(struct facts *f, const struct vgpu_insn *i)
{
	struct vgpu_operands o;
	s32 stride;

	vgpu_operands_find(i, &o);
	stride = i->guard == VGPU_PT ? of_instruction(f, i, &o) : STRIDE_NONE;
	for (u32 n = 0; n < o.write_count; n++)
		write(f, o.writes[n], o.wide_writes >> n & 1, stride);
	return stride;
}

/* ---- lanes that are apart ---------------------------------------------------------------- */

static void add_writes(struct meeting *m, const struct vgpu_insn *i)
{
	struct vgpu_operands o;

	vgpu_operands_find(i, &o);
	for (u32 n = 0; n < o.write_count; n++) {
		u32 r = o.writes[n];

		if (r >= REGS)
			m->preds |= 1ull << (r - REGS);
		else
			m->registers[r / 64] |= 1ull << r % 64;
	}
}

/*
 * All instructions between branch @branch and the point where its lanes meet: @seen becomes @mark.
 * @written: what they write, and s->inner the branches among them; NULL: that is not asked for
 */
static void walk(struct search *s, u32 branch, u32 *seen, u32 mark, struct meeting *written)
{
	const struct vgpu_insn *b = &s->code[branch];
	u32 meet = VGPU_BRA_RECONV(b->imm), depth = 0;

	s->stack[depth++] = VGPU_BRA_TARGET(b->imm);
	if (branch + 1 < s->count)
		s->stack[depth++] = branch + 1;
	while (depth && s->steps < MOST_STEPS) {
		u32 pc = s->stack[--depth];

		for (; pc < s->count && pc != meet && seen[pc] != mark; pc++) {
			const struct vgpu_insn *i = &s->code[pc];

			seen[pc] = mark;
			s->steps++;
			if (written)
				add_writes(written, i);
			if (written && i->op == VGPU_OP_BRA && i->guard != VGPU_PT)
				s->inner[s->inner_count++] = pc;
			if (i->op == VGPU_OP_BRA && seen[VGPU_BRA_TARGET(i->imm)] != mark)
				s->stack[depth++] = VGPU_BRA_TARGET(i->imm);
			if (vgpu_ends_way(i))
				break;
		}
	}
}

/*
 * Do lanes of branch @inner, which is between @branch and @meet, where its lanes meet, meet between
 * these as well, or there? Who passes @meet on the way would come there twice, and write what
 * nobody knows of while others wait.
 */
static bool is_nested(struct search *s, u32 inner, u32 branch, u32 meet)
{
	u32 at = VGPU_BRA_RECONV(s->code[inner].imm);

	if (at == meet || at >= s->count)
		return true;
	if (s->visited[at] != branch + 1)
		return false;
	walk(s, inner, s->passed, ++s->searches, NULL);
	return s->passed[meet] != s->searches;
}

/*
 * All that may be written between branch @branch and the point where its lanes meet. That has to be
 * where all ways meet that do not end.
 */
static void find_written(struct search *s, u32 branch)
{
	u32 meet = VGPU_BRA_RECONV(s->code[branch].imm);

	if (meet >= s->count)
		return;		/* they do not */
	s->inner_count = 0;
	walk(s, branch, s->visited, branch + 1, &s->meetings[s->number[meet]]);
	while (s->inner_count && !s->refused && s->steps < MOST_STEPS)
		s->refused = !is_nested(s, s->inner[--s->inner_count], branch, meet);
	s->changed = true;
}

static void forget_written(struct facts *f, const struct meeting *m)
{
	for (u32 n = 0; n < REGS; n++)
		if (m->registers[n / 64] >> n % 64 & 1)
			f->narrow[n] = f->wide[n & ~1u] = STRIDE_NONE;
	for (u32 n = 0; n < VGPU_PREDS; n++)
		if (m->preds >> n & 1)
			f->preds[n] = STRIDE_NONE;
}

/* ---- all of it ------------------------------------------------------------------------------ */

/*
 * At the target of branch @pc is known what is before it. But where a kernel uses R(n) and Q(n), of
 * which each has lanes where others of the other lie, lanes that wait there may lose what they have
 * of one to those that write the other.
 */
static void jump(struct search *s, u32 pc, const struct facts *f)
{
	u32 target = VGPU_BRA_TARGET(s->code[pc].imm), meet = VGPU_BRA_RECONV(s->code[pc].imm);
	const struct meeting *m = meet < s->count ? &s->meetings[s->number[meet]] : NULL;
	struct facts left;

	if (!s->diverges[pc] || meet == pc + 1) {
		s->changed |= join(&s->before[s->number[target]], f);
		return;
	}
	left = *f;
	for (u32 n = 0; n < REGS; n++) {
		u64 lost = (m ? m->registers[n / 64] : ~0ull) &
			   (s->live ? s->live->mixed[n / 64] : ~0ull);

		if (lost >> n % 64 & 1)
			left.narrow[n] = left.wide[n & ~1u] = STRIDE_NONE;
	}
	s->changed |= join(&s->before[s->number[target]], &left);
}

/* What segment @first says of those that may follow. @out: of its instructions, NULL: not now */
static void segment(struct search *s, u32 first, struct stride *out)
{
	struct facts f = s->before[s->number[first]];
	u32 pc = first;

	forget_written(&f, &s->meetings[s->number[first]]);
	do {
		const struct vgpu_insn *i = &s->code[pc];

		if (out)
			out[pc].a = i->op == VGPU_OP_LDG || i->op == VGPU_OP_STG ?
					    f.wide[i->a & ~1u] :
					    f.narrow[i->a];
		if (i->op == VGPU_OP_BRA) {
			s32 guard = f.preds[i->guard & 63];

			if (guard == STRIDE_NONE && !s->diverges[pc]) {
				s->diverges[pc] = 1;
				find_written(s, pc);
			}
			jump(s, pc, &f);
		}
		if (vgpu_ends_way(i))
			return;
		if (out)
			out[pc].result = step(&f, i);
		else
			step(&f, i);
		pc++;
	} while (pc < s->count && !s->leader[pc]);
	if (pc < s->count)
		s->changed |= join(&s->before[s->number[pc]], &f);
}

/* An access that needs no look at its lanes (ops_memory.c) */
static bool helps(const struct vgpu_insn *i, const struct stride *stride)
{
	u32 size = VGPU_F_SIZE(i->flags);
	bool row = stride->a == (s32)size && VGPU_F_COUNT(i->flags) == 1;
	bool load = i->op == VGPU_OP_LDG || i->op == VGPU_OP_LDS;
	bool local = i->op == VGPU_OP_LDL || i->op == VGPU_OP_STL;

	if ((!load && !local && i->op != VGPU_OP_STG && i->op != VGPU_OP_STS) ||
	    i->guard != VGPU_PT || i->flags & VGPU_F_ABS || (s64)i->imm != (s32)i->imm)
		return false;
	if (local)
		return !stride->a && size >= 4;
	return row || (load && !stride->a);
}

/* What is known of each segment, until nothing changes. False: given up */
static bool settle(struct search *s)
{
	u32 passes = 0;

	do {
		s->changed = false;
		for (u32 pc = 0; pc < s->count; pc++) {
			if (!s->leader[pc] || !s->before[s->number[pc]].seen)
				continue;
			if (s->refused || s->steps >= MOST_STEPS)
				return false;
			s->steps += STEPS_A_SEGMENT;
			segment(s, pc, NULL);
		}
	} while (s->changed && ++passes < MOST_PASSES);
	return !s->changed && !s->refused && s->steps < MOST_STEPS;
}

static bool search(struct search *s, struct stride *out)
{
	u32 useful = 0;

	if (!settle(s))
		return false;
	for (u32 pc = 0; pc < s->count; pc++)
		out[pc] = (struct stride){ .result = STRIDE_NONE, .a = STRIDE_NONE };
	for (u32 pc = 0; pc < s->count; pc++)
		if (s->leader[pc] && s->before[s->number[pc]].seen)
			segment(s, pc, out);
	for (u32 pc = 0; pc < s->count; pc++) {
		/* what no way leads to */
		if (!known(out[pc].result))
			out[pc].result = STRIDE_NONE;
		if (!known(out[pc].a))
			out[pc].a = STRIDE_NONE;
		useful += helps(&s->code[pc], &out[pc]);
	}
	return useful && s->count / useful <= SPARSE;
}

/* Where does a kernel begin again? Its first instruction says that nothing has been executed. */
static bool returns_to_start(const struct vgpu_insn *code, u32 count)
{
	for (u32 pc = 0; pc < count; pc++)
		if (code[pc].op == VGPU_OP_BRA && !VGPU_BRA_TARGET(code[pc].imm))
			return true;
	return false;
}

struct stride *vgpu_stride_find(const struct vgpu_insn *code, u32 count, const u8 *leader,
				const struct live_registers *live)
{
	struct search s = { .code = code, .count = count, .leader = leader, .live = live };
	struct stride *out = malloc(count * sizeof(*out));
	struct divergence d;
	u32 segments = 0;
	bool found = false;

	s.number = calloc(5 * (size_t)count + 2, sizeof(*s.number));
	s.diverges = calloc(1, count);
	if (!out || !s.number || !s.diverges || returns_to_start(code, count))
		goto done;
	s.visited = s.number + count;
	s.inner = s.visited + count;
	s.passed = s.inner + count;
	s.stack = s.passed + count;	/* each instruction is put there once, and two more */
	for (u32 pc = 0; pc < count; pc++)
		if (leader[pc])
			s.number[pc] = segments++;
	if (segments > MOST_BYTES / sizeof(*s.before))
		goto done;
	s.before = malloc(segments * sizeof(*s.before));
	s.meetings = calloc(segments, sizeof(*s.meetings));
	if (!s.before || !s.meetings)
		goto done;
	for (u32 n = 0; n < segments; n++) {
		for (u32 r = 0; r < REGS; r++)
			s.before[n].narrow[r] = s.before[n].wide[r] = UNSEEN;
		for (u32 p = 0; p < VGPU_PREDS; p++)
			s.before[n].preds[p] = UNSEEN;
		s.before[n].seen = n == 0;
	}
	forget_all(&s.before[0]);
	found = search(&s, out);
	d = (struct divergence){ code, count, leader, s.number, segments, s.diverges, s.meetings };
	if (found)
		vgpu_apart_find(&d, live, out);
done:
	free(s.number);
	free(s.diverges);
	free(s.before);
	free(s.meetings);
	if (found)
		return out;
	free(out);
	return NULL;
}

bool vgpu_stride_may_wrap(const struct vgpu_insn *i, const struct stride *stride, u32 *most,
			  bool *is_signed)
{
	u32 all;

	switch (i->op) {
	case VGPU_OP_SXQ:
	case VGPU_OP_MULWS:
	case VGPU_OP_MADWS:
		*is_signed = true;
		break;
	case VGPU_OP_ZXQ:
	case VGPU_OP_MULWU:
	case VGPU_OP_MADWU:
		*is_signed = false;
		break;
	default:
		return false;
	}
	if (i->guard != VGPU_PT || stride->result == STRIDE_NONE || !stride->a)
		return false;
	all = (u32)stride->a * (VGPU_LANES - 1);
	*most = (*is_signed ? 0x7fffffffu : ~0u) - all;
	return true;
}

// SPDX-License-Identifier: MIT
/*
 * PTX's memory model (PTX ISA 6.0 and later, chapter "Memory Consistency Model"; Lustig,
 * Sahasrabuddhe and Giroux, ASPLOS 2019): for each candidate execution its relations are made as
 * sets of pairs of operations, and its axioms are asked of them. Names are those of the ISA.
 *
 * An atomic is a read and a write; a compare that fails is a read. All operations of a location are
 * of the same bytes. The write that makes a location 0 is before all.
 */
#include <string.h>

#include "model.h"

#define OPS	32u	/* a bit of a word each */

enum kind { READ, WRITE, FENCE };

/**
 * struct op - an operation
 * @thread: ~0: the write at the beginning
 * @strong: it is no weak one
 * @pair: of an atomic: the other half; itself if there is none
 * @value: WRITE: written, READ: read
 */
struct op {
	enum kind kind;
	u32 thread;
	u32 order;	/* of the program, in the thread */
	u32 line;
	u32 pair;
	u8 lit_order;
	u8 scope;
	bool strong;
	bool acquires;
	bool releases;
	const struct lit_insn *insn;
	u32 from;	/* READ: the write it reads from */
	u8 value;
};

/** typedef relation - bit b of [a]: a is before b */
typedef u32 relation[OPS];

struct execution {
	const struct lit_test *test;
	const u8 *cta;
	struct op op[OPS];
	u32 count;
	u32 place[OPS];		/* WRITE: in the order of the writes of its location */
	relation fences;	/* Fence-SC order */
	struct mod_outcomes *outcomes;
};

/* ---- relations ---------------------------------------------------------------- */

static void close(relation r, u32 count)
{
	for (u32 k = 0; k < count; k++)
		for (u32 a = 0; a < count; a++)
			if (r[a] >> k & 1)
				r[a] |= r[k];
}

static bool has_cycle(relation r, u32 count)
{
	close(r, count);
	for (u32 a = 0; a < count; a++)
		if (r[a] >> a & 1)
			return true;
	return false;
}

static bool is_first(const struct op *op)
{
	return op->thread == ~0u;
}

static bool in_program_order(const struct op *a, const struct op *b)
{
	return !is_first(a) && a->thread == b->thread && a->order < b->order;
}

/* Does the scope of @a have the thread of @b in it? */
static bool includes(const struct execution *x, const struct op *a, const struct op *b)
{
	return a->scope != LIT_CTA || is_first(b) || x->cta[a->thread] == x->cta[b->thread];
}

static bool morally_strong(const struct execution *x, const struct op *a, const struct op *b)
{
	if (is_first(a) || is_first(b) || in_program_order(a, b) || in_program_order(b, a))
		return true;
	if (!a->strong || !b->strong || !includes(x, a, b) || !includes(x, b, a))
		return false;
	return a->kind == FENCE || b->kind == FENCE || a->line == b->line;
}

/* Both are writes of one location */
static bool coherent_before(const struct execution *x, u32 a, u32 b)
{
	return x->op[a].line == x->op[b].line && x->place[a] < x->place[b];
}

/* ---- observation, synchronization, causality ---------------------------------- */

/* A write is before a read that reads from it, and before those of atomics that follow */
static void make_observation(const struct execution *x, relation obs)
{
	memset(obs, 0, sizeof(relation));
	for (u32 r = 0; r < x->count; r++) {
		const struct op *read = &x->op[r];

		if (read->kind != READ || !morally_strong(x, &x->op[read->from], read))
			continue;
		obs[read->from] |= 1u << r;
	}
	for (bool more = true; more;) {
		more = false;
		for (u32 w = 0; w < x->count; w++) {
			u32 reads = obs[w], all = reads;

			for (u32 r = 0; r < x->count; r++)
				if (reads >> r & 1 && x->op[r].pair != r)
					all |= obs[x->op[r].pair];
			more |= all != reads;
			obs[w] = all;
		}
	}
}

/*
 * Is there a release pattern that begins with @begin and whose write is @w? That is @begin itself,
 * or follows it: a release of the same location, or a fence
 */
static bool releases_through(const struct execution *x, u32 begin, u32 w)
{
	const struct op *a = &x->op[begin], *b = &x->op[w];

	if (!a->releases || b->kind != WRITE || !b->strong)
		return false;
	if (begin == w)
		return true;
	return in_program_order(a, b) && (a->kind == FENCE || a->line == b->line);
}

static bool acquires_through(const struct execution *x, u32 r, u32 end)
{
	const struct op *a = &x->op[r], *b = &x->op[end];

	if (!b->acquires || a->kind != READ || !a->strong)
		return false;
	if (r == end)
		return true;
	return in_program_order(a, b) && (b->kind == FENCE || a->line == b->line);
}

static void make_synchronizes(const struct execution *x, const relation obs, relation sync)
{
	memcpy(sync, x->fences, sizeof(relation));
	for (u32 begin = 0; begin < x->count; begin++)
		for (u32 w = 0; w < x->count; w++) {
			if (!releases_through(x, begin, w))
				continue;
			for (u32 r = 0; r < x->count; r++)
				for (u32 end = 0; end < x->count && obs[w] >> r & 1; end++)
					if (acquires_through(x, r, end) &&
					    morally_strong(x, &x->op[begin], &x->op[end]))
						sync[begin] |= 1u << end;
		}
}

static void make_causality(const struct execution *x, relation cause)
{
	relation obs, base;

	make_observation(x, obs);
	make_synchronizes(x, obs, base);
	for (u32 a = 0; a < x->count; a++)
		for (u32 b = 0; b < x->count; b++)
			if (in_program_order(&x->op[a], &x->op[b]) || (is_first(&x->op[a]) &&
			    !is_first(&x->op[b])))
				base[a] |= 1u << b;
	close(base, x->count);
	memcpy(cause, base, sizeof(relation));
	for (u32 a = 0; a < x->count; a++)
		for (u32 r = 0; r < x->count; r++)
			if (obs[a] >> r & 1)
				cause[a] |= base[r];
}

/* ---- axioms -------------------------------------------------------------------- */

/* Coherence: writes in causality order are so in coherence order. Causality: reads, too. */
static bool causality_holds(const struct execution *x, const relation cause)
{
	for (u32 a = 0; a < x->count; a++)
		for (u32 b = 0; b < x->count; b++) {
			const struct op *first = &x->op[a], *last = &x->op[b];

			if (!(cause[a] >> b & 1) || first->kind == FENCE || last->kind == FENCE ||
			    first->line != last->line)
				continue;
			if (first->kind == WRITE && last->kind == WRITE &&
			    !coherent_before(x, a, b))
				return false;
			if (first->kind == READ && last->kind == WRITE && first->from == b)
				return false;
			/* what is overwritten in causality order is not read */
			if (first->kind == READ && last->kind == WRITE &&
			    coherent_before(x, b, first->from))
				return false;
			if (first->kind == WRITE && last->kind == READ &&
			    coherent_before(x, last->from, a))
				return false;
		}
	return true;
}

/* Fence-SC: its order is that of causality. */
static bool fences_hold(const struct execution *x, const relation cause)
{
	for (u32 a = 0; a < x->count; a++)
		if (cause[a] >> a & 1)
			return false;
	for (u32 a = 0; a < x->count; a++)
		for (u32 b = 0; b < x->count; b++)
			if (cause[a] >> b & 1 && x->fences[b] >> a & 1)
				return false;
	return true;
}

/* Atomicity: between the two halves of an atomic there is no write that is morally strong to it. */
static bool atomicity_holds(const struct execution *x)
{
	for (u32 r = 0; r < x->count; r++) {
		const struct op *read = &x->op[r];

		if (read->kind != READ || read->pair == r)
			continue;
		if (!coherent_before(x, read->from, read->pair))
			return false;
		for (u32 w = 0; w < x->count; w++)
			if (x->op[w].kind == WRITE && w != read->pair &&
			    morally_strong(x, &x->op[w], read) &&
			    coherent_before(x, read->from, w) &&
			    coherent_before(x, w, read->pair))
				return false;
	}
	return true;
}

/*
 * SC per location: program order and what operations of one location communicate, where they are
 * morally strong, is no cycle.
 */
static bool locations_hold(const struct execution *x)
{
	relation r = {};

	for (u32 a = 0; a < x->count; a++)
		for (u32 b = 0; b < x->count; b++) {
			const struct op *p = &x->op[a], *q = &x->op[b];

			if (p->kind == FENCE || q->kind == FENCE || p->line != q->line || a == b)
				continue;
			if (in_program_order(p, q)) {
				r[a] |= 1u << b;
				continue;
			}
			if (!morally_strong(x, p, q))
				continue;
			if (p->kind == WRITE && q->kind == WRITE && coherent_before(x, a, b))
				r[a] |= 1u << b;
			if (p->kind == WRITE && q->kind == READ && q->from == a)
				r[a] |= 1u << b;
			if (p->kind == READ && q->kind == WRITE && p->pair != b &&
			    coherent_before(x, p->from, b))
				r[a] |= 1u << b;
		}
	return !has_cycle(r, x->count);
}

/* ---- candidates ---------------------------------------------------------------- */

/*
 * Values, from the writes on: false: a read would read what follows from itself, or an atomic that
 * compares has written, or has not, though it should not have, or should.
 */
static bool make_values(struct execution *x)
{
	u32 known = 0;

	for (u32 round = 0; round <= x->count; round++)
		for (u32 n = 0; n < x->count; n++) {
			struct op *op = &x->op[n];

			if (op->kind == WRITE && (op->pair == n || known >> op->pair & 1)) {
				if (op->pair != n && op->insn->what == LIT_ADD)
					op->value = (u8)(x->op[op->pair].value + op->insn->value);
				known |= 1u << n;
			}
			if (op->kind == READ && known >> op->from & 1) {
				op->value = x->op[op->from].value;
				known |= 1u << n;
			}
		}
	for (u32 n = 0; n < x->count; n++) {
		const struct op *op = &x->op[n];

		if (op->kind != FENCE && !(known >> n & 1))
			return false;
		if (op->kind == READ && op->insn->what == LIT_CAS &&
		    (op->value == op->insn->expect) != (op->pair != n))
			return false;
	}
	return true;
}

static void finish(struct execution *x)
{
	struct mod_outcome outcome = {};
	relation cause;

	if (!make_values(x))
		return;
	make_causality(x, cause);
	if (!causality_holds(x, cause) || !fences_hold(x, cause) || !atomicity_holds(x) ||
	    !locations_hold(x))
		return;
	for (u32 n = 0; n < x->count; n++) {
		const struct op *op = &x->op[n];
		bool last = op->kind == WRITE;

		for (u32 m = 0; m < x->count; m++)
			last &= x->op[m].kind != WRITE || !coherent_before(x, n, m);
		if (last)
			outcome.value[EX_REGS + op->line] = op->value;
		if (op->kind == READ)
			outcome.value[op->insn->reg] = op->value;
	}
	mod_add(x->outcomes, &outcome);
}

/* Each order of the fence.sc that are morally strong: @a and @b are the next pair */
static void order_fences(struct execution *x, u32 a, u32 b)
{
	if (a == x->count) {
		relation order;

		memcpy(order, x->fences, sizeof(order));
		if (!has_cycle(order, x->count))
			finish(x);
		return;
	}
	if (b >= x->count) {
		order_fences(x, a + 1, a + 2);
		return;
	}
	if (x->op[a].kind != FENCE || x->op[b].kind != FENCE || x->op[a].lit_order != LIT_SC ||
	    x->op[b].lit_order != LIT_SC || !morally_strong(x, &x->op[a], &x->op[b])) {
		order_fences(x, a, b + 1);
		return;
	}
	x->fences[a] |= 1u << b;
	order_fences(x, a, b + 1);
	x->fences[a] &= ~(1u << b);
	x->fences[b] |= 1u << a;
	order_fences(x, a, b + 1);
	x->fences[b] &= ~(1u << a);
}

static void choose_reads(struct execution *x, u32 n)
{
	while (n < x->count && x->op[n].kind != READ)
		n++;
	if (n == x->count) {
		memset(x->fences, 0, sizeof(x->fences));
		order_fences(x, 0, 1);
		return;
	}
	for (u32 w = 0; w < x->count; w++) {
		if (x->op[w].kind != WRITE || x->op[w].line != x->op[n].line || w == x->op[n].pair)
			continue;
		x->op[n].from = w;
		choose_reads(x, n + 1);
	}
}

/* Each order of the writes of each location; the one at the beginning is the first. */
static void order_writes(struct execution *x, u32 n, u32 used[LIT_LINES])
{
	u32 writes = 0, line;

	while (n < x->count && (x->op[n].kind != WRITE || is_first(&x->op[n])))
		n++;
	if (n == x->count) {
		choose_reads(x, 0);
		return;
	}
	line = x->op[n].line;
	for (u32 w = 0; w < x->count; w++)
		writes += x->op[w].kind == WRITE && x->op[w].line == line;
	for (u32 place = 1; place < writes; place++) {
		if (used[line] >> place & 1)
			continue;
		used[line] |= 1u << place;
		x->place[n] = place;
		order_writes(x, n + 1, used);
		used[line] &= ~(1u << place);
	}
}

static struct op *new_op(struct execution *x, enum kind kind, u32 thread, u32 order,
			 const struct lit_insn *insn)
{
	struct op *op = &x->op[x->count];

	*op = (struct op){
		.kind = kind,
		.thread = thread,
		.order = order,
		.line = insn->line,
		.pair = x->count,
		.lit_order = insn->order,
		.scope = insn->scope,
		.strong = insn->order != LIT_WEAK,
		.insn = insn,
		.value = insn->value,
	};
	/* of an atomic: its read acquires and its write releases; a fence does both */
	op->acquires = kind != WRITE && (insn->order == LIT_ACQUIRE || insn->order == LIT_ACQ_REL ||
					 insn->order == LIT_SC);
	op->releases = kind != READ && (insn->order == LIT_RELEASE || insn->order == LIT_ACQ_REL ||
					insn->order == LIT_SC);
	x->count++;
	return op;
}

/* Bit n of @writes: the n-th CAS finds what it expects. Returns how many there are */
static u32 make_ops(struct execution *x, u32 writes)
{
	static const struct lit_insn first[LIT_LINES] = {
		{ .line = 0 }, { .line = 1 }, { .line = 2 }, { .line = 3 },
	};
	u32 compares = 0;

	x->count = 0;
	for (u32 line = 0; line < x->test->lines; line++)
		new_op(x, WRITE, ~0u, 0, &first[line]);
	for (u32 thread = 0; thread < x->test->program.threads; thread++)
		for (u32 n = 0; x->test->insn[thread][n].what != LIT_END; n++) {
			const struct lit_insn *insn = &x->test->insn[thread][n];
			bool reads = insn->what != LIT_ST && insn->what != LIT_FENCE;
			bool stores = insn->what != LIT_LD && insn->what != LIT_FENCE;
			u32 at = x->count;

			if (insn->what == LIT_CAS)
				stores = writes >> compares++ & 1;
			if (insn->what == LIT_FENCE)
				new_op(x, FENCE, thread, 2 * n, insn);
			if (reads)
				new_op(x, READ, thread, 2 * n, insn);
			if (stores)
				new_op(x, WRITE, thread, 2 * n + 1, insn);
			if (reads && stores) {
				x->op[at].pair = at + 1;
				x->op[at + 1].pair = at;
			}
		}
	return compares;
}

void mod_ptx(const struct lit_test *test, const u8 cta[EX_THREADS], struct mod_outcomes *outcomes)
{
	static struct execution x;
	u32 compares;

	x = (struct execution){ .test = test, .cta = cta, .outcomes = outcomes };
	outcomes->count = 0;
	compares = make_ops(&x, 0);
	for (u32 writes = 0; writes < 1u << compares; writes++) {
		u32 used[LIT_LINES] = {};

		make_ops(&x, writes);
		memset(x.place, 0, sizeof(x.place));
		order_writes(&x, 0, used);
	}
}

// SPDX-License-Identifier: MIT
/*
 * What a program may show; see oracle.h. All runs are tried, by recursion.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "oracle.h"

/* ---- one memory ------------------------------------------------------------ */

struct flat {
	u8 there;		/* 1 */
	u8 done[EX_THREADS];	/* a bit for each op */
	u8 regs[EX_REGS];
	u8 memory[EX_LINES];
};

struct flat_run {
	const struct ex_program *program;
	bool reorders;
	struct ex_outcomes *outcomes;
	struct flat *seen;	/* a table of @size, a power of two */
	u32 size;
	u32 count;
};

static bool insert(struct flat *table, u32 size, const struct flat *flat)
{
	u32 at = 2166136261u;

	for (u32 n = 0; n < sizeof(*flat); n++)
		at = (at ^ ((const u8 *)flat)[n]) * 16777619u;
	for (at &= size - 1; table[at].there; at = (at + 1) & (size - 1))
		if (!memcmp(&table[at], flat, sizeof(*flat)))
			return false;
	table[at] = *flat;
	return true;
}

/* Has it not been here before? */
static bool is_new(struct flat_run *run, const struct flat *flat)
{
	struct flat *old = run->seen;

	if (run->count * 2 >= run->size) {
		run->seen = calloc(run->size * 2, sizeof(*run->seen));
		for (u32 n = 0; n < run->size; n++)
			if (old[n].there)
				insert(run->seen, run->size * 2, &old[n]);
		run->size *= 2;
		free(old);
	}
	if (!insert(run->seen, run->size, flat))
		return false;
	run->count++;
	return true;
}

static bool may_pass(const struct ex_op *early, const struct ex_op *late)
{
	bool fences = early->what == EX_FENCE || late->what == EX_FENCE;

	return !fences && early->line != late->line &&
	       (early->what == EX_READ) != (late->what == EX_READ);
}

static bool is_ready(const struct flat_run *run, const struct flat *flat, u32 thread, u32 n)
{
	const struct ex_op *ops = run->program->ops[thread];

	if (flat->done[thread] >> n & 1)
		return false;
	for (u32 early = 0; early < n; early++)
		if (!(flat->done[thread] >> early & 1) &&
		    !(run->reorders && may_pass(&ops[early], &ops[n])))
			return false;
	return true;
}

static void outcome_of(const struct ex_program *program, const u8 *regs, const u8 *last,
		       struct ex_outcomes *outcomes)
{
	struct ex_outcome outcome;

	memset(&outcome, 0, sizeof(outcome));
	memcpy(outcome.value, regs, EX_REGS);
	if (program->final)
		memcpy(outcome.value + EX_REGS, last, EX_LINES);
	ex_outcome_add(outcomes, &outcome);
}

static void go_flat(struct flat_run *run, const struct flat *flat)
{
	bool ended = true;

	if (!is_new(run, flat))
		return;
	for (u32 thread = 0; thread < run->program->threads; thread++) {
		const struct ex_op *ops = run->program->ops[thread];

		for (u32 n = 0; ops[n].what != EX_END; n++) {
			struct flat next = *flat;

			ended &= flat->done[thread] >> n & 1;
			if (!is_ready(run, flat, thread, n))
				continue;
			next.done[thread] |= (u8)(1u << n);
			if (ops[n].what == EX_READ || ops[n].what == EX_SWAP)
				next.regs[ops[n].reg] = flat->memory[ops[n].line];
			if (ops[n].what == EX_WRITE || ops[n].what == EX_SWAP)
				next.memory[ops[n].line] = ops[n].value;
			go_flat(run, &next);
		}
	}
	if (ended)
		outcome_of(run->program, flat->regs, flat->memory, run->outcomes);
}

static void run_flat(const struct ex_program *program, bool reorders, struct ex_outcomes *outcomes)
{
	struct flat_run run = { program, reorders, outcomes, NULL, 64, 0 };
	struct flat flat;

	memset(&flat, 0, sizeof(flat));
	flat.there = 1;
	memset(flat.regs, EX_NO_VALUE, sizeof(flat.regs));
	outcomes->count = 0;
	run.seen = calloc(run.size, sizeof(*run.seen));
	go_flat(&run, &flat);
	free(run.seen);
}

void ex_oracle_sc(const struct ex_program *program, struct ex_outcomes *outcomes)
{
	run_flat(program, false, outcomes);
}

void ex_oracle_reordered(const struct ex_program *program, struct ex_outcomes *outcomes)
{
	run_flat(program, true, outcomes);
}

/* ---- views ----------------------------------------------------------------- */

#define WRITES	8u

struct views {
	u8 pc[EX_THREADS];
	u8 regs[EX_REGS];
	u8 writes[EX_LINES][WRITES];
	u8 last[EX_LINES];		/* of @writes */
	u8 seen[EX_CORES][EX_LINES];
	u8 own[EX_CORES][EX_LINES];	/* the last one that the core has made */
};

struct views_run {
	const struct ex_program *program;
	enum ex_fence_kind fence;
	struct ex_outcomes *outcomes;
};

static void go_views(const struct views_run *run, const struct views *views);

static void pass_fence(const struct views_run *run, struct views *next, u32 core)
{
	for (u32 line = 0; line < EX_LINES; line++) {
		if (run->fence == EX_FENCE_ACQUIRES)
			next->seen[core][line] = next->last[line];
		for (u32 other = 0; run->fence == EX_FENCE_RELEASES && other < EX_CORES; other++)
			if (next->seen[other][line] < next->own[core][line])
				next->seen[other][line] = next->own[core][line];
	}
	go_views(run, next);
}

static void append(struct views *next, u32 core, const struct ex_op *op)
{
	u32 at = ++next->last[op->line];

	assert(at < WRITES);
	next->writes[op->line][at] = op->value;
	next->seen[core][op->line] = (u8)at;
	next->own[core][op->line] = (u8)at;
}

static void step_views(const struct views_run *run, const struct views *views, u32 thread)
{
	const struct ex_op *op = &run->program->ops[thread][views->pc[thread]];
	u32 core = run->program->core[thread];
	struct views next = *views;

	next.pc[thread]++;
	switch (op->what) {
	case EX_FENCE:
		pass_fence(run, &next, core);
		return;
	case EX_WRITE:
		append(&next, core, op);
		go_views(run, &next);
		return;
	case EX_SWAP:
		next.regs[op->reg] = views->writes[op->line][views->last[op->line]];
		append(&next, core, op);
		go_views(run, &next);
		return;
	}
	for (u32 at = views->seen[core][op->line]; at <= views->last[op->line]; at++) {
		next.seen[core][op->line] = (u8)at;
		next.regs[op->reg] = views->writes[op->line][at];
		go_views(run, &next);
	}
}

static void go_views(const struct views_run *run, const struct views *views)
{
	bool ended = true;
	u8 last[EX_LINES];

	for (u32 thread = 0; thread < run->program->threads; thread++) {
		if (run->program->ops[thread][views->pc[thread]].what == EX_END)
			continue;
		ended = false;
		step_views(run, views, thread);
	}
	for (u32 line = 0; line < EX_LINES; line++)
		last[line] = views->writes[line][views->last[line]];
	if (ended)
		outcome_of(run->program, views->regs, last, run->outcomes);
}

void ex_oracle_views(const struct ex_program *program, enum ex_fence_kind fence,
		     struct ex_outcomes *outcomes)
{
	const struct views_run run = { program, fence, outcomes };
	struct views views;

	memset(&views, 0, sizeof(views));
	memset(views.regs, EX_NO_VALUE, sizeof(views.regs));
	outcomes->count = 0;
	go_views(&run, &views);
}

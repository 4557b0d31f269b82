// SPDX-License-Identifier: MIT
/*
 * vgpu-trace: SMs that several kernels share. Which part of an SM a thread block has is in the
 * SM_SETUP of its kernel there; who is on an SM, and how much of it he has, follows from the spans
 * of the blocks and from the moves of their state.
 */
#include <stdlib.h>
#include <string.h>

#include "trace.h"

#define SLOTS	64	/* blocks of an SM that may be on their way from it */

/** struct leaving - a block that has been told to leave */
struct leaving {
	uint64_t time, block;
	uint32_t kernel;
	int saving;		/* it has stopped */
};

/** struct shared_sm - an SM while records are read */
struct shared_sm {
	uint32_t *parts;	/* of each kernel that it was set up for: by launch id */
	size_t count, room;
	int shared;
	struct leaving leaving[SLOTS];	/* in the order in which they were told to, then stopped */
	size_t leaving_count;
};

struct sharing {
	struct trace *trace;
	struct shared_sm *sms;
	uint32_t count;
};

struct sharing *sharing_new(struct trace *trace)
{
	struct sharing *sharing = calloc(1, sizeof(*sharing));

	if (!sharing)
		return NULL;
	sharing->trace = trace;
	if (!trace_array_grow(&trace->parts, &trace->part_room, 0, sizeof(*trace->parts))) {
		memset(trace->parts, 0, sizeof(*trace->parts));
		trace->part_count = 1;
		return sharing;
	}
	free(sharing);
	return NULL;
}

void sharing_free(struct sharing *sharing)
{
	if (!sharing)
		return;
	for (uint32_t i = 0; i < sharing->count; i++)
		free(sharing->sms[i].parts);
	free(sharing->sms);
	free(sharing);
}

static struct shared_sm *get_sm(struct sharing *sharing, uint32_t sm)
{
	struct shared_sm *more;

	if (sm < sharing->count)
		return &sharing->sms[sm];
	more = realloc(sharing->sms, (sm + 1) * sizeof(*more));
	if (!more)
		return NULL;
	memset(more + sharing->count, 0, (sm + 1 - sharing->count) * sizeof(*more));
	sharing->sms = more;
	sharing->count = sm + 1;
	return &more[sm];
}

/* Where @kernel is among the parts of @sm, or belongs. */
static size_t place_of(const struct sharing *sharing, const struct shared_sm *sm, uint32_t kernel)
{
	size_t low = 0, high = sm->count;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (sharing->trace->parts[sm->parts[mid]].kernel < kernel)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

uint32_t sharing_part(const struct sharing *sharing, uint32_t sm, uint32_t kernel)
{
	const struct shared_sm *s = sm < sharing->count ? &sharing->sms[sm] : NULL;
	size_t at;

	if (!s || !s->shared)
		return 0;
	at = place_of(sharing, s, kernel);
	return at < s->count && sharing->trace->parts[s->parts[at]].kernel == kernel ?
		       s->parts[at] :
		       0;
}

/* ---- records ------------------------------------------------------------ */

static int setup(struct sharing *sharing, const struct vgpu_trace_record *rec, uint32_t process)
{
	struct shared_sm *sm = rec->sm == 0xffff ? NULL : get_sm(sharing, rec->sm);
	struct trace *t = sharing->trace;
	uint64_t share = rec->a & ((1ull << 40) - 1);
	size_t at;

	if (!sm)
		return rec->sm == 0xffff ? 0 : -1;
	sm->shared = share && share <= 1ull << 32;
	if (!sm->shared)
		return 0;
	if (trace_array_grow(&t->parts, &t->part_room, t->part_count, sizeof(*t->parts)) ||
	    trace_array_grow(&sm->parts, &sm->room, sm->count, sizeof(*sm->parts)))
		return -1;
	t->parts[t->part_count] = (struct part){
		.context = process,
		.kernel = rec->kernel,
		.warps = (uint32_t)(rec->a >> 40),
		.registers = (uint32_t)(rec->b >> 32),
		.shared_bytes = (uint32_t)rec->b,
		.share = (double)share / (double)(1ull << 32),
	};
	at = place_of(sharing, sm, rec->kernel);
	if (at == sm->count || t->parts[sm->parts[at]].kernel != rec->kernel) {
		memmove(sm->parts + at + 1, sm->parts + at, (sm->count - at) * sizeof(*sm->parts));
		sm->count++;
	} else if (!memcmp(&t->parts[sm->parts[at]], &t->parts[t->part_count],
			   sizeof(*t->parts))) {
		return 0;
	}
	sm->parts[at] = (uint32_t)t->part_count++;
	return 0;
}

static int decision(struct sharing *sharing, const struct vgpu_trace_record *rec, uint32_t process)
{
	struct trace *t = sharing->trace;
	struct shared_sm *sm;

	if (rec->a >= VGPU_DECISION_COUNT)
		return 0;
	t->decided[rec->a]++;
	if (rec->a < VGPU_DECISION_EVICT || rec->sm == 0xffff)
		return 0;
	if (trace_array_grow(&t->decisions, &t->decision_room, t->decision_count,
			     sizeof(*t->decisions)))
		return -1;
	t->decisions[t->decision_count++] = (struct decision){
		.time = rec->time,
		.what = rec->b,
		.sm = rec->sm,
		.context = process,
		.kernel = rec->kernel,
		.kind = (uint32_t)rec->a,
	};
	if (rec->a != VGPU_DECISION_EVICT)
		return 0;
	sm = get_sm(sharing, rec->sm);
	if (!sm)
		return -1;
	if (sm->leaving_count < SLOTS)
		sm->leaving[sm->leaving_count++] = (struct leaving){ .time = rec->time,
								     .block = rec->b,
								     .kernel = rec->kernel };
	return 0;
}

static void remove_leaving(struct shared_sm *sm, size_t at)
{
	sm->leaving_count--;
	memmove(sm->leaving + at, sm->leaving + at + 1,
		(sm->leaving_count - at) * sizeof(*sm->leaving));
}

/* The block of @rec has stopped, to be saved, or has ended before that. */
static void stopped(struct shared_sm *sm, const struct vgpu_trace_record *rec)
{
	for (size_t i = 0; i < sm->leaving_count; i++) {
		struct leaving found = sm->leaving[i];

		if (found.saving || found.kernel != rec->kernel || found.block != rec->a)
			continue;
		remove_leaving(sm, i);
		if (rec->type == VGPU_TRACE_BLOCK_END)
			return;
		found.saving = 1;
		sm->leaving[sm->leaving_count++] = found;
		return;
	}
}

/* As many blocks as @rec says have been saved: those that stopped first. */
static int saved(struct sharing *sharing, struct shared_sm *sm,
		 const struct vgpu_trace_record *rec, uint32_t process)
{
	struct trace *t = sharing->trace;
	uint64_t count = rec->a;

	for (size_t i = 0; i < sm->leaving_count && count;) {
		if (!sm->leaving[i].saving) {
			i++;
			continue;
		}
		if (trace_array_grow(&t->partials, &t->partial_room, t->partial_count,
				     sizeof(*t->partials)))
			return -1;
		t->partials[t->partial_count++] = rec->time - sm->leaving[i].time;
		t->processes[process].evicted++;
		remove_leaving(sm, i);
		count--;
	}
	return 0;
}

/* A block that was to leave has been dropped: it has left. */
static int flushed(struct sharing *sharing, struct shared_sm *sm,
		   const struct vgpu_trace_record *rec, uint32_t process)
{
	struct trace *t = sharing->trace;

	for (size_t i = 0; i < sm->leaving_count; i++) {
		if (sm->leaving[i].kernel != rec->kernel || sm->leaving[i].block != rec->a)
			continue;
		if (trace_array_grow(&t->partials, &t->partial_room, t->partial_count,
				     sizeof(*t->partials)))
			return -1;
		t->partials[t->partial_count++] = rec->time - sm->leaving[i].time;
		t->processes[process].evicted++;
		remove_leaving(sm, i);
		break;
	}
	return 0;
}

int sharing_record(struct sharing *sharing, const struct vgpu_trace_record *rec, uint32_t process)
{
	struct shared_sm *sm = rec->sm < sharing->count ? &sharing->sms[rec->sm] : NULL;

	switch (rec->type) {
	case VGPU_TRACE_SM_SETUP:
		return setup(sharing, rec, process);
	case VGPU_TRACE_DECISION:
		return decision(sharing, rec, process);
	case VGPU_TRACE_BLOCK_FLUSH:
		return sm ? flushed(sharing, sm, rec, process) : 0;
	case VGPU_TRACE_BLOCK_PREEMPT:
	case VGPU_TRACE_BLOCK_END:
		if (sm)
			stopped(sm, rec);
		return 0;
	case VGPU_TRACE_SAVE_END:
		return sm ? saved(sharing, sm, rec, process) : 0;
	default:
		return 0;
	}
}

/* ---- who is there when --------------------------------------------------- */

/** struct change - a block comes to a shared SM or leaves it */
struct change {
	uint64_t time;
	uint32_t sm, part;
	int8_t step;		/* 1, -1 */
	int8_t kind;		/* MOVE_SAVE, MOVE_RESTORE; MOVES: it runs */
};

static int by_time(const void *a, const void *b)
{
	const struct change *x = a, *y = b;

	if (x->sm != y->sm)
		return x->sm < y->sm ? -1 : 1;
	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->step - y->step;
}

static size_t count_changes(const struct span *spans, size_t count)
{
	size_t changes = 0;

	for (size_t i = 0; i < count; i++)
		changes += spans[i].part && spans[i].end > spans[i].start ? 2 : 0;
	return changes;
}

static size_t add_changes(const struct span *spans, size_t count, int moves, struct change *to)
{
	size_t n = 0;

	for (size_t i = 0; i < count; i++) {
		const struct span *s = &spans[i];
		struct change c = { .sm = s->sm, .part = s->part };

		if (!s->part || s->end <= s->start)
			continue;
		c.kind = (int8_t)(moves ? s->slot : MOVES);
		c.time = s->start;
		c.step = 1;
		to[n++] = c;
		c.time = s->end;
		c.step = -1;
		to[n++] = c;
	}
	return n;
}

/* Kernels on an SM at a time: each slot may have one, and there are moves. */
#define PRESENT_MOST	(2 * SLOTS)

/* Enter @c in the list of who is present, which is in the order of processes and launches. */
static void change(const struct trace *t, const struct change *c, struct present *list,
		   size_t *count)
{
	const struct part *part = &t->parts[c->part];
	uint32_t *blocks;
	size_t at = 0;

	while (at < *count && list[at].part != part &&
	       (list[at].part->context != part->context ?
			list[at].part->context < part->context :
			list[at].part->kernel <= part->kernel))
		at++;
	if (at == *count || list[at].part != part) {
		if (*count == PRESENT_MOST || c->step < 0)
			return;
		memmove(list + at + 1, list + at, (*count - at) * sizeof(*list));
		list[at] = (struct present){ .part = part };
		++*count;
	}
	blocks = c->kind == MOVE_SAVE	 ? &list[at].saving :
		 c->kind == MOVE_RESTORE ? &list[at].restoring :
					   &list[at].running;
	if (c->step > 0)
		++*blocks;
	else if (*blocks)
		--*blocks;
	if (!present_blocks(&list[at]))
		memmove(list + at, list + at + 1, (--*count - at) * sizeof(*list));
}

int trace_presence(const struct trace *t, trace_present_fn *fn, void *arg)
{
	size_t total = count_changes(t->spans, t->span_count) +
		       count_changes(t->moves, t->move_count);
	struct present list[PRESENT_MOST];
	struct change *changes;
	size_t count = 0, present = 0;
	int err = 0;

	if (!total)
		return 0;
	changes = malloc(total * sizeof(*changes));
	if (!changes)
		return -1;
	count = add_changes(t->spans, t->span_count, 0, changes);
	count += add_changes(t->moves, t->move_count, 1, changes + count);
	qsort(changes, count, sizeof(*changes), by_time);
	for (size_t i = 0; i < count && !err; i++) {
		change(t, &changes[i], list, &present);
		if (i + 1 < count && present && changes[i + 1].sm == changes[i].sm &&
		    changes[i + 1].time > changes[i].time)
			err = fn(arg, changes[i].sm, changes[i].time, changes[i + 1].time, list,
				 present);
	}
	free(changes);
	return err;
}

/* ---- sums ---------------------------------------------------------------- */

/* The time of an SM is that of all kernels there, in proportion to their shares. */
static int account(void *arg, uint32_t sm, uint64_t from, uint64_t to, const struct present *list,
		   size_t count)
{
	double time = (double)(to - from), shares = 0;
	struct trace *t = arg;

	(void)sm;
	for (size_t i = 0; i < count; i++)
		shares += list[i].part->share * present_blocks(&list[i]);
	for (size_t i = 0; i < count; i++) {
		const struct part *part = list[i].part;
		struct process *p = &t->processes[part->context];
		double blocks = present_blocks(&list[i]);

		p->sm_time += (uint64_t)(time * blocks * part->share / shares);
		/* kernels of one process are one behind the other */
		if (!i || list[i - 1].part->context != part->context)
			p->shared.time += time;
		p->shared.blocks += time * blocks;
		p->shared.registers += time * blocks * part->registers;
		p->shared.shared_bytes += time * blocks * part->shared_bytes;
		p->shared.warps += time * blocks * part->warps;
		p->shared.share += time * blocks * part->share;
	}
	t->side_by_side[count < KERNELS_MOST ? count : KERNELS_MOST] += to - from;
	return 0;
}

int trace_account_shared(struct trace *t)
{
	return trace_presence(t, account, t);
}

// SPDX-License-Identifier: MIT
/*
 * What orders launches, copies and fills: their queue, commands that wait for another queue, and
 * what the host knew when it submitted them. A command keeps, for each queue, up to which command
 * that is before it; commands of a queue share this until it changes.
 */
#include "race_shadow.h"
#include <stdlib.h>
#include <string.h>

/** struct race_step - from command @seq of a queue on, @before is before its commands */
struct race_step {
	u64 seq;
	struct race_seqs *before;
};

struct race_queue {
	struct race_step *step;
	u32 steps, room;
	struct race_seqs *waits;	/* what its next command is behind, by WAIT commands */
};

/* ---- arrays of seqs ------------------------------------------------------------------------ */

void race_seqs_drop(struct race_seqs *seqs)
{
	if (seqs && !--seqs->refs)
		free(seqs);
}

static struct race_seqs *hold(struct race_seqs *seqs)
{
	if (seqs)
		seqs->refs++;
	return seqs;
}

static u64 seq_of(const struct race_seqs *seqs, u32 queue)
{
	return seqs && queue < seqs->count ? seqs->seq[queue] : 0;
}

static bool covers(const struct race_seqs *a, const struct race_seqs *b)
{
	for (u32 q = 0; b && q < b->count; q++)
		if (seq_of(a, q) < b->seq[q])
			return false;
	return true;
}

static struct race_seqs *seqs_new(u32 count)
{
	struct race_seqs *seqs = calloc(1, sizeof(*seqs) + count * sizeof(seqs->seq[0]));

	if (!seqs)
		abort();
	seqs->refs = 1;
	seqs->count = count;
	return seqs;
}

/* A new reference to what both know */
static struct race_seqs *join(struct race_seqs *a, struct race_seqs *b)
{
	struct race_seqs *seqs;

	if (covers(a, b))
		return hold(a);
	if (covers(b, a))
		return hold(b);
	seqs = seqs_new(a->count > b->count ? a->count : b->count);
	for (u32 q = 0; q < seqs->count; q++)
		seqs->seq[q] = seq_of(a, q) > seq_of(b, q) ? seq_of(a, q) : seq_of(b, q);
	return seqs;
}

static void add(struct race_seqs **to, struct race_seqs *more)
{
	struct race_seqs *joined = join(*to, more);

	race_seqs_drop(*to);
	*to = joined;
}

/* *@to is behind @seq of @queue, and so behind all that is behind. */
static void add_command(struct race *race, struct race_seqs **to, u32 queue, u64 seq)
{
	struct race_seqs *one = seqs_new(queue + 1), *before = race_seqs_of(race, queue, seq);

	one->seq[queue] = seq;
	add(to, one);
	add(to, before);
	race_seqs_drop(one);
}

/* ---- queues -------------------------------------------------------------------------------- */

static struct race_queue *queue_of(struct race *race, u32 queue)
{
	if (queue >= race->queues) {
		u32 count = queue + 16;

		race->queue = realloc(race->queue, count * sizeof(*race->queue));
		if (!race->queue)
			abort();
		memset(race->queue + race->queues, 0,
		       (count - race->queues) * sizeof(*race->queue));
		race->queues = count;
	}
	return &race->queue[queue];
}

/* Of what is before command @seq of @queue; without a reference */
struct race_seqs *race_seqs_of(struct race *race, u32 queue, u64 seq)
{
	const struct race_queue *q = queue_of(race, queue);
	struct race_seqs *before = NULL;

	for (u32 n = 0; n < q->steps && q->step[n].seq <= seq; n++)
		before = q->step[n].before;
	return before;
}

/* Steps that nobody can ask for any more: the host knows of what comes after them. */
static void prune(struct race *race, struct race_queue *q, u32 queue)
{
	u64 known = seq_of(race->host, queue);
	u32 gone = 0;

	while (gone + 1 < q->steps && q->step[gone + 1].seq <= known)
		gone++;
	if (!gone)
		return;
	for (u32 n = 0; n < gone; n++)
		race_seqs_drop(q->step[n].before);
	q->steps -= gone;
	memmove(q->step, q->step + gone, q->steps * sizeof(*q->step));
}

bool race_queue_used(const struct race *race, u32 queue)
{
	return queue < race->queues && race->queue[queue].steps;
}

void race_command(struct race *race, u32 queue, u64 seq)
{
	struct race_queue *q = queue_of(race, queue);

	add(&q->waits, race->host);
	if (q->steps && q->step[q->steps - 1].before == q->waits)
		return;
	prune(race, q, queue);
	if (q->steps == q->room) {
		q->room = q->room ? q->room * 2 : 8;
		q->step = realloc(q->step, q->room * sizeof(*q->step));
		if (!q->step)
			abort();
	}
	q->step[q->steps++] = (struct race_step){ seq, hold(q->waits) };
}

void race_command_waits(struct race *race, u32 queue, u64 seq, u32 wait_queue, u64 wait)
{
	queue_of(race, wait_queue);
	add_command(race, &queue_of(race, queue)->waits, wait_queue, wait);
	/* whoever waits for this one knows of the other, too */
	race_command(race, queue, seq);
}

void race_host_knows(struct race *race, u32 queue, u64 seq)
{
	queue_of(race, queue);
	if (seq_of(race->host, queue) < seq)
		add_command(race, &race->host, queue, seq);
}

void race_commands_free(struct race *race)
{
	for (u32 n = 0; n < race->queues; n++) {
		struct race_queue *q = &race->queue[n];

		for (u32 s = 0; s < q->steps; s++)
			race_seqs_drop(q->step[s].before);
		race_seqs_drop(q->waits);
		free(q->step);
	}
	free(race->queue);
	race_seqs_drop(race->host);
}

/* ---- spans of numbers ---------------------------------------------------------------------- */

bool race_span_before(const struct race_span *span, u32 queue, u64 seq,
		      const struct race_seqs *before)
{
	if (span->queue == queue)
		return span->seq < seq;
	return span->seq <= seq_of(before, span->queue);
}

struct race_span *race_span_new(struct race *race, u32 count, u32 queue, u64 seq, void *launch)
{
	if (race->spans == race->span_room) {
		race->span_room = race->span_room ? race->span_room * 2 : 64;
		race->span = realloc(race->span, race->span_room * sizeof(*race->span));
		if (!race->span)
			abort();
	}
	race->span[race->spans] = (struct race_span){
		.first = race->numbers,
		.count = count,
		.queue = queue,
		.seq = seq,
		.launch = launch,
	};
	race->numbers += count;
	return &race->span[race->spans++];
}

const struct race_span *race_span_of(const struct race *race, u32 number)
{
	u32 low = 0, high = race->spans;

	while (high - low > 1) {
		u32 middle = low + (high - low) / 2;

		if (race->span[middle].first <= number)
			low = middle;
		else
			high = middle;
	}
	return &race->span[low];
}

/* ---- copies and fills ---------------------------------------------------------------------- */

/** struct command_by - a command, while its cells are looked at */
struct command_by {
	struct race *race;
	const struct race_span *span;
	const struct race_seqs *before;
	u32 site;
};

static void look_at(struct command_by *by, const struct race_mark *mark, u64 address)
{
	const struct race_span *span;
	u32 lane;

	if (!mark->block)
		return;
	span = race_span_of(by->race, mark->block);
	/* a copy of two places is one command */
	if (span->queue == by->span->queue ||
	    race_span_before(span, by->span->queue, by->span->seq, by->before))
		return;
	lane = by->race->site[RACE_WHO_SITE(mark->who)].kind == RACE_READ ?
		       (u32)__builtin_ctz(mark->lanes) :
		       RACE_WHO_LANE(mark->who);
	by->race->report(by->race->arg,
			 &(struct race_found){
				 .space = RACE_GLOBAL,
				 .address = address,
				 .bytes = 1,
				 .first = { &by->race->site[by->site], by->span->launch, 0, 0 },
				 .second = { &by->race->site[RACE_WHO_SITE(mark->who)],
					     span->launch, mark->block - span->first,
					     RACE_WHO_WARP(mark->who) * RACE_LANES + lane },
			 });
}

static void command_cell(struct command_by *by, struct race_cell *cell, bool write, u64 address)
{
	struct race_mark mark = { by->span->first, 1, write ? 0 : 1,
				  RACE_WHO(by->site, 0, 0, false) };

	look_at(by, &cell->write, address);
	if (!write) {
		for (u32 n = 0; n < RACE_READS; n++)
			if (!cell->read[n].block || n == RACE_READS - 1) {
				cell->read[n] = mark;
				return;
			}
		return;
	}
	for (u32 n = 0; n < RACE_READS; n++)
		look_at(by, &cell->read[n], address);
	*cell = (struct race_cell){ .write = mark };
}

/* [from, to) of the chunk at @address */
static void command_chunk(struct command_by *by, u64 address, u32 from, u32 to, bool write)
{
	struct race_table *table = &by->race->table;
	struct race_chunk *chunk = race_chunk_of(table, address, true);
	u32 shift = (from | to) & 3 ? 0 : 2;

	if (!chunk)
		return;
	if (to - from == RACE_CHUNK_BYTES && (write || !chunk->cell)) {
		for (u32 n = 0; chunk->cell && n < race_chunk_count(chunk); n++)
			command_cell(by, &chunk->cell[n], write, address + (n << chunk->shift));
		command_cell(by, &chunk->all, write, address);
		if (chunk->cell) {
			struct race_cell all = { .write = chunk->all.write };

			race_chunk_fill(table, chunk, &all);
		}
		return;
	}
	race_chunk_cells(table, chunk, shift);
	for (u32 n = from >> chunk->shift; n < to >> chunk->shift; n++)
		command_cell(by, &chunk->cell[n], write, address + (n << chunk->shift));
}

static void each_chunk(u64 address, u64 bytes, void (*visit)(void *arg, u64 at, u32 from, u32 to),
		       void *arg)
{
	u64 end = address + bytes;

	while (address < end) {
		u64 at = address & ~(u64)(RACE_CHUNK_BYTES - 1);
		u64 next = at + RACE_CHUNK_BYTES < end ? at + RACE_CHUNK_BYTES : end;

		visit(arg, at, (u32)(address - at), (u32)(next - at));
		address = next;
	}
}

static void visit_access(void *arg, u64 at, u32 from, u32 to)
{
	struct command_by *by = arg;

	command_chunk(by, at, from, to, by->race->site[by->site].kind != RACE_READ);
}

void race_command_access(struct race *race, u32 queue, u64 seq, u32 site, void *launch,
			 u64 address, u64 bytes)
{
	struct command_by by = { .race = race, .site = site };

	by.span = race_span_new(race, 1, queue, seq, launch);
	by.before = race_seqs_of(race, queue, seq);
	each_chunk(address, bytes, visit_access, &by);
}

static void visit_forget(void *arg, u64 at, u32 from, u32 to)
{
	struct race *race = arg;
	struct race_chunk *chunk = race_chunk_of(&race->table, at, false);

	if (!chunk)
		return;
	if (to - from == RACE_CHUNK_BYTES || !chunk->cell) {
		race_chunk_fill(&race->table, chunk, &(struct race_cell){});
		return;
	}
	race_chunk_cells(&race->table, chunk, (from | to) & 3 ? 0 : 2);
	memset(&chunk->cell[from >> chunk->shift], 0,
	       ((to >> chunk->shift) - (from >> chunk->shift)) * sizeof(chunk->cell[0]));
}

void race_forget(struct race *race, u64 address, u64 bytes)
{
	each_chunk(address, bytes, visit_forget, race);
}

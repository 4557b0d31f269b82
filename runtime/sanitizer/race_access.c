// SPDX-License-Identifier: MIT
/*
 * Accesses: each is compared with the last write of its cells, a write also with the reads since
 * that, and takes its place among them.
 */
#include "race_shadow.h"

/** struct race_by - who makes an access, while it is made */
struct race_by {
	struct race *race;
	struct race_block *block;
	const struct race_warp *warp;
	u32 w;
	const struct race_access *access;
	const struct race_site *site;
	bool shared;
};

/* ---- what is ordered ----------------------------------------------------------------------- */

/* Numbers of other launches: is all of the one with @number before @launch? */
static bool launch_before(struct race_launch *launch, u32 number)
{
	const struct race_span *span;

	if (number >= launch->low && number < launch->high)
		return launch->ordered;
	span = race_span_of(launch->race, number);
	launch->low = span->first;
	launch->high = span->first + span->count;
	launch->ordered =
		race_span_before(span, launch->span.queue, launch->span.seq, launch->before);
	return launch->ordered;
}

/* Is what @lane of warp @warp of block @number did up to @counter before what @state does next? */
static bool known(const struct race_by *by, const struct race_state *state, u32 number, u32 warp,
		  u32 lane, u32 counter)
{
	if (number == by->block->number)
		return counter <= race_clock_lane(state->own, warp, lane);
	return counter <= race_clock_lane(race_clock_leaf(state->now, number), warp, lane);
}

static bool same_launch(const struct race_launch *launch, u32 number)
{
	return number - launch->span.first < launch->span.count;
}

/* The lanes in @lanes that the write @mark is not ordered before */
static u32 after_write(const struct race_by *by, const struct race_mark *mark, u32 lanes)
{
	u32 warp = RACE_WHO_WARP(mark->who), lane = RACE_WHO_LANE(mark->who), unordered = 0;

	if (mark->block == by->block->number) {
		if (warp == by->w)
			lanes &= ~(1u << lane);
		if (mark->counter <= race_clock_warp(by->warp->lane[0]->own, warp) &&
		    by->warp->together)
			return 0;
	} else if (!same_launch(by->block->launch, mark->block)) {
		return launch_before(by->block->launch, mark->block) ? 0 : lanes;
	}
	if (lanes && by->warp->together)
		unordered = known(by, by->warp->lane[0], mark->block, warp, lane, mark->counter) ?
				    0 : lanes;
	if (by->warp->together)
		return unordered;
	for (u32 left = lanes; left; left &= left - 1) {
		u32 l = (u32)__builtin_ctz(left);

		if (!known(by, by->warp->lane[l], mark->block, warp, lane, mark->counter))
			unordered |= 1u << l;
	}
	return unordered;
}

/*
 * Is the read @mark of @lanes, not 0, not ordered before what lane @lane of @by does? Then the
 * first of them that is not; ~0: it is.
 */
static u32 read_beside(const struct race_by *by, const struct race_mark *mark, u32 lane,
		       u32 lanes)
{
	const struct race_state *state = by->warp->lane[lane];
	u32 warp = RACE_WHO_WARP(mark->who);

	if (mark->block == by->block->number) {
		if (warp == by->w)
			lanes &= ~(1u << lane);
		if (mark->counter <= race_clock_warp(state->own, warp))
			return ~0u;
	} else if (!same_launch(by->block->launch, mark->block)) {
		return launch_before(by->block->launch, mark->block) ? ~0u :
								       (u32)__builtin_ctz(lanes);
	}
	for (; lanes; lanes &= lanes - 1) {
		u32 l = (u32)__builtin_ctz(lanes);

		if (!known(by, state, mark->block, warp, l, mark->counter))
			return l;
	}
	return ~0u;
}

/* ---- races --------------------------------------------------------------------------------- */

/* Does the mark stand for anything? What other blocks did to shared memory was to theirs. */
static bool there(const struct race_by *by, const struct race_mark *mark)
{
	return mark->block && (!by->shared || mark->block == by->block->number);
}

/* Of lanes of one warp, by shared memory, both volatile */
static bool exchanged(const struct race_by *by, const struct race_mark *mark)
{
	return by->shared && mark->block == by->block->number &&
	       RACE_WHO_WARP(mark->who) == by->w && by->site->is_volatile &&
	       by->race->site[RACE_WHO_SITE(mark->who)].is_volatile;
}

/* Two accesses that nothing orders: are they strong enough for each other? */
static bool strong_both(const struct race_by *by, const struct race_mark *mark, bool several)
{
	const struct race_site *other = &by->race->site[RACE_WHO_SITE(mark->who)];
	bool same_block = mark->block == by->block->number;

	if (!by->site->strong || !other->strong)
		return false;
	if (!same_block && (by->site->scope == RACE_BLOCK || other->scope == RACE_BLOCK))
		return false;
	/* one lane's word is a flag; several are what lanes that nothing holds together exchange */
	return !(several && exchanged(by, mark));
}

/*
 * A plain read and an atomic of one launch, or volatile accesses that lanes of one warp exchange:
 * race_doubt.c decides.
 */
static bool doubtful(const struct race_by *by, const struct race_mark *mark)
{
	u8 own = by->site->kind, other = by->race->site[RACE_WHO_SITE(mark->who)].kind;

	if (!same_launch(by->block->launch, mark->block))
		return false;
	return (own == RACE_READ && other == RACE_ATOMIC) ||
	       (own == RACE_ATOMIC && other == RACE_READ) || exchanged(by, mark);
}

static void report(const struct race_by *by, u32 lane, u64 address, const struct race_mark *mark,
		   u32 other_lane)
{
	const struct race_span *span = same_launch(by->block->launch, mark->block) ?
					       &by->block->launch->span :
					       race_span_of(by->race, mark->block);
	struct race_found found = {
		.space = by->access->space,
		.address = address,
		.bytes = by->access->bytes,
		.first = { by->site, by->block->launch->span.launch, by->block->index,
			   by->w * RACE_LANES + lane },
		.second = { &by->race->site[RACE_WHO_SITE(mark->who)], span->launch,
			    mark->block - span->first,
			    RACE_WHO_WARP(mark->who) * RACE_LANES + other_lane },
	};

	if (doubtful(by, mark))
		race_doubt(by->block->launch, &found,
			   by->site->kind == RACE_READ ? by->block->number : mark->block);
	else
		by->race->report(by->race->arg, &found);
}

static void read_cell(const struct race_by *by, struct race_cell *cell, u32 lanes, u64 address)
{
	const struct race_mark *write = &cell->write;
	u32 unordered;

	if (!there(by, write))
		return;
	if (unlikely(by->site->is_volatile) && exchanged(by, write))
		race_doubt_flag(by->block->launch, by->access->site, RACE_WHO_SITE(write->who));
	unordered = after_write(by, write, lanes);
	if (likely(!unordered) || strong_both(by, write, RACE_WHO_SEVERAL(write->who)))
		return;
	/* one stands for all, but each may go on */
	if (!doubtful(by, write))
		unordered &= -unordered;
	for (; unordered; unordered &= unordered - 1)
		report(by, (u32)__builtin_ctz(unordered), address, write,
		       RACE_WHO_LANE(write->who));
}

/* @mark can go: whoever is behind @lanes, which read now, is behind it. */
static bool superseded(const struct race_by *by, const struct race_mark *mark, u32 lanes)
{
	if (!there(by, mark))
		return true;
	if (RACE_WHO_STRONG(mark->who) < by->site->strong)
		return false;
	if (mark->block == by->block->number && RACE_WHO_WARP(mark->who) == by->w &&
	    !(mark->lanes & ~lanes))
		return true;
	return read_beside(by, mark, (u32)__builtin_ctz(lanes), mark->lanes) == ~0u &&
	       (by->warp->together || lanes == (lanes & -lanes));
}

/*
 * Three reads that nothing orders are remembered: of those of this block no more than two, unless
 * there are no others, so that a write by any thread finds one of another block, and of a block one
 * of another warp.
 */
static struct race_mark *place_of_read(const struct race_by *by, struct race_cell *cell, u32 lanes)
{
	struct race_mark *of[2][RACE_READS];
	u32 count[2] = {}, number = by->block->number;

	for (u32 n = 0; n < RACE_READS; n++) {
		struct race_mark *mark = &cell->read[n];
		bool own = mark->block == number;

		if (superseded(by, mark, lanes))
			return mark;
		of[own][count[own]++] = mark;
	}
	return count[true] > 1 ? of[true][by->w % count[true]] : of[false][number % count[false]];
}

static void note_read(const struct race_by *by, struct race_cell *cell, u32 lanes)
{
	u32 counter = by->warp->counter;
	u32 who = RACE_WHO(by->access->site, by->w, 0, by->site->strong);
	struct race_mark *mark;

	for (u32 n = 0; n < RACE_READS; n++) {
		mark = &cell->read[n];
		if (mark->block == by->block->number && mark->counter == counter &&
		    RACE_WHO_WARP(mark->who) == by->w &&
		    RACE_WHO_STRONG(mark->who) == by->site->strong) {
			/* again, and nobody has written: it waits for a flag */
			if (by->site->is_volatile && by->shared && mark->lanes & lanes &&
			    RACE_WHO_SITE(mark->who) == by->access->site)
				race_doubt_loop(by->block->launch, by->access->site);
			mark->lanes |= lanes;
			mark->who = who;
			return;
		}
	}
	mark = place_of_read(by, cell, lanes);
	*mark = (struct race_mark){ by->block->number, counter, lanes, who };
}

/* Plain stores of one value are no matter. */
static bool same_value(const struct race_by *by, const struct race_mark *write, u32 value,
		       bool has_value)
{
	const struct race_site *other = &by->race->site[RACE_WHO_SITE(write->who)];

	return has_value && other->kind == RACE_WRITE && !other->command && write->lanes == value;
}

/* The same thread's weaker write, which nothing is after that is not after this one, too */
static bool stays(const struct race_by *by, const struct race_mark *write, u32 lane)
{
	const struct race_site *other = &by->race->site[RACE_WHO_SITE(write->who)];

	return write->block == by->block->number && write->counter == by->warp->counter &&
	       RACE_WHO_WARP(write->who) == by->w && RACE_WHO_LANE(write->who) == lane &&
	       (other->strong < by->site->strong || other->scope < by->site->scope);
}

/* The read @mark of the cell and a write, or an atomic, by lane @lane */
static void compare_read(const struct race_by *by, const struct race_mark *mark, u32 lane,
			 u64 address)
{
	u32 left = mark->lanes, other;

	if (by->site->compares && mark->block == by->block->number &&
	    mark->counter == by->warp->counter && RACE_WHO_WARP(mark->who) == by->w &&
	    mark->lanes >> lane & 1)
		race_doubt_loop(by->block->launch, RACE_WHO_SITE(mark->who));
	while (left) {
		other = read_beside(by, mark, lane, left);
		if (likely(other == ~0u) || strong_both(by, mark, by->access->several))
			break;
		report(by, lane, address, mark, other);
		left = doubtful(by, mark) ? left & (~1u << other) : 0;
	}
}

static void write_cell(const struct race_by *by, struct race_cell *cell, u32 lane, u64 address,
		       u32 value, bool has_value)
{
	u32 several = by->access->several;

	if (there(by, &cell->write) && unlikely(after_write(by, &cell->write, 1u << lane)) &&
	    !strong_both(by, &cell->write, several || RACE_WHO_SEVERAL(cell->write.who)) &&
	    !same_value(by, &cell->write, value, has_value))
		report(by, lane, address, &cell->write, RACE_WHO_LANE(cell->write.who));
	for (u32 n = 0; n < RACE_READS; n++) {
		struct race_mark *mark = &cell->read[n];

		if (there(by, mark))
			compare_read(by, mark, lane, address);
		mark->block = 0;
	}
	if (!stays(by, &cell->write, lane))
		cell->write = (struct race_mark){ by->block->number, by->warp->counter, value,
						  RACE_WHO(by->access->site, by->w, lane,
							   several) };
}

/* ---- all lanes ----------------------------------------------------------------------------- */

static struct race_chunk *chunk_of(const struct race_by *by, u64 address)
{
	struct race_table *table = &by->race->table;

	if (!by->shared)
		return race_chunk_of(table, address, true);
	if (address >> RACE_CHUNK_SHIFT >= by->block->chunks)
		return NULL;
	return race_chunk_shared(table, &by->block->shared[address >> RACE_CHUNK_SHIFT]);
}

/* @lanes, all at the address of @lane */
static void access_at(const struct race_by *by, struct race_chunk *chunk, u32 lane, u32 lanes)
{
	const struct race_access *access = by->access;
	u64 address = access->address[lane];
	u32 shift = access->bytes < 4 ? 0 : 2, at, count;

	if (unlikely(!chunk->cell || chunk->shift > shift))
		race_chunk_cells(&by->race->table, chunk, shift);
	shift = chunk->shift;
	at = (u32)(address & (RACE_CHUNK_BYTES - 1)) >> shift;
	count = access->bytes >> shift;
	for (u32 n = 0; n < count && at + n < race_chunk_count(chunk); n++) {
		struct race_cell *cell = &chunk->cell[at + n];
		u64 where = address + (n << shift);
		u32 value = 0;

		if (by->site->kind == RACE_READ) {
			read_cell(by, cell, lanes, where);
			note_read(by, cell, lanes);
			continue;
		}
		if (access->value && shift == 2)
			value = access->value(access, lane, n);
		else if (access->value && access->bytes < 4)
			value = access->value(access, lane, 0) >> n * 8 & 0xff;
		else if (access->value)
			value = access->value(access, lane, n / 4) >> n % 4 * 8 & 0xff;
		write_cell(by, cell, lane, where, value, access->value);
	}
}

/*
 * Of the lanes in @left some that access what the first of them does: neighbours, and those as many
 * lanes apart as rows of tiles have.
 */
static u32 lanes_at(const struct race_access *access, u32 left)
{
	u32 first = (u32)__builtin_ctz(left), same = 1u << first;
	u64 address = access->address[first];

	for (u32 l = first + 1; l < RACE_LANES && left >> l & 1 && access->address[l] == address;
	     l++)
		same |= 1u << l;
	for (u32 l = first + 4; l < RACE_LANES; l += l - first)
		if (left >> l & 1 && access->address[l] == address)
			same |= 1u << l;
	return same;
}

void race_access(struct race_block *block, u32 w, const struct race_access *access)
{
	struct race *race = block->launch->race;
	const struct race_by by = {
		.race = race,
		.block = block,
		.warp = &block->warp[w],
		.w = w,
		.access = access,
		.site = &race->site[access->site],
		.shared = access->space == RACE_SHARED,
	};
	bool reads = by.site->kind == RACE_READ;
	struct race_chunk *chunk = NULL;
	u64 last = ~0ull;

	for (u32 left = access->lanes, same; left; left &= ~same) {
		u32 lane = (u32)__builtin_ctz(left);
		u64 address = access->address[lane];

		/* lanes that read one place do so as one */
		same = !reads ? left & -left : access->several ? lanes_at(access, left) : left;
		if (address >> RACE_CHUNK_SHIFT != last) {
			chunk = chunk_of(&by, address);
			last = address >> RACE_CHUNK_SHIFT;
		}
		if (likely(chunk))
			access_at(&by, chunk, lane, same);
		for (u32 n = 0; by.site->compares && n < access->bytes; n++)
			race_doubt_settled(block->launch, address + n, block->number,
					   w * RACE_LANES + lane);
		for (u32 lanes = by.site->strong ? same : 0; lanes; lanes &= lanes - 1)
			race_var_access(block, w, (u32)__builtin_ctz(lanes), by.site, address,
					by.shared);
	}
}

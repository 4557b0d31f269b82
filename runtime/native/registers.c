// SPDX-License-Identifier: MIT
/*
 * Which chunks of a warp's registers are in vector registers of the processor, while code of one
 * segment is put together, and which of those are not in memory yet (dirty). Wherever the code is
 * left, what a thread may yet read is in memory (live.h): every way out of it stores that, and
 * every way in loads what is used from there on. Both are put together behind the segment (ways.c),
 * when it is known from when to when each chunk was in which register.
 *
 * With smaller vectors nothing is kept: instructions read and write the warp's registers where they
 * are.
 *
 * "When" is the number of the event, in the order in which code of the segment was put together:
 * translation.now. Code that leaves the segment and returns to it has two: when it leaves it, and
 * when it is back.
 */
#include <stdlib.h>
#include <string.h>

#include "translate.h"

#define NEVER	(~0u)

static struct residency *of_slot(struct translation *t, u8 slot)
{
	return &t->residencies[t->residency_of[slot]];
}

static bool is_dirty(const struct residency *r, u32 when)
{
	return r->dirty && r->from < when && when < r->stored;
}

/* What the slot has is in memory from now on, or has been overwritten. */
static void stored(struct translation *t, u8 slot)
{
	struct residency *r = of_slot(t, slot);

	if (!r->dirty || r->stored != NEVER)
		return;
	r->stored = r->last = ++t->now;
}

static void store(struct translation *t, u8 slot)
{
	const struct residency *r = of_slot(t, slot);

	if (r->dirty && r->stored == NEVER)
		x86_vm(&t->x, V_STORE, slot, 0, chunk_mem(r->chunk), 0);
	stored(t, slot);
}

/* May a thread at instruction @index read it? */
static bool is_live(const struct translation *t, u32 index, u32 chunk)
{
	return vgpu_is_live(t->live, index, chunk / 2, t->masked);
}

static void drop(struct translation *t, u8 slot)
{
	stored(t, slot);
	t->slot_of[t->chunk_of[slot]] = 0;
	t->chunk_of[slot] = NO_CHUNK;
}

void tr_forget(struct translation *t)
{
	for (u8 slot = CACHE_FIRST; slot <= CACHE_LAST; slot++)
		if (t->chunk_of[slot] != NO_CHUNK)
			drop(t, slot);
}

void tr_begin_segment(struct translation *t)
{
	for (u32 n = 0; n < 32; n++)
		t->chunk_of[n] = NO_CHUNK;
	memset(t->slot_of, 0, sizeof(t->slot_of));
	t->residency_count = 0;
	t->now = 0;
}

void tr_begin(struct translation *t)
{
	t->pinned = 0;
}

void tr_unpin(struct translation *t, u8 slot)
{
	t->pinned &= ~(1u << slot);
}

static void enter(struct translation *t, u8 slot, u32 chunk, bool dirty)
{
	if (t->residency_count == t->residency_room) {
		u32 room = t->residency_room ? t->residency_room * 2 : 256;
		void *more = realloc(t->residencies, room * sizeof(*t->residencies));

		if (!more) {
			t->failed = true;
			t->residency_count = 0;	/* what is put together is not used */
			if (!t->residencies)
				return;
		} else {
			t->residencies = more;
			t->residency_room = room;
		}
	}
	if (t->slot_of[chunk])
		drop(t, t->slot_of[chunk]);
	t->now++;
	t->residencies[t->residency_count] =
		(struct residency){ (u16)chunk, slot, dirty, t->now, t->now, NEVER };
	t->residency_of[slot] = t->residency_count++;
	t->chunk_of[slot] = (u16)chunk;
	t->slot_of[chunk] = slot;
}

/* Small vectors: there are no registers to keep anything in. Operands are read where they are. */
static u8 alias(struct translation *t, u32 chunk)
{
	u8 slot = X86_ALIAS_FIRST;

	while (t->pinned >> slot & 1 && slot < CACHE_LAST)
		slot++;
	t->failed |= t->pinned >> slot & 1;
	t->x.alias[slot - X86_ALIAS_FIRST] = chunk_mem(chunk);
	t->pinned |= 1u << slot;
	return slot;
}

static u8 fresh_of_small(struct translation *t)
{
	u8 slot = CACHE_FIRST;

	while (t->pinned >> slot & 1 && slot < X86_ALIAS_FIRST - 1)
		slot++;
	t->failed |= t->pinned >> slot & 1;
	t->pinned |= 1u << slot;
	return slot;
}

u8 tr_fresh(struct translation *t)
{
	u8 slot = t->next_slot;

	if (t->x.small)
		return fresh_of_small(t);
	do
		slot = slot == CACHE_LAST ? CACHE_FIRST : (u8)(slot + 1);
	while (t->pinned >> slot & 1);
	t->next_slot = slot;
	if (t->chunk_of[slot] != NO_CHUNK) {
		if (is_live(t, t->index, t->chunk_of[slot]))
			store(t, slot);
		drop(t, slot);
	}
	t->pinned |= 1u << slot;
	return slot;
}

/* The register that has the chunk; 0: none has */
static u8 cached(struct translation *t, u32 chunk)
{
	u8 slot = t->slot_of[chunk];

	if (slot)
		of_slot(t, slot)->last = ++t->now;
	return slot;
}

u8 tr_use(struct translation *t, u32 chunk)
{
	u8 slot = cached(t, chunk);

	if (t->x.small)
		return alias(t, chunk);
	if (slot) {
		t->pinned |= 1u << slot;
		return slot;
	}
	slot = tr_fresh(t);
	x86_vm(&t->x, V_LOAD, slot, 0, chunk_mem(chunk), 0);
	enter(t, slot, chunk, false);
	return slot;
}

void tr_copy(struct translation *t, u8 to, u32 chunk)
{
	u8 slot = cached(t, chunk);

	if (slot)
		x86_v(&t->x, V_LOAD, to, 0, slot, 0);
	else
		x86_vm(&t->x, V_LOAD, to, 0, chunk_mem(chunk), 0);
}

void tr_half(struct translation *t, u32 op, u8 to, u32 reg, u32 half)
{
	u8 slot = cached(t, chunk(reg, half / 2));

	if (!slot) {
		x86_vm(&t->x, op, to, 0, half_mem(reg, half), 0);
	} else if (half & 1) {
		x86_vi(&t->x, V_EXTRACT, slot, 0, to, 0, 1);
		x86_v(&t->x, op, to, 0, to, 0);
	} else {
		x86_v(&t->x, op, to, 0, slot, 0);
	}
}

void tr_result(struct translation *t, u8 slot, u32 reg, u32 part, bool wide)
{
	u32 chunk_ = chunk(reg, part);

	if (t->masked) {
		u32 inactive = V_MASK(wide ? 3 + part : 1 + part);
		u8 old = cached(t, chunk_);

		if (old)
			x86_v(&t->x, wide ? V_LOADQ : V_LOAD, slot, 0, old, inactive);
		else
			x86_vm(&t->x, wide ? V_LOADQ : V_LOAD, slot, 0, chunk_mem(chunk_),
			       inactive);
	}
	if (t->x.small)
		x86_vm(&t->x, V_STORE, slot, 0, chunk_mem(chunk_), 0);
	else
		enter(t, slot, chunk_, true);
}

void tr_results(struct translation *t, const u8 *d, u32 reg, bool wide)
{
	for (u32 p = 0; p < parts_of(wide); p++)
		tr_result(t, d[p], reg, p, wide);
}

/* ---- memory ----------------------------------------------------------------------- */

void tr_store_chunk(struct translation *t, u32 chunk)
{
	if (t->slot_of[chunk])
		store(t, t->slot_of[chunk]);
}

void tr_store(struct translation *t, u32 index)
{
	for (u8 slot = CACHE_FIRST; slot <= CACHE_LAST; slot++)
		if (t->chunk_of[slot] != NO_CHUNK && is_live(t, index, t->chunk_of[slot]))
			store(t, slot);
}

void tr_store_at(struct translation *t, u32 when, u32 index)
{
	for (u32 n = 0; n < t->residency_count; n++) {
		const struct residency *r = &t->residencies[n];

		if (is_dirty(r, when) && is_live(t, index, r->chunk))
			x86_vm(&t->x, V_STORE, r->slot, 0, chunk_mem(r->chunk), 0);
	}
}

void tr_load_at(struct translation *t, u32 when)
{
	for (u32 n = 0; n < t->residency_count; n++) {
		const struct residency *r = &t->residencies[n];

		if (r->from < when && r->last > when)
			x86_vm(&t->x, V_LOAD, r->slot, 0, chunk_mem(r->chunk), 0);
	}
}

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
	if (t->masked && t->strided)
		return vgpu_is_live_or(t->live, index, chunk / 2, &t->strides[index].elsewhere);
	return vgpu_is_live(t->live, index, chunk / 2, t->masked);
}

/* The same of what @r has; of a head also of R(n + 1), which is derived from it and needs it. */
static bool is_needed(const struct translation *t, u32 index, const struct residency *r)
{
	return is_live(t, index, r->chunk) ||
	       (r->head && is_live(t, index, chunk(r->chunk / 2 ^ 1, 0)));
}

static void drop(struct translation *t, u8 slot)
{
	stored(t, slot);
	t->slot_of[t->chunk_of[slot]] = 0;
	t->chunk_of[slot] = NO_CHUNK;
}

/* ---- derived chunks --------------------------------------------------------------- */

/* No instruction keeps anything there. */
#define TEMP	6

static struct residency *derived(struct translation *t, u32 chunk)
{
	return t->derived_of[chunk] ? &t->residencies[t->derived_of[chunk] - 1] : NULL;
}

/* to = the chunk */
static void derive(struct translation *t, u8 to, const struct residency *r)
{
	if (r->offset)
		x86_vm(&t->x, r->wide ? V_ADDQ : V_ADD, to, r->slot,
		       at_label(x86_constant(&t->x, r->offset)), V_BROADCAST);
	else
		x86_v(&t->x, V_LOAD, to, 0, r->slot, 0);
}

static void put_derived(struct translation *t, const struct residency *r)
{
	u8 from = r->slot;

	if (r->offset) {
		derive(t, TEMP, r);
		from = TEMP;
	}
	x86_vm(&t->x, V_STORE, from, 0, chunk_mem(r->chunk), 0);
}

/* It is in memory from now on, or has been overwritten. What it is derived from was needed. */
static void derived_stored(struct translation *t, struct residency *r)
{
	if (r->stored == NEVER)
		r->stored = ++t->now;
	of_slot(t, r->slot)->last = ++t->now;
}

static void store_derived(struct translation *t, struct residency *r)
{
	if (r->stored == NEVER)
		put_derived(t, r);
	derived_stored(t, r);
}

static void end_derived(struct translation *t, u32 chunk)
{
	struct residency *r = derived(t, chunk);

	if (!r)
		return;
	derived_stored(t, r);
	t->derived_of[chunk] = 0;
}

/* The chunks that are derived from what @slot has; at most three, which lie behind it. */
static struct residency *derived_from(struct translation *t, u8 slot, u32 n)
{
	u32 chunk = t->chunk_of[slot] + n;
	struct residency *r = chunk < CHUNKS ? derived(t, chunk) : NULL;

	return r && r->slot == slot ? r : NULL;
}

/* What @slot has goes: what is derived from it, and live before @index, is stored before. */
static void leave_slot(struct translation *t, u8 slot, u32 index)
{
	for (u32 n = 1; n < 4; n++) {
		struct residency *r = derived_from(t, slot, n);

		if (!r)
			continue;
		if (is_live(t, index, r->chunk))
			store_derived(t, r);
		end_derived(t, r->chunk);
	}
	drop(t, slot);
}

void tr_forget(struct translation *t)
{
	for (u8 slot = CACHE_FIRST; slot <= CACHE_LAST; slot++) {
		if (t->chunk_of[slot] == NO_CHUNK)
			continue;
		for (u32 n = 1; n < 4; n++)
			if (derived_from(t, slot, n))
				end_derived(t, t->chunk_of[slot] + n);
		drop(t, slot);
	}
}

void tr_begin_segment(struct translation *t)
{
	for (u32 n = 0; n < 32; n++)
		t->chunk_of[n] = NO_CHUNK;
	memset(t->slot_of, 0, sizeof(t->slot_of));
	memset(t->derived_of, 0, sizeof(t->derived_of));
	memset(t->flushed, 0, sizeof(t->flushed));
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

/* NULL: no memory; what is put together is not used. */
static struct residency *new_residency(struct translation *t)
{
	if (t->residency_count == t->residency_room) {
		u32 room = t->residency_room ? t->residency_room * 2 : 256;
		void *more = realloc(t->residencies, room * sizeof(*t->residencies));

		if (!more) {
			t->failed = true;
			t->residency_count = 0;
			memset(t->derived_of, 0, sizeof(t->derived_of));
			if (!t->residencies)
				return NULL;
		} else {
			t->residencies = more;
			t->residency_room = room;
		}
	}
	return &t->residencies[t->residency_count++];
}

/* @chunk is by way of @slot from now on, and no longer by what had it. NULL: no memory */
static struct residency *begin_residency(struct translation *t, u8 slot, u32 chunk, bool dirty)
{
	struct residency *r;

	end_derived(t, chunk);
	/* by a result, behind which the code is not left any more before the next instruction */
	if (t->slot_of[chunk])
		leave_slot(t, t->slot_of[chunk], t->index + 1);
	r = new_residency(t);
	if (!r)
		return NULL;
	t->now++;
	*r = (struct residency){ .chunk = (u16)chunk, .slot = slot, .dirty = dirty,
				 .from = t->now, .last = t->now, .stored = NEVER };
	return r;
}

static void enter(struct translation *t, u8 slot, u32 chunk, bool dirty)
{
	if (!begin_residency(t, slot, chunk, dirty))
		return;
	t->residency_of[slot] = t->residency_count - 1;
	t->chunk_of[slot] = (u16)chunk;
	t->slot_of[chunk] = slot;
}

/* Chunk @chunk is @offset more than what @slot has. */
static void enter_derived(struct translation *t, u8 slot, u32 chunk, u64 offset, bool wide)
{
	struct residency *r = begin_residency(t, slot, chunk, true);

	if (!r)
		return;
	of_slot(t, slot)->head = true;
	r->derived = true;
	r->wide = wide;
	r->offset = offset;
	t->derived_of[chunk] = t->residency_count;
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
		leave_slot(t, slot, t->index);
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

/* A chunk that is derived, in a register of its own if it is another value */
static u8 use_derived(struct translation *t, u32 chunk)
{
	struct residency *r = derived(t, chunk);
	u8 head = r->slot, slot;
	bool dirty;
	u32 pinned = t->pinned;

	of_slot(t, head)->last = ++t->now;
	t->pinned |= 1u << head;
	if (!r->offset)
		return head;
	slot = tr_fresh(t);
	r = derived(t, chunk);
	derive(t, slot, r);
	dirty = r->stored == NEVER;
	enter(t, slot, chunk, dirty);
	t->pinned = pinned | 1u << slot;
	return slot;
}

u8 tr_use(struct translation *t, u32 chunk)
{
	u8 slot = cached(t, chunk);

	if (t->x.small)
		return alias(t, chunk);
	if (derived(t, chunk))
		return use_derived(t, chunk);
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
	struct residency *r = derived(t, chunk);

	if (r) {
		of_slot(t, r->slot)->last = ++t->now;
		derive(t, to, r);
		return;
	}
	if (slot)
		x86_v(&t->x, V_LOAD, to, 0, slot, 0);
	else
		x86_vm(&t->x, V_LOAD, to, 0, chunk_mem(chunk), 0);
}

void tr_half(struct translation *t, u32 op, u8 to, u32 reg, u32 half)
{
	u32 c = chunk(reg, half / 2);
	u8 slot = derived(t, c) ? tr_use(t, c) : cached(t, c);

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

	if (!tr_unmasked(t)) {
		u32 inactive = V_MASK(wide ? 3 + part : 1 + part);
		u8 old = cached(t, chunk_);

		if (derived(t, chunk_)) {
			tr_copy(t, TEMP, chunk_);
			old = TEMP;
		}
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

u32 tr_parts(const struct translation *t, bool wide)
{
	const struct stride *stride = &t->strides[t->index];
	bool derives = t->strided && !t->x.small && stride->result != STRIDE_NONE &&
		       (!t->masked || stride->whole);

	return derives ? 1 : parts_of(wide);
}

s32 tr_stride_of_a(const struct translation *t)
{
	return t->strided ? t->strides[t->index].a : STRIDE_NONE;
}

bool tr_in_all_lanes(const struct translation *t)
{
	/* with smaller vectors the interpreter executes much, and writes active lanes alone */
	return tr_stride_of_a(t) != STRIDE_NONE &&
	       (!t->masked || (!t->x.small && t->strides[t->index].a_whole));
}

bool tr_unmasked(const struct translation *t)
{
	return !t->masked || (t->strided && t->strides[t->index].unmasked);
}

bool tr_has_stride(const struct translation *t)
{
	return t->strided && t->strides[t->index].result != STRIDE_NONE;
}

void tr_results_of(struct translation *t, const u8 *d, u32 parts, u32 reg, bool wide)
{
	s64 step = parts < parts_of(wide) ? t->strides[t->index].result * (wide ? 8ll : 16ll) : 0;

	/* nothing is to be stored of what they were */
	for (u32 p = 0; p < parts_of(wide) && tr_unmasked(t); p++)
		end_derived(t, chunk(reg, p));
	for (u32 p = 0; p < parts; p++)
		tr_result(t, d[p], reg, p, wide);
	for (u32 p = parts; p < parts_of(wide); p++) {
		u64 offset = (u64)(step * p);

		enter_derived(t, d[0], chunk(reg, p), wide ? offset : (u32)offset, wide);
	}
}

void tr_results(struct translation *t, const u8 *d, u32 reg, bool wide)
{
	tr_results_of(t, d, parts_of(wide), reg, wide);
}

/* ---- memory ----------------------------------------------------------------------- */

void tr_store_chunk(struct translation *t, u32 chunk)
{
	struct residency *r = derived(t, chunk);

	if (r)
		store_derived(t, r);
	else if (t->slot_of[chunk])
		store(t, t->slot_of[chunk]);
}

void tr_store(struct translation *t, u32 index)
{
	for (u8 slot = CACHE_FIRST; slot <= CACHE_LAST; slot++) {
		if (t->chunk_of[slot] == NO_CHUNK)
			continue;
		if (is_needed(t, index, of_slot(t, slot)))
			store(t, slot);
		for (u32 n = 1; n < 4; n++) {
			struct residency *r = derived_from(t, slot, n);

			if (r && is_live(t, index, r->chunk))
				store_derived(t, r);
		}
	}
}

void tr_store_at(struct translation *t, u32 when, u32 index)
{
	for (u32 n = 0; n < t->residency_count; n++) {
		const struct residency *r = &t->residencies[n];

		if (!is_dirty(r, when) || !is_needed(t, index, r))
			continue;
		if (r->derived)
			put_derived(t, r);
		else
			x86_vm(&t->x, V_STORE, r->slot, 0, chunk_mem(r->chunk), 0);
	}
}

void tr_load_at(struct translation *t, u32 when)
{
	for (u32 n = 0; n < t->residency_count; n++) {
		const struct residency *r = &t->residencies[n];

		if (!r->derived && r->from < when && r->last > when)
			x86_vm(&t->x, V_LOAD, r->slot, 0, chunk_mem(r->chunk), 0);
	}
}

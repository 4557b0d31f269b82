// SPDX-License-Identifier: MIT
/*
 * Which chunks of a warp's registers are in vector registers of the processor, while code of one
 * segment is put together. What is in them is also in memory: forgetting costs nothing. A segment
 * may be entered at any instruction; the entry loads what is used from there on, which the list of
 * residencies says.
 */
#include <stdlib.h>
#include <string.h>

#include "translate.h"

void tr_forget(struct translation *t)
{
	for (u32 n = 0; n < 32; n++)
		t->chunk_of[n] = NO_CHUNK;
	memset(t->slot_of, 0, sizeof(t->slot_of));
}

void tr_begin(struct translation *t)
{
	t->pinned = 0;
}

void tr_unpin(struct translation *t, u8 slot)
{
	t->pinned &= ~(1u << slot);
}

static void evict(struct translation *t, u8 slot)
{
	if (t->chunk_of[slot] == NO_CHUNK)
		return;
	t->slot_of[t->chunk_of[slot]] = 0;
	t->chunk_of[slot] = NO_CHUNK;
}

static void enter(struct translation *t, u8 slot, u32 chunk)
{
	if (t->residency_count == t->residency_room) {
		u32 room = t->residency_room ? t->residency_room * 2 : 256;
		void *more = realloc(t->residencies, room * sizeof(*t->residencies));

		if (!more) {
			t->failed = true;
			return;
		}
		t->residencies = more;
		t->residency_room = room;
	}
	if (t->slot_of[chunk])
		evict(t, t->slot_of[chunk]);
	t->residencies[t->residency_count] =
		(struct residency){ (u16)chunk, slot, t->index, t->index };
	t->residency_of[slot] = t->residency_count++;
	t->chunk_of[slot] = (u16)chunk;
	t->slot_of[chunk] = slot;
}

u8 tr_fresh(struct translation *t)
{
	u8 slot = t->next_slot;

	do
		slot = slot == CACHE_LAST ? CACHE_FIRST : (u8)(slot + 1);
	while (t->pinned >> slot & 1);
	t->next_slot = slot;
	evict(t, slot);
	t->pinned |= 1u << slot;
	return slot;
}

u8 tr_use(struct translation *t, u32 chunk)
{
	u8 slot = t->slot_of[chunk];

	if (slot) {
		t->residencies[t->residency_of[slot]].last = t->index;
		t->pinned |= 1u << slot;
		return slot;
	}
	slot = tr_fresh(t);
	x86_vm(&t->x, V_LOAD, slot, 0, chunk_mem(chunk), 0);
	enter(t, slot, chunk);
	return slot;
}

void tr_copy(struct translation *t, u8 to, u32 chunk)
{
	u8 slot = t->slot_of[chunk];

	if (slot) {
		t->residencies[t->residency_of[slot]].last = t->index;
		x86_v(&t->x, V_LOAD, to, 0, slot, 0);
	} else {
		x86_vm(&t->x, V_LOAD, to, 0, chunk_mem(chunk), 0);
	}
}

void tr_result(struct translation *t, u8 slot, u32 reg, u32 part, bool wide)
{
	u32 chunk_ = chunk(reg, part);

	if (t->masked) {
		u32 inactive = V_MASK(wide ? 3 + part : 1 + part);
		u8 old = t->slot_of[chunk_];

		if (old) {
			t->residencies[t->residency_of[old]].last = t->index;
			x86_v(&t->x, wide ? V_LOADQ : V_LOAD, slot, 0, old, inactive);
		} else {
			x86_vm(&t->x, wide ? V_LOADQ : V_LOAD, slot, 0, chunk_mem(chunk_),
			       inactive);
		}
	}
	x86_vm(&t->x, V_STORE, slot, 0, chunk_mem(chunk_), 0);
	enter(t, slot, chunk_);
}

void tr_reload(struct translation *t, u32 index)
{
	for (u32 n = 0; n < t->residency_count; n++) {
		const struct residency *r = &t->residencies[n];

		if (r->from <= index && r->last > index)
			x86_vm(&t->x, V_LOAD, r->slot, 0, chunk_mem(r->chunk), 0);
	}
}

void tr_results(struct translation *t, const u8 *d, u32 reg, bool wide)
{
	for (u32 p = 0; p < parts_of(wide); p++)
		tr_result(t, d[p], reg, p, wide);
}

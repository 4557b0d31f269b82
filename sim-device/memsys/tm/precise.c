// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The precise table; see precise.h.
 */
#include "approximate.h"
#include "h3.h"
#include "precise.h"

static struct vgpu_tm_entry *slot_of(const struct vgpu_tm *tm, struct vgpu_tm_unit *unit, u32 way,
				     u64 tag)
{
	return vgpu_tm_ways(tm, unit) + way * tm->setup.precise_rows +
	       vgpu_tm_precise_row(tm, way, tag - 1);
}

struct vgpu_tm_entry *vgpu_tm_precise_find(const struct vgpu_tm *tm, struct vgpu_tm_unit *unit,
					   u64 granule, struct vgpu_tm_cost *cost)
{
	u64 tag = granule + 1;

	cost->tables++;
	for (u32 way = 0; way < tm->setup.precise_ways; way++)
		if (slot_of(tm, unit, way, tag)->tag == tag)
			return slot_of(tm, unit, way, tag);
	for (u32 n = 0; n < tm->setup.stash; n++)
		if (vgpu_tm_stash(tm, unit)[n].tag == tag)
			return &vgpu_tm_stash(tm, unit)[n];
	for (u32 n = 0; n < unit->overflowed; n++) {
		cost->overflow++;
		if (vgpu_tm_overflow(tm, unit)[n].tag == tag)
			return &vgpu_tm_overflow(tm, unit)[n];
	}
	return NULL;
}

/* ---- places --------------------------------------------------------------- */

static void evict(const struct vgpu_tm *tm, struct vgpu_tm_unit *unit,
		  const struct vgpu_tm_entry *entry)
{
	if (tm->setup.fault != VGPU_TM_EVICT_FORGETS)
		vgpu_tm_approximate_insert(tm, unit, entry->tag - 1, entry->wts, entry->rts);
}

static bool is_crowded(const struct vgpu_tm *tm, const struct vgpu_tm_unit *unit)
{
	const struct vgpu_tm_setup *setup = &tm->setup;

	return (u64)unit->used * 100 >=
	       (u64)setup->evict_percent * setup->precise_ways * setup->precise_rows;
}

/* Of the rows of @tag, but not in way @but, a free one, or an unlocked one if that may go. */
static struct vgpu_tm_entry *find_slot(const struct vgpu_tm *tm, struct vgpu_tm_unit *unit,
				       u64 tag, u32 but)
{
	struct vgpu_tm_entry *unlocked = NULL;

	for (u32 way = 0; way < tm->setup.precise_ways; way++) {
		struct vgpu_tm_entry *slot = slot_of(tm, unit, way, tag);

		if (way == but)
			continue;
		if (!slot->tag)
			return slot;
		if (!slot->writes && !unlocked)
			unlocked = slot;
	}
	return is_crowded(tm, unit) ? unlocked : NULL;
}

static struct vgpu_tm_entry *find_stash(const struct vgpu_tm *tm, struct vgpu_tm_unit *unit)
{
	struct vgpu_tm_entry *unlocked = NULL;

	for (u32 n = 0; n < tm->setup.stash; n++) {
		struct vgpu_tm_entry *slot = &vgpu_tm_stash(tm, unit)[n];

		if (!slot->tag)
			return slot;
		if (!slot->writes && !unlocked)
			unlocked = slot;
	}
	return unlocked;
}

/* @entry is in @slot then, and what was there in the approximate table. */
static void settle(const struct vgpu_tm *tm, struct vgpu_tm_unit *unit, struct vgpu_tm_entry *slot,
		   const struct vgpu_tm_entry *entry)
{
	if (slot->tag)
		evict(tm, unit, slot);
	*slot = *entry;
}

static void settle_in_way(const struct vgpu_tm *tm, struct vgpu_tm_unit *unit,
			  struct vgpu_tm_entry *slot, const struct vgpu_tm_entry *entry)
{
	unit->used += !slot->tag;
	settle(tm, unit, slot, entry);
}

/* The end of a chain */
static void put_aside(const struct vgpu_tm *tm, struct vgpu_tm_unit *unit,
		      const struct vgpu_tm_entry *entry, struct vgpu_tm_cost *cost)
{
	struct vgpu_tm_entry *slot;

	if (!entry->writes) {
		evict(tm, unit, entry);
		return;
	}
	if (tm->setup.fault == VGPU_TM_CHAIN_LOSES)
		return;
	slot = find_stash(tm, unit);
	if (slot) {
		settle(tm, unit, slot, entry);
		return;
	}
	cost->overflow++;
	vgpu_tm_overflow(tm, unit)[unit->overflowed++] = *entry;
}

/* ---- insertion -------------------------------------------------------------- */

static bool has_place(const struct vgpu_tm *tm, struct vgpu_tm_unit *unit,
		      const struct vgpu_tm_entry *entry)
{
	return !entry->writes || unit->overflowed < tm->setup.overflow || find_stash(tm, unit) ||
	       find_slot(tm, unit, entry->tag, VGPU_TM_WAYS);
}

bool vgpu_tm_precise_insert(const struct vgpu_tm *tm, struct vgpu_tm_unit *unit,
			    const struct vgpu_tm_entry *entry, struct vgpu_tm_cost *cost)
{
	u32 probes = unit->overflowed < tm->setup.overflow || find_stash(tm, unit) ?
		     tm->setup.probes : 0;
	struct vgpu_tm_entry left = *entry, displaced;
	u32 from = VGPU_TM_WAYS;

	if (!has_place(tm, unit, entry))
		return false;
	for (u32 probe = 0;; probe++) {
		struct vgpu_tm_entry *slot = find_slot(tm, unit, left.tag, from);

		if (slot) {
			settle_in_way(tm, unit, slot, &left);
			return true;
		}
		if (probe == probes)
			break;
		from = (from + 1) % tm->setup.precise_ways;
		slot = slot_of(tm, unit, from, left.tag);
		displaced = *slot;
		*slot = left;
		left = displaced;
		cost->tables++;
	}
	put_aside(tm, unit, &left, cost);
	return true;
}

void vgpu_tm_precise_unlocked(const struct vgpu_tm *tm, struct vgpu_tm_unit *unit,
			      struct vgpu_tm_entry *entry, struct vgpu_tm_cost *cost)
{
	struct vgpu_tm_entry *first = vgpu_tm_overflow(tm, unit), *last;

	if (entry < first || entry >= first + unit->overflowed)
		return;
	cost->overflow++;
	evict(tm, unit, entry);
	last = &first[--unit->overflowed];
	*entry = *last;
	memset(last, 0, sizeof(*last));
}

u32 vgpu_tm_locks(const struct vgpu_tm *tm, struct vgpu_tm_unit *unit)
{
	u32 ways = tm->setup.precise_ways * tm->setup.precise_rows, locks = 0;

	for (u32 n = 0; n < ways; n++)
		locks += !!vgpu_tm_ways(tm, unit)[n].writes;
	for (u32 n = 0; n < tm->setup.stash; n++)
		locks += !!vgpu_tm_stash(tm, unit)[n].writes;
	return locks + unit->overflowed;
}

// SPDX-License-Identifier: MIT
/*
 * Advice on managed memory; see advice.h. Pages of which the same was said are one range; those of
 * which nothing was said are in none.
 */
#include <stdlib.h>
#include <string.h>

#include "advice.h"

struct rt_advised {
	uint64_t first, end;		/* addresses, of whole pages */
	struct rt_advice advice;
};

static const struct rt_advice nothing = {
	.preferred = RT_LOCATION_NONE, .prefetched = RT_LOCATION_NONE
};

static bool same(const struct rt_advice *a, const struct rt_advice *b)
{
	return a->read_mostly == b->read_mostly && a->preferred == b->preferred &&
	       a->prefetched == b->prefetched && a->accessed_by == b->accessed_by;
}

/* Index of the first range that ends above @address. */
static size_t position(uint64_t address)
{
	size_t low = 0, high = rt.advised.count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (rt.advised.ranges[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* A change of one part adds at most two ranges for each that there is, and one. */
static bool reserve(size_t more)
{
	size_t room = rt.advised.count + more;
	struct rt_advised *grown;

	if (room <= rt.advised.room)
		return true;
	room += rt.advised.count;
	grown = realloc(rt.advised.ranges, room * sizeof(*grown));
	if (!grown)
		return false;
	rt.advised.ranges = grown;
	rt.advised.room = room;
	return true;
}

static void insert(size_t i, uint64_t first, uint64_t end, const struct rt_advice *advice)
{
	struct rt_advised *ranges = rt.advised.ranges;

	memmove(&ranges[i + 1], &ranges[i], (rt.advised.count - i) * sizeof(*ranges));
	ranges[i] = (struct rt_advised){ first, end, *advice };
	rt.advised.count++;
}

static void delete(size_t i)
{
	struct rt_advised *ranges = rt.advised.ranges;

	rt.advised.count--;
	memmove(&ranges[i], &ranges[i + 1], (rt.advised.count - i) * sizeof(*ranges));
}

/* After this no range crosses @address. */
static void split(uint64_t address)
{
	size_t i = position(address);
	struct rt_advised *range = &rt.advised.ranges[i];

	if (i == rt.advised.count || range->first >= address)
		return;
	insert(i + 1, address, range->end, &range->advice);
	range->end = address;
}

/* After this [@first, @end) is covered; nothing crosses its bounds. */
static void cover(uint64_t first, uint64_t end)
{
	split(first);
	split(end);
	for (size_t i = position(first); first < end; i++) {
		uint64_t next = i < rt.advised.count && rt.advised.ranges[i].first < end ?
					rt.advised.ranges[i].first : end;

		if (first < next)
			insert(i, first, next, &nothing);
		first = rt.advised.ranges[i].end;
	}
}

/* Joins what is equal and drops what says nothing, in and around the ranges that touch the part. */
static void tidy(uint64_t first, uint64_t end)
{
	size_t i = position(first);

	for (i -= i > 0; i < rt.advised.count && rt.advised.ranges[i].first <= end;) {
		struct rt_advised *range = &rt.advised.ranges[i];

		if (same(&range->advice, &nothing)) {
			delete(i);
		} else if (i && range[-1].end == range->first &&
			   same(&range[-1].advice, &range->advice)) {
			range[-1].end = range->end;
			delete(i);
		} else {
			i++;
		}
	}
}

static void change(struct rt_advice *advice, enum rt_advice_kind kind, int value)
{
	switch (kind) {
	case RT_ADVICE_READ_MOSTLY:
		advice->read_mostly = value;
		break;
	case RT_ADVICE_PREFERRED:
		advice->preferred = value;
		break;
	case RT_ADVICE_PREFETCHED:
		advice->prefetched = value;
		break;
	case RT_ADVICE_ACCESSED_BY:
		advice->accessed_by |= (uint32_t)value;
		break;
	case RT_ADVICE_NOT_ACCESSED_BY:
		advice->accessed_by &= ~(uint32_t)value;
		break;
	}
}

static uint64_t page_below(uint64_t address)
{
	return address & ~(VGPU_PAGE_SIZE - 1);
}

static uint64_t page_above(uint64_t address)
{
	return page_below(address + VGPU_PAGE_SIZE - 1);
}

vgpuError_t rt_advice_pass(uint64_t address, uint64_t bytes, enum vgpu_advice advice)
{
	uint64_t first = page_below(address);

	return rt_error_of(rt.ops->advise(rt.transport, first, page_above(address + bytes) - first,
					  advice));
}

vgpuError_t rt_advice_set(uint64_t address, uint64_t bytes, enum rt_advice_kind kind, int value)
{
	uint64_t first = page_below(address), end = page_above(address + bytes);

	/* two bounds, and gaps before, between and behind */
	if (!reserve(rt.advised.count + 4))
		return vgpuErrorMemoryAllocation;
	cover(first, end);
	for (size_t i = position(first);
	     i < rt.advised.count && rt.advised.ranges[i].first < end; i++)
		change(&rt.advised.ranges[i].advice, kind, value);
	tidy(first, end);
	return vgpuSuccess;
}

struct rt_advice rt_advice_of(uint64_t address, uint64_t bytes)
{
	uint64_t at = page_below(address), end = page_above(address + bytes);
	struct rt_advice all = nothing;

	for (size_t i = position(at); at < end; i++) {
		const struct rt_advised *range;
		const struct rt_advice *one;

		if (i == rt.advised.count || rt.advised.ranges[i].first > at)
			return nothing;	/* of a page nothing was said */
		range = &rt.advised.ranges[i];
		one = &range->advice;
		if (at == page_below(address))
			all = *one;
		all.read_mostly &= one->read_mostly;
		all.accessed_by &= one->accessed_by;
		if (all.preferred != one->preferred)
			all.preferred = RT_LOCATION_NONE;
		if (all.prefetched != one->prefetched)
			all.prefetched = RT_LOCATION_NONE;
		at = range->end;
	}
	return all;
}

/* The pages wholly in it. Splitting a range may lack memory: then they keep what was said. */
void rt_advice_forget(uint64_t address, uint64_t bytes)
{
	uint64_t first = page_above(address), end = page_below(address + bytes);

	if (first >= end || !rt.advised.count || !reserve(2))
		return;
	split(first);
	split(end);
	for (size_t i = position(first);
	     i < rt.advised.count && rt.advised.ranges[i].first < end;)
		delete(i);
}

void rt_advice_undo(uint64_t address, uint64_t bytes)
{
	struct rt_advice advice = rt_advice_of(address, bytes);

	if (advice.read_mostly || advice.accessed_by || advice.preferred != RT_LOCATION_NONE)
		rt_advice_pass(address, bytes, VGPU_ADVICE_NONE);
	rt_advice_forget(address, bytes);
}

void rt_advice_reset(void)
{
	free(rt.advised.ranges);
	memset(&rt.advised, 0, sizeof(rt.advised));
}

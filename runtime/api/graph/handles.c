// SPDX-License-Identifier: MIT
/*
 * Which handles of graphs are alive: a hash table of addresses, open, of a power of two, with no
 * more than half of its places taken.
 */
#include <stdlib.h>

#include "graph.h"

struct place {
	const void *handle;		/* NULL: free */
	enum rt_handle_kind kind;
};

static struct place *places;
static size_t room, taken;

static size_t place_of(const void *handle)
{
	return (size_t)(((uintptr_t)handle >> 4) * 0x9e3779b97f4a7c15ull >> 20) & (room - 1);
}

static void put(const void *handle, enum rt_handle_kind kind)
{
	size_t at = place_of(handle);

	while (places[at].handle)
		at = (at + 1) & (room - 1);
	places[at] = (struct place){ handle, kind };
	taken++;
}

static bool grow(void)
{
	struct place *before = places;
	size_t count = room;

	places = calloc(count ? 2 * count : 64, sizeof(*places));
	if (!places) {
		places = before;
		return false;
	}
	room = count ? 2 * count : 64;
	taken = 0;
	for (size_t i = 0; i < count; i++)
		if (before[i].handle)
			put(before[i].handle, before[i].kind);
	free(before);
	return true;
}

bool rt_handle_add(const void *handle, enum rt_handle_kind kind)
{
	if (2 * (taken + 1) > room && !grow())
		return false;
	put(handle, kind);
	return true;
}

static struct place *find_place(const void *handle)
{
	if (!handle || !room)
		return NULL;
	for (size_t at = place_of(handle); places[at].handle; at = (at + 1) & (room - 1))
		if (places[at].handle == handle)
			return &places[at];
	return NULL;
}

bool rt_handle_known(const void *handle, enum rt_handle_kind kind)
{
	const struct place *place = find_place(handle);

	return place && place->kind == kind;
}

/* What stands behind it up to the next free place is put in again: it may have been in its way. */
void rt_handle_remove(const void *handle)
{
	struct place *place = find_place(handle);
	size_t at;

	if (!place)
		return;
	place->handle = NULL;
	taken--;
	at = (size_t)(place - places);
	for (at = (at + 1) & (room - 1); places[at].handle; at = (at + 1) & (room - 1)) {
		const struct place moved = places[at];

		places[at].handle = NULL;
		taken--;
		put(moved.handle, moved.kind);
	}
}

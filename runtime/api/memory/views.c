// SPDX-License-Identifier: MIT
/*
 * Reserved addresses and what is mapped there; see views.h. Two arrays by address.
 */
#include <stdlib.h>
#include <string.h>

#include "views.h"

static pthread_rwlock_t tables = PTHREAD_RWLOCK_INITIALIZER;
static struct rt_reserved *reserved;
static size_t reserved_count, reserved_room;
static struct rt_view *views;
static size_t view_count, view_room;

/* Elements of both begin with these. */
struct span {
	uint64_t base, bytes;
};

/* The number of those in @array that begin at or below @address. */
static size_t up_to(const void *array, size_t count, size_t size, uint64_t address)
{
	size_t low = 0;

	while (low < count) {
		size_t middle = low + (count - low) / 2;
		const struct span *span = (const void *)((const char *)array + middle * size);

		if (span->base <= address)
			low = middle + 1;
		else
			count = middle;
	}
	return low;
}

/* Index of the one that has @address, @count: none has. */
static size_t at(const void *array, size_t count, size_t size, uint64_t address)
{
	size_t n = up_to(array, count, size, address);
	const struct span *span;

	if (!n)
		return count;
	span = (const void *)((const char *)array + (n - 1) * size);
	return address - span->base < span->bytes ? n - 1 : count;
}

static bool any(const void *array, size_t count, size_t size, uint64_t base, uint64_t bytes)
{
	size_t n = up_to(array, count, size, base + bytes - 1);
	const struct span *span;

	if (!n)
		return false;
	span = (const void *)((const char *)array + (n - 1) * size);
	return span->base + span->bytes > base;
}

/* Makes room for one more element behind all that begin at or below @address; NULL: no memory. */
static void *insert(void **array, size_t *count, size_t *room, size_t size, uint64_t address)
{
	size_t n = up_to(*array, *count, size, address);
	char *place;

	if (*count == *room) {
		size_t more = *room ? *room * 2 : 16;
		void *larger = realloc(*array, more * size);

		if (!larger)
			return NULL;
		*array = larger;
		*room = more;
	}
	place = (char *)*array + n * size;
	memmove(place + size, place, (*count - n) * size);
	++*count;
	return place;
}

static void take_out(void *array, size_t *count, size_t size, size_t n)
{
	char *place = (char *)array + n * size;

	memmove(place, place + size, (*count - n - 1) * size);
	--*count;
}

static size_t view_index(uint64_t address)
{
	return at(views, view_count, sizeof(*views), address);
}

/* ---- looking ------------------------------------------------------------- */

/* Most programs have none: they take no lock. */
static bool none(const size_t *count)
{
	return !__atomic_load_n(count, __ATOMIC_RELAXED);
}

bool rt_view_at(uint64_t address, struct rt_view *view)
{
	bool found;
	size_t n;

	if (none(&view_count))
		return false;
	pthread_rwlock_rdlock(&tables);
	n = view_index(address);
	found = n < view_count;
	if (found)
		*view = views[n];
	pthread_rwlock_unlock(&tables);
	return found;
}

bool rt_reserved_at(uint64_t address, struct rt_reserved *out)
{
	bool found;
	size_t n;

	if (none(&reserved_count))
		return false;
	pthread_rwlock_rdlock(&tables);
	n = at(reserved, reserved_count, sizeof(*reserved), address);
	found = n < reserved_count;
	if (found)
		*out = reserved[n];
	pthread_rwlock_unlock(&tables);
	return found;
}

static bool go_together(const struct rt_view *low, const struct rt_view *high)
{
	return low->base + low->bytes == high->base && low->rights == high->rights &&
	       low->device == high->device;
}

bool rt_views_find(uint64_t address, uint64_t *base, uint64_t *bytes)
{
	size_t first, last;
	bool found;

	if (none(&view_count))
		return false;
	pthread_rwlock_rdlock(&tables);
	first = last = view_index(address);
	found = first < view_count && views[first].rights != VGPU_RIGHTS_NONE;
	if (found) {
		while (first && go_together(&views[first - 1], &views[first]))
			first--;
		while (last + 1 < view_count && go_together(&views[last], &views[last + 1]))
			last++;
		*base = views[first].base;
		*bytes = views[last].base + views[last].bytes - *base;
	}
	pthread_rwlock_unlock(&tables);
	return found;
}

bool rt_reserved_any(uint64_t base, uint64_t bytes)
{
	bool found;

	pthread_rwlock_rdlock(&tables);
	found = any(reserved, reserved_count, sizeof(*reserved), base, bytes);
	pthread_rwlock_unlock(&tables);
	return found;
}

bool rt_views_any(uint64_t base, uint64_t bytes)
{
	bool found;

	pthread_rwlock_rdlock(&tables);
	found = any(views, view_count, sizeof(*views), base, bytes);
	pthread_rwlock_unlock(&tables);
	return found;
}

bool rt_views_tile(uint64_t base, uint64_t bytes)
{
	uint64_t end = base + bytes;
	bool whole = end > base;

	pthread_rwlock_rdlock(&tables);
	while (whole && base < end) {
		size_t n = view_index(base);

		whole = n < view_count && views[n].base == base && views[n].bytes <= end - base;
		base += whole ? views[n].bytes : 0;
	}
	pthread_rwlock_unlock(&tables);
	return whole;
}

/* ---- changing ------------------------------------------------------------ */

bool rt_reserved_add(uint64_t base, uint64_t bytes)
{
	struct rt_reserved *place;

	pthread_rwlock_wrlock(&tables);
	place = insert((void **)&reserved, &reserved_count, &reserved_room, sizeof(*reserved),
		       base);
	if (place)
		*place = (struct rt_reserved){ base, bytes };
	pthread_rwlock_unlock(&tables);
	return place;
}

void rt_reserved_remove(uint64_t base)
{
	size_t n;

	pthread_rwlock_wrlock(&tables);
	n = at(reserved, reserved_count, sizeof(*reserved), base);
	if (n < reserved_count)
		take_out(reserved, &reserved_count, sizeof(*reserved), n);
	pthread_rwlock_unlock(&tables);
}

bool rt_view_add(const struct rt_view *view)
{
	struct rt_view *place;

	pthread_rwlock_wrlock(&tables);
	place = insert((void **)&views, &view_count, &view_room, sizeof(*views), view->base);
	if (place)
		*place = *view;
	pthread_rwlock_unlock(&tables);
	return place;
}

void rt_view_remove(uint64_t base)
{
	size_t n;

	pthread_rwlock_wrlock(&tables);
	n = view_index(base);
	if (n < view_count)
		take_out(views, &view_count, sizeof(*views), n);
	pthread_rwlock_unlock(&tables);
}

void rt_view_set_rights(uint64_t base, uint32_t rights)
{
	size_t n;

	pthread_rwlock_wrlock(&tables);
	n = view_index(base);
	if (n < view_count)
		views[n].rights = rights;
	pthread_rwlock_unlock(&tables);
}

bool rt_view_take(struct rt_view *view)
{
	bool found = false;

	pthread_rwlock_wrlock(&tables);
	for (size_t n = view_count; n-- > 0 && !found;) {
		found = views[n].device == rt_current;
		if (found) {
			*view = views[n];
			take_out(views, &view_count, sizeof(*views), n);
		}
	}
	pthread_rwlock_unlock(&tables);
	return found;
}

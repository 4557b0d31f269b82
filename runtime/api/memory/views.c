// SPDX-License-Identifier: MIT
/*
 * Reserved addresses and what is mapped there; see views.h. Two tables by address.
 */
#include <stdlib.h>
#include <string.h>

#include "views.h"

/* Elements of both begin with these. */
struct span {
	uint64_t base, bytes;
};

/** struct table - @count elements of @size bytes by address, which do not overlap */
struct table {
	char *elements;
	size_t count, room;
	const size_t size;
};

static pthread_rwlock_t tables = PTHREAD_RWLOCK_INITIALIZER;
static struct table reserved = { .size = sizeof(struct rt_reserved) };
static struct table views = { .size = sizeof(struct rt_view) };

static void *element(const struct table *table, size_t n)
{
	return table->elements + n * table->size;
}

static struct rt_view *view_number(size_t n)
{
	return element(&views, n);
}

/* The number of those that begin at or below @address. */
static size_t up_to(const struct table *table, uint64_t address)
{
	size_t low = 0, high = table->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct span *span = element(table, middle);

		if (span->base <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Index of the one that has @address, the count: none has. */
static size_t index_of(const struct table *table, uint64_t address)
{
	size_t n = up_to(table, address);
	const struct span *span;

	if (!n)
		return table->count;
	span = element(table, n - 1);
	return address - span->base < span->bytes ? n - 1 : table->count;
}

static void take_out(struct table *table, size_t n)
{
	char *place = element(table, n);

	memmove(place, place + table->size, (table->count - n - 1) * table->size);
	table->count--;
}

/* ---- either, with the lock of both ---------------------------------------- */

/* Most programs have none: they take no lock. */
static bool is_empty(const struct table *table)
{
	return !__atomic_load_n(&table->count, __ATOMIC_RELAXED);
}

static bool copy_at(const struct table *table, uint64_t address, void *out)
{
	bool found;
	size_t n;

	if (is_empty(table))
		return false;
	pthread_rwlock_rdlock(&tables);
	n = index_of(table, address);
	found = n < table->count;
	if (found)
		memcpy(out, element(table, n), table->size);
	pthread_rwlock_unlock(&tables);
	return found;
}

static bool make_room(struct table *table)
{
	size_t more = table->room ? table->room * 2 : 16;
	char *larger;

	if (table->count < table->room)
		return true;
	larger = realloc(table->elements, more * table->size);
	if (!larger)
		return false;
	table->elements = larger;
	table->room = more;
	return true;
}

static bool add(struct table *table, const void *added)
{
	const struct span *span = added;
	bool fits;

	pthread_rwlock_wrlock(&tables);
	fits = make_room(table);
	if (fits) {
		size_t n = up_to(table, span->base);
		char *place = element(table, n);

		memmove(place + table->size, place, (table->count - n) * table->size);
		memcpy(place, added, table->size);
		table->count++;
	}
	pthread_rwlock_unlock(&tables);
	return fits;
}

static void remove_at(struct table *table, uint64_t address)
{
	size_t n;

	pthread_rwlock_wrlock(&tables);
	n = index_of(table, address);
	if (n < table->count)
		take_out(table, n);
	pthread_rwlock_unlock(&tables);
}

/* ---- looking ------------------------------------------------------------- */

bool rt_view_at(uint64_t address, struct rt_view *view)
{
	return copy_at(&views, address, view);
}

bool rt_reserved_at(uint64_t address, struct rt_reserved *out)
{
	return copy_at(&reserved, address, out);
}

static bool go_together(const struct rt_view *low, const struct rt_view *high)
{
	return low->base + low->bytes == high->base && low->rights == high->rights &&
	       low->context == high->context;
}

bool rt_views_find(uint64_t address, uint64_t *base, uint64_t *bytes)
{
	size_t first, last;
	bool found;

	if (is_empty(&views))
		return false;
	pthread_rwlock_rdlock(&tables);
	first = last = index_of(&views, address);
	found = first < views.count && view_number(first)->rights != VGPU_RIGHTS_NONE;
	if (found) {
		while (first && go_together(view_number(first - 1), view_number(first)))
			first--;
		while (last + 1 < views.count &&
		       go_together(view_number(last), view_number(last + 1)))
			last++;
		*base = view_number(first)->base;
		*bytes = view_number(last)->base + view_number(last)->bytes - *base;
	}
	pthread_rwlock_unlock(&tables);
	return found;
}

bool rt_views_any(uint64_t base, uint64_t bytes)
{
	bool found;
	size_t n;

	pthread_rwlock_rdlock(&tables);
	n = up_to(&views, base + bytes - 1);
	found = n && view_number(n - 1)->base + view_number(n - 1)->bytes > base;
	pthread_rwlock_unlock(&tables);
	return found;
}

bool rt_views_tile(uint64_t base, uint64_t bytes)
{
	uint64_t end = base + bytes;
	bool whole = end > base;

	pthread_rwlock_rdlock(&tables);
	while (whole && base < end) {
		size_t n = index_of(&views, base);

		whole = n < views.count && view_number(n)->base == base &&
			view_number(n)->bytes <= end - base;
		base += whole ? view_number(n)->bytes : 0;
	}
	pthread_rwlock_unlock(&tables);
	return whole;
}

/* ---- changing ------------------------------------------------------------ */

bool rt_reserved_add(uint64_t base, uint64_t bytes)
{
	return add(&reserved, &(struct rt_reserved){ base, bytes });
}

void rt_reserved_remove(uint64_t base)
{
	remove_at(&reserved, base);
}

bool rt_view_add(const struct rt_view *view)
{
	return add(&views, view);
}

void rt_view_remove(uint64_t base)
{
	remove_at(&views, base);
}

void rt_view_set_rights(uint64_t base, uint32_t rights)
{
	size_t n;

	pthread_rwlock_wrlock(&tables);
	n = index_of(&views, base);
	if (n < views.count)
		view_number(n)->rights = rights;
	pthread_rwlock_unlock(&tables);
}

bool rt_view_take(struct rt_view *view)
{
	bool found = false;

	pthread_rwlock_wrlock(&tables);
	for (size_t n = views.count; n-- > 0 && !found;) {
		found = view_number(n)->context == rt_current;
		if (found) {
			*view = *view_number(n);
			take_out(&views, n);
		}
	}
	pthread_rwlock_unlock(&tables);
	return found;
}

// SPDX-License-Identifier: MIT
/*
 * What belongs to whom; see owned.h. A hash table by handle.
 */
#include <stdlib.h>

#include "owned.h"

#define BUCKETS	1024u

struct owned {
	struct owned *next;
	enum rt_owned kind;
	const void *handle, *owner;
	struct rt_state *device;
};

static struct owned *owned[BUCKETS];

/* Where the record is, or would be. */
static struct owned **find_owned(enum rt_owned kind, const void *handle)
{
	struct owned **at = &owned[((uintptr_t)handle >> 4) * 0x9e3779b97f4a7c15ull >> 54];

	while (*at && ((*at)->handle != handle || (*at)->kind != kind))
		at = &(*at)->next;
	return at;
}

static void remove_at(struct owned **at)
{
	struct owned *gone = *at;

	*at = gone->next;
	free(gone);
}

void rt_own(enum rt_owned kind, const void *handle, const void *owner)
{
	struct owned **at = find_owned(kind, handle);

	if (!*at) {
		*at = malloc(sizeof(**at));
		if (!*at)
			return;
		(*at)->next = NULL;
	}
	**at = (struct owned){ (*at)->next, kind, handle, owner, rt_current };
}

void rt_disown(enum rt_owned kind, const void *handle)
{
	struct owned **at = find_owned(kind, handle);

	if (*at)
		remove_at(at);
}

const void *rt_owned_by(enum rt_owned kind, const void *handle)
{
	const struct owned *record = *find_owned(kind, handle);

	return record ? record->owner : NULL;
}

const void *rt_owned_take(const void *owner, enum rt_owned *kind)
{
	for (unsigned int i = 0; i < BUCKETS; i++)
		for (struct owned **at = &owned[i]; *at; at = &(*at)->next)
			if ((*at)->owner == owner) {
				const void *handle = (*at)->handle;

				*kind = (*at)->kind;
				remove_at(at);
				return handle;
			}
	return NULL;
}

void rt_owned_reset(void)
{
	for (unsigned int i = 0; i < BUCKETS; i++)
		for (struct owned **at = &owned[i]; *at;)
			if ((*at)->device == rt_current)
				remove_at(at);
			else
				at = &(*at)->next;
}

/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Lists of what is chosen by name and comes from outside: policies, mechanisms. One thread at a
 * time changes a list; any thread reads it.
 */
#ifndef VGPU_SIM_OUTSIDE_LIST_H
#define VGPU_SIM_OUTSIDE_LIST_H

#include "../platform.h"

#define VGPU_OUTSIDE_MOST	16u	/* entries of a list */

/** struct vgpu_outside_list - @place: NULL: a free one */
struct vgpu_outside_list {
	const void *place[VGPU_OUTSIDE_MOST];
};

/* Entry @index of those that are there, NULL past the end. */
static inline const void *vgpu_outside_at(const struct vgpu_outside_list *list, unsigned int index)
{
	const void *entry;

	for (u32 i = 0; i < VGPU_OUTSIDE_MOST; i++) {
		entry = __atomic_load_n(&list->place[i], __ATOMIC_ACQUIRE);
		if (entry && !index--)
			return entry;
	}
	return NULL;
}

/* -ENOSPC */
static inline int vgpu_outside_add(struct vgpu_outside_list *list, const void *entry)
{
	for (u32 i = 0; i < VGPU_OUTSIDE_MOST; i++) {
		if (list->place[i])
			continue;
		__atomic_store_n(&list->place[i], entry, __ATOMIC_RELEASE);
		return 0;
	}
	return -ENOSPC;
}

static inline void vgpu_outside_remove(struct vgpu_outside_list *list, const void *entry)
{
	for (u32 i = 0; i < VGPU_OUTSIDE_MOST; i++)
		if (list->place[i] == entry)
			__atomic_store_n(&list->place[i], NULL, __ATOMIC_RELEASE);
}

/* A name that fits into lists and files: letters, digits, "-", "_", ".", of less than @bytes. */
static inline bool vgpu_outside_name(const char *name, u32 bytes)
{
	u32 i;

	if (!name)
		return false;
	for (i = 0; name[i]; i++) {
		char c = name[i];

		if (i + 1 >= bytes ||
		    !((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
		      c == '-' || c == '_' || c == '.'))
			return false;
	}
	return i > 0;
}

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Which addresses are reserved, and what is mapped there: the tables behind virtual.h. They are of
 * the process; each mapping is of one context.
 *
 * Whoever changes them has the lock of the runtime; what only looks may be called without it, too.
 */
#ifndef VGPU_RT_VIEWS_H
#define VGPU_RT_VIEWS_H

#include "state.h"

/** struct rt_physical - memory that a handle of the program names */
struct rt_physical {
	uint64_t id;			/* the handle; from 1 on, never given again */
	struct rt_state *context;
	uint32_t handle;		/* the device's */
	uint64_t bytes;
	unsigned int references;	/* of the program */
	unsigned int mappings;
	bool exportable;
	bool imported;			/* counts for whoever created it */
};

/** struct rt_view - pages of one, mapped */
struct rt_view {
	uint64_t base, bytes;
	uint64_t offset;
	struct rt_physical *physical;	/* with the lock of the runtime only */
	struct rt_state *context;	/* its */
	uint32_t rights;		/* enum vgpu_rights */
};

/** struct rt_reserved - addresses that nothing else in the process uses */
struct rt_reserved {
	uint64_t base, bytes;
};

/* Copies what @address lies in; false: in nothing of the kind. */
bool rt_view_at(uint64_t address, struct rt_view *view);
bool rt_reserved_at(uint64_t address, struct rt_reserved *reserved);
/*
 * The memory around @address that is mapped without a gap, in one context, with the same rights,
 * and rights there are. False: there is none.
 */
bool rt_views_find(uint64_t address, uint64_t *base, uint64_t *bytes);
/* Is any of it mapped? */
bool rt_views_any(uint64_t base, uint64_t bytes);
/* Are these bytes views, all of them whole? */
bool rt_views_tile(uint64_t base, uint64_t bytes);

/* Changes. Adding something may find no memory: false. */
bool rt_reserved_add(uint64_t base, uint64_t bytes);
void rt_reserved_remove(uint64_t base);
bool rt_view_add(const struct rt_view *view);
void rt_view_remove(uint64_t base);
void rt_view_set_rights(uint64_t base, uint32_t rights);
/* Views of the current context are gone, one at a time: copies one and removes it. */
bool rt_view_take(struct rt_view *view);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * What the program has said about managed memory: advice, and where it was last prefetched to. For
 * whole pages, of the current context's memory. The device acts on advice; what was said is kept
 * here, where it can be asked for.
 *
 * All functions are called with the lock held.
 */
#ifndef VGPU_RT_ADVICE_H
#define VGPU_RT_ADVICE_H

#include "state.h"

/* Locations: the number of a device, or */
#define RT_LOCATION_HOST	(-1)
#define RT_LOCATION_NONE	(-2)	/* none, or not the same for all pages */

/** struct rt_advice - what was said about a page */
struct rt_advice {
	bool read_mostly;
	int preferred;			/* a location */
	int prefetched;			/* a location */
	uint32_t accessed_by;		/* bit n: device n; RT_ACCESSED_BY_HOST */
};

#define RT_ACCESSED_BY_HOST	(1u << RT_DEVICES)

enum rt_advice_kind {
	RT_ADVICE_READ_MOSTLY,		/* @value: 1 or 0 */
	RT_ADVICE_PREFERRED,		/* a location */
	RT_ADVICE_PREFETCHED,		/* a location */
	RT_ADVICE_ACCESSED_BY,		/* bits to set */
	RT_ADVICE_NOT_ACCESSED_BY,	/* bits to clear */
};

/* The device has @advice for the pages that @bytes at @address, at least one, lie in. */
vgpuError_t rt_advice_pass(uint64_t address, uint64_t bytes, enum vgpu_advice advice);
/* Remembers @value for the pages that @bytes at @address, at least one, lie in. */
vgpuError_t rt_advice_set(uint64_t address, uint64_t bytes, enum rt_advice_kind kind, int value);
/* What holds for all these pages. */
struct rt_advice rt_advice_of(uint64_t address, uint64_t bytes);
/* The pages are freed: nothing was said about what will be there next. */
void rt_advice_forget(uint64_t address, uint64_t bytes);
/* The same where the memory of the device stays mapped: it has no advice for it any more. */
void rt_advice_undo(uint64_t address, uint64_t bytes);
void rt_advice_reset(void);

#endif

/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * DOC: placement of managed memory
 *
 * Which managed pages are in VRAM is the choice of tables of operations, selected by name at run
 * time; managed.c does what they choose:
 *
 *   evictor (placement/evictors.c)         which page goes to the host where there is too little
 *                                          room
 *   prefetcher (placement/prefetchers.c)   which pages come with those that were touched
 *   scheme (placement/schemes.c)           what is done where what a context uses does not fit
 *   throttler (placement/throttlers.c)     which SMs fetch nothing meanwhile, where a scheme has
 *                                          chosen that; struct vgpu_pressure_ops tells it what
 *                                          happens
 *
 * An evictor sees frames (frames.h), a prefetcher how many pages are there, the other two what is
 * known of a context (placement/pressure.h); none sees page tables. This room calls what the device
 * has chosen by name (placement/lists.h), and knows no name.
 *
 * What a prefetcher chooses is not added to the fault: prefetches are raised behind it, a granule
 * each (struct vgpu_fault_request), when it has been handled and its own data has its place on the
 * interconnect. So who faulted waits for its granule alone; the pages that were chosen wait for the
 * interconnect in their order, as all that moves; and whoever touches one of them meanwhile waits
 * for that prefetch and raises no fault. The handler does this while it handles the fault, so there
 * is no time for it beside that of the transfer.
 */
#ifndef VGPU_PLACEMENT_H
#define VGPU_PLACEMENT_H

#include "frames.h"

/**
 * struct vgpu_evictor - an order in which pages go
 * @name: of the knob
 * @victim: the next page to go, of @of or of all if that is NULL; NULL: none may go. It goes, or
 *   nothing does: there is too little room for something else
 */
struct vgpu_evictor {
	const char *name;
	struct vgpu_frame *(*victim)(struct vgpu_frame_table *table,
				     const struct vgpu_resident *of);
};

/** struct vgpu_page_span - pages by address >> VGPU_PAGE_SHIFT, @last included */
struct vgpu_page_span {
	u64 first;
	u64 last;
};

/**
 * struct vgpu_touched - a fault behind which pages may be prefetched
 * @as: for vgpu_pages_there()
 * @to_host: a process touched them, and they go to the host; false: an SM, to the device
 * @fault: its pages, in one granule
 * @mapping: those of the mapping
 * @granule: pages of a granule, a power of two
 */
struct vgpu_touched {
	const struct vgpu_address_space *as;
	bool to_host;
	struct vgpu_page_span fault;
	struct vgpu_page_span mapping;
	u64 granule;
};

/**
 * struct vgpu_prefetcher - what comes with a fault
 * @name: of the knob
 * @choose: pages of the mapping that shall be where those of the fault go, which are among them;
 *   pages that are there stay. None of them is evicted for the others. False: no more than the
 *   fault
 */
struct vgpu_prefetcher {
	const char *name;
	bool (*choose)(const struct vgpu_touched *touched, struct vgpu_page_span *pages);
};

/* Prefetchers see so many bytes at once, aligned: what one page table has. */
#define VGPU_PREFETCH_BLOCK	0x200000ull

struct vgpu_pressure;
struct vgpu_throttler;
struct vgpu_page_fault;

/**
 * struct vgpu_remedies - what a scheme chooses
 * @compression: managed pages that come are compressed
 * @throttler: NULL: no SM is throttled
 */
struct vgpu_remedies {
	bool proactive_eviction;
	bool compression;
	const struct vgpu_throttler *throttler;
};

/**
 * struct vgpu_scheme - what is done about oversubscription
 * @name: of the knob
 * @choose: the remedies for @pressure, which is oversubscribed, as it is now; all are off at first
 */
struct vgpu_scheme {
	const char *name;
	void (*choose)(const struct vgpu_pressure *pressure, struct vgpu_remedies *remedies);
};

/**
 * struct vgpu_throttler - which SMs of an oversubscribed context fetch nothing
 * @start: begin. Its context has kernels, or has got one just now, which has no block yet
 * @stop: @start does not count any more; all SMs go on when it has returned
 * @raised, @ended: SM @sm has raised a fault for managed pages; it is over, served or cancelled.
 *   May be NULL
 * @epoch: the time has come that vgpu_throttle_epoch() was told last. May be NULL
 */
struct vgpu_throttler {
	const char *name;
	void (*start)(struct vgpu_pressure *pressure);
	void (*stop)(struct vgpu_pressure *pressure);
	void (*raised)(struct vgpu_pressure *pressure, u32 sm);
	void (*ended)(struct vgpu_pressure *pressure, u32 sm);
	void (*epoch)(struct vgpu_pressure *pressure);
};

/**
 * struct vgpu_pressure_ops - what is told of the managed pages of an address space to who decides
 * about its oversubscription (placement/pressure.h). None of them may change where pages are, but
 * @placed by vgpu_evict_ahead()
 * @mapped: there is more managed memory, or less
 * @unmapped: the mapping at @address is gone
 * @raised: SM @sm has raised a fault for managed pages that come to the device
 * @evicted: a page of it has gone to make room, for its own pages or another's
 * @placed: @fault, of its pages, has been handled, they have got room and are on their way
 * @ended: the fault of SM @sm is over: its pages are there, or it was cancelled
 */
struct vgpu_pressure_ops {
	void (*mapped)(struct vgpu_pressure *pressure);
	void (*unmapped)(struct vgpu_pressure *pressure, u64 address);
	void (*raised)(struct vgpu_pressure *pressure, u32 sm);
	void (*evicted)(struct vgpu_pressure *pressure);
	void (*placed)(struct vgpu_pressure *pressure, const struct vgpu_page_fault *fault);
	void (*ended)(struct vgpu_pressure *pressure, u32 sm);
};

#define VGPU_COUNTED_PAGE_SHIFT	16u	/* pages of 64 KB */

/** struct vgpu_access_counts - of what the SMs execute for a context, while it is sampled */
struct vgpu_access_counts {
	bool on;
	u64 accesses;	/* warp instructions that access global memory */
	u64 lines;	/* lines of 128 bytes that these touch, each time */
	u64 pages;	/* the same of 64 KB */
};

/**
 * vgpu_pages_there - how many pages are on the side to which those of @touched go, or on their way
 * to it (prefetch.c)
 * @pages: of one VGPU_PREFETCH_BLOCK
 *
 * Pages that nobody has touched are on no side.
 */
u64 vgpu_pages_there(const struct vgpu_touched *touched, const struct vgpu_page_span *pages);

#endif

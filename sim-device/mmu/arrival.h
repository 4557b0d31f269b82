/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Pages that come late: with page_arrival_ps set, a page that an SM touches for the first time is
 * on its way for so long, and whoever touches it meanwhile waits. A device that does so stands for
 * every later one whose pages are fetched from somewhere; it exists so that waiting is tested.
 */
#ifndef VGPU_ARRIVAL_H
#define VGPU_ARRIVAL_H

#include "../sim/sim.h"
#include "access.h"

#define VGPU_ARRIVAL_BUCKETS	64u	/* power of two */

/** struct vgpu_arrival - a page on its way */
struct vgpu_arrival {
	struct vgpu_list node;			/* in the order in which they come */
	struct vgpu_arrival *bucket_next;
	struct vgpu_address_space *as;
	u64 page;				/* address >> VGPU_PAGE_SHIFT */
	u64 time;				/* when it comes */
	struct vgpu_list waiters;		/* the newest first */
};

/** struct vgpu_arrivals - all pages of a device that are on their way */
struct vgpu_arrivals {
	struct vgpu_sim *sim;
	u64 delay_ps;				/* 0: every page is there at once */
	struct vgpu_event event;		/* the first of them comes */
	struct vgpu_list pages;			/* struct vgpu_arrival */
	struct vgpu_arrival *bucket[VGPU_ARRIVAL_BUCKETS];
	/* the page is there: clears what says that it moves */
	void (*arrived)(struct vgpu_address_space *as, u64 page);
};

int vgpu_arrivals_init(struct vgpu_arrivals *arrivals, struct vgpu_sim *sim, u64 delay_ps);
void vgpu_arrivals_fini(struct vgpu_arrivals *arrivals);
/** vgpu_arrival_begin - @page of @as comes delay_ps from now; -ENOMEM */
int vgpu_arrival_begin(struct vgpu_arrivals *arrivals, struct vgpu_address_space *as, u64 page);
/** vgpu_arrival_wait - @waiter is woken when @page of @as, which is on its way, has come */
void vgpu_arrival_wait(struct vgpu_arrivals *arrivals, const struct vgpu_address_space *as,
		       u64 page, struct vgpu_page_waiter *waiter);
/**
 * vgpu_arrivals_cancel - no page of [@first, @first + @count) of @as comes any more
 *
 * Who waits for one is woken, to find out.
 */
void vgpu_arrivals_cancel(struct vgpu_arrivals *arrivals, const struct vgpu_address_space *as,
			  u64 first, u64 count);

#endif

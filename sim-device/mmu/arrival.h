/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Delayed pages, for tests: with page_arrival_ps set, a page arrives that long after an SM first
 * touches it, and warps that touch it meanwhile wait. This tests waiting for any later device whose
 * pages are really fetched from elsewhere.
 */
#ifndef VGPU_ARRIVAL_H
#define VGPU_ARRIVAL_H

#include "../sim/sim.h"
#include "access.h"

#define VGPU_ARRIVAL_BUCKETS	64u	/* power of two */

/** struct vgpu_arrival - a page that has not arrived yet */
struct vgpu_arrival {
	struct vgpu_list node;			/* in order of arrival */
	struct vgpu_arrival *bucket_next;
	struct vgpu_address_space *as;
	struct vgpu_mem_account *memory;	/* that pays for this struct */
	u64 page;				/* address >> VGPU_PAGE_SHIFT */
	u64 time;				/* time of its arrival */
	struct vgpu_list waiters;		/* newest first */
};

/** struct vgpu_arrivals - all pages of a device that have not arrived yet */
struct vgpu_arrivals {
	struct vgpu_sim *sim;
	u64 delay_ps;				/* 0: no page is delayed */
	struct vgpu_event event;		/* the first page arrives */
	struct vgpu_list pages;			/* struct vgpu_arrival */
	struct vgpu_arrival *bucket[VGPU_ARRIVAL_BUCKETS];
	/* called when a page has arrived, or its arrival was cancelled: it is moving no more */
	void (*ended)(struct vgpu_address_space *as, u64 page, bool arrived);
};

int vgpu_arrivals_init(struct vgpu_arrivals *arrivals, struct vgpu_sim *sim, u64 delay_ps);
void vgpu_arrivals_fini(struct vgpu_arrivals *arrivals);
/** vgpu_arrival_begin - let @page of @as arrive delay_ps from now; -ENOMEM */
int vgpu_arrival_begin(struct vgpu_arrivals *arrivals, struct vgpu_address_space *as,
		       struct vgpu_mem_account *memory, u64 page);
/** vgpu_arrival_wait - wake @waiter when @page of @as, whose arrival has begun, arrives */
void vgpu_arrival_wait(struct vgpu_arrivals *arrivals, const struct vgpu_address_space *as,
		       u64 page, struct vgpu_page_waiter *waiter);
/**
 * vgpu_arrivals_cancel - cancel the arrival of pages [@first, @first + @count) of @as
 *
 * Their waiters are woken and restart their accesses.
 */
void vgpu_arrivals_cancel(struct vgpu_arrivals *arrivals, const struct vgpu_address_space *as,
			  u64 first, u64 count);

#endif

/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * DOC: page faults (Tanasic 2.1, 6.4.2)
 *
 * An SM that touches a page which is mapped but not there raises a fault: the MMU enters it here,
 * and the warp waits (mmu/access.h). A fault is for the pages around the address, within one
 * granule, that are not there; whoever touches one of them while the fault is in flight waits for
 * the same fault.
 *
 * The fault buffer has room for fault_buffer faults. A fault for which there is none is delayed: it
 * enters the buffer in its turn, when another one has been served. In the buffer it is the
 * handler's (handlers.c), which says when it will have been served. Faults are served in the order
 * in which they entered, so one list and one event are enough. Then the MMU is told that the pages
 * are there, and the waiters are woken and make their accesses again.
 *
 * This room knows neither page tables nor frames: it is told which pages wait, and tells whose wait
 * has ended.
 */
#ifndef VGPU_FAULT_H
#define VGPU_FAULT_H

#include "../sim/list.h"
#include "../sim/ranges.h"
#include "../sim/sim.h"
#include "../vgpu_model.h"

struct vgpu_faults;

/**
 * struct vgpu_fault_space - the faults of an address space
 * @pages: those in flight, by their pages; value: the struct vgpu_page_fault. Its account pays for
 *   them
 * @faults: those in flight
 * @raised: number since it was made
 * @delayed: of these, those that found the fault buffer full
 * @time: picoseconds from raised to served, the sum of all that were served
 */
struct vgpu_fault_space {
	struct vgpu_ranges pages;
	struct vgpu_list faults;
	u64 raised;
	u64 delayed;
	u64 time;
};

/**
 * struct vgpu_page_waiter - a waiter for a page, embedded in the waiting object
 * @wake: the page is there or was unmapped: make the access again. Called from an event or from
 *   vgpu_as_unmap(), after the waiter was removed from its list; it must not call the MMU
 */
struct vgpu_page_waiter {
	struct vgpu_list node;		/* in the list of the fault; unlinked: not waiting */
	void (*wake)(struct vgpu_page_waiter *waiter);
};

/** vgpu_page_waiter_cancel - stop waiting; a no-op if the waiter does not wait */
static inline void vgpu_page_waiter_cancel(struct vgpu_page_waiter *waiter)
{
	vgpu_list_del(&waiter->node);
}

/** struct vgpu_page_fault - a fault in flight */
struct vgpu_page_fault {
	struct vgpu_list node;		/* in faults->buffer or faults->delayed */
	struct vgpu_list space_node;	/* in space->faults */
	struct vgpu_fault_space *space;
	u64 first;			/* address >> VGPU_PAGE_SHIFT … */
	u64 pages;			/* … and how many from there on */
	u64 raised;			/* when */
	u64 time;			/* it will have been served; not if it is delayed */
	bool entered;			/* it is in faults->buffer */
	struct vgpu_list waiters;	/* newest first */
};

/**
 * struct vgpu_fault_handler - how faults are served
 * @served: when a fault will have been served that enters the buffer now
 */
struct vgpu_fault_handler {
	const char *name;
	u64 (*served)(struct vgpu_faults *faults);
};

/**
 * struct vgpu_fault_ops - what a fault is to the MMU
 * @ended: @fault was @served, or is cancelled: its pages are waited for no more
 */
struct vgpu_fault_ops {
	void (*ended)(const struct vgpu_page_fault *fault, bool served);
};

/** struct vgpu_faults - the faults of a device */
struct vgpu_faults {
	struct vgpu_sim *sim;
	const struct vgpu_config *config;
	const struct vgpu_fault_ops *ops;
	const struct vgpu_fault_handler *handler;
	u64 host_free;			/* cpu: when the host will have served what it has */
	u64 last;			/* when the newest in the buffer will have been served */
	u32 entered;			/* faults in the buffer */
	struct vgpu_event event;	/* the first of them has been served */
	struct vgpu_list buffer;	/* in the order in which they entered */
	struct vgpu_list delayed;	/* in the order in which they were raised */
};

/** vgpu_faults_init - -ENOMEM */
int vgpu_faults_init(struct vgpu_faults *faults, struct vgpu_sim *sim,
		     const struct vgpu_config *config, const struct vgpu_fault_ops *ops);
/** vgpu_faults_fini - no fault may be in flight */
void vgpu_faults_fini(struct vgpu_faults *faults);

/** vgpu_fault_space_init - no faults; @memory pays for those to come */
void vgpu_fault_space_init(struct vgpu_fault_space *space, struct vgpu_mem_account *memory);
/** vgpu_fault_space_fini - no fault of it may be in flight */
void vgpu_fault_space_fini(struct vgpu_fault_space *space);

/**
 * vgpu_fault_raise - raise a fault for pages [@first, @first + @pages), none of which has one
 *
 * -ENOMEM: it has not been raised
 */
int vgpu_fault_raise(struct vgpu_faults *faults, struct vgpu_fault_space *space, u64 first,
		     u64 pages);
/** vgpu_fault_wait - wake @waiter when the fault for @page, which is in flight, has ended */
void vgpu_fault_wait(struct vgpu_fault_space *space, u64 page, struct vgpu_page_waiter *waiter);
/**
 * vgpu_faults_cancel - cancel the faults that have a page in [@first, @first + @count)
 * @most: so many of them at most
 *
 * Their waiters are woken and make their accesses again. Returns how many were cancelled.
 */
u64 vgpu_faults_cancel(struct vgpu_faults *faults, struct vgpu_fault_space *space, u64 first,
		       u64 count, u64 most);

/* ---- handlers (handlers.c) ---------------------------------------------- */

/** vgpu_fault_handler_find - by name; NULL: there is none */
const struct vgpu_fault_handler *vgpu_fault_handler_find(const char *name);
/** vgpu_fault_handler_at - for @index from 0, NULL at the end */
const struct vgpu_fault_handler *vgpu_fault_handler_at(unsigned int index);
/* Serves each fault page_arrival_ps after it was raised: for tests. */
extern const struct vgpu_fault_handler vgpu_fault_handler_test;

#endif

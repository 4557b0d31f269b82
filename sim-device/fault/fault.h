/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * DOC: page faults (Tanasic 2.1, 6.4.2)
 *
 * An SM that touches a page which is mapped but not there raises a fault: the MMU enters it here,
 * and the warp waits (mmu/access.h). A fault is for the pages around the address, within one
 * granule, that are not there; whoever touches one of them while the fault is in flight waits for
 * the same fault. A process of the host that accesses a managed page which is on the device raises
 * one in the other direction.
 *
 * The fault buffer has room for fault_buffer faults of SMs. A fault for which there is none is
 * delayed: it enters the buffer in its turn, when another one has been served. In the buffer it is
 * the handler's (handlers.c), which says when it has been handled. The pages of managed memory then
 * move: the MMU makes room for them and transfers their data over the interconnect (link.h). When
 * the fault has been served, the MMU is told so, and the waiters are woken and make their accesses
 * again. A fault for memory of a process is served when the host has answered, too (process.c).
 *
 * This room knows neither page tables nor frames: it is told which pages wait, and tells whose wait
 * has ended.
 */
#ifndef VGPU_FAULT_H
#define VGPU_FAULT_H

#include "../sim/list.h"
#include "../sim/ranges.h"
#include "../sim/sim.h"
#include "../sim/trace.h"
#include "../vgpu_model.h"
#include "link.h"

struct vgpu_faults;

/** enum vgpu_page_fault_kind - what is done about a fault */
enum vgpu_page_fault_kind {
	VGPU_PAGE_FAULT_ALLOCATE,	/* an SM: pages that stay where they are allocated */
	VGPU_PAGE_FAULT_TO_DEVICE,	/* an SM: managed pages come to the device */
	VGPU_PAGE_FAULT_TO_HOST,	/* a process: managed pages go to the host */
	VGPU_PAGE_FAULT_PROCESS,	/* an SM: a page of its process, which the host finds */
	VGPU_PAGE_FAULT_CLAIM,		/* an SM writes managed pages that the host reads as well */
	VGPU_PAGE_FAULT_KINDS
};

/**
 * struct vgpu_fault_traits - how faults of one kind differ; to add a kind, add a row (fault.c)
 * @moves: its pages change sides: when it has been handled, they cross the interconnect
 * @by_process: a process raised it, and handles it itself; what moves goes to the host
 * @asks: the host has to find its pages, which takes as long as it takes
 * @host: the host handles it, whoever handles others
 */
struct vgpu_fault_traits {
	bool moves, by_process, asks, host;
};

extern const struct vgpu_fault_traits vgpu_fault_traits[VGPU_PAGE_FAULT_KINDS];

/**
 * struct vgpu_fault_request - what is raised
 * @kind: enum vgpu_page_fault_kind
 * @prefetch: by a command or a prefetcher and not by an access: it is in no buffer and statistics,
 *   and needs no handler, unless it is a VGPU_PAGE_FAULT_PROCESS
 * @first: address >> VGPU_PAGE_SHIFT of the first page
 * @pages: how many from there on
 * @write: VGPU_PAGE_FAULT_PROCESS: the access writes
 * @duplicate: managed pages that the other side keeps, for reading
 * @wanted: VGPU_PAGE_FAULT_PROCESS: bit n: page @first + n is accessed. The others, of @pages that
 *   are VGPU_PROCESS_PAGES at most, come with it if the process has them
 * @readable: of these pages, those that could be read when a write raised it
 * @data: bytes that have to be transferred; 0 for VGPU_PAGE_FAULT_ALLOCATE, _PROCESS and _CLAIM
 * @sm: the SM that touched a page; for the trace, as the next two
 * @kernel: id of the launch that did
 * @counters: of that launch on that SM; NULL: it is not counted
 * @mapping: first address of the mapping; 0 for VGPU_PAGE_FAULT_PROCESS
 * @protected_first, @protected_pages: of a prefetch that no command asked for (mmu/placement.h):
 *   pages that are not evicted for it. Others have 0 pages
 */
struct vgpu_fault_request {
	u8 kind;
	bool prefetch;
	bool write;
	bool duplicate;
	u32 sm;
	u32 kernel;
	struct vgpu_counters *counters;
	u64 wanted;
	u64 readable;
	u64 first;
	u64 pages;
	u64 data;
	u64 mapping;
	u64 protected_first;
	u64 protected_pages;
};

/**
 * struct vgpu_fault_space - the faults of an address space
 * @context: id of the context that has it
 * @pages: those in flight, by their pages; value: the struct vgpu_page_fault. Its account pays for
 *   them
 * @faults: those in flight
 * @prefetches: of these, prefetches of memory of the process
 * @raised: number of faults of SMs since it was made
 * @delayed: of these, those that found the fault buffer full
 * @time: picoseconds from raised to served, the sum of all of these that were served
 * @raised_by_host: number of faults of processes
 */
struct vgpu_fault_space {
	u32 context;
	struct vgpu_ranges pages;
	struct vgpu_list faults;
	u32 prefetches;
	u64 raised;
	u64 delayed;
	u64 time;
	u64 raised_by_host;
};

/**
 * struct vgpu_page_waiter - a waiter for a page, embedded in the waiting object
 * @wake: the page is there or was unmapped: make the access again. Called from an event or from
 *   vgpu_as_map() or _unmap(), after the waiter was removed from its list; it must not call the MMU
 * @access: address of the first lane of the access that it makes now, which tells it from others
 * @waits: how often it has waited for that (mmu/access.h)
 * @first, @refused, @no_memory: of the fault for memory of a process for which it waited last: bit
 *   n of @refused: there is no page @first + n, or none that may be accessed so; of @no_memory:
 *   there was no memory for it
 */
struct vgpu_page_waiter {
	struct vgpu_list node;		/* in the list of the fault; unlinked: not waiting */
	const struct vgpu_page_fault *fault;	/* valid while it waits */
	void (*wake)(struct vgpu_page_waiter *waiter);
	u32 waits;
	u64 access;
	u64 first;
	u64 refused;
	u64 no_memory;
};

/** vgpu_page_waiter_init - it does not wait, and has never; needed where it is not all zero */
static inline void vgpu_page_waiter_init(struct vgpu_page_waiter *waiter)
{
	waiter->node = (struct vgpu_list){ 0 };
	waiter->waits = 0;
	waiter->refused = 0;
	waiter->no_memory = 0;
}

/** vgpu_page_waiter_cancel - stop waiting; a no-op if the waiter does not wait */
static inline void vgpu_page_waiter_cancel(struct vgpu_page_waiter *waiter)
{
	vgpu_list_del(&waiter->node);
}

/** struct vgpu_page_fault - a fault in flight */
struct vgpu_page_fault {
	struct vgpu_list node;		/* in faults->delayed, if it is */
	struct vgpu_list space_node;	/* in space->faults */
	struct vgpu_faults *faults;
	struct vgpu_fault_space *space;
	struct vgpu_fault_request request;
	u64 number;			/* in the order in which they were raised */
	u64 raised;			/* when */
	bool entered;			/* it is in the fault buffer */
	bool delayed;			/* which was full when it was raised */
	bool moving;			/* it has been handled; pages move, if it has such … */
	bool room;			/* … if there is room for them */
	u32 units;			/* of VRAM that are reserved for them (mmu/frames.h) */
	bool asked;			/* PROCESS: the host has been told, and is to answer */
	bool returning;			/* PROCESS: it is on the way back */
	u64 there;			/* PROCESS: pages that the host has, as in wanted … */
	u64 refused;			/* … does not have … */
	u64 no_memory;			/* … or has no memory for */
	u64 crossed;			/* when their data has been transferred */
	struct vgpu_event event;	/* it has been handled, or served */
	struct vgpu_list waiters;	/* newest first */
};

/* Counters of the launch that has raised it; NULL: none has, or it is not counted */
static inline struct vgpu_counters *vgpu_fault_counters(const struct vgpu_page_fault *fault)
{
	return vgpu_counters_of(fault->request.counters, fault->request.kernel);
}

/**
 * struct vgpu_fault_handler - how faults of SMs are handled
 * @handled: when a fault that enters the buffer now will have been handled
 * @notice: picoseconds from @from, when that is so or the transfer has ended, until the SM goes
 *   on. Called once for each fault; with fault_occupies_link not before @from
 */
struct vgpu_fault_handler {
	const char *name;
	u64 (*handled)(struct vgpu_faults *faults, const struct vgpu_page_fault *fault);
	u64 (*notice)(struct vgpu_faults *faults, const struct vgpu_page_fault *fault, u64 from);
};

/**
 * struct vgpu_fault_ops - what a fault is to the MMU
 * @move: @fault has been handled: its managed pages begin to move. @time: the present time, out:
 *   when its data has been transferred. False: there is no room, they stay where they are
 * @ended: @fault was @served, or is cancelled: its pages are waited for no more
 * @local: the SM that raised @fault begins to handle it, in system mode
 * @process_wants: @fault, a VGPU_PAGE_FAULT_PROCESS, has entered the buffer
 */
struct vgpu_fault_ops {
	bool (*move)(struct vgpu_page_fault *fault, u64 *time);
	void (*ended)(const struct vgpu_page_fault *fault, bool served);
	void (*local)(const struct vgpu_page_fault *fault);
	void (*process_wants)(const struct vgpu_page_fault *fault);
};

/** struct vgpu_faults - the faults of a device */
struct vgpu_faults {
	struct vgpu_sim *sim;
	const struct vgpu_trace *trace;
	const struct vgpu_config *config;
	const struct vgpu_fault_ops *ops;
	const struct vgpu_fault_handler *handler;
	struct vgpu_link link;
	u64 host_free;			/* cpu: when the host will have handled what it has */
	u64 raised;			/* faults since it was made */
	u32 entered;			/* faults in the buffer */
	u32 in_flight;			/* the same, and those that are delayed */
	struct vgpu_list delayed;	/* in the order in which they were raised */
};

void vgpu_faults_init(struct vgpu_faults *faults, struct vgpu_sim *sim,
		      const struct vgpu_trace *trace, const struct vgpu_config *config,
		      const struct vgpu_fault_ops *ops);
/** vgpu_faults_fini - no fault may be in flight */
void vgpu_faults_fini(struct vgpu_faults *faults);

/** vgpu_fault_space_init - no faults of @context; @memory pays for those to come */
void vgpu_fault_space_init(struct vgpu_fault_space *space, u32 context,
			   struct vgpu_mem_account *memory);
/** vgpu_fault_space_fini - no fault of it may be in flight */
void vgpu_fault_space_fini(struct vgpu_fault_space *space);

/** vgpu_fault_raise - raise a fault for pages none of which has one; -ENOMEM: it is not raised */
int vgpu_fault_raise(struct vgpu_faults *faults, struct vgpu_fault_space *space,
		     const struct vgpu_fault_request *request);
/** vgpu_fault_at - the fault in flight for @page; NULL: there is none */
struct vgpu_page_fault *vgpu_fault_at(const struct vgpu_fault_space *space, u64 page);
/**
 * vgpu_fault_wait - wake @waiter when the fault for @page, which is in flight, has ended
 *
 * A waiter that waits for another fault of @space waits for the one that was raised later.
 */
void vgpu_fault_wait(struct vgpu_fault_space *space, u64 page, struct vgpu_page_waiter *waiter);
/**
 * vgpu_fault_left - picoseconds until the fault that @waiter waits for will have been served
 *
 * 0: it does not wait; VGPU_NEVER: not known, as the fault is delayed, or as its data does not move
 * yet.
 */
u64 vgpu_fault_left(const struct vgpu_page_waiter *waiter);
/**
 * vgpu_faults_cancel - cancel the faults that have a page in [@first, @first + @count)
 * @most: so many of them at most
 *
 * Their waiters are woken and make their accesses again. Returns how many were cancelled.
 */
u64 vgpu_faults_cancel(struct vgpu_faults *faults, struct vgpu_fault_space *space, u64 first,
		       u64 count, u64 most);

/* ---- memory of processes (process.c) ------------------------------------ */

/*
 * The first fault in the buffer with pages that the host has not been told of: it is told now.
 * False: there is none.
 */
bool vgpu_fault_process_wanted(const struct vgpu_fault_space *space,
			       struct vgpu_process_pages *pages);
/* The host answers what it was told. */
void vgpu_fault_process_came(struct vgpu_fault_space *space,
			     const struct vgpu_process_pages *pages);
/*
 * @page, of @fault, is accessed as well: if it is not on the way back yet, the fault is served when
 * the host has answered for this page, too.
 */
void vgpu_fault_process_join(struct vgpu_page_fault *fault, u64 page);
/* For fault.c: @fault has been handled, apart from what the host does. */
void vgpu_fault_process_handled(struct vgpu_page_fault *fault);

/* ---- handlers (handlers.c) ---------------------------------------------- */

/* When @fault, which enters the buffer now, or is a process's, will have been handled. */
u64 vgpu_fault_handled(struct vgpu_faults *faults, const struct vgpu_page_fault *fault);
/* Picoseconds that the transfer of its data takes at least. */
u64 vgpu_fault_data_time(const struct vgpu_faults *faults, const struct vgpu_page_fault *fault);
/* Picoseconds from @from, the end of all that, until who raised it goes on. */
u64 vgpu_fault_notice(struct vgpu_faults *faults, const struct vgpu_page_fault *fault, u64 from);

/** vgpu_fault_handler_find - by name; NULL: there is none */
const struct vgpu_fault_handler *vgpu_fault_handler_find(const char *name);
/** vgpu_fault_handler_at - for @index from 0, NULL at the end */
const struct vgpu_fault_handler *vgpu_fault_handler_at(unsigned int index);
/* Serves each fault page_arrival_ps after it was raised: for tests. */
extern const struct vgpu_fault_handler vgpu_fault_handler_test;

#endif

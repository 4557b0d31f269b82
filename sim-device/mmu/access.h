/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * DOC: the way to memory
 *
 * Every load, store and atomic of a warp that reaches global memory is a struct vgpu_access. What
 * the SM's TLB answers is never made into one: an access is what the lanes lack a translation for.
 * The MMU answers it with
 *
 *   OK       here are the bytes of a page, and what it cost to find them
 *   PENDING  a page is on its way; the warp waits, and makes the same access again when the page
 *            has come. The lanes have changed nothing, and the rest of the SM goes on
 *   FAULT    the access cannot be made; the context ends
 *
 * A page fault that somebody handles (managed memory, memory of the host, a frame that was evicted)
 * is PENDING: vgpu_mmu_access() finds the page in a state other than in a frame, hands it to
 * whoever fetches it, and leaves the waiter with the page. Today one thing delays pages: arrival.c.
 */
#ifndef VGPU_ACCESS_H
#define VGPU_ACCESS_H

#include "../platform.h"
#include "../sim/list.h"

struct vgpu_address_space;
struct vgpu_mmu;

enum vgpu_access_kind {
	VGPU_ACCESS_LOAD,
	VGPU_ACCESS_STORE,
	VGPU_ACCESS_ATOMIC,
};

/**
 * struct vgpu_access - one memory instruction of one warp
 * @kind: enum vgpu_access_kind
 * @order: memory order
 * @scope: of threads to which the order is kept
 * @cache: cache operator. These three as the instruction has them; 0: weak, none
 * @lanes: a bit for each lane that takes part
 * @lane: the first whose page the SM does not know; those before it need nothing
 * @address: of each lane. Lanes at VGPU_ADDRESS_LIMIT and above access memory of the SM's own
 * @bytes: of each lane, from its address on, all in one page
 */
struct vgpu_access {
	u8 kind;
	u8 order;
	u8 scope;
	u8 cache;
	u32 lanes;
	u32 lane;
	u32 bytes;
	const u64 *address;
};

enum vgpu_access_result { VGPU_ACCESS_OK, VGPU_ACCESS_PENDING, VGPU_ACCESS_FAULT };

/**
 * struct vgpu_access_answer - what follows the result
 * @cost_ps: virtual time that the access has taken so far: OK, the warp's next instruction is that
 *   much later; PENDING, what is added when it is made again
 * @page: OK: the bytes of the page of @lane
 * @fault: FAULT: enum vgpu_fault_reason
 */
struct vgpu_access_answer {
	u64 cost_ps;
	u8 *page;
	u32 fault;
};

/**
 * struct vgpu_page_waiter - who waits for a page, embedded in what waits
 * @wake: the page has come, or there is nothing to wait for any more: make the access again. Called
 *   from an event or from vgpu_as_unmap(), after the waiter was taken off; it must not call the MMU
 */
struct vgpu_page_waiter {
	struct vgpu_list node;			/* of the page; in no list: waits for nothing */
	void (*wake)(struct vgpu_page_waiter *waiter);
};

/**
 * vgpu_mmu_access - make or begin an access
 * @waiter: that waits for nothing, with wake set; PENDING: it now waits for a page of the access
 *
 * One call finds the page of one lane, access->lane. PENDING is answered while any page of the
 * access is on its way, and all that have to be fetched are on their way then, so that an access of
 * 32 pages waits once and not 32 times.
 */
enum vgpu_access_result vgpu_mmu_access(struct vgpu_address_space *as,
					const struct vgpu_access *access,
					struct vgpu_page_waiter *waiter,
					struct vgpu_access_answer *answer);

/** vgpu_page_waiter_cancel - wait no more; nothing happens if it does not wait */
static inline void vgpu_page_waiter_cancel(struct vgpu_page_waiter *waiter)
{
	vgpu_list_del(&waiter->node);
}

#endif

/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * DOC: the path to memory
 *
 * A load, store or atomic of a warp that misses the SM's TLB becomes a struct vgpu_access; a hit
 * does not. The result of the MMU is one of
 *
 *   OK       with the bytes of a page, and the cost of finding them
 *   PENDING  a page is being fetched; the warp waits and restarts the access when the page has
 *            arrived. The lanes have changed nothing, and the rest of the SM continues
 *   FAULT    the access is invalid; the context ends
 *
 * A page fault that can be handled is PENDING: vgpu_mmu_access() finds that the page is not there,
 * raises a fault (fault/fault.h) and queues the waiter on it.
 *
 * DOC: accesses in place
 *
 * A page of host memory (VGPU_MAPPING_HOST) stays on the host, and so does a managed page for which
 * the device has no room for too long. SMs use its bytes there, and each access crosses the
 * interconnect, whatever TLB has the translation. So the lanes must not find such a page by
 * themselves: the TLB of the SM has its translation under another tag (VGPU_TLB_IN_PLACE), which
 * spares the page walk, and for one instruction it is held where lanes look for what they miss.
 * Every access to it comes to the SM this way, which charges for it by vgpu_mmu_cross(). Other
 * accesses, and programs without such pages, do not pay for that, neither in virtual time nor in
 * real time.
 *
 * Memory of a process (vgpu_process_enable()) is used in place, too. Its pages may go at any time,
 * so no TLB has them: each access looks for them, and has the host hold them for the one
 * instruction that touches them (vgpu_process_hold()).
 */
#ifndef VGPU_ACCESS_H
#define VGPU_ACCESS_H

#include "../fault/fault.h"
#include "../platform.h"

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
 * @scope: threads for which the order holds
 * @cache: cache operator. These three are fields of the instruction; 0: weak, none
 * @lanes: a bit for each lane that takes part
 * @lane: the first lane that missed the TLB; earlier lanes need no translation
 * @address: address of each lane. Lanes at VGPU_ADDRESS_LIMIT and above access memory of the SM
 * @bytes: size of the access of each lane, which is within one page
 * @sm: index of the SM
 * @kernel: id of the launch; both are for traces
 * @counters: of that launch on that SM; NULL: it is not counted
 * @elapsed: time that its warp has taken since the present time, with an L2 TLB
 * @l1: whose registers a miss needs; NULL: it needs none
 * @translated: its SM has had the translation and waits for it no more: it only asks where the page
 *   is now, which takes no time and counts as no miss
 * @in_order: misses of its SM come in the order of their times, so that a register is in use from
 *   the miss on, and not from the present time on
 * @waited: how long, in ps, the miss has waited for a register already, for the counters only
 * @walks: a page that is not there is looked for, too, before it is known: the answer says how
 *   long. Otherwise it is known at once, and looked for when the access is restarted
 */
struct vgpu_access {
	u8 kind;
	u8 order;
	u8 scope;
	u8 cache;
	u32 lanes;
	u32 lane;
	u32 bytes;
	u32 sm;
	u32 kernel;
	struct vgpu_counters *counters;
	u64 elapsed;
	u64 waited;
	struct vgpu_l1_tlb *l1;
	const u64 *address;
	bool translated;
	bool in_order;
	bool walks;
};

enum vgpu_access_result { VGPU_ACCESS_OK, VGPU_ACCESS_PENDING, VGPU_ACCESS_FAULT };

/**
 * struct vgpu_access_answer - details of the result
 * @cost_ps: virtual time that the access has taken so far. OK: it delays the warp's next
 *   instruction; PENDING: it is added when the access is restarted; with access->walks: when it is
 *   known that the page is not there. With an L2 TLB it is from
 *   access->elapsed on, where all misses of one instruction begin
 * @page: OK: the bytes of the page of @lane
 * @frame: OK: its number, with caches (struct vgpu_cache_ops) only; 0: the page has none
 * @in_place: OK: they are on the host: the access must vgpu_mmu_cross()
 * @process: OK: they are the process's: @page is not set, vgpu_process_page() knows it
 * @fault: FAULT: enum vgpu_fault_reason
 * @lane: FAULT: whose access is invalid
 * @faults: page faults that were raised
 */
struct vgpu_access_answer {
	u64 cost_ps;
	u8 *page;
	u64 frame;
	u32 fault;
	u32 lane;
	u32 faults;
	bool in_place;
	bool process;
};

/**
 * vgpu_mmu_access - perform or start an access
 * @waiter: an unlinked waiter with wake set; PENDING: it now waits for a page of the access
 *
 * One call translates the page of one lane, access->lane. The result is PENDING while any page of
 * the access is being fetched. The call starts to fetch all pages that are missing, so that an
 * access of 32 pages waits once and not 32 times.
 */
enum vgpu_access_result vgpu_mmu_access(struct vgpu_address_space *as,
					const struct vgpu_access *access,
					struct vgpu_page_waiter *waiter,
					struct vgpu_access_answer *answer);

/**
 * vgpu_mmu_walk - vgpu_mmu_access() of a page for which that is a walk of page_walk_ps, and no more
 *
 * Returns the bytes of the page; NULL: it is to be vgpu_mmu_access(), as pages may come and go, or
 * there is an L2 TLB, or the page has no frame. Nothing changes: several threads may call it while
 * nobody maps or unmaps. Whoever has found pages counts them, by vgpu_mmu_walked().
 */
u8 *vgpu_mmu_walk(const struct vgpu_address_space *as, u64 address);
/**
 * vgpu_mmu_finds - does vgpu_mmu_walk() find every page of an access?
 * @waiter: of the warp
 * @lanes: that access, @address of each
 *
 * Then that is all there is to it, also where other pages may be the process's. As vgpu_mmu_walk().
 */
bool vgpu_mmu_finds(const struct vgpu_address_space *as, const struct vgpu_page_waiter *waiter,
		    u32 lanes, const u64 *address);
/*
 * May some pages of an access be found by vgpu_mmu_walk() before it is known what the others are?
 * Pages of the process have to be there first: an access that waits for one has entered no other.
 */
bool vgpu_mmu_walks_first(const struct vgpu_address_space *as);
void vgpu_mmu_walked(struct vgpu_address_space *as, u64 walks);
/* May it find pages? Else none. */
bool vgpu_mmu_walks(const struct vgpu_address_space *as);

/**
 * struct vgpu_crossing - what an access in place takes
 * @cost_ps: virtual time; it delays the warp's next instruction
 * @segments: of 128 bytes that it touches, which are not memory traffic of the device
 */
struct vgpu_crossing {
	u64 cost_ps;
	u32 segments;
};

/**
 * vgpu_mmu_cross - have an access cross the interconnect (in_place.c)
 * @lanes: of @access, those whose pages are on the host
 * @elapsed: time that its warp has taken since the present time
 *
 * Reserves the path to the device for a load, that to the host for a store, both for an atomic, for
 * each sector of 32 bytes that the lanes touch. The warp waits until these have crossed, behind
 * whatever has reserved the path before. For what comes back it waits for link_access_ps, too: a
 * store does not. There is no cache: the next access to the same sector crosses again.
 *
 * Paths are reserved from the present time on, the beginning of the slice: accesses of other warps
 * in the same slice begin there as well.
 */
struct vgpu_crossing vgpu_mmu_cross(struct vgpu_address_space *as,
				    const struct vgpu_access *access, u32 lanes, u64 elapsed);
/*
 * Memory of the process of @as (process.c). Between hold and release, in which nothing else of the
 * MMU may be called, _page() is the bytes of the page at @address; NULL: it has gone again.
 */
void vgpu_process_hold(const struct vgpu_address_space *as);
u8 *vgpu_process_page(const struct vgpu_address_space *as, u64 address, bool write);
void vgpu_process_release(const struct vgpu_address_space *as);
/* The lanes of @access whose pages are the process's and can be used now. They may go again. */
u32 vgpu_process_lanes(const struct vgpu_address_space *as, const struct vgpu_access *access);

#endif

/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * An address space, as the files of this room see it: its mappings (address_space.c), the accesses
 * of SMs to it and their faults (access.c), its managed pages (managed.c).
 */
#ifndef VGPU_ADDRESS_SPACE_H
#define VGPU_ADDRESS_SPACE_H

#include "../sim/ranges.h"
#include "mmu.h"
#include "page_table.h"

struct vgpu_address_space {
	struct vgpu_mmu *mmu;
	u32 context;			/* its id, for the host */
	struct vgpu_mem_account *memory;	/* of the context */
	struct vgpu_page_table table;
	struct vgpu_ranges mappings;	/* addresses; value: enum vgpu_mapping_kind */
	struct vgpu_ranges advice;	/* of managed mappings (advice.c); value: VGPU_ADVISED_* */
	u64 mapped;			/* bytes of device memory */
	u64 managed;			/* bytes of managed memory */
	u64 viewed;			/* bytes of views */
	u64 frames;
	u64 on_host;			/* managed pages: vgpu_pte_on_host() */
	bool process;			/* what is not mapped is memory of the process */
	bool has_zeros;			/* a page was read before it was written, at some time */
	struct vgpu_resident resident;
	bool compresses;		/* managed pages that come are compressed */
	struct vgpu_compression_counts compression;
	struct vgpu_pressure *pressure;	/* placement.h; NULL: nobody is told of it */
	struct {
		u64 first, last, until;
	} leaving;	/* pages that vgpu_evict_ahead() has sent, and until when they cross */
	struct vgpu_list views;		/* struct vgpu_view */
	struct vgpu_allocation **handles;	/* by handle - 1; NULL: not in use */
	u32 handle_room;		/* of that array */
	u32 handle_next;		/* no lower one is free */
	struct vgpu_list tlbs;		/* that serve it */
	u64 changes;			/* vgpu_as_changes() */
	struct vgpu_fault_space faults;
	struct vgpu_migrated migrated;
	struct vgpu_translations translations;
};

/* Is this mapping host memory? */
static inline bool vgpu_range_on_host(const struct vgpu_range *mapping)
{
	return mapping->value == VGPU_MAPPING_HOST || mapping->value == VGPU_MAPPING_HOST_READ;
}

/* The view that this mapping is; NULL: it is of another kind. */
static inline struct vgpu_view *vgpu_range_view(const struct vgpu_range *mapping)
{
	return mapping->value < VGPU_MAPPING_KINDS ?
		       NULL : (struct vgpu_view *)(unsigned long)mapping->value;
}

/*
 * address_space.c: a mapping of this kind, or a view at this address, which the caller fills; as
 * for vgpu_as_map(), but nothing is promised for it
 */
int vgpu_as_add_mapping(struct vgpu_address_space *as, u64 address, u64 bytes, u64 value);
/* address_space.c: so many bytes of VRAM are somebody's, whether they are used or not; -ENOMEM */
int vgpu_promise(struct vgpu_mmu *mmu, u64 bytes);
void vgpu_unpromise(struct vgpu_mmu *mmu, u64 bytes);

/* The entry of a managed page becomes @entry, which may change the side that it is on. */
static inline void vgpu_as_set_managed(struct vgpu_address_space *as, u64 *pte, u64 entry)
{
	u64 more = (u64)vgpu_pte_on_host(entry) - vgpu_pte_on_host(*pte);

	as->on_host += more;
	as->mmu->on_host += more;
	*pte = entry;
}

/* What was handed out of these pages counts no more. */
void vgpu_as_invalidate(struct vgpu_address_space *as, u64 address, u64 bytes);

static inline struct vgpu_address_space *vgpu_as_of_fault(const struct vgpu_page_fault *fault)
{
	return vgpu_container_of(fault->space, struct vgpu_address_space, faults);
}

/**
 * struct vgpu_page_run - pages around one that are in the same condition
 * @pte: of the first
 * @first: address >> VGPU_PAGE_SHIFT of the first
 * @count: number of pages
 */
struct vgpu_page_run {
	u64 *pte;
	u64 first;
	u64 count;
};

/*
 * access.c: the pages around @address, whose entry is @pte, of @mapping or the part of it with the
 * same advice, within a granule of fault_granule bytes, whose entries have none of @without and all
 * of @with. Pages of a granule are in one table.
 */
struct vgpu_page_run vgpu_as_run(const struct vgpu_address_space *as,
				 const struct vgpu_range *mapping, u64 address, u64 *pte, u64 with,
				 u64 without);

/*
 * managed.c: raise a fault of @access, or if it is NULL a prefetch, for the page at @address of
 * @mapping; -ENOMEM
 */
int vgpu_managed_raise(struct vgpu_address_space *as, const struct vgpu_access *access,
		       const struct vgpu_range *mapping, u64 address, u64 *pte);
/*
 * managed.c: the same for a page that has no frame
 * @chosen: by a prefetcher, the page at @address among them; NULL: by none
 */
int vgpu_managed_to_device(struct vgpu_address_space *as, const struct vgpu_access *access,
			   const struct vgpu_range *mapping, u64 address, u64 *pte,
			   const struct vgpu_page_span *chosen);
/*
 * managed.c: raise a fault of a process, or a prefetch, for the page at @address, which has a
 * frame, and those around it that have one; -ENOMEM
 * @duplicate: they stay, for reading, but for those that the host may read already
 */
int vgpu_managed_to_host(struct vgpu_address_space *as, const struct vgpu_range *mapping,
			 u64 address, u64 *pte, bool prefetch, bool duplicate);
/*
 * prefetch.c: the fault of @request has been handled: raise prefetches for what the prefetcher
 * chooses. A prefetch has none behind it.
 */
void vgpu_prefetch_behind(struct vgpu_address_space *as, const struct vgpu_fault_request *request);
/*
 * managed.c: SMs, or a copy, write the page of @pte at @address, which the host may read as well:
 * it may no more.
 */
void vgpu_managed_claim(struct vgpu_address_space *as, u64 address, u64 *pte);
/* managed.c: the page of @pte, which has a frame and does not move, is on the host alone */
void vgpu_managed_drop(struct vgpu_address_space *as, u64 address, u64 *pte);
/* managed.c: operations of vgpu_fault_ops, for managed pages */
bool vgpu_managed_move(struct vgpu_page_fault *fault, u64 *time);
void vgpu_managed_ended(const struct vgpu_page_fault *fault, bool served);
/* eviction.c: frames for the pages of @fault, which others leave; see there */
bool vgpu_evict_for(const struct vgpu_page_fault *fault, u64 *time);
/* eviction.c: do managed pages take more VRAM than there is for them, or those of @as? */
bool vgpu_is_over(const struct vgpu_mmu *mmu, const struct vgpu_address_space *as);
/* eviction.c: evict until they do not; nobody waits for it */
void vgpu_evict_excess(struct vgpu_mmu *mmu);

/* compressed.c: units that @count pages from @page on would take; @as compresses */
u32 vgpu_compressed_units(const struct vgpu_address_space *as, u64 page, u64 count);
/* compressed.c: for the page at @address, which comes; NULL: it is not compressed */
struct vgpu_compressed *vgpu_compressed_new(const struct vgpu_address_space *as, u64 address,
					    const u8 *bytes);
/* compressed.c: frame @number may be written from now on, and that is not noticed */
void vgpu_compressed_written(struct vgpu_mmu *mmu, u64 number);
/* compressed.c: what a translation of frame @number, 0: none, takes beyond that */
u64 vgpu_compressed_time(struct vgpu_mmu *mmu, u64 number);
/*
 * compressed.c: pages of @as have come, which may take more than was kept for them: what is too
 * much is evicted soon
 */
void vgpu_compressed_excess(struct vgpu_address_space *as);
/* compressed.c: events */
void vgpu_compressed_settle(struct vgpu_event *event);
void vgpu_compressed_check(struct vgpu_event *event);

/**
 * struct vgpu_eviction - pages that go to make room, for the trace (eviction.c)
 * @fault: needs the room
 *
 * The others are zero at first. Those that lie one behind the other in a mapping are one record.
 */
struct vgpu_eviction {
	const struct vgpu_page_fault *fault;
	u32 owner;		/* context */
	u64 mapping;		/* first address */
	u64 address, pages;	/* so far; 0: none */
	u64 written;		/* bytes to be written back of these */
};

/* What was said of managed pages, beside each other (uapi/vgpu.h) */
#define VGPU_ADVISED_READ_MOSTLY	1ull
#define VGPU_ADVISED_HOST		2ull	/* preferred location */
#define VGPU_ADVISED_DEVICE		4ull	/* the same */
#define VGPU_ADVISED_ACCESSED		8ull

/* advice.c: VGPU_ADVISED_* of the page at @address; 0: nothing was said of it */
u64 vgpu_advice_at(const struct vgpu_address_space *as, u64 address);
/* advice.c: the part of @mapping around @address of which the same was said, or @mapping */
const struct vgpu_range *vgpu_advice_part(const struct vgpu_address_space *as,
					  const struct vgpu_range *mapping, u64 address);
/*
 * advice.c: do SMs use the managed page at @address, whose entry is @entry and which has no frame,
 * where it is?
 */
bool vgpu_advice_in_place(const struct vgpu_address_space *as, u64 address, u64 entry);
/* advice.c: forget what was said of @mapping. False: of about @most ranges, and there are more */
bool vgpu_advice_forget(struct vgpu_address_space *as, const struct vgpu_range *mapping, u64 most);

/* managed.c: the bytes of a managed page that has no frame, where they are; NULL: none */
u8 *vgpu_managed_bytes(struct vgpu_address_space *as, u64 address, u64 *pte, bool write);
/* in_place.c: the bytes of the page at @address of host memory; NULL: the host has none */
u8 *vgpu_host_bytes(const struct vgpu_address_space *as, u64 address);
/*
 * process.c: the page of the process at @address, where nothing is mapped, touched by an SM. OK: it
 * is there; PENDING: a fault for it is in flight, from now on if need be; FAULT: there is no memory
 * for one.
 */
enum vgpu_access_result vgpu_process_fetch(struct vgpu_address_space *as,
					   const struct vgpu_access *access, u64 address);
/* system.c: operation of vgpu_fault_ops */
void vgpu_system_handles(const struct vgpu_page_fault *fault);
/*
 * process.c: as vgpu_as_prefetch(), of memory of the process at @address, where nothing is mapped.
 * It is on its way when this returns, and nothing waits for it.
 */
void vgpu_process_prefetch(struct vgpu_address_space *as, u64 address, u64 last, bool to_device,
			   u64 *next);
/* process.c: operation of vgpu_fault_ops */
void vgpu_process_wants(const struct vgpu_page_fault *fault);

#endif

/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Memory management unit: the frames of VRAM (frames.c), an address space with its page table for
 * each context (address_space.c, page_table.c), the TLBs of the SMs (tlb.c) and the one that they
 * share (l2_tlb.c), where it invalidates ranges that have changed. Accesses that miss an SM's TLB
 * come here (access.h). Pages are 4 KB.
 * This room uses only virtual time and the frames of the host.
 */
#ifndef VGPU_MMU_H
#define VGPU_MMU_H

#include "../sim/trace.h"
#include "../vgpu_model.h"
#include "access.h"
#include "frames.h"
#include "tlb/l2_tlb.h"
#include "placement.h"
#include "tlb/tlb.h"

struct vgpu_address_space;
struct vgpu_allocation;

/** struct vgpu_mmu - the memory of one device */
struct vgpu_mmu {
	const struct vgpu_config *config;
	u64 promised;		/* bytes mapped as device memory or allocated, by all */
	u64 counts;		/* vgpu_as_device_bytes() */
	u64 allocations;	/* number */
	u64 page_tables;	/* allocated, in all address spaces */
	struct vgpu_frame_table frames;
	struct vgpu_l2_tlb l2_tlb;
	struct vgpu_faults faults;
	/* placement.h; set by who initialised this, before the first access and at any time */
	const struct vgpu_evictor *evictor;
	const struct vgpu_prefetcher *prefetcher;
	/* VGPU_PTE_*: a page is there for SMs that has one of them; 0: all that are mapped are */
	u64 there;
	u64 on_host;		/* managed pages on the host, in all address spaces */
	u64 arriving;		/* units that are reserved for managed pages without a frame */
	/* of the units that are free, those of pages whose data crosses @until (eviction.c) */
	struct {
		u64 units, until;
	} leaving;
	/* compressed.c: more is taken than there is; pages may have been written */
	struct vgpu_event settle, check;
	bool reserved;		/* room for these */
	const struct vgpu_pressure_ops *pressure_ops;	/* placement.h; set as evictor is */
};

/**
 * vgpu_mmu_init - initialise an empty memory (address_space.c); -ENOMEM
 * @ops: copied
 * @host: argument of @ops
 */
int vgpu_mmu_init(struct vgpu_mmu *mmu, struct vgpu_sim *sim, const struct vgpu_trace *trace,
		  const struct vgpu_config *config, const struct vgpu_frame_ops *ops, void *host);
/**
 * vgpu_mmu_update - the configuration has changed: let SMs fault on pages of device memory that
 * nobody has used, or not
 *
 * Pages that have a frame, or for which a fault was served, are there in any case.
 */
void vgpu_mmu_update(struct vgpu_mmu *mmu);
/** vgpu_mmu_fini - free all memory; no address space may be left */
void vgpu_mmu_fini(struct vgpu_mmu *mmu);

/* ---- address spaces ----------------------------------------------------- */

/** enum vgpu_mapping_kind - location of the pages of a mapping */
enum vgpu_mapping_kind {
	VGPU_MAPPING_DEVICE,	/* in VRAM, always */
	VGPU_MAPPING_MANAGED,	/* in VRAM or on the host, where they are used */
	VGPU_MAPPING_HOST,	/* on the host, always; used in place (access.h) */
	VGPU_MAPPING_HOST_READ,	/* the same, and not written by the device */
	VGPU_MAPPING_KINDS,	/* beyond: a view of an allocation (vgpu_as_map_view()) */
};

/** enum vgpu_page_state - where a page of an address space is */
enum vgpu_page_state {
	VGPU_PAGE_UNMAPPED,
	VGPU_PAGE_UNWRITTEN,	/* has no frame and reads as zero */
	VGPU_PAGE_FRAME,
	VGPU_PAGE_HOST,		/* its contents are on the host */
	VGPU_PAGE_MOVING,	/* a fault for it is in flight */
};

enum vgpu_translation {
	VGPU_XLATE_OK,
	VGPU_XLATE_IN_PLACE,	/* the same, and the bytes are on the host: see access.h */
	VGPU_XLATE_PROCESS,	/* the bytes are the process's, if it has any there (access.h) */
	VGPU_XLATE_UNMAPPED,
	VGPU_XLATE_SYSTEM,	/* a system page: see vgpu_is_system() */
	VGPU_XLATE_NO_FRAME,	/* the host has no frame to back a first write */
};

/* A page of zeros, for what was never written. It must not be written. */
extern const u8 vgpu_zero_page[VGPU_PAGE_SIZE];

/*
 * Mappings that an address space may have, as many as Linux gives a process. What it pays for them
 * in real time and memory is bounded so.
 */
#define VGPU_MAPPINGS_MAX	65536u

/* Allocations that an address space may hold by handles. */
#define VGPU_HANDLES_MAX	65536u

/* Ranges of managed memory with advice, and those between them, that an address space may have. */
#define VGPU_ADVISED_MAX	65536u

/**
 * vgpu_as_create - an empty address space for @context; -ENOMEM
 * @memory: account of the context, which pays for mappings and page tables; it must outlive the
 *   address space. Frames are the host's and not in it
 */
int vgpu_as_create(struct vgpu_mmu *mmu, u32 context, struct vgpu_mem_account *memory,
		   struct vgpu_address_space **out);
/**
 * vgpu_as_destroy - release page tables and frames
 *
 * The address space must be unused. TLBs that served it serve none afterwards.
 */
void vgpu_as_destroy(struct vgpu_address_space *as);
/**
 * vgpu_as_map - map [@address, @address + @bytes)
 *
 * -EINVAL: no such range; -EEXIST: part of it is mapped, or is the system page; -ENOMEM: not enough
 * VRAM left, which is never overcommitted by device memory, or VGPU_MAPPINGS_MAX mappings;
 * -EOPNOTSUPP: the host has no memory of this kind.
 */
int vgpu_as_map(struct vgpu_address_space *as, u64 address, u64 bytes,
		enum vgpu_mapping_kind kind);
/**
 * vgpu_as_clear - have [@address, @address + @bytes) as if it had not been touched
 * @most: pages of it, about
 *
 * Returns whether nothing is left to do.
 */
bool vgpu_as_clear(struct vgpu_address_space *as, u64 address, u64 bytes, u64 most);
/**
 * vgpu_as_unmap - undo one vgpu_as_map()
 *
 * -ENOENT: no mapping has exactly this range; -EAGAIN: about @most pages are cleared, and it is
 * still mapped.
 */
int vgpu_as_unmap(struct vgpu_address_space *as, u64 address, u64 bytes, u64 most);
/* Of all kinds; what several views have of an allocation counts for each. */
u64 vgpu_as_mapped_bytes(const struct vgpu_address_space *as);
/*
 * Of these, device memory; of views, all of what they are views of, once, and what it holds by
 * handles: whoever has made it. Managed memory is not in it.
 */
u64 vgpu_as_device_bytes(const struct vgpu_address_space *as);

/* ---- allocations (allocation.h): each has some holders, and goes with the last ------------- */

/**
 * vgpu_as_allocate - device memory that is not mapped, held by @as
 * @owner: for the host, when it is freed
 * @handle: out: what @as calls it
 *
 * -EINVAL: not whole pages; -ENOMEM: not enough VRAM left; -ENOSPC: VGPU_HANDLES_MAX.
 */
int vgpu_as_allocate(struct vgpu_address_space *as, u64 bytes, u64 owner, u32 *handle);
/**
 * vgpu_as_release - @as holds it by this handle no longer; views of it stay
 *
 * -ENOENT; -EAGAIN: nobody else holds it, about @most pages are released, which read as zero if it
 * is mapped, and the handle is one still.
 */
int vgpu_as_release(struct vgpu_address_space *as, u32 handle, u64 most);
/** vgpu_as_allocation - what @handle is of; NULL: of nothing */
struct vgpu_allocation *vgpu_as_allocation(const struct vgpu_address_space *as, u32 handle);
/** vgpu_as_import - a handle of @as for it. -EXDEV: it is another device's; -ENOSPC, -ENOMEM */
int vgpu_as_import(struct vgpu_address_space *as, struct vgpu_allocation *allocation, u32 *handle);
u64 vgpu_allocation_bytes(const struct vgpu_allocation *allocation);
/** vgpu_allocation_get - one holder more */
void vgpu_allocation_get(struct vgpu_allocation *allocation);
/**
 * vgpu_allocation_put - one holder less
 * @left: about so many pages may be released; less those that were
 *
 * False: that was too few. The last holder still is one, and what was released reads as zero.
 */
bool vgpu_allocation_put(struct vgpu_allocation *allocation, u64 *left);
/**
 * vgpu_as_map_view - map pages of an allocation, which vgpu_as_unmap() undoes
 * @rights: enum vgpu_rights
 *
 * -ENOENT: no such handle; -EINVAL: not whole pages of it, or no such rights; others as for
 * vgpu_as_map(). It takes no VRAM.
 */
int vgpu_as_map_view(struct vgpu_address_space *as, u64 address, u64 bytes, u32 handle, u64 offset,
		     u32 rights);
/**
 * vgpu_as_set_rights - what may be done with exactly one view, from now on
 *
 * -ENOENT: no view is there so; -EINVAL: no such rights; -EAGAIN: about @most pages have them, and
 * the others do when it is said again.
 */
int vgpu_as_set_rights(struct vgpu_address_space *as, u64 address, u64 bytes, u32 rights, u64 most);
/** vgpu_as_retain - as vgpu_memory_retain() */
int vgpu_as_retain(struct vgpu_address_space *as, u64 address, u64 bytes, u64 owner, u64 most,
		   u64 *done, u32 *handle);
/**
 * vgpu_as_drop - vgpu_as_clear() all of an address space that is not used any more, and release
 * its views and handles
 */
bool vgpu_as_drop(struct vgpu_address_space *as, u64 most);
/** vgpu_as_process_enable - as vgpu_process_enable() (process.c); -EOPNOTSUPP */
int vgpu_as_process_enable(struct vgpu_address_space *as);
/* As vgpu_process_wanted() and vgpu_process_came() (process.c). */
bool vgpu_as_process_wanted(struct vgpu_address_space *as, struct vgpu_process_pages *pages);
void vgpu_as_process_came(struct vgpu_address_space *as, const struct vgpu_process_pages *pages);
/*
 * vgpu_is_system - is @address in the system page, which every address space has, and where nothing
 * else can be mapped? Only what SMs do in system mode may access it.
 */
static inline bool vgpu_is_system(u64 address)
{
	return address - VGPU_SYSTEM_BASE < VGPU_PAGE_SIZE;
}

/** vgpu_as_handled_by_sms - faults that SMs have handled themselves (system.c) */
u64 vgpu_as_handled_by_sms(const struct vgpu_address_space *as);
/** vgpu_as_set_pressure - who is told of the managed pages of @as (placement.h); NULL: nobody */
void vgpu_as_set_pressure(struct vgpu_address_space *as, struct vgpu_pressure *pressure);
/**
 * vgpu_as_compress - managed pages of @as that come from now on are compressed, or not
 * (compressed.c). Those that are there stay as they are
 */
void vgpu_as_compress(struct vgpu_address_space *as, bool on);
/** vgpu_as_compressed_pages - pages that are compressed now */
u64 vgpu_as_compressed_pages(const struct vgpu_address_space *as);
/** vgpu_as_managed_vram - bytes of VRAM that its managed pages take, compressed or not */
u64 vgpu_as_managed_vram(const struct vgpu_address_space *as);
/**
 * struct vgpu_compression_counts - of an address space
 * @metadata_hits, @metadata_misses: of the metadata cache
 * @exceptions: lines of 64 bytes that were not in their slots, of accesses to memory
 * @overflows: pages that were laid out anew, as what was written did not fit
 */
struct vgpu_compression_counts {
	u64 metadata_hits;
	u64 metadata_misses;
	u64 exceptions;
	u64 overflows;
};

const struct vgpu_compression_counts *vgpu_as_compression(const struct vgpu_address_space *as);
struct vgpu_line_traffic;
/**
 * vgpu_mmu_line - what an access of the memory controller to a line of 128 bytes costs
 * (compressed.c)
 * @number: of the frame, in use
 * @line: in it
 * @halves: bit n: the n-th 64 bytes of it
 * @write: they have been written: the page may be laid out anew
 */
void vgpu_mmu_line(struct vgpu_mmu *mmu, u64 number, u32 line, u32 halves, bool write,
		   struct vgpu_line_traffic *traffic);
/** vgpu_as_managed_bytes - of all its managed mappings, touched or not */
u64 vgpu_as_managed_bytes(const struct vgpu_address_space *as);
/** vgpu_as_oversubscribed - has it more managed memory than frames that it may use? (eviction.c) */
bool vgpu_as_oversubscribed(const struct vgpu_address_space *as);
/**
 * vgpu_evict_ahead - make room before somebody needs it (eviction.c; the thesis of ETC, 3.6.2)
 * @fault: its pages have got room just now, and are on their way
 * @bytes: where less than that are free
 *
 * A unit of the pages of its own context goes. Nobody waits for it, but who needs these frames, or
 * what was in them, before what was written there has crossed the interconnect. A context has one
 * such eviction in flight at a time.
 */
void vgpu_evict_ahead(const struct vgpu_page_fault *fault, u64 bytes);
/* vgpu_as_managed_mapping - the first address of the managed mapping at @address; 0: none */
u64 vgpu_as_managed_mapping(const struct vgpu_address_space *as, u64 address);
/* vgpu_as_may_advise - are these whole pages of one managed mapping? (advice.c) */
bool vgpu_as_may_advise(const struct vgpu_address_space *as, u64 address, u64 bytes);
/* vgpu_as_is_managed - is the page at @address managed memory? */
bool vgpu_as_is_managed(const struct vgpu_address_space *as, u64 address);
/** vgpu_as_faults - the faults of SMs in @as */
const struct vgpu_fault_space *vgpu_as_faults(const struct vgpu_address_space *as);
/** vgpu_as_translations - what SMs did not have in their TLBs */
const struct vgpu_translations *vgpu_as_translations(const struct vgpu_address_space *as);
/** struct vgpu_migrated - what managed pages of an address space have moved so far */
struct vgpu_migrated {
	u64 to_device;		/* bytes over the interconnect */
	u64 to_host;		/* the same, of pages that the device had written */
	u64 evicted;		/* pages that went to make room */
	u64 ahead;		/* of these, those that went before room was needed */
	u64 refaults;		/* of these, those that came again, each time */
};

const struct vgpu_migrated *vgpu_as_migrated(const struct vgpu_address_space *as);
/**
 * vgpu_as_fetch - a process accesses the managed page at @address (managed.c)
 * @write: it writes
 * @first, @bytes: pages around it in its granule that the host has
 * @writable: out: the host may let processes write these. May be NULL
 *
 * 0: until revoke() the host may let processes access these; -EAGAIN: it is on its way, call again
 * when time has passed; -EFAULT: it is not managed; -ENOMEM.
 */
int vgpu_as_fetch(struct vgpu_address_space *as, u64 address, bool write, u64 *first, u64 *bytes,
		  bool *writable);
/** vgpu_as_ahead - as vgpu_managed_ahead() (managed.c) */
u64 vgpu_as_ahead(struct vgpu_address_space *as, u64 address);
/** vgpu_as_advise - as vgpu_managed_advise_part() (advice.c) */
int vgpu_as_advise(struct vgpu_address_space *as, u64 address, u64 bytes, u32 advice, u64 most,
		   u64 *done);
/**
 * vgpu_as_prefetch - begin to bring pages to one side, managed or of the process (prefetch.c)
 * @address: of the first page
 * @last: of the last byte at most
 * @next: out: where to go on
 *
 * OK: the pages up to *next are there; PENDING: @waiter waits for one of them, go on afterwards;
 * FAULT: @address is neither, or no memory is left.
 */
enum vgpu_access_result vgpu_as_prefetch(struct vgpu_address_space *as, u64 address, u64 last,
					 bool to_device, struct vgpu_page_waiter *waiter,
					 u64 *next);
u64 vgpu_as_resident_bytes(const struct vgpu_address_space *as);
/*
 * Bytes of managed memory in VRAM, and on the host. Pages that both sides read are in both; what
 * nobody has touched is in neither; a page that moves is where it was until it has arrived.
 */
u64 vgpu_as_managed_resident(const struct vgpu_address_space *as);
u64 vgpu_as_managed_on_host(const struct vgpu_address_space *as);
/*
 * Is all of its device memory where it is, while SMs use it? Then nothing that an SM does changes
 * what others know of its pages. Once a page has been read before it was written it is not so: who
 * writes it takes the page of zeros from those who have read it. Of memory of the process no TLB
 * and no cache has anything, so it makes no difference whether there may be some.
 */
bool vgpu_as_stays(const struct vgpu_address_space *as);
/*
 * Is [@first, @last] device memory? Then a translation of it leads to a frame or to the page of
 * zeros, or there is no frame left. Nothing that an SM does changes the answer.
 */
bool vgpu_as_is_device(const struct vgpu_address_space *as, u64 first, u64 last);
/*
 * How often translations have been taken back. As long as it stays the same, every translation that
 * was given out since holds, also one that its TLB has replaced. Any thread.
 */
u64 vgpu_as_changes(const struct vgpu_address_space *as);
enum vgpu_page_state vgpu_as_page_state(const struct vgpu_address_space *as, u64 address);
/** vgpu_as_frame_number - the number of the frame of the page at @address; 0: it has none */
u64 vgpu_as_frame_number(const struct vgpu_address_space *as, u64 address);
/**
 * vgpu_as_flush - somebody else than SMs is about to use the bytes of the page at @address
 * @write: they are written
 *
 * Does something with caches only (struct vgpu_cache_ops).
 */
void vgpu_as_flush(const struct vgpu_address_space *as, u64 address, bool write);
/** vgpu_as_frame - the frame of the page at @address; NULL: it has none */
const struct vgpu_frame *vgpu_as_frame(const struct vgpu_address_space *as, u64 address);

/**
 * vgpu_as_translate - find the bytes of a page, at the user level
 * @address: any address inside the page
 * @write: the access writes: a page that was never written gets its frame now
 * @page: start of the 4 KB of the page in the memory of this program
 *
 * A read of a page that was never written returns a shared page of zeros, which must not be
 * written. A translation (for reading, or for writing) is valid until it is invalidated in the TLBs
 * that serve the address space: a caller may store it only in a TLB.
 */
enum vgpu_translation vgpu_as_translate(struct vgpu_address_space *as, u64 address, bool write,
					u8 **page);

/**
 * vgpu_tlb_serve - let @tlb hold translations of @as
 *
 * This flushes the TLB, unless it serves @as already.
 */
void vgpu_tlb_serve(struct vgpu_tlb *tlb, struct vgpu_address_space *as);

#endif

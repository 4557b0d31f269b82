/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The frames of VRAM: a table with an entry for each frame in use, numbered from 1. Memory for an
 * entry is allocated on its first use, so a new device of any size has an empty table. The bytes of
 * a frame come from the host, one call each.
 *
 * Managed pages that may be evicted are listed for each address space, in the order in which they
 * came and in that of their last use; those that shall be on the device (advice.h) apart from the
 * others. Evictors (placement.h) choose among them.
 */
#ifndef VGPU_FRAMES_H
#define VGPU_FRAMES_H

#include "../compression/lcp.h"
#include "../compression/metadata.h"
#include "../platform.h"
#include "../sim/list.h"

struct vgpu_address_space;

/**
 * struct vgpu_resident - the managed pages of an address space that are on the device
 * @node: in vgpu_frame_table.residents while one of them may be evicted
 * @by_arrival, @by_use: those that may be evicted: the one that came, was used, first is the first.
 *   Of pages that are not preferred, and of those that are
 * @frames: that they have
 * @units: of VGPU_LCP_UNIT bytes of VRAM, that what is in these takes
 * @compressed: of these frames, those whose pages are compressed
 * @arriving: units that are reserved for further pages, without a frame
 */
struct vgpu_resident {
	struct vgpu_list node;
	struct vgpu_list by_arrival[2];
	struct vgpu_list by_use[2];
	u64 frames;
	u64 units;
	u64 compressed;
	u64 arriving;
};

/**
 * struct vgpu_compressed - a managed page that came while its context compresses (compressed.c)
 * @lcp: its layout in VRAM. The bytes that this program has of it are not compressed
 * @node: in vgpu_frame_table.to_check, while it may have been written since that was looked at
 */
struct vgpu_compressed {
	struct vgpu_lcp lcp;
	struct vgpu_list node;
	struct vgpu_frame *frame;
};

/** enum vgpu_frame_state - what a frame holds */
enum vgpu_frame_state {
	VGPU_FRAME_FREE,
	VGPU_FRAME_USED,	/* the page of its owner */
};

/**
 * struct vgpu_frame - a frame, and the page that is in it
 * @memory: its bytes in the memory of this program
 * @next_free: number of the next free frame
 * @resident: of a managed page, whose memory is the host's: those of its owner. NULL: memory is
 *   put_frame()'s to free, and a translation reads nothing of what is behind
 * @owner, @address: address space and virtual address of the page; NULL, 0: of an allocation
 * @used: of a managed page: vgpu_frame_table.clock when it was last translated: the lower, the
 *   older. Hits of TLBs do not count
 * @arrived: of a managed page: the clock when it came
 * @node, @use_node: of a managed page that may be evicted: in by_arrival and by_use of @resident
 * @compressed: of a managed page; NULL: it is as it is
 */
struct vgpu_frame {
	union {
		u8 *memory;
		u64 next_free;
	};
	struct vgpu_resident *resident;
	struct vgpu_address_space *owner;
	u64 address;
	u64 used;
	u64 arrived;
	struct vgpu_list node;
	struct vgpu_list use_node;
	struct vgpu_compressed *compressed;
	u16 pinned;		/* number of pins; a pinned frame is not released */
	u8 state;		/* enum vgpu_frame_state */
	bool dirty;		/* managed: a translation for writing was handed out */
	bool referenced;	/* managed: translated since it came, or since clock passed it */
	bool preferred;		/* managed: its preferred location is the device */
};

/**
 * struct vgpu_frame_ops - source of frames
 * @get_frame: allocate a zeroed, page-aligned frame of VGPU_PAGE_SIZE bytes for a context; NULL:
 *   the host has none
 * @put_frame: free a frame
 * @managed_page and those behind it: as in struct vgpu_host_ops
 */
struct vgpu_frame_ops {
	void *(*get_frame)(void *host, u32 context);
	void (*put_frame)(void *host, void *frame);
	void *(*managed_page)(void *host, u32 context, u64 address);
	void (*revoke)(void *host, u32 context, u64 address, u64 bytes);
	void (*protect)(void *host, u32 context, u64 address, u64 bytes);
	void (*arrived)(void *host, u32 context, u64 address, u64 bytes);
	void (*process_wants)(void *host, u32 context);
	void (*process_hold)(void *host, u32 context);
	void *(*process_page)(void *host, u32 context, u64 address, bool write);
	void (*process_release)(void *host, u32 context);
	void (*allocation_freed)(void *host, u64 owner, u64 bytes);
};

/**
 * struct vgpu_cache_ops - caches that may have newer bytes of frames than @memory has
 * @flush: the bytes of frame @number are used behind the caches from now on, written if @write
 * @forget: the frame is released
 * @replace: a page that was read as zeros gets a frame
 *
 * As vgpu_memsys_flush(), _forget() and _replace() (memsys/memsys.h). device/ connects them.
 */
struct vgpu_cache_ops {
	void (*flush)(void *caches, u64 number, bool write);
	void (*forget)(void *caches, u64 number);
	void (*replace)(void *caches);
};

#define VGPU_FRAME_CHUNK_SHIFT	8u	/* entries of a chunk, 24 KB */
#define VGPU_FRAME_CHUNK	(1u << VGPU_FRAME_CHUNK_SHIFT)

/** struct vgpu_frame_table - frames by number, in chunks that never move */
struct vgpu_frame_table {
	struct vgpu_frame_ops ops;
	void *host;
	struct vgpu_frame **chunks;
	u64 chunks_made;
	u64 chunks_room;
	u64 first_free;		/* number, 0: none */
	u64 numbers;		/* largest number ever used */
	u64 count;		/* in use */
	u64 managed;		/* of these, with managed pages */
	u64 units;		/* of VRAM that managed pages take */
	u64 compressed;		/* frames whose pages are compressed */
	struct vgpu_list to_check;	/* struct vgpu_compressed */
	struct vgpu_metadata_cache *metadata;	/* NULL: nothing was ever compressed */
	u64 clock;		/* of managed pages: advanced by each translation and arrival */
	struct vgpu_list residents;	/* address spaces with pages that may be evicted */
	const struct vgpu_cache_ops *cache_ops;	/* NULL: there are no caches */
	void *caches;
};

static inline struct vgpu_frame *vgpu_frame_at(const struct vgpu_frame_table *table, u64 number)
{
	return &table->chunks[number >> VGPU_FRAME_CHUNK_SHIFT][number & (VGPU_FRAME_CHUNK - 1)];
}

/**
 * vgpu_frame_get - a zeroed frame for the page of @owner at @address
 * @context: context of @owner, for the host
 *
 * Returns its number, 0 if there is none. Numbers are reused, the one released last first.
 */
u64 vgpu_frame_get(struct vgpu_frame_table *table, struct vgpu_address_space *owner, u32 context,
		   u64 address);
/**
 * vgpu_frame_get_managed - the same for a managed page of @resident, whose bytes are @memory
 * @compressed: the frame's from now on, unless there is none; NULL: it is not compressed
 */
u64 vgpu_frame_get_managed(struct vgpu_frame_table *table, struct vgpu_address_space *owner,
			   struct vgpu_resident *resident, u64 address, void *memory,
			   bool preferred, struct vgpu_compressed *compressed);
/** vgpu_frame_resize - the page of @frame, which is compressed, is laid out as @lcp from now on */
void vgpu_frame_resize(struct vgpu_frame_table *table, struct vgpu_frame *frame,
		       const struct vgpu_lcp *lcp);
/** vgpu_frame_units - of VRAM that the managed page of @frame takes */
static inline u32 vgpu_frame_units(const struct vgpu_frame *frame)
{
	return frame->compressed ? frame->compressed->lcp.units : VGPU_LCP_UNITS;
}

/** vgpu_frame_use - the page of frame @number is translated, for writing if @write: its bytes */
u8 *vgpu_frame_use(struct vgpu_frame_table *table, u64 number, bool write);
/** vgpu_frame_flush - somebody else than SMs is about to use the bytes of frame @number */
static inline void vgpu_frame_flush(const struct vgpu_frame_table *table, u64 number, bool write)
{
	if (unlikely(table->cache_ops))
		table->cache_ops->flush(table->caches, number, write);
}

/** vgpu_frame_replace - a page that was read as zeros gets a frame */
static inline void vgpu_frame_replace(const struct vgpu_frame_table *table)
{
	if (unlikely(table->cache_ops))
		table->cache_ops->replace(table->caches);
}

/** vgpu_frame_leaves - the managed page of @frame goes to the host: it is not evicted */
void vgpu_frame_leaves(struct vgpu_frame *frame);
/** vgpu_frame_arrived - the managed page of frame @number stays after all, as if it came now */
void vgpu_frame_arrived(struct vgpu_frame_table *table, u64 number);
/** vgpu_frame_prefer - whether its page is preferred; if that is new it is as if it came now */
void vgpu_frame_prefer(struct vgpu_frame_table *table, u64 number, bool preferred);
/**
 * vgpu_frame_oldest - the frame whose managed page came first, of those that may be evicted
 * @of: of these; NULL: of all address spaces
 * @preferred: of those whose pages are preferred; else of the others
 *
 * NULL: there is none.
 */
struct vgpu_frame *vgpu_frame_oldest(const struct vgpu_frame_table *table,
				     const struct vgpu_resident *of, bool preferred);
/** vgpu_frame_least_used - the same for the one whose last use is longest ago */
struct vgpu_frame *vgpu_frame_least_used(const struct vgpu_frame_table *table,
					 const struct vgpu_resident *of, bool preferred);
/** vgpu_frame_pass - have the managed page of @frame, which may be evicted, as if it came now */
void vgpu_frame_pass(struct vgpu_frame_table *table, struct vgpu_frame *frame);
/** vgpu_resident_init - no page */
void vgpu_resident_init(struct vgpu_resident *resident);
/** vgpu_frame_put - release a frame that is not pinned */
void vgpu_frame_put(struct vgpu_frame_table *table, u64 number);
/** vgpu_frames_init - an empty table; @ops is copied, @host is their argument */
void vgpu_frames_init(struct vgpu_frame_table *table, const struct vgpu_frame_ops *ops, void *host);
/** vgpu_frames_fini - release the table; no frame may be in use */
void vgpu_frames_fini(struct vgpu_frame_table *table);

#endif

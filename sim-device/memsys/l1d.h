/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Inside memsys/: the L1 data cache of an SM, its cache of textures, their MSHRs, the requests that
 * are its own, and its ports of the interconnect. See memsys.h for what it does and when.
 *
 * The cache of textures (config->tex_bytes) is a second store of lines, with the same tags. Only
 * loads of texels look there and bring lines in; stores do not change what it has, so a kernel sees
 * texels as they were when it began, or as they came. All that drops lines of a frame, a context or
 * the whole L1 drops those too.
 *
 * A miss whose line shall enter the cache has an MSHR, with the number of the line in @pending as
 * long as further loads of it may be merged. A store, an atomic or an acquire that comes meanwhile
 * takes the number out: the answer is from before, so it serves those who wait already and does not
 * enter the cache, and a later load sends a request of its own. That one is behind the store on the
 * way to the same partition.
 */
#ifndef VGPU_MEMSYS_L1D_H
#define VGPU_MEMSYS_L1D_H

#include "coherence.h"
#include "request.h"

#define VGPU_L1D_NOTHING	(~0ull)	/* in @pending: no line has this tag */
#define VGPU_L1D_LINE_BITS	40u	/* of a tag: number of a line in 47 bits of address */
#define VGPU_L1D_GENERATIONS	(1ull << (64 - VGPU_L1D_LINE_BITS))

/**
 * struct vgpu_l1d_way - beside its tag, what is known of a line in the cache
 * @used: clock when it was used last
 * @physical: as in struct vgpu_mem_request
 * @stamp: the protocol's
 */
struct vgpu_l1d_way {
	u64 used;
	u64 physical;
	u64 stamp;
};

/**
 * struct vgpu_l1d - one L1
 * @context, @generation: whose accesses are made now
 * @known: contexts whose lines may be there, kernels_per_sm of them: each has a generation of its
 *   own, which no other has or had. @known_turn: the next that is replaced
 * @last_generation: the newest
 * @tags: sets of @ways: generation << 40 | line. Only lines of known generations are there. From
 *   @tex_first on those of the cache of textures, in @tex_sets of @tex_ways
 * @lines: of both
 * @way: the same
 * @data: the same, VGPU_LINE bytes each
 * @clock: counts uses, for LRU
 * @pending: tag of the line that MSHR n may still be asked for, VGPU_L1D_NOTHING: none, or free
 * @miss: request of MSHR n; NULL: it is free
 * @queued: requests in flight that have no MSHR: config->l1_queue at most
 * @requests, @free: the pool
 * @payloads, @free_payload: of atomics, a stack
 * @in_flight: requests in the order of their calls, fences too: a fence is done when it is first
 * @outbox: sent, not at L2 yet, in the order of arrival
 * @inbox: responses
 * @out, @in: ports
 * @came: cycle of the last response
 * @deliver: merged requests that have the data of the last response
 * @returned: belongs to the last response that the SM saw
 * @merging: place in memsys->senders, ~0: not there
 * @stores, @cycles: accesses that have ended; @cycles of all together, by kind
 * @flits: sent, by class
 */
struct vgpu_l1d {
	struct vgpu_memsys *memsys;
	u32 sm;
	u32 context;
	u32 sets;
	u32 ways;
	u32 tex_first;
	u32 tex_sets;
	u32 tex_ways;
	u32 lines;
	u64 generation;
	struct {
		u32 context;
		u64 generation;		/* 0: free */
	} known[VGPU_SM_KERNELS_MOST];
	u32 known_turn;
	u64 last_generation;
	u64 *tags;
	struct vgpu_l1d_way *way;
	u8 *data;
	u64 clock;
	u64 *pending;
	struct vgpu_mem_request **miss;
	u32 misses;
	u32 queued;
	struct vgpu_mem_request *requests;
	struct vgpu_mem_request *free;
	struct vgpu_mem_atomic *payloads;
	struct vgpu_mem_atomic **free_payload;
	u32 free_payloads;
	struct vgpu_list in_flight;
	struct vgpu_mem_queue outbox;
	struct vgpu_mem_heap inbox;
	u64 out;
	u64 in;
	u64 came;
	struct vgpu_mem_request *deliver;
	struct vgpu_mem_request *returned;
	struct vgpu_mem_response response;
	u32 merging;
	u64 hits;
	u64 missed;
	u64 merged;
	u64 busy;
	u64 stores;
	u64 cycles[VGPU_MEM_KINDS];
	u64 flits[VGPU_MEM_CLASSES];
};

/* An access of @kind has ended after @cycles. */
static inline void vgpu_l1d_count(struct vgpu_l1d *l1, struct vgpu_counters *counters, u32 kind,
				  u64 cycles)
{
	l1->cycles[kind] += cycles;
	l1->stores += kind == VGPU_MEM_STORE;
	if (likely(!counters))
		return;
	vgpu_count(counters, (enum vgpu_counter)(VGPU_COUNT_LOAD_TIME + kind), cycles);
	vgpu_count(counters, VGPU_COUNT_STORES, kind == VGPU_MEM_STORE);
}

/* l1d.c: -ENOMEM, and then vgpu_l1d_fini() has to be called */
int vgpu_l1d_init(struct vgpu_l1d *l1, struct vgpu_memsys *memsys, u32 sm);
void vgpu_l1d_fini(struct vgpu_l1d *l1);
/* l1d.c: the place of @line in the cache, ~0: it is not there; in that of textures */
u32 vgpu_l1d_find(const struct vgpu_l1d *l1, u64 line);
u32 vgpu_l1d_find_texel(const struct vgpu_l1d *l1, u64 line);
/* l1d.c: @line has come for @request: it replaces the line of its set that was used longest ago */
void vgpu_l1d_enter(struct vgpu_l1d *l1, const struct vgpu_mem_request *request);
/* l1d.c: @line of the present context */
u64 vgpu_l1d_tag(const struct vgpu_l1d *l1, u64 line);
/* l1d.c: @context acquires: none of its lines is there any more */
void vgpu_l1d_acquire(struct vgpu_l1d *l1, u32 context);
/* l1d.c: drop @line, and have what is in flight not enter */
void vgpu_l1d_drop(struct vgpu_l1d *l1, u64 line);
/* l1d.c: the same for all lines of a frame, and for the one in a frame */
void vgpu_l1d_drop_frame(struct vgpu_l1d *l1, u64 frame);
void vgpu_l1d_drop_physical(struct vgpu_l1d *l1, u64 physical);
/* l1d.c: of @line, which may be asked for; ~0: none */
u32 vgpu_l1d_find_pending(const struct vgpu_l1d *l1, u64 line);

/* l1d_access.c: a request for @access, from the pool, which has one; it is in flight */
struct vgpu_mem_request *vgpu_l1d_request(struct vgpu_l1d *l1,
					  const struct vgpu_mem_access *access, u32 use);
/* l1d.c: return @request to the pool */
void vgpu_l1d_free(struct vgpu_l1d *l1, struct vgpu_mem_request *request);

#endif

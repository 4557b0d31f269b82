/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Inside memsys/: the whole hierarchy: L1s, partitions of L2 with their channels of DRAM, and the
 * one event that has requests handled. See memsys.h.
 */
#ifndef VGPU_MEMSYS_HIERARCHY_H
#define VGPU_MEMSYS_HIERARCHY_H

#include "coherence.h"
#include "l1d.h"
#include "request.h"

struct vgpu_coherent;

#define VGPU_FRAME_LINE_BITS	(VGPU_PAGE_SHIFT - VGPU_LINE_SHIFT)
#define VGPU_FRAME_LINES	(1u << VGPU_FRAME_LINE_BITS)
#define VGPU_MESSAGES		256u	/* of a protocol, in flight at a time */

/**
 * struct vgpu_l2_line - beside its tag and its data, what L2 knows of a line
 * @ready: cycle in which what was read from DRAM is there
 * @valid: bytes that are there: all, or those that have been stored
 * @dirty: of these, those that DRAM does not have
 * @bytes: the line in its frame
 * @reader: the request that had it read; of use only before @ready
 * @stamp: the protocol's
 */
struct vgpu_l2_line {
	u64 ready;
	u64 valid[2];
	u64 dirty[2];
	u8 *bytes;
	struct vgpu_mem_request *reader;
	u64 stamp;
};

/**
 * struct vgpu_partition - a part of L2 and the channel of DRAM behind it
 * @tags: sets of config->l2_ways: physical line + 1; 0: nothing there
 * @used: the same: clock when it was used last
 * @in_frames: the bytes of lines are those of their frames: there is no @data
 * @lines, @data: the same
 * @free: cycle in which the next request can be looked up
 * @misses: a ring of @mshrs: when the reads that are in flight end, in the order of time, because
 *   the channel is one
 * @hits, @reads: requests whose response is ready at @at, which grows: those that L2 had, those
 *   that wait for a read. Who waits for the read of another follows that one
 * @in, @out, @channel: ports
 * @flits: sent, by class
 */
struct vgpu_partition {
	u64 *tags;
	u64 *used;
	struct vgpu_l2_line *lines;
	u8 *data;
	bool in_frames;
	u64 clock;
	u64 free;
	u64 *misses;
	u32 mshrs;
	u32 first_miss;
	u32 miss_count;
	struct vgpu_mem_queue hits;
	struct vgpu_mem_queue reads;
	u64 in;
	u64 out;
	u64 channel;
	u64 hit_count;
	u64 miss_total;
	u64 stalled;
	u64 atomics;
	u64 read_bytes;
	u64 written_bytes;
	u64 flits[VGPU_MEM_CLASSES];
};

/**
 * struct vgpu_memsys - the hierarchy
 * @use: enum vgpu_l1_use by kind and mem byte, as @protocol has said
 * @sm_costs, @l2_costs: of ports, for a header and so many sectors
 * @sector_parts: parts of a cycle that a channel needs for a sector
 * @fold: bits of the number of partitions if that is a power of two, else 0
 * @senders: L1s with an outbox that has been submitted, a heap by (arrival of the first, SM)
 * @delayed: requests that the protocol wants to see again
 * @event: some request has to be handled, or some response to be sent
 * @seq: counts what enters heaps
 * @coherent: the protocol is a table (coherent/coherent.h); NULL: it is @protocol
 */
struct vgpu_memsys {
	struct vgpu_sim *sim;
	const struct vgpu_config *config;
	const struct vgpu_coherence_ops *protocol;
	const struct vgpu_memsys_ops *ops;
	void *owner;
	const u64 *compressed;	/* frames of which @ops->line() is asked; NULL: of none */
	u8 use[VGPU_MEM_FENCE + 1][256];
	struct vgpu_mem_costs sm_costs;
	struct vgpu_mem_costs l2_costs;
	u32 sector_parts;
	u32 fold;
	u32 sets;		/* of a partition */
	struct vgpu_l1d *l1s;
	struct vgpu_partition *partitions;
	struct vgpu_l1d **senders;
	u32 sender_count;
	struct vgpu_mem_heap delayed;
	struct vgpu_event event;
	bool reserved;		/* room for @event */
	u64 seq;
	struct vgpu_mem_request *messages;
	struct vgpu_mem_request *free_message;
	struct vgpu_coherent *coherent;
};

/* memsys.c: L2 handles what has arrived by the present time */
void vgpu_memsys_catch_up(struct vgpu_memsys *memsys);
/* memsys.c: the event comes at @cycle at the latest */
void vgpu_memsys_expect(struct vgpu_memsys *memsys, u64 cycle);
/* flush.c: @request takes effect in its frame; the same for all that are on their way to @frame */
void vgpu_memsys_apply_one(struct vgpu_mem_request *request);
void vgpu_memsys_apply(struct vgpu_memsys *memsys, u64 frame);
/* memsys.c: @response, whose @at is set, is on its way to its L1 */
void vgpu_memsys_respond(struct vgpu_memsys *memsys, struct vgpu_mem_request *response);

/*
 * memsys.c: for protocols: send @stamp to the L1 of SM @sm, about line @physical, from L2 at
 * @cycle, which is that of the operation. Returns 0, or -ENOMEM: VGPU_MESSAGES are in flight; then
 * before() should delay.
 */
int vgpu_memsys_message(struct vgpu_memsys *memsys, u32 sm, u64 physical, u64 stamp, u64 cycle);
void vgpu_memsys_free_message(struct vgpu_memsys *memsys, struct vgpu_mem_request *message);

/* partition.c: -ENOMEM, and then vgpu_partition_fini() has to be called */
int vgpu_partition_init(struct vgpu_memsys *memsys, struct vgpu_partition *p);
void vgpu_partition_fini(struct vgpu_partition *p);
/* partition.c: of @physical */
struct vgpu_partition *vgpu_partition_of(struct vgpu_memsys *memsys, u64 physical);
/* partition.c: the place of @physical in @p, ~0: it is not there */
u32 vgpu_partition_find(const struct vgpu_memsys *memsys, const struct vgpu_partition *p,
			u64 physical);
/* partition.c: @request has arrived: it takes effect, and its response becomes ready */
void vgpu_partition_handle(struct vgpu_memsys *memsys, struct vgpu_mem_request *request);
/* partition.c: @request will be handled soon: have the processor fetch what that touches */
void vgpu_partition_prefetch(struct vgpu_memsys *memsys, const struct vgpu_mem_request *request);
/*
 * partition.c: for tables: the first of the set of @physical; @request takes effect on @data, and
 * has written line @at; line @at is read at @cycle, returns when it is there; @sectors are written
 * back for the line of @request, which may be NULL; @request's response is ready at @ready
 */
u32 vgpu_partition_set(const struct vgpu_memsys *memsys, u64 physical);
void vgpu_partition_take_effect(struct vgpu_mem_request *request, u8 *data);
void vgpu_partition_write(const struct vgpu_memsys *memsys, struct vgpu_partition *p, u32 at,
			  const struct vgpu_mem_request *request, u64 cycle);
u64 vgpu_partition_read(const struct vgpu_memsys *memsys, struct vgpu_partition *p, u32 at,
			u64 cycle);
void vgpu_partition_write_back(const struct vgpu_memsys *memsys, struct vgpu_partition *p,
			       const struct vgpu_mem_request *request, u32 sectors, u64 cycle);
void vgpu_partition_end(struct vgpu_mem_request *request, struct vgpu_mem_queue *queue, u64 ready);
u32 vgpu_partition_atomic_cycles(const struct vgpu_mem_atomic *atomic);
/* partition.c: send responses that are ready at @cycle; returns when the next is, or VGPU_NEVER */
u64 vgpu_partition_send(struct vgpu_memsys *memsys, struct vgpu_partition *p, u64 cycle);
/*
 * partition.c: the dirty bytes of line @at go to its frame. Returns the sectors that cross its
 * channel for that
 */
u32 vgpu_partition_clean(const struct vgpu_memsys *memsys, struct vgpu_partition *p, u32 at);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * The memory of a pool in one context: chunks of device memory, each cut into pieces that are used
 * or free.
 *
 * A free piece may still be used by work that was submitted before it was freed. The work is named
 * by the last command of it, in one queue; commands of that queue come after it, those of others
 * have to wait for it. Neighbours that are free, and wait for the same queue or for none, are one
 * piece.
 *
 * All with the lock held. Nothing here waits; chunks are got and given back by pool.c.
 */
#ifndef VGPU_RT_POOL_STORE_H
#define VGPU_RT_POOL_STORE_H

#include "state.h"

/* CUDA's: what is allocated from a pool is counted in units of this. */
#define RT_POOL_UNIT	512u

/** struct rt_use - work that uses a piece; queue NULL: none does */
struct rt_use {
	struct rt_queue *queue;
	uint64_t epoch;			/* of the queue; after that one all of it is done */
	uint64_t seq;
};

bool rt_use_is_over(const struct rt_use *use);

struct rt_chunk;

struct rt_piece {
	struct rt_piece *next_hash;	/* used ones, by address */
	struct rt_piece *before, *after;	/* its neighbours in the chunk */
	struct rt_piece *free_before, *free_after;	/* free ones of the store */
	struct rt_chunk *chunk;
	uint64_t address, bytes;
	bool free;
	struct rt_use use;		/* of a free one */
};

/** struct rt_store - the memory of one pool in a context; all zero is an empty one */
struct rt_store {
	struct rt_chunk *chunks;
	struct rt_piece *free;
	uint64_t live;			/* used pieces */
	uint64_t used;			/* bytes */
	uint64_t reserved;		/* bytes of all chunks */
};

/* How a free piece may be had */
enum rt_had {
	RT_HAD_NOW,			/* nothing uses it, or only what @queue has */
	RT_HAD_LATER,			/* @queue waits first for what uses it */
};

/* The smallest free piece of at least @bytes; NULL: there is none. */
struct rt_piece *rt_store_find(struct rt_store *store, uint64_t bytes,
			       const struct rt_queue *queue, enum rt_had had);
/*
 * Use the first @bytes of free @piece, the rest is another free one. Returns it; NULL: no memory of
 * the process.
 */
struct rt_piece *rt_store_take(struct rt_store *store, struct rt_piece *piece, uint64_t bytes);
/* @piece, which is used, is free, once @use is over. */
void rt_store_free(struct rt_store *store, struct rt_piece *piece, const struct rt_use *use);
/* A chunk that the caller has got is one free piece. NULL: no memory of the process. */
struct rt_piece *rt_store_add(struct rt_store *store, uint64_t address, uint64_t bytes);
/* Forget what uses free pieces as far as it is over. */
void rt_store_settle(struct rt_store *store);
/* Some work that uses a free piece; false: none does. */
bool rt_store_busy(const struct rt_store *store, struct rt_use *use);
/* The last command of use->queue that uses a free piece, as far as it is not over; false: none. */
bool rt_store_last_use(const struct rt_store *store, struct rt_use *use);
/*
 * Take a chunk out that nothing uses and that has no used piece. False: there is none. The caller
 * gives @address back.
 */
bool rt_store_remove_idle(struct rt_store *store, uint64_t *address);
/* The device memory of all of it is gone. */
void rt_store_forget(struct rt_store *store);

/* Of any store: the store of the used piece that begins at @address, which is in @piece; or NULL */
struct rt_store *rt_store_of(uint64_t address, struct rt_piece **piece);
/*
 * The allocation of the current context that @address is in, of a pool or not. False: it is in
 * none.
 */
bool rt_memory_find(uint64_t address, uint64_t *base, uint64_t *bytes);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * What a pool has in each context of its device: a store (pool_store.h) for each. All with the lock
 * held.
 */
#ifndef VGPU_RT_POOL_PARTS_H
#define VGPU_RT_POOL_PARTS_H

#include "by_context.h"
#include "pool_store.h"

struct rt_pool;

/** struct rt_part - the memory that a pool has in one context */
struct rt_part {
	struct rt_store store;		/* first: what rt_store_of() finds */
	struct rt_pool *pool;
	struct rt_state *context;	/* NULL: it has none, or that was closed */
};

/* The next part from context *@number on, which becomes the one behind; or NULL */
struct rt_part *rt_part_next(const struct rt_by_context *parts, unsigned int *number);

#define RT_FOR_EACH_PART(part, parts) \
	for (unsigned int number_ = 0; ((part) = rt_part_next((parts), &number_));)

/* Bytes of all parts, of what is allocated and of all chunks. */
uint64_t rt_parts_used(const struct rt_by_context *parts);
uint64_t rt_parts_reserved(const struct rt_by_context *parts);
/* That of the current context, of @pool; NULL: no memory of the process. */
struct rt_part *rt_part_here(struct rt_by_context *parts, struct rt_pool *pool);
/* The same if there is one already, or NULL. */
struct rt_part *rt_part_used(const struct rt_by_context *parts);
/* Its context was closed. */
void rt_part_forget(struct rt_part *part);

#endif

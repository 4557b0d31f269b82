/* SPDX-License-Identifier: MIT */
/*
 * Pools of memory and stream-ordered allocation, for both front ends.
 *
 * A pool gets device memory in chunks and allocates pieces of them, at once, which is earlier than
 * the stream asks for. Nobody waits when one is freed: it is used again by what comes behind in its
 * stream, and by others when the stream has got there. A pool holds what is free until the program
 * waits for a stream, an event or the device: then chunks that nothing uses are given back while
 * more than its release threshold is reserved. Bytes are counted in units of 512.
 *
 * Pools are of a device; what is allocated from one is memory of the context that is current.
 */
#ifndef VGPU_RT_POOL_H
#define VGPU_RT_POOL_H

#include "state.h"

/* A cudaMemPool_t and a CUmemoryPool. Handles come from the program: unknown ones are refused. */
struct rt_pool;

/** struct rt_pool_name - which it is to other processes; random, or 0: it is of this one alone */
struct rt_pool_name {
	uint64_t bits[2];
};

/* CUDA's numbers, cudaMemPoolAttr and CUmemPool_attribute; the value is an int or a uint64_t. */
enum rt_pool_attribute {
	RT_POOL_REUSE_BY_EVENTS = 1,	/* int, as the next two; remembered, and nothing follows */
	RT_POOL_REUSE_IF_DONE,		/* what other streams have done with */
	RT_POOL_REUSE_WITH_WAITS,	/* what they use still, where there is no other memory */
	RT_POOL_THRESHOLD,		/* uint64_t, as all that follow; bytes */
	RT_POOL_RESERVED,
	RT_POOL_RESERVED_HIGH,		/* can be set to 0 */
	RT_POOL_USED,
	RT_POOL_USED_HIGH,		/* can be set to 0 */
};

/* CUDA's numbers, cudaMemAccessFlags and CUmemAccess_flags */
#define RT_POOL_NO_ACCESS	0
#define RT_POOL_READ_WRITE	3

/** struct rt_pool_access - as cudaMemAccessDesc and CUmemAccessDesc have it */
struct rt_pool_access {
	int type;			/* of the location */
	int device;
	int flags;
};

/* ---- for front ends, which hold no lock: vgpuErrorInvalidValue for what is no pool ---- */

/* The default one of a device, or the one @chosen for its allocations. */
vgpuError_t rt_pool_of(int device, bool chosen, struct rt_pool **out);
vgpuError_t rt_pool_choose(int device, struct rt_pool *pool);
/* @most: bytes that it may reserve; 0: no limit. */
vgpuError_t rt_pool_create(int device, uint64_t most, struct rt_pool **out);
/* It ends with its last allocation. */
vgpuError_t rt_pool_destroy(struct rt_pool *pool);
/* Gives back what it holds until no more than @keep bytes are reserved. */
vgpuError_t rt_pool_trim(struct rt_pool *pool, uint64_t keep);
vgpuError_t rt_pool_set(struct rt_pool *pool, int attribute, const void *value);
vgpuError_t rt_pool_get(struct rt_pool *pool, int attribute, void *value);
/*
 * A pool's own device has access, whatever is said, and no other can get it: vgpuErrorNotSupported.
 */
vgpuError_t rt_pool_set_access(struct rt_pool *pool, const struct rt_pool_access *list,
			       size_t count);
vgpuError_t rt_pool_get_access(struct rt_pool *pool, int device, int *flags);
/* @pool is new. @imported: nothing can be allocated from it. */
void rt_pool_set_name(struct rt_pool *pool, const struct rt_pool_name *name, bool imported);
/* And its device; false: it is no pool, or has no name. */
bool rt_pool_name(struct rt_pool *pool, struct rt_pool_name *name, int *device);
/* @pool: NULL: the current device's; else one of that device. */
vgpuError_t rt_pool_alloc(void **pointer, size_t bytes, struct rt_pool *pool, vgpuStream_t stream);

/* ---- for memory.c and contexts.c, with the lock held, of the current context ---- */

/* The program has waited: chunks that nothing uses are given back, down to the thresholds. */
void rt_pools_settle(void);
/* The context was closed, and its memory is gone. */
void rt_pools_forget(void);
/*
 * Waits for what uses free memory, in all contexts of the device, and gives all of it back; false:
 * there is none.
 */
bool rt_pools_release(void);
/* Is it an allocation from a pool, of any context? */
bool rt_pool_has(const void *pointer);
/* The pool of an allocation that is not freed has a name, which is copied. */
bool rt_pool_name_of(const void *pointer, struct rt_pool_name *name);
/* Frees one, which nothing uses any more. vgpuErrorInvalidValue: it is none, or was freed. */
vgpuError_t rt_pool_free(const void *pointer);
/* The same when @stream has done what it has now; does not wait for that. */
vgpuError_t rt_pool_free_later(const void *pointer, struct vgpuStream *stream);

#endif

// SPDX-License-Identifier: MIT
/*
 * Pools of memory and stream-ordered allocation. See pool.h.
 */
#include <stdlib.h>
#include <string.h>

#include "pool.h"
#include "sanitizer/sanitizer.h"

#define UNIT	256u
#define BUCKETS	1024u
#define DEVICE_MEMORY	1	/* the type of a location: cudaMemLocationTypeDevice */

struct block {
	struct block *next;		/* in its bucket */
	struct block *next_held;
	struct rt_pool *pool;
	uint64_t address, bytes;
	bool held;			/* freed, and not given back */
};

struct rt_pool {
	struct rt_pool *next;
	struct rt_state *device;
	uint64_t generation;		/* of the context that has what follows */
	struct block *held;
	uint64_t live;			/* allocations */
	uint64_t used, used_high;	/* bytes */
	uint64_t reserved, reserved_high;	/* bytes, used and held */
	uint64_t threshold;
	uint64_t most;			/* reserved bytes; 0: no limit */
	int reuse[3];
	struct rt_pool_name name;
	bool imported;			/* of another process (pool_share.c) */
	bool destroyed;			/* for the program; ends with its last allocation */
};

/* With the lock held, all of them. */
static struct rt_pool default_pools[RT_DEVICES];
static struct rt_pool *chosen_pools[RT_DEVICES];	/* NULL: the default one */
static struct rt_pool *made_pools;
static struct block *blocks[BUCKETS];	/* by address */

static bool pool_device(int device)
{
	return device >= 0 && (unsigned int)device < rt_device_count();
}

static struct block **bucket(uint64_t address)
{
	return &blocks[(address / UNIT) * 0x9e3779b97f4a7c15ull >> 54];
}

static struct block *block_at(uint64_t address)
{
	struct block *block = *bucket(address);

	while (block && block->address != address)
		block = block->next;
	return block;
}

static void remove_block(struct block *block)
{
	struct block **at = bucket(block->address);

	while (*at != block)
		at = &(*at)->next;
	*at = block->next;
	free(block);
}

static void forget_blocks(struct rt_pool *pool)
{
	pool->held = NULL;
	for (unsigned int i = 0; i < BUCKETS; i++)
		for (struct block *block = blocks[i], *next; block; block = next) {
			next = block->next;
			if (block->pool == pool)
				remove_block(block);
		}
}

/* A reset has ended all memory of the pool's device. */
static void refresh(struct rt_pool *pool)
{
	if (pool->generation == pool->device->generation)
		return;
	pool->generation = pool->device->generation;
	forget_blocks(pool);
	pool->live = pool->used = pool->used_high = pool->reserved = pool->reserved_high = 0;
}

static void pool_init(struct rt_pool *pool, struct rt_state *device)
{
	*pool = (struct rt_pool){
		.device = device, .generation = device->generation, .reuse = { 1, 1, 1 }
	};
}

static struct rt_pool *default_pool(int device)
{
	struct rt_pool *pool = &default_pools[device];

	if (!pool->device)
		pool_init(pool, &rt_devices[device]);
	return pool;
}

static struct rt_pool *current_pool(int device)
{
	return chosen_pools[device] ? chosen_pools[device] : default_pool(device);
}

/* Handles come from the program: they are compared, not followed. */
static bool pool_known(struct rt_pool *handle)
{
	for (unsigned int i = 0; i < RT_DEVICES; i++)
		if (handle == &default_pools[i])
			return handle->device;
	for (struct rt_pool *pool = made_pools; pool; pool = pool->next)
		if (pool == handle)
			return !pool->destroyed;
	return false;
}

/* For calls that need no device. The lock is held when this succeeds. */
static vgpuError_t pool_enter(struct rt_pool *handle)
{
	pthread_mutex_lock(&rt_lock);
	if (pool_known(handle)) {
		refresh(handle);
		return vgpuSuccess;
	}
	pthread_mutex_unlock(&rt_lock);
	return rt_result(vgpuErrorInvalidValue);
}

static vgpuError_t pool_leave(vgpuError_t error)
{
	pthread_mutex_unlock(&rt_lock);
	return rt_result(error);
}

/* ---- memory ------------------------------------------------------------- */

/* Gives back held blocks until no more than @keep bytes are reserved. Of the current device. */
static vgpuError_t trim(struct rt_pool *pool, uint64_t keep)
{
	vgpuError_t error = vgpuSuccess;

	while (pool->held && pool->reserved > keep && error == vgpuSuccess) {
		struct block *block = pool->held;

		pool->held = block->next_held;
		pool->reserved -= block->bytes;
		error = rt_alloc_free(block->address);
		remove_block(block);
	}
	return error;
}

/* The same of the pool's device, which may be closed: then there is nothing to give back. */
static vgpuError_t trim_there(struct rt_pool *pool, uint64_t keep)
{
	struct rt_state *before = rt_current;
	vgpuError_t error = vgpuSuccess;

	rt_current = pool->device;
	if (rt.phase == RT_READY && rt.sticky == vgpuSuccess)
		error = trim(pool, keep);
	rt_current = before;
	return error;
}

static void destroy_when_empty(struct rt_pool *pool)
{
	struct rt_pool **at = &made_pools;

	if (!pool->destroyed || pool->live)
		return;
	/* of a context that is dead */
	if (pool->held)
		forget_blocks(pool);
	while (*at != pool)
		at = &(*at)->next;
	*at = pool->next;
	free(pool);
}

static bool release_held(struct rt_pool *pool)
{
	uint64_t before;

	refresh(pool);
	before = pool->reserved;
	trim(pool, 0);
	return pool->reserved < before;
}

bool rt_pools_release(void)
{
	bool released = release_held(default_pool(rt_device()));

	for (struct rt_pool *pool = made_pools; pool; pool = pool->next)
		if (pool->device == rt_current)
			released |= release_held(pool);
	return released;
}

/* The smallest held block that is large enough, and not more than twice as large. */
static struct block *held_block(struct rt_pool *pool, uint64_t bytes)
{
	struct block **best = NULL, *block;

	for (struct block **at = &pool->held; *at; at = &(*at)->next_held)
		if ((*at)->bytes >= bytes && (*at)->bytes / 2 <= bytes &&
		    (!best || (*at)->bytes < (*best)->bytes))
			best = at;
	if (!best)
		return NULL;
	block = *best;
	*best = block->next_held;
	block->held = false;
	return block;
}

static vgpuError_t new_block(struct rt_pool *pool, uint64_t bytes, struct block **out)
{
	struct block *block, **at;
	uint64_t address;
	vgpuError_t error;

	if (pool->most && bytes > pool->most)
		return vgpuErrorMemoryAllocation;
	if (pool->most && pool->reserved + bytes > pool->most) {
		error = trim(pool, pool->most - bytes);
		if (error != vgpuSuccess)
			return error;
		if (pool->reserved + bytes > pool->most)
			return vgpuErrorMemoryAllocation;
	}
	block = malloc(sizeof(*block));
	if (!block)
		return vgpuErrorMemoryAllocation;
	error = rt_alloc(bytes, false, &address);
	if (error == vgpuErrorMemoryAllocation && rt_pools_release())
		error = rt_alloc(bytes, false, &address);
	if (error != vgpuSuccess) {
		free(block);
		return error;
	}
	at = bucket(address);
	*block = (struct block){ .next = *at, .pool = pool, .address = address, .bytes = bytes };
	*at = block;
	pool->reserved += bytes;
	if (pool->reserved > pool->reserved_high)
		pool->reserved_high = pool->reserved;
	*out = block;
	return vgpuSuccess;
}

static vgpuError_t pool_alloc(struct rt_pool *pool, uint64_t bytes, void **pointer)
{
	uint64_t asked = bytes;
	struct block *block;
	vgpuError_t error = vgpuSuccess;

	if (bytes > UINT64_MAX - UNIT)
		return vgpuErrorMemoryAllocation;
	bytes = (bytes + UNIT - 1) / UNIT * UNIT;
	block = held_block(pool, bytes);
	if (!block)
		error = new_block(pool, bytes, &block);
	if (error != vgpuSuccess)
		return error;
	pool->live++;
	pool->used += block->bytes;
	if (pool->used > pool->used_high)
		pool->used_high = pool->used;
	*pointer = (void *)(uintptr_t)block->address;
	san_allocated(block->address, asked, SAN_MEMORY_DEVICE);
	return vgpuSuccess;
}

/* On the current device; nothing uses the memory any more. */
static vgpuError_t release(struct block *block)
{
	struct rt_pool *pool = block->pool;
	vgpuError_t error;

	san_freed(block->address);
	pool->live--;
	pool->used -= block->bytes;
	block->held = true;
	block->next_held = pool->held;
	pool->held = block;
	error = trim(pool, pool->destroyed ? 0 : pool->threshold);
	destroy_when_empty(pool);
	return error;
}

/* The block at @pointer, of a pool; it may have been freed. With the lock held. */
static struct block *block_of(const void *pointer)
{
	uint64_t address = (uint64_t)(uintptr_t)pointer;
	struct block *block = block_at(address);

	if (!block)
		return NULL;
	refresh(block->pool);
	return block_at(address);
}

bool rt_pool_has(const void *pointer)
{
	return block_of(pointer);
}

vgpuError_t rt_pool_free(const void *pointer)
{
	struct block *block = block_of(pointer);

	return block && !block->held && block->pool->device == rt_current ?
		       release(block) : vgpuErrorInvalidValue;
}

vgpuError_t rt_pool_alloc(void **pointer, size_t bytes, struct rt_pool *pool, vgpuStream_t stream)
{
	vgpuError_t error = rt_enter();
	struct vgpuStream *known;

	if (error != vgpuSuccess)
		return error;
	error = pointer ? rt_stream_of(stream, &known) : vgpuErrorInvalidValue;
	if (error == vgpuSuccess && !pool)
		pool = current_pool(rt_device());
	/* the memory of another device is of no use here */
	if (error == vgpuSuccess &&
	    (!pool_known(pool) || pool->device != rt_current || pool->imported))
		error = vgpuErrorInvalidValue;
	if (error == vgpuSuccess) {
		refresh(pool);
		*pointer = NULL;
		if (bytes)
			error = pool_alloc(pool, bytes, pointer);
	}
	return rt_leave(error);
}

/* ---- pools -------------------------------------------------------------- */

vgpuError_t rt_pool_of(int device, bool chosen, struct rt_pool **out)
{
	if (!out || !pool_device(device))
		return rt_result(out ? vgpuErrorInvalidDevice : vgpuErrorInvalidValue);
	pthread_mutex_lock(&rt_lock);
	*out = chosen ? current_pool(device) : default_pool(device);
	pthread_mutex_unlock(&rt_lock);
	return vgpuSuccess;
}

vgpuError_t rt_pool_choose(int device, struct rt_pool *pool)
{
	vgpuError_t error;

	if (!pool_device(device))
		return rt_result(vgpuErrorInvalidDevice);
	error = pool_enter(pool);
	if (error != vgpuSuccess)
		return error;
	if (pool->device != &rt_devices[device] || pool->imported)
		return pool_leave(vgpuErrorInvalidValue);
	chosen_pools[device] = pool;
	return pool_leave(vgpuSuccess);
}

vgpuError_t rt_pool_create(int device, uint64_t most, struct rt_pool **out)
{
	struct rt_pool *pool;

	if (!out || !pool_device(device))
		return rt_result(vgpuErrorInvalidValue);
	pool = malloc(sizeof(*pool));
	if (!pool)
		return rt_result(vgpuErrorMemoryAllocation);
	pthread_mutex_lock(&rt_lock);
	pool_init(pool, &rt_devices[device]);
	pool->most = most;
	pool->next = made_pools;
	made_pools = pool;
	pthread_mutex_unlock(&rt_lock);
	*out = pool;
	return vgpuSuccess;
}

void rt_pool_set_name(struct rt_pool *pool, const struct rt_pool_name *name, bool imported)
{
	pthread_mutex_lock(&rt_lock);
	pool->name = *name;
	pool->imported = imported;
	pthread_mutex_unlock(&rt_lock);
}

static bool has_name(const struct rt_pool *pool)
{
	return pool->name.bits[0] || pool->name.bits[1];
}

bool rt_pool_name(struct rt_pool *pool, struct rt_pool_name *name, int *device)
{
	bool named;

	pthread_mutex_lock(&rt_lock);
	named = pool_known(pool) && has_name(pool);
	if (named) {
		*name = pool->name;
		*device = (int)(pool->device - rt_devices);
	}
	pthread_mutex_unlock(&rt_lock);
	return named;
}

bool rt_pool_name_of(const void *pointer, struct rt_pool_name *name)
{
	const struct block *block = block_of(pointer);

	if (!block || block->held || !has_name(block->pool))
		return false;
	*name = block->pool->name;
	return true;
}

vgpuError_t rt_pool_destroy(struct rt_pool *pool)
{
	vgpuError_t error = pool_enter(pool);

	if (error != vgpuSuccess)
		return error;
	if (pool == default_pool((int)(pool->device - rt_devices)))
		return pool_leave(vgpuErrorInvalidValue);
	if (chosen_pools[pool->device - rt_devices] == pool)
		chosen_pools[pool->device - rt_devices] = NULL;
	error = trim_there(pool, 0);
	pool->destroyed = true;
	destroy_when_empty(pool);
	return pool_leave(error);
}

vgpuError_t rt_pool_trim(struct rt_pool *pool, uint64_t keep)
{
	vgpuError_t error = pool_enter(pool);

	return error == vgpuSuccess ? pool_leave(trim_there(pool, keep)) : error;
}

static vgpuError_t set_attribute(struct rt_pool *pool, int attribute, const void *value)
{
	switch (attribute) {
	case RT_POOL_REUSE_BY_EVENTS:
	case RT_POOL_REUSE_IF_DONE:
	case RT_POOL_REUSE_WITH_WAITS:
		/* nothing in flight is ever reused */
		pool->reuse[attribute - RT_POOL_REUSE_BY_EVENTS] = *(const int *)value;
		return vgpuSuccess;
	case RT_POOL_THRESHOLD:
		pool->threshold = *(const uint64_t *)value;
		return trim_there(pool, pool->threshold);
	case RT_POOL_RESERVED_HIGH:
	case RT_POOL_USED_HIGH:
		if (*(const uint64_t *)value)
			return vgpuErrorInvalidValue;
		if (attribute == RT_POOL_USED_HIGH)
			pool->used_high = pool->used;
		else
			pool->reserved_high = pool->reserved;
		return vgpuSuccess;
	default:
		return vgpuErrorInvalidValue;
	}
}

vgpuError_t rt_pool_set(struct rt_pool *pool, int attribute, const void *value)
{
	vgpuError_t error = value ? pool_enter(pool) : rt_result(vgpuErrorInvalidValue);

	return error == vgpuSuccess ? pool_leave(set_attribute(pool, attribute, value)) : error;
}

static vgpuError_t get_attribute(struct rt_pool *pool, int attribute, void *value)
{
	uint64_t bytes;

	switch (attribute) {
	case RT_POOL_REUSE_BY_EVENTS:
	case RT_POOL_REUSE_IF_DONE:
	case RT_POOL_REUSE_WITH_WAITS:
		*(int *)value = pool->reuse[attribute - RT_POOL_REUSE_BY_EVENTS];
		return vgpuSuccess;
	case RT_POOL_THRESHOLD: bytes = pool->threshold; break;
	case RT_POOL_RESERVED: bytes = pool->reserved; break;
	case RT_POOL_RESERVED_HIGH: bytes = pool->reserved_high; break;
	case RT_POOL_USED: bytes = pool->used; break;
	case RT_POOL_USED_HIGH: bytes = pool->used_high; break;
	default:
		return vgpuErrorInvalidValue;
	}
	*(uint64_t *)value = bytes;
	return vgpuSuccess;
}

vgpuError_t rt_pool_get(struct rt_pool *pool, int attribute, void *value)
{
	vgpuError_t error = value ? pool_enter(pool) : rt_result(vgpuErrorInvalidValue);

	return error == vgpuSuccess ? pool_leave(get_attribute(pool, attribute, value)) : error;
}

vgpuError_t rt_pool_set_access(struct rt_pool *pool, const struct rt_pool_access *list,
			       size_t count)
{
	vgpuError_t error = list || !count ? pool_enter(pool) : rt_result(vgpuErrorInvalidValue);
	int own;

	if (error != vgpuSuccess)
		return error;
	own = (int)(pool->device - rt_devices);
	pthread_mutex_unlock(&rt_lock);
	for (size_t i = 0; i < count; i++) {
		bool here = list[i].device == own;

		if (list[i].type != DEVICE_MEMORY || !pool_device(list[i].device) ||
		    (here && list[i].flags != RT_POOL_READ_WRITE))
			return rt_result(vgpuErrorInvalidValue);
		if (!here && list[i].flags != RT_POOL_NO_ACCESS)
			return rt_result(vgpuErrorNotSupported);
	}
	return vgpuSuccess;
}

vgpuError_t rt_pool_get_access(struct rt_pool *pool, int device, int *flags)
{
	vgpuError_t error = flags && pool_device(device) ? pool_enter(pool) :
							   rt_result(vgpuErrorInvalidValue);

	if (error != vgpuSuccess)
		return error;
	*flags = pool->device == &rt_devices[device] ? RT_POOL_READ_WRITE : RT_POOL_NO_ACCESS;
	return pool_leave(vgpuSuccess);
}

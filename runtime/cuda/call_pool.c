// SPDX-License-Identifier: MIT
/*
 * CUDA names: pools and stream-ordered allocation.
 *
 * Memory is allocated at once, which is earlier than the stream asks for, and freed when the stream
 * has got there, which the call waits for. A pool holds what is freed while no more than its
 * release threshold is reserved, for later allocations of about the same size; the rest is given
 * back at once. Bytes are counted in units of 256.
 */
#include <stdlib.h>
#include <string.h>

#include "call_pool.h"

#define UNIT	256u
#define BUCKETS	1024u

struct block {
	struct block *next;		/* in its bucket */
	struct block *next_held;
	cudaMemPool_t pool;
	uint64_t address, bytes;
	bool held;			/* freed, and not given back */
};

struct CUmemPoolHandle_st {
	struct CUmemPoolHandle_st *next;
	struct rt_state *device;
	uint64_t generation;		/* of the context that has what follows */
	struct block *held;
	uint64_t live;			/* allocations */
	uint64_t used, used_high;	/* bytes */
	uint64_t reserved, reserved_high;	/* bytes, used and held */
	uint64_t threshold;
	uint64_t most;			/* reserved bytes; 0: no limit */
	int reuse[3];
	bool destroyed;			/* for the program; ends with its last allocation */
};

/* With the lock held, all of them. */
static struct CUmemPoolHandle_st default_pools[RT_DEVICES];
static cudaMemPool_t chosen_pools[RT_DEVICES];	/* NULL: the default one */
static cudaMemPool_t made_pools;
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

static void forget_blocks(cudaMemPool_t pool)
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
static void refresh(cudaMemPool_t pool)
{
	if (pool->generation == pool->device->generation)
		return;
	pool->generation = pool->device->generation;
	forget_blocks(pool);
	pool->live = pool->used = pool->used_high = pool->reserved = pool->reserved_high = 0;
}

static void pool_init(cudaMemPool_t pool, struct rt_state *device)
{
	*pool = (struct CUmemPoolHandle_st){
		.device = device, .generation = device->generation, .reuse = { 1, 1, 1 }
	};
}

static cudaMemPool_t default_pool(int device)
{
	cudaMemPool_t pool = &default_pools[device];

	if (!pool->device)
		pool_init(pool, &rt_devices[device]);
	return pool;
}

static cudaMemPool_t current_pool(int device)
{
	return chosen_pools[device] ? chosen_pools[device] : default_pool(device);
}

/* Handles come from the program: they are compared, not followed. */
static bool pool_known(cudaMemPool_t handle)
{
	for (unsigned int i = 0; i < RT_DEVICES; i++)
		if (handle == &default_pools[i])
			return handle->device;
	for (cudaMemPool_t pool = made_pools; pool; pool = pool->next)
		if (pool == handle)
			return !pool->destroyed;
	return false;
}

/* For calls that need no device. The lock is held when this succeeds. */
static vgpuError_t pool_enter(cudaMemPool_t handle)
{
	pthread_mutex_lock(&rt_lock);
	if (pool_known(handle)) {
		refresh(handle);
		return vgpuSuccess;
	}
	pthread_mutex_unlock(&rt_lock);
	return rt_result(vgpuErrorInvalidValue);
}

static cudaError_t pool_leave(vgpuError_t error)
{
	pthread_mutex_unlock(&rt_lock);
	return cuda_error(rt_result(error));
}

/* ---- memory ------------------------------------------------------------- */

/* Gives back held blocks until no more than @keep bytes are reserved. Of the current device. */
static vgpuError_t trim(cudaMemPool_t pool, uint64_t keep)
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
static vgpuError_t trim_there(cudaMemPool_t pool, uint64_t keep)
{
	struct rt_state *before = rt_current;
	vgpuError_t error = vgpuSuccess;

	rt_current = pool->device;
	if (rt.phase == RT_READY && rt.sticky == vgpuSuccess)
		error = trim(pool, keep);
	rt_current = before;
	return error;
}

static void destroy_when_empty(cudaMemPool_t pool)
{
	cudaMemPool_t *at = &made_pools;

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

static bool release_held(cudaMemPool_t pool)
{
	uint64_t before;

	refresh(pool);
	before = pool->reserved;
	trim(pool, 0);
	return pool->reserved < before;
}

/* Gives back what all pools of the current device hold. */
static bool release_all(void)
{
	bool released = release_held(default_pool(rt_device()));

	for (cudaMemPool_t pool = made_pools; pool; pool = pool->next)
		if (pool->device == rt_current)
			released |= release_held(pool);
	return released;
}

bool cuda_pools_release(void)
{
	bool released;

	if (rt_enter() != vgpuSuccess)
		return false;
	released = release_all();
	rt_leave(vgpuSuccess);
	return released;
}

/* The smallest held block that is large enough, and not more than twice as large. */
static struct block *held_block(cudaMemPool_t pool, uint64_t bytes)
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

static vgpuError_t new_block(cudaMemPool_t pool, uint64_t bytes, struct block **out)
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
	if (error == vgpuErrorMemoryAllocation && release_all())
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

static vgpuError_t pool_alloc(cudaMemPool_t pool, uint64_t bytes, void **pointer)
{
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
	return vgpuSuccess;
}

/* On the current device; nothing uses the memory any more. */
static vgpuError_t release(struct block *block)
{
	cudaMemPool_t pool = block->pool;
	vgpuError_t error;

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

/* After waiting, which other threads may have used. */
static vgpuError_t release_at(const void *pointer)
{
	struct block *block = block_of(pointer);

	return block && !block->held && block->pool->device == rt_current ?
		       release(block) : vgpuErrorInvalidValue;
}

bool cuda_pool_free(void *pointer, cudaError_t *out)
{
	struct rt_state *before = rt_current;
	struct block *block;
	vgpuError_t error;

	pthread_mutex_lock(&rt_lock);
	block = block_of(pointer);
	if (block)
		rt_current = block->pool->device;
	pthread_mutex_unlock(&rt_lock);
	if (!block)
		return false;
	error = rt_enter();
	if (error == vgpuSuccess) {
		error = rt_sync_all();
		if (error == vgpuSuccess)
			error = release_at(pointer);
		error = rt_leave(error);
	}
	rt_current = before;
	*out = cuda_error(error);
	return true;
}

static cudaError_t alloc_call(void **pointer, size_t bytes, cudaMemPool_t pool, cudaStream_t stream)
{
	vgpuStream_t handle = cuda_stream(stream);
	vgpuError_t error = rt_enter();
	struct vgpuStream *known;

	if (error != vgpuSuccess)
		return cuda_error(error);
	error = pointer ? rt_stream_of(handle, &known) : vgpuErrorInvalidValue;
	if (error == vgpuSuccess && !pool)
		pool = current_pool(rt_device());
	/* the memory of another device is of no use here */
	if (error == vgpuSuccess && (!pool_known(pool) || pool->device != rt_current))
		error = vgpuErrorInvalidValue;
	if (error == vgpuSuccess) {
		refresh(pool);
		*pointer = NULL;
		if (bytes)
			error = pool_alloc(pool, bytes, pointer);
	}
	return cuda_error(rt_leave(error));
}

cudaError_t cudaMallocAsync(void **pointer, size_t bytes, cudaStream_t stream)
{
	return alloc_call(pointer, bytes, NULL, stream);
}

cudaError_t cudaMallocFromPoolAsync(void **pointer, size_t bytes, cudaMemPool_t pool,
				    cudaStream_t stream)
{
	return pool ? alloc_call(pointer, bytes, pool, stream) :
		      cuda_error(rt_result(vgpuErrorInvalidValue));
}

cudaError_t cudaFreeAsync(void *pointer, cudaStream_t stream)
{
	vgpuStream_t handle = cuda_stream(stream);
	vgpuError_t error = rt_enter();
	struct vgpuStream *known;

	if (error != vgpuSuccess)
		return cuda_error(error);
	error = rt_stream_of(handle, &known);
	if (error == vgpuSuccess && !block_of(pointer)) {
		rt_leave(error);
		return cudaFree(pointer);
	}
	/* other streams' work is ordered before this by the program, as CUDA asks for */
	if (error == vgpuSuccess)
		error = rt_stream_sync(known);
	if (error == vgpuSuccess)
		error = release_at(pointer);
	return cuda_error(rt_leave(error));
}

/* ---- pools -------------------------------------------------------------- */

static cudaError_t get_pool(cudaMemPool_t *out, int device, bool chosen)
{
	if (!out || !pool_device(device))
		return cuda_error(rt_result(out ? vgpuErrorInvalidDevice : vgpuErrorInvalidValue));
	pthread_mutex_lock(&rt_lock);
	*out = chosen ? current_pool(device) : default_pool(device);
	pthread_mutex_unlock(&rt_lock);
	return cudaSuccess;
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device)
{
	return get_pool(pool, device, false);
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int device)
{
	return get_pool(pool, device, true);
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool)
{
	vgpuError_t error;

	if (!pool_device(device))
		return cuda_error(rt_result(vgpuErrorInvalidDevice));
	error = pool_enter(pool);
	if (error != vgpuSuccess)
		return cuda_error(error);
	if (pool->device != &rt_devices[device])
		return pool_leave(vgpuErrorInvalidValue);
	chosen_pools[device] = pool;
	return pool_leave(vgpuSuccess);
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t *out, const struct cudaMemPoolProps *props)
{
	cudaMemPool_t pool;

	if (!out || !props || props->allocType != cudaMemAllocationTypePinned ||
	    props->location.type != cudaMemLocationTypeDevice || !pool_device(props->location.id))
		return cuda_error(rt_result(vgpuErrorInvalidValue));
	if (props->handleTypes != cudaMemHandleTypeNone)
		return CUDA_REFUSE("a pool shared between processes is");
	pool = malloc(sizeof(*pool));
	if (!pool)
		return cuda_error(rt_result(vgpuErrorMemoryAllocation));
	pthread_mutex_lock(&rt_lock);
	pool_init(pool, &rt_devices[props->location.id]);
	pool->most = props->maxSize;
	pool->next = made_pools;
	made_pools = pool;
	pthread_mutex_unlock(&rt_lock);
	*out = pool;
	return cudaSuccess;
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool)
{
	vgpuError_t error = pool_enter(pool);

	if (error != vgpuSuccess)
		return cuda_error(error);
	if (pool == default_pool((int)(pool->device - rt_devices)))
		return pool_leave(vgpuErrorInvalidValue);
	if (chosen_pools[pool->device - rt_devices] == pool)
		chosen_pools[pool->device - rt_devices] = NULL;
	error = trim_there(pool, 0);
	pool->destroyed = true;
	destroy_when_empty(pool);
	return pool_leave(error);
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t keep)
{
	vgpuError_t error = pool_enter(pool);

	return error == vgpuSuccess ? pool_leave(trim_there(pool, keep)) : cuda_error(error);
}

static vgpuError_t set_attribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute,
				 const void *value)
{
	switch (attribute) {
	case cudaMemPoolReuseFollowEventDependencies:
	case cudaMemPoolReuseAllowOpportunistic:
	case cudaMemPoolReuseAllowInternalDependencies:
		/* remembered; nothing in flight is ever reused */
		pool->reuse[attribute - cudaMemPoolReuseFollowEventDependencies] =
			*(const int *)value;
		return vgpuSuccess;
	case cudaMemPoolAttrReleaseThreshold:
		pool->threshold = *(const uint64_t *)value;
		return trim_there(pool, pool->threshold);
	case cudaMemPoolAttrReservedMemHigh:
	case cudaMemPoolAttrUsedMemHigh:
		if (*(const uint64_t *)value)
			return vgpuErrorInvalidValue;
		if (attribute == cudaMemPoolAttrUsedMemHigh)
			pool->used_high = pool->used;
		else
			pool->reserved_high = pool->reserved;
		return vgpuSuccess;
	default:
		return vgpuErrorInvalidValue;
	}
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value)
{
	vgpuError_t error = value ? pool_enter(pool) : rt_result(vgpuErrorInvalidValue);

	return error == vgpuSuccess ? pool_leave(set_attribute(pool, attribute, value)) :
				      cuda_error(error);
}

static vgpuError_t get_attribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value)
{
	uint64_t bytes;

	switch (attribute) {
	case cudaMemPoolReuseFollowEventDependencies:
	case cudaMemPoolReuseAllowOpportunistic:
	case cudaMemPoolReuseAllowInternalDependencies:
		*(int *)value = pool->reuse[attribute - cudaMemPoolReuseFollowEventDependencies];
		return vgpuSuccess;
	case cudaMemPoolAttrReleaseThreshold:
		bytes = pool->threshold;
		break;
	case cudaMemPoolAttrReservedMemCurrent:
		bytes = pool->reserved;
		break;
	case cudaMemPoolAttrReservedMemHigh:
		bytes = pool->reserved_high;
		break;
	case cudaMemPoolAttrUsedMemCurrent:
		bytes = pool->used;
		break;
	case cudaMemPoolAttrUsedMemHigh:
		bytes = pool->used_high;
		break;
	default:
		return vgpuErrorInvalidValue;
	}
	*(uint64_t *)value = bytes;
	return vgpuSuccess;
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value)
{
	vgpuError_t error = value ? pool_enter(pool) : rt_result(vgpuErrorInvalidValue);

	return error == vgpuSuccess ? pool_leave(get_attribute(pool, attribute, value)) :
				      cuda_error(error);
}

/* A pool's own device has access, whatever is said, and no other can get it. */
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const struct cudaMemAccessDesc *list,
				 size_t count)
{
	vgpuError_t error = list || !count ? pool_enter(pool) : rt_result(vgpuErrorInvalidValue);
	int own;

	if (error != vgpuSuccess)
		return cuda_error(error);
	own = (int)(pool->device - rt_devices);
	pthread_mutex_unlock(&rt_lock);
	for (size_t i = 0; i < count; i++) {
		bool here = list[i].location.id == own;

		if (list[i].location.type != cudaMemLocationTypeDevice ||
		    !pool_device(list[i].location.id) ||
		    (here && list[i].flags != cudaMemAccessFlagsProtReadWrite))
			return cuda_error(rt_result(vgpuErrorInvalidValue));
		if (!here && list[i].flags != cudaMemAccessFlagsProtNone)
			return CUDA_REFUSE("access to a pool from other devices is");
	}
	return cudaSuccess;
}

cudaError_t cudaMemPoolGetAccess(enum cudaMemAccessFlags *flags, cudaMemPool_t pool,
				 struct cudaMemLocation *location)
{
	bool valid = flags && location && location->type == cudaMemLocationTypeDevice &&
		     pool_device(location->id);
	vgpuError_t error = valid ? pool_enter(pool) : rt_result(vgpuErrorInvalidValue);

	if (error != vgpuSuccess)
		return cuda_error(error);
	*flags = pool->device == &rt_devices[location->id] ? cudaMemAccessFlagsProtReadWrite :
							     cudaMemAccessFlagsProtNone;
	return pool_leave(vgpuSuccess);
}

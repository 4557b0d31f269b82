// SPDX-License-Identifier: MIT
/*
 * Pools of memory and stream-ordered allocation. See pool.h.
 */
#include <stdlib.h>
#include <string.h>

#include "graph/allocation.h"
#include "graph/capture.h"
#include "pool.h"
#include "pool_parts.h"
#include "sanitizer/sanitizer.h"

#define DEVICE_MEMORY	1	/* the type of a location: cudaMemLocationTypeDevice */

/* A pool gets memory in chunks of at least so much, in units of the other; less where it must. */
#define CHUNK		(32ul << 20)
#define CHUNK_UNIT	(2ul << 20)

struct rt_pool {
	struct rt_pool *next;
	int device;
	bool ready;			/* a default one: it was used */
	struct rt_by_context parts;	/* struct rt_part */
	unsigned int callers;		/* that wait in a call with it */
	uint64_t used_high, reserved_high;	/* bytes, of all parts */
	uint64_t threshold;
	uint64_t most;			/* reserved bytes; 0: no limit */
	int reuse[3];			/* by enum rt_pool_attribute */
	struct rt_pool_name name;
	bool imported;			/* of another process (pool_share.c) */
	bool destroyed;			/* for the program; ends with its last allocation */
};

/* With the lock held, all of them. */
static struct rt_pool default_pools[RT_DEVICES];
static struct rt_pool *chosen_pools[RT_DEVICES];	/* NULL: the default one */
static struct rt_pool *made_pools;

static bool pool_device(int device)
{
	return device >= 0 && (unsigned int)device < rt_device_count();
}

static void pool_init(struct rt_pool *pool, int device)
{
	*pool = (struct rt_pool){ .device = device, .ready = true, .reuse = { 1, 1, 1 } };
}

static struct rt_pool *default_pool(int device)
{
	struct rt_pool *pool = &default_pools[device];

	if (!pool->ready)
		pool_init(pool, device);
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
			return handle->ready;
	for (struct rt_pool *pool = made_pools; pool; pool = pool->next)
		if (pool == handle)
			return !pool->destroyed;
	return false;
}

/* For calls that need no device. The lock is held when this succeeds. */
static vgpuError_t pool_enter(struct rt_pool *handle)
{
	pthread_mutex_lock(&rt_lock);
	if (pool_known(handle))
		return vgpuSuccess;
	pthread_mutex_unlock(&rt_lock);
	return rt_result(vgpuErrorInvalidValue);
}

static vgpuError_t pool_leave(vgpuError_t error)
{
	pthread_mutex_unlock(&rt_lock);
	return rt_result(error);
}

static bool has_name(const struct rt_pool *pool)
{
	return pool->name.bits[0] || pool->name.bits[1];
}

/* ---- memory is given back ------------------------------------------------ */

/* What streams have done meanwhile is not in use any more. Of the current context. */
static void look_again(struct rt_part *part)
{
	for (unsigned int i = 0; i < RT_QUEUES; i++) {
		struct rt_use use = { .queue = &rt.queues[i] };

		if (rt_store_last_use(&part->store, &use))
			rt_poll(use.queue, use.seq);
	}
	rt_store_settle(&part->store);
}

/*
 * Gives back what nothing uses until the pool has reserved no more than @keep bytes. Of the current
 * context.
 */
static vgpuError_t trim(struct rt_part *part, uint64_t keep)
{
	vgpuError_t error = vgpuSuccess;
	uint64_t address;

	rt_store_settle(&part->store);
	while (rt_parts_reserved(&part->pool->parts) > keep && error == vgpuSuccess &&
	       rt_store_remove_idle(&part->store, &address))
		error = rt_alloc_free(address);
	return error;
}

static bool is_alive(const struct rt_state *context)
{
	return context->phase == RT_READY && context->sticky == vgpuSuccess;
}

/* The same of all contexts that can give something back. */
static vgpuError_t trim_all(struct rt_pool *pool, uint64_t keep)
{
	struct rt_state *before = rt_current;
	vgpuError_t error = vgpuSuccess;
	struct rt_part *part;

	RT_FOR_EACH_PART(part, &pool->parts) {
		if (!part->store.chunks || !is_alive(part->context) || error != vgpuSuccess)
			continue;
		rt_current = part->context;
		look_again(part);
		error = trim(part, keep);
	}
	rt_current = before;
	return error;
}

/* Its contexts are dead, or open: what is freed, and in use, ends it later (rt_pools_settle()). */
static void destroy_when_empty(struct rt_pool *pool)
{
	struct rt_pool **at = &made_pools;
	struct rt_part *part;

	if (!pool->destroyed || pool->callers)
		return;
	RT_FOR_EACH_PART(part, &pool->parts)
		if (part->store.live)
			return;
	RT_FOR_EACH_PART(part, &pool->parts)
		if (!is_alive(part->context))
			rt_store_forget(&part->store);
	RT_FOR_EACH_PART(part, &pool->parts)
		if (part->store.chunks)
			return;
	while (*at != pool)
		at = &(*at)->next;
	*at = pool->next;
	rt_by_context_free(&pool->parts);
	free(pool);
}

static void settle(struct rt_pool *pool)
{
	struct rt_part *part = rt_part_used(&pool->parts);

	if (part && part->store.free)
		trim(part, pool->destroyed ? 0 : pool->threshold);
	destroy_when_empty(pool);
}

void rt_pools_settle(void)
{
	settle(default_pool(rt_device()));
	for (struct rt_pool *pool = made_pools, *next; pool; pool = next) {
		next = pool->next;
		if (rt_part_used(&pool->parts))
			settle(pool);
	}
}

static void forget(struct rt_pool *pool)
{
	struct rt_part *part = rt_part_used(&pool->parts);

	if (!part)
		return;
	rt_part_forget(part);
	if (!rt_parts_reserved(&pool->parts))
		pool->used_high = pool->reserved_high = 0;
	destroy_when_empty(pool);
}

void rt_pools_forget(void)
{
	forget(&default_pools[rt_device()]);
	for (struct rt_pool *pool = made_pools, *next; pool; pool = next) {
		next = pool->next;
		forget(pool);
	}
}

/* Some work that uses what is free in a pool, and the context that it is of. */
static struct rt_state *is_busy(const struct rt_pool *pool, struct rt_use *use)
{
	const struct rt_part *part;

	RT_FOR_EACH_PART(part, &pool->parts)
		if (is_alive(part->context) && rt_store_busy(&part->store, use))
			return part->context;
	return NULL;
}

/* The same of all pools of the device. */
static struct rt_state *pools_busy(struct rt_use *use)
{
	struct rt_state *context = is_busy(default_pool(rt_device()), use);

	for (struct rt_pool *pool = made_pools; pool && !context; pool = pool->next)
		if (pool->device == rt_device())
			context = is_busy(pool, use);
	return context;
}

/* The current context is there when the lock is had again. */
static bool wait_in(struct rt_state *context, const struct rt_use *use)
{
	struct rt_state *before = rt_current;
	vgpuError_t error;

	before->waiting++;
	rt_current = context;
	error = rt_wait(use->queue, use->seq);
	rt_current = before;
	before->waiting--;
	/* one that has died is no reason to wait any more */
	return error == vgpuSuccess || !is_alive(context);
}

static bool release_free(struct rt_pool *pool)
{
	uint64_t before = rt_parts_reserved(&pool->parts);

	trim_all(pool, 0);
	return rt_parts_reserved(&pool->parts) < before;
}

bool rt_pools_release(void)
{
	struct rt_state *context;
	struct rt_use use;
	bool released;

	/* the lock is given up meanwhile: what there is is looked at again each time */
	while ((context = pools_busy(&use)) && wait_in(context, &use))
		;
	released = release_free(default_pool(rt_device()));
	for (struct rt_pool *pool = made_pools; pool; pool = pool->next)
		if (pool->device == rt_device())
			released |= release_free(pool);
	return released;
}

/* ---- memory is allocated ------------------------------------------------- */

/* A chunk of @bytes is one free piece of @part. */
static vgpuError_t get_chunk(struct rt_part *part, uint64_t bytes, struct rt_piece **piece)
{
	uint64_t address, most = part->pool->most;
	vgpuError_t error;

	if (most && (bytes > most || rt_parts_reserved(&part->pool->parts) > most - bytes))
		return vgpuErrorMemoryAllocation;
	error = rt_alloc(bytes, false, &address);
	if (error != vgpuSuccess)
		return error;
	*piece = rt_store_add(&part->store, address, bytes);
	if (*piece)
		return vgpuSuccess;
	rt_alloc_free(address);
	return vgpuErrorMemoryAllocation;
}

/*
 * What other processes get by its name is a chunk of its own, and so is what the sanitizer looks
 * behind.
 */
static bool in_chunks(const struct rt_pool *pool)
{
	return !san_on && !has_name(pool);
}

static vgpuError_t grow(struct rt_part *part, uint64_t bytes, struct rt_piece **piece)
{
	uint64_t units = (bytes + CHUNK_UNIT - 1) / CHUNK_UNIT * CHUNK_UNIT;
	const uint64_t sizes[] = { units < CHUNK ? CHUNK : units, units, bytes };
	vgpuError_t error = vgpuErrorMemoryAllocation;

	for (unsigned int i = in_chunks(part->pool) ? 0 : 2; i < 3; i++)
		if (error == vgpuErrorMemoryAllocation)
			error = get_chunk(part, sizes[i], piece);
	return error;
}

/*
 * A free piece for @stream, in CUDA's order: what is free for it; what others have done with; new
 * memory; what it can wait for; and what all pools can give back.
 */
static vgpuError_t find_piece(struct rt_part *part, uint64_t bytes, struct vgpuStream *stream,
			      struct rt_piece **piece)
{
	struct rt_store *store = &part->store;
	const int *reuse = part->pool->reuse;
	vgpuError_t error;

	*piece = rt_store_find(store, bytes, stream->queue, RT_HAD_NOW);
	if (!*piece && store->free && reuse[RT_POOL_REUSE_IF_DONE - 1]) {
		look_again(part);
		*piece = rt_store_find(store, bytes, stream->queue, RT_HAD_NOW);
	}
	if (*piece)
		return vgpuSuccess;
	error = grow(part, bytes, piece);
	if (error != vgpuErrorMemoryAllocation)
		return error;
	if (reuse[RT_POOL_REUSE_WITH_WAITS - 1])
		*piece = rt_store_find(store, bytes, stream->queue, RT_HAD_LATER);
	if (*piece)
		return vgpuSuccess;
	if (!rt_pools_release())
		return error;
	*piece = rt_store_find(store, bytes, stream->queue, RT_HAD_NOW);
	return *piece ? vgpuSuccess : grow(part, bytes, piece);
}

/* Takes @piece for @stream, which goes on when what uses it is over. */
static vgpuError_t take_piece(struct rt_part *part, struct rt_piece *piece, uint64_t bytes,
			      struct vgpuStream *stream)
{
	const struct rt_use use = piece->use;
	vgpuError_t error = vgpuSuccess;

	if (!rt_store_take(&part->store, piece, bytes))
		return vgpuErrorMemoryAllocation;
	if (!rt_use_is_over(&use))
		error = rt_stream_wait(stream, use.queue, use.seq);
	if (error != vgpuSuccess)
		rt_store_free(&part->store, piece, &use);
	return error;
}

static vgpuError_t pool_alloc(struct rt_pool *pool, uint64_t asked, struct vgpuStream *stream,
			      void **pointer)
{
	uint64_t bytes = (asked + RT_POOL_UNIT - 1) / RT_POOL_UNIT * RT_POOL_UNIT;
	struct rt_part *part = rt_part_here(&pool->parts, pool);
	struct rt_piece *piece = NULL;
	vgpuError_t error;

	if (bytes < asked || !part)
		return vgpuErrorMemoryAllocation;
	rt_when_synced = rt_pools_settle;
	/* calls that wait give the lock up meanwhile */
	pool->callers++;
	error = find_piece(part, bytes, stream, &piece);
	if (error == vgpuSuccess)
		error = take_piece(part, piece, bytes, stream);
	pool->callers--;
	if (rt_parts_used(&pool->parts) > pool->used_high)
		pool->used_high = rt_parts_used(&pool->parts);
	if (rt_parts_reserved(&pool->parts) > pool->reserved_high)
		pool->reserved_high = rt_parts_reserved(&pool->parts);
	if (error == vgpuSuccess) {
		*pointer = (void *)(uintptr_t)piece->address;
		san_allocated(piece->address, asked, SAN_MEMORY_DEVICE);
	}
	destroy_when_empty(pool);
	return error;
}

/* The used piece at @pointer, and the part that it is of; or NULL. With the lock held. */
static struct rt_part *part_at(const void *pointer, struct rt_piece **piece)
{
	return (struct rt_part *)rt_store_of((uint64_t)(uintptr_t)pointer, piece);
}

bool rt_pool_has(const void *pointer)
{
	struct rt_piece *piece;

	return part_at(pointer, &piece);
}

/* Of the current context. */
static vgpuError_t release(const void *pointer, const struct rt_use *use)
{
	struct rt_piece *piece;
	struct rt_part *part = part_at(pointer, &piece);

	if (!part || part->context != rt_current)
		return vgpuErrorInvalidValue;
	san_freed(piece->address);
	rt_store_free(&part->store, piece, use);
	if (part->pool->destroyed)
		settle(part->pool);
	return vgpuSuccess;
}

vgpuError_t rt_pool_free(const void *pointer)
{
	return release(pointer, &(struct rt_use){ .queue = NULL });
}

vgpuError_t rt_pool_free_later(const void *pointer, struct vgpuStream *stream)
{
	vgpuError_t error = rt_stream_begin(stream);
	struct rt_use use;

	if (error != vgpuSuccess)
		return error;
	/* its reports are of what a program does when the call returns */
	if (san_on)
		error = rt_stream_sync(stream);
	if (error != vgpuSuccess)
		return error;
	use = (struct rt_use){ stream->queue, stream->queue->epoch, stream->last };
	return release(pointer, &use);
}

/* The memory is the graph's, whatever the pool. */
static vgpuError_t capture_alloc(void **pointer, size_t bytes, struct vgpuStream *stream)
{
	struct rt_params params = { .type = RT_NODE_ALLOC };
	vgpuError_t error;

	*pointer = NULL;
	if (!bytes)
		return vgpuSuccess;
	error = rt_graph_memory_new(bytes, &params.memory);
	if (error != vgpuSuccess)
		return error;
	error = rt_capture_add(stream, &params);
	if (error == vgpuSuccess)
		*pointer = (void *)(uintptr_t)params.memory->address;
	rt_graph_memory_put(params.memory);
	return error;
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
	    (!pool_known(pool) || pool->device != rt_device() || pool->imported))
		error = vgpuErrorInvalidValue;
	if (error == vgpuSuccess && known->capture)
		return rt_leave(capture_alloc(pointer, bytes, known));
	if (error == vgpuSuccess)
		error = rt_stream_begin(known);
	if (error == vgpuSuccess) {
		*pointer = NULL;
		if (bytes)
			error = pool_alloc(pool, bytes, known, pointer);
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
	if (pool->device != device || pool->imported)
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
	pool_init(pool, device);
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

bool rt_pool_name(struct rt_pool *pool, struct rt_pool_name *name, int *device)
{
	bool named;

	pthread_mutex_lock(&rt_lock);
	named = pool_known(pool) && has_name(pool);
	if (named) {
		*name = pool->name;
		*device = pool->device;
	}
	pthread_mutex_unlock(&rt_lock);
	return named;
}

bool rt_pool_name_of(const void *pointer, struct rt_pool_name *name)
{
	struct rt_piece *piece;
	const struct rt_part *part = part_at(pointer, &piece);

	if (!part || !has_name(part->pool))
		return false;
	*name = part->pool->name;
	return true;
}

vgpuError_t rt_pool_destroy(struct rt_pool *pool)
{
	vgpuError_t error = pool_enter(pool);

	if (error != vgpuSuccess)
		return error;
	if (pool == default_pool(pool->device))
		return pool_leave(vgpuErrorInvalidValue);
	if (chosen_pools[pool->device] == pool)
		chosen_pools[pool->device] = NULL;
	error = trim_all(pool, 0);
	pool->destroyed = true;
	destroy_when_empty(pool);
	return pool_leave(error);
}

vgpuError_t rt_pool_trim(struct rt_pool *pool, uint64_t keep)
{
	vgpuError_t error = pool_enter(pool);

	return error == vgpuSuccess ? pool_leave(trim_all(pool, keep)) : error;
}

static vgpuError_t set_attribute(struct rt_pool *pool, int attribute, const void *value)
{
	switch (attribute) {
	case RT_POOL_REUSE_BY_EVENTS:
	case RT_POOL_REUSE_IF_DONE:
	case RT_POOL_REUSE_WITH_WAITS:
		pool->reuse[attribute - RT_POOL_REUSE_BY_EVENTS] = *(const int *)value;
		return vgpuSuccess;
	case RT_POOL_THRESHOLD:
		pool->threshold = *(const uint64_t *)value;
		return trim_all(pool, pool->threshold);
	case RT_POOL_RESERVED_HIGH:
	case RT_POOL_USED_HIGH:
		if (*(const uint64_t *)value)
			return vgpuErrorInvalidValue;
		if (attribute == RT_POOL_USED_HIGH)
			pool->used_high = rt_parts_used(&pool->parts);
		else
			pool->reserved_high = rt_parts_reserved(&pool->parts);
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
	case RT_POOL_RESERVED: bytes = rt_parts_reserved(&pool->parts); break;
	case RT_POOL_RESERVED_HIGH: bytes = pool->reserved_high; break;
	case RT_POOL_USED: bytes = rt_parts_used(&pool->parts); break;
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
	own = pool->device;
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
	*flags = pool->device == device ? RT_POOL_READ_WRITE : RT_POOL_NO_ACCESS;
	return pool_leave(vgpuSuccess);
}

// SPDX-License-Identifier: MIT
/*
 * Device memory of other processes; see ipc.h.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ipc.h"
#include "pool.h"
#include "pool_store.h"

_Static_assert(sizeof(struct rt_ipc_memory) == 64, "what CUDA's handles have");

/** struct opened - a handle that is open */
struct opened {
	struct opened *next;
	struct rt_state *context;
	uint64_t generation;		/* of the context: it went with an earlier one */
	uint64_t name[2];
	uint64_t offset;
	uint64_t address;
	unsigned int references;
	bool pooled;			/* of a pool of another process */
};

static struct opened *all;
static bool any_pooled;			/* one was ever open */

/* Forgets what has gone with its context. */
static void forget_gone(void)
{
	struct opened **at = &all, *one;

	while ((one = *at)) {
		if (one->generation == one->context->generation) {
			at = &one->next;
			continue;
		}
		*at = one->next;
		free(one);
	}
}

static struct opened *find_opened(const struct rt_ipc_memory *handle)
{
	forget_gone();
	for (struct opened *one = all; one; one = one->next)
		if (one->context == rt_current && one->offset == handle->offset &&
		    !memcmp(one->name, handle->name, sizeof(one->name)))
			return one;
	return NULL;
}

static struct opened *find_address(uint64_t address, bool pooled)
{
	forget_gone();
	for (struct opened *one = all; one; one = one->next)
		if (one->address == address && one->pooled == pooled)
			return one;
	return NULL;
}

bool rt_ipc_possible(void)
{
	return rt.ops->abilities && rt.ops->abilities(rt.transport) & VGPU_TRANSPORT_NAMES;
}

/* The context of @address becomes the current one; may something be done there? */
static vgpuError_t go_to_owner(const void *address)
{
	rt_current = rt_owner(address);
	return rt.phase == RT_READY ? rt.sticky : vgpuErrorInvalidValue;
}

static vgpuError_t leave_to(struct rt_state *before, vgpuError_t error)
{
	rt_current = before;
	return rt_leave(error);
}

/* ---- export -------------------------------------------------------------- */

static vgpuError_t export(uint64_t address, struct rt_ipc_memory *handle, bool pooled)
{
	struct rt_pool_name name;
	uint64_t base;

	if (!rt_ipc_possible()) {
		rt_message("memory for other processes: this device is of one process alone; "
			   "memory is shared on /dev/vgpu, with a module that has "
			   "VGPU_IOC_MEM_NAME");
		return vgpuErrorNotSupported;
	}
	memset(handle, 0, sizeof(*handle));
	if (!rt_memory_find(address, &base, &handle->bytes) || rt_pool_has((void *)base) != pooled)
		return vgpuErrorInvalidValue;
	handle->magic = pooled ? RT_IPC_POOLED : RT_IPC_MEMORY;
	if (pooled) {
		if (base != address || !rt_pool_name_of((void *)base, &name))
			return vgpuErrorInvalidValue;
		memcpy(handle->pool, &name, sizeof(handle->pool));
	}
	handle->device = rt_device_place((unsigned int)rt_device());
	return rt_alloc_name(base, handle->name, &handle->offset);
}

static vgpuError_t export_call(const void *address, struct rt_ipc_memory *handle, bool pooled)
{
	struct rt_state *before = rt_current;
	vgpuError_t error = rt_enter();

	if (error != vgpuSuccess)
		return error;
	error = go_to_owner(address);
	if (error == vgpuSuccess)
		error = export((uint64_t)(uintptr_t)address, handle, pooled);
	return leave_to(before, error);
}

vgpuError_t rt_ipc_export(const void *address, struct rt_ipc_memory *handle)
{
	return export_call(address, handle, false);
}

vgpuError_t rt_ipc_export_pooled(const void *address, struct rt_ipc_memory *handle)
{
	return export_call(address, handle, true);
}

bool rt_ipc_can(const void *address)
{
	struct rt_state *before = rt_current;
	uint64_t base, bytes;
	bool can = false;

	if (rt_enter() != vgpuSuccess)
		return false;
	if (go_to_owner(address) == vgpuSuccess && rt_ipc_possible() &&
	    rt_memory_find((uint64_t)(uintptr_t)address, &base, &bytes))
		can = rt_alloc_is_own(base) && !rt_pool_has((void *)base);
	leave_to(before, vgpuSuccess);
	return can;
}

/* ---- import -------------------------------------------------------------- */

static const struct rt_pool_name no_pool;

/* @pool: &no_pool: none */
static bool is_handle(const struct rt_ipc_memory *handle, const struct rt_pool_name *pool)
{
	return handle->magic == (pool == &no_pool ? RT_IPC_MEMORY : RT_IPC_POOLED) &&
	       handle->bytes && !handle->reserved &&
	       !memcmp(handle->pool, pool, sizeof(handle->pool));
}

/* An address for what the handle says, which is looked up; its name ends with its process. */
static vgpuError_t map(const struct rt_ipc_memory *handle, uint64_t *address)
{
	vgpuError_t error;
	uint32_t number;
	uint64_t bytes;
	int ret = rt.ops->mem_open(rt.transport, handle->name, &number, &bytes);

	if (ret == -ENOENT) {
		rt_message("memory of another process: there is none of this handle: it has been "
			   "freed, or its process has ended, or it is another user's");
		return vgpuErrorInvalidResourceHandle;
	}
	if (ret)
		return ret == -ENOSPC ? vgpuErrorMemoryAllocation : rt_error_of(ret);
	error = handle->offset > bytes || handle->bytes > bytes - handle->offset ?
			vgpuErrorInvalidResourceHandle :
			rt_alloc_view(number, handle->offset, handle->bytes, address);
	/* the view keeps it */
	rt.ops->mem_release(rt.transport, number);
	return error;
}

static vgpuError_t open_new(const struct rt_ipc_memory *handle, uint64_t *address)
{
	struct opened *one = malloc(sizeof(*one));
	vgpuError_t error;

	if (!one)
		return vgpuErrorMemoryAllocation;
	error = map(handle, address);
	if (error != vgpuSuccess) {
		free(one);
		return error;
	}
	*one = (struct opened){
		.next = all,
		.context = rt_current,
		.generation = rt.generation,
		.name = { handle->name[0], handle->name[1] },
		.offset = handle->offset,
		.address = *address,
		.references = 1,
		.pooled = handle->magic == RT_IPC_POOLED,
	};
	if (one->pooled)
		__atomic_store_n(&any_pooled, true, __ATOMIC_RELAXED);
	all = one;
	return vgpuSuccess;
}

static vgpuError_t open_handle(const struct rt_ipc_memory *handle,
			       const struct rt_pool_name *pool, uint64_t *address)
{
	struct opened *one;

	if (!rt_ipc_possible()) {
		rt_message("memory of another process: this device is of one process alone; "
			   "memory is shared on /dev/vgpu, with a module that has "
			   "VGPU_IOC_MEM_OPEN");
		return vgpuErrorNotSupported;
	}
	if (!is_handle(handle, pool))
		return pool == &no_pool ? vgpuErrorInvalidResourceHandle : vgpuErrorInvalidValue;
	if (handle->device != rt_device_place((unsigned int)rt_device())) {
		rt_message("memory of another process: that of device %u cannot be used on "
			   "device %u", handle->device, rt_device_place((unsigned int)rt_device()));
		return vgpuErrorPeerAccessUnsupported;
	}
	if (rt_alloc_has_name(handle->name))
		return vgpuErrorDeviceUninitialized;
	one = find_opened(handle);
	if (!one)
		return open_new(handle, address);
	one->references++;
	*address = one->address;
	return vgpuSuccess;
}

vgpuError_t rt_ipc_open_pooled(const struct rt_ipc_memory *handle, const struct rt_pool_name *pool,
			       void **pointer)
{
	vgpuError_t error = rt_enter();
	uint64_t address;

	if (error != vgpuSuccess)
		return error;
	error = open_handle(handle, pool, &address);
	if (error == vgpuSuccess)
		*pointer = (void *)(uintptr_t)address;
	return rt_leave(error);
}

vgpuError_t rt_ipc_open(const struct rt_ipc_memory *handle, void **pointer)
{
	return rt_ipc_open_pooled(handle, &no_pool, pointer);
}

/* ---- close --------------------------------------------------------------- */

static vgpuError_t close_last(struct opened *one)
{
	struct opened **at = &all;
	vgpuError_t error;

	while (*at != one)
		at = &(*at)->next;
	*at = one->next;
	rt_current = one->context;
	error = rt_alloc_free_view(one->address);
	free(one);
	return error;
}

static vgpuError_t close_call(const void *pointer, bool pooled)
{
	uint64_t address = (uint64_t)(uintptr_t)pointer;
	struct rt_state *before = rt_current;
	vgpuError_t error = rt_enter();
	struct opened *one;

	if (error != vgpuSuccess)
		return error;
	one = find_address(address, pooled);
	if (one && one->references == 1) {
		rt_current = one->context;
		error = rt_sync_all();
		/* others may close it while the lock is given up */
		one = find_address(address, pooled);
	}
	if (error != vgpuSuccess)
		return leave_to(before, error);
	if (!one)
		return leave_to(before, vgpuErrorInvalidValue);
	if (--one->references)
		return leave_to(before, vgpuSuccess);
	return leave_to(before, close_last(one));
}

vgpuError_t rt_ipc_close(const void *pointer)
{
	return close_call(pointer, false);
}

vgpuError_t rt_ipc_close_pooled(const void *pointer)
{
	return close_call(pointer, true);
}

bool rt_ipc_is_pooled(const void *pointer)
{
	bool found;

	if (!__atomic_load_n(&any_pooled, __ATOMIC_RELAXED))
		return false;
	pthread_mutex_lock(&rt_lock);
	found = find_address((uint64_t)(uintptr_t)pointer, true);
	pthread_mutex_unlock(&rt_lock);
	return found;
}

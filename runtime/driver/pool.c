// SPDX-License-Identifier: MIT
/*
 * Driver API: pools of memory and stream-ordered allocation.
 */
#include <string.h>

#include "api/memory/pool_share.h"
#include "driver.h"

_Static_assert(sizeof(CUmemAccessDesc) == sizeof(struct rt_pool_access),
	       "a list of one is a list of the other");

static struct rt_pool *pool_of(CUmemoryPool pool)
{
	return (struct rt_pool *)(void *)pool;
}

static CUresult allocate(CUdeviceptr *pointer, size_t bytes, struct rt_pool *pool, CUstream stream)
{
	CUresult error = drv_check();
	void *memory = NULL;

	if (error == CUDA_SUCCESS && (!pointer || !bytes))
		error = CUDA_ERROR_INVALID_VALUE;
	if (error == CUDA_SUCCESS)
		error = drv_error(rt_pool_alloc(&memory, bytes, pool, drv_stream(stream)));
	if (error == CUDA_SUCCESS)
		*pointer = (CUdeviceptr)(uintptr_t)memory;
	return error;
}

CUresult cuMemAllocAsync(CUdeviceptr *pointer, size_t bytes, CUstream stream)
{
	return allocate(pointer, bytes, NULL, stream);
}

CUresult cuMemAllocFromPoolAsync(CUdeviceptr *pointer, size_t bytes, CUmemoryPool pool,
				 CUstream stream)
{
	return pool ? allocate(pointer, bytes, pool_of(pool), stream) : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemFreeAsync(CUdeviceptr pointer, CUstream stream)
{
	CUresult error = drv_check();

	if (error == CUDA_SUCCESS)
		error = drv_error(rt_free_async(drv_pointer(pointer), drv_stream(stream)));
	return error;
}

static CUresult device_pool(CUmemoryPool *pool, CUdevice device, bool chosen)
{
	CUresult error = drv_device(device);

	return error == CUDA_SUCCESS ?
		       drv_error(rt_pool_of(device, chosen, (struct rt_pool **)(void *)pool)) :
		       error;
}

CUresult cuDeviceGetDefaultMemPool(CUmemoryPool *pool, CUdevice device)
{
	return device_pool(pool, device, false);
}

CUresult cuDeviceGetMemPool(CUmemoryPool *pool, CUdevice device)
{
	return device_pool(pool, device, true);
}

CUresult cuDeviceSetMemPool(CUdevice device, CUmemoryPool pool)
{
	CUresult error = drv_device(device);

	return error == CUDA_SUCCESS ? drv_error(rt_pool_choose(device, pool_of(pool))) : error;
}

CUresult cuMemPoolCreate(CUmemoryPool *pool, const CUmemPoolProps *props)
{
	CUresult error = drv_initialised();

	if (error == CUDA_SUCCESS &&
	    (!pool || !props || props->allocType != CU_MEM_ALLOCATION_TYPE_PINNED ||
	     props->location.type != CU_MEM_LOCATION_TYPE_DEVICE))
		error = CUDA_ERROR_INVALID_VALUE;
	if (error != CUDA_SUCCESS)
		return error;
	if (props->handleTypes & ~(unsigned int)CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)
		return DRV_REFUSE("a handle for Windows or a fabric is");
	if (props->handleTypes == CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)
		return DRV_OF_DEVICE(rt_pool_create_shared(props->location.id, props->maxSize,
							   (struct rt_pool **)(void *)pool));
	return drv_error(rt_pool_create(props->location.id, props->maxSize,
					(struct rt_pool **)(void *)pool));
}

CUresult cuMemPoolDestroy(CUmemoryPool pool)
{
	CUresult error = drv_initialised();

	return error == CUDA_SUCCESS ? drv_error(rt_pool_destroy(pool_of(pool))) : error;
}

CUresult cuMemPoolTrimTo(CUmemoryPool pool, size_t keep)
{
	CUresult error = drv_initialised();

	return error == CUDA_SUCCESS ? drv_error(rt_pool_trim(pool_of(pool), keep)) : error;
}

CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void *value)
{
	CUresult error = drv_initialised();

	return error == CUDA_SUCCESS ?
		       drv_error(rt_pool_set(pool_of(pool), (int)attribute, value)) : error;
}

CUresult cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void *value)
{
	CUresult error = drv_initialised();

	return error == CUDA_SUCCESS ?
		       drv_error(rt_pool_get(pool_of(pool), (int)attribute, value)) : error;
}

CUresult cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc *list, size_t count)
{
	CUresult error = drv_initialised();
	vgpuError_t set;

	if (error != CUDA_SUCCESS)
		return error;
	set = rt_pool_set_access(pool_of(pool), (const void *)list, count);
	return set == vgpuErrorNotSupported ?
		       DRV_REFUSE("access to a pool from other devices is") : drv_error(set);
}

CUresult cuMemPoolGetAccess(CUmemAccess_flags *flags, CUmemoryPool pool, CUmemLocation *location)
{
	CUresult error = drv_initialised();
	int found = RT_POOL_NO_ACCESS;

	if (error == CUDA_SUCCESS &&
	    (!flags || !location || location->type != CU_MEM_LOCATION_TYPE_DEVICE))
		error = CUDA_ERROR_INVALID_VALUE;
	if (error == CUDA_SUCCESS)
		error = drv_error(rt_pool_get_access(pool_of(pool), location->id, &found));
	if (error == CUDA_SUCCESS)
		*flags = (CUmemAccess_flags)found;
	return error;
}

/* ---- pools of several processes ------------------------------------------- */

_Static_assert(sizeof(CUmemPoolPtrExportData) == sizeof(struct rt_ipc_memory),
	       "one kind of handle");

CUresult cuMemPoolExportToShareableHandle(void *handle, CUmemoryPool pool,
					  CUmemAllocationHandleType type, unsigned long long flags)
{
	CUresult error = drv_initialised();

	if (error == CUDA_SUCCESS && (flags || type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR))
		error = CUDA_ERROR_INVALID_VALUE;
	return error == CUDA_SUCCESS ? drv_error(rt_pool_export(pool_of(pool), handle)) : error;
}

/* The descriptor itself is passed, in the place of an address. */
CUresult cuMemPoolImportFromShareableHandle(CUmemoryPool *pool, void *handle,
					    CUmemAllocationHandleType type,
					    unsigned long long flags)
{
	CUresult error = drv_initialised();

	if (error == CUDA_SUCCESS && (flags || type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR))
		error = CUDA_ERROR_INVALID_VALUE;
	if (error != CUDA_SUCCESS)
		return error;
	return drv_error(rt_pool_import((int)(intptr_t)handle, (struct rt_pool **)(void *)pool));
}

CUresult cuMemPoolExportPointer(CUmemPoolPtrExportData *data, CUdeviceptr pointer)
{
	CUresult error = drv_check();
	struct rt_ipc_memory memory;

	if (error == CUDA_SUCCESS && !data)
		error = CUDA_ERROR_INVALID_VALUE;
	if (error == CUDA_SUCCESS)
		error = drv_error(rt_pool_export_pointer(drv_pointer(pointer), &memory));
	if (error == CUDA_SUCCESS)
		memcpy(data, &memory, sizeof(memory));
	return error;
}

CUresult cuMemPoolImportPointer(CUdeviceptr *pointer, CUmemoryPool pool,
				CUmemPoolPtrExportData *data)
{
	CUresult error = drv_check();
	struct rt_ipc_memory memory;
	void *address = NULL;

	if (error == CUDA_SUCCESS && (!pointer || !data))
		error = CUDA_ERROR_INVALID_VALUE;
	if (error != CUDA_SUCCESS)
		return error;
	memcpy(&memory, data, sizeof(memory));
	error = drv_error(rt_pool_import_pointer(pool_of(pool), &memory, &address));
	if (error == CUDA_SUCCESS)
		*pointer = (CUdeviceptr)(uintptr_t)address;
	return error;
}

// SPDX-License-Identifier: MIT
/*
 * CUDA names: pools and stream-ordered allocation.
 */
#include <string.h>

#include "api/memory/pool_share.h"
#include "calls.h"

_Static_assert(sizeof(struct cudaMemAccessDesc) == sizeof(struct rt_pool_access),
	       "a list of one is a list of the other");

static struct rt_pool *pool_of(cudaMemPool_t pool)
{
	return (struct rt_pool *)(void *)pool;
}

cudaError_t cudaMallocAsync(void **pointer, size_t bytes, cudaStream_t stream)
{
	return cuda_error(rt_pool_alloc(pointer, bytes, NULL, cuda_stream(stream)));
}

cudaError_t cudaMallocFromPoolAsync(void **pointer, size_t bytes, cudaMemPool_t pool,
				    cudaStream_t stream)
{
	return cuda_error(pool ? rt_pool_alloc(pointer, bytes, pool_of(pool),
					       cuda_stream(stream)) :
				 rt_result(vgpuErrorInvalidValue));
}

cudaError_t cudaFreeAsync(void *pointer, cudaStream_t stream)
{
	return cuda_error(rt_free_async(pointer, cuda_stream(stream)));
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device)
{
	return cuda_error(rt_pool_of(device, false, (struct rt_pool **)(void *)pool));
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int device)
{
	return cuda_error(rt_pool_of(device, true, (struct rt_pool **)(void *)pool));
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool)
{
	return cuda_error(rt_pool_choose(device, pool_of(pool)));
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const struct cudaMemPoolProps *props)
{
	if (!pool || !props || props->allocType != cudaMemAllocationTypePinned ||
	    props->location.type != cudaMemLocationTypeDevice)
		return cuda_error(rt_result(vgpuErrorInvalidValue));
	if (props->handleTypes & ~(unsigned int)cudaMemHandleTypePosixFileDescriptor)
		return CUDA_REFUSE("a handle for Windows or a fabric is");
	if (props->handleTypes == cudaMemHandleTypePosixFileDescriptor)
		return cuda_error(rt_pool_create_shared(props->location.id, props->maxSize,
							(struct rt_pool **)(void *)pool));
	return cuda_error(rt_pool_create(props->location.id, props->maxSize,
					 (struct rt_pool **)(void *)pool));
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool)
{
	return cuda_error(rt_pool_destroy(pool_of(pool)));
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t keep)
{
	return cuda_error(rt_pool_trim(pool_of(pool), keep));
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value)
{
	return cuda_error(rt_pool_set(pool_of(pool), (int)attribute, value));
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value)
{
	return cuda_error(rt_pool_get(pool_of(pool), (int)attribute, value));
}

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const struct cudaMemAccessDesc *list,
				 size_t count)
{
	vgpuError_t error = rt_pool_set_access(pool_of(pool), (const void *)list, count);

	return error == vgpuErrorNotSupported ?
		       CUDA_REFUSE("access to a pool from other devices is") : cuda_error(error);
}

cudaError_t cudaMemPoolGetAccess(enum cudaMemAccessFlags *flags, cudaMemPool_t pool,
				 struct cudaMemLocation *location)
{
	vgpuError_t error = vgpuErrorInvalidValue;
	int found = RT_POOL_NO_ACCESS;

	if (!flags || !location || location->type != cudaMemLocationTypeDevice)
		return cuda_error(rt_result(error));
	error = rt_pool_get_access(pool_of(pool), location->id, &found);
	if (error == vgpuSuccess)
		*flags = (enum cudaMemAccessFlags)found;
	return cuda_error(error);
}

/* ---- pools of several processes ------------------------------------------- */

_Static_assert(sizeof(struct cudaMemPoolPtrExportData) == sizeof(struct rt_ipc_memory),
	       "one kind of handle");

cudaError_t cudaMemPoolExportToShareableHandle(void *handle, cudaMemPool_t pool,
					       enum cudaMemAllocationHandleType type,
					       unsigned int flags)
{
	if (flags || type != cudaMemHandleTypePosixFileDescriptor)
		return cuda_error(rt_result(vgpuErrorInvalidValue));
	return cuda_error(rt_pool_export(pool_of(pool), handle));
}

/* The descriptor itself is passed, in the place of an address. */
cudaError_t cudaMemPoolImportFromShareableHandle(cudaMemPool_t *pool, void *handle,
						 enum cudaMemAllocationHandleType type,
						 unsigned int flags)
{
	if (flags || type != cudaMemHandleTypePosixFileDescriptor)
		return cuda_error(rt_result(vgpuErrorInvalidValue));
	return cuda_error(rt_pool_import((int)(intptr_t)handle, (struct rt_pool **)(void *)pool));
}

cudaError_t cudaMemPoolExportPointer(struct cudaMemPoolPtrExportData *data, void *pointer)
{
	struct rt_ipc_memory memory;
	vgpuError_t error;

	if (!data)
		return cuda_error(rt_result(vgpuErrorInvalidValue));
	error = rt_pool_export_pointer(pointer, &memory);
	if (error == vgpuSuccess)
		memcpy(data, &memory, sizeof(memory));
	return cuda_error(error);
}

cudaError_t cudaMemPoolImportPointer(void **pointer, cudaMemPool_t pool,
				     struct cudaMemPoolPtrExportData *data)
{
	struct rt_ipc_memory memory;

	if (!data)
		return cuda_error(rt_result(vgpuErrorInvalidValue));
	memcpy(&memory, data, sizeof(memory));
	return cuda_error(rt_pool_import_pointer(pool_of(pool), &memory, pointer));
}

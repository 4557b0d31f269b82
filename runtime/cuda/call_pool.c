// SPDX-License-Identifier: MIT
/*
 * CUDA names: pools and stream-ordered allocation.
 */
#include "api/memory/pool.h"
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
	if (props->handleTypes != cudaMemHandleTypeNone)
		return CUDA_REFUSE("a pool shared between processes is");
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

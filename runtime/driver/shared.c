// SPDX-License-Identifier: MIT
/*
 * Driver API: pools of memory, stream-ordered allocation, and advice about managed memory. These
 * are in the files of runtime/cuda that have them for both APIs, whose handles and structs are the
 * same; here they get the driver's names and codes.
 */
#include "driver.h"

static CUresult result(cudaError_t error)
{
	return drv_error((vgpuError_t)error);
}

CUresult cuMemAllocAsync(CUdeviceptr *pointer, size_t bytes, CUstream stream)
{
	CUresult error = drv_check();

	if (error == CUDA_SUCCESS && (!pointer || !bytes))
		error = CUDA_ERROR_INVALID_VALUE;
	return error == CUDA_SUCCESS ? result(cudaMallocAsync((void **)pointer, bytes, stream)) :
				       error;
}

CUresult cuMemAllocFromPoolAsync(CUdeviceptr *pointer, size_t bytes, CUmemoryPool pool,
				 CUstream stream)
{
	CUresult error = drv_check();

	if (error == CUDA_SUCCESS && (!pointer || !bytes))
		error = CUDA_ERROR_INVALID_VALUE;
	return error == CUDA_SUCCESS ?
		       result(cudaMallocFromPoolAsync((void **)pointer, bytes, pool, stream)) :
		       error;
}

CUresult cuMemFreeAsync(CUdeviceptr pointer, CUstream stream)
{
	CUresult error = drv_check();

	if (error == CUDA_SUCCESS)
		drv_disown(DRV_MEMORY, drv_pointer(pointer));
	return error == CUDA_SUCCESS ? result(cudaFreeAsync(drv_pointer(pointer), stream)) : error;
}

CUresult cuDeviceGetDefaultMemPool(CUmemoryPool *pool, CUdevice device)
{
	CUresult error = drv_device(device);

	return error == CUDA_SUCCESS ? result(cudaDeviceGetDefaultMemPool(pool, device)) : error;
}

CUresult cuDeviceGetMemPool(CUmemoryPool *pool, CUdevice device)
{
	CUresult error = drv_device(device);

	return error == CUDA_SUCCESS ? result(cudaDeviceGetMemPool(pool, device)) : error;
}

CUresult cuDeviceSetMemPool(CUdevice device, CUmemoryPool pool)
{
	CUresult error = drv_device(device);

	return error == CUDA_SUCCESS ? result(cudaDeviceSetMemPool(device, pool)) : error;
}

CUresult cuMemPoolCreate(CUmemoryPool *pool, const CUmemPoolProps *props)
{
	CUresult error = drv_initialised();

	return error == CUDA_SUCCESS ?
		       result(cudaMemPoolCreate(pool, (const struct cudaMemPoolProps *)props)) :
		       error;
}

CUresult cuMemPoolDestroy(CUmemoryPool pool)
{
	CUresult error = drv_initialised();

	return error == CUDA_SUCCESS ? result(cudaMemPoolDestroy(pool)) : error;
}

CUresult cuMemPoolTrimTo(CUmemoryPool pool, size_t keep)
{
	CUresult error = drv_initialised();

	return error == CUDA_SUCCESS ? result(cudaMemPoolTrimTo(pool, keep)) : error;
}

CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void *value)
{
	CUresult error = drv_initialised();

	return error == CUDA_SUCCESS ?
		       result(cudaMemPoolSetAttribute(pool, (enum cudaMemPoolAttr)attribute,
						      value)) :
		       error;
}

CUresult cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void *value)
{
	CUresult error = drv_initialised();

	return error == CUDA_SUCCESS ?
		       result(cudaMemPoolGetAttribute(pool, (enum cudaMemPoolAttr)attribute,
						      value)) :
		       error;
}

CUresult cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc *list, size_t count)
{
	CUresult error = drv_initialised();

	return error == CUDA_SUCCESS ?
		       result(cudaMemPoolSetAccess(pool, (const struct cudaMemAccessDesc *)list,
						   count)) :
		       error;
}

CUresult cuMemPoolGetAccess(CUmemAccess_flags *flags, CUmemoryPool pool, CUmemLocation *location)
{
	CUresult error = drv_initialised();

	return error == CUDA_SUCCESS ?
		       result(cudaMemPoolGetAccess((enum cudaMemAccessFlags *)flags, pool,
						   (struct cudaMemLocation *)location)) :
		       error;
}

CUresult cuMemAdvise(CUdeviceptr pointer, size_t bytes, CUmem_advise advice, CUdevice device)
{
	CUresult error = drv_check();

	return error == CUDA_SUCCESS ?
		       result(cudaMemAdvise(drv_pointer(pointer), bytes,
					    (enum cudaMemoryAdvise)advice, device)) :
		       error;
}

CUresult cuMemAdvise_v2(CUdeviceptr pointer, size_t bytes, CUmem_advise advice,
			CUmemLocation location)
{
	struct cudaMemLocation place = { (enum cudaMemLocationType)location.type, location.id };
	CUresult error = drv_check();

	return error == CUDA_SUCCESS ?
		       result(cudaMemAdvise_v2(drv_pointer(pointer), bytes,
					       (enum cudaMemoryAdvise)advice, place)) :
		       error;
}

CUresult cuMemRangeGetAttribute(void *data, size_t data_bytes, int attribute, CUdeviceptr pointer,
				size_t bytes)
{
	CUresult error = drv_check();

	return error == CUDA_SUCCESS ?
		       result(cudaMemRangeGetAttribute(data, data_bytes,
						       (enum cudaMemRangeAttribute)attribute,
						       drv_pointer(pointer), bytes)) :
		       error;
}

// SPDX-License-Identifier: MIT
/*
 * Driver API: prefetches of managed memory, and advice about it.
 */
#include "api/memory/managed.h"
#include "driver.h"

static struct rt_location location_of(CUmemLocation location)
{
	return (struct rt_location){ (int)location.type, location.id };
}

CUresult cuMemPrefetchAsync(CUdeviceptr pointer, size_t bytes, CUdevice device, CUstream stream)
{
	CUresult error = drv_check();

	return error == CUDA_SUCCESS ?
		       drv_error(rt_prefetch(drv_pointer(pointer), bytes, device,
					     drv_stream(stream))) :
		       error;
}

CUresult cuMemPrefetchAsync_v2(CUdeviceptr pointer, size_t bytes, CUmemLocation location,
			       unsigned int flags, CUstream stream)
{
	CUresult error = drv_check();

	if (error == CUDA_SUCCESS && flags)
		error = CUDA_ERROR_INVALID_VALUE;
	return error == CUDA_SUCCESS ?
		       drv_error(rt_prefetch_at(drv_pointer(pointer), bytes, location_of(location),
						drv_stream(stream))) :
		       error;
}

CUresult cuMemAdvise(CUdeviceptr pointer, size_t bytes, CUmem_advise advice, CUdevice device)
{
	CUresult error = drv_check();

	return error == CUDA_SUCCESS ?
		       drv_error(rt_advise(drv_pointer(pointer), bytes, (int)advice, device)) :
		       error;
}

CUresult cuMemAdvise_v2(CUdeviceptr pointer, size_t bytes, CUmem_advise advice,
			CUmemLocation location)
{
	CUresult error = drv_check();

	return error == CUDA_SUCCESS ?
		       drv_error(rt_advise_at(drv_pointer(pointer), bytes, (int)advice,
					      location_of(location))) :
		       error;
}

CUresult cuMemRangeGetAttribute(void *data, size_t data_bytes, int attribute, CUdeviceptr pointer,
				size_t bytes)
{
	CUresult error = drv_check();

	return error == CUDA_SUCCESS ?
		       drv_error(rt_advice_ask(&data, &data_bytes, &attribute, 1,
					       drv_pointer(pointer), bytes)) :
		       error;
}

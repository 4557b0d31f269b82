// SPDX-License-Identifier: MIT
/*
 * Driver API: devices, what they are like, and that none is a peer of another.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/attributes.h"
#include "driver.h"

CUresult drv_device(CUdevice device)
{
	CUresult error = drv_initialised();

	if (error != CUDA_SUCCESS)
		return error;
	return device >= 0 && (unsigned int)device < rt_device_count() ? CUDA_SUCCESS :
									 CUDA_ERROR_INVALID_DEVICE;
}

CUresult drv_properties(CUdevice device, vgpuDeviceProperties *properties)
{
	CUresult error = drv_device(device);
	bool entered = rt_thread_entered;

	if (error != CUDA_SUCCESS)
		return error;
	error = drv_error(vgpuGetDeviceProperties(properties, device));
	rt_thread_entered = entered;
	return error;
}

CUresult cuDriverGetVersion(int *version)
{
	if (!version)
		return CUDA_ERROR_INVALID_VALUE;
	*version = RT_DRIVER_VERSION;
	return CUDA_SUCCESS;
}

CUresult cuModuleGetLoadingMode(CUmoduleLoadingMode *mode)
{
	if (!mode)
		return CUDA_ERROR_INVALID_VALUE;
	*mode = CU_MODULE_LAZY_LOADING;
	return drv_initialised();
}

CUresult cuDeviceGet(CUdevice *device, int ordinal)
{
	CUresult error = drv_initialised();

	if (error == CUDA_SUCCESS && !device)
		error = CUDA_ERROR_INVALID_VALUE;
	if (error == CUDA_SUCCESS)
		error = drv_device(ordinal);
	if (error == CUDA_SUCCESS)
		*device = ordinal;
	return error;
}

CUresult cuDeviceGetCount(int *count)
{
	CUresult error = drv_initialised();

	if (error == CUDA_SUCCESS && !count)
		error = CUDA_ERROR_INVALID_VALUE;
	if (error == CUDA_SUCCESS)
		*count = (int)rt_device_count();
	return error;
}

CUresult cuDeviceGetName(char *name, int bytes, CUdevice device)
{
	vgpuDeviceProperties properties;
	CUresult error;

	if (!name || bytes <= 0)
		return CUDA_ERROR_INVALID_VALUE;
	error = drv_properties(device, &properties);
	if (error == CUDA_SUCCESS)
		snprintf(name, (size_t)bytes, "%s", properties.name);
	return error;
}

/* "vgpu", and the number at the end, as cudaDeviceProp.uuid. */
CUresult cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice device)
{
	CUresult error = drv_device(device);

	if (error == CUDA_SUCCESS && !uuid)
		error = CUDA_ERROR_INVALID_VALUE;
	if (error != CUDA_SUCCESS)
		return error;
	memset(uuid, 0, sizeof(*uuid));
	memcpy(uuid->bytes, "vgpu", 4);
	uuid->bytes[15] = (char)rt_device_place((unsigned int)device);
	return CUDA_SUCCESS;
}

#undef cuDeviceGetUuid
CUresult cuDeviceGetUuid(CUuuid *uuid, CUdevice device)
{
	return cuDeviceGetUuid_v2(uuid, device);
}

CUresult cuDeviceGetLuid(char *luid, unsigned int *mask, CUdevice device)
{
	CUresult error = drv_device(device);

	(void)luid, (void)mask;
	return error == CUDA_SUCCESS ? DRV_REFUSE("the identifier of Windows is") : error;
}

CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice device)
{
	vgpuDeviceProperties properties;
	CUresult error;

	if (!bytes)
		return CUDA_ERROR_INVALID_VALUE;
	error = drv_properties(device, &properties);
	if (error == CUDA_SUCCESS)
		*bytes = properties.total_memory;
	return error;
}

CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device)
{
	vgpuDeviceProperties properties;
	CUresult error;

	if (!value)
		return CUDA_ERROR_INVALID_VALUE;
	error = drv_properties(device, &properties);
	if (error == CUDA_SUCCESS)
		error = drv_error(rt_device_attribute((int)attribute, &properties, device, value));
	return error;
}

CUresult cuDeviceGetProperties(CUdevprop *properties, CUdevice device)
{
	static const CUdevice_attribute attributes[] = {
		CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X,
		CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z,
		CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y,
		CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z,
		CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK,
		CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY, CU_DEVICE_ATTRIBUTE_WARP_SIZE,
		CU_DEVICE_ATTRIBUTE_MAX_PITCH, CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK,
		CU_DEVICE_ATTRIBUTE_CLOCK_RATE, CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT,
	};
	int values[sizeof(attributes) / sizeof(attributes[0])];
	CUresult error = properties ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;

	_Static_assert(sizeof(values) == sizeof(*properties), "CUdevprop has these, in this order");
	for (size_t i = 0; error == CUDA_SUCCESS && i < sizeof(values) / sizeof(values[0]); i++)
		error = cuDeviceGetAttribute(&values[i], attributes[i], device);
	if (error == CUDA_SUCCESS)
		memcpy(properties, values, sizeof(values));
	return error;
}

CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice device)
{
	vgpuDeviceProperties properties;
	CUresult error;

	if (!major || !minor)
		return CUDA_ERROR_INVALID_VALUE;
	error = drv_properties(device, &properties);
	if (error == CUDA_SUCCESS) {
		*major = properties.major;
		*minor = properties.minor;
	}
	return error;
}

/* The devices are on no bus; each has a number that none of this machine has. */
CUresult cuDeviceGetPCIBusId(char *id, int bytes, CUdevice device)
{
	CUresult error = drv_device(device);

	if (error == CUDA_SUCCESS && (!id || bytes < 13))
		error = CUDA_ERROR_INVALID_VALUE;
	if (error == CUDA_SUCCESS)
		snprintf(id, (size_t)bytes, "0000:%02x:00.0",
			 rt_device_place((unsigned int)device) & 0xff);
	return error;
}

/* With the domain or without. */
CUresult cuDeviceGetByPCIBusId(CUdevice *device, const char *id)
{
	CUresult error = drv_initialised();
	unsigned int domain = 0, bus, slot, function = 0;

	if (error == CUDA_SUCCESS && (!device || !id))
		error = CUDA_ERROR_INVALID_VALUE;
	if (error != CUDA_SUCCESS)
		return error;
	if (sscanf(id, "%x:%x:%x.%x", &domain, &bus, &slot, &function) < 3) {
		domain = 0;
		if (sscanf(id, "%x:%x.%x", &bus, &slot, &function) < 2)
			return CUDA_ERROR_INVALID_VALUE;
	}
	for (unsigned int i = 0; i < rt_device_count(); i++)
		if (!domain && !slot && !function && bus == (rt_device_place(i) & 0xff)) {
			*device = (CUdevice)i;
			return CUDA_SUCCESS;
		}
	return CUDA_ERROR_INVALID_DEVICE;
}

CUresult cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice peer)
{
	CUresult error = drv_device(device);

	if (error == CUDA_SUCCESS)
		error = drv_device(peer);
	if (error == CUDA_SUCCESS && !can)
		error = CUDA_ERROR_INVALID_VALUE;
	if (error == CUDA_SUCCESS)
		*can = 0;
	return error;
}

CUresult cuDeviceGetP2PAttribute(int *value, int attribute, CUdevice device, CUdevice peer)
{
	CUresult error = cuDeviceCanAccessPeer(value, device, peer);

	if (error == CUDA_SUCCESS && (attribute < 1 || attribute > 5))
		error = CUDA_ERROR_INVALID_VALUE;
	if (error == CUDA_SUCCESS && device == peer)
		error = CUDA_ERROR_INVALID_DEVICE;
	return error;
}

CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned int flags)
{
	CUresult error = drv_check();

	if (error != CUDA_SUCCESS)
		return error;
	if (!drv_context_known(peer) || peer == drv_current())
		return CUDA_ERROR_INVALID_CONTEXT;
	return flags ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_PEER_ACCESS_UNSUPPORTED;
}

CUresult cuCtxDisablePeerAccess(CUcontext peer)
{
	CUresult error = drv_check();

	if (error != CUDA_SUCCESS)
		return error;
	return drv_context_known(peer) ? CUDA_ERROR_PEER_ACCESS_NOT_ENABLED :
					 CUDA_ERROR_INVALID_CONTEXT;
}

/* ---- limits and hints ---------------------------------------------------- */

CUresult cuCtxGetLimit(size_t *value, CUlimit limit)
{
	CUresult error = drv_check();

	if (error != CUDA_SUCCESS)
		return error;
	if (!value)
		return CUDA_ERROR_INVALID_VALUE;
	switch (limit) {
	case CU_LIMIT_STACK_SIZE:
		return drv_error(vgpuDeviceGetStackSize(value));
	case CU_LIMIT_PRINTF_FIFO_SIZE:
		return drv_error(vgpuDeviceGetPrintfSize(value));
	case CU_LIMIT_MALLOC_HEAP_SIZE:
		return drv_error(vgpuDeviceGetHeapSize(value));
	default:
		return CUDA_ERROR_UNSUPPORTED_LIMIT;
	}
}

CUresult cuCtxSetLimit(CUlimit limit, size_t value)
{
	CUresult error = drv_check();

	if (error != CUDA_SUCCESS)
		return error;
	switch (limit) {
	case CU_LIMIT_STACK_SIZE:
		return drv_error(vgpuDeviceSetStackSize(value));
	case CU_LIMIT_PRINTF_FIFO_SIZE:
		return drv_error(vgpuDeviceSetPrintfSize(value));
	case CU_LIMIT_MALLOC_HEAP_SIZE:
		return drv_error(vgpuDeviceSetHeapSize(value));
	default:
		return CUDA_ERROR_UNSUPPORTED_LIMIT;
	}
}

/* The device chooses its shared memory by what a kernel needs. */
CUresult cuCtxGetCacheConfig(CUfunc_cache *config)
{
	CUresult error = drv_check();

	if (error == CUDA_SUCCESS && !config)
		error = CUDA_ERROR_INVALID_VALUE;
	if (error == CUDA_SUCCESS)
		*config = CU_FUNC_CACHE_PREFER_NONE;
	return error;
}

CUresult cuCtxSetCacheConfig(CUfunc_cache config)
{
	CUresult error = drv_check();

	return error != CUDA_SUCCESS ? error :
	       (unsigned int)config > CU_FUNC_CACHE_PREFER_EQUAL ? CUDA_ERROR_INVALID_VALUE :
								   CUDA_SUCCESS;
}

CUresult cuCtxGetSharedMemConfig(CUsharedconfig *config)
{
	CUresult error = drv_check();

	if (error == CUDA_SUCCESS && !config)
		error = CUDA_ERROR_INVALID_VALUE;
	if (error == CUDA_SUCCESS)
		*config = CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE;
	return error;
}

CUresult cuCtxSetSharedMemConfig(CUsharedconfig config)
{
	CUresult error = drv_check();

	return error != CUDA_SUCCESS ? error :
	       (unsigned int)config > CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE ?
		       CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

CUresult cuCtxGetStreamPriorityRange(int *least, int *greatest)
{
	CUresult error = drv_check();

	return error == CUDA_SUCCESS ? drv_error(vgpuStreamPriorityRange(least, greatest)) : error;
}

CUresult cuCtxResetPersistingL2Cache(void)
{
	return drv_check();
}

CUresult cuProfilerStart(void)
{
	return drv_check();
}

CUresult cuProfilerStop(void)
{
	return drv_check();
}

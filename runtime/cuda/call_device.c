// SPDX-License-Identifier: MIT
/*
 * CUDA names: devices, their properties, errors, limits.
 */
#include <stdio.h>
#include <string.h>

#include "api/attributes.h"
#include "api/modules/launches.h"
#include "api/textures/texture_limits.h"
#include "calls.h"

#define VERSION	CUDART_VERSION

cudaError_t cudaGetDeviceCount(int *count)
{
	return cuda_error(vgpuGetDeviceCount(count));
}

cudaError_t cudaGetDevice(int *device)
{
	return cuda_error(vgpuGetDevice(device));
}

cudaError_t cudaSetDevice(int device)
{
	return cuda_error(vgpuSetDevice(device));
}

/* Remembered, and without effect: how a wait is done is up to the transport. */
static unsigned int device_flags_of[RT_DEVICES];

static bool flags_valid(unsigned int flags)
{
	unsigned int schedule = flags & cudaDeviceScheduleMask;

	return !(flags & ~(cudaDeviceScheduleMask | cudaDeviceMapHost |
			   cudaDeviceLmemResizeToMax)) &&
	       !(schedule & (schedule - 1));
}

cudaError_t cudaSetDeviceFlags(unsigned int flags)
{
	if (!flags_valid(flags))
		return cuda_error(rt_result(vgpuErrorInvalidValue));
	__atomic_store_n(&device_flags_of[rt_device()], flags, __ATOMIC_RELAXED);
	return cudaSuccess;
}

/* Host memory is mapped whether the program asks for it or not, where it can be. */
cudaError_t cudaGetDeviceFlags(unsigned int *flags)
{
	vgpuDeviceProperties properties;
	vgpuError_t error;

	if (!flags)
		return cuda_error(rt_result(vgpuErrorInvalidValue));
	error = vgpuGetDeviceProperties(&properties, rt_device());
	if (error != vgpuSuccess)
		return cuda_error(error);
	*flags = __atomic_load_n(&device_flags_of[rt_device()], __ATOMIC_RELAXED);
	if (properties.host_memory)
		*flags |= cudaDeviceMapHost;
	return cudaSuccess;
}

static bool device_there(int device)
{
	return device >= 0 && (unsigned int)device < rt_device_count();
}

cudaError_t cudaSetValidDevices(int *devices, int count)
{
	for (int i = 0; devices && i < count; i++)
		if (!device_there(devices[i]))
			return cuda_error(rt_result(vgpuErrorInvalidDevice));
	return cudaSuccess;
}

cudaError_t cudaChooseDevice(int *device, const struct cudaDeviceProp *prop)
{
	if (!device || !prop)
		return cuda_error(rt_result(vgpuErrorInvalidValue));
	*device = 0;
	return cudaSuccess;
}

/* The largest textures and surfaces. */
static void texture_limits(struct cudaDeviceProp *prop)
{
	prop->maxTexture1D = prop->maxSurface1D = RT_TEXTURE_1D;
	prop->maxTexture1DMipmap = prop->maxTextureCubemap = prop->maxSurfaceCubemap =
		RT_TEXTURE_LAYERED;
	prop->maxTexture1DLinear = RT_TEXTURE_LINEAR;
	prop->maxTexture2D[0] = prop->maxSurface2D[0] = RT_TEXTURE_1D;
	prop->maxTexture2D[1] = prop->maxSurface2D[1] = RT_TEXTURE_2D_HEIGHT;
	prop->maxTexture2DLinear[0] = RT_TEXTURE_PITCHED;
	prop->maxTexture2DLinear[1] = RT_TEXTURE_ROWS;
	prop->maxTexture2DLinear[2] = RT_TEXTURE_PITCH;
	for (int i = 0; i < 2; i++) {
		prop->maxTexture2DMipmap[i] = prop->maxTexture2DGather[i] = RT_TEXTURE_LAYERED;
		prop->maxTexture2DLayered[i] = prop->maxSurface2DLayered[i] = RT_TEXTURE_LAYERED;
	}
	for (int i = 0; i < 3; i++)
		prop->maxTexture3D[i] = prop->maxTexture3DAlt[i] = prop->maxSurface3D[i] =
			RT_TEXTURE_3D;
	prop->maxTexture1DLayered[0] = prop->maxSurface1DLayered[0] = RT_TEXTURE_LAYERED;
	prop->maxTexture1DLayered[1] = prop->maxSurface1DLayered[1] = RT_TEXTURE_LAYERS;
	prop->maxTexture2DLayered[2] = prop->maxSurface2DLayered[2] = RT_TEXTURE_LAYERS;
	prop->maxTextureCubemapLayered[0] = prop->maxSurfaceCubemapLayered[0] =
		RT_TEXTURE_LAYERED;
	prop->maxTextureCubemapLayered[1] = prop->maxSurfaceCubemapLayered[1] =
		RT_TEXTURE_CUBE_LAYERS;
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *prop, int device)
{
	vgpuDeviceProperties found;
	vgpuError_t error;

	if (!prop)
		return cuda_error(rt_result(vgpuErrorInvalidValue));
	error = vgpuGetDeviceProperties(&found, device);
	if (error != vgpuSuccess)
		return cuda_error(error);
	memset(prop, 0, sizeof(*prop));
	memcpy(prop->name, found.name, sizeof(prop->name));
	memcpy(prop->uuid.bytes, "vgpu", 4);
	prop->uuid.bytes[15] = (char)rt_device_place((unsigned int)device);
	prop->totalGlobalMem = found.total_memory;
	prop->sharedMemPerBlock = found.shared_per_block_default;
	prop->regsPerBlock = found.regs_per_block;
	prop->warpSize = found.warp_size;
	prop->memPitch = 0x7fffffff;
	prop->maxThreadsPerBlock = found.threads_per_block;
	for (int i = 0; i < 3; i++) {
		prop->maxThreadsDim[i] = found.block_limit[i];
		prop->maxGridSize[i] = found.grid_limit[i];
	}
	prop->clockRate = found.clock_khz;
	prop->totalConstMem = found.const_memory;
	prop->major = found.major;
	prop->minor = found.minor;
	prop->textureAlignment = 512;
	prop->texturePitchAlignment = RT_TEXTURE_PITCH_ALIGNMENT;
	texture_limits(prop);
	prop->deviceOverlap = 1;
	prop->multiProcessorCount = found.sms;
	prop->surfaceAlignment = 512;
	prop->concurrentKernels = 1;
	prop->streamPrioritiesSupported = found.stream_priorities;
	prop->cooperativeLaunch = found.cooperative_launch;
	prop->pciBusID = (int)rt_device_place((unsigned int)device);
	prop->hostRegisterSupported = 1;
	prop->hostRegisterReadOnlySupported = found.host_memory;
	prop->canMapHostMemory = found.host_memory;
	prop->canUseHostPointerForRegisteredMem = found.host_memory;
	prop->hostNativeAtomicSupported = found.host_memory;
	prop->pageableMemoryAccess = found.process_memory;
	prop->pageableMemoryAccessUsesHostPageTables = found.process_memory;
	prop->memoryPoolsSupported = 1;
	prop->memoryPoolSupportedHandleTypes = (unsigned int)found.exports_memory;
	prop->ipcEventSupported = 1;
	prop->asyncEngineCount = found.copy_engines;
	prop->unifiedAddressing = 1;
	prop->managedMemory = found.managed_memory;
	prop->concurrentManagedAccess = found.managed_memory;
	/* from the bandwidth: two transfers a clock */
	prop->memoryBusWidth = found.memory_bus_bits ? found.memory_bus_bits : 256;
	prop->memoryClockRate = (int)(found.memory_bandwidth * 4 /
				      (unsigned int)prop->memoryBusWidth / 1000);
	prop->l2CacheSize = found.l2_bytes;
	prop->maxThreadsPerMultiProcessor = found.threads_per_sm;
	prop->sharedMemPerMultiprocessor = found.shared_per_sm;
	prop->regsPerMultiprocessor = found.regs_per_sm;
	prop->singleToDoublePrecisionPerfRatio = 3;
	prop->sharedMemPerBlockOptin = found.shared_per_block;
	prop->maxBlocksPerMultiProcessor = found.blocks_per_sm;
	return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attr, int device)
{
	vgpuDeviceProperties properties;
	vgpuError_t error;

	if (!value)
		return cuda_error(rt_result(vgpuErrorInvalidValue));
	error = vgpuGetDeviceProperties(&properties, device);
	if (error == vgpuSuccess)
		error = rt_result(rt_device_attribute((int)attr, &properties, device, value));
	return cuda_error(error);
}

/* The devices are on no bus; each is told apart by a number that none of this machine has. */
cudaError_t cudaDeviceGetPCIBusId(char *bus, int len, int device)
{
	if (!bus || len < 13)
		return cuda_error(rt_result(vgpuErrorInvalidValue));
	if (!device_there(device))
		return cuda_error(rt_result(vgpuErrorInvalidDevice));
	snprintf(bus, (size_t)len, "0000:%02x:00.0", rt_device_place((unsigned int)device) & 0xff);
	return cudaSuccess;
}

cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *bus)
{
	unsigned int domain = 0, number, slot, function = 0;

	if (!device || !bus)
		return cuda_error(rt_result(vgpuErrorInvalidValue));
	if (sscanf(bus, "%x:%x:%x.%x", &domain, &number, &slot, &function) < 3) {
		domain = 0;
		if (sscanf(bus, "%x:%x.%x", &number, &slot, &function) != 3)
			return cuda_error(rt_result(vgpuErrorInvalidValue));
	}
	for (int i = 0; !domain && !slot && !function && device_there(i); i++)
		if (rt_device_place((unsigned int)i) == number) {
			*device = i;
			return cudaSuccess;
		}
	return cuda_error(rt_result(vgpuErrorInvalidDevice));
}

cudaError_t cudaInitDevice(int device, unsigned int device_flags, unsigned int flags)
{
	if (flags & ~1u || (flags && !flags_valid(device_flags)))
		return cuda_error(rt_result(vgpuErrorInvalidValue));
	if (!device_there(device))
		return cuda_error(rt_result(vgpuErrorInvalidDevice));
	if (flags)
		__atomic_store_n(&device_flags_of[device], device_flags, __ATOMIC_RELAXED);
	return cudaSuccess;
}

cudaError_t cudaDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr attr, int device, int peer)
{
	if (!value || attr < cudaDevP2PAttrPerformanceRank ||
	    attr > cudaDevP2PAttrCudaArrayAccessSupported)
		return cuda_error(rt_result(vgpuErrorInvalidValue));
	if (!device_there(device) || !device_there(peer) || device == peer)
		return cuda_error(rt_result(vgpuErrorInvalidDevice));
	*value = 0;
	return cudaSuccess;
}

/* There is no cache that persists. */
cudaError_t cudaCtxResetPersistingL2Cache(void)
{
	return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize(void)
{
	return cuda_error(vgpuDeviceSynchronize());
}

cudaError_t cudaThreadSynchronize(void)
{
	return cudaDeviceSynchronize();
}

cudaError_t cudaDeviceReset(void)
{
	return cuda_error(vgpuDeviceReset());
}

cudaError_t cudaThreadExit(void)
{
	return cudaDeviceReset();
}

/* What a limit is about, for the message that refuses it. */
static const char *limit_for(enum cudaLimit limit)
{
	switch (limit) {
	case cudaLimitDevRuntimeSyncDepth:
		return "waiting for kernels in kernels is";
	default:
		return "an L2 cache is";
	}
}

/* The others are for things the device does not have. */
cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value)
{
	if ((unsigned int)limit > cudaLimitPersistingL2CacheSize)
		return cuda_error(rt_result(vgpuErrorInvalidValue));
	if (limit == cudaLimitStackSize)
		return cuda_error(vgpuDeviceSetStackSize(value));
	if (limit == cudaLimitMallocHeapSize)
		return cuda_error(vgpuDeviceSetHeapSize(value));
	if (limit == cudaLimitPrintfFifoSize)
		return cuda_error(vgpuDeviceSetPrintfSize(value));
	if (limit == cudaLimitDevRuntimePendingLaunchCount)
		return cuda_error(rt_launches_set_limit(value));
	return CUDA_REFUSE(limit_for(limit));
}

cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit limit)
{
	if (!value)
		return cuda_error(rt_result(vgpuErrorInvalidValue));
	if ((unsigned int)limit > cudaLimitPersistingL2CacheSize)
		return cuda_error(rt_result(vgpuErrorInvalidValue));
	if (limit == cudaLimitMallocHeapSize)
		return cuda_error(vgpuDeviceGetHeapSize(value));
	if (limit == cudaLimitPrintfFifoSize)
		return cuda_error(vgpuDeviceGetPrintfSize(value));
	if (limit == cudaLimitStackSize)
		return cuda_error(vgpuDeviceGetStackSize(value));
	if (limit == cudaLimitDevRuntimePendingLaunchCount)
		return cuda_error(rt_launches_get_limit(value));
	return CUDA_REFUSE(limit_for(limit));
}

cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache config)
{
	return (unsigned int)config > cudaFuncCachePreferEqual ?
		       cuda_error(rt_result(vgpuErrorInvalidValue)) :
		       cudaSuccess;
}

cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache *config)
{
	if (!config)
		return cuda_error(rt_result(vgpuErrorInvalidValue));
	*config = cudaFuncCachePreferNone;
	return cudaSuccess;
}

cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig config)
{
	return (unsigned int)config > cudaSharedMemBankSizeEightByte ?
		       cuda_error(rt_result(vgpuErrorInvalidValue)) :
		       cudaSuccess;
}

cudaError_t cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *config)
{
	if (!config)
		return cuda_error(rt_result(vgpuErrorInvalidValue));
	*config = cudaSharedMemBankSizeFourByte;
	return cudaSuccess;
}

cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
	return cuda_error(vgpuStreamPriorityRange(least, greatest));
}

cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer)
{
	if (!can)
		return cuda_error(rt_result(vgpuErrorInvalidValue));
	if (!device_there(device) || !device_there(peer))
		return cuda_error(rt_result(vgpuErrorInvalidDevice));
	*can = 0;
	return cudaSuccess;
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned int flags)
{
	if (flags)
		return cuda_error(rt_result(vgpuErrorInvalidValue));
	return cuda_error(rt_result(device_there(peer) && peer != rt_device() ?
					    vgpuErrorPeerAccessUnsupported :
					    vgpuErrorInvalidDevice));
}

cudaError_t cudaDeviceDisablePeerAccess(int peer)
{
	return cuda_error(rt_result(device_there(peer) && peer != rt_device() ?
					    vgpuErrorPeerAccessNotEnabled :
					    vgpuErrorInvalidDevice));
}

/* Names of before CUDA 4, which the others replaced. */
cudaError_t cudaThreadSetLimit(enum cudaLimit limit, size_t value)
{
	return cudaDeviceSetLimit(limit, value);
}

cudaError_t cudaThreadGetLimit(size_t *value, enum cudaLimit limit)
{
	return cudaDeviceGetLimit(value, limit);
}

cudaError_t cudaThreadSetCacheConfig(enum cudaFuncCache config)
{
	return cudaDeviceSetCacheConfig(config);
}

cudaError_t cudaThreadGetCacheConfig(enum cudaFuncCache *config)
{
	return cudaDeviceGetCacheConfig(config);
}

cudaError_t cudaDriverGetVersion(int *version)
{
	if (!version)
		return cuda_error(rt_result(vgpuErrorInvalidValue));
	*version = RT_DRIVER_VERSION;
	return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int *version)
{
	if (!version)
		return cuda_error(rt_result(vgpuErrorInvalidValue));
	*version = VERSION;
	return cudaSuccess;
}

cudaError_t cudaProfilerStart(void)
{
	return cudaSuccess;
}

cudaError_t cudaProfilerStop(void)
{
	return cudaSuccess;
}

cudaError_t cudaGetLastError(void)
{
	return cuda_error(vgpuGetLastError());
}

cudaError_t cudaPeekAtLastError(void)
{
	return cuda_error(vgpuPeekAtLastError());
}

/* CUDA's names are ours with another prefix. */
const char *cudaGetErrorName(cudaError_t error)
{
	switch ((vgpuError_t)error) {
#define ERROR_NAME(name, number, text) case vgpu##name: return "cuda" #name;
	VGPU_ERRORS(ERROR_NAME)
#undef ERROR_NAME
	}
	return "unrecognized error code";
}

const char *cudaGetErrorString(cudaError_t error)
{
	return vgpuGetErrorString((vgpuError_t)error);
}

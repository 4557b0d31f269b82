// SPDX-License-Identifier: MIT
/*
 * CUDA names whose meaning differs between versions of the CUDA runtime: a struct that has grown or
 * lost members, a parameter of another type. A program of nvcc asks for the name together with the
 * version (runtime/libvgpu.map).
 */
#include <stddef.h>
#include <string.h>

#include "calls.h"

#undef cudaGetDeviceProperties

#define EXPORT	__attribute__((visibility("default")))
#define VERSION(function, name, version) __asm__(".symver " #function ", " #name "@" version)

/* ---- cudaGetDeviceProperties -------------------------------------------- */

/* CUDA 11's struct, which 12 kept under this name, ends here. */
#define BYTES_OF_11	offsetof(struct cudaDeviceProp, hostRegisterSupported)

EXPORT cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *prop, int device);
EXPORT cudaError_t cuda11_GetDeviceProperties(struct cudaDeviceProp *prop, int device);
struct properties_of_13;
EXPORT cudaError_t cuda13_GetDeviceProperties(struct properties_of_13 *prop, int device);

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *prop, int device)
{
	struct cudaDeviceProp all;
	cudaError_t error = cudaGetDeviceProperties_v2(prop ? &all : NULL, device);

	if (error == cudaSuccess)
		memcpy(prop, &all, BYTES_OF_11);
	return error;
}

cudaError_t cuda11_GetDeviceProperties(struct cudaDeviceProp *prop, int device)
{
	return cudaGetDeviceProperties(prop, device);
}
VERSION(cuda11_GetDeviceProperties, cudaGetDeviceProperties, "libcudart.so.11.0");

/* The members that CUDA 13 left in the struct, in its order. X(type, name, dimensions) */
#define MEMBERS_OF_13(X) \
	X(char, name, [256]) X(cudaUUID_t, uuid,) X(char, luid, [8]) \
	X(unsigned int, luidDeviceNodeMask,) X(size_t, totalGlobalMem,) \
	X(size_t, sharedMemPerBlock,) X(int, regsPerBlock,) X(int, warpSize,) \
	X(size_t, memPitch,) X(int, maxThreadsPerBlock,) X(int, maxThreadsDim, [3]) \
	X(int, maxGridSize, [3]) X(size_t, totalConstMem,) X(int, major,) X(int, minor,) \
	X(size_t, textureAlignment,) X(size_t, texturePitchAlignment,) \
	X(int, multiProcessorCount,) X(int, integrated,) X(int, canMapHostMemory,) \
	X(int, maxTexture1D,) X(int, maxTexture1DMipmap,) X(int, maxTexture2D, [2]) \
	X(int, maxTexture2DMipmap, [2]) X(int, maxTexture2DLinear, [3]) \
	X(int, maxTexture2DGather, [2]) X(int, maxTexture3D, [3]) \
	X(int, maxTexture3DAlt, [3]) X(int, maxTextureCubemap,) \
	X(int, maxTexture1DLayered, [2]) X(int, maxTexture2DLayered, [3]) \
	X(int, maxTextureCubemapLayered, [2]) X(int, maxSurface1D,) \
	X(int, maxSurface2D, [2]) X(int, maxSurface3D, [3]) X(int, maxSurface1DLayered, [2]) \
	X(int, maxSurface2DLayered, [3]) X(int, maxSurfaceCubemap,) \
	X(int, maxSurfaceCubemapLayered, [2]) X(size_t, surfaceAlignment,) \
	X(int, concurrentKernels,) X(int, ECCEnabled,) X(int, pciBusID,) \
	X(int, pciDeviceID,) X(int, pciDomainID,) X(int, tccDriver,) \
	X(int, asyncEngineCount,) X(int, unifiedAddressing,) X(int, memoryBusWidth,) \
	X(int, l2CacheSize,) X(int, persistingL2CacheMaxSize,) \
	X(int, maxThreadsPerMultiProcessor,) X(int, streamPrioritiesSupported,) \
	X(int, globalL1CacheSupported,) X(int, localL1CacheSupported,) \
	X(size_t, sharedMemPerMultiprocessor,) X(int, regsPerMultiprocessor,) \
	X(int, managedMemory,) X(int, isMultiGpuBoard,) X(int, multiGpuBoardGroupID,) \
	X(int, hostNativeAtomicSupported,) X(int, pageableMemoryAccess,) \
	X(int, concurrentManagedAccess,) X(int, computePreemptionSupported,) \
	X(int, canUseHostPointerForRegisteredMem,) X(int, cooperativeLaunch,) \
	X(size_t, sharedMemPerBlockOptin,) X(int, pageableMemoryAccessUsesHostPageTables,) \
	X(int, directManagedMemAccessFromHost,) X(int, maxBlocksPerMultiProcessor,) \
	X(int, accessPolicyMaxWindowSize,) X(size_t, reservedSharedMemPerBlock,) \
	X(int, hostRegisterSupported,) X(int, sparseCudaArraySupported,) \
	X(int, hostRegisterReadOnlySupported,) X(int, timelineSemaphoreInteropSupported,) \
	X(int, memoryPoolsSupported,) X(int, gpuDirectRDMASupported,) \
	X(unsigned int, gpuDirectRDMAFlushWritesOptions,) \
	X(int, gpuDirectRDMAWritesOrdering,) \
	X(unsigned int, memoryPoolSupportedHandleTypes,) \
	X(int, deferredMappingCudaArraySupported,) X(int, ipcEventSupported,) \
	X(int, clusterLaunch,) X(int, unifiedFunctionPointers,)

struct properties_of_13 {
#define MEMBER(type, name, dimensions) type name dimensions;
	MEMBERS_OF_13(MEMBER)
#undef MEMBER
	int deviceNumaConfig;
	int deviceNumaId;
	int mpsEnabled;
	int hostNumaId;
	unsigned int gpuPciDeviceID;
	unsigned int gpuPciSubsystemID;
	int hostNumaMultinodeIpcSupported;
	int reserved[56];
};

cudaError_t cuda13_GetDeviceProperties(struct properties_of_13 *prop, int device)
{
	struct cudaDeviceProp all;
	cudaError_t error = cudaGetDeviceProperties_v2(prop ? &all : NULL, device);

	if (error != cudaSuccess)
		return error;
	memset(prop, 0, sizeof(*prop));
#define COPY(type, name, dimensions) memcpy(&prop->name, &all.name, sizeof(prop->name));
	MEMBERS_OF_13(COPY)
#undef COPY
	return cudaSuccess;
}
VERSION(cuda13_GetDeviceProperties, cudaGetDeviceProperties, "libcudart.so.13");

/* ---- memory advice: a device number, in CUDA 13 a location --------------- */

EXPORT cudaError_t cuda11_MemAdvise(const void *pointer, size_t count,
				    enum cudaMemoryAdvise advice, int device);
EXPORT cudaError_t cuda13_MemAdvise(const void *pointer, size_t count,
				    enum cudaMemoryAdvise advice, struct cudaMemLocation location);
EXPORT cudaError_t cuda11_MemPrefetchAsync(const void *pointer, size_t count, int device,
					   cudaStream_t stream);
EXPORT cudaError_t cuda13_MemPrefetchAsync(const void *pointer, size_t count,
					   struct cudaMemLocation location, unsigned int flags,
					   cudaStream_t stream);
EXPORT cudaError_t cuda11_MemPrefetchAsync_ptsz(const void *pointer, size_t count, int device,
						cudaStream_t stream);
EXPORT cudaError_t cuda13_MemPrefetchAsync_ptsz(const void *pointer, size_t count,
						struct cudaMemLocation location,
						unsigned int flags, cudaStream_t stream);

cudaError_t cuda11_MemAdvise(const void *pointer, size_t count, enum cudaMemoryAdvise advice,
			     int device)
{
	return cudaMemAdvise(pointer, count, advice, device);
}
VERSION(cuda11_MemAdvise, cudaMemAdvise, "libcudart.so.11.0");

cudaError_t cuda13_MemAdvise(const void *pointer, size_t count, enum cudaMemoryAdvise advice,
			     struct cudaMemLocation location)
{
	return cudaMemAdvise_v2(pointer, count, advice, location);
}
VERSION(cuda13_MemAdvise, cudaMemAdvise, "libcudart.so.13");

cudaError_t cuda11_MemPrefetchAsync(const void *pointer, size_t count, int device,
				    cudaStream_t stream)
{
	return cudaMemPrefetchAsync(pointer, count, device, stream);
}
VERSION(cuda11_MemPrefetchAsync, cudaMemPrefetchAsync, "libcudart.so.11.0");

cudaError_t cuda13_MemPrefetchAsync(const void *pointer, size_t count,
				    struct cudaMemLocation location, unsigned int flags,
				    cudaStream_t stream)
{
	return cudaMemPrefetchAsync_v2(pointer, count, location, flags, stream);
}
VERSION(cuda13_MemPrefetchAsync, cudaMemPrefetchAsync, "libcudart.so.13");

cudaError_t cuda11_MemPrefetchAsync_ptsz(const void *pointer, size_t count, int device,
					 cudaStream_t stream)
{
	return cudaMemPrefetchAsync(pointer, count, device, stream ? stream : cudaStreamPerThread);
}
VERSION(cuda11_MemPrefetchAsync_ptsz, cudaMemPrefetchAsync_ptsz, "libcudart.so.11.0");

cudaError_t cuda13_MemPrefetchAsync_ptsz(const void *pointer, size_t count,
					 struct cudaMemLocation location, unsigned int flags,
					 cudaStream_t stream)
{
	return cudaMemPrefetchAsync_v2(pointer, count, location, flags,
				       stream ? stream : cudaStreamPerThread);
}
VERSION(cuda13_MemPrefetchAsync_ptsz, cudaMemPrefetchAsync_ptsz, "libcudart.so.13");

/* ---- cudaRuntimeGetVersion ----------------------------------------------- */

EXPORT cudaError_t cuda11_RuntimeGetVersion(int *version);
EXPORT cudaError_t cuda13_RuntimeGetVersion(int *version);

cudaError_t cuda11_RuntimeGetVersion(int *version)
{
	cudaError_t error = cudaRuntimeGetVersion(version);

	if (error == cudaSuccess)
		*version = 11080;
	return error;
}
VERSION(cuda11_RuntimeGetVersion, cudaRuntimeGetVersion, "libcudart.so.11.0");

cudaError_t cuda13_RuntimeGetVersion(int *version)
{
	cudaError_t error = cudaRuntimeGetVersion(version);

	if (error == cudaSuccess)
		*version = 13000;
	return error;
}
VERSION(cuda13_RuntimeGetVersion, cudaRuntimeGetVersion, "libcudart.so.13");

/* SPDX-License-Identifier: MIT */
/*
 * For nvcc 13, whose memory advice takes a location: the calls with a device number, as the tests
 * have them. nvcc.sh includes it before all.
 */
#ifndef TESTS_CUDA_NVCC13_H
#define TESTS_CUDA_NVCC13_H

#include <cuda_runtime.h>

#if CUDART_VERSION >= 13000
static inline cudaMemLocation location_of_device(int device)
{
	cudaMemLocation location = {};

	location.type = device == cudaCpuDeviceId ? cudaMemLocationTypeHost :
						    cudaMemLocationTypeDevice;
	location.id = device == cudaCpuDeviceId ? 0 : device;
	return location;
}

static inline cudaError_t cudaMemPrefetchAsync(const void *pointer, size_t bytes, int device,
					       cudaStream_t stream = 0)
{
	return cudaMemPrefetchAsync(pointer, bytes, location_of_device(device), 0, stream);
}

static inline cudaError_t cudaMemAdvise(const void *pointer, size_t bytes,
					cudaMemoryAdvise advice, int device)
{
	return cudaMemAdvise(pointer, bytes, advice, location_of_device(device));
}
#endif

#endif

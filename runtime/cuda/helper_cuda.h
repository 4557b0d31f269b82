/* SPDX-License-Identifier: MIT */
/*
 * The few helpers that sample programs expect under this name: checked calls, and choosing a
 * device.
 */
#ifndef VGPU_CUDA_HELPER_CUDA_H
#define VGPU_CUDA_HELPER_CUDA_H

#include <stdio.h>
#include <stdlib.h>

#include "../cuda_runtime.h"
#include "helper_string.h"

#define checkCudaErrors(call)		__vgpu_check((call), #call, __FILE__, __LINE__)
#define getLastCudaError(message) __vgpu_check(cudaGetLastError(), message, __FILE__, __LINE__)

static inline void __vgpu_check(cudaError_t error, const char *what, const char *file, int line)
{
	if (error == cudaSuccess)
		return;
	fprintf(stderr, "%s:%d: %s: %s (%s)\n", file, line, what, cudaGetErrorName(error),
		cudaGetErrorString(error));
	exit(EXIT_FAILURE);
}

static inline const char *_cudaGetErrorEnum(cudaError_t error)
{
	return cudaGetErrorName(error);
}

/* Cores of an SM as a Kepler has them; samples multiply it into a figure they print. */
static inline int _ConvertSMVer2Cores(int major, int minor)
{
	(void)major;
	(void)minor;
	return 192;
}

static inline const char *_ConvertSMVer2ArchName(int major, int minor)
{
	(void)major;
	(void)minor;
	return "vgpu";
}

static inline int gpuGetMaxGflopsDeviceId(void)
{
	return 0;
}

/* --device=N of the command line, else the first. */
static inline int findCudaDevice(int argc, const char **argv)
{
	int device = checkCmdLineFlag(argc, argv, "device") ?
			     getCmdLineArgumentInt(argc, argv, "device") :
			     0;

	checkCudaErrors(cudaSetDevice(device));
	return device;
}

static inline bool checkCudaCapabilities(int major, int minor)
{
	struct cudaDeviceProp prop;

	checkCudaErrors(cudaGetDeviceProperties(&prop, 0));
	return prop.major > major || (prop.major == major && prop.minor >= minor);
}

#ifndef MAX
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#endif
#ifndef MIN
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#endif

#endif

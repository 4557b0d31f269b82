// SPDX-License-Identifier: MIT
/*
 * compute_capability: which of a program's device code runs. The code notes the architecture that
 * it was compiled for; the program works out from the device's capability which that has to be, and
 * what else follows from it: the properties, the attributes of a kernel, and PTX for newer devices,
 * which is refused. Built for several architectures (Makefile); any other list is right as well.
 */
#include <cuda.h>
#include "common.h"

#ifndef __CUDA_ARCH_LIST__
#define __CUDA_ARCH_LIST__ 750
#endif

static const int list[] = { __CUDA_ARCH_LIST__ };

#ifdef __CUDA_ARCH__
#define ARCH	__CUDA_ARCH__
#else
#define ARCH	0
#endif

#if ARCH >= 800
__device__ int only_newer = 8;
#endif

__global__ void which(int *out)
{
	out[threadIdx.x] = ARCH;
#if ARCH >= 800
	out[threadIdx.x] += only_newer - 8;
#endif
}

template <typename T> __global__ void by_template(T *out)
{
	*out = ARCH >= 800 ? 2 : 1;
}

/* Of the list, in which there is code for real architectures and PTX alike. */
static int expected_arch(int device)
{
	int best = 0;

	for (int arch : list)
		if (arch / 10 <= device && arch > best)
			best = arch;
	return best;
}

static void check_properties(int device, int arch)
{
	cudaFuncAttributes attributes;
	cudaDeviceProp prop;
	int major, minor;

	CHECK(cudaGetDeviceProperties(&prop, 0));
	CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
	CHECK(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, 0));
	expect_same("major", 0, prop.major, major);
	expect_same("minor", 0, prop.minor, minor);
	CHECK(cudaFuncGetAttributes(&attributes, which));
	expect_same("ptxVersion", 0, attributes.ptxVersion * 10, arch);
	expect_same("binaryVersion", 0, attributes.binaryVersion, device);
}

/* PTX that does nothing, for what the device presents and for a later one. */
static void check_text(int device)
{
	const char *strict = getenv("VGPU_STRICT_CAPABILITY");
	char text[160];
	CUmodule module;
	CUresult result;

	for (int newer = 0; newer < (strict && !strcmp(strict, "0") ? 1 : 2); newer++) {
		snprintf(text, sizeof(text), ".version 8.0\n.target sm_%d\n.address_size 64\n"
			 ".visible .entry k() { ret; }\n", newer ? 99 : device);
		result = cuModuleLoadData(&module, text);
		expect_same("PTX of a target", newer, (int)result,
			    newer ? (int)CUDA_ERROR_INVALID_PTX : (int)CUDA_SUCCESS);
		if (result == CUDA_SUCCESS)
			EXPECT(cuModuleUnload(module) == CUDA_SUCCESS);
	}
}

int main(int argc, char **argv)
{
	int host[32], device, arch, kind = 0, *out;
	cudaDeviceProp prop;

	parse_size(argc, argv, "compute_capability", NULL, 0, 0, 0);
	CHECK(cudaGetDeviceProperties(&prop, 0));
	device = prop.major * 10 + prop.minor;
	/* presets of GPUs of before 7.0 take what all take: docs/cuda.md */
	if (device < 70)
		device = 80;
	arch = expected_arch(device);
	CHECK(cudaMalloc(&out, sizeof(host)));
	which<<<1, 32>>>(out);
	CHECK(cudaGetLastError());
	CHECK(cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost));
	for (int lane = 0; lane < 32; lane++)
		expect_same("lane", lane, host[lane], arch);
	by_template<<<1, 1>>>(out);
	CHECK(cudaMemcpy(&kind, out, sizeof(kind), cudaMemcpyDeviceToHost));
	expect_same("template", 0, kind, arch >= 800 ? 2 : 1);
	check_properties(device, arch);
	check_text(device);
	CHECK(cudaFree(out));
	printf("  capability %d.%d ran code for %d\n", prop.major, prop.minor, arch);
	return finish();
}

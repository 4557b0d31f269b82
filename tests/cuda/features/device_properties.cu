/* SPDX-License-Identifier: MIT */
/*
 * device_properties: what the device says about itself, and that the different ways of asking agree
 * with each other, with the memory that one can really have and with the launches it takes.
 */
#include "../common.h"

__global__ void count(int *n)
{
	atomicAdd(n, 1);
}

static int attribute(cudaDeviceAttr a)
{
	int v = -1;

	CHECK(cudaDeviceGetAttribute(&v, a, 0));
	return v;
}

int main(int argc, char **argv)
{
	size_t free_before = 0, free_with = 0, free_after = 0, total = 0;
	int devices = 0, device = -1, driver = 0, runtime = 0, *n, got = 0;
	const size_t mib = 1 << 20;
	cudaDeviceProp p;
	void *mem;

	parse_size(argc, argv, "device_properties", NULL, 0, 0, 0);
	CHECK(cudaGetDeviceCount(&devices));
	EXPECT(devices >= 1);
	CHECK(cudaSetDevice(0));
	CHECK(cudaGetDevice(&device));
	expect_same("device", 0, device, 0);
	memset((void *)&p, 0xff, sizeof(p));
	CHECK(cudaGetDeviceProperties(&p, 0));
	printf("  %s: %d SMs, capability %d.%d, %zu MiB, %zu bytes of shared memory a block, %d "
	       "registers a block\n",
	       p.name, p.multiProcessorCount, p.major, p.minor, p.totalGlobalMem / mib,
	       p.sharedMemPerBlock, p.regsPerBlock);
	EXPECT(p.name[0] && memchr(p.name, 0, sizeof(p.name)));
	expect_same("warpSize", 0, p.warpSize, 32);
	EXPECT(p.multiProcessorCount >= 1 && p.multiProcessorCount < 1000);
	EXPECT(p.major >= 3 && p.minor >= 0 && p.minor < 10);
	EXPECT(p.maxThreadsPerBlock >= 512 && p.maxThreadsPerBlock % 32 == 0);
	EXPECT(p.maxThreadsPerMultiProcessor >= p.maxThreadsPerBlock);
	EXPECT(p.maxThreadsDim[0] >= p.maxThreadsPerBlock && p.maxThreadsDim[2] >= 64);
	EXPECT(p.maxGridSize[0] >= 65535 && p.maxGridSize[1] >= 65535 && p.maxGridSize[2] >= 65535);
	EXPECT(p.sharedMemPerBlock >= 16384);
	EXPECT(p.regsPerBlock >= 16384);
	EXPECT(p.totalConstMem >= 65536);

	expect_same("attribute: SMs", 0, attribute(cudaDevAttrMultiProcessorCount),
		    p.multiProcessorCount);
	expect_same("attribute: warp size", 0, attribute(cudaDevAttrWarpSize), p.warpSize);
	expect_same("attribute: threads of a block", 0, attribute(cudaDevAttrMaxThreadsPerBlock),
		    p.maxThreadsPerBlock);
	expect_same("attribute: shared memory of a block", 0,
		    (size_t)attribute(cudaDevAttrMaxSharedMemoryPerBlock), p.sharedMemPerBlock);
	expect_same("attribute: registers of a block", 0,
		    attribute(cudaDevAttrMaxRegistersPerBlock), p.regsPerBlock);
	expect_same("attribute: major", 0, attribute(cudaDevAttrComputeCapabilityMajor), p.major);
	expect_same("attribute: minor", 0, attribute(cudaDevAttrComputeCapabilityMinor), p.minor);
	EXPECT(attribute(cudaDevAttrClockRate) > 0);
	expect_same("attribute: L2", 0, attribute(cudaDevAttrL2CacheSize), p.l2CacheSize);
	expect_same("attribute: bus", 0, attribute(cudaDevAttrGlobalMemoryBusWidth),
		    p.memoryBusWidth);
	EXPECT(p.l2CacheSize >= 1 << 18 && p.memoryBusWidth >= 64 && p.memoryClockRate > 100000);
	/* a launch has 48 KB of shared memory at most, unless its kernel asks for more */
	EXPECT(p.sharedMemPerBlock <= 48 << 10 && p.sharedMemPerBlock <= p.sharedMemPerBlockOptin &&
	       p.sharedMemPerBlockOptin <= p.sharedMemPerMultiprocessor);
	if (!strcmp(p.name, "vgpu v100")) {
		EXPECT(p.sharedMemPerBlock == 48 << 10 && p.sharedMemPerBlockOptin == 96 << 10 &&
		       p.sharedMemPerMultiprocessor == 96 << 10);
		EXPECT(p.memoryBusWidth == 4096 && p.l2CacheSize == 6 << 20);
		/* 900 GB/s */
		EXPECT(p.memoryClockRate == 878906 && p.clockRate == 1530000);
	}

	CHECK(cudaRuntimeGetVersion(&runtime));
	CHECK(cudaDriverGetVersion(&driver));
	EXPECT(runtime > 0 && driver >= runtime);

	/* Memory that is taken is not free, and comes back. */
	CHECK(cudaMemGetInfo(&free_before, &total));
	EXPECT(free_before > 0 && free_before <= total && total <= p.totalGlobalMem);
	CHECK(cudaMalloc(&mem, 8 * mib));
	CHECK(cudaMemset(mem, 1, 8 * mib));
	CHECK(cudaMemGetInfo(&free_with, &total));
	EXPECT(free_with <= free_before - 8 * mib);
	CHECK(cudaFree(mem));
	CHECK(cudaMemGetInfo(&free_after, &total));
	EXPECT(free_after >= free_with + 8 * mib);

	/* The largest block it says it takes. */
	n = device_new<int>(1);
	CHECK(cudaMemset(n, 0, sizeof(*n)));
	count<<<3, p.maxThreadsPerBlock>>>(n);
	CHECK_LAUNCH();
	host_from(&got, n, 1);
	expect_same("threads that ran", 0, got, 3 * p.maxThreadsPerBlock);
	count<<<1, p.maxThreadsPerBlock + 1>>>(n);
	EXPECT_ERROR(cudaGetLastError(), cudaErrorInvalidConfiguration);
	CHECK(cudaFree(n));
	return finish();
}

/* SPDX-License-Identifier: MIT */
/*
 * What the tests of NCCL share: devices, and a rank for each, driven by one thread. Where the
 * device is inside the process there are three; behind /dev/vgpu there are those that there are.
 */
#ifndef TESTS_NCCL_RANKS_H
#define TESTS_NCCL_RANKS_H

#include "../../common.h"

#include <nccl.h>
#include <unistd.h>
#include <vector>

#define NCCL_CHECK(call) nccl_success((call), #call, __LINE__)
#define NCCL_EXPECT(call, want) nccl_expect((call), (want), #call, __LINE__)

static inline void nccl_success(ncclResult_t got, const char *call, int line)
{
	if (got == ncclSuccess)
		return;
	mismatch("line %d, %s: got %s (%s), expected success", line, call, ncclGetErrorString(got),
		 ncclGetLastError(NULL));
	exit(finish());
}

static inline void nccl_expect(ncclResult_t got, ncclResult_t want, const char *call, int line)
{
	if (got != want)
		mismatch("line %d, %s: got %d (%s), expected %d", line, call, got,
			 ncclGetLastError(NULL), want);
}

/* Before the first call of CUDA */
static inline void want_devices(void)
{
	const char *transport = getenv("VGPU_TRANSPORT");

	if ((transport && !strcmp(transport, "embedded")) || access("/dev/vgpu0", F_OK))
		setenv("VGPU_PRESET", "v100,v100,v100", 0);
}

struct rank {
	int device;
	ncclComm_t comm;
	cudaStream_t stream;
	char *in, *out;
};

static std::vector<rank> ranks;

static inline void make_ranks(size_t bytes)
{
	std::vector<ncclComm_t> comms;
	int count;

	CHECK(cudaGetDeviceCount(&count));
	if (count > 4)
		count = 4;
	comms.resize(count);
	ranks.resize(count);
	NCCL_CHECK(ncclCommInitAll(comms.data(), count, NULL));
	for (int i = 0; i < count; i++) {
		ranks[i].device = i;
		ranks[i].comm = comms[i];
		CHECK(cudaSetDevice(i));
		CHECK(cudaStreamCreateWithFlags(&ranks[i].stream, cudaStreamNonBlocking));
		CHECK(cudaMalloc(&ranks[i].in, bytes));
		CHECK(cudaMalloc(&ranks[i].out, bytes));
	}
	printf("  %d ranks\n", count);
}

static inline void wait_for_ranks(void)
{
	for (const rank &r : ranks) {
		CHECK(cudaSetDevice(r.device));
		CHECK(cudaStreamSynchronize(r.stream));
	}
}

static inline void free_ranks(void)
{
	for (const rank &r : ranks) {
		ncclResult_t error;

		NCCL_CHECK(ncclCommGetAsyncError(r.comm, &error));
		NCCL_EXPECT(error, ncclSuccess);
		CHECK(cudaSetDevice(r.device));
		NCCL_CHECK(ncclCommDestroy(r.comm));
		CHECK(cudaStreamDestroy(r.stream));
		CHECK(cudaFree(r.in));
		CHECK(cudaFree(r.out));
	}
}

#endif

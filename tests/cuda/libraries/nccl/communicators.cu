/* SPDX-License-Identifier: MIT */
/*
 * communicators: made by identifiers in a group and by threads, with and without waiting, split,
 * finalized, aborted; what they say of themselves, and what is refused.
 */
#include "ranks.h"

#include <thread>
#include <unistd.h>

static int devices;

static int *ones(int device, int value)
{
	int *memory;

	CHECK(cudaSetDevice(device));
	CHECK(cudaMalloc(&memory, 4));
	CHECK(cudaMemcpy(memory, &value, 4, cudaMemcpyHostToDevice));
	return memory;
}

/* The sum over all ranks of what each has, by each communicator of a thread */
static int sum(ncclComm_t comm, int device, int value)
{
	int *memory = ones(device, value), result = 0;

	NCCL_CHECK(ncclAllReduce(memory, memory, 1, ncclInt, ncclSum, comm, NULL));
	CHECK(cudaMemcpy(&result, memory, 4, cudaMemcpyDeviceToHost));
	CHECK(cudaFree(memory));
	return result;
}

static void told(ncclComm_t comm, int count, int device, int rank)
{
	int got = -1;

	NCCL_CHECK(ncclCommCount(comm, &got));
	expect_same("ranks", rank, got, count);
	NCCL_CHECK(ncclCommCuDevice(comm, &got));
	expect_same("device", rank, got, device);
	NCCL_CHECK(ncclCommUserRank(comm, &got));
	expect_same("rank", rank, got, rank);
}

/* Ranks in the other order than devices, two communicators in one group, one thread */
static void in_a_group(void)
{
	std::vector<ncclComm_t> comms(2 * devices);
	ncclUniqueId first, second;

	NCCL_CHECK(ncclGetUniqueId(&first));
	NCCL_CHECK(ncclGetUniqueId(&second));
	EXPECT(memcmp(&first, &second, sizeof(first)));
	NCCL_CHECK(ncclGroupStart());
	for (int i = 0; i < devices; i++) {
		CHECK(cudaSetDevice(i));
		NCCL_CHECK(ncclCommInitRank(&comms[i], devices, first, devices - 1 - i));
		NCCL_CHECK(ncclCommInitRank(&comms[devices + i], devices, second, i));
	}
	NCCL_CHECK(ncclGroupEnd());
	for (int i = 0; i < devices; i++) {
		told(comms[i], devices, i, devices - 1 - i);
		told(comms[devices + i], devices, i, i);
		NCCL_CHECK(ncclCommDestroy(comms[i]));
		NCCL_CHECK(ncclCommDestroy(comms[devices + i]));
	}
	NCCL_EXPECT(ncclCommDestroy(comms[0]), ncclInvalidArgument);
	NCCL_EXPECT(ncclCommInitRank(&comms[0], 1, first, 0), ncclInvalidArgument);
}

/* A thread for each rank: sums, a split into even and odd ranks in the other order, sums of those
 */
static void by_threads(void)
{
	std::vector<std::thread> threads;
	ncclUniqueId id;

	NCCL_CHECK(ncclGetUniqueId(&id));
	for (int i = 0; i < devices; i++)
		threads.emplace_back([=]() {
			ncclComm_t comm, half, none;
			int same = (devices + 1 - i % 2) / 2, place = same - 1 - i / 2, want = 0;

			CHECK(cudaSetDevice(i));
			NCCL_CHECK(ncclCommInitRank(&comm, devices, id, i));
			expect_same("sum of threads", i, sum(comm, i, 1 << i), (1 << devices) - 1);
			NCCL_CHECK(ncclCommSplit(comm, i % 2, -i, &half, NULL));
			told(half, same, i, place);
			for (int j = i % 2; j < devices; j += 2)
				want += 1 << j;
			expect_same("sum of a part", i, sum(half, i, 1 << i), want);
			/* only the first rank stays */
			NCCL_CHECK(ncclCommSplit(comm, i ? NCCL_SPLIT_NOCOLOR : 7, 0, &none, NULL));
			EXPECT(!none == !!i);
			if (none)
				told(none, 1, 0, 0);
			NCCL_CHECK(ncclCommDestroy(none));
			NCCL_CHECK(ncclCommFinalize(half));
			NCCL_EXPECT(ncclBcast(NULL, 0, ncclInt, 0, half, NULL), ncclInvalidUsage);
			NCCL_CHECK(ncclCommDestroy(half));
			NCCL_CHECK(ncclCommDestroy(comm));
		});
	for (std::thread &thread : threads)
		thread.join();
}

/* The calls return before all ranks are there. */
static void without_waiting(void)
{
	ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
	std::vector<ncclComm_t> comms(devices);
	std::vector<int *> memory(devices);
	ncclUniqueId id;

	config.blocking = 0;
	NCCL_CHECK(ncclGetUniqueId(&id));
	for (int i = 0; i < devices; i++) {
		CHECK(cudaSetDevice(i));
		NCCL_EXPECT(ncclCommInitRankConfig(&comms[i], devices, id, i, &config),
			    ncclInProgress);
	}
	for (int i = 0; i < devices; i++) {
		ncclResult_t now = ncclInProgress;

		while (now == ncclInProgress)
			NCCL_CHECK(ncclCommGetAsyncError(comms[i], &now));
		NCCL_EXPECT(now, ncclSuccess);
		memory[i] = ones(i, i + 1);
	}
	/* not in a group: nothing waits in a call */
	for (int i = 0; i < devices; i++) {
		CHECK(cudaSetDevice(i));
		NCCL_CHECK(
			ncclAllReduce(memory[i], memory[i], 1, ncclInt, ncclSum, comms[i], NULL));
	}
	for (int i = 0; i < devices; i++) {
		int result = 0;

		CHECK(cudaSetDevice(i));
		CHECK(cudaMemcpy(&result, memory[i], 4, cudaMemcpyDeviceToHost));
		expect_same("sum", i, result, devices * (devices + 1) / 2);
		CHECK(cudaFree(memory[i]));
	}
	for (int i = 0; i < devices; i++)
		NCCL_CHECK(ncclCommDestroy(comms[i]));
}

/* Rank 0 waits for others in its stream, which never come: the end of one of them frees it. */
static void aborted(void)
{
	std::vector<ncclComm_t> comms(devices);
	ncclResult_t error;
	int *memory = ones(0, 1);

	if (devices < 2)
		return;
	NCCL_CHECK(ncclCommInitAll(comms.data(), devices, NULL));
	CHECK(cudaSetDevice(0));
	NCCL_CHECK(ncclAllReduce(memory, memory, 1, ncclInt, ncclSum, comms[0], NULL));
	NCCL_CHECK(ncclCommGetAsyncError(comms[0], &error));
	NCCL_EXPECT(error, ncclSuccess);
	NCCL_CHECK(ncclCommAbort(comms[1]));
	CHECK(cudaDeviceSynchronize());
	NCCL_CHECK(ncclCommGetAsyncError(comms[0], &error));
	NCCL_EXPECT(error, ncclRemoteError);
	NCCL_EXPECT(ncclAllReduce(memory, memory, 1, ncclInt, ncclSum, comms[0], NULL),
		    ncclRemoteError);
	NCCL_CHECK(ncclCommAbort(comms[0]));
	for (int i = 2; i < devices; i++)
		NCCL_CHECK(ncclCommDestroy(comms[i]));
	/* its own end frees it, too */
	NCCL_CHECK(ncclCommInitAll(comms.data(), devices, NULL));
	CHECK(cudaSetDevice(0));
	NCCL_CHECK(ncclSend(memory, 1, ncclInt, 0, comms[0], NULL));
	NCCL_CHECK(ncclRecv(memory, 1, ncclInt, 1, comms[0], NULL));
	for (int i = 0; i < devices; i++)
		NCCL_CHECK(ncclCommAbort(comms[i]));
	CHECK(cudaSetDevice(0));
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaFree(memory));
}

static void refused(void)
{
	ncclConfig_t config = {};
	ncclUniqueId id, other = {};
	ncclComm_t comm, second;
	int two[2] = {0, 0}, number;
	float *memory;
	void *handle;
	ncclRedOp_t op;

	NCCL_CHECK(ncclGetUniqueId(&id));
	CHECK(cudaSetDevice(0));
	NCCL_EXPECT(ncclGetUniqueId(NULL), ncclInvalidArgument);
	NCCL_EXPECT(ncclGetVersion(NULL), ncclInvalidArgument);
	NCCL_CHECK(ncclGetVersion(&number));
	EXPECT(number == NCCL_VERSION_CODE && number == NCCL_VERSION(2, 27, 3));
	NCCL_EXPECT(ncclCommInitRank(NULL, 1, id, 0), ncclInvalidArgument);
	NCCL_EXPECT(ncclCommInitRank(&comm, 0, id, 0), ncclInvalidArgument);
	NCCL_EXPECT(ncclCommInitRank(&comm, 1, id, 1), ncclInvalidArgument);
	NCCL_EXPECT(ncclCommInitRank(&comm, 1, id, -1), ncclInvalidArgument);
	NCCL_EXPECT(ncclCommInitRank(&comm, 1, other, 0), ncclInvalidArgument);
	NCCL_EXPECT(ncclCommInitRankConfig(&comm, 1, id, 0, &config), ncclInvalidArgument);
	NCCL_EXPECT(ncclCommInitAll(&comm, devices + 1, NULL), ncclInvalidArgument);
	NCCL_EXPECT(ncclCommInitAll(&comm, 1, &devices), ncclInvalidArgument);
	NCCL_EXPECT(ncclGroupEnd(), ncclInvalidUsage);
	/* one rank twice, and one device twice */
	NCCL_CHECK(ncclGroupStart());
	NCCL_CHECK(ncclCommInitRank(&comm, 2, id, 0));
	NCCL_CHECK(ncclCommInitRank(&second, 2, id, 0));
	NCCL_EXPECT(ncclGroupEnd(), ncclInvalidArgument);
	EXPECT(!comm && !second);
	/* another number of ranks */
	NCCL_CHECK(ncclGetUniqueId(&id));
	NCCL_CHECK(ncclGroupStart());
	NCCL_CHECK(ncclCommInitRank(&comm, 2, id, 0));
	NCCL_CHECK(ncclCommInitRank(&second, 3, id, 1));
	NCCL_EXPECT(ncclGroupEnd(), ncclInvalidArgument);
	if (devices > 1) {
		ncclComm_t comms[2];

		NCCL_EXPECT(ncclCommInitAll(comms, 2, two), ncclInvalidUsage);
	}
	NCCL_CHECK(ncclCommInitAll(&comm, 1, NULL));
	CHECK(cudaMalloc(&memory, 64));
	NCCL_EXPECT(ncclAllReduce(memory, memory, 4, ncclNumTypes, ncclSum, comm, NULL),
		    ncclInvalidArgument);
	NCCL_EXPECT(ncclAllReduce(memory, memory, 4, ncclFloat, ncclNumOps, comm, NULL),
		    ncclInvalidArgument);
	NCCL_EXPECT(ncclAllReduce(NULL, memory, 4, ncclFloat, ncclSum, comm, NULL),
		    ncclInvalidArgument);
	NCCL_EXPECT(ncclAllReduce(memory, memory, 4, ncclFloat, ncclSum, NULL, NULL),
		    ncclInvalidArgument);
	NCCL_EXPECT(ncclAllReduce(memory, memory, 4, ncclFloat, ncclSum, (ncclComm_t)memory, NULL),
		    ncclInvalidArgument);
	NCCL_EXPECT(ncclBroadcast(memory, memory, 4, ncclFloat, 1, comm, NULL),
		    ncclInvalidArgument);
	NCCL_EXPECT(ncclSend(memory, 4, ncclFloat, -1, comm, NULL), ncclInvalidArgument);
	NCCL_EXPECT(ncclRedOpCreatePreMulSum(&op, NULL, ncclFloat, ncclScalarDevice, comm),
		    ncclInvalidArgument);
	NCCL_CHECK(ncclAllReduce(NULL, NULL, 0, ncclFloat, ncclSum, comm, NULL));
	/* a refused call refuses its group */
	CHECK(cudaMemset(memory, 0, 64));
	NCCL_CHECK(ncclGroupStart());
	NCCL_CHECK(ncclBroadcast(memory, memory + 1, 1, ncclFloat, 0, comm, NULL));
	NCCL_EXPECT(ncclBroadcast(memory, memory, 1, ncclFloat, 9, comm, NULL),
		    ncclInvalidArgument);
	NCCL_EXPECT(ncclGroupEnd(), ncclInvalidArgument);
	NCCL_CHECK(ncclCommRegister(comm, memory, 64, &handle));
	NCCL_CHECK(ncclCommDeregister(comm, handle));
	NCCL_EXPECT(ncclCommRegister(comm, NULL, 64, &handle), ncclInvalidArgument);
	NCCL_CHECK(ncclMemAlloc(&handle, 100));
	NCCL_CHECK(ncclMemFree(handle));
	NCCL_CHECK(ncclCommDestroy(comm));
	NCCL_CHECK(ncclCommDestroy(NULL));
	NCCL_CHECK(pncclCommAbort(NULL));
	CHECK(cudaFree(memory));
}

/* There may be no more of these afterwards. A transport keeps rings, one for each thread. */
static int files(void)
{
	int count = 0;

	for (int i = 0; i < 1024; i++) {
		char path[32], is[64] = "";

		snprintf(path, sizeof(path), "/proc/self/fd/%d", i);
		count += readlink(path, is, sizeof(is) - 1) >= 0 && !strstr(is, "io_uring");
	}
	return count;
}

int main(int argc, char **argv)
{
	int open_files;

	parse_size(argc, argv, "communicators", NULL, 0, 0, 0);
	want_devices();
	CHECK(cudaGetDeviceCount(&devices));
	in_a_group();
	open_files = files();
	in_a_group();
	by_threads();
	expect_same("open files", 0, files(), open_files);
	without_waiting();
	aborted();
	refused();
	return finish();
}

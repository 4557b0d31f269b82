/* SPDX-License-Identifier: MIT */
/*
 * processes: three ranks, each a process of its own that has executed this program anew. They add
 * up, send and receive, and split; then one of them is killed while the others wait for it, and
 * both learn of it. With the device inside the process each has its own; behind /dev/vgpu they may
 * share one.
 */
#include "ranks.h"

#include <signal.h>
#include <sys/wait.h>

static const int count = 3;
static const size_t most = 300001;

static float value(int rank, size_t i)
{
	return (float)(i % 1009) / 7.0f + (float)rank * 0.3f;
}

static float sum_of(size_t i)
{
	float sum = value(0, i);

	for (int r = 1; r < count; r++)
		sum += value(r, i);
	return sum;
}

template <class Want> static void expect(const char *what, int rank, const float *at, Want want)
{
	std::vector<float> host(most);

	CHECK(cudaMemcpy(host.data(), at, most * 4, cudaMemcpyDeviceToHost));
	for (size_t i = 0; i < most; i++) {
		if (host[i] != want(i)) {
			mismatch("%s, rank %d, element %zu: got %g, expected %g", what, rank, i,
				 host[i], want(i));
			return;
		}
	}
}

static void operations(ncclComm_t comm, int rank, float *in, float *out, cudaStream_t stream)
{
	int next = (rank + 1) % count, last = (rank + count - 1) % count;

	NCCL_CHECK(ncclAllReduce(in, out, most, ncclFloat, ncclSum, comm, stream));
	CHECK(cudaStreamSynchronize(stream));
	expect("sum", rank, out, sum_of);
	NCCL_CHECK(ncclGroupStart());
	NCCL_CHECK(ncclSend(in, most, ncclFloat, next, comm, stream));
	NCCL_CHECK(ncclRecv(out, most, ncclFloat, last, comm, stream));
	NCCL_CHECK(ncclGroupEnd());
	CHECK(cudaStreamSynchronize(stream));
	expect("message", rank, out, [=](size_t i) { return value(last, i); });
}

/* The first and the last */
static void parts(ncclComm_t comm, int rank, float *in, float *out, cudaStream_t stream)
{
	ncclComm_t part;
	int ranks = 0;

	NCCL_CHECK(ncclCommSplit(comm, rank % 2, 0, &part, NULL));
	NCCL_CHECK(ncclCommCount(part, &ranks));
	expect_same("ranks of a part", rank, ranks, rank % 2 ? 1 : 2);
	NCCL_CHECK(ncclReduce(in, out, most, ncclFloat, ncclMax, 0, part, stream));
	CHECK(cudaStreamSynchronize(stream));
	if (!rank)
		expect("maximum", rank, out, [](size_t i) { return value(2, i); });
	NCCL_CHECK(ncclCommDestroy(part));
}

/* Rank 1 ends by a signal, while the others are in an operation that it does not begin. */
static void one_is_killed(ncclComm_t comm, int rank, float *in, float *out, cudaStream_t stream)
{
	ncclResult_t error = ncclSuccess;

	if (rank == 1)
		raise(SIGKILL);
	NCCL_CHECK(ncclAllReduce(in, out, most, ncclFloat, ncclSum, comm, stream));
	CHECK(cudaStreamSynchronize(stream));
	NCCL_CHECK(ncclCommGetAsyncError(comm, &error));
	NCCL_EXPECT(error, ncclRemoteError);
	NCCL_CHECK(ncclCommAbort(comm));
}

static void work(const ncclUniqueId &id, int rank)
{
	std::vector<float> host(most);
	cudaStream_t stream;
	ncclComm_t comm;
	float *in, *out;
	int devices;

	for (size_t i = 0; i < most; i++)
		host[i] = value(rank, i);
	CHECK(cudaGetDeviceCount(&devices));
	CHECK(cudaSetDevice(rank % devices));
	NCCL_CHECK(ncclCommInitRank(&comm, count, id, rank));
	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaMalloc(&in, most * 4));
	CHECK(cudaMalloc(&out, most * 4));
	CHECK(cudaMemcpy(in, host.data(), most * 4, cudaMemcpyHostToDevice));
	operations(comm, rank, in, out, stream);
	parts(comm, rank, in, out, stream);
	one_is_killed(comm, rank, in, out, stream);
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFree(in));
	CHECK(cudaFree(out));
}

/* The identifier goes through a pipe, whose end is the other process's input. */
static pid_t start(const char *program, int rank, const ncclUniqueId &id)
{
	char number[16];
	int ends[2];
	pid_t child;

	EXPECT(!pipe(ends));
	EXPECT(write(ends[1], &id, sizeof(id)) == sizeof(id));
	close(ends[1]);
	snprintf(number, sizeof(number), "%d", rank);
	child = fork();
	if (!child) {
		dup2(ends[0], 0);
		dup2(2, 1);
		setenv("TEST_NCCL_RANK", number, 1);
		execl("/proc/self/exe", program, (char *)NULL);
		_exit(127);
	}
	close(ends[0]);
	return child;
}

int main(int argc, char **argv)
{
	const char *number = getenv("TEST_NCCL_RANK");
	pid_t child[count];
	ncclUniqueId id;
	int status;

	parse_size(argc, argv, "processes", NULL, 0, 0, 0);
	if (number) {
		EXPECT(read(0, &id, sizeof(id)) == sizeof(id));
		work(id, atoi(number));
		return test.wrong != 0;
	}
	NCCL_CHECK(ncclGetUniqueId(&id));
	for (int i = 1; i < count; i++)
		child[i] = start(argv[0], i, id);
	work(id, 0);
	for (int i = 1; i < count; i++) {
		EXPECT(waitpid(child[i], &status, 0) == child[i]);
		EXPECT(i == 1 ? WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL
			      : WIFEXITED(status) && !WEXITSTATUS(status));
	}
	return finish();
}

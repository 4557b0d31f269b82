/* SPDX-License-Identifier: MIT */
/*
 * messages: sends and receives of one element up to several slots: round a ring, from all to all,
 * to itself, several between two ranks, in streams of their own, and where what one rank receives
 * is sent by another only after it has received all. And operations captured into graphs.
 */
#include "ranks.h"

static const size_t most = 200001; /* ints: four slots, the last one not full */

static int value(int from, int to, size_t i)
{
	return (int)(i * 17) + from * 1000003 + to * 10007;
}

static void fill(const rank &r, int to, size_t at, size_t count)
{
	std::vector<int> host(count);

	for (size_t i = 0; i < count; i++)
		host[i] = value(r.device, to, i);
	CHECK(cudaSetDevice(r.device));
	CHECK(cudaMemcpy(r.in + at * 4, host.data(), count * 4, cudaMemcpyHostToDevice));
}

static void expect(const char *what, const rank &r, int from, size_t at, size_t count)
{
	std::vector<int> host(count);

	CHECK(cudaSetDevice(r.device));
	CHECK(cudaMemcpy(host.data(), r.out + at * 4, count * 4, cudaMemcpyDeviceToHost));
	for (size_t i = 0; i < count; i++) {
		if (host[i] != value(from, r.device, i)) {
			mismatch("%s of %zu, rank %d, element %zu: got %d, expected %d", what,
				 count, r.device, i, host[i], value(from, r.device, i));
			return;
		}
	}
}

static void clear(void)
{
	for (const rank &r : ranks) {
		CHECK(cudaSetDevice(r.device));
		CHECK(cudaMemset(r.out, 0xee, most * 4));
		CHECK(cudaDeviceSynchronize());
	}
}

static void round_ring(size_t count)
{
	int n = (int)ranks.size();

	clear();
	for (const rank &r : ranks)
		fill(r, (r.device + 1) % n, 0, count);
	NCCL_CHECK(ncclGroupStart());
	for (const rank &r : ranks) {
		NCCL_CHECK(ncclSend(r.in, count, ncclInt, (r.device + 1) % n, r.comm, r.stream));
		NCCL_CHECK(
			ncclRecv(r.out, count, ncclInt, (r.device + n - 1) % n, r.comm, r.stream));
	}
	NCCL_CHECK(ncclGroupEnd());
	wait_for_ranks();
	for (const rank &r : ranks)
		expect("ring", r, (r.device + n - 1) % n, 0, count);
}

/* Each message in a stream of its own, also to itself; the legacy stream is one of them. */
static void all_to_all(size_t count)
{
	size_t n = ranks.size();
	std::vector<cudaStream_t> streams(n * n);

	clear();
	for (const rank &r : ranks)
		for (size_t to = 0; to < n; to++) {
			fill(r, (int)to, to * count, count);
			if (to)
				CHECK(cudaStreamCreateWithFlags(&streams[r.device * n + to],
								cudaStreamNonBlocking));
		}
	NCCL_CHECK(ncclGroupStart());
	for (const rank &r : ranks)
		for (size_t to = 0; to < n; to++) {
			cudaStream_t stream = streams[r.device * n + to];

			NCCL_CHECK(ncclRecv(r.out + to * count * 4, count, ncclInt, (int)to, r.comm,
					    stream));
			NCCL_CHECK(ncclSend(r.in + to * count * 4, count, ncclInt, (int)to, r.comm,
					    stream));
		}
	NCCL_CHECK(ncclGroupEnd());
	for (const rank &r : ranks) {
		CHECK(cudaSetDevice(r.device));
		CHECK(cudaDeviceSynchronize());
		for (size_t from = 0; from < n; from++)
			expect("all to all", r, (int)from, from * count, count);
		for (size_t to = 1; to < n; to++)
			CHECK(cudaStreamDestroy(streams[r.device * n + to]));
	}
}

/* Two messages from the first to the last, of other lengths, in order; and one of no element */
static void two_in_order(size_t count)
{
	const rank &a = ranks.front(), &b = ranks.back();
	size_t half = count / 3;

	clear();
	fill(a, b.device, 0, count);
	NCCL_CHECK(ncclGroupStart());
	NCCL_CHECK(ncclSend(a.in, half, ncclInt, b.device, a.comm, a.stream));
	NCCL_CHECK(ncclSend(a.in + half * 4, count - half, ncclInt, b.device, a.comm, a.stream));
	NCCL_CHECK(ncclSend(a.in, 0, ncclInt, b.device, a.comm, a.stream));
	NCCL_CHECK(ncclRecv(b.out, half, ncclInt, a.device, b.comm, b.stream));
	NCCL_CHECK(ncclRecv(b.out + half * 4, count - half, ncclInt, a.device, b.comm, b.stream));
	NCCL_CHECK(ncclRecv(b.out, 0, ncclInt, a.device, b.comm, b.stream));
	NCCL_CHECK(ncclGroupEnd());
	wait_for_ranks();
	expect("two messages", b, a.device, 0, count);
}

/*
 * The first sends and receives in one group; the other receives all before it sends, each in a
 * group of its own. The slots hold half of a message.
 */
static void one_after_other(size_t count)
{
	const rank &a = ranks.front(), &b = ranks.back();

	if (ranks.size() < 2)
		return;
	clear();
	fill(a, b.device, 0, count);
	fill(b, a.device, 0, count);
	NCCL_CHECK(ncclGroupStart());
	NCCL_CHECK(ncclRecv(a.out, count, ncclInt, b.device, a.comm, a.stream));
	NCCL_CHECK(ncclSend(a.in, count, ncclInt, b.device, a.comm, a.stream));
	NCCL_CHECK(ncclGroupEnd());
	NCCL_CHECK(ncclRecv(b.out, count, ncclInt, a.device, b.comm, b.stream));
	NCCL_CHECK(ncclSend(b.in, count, ncclInt, a.device, b.comm, b.stream));
	wait_for_ranks();
	expect("received beside", a, b.device, 0, count);
	expect("received before", b, a.device, 0, count);
}

__global__ void add(int *x, size_t count)
{
	for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < count;
	     i += gridDim.x * blockDim.x)
		x[i]++;
}

/* A graph of each rank: its kernel, a sum of all ranks, and a message round the ring; launched
 * several times, with an operation that is in no graph between. */
static void graphs(size_t count)
{
	int n = (int)ranks.size();
	std::vector<cudaGraphExec_t> launches(n);
	std::vector<int> host(count);
	long long want = n;

	for (const rank &r : ranks) {
		CHECK(cudaSetDevice(r.device));
		CHECK(cudaMemset(r.in, 0, count * 4));
		CHECK(cudaDeviceSynchronize());
		CHECK(cudaStreamBeginCapture(r.stream, cudaStreamCaptureModeThreadLocal));
	}
	NCCL_CHECK(ncclGroupStart());
	for (const rank &r : ranks) {
		CHECK(cudaSetDevice(r.device));
		add<<<4, 64, 0, r.stream>>>((int *)r.in, count);
		CHECK(cudaGetLastError());
		NCCL_CHECK(ncclAllReduce(r.in, r.out, count, ncclInt, ncclSum, r.comm, r.stream));
		NCCL_CHECK(ncclSend(r.out, count, ncclInt, (r.device + 1) % n, r.comm, r.stream));
		NCCL_CHECK(
			ncclRecv(r.in, count, ncclInt, (r.device + n - 1) % n, r.comm, r.stream));
	}
	NCCL_CHECK(ncclGroupEnd());
	for (const rank &r : ranks) {
		cudaGraph_t graph;

		CHECK(cudaSetDevice(r.device));
		CHECK(cudaStreamEndCapture(r.stream, &graph));
		CHECK(cudaGraphInstantiate(&launches[r.device], graph, NULL, NULL, 0));
		CHECK(cudaGraphDestroy(graph));
	}
	for (int turn = 0; turn < 3; turn++) {
		for (const rank &r : ranks) {
			CHECK(cudaSetDevice(r.device));
			CHECK(cudaGraphLaunch(launches[r.device], r.stream));
		}
		NCCL_CHECK(ncclGroupStart());
		for (const rank &r : ranks)
			NCCL_CHECK(ncclBcast(r.in, count, ncclInt, 0, r.comm, r.stream));
		NCCL_CHECK(ncclGroupEnd());
	}
	wait_for_ranks();
	/* x becomes n (x + 1), from 0 on */
	want = (long long)n * (n * (n + 1) + 1);
	for (const rank &r : ranks) {
		CHECK(cudaSetDevice(r.device));
		CHECK(cudaMemcpy(host.data(), r.in, count * 4, cudaMemcpyDeviceToHost));
		for (size_t i = 0; i < count; i += count / 7 + 1)
			expect_same("after graphs", (long)i, host[i], (int)want);
		CHECK(cudaGraphExecDestroy(launches[r.device]));
	}
}

int main(int argc, char **argv)
{
	parse_size(argc, argv, "messages", NULL, 0, 0, 0);
	want_devices();
	make_ranks(most * 4);
	for (size_t count : {(size_t)1, (size_t)65536, most})
		round_ring(count);
	all_to_all(1000);
	all_to_all(most / ranks.size());
	two_in_order(most);
	one_after_other(most);
	graphs(100000);
	free_ranks();
	return finish();
}

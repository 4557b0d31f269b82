/* SPDX-License-Identifier: MIT */
/*
 * killed_beside: processes that are killed in the middle: of a cooperative grid whose barrier never
 * ends, of a graph that is launched over and over, of a graph with such a grid. What this process
 * computes meanwhile, by a cooperative grid and by a graph of its own, is exact, and afterwards the
 * device has the memory that it had.
 */
#include "../common.h"

#include <cooperative_groups.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREADS	64
#define BLOCKS	2
#define N	(THREADS * BLOCKS)
#define NODES	6
#define ROUNDS	2
#define SAY	9	/* where a victim says that it is in the middle */

namespace cg = cooperative_groups;

/* Block 0 never comes to the barrier. */
__global__ void barrier_for_ever(volatile int *stop)
{
	while (!blockIdx.x && !*stop)
		;
	cg::this_grid().sync();
}

/* A prefix of a sum: what the other block wrote is read behind each barrier. */
__global__ void rounds_of_sums(unsigned *from, unsigned *to, int rounds)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

	for (int r = 0; r < rounds; r++) {
		to[i] = from[i] * 3 + from[(i + THREADS) % N] + (unsigned)r;
		cg::this_grid().sync();
		from[i] = to[i];
		cg::this_grid().sync();
	}
}

__global__ void step(unsigned *x, unsigned add, int spins)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x, value = x[i];

	for (int s = 0; s < spins; s++)
		value = value * 1664525 + add;
	x[i] = value;
}

static cudaGraphExec_t graph_of_steps(unsigned *x, int spins)
{
	cudaGraphExec_t exec;
	cudaGraphNode_t node, before = NULL;
	cudaGraph_t graph;

	CHECK(cudaGraphCreate(&graph, 0));
	for (unsigned n = 0; n < NODES; n++) {
		cudaKernelNodeParams params = {};
		void *list[] = { &x, &n, &spins };

		params.func = (void *)step;
		params.gridDim = dim3(BLOCKS);
		params.blockDim = dim3(THREADS);
		params.kernelParams = list;
		CHECK(cudaGraphAddKernelNode(&node, graph, &before, n ? 1 : 0, &params));
		before = node;
	}
	CHECK(cudaGraphInstantiateWithFlags(&exec, graph, 0));
	CHECK(cudaGraphDestroy(graph));
	return exec;
}

/* ---- those that are killed --------------------------------------------------- */

static void endless_grid(cudaStream_t stream)
{
	int *stop = device_new<int>(1);
	void *list[] = { &stop };

	CHECK(cudaMemset(stop, 0, sizeof(*stop)));
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaLaunchCooperativeKernel((void *)barrier_for_ever, BLOCKS, THREADS, list, 0,
					  stream));
}

/* A process of its own, which says on @say that it is in the middle. */
static void victim(int kind, int say)
{
	cudaGraphExec_t exec;
	cudaStream_t stream;
	cudaGraph_t graph;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	switch (kind) {
	case 0:
		endless_grid(stream);
		break;
	case 1:
		exec = graph_of_steps(device_new<unsigned>(1 << 20), 2000);
		CHECK(cudaGraphLaunch(exec, stream));
		break;
	default:
		CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
		{
			static int *stop;
			void *list[] = { &stop };

			CHECK(cudaMalloc(&stop, 1 << 20));
			CHECK(cudaMemsetAsync(stop, 0, 1 << 20, stream));
			CHECK(cudaLaunchCooperativeKernel((void *)barrier_for_ever, BLOCKS,
							  THREADS, list, 0, stream));
		}
		CHECK(cudaStreamEndCapture(stream, &graph));
		CHECK(cudaGraphInstantiateWithFlags(&exec, graph, 0));
		CHECK(cudaGraphLaunch(exec, stream));
	}
	test.name = "killed_beside's victim";
	if (kind != 1)
		EXPECT_ERROR(cudaStreamQuery(stream), cudaErrorNotReady);
	if (test.wrong)
		_exit(finish());
	if (write(say, "x", 1) != 1)
		_exit(1);
	if (kind == 1)
		while (cudaGraphLaunch(exec, stream) == cudaSuccess)
			;
	cudaStreamSynchronize(stream);
	_exit(1);
}

static pid_t begin_victim(int kind)
{
	int ends[2];
	char word;
	pid_t pid;

	EXPECT(!pipe(ends));
	fflush(stdout);
	pid = fork();
	if (!pid) {
		char number[2] = { (char)('0' + kind), 0 };

		dup2(ends[1], SAY);
		/* that file is of this process alone */
		unsetenv("VGPU_TRACE");
		execl("/proc/self/exe", "killed_beside", "victim", number, (char *)NULL);
		_exit(127);
	}
	close(ends[1]);
	EXPECT(read(ends[0], &word, 1) == 1);
	close(ends[0]);
	return pid;
}

/* ---- this process ------------------------------------------------------------- */

static void expect_sums(const unsigned *got, int rounds)
{
	unsigned from[N], to[N];

	for (unsigned i = 0; i < N; i++)
		from[i] = i;
	for (int r = 0; r < rounds; r++) {
		for (unsigned i = 0; i < N; i++)
			to[i] = from[i] * 3 + from[(i + THREADS) % N] + (unsigned)r;
		memcpy(from, to, sizeof(from));
	}
	for (int i = 0; i < N; i++)
		expect_same("sums", i, got[i], from[i]);
}

static void expect_steps(const unsigned *got, int spins, int launches)
{
	for (unsigned i = 0; i < N; i++) {
		unsigned value = i;

		for (int n = 0; n < launches * NODES; n++)
			for (int s = 0; s < spins; s++)
				value = value * 1664525 + (unsigned)(n % NODES);
		expect_same("steps", (int)i, got[i], value);
	}
}

int main(int argc, char **argv)
{
	unsigned first[N], got[N], *from, *to, *x;
	int rounds = 20, spins = 50;
	size_t before = 0, after = 0, total;
	pid_t pids[3 * ROUNDS];

	if (argc == 3 && !strcmp(argv[1], "victim"))
		victim(argv[2][0] - '0', SAY);
	parse_size(argc, argv, "killed_beside", NULL, 0, 0, 0);
	pids[0] = begin_victim(0);
	from = device_new<unsigned>(N);
	to = device_new<unsigned>(N);
	x = device_new<unsigned>(N);
	for (unsigned i = 0; i < N; i++)
		first[i] = i;
	cudaGraphExec_t exec = graph_of_steps(x, spins);
	void *list[] = { &from, &to, &rounds };
	for (int n = 0; n < 3 * ROUNDS; n++) {
		int status = 0;

		CHECK(cudaMemcpyAsync(from, first, sizeof(first), cudaMemcpyHostToDevice, 0));
		CHECK(cudaMemcpyAsync(x, first, sizeof(first), cudaMemcpyHostToDevice, 0));
		CHECK(cudaLaunchCooperativeKernel((void *)rounds_of_sums, BLOCKS, THREADS, list, 0,
						  0));
		CHECK(cudaGraphLaunch(exec, 0));
		CHECK(cudaGraphLaunch(exec, 0));
		kill(pids[n], SIGKILL);
		EXPECT(waitpid(pids[n], &status, 0) == pids[n] && WIFSIGNALED(status));
		CHECK(cudaMemcpy(got, from, sizeof(got), cudaMemcpyDeviceToHost));
		expect_sums(got, rounds);
		CHECK(cudaMemcpy(got, x, sizeof(got), cudaMemcpyDeviceToHost));
		expect_steps(got, spins, 2);
		CHECK(cudaDeviceSynchronize());
		CHECK(cudaMemGetInfo(&after, &total));
		if (!n)
			before = after;
		if (after != before)
			mismatch("free memory after %d: %zu bytes, at first %zu", n, after, before);
		if (n + 1 < 3 * ROUNDS)
			pids[n + 1] = begin_victim((n + 1) % 3);
	}
	CHECK(cudaGraphExecDestroy(exec));
	CHECK(cudaFree(from));
	CHECK(cudaFree(to));
	CHECK(cudaFree(x));
	return finish();
}

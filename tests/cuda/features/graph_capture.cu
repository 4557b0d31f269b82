/* SPDX-License-Identifier: MIT */
/*
 * graph_capture: streams that are captured: what becomes nodes and in which order, forks and joins
 * by events, the legacy default stream beside, and what CUDA refuses meanwhile and how.
 */
#include "../common.h"

#include <thread>

#define N 1000
#define BDIM 128
#define BLOCKS ((N + BDIM - 1) / BDIM)

/* Takes a while where spins are asked for: out = in * 3 + add. */
__global__ void step(const int *in, int *out, int add, int spins)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	volatile int drop = 0;

	for (int s = 0; s < spins; s++)
		drop = drop + s;
	if (i < N)
		out[i] = in[i] * 3 + add;
}

static int *zeros(void)
{
	int *dev = device_new<int>(N);

	CHECK(cudaMemset(dev, 0, N * sizeof(int)));
	/* for streams that do not block, too */
	CHECK(cudaDeviceSynchronize());
	return dev;
}

static void expect_all(const char *what, const int *dev, int want)
{
	static int host[N];

	host_from(host, dev, N);
	for (int i = 0; i < N; i++)
		expect_same(what, i, host[i], want);
}

static size_t count_nodes(cudaGraph_t graph)
{
	size_t n = 0;

	CHECK(cudaGraphGetNodes(graph, NULL, &n));
	return n;
}

static size_t count_edges(cudaGraph_t graph)
{
	size_t n = 0;

	CHECK(cudaGraphGetEdges(graph, NULL, NULL, &n));
	return n;
}

static void launch_and_end(cudaGraph_t graph, cudaStream_t stream)
{
	cudaGraphExec_t exec;

	CHECK(cudaGraphInstantiateWithFlags(&exec, graph, 0));
	CHECK(cudaGraphLaunch(exec, stream));
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaGraphExecDestroy(exec));
	CHECK(cudaGraphDestroy(graph));
}

/* The capture was invalidated: its end says so. */
static void expect_invalid(cudaStream_t stream)
{
	enum cudaStreamCaptureStatus status;
	cudaGraph_t graph = (cudaGraph_t)&status;

	CHECK(cudaStreamIsCapturing(stream, &status));
	EXPECT(status == cudaStreamCaptureStatusInvalidated);
	EXPECT_ERROR(cudaStreamEndCapture(stream, &graph), cudaErrorStreamCaptureInvalidated);
	EXPECT(graph == NULL);
	CHECK(cudaStreamIsCapturing(stream, &status));
	EXPECT(status == cudaStreamCaptureStatusNone);
	cudaGetLastError();
}

static void add_one(void *value)
{
	++*(volatile int *)value;
}

/* All that streams do, one behind the other; nothing happens before the launch. */
static void a_row(void)
{
	int *a = zeros(), *b = zeros(), *pinned, calls = 0, back[N];
	enum cudaStreamCaptureStatus status;
	unsigned long long id = 0;
	cudaStream_t stream;
	cudaGraph_t graph;
	void *temporary;

	CHECK(cudaMallocHost((void **)&pinned, N * sizeof(int)));
	for (int i = 0; i < N; i++)
		pinned[i] = 4;
	memset(back, 0, sizeof(back));
	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
	CHECK(cudaStreamGetCaptureInfo(stream, &status, &id));
	EXPECT(status == cudaStreamCaptureStatusActive && id);
	CHECK(cudaMemcpyAsync(a, pinned, N * sizeof(int), cudaMemcpyHostToDevice, stream));
	CHECK(cudaMallocAsync(&temporary, N * sizeof(int), stream));
	step<<<BLOCKS, BDIM, 0, stream>>>(a, (int *)temporary, 1, 0);
	CHECK(cudaGetLastError());
	CHECK(cudaLaunchHostFunc(stream, add_one, &calls));
	step<<<BLOCKS, BDIM, 0, stream>>>((int *)temporary, b, 2, 0);
	CHECK(cudaFreeAsync(temporary, stream));
	CHECK(cudaMemcpyAsync(back, b, sizeof(back), cudaMemcpyDeviceToHost, stream));
	CHECK(cudaMemsetAsync(b, 1, N * sizeof(int), stream));
	CHECK(cudaMemcpyPeerAsync(a, 0, b, 0, sizeof(int), stream));
	CHECK(cudaStreamEndCapture(stream, &graph));
	EXPECT(count_nodes(graph) == 9 && count_edges(graph) == 8);
	expect_all("not yet", b, 0);
	EXPECT(calls == 0 && back[0] == 0);
	launch_and_end(graph, stream);
	EXPECT(calls == 1);
	for (int i = 0; i < N; i++)
		expect_same("row", i, back[i], (4 * 3 + 1) * 3 + 2);
	expect_all("fill", b, 0x01010101);
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFreeHost(pinned));
	CHECK(cudaFree(a));
	CHECK(cudaFree(b));
}

/* Another stream joins by an event, and is joined by one. */
static void fork_and_join(void)
{
	int *a = zeros(), *b = zeros(), *c = zeros();
	cudaEvent_t fork, join;
	cudaStream_t one, two;
	cudaGraph_t graph;
	cudaGraphNode_t roots[2];
	size_t n = 2;

	CHECK(cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking));
	CHECK(cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking));
	CHECK(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
	CHECK(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));
	CHECK(cudaStreamBeginCapture(one, cudaStreamCaptureModeThreadLocal));
	step<<<BLOCKS, BDIM, 0, one>>>(a, a, 1, 500);
	CHECK(cudaEventRecord(fork, one));
	CHECK(cudaStreamWaitEvent(two, fork, 0));
	step<<<BLOCKS, BDIM, 0, two>>>(a, b, 2, 1000);
	CHECK(cudaEventRecord(join, two));
	step<<<BLOCKS, BDIM, 0, one>>>(a, c, 3, 0);
	CHECK(cudaStreamWaitEvent(one, join, 0));
	CHECK(cudaStreamDestroy(two));
	CHECK(cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking));
	step<<<BLOCKS, BDIM, 0, one>>>(b, c, 4, 0);
	CHECK(cudaStreamEndCapture(one, &graph));
	EXPECT(count_nodes(graph) == 4 && count_edges(graph) == 4);
	CHECK(cudaGraphGetRootNodes(graph, roots, &n));
	EXPECT(n == 1);
	EXPECT_ERROR(cudaEventSynchronize(join), cudaErrorCapturedEvent);
	EXPECT_ERROR(cudaEventQuery(fork), cudaErrorCapturedEvent);
	cudaGetLastError();
	launch_and_end(graph, one);
	expect_all("joined", c, (1 * 3 + 2) * 3 + 4);
	/* the streams are as before */
	step<<<BLOCKS, BDIM, 0, two>>>(b, c, 0, 0);
	CHECK(cudaStreamSynchronize(two));
	expect_all("uncaptured", c, 15);
	CHECK(cudaEventDestroy(fork));
	CHECK(cudaEventDestroy(join));
	CHECK(cudaStreamDestroy(one));
	CHECK(cudaStreamDestroy(two));
	CHECK(cudaFree(a));
	CHECK(cudaFree(b));
	CHECK(cudaFree(c));
}

static void ends(void)
{
	cudaStream_t one, two;
	cudaGraph_t graph;
	cudaEvent_t fork;
	int *a = zeros();

	CHECK(cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking));
	CHECK(cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking));
	CHECK(cudaEventCreate(&fork));
	EXPECT_ERROR(cudaStreamEndCapture(one, &graph), cudaErrorIllegalState);
	EXPECT_ERROR(cudaStreamBeginCapture(0, cudaStreamCaptureModeGlobal),
		     cudaErrorStreamCaptureUnsupported);
	EXPECT_ERROR(cudaStreamBeginCapture(one, (enum cudaStreamCaptureMode)7),
		     cudaErrorInvalidValue);
	/* a fork without a join */
	CHECK(cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal));
	CHECK(cudaEventRecord(fork, one));
	CHECK(cudaStreamWaitEvent(two, fork, 0));
	step<<<BLOCKS, BDIM, 0, two>>>(a, a, 1, 0);
	EXPECT_ERROR(cudaStreamEndCapture(one, &graph), cudaErrorStreamCaptureUnjoined);
	EXPECT(graph == NULL);
	/* that is destroyed: what it did is not joined, either */
	CHECK(cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal));
	CHECK(cudaEventRecord(fork, one));
	CHECK(cudaStreamWaitEvent(two, fork, 0));
	step<<<BLOCKS, BDIM, 0, two>>>(a, a, 1, 0);
	CHECK(cudaStreamDestroy(two));
	EXPECT_ERROR(cudaStreamEndCapture(one, &graph), cudaErrorStreamCaptureUnjoined);
	CHECK(cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking));
	/* the other one cannot end it */
	CHECK(cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal));
	CHECK(cudaEventRecord(fork, one));
	CHECK(cudaStreamWaitEvent(two, fork, 0));
	EXPECT_ERROR(cudaStreamEndCapture(two, &graph), cudaErrorStreamCaptureUnmatched);
	expect_invalid(one);
	/* nor another thread, unless it was said */
	CHECK(cudaStreamBeginCapture(one, cudaStreamCaptureModeThreadLocal));
	std::thread([&] {
		EXPECT_ERROR(cudaStreamEndCapture(one, &graph),
			     cudaErrorStreamCaptureWrongThread);
	}).join();
	CHECK(cudaStreamEndCapture(one, &graph));
	EXPECT(count_nodes(graph) == 0);
	launch_and_end(graph, one);
	CHECK(cudaStreamBeginCapture(one, cudaStreamCaptureModeRelaxed));
	std::thread([&] { CHECK(cudaStreamEndCapture(one, &graph)); }).join();
	CHECK(cudaGraphDestroy(graph));
	/* twice */
	CHECK(cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal));
	EXPECT_ERROR(cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal),
		     cudaErrorIllegalState);
	expect_invalid(one);
	/* with the stream */
	CHECK(cudaStreamBeginCapture(two, cudaStreamCaptureModeGlobal));
	CHECK(cudaStreamDestroy(two));
	CHECK(cudaMalloc((void **)&graph, 16));
	CHECK(cudaFree(graph));
	cudaGetLastError();
	CHECK(cudaEventDestroy(fork));
	CHECK(cudaStreamDestroy(one));
	CHECK(cudaFree(a));
}

static void refusals(void)
{
	enum cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
	cudaStream_t blocking, one, two;
	cudaEvent_t event, other;
	cudaGraph_t graph;
	int *a = zeros();
	void *more;

	CHECK(cudaStreamCreate(&blocking));
	CHECK(cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking));
	CHECK(cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking));
	CHECK(cudaEventCreate(&event));
	CHECK(cudaEventCreate(&other));
	/* what waits for the stream */
	CHECK(cudaStreamBeginCapture(one, cudaStreamCaptureModeRelaxed));
	EXPECT_ERROR(cudaStreamSynchronize(one), cudaErrorStreamCaptureUnsupported);
	EXPECT_ERROR(cudaMemsetAsync(a, 0, 4, one), cudaErrorStreamCaptureInvalidated);
	expect_invalid(one);
	CHECK(cudaStreamBeginCapture(one, cudaStreamCaptureModeRelaxed));
	EXPECT_ERROR(cudaStreamQuery(one), cudaErrorStreamCaptureUnsupported);
	expect_invalid(one);
	CHECK(cudaStreamBeginCapture(one, cudaStreamCaptureModeRelaxed));
	EXPECT_ERROR(cudaDeviceSynchronize(), cudaErrorStreamCaptureUnsupported);
	expect_invalid(one);
	CHECK(cudaMallocManaged(&more, 4096));
	CHECK(cudaStreamBeginCapture(one, cudaStreamCaptureModeRelaxed));
	EXPECT_ERROR(cudaStreamAttachMemAsync(one, more, 0, cudaMemAttachGlobal),
		     cudaErrorStreamCaptureUnsupported);
	expect_invalid(one);
	CHECK(cudaFree(more));
	/* what may wait */
	CHECK(cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal));
	EXPECT_ERROR(cudaMalloc(&more, 16), cudaErrorStreamCaptureUnsupported);
	expect_invalid(one);
	CHECK(cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal));
	std::thread([&] {
		EXPECT_ERROR(cudaMalloc(&more, 16), cudaErrorStreamCaptureUnsupported);
	}).join();
	expect_invalid(one);
	CHECK(cudaStreamBeginCapture(one, cudaStreamCaptureModeThreadLocal));
	std::thread([&] {
		CHECK(cudaMalloc(&more, 16));
		CHECK(cudaFree(more));
	}).join();
	CHECK(cudaThreadExchangeStreamCaptureMode(&mode));
	EXPECT(mode == cudaStreamCaptureModeGlobal);
	CHECK(cudaMalloc(&more, 16));
	CHECK(cudaFree(more));
	CHECK(cudaThreadExchangeStreamCaptureMode(&mode));
	EXPECT(mode == cudaStreamCaptureModeRelaxed);
	CHECK(cudaStreamEndCapture(one, &graph));
	CHECK(cudaGraphDestroy(graph));
	/* the legacy default stream stands beside what does not block only */
	CHECK(cudaStreamBeginCapture(one, cudaStreamCaptureModeRelaxed));
	CHECK(cudaMemset(a, 0, 4));
	CHECK(cudaStreamEndCapture(one, &graph));
	CHECK(cudaGraphDestroy(graph));
	CHECK(cudaStreamBeginCapture(blocking, cudaStreamCaptureModeRelaxed));
	EXPECT_ERROR(cudaMemset(a, 0, 4), cudaErrorStreamCaptureImplicit);
	expect_invalid(blocking);
	CHECK(cudaStreamBeginCapture(blocking, cudaStreamCaptureModeRelaxed));
	step<<<BLOCKS, BDIM>>>(a, a, 1, 0);
	EXPECT_ERROR(cudaGetLastError(), cudaErrorStreamCaptureImplicit);
	expect_invalid(blocking);
	/* events from outside, and of another capture */
	CHECK(cudaEventRecord(event, two));
	CHECK(cudaStreamBeginCapture(one, cudaStreamCaptureModeRelaxed));
	EXPECT_ERROR(cudaStreamWaitEvent(one, event, 0), cudaErrorStreamCaptureIsolation);
	expect_invalid(one);
	CHECK(cudaStreamBeginCapture(one, cudaStreamCaptureModeRelaxed));
	CHECK(cudaStreamBeginCapture(two, cudaStreamCaptureModeRelaxed));
	CHECK(cudaEventRecord(other, one));
	EXPECT_ERROR(cudaStreamWaitEvent(two, other, 0), cudaErrorStreamCaptureMerge);
	expect_invalid(one);
	expect_invalid(two);
	EXPECT_ERROR(cudaStreamWaitEvent(two, other, 0), cudaErrorCapturedEvent);
	EXPECT_ERROR(cudaStreamAddCallback(one, NULL, NULL, 0), cudaErrorInvalidValue);
	cudaGetLastError();
	/* an event for others is a node, and one from others, too */
	CHECK(cudaEventRecord(event, two));
	CHECK(cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal));
	CHECK(cudaStreamWaitEvent(one, event, cudaEventWaitExternal));
	CHECK(cudaEventRecordWithFlags(other, one, cudaEventRecordExternal));
	CHECK(cudaStreamEndCapture(one, &graph));
	EXPECT(count_nodes(graph) == 2);
	launch_and_end(graph, one);
	CHECK(cudaEventSynchronize(other));
	CHECK(cudaEventDestroy(event));
	CHECK(cudaEventDestroy(other));
	CHECK(cudaStreamDestroy(one));
	CHECK(cudaStreamDestroy(two));
	CHECK(cudaStreamDestroy(blocking));
	CHECK(cudaFree(a));
}

/* The program looks into the graph, and adds to it, while it is captured. */
static void by_hand(void)
{
	int *a = zeros(), *b = zeros();
	enum cudaStreamCaptureStatus status;
	const cudaGraphNode_t *after;
	cudaHostNodeParams call;
	cudaGraph_t graph, same;
	cudaStream_t stream;
	cudaGraphNode_t node;
	int calls = 0;
	size_t n = 0;

	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
	step<<<BLOCKS, BDIM, 0, stream>>>(a, b, 1, 0);
	CHECK(cudaStreamGetCaptureInfo_v2(stream, &status, NULL, &graph, &after, &n));
	EXPECT(status == cudaStreamCaptureStatusActive && n == 1);
	call.fn = add_one;
	call.userData = &calls;
	CHECK(cudaGraphAddHostNode(&node, graph, after, n, &call));
	CHECK(cudaStreamUpdateCaptureDependencies(stream, &node, 1,
						  cudaStreamSetCaptureDependencies));
	EXPECT_ERROR(cudaGraphDestroy(graph), cudaErrorInvalidValue);
	step<<<BLOCKS, BDIM, 0, stream>>>(b, b, 1, 0);
	CHECK(cudaStreamEndCapture(stream, &same));
	EXPECT(same == graph && count_nodes(graph) == 3 && count_edges(graph) == 2);
	launch_and_end(graph, stream);
	EXPECT(calls == 1);
	expect_all("by hand", b, 4);
	/* a graph that is launched into a captured stream is a child there */
	CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
	step<<<BLOCKS, BDIM, 0, stream>>>(b, b, 1, 0);
	CHECK(cudaStreamEndCapture(stream, &graph));
	cudaGraphExec_t exec;
	CHECK(cudaGraphInstantiateWithFlags(&exec, graph, 0));
	CHECK(cudaGraphDestroy(graph));
	CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
	CHECK(cudaGraphLaunch(exec, stream));
	CHECK(cudaGraphLaunch(exec, stream));
	CHECK(cudaStreamEndCapture(stream, &graph));
	EXPECT(count_nodes(graph) == 2);
	CHECK(cudaGraphExecDestroy(exec));
	launch_and_end(graph, stream);
	expect_all("children", b, (4 * 3 + 1) * 3 + 1);
	cudaGetLastError();
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFree(a));
	CHECK(cudaFree(b));
}

int main(int argc, char **argv)
{
	cudaStream_t left_open;

	parse_size(argc, argv, "graph_capture", NULL, 0, 0, 0);
	a_row();
	fork_and_join();
	ends();
	refusals();
	by_hand();
	/* the program ends with a capture open */
	CHECK(cudaStreamCreate(&left_open));
	CHECK(cudaStreamBeginCapture(left_open, cudaStreamCaptureModeGlobal));
	return finish();
}

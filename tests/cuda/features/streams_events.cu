/* SPDX-License-Identifier: MIT */
/*
 * streams_events: the order that streams, the legacy default stream and events promise, checked by
 * results: every step reads what the step before it wrote. Where the order is missing, a slow first
 * step makes a wrong number very likely. Also elapsed times and the queries.
 */
#include "../common.h"

#define N 2000
#define BDIM 128
#define BLOCKS ((N + BDIM - 1) / BDIM)
#define STREAMS 4

__device__ unsigned no_bits;

/* Takes a while, then out = in * 3 + add. The mask that drops the loop's result is not constant. */
__global__ void slow_step(const int *in, int *out, int n, int add, int spins)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	unsigned x = i;

	if (i >= n)
		return;
	for (int s = 0; s < spins; s++)
		x = (x ^ x >> 15) * 1664525u + 1013904223u;
	out[i] = in[i] * 3 + add + (int)(x & no_bits);
}

static void fill(int *host, int first)
{
	for (int i = 0; i < N; i++)
		host[i] = first + i;
}

/* Blocking stream, then default stream, then another blocking stream, without any other order. */
static void legacy_default_stream(int *dev[4], int *host)
{
	cudaStream_t a, b;

	CHECK(cudaStreamCreate(&a));
	CHECK(cudaStreamCreate(&b));
	fill(host, 1);
	CHECK(cudaMemcpy(dev[0], host, N * sizeof(int), cudaMemcpyHostToDevice));
	CHECK(cudaMemset(dev[1], 0, N * sizeof(int)));
	slow_step<<<BLOCKS, BDIM, 0, a>>>(dev[0], dev[1], N, 1, 200);
	slow_step<<<BLOCKS, BDIM>>>(dev[1], dev[2], N, 2, 100);
	slow_step<<<BLOCKS, BDIM, 0, b>>>(dev[2], dev[3], N, 3, 0);
	CHECK(cudaGetLastError());
	/* A synchronous copy is work of the default stream: it waits for b. */
	CHECK(cudaMemcpy(host, dev[3], N * sizeof(int), cudaMemcpyDeviceToHost));
	for (int i = 0; i < N; i++)
		expect_same("legacy order", i, host[i], (((1 + i) * 3 + 1) * 3 + 2) * 3 + 3);
	CHECK(cudaStreamDestroy(a));
	CHECK(cudaStreamDestroy(b));
}

/* Streams that the default stream does not order: only the event does. */
static void events_order(int *dev[4], int *host)
{
	cudaStream_t a, b;
	cudaEvent_t done, unrecorded;

	CHECK(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
	CHECK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
	CHECK(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
	CHECK(cudaEventCreate(&unrecorded));
	fill(host, 50);
	CHECK(cudaMemcpyAsync(dev[0], host, N * sizeof(int), cudaMemcpyHostToDevice, a));
	slow_step<<<BLOCKS, BDIM, 0, a>>>(dev[0], dev[1], N, 5, 300);
	CHECK(cudaEventRecord(done, a));
	/* Work after the record does not hold up who waits for the event. */
	slow_step<<<BLOCKS, BDIM, 0, a>>>(dev[0], dev[3], N, 0, 50);
	CHECK(cudaStreamWaitEvent(b, unrecorded, 0));
	CHECK(cudaStreamWaitEvent(b, done, 0));
	slow_step<<<BLOCKS, BDIM, 0, b>>>(dev[1], dev[2], N, 6, 0);
	CHECK(cudaGetLastError());
	CHECK(cudaStreamSynchronize(b));
	CHECK(cudaEventQuery(done));
	CHECK(cudaEventQuery(unrecorded));
	CHECK(cudaMemcpyAsync(host, dev[2], N * sizeof(int), cudaMemcpyDeviceToHost, b));
	CHECK(cudaStreamSynchronize(b));
	for (int i = 0; i < N; i++)
		expect_same("event order", i, host[i], ((50 + i) * 3 + 5) * 3 + 6);
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaStreamQuery(a));
	CHECK(cudaEventDestroy(done));
	CHECK(cudaEventDestroy(unrecorded));
	CHECK(cudaStreamDestroy(a));
	CHECK(cudaStreamDestroy(b));
}

/* Each stream copies its share in, works on it and copies it out; the shares do not mix. */
static void overlap(void)
{
	cudaStream_t s[STREAMS];
	int *in, *out, *dev_in[STREAMS], *dev_out[STREAMS];

	CHECK(cudaMallocHost((void **)&in, STREAMS * N * sizeof(int)));
	CHECK(cudaMallocHost((void **)&out, STREAMS * N * sizeof(int)));
	for (int i = 0; i < STREAMS; i++) {
		CHECK(cudaStreamCreate(&s[i]));
		dev_in[i] = device_new<int>(N);
		dev_out[i] = device_new<int>(N);
		fill(in + i * N, i * 10000);
	}
	for (int round = 0; round < 3; round++)
		for (int i = 0; i < STREAMS; i++) {
			CHECK(cudaMemcpyAsync(dev_in[i], in + i * N, N * sizeof(int),
					      cudaMemcpyHostToDevice, s[i]));
			slow_step<<<BLOCKS, BDIM, 0, s[i]>>>(dev_in[i], dev_out[i], N, round + i,
							     20 * (STREAMS - i));
			CHECK(cudaGetLastError());
			CHECK(cudaMemcpyAsync(out + i * N, dev_out[i], N * sizeof(int),
					      cudaMemcpyDeviceToHost, s[i]));
		}
	CHECK(cudaDeviceSynchronize());
	for (int i = 0; i < STREAMS; i++) {
		for (int k = 0; k < N; k++)
			expect_same("overlap", (long)i * N + k, out[i * N + k],
				    (i * 10000 + k) * 3 + 2 + i);
		CHECK(cudaStreamQuery(s[i]));
		CHECK(cudaStreamDestroy(s[i]));
		CHECK(cudaFree(dev_in[i]));
		CHECK(cudaFree(dev_out[i]));
	}
	CHECK(cudaFreeHost(in));
	CHECK(cudaFreeHost(out));
}

static void elapsed_times(int *dev[4])
{
	cudaEvent_t e[3], untimed;
	cudaStream_t s;
	float first, second, both, back;
	cudaError_t state;

	for (int i = 0; i < 3; i++)
		CHECK(cudaEventCreate(&e[i]));
	CHECK(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));
	CHECK(cudaStreamCreate(&s));
	CHECK(cudaEventRecord(e[0], s));
	slow_step<<<BLOCKS, BDIM, 0, s>>>(dev[0], dev[1], N, 0, 20);
	CHECK(cudaEventRecord(e[1], s));
	slow_step<<<BLOCKS, BDIM, 0, s>>>(dev[1], dev[2], N, 0, 1000);
	CHECK(cudaEventRecord(e[2], s));
	CHECK(cudaEventRecord(untimed, s));
	state = cudaEventQuery(e[2]);
	if (state != cudaSuccess && state != cudaErrorNotReady)
		mismatch("query: got %s, expected cudaSuccess or cudaErrorNotReady",
			 cudaGetErrorName(state));
	CHECK(cudaEventSynchronize(e[2]));
	CHECK(cudaEventQuery(e[2]));
	CHECK(cudaEventElapsedTime(&first, e[0], e[1]));
	CHECK(cudaEventElapsedTime(&second, e[1], e[2]));
	CHECK(cudaEventElapsedTime(&both, e[0], e[2]));
	CHECK(cudaEventElapsedTime(&back, e[2], e[0]));
	printf("  elapsed: %g ms and %g ms\n", first, second);
	EXPECT(first > 0.0f);
	/* Fifty times the loop: well above, whatever launching costs. */
	EXPECT(second > first);
	/* NVIDIA's resolution is about half a microsecond. */
	expect_near("first + second", 0, both, (double)first + second, 0.002 + both * 1e-5);
	expect_near("backwards", 0, back, -(double)both, 0.002 + both * 1e-5);
	CHECK(cudaEventSynchronize(untimed));
	EXPECT_ERROR(cudaEventElapsedTime(&first, e[0], untimed), cudaErrorInvalidResourceHandle);
	EXPECT_ERROR(cudaGetLastError(), cudaErrorInvalidResourceHandle);
	/* Recorded again, an event stands for its last record. */
	CHECK(cudaEventRecord(e[0], s));
	CHECK(cudaEventSynchronize(e[0]));
	CHECK(cudaEventElapsedTime(&first, e[2], e[0]));
	EXPECT(first >= 0.0f);
	for (int i = 0; i < 3; i++)
		CHECK(cudaEventDestroy(e[i]));
	CHECK(cudaEventDestroy(untimed));
	CHECK(cudaStreamDestroy(s));
}

/* Destroying a stream does not lose the work in it. */
static void destroy_busy(int *dev[4], int *host)
{
	cudaStream_t s;
	int low, high;

	CHECK(cudaDeviceGetStreamPriorityRange(&low, &high));
	EXPECT(high <= low);
	CHECK(cudaStreamCreateWithPriority(&s, cudaStreamDefault, high));
	fill(host, 9);
	CHECK(cudaMemcpy(dev[0], host, N * sizeof(int), cudaMemcpyHostToDevice));
	slow_step<<<BLOCKS, BDIM, 0, s>>>(dev[0], dev[1], N, 4, 100);
	slow_step<<<BLOCKS, BDIM, 0, s>>>(dev[1], dev[2], N, 4, 0);
	CHECK(cudaGetLastError());
	CHECK(cudaStreamDestroy(s));
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaMemcpy(host, dev[2], N * sizeof(int), cudaMemcpyDeviceToHost));
	for (int i = 0; i < N; i++)
		expect_same("destroyed stream", i, host[i], ((9 + i) * 3 + 4) * 3 + 4);
}

int main(int argc, char **argv)
{
	int *dev[4], host[N];

	parse_size(argc, argv, "streams_events", NULL, 0, 0, 0);
	for (int i = 0; i < 4; i++)
		dev[i] = device_new<int>(N);
	legacy_default_stream(dev, host);
	events_order(dev, host);
	overlap();
	elapsed_times(dev);
	destroy_busy(dev, host);
	for (int i = 0; i < 4; i++)
		CHECK(cudaFree(dev[i]));
	return finish();
}

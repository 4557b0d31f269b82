/* SPDX-License-Identifier: MIT */
/*
 * Streams of threads, for a program compiled with a default stream for each thread and for one
 * that names cudaStreamPerThread: STREAM is the thread's.
 */
#ifndef TESTS_CUDA_THREAD_STREAMS_H
#define TESTS_CUDA_THREAD_STREAMS_H

#include "../common.h"

#include <thread>
#include <vector>

#include <unistd.h>

#define THREADS 4

__device__ static unsigned no_bits;

__global__ void work(int *p, int n, int value)
{
	unsigned x = threadIdx.x;

	for (int i = 0; i < n; i++)
		x = (x ^ x >> 15) * 1664525u + 1013904223u;
	*p = *p * 3 + value + (int)(x & no_bits);
}

/*
 * Device time may run while the program launches: all is launched behind a function that waits for
 * the program.
 */
static volatile bool gate_open;

static void CUDART_CB wait_at_gate(void *)
{
	while (!gate_open)
		usleep(100);
}

/* Milliseconds that one kernel in each of @threads threads takes. */
static float time_of(int threads, int *p)
{
	std::vector<std::thread> all;
	cudaEvent_t start, end;
	float ms;

	CHECK(cudaEventCreate(&start));
	CHECK(cudaEventCreate(&end));
	gate_open = false;
	CHECK(cudaLaunchHostFunc(cudaStreamLegacy, wait_at_gate, NULL));
	CHECK(cudaEventRecord(start, cudaStreamLegacy));
	for (int i = 0; i < threads; i++)
		all.emplace_back([p, i] {
			work<<<1, 1, 0, STREAM>>>(p + i, 5000, 1);
			CHECK(cudaGetLastError());
		});
	for (auto &thread : all)
		thread.join();
	/* The threads have ended; the legacy default stream waits for what they have left. */
	CHECK(cudaEventRecord(end, cudaStreamLegacy));
	gate_open = true;
	CHECK(cudaEventSynchronize(end));
	CHECK(cudaEventElapsedTime(&ms, start, end));
	CHECK(cudaEventDestroy(start));
	CHECK(cudaEventDestroy(end));
	return ms;
}

/* The legacy default stream waits for the thread's, and the thread's for it. */
static void legacy_orders(int *p)
{
	*p = 0;
	work<<<1, 1, 0, STREAM>>>(p, 2000, 1);
	work<<<1, 1, 0, cudaStreamLegacy>>>(p, 1000, 2);
	work<<<1, 1, 0, STREAM>>>(p, 0, 3);
	CHECK(cudaStreamSynchronize(STREAM));
	EXPECT(*p == (1 * 3 + 2) * 3 + 3);
}

/* A stream that is held up holds up no other thread's. */
static void others_go_on(int *p)
{
	static volatile bool open;
	cudaEvent_t done;

	open = false;
	CHECK(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
	CHECK(cudaLaunchHostFunc(
		STREAM,
		[](void *) {
			while (!open)
				std::this_thread::yield();
		},
		NULL));
	CHECK(cudaEventRecord(done, STREAM));
	std::thread([p] {
		int value = 7;

		work<<<1, 1, 0, STREAM>>>(p, 0, 1);
		CHECK(cudaStreamSynchronize(STREAM));
		CHECK(cudaMemcpyAsync(p, &value, sizeof(value), cudaMemcpyDefault, STREAM));
		CHECK(cudaStreamSynchronize(STREAM));
		EXPECT(*p == 7);
	}).join();
	EXPECT_ERROR(cudaStreamQuery(STREAM), cudaErrorNotReady);
	EXPECT_ERROR(cudaEventQuery(done), cudaErrorNotReady);
	open = true;
	CHECK(cudaEventSynchronize(done));
	CHECK(cudaStreamQuery(STREAM));
	CHECK(cudaEventDestroy(done));
}

static void thread_streams(void)
{
	cudaDeviceProp prop;
	float one, all;
	int *p, rounds;

	CHECK(cudaGetDeviceProperties(&prop, 0));
	rounds = (THREADS + prop.multiProcessorCount - 1) / prop.multiProcessorCount;
	CHECK(cudaMallocHost(&p, THREADS * sizeof(*p)));
	for (int i = 0; i < THREADS; i++)
		p[i] = 0;
	work<<<1, 1>>>(p, 0, 0);
	CHECK(cudaDeviceSynchronize());
	one = time_of(1, p);
	all = time_of(THREADS, p);
	/* one after the other only what has no SM beside the rest */
	EXPECT(all < (rounds + 1) * one);
	for (int i = 0; i < THREADS; i++)
		EXPECT(p[i] == (i ? 1 : 4));
	legacy_orders(p);
	others_go_on(p);
	/* many come and go */
	for (int i = 0; i < 100; i++)
		time_of(1, p);
	EXPECT_ERROR(cudaStreamDestroy(cudaStreamPerThread), cudaErrorInvalidResourceHandle);
	cudaGetLastError();
	/* a new context has new ones */
	CHECK(cudaFreeHost(p));
	CHECK(cudaDeviceReset());
	CHECK(cudaMallocHost(&p, sizeof(*p)));
	legacy_orders(p);
	CHECK(cudaFreeHost(p));
}

#endif

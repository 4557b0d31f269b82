/* SPDX-License-Identifier: MIT */
/*
 * thread_default_streams: a default stream for each thread. Compiled with --default-stream
 * per-thread (Makefile).
 */
#ifndef CUDA_API_PER_THREAD_DEFAULT_STREAM
#error "this is for --default-stream per-thread"
#endif
#define STREAM 0
#include "thread_streams.h"

/* Calls that name no stream mean the thread's: they do not wait for a stream that is held up. */
static void calls_without_a_stream(void)
{
	static volatile bool open;
	cudaStream_t held;
	int *p, value = 3;

	open = false;
	CHECK(cudaMalloc(&p, sizeof(*p)));
	CHECK(cudaStreamCreate(&held));
	CHECK(cudaLaunchHostFunc(
		held,
		[](void *) {
			while (!open)
				std::this_thread::yield();
		},
		NULL));
	CHECK(cudaMemset(p, 0, sizeof(*p)));
	CHECK(cudaMemcpy(p, &value, sizeof(value), cudaMemcpyHostToDevice));
	work<<<1, 1>>>(p, 0, 1);
	CHECK(cudaMemcpy(&value, p, sizeof(value), cudaMemcpyDeviceToHost));
	EXPECT(value == 10);
	EXPECT_ERROR(cudaStreamQuery(held), cudaErrorNotReady);
	EXPECT_ERROR(cudaStreamQuery(cudaStreamLegacy), cudaErrorNotReady);
	open = true;
	CHECK(cudaStreamDestroy(held));
	CHECK(cudaFree(p));
}

int main(int argc, char **argv)
{
	parse_size(argc, argv, "thread_default_streams", NULL, 0, 0, 0);
	thread_streams();
	calls_without_a_stream();
	return finish();
}

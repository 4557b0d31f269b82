/* SPDX-License-Identifier: MIT */
/*
 * host_callback_error: when a context has died, callbacks of streams are told why, and host
 * functions are not called.
 */
#include "../common.h"

#include <atomic>

#include <unistd.h>

static std::atomic<int> functions, callbacks;
static std::atomic<int> told;

static void CUDART_CB function(void *argument)
{
	(void)argument;
	functions++;
}

static volatile bool gate_open;

static void CUDART_CB wait_at_gate(void *)
{
	while (!gate_open)
		usleep(100);
}

static void CUDART_CB callback(cudaStream_t stream, cudaError_t status, void *argument)
{
	(void)stream;
	(void)argument;
	told = status;
	callbacks++;
}

__global__ void bad(int *p)
{
	p[1l << 38] = 1;
}

int main(int argc, char **argv)
{
	int *p;

	parse_size(argc, argv, "host_callback_error", NULL, 0, 0, 0);
	CHECK(cudaMalloc(&p, sizeof(*p)));
	/* all is launched before the kernel runs */
	CHECK(cudaLaunchHostFunc(0, wait_at_gate, NULL));
	bad<<<1, 1>>>(p);
	CHECK(cudaLaunchHostFunc(0, function, NULL));
	CHECK(cudaStreamAddCallback(0, callback, NULL, 0));
	gate_open = true;
	EXPECT_ERROR(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
	CHECK(cudaDeviceReset());
	EXPECT(!functions && callbacks == 1);
	EXPECT_ERROR((cudaError_t)told.load(), cudaErrorIllegalAddress);
	CHECK(cudaMalloc(&p, sizeof(*p)));
	CHECK(cudaStreamAddCallback(0, callback, NULL, 0));
	CHECK(cudaDeviceSynchronize());
	EXPECT(callbacks == 2);
	EXPECT_ERROR((cudaError_t)told.load(), cudaSuccess);
	return finish();
}

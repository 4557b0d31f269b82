/* SPDX-License-Identifier: MIT */
/*
 * many_launches: thousands of small launches, waiting for each, for none, and spread over more
 * streams than the device has queues. Every launch counts exactly once, in its stream's order.
 */
#include "../common.h"

#include <vector>

#define STREAMS 40

__global__ void bump(int *cell, int by)
{
	if (threadIdx.x == 0)
		*cell += by;
}

/* Order shows: x * 3 + k, modulo 2^32, is not commutative. */
__global__ void step(unsigned *cell, unsigned k)
{
	if (threadIdx.x == 0)
		*cell = *cell * 3 + k;
}

int main(int argc, char **argv)
{
	int n = (int)parse_size(argc, argv, "many_launches", "launches", 2000, 1, 1000000);
	int *sum = device_new<int>(1), got, want = 0;
	unsigned *cells = device_new<unsigned>(STREAMS);
	std::vector<unsigned> cells_got(STREAMS), cells_want(STREAMS, 0);
	cudaStream_t s[STREAMS];

	CHECK(cudaMemset(sum, 0, sizeof(*sum)));
	CHECK(cudaMemset(cells, 0, STREAMS * sizeof(*cells)));
	for (int i = 0; i < n; i++) {
		bump<<<1, 32>>>(sum, i % 5);
		CHECK(cudaGetLastError());
		want += i % 5;
	}
	host_from(&got, sum, 1);
	expect_same("launches without waiting", 0, got, want);
	for (int i = 0; i < n / 10 + 1; i++) {
		bump<<<2, 1>>>(sum + 0, 0);
		bump<<<1, 7>>>(sum, 3);
		CHECK_LAUNCH();
		want += 3;
	}
	host_from(&got, sum, 1);
	expect_same("launches with waiting", 0, got, want);

	for (int i = 0; i < STREAMS; i++)
		CHECK(cudaStreamCreateWithFlags(&s[i], i % 2 ? cudaStreamNonBlocking :
							       cudaStreamDefault));
	CHECK(cudaDeviceSynchronize());
	for (int i = 0; i < n; i++) {
		int k = i * 7 % STREAMS;

		step<<<1, 32, 0, s[k]>>>(&cells[k], (unsigned)i);
		CHECK(cudaGetLastError());
		cells_want[k] = cells_want[k] * 3 + (unsigned)i;
	}
	for (int i = 0; i < STREAMS; i++)
		CHECK(cudaStreamSynchronize(s[i]));
	host_from(cells_got.data(), cells, STREAMS);
	compare_exact("streams", cells_got.data(), cells_want.data(), STREAMS);
	for (int i = 0; i < STREAMS; i++)
		CHECK(cudaStreamDestroy(s[i]));

	/* Events and streams come and go without end. */
	for (int i = 0; i < n / 10 + 1; i++) {
		cudaEvent_t e;
		cudaStream_t t;

		CHECK(cudaStreamCreate(&t));
		CHECK(cudaEventCreate(&e));
		bump<<<1, 1, 0, t>>>(sum, 1);
		CHECK(cudaEventRecord(e, t));
		CHECK(cudaEventSynchronize(e));
		CHECK(cudaEventDestroy(e));
		CHECK(cudaStreamDestroy(t));
		want++;
	}
	host_from(&got, sum, 1);
	expect_same("short-lived streams", 0, got, want);
	CHECK(cudaFree(sum));
	CHECK(cudaFree(cells));
	return finish();
}

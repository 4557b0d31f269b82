/* SPDX-License-Identifier: MIT */
/*
 * barriers_fences: barriers that count and vote, the last block that finishes and adds up what the
 * others left (a fence and an atomic ticket), values handed between warps through volatile shared
 * memory, barriers in loops whose length depends on the block, and the clock.
 */
#include "../common.h"

#define BDIM 192
#define BLOCKS 23

__global__ void votes(const int *in, int *count, int *all, int *any, int limit)
{
	int i = blockIdx.x * BDIM + threadIdx.x;

	count[i] = __syncthreads_count(in[i] % 3 == 0);
	all[i] = __syncthreads_and(in[i] < limit) != 0;
	any[i] = __syncthreads_or(in[i] == limit) != 0;
}

static void check_votes(void)
{
	const int n = BLOCKS * BDIM, limit = 990;
	static int in[n], out[3][n];
	int *dev_in, *dev[3];
	struct lcg g = { 66 };

	/* Some blocks hold only small numbers, some exactly one that is the limit. */
	for (int i = 0; i < n; i++)
		in[i] = (int)lcg_below(&g, i / BDIM % 3 == 0 ? limit : 1000);
	in[5 * BDIM + 77] = limit;
	dev_in = device_from(in, n);
	for (int k = 0; k < 3; k++)
		dev[k] = device_new<int>(n);
	votes<<<BLOCKS, BDIM>>>(dev_in, dev[0], dev[1], dev[2], limit);
	CHECK_LAUNCH();
	for (int k = 0; k < 3; k++)
		host_from(out[k], dev[k], n);
	for (int b = 0; b < BLOCKS; b++) {
		int count = 0, all = 1, any = 0;

		for (int t = 0; t < BDIM; t++) {
			count += in[b * BDIM + t] % 3 == 0;
			all &= in[b * BDIM + t] < limit;
			any |= in[b * BDIM + t] == limit;
		}
		for (int i = b * BDIM; i < (b + 1) * BDIM; i++) {
			expect_same("__syncthreads_count", i, out[0][i], count);
			expect_same("__syncthreads_and", i, out[1][i], all);
			expect_same("__syncthreads_or", i, out[2][i], any);
		}
	}
	CHECK(cudaFree(dev_in));
	for (int k = 0; k < 3; k++)
		CHECK(cudaFree(dev[k]));
}

__device__ unsigned tickets;

__global__ void __launch_bounds__(BDIM) sum_in_one(const int *__restrict__ in, int n,
						   volatile int *partial, int *out)
{
	__shared__ int s[BDIM];
	__shared__ bool last;
	int t = threadIdx.x, i = blockIdx.x * BDIM + t;

	s[t] = i < n ? in[i] : 0;
	__syncthreads();
	for (int have = BDIM; have > 1; have = (have + 1) / 2) {
		int half = (have + 1) / 2;

		if (t + half < have)
			s[t] += s[t + half];
		__syncthreads();
	}
	if (t == 0) {
		partial[blockIdx.x] = s[0];
		__threadfence();
		last = atomicInc(&tickets, gridDim.x - 1) == gridDim.x - 1;
	}
	__syncthreads();
	if (!last)
		return;
	s[t] = 0;
	for (unsigned b = t; b < gridDim.x; b += BDIM)
		s[t] += partial[b];
	__syncthreads();
	if (t == 0) {
		for (int k = 1; k < BDIM; k++)
			s[0] += s[k];
		*out = s[0];
	}
}

static void check_last_block(void)
{
	const int n = BLOCKS * BDIM - 55;
	static int in[n];
	int sum = 0, got = 0, *dev_in, *partial = device_new<int>(BLOCKS),
	    *out = device_new<int>(1);
	struct lcg g = { 67 };

	for (int i = 0; i < n; i++)
		sum += in[i] = (int)lcg_below(&g, 2000) - 900;
	dev_in = device_from(in, n);
	/* Twice: the ticket counter wraps back to zero by itself. */
	for (int round = 0; round < 2; round++) {
		CHECK(cudaMemset(out, 0xff, sizeof(int)));
		sum_in_one<<<BLOCKS, BDIM>>>(dev_in, n, partial, out);
		CHECK_LAUNCH();
		host_from(&got, out, 1);
		expect_same("sum by the last block", round, got, sum);
	}
	CHECK(cudaFree(dev_in));
	CHECK(cudaFree(partial));
	CHECK(cudaFree(out));
}

/* One value travels through all warps, one hop a round; the rounds differ by block. */
__global__ void relay(int *out)
{
	volatile __shared__ int mail[BDIM / 32];
	int warp = threadIdx.x / 32, lane = threadIdx.x % 32, rounds = blockIdx.x + 2;

	if (lane == 0)
		mail[warp] = warp * 100;
	__syncthreads();
	for (int r = 0; r < rounds; r++) {
		int v = mail[(warp + 1) % (BDIM / 32)];

		__syncthreads();
		if (lane == r % 32)
			mail[warp] = v + 1;
		__syncthreads();
	}
	out[blockIdx.x * BDIM + threadIdx.x] = mail[warp];
}

static void check_relay(void)
{
	const int warps = BDIM / 32;
	static int out[BLOCKS * BDIM];
	int *dev = device_new<int>(BLOCKS * BDIM);

	relay<<<BLOCKS, BDIM>>>(dev);
	CHECK_LAUNCH();
	host_from(out, dev, BLOCKS * BDIM);
	for (int i = 0; i < BLOCKS * BDIM; i++) {
		int rounds = i / BDIM + 2, warp = i % BDIM / 32;

		expect_same("relay", i, out[i], (warp + rounds) % warps * 100 + rounds);
	}
	CHECK(cudaFree(dev));
}

__global__ void clocks(long long *out, const int *in)
{
	long long start = clock64();
	int x = in[threadIdx.x];

	for (int i = 0; i < 50; i++)
		x = x * 3 + 1;
	__syncthreads();
	out[threadIdx.x] = clock64() - start;
	out[BDIM + threadIdx.x] = x;
}

static void check_clock(void)
{
	int in[BDIM], *dev_in;
	long long out[2 * BDIM], *dev = device_new<long long>(2 * BDIM);

	for (int i = 0; i < BDIM; i++)
		in[i] = i;
	dev_in = device_from(in, BDIM);
	clocks<<<1, BDIM>>>(dev, dev_in);
	CHECK_LAUNCH();
	host_from(out, dev, 2 * BDIM);
	for (int i = 0; i < BDIM; i++)
		if (out[i] <= 0 || out[i] > 1000000000)
			mismatch("clock[%d]: got %lld cycles, expected a positive number", i,
				 out[i]);
	CHECK(cudaFree(dev_in));
	CHECK(cudaFree(dev));
}

int main(int argc, char **argv)
{
	parse_size(argc, argv, "barriers_fences", NULL, 0, 0, 0);
	check_votes();
	check_last_block();
	check_relay();
	check_clock();
	return finish();
}

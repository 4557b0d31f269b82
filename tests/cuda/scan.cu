/* SPDX-License-Identifier: MIT */
/*
 * scan: exclusive prefix sum over many blocks (Blelloch): every block scans its share in shared
 * memory, up the tree and down again; the totals of the blocks are scanned by the same means,
 * one level up; then every block adds what stands before it. Integers, so the result is exact.
 */
#include "common.h"

#define BDIM 128
#define SHARE (2 * BDIM)

__global__ void scan_blocks(const int *in, int *out, int n, int *totals)
{
	__shared__ int s[SHARE];
	int t = threadIdx.x, lo = blockIdx.x * SHARE + t, hi = lo + BDIM, d, step = 1;

	s[t] = lo < n ? in[lo] : 0;
	s[t + BDIM] = hi < n ? in[hi] : 0;
	for (d = BDIM; d > 0; d /= 2, step *= 2) {
		__syncthreads();
		if (t < d)
			s[step * (2 * t + 2) - 1] += s[step * (2 * t + 1) - 1];
	}
	if (t == 0) {
		totals[blockIdx.x] = s[SHARE - 1];
		s[SHARE - 1] = 0;
	}
	for (d = 1; d <= BDIM; d *= 2) {
		step /= 2;
		__syncthreads();
		if (t < d) {
			int left = step * (2 * t + 1) - 1, right = step * (2 * t + 2) - 1;
			int x = s[left];

			s[left] = s[right];
			s[right] += x;
		}
	}
	__syncthreads();
	if (lo < n)
		out[lo] = s[t];
	if (hi < n)
		out[hi] = s[t + BDIM];
}

__global__ void add_before(int *out, int n, const int *before)
{
	int i = blockIdx.x * SHARE + threadIdx.x, add = before[blockIdx.x];

	if (i < n)
		out[i] += add;
	if (i + BDIM < n)
		out[i + BDIM] += add;
}

/* Scans n elements on the device, from in to out. */
static void scan(const int *in, int *out, int n)
{
	int blocks = (n + SHARE - 1) / SHARE, *totals, *before;

	CHECK(cudaMalloc((void **)&totals, blocks * sizeof(int)));
	scan_blocks<<<blocks, BDIM>>>(in, out, n, totals);
	CHECK(cudaGetLastError());
	if (blocks > 1) {
		CHECK(cudaMalloc((void **)&before, blocks * sizeof(int)));
		scan(totals, before, blocks);
		add_before<<<blocks, BDIM>>>(out, n, before);
		CHECK(cudaGetLastError());
		CHECK(cudaFree(before));
	}
	CHECK(cudaFree(totals));
}

int main(int argc, char **argv)
{
	int n = (int)parse_size(argc, argv, "scan", "elements to scan", 20011, 1, 1 << 27);
	size_t bytes = n * sizeof(int);
	int *x = (int *)host_alloc(bytes), *got = (int *)host_alloc(bytes), *dev_in, *dev_out;
	int *want = (int *)host_alloc(bytes), sum = 0;
	struct lcg g = { 128 };

	for (int i = 0; i < n; i++) {
		x[i] = (int)lcg_below(&g, 15) - 7;
		want[i] = sum;
		sum += x[i];
	}
	CHECK(cudaMalloc((void **)&dev_in, bytes));
	CHECK(cudaMalloc((void **)&dev_out, bytes));
	CHECK(cudaMemcpy(dev_in, x, bytes, cudaMemcpyHostToDevice));
	CHECK(cudaMemset(dev_out, 0xee, bytes));
	scan(dev_in, dev_out, n);
	CHECK(cudaMemcpy(got, dev_out, bytes, cudaMemcpyDeviceToHost));
	compare_exact("out", got, want, n);
	CHECK(cudaFree(dev_in));
	CHECK(cudaFree(dev_out));
	free(x);
	free(got);
	free(want);
	return finish();
}

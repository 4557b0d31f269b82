/* SPDX-License-Identifier: MIT */
/*
 * beside_long_kernel: a kernel with many long blocks in one stream, and, while it runs, short ones
 * in another, one after the other with the host between them, as a service beside a batch job.
 */
#include "../common.h"

#define THREADS 256
#define SHORTS 6

/* Linear congruential steps: the state of each thread is all in its registers. */
__host__ __device__ static unsigned int steps(unsigned int x, unsigned int y, unsigned int z,
					      int count)
{
	for (int i = 0; i < count; i++) {
		x = x * 1664525u + y;
		y = y * 22695477u + z;
		z = z * 69069u + (x >> 7);
	}
	return x ^ y ^ z;
}

/* Registers that are written once, and used when the loop is over. */
#define HELD 24

__global__ void walk(unsigned int *out, const volatile unsigned int *table, unsigned int seed,
		     int count)
{
	unsigned int i = blockIdx.x * blockDim.x + threadIdx.x, held[HELD], x;

#pragma unroll
	for (int n = 0; n < HELD; n++)
		held[n] = table[n];
	x = steps(seed + i, seed ^ i, i, count);
#pragma unroll
	for (int n = 0; n < HELD; n++)
		x = x * 5u + held[n];
	out[i] = x;
}

static unsigned int expected(unsigned int seed, unsigned int i, int count)
{
	unsigned int x = steps(seed + i, seed ^ i, i, count);

	for (unsigned int n = 0; n < HELD; n++)
		x = x * 5u + 3 * n;
	return x;
}

static void compare(const char *what, const unsigned int *device, int blocks, unsigned int seed,
		    int count, cudaStream_t stream)
{
	size_t bytes = sizeof(unsigned int) * THREADS * (size_t)blocks;
	unsigned int *got = (unsigned int *)malloc(bytes);

	CHECK(cudaMemcpyAsync(got, device, bytes, cudaMemcpyDeviceToHost, stream));
	CHECK(cudaStreamSynchronize(stream));
	for (unsigned int i = 0; i < THREADS * (unsigned int)blocks; i++) {
		unsigned int want = expected(seed, i, count);

		if (got[i] != want)
			mismatch("%s, thread %u: got %u, expected %u", what, i, got[i], want);
	}
	free(got);
}

int main(int argc, char **argv)
{
	long blocks = parse_size(argc, argv, "beside_long_kernel", "blocks", 640, 1, 100000);
	unsigned int *batch, *service, *table, values[HELD];
	cudaStream_t behind, ahead;

	CHECK(cudaMalloc(&batch, sizeof(*batch) * THREADS * (size_t)blocks));
	CHECK(cudaMalloc(&service, sizeof(*service) * THREADS * 16));
	CHECK(cudaMalloc(&table, sizeof(values)));
	for (unsigned int n = 0; n < HELD; n++)
		values[n] = 3 * n;
	CHECK(cudaMemcpy(table, values, sizeof(values), cudaMemcpyHostToDevice));
	CHECK(cudaStreamCreateWithFlags(&behind, cudaStreamNonBlocking));
	CHECK(cudaStreamCreateWithFlags(&ahead, cudaStreamNonBlocking));
	walk<<<(unsigned int)blocks, THREADS, 0, behind>>>(batch, table, 7, 1500);
	CHECK(cudaGetLastError());
	for (unsigned int n = 0; n < SHORTS; n++) {
		walk<<<16, THREADS, 0, ahead>>>(service, table, n, 10);
		CHECK(cudaGetLastError());
		compare("service", service, 16, n, 10, ahead);
	}
	compare("batch", batch, (int)blocks, 7, 1500, behind);
	CHECK(cudaStreamDestroy(behind));
	CHECK(cudaStreamDestroy(ahead));
	CHECK(cudaFree(batch));
	CHECK(cudaFree(service));
	CHECK(cudaFree(table));
	return finish();
}

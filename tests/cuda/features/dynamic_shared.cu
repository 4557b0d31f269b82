/* SPDX-License-Identifier: MIT */
/*
 * dynamic_shared: shared memory whose size the launch gives, beside static arrays, as one array and
 * cut into arrays of different types; nothing of it shared between blocks.
 */
#include "../common.h"

#define BDIM 96

extern __shared__ unsigned char raw[];

/*
 * Reverses each block's share: every thread reads what another one wrote. The array begins behind a
 * byte, aligned.
 */
__global__ void reverse(const int *in, int *out)
{
	extern __shared__ int ints[];
	__shared__ bool first;
	int t = threadIdx.x, base = blockIdx.x * blockDim.x;

	if (t == 0)
		first = blockIdx.x == 0;
	ints[t] = in[base + t];
	__syncthreads();
	out[base + t] = ints[blockDim.x - 1 - t];
	if (first != (blockIdx.x == 0))
		out[base + t] = -1;
}

/* Doubles, then ints, then bytes in one dynamic array; a static array must not overlap it. */
__global__ void cut(double *d, int *i, unsigned char *c, int *kept)
{
	__shared__ int still[BDIM];
	int t = threadIdx.x, n = blockDim.x, other = (t + 37) % n, base = blockIdx.x * n;
	double *sd = (double *)raw;
	int *si = (int *)(sd + n);
	unsigned char *sc = (unsigned char *)(si + n);

	still[t] = -t;
	sd[t] = t + 0.5 + blockIdx.x;
	si[t] = t * t;
	sc[t] = (unsigned char)(t * 3);
	__syncthreads();
	d[base + t] = sd[other];
	i[base + t] = si[other];
	c[base + t] = sc[other];
	kept[base + t] = still[other];
}

/* The first and the last word of @words in dynamic shared memory. */
__global__ void ends(int words, int *out)
{
	extern __shared__ int ints[];

	if (threadIdx.x == 0)
		ints[0] = 11;
	if (threadIdx.x == blockDim.x - 1)
		ints[words - 1] = 22;
	__syncthreads();
	if (threadIdx.x == 0)
		*out = ints[0] + ints[words - 1];
}

/* What a launch may have without asking, and the most that it may ask for. */
static void most(int *dev)
{
	cudaFuncAttributes attributes;
	cudaDeviceProp prop;
	int usual, largest, blocks = -1, got = 0;

	CHECK(cudaGetDeviceProperties(&prop, 0));
	usual = (int)prop.sharedMemPerBlock;
	largest = (int)prop.sharedMemPerBlockOptin;
	CHECK(cudaFuncGetAttributes(&attributes, ends));
	expect_same("dynamic shared memory", 0, attributes.maxDynamicSharedSizeBytes, usual);
	ends<<<1, 64, usual>>>(usual / 4, dev);
	CHECK_LAUNCH();
	host_from(&got, dev, 1);
	expect_same("ends", usual, got, 33);
	if (largest > usual) {
		ends<<<1, 64, largest>>>(largest / 4, dev);
		EXPECT_ERROR(cudaGetLastError(), cudaErrorInvalidValue);
		CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, ends, 64, largest));
		expect_same("blocks", 0, blocks, 0);
	}
	EXPECT_ERROR(cudaFuncSetAttribute(ends, cudaFuncAttributeMaxDynamicSharedMemorySize,
					  largest + 1),
		     cudaErrorInvalidValue);
	EXPECT_ERROR(cudaGetLastError(), cudaErrorInvalidValue);
	CHECK(cudaFuncSetAttribute(ends, cudaFuncAttributeMaxDynamicSharedMemorySize, largest));
	ends<<<1, 64, largest>>>(largest / 4, dev);
	CHECK_LAUNCH();
	host_from(&got, dev, 1);
	expect_same("ends", largest, got, 33);
	CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, ends, 64, largest));
	expect_same("blocks", 1, blocks, 1);
	ends<<<1, 64, largest + 4>>>(largest / 4 + 1, dev);
	EXPECT_ERROR(cudaGetLastError(), cudaErrorInvalidValue);
}

int main(int argc, char **argv)
{
	int n = (int)parse_size(argc, argv, "dynamic_shared", "blocks", 17, 1, 10000) * BDIM;
	int *in = (int *)host_alloc(n * sizeof(int)), *out = (int *)host_alloc(n * sizeof(int));
	double *d = (double *)host_alloc(n * sizeof(double));
	unsigned char *c = (unsigned char *)host_alloc(n);
	int *dev_in, *dev_out = device_new<int>(n), *dev_kept = device_new<int>(n);
	double *dev_d = device_new<double>(n);
	unsigned char *dev_c = device_new<unsigned char>(n);

	for (int i = 0; i < n; i++)
		in[i] = i * 7;
	dev_in = device_from(in, n);
	reverse<<<n / BDIM, BDIM, BDIM * sizeof(int)>>>(dev_in, dev_out);
	CHECK_LAUNCH();
	host_from(out, dev_out, n);
	for (int i = 0; i < n; i++)
		expect_same("reverse", i, out[i], 7 * (i / BDIM * BDIM + BDIM - 1 - i % BDIM));

	/* The same kernel with another size. */
	reverse<<<n / 32, 32, 32 * sizeof(int)>>>(dev_in, dev_out);
	CHECK_LAUNCH();
	host_from(out, dev_out, n);
	for (int i = 0; i < n; i++)
		expect_same("reverse by 32", i, out[i], 7 * (i / 32 * 32 + 31 - i % 32));

	cut<<<n / BDIM, BDIM, BDIM *(sizeof(double) + sizeof(int) + 1)>>>(dev_d, dev_out, dev_c,
									  dev_kept);
	CHECK_LAUNCH();
	host_from(d, dev_d, n);
	host_from(out, dev_out, n);
	host_from(c, dev_c, n);
	host_from(in, dev_kept, n);
	for (int i = 0; i < n; i++) {
		int other = (i % BDIM + 37) % BDIM;

		expect_same("doubles", i, d[i], other + 0.5 + i / BDIM);
		expect_same("ints", i, out[i], other * other);
		expect_same("bytes", i, (int)c[i], other * 3 & 0xff);
		expect_same("static", i, in[i], -other);
	}
	most(dev_out);
	CHECK(cudaFree(dev_in));
	CHECK(cudaFree(dev_out));
	CHECK(cudaFree(dev_kept));
	CHECK(cudaFree(dev_d));
	CHECK(cudaFree(dev_c));
	free(in);
	free(out);
	free(d);
	free(c);
	return finish();
}

/* SPDX-License-Identifier: MIT */
/*
 * Right programs that look like wrong ones: the sanitizer must say nothing, and what is printed is
 * the same with and without it.
 */
#include <cstdio>
#include <cstdlib>
#include <cstring>

#define N 1000

static void check(cudaError_t error)
{
	if (error == cudaSuccess)
		return;
	fprintf(stderr, "right: %s\n", cudaGetErrorString(error));
	exit(2);
}

struct padded {
	char tag;
	double value;
	short more;
};

__constant__ int weights[5] = { 3, 1, 4, 1, 5 };
__device__ int total;
__managed__ int managed_sum;

/* Threads beyond the end return before the barriers, as many programs do. */
__global__ void early_return(const int *in, int *out, int n)
{
	__shared__ int sums[256];
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i >= n)
		return;
	sums[threadIdx.x] = in[i];
	__syncthreads();
	if (threadIdx.x + 1 < blockDim.x && i + 1 < n)
		out[i] = sums[threadIdx.x] + sums[threadIdx.x + 1];
	else
		out[i] = sums[threadIdx.x];
}

__global__ void tree(const int *in, int *out, int n)
{
	extern __shared__ int part[];
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	part[threadIdx.x] = i < n ? in[i] : 0;
	__syncthreads();
	for (int step = blockDim.x / 2; step; step /= 2) {
		if (threadIdx.x < step)
			part[threadIdx.x] += part[threadIdx.x + step];
		__syncthreads();
	}
	if (!threadIdx.x)
		atomicAdd(out, part[0]);
}

/* All shared memory that a block has: variables have bytes behind them, which do not count. */
__global__ void all_shared(int *out, int words)
{
	__shared__ int own[16], more[3];
	extern __shared__ int rest[];
	int last;

	for (int i = threadIdx.x; i < words; i += blockDim.x)
		rest[i] = i;
	if (threadIdx.x < 16)
		own[threadIdx.x] = threadIdx.x;
	if (threadIdx.x < 3)
		more[threadIdx.x] = 1;
	__syncthreads();
	last = rest[words - 1 - threadIdx.x];
	out[threadIdx.x] = last + own[threadIdx.x % 16] + more[threadIdx.x % 3];
}

static void use_all_shared(int *out)
{
	int words = (48 * 1024 - 80) / 4, blocks = 0, sum = 0, result[32];
	cudaFuncAttributes attributes;

	check(cudaFuncGetAttributes(&attributes, all_shared));
	check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, all_shared, 32, words * 4));
	printf("%d %d %d\n", (int)attributes.sharedSizeBytes,
	       attributes.maxDynamicSharedSizeBytes, blocks);
	all_shared<<<1, 32, words * 4>>>(out, words);
	check(cudaMemcpy(result, out, sizeof(result), cudaMemcpyDeviceToHost));
	for (int n : result)
		sum += n;
	printf("%d\n", sum);
	all_shared<<<1, 32, words * 4 + 16>>>(out, words);
	printf("%s\n", cudaGetErrorName(cudaGetLastError()));
}

/* A block of less than a warp, with the mask that everybody uses. */
__global__ void small_warp(int *out)
{
	int v = threadIdx.x;

	for (int step = 16; step; step /= 2) {
		int other = __shfl_down_sync(0xffffffff, v, step);

		v += threadIdx.x + step < blockDim.x ? other : 0;
	}
	if (threadIdx.x < 8)
		v += __shfl_xor_sync(__activemask(), v, 1);
	out[threadIdx.x] = v;
}

__global__ void structs(const padded *in, padded *out, int n)
{
	padded own[4];

	for (int i = 0; i < 4; i++)
		own[i] = in[(threadIdx.x + i) % n];
	out[threadIdx.x] = own[in[threadIdx.x].more & 3];
	out[threadIdx.x].value *= weights[threadIdx.x % 5];
}

__global__ void heap(int *out)
{
	int *own = (int *)malloc(8 * sizeof(int)), t = blockIdx.x * blockDim.x + threadIdx.x;

	for (int i = 0; i < 8; i++)
		own[i] = threadIdx.x * i;
	out[t] = own[threadIdx.x % 8];
	free(own);
	if (!threadIdx.x)
		printf("block %d of %d\n", blockIdx.x, gridDim.x);
	atomicAdd(&total, out[t]);
	atomicAdd(&managed_sum, 1);
}

__global__ void in_place(int *host, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		host[i] = host[i] * 2 + 1;
}

static unsigned long sum_of(const void *p, size_t bytes)
{
	unsigned long sum = 5381;

	for (size_t i = 0; i < bytes; i++)
		sum = sum * 33 + ((const unsigned char *)p)[i];
	return sum;
}

int main()
{
	static int in[N], out[N];
	static padded some[32], others[32];
	int *d_in, *d_out, *d_sum, *pinned, sum, *managed;
	padded *d_some, *d_others;
	cudaStream_t stream;

	for (int i = 0; i < N; i++)
		in[i] = i * 7 % 31;
	check(cudaStreamCreate(&stream));
	check(cudaMalloc(&d_in, sizeof(in)));
	check(cudaMalloc(&d_out, sizeof(out)));
	check(cudaMallocAsync((void **)&d_sum, sizeof(int), stream));
	check(cudaMemcpyAsync(d_in, in, sizeof(in), cudaMemcpyHostToDevice, stream));
	early_return<<<4, 256, 0, stream>>>(d_in, d_out, N);
	check(cudaMemsetAsync(d_sum, 0, sizeof(int), stream));
	tree<<<4, 256, 256 * sizeof(int), stream>>>(d_in, d_sum, N);
	check(cudaMemcpyAsync(out, d_out, sizeof(out), cudaMemcpyDeviceToHost, stream));
	check(cudaMemcpyAsync(&sum, d_sum, sizeof(sum), cudaMemcpyDeviceToHost, stream));
	check(cudaFreeAsync(d_sum, stream));
	check(cudaStreamSynchronize(stream));
	printf("%lu %d\n", sum_of(out, sizeof(out)), sum);

	small_warp<<<1, 20>>>(d_out);
	check(cudaMemcpy(out, d_out, 20 * sizeof(int), cudaMemcpyDeviceToHost));
	printf("%lu\n", sum_of(out, 20 * sizeof(int)));

	use_all_shared(d_out);

	for (int i = 0; i < 32; i++) {
		memset(&some[i], 0, sizeof(some[i]));
		some[i].tag = 'a' + i % 26;
		some[i].value = i / 3.0;
		some[i].more = i;
	}
	check(cudaMalloc(&d_some, sizeof(some)));
	check(cudaMalloc(&d_others, sizeof(others)));
	check(cudaMemcpy(d_some, some, sizeof(some), cudaMemcpyHostToDevice));
	structs<<<1, 32>>>(d_some, d_others, 32);
	check(cudaMemcpy(others, d_others, sizeof(others), cudaMemcpyDeviceToHost));
	for (int i = 0; i < 32; i += 8)
		printf("%c %g %d\n", others[i].tag, others[i].value, others[i].more);

	heap<<<2, 32>>>(d_out);
	check(cudaMemcpyFromSymbol(&sum, total, sizeof(sum)));
	printf("%d %d\n", sum, managed_sum);

	check(cudaMallocHost(&pinned, N * sizeof(int)));
	check(cudaMallocManaged(&managed, N * sizeof(int)));
	memcpy(pinned, in, sizeof(in));
	memcpy(managed, in, sizeof(in));
	in_place<<<4, 256>>>(pinned, N);
	in_place<<<4, 256>>>(managed, N);
	check(cudaDeviceSynchronize());
	printf("%d\n", memcmp(pinned, managed, sizeof(in)));

	cudaFreeHost(pinned);
	cudaFree(managed);
	cudaFree(d_some);
	cudaFree(d_others);
	cudaFree(d_in);
	cudaFree(d_out);
	check(cudaStreamDestroy(stream));
	return 0;
}

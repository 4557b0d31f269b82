/* SPDX-License-Identifier: MIT */
/*
 * shared_lines: blocks that give each other data through global memory, line by line, as a protocol
 * between L1s sees it: a ring of blocks of which each waits for the one before it, lines of which
 * each block writes a part, sums by atomics, memory that is freed and comes again with other
 * contents, and managed memory that the host writes between launches. There is no race: each word
 * has one value.
 */
#include "../common.h"

#define BLOCKS	8
#define THREADS	64
#define ROUNDS	6
#define WORDS	4096

static void expect(unsigned value, unsigned want, const char *what, unsigned at)
{
	if (value != want)
		mismatch("%s, word %u: got %u, expected %u", what, at, value, want);
}

/*
 * Block b adds its part to what block b - 1 has written, when that says so. All threads read what
 * one thread of the other block has released; their loads may hit a line from the round before
 */
__global__ void ring(unsigned *data, unsigned *flags)
{
	unsigned b = blockIdx.x, before = (b + gridDim.x - 1) % gridDim.x;

	for (unsigned round = 0; round < ROUNDS; round++) {
		unsigned turn = round + (b != 0);

		if (!threadIdx.x)
			while (atomicAdd(&flags[before * 32], 0) < turn)
				;
		__syncthreads();
		__threadfence();
		data[b * THREADS + threadIdx.x] =
			data[before * THREADS + threadIdx.x] + b + threadIdx.x;
		__threadfence();
		__syncthreads();
		if (!threadIdx.x)
			atomicExch(&flags[b * 32], round + 1);
	}
}

/* Each block writes every eighth word of all lines, and then all read all: the launch is between */
__global__ void stripes(unsigned *data, unsigned round)
{
	for (unsigned n = threadIdx.x; n < WORDS / BLOCKS; n += blockDim.x)
		data[n * BLOCKS + blockIdx.x] += n ^ blockIdx.x ^ round;
}

__global__ void sums(const unsigned *data, unsigned *sum)
{
	unsigned threads = gridDim.x * blockDim.x;

	for (unsigned n = blockIdx.x * blockDim.x + threadIdx.x; n < WORDS; n += threads)
		atomicAdd(&sum[n % 8], data[n]);
}

static void test_ring()
{
	unsigned *data, *flags, host[BLOCKS * THREADS], want[BLOCKS * THREADS] = {};
	int each, sms;
	unsigned blocks;

	/* they wait for each other: all have to be there */
	CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, ring, THREADS, 0));
	CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
	blocks = each * sms < BLOCKS ? each * sms : BLOCKS;
	CHECK(cudaMalloc(&data, sizeof(host)));
	CHECK(cudaMalloc(&flags, BLOCKS * 128));
	CHECK(cudaMemset(data, 0, sizeof(host)));
	CHECK(cudaMemset(flags, 0, BLOCKS * 128));
	ring<<<blocks, THREADS>>>(data, flags);
	CHECK_LAUNCH();
	CHECK(cudaMemcpy(host, data, sizeof(host), cudaMemcpyDeviceToHost));
	for (unsigned round = 0; round < ROUNDS; round++)
		for (unsigned b = 0; b < blocks; b++)
			for (unsigned t = 0; t < THREADS; t++)
				want[b * THREADS + t] =
					want[(b + blocks - 1) % blocks * THREADS + t] + b + t;
	for (unsigned n = 0; n < BLOCKS * THREADS; n++)
		expect(host[n], want[n], "ring", n);
	CHECK(cudaFree(flags));
	CHECK(cudaFree(data));
}

static unsigned add(unsigned value, unsigned n, unsigned round)
{
	return value + (n / BLOCKS ^ n % BLOCKS ^ round);
}

/* Memory of one round is that of another before; the host writes it, or a copy does */
static void test_stripes(bool managed)
{
	static unsigned host[WORDS], want[WORDS];

	for (unsigned round = 0; round < 3; round++) {
		unsigned *data, *sum, sums_want[8] = {}, sums_host[8];

		CHECK(managed ? cudaMallocManaged(&data, sizeof(host)) :
				cudaMalloc(&data, sizeof(host)));
		CHECK(cudaMalloc(&sum, 32));
		CHECK(cudaMemset(sum, 0, 32));
		for (unsigned n = 0; n < WORDS; n++)
			host[n] = want[n] = n * 7 + round;
		if (managed)
			for (unsigned n = 0; n < WORDS; n++)
				data[n] = host[n];
		else
			CHECK(cudaMemcpy(data, host, sizeof(host), cudaMemcpyHostToDevice));
		stripes<<<BLOCKS, THREADS>>>(data, round);
		stripes<<<BLOCKS, THREADS>>>(data, round + 1);
		sums<<<BLOCKS, THREADS>>>(data, sum);
		CHECK(cudaDeviceSynchronize());
		if (managed)
			for (unsigned n = 0; n < WORDS; n++)
				host[n] = data[n]++;
		else
			CHECK(cudaMemcpy(host, data, sizeof(host), cudaMemcpyDeviceToHost));
		CHECK(cudaMemcpy(sums_host, sum, 32, cudaMemcpyDeviceToHost));
		for (unsigned n = 0; n < WORDS; n++) {
			want[n] = add(add(want[n], n, round), n, round + 1);
			expect(host[n], want[n], managed ? "managed" : "stripes", n);
			sums_want[n % 8] += want[n];
		}
		for (unsigned n = 0; n < 8; n++)
			expect(sums_host[n], sums_want[n], "sums", n);
		/* the host has written each word: it is seen */
		if (managed) {
			stripes<<<BLOCKS, THREADS>>>(data, 5);
			CHECK(cudaDeviceSynchronize());
			for (unsigned n = 0; n < WORDS; n++)
				expect(data[n], add(want[n] + 1, n, 5), "written by the host", n);
		}
		CHECK(cudaFree(sum));
		CHECK(cudaFree(data));
	}
}

int main(int argc, char **argv)
{
	parse_size(argc, argv, "shared_lines", NULL, 0, 0, 0);
	test_ring();
	test_stripes(false);
	test_stripes(true);
	return finish();
}

/* SPDX-License-Identifier: MIT */
/*
 * shared_barriers: mbarrier, in the PTX that cuda::barrier and cuda::memcpy_async() are made of.
 * Tiles that threads exchange, warps that produce and warps that consume, threads that arrive for
 * the last time, copies that arrive, and transactions.
 */
#include "../common.h"

typedef unsigned long long word;

/* ---- what headers have --------------------------------------------------- */

__device__ static unsigned int shared_address(const void *pointer)
{
	return (unsigned int)__cvta_generic_to_shared(pointer);
}

__device__ static void init(word *bar, int count)
{
	asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(shared_address(bar)), "r"(count)
		     : "memory");
}

__device__ static word arrive(word *bar)
{
	word token;

	asm volatile("mbarrier.arrive.shared.b64 %0, [%1];"
		     : "=l"(token)
		     : "r"(shared_address(bar))
		     : "memory");
	return token;
}

/* For @count threads, as sm_80 has it: the last arrival has no count. */
__device__ static word arrive_for(word *bar, int count)
{
	word token;

	asm volatile("mbarrier.arrive.noComplete.shared.b64 %0, [%1], %2;"
		     : "=l"(token)
		     : "r"(shared_address(bar)), "r"(count - 1)
		     : "memory");
	return arrive(bar);
}

__device__ static void drop(word *bar)
{
	asm volatile("mbarrier.arrive_drop.shared.b64 _, [%0];" ::"r"(shared_address(bar))
		     : "memory");
}

__device__ static int is_over(word *bar, word token)
{
	int over;

	asm volatile("{\n.reg .pred p;\nmbarrier.test_wait.shared.b64 p, [%1], %2;\n"
		     "selp.b32 %0, 1, 0, p;\n}"
		     : "=r"(over)
		     : "r"(shared_address(bar)), "l"(token)
		     : "memory");
	return over;
}

__device__ static int parity_is_over(word *bar, int parity)
{
	int over;

	asm volatile("{\n.reg .pred p;\nmbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
		     "selp.b32 %0, 1, 0, p;\n}"
		     : "=r"(over)
		     : "r"(shared_address(bar)), "r"(parity)
		     : "memory");
	return over;
}

__device__ static void wait_for(word *bar, word token)
{
	while (!is_over(bar, token))
		;
}

__device__ static int pending(word token)
{
	int count;

	asm("mbarrier.pending_count.b64 %0, %1;" : "=r"(count) : "l"(token));
	return count;
}

/* ---- kernels ------------------------------------------------------------- */

static const int block = 256, blocks = 6, rounds = 12, half = 128;

__global__ void exchange(const int *in, int *out)
{
	__shared__ word bar;
	__shared__ int data[block];
	int t = threadIdx.x, kept = in[blockIdx.x * block + t];

	if (t == 0)
		init(&bar, block);
	__syncthreads();
	for (int r = 0; r < rounds; r++) {
		data[t] = kept + r;
		wait_for(&bar, arrive(&bar));
		kept = data[(t + 33 * r + 1) % block] * 3;
		/* lanes part: half of them look at the parity */
		word token = arrive(&bar);
		if (t % 2)
			wait_for(&bar, token);
		else
			while (!parity_is_over(&bar, 1))
				;
	}
	out[blockIdx.x * block + t] = kept;
}

/* Warps 0 to 3 fill two buffers by turns, warps 4 to 7 add up what they find. */
__global__ void pass_on(const int *in, int *out)
{
	__shared__ word ready[2], filled[2];
	__shared__ int data[2][half];
	int t = threadIdx.x, sum = 0;

	if (t < 2) {
		init(&ready[t], block);
		init(&filled[t], block);
	}
	__syncthreads();
	if (t < half) {
		for (int r = 0; r < rounds; r++) {
			wait_for(&ready[r % 2], arrive(&ready[r % 2]));
			data[r % 2][t] = in[t] * (r + 1);
			arrive(&filled[r % 2]);
		}
		return;
	}
	arrive(&ready[0]);
	arrive(&ready[1]);
	for (int r = 0; r < rounds; r++) {
		wait_for(&filled[r % 2], arrive(&filled[r % 2]));
		sum += data[r % 2][block - 1 - t];
		arrive(&ready[r % 2]);
	}
	out[t - half] = sum;
}

/* Thread t takes part t times: with each phase there is one less. */
__global__ void leave(int *out)
{
	__shared__ word bar;
	__shared__ int count;
	int t = threadIdx.x;

	if (t == 0) {
		init(&bar, blockDim.x);
		count = 0;
	}
	__syncthreads();
	for (int i = 0; i < t; i++) {
		atomicAdd(&count, 1);
		word token = arrive(&bar);
		if (pending(token) > (int)blockDim.x - i)
			out[1] = 1;
		wait_for(&bar, token);
	}
	drop(&bar);
	__syncthreads();
	if (t == 0)
		out[0] = count;
}

/* A warp arrives as one, for 32. */
__global__ void arrive_by_warps(int *out)
{
	__shared__ word bar;
	__shared__ int data[block];
	int t = threadIdx.x;
	word token = 0;

	if (t == 0)
		init(&bar, block);
	__syncthreads();
	data[t] = t * t;
	__syncwarp();
	if (t % 32 == 0)
		token = arrive_for(&bar, 32);
	token = __shfl_sync(0xffffffff, token, 0);
	wait_for(&bar, token);
	out[t] = data[block - 1 - t];
}

__global__ void copy(const int *in, int *out)
{
	__shared__ word bar;
	__shared__ __align__(16) int data[4 * block];
	int t = threadIdx.x;

	if (t == 0)
		init(&bar, block);
	__syncthreads();
	asm volatile("cp.async.cg.shared.global [%0], [%1], 16, 16;" ::"r"(
			     shared_address(&data[4 * t])),
		     "l"(__cvta_generic_to_global(in + 4 * t))
		     : "memory");
	asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" ::"r"(shared_address(&bar))
		     : "memory");
	wait_for(&bar, arrive(&bar));
	for (int i = 0; i < 4; i++)
		out[4 * t + i] = data[4 * (block - 1 - t) + i];
}

/* One thread expects the bytes of all, who say when theirs have come. */
__global__ void expect(int *out)
{
	__shared__ word bar;
	__shared__ int data[block];
	int t = threadIdx.x;

	if (t == 0)
		init(&bar, 1);
	__syncthreads();
	if (t == 0)
		asm volatile("mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [%0], %1;" ::
				     "r"(shared_address(&bar)),
			     "r"(4 * block)
			     : "memory");
	data[t] = 7 * t;
	__threadfence_block();
	asm volatile("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0], 4;" ::"r"(
			     shared_address(&bar))
		     : "memory");
	while (!parity_is_over(&bar, 0))
		;
	out[t] = data[(t + 100) % block];
}

/* ---- the host ------------------------------------------------------------ */

static int host_in[block * blocks], host_out[block * blocks], *in, *out;

static void fetch(const char *what, const int *expected, int count)
{
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaMemcpy(host_out, out, sizeof(host_out), cudaMemcpyDeviceToHost));
	for (int i = 0; i < count; i++)
		if (host_out[i] != expected[i])
			mismatch("%s, word %d: got %d, expected %d", what, i, host_out[i],
				 expected[i]);
	CHECK(cudaMemset(out, 0, sizeof(host_out)));
}

static void exchanged(int *expected)
{
	int data[block];

	for (int b = 0; b < blocks; b++) {
		int *mine = expected + b * block;

		memcpy(mine, host_in + b * block, sizeof(data));
		for (int r = 0; r < rounds; r++) {
			for (int t = 0; t < block; t++)
				data[t] = mine[t] + r;
			for (int t = 0; t < block; t++)
				mine[t] = (int)(data[(t + 33 * r + 1) % block] * 3u);
		}
	}
}

int main(int argc, char **argv)
{
	static int expected[block * blocks];

	parse_size(argc, argv, "shared_barriers", NULL, 0, 0, 0);
	for (int i = 0; i < block * blocks; i++)
		host_in[i] = i % 97 + 1;
	CHECK(cudaMalloc(&in, sizeof(host_in)));
	CHECK(cudaMalloc(&out, sizeof(host_out)));
	CHECK(cudaMemcpy(in, host_in, sizeof(host_in), cudaMemcpyHostToDevice));
	CHECK(cudaMemset(out, 0, sizeof(host_out)));
	exchange<<<blocks, block>>>(in, out);
	exchanged(expected);
	fetch("exchanged", expected, block * blocks);
	pass_on<<<1, block>>>(in, out);
	for (int t = 0; t < half; t++)
		expected[t] = host_in[half - 1 - t] * rounds * (rounds + 1) / 2;
	fetch("passed on", expected, half);
	leave<<<1, 96>>>(out);
	expected[0] = 95 * 96 / 2;
	expected[1] = 0;
	fetch("left", expected, 2);
	arrive_by_warps<<<1, block>>>(out);
	for (int t = 0; t < block; t++)
		expected[t] = (block - 1 - t) * (block - 1 - t);
	fetch("by warps", expected, block);
	copy<<<1, block>>>(in, out);
	for (int i = 0; i < 4 * block; i++)
		expected[i] = host_in[4 * (block - 1 - i / 4) + i % 4];
	fetch("copied", expected, 4 * block);
	expect<<<1, block>>>(out);
	for (int t = 0; t < block; t++)
		expected[t] = 7 * ((t + 100) % block);
	fetch("expected", expected, block);
	CHECK(cudaFree(in));
	CHECK(cudaFree(out));
	return finish();
}

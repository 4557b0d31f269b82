// SPDX-License-Identifier: MIT
/*
 * Pipelines and barriers by all their headers: cuda_pipeline.h, cuda_awbarrier.h and their
 * primitives, cuda::barrier and cuda::pipeline with their copies. Producers and consumers of a
 * block, stages, threads that drop out, a barrier in global memory and one that says when a phase
 * ends.
 */
#include "../common.h"

#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_awbarrier.h>
#include <cuda_pipeline.h>

namespace cg = cooperative_groups;
namespace old = nvcuda::experimental;

#define THREADS	128
#define TILES	9

/* Each thread fetches for its neighbour: right if the barrier has waited for the copies. */
static __global__ void by_primitives(const int4 *in, int *out)
{
	__shared__ int4 stage[2][THREADS];
	__shared__ __mbarrier_t barrier;
	int t = threadIdx.x, sum = 0;

	if (t == 0)
		__mbarrier_init(&barrier, THREADS);
	__syncthreads();
	for (int tile = 0; tile < TILES; tile++) {
		int4 *to = &stage[tile % 2][t];

		/* of the last tile the second half of each is 0 */
		__pipeline_memcpy_async(to, in + tile * THREADS + t, 16, tile == TILES - 1 ? 8 : 0);
		__pipeline_commit();
		__pipeline_wait_prior(0);
		__mbarrier_token_t token = __mbarrier_arrive(&barrier);
		while (!__mbarrier_test_wait(&barrier, token))
			;
		int4 v = stage[tile % 2][(t + 45) % THREADS];
		sum += v.x + 3 * v.y + 5 * v.z + 7 * v.w;
	}
	out[t] = sum;
}

static __global__ void by_old_classes(const int4 *in, int *out)
{
	__shared__ int4 stage[2][THREADS];
	__shared__ old::awbarrier barrier;
	old::pipeline pipe;
	int t = threadIdx.x, sum = 0;

	if (t == 0)
		old::init(&barrier, THREADS);
	__syncthreads();
	for (int tile = 0; tile < TILES - 1; tile++) {
		old::memcpy_async(stage[tile % 2][t], in[tile * THREADS + t], pipe);
		pipe.arrive_on(barrier);
		pipe.commit_and_wait();
		barrier.arrive_and_wait();
		int4 v = stage[tile % 2][(t + 45) % THREADS];
		sum += v.x + 3 * v.y + 5 * v.z + 7 * v.w;
	}
	out[t] = sum;
}

/* By a barrier: of the block all threads copy together, or each for itself. */
static __global__ void by_barrier(const int4 *in, int *out, int together)
{
	__shared__ int4 stage[2][THREADS];
	__shared__ cuda::barrier<cuda::thread_scope_block> barrier;
	cg::thread_block block = cg::this_thread_block();
	int t = threadIdx.x, sum = 0;

	if (t == 0)
		init(&barrier, THREADS);
	block.sync();
	for (int tile = 0; tile < TILES - 1; tile++) {
		if (together)
			cuda::memcpy_async(block, stage[tile % 2], in + tile * THREADS,
					   sizeof(stage[0]), barrier);
		else
			cuda::memcpy_async(&stage[tile % 2][t], in + tile * THREADS + t,
					   cuda::aligned_size_t<16>(16), barrier);
		if (tile % 2)
			barrier.arrive_and_wait();
		else
			barrier.wait(barrier.arrive());
		int4 v = stage[tile % 2][(t + 45) % THREADS];
		sum += v.x + 3 * v.y + 5 * v.z + 7 * v.w;
	}
	out[t] = sum;
}

/* A pipeline of the block with @Stages: all do all, by roles, by a number of producers. */
template <int Stages> static __global__ void by_pipeline(const int4 *in, int *out, int how)
{
	__shared__ int4 stage[Stages][THREADS];
	__shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, Stages> state;
	cg::thread_block block = cg::this_thread_block();
	const int t = threadIdx.x, tiles = TILES - 1, few = 32;
	int sum = 0;

	if (how == 0) {
		auto pipe = cuda::make_pipeline(block, &state);
		int ahead = 0;

		for (int tile = 0; tile < tiles; tile++) {
			for (; ahead < tiles && ahead < tile + Stages; ahead++) {
				pipe.producer_acquire();
				cuda::memcpy_async(block, stage[ahead % Stages],
						   in + ahead * THREADS, sizeof(stage[0]), pipe);
				pipe.producer_commit();
			}
			pipe.consumer_wait();
			int4 v = stage[tile % Stages][(t + 45) % THREADS];
			sum += v.x + 3 * v.y + 5 * v.z + 7 * v.w;
			pipe.consumer_release();
		}
	} else {
		bool produces = how == 1 ? t % 4 == 1 : t < few;
		auto pipe = how == 1 ? cuda::make_pipeline(block, &state,
				produces ? cuda::pipeline_role::producer :
					   cuda::pipeline_role::consumer) :
			    cuda::make_pipeline(block, &state, (size_t)few);
		int rank = how == 1 ? t / 4 : t;

		for (int tile = 0; tile < tiles; tile++)
			if (produces) {
				pipe.producer_acquire();
				for (int n = rank; n < THREADS; n += few)
					cuda::memcpy_async(&stage[tile % Stages][n],
							   in + tile * THREADS + n,
							   cuda::aligned_size_t<16>(16), pipe);
				pipe.producer_commit();
			} else {
				pipe.consumer_wait();
				int4 v = stage[tile % Stages][(t + 45) % THREADS];
				sum += v.x + 3 * v.y + 5 * v.z + 7 * v.w;
				pipe.consumer_release();
			}
		pipe.quit();
		if (produces)
			sum = -1;
	}
	out[t] = sum;
}

static __global__ void by_own_pipeline(const int4 *in, int *out)
{
	__shared__ int4 stage[2][THREADS];
	cuda::pipeline<cuda::thread_scope_thread> pipe = cuda::make_pipeline();
	int t = threadIdx.x, sum = 0;

	for (int tile = 0; tile < TILES - 1; tile++) {
		pipe.producer_acquire();
		cuda::memcpy_async(&stage[tile % 2][t], in + tile * THREADS + t, sizeof(int4),
				   pipe);
		pipe.producer_commit();
		cuda::pipeline_consumer_wait_prior<0>(pipe);
		__syncthreads();
		int4 v = stage[tile % 2][(t + 45) % THREADS];
		sum += v.x + 3 * v.y + 5 * v.z + 7 * v.w;
		pipe.consumer_release();
	}
	out[t] = sum;
}

struct count_phases {
	int *phases;
	__host__ __device__ void operator()() { ++*phases; }
};

typedef cuda::barrier<cuda::thread_scope_device, count_phases> counting;

/* Thread t takes part in t % 5 + 1 phases, and drops out; who is left sees all of them. */
static __global__ void drop_out(counting *barrier, int *phases, int *out)
{
	int t = threadIdx.x, ahead = 0;

	if (t == 0)
		init(barrier, blockDim.x, count_phases{ phases });
	__syncthreads();
	for (int n = 0; n < t % 5; n++) {
		ahead += *(volatile int *)phases != n;
		barrier->wait(barrier->arrive());
	}
	barrier->arrive_and_drop();
	out[t] = ahead;
}

static void check_sums(const char *what, const int *out, const int4 *in, int last, int skips)
{
	int got[THREADS];

	CHECK(cudaMemcpy(got, out, sizeof(got), cudaMemcpyDeviceToHost));
	for (int t = 0; t < THREADS; t++) {
		int want = 0;

		for (int tile = 0; tile < TILES - 1 + last; tile++) {
			const int4 &v = in[tile * THREADS + (t + 45) % THREADS];

			want += v.x + 3 * v.y + (tile < TILES - 1 ? 5 * v.z + 7 * v.w : 0);
		}
		if ((skips == 1 && t % 4 == 1) || (skips == 2 && t < 32))
			want = -1;
		if (got[t] != want)
			mismatch("%s, thread %d: got %d, expected %d", what, t, got[t], want);
	}
}

int main(int argc, char **argv)
{
	static int4 in[TILES * THREADS];
	int *out, *phases, got[THREADS], ended = 0;
	counting *barrier;
	int4 *device;

	parse_size(argc, argv, "async_copies", NULL, 0, 0, 0);
	for (int i = 0; i < TILES * THREADS; i++)
		in[i] = make_int4(i, i * 7 % 1001, -i, i * i % 777);
	CHECK(cudaMalloc(&device, sizeof(in)));
	CHECK(cudaMalloc(&out, THREADS * sizeof(*out)));
	CHECK(cudaMemcpy(device, in, sizeof(in), cudaMemcpyHostToDevice));
	by_primitives<<<1, THREADS>>>(device, out);
	check_sums("primitives", out, in, 1, 0);
	by_old_classes<<<1, THREADS>>>(device, out);
	check_sums("old classes", out, in, 0, 0);
	for (int together = 0; together < 2; together++) {
		by_barrier<<<1, THREADS>>>(device, out, together);
		check_sums("barrier", out, in, 0, 0);
	}
	for (int how = 0; how < 3; how++) {
		by_pipeline<1><<<1, THREADS>>>(device, out, how);
		check_sums("pipeline of a stage", out, in, 0, how);
		by_pipeline<3><<<1, THREADS>>>(device, out, how);
		check_sums("pipeline", out, in, 0, how);
	}
	by_own_pipeline<<<1, THREADS>>>(device, out);
	check_sums("own pipeline", out, in, 0, 0);

	CHECK(cudaMalloc(&barrier, sizeof(*barrier)));
	CHECK(cudaMalloc(&phases, sizeof(*phases)));
	CHECK(cudaMemset(phases, 0, sizeof(*phases)));
	drop_out<<<1, THREADS>>>(barrier, phases, out);
	CHECK(cudaMemcpy(got, out, sizeof(got), cudaMemcpyDeviceToHost));
	CHECK(cudaMemcpy(&ended, phases, sizeof(ended), cudaMemcpyDeviceToHost));
	for (int t = 0; t < THREADS; t++)
		EXPECT(got[t] == 0);
	EXPECT(ended == 5);
	CHECK(cudaFree(device));
	CHECK(cudaFree(out));
	CHECK(cudaFree(barrier));
	CHECK(cudaFree(phases));
	return finish();
}

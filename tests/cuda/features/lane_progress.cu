/* SPDX-License-Identifier: MIT */
/*
 * lane_progress: lanes that wait for what other lanes of their warp do, which sm_70 promises to
 * work: mutexes of a warp, a block and the grid, ticket locks, flags, producers and consumers,
 * two locks of which the first is released when the second is taken, and warp barriers in between.
 */
#include "../common.h"

#define FULL 0xffffffffu
#define BLOCKS 3
#define THREADS 96
#define ALL (BLOCKS * THREADS)
#define ACCOUNTS 8

__device__ static void add_one(volatile int *sum)
{
	*sum = *sum + 1;
}

/* The critical section inside the loop, the form that needs no independent lanes in the source */
__device__ static void add_locked(int *lock, int *sum)
{
	bool done = false;

	while (!done) {
		if (atomicCAS(lock, 0, 1) == 0) {
			__threadfence();
			add_one(sum);
			__threadfence();
			atomicExch(lock, 0);
			done = true;
		}
	}
}

/* The critical section behind the loop */
__device__ static void add_behind(int *lock, int *sum)
{
	while (atomicExch(lock, 1) != 0)
		;
	__threadfence();
	add_one(sum);
	__threadfence();
	atomicExch(lock, 0);
}

/* sums: 0 to 2 per warp, 3 per block, of the first block; 4 and 5 of the grid, 6 with tickets */
__global__ void mutexes(int *locks, int *sums)
{
	__shared__ int lock[4], sum[4];
	int t = threadIdx.x, warp = t / 32;
	int ticket;

	if (t < 4)
		lock[t] = sum[t] = 0;
	__syncthreads();
	add_locked(&lock[warp], &sum[warp]);
	add_behind(&lock[warp], &sum[warp]);
	__syncwarp();
	add_behind(&lock[3], &sum[3]);
	__syncwarp();
	add_locked(&lock[3], &sum[3]);
	__syncthreads();
	if (!blockIdx.x && t < 4)
		sums[t] = sum[t];
	add_locked(&locks[0], &sums[4]);
	add_behind(&locks[1], &sums[5]);
	ticket = atomicAdd(&locks[2], 1);
	while (*(volatile int *)&locks[3] != ticket)
		;
	__threadfence();
	add_one(&sums[6]);
	__threadfence();
	atomicAdd(&locks[3], 1);
}

static void check_mutexes(void)
{
	const int want[7] = { 64, 64, 64, 2 * THREADS, ALL, ALL, ALL };
	int *locks, *sums, got[7];

	CHECK(cudaMalloc(&locks, 4 * sizeof(int)));
	CHECK(cudaMalloc(&sums, sizeof(got)));
	CHECK(cudaMemset(locks, 0, 4 * sizeof(int)));
	CHECK(cudaMemset(sums, 0, sizeof(got)));
	mutexes<<<BLOCKS, THREADS>>>(locks, sums);
	CHECK_LAUNCH();
	CHECK(cudaMemcpy(got, sums, sizeof(got), cudaMemcpyDeviceToHost));
	for (int n = 0; n < 7; n++)
		if (got[n] != want[n])
			mismatch("mutexes[%d]: got %d, expected %d", n, got[n], want[n]);
	CHECK(cudaFree(locks));
	CHECK(cudaFree(sums));
}

/* Each lane waits for the next one, or the one before; out: how many were there before */
__global__ void flags(volatile int *flag, int *atomics, int *out, int down)
{
	__shared__ volatile int shared[32];
	int lane = threadIdx.x, from = down ? lane - 1 : lane + 1, got = 0;

	shared[lane] = 0;
	__syncwarp();
	if (from >= 0 && from < 32) {
		while (!(got = shared[from]))
			;
	}
	shared[lane] = got + 1;
	__syncwarp();
	if (from >= 0 && from < 32) {
		while (!flag[from])
			;
		got += flag[from];
	}
	flag[lane] = got + 1;
	if (from >= 0 && from < 32)
		while (!atomicAdd(&atomics[from], 0))
			;
	atomicExch(&atomics[lane], 1);
	out[lane] = got + (__ballot_sync(FULL, lane & 1) == 0xaaaaaaaau ? 0 : 1000);
}

static void check_flags(void)
{
	int *words, got[32];

	CHECK(cudaMalloc(&words, 96 * sizeof(int)));
	for (int down = 0; down < 2; down++) {
		int sum = 0;

		CHECK(cudaMemset(words, 0, 96 * sizeof(int)));
		flags<<<1, 32>>>(words, words + 32, words + 64, down);
		CHECK_LAUNCH();
		CHECK(cudaMemcpy(got, words + 64, sizeof(got), cudaMemcpyDeviceToHost));
		/* sum: n + what the lane before has stored, which is its own sum and 1 */
		for (int n = 0; n < 32; n++) {
			int lane = down ? n : 31 - n;

			sum = n ? sum + 1 + n : 0;
			if (got[lane] != sum)
				mismatch("flags[%d], down %d: got %d, expected %d", lane, down,
					 got[lane], sum);
		}
	}
	CHECK(cudaFree(words));
}

/* Lane l < 16 hands ten values to lane 31 - l. */
__global__ void hand_over(int *out)
{
	__shared__ volatile int slot[16], full[16];
	int lane = threadIdx.x, pair = lane < 16 ? lane : 31 - lane, sum = 0;

	if (lane < 16)
		full[lane] = 0;
	__syncwarp();
	for (int n = 1; n <= 10; n++) {
		if (lane < 16) {
			while (full[pair])
				;
			__threadfence_block();
			slot[pair] = n * (pair + 1);
			__threadfence_block();
			full[pair] = 1;
		} else {
			while (!full[pair])
				;
			__threadfence_block();
			sum += slot[pair];
			__threadfence_block();
			full[pair] = 0;
		}
	}
	__syncthreads();
	if (lane >= 16)
		out[pair] = sum;
}

/*
 * From account to account, with both locks or none. The lower one comes first: lanes that do all
 * at the same time could else fail for ever.
 */
__global__ void transfers(int *locks, int *accounts)
{
	int t = blockIdx.x * blockDim.x + threadIdx.x;
	int from = t % ACCOUNTS, to = (t * 5 + 3) % ACCOUNTS;
	int low = min(from, to), high = max(from, to);
	bool done = from == to;

	while (!done) {
		if (atomicCAS(&locks[low], 0, 1))
			continue;
		if (!atomicCAS(&locks[high], 0, 1)) {
			__threadfence();
			((volatile int *)accounts)[from] -= t;
			((volatile int *)accounts)[to] += t;
			__threadfence();
			atomicExch(&locks[high], 0);
			done = true;
		}
		atomicExch(&locks[low], 0);
	}
}

static void check_pairs(void)
{
	int *words, got[16], want[ACCOUNTS] = { 0 };

	CHECK(cudaMalloc(&words, sizeof(got)));
	hand_over<<<1, 32>>>(words);
	CHECK_LAUNCH();
	CHECK(cudaMemcpy(got, words, sizeof(got), cudaMemcpyDeviceToHost));
	for (int n = 0; n < 16; n++)
		if (got[n] != 55 * (n + 1))
			mismatch("hand_over[%d]: got %d, expected %d", n, got[n], 55 * (n + 1));
	CHECK(cudaMemset(words, 0, sizeof(got)));
	transfers<<<BLOCKS, THREADS>>>(words, words + ACCOUNTS);
	CHECK_LAUNCH();
	CHECK(cudaMemcpy(got, words, sizeof(got), cudaMemcpyDeviceToHost));
	for (int t = 0; t < ALL; t++) {
		want[t % ACCOUNTS] -= t;
		want[(t * 5 + 3) % ACCOUNTS] += t;
	}
	for (int n = 0; n < ACCOUNTS; n++)
		if (got[ACCOUNTS + n] != want[n] || got[n])
			mismatch("transfers[%d]: got %d, expected %d; lock %d", n,
				 got[ACCOUNTS + n], want[n], got[n]);
	CHECK(cudaFree(words));
}

int main(int argc, char **argv)
{
	parse_size(argc, argv, "lane_progress", NULL, 0, 0, 0);
	check_mutexes();
	check_flags();
	check_pairs();
	return finish();
}

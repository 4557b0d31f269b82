/* SPDX-License-Identifier: MIT */
/*
 * Seeded faults for the sanitizer, one chosen by its name: `faults NAME`. faults.txt lists them.
 * The line of a kernel that does it has the name in a comment. Indices come as arguments, so that
 * no compiler sees what is wrong.
 */
#include <cstdio>
#include <cstdlib>
#include <cstring>

#define N 100

static void check(cudaError_t error)
{
	if (error == cudaSuccess)
		return;
	fprintf(stderr, "faults: %s\n", cudaGetErrorString(error));
	exit(2);
}

/* What the device refuses ends the context, and that is no fault of this program's. */
static void done(void)
{
	cudaDeviceSynchronize();
	exit(0);
}

template <typename T> static T *zeros(int count)
{
	T *p;

	check(cudaMalloc(&p, count * sizeof(T)));
	check(cudaMemset(p, 0, count * sizeof(T)));
	return p;
}

/* ---- memcheck ----------------------------------------------------------- */

__global__ void k_global_write_end(char *p, int n)
{
	p[n + threadIdx.x] = 1; /* global_write_end */
}
static void global_write_end(void)
{
	char *p = zeros<char>(N);

	k_global_write_end<<<1, 1>>>(p, N);
	check(cudaDeviceSynchronize());
	cudaFree(p);
}

__global__ void k_global_read_end(const int *p, int *out, int n)
{
	if (threadIdx.x <= n)
		out[0] += p[threadIdx.x]; /* global_read_end */
}
static void global_read_end(void)
{
	int *p = zeros<int>(N), *out = zeros<int>(1);

	k_global_read_end<<<1, 128>>>(p, out, N);
	check(cudaDeviceSynchronize());
	cudaFree(p);
	cudaFree(out);
}

__global__ void k_global_before(int *p, int n)
{
	p[n] = 1; /* global_before */
}
static void global_before(void)
{
	int *low = zeros<int>(N), *p = zeros<int>(N);

	k_global_before<<<1, 1>>>(p, -1);
	check(cudaDeviceSynchronize());
	cudaFree(low);
	cudaFree(p);
}

__global__ void k_global_straddle(const int *p, int *out, int n)
{
	*out = p[n]; /* global_straddle */
}
static void global_straddle(void)
{
	char *p = zeros<char>(10);
	int *out = zeros<int>(1);

	k_global_straddle<<<1, 1>>>((const int *)p, out, 2);
	check(cudaDeviceSynchronize());
	cudaFree(p);
	cudaFree(out);
}

__global__ void k_global_far(int *p, long n)
{
	p[n] = 1; /* global_far */
}
static void global_far(void)
{
	k_global_far<<<1, 64>>>(zeros<int>(N), 1l << 33);
	done();
}

/* In another allocation, unless there are more bytes between them */
static void global_neighbour(void)
{
	int *p = zeros<int>(64), *other = zeros<int>(64);

	k_global_far<<<1, 1>>>(p, 64 + 100);
	done();
	cudaFree(other);
	cudaFree(p);
}

__global__ void k_global_atomic_end(int *p, int n)
{
	atomicAdd(p + n, 1); /* global_atomic_end */
}
static void global_atomic_end(void)
{
	int *p = zeros<int>(N);

	k_global_atomic_end<<<2, 32>>>(p, N);
	check(cudaDeviceSynchronize());
	cudaFree(p);
}

__global__ void k_pool_end(char *p, int n)
{
	p[n] = 1; /* pool_end */
}
static void pool_end(void)
{
	char *p;

	check(cudaMallocAsync((void **)&p, 256, 0));
	k_pool_end<<<1, 1>>>(p, 256);
	check(cudaFreeAsync(p, 0));
	check(cudaDeviceSynchronize());
}

__device__ int table[10], table_behind[10];
__constant__ int weights[10], weights_behind[10];

__global__ void k_variable_end(int n)
{
	table[n] = 1; /* variable_end */
	table_behind[0] = 1;
}
static void variable_end(void)
{
	k_variable_end<<<1, 1>>>(10);
	check(cudaDeviceSynchronize());
}

__global__ void k_constant_end(int *out, int n)
{
	*out = weights[n] /* constant_end */ + weights_behind[0];
}
static void constant_end(void)
{
	int *out = zeros<int>(1);

	k_constant_end<<<1, 1>>>(out, 10);
	check(cudaDeviceSynchronize());
	cudaFree(out);
}

__global__ void k_freed_small(const int *p, int *out)
{
	*out = p[7]; /* freed_small */
}
static void freed_small(void)
{
	int *out = zeros<int>(1), *other = zeros<int>(N), *p = zeros<int>(N);

	check(cudaFree(p));
	k_freed_small<<<1, 1>>>(p, out);
	check(cudaDeviceSynchronize());
	cudaFree(out);
	cudaFree(other);
}

__global__ void k_freed_large(const int *p, int *out)
{
	*out = p[7]; /* freed_large */
}
static void freed_large(void)
{
	int *out = zeros<int>(1), *p = zeros<int>(1 << 20);

	check(cudaFree(p));
	k_freed_large<<<1, 1>>>(p, out);
	done();
}

__global__ void k_misaligned_global(const char *p, double *out, int n)
{
	*out = *(const double *)(p + n); /* misaligned_global */
}
static void misaligned_global(void)
{
	k_misaligned_global<<<1, 1>>>(zeros<char>(N), zeros<double>(1), 4);
	done();
}

__global__ void k_misaligned_shared(int n)
{
	__shared__ char words[64];

	*(volatile int *)(words + n) = 1; /* misaligned_shared */
}
static void misaligned_shared(void)
{
	k_misaligned_shared<<<1, 1>>>(6);
	done();
}

__global__ void k_shared_end(int *out, int n)
{
	__shared__ volatile int first[32], second[32];

	first[threadIdx.x] = second[threadIdx.x] = threadIdx.x;
	if (threadIdx.x == 31)
		first[n] = 1; /* shared_end */
	__syncthreads();
	out[threadIdx.x] = first[threadIdx.x] + second[threadIdx.x];
}
static void shared_end(void)
{
	int *out = zeros<int>(32);

	k_shared_end<<<1, 32>>>(out, 32);
	check(cudaDeviceSynchronize());
	cudaFree(out);
}

__global__ void k_shared_dynamic_end(int n)
{
	extern __shared__ volatile int all[];

	all[threadIdx.x + n] = 1; /* shared_dynamic_end */
}
static void shared_dynamic_end(void)
{
	k_shared_dynamic_end<<<1, 32, 32 * sizeof(int)>>>(1);
	done();
}

__global__ void k_local_end(char *out, int n)
{
	volatile char own[20];

	for (int i = 0; i < n; i++)
		own[i] = i; /* local_end */
	*out = own[n / 2];
}
static void local_end(void)
{
	char *out = zeros<char>(1);

	k_local_end<<<1, 1>>>(out, 21);
	check(cudaDeviceSynchronize());
	cudaFree(out);
}

static void leak(void)
{
	zeros<int>(N);
}

/* ---- initcheck ---------------------------------------------------------- */

__global__ void k_init_global(const int *p, int *out)
{
	out[threadIdx.x] = p[threadIdx.x]; /* init_global */
}
static void init_global(void)
{
	int *out = zeros<int>(N), *p;

	check(cudaMalloc(&p, N * sizeof(int)));
	k_init_global<<<1, N>>>(p, out);
	check(cudaDeviceSynchronize());
	cudaFree(p);
	cudaFree(out);
}

__global__ void k_init_global_tail(const int *p, int *out)
{
	out[threadIdx.x] = p[threadIdx.x]; /* init_global_tail */
}
static void init_global_tail(void)
{
	int *out = zeros<int>(N), *p;

	check(cudaMalloc(&p, N * sizeof(int)));
	check(cudaMemset(p, 0, (N - 1) * sizeof(int)));
	k_init_global_tail<<<1, N>>>(p, out);
	check(cudaDeviceSynchronize());
	cudaFree(p);
	cudaFree(out);
}

__global__ void k_init_again(const int *p, int *out)
{
	*out = p[3]; /* init_again */
}
static void init_again(void)
{
	int *out = zeros<int>(1), *p = zeros<int>(1 << 20), *q;

	check(cudaFree(p));
	check(cudaMalloc(&q, sizeof(int) << 20));
	k_init_again<<<1, 1>>>(q, out);
	check(cudaDeviceSynchronize());
	cudaFree(q);
	cudaFree(out);
}

__global__ void k_init_copied(const int *p, int *out)
{
	*out = p[3]; /* init_copied */
}
static void init_copied(void)
{
	int *out = zeros<int>(1), *p, *q = zeros<int>(N);

	check(cudaMalloc(&p, N * sizeof(int)));
	check(cudaMemcpy(q, p, N * sizeof(int), cudaMemcpyDeviceToDevice));
	k_init_copied<<<1, 1>>>(q, out);
	check(cudaDeviceSynchronize());
	cudaFree(p);
	cudaFree(q);
	cudaFree(out);
}

__global__ void k_init_atomic(int *p)
{
	atomicAdd(p, 1); /* init_atomic */
}
static void init_atomic(void)
{
	int *p;

	check(cudaMalloc(&p, sizeof(int)));
	k_init_atomic<<<1, 32>>>(p);
	check(cudaDeviceSynchronize());
	cudaFree(p);
}

__global__ void k_init_shared(int *out, int n)
{
	__shared__ volatile int words[64];

	words[threadIdx.x] = threadIdx.x;
	__syncthreads();
	out[threadIdx.x] = words[threadIdx.x + n]; /* init_shared */
}
static void init_shared(void)
{
	int *out = zeros<int>(32);

	k_init_shared<<<1, 32>>>(out, 32);
	check(cudaDeviceSynchronize());
	cudaFree(out);
}

/* The last thread has no neighbour that wrote. */
__global__ void k_init_shared_neighbour(int *out)
{
	extern __shared__ volatile int line[];

	line[threadIdx.x] = threadIdx.x;
	__syncthreads();
	out[threadIdx.x] = line[threadIdx.x + 1]; /* init_shared_neighbour */
}
static void init_shared_neighbour(void)
{
	int *out = zeros<int>(64);

	k_init_shared_neighbour<<<1, 64, 65 * sizeof(int)>>>(out);
	check(cudaDeviceSynchronize());
	cudaFree(out);
}

__global__ void k_init_local(int *out, int n)
{
	volatile int own[16];

	for (int i = 0; i < n; i++)
		own[i] = i;
	out[threadIdx.x] = own[n]; /* init_local */
}
static void init_local(void)
{
	int *out = zeros<int>(32);

	k_init_local<<<1, 32>>>(out, 9);
	check(cudaDeviceSynchronize());
	cudaFree(out);
}

/* ---- synccheck ---------------------------------------------------------- */

__global__ void k_barrier_half_warp(int *out)
{
	out[threadIdx.x] = 1;
	if (threadIdx.x < 16)
		__syncthreads(); /* barrier_half_warp */
	out[threadIdx.x + 64] = 2;
}
static void barrier_half_warp(void)
{
	int *out = zeros<int>(128);

	k_barrier_half_warp<<<1, 32>>>(out);
	cudaDeviceSynchronize();
	cudaFree(out);
}

__global__ void k_barrier_some_warps(int *out)
{
	out[threadIdx.x] = 1;
	if (threadIdx.x < 32)
		__syncthreads(); /* barrier_some_warps */
	out[threadIdx.x + 64] = 2;
}
static void barrier_some_warps(void)
{
	int *out = zeros<int>(128);

	k_barrier_some_warps<<<1, 64>>>(out);
	cudaDeviceSynchronize();
	cudaFree(out);
}

__global__ void k_barrier_two_sides(int *out)
{
	if (threadIdx.x % 2) {
		out[threadIdx.x] = 1;
		__syncthreads(); /* barrier_two_sides */
		out[threadIdx.x] += 1;
	} else {
		out[threadIdx.x] = 2;
		__syncthreads(); /* barrier_two_sides */
		out[threadIdx.x] *= 2;
	}
}
static void barrier_two_sides(void)
{
	int *out = zeros<int>(32);

	k_barrier_two_sides<<<1, 32>>>(out);
	cudaDeviceSynchronize();
	cudaFree(out);
}

__global__ void k_barrier_loop(int *out)
{
	for (int i = 0; i < threadIdx.x / 32 + 1; i++) {
		out[threadIdx.x] += i;
		__syncthreads(); /* barrier_loop */
	}
	out[threadIdx.x] *= 2;
}
static void barrier_loop(void)
{
	int *out = zeros<int>(96);

	k_barrier_loop<<<1, 96>>>(out);
	cudaDeviceSynchronize();
	cudaFree(out);
}

__global__ void k_barrier_never(void)
{
	if (threadIdx.x < 32)
		asm volatile("barrier.sync 1, 64;" ::: "memory"); /* barrier_never */
}
static void barrier_never(void)
{
	k_barrier_never<<<1, 64>>>();
	done();
}

__global__ void k_mask_without_own(int *out, unsigned mask)
{
	__syncwarp(mask); /* mask_without_own */
	out[threadIdx.x] = 1;
}
static void mask_without_own(void)
{
	int *out = zeros<int>(32);

	k_mask_without_own<<<1, 32>>>(out, 0x0000ffff);
	cudaDeviceSynchronize();
	cudaFree(out);
}

__global__ void k_mask_not_there(int *out, unsigned mask)
{
	out[threadIdx.x] = __shfl_sync(mask, threadIdx.x, 1); /* mask_not_there */
}
static void mask_not_there(void)
{
	int *out = zeros<int>(20);

	k_mask_not_there<<<1, 20>>>(out, 0x00ffffff);
	cudaDeviceSynchronize();
	cudaFree(out);
}

__global__ void k_mask_never(int *out, unsigned mask)
{
	if (threadIdx.x < 8)
		__syncwarp(mask); /* mask_never */
	else
		__syncthreads();
	out[threadIdx.x] = 1;
}
static void mask_never(void)
{
	k_mask_never<<<1, 32>>>(zeros<int>(32), 0x0000ffff);
	done();
}

static const struct {
	const char *name;
	void (*run)(void);
} faults[] = {
#define FAULT(name) { #name, name }
	FAULT(global_write_end), FAULT(global_read_end), FAULT(global_before),
	FAULT(global_straddle), FAULT(global_far), FAULT(global_atomic_end), FAULT(pool_end),
	FAULT(variable_end), FAULT(constant_end), FAULT(freed_small), FAULT(freed_large),
	FAULT(misaligned_global), FAULT(misaligned_shared), FAULT(shared_end),
	FAULT(shared_dynamic_end), FAULT(local_end), FAULT(leak), FAULT(init_global),
	FAULT(init_global_tail), FAULT(init_again), FAULT(init_copied), FAULT(init_atomic),
	FAULT(init_shared), FAULT(init_shared_neighbour), FAULT(init_local),
	FAULT(barrier_half_warp), FAULT(barrier_some_warps), FAULT(barrier_two_sides),
	FAULT(barrier_loop), FAULT(barrier_never), FAULT(mask_without_own), FAULT(mask_not_there),
	FAULT(mask_never), FAULT(global_neighbour),
};

int main(int argc, char **argv)
{
	for (const auto &fault : faults)
		if (argc == 2 && !strcmp(argv[1], fault.name)) {
			fault.run();
			return 0;
		}
	fprintf(stderr, "usage: faults NAME: one of faults.txt\n");
	return 2;
}

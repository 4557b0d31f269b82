#!/bin/bash
# SPDX-License-Identifier: MIT
#
# test_vgpucc_accepts: what programs written for nvcc contain, and Makefiles for it pass, that a stock clang does not take as it
# is. Speaks TAP.
. "$(dirname "${BASH_SOURCE[0]}")/vgpucc.sh"

cat >aligned.cu <<'END'
#include <cstdio>
#include <cstdint>
struct four { float x[4]; };
#define SHARED __shared__ alignas(alignof(four))
__constant__ alignas(64) char last[1];
template <int N> __global__ void k(uintptr_t *p)
{
	SHARED char odd[3]; SHARED float a[N];
	__shared__ alignas((32)) char b[1]; __shared__ char c[5]; // __shared__ alignas(1) in a comment
	const char *text = "__attribute__((shared)) alignas(8)";
	odd[threadIdx.x] = a[0] = b[0] = c[0] = text[0];
	*p = (uintptr_t)a % sizeof(four) | (uintptr_t)b % 32 | (uintptr_t)last % 64 | (text[24] != 'a') | odd[0] * 0;
}
int main()
{
	uintptr_t *p, got;

	cudaMalloc(&p, sizeof(got));
	k<8><<<1, 3>>>(p);
	cudaMemcpy(&got, p, sizeof(got), cudaMemcpyDeviceToHost);
	printf("%d %s\n", (int)got, cudaGetErrorName(cudaGetLastError()));
}
END
works 'alignas() behind __shared__' '' "$vgpucc" aligned.cu -o aligned
works '... aligns' '^0 cudaSuccess$' ./aligned

cat >operands.cu <<'END'
#include <cstdio>
__global__ void k(int *p)
{
	int sum, text = 0;

	asm volatile("add.s32 %0, %1, %2;" : "=r"(sum) : "r"(p[0])"r"((p)[1]) : "memory");
	asm volatile("st.global.u32 [%[to]], %[value];" ::[to] "l"(p + 2) [value]
		     "r"(sum) : "memory");
	asm("mov.u32 %0, %1;" : "=r"(text) : "r"(p[3] + (int)sizeof(") \"r\"(x) \"l\"(y)")));
	p[3] = text;
}
int main()
{
	int *p, got[4] = { 3, 4, 5, 6 };

	cudaMalloc(&p, sizeof(got));
	cudaMemcpy(p, got, sizeof(got), cudaMemcpyHostToDevice);
	k<<<1, 1>>>(p);
	cudaMemcpy(got, p, sizeof(got), cudaMemcpyDeviceToHost);
	printf("%d %d %d\n", got[2], got[3], __LINE__);
}
END
works 'operands of assembly without commas' '^7 22 20$' bash -c "'$vgpucc' operands.cu -o operands && ./operands"

cat >valueless.cu <<'END'
#include <cstdio>
#include <cooperative_groups.h>
static __device__ __forceinline__ int first(int v) { return __shfl_sync(~0u, v, 0); }
__global__ void k(unsigned *count, unsigned *out)
{
	unsigned at, lane = threadIdx.x % 32, n = __popc(__ballot_sync(~0u, threadIdx.x % 3 == 0));

	if (lane == 0)
		at = atomicAdd(count, n);
	at = first(at);
	out[threadIdx.x] = at;
}
__global__ void groups(unsigned *count, unsigned *out)
{
	auto active = cooperative_groups::coalesced_threads();
	unsigned at;

	if (active.thread_rank() == 0)
		at = atomicAdd(count, active.size());
	out[threadIdx.x] = active.shfl(at, 0);
}
int main()
{
	unsigned *p, got[65];

	cudaMalloc(&p, sizeof(got));
	for (int i = 0; i < 2; i++) {
		cudaMemset(p, 0, sizeof(got));
		if (i) groups<<<1, 64>>>(p, p + 1); else k<<<1, 64>>>(p, p + 1);
		cudaMemcpy(got, p, sizeof(got), cudaMemcpyDeviceToHost);
		printf("%u %u %u\n", got[0], got[1] + got[33], got[1] == got[32] && got[33] == got[64]);
	}
}
END
works 'a variable without a value passed to a function' '' "$vgpucc" valueless.cu -o valueless
works '... of a program' '^22 11 1$' ./valueless
works '... of cooperative groups' '^64 32 1$' ./valueless

cat >create.cpp <<'END'
#include <cstdio>
#include <cuda.h>
int main()
{
	CUcontext first, second, now;
	CUctxCreateParams params = {};
	CUcomputemode mode;

	printf("%d", cuInit(0) || cuCtxCreate(&first, 0, 0) || cuCtxCreate(&second, nullptr, 0, 0) || cuCtxGetCurrent(&now));
	printf(" %d", now == second && cuDeviceGetAttribute((int *)&mode, CU_DEVICE_ATTRIBUTE_COMPUTE_MODE, 0) == 0);
	printf(" %d\n", mode == CU_COMPUTEMODE_DEFAULT && cuCtxCreate(&first, &params, 0, 0) == 0);
}
END
works "cuCtxCreate() of CUDA 12 and 13" '^0 1 1$' bash -c "'$vgpucc' create.cpp -o create -lcuda && ./create"

cat >threads.cu <<'END'
#include <cstdio>
#include <omp.h>
__global__ void k(int *p) { atomicAdd(p, 1); }
int main()
{
	int *p, got, of = 0;

	cudaMalloc(&p, 4);
	cudaMemset(p, 0, 4);
	omp_set_num_threads(3);
#pragma omp parallel
	{
		k<<<1, 1>>>(p);
		if (omp_get_thread_num() == 2) of = omp_get_num_threads();
	}
	cudaMemcpy(&got, p, 4, cudaMemcpyDeviceToHost);
	printf("%d of %d\n", got, of);
}
END
works "OpenMP with GCC's library" '^3 of 3$' bash -c "'$vgpucc' -Xcompiler -fopenmp threads.cu -o threads -lgomp && ./threads"
works '... in two steps' '^3 of 3$' bash -c "'$vgpucc' -Xcompiler -fopenmp -c threads.cu -o threads.o && '$vgpucc' threads.o -o threads -lgomp && ./threads"

echo "1..$count"
[ $failed -eq 0 ]

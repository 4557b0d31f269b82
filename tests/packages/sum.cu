// SPDX-License-Identifier: MIT
/*
 * A CUDA program of which little is enough: a kernel of its own and one of cuBLAS.
 */
#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <cstdio>

__global__ void fill(float *p)
{
	p[threadIdx.x] = threadIdx.x;
}

int main()
{
	float *p, sum = 0;
	cublasHandle_t handle;

	cudaError_t error = cudaMalloc(&p, 32 * sizeof(*p));
	if (error) {
		std::fprintf(stderr, "sum: %s\n", cudaGetErrorString(error));
		return 1;
	}
	fill<<<1, 32>>>(p);
	if (cublasCreate(&handle) || cublasSasum(handle, 32, p, 1, &sum))
		return 1;
	std::printf("sum %g\n", sum);
	return cublasDestroy(handle);
}

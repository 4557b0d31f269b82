/* SPDX-License-Identifier: MIT */
/*
 * sgemm: cublasSgemm of N (1024) beside OpenBLAS's on the same processors, in turn: median, lowest
 * and highest of seven, in milliseconds of time and of processor time. Without OpenBLAS that row is
 * left out.
 */
#include <cublas_v2.h>
#include <cuda_runtime.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { RUNS = 7 };

typedef void host_sgemm(const char *, const char *, const int *, const int *, const int *,
			const float *, const float *, const int *, const float *, const int *,
			const float *, float *, const int *);

static double seconds(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec + t.tv_nsec * 1e-9;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void row(const char *name, int n, double time[RUNS], double used[RUNS])
{
	double operations = 2e-9 * n * n * n;

	qsort(time, RUNS, sizeof(*time), compare);
	qsort(used, RUNS, sizeof(*used), compare);
	printf("%-10s %8.1f ms (%.1f..%.1f) %7.2f GFLOPS; of processor time %8.1f ms (%.1f..%.1f) "
	       "%7.2f\n",
	       name, time[RUNS / 2] * 1e3, time[0] * 1e3, time[RUNS - 1] * 1e3,
	       operations / time[RUNS / 2], used[RUNS / 2] * 1e3, used[0] * 1e3,
	       used[RUNS - 1] * 1e3, operations / used[RUNS / 2]);
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 1024;
	size_t bytes = (size_t)n * n * sizeof(float);
	float *host = (float *)malloc(bytes), *out = (float *)malloc(bytes), *a, *b, *c;
	const float one = 1, zero = 0;
	double time[2][RUNS], used[2][RUNS];
	void *library = dlopen("libopenblas.so.0", RTLD_NOW);
	host_sgemm *other = library ? (host_sgemm *)dlsym(library, "sgemm_") : NULL;
	cublasHandle_t handle;

	if (!host || !out || cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS ||
	    cudaMalloc((void **)&a, bytes) != cudaSuccess ||
	    cudaMalloc((void **)&b, bytes) != cudaSuccess ||
	    cudaMalloc((void **)&c, bytes) != cudaSuccess) {
		fprintf(stderr, "sgemm: no handle or no memory\n");
		return 1;
	}
	for (size_t i = 0; i < (size_t)n * n; i++)
		host[i] = (float)(rand() % 2001 - 1000) / 1000;
	cudaMemcpy(a, host, bytes, cudaMemcpyHostToDevice);
	cudaMemcpy(b, host, bytes, cudaMemcpyHostToDevice);
	/* the first of each is not counted: the kernel is compiled, threads are made */
	for (int i = -1; i < RUNS; i++) {
		int at = i < 0 ? 0 : i;

		time[0][at] = -seconds(CLOCK_MONOTONIC);
		used[0][at] = -seconds(CLOCK_PROCESS_CPUTIME_ID);
		if (cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, a, n, b, n, &zero,
				c, n) != CUBLAS_STATUS_SUCCESS ||
		    cudaDeviceSynchronize() != cudaSuccess)
			return 1;
		time[0][at] += seconds(CLOCK_MONOTONIC);
		used[0][at] += seconds(CLOCK_PROCESS_CPUTIME_ID);
		if (!other)
			continue;
		time[1][at] = -seconds(CLOCK_MONOTONIC);
		used[1][at] = -seconds(CLOCK_PROCESS_CPUTIME_ID);
		other("N", "N", &n, &n, &n, &one, host, &n, host, &n, &zero, out, &n);
		time[1][at] += seconds(CLOCK_MONOTONIC);
		used[1][at] += seconds(CLOCK_PROCESS_CPUTIME_ID);
	}
	row("cuBLAS", n, time[0], used[0]);
	if (other)
		row("OpenBLAS", n, time[1], used[1]);
	return 0;
}

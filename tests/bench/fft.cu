/* SPDX-License-Identifier: MIT */
/*
 * fft: cufftExecC2C of N (2^20) complex floats beside FFTW's plan by estimate and by measurement,
 * of one thread: median, lowest and highest of fifteen, in milliseconds of time and of processor
 * time. Without FFTW these rows are left out.
 */
#include <cuda_runtime.h>
#include <cufft.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { RUNS = 15, MEASURE = 0, ESTIMATE = 1 << 6 };

typedef void *plan_1d(int, float *, float *, int, unsigned);
typedef void execute_plan(void *);

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

static double time_of[RUNS], used_of[RUNS];

static void begin(int i)
{
	time_of[i < 0 ? 0 : i] = -seconds(CLOCK_MONOTONIC);
	used_of[i < 0 ? 0 : i] = -seconds(CLOCK_PROCESS_CPUTIME_ID);
}

static void end(int i)
{
	time_of[i < 0 ? 0 : i] += seconds(CLOCK_MONOTONIC);
	used_of[i < 0 ? 0 : i] += seconds(CLOCK_PROCESS_CPUTIME_ID);
}

static void row(const char *name)
{
	qsort(time_of, RUNS, sizeof(*time_of), compare);
	qsort(used_of, RUNS, sizeof(*used_of), compare);
	printf("%-15s %8.2f ms (%.2f..%.2f); of processor time %8.2f ms (%.2f..%.2f)\n", name,
	       time_of[RUNS / 2] * 1e3, time_of[0] * 1e3, time_of[RUNS - 1] * 1e3,
	       used_of[RUNS / 2] * 1e3, used_of[0] * 1e3, used_of[RUNS - 1] * 1e3);
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 1 << 20;
	size_t bytes = (size_t)n * sizeof(cufftComplex);
	float *host = (float *)malloc(bytes), *out = (float *)malloc(bytes);
	void *library = dlopen("libfftw3f.so.3", RTLD_NOW);
	plan_1d *make = library ? (plan_1d *)dlsym(library, "fftwf_plan_dft_1d") : NULL;
	execute_plan *execute =
		library ? (execute_plan *)dlsym(library, "fftwf_execute") : NULL;
	cufftComplex *a, *b;
	cufftHandle plan;

	if (!host || !out || cufftPlan1d(&plan, n, CUFFT_C2C, 1) != CUFFT_SUCCESS ||
	    cudaMalloc((void **)&a, bytes) != cudaSuccess ||
	    cudaMalloc((void **)&b, bytes) != cudaSuccess) {
		fprintf(stderr, "fft: no plan or no memory\n");
		return 1;
	}
	for (int i = 0; i < 2 * n; i++)
		host[i] = (float)(rand() % 2001 - 1000) / 1000;
	cudaMemcpy(a, host, bytes, cudaMemcpyHostToDevice);
	/* the first is not counted: kernels are compiled */
	for (int i = -1; i < RUNS; i++) {
		begin(i);
		if (cufftExecC2C(plan, a, b, CUFFT_FORWARD) != CUFFT_SUCCESS ||
		    cudaDeviceSynchronize() != cudaSuccess)
			return 1;
		end(i);
		if (i < 0 && argc > 2)
			printf("first %.2f ms\n", time_of[0] * 1e3);
	}
	row("cuFFT");
	for (int measure = 0; make && execute && measure < 2; measure++) {
		void *other = make(n, host, out, -1, measure ? MEASURE : ESTIMATE);

		if (!other)
			return 1;
		for (int i = -1; i < RUNS; i++) {
			begin(i);
			execute(other);
			end(i);
		}
		row(measure ? "FFTW, measured" : "FFTW, estimated");
	}
	return 0;
}

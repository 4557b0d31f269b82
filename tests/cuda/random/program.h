/* SPDX-License-Identifier: MIT */
/*
 * Around the kernels of a random program. It is pasted in: before the kernels what they use, after
 * them (PROGRAM_END) main(), which runs them and writes what they left.
 */
#ifndef PROGRAM_END
#define PROGRAM_END

#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned long long u64;
typedef long long s64;

#define LANE (threadIdx.x & 31u)

template <class T> static __device__ __forceinline__ T divide(T a, T b)
{
	const bool is_signed = (T)-1 < (T)1;

	if (b == 0 || (is_signed && b == (T)-1 && a == (T)((u64)1 << (8 * sizeof(T) - 1))))
		return a;
	return (T)(a / b);
}

template <class T> static __device__ __forceinline__ T remainder_of(T a, T b)
{
	const bool is_signed = (T)-1 < (T)1;

	if (b == 0 || (is_signed && b == (T)-1 && a == (T)((u64)1 << (8 * sizeof(T) - 1))))
		return b;
	return (T)(a % b);
}

/* One NaN for all. */
static __device__ __forceinline__ float whole(float a)
{
	return a != a ? __int_as_float(0x7fffffff) : a;
}

static __device__ __forceinline__ double whole(double a)
{
	return a != a ? __longlong_as_double(0x7ff8000000000000ll) : a;
}

static __device__ __forceinline__ __half whole(__half a)
{
	return (__half_as_ushort(a) & 0x7fff) > 0x7c00 ? __ushort_as_half(0x7fff) : a;
}

template <class T> static __device__ __forceinline__ T inside(T a, T limit)
{
	return !(a >= -limit) ? -limit : a > limit ? limit : a;
}

template <class T> static __device__ __forceinline__ T insideu(T a, T limit)
{
	return !(a >= 0) ? 0 : a > limit ? limit : a;
}

/* The lane that a shuffle reads. */
static __device__ __forceinline__ int from_lane(int by, int width)
{
	return (LANE & ~(width - 1)) | (by & (width - 1));
}

static __device__ __forceinline__ int from_up(int by, int width)
{
	const int lane = LANE;

	return lane < (lane & ~(width - 1)) + by ? lane : lane - by;
}

static __device__ __forceinline__ int from_down(int by, int width)
{
	const int lane = LANE;

	return lane + by > (lane | (width - 1)) ? lane : lane + by;
}

static __device__ __forceinline__ int from_xor(int by, int width)
{
	const int lane = LANE;

	return (lane ^ by) > (lane | (width - 1)) ? lane : lane ^ by;
}

template <class T> static __device__ __forceinline__ T of_bits(u64 bits)
{
	return (T)bits;
}
template <> __device__ __forceinline__ float of_bits<float>(u64 bits)
{
	return __uint_as_float((unsigned int)bits);
}
template <> __device__ __forceinline__ double of_bits<double>(u64 bits)
{
	return __longlong_as_double((s64)bits);
}
template <> __device__ __forceinline__ __half of_bits<__half>(u64 bits)
{
	return __ushort_as_half((unsigned short)bits);
}

static __device__ __forceinline__ u64 raw_bits(unsigned char a)
{
	return a;
}
static __device__ __forceinline__ u64 raw_bits(signed char a)
{
	return (unsigned char)a;
}
static __device__ __forceinline__ u64 raw_bits(unsigned short a)
{
	return a;
}
static __device__ __forceinline__ u64 raw_bits(short a)
{
	return (unsigned short)a;
}
static __device__ __forceinline__ u64 raw_bits(unsigned int a)
{
	return a;
}
static __device__ __forceinline__ u64 raw_bits(int a)
{
	return (unsigned int)a;
}
static __device__ __forceinline__ u64 raw_bits(u64 a)
{
	return a;
}
static __device__ __forceinline__ u64 raw_bits(s64 a)
{
	return (u64)a;
}
static __device__ __forceinline__ u64 raw_bits(float a)
{
	return (unsigned int)__float_as_int(a);
}
static __device__ __forceinline__ u64 raw_bits(double a)
{
	return (u64)__double_as_longlong(a);
}
static __device__ __forceinline__ u64 raw_bits(__half a)
{
	return __half_as_ushort(a);
}

/* A field of a struct from its bits. */
template <class T> static void set_bits(T *to, u64 bits)
{
	memcpy(to, &bits, sizeof(T));
}

struct entry {
	unsigned int number;
	void (*launch)(const u64 *, u64 *, u64 *);
	u64 seed;
	unsigned int threads, rows, vars, inputs, mem_words;
	const unsigned char *types;
};

#else

static void *allocated(size_t words)
{
	void *p;

	if (cudaMalloc(&p, words * 8 + 256) != cudaSuccess) {
		fprintf(stderr, "no device memory\n");
		exit(1);
	}
	return p;
}

/* For each kernel: its number, 1 if it ended well, and its values. */
static void run(const entry *e, FILE *file)
{
	const size_t row = 16 + (e->inputs * e->threads + 1 & ~1u),
		     results = (size_t)e->rows * e->vars * e->threads;
	u64 *const in = (u64 *)calloc(row * e->rows, 8), *const out = (u64 *)malloc(results * 8),
		   state_at = e->seed ^ e->number;
	u64 *dev_in = (u64 *)allocated(row * e->rows), *dev_out = (u64 *)allocated(results);
	u64 *mem = (u64 *)allocated((size_t)e->mem_words * e->rows), state = state_at,
	    head[2] = {e->number, 1};
	cudaError_t error;

	for (unsigned int r = 0; r < e->rows; r++) {
		for (unsigned int i = 0; i < 16; i++)
			in[r * row + i] = random_next(&state);
		for (unsigned int i = 0; i < e->inputs; i++)
			for (unsigned int t = 0; t < e->threads; t++)
				in[r * row + 16 + i * e->threads + t] =
					random_value(&state, e->types[i]);
	}
	memset(out, 0xee, results * 8);
	cudaMemcpy(dev_in, in, row * e->rows * 8, cudaMemcpyHostToDevice);
	cudaMemset(dev_out, 0xee, results * 8);
	e->launch(dev_in, dev_out, mem);
	error = cudaDeviceSynchronize();
	if (error == cudaSuccess)
		error = cudaMemcpy(out, dev_out, results * 8, cudaMemcpyDeviceToHost);
	if (error != cudaSuccess) {
		fprintf(stderr, "kernel %u: %s\n", e->number, cudaGetErrorString(error));
		head[1] = 0;
		cudaDeviceReset();
	} else {
		cudaFree(dev_in);
		cudaFree(dev_out);
		cudaFree(mem);
	}
	if (fwrite(head, 8, 2, file) != 2 || fwrite(out, 8, results, file) != results) {
		perror("writing the results");
		exit(1);
	}
	free(in);
	free(out);
}

int main(int argc, char **argv)
{
	FILE *file = argc == 2 ? fopen(argv[1], "wb") : NULL;

	if (!file) {
		fprintf(stderr, "usage: %s RESULTS\n", argv[0]);
		return 2;
	}
	for (unsigned int i = 0; i < sizeof(kernels) / sizeof(*kernels); i++)
		run(&kernels[i], file);
	return fclose(file) ? 1 : 0;
}

#endif

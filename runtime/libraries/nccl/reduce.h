/* SPDX-License-Identifier: MIT */
/*
 * Reductions, a template for all types: elements of all ranks are put together in the order of the
 * ranks. Numbers of 16 and 8 bits are computed as floats, and rounded once.
 */
#ifndef NCCL_REDUCE_H
#define NCCL_REDUCE_H

#include "comm.h"

namespace nccl
{

enum { THREADS = 256, BLOCKS_MAX = 32 };

/* The type that is computed with, and what it is made of */
template <class T> struct number {
	typedef T wide;
	static __device__ __forceinline__ T widen(T x)
	{
		return x;
	}
	static __device__ __forceinline__ T narrow(T x)
	{
		return x;
	}
};

#define NCCL_SMALL(T, to_float, from_float)                         \
	template <> struct number<T> {                              \
		typedef float wide;                                 \
		static __device__ __forceinline__ float widen(T x)  \
		{                                                   \
			return to_float;                            \
		}                                                   \
		static __device__ __forceinline__ T narrow(float x) \
		{                                                   \
			return from_float;                          \
		}                                                   \
	};
NCCL_SMALL(__half, __half2float(x), __float2half_rn(x))
NCCL_SMALL(__nv_bfloat16, __bfloat162float(x), __float2bfloat16_rn(x))
NCCL_SMALL(__nv_fp8_e4m3, (float)x, __nv_fp8_e4m3(x))
NCCL_SMALL(__nv_fp8_e5m2, (float)x, __nv_fp8_e5m2(x))
#undef NCCL_SMALL

/* Integers wrap: sums and products are those of unsigned ones. */
template <class T> struct unsigned_of {
	typedef T type;
};
template <> struct unsigned_of<signed char> {
	typedef unsigned int type;
};
template <> struct unsigned_of<unsigned char> {
	typedef unsigned int type;
};
template <> struct unsigned_of<int> {
	typedef unsigned int type;
};
template <> struct unsigned_of<long long> {
	typedef unsigned long long type;
};

template <class T> __device__ __forceinline__ T plus(T a, T b)
{
	typedef typename unsigned_of<T>::type U;
	return (T)((U)a + (U)b);
}

template <class T> __device__ __forceinline__ T times(T a, T b)
{
	typedef typename unsigned_of<T>::type U;
	return (T)((U)a * (U)b);
}

/* Of a NaN and a number the number, as fmin and fmax */
template <class T> __device__ __forceinline__ T larger(T a, T b)
{
	return a > b || b != b ? a : b;
}
template <class T> __device__ __forceinline__ T smaller(T a, T b)
{
	return a < b || b != b ? a : b;
}

template <int Op, class T> __device__ __forceinline__ T join(T a, T b)
{
	if (Op == ncclProd)
		return times(a, b);
	if (Op == ncclMax)
		return larger(a, b);
	if (Op == ncclMin)
		return smaller(a, b);
	return plus(a, b);
}

template <int Op, class T>
static __device__ __forceinline__ void reduce_all(const nccl_reduction &r, size_t thread,
						  size_t threads)
{
	typedef typename number<T>::wide Wide;

	for (size_t i = thread; i < r.count; i += threads) {
		const char *from = (const char *)((const T *)r.from + i);
		Wide sum = number<T>::widen(*(const T *)from);

		for (int part = 1; part < r.parts; part++) {
			from += r.stride;
			sum = join<Op>(sum, number<T>::widen(*(const T *)from));
		}
		if (Op == ncclAvg)
			sum = sum / (Wide)r.parts;
		((T *)r.to)[i] = number<T>::narrow(sum);
	}
}

template <class T> static __global__ void reduce(const nccl_reduction r)
{
	size_t thread = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
	size_t threads = (size_t)gridDim.x * blockDim.x;

	switch (r.op) {
	case ncclSum:
		return reduce_all<ncclSum, T>(r, thread, threads);
	case ncclProd:
		return reduce_all<ncclProd, T>(r, thread, threads);
	case ncclMax:
		return reduce_all<ncclMax, T>(r, thread, threads);
	case ncclMin:
		return reduce_all<ncclMin, T>(r, thread, threads);
	default:
		return reduce_all<ncclAvg, T>(r, thread, threads);
	}
}

/* A product is rounded to the type, as what ranks send is of it. */
template <class T>
static __global__ void scale(T *to, const T *from, size_t count, uint64_t value, const T *at)
{
	size_t threads = (size_t)gridDim.x * blockDim.x;
	T factor = at ? *at : *(const T *)&value;

	for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count; i += threads)
		to[i] = number<T>::narrow(
			times(number<T>::widen(from[i]), number<T>::widen(factor)));
}

inline unsigned int blocks_for(size_t count)
{
	size_t blocks = (count + THREADS - 1) / THREADS;

	return blocks > BLOCKS_MAX ? (unsigned int)BLOCKS_MAX : (unsigned int)blocks;
}

template <class T> static cudaError_t launch_reduce(cudaStream_t stream, const nccl_reduction &r)
{
	reduce<T><<<blocks_for(r.count), THREADS, 0, stream>>>(r);
	return cudaGetLastError();
}

template <class T>
static cudaError_t launch_scale(cudaStream_t stream, void *to, const void *from, size_t count,
				const nccl_made_op &factor)
{
	scale<T><<<blocks_for(count), THREADS, 0, stream>>>((T *)to, (const T *)from, count,
							    factor.value, (const T *)factor.at);
	return cudaGetLastError();
}

/* Those of a file each, which are compiled for the device together */
cudaError_t reduce_integers(cudaStream_t stream, ncclDataType_t type, const nccl_reduction &r);
cudaError_t reduce_floats(cudaStream_t stream, ncclDataType_t type, const nccl_reduction &r);
cudaError_t reduce_small(cudaStream_t stream, ncclDataType_t type, const nccl_reduction &r);
cudaError_t scale_integers(cudaStream_t stream, ncclDataType_t type, void *to, const void *from,
			   size_t count, const nccl_made_op &factor);
cudaError_t scale_floats(cudaStream_t stream, ncclDataType_t type, void *to, const void *from,
			 size_t count, const nccl_made_op &factor);
cudaError_t scale_small(cudaStream_t stream, ncclDataType_t type, void *to, const void *from,
			size_t count, const nccl_made_op &factor);

#define NCCL_KIND(kind, CASES)                                                               \
	namespace nccl                                                                       \
	{                                                                                    \
	cudaError_t reduce_##kind(cudaStream_t stream, ncclDataType_t type,                  \
				  const nccl_reduction &r)                                   \
	{                                                                                    \
		switch (type) {                                                              \
			CASES(NCCL_REDUCE_CASE)                                              \
		default:                                                                     \
			return cudaErrorInvalidValue;                                        \
		}                                                                            \
	}                                                                                    \
	cudaError_t scale_##kind(cudaStream_t stream, ncclDataType_t type, void *to,         \
				 const void *from, size_t count, const nccl_made_op &factor) \
	{                                                                                    \
		switch (type) {                                                              \
			CASES(NCCL_SCALE_CASE)                                               \
		default:                                                                     \
			return cudaErrorInvalidValue;                                        \
		}                                                                            \
	}                                                                                    \
	}
#define NCCL_REDUCE_CASE(type, T) \
	case type:                \
		return launch_reduce<T>(stream, r);
#define NCCL_SCALE_CASE(type, T) \
	case type:               \
		return launch_scale<T>(stream, to, from, count, factor);

} // namespace nccl

#endif

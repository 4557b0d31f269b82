/* SPDX-License-Identifier: MIT */
/*
 * Arrays of the caller's as kernels read and write them: numbers of 32 or 64 bits, values of any
 * type. What they are is known when the kernel runs, so that a kernel is compiled once for each
 * type that it computes in.
 */
#ifndef CUSPARSE_ARRAYS_H
#define CUSPARSE_ARRAYS_H

#include "numbers.h"
#include "objects.h"

#include <cuda_runtime.h>
#include <string.h>

namespace sparse
{

using namespace blas;

struct index_array {
	void *at;
	bool wide;
	int base;

	__device__ __forceinline__ int64_t get(int64_t i) const
	{
		return (wide ? ((const int64_t *)at)[i] : ((const int *)at)[i]) - base;
	}
	__device__ __forceinline__ void set(int64_t i, int64_t value) const
	{
		if (wide)
			((int64_t *)at)[i] = value + base;
		else
			((int *)at)[i] = (int)(value + base);
	}
	__host__ __device__ index_array from(int64_t i) const
	{
		index_array rest = *this;

		rest.at = (char *)at + i * (wide ? 8 : 4);
		return rest;
	}
};

inline index_array indices(const void *at, cusparseIndexType_t type, int base)
{
	index_array a = {(void *)at, type == CUSPARSE_INDEX_64I, base};

	return a;
}
inline index_array indices(const int *at, int base)
{
	index_array a = {(void *)at, false, base};

	return a;
}

/* OWN: those that are computed in; else conversions from and to a type of less. */
enum value_kind { OWN, HALF, BFLOAT, BYTE, REAL, NARROW };

/* NARROW: of half as many bits */
template <class C> struct narrow {
	__device__ static __forceinline__ C get(const void *, int64_t)
	{
		return zero_of<C>();
	}
};
template <> struct narrow<double> {
	__device__ static __forceinline__ double get(const void *at, int64_t i)
	{
		return ((const float *)at)[i];
	}
};
template <> struct narrow<cuDoubleComplex> {
	__device__ static __forceinline__ cuDoubleComplex get(const void *at, int64_t i)
	{
		cuComplex a = ((const cuComplex *)at)[i];

		return pair((double)a.x, (double)a.y);
	}
};

template <class C> struct value_array {
	void *at;
	int kind;

	__device__ __forceinline__ C get(int64_t i) const
	{
		switch (kind) {
		case OWN:
			return ((const C *)at)[i];
		case HALF:
			return convert<C>(((const __half *)at)[i]);
		case BFLOAT:
			return convert<C>(((const __nv_bfloat16 *)at)[i]);
		case BYTE:
			return convert<C>(((const signed char *)at)[i]);
		case NARROW:
			return narrow<C>::get(at, i);
		default:
			return convert<C>(((const real_of<C> *)at)[i]);
		}
	}
	__device__ __forceinline__ void set(int64_t i, C value) const
	{
		switch (kind) {
		case HALF:
			((__half *)at)[i] = convert<__half>(real_part(value));
			break;
		case BFLOAT:
			((__nv_bfloat16 *)at)[i] = convert<__nv_bfloat16>(real_part(value));
			break;
		default:
			((C *)at)[i] = value;
		}
	}
};

template <class C> struct type_of;
template <> struct type_of<float> {
	static const cudaDataType value = CUDA_R_32F, real = CUDA_R_32F;
};
template <> struct type_of<double> {
	static const cudaDataType value = CUDA_R_64F, real = CUDA_R_64F;
};
template <> struct type_of<cuComplex> {
	static const cudaDataType value = CUDA_C_32F, real = CUDA_R_32F;
};
template <> struct type_of<cuDoubleComplex> {
	static const cudaDataType value = CUDA_C_64F, real = CUDA_R_64F;
};
template <> struct type_of<int> {
	static const cudaDataType value = CUDA_R_32I, real = CUDA_R_32I;
};

/* How values of TYPE are read where C is computed; -1: not at all. Real ones for complex: of A only
 */
template <class C> int kind_of(cudaDataType type)
{
	if (type == type_of<C>::value)
		return OWN;
	if (type == type_of<C>::real)
		return REAL;
	if ((type_of<C>::value == CUDA_R_64F && type == CUDA_R_32F) ||
	    (type_of<C>::value == CUDA_C_64F && type == CUDA_C_32F))
		return NARROW;
	if (type_of<C>::value == CUDA_R_32F)
		return type == CUDA_R_16F    ? HALF
		       : type == CUDA_R_16BF ? BFLOAT
		       : type == CUDA_R_8I   ? BYTE
					     : -1;
	return type_of<C>::value == CUDA_R_32I && type == CUDA_R_8I ? BYTE : -1;
}

template <class C> value_array<C> values(const void *at, cudaDataType type)
{
	value_array<C> a = {(void *)at, kind_of<C>(type)};

	return a;
}

/* The caller's scalar, of type C. */
template <class C> scalar<C> scalar_at(cusparseHandle_t handle, const void *p)
{
	scalar<C> s = {zero_of<C>(), 0, 0};

	if (handle->mode == CUSPARSE_POINTER_MODE_HOST)
		memcpy(&s.value, p,
		       sizeof(C)); // a complex number of C++ need not be aligned as CUDA's
	else
		s.at = p;
	return s;
}

template <class... P, class... A>
cusparseStatus_t launch(cusparseHandle_t handle, void (*kernel)(P...), dim3 grid, dim3 block,
			A... given)
{
	auto run = [&](P... parameters) {
		void *pointers[] = {(void *)&parameters...};

		return cudaLaunchKernel((const void *)kernel, grid, block, pointers, 0,
					handle->stream);
	};

	return sparse_status(run(given...));
}

enum { THREADS = 128 };
inline unsigned blocks_for(int64_t n)
{
	int64_t blocks = (n + THREADS - 1) / THREADS;

	return blocks < 1 ? 1 : blocks > 1 << 20 ? 1 << 20 : (unsigned)blocks;
}
/* A thread for each of n things, which come around where there are more than threads. */
#define SPARSE_EACH(i, n)                                                         \
	for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < (n); \
	     i += (int64_t)gridDim.x * blockDim.x)

/* Bytes of an array in a buffer, and where it begins: at a multiple of 256. */
inline size_t padded(size_t bytes)
{
	return (bytes + 255) & ~(size_t)255;
}
struct places {
	char *at;
	size_t used;

	template <class T> T *take(int64_t count)
	{
		T *p = (T *)(at + used);

		used += padded(count * sizeof(T));
		return p;
	}
};
/* A buffer of the caller's need not begin at such a multiple. */
enum { SLACK = 256 };
inline places places_in(void *buffer)
{
	places p = {(char *)(((uintptr_t)buffer + 255) & ~(uintptr_t)255), 0};

	return p;
}

/* Memory of the stream's while a function without a buffer is under way. */
struct temporary {
	cusparseHandle_t handle;
	void *at;

	cusparseStatus_t take(cusparseHandle_t whose, size_t bytes)
	{
		handle = whose;
		at = NULL;
		return sparse_status(cudaMallocAsync(&at, bytes ? bytes : 1, handle->stream));
	}
	cusparseStatus_t release()
	{
		return sparse_status(cudaFreeAsync(at, handle->stream));
	}
};

/* Calls the function object with a number of the type: a generic lambda is compiled for each. */
#define SPARSE_BY_TYPE(type, C, ...)                          \
	do {                                                  \
		switch (type) {                               \
		case CUDA_R_32F: {                            \
			typedef float C;                      \
			__VA_ARGS__;                          \
		} break;                                      \
		case CUDA_R_64F: {                            \
			typedef double C;                     \
			__VA_ARGS__;                          \
		} break;                                      \
		case CUDA_C_32F: {                            \
			typedef cuComplex C;                  \
			__VA_ARGS__;                          \
		} break;                                      \
		case CUDA_C_64F: {                            \
			typedef cuDoubleComplex C;            \
			__VA_ARGS__;                          \
		} break;                                      \
		default:                                      \
			return CUSPARSE_STATUS_NOT_SUPPORTED; \
		}                                             \
	} while (0)

#define SPARSE_WANT_DESCR(descr) SPARSE_WANT(live_is(descr, SPARSE_DESCR))

/* A function that programs call */
#define SPARSE_API extern "C" __attribute__((visibility("default"))) cusparseStatus_t

} // namespace sparse

#endif

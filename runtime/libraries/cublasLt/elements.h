/* SPDX-License-Identifier: MIT */
/*
 * Elements of matrices whose type and order are known when the kernel runs: where one is, what it
 * is as a number, and how a number is written.
 */
#ifndef CUBLASLT_ELEMENTS_H
#define CUBLASLT_ELEMENTS_H

#include "cublasLt.h"
#include "numbers.h"

#include <cuComplex.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

namespace lt
{

struct matrix {
	char *base;
	char *const *list; /* of a batch by pointers, else NULL */
	long long ld, stride; /* elements */
	int type, order;

	__device__ __forceinline__ char *of(int batch) const
	{
		return list ? list[batch] : base;
	}
	/* Behind of(), in elements */
	__device__ __forceinline__ long long place(long long i, long long j, int batch) const
	{
		return (list ? 0 : batch * stride) + place(i, j);
	}

      private:
	/* Of one matrix of a batch, in elements. The tiled orders have 32 columns beside each other
	 * in a strip, whose distance is ld. */
	__device__ __forceinline__ long long place(long long i, long long j) const
	{
		long long strip = j / 32 * ld, row = i % 32, column = j % 32;

		switch (order) {
		case CUBLASLT_ORDER_COL:
			return i + j * ld;
		case CUBLASLT_ORDER_ROW:
			return i * ld + j;
		case CUBLASLT_ORDER_COL32:
			return strip + i * 32 + column;
		case CUBLASLT_ORDER_COL4_4R2_8C:
			/* 8 rows: the even ones, then the odd; of each 4 rows times 4 columns twice
			 * for 8 columns */
			return strip + i / 8 * 256 + i % 2 * 128 + column / 8 * 32 +
			       column % 8 / 4 * 16 + i % 8 / 2 * 4 + column % 4;
		default:
			/* 32 rows: pairs of two, which are 8 rows from each other */
			return strip + i / 32 * 1024 +
			       ((row % 8 / 2 * 4 + row / 8) * 2 + row % 2) * 32 + column;
		}
	}
};

/* Numbers, by the type S that they are computed in */
template <class S> struct elements {
	static __device__ __noinline__ S get(const char *base, int type, long long at)
	{
		switch (type) {
		case CUDA_R_8I:
			return (S)((const signed char *)base)[at];
		case CUDA_R_8F_E4M3:
			return (S)(float)((const __nv_fp8_e4m3 *)base)[at];
		case CUDA_R_8F_E5M2:
			return (S)(float)((const __nv_fp8_e5m2 *)base)[at];
		case CUDA_R_16F:
			return (S)__half2float(((const __half *)base)[at]);
		case CUDA_R_16BF:
			return (S)__bfloat162float(((const __nv_bfloat16 *)base)[at]);
		case CUDA_R_32I:
			return (S)((const int *)base)[at];
		case CUDA_R_64F:
			return (S)((const double *)base)[at];
		default:
			return (S)((const float *)base)[at];
		}
	}

	/* To the nearest; bytes and FP8 at the ends of their range. */
	static __device__ __noinline__ void put(char *base, int type, long long at, S v)
	{
		switch (type) {
		case CUDA_R_8I: {
			float near = rintf((float)v);

			((signed char *)base)[at] = (signed char)(near < -128  ? -128
								  : near > 127 ? 127
									       : near);
			break;
		}
		case CUDA_R_8F_E4M3:
			((__nv_fp8_e4m3 *)base)[at] = __nv_fp8_e4m3((float)v);
			break;
		case CUDA_R_8F_E5M2:
			((__nv_fp8_e5m2 *)base)[at] = __nv_fp8_e5m2((float)v);
			break;
		case CUDA_R_16F:
			((__half *)base)[at] = __float2half_rn((float)v);
			break;
		case CUDA_R_16BF:
			((__nv_bfloat16 *)base)[at] = __float2bfloat16_rn((float)v);
			break;
		case CUDA_R_32I:
			((int *)base)[at] = (int)v;
			break;
		case CUDA_R_64F:
			((double *)base)[at] = (double)v;
			break;
		default:
			((float *)base)[at] = (float)v;
		}
	}
};

/* Complex numbers are elements of their own type only. */
template <class S> struct complex_elements {
	static __device__ __forceinline__ S get(const char *base, int, long long at)
	{
		return ((const S *)base)[at];
	}
	static __device__ __forceinline__ void put(char *base, int, long long at, S v)
	{
		((S *)base)[at] = v;
	}
};
template <> struct elements<cuComplex> : complex_elements<cuComplex> {
};
template <> struct elements<cuDoubleComplex> : complex_elements<cuDoubleComplex> {
};

/* alpha or beta: a number, or where they are on the device; @step: from row to row, 0: one for all
 */
template <class S> struct factor {
	S value;
	const char *at;
	int type;
	long long step, stride;

	__device__ __forceinline__ S get(long long row, long long batch) const
	{
		return at ? elements<S>::get(at, type, row * step + batch * stride) : value;
	}
};

} // namespace lt

#endif

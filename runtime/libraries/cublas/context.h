/* SPDX-License-Identifier: MIT */
/*
 * What a handle is, and what every function does first and last: look at the handle and the
 * arguments, launch. A handle has a slot of the memory for reductions, that of its stream.
 */
#ifndef CUBLAS_CONTEXT_H
#define CUBLAS_CONTEXT_H

#include "cublas_v2.h"
#include "numbers.h"
#include "tuning.h"

#include <cuda_runtime.h>

struct cublasContext {
	struct cublasContext *next;
	int device, sms;
	const struct blas::tuning *tuning;
	cudaStream_t stream;
	cublasPointerMode_t pointer_mode;
	cublasAtomicsMode_t atomics;
	cublasMath_t math;
	int sm_target;
	/* remembered: products are never made of other numbers */
	cublasEmulationStrategy_t strategy;
	cudaEmulationSpecialValuesSupport special_values;
	cudaEmulationMantissaControl mantissa;
	int most_bits, bit_offset, *bits;
	int slot; /* -1: none */
};

namespace blas
{

/* Streams with memory for reductions; for each: sums of so many blocks, and a result behind them.
 */
enum { SLOTS = 64, PARTIALS = 64, PARTIAL_BYTES = 48, SLOT_BYTES = 4096 };

/* SUCCESS, or what is wrong with the handle; the calling thread's device must be the handle's. */
cublasStatus_t check(cublasHandle_t handle, const char *function);
/* A line on stderr, once for each message. */
void say(const char *function, const char *what);
cublasStatus_t status_of(cudaError_t error);
/* The host's result: bytes from the device, when the stream has come there. */
cublasStatus_t bring(cublasHandle_t handle, void *to, const void *from, size_t bytes,
		     const char *function);

inline bool on_host(cublasHandle_t handle)
{
	return handle->pointer_mode == CUBLAS_POINTER_MODE_HOST;
}

template <class C, class S> struct scalar_kind {
	enum { value = is_complex<C>::value && !is_complex<S>::value ? SCALAR_REAL : 0 };
};
template <class C> struct scalar_kind<C, __half> {
	enum { value = SCALAR_HALF };
};
template <class C> struct scalar_kind<C, __nv_bfloat16> {
	enum { value = SCALAR_BFLOAT };
};

/* C: the type that is computed in; S: that of the caller's scalar */
template <class C, class S> scalar<C> scalar_at(cublasHandle_t handle, const S *p)
{
	scalar<C> s = {zero_of<C>(), 0, scalar_kind<C, S>::value};

	if (on_host(handle))
		s.value = convert<C>(*p);
	else
		s.at = p;
	return s;
}

/* Known to be so: a scalar on the device is not known. */
template <class C> bool known_zero(const scalar<C> &s)
{
	return !s.at && is_zero(s.value);
}
template <class C> bool known_one(const scalar<C> &s)
{
	return !s.at && is_one(s.value);
}

inline bool bad_op(cublasOperation_t op)
{
	return (unsigned)op > 3;
}
inline bool bad_fill(cublasFillMode_t uplo)
{
	return (unsigned)uplo > 1;
}
inline bool bad_side(cublasSideMode_t side)
{
	return (unsigned)side > 1;
}
inline bool bad_diag(cublasDiagType_t diag)
{
	return (unsigned)diag > 1;
}
inline int64_t at_least_one(int64_t n)
{
	return n > 1 ? n : 1;
}
inline int64_t blocks_for(int64_t n, int64_t each)
{
	return (n + each - 1) / each;
}

/* Where element 0 is: with a negative increment at the end. */
template <class T> T *first(T *x, int64_t n, int64_t inc)
{
	return inc < 0 && n > 0 ? x - (n - 1) * inc : x;
}

template <class... P, class... A>
cublasStatus_t launch(cublasHandle_t handle, void (*kernel)(P...), dim3 grid, dim3 block,
		      A... given)
{
	auto run = [&](P... parameters) {
		void *pointers[] = {(void *)&parameters...};

		return cudaLaunchKernel((const void *)kernel, grid, block, pointers, 0,
					handle->stream);
	};

	return status_of(run(given...));
}

#define BLAS_CHECK(handle)                                              \
	do {                                                            \
		cublasStatus_t status_ = blas::check(handle, __func__); \
		if (status_ != CUBLAS_STATUS_SUCCESS)                   \
			return status_;                                 \
	} while (0)
#define BLAS_TRY(call)                                \
	do {                                          \
		cublasStatus_t status_ = (call);      \
		if (status_ != CUBLAS_STATUS_SUCCESS) \
			return status_;               \
	} while (0)
#define BLAS_REFUSE_IF(wrong)                               \
	do {                                                \
		if (wrong)                                  \
			return CUBLAS_STATUS_INVALID_VALUE; \
	} while (0)

} // namespace blas

#endif

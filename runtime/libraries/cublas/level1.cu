// SPDX-License-Identifier: MIT
/* Level 1 of cuBLAS: arguments, results and launches; the kernels are in level1.h. */
#include "context.h"
#include "level1.h"

#include <pthread.h>

namespace blas
{

template <class... P, class... A>
static cublasStatus_t each(cublasHandle_t handle, void (*kernel)(int64_t, P...), int64_t n,
			   A... rest)
{
	int64_t blocks = blocks_for(n, VECTOR_THREADS);

	return launch(handle, kernel, dim3(blocks < 1024 ? blocks : 1024), dim3(VECTOR_THREADS), n,
		      rest...);
}

template <class T>
static cublasStatus_t axpy(cublasHandle_t handle, int64_t n, const T *alpha, const T *x,
			   int64_t incx, T *y, int64_t incy)
{
	BLAS_CHECK(handle);
	if (n <= 0)
		return CUBLAS_STATUS_SUCCESS;
	BLAS_REFUSE_IF(!alpha || !x || !y);
	scalar<compute_of<T>> a = scalar_at<compute_of<T>>(handle, alpha);
	if (known_zero(a))
		return CUBLAS_STATUS_SUCCESS;
	// a sum in one place: one thread after the other
	if (!incy)
		return launch(handle, axpy_kernel<T, T, compute_of<T>>, dim3(1), dim3(1), n, a,
			      first(x, n, incx), incx, y, incy);
	return each(handle, axpy_kernel<T, T, compute_of<T>>, n, a, first(x, n, incx), incx,
		    first(y, n, incy), incy);
}

template <class T, class S>
static cublasStatus_t scal(cublasHandle_t handle, int64_t n, const S *alpha, T *x, int64_t incx)
{
	BLAS_CHECK(handle);
	if (n <= 0 || incx <= 0)
		return CUBLAS_STATUS_SUCCESS;
	BLAS_REFUSE_IF(!alpha || !x);
	scalar<compute_of<S>> a = scalar_at<compute_of<S>>(handle, alpha);
	if (known_one(a))
		return CUBLAS_STATUS_SUCCESS;
	return each(handle, scal_kernel<T, compute_of<T>, compute_of<S>>, n, a, x, incx);
}

template <class T>
static cublasStatus_t copy(cublasHandle_t handle, int64_t n, const T *x, int64_t incx, T *y,
			   int64_t incy)
{
	BLAS_CHECK(handle);
	if (n <= 0)
		return CUBLAS_STATUS_SUCCESS;
	BLAS_REFUSE_IF(!x || !y);
	// of all that go to one place the last stays
	if (!incy)
		return each(handle, copy_kernel<T>, 1, first(x, n, incx) + (n - 1) * incx, incx, y,
			    incy);
	return each(handle, copy_kernel<T>, n, first(x, n, incx), incx, first(y, n, incy), incy);
}

template <class T>
static cublasStatus_t swap(cublasHandle_t handle, int64_t n, T *x, int64_t incx, T *y, int64_t incy)
{
	BLAS_CHECK(handle);
	if (n <= 0)
		return CUBLAS_STATUS_SUCCESS;
	BLAS_REFUSE_IF(!x || !y);
	if (!incx || !incy)
		return launch(handle, swap_kernel<T>, dim3(1), dim3(1), n, first(x, n, incx), incx,
			      first(y, n, incy), incy);
	return each(handle, swap_kernel<T>, n, first(x, n, incx), incx, first(y, n, incy), incy);
}

template <class T, class R, class S>
static cublasStatus_t rot(cublasHandle_t handle, int64_t n, T *x, int64_t incx, T *y, int64_t incy,
			  const R *c, const S *s)
{
	BLAS_CHECK(handle);
	if (n <= 0)
		return CUBLAS_STATUS_SUCCESS;
	BLAS_REFUSE_IF(!x || !y || !c || !s);
	auto cosine = scalar_at<compute_of<R>>(handle, c);
	auto sine = scalar_at<compute_of<S>>(handle, s);
	auto kernel = rot_kernel<T, compute_of<T>, compute_of<R>, compute_of<S>>;
	if (!incx || !incy)
		return launch(handle, kernel, dim3(1), dim3(1), n, first(x, n, incx), incx,
			      first(y, n, incy), incy, cosine, sine);
	return each(handle, kernel, n, first(x, n, incx), incx, first(y, n, incy), incy, cosine,
		    sine);
}

template <class T>
static cublasStatus_t rotm(cublasHandle_t handle, int64_t n, T *x, int64_t incx, T *y, int64_t incy,
			   const T *param)
{
	rotm_param<T> given = {};

	BLAS_CHECK(handle);
	if (n <= 0)
		return CUBLAS_STATUS_SUCCESS;
	BLAS_REFUSE_IF(!x || !y || !param);
	if (!on_host(handle)) {
		given.at = param;
	} else {
		if (param[0] == -2)
			return CUBLAS_STATUS_SUCCESS;
		// what the flag implies is not read
		for (int i = 0; i < 5; i++)
			if (i == 0 || param[0] == -1 ||
			    (param[0] == 0 ? i == 2 || i == 3 : i == 1 || i == 4))
				given.values[i] = param[i];
	}
	if (!incx || !incy)
		return launch(handle, rotm_kernel<T>, dim3(1), dim3(1), n, first(x, n, incx), incx,
			      first(y, n, incy), incy, given);
	return each(handle, rotm_kernel<T>, n, first(x, n, incx), incx, first(y, n, incy), incy,
		    given);
}

/*
 * Sums of blocks, and results on their way to the host. It belongs to the module, so it is there
 * again after cudaDeviceReset(). The last slot is for results of calls whose stream has none, one
 * at a time.
 */
__device__ char slots[SLOTS + 1][SLOT_BYTES];
static pthread_mutex_t last_slot = PTHREAD_MUTEX_INITIALIZER;

template <class Op>
static cublasStatus_t launch_sum(cublasHandle_t handle, const Op &op, int64_t n, void *partial)
{
	typedef typename Op::sum sum;
	int64_t blocks = partial ? blocks_for(n, REDUCE_EACH) : 1;

	static_assert(sizeof(sum) <= PARTIAL_BYTES, "a slot holds so much for each block");
	if (blocks > PARTIALS)
		blocks = PARTIALS;
	BLAS_TRY(launch(handle, reduce_kernel<Op>, dim3(blocks), dim3(REDUCE_THREADS), op, n,
			(sum *)partial));
	if (blocks == 1)
		return CUBLAS_STATUS_SUCCESS;
	return launch(handle, reduce_kernel<Op>, dim3(1), dim3(REDUCE_THREADS), op, -blocks,
		      (sum *)partial);
}

// The result goes to the caller's place on the device, or to one of ours that is brought
// afterwards.
template <class Op, class R>
static cublasStatus_t reduce(cublasHandle_t handle, Op op, int64_t n, R *result,
			     const char *function)
{
	bool last = handle->slot < 0 && on_host(handle);
	char *base;

	BLAS_TRY(status_of(cudaGetSymbolAddress((void **)&base, slots)));
	char *slot = handle->slot < 0 ? NULL : base + (int64_t)handle->slot * SLOT_BYTES;
	char *own = last ? base + (int64_t)SLOTS * SLOT_BYTES : slot;
	op.result = on_host(handle) ? (R *)(own + PARTIALS * PARTIAL_BYTES) : result;
	if (last)
		pthread_mutex_lock(&last_slot);
	cublasStatus_t status = launch_sum(handle, op, n, slot);
	if (status == CUBLAS_STATUS_SUCCESS && on_host(handle))
		status = bring(handle, result, op.result, sizeof(R), function);
	if (last)
		pthread_mutex_unlock(&last_slot);
	return status;
}

// A result that needs no elements. 0 is all zero bytes in every type there is.
template <class R> static cublasStatus_t nothing(cublasHandle_t handle, R *result)
{
	BLAS_REFUSE_IF(!result);
	if (!on_host(handle))
		return status_of(cudaMemsetAsync(result, 0, sizeof(R), handle->stream));
	memset((void *)result, 0, sizeof(R));
	return CUBLAS_STATUS_SUCCESS;
}

template <class T, class R>
static cublasStatus_t dot(cublasHandle_t handle, int64_t n, const T *x, int64_t incx, const T *y,
			  int64_t incy, R *result, bool conj, const char *function)
{
	BLAS_TRY(check(handle, function));
	if (n <= 0)
		return nothing(handle, result);
	BLAS_REFUSE_IF(!x || !y || !result);
	dot_op<T, R> op = {first(x, n, incx), incx, first(y, n, incy), incy, conj, NULL};
	return reduce(handle, op, n, result, function);
}

template <class T, class R>
static cublasStatus_t dotu(cublasHandle_t handle, int64_t n, const T *x, int64_t incx, const T *y,
			   int64_t incy, R *result)
{
	return dot(handle, n, x, incx, y, incy, result, false, "cublasDot");
}

template <class T, class R>
static cublasStatus_t dotc(cublasHandle_t handle, int64_t n, const T *x, int64_t incx, const T *y,
			   int64_t incy, R *result)
{
	return dot(handle, n, x, incx, y, incy, result, is_complex<T>::value, "cublasDotc");
}

template <class T, class R>
static cublasStatus_t nrm2(cublasHandle_t handle, int64_t n, const T *x, int64_t incx, R *result)
{
	BLAS_CHECK(handle);
	if (n <= 0 || incx <= 0)
		return nothing(handle, result);
	BLAS_REFUSE_IF(!x || !result);
	nrm2_op<T, R> op = {x, incx, NULL};
	return reduce(handle, op, n, result, "cublasNrm2");
}

template <class T, class R>
static cublasStatus_t asum(cublasHandle_t handle, int64_t n, const T *x, int64_t incx, R *result)
{
	BLAS_CHECK(handle);
	if (n <= 0 || incx <= 0)
		return nothing(handle, result);
	BLAS_REFUSE_IF(!x || !result);
	asum_op<T, R> op = {x, incx, NULL};
	return reduce(handle, op, n, result, "cublasAsum");
}

template <class T, class I>
static cublasStatus_t extreme(cublasHandle_t handle, int64_t n, const T *x, int64_t incx, I *result,
			      bool least, const char *function)
{
	BLAS_TRY(check(handle, function));
	if (n <= 0 || incx <= 0)
		return nothing(handle, result);
	BLAS_REFUSE_IF(!x || !result);
	extreme_op<T, I> op = {x, incx, least, NULL};
	return reduce(handle, op, n, result, function);
}

template <class T, class I>
static cublasStatus_t iamax(cublasHandle_t handle, int64_t n, const T *x, int64_t incx, I *result)
{
	return extreme(handle, n, x, incx, result, false, "cublasIamax");
}

template <class T, class I>
static cublasStatus_t iamin(cublasHandle_t handle, int64_t n, const T *x, int64_t incx, I *result)
{
	return extreme(handle, n, x, incx, result, true, "cublasIamin");
}

} // namespace blas

#define BLAS_LIST "cublas_level1.h"
#include "entries.h"
#include "level1_types.h"
#define BLAS_LIST "cublas_vectors_ex.h"
#include "entries.h"

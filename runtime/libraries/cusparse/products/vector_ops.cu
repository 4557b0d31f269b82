// SPDX-License-Identifier: MIT
/* Sparse vectors with dense ones. */
#include "products.h"

namespace sparse
{

enum : unsigned { ADDERS = 256 };

template <class C> static __global__ void scale_kernel(int64_t n, value_array<C> y, scalar<C> beta)
{
	C by = beta.get();

	SPARSE_EACH(i, n)
	y.set(i, is_zero(by) ? zero_of<C>() : times(by, y.get(i)));
}

template <class C>
static __global__ void add_kernel(int64_t n, index_array at, value_array<C> x, value_array<C> y,
				  scalar<C> alpha)
{
	C by = alpha.get();

	if (is_zero(by))
		return;
	SPARSE_EACH(i, n)
	y.set(at.get(i), add_product(y.get(at.get(i)), by, x.get(i)));
}

// clear: y has zeros then where it was read
template <class C>
static __global__ void gather_kernel(int64_t n, index_array at, value_array<C> x, value_array<C> y,
				     bool clear)
{
	SPARSE_EACH(i, n)
	{
		x.set(i, y.get(at.get(i)));
		if (clear)
			y.set(at.get(i), zero_of<C>());
	}
}

template <class C>
static __global__ void scatter_kernel(int64_t n, index_array at, value_array<C> x, value_array<C> y)
{
	SPARSE_EACH(i, n)
	y.set(at.get(i), x.get(i));
}

template <class C>
static __global__ void rot_kernel(int64_t n, index_array at, value_array<C> x, value_array<C> y,
				  scalar<C> c, scalar<C> s)
{
	C cosine = c.get(), sine = s.get();

	SPARSE_EACH(i, n)
	{
		C a = x.get(i), b = y.get(at.get(i));

		x.set(i, add_product(times(cosine, a), sine, b));
		y.set(at.get(i), minus(times(cosine, b), times(sine, a)));
	}
}

// One block, in an order that the number of entries decides
template <class C>
static __global__ void dot_kernel(int64_t n, index_array at, value_array<C> x, value_array<C> y,
				  bool conjugate, C *result)
{
	__shared__ C sums[ADDERS];
	C sum = zero_of<C>();

	for (int64_t i = threadIdx.x; i < n; i += ADDERS)
		sum = add_product(sum, conjugate_if(x.get(i), conjugate), y.get(at.get(i)));
	sums[threadIdx.x] = sum;
	for (unsigned by = ADDERS / 2; by; by /= 2) {
		__syncthreads();
		if (threadIdx.x < by)
			sums[threadIdx.x] = plus(sums[threadIdx.x], sums[threadIdx.x + by]);
	}
	if (!threadIdx.x)
		*result = sums[0];
}

// A thread for each element of y
template <class C>
static __global__ void gemvi_kernel(int64_t rows, int nnz, scalar<C> alpha, dense<C> a, const C *x,
				    index_array at, scalar<C> beta, C *y)
{
	C by = alpha.get(), old = beta.get();

	SPARSE_EACH(i, rows)
	{
		C sum = zero_of<C>();

		for (int k = 0; k < nnz && !is_zero(by); k++)
			sum = add_product(sum, a.get(i, at.get(k), 0), x[k]);
		sum = times(by, sum);
		y[i] = is_zero(old) ? sum : add_product(sum, old, y[i]);
	}
}

// Types of 16 bits are computed in floats.
template <class F> static cusparseStatus_t by_type(cudaDataType type, F f)
{
	return by_compute(type == CUDA_R_16F || type == CUDA_R_16BF ? CUDA_R_32F : type, f);
}

static cusparseStatus_t check(cusparseHandle_t handle, const cusparseSpVecDescr *x,
			      const cusparseDnVecDescr *y, const char *function)
{
	SPARSE_TRY(sparse_check(handle, function));
	SPARSE_WANT(live_is(x, SPARSE_SPVEC) && live_is(y, SPARSE_DNVEC));
	SPARSE_WANT(x->size == y->size && x->type == y->type);
	return CUSPARSE_STATUS_SUCCESS;
}

template <class T>
static cusparseStatus_t check(cusparseHandle_t handle, int nnz, const T *x, const int *at,
			      const T *y, cusparseIndexBase_t base, const char *function)
{
	SPARSE_TRY(sparse_check(handle, function));
	SPARSE_WANT(nnz >= 0 && (unsigned)base <= 1 && (!nnz || (x && at && y)));
	return CUSPARSE_STATUS_SUCCESS;
}

// A result for the host: in a captured stream, each time that the graph is launched
static cusparseStatus_t give(cusparseHandle_t handle, void *to, const void *from, size_t bytes)
{
	enum cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;

	if (cudaStreamIsCapturing(handle->stream, &capture) != cudaSuccess)
		return CUSPARSE_STATUS_EXECUTION_FAILED;
	if (capture == cudaStreamCaptureStatusNone)
		return sparse_bring(handle, to, from, bytes, "cusparseSpVV");
	return sparse_status(
		cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, handle->stream));
}

static index_array indices(const cusparseSpVecDescr *x)
{
	return indices(x->indices, x->index_type, x->base);
}
template <class C> static value_array<C> own(const C *p)
{
	return values<C>(p, type_of<C>::value);
}

} // namespace sparse

using namespace sparse;

// A kernel for the n entries of a vector
#define EACH(n, kernel, ...)                                                            \
	((n) ? launch(handle, kernel, dim3(blocks_for(n)), dim3(THREADS), (int64_t)(n), \
		      __VA_ARGS__)                                                      \
	     : CUSPARSE_STATUS_SUCCESS)

SPARSE_API cusparseAxpby(cusparseHandle_t handle, const void *alpha, cusparseConstSpVecDescr_t x,
			 const void *beta, cusparseDnVecDescr_t y)
{
	SPARSE_TRY(check(handle, x, y, __func__));
	SPARSE_WANT(alpha && beta);
	return by_type(x->type, [&](auto c) {
		typedef decltype(c) C;
		scalar<C> old = scalar_at<C>(handle, beta);
		value_array<C> vy = values<C>(y->values, y->type);

		if (old.at || !is_one(old.value))
			SPARSE_TRY(EACH(y->size, scale_kernel<C>, vy, old));
		return EACH(x->nnz, add_kernel<C>, indices(x), values<C>(x->values, x->type), vy,
			    scalar_at<C>(handle, alpha));
	});
}

SPARSE_API cusparseGather(cusparseHandle_t handle, cusparseConstDnVecDescr_t y,
			  cusparseSpVecDescr_t x)
{
	SPARSE_TRY(check(handle, x, y, __func__));
	return by_type(x->type, [&](auto c) {
		typedef decltype(c) C;

		return EACH(x->nnz, gather_kernel<C>, indices(x), values<C>(x->values, x->type),
			    values<C>(y->values, y->type), false);
	});
}

SPARSE_API cusparseScatter(cusparseHandle_t handle, cusparseConstSpVecDescr_t x,
			   cusparseDnVecDescr_t y)
{
	SPARSE_TRY(check(handle, x, y, __func__));
	return by_type(x->type, [&](auto c) {
		typedef decltype(c) C;

		return EACH(x->nnz, scatter_kernel<C>, indices(x), values<C>(x->values, x->type),
			    values<C>(y->values, y->type));
	});
}

SPARSE_API cusparseRot(cusparseHandle_t handle, const void *c, const void *s,
		       cusparseSpVecDescr_t x, cusparseDnVecDescr_t y)
{
	SPARSE_TRY(check(handle, x, y, __func__));
	SPARSE_WANT(c && s);
	return by_type(x->type, [&](auto v) {
		typedef decltype(v) C;

		return EACH(x->nnz, rot_kernel<C>, indices(x), values<C>(x->values, x->type),
			    values<C>(y->values, y->type), scalar_at<C>(handle, c),
			    scalar_at<C>(handle, s));
	});
}

SPARSE_API cusparseSpVV_bufferSize(cusparseHandle_t handle, cusparseOperation_t op,
				   cusparseConstSpVecDescr_t x, cusparseConstDnVecDescr_t y,
				   const void *, cudaDataType, size_t *bytes)
{
	SPARSE_TRY(check(handle, x, y, __func__));
	SPARSE_WANT(bytes && good_op(op));
	*bytes = SLACK + padded(sizeof(cuDoubleComplex));
	return CUSPARSE_STATUS_SUCCESS;
}

SPARSE_API cusparseSpVV(cusparseHandle_t handle, cusparseOperation_t op,
			cusparseConstSpVecDescr_t x, cusparseConstDnVecDescr_t y, void *result,
			cudaDataType compute, void *buffer)
{
	SPARSE_TRY(check(handle, x, y, __func__));
	SPARSE_WANT(good_op(op) && result);
	return by_compute(compute, [&](auto c) {
		typedef decltype(c) C;
		bool on_host = handle->mode == CUSPARSE_POINTER_MODE_HOST;
		C *to = on_host ? (C *)places_in(buffer).at : (C *)result;

		if (!good_types<C>(x->type, y->type, type_of<C>::value))
			return CUSPARSE_STATUS_NOT_SUPPORTED;
		SPARSE_WANT(buffer || !on_host);
		SPARSE_TRY(launch(handle, dot_kernel<C>, dim3(1), dim3(ADDERS), x->nnz, indices(x),
				  values<C>(x->values, x->type), values<C>(y->values, y->type),
				  op == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE, to));
		return on_host ? give(handle, result, to, sizeof(C)) : CUSPARSE_STATUS_SUCCESS;
	});
}

#define VECTORS(X, T)                                                                              \
	SPARSE_API cusparse##X##axpyi(cusparseHandle_t handle, int nnz, const T *alpha,            \
				      const T *x, const int *at, T *y, cusparseIndexBase_t base)   \
	{                                                                                          \
		SPARSE_TRY(check(handle, nnz, x, at, (const T *)y, base, __func__));               \
		SPARSE_WANT(alpha);                                                                \
		return EACH(nnz, add_kernel<T>, indices(at, base), own(x), own(y),                 \
			    scalar_at<T>(handle, alpha));                                          \
	}                                                                                          \
	SPARSE_API cusparse##X##gthr(cusparseHandle_t handle, int nnz, const T *y, T *x,           \
				     const int *at, cusparseIndexBase_t base)                      \
	{                                                                                          \
		SPARSE_TRY(check(handle, nnz, (const T *)x, at, y, base, __func__));               \
		return EACH(nnz, gather_kernel<T>, indices(at, base), own(x), own(y), false);      \
	}                                                                                          \
	SPARSE_API cusparse##X##gthrz(cusparseHandle_t handle, int nnz, T *y, T *x, const int *at, \
				      cusparseIndexBase_t base)                                    \
	{                                                                                          \
		SPARSE_TRY(check(handle, nnz, (const T *)x, at, (const T *)y, base, __func__));    \
		return EACH(nnz, gather_kernel<T>, indices(at, base), own(x), own(y), true);       \
	}                                                                                          \
	SPARSE_API cusparse##X##sctr(cusparseHandle_t handle, int nnz, const T *x, const int *at,  \
				     T *y, cusparseIndexBase_t base)                               \
	{                                                                                          \
		SPARSE_TRY(check(handle, nnz, x, at, (const T *)y, base, __func__));               \
		return EACH(nnz, scatter_kernel<T>, indices(at, base), own(x), own(y));            \
	}                                                                                          \
	SPARSE_API cusparse##X##gemvi_bufferSize(cusparseHandle_t handle, cusparseOperation_t op,  \
						 int m, int n, int nnz, int *bytes)                \
	{                                                                                          \
		SPARSE_CHECK(handle);                                                              \
		SPARSE_WANT(good_op(op) && m >= 0 && n >= 0 && nnz >= 0 && bytes);                 \
		*bytes = 0;                                                                        \
		return CUSPARSE_STATUS_SUCCESS;                                                    \
	}                                                                                          \
	SPARSE_API cusparse##X##gemvi(cusparseHandle_t handle, cusparseOperation_t op, int m,      \
				      int n, const T *alpha, const T *a, int lda, int nnz,         \
				      const T *x, const int *at, const T *beta, T *y,              \
				      cusparseIndexBase_t base, void *)                            \
	{                                                                                          \
		int rows = op ? n : m;                                                             \
		dense<T> d = {own(a), op ? lda : 1, op ? 1 : lda, 0,                               \
			      op == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE};                       \
                                                                                                   \
		SPARSE_TRY(check(handle, nnz, x, at, (const T *)y, base, __func__));               \
		SPARSE_WANT(good_op(op) && m >= 0 && n >= 0 && lda >= m && alpha && beta);         \
		if (!rows)                                                                         \
			return CUSPARSE_STATUS_SUCCESS;                                            \
		SPARSE_WANT(y && (a || !nnz));                                                     \
		return launch(handle, gemvi_kernel<T>, dim3(blocks_for(rows)), dim3(THREADS),      \
			      rows, nnz, scalar_at<T>(handle, alpha), d, x, indices(at, base),     \
			      scalar_at<T>(handle, beta), y);                                      \
	}
VECTORS(S, float)
VECTORS(D, double)
VECTORS(C, cuComplex)
VECTORS(Z, cuDoubleComplex)

#define ROTATION(X, T)                                                                            \
	SPARSE_API cusparse##X##roti(cusparseHandle_t handle, int nnz, T *x, const int *at, T *y, \
				     const T *c, const T *s, cusparseIndexBase_t base)            \
	{                                                                                         \
		SPARSE_TRY(check(handle, nnz, (const T *)x, at, (const T *)y, base, __func__));   \
		SPARSE_WANT(c &&s);                                                               \
		return EACH(nnz, rot_kernel<T>, indices(at, base), own(x), own(y),                \
			    scalar_at<T>(handle, c), scalar_at<T>(handle, s));                    \
	}
ROTATION(S, float)
ROTATION(D, double)

// SPDX-License-Identifier: MIT
/* Products of a general matrix and a vector, many at once. */
#include "context.h"
#include "level2.h"

namespace blas
{

// Where problem i of a batch has an operand: in a list, or a stride further each.
template <class T> struct place_in_batch {
	T *base;
	T *const *list;
	int64_t stride;

	__device__ T *of(int64_t i) const
	{
		return list ? list[i] : base + i * stride;
	}
};

// As mv_kernel, with inc of either sign, since where a vector begins is known here only.
template <class T, class Y, class S>
__global__ void gemv_batched_kernel(int64_t rows, int64_t cols, scalar<S> alpha,
				    place_in_batch<const T> a, int64_t down, int64_t across,
				    bool conj, place_in_batch<const T> x, int64_t incx,
				    scalar<S> beta, place_in_batch<Y> y, int64_t incy,
				    int64_t count, int lanes)
{
	int64_t thread = (int64_t)blockIdx.x * blockDim.x + threadIdx.x, i = thread / lanes;
	S by = alpha.get(), old = beta.get();

	if (i >= rows)
		return;
	for (int64_t batch = blockIdx.y; batch < count; batch += gridDim.y) {
		S sum = zero_of<S>();

		if (!is_zero(by)) {
			const T *pa = a.of(batch),
				*px = x.of(batch) - (incx < 0 ? (cols - 1) * incx : 0);

			for (int64_t j = thread % lanes; j < cols; j += lanes)
				sum = add_product(
					sum,
					conjugate_if(convert<S>(pa[i * down + j * across]), conj),
					convert<S>(px[j * incx]));
		}
		if (lanes > 1)
			sum = warp_sum(sum);
		if (thread % lanes)
			continue;
		Y *at = y.of(batch) - (incy < 0 ? (rows - 1) * incy : 0) + i * incy;
		sum = times(by, sum);
		*at = convert<Y>(is_zero(old) ? sum : add_product(sum, old, convert<S>(*at)));
	}
}

template <class T, class Y, class S>
static cublasStatus_t batch(cublasHandle_t handle, cublasOperation_t trans, int64_t m, int64_t n,
			    const S *alpha, place_in_batch<const T> a, int64_t lda,
			    place_in_batch<const T> x, int64_t incx, const S *beta,
			    place_in_batch<Y> y, int64_t incy, int64_t count)
{
	bool turned = trans == CUBLAS_OP_T || trans == CUBLAS_OP_C;
	int64_t rows = turned ? n : m, cols = turned ? m : n;
	int lanes = turned ? 32 : 1;

	BLAS_CHECK(handle);
	BLAS_REFUSE_IF(bad_op(trans) || m < 0 || n < 0 || count < 0 || lda < at_least_one(m) ||
		       !incx || !incy);
	if (!m || !n || !count)
		return CUBLAS_STATUS_SUCCESS;
	BLAS_REFUSE_IF(!alpha || !beta);
	scalar<S> by = scalar_at<S>(handle, alpha), old = scalar_at<S>(handle, beta);
	if (known_zero(by) && known_one(old))
		return CUBLAS_STATUS_SUCCESS;
	BLAS_REFUSE_IF((!y.base && !y.list) ||
		       (!known_zero(by) && ((!a.base && !a.list) || (!x.base && !x.list))));
	return launch(handle, gemv_batched_kernel<T, Y, S>,
		      dim3(blocks_for(rows * lanes, ROW_THREADS), count < 65535 ? count : 65535),
		      dim3(ROW_THREADS), rows, cols, by, a, turned ? lda : 1, turned ? 1 : lda,
		      is_complex<T>::value && (trans == CUBLAS_OP_C || trans == CUBLAS_OP_CONJG), x,
		      incx, old, y, incy, count, lanes);
}

template <class T, class Y, class S>
static cublasStatus_t gemv_batched(cublasHandle_t handle, cublasOperation_t trans, int64_t m,
				   int64_t n, const S *alpha, const T *const *a, int64_t lda,
				   const T *const *x, int64_t incx, const S *beta, Y *const *y,
				   int64_t incy, int64_t count)
{
	place_in_batch<const T> pa = {NULL, a, 0}, px = {NULL, x, 0};
	place_in_batch<Y> py = {NULL, y, 0};

	return batch(handle, trans, m, n, alpha, pa, lda, px, incx, beta, py, incy, count);
}

template <class T, class Y, class S>
static cublasStatus_t
gemv_strided(cublasHandle_t handle, cublasOperation_t trans, int64_t m, int64_t n, const S *alpha,
	     const T *a, int64_t lda, int64_t stridea, const T *x, int64_t incx, int64_t stridex,
	     const S *beta, Y *y, int64_t incy, int64_t stridey, int64_t count)
{
	place_in_batch<const T> pa = {a, NULL, stridea}, px = {x, NULL, stridex};
	place_in_batch<Y> py = {y, NULL, stridey};

	return batch(handle, trans, m, n, alpha, pa, lda, px, incx, beta, py, incy, count);
}

} // namespace blas

#define BLAS_LIST "cublas_batched_vectors.h"
#include "entries.h"

/* SPDX-License-Identifier: MIT */
/* Sums of matrices, and products with a diagonal one. */
#ifndef CUBLAS_LEVEL3_MORE_H
#define CUBLAS_LEVEL3_MORE_H

namespace blas
{

enum { PLANE_X = 32, PLANE_Y = 8 };

/* C = alpha A + beta B of two views; what a zero multiplies is not read */
template <class T>
__global__ void geam_kernel(int64_t m, int64_t n, scalar<T> alpha, operand<T> a, scalar<T> beta,
			    operand<T> b, T *c, int64_t ldc)
{
	T x = alpha.get(), y = beta.get();
	int64_t i = (int64_t)blockIdx.x * PLANE_X + threadIdx.x;

	for (int64_t j = (int64_t)blockIdx.y * PLANE_Y + threadIdx.y; i < m && j < n;
	     j += (int64_t)gridDim.y * PLANE_Y) {
		T sum = is_zero(x) ? zero_of<T>() : times(x, element<T, T>(a, a.base, i, j));

		c[i + j * ldc] =
			is_zero(y) ? sum : add_product(sum, y, element<T, T>(b, b.base, i, j));
	}
}

/* C = A diag(x) or, by rows, diag(x) A */
template <class T>
__global__ void dgmm_kernel(int64_t m, int64_t n, bool by_rows, const T *a, int64_t lda, const T *x,
			    int64_t incx, T *c, int64_t ldc)
{
	int64_t i = (int64_t)blockIdx.x * PLANE_X + threadIdx.x;

	for (int64_t j = (int64_t)blockIdx.y * PLANE_Y + threadIdx.y; i < m && j < n;
	     j += (int64_t)gridDim.y * PLANE_Y)
		c[i + j * ldc] = times(a[i + j * lda], x[(by_rows ? i : j) * incx]);
}

static inline dim3 plane(int64_t m, int64_t n)
{
	int64_t across = blocks_for(n, PLANE_Y);

	return dim3(blocks_for(m, PLANE_X), across < 65535 ? across : 65535);
}

template <class T>
static cublasStatus_t geam(cublasHandle_t handle, cublasOperation_t transa,
			   cublasOperation_t transb, int64_t m, int64_t n, const T *alpha,
			   const T *a, int64_t lda, const T *beta, const T *b, int64_t ldb, T *c,
			   int64_t ldc)
{
	bool turna = transa == CUBLAS_OP_T || transa == CUBLAS_OP_C;
	bool turnb = transb == CUBLAS_OP_T || transb == CUBLAS_OP_C;

	BLAS_CHECK(handle);
	BLAS_REFUSE_IF(bad_op(transa) || bad_op(transb) || m < 0 || n < 0 ||
		       lda < at_least_one(turna ? n : m) || ldb < at_least_one(turnb ? n : m) ||
		       ldc < at_least_one(m));
	if (!m || !n)
		return CUBLAS_STATUS_SUCCESS;
	BLAS_REFUSE_IF(!alpha || !beta || !c);
	scalar<T> x = scalar_at<T>(handle, alpha), y = scalar_at<T>(handle, beta);
	BLAS_REFUSE_IF((!a && !known_zero(x)) || (!b && !known_zero(y)));
	// in place each element must lie where its own result goes
	BLAS_REFUSE_IF(a == c && !known_zero(x) && (turna || lda != ldc));
	BLAS_REFUSE_IF(b == c && !known_zero(y) && (turnb || ldb != ldc));
	return launch(handle, geam_kernel<T>, plane(m, n), dim3(PLANE_X, PLANE_Y), m, n, x,
		      view(a, lda, transa), y, view(b, ldb, transb), c, ldc);
}

template <class T>
static cublasStatus_t dgmm(cublasHandle_t handle, cublasSideMode_t side, int64_t m, int64_t n,
			   const T *a, int64_t lda, const T *x, int64_t incx, T *c, int64_t ldc)
{
	int64_t size = side == CUBLAS_SIDE_LEFT ? m : n;

	BLAS_CHECK(handle);
	BLAS_REFUSE_IF(bad_side(side) || m < 0 || n < 0 || lda < at_least_one(m) ||
		       ldc < at_least_one(m));
	if (!m || !n)
		return CUBLAS_STATUS_SUCCESS;
	BLAS_REFUSE_IF(!a || !x || !c);
	return launch(handle, dgmm_kernel<T>, plane(m, n), dim3(PLANE_X, PLANE_Y), m, n,
		      side == CUBLAS_SIDE_LEFT, a, lda, first(x, size, incx), incx, c, ldc);
}

} // namespace blas

#endif

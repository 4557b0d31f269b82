// SPDX-License-Identifier: MIT
/* Vectors and matrices between host and device: copies of the runtime, with increments as pitches.
 */
#include "context.h"

namespace blas
{

static cublasStatus_t copied(cudaError_t error)
{
	switch (error) {
	case cudaSuccess:
		return CUBLAS_STATUS_SUCCESS;
	case cudaErrorInvalidPitchValue:
		return CUBLAS_STATUS_INVALID_VALUE;
	default:
		return CUBLAS_STATUS_MAPPING_ERROR;
	}
}

// `wait`: the stream is not the caller's, and the copy has ended when the call returns.
static cublasStatus_t rows_of(int64_t rows, int64_t cols, int64_t size, const void *a, int64_t lda,
			      void *b, int64_t ldb, cudaStream_t stream, bool wait)
{
	if (!rows || !cols)
		return CUBLAS_STATUS_SUCCESS;
	BLAS_REFUSE_IF(!a || !b);
	if ((lda == rows && ldb == rows) || cols == 1) {
		size_t bytes = (size_t)rows * cols * size;

		return copied(wait ? cudaMemcpy(b, a, bytes, cudaMemcpyDefault)
				   : cudaMemcpyAsync(b, a, bytes, cudaMemcpyDefault, stream));
	}
	return copied(wait ? cudaMemcpy2D(b, ldb * size, a, lda * size, rows * size, cols,
					  cudaMemcpyDefault)
			   : cudaMemcpy2DAsync(b, ldb * size, a, lda * size, rows * size, cols,
					       cudaMemcpyDefault, stream));
}

static cublasStatus_t vector(int64_t n, int64_t size, const void *x, int64_t incx, void *y,
			     int64_t incy, cudaStream_t stream, bool wait)
{
	BLAS_REFUSE_IF(n < 0 || size <= 0 || incx <= 0 || incy <= 0);
	if (incx == 1 && incy == 1)
		return rows_of(n, 1, size, x, n, y, n, stream, wait);
	return rows_of(1, n, size, x, incx, y, incy, stream, wait);
}

static cublasStatus_t matrix(int64_t rows, int64_t cols, int64_t size, const void *a, int64_t lda,
			     void *b, int64_t ldb, cudaStream_t stream, bool wait)
{
	BLAS_REFUSE_IF(rows < 0 || cols < 0 || size <= 0 || lda < at_least_one(rows) ||
		       ldb < at_least_one(rows));
	return rows_of(rows, cols, size, a, lda, b, ldb, stream, wait);
}

static cublasStatus_t copy_vector(int64_t n, int64_t size, const void *x, int64_t incx, void *y,
				  int64_t incy)
{
	return vector(n, size, x, incx, y, incy, NULL, true);
}

static cublasStatus_t copy_vector_async(int64_t n, int64_t size, const void *x, int64_t incx,
					void *y, int64_t incy, cudaStream_t stream)
{
	return vector(n, size, x, incx, y, incy, stream, false);
}

static cublasStatus_t copy_matrix(int64_t rows, int64_t cols, int64_t size, const void *a,
				  int64_t lda, void *b, int64_t ldb)
{
	return matrix(rows, cols, size, a, lda, b, ldb, NULL, true);
}

static cublasStatus_t copy_matrix_async(int64_t rows, int64_t cols, int64_t size, const void *a,
					int64_t lda, void *b, int64_t ldb, cudaStream_t stream)
{
	return matrix(rows, cols, size, a, lda, b, ldb, stream, false);
}

} // namespace blas

#define BLAS_LIST "cublas_copies.h"
#include "entries.h"

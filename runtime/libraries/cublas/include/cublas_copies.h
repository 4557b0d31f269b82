/* SPDX-License-Identifier: MIT */
/* Copies of vectors and matrices between host and device; see cublas_api.h. No guard. */
CUBLAS_CALL(SetVector, (CUBLAS_INT n, CUBLAS_INT size, const void *x, CUBLAS_INT incx, void *y,
	CUBLAS_INT incy), copy_vector, (n, size, x, incx, y, incy))
CUBLAS_CALL(GetVector, (CUBLAS_INT n, CUBLAS_INT size, const void *x, CUBLAS_INT incx, void *y,
	CUBLAS_INT incy), copy_vector, (n, size, x, incx, y, incy))
CUBLAS_CALL(SetMatrix, (CUBLAS_INT rows, CUBLAS_INT cols, CUBLAS_INT size, const void *a,
	CUBLAS_INT lda, void *b, CUBLAS_INT ldb), copy_matrix, (rows, cols, size, a, lda, b, ldb))
CUBLAS_CALL(GetMatrix, (CUBLAS_INT rows, CUBLAS_INT cols, CUBLAS_INT size, const void *a,
	CUBLAS_INT lda, void *b, CUBLAS_INT ldb), copy_matrix, (rows, cols, size, a, lda, b, ldb))
CUBLAS_CALL(SetVectorAsync, (CUBLAS_INT n, CUBLAS_INT size, const void *x, CUBLAS_INT incx, void *y,
	CUBLAS_INT incy, cudaStream_t stream),
	copy_vector_async, (n, size, x, incx, y, incy, stream))
CUBLAS_CALL(GetVectorAsync, (CUBLAS_INT n, CUBLAS_INT size, const void *x, CUBLAS_INT incx, void *y,
	CUBLAS_INT incy, cudaStream_t stream),
	copy_vector_async, (n, size, x, incx, y, incy, stream))
CUBLAS_CALL(SetMatrixAsync, (CUBLAS_INT rows, CUBLAS_INT cols, CUBLAS_INT size, const void *a,
	CUBLAS_INT lda, void *b, CUBLAS_INT ldb, cudaStream_t stream),
	copy_matrix_async, (rows, cols, size, a, lda, b, ldb, stream))
CUBLAS_CALL(GetMatrixAsync, (CUBLAS_INT rows, CUBLAS_INT cols, CUBLAS_INT size, const void *a,
	CUBLAS_INT lda, void *b, CUBLAS_INT ldb, cudaStream_t stream),
	copy_matrix_async, (rows, cols, size, a, lda, b, ldb, stream))

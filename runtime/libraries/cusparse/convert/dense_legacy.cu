// SPDX-License-Identifier: MIT
/* Between dense and sparse matrices that are given by pointers; numbers that are not zero. */
#include "dense.h"

namespace sparse
{

template <class T> static dense<T> matrix(const T *a, int lda)
{
	dense<T> d = {values<T>(a, type_of<T>::value), 1, lda, 0, false};

	return d;
}

static __global__ void sum_kernel(int n, const int *counts, int *total)
{
	int sum = 0;

	for (int i = threadIdx.x; i < n; i += 32)
		sum += counts[i];
	for (int by = 16; by; by /= 2)
		sum += __shfl_xor_sync(~0u, sum, by);
	if (!threadIdx.x)
		*total = sum;
}

// The sum of counts for the host, or where the device has it
static cusparseStatus_t total_of(cusparseHandle_t handle, int n, const int *counts, int *total,
				 const char *function)
{
	temporary t;

	if (handle->mode == CUSPARSE_POINTER_MODE_DEVICE)
		return launch(handle, sum_kernel, dim3(1), dim3(32), n, counts, total);
	SPARSE_TRY(t.take(handle, sizeof(int)));
	cusparseStatus_t status =
		launch(handle, sum_kernel, dim3(1), dim3(32), n, counts, (int *)t.at);
	if (!status)
		status = sparse_bring(handle, total, t.at, sizeof(int), function);
	cusparseStatus_t released = t.release();
	return status ? status : released;
}

template <class T>
static cusparseStatus_t nnz(cusparseHandle_t handle, cusparseDirection_t dir, int m, int n,
			    const cusparseMatDescr *descr, const T *a, int lda, int *counts,
			    int *total, const char *function)
{
	bool rows = dir == CUSPARSE_DIRECTION_ROW;

	SPARSE_TRY(sparse_check(handle, function));
	SPARSE_WANT_DESCR(descr);
	SPARSE_WANT((unsigned)dir <= 1 && m >= 0 && n >= 0 && lda >= m && total);
	SPARSE_WANT((counts || !(rows ? m : n)) && (a || !m || !n));
	if (handle->mode == CUSPARSE_POINTER_MODE_HOST)
		SPARSE_TRY(sparse_can_wait(handle, function));
	SPARSE_TRY(count(handle, rows ? m : n, rows ? n : m,
			 rows ? matrix(a, lda) : turned(matrix(a, lda)),
			 indices(counts, 0).from(-1)));
	return total_of(handle, rows ? m : n, counts, total, function);
}

template <class T>
static cusparseStatus_t to_sparse(cusparseHandle_t handle, bool columns, int m, int n,
				  const cusparseMatDescr *descr, const T *a, int lda,
				  const int *counts, T *sparse_values, int *offsets, int *numbers,
				  const char *function)
{
	int lines = columns ? n : m;
	index_array none = {NULL, false, 0};

	SPARSE_TRY(sparse_check(handle, function));
	SPARSE_WANT_DESCR(descr);
	SPARSE_WANT(m >= 0 && n >= 0 && lda >= m && offsets && (counts || !lines));
	SPARSE_WANT(!m || !n || (a && sparse_values && numbers));
	if (lines)
		SPARSE_TRY(
			sparse_status(cudaMemcpyAsync(offsets + 1, counts, lines * sizeof(int),
						      cudaMemcpyDeviceToDevice, handle->stream)));
	SPARSE_TRY(add_up(handle, lines, indices(offsets, descr->base)));
	return fill(handle, lines, columns ? m : n,
		    columns ? turned(matrix(a, lda)) : matrix(a, lda),
		    indices(offsets, descr->base), none, indices(numbers, descr->base),
		    values<T>(sparse_values, type_of<T>::value));
}

template <class T>
static cusparseStatus_t to_dense(cusparseHandle_t handle, bool columns, int m, int n,
				 const cusparseMatDescr *descr, const T *sparse_values,
				 const int *offsets, const int *numbers, T *a, int lda,
				 const char *function)
{
	matrix_rows r = matrix_rows();

	SPARSE_TRY(sparse_check(handle, function));
	SPARSE_WANT_DESCR(descr);
	SPARSE_WANT(m >= 0 && n >= 0 && lda >= m && (!m || !n || (offsets && a)));
	r.form = BY_OFFSETS;
	r.rows = columns ? n : m;
	r.cols = columns ? m : n;
	r.offsets = indices(offsets, descr->base);
	r.columns = indices(numbers, descr->base);
	return scatter(handle, r, values<T>(sparse_values, type_of<T>::value),
		       columns ? turned(matrix(a, lda)) : matrix(a, lda));
}

// ---- entries that are larger than a tolerance

static __device__ __forceinline__ bool larger(float a, float b)
{
	return fabsf(a) > b;
}
static __device__ __forceinline__ bool larger(double a, double b)
{
	return fabs(a) > b;
}
static __device__ __forceinline__ bool larger(cuComplex a, cuComplex b)
{
	return cuCabsf(a) > b.x;
}
static __device__ __forceinline__ bool larger(cuDoubleComplex a, cuDoubleComplex b)
{
	return cuCabs(a) > b.x;
}

template <class T>
static __global__ void count_larger(int m, index_array offsets, const T *values, int *counts,
				    T tolerance)
{
	SPARSE_EACH(row, m)
	{
		int count = 0;

		for (int64_t e = offsets.get(row); e < offsets.get(row + 1); e++)
			count += larger(values[e], tolerance);
		counts[row] = count;
	}
}

template <class T>
static __global__ void keep_larger(int m, index_array offsets, const int *columns, const T *values,
				   index_array new_offsets, int *new_columns, T *new_values,
				   T tolerance)
{
	SPARSE_EACH(row, m)
	{
		int64_t to = new_offsets.get(row);

		for (int64_t e = offsets.get(row); e < offsets.get(row + 1); e++) {
			if (!larger(values[e], tolerance))
				continue;
			new_columns[to] = columns[e];
			new_values[to++] = values[e];
		}
	}
}

template <class T>
static cusparseStatus_t nnz_compress(cusparseHandle_t handle, int m, const cusparseMatDescr *descr,
				     const T *values, const int *offsets, int *per_row, int *total,
				     T tolerance, const char *function)
{
	SPARSE_TRY(sparse_check(handle, function));
	SPARSE_WANT_DESCR(descr);
	SPARSE_WANT(m >= 0 && total && (!m || (offsets && per_row)));
	SPARSE_WANT(!(real_part(tolerance) < 0));
	if (handle->mode == CUSPARSE_POINTER_MODE_HOST)
		SPARSE_TRY(sparse_can_wait(handle, function));
	if (m)
		SPARSE_TRY(launch(handle, count_larger<T>, dim3(blocks_for(m)), dim3(THREADS), m,
				  indices(offsets, descr->base), values, per_row, tolerance));
	return total_of(handle, m, per_row, total, function);
}

template <class T>
static cusparseStatus_t compress(cusparseHandle_t handle, int m, int n,
				 const cusparseMatDescr *descr, const T *values, const int *columns,
				 const int *offsets, const int *per_row, T *c_values,
				 int *c_columns, int *c_offsets, T tolerance, const char *function)
{
	SPARSE_TRY(sparse_check(handle, function));
	SPARSE_WANT_DESCR(descr);
	SPARSE_WANT(m >= 0 && n >= 0 && c_offsets && (!m || (offsets && per_row)));
	SPARSE_WANT(!(real_part(tolerance) < 0));
	index_array to = indices(c_offsets, descr->base);
	if (m)
		SPARSE_TRY(
			sparse_status(cudaMemcpyAsync(c_offsets + 1, per_row, m * sizeof(int),
						      cudaMemcpyDeviceToDevice, handle->stream)));
	SPARSE_TRY(add_up(handle, m, to));
	return m ? launch(handle, keep_larger<T>, dim3(blocks_for(m)), dim3(THREADS), m,
			  indices(offsets, descr->base), columns, values, to, c_columns, c_values,
			  tolerance)
		 : CUSPARSE_STATUS_SUCCESS;
}

} // namespace sparse

using namespace sparse;

#define CONVERSIONS(X, T)                                                                          \
	SPARSE_API cusparse##X##nnz(cusparseHandle_t handle, cusparseDirection_t dir, int m,       \
				    int n, const cusparseMatDescr_t descr, const T *a, int lda,    \
				    int *counts, int *total)                                       \
	{                                                                                          \
		return nnz(handle, dir, m, n, descr, a, lda, counts, total, __func__);             \
	}                                                                                          \
	SPARSE_API cusparse##X##nnz_compress(                                                      \
		cusparseHandle_t handle, int m, const cusparseMatDescr_t descr, const T *values,   \
		const int *offsets, int *per_row, int *total, T tolerance)                         \
	{                                                                                          \
		return nnz_compress(handle, m, descr, values, offsets, per_row, total, tolerance,  \
				    __func__);                                                     \
	}                                                                                          \
	SPARSE_API cusparse##X##csr2csr_compress(                                                  \
		cusparseHandle_t handle, int m, int n, const cusparseMatDescr_t descr,             \
		const T *values, const int *columns, const int *offsets, int, const int *per_row,  \
		T *c_values, int *c_columns, int *c_offsets, T tolerance)                          \
	{                                                                                          \
		return compress(handle, m, n, descr, values, columns, offsets, per_row, c_values,  \
				c_columns, c_offsets, tolerance, __func__);                        \
	}                                                                                          \
	SPARSE_API cusparse##X##dense2csr(                                                         \
		cusparseHandle_t handle, int m, int n, const cusparseMatDescr_t descr, const T *a, \
		int lda, const int *per_row, T *values, int *offsets, int *columns)                \
	{                                                                                          \
		return to_sparse(handle, false, m, n, descr, a, lda, per_row, values, offsets,     \
				 columns, __func__);                                               \
	}                                                                                          \
	SPARSE_API cusparse##X##dense2csc(                                                         \
		cusparseHandle_t handle, int m, int n, const cusparseMatDescr_t descr, const T *a, \
		int lda, const int *per_column, T *values, int *rows, int *offsets)                \
	{                                                                                          \
		return to_sparse(handle, true, m, n, descr, a, lda, per_column, values, offsets,   \
				 rows, __func__);                                                  \
	}                                                                                          \
	SPARSE_API cusparse##X##csr2dense(cusparseHandle_t handle, int m, int n,                   \
					  const cusparseMatDescr_t descr, const T *values,         \
					  const int *offsets, const int *columns, T *a, int lda)   \
	{                                                                                          \
		return to_dense(handle, false, m, n, descr, values, offsets, columns, a, lda,      \
				__func__);                                                         \
	}                                                                                          \
	SPARSE_API cusparse##X##csc2dense(cusparseHandle_t handle, int m, int n,                   \
					  const cusparseMatDescr_t descr, const T *values,         \
					  const int *rows, const int *offsets, T *a, int lda)      \
	{                                                                                          \
		return to_dense(handle, true, m, n, descr, values, offsets, rows, a, lda,          \
				__func__);                                                         \
	}
CONVERSIONS(S, float)
CONVERSIONS(D, double)
CONVERSIONS(C, cuComplex)
CONVERSIONS(Z, cuDoubleComplex)

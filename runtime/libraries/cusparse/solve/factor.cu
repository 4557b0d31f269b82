// SPDX-License-Identifier: MIT
/*
 * Incomplete factors: LU and Cholesky's with the places that the matrix has. Rows go by the levels
 * of the lower triangle, each is a warp's; columns ascend in each row.
 */
#include "triangle.h"

namespace sparse
{

enum { FACTORS = 256 };

// Where a column is in a row's ascending entries; -1: nowhere
static __device__ __forceinline__ int64_t find(index_array columns, int64_t first, int64_t last,
					       int64_t column)
{
	while (first < last) {
		int64_t middle = first + (last - first) / 2, at = columns.get(middle);

		if (at == column)
			return middle;
		if (at < column)
			first = middle + 1;
		else
			last = middle;
	}
	return -1;
}

static __global__ void diagonal_kernel(matrix_rows m, int *diagonal)
{
	SPARSE_EACH(row, m.rows)
	diagonal[row] = (int)find(m.columns, m.offsets.get(row), m.offsets.get(row + 1), row);
}

cusparseStatus_t find_diagonal(cusparseHandle_t handle, const triangle *t, int *diagonal)
{
	return t->rows.rows ? launch(handle, diagonal_kernel, dim3(blocks_for(t->rows.rows)),
				     dim3(THREADS), t->rows, diagonal)
			    : CUSPARSE_STATUS_SUCCESS;
}

template <class C> struct boost_of {
	bool on;
	scalar<double> tolerance;
	scalar<C> value;
};

static __device__ __forceinline__ double size_of(float a)
{
	return fabsf(a);
}
static __device__ __forceinline__ double size_of(double a)
{
	return fabs(a);
}
static __device__ __forceinline__ double size_of(cuComplex a)
{
	return cuCabsf(a);
}
static __device__ __forceinline__ double size_of(cuDoubleComplex a)
{
	return cuCabs(a);
}

template <class C>
static __global__ void lu_kernel(triangle t, const int *diagonal, C *a, boost_of<C> boost)
{
	int levels = t.levels[t.rows.rows - 1] + 1, lane = threadIdx.x % 32;
	index_array columns = t.rows.columns;

	for (int level = 0; level < levels; level++) {
		for (int k = t.level_offsets[level] + threadIdx.x / 32;
		     k < t.level_offsets[level + 1]; k += FACTORS / 32) {
			int64_t row = t.order[k], first = t.rows.offsets.get(row);
			int64_t last = t.rows.offsets.get(row + 1);

			for (int64_t e = first; e < last; e++) {
				int64_t above = columns.get(e);

				if (above >= row)
					break;
				if (diagonal[above] < 0)
					continue;
				C factor = divide(a[e], a[diagonal[above]]);
				__syncwarp();
				if (!lane)
					a[e] = factor;
				for (int64_t i = diagonal[above] + 1 + lane;
				     i < t.rows.offsets.get(above + 1); i += 32) {
					int64_t at = find(columns, e + 1, last, columns.get(i));

					if (at >= 0)
						a[at] = minus(a[at], times(factor, a[i]));
				}
				__syncwarp();
			}
			if (lane || diagonal[row] < 0)
				continue;
			C pivot = a[diagonal[row]];
			if (boost.on && size_of(pivot) <= boost.tolerance.get())
				a[diagonal[row]] = boost.value.get();
			else if (is_zero(pivot))
				atomicMin(t.pivot, (int)row);
		}
		__syncthreads();
	}
}

// The lower triangle L of L * conj(L)^T, in the places that the lower triangle of the matrix has
template <class C> static __global__ void cholesky_kernel(triangle t, const int *diagonal, C *a)
{
	int levels = t.levels[t.rows.rows - 1] + 1, lane = threadIdx.x % 32;
	index_array columns = t.rows.columns;

	for (int level = 0; level < levels; level++) {
		for (int k = t.level_offsets[level] + threadIdx.x / 32;
		     k < t.level_offsets[level + 1]; k += FACTORS / 32) {
			int64_t row = t.order[k], first = t.rows.offsets.get(row);
			int64_t last = t.rows.offsets.get(row + 1);

			for (int64_t e = first; e < last; e++) {
				int64_t column = columns.get(e);
				int64_t begin = column > row ? 0 : t.rows.offsets.get(column);
				C sum = zero_of<C>();

				if (column > row || diagonal[column] < 0)
					break;
				for (int64_t i = first + lane; i < e; i += 32) {
					int64_t at = find(columns, begin, diagonal[column],
							  columns.get(i));

					if (at >= 0)
						sum = add_product(sum, a[i], conjugate(a[at]));
				}
				C v = minus(a[e], sum_of_lanes(sum, 32));
				if (column < row) {
					v = divide(v, a[diagonal[column]]);
				} else {
					if (!(real_part(v) > 0) && !lane)
						atomicMin(t.pivot, (int)row);
					v = convert<C>(sqrt(real_part(v)));
				}
				__syncwarp();
				if (!lane)
					a[e] = v;
				__syncwarp();
			}
		}
		__syncthreads();
	}
}

template <class T>
static cusparseStatus_t lu(cusparseHandle_t handle, const analysis *info, T *values)
{
	boost_of<T> boost = boost_of<T>();

	boost.on = info->boost;
	if (boost.on) {
		boost.tolerance = scalar_at<double>(handle, info->tolerance);
		boost.value = scalar_at<T>(handle, info->boosted);
	}
	return launch(handle, lu_kernel<T>, dim3(1), dim3(FACTORS), info->t,
		      (const int *)info->diagonal, values, boost);
}

template <class T>
static cusparseStatus_t cholesky(cusparseHandle_t handle, const analysis *info, T *values)
{
	return launch(handle, cholesky_kernel<T>, dim3(1), dim3(FACTORS), info->t,
		      (const int *)info->diagonal, values);
}

static cusparseStatus_t check(cusparseHandle_t handle, int m, int nnz,
			      const cusparseMatDescr *descr, const void *values, const int *offsets,
			      const int *columns, const analysis *info, enum sparse_kind kind,
			      const char *function)
{
	SPARSE_TRY(sparse_check(handle, function));
	SPARSE_WANT_DESCR(descr);
	SPARSE_WANT(live_is(info, kind) && m >= 0 && nnz >= 0);
	SPARSE_WANT(!nnz || (values && offsets && columns));
	return descr->type == CUSPARSE_MATRIX_TYPE_GENERAL
		       ? CUSPARSE_STATUS_SUCCESS
		       : CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED;
}

} // namespace sparse

using namespace sparse;

SPARSE_INFO(Csrilu02, csrilu02, SPARSE_CSRILU02)
SPARSE_INFO(Csric02, csric02, SPARSE_CSRIC02)

#define FACTOR(X, T, name, kind, factor)                                                           \
	SPARSE_API cusparse##X##name##_bufferSizeExt(                                              \
		cusparseHandle_t handle, int m, int nnz, const cusparseMatDescr_t a, T *values,    \
		const int *offsets, const int *columns, name##Info_t info, size_t *bytes)          \
	{                                                                                          \
		SPARSE_TRY(check(handle, m, nnz, a, values, offsets, columns, (analysis *)info,    \
				 kind, __func__));                                                 \
		SPARSE_WANT(bytes);                                                                \
		*bytes = 256;                                                                      \
		return CUSPARSE_STATUS_SUCCESS;                                                    \
	}                                                                                          \
	SPARSE_API cusparse##X##name##_bufferSize(                                                 \
		cusparseHandle_t handle, int m, int nnz, const cusparseMatDescr_t a, T *values,    \
		const int *offsets, const int *columns, name##Info_t info, int *bytes)             \
	{                                                                                          \
		SPARSE_TRY(check(handle, m, nnz, a, values, offsets, columns, (analysis *)info,    \
				 kind, __func__));                                                 \
		SPARSE_WANT(bytes);                                                                \
		*bytes = 256;                                                                      \
		return CUSPARSE_STATUS_SUCCESS;                                                    \
	}                                                                                          \
	SPARSE_API cusparse##X##name##_analysis(                                                   \
		cusparseHandle_t handle, int m, int nnz, const cusparseMatDescr_t a,               \
		const T *values, const int *offsets, const int *columns, name##Info_t info,        \
		cusparseSolvePolicy_t policy, void *)                                              \
	{                                                                                          \
		SPARSE_TRY(check(handle, m, nnz, a, values, offsets, columns, (analysis *)info,    \
				 kind, __func__));                                                 \
		SPARSE_WANT((unsigned)policy <= 1);                                                \
		cusparseSpMatDescr matrix = csr_matrix<T>(m, m, nnz, a, values, offsets, columns); \
		return analyse(handle, (analysis *)info, &matrix,                                  \
			       CUSPARSE_OPERATION_NON_TRANSPOSE, true, false, true);               \
	}                                                                                          \
	SPARSE_API cusparse##X##name(cusparseHandle_t handle, int m, int nnz,                      \
				     const cusparseMatDescr_t a, T *values, const int *offsets,    \
				     const int *columns, name##Info_t info,                        \
				     cusparseSolvePolicy_t policy, void *)                         \
	{                                                                                          \
		analysis *made = (analysis *)info;                                                 \
                                                                                                   \
		SPARSE_TRY(                                                                        \
			check(handle, m, nnz, a, values, offsets, columns, made, kind, __func__)); \
		SPARSE_WANT((unsigned)policy <= 1 && made->ready && made->n == m &&                \
			    made->nnz == nnz);                                                     \
		return m ? factor(handle, made, values) : CUSPARSE_STATUS_SUCCESS;                 \
	}
#define FACTORS_OF(X, T)                                                               \
	FACTOR(X, T, csrilu02, SPARSE_CSRILU02, lu)                                    \
	FACTOR(X, T, csric02, SPARSE_CSRIC02, cholesky)                                \
	SPARSE_API cusparse##X##csrilu02_numericBoost(cusparseHandle_t handle,         \
						      csrilu02Info_t info, int enable, \
						      double *tolerance, T *value)     \
	{                                                                              \
		analysis *made = (analysis *)info;                                     \
                                                                                       \
		SPARSE_CHECK(handle);                                                  \
		SPARSE_WANT(live_is(info, SPARSE_CSRILU02));                      \
		SPARSE_WANT(!enable || (tolerance && value));                          \
		made->boost = enable;                                                  \
		made->tolerance = tolerance;                                           \
		made->boosted = value;                                                 \
		return CUSPARSE_STATUS_SUCCESS;                                        \
	}
FACTORS_OF(S, float)
FACTORS_OF(D, double)
FACTORS_OF(C, cuComplex)
FACTORS_OF(Z, cuDoubleComplex)

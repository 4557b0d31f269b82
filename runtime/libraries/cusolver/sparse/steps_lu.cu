// SPDX-License-Identifier: MIT
/*
 * LU of the host's matrices step by step, and its parts; see steps.h. The pivot is the largest
 * number of a row, so that P is no permutation: columns are exchanged.
 */
#include "steps.h"

namespace solver
{

#define EXPORT extern "C" __attribute__((visibility("default")))

template <class T> struct lu_result {
	lu_factors<T> lu;
	int singularity;

	explicit lu_result(int n) : lu(n), singularity(-1)
	{
	}
};

template <class T>
static cusolverStatus_t factor(cusolverSpHandle_t handle, int n, int nnz, const T *values,
			       void *info, const char *function)
{
	steps *s = (steps *)info;

	SOLVER_TRY(steps_check(handle, info, SOLVER_LU_HOST, function));
	SOLVER_WANT(fits(s, n, n, nnz) && (!nnz || values));
	lu_result<T> *result = make_factor<lu_result<T>>(n);
	if (!result)
		return CUSOLVER_STATUS_ALLOC_FAILED;
	steps_forget(s);
	if (result->lu.factor(matrix_of(s, values), 0, zero_of<T>(), &result->singularity) !=
	    FACTORED) {
		drop_factor<lu_result<T>>(result);
		return CUSOLVER_STATUS_ALLOC_FAILED;
	}
	s->factor = result;
	s->drop = drop_factor<lu_result<T>>;
	s->failed = result->singularity;
	s->type = letter<T>::value;
	return CUSOLVER_STATUS_SUCCESS;
}

template <class T>
static cusolverStatus_t zero_pivot(cusolverSpHandle_t handle, void *info, double tol, int *position,
				   const char *function)
{
	steps *s = (steps *)info;

	SOLVER_TRY(steps_check(handle, info, SOLVER_LU_HOST, function));
	SOLVER_WANT(s->factor && s->type == letter<T>::value && position);
	*position = s->failed;
	for (int k = 0; k < (s->failed < 0 ? s->n : s->failed); k++)
		if (!(host_length(((lu_result<T> *)s->factor)->lu.pivots[k]) > tol)) {
			*position = k;
			break;
		}
	return CUSOLVER_STATUS_SUCCESS;
}

/* The factor, if there is one for this type that is whole; else status is what to return. */
template <class T>
static cusolverStatus_t whole(cusolverSpHandle_t handle, void *info, lu_factors<T> **lu,
			      const char *function)
{
	steps *s = (steps *)info;

	SOLVER_TRY(steps_check(handle, info, SOLVER_LU_HOST, function));
	SOLVER_WANT(s->factor && s->type == letter<T>::value && s->failed < 0);
	*lu = &((lu_result<T> *)s->factor)->lu;
	return CUSOLVER_STATUS_SUCCESS;
}

template <class T>
static cusolverStatus_t solve(cusolverSpHandle_t handle, int n, const T *b, T *x, void *info,
			      const char *function)
{
	lu_factors<T> *lu;

	SOLVER_TRY(whole(handle, info, &lu, function));
	SOLVER_WANT(lu->n == n && (!n || (b && x)));
	room_for<T> found(n), y(n);
	if (!found.at || !y.at)
		return CUSOLVER_STATUS_ALLOC_FAILED;
	memcpy((void *)found.at, b, n * sizeof(T));
	lu->solve(found.at, y.at);
	memcpy((void *)x, found.at, n * sizeof(T));
	return CUSOLVER_STATUS_SUCCESS;
}

template <class T> static void count_of(steps *s, int *lower, int *upper)
{
	lu_factors<T> &lu = ((lu_result<T> *)s->factor)->lu;

	*lower = *upper = lu.n;
	for (int k = 0; k < lu.n; k++) {
		*lower += lu.lower[k].count;
		*upper += lu.upper[k].count;
	}
}

/* Row k of U by places, whose columns ascend */
template <class T>
static bool upper_row(lu_factors<T> &lu, int k, work_line<T> &row, int base, T *values,
		      int *columns, int *count)
{
	for (int e = 0; e < lu.upper[k].count; e++)
		row.touch(lu.at[lu.upper[k].index[e]]) = lu.upper[k].value[e];
	columns[*count] = k + base;
	values[(*count)++] = lu.pivots[k];
	for (int j; (j = row.pop()) >= 0;) {
		columns[*count] = j + base;
		values[(*count)++] = row.value[j];
	}
	return true;
}

template <class T>
static cusolverStatus_t extract(cusolverSpHandle_t handle, int *p, int *q,
				const cusparseMatDescr_t ldescr, T *lv, int *lo, int *lc,
				const cusparseMatDescr_t udescr, T *uv, int *uo, int *uc,
				void *info, const char *function)
{
	lu_factors<T> *lu;

	SOLVER_TRY(whole(handle, info, &lu, function));
	int lbase = sparse_base(ldescr, function), ubase = sparse_base(udescr, function);
	SOLVER_WANT(lbase >= 0 && ubase >= 0 && lo && uo);
	SOLVER_WANT(!lu->n || (p && q && lv && lc && uv && uc));
	work_line<T> row(lu->n);
	if (!row.good())
		return CUSOLVER_STATUS_ALLOC_FAILED;
	int lower = 0, upper = 0;
	for (int k = 0; k < lu->n; k++) {
		line<T> &l = lu->lower[k];

		p[k] = k;
		q[k] = lu->column[k];
		lo[k] = lower + lbase;
		uo[k] = upper + ubase;
		for (int e = 0; e < l.count; e++) {
			lc[lower] = l.index[e] + lbase;
			lv[lower++] = l.value[e];
		}
		lc[lower] = k + lbase;
		lv[lower++] = one_of<T>();
		upper_row(*lu, k, row, ubase, uv, uc, &upper);
	}
	lo[lu->n] = lower + lbase;
	uo[lu->n] = upper + ubase;
	return CUSOLVER_STATUS_SUCCESS;
}

} // namespace solver

using namespace solver;

EXPORT cusolverStatus_t cusolverSpCreateCsrluInfoHost(csrluInfoHost_t *info)
{
	return steps_create((void **)info, SOLVER_LU_HOST);
}

EXPORT cusolverStatus_t cusolverSpDestroyCsrluInfoHost(csrluInfoHost_t info)
{
	return steps_destroy(info, SOLVER_LU_HOST);
}

EXPORT cusolverStatus_t cusolverSpXcsrluAnalysisHost(cusolverSpHandle_t h, int n, int nnz,
						     const cusparseMatDescr_t a, const int *offsets,
						     const int *columns, csrluInfoHost_t info)
{
	return steps_analyse(h, SOLVER_LU_HOST, n, n, nnz, a, offsets, columns, info, __func__);
}

EXPORT cusolverStatus_t cusolverSpXcsrluNnzHost(cusolverSpHandle_t h, int *lower, int *upper,
						csrluInfoHost_t info)
{
	steps *s = (steps *)info;

	SOLVER_TRY(steps_check(h, info, SOLVER_LU_HOST, __func__));
	SOLVER_WANT(s->factor && s->failed < 0 && lower && upper);
	switch (s->type) {
	case 'S':
		count_of<float>(s, lower, upper);
		break;
	case 'D':
		count_of<double>(s, lower, upper);
		break;
	case 'C':
		count_of<cuComplex>(s, lower, upper);
		break;
	default:
		count_of<cuDoubleComplex>(s, lower, upper);
		break;
	}
	return CUSOLVER_STATUS_SUCCESS;
}

#define STEPS_LU(X, T, R)                                                                         \
	EXPORT cusolverStatus_t cusolverSp##X##csrluBufferInfoHost(                               \
		cusolverSpHandle_t h, int n, int nnz, const cusparseMatDescr_t, const T *,        \
		const int *, const int *, csrluInfoHost_t info, size_t *internal, size_t *bytes)  \
	{                                                                                         \
		SOLVER_TRY(steps_check(h, info, SOLVER_LU_HOST, __func__));                       \
		return sizes(info, n, n, nnz, sizeof(T), internal, bytes);                        \
	}                                                                                         \
	EXPORT cusolverStatus_t cusolverSp##X##csrluFactorHost(                                   \
		cusolverSpHandle_t h, int n, int nnz, const cusparseMatDescr_t, const T *values,  \
		const int *, const int *, csrluInfoHost_t info, R, void *)                        \
	{                                                                                         \
		return factor(h, n, nnz, values, info, __func__);                                 \
	}                                                                                         \
	EXPORT cusolverStatus_t cusolverSp##X##csrluZeroPivotHost(                                \
		cusolverSpHandle_t h, csrluInfoHost_t info, R tol, int *position)                 \
	{                                                                                         \
		return zero_pivot<T>(h, info, tol, position, __func__);                           \
	}                                                                                         \
	EXPORT cusolverStatus_t cusolverSp##X##csrluSolveHost(                                    \
		cusolverSpHandle_t h, int n, const T *b, T *x, csrluInfoHost_t info, void *)      \
	{                                                                                         \
		return solver::solve(h, n, b, x, info, __func__);                                 \
	}                                                                                         \
	EXPORT cusolverStatus_t cusolverSp##X##csrluExtractHost(                                  \
		cusolverSpHandle_t h, int *p, int *q, const cusparseMatDescr_t l, T *lv, int *lo, \
		int *lc, const cusparseMatDescr_t u, T *uv, int *uo, int *uc,                     \
		csrluInfoHost_t info, void *)                                                     \
	{                                                                                         \
		return extract(h, p, q, l, lv, lo, lc, u, uv, uo, uc, info, __func__);            \
	}
STEPS_LU(S, float, float)
STEPS_LU(D, double, double)
STEPS_LU(C, cuComplex, float)
STEPS_LU(Z, cuDoubleComplex, double)

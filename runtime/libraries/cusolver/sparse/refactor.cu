// SPDX-License-Identifier: MIT
/*
 * cusolverRf: LU of other numbers in the pattern and the order of a first factor, without pivots,
 * on the host. The pattern of the factors is what the program says and what elimination adds to it,
 * so that nothing has to be left out.
 */
#include "cusolverRf.h"
#include "lines.h"
#include "sparse.h"

#include <math.h>
#include <new>

namespace solver
{

struct numbers {
	int n, nnz;
	room_for<int> offsets, columns, p, place; /* place: of a column of A in L U */
	room_for<double> values, pivots;
	lines<double> start; /* rows of both factors as they were given */
	lines<double> lower, upper; /* without the diagonal; columns ascend */

	numbers(int count, int entries)
	    : n(count), nnz(entries), offsets(count + 1), columns(entries), p(count), place(count),
	      values(entries), pivots(count), start(count), lower(count), upper(count)
	{
	}
	bool good() const
	{
		return offsets.at && columns.at && p.at && place.at && values.at && pivots.at &&
		       start.at && lower.at && upper.at;
	}
};

} // namespace solver

struct cusolverRfCommon {
	struct live_object object;
	cusolverRfUnitDiagonal_t diagonal;
	cusolverRfFactorization_t factorization;
	cusolverRfTriangularSolve_t triangular;
	cusolverRfResetValuesFastMode_t fast;
	double zero, boost;
	bool boosted, analysed, factored;
	solver::numbers *of; /* NULL: not set up */
};

namespace solver
{

#define EXPORT extern "C" __attribute__((visibility("default")))
#define RF_ALIVE(handle) SOLVER_ALIVE(handle, SOLVER_RF)

static void forget(cusolverRfHandle_t handle)
{
	if (handle->of) {
		handle->of->~numbers();
		free(handle->of);
	}
	handle->of = NULL;
	handle->analysed = handle->factored = false;
}

/* The function waits: what it is given may be the device's. */
template <class T> static cusolverStatus_t fetch(T *to, const T *from, int64_t count)
{
	SOLVER_WANT(!count || from);
	return count ? solver_status(cudaMemcpy(to, from, count * sizeof(T), cudaMemcpyDefault))
		     : CUSOLVER_STATUS_SUCCESS;
}

static bool permutation(const int *list, int n, int *inverse)
{
	for (int i = 0; i < n; i++)
		inverse[i] = -1;
	for (int i = 0; i < n; i++) {
		if (list[i] < 0 || list[i] >= n || inverse[list[i]] >= 0)
			return false;
		inverse[list[i]] = i;
	}
	return true;
}

static cusolverStatus_t take_orders(numbers *of, const int *p, const int *q)
{
	room_for<int> columns(of->n), inverse(of->n);

	if (!columns.at || !inverse.at)
		return CUSOLVER_STATUS_ALLOC_FAILED;
	SOLVER_TRY(fetch(of->p.at, p, of->n));
	SOLVER_TRY(fetch(columns.at, q, of->n));
	SOLVER_WANT(permutation(of->p.at, of->n, inverse.at));
	SOLVER_WANT(permutation(columns.at, of->n, of->place.at));
	return CUSOLVER_STATUS_SUCCESS;
}

/* The pattern of a factor, to `start` */
static cusolverStatus_t take_factor(numbers *of, int nnz, const int *offsets, const int *columns,
				    bool lower)
{
	room_for<int> o(of->n + 1), c(nnz);

	if (!o.at || !c.at)
		return CUSOLVER_STATUS_ALLOC_FAILED;
	SOLVER_TRY(fetch(o.at, offsets, (int64_t)of->n + 1));
	SOLVER_TRY(fetch(c.at, columns, nnz));
	SOLVER_WANT(sparse_pattern(of->n, of->n, nnz, 0, o.at, c.at));
	for (int i = 0; i < of->n; i++)
		for (int e = o[i]; e < o[i + 1]; e++) {
			SOLVER_WANT(lower ? c[e] <= i : c[e] >= i);
			if (!of->start[i].add(c[e], 0))
				return CUSOLVER_STATUS_ALLOC_FAILED;
		}
	return CUSOLVER_STATUS_SUCCESS;
}

static cusolverStatus_t take_all(numbers *of, const int *offsets, const int *columns,
				 const double *values, int lnnz, const int *lo, const int *lc,
				 int unnz, const int *uo, const int *uc, const int *p, const int *q)
{
	SOLVER_TRY(fetch(of->offsets.at, offsets, (int64_t)of->n + 1));
	SOLVER_TRY(fetch(of->columns.at, columns, of->nnz));
	SOLVER_TRY(fetch(of->values.at, values, of->nnz));
	SOLVER_WANT(sparse_pattern(of->n, of->n, of->nnz, 0, of->offsets.at, of->columns.at));
	SOLVER_TRY(take_orders(of, p, q));
	SOLVER_TRY(take_factor(of, lnnz, lo, lc, true));
	return take_factor(of, unnz, uo, uc, false);
}

static cusolverStatus_t set_up(int n, int nnz, const int *offsets, const int *columns,
			       const double *values, int lnnz, const int *lo, const int *lc,
			       int unnz, const int *uo, const int *uc, const int *p, const int *q,
			       cusolverRfHandle_t handle)
{
	RF_ALIVE(handle);
	SOLVER_WANT(n > 0 && nnz > 0 && lnnz >= 0 && unnz > 0);
	forget(handle);
	void *room = malloc(sizeof(numbers));
	if (!room)
		return CUSOLVER_STATUS_ALLOC_FAILED;
	handle->of = new (room) numbers(n, nnz);
	cusolverStatus_t status = handle->of->good()
					  ? take_all(handle->of, offsets, columns, values, lnnz, lo,
						     lc, unnz, uo, uc, p, q)
					  : CUSOLVER_STATUS_ALLOC_FAILED;
	if (status != CUSOLVER_STATUS_SUCCESS)
		forget(handle);
	return status;
}

/* Rows of L and U: of what was given and of A, and what elimination adds */
static bool find_pattern(numbers *of)
{
	work_line<double> row(of->n);

	if (!row.good())
		return false;
	for (int i = 0; i < of->n; i++) {
		int from = of->p[i];

		of->lower[i].clear();
		of->upper[i].clear();
		for (int e = 0; e < of->start[i].count; e++)
			row.touch(of->start[i].index[e]);
		for (int e = of->offsets[from]; e < of->offsets[from + 1]; e++)
			row.touch(of->place[of->columns[e]]);
		for (int j; (j = row.pop()) >= 0;) {
			if (j < i) {
				if (!of->lower[i].add(j, 0))
					return false;
				for (int e = 0; e < of->upper[j].count; e++)
					row.touch(of->upper[j].index[e]);
			} else if (j > i && !of->upper[i].add(j, 0)) {
				return false;
			}
		}
	}
	return true;
}

static cusolverStatus_t refactor(cusolverRfHandle_t handle)
{
	numbers *of = handle->of;
	room_for<double> row(of->n);

	if (!row.at)
		return CUSOLVER_STATUS_ALLOC_FAILED;
	handle->boosted = handle->factored = false;
	for (int i = 0; i < of->n; i++) {
		line<double> &l = of->lower[i], &u = of->upper[i];
		int from = of->p[i];

		for (int e = of->offsets[from]; e < of->offsets[from + 1]; e++)
			row[of->place[of->columns[e]]] += of->values[e];
		for (int e = 0; e < l.count; e++) {
			int j = l.index[e];
			line<double> &other = of->upper[j];
			double by = row[j] / of->pivots[j];

			l.value[e] = by;
			row[j] = 0;
			for (int f = 0; f < other.count; f++)
				row[other.index[f]] -= by * other.value[f];
		}
		for (int e = 0; e < u.count; e++) {
			u.value[e] = row[u.index[e]];
			row[u.index[e]] = 0;
		}
		of->pivots[i] = row[i];
		row[i] = 0;
		if (fabs(of->pivots[i]) > handle->zero)
			continue;
		if (handle->boost == 0)
			return CUSOLVER_STATUS_ZERO_PIVOT;
		of->pivots[i] = handle->boost;
		handle->boosted = true;
	}
	handle->factored = true;
	return CUSOLVER_STATUS_SUCCESS;
}

static void solve_one(numbers *of, const int *p, const int *q, double *x, double *y)
{
	for (int i = 0; i < of->n; i++) {
		y[i] = x[p[i]];
		for (int e = 0; e < of->lower[i].count; e++)
			y[i] -= of->lower[i].value[e] * y[of->lower[i].index[e]];
	}
	for (int i = of->n - 1; i >= 0; i--) {
		for (int e = 0; e < of->upper[i].count; e++)
			y[i] -= of->upper[i].value[e] * y[of->upper[i].index[e]];
		y[i] /= of->pivots[i];
	}
	for (int i = 0; i < of->n; i++)
		x[q[i]] = y[i];
}

} // namespace solver

using namespace solver;

EXPORT cusolverStatus_t cusolverRfCreate(cusolverRfHandle_t *handle)
{
	SOLVER_WANT(handle);
	*handle = (cusolverRfHandle_t)live_new(sizeof(**handle), SOLVER_RF);
	if (!*handle)
		return CUSOLVER_STATUS_ALLOC_FAILED;
	(*handle)->triangular = CUSOLVERRF_TRIANGULAR_SOLVE_ALG1;
	return CUSOLVER_STATUS_SUCCESS;
}

EXPORT cusolverStatus_t cusolverRfDestroy(cusolverRfHandle_t handle)
{
	RF_ALIVE(handle);
	forget(handle);
	live_delete(handle, SOLVER_RF);
	return CUSOLVER_STATUS_SUCCESS;
}

EXPORT cusolverStatus_t cusolverRfSetMatrixFormat(cusolverRfHandle_t handle,
						  cusolverRfMatrixFormat_t format,
						  cusolverRfUnitDiagonal_t diagonal)
{
	RF_ALIVE(handle);
	SOLVER_WANT((unsigned)format <= 1 && (unsigned)diagonal <= 3);
	if (format == CUSOLVERRF_MATRIX_FORMAT_CSC || (diagonal & 1)) {
		solver_say(__func__, "matrices are CSR, and the factor whose diagonal is 1 is L");
		return CUSOLVER_STATUS_NOT_SUPPORTED;
	}
	handle->diagonal = diagonal;
	return CUSOLVER_STATUS_SUCCESS;
}

EXPORT cusolverStatus_t cusolverRfGetMatrixFormat(cusolverRfHandle_t handle,
						  cusolverRfMatrixFormat_t *format,
						  cusolverRfUnitDiagonal_t *diagonal)
{
	RF_ALIVE(handle);
	SOLVER_WANT(format && diagonal);
	*format = CUSOLVERRF_MATRIX_FORMAT_CSR;
	*diagonal = handle->diagonal;
	return CUSOLVER_STATUS_SUCCESS;
}

EXPORT cusolverStatus_t cusolverRfSetNumericProperties(cusolverRfHandle_t handle, double zero,
						       double boost)
{
	RF_ALIVE(handle);
	SOLVER_WANT(zero >= 0 && boost == boost);
	handle->zero = zero;
	handle->boost = boost;
	return CUSOLVER_STATUS_SUCCESS;
}

EXPORT cusolverStatus_t cusolverRfGetNumericProperties(cusolverRfHandle_t handle, double *zero,
						       double *boost)
{
	RF_ALIVE(handle);
	SOLVER_WANT(zero && boost);
	*zero = handle->zero;
	*boost = handle->boost;
	return CUSOLVER_STATUS_SUCCESS;
}

EXPORT cusolverStatus_t cusolverRfGetNumericBoostReport(cusolverRfHandle_t handle,
							cusolverRfNumericBoostReport_t *report)
{
	RF_ALIVE(handle);
	SOLVER_WANT(report);
	*report =
		handle->boosted ? CUSOLVERRF_NUMERIC_BOOST_USED : CUSOLVERRF_NUMERIC_BOOST_NOT_USED;
	return CUSOLVER_STATUS_SUCCESS;
}

EXPORT cusolverStatus_t cusolverRfSetAlgs(cusolverRfHandle_t handle,
					  cusolverRfFactorization_t factor,
					  cusolverRfTriangularSolve_t solve)
{
	RF_ALIVE(handle);
	SOLVER_WANT((unsigned)factor <= 2 && solve >= 1 && solve <= 3);
	handle->factorization = factor;
	handle->triangular = solve;
	return CUSOLVER_STATUS_SUCCESS;
}

EXPORT cusolverStatus_t cusolverRfGetAlgs(cusolverRfHandle_t handle,
					  cusolverRfFactorization_t *factor,
					  cusolverRfTriangularSolve_t *solve)
{
	RF_ALIVE(handle);
	SOLVER_WANT(factor && solve);
	*factor = handle->factorization;
	*solve = handle->triangular;
	return CUSOLVER_STATUS_SUCCESS;
}

EXPORT cusolverStatus_t cusolverRfSetResetValuesFastMode(cusolverRfHandle_t handle,
							 cusolverRfResetValuesFastMode_t mode)
{
	RF_ALIVE(handle);
	SOLVER_WANT((unsigned)mode <= 1);
	handle->fast = mode;
	return CUSOLVER_STATUS_SUCCESS;
}

EXPORT cusolverStatus_t cusolverRfGetResetValuesFastMode(cusolverRfHandle_t handle,
							 cusolverRfResetValuesFastMode_t *mode)
{
	RF_ALIVE(handle);
	SOLVER_WANT(mode);
	*mode = handle->fast;
	return CUSOLVER_STATUS_SUCCESS;
}

/* Numbers of the factors do not matter: they are made again. */
#define RF_SETUP(name)                                                                             \
	EXPORT cusolverStatus_t name(int n, int nnz, int *o, int *c, double *v, int lnnz, int *lo, \
				     int *lc, double *, int unnz, int *uo, int *uc, double *,      \
				     int *p, int *q, cusolverRfHandle_t handle)                    \
	{                                                                                          \
		return set_up(n, nnz, o, c, v, lnnz, lo, lc, unnz, uo, uc, p, q, handle);          \
	}
RF_SETUP(cusolverRfSetupHost)
RF_SETUP(cusolverRfSetupDevice)

EXPORT cusolverStatus_t cusolverRfResetValues(int n, int nnz, int *, int *, double *values, int *p,
					      int *q, cusolverRfHandle_t handle)
{
	RF_ALIVE(handle);
	SOLVER_WANT(handle->of && handle->of->n == n && handle->of->nnz == nnz && p && q);
	handle->factored = false;
	return fetch(handle->of->values.at, values, nnz);
}

EXPORT cusolverStatus_t cusolverRfAnalyze(cusolverRfHandle_t handle)
{
	RF_ALIVE(handle);
	SOLVER_WANT(handle->of);
	if (!find_pattern(handle->of))
		return CUSOLVER_STATUS_ALLOC_FAILED;
	handle->analysed = true;
	return CUSOLVER_STATUS_SUCCESS;
}

EXPORT cusolverStatus_t cusolverRfRefactor(cusolverRfHandle_t handle)
{
	RF_ALIVE(handle);
	SOLVER_WANT(handle->of && handle->analysed);
	return refactor(handle);
}

EXPORT cusolverStatus_t cusolverRfSolve(cusolverRfHandle_t handle, int *p, int *q, int nrhs,
					double *work, int ldwork, double *x, int ldx)
{
	RF_ALIVE(handle);
	SOLVER_WANT(handle->of && handle->factored && nrhs >= 0 && work && x);
	int n = handle->of->n;
	SOLVER_WANT(ldwork >= n && ldx >= n);
	room_for<int> rows(n), columns(n), unused(n);
	room_for<double> side(n), y(n);
	if (!rows.at || !columns.at || !unused.at || !side.at || !y.at)
		return CUSOLVER_STATUS_ALLOC_FAILED;
	SOLVER_TRY(fetch(rows.at, p, n));
	SOLVER_TRY(fetch(columns.at, q, n));
	SOLVER_WANT(permutation(rows.at, n, unused.at) && permutation(columns.at, n, unused.at));
	for (int r = 0; r < nrhs; r++) {
		double *at = x + (int64_t)r * ldx;

		SOLVER_TRY(fetch(side.at, at, n));
		solve_one(handle->of, rows.at, columns.at, side.at, y.at);
		SOLVER_TRY(fetch(at, side.at, n));
	}
	return CUSOLVER_STATUS_SUCCESS;
}

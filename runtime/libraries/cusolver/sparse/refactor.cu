// SPDX-License-Identifier: MIT
/*
 * cusolverRf: LU of other numbers in the pattern and the order of a first factor, without pivots,
 * on the host, of one matrix or of a batch of them. The pattern of the factors is what the program
 * says and what elimination adds to it, so that nothing has to be left out.
 */
#include "refactor.h"

#include <math.h>
#include <new>

namespace solver
{

static void forget(cusolverRfHandle_t handle)
{
	if (handle->of) {
		handle->of->~systems();
		free(handle->of);
	}
	handle->of = NULL;
	handle->analysed = handle->factored = false;
	refactor_drop(handle);
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

static cusolverStatus_t take_orders(systems *of, const int *p, const int *q)
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
static cusolverStatus_t take_factor(systems *of, int nnz, const int *offsets, const int *columns,
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

/* What the program says of a matrix and its factors; `values` is a list of lists for a batch. */
struct given {
	int n, nnz;
	const int *offsets, *columns;
	int lnnz;
	const int *loffsets, *lcolumns;
	int unnz;
	const int *uoffsets, *ucolumns, *p, *q;
};

static cusolverStatus_t take_all(systems *of, const given &g)
{
	SOLVER_TRY(fetch(of->offsets.at, g.offsets, (int64_t)of->n + 1));
	SOLVER_TRY(fetch(of->columns.at, g.columns, of->nnz));
	SOLVER_WANT(sparse_pattern(of->n, of->n, of->nnz, 0, of->offsets.at, of->columns.at));
	SOLVER_TRY(take_orders(of, g.p, g.q));
	SOLVER_TRY(take_factor(of, g.lnnz, g.loffsets, g.lcolumns, true));
	return take_factor(of, g.unnz, g.uoffsets, g.ucolumns, false);
}

static cusolverStatus_t take_values(systems *of, double *const *values)
{
	room_for<double *> lists(of->count);

	if (!lists.at)
		return CUSOLVER_STATUS_ALLOC_FAILED;
	SOLVER_TRY(fetch(lists.at, values, of->count));
	for (int s = 0; s < of->count; s++)
		SOLVER_TRY(fetch(of->values.at + (int64_t)s * of->nnz, lists[s], of->nnz));
	return CUSOLVER_STATUS_SUCCESS;
}

/* `values` of one system is a pointer's place on the host. */
static cusolverStatus_t set_up(cusolverRfHandle_t handle, const given &g, int count, bool batch,
			       double *const *values)
{
	RF_ALIVE(handle);
	SOLVER_WANT(g.n > 0 && g.nnz > 0 && g.lnnz >= 0 && g.unnz > 0 && count > 0);
	forget(handle);
	void *room = malloc(sizeof(systems));
	if (!room)
		return CUSOLVER_STATUS_ALLOC_FAILED;
	handle->of = new (room) systems(g.n, g.nnz, count, batch);
	cusolverStatus_t status = handle->of->good() ? take_all(handle->of, g)
						     : CUSOLVER_STATUS_ALLOC_FAILED;
	if (status == CUSOLVER_STATUS_SUCCESS)
		status = take_values(handle->of, values);
	if (status != CUSOLVER_STATUS_SUCCESS)
		forget(handle);
	return status;
}

/* Rows of L and U: of what was given and of A, and what elimination adds */
static bool find_pattern(systems *of)
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
		of->lower_at[i + 1] = of->lower_at[i] + of->lower[i].count;
		of->upper_at[i + 1] = of->upper_at[i] + of->upper[i].count;
	}
	return true;
}

static bool make_room(systems *of)
{
	int64_t lower = (int64_t)of->lower_at[of->n] * of->count;
	int64_t upper = (int64_t)of->upper_at[of->n] * of->count;

	free(of->lower_values);
	free(of->upper_values);
	of->lower_values = (double *)calloc(lower + 1, sizeof(double));
	of->upper_values = (double *)calloc(upper + 1, sizeof(double));
	return of->lower_values && of->upper_values;
}

/* The numbers of one system */
struct system_of {
	const double *values;
	double *lower, *upper, *pivots;

	system_of(systems *of, int s)
	    : values(of->values.at + (int64_t)s * of->nnz),
	      lower(of->lower_values + (int64_t)s * of->lower_at[of->n]),
	      upper(of->upper_values + (int64_t)s * of->upper_at[of->n]),
	      pivots(of->pivots.at + (int64_t)s * of->n)
	{
	}
};

/* The first row whose pivot is zero, or -1; rows behind it are not computed. `row` is zero. */
static int factor(cusolverRfHandle_t handle, const system_of &system, double *row)
{
	systems *of = handle->of;

	for (int i = 0; i < of->n; i++) {
		const line<double> &l = of->lower[i], &u = of->upper[i];
		double *lv = system.lower + of->lower_at[i], *uv = system.upper + of->upper_at[i];
		int from = of->p[i];

		for (int e = of->offsets[from]; e < of->offsets[from + 1]; e++)
			row[of->place[of->columns[e]]] += system.values[e];
		for (int e = 0; e < l.count; e++) {
			int j = l.index[e];
			const line<double> &other = of->upper[j];
			const double *v = system.upper + of->upper_at[j];
			double by = row[j] / system.pivots[j];

			lv[e] = by;
			row[j] = 0;
			for (int f = 0; f < other.count; f++)
				row[other.index[f]] -= by * v[f];
		}
		for (int e = 0; e < u.count; e++) {
			uv[e] = row[u.index[e]];
			row[u.index[e]] = 0;
		}
		system.pivots[i] = row[i];
		row[i] = 0;
		if (fabs(system.pivots[i]) > handle->zero)
			continue;
		if (handle->boost == 0)
			return i;
		system.pivots[i] = handle->boost;
		handle->boosted = true;
	}
	return -1;
}

static cusolverStatus_t factor_all(cusolverRfHandle_t handle)
{
	room_for<double> row(handle->of->n);

	if (!row.at)
		return CUSOLVER_STATUS_ALLOC_FAILED;
	handle->boosted = handle->factored = false;
	for (int s = 0; s < handle->of->count; s++)
		handle->of->zero[s] = factor(handle, system_of(handle->of, s), row.at);
	return CUSOLVER_STATUS_SUCCESS;
}

static void solve_one(systems *of, const system_of &system, const int *p, const int *q, double *x,
		      double *y)
{
	for (int i = 0; i < of->n; i++) {
		const line<double> &l = of->lower[i];

		y[i] = x[p[i]];
		for (int e = 0; e < l.count; e++)
			y[i] -= system.lower[of->lower_at[i] + e] * y[l.index[e]];
	}
	for (int i = of->n - 1; i >= 0; i--) {
		const line<double> &u = of->upper[i];

		for (int e = 0; e < u.count; e++)
			y[i] -= system.upper[of->upper_at[i] + e] * y[u.index[e]];
		y[i] /= system.pivots[i];
	}
	for (int i = 0; i < of->n; i++)
		x[q[i]] = y[i];
}

/* Systems with a pivot that is zero are left out: their right sides stay. */
static cusolverStatus_t solve_all(cusolverRfHandle_t handle, const int *p, const int *q, int nrhs,
				  double *const *sides, int64_t ldx)
{
	int n = handle->of->n;
	room_for<int> rows(n), columns(n), unused(n);
	room_for<double> side(n), y(n);
	room_for<double *> lists(handle->of->count);

	if (!rows.at || !columns.at || !unused.at || !side.at || !y.at || !lists.at)
		return CUSOLVER_STATUS_ALLOC_FAILED;
	SOLVER_TRY(fetch(rows.at, p, n));
	SOLVER_TRY(fetch(columns.at, q, n));
	SOLVER_WANT(permutation(rows.at, n, unused.at) && permutation(columns.at, n, unused.at));
	SOLVER_TRY(fetch(lists.at, sides, handle->of->count));
	for (int s = 0; s < handle->of->count; s++) {
		system_of system(handle->of, s);

		for (int r = 0; r < nrhs && handle->of->zero[s] < 0; r++) {
			double *at = lists[s] + r * ldx;

			SOLVER_WANT(lists[s]);
			SOLVER_TRY(fetch(side.at, at, n));
			solve_one(handle->of, system, rows.at, columns.at, side.at, y.at);
			SOLVER_TRY(fetch(at, side.at, n));
		}
	}
	return CUSOLVER_STATUS_SUCCESS;
}

static cusolverStatus_t analyse(cusolverRfHandle_t handle, bool batch)
{
	RF_ALIVE(handle);
	SOLVER_WANT(handle->of && handle->of->batch == batch);
	refactor_drop(handle);
	handle->analysed = handle->factored = false;
	if (!find_pattern(handle->of) || !make_room(handle->of))
		return CUSOLVER_STATUS_ALLOC_FAILED;
	handle->analysed = true;
	return CUSOLVER_STATUS_SUCCESS;
}

} // namespace solver

using namespace solver;

EXPORT cusolverStatus_t cusolverRfDestroy(cusolverRfHandle_t handle)
{
	RF_ALIVE(handle);
	forget(handle);
	live_delete(handle, SOLVER_RF);
	return CUSOLVER_STATUS_SUCCESS;
}

/* Numbers of the factors do not matter: they are made again. */
#define RF_SETUP(name)                                                                             \
	EXPORT cusolverStatus_t name(int n, int nnz, int *o, int *c, double *v, int lnnz, int *lo, \
				     int *lc, double *, int unnz, int *uo, int *uc, double *,      \
				     int *p, int *q, cusolverRfHandle_t handle)                    \
	{                                                                                          \
		given g = {n, nnz, o, c, lnnz, lo, lc, unnz, uo, uc, p, q};                        \
                                                                                                   \
		return set_up(handle, g, 1, false, &v);                                            \
	}
RF_SETUP(cusolverRfSetupHost)
RF_SETUP(cusolverRfSetupDevice)

EXPORT cusolverStatus_t cusolverRfBatchSetupHost(int count, int n, int nnz, int *o, int *c,
						 double *v[], int lnnz, int *lo, int *lc, double *,
						 int unnz, int *uo, int *uc, double *, int *p,
						 int *q, cusolverRfHandle_t handle)
{
	given g = {n, nnz, o, c, lnnz, lo, lc, unnz, uo, uc, p, q};

	SOLVER_WANT(v);
	return set_up(handle, g, count, true, v);
}

EXPORT cusolverStatus_t cusolverRfResetValues(int n, int nnz, int *, int *, double *values, int *p,
					      int *q, cusolverRfHandle_t handle)
{
	RF_ALIVE(handle);
	SOLVER_WANT(handle->of && !handle->of->batch && handle->of->n == n &&
		    handle->of->nnz == nnz && p && q);
	handle->factored = false;
	return take_values(handle->of, &values);
}

EXPORT cusolverStatus_t cusolverRfBatchResetValues(int count, int n, int nnz, int *, int *,
						   double *values[], int *p, int *q,
						   cusolverRfHandle_t handle)
{
	RF_ALIVE(handle);
	SOLVER_WANT(handle->of && handle->of->batch && handle->of->count == count &&
		    handle->of->n == n && handle->of->nnz == nnz && values && p && q);
	handle->factored = false;
	return take_values(handle->of, values);
}

EXPORT cusolverStatus_t cusolverRfAnalyze(cusolverRfHandle_t handle)
{
	return analyse(handle, false);
}

EXPORT cusolverStatus_t cusolverRfBatchAnalyze(cusolverRfHandle_t handle)
{
	return analyse(handle, true);
}

EXPORT cusolverStatus_t cusolverRfRefactor(cusolverRfHandle_t handle)
{
	RF_ALIVE(handle);
	SOLVER_WANT(handle->of && !handle->of->batch && handle->analysed);
	SOLVER_TRY(factor_all(handle));
	if (handle->of->zero[0] >= 0)
		return CUSOLVER_STATUS_ZERO_PIVOT;
	handle->factored = true;
	return refactor_update(handle);
}

/* Zero pivots are told by cusolverRfBatchZeroPivot(). */
EXPORT cusolverStatus_t cusolverRfBatchRefactor(cusolverRfHandle_t handle)
{
	RF_ALIVE(handle);
	SOLVER_WANT(handle->of && handle->of->batch && handle->analysed);
	SOLVER_TRY(factor_all(handle));
	handle->factored = true;
	return CUSOLVER_STATUS_SUCCESS;
}

EXPORT cusolverStatus_t cusolverRfBatchZeroPivot(cusolverRfHandle_t handle, int *position)
{
	RF_ALIVE(handle);
	SOLVER_WANT(handle->of && handle->of->batch && handle->factored && position);
	memcpy(position, handle->of->zero.at, handle->of->count * sizeof(int));
	return CUSOLVER_STATUS_SUCCESS;
}

EXPORT cusolverStatus_t cusolverRfSolve(cusolverRfHandle_t handle, int *p, int *q, int nrhs,
					double *work, int ldwork, double *x, int ldx)
{
	RF_ALIVE(handle);
	SOLVER_WANT(handle->of && !handle->of->batch && handle->factored && nrhs >= 0 && work && x);
	SOLVER_WANT(ldwork >= handle->of->n && ldx >= handle->of->n);
	return solve_all(handle, p, q, nrhs, &x, ldx);
}

EXPORT cusolverStatus_t cusolverRfBatchSolve(cusolverRfHandle_t handle, int *p, int *q, int nrhs,
					     double *work, int ldwork, double *x[], int ldx)
{
	RF_ALIVE(handle);
	SOLVER_WANT(handle->of && handle->of->batch && handle->factored && nrhs >= 0 && work && x);
	SOLVER_WANT(ldwork >= handle->of->n && ldx >= handle->of->n);
	return solve_all(handle, p, q, nrhs, x, ldx);
}

// SPDX-License-Identifier: MIT
/*
 * cusolverRf: the factors for the program, L and U for themselves or as one matrix L - 1 + U; lists
 * of the host are the program's to free.
 */
#include "refactor.h"

namespace solver
{

/* A matrix in three lists; what could not be had is NULL. */
struct lists {
	int *offsets, *columns;
	double *values;

	lists(int n, int64_t nnz)
	    : offsets((int *)malloc((n + 1) * sizeof(int))),
	      columns((int *)malloc((nnz + 1) * sizeof(int))),
	      values((double *)malloc((nnz + 1) * sizeof(double)))
	{
		if (offsets)
			offsets[0] = 0;
	}
	bool good() const
	{
		return offsets && columns && values;
	}
	void drop()
	{
		free(offsets);
		free(columns);
		free(values);
	}
	void add(int row, int column, double value)
	{
		columns[offsets[row + 1]] = column;
		values[offsets[row + 1]++] = value;
	}
};

static void add_lower(const systems *of, lists *to, int i)
{
	for (int e = 0; e < of->lower.at[i].count; e++)
		to->add(i, of->lower.at[i].index[e], of->lower_values[of->lower_at.at[i] + e]);
}

static void add_upper(const systems *of, lists *to, int i)
{
	to->add(i, i, of->pivots.at[i]);
	for (int e = 0; e < of->upper.at[i].count; e++)
		to->add(i, of->upper.at[i].index[e], of->upper_values[of->upper_at.at[i] + e]);
}

static int bundled_nnz(const systems *of)
{
	return of->lower_at.at[of->n] + of->upper_at.at[of->n] + of->n;
}

static lists bundle(const systems *of)
{
	lists m(of->n, bundled_nnz(of));

	for (int i = 0; m.good() && i < of->n; i++) {
		m.offsets[i + 1] = m.offsets[i];
		add_lower(of, &m, i);
		add_upper(of, &m, i);
	}
	return m;
}

static cusolverStatus_t can_extract(cusolverRfHandle_t handle)
{
	RF_ALIVE(handle);
	SOLVER_WANT(handle->of && !handle->of->batch && handle->factored);
	return CUSOLVER_STATUS_SUCCESS;
}

static cusolverStatus_t send(const systems *of, const lists &m, cusolverRfHandle_t handle)
{
	size_t nnz = (size_t)bundled_nnz(of), rows = (size_t)of->n + 1;

	SOLVER_TRY(solver_status(cudaMemcpy(handle->device_offsets, m.offsets, rows * sizeof(int),
					    cudaMemcpyHostToDevice)));
	SOLVER_TRY(solver_status(cudaMemcpy(handle->device_columns, m.columns, nnz * sizeof(int),
					    cudaMemcpyHostToDevice)));
	return solver_status(cudaMemcpy(handle->device_values, m.values, nnz * sizeof(double),
					cudaMemcpyHostToDevice));
}

void refactor_drop(cusolverRfHandle_t handle)
{
	cudaFree(handle->device_offsets);
	cudaFree(handle->device_columns);
	cudaFree(handle->device_values);
	handle->device_offsets = handle->device_columns = NULL;
	handle->device_values = NULL;
}

/* Memory of the device; what of it there was not, is NULL. */
static cusolverStatus_t take(cusolverRfHandle_t handle, size_t rows, size_t entries)
{
	SOLVER_TRY(solver_status(
		cudaMalloc((void **)&handle->device_offsets, rows * sizeof(int))));
	SOLVER_TRY(solver_status(
		cudaMalloc((void **)&handle->device_columns, entries * sizeof(int))));
	return solver_status(
		cudaMalloc((void **)&handle->device_values, entries * sizeof(double)));
}

cusolverStatus_t refactor_update(cusolverRfHandle_t handle)
{
	if (!handle->device_values)
		return CUSOLVER_STATUS_SUCCESS;
	lists m = bundle(handle->of);
	cusolverStatus_t status =
		m.good() ? send(handle->of, m, handle) : CUSOLVER_STATUS_ALLOC_FAILED;
	m.drop();
	return status;
}

} // namespace solver

using namespace solver;

/* What the pointers lead to is the handle's, and follows each cusolverRfRefactor(). */
EXPORT cusolverStatus_t cusolverRfAccessBundledFactorsDevice(cusolverRfHandle_t handle, int *nnz,
							     int **offsets, int **columns,
							     double **values)
{
	SOLVER_TRY(can_extract(handle));
	SOLVER_WANT(nnz && offsets && columns && values);
	size_t entries = (size_t)bundled_nnz(handle->of), rows = (size_t)handle->of->n + 1;

	if (!handle->device_values) {
		cusolverStatus_t status = take(handle, rows, entries);

		if (status) {
			refactor_drop(handle);
			return status;
		}
	}
	SOLVER_TRY(refactor_update(handle));
	*nnz = (int)entries;
	*offsets = handle->device_offsets;
	*columns = handle->device_columns;
	*values = handle->device_values;
	return CUSOLVER_STATUS_SUCCESS;
}

EXPORT cusolverStatus_t cusolverRfExtractBundledFactorsHost(cusolverRfHandle_t handle, int *nnz,
							    int **offsets, int **columns,
							    double **values)
{
	SOLVER_TRY(can_extract(handle));
	SOLVER_WANT(nnz && offsets && columns && values);
	lists m = bundle(handle->of);

	if (!m.good()) {
		m.drop();
		return CUSOLVER_STATUS_ALLOC_FAILED;
	}
	*nnz = bundled_nnz(handle->of);
	*offsets = m.offsets;
	*columns = m.columns;
	*values = m.values;
	return CUSOLVER_STATUS_SUCCESS;
}

/* L has its diagonal of ones if the format says that it is stored. */
EXPORT cusolverStatus_t cusolverRfExtractSplitFactorsHost(
	cusolverRfHandle_t handle, int *lnnz, int **loffsets, int **lcolumns, double **lvalues,
	int *unnz, int **uoffsets, int **ucolumns, double **uvalues)
{
	SOLVER_TRY(can_extract(handle));
	SOLVER_WANT(lnnz && loffsets && lcolumns && lvalues);
	SOLVER_WANT(unnz && uoffsets && ucolumns && uvalues);
	const systems *of = handle->of;
	int n = of->n;
	bool stored = handle->diagonal == CUSOLVERRF_UNIT_DIAGONAL_STORED_L;
	lists l(n, of->lower_at.at[n] + n), u(n, of->upper_at.at[n] + n);

	if (!l.good() || !u.good()) {
		l.drop();
		u.drop();
		return CUSOLVER_STATUS_ALLOC_FAILED;
	}
	for (int i = 0; i < n; i++) {
		l.offsets[i + 1] = l.offsets[i];
		u.offsets[i + 1] = u.offsets[i];
		add_lower(of, &l, i);
		if (stored)
			l.add(i, i, 1);
		add_upper(of, &u, i);
	}
	*lnnz = l.offsets[n];
	*loffsets = l.offsets;
	*lcolumns = l.columns;
	*lvalues = l.values;
	*unnz = u.offsets[n];
	*uoffsets = u.offsets;
	*ucolumns = u.columns;
	*uvalues = u.values;
	return CUSOLVER_STATUS_SUCCESS;
}

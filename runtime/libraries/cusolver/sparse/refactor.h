/* SPDX-License-Identifier: MIT */
/*
 * cusolverRf: what a handle has. One pattern is for one system or for a batch of them, whose
 * numbers are one after the other.
 */
#ifndef CUSOLVER_REFACTOR_H
#define CUSOLVER_REFACTOR_H

#include "cusolverRf.h"
#include "lines.h"
#include "sparse.h"

namespace solver
{

/* P A Q' = L U for `count` matrices of one pattern */
struct systems {
	int n, nnz, count;
	bool batch; /* set up by the functions of batches */
	room_for<int> offsets, columns, p, place; /* place: of a column of A in L U */
	lines<double> start; /* rows of both factors as they were given */
	/* from the analysis: rows without the diagonal, columns ascend; where their numbers are */
	lines<double> lower, upper;
	room_for<int> lower_at, upper_at;
	/* of each system: A; L and U without the diagonal; U's diagonal */
	room_for<double> values, pivots;
	double *lower_values, *upper_values;
	room_for<int> zero; /* the first row whose pivot is zero, or -1 */

	systems(int rows, int entries, int systems, bool of_batch)
	    : n(rows), nnz(entries), count(systems), batch(of_batch), offsets(rows + 1),
	      columns(entries), p(rows), place(rows), start(rows), lower(rows), upper(rows),
	      lower_at(rows + 1), upper_at(rows + 1), values((int64_t)entries * systems),
	      pivots((int64_t)rows * systems), lower_values(NULL), upper_values(NULL),
	      zero(systems)
	{
	}
	~systems()
	{
		free(lower_values);
		free(upper_values);
	}
	bool good() const
	{
		return offsets.at && columns.at && p.at && place.at && values.at && pivots.at &&
		       start.at && lower.at && upper.at && lower_at.at && upper_at.at && zero.at;
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
	solver::systems *of; /* NULL: not set up */
	/* Both factors on the device, once they were asked for there */
	int *device_offsets, *device_columns;
	double *device_values;
};

namespace solver
{

#define EXPORT extern "C" __attribute__((visibility("default")))
#define RF_ALIVE(handle) SOLVER_ALIVE(handle, SOLVER_RF)

/* The device's factors, if they are there, become those of now; in sparse/refactor_extract.cu */
cusolverStatus_t refactor_update(cusolverRfHandle_t handle);
void refactor_drop(cusolverRfHandle_t handle);

} // namespace solver

#endif

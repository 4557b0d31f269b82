/* SPDX-License-Identifier: MIT */
/*
 * Triangular matrices: their rows in levels. A row needs rows of earlier levels only, so all rows
 * of a level are solved at once, by one block of threads that waits after each level: nothing
 * spins, and the sums are the same every time.
 */
#ifndef CUSPARSE_TRIANGLE_H
#define CUSPARSE_TRIANGLE_H

#include "products.h"

namespace sparse
{

struct triangle {
	matrix_rows rows;
	bool lower, unit;
	const int *order; /* the rows by levels */
	const int *level_offsets; /* where each level begins in it */
	const int *levels; /* of the rows in order; the last is the highest */
	int *pivot; /* the first row with a zero on its diagonal; INT_MAX: none */
};

/* Bytes that make_triangle() needs: OP(m), and a copy of the values where with_values. */
cusparseStatus_t triangle_bytes(const cusparseSpMatDescr *m, cusparseOperation_t op, size_t *bytes);
/*
 * lower: which triangle of m, before OP. What lies in the other one is not read. The rows of
 * OP(m), their levels and the pivot where the diagonal has no entry. Enqueued only.
 */
cusparseStatus_t make_triangle(cusparseHandle_t handle, const cusparseSpMatDescr *m,
			       cusparseOperation_t op, bool lower, bool unit, void *buffer,
			       triangle *t);
/* OP(m) * x = alpha * b for n columns of x and b, which may be the same. */
cusparseStatus_t solve_triangle(cusparseHandle_t handle, const triangle *t, cudaDataType compute,
				const void *values, cudaDataType type, const void *alpha,
				const cusparseDnMatDescr *b, cusparseOperation_t op_b,
				const cusparseDnMatDescr *x, int64_t n);
/* The values on the diagonal, of n rows: to[where] = from[row]. */
cusparseStatus_t replace_diagonal(cusparseHandle_t handle, const triangle *t, void *to,
				  const void *from, cudaDataType type);

/* What the pointers' functions keep from the analysis to the solution, in memory of its own: one
 * buffer may be for several of them. */
struct analysis {
	struct live_object object;
	void *memory;
	triangle t;
	int *diagonal; /* of factors: where it is in each row */
	bool ready;
	int base;
	int64_t n, nnz;
	/* numeric boost */
	bool boost;
	const double *tolerance;
	const void *boosted;
};
cusparseStatus_t new_analysis(analysis **made, enum sparse_kind kind);
cusparseStatus_t delete_analysis(analysis *a, enum sparse_kind kind);
/* A plan anew, in memory of the analysis' own, with EXTRA ints for the diagonal */
cusparseStatus_t analyse(cusparseHandle_t handle, analysis *a, const cusparseSpMatDescr *m,
			 cusparseOperation_t op, bool lower, bool unit, bool diagonal);
/* The position of the first zero on the diagonal for the caller; waits */
cusparseStatus_t zero_pivot(cusparseHandle_t handle, const analysis *a, int *position,
			    const char *function);

} // namespace sparse

/* What programs have of an analysis that is an object of theirs; where namespace sparse is used */
#define SPARSE_INFO(Name, name, kind)                                                             \
	SPARSE_API cusparseCreate##Name##Info(name##Info_t *info)                          \
	{                                                                                  \
		return new_analysis((analysis **)info, kind);                              \
	}                                                                                  \
	SPARSE_API cusparseDestroy##Name##Info(name##Info_t info)                          \
	{                                                                                  \
		return delete_analysis((analysis *)info, kind);                            \
	}                                                                                  \
	SPARSE_API cusparseX##name##_zeroPivot(cusparseHandle_t handle, name##Info_t info, \
					       int *position)                              \
	{                                                                                  \
		SPARSE_CHECK(handle);                                                      \
		SPARSE_WANT(live_is(info, kind));                                     \
		return zero_pivot(handle, (analysis *)info, position, __func__);           \
	}

#endif

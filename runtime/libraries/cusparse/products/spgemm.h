/* SPDX-License-Identifier: MIT */
/*
 * Products of two sparse matrices in CSR: each product of two entries is put down, all are sorted
 * by row and column, and those of one place are added up in the order in which they were put down.
 */
#ifndef CUSPARSE_SPGEMM_H
#define CUSPARSE_SPGEMM_H

#include "products.h"

namespace sparse
{

struct gemm_plan {
	int64_t products; /* -1: not counted yet */
	int64_t nnz; /* of the result; -1: not known yet */
	int64_t *starts; /* for each entry of A: its first product */
	/* of the products, in order: those of a place begin at first[place] */
	int *a_entries, *b_entries, *order, *rows, *columns, *first;
};

/* Bytes for the products' starts, and for the rest */
size_t gemm_bytes1(const cusparseSpMatDescr *a);
size_t gemm_bytes2(const gemm_plan *p);
/* Counts the products; waits. */
cusparseStatus_t gemm_count(cusparseHandle_t handle, const cusparseSpMatDescr *a,
			    const cusparseSpMatDescr *b, void *buffer, gemm_plan *p,
			    const char *function);
/* Finds the places of the result; waits. */
cusparseStatus_t gemm_places(cusparseHandle_t handle, const cusparseSpMatDescr *a,
			     const cusparseSpMatDescr *b, void *buffer, gemm_plan *p,
			     const char *function);
/* Offsets and columns of the result */
cusparseStatus_t gemm_pattern(cusparseHandle_t handle, const gemm_plan *p, int64_t rows,
			      index_array offsets, index_array columns);
/* c = alpha * a * b + beta * c, where the result has places */
cusparseStatus_t gemm_values(cusparseHandle_t handle, const gemm_plan *p, const void *alpha,
			     const cusparseSpMatDescr *a, const cusparseSpMatDescr *b,
			     const void *beta, const cusparseSpMatDescr *c, cudaDataType compute);

} // namespace sparse

#endif

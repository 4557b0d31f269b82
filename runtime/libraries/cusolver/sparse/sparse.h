/* SPDX-License-Identifier: MIT */
/* What the sparse part shares; for C and C++. */
#ifndef CUSOLVER_SPARSE_H
#define CUSOLVER_SPARSE_H

#include "../objects.h"
#include "cusolverSp.h"

#ifdef __cplusplus
extern "C" {
#endif

struct cusolverSpContext {
	struct solver_handle handle;
};

/* 0 or 1; -1: there is no descriptor, or nobody to ask */
int sparse_base(const cusparseMatDescr_t a, const char *function);
/* Whether these are the lists of a matrix in memory of the host */
bool sparse_pattern(int m, int n, int nnz, int base, const int *offsets, const int *columns);

/* The orders that functions name by number: 0 none, 1 symrcm, 2 symamd, 3 metisnd; and symmdq */
enum sparse_order { ORDER_NONE, ORDER_RCM, ORDER_AMD, ORDER_ND, ORDER_MDQ };
/*
 * order[k]: the row that comes at place k, from 0, of the pattern of A and its transpose. False: no
 * memory. In sparse/order.c.
 */
bool sparse_reorder(enum sparse_order kind, int n, int base, const int *offsets, const int *columns,
		    int *order);

#ifdef __cplusplus
}
#endif

#endif

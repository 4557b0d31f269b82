// SPDX-License-Identifier: MIT
/* Rows and columns of a pattern in other orders; whether it is symmetric. */
#include "sparse.h"

#include <stdlib.h>
#include <string.h>

VGPU_API cusolverStatus_t cusolverSpXcsrissymHost(cusolverSpHandle_t handle, int n, int nnz,
						  const cusparseMatDescr_t a, const int *offsets,
						  const int *ends, const int *columns,
						  int *symmetric)
{
	SOLVER_TRY(solver_check(handle, SOLVER_SP, __func__));
	int base = sparse_base(a, __func__);

	SOLVER_WANT(n >= 0 && nnz >= 0 && base >= 0 && offsets && ends && symmetric &&
		    (!nnz || columns));
	for (int i = 0; i < n; i++) {
		SOLVER_WANT(offsets[i] >= base && ends[i] >= offsets[i] && ends[i] - base <= nnz);
		for (int e = offsets[i] - base; e < ends[i] - base; e++)
			SOLVER_WANT(columns[e] >= base && columns[e] - base < n);
	}
	*symmetric = 1;
	for (int i = 0; i < n; i++)
		for (int e = offsets[i] - base; e < ends[i] - base; e++) {
			int j = columns[e] - base;
			bool found = false;

			for (int f = offsets[j] - base; !found && f < ends[j] - base; f++)
				found = columns[f] - base == i;
			if (!found)
				*symmetric = 0;
		}
	return CUSOLVER_STATUS_SUCCESS;
}

/* Offsets, columns, the old places of entries, places of columns */
static size_t perm_bytes(int m, int n, int nnz)
{
	return ((size_t)m + 1 + 2 * (size_t)nnz + n) * sizeof(int);
}

VGPU_API cusolverStatus_t cusolverSpXcsrperm_bufferSizeHost(cusolverSpHandle_t handle, int m, int n,
							    int nnz, const cusparseMatDescr_t a,
							    const int *offsets, const int *columns,
							    const int *rows_order,
							    const int *columns_order, size_t *bytes)
{
	SOLVER_TRY(solver_check(handle, SOLVER_SP, __func__));
	SOLVER_WANT(sparse_pattern(m, n, nnz, sparse_base(a, __func__), offsets, columns) && bytes);
	(void)rows_order;
	(void)columns_order;
	*bytes = perm_bytes(m, n, nnz);
	return CUSOLVER_STATUS_SUCCESS;
}

/* An entry of a row that is being sorted: by column, then by where it was */
struct entry {
	int column, from;
};

static int by_column(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	return x->column != y->column ? (x->column > y->column) - (x->column < y->column)
				      : (x->from > y->from) - (x->from < y->from);
}

VGPU_API cusolverStatus_t cusolverSpXcsrpermHost(cusolverSpHandle_t handle, int m, int n, int nnz,
						 const cusparseMatDescr_t a, int *offsets,
						 int *columns, const int *rows_order,
						 const int *columns_order, int *map, void *buffer)
{
	SOLVER_TRY(solver_check(handle, SOLVER_SP, __func__));
	int base = sparse_base(a, __func__), *starts = buffer, *places, count = 0;
	struct entry *entries;

	SOLVER_WANT(sparse_pattern(m, n, nnz, base, offsets, columns));
	SOLVER_WANT((!m || rows_order) && (!n || columns_order) && (!nnz || map) && buffer);
	entries = (struct entry *)(starts + m + 1);
	places = starts + m + 1 + 2 * (size_t)nnz;
	for (int j = 0; j < n; j++)
		places[j] = -1;
	for (int j = 0; j < n; j++) {
		int c = columns_order[j];

		SOLVER_WANT(c >= 0 && c < n && places[c] < 0);
		places[c] = j;
	}
	for (int i = 0; i < m; i++)
		SOLVER_WANT(rows_order[i] >= 0 && rows_order[i] < m);
	for (int i = 0; i < m; i++) {
		int row = rows_order[i], begin = count;

		starts[i] = count + base;
		SOLVER_WANT(count + (offsets[row + 1] - offsets[row]) <= nnz);
		for (int e = offsets[row] - base; e < offsets[row + 1] - base; e++) {
			entries[count].column = places[columns[e] - base];
			entries[count++].from = e;
		}
		qsort(entries + begin, count - begin, sizeof(*entries), by_column);
	}
	SOLVER_WANT(count == nnz);
	starts[m] = count + base;
	memcpy(offsets, starts, ((size_t)m + 1) * sizeof(int));
	/* the map goes with its entries: map has numbers of the caller's */
	for (int e = 0; e < nnz; e++)
		columns[e] = map[e];
	for (int e = 0; e < nnz; e++)
		map[e] = columns[entries[e].from];
	for (int e = 0; e < nnz; e++)
		columns[e] = entries[e].column + base;
	return CUSOLVER_STATUS_SUCCESS;
}

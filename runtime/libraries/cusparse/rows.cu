// SPDX-License-Identifier: MIT
/* Lists of rows of matrices; no kernels. */
#include "rows.h"

namespace sparse
{

// In CSC and COO the entries are those of the transposed matrix's rows, or of the matrix's own.
static bool as_it_is(const cusparseSpMatDescr *m, cusparseOperation_t op)
{
	bool turned = op != CUSPARSE_OPERATION_NON_TRANSPOSE;

	return m->format == CUSPARSE_FORMAT_CSC ? turned : !turned;
}

cusparseStatus_t rows_bytes(const cusparseSpMatDescr *m, cusparseOperation_t op, size_t *bytes)
{
	*bytes = 0;
	if (as_it_is(m, op) || !m->nnz)
		return CUSPARSE_STATUS_SUCCESS;
	if (m->format != CUSPARSE_FORMAT_CSR && m->format != CUSPARSE_FORMAT_CSC &&
	    m->format != CUSPARSE_FORMAT_COO)
		return CUSPARSE_STATUS_NOT_SUPPORTED;
	if (m->nnz > INT32_MAX || m->rows > INT32_MAX || m->cols > INT32_MAX)
		return CUSPARSE_STATUS_INSUFFICIENT_RESOURCES;
	*bytes = SLACK + transpose_bytes(m->nnz);
	return CUSPARSE_STATUS_SUCCESS;
}

static cusparseStatus_t sort_entries(cusparseHandle_t handle, int64_t limit, int64_t nnz,
				     index_array others, int *keys, index_array new_columns,
				     int *order, void *scratch)
{
	SPARSE_TRY(identity(handle, nnz, order));
	SPARSE_TRY(sort(handle, nnz, limit, keys, order, scratch));
	return gather_indices(handle, nnz, others, order, new_columns);
}

cusparseStatus_t transpose(cusparseHandle_t handle, int64_t rows, int64_t cols, int64_t nnz,
			   index_array offsets, index_array columns, int *new_rows,
			   index_array new_columns, int *order, void *scratch)
{
	// The rows of the entries are needed twice: in the order of the matrix only to be
	// gathered from, so they lie in the scratch memory's place behind what sort() uses.
	int *own_rows = (int *)((char *)scratch + sort_bytes(nnz));

	SPARSE_TRY(rows_of(handle, rows, offsets, indices(own_rows, 0)));
	SPARSE_TRY(identity(handle, nnz, order));
	SPARSE_TRY(gather_indices(handle, nnz, columns, order, indices(new_rows, 0)));
	return sort_entries(handle, cols, nnz, indices(own_rows, 0), new_rows, new_columns, order,
			    scratch);
}

cusparseStatus_t make_rows(cusparseHandle_t handle, const cusparseSpMatDescr *m,
			   cusparseOperation_t op, void *buffer, matrix_rows *r)
{
	bool turned = op != CUSPARSE_OPERATION_NON_TRANSPOSE;

	*r = matrix_rows();
	r->rows = turned ? m->cols : m->rows;
	r->cols = turned ? m->rows : m->cols;
	r->nnz = m->nnz;
	r->conjugate = op == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE;
	r->offsets = indices(m->offsets, m->offset_type, m->base);
	r->columns = indices(m->indices, m->index_type, m->base);
	r->tall = m->tall;
	r->wide = m->wide;
	r->by_columns = m->order == CUSPARSE_ORDER_COL;
	r->offsets_stride = m->offsets_stride;
	r->columns_stride = m->indices_stride;
	r->values_stride = m->values_stride;
	if (as_it_is(m, op) || !m->nnz) {
		// without entries nothing is read of a list of sorted rows
		r->form = m->format == CUSPARSE_FORMAT_COO || !m->nnz	? BY_SORTED_ROWS
			  : m->format == CUSPARSE_FORMAT_BSR		? IN_BLOCKS
			  : m->format == CUSPARSE_FORMAT_BLOCKED_ELL	? BLOCKED_ELL
			  : m->format == CUSPARSE_FORMAT_SLICED_ELLPACK ? SLICED
									: BY_OFFSETS;
		return CUSPARSE_STATUS_SUCCESS;
	}
	size_t bytes;
	SPARSE_TRY(rows_bytes(m, op, &bytes));
	SPARSE_WANT(buffer);
	if (m->count > 1) {
		sparse_say("cusparse", "a batch of transposed matrices is not supported");
		return CUSPARSE_STATUS_NOT_SUPPORTED;
	}
	places p = places_in(buffer);
	int *keys = p.take<int>(m->nnz), *columns = p.take<int>(m->nnz);
	int *order = p.take<int>(m->nnz);
	char *scratch = p.take<char>(0);
	if (m->format == CUSPARSE_FORMAT_COO) {
		SPARSE_TRY(identity(handle, m->nnz, order));
		SPARSE_TRY(gather_indices(handle, m->nnz, r->columns, order, indices(keys, 0)));
		SPARSE_TRY(sort_entries(handle, r->rows, m->nnz, r->offsets, keys,
					indices(columns, 0), order, scratch));
	} else {
		// in CSC: the matrix is the transposed one of a matrix in CSR
		int64_t lines = m->format == CUSPARSE_FORMAT_CSC ? m->cols : m->rows;

		SPARSE_TRY(transpose(handle, lines, r->rows, m->nnz, r->offsets, r->columns, keys,
				     indices(columns, 0), order, scratch));
	}
	r->form = BY_SORTED_ROWS;
	r->offsets = indices(keys, 0);
	r->columns = indices(columns, 0);
	r->order = order;
	return CUSPARSE_STATUS_SUCCESS;
}

} // namespace sparse

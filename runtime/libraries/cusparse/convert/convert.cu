// SPDX-License-Identifier: MIT
/* Conversions of CSR, CSC and COO that are given by pointers, and sorting. */
#include "rows.h"

using namespace sparse;

static bool good_base(cusparseIndexBase_t base)
{
	return (unsigned)base <= 1;
}

SPARSE_API cusparseXcoo2csr(cusparseHandle_t handle, const int *rows, int nnz, int m, int *offsets,
			    cusparseIndexBase_t base)
{
	SPARSE_CHECK(handle);
	SPARSE_WANT(nnz >= 0 && m >= 0 && good_base(base) && offsets && (rows || !nnz));
	return offsets_of(handle, nnz, indices(rows, base), m, indices(offsets, base));
}

SPARSE_API cusparseXcsr2coo(cusparseHandle_t handle, const int *offsets, int nnz, int m, int *rows,
			    cusparseIndexBase_t base)
{
	SPARSE_CHECK(handle);
	SPARSE_WANT(nnz >= 0 && m >= 0 && good_base(base));
	if (!nnz)
		return CUSPARSE_STATUS_SUCCESS;
	SPARSE_WANT(offsets && rows);
	return rows_of(handle, m, indices(offsets, base), indices(rows, base));
}

SPARSE_API cusparseCreateIdentityPermutation(cusparseHandle_t handle, int n, int *p)
{
	SPARSE_CHECK(handle);
	SPARSE_WANT(n >= 0 && (p || !n));
	return identity(handle, n, p);
}

SPARSE_API cusparseCsr2cscEx2_bufferSize(cusparseHandle_t handle, int m, int n, int nnz,
					 const void *, const int *, const int *, void *, int *,
					 int *, cudaDataType type, cusparseAction_t action,
					 cusparseIndexBase_t base, cusparseCsr2CscAlg_t alg,
					 size_t *bytes)
{
	SPARSE_CHECK(handle);
	SPARSE_WANT(m >= 0 && n >= 0 && nnz >= 0 && good_base(base) && bytes);
	SPARSE_WANT((unsigned)action <= 1 && (unsigned)alg >= 1 && (unsigned)alg <= 2);
	if (!sparse_size(type))
		return CUSPARSE_STATUS_NOT_SUPPORTED;
	*bytes = SLACK + transpose_bytes(nnz);
	return CUSPARSE_STATUS_SUCCESS;
}

// Buffer as cusparseCsr2cscEx2_bufferSize() says
static cusparseStatus_t csr2csc(cusparseHandle_t handle, int m, int n, int nnz, const void *values,
				const int *offsets, const int *columns, void *csc_values,
				int *csc_offsets, int *csc_rows, size_t size, int base,
				void *buffer)
{
	places p = places_in(buffer);
	int *keys = p.take<int>(nnz), *order = p.take<int>(nnz);
	char *scratch = p.take<char>(0);

	if (nnz)
		SPARSE_TRY(transpose(handle, m, n, nnz, indices(offsets, base),
				     indices(columns, base), keys, indices(csc_rows, base), order,
				     scratch));
	SPARSE_TRY(offsets_of(handle, nnz, indices(keys, 0), n, indices(csc_offsets, base)));
	return size ? gather_values(handle, nnz, values, order, csc_values, size)
		    : CUSPARSE_STATUS_SUCCESS;
}

SPARSE_API cusparseCsr2cscEx2(cusparseHandle_t handle, int m, int n, int nnz, const void *values,
			      const int *offsets, const int *columns, void *csc_values,
			      int *csc_offsets, int *csc_rows, cudaDataType type,
			      cusparseAction_t action, cusparseIndexBase_t base,
			      cusparseCsr2CscAlg_t, void *buffer)
{
	bool numeric = action == CUSPARSE_ACTION_NUMERIC;

	SPARSE_CHECK(handle);
	SPARSE_WANT(m >= 0 && n >= 0 && nnz >= 0 && good_base(base) && (unsigned)action <= 1);
	SPARSE_WANT(csc_offsets && buffer && (!nnz || (offsets && columns && csc_rows)));
	SPARSE_WANT(!nnz || !numeric || (values && csc_values));
	if (!sparse_size(type))
		return CUSPARSE_STATUS_NOT_SUPPORTED;
	return csr2csc(handle, m, n, nnz, values, offsets, columns, csc_values, csc_offsets,
		       csc_rows, numeric ? sparse_size(type) : 0, base, buffer);
}

#define CSR2CSC(X, T)                                                                            \
	SPARSE_API cusparse##X##csr2csc(cusparseHandle_t handle, int m, int n, int nnz,          \
					const T *values, const int *offsets, const int *columns, \
					T *csc_values, int *csc_rows, int *csc_offsets,          \
					cusparseAction_t action, cusparseIndexBase_t base)       \
	{                                                                                        \
		bool numeric = action == CUSPARSE_ACTION_NUMERIC;                                \
		temporary t;                                                                     \
                                                                                                 \
		SPARSE_CHECK(handle);                                                            \
		SPARSE_WANT(m >= 0 && n >= 0 && nnz >= 0 && good_base(base));                    \
		SPARSE_WANT((unsigned)action <= 1 && csc_offsets);                               \
		SPARSE_WANT(!nnz || (offsets && columns && csc_rows));                           \
		SPARSE_WANT(!nnz || !numeric || (values && csc_values));                         \
		SPARSE_TRY(t.take(handle, SLACK + transpose_bytes(nnz)));                        \
		cusparseStatus_t status =                                                        \
			csr2csc(handle, m, n, nnz, values, offsets, columns, csc_values,         \
				csc_offsets, csc_rows, numeric ? sizeof(T) : 0, base, t.at);     \
		cusparseStatus_t released = t.release();                                         \
		return status ? status : released;                                               \
	}
CSR2CSC(S, float)
CSR2CSC(D, double)
CSR2CSC(C, cuComplex)
CSR2CSC(Z, cuDoubleComplex)

// ---- sorting

static cusparseStatus_t sorting_bytes(cusparseHandle_t handle, int m, int n, int nnz, size_t *bytes,
				      const char *function)
{
	SPARSE_TRY(sparse_check(handle, function));
	SPARSE_WANT(m >= 0 && n >= 0 && nnz >= 0 && bytes);
	*bytes = SLACK + 3 * padded(nnz * sizeof(int)) + sort_bytes(nnz);
	return CUSPARSE_STATUS_SUCCESS;
}

static cusparseStatus_t copy_back(cusparseHandle_t handle, int *to, const int *from, int nnz)
{
	return sparse_status(cudaMemcpyAsync(to, from, nnz * sizeof(int), cudaMemcpyDeviceToDevice,
					     handle->stream));
}

// Entries by major and minor numbers; the major ones may be of rows by offsets instead.
static cusparseStatus_t sort_entries(cusparseHandle_t handle, int majors, int minors, int nnz,
				     const int *offsets, int *major, int *minor, int *order_too,
				     int base, void *buffer)
{
	places p = places_in(buffer);
	int *rows = p.take<int>(nnz), *keys = p.take<int>(nnz), *order = p.take<int>(nnz);
	void *scratch = p.take<char>(0);

	if (nnz < 2)
		return CUSPARSE_STATUS_SUCCESS;
	if (offsets)
		SPARSE_TRY(rows_of(handle, majors, indices(offsets, base), indices(rows, 0)));
	SPARSE_TRY(sort_pairs(handle, nnz, offsets ? indices(rows, 0) : indices(major, base),
			      majors, indices(minor, base), minors, keys, order, scratch));
	if (!offsets)
		SPARSE_TRY(gather_indices(handle, nnz, indices(major, 0), order, indices(rows, 0)));
	SPARSE_TRY(gather_indices(handle, nnz, indices(minor, 0), order, indices(keys, 0)));
	SPARSE_TRY(copy_back(handle, minor, keys, nnz));
	if (!offsets)
		SPARSE_TRY(copy_back(handle, major, rows, nnz));
	if (!order_too)
		return CUSPARSE_STATUS_SUCCESS;
	SPARSE_TRY(gather_indices(handle, nnz, indices(order_too, 0), order, indices(keys, 0)));
	return copy_back(handle, order_too, keys, nnz);
}

SPARSE_API cusparseXcoosort_bufferSizeExt(cusparseHandle_t handle, int m, int n, int nnz,
					  const int *, const int *, size_t *bytes)
{
	return sorting_bytes(handle, m, n, nnz, bytes, __func__);
}

// The base is not said: numbers up to the size itself are sorted.
SPARSE_API cusparseXcoosortByRow(cusparseHandle_t handle, int m, int n, int nnz, int *rows,
				 int *columns, int *p, void *buffer)
{
	SPARSE_CHECK(handle);
	SPARSE_WANT(m >= 0 && n >= 0 && nnz >= 0 && (!nnz || (rows && columns && buffer)));
	return sort_entries(handle, m + 1, n + 1, nnz, NULL, rows, columns, p, 0, buffer);
}

SPARSE_API cusparseXcoosortByColumn(cusparseHandle_t handle, int m, int n, int nnz, int *rows,
				    int *columns, int *p, void *buffer)
{
	SPARSE_CHECK(handle);
	SPARSE_WANT(m >= 0 && n >= 0 && nnz >= 0 && (!nnz || (rows && columns && buffer)));
	return sort_entries(handle, n + 1, m + 1, nnz, NULL, columns, rows, p, 0, buffer);
}

SPARSE_API cusparseXcsrsort_bufferSizeExt(cusparseHandle_t handle, int m, int n, int nnz,
					  const int *, const int *, size_t *bytes)
{
	return sorting_bytes(handle, m, n, nnz, bytes, __func__);
}

SPARSE_API cusparseXcsrsort(cusparseHandle_t handle, int m, int n, int nnz,
			    const cusparseMatDescr_t a, const int *offsets, int *columns, int *p,
			    void *buffer)
{
	SPARSE_CHECK(handle);
	SPARSE_WANT_DESCR(a);
	SPARSE_WANT(m >= 0 && n >= 0 && nnz >= 0 && (!nnz || (offsets && columns && buffer)));
	return sort_entries(handle, m, n, nnz, offsets, NULL, columns, p, a->base, buffer);
}

SPARSE_API cusparseXcscsort_bufferSizeExt(cusparseHandle_t handle, int m, int n, int nnz,
					  const int *, const int *, size_t *bytes)
{
	return sorting_bytes(handle, m, n, nnz, bytes, __func__);
}

SPARSE_API cusparseXcscsort(cusparseHandle_t handle, int m, int n, int nnz,
			    const cusparseMatDescr_t a, const int *offsets, int *rows, int *p,
			    void *buffer)
{
	SPARSE_CHECK(handle);
	SPARSE_WANT_DESCR(a);
	SPARSE_WANT(m >= 0 && n >= 0 && nnz >= 0 && (!nnz || (offsets && rows && buffer)));
	return sort_entries(handle, n, m, nnz, offsets, NULL, rows, p, a->base, buffer);
}

// SPDX-License-Identifier: MIT
/* Products of two sparse matrices; see spgemm.h. */
#include "spgemm.h"

namespace sparse
{

static index_array offsets_of(const cusparseSpMatDescr *m)
{
	return indices(m->offsets, m->offset_type, m->base);
}
static index_array columns_of(const cusparseSpMatDescr *m)
{
	return indices(m->indices, m->index_type, m->base);
}

size_t gemm_bytes1(const cusparseSpMatDescr *a)
{
	return SLACK + padded((a->nnz + 1) * sizeof(int64_t));
}

size_t gemm_bytes2(const gemm_plan *p)
{
	return SLACK + 8 * padded((p->products + 1) * sizeof(int)) + sort_bytes(p->products);
}

static __global__ void count_products(int64_t nnz, index_array columns, index_array b_offsets,
				      int64_t *starts)
{
	SPARSE_EACH(e, nnz)
	{
		int64_t row = columns.get(e);

		starts[e + 1] = b_offsets.get(row + 1) - b_offsets.get(row);
	}
}

// The last i with at[i] <= e; those of n + 1 ascending ones
static __device__ __forceinline__ int64_t last_from(index_array at, int64_t n, int64_t e)
{
	int64_t low = 0, high = n;

	while (high - low > 1) {
		int64_t middle = low + (high - low) / 2;

		if (at.get(middle) <= e)
			low = middle;
		else
			high = middle;
	}
	return low;
}

static __global__ void put_down(int64_t products, index_array starts, int64_t a_rows, int64_t a_nnz,
				index_array a_offsets, index_array a_columns, index_array b_offsets,
				index_array b_columns, int *rows, int *columns, int *a_entries,
				int *b_entries)
{
	SPARSE_EACH(p, products)
	{
		int64_t e = last_from(starts, a_nnz, p);
		int64_t b = b_offsets.get(a_columns.get(e)) + p - starts.get(e);

		rows[p] = (int)last_from(a_offsets, a_rows, e);
		columns[p] = (int)b_columns.get(b);
		a_entries[p] = (int)e;
		b_entries[p] = (int)b;
	}
}

static __device__ __forceinline__ bool begins(int64_t i, const int *keys, const int *columns,
					      const int *order)
{
	return !i || keys[i] != keys[i - 1] || columns[order[i]] != columns[order[i - 1]];
}

static __global__ void mark_places(int64_t products, const int *keys, const int *columns,
				   const int *order, int *slots)
{
	SPARSE_EACH(i, products)
	slots[i + 1] = begins(i, keys, columns, order);
}

// The place that product i is the first of
static __global__ void take_places(int64_t products, const int *keys, const int *columns,
				   const int *order, const int *slots, int *place_rows,
				   int *place_columns, int *first)
{
	SPARSE_EACH(i, products)
	{
		if (begins(i, keys, columns, order)) {
			place_rows[slots[i]] = keys[i];
			place_columns[slots[i]] = columns[order[i]];
			first[slots[i]] = (int)i;
		}
		if (i == products - 1)
			first[slots[products]] = (int)products;
	}
}

cusparseStatus_t gemm_count(cusparseHandle_t handle, const cusparseSpMatDescr *a,
			    const cusparseSpMatDescr *b, void *buffer, gemm_plan *p,
			    const char *function)
{
	SPARSE_TRY(sparse_can_wait(handle, function));
	p->products = p->nnz = -1;
	p->starts = places_in(buffer).take<int64_t>(a->nnz + 1);
	index_array starts = indices(p->starts, CUSPARSE_INDEX_64I, 0);
	int64_t products;
	if (!a->nnz || !b->nnz) {
		p->products = 0;
		return CUSPARSE_STATUS_SUCCESS;
	}
	SPARSE_TRY(launch(handle, count_products, dim3(blocks_for(a->nnz)), dim3(THREADS), a->nnz,
			  columns_of(a), offsets_of(b), p->starts));
	SPARSE_TRY(add_up(handle, a->nnz, starts));
	SPARSE_TRY(sparse_bring(handle, &products, p->starts + a->nnz, sizeof(products), function));
	if (products > INT32_MAX - 1 || a->nnz > INT32_MAX || b->nnz > INT32_MAX ||
	    a->rows > INT32_MAX || b->cols > INT32_MAX)
		return CUSPARSE_STATUS_INSUFFICIENT_RESOURCES;
	p->products = products;
	return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t gemm_places(cusparseHandle_t handle, const cusparseSpMatDescr *a,
			     const cusparseSpMatDescr *b, void *buffer, gemm_plan *p,
			     const char *function)
{
	places at = places_in(buffer);
	int64_t n = p->products;
	int *own_columns = at.take<int>(n + 1), *slots = at.take<int>(n + 1), found;
	int *keys = at.take<int>(n + 1);

	p->a_entries = at.take<int>(n + 1);
	p->b_entries = at.take<int>(n + 1);
	p->order = at.take<int>(n + 1);
	p->columns = at.take<int>(n + 1);
	p->first = at.take<int>(n + 1);
	char *scratch = at.take<char>(0);
	p->nnz = 0;
	if (!n)
		return CUSPARSE_STATUS_SUCCESS;
	dim3 grid(blocks_for(n)), block(THREADS);
	// the rows are sorted's: until then where the places' columns will be
	int *own_rows = p->columns;
	SPARSE_TRY(launch(handle, put_down, grid, block, n,
			  indices(p->starts, CUSPARSE_INDEX_64I, 0), a->rows, a->nnz, offsets_of(a),
			  columns_of(a), offsets_of(b), columns_of(b), own_rows, own_columns,
			  p->a_entries, p->b_entries));
	SPARSE_TRY(sort_pairs(handle, n, indices(own_rows, 0), a->rows, indices(own_columns, 0),
			      b->cols, keys, p->order, scratch));
	SPARSE_TRY(launch(handle, mark_places, grid, block, n, (const int *)keys,
			  (const int *)own_columns, (const int *)p->order, slots));
	SPARSE_TRY(add_up(handle, n, indices(slots, 0)));
	// the scratch memory holds n numbers
	p->rows = (int *)scratch;
	SPARSE_TRY(launch(handle, take_places, grid, block, n, (const int *)keys,
			  (const int *)own_columns, (const int *)p->order, (const int *)slots,
			  p->rows, p->columns, p->first));
	SPARSE_TRY(sparse_bring(handle, &found, slots + n, sizeof(found), function));
	p->nnz = found;
	return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t gemm_pattern(cusparseHandle_t handle, const gemm_plan *p, int64_t rows,
			      index_array offsets, index_array columns)
{
	SPARSE_TRY(offsets_of(handle, p->nnz, indices(p->rows, 0), rows, offsets));
	return gather_indices(handle, p->nnz, indices(p->columns, 0), NULL, columns);
}

template <class C>
static __global__ void values_kernel(int64_t nnz, const int *first, const int *order,
				     const int *a_entries, const int *b_entries, const C *a,
				     const C *b, C *c, scalar<C> alpha, scalar<C> beta)
{
	C by = alpha.get(), old = beta.get();

	SPARSE_EACH(place, nnz)
	{
		C sum = zero_of<C>();

		for (int i = first[place]; i < first[place + 1] && !is_zero(by); i++)
			sum = add_product(sum, a[a_entries[order[i]]], b[b_entries[order[i]]]);
		sum = times(by, sum);
		c[place] = is_zero(old) ? sum : add_product(sum, old, c[place]);
	}
}

cusparseStatus_t gemm_values(cusparseHandle_t handle, const gemm_plan *p, const void *alpha,
			     const cusparseSpMatDescr *a, const cusparseSpMatDescr *b,
			     const void *beta, const cusparseSpMatDescr *c, cudaDataType compute)
{
	if (a->type != compute || b->type != compute || c->type != compute)
		return CUSPARSE_STATUS_NOT_SUPPORTED;
	SPARSE_BY_TYPE(compute, C, {
		if (!p->nnz)
			return CUSPARSE_STATUS_SUCCESS;
		return launch(handle, values_kernel<C>, dim3(blocks_for(p->nnz)), dim3(THREADS),
			      p->nnz, (const int *)p->first, (const int *)p->order,
			      (const int *)p->a_entries, (const int *)p->b_entries,
			      (const C *)a->values, (const C *)b->values, (C *)c->values,
			      scalar_at<C>(handle, alpha), scalar_at<C>(handle, beta));
	});
}

} // namespace sparse

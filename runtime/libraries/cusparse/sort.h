/* SPDX-License-Identifier: MIT */
/*
 * Sorting and adding up on the device: what formats are made of one another with. All of it is
 * enqueued, nothing waits. Equal keys stay in their order.
 */
#ifndef CUSPARSE_SORT_H
#define CUSPARSE_SORT_H

#include "arrays.h"

namespace sparse
{

/* Bytes of scratch memory for n keys */
size_t sort_bytes(int64_t n);
/*
 * Sorts n keys of 0 to limit - 1 and what goes with each (order; its content before is kept:
 * it is permuted with the keys). scratch has sort_bytes(n).
 */
cusparseStatus_t sort(cusparseHandle_t handle, int64_t n, int64_t limit, int *keys, int *order,
		      void *scratch);
/*
 * The order of n pairs by their major numbers (below major_limit), and where those are equal by
 * the minor ones. keys: the major numbers in that order.
 */
cusparseStatus_t sort_pairs(cusparseHandle_t handle, int64_t n, index_array major,
			    int64_t major_limit, index_array minor, int64_t minor_limit, int *keys,
			    int *order, void *scratch);
/* order[i] = i */
cusparseStatus_t identity(cusparseHandle_t handle, int64_t n, int *order);
/*
 * at[i + 1] is a count when it begins, at[n] the sum of all when it ends; the base is added as
 * the array says.
 */
cusparseStatus_t add_up(cusparseHandle_t handle, int64_t n, index_array at);
/* offsets[i], i in 0..n: how many of the sorted keys are less than i */
cusparseStatus_t offsets_of(cusparseHandle_t handle, int64_t keys_count, index_array keys,
			    int64_t n, index_array offsets);
/* rows[e]: in which row entry e of a matrix in CSR lies */
cusparseStatus_t rows_of(cusparseHandle_t handle, int64_t n, index_array offsets, index_array rows);
/* to[i] = from[order[i]]; without an order, from[i] */
cusparseStatus_t gather_indices(cusparseHandle_t handle, int64_t n, index_array from,
				const int *order, index_array to);
/* Elements of 2 to 16 bytes */
cusparseStatus_t gather_values(cusparseHandle_t handle, int64_t n, const void *from,
			       const int *order, void *to, size_t size);

} // namespace sparse

#endif

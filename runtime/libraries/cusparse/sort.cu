// SPDX-License-Identifier: MIT
/*
 * A stable radix sort, four bits a pass. Each thread has a piece of the keys: it counts its
 * digits, the counts of all are added up digit by digit, and it moves its keys in order. Nothing
 * is atomic, so the result depends on the keys alone.
 */
#include "sort.h"

namespace sparse
{

enum { BITS = 4, DIGITS = 1 << BITS, PIECE = 32, MOST = 4096, ADDERS = 256 };

static int64_t pieces_of(int64_t n)
{
	int64_t pieces = (n + PIECE - 1) / PIECE;

	return pieces < 1 ? 1 : pieces > MOST ? MOST : pieces;
}

size_t sort_bytes(int64_t n)
{
	return 2 * padded(n * sizeof(int)) + padded((DIGITS * pieces_of(n) + 1) * sizeof(int));
}

static __global__ void count_digits(int64_t n, int64_t pieces, int64_t each, const int *keys,
				    int shift, int *counts)
{
	__shared__ int sums[DIGITS][THREADS];
	int64_t piece = (int64_t)blockIdx.x * THREADS + threadIdx.x;
	int64_t first = piece * each, last = first + each < n ? first + each : n;

	if (piece >= pieces)
		return;
	for (int d = 0; d < DIGITS; d++)
		sums[d][threadIdx.x] = 0;
	for (int64_t i = first; i < last; i++)
		sums[keys[i] >> shift & (DIGITS - 1)][threadIdx.x]++;
	for (int d = 0; d < DIGITS; d++)
		counts[1 + d * pieces + piece] = sums[d][threadIdx.x];
}

static __global__ void move_keys(int64_t n, int64_t pieces, int64_t each, const int *keys,
				 const int *order, int shift, const int *counts, int *to_keys,
				 int *to_order)
{
	__shared__ int next[DIGITS][THREADS];
	int64_t piece = (int64_t)blockIdx.x * THREADS + threadIdx.x;
	int64_t first = piece * each, last = first + each < n ? first + each : n;

	if (piece >= pieces)
		return;
	for (int d = 0; d < DIGITS; d++)
		next[d][threadIdx.x] = counts[d * pieces + piece];
	for (int64_t i = first; i < last; i++) {
		int key = keys[i], to = next[key >> shift & (DIGITS - 1)][threadIdx.x]++;

		to_keys[to] = key;
		to_order[to] = order[i];
	}
}

// One block: a piece for each thread, whose sums are added up by the first thread.
static __global__ void add_up_kernel(int64_t n, index_array at)
{
	__shared__ int64_t sums[ADDERS];
	int64_t each = (n + ADDERS - 1) / ADDERS, first = 1 + threadIdx.x * each;
	int64_t last = first + each < n + 1 ? first + each : n + 1, sum = 0;
	index_array counts = at;

	counts.base = 0;
	for (int64_t i = first; i < last; i++)
		sum += counts.get(i);
	sums[threadIdx.x] = sum;
	__syncthreads();
	if (!threadIdx.x) {
		sum = 0;
		for (int i = 0; i < ADDERS; i++) {
			int64_t own = sums[i];

			sums[i] = sum;
			sum += own;
		}
		at.set(0, 0);
	}
	__syncthreads();
	sum = sums[threadIdx.x];
	for (int64_t i = first; i < last; i++) {
		sum += counts.get(i);
		at.set(i, sum);
	}
}

cusparseStatus_t add_up(cusparseHandle_t handle, int64_t n, index_array at)
{
	return launch(handle, add_up_kernel, dim3(1), dim3(ADDERS), n, at);
}

static __global__ void identity_kernel(int64_t n, int *order)
{
	SPARSE_EACH(i, n)
	order[i] = (int)i;
}

cusparseStatus_t identity(cusparseHandle_t handle, int64_t n, int *order)
{
	return n ? launch(handle, identity_kernel, dim3(blocks_for(n)), dim3(THREADS), n, order)
		 : CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t sort(cusparseHandle_t handle, int64_t n, int64_t limit, int *keys, int *order,
		      void *scratch)
{
	int64_t pieces = pieces_of(n), each = (n + pieces - 1) / pieces;
	places p = {(char *)scratch, 0};
	int *keys_to = p.take<int>(n), *order_to = p.take<int>(n);
	int *counts = p.take<int>(DIGITS * pieces + 1), *from = keys, *from_order = order;
	dim3 grid(blocks_for(pieces));
	int passes = 0;

	if (n < 2)
		return CUSPARSE_STATUS_SUCCESS;
	for (int shift = 0; shift < 31 && (limit - 1) >> shift; shift += BITS) {
		SPARSE_TRY(launch(handle, count_digits, grid, dim3(THREADS), n, pieces, each, from,
				  shift, counts));
		SPARSE_TRY(add_up(handle, DIGITS * pieces, indices(counts, 0)));
		SPARSE_TRY(launch(handle, move_keys, grid, dim3(THREADS), n, pieces, each, from,
				  from_order, shift, counts, keys_to, order_to));
		int *was = from, *order_was = from_order;
		from = keys_to;
		from_order = order_to;
		keys_to = was;
		order_to = order_was;
		passes++;
	}
	if (passes & 1) {
		SPARSE_TRY(sparse_status(cudaMemcpyAsync(
			keys, from, n * sizeof(int), cudaMemcpyDeviceToDevice, handle->stream)));
		SPARSE_TRY(
			sparse_status(cudaMemcpyAsync(order, from_order, n * sizeof(int),
						      cudaMemcpyDeviceToDevice, handle->stream)));
	}
	return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t sort_pairs(cusparseHandle_t handle, int64_t n, index_array major,
			    int64_t major_limit, index_array minor, int64_t minor_limit, int *keys,
			    int *order, void *scratch)
{
	SPARSE_TRY(identity(handle, n, order));
	SPARSE_TRY(gather_indices(handle, n, minor, order, indices(keys, 0)));
	SPARSE_TRY(sort(handle, n, minor_limit, keys, order, scratch));
	SPARSE_TRY(gather_indices(handle, n, major, order, indices(keys, 0)));
	return sort(handle, n, major_limit, keys, order, scratch);
}

// A thread for each number i finds where the keys reach it.
static __global__ void offsets_kernel(int64_t count, index_array keys, int64_t n,
				      index_array offsets)
{
	SPARSE_EACH(i, n + 1)
	{
		int64_t low = 0, high = count;

		while (low < high) {
			int64_t middle = low + (high - low) / 2;

			if (keys.get(middle) < i)
				low = middle + 1;
			else
				high = middle;
		}
		offsets.set(i, low);
	}
}

cusparseStatus_t offsets_of(cusparseHandle_t handle, int64_t keys_count, index_array keys,
			    int64_t n, index_array offsets)
{
	return launch(handle, offsets_kernel, dim3(blocks_for(n + 1)), dim3(THREADS), keys_count,
		      keys, n, offsets);
}

// A warp for each row
static __global__ void rows_kernel(int64_t n, index_array offsets, index_array rows)
{
	int64_t first = ((int64_t)blockIdx.x * blockDim.x + threadIdx.x) / 32;

	for (int64_t i = first; i < n; i += (int64_t)gridDim.x * blockDim.x / 32)
		for (int64_t e = offsets.get(i) + threadIdx.x % 32; e < offsets.get(i + 1); e += 32)
			rows.set(e, i);
}

cusparseStatus_t rows_of(cusparseHandle_t handle, int64_t n, index_array offsets, index_array rows)
{
	return n ? launch(handle, rows_kernel, dim3(blocks_for(n * 32)), dim3(THREADS), n, offsets,
			  rows)
		 : CUSPARSE_STATUS_SUCCESS;
}

static __global__ void gather_indices_kernel(int64_t n, index_array from, const int *order,
					     index_array to)
{
	SPARSE_EACH(i, n)
	to.set(i, from.get(order ? order[i] : i));
}

cusparseStatus_t gather_indices(cusparseHandle_t handle, int64_t n, index_array from,
				const int *order, index_array to)
{
	return n ? launch(handle, gather_indices_kernel, dim3(blocks_for(n)), dim3(THREADS), n,
			  from, order, to)
		 : CUSPARSE_STATUS_SUCCESS;
}

static __global__ void gather_values_kernel(int64_t n, const unsigned char *from, const int *order,
					    unsigned char *to, int size)
{
	SPARSE_EACH(i, n)
	{
		int64_t at = order[i];

		switch (size) {
		case 1:
			to[i] = from[at];
			break;
		case 2:
			((short *)to)[i] = ((const short *)from)[at];
			break;
		case 4:
			((int *)to)[i] = ((const int *)from)[at];
			break;
		case 8:
			((int64_t *)to)[i] = ((const int64_t *)from)[at];
			break;
		default:
			((int64_t *)to)[2 * i] = ((const int64_t *)from)[2 * at];
			((int64_t *)to)[2 * i + 1] = ((const int64_t *)from)[2 * at + 1];
		}
	}
}

cusparseStatus_t gather_values(cusparseHandle_t handle, int64_t n, const void *from,
			       const int *order, void *to, size_t size)
{
	return n ? launch(handle, gather_values_kernel, dim3(blocks_for(n)), dim3(THREADS), n,
			  (const unsigned char *)from, order, (unsigned char *)to, (int)size)
		 : CUSPARSE_STATUS_SUCCESS;
}

} // namespace sparse

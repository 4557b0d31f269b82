/* SPDX-License-Identifier: MIT */
/*
 * cublasXt: a result is cut into square tiles. A lane is a stream with its own cuBLAS handle and
 * memory for three tiles; each device has two, so that copies of one are beside products of the
 * other. What a lane is told is done in order, so a lane's tiles need no events. One thread of the
 * host feeds all lanes; a call returns when all are idle.
 *
 * A device of one system may be given other devices' memory: it comes through the host.
 */
#ifndef CUBLAS_XT_XT_H
#define CUBLAS_XT_XT_H

#include "cublasXt.h"
#include "live.h"
#include "numbers.h"

#include <cuda_runtime.h>
#include <pthread.h>

namespace xt
{

enum { XT_KIND = 1, LANES_EACH = 2, MOST_DEVICES = 16, MOST_LANES = LANES_EACH * MOST_DEVICES };
enum { A, B, C, TILES };
/* The largest: a tile of more has no memory anywhere. */
enum { DEFAULT_DIM = 2048, MOST_DIM = 1 << 20 };

struct lane {
	int device;
	cudaStream_t stream;
	cublasHandle_t blas;
	char *memory;
	size_t bytes, used; /* of each of the three tiles: there are, and this call has */

	template <class T> T *tile(int which) const
	{
		return (T *)(memory + which * used);
	}
};

/* Does the calling thread's device stay what it was? Every function that selects one has this. */
struct device_guard {
	int before;

	device_guard()
	{
		if (cudaGetDevice(&before) != cudaSuccess)
			before = -1;
	}
	~device_guard()
	{
		if (before >= 0)
			cudaSetDevice(before);
	}
};

/* Rows and columns of a matrix from somewhere on, at any place that a device can copy from. */
template <class T> struct matrix {
	T *base;
	int64_t ld;
	bool packed_upper, packed_lower; /* the triangle's columns lie one after the other */
	int64_t order;			 /* of a packed one */

	/* Where the element is: of a packed one only those of the triangle are. */
	T *at(int64_t i, int64_t j) const
	{
		if (packed_upper)
			return base + i + j * (j + 1) / 2;
		if (packed_lower)
			return base + i + j * (2 * order - j - 1) / 2;
		return base + i + j * ld;
	}
};

template <class T> matrix<T> whole(T *base, int64_t ld)
{
	return {base, ld, false, false, 0};
}

} // namespace xt

struct cublasXtContext {
	struct live_object live;
	pthread_mutex_t lock;
	int lanes, dim;
	xt::lane lane[xt::MOST_LANES];
	cublasXtPinnedMemMode_t pinning;
	void *routine[CUBLASXT_ROUTINE_MAX][4];
	float ratio[CUBLASXT_ROUTINE_MAX][4];
};

namespace xt
{

#define XT_TRY(call)                                  \
	do {                                          \
		cublasStatus_t status_ = (call);      \
		if (status_ != CUBLAS_STATUS_SUCCESS) \
			return status_;               \
	} while (0)
#define XT_REFUSE_IF(wrong)                                 \
	do {                                                \
		if (wrong)                                  \
			return CUBLAS_STATUS_INVALID_VALUE; \
	} while (0)

cublasStatus_t status_of(cudaError_t error);
/* SUCCESS, or what is wrong with the handle. */
cublasStatus_t check(cublasXtHandle_t handle);
/* Lanes go, with all they have. */
void drop_lanes(cublasXtHandle_t handle);

/* Memory of the program that is pinned as long as this lives, if it is pageable. */
class pinned
{
	void *memory;

      public:
	pinned(bool wanted, const void *base, size_t bytes);
	pinned(const pinned &) = delete;
	~pinned();
};
template <class T> size_t extent(int64_t rows, int64_t columns, int64_t ld)
{
	return rows && columns ? ((columns - 1) * ld + rows) * sizeof(T) : 0;
}

/* Columns of so many bytes from one place to another, in the lane's order. */
cublasStatus_t copy_columns(const lane &l, void *to, size_t to_pitch, const void *from,
			    size_t from_pitch, size_t bytes, size_t columns);

/* A tile of the matrix, beginning at (i, j), into the lane's, where columns touch. */
template <class T>
cublasStatus_t load(const lane &l, int which, const matrix<const T> &m, int64_t i, int64_t j,
		    int64_t rows, int64_t columns)
{
	T *tile = l.tile<T>(which);

	if (!m.packed_upper && !m.packed_lower)
		return copy_columns(l, tile, rows * sizeof(T), m.at(i, j), m.ld * sizeof(T),
				    rows * sizeof(T), columns);
	for (int64_t c = 0; c < columns; c++) {
		int64_t first = 0, last = rows; /* those of the column that are in the triangle */

		if (m.packed_upper && last > j + c + 1 - i)
			last = j + c + 1 - i;
		if (m.packed_lower && first < j + c - i)
			first = j + c - i;
		if (first < last)
			XT_TRY(copy_columns(l, tile + first + c * rows, 0, m.at(i + first, j + c),
					    0, (last - first) * sizeof(T), 1));
	}
	return CUBLAS_STATUS_SUCCESS;
}

template <class T>
cublasStatus_t store(const lane &l, const matrix<T> &m, int64_t i, int64_t j, int64_t rows,
		     int64_t columns)
{
	return copy_columns(l, m.at(i, j), m.ld * sizeof(T), l.tile<T>(C), rows * sizeof(T),
			    rows * sizeof(T), columns);
}

/* Memory for tiles of so many bytes in every lane; those that get none are left out: how many have.
 */
cublasStatus_t prepare(cublasXtHandle_t handle, size_t bytes, int *lanes);
/* All lanes are idle. What went wrong: the status given, else that of a lane. */
cublasStatus_t finish(cublasXtHandle_t handle, cublasStatus_t status);

/* A call: its tiles, and the lock. */
template <class T> class call
{
	cublasXtHandle_t handle;
	device_guard guard;

      public:
	int64_t dim;
	int lanes;
	cublasStatus_t status;

	/* largest: of the sizes; nothing is larger than it */
	call(cublasXtHandle_t h, int64_t largest) : handle(h)
	{
		pthread_mutex_lock(&handle->lock);
		dim = handle->dim < MOST_DIM ? handle->dim : MOST_DIM;
		dim = dim < largest ? dim : largest;
		status = prepare(handle, dim * dim * sizeof(T), &lanes);
	}
	call(const call &) = delete;
	~call()
	{
		pthread_mutex_unlock(&handle->lock);
	}
	int64_t tiles(int64_t n) const
	{
		return (n + dim - 1) / dim;
	}
	/* Of a matrix with n rows: of tile t. */
	int64_t size(int64_t n, int64_t t) const
	{
		return n - t * dim < dim ? n - t * dim : dim;
	}
	/* The pieces 0 to count, each by a lane: piece(lane, number) enqueues it. */
	template <class F> void each(int64_t count, F piece)
	{
		for (int64_t i = 0; i < count && status == CUBLAS_STATUS_SUCCESS; i++) {
			const lane &l = handle->lane[i % lanes];

			status = status_of(cudaSetDevice(l.device));
			if (status == CUBLAS_STATUS_SUCCESS)
				status = piece(l, i);
		}
	}
	cublasStatus_t end()
	{
		return finish(handle, status);
	}
};

/* cuBLAS's functions by the type of an argument */
#define XT_CALL(name, L, T)                                                              \
	template <class... P> cublasStatus_t do_##name(T, const lane &l, P... arguments) \
	{                                                                                \
		return cublas##L##name##_64(l.blas, arguments...);                       \
	}
#define XT_COMPLEX(name)           \
	XT_CALL(name, C, cuComplex) \
	XT_CALL(name, Z, cuDoubleComplex)
#define XT_ALL(name)           \
	XT_CALL(name, S, float) \
	XT_CALL(name, D, double) XT_COMPLEX(name)

inline bool bad_op(cublasOperation_t op)
{
	return (unsigned)op > 2;
}
inline bool bad_fill(cublasFillMode_t uplo)
{
	return (unsigned)uplo > 1;
}
/* Sizes come without a sign; what a tile's address is computed of must fit. */
inline bool bad_size(size_t n)
{
	return n > INT32_MAX * (size_t)1024;
}
inline bool bad_ld(size_t ld, size_t rows)
{
	return bad_size(ld) || ld < (rows > 1 ? rows : 1);
}

} // namespace xt

#endif

// SPDX-License-Identifier: MIT
/*
 * Systems with three and five diagonals: a thread eliminates a system from the top, with exchanges
 * of neighbouring rows, and a thread for each right side goes down and up again.
 */
#include "products.h"

namespace sparse
{

// What elimination leaves of system s: element i of array k
template <class T> struct factors {
	T *at;
	int *swapped;
	int64_t m, count;

	__device__ __forceinline__ T &of(int k, int64_t i, int64_t s) const
	{
		return at[(k * m + i) * count + s];
	}
};
enum { LOWER, DIAGONAL, UPPER, SECOND, ARRAYS };

// Element i of system s is at s * system + i * step.
template <class T>
static __global__ void eliminate(factors<T> f, const T *dl, const T *d, const T *du, int64_t system,
				 int64_t step, bool exchange)
{
	SPARSE_EACH(s, f.count)
	{
		int64_t last = f.m - 1;
		T diagonal = d[s * system], upper = last ? du[s * system] : zero_of<T>();

		for (int64_t i = 0; i < last; i++) {
			int64_t at = s * system + (i + 1) * step;
			T lower = dl[at], below = d[at];
			T next = i + 1 < last ? du[at] : zero_of<T>(), second = zero_of<T>();
			bool swap = exchange && magnitude(lower) > magnitude(diagonal);

			if (swap) {
				T was = diagonal, was_upper = upper;

				diagonal = lower;
				upper = below;
				second = next;
				lower = was;
				below = was_upper;
				next = zero_of<T>();
			}
			T factor = divide(lower, diagonal);
			f.of(LOWER, i, s) = factor;
			f.of(DIAGONAL, i, s) = diagonal;
			f.of(UPPER, i, s) = upper;
			f.of(SECOND, i, s) = second;
			f.swapped[i * f.count + s] = swap;
			diagonal = minus(below, times(factor, upper));
			upper = minus(next, times(factor, second));
		}
		f.of(DIAGONAL, last, s) = diagonal;
	}
}

template <class T>
static __global__ void substitute(factors<T> f, T *x, int64_t system, int64_t step, int64_t sides,
				  int64_t between)
{
	SPARSE_EACH(i, f.count * sides)
	{
		int64_t s = i % f.count, last = f.m - 1;
		T *at = x + s * system + i / f.count * between, value = at[0];

		for (int64_t k = 0; k < last; k++) {
			T below = at[(k + 1) * step];

			if (f.swapped[k * f.count + s]) {
				T was = value;

				value = below;
				below = was;
			}
			at[k * step] = value;
			value = minus(below, times(f.of(LOWER, k, s), value));
		}
		T next = zero_of<T>(), after = zero_of<T>();
		for (int64_t k = last; k >= 0; k--) {
			if (k < last)
				value = minus(minus(at[k * step], times(f.of(UPPER, k, s), next)),
					      times(f.of(SECOND, k, s), after));
			value = divide(value, f.of(DIAGONAL, k, s));
			at[k * step] = value;
			after = next;
			next = value;
		}
	}
}

template <class T> struct row {
	T v[5], side;
};

template <class T> static __device__ __forceinline__ void swap(row<T> &a, row<T> &b)
{
	row<T> was = a;

	a = b;
	b = was;
}

// a - b * a[0] / b[0], one column further
template <class T> static __device__ __forceinline__ void reduce(row<T> &a, const row<T> &b)
{
	T factor = is_zero(a.v[0]) ? zero_of<T>() : divide(a.v[0], b.v[0]);

	for (int k = 0; k < 4; k++)
		a.v[k] = minus(a.v[k + 1], times(factor, b.v[k + 1]));
	a.v[4] = zero_of<T>();
	a.side = minus(a.side, times(factor, b.side));
}

// Five diagonals, interleaved: element i of system s is at i * count + s. Three rows are under way.
template <class T>
static __global__ void five(int64_t m, int64_t count, const T *ds, const T *dl, const T *d,
			    const T *du, const T *dw, T *x, T *upper)
{
	SPARSE_EACH(s, count)
	{
		row<T> a = row<T>(), b = row<T>(), c = row<T>();

		for (int64_t i = -2; i < m; i++) {
			int64_t r = i + 2, at = r * count + s;

			// the new row begins two columns before its diagonal
			c = row<T>();
			if (r < m) {
				c.v[0] = r >= 2 ? ds[at] : zero_of<T>();
				c.v[1] = r >= 1 ? dl[at] : zero_of<T>();
				c.v[2] = d[at];
				c.v[3] = r + 1 < m ? du[at] : zero_of<T>();
				c.v[4] = r + 2 < m ? dw[at] : zero_of<T>();
				c.side = x[at];
			}
			if (i < 0) {
				// rows 0 and 1: nothing is eliminated yet
				a = b;
				b = c;
				for (int k = 0; k < 4; k++)
					a.v[k] = a.v[k + 1];
				for (int k = 0; k < 4; k++)
					b.v[k] = b.v[k + 1];
				a.v[4] = b.v[4] = zero_of<T>();
				continue;
			}
			if (magnitude(b.v[0]) > magnitude(a.v[0]))
				swap(a, b);
			if (magnitude(c.v[0]) > magnitude(a.v[0]))
				swap(a, c);
			for (int k = 0; k < 5; k++)
				upper[(k * m + i) * count + s] = a.v[k];
			x[i * count + s] = a.side;
			reduce(b, a);
			reduce(c, a);
			a = b;
			b = c;
		}
		for (int64_t i = m - 1; i >= 0; i--) {
			T v = x[i * count + s];

			for (int k = 1; k < 5 && i + k < m; k++)
				v = minus(v, times(upper[(k * m + i) * count + s],
						   x[(i + k) * count + s]));
			x[i * count + s] = divide(v, upper[i * count + s]);
		}
	}
}

template <class T> static size_t bytes_for(int64_t m, int64_t count)
{
	return SLACK + padded(ARRAYS * m * count * sizeof(T)) + padded(m * count * sizeof(int));
}

template <class T>
static cusparseStatus_t three(cusparseHandle_t handle, int64_t m, int64_t count, const T *dl,
			      const T *d, const T *du, int64_t system, int64_t step, bool exchange,
			      T *x, int64_t sides, int64_t between, void *buffer)
{
	places p = places_in(buffer);
	factors<T> f;

	if (!m || !count || !sides)
		return CUSPARSE_STATUS_SUCCESS;
	SPARSE_WANT(dl && d && du && x && buffer);
	f.at = p.take<T>(ARRAYS * m * count);
	f.swapped = p.take<int>(m * count);
	f.m = m;
	f.count = count;
	SPARSE_TRY(launch(handle, eliminate<T>, dim3(blocks_for(count)), dim3(THREADS), f, dl, d,
			  du, system, step, exchange));
	return launch(handle, substitute<T>, dim3(blocks_for(count * sides)), dim3(THREADS), f, x,
		      system, step, sides, between);
}

} // namespace sparse

using namespace sparse;

#define BYTES(X, T, name, bad, m, count, ...)                                    \
	SPARSE_API cusparse##X##name##_bufferSizeExt(__VA_ARGS__, size_t *bytes) \
	{                                                                        \
		SPARSE_CHECK(handle);                                            \
		SPARSE_WANT(!(bad) && bytes);                                    \
		*bytes = bytes_for<T>(m, count);                                 \
		return CUSPARSE_STATUS_SUCCESS;                                  \
	}
#define DIAGONALS(X, T)                                                                            \
	BYTES(X, T, gtsv2, m < 0 || n < 0 || ldb < m, m, 1, cusparseHandle_t handle, int m, int n, \
	      const T *, const T *, const T *, const T *, int ldb)                                 \
	BYTES(X, T, gtsv2_nopivot, m < 0 || n < 0 || ldb < m, m, 1, cusparseHandle_t handle,       \
	      int m, int n, const T *, const T *, const T *, const T *, int ldb)                   \
	BYTES(X, T, gtsv2StridedBatch, m < 0 || count < 0 || stride < m, m, count,                 \
	      cusparseHandle_t handle, int m, const T *, const T *, const T *, const T *,          \
	      int count, int stride)                                                               \
	BYTES(X, T, gtsvInterleavedBatch, m < 0 || count < 0 || (unsigned)algo > 2, m, count,      \
	      cusparseHandle_t handle, int algo, int m, const T *, const T *, const T *,           \
	      const T *, int count)                                                                \
	BYTES(X, T, gpsvInterleavedBatch, m < 0 || count < 0 || algo, 2 * m, count,                \
	      cusparseHandle_t handle, int algo, int m, const T *, const T *, const T *,           \
	      const T *, const T *, const T *, int count)                                          \
	SPARSE_API cusparse##X##gtsv2(cusparseHandle_t handle, int m, int n, const T *dl,          \
				      const T *d, const T *du, T *b, int ldb, void *buffer)        \
	{                                                                                          \
		SPARSE_CHECK(handle);                                                              \
		SPARSE_WANT(m >= 0 && n >= 0 && ldb >= m);                                         \
		return three(handle, m, 1, dl, d, du, 0, 1, true, b, n, ldb, buffer);              \
	}                                                                                          \
	SPARSE_API cusparse##X##gtsv2_nopivot(cusparseHandle_t handle, int m, int n, const T *dl,  \
					      const T *d, const T *du, T *b, int ldb,              \
					      void *buffer)                                        \
	{                                                                                          \
		SPARSE_CHECK(handle);                                                              \
		SPARSE_WANT(m >= 0 && n >= 0 && ldb >= m);                                         \
		return three(handle, m, 1, dl, d, du, 0, 1, false, b, n, ldb, buffer);             \
	}                                                                                          \
	SPARSE_API cusparse##X##gtsv2StridedBatch(cusparseHandle_t handle, int m, const T *dl,     \
						  const T *d, const T *du, T *x, int count,        \
						  int stride, void *buffer)                        \
	{                                                                                          \
		SPARSE_CHECK(handle);                                                              \
		SPARSE_WANT(m >= 0 && count >= 0 && stride >= m);                                  \
		return three(handle, m, count, dl, d, du, stride, 1, true, x, 1, 0, buffer);       \
	}                                                                                          \
	SPARSE_API cusparse##X##gtsvInterleavedBatch(cusparseHandle_t handle, int algo, int m,     \
						     T *dl, T *d, T *du, T *x, int count,          \
						     void *buffer)                                 \
	{                                                                                          \
		SPARSE_CHECK(handle);                                                              \
		SPARSE_WANT(m >= 0 && count >= 0 && (unsigned)algo <= 2);                          \
		/* 0 is Thomas' algorithm, which exchanges nothing */                              \
		return three(handle, m, count, (const T *)dl, (const T *)d, (const T *)du, 1,      \
			     count, algo != 0, x, 1, 0, buffer);                                   \
	}                                                                                          \
	SPARSE_API cusparse##X##gpsvInterleavedBatch(cusparseHandle_t handle, int algo, int m,     \
						     T *ds, T *dl, T *d, T *du, T *dw, T *x,       \
						     int count, void *buffer)                      \
	{                                                                                          \
		SPARSE_CHECK(handle);                                                              \
		SPARSE_WANT(m >= 0 && count >= 0 && !algo);                                        \
		if (!m || !count)                                                                  \
			return CUSPARSE_STATUS_SUCCESS;                                            \
		SPARSE_WANT(ds &&dl &&d &&du &&dw &&x &&buffer);                                   \
		return launch(handle, five<T>, dim3(blocks_for(count)), dim3(THREADS), m, count,   \
			      (const T *)ds, (const T *)dl, (const T *)d, (const T *)du,           \
			      (const T *)dw, x, (T *)places_in(buffer).at);                        \
	}
DIAGONALS(S, float)
DIAGONALS(D, double)
DIAGONALS(C, cuComplex)
DIAGONALS(Z, cuDoubleComplex)

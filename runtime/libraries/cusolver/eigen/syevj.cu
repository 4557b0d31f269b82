// SPDX-License-Identifier: MIT
/*
 * Eigenvalues by Jacobi's method: in each step rotations of n/2 pairs of rows and columns that have
 * none in common, each of which makes one element zero. All pairs come once in a sweep. The method
 * ends with a sweep that finds nothing to do.
 */
#include "syevd.h"
#include "syevj.h"
#include "tournament.h"

namespace solver
{

template <class T> struct jacobi_problem {
	cusolverEigMode_t jobz;
	bool lower, sort;
	int64_t n, lda, count;
	int most_sweeps;
	real_of<T> tolerance;
	T *a, *work;
	real_of<T> *w;
	int *info;
	struct jacobi_report *report;
	const int *skip;
};

/* A rotation of p and q: (x_p, x_q) becomes (c x_p - conj(s) x_q, s x_p + c x_q) */
template <class T> struct rotation {
	real_of<T> c;
	T s;
};

/* That makes the element (p, q) zero; c = 1 and s = 0 where it is small enough. */
template <class T>
__device__ bool find_rotation(real_of<T> app, real_of<T> aqq, T apq, real_of<T> small,
			      rotation<T> *to)
{
	typedef real_of<T> R;
	R x = fabs(real_part(apq)), y = fabs(imaginary_part(apq)), size = x > y ? x : y;

	to->c = 1;
	to->s = zero_of<T>();
	if (size > 0) {
		x /= size;
		y /= size;
		size *= sqrt(x * x + y * y);
	}
	if (!(size > small))
		return false;
	R zeta = (aqq - app) / (2 * size);
	R t = 1 / (fabs(zeta) + sqrt(1 + zeta * zeta));

	t = zeta < 0 ? -t : t;
	to->c = 1 / sqrt(1 + t * t);
	to->s = times(apq, t * to->c / size);
	return true;
}

/* Two numbers of a column or of a row: those of a column with conj(s) */
template <class T> __device__ void rotate(T &x, T &y, real_of<T> c, T s)
{
	T p = x, q = y;

	x = minus(times(p, c), times(conjugate(s), q));
	y = plus(times(s, p), times(q, c));
}

template <class T> __global__ void syevj_kernel(jacobi_problem<T> to)
{
	typedef real_of<T> R;
	__shared__ R room[WARPS];
	__shared__ int busy;
	int64_t n = to.n, half = (n + 1) / 2;
	int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
	bool vectors = to.jobz == CUSOLVER_EIG_MODE_VECTOR;

	if (to.skip && *to.skip)
		return;
	for (int64_t batch = blockIdx.x; batch < to.count; batch += gridDim.x) {
		T *a = to.a + batch * to.lda * n, *m = to.work + batch * (n * n + 4 * n + 4);
		R *w = to.w + batch * n, *d = (R *)(m + n * n);
		int *places = (int *)(m + n * n + n);
		rotation<T> *rotations = (rotation<T> *)(m + n * n + 2 * n);
		R sum = 0;
		int sweep = 0;
		bool ended = false;

		/* both halves in the work area, vectors in the place of A */
		for (int64_t j = warp; j < n; j += WARPS)
			for (int64_t i = j + lane; i < n; i += 32) {
				T v = to.lower ? a[i + j * to.lda] : conjugate(a[j + i * to.lda]);

				if (i == j)
					v = only_real(v);
				m[i + j * n] = v;
				m[j + i * n] = conjugate(v);
			}
		__syncthreads();
		R largest = 0;
		for (int64_t e = threadIdx.x; e < n * n; e += THREADS) {
			R x = fabs(real_part(m[e])), y = fabs(imaginary_part(m[e]));

			largest = x > largest ? x : largest;
			largest = y > largest ? y : largest;
		}
		largest = most_of_block(largest, room);
		R scale = scale_for(largest);
		__syncthreads();
		for (int64_t e = threadIdx.x; e < n * n; e += THREADS) {
			m[e] = times(m[e], scale);
			sum += square(m[e]);
		}
		R norm = sqrt(sum_of_block(sum, room));
		R small = to.tolerance * norm / (n ? n : 1);
		for (int64_t j = warp; vectors && j < n; j += WARPS)
			for (int64_t i = lane; i < n; i += 32)
				a[i + j * to.lda] = i == j ? one_of<T>() : zero_of<T>();

		for (; sweep < to.most_sweeps && !ended; sweep++) {
			__syncthreads();
			if (threadIdx.x == 0)
				busy = 0;
			for (int64_t step = 0; step < 2 * half - 1; step++) {
				__syncthreads();
				for (int64_t k = threadIdx.x; k < half; k += THREADS) {
					int64_t p, q;

					rotations[k].s = zero_of<T>();
					rotations[k].c = 1;
					if (pair_of(n, step, k, &p, &q) &&
					    find_rotation(real_part(m[p + p * n]),
							  real_part(m[q + q * n]), m[p + q * n],
							  small, &rotations[k]))
						busy = 1;
				}
				__syncthreads();
				for (int64_t k = warp; k < half; k += WARPS) {
					int64_t p, q;
					rotation<T> r = rotations[k];

					if (is_zero(r.s) || !pair_of(n, step, k, &p, &q))
						continue;
					for (int64_t i = lane; i < n; i += 32) {
						rotate(m[i + p * n], m[i + q * n], r.c, r.s);
						if (vectors)
							rotate(a[i + p * to.lda], a[i + q * to.lda],
							       r.c, r.s);
					}
				}
				__syncthreads();
				for (int64_t k = warp; k < half; k += WARPS) {
					int64_t p, q;
					rotation<T> r = rotations[k];

					if (is_zero(r.s) || !pair_of(n, step, k, &p, &q))
						continue;
					for (int64_t j = lane; j < n; j += 32)
						rotate(m[p + j * n], m[q + j * n], r.c,
						       conjugate(r.s));
					__syncwarp();
					if (lane == 0) {
						m[p + p * n] = only_real(m[p + p * n]);
						m[q + q * n] = only_real(m[q + q * n]);
						m[p + q * n] = m[q + p * n] = zero_of<T>();
					}
				}
			}
			__syncthreads();
			ended = !busy;
		}
		__syncthreads();
		sum = 0;
		for (int64_t e = threadIdx.x; e < n * n; e += THREADS)
			if (e % n != e / n)
				sum += square(m[e]);
		R off = sqrt(sum_of_block(sum, room));
		ended = (ended || off <= to.tolerance * norm) && norm < INFINITY;
		if (threadIdx.x == 0) {
			to.info[batch] = ended || !n ? 0 : (int)n + 1;
			if (to.report && batch == 0) {
				to.report->residual = off / scale;
				to.report->sweeps = sweep;
			}
		}
		for (int64_t i = threadIdx.x; i < n; i += THREADS)
			d[i] = real_part(m[i + i * n]) / scale;
		__syncthreads();
		for (int64_t j = threadIdx.x; j < n; j += THREADS) {
			int place = to.sort ? 0 : (int)j;

			for (int64_t k = 0; to.sort && k < n; k++)
				place += d[k] < d[j] || (d[k] == d[j] && k < j);
			places[j] = place;
			w[place] = d[j];
		}
		__syncthreads();
		for (int64_t j = warp; vectors && j < n; j += WARPS)
			for (int64_t i = lane; i < n; i += 32)
				m[i + places[j] * n] = a[i + j * to.lda];
		__syncthreads();
		for (int64_t j = warp; vectors && j < n; j += WARPS)
			for (int64_t i = lane; i < n; i += 32)
				a[i + j * to.lda] = m[i + j * n];
		__syncthreads();
	}
}

template <class T>
cusolverStatus_t jacobi(stream_of handle, cusolverEigMode_t jobz, cublasFillMode_t uplo, int64_t n,
			T *a, int64_t lda, real_of<T> *w, T *work, int *info,
			const struct jacobi_settings *settings, int64_t count, const int *skip)
{
	jacobi_problem<T> to = {};
	real_of<T> least = 2 * limits<real_of<T>>::epsilon();

	to.jobz = jobz;
	to.lower = uplo == CUBLAS_FILL_MODE_LOWER;
	to.sort = !settings || settings->sort;
	to.n = n;
	to.lda = lda;
	to.count = count;
	to.most_sweeps = settings ? settings->most_sweeps : 100;
	to.tolerance =
		settings && settings->tolerance > least ? (real_of<T>)settings->tolerance : least;
	to.a = a;
	to.work = work;
	to.w = w;
	to.info = info;
	to.report = settings ? settings->report : NULL;
	to.skip = skip;
	return launch(handle, syevj_kernel<T>, count, to);
}

template <class T>
static cusolverStatus_t syevj(stream_of handle, cusolverEigMode_t jobz, cublasFillMode_t uplo,
			      int64_t n, T *a, int64_t lda, real_of<T> *w, T *work, int64_t lwork,
			      int *info, syevjInfo_t params, int64_t count)
{
	SOLVER_WANT(info && (!params || live_is(params, SOLVER_SYEVJ)));
	SOLVER_WRONG(bad_mode(jobz), 1);
	SOLVER_WRONG(bad_fill(uplo), 2);
	SOLVER_WRONG(n < 0 || n > INT_MAX, 3);
	SOLVER_WRONG(n && count && !a, 4);
	SOLVER_WRONG(lda < at_least_one(n), 5);
	SOLVER_WRONG(n && count && !w, 6);
	SOLVER_WRONG(n && count && !work, 7);
	SOLVER_WRONG(lwork < jacobi_size<T>(n, count), 8);
	SOLVER_WRONG(count < 0 || count > INT_MAX, 11);
	return jacobi(handle, jobz, uplo, n, a, lda, w, work, info,
		      params ? &params->settings : NULL, count);
}

#define SYEVJ(X, T, R, sy)                                                                         \
	template cusolverStatus_t jacobi<T>(stream_of, cusolverEigMode_t, cublasFillMode_t,        \
					    int64_t, T *, int64_t, R *, T *, int *,                \
					    const struct jacobi_settings *, int64_t, const int *); \
	EXPORT cusolverStatus_t cusolverDn##X##sy##evj_bufferSize(                                 \
		cusolverDnHandle_t h, cusolverEigMode_t jobz, cublasFillMode_t uplo, int n,        \
		const T *, int lda, const R *, int *lwork, syevjInfo_t)                            \
	{                                                                                          \
		SOLVER_CHECK(h);                                                                   \
		SOLVER_WANT(!bad_mode(jobz) && !bad_fill(uplo) && n >= 0 &&                        \
			    lda >= at_least_one(n));                                               \
		return give_size(lwork, jacobi_size<T>(n, 1));                                     \
	}                                                                                          \
	EXPORT cusolverStatus_t cusolverDn##X##sy##evj(                                            \
		cusolverDnHandle_t h, cusolverEigMode_t jobz, cublasFillMode_t uplo, int n, T *a,  \
		int lda, R *w, T *work, int lwork, int *info, syevjInfo_t params)                  \
	{                                                                                          \
		SOLVER_CHECK(h);                                                                   \
		SOLVER_WANT(params);                                                               \
		return syevj(&h->handle, jobz, uplo, n, a, lda, w, work, lwork, info, params, 1);  \
	}                                                                                          \
	EXPORT cusolverStatus_t cusolverDn##X##sy##evjBatched_bufferSize(                          \
		cusolverDnHandle_t h, cusolverEigMode_t jobz, cublasFillMode_t uplo, int n,        \
		const T *, int lda, const R *, int *lwork, syevjInfo_t, int count)                 \
	{                                                                                          \
		SOLVER_CHECK(h);                                                                   \
		SOLVER_WANT(!bad_mode(jobz) && !bad_fill(uplo) && n >= 0 && count >= 0 &&          \
			    lda >= at_least_one(n));                                               \
		return give_size(lwork, jacobi_size<T>(n, count));                                 \
	}                                                                                          \
	EXPORT cusolverStatus_t cusolverDn##X##sy##evjBatched(                                     \
		cusolverDnHandle_t h, cusolverEigMode_t jobz, cublasFillMode_t uplo, int n, T *a,  \
		int lda, R *w, T *work, int lwork, int *info, syevjInfo_t params, int count)       \
	{                                                                                          \
		SOLVER_CHECK(h);                                                                   \
		SOLVER_WANT(params);                                                               \
		return syevj(&h->handle, jobz, uplo, n, a, lda, w, work, lwork, info, params,      \
			     count);                                                               \
	}

SYEVJ(S, float, float, sy)
SYEVJ(D, double, double, sy)
SYEVJ(C, cuComplex, float, he)
SYEVJ(Z, cuDoubleComplex, double, he)

} // namespace solver

using namespace solver;

EXPORT cusolverStatus_t cusolverDnXsyevBatched_bufferSize(
	cusolverDnHandle_t h, cusolverDnParams_t, cusolverEigMode_t jobz, cublasFillMode_t uplo,
	int64_t n, cudaDataType type, const void *, int64_t lda, cudaDataType type_w, const void *,
	cudaDataType compute, size_t *device_bytes, size_t *host_bytes, int64_t count)
{
	SOLVER_CHECK(h);
	SOLVER_WANT(!bad_mode(jobz) && !bad_fill(uplo) && n >= 0 && n <= INT_MAX && count >= 0 &&
		    lda >= at_least_one(n) && device_bytes && host_bytes);
	if (compute != type || type_w != real_type(type))
		return CUSOLVER_STATUS_NOT_SUPPORTED;
	*host_bytes = 0;
#define SIZE(T)                                               \
	*device_bytes = jacobi_size<T>(n, count) * sizeof(T); \
	return CUSOLVER_STATUS_SUCCESS
	SOLVER_BY_TYPE(type, SIZE)
#undef SIZE
}

EXPORT cusolverStatus_t cusolverDnXsyevBatched(cusolverDnHandle_t h, cusolverDnParams_t,
					       cusolverEigMode_t jobz, cublasFillMode_t uplo,
					       int64_t n, cudaDataType type, void *a, int64_t lda,
					       cudaDataType type_w, void *w, cudaDataType compute,
					       void *work, size_t bytes, void *, size_t, int *info,
					       int64_t count)
{
	SOLVER_CHECK(h);
	if (compute != type || type_w != real_type(type))
		return CUSOLVER_STATUS_NOT_SUPPORTED;
#define RUN(T)                                                                           \
	return syevj(&h->handle, jobz, uplo, n, (T *)a, lda, (real_of<T> *)w, (T *)work, \
		     (int64_t)(bytes / sizeof(T)), info, (syevjInfo_t)NULL, count)
	SOLVER_BY_TYPE(type, RUN)
#undef RUN
}

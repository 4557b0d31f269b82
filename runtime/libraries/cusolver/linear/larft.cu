// SPDX-License-Identifier: MIT
/*
 * The triangle T of a product of reflections, H1 H2 ... Hk = 1 - V T V^H, as LAPACK's larft: from
 * vectors in columns or rows, in this order or from the last to the first.
 */
#include "../parts.h"

namespace solver
{

/*
 * One block. Column i of V is 1 at i and begins there. Column i of T is T(0..i, 0..i) times what
 * the earlier vectors have in common with this one; that is at `common` before.
 */
template <class T>
__global__ void larft_kernel(int64_t n, int64_t k, view<T> v, const T *tau, int64_t step, view<T> t,
			     T *common)
{
	int lane = threadIdx.x % 32, warp = threadIdx.x / 32;

	for (int64_t i = 0; i < k; i++) {
		T factor = tau[i * step];

		for (int64_t a = warp; a < i; a += WARPS) {
			T dot = zero_of<T>();

			for (int64_t l = i + 1 + lane; l < n; l += 32)
				dot = add_product(dot, conjugate(v.get(l, a)), v.get(l, i));
			dot = plus(sum_of_warp(dot), conjugate(v.get(i, a)));
			if (lane == 0)
				common[a] = minus(zero_of<T>(), times(factor, dot));
		}
		__syncthreads();
		for (int64_t a = threadIdx.x; a < i; a += THREADS) {
			T sum = zero_of<T>();

			for (int64_t b = a; b < i; b++)
				sum = add_product(sum, t.get(a, b), common[b]);
			t.set(a, i, sum);
		}
		if (threadIdx.x == 0)
			t.set(i, i, factor);
		__syncthreads();
	}
}

template <class T>
static cusolverStatus_t larft(stream_of handle, bool backward, bool rows, int64_t n, int64_t k,
			      const T *v, int64_t ldv, const T *tau, T *t, int64_t ldt, void *work,
			      size_t bytes)
{
	view<T> vectors = columns(v, ldv), triangle = columns(t, ldt);

	SOLVER_WANT(!k || (v && tau && t && work && bytes >= k * sizeof(T)));
	if (rows)
		vectors = vectors.adjoint();
	if (backward) {
		vectors = {vectors.at + (n - 1) * vectors.rows + (k - 1) * vectors.cols,
			   -vectors.rows, -vectors.cols, vectors.conj};
		triangle = triangle.reversed(k);
		tau += k - 1;
	}
	return launch(handle, larft_kernel<T>, k ? 1 : 0, n, k, vectors, tau,
		      (int64_t)(backward ? -1 : 1), triangle, (T *)work);
}

static bool good_shape(cusolverDirectMode_t direct, cusolverStorevMode_t stored, int64_t n,
		       int64_t k, int64_t ldv, int64_t ldt)
{
	bool rows = stored == CUBLAS_STOREV_ROWWISE;

	return (unsigned)direct <= 1 && (unsigned)stored <= 1 && n >= 0 && n <= INT_MAX &&
	       k >= 0 && k <= n && ldv >= at_least_one(rows ? k : n) && ldt >= at_least_one(k);
}

} // namespace solver

using namespace solver;

EXPORT cusolverStatus_t cusolverDnXlarft_bufferSize(
	cusolverDnHandle_t h, cusolverDnParams_t, cusolverDirectMode_t direct,
	cusolverStorevMode_t stored, int64_t n, int64_t k, cudaDataType type, const void *,
	int64_t ldv, cudaDataType type_tau, const void *, cudaDataType type_t, void *, int64_t ldt,
	cudaDataType compute, size_t *device_bytes, size_t *host_bytes)
{
	SOLVER_CHECK(h);
	SOLVER_WANT(good_shape(direct, stored, n, k, ldv, ldt) && device_bytes && host_bytes);
	if (type_tau != type || type_t != type || compute != type)
		return CUSOLVER_STATUS_NOT_SUPPORTED;
	*host_bytes = 0;
#define SIZE(T)                                      \
	*device_bytes = at_least_one(k) * sizeof(T); \
	return CUSOLVER_STATUS_SUCCESS
	SOLVER_BY_TYPE(type, SIZE)
#undef SIZE
}

EXPORT cusolverStatus_t cusolverDnXlarft(cusolverDnHandle_t h, cusolverDnParams_t,
					 cusolverDirectMode_t direct, cusolverStorevMode_t stored,
					 int64_t n, int64_t k, cudaDataType type, const void *v,
					 int64_t ldv, cudaDataType type_tau, const void *tau,
					 cudaDataType type_t, void *t, int64_t ldt,
					 cudaDataType compute, void *work, size_t bytes, void *,
					 size_t)
{
	SOLVER_CHECK(h);
	SOLVER_WANT(good_shape(direct, stored, n, k, ldv, ldt));
	if (type_tau != type || type_t != type || compute != type)
		return CUSOLVER_STATUS_NOT_SUPPORTED;
#define RUN(T)                                                                                   \
	return larft(&h->handle, direct == CUBLAS_DIRECT_BACKWARD,                               \
		     stored == CUBLAS_STOREV_ROWWISE, n, k, (const T *)v, ldv, (const T *)tau,   \
		     (T *)t, ldt, work, bytes)
	SOLVER_BY_TYPE(type, RUN)
#undef RUN
}

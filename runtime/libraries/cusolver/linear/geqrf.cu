// SPDX-License-Identifier: MIT
/*
 * QR factorisation by reflections, as LAPACK keeps them: R above, vectors below, their factors in
 * tau. A block makes the reflections of PANEL columns, then a warp for each column behind applies
 * them.
 */
#include "geqrf.h"

namespace solver
{

enum { PANEL = 32 };

template <class T>
__global__ void geqrf_kernel(int64_t m, int64_t j0, int64_t j1, T *a, int64_t lda, T *tau)
{
	__shared__ reflection_room<T> room;

	for (int64_t j = j0; j < j1; j++) {
		T *v = a + j + j * lda;
		T factor = reflection(v, v + 1, m - j - 1, 1, &room);

		if (threadIdx.x == 0)
			tau[j] = factor;
		factor = conjugate(factor);
		for (int64_t c = j + 1 + threadIdx.x / 32; c < j1; c += WARPS)
			if (!is_zero(factor))
				reflect_column(v, 1, false, factor, a + j + c * lda, 1, m - j,
					       false);
		__syncthreads();
	}
}

template <class T>
cusolverStatus_t qr_factor(stream_of handle, int64_t m, int64_t n, T *a, int64_t lda, T *tau)
{
	int64_t k = least(m, n);

	for (int64_t j = 0; j < k; j += PANEL) {
		int64_t next = least(j + PANEL, k);

		SOLVER_TRY(launch(handle, geqrf_kernel<T>, 1, m, j, next, a, lda, tau));
		SOLVER_TRY(reflect(handle, m - j, n - next, next - j, columns(a + j + j * lda, lda),
				   (const T *)tau + j, true, columns(a + j + next * lda, lda)));
	}
	return CUSOLVER_STATUS_SUCCESS;
}

template <class T>
cusolverStatus_t make_q(stream_of handle, int64_t m, int64_t n, int64_t k, view<T> v, const T *tau,
			view<T> to, const int *skip)
{
	SOLVER_TRY(copy(handle, m, n, WHOLE, view<T>(), to, skip));
	return reflect(handle, m, n, k, v, tau, false, to, skip);
}

#define QR(T)                                                                                   \
	template cusolverStatus_t qr_factor<T>(stream_of, int64_t, int64_t, T *, int64_t, T *); \
	template cusolverStatus_t make_q<T>(stream_of, int64_t, int64_t, int64_t, view<T>,      \
					    const T *, view<T>, const int *);
QR(float)
QR(double)
QR(cuComplex)
QR(cuDoubleComplex)

template <class T>
static cusolverStatus_t geqrf(stream_of handle, int64_t m, int64_t n, T *a, int64_t lda, T *tau,
			      int *info)
{
	SOLVER_WANT(info);
	SOLVER_WRONG(m < 0 || m > INT_MAX, 1);
	SOLVER_WRONG(n < 0 || n > INT_MAX, 2);
	SOLVER_WRONG(m && n && !a, 3);
	SOLVER_WRONG(lda < at_least_one(m), 4);
	SOLVER_WRONG(m && n && !tau, 5);
	SOLVER_TRY(clear_info(handle, info));
	return qr_factor(handle, m, n, a, lda, tau);
}

static int64_t orgqr_size(int64_t m, int64_t k)
{
	return m * k;
}

/* The vectors are copied first: Q takes their place. */
template <class T>
static cusolverStatus_t orgqr(stream_of handle, int m, int n, int k, T *a, int lda, const T *tau,
			      T *work, int lwork, int *info)
{
	SOLVER_WANT(info);
	SOLVER_WRONG(m < 0, 1);
	SOLVER_WRONG(n < 0 || n > m, 2);
	SOLVER_WRONG(k < 0 || k > n, 3);
	SOLVER_WRONG(n && !a, 4);
	SOLVER_WRONG(lda < at_least_one(m), 5);
	SOLVER_WRONG(k && !tau, 6);
	SOLVER_WRONG(k && !work, 7);
	SOLVER_WRONG(lwork < orgqr_size(m, k), 8);
	SOLVER_TRY(clear_info(handle, info));
	SOLVER_TRY(copy(handle, m, k, WHOLE, columns(a, lda), columns(work, m)));
	return make_q(handle, m, n, k, columns(work, m), tau, columns(a, lda));
}

template <class T>
static cusolverStatus_t ormqr(stream_of handle, cublasSideMode_t side, cublasOperation_t op, int m,
			      int n, int k, const T *a, int lda, const T *tau, T *c, int ldc,
			      T *work, int lwork, int *info)
{
	int64_t order = side == CUBLAS_SIDE_LEFT ? m : n;

	(void)work;
	SOLVER_WANT(info);
	SOLVER_WRONG((unsigned)side > 1, 1);
	SOLVER_WRONG(bad_op(op) || (is_complex<T>::value && op == CUBLAS_OP_T), 2);
	SOLVER_WRONG(m < 0, 3);
	SOLVER_WRONG(n < 0, 4);
	SOLVER_WRONG(k < 0 || k > order, 5);
	SOLVER_WRONG(k && !a, 6);
	SOLVER_WRONG(lda < at_least_one(order), 7);
	SOLVER_WRONG(k && !tau, 8);
	SOLVER_WRONG(m && n && !c, 9);
	SOLVER_WRONG(ldc < at_least_one(m), 10);
	SOLVER_WRONG(lwork < 0, 12);
	SOLVER_TRY(clear_info(handle, info));
	if (side == CUBLAS_SIDE_LEFT)
		return reflect(handle, m, n, k, columns(a, lda), tau, op != CUBLAS_OP_N,
			       columns(c, ldc));
	/* C Q is the adjoint of Q^H C^H */
	return reflect(handle, n, m, k, columns(a, lda), tau, op == CUBLAS_OP_N,
		       columns(c, ldc).adjoint());
}

#define GEQRF(X, G, T)                                                                             \
	EXPORT cusolverStatus_t cusolverDn##X##geqrf_bufferSize(cusolverDnHandle_t h, int m,       \
								int n, T *, int lda, int *lwork)   \
	{                                                                                          \
		SOLVER_CHECK(h);                                                                   \
		/* CuPy says n for lda */                                                          \
		SOLVER_WANT(m >= 0 && n >= 0 && lda >= 1);                                         \
		return give_size(lwork, 1);                                                        \
	}                                                                                          \
	EXPORT cusolverStatus_t cusolverDn##X##geqrf(cusolverDnHandle_t h, int m, int n, T *a,     \
						     int lda, T *tau, T *, int lwork, int *info)   \
	{                                                                                          \
		SOLVER_CHECK(h);                                                                   \
		stream_of handle = &h->handle;                                                     \
		SOLVER_WRONG(lwork < 0, 7);                                                        \
		return geqrf(handle, m, n, a, lda, tau, info);                                     \
	}                                                                                          \
	EXPORT cusolverStatus_t cusolverDn##X##G##gqr_bufferSize(cusolverDnHandle_t h, int m,      \
								 int n, int k, const T *, int lda, \
								 const T *, int *lwork)            \
	{                                                                                          \
		SOLVER_CHECK(h);                                                                   \
		SOLVER_WANT(m >= n && n >= k && k >= 0 && lda >= at_least_one(m));                 \
		return give_size(lwork, orgqr_size(m, k));                                         \
	}                                                                                          \
	EXPORT cusolverStatus_t cusolverDn##X##G##gqr(cusolverDnHandle_t h, int m, int n, int k,   \
						      T *a, int lda, const T *tau, T *work,        \
						      int lwork, int *info)                        \
	{                                                                                          \
		SOLVER_CHECK(h);                                                                   \
		return orgqr(&h->handle, m, n, k, a, lda, tau, work, lwork, info);                 \
	}                                                                                          \
	EXPORT cusolverStatus_t cusolverDn##X##G##mqr_bufferSize(                                  \
		cusolverDnHandle_t h, cublasSideMode_t side, cublasOperation_t, int m, int n,      \
		int k, const T *, int lda, const T *, const T *, int ldc, int *lwork)              \
	{                                                                                          \
		int order = side == CUBLAS_SIDE_LEFT ? m : n;                                      \
                                                                                                   \
		SOLVER_CHECK(h);                                                                   \
		SOLVER_WANT(m >= 0 && n >= 0 && k >= 0 && k <= order);                             \
		SOLVER_WANT(lda >= at_least_one(order) && ldc >= at_least_one(m));                 \
		return give_size(lwork, 1);                                                        \
	}                                                                                          \
	EXPORT cusolverStatus_t cusolverDn##X##G##mqr(cusolverDnHandle_t h, cublasSideMode_t side, \
						      cublasOperation_t op, int m, int n, int k,   \
						      const T *a, int lda, const T *tau, T *c,     \
						      int ldc, T *work, int lwork, int *info)      \
	{                                                                                          \
		SOLVER_CHECK(h);                                                                   \
		return ormqr(&h->handle, side, op, m, n, k, a, lda, tau, c, ldc, work, lwork,      \
			     info);                                                                \
	}

} // namespace solver

using namespace solver;

GEQRF(S, or, float)
GEQRF(D, or, double)
GEQRF(C, un, cuComplex)
GEQRF(Z, un, cuDoubleComplex)

EXPORT cusolverStatus_t cusolverDnXgeqrf_bufferSize(cusolverDnHandle_t h, cusolverDnParams_t,
						    int64_t m, int64_t n, cudaDataType type,
						    const void *, int64_t lda,
						    cudaDataType type_tau, const void *,
						    cudaDataType compute, size_t *device_bytes,
						    size_t *host_bytes)
{
	SOLVER_CHECK(h);
	SOLVER_WANT(m >= 0 && n >= 0 && m <= INT_MAX && n <= INT_MAX && lda >= at_least_one(m));
	SOLVER_WANT(device_bytes && host_bytes);
	if (compute != type || type_tau != type)
		return CUSOLVER_STATUS_NOT_SUPPORTED;
#define SIZE(T)                    \
	*device_bytes = sizeof(T); \
	*host_bytes = 0;           \
	return CUSOLVER_STATUS_SUCCESS
	SOLVER_BY_TYPE(type, SIZE)
#undef SIZE
}

EXPORT cusolverStatus_t cusolverDnXgeqrf(cusolverDnHandle_t h, cusolverDnParams_t, int64_t m,
					 int64_t n, cudaDataType type, void *a, int64_t lda,
					 cudaDataType type_tau, void *tau, cudaDataType compute,
					 void *, size_t, void *, size_t, int *info)
{
	SOLVER_CHECK(h);
	if (compute != type || type_tau != type)
		return CUSOLVER_STATUS_NOT_SUPPORTED;
#define RUN(T) return geqrf(&h->handle, m, n, (T *)a, lda, (T *)tau, info)
	SOLVER_BY_TYPE(type, RUN)
#undef RUN
}

// SPDX-License-Identifier: MIT
/*
 * Eigenvalues and vectors of general matrices: balancing, the Hessenberg form by reflections, the
 * Schur form, the vectors of its triangle, which are turned back. As LAPACK's geev, but that rows
 * are not exchanged.
 */
#include "general.h"
#include "reduce.h"
#include "syevd.h"

namespace solver
{

/* What the work area is divided into */
template <class T> struct general_room {
	typedef real_of<T> R;
	typedef complex_of<T> C;
	T *z, *tau;
	C *t, *q, *x, *v; /* t and q: of real matrices */
	R *d, *re, *im, *scale;

	static int64_t bytes(int64_t n, bool vectors)
	{
		int64_t real = vectors ? n * n : 0, more = vectors ? 2 * n * n : 0;

		if (vectors && !is_complex<T>::value)
			more += 2 * n * n;
		return more * sizeof(C) + (real + n) * sizeof(T) + (3 * n + 1) * sizeof(R);
	}
	general_room(void *work, int64_t n, bool vectors)
	{
		int64_t square = vectors ? n * n : 0;

		x = (C *)work;
		v = x + square;
		t = v + square;
		q = is_complex<T>::value ? t : t + square;
		z = (T *)(is_complex<T>::value ? t : q + square);
		tau = z + square;
		d = (R *)(tau + n);
		re = d + n;
		im = re + n;
		scale = im + n;
	}
};

template <class T>
static cusolverStatus_t hessenberg(stream_of handle, int64_t n, view<T> a, T *tau)
{
	for (int64_t j = 0; j + 1 < n; j++) {
		view<T> v = a.part(j + 1, j);

		SOLVER_TRY(launch(handle, hessenberg_kernel<T>, 1, n, j, a, tau));
		SOLVER_TRY(reflect(handle, n - j - 1, n - j - 1, 1, v, (const T *)tau + j, true,
				   a.part(j + 1, j + 1)));
		SOLVER_TRY(reflect(handle, n - j - 1, n, 1, v, (const T *)tau + j, true,
				   a.part(0, j + 1).adjoint()));
	}
	return CUSOLVER_STATUS_SUCCESS;
}

/* T and Q of the Schur form, in complex numbers */
template <class C>
static cusolverStatus_t triangle_of(stream_of, int64_t, view<C> a, general_room<C> *room,
				    view<C> *t, view<C> *q, const int *, int64_t n)
{
	*t = a;
	*q = columns(room->z, n);
	return CUSOLVER_STATUS_SUCCESS;
}
template <class R, class C>
static cusolverStatus_t triangle_of(stream_of handle, int64_t n, view<R> a, general_room<R> *room,
				    view<C> *t, view<C> *q, const int *skip, int64_t)
{
	*t = columns(room->t, n);
	*q = columns(room->q, n);
	return launch(handle, complex_kernel<R>, 1, n, a, columns(room->z, n), (const R *)room->im,
		      *t, *q, (const R *)room->re, (const R *)room->scale, skip);
}

/* Left vectors are those of the adjoint triangle, which is an upper one from its end. */
template <class T>
static cusolverStatus_t vectors_of(stream_of handle, int64_t n, view<complex_of<T>> t,
				   view<complex_of<T>> q, general_room<T> *room, bool left,
				   view<T> to, const int *skip)
{
	typedef real_of<T> R;
	view<complex_of<T>> x = columns(room->x, n), v = columns(room->v, n);

	SOLVER_TRY(launch(handle, triangle_kernel<complex_of<T>>, blocks_of_warps(n), n,
			  left ? t.adjoint().reversed(n) : t, left ? x.reversed(n) : x, skip));
	SOLVER_TRY(multiply(handle, n, n, n, q, WHOLE, x, v, skip));
	return launch(handle, normalise_kernel<T>, blocks_of_warps(n), n, v, (const R *)room->d,
		      left, (const R *)room->im, to, skip);
}

struct general_call {
	cusolverEigMode_t left, right;
	int64_t n, lda, ldvl, ldvr;
	cudaDataType type, type_w, type_vl, type_vr, compute;
};

static bool good_types(const general_call &c)
{
	bool complex_w = (c.type == CUDA_R_32F && c.type_w == CUDA_C_32F) ||
			 (c.type == CUDA_R_64F && c.type_w == CUDA_C_64F);

	return (c.type_w == c.type || complex_w) && c.type_vl == c.type && c.type_vr == c.type &&
	       c.compute == c.type;
}

static int64_t vector_rows(cusolverEigMode_t mode, int64_t n)
{
	return mode == CUSOLVER_EIG_MODE_VECTOR ? at_least_one(n) : 1;
}

static bool wants_vectors(const general_call &c)
{
	return c.left == CUSOLVER_EIG_MODE_VECTOR || c.right == CUSOLVER_EIG_MODE_VECTOR;
}

template <class T>
static cusolverStatus_t geev(stream_of handle, const general_call &c, T *a, void *w, T *vl, T *vr,
			     void *work, size_t bytes, int *info)
{
	typedef real_of<T> R;
	bool vectors = wants_vectors(c), complex = c.type_w != c.type || is_complex<T>::value;
	int64_t n = c.n;

	SOLVER_WANT(info);
	SOLVER_WRONG(bad_mode(c.left), 2);
	SOLVER_WRONG(bad_mode(c.right), 3);
	SOLVER_WRONG(n < 0 || n > INT_MAX, 4);
	SOLVER_WRONG(n && !a, 6);
	SOLVER_WRONG(c.lda < at_least_one(n), 7);
	SOLVER_WRONG(n && !w, 9);
	SOLVER_WRONG(n && c.left == CUSOLVER_EIG_MODE_VECTOR && !vl, 11);
	SOLVER_WRONG(c.ldvl < vector_rows(c.left, n), 12);
	SOLVER_WRONG(n && c.right == CUSOLVER_EIG_MODE_VECTOR && !vr, 14);
	SOLVER_WRONG(c.ldvr < vector_rows(c.right, n), 15);
	SOLVER_WRONG(n && !work, 17);
	SOLVER_WRONG((int64_t)bytes < general_room<T>::bytes(n, vectors), 18);
	if (!n)
		return clear_info(handle, info);
	general_room<T> room(work, n, vectors);
	view<T> h = columns(a, c.lda), z = columns(room.z, n);
	view<complex_of<T>> t, q;

	SOLVER_TRY(launch(handle, balance_kernel<T>, 1, n, h, room.d, room.scale));
	SOLVER_TRY(hessenberg(handle, n, h, room.tau));
	if (vectors)
		SOLVER_TRY(make_tridiagonal_q(handle, n, h, (const T *)room.tau, z));
	SOLVER_TRY(launch(handle, below_kernel<T>, blocks_of_warps(n), n, h));
	SOLVER_TRY(launch(handle, schur_kernel<T>, 1, schur_job<T>{n, vectors ? n : 0, h, z},
			  (const R *)room.scale, room.re, room.im, info));
	SOLVER_TRY(launch(handle, values_kernel<R>, 1, n, (const R *)room.re, (const R *)room.im,
			  (R *)w, complex, (const int *)info));
	if (!vectors)
		return CUSOLVER_STATUS_SUCCESS;
	SOLVER_TRY(triangle_of(handle, n, h, &room, &t, &q, (const int *)info, n));
	if (c.left == CUSOLVER_EIG_MODE_VECTOR)
		SOLVER_TRY(vectors_of(handle, n, t, q, &room, true, columns(vl, c.ldvl), info));
	if (c.right == CUSOLVER_EIG_MODE_VECTOR)
		SOLVER_TRY(vectors_of(handle, n, t, q, &room, false, columns(vr, c.ldvr), info));
	return CUSOLVER_STATUS_SUCCESS;
}

} // namespace solver

using namespace solver;

EXPORT cusolverStatus_t cusolverDnXgeev_bufferSize(
	cusolverDnHandle_t h, cusolverDnParams_t, cusolverEigMode_t jobvl, cusolverEigMode_t jobvr,
	int64_t n, cudaDataType type, const void *, int64_t lda, cudaDataType type_w, const void *,
	cudaDataType type_vl, const void *, int64_t ldvl, cudaDataType type_vr, const void *,
	int64_t ldvr, cudaDataType compute, size_t *device_bytes, size_t *host_bytes)
{
	general_call c = {jobvl, jobvr, n, lda, ldvl, ldvr,
			  type, type_w, type_vl, type_vr, compute};

	SOLVER_CHECK(h);
	SOLVER_WANT(!bad_mode(jobvl) && !bad_mode(jobvr) && n >= 0 && n <= INT_MAX);
	SOLVER_WANT(lda >= at_least_one(n) && ldvl >= vector_rows(jobvl, n) &&
		    ldvr >= vector_rows(jobvr, n));
	SOLVER_WANT(device_bytes && host_bytes);
	if (!good_types(c))
		return CUSOLVER_STATUS_NOT_SUPPORTED;
	*host_bytes = 0;
#define SIZE(T)                                                             \
	*device_bytes = (size_t)general_room<T>::bytes(n, wants_vectors(c)); \
	return CUSOLVER_STATUS_SUCCESS
	SOLVER_BY_TYPE(type, SIZE)
#undef SIZE
}

EXPORT cusolverStatus_t cusolverDnXgeev(cusolverDnHandle_t h, cusolverDnParams_t,
					cusolverEigMode_t jobvl, cusolverEigMode_t jobvr, int64_t n,
					cudaDataType type, void *a, int64_t lda,
					cudaDataType type_w, void *w, cudaDataType type_vl,
					void *vl, int64_t ldvl, cudaDataType type_vr, void *vr,
					int64_t ldvr, cudaDataType compute, void *work,
					size_t bytes, void *, size_t, int *info)
{
	general_call c = {jobvl, jobvr, n, lda, ldvl, ldvr,
			  type, type_w, type_vl, type_vr, compute};

	SOLVER_CHECK(h);
	if (!good_types(c))
		return CUSOLVER_STATUS_NOT_SUPPORTED;
#define RUN(T) return geev(&h->handle, c, (T *)a, w, (T *)vl, (T *)vr, work, bytes, info)
	SOLVER_BY_TYPE(type, RUN)
#undef RUN
}

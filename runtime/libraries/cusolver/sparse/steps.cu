// SPDX-License-Identifier: MIT
/* QR and Cholesky's factors step by step; see steps.h. Rows stay in the caller's order. */
#include "steps.h"

namespace solver
{

#define EXPORT extern "C" __attribute__((visibility("default")))

void steps_forget(steps *s)
{
	if (s->factor)
		s->drop(s->factor);
	free(s->values);
	free(s->shift);
	s->values = s->shift = s->factor = NULL;
	s->type = 0;
}

cusolverStatus_t steps_create(void **info, enum solver_kind kind)
{
	SOLVER_WANT(info);
	*info = live_new(sizeof(steps), kind);
	return *info ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_ALLOC_FAILED;
}

static void forget_pattern(steps *s)
{
	steps_forget(s);
	free(s->offsets);
	free(s->columns);
	free(s->order);
	s->offsets = s->columns = s->order = NULL;
	s->analysed = false;
}

cusolverStatus_t steps_destroy(void *info, enum solver_kind kind)
{
	SOLVER_WANT(live_is(info, kind));
	forget_pattern((steps *)info);
	live_delete(info, kind);
	return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t steps_check(cusolverSpHandle_t handle, const void *info, enum solver_kind kind,
			     const char *function)
{
	SOLVER_TRY(solver_check(handle, SOLVER_SP, function));
	SOLVER_WANT(live_is(info, kind));
	return CUSOLVER_STATUS_SUCCESS;
}

static int *copied(const int *from, int count)
{
	int *list = (int *)malloc(((size_t)count + 1) * sizeof(int));

	if (list)
		memcpy(list, from, count * sizeof(int));
	return list;
}

cusolverStatus_t steps_analyse(cusolverSpHandle_t handle, enum solver_kind kind, int m, int n,
			       int nnz, const cusparseMatDescr_t descr, const int *offsets,
			       const int *columns, void *info, const char *function)
{
	SOLVER_TRY(steps_check(handle, info, kind, function));
	int base = sparse_base(descr, function);
	steps *s = (steps *)info;

	SOLVER_WANT(m >= n && n >= 0 && nnz >= 0 && base >= 0 && offsets && (!nnz || columns));
	numbers_of<int> o(handle, on_device(kind), offsets, (int64_t)m + 1, function);
	SOLVER_TRY(o.status);
	numbers_of<int> c(handle, on_device(kind), columns, nnz, function);
	SOLVER_TRY(c.status);
	SOLVER_WANT(sparse_pattern(m, n, nnz, base, o.at, c.at));
	forget_pattern(s);
	s->offsets = copied(o.at, m + 1);
	s->columns = copied(c.at, nnz);
	s->order = (int *)malloc(((size_t)m + 1) * sizeof(int));
	if (!s->offsets || !s->columns || !s->order) {
		forget_pattern(s);
		return CUSOLVER_STATUS_ALLOC_FAILED;
	}
	for (int i = 0; i < m; i++)
		s->order[i] = i;
	s->m = m;
	s->n = n;
	s->nnz = nnz;
	s->base = base;
	s->analysed = true;
	return CUSOLVER_STATUS_SUCCESS;
}

/* ---- QR */

template <class T>
static cusolverStatus_t qr_setup(cusolverSpHandle_t handle, enum solver_kind kind, int m, int n,
				 int nnz, const T *values, T mu, void *info, const char *function)
{
	steps *s = (steps *)info;

	SOLVER_TRY(steps_check(handle, info, kind, function));
	SOLVER_WANT(fits(s, m, n, nnz) && (!nnz || values));
	numbers_of<T> v(handle, on_device(kind), values, nnz, function);
	SOLVER_TRY(v.status);
	steps_forget(s);
	s->values = malloc(((size_t)nnz + 1) * sizeof(T));
	s->shift = malloc(sizeof(T));
	if (!s->values || !s->shift) {
		steps_forget(s);
		return CUSOLVER_STATUS_ALLOC_FAILED;
	}
	memcpy(s->values, v.at, nnz * sizeof(T));
	*(T *)s->shift = mu;
	s->type = letter<T>::value;
	return CUSOLVER_STATUS_SUCCESS;
}

template <class T>
static cusolverStatus_t qr_solve(cusolverSpHandle_t handle, enum solver_kind kind, int m, int n,
				 const T *b, T *x, void *info, const char *function)
{
	steps *s = (steps *)info;

	SOLVER_TRY(steps_check(handle, info, kind, function));
	SOLVER_WANT(s->factor && s->type == letter<T>::value && s->m == m && s->n == n &&
		    (!m || b) && (!n || x));
	numbers_of<T> side(handle, on_device(kind), b, m, function);
	SOLVER_TRY(side.status);
	room_for<T> found(n), right(n);
	if (!found.at || !right.at)
		return CUSOLVER_STATUS_ALLOC_FAILED;
	((qr_factors<T> *)s->factor)->solve(side.at, found.at, right.at);
	return send(handle, on_device(kind), x, (const T *)found.at, n);
}

template <class T>
static cusolverStatus_t qr_factor(cusolverSpHandle_t handle, enum solver_kind kind, int m, int n,
				  int nnz, const T *b, T *x, void *info, const char *function)
{
	steps *s = (steps *)info;

	SOLVER_TRY(steps_check(handle, info, kind, function));
	SOLVER_WANT(fits(s, m, n, nnz) && s->type == letter<T>::value && s->values);
	qr_factors<T> *factor = make_factor<qr_factors<T>>(m, n);
	if (!factor)
		return CUSOLVER_STATUS_ALLOC_FAILED;
	if (factor->factor(matrix_of(s, (const T *)s->values), *(T *)s->shift) != FACTORED) {
		drop_factor<qr_factors<T>>(factor);
		return CUSOLVER_STATUS_ALLOC_FAILED;
	}
	if (s->factor)
		s->drop(s->factor);
	s->factor = factor;
	s->drop = drop_factor<qr_factors<T>>;
	return b && x ? qr_solve(handle, kind, m, n, b, x, info, function)
		      : CUSOLVER_STATUS_SUCCESS;
}

template <class T>
static cusolverStatus_t qr_zero(cusolverSpHandle_t handle, enum solver_kind kind, void *info,
				double tol, int *position, const char *function)
{
	steps *s = (steps *)info;

	SOLVER_TRY(steps_check(handle, info, kind, function));
	SOLVER_WANT(s->factor && s->type == letter<T>::value && position);
	*position = ((qr_factors<T> *)s->factor)->singular(tol);
	return CUSOLVER_STATUS_SUCCESS;
}

template <class T>
static cusolverStatus_t qr_batched(cusolverSpHandle_t handle, int m, int n, int nnz,
				   const T *values, const T *b, T *x, int count, void *info,
				   const char *function)
{
	SOLVER_TRY(steps_check(handle, info, SOLVER_QR, function));
	SOLVER_WANT(count >= 0 && fits((steps *)info, m, n, nnz));
	for (int i = 0; i < count; i++) {
		SOLVER_TRY(qr_setup(handle, SOLVER_QR, m, n, nnz, values + (int64_t)i * nnz,
				    zero_of<T>(), info, function));
		SOLVER_TRY(qr_factor(handle, SOLVER_QR, m, n, nnz, b + (int64_t)i * m,
				     x + (int64_t)i * n, info, function));
	}
	return CUSOLVER_STATUS_SUCCESS;
}

/* ---- Cholesky */

template <class T>
static cusolverStatus_t cholesky_factor(cusolverSpHandle_t handle, enum solver_kind kind, int n,
					int nnz, const T *values, void *info, const char *function)
{
	steps *s = (steps *)info;

	SOLVER_TRY(steps_check(handle, info, kind, function));
	SOLVER_WANT(fits(s, n, n, nnz) && (!nnz || values));
	numbers_of<T> v(handle, on_device(kind), values, nnz, function);
	SOLVER_TRY(v.status);
	cholesky_factors<T> *factor = make_factor<cholesky_factors<T>>(n);
	if (!factor)
		return CUSOLVER_STATUS_ALLOC_FAILED;
	steps_forget(s);
	if (factor->factor(matrix_of(s, v.at), 0, &s->failed) != FACTORED) {
		drop_factor<cholesky_factors<T>>(factor);
		return CUSOLVER_STATUS_ALLOC_FAILED;
	}
	s->factor = factor;
	s->drop = drop_factor<cholesky_factors<T>>;
	s->type = letter<T>::value;
	return CUSOLVER_STATUS_SUCCESS;
}

template <class T>
static cusolverStatus_t cholesky_zero(cusolverSpHandle_t handle, enum solver_kind kind, void *info,
				      double tol, int *position, const char *function)
{
	steps *s = (steps *)info;

	SOLVER_TRY(steps_check(handle, info, kind, function));
	SOLVER_WANT(s->factor && s->type == letter<T>::value && position);
	*position = s->failed;
	for (int j = 0; j < (s->failed < 0 ? s->n : s->failed); j++)
		if (!((double)((cholesky_factors<T> *)s->factor)->diagonal[j] > tol)) {
			*position = j;
			break;
		}
	return CUSOLVER_STATUS_SUCCESS;
}

template <class T>
static cusolverStatus_t cholesky_solve(cusolverSpHandle_t handle, enum solver_kind kind, int n,
				       const T *b, T *x, void *info, const char *function)
{
	steps *s = (steps *)info;

	SOLVER_TRY(steps_check(handle, info, kind, function));
	SOLVER_WANT(s->factor && s->type == letter<T>::value && s->n == n && (!n || (b && x)));
	SOLVER_WANT(s->failed < 0);
	numbers_of<T> side(handle, on_device(kind), b, n, function);
	SOLVER_TRY(side.status);
	room_for<T> found(n);
	if (!found.at)
		return CUSOLVER_STATUS_ALLOC_FAILED;
	memcpy((void *)found.at, side.at, n * sizeof(T));
	((cholesky_factors<T> *)s->factor)->solve(found.at);
	return send(handle, on_device(kind), x, (const T *)found.at, n);
}

template <class T>
static cusolverStatus_t cholesky_diagonal(cusolverSpHandle_t handle, void *info, real_of<T> *to,
					  const char *function)
{
	steps *s = (steps *)info;

	SOLVER_TRY(steps_check(handle, info, SOLVER_CHOLESKY, function));
	SOLVER_WANT(s->factor && s->type == letter<T>::value && s->failed < 0 && (!s->n || to));
	return send(handle, true, to,
		    (const real_of<T> *)((cholesky_factors<T> *)s->factor)->diagonal.at, s->n);
}

/* ---- the functions */

#define LIFE(name, I, kind)                                     \
	EXPORT cusolverStatus_t cusolverSpCreate##name(I *info) \
	{                                                       \
		return steps_create((void **)info, kind);       \
	}                                                       \
	EXPORT cusolverStatus_t cusolverSpDestroy##name(I info) \
	{                                                       \
		return steps_destroy(info, kind);               \
	}
LIFE(CsrqrInfoHost, csrqrInfoHost_t, SOLVER_QR_HOST)
LIFE(CsrqrInfo, csrqrInfo_t, SOLVER_QR)
LIFE(CsrcholInfoHost, csrcholInfoHost_t, SOLVER_CHOLESKY_HOST)
LIFE(CsrcholInfo, csrcholInfo_t, SOLVER_CHOLESKY)

#define PATTERN const cusparseMatDescr_t a, const int *offsets, const int *columns
#define ANALYSIS_QR(name, I, kind)                                                                 \
	EXPORT cusolverStatus_t cusolverSpXcsrqrAnalysis##name(cusolverSpHandle_t h, int m, int n, \
							       int nnz, PATTERN, I info)           \
	{                                                                                          \
		return steps_analyse(h, kind, m, n, nnz, a, offsets, columns, info, __func__);     \
	}
ANALYSIS_QR(Host, csrqrInfoHost_t, SOLVER_QR_HOST)
ANALYSIS_QR(, csrqrInfo_t, SOLVER_QR)
ANALYSIS_QR(Batched, csrqrInfo_t, SOLVER_QR)
#define ANALYSIS_CHOLESKY(name, I, kind)                                                       \
	EXPORT cusolverStatus_t cusolverSpXcsrcholAnalysis##name(cusolverSpHandle_t h, int n,  \
								 int nnz, PATTERN, I info)     \
	{                                                                                      \
		return steps_analyse(h, kind, n, n, nnz, a, offsets, columns, info, __func__); \
	}
ANALYSIS_CHOLESKY(Host, csrcholInfoHost_t, SOLVER_CHOLESKY_HOST)
ANALYSIS_CHOLESKY(, csrcholInfo_t, SOLVER_CHOLESKY)

#define STEPS_QR(X, T, R, Host, I, kind)                                                           \
	EXPORT cusolverStatus_t cusolverSp##X##csrqrBufferInfo##Host(                              \
		cusolverSpHandle_t h, int m, int n, int nnz, const cusparseMatDescr_t, const T *,  \
		const int *, const int *, I info, size_t *internal, size_t *bytes)                 \
	{                                                                                          \
		SOLVER_TRY(steps_check(h, info, kind, __func__));                                  \
		return sizes(info, m, n, nnz, sizeof(T), internal, bytes);                         \
	}                                                                                          \
	EXPORT cusolverStatus_t cusolverSp##X##csrqrSetup##Host(                                   \
		cusolverSpHandle_t h, int m, int n, int nnz, const cusparseMatDescr_t,             \
		const T *values, const int *, const int *, T mu, I info)                           \
	{                                                                                          \
		return qr_setup(h, kind, m, n, nnz, values, mu, info, __func__);                   \
	}                                                                                          \
	EXPORT cusolverStatus_t cusolverSp##X##csrqrFactor##Host(                                  \
		cusolverSpHandle_t h, int m, int n, int nnz, T *b, T *x, I info, void *)           \
	{                                                                                          \
		return qr_factor(h, kind, m, n, nnz, b, x, info, __func__);                        \
	}                                                                                          \
	EXPORT cusolverStatus_t cusolverSp##X##csrqrZeroPivot##Host(cusolverSpHandle_t h, I info,  \
								    R tol, int *at)                \
	{                                                                                          \
		return qr_zero<T>(h, kind, info, tol, at, __func__);                               \
	}                                                                                          \
	EXPORT cusolverStatus_t cusolverSp##X##csrqrSolve##Host(cusolverSpHandle_t h, int m,       \
								int n, T *b, T *x, I info, void *) \
	{                                                                                          \
		return qr_solve(h, kind, m, n, b, x, info, __func__);                              \
	}
#define STEPS_CHOLESKY(X, T, R, Host, J, kind)                                                   \
	EXPORT cusolverStatus_t cusolverSp##X##csrcholBufferInfo##Host(                          \
		cusolverSpHandle_t h, int n, int nnz, const cusparseMatDescr_t, const T *,       \
		const int *, const int *, J info, size_t *internal, size_t *bytes)               \
	{                                                                                        \
		SOLVER_TRY(steps_check(h, info, kind, __func__));                                \
		return sizes(info, n, n, nnz, sizeof(T), internal, bytes);                       \
	}                                                                                        \
	EXPORT cusolverStatus_t cusolverSp##X##csrcholFactor##Host(                              \
		cusolverSpHandle_t h, int n, int nnz, const cusparseMatDescr_t, const T *values, \
		const int *, const int *, J info, void *)                                        \
	{                                                                                        \
		return cholesky_factor(h, kind, n, nnz, values, info, __func__);                 \
	}                                                                                        \
	EXPORT cusolverStatus_t cusolverSp##X##csrcholZeroPivot##Host(cusolverSpHandle_t h,      \
								      J info, R tol, int *at)    \
	{                                                                                        \
		return cholesky_zero<T>(h, kind, info, tol, at, __func__);                       \
	}                                                                                        \
	EXPORT cusolverStatus_t cusolverSp##X##csrcholSolve##Host(                               \
		cusolverSpHandle_t h, int n, const T *b, T *x, J info, void *)                   \
	{                                                                                        \
		return cholesky_solve(h, kind, n, b, x, info, __func__);                         \
	}
#define STEPS(X, T, R)                                                                            \
	STEPS_QR(X, T, R, Host, csrqrInfoHost_t, SOLVER_QR_HOST)                                  \
	STEPS_QR(X, T, R, , csrqrInfo_t, SOLVER_QR)                                               \
	STEPS_CHOLESKY(X, T, R, Host, csrcholInfoHost_t, SOLVER_CHOLESKY_HOST)                    \
	STEPS_CHOLESKY(X, T, R, , csrcholInfo_t, SOLVER_CHOLESKY)                                 \
	EXPORT cusolverStatus_t cusolverSp##X##csrcholDiag(cusolverSpHandle_t h,                  \
							   csrcholInfo_t info, R *diagonal)       \
	{                                                                                         \
		return cholesky_diagonal<T>(h, info, diagonal, __func__);                         \
	}                                                                                         \
	EXPORT cusolverStatus_t cusolverSp##X##csrqrBufferInfoBatched(                            \
		cusolverSpHandle_t h, int m, int n, int nnz, const cusparseMatDescr_t, const T *, \
		const int *, const int *, int count, csrqrInfo_t info, size_t *internal,          \
		size_t *bytes)                                                                    \
	{                                                                                         \
		SOLVER_TRY(steps_check(h, info, SOLVER_QR, __func__));                            \
		SOLVER_WANT(count >= 0);                                                          \
		return sizes(info, m, n, nnz, sizeof(T), internal, bytes);                        \
	}                                                                                         \
	EXPORT cusolverStatus_t cusolverSp##X##csrqrsvBatched(                                    \
		cusolverSpHandle_t h, int m, int n, int nnz, const cusparseMatDescr_t,            \
		const T *values, const int *, const int *, const T *b, T *x, int count,           \
		csrqrInfo_t info, void *)                                                         \
	{                                                                                         \
		return qr_batched(h, m, n, nnz, values, b, x, count, info, __func__);             \
	}

STEPS(S, float, float)
STEPS(D, double, double)
STEPS(C, cuComplex, float)
STEPS(Z, cuDoubleComplex, double)

} // namespace solver

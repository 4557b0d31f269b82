/* SPDX-License-Identifier: MIT */
/*
 * What is kept from one step of a sparse factor to the next: the pattern of the analysis, the
 * values of the setup, the factor. It is in the host's memory, that of the device's functions too.
 */
#ifndef CUSOLVER_STEPS_H
#define CUSOLVER_STEPS_H

#include "cholesky.h"
#include "cusolverSp_LOWLEVEL_PREVIEW.h"
#include "qr.h"
#include "sparse.h"

#include <new>

namespace solver
{

struct steps {
	struct live_object object;
	bool analysed;
	int m, n, nnz, base;
	int *offsets, *columns, *order; /* order: 0, 1, 2, ... */
	char type; /* of the values and the factor: its letter, 0: there is none */
	void *values, *shift, *factor;
	void (*drop)(void *factor);
	int failed; /* Cholesky: the row that is not positive, or -1 */
};

template <class T> struct letter;
template <> struct letter<float> {
	static const char value = 'S';
};
template <> struct letter<double> {
	static const char value = 'D';
};
template <> struct letter<cuComplex> {
	static const char value = 'C';
};
template <> struct letter<cuDoubleComplex> {
	static const char value = 'Z';
};

cusolverStatus_t steps_create(void **info, enum solver_kind kind);
cusolverStatus_t steps_destroy(void *info, enum solver_kind kind);
/* SUCCESS, or what is wrong with the handle or with the kind. */
cusolverStatus_t steps_check(cusolverSpHandle_t handle, const void *info, enum solver_kind kind,
			     const char *function);
cusolverStatus_t steps_analyse(cusolverSpHandle_t handle, enum solver_kind kind, int m, int n,
			       int nnz, const cusparseMatDescr_t descr, const int *offsets,
			       const int *columns, void *info, const char *function);
/* Values and factor go; the pattern stays. */
void steps_forget(steps *s);

inline bool on_device(enum solver_kind kind)
{
	return kind == SOLVER_QR || kind == SOLVER_CHOLESKY;
}

/* Numbers for the host: those of the caller's, or of the device brought; false: status is set */
template <class T> struct numbers_of {
	room_for<T> mine;
	const T *at;
	cusolverStatus_t status;

	numbers_of(cusolverSpHandle_t handle, bool device, const T *from, int64_t count,
		   const char *function)
	    : mine(device ? count : 0), at(device ? mine.at : from), status(CUSOLVER_STATUS_SUCCESS)
	{
		if (device && !mine.at)
			status = CUSOLVER_STATUS_ALLOC_FAILED;
		else if (device && count)
			status = solver_bring(&handle->handle, mine.at, from, count * sizeof(T),
					      function);
	}
};

template <class T>
cusolverStatus_t send(cusolverSpHandle_t handle, bool device, T *to, const T *from, int64_t count)
{
	if (!device)
		memcpy((void *)to, from, count * sizeof(T));
	if (!device || !count)
		return CUSOLVER_STATUS_SUCCESS;
	SOLVER_TRY(solver_status(cudaMemcpyAsync(to, from, count * sizeof(T), cudaMemcpyDefault,
						 handle->handle.stream)));
	return solver_status(cudaStreamSynchronize(handle->handle.stream));
}

inline bool fits(const steps *s, int m, int n, int nnz)
{
	return s->analysed && s->m == m && s->n == n && s->nnz == nnz;
}

/* What is kept is the library's own memory; the workspace may be any. */
inline cusolverStatus_t sizes(const void *info, int m, int n, int nnz, size_t number,
			      size_t *internal, size_t *workspace)
{
	const steps *s = (const steps *)info;

	SOLVER_WANT(fits(s, m, n, nnz) && internal && workspace);
	*internal = ((size_t)nnz + m + n) * (number + sizeof(int));
	*workspace = ((size_t)n + 1) * number;
	return CUSOLVER_STATUS_SUCCESS;
}

template <class T> csr<T> matrix_of(const steps *s, const T *values)
{
	return {s->n, s->base, s->offsets, s->columns, values, s->order, s->order};
}

/* Without the operators of libstdc++, which is not linked */
template <class F, class... A> F *make_factor(A... arguments)
{
	void *room = malloc(sizeof(F));

	return room ? new (room) F(arguments...) : NULL;
}

template <class F> void drop_factor(void *factor)
{
	((F *)factor)->~F();
	free(factor);
}

} // namespace solver

#endif

// SPDX-License-Identifier: MIT
/*
 * Systems with sparse matrices by factors of the host, an eigenvalue near a number, and orders of
 * entries. The functions for matrices of the device bring them to the host, and x back.
 */
#include "cholesky.h"
#include "qr.h"
#include "sparse.h"

namespace solver
{

#define EXPORT extern "C" __attribute__((visibility("default")))

enum method { BY_LU, BY_QR, BY_CHOLESKY };

/* Lists of the host, and of both the arguments that all functions have */
template <class T> struct given {
	int n, nnz, base;
	const T *values;
	const int *offsets, *columns;
};

template <class T>
static cusolverStatus_t solve_system(const given<T> &m, enum method method, const T *b, double tol,
				     int reorder, T *x, int *singularity)
{
	room_for<int> order(m.n), place(m.n);
	room_for<T> side(m.n), y(m.n);
	enum outcome done;

	if (!order.at || !place.at || !side.at || !y.at ||
	    !sparse_reorder((enum sparse_order)reorder, m.n, m.base, m.offsets, m.columns,
			    order.at))
		return CUSOLVER_STATUS_ALLOC_FAILED;
	for (int k = 0; k < m.n; k++) {
		place[order[k]] = k;
		side[k] = b[order[k]];
	}
	csr<T> a = {m.n, m.base, m.offsets, m.columns, m.values, order.at, place.at};
	if (method == BY_LU) {
		lu_factors<T> lu(m.n);

		done = lu.factor(a, tol, zero_of<T>(), singularity);
		if (done == FACTORED && *singularity < 0)
			lu.solve(side.at, y.at);
	} else if (method == BY_QR) {
		qr_factors<T> qr(m.n, m.n);

		done = qr.factor(a, zero_of<T>());
		if (done == FACTORED) {
			*singularity = qr.singular(tol);
			if (*singularity < 0)
				qr.solve(side.at, side.at, y.at);
		}
	} else {
		cholesky_factors<T> cholesky(m.n);

		done = cholesky.factor(a, tol, singularity);
		if (done == FACTORED && *singularity < 0)
			cholesky.solve(side.at);
	}
	if (done != FACTORED)
		return CUSOLVER_STATUS_ALLOC_FAILED;
	for (int k = 0; *singularity < 0 && k < m.n; k++)
		x[order[k]] = side[k];
	return CUSOLVER_STATUS_SUCCESS;
}

/*
 * The eigenvalue that is nearest: the inverse of A - near is applied to a vector again and again.
 */
template <class T>
static cusolverStatus_t find_near(const given<T> &m, T near, const T *start, int rounds, double tol,
				  T *value, T *vector)
{
	room_for<int> order(m.n);
	room_for<T> x(m.n), y(m.n), z(m.n);
	int singularity;

	if (!order.at || !x.at || !y.at || !z.at)
		return CUSOLVER_STATUS_ALLOC_FAILED;
	for (int k = 0; k < m.n; k++)
		order[k] = k;
	csr<T> a = {m.n, m.base, m.offsets, m.columns, m.values, order.at, order.at};
	lu_factors<T> lu(m.n);
	T shift = near;
	double size = 0;
	for (int e = 0; e < m.nnz; e++)
		size = fmax(size, host_length(m.values[e]));
	size = fmax(size, host_length(near));
	if (lu.factor(a, 0, shift, &singularity) != FACTORED)
		return CUSOLVER_STATUS_ALLOC_FAILED;
	/* the number is an eigenvalue: one beside it has the same vector */
	if (singularity >= 0) {
		lu_factors<T> again(m.n);
		double step = (sizeof(real_of<T>) == 4 ? 0x1p-20 : 0x1p-48) * (size > 0 ? size : 1);

		shift = plus(near, convert<T>((real_of<T>)step));
		if (again.factor(a, 0, shift, &singularity) != FACTORED)
			return CUSOLVER_STATUS_ALLOC_FAILED;
		if (singularity >= 0)
			return CUSOLVER_STATUS_EXECUTION_FAILED;
		return find_near(m, shift, start, rounds, tol, value, vector);
	}
	double length = 0;
	for (int k = 0; k < m.n; k++)
		length = hypot(length, host_length(start[k]));
	for (int k = 0; k < m.n; k++)
		x[k] = length > 0 ? times(start[k], (real_of<T>)(1 / length)) : one_of<T>();
	for (int round = 0;; round++) {
		T mu = zero_of<T>();
		double rest = 0;

		/* z = A x; mu = x^H A x */
		for (int i = 0; i < m.n; i++) {
			z[i] = zero_of<T>();
			for (int e = m.offsets[i] - m.base; e < m.offsets[i + 1] - m.base; e++)
				z[i] = add_product(z[i], m.values[e], x[m.columns[e] - m.base]);
			mu = add_product(mu, conjugate(x[i]), z[i]);
		}
		for (int i = 0; i < m.n; i++)
			rest = hypot(rest, host_length(minus(z[i], times(mu, x[i]))));
		*value = mu;
		if (rest < tol || round >= rounds)
			break;
		lu.solve(x.at, y.at);
		length = 0;
		for (int i = 0; i < m.n; i++)
			length = hypot(length, host_length(x[i]));
		for (int i = 0; i < m.n; i++)
			x[i] = times(x[i], (real_of<T>)(1 / length));
	}
	memcpy(vector, x.at, m.n * sizeof(T));
	return CUSOLVER_STATUS_SUCCESS;
}

/* What is on the device, on the host: the caller frees */
template <class T> struct brought {
	room_for<T> values, b;
	room_for<int> offsets, columns;

	brought(int n, int nnz) : values(nnz), b(n), offsets(n + 1), columns(nnz)
	{
	}
	cusolverStatus_t bring(const struct solver_handle *h, int n, int nnz, const T *v,
			       const int *o, const int *c, const T *side, const char *function)
	{
		if (!values.at || !b.at || !offsets.at || !columns.at)
			return CUSOLVER_STATUS_ALLOC_FAILED;
		SOLVER_TRY(solver_bring(h, offsets.at, o, ((size_t)n + 1) * sizeof(int), function));
		if (nnz) {
			SOLVER_TRY(solver_bring(h, columns.at, c, (size_t)nnz * sizeof(int),
						function));
			SOLVER_TRY(
				solver_bring(h, values.at, v, (size_t)nnz * sizeof(T), function));
		}
		return n ? solver_bring(h, b.at, side, (size_t)n * sizeof(T), function)
			 : CUSOLVER_STATUS_SUCCESS;
	}
};

template <class T>
static cusolverStatus_t system(cusolverSpHandle_t handle, bool device, enum method method, int n,
			       int nnz, const cusparseMatDescr_t descr, const T *values,
			       const int *offsets, const int *columns, const T *b, double tol,
			       int reorder, T *x, int *singularity, const char *function)
{
	SOLVER_TRY(solver_check(handle, SOLVER_SP, function));
	int base = sparse_base(descr, function);

	SOLVER_WANT(n >= 0 && nnz >= 0 && base >= 0 && offsets && singularity &&
		    (unsigned)reorder <= 3 && (!nnz || (values && columns)) && (!n || (b && x)));
	given<T> m = {n, nnz, base, values, offsets, columns};

	if (!device) {
		SOLVER_WANT(sparse_pattern(n, n, nnz, base, offsets, columns));
		return solve_system(m, method, b, tol, reorder, x, singularity);
	}
	brought<T> host(n, nnz);
	room_for<T> solved(n);
	SOLVER_TRY(host.bring(&handle->handle, n, nnz, values, offsets, columns, b, function));
	SOLVER_WANT(solved.at && sparse_pattern(n, n, nnz, base, host.offsets.at, host.columns.at));
	m = {n, nnz, base, host.values.at, host.offsets.at, host.columns.at};
	SOLVER_TRY(solve_system(m, method, host.b.at, tol, reorder, solved.at, singularity));
	if (*singularity >= 0 || !n)
		return CUSOLVER_STATUS_SUCCESS;
	SOLVER_TRY(solver_status(cudaMemcpyAsync(x, solved.at, n * sizeof(T), cudaMemcpyDefault,
						 handle->handle.stream)));
	return solver_status(cudaStreamSynchronize(handle->handle.stream));
}

template <class T>
static cusolverStatus_t
near_value(cusolverSpHandle_t handle, bool device, int n, int nnz, const cusparseMatDescr_t descr,
	   const T *values, const int *offsets, const int *columns, T near, const T *start,
	   int rounds, double tol, T *value, T *vector, const char *function)
{
	SOLVER_TRY(solver_check(handle, SOLVER_SP, function));
	int base = sparse_base(descr, function);

	SOLVER_WANT(n >= 1 && nnz >= 0 && base >= 0 && offsets && (!nnz || (values && columns)) &&
		    start && value && vector && rounds >= 0);
	given<T> m = {n, nnz, base, values, offsets, columns};

	if (!device) {
		SOLVER_WANT(sparse_pattern(n, n, nnz, base, offsets, columns));
		return find_near(m, near, start, rounds, tol, value, vector);
	}
	brought<T> host(n, nnz);
	room_for<T> found(n + 1);
	SOLVER_TRY(host.bring(&handle->handle, n, nnz, values, offsets, columns, start, function));
	SOLVER_WANT(found.at && sparse_pattern(n, n, nnz, base, host.offsets.at, host.columns.at));
	m = {n, nnz, base, host.values.at, host.offsets.at, host.columns.at};
	SOLVER_TRY(find_near(m, near, host.b.at, rounds, tol, found.at + n, found.at));
	cudaStream_t stream = handle->handle.stream;
	SOLVER_TRY(solver_status(
		cudaMemcpyAsync(vector, found.at, n * sizeof(T), cudaMemcpyDefault, stream)));
	SOLVER_TRY(solver_status(
		cudaMemcpyAsync(value, found.at + n, sizeof(T), cudaMemcpyDefault, stream)));
	return solver_status(cudaStreamSynchronize(stream));
}

#define SYSTEM(X, T, R, name, device, method)                                                      \
	EXPORT cusolverStatus_t cusolverSp##X##name(                                               \
		cusolverSpHandle_t h, int n, int nnz, const cusparseMatDescr_t a, const T *values, \
		const int *offsets, const int *columns, const T *b, R tol, int reorder, T *x,      \
		int *singularity)                                                                  \
	{                                                                                          \
		return system(h, device, method, n, nnz, a, values, offsets, columns, b, tol,      \
			      reorder, x, singularity, __func__);                                  \
	}
#define NEAR(X, T, R, name, device)                                                                \
	EXPORT cusolverStatus_t cusolverSp##X##name(                                               \
		cusolverSpHandle_t h, int n, int nnz, const cusparseMatDescr_t a, const T *values, \
		const int *offsets, const int *columns, T near, const T *start, int rounds, R tol, \
		T *value, T *vector)                                                               \
	{                                                                                          \
		return near_value(h, device, n, nnz, a, values, offsets, columns, near, start,     \
				  rounds, tol, value, vector, __func__);                           \
	}
#define SPARSE(X, T, R)                                     \
	SYSTEM(X, T, R, csrlsvluHost, false, BY_LU)         \
	SYSTEM(X, T, R, csrlsvqrHost, false, BY_QR)         \
	SYSTEM(X, T, R, csrlsvcholHost, false, BY_CHOLESKY) \
	SYSTEM(X, T, R, csrlsvqr, true, BY_QR)              \
	SYSTEM(X, T, R, csrlsvchol, true, BY_CHOLESKY)      \
	NEAR(X, T, R, csreigvsiHost, false)                 \
	NEAR(X, T, R, csreigvsi, true)

SPARSE(S, float, float)
SPARSE(D, double, double)
SPARSE(C, cuComplex, float)
SPARSE(Z, cuDoubleComplex, double)

} // namespace solver

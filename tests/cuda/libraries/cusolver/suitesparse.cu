/* SPDX-License-Identifier: MIT */
/*
 * cuSOLVER's sparse systems beside SuiteSparse: solutions, and which matrices are singular, by
 * UMFPACK (Debian's libumfpack5); how full a factor becomes in our order and in AMD's (libamd2).
 */
#include "libraries/oracle.h"
#include "sparse_systems.h"

#include <algorithm>

static void *umfpack_library, *amd_library;

/* UMFPACK: solve A.' x = b with the columns of A, which are our rows. */
enum { UMFPACK_AAT = 2, UMFPACK_SINGULAR = 1, UMFPACK_INFO = 90, UMFPACK_RCOND = 67 };

template <class F> static F *umfpack(const char *name)
{
	return (F *)oracle_symbol(umfpack_library, name);
}

/* Packed complex numbers: where arrays of imaginary parts are expected there are none. */
static int umfpack_solve(const csr &a, const matrix &b, matrix *x)
{
	typedef int symbolic(int, int, const int *, const int *, const double *, const double *,
			     void **, const double *, double *);
	typedef int numeric(const int *, const int *, const double *, const double *, void *,
			    void **, const double *, double *);
	typedef int solve(int, const int *, const int *, const double *, const double *, double *,
			  double *, const double *, const double *, void *, const double *,
			  double *);
	typedef void release(void **);
	std::vector<int> offsets = a.offsets, columns = a.columns;
	void *s = NULL, *n = NULL;
	std::vector<number> room = a.values;
	double info[UMFPACK_INFO];
	int status;

	for (int &o : offsets)
		o -= a.base;
	for (int &c : columns)
		c -= a.base;
	/* it wants arrays where there is nothing, too */
	columns.push_back(0);
	room.push_back(0);
	const double *values = (const double *)room.data();
	*x = matrix(a.n, 1);
	status = umfpack<symbolic>("umfpack_zi_symbolic")(a.n, a.n, offsets.data(), columns.data(),
							  values, NULL, &s, NULL, NULL);
	EXPECT(status == 0 || status == UMFPACK_SINGULAR);
	status = umfpack<numeric>("umfpack_zi_numeric")(offsets.data(), columns.data(), values,
							NULL, s, &n, NULL, info);
	EXPECT(status == 0 || status == UMFPACK_SINGULAR);
	/* it scales rows: what would be zero is a rounding then */
	if (!status && info[UMFPACK_RCOND] < 1e-13)
		status = UMFPACK_SINGULAR;
	if (!status)
		status = umfpack<solve>("umfpack_zi_solve")(
			UMFPACK_AAT, offsets.data(), columns.data(), values, NULL,
			(double *)x->values.data(), NULL, (const double *)b.values.data(), NULL, n,
			NULL, NULL);
	umfpack<release>("umfpack_zi_free_symbolic")(&s);
	umfpack<release>("umfpack_zi_free_numeric")(&n);
	return status;
}

static int random_size()
{
	static const int sizes[] = {1, 2, 3, 7, 16, 33, 60};

	return sizes[lcg_below(&draw, sizeof(sizes) / sizeof(*sizes))];
}

/* Often with a row or a column of zeros, or rows that are multiples of one another */
template <class T> static matrix maybe_singular(int n)
{
	matrix a = random_sparse<T>(n, lcg_below(&draw, 2));
	int at = (int)lcg_below(&draw, n), other = (int)lcg_below(&draw, n);

	switch (lcg_below(&draw, 5)) {
	case 0:
		for (int i = 0; i < n; i++)
			a(at, i) = 0;
		break;
	case 1:
		for (int i = 0; i < n; i++)
			a(i, at) = 0;
		break;
	case 2:
		/* not of floats, whose roundings hide it */
		for (int i = 0; i < n && at != other && sizeof(real_of<T>) == 8; i++)
			a(at, i) = 2.0 * a(other, i);
		break;
	default:
		break;
	}
	return a;
}

template <class T> static void test_systems(int turns)
{
	for (int turn = 0; turn < turns; turn++)
		for (int way = LU_HOST; way <= CHOLESKY; way++) {
			bool cholesky = way == CHOLESKY || way == CHOLESKY_HOST;
			int n = random_size(), base = (int)lcg_below(&draw, 2), at;
			int order = (int)lcg_below(&draw, 4);
			matrix a = cholesky ? definite<T>(n) : maybe_singular<T>(n);
			matrix b = random_matrix<T>(n, 1), x, want;
			int status = umfpack_solve(from(a, base), b, &want);

			at = solve<T>(from(cholesky ? triangle(a, true) : a, base), (enum way)way,
				      order, b, &x);
			if ((at >= 0) != (status == UMFPACK_SINGULAR))
				mismatch("%s, way %d, %d rows: singular at %d, UMFPACK's status %d",
					 kind<T>::name, way, n, at, status);
			else if (at < 0)
				expect_near<T>(a * (x - want), matrix(n, 1), 80 * (n + 1), "system",
					       __LINE__, a.norm() * want.norm() + b.norm());
		}
}

/* Numbers of a Cholesky factor of that pattern, its rows in this order */
static int factor_size(const matrix &a, const std::vector<int> &order)
{
	int n = a.rows, count = 0;
	std::vector<char> full((size_t)n * n);

	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++)
			full[i * n + j] = a(order[i], order[j]) != 0.0;
	for (int k = 0; k < n; k++)
		for (int i = k; i < n; i++) {
			count += full[i * n + k] || i == k;
			for (int j = k + 1; j < n && full[i * n + k]; j++)
				full[i * n + j] |= full[j * n + k];
		}
	return count;
}

/* Of a grid, and of what is random: symmetric patterns */
static matrix pattern(int n, bool grid)
{
	matrix a(n, n);
	int side = 1;

	while ((side + 1) * (side + 1) <= n)
		side++;
	for (int i = 0; i < n; i++) {
		a(i, i) = 1;
		for (int j = 0; j < i; j++) {
			bool beside = grid ? (i - j == 1 && i % side) || i - j == side
					   : !lcg_below(&draw, n / 2 + 1);

			a(i, j) = a(j, i) = beside;
		}
	}
	return a;
}

static void test_order(int n, bool grid)
{
	typedef int amd_order(int, const int *, const int *, int *, double *, double *);
	matrix a = pattern(n, grid);
	csr s = from(a, 0);
	std::vector<int> ours(n), theirs(n);

	OK(cusolverSpXcsrsymamdHost(sparse_handle, n, s.nnz(), descrs[0], s.offsets.data(),
				    s.columns.data(), ours.data()));
	int status = ((amd_order *)oracle_symbol(amd_library, "amd_order"))(
		n, s.offsets.data(), s.columns.data(), theirs.data(), NULL, NULL);
	EXPECT(status == 0);
	int got = factor_size(a, ours), want = factor_size(a, theirs);
	if (got > want + want / 5 + 3)
		mismatch("symamd, %d rows%s: a factor of %d numbers, by AMD %d", n,
			 grid ? " of a grid" : "", got, want);
}

int main(int argc, char **argv)
{
	int turns = (int)parse_size(argc, argv, "suitesparse", "problems of each kind and type", 8,
				    1, 10000);

	umfpack_library = oracle("libumfpack.so.5", "libumfpack5");
	amd_library = oracle("libamd.so.2", "libamd2");
	OK(cusolverSpCreate(&sparse_handle));
	make_descrs();
	test_systems<float>(turns);
	test_systems<double>(turns);
	test_systems<cuComplex>(turns);
	test_systems<cuDoubleComplex>(turns);
	for (int n : {1, 2, 9, 36, 100})
		for (bool grid : {true, false})
			test_order(n, grid);
	drop_descrs();
	OK(cusolverSpDestroy(sparse_handle));
	return finish();
}

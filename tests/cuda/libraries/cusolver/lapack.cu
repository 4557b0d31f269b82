/* SPDX-License-Identifier: MIT */
/*
 * cuSOLVER's dense functions beside LAPACK's of the same name (Debian's liblapack3): sizes, leading
 * dimensions, triangles at random, empty ones among them. Factors, reflectors, pivots and values
 * are compared themselves; that they fit their matrix is what the other programs here look at.
 * Pivots are compared in double, where no two candidates are the same but for a rounding.
 */
#include "libraries/oracle.h"
#include "solver.h"

#include <algorithm>

FOUR(potrf_bufferSize)
FOUR(potrf)
FOUR(getrf_bufferSize)
FOUR(getrf)
FOUR(getrs)
FOUR(geqrf_bufferSize)
FOUR(geqrf)
FOUR(sytrf_bufferSize)
FOUR(sytrf)
FOUR(gebrd_bufferSize)
FOUR(gebrd)
FOUR(gesvd_bufferSize)
FOUR(gesvd)
FOUR_NAMES(orgqr_bufferSize, orgqr_bufferSize, ungqr_bufferSize)
FOUR_NAMES(orgqr, orgqr, ungqr)
FOUR_NAMES(ormqr_bufferSize, ormqr_bufferSize, unmqr_bufferSize)
FOUR_NAMES(ormqr, ormqr, unmqr)
FOUR_NAMES(sytrd_bufferSize, sytrd_bufferSize, hetrd_bufferSize)
FOUR_NAMES(sytrd, sytrd, hetrd)
FOUR_NAMES(syevd_bufferSize, syevd_bufferSize, heevd_bufferSize)
FOUR_NAMES(syevd, syevd, heevd)
FOUR_NAMES(sygvd_bufferSize, sygvd_bufferSize, hegvd_bufferSize)
FOUR_NAMES(sygvd, sygvd, hegvd)

/* ---- LAPACK, by Fortran's names; all arguments are pointers */

static void *lapack_library;

/* SECOND is the name for complex numbers. */
template <class T, class... A>
static void lapack(const char *name, const char *second, A... arguments)
{
	char whole[32];

	snprintf(whole, sizeof(whole), "%c%s_", kind<T>::name[0] + 'a' - 'A',
		 kind<T>::complex ? second : name);
	((void (*)(const A...))oracle_symbol(lapack_library, whole))(arguments...);
}

enum { ROOM = 1 << 16 };
static double room[ROOM], real_room[ROOM];
static const int room_size = ROOM / 2;

/* A matrix of the host's, with its leading dimension; behind the rows is NaN. */
template <class T> struct host {
	int rows, cols, ld;
	std::vector<T> all;

	host(const matrix &a, int more = 0)
	    : rows(a.rows), cols(a.cols), ld(std::max(a.rows + more, 1)), all((size_t)ld * cols + 1)
	{
		for (T &v : all)
			narrow(number(NAN, NAN), &v);
		for (int j = 0; j < cols; j++)
			for (int i = 0; i < rows; i++)
				narrow(a(i, j), &all[i + (size_t)j * ld]);
	}
	T *at()
	{
		return all.data();
	}
	matrix bring() const
	{
		matrix a(rows, cols);

		for (int j = 0; j < cols; j++)
			for (int i = 0; i < rows; i++)
				a(i, j) = widen(all[i + (size_t)j * ld]);
		return a;
	}
};

static int random_size()
{
	static const int sizes[] = {0, 1, 2, 3, 7, 16, 31, 32, 33, 40, 65};

	return sizes[lcg_below(&draw, sizeof(sizes) / sizeof(*sizes))];
}

/* A random matrix whose factors are not much larger than it: solutions are as exact as they look.
 */
template <class T> static matrix well_conditioned(int m, int n)
{
	matrix a = random_matrix<T>(m, n);

	for (int i = 0; i < std::min(m, n); i++)
		a(i, i) += 2.5 * sqrt(std::max(m, n));
	return a;
}

template <class R>
static void same_values(const char *what, const std::vector<R> &got, const std::vector<R> &want,
			double bound)
{
	EXPECT(got.size() == want.size());
	for (size_t i = 0; i < want.size() && i < got.size(); i++)
		expect_near(what, (long)i, got[i], want[i], bound);
}

template <class T> static void test_cholesky()
{
	bool lower = lcg_below(&draw, 2);
	int n = random_size(), wrong = -1, lwork;
	matrix a = random_definite<T>(n);
	char uplo = lower ? 'L' : 'U';
	list<int> info(1);

	/* sometimes not definite from somewhere on */
	if (n && !lcg_below(&draw, 3)) {
		int at = (int)lcg_below(&draw, n);
		a(at, at) = -a(at, at);
	}
	device<T> da(half_of(a, lower), (int)lcg_below(&draw, 4));
	host<T> ha(half_of(a, lower), (int)lcg_below(&draw, 4));
	OK(CALL(T, potrf_bufferSize, handle,
		lower ? CUBLAS_FILL_MODE_LOWER : CUBLAS_FILL_MODE_UPPER, n, da.at, da.ld, &lwork));
	device<T> work(lwork, 1);
	OK(CALL(T, potrf, handle, lower ? CUBLAS_FILL_MODE_LOWER : CUBLAS_FILL_MODE_UPPER, n, da.at,
		da.ld, work.at, lwork, info.at));
	lapack<T>("potrf", "potrf", &uplo, &n, ha.at(), &ha.ld, &wrong);
	EXPECT_INFO(info, wrong);
	if (!wrong)
		expect_near<T>(triangle(da.bring(), lower), triangle(ha.bring(), lower), 4 * n + 4,
			       "potrf", __LINE__, a.norm());
}

template <class T> static void test_lu()
{
	bool exact = sizeof(real_of<T>) == 8;
	int m = random_size(), n = random_size(), k = std::min(m, n), wrong = -1, lwork;
	matrix a = exact ? random_matrix<T>(m, n) : well_conditioned<T>(m, n);
	std::vector<int> pivots(k + 1);
	list<int> info(1), found(k);

	/* sometimes singular: a column of zeros stays one */
	if (k && !lcg_below(&draw, 3)) {
		int at = (int)lcg_below(&draw, k);
		for (int i = 0; i < m; i++)
			a(i, at) = 0;
	}
	device<T> da(a, (int)lcg_below(&draw, 4));
	host<T> ha(a, (int)lcg_below(&draw, 4));
	OK(CALL(T, getrf_bufferSize, handle, m, n, da.at, da.ld, &lwork));
	device<T> work(lwork, 1);
	OK(CALL(T, getrf, handle, m, n, da.at, da.ld, work.at, found.at, info.at));
	lapack<T>("getrf", "getrf", &m, &n, ha.at(), &ha.ld, pivots.data(), &wrong);
	pivots.pop_back();
	EXPECT_INFO(info, wrong);
	if (found.bring() == pivots)
		expect_near<T>(da.bring(), ha.bring(), exact ? 1e5 : 100 * k + 100, "getrf",
			       __LINE__, a.norm() + 1e-300);
	else if (exact)
		mismatch("getrf of %s, %d x %d: other pivots than LAPACK's", kind<T>::name, m, n);
	if (m != n || wrong)
		return;
	/* LAPACK's solution from our factors */
	cublasOperation_t op = (cublasOperation_t)lcg_below(&draw, 3);
	char letter = "NTC"[op];
	int nrhs = (int)lcg_below(&draw, 4);
	matrix b = random_matrix<T>(n, nrhs);
	device<T> db(b, (int)lcg_below(&draw, 4));
	host<T> hb(b, 1), ours(da.bring());
	pivots = found.bring();
	OK(CALL(T, getrs, handle, op, n, nrhs, da.at, da.ld, found.at, db.at, db.ld, info.at));
	lapack<T>("getrs", "getrs", &letter, &n, &nrhs, ours.at(), &ours.ld, pivots.data(), hb.at(),
		  &hb.ld, &wrong);
	expect_near<T>(db.bring(), hb.bring(), exact ? 1e6 : 100 * n + 100, "getrs", __LINE__,
		       hb.bring().norm() + 1e-300);
}

template <class T> static void test_qr()
{
	int m = random_size(), n = random_size(), k = std::min(m, n), wrong = -1, lwork;
	matrix a = well_conditioned<T>(m, n);
	double bound = 40 * (m + n) + 40;
	list<int> info(1);

	device<T> da(a, (int)lcg_below(&draw, 4)), tau(k, 1);
	host<T> ha(a, (int)lcg_below(&draw, 4)), htau(matrix(k, 1));
	OK(CALL(T, geqrf_bufferSize, handle, m, n, da.at, da.ld, &lwork));
	device<T> work(lwork, 1);
	OK(CALL(T, geqrf, handle, m, n, da.at, da.ld, tau.at, work.at, lwork, info.at));
	EXPECT_INFO(info, 0);
	lapack<T>("geqrf", "geqrf", &m, &n, ha.at(), &ha.ld, htau.at(), room, &room_size, &wrong);
	expect_near<T>(da.bring(), ha.bring(), bound, "geqrf", __LINE__, a.norm() + 1e-300);
	expect_near<T>(tau.bring(), htau.bring(), bound, "geqrf, tau", __LINE__, k + 1);

	/* the reflectors of both are LAPACK's now */
	matrix factor = ha.bring();
	bool left = lcg_below(&draw, 2), turned = lcg_below(&draw, 2);
	int rows = left ? m : random_size(), cols = left ? random_size() : m;
	matrix c = random_matrix<T>(rows, cols);
	char side = left ? 'L' : 'R', op = !turned ? 'N' : kind<T>::complex ? 'C' : 'T';
	cublasOperation_t trans = !turned	     ? CUBLAS_OP_N
				  : kind<T>::complex ? CUBLAS_OP_C
						     : CUBLAS_OP_T;
	device<T> same(factor, 1), same_tau(htau.bring()), dc(c, (int)lcg_below(&draw, 4));
	host<T> hc(c, 2);
	OK(CALL(T, ormqr_bufferSize, handle, left ? CUBLAS_SIDE_LEFT : CUBLAS_SIDE_RIGHT, trans,
		rows, cols, k, same.at, same.ld, same_tau.at, dc.at, dc.ld, &lwork));
	device<T> more(lwork, 1);
	OK(CALL(T, ormqr, handle, left ? CUBLAS_SIDE_LEFT : CUBLAS_SIDE_RIGHT, trans, rows, cols, k,
		same.at, same.ld, same_tau.at, dc.at, dc.ld, more.at, lwork, info.at));
	EXPECT_INFO(info, 0);
	lapack<T>("ormqr", "unmqr", &side, &op, &rows, &cols, &k, ha.at(), &ha.ld, htau.at(),
		  hc.at(), &hc.ld, room, &room_size, &wrong);
	expect_near<T>(dc.bring(), hc.bring(), bound, "ormqr", __LINE__, c.norm() + 1e-300);

	matrix first = factor.part(m, k);
	device<T> dq(first, (int)lcg_below(&draw, 4));
	host<T> hq(first);
	OK(CALL(T, orgqr_bufferSize, handle, m, k, k, dq.at, dq.ld, same_tau.at, &lwork));
	device<T> last(lwork, 1);
	OK(CALL(T, orgqr, handle, m, k, k, dq.at, dq.ld, same_tau.at, last.at, lwork, info.at));
	EXPECT_INFO(info, 0);
	lapack<T>("orgqr", "ungqr", &m, &k, &k, hq.at(), &hq.ld, htau.at(), room, &room_size,
		  &wrong);
	expect_near<T>(dq.bring(), hq.bring(), bound, "orgqr", __LINE__, 1);
}

template <class T> static void test_symmetric()
{
	bool lower = lcg_below(&draw, 2), exact = sizeof(real_of<T>) == 8;
	int n = random_size(), wrong = -1, lwork;
	matrix a = random_matrix<T>(n, n);
	char uplo = lower ? 'L' : 'U';
	std::vector<int> pivots(n + 1);
	list<int> info(1), found(n);

	for (int j = 0; j < n; j++)
		for (int i = 0; i < j; i++)
			a(i, j) = a(j, i);
	device<T> da(half_of(a, lower), (int)lcg_below(&draw, 4));
	host<T> ha(half_of(a, lower), (int)lcg_below(&draw, 4));
	OK(CALL(T, sytrf_bufferSize, handle, n, da.at, da.ld, &lwork));
	device<T> work(lwork, 1);
	OK(CALL(T, sytrf, handle, lower ? CUBLAS_FILL_MODE_LOWER : CUBLAS_FILL_MODE_UPPER, n, da.at,
		da.ld, found.at, work.at, lwork, info.at));
	/* unblocked: what a panel leaves for the next one is another order of the same rows */
	lapack<T>("sytf2", "sytf2", &uplo, &n, ha.at(), &ha.ld, pivots.data(), &wrong);
	pivots.pop_back();
	EXPECT_INFO(info, wrong);
	if (found.bring() == pivots)
		expect_near<T>(triangle(da.bring(), lower), triangle(ha.bring(), lower), 1e5,
			       "sytrf", __LINE__, a.norm() + 1e-300);
	else if (exact)
		mismatch("sytrf of %s, %d, %c: other pivots than LAPACK's", kind<T>::name, n, uplo);
}

template <class T> static void test_eigenvalues()
{
	typedef real_of<T> R;
	bool lower = lcg_below(&draw, 2);
	cublasFillMode_t fill = lower ? CUBLAS_FILL_MODE_LOWER : CUBLAS_FILL_MODE_UPPER;
	int n = random_size(), wrong = -1, lwork, type = 1 + (int)lcg_below(&draw, 3);
	matrix a = random_hermitian<T>(n), b = random_definite<T>(n);
	char uplo = lower ? 'L' : 'U', none = 'N';
	std::vector<R> d(n + 1), e(n + 1), w(n + 1), ww(n + 1);
	double bound = 20 * (n + 1) * epsilon<T>() * (a.norm() + 1e-300);
	list<int> info(1);
	list<R> dd(n), de(n ? n - 1 : 0), dw(n), dg(n);

	host<T> ha(half_of(a, lower), 1), he(half_of(a, lower)), hg(half_of(a, lower), 2),
		hb(half_of(b, lower)), tau(matrix(n, 1));
	device<T> da(half_of(a, lower), (int)lcg_below(&draw, 4)), dtau(n, 1), room_of(1, 1);
	OK(CALL(T, sytrd_bufferSize, handle, fill, n, da.at, da.ld, dd.at, de.at, dtau.at, &lwork));
	device<T> work(lwork, 1);
	OK(CALL(T, sytrd, handle, fill, n, da.at, da.ld, dd.at, de.at, dtau.at, work.at, lwork,
		info.at));
	EXPECT_INFO(info, 0);
	lapack<T>("sytrd", "hetrd", &uplo, &n, ha.at(), &ha.ld, d.data(), e.data(), tau.at(), room,
		  &room_size, &wrong);
	d.resize(n);
	e.resize(n ? n - 1 : 0);
	/* what a reflection leaves may be small beside what it came from */
	same_values("sytrd, d", dd.bring(), d, 1e3 * bound);
	same_values("sytrd, e", de.bring(), e, 1e3 * bound);

	device<T> dv(half_of(a, lower), (int)lcg_below(&draw, 4));
	OK(CALL(T, syevd_bufferSize, handle, CUSOLVER_EIG_MODE_VECTOR, fill, n, dv.at, dv.ld, dw.at,
		&lwork));
	device<T> more(lwork, 1);
	OK(CALL(T, syevd, handle, CUSOLVER_EIG_MODE_VECTOR, fill, n, dv.at, dv.ld, dw.at, more.at,
		lwork, info.at));
	EXPECT_INFO(info, 0);
	if (kind<T>::complex)
		lapack<T>("", "heev", &none, &uplo, &n, he.at(), &he.ld, w.data(), room, &room_size,
			  real_room, &wrong);
	else
		lapack<T>("syev", "", &none, &uplo, &n, he.at(), &he.ld, w.data(), room, &room_size,
			  &wrong);
	w.resize(n);
	same_values("syevd", dw.bring(), w, bound);

	device<T> dga(half_of(a, lower), 1), dgb(half_of(b, lower), 2);
	OK(CALL(T, sygvd_bufferSize, handle, (cusolverEigType_t)type, CUSOLVER_EIG_MODE_NOVECTOR,
		fill, n, dga.at, dga.ld, dgb.at, dgb.ld, dg.at, &lwork));
	device<T> last(lwork, 1);
	OK(CALL(T, sygvd, handle, (cusolverEigType_t)type, CUSOLVER_EIG_MODE_NOVECTOR, fill, n,
		dga.at, dga.ld, dgb.at, dgb.ld, dg.at, last.at, lwork, info.at));
	EXPECT_INFO(info, 0);
	if (kind<T>::complex)
		lapack<T>("", "hegv", &type, &none, &uplo, &n, hg.at(), &hg.ld, hb.at(), &hb.ld,
			  ww.data(), room, &room_size, real_room, &wrong);
	else
		lapack<T>("sygv", "", &type, &none, &uplo, &n, hg.at(), &hg.ld, hb.at(), &hb.ld,
			  ww.data(), room, &room_size, &wrong);
	ww.resize(n);
	same_values("sygvd", dg.bring(), ww, bound * (type == 1 ? 1 : b.norm()));
}

template <class T> static void test_singular_values()
{
	typedef real_of<T> R;
	int m = random_size(), n = random_size(), k = std::min(m, n), wrong = -1, lwork, one = 1;
	matrix a = random_matrix<T>(m, n);
	char none = 'N';
	std::vector<R> s(k + 1), d(k + 1), e(k + 1);
	double bound = 20 * (m + n + 1) * epsilon<T>() * (a.norm() + 1e-300);
	list<int> info(1);
	list<R> ds(k), dd(n), de(n ? n - 1 : 0);
	host<T> ha(a, 1), hb(a, 2), tauq(matrix(k, 1)), taup(matrix(k, 1));

	device<T> da(a, (int)lcg_below(&draw, 4));
	OK(CALL(T, gesvd_bufferSize, handle, m, n, &lwork));
	device<T> work(lwork, 1);
	OK(CALL(T, gesvd, handle, 'N', 'N', m, n, da.at, da.ld, ds.at, (T *)NULL, 1, (T *)NULL, 1,
		work.at, lwork, (R *)NULL, info.at));
	EXPECT_INFO(info, 0);
	if (kind<T>::complex)
		lapack<T>("", "gesvd", &none, &none, &m, &n, ha.at(), &ha.ld, s.data(), (T *)NULL,
			  &one, (T *)NULL, &one, room, &room_size, real_room, &wrong);
	else
		lapack<T>("gesvd", "", &none, &none, &m, &n, ha.at(), &ha.ld, s.data(), (T *)NULL,
			  &one, (T *)NULL, &one, room, &room_size, &wrong);
	s.resize(k);
	same_values("gesvd", ds.bring(), s, bound);
	if (m < n)
		return;
	device<T> db(a, (int)lcg_below(&draw, 4)), dq(n, 1), dp(n, 1);
	OK(CALL(T, gebrd_bufferSize, handle, m, n, &lwork));
	device<T> more(lwork, 1);
	OK(CALL(T, gebrd, handle, m, n, db.at, db.ld, dd.at, de.at, dq.at, dp.at, more.at, lwork,
		info.at));
	EXPECT_INFO(info, 0);
	lapack<T>("gebrd", "gebrd", &m, &n, hb.at(), &hb.ld, d.data(), e.data(), tauq.at(),
		  taup.at(), room, &room_size, &wrong);
	d.resize(n);
	e.resize(n ? n - 1 : 0);
	same_values("gebrd, d", dd.bring(), d, 1e3 * bound);
	same_values("gebrd, e", de.bring(), e, 1e3 * bound);
}

template <class T> static void test_type(int turns)
{
	for (int i = 0; i < turns; i++) {
		test_cholesky<T>();
		test_lu<T>();
		test_qr<T>();
		test_symmetric<T>();
		test_eigenvalues<T>();
		test_singular_values<T>();
	}
}

int main(int argc, char **argv)
{
	int turns = (int)parse_size(argc, argv, "lapack", "problems of each kind and type", 3, 1,
				    10000);

	lapack_library = oracle("/usr/lib/x86_64-linux-gnu/lapack/liblapack.so.3", "liblapack3");
	OK(cusolverDnCreate(&handle));
	test_type<float>(turns);
	test_type<double>(turns);
	test_type<cuComplex>(turns);
	test_type<cuDoubleComplex>(turns);
	OK(cusolverDnDestroy(handle));
	return finish();
}

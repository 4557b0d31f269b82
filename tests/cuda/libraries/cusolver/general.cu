/* SPDX-License-Identifier: MIT */
/*
 * cusolverDnXgeev beside LAPACK's geev, and cusolverDnXlarft beside larft (Debian's liblapack3):
 * random matrices, those whose eigenvalues are known, badly scaled ones, ones without enough
 * vectors, NaN. Vectors are put into their equations.
 */
#include "libraries/oracle.h"
#include "solver.h"

#include <algorithm>

static void *lapack_library;

template <class T, class... A> static void lapack(const char *name, A... arguments)
{
	char whole[32];

	snprintf(whole, sizeof(whole), "%c%s_", kind<T>::name[0] + 'a' - 'A', name);
	((void (*)(const A...))oracle_symbol(lapack_library, whole))(arguments...);
}

/* What a call gave: eigenvalues, and vectors as complex columns */
struct solution {
	std::vector<number> values;
	matrix left, right;
	int info;
};

/* Columns of a real matrix: pairs are real and imaginary parts. */
static matrix unpacked(const matrix &packed, const std::vector<number> &values)
{
	matrix v = packed;

	for (int j = 0; j + 1 < v.cols; j++) {
		if (values[j].imag() == 0)
			continue;
		for (int i = 0; i < v.rows; i++) {
			number x(packed(i, j).real(), packed(i, j + 1).real());

			v(i, j) = x;
			v(i, j + 1) = std::conj(x);
		}
		j++;
	}
	return v;
}

template <class T> static std::vector<number> values_at(const void *w, int n, bool complex_w)
{
	typedef real_of<T> R;
	std::vector<R> all(2 * n + 1);
	std::vector<number> values(n);

	CHECK(cudaMemcpy(all.data(), w, 2 * n * sizeof(R), cudaMemcpyDeviceToHost));
	for (int i = 0; i < n; i++)
		values[i] = complex_w ? number(all[2 * i], all[2 * i + 1])
				      : number(all[i], all[n + i]);
	return values;
}

template <class T> static solution solve(const matrix &a, bool left, bool right, bool complex_w)
{
	int n = a.rows;
	bool complex = kind<T>::complex;
	cudaDataType type = type_of<T>(), type_w = type;
	device<T> da(a, (int)lcg_below(&draw, 4)), vl(left ? n : 0, left ? n : 0, 1),
		vr(right ? n : 0, right ? n : 0, 2);
	list<real_of<T>> w(2 * n);
	list<int> info(1);
	cusolverEigMode_t modes[] = {CUSOLVER_EIG_MODE_NOVECTOR, CUSOLVER_EIG_MODE_VECTOR};
	size_t bytes = 0, host_bytes = 77;
	solution s;
	void *work;

	if (complex_w && !complex)
		type_w = type == CUDA_R_32F ? CUDA_C_32F : CUDA_C_64F;
	OK(cusolverDnXgeev_bufferSize(handle, NULL, modes[left], modes[right], n, type, da.at,
				      da.ld, type_w, w.at, type, vl.at, vl.ld, type, vr.at, vr.ld,
				      type, &bytes, &host_bytes));
	EXPECT(host_bytes == 0);
	CHECK(cudaMalloc(&work, bytes + 1));
	CHECK(cudaMemset(work, 0xff, bytes + 1));
	OK(cusolverDnXgeev(handle, NULL, modes[left], modes[right], n, type, da.at, da.ld, type_w,
			   w.at, type, vl.at, vl.ld, type, vr.at, vr.ld, type, work, bytes, NULL, 0,
			   info.at));
	s.info = info.value();
	w.bring();
	s.values = values_at<T>(w.at, n, complex || complex_w);
	s.left = complex ? vl.bring() : unpacked(vl.bring(), s.values);
	s.right = complex ? vr.bring() : unpacked(vr.bring(), s.values);
	CHECK(cudaFree(work));
	return s;
}

/* Real matrices: a pair is a number and then its conjugate, the positive part first. */
template <class T> static void check_pairs(const std::vector<number> &values)
{
	for (size_t i = 0; !kind<T>::complex && i < values.size(); i++)
		if (values[i].imag() != 0) {
			EXPECT(values[i].imag() > 0);
			EXPECT(i + 1 < values.size() && values[i + 1] == std::conj(values[i]));
			i++;
		}
}

/* Length 1, and the largest number real */
template <class T> static void check_lengths(const matrix &v, int line)
{
	for (int j = 0; j < v.cols; j++) {
		double sum = 0, most = 0;

		for (int i = 0; i < v.rows; i++) {
			sum += std::norm(v(i, j));
			most = std::max(most, std::abs(v(i, j)));
		}
		if (!(std::abs(sum - 1) <= 20 * (v.rows + 1) * epsilon<T>()))
			mismatch("line %d, vector %d of %s: its length is %g", line, j,
				 kind<T>::name, sqrt(sum));
		bool real = false;
		for (int i = 0; i < v.rows; i++)
			real |= std::abs(v(i, j)) >= most * (1 - 4 * epsilon<T>()) &&
				v(i, j).imag() == 0;
		if (!real)
			mismatch("line %d, vector %d of %s: its largest number is not real", line,
				 j, kind<T>::name);
	}
}

/* A V - V W, and U^H A - W U^H; the sizes of rows are `norm`'s. */
template <class T>
static void check_vectors(const matrix &a, const solution &s, int line, double norm)
{
	int n = a.rows;
	matrix w(n, n);
	double bound = 30 * (n + 2);

	for (int i = 0; i < n; i++)
		w(i, i) = s.values[i];
	if (s.right.cols) {
		check_lengths<T>(s.right, line);
		expect_near<T>(a * s.right, s.right * w, bound, "right vectors", line, norm);
	}
	if (s.left.cols) {
		check_lengths<T>(s.left, line);
		expect_near<T>(s.left.adjoint() * a, w * s.left.adjoint(), bound, "left vectors",
			       line, norm);
	}
}

/* Each value has one of the others near it, none twice. */
static void same_set(const std::vector<number> &got, std::vector<number> want, double bound,
		     const char *what, int line)
{
	for (number v : got) {
		size_t best = 0;

		for (size_t i = 1; i < want.size(); i++)
			if (std::abs(want[i] - v) < std::abs(want[best] - v))
				best = i;
		if (want.empty() || !(std::abs(want[best] - v) <= bound)) {
			mismatch("line %d, %s: got the eigenvalue (%.9g, %.9g)", line, what,
				 v.real(), v.imag());
			return;
		}
		want.erase(want.begin() + (long)best);
	}
}

template <class T> static std::vector<number> of_lapack(const matrix &a)
{
	typedef real_of<T> R;
	int n = a.rows, ld = std::max(n, 1), one = 1, size = 80 * (n + 1), wrong = -1;
	std::vector<T> all((size_t)ld * n + 1), w(n + 1), room(size);
	std::vector<R> re(2 * n + 1), im(n + 1);
	std::vector<number> values(n);
	char none = 'N';

	for (int j = 0; j < n; j++)
		for (int i = 0; i < n; i++)
			narrow(a(i, j), &all[i + (size_t)j * ld]);
	if (kind<T>::complex)
		lapack<T>("geev", &none, &none, &n, all.data(), &ld, w.data(), (T *)NULL, &one,
			  (T *)NULL, &one, room.data(), &size, re.data(), &wrong);
	else
		lapack<T>("geev", &none, &none, &n, all.data(), &ld, re.data(), im.data(),
			  (T *)NULL, &one, (T *)NULL, &one, room.data(), &size, &wrong);
	EXPECT(wrong == 0);
	for (int i = 0; i < n; i++)
		values[i] = kind<T>::complex ? widen(w[i]) : number(re[i], im[i]);
	return values;
}

template <class T> static void test_random()
{
	static const int sizes[] = {0, 1, 2, 3, 4, 5, 8, 17, 33};
	int n = sizes[lcg_below(&draw, sizeof(sizes) / sizeof(*sizes))];
	matrix a = random_matrix<T>(n, n);
	double norm = a.norm() + 1e-30;
	bool complex_w = lcg_below(&draw, 2);
	solution s = solve<T>(a, lcg_below(&draw, 2), lcg_below(&draw, 2), complex_w);
	solution none = solve<T>(a, false, false, !complex_w);

	EXPECT(s.info == 0 && none.info == 0);
	check_pairs<T>(s.values);
	check_vectors<T>(a, s, __LINE__, norm);
	/* an eigenvalue's condition may be 1000 in such matrices */
	same_set(s.values, of_lapack<T>(a), 1000 * (n + 1) * epsilon<T>() * norm, "random",
		 __LINE__);
	EXPECT(s.values == none.values);
}

/* The companion matrix of (x - 1)(x - 2)(x^2 + 4)(x - 3): eigenvalues are known */
template <class T> static void test_companion()
{
	/* x^5 - 6 x^4 + 15 x^3 - 30 x^2 + 44 x - 24 */
	static const double coefficients[] = {-24, 44, -30, 15, -6};
	matrix a(5, 5);

	for (int i = 0; i < 5; i++) {
		a(i, 4) = -coefficients[i];
		if (i)
			a(i, i - 1) = 1;
	}
	solution s = solve<T>(a, true, true, true);
	EXPECT(s.info == 0);
	check_pairs<T>(s.values);
	check_vectors<T>(a, s, __LINE__, a.norm());
	same_set(s.values, {1, 2, {0, 2}, {0, -2}, 3}, 1e5 * epsilon<T>(), "companion", __LINE__);
}

/* D^-1 A D with D from 1 to 2^13: balancing finds it, so vectors are good row by row. */
template <class T> static void test_scaled()
{
	int n = 14;
	matrix a = random_matrix<T>(n, n), b = a, right, left;

	for (int j = 0; j < n; j++)
		for (int i = 0; i < n; i++)
			b(i, j) = a(i, j) * std::exp2(j - i);
	solution s = solve<T>(b, true, true, false);
	EXPECT(s.info == 0);
	right = s.right;
	left = s.left;
	check_lengths<T>(right, __LINE__);
	check_lengths<T>(left, __LINE__);
	/* vectors of A itself, of length 1 again */
	for (int j = 0; j < n; j++) {
		double r = 0, l = 0;

		for (int i = 0; i < n; i++) {
			right(i, j) *= std::exp2(i);
			left(i, j) *= std::exp2(-i);
			r += std::norm(right(i, j));
			l += std::norm(left(i, j));
		}
		for (int i = 0; i < n; i++) {
			right(i, j) /= sqrt(r);
			left(i, j) /= sqrt(l);
		}
	}
	matrix w(n, n);
	for (int i = 0; i < n; i++)
		w(i, i) = s.values[i];
	expect_near<T>(a * right, right * w, 100 * n, "balanced", __LINE__, a.norm());
	expect_near<T>(left.adjoint() * a, w * left.adjoint(), 100 * n, "balanced, left", __LINE__,
		       a.norm());
	same_set(s.values, of_lapack<T>(a), 1e4 * n * epsilon<T>() * a.norm(), "balanced",
		 __LINE__);
}

/* One eigenvalue and one vector; all zeros; a rotation; numbers near the ends of the range */
template <class T> static void test_special()
{
	int n = 12;
	matrix jordan(n, n), zero(n, n), turn(2, 2), cycle(n, n);
	solution s;

	for (int i = 0; i < n; i++) {
		jordan(i, i) = 2;
		if (i)
			jordan(i - 1, i) = 1;
		cycle((i + 1) % n, i) = 1;
	}
	s = solve<T>(jordan, true, true, false);
	EXPECT(s.info == 0);
	for (number v : s.values)
		EXPECT(v == number(2));
	check_vectors<T>(jordan, s, __LINE__, 3);
	s = solve<T>(zero, true, true, true);
	EXPECT(s.info == 0);
	for (number v : s.values)
		EXPECT(v == number(0));
	check_vectors<T>(zero, s, __LINE__, 1);
	turn(0, 1) = -1;
	turn(1, 0) = 1;
	s = solve<T>(turn, true, true, false);
	check_pairs<T>(s.values);
	check_vectors<T>(turn, s, __LINE__, 1);
	/* the roots of 1: QR's usual shifts do nothing to it */
	s = solve<T>(cycle, true, true, false);
	EXPECT(s.info == 0);
	for (number v : s.values)
		EXPECT(std::abs(std::abs(v) - 1) <= 100 * epsilon<T>());
	check_vectors<T>(cycle, s, __LINE__, 1);
	for (double size : {1e30, 1e-30}) {
		matrix a = random_matrix<T>(9, 9);

		for (number &v : a.values)
			v *= size;
		s = solve<T>(a, true, true, false);
		EXPECT(s.info == 0);
		check_vectors<T>(a, s, __LINE__, a.norm());
	}
	matrix bad = random_matrix<T>(6, 6);
	bad(3, 2) = NAN;
	s = solve<T>(bad, false, false, false);
	EXPECT(s.info > 0 && s.info <= 6);
}

/* ---- larft */

template <class T> static void test_larft()
{
	for (int turn = 0; turn < 8; turn++) {
		bool backward = turn & 1, rows = turn & 2;
		int n = 5 + (int)lcg_below(&draw, 40);
		int k = turn & 4 ? n : 1 + (int)lcg_below(&draw, n);
		matrix v = rows ? random_matrix<T>(k, n) : random_matrix<T>(n, k);
		matrix tau = random_matrix<T>(k, 1), t(k, k);
		std::vector<T> hv(v.values.size()), htau(k), ht((size_t)k * k);
		char direct = backward ? 'B' : 'F', stored = rows ? 'R' : 'C';
		cusolverDirectMode_t d = backward ? CUBLAS_DIRECT_BACKWARD : CUBLAS_DIRECT_FORWARD;
		cusolverStorevMode_t st = rows ? CUBLAS_STOREV_ROWWISE : CUBLAS_STOREV_COLUMNWISE;
		size_t bytes = 0, host_bytes = 7;
		cudaDataType type = type_of<T>();
		void *work;

		tau(k / 2, 0) = 0;
		for (size_t i = 0; i < hv.size(); i++)
			narrow(v.values[i], &hv[i]);
		for (int i = 0; i < k; i++)
			narrow(tau(i, 0), &htau[i]);
		lapack<T>("larft", &direct, &stored, &n, &k, hv.data(), &v.rows, htau.data(),
			  ht.data(), &k);
		device<T> dv(v, 3), dtau(tau), dt(matrix(k, k), 1);
		OK(cusolverDnXlarft_bufferSize(handle, NULL, d, st, n, k, type, dv.at, dv.ld, type,
					       dtau.at, type, dt.at, dt.ld, type, &bytes,
					       &host_bytes));
		CHECK(cudaMalloc(&work, bytes));
		OK(cusolverDnXlarft(handle, NULL, d, st, n, k, type, dv.at, dv.ld, type, dtau.at,
				    type, dt.at, dt.ld, type, work, bytes, NULL, 0));
		t = dt.bring();
		matrix want(k, k);
		for (int j = 0; j < k; j++)
			for (int i = 0; i < k; i++)
				if (backward ? i >= j : i <= j)
					want(i, j) = widen(ht[i + (size_t)j * k]);
		/* the other triangle stays as it was: zeros. Random reflections make T large. */
		for (int j = 0; j < k; j++)
			for (int i = 0; i < k; i++)
				EXPECT((backward ? i >= j : i <= j) || t(i, j) == number(0));
		for (int i = 0; i < k; i++)
			EXPECT(t(i, i) == want(i, i));
		expect_near<T>(t, want, 1e4 * (n + k), "larft", __LINE__, want.norm());
		CHECK(cudaFree(work));
	}
}

template <class T> static void test_type(int turns)
{
	for (int i = 0; i < turns; i++)
		test_random<T>();
	test_companion<T>();
	test_scaled<T>();
	test_special<T>();
	test_larft<T>();
}

/* ---- arguments; capture */

static cusolverStatus_t call(cusolverEigMode_t left, int64_t n, double *a, int64_t lda, double *w,
			     double *v, int64_t ldv, size_t bytes, int *info,
			     cudaDataType type_w = CUDA_R_64F)
{
	return cusolverDnXgeev(handle, NULL, left, CUSOLVER_EIG_MODE_VECTOR, n, CUDA_R_64F, a, lda,
			       type_w, w, CUDA_R_64F, v, ldv, CUDA_R_64F, v, ldv, CUDA_R_64F, a,
			       bytes, NULL, 0, info);
}

#define WRONG(number, call)                                         \
	do {                                                        \
		EXPECT_STATUS(CUSOLVER_STATUS_INVALID_VALUE, call); \
		EXPECT_INFO(info, -(number));                       \
	} while (0)

static void test_parameters()
{
	const cusolverEigMode_t yes = CUSOLVER_EIG_MODE_VECTOR;
	matrix a = random_matrix<double>(4, 4);
	device<double> da(a), w(8, 1);
	list<int> info(1);
	size_t bytes, host_bytes;
	double *at = da.at;

	WRONG(2, call((cusolverEigMode_t)5, 4, at, 4, w.at, at, 4, 1 << 20, info.at));
	WRONG(4, call(yes, -4, at, 4, w.at, at, 4, 1 << 20, info.at));
	WRONG(6, call(yes, 4, NULL, 4, w.at, at, 4, 1 << 20, info.at));
	WRONG(7, call(yes, 4, at, 3, w.at, at, 4, 1 << 20, info.at));
	WRONG(9, call(yes, 4, at, 4, NULL, at, 4, 1 << 20, info.at));
	WRONG(11, call(yes, 4, at, 4, w.at, NULL, 4, 1 << 20, info.at));
	WRONG(12, call(yes, 4, at, 4, w.at, at, 3, 1 << 20, info.at));
	WRONG(14, call(CUSOLVER_EIG_MODE_NOVECTOR, 4, at, 4, w.at, NULL, 4, 1 << 20, info.at));
	WRONG(18, call(yes, 4, at, 4, w.at, at, 4, 100, info.at));
	EXPECT_STATUS(CUSOLVER_STATUS_INVALID_VALUE,
		      call(yes, 4, at, 4, w.at, at, 4, 1 << 20, NULL));
	EXPECT_STATUS(CUSOLVER_STATUS_NOT_SUPPORTED,
		      call(yes, 4, at, 4, w.at, at, 4, 1 << 20, info.at, CUDA_C_32F));
	EXPECT_STATUS(CUSOLVER_STATUS_INVALID_VALUE,
		      cusolverDnXgeev_bufferSize(handle, NULL, yes, yes, 4, CUDA_R_64F, at, 3,
						 CUDA_R_64F, w.at, CUDA_R_64F, at, 4, CUDA_R_64F,
						 at, 4, CUDA_R_64F, &bytes, &host_bytes));
	EXPECT_STATUS(CUSOLVER_STATUS_INVALID_VALUE,
		      cusolverDnXlarft(handle, NULL, CUBLAS_DIRECT_FORWARD,
				       CUBLAS_STOREV_COLUMNWISE, 3, 4, CUDA_R_64F, at, 4,
				       CUDA_R_64F, at, CUDA_R_64F, at, 4, CUDA_R_64F, at, 100, NULL,
				       0));
	EXPECT_STATUS(CUSOLVER_STATUS_INVALID_VALUE,
		      cusolverDnXlarft(handle, NULL, CUBLAS_DIRECT_FORWARD,
				       CUBLAS_STOREV_COLUMNWISE, 4, 4, CUDA_R_64F, at, 4,
				       CUDA_R_64F, at, CUDA_R_64F, at, 4, CUDA_R_64F, at, 31, NULL,
				       0));
	EXPECT_STATUS(CUSOLVER_STATUS_NOT_SUPPORTED,
		      cusolverDnXlarft(handle, NULL, CUBLAS_DIRECT_FORWARD,
				       CUBLAS_STOREV_COLUMNWISE, 4, 4, CUDA_R_64F, at, 4,
				       CUDA_R_32F, at, CUDA_R_64F, at, 4, CUDA_R_64F, at, 100, NULL,
				       0));
	EXPECT(da.bring().values == a.values);
}

/* Nothing waits for the host: a graph has it twice, and the results are the same bytes. */
static void test_capture()
{
	int n = 10;
	matrix a = random_matrix<double>(n, n);
	device<double> keep(a), da(a), v(n, n), w(2 * n, 1), work(20 * n * n, 1);
	const cusolverEigMode_t no = CUSOLVER_EIG_MODE_NOVECTOR, yes = CUSOLVER_EIG_MODE_VECTOR;
	list<int> info(1);
	cudaStream_t stream;
	cudaGraph_t graph;
	cudaGraphExec_t launchable;
	matrix first;

	CHECK(cudaStreamCreate(&stream));
	OK(cusolverDnSetStream(handle, stream));
	CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
	CHECK(cudaMemcpyAsync(da.at, keep.at, n * n * sizeof(double), cudaMemcpyDeviceToDevice,
			      stream));
	OK(cusolverDnXgeev(handle, NULL, no, yes, n, CUDA_R_64F, da.at, n, CUDA_R_64F, w.at,
			   CUDA_R_64F, NULL, 1, CUDA_R_64F, v.at, n, CUDA_R_64F, work.at,
			   20 * n * n * sizeof(double), NULL, 0, info.at));
	CHECK(cudaStreamEndCapture(stream, &graph));
	CHECK(cudaGraphInstantiate(&launchable, graph, 0));
	for (int turn = 0; turn < 2; turn++) {
		CHECK(cudaGraphLaunch(launchable, stream));
		CHECK(cudaStreamSynchronize(stream));
		EXPECT_INFO(info, 0);
		if (!turn)
			first = v.bring();
		else
			EXPECT(v.bring().values == first.values);
	}
	solution s = {values_at<double>(w.at, n, false), matrix(), matrix(), 0};
	s.right = unpacked(first, s.values);
	check_vectors<double>(a, s, __LINE__, a.norm());
	CHECK(cudaGraphExecDestroy(launchable));
	CHECK(cudaGraphDestroy(graph));
	OK(cusolverDnSetStream(handle, NULL));
	CHECK(cudaStreamDestroy(stream));
}

int main(int argc, char **argv)
{
	int turns = (int)parse_size(argc, argv, "general", "random matrices of each type", 2, 1,
				    10000);

	lapack_library = oracle("/usr/lib/x86_64-linux-gnu/lapack/liblapack.so.3", "liblapack3");
	OK(cusolverDnCreate(&handle));
	test_type<float>(turns);
	test_type<double>(turns);
	test_type<cuComplex>(turns);
	test_type<cuDoubleComplex>(turns);
	test_parameters();
	test_capture();
	OK(cusolverDnDestroy(handle));
	return finish();
}

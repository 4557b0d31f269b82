/* SPDX-License-Identifier: MIT */
/*
 * FFTW's names: plans by all the functions that make them, in memory of the host and of the device,
 * beside FFTW's own of the same name, which are taken out of its file.
 */
#include "libraries/oracle.h"

#include <cufftw.h>

static struct lcg draw = {27};

static void *fftw(const char *name)
{
	static void *library;

	if (!library)
		library = oracle("libfftw3.so.3", "libfftw3-double3");
	return oracle_symbol(library, name);
}

#define THEIRS(name) ((decltype(&name))fftw(#name))
/* FFTW's own number for it: cufftw.h has others for its flags */
#define THEIR_ESTIMATE (1u << 6)

enum { SPACE = 4000 };

static void fill(double *a)
{
	for (int i = 0; i < SPACE; i++)
		a[i] = lcg_double(&draw, -1, 1);
}

static void compare(const char *what, const double *got, const double *want)
{
	for (int i = 0; i < SPACE; i++)
		if (!(fabs(got[i] - want[i]) <= 1e-11)) {
			mismatch("%s, number %d: got %g, expected %g", what, i, got[i], want[i]);
			break;
		}
}

static double in[SPACE], in2[SPACE], out[SPACE], out2[SPACE];

/* The same function of both libraries, out of place and in place. */
#define SAME(name, from, to, ...) \
	do { \
		for (int place = 0; place < 2; place++) { \
			fill(in); \
			fill(out); \
			memcpy(in2, in, sizeof(in)); \
			memcpy(out2, out, sizeof(out)); \
			from *a = (from *)in; \
			to *b = (to *)(place ? in : out); \
			unsigned flags = FFTW_ESTIMATE; \
			fftw_plan p = name(__VA_ARGS__); \
			EXPECT(p != NULL); \
			fftw_execute(p); \
			fftw_destroy_plan(p); \
			a = (from *)in2; \
			b = (to *)(place ? in2 : out2); \
			flags = THEIR_ESTIMATE; \
			p = THEIRS(name)(__VA_ARGS__); \
			THEIRS(fftw_execute)(p); \
			THEIRS(fftw_destroy_plan)(p); \
			compare(#name, place ? in : out, place ? in2 : out2); \
		} \
	} while (0)

static void test_plans()
{
	const int n[] = {6, 5, 4}, embed[] = {7, 6, 6};
	const fftw_iodim dims[] = {{6, 50, 50}, {5, 4, 4}};
	const fftw_iodim batch[] = {{3, 600, 600}, {2, 2, 2}};
	const fftw_iodim64 dims64[] = {{6, 50, 50}, {5, 4, 4}};
	const fftw_iodim64 batch64[] = {{3, 600, 600}, {2, 2, 2}};

	SAME(fftw_plan_dft_1d, fftw_complex, fftw_complex, 60, a, b, FFTW_FORWARD, flags);
	SAME(fftw_plan_dft_1d, fftw_complex, fftw_complex, 37, a, b, FFTW_BACKWARD, flags);
	SAME(fftw_plan_dft_2d, fftw_complex, fftw_complex, 6, 9, a, b, FFTW_BACKWARD, flags);
	SAME(fftw_plan_dft_3d, fftw_complex, fftw_complex, 3, 4, 5, a, b, FFTW_FORWARD, flags);
	SAME(fftw_plan_dft, fftw_complex, fftw_complex, 3, n, a, b, FFTW_FORWARD, flags);
	SAME(fftw_plan_dft_r2c_1d, double, fftw_complex, 60, a, b, flags);
	SAME(fftw_plan_dft_r2c_2d, double, fftw_complex, 6, 9, a, b, flags);
	SAME(fftw_plan_dft_r2c_3d, double, fftw_complex, 3, 4, 5, a, b, flags);
	SAME(fftw_plan_dft_r2c, double, fftw_complex, 3, n, a, b, flags);
	SAME(fftw_plan_many_dft, fftw_complex, fftw_complex, 3, n, 2, a, embed, 2, 600, b, embed, 2,
	     600, FFTW_BACKWARD, flags);
	SAME(fftw_plan_many_dft_r2c, double, fftw_complex, 2, n, 3, a, NULL, 1, 36, b, NULL, 1, 18,
	     flags);
	SAME(fftw_plan_guru_dft, fftw_complex, fftw_complex, 2, dims, 2, batch, a, b, FFTW_FORWARD,
	     flags);
	SAME(fftw_plan_guru64_dft, fftw_complex, fftw_complex, 2, dims64, 2, batch64, a, b,
	     FFTW_BACKWARD, flags);
	SAME(fftw_plan_guru64_dft, fftw_complex, fftw_complex, 1, dims64, 0, NULL, a, b,
	     FFTW_BACKWARD, flags);
}

/* Back: what came of real numbers, as others have no one answer. */
static void test_back()
{
	const int n[] = {6, 5, 4};
	fftw_plan there, back;
	double same[120];

	for (int rank = 1; rank <= 3; rank++) {
		int count = rank == 1 ? 6 : rank == 2 ? 30 : 120;

		fill(in);
		memcpy(same, in, sizeof(same));
		there = fftw_plan_dft_r2c(rank, n, in, (fftw_complex *)out, FFTW_MEASURE);
		back = fftw_plan_dft_c2r(rank, n, (fftw_complex *)out, in, FFTW_MEASURE);
		EXPECT(there && back);
		fftw_execute(there);
		memset(in, 0, sizeof(in));
		fftw_execute(back);
		for (int i = 0; i < count; i++)
			expect_near("back", i, in[i], count * same[i], 1e-12 * count);
		/* the same plans for other arrays, of the device */
		double *a = device_from(same, 120), *b = device_new<double>(SPACE);

		fftw_execute_dft_r2c(there, a, (fftw_complex *)b);
		CHECK(cudaMemset(a, 0, sizeof(same)));
		fftw_execute_dft_c2r(back, (fftw_complex *)b, a);
		host_from(in, a, count);
		for (int i = 0; i < count; i++)
			expect_near("on the device", i, in[i], count * same[i], 1e-12 * count);
		CHECK(cudaFree(a));
		CHECK(cudaFree(b));
		fftw_destroy_plan(there);
		fftw_destroy_plan(back);
	}
}

static void test_float()
{
	fftwf_complex a[8];
	double add = 0, multiply = 0, fma = 1;
	fftwf_plan plan = fftwf_plan_dft_1d(8, a, a, FFTW_FORWARD, FFTW_ESTIMATE);

	for (int i = 0; i < 8; i++) {
		a[i][0] = 1;
		a[i][1] = -2;
	}
	fftwf_execute(plan);
	for (int i = 0; i < 8; i++)
		EXPECT(a[i][0] == (i ? 0 : 8) && a[i][1] == (i ? 0 : -16));
	fftwf_flops(plan, &add, &multiply, &fma);
	EXPECT(add == 72 && multiply == 48 && fma == 0 && fftwf_cost(plan) == 120);
	fftwf_destroy_plan(plan);
	fftwf_destroy_plan(NULL);
	fftwf_cleanup();
}

static void test_refusals()
{
	const int n[] = {4, 4, 4, 4};
	fftw_complex *memory = (fftw_complex *)fftw_malloc(sizeof(fftw_complex) * 256);
	const fftw_iodim none = {0, 1, 1};

	EXPECT(memory && (uintptr_t)memory % 16 == 0);
	EXPECT(!fftw_plan_dft(4, n, memory, memory, FFTW_FORWARD, FFTW_ESTIMATE));
	EXPECT(!fftw_plan_dft(0, n, memory, memory, FFTW_FORWARD, FFTW_ESTIMATE));
	EXPECT(!fftw_plan_dft_1d(0, memory, memory, FFTW_FORWARD, FFTW_ESTIMATE));
	EXPECT(!fftw_plan_dft_1d(4, NULL, memory, FFTW_FORWARD, FFTW_ESTIMATE));
	EXPECT(!fftw_plan_dft_1d(4, memory, memory, 3, FFTW_ESTIMATE));
	EXPECT(!fftw_plan_guru_dft(1, &none, 0, NULL, memory, memory, FFTW_FORWARD, FFTW_ESTIMATE));
	EXPECT(!fftw_plan_guru_dft(1, NULL, 0, NULL, memory, memory, FFTW_FORWARD, FFTW_ESTIMATE));
	fftw_execute(NULL);
	fftw_free(memory);
}

int main(int argc, char **argv)
{
	parse_size(argc, argv, "wrapped", NULL, 0, 0, 0);
	test_plans();
	test_back();
	test_float();
	test_refusals();
	return finish();
}

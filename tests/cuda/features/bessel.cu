/* SPDX-License-Identifier: MIT */
/*
 * bessel: the Bessel functions in kernels, and the modified ones on the host, within the bounds
 * that CUDA documents: against values from elsewhere (bessel_values.h), against the host's libm in
 * long double, the modified ones against their series. Where CUDA names an absolute error, that.
 */
#include "math_check.h"

#include "bessel_values.h"

#define VALUES ((int)(sizeof(bessel_values) / sizeof(*bessel_values)))

struct call {
	enum bessel function;
	int order;
	double x;
};

#define NAMES "j0", "j1", "y0", "y1", "jn", "yn", "cyl_bessel_i0", "cyl_bessel_i1"
static const char *const names[] = { NAMES };

template <class T> __device__ T evaluate(const call &c, T x)
{
	switch (c.function) {
	case j0_: return j0(x);
	case j1_: return j1(x);
	case y0_: return y0(x);
	case y1_: return y1(x);
	case jn_: return jn(c.order, x);
	case yn_: return yn(c.order, x);
	case i0_: return cyl_bessel_i0(x);
	default: return cyl_bessel_i1(x);
	}
}

template <class T> __global__ void evaluate_all(const call *calls, T *out, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		out[i] = evaluate(calls[i], (T)calls[i].x);
}

/* Of jn and yn below the order the error grows with that; beyond 8 there is an absolute bound. */
template <class T> static double ulps_of(const call &c)
{
	bool single = sizeof(T) == sizeof(float);

	switch (c.function) {
	case i0_:
	case i1_: return 6;
	case jn_:
	case yn_: return ceil(2 + 2.5 * c.order);
	default: return single ? 9 : 7;
	}
}

/* @slack: what the reference may be wrong by. */
template <class T>
static void judge_call(const call &c, T got, long double want, long double slack)
{
	bool single = sizeof(T) == sizeof(float), modified = c.function == i0_ || c.function == i1_;
	long double absolute = single ? 2.2e-6L : 5e-12L, off = fabsl((long double)got - want);
	T rounded = (T)want;

	if (got == rounded || (got != got && rounded != rounded))
		return;
	if (std::isinf(rounded) && fabsl((long double)got) > std::numeric_limits<T>::max() * 0.999L)
		return;
	if (std::isinf(got) && fabsl(want) > std::numeric_limits<T>::max() * 0.999L)
		return;
	if (!modified && fabs(c.x) >= 8 && fabs(c.x) >= c.order && off <= absolute + slack)
		return;
	if (off <= (ulps_of<T>(c) + 0.5) * ulp_of<T>(want) + slack)
		return;
	if (test.wrong < 40)
		mismatch("%s%s(%d, %a): got %a, expected %La, off by %.4Lg (%.4Lg ulp)",
			 names[c.function], single ? "f" : "", c.order, c.x, (double)got, want, off,
			 off / ulp_of<T>(want));
}

template <class T>
static void run(const call *calls, const long double *want, const long double *slack, int n)
{
	call *dev_calls = device_from(calls, n);
	T *out = (T *)host_alloc(n * sizeof(T)), *dev_out = device_new<T>(n);

	evaluate_all<T><<<(n + BDIM - 1) / BDIM, BDIM>>>(dev_calls, dev_out, n);
	CHECK_LAUNCH();
	host_from(out, dev_out, n);
	for (int i = 0; i < n; i++)
		judge_call(calls[i], out[i], want[i], slack[i]);
	CHECK(cudaFree(dev_calls));
	CHECK(cudaFree(dev_out));
	free(out);
}

static void known_values(void)
{
	static call calls[VALUES];
	static long double want[VALUES], slack[VALUES];

	for (int i = 0; i < VALUES; i++) {
		const bessel_value &v = bessel_values[i];

		calls[i] = { v.function, v.order, v.x };
		want[i] = v.value;
		if (v.function == i0_)
			judge_call(calls[i], cyl_bessel_i0(v.x), v.value, 0);
		else if (v.function == i1_)
			judge_call(calls[i], cyl_bessel_i1(v.x), v.value, 0);
	}
	run<double>(calls, want, slack, VALUES);
}

/* All terms have one sign, so that none loses digits. */
static long double modified(int order, long double x)
{
	long double term = order ? x / 2 : 1, sum = 0;

	for (int k = 1; k < 1400 && term > sum * 1e-25L; k++) {
		sum += term;
		term *= x * x / 4 / k / (k + order);
	}
	return sum;
}

static long double reference(const call &c)
{
	long double x = c.x, value;

	switch (c.function) {
	case j0_: return j0l(x);
	case j1_: return j1l(x);
	case y0_: return y0l(x);
	case y1_: return y1l(x);
	case jn_: return jnl(c.order, x);
	case yn_: return ynl(c.order, x);
	default:
		value = modified(c.function == i1_, fabsl(x));
		return c.function == i1_ && x < 0 ? -value : value;
	}
}

template <class T> static void samples_of(double least, double most, double most_modified)
{
	static call calls[8 * SAMPLES];
	static long double want[8 * SAMPLES], slack[8 * SAMPLES];
	struct lcg g = { 77 };
	int n = 0;

	for (int f = 0; f < 8; f++)
		for (int i = 0; i < SAMPLES; i++, n++) {
			double high = f == i0_ || f == i1_ ? most_modified : i % 3 ? 8 : most;
			double x = lcg_double(&g, least, high);

			if (i % 7 == 0)
				x *= exp2(-lcg_double(&g, 0, 20));
			if (f != y0_ && f != y1_ && f != yn_ && i % 2)
				x = -x;
			calls[n] = { (enum bessel)f, f == jn_ || f == yn_ ? i % 130 + 2 : f & 1,
				     (double)(T)x };
			want[n] = reference(calls[n]);
			slack[n] = 1e-18L + fabsl(want[n]) * 1e-17L * calls[n].order;
		}
	run<T>(calls, want, slack, n);
}

/* What CUDA says of arguments that are not ordinary numbers. */
static void special_values_of_all(void)
{
	const double inf = INFINITY, nan = NAN;
	static const struct {
		call c;
		double value;
	} special[] = {
		{ { j0_, 0, 0 }, 1 }, { { j0_, 0, inf }, 0 }, { { j0_, 0, -inf }, 0 },
		{ { j0_, 0, nan }, nan }, { { j1_, 1, 0 }, 0 }, { { j1_, 1, inf }, 0 },
		{ { j1_, 1, nan }, nan }, { { y0_, 0, 0 }, -inf }, { { y0_, 0, -1 }, nan },
		{ { y0_, 0, inf }, 0 }, { { y0_, 0, nan }, nan }, { { y1_, 1, 0 }, -inf },
		{ { y1_, 1, -0.0 }, -inf }, { { y1_, 1, -inf }, nan }, { { y1_, 1, inf }, 0 },
		{ { jn_, -1, 1 }, nan }, { { jn_, 5, nan }, nan }, { { jn_, 5, inf }, 0 },
		{ { jn_, 5, 0 }, 0 }, { { yn_, -1, 1 }, nan }, { { yn_, 3, 0 }, -inf },
		{ { yn_, 3, -1 }, nan }, { { yn_, 3, inf }, 0 }, { { yn_, 3, nan }, nan },
		{ { i0_, 0, 0 }, 1 }, { { i0_, 0, inf }, inf }, { { i0_, 0, nan }, nan },
		{ { i0_, 0, 715 }, inf }, { { i1_, 1, 0 }, 0 }, { { i1_, 1, -inf }, -inf },
		{ { i1_, 1, nan }, nan },
	};
	const int n = sizeof(special) / sizeof(*special);
	call calls[n];
	double out[n];
	float single[n];

	for (int i = 0; i < n; i++)
		calls[i] = special[i].c;
	call *dev = device_from(calls, n);
	double *dev_out = device_new<double>(n);
	float *dev_single = device_new<float>(n);

	evaluate_all<double><<<1, n>>>(dev, dev_out, n);
	evaluate_all<float><<<1, n>>>(dev, dev_single, n);
	CHECK_LAUNCH();
	host_from(out, dev_out, n);
	host_from(single, dev_single, n);
	for (int i = 0; i < n; i++) {
		double want = special[i].value, results[2] = { out[i], single[i] };

		for (double got : results)
			if (got != want && (got == got || want == want))
				mismatch("%s(%d, %g): got %g, expected %g",
					 names[calls[i].function], calls[i].order, calls[i].x, got,
					 want);
	}
	CHECK(cudaFree(dev));
	CHECK(cudaFree(dev_out));
	CHECK(cudaFree(dev_single));
}

int main(int argc, char **argv)
{
	parse_size(argc, argv, "bessel", NULL, 0, 0, 0);
	known_values();
	samples_of<double>(0, 400, 713);
	samples_of<float>(0, 400, 91);
	special_values_of_all();
	return finish();
}

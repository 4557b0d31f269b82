/* SPDX-License-Identifier: MIT */
/*
 * How math_f32 and math_f64 judge a device function. The reference is the host's libm in long
 * double (64 bits of mantissa), the distance is measured in units in the last place of the result
 * type, and the bound is the one that OpenCL's full profile documents (libclc implements that; the
 * bounds that NVIDIA documents for the same functions are as tight or tighter), plus the half unit
 * of rounding the exact result. Special values go in too: infinities, NaN, zeros, subnormals.
 */
#ifndef TESTS_CUDA_MATH_CHECK_H
#define TESTS_CUDA_MATH_CHECK_H

#include "../common.h"

#include <limits>

#define SAMPLES 1500
#define SPECIALS 20
#define BDIM 128

/* One unit in the last place around x, for finite x. */
template <typename T> static long double ulp_of(long double x)
{
	typedef std::numeric_limits<T> lim;
	int e;

	frexpl(x, &e);
	if (x == 0 || e < lim::min_exponent)
		e = lim::min_exponent;
	return ldexpl(1.0L, e - lim::digits);
}

template <typename T>
static void judge(const char *name, const T *in, const T *in2, long i, T got, long double ref,
		  double ulps)
{
	T want = (T)ref;
	char args[96];

	if (got == want || (got != got && want != want))
		return;
	/* Next to the largest number, an error within the bound may overflow. */
	if (std::isinf(want) && !std::isinf(ref))
		ref = std::copysign((long double)std::numeric_limits<T>::max(), ref);
	if (std::isinf(got) && fabsl(ref) >= (long double)std::numeric_limits<T>::max() *
						     (1 - ulps * std::numeric_limits<T>::epsilon()))
		return;
	if (!std::isinf(got) && !std::isinf(ref) && got == got && want == want &&
	    fabsl((long double)got - ref) <= (ulps + 0.5) * ulp_of<T>(ref))
		return;
	if (in2)
		snprintf(args, sizeof(args), "(%a, %a)", (double)in[i], (double)in2[i]);
	else
		snprintf(args, sizeof(args), "(%a)", (double)in[i]);
	mismatch("%s%s: got %a, expected %a, off by %.4Lg ulp of %g", name, args, (double)got,
		 (double)want, fabsl((long double)got - ref) / ulp_of<T>(ref), ulps);
}

template <typename T> static void special_values(T *x)
{
	typedef std::numeric_limits<T> lim;
	const T s[SPECIALS / 2] = { (T)0,
				    (T)1,
				    (T)0.5,
				    (T)2,
				    (T)3,
				    lim::infinity(),
				    lim::quiet_NaN(),
				    lim::max(),
				    lim::min(),
				    lim::denorm_min() * 5 };

	for (int i = 0; i < SPECIALS / 2; i++) {
		x[2 * i] = s[i];
		x[2 * i + 1] = -s[i];
	}
}

/* Half of the samples spread evenly over [lo, hi], half over its magnitudes. */
template <typename T> static void samples(T *x, int n, double lo, double hi, struct lcg *g)
{
	for (int i = 0; i < n; i++) {
		double v = lcg_double(g, lo, hi);

		if (i % 2)
			v *= exp2(-lcg_double(g, 0, 30));
		x[i] = (T)v;
	}
}

template <typename T>
static void run_unary(const char *name, void (*kernel)(const T *, T *, int),
		      long double (*ref)(long double), double ulps, double lo, double hi)
{
	const int n = SAMPLES + SPECIALS;
	T in[n], out[n], *dev_in, *dev_out = device_new<T>(n);
	struct lcg g = { (uint64_t)name[0] * 131 + name[1] };

	special_values(in);
	samples(in + SPECIALS, SAMPLES, lo, hi, &g);
	dev_in = device_from(in, n);
	kernel<<<(n + BDIM - 1) / BDIM, BDIM>>>(dev_in, dev_out, n);
	CHECK_LAUNCH();
	host_from(out, dev_out, n);
	for (int i = 0; i < n; i++)
		judge(name, in, (T *)NULL, i, out[i], ref(in[i]), ulps);
	CHECK(cudaFree(dev_in));
	CHECK(cudaFree(dev_out));
}

template <typename T>
static void run_binary(const char *name, void (*kernel)(const T *, const T *, T *, int),
		       long double (*ref)(long double, long double), double ulps, double lo1,
		       double hi1, double lo2, double hi2)
{
	const int n = SAMPLES + SPECIALS * SPECIALS;
	T a[n], b[n], out[n], s[SPECIALS], *dev_a, *dev_b, *dev_out = device_new<T>(n);
	struct lcg g = { (uint64_t)name[0] * 137 + name[1] };

	special_values(s);
	for (int i = 0; i < SPECIALS * SPECIALS; i++) {
		a[i] = s[i / SPECIALS];
		b[i] = s[i % SPECIALS];
	}
	samples(a + SPECIALS * SPECIALS, SAMPLES, lo1, hi1, &g);
	samples(b + SPECIALS * SPECIALS, SAMPLES, lo2, hi2, &g);
	dev_a = device_from(a, n);
	dev_b = device_from(b, n);
	kernel<<<(n + BDIM - 1) / BDIM, BDIM>>>(dev_a, dev_b, dev_out, n);
	CHECK_LAUNCH();
	host_from(out, dev_out, n);
	for (int i = 0; i < n; i++)
		judge(name, a, b, i, out[i], ref(a[i], b[i]), ulps);
	CHECK(cudaFree(dev_a));
	CHECK(cudaFree(dev_b));
	CHECK(cudaFree(dev_out));
}

static inline long double ref_rsqrt(long double x)
{
	return 1.0L / sqrtl(x);
}

static inline long double ref_rcp(long double x)
{
	return 1.0L / x;
}

static inline long double ref_div(long double a, long double b)
{
	return a / b;
}

/* The kernels of a table of functions, and the calls that check them. */
#define UNARY_KERNEL(T, f, ref, ulps, lo, hi)                                                      \
	__global__ void k_##f(const T *x, T *y, int n)                                             \
	{                                                                                          \
		int i = blockIdx.x * blockDim.x + threadIdx.x;                                     \
                                                                                                   \
		if (i < n)                                                                         \
			y[i] = f(x[i]);                                                            \
	}

#define BINARY_KERNEL(T, f, ref, ulps, lo1, hi1, lo2, hi2)                                         \
	__global__ void k_##f(const T *a, const T *b, T *y, int n)                                 \
	{                                                                                          \
		int i = blockIdx.x * blockDim.x + threadIdx.x;                                     \
                                                                                                   \
		if (i < n)                                                                         \
			y[i] = f(a[i], b[i]);                                                      \
	}

#define UNARY_RUN(T, f, ref, ulps, lo, hi) run_unary<T>(#f, k_##f, ref, ulps, lo, hi);
#define BINARY_RUN(T, f, ref, ulps, lo1, hi1, lo2, hi2)                                            \
	run_binary<T>(#f, k_##f, ref, ulps, lo1, hi1, lo2, hi2);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * math_f64: the double-precision functions of CUDA's math API within documented bounds (see
 * math_check.h), the exact ones exactly.
 */
#include "math_check.h"

#define UNARY(X)                                                                                   \
	X(double, sin, sinl, 4, -1e5, 1e5)                                                         \
	X(double, cos, cosl, 4, -1e5, 1e5)                                                         \
	X(double, tan, tanl, 5, -1e4, 1e4)                                                         \
	X(double, asin, asinl, 4, -1, 1)                                                           \
	X(double, acos, acosl, 4, -1, 1)                                                           \
	X(double, atan, atanl, 5, -1e4, 1e4)                                                       \
	X(double, sinh, sinhl, 4, -715, 715)                                                       \
	X(double, cosh, coshl, 4, -715, 715)                                                       \
	X(double, tanh, tanhl, 5, -30, 30)                                                         \
	X(double, exp, expl, 3, -750, 715)                                                         \
	X(double, exp2, exp2l, 3, -1080, 1030)                                                     \
	X(double, exp10, exp10l, 3, -325, 310)                                                     \
	X(double, expm1, expm1l, 3, -40, 715)                                                      \
	X(double, log, logl, 3, 0, 1e30)                                                           \
	X(double, log2, log2l, 3, 0, 1e6)                                                          \
	X(double, log10, log10l, 3, 0, 1e6)                                                        \
	X(double, log1p, log1pl, 2, -1, 1e6)                                                       \
	X(double, sqrt, sqrtl, 0, 0, 1e30)                                                         \
	X(double, rsqrt, ref_rsqrt, 2, 0, 1e30)                                                    \
	X(double, cbrt, cbrtl, 2, -1e30, 1e30)                                                     \
	X(double, erf, erfl, 16, -6, 6)                                                            \
	X(double, erfc, erfcl, 16, -6, 26)                                                         \
	X(double, fabs, fabsl, 0, -1e30, 1e30)                                                     \
	X(double, floor, floorl, 0, -1e9, 1e9)                                                     \
	X(double, ceil, ceill, 0, -1e9, 1e9)                                                       \
	X(double, rint, rintl, 0, -1e9, 1e9)                                                       \
	X(double, round, roundl, 0, -1e9, 1e9)                                                     \
	X(double, trunc, truncl, 0, -1e9, 1e9)                                                     \
	X(double, __drcp_rn, ref_rcp, 0, -1e30, 1e30)                                              \
	X(double, __dsqrt_rn, sqrtl, 0, 0, 1e30)

#define BINARY(X)                                                                                  \
	X(double, pow, powl, 16, 0, 50, -100, 100)                                                 \
	X(double, atan2, atan2l, 6, -100, 100, -100, 100)                                          \
	X(double, fmod, fmodl, 0, -1e6, 1e6, -50, 50)                                              \
	X(double, hypot, hypotl, 4, -1e150, 1e150, -1e150, 1e150)                                  \
	X(double, fmin, fminl, 0, -10, 10, -10, 10)                                                \
	X(double, fmax, fmaxl, 0, -10, 10, -10, 10)                                                \
	X(double, fdim, fdiml, 0, -10, 10, -10, 10)                                                \
	X(double, copysign, copysignl, 0, -10, 10, -10, 10)                                        \
	X(double, __ddiv_rn, ref_div, 0, -1e200, 1e200, -1e100, 1e100)

UNARY(UNARY_KERNEL)
BINARY(BINARY_KERNEL)

#define N 700

struct others {
	double fma, ldexp, frexp, modf, modf_int, sincos_s, sincos_c, div, mul_add, narrow;
	int frexp_exp, nan, inf, sign;
	float to_float;
};

__global__ void other_functions(const double *x, const double *y, const double *z, others *out,
				int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	others o;

	if (i >= n)
		return;
	o.fma = fma(x[i], y[i], z[i]);
	o.ldexp = ldexp(x[i], i % 60 - 30);
	o.frexp = frexp(x[i], &o.frexp_exp);
	o.modf = modf(x[i], &o.modf_int);
	sincos(y[i], &o.sincos_s, &o.sincos_c);
	o.div = x[i] / y[i];
	o.mul_add = __dadd_rn(__dmul_rn(x[i], y[i]), z[i]);
	o.to_float = (float)x[i];
	o.narrow = (double)o.to_float;
	o.nan = isnan(i % 3 ? x[i] : __longlong_as_double(0x7ff8000000000000ll)) != 0;
	o.inf = isinf(i % 3 ? x[i] : __longlong_as_double(0x7ff0000000000000ll)) != 0;
	o.sign = signbit(x[i]) != 0;
	out[i] = o;
}

static void check_others(void)
{
	double x[N], y[N], z[N], *dx, *dy, *dz;
	others *got = (others *)host_alloc(N * sizeof(*got)), *dev = device_new<others>(N);
	struct lcg g = { 31 };

	samples(x, N, -1e5, 1e5, &g);
	samples(y, N, -1e3, 1e3, &g);
	samples(z, N, -2, 2, &g);
	dx = device_from(x, N);
	dy = device_from(y, N);
	dz = device_from(z, N);
	other_functions<<<(N + BDIM - 1) / BDIM, BDIM>>>(dx, dy, dz, dev, N);
	CHECK_LAUNCH();
	host_from(got, dev, N);
	for (int i = 0; i < N; i++) {
		const others &o = got[i];
		volatile double product = x[i] * y[i];
		double whole;
		int e;

		expect_same("fma", i, o.fma, fma(x[i], y[i], z[i]));
		expect_same("ldexp", i, o.ldexp, ldexp(x[i], i % 60 - 30));
		expect_same("frexp", i, o.frexp, frexp(x[i], &e));
		expect_same("frexp exponent", i, o.frexp_exp, e);
		expect_same("modf", i, o.modf, modf(x[i], &whole));
		expect_same("modf whole", i, o.modf_int, whole);
		judge("sincos sin", y, (double *)NULL, i, o.sincos_s, sinl(y[i]), 4);
		judge("sincos cos", y, (double *)NULL, i, o.sincos_c, cosl(y[i]), 4);
		expect_same("division", i, o.div, x[i] / y[i]);
		expect_same("__dadd_rn(__dmul_rn)", i, o.mul_add, product + z[i]);
		expect_same("to float", i, o.to_float, (float)x[i]);
		expect_same("and back", i, o.narrow, (double)(float)x[i]);
		expect_same("isnan", i, o.nan, i % 3 ? 0 : 1);
		expect_same("isinf", i, o.inf, i % 3 ? 0 : 1);
		expect_same("signbit", i, o.sign, std::signbit(x[i]) ? 1 : 0);
	}
	CHECK(cudaFree(dx));
	CHECK(cudaFree(dy));
	CHECK(cudaFree(dz));
	CHECK(cudaFree(dev));
	free(got);
}

int main(int argc, char **argv)
{
	parse_size(argc, argv, "math_f64", NULL, 0, 0, 0);
	UNARY(UNARY_RUN)
	BINARY(BINARY_RUN)
	check_others();
	return finish();
}

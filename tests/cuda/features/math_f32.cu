/* SPDX-License-Identifier: MIT */
/*
 * math_f32: the single-precision functions of CUDA's math API within documented bounds (see
 * math_check.h), the exact ones exactly, and the fast intrinsics within loose ones.
 */
#include "math_check.h"

/* function, reference, ulps, range of samples */
#define UNARY(X)                                                                                   \
	X(float, sinf, sinl, 4, -1e5, 1e5)                                                         \
	X(float, cosf, cosl, 4, -1e5, 1e5)                                                         \
	X(float, tanf, tanl, 5, -1e4, 1e4)                                                         \
	X(float, asinf, asinl, 4, -1, 1)                                                           \
	X(float, acosf, acosl, 4, -1, 1)                                                           \
	X(float, atanf, atanl, 5, -1e4, 1e4)                                                       \
	X(float, sinhf, sinhl, 4, -95, 95)                                                         \
	X(float, coshf, coshl, 4, -95, 95)                                                         \
	X(float, tanhf, tanhl, 5, -20, 20)                                                         \
	X(float, expf, expl, 3, -110, 95)                                                          \
	X(float, exp2f, exp2l, 3, -155, 135)                                                       \
	X(float, exp10f, exp10l, 3, -47, 40)                                                       \
	X(float, expm1f, expm1l, 3, -20, 95)                                                       \
	X(float, logf, logl, 3, 0, 1e30)                                                           \
	X(float, log2f, log2l, 3, 0, 1e6)                                                          \
	X(float, log10f, log10l, 3, 0, 1e6)                                                        \
	X(float, log1pf, log1pl, 2, -1, 1e6)                                                       \
	X(float, sqrtf, sqrtl, 0, 0, 1e30)                                                         \
	X(float, rsqrtf, ref_rsqrt, 2, 0, 1e30)                                                    \
	X(float, cbrtf, cbrtl, 2, -1e30, 1e30)                                                     \
	X(float, erff, erfl, 16, -5, 5)                                                            \
	X(float, erfcf, erfcl, 16, -5, 9)                                                          \
	X(float, fabsf, fabsl, 0, -1e30, 1e30)                                                     \
	X(float, floorf, floorl, 0, -1e7, 1e7)                                                     \
	X(float, ceilf, ceill, 0, -1e7, 1e7)                                                       \
	X(float, rintf, rintl, 0, -1e7, 1e7)                                                       \
	X(float, nearbyintf, nearbyintl, 0, -1e7, 1e7)                                             \
	X(float, roundf, roundl, 0, -1e7, 1e7)                                                     \
	X(float, truncf, truncl, 0, -1e7, 1e7)                                                     \
	X(float, __frcp_rn, ref_rcp, 0, -1e30, 1e30)                                               \
	X(float, __fsqrt_rn, sqrtl, 0, 0, 1e30)

#define BINARY(X)                                                                                  \
	X(float, powf, powl, 16, 0, 50, -20, 20)                                                   \
	X(float, atan2f, atan2l, 6, -100, 100, -100, 100)                                          \
	X(float, fmodf, fmodl, 0, -1e6, 1e6, -50, 50)                                              \
	X(float, hypotf, hypotl, 4, -1e18, 1e18, -1e18, 1e18)                                      \
	X(float, fminf, fminl, 0, -10, 10, -10, 10)                                                \
	X(float, fmaxf, fmaxl, 0, -10, 10, -10, 10)                                                \
	X(float, fdimf, fdiml, 0, -10, 10, -10, 10)                                                \
	X(float, copysignf, copysignl, 0, -10, 10, -10, 10)                                        \
	X(float, remainderf, remainderl, 0, -1e6, 1e6, -50, 50)                                    \
	X(float, __fdiv_rn, ref_div, 0, -1e20, 1e20, -1e10, 1e10)

UNARY(UNARY_KERNEL)
BINARY(BINARY_KERNEL)

#define N 1000

struct others {
	float fma, ldexp, frexp, modf, modf_int, sincos_s, sincos_c, div, saturate, mul_add;
	int frexp_exp, ilogb, rounded, nan, inf, finite, sign;
	float over_min, over_max, over_sqrt, over_pow, over_abs;
};

__global__ void other_functions(const float *x, const float *y, const float *z, others *out, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	others o;

	if (i >= n)
		return;
	o.fma = fmaf(x[i], y[i], z[i]);
	o.ldexp = ldexpf(x[i], i % 60 - 30);
	o.frexp = frexpf(x[i], &o.frexp_exp);
	o.modf = modff(x[i], &o.modf_int);
	sincosf(y[i], &o.sincos_s, &o.sincos_c);
	o.div = x[i] / y[i];
	o.saturate = __saturatef(z[i]);
	o.mul_add = __fadd_rn(__fmul_rn(x[i], y[i]), z[i]);
	o.ilogb = ilogbf(x[i]);
	o.rounded = (int)lrintf(x[i]);
	o.nan = isnan(x[i] - x[i] + y[i] / (i % 3 ? 1.0f : 0.0f) * 0.0f) != 0;
	o.inf = isinf(i % 3 ? x[i] : __int_as_float(0x7f800000)) != 0;
	o.finite = isfinite(x[i]) != 0;
	o.sign = signbit(x[i]) != 0;
	/* The overloads that C++ and CUDA give for float. */
	o.over_min = fmin(x[i], y[i]);
	o.over_max = max(x[i], y[i]);
	o.over_sqrt = sqrt(fabs(x[i]));
	o.over_pow = pow(fabs(x[i]) + 1.0f, 2.0f);
	o.over_abs = abs(x[i]);
	out[i] = o;
}

static void check_others(void)
{
	float x[N], y[N], z[N], *dx, *dy, *dz;
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
		volatile float product = x[i] * y[i];
		float whole;
		int e;

		expect_same("fmaf", i, o.fma, fmaf(x[i], y[i], z[i]));
		expect_same("ldexpf", i, o.ldexp, ldexpf(x[i], i % 60 - 30));
		expect_same("frexpf", i, o.frexp, frexpf(x[i], &e));
		expect_same("frexpf exponent", i, o.frexp_exp, e);
		expect_same("modff", i, o.modf, modff(x[i], &whole));
		expect_same("modff whole", i, o.modf_int, whole);
		judge("sincosf sin", y, (float *)NULL, i, o.sincos_s, sinl(y[i]), 4);
		judge("sincosf cos", y, (float *)NULL, i, o.sincos_c, cosl(y[i]), 4);
		expect_same("division", i, o.div, x[i] / y[i]);
		expect_same("__saturatef", i, o.saturate, z[i] < 0 ? 0.0f : z[i] > 1 ? 1.0f : z[i]);
		expect_same("__fadd_rn(__fmul_rn)", i, o.mul_add, product + z[i]);
		expect_same("ilogbf", i, o.ilogb, ilogbf(x[i]));
		expect_same("lrintf", i, o.rounded, (int)lrintf(x[i]));
		expect_same("isnan", i, o.nan, i % 3 ? 0 : 1);
		expect_same("isinf", i, o.inf, i % 3 ? 0 : 1);
		expect_same("isfinite", i, o.finite, 1);
		expect_same("signbit", i, o.sign, signbit(x[i]) ? 1 : 0);
		expect_same("fmin", i, o.over_min, fminf(x[i], y[i]));
		expect_same("max", i, o.over_max, fmaxf(x[i], y[i]));
		expect_same("sqrt", i, o.over_sqrt, sqrtf(fabsf(x[i])));
		judge("pow", x, (float *)NULL, i, o.over_pow,
		      powl((long double)(fabsf(x[i]) + 1.0f), 2.0L), 16);
		expect_same("abs", i, o.over_abs, fabsf(x[i]));
	}
	CHECK(cudaFree(dx));
	CHECK(cudaFree(dy));
	CHECK(cudaFree(dz));
	CHECK(cudaFree(dev));
	free(got);
}

struct fast {
	float sin, cos, exp, exp10, log, log2, log10, pow, divide, tan;
};

__global__ void fast_intrinsics(const float *x, fast *out, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i >= n)
		return;
	float p = fabsf(x[i]) + 0.01f;

	out[i].sin = __sinf(x[i]);
	out[i].cos = __cosf(x[i]);
	out[i].tan = __tanf(x[i] * 0.25f);
	out[i].exp = __expf(x[i]);
	out[i].exp10 = __exp10f(x[i]);
	out[i].log = __logf(p);
	out[i].log2 = __log2f(p);
	out[i].log10 = __log10f(p);
	out[i].pow = __powf(p, 1.7f);
	out[i].divide = __fdividef(x[i], p);
}

/* NVIDIA: 2^-21.4 absolute within [-pi, pi] or a few ulp; here 2^-19 of 1 or of the result. */
static void check_fast(void)
{
	float x[N], *dev_x;
	fast got[N], *dev = device_new<fast>(N);
	const double tol = 0x1p-19;
	struct lcg g = { 99 };

	samples(x, N, -3.14, 3.14, &g);
	dev_x = device_from(x, N);
	fast_intrinsics<<<(N + BDIM - 1) / BDIM, BDIM>>>(dev_x, dev, N);
	CHECK_LAUNCH();
	host_from(got, dev, N);
	for (int i = 0; i < N; i++) {
		double v = x[i], p = fabsf(x[i]) + 0.01f;

		expect_near("__sinf", i, got[i].sin, sin(v), tol);
		expect_near("__cosf", i, got[i].cos, cos(v), tol);
		expect_near("__tanf", i, got[i].tan, tan(v * 0.25), 4 * tol);
		expect_near("__expf", i, got[i].exp, exp(v), 8 * tol * exp(v));
		expect_near("__exp10f", i, got[i].exp10, pow(10, v), 16 * tol * pow(10, v));
		expect_near("__logf", i, got[i].log, log(p), 2 * tol * (1 + fabs(log(p))));
		expect_near("__log2f", i, got[i].log2, log2(p), 2 * tol * (1 + fabs(log2(p))));
		expect_near("__log10f", i, got[i].log10, log10(p), 2 * tol * (1 + fabs(log10(p))));
		expect_near("__powf", i, got[i].pow, pow(p, (double)1.7f), 16 * tol * pow(p, 1.7));
		expect_near("__fdividef", i, got[i].divide, v / p, tol * fabs(v / p));
	}
	CHECK(cudaFree(dev_x));
	CHECK(cudaFree(dev));
}

int main(int argc, char **argv)
{
	parse_size(argc, argv, "math_f32", NULL, 0, 0, 0);
	UNARY(UNARY_RUN)
	BINARY(BINARY_RUN)
	check_others();
	check_fast();
	return finish();
}

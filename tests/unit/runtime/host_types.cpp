// SPDX-License-Identifier: MIT
/*
 * The numbers of 16, 8, 6 and 4 bits in a file that a host compiler compiles without CUDA: layout,
 * every code and its value, rounding at and beside every middle between two neighbours, arithmetic,
 * comparisons, integers. The reference knows a format by its bits of exponent and fraction, and
 * rounds with nearbyint().
 */
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp4.h>
#include <cuda_fp6.h>
#include <cuda_fp8.h>

#include <math.h>
#include <stdio.h>

static int errors;

#define EXPECT(what, at, got, want)                                                             \
	do {                                                                                    \
		double got_ = (double)(got), want_ = (double)(want);                            \
		if (!(got_ == want_ || (got_ != got_ && want_ != want_)) && errors++ < 10)      \
			printf("%s at %g: %g, expected %g\n", what, (double)(at), got_, want_); \
	} while (0)

struct format {
	int exponent, fraction;
	enum { INFINITE, ONE_NAN, FINITE } top; /* what the largest codes are */
};

static const format half_format = { 5, 10, format::INFINITE };
static const format brain_format = { 8, 7, format::INFINITE };
static const format e4m3 = { 4, 3, format::ONE_NAN }, e5m2 = { 5, 2, format::INFINITE };
static const format e2m3 = { 2, 3, format::FINITE }, e3m2 = { 3, 2, format::FINITE };
static const format e2m1 = { 2, 1, format::FINITE };

static double value_of(const format &f, unsigned int code)
{
	int bias = (1 << (f.exponent - 1)) - 1, sign = code >> (f.exponent + f.fraction) & 1;
	int e = code >> f.fraction & ((1 << f.exponent) - 1), m = code & ((1 << f.fraction) - 1);
	double v = e ? ldexp((1 << f.fraction) + m, e - bias - f.fraction) :
		       ldexp(m, 1 - bias - f.fraction);

	if (f.top == format::INFINITE && e == (1 << f.exponent) - 1)
		v = m ? NAN : INFINITY;
	if (f.top == format::ONE_NAN && e == (1 << f.exponent) - 1 && m == (1 << f.fraction) - 1)
		v = NAN;
	return sign ? -v : v;
}

/* The largest finite number. */
static double largest_of(const format &f)
{
	int above = f.top == format::INFINITE ? 1 << f.fraction : f.top == format::ONE_NAN;

	return value_of(f, (1 << (f.exponent + f.fraction)) - 1 - above);
}

/* To the nearest of the format's numbers, were it without an upper end; then that end. */
static double rounded(const format &f, double v, bool saturate)
{
	int bias = (1 << (f.exponent - 1)) - 1, e;
	double largest = largest_of(f);

	if (v == 0 || v != v || (!saturate && isinf(v) && f.top == format::INFINITE))
		return v;
	if (isfinite(v)) {
		frexp(v, &e);
		e = (e - 1 < 1 - bias ? 1 - bias : e - 1) - f.fraction;
		v = ldexp(nearbyint(ldexp(v, -e)), e);
	}
	if (fabs(v) <= largest)
		return v;
	return copysign(saturate ? largest : f.top == format::INFINITE ? INFINITY : NAN, v);
}

/* Calls @check for numbers around every code's and every middle, and for ends. */
template <class Check> static void around(const format &f, Check check)
{
	int codes = 1 << (f.exponent + f.fraction);

	for (int code = 0; code + 1 < codes; code++) {
		double low = value_of(f, code), high = value_of(f, code + 1);
		double middle = isfinite(high) ? (low + high) / 2 : low * 1.03125;

		if (!isfinite(low))
			continue;
		for (int sign = -1; sign <= 1; sign += 2) {
			float m = (float)(sign * middle);

			check((float)(sign * low));
			check(m);
			check(nextafterf(m, -INFINITY));
			check(nextafterf(m, INFINITY));
		}
	}
	check(INFINITY);
	check(-3.0e38f);
	check(1.0e-45f);
}

static unsigned int random_bits(unsigned int n)
{
	static unsigned long long state = 7;

	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return (unsigned int)(state >> 40) % n;
}

/* A number of the format with an exponent near 0, so that what is computed of it is exact. */
template <class T> static T some(const format &f)
{
	int bias = (1 << (f.exponent - 1)) - 1;
	T t;

	t.x = (unsigned short)(random_bits(2) << 15 | (bias - 6 + random_bits(12)) << f.fraction |
			       random_bits(1 << f.fraction));
	return t;
}

template <class T, class T2> static void arithmetic(const char *name, const format &f)
{
	for (int i = 0; i < 20000; i++) {
		T a = some<T>(f), b = some<T>(f), c = some<T>(f), d = a;
		T2 pair = T2(a, b) * T2(b, c);
		double x = value_of(f, a.x), y = value_of(f, b.x), z = value_of(f, c.x);

		EXPECT(name, x, a + b, rounded(f, x + y, false));
		EXPECT(name, x, a - b, rounded(f, x - y, false));
		EXPECT(name, x, __hmul(a, b), rounded(f, x * y, false));
		EXPECT(name, x, a / b, rounded(f, x / y, false));
		EXPECT(name, x, __hfma(a, b, c), rounded(f, x * y + z, false));
		EXPECT(name, x, pair.x, rounded(f, x * y, false));
		EXPECT(name, x, pair.y, rounded(f, y * z, false));
		EXPECT(name, x, d += b, rounded(f, x + y, false));
		EXPECT(name, x, -a, -x);
		EXPECT(name, x, a * 2.5f, x * 2.5);
		EXPECT(name, x, __hmax(a, b), x > y ? x : y);
		EXPECT(name, x, (a < b) + 2 * (a == b) + 4 * __hge(a, b) + 8 * (a != b) + 16 * (a > 0),
		       (x < y) + 2 * (x == y) + 4 * (x >= y) + 8 * (x != y) + 16 * (x > 0));
	}
	T nan, one(1), whole((long long)1 << 40);

	nan.x = 0x7fff;
	EXPECT(name, 0, (nan == nan) + (nan < one) + (nan > one), 0);
	EXPECT(name, 0, (nan != one) + __hisnan(nan) + __hltu(nan, one), 3);
	EXPECT(name, 0, whole, rounded(f, ldexp(1, 40), false));
	EXPECT(name, 0, T(7) + T((unsigned char)9) + T(0.5), 16.5);
}

static void sixteen(void)
{
	static_assert(sizeof(__half) == 2 && alignof(__half) == 2, "half");
	static_assert(sizeof(__half2) == 4 && alignof(__half2) == 4, "half2");
	static_assert(sizeof(__nv_bfloat16) == 2 && alignof(__nv_bfloat162) == 4, "bfloat16");
	static_assert(std::is_same<half, __half>::value, "names");
	for (unsigned int code = 0; code < 65536; code++) {
		EXPECT("half", code, __half2float(__ushort_as_half(code)), value_of(half_format, code));
		EXPECT("bfloat16", code, __bfloat162float(__ushort_as_bfloat16(code)),
		       value_of(brain_format, code));
	}
	around(half_format, [](float v) {
		EXPECT("to half", v, __float2half(v), rounded(half_format, v, false));
		EXPECT("of a double", v, __double2half(v * (1 - ldexp(1, -50))),
		       rounded(half_format, v * (1 - ldexp(1, -50)), false));
	});
	around(brain_format, [](float v) {
		EXPECT("to bfloat16", v, __float2bfloat16(v), rounded(brain_format, v, false));
	});
	EXPECT("down", 0, __float2half_rd(1.0009f), 1);
	EXPECT("up", 0, __float2half_ru(1.0001f), 1.0009765625);
	EXPECT("to int", 0, __half2int_rn(__half(2.5f)) * 10 + __half2int_ru(__half(2.5f)), 23);
	arithmetic<__half, __half2>("half", half_format);
	arithmetic<__nv_bfloat16, __nv_bfloat162>("bfloat16", brain_format);
}

/* The functions of one type of 8 bits and less: what a code is, and how a number becomes one. */
template <class T> static void small(const char *name, const format &f)
{
	for (int code = 0; code < 1 << (1 + f.exponent + f.fraction); code++) {
		T t;

		t.__x = (unsigned char)code;
		EXPECT(name, code, (float)t, value_of(f, code));
		EXPECT(name, code, (float)(__half)t, value_of(f, code));
	}
	around(f, [&](float v) {
		EXPECT(name, v, (float)T(v), rounded(f, v, true));
		EXPECT(name, v, (float)T((double)v), rounded(f, v, true));
	});
	EXPECT(name, 3, (float)T(3), 3);
	EXPECT(name, 3, (int)T(3.0f), 3);
}

int main(void)
{
	sixteen();
	small<__nv_fp8_e4m3>("e4m3", e4m3);
	small<__nv_fp8_e5m2>("e5m2", e5m2);
	small<__nv_fp6_e2m3>("e2m3", e2m3);
	small<__nv_fp6_e3m2>("e3m2", e3m2);
	small<__nv_fp4_e2m1>("e2m1", e2m1);
	EXPECT("no saturation", 500,
	       __half2float(__nv_cvt_fp8_to_halfraw(
		       __nv_cvt_float_to_fp8(500, __NV_NOSAT, __NV_E4M3), __NV_E4M3)),
	       NAN);
	EXPECT("four", 0, ((float4)__nv_fp8x4_e4m3(make_float4(1, -2, 3, 0.5f))).z, 3);
	EXPECT("four of 4 bits", 0, __nv_fp4x4_e2m1(make_float4(1, -2, 3, 0.5f)).__x, 0x15c2);
	printf(errors ? "%d errors\n" : "all as expected\n", errors);
	return errors != 0;
}

/* SPDX-License-Identifier: MIT */
/*
 * Numbers of 6 and 4 bits: all codes of the three formats, all halves and bfloat16 numbers, floats
 * and doubles at and beside every limit, on the device and the host, against the nearest of the
 * values that the formats' definitions give; pairs and fours.
 */
#include "../common.h"

#include <cuda_fp4.h>
#include <cuda_fp6.h>

#define FORMATS	3	/* e2m3, e3m2, e2m1 */
#define HALVES	65536

static const int exponents[FORMATS] = { 2, 3, 2 }, fractions[FORMATS] = { 3, 2, 1 };

/* As the formats are defined: sign, exponent with bias 2^(n - 1) - 1, fraction. */
static double value_of(int format, int code)
{
	int f = fractions[format], e = exponents[format], bias = (1 << (e - 1)) - 1;
	int exponent = code >> f & ((1 << e) - 1), rest = code & ((1 << f) - 1);
	double v = exponent ? ldexp((1 << f) + rest, exponent - bias - f) :
			      ldexp(rest, 1 - bias - f);

	return code >> (e + f) & 1 ? -v : v;
}

/* The nearest code, of two the even one; a NaN is the largest one. */
static int nearest(int format, double x)
{
	int largest = (1 << (exponents[format] + fractions[format])) - 1, found = 0;
	double least = INFINITY, away = fabs(x);

	if (isnan(x))
		return largest;
	for (int code = 0; code <= largest; code++) {
		double distance = fabs(away - value_of(format, code));

		if (distance < least || (distance == least && !(code & 1))) {
			least = distance;
			found = code;
		}
	}
	if (away >= value_of(format, largest))
		found = largest;
	return found | (signbit(x) ? largest + 1 : 0);
}

__host__ __device__ static int from_double(int format, double x)
{
	return format == 2 ? __nv_cvt_double_to_fp4(x, __NV_E2M1, cudaRoundNearest) :
			     __nv_cvt_double_to_fp6(x, format ? __NV_E3M2 : __NV_E2M3,
						    cudaRoundNearest);
}

__host__ __device__ static int from_float(int format, float x)
{
	return format == 2 ? (int)__nv_fp4_e2m1(x).__x :
	       format	   ? (int)__nv_fp6_e3m2(x).__x : (int)__nv_fp6_e2m3(x).__x;
}

__host__ __device__ static float to_float(int format, int code)
{
	__nv_fp4_e2m1 a;
	__nv_fp6_e2m3 b;
	__nv_fp6_e3m2 c;

	a.__x = b.__x = c.__x = (unsigned char)code;
	return format == 2 ? (float)a : format ? (float)c : (float)b;
}

struct results {
	unsigned char half[FORMATS][HALVES], bf16[FORMATS][HALVES];
	unsigned char near_limits[FORMATS][64 * 3], near_limits_f[FORMATS][64 * 3];
	float values[FORMATS][64];
};

/* Below, at and above the middle between a code's value and the next one's, and what is beyond. */
__host__ __device__ static double limit(const double *middles, int i)
{
	double x = middles[i / 3];

	return i % 3 == 0 ? x * (1 - 0x1p-40) : i % 3 == 1 ? x : x * (1 + 0x1p-40);
}

__host__ __device__ static void fill(results *r, const double *middles, int i)
{
	for (int f = 0; f < FORMATS; f++) {
		__half_raw h = { (unsigned short)i };
		__nv_bfloat16_raw b = { (unsigned short)i };
		double x = i < 64 * 3 ? limit(middles + f * 64, i) : 0;

		r->half[f][i] = f == 2 ? __nv_fp4_e2m1(__half(h)).__x :
				f      ? __nv_fp6_e3m2(__half(h)).__x :
					 __nv_fp6_e2m3(__half(h)).__x;
		r->bf16[f][i] = f == 2 ? __nv_fp4_e2m1(__nv_bfloat16(b)).__x :
				f      ? __nv_fp6_e3m2(__nv_bfloat16(b)).__x :
					 __nv_fp6_e2m3(__nv_bfloat16(b)).__x;
		if (i < 64 * 3) {
			r->near_limits[f][i] = (unsigned char)from_double(f, x);
			r->near_limits_f[f][i] = (unsigned char)from_float(f, (float)x);
		}
		if (i < 64)
			r->values[f][i] = to_float(f, i);
	}
}

__global__ void on_device(results *r, const double *middles)
{
	fill(r, middles, (int)(blockIdx.x * blockDim.x + threadIdx.x));
}

__global__ void several(float4 in, unsigned int *codes, float4 *out)
{
	__nv_fp4x4_e2m1 a(in);
	__nv_fp6x4_e2m3 b(in);
	__nv_fp6x4_e3m2 c(__floats2half2_rn(in.x, in.y), __floats2half2_rn(in.z, in.w));
	__nv_fp4x2_e2m1 d(make_double2(in.x, in.y));

	codes[0] = a.__x;
	codes[1] = b.__x;
	codes[2] = c.__x;
	codes[3] = d.__x;
	out[0] = (float4)a;
	out[1] = (float4)b;
	out[2] = (float4)c;
}

static double middles[FORMATS * 64];
static results host, dev_copy;

static double half_value(unsigned int bits)
{
	int exponent = bits >> 10 & 31, rest = bits & 1023;
	double v = exponent == 31 ? (rest ? NAN : INFINITY) :
		   exponent	  ? ldexp(1024 + rest, exponent - 25) : ldexp(rest, -24);

	return bits & 0x8000 ? -v : v;
}

static double bf16_value(unsigned int bits)
{
	unsigned int word = bits << 16;
	float v;

	memcpy(&v, &word, 4);
	return v;
}

static void check(const char *where, const results *r)
{
	for (int f = 0; f < FORMATS; f++) {
		for (int i = 0; i < HALVES; i++) {
			expect_same(where, i, (int)r->half[f][i], nearest(f, half_value(i)));
			expect_same(where, i, (int)r->bf16[f][i], nearest(f, bf16_value(i)));
		}
		for (int i = 0; i < 64 * 3; i++) {
			double x = limit(middles + f * 64, i);

			expect_same(where, i, (int)r->near_limits[f][i], nearest(f, x));
			expect_same(where, i, (int)r->near_limits_f[f][i], nearest(f, (float)x));
		}
		for (int i = 0; i < (f == 2 ? 16 : 64); i++)
			expect_same(where, i, (double)r->values[f][i], value_of(f, i));
	}
}

static void check_several(void)
{
	unsigned int codes[4], *dev_codes = device_new<unsigned int>(4);
	float4 out[3], *dev_out = device_new<float4>(3);
	float4 in = make_float4(1, -6, 0.5f, 100);

	several<<<1, 1>>>(in, dev_codes, dev_out);
	CHECK_LAUNCH();
	host_from(codes, dev_codes, 4);
	host_from(out, dev_out, 3);
	/* e2m1: 1 is 2, 6 is 7, 0.5 is 1; e2m3: 8, 0x1c, 4, 0x1f; e3m2: 0xc, 0x16, 8, 0x1f */
	expect_same("four of e2m1", 0, codes[0], 0x71f2u);
	expect_same("four of e2m3", 0, codes[1], 0x1f043c08u);
	expect_same("four of e3m2", 0, codes[2], 0x1f08360cu);
	expect_same("two of e2m1", 0, codes[3], 0xf2u);
	expect_same("e2m1", 0, out[0].w, 6.0f);
	expect_same("e2m3", 0, out[1].w, 7.5f);
	expect_same("e3m2", 0, out[2].w, 28.0f);
	for (int n = 0; n < 3; n++)
		expect_same("the others", n, out[n].x == 1 && out[n].y == -6 && out[n].z == 0.5f,
			    true);
	CHECK(cudaFree(dev_codes));
	CHECK(cudaFree(dev_out));
}

int main(int argc, char **argv)
{
	results *dev;
	double *dev_middles = device_new<double>(FORMATS * 64);

	parse_size(argc, argv, "fp6_fp4_types", NULL, 0, 0, 0);
	for (int f = 0; f < FORMATS; f++)
		for (int code = 0; code < 64; code++) {
			int largest = (1 << (exponents[f] + fractions[f])) - 1;
			double x = code % (largest + 1), v = value_of(f, (int)x);
			double next = x == largest ? 2 * v : value_of(f, (int)x + 1);

			middles[f * 64 + code] = (code > largest ? -1 : 1) * (v + next) / 2;
		}
	for (int i = 0; i < HALVES; i++)
		fill(&host, middles, i);
	check("host", &host);
	dev = device_new<results>(1);
	CHECK(cudaMemcpy(dev_middles, middles, sizeof(middles), cudaMemcpyHostToDevice));
	on_device<<<HALVES / 256, 256>>>(dev, dev_middles);
	CHECK_LAUNCH();
	host_from(&dev_copy, dev, 1);
	check("device", &dev_copy);
	check_several();
	CHECK(cudaFree(dev));
	CHECK(cudaFree(dev_middles));
	return finish();
}

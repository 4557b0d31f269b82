// SPDX-License-Identifier: MIT
/*
 * Numbers of 8 bits: all 256 codes of both formats, all halves and bfloat16 numbers, floats and
 * doubles at and beside every limit, to both kinds of saturation, on the device and the host,
 * against the nearest of the values that the formats' definitions give.
 */
#include "../common.h"

#include <cuda_fp8.h>
#include <math.h>

#define HALVES	65536

static double values[2][256];	/* of each code; e4m3 first */

/* As the formats are defined: sign, exponent with bias 7 or 15, fraction. */
static double value_of(int e5m2, int code)
{
	int fraction = e5m2 ? 2 : 3, bias = e5m2 ? 15 : 7;
	int exponent = (code & 127) >> fraction, rest = code & ((1 << fraction) - 1);
	double v;

	if (!e5m2 && (code & 127) == 127)
		return NAN;
	if (e5m2 && exponent == 31)
		v = rest ? NAN : INFINITY;
	else if (!exponent)
		v = ldexp(rest, 1 - bias - fraction);
	else
		v = ldexp((1 << fraction) + rest, exponent - bias - fraction);
	return code & 128 ? -v : v;
}

/* The nearest code, of two the even one; as if the largest were followed by one more. */
static int nearest(int e5m2, double x, int saturate, int is_double)
{
	int largest = e5m2 ? 0x7b : 0x7e, beyond = e5m2 ? 0x7c : 0x7f, sign = signbit(x) ? 128 : 0;
	double over = e5m2 ? 65536 : 480, least = INFINITY, away = fabs(x);
	int found = 0;

	if (isnan(x))
		return is_double ? sign | (e5m2 ? 0x7e : 0x7f) : 0x7f;
	if (away > over)
		return sign | (saturate ? largest : beyond);
	for (int code = 0; code <= beyond; code++) {
		double distance = fabs(away - (code == beyond ? over : values[e5m2][code]));

		if (distance < least || (distance == least && !(code & 1))) {
			least = distance;
			found = code;
		}
	}
	return sign | (found == beyond && saturate ? largest : found);
}

static double half_value(unsigned int bits)
{
	int exponent = bits >> 10 & 31, rest = bits & 1023;
	double v = exponent == 31 ? (rest ? NAN : INFINITY) :
		   exponent	  ? ldexp(1024 + rest, exponent - 25) : ldexp(rest, -24);

	return copysign(v, bits & 0x8000 ? -1 : 1);
}

static double bfloat_value(unsigned int bits)
{
	unsigned int wide = bits << 16;
	float v;

	memcpy(&v, &wide, 4);
	return v;
}

/* What is converted, in order: code of e4m3 to a number and of e5m2 below, unsaturated above */
struct result {
	unsigned char half[4], bfloat[4];
};

static __host__ __device__ result convert(unsigned int bits)
{
	const __half_raw h = { (unsigned short)bits };
	const __nv_bfloat16_raw b = { (unsigned short)bits };
	result r;

	for (int n = 0; n < 4; n++) {
		const __nv_saturation_t s = n & 1 ? __NV_SATFINITE : __NV_NOSAT;
		const __nv_fp8_interpretation_t k = n & 2 ? __NV_E5M2 : __NV_E4M3;

		r.half[n] = __nv_cvt_halfraw_to_fp8(h, s, k);
		r.bfloat[n] = __nv_cvt_bfloat16raw_to_fp8(b, s, k);
	}
	return r;
}

/* Of a code: its half, its float, and what the classes make of it */
struct back {
	unsigned short half[2];
	float value[2];
	double wide[2];
	int integer[2];
	unsigned char byte[2], again[2];
	unsigned long long large[2];
	bool truth[2];
};

template <class T> static __host__ __device__ void take_back(back &b, int n, unsigned char code,
							      __nv_fp8_interpretation_t kind)
{
	T v;

	v.__x = code;
	b.half[n] = __nv_cvt_fp8_to_halfraw(code, kind).x;
	b.value[n] = (float)v;
	b.wide[n] = (double)v;
	b.integer[n] = (int)v;
	b.byte[n] = (unsigned char)v;
	b.large[n] = (unsigned long long)v;
	b.truth[n] = (bool)v;
	b.again[n] = T((__half)v).__x;
}

static __host__ __device__ back take_back_both(unsigned char code)
{
	back b;

	take_back<__nv_fp8_e4m3>(b, 0, code, __NV_E4M3);
	take_back<__nv_fp8_e5m2>(b, 1, code, __NV_E5M2);
	return b;
}

static __global__ void convert_all(result *out)
{
	unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;

	out[i] = convert(i);
}

static __global__ void back_all(back *out)
{
	out[threadIdx.x] = take_back_both((unsigned char)threadIdx.x);
}

struct wide {
	unsigned char single[4], twice[4];
};

static __host__ __device__ wide convert_wide(double x)
{
	wide w;

	for (int n = 0; n < 4; n++) {
		const __nv_saturation_t s = n & 1 ? __NV_SATFINITE : __NV_NOSAT;
		const __nv_fp8_interpretation_t k = n & 2 ? __NV_E5M2 : __NV_E4M3;

		w.single[n] = __nv_cvt_float_to_fp8((float)x, s, k);
		w.twice[n] = __nv_cvt_double_to_fp8(x, s, k);
	}
	return w;
}

static __global__ void wide_all(const double *in, wide *out, int count)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < count)
		out[i] = convert_wide(in[i]);
}

static void check_results(const result *got, const char *where)
{
	for (unsigned int i = 0; i < HALVES; i++)
		for (int n = 0; n < 4; n++) {
			int h = nearest(n >> 1, half_value(i), n & 1, 0);
			int b = nearest(n >> 1, bfloat_value(i), n & 1, 0);

			if (got[i].half[n] != h || got[i].bfloat[n] != b)
				mismatch("%s: bits %04x, way %d: %02x %02x, not %02x %02x", where,
					 i, n, got[i].half[n], got[i].bfloat[n], h, b);
		}
}

static bool same(double a, double b)
{
	return isnan(a) ? isnan(b) : a == b && signbit(a) == signbit(b);
}

static void check_back(const back *got, const char *where)
{
	for (int code = 0; code < 256; code++)
		for (int n = 0; n < 2; n++) {
			double v = values[n][code], whole = isnan(v) ? 0 : trunc(v);
			const back &b = got[code];

			if (!same(half_value(b.half[n]), v) || !same(b.value[n], v) ||
			    !same(b.wide[n], v))
				mismatch("%s: code %02x of %d: %g, not %g", where, code, n,
					 b.value[n], v);
			EXPECT(b.integer[n] == (isinf(v) ? (v < 0 ? INT_MIN : INT_MAX) :
							   (int)whole));
			EXPECT(b.byte[n] == (whole < 0 ? 0 : whole > 255 ? 255 : (int)whole));
			EXPECT(b.large[n] == (isnan(v) ? 1ull << 63 :
					      isinf(v) && v > 0 ? ~0ull :
					      whole < 0 ? 0 : (unsigned long long)whole));
			EXPECT(b.truth[n] == ((code & 127) != 0));
			/* back to where it came from, an infinity to the largest */
			EXPECT(b.again[n] == nearest(n, v, 1, 0));
		}
}

/* Each value, the middle between two, and what is beside these. */
static int hard_numbers(double *out)
{
	int count = 0;

	for (int n = 0; n < 2; n++)
		for (int code = 0; code < 127; code++) {
			double a = values[n][code], b = values[n][code + 1];
			double middle = isnan(b) ? 464 : isinf(b) ? 61440 : (a + b) / 2;

			if (isnan(a) || isinf(a))
				continue;
			for (int sign = -1; sign <= 1; sign += 2) {
				out[count++] = sign * a;
				out[count++] = sign * middle;
				out[count++] = sign * nextafter(middle, 0);
				out[count++] = sign * nextafter(middle, 1e9);
				out[count++] = sign * (double)nextafterf((float)middle, 0);
				out[count++] = sign * (double)nextafterf((float)middle, 1e9f);
			}
		}
	out[count++] = 1e300;
	out[count++] = -1e-300;
	out[count++] = 5e-324;
	out[count++] = INFINITY;
	out[count++] = -INFINITY;
	out[count++] = NAN;
	return count;
}

static void check_wide(const double *in, const wide *got, int count, const char *where)
{
	for (int i = 0; i < count; i++)
		for (int n = 0; n < 4; n++) {
			int single = nearest(n >> 1, (float)in[i], n & 1, 0);
			int twice = nearest(n >> 1, in[i], n & 1, 1);

			if (got[i].single[n] != single || got[i].twice[n] != twice)
				mismatch("%s: %.17g, way %d: %02x %02x, not %02x %02x", where,
					 in[i], n, got[i].single[n], got[i].twice[n], single,
					 twice);
		}
}

/* Vectors: the first number is in the lowest byte. */
static __host__ __device__ unsigned int packed(void)
{
	__nv_fp8x4_e4m3 a(make_float4(1.0f, -2.0f, 0.5f, 1000.0f));
	__nv_fp8x2_e5m2 b(make_float2(-1.5f, 7e5f));
	__nv_fp8x2_e4m3 c(__floats2half2_rn(3.0f, 0.0625f));
	float4 wide = (float4)a;
	float2 two = (float2)b;
	__half2 halves = (__half2)c;

	return (a.__x == 0x7e30c038u) | (b.__x == 0x7bbeu) << 1 |
	       (wide.x == 1 && wide.y == -2 && wide.z == 0.5f && wide.w == 448) << 2 |
	       (two.x == -1.5f && two.y == 57344) << 3 |
	       (__low2float(halves) == 3 && __high2float(halves) == 0.0625f) << 4 |
	       (__nv_fp8_e4m3(17).__x == __nv_fp8_e4m3(16.0f).__x) << 5 |
	       (__nv_fp8_e5m2(-3ll).__x == 0xc2) << 6;
}

static __global__ void pack(unsigned int *out)
{
	*out = packed();
}

int main(int argc, char **argv)
{
	static double numbers[4096];
	static back backs[256], host_backs[256];
	result *out, *results = (result *)malloc(HALVES * sizeof(*results));
	unsigned int *word, bits;
	wide *wides, *got;
	back *back_out;
	double *in;
	int count;

	parse_size(argc, argv, "fp8_types", NULL, 0, 0, 0);
	for (int code = 0; code < 256; code++)
		for (int n = 0; n < 2; n++)
			values[n][code] = value_of(n, code);
	CHECK(cudaMalloc(&out, HALVES * sizeof(*out)));
	convert_all<<<HALVES / 256, 256>>>(out);
	CHECK(cudaMemcpy(results, out, HALVES * sizeof(*out), cudaMemcpyDeviceToHost));
	check_results(results, "device");
	for (unsigned int i = 0; i < HALVES; i++)
		results[i] = convert(i);
	check_results(results, "host");

	CHECK(cudaMalloc(&back_out, sizeof(backs)));
	back_all<<<1, 256>>>(back_out);
	CHECK(cudaMemcpy(backs, back_out, sizeof(backs), cudaMemcpyDeviceToHost));
	check_back(backs, "device");
	for (int code = 0; code < 256; code++)
		host_backs[code] = take_back_both((unsigned char)code);
	check_back(host_backs, "host");

	count = hard_numbers(numbers);
	got = (wide *)malloc(count * sizeof(*got));
	CHECK(cudaMalloc(&in, sizeof(numbers)));
	CHECK(cudaMalloc(&wides, count * sizeof(*wides)));
	CHECK(cudaMemcpy(in, numbers, sizeof(numbers), cudaMemcpyHostToDevice));
	wide_all<<<(count + 127) / 128, 128>>>(in, wides, count);
	CHECK(cudaMemcpy(got, wides, count * sizeof(*wides), cudaMemcpyDeviceToHost));
	check_wide(numbers, got, count, "device");
	for (int i = 0; i < count; i++)
		got[i] = convert_wide(numbers[i]);
	check_wide(numbers, got, count, "host");

	CHECK(cudaMalloc(&word, sizeof(*word)));
	pack<<<1, 1>>>(word);
	CHECK(cudaMemcpy(&bits, word, sizeof(bits), cudaMemcpyDeviceToHost));
	EXPECT(bits == 0x7f);
	EXPECT(packed() == 0x7f);
	return finish();
}

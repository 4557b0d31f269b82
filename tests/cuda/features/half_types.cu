/* SPDX-License-Identifier: MIT */
/*
 * half_types: conversions, arithmetic, comparisons, shuffles and atomics of __half, __half2 and
 * __nv_bfloat16. The reference is exact: a half is an integer times 2^-24, so sums and products are
 * integers of 128 bits, rounded once.
 */
#include "../common.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#define N 4096

typedef unsigned short bits_t;

struct results {
	bits_t add, sub, mul, div, fma, sat, from_float, from_double, down, up, zero, from_int,
		maximum, absolute;
	int whole[4];
	unsigned compare, mask;
	float product;
};

__host__ __device__ static float wide(__half h)
{
	return __half2float(h);
}

__host__ __device__ static results compute(bits_t a_bits, bits_t b_bits, bits_t c_bits, float f,
					   double d, int i)
{
	__half a = __ushort_as_half(a_bits), b = __ushort_as_half(b_bits),
	       c = __ushort_as_half(c_bits);
	__half2 pair = __halves2half2(a, b), other = make_half2(b, c);
	results r;

	r.add = __half_as_ushort(a + b);
	r.sub = __half_as_ushort(__hsub(a, b));
	r.mul = __half_as_ushort((pair * other).x);
	r.div = __half_as_ushort(a / b);
	r.fma = __half_as_ushort(
		__high2half(__hfma2(make_half2(b, a), make_half2(a, b), make_half2(a, c))));
	r.sat = __half_as_ushort(__hadd_sat(a, b));
	r.from_float = __half_as_ushort(__float22half2_rn(make_float2(0, f)).y);
	r.from_double = __half_as_ushort(__double2half(d));
	r.down = __half_as_ushort(__float2half_rd(f));
	r.up = __half_as_ushort(__float2half_ru(f));
	r.zero = __half_as_ushort(__float2half_rz(f));
	r.from_int = __half_as_ushort(__int2half_rn(i));
	r.maximum = __half_as_ushort(__hmax(a, b));
	r.absolute = __half_as_ushort(__habs2(pair).x);
	r.whole[0] = __half2int_rn(a);
	r.whole[1] = __half2int_rd(a);
	r.whole[2] = __half2short_rz(a);
	r.whole[3] = __half2uint_ru(a);
	r.compare = __hgt(a, b) | __hlt(a, b) << 1 | (a == b) << 2 | __hne(a, b) << 3 |
		    __hgtu(a, b) << 4 | (a >= 1.5f) << 5 | __hbge2(pair, other) << 6 |
		    (__low2float(__hgt2(pair, other)) == 1.0f) << 7;
	r.mask = __hle2_mask(pair, other);
	r.product = f * a + a * 2;
	return r;
}

__global__ void many(const bits_t *h, const float *f, const double *d, results *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	out[i] = compute(h[i], h[i + N], h[i + 2 * N], f[i], d[i], (int)f[i]);
}

/* ---- the reference: finite numbers as integers, one rounding of sign * size * 2^scale */

enum rounding { NEAREST, DOWN, UP, ZERO };

static __int128 fixed(bits_t h)
{
	int exponent = h >> 10 & 31;
	__int128 size = exponent ? ((__int128)((h & 1023) | 1024) << exponent) >> 1 : h & 1023;

	return h & 0x8000 ? -size : size;
}

/* value * 2^-scale, scale >= 24, to a half. */
static bits_t round_to(__int128 value, int scale, bool negative_zero, rounding how)
{
	bool negative = value < 0 || (!value && negative_zero), away;
	unsigned __int128 size = value < 0 ? -value : value, rest;
	int cut = scale - 24, bits = 0;
	unsigned kept;

	while (size >> bits >> 1)
		bits++;
	if (bits - 10 > cut)
		cut = bits - 10;
	kept = (unsigned)(size >> cut);
	rest = size - ((unsigned __int128)kept << cut);
	away = how == UP ? !negative : how == DOWN ? negative : false;
	if (how == NEAREST && cut)
		away = rest << 1 > (unsigned __int128)1 << cut ||
		       (rest << 1 == (unsigned __int128)1 << cut && (kept & 1));
	if (away && rest)
		kept++;
	/* a mantissa that overflows goes into the exponent by itself */
	kept += (unsigned)(cut - (scale - 24)) << 10;
	if (kept >= 0x7c00)
		kept = how == NEAREST || away ? 0x7c00 : 0x7bff;
	return (bits_t)(kept | (negative ? 0x8000 : 0));
}

static double exact(bits_t h)
{
	return ldexp((double)(long long)fixed(h), -24);
}

static void check_one(long i, bits_t a, bits_t b, bits_t c, float f, double d, const results &r)
{
	__int128 x = fixed(a), y = fixed(b), z = fixed(c),
		 whole = (__int128)llroundl(ldexpl(f, 40));
	double da = exact(a), db = exact(b);
	__int128 sum = x + y;

	expect_same("a + b", i, r.add, round_to(sum, 24, (a & b) >> 15, NEAREST));
	expect_same("a - b", i, r.sub, round_to(x - y, 24, (a & ~b) >> 15 & 1, NEAREST));
	expect_same("a * b", i, r.mul, round_to(x * y, 48, (a ^ b) >> 15, NEAREST));
	/* the sign of a zero that is a sum of two */
	expect_same("a * b + c", i, r.fma,
		    round_to(x * y + (z << 24), 48, ((a ^ b) & c) >> 15 && !(x * y), NEAREST));
	if (y) {
		__int128 quotient = (x << 60) / y, back = quotient * y;

		/* of what is left only that it is there matters, below the last bit that counts */
		quotient = quotient * 4 + (back == x << 60 ? 0 : (x < 0) != (y < 0) ? -1 : 1);
		expect_same("a / b", i, r.div, round_to(quotient, 62, (a ^ b) >> 15, NEAREST));
	}
	sum = sum < 0 ? 0 : sum > 1 << 24 ? 1 << 24 : sum;
	expect_same("a + b, 0 to 1", i, r.sat, round_to(sum, 24, false, NEAREST));
	expect_same("of a float", i, r.from_float, round_to(whole, 40, signbit(f), NEAREST));
	expect_same("of a float, down", i, r.down, round_to(whole, 40, signbit(f), DOWN));
	expect_same("of a float, up", i, r.up, round_to(whole, 40, signbit(f), UP));
	expect_same("of a float, to zero", i, r.zero, round_to(whole, 40, signbit(f), ZERO));
	expect_same("of an int", i, r.from_int,
		    round_to((__int128)(int)f << 24, 24, false, NEAREST));
	expect_same("of a double", i, r.from_double,
		    round_to((__int128)ldexp(d, 60), 60, signbit(d), NEAREST));
	expect_same("maximum", i, r.maximum, x == y ? (bits_t)(a & b) : x > y ? a : b);
	expect_same("absolute", i, r.absolute, (bits_t)(a & 0x7fff));
	expect_same("to int", i, r.whole[0], (int)nearbyint(da));
	expect_same("to int, down", i, r.whole[1], (int)floor(da));
	expect_same("to short, to zero", i, r.whole[2],
		    da > 32767	? 32767 :
		    da < -32768 ? -32768 :
				  (int)da);
	expect_same("to unsigned, up", i, r.whole[3], da < 0 ? 0 : (int)ceil(da));
	expect_same("comparisons", i, r.compare,
		    (unsigned)((da > db) | (da < db) << 1 | (da == db) << 2 | (da != db) << 3 |
			       (da > db) << 4 | (da >= 1.5) << 5 |
			       (da >= db && db >= exact(c)) << 6 | (da > db) << 7));
	expect_same("mask", i, r.mask,
		    (da <= db ? 0xffffu : 0) | (db <= exact(c) ? 0xffff0000u : 0));
	expect_near("with a float", i, r.product, f * (float)da + 2 * (float)da,
		    1e-6 * fabs(f * da) + 1e-6 * fabs(da));
}

static bits_t finite(struct lcg *g)
{
	bits_t h = (bits_t)lcg_u32(g);

	return (h & 0x7c00) == 0x7c00 ? h & 0xbfff : h;
}

static void check_arithmetic(void)
{
	bits_t *h = (bits_t *)host_alloc(3 * N * sizeof(bits_t)), *dev_h;
	float *f = (float *)host_alloc(N * sizeof(float)), *dev_f;
	double *d = (double *)host_alloc(N * sizeof(double)), *dev_d;
	results *out = (results *)host_alloc(N * sizeof(results)),
		*dev_out = device_new<results>(N);
	struct lcg g = { 16 };

	for (int i = 0; i < N; i++) {
		h[i] = finite(&g);
		h[i + N] = i % 3 ? finite(&g) : (bits_t)(h[i] ^ (lcg_u32(&g) & 0x8003));
		h[i + 2 * N] =
			i % 5 ? finite(&g) :
				(bits_t)(0x8000 ^ __half_as_ushort(__float2half(
							  (float)(exact(h[i]) * exact(h[i + N])))));
		if ((h[i + 2 * N] & 0x7c00) == 0x7c00)
			h[i + 2 * N] = 1;
		if ((h[i + N] & 0x7c00) == 0x7c00)
			h[i + N] = 0x3c00;
		/* halfway between two halves, or a little beside, and beyond the largest */
		f[i] = (float)exact(h[i]) * (1 + (float)lcg_below(&g, 3) * 0x1p-11f +
					     (float)lcg_below(&g, 2) * 0x1p-23f);
		f[i] = ldexpf(nearbyintf(ldexpf(f[i], 40)), -40);
		d[i] = (double)f[i] + (double)lcg_below(&g, 3) * ldexp(1, -60);
	}
	dev_h = device_from(h, 3 * N);
	dev_f = device_from(f, N);
	dev_d = device_from(d, N);
	many<<<N / 128, 128>>>(dev_h, dev_f, dev_d, dev_out);
	CHECK_LAUNCH();
	host_from(out, dev_out, N);
	for (int i = 0; i < N; i++) {
		check_one(i, h[i], h[i + N], h[i + 2 * N], f[i], d[i], out[i]);
		/* the host's are the same functions, compiled for another machine */
		check_one(N + i, h[i], h[i + N], h[i + 2 * N], f[i], d[i],
			  compute(h[i], h[i + N], h[i + 2 * N], f[i], d[i], (int)f[i]));
	}
	CHECK(cudaFree(dev_h));
	CHECK(cudaFree(dev_f));
	CHECK(cudaFree(dev_d));
	CHECK(cudaFree(dev_out));
	free(h);
	free(f);
	free(d);
	free(out);
}

__global__ void warp_wide(__half *sum, __half2 *sum2, float *shuffled, float *math,
			  __nv_bfloat16 *brain)
{
	int t = threadIdx.x;
	__half h = __int2half_rn(t), half_up = h + __half(0.5f);
	__half2 h2 = __floats2half2_rn(t, -t);
	__nv_bfloat16 b = __float2bfloat16(1.0f + t);

	atomicAdd(sum + t % 3, h);
	atomicAdd(sum2 + t % 2, h2);
	shuffled[t] = wide(__shfl_xor_sync(0xffffffff, h, 5)) +
		      wide(__shfl_down_sync(0xffffffff, h2, 1).y) +
		      wide(__shfl_sync(0xffffffff, half_up, 7));
	math[t] = wide(hsqrt(h)) + wide(h2exp2(h2).y) - exp2f(-(float)t) + wide(hrint(half_up)) +
		  wide(htrunc(half_up));
	brain[t] = __hfma(b, b, __shfl_up_sync(0xffffffff, b, 1)) + 1;
}

static void check_warp(void)
{
	__half sum[3] = { 0, 0, 0 }, *dev_sum = device_from(sum, 3);
	__half2 sum2[2] = { __half2(0, 0), __half2(0, 0) }, *dev_sum2 = device_from(sum2, 2);
	float shuffled[32], math[32], *dev_shuffled = device_new<float>(32),
				      *dev_math = device_new<float>(32);
	__nv_bfloat16 brain[32], *dev_brain = device_new<__nv_bfloat16>(32);

	warp_wide<<<1, 32>>>(dev_sum, dev_sum2, dev_shuffled, dev_math, dev_brain);
	CHECK_LAUNCH();
	host_from(sum, dev_sum, 3);
	host_from(sum2, dev_sum2, 2);
	host_from(shuffled, dev_shuffled, 32);
	host_from(math, dev_math, 32);
	host_from(brain, dev_brain, 32);
	expect_same("atomic sum", 0, wide(sum[0]), 165.0f);
	expect_same("atomic sum", 1, wide(sum[1]), 176.0f);
	expect_same("atomic sum", 2, wide(sum[2]), 155.0f);
	for (int i = 0; i < 2; i++) {
		expect_same("atomic sum of pairs", i, __low2float(sum2[i]), 240.0f + 16 * i);
		expect_same("atomic sum of pairs", i, __high2float(sum2[i]), -240.0f - 16 * i);
	}
	for (int t = 0; t < 32; t++) {
		/*
		 * of 8 bits: 1 + t is exact, the square plus the neighbour is rounded, and one more
		 * is
		 */
		float square = (1.0f + t) * (1.0f + t) + (t ? t : 1), first = wide(__half(0));

		square = __bfloat162float(__float2bfloat16(square)) + 1 + first;
		expect_same("shuffles", t, shuffled[t], (t ^ 5) - (t < 31 ? t + 1 : 31) + 7.5f);
		expect_near("functions", t, math[t], sqrt((double)t) + nearbyint(t + 0.5) + t,
			    4e-3 * sqrt((double)t) + 1e-3);
		expect_same("bfloat16", t, __bfloat162float(brain[t]),
			    __bfloat162float(__float2bfloat16(square)));
	}
	CHECK(cudaFree(dev_sum));
	CHECK(cudaFree(dev_sum2));
	CHECK(cudaFree(dev_shuffled));
	CHECK(cudaFree(dev_math));
	CHECK(cudaFree(dev_brain));
}

int main(int argc, char **argv)
{
	parse_size(argc, argv, "half_types", NULL, 0, 0, 0);
	check_arithmetic();
	check_warp();
	return finish();
}

/* SPDX-License-Identifier: MIT */
/*
 * integer_ops: C's integer operations on every width and sign, conversions between all of them and
 * to and from floating point, and the integer intrinsics. C expressions run on both sides from one
 * function; intrinsics have references of their own. Everything is exact.
 */
#include "../common.h"

#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#define N 600
#define BDIM 128
#define BOTH static __host__ __device__ inline

typedef unsigned long long u64;
typedef long long s64;

#define C_OPS 20

/* All that C has, without what C leaves undefined: wrapping goes through the unsigned type. */
template <typename T> BOTH void c_ops(T a, T b, T *o)
{
	typedef typename std::make_unsigned<T>::type U;
	const int bits = sizeof(T) * 8;
	T d = b == 0 ? (T)3 : b == (T)-1 ? (T)2 : b;
	int s = (int)((U)b % bits);

	o[0] = (T)(U)((U)a + (U)b);
	o[1] = (T)(U)((U)a - (U)b);
	o[2] = (T)(U)(1ull * (U)a * (U)b);
	o[3] = (T)(a / d);
	o[4] = (T)(a % d);
	o[5] = (T)(a & b);
	o[6] = (T)(a | b);
	o[7] = (T)(a ^ b);
	o[8] = (T)~a;
	o[9] = (T)(U)((U)a << s);
	o[10] = (T)(a >> s);
	o[11] = (T)((U)a >> s);
	o[12] = (T)(a < b ? a : b);
	o[13] = (T)(a >= b);
	o[14] = (T)((U)a > (U)b);
	o[15] = (T)(!a + 2 * (a == b) + 4 * (a && b));
	o[16] = (T)(U)(0 - (U)a);
	o[17] = (T)(U)((U)a << s | (U)a >> (bits - s) % bits);
	/* Divisors that compilers turn into multiplications. */
	o[18] = (T)(a / 7 + a / 16);
	o[19] = (T)(a % 10 - a % 8);
}

template <typename T> __global__ void c_kernel(const T *a, const T *b, T *out, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		c_ops<T>(a[i], b[i], out + i * C_OPS);
}

/* Random bits, of random length, and the ends of the range. */
template <typename T> static T any_value(struct lcg *g, int i)
{
	typedef std::numeric_limits<T> lim;
	const T ends[] = { 0, 1, (T)-1, lim::min(), lim::max(), (T)(lim::max() - 1), 2, (T)127 };
	u64 x = lcg_u64(g);

	if (i % 5 == 0)
		return ends[lcg_below(g, 8)];
	return (T)(s64)(i % 2 ? x : (u64)((s64)x >> lcg_below(g, 64)));
}

template <typename T> static void check_c(const char *type)
{
	T a[N], b[N], want[C_OPS], *da, *db, *dev = device_new<T>(N * C_OPS);
	std::vector<T> got(N * C_OPS);
	struct lcg g = { sizeof(T) * 2 + std::is_signed<T>::value };
	char what[96];

	for (int i = 0; i < N; i++) {
		a[i] = any_value<T>(&g, i);
		b[i] = any_value<T>(&g, i / 3);
	}
	da = device_from(a, N);
	db = device_from(b, N);
	c_kernel<T><<<(N + BDIM - 1) / BDIM, BDIM>>>(da, db, dev, N);
	CHECK_LAUNCH();
	host_from(got.data(), dev, N * C_OPS);
	for (int i = 0; i < N; i++) {
		c_ops<T>(a[i], b[i], want);
		for (int k = 0; k < C_OPS; k++) {
			snprintf(what, sizeof(what), "operation %d of %s on (%lld, %lld)", k, type,
				 (s64)a[i], (s64)b[i]);
			expect_same(what, i, (s64)got[i * C_OPS + k], (s64)want[k]);
		}
	}
	CHECK(cudaFree(da));
	CHECK(cudaFree(db));
	CHECK(cudaFree(dev));
}

/* One source value as every type; from floating point only where C defines the result. */
struct converted {
	signed char s8;
	unsigned char u8;
	short s16;
	unsigned short u16;
	int s32;
	unsigned u32;
	s64 x64;
	u64 y64;
	float f;
	double d;
	bool b;
};

template <typename T> BOTH void convert(T v, converted *o)
{
	o->s8 = (signed char)v;
	o->u8 = (unsigned char)v;
	o->s16 = (short)v;
	o->u16 = (unsigned short)v;
	o->s32 = (int)v;
	o->u32 = (unsigned)v;
	o->x64 = (s64)v;
	o->y64 = (u64)v;
	o->f = (float)v;
	o->d = (double)v;
	o->b = (bool)v;
}

template <typename T> __global__ void convert_kernel(const T *v, converted *out, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		convert<T>(v[i], &out[i]);
}

template <typename T> static void check_convert(const char *type)
{
	T v[N], *dv;
	std::vector<converted> got(N);
	converted *dev = device_new<converted>(N);
	struct lcg g = { sizeof(T) + 100 };
	char what[96];

	for (int i = 0; i < N; i++)
		if (std::is_floating_point<T>::value)
			v[i] = (T)(lcg_double(&g, 0, 1) * (i % 2 ? 127.99 : 1.5));
		else
			v[i] = any_value<T>(&g, i);
	dv = device_from(v, N);
	convert_kernel<T><<<(N + BDIM - 1) / BDIM, BDIM>>>(dv, dev, N);
	CHECK_LAUNCH();
	host_from(got.data(), dev, N);
	for (int i = 0; i < N; i++) {
		const converted &o = got[i];
		converted w;

		convert<T>(v[i], &w);
		snprintf(what, sizeof(what), "%s %.17g", type, (double)v[i]);
#define SAME(m) expect_same((std::string(what) + " to " #m).c_str(), i, o.m, w.m)
		SAME(s8);
		SAME(u8);
		SAME(s16);
		SAME(u16);
		SAME(s32);
		SAME(u32);
		SAME(x64);
		SAME(y64);
		SAME(f);
		SAME(d);
		SAME(b);
	}
	CHECK(cudaFree(dv));
	CHECK(cudaFree(dev));
}

#define INTRINSICS 31

__global__ void intrinsics(const u64 *a, const u64 *b, s64 *out, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i >= n)
		return;
	u64 x = a[i], y = b[i];
	unsigned ux = (unsigned)x, uy = (unsigned)y, s = (unsigned)(y >> 32);
	int ix = (int)ux, iy = (int)uy;
	s64 *o = out + i * INTRINSICS;

	o[0] = __mulhi(ix, iy);
	o[1] = __umulhi(ux, uy);
	o[2] = __mul64hi((s64)x, (s64)y);
	o[3] = (s64)__umul64hi(x, y);
	o[4] = __mul24(ix, iy);
	o[5] = __umul24(ux, uy);
	o[6] = __clz(ix);
	o[7] = __clzll((s64)x);
	o[8] = __popc(ux);
	o[9] = __popcll(x);
	o[10] = __brev(ux);
	o[11] = (s64)__brevll(x);
	o[12] = __ffs(ix);
	o[13] = __ffsll((s64)x);
	o[14] = __funnelshift_l(ux, uy, s);
	o[15] = __funnelshift_r(ux, uy, s);
	o[16] = __funnelshift_lc(ux, uy, s & 63);
	o[17] = __funnelshift_rc(ux, uy, s & 63);
	o[18] = __byte_perm(ux, uy, s & 0x7777);
	o[19] = __sad(ix, iy, s);
	o[20] = __usad(ux, uy, s);
	o[21] = __hadd(ix, iy);
	o[22] = __rhadd(ix, iy);
	o[23] = __uhadd(ux, uy);
	o[24] = __urhadd(ux, uy);
	o[25] = min(ix, iy);
	o[26] = max(ux, uy);
	o[27] = min((s64)x, (s64)y);
	o[28] = (s64)max(x, y);
	o[29] = abs(ix == INT32_MIN ? 0 : ix);
	o[30] = llabs((s64)x == INT64_MIN ? 0 : (s64)x);
}

static unsigned reverse32(unsigned x)
{
	unsigned r = 0;

	for (int i = 0; i < 32; i++)
		r |= (x >> i & 1) << (31 - i);
	return r;
}

static int sign24(unsigned x)
{
	return (int)(x << 8) >> 8;
}

static void intrinsics_reference(u64 x, u64 y, s64 *o)
{
	unsigned ux = (unsigned)x, uy = (unsigned)y, s = (unsigned)(y >> 32), c;
	u64 pair = (u64)uy << 32 | ux;
	int ix = (int)ux, iy = (int)uy;
	s64 dist;

	o[0] = (int)(((s64)ix * iy) >> 32);
	o[1] = (s64)(((u64)ux * uy) >> 32);
	o[2] = (s64)(((__int128)(s64)x * (s64)y) >> 64);
	o[3] = (s64)(u64)(((unsigned __int128)x * y) >> 64);
	o[4] = (int)(unsigned)((s64)sign24(ux) * sign24(uy));
	o[5] = (unsigned)((u64)(ux & 0xffffff) * (uy & 0xffffff));
	o[6] = ux ? __builtin_clz(ux) : 32;
	o[7] = x ? __builtin_clzll(x) : 64;
	o[8] = __builtin_popcount(ux);
	o[9] = __builtin_popcountll(x);
	o[10] = reverse32(ux);
	o[11] = (s64)((u64)reverse32((unsigned)x) << 32 | reverse32((unsigned)(x >> 32)));
	o[12] = __builtin_ffs(ix);
	o[13] = __builtin_ffsll((s64)x);
	o[14] = (unsigned)(pair << (s & 31) >> 32);
	o[15] = (unsigned)(pair >> (s & 31));
	c = (s & 63) < 32 ? s & 63 : 32;
	o[16] = c == 32 ? ux : (unsigned)(pair << c >> 32);
	o[17] = (unsigned)(pair >> c);
	o[18] = 0;
	for (int i = 0; i < 4; i++)
		o[18] |= (s64)(pair >> 8 * (s >> 4 * i & 7) & 0xff) << 8 * i;
	dist = (s64)ix - iy;
	o[19] = (unsigned)((u64)(dist < 0 ? -dist : dist) + s);
	dist = (s64)ux - (s64)uy;
	o[20] = (unsigned)((u64)(dist < 0 ? -dist : dist) + s);
	o[21] = ((s64)ix + iy) >> 1;
	o[22] = ((s64)ix + iy + 1) >> 1;
	o[23] = ((s64)ux + uy) >> 1;
	o[24] = ((s64)ux + uy + 1) >> 1;
	o[25] = ix < iy ? ix : iy;
	o[26] = ux > uy ? ux : uy;
	o[27] = (s64)x < (s64)y ? (s64)x : (s64)y;
	o[28] = (s64)(x > y ? x : y);
	o[29] = ix == INT32_MIN ? 0 : ix < 0 ? -ix : ix;
	o[30] = (s64)x == INT64_MIN ? 0 : (s64)x < 0 ? -(s64)x : (s64)x;
}

static void check_intrinsics(void)
{
	u64 a[N], b[N], *da, *db;
	s64 want[INTRINSICS], *dev = device_new<s64>(N * INTRINSICS);
	std::vector<s64> got(N * INTRINSICS);
	struct lcg g = { 12 };
	char what[96];

	for (int i = 0; i < N; i++) {
		a[i] = any_value<u64>(&g, i);
		b[i] = any_value<u64>(&g, i / 3);
	}
	da = device_from(a, N);
	db = device_from(b, N);
	intrinsics<<<(N + BDIM - 1) / BDIM, BDIM>>>(da, db, dev, N);
	CHECK_LAUNCH();
	host_from(got.data(), dev, N * INTRINSICS);
	for (int i = 0; i < N; i++) {
		intrinsics_reference(a[i], b[i], want);
		for (int k = 0; k < INTRINSICS; k++) {
			snprintf(what, sizeof(what), "intrinsic %d of (%#llx, %#llx)", k, a[i],
				 b[i]);
			expect_same(what, i, got[i * INTRINSICS + k], want[k]);
		}
	}
	CHECK(cudaFree(da));
	CHECK(cudaFree(db));
	CHECK(cudaFree(dev));
}

/*
 * Conversions with a rounding of their own; out of range they saturate, and a float NaN becomes 0.
 */
#define ROUNDINGS 16

__global__ void roundings(const float *f, const double *d, s64 *out, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i >= n)
		return;
	s64 *o = out + i * ROUNDINGS;

	o[0] = __float2int_rn(f[i]);
	o[1] = __float2int_rz(f[i]);
	o[2] = __float2int_ru(f[i]);
	o[3] = __float2int_rd(f[i]);
	o[4] = __float2uint_rz(f[i]);
	o[5] = __float2ll_rn(f[i]);
	o[6] = (s64)__float2ull_rz(f[i]);
	o[7] = __double2int_rn(d[i]);
	o[8] = __double2int_rz(d[i]);
	o[9] = __double2uint_rn(d[i]);
	o[10] = __double2ll_rd(d[i]);
	o[11] = __float_as_int(f[i]);
	o[12] = __float_as_int(__int2float_rn((int)__double2ll_rz(d[i])));
	o[13] = __double_as_longlong(d[i]);
	o[14] = __double2hiint(d[i]);
	o[15] = __double_as_longlong(__hiloint2double(__double2hiint(d[i]), __double2loint(d[i])));
}

static s64 clamp(long double x, long double lo, long double hi)
{
	if (x != x)
		return 0;
	if (x <= lo)
		return (s64)lo;
	if (x >= hi)
		return (s64)(u64)hi;
	return x < 0 ? (s64)x : (s64)(u64)x;
}

static void check_roundings(void)
{
	const float odd[] = { 0.5f,  1.5f,   -0.5f,    -2.5f, 3e9f, -3e9f,
			      1e20f, -1e20f, INFINITY, NAN,   2.5f };
	const long double i32 = INT32_MAX, u32 = UINT32_MAX, s64max = 0x1p63L - 1,
			  u64max = 0x1p64L - 1;
	float f[N], *df;
	double d[N], *dd;
	s64 *dev = device_new<s64>(N * ROUNDINGS);
	std::vector<s64> got(N * ROUNDINGS);
	struct lcg g = { 55 };
	char what[64];

	for (int i = 0; i < N; i++) {
		f[i] = i < 11 ? odd[i] :
				lcg_float(&g, -1.0f, 1.0f) * exp2f((float)lcg_below(&g, 34));
		d[i] = i < 11 ? (double)odd[i] :
				lcg_double(&g, -1, 1) * exp2((double)lcg_below(&g, 34));
	}
	df = device_from(f, N);
	dd = device_from(d, N);
	roundings<<<(N + BDIM - 1) / BDIM, BDIM>>>(df, dd, dev, N);
	CHECK_LAUNCH();
	host_from(got.data(), dev, N * ROUNDINGS);
	for (int i = 0; i < N; i++) {
		s64 w[ROUNDINGS];
		float as_float;
		int bits;

		w[0] = clamp(rintf(f[i]), -i32 - 1, i32);
		w[1] = clamp(truncf(f[i]), -i32 - 1, i32);
		w[2] = clamp(ceilf(f[i]), -i32 - 1, i32);
		w[3] = clamp(floorf(f[i]), -i32 - 1, i32);
		w[4] = clamp(truncf(f[i]), 0, u32);
		w[5] = clamp(rintf(f[i]), -s64max - 1, s64max);
		w[6] = clamp(truncf(f[i]), 0, u64max);
		w[7] = clamp(rint(d[i]), -i32 - 1, i32);
		w[8] = clamp(trunc(d[i]), -i32 - 1, i32);
		w[9] = clamp(rint(d[i]), 0, u32);
		w[10] = clamp(floor(d[i]), -s64max - 1, s64max);
		memcpy(&bits, &f[i], sizeof(bits));
		w[11] = bits;
		as_float = (float)(int)clamp(trunc(d[i]), -s64max - 1, s64max);
		memcpy(&bits, &as_float, sizeof(bits));
		w[12] = bits;
		memcpy(&w[13], &d[i], sizeof(w[13]));
		w[14] = w[13] >> 32;
		w[15] = w[13];
		for (int k = 0; k < ROUNDINGS; k++) {
			/*
			 * What NaN becomes beyond 32 bits depends on the version of the PTX manual.
			 */
			if (f[i] != f[i] && k >= 5 && k != 11 && k < 13)
				continue;
			snprintf(what, sizeof(what), "rounding %d of %.9g or %.17g", k, f[i], d[i]);
			expect_same(what, i, got[i * ROUNDINGS + k], w[k]);
		}
	}
	CHECK(cudaFree(df));
	CHECK(cudaFree(dd));
	CHECK(cudaFree(dev));
}

int main(int argc, char **argv)
{
	parse_size(argc, argv, "integer_ops", NULL, 0, 0, 0);
	check_c<signed char>("signed char");
	check_c<unsigned char>("unsigned char");
	check_c<short>("short");
	check_c<unsigned short>("unsigned short");
	check_c<int>("int");
	check_c<unsigned>("unsigned");
	check_c<s64>("long long");
	check_c<u64>("unsigned long long");
	check_convert<signed char>("signed char");
	check_convert<unsigned char>("unsigned char");
	check_convert<short>("short");
	check_convert<unsigned short>("unsigned short");
	check_convert<int>("int");
	check_convert<unsigned>("unsigned");
	check_convert<s64>("long long");
	check_convert<u64>("unsigned long long");
	check_convert<float>("float");
	check_convert<double>("double");
	check_intrinsics();
	check_roundings();
	return finish();
}

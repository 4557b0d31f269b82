/* SPDX-License-Identifier: MIT */
/*
 * simd_intrinsics: __v...2() and __v...4(), on two halves or four bytes of a word, against plain
 * arithmetic on each of them: all pairs of bytes, and halves from a list with the limits.
 */
#include "../common.h"

#define N (1 << 15)	/* words */

/*
 * X(name, formula of an element): a and b are the elements, exact; lo and hi the limits of a signed
 * element, top that of an unsigned one.
 */
#define SIGNED_OPS(X) \
	X(vabs, a < 0 ? -a : a) X(vabsss, a == lo ? hi : a < 0 ? -a : a) \
	X(vabsdiffs, a < b ? b - a : a - b) X(vaddss, within(a + b, lo, hi)) \
	X(vavgs, a + b >= 0 ? (a + b + 1) >> 1 : (a + b) >> 1) X(vcmpges, a >= b ? -1 : 0) \
	X(vcmpgts, a > b ? -1 : 0) X(vcmples, a <= b ? -1 : 0) X(vcmplts, a < b ? -1 : 0) \
	X(vmaxs, a > b ? a : b) X(vmins, a < b ? a : b) X(vneg, -a) X(vnegss, within(-a, lo, hi)) \
	X(vsetges, a >= b) X(vsetgts, a > b) X(vsetles, a <= b) X(vsetlts, a < b) \
	X(vsubss, within(a - b, lo, hi))
#define UNSIGNED_OPS(X) \
	X(vabsdiffu, a < b ? b - a : a - b) X(vadd, a + b) X(vaddus, within(a + b, 0, top)) \
	X(vavgu, (a + b + 1) >> 1) X(vcmpeq, a == b ? -1 : 0) X(vcmpgeu, a >= b ? -1 : 0) \
	X(vcmpgtu, a > b ? -1 : 0) X(vcmpleu, a <= b ? -1 : 0) X(vcmpltu, a < b ? -1 : 0) \
	X(vcmpne, a != b ? -1 : 0) X(vhaddu, (a + b) >> 1) X(vmaxu, a > b ? a : b) \
	X(vminu, a < b ? a : b) X(vseteq, a == b) X(vsetgeu, a >= b) X(vsetgtu, a > b) \
	X(vsetleu, a <= b) X(vsetltu, a < b) X(vsetne, a != b) X(vsub, a - b) \
	X(vsubus, within(a - b, 0, top))

static int within(int x, int lo, int hi)
{
	return x < lo ? lo : x > hi ? hi : x;
}

/* One source where the function takes one. */
template <class R> __device__ R call(R (*f)(R), R a, R b) { (void)b; return f(a); }
template <class R> __device__ R call(R (*f)(R, R), R a, R b) { return f(a, b); }

#define KERNELS(name, formula) \
	__global__ void name##_2(const unsigned *a, const unsigned *b, unsigned *out) \
	{ \
		int i = blockIdx.x * blockDim.x + threadIdx.x; \
\
		out[i] = call<unsigned>(__##name##2, a[i], b[i]); \
	} \
	__global__ void name##_4(const unsigned *a, const unsigned *b, unsigned *out) \
	{ \
		int i = blockIdx.x * blockDim.x + threadIdx.x; \
\
		out[i] = call<unsigned>(__##name##4, a[i], b[i]); \
	}
SIGNED_OPS(KERNELS)
UNSIGNED_OPS(KERNELS)

__global__ void sums(const unsigned *a, const unsigned *b, unsigned *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	out[i] = __vsads2(a[i], b[i]) + 3 * __vsadu2(a[i], b[i]) + 5 * __vsads4(a[i], b[i]) +
		 7 * __vsadu4(a[i], b[i]);
}

static unsigned a[N], b[N], got[N];

static int element(unsigned word, int lane, int bits, bool sign)
{
	unsigned value = word >> lane * bits & ((1u << bits) - 1);

	return sign && value >> (bits - 1) ? (int)value - (1 << bits) : (int)value;
}

template <class F>
static void compare(const char *name, int bits, bool sign, F formula)
{
	unsigned mask = (1u << bits) - 1;

	for (int i = 0; i < N && test.wrong < 16; i++) {
		unsigned want = 0;

		for (int lane = 0; lane < 32 / bits; lane++)
			want |= ((unsigned)formula(element(a[i], lane, bits, sign),
						   element(b[i], lane, bits, sign),
						   -(1 << (bits - 1)), (1 << (bits - 1)) - 1,
						   (int)mask) & mask) << lane * bits;
		if (got[i] != want)
			mismatch("%s%d(%08x, %08x): got %08x, expected %08x", name, 32 / bits,
				 a[i], b[i], got[i], want);
	}
}

static unsigned difference(unsigned x, unsigned y, int bits, bool sign)
{
	unsigned sum = 0;

	for (int lane = 0; lane < 32 / bits; lane++)
		sum += (unsigned)abs(element(x, lane, bits, sign) - element(y, lane, bits, sign));
	return sum;
}

int main(int argc, char **argv)
{
	static const unsigned short halves[] = { 0, 1, 2, 0x7ffe, 0x7fff, 0x8000, 0x8001, 0xfffe,
						 0xffff, 0x1234, 0xfedc };
	const int count = sizeof(halves) / sizeof(halves[0]);
	unsigned *dev_a = device_new<unsigned>(N), *dev_b = device_new<unsigned>(N);
	unsigned *out = device_new<unsigned>(N);
	struct lcg g = { 5 };

	parse_size(argc, argv, "simd_intrinsics", NULL, 0, 0, 0);
	/* all pairs of bytes are in the first half, as two words of two pairs each */
	for (int i = 0; i < N / 2; i++) {
		int first = 4 * i, k = first & 0xff;

		a[i] = (unsigned)(first >> 8 & 0xff) * 0x01010101u;
		b[i] = (unsigned)k | (unsigned)(k + 1) << 8 | (unsigned)(k + 2) << 16 |
		       (unsigned)(k + 3) << 24;
	}
	for (int i = N / 2; i < N; i++) {
		a[i] = halves[lcg_below(&g, count)] | (unsigned)halves[lcg_below(&g, count)] << 16;
		b[i] = halves[lcg_below(&g, count)] | (unsigned)halves[lcg_below(&g, count)] << 16;
	}
	CHECK(cudaMemcpy(dev_a, a, sizeof(a), cudaMemcpyHostToDevice));
	CHECK(cudaMemcpy(dev_b, b, sizeof(b), cudaMemcpyHostToDevice));
#define RUN(name, lanes, sign, formula) \
	name##_##lanes<<<N / 256, 256>>>(dev_a, dev_b, out); \
	CHECK_LAUNCH(); \
	host_from(got, out, N); \
	compare(#name, 32 / lanes, sign, [](int a, int b, int lo, int hi, int top) { \
		(void)b, (void)lo, (void)hi, (void)top; \
		return (int)(formula); \
	});
#define RUN_SIGNED(name, formula)	RUN(name, 2, true, formula) RUN(name, 4, true, formula)
#define RUN_UNSIGNED(name, formula)	RUN(name, 2, false, formula) RUN(name, 4, false, formula)
	SIGNED_OPS(RUN_SIGNED)
	UNSIGNED_OPS(RUN_UNSIGNED)
	sums<<<N / 256, 256>>>(dev_a, dev_b, out);
	CHECK_LAUNCH();
	host_from(got, out, N);
	for (int i = 0; i < N; i++)
		expect_same("sums of differences", i, got[i],
			    difference(a[i], b[i], 16, true) +
				    3 * difference(a[i], b[i], 16, false) +
				    5 * difference(a[i], b[i], 8, true) +
				    7 * difference(a[i], b[i], 8, false));
	CHECK(cudaFree(dev_a));
	CHECK(cudaFree(dev_b));
	CHECK(cudaFree(out));
	return finish();
}

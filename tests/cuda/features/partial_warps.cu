/* SPDX-License-Identifier: MIT */
/*
 * partial_warps: single PTX instructions of every kind and operand width, executed by some lanes of
 * a warp only. The lanes that take part must get what they get in a full warp, the others keep
 * their values: nothing that runs in a branch may touch the registers of lanes that wait behind it.
 */
#include "../common.h"

typedef unsigned long long u64;

struct inputs {
	unsigned r[4];
	u64 l[4];
	float f[4];
	double d[4];
};

/* name, type and constraint of the result, operands: r 32-bit, l 64-bit, f float, d double */
#define OP2(X, op, T, t, a) X(op, T, t, "%1, %2", a(0), a(1))
#define OP1(X, op, T, t, a) X(op, T, t, "%1", a(0), a(1))
#define IN_r(k) "r"(x.r[k])
#define IN_l(k) "l"(x.l[k])
#define IN_f(k) "f"(x.f[k])
#define IN_d(k) "d"(x.d[k])

#define INT2(X, T, t, IN, s)                                                                       \
	OP2(X, "add" s, T, t, IN) OP2(X, "sub" s, T, t, IN) OP2(X, "mul.lo" s, T, t, IN)           \
	OP2(X, "mul.hi" s, T, t, IN) OP2(X, "min" s, T, t, IN) OP2(X, "max" s, T, t, IN)           \
	OP2(X, "div" s, T, t, IN) OP2(X, "rem" s, T, t, IN)
#define BITS(X, T, t, IN, s)                                                                       \
	OP2(X, "and" s, T, t, IN) OP2(X, "or" s, T, t, IN) OP2(X, "xor" s, T, t, IN)               \
	OP1(X, "not" s, T, t, IN) OP1(X, "brev" s, T, t, IN)                                       \
	X("shl" s, T, t, "%1, %2", IN(0), IN_r(1)) OP1(X, "mov" s, T, t, IN)                       \
	OP1(X, "popc" s, unsigned, "r", IN) OP1(X, "clz" s, unsigned, "r", IN)
#define SHIFT(X, T, t, IN, s) X("shr" s, T, t, "%1, %2", IN(0), IN_r(1))
#define WIDE(X, s) OP2(X, "mul.wide" s, u64, "l", IN_r)
#define SIGN(X, T, t, IN, s) OP1(X, "neg" s, T, t, IN) OP1(X, "abs" s, T, t, IN)
#define ARITH(X, T, t, IN, s)                                                                      \
	OP2(X, "add.rn" s, T, t, IN) OP2(X, "sub.rn" s, T, t, IN) OP2(X, "mul.rn" s, T, t, IN)     \
	OP2(X, "div.rn" s, T, t, IN) OP2(X, "min" s, T, t, IN) OP2(X, "max" s, T, t, IN)           \
	X("fma.rn" s, T, t, "%1, %2, %1", IN(0), IN(1)) OP2(X, "add.rz" s, T, t, IN)               \
	OP1(X, "sqrt.rn" s, T, t, IN) OP1(X, "rcp.rn" s, T, t, IN) OP1(X, "cvt.rni" s s, T, t, IN) \
	OP1(X, "cvt.rzi" s s, T, t, IN) OP1(X, "cvt.rmi" s s, T, t, IN)                            \
	OP1(X, "cvt.rpi" s s, T, t, IN) SIGN(X, T, t, IN, s)
#define CVT(X, T, t, IN, to, from) OP1(X, "cvt" to from, T, t, IN)
#define TO_INT(X, IN, s)                                                                           \
	CVT(X, unsigned, "r", IN, ".rzi.s32", s) CVT(X, unsigned, "r", IN, ".rni.u32", s)          \
	CVT(X, u64, "l", IN, ".rzi.s64", s) CVT(X, u64, "l", IN, ".rzi.u64", s)
#define TO_FLOAT(X, T, t, s)                                                                       \
	CVT(X, T, t, IN_r, ".rn" s, ".s32") CVT(X, T, t, IN_r, ".rn" s, ".u32")                    \
	CVT(X, T, t, IN_l, ".rn" s, ".s64") CVT(X, T, t, IN_l, ".rz" s, ".u64")
#define APPROX(X, op) OP1(X, op ".approx.f32", float, "f", IN_f)

#define ALL(X)                                                                                     \
	INT2(X, unsigned, "r", IN_r, ".s32") INT2(X, unsigned, "r", IN_r, ".u32")                  \
	INT2(X, u64, "l", IN_l, ".s64") INT2(X, u64, "l", IN_l, ".u64")                            \
	BITS(X, unsigned, "r", IN_r, ".b32") BITS(X, u64, "l", IN_l, ".b64")                       \
	SHIFT(X, unsigned, "r", IN_r, ".s32") SHIFT(X, unsigned, "r", IN_r, ".u32")                \
	SHIFT(X, u64, "l", IN_l, ".s64") SHIFT(X, u64, "l", IN_l, ".u64")                          \
	WIDE(X, ".s32") WIDE(X, ".u32") SIGN(X, unsigned, "r", IN_r, ".s32")                       \
	SIGN(X, u64, "l", IN_l, ".s64") ARITH(X, float, "f", IN_f, ".f32")                         \
	ARITH(X, double, "d", IN_d, ".f64") TO_INT(X, IN_f, ".f32") TO_INT(X, IN_d, ".f64")        \
	TO_FLOAT(X, float, "f", ".f32") TO_FLOAT(X, double, "d", ".f64")                           \
	CVT(X, float, "f", IN_d, ".rn.f32", ".f64") CVT(X, double, "d", IN_f, ".f64", ".f32")      \
	CVT(X, u64, "l", IN_r, ".u64", ".u32") CVT(X, u64, "l", IN_r, ".s64", ".s32")              \
	CVT(X, unsigned, "r", IN_l, ".u32", ".u64") CVT(X, unsigned, "r", IN_r, ".s32", ".s8")     \
	APPROX(X, "sin") APPROX(X, "cos") APPROX(X, "ex2") APPROX(X, "lg2") APPROX(X, "rsqrt")     \
	APPROX(X, "rcp") APPROX(X, "sqrt") OP2(X, "div.approx.f32", float, "f", IN_f)              \
	X("mad.lo.s32", unsigned, "r", "%1, %2, %1", IN_r(0), IN_r(1))                             \
	X("mad.lo.s64", u64, "l", "%1, %2, %1", IN_l(0), IN_l(1))                                  \
	X("mad.wide.u32", u64, "l", "%1, %1, %2", IN_r(0), IN_l(1))                                \
	X("prmt.b32", unsigned, "r", "%1, %2, 0x3715", IN_r(0), IN_r(1))                           \
	X("shf.l.wrap.b32", unsigned, "r", "%1, %2, %1", IN_r(0), IN_r(1))                         \
	X("bfe.u32", unsigned, "r", "%1, 5, 9", IN_r(0), IN_r(1))                                  \
	X("bfe.s64", u64, "l", "%1, 7, 41", IN_l(0), IN_l(1))                                      \
	X("bfi.b32", unsigned, "r", "%1, %2, 4, 11", IN_r(0), IN_r(1))

#define FIRST 1000

enum {
#define COUNT(op, T, t, text, a, b) +1
	OPS = 0 ALL(COUNT)
};

/* One kernel an instruction; its number is the template argument. */
template <int N>
__global__ void one_op(const inputs *__restrict__ in, unsigned mask, unsigned *r, u64 *l, float *f,
		       double *d);

__device__ inline void put(unsigned v, int t, unsigned *r, u64 *, float *, double *)
{
	r[t] = v;
}

__device__ inline void put(u64 v, int t, unsigned *, u64 *l, float *, double *)
{
	l[t] = v;
}

__device__ inline void put(float v, int t, unsigned *, u64 *, float *f, double *)
{
	f[t] = v;
}

__device__ inline void put(double v, int t, unsigned *, u64 *, float *, double *d)
{
	d[t] = v;
}

/* __COUNTER__ numbers the kernels in the order of the list. */
enum { BASE = __COUNTER__ + 1 };
#define KERNEL(op, T, t, text, a, b)                                                               \
	template <>                                                                                \
	__global__ void one_op<__COUNTER__ - BASE>(const inputs *__restrict__ in, unsigned mask,   \
						   unsigned *r, u64 *l, float *f, double *d)       \
	{                                                                                          \
		int i = threadIdx.x;                                                               \
		T v = (T)(FIRST + i);                                                              \
                                                                                                   \
		if (mask >> i & 1) {                                                               \
			inputs x = in[i];                                                          \
                                                                                                   \
			asm volatile(op " %0, " text ";" : "+" t(v) : a, b);                       \
		}                                                                                  \
		put(v, i, r, l, f, d);                                                             \
	}
ALL(KERNEL)

static const char *const op_name[OPS] = {
#define NAME(op, T, t, text, a, b) op,
	ALL(NAME)
};

/* Where an instruction writes: the index of the result array, known from its type. */
template <typename T> struct place;
template <> struct place<unsigned> { enum { at = 0 }; };
template <> struct place<u64> { enum { at = 1 }; };
template <> struct place<float> { enum { at = 2 }; };
template <> struct place<double> { enum { at = 3 }; };

static const int op_place[OPS] = {
#define PLACE(op, T, t, text, a, b) place<T>::at,
	ALL(PLACE)
};

struct results {
	unsigned r[32];
	u64 l[32];
	float f[32];
	double d[32];
};

static u64 bits_of(const results &x, int where, int lane)
{
	u64 v = 0;

	switch (where) {
	case 0:
		return x.r[lane];
	case 1:
		return x.l[lane];
	case 2:
		memcpy(&v, &x.f[lane], sizeof(float));
		return v;
	default:
		memcpy(&v, &x.d[lane], sizeof(double));
		return v;
	}
}

typedef void (*kernel)(const inputs *, unsigned, unsigned *, u64 *, float *, double *);

template <int N> struct table {
	static void fill(kernel *k)
	{
		table<N - 1>::fill(k);
		k[N - 1] = one_op<N - 1>;
	}
};

template <> struct table<0> {
	static void fill(kernel *) {}
};

static results run(kernel k, const inputs *in, unsigned mask, results *dev)
{
	results got;

	k<<<1, 32>>>(in, mask, dev->r, dev->l, dev->f, dev->d);
	CHECK(cudaGetLastError());
	host_from(&got, dev, 1);
	return got;
}

int main(int argc, char **argv)
{
	int rounds =
		(int)parse_size(argc, argv, "partial_warps", "rounds of random inputs", 1, 1, 1000);
	static kernel kernels[OPS];
	inputs in[32], *dev_in;
	results first, *dev = device_new<results>(1);
	struct lcg g = { 32 };

	table<OPS>::fill(kernels);
	for (int i = 0; i < 32; i++) {
		first.r[i] = FIRST + i;
		first.l[i] = FIRST + i;
		first.f[i] = FIRST + i;
		first.d[i] = FIRST + i;
	}
	for (int round = 0; round < rounds; round++) {
		for (int i = 0; i < 32; i++)
			for (int k = 0; k < 4; k++) {
				in[i].r[k] = lcg_u32(&g) >> lcg_below(&g, 31) | 1;
				in[i].l[k] = lcg_u64(&g) >> lcg_below(&g, 63) | 1;
				in[i].f[k] = lcg_float(&g, -1.0f, 1.0f) *
					     (float)(1 << lcg_below(&g, 30));
				in[i].d[k] = lcg_double(&g, -1, 1) *
					     exp2((double)lcg_below(&g, 300) - 150);
			}
		dev_in = device_from(in, 32);
		for (int op = 0; op < OPS; op++) {
			const unsigned masks[] = { 1u, 0x55555555u, 0x80000000u, lcg_u32(&g) };
			results full = run(kernels[op], dev_in, 0xffffffffu, dev);

			for (unsigned mask : masks) {
				results part = run(kernels[op], dev_in, mask, dev);

				for (int i = 0; i < 32; i++) {
					bool in_it = mask >> i & 1;
					u64 got = bits_of(part, op_place[op], i);
					u64 want = bits_of(in_it ? full : first, op_place[op], i);

					if (got != want)
						mismatch(
							"%s in lane %d, %s the mask %#x: got "
							"%#llx, expected %#llx",
							op_name[op], i, in_it ? "in" : "not in",
							mask, got, want);
				}
			}
		}
		CHECK(cudaFree(dev_in));
	}
	CHECK(cudaFree(dev));
	return finish();
}

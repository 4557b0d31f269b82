/* SPDX-License-Identifier: MIT */
/*
 * dpx: the functions for dynamic programming, __vimax3_s32() and so on, in a kernel and on the
 * host, against the documented formulas in 64 bits, on all triples of a list with the limits of
 * words and halves.
 */
#include "../common.h"

typedef long long s64;
typedef unsigned int u32;

static const u32 values[] = {
	0, 1, 2, 5, 0x7fffffff, 0x80000000, 0x80000001, 0xffffffff, 0xfffffffb, 0x7fff8000,
	0x80007fff, 0x0001ffff, 0xffff0001, 0x00060005, 0x12345678,
};
#define VALUES ((int)(sizeof(values) / sizeof(*values)))
#define N (VALUES * VALUES * VALUES)

/* How a function is called and what its elements are of. */
enum form { S32, U32, S16X2, U16X2 };

/*
 * X(name, form, formula): a, b, c are an element of each source, exact; wrap() cuts a sum to an
 * element.
 */
#define THREE(X) \
	X(vimax3_s32, S32, most(most(a, b), c)) X(vimax3_u32, U32, most(most(a, b), c)) \
	X(vimax3_s16x2, S16X2, most(most(a, b), c)) X(vimax3_u16x2, U16X2, most(most(a, b), c)) \
	X(vimin3_s32, S32, least(least(a, b), c)) X(vimin3_u32, U32, least(least(a, b), c)) \
	X(vimin3_s16x2, S16X2, least(least(a, b), c)) \
	X(vimin3_u16x2, U16X2, least(least(a, b), c)) \
	X(vimax3_s32_relu, S32, most(most(most(a, b), c), 0)) \
	X(vimax3_s16x2_relu, S16X2, most(most(most(a, b), c), 0)) \
	X(vimin3_s32_relu, S32, most(least(least(a, b), c), 0)) \
	X(vimin3_s16x2_relu, S16X2, most(least(least(a, b), c), 0)) \
	X(viaddmax_s32, S32, most(wrap(a + b), c)) X(viaddmax_u32, U32, most(wrap(a + b), c)) \
	X(viaddmax_s16x2, S16X2, most(wrap(a + b), c)) \
	X(viaddmax_u16x2, U16X2, most(wrap(a + b), c)) \
	X(viaddmin_s32, S32, least(wrap(a + b), c)) X(viaddmin_u32, U32, least(wrap(a + b), c)) \
	X(viaddmin_s16x2, S16X2, least(wrap(a + b), c)) \
	X(viaddmin_u16x2, U16X2, least(wrap(a + b), c)) \
	X(viaddmax_s32_relu, S32, most(most(wrap(a + b), c), 0)) \
	X(viaddmax_s16x2_relu, S16X2, most(most(wrap(a + b), c), 0)) \
	X(viaddmin_s32_relu, S32, most(least(wrap(a + b), c), 0)) \
	X(viaddmin_s16x2_relu, S16X2, most(least(wrap(a + b), c), 0))
#define TWO(X) \
	X(vimax_s32_relu, S32, most(most(a, b), 0)) \
	X(vimax_s16x2_relu, S16X2, most(most(a, b), 0)) \
	X(vimin_s32_relu, S32, most(least(a, b), 0)) \
	X(vimin_s16x2_relu, S16X2, most(least(a, b), 0))
/* The formula of what the predicate says; c is 1 where it is true. */
#define CHOICE(X) \
	X(vibmax_s32, S32, a >= b) X(vibmax_u32, U32, a >= b) \
	X(vibmin_s32, S32, a <= b) X(vibmin_u32, U32, a <= b)
#define CHOICES(X) \
	X(vibmax_s16x2, S16X2, a >= b) X(vibmax_u16x2, U16X2, a >= b) \
	X(vibmin_s16x2, S16X2, a <= b) X(vibmin_u16x2, U16X2, a <= b)

static s64 most(s64 x, s64 y) { return x < y ? y : x; }
static s64 least(s64 x, s64 y) { return x < y ? x : y; }

/* @value as an element of @form, which is @bits wide. */
static s64 cut(s64 value, form f, int bits)
{
	s64 low = value & ((1ll << bits) - 1);

	return (f == S32 || f == S16X2) && low >> (bits - 1) ? low - (1ll << bits) : low;
}

static void triple(int i, u32 *a, u32 *b, u32 *c)
{
	*a = values[i % VALUES];
	*b = values[i / VALUES % VALUES];
	*c = values[i / VALUES / VALUES];
}

#define LAMBDA(f, formula) \
	[](s64 a, s64 b, s64 c, int bits) -> s64 { \
		auto wrap = [bits](s64 sum) { return cut(sum, f, bits); }; \
	\
		(void)c, (void)wrap; \
		return formula; \
	}

template <class F> static u32 wanted(F formula, form f, u32 a, u32 b, u32 c)
{
	int bits = f == S32 || f == U32 ? 32 : 16;
	u32 word = 0;

	for (int at = 0; at < 32; at += bits)
		word |= ((u32)formula(cut(a >> at, f, bits), cut(b >> at, f, bits),
				      cut(c >> at, f, bits), bits) &
			 (u32)((1ll << bits) - 1)) << at;
	return word;
}

/* 0 to 3: bits of what the predicates say, the higher half's first. */
template <class F> static u32 wanted_choice(F formula, form f, u32 a, u32 b)
{
	if (f == S32 || f == U32)
		return (u32)formula(cut(a, f, 32), cut(b, f, 32), 0, 32);
	return (u32)formula(cut(a >> 16, f, 16), cut(b >> 16, f, 16), 0, 16) * 2 +
	       (u32)formula(cut(a, f, 16), cut(b, f, 16), 0, 16);
}

/* What a choice gives, from its predicates: elements of @a or of @b. */
static u32 chosen(form f, u32 which, u32 a, u32 b)
{
	if (f == S32 || f == U32)
		return which ? a : b;
	return ((which & 2 ? a : b) & 0xffff0000u) | ((which & 1 ? a : b) & 0xffffu);
}

struct results {
#define MEMBER(name, f, formula) u32 name;
#define CHOSEN(name, f, formula) u32 name, name##_pred;
	THREE(MEMBER) TWO(MEMBER) CHOICE(CHOSEN) CHOICES(CHOSEN)
};

static __host__ __device__ void call_all(u32 a, u32 b, u32 c, results *r)
{
	bool p, q;

#define CALL3(name, f, formula) r->name = (u32)__##name(a, b, c);
	THREE(CALL3)
#define CALL2(name, f, formula) r->name = (u32)__##name(a, b);
	TWO(CALL2)
#define CALL_CHOICE(name, f, formula) r->name = (u32)__##name(a, b, &p), r->name##_pred = p;
	CHOICE(CALL_CHOICE)
#define CALL_CHOICES(name, f, formula) \
	r->name = __##name(a, b, &q, &p), r->name##_pred = q * 2u + p;
	CHOICES(CALL_CHOICES)
}

__global__ void all(const u32 *v, results *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < N)
		call_all(v[i % VALUES], v[i / VALUES % VALUES], v[i / VALUES / VALUES], out + i);
}

static void compare(const char *where, const char *name, int i, u32 got, u32 want)
{
	u32 a, b, c;

	triple(i, &a, &b, &c);
	if (got != want && test.wrong < 16)
		mismatch("%s: %s(%08x, %08x, %08x): got %08x, expected %08x", where, name, a, b, c,
			 got, want);
}

static void judge(const char *where, int i, const results &r)
{
	u32 a, b, c, which;

	triple(i, &a, &b, &c);
#define JUDGE(name, f, formula) \
	compare(where, "__" #name, i, r.name, wanted(LAMBDA(f, formula), f, a, b, c));
	THREE(JUDGE)
	TWO(JUDGE)
#define JUDGE_CHOICE(name, f, formula) \
	which = wanted_choice(LAMBDA(f, formula), f, a, b); \
	compare(where, "predicates of __" #name, i, r.name##_pred, which); \
	compare(where, "__" #name, i, r.name, chosen(f, which, a, b));
	CHOICE(JUDGE_CHOICE)
	CHOICES(JUDGE_CHOICE)
}

int main(int argc, char **argv)
{
	u32 *dev = device_from(values, VALUES);
	results *out = device_new<results>(N), *got = (results *)host_alloc(N * sizeof(*got)), host;

	parse_size(argc, argv, "dpx", NULL, 0, 0, 0);
	all<<<(N + 127) / 128, 128>>>(dev, out);
	CHECK_LAUNCH();
	host_from(got, out, N);
	for (int i = 0; i < N; i++) {
		u32 a, b, c;

		triple(i, &a, &b, &c);
		judge("kernel", i, got[i]);
		call_all(a, b, c, &host);
		judge("host", i, host);
	}
	CHECK(cudaFree(dev));
	CHECK(cudaFree(out));
	free(got);
	return finish();
}

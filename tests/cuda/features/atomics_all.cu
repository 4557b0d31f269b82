/* SPDX-License-Identifier: MIT */
/*
 * atomics_all: every atomic of 32 and 64 bits, on global and on shared memory. Operations whose
 * order does not show are compared by their result; the others by what they returned: every old
 * value must have been seen exactly once.
 */
#include "../common.h"

#include <algorithm>
#include <vector>

#define BDIM 96
#define BLOCKS 5
#define N (BDIM * BLOCKS)
#define LIMIT 20u

typedef unsigned long long u64;
typedef long long s64;

enum { ADD, SUB, MIN, MAX, AND, OR, XOR, OPS };

static const char *const op_name[OPS] = { "add", "sub", "min", "max", "and", "or", "xor" };

template <typename T> struct cells {
	T v[OPS][3];
};

/* Three cells an operation, so that lanes of a warp collide in different ways. */
template <typename T> __device__ void apply(cells<T> *c, T x, int t)
{
	int k = t % 3;

	atomicAdd(&c->v[ADD][k], x);
	atomicMin(&c->v[MIN][k], x);
	atomicMax(&c->v[MAX][k], x);
	atomicAnd(&c->v[AND][k], x);
	atomicOr(&c->v[OR][k], x);
	atomicXor(&c->v[XOR][k], x);
}

__device__ inline void subtract(cells<int> *c, int x, int t)
{
	atomicSub(&c->v[SUB][t % 3], x);
}

__device__ inline void subtract(cells<unsigned> *c, unsigned x, int t)
{
	atomicSub(&c->v[SUB][t % 3], x);
}

__device__ inline void subtract(cells<u64> *c, u64 x, int t)
{
	atomicAdd(&c->v[SUB][t % 3], 0ull - x);
}

template <typename T> __global__ void on_global(const T *in, cells<T> *c)
{
	int t = blockIdx.x * BDIM + threadIdx.x;

	apply(c, in[t], t);
	subtract(c, in[t], t);
}

template <typename T> __global__ void on_shared(const T *in, cells<T> *init, cells<T> *c)
{
	__shared__ cells<T> s;
	int t = blockIdx.x * BDIM + threadIdx.x;

	if (threadIdx.x == 0)
		s = *init;
	__syncthreads();
	apply(&s, in[t], t);
	subtract(&s, in[t], t);
	__syncthreads();
	if (threadIdx.x == 0)
		c[blockIdx.x] = s;
}

template <typename T> static cells<T> first_values(void)
{
	cells<T> c;

	for (int k = 0; k < 3; k++) {
		c.v[ADD][k] = c.v[SUB][k] = c.v[XOR][k] = (T)k;
		c.v[MIN][k] = (T)1000000;
		c.v[MAX][k] = (T)5;
		c.v[AND][k] = ~(T)0;
		c.v[OR][k] = 0;
	}
	return c;
}

template <typename T> static void apply_reference(cells<T> *c, T x, int k)
{
	c->v[ADD][k] = (T)((u64)c->v[ADD][k] + (u64)x);
	c->v[SUB][k] = (T)((u64)c->v[SUB][k] - (u64)x);
	c->v[MIN][k] = std::min(c->v[MIN][k], x);
	c->v[MAX][k] = std::max(c->v[MAX][k], x);
	c->v[AND][k] &= x;
	c->v[OR][k] |= x;
	c->v[XOR][k] ^= x;
}

template <typename T>
static void compare_cells(const char *type, const char *where, const cells<T> &got,
			  const cells<T> &want)
{
	char what[64];

	for (int op = 0; op < OPS; op++) {
		snprintf(what, sizeof(what), "%s of %s, %s", op_name[op], type, where);
		compare_exact(what, got.v[op], want.v[op], 3);
	}
}

template <typename T> static void check_type(const char *type)
{
	cells<T> init = first_values<T>(), want = init, got, parts[BLOCKS], *dev, *dev_init;
	std::vector<T> in(N);
	struct lcg g = { 9 };
	T *dev_in;

	for (int i = 0; i < N; i++) {
		/* Bits that all share and bits that few have, so that and/or are not trivial. */
		in[i] = (T)((lcg_u64(&g) | (u64)0x40000010001 | (u64)1 << 30) &
			    (lcg_below(&g, 20) ? ~(u64)0x800000000040 : ~(u64)0));
		apply_reference(&want, in[i], i % 3);
	}
	dev_in = device_from(in.data(), N);
	dev_init = device_from(&init, 1);
	dev = device_from(&init, 1);
	on_global<T><<<BLOCKS, BDIM>>>(dev_in, dev);
	CHECK_LAUNCH();
	host_from(&got, dev, 1);
	compare_cells(type, "global", got, want);
	CHECK(cudaFree(dev));

	dev = device_new<cells<T> >(BLOCKS);
	on_shared<T><<<BLOCKS, BDIM>>>(dev_in, dev_init, dev);
	CHECK_LAUNCH();
	host_from(parts, dev, BLOCKS);
	for (int b = 0; b < BLOCKS; b++) {
		want = init;
		for (int i = b * BDIM; i < (b + 1) * BDIM; i++)
			apply_reference(&want, in[i], i % 3);
		compare_cells(type, "shared", parts[b], want);
	}
	CHECK(cudaFree(dev));
	CHECK(cudaFree(dev_init));
	CHECK(cudaFree(dev_in));
}

__global__ void signed_range(s64 *low, s64 *high, const s64 *in)
{
	int t = blockIdx.x * BDIM + threadIdx.x;

	atomicMin(low, in[t]);
	atomicMax(high, in[t]);
}

static void check_signed_range(void)
{
	std::vector<s64> in(N);
	struct lcg g = { 77 };
	s64 ends[2] = { 0, 0 }, *dev = device_from(ends, 2), *dev_in;

	for (int i = 0; i < N; i++)
		in[i] = (s64)lcg_u64(&g);
	dev_in = device_from(in.data(), N);
	signed_range<<<BLOCKS, BDIM>>>(dev, dev + 1, dev_in);
	CHECK_LAUNCH();
	host_from(ends, dev, 2);
	expect_same("min of long long", 0, ends[0], *std::min_element(in.begin(), in.end()));
	expect_same("max of long long", 0, ends[1], *std::max_element(in.begin(), in.end()));
	CHECK(cudaFree(dev));
	CHECK(cudaFree(dev_in));
}

/* What the operations returned, one array each. */
struct olds {
	unsigned ticket[N], inc[N], dec[N], exch[N], cas[N];
	u64 exch64[N], ticket64[N];
};

struct ends {
	unsigned ticket, inc, dec, exch, cas;
	float fadd, fexch;
	u64 exch64, ticket64;
	double dadd;
};

__global__ void returns(ends *e, olds *o)
{
	int t = blockIdx.x * BDIM + threadIdx.x;
	unsigned seen, now = e->cas;
	u64 dseen, dnow;

	o->ticket[t] = atomicAdd(&e->ticket, 1u);
	o->ticket64[t] = atomicAdd(&e->ticket64, 1ull);
	o->inc[t] = atomicInc(&e->inc, LIMIT);
	o->dec[t] = atomicDec(&e->dec, LIMIT);
	o->exch[t] = atomicExch(&e->exch, (unsigned)t + 1);
	o->exch64[t] = atomicExch(&e->exch64, (u64)t + 1);
	atomicExch(&e->fexch, (float)t);
	atomicAdd(&e->fadd, (float)(t % 7));
	/* The usual loop: add 3 with a compare-and-swap. */
	do {
		seen = now;
		now = atomicCAS(&e->cas, seen, seen + 3);
	} while (now != seen);
	o->cas[t] = now;
	/* And a double sum as one wrote it before there was an instruction for it. */
	dnow = __double_as_longlong(*(volatile double *)&e->dadd);
	do {
		dseen = dnow;
		dnow = atomicCAS((u64 *)&e->dadd, dseen,
				 (u64)__double_as_longlong(__longlong_as_double(dseen) + 0.5));
	} while (dnow != dseen);
}

/* The old values and the last value together are 0, step, 2 step, ... each `times` times. */
template <typename T>
static void each_once(const char *what, const T *old, T last, T step, unsigned modulo)
{
	std::vector<T> all(old, old + N);

	all.push_back(last);
	std::sort(all.begin(), all.end());
	std::vector<T> want(N + 1);
	for (int i = 0; i <= N; i++)
		want[i] = modulo ? (T)i % modulo * step : (T)i * step;
	std::sort(want.begin(), want.end());
	compare_exact(what, all.data(), want.data(), N + 1);
}

static void check_returns(void)
{
	ends e, *dev_e;
	olds *o = (olds *)host_alloc(sizeof(*o)), *dev_o = device_new<olds>(1);
	float fsum = 0.0f;

	memset(&e, 0, sizeof(e));
	dev_e = device_from(&e, 1);
	returns<<<BLOCKS, BDIM>>>(dev_e, dev_o);
	CHECK_LAUNCH();
	host_from(&e, dev_e, 1);
	host_from(o, dev_o, 1);
	for (int i = 0; i < N; i++)
		fsum += (float)(i % 7);
	each_once("tickets", o->ticket, e.ticket, 1u, 0);
	each_once("64-bit tickets", o->ticket64, e.ticket64, (u64)1, 0);
	each_once("exchanged", o->exch, e.exch, 1u, 0);
	each_once("64-bit exchanged", o->exch64, e.exch64, (u64)1, 0);
	each_once("inc", o->inc, e.inc, 1u, LIMIT + 1);
	/* From 0 down: LIMIT first, so the same values as many times, but for the very last. */
	expect_same("inc at the end", 0, e.inc, N % (LIMIT + 1));
	expect_same("dec at the end", 0, e.dec, (LIMIT + 1 - N % (LIMIT + 1)) % (LIMIT + 1));
	for (int i = 0; i < N; i++)
		o->dec[i] = (LIMIT + 1 - o->dec[i]) % (LIMIT + 1);
	each_once("dec", o->dec, (LIMIT + 1 - e.dec) % (LIMIT + 1), 1u, LIMIT + 1);
	each_once("compare-and-swap", o->cas, e.cas, 3u, 0);
	/* Sums of small integers and halves are exact in any order. */
	expect_same("float add", 0, e.fadd, fsum);
	expect_same("double add", 0, e.dadd, N * 0.5);
	EXPECT(e.fexch >= 0.0f && e.fexch < N && e.fexch == (float)(int)e.fexch);
	CHECK(cudaFree(dev_e));
	CHECK(cudaFree(dev_o));
	free(o);
}

__global__ void float_shared(float *out)
{
	__shared__ float sum[2];

	if (threadIdx.x < 2)
		sum[threadIdx.x] = 0.0f;
	__syncthreads();
	atomicAdd(&sum[threadIdx.x % 2], threadIdx.x * 0.25f);
	__syncthreads();
	if (threadIdx.x < 2)
		atomicAdd(&out[threadIdx.x], sum[threadIdx.x]);
}

static void check_float_shared(void)
{
	float zero[2] = { 0.0f, 0.0f }, got[2], want[2] = { 0.0f, 0.0f },
	      *dev = device_from(zero, 2);

	float_shared<<<BLOCKS, BDIM>>>(dev);
	CHECK_LAUNCH();
	host_from(got, dev, 2);
	for (int t = 0; t < BDIM; t++)
		want[t % 2] += BLOCKS * t * 0.25f;
	compare_exact("float add, shared", got, want, 2);
	CHECK(cudaFree(dev));
}

int main(int argc, char **argv)
{
	parse_size(argc, argv, "atomics_all", NULL, 0, 0, 0);
	check_type<int>("int");
	check_type<unsigned>("unsigned");
	check_type<u64>("unsigned long long");
	check_signed_range();
	check_returns();
	check_float_shared();
	return finish();
}

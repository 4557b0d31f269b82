/* SPDX-License-Identifier: MIT */
/*
 * What every CUDA program in this folder shares: argument parsing, a seeded generator, the check
 * of cudaError_t, the comparison with the CPU reference and the closing line
 *
 *	NAME: verified
 *	NAME: WRONG at WHERE: got ..., expected ...
 *
 * Exit status: 0 verified, 1 wrong or a CUDA error, 2 bad arguments. Host code only, and nothing
 * but NVIDIA's documented runtime API, so that the programs also compile with nvcc.
 */
#ifndef TESTS_CUDA_COMMON_H
#define TESTS_CUDA_COMMON_H

#include <cuda_runtime.h>

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* 2^-24: what one rounding to float may cost, relative to the result. */
#define F32_ROUND 5.9604644775390625e-8

static struct {
	const char *name;
	long wrong;
	char first[512];
} test;

/* The closing line and the exit status; every program ends in `return finish()`. */
static inline int finish(void)
{
	if (test.wrong)
		printf("%s: WRONG at %s\n", test.name, test.first);
	else
		printf("%s: verified\n", test.name);
	fflush(stdout);
	return test.wrong ? 1 : 0;
}

/* "WHERE: got X, expected Y". The first mismatch goes into the closing line, some into details. */
__attribute__((format(printf, 1, 2))) static inline void mismatch(const char *fmt, ...)
{
	char line[sizeof(test.first)];
	va_list args;

	va_start(args, fmt);
	vsnprintf(line, sizeof(line), fmt, args);
	va_end(args);
	if (!test.wrong++)
		memcpy(test.first, line, sizeof(line));
	if (test.wrong <= 16)
		printf("  mismatch at %s\n", line);
}

/* A call that must succeed: anything else ends the program, because nothing after it means much. */
#define CHECK(call) check_success((call), #call, __FILE__, __LINE__)

static inline void check_success(cudaError_t err, const char *call, const char *file, int line)
{
	if (err == cudaSuccess)
		return;
	mismatch("%s:%d, %s: got %s (%s), expected cudaSuccess", file, line, call,
		 cudaGetErrorName(err), cudaGetErrorString(err));
	exit(finish());
}

/* After a launch: a wrong configuration shows at once, a failing kernel after the wait. */
#define CHECK_LAUNCH()                                                                             \
	do {                                                                                       \
		CHECK(cudaGetLastError());                                                         \
		CHECK(cudaDeviceSynchronize());                                                    \
	} while (0)

/* A call that must fail in one documented way. */
#define EXPECT_ERROR(call, want) expect_error((call), (want), #call, __LINE__)

static inline void expect_error(cudaError_t got, cudaError_t want, const char *call, int line)
{
	if (got != want)
		mismatch("line %d, %s: got %s, expected %s", line, call, cudaGetErrorName(got),
			 cudaGetErrorName(want));
}

/* A statement about the program's state that must hold. */
#define EXPECT(cond)                                                                               \
	do {                                                                                       \
		if (!(cond))                                                                       \
			mismatch("line %d, %s: got false, expected true", __LINE__, #cond);        \
	} while (0)

static inline void usage(FILE *out, const char *what, long normal, long min, long max)
{
	fprintf(out, "usage: %s [SIZE]\n  SIZE: %s, %ld to %ld, normally %ld\n", test.name, what,
		min, max, normal);
}

/*
 * The one optional argument of every program. Features that have no size pass what = NULL.
 */
static inline long parse_size(int argc, char **argv, const char *name, const char *what,
			      long normal, long min, long max)
{
	char *end;
	long size;

	test.name = name;
	if (argc >= 2 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
		if (what)
			usage(stdout, what, normal, min, max);
		else
			printf("usage: %s\n", name);
		exit(0);
	}
	if (argc > (what ? 2 : 1)) {
		fprintf(stderr, "%s: unexpected argument '%s'; see %s --help\n", name,
			argv[argc - 1], name);
		exit(2);
	}
	if (argc < 2)
		return normal;
	errno = 0;
	size = strtol(argv[1], &end, 10);
	if (errno || end == argv[1] || *end || size < min || size > max) {
		fprintf(stderr, "%s: size '%s' is not a number from %ld to %ld\n", name, argv[1],
			min, max);
		usage(stderr, what, normal, min, max);
		exit(2);
	}
	return size;
}

/* A linear congruential generator (Knuth's MMIX constants); the high bits are the good ones. */
struct lcg {
	uint64_t state;
};

static inline uint32_t lcg_u32(struct lcg *g)
{
	g->state = g->state * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(g->state >> 32);
}

static inline uint64_t lcg_u64(struct lcg *g)
{
	uint64_t high = lcg_u32(g);

	return high << 32 | lcg_u32(g);
}

/* Uniform in [0, n). */
static inline uint32_t lcg_below(struct lcg *g, uint32_t n)
{
	return (uint32_t)((uint64_t)lcg_u32(g) * n >> 32);
}

/* Uniform in [lo, hi), with 24 random bits: exact as a float when lo is 0 and hi a power of two. */
static inline float lcg_float(struct lcg *g, float lo, float hi)
{
	return lo + (hi - lo) * ((float)(lcg_u32(g) >> 8) * (float)F32_ROUND);
}

static inline double lcg_double(struct lcg *g, double lo, double hi)
{
	return lo + (hi - lo) * ((double)(lcg_u64(g) >> 11) * 0x1p-53);
}

/* Memory of the host that is there, or the program ends saying so. */
static inline void *host_alloc(size_t bytes)
{
	void *p = calloc(1, bytes ? bytes : 1);

	if (!p) {
		fprintf(stderr, "%s: no memory for %zu bytes; take a smaller size\n", test.name,
			bytes);
		exit(1);
	}
	return p;
}

/* n elements of device memory; the same with their contents; and contents brought back. */
template <typename T> static inline T *device_new(size_t n)
{
	T *dev;

	CHECK(cudaMalloc((void **)&dev, (n ? n : 1) * sizeof(T)));
	return dev;
}

template <typename T> static inline T *device_from(const T *host, size_t n)
{
	T *dev = device_new<T>(n);

	CHECK(cudaMemcpy(dev, host, n * sizeof(T), cudaMemcpyHostToDevice));
	return dev;
}

template <typename T> static inline void host_from(T *host, const T *dev, size_t n)
{
	CHECK(cudaMemcpy(host, dev, n * sizeof(T), cudaMemcpyDeviceToHost));
}

/* What one value looks like in a mismatch. */
static inline void show(char *buf, size_t size, long long v)
{
	snprintf(buf, size, "%lld", v);
}

static inline void show(char *buf, size_t size, unsigned long long v)
{
	snprintf(buf, size, "%llu", v);
}

static inline void show(char *buf, size_t size, double v)
{
	snprintf(buf, size, "%.17g (%a)", v, v);
}

static inline void show(char *buf, size_t size, int v)
{
	show(buf, size, (long long)v);
}

static inline void show(char *buf, size_t size, long v)
{
	show(buf, size, (long long)v);
}

static inline void show(char *buf, size_t size, unsigned v)
{
	show(buf, size, (unsigned long long)v);
}

static inline void show(char *buf, size_t size, unsigned long v)
{
	show(buf, size, (unsigned long long)v);
}

/*
 * Exactly equal; floats too, but for NaN, which equals NaN, and the sign of a zero, which counts.
 */
template <typename T> static inline bool same_value(T a, T b)
{
	return a == b;
}

static inline bool same_value(double a, double b)
{
	return (a != a && b != b) || (a == b && signbit(a) == signbit(b));
}

static inline bool same_value(float a, float b)
{
	return same_value((double)a, (double)b);
}

template <typename T> static inline void expect_same(const char *what, long i, T got, T want)
{
	char g[64], w[64];

	if (same_value(got, want))
		return;
	show(g, sizeof(g), got);
	show(w, sizeof(w), want);
	mismatch("%s[%ld]: got %s, expected %s", what, i, g, w);
}

/* Every element exactly as the reference has it. */
template <typename T>
static inline void compare_exact(const char *what, const T *got, const T *want, long n)
{
	for (long i = 0; i < n; i++)
		expect_same(what, i, got[i], want[i]);
}

/* One value no further than `bound` from the reference; a NaN only where the reference is one. */
static inline void expect_near(const char *what, long i, double got, double want, double bound)
{
	if (got == want || (got != got && want != want) || fabs(got - want) <= bound)
		return;
	mismatch("%s[%ld]: got %.9g (%a), expected %.9g (%a) within %.3g", what, i, got, got, want,
		 want, bound);
}

#endif

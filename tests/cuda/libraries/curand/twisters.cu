// SPDX-License-Identifier: MIT
/*
 * cuRAND's Mersenne Twisters, MT19937 and MTGP32: the numbers of NVIDIA's library, from generators
 * of the host and of the device. What is measured is what NVIDIA's cuRAND 10.4 gives of a generator
 * of the host for the same calls one after the other. With the argument "long" so many of MT19937
 * of a generator of the host that all its sequences are used, each more than once around.
 */
#include "common.h"
#include <curand.h>

#define LONG 6000000

/* Checksums (FNV-1a, a number a step) and normal numbers: the first of each call */
static const struct measured {
	curandRngType_t type;
	unsigned long long seed, bits, uniform, uniform_double, poisson, poisson_many;
	float normal, log;
	double normal_double, log_double;
	unsigned long long bits_after;
} measured[] = {
	{ CURAND_RNG_PSEUDO_MT19937, 0, 0xbebdd6591261678eull,
	  0xc3bc8dcac1de9472ull, 0x60dfe7ce7ee74237ull, 0xa0042fd0f43167b7ull,
	  0x56fa8923c871e63eull, -0.770142794f, 1.22659874f, 4.0354398639515949, 1.3726673760084824,
	  0x51d0037c13a7291aull },
	{ CURAND_RNG_PSEUDO_MT19937, 5489, 0xd57a0f82117bc990ull,
	  0x7da080ffc88bdee0ull, 0x43ad6b3cdf374237ull, 0x7b0b6310fd467152ull,
	  0x1849a07235434affull, 2.15840816f, 2.33756304f, -1.6309219135877444, 2.0769328657991792,
	  0xcb0b5cff102a6315ull },
	{ CURAND_RNG_PSEUDO_MT19937, 0x123456789abcdefull, 0x17b10b22787b8881ull,
	  0xb3b7219a220aaaacull, 0x1f8e6b98bca74237ull, 0xa5d0ec4aabcc3023ull,
	  0xc756e9cb4b7c7e40ull, 5.20071507f, 1.31320238f, -1.2749178574186035, 1.1117624054818898,
	  0x2d730bc7d5af25bfull },
	{ CURAND_RNG_PSEUDO_MTGP32, 0ull, 0x29fb8016a2020697ull,
	  0x1052761742d51806ull, 0x2573437b9c174237ull, 0x42eb2f9bb35267e4ull,
	  0xe416ce6a7d458a0eull, -1.21907401f, 1.59767413f, 3.2533652782440186, 1.6602755109257563,
	  0x8d39f11b4640eb91ull },
	{ CURAND_RNG_PSEUDO_MTGP32, 0x123456789abcdefull, 0x7a91074e9c048cf2ull,
	  0x043bc6a97dd64440ull, 0xd37e7d0fa9174237ull, 0x5fecb847d76854b2ull,
	  0xbc2ce32f9540435cull, -0.200732708f, 1.29263115f, 2.1094146966934204, 1.5729673052677922,
	  0xb314778d02dd1aecull },
};

static void *device_memory;

static void expect_status(const char *what, curandStatus_t got, curandStatus_t want)
{
	if (got != want)
		mismatch("%s: got status %d, expected %d", what, got, want);
}
#define EXPECT_STATUS(call, want) expect_status(#call, call, want)
#define GOOD(call) EXPECT_STATUS(call, CURAND_STATUS_SUCCESS)

static unsigned long long checksum(const void *words, size_t count, size_t size)
{
	unsigned long long sum = 0xcbf29ce484222325ull;

	for (size_t i = 0; i < count; i++)
		sum = (sum ^ (size == 8 ? ((const uint64_t *)words)[i] :
					  ((const uint32_t *)words)[i])) * 0x100000001b3ull;
	return sum;
}

/* The numbers that GENERATE leaves, wherever it leaves them. */
template <class T, size_t Count, class Generate>
static void numbers_of(bool on_host, T (&numbers)[Count], Generate generate)
{
	T *to = on_host ? numbers : (T *)device_memory;

	GOOD(generate(to, Count));
	if (!on_host)
		CHECK(cudaMemcpy(numbers, to, sizeof(numbers), cudaMemcpyDeviceToHost));
}

template <class T, size_t Count, class Generate>
static void expect_sum(const char *what, bool on_host, unsigned long long want, T (&numbers)[Count],
		       Generate generate)
{
	numbers_of(on_host, numbers, generate);
	if (checksum(numbers, Count, sizeof(T)) != want)
		mismatch("%s, host %d: got %.9g %.9g %.9g ...", what, on_host, (double)numbers[0],
			 (double)numbers[1], (double)numbers[2]);
}

template <class T, size_t Count, class Generate>
static void expect_first(const char *what, bool on_host, T want, double tolerance,
			 T (&numbers)[Count], Generate generate)
{
	numbers_of(on_host, numbers, generate);
	if (!(fabs((double)numbers[0] - (double)want) <= tolerance * (1 + fabs((double)want))))
		mismatch("%s, host %d: got %.17g, expected %.17g", what, on_host,
			 (double)numbers[0], (double)want);
}

/* 55,000 numbers of MTGP32 are of all its sequences, more than once around. */
static void check_orders(bool on_host)
{
	static unsigned int numbers[55000];
	static const struct {
		int order;
		unsigned long long sum;
	} orders[] = {
		{ CURAND_ORDERING_PSEUDO_DEFAULT, 0xa70604f615845112ull },
		{ CURAND_ORDERING_PSEUDO_BEST, 0xa70604f615845112ull },
		{ CURAND_ORDERING_PSEUDO_LEGACY, 0x5a2d47e789dcc213ull },
	};

	for (const auto &row : orders) {
		curandGenerator_t g;

		if (on_host)
			GOOD(curandCreateGeneratorHost(&g, CURAND_RNG_PSEUDO_MTGP32));
		else
			GOOD(curandCreateGenerator(&g, CURAND_RNG_PSEUDO_MTGP32));
		GOOD(curandSetGeneratorOrdering(g, (curandOrdering_t)row.order));
		expect_sum("all sequences", on_host, row.sum, numbers,
			   [&](unsigned int *to, size_t count) {
				   return curandGenerate(g, to, count);
			   });
		GOOD(curandDestroyGenerator(g));
	}
}

/* Of one generator, one call after the other */
static void check_calls(bool on_host, curandGenerator_t g, const struct measured *want)
{
	static unsigned int bits[101], poisson[300], many[201], after[7];
	static float uniform[203], normal[51], log[31];
	static double uniform_double[99], normal_double[51], log_double[33];
	/* MTGP32's normal doubles are made of floats */
	double tolerance = want->type == CURAND_RNG_PSEUDO_MTGP32 ? 2e-6 : 4e-15;

#define CALL(T, call, ...) [&](T *to, size_t count) { return call(g, to, count, ##__VA_ARGS__); }
	expect_sum("bits", on_host, want->bits, bits, CALL(unsigned int, curandGenerate));
	expect_sum("uniform", on_host, want->uniform, uniform, CALL(float, curandGenerateUniform));
	expect_sum("double", on_host, want->uniform_double, uniform_double,
		   CALL(double, curandGenerateUniformDouble));
	expect_sum("Poisson", on_host, want->poisson, poisson,
		   CALL(unsigned int, curandGeneratePoisson, 30));
	expect_sum("Poisson, many", on_host, want->poisson_many, many,
		   CALL(unsigned int, curandGeneratePoisson, 3000.5));
	expect_first("normal", on_host, want->normal, 2e-6, normal,
		     CALL(float, curandGenerateNormal, 1, 2));
	expect_first("normal, double", on_host, want->normal_double, tolerance,
		     normal_double,
		     CALL(double, curandGenerateNormalDouble, 1, 2));
	expect_first("log-normal", on_host, want->log, 2e-6, log,
		     CALL(float, curandGenerateLogNormal, 0.5f, 0.25f));
	expect_first("log-normal, double", on_host, want->log_double, tolerance, log_double,
		     CALL(double, curandGenerateLogNormalDouble, 0.5, 0.25));
	expect_sum("bits after them", on_host, want->bits_after, after,
		   CALL(unsigned int, curandGenerate));
#undef CALL
}

static void check_measured(bool on_host)
{
	for (const struct measured &row : measured) {
		curandGenerator_t generator;

		if (on_host)
			GOOD(curandCreateGeneratorHost(&generator, row.type));
		else
			GOOD(curandCreateGenerator(&generator, row.type));
		if (row.seed)
			GOOD(curandSetPseudoRandomGeneratorSeed(generator, row.seed));
		check_calls(on_host, generator, &row);
		GOOD(curandDestroyGenerator(generator));
	}
}

static void check_refusals(void)
{
	unsigned int first[3], again[3];
	curandGenerator_t generator;

	GOOD(curandCreateGeneratorHost(&generator, CURAND_RNG_PSEUDO_MT19937));
	EXPECT_STATUS(curandSetGeneratorOffset(generator, 1), CURAND_STATUS_TYPE_ERROR);
	GOOD(curandSetGeneratorOrdering(generator, CURAND_ORDERING_PSEUDO_DEFAULT));
	GOOD(curandSetGeneratorOrdering(generator, CURAND_ORDERING_PSEUDO_LEGACY));
	for (int order : { CURAND_ORDERING_PSEUDO_BEST, CURAND_ORDERING_PSEUDO_SEEDED,
			   CURAND_ORDERING_PSEUDO_DYNAMIC, CURAND_ORDERING_QUASI_DEFAULT })
		EXPECT_STATUS(curandSetGeneratorOrdering(generator, (curandOrdering_t)order),
			      CURAND_STATUS_OUT_OF_RANGE);
	EXPECT_STATUS(curandSetQuasiRandomGeneratorDimensions(generator, 2),
		      CURAND_STATUS_TYPE_ERROR);
	GOOD(curandGenerate(generator, first, 3));
	GOOD(curandSetPseudoRandomGeneratorSeed(generator, 1ull << 32));
	GOOD(curandGenerate(generator, again, 3));
	if (memcmp(first, again, sizeof(first)))
		mismatch("seed 2^32: got %u, expected %u as of seed 0", again[0], first[0]);
	GOOD(curandDestroyGenerator(generator));
}

static void check_long(void)
{
	unsigned int *numbers = (unsigned int *)malloc(LONG * sizeof(*numbers));
	curandGenerator_t generator;
	unsigned long long sum;

	GOOD(curandCreateGeneratorHost(&generator, CURAND_RNG_PSEUDO_MT19937));
	GOOD(curandSetPseudoRandomGeneratorSeed(generator, 5489));
	GOOD(curandGenerateSeeds(generator));
	GOOD(curandGenerate(generator, numbers, LONG));
	GOOD(curandDestroyGenerator(generator));
	sum = checksum(numbers, LONG, sizeof(*numbers));
	if (sum != 0xbd3933cbb3dcb817ull)
		mismatch("%d numbers: got checksum 0x%016llx, expected 0xbd3933cbb3dcb817", LONG,
			 sum);
	free(numbers);
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "long")) {
		parse_size(1, argv, "twisters", NULL, 0, 0, 0);
		check_long();
		return finish();
	}
	parse_size(argc, argv, "twisters", NULL, 0, 0, 0);
	CHECK(cudaMalloc(&device_memory, 55000 * sizeof(unsigned int)));
	check_measured(true);
	check_measured(false);
	check_orders(true);
	check_orders(false);
	check_refusals();
	CHECK(cudaFree(device_memory));
	return finish();
}

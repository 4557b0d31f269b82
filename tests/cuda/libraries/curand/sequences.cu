// SPDX-License-Identifier: MIT
/*
 * cuRAND's host API: the sequences of NVIDIA's library, number for number, from generators of the
 * host and of the device: bits and uniform numbers to the last bit, normal ones within what the
 * functions of mathematics leave open. What is refused, and by which status.
 */
#include "common.h"
#include <curand.h>

#include "measured.h"

#define N 1000

static void *device_memory;

static void expect_status(const char *what, curandStatus_t got, curandStatus_t want)
{
	if (got != want)
		mismatch("%s: got status %d, expected %d", what, got, want);
}
#define EXPECT_STATUS(call, want) expect_status(#call, call, want)
#define GOOD(call) EXPECT_STATUS(call, CURAND_STATUS_SUCCESS)

static unsigned long long checksum(unsigned long long sum, const void *words, size_t count,
				   size_t size)
{
	for (size_t i = 0; i < count; i++)
		sum = (sum ^ (size == 8 ? ((const uint64_t *)words)[i] :
					  ((const uint32_t *)words)[i])) * 0x100000001b3ull;
	return sum;
}

static curandGenerator_t create(bool on_host, int type, int ordering, unsigned long long seed,
				unsigned long long offset)
{
	curandGenerator_t generator = NULL;

	if (on_host)
		GOOD(curandCreateGeneratorHost(&generator, (curandRngType_t)type));
	else
		GOOD(curandCreateGenerator(&generator, (curandRngType_t)type));
	if (!generator)
		exit(finish());
	GOOD(curandSetGeneratorOrdering(generator, (curandOrdering_t)ordering));
	GOOD(curandSetPseudoRandomGeneratorSeed(generator, seed));
	GOOD(curandSetGeneratorOffset(generator, offset));
	return generator;
}

/* Two results one after the other, at uneven places. */
template <class T, class Generate>
static unsigned long long results(bool on_host, const struct exact *row, T *numbers,
				  Generate generate)
{
	curandGenerator_t generator = create(on_host, row->type, row->ordering, row->seed,
					     row->offset);
	T *to = on_host ? numbers : (T *)device_memory;

	GOOD(generate(generator, to, N));
	GOOD(generate(generator, to + N, N));
	if (!on_host)
		CHECK(cudaMemcpy(numbers, to, 2 * N * sizeof(T), cudaMemcpyDeviceToHost));
	GOOD(curandDestroyGenerator(generator));
	return checksum(0xcbf29ce484222325ull, numbers, 2 * N, sizeof(T));
}

static void check_exact(bool on_host)
{
	static unsigned int bits[2 * N];
	static float uniform[2 * N];
	static double doubles[2 * N];

	for (size_t i = 0; i < sizeof(exact) / sizeof(*exact); i++) {
		const struct exact *row = &exact[i];
		const char *where = on_host ? "host" : "device";

		if (results(on_host, row, bits, curandGenerate) != row->bits)
			mismatch("row %zu, %s, bits: got %08x ... %08x, expected %08x ... %08x", i,
				 where, bits[0], bits[N - 1], row->first, row->last);
		if (results(on_host, row, uniform, curandGenerateUniform) != row->uniform)
			mismatch("row %zu, %s, uniform: got %a ...", i, where, uniform[0]);
		if (results(on_host, row, doubles, curandGenerateUniformDouble) !=
		    row->uniform_double)
			mismatch("row %zu, %s, double: got %a ...", i, where, doubles[0]);
	}
}

/* How far a radius times a sine may be from another's: the sine's error near a root is absolute. */
template <class T> static void expect_close(size_t row, int k, T got, T want, double tolerance)
{
	if (!(fabs((double)got - (double)want) <= tolerance * (1 + fabs((double)want))))
		mismatch("normal %zu[%d]: got %.17g, expected %.17g", row, k, (double)got,
			 (double)want);
}

static void check_normal(bool on_host)
{
	float one[4];
	double two[4];

	for (size_t i = 0; i < sizeof(normal) / sizeof(*normal); i++) {
		const struct normal *row = &normal[i];
		curandGenerator_t generator = create(on_host, row->type,
						     CURAND_ORDERING_PSEUDO_DEFAULT, row->seed, 0);
		float *to = on_host ? one : (float *)device_memory;
		double *to2 = on_host ? two : (double *)device_memory;

		for (int log = 0; log < 2; log++) {
			GOOD(curandSetGeneratorOffset(generator, 0));
			if (log)
				GOOD(curandGenerateLogNormal(generator, to, 4, 0.5f, 0.25f));
			else
				GOOD(curandGenerateNormal(generator, to, 4, 1, 2));
			if (!on_host)
				CHECK(cudaMemcpy(one, to, sizeof(one), cudaMemcpyDeviceToHost));
			GOOD(curandSetGeneratorOffset(generator, 0));
			if (log)
				GOOD(curandGenerateLogNormalDouble(generator, to2, 4, 0.5, 0.25));
			else
				GOOD(curandGenerateNormalDouble(generator, to2, 4, 1, 2));
			if (!on_host)
				CHECK(cudaMemcpy(two, to2, sizeof(two), cudaMemcpyDeviceToHost));
			for (int k = 0; k < 4; k++) {
				expect_close(i, k, one[k], log ? row->log[k] : row->normal[k],
					     2e-6);
				expect_close(i, k, two[k],
					     log ? row->log_double[k] : row->normal_double[k],
					     4e-15);
			}
		}
		GOOD(curandDestroyGenerator(generator));
	}
}

/* Pieces of any size are one sequence, whatever they are. */
static void check_pieces(void)
{
	static const int types[] = { CURAND_RNG_PSEUDO_XORWOW, CURAND_RNG_PSEUDO_MRG32K3A,
				     CURAND_RNG_PSEUDO_PHILOX4_32_10 };
	static const size_t sizes[] = { 1, 3, 4096, 7, 5000, 2 };
	static float whole[9109], piece[9109];

	for (int type : types) {
		curandGenerator_t generator = create(true, type, CURAND_ORDERING_PSEUDO_LEGACY, 5,
						     1);
		size_t at = 0;

		GOOD(curandGenerateUniform(generator, whole, 9109));
		GOOD(curandGenerateSeeds(generator));
		for (size_t size : sizes) {
			GOOD(curandGenerateUniform(generator, piece + at, size));
			at += size;
		}
		for (size_t i = 0; i < at; i++)
			if (whole[i] != piece[i]) {
				mismatch("type %d, piece [%zu]: got %a, expected %a", type, i,
					 piece[i], whole[i]);
				break;
			}
		GOOD(curandDestroyGenerator(generator));
	}
}

static void check_refusals(void)
{
	curandGenerator_t generator = create(true, CURAND_RNG_PSEUDO_DEFAULT,
					     CURAND_ORDERING_PSEUDO_BEST, 0, 0);
	unsigned long long wide;
	float numbers[3];
	int version;

	EXPECT_STATUS(curandCreateGenerator(NULL, CURAND_RNG_PSEUDO_DEFAULT),
		      CURAND_STATUS_NOT_INITIALIZED);
	EXPECT_STATUS(curandCreateGenerator(&generator, (curandRngType_t)7),
		      CURAND_STATUS_TYPE_ERROR);
	EXPECT_STATUS(curandGenerateUniform(NULL, numbers, 1), CURAND_STATUS_NOT_INITIALIZED);
	EXPECT_STATUS(curandDestroyGenerator(NULL), CURAND_STATUS_NOT_INITIALIZED);
	EXPECT_STATUS(curandGenerateNormal(generator, numbers, 3, 0, 1),
		      CURAND_STATUS_LENGTH_NOT_MULTIPLE);
	EXPECT_STATUS(curandGenerateLongLong(generator, &wide, 1), CURAND_STATUS_TYPE_ERROR);
	EXPECT_STATUS(curandSetQuasiRandomGeneratorDimensions(generator, 2),
		      CURAND_STATUS_TYPE_ERROR);
	EXPECT_STATUS(curandSetGeneratorOrdering(generator, CURAND_ORDERING_QUASI_DEFAULT),
		      CURAND_STATUS_OUT_OF_RANGE);
	GOOD(curandGenerateUniform(generator, numbers, 0));
	GOOD(curandGetVersion(&version));
	if (version / 1000 != 10)
		mismatch("version: got %d, expected 10xxx", version);
	GOOD(curandDestroyGenerator(generator));
}

int main(int argc, char **argv)
{
	parse_size(argc, argv, "sequences", NULL, 0, 0, 0);
	CHECK(cudaMalloc(&device_memory, 2 * N * sizeof(double)));
	check_exact(true);
	check_exact(false);
	check_normal(true);
	check_normal(false);
	check_pieces();
	check_refusals();
	CHECK(cudaFree(device_memory));
	return finish();
}

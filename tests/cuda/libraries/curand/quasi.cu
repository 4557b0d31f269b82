// SPDX-License-Identifier: MIT
/*
 * Sobol's sequences of cuRAND's host API, up to 20,000 dimensions: those of NVIDIA's library, from
 * generators of the host and of the device. The direction vectors that a kernel may start from are
 * the same; wrong sizes are refused.
 */
#include "common.h"
#include <curand.h>
#include <curand_kernel.h>

#include "quasi_measured.h"

#define POINTS 10
#define MAX (20000 * POINTS)

static void expect_status(const char *what, curandStatus_t got, curandStatus_t want)
{
	if (got != want)
		mismatch("%s: got status %d, expected %d", what, got, want);
}
#define EXPECT_STATUS(call, want) expect_status(#call, call, want)
#define GOOD(call) EXPECT_STATUS(call, CURAND_STATUS_SUCCESS)

static void *device_memory;

/* Checksum of two results; what is of the first stays in NUMBERS. */
template <class T, class Generate>
static unsigned long long results(bool on_host, const struct quasi *row, T *numbers,
				  Generate generate)
{
	size_t count = (size_t)row->dimensions * POINTS;
	unsigned long long sum = 0xcbf29ce484222325ull;
	T *second = (T *)malloc(2 * count * sizeof(T));
	T *to = on_host ? second : (T *)device_memory;
	curandGenerator_t generator = NULL;

	if (on_host)
		GOOD(curandCreateGeneratorHost(&generator, (curandRngType_t)row->type));
	else
		GOOD(curandCreateGenerator(&generator, (curandRngType_t)row->type));
	if (!generator)
		exit(finish());
	GOOD(curandSetQuasiRandomGeneratorDimensions(generator, row->dimensions));
	GOOD(curandSetGeneratorOffset(generator, row->offset));
	for (int i = 0; i < 2; i++) {
		GOOD(generate(generator, to, count));
		if (!on_host)
			CHECK(cudaMemcpy(second, to, count * sizeof(T), cudaMemcpyDeviceToHost));
		for (size_t k = 0; k < count; k++) {
			uint64_t word = 0;

			memcpy(&word, &second[k], sizeof(T));
			sum = (sum ^ word) * 0x100000001b3ull;
		}
		if (!i)
			memcpy(numbers, second, count * sizeof(T));
	}
	GOOD(curandDestroyGenerator(generator));
	free(second);
	return sum;
}

static curandStatus_t normal(curandGenerator_t generator, float *out, size_t count)
{
	return curandGenerateNormal(generator, out, count, 0, 1);
}

static curandStatus_t normal_double(curandGenerator_t generator, double *out, size_t count)
{
	return curandGenerateNormalDouble(generator, out, count, 0, 1);
}

static void check_row(bool on_host, size_t i)
{
	static unsigned long long bits64[MAX];
	static unsigned int bits[MAX];
	static float single[MAX];
	static double doubles[MAX];
	const struct quasi *row = &quasi[i];
	size_t at = (row->dimensions - 1) * (size_t)POINTS + 4;
	unsigned long long sum = row->type == CURAND_RNG_QUASI_SOBOL64 ?
		results(on_host, row, bits64, curandGenerateLongLong) :
		results(on_host, row, bits, curandGenerate);

	if (sum != row->bits)
		mismatch("row %zu, host %d, bits: got checksum 0x%016llx", i, on_host, sum);
	sum = results(on_host, row, single, curandGenerateUniform);
	if (sum != row->uniform)
		mismatch("row %zu, host %d, uniform: got checksum 0x%016llx", i, on_host, sum);
	sum = results(on_host, row, doubles, curandGenerateUniformDouble);
	if (sum != row->uniform_double)
		mismatch("row %zu, host %d, double: got checksum 0x%016llx", i, on_host, sum);
	results(on_host, row, single, normal);
	results(on_host, row, doubles, normal_double);
	for (int k = 0; k < 2; k++) {
		if (!(fabsf(single[at + k] - row->normal[k]) <= 1e-6f))
			mismatch("row %zu, host %d, normal: got %.9g, expected %.9g", i, on_host,
				 single[at + k], row->normal[k]);
		if (!(fabs(doubles[at + k] - row->normal_double[k]) <= 4e-15))
			mismatch("row %zu, host %d, normal: got %.17g, expected %.17g", i, on_host,
				 doubles[at + k], row->normal_double[k]);
	}
}

/* A kernel's sequence from the library's vectors is the library's. */
static __global__ void third_dimension(const unsigned int *vectors, unsigned int *out)
{
	curandStateSobol32_t state;

	curand_init(vectors, 5 + threadIdx.x, &state);
	out[threadIdx.x] = curand(&state);
}

static void check_vectors(void)
{
	curandDirectionVectors32_t *vectors;
	curandDirectionVectors64_t *vectors64;
	unsigned int *device, *out, got[POINTS], want[3 * POINTS];
	curandGenerator_t generator;

	GOOD(curandGetDirectionVectors32(&vectors, CURAND_DIRECTION_VECTORS_32_JOEKUO6));
	GOOD(curandGetDirectionVectors64(&vectors64, CURAND_DIRECTION_VECTORS_64_JOEKUO6));
	for (int i = 0; i < 20000; i += 777)
		for (int k = 0; k < 32; k++)
			if (vectors64[i][k] >> 32 != vectors[i][k] && k < 18)
				mismatch("vector %d, %d: got 0x%llx and 0x%x", i, k,
					 vectors64[i][k], vectors[i][k]);
	CHECK(cudaMalloc((void **)&device, sizeof(*vectors)));
	CHECK(cudaMalloc((void **)&out, sizeof(got)));
	CHECK(cudaMemcpy(device, vectors[2], sizeof(*vectors), cudaMemcpyHostToDevice));
	third_dimension<<<1, POINTS>>>(device, out);
	CHECK_LAUNCH();
	CHECK(cudaMemcpy(got, out, sizeof(got), cudaMemcpyDeviceToHost));
	GOOD(curandCreateGeneratorHost(&generator, CURAND_RNG_QUASI_SOBOL32));
	GOOD(curandSetQuasiRandomGeneratorDimensions(generator, 3));
	GOOD(curandSetGeneratorOffset(generator, 5));
	GOOD(curandGenerate(generator, want, 3 * POINTS));
	for (int i = 0; i < POINTS; i++)
		if (got[i] != want[2 * POINTS + i])
			mismatch("kernel [%d]: got 0x%x, expected 0x%x", i, got[i],
				 want[2 * POINTS + i]);
	EXPECT_STATUS(curandGenerate(generator, want, 7), CURAND_STATUS_LENGTH_NOT_MULTIPLE);
	EXPECT_STATUS(curandGenerateLongLong(generator, NULL, 3), CURAND_STATUS_TYPE_ERROR);
	EXPECT_STATUS(curandSetPseudoRandomGeneratorSeed(generator, 1), CURAND_STATUS_TYPE_ERROR);
	EXPECT_STATUS(curandSetQuasiRandomGeneratorDimensions(generator, 0),
		      CURAND_STATUS_OUT_OF_RANGE);
	EXPECT_STATUS(curandSetQuasiRandomGeneratorDimensions(generator, 20001),
		      CURAND_STATUS_OUT_OF_RANGE);
	GOOD(curandDestroyGenerator(generator));
	CHECK(cudaFree(device));
	CHECK(cudaFree(out));
}

int main(int argc, char **argv)
{
	parse_size(argc, argv, "quasi", NULL, 0, 0, 0);
	CHECK(cudaMalloc(&device_memory, 2 * MAX * sizeof(double)));
	for (size_t i = 0; i < sizeof(quasi) / sizeof(*quasi); i++) {
		check_row(true, i);
		/* on the device as many dimensions as take no long time in any mode */
		if (quasi[i].dimensions <= 100)
			check_row(false, i);
	}
	check_vectors();
	CHECK(cudaFree(device_memory));
	return finish();
}

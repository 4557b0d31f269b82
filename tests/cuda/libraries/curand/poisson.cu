// SPDX-License-Identifier: MIT
/*
 * cuRAND's Poisson numbers: of generators of the host and of the device, of kernels, and by a
 * distribution that the host made; those of NVIDIA's library, but for the means where a kernel has
 * numbers of its own: there their distribution is tested.
 */
#include "common.h"
#include <curand.h>
#include <curand_kernel.h>

#include "poisson_measured.h"

#define MAX 9001
#define THREADS 16
#define DRAWS 8
#define WORDS 12

static unsigned int *device_memory;

static void expect_status(const char *what, curandStatus_t got, curandStatus_t want)
{
	if (got != want)
		mismatch("%s: got status %d, expected %d", what, got, want);
}
#define EXPECT_STATUS(call, want) expect_status(#call, call, want)
#define GOOD(call) EXPECT_STATUS(call, CURAND_STATUS_SUCCESS)

static unsigned long long checksum(const unsigned int *words, size_t count)
{
	unsigned long long sum = 0xcbf29ce484222325ull;

	for (size_t i = 0; i < count; i++)
		sum = (sum ^ words[i]) * 0x100000001b3ull;
	return sum;
}

static void check_row(bool on_host, const struct poisson *row)
{
	static unsigned int numbers[MAX];
	unsigned int *to = on_host ? numbers : device_memory;
	size_t total = row->sizes[0] + row->sizes[1];
	curandGenerator_t generator = NULL;

	if (on_host)
		GOOD(curandCreateGeneratorHost(&generator, (curandRngType_t)row->type));
	else
		GOOD(curandCreateGenerator(&generator, (curandRngType_t)row->type));
	GOOD(curandGeneratePoisson(generator, to, row->sizes[0], row->mean));
	GOOD(curandGeneratePoisson(generator, to + row->sizes[0], row->sizes[1], row->mean));
	GOOD(curandDestroyGenerator(generator));
	if (!on_host)
		CHECK(cudaMemcpy(numbers, to, total * sizeof(*to), cudaMemcpyDeviceToHost));
	if (checksum(numbers, total) != row->sum)
		mismatch("type %d, mean %g, host %d: got %u ... %u, expected %u ... %u", row->type,
			 row->mean, on_host, numbers[0], numbers[total - 1], row->first, row->last);
}

/* What a thread draws from: Poisson numbers, or DISTRIBUTION's where there is one. */
struct source {
	double mean;
	curandDiscreteDistribution_t distribution;
};

template <class State> static __device__ void draw(State *state, struct source source,
						   unsigned int *out)
{
	for (int k = 0; k < DRAWS; k++)
		out[k] = source.distribution ? curand_discrete(state, source.distribution) :
					       curand_poisson(state, source.mean);
	for (int k = DRAWS; k < WORDS - 1; k++)
		out[k] = (unsigned int)curand(state);
	out[WORDS - 1] = 0;
}

template <class State> static __global__ void pseudo(struct source source, unsigned int *out)
{
	State state;

	curand_init(77, threadIdx.x, 0, &state);
	draw(&state, source, out + threadIdx.x * WORDS);
}

static __global__ void by_fours(struct source source, unsigned int *out)
{
	curandStatePhilox4_32_10_t state;

	out += threadIdx.x * WORDS;
	curand_init(77, threadIdx.x, 0, &state);
	for (int k = 0; k < DRAWS; k += 4) {
		uint4 four = source.distribution ? curand_discrete4(&state, source.distribution) :
						   curand_poisson4(&state, source.mean);

		out[k] = four.x;
		out[k + 1] = four.y;
		out[k + 2] = four.z;
		out[k + 3] = four.w;
	}
	for (int k = DRAWS; k < WORDS - 1; k++)
		out[k] = curand(&state);
	out[WORDS - 1] = 0;
}

template <class State, class Word>
static __global__ void quasi(struct source source, unsigned int *out)
{
	const int bits = 8 * sizeof(Word);
	Word vectors[bits];
	State state;

	for (int bit = 0; bit < bits; bit++)
		vectors[bit] = (Word)1 << (bits - 1 - bit);
	curand_init(vectors, (Word)(3 + threadIdx.x * 1001), &state);
	draw(&state, source, out + threadIdx.x * WORDS);
}

static void check_drawn(const char *what, const struct drawn *row, struct source source)
{
	static unsigned int numbers[THREADS * WORDS];

	switch (row->kernel) {
	case 0:
		pseudo<curandState><<<1, THREADS>>>(source, device_memory);
		break;
	case 1:
		pseudo<curandStateMRG32k3a><<<1, THREADS>>>(source, device_memory);
		break;
	case 2:
		pseudo<curandStatePhilox4_32_10_t><<<1, THREADS>>>(source, device_memory);
		break;
	case 3:
		by_fours<<<1, THREADS>>>(source, device_memory);
		break;
	case 4:
		quasi<curandStateSobol32_t, unsigned int><<<1, THREADS>>>(source, device_memory);
		break;
	default:
		quasi<curandStateSobol64_t, unsigned long long>
			<<<1, THREADS>>>(source, device_memory);
	}
	CHECK_LAUNCH();
	CHECK(cudaMemcpy(numbers, device_memory, sizeof(numbers), cudaMemcpyDeviceToHost));
	if (checksum(numbers, THREADS * WORDS) != row->sum)
		mismatch("%s, kernel %d, mean %g: got %u %u %u ...", what, row->kernel, row->mean,
			 numbers[0], numbers[1], numbers[2]);
}

#define FIT_THREADS 64
#define FIT_DRAWS 32

static __global__ void many(double mean, unsigned int *out)
{
	curandState state;

	curand_init(5, threadIdx.x, 0, &state);
	for (int k = 0; k < FIT_DRAWS; k++)
		out[threadIdx.x * FIT_DRAWS + k] = curand_poisson(&state, mean);
}

/* The numbers fall into COUNTS of about the same probability: Pearson's test. */
static void check_fit(double mean)
{
	enum { bins = 16, total = FIT_THREADS * FIT_DRAWS };
	static unsigned int numbers[total];
	double expected[bins] = { 0 }, counted[bins] = { 0 }, below = 0, statistic = 0;
	unsigned int k = 0;

	many<<<1, FIT_THREADS>>>(mean, device_memory);
	CHECK_LAUNCH();
	CHECK(cudaMemcpy(numbers, device_memory, sizeof(numbers), cudaMemcpyDeviceToHost));
	for (int bin = 0; bin < bins; bin++)
		for (; bin == bins - 1 ? k < 10000 : below < (bin + 1.0) / bins; k++) {
			double p = exp(k * log(mean) - mean - lgamma(k + 1.0));

			below += p;
			expected[bin] += p * total;
			for (int i = 0; i < total; i++)
				counted[bin] += numbers[i] == k;
		}
	for (int bin = 0; bin < bins; bin++)
		statistic += (counted[bin] - expected[bin]) * (counted[bin] - expected[bin]) /
			     expected[bin];
	/* of 15 degrees of freedom: one in a million is above */
	if (!(statistic < 56.5))
		mismatch("mean %g: got a chi-square of %g, expected less than 56.5", mean,
			 statistic);
}

static void check_refusals(void)
{
	curandDiscreteDistribution_t distribution;
	curandGenerator_t generator;
	unsigned int number;

	GOOD(curandCreateGeneratorHost(&generator, CURAND_RNG_PSEUDO_DEFAULT));
	EXPECT_STATUS(curandGeneratePoisson(NULL, &number, 1, 1), CURAND_STATUS_NOT_INITIALIZED);
	for (double mean : { 0.0, -1.0, 400000.5, (double)NAN, (double)INFINITY }) {
		EXPECT_STATUS(curandGeneratePoisson(generator, &number, 1, mean),
			      CURAND_STATUS_OUT_OF_RANGE);
		EXPECT_STATUS(curandCreatePoissonDistribution(mean, &distribution),
			      CURAND_STATUS_OUT_OF_RANGE);
	}
	EXPECT_STATUS(curandCreatePoissonDistribution(1, NULL), CURAND_STATUS_OUT_OF_RANGE);
	GOOD(curandGeneratePoisson(generator, &number, 1, 1e-300));
	if (number)
		mismatch("mean 1e-300: got %u, expected 0", number);
	GOOD(curandDestroyGenerator(generator));
	GOOD(curandCreatePoissonDistribution(1, &distribution));
	GOOD(curandDestroyDistribution(distribution));
	EXPECT_STATUS(curandDestroyDistribution(distribution), CURAND_STATUS_NOT_INITIALIZED);
}

int main(int argc, char **argv)
{
	parse_size(argc, argv, "poisson", NULL, 0, 0, 0);
	CHECK(cudaMalloc((void **)&device_memory, MAX * sizeof(*device_memory)));
	for (const struct poisson &row : poisson) {
		check_row(true, &row);
		check_row(false, &row);
	}
	for (const struct drawn &row : drawn)
		check_drawn("curand_poisson", &row, { row.mean, NULL });
	for (const struct drawn &row : discrete) {
		struct source source = { 0, NULL };

		GOOD(curandCreatePoissonDistribution(row.mean, &source.distribution));
		check_drawn("curand_discrete", &row, source);
		GOOD(curandDestroyDistribution(source.distribution));
	}
	for (double mean : { 64.0, 100.0, 1000.0, 4000.0 })
		check_fit(mean);
	check_refusals();
	CHECK(cudaFree(device_memory));
	return finish();
}

// SPDX-License-Identifier: MIT
/*
 * Sobol's sequences for the host API, of 32 and 64 bits: the points of each dimension, one
 * dimension after the other.
 */
#include <stdlib.h>

#include "engine.h"
#include "joekuo.h"

/* Points that a thread makes: the first from its index, the others each from the one before. */
#define RUN 8u

template <curand_what What> static inline __host__ __device__ auto sobol_number(unsigned int x)
{
	return curand_of_one<What>(x);
}

template <curand_what What>
static inline __host__ __device__ auto sobol_number(unsigned long long x)
{
	if constexpr (What == CURAND_BITS64)
		return x;
	else if constexpr (What == CURAND_UNIFORM)
		return vgpu_unit_of_64(x);
	else if constexpr (What == CURAND_UNIFORM_DOUBLE || What == CURAND_BY_TABLE)
		return vgpu_unit_double_of_64(x);
	else if constexpr (What == CURAND_NORMAL || What == CURAND_LOG_NORMAL ||
			   What == CURAND_ROUNDED_NORMAL)
		return vgpu_inverse(x);
	else
		return vgpu_inverse_double(x);
}

/* Points FIRST and on of a dimension, whose COUNT numbers begin at OUT. */
template <class Word, curand_what What, class Out>
static inline __host__ __device__ void sobol_run(const Word *vectors, unsigned long long position,
						 unsigned long long first,
						 unsigned long long count,
						 const curand_job<Out> &job, Out *out)
{
	Word index = (Word)(position + first);
	Word x = vgpu_sobol_at<Word>(vectors, index, 0);

	for (unsigned long long at = first; at < count && at < first + RUN; at++) {
		unsigned int bit = (unsigned int)vgpu_sobol_lowest_zero(index++);

		out[at] = curand_shape<What>(sobol_number<What>(x), job);
		if (bit < 8 * sizeof(Word))
			x ^= vectors[bit];
		else
			x = 0;
	}
}

template <class Word, curand_what What, class Out>
static __global__ void sobol_kernel(const Word *vectors, unsigned long long position,
				    unsigned long long count, curand_job<Out> job)
{
	unsigned long long first = ((unsigned long long)blockIdx.x * blockDim.x + threadIdx.x) *
				   RUN;

	for (unsigned int dimension = blockIdx.y; dimension < job.width; dimension += gridDim.y)
		sobol_run<Word, What>(vectors + 8 * sizeof(Word) * dimension, position, first,
				      count, job, job.out + dimension * count);
}

template <class Word, curand_what What>
static curandStatus_t sobol_fill_with(curandGenerator_t generator, void *out, size_t count,
				      double mean, double deviation)
{
	typedef typename curand_out<What>::type Out;
	const unsigned int threads = 128, per_block = threads * RUN;
	curand_job<Out> job = { (Out *)out, count, generator->dimensions, 0, 0, mean, deviation,
				(const struct curand_table *)generator->table };
	const Word *vectors = (const Word *)generator->states;
	unsigned long long points = count / job.width;
	unsigned long long blocks = (points + per_block - 1) / per_block;

	if (blocks > 0x7fffffff)
		return CURAND_STATUS_OUT_OF_RANGE;
	if (generator->on_host) {
		for (unsigned int i = 0; i < job.width; i++)
			for (unsigned long long first = 0; first < points; first += RUN)
				sobol_run<Word, What>(vectors + 8 * sizeof(Word) * i,
						      generator->position, first, points, job,
						      job.out + i * points);
	} else {
		dim3 grid((unsigned int)blocks, job.width);

		if (cudaPeekAtLastError() != cudaSuccess)
			return CURAND_STATUS_PREEXISTING_FAILURE;
		sobol_kernel<Word, What><<<grid, threads, 0, generator->stream>>>(
			vectors, generator->position, points, job);
		if (cudaPeekAtLastError() != cudaSuccess)
			return CURAND_STATUS_LAUNCH_FAILURE;
	}
	generator->position += points;
	return CURAND_STATUS_SUCCESS;
}

template <class Word, curand_what Bits>
static curandStatus_t sobol_fill(curandGenerator_t generator, curand_what what, void *out,
				 size_t count, double mean, double deviation)
{
#define FILL(What) \
	case What: \
		return sobol_fill_with<Word, What>(generator, out, count, mean, deviation)
	switch (what) {
		CURAND_EACH_WHAT(FILL, Bits)
	default:
		return CURAND_STATUS_TYPE_ERROR;
	}
#undef FILL
}

template <class Word>
static curandStatus_t sobol_prepare(curandGenerator_t generator,
				    void (*directions)(unsigned int dimensions, Word *vectors))
{
	size_t bytes = (size_t)generator->dimensions * 8 * sizeof(Word) * sizeof(Word);
	Word *vectors = (Word *)malloc(bytes);
	curandStatus_t status;

	if (!vectors)
		return CURAND_STATUS_ALLOCATION_FAILED;
	directions(generator->dimensions, vectors);
	generator->position = generator->offset;
	status = curand_set_states(generator, vectors, bytes);
	free(vectors);
	return status;
}

static curandStatus_t sobol32_prepare(curandGenerator_t generator)
{
	return sobol_prepare<unsigned int>(generator, curand_directions32);
}

static curandStatus_t sobol64_prepare(curandGenerator_t generator)
{
	return sobol_prepare<unsigned long long>(generator, curand_directions64);
}

extern "C" {
const curand_engine curand_sobol32 = {
	.quasi = true,
	.has_offset = true,
	.has_seeded = false,
	.has_best = false,
	.pairs = 0,
	.prepare = sobol32_prepare,
	.complete = NULL,
	.fill = sobol_fill<unsigned int, CURAND_BITS>,
};
const curand_engine curand_sobol64 = {
	.quasi = true,
	.has_offset = true,
	.has_seeded = false,
	.has_best = false,
	.pairs = 0,
	.prepare = sobol64_prepare,
	.complete = NULL,
	.fill = sobol_fill<unsigned long long, CURAND_BITS64>,
};
}

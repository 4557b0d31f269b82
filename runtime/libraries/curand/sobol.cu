// SPDX-License-Identifier: MIT
/*
 * Sobol's sequences for the host API, of 32 and 64 bits, scrambled or not: the points of each
 * dimension, one dimension after the other. A generator's states are the direction vectors of all
 * dimensions, then the constants that are added to their points.
 */
#include <stdlib.h>
#include <string.h>

#include "engine.h"
#include "scramble.h"

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

/* Points FIRST and on of a dimension, of which COUNT are made. */
template <class Word, curand_what What, class Out>
static inline __host__ __device__ void sobol_run(const Word *states, unsigned int dimension,
						 unsigned long long position,
						 unsigned long long first,
						 unsigned long long count,
						 const curand_job<Out> &job)
{
	const unsigned int bits = 8 * sizeof(Word);
	const Word *vectors = states + (size_t)bits * dimension;
	Word constant = states[(size_t)bits * job.width + dimension];
	Word index = (Word)(position + first);
	Word x = vgpu_sobol_at<Word>(vectors, index, constant);
	Out *out = job.out + dimension * count;

	for (unsigned long long at = first; at < count && at < first + RUN; at++) {
		unsigned int bit = (unsigned int)vgpu_sobol_lowest_zero(index++);

		out[at] = curand_shape<What>(sobol_number<What>(x), job);
		if (bit < bits)
			x ^= vectors[bit];
		else
			x = constant;
	}
}

template <class Word, curand_what What, class Out>
static __global__ void sobol_kernel(const Word *states, unsigned long long position,
				    unsigned long long count, curand_job<Out> job)
{
	unsigned long long first = ((unsigned long long)blockIdx.x * blockDim.x + threadIdx.x) *
				   RUN;

	for (unsigned int dimension = blockIdx.y; dimension < job.width; dimension += gridDim.y)
		sobol_run<Word, What>(states, dimension, position, first, count, job);
}

template <class Word, curand_what What>
static curandStatus_t sobol_fill_with(curandGenerator_t generator, void *out, size_t count,
				      double mean, double deviation)
{
	typedef typename curand_out<What>::type Out;
	const unsigned int threads = 128, per_block = threads * RUN;
	curand_job<Out> job = { (Out *)out, count, generator->dimensions, 0, 0, mean, deviation,
				(const struct curand_table *)generator->table };
	const Word *states = (const Word *)generator->states;
	unsigned long long points = count / job.width;
	unsigned long long blocks = (points + per_block - 1) / per_block;

	if (blocks > 0x7fffffff)
		return CURAND_STATUS_OUT_OF_RANGE;
	if (generator->on_host) {
		for (unsigned int i = 0; i < job.width; i++)
			for (unsigned long long first = 0; first < points; first += RUN)
				sobol_run<Word, What>(states, i, generator->position, first,
						      points, job);
	} else {
		dim3 grid((unsigned int)blocks, job.width);

		if (cudaPeekAtLastError() != cudaSuccess)
			return CURAND_STATUS_PREEXISTING_FAILURE;
		sobol_kernel<Word, What><<<grid, threads, 0, generator->stream>>>(
			states, generator->position, points, job);
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

static curandStatus_t plain(unsigned int dimensions, unsigned int *vectors,
			    unsigned int *constants)
{
	curand_directions32(dimensions, vectors);
	memset(constants, 0, dimensions * sizeof(*constants));
	return CURAND_STATUS_SUCCESS;
}

static curandStatus_t plain(unsigned int dimensions, unsigned long long *vectors,
			    unsigned long long *constants)
{
	curand_directions64(dimensions, vectors);
	memset(constants, 0, dimensions * sizeof(*constants));
	return CURAND_STATUS_SUCCESS;
}

template <class Word, curandStatus_t Make(unsigned int dimensions, Word *vectors, Word *constants)>
static curandStatus_t sobol_prepare(curandGenerator_t generator)
{
	size_t vectors = (size_t)generator->dimensions * 8 * sizeof(Word);
	size_t bytes = (vectors + generator->dimensions) * sizeof(Word);
	Word *states = (Word *)malloc(bytes);
	curandStatus_t status;

	if (!states)
		return CURAND_STATUS_ALLOCATION_FAILED;
	status = Make(generator->dimensions, states, states + vectors);
	generator->position = generator->offset;
	if (status == CURAND_STATUS_SUCCESS)
		status = curand_set_states(generator, states, bytes);
	free(states);
	return status;
}

static curandStatus_t scramble_usable(void)
{
	const struct curand_scramble_file *file;

	return curand_scramble_file(&file);
}

extern "C" {
#define SOBOL(Name, Word, Bits, Make, Usable) \
	const curand_engine Name = { \
		.quasi = true, \
		.has_offset = true, \
		.has_seeded = false, \
		.has_best = false, \
		.pairs = 0, \
		.usable = Usable, \
		.prepare = sobol_prepare<Word, Make>, \
		.complete = NULL, \
		.fill = sobol_fill<Word, Bits>, \
	}
SOBOL(curand_sobol32, unsigned int, CURAND_BITS, plain, NULL);
SOBOL(curand_sobol64, unsigned long long, CURAND_BITS64, plain, NULL);
SOBOL(curand_scrambled_sobol32, unsigned int, CURAND_BITS, curand_scrambled32, scramble_usable);
SOBOL(curand_scrambled_sobol64, unsigned long long, CURAND_BITS64, curand_scrambled64,
      scramble_usable);
#undef SOBOL
}

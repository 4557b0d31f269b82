// SPDX-License-Identifier: MIT
/*
 * MT19937 for the host API: 8,192 sequences, 2^2048 numbers apart, of which each has eight numbers
 * of a row of the result. In which order the numbers of a sequence are in its rows, and how far the
 * sequences are apart, was found from what CUDA's generators give.
 *
 * To find where a sequence begins takes long, so that only those are made that a result has numbers
 * of.
 */
#include <stdlib.h>
#include <string.h>

#include "engine.h"
#include "mt19937.h"

#define SEQUENCES 8192u
#define LANES 8u
#define ROW (SEQUENCES * LANES)
/* Rows that have all words of a sequence once. */
#define ROWS (MT_WORDS / LANES)

/* The words of a sequence, and how many times they have been replaced. */
struct mt19937_state {
	unsigned int x[MT_WORDS], turn;
};

static inline __host__ __device__ void turn(mt19937_state *state)
{
	unsigned int *x = state->x;

	for (unsigned int i = 0; i < MT_WORDS; i++) {
		unsigned int after = x[i + 1 < MT_WORDS ? i + 1 : 0];
		unsigned int y = (x[i] & 0x80000000u) | (after & 0x7fffffffu);
		unsigned int middle = i + MT_MIDDLE;

		x[i] = x[middle < MT_WORDS ? middle : middle - MT_WORDS] ^ y >> 1 ^
		       (MT_MATRIX & (0 - (y & 1)));
	}
	state->turn++;
}

/*
 * Row 0 has a word of before each of eight runs of words; each run is in seven rows, of seven words
 * a lane.
 */
static inline __host__ __device__ unsigned int word_of(unsigned int row, unsigned int lane)
{
	const unsigned short single[LANES] = { 0, 113, 170, 283, 340, 397, 510, 567 };
	const unsigned short run[11] = { 1, 57, 114, 171, 227, 284, 341, 398, 454, 511, 568 };

	return row ? run[(row - 1) / 7] + 7 * lane + (row - 1) % 7 : single[lane];
}

static inline __host__ __device__ unsigned int temper(unsigned int y)
{
	y ^= y >> 11;
	y ^= y << 7 & 0x9d2c5680u;
	y ^= y << 15 & 0xefc60000u;
	return y ^ y >> 18;
}

template <curand_what What, class Out>
static inline __host__ __device__ Out number_of(unsigned int x, const curand_job<Out> &job)
{
	if constexpr (What == CURAND_UNIFORM || What == CURAND_UNIFORM_DOUBLE)
		return (Out)vgpu_unit_of_32(x);
	else if constexpr (What == CURAND_ROUNDED_NORMAL)
		return (unsigned int)((float)job.mean +
				      (float)job.deviation * curand_of_one<What>(x) + 0.5f);
	else
		return curand_shape<What>(curand_of_one<What>(x), job);
}

/* The numbers of one sequence among those from POSITION on. */
template <curand_what What, class Out>
static inline __host__ __device__ void run(mt19937_state *state, unsigned int sequence,
					   unsigned long long position,
					   const curand_job<Out> &job)
{
	for (unsigned long long row = position / ROW;; row++) {
		unsigned long long first = row * ROW + sequence * LANES;

		if (first >= position + job.count)
			break;
		if (first + LANES <= position)
			continue;
		while (state->turn != (unsigned int)(row / ROWS))
			turn(state);
		for (unsigned int lane = 0; lane < LANES; lane++) {
			unsigned long long at = first + lane - position;
			unsigned int word = word_of((unsigned int)(row % ROWS), lane);

			if (at < job.count)
				job.out[at] = number_of<What>(temper(state->x[word]), job);
		}
	}
}

template <curand_what What, class Out>
static __global__ void run_kernel(mt19937_state *states, unsigned long long position,
				  curand_job<Out> job)
{
	unsigned int sequence = blockIdx.x * blockDim.x + threadIdx.x;

	if (sequence < job.width)
		run<What>(&states[sequence], sequence, position, job);
}

/* At least the first COUNT sequences have states. */
static curandStatus_t make_states(curandGenerator_t generator, unsigned int count)
{
	unsigned int made = generator->width, *words = (unsigned int *)generator->ahead;
	mt19937_state *to = (mt19937_state *)generator->states + made, *states = to;
	size_t bytes = (count - made) * sizeof(*states);
	cudaError_t error = cudaSuccess;

	if (count <= made)
		return CURAND_STATUS_SUCCESS;
	if (!generator->on_host)
		states = (mt19937_state *)malloc(bytes);
	if (!states)
		return CURAND_STATUS_ALLOCATION_FAILED;
	for (unsigned int i = 0; i < count - made; i++) {
		memcpy(states[i].x, words, sizeof(states[i].x));
		states[i].turn = 0;
		curand_mt_jump(words);
	}
	generator->width = count;
	if (generator->on_host)
		return CURAND_STATUS_SUCCESS;
	error = cudaMemcpyAsync(to, states, bytes, cudaMemcpyHostToDevice, generator->stream);
	if (error == cudaSuccess)
		error = cudaStreamSynchronize(generator->stream);
	free(states);
	if (error == cudaSuccess)
		return CURAND_STATUS_SUCCESS;
	curand_drop_states(generator);
	return CURAND_STATUS_PREEXISTING_FAILURE;
}

template <curand_what What>
static curandStatus_t fill_with(curandGenerator_t generator, void *out, size_t count, double mean,
				double deviation)
{
	typedef typename curand_out<What>::type Out;
	const unsigned int threads = 64;
	unsigned long long position = generator->position;
	unsigned long long end = position % ROW + count;
	unsigned int used = end < ROW ? (unsigned int)(end + LANES - 1) / LANES : SEQUENCES;
	curand_job<Out> job = { (Out *)out, count, used, 0, 0, mean, deviation,
				(const struct curand_table *)generator->table };
	curandStatus_t status;

	if (!generator->on_host && cudaPeekAtLastError() != cudaSuccess)
		return CURAND_STATUS_PREEXISTING_FAILURE;
	status = make_states(generator, used);
	if (status != CURAND_STATUS_SUCCESS)
		return status;
	if (generator->on_host) {
		mt19937_state *states = (mt19937_state *)generator->states;

		for (unsigned int i = 0; i < used; i++)
			run<What>(&states[i], i, position, job);
	} else {
		run_kernel<What><<<(used + threads - 1) / threads, threads, 0,
				   generator->stream>>>((mt19937_state *)generator->states,
							position, job);
		if (cudaPeekAtLastError() != cudaSuccess)
			return CURAND_STATUS_LAUNCH_FAILURE;
	}
	generator->position += count;
	return CURAND_STATUS_SUCCESS;
}

static curandStatus_t fill(curandGenerator_t generator, curand_what what, void *out, size_t count,
			   double mean, double deviation)
{
#define FILL(What) \
	case What: \
		return fill_with<What>(generator, out, count, mean, deviation)
	switch (what) {
		CURAND_EACH_WHAT(FILL, CURAND_BITS)
	default:
		return CURAND_STATUS_TYPE_ERROR;
	}
#undef FILL
}

static curandStatus_t prepare(curandGenerator_t generator)
{
	size_t bytes = SEQUENCES * sizeof(mt19937_state);

	generator->width = 0;
	generator->position = 0;
	generator->ahead = malloc(MT_WORDS * sizeof(unsigned int));
	if (!generator->ahead)
		return CURAND_STATUS_ALLOCATION_FAILED;
	curand_mt_seed((unsigned int)generator->seed, (unsigned int *)generator->ahead);
	if (generator->on_host)
		generator->states = malloc(bytes);
	else
		generator->states = curand_allocate(bytes);
	if (generator->states)
		return CURAND_STATUS_SUCCESS;
	curand_drop_states(generator);
	return CURAND_STATUS_ALLOCATION_FAILED;
}

static curandStatus_t complete(curandGenerator_t generator)
{
	return make_states(generator, SEQUENCES);
}

extern "C" {
const curand_engine curand_mt19937 = {
	.quasi = false,
	.has_offset = false,
	.has_seeded = false,
	.has_best = false,
	.pairs = 0,
	.prepare = prepare,
	.complete = complete,
	.fill = fill,
};
}

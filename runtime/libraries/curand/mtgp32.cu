// SPDX-License-Identifier: MIT
/*
 * MTGP32 for the host API: 192 sequences, each of a set of parameters, of which each has 256
 * numbers at a time; 64 sequences in the order that CURAND_ORDERING_PSEUDO_LEGACY asks for.
 */
#include <stdlib.h>
#include <string.h>

#include <curand_mtgp32_host.h>
#include <curand_mtgp32dc_p_11213.h>

#include "engine.h"

#define SEQUENCES 192u
#define SEQUENCES_LEGACY 64u
#define GROUP 256u

/* The last words, the oldest at AT, and how many numbers there were. */
struct mtgp32_state {
	unsigned int s[MTGPDC_N], at;
	unsigned int pos, sh1, sh2, mask, table[TBL_SIZE], temper[TBL_SIZE];
};

static inline __host__ __device__ unsigned int next(mtgp32_state *state)
{
	unsigned int at = state->at, pos = at + state->pos, *s = state->s;
	unsigned int second = at + 1 < MTGPDC_N ? at + 1 : 0;
	unsigned int before = pos - 1 < MTGPDC_N ? pos - 1 : pos - 1 - MTGPDC_N;
	unsigned int t = s[before];

	s[at] = vgpu_mtgp32_next(s[at], s[second], s[pos < MTGPDC_N ? pos : pos - MTGPDC_N],
				 state->mask, state->sh1, state->sh2, state->table);
	state->at = second;
	return vgpu_mtgp32_temper(s[at], t, state->temper);
}

template <curand_what What, class Out>
static inline __host__ __device__ Out number_of(unsigned int x, const curand_job<Out> &job)
{
	if constexpr (What == CURAND_NORMAL_DOUBLE || What == CURAND_LOG_NORMAL_DOUBLE)
		return curand_shape<What>((double)vgpu_inverse(x), job);
	else
		return curand_shape<What>(curand_of_one<What>(x), job);
}

/* The numbers of one sequence among those from POSITION on: it has had all before them. */
template <curand_what What, class Out>
static inline __host__ __device__ void run(mtgp32_state *state, unsigned int sequence,
					   unsigned long long position,
					   const curand_job<Out> &job)
{
	unsigned long long row = (unsigned long long)job.width * GROUP;
	unsigned long long first = position / row * row + sequence * GROUP;

	for (; first < position + job.count; first += row)
		for (unsigned int i = 0; i < GROUP; i++) {
			unsigned long long at = first + i - position;

			if (at < job.count)
				job.out[at] = number_of<What>(next(state), job);
		}
}

template <curand_what What, class Out>
static __global__ void run_kernel(mtgp32_state *states, unsigned long long position,
				  curand_job<Out> job)
{
	unsigned int sequence = blockIdx.x * blockDim.x + threadIdx.x;

	if (sequence < job.width)
		run<What>(&states[sequence], sequence, position, job);
}

template <curand_what What>
static curandStatus_t fill_with(curandGenerator_t generator, void *out, size_t count, double mean,
				double deviation)
{
	typedef typename curand_out<What>::type Out;
	const unsigned int threads = 32;
	mtgp32_state *states = (mtgp32_state *)generator->states;
	curand_job<Out> job = { (Out *)out, count, generator->width, 0, 0, mean, deviation,
				(const struct curand_table *)generator->table };

	if (generator->on_host) {
		for (unsigned int i = 0; i < job.width; i++)
			run<What>(&states[i], i, generator->position, job);
	} else {
		if (cudaPeekAtLastError() != cudaSuccess)
			return CURAND_STATUS_PREEXISTING_FAILURE;
		run_kernel<What><<<job.width / threads, threads, 0, generator->stream>>>(
			states, generator->position, job);
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
	bool legacy = generator->ordering == CURAND_ORDERING_PSEUDO_LEGACY;
	unsigned int width = legacy ? SEQUENCES_LEGACY : SEQUENCES;
	mtgp32_state *states = (mtgp32_state *)calloc(width, sizeof(*states));
	curandStatus_t status;

	if (!states)
		return CURAND_STATUS_ALLOCATION_FAILED;
	for (unsigned int i = 0; i < width; i++) {
		const mtgp32_params_fast_t *set = &mtgp32dc_params_fast_11213[i];

		vgpu_mtgp32_words(set, generator->seed, i, states[i].s);
		states[i].pos = (unsigned int)set->pos;
		states[i].sh1 = (unsigned int)set->sh1;
		states[i].sh2 = (unsigned int)set->sh2;
		states[i].mask = set->mask;
		memcpy(states[i].table, set->tbl, sizeof(states[i].table));
		memcpy(states[i].temper, set->tmp_tbl, sizeof(states[i].temper));
	}
	generator->width = width;
	generator->position = 0;
	status = curand_set_states(generator, states, width * sizeof(*states));
	free(states);
	return status;
}

extern "C" {
const curand_engine curand_mtgp32 = {
	.quasi = false,
	.has_offset = false,
	.has_seeded = false,
	.has_best = true,
	.pairs = 0,
	.prepare = prepare,
	.complete = NULL,
	.fill = fill,
};
}

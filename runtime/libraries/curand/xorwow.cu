// SPDX-License-Identifier: MIT
/*
 * XORWOW for the host API: 4,096 sequences, 2^67 numbers apart or each of a seed of its own.
 */
#include <stdlib.h>

#include "engine.h"

struct xorwow_state {
	unsigned int d, v[5];
	/* of two normal numbers, the one that is left for Poisson's */
	int has_extra;
	float extra;
};

struct xorwow : curand_pairs<curandStateXORWOW> {
	typedef xorwow_state State;

	template <curand_what What, class Out>
	static inline __host__ __device__ void draw(State *state, Out *out)
	{
		curandStateXORWOW whole;

		whole.d = state->d;
		for (int i = 0; i < 5; i++)
			whole.v[i] = state->v[i];
		whole.boxmuller_flag = state->has_extra;
		whole.boxmuller_extra = state->extra;
		draw_whole<What>(&whole, out);
		state->has_extra = whole.boxmuller_flag;
		state->extra = whole.boxmuller_extra;
		state->d = whole.d;
		for (int i = 0; i < 5; i++)
			state->v[i] = whole.v[i];
	}
};

#define WIDTH 4096u
/* Between the seeds of CURAND_ORDERING_PSEUDO_SEEDED */
#define SEEDS_APART 0x2fd111u

static curandStatus_t xorwow_prepare(curandGenerator_t generator)
{
	bool seeded = generator->ordering == CURAND_ORDERING_PSEUDO_SEEDED;
	unsigned long long rows = generator->offset / WIDTH;
	unsigned int next = (unsigned int)(generator->offset % WIDTH);
	xorwow_state *states = (xorwow_state *)malloc(WIDTH * sizeof(*states));
	curandStateXORWOW state;
	curandStatus_t status;

	if (!states)
		return CURAND_STATUS_ALLOCATION_FAILED;
	curand_init(generator->seed, 0, rows, &state);
	for (unsigned int i = 0; i < WIDTH; i++) {
		curandStateXORWOW row;

		if (seeded)
			curand_init(generator->seed + (unsigned long long)i * SEEDS_APART, 0, rows,
				    &state);
		row = state;
		if (i < next)
			curand(&row);
		states[i].has_extra = 0;
		states[i].extra = 0;
		states[i].d = row.d;
		for (int k = 0; k < 5; k++)
			states[i].v[k] = row.v[k];
		if (!seeded)
			skipahead_sequence(1, &state);
	}
	generator->width = WIDTH;
	generator->next = next;
	status = curand_set_states(generator, states, WIDTH * sizeof(*states));
	free(states);
	return status;
}

extern "C" {
const curand_engine curand_xorwow = {
	.quasi = false,
	.has_offset = true,
	.has_seeded = true,
	.has_best = true,
	.pairs = 2,
	.prepare = xorwow_prepare,
	.complete = NULL,
	.fill = curand_fill<xorwow>,
};
}

// SPDX-License-Identifier: MIT
/*
 * MRG32k3a for the host API: 81,920 sequences, 2^76 numbers apart; 4,096 in the order that
 * CURAND_ORDERING_PSEUDO_LEGACY asks for.
 */
#include <stdlib.h>

#include "engine.h"

struct mrg32k3a_state {
	unsigned int s1[3], s2[3];
	/* of two normal numbers, the one that is left for Poisson's */
	int has_extra;
	float extra;
};

struct mrg32k3a : curand_pairs<curandStateMRG32k3a> {
	typedef mrg32k3a_state State;

	template <curand_what What, class Out>
	static inline __host__ __device__ void draw(State *state, Out *out)
	{
		curandStateMRG32k3a whole;

		for (int i = 0; i < 3; i++) {
			whole.s1[i] = state->s1[i];
			whole.s2[i] = state->s2[i];
		}
		whole.boxmuller_flag = state->has_extra;
		whole.boxmuller_extra = state->extra;
		draw_whole<What>(&whole, out);
		state->has_extra = whole.boxmuller_flag;
		state->extra = whole.boxmuller_extra;
		for (int i = 0; i < 3; i++) {
			state->s1[i] = whole.s1[i];
			state->s2[i] = whole.s2[i];
		}
	}
};

static curandStatus_t mrg32k3a_prepare(curandGenerator_t generator)
{
	bool legacy = generator->ordering == CURAND_ORDERING_PSEUDO_LEGACY;
	unsigned int width = legacy ? 4096 : 81920;
	unsigned int next = (unsigned int)(generator->offset % width);
	mrg32k3a_state *states = (mrg32k3a_state *)malloc(width * sizeof(*states));
	curandStateMRG32k3a state;
	curandStatus_t status;

	if (!states)
		return CURAND_STATUS_ALLOCATION_FAILED;
	curand_init(generator->seed, 0, generator->offset / width, &state);
	for (unsigned int i = 0; i < width; i++) {
		curandStateMRG32k3a row = state;

		if (i < next)
			curand(&row);
		states[i].has_extra = 0;
		states[i].extra = 0;
		for (int k = 0; k < 3; k++) {
			states[i].s1[k] = row.s1[k];
			states[i].s2[k] = row.s2[k];
		}
		skipahead_subsequence(1, &state);
	}
	generator->width = width;
	generator->next = next;
	status = curand_set_states(generator, states, width * sizeof(*states));
	free(states);
	return status;
}

extern "C" {
const curand_engine curand_mrg32k3a = {
	.quasi = false,
	.has_offset = true,
	.has_seeded = false,
	.has_best = true,
	.pairs = 2,
	.prepare = mrg32k3a_prepare,
	.complete = NULL,
	.fill = curand_fill<mrg32k3a>,
};
}

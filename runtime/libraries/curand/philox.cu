// SPDX-License-Identifier: MIT
/*
 * Philox for the host API: 65,536 sequences, of each four numbers at a time.
 */
#include <stdlib.h>

#include "engine.h"

#define WIDTH 65536u

/* The sequence is the upper half of the counter. */
struct philox_state {
	unsigned long long counter;
	unsigned int sequence, key[2], unused;
};

struct philox {
	typedef philox_state State;

	template <curand_what What> static constexpr __host__ __device__ unsigned int group()
	{
		return 4;
	}

	static inline __host__ __device__ uint4 next(State *state)
	{
		uint4 counter = { (unsigned int)state->counter,
				  (unsigned int)(state->counter >> 32), state->sequence, 0 };
		uint2 key = { state->key[0], state->key[1] };

		state->counter++;
		return curand_Philox4x32_10(counter, key);
	}

	/* A block gives four numbers of 32 bits or two doubles. */
	template <curand_what What, class Out>
	static inline __host__ __device__ void draw(State *state, Out *out)
	{
		uint4 x = next(state);

		if constexpr (What == CURAND_BITS || What == CURAND_BY_TABLE) {
			out[0] = x.x;
			out[1] = x.y;
			out[2] = x.z;
			out[3] = x.w;
		} else if constexpr (What == CURAND_UNIFORM) {
			out[0] = vgpu_unit(x.x);
			out[1] = vgpu_unit(x.y);
			out[2] = vgpu_unit(x.z);
			out[3] = vgpu_unit(x.w);
		} else if constexpr (What == CURAND_NORMAL || What == CURAND_LOG_NORMAL ||
				     What == CURAND_ROUNDED_NORMAL) {
			float2 a = vgpu_box_muller(vgpu_unit(x.x), vgpu_angle(x.y));
			float2 b = vgpu_box_muller(vgpu_unit(x.z), vgpu_angle(x.w));

			out[0] = a.x;
			out[1] = a.y;
			out[2] = b.x;
			out[3] = b.y;
		} else {
			two<What>(x, out);
			two<What>(next(state), out + 2);
		}
	}

	template <curand_what What>
	static inline __host__ __device__ void two(uint4 x, double *out)
	{
		if constexpr (What == CURAND_UNIFORM_DOUBLE) {
			out[0] = vgpu_unit_double(x.x, x.y);
			out[1] = vgpu_unit_double(x.z, x.w);
		} else {
			double2 pair = vgpu_box_muller_double(vgpu_unit_double(x.x, x.y),
							      vgpu_half_turns(x.z, x.w));

			out[0] = pair.x;
			out[1] = pair.y;
		}
	}
};

static curandStatus_t philox_prepare(curandGenerator_t generator)
{
	unsigned long long group = generator->offset / 4;
	unsigned int next = (unsigned int)(group % WIDTH);
	philox_state *states = (philox_state *)malloc(WIDTH * sizeof(*states));
	curandStatus_t status;

	if (!states)
		return CURAND_STATUS_ALLOCATION_FAILED;
	for (unsigned int i = 0; i < WIDTH; i++)
		states[i] = { group / WIDTH + (i < next),
			      i,
			      { (unsigned int)generator->seed,
				(unsigned int)(generator->seed >> 32) },
			      0 };
	generator->width = WIDTH;
	generator->next = next;
	generator->within = (unsigned int)(generator->offset % 4);
	status = curand_set_states(generator, states, WIDTH * sizeof(*states));
	free(states);
	return status;
}

extern "C" {
const curand_engine curand_philox = {
	.quasi = false,
	.has_offset = true,
	.has_seeded = false,
	.has_best = true,
	.pairs = 0,
	.prepare = philox_prepare,
	.complete = NULL,
	.fill = curand_fill<philox>,
};
}

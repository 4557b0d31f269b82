/* SPDX-License-Identifier: MIT */
/*
 * Philox4x32-10 (Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3",
 * 2011). Of the counter's 128 bits the upper 64 are the subsequence.
 */
#ifndef VGPU_CURAND_PHILOX_H
#define VGPU_CURAND_PHILOX_H

typedef struct curandStatePhilox4_32_10 {
	uint4 ctr, output;
	uint2 key;
	unsigned int STATE;
	int boxmuller_flag, boxmuller_flag_double;
	float boxmuller_extra;
	double boxmuller_extra_double;
} curandStatePhilox4_32_10_t;

VGPU_CURAND unsigned int vgpu_philox_high(unsigned int a, unsigned int b)
{
	return (unsigned int)((unsigned long long)a * b >> 32);
}

VGPU_CURAND uint4 curand_Philox4x32_10(uint4 c, uint2 key)
{
	for (int round = 0; round < 10; round++) {
		unsigned int low0 = 0xd2511f53u * c.x, high0 = vgpu_philox_high(0xd2511f53u, c.x);
		unsigned int low1 = 0xcd9e8d57u * c.z, high1 = vgpu_philox_high(0xcd9e8d57u, c.z);

		c.x = high1 ^ c.y ^ key.x;
		c.y = low1;
		c.z = high0 ^ c.w ^ key.y;
		c.w = low0;
		key.x += 0x9e3779b9u;
		key.y += 0xbb67ae85u;
	}
	return c;
}

VGPU_CURAND void vgpu_philox_add(unsigned int *low, unsigned int *high, unsigned long long n)
{
	unsigned long long sum = ((unsigned long long)*high << 32 | *low) + n;

	*low = (unsigned int)sum;
	*high = (unsigned int)(sum >> 32);
}

/* The counter as a number of 128 bits */
VGPU_CURAND void vgpu_philox_advance(uint4 *c, unsigned long long n)
{
	unsigned long long before = (unsigned long long)c->y << 32 | c->x;

	vgpu_philox_add(&c->x, &c->y, n);
	if (before + n < before)
		vgpu_philox_add(&c->z, &c->w, 1);
}

VGPU_CURAND unsigned int curand(curandStatePhilox4_32_10_t *state)
{
	unsigned int value = state->STATE == 0 ? state->output.x :
			     state->STATE == 1 ? state->output.y :
			     state->STATE == 2 ? state->output.z : state->output.w;

	if (++state->STATE == 4) {
		vgpu_philox_advance(&state->ctr, 1);
		state->output = curand_Philox4x32_10(state->ctr, state->key);
		state->STATE = 0;
	}
	return value;
}

VGPU_CURAND uint4 curand4(curandStatePhilox4_32_10_t *state)
{
	uint4 four;

	four.x = curand(state);
	four.y = curand(state);
	four.z = curand(state);
	four.w = curand(state);
	return four;
}

VGPU_CURAND void skipahead(unsigned long long n, curandStatePhilox4_32_10_t *state)
{
	unsigned int within = state->STATE + (unsigned int)(n & 3);

	vgpu_philox_advance(&state->ctr, n / 4 + within / 4);
	state->STATE = within & 3;
	state->output = curand_Philox4x32_10(state->ctr, state->key);
}

VGPU_CURAND void skipahead_sequence(unsigned long long n, curandStatePhilox4_32_10_t *state)
{
	vgpu_philox_add(&state->ctr.z, &state->ctr.w, n);
	state->output = curand_Philox4x32_10(state->ctr, state->key);
}

VGPU_CURAND void curand_init(unsigned long long seed, unsigned long long subsequence,
			     unsigned long long offset, curandStatePhilox4_32_10_t *state)
{
	state->ctr.x = state->ctr.y = state->ctr.z = state->ctr.w = 0;
	state->key.x = (unsigned int)seed;
	state->key.y = (unsigned int)(seed >> 32);
	state->STATE = 0;
	state->boxmuller_flag = 0;
	state->boxmuller_flag_double = 0;
	state->boxmuller_extra = 0;
	state->boxmuller_extra_double = 0;
	vgpu_philox_add(&state->ctr.z, &state->ctr.w, subsequence);
	skipahead(offset, state);
}

#endif

/* SPDX-License-Identifier: MIT */
/*
 * XORWOW (Marsaglia, "Xorshift RNGs", 2003): an xorshift of 160 bits and a Weyl sequence. How a
 * seed becomes a state was found from what CUDA's generators print.
 */
#ifndef VGPU_CURAND_XORWOW_H
#define VGPU_CURAND_XORWOW_H

#include "jumps.h"

typedef struct curandStateXORWOW {
	unsigned int d, v[5];
	int boxmuller_flag, boxmuller_flag_double;
	float boxmuller_extra;
	double boxmuller_extra_double;
} curandStateXORWOW_t;

VGPU_CURAND void vgpu_xorwow_shift(unsigned int *v)
{
	unsigned int t = v[0] ^ (v[0] >> 2);

	v[0] = v[1];
	v[1] = v[2];
	v[2] = v[3];
	v[3] = v[4];
	v[4] = v[4] ^ (v[4] << 4) ^ t ^ (t << 1);
}

VGPU_CURAND unsigned int curand(curandStateXORWOW_t *state)
{
	vgpu_xorwow_shift(state->v);
	state->d += 362437;
	return state->v[4] + state->d;
}

/* The steps that a polynomial stands for, by Horner's rule. */
VGPU_CURAND void vgpu_xorwow_jump(unsigned int *v, const unsigned int *polynomial)
{
	unsigned int sum[5] = { 0, 0, 0, 0, 0 };

	for (int word = 4; word >= 0; word--)
		for (int bit = 31; bit >= 0; bit--) {
			unsigned int take = 0 - (polynomial[word] >> bit & 1);

			vgpu_xorwow_shift(sum);
			for (int i = 0; i < 5; i++)
				sum[i] ^= v[i] & take;
		}
	for (int i = 0; i < 5; i++)
		v[i] = sum[i];
}

VGPU_CURAND void skipahead(unsigned long long n, curandStateXORWOW_t *state)
{
	state->d += 362437 * (unsigned int)n;
	for (unsigned int few = (unsigned int)n & 63; few; few--)
		vgpu_xorwow_shift(state->v);
	for (int bit = 6; n >> 6 && bit < 64; bit++)
		if (n >> bit & 1)
			vgpu_xorwow_jump(state->v, vgpu_xorwow_jumps[0][bit]);
}

/* A subsequence has 2^67 numbers, a multiple of the Weyl sequence's period. */
VGPU_CURAND void skipahead_sequence(unsigned long long n, curandStateXORWOW_t *state)
{
	for (int bit = 0; n >> bit; bit++) {
		if (n >> bit & 1)
			vgpu_xorwow_jump(state->v, vgpu_xorwow_jumps[1][bit]);
		if (bit == 63)
			break;
	}
}

VGPU_CURAND void curand_init(unsigned long long seed, unsigned long long subsequence,
			     unsigned long long offset, curandStateXORWOW_t *state)
{
	unsigned int s = 1099087573u * ((unsigned int)seed ^ 0xaad26b49u);
	unsigned int t = 2591861531u * ((unsigned int)(seed >> 32) ^ 0xf7dcefddu);

	state->d = 6615241 + s + t;
	state->v[0] = 123456789 + s;
	state->v[1] = 362436069 ^ s;
	state->v[2] = 521288629 + t;
	state->v[3] = 88675123 ^ t;
	state->v[4] = 5783321 + s;
	skipahead_sequence(subsequence, state);
	skipahead(offset, state);
	state->boxmuller_flag = 0;
	state->boxmuller_flag_double = 0;
	state->boxmuller_extra = 0;
	state->boxmuller_extra_double = 0;
}

#endif

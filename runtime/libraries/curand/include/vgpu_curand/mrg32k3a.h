/* SPDX-License-Identifier: MIT */
/*
 * MRG32k3a (L'Ecuyer, "Good parameters and implementations for combined multiple recursive random
 * number generators", 1999), with subsequences of 2^76 numbers.
 */
#ifndef VGPU_CURAND_MRG32K3A_H
#define VGPU_CURAND_MRG32K3A_H

#include "jumps.h"

#define VGPU_MRG_M1 4294967087ull
#define VGPU_MRG_M2 4294944443ull

/* s1 and s2: the last three of each component, the oldest first. */
typedef struct curandStateMRG32k3a {
	unsigned int s1[3], s2[3];
	int boxmuller_flag, boxmuller_flag_double;
	float boxmuller_extra;
	double boxmuller_extra_double;
} curandStateMRG32k3a_t;

/* 1 to M1 */
VGPU_CURAND unsigned int vgpu_mrg_next(curandStateMRG32k3a_t *state)
{
	unsigned long long a = 1403580ull * state->s1[1] +
			       810728ull * (VGPU_MRG_M1 - state->s1[0]);
	unsigned long long b = 527612ull * state->s2[2] +
			       1370589ull * (VGPU_MRG_M2 - state->s2[0]);
	unsigned int p = (unsigned int)(a % VGPU_MRG_M1), q = (unsigned int)(b % VGPU_MRG_M2);

	state->s1[0] = state->s1[1];
	state->s1[1] = state->s1[2];
	state->s1[2] = p;
	state->s2[0] = state->s2[1];
	state->s2[1] = state->s2[2];
	state->s2[2] = q;
	return p > q ? p - q : p - q + (unsigned int)VGPU_MRG_M1;
}

/* Stretched to 32 bits. */
VGPU_CURAND unsigned int curand(curandStateMRG32k3a_t *state)
{
	return (unsigned int)(vgpu_mrg_next(state) * 1.000000048662);
}

VGPU_CURAND void vgpu_mrg_multiply(unsigned int *s, const unsigned int *matrix,
				   unsigned long long m)
{
	unsigned int sum[3];

	for (int i = 0; i < 3; i++) {
		unsigned long long all = 0;

		for (int k = 0; k < 3; k++)
			all += (unsigned long long)matrix[3 * i + k] * s[k] % m;
		sum[i] = (unsigned int)(all % m);
	}
	for (int i = 0; i < 3; i++)
		s[i] = sum[i];
}

VGPU_CURAND void vgpu_mrg_jump(unsigned long long n, int by_sequence, curandStateMRG32k3a_t *state)
{
	for (int bit = 0; bit < 64; bit++)
		if (n >> bit & 1) {
			vgpu_mrg_multiply(state->s1, vgpu_mrg_jumps[by_sequence][bit], VGPU_MRG_M1);
			vgpu_mrg_multiply(state->s2, vgpu_mrg_jumps[by_sequence][bit] + 9,
					  VGPU_MRG_M2);
		}
}

VGPU_CURAND void skipahead(unsigned long long n, curandStateMRG32k3a_t *state)
{
	vgpu_mrg_jump(n, 0, state);
}

VGPU_CURAND void skipahead_subsequence(unsigned long long n, curandStateMRG32k3a_t *state)
{
	vgpu_mrg_jump(n, 1, state);
}

VGPU_CURAND void curand_init(unsigned long long seed, unsigned long long subsequence,
			     unsigned long long offset, curandStateMRG32k3a_t *state)
{
	unsigned long long x = (unsigned int)seed ^ 0x55555555u;
	unsigned long long y = (unsigned int)(seed >> 32) ^ 0xaaaaaaaau;

	if (!seed)
		x = y = 1;
	state->s1[0] = state->s1[2] = (unsigned int)(x * 12345 % VGPU_MRG_M1);
	state->s1[1] = (unsigned int)(y * 12345 % VGPU_MRG_M1);
	state->s2[0] = state->s2[2] = (unsigned int)(y * 12345 % VGPU_MRG_M2);
	state->s2[1] = (unsigned int)(x * 12345 % VGPU_MRG_M2);
	if (!seed)
		for (int i = 0; i < 3; i++)
			state->s1[i] = state->s2[i] = 12345;
	skipahead_subsequence(subsequence, state);
	skipahead(offset, state);
	state->boxmuller_flag = 0;
	state->boxmuller_flag_double = 0;
	state->boxmuller_extra = 0;
	state->boxmuller_extra_double = 0;
}

#endif

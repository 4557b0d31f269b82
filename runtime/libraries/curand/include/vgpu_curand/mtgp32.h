/* SPDX-License-Identifier: MIT */
/*
 * MTGP32 on the device: the threads of a block draw together, each the next word of one state.
 */
#ifndef VGPU_CURAND_MTGP32_H
#define VGPU_CURAND_MTGP32_H

#include "../curand_mtgp32.h"

/* The word after 351 of which FIRST, SECOND and PICKED are those that it is made of. */
VGPU_CURAND unsigned int vgpu_mtgp32_next(unsigned int first, unsigned int second,
					  unsigned int picked, unsigned int mask, unsigned int sh1,
					  unsigned int sh2, const unsigned int *table)
{
	unsigned int x = (first & mask) ^ second;

	x ^= x << sh1;
	x ^= picked >> sh2;
	return x ^ table[x & 15];
}

VGPU_CURAND unsigned int vgpu_mtgp32_temper(unsigned int word, unsigned int t,
					    const unsigned int *table)
{
	t ^= t >> 16;
	t ^= t >> 8;
	return word ^ table[t & 15];
}

/* Number INDEX of COUNT threads, at most 256, that all call. On the host there is one. */
VGPU_CURAND unsigned int curand_mtgp32_specific(curandStateMtgp32_t *state, unsigned char index,
						unsigned int count)
{
	const mtgp32_kernel_params_t *k = state->k;
	unsigned int set = (unsigned int)state->pIdx, pos = k->pos_tbl[set];
	unsigned int at = (unsigned int)state->offset + index;
	unsigned int *s = state->s, word, number;

	word = vgpu_mtgp32_next(s[at & MTGP32_STATE_MASK], s[(at + 1) & MTGP32_STATE_MASK],
				s[(at + pos) & MTGP32_STATE_MASK], k->mask[0], k->sh1_tbl[set],
				k->sh2_tbl[set], k->param_tbl[set]);
	number = vgpu_mtgp32_temper(word, s[(at + pos - 1) & MTGP32_STATE_MASK],
				    k->temper_tbl[set]);
	/* no thread of this call reads so far ahead: pos is below 94 */
	s[(at + MTGPDC_N) & MTGP32_STATE_MASK] = word;
#ifdef __CUDA_ARCH__
	__syncthreads();
#endif
	if (!index)
		state->offset = (int)((at + count) & MTGP32_STATE_MASK);
#ifdef __CUDA_ARCH__
	__syncthreads();
#endif
	return number;
}

VGPU_CURAND unsigned int curand(curandStateMtgp32_t *state)
{
#ifdef __CUDA_ARCH__
	unsigned int index = (blockDim.y * threadIdx.z + threadIdx.y) * blockDim.x + threadIdx.x;

	return curand_mtgp32_specific(state, (unsigned char)index,
				      blockDim.x * blockDim.y * blockDim.z);
#else
	return curand_mtgp32_specific(state, 0, 1);
#endif
}

#endif

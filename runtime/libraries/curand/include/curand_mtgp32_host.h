/* SPDX-License-Identifier: MIT */
/*
 * MTGP32 states that the host makes for kernels. How a seed becomes the seed of each state was
 * found from what CUDA's generators give; the words from a seed are Saito's and Matsumoto's.
 */
#ifndef CURAND_MTGP32_HOST_H_
#define CURAND_MTGP32_HOST_H_

#include <stdlib.h>
#include <cuda_runtime.h>
#include "curand.h"
#include "curand_mtgp32.h"

/* The first MTGPDC_N words of state NUMBER */
static inline void vgpu_mtgp32_words(const mtgp32_params_fast_t *set, unsigned long long seed,
				     unsigned int number, unsigned int *s)
{
	unsigned int hidden = set->tbl[4] ^ set->tbl[8] << 16, filler = hidden;

	filler += filler >> 16;
	filler += filler >> 8;
	filler = (filler & 0xff) * 0x01010101u;
	s[0] = ((unsigned int)seed ^ (unsigned int)(seed >> 32)) + number + 1;
	s[1] = hidden ^ (1812433253u * (s[0] ^ s[0] >> 30) + 1);
	for (unsigned int i = 2; i < MTGPDC_N; i++)
		s[i] = filler ^ (1812433253u * (s[i - 1] ^ s[i - 1] >> 30) + i);
}

/* P is in memory of the device. */
static inline curandStatus_t curandMakeMTGP32Constants(const mtgp32_params_fast_t sets[],
						       mtgp32_kernel_params_t *p)
{
	mtgp32_kernel_params_t *made = (mtgp32_kernel_params_t *)calloc(1, sizeof(*made));
	cudaError_t error;

	if (!made)
		return CURAND_STATUS_ALLOCATION_FAILED;
	made->mask[0] = sets[0].mask;
	for (int i = 0; i < CURAND_NUM_MTGP32_PARAMS; i++) {
		made->pos_tbl[i] = (unsigned int)sets[i].pos;
		made->sh1_tbl[i] = (unsigned int)sets[i].sh1;
		made->sh2_tbl[i] = (unsigned int)sets[i].sh2;
		for (int k = 0; k < TBL_SIZE; k++) {
			made->param_tbl[i][k] = sets[i].tbl[k];
			made->temper_tbl[i][k] = sets[i].tmp_tbl[k];
			made->single_temper_tbl[i][k] = sets[i].flt_tmp_tbl[k];
		}
	}
	error = cudaMemcpy(p, made, sizeof(*made), cudaMemcpyHostToDevice);
	free(made);
	return error == cudaSuccess ? CURAND_STATUS_SUCCESS : CURAND_STATUS_INITIALIZATION_FAILED;
}

/* S and K are in memory of the device. State i has set i: there are 200 at most. */
static inline curandStatus_t curandMakeMTGP32KernelState(curandStateMtgp32_t *s,
							 mtgp32_params_fast_t sets[],
							 mtgp32_kernel_params_t *k, int n,
							 unsigned long long seed)
{
	curandStateMtgp32_t *made;
	cudaError_t error;

	if (n < 0 || n > CURAND_NUM_MTGP32_PARAMS)
		return CURAND_STATUS_OUT_OF_RANGE;
	made = (curandStateMtgp32_t *)calloc((size_t)n + 1, sizeof(*made));
	if (!made)
		return CURAND_STATUS_ALLOCATION_FAILED;
	for (int i = 0; i < n; i++) {
		vgpu_mtgp32_words(&sets[i], seed, (unsigned int)i, made[i].s);
		made[i].pIdx = i;
		made[i].k = k;
	}
	error = cudaMemcpy(s, made, (size_t)n * sizeof(*made), cudaMemcpyHostToDevice);
	free(made);
	return error == cudaSuccess ? CURAND_STATUS_SUCCESS : CURAND_STATUS_INITIALIZATION_FAILED;
}

#endif

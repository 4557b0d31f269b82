/* SPDX-License-Identifier: MIT */
/*
 * MTGP32 (Saito and Matsumoto, "Variants of Mersenne Twister suitable for graphic processors",
 * 2013): its parameters, and a state that the threads of a block share. The layouts are CUDA's.
 */
#ifndef CURAND_MTGP32_H_
#define CURAND_MTGP32_H_

#define MTGPDC_MEXP 11213
#define MTGPDC_N 351
#define MTGPDC_FLOOR_2P 256
#define MTGPDC_CEIL_2P 512
#define MTGPDC_PARAM_TABLE mtgp32dc_params_fast_11213
#define MTGP32_STATE_SIZE 1024
#define MTGP32_STATE_MASK 1023
#define CURAND_NUM_MTGP32_PARAMS 200
#define MEXP MTGPDC_MEXP
#define THREAD_NUM MTGPDC_FLOOR_2P
#define LARGE_SIZE (THREAD_NUM * 3)
#define TBL_SIZE 16

typedef struct mtgp32_params_fast {
	int mexp, pos, sh1, sh2;
	unsigned int tbl[TBL_SIZE], tmp_tbl[TBL_SIZE], flt_tmp_tbl[TBL_SIZE], mask;
	unsigned char poly_sha1[21];
} mtgp32_params_fast_t;

/* The same of all sets, as kernels read them. */
typedef struct mtgp32_kernel_params {
	unsigned int pos_tbl[CURAND_NUM_MTGP32_PARAMS];
	unsigned int param_tbl[CURAND_NUM_MTGP32_PARAMS][TBL_SIZE];
	unsigned int temper_tbl[CURAND_NUM_MTGP32_PARAMS][TBL_SIZE];
	unsigned int single_temper_tbl[CURAND_NUM_MTGP32_PARAMS][TBL_SIZE];
	unsigned int sh1_tbl[CURAND_NUM_MTGP32_PARAMS], sh2_tbl[CURAND_NUM_MTGP32_PARAMS];
	unsigned int mask[1];
} mtgp32_kernel_params_t;

typedef struct curandStateMtgp32 {
	unsigned int s[MTGP32_STATE_SIZE];
	int offset, pIdx;
	mtgp32_kernel_params_t *k;
} curandStateMtgp32_t;

#endif

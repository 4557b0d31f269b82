/* SPDX-License-Identifier: MIT */
/*
 * MT19937 (Matsumoto and Nishimura, "Mersenne Twister: a 623-dimensionally equidistributed uniform
 * pseudo-random number generator", 1998): a state from a seed, and one that is far ahead.
 */
#ifndef VGPU_CURAND_MT19937_H
#define VGPU_CURAND_MT19937_H

#define MT_WORDS 624
#define MT_MIDDLE 397
#define MT_MATRIX 0x9908b0dfu

#ifdef __cplusplus
extern "C" {
#endif

/* The words that the first MT_WORDS numbers are made of. */
void curand_mt_seed(unsigned int seed, unsigned int *words);
/* The words that are 2^2048 numbers further. */
void curand_mt_jump(unsigned int *words);

#ifdef __cplusplus
}
#endif

#endif

/* SPDX-License-Identifier: MIT */
/*
 * The direction numbers of Joe and Kuo, for up to 20,000 dimensions.
 */
#ifndef VGPU_CURAND_JOEKUO_H
#define VGPU_CURAND_JOEKUO_H

#ifdef __cplusplus
extern "C" {
#endif

#define CURAND_MAX_DIMENSIONS 20000

/* Of the first DIMENSIONS, as many vectors each as they have bits, the highest bit's first. */
void curand_directions32(unsigned int dimensions, unsigned int *vectors);
void curand_directions64(unsigned int dimensions, unsigned long long *vectors);

#ifdef __cplusplus
}
#endif

#endif

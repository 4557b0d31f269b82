/* SPDX-License-Identifier: MIT */
/*
 * A discrete distribution in memory of the device, for curand_discrete().
 */
#ifndef VGPU_CURAND_DISCRETE_PLACE_H
#define VGPU_CURAND_DISCRETE_PLACE_H

#include "poisson.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * In memory of the device, one block: what curand_discrete() reads of a distribution. Without TABLE
 * its numbers are rounded normal ones. NULL: no memory.
 */
void *curand_place_discrete(const struct curand_table *table, double mean, double deviation);

#ifdef __cplusplus
}
#endif

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Memory of pools, for calls that take any memory. Both take the lock themselves.
 */
#ifndef VGPU_CUDA_CALL_POOL_H
#define VGPU_CUDA_CALL_POOL_H

#include "calls.h"

/* Is @pointer an allocation from a pool? Then all work ends and it is freed; @error says how. */
bool cuda_pool_free(void *pointer, cudaError_t *error);
/* Gives back what the pools of the current device hold; false: they hold nothing. */
bool cuda_pools_release(void);

#endif

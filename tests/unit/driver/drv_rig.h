/* SPDX-License-Identifier: MIT */
/*
 * What the tests of the driver API share: the embedded device, a module, and words of memory.
 */
#ifndef DRV_RIG_H
#define DRV_RIG_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "cuda/cuda.h"

#define OK(call) assert_int_equal((call), CUDA_SUCCESS)
#define REFUSED(call, error) assert_int_equal((call), (error))

/* set: *where = value, where is a u64 and value a u32 behind it, then a u64 that is added */
extern const char drv_ptx[];
/* spin: p_rounds rounds later, *p_where, a u64, is p_rounds, a u32 */
extern const char drv_spin_ptx[];

/* cuInit() and a context of its own. */
CUcontext drv_begin(void);
void drv_end(CUcontext context);
CUdeviceptr drv_words(unsigned int count);
uint32_t drv_read(CUdeviceptr word);
/* Nothing is current any more. */
void drv_pop_all(void);
/* And the primary context is closed: with no other open, the next is of a new device. */
void drv_reset(void);

#endif

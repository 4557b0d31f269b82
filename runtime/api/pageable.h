/* SPDX-License-Identifier: MIT */
/*
 * Memory of the process that no call of the runtime has allocated or pinned, where kernels use all
 * memory of the process.
 */
#ifndef VGPU_RT_PAGEABLE_H
#define VGPU_RT_PAGEABLE_H

#include "state.h"

/*
 * Are @bytes at @pointer, at least one, such memory, and all mapped? The program may unmap them at
 * any time. With the lock held.
 */
bool rt_is_pageable(const void *pointer, size_t bytes);

#endif

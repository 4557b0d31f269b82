/* SPDX-License-Identifier: MIT */
/*
 * Whether memory that a library has on a device is of the calling thread's context: a
 * kernel of another context that used it would fault, and that context would be in error.
 */
#ifndef VGPU_LIBRARIES_PLACE_H
#define VGPU_LIBRARIES_PLACE_H

#include <stdbool.h>

/* @memory: of cudaMalloc(), or NULL. Of a context in error true: a launch says so. */
bool place_is_here(const void *memory);

#endif

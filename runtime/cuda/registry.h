/* SPDX-License-Identifier: MIT */
/*
 * What clang's host code registers before main(): the PTX of each .cu, its kernels and variables
 * under their host addresses. Compiled and loaded when first used.
 */
#ifndef VGPU_CUDA_REGISTRY_H
#define VGPU_CUDA_REGISTRY_H

#include "api/modules/library.h"

/* With the lock held. The kernel whose host function is @function, its module loaded. */
vgpuError_t cuda_function(const void *function, struct vgpuFunction **out);
/* Takes the lock for that; rt_leave() gives it back, if there was no error. */
vgpuError_t cuda_enter_function(const void *function, struct vgpuFunction **out);
/* With the lock held. What launches name the function by: its host function, if it has one. */
const void *cuda_host_function(const struct vgpuFunction *function);
/* Needs no device: the kernel whatever the device; NULL: there is none. */
struct rt_kernel *cuda_kernel(const void *function);
/* The device variable whose host variable is @symbol. */
vgpuError_t cuda_symbol(const void *symbol, uint64_t *address, uint64_t *bytes);

#endif

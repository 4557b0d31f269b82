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

/**
 * struct cuda_reference - a texture or surface reference in the current context
 * @variable: address of the variable of 8 bytes that kernels take the handle from
 * @as_float: integers are read as floats, says its type
 * @object: the object that it is bound to, 0: none; valid until the lock is given up
 */
struct cuda_reference {
	uint64_t variable;
	bool as_float;
	uint64_t *object;
};

/* With the lock held. vgpuErrorInvalidSymbol: @host is none. */
vgpuError_t cuda_reference(const void *host, struct cuda_reference *reference);

#endif

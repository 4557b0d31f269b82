/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * What tests may ask of the ground in user space: to run out of memory at a chosen moment, what is
 * still allocated, and to go on where the model is broken.
 */
#ifndef VGPU_PLATFORM_USER_H
#define VGPU_PLATFORM_USER_H

#include "../platform.h"

/* @count more allocations succeed, all later ones fail. ~0: none fails. */
void vgpu_user_fail_allocations_after(u64 count);
/* Allocations alive. */
u64 vgpu_user_allocations(void);
/* A broken invariant is counted, and the device goes on, as in the kernel. */
void vgpu_user_broken_goes_on(void);
/* How many since then. */
u32 vgpu_user_broken(void);

#endif

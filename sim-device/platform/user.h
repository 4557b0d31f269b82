/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * What tests may ask of the ground in user space: to run out of memory at a chosen moment, and what
 * is still allocated.
 */
#ifndef VGPU_PLATFORM_USER_H
#define VGPU_PLATFORM_USER_H

#include "../platform.h"

/* @count more allocations succeed, all later ones fail. ~0: none fails. */
void vgpu_user_fail_allocations_after(u64 count);
/* Allocations alive. */
u64 vgpu_user_allocations(void);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Launches by kernels: the pool of a context, and the table of each module whose kernels launch
 * others (launch/launch.h).
 */
#ifndef VGPU_RT_LAUNCHES_H
#define VGPU_RT_LAUNCHES_H

#include "state.h"

/* @program has kernels that launch: the pool is mapped, and its variable says where what is. */
vgpuError_t rt_launches_link(struct vgpuModule *module);
/* The same for its binaries, before they are loaded. */
void rt_launches_patch(const struct vgpu_program *program);
/* The module's kernels have their numbers on the device: the table gets them. */
vgpuError_t rt_launches_tell(struct vgpuModule *module);
/* The stack of threads is another one: all tables get the kernels that have it. Nothing runs. */
vgpuError_t rt_launches_tell_all(void);
/* The module is unloaded. */
void rt_launches_unlink(struct vgpuModule *module);
void rt_launches_reset(void);

/* Most launches by kernels that may be pending, cudaLimitDevRuntimePendingLaunchCount */
vgpuError_t rt_launches_set_limit(size_t count);
vgpuError_t rt_launches_get_limit(size_t *count);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * How many processors this process may use.
 */
#ifndef VGPU_PROCESSORS_H
#define VGPU_PROCESSORS_H

#include <stdint.h>

/*
 * Those of the calling thread's affinity (sched_getaffinity()), at most as many as
 * vgpu_processors_quota() of this process says. At least 1.
 */
uint32_t vgpu_processors(void);

/*
 * The processors that cpu.max of control groups (version 2) leaves, rounded down, at least 1: the
 * least of the process's group and of those above it. @groups: a file like /proc/self/cgroup;
 * @root: where the groups are, like /sys/fs/cgroup. UINT32_MAX: nothing limits them, or nothing can
 * be read.
 */
uint32_t vgpu_processors_quota(const char *groups, const char *root);

#endif

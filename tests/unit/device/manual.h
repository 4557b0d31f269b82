/* SPDX-License-Identifier: MIT */
/*
 * A policy for tests of preemption: whatever arrives is admitted, idle SMs go to the oldest kernel
 * with blocks to issue, and nothing is ever reserved but by the test, which calls
 * vgpu_exec_reserve() itself.
 */
#ifndef TEST_MANUAL_H
#define TEST_MANUAL_H

#include "device/device.h"
#include "host.h"

extern const struct vgpu_policy manual_policy;

/*
 * A device of one SM with this policy and @mechanism, for computing on paper: the pipeline drains
 * in 0.5 us, and the context of one block, of which four fit into the SM, moves in 1 us.
 */
struct host *manual_one_sm(const char *mechanism);
/* The active kernel with launch id @id, NULL: it is not active. */
struct vgpu_ksr *manual_kernel(struct vgpu_device *dev, u32 id);

#endif

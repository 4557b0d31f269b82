/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Scheduling policies (Tanasic 5.2.3): which kernel runs, when, and on which SMs. A policy is one file with one table of
 * operations; it calls the services of exec/exec.h and knows no preemption mechanism. Operations are called after the state
 * they report has been entered; none of the services a policy may call makes a block start or end, so a policy can loop freely.
 */
#ifndef VGPU_POLICY_H
#define VGPU_POLICY_H

#include "../exec/exec.h"

/**
 * struct vgpu_policy - one policy
 * @rank: order of waiting commands and of active kernels: lowest first, equal ranks in the order of arrival
 * @changed: the policy has just been selected, with kernels active perhaps, or ranks may have changed
 * @kernel_arrived: the command buffer of @ctx was empty and is full
 * @kernel_finished: a kernel of @ctx has left the active queue
 * @sm_idle: SM @sm has become idle
 */
struct vgpu_policy {
	const char *name;
	u64 (*rank)(const struct vgpu_context *ctx);
	void (*changed)(struct vgpu_device *dev);
	void (*kernel_arrived)(struct vgpu_device *dev, struct vgpu_context *ctx);
	void (*kernel_finished)(struct vgpu_device *dev, struct vgpu_context *ctx);
	void (*sm_idle)(struct vgpu_device *dev, u32 sm);
};

extern const struct vgpu_policy vgpu_policy_fcfs;

/* Policy @index for listings, NULL past the end (list.c). */
const struct vgpu_policy *vgpu_policy_at(unsigned int index);
/* By its name, a newline at the end forgiven; NULL: there is none. */
const struct vgpu_policy *vgpu_policy_find(const char *name);

#endif

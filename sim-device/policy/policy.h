/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Scheduling policies (Tanasic 5.2.3): which kernel runs, when, and on which SMs. A policy is one
 * file with one table of operations; it calls the services of exec/exec.h and knows no preemption
 * mechanism. Operations are called after the state they report has been entered; none of the
 * services a policy may call makes a block start or end, so a policy can loop freely.
 */
#ifndef VGPU_POLICY_H
#define VGPU_POLICY_H

#include "../exec/exec.h"

/**
 * struct vgpu_policy - one policy
 * @rank: order of contexts, lowest first; it is asked again whenever the context's priority,
 *   budget, kernels or SMs have changed
 * @wait_rank: order of waiting commands, equal ranks in the order of arrival. NULL: as rank
 * @prepare: before @changed, and before ranks are asked for again: work out what they depend on.
 *   May be NULL
 * @changed: the policy has just been selected, with kernels active and SMs assigned and reserved by
 *   another perhaps, or contexts came, went or were given another priority or budget
 * @kernel_arrived: the command buffer of @ctx was empty and is full
 * @kernel_finished: a kernel of @ctx has left the active queue
 * @sm_idle: SM @sm has become idle
 * @timer: the time set with vgpu_exec_timer() has come. May be NULL
 */
struct vgpu_policy {
	const char *name;
	u64 (*rank)(const struct vgpu_context *ctx);
	u64 (*wait_rank)(const struct vgpu_context *ctx);
	void (*prepare)(struct vgpu_device *dev);
	void (*changed)(struct vgpu_device *dev);
	void (*kernel_arrived)(struct vgpu_device *dev, struct vgpu_context *ctx);
	void (*kernel_finished)(struct vgpu_device *dev, struct vgpu_context *ctx);
	void (*sm_idle)(struct vgpu_device *dev, u32 sm);
	void (*timer)(struct vgpu_device *dev);
};

extern const struct vgpu_policy vgpu_policy_fcfs;
extern const struct vgpu_policy vgpu_policy_npq;
extern const struct vgpu_policy vgpu_policy_ppq_exclusive;
extern const struct vgpu_policy vgpu_policy_ppq_shared;
extern const struct vgpu_policy vgpu_policy_dss;
extern const struct vgpu_policy vgpu_policy_static;
extern const struct vgpu_policy vgpu_policy_round_robin;

/* What several policies do alike: */
/* exclusive.c: one context at a time, its kernels back to back */
void vgpu_policy_exclusive(struct vgpu_device *dev);
/* share.c: set standing.budget of all contexts; returns how many SMs could not be divided */
u32 vgpu_policy_share(struct vgpu_device *dev);
/* share.c: is the budget of @ctx a share, and not a number of tokens it was given? */
bool vgpu_policy_has_share(const struct vgpu_context *ctx);

/* Policy @index for listings, NULL past the end (list.c). */
const struct vgpu_policy *vgpu_policy_at(unsigned int index);
/* By its name, a newline at the end forgiven; NULL: there is none. */
const struct vgpu_policy *vgpu_policy_find(const char *name);

#endif

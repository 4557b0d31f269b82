/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * For other kernel modules: a scheduling policy or a preemption mechanism of theirs for the devices
 * of vgpu.ko. What either is, and what it may call, is in vgpu_policy.h;
 * docs/writing-a-policy.md has a whole module.
 */
#ifndef VGPU_MODULE_H
#define VGPU_MODULE_H

#include <linux/module.h>

#include "vgpu_policy.h"

/**
 * vgpu_policy_register - make @policy one that every device can select, by its name
 *
 * May sleep. @policy stays valid until vgpu_policy_unregister() has returned. Its operations are
 * called by the kthreads of devices, several at a time if there are several systems of devices;
 * they must not sleep. Device models do not check pointers that a policy passes; numbers of SMs and
 * whether a decision is possible are checked (exec/outside/).
 *
 * -EINVAL, -EEXIST, -ENOSPC: as vgpu_policy_add(); a line in the log says what would be right.
 */
#define vgpu_policy_register(policy)		kvgpu_policy_register(policy, THIS_MODULE)
/* The same for a mechanism. */
#define vgpu_preemption_register(preemption)	kvgpu_preemption_register(preemption, THIS_MODULE)

/**
 * vgpu_policy_unregister - nobody can select @policy any more, and nothing of it is called
 *
 * May sleep. Devices that have it selected go on with fcfs; what waits and runs there is kept.
 */
void vgpu_policy_unregister(const struct vgpu_policy *policy);
/* Devices that have it selected go on with switch, and so do preemptions that it has begun. */
void vgpu_preemption_unregister(const struct vgpu_preemption *preemption);

int kvgpu_policy_register(const struct vgpu_policy *policy, struct module *owner);
int kvgpu_preemption_register(const struct vgpu_preemption *preemption, struct module *owner);

#endif

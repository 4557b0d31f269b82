/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Policies and mechanisms from outside of the module: who may look them up and select them while
 * they come and go.
 *
 * kvgpu_policies_lock is held while the lists change, and while a device comes whose configuration
 * names a policy. A knob is set by the actor, so whoever unregisters removes the policy from the
 * list first, and then asks the actor of every device to do without it: what that finds in the list
 * later is not the policy.
 *
 * Lock order: kvgpu_devices_lock, kvgpu_policies_lock; the actor takes neither.
 */
#ifndef KVGPU_POLICY_H
#define KVGPU_POLICY_H

#include "kmod/core/core.h"

extern struct mutex kvgpu_policies_lock;

/**
 * kvgpu_policies_attach - @kdev, whose model has just been made, can have policies from outside
 *
 * Under kvgpu_policies_lock, under which the model was made.
 */
void kvgpu_policies_attach(struct kvgpu_dev *kdev);
/* The model of @kdev is about to go. */
void kvgpu_policies_detach(struct kvgpu_dev *kdev);

#endif

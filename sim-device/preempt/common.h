/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Declarations of all preemption mechanisms.
 */
#ifndef VGPU_PREEMPT_COMMON_H
#define VGPU_PREEMPT_COMMON_H

#include "../vgpu_policy.h"

extern const struct vgpu_preemption vgpu_preemption_drain;
extern const struct vgpu_preemption vgpu_preemption_switch;
extern const struct vgpu_preemption vgpu_preemption_drain_then_switch;
extern const struct vgpu_preemption vgpu_preemption_flush;
extern const struct vgpu_preemption vgpu_preemption_chimera;
extern const struct vgpu_preemption vgpu_preemption_pep;

#endif

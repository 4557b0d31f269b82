/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Preemption mechanisms (Tanasic 5.2.2): how an SM becomes free. A mechanism is one file with one
 * table of operations; it knows no policy. The SM driver issues nothing to an SM that is being
 * preempted.
 */
#ifndef VGPU_PREEMPT_H
#define VGPU_PREEMPT_H

#include "../exec/exec.h"

/**
 * struct vgpu_preemption - one mechanism
 * @begin: start to free SM @sm, which has resident blocks; NULL: this mechanism cannot. Ends, then
 *   or later, with vgpu_exec_save(); an SM whose last block ends by itself is handed over by the SM
 *   driver. Until then it may use the event smst->preempt, which the SM driver cancels when the SM
 *   is handed over or its context ends.
 *
 * A preemption goes on with what began it: the choice of another mechanism concerns those that
 * begin afterwards. It goes on too when nobody wants the SM any more; the policy is then asked what
 * to do with it.
 */
struct vgpu_preemption {
	const char *name;
	void (*begin)(struct vgpu_device *dev, u32 sm);
};

extern const struct vgpu_preemption vgpu_preemption_none;
extern const struct vgpu_preemption vgpu_preemption_drain;
extern const struct vgpu_preemption vgpu_preemption_switch;
extern const struct vgpu_preemption vgpu_preemption_drain_then_switch;

/* Mechanism @index for listings, NULL past the end (list.c). */
const struct vgpu_preemption *vgpu_preemption_at(unsigned int index);
/* By its name, a newline at the end forgiven; NULL: there is none. */
const struct vgpu_preemption *vgpu_preemption_find(const char *name);

#endif

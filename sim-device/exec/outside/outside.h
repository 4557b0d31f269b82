/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Execution engine: policies and mechanisms from outside, whose decisions are checked (outside.c).
 */
#ifndef VGPU_EXEC_OUTSIDE_H
#define VGPU_EXEC_OUTSIDE_H

#include "../../sim/sim.h"
#include "../../vgpu_policy.h"

/**
 * struct vgpu_outside - the policy that is selected, if it is from outside
 * @is: is this one? NULL: none is. The room above sets this and the next three
 * @next: what follows one that goes
 * @next_small: the same where there is no memory for that: it has no private data
 * @mechanism: what follows a mechanism that goes; it saves blocks
 */
struct vgpu_outside {
	bool (*is)(const struct vgpu_policy *policy);
	const struct vgpu_policy *next, *next_small;
	const struct vgpu_preemption *mechanism;
	bool selected;			/* it is */
	const char *wrong;		/* it is to be ejected: @reason; or NULL */
	char reason[96];
	struct vgpu_event eject;
	struct vgpu_event look;		/* its watchdog looks */
	struct vgpu_exec_context *asked;	/* vgpu_exec_is_context(): the last, or NULL */
	u64 timer_at;			/* when its timer fired last … */
	u32 timer_repeats;		/* … and how often at that time */
	u64 churn_mark;			/* what had been executed … */
	u64 churn_since;		/* … since when nothing more was … */
	u64 churn_preemptions;		/* … and how many SMs had been preempted then */
};

/* @policy, @gone, which is from outside, is unloaded: the device goes on without it. */
void vgpu_exec_drop_policy(struct vgpu_exec *exec, const struct vgpu_policy *policy);
void vgpu_exec_drop_preemption(struct vgpu_exec *exec, const struct vgpu_preemption *gone);
/* policy_watchdog_ps has changed in the configuration. */
void vgpu_outside_watchdog_changed(struct vgpu_exec *exec);
/* A policy from outside has decided. */
void vgpu_outside_scheduled(struct vgpu_exec *exec);
/* Its timer fires. */
void vgpu_outside_timer(struct vgpu_exec *exec);
/* It is no longer selected, or the device ends. */
void vgpu_outside_fini(struct vgpu_exec *exec);

/*
 * What the policy decides, about SM @sm or VGPU_NO_SM, cannot be: @what. One from outside is
 * ejected, of one of ours the model is broken. Returns false.
 */
bool vgpu_exec_wrong(struct vgpu_exec *exec, const char *what, u32 sm, const char *file, int line);
/* Can it be, as it must (VGPU_CHECK())? */
#define VGPU_DECISION(exec, cond, sm, what)							\
	(likely(cond) ? true : vgpu_exec_wrong(exec, what, sm, __FILE__, __LINE__))

#endif

// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * First come, first served, as the GPUs of today do it (Tanasic 2.2, 2.3): kernels start in the
 * order in which they arrived. How they hand out the execution engine is for npq too, which differs
 * in its rank alone.
 *
 * Exclusive context: "at any given moment, the GPU is executing commands from one context only".
 * The first launch that waits is admitted if no kernel is active, or if those that are active
 * belong to its own context. A launch never overtakes one of another context that comes before it:
 * otherwise a process that launches without pause would keep all others out.
 *
 * Back-to-back execution: a kernel with enough thread blocks takes every SM, and the next one has
 * to wait. When the older kernel has no block left to issue, SMs that become free go to the next
 * active kernel, which then runs beside the last blocks of the older one.
 *
 * 2.2 goes on: "all commands submitted to the GPU must complete before switching to another
 * context". With fcfs_batch=1 fcfs does that: the context that has the engine keeps it until its
 * commands have completed, copies too, and meanwhile its own launches come before those of others.
 * That is for the commands that it had submitted when the launch arrived that waits for longest;
 * who submits without pause does not keep the others out.
 */
#include "common.h"

/** struct fcfs - @owner: the context whose launch was admitted last, if it is there still */
struct fcfs {
	struct vgpu_sched_context *owner;
};

void vgpu_policy_exclusive(struct vgpu_exec *exec)
{
	struct vgpu_sched_context *next;

	while ((next = vgpu_exec_waiting(exec)) && vgpu_exec_has_room(exec)) {
		const struct vgpu_sched_context *owner = vgpu_exec_active(exec);

		if (owner && owner != next)
			break;
		vgpu_exec_admit(exec, next);
	}
	vgpu_policy_assign_idle(exec);
}

/* Whose launch is next; NULL: nobody's yet. */
static struct vgpu_sched_context *next_of_batch(struct vgpu_exec *exec,
						struct vgpu_sched_context *owner)
{
	struct vgpu_sched_context *next = vgpu_exec_waiting(exec);
	u64 arrived;

	if (!next || !owner || next == owner)
		return next;
	arrived = vgpu_exec_launch_arrived(next);
	if (vgpu_exec_oldest_command(owner) > arrived)
		return owner->active_kernels ? NULL : next;
	return vgpu_exec_launch_arrived(owner) != VGPU_NEVER ? owner : NULL;
}

static void in_batches(struct vgpu_exec *exec)
{
	struct fcfs *fcfs = vgpu_exec_policy_data(exec);
	struct vgpu_sched_context *next;

	while (vgpu_exec_has_room(exec) && (next = next_of_batch(exec, fcfs->owner))) {
		fcfs->owner = next;
		vgpu_exec_admit(exec, next);
	}
	vgpu_policy_assign_idle(exec);
}

static void fcfs_schedule(struct vgpu_exec *exec)
{
	struct fcfs *fcfs = vgpu_exec_policy_data(exec);

	if (vgpu_exec_config(exec)->fcfs_batch) {
		in_batches(exec);
		return;
	}
	vgpu_policy_exclusive(exec);
	fcfs->owner = vgpu_exec_active(exec);
}

static void fcfs_command_ended(struct vgpu_exec *exec, struct vgpu_sched_context *ctx)
{
	const struct fcfs *fcfs = vgpu_exec_policy_data(exec);

	if (vgpu_exec_config(exec)->fcfs_batch && fcfs->owner == ctx)
		in_batches(exec);
}

static void fcfs_contexts_changed(struct vgpu_exec *exec)
{
	struct fcfs *fcfs = vgpu_exec_policy_data(exec);
	struct vgpu_sched_context *ctx = NULL;

	while ((ctx = vgpu_exec_next_context(exec, ctx)))
		if (ctx == fcfs->owner && ctx->takes_part)
			return;
	fcfs->owner = NULL;
}

/* No rank: everybody is equal, and order of arrival decides. */
const struct vgpu_policy vgpu_policy_fcfs = {
	.name = "fcfs",
	.takes_idle = true,
	.data_bytes = sizeof(struct fcfs),
	.schedule = fcfs_schedule,
	.contexts_changed = fcfs_contexts_changed,
	.command_ended = fcfs_command_ended,
};

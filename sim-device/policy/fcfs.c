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

/**
 * struct fcfs - @owned: there is an owner, the context whose launch was admitted last, while it is
 * open and takes part; its id is @owner
 */
struct fcfs {
	u32 owned;
	u32 owner;
};

static void set_owner(struct fcfs *fcfs, const struct vgpu_sched_context *ctx)
{
	fcfs->owned = ctx != NULL;
	fcfs->owner = ctx ? ctx->id : 0;
}

static struct vgpu_sched_context *owner_of(struct vgpu_exec *exec, const struct fcfs *fcfs)
{
	return fcfs->owned ? vgpu_policy_context(exec, fcfs->owner) : NULL;
}

void vgpu_policy_exclusive(struct vgpu_exec *exec)
{
	struct vgpu_sched_context *next;

	VGPU_WHILE((next = vgpu_exec_waiting(exec)) && vgpu_exec_has_room(exec)) {
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
	struct fcfs *fcfs = vgpu_exec_policy_data_of(exec, struct fcfs);
	struct vgpu_sched_context *next;

	VGPU_WHILE(vgpu_exec_has_room(exec) &&
		   (next = next_of_batch(exec, owner_of(exec, fcfs)))) {
		set_owner(fcfs, next);
		vgpu_exec_admit(exec, next);
	}
	vgpu_policy_assign_idle(exec);
}

VGPU_OP(schedule, void, fcfs_schedule, struct vgpu_exec *exec)
{
	struct fcfs *fcfs = vgpu_exec_policy_data_of(exec, struct fcfs);

	if (vgpu_exec_config(exec)->fcfs_batch) {
		in_batches(exec);
		return;
	}
	vgpu_policy_exclusive(exec);
	set_owner(fcfs, vgpu_exec_active(exec));
}

VGPU_OP(command_ended, void, fcfs_command_ended, struct vgpu_exec *exec,
	struct vgpu_sched_context *ctx)
{
	const struct fcfs *fcfs = vgpu_exec_policy_data_of(exec, struct fcfs);

	if (vgpu_exec_config(exec)->fcfs_batch && fcfs->owned && fcfs->owner == ctx->id)
		in_batches(exec);
}

VGPU_OP(contexts_changed, void, fcfs_contexts_changed, struct vgpu_exec *exec)
{
	struct fcfs *fcfs = vgpu_exec_policy_data_of(exec, struct fcfs);
	const struct vgpu_sched_context *owner = owner_of(exec, fcfs);

	if (!owner || !owner->takes_part)
		set_owner(fcfs, NULL);
}

/* No rank: everybody is equal, and order of arrival decides. */
VGPU_POLICY_OF_TREE(fcfs,
	.takes_idle = true,
	.data_bytes = sizeof(struct fcfs),
	VGPU_OPS(.schedule = fcfs_schedule,
		 .contexts_changed = fcfs_contexts_changed,
		 .command_ended = fcfs_command_ended));

// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Simultaneous multikernel with on-demand resource allocation (SMK 5.3.1, figure 4).
 *
 * The kernel with the lowest rK is the candidate: one block of it goes to the SM with the lowest
 * rSM. Where it does not fit, the SM with the highest rSM is the victim, what the candidate itself
 * has there left out, and the kernel with the highest rK there: as many of its blocks as are in the
 * way leave for one of the candidate, if that brings the rK of all kernels closer together. Else
 * nothing is done until something changes.
 *
 * The victim must keep more than the candidate has before. Else it would be the next candidate, and
 * the two could take turns for ever, even at one time if none of their blocks has begun. So each
 * step but the end of a block makes shares larger, in the order from the lowest to the highest, and
 * there is a last one.
 *
 * rK is that of the whole device. Its range is that of all active kernels that have blocks on SMs
 * or blocks to issue. Kernels with equal rK go by admission, SMs with equal rSM by number.
 */
#include "common.h"

static u64 share_with(const struct vgpu_exec *exec, const struct vgpu_ksr *ksr, s64 change)
{
	return vgpu_exec_kernel_share(exec, ksr, vgpu_exec_blocks_of(ksr) + (u64)change);
}

/* Of the SMs that @candidate's context may have. */
static u32 lowest_sm(const struct vgpu_exec *exec, const struct vgpu_ksr *candidate)
{
	u64 least = ~0ull, share;
	u32 found = 0;

	for (u32 sm = 0; sm < vgpu_exec_config(exec)->sms; sm++) {
		if (!vgpu_exec_may_hold(exec, sm, candidate))
			continue;
		share = vgpu_exec_sm_share(exec, sm, NULL);
		if (share < least) {
			least = share;
			found = sm;
		}
	}
	return found;
}

static u32 highest_sm(const struct vgpu_exec *exec, const struct vgpu_ksr *candidate)
{
	u64 most = 0, share;
	u32 found = 0;

	for (u32 sm = 0; sm < vgpu_exec_config(exec)->sms; sm++) {
		if (!vgpu_exec_may_hold(exec, sm, candidate))
			continue;
		share = vgpu_exec_sm_share(exec, sm, candidate);
		if (share > most) {
			most = share;
			found = sm;
		}
	}
	return found;
}

/* The kernel with the highest rK that has blocks on @sm, but for @candidate; NULL: none has. */
static struct vgpu_ksr *highest_kernel(struct vgpu_exec *exec, u32 sm,
				       const struct vgpu_ksr *candidate)
{
	struct vgpu_ksr *ksr = NULL, *found = NULL;
	u64 most = 0, share;

	while ((ksr = vgpu_exec_next_kernel(exec, ksr))) {
		if (ksr == candidate || !vgpu_exec_blocks_on(exec, sm, ksr))
			continue;
		share = share_with(exec, ksr, 0);
		if (share > most) {
			most = share;
			found = ksr;
		}
	}
	return found;
}

/* The range of rK when @candidate has a block more and @victim @count less. */
static u64 range_of(struct vgpu_exec *exec, const struct vgpu_ksr *candidate,
		    const struct vgpu_ksr *victim, u32 count)
{
	struct vgpu_ksr *ksr = NULL;
	u64 least = ~0ull, most = 0;

	while ((ksr = vgpu_exec_next_kernel(exec, ksr))) {
		s64 change = ksr == candidate ? 1 : ksr == victim ? -(s64)count : 0;
		u64 share;

		if (!vgpu_exec_has_blocks(ksr) && !vgpu_exec_blocks_of(ksr))
			continue;
		share = share_with(exec, ksr, count ? change : 0);
		least = share < least ? share : least;
		most = share > most ? share : most;
	}
	return most - least;
}

/* What can be done for a candidate. */
struct step {
	u32 sm;
	struct vgpu_ksr *victim;	/* whose blocks leave; NULL: there is room */
};

/* false: nothing. */
static bool find_step(struct vgpu_exec *exec, const struct vgpu_ksr *candidate, struct step *step)
{
	u32 count;

	*step = (struct step){ .sm = lowest_sm(exec, candidate) };
	if (vgpu_exec_fits(exec, step->sm, candidate))
		return true;
	step->sm = highest_sm(exec, candidate);
	step->victim = highest_kernel(exec, step->sm, candidate);
	if (!step->victim)
		return false;
	count = vgpu_exec_in_the_way(exec, step->sm, step->victim, candidate);
	/* shares are rounded: less than two units are no difference */
	return count &&
	       share_with(exec, step->victim, -(s64)count) > share_with(exec, candidate, 0) &&
	       range_of(exec, candidate, step->victim, count) + 1 <
				range_of(exec, candidate, step->victim, 0);
}

/*
 * Of the kernels with blocks to issue, the one with the lowest rK; NULL: none has. One whose
 * context has as many SMs as it may have is passed over unless something can be done for it.
 */
static struct vgpu_ksr *lowest_kernel(struct vgpu_exec *exec)
{
	struct vgpu_ksr *ksr = NULL, *found = NULL;
	u64 least = ~0ull, share;
	struct step step;

	while ((ksr = vgpu_exec_next_kernel(exec, ksr))) {
		if (!vgpu_exec_has_blocks(ksr) ||
		    (!vgpu_exec_may_hold_more(ksr) && !find_step(exec, ksr, &step)))
			continue;
		share = share_with(exec, ksr, 0);
		if (share < least) {
			least = share;
			found = ksr;
		}
	}
	return found;
}

static void smk_schedule(struct vgpu_exec *exec)
{
	struct vgpu_ksr *candidate;
	struct step step;

	vgpu_policy_admit_all(exec);
	while ((candidate = lowest_kernel(exec)) && find_step(exec, candidate, &step))
		if (!step.victim)
			vgpu_exec_dispatch(exec, step.sm, candidate);
		else if (vgpu_exec_replace(exec, step.sm, step.victim, candidate))
			return;
}

const struct vgpu_policy vgpu_policy_smk = {
	.name = "smk",
	.by_block = true,
	.schedule = smk_schedule,
};

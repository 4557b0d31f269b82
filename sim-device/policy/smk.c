// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Simultaneous multikernel with on-demand resource allocation (SMK 5.3.1, figure 4).
 *
 * The kernel with the lowest rK is the candidate: one block of it goes to the SM with the lowest
 * rSM. Where it does not fit, the SM with the highest rSM is the victim, what the candidate itself
 * has there left out, and the kernel with the highest rK there: as many of its blocks as are in the
 * way leave for one of the candidate, if that brings the rK of all kernels closer together. Where
 * all blocks of one kernel are not enough, one block after the other leaves, each of the kernel
 * with the highest rK then, as long as it takes: figure 4 has one victim, but a candidate with
 * large blocks would wait for the end of others, which may never come. Else nothing is done until
 * something changes.
 *
 * A victim must keep more than the candidate has before. Else it would be the next candidate, and
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
	u32 found = 0, sm;

	VGPU_FOR(sm, vgpu_exec_config(exec)->sms) {
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
	u32 found = 0, sm;

	VGPU_FOR(sm, vgpu_exec_config(exec)->sms) {
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

/** struct victim - a kernel, by its number, of which blocks leave */
struct victim {
	u32 kernel;
	u32 blocks;
};

/** struct step - what can be done for a candidate. @count: of @victims, 0: there is room */
struct step {
	u32 sm;
	u32 count;
	struct victim victims[VGPU_SM_KERNELS_MOST];
};

/* Victim @n of those that there are. BPF's verifier sees by the remainder that it is one. */
static struct victim *victim_of(struct step *step, u32 n)
{
	return &step->victims[n % VGPU_SM_KERNELS_MOST];
}

static u32 leaving(struct step *step, const struct vgpu_ksr *ksr)
{
	u32 kernel = vgpu_exec_kernel_id(ksr), n;

	VGPU_FOR(n, step->count)
		if (victim_of(step, n)->kernel == kernel)
			return victim_of(step, n)->blocks;
	return 0;
}

/*
 * The kernel with the highest rK, without what leaves in @step, that has blocks on that SM, but for
 * @candidate; NULL: none has.
 */
static struct vgpu_ksr *highest_kernel(struct vgpu_exec *exec, struct step *step,
				       const struct vgpu_ksr *candidate)
{
	struct vgpu_ksr *ksr = NULL, *found = NULL;
	u64 most = 0, share;

	VGPU_WHILE((ksr = vgpu_exec_next_kernel(exec, ksr))) {
		u32 less = leaving(step, ksr);

		if (ksr == candidate || vgpu_exec_blocks_on(exec, step->sm, ksr) == less)
			continue;
		share = share_with(exec, ksr, -(s64)less);
		if (share > most) {
			most = share;
			found = ksr;
		}
	}
	return found;
}

/* The range of rK; with @step: when @candidate has a block more, and others have what they keep. */
static u64 range_of(struct vgpu_exec *exec, const struct vgpu_ksr *candidate, struct step *step)
{
	struct vgpu_ksr *ksr = NULL;
	u64 least = ~0ull, most = 0;

	VGPU_WHILE((ksr = vgpu_exec_next_kernel(exec, ksr))) {
		s64 change = !step ? 0 : ksr == candidate ? 1 : -(s64)leaving(step, ksr);
		u64 share;

		if (!vgpu_exec_has_blocks(ksr) && !vgpu_exec_blocks_of(ksr))
			continue;
		share = share_with(exec, ksr, change);
		least = share < least ? share : least;
		most = share > most ? share : most;
	}
	return most - least;
}

/* Does a block of @candidate fit when those of @step have left? */
static bool would_fit(struct vgpu_exec *exec, const struct vgpu_ksr *candidate, struct step *step)
{
	struct vgpu_resources used = {}, all;
	struct vgpu_ksr *ksr = NULL;
	u32 others = 0;

	VGPU_WHILE((ksr = vgpu_exec_next_kernel(exec, ksr))) {
		u32 blocks = vgpu_exec_blocks_on(exec, step->sm, ksr) - leaving(step, ksr);

		others += blocks && ksr != candidate;
		vgpu_resources_add(&used, vgpu_exec_needs(ksr), blocks);
	}
	vgpu_exec_sm_resources(exec, step->sm, &all);
	/* an empty SM is set to what the candidate needs */
	if (!used.blocks)
		all.shared_bytes = vgpu_exec_shared_size(candidate);
	return others < vgpu_exec_config(exec)->kernels_per_sm &&
	       vgpu_resources_fit(&used, vgpu_exec_needs(candidate), &all);
}

/* One block more of @ksr leaves. false: none can now. */
static bool add_victim(struct vgpu_exec *exec, struct step *step, struct vgpu_ksr *ksr)
{
	u32 kernel = vgpu_exec_kernel_id(ksr), n;

	if (vgpu_exec_evictable(exec, step->sm, ksr) == leaving(step, ksr))
		return false;
	VGPU_FOR(n, step->count)
		if (victim_of(step, n)->kernel == kernel) {
			victim_of(step, n)->blocks++;
			return true;
		}
	if (step->count == VGPU_SM_KERNELS_MOST)
		return false;
	*victim_of(step, step->count++) = (struct victim){ .kernel = kernel, .blocks = 1 };
	return true;
}

static void leaves_last(struct step *step, u32 kernel)
{
	struct victim *last = victim_of(step, step->count - 1), then;
	u32 n;

	VGPU_FOR(n, step->count)
		if (victim_of(step, n)->kernel == kernel) {
			then = *victim_of(step, n);
			*victim_of(step, n) = *last;
			*last = then;
			return;
		}
}

/* Whose blocks make room on step->sm. The last victim is the one whose blocks leave last. */
static bool find_victims(struct vgpu_exec *exec, const struct vgpu_ksr *candidate,
			 struct step *step)
{
	struct vgpu_ksr *ksr = highest_kernel(exec, step, candidate);
	u32 blocks = ksr ? vgpu_exec_in_the_way(exec, step->sm, ksr, candidate) : 0;
	u32 last = 0;

	if (blocks) {
		step->victims[0].kernel = vgpu_exec_kernel_id(ksr);
		step->victims[0].blocks = blocks;
		step->count = 1;
		return true;
	}
	VGPU_WHILE(ksr && !would_fit(exec, candidate, step)) {
		if (!add_victim(exec, step, ksr))
			return false;
		last = vgpu_exec_kernel_id(ksr);
		ksr = highest_kernel(exec, step, candidate);
	}
	if (!step->count || !would_fit(exec, candidate, step))
		return false;
	leaves_last(step, last);
	return true;
}

/* Victims keep more than @candidate has before. */
static bool keep_more(struct vgpu_exec *exec, const struct vgpu_ksr *candidate, struct step *step)
{
	u32 n;

	VGPU_FOR(n, step->count) {
		const struct victim *victim = victim_of(step, n);
		const struct vgpu_ksr *ksr = vgpu_policy_kernel(exec, victim->kernel);

		if (ksr && share_with(exec, ksr, -(s64)victim->blocks) <=
			   share_with(exec, candidate, 0))
			return false;
	}
	return true;
}

/* false: nothing. */
static bool find_step(struct vgpu_exec *exec, const struct vgpu_ksr *candidate, struct step *step)
{
	*step = (struct step){ .sm = lowest_sm(exec, candidate) };
	if (vgpu_exec_fits(exec, step->sm, candidate))
		return true;
	step->sm = highest_sm(exec, candidate);
	/* shares are rounded: less than two units are no difference */
	return find_victims(exec, candidate, step) && keep_more(exec, candidate, step) &&
	       range_of(exec, candidate, step) + 1 < range_of(exec, candidate, NULL);
}

/* false: it could not be done. */
static bool take_step(struct vgpu_exec *exec, struct vgpu_ksr *candidate, struct step *step)
{
	struct vgpu_ksr *ksr;
	u32 n, count;

	if (!step->count) {
		vgpu_exec_dispatch(exec, step->sm, candidate);
		return true;
	}
	VGPU_FOR(n, step->count - 1) {
		ksr = vgpu_policy_kernel(exec, victim_of(step, n)->kernel);
		VGPU_FOR(count, victim_of(step, n)->blocks)
			if (!ksr || vgpu_exec_evict(exec, step->sm, ksr))
				return false;
	}
	ksr = vgpu_policy_kernel(exec, victim_of(step, step->count - 1)->kernel);
	return ksr && !vgpu_exec_replace(exec, step->sm, ksr, candidate);
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

	VGPU_WHILE((ksr = vgpu_exec_next_kernel(exec, ksr))) {
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

VGPU_OP(schedule, void, smk_schedule, struct vgpu_exec *exec)
{
	struct vgpu_ksr *candidate;
	struct step step;

	vgpu_policy_admit_all(exec);
	VGPU_WHILE((candidate = lowest_kernel(exec)) && find_step(exec, candidate, &step))
		if (!take_step(exec, candidate, &step))
			return;
}

VGPU_POLICY_OF_TREE(smk,
	.by_block = true,
	VGPU_OPS(.schedule = smk_schedule));

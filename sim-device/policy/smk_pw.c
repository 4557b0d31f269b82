// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Simultaneous multikernel with resource partitions and quotas of issue slots (SMK 5.4): smk-p, and
 * on each shared SM the warp schedulers issue for each kernel in proportion to its quota.
 *
 * A kernel is profiled on an SM of its own, one of the first: it keeps that until it has issued its
 * last block. If some come back, because others need room, it shares it: else the two would drive
 * each other out again and again. At least half of the SMs are shared; kernels that come later have
 * none of their own. What was issued there in the last epoch, and how many blocks an SM holds
 * then, give x and T. SMs of their own are only for kernels that share others: one kernel alone has
 * all SMs, and no quotas.
 *
 * Quotas are computed at the end of each epoch (quota_epoch_cycles), from the most recent profile
 * and the partitions. A kernel that has not been profiled yet is taken to issue always. With
 * kernels_per_sm=2 this is SMK-(P+W)2 of 5.5.
 */
#include "drf.h"
#include "partitions.h"

/** struct profile - of the kernel that has SM n */
struct profile {
	u32 kernel;		/* its id; 0: none */
	bool over;		/* it has issued its last block: it shares the SM */
	u64 since;		/* cycle from which on it is profiled */
	u64 before;		/* instructions of the SM until then */
	u64 instructions;	/* of the last epoch */
	u64 slots;		/* 0: there is none yet */
};

/** struct smk_pw - private data */
struct smk_pw {
	struct vgpu_partitions partitions;
	struct profile profile[VGPU_SM_KERNELS_MOST];
	bool ticking;
};

static const struct profile *profile_of(const struct smk_pw *pw, const struct vgpu_ksr *ksr)
{
	for (u32 n = 0; n < VGPU_SM_KERNELS_MOST; n++)
		if (pw->profile[n].kernel == vgpu_exec_kernel_id(ksr))
			return &pw->profile[n];
	return NULL;
}

/* SMs that kernels may have of their own. */
static u32 most_dedicated(const struct vgpu_exec *exec)
{
	u32 half = vgpu_exec_config(exec)->sms / 2;

	return half < VGPU_SM_KERNELS_MOST ? half : VGPU_SM_KERNELS_MOST;
}

/* The kernel that has SM @sm for itself; NULL: nobody has, or nobody else has blocks to issue. */
static struct vgpu_ksr *dedicated(struct vgpu_exec *exec, u32 sm)
{
	struct smk_pw *pw = vgpu_exec_policy_data(exec);
	struct vgpu_ksr *own, *ksr = NULL;
	u32 count = 0;

	if (sm >= VGPU_SM_KERNELS_MOST || !pw->profile[sm].kernel)
		return NULL;
	own = vgpu_policy_kernel(exec, pw->profile[sm].kernel);
	if (!own)
		return NULL;
	pw->profile[sm].over |= !vgpu_exec_has_blocks(own);
	if (pw->profile[sm].over)
		return NULL;
	while ((ksr = vgpu_exec_next_kernel(exec, ksr)))
		count += vgpu_exec_has_blocks(ksr);
	return count > 1 ? own : NULL;
}

/* ---- profiles ----------------------------------------------------------- */

static void restart(struct vgpu_exec *exec, struct profile *profile, u32 sm, u32 kernel)
{
	*profile = (struct profile){
		.kernel = kernel,
		.since = vgpu_exec_cycle(exec),
		.before = vgpu_exec_sm_instructions(exec, sm),
	};
}

/* What the kernel on SM @sm has issued since it was looked at last. */
static void take_profile(struct vgpu_exec *exec, struct profile *profile, u32 sm)
{
	u64 now = vgpu_exec_cycle(exec), issued = vgpu_exec_sm_instructions(exec, sm);

	if (now == profile->since)
		return;
	profile->instructions = issued - profile->before;
	profile->slots = (now - profile->since) * vgpu_exec_config(exec)->warp_schedulers;
	profile->since = now;
	profile->before = issued;
}

/* A kernel keeps its SM until it ends; one that has none gets the first that nobody has. */
static void assign_profiles(struct vgpu_exec *exec, struct smk_pw *pw)
{
	struct vgpu_ksr *ksr = NULL;
	u32 n;

	for (n = 0; n < VGPU_SM_KERNELS_MOST; n++)
		if (!vgpu_policy_kernel(exec, pw->profile[n].kernel))
			pw->profile[n].kernel = 0;
	while ((ksr = vgpu_exec_next_kernel(exec, ksr))) {
		if (!vgpu_exec_has_blocks(ksr) || profile_of(pw, ksr))
			continue;
		for (n = 0; n < most_dedicated(exec) && pw->profile[n].kernel; n++)
			;
		if (n < most_dedicated(exec))
			restart(exec, &pw->profile[n], n, vgpu_exec_kernel_id(ksr));
	}
}

static void take_profiles(struct vgpu_exec *exec, struct smk_pw *pw)
{
	for (u32 n = 0; n < most_dedicated(exec); n++) {
		if (dedicated(exec, n))
			take_profile(exec, &pw->profile[n], n);
		else if (pw->profile[n].kernel && !pw->profile[n].over && !pw->profile[n].slots)
			restart(exec, &pw->profile[n], n, pw->profile[n].kernel);
	}
}

/* ---- quotas ------------------------------------------------------------- */

static struct vgpu_quota_kernel quota_kernel(const struct vgpu_exec *exec, const struct smk_pw *pw,
					     u32 sm, const struct vgpu_ksr *ksr)
{
	const struct profile *profile = profile_of(pw, ksr);

	return (struct vgpu_quota_kernel){
		.instructions = profile ? profile->instructions : 0,
		.slots = profile ? profile->slots : 0,
		.alone = vgpu_exec_occupancy(ksr),
		.blocks = vgpu_exec_blocks_on(exec, sm, ksr),
	};
}

static void set_quotas(struct vgpu_exec *exec, const struct smk_pw *pw, u32 sm)
{
	struct vgpu_quota_kernel kernels[VGPU_SM_KERNELS_MOST];
	struct vgpu_ksr *of[VGPU_SM_KERNELS_MOST], *ksr = NULL;
	u32 count = 0;

	while (count < VGPU_SM_KERNELS_MOST && (ksr = vgpu_exec_next_kernel(exec, ksr))) {
		kernels[count] = quota_kernel(exec, pw, sm, ksr);
		of[count] = ksr;
		count += kernels[count].blocks > 0;
	}
	vgpu_quota_divide(kernels, count, vgpu_exec_config(exec)->quota_epoch_cycles);
	for (u32 n = 0; n < count; n++)
		vgpu_exec_set_quota(exec, sm, of[n], count > 1 ? kernels[n].quota : 0);
}

static void smk_pw_timer(struct vgpu_exec *exec)
{
	struct smk_pw *pw = vgpu_exec_policy_data(exec);

	pw->ticking = false;
	take_profiles(exec, pw);
	for (u32 sm = 0; sm < vgpu_exec_config(exec)->sms; sm++)
		set_quotas(exec, pw, sm);
}

static void smk_pw_schedule(struct vgpu_exec *exec)
{
	struct smk_pw *pw = vgpu_exec_policy_data(exec);
	const struct vgpu_config *config = vgpu_exec_config(exec);

	vgpu_policy_admit_all(exec);
	assign_profiles(exec, pw);
	vgpu_partitions_schedule(exec, &pw->partitions, dedicated);
	if (pw->ticking || !vgpu_exec_next_kernel(exec, NULL))
		return;
	pw->ticking = true;
	vgpu_exec_timer(exec, vgpu_exec_time_after(exec, (u64)config->quota_epoch_cycles *
								 1000000000ull /
								 config->clock_khz));
}

const struct vgpu_policy vgpu_policy_smk_pw = {
	.name = "smk-pw",
	.by_block = true,
	.data_bytes = sizeof(struct smk_pw),
	.schedule = smk_pw_schedule,
	.timer = smk_pw_timer,
};

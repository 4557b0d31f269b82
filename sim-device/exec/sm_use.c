// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Who has what of each SM now (SMK 5.2), for who asks from outside: the same numbers of an SM that
 * several kernels share and of one that is in the hands of one kernel.
 */
#include "exec.h"

/* Blocks of the kernel that has @sm for itself: on it, on their way from it and to it. */
static u32 blocks_of_owner(const struct vgpu_exec *exec, u32 sm)
{
	const struct vgpu_smst *smst = &exec->smst[sm];

	/* what it claims later takes the places of blocks that are being saved */
	return vgpu_smst_places(exec, sm) + (smst->state == VGPU_SM_SETUP ? smst->claimed : 0);
}

/* Enter @ksr, with @blocks blocks on an SM that has @all. */
static void enter(struct vgpu_sm_use *use, const struct vgpu_ksr *ksr, u32 blocks, u32 partition,
		  const struct vgpu_resources *all)
{
	struct vgpu_resources used = {};

	vgpu_resources_add(&used, &ksr->needs, blocks);
	use->kernel[use->kernels++] = (struct vgpu_sm_kernel){
		.context = ksr->ctx->sched.id,
		.launch = ksr->launch.id,
		.blocks = blocks,
		.partition = partition,
		.registers = (u32)used.registers,
		.shared_bytes = (u32)used.shared_bytes,
		.warps = (u32)(used.threads / 32),
		.share = vgpu_resources_share(&used, all),
	};
}

/* What all kernels together have. */
static void sum_up(struct vgpu_sm_use *use, const struct vgpu_resources *all)
{
	struct vgpu_resources used;

	for (u32 n = 0; n < use->kernels; n++) {
		use->blocks += use->kernel[n].blocks;
		use->registers += use->kernel[n].registers;
		use->shared_bytes += use->kernel[n].shared_bytes;
		use->warps += use->kernel[n].warps;
	}
	used = (struct vgpu_resources){
		.registers = use->registers,
		.shared_bytes = use->shared_bytes,
		.threads = use->warps * 32ull,
		.blocks = use->blocks,
	};
	use->share = vgpu_resources_share(&used, all);
}

int vgpu_exec_sm_use(const struct vgpu_exec *exec, u32 sm, struct vgpu_sm_use *use)
{
	const struct vgpu_sharer *sharer;
	const struct vgpu_smst *smst;
	struct vgpu_resources all;

	if (sm >= exec->config->sms)
		return -ENOENT;
	smst = &exec->smst[sm];
	memset(use, 0, sizeof(*use));
	vgpu_exec_sm_resources(exec, sm, &all);
	use->shared_size = vgpu_exec_shared_set(exec, sm);
	if (smst->ksr) {
		use->shared_size = smst->ksr->shared_config;
		all.shared_bytes = use->shared_size;
		enter(use, smst->ksr, blocks_of_owner(exec, sm), VGPU_NO_PARTITION, &all);
	} else {
		vgpu_list_for_each(sharer, &smst->residents, struct vgpu_sharer, node)
			enter(use, sharer->ksr, sharer->blocks, sharer->partition, &all);
	}
	sum_up(use, &all);
	return 0;
}

void vgpu_exec_context_use(const struct vgpu_exec *exec, const struct vgpu_exec_context *ctx,
			   struct vgpu_account *account)
{
	const struct vgpu_sharer *sharer;
	struct vgpu_resources used = {};

	for (u32 sm = 0; sm < exec->config->sms; sm++) {
		const struct vgpu_smst *smst = &exec->smst[sm];

		if (smst->ksr) {
			if (smst->ksr->ctx == ctx)
				vgpu_resources_add(&used, &smst->ksr->needs,
						   blocks_of_owner(exec, sm));
			continue;
		}
		vgpu_list_for_each(sharer, &smst->residents, struct vgpu_sharer, node)
			if (sharer->ksr->ctx == ctx)
				vgpu_resources_add(&used, &sharer->ksr->needs, sharer->blocks);
	}
	account->sm_blocks = used.blocks;
	account->sm_registers = used.registers;
	account->sm_shared_bytes = used.shared_bytes;
	account->sm_warps = used.threads / 32;
}

u64 vgpu_exec_instructions(const struct vgpu_exec *exec)
{
	u64 sum = 0;

	for (u32 sm = 0; sm < exec->config->sms; sm++)
		sum += exec->sms[sm].instructions;
	return sum;
}

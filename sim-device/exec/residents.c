// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Kernels side by side on an SM (SMK section 5; docs/sharing.md): what policies by block call.
 *
 * DOC: shared SMs
 *
 * An SM has up to kernels_per_sm resident kernels, of any contexts, each with blocks or with a
 * partition. What the blocks of all take together never exceeds what the SM has. A block takes its
 * part from its dispatch, also while the SM is set up for its kernel or its state is restored, to
 * its end, or to the end of its save.
 *
 * A block that is told to leave stops, what it has in flight ends, and its state is saved, while
 * its neighbours go on (5.1, partial context switch). Then it is in the PTBQ of its kernel. A block
 * that is to take its place is promised the room: nobody else gets it (@coming_part).
 *
 * Where nothing is under way, used + coming_part fits into the SM. While blocks leave, used -
 * leaving_part + coming_part does.
 *
 * The time of a shared SM is that of its residents, by their dominant shares (accounting.c). A
 * context holds an SM, as its limit of SMs counts, while it has a block there, or one is to come,
 * or a part of the SM is kept for it.
 */
#include "residents.h"

/* ---- the table ---------------------------------------------------------- */

void vgpu_residents_init(struct vgpu_smst *smst)
{
	vgpu_list_init(&smst->residents);
	for (u32 n = 0; n < VGPU_SM_KERNELS_MOST; n++)
		smst->resident[n].smst = smst;
}

struct vgpu_sharer *vgpu_sharer_find(const struct vgpu_smst *smst, const struct vgpu_ksr *ksr)
{
	struct vgpu_sharer *resident;

	vgpu_list_for_each(resident, &smst->residents, struct vgpu_sharer, node)
		if (resident->ksr == ksr)
			return resident;
	return NULL;
}

/* Has it blocks that stay, or a part of the SM that is kept for it? */
static bool stays(const struct vgpu_sharer *resident)
{
	return resident->blocks > resident->leaving || resident->coming ||
	       resident->partition != VGPU_NO_PARTITION;
}

/* May @smst have one kernel beside @others? An entry is there for it, unless it has one. */
static bool may_add(const struct vgpu_exec *exec, const struct vgpu_smst *smst, u32 others,
		    const struct vgpu_sharer *entry)
{
	return others < exec->config->kernels_per_sm &&
	       (entry || smst->kernels < VGPU_SM_KERNELS_MOST);
}

/* Kernels of @smst but for @entry, those too whose blocks all leave. */
static u32 count_others(const struct vgpu_smst *smst, const struct vgpu_sharer *entry)
{
	return smst->kernels - !!entry;
}

/* The same when all has left that is told to, and @victim. */
static u32 count_staying(const struct vgpu_smst *smst, const struct vgpu_sharer *entry,
			 const struct vgpu_sharer *victim)
{
	const struct vgpu_sharer *resident;
	u32 count = 0;

	vgpu_list_for_each(resident, &smst->residents, struct vgpu_sharer, node)
		count += resident != entry && resident != victim && stays(resident);
	return count;
}

/* The entry of @ksr, a new one if need be: there is room for it. */
struct vgpu_sharer *vgpu_sharer_get(struct vgpu_smst *smst, struct vgpu_ksr *ksr)
{
	struct vgpu_sharer *resident = vgpu_sharer_find(smst, ksr);
	u32 n = 0;

	if (resident)
		return resident;
	while (smst->resident[n].ksr)
		n++;
	resident = &smst->resident[n];
	resident->ksr = ksr;
	resident->partition = VGPU_NO_PARTITION;
	resident->would_leave = 0;
	vgpu_list_add_tail(&resident->node, &smst->residents);
	smst->kernels++;
	ksr->exec->residents++;
	return resident;
}

/* It stays in the table as long as it has blocks, or a part of the SM is kept for it. */
void vgpu_sharer_put(struct vgpu_sharer *resident)
{
	if (resident->blocks || resident->coming || resident->partition != VGPU_NO_PARTITION)
		return;
	vgpu_list_del(&resident->node);
	resident->ksr->exec->residents--;
	if (likely(!resident->ksr->exec->trial))
		vgpu_sm_set_quota(&resident->ksr->exec->sms[vgpu_smst_number(resident->smst)],
				  resident->ksr->launch.id, 0);
	resident->ksr = NULL;
	resident->smst->kernels--;
}

/* A partition of none is no part of the SM. */
static bool has_part(const struct vgpu_sharer *resident)
{
	return resident->blocks || resident->coming ||
	       (resident->partition && resident->partition != VGPU_NO_PARTITION);
}

bool vgpu_residents_hold(const struct vgpu_smst *smst, const struct vgpu_exec_context *ctx)
{
	const struct vgpu_sharer *resident;

	vgpu_list_for_each(resident, &smst->residents, struct vgpu_sharer, node)
		if (resident->ksr->ctx == ctx && has_part(resident))
			return true;
	return false;
}

/* What @resident has of its SM has changed; its context @held it before. */
void vgpu_sharer_count_holder(struct vgpu_exec *exec, const struct vgpu_sharer *resident, bool held)
{
	struct vgpu_exec_context *ctx = resident->ksr->ctx;
	bool holds = vgpu_residents_hold(resident->smst, ctx);

	if (holds != held)
		vgpu_runqueue_shared(exec, ctx, holds ? 1 : -1);
}

/* ---- what it has -------------------------------------------------------- */

static struct vgpu_resources resources_of(const struct vgpu_exec *exec, u32 shared_bytes)
{
	return (struct vgpu_resources){
		.registers = exec->config->regs_per_sm,
		.shared_bytes = shared_bytes,
		.threads = exec->config->threads_per_sm,
		.blocks = exec->config->blocks_per_sm,
	};
}

void vgpu_exec_sm_resources(const struct vgpu_exec *exec, u32 sm, struct vgpu_resources *all)
{
	const struct vgpu_smst *smst = &exec->smst[sm];

	*all = resources_of(exec, smst->used.blocks ? smst->shared_config :
						       exec->config->shared_per_sm);
}

/* The first block for an SM that has none decides what it is set to. */
struct vgpu_resources vgpu_smst_resources(const struct vgpu_exec *exec,
					   const struct vgpu_smst *smst, u64 blocks,
					   const struct vgpu_ksr *ksr)
{
	return resources_of(exec, blocks ? smst->shared_config : ksr->shared_config);
}

bool vgpu_exec_may_hold_more(const struct vgpu_ksr *ksr)
{
	return vgpu_exec_takes_more(ksr->ctx);
}

bool vgpu_exec_may_hold(const struct vgpu_exec *exec, u32 sm, const struct vgpu_ksr *ksr)
{
	return vgpu_exec_may_hold_more(ksr) || vgpu_residents_hold(&exec->smst[sm], ksr->ctx);
}

/* May @ksr have one block more beside @others kernels, as far as its entry goes? */
static bool may_have_more(const struct vgpu_exec *exec, const struct vgpu_smst *smst,
			  const struct vgpu_ksr *ksr, u32 others)
{
	const struct vgpu_sharer *entry = vgpu_sharer_find(smst, ksr);

	if (smst->ksr || !vgpu_exec_may_hold(exec, vgpu_smst_number(smst), ksr))
		return false;
	if (!entry || !stays(entry))
		return may_add(exec, smst, others, entry);
	return entry->partition == VGPU_NO_PARTITION ||
	       entry->blocks - entry->leaving + entry->coming < entry->partition;
}

static u32 count_with_blocks(const struct vgpu_smst *smst)
{
	const struct vgpu_sharer *resident;
	u32 count = 0;

	vgpu_list_for_each(resident, &smst->residents, struct vgpu_sharer, node)
		count += !!resident->blocks;
	return count;
}

/* May a block of @entry's kernel, NULL: of a new one, be on @smst beside what has not left yet? */
bool vgpu_sharer_may_come(const struct vgpu_exec *exec, const struct vgpu_smst *smst,
		     const struct vgpu_sharer *entry)
{
	return (entry && entry->blocks) || count_with_blocks(smst) < exec->config->kernels_per_sm;
}

bool vgpu_exec_fits(const struct vgpu_exec *exec, u32 sm, const struct vgpu_ksr *ksr)
{
	const struct vgpu_smst *smst = &exec->smst[sm];
	const struct vgpu_sharer *entry = vgpu_sharer_find(smst, ksr);
	struct vgpu_resources used = smst->used, all;

	if (!vgpu_sharer_may_come(exec, smst, entry) ||
	    !may_have_more(exec, smst, ksr, count_others(smst, entry)))
		return false;
	vgpu_resources_add(&used, &smst->coming_part, 1);
	all = vgpu_smst_resources(exec, smst, used.blocks, ksr);
	return vgpu_resources_fit(&used, &ksr->needs, &all);
}

/* The block whose state is being restored now, if it is one of @sharer; NULL: it is not. */
const struct vgpu_block *vgpu_sharer_restoring(const struct vgpu_sharer *sharer)
{
	const struct vgpu_block *first =
		vgpu_list_first(&sharer->smst->moving, struct vgpu_block, node);

	return sharer->smst->batch && first->state == VGPU_BLOCK_RESTORING &&
	       first->launch == &sharer->ksr->launch ? first : NULL;
}

/* Blocks that can be told to leave: a restore that has begun ends. */
static u32 count_evictable(const struct vgpu_sharer *sharer)
{
	return sharer->blocks - sharer->leaving - !!vgpu_sharer_restoring(sharer);
}

/* Is nothing left of @sharer when @count more of its blocks have left? */
static bool leaves(const struct vgpu_sharer *sharer, u32 count)
{
	return sharer->blocks == sharer->leaving + count && !sharer->coming &&
	       sharer->partition == VGPU_NO_PARTITION;
}

u32 vgpu_exec_in_the_way(const struct vgpu_exec *exec, u32 sm, const struct vgpu_ksr *victim,
			 const struct vgpu_ksr *ksr)
{
	const struct vgpu_smst *smst = &exec->smst[sm];
	const struct vgpu_sharer *from = vgpu_sharer_find(smst, victim);
	struct vgpu_resources used = smst->used, all;
	const struct vgpu_sharer *entry = vgpu_sharer_find(smst, ksr);
	u32 most = from ? count_evictable(from) : 0;

	vgpu_resources_sub(&used, &smst->leaving_part, 1);
	vgpu_resources_add(&used, &smst->coming_part, 1);
	/* 0: it fits when those have left that have been told to */
	for (u32 count = 0; from && count <= most; count++) {
		all = vgpu_smst_resources(exec, smst, used.blocks, ksr);
		if (vgpu_resources_fit(&used, &ksr->needs, &all) &&
		    may_have_more(exec, smst, ksr,
				  count_staying(smst, entry, leaves(from, count) ? from : NULL)))
			return count;
		vgpu_resources_sub(&used, &victim->needs, 1);
	}
	return 0;
}

u32 vgpu_exec_evictable(const struct vgpu_exec *exec, u32 sm, const struct vgpu_ksr *ksr)
{
	const struct vgpu_sharer *resident = vgpu_sharer_find(&exec->smst[sm], ksr);

	return resident ? count_evictable(resident) : 0;
}

u32 vgpu_exec_kernel_id(const struct vgpu_ksr *ksr)
{
	return ksr->launch.id;
}

u32 vgpu_exec_shared_size(const struct vgpu_ksr *ksr)
{
	return ksr->shared_config;
}

u32 vgpu_exec_shared_set(const struct vgpu_exec *exec, u32 sm)
{
	return exec->smst[sm].used.blocks ? exec->smst[sm].shared_config : 0;
}

bool vgpu_exec_has_blocks(const struct vgpu_ksr *ksr)
{
	return ksr->unclaimed > ksr->coming;
}

u64 vgpu_exec_blocks_to_issue(const struct vgpu_ksr *ksr)
{
	return ksr->unclaimed > ksr->coming ? ksr->unclaimed - ksr->coming : 0;
}

const struct vgpu_resources *vgpu_exec_needs(const struct vgpu_ksr *ksr)
{
	return &ksr->needs;
}

u32 vgpu_exec_occupancy(const struct vgpu_ksr *ksr)
{
	return ksr->occupancy;
}

u32 vgpu_exec_blocks_on(const struct vgpu_exec *exec, u32 sm, const struct vgpu_ksr *ksr)
{
	const struct vgpu_sharer *resident = vgpu_sharer_find(&exec->smst[sm], ksr);

	return resident ? resident->blocks - resident->leaving + resident->coming : 0;
}

u64 vgpu_exec_blocks_of(const struct vgpu_ksr *ksr)
{
	return ksr->decided;
}

u64 vgpu_exec_kernel_share(const struct vgpu_exec *exec, const struct vgpu_ksr *ksr, u64 count)
{
	struct vgpu_resources one = resources_of(exec, exec->config->shared_per_sm);
	struct vgpu_resources used = {}, all = {};

	vgpu_resources_add(&used, &ksr->needs, count);
	vgpu_resources_add(&all, &one, exec->config->sms);
	return vgpu_resources_share(&used, &all);
}

u64 vgpu_exec_sm_share(const struct vgpu_exec *exec, u32 sm, const struct vgpu_ksr *except)
{
	const struct vgpu_smst *smst = &exec->smst[sm];
	struct vgpu_resources used = smst->used, all;

	if (smst->ksr)
		return VGPU_SHARE_ONE;
	vgpu_resources_sub(&used, &smst->leaving_part, 1);
	vgpu_resources_add(&used, &smst->coming_part, 1);
	if (except)
		vgpu_resources_sub(&used, &except->needs, vgpu_exec_blocks_on(exec, sm, except));
	vgpu_exec_sm_resources(exec, sm, &all);
	return vgpu_resources_share(&used, &all);
}

u32 vgpu_exec_partition(const struct vgpu_exec *exec, u32 sm, const struct vgpu_ksr *ksr)
{
	const struct vgpu_sharer *resident = vgpu_sharer_find(&exec->smst[sm], ksr);

	return resident ? resident->partition : VGPU_NO_PARTITION;
}

int vgpu_exec_set_partition(struct vgpu_exec *exec, u32 sm, struct vgpu_ksr *ksr, u32 blocks)
{
	struct vgpu_smst *smst = &exec->smst[sm];
	struct vgpu_sharer *resident;
	bool held;

	if (!VGPU_DECISION(exec, sm < exec->config->sms && ksr && exec->policy->by_block &&
				 !exec->outside.wrong, sm,
			   "it sets a partition on an SM that there is not, or of no kernel"))
		return -EINVAL;
	resident = vgpu_sharer_find(smst, ksr);
	held = vgpu_residents_hold(smst, ksr->ctx);
	if (!resident) {
		if (blocks == VGPU_NO_PARTITION)
			return 0;
		if (!may_add(exec, smst, smst->kernels, NULL))
			return -ENOSPC;
		resident = vgpu_sharer_get(smst, ksr);
	}
	if (resident->partition != blocks)
		vgpu_trace_kernel(exec, VGPU_TRACE_DECISION, ksr, sm, VGPU_DECISION_PARTITION,
				  blocks);
	resident->partition = blocks;
	vgpu_sharer_count_holder(exec, resident, held);
	vgpu_sharer_put(resident);
	return 0;
}

u32 vgpu_residents_first(const struct vgpu_smst *smst)
{
	const struct vgpu_sharer *resident;

	vgpu_list_for_each(resident, &smst->residents, struct vgpu_sharer, node)
		if (resident->blocks)
			return resident->ksr->ctx->sched.id;
	return 0;
}

u64 vgpu_exec_cycle(const struct vgpu_exec *exec)
{
	return vgpu_mul_div(exec->sim->now, exec->config->clock_khz, VGPU_PS_PER_KCYCLE);
}

u64 vgpu_exec_sm_instructions(const struct vgpu_exec *exec, u32 sm)
{
	return exec->sms[sm].instructions;
}

void vgpu_exec_set_quota(struct vgpu_exec *exec, u32 sm, struct vgpu_ksr *ksr, u64 instructions)
{
	u64 before;
	u32 n;

	if (!VGPU_DECISION(exec, sm < exec->config->sms && ksr && !exec->outside.wrong, sm,
			   "it sets a quota on an SM that there is not, or of no kernel"))
		return;
	n = vgpu_sm_find_quota(&exec->sms[sm], ksr->launch.id);
	before = n < VGPU_SM_KERNELS_MOST ? exec->sms[sm].quota[n].instructions : 0;
	if (unlikely(exec->trial) ||
	    (before == instructions && !exec->config->quota_each_epoch))
		return;
	vgpu_sm_set_quota(&exec->sms[sm], ksr->launch.id, instructions);
	if (before == instructions)
		return;
	vgpu_trace_kernel(exec, VGPU_TRACE_DECISION, ksr, sm, VGPU_DECISION_QUOTA, instructions);
}

bool vgpu_residents_run(const struct vgpu_exec *exec, const struct vgpu_exec_context *ctx)
{
	const struct vgpu_ksr *ksr;

	vgpu_list_for_each(ksr, &exec->active_queue, struct vgpu_ksr, node)
		if (ksr->ctx == ctx && ksr->sms)
			return true;
	return false;
}

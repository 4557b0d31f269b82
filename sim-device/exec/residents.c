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
 * context holds an SM, as its limit of SMs counts, while it has a block there.
 */
#include "exec.h"

/* ---- the table ---------------------------------------------------------- */

void vgpu_residents_init(struct vgpu_smst *smst)
{
	vgpu_list_init(&smst->residents);
	for (u32 n = 0; n < VGPU_KERNELS_PER_SM_MOST; n++)
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
	       (entry || smst->kernels < VGPU_KERNELS_PER_SM_MOST);
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
static struct vgpu_sharer *get_resident(struct vgpu_smst *smst, struct vgpu_ksr *ksr)
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
	vgpu_list_add_tail(&resident->node, &smst->residents);
	smst->kernels++;
	ksr->exec->residents++;
	return resident;
}

/* It stays in the table as long as it has blocks, or a part of the SM is kept for it. */
static void put_resident(struct vgpu_sharer *resident)
{
	if (resident->blocks || resident->coming || resident->partition != VGPU_NO_PARTITION)
		return;
	vgpu_list_del(&resident->node);
	resident->ksr->exec->residents--;
	resident->ksr = NULL;
	resident->smst->kernels--;
}

static u32 blocks_of_context(const struct vgpu_smst *smst, const struct vgpu_exec_context *ctx)
{
	const struct vgpu_sharer *resident;
	u32 blocks = 0;

	vgpu_list_for_each(resident, &smst->residents, struct vgpu_sharer, node)
		blocks += resident->ksr->ctx == ctx ? resident->blocks : 0;
	return blocks;
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
static struct vgpu_resources resources_for(const struct vgpu_exec *exec,
					   const struct vgpu_smst *smst, u64 blocks,
					   const struct vgpu_ksr *ksr)
{
	return resources_of(exec, blocks ? smst->shared_config : ksr->shared_config);
}

static bool may_hold(const struct vgpu_smst *smst, const struct vgpu_ksr *ksr)
{
	const struct vgpu_exec_context *ctx = ksr->ctx;

	return ctx->sched.held + ctx->shared_sms < ctx->most_sms || blocks_of_context(smst, ctx);
}

/* May @ksr have one block more beside @others kernels, as far as its entry goes? */
static bool may_have_more(const struct vgpu_exec *exec, const struct vgpu_smst *smst,
			  const struct vgpu_ksr *ksr, u32 others)
{
	const struct vgpu_sharer *entry = vgpu_sharer_find(smst, ksr);

	if (smst->ksr || !may_hold(smst, ksr))
		return false;
	if (!entry || !stays(entry))
		return may_add(exec, smst, others, entry);
	return entry->partition == VGPU_NO_PARTITION ||
	       entry->blocks - entry->leaving + entry->coming < entry->partition;
}

bool vgpu_exec_fits(const struct vgpu_exec *exec, u32 sm, const struct vgpu_ksr *ksr)
{
	const struct vgpu_smst *smst = &exec->smst[sm];
	struct vgpu_resources used = smst->used, all;

	if (!may_have_more(exec, smst, ksr, count_others(smst, vgpu_sharer_find(smst, ksr))))
		return false;
	vgpu_resources_add(&used, &smst->coming_part, 1);
	all = resources_for(exec, smst, used.blocks, ksr);
	return vgpu_resources_fit(&used, &ksr->needs, &all);
}

/* The block whose state is being restored now, if it is one of @sharer; NULL: it is not. */
static const struct vgpu_block *being_restored(const struct vgpu_sharer *sharer)
{
	const struct vgpu_block *first =
		vgpu_list_first(&sharer->smst->moving, struct vgpu_block, node);

	return sharer->smst->batch && first->state == VGPU_BLOCK_RESTORING &&
	       first->launch == &sharer->ksr->launch ? first : NULL;
}

/* Blocks that can be told to leave: a restore that has begun ends. */
static u32 count_evictable(const struct vgpu_sharer *sharer)
{
	return sharer->blocks - sharer->leaving - !!being_restored(sharer);
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
	for (u32 count = 1; count <= most; count++) {
		vgpu_resources_sub(&used, &victim->needs, 1);
		all = resources_for(exec, smst, used.blocks, ksr);
		if (vgpu_resources_fit(&used, &ksr->needs, &all) &&
		    may_have_more(exec, smst, ksr,
				  count_staying(smst, entry, leaves(from, count) ? from : NULL)))
			return count;
	}
	return 0;
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
	return ksr->unclaimed;
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
	struct vgpu_sharer *resident = vgpu_sharer_find(smst, ksr);

	if (!resident) {
		if (blocks == VGPU_NO_PARTITION)
			return 0;
		if (!may_add(exec, smst, smst->kernels, NULL))
			return -ENOSPC;
		resident = get_resident(smst, ksr);
	}
	if (resident->partition != blocks)
		vgpu_trace_kernel(exec, VGPU_TRACE_DECISION, ksr, sm, VGPU_DECISION_PARTITION,
				  blocks);
	resident->partition = blocks;
	put_resident(resident);
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

bool vgpu_residents_run(const struct vgpu_exec *exec, const struct vgpu_exec_context *ctx)
{
	const struct vgpu_ksr *ksr;

	vgpu_list_for_each(ksr, &exec->active_queue, struct vgpu_ksr, node)
		if (ksr->ctx == ctx && ksr->sms)
			return true;
	return false;
}

/* ---- blocks come -------------------------------------------------------- */

static void setup_fire(struct vgpu_event *event)
{
	struct vgpu_sharer *resident =
		vgpu_container_of(event, struct vgpu_sharer, setup.event);
	struct vgpu_smst *smst = resident->smst;
	struct vgpu_exec *exec = smst->exec;
	u32 sm = vgpu_smst_number(smst);

	while (resident->claimed) {
		resident->claimed--;
		if (!vgpu_sm_driver_give(exec, sm, resident->ksr)) {
			/* its context ends */
			resident->claimed++;
			break;
		}
	}
	vgpu_sm_driver_update(exec, sm);
}

/* The SM has nothing: its last block may have left just now. */
static void wake(struct vgpu_exec *exec, u32 sm, const struct vgpu_ksr *ksr)
{
	struct vgpu_smst *smst = &exec->smst[sm];

	if (smst->state == VGPU_SM_IDLE) {
		exec->idle[sm / 64] &= ~(1ull << (sm % 64));
		exec->idle_count--;
	}
	vgpu_account_sm(exec, sm, VGPU_SM_SETUP);
	smst->shared_config = ksr->shared_config;
	vgpu_sm_share(&exec->sms[sm], &ksr->launch, exec->config->kernels_per_sm);
}

/* One block more of @resident takes its part. */
static void take_part(struct vgpu_exec *exec, struct vgpu_sharer *resident)
{
	struct vgpu_smst *smst = resident->smst;
	struct vgpu_ksr *ksr = resident->ksr;
	u32 sm = vgpu_smst_number(smst);

	if (!smst->used.blocks)
		wake(exec, sm, ksr);
	else
		vgpu_account_residents(exec, sm);
	if (!blocks_of_context(smst, ksr->ctx))
		vgpu_runqueue_shared(exec, ksr->ctx, 1);
	if (!resident->blocks++ && !ksr->sms++ && ksr->started)
		vgpu_exec_runs(exec, ksr);
	vgpu_resources_add(&smst->used, &ksr->needs, 1);
	ksr->unclaimed--;
	vgpu_runqueue_kernel(exec, ksr);
}

/* The SM is set up for @resident; the trace has what one of its blocks takes. */
static void trace_setup(struct vgpu_exec *exec, const struct vgpu_sharer *resident)
{
	const struct vgpu_resources *needs = &resident->ksr->needs;
	u32 sm = vgpu_smst_number(resident->smst);
	struct vgpu_resources all;

	vgpu_exec_sm_resources(exec, sm, &all);
	vgpu_trace_kernel(exec, VGPU_TRACE_SM_SETUP, resident->ksr, sm,
			  vgpu_resources_share(needs, &all) | needs->threads / 32 << 40,
			  needs->registers << 32 | needs->shared_bytes);
}

/* @resident, of whose kernel a block is to be issued, gets one. */
static void give_block(struct vgpu_exec *exec, struct vgpu_sharer *resident)
{
	u32 sm = vgpu_smst_number(resident->smst);

	take_part(exec, resident);
	if (resident->blocks == 1) {
		trace_setup(exec, resident);
		resident->setup.event.fire = setup_fire;
		vgpu_event_in_row(exec->sim, &resident->setup, exec->config->sm_setup_ps);
	}
	resident->claimed++;
	if (vgpu_event_pending(&resident->setup.event))
		return;
	if (vgpu_sm_driver_give(exec, sm, resident->ksr))
		resident->claimed--;
	vgpu_sm_driver_update(exec, sm);
}

void vgpu_exec_dispatch(struct vgpu_exec *exec, u32 sm, struct vgpu_ksr *ksr)
{
	struct vgpu_sharer *resident;

	if (!VGPU_CHECK(exec->policy->by_block && ksr->unclaimed &&
			vgpu_exec_fits(exec, sm, ksr))) {
		vgpu_exec_broken(ksr);
		return;
	}
	resident = get_resident(&exec->smst[sm], ksr);
	ksr->decided++;
	give_block(exec, resident);
}

/* ---- blocks leave ------------------------------------------------------- */

/* A block of @resident gives its part back. */
static void leave(struct vgpu_exec *exec, struct vgpu_sharer *resident)
{
	struct vgpu_smst *smst = resident->smst;
	struct vgpu_ksr *ksr = resident->ksr;

	vgpu_account_residents(exec, vgpu_smst_number(smst));
	vgpu_resources_sub(&smst->used, &ksr->needs, 1);
	if (!--resident->blocks) {
		vgpu_event_cancel(exec->sim, &resident->setup.event);
		if (!--ksr->sms && ksr->started)
			vgpu_exec_stops(exec, ksr);
	}
	if (!blocks_of_context(smst, ksr->ctx))
		vgpu_runqueue_shared(exec, ksr->ctx, -1);
	put_resident(resident);
}

static void tell_to_leave(struct vgpu_sharer *resident)
{
	resident->leaving++;
	resident->ksr->decided--;
	vgpu_resources_add(&resident->smst->leaving_part, &resident->ksr->needs, 1);
}

static void told_has_left(struct vgpu_sharer *resident)
{
	resident->leaving--;
	vgpu_resources_sub(&resident->smst->leaving_part, &resident->ksr->needs, 1);
}

/* @resident's kernel gets what was promised to it, or does without. */
static void end_promise(struct vgpu_sharer *resident)
{
	resident->coming--;
	vgpu_resources_sub(&resident->smst->coming_part, &resident->ksr->needs, 1);
}

static void drop_promises(struct vgpu_sharer *resident)
{
	while (resident->coming) {
		end_promise(resident);
		resident->ksr->decided--;
	}
}

static u32 count_with_blocks(const struct vgpu_smst *smst)
{
	const struct vgpu_sharer *resident;
	u32 count = 0;

	vgpu_list_for_each(resident, &smst->residents, struct vgpu_sharer, node)
		count += !!resident->blocks;
	return count;
}

/* The first of @smst that has been promised room, and has it now; NULL: none has. */
static struct vgpu_sharer *first_with_room(const struct vgpu_exec *exec,
					     const struct vgpu_smst *smst)
{
	struct vgpu_sharer *resident;
	struct vgpu_resources all;

	vgpu_list_for_each(resident, &smst->residents, struct vgpu_sharer, node) {
		if (!resident->coming)
			continue;
		if (!resident->blocks &&
		    count_with_blocks(smst) >= exec->config->kernels_per_sm)
			continue;
		all = resources_for(exec, smst, smst->used.blocks, resident->ksr);
		if (vgpu_resources_fit(&smst->used, &resident->ksr->needs, &all))
			return resident;
	}
	return NULL;
}

static void keep_promises(struct vgpu_exec *exec, struct vgpu_smst *smst)
{
	struct vgpu_sharer *resident;

	while ((resident = first_with_room(exec, smst))) {
		struct vgpu_ksr *ksr = resident->ksr;

		end_promise(resident);
		if (ksr->unclaimed && exec->policy->by_block) {
			give_block(exec, resident);
			continue;
		}
		/* another SM has had its last block */
		ksr->decided--;
		put_resident(resident);
	}
}

static void fall_idle(struct vgpu_exec *exec, u32 sm)
{
	struct vgpu_smst *smst = &exec->smst[sm];

	vgpu_account_sm(exec, sm, VGPU_SM_IDLE);
	vgpu_event_cancel(exec->sim, &smst->move);
	exec->idle[sm / 64] |= 1ull << (sm % 64);
	exec->idle_count++;
}

/* Everything of a shared SM but the policy: it may be idle now. */
static void settle(struct vgpu_exec *exec, u32 sm)
{
	struct vgpu_smst *smst = &exec->smst[sm];

	/* one that the policy before has not left yet may have partitions already */
	if (smst->ksr)
		return;
	keep_promises(exec, smst);
	if (smst->state == VGPU_SM_IDLE)
		return;
	if (smst->used.blocks)
		vgpu_sm_driver_update(exec, sm);
	else
		fall_idle(exec, sm);
}

/* A block that has not begun to be restored is in the PTBQ again. false: there is none. */
static bool unrestore(struct vgpu_exec *exec, struct vgpu_sharer *resident)
{
	const struct vgpu_block *moves = being_restored(resident);
	struct vgpu_smst *smst = resident->smst;
	struct vgpu_block *block, *found = NULL;

	vgpu_list_for_each(block, &smst->moving, struct vgpu_block, node)
		if (block->state == VGPU_BLOCK_RESTORING &&
		    block->launch == &resident->ksr->launch && block != moves)
			found = block;
	if (!found)
		return false;
	vgpu_list_del(&found->node);
	found->state = VGPU_BLOCK_PREEMPTED;
	smst->restoring--;
	vgpu_account_blocks(exec, resident->ksr, VGPU_BLOCK_RESTORING, VGPU_BLOCK_PREEMPTED, 1);
	vgpu_list_add(&found->node, &resident->ksr->ptbq);
	return true;
}

/* Blocks that have not begun go back to their kernel at once. */
static bool take_back(struct vgpu_exec *exec, struct vgpu_sharer *resident)
{
	struct vgpu_ksr *ksr = resident->ksr;

	if (resident->claimed)
		resident->claimed--;
	else if (!unrestore(exec, resident))
		return false;
	ksr->decided--;
	ksr->unclaimed++;
	vgpu_runqueue_kernel(exec, ksr);
	leave(exec, resident);
	return true;
}

/* The block of @ksr on @hw that came last and may be told to leave; NULL: none. */
static struct vgpu_block *newest(const struct vgpu_sm *hw, const struct vgpu_ksr *ksr)
{
	struct vgpu_block *block, *found = NULL;

	vgpu_list_for_each(block, &hw->resident, struct vgpu_block, node)
		if (block->launch == &ksr->launch && block->state == VGPU_BLOCK_RUNNING &&
		    !block->stopping)
			found = block;
	return found;
}

void vgpu_residents_evict(struct vgpu_exec *exec, struct vgpu_block *block)
{
	struct vgpu_ksr *ksr = vgpu_ksr_of(block->launch);
	u32 sm = block->sm->index;

	vgpu_trace_kernel(exec, VGPU_TRACE_DECISION, ksr, sm, VGPU_DECISION_EVICT,
			  vgpu_block_index(block));
	exec->smst[sm].told[block->slot] = exec->sim->now;
	tell_to_leave(vgpu_sharer_find(&exec->smst[sm], ksr));
	vgpu_exec_swap_out(exec, block);
}

int vgpu_exec_evict(struct vgpu_exec *exec, u32 sm, struct vgpu_ksr *ksr)
{
	struct vgpu_smst *smst = &exec->smst[sm];
	struct vgpu_sharer *resident = vgpu_sharer_find(smst, ksr);
	struct vgpu_block *block;

	if (!resident)
		return -EBUSY;
	if (take_back(exec, resident)) {
		settle(exec, sm);
		return 0;
	}
	block = newest(&exec->sms[sm], ksr);
	if (!block)
		return -EBUSY;
	vgpu_residents_evict(exec, block);
	return 0;
}

int vgpu_exec_replace(struct vgpu_exec *exec, u32 sm, struct vgpu_ksr *victim, struct vgpu_ksr *ksr)
{
	struct vgpu_smst *smst = &exec->smst[sm];
	u32 count = vgpu_exec_in_the_way(exec, sm, victim, ksr);
	struct vgpu_sharer *resident;

	if (!count)
		return -EBUSY;
	vgpu_trace_kernel(exec, VGPU_TRACE_DECISION, ksr, sm, VGPU_DECISION_REPLACE,
			  victim->launch.id);
	resident = get_resident(smst, ksr);
	resident->coming++;
	ksr->decided++;
	vgpu_resources_add(&smst->coming_part, &ksr->needs, 1);
	while (count--)
		if (vgpu_exec_evict(exec, sm, victim))
			break;
	return 0;
}

void vgpu_residents_settle(struct vgpu_exec *exec, u32 sm)
{
	settle(exec, sm);
	vgpu_exec_schedule(exec);
}

void vgpu_residents_stopped(struct vgpu_exec *exec, u32 sm, const struct vgpu_block *block)
{
	struct vgpu_smst *smst = &exec->smst[sm];

	smst->saves[(smst->saves_first + smst->saves_count++) % VGPU_SM_SLOTS] =
		smst->told[block->slot];
}

void vgpu_residents_saved(struct vgpu_exec *exec, u32 sm, struct vgpu_block *block)
{
	struct vgpu_ksr *ksr = vgpu_ksr_of(block->launch);
	struct vgpu_smst *smst = &exec->smst[sm];
	struct vgpu_sharer *resident = vgpu_sharer_find(smst, ksr);
	u64 told = smst->saves[smst->saves_first];

	smst->saves_first = (smst->saves_first + 1) % VGPU_SM_SLOTS;
	smst->saves_count--;
	vgpu_account_preemption(exec, ksr, told);
	exec->ops->preempted(exec->owner, ksr->ctx->sched.id, sm, told);
	told_has_left(resident);
	leave(exec, resident);
}

void vgpu_residents_done(struct vgpu_exec *exec, u32 sm, struct vgpu_block *block)
{
	struct vgpu_ksr *ksr = vgpu_ksr_of(block->launch);
	struct vgpu_sharer *resident = vgpu_sharer_find(&exec->smst[sm], ksr);

	/* it was told to leave, and ended before it could */
	if (block->stopping)
		told_has_left(resident);
	else
		ksr->decided--;
	vgpu_block_put(exec, block);
	leave(exec, resident);
	if (ksr->ended == ksr->launch.blocks)
		vgpu_exec_finish(exec, ksr);
	vgpu_residents_settle(exec, sm);
}

/* ---- kernels leave ------------------------------------------------------ */

/* Those of @ksr that are being saved or restored on @smst. */
static void drop_moving(struct vgpu_exec *exec, struct vgpu_smst *smst, const struct vgpu_ksr *ksr)
{
	struct vgpu_block *block, *next;
	const struct vgpu_block *first =
		vgpu_list_first(&smst->moving, struct vgpu_block, node);

	if (smst->batch && first->launch == &ksr->launch) {
		vgpu_event_cancel(exec->sim, &smst->move);
		smst->batch = 0;
	}
	vgpu_list_for_each_safe(block, next, &smst->moving, struct vgpu_block, node) {
		if (block->launch != &ksr->launch)
			continue;
		vgpu_list_del(&block->node);
		if (block->state == VGPU_BLOCK_SAVING)
			smst->saving--;
		else
			smst->restoring--;
		vgpu_block_release(block);
		vgpu_block_put(exec, block);
	}
}

/* When the blocks that @smst still saves were told to leave: those of @ksr are gone. */
static void drop_saves(struct vgpu_smst *smst, const struct vgpu_ksr *ksr)
{
	const struct vgpu_block *block;
	u32 n = 0, kept = 0;

	vgpu_list_for_each(block, &smst->moving, struct vgpu_block, node) {
		if (block->state != VGPU_BLOCK_SAVING)
			continue;
		if (block->launch != &ksr->launch)
			smst->saves[(smst->saves_first + kept++) % VGPU_SM_SLOTS] =
				smst->saves[(smst->saves_first + n) % VGPU_SM_SLOTS];
		n++;
	}
	smst->saves_count = kept;
}

/* All blocks of @resident are dropped, wherever they are. */
static void drop_blocks(struct vgpu_exec *exec, struct vgpu_sharer *resident)
{
	struct vgpu_smst *smst = resident->smst;
	struct vgpu_ksr *ksr = resident->ksr;
	u32 sm = vgpu_smst_number(smst);
	struct vgpu_sm *hw = &exec->sms[sm];
	struct vgpu_block *block, *next;

	vgpu_list_for_each_safe(block, next, &hw->resident, struct vgpu_block, node) {
		if (block->launch != &ksr->launch)
			continue;
		vgpu_sm_detach(hw, block);
		vgpu_account_block(block);
		vgpu_trace_kernel(exec, VGPU_TRACE_BLOCK_END, ksr, sm, block->index, block->slot);
		vgpu_block_release(block);
		vgpu_block_put(exec, block);
	}
	drop_saves(smst, ksr);
	drop_moving(exec, smst, ksr);
	resident->claimed = 0;
	while (resident->leaving)
		told_has_left(resident);
	for (u32 count = resident->blocks; count--;)
		leave(exec, resident);
}

static void stop_resident(struct vgpu_exec *exec, struct vgpu_sharer *resident)
{
	while (resident->coming)
		end_promise(resident);
	resident->partition = VGPU_NO_PARTITION;
	if (resident->blocks)
		drop_blocks(exec, resident);
	else
		put_resident(resident);
}

void vgpu_residents_stop(struct vgpu_exec *exec, u32 sm, const struct vgpu_exec_context *ctx)
{
	struct vgpu_smst *smst = &exec->smst[sm];
	struct vgpu_sharer *resident, *next;

	vgpu_list_for_each_safe(resident, next, &smst->residents, struct vgpu_sharer, node)
		if (resident->ksr->ctx == ctx)
			stop_resident(exec, resident);
	vgpu_exec_start_move(exec, sm);
	settle(exec, sm);
}

void vgpu_residents_retire(struct vgpu_exec *exec, struct vgpu_ksr *ksr)
{
	for (u32 sm = 0; sm < exec->config->sms; sm++) {
		struct vgpu_sharer *resident;

		if (!exec->smst[sm].kernels)
			continue;
		resident = vgpu_sharer_find(&exec->smst[sm], ksr);
		if (resident)
			stop_resident(exec, resident);
	}
}

void vgpu_exec_set_kernels_per_sm(struct vgpu_exec *exec)
{
	for (u32 sm = 0; sm < exec->config->sms; sm++) {
		struct vgpu_sharer *resident, *next;

		vgpu_list_for_each_safe(resident, next, &exec->smst[sm].residents,
					struct vgpu_sharer, node) {
			drop_promises(resident);
			put_resident(resident);
		}
	}
	vgpu_exec_rerank(exec);
}

static void vacate_shared(struct vgpu_exec *exec, u32 sm)
{
	struct vgpu_smst *smst = &exec->smst[sm];
	struct vgpu_sharer *resident, *next;

	vgpu_list_for_each_safe(resident, next, &smst->residents, struct vgpu_sharer, node) {
		struct vgpu_ksr *ksr = resident->ksr;

		drop_promises(resident);
		resident->partition = VGPU_NO_PARTITION;
		if (!resident->blocks)
			put_resident(resident);
		while (vgpu_sharer_find(smst, ksr) && !vgpu_exec_evict(exec, sm, ksr))
			;
	}
}

void vgpu_residents_vacate(struct vgpu_exec *exec)
{
	for (u32 sm = 0; sm < exec->config->sms; sm++) {
		if (exec->smst[sm].ksr)
			vgpu_exec_take_away(exec, sm);
		else if (exec->smst[sm].kernels)
			vacate_shared(exec, sm);
	}
}

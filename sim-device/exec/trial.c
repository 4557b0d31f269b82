// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * What a policy by block would do if a kernel came now.
 *
 * DOC: trials
 *
 * A launch has been announced, and the blocks that will leave SMs for it are to be prepared (PEP:
 * Li et al., 3.2). Which ones is the policy's decision, which it makes step by step, each seeing
 * what the ones before have changed. So it is made to decide: a kernel of the announced shape is
 * put behind the active ones, schedule() is called, and then everything is as it was before.
 *
 * While @exec->trial is set, services that act change what is decided and nothing else: a block
 * that is dispatched is promised its room, one that is evicted is counted as told to leave
 * (block_dispatch.c). Nothing moves, no event is planned, nothing is traced, accounted or ranked
 * anew, and the active queue has no room for launches. What may have changed has been saved and is
 * copied back, private data of the policy too. A kernel of which it does what it may not
 * (vgpu_exec_broken()) has no more blocks to issue.
 *
 * What is not tried: what the policy does later, when those blocks have left; and shared memory of
 * an SM that is empty is taken to be set for the first kernel that gets a block there.
 */
#include "residents.h"

/** struct saved_sm - the part of an SM that a trial may change */
struct saved_sm {
	struct vgpu_list residents;
	struct vgpu_sharer resident[VGPU_SM_KERNELS_MOST];
	struct vgpu_resources leaving_part;
	struct vgpu_resources coming_part;
	u32 kernels;
	u32 shared_config;
};

/** struct saved_context - the same of a context */
struct saved_context {
	u32 shared_sms;
	u64 data[VGPU_POLICY_CONTEXT_BYTES / sizeof(u64)];
};

/** struct trial - its memory, of one allocation: in this order */
struct trial {
	struct vgpu_ksr ksr;		/* the announced kernel */
	struct saved_sm *sms;		/* exec->config->sms */
	u64 *decided, *coming;		/* exec->active_count, as in the active queue */
	struct saved_context *contexts;	/* exec->context_count, by id */
	void *data;			/* of the policy */
	u32 residents;
	u32 ksr_free_count;
	bool tracing;
};

static struct trial *allocate(const struct vgpu_exec *exec)
{
	u64 sms = exec->config->sms * sizeof(struct saved_sm);
	u64 kernels = exec->active_count * sizeof(u64);
	u64 contexts = exec->context_count * sizeof(struct saved_context);
	u64 all = sizeof(struct trial) + sms + 2 * kernels + contexts + exec->policy->data_bytes;
	struct trial *t = vgpu_mem_alloc_device(all);

	if (!t)
		return NULL;
	t->sms = (struct saved_sm *)(t + 1);
	t->decided = (u64 *)((u8 *)t->sms + sms);
	t->coming = t->decided + exec->active_count;
	t->contexts = (struct saved_context *)(t->coming + exec->active_count);
	t->data = (u8 *)t->contexts + contexts;
	return t;
}

/* ---- the kernel ---------------------------------------------------------- */

/* false: it could not run at all. What is not known of it is taken to be the least. */
static bool make_kernel(struct vgpu_exec *exec, struct trial *t,
			const struct vgpu_sched_context *by, const struct vgpu_announcement *what)
{
	u64 most = (u64)exec->config->sms * exec->config->blocks_per_sm;
	struct vgpu_ksr *ksr = &t->ksr;
	u32 threads = what->needs.threads ? (u32)what->needs.threads : 32;

	ksr->exec = exec;
	ksr->ctx = vgpu_exec_of_sched(by);
	ksr->launch.id = exec->launches + 1;
	ksr->launch.context = by->id;
	ksr->order = exec->admissions + 1;
	ksr->occupancy =
		vgpu_occupancy(exec->config, threads, (u32)what->needs.registers,
			       (u32)what->needs.shared_bytes, &ksr->shared_config);
	ksr->needs = what->needs;
	ksr->needs.threads = (threads + 31) / 32 * 32;
	ksr->needs.blocks = 1;
	ksr->launch.blocks = what->blocks && what->blocks < most ? what->blocks : most;
	ksr->unclaimed = ksr->launch.blocks;
	vgpu_list_init(&ksr->ptbq);
	return ksr->occupancy;
}

/* ---- as before ----------------------------------------------------------- */

static void save(struct vgpu_exec *exec, struct trial *t)
{
	const struct vgpu_exec_context *ctx;
	const struct vgpu_ksr *ksr;
	u32 n = 0;

	for (u32 sm = 0; sm < exec->config->sms; sm++) {
		const struct vgpu_smst *smst = &exec->smst[sm];
		struct saved_sm *s = &t->sms[sm];

		s->residents = smst->residents;
		memcpy(s->resident, smst->resident, sizeof(s->resident));
		s->leaving_part = smst->leaving_part;
		s->coming_part = smst->coming_part;
		s->kernels = smst->kernels;
		s->shared_config = smst->shared_config;
	}
	vgpu_list_for_each(ksr, &exec->active_queue, struct vgpu_ksr, node) {
		t->decided[n] = ksr->decided;
		t->coming[n++] = ksr->coming;
	}
	n = 0;
	vgpu_list_for_each(ctx, &exec->contexts, struct vgpu_exec_context, node) {
		t->contexts[n].shared_sms = ctx->shared_sms;
		memcpy(t->contexts[n++].data, ctx->sched.data, sizeof(ctx->sched.data));
	}
	memcpy(t->data, exec->policy_data, exec->policy->data_bytes);
	t->residents = exec->residents;
	t->ksr_free_count = exec->ksr_free_count;
	t->tracing = exec->trace->on;
}

/* What has come of it: blocks of @smst that have been told to leave. */
static void note_leaving(const struct vgpu_smst *smst, struct saved_sm *s)
{
	if (smst->leaving_part.blocks == s->leaving_part.blocks)
		return;
	for (u32 n = 0; n < VGPU_SM_KERNELS_MOST; n++)
		s->resident[n].would_leave = smst->resident[n].leaving - s->resident[n].leaving;
}

static void restore(struct vgpu_exec *exec, const struct trial *t)
{
	struct vgpu_exec_context *ctx;
	struct vgpu_ksr *ksr;
	u32 n = 0;

	for (u32 sm = 0; sm < exec->config->sms; sm++) {
		struct vgpu_smst *smst = &exec->smst[sm];
		struct saved_sm *s = &t->sms[sm];

		note_leaving(smst, s);
		smst->residents = s->residents;
		memcpy(smst->resident, s->resident, sizeof(s->resident));
		smst->leaving_part = s->leaving_part;
		smst->coming_part = s->coming_part;
		smst->kernels = s->kernels;
		smst->shared_config = s->shared_config;
	}
	vgpu_list_for_each(ksr, &exec->active_queue, struct vgpu_ksr, node) {
		ksr->decided = t->decided[n];
		ksr->coming = t->coming[n++];
	}
	n = 0;
	vgpu_list_for_each(ctx, &exec->contexts, struct vgpu_exec_context, node) {
		ctx->shared_sms = t->contexts[n].shared_sms;
		memcpy(ctx->sched.data, t->contexts[n++].data, sizeof(ctx->sched.data));
	}
	memcpy(exec->policy_data, t->data, exec->policy->data_bytes);
	exec->residents = t->residents;
	exec->ksr_free_count = t->ksr_free_count;
	exec->trace->on = t->tracing;
}

bool vgpu_exec_try(struct vgpu_exec *exec, const struct vgpu_sched_context *by,
		   const struct vgpu_announcement *what)
{
	struct trial *t;

	if (!exec->policy->by_block)
		return false;
	t = allocate(exec);
	if (!t)
		return true;
	if (make_kernel(exec, t, by, what)) {
		save(exec, t);
		vgpu_list_add_tail(&t->ksr.node, &exec->active_queue);
		exec->ksr_free_count = 0;
		exec->trace->on = false;
		exec->trial = true;
		exec->policy->schedule(exec);
		exec->trial = false;
		vgpu_list_del(&t->ksr.node);
		restore(exec, t);
	}
	vgpu_mem_free_device(t);
	return true;
}

/* ---- which blocks these are ---------------------------------------------- */

/*
 * Blocks of @sharer that would leave first (block_dispatch.c): those that have not begun are taken
 * back, and then those whose base checkpoint is being made.
 */
static u32 count_first(const struct vgpu_sharer *sharer)
{
	const struct vgpu_block *moves = vgpu_sharer_restoring(sharer), *block;
	u32 count = sharer->claimed;

	vgpu_list_for_each(block, &sharer->smst->moving, struct vgpu_block, node)
		count += block->launch == &sharer->ksr->launch &&
			 (block->state == VGPU_BLOCK_RESTORING ?
				  block != moves :
				  !block->leave && (block->checkpoint & VGPU_CHECKPOINT_MOVES));
	return count;
}

/* The newest @count blocks of @sharer, the newest first. */
static u32 add_newest(const struct vgpu_exec *exec, const struct vgpu_sharer *sharer, u32 count,
		      struct vgpu_block **blocks)
{
	const struct vgpu_list *list = &exec->sms[vgpu_smst_number(sharer->smst)].resident;
	struct vgpu_list *node;
	u32 found = 0;

	for (node = list->prev; node != list && found < count; node = node->prev) {
		struct vgpu_block *block = vgpu_list_entry(node, struct vgpu_block, node);

		if (block->launch == &sharer->ksr->launch && !block->leave)
			blocks[found++] = block;
	}
	return found;
}

u32 vgpu_exec_would_leave(const struct vgpu_exec *exec, u32 sm, struct vgpu_block **blocks)
{
	const struct vgpu_sharer *sharer;
	u32 count = 0;

	vgpu_list_for_each(sharer, &exec->smst[sm].residents, struct vgpu_sharer, node) {
		u32 first = count_first(sharer);

		if (sharer->would_leave > first)
			count += add_newest(exec, sharer, sharer->would_leave - first,
					    blocks + count);
	}
	return count;
}

bool vgpu_exec_would_change(const struct vgpu_exec *exec, u32 sm)
{
	const struct vgpu_sharer *sharer;

	vgpu_list_for_each(sharer, &exec->smst[sm].residents, struct vgpu_sharer, node)
		if (sharer->would_leave)
			return true;
	return false;
}

void vgpu_trial_forget(struct vgpu_exec *exec, u32 sm)
{
	for (u32 n = 0; n < VGPU_SM_KERNELS_MOST; n++)
		exec->smst[sm].resident[n].would_leave = 0;
}

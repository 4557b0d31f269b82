// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Run queues: contexts in the order of the policy's ranks, each for one question that a policy asks
 * (whose launch is next, whose kernel, whose SM), kept true while kernels are admitted, claim
 * blocks and retire and while SMs change hands. Tanasic 5.2.4 searches the KSRT serially; this
 * finds the same in O(log n). Nothing here decides anything.
 */
#include "exec.h"

/* ---- priority queues of contexts ---------------------------------------- */

/*
 * @entry belongs into @queue as (key, seq) if @in, else out of it. Nearly always it is there
 * already.
 */
static void place(struct vgpu_pqueue *queue, struct vgpu_pq_entry *entry, bool in, u64 key, u64 seq)
{
	if (!in)
		vgpu_pqueue_remove(queue, entry);
	else if (!vgpu_pq_queued(entry) || entry->key != key || entry->seq != seq)
		vgpu_pqueue_insert(queue, entry, key, seq);
}

static struct vgpu_ksr *first_kernel(const struct vgpu_exec_context *ctx, enum vgpu_ksr_need need)
{
	return vgpu_list_first(&ctx->kernels[need], struct vgpu_ksr, need[need]);
}

static u64 rank_of(const struct vgpu_exec *exec, const struct vgpu_exec_context *ctx)
{
	return exec->policy->rank ? exec->policy->rank(&ctx->sched) : 0;
}

/* The same, as policies see it: a context with all SMs that it may have needs none. */
static struct vgpu_ksr *first_needing(const struct vgpu_exec_context *ctx, enum vgpu_ksr_need need)
{
	return vgpu_exec_takes_more(ctx) ? first_kernel(ctx, need) : NULL;
}

static void place_need(struct vgpu_exec *exec, struct vgpu_exec_context *ctx,
		       enum vgpu_ksr_need need, u64 rank)
{
	const struct vgpu_ksr *first = first_needing(ctx, need);

	place(&exec->need[need], &ctx->need[need], first, rank, first ? first->order : 0);
}

static void place_holding(struct vgpu_exec *exec, struct vgpu_exec_context *ctx, u64 rank)
{
	const struct vgpu_policy *policy = exec->policy;

	place(&exec->holding, &ctx->holding, ctx->sched.held,
	      policy->victim_rank ? policy->victim_rank(&ctx->sched) : ~rank, ~ctx->active_since);
}

void vgpu_runqueue_update(struct vgpu_exec *exec, struct vgpu_exec_context *ctx)
{
	const struct vgpu_policy *policy = exec->policy;
	u64 rank;
	u32 need;

	/* what has changed is put back, and the ranks are right then */
	if (unlikely(exec->trial))
		return;
	rank = rank_of(exec, ctx);
	place(&exec->active, &ctx->active, ctx->sched.active_kernels, rank, ctx->active_since);
	place_holding(exec, ctx, rank);
	for (need = 0; need < VGPU_KSR_NEEDS; need++)
		place_need(exec, ctx, need, rank);
	if (ctx->job)
		place(&exec->waiting, &ctx->waiting, true,
		      policy->admission_rank ? policy->admission_rank(&ctx->sched) : rank,
		      ctx->job->order);
}

static struct vgpu_exec_context *context_at(struct vgpu_pq_entry *first, size_t offset)
{
	return first ? (struct vgpu_exec_context *)((char *)first - offset) : NULL;
}

#define FIRST(queue, member) \
	context_at(vgpu_pqueue_first(queue), offsetof(struct vgpu_exec_context, member))

static struct vgpu_sched_context *sched_of(struct vgpu_exec_context *ctx)
{
	return ctx ? &ctx->sched : NULL;
}

struct vgpu_sched_context *vgpu_exec_waiting(struct vgpu_exec *exec)
{
	return likely(!exec->outside.wrong) ? sched_of(FIRST(&exec->waiting, waiting)) : NULL;
}

struct vgpu_sched_context *vgpu_exec_active(struct vgpu_exec *exec)
{
	return sched_of(FIRST(&exec->active, active));
}

struct vgpu_sched_context *vgpu_exec_holding(struct vgpu_exec *exec)
{
	return sched_of(FIRST(&exec->holding, holding));
}

static struct vgpu_ksr *first_in_need(struct vgpu_exec *exec, enum vgpu_ksr_need need)
{
	const struct vgpu_exec_context *ctx = FIRST(&exec->need[need], need[need]);

	return ctx && likely(!exec->outside.wrong) ? first_kernel(ctx, need) : NULL;
}

struct vgpu_ksr *vgpu_exec_issuable(struct vgpu_exec *exec)
{
	return first_in_need(exec, VGPU_KSR_ISSUABLE);
}

struct vgpu_ksr *vgpu_exec_wanting(struct vgpu_exec *exec)
{
	return first_in_need(exec, VGPU_KSR_WANTING);
}

static struct vgpu_ksr *first_needing_now(const struct vgpu_exec_context *ctx,
					  enum vgpu_ksr_need need)
{
	return likely(!ctx->exec->outside.wrong) ? first_needing(ctx, need) : NULL;
}

struct vgpu_ksr *vgpu_exec_issuable_of(const struct vgpu_sched_context *ctx)
{
	return first_needing_now(vgpu_exec_of_sched(ctx), VGPU_KSR_ISSUABLE);
}

struct vgpu_ksr *vgpu_exec_wanting_of(const struct vgpu_sched_context *ctx)
{
	return first_needing_now(vgpu_exec_of_sched(ctx), VGPU_KSR_WANTING);
}

int vgpu_runqueue_reserve(struct vgpu_exec *exec, u32 contexts)
{
	struct vgpu_pqueue *const queues[] = {
		&exec->waiting,
		&exec->active,
		&exec->need[VGPU_KSR_ISSUABLE],
		&exec->need[VGPU_KSR_WANTING],
		&exec->holding,
	};
	u32 i;

	for (i = 0; i < VGPU_ARRAY_SIZE(queues); i++) {
		int err = vgpu_pqueue_reserve(queues[i], contexts);

		if (err)
			return err;
	}
	return 0;
}

void vgpu_runqueue_fini(struct vgpu_exec *exec)
{
	u32 need;

	for (need = 0; need < VGPU_KSR_NEEDS; need++)
		vgpu_pqueue_free(&exec->need[need]);
	vgpu_pqueue_free(&exec->holding);
	vgpu_pqueue_free(&exec->active);
	vgpu_pqueue_free(&exec->waiting);
}

/* ---- kernels of a context ----------------------------------------------- */

/* Does the kernel with @node in list @need come behind @ksr? By priority, then by admission. */
static bool is_behind(const struct vgpu_list *node, enum vgpu_ksr_need need,
		      const struct vgpu_ksr *ksr)
{
	const struct vgpu_ksr *other = vgpu_list_entry(node, struct vgpu_ksr, need[need]);

	if (unlikely(other->priority != ksr->priority))
		return other->priority < ksr->priority;
	return other->order > ksr->order;
}

/*
 * List @ksr. New kernels mostly go to the end; what has been preempted is among the oldest, and is
 * found from the start.
 */
static void list_kernel(struct vgpu_ksr *ksr, enum vgpu_ksr_need need)
{
	struct vgpu_list *list = &ksr->ctx->kernels[need];
	struct vgpu_list *next = list;

	if (!vgpu_list_empty(list) && is_behind(list->prev, need, ksr))
		for (next = list->next; next != list; next = next->next)
			if (is_behind(next, need, ksr))
				break;
	vgpu_list_insert(&ksr->need[need], next);
}

/* @ksr comes into the list @need or leaves it. The ranks of its context do not depend on it. */
static void change_need(struct vgpu_exec *exec, struct vgpu_ksr *ksr, enum vgpu_ksr_need need,
			bool needs)
{
	if (needs)
		list_kernel(ksr, need);
	else
		vgpu_list_del(&ksr->need[need]);
	place_need(exec, ksr->ctx, need, rank_of(exec, ksr->ctx));
}

void vgpu_runqueue_list(struct vgpu_exec *exec, struct vgpu_ksr *ksr)
{
	bool issuable = ksr->unclaimed;
	bool wanting = vgpu_ksr_wants(ksr);

	if (vgpu_list_linked(&ksr->need[VGPU_KSR_ISSUABLE]) != issuable)
		change_need(exec, ksr, VGPU_KSR_ISSUABLE, issuable);
	if (vgpu_list_linked(&ksr->need[VGPU_KSR_WANTING]) != wanting)
		change_need(exec, ksr, VGPU_KSR_WANTING, wanting);
}

/* ---- SMs of a context --------------------------------------------------- */

static struct vgpu_exec_context *holder_of(const struct vgpu_smst *smst)
{
	if (!smst->ksr)
		return NULL;
	if (!smst->leaving)
		return smst->ksr->ctx;
	return smst->next ? smst->next->ctx : NULL;
}

/* @ctx has @change SMs more. Without ranks and a limit, it matters only whether it has any. */
static void count_held(struct vgpu_exec *exec, struct vgpu_exec_context *ctx, s32 change)
{
	bool held = ctx->sched.held;

	ctx->sched.held += (u32)change;
	if (exec->ranked || ctx->most_sms != ~0u)
		vgpu_runqueue_update(exec, ctx);
	else if (held != !!ctx->sched.held)
		place_holding(exec, ctx, 0);
}

void vgpu_runqueue_shared(struct vgpu_exec *exec, struct vgpu_exec_context *ctx, s32 change)
{
	ctx->shared_sms += (u32)change;
	if (ctx->most_sms != ~0u)
		vgpu_runqueue_update(exec, ctx);
}

void vgpu_runqueue_sm(struct vgpu_exec *exec, u32 sm)
{
	struct vgpu_smst *smst = &exec->smst[sm];
	struct vgpu_exec_context *before = smst->holder;
	struct vgpu_exec_context *holder = holder_of(smst);

	vgpu_list_del(&smst->node);
	if (before)
		before->sched.running = !vgpu_list_empty(&before->running);
	smst->holder = holder;
	if (holder && smst->leaving) {
		vgpu_list_add(&smst->node, &holder->coming);
	} else if (holder) {
		if (!holder->sched.running)
			holder->sched.running_since = exec->sim->now;
		holder->sched.running = true;
		vgpu_list_add(&smst->node, &holder->running);
	} else if (smst->ksr) {
		vgpu_list_add(&smst->node, &exec->unreserved);
	}
	if (before == holder)
		return;
	if (before)
		count_held(exec, before, -1);
	if (holder)
		count_held(exec, holder, 1);
}

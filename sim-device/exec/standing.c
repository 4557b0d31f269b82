// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Keeps every context's standing (standing.h) true while kernels are admitted, claim blocks and
 * retire and while SMs change hands, and answers what policies ask about it. Nothing here decides
 * anything.
 */
#include "../core/device.h"
#include "../policy/policy.h"

/* ---- tournaments -------------------------------------------------------- */

/*
 * @entrant belongs into @t as (key, seq) if @in, else out of it. Nearly always it is there already.
 */
static void keep(struct vgpu_tournament *t, struct vgpu_entrant *entrant, bool in, u64 key, u64 seq)
{
	if (!in)
		vgpu_tournament_leave(t, entrant);
	else if (!vgpu_entrant_is_in(entrant) || entrant->key != key || entrant->seq != seq)
		vgpu_tournament_enter(t, entrant, key, seq);
}

void vgpu_exec_reorder(struct vgpu_device *dev, struct vgpu_context *ctx)
{
	struct vgpu_standing *s = &ctx->standing;
	struct vgpu_exec *exec = &dev->exec;
	const struct vgpu_policy *policy = exec->policy;
	u64 rank = policy->rank(ctx);
	u32 need;

	keep(&exec->active, &s->active, s->active_kernels, rank, s->since);
	keep(&exec->holding, &s->holding, s->held, ~rank, ~s->since);
	for (need = 0; need < VGPU_KSR_NEEDS; need++) {
		const struct vgpu_ksr *first = s->kernels[need].first;

		keep(&exec->need[need], &s->need[need], first, rank, first ? first->order : 0);
	}
	if (ctx->buffer.command)
		keep(&exec->waiting, &ctx->buffer.node, true,
		     policy->wait_rank ? policy->wait_rank(ctx) : rank, ctx->buffer.command->order);
}

static struct vgpu_context *context_of(struct vgpu_entrant *first, size_t offset)
{
	return first ? (struct vgpu_context *)((char *)first - offset) : NULL;
}

#define FIRST(tournament, member) \
	context_of(vgpu_tournament_first(tournament), offsetof(struct vgpu_context, member))

struct vgpu_context *vgpu_exec_waiting(struct vgpu_device *dev)
{
	return FIRST(&dev->exec.waiting, buffer.node);
}

struct vgpu_context *vgpu_exec_active(struct vgpu_device *dev)
{
	return FIRST(&dev->exec.active, standing.active);
}

struct vgpu_ksr *vgpu_exec_issuable(struct vgpu_device *dev)
{
	struct vgpu_context *ctx =
		FIRST(&dev->exec.need[VGPU_KSR_ISSUABLE], standing.need[VGPU_KSR_ISSUABLE]);

	return ctx ? vgpu_exec_issuable_of(ctx) : NULL;
}

struct vgpu_ksr *vgpu_exec_wanting(struct vgpu_device *dev)
{
	struct vgpu_context *ctx =
		FIRST(&dev->exec.need[VGPU_KSR_WANTING], standing.need[VGPU_KSR_WANTING]);

	return ctx ? vgpu_exec_wanting_of(ctx) : NULL;
}

struct vgpu_context *vgpu_exec_holding(struct vgpu_device *dev)
{
	return FIRST(&dev->exec.holding, standing.holding);
}

int vgpu_standing_reserve(struct vgpu_exec *exec, u32 contexts)
{
	struct vgpu_tournament *const tournaments[] = {
		&exec->waiting,
		&exec->active,
		&exec->need[VGPU_KSR_ISSUABLE],
		&exec->need[VGPU_KSR_WANTING],
		&exec->holding,
	};
	u32 i;

	for (i = 0; i < VGPU_ARRAY_SIZE(tournaments); i++) {
		int err = vgpu_tournament_reserve(tournaments[i], contexts);

		if (err)
			return err;
	}
	return 0;
}

void vgpu_standing_fini(struct vgpu_exec *exec)
{
	u32 need;

	for (need = 0; need < VGPU_KSR_NEEDS; need++)
		vgpu_tournament_free(&exec->need[need]);
	vgpu_tournament_free(&exec->holding);
	vgpu_tournament_free(&exec->active);
	vgpu_tournament_free(&exec->waiting);
}

/* ---- kernels ------------------------------------------------------------ */

static void unlist(struct vgpu_ksr *ksr, enum vgpu_ksr_need need)
{
	struct vgpu_ksr_list *list = &ksr->ctx->standing.kernels[need];
	struct vgpu_ksr_link *link = &ksr->link[need];

	*(link->prev ? &link->prev->link[need].next : &list->first) = link->next;
	*(link->next ? &link->next->link[need].prev : &list->last) = link->prev;
	link->listed = false;
}

/*
 * By admission. New kernels go to the end; what has been preempted is among the oldest, and found
 * from the start.
 */
static void list(struct vgpu_ksr *ksr, enum vgpu_ksr_need need)
{
	struct vgpu_ksr_list *list = &ksr->ctx->standing.kernels[need];
	struct vgpu_ksr_link *link = &ksr->link[need];
	struct vgpu_ksr *next = list->first;

	if (list->last && list->last->order < ksr->order)
		next = NULL;
	while (next && next->order < ksr->order)
		next = next->link[need].next;
	link->next = next;
	link->prev = next ? next->link[need].prev : list->last;
	*(link->prev ? &link->prev->link[need].next : &list->first) = ksr;
	*(next ? &next->link[need].prev : &list->last) = ksr;
	link->listed = true;
}

void vgpu_exec_claimed(struct vgpu_device *dev, struct vgpu_ksr *ksr)
{
	const bool needs[VGPU_KSR_NEEDS] = {
		[VGPU_KSR_ISSUABLE] = ksr->unclaimed,
		[VGPU_KSR_WANTING] = ksr->unclaimed > ksr->promised,
	};
	bool changed = false;
	u32 need;

	for (need = 0; need < VGPU_KSR_NEEDS; need++) {
		if (ksr->link[need].listed == needs[need])
			continue;
		if (needs[need])
			list(ksr, need);
		else
			unlist(ksr, need);
		changed = true;
	}
	if (changed)
		vgpu_exec_reorder(dev, ksr->ctx);
}

/* ---- SMs ---------------------------------------------------------------- */

static struct vgpu_context *holder_of(const struct vgpu_smst *smst)
{
	if (!smst->ksr)
		return NULL;
	if (!vgpu_sm_is_leaving(smst))
		return smst->ksr->ctx;
	return smst->next ? smst->next->ctx : NULL;
}

static void link_sm(struct vgpu_smst **list, struct vgpu_smst *smst)
{
	smst->list_next = *list;
	smst->list_at = list;
	if (*list)
		(*list)->list_at = &smst->list_next;
	*list = smst;
}

static void unlink_sm(struct vgpu_smst *smst)
{
	if (!smst->list_at)
		return;
	*smst->list_at = smst->list_next;
	if (smst->list_next)
		smst->list_next->list_at = smst->list_at;
	smst->list_at = NULL;
}

void vgpu_exec_placed(struct vgpu_device *dev, u32 sm)
{
	struct vgpu_smst *smst = &dev->exec.smst[sm];
	struct vgpu_context *before = smst->holder;
	struct vgpu_context *holder = holder_of(smst);

	unlink_sm(smst);
	smst->holder = holder;
	if (holder) {
		bool leaving = vgpu_sm_is_leaving(smst);

		if (!leaving && !holder->standing.running)
			holder->standing.running_since = dev->now;
		link_sm(leaving ? &holder->standing.coming : &holder->standing.running, smst);
	} else if (smst->ksr) {
		link_sm(&dev->exec.unreserved, smst);
	}
	if (before == holder)
		return;
	if (before) {
		before->standing.held--;
		vgpu_exec_reorder(dev, before);
	}
	if (holder) {
		holder->standing.held++;
		vgpu_exec_reorder(dev, holder);
	}
}

static int number_of(const struct vgpu_device *dev, const struct vgpu_smst *smst)
{
	return smst ? (int)(smst - dev->exec.smst) : -1;
}

int vgpu_exec_unreserved_sm(const struct vgpu_device *dev)
{
	return number_of(dev, dev->exec.unreserved);
}

int vgpu_exec_held_sm(const struct vgpu_device *dev, const struct vgpu_context *ctx)
{
	const struct vgpu_standing *s = &ctx->standing;

	return number_of(dev, s->coming ? s->coming : s->running);
}

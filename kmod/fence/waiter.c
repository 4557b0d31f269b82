// SPDX-License-Identifier: GPL-2.0-only
/*
 * DOC: Fence waiters
 *
 * Whoever waits for a fence is a struct kvgpu_waiter: a thread in an ioctl, an io_uring command, an
 * eventfd. A waiter names fences, of which the first one to be reached ends it, and may have a
 * limit in virtual time or on the wall clock. It belongs to the actor from kvgpu_waiter_add() until
 * its function @end is called, exactly once.
 *
 * Each fence is kept with its queue, in the order of sequence numbers, so that a completion looks
 * only at those that it reaches. There are two trees for a queue, for two kinds of waiters:
 *
 * - Threads (@ordered) are taken out by the completion itself and put in line at the clock, in the
 *   order of completions, since a lockstep clock lets them run one after the other (clock.c).
 * - All others end after the stretch of device time (kvgpu_waiters_turn()), at most ENDS_PER_TURN
 *   of a context at once: a process may have tens of thousands that one completion reaches, and to
 *   end one wakes somebody.
 */
#include <linux/ktime.h>

#include "kmod/fence/fence.h"

#define ENDS_PER_TURN	64u

void kvgpu_waiters_init(struct kvgpu_waiters *waiters)
{
	INIT_LIST_HEAD(&waiters->waiting);
}

void kvgpu_waiter_init(struct kvgpu_waiter *waiter, struct kvgpu_ctx *ctx,
		       struct kvgpu_fence *fences, u32 count,
		       void (*end)(struct kvgpu_waiter *waiter, int result))
{
	*waiter = (struct kvgpu_waiter){
		.ctx = ctx, .end = end, .fences = fences, .count = count, .until = VGPU_NEVER
	};
	INIT_LIST_HEAD(&waiter->node);
	RB_CLEAR_NODE(&waiter->timer);
}

static bool fence_before(struct rb_node *a, const struct rb_node *b)
{
	return rb_entry(a, struct kvgpu_fence, node)->seq <
	       rb_entry(b, struct kvgpu_fence, node)->seq;
}

static bool timer_before(struct rb_node *a, const struct rb_node *b)
{
	const struct kvgpu_waiter *one = rb_entry(a, struct kvgpu_waiter, timer);
	const struct kvgpu_waiter *other = rb_entry(b, struct kvgpu_waiter, timer);

	return one->until < other->until ||
	       (one->until == other->until && one->order < other->order);
}

static struct rb_root_cached *timers_of(struct kvgpu_waiter *waiter)
{
	struct kvgpu_clock *clock = waiter->ctx->kdev->system->clock;

	return waiter->wall ? &clock->timers : &clock->sleepers;
}

/* No fence and no time finds it any more. */
static void waiter_detach(struct kvgpu_waiter *waiter)
{
	u32 i;

	for (i = 0; i < waiter->count; i++) {
		struct kvgpu_fence *fence = &waiter->fences[i];

		if (fence->in)
			rb_erase_cached(&fence->node, fence->in);
		fence->in = NULL;
	}
	if (RB_EMPTY_NODE(&waiter->timer))
		return;
	rb_erase_cached(&waiter->timer, timers_of(waiter));
	RB_CLEAR_NODE(&waiter->timer);
	if (!waiter->wall)
		kvgpu_user_wants(waiter->ctx, -1);
}

/* The first fence that has been reached, VGPU_FENCE_NONE, or a negative errno. */
static int fences_check(struct kvgpu_waiter *waiter)
{
	u32 i;

	waiter->which = VGPU_FENCE_NONE;
	for (i = 0; i < waiter->count; i++) {
		const struct kvgpu_fence *fence = &waiter->fences[i];
		const struct kvgpu_queue *queue = xa_load(&waiter->ctx->queues, fence->queue);

		if (!queue)
			return -ENOENT;
		if (fence->seq > queue->submitted)
			return -EINVAL;
		if (waiter->which == VGPU_FENCE_NONE && fence->seq <= queue->completed)
			waiter->which = i;
	}
	return 0;
}

int kvgpu_waiter_add(struct kvgpu_waiter *waiter)
{
	struct kvgpu_participant *participant = waiter->ctx->participant;
	int ret = fences_check(waiter);
	u32 i;

	kvgpu_assert_actor(waiter->ctx->kdev);
	if (ret)
		return ret;
	if (waiter->which != VGPU_FENCE_NONE) {
		waiter->end(waiter, 0);
		return 0;
	}
	for (i = 0; i < waiter->count; i++) {
		struct kvgpu_fence *fence = &waiter->fences[i];
		struct kvgpu_queue *queue = xa_load(&waiter->ctx->queues, fence->queue);

		fence->waiter = waiter;
		fence->in = waiter->ordered ? &queue->ordered : &queue->fences;
		rb_add_cached(&fence->node, fence->in, fence_before);
	}
	list_add_tail(&waiter->node, &waiter->ctx->waiters->waiting);
	if (waiter->blocks) {
		if (waiter->ctx->kdev->system->clock->mode == KVGPU_LOCKSTEP)
			kvgpu_participant_attach(participant);
		kvgpu_participant_block(participant);
	}
	if (waiter->until != VGPU_NEVER) {
		waiter->order = participant->order;
		rb_add_cached(&waiter->timer, timers_of(waiter), timer_before);
		if (!waiter->wall)
			kvgpu_user_wants(waiter->ctx, 1);
	}
	return 0;
}

void kvgpu_waiter_end(struct kvgpu_waiter *waiter, int result)
{
	kvgpu_assert_actor(waiter->ctx->kdev);
	waiter_detach(waiter);
	list_del_init(&waiter->node);
	if (waiter->blocks)
		kvgpu_participant_run(waiter->ctx->participant);
	waiter->end(waiter, result);
}

void kvgpu_waiter_ready(struct kvgpu_waiter *waiter, u32 which)
{
	struct kvgpu_dev *kdev = waiter->ctx->kdev;

	waiter_detach(waiter);
	waiter->which = which;
	list_move_tail(&waiter->node, &kdev->system->clock->ready);
	if (kdev->system->clock->mode == KVGPU_LOCKSTEP)
		vgpu_device_stop(kdev->model);
}

/* The first fence of a tree that @queue has reached. */
static struct kvgpu_fence *fence_reached(struct kvgpu_queue *queue, struct rb_root_cached *in)
{
	struct rb_node *first = rb_first_cached(in);
	struct kvgpu_fence *fence = rb_entry_safe(first, struct kvgpu_fence, node);

	return fence && fence->seq <= queue->completed ? fence : NULL;
}

void kvgpu_queue_completed(struct kvgpu_queue *queue, u64 seq)
{
	struct kvgpu_fence *fence;

	smp_store_release(&queue->completed, seq);
	while ((fence = fence_reached(queue, &queue->ordered)))
		kvgpu_waiter_ready(fence->waiter, fence - fence->waiter->fences);
}

bool kvgpu_waiters_turn(struct kvgpu_ctx *ctx)
{
	/* a lockstep clock must know all who run again before time passes */
	u32 ends = ctx->kdev->system->clock->mode == KVGPU_LOCKSTEP ? U32_MAX : ENDS_PER_TURN;
	struct kvgpu_queue *queue;
	struct kvgpu_fence *fence;
	unsigned long id;

	if (list_empty(&ctx->waiters->waiting))
		return false;
	xa_for_each(&ctx->queues, id, queue)
		while ((fence = fence_reached(queue, &queue->fences))) {
			if (!ends--)
				return true;
			kvgpu_waiter_end(fence->waiter, 0);
		}
	return false;
}

bool kvgpu_waiters_close(struct kvgpu_ctx *ctx)
{
	struct list_head *waiting = &ctx->waiters->waiting;
	u32 ends;

	for (ends = 0; ends < ENDS_PER_TURN && !list_empty(waiting); ends++)
		kvgpu_waiter_end(list_first_entry(waiting, struct kvgpu_waiter, node), -ECANCELED);
	return !list_empty(waiting);
}

void kvgpu_waiters_restart(struct kvgpu_ctx *ctx)
{
	struct kvgpu_waiter *waiter, *next;

	list_for_each_entry_safe(waiter, next, &ctx->waiters->waiting, node)
		if (waiter->ordered && !waiter->blocks)
			kvgpu_waiter_end(waiter, -EAGAIN);
}

struct kvgpu_waiter *kvgpu_timer_first(const struct rb_root_cached *timers)
{
	return rb_entry_safe(rb_first_cached(timers), struct kvgpu_waiter, timer);
}

u64 kvgpu_timers_turn(struct kvgpu_clock *clock)
{
	struct kvgpu_waiter *first = kvgpu_timer_first(&clock->timers);
	u64 now = first ? ktime_get_ns() : 0;
	u32 ends = ENDS_PER_TURN;

	while (first && first->until <= now && ends--) {
		kvgpu_waiter_end(first, -ETIME);
		first = kvgpu_timer_first(&clock->timers);
	}
	if (!first)
		return KVGPU_IDLE;
	return first->until > now ? first->until - now : 0;
}

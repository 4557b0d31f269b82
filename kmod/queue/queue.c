// SPDX-License-Identifier: GPL-2.0-only
/*
 * Queues and their completions. The actor publishes how far each queue has come; waiters read it
 * without asking the actor. Waiters are ended after a stretch of device time, not at every command,
 * so that a batch costs one wake-up.
 */
#include <linux/ktime.h>
#include <linux/slab.h>

#include "kmod/queue/queue.h"

struct kvgpu_queue *kvgpu_queue_get(struct kvgpu_ctx *ctx, u32 id)
{
	struct kvgpu_queue *queue;

	xa_lock(&ctx->queues);
	queue = xa_load(&ctx->queues, id);
	if (queue)
		kref_get(&queue->ref);
	xa_unlock(&ctx->queues);
	return queue;
}

struct kvgpu_queue *kvgpu_queue_alloc(void)
{
	struct kvgpu_queue *queue = kzalloc(sizeof(*queue), GFP_KERNEL_ACCOUNT);

	if (!queue)
		return NULL;
	kref_init(&queue->ref);
	queue->ordered = RB_ROOT_CACHED;
	queue->fences = RB_ROOT_CACHED;
	return queue;
}

static void queue_free(struct kref *ref)
{
	struct kvgpu_queue *queue = container_of(ref, struct kvgpu_queue, ref);

	if (queue->ring)
		kvgpu_ring_free(queue->ring);
	kfree(queue);
}

void kvgpu_queue_put(struct kvgpu_queue *queue)
{
	kref_put(&queue->ref, queue_free);
}

/* Its waiters are looked at after this stretch of device time. */
static void signalled_add(struct kvgpu_ctx *ctx)
{
	if (list_empty(&ctx->signalled))
		list_add_tail(&ctx->signalled, &ctx->kdev->signalled);
}

bool kvgpu_completions_turn(struct kvgpu_dev *kdev)
{
	struct kvgpu_ctx *ctx;
	LIST_HEAD(signalled);
	u64 now, before;

	if (list_empty(&kdev->signalled))
		return false;
	list_splice_init(&kdev->signalled, &signalled);
	now = ktime_get_ns();
	while ((ctx = list_first_entry_or_null(&signalled, struct kvgpu_ctx, signalled))) {
		list_del_init(&ctx->signalled);
		if (kvgpu_waiters_turn(ctx))
			signalled_add(ctx);
		kvgpu_rings_retry(ctx);
		if ((!ctx->inflight || ctx->dead) && wq_has_sleeper(&ctx->idle))
			kvgpu_signal_idle(ctx);
		before = now;
		now = ktime_get_ns();
		kvgpu_inbox_charge(&ctx->inbox, now - before);
	}
	return !list_empty(&kdev->signalled);
}

void kvgpu_completed(struct kvgpu_dev *kdev, const struct vgpu_completion *completion)
{
	struct kvgpu_ctx *ctx = xa_load(&kdev->contexts, completion->context);
	u64 cookie = completion->cookie;
	struct kvgpu_queue *queue;

	if (WARN_ON_ONCE(!ctx))
		return;
	if (cookie & 1)
		ctx->param_bytes -= cookie >> 1;
	else if (cookie)
		kvgpu_unpin((struct kvgpu_pin *)(uintptr_t)cookie);
	WRITE_ONCE(ctx->inflight, ctx->inflight - 1);
	kvgpu_user_wants(ctx, -1);
	WRITE_ONCE(kdev->system->now, completion->time);
	queue = xa_load(&ctx->queues, completion->queue);
	if (queue) {
		kvgpu_queue_completed(queue, completion->seq);
		if (queue->ring)
			kvgpu_ring_completed(queue->ring, completion->seq, completion->time);
	}
	signalled_add(ctx);
}

void kvgpu_context_died(struct kvgpu_ctx *ctx, u32 reason)
{
	WRITE_ONCE(ctx->dead, reason);
	kvgpu_rings_dead(ctx);
	signalled_add(ctx);
}

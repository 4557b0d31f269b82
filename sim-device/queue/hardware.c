// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Which queues have a hardware queue. There are config->hw_queues of them, and many more queues of
 * contexts; the dispatcher inspects a queue only while it is bound to one.
 *
 * A queue is bound when it has something for the dispatcher, and stays bound until another one
 * wants its hardware queue. Who wants one gets, in this order:
 *
 * 1. a free one;
 * 2. that of a queue with nothing for the dispatcher: an empty one, or one whose head waits for
 *    another queue. So those that wait never keep the others from the device;
 * 3. that of a queue whose head an engine has, if of the context that wants nothing is served, or
 *    two queues less than of the one that loses it. The command goes on; when it has ended, its
 *    queue wants a hardware queue again. So no context keeps others out by long kernels.
 *
 * Otherwise it waits until a command ends in a bound queue. The context of which least is served is
 * next; equal ones take turns, and so do the queues of each. The paper has no such step and no cost
 * for it: it takes no time.
 */
#include "queue.h"

static void sort(struct vgpu_queues *queues, struct vgpu_queue_context *ctx)
{
	vgpu_pqueue_insert(&queues->wanting, &ctx->turn, ctx->served, ctx->order);
}

/* @ctx has queues that want: its turn comes after those of contexts that have as much. */
static void wait_turn(struct vgpu_queues *queues, struct vgpu_queue_context *ctx)
{
	ctx->order = ++queues->turns;
	sort(queues, ctx);
}

static void set_served(struct vgpu_queue *queue, bool served)
{
	struct vgpu_queue_context *ctx = queue->ctx;

	if (queue->served == served)
		return;
	queue->served = served;
	ctx->served += served ? 1 : -1;
	if (vgpu_pq_queued(&ctx->turn))
		sort(queue->all, ctx);
}

static void bind(struct vgpu_queue *queue)
{
	if (!queue->bound)
		queue->all->bound++;
	queue->bound = true;
	set_served(queue, true);
}

static void unbind(struct vgpu_queue *queue)
{
	vgpu_list_del(&queue->place);
	queue->bound = false;
	queue->all->bound--;
}

/* The engaged queue that is the first to lose its hardware queue: of who has most. */
static struct vgpu_queue *richest(struct vgpu_queues *queues)
{
	struct vgpu_queue *most = NULL, *queue;

	vgpu_list_for_each(queue, &queues->engaged, struct vgpu_queue, place)
		if (!most || queue->ctx->served > most->ctx->served)
			most = queue;
	return most;
}

/* A hardware queue is free now, or was, for a queue of @ctx. */
static bool make_free(struct vgpu_queues *queues, const struct vgpu_queue_context *ctx)
{
	struct vgpu_queue *victim;

	if (queues->bound < queues->config->hw_queues)
		return true;
	victim = vgpu_list_first(&queues->idle, struct vgpu_queue, place);
	if (!victim) {
		victim = richest(queues);
		if (!victim || (ctx->served && victim->ctx->served < ctx->served + 2))
			return false;
	}
	unbind(victim);
	return true;
}

static struct vgpu_queue_context *first_wanting(struct vgpu_queues *queues)
{
	struct vgpu_pq_entry *first = vgpu_pqueue_first(&queues->wanting);

	return first ? vgpu_container_of(first, struct vgpu_queue_context, turn) : NULL;
}

/* Bind queues that want it, as long as there are hardware queues for them. */
static void give_turns(struct vgpu_queues *queues)
{
	struct vgpu_queue_context *ctx;
	struct vgpu_queue *queue;

	while ((ctx = first_wanting(queues)) && make_free(queues, ctx)) {
		queue = vgpu_list_first(&ctx->wanting, struct vgpu_queue, place);
		vgpu_list_del(&queue->place);
		if (vgpu_list_empty(&ctx->wanting))
			vgpu_pqueue_remove(&queues->wanting, &ctx->turn);
		else
			wait_turn(queues, ctx);
		bind(queue);
		vgpu_dispatch_bound(queue);
	}
}

bool vgpu_hardware_get(struct vgpu_queue *queue)
{
	struct vgpu_queues *queues = queue->all;
	bool wanted;

	/* the command before has ended: now it is the others' turn */
	set_served(queue, false);
	vgpu_list_del(&queue->place);
	wanted = first_wanting(queues);
	if (queue->bound && wanted)
		unbind(queue);
	if (!queue->bound && (wanted || queues->bound == queues->config->hw_queues)) {
		vgpu_list_add_tail(&queue->place, &queue->ctx->wanting);
		if (!vgpu_pq_queued(&queue->ctx->turn))
			wait_turn(queues, queue->ctx);
		give_turns(queues);
		return false;
	}
	bind(queue);
	return true;
}

void vgpu_hardware_engaged(struct vgpu_queue *queue)
{
	if (!queue->bound)
		return;
	vgpu_list_add_tail(&queue->place, &queue->all->engaged);
	give_turns(queue->all);
}

void vgpu_hardware_idle(struct vgpu_queue *queue)
{
	if (queue->bound) {
		vgpu_list_del(&queue->place);
		vgpu_list_add_tail(&queue->place, &queue->all->idle);
	}
	set_served(queue, false);
	give_turns(queue->all);
}

void vgpu_hardware_unwant(struct vgpu_queue *queue)
{
	if (queue->bound)
		return;
	vgpu_list_del(&queue->place);
	if (vgpu_list_empty(&queue->ctx->wanting))
		vgpu_pqueue_remove(&queue->all->wanting, &queue->ctx->turn);
}

void vgpu_hardware_put(struct vgpu_queue *queue)
{
	vgpu_hardware_unwant(queue);
	set_served(queue, false);
	if (queue->bound)
		unbind(queue);
	give_turns(queue->all);
}

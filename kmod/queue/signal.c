// SPDX-License-Identifier: GPL-2.0-only
/*
 * What wakes others. Whoever signals an eventfd, or wakes those who poll a file, goes through all
 * that watch it, with interrupts off: thousands of epolls, if a process wants so. That is no work
 * for the actor, which everybody waits for, so a work item of the context does it.
 */
#include <linux/eventfd.h>
#include <linux/sched.h>

#include "kmod/queue/queue.h"

/* In one run of the work item, which a close waits for. */
#define SIGNALS_PER_RUN	64u

/* Signal some; true: there are more. */
static bool signals_run(struct kvgpu_signals *signals)
{
	struct kvgpu_signal *signal;
	u32 i;

	if (atomic_xchg(&signals->idle, 0))
		wake_up_all(&signals->ctx->idle);
	for (i = 0; i < SIGNALS_PER_RUN; i++) {
		if (!signals->first)
			signals->first = llist_reverse_order(llist_del_all(&signals->pending));
		if (!signals->first)
			return false;
		signal = llist_entry(signals->first, struct kvgpu_signal, node);
		signals->first = signals->first->next;
		kvgpu_eventfd_signal(signal->eventfd);
		eventfd_ctx_put(signal->eventfd);
		signal->free(signals->ctx, signal);
		cond_resched();
	}
	return true;
}

static void signals_work(struct work_struct *work)
{
	struct kvgpu_signals *signals = container_of(work, struct kvgpu_signals, work);

	if (signals_run(signals))
		queue_work(system_unbound_wq, work);
}

void kvgpu_signals_init(struct kvgpu_signals *signals, struct kvgpu_ctx *ctx)
{
	signals->ctx = ctx;
	init_llist_head(&signals->pending);
	INIT_WORK(&signals->work, signals_work);
}

void kvgpu_signals_exit(struct kvgpu_signals *signals)
{
	cancel_work_sync(&signals->work);
	while (signals_run(signals))
		cond_resched();
}

void kvgpu_signal_add(struct kvgpu_ctx *ctx, struct kvgpu_signal *signal)
{
	llist_add(&signal->node, &ctx->signals->pending);
	queue_work(system_unbound_wq, &ctx->signals->work);
}

void kvgpu_signal_idle(struct kvgpu_ctx *ctx)
{
	atomic_set(&ctx->signals->idle, 1);
	queue_work(system_unbound_wq, &ctx->signals->work);
}

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Helpers: threads of processes that wait in a call for what their context has submitted, and
 * execute slices of its kernels meanwhile (batch.h), as themselves: on their processor, with their
 * priority, in their control group. Nobody has to: what they do not take the actor executes.
 *
 * A helper takes slices of the context only that it waits for, which is that of its open file.
 */
#ifndef KVGPU_HELPERS_H
#define KVGPU_HELPERS_H

#include <linux/atomic.h>
#include <linux/wait.h>

/**
 * struct kvgpu_helpers - threads that wait for a context
 * @wake: they sleep here, each to be woken alone
 * @ready: how many there are
 * @awake: of these, those that do not sleep
 * @ns: in which they have executed slices: charged to them already
 * @workers_ns: in which workers have, for this context; the actor writes
 */
struct kvgpu_helpers {
	wait_queue_head_t wake;
	atomic_t ready;
	atomic_t awake;
	atomic64_t ns;
	u64 workers_ns;
};

void kvgpu_helpers_init(struct kvgpu_helpers *helpers);

/**
 * kvgpu_help_until - wait until @over(@arg), and execute what there is for @helpers meanwhile
 * @spin: busy-wait first; else sleep at once
 *
 * Who makes @over() true wakes the thread (wake_up_process()). -ERESTARTSYS: a signal came first.
 */
int kvgpu_help_until(struct kvgpu_helpers *helpers, bool (*over)(void *arg), void *arg, bool spin);
/* The same without sleeping, for a moment, or for as long as there is something. False: sleep. */
bool kvgpu_help_awake(struct kvgpu_helpers *helpers, bool (*over)(void *arg), void *arg);

/* Would one more thread that waits execute something? As many are awake as there are processors. */
bool kvgpu_helpers_wanted(const struct kvgpu_helpers *helpers);

/* Actor: how many would take something of a batch; have @most at most look for it. */
u32 kvgpu_helpers_ready(const struct kvgpu_helpers *helpers);
void kvgpu_helpers_wake(struct kvgpu_helpers *helpers, u32 most);
/*
 * Actor: would anybody else execute something for the context of @helpers now? Workers would for
 * any, also where @helpers is NULL.
 */
bool kvgpu_has_hands(const struct kvgpu_helpers *helpers);

#endif

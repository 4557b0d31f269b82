// SPDX-License-Identifier: GPL-2.0-only
/*
 * DOC: Helpers
 *
 * A thread that waits for its kernel has a processor and nothing to do there. It looks for a batch
 * of its context for a moment, as workers do, then sleeps until there is one. Of the threads that
 * wait for a context as many are awake as there are processors beside the actor's, however many
 * wait; which ones changes, as those sleep in line.
 *
 * What they execute is charged by the scheduler, as everything that a thread does: to the thread,
 * to its control group, at its priority. A helper that gets no processor takes nothing.
 */
#include <linux/cpumask.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>

#include "kmod/core/core.h"

static bool enabled = true;
module_param_named(helpers, enabled, bool, 0644);
MODULE_PARM_DESC(helpers, "threads that wait for their kernels execute some of it (default Y)");

/** struct waits - what a thread waits for */
struct waits {
	struct kvgpu_helpers *helpers;
	bool (*over)(void *arg);
	void *arg;
};

void kvgpu_helpers_init(struct kvgpu_helpers *helpers)
{
	*helpers = (struct kvgpu_helpers){};
	init_waitqueue_head(&helpers->wake);
}

/* ---- a thread that waits ------------------------------------------------ */

/* It has ended, or there is something to execute. A signal comes first: the wait ends then. */
static bool is_needed(void *arg)
{
	const struct waits *w = arg;

	return w->over(w->arg) || (READ_ONCE(enabled) && !signal_pending(current) &&
				   kvgpu_batch_open(w->helpers));
}

/* False: there is nothing, or a signal. */
static bool help(struct waits *w)
{
	while (kvgpu_spin(is_needed, w)) {
		if (w->over(w->arg))
			return true;
		kvgpu_batch_execute(w->helpers);
		if (signal_pending(current))
			break;
		cond_resched();
	}
	return w->over(w->arg);
}

static bool help_awake(struct waits *w)
{
	bool over;

	atomic_inc(&w->helpers->awake);
	over = help(w);
	atomic_dec(&w->helpers->awake);
	return over;
}

bool kvgpu_help_awake(struct kvgpu_helpers *helpers, bool (*over)(void *arg), void *arg)
{
	struct waits w = { .helpers = helpers, .over = over, .arg = arg };
	bool ended;

	atomic_inc(&helpers->ready);
	ended = help_awake(&w);
	atomic_dec(&helpers->ready);
	return ended;
}

int kvgpu_help_until(struct kvgpu_helpers *helpers, bool (*over)(void *arg), void *arg, bool spin)
{
	struct waits w = { .helpers = helpers, .over = over, .arg = arg };
	int ret = 0;

	atomic_inc(&helpers->ready);
	while (!ret && !(spin && help_awake(&w)) && !over(arg)) {
		ret = wait_event_interruptible_exclusive(helpers->wake, is_needed(&w));
		spin = true;
	}
	atomic_dec(&helpers->ready);
	return ret;
}

bool kvgpu_helpers_wanted(const struct kvgpu_helpers *helpers)
{
	return READ_ONCE(enabled) && atomic_read(&helpers->ready) + 1 < (int)num_online_cpus();
}

/* ---- actor -------------------------------------------------------------- */

u32 kvgpu_helpers_ready(const struct kvgpu_helpers *helpers)
{
	return READ_ONCE(enabled) ? atomic_read(&helpers->ready) : 0;
}

void kvgpu_helpers_wake(struct kvgpu_helpers *helpers, u32 most)
{
	u32 awake = atomic_read(&helpers->awake);

	if (awake < most && wq_has_sleeper(&helpers->wake))
		wake_up_interruptible_nr(&helpers->wake, most - awake);
}

bool kvgpu_has_hands(const struct kvgpu_helpers *helpers)
{
	return num_online_cpus() > 1 &&
	       (kvgpu_workers_number() || (helpers && kvgpu_helpers_ready(helpers)));
}

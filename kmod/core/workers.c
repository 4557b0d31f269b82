// SPDX-License-Identifier: GPL-2.0-only
/*
 * Workers. A batch is microseconds to milliseconds of work, and the next one follows soon. So a
 * worker looks for it for a moment before it sleeps, unless another task needs the processor.
 *
 * Nobody has asked for a worker's time, and no control group is charged with it. So workers have
 * what is left: under SCHED_IDLE every task that has something to do comes first.
 */
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/sched.h>
#include <uapi/linux/sched/types.h>
#include <linux/wait.h>

#include "kmod/core/core.h"

static struct {
	wait_queue_head_t wake;		/* workers sleep here */
	struct task_struct *worker[KVGPU_WORKERS_MOST];
	unsigned int number;
} pool = {
	.wake = __WAIT_QUEUE_HEAD_INITIALIZER(pool.wake),
};

static bool has_next(void *unused)
{
	return kvgpu_batch_open(NULL) || kthread_should_stop();
}

static int worker(void *unused)
{
	while (!kthread_should_stop()) {
		if (!kvgpu_spin(has_next, NULL))
			wait_event_idle_exclusive(pool.wake, has_next(NULL));
		kvgpu_batch_execute(NULL);
		cond_resched();
	}
	return 0;
}

int kvgpu_workers_start(unsigned int count)
{
	const struct sched_attr idle = { .size = sizeof(idle), .sched_policy = SCHED_IDLE };

	while (pool.number < count) {
		struct task_struct *task = kthread_create(worker, NULL, "vgpu-w%u", pool.number);

		if (IS_ERR(task)) {
			kvgpu_workers_stop();
			return PTR_ERR(task);
		}
		pool.worker[pool.number++] = task;
		WARN_ON_ONCE(sched_setattr_nocheck(task, &idle));
		wake_up_process(task);
	}
	return 0;
}

void kvgpu_workers_stop(void)
{
	while (pool.number)
		kthread_stop(pool.worker[--pool.number]);
}

unsigned int kvgpu_workers_number(void)
{
	return pool.number;
}

void kvgpu_workers_wake(u32 most)
{
	if (most && wq_has_sleeper(&pool.wake))
		wake_up_nr(&pool.wake, most);
}

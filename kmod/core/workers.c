// SPDX-License-Identifier: GPL-2.0-only
/*
 * DOC: Workers
 *
 * A batch is some slices, of as many SMs: microseconds to milliseconds of work, and the next one
 * follows soon. So a worker looks for it for a moment before it sleeps, unless another task needs
 * the processor.
 *
 * The ticket is the batch's number and which indexes of it are left. Who takes one does so by a
 * compare and exchange; so the batch is still the one that he has looked at, and does not end
 * before he has: what describes it changes only between batches. The actor takes indexes from
 * below and workers from above: an index is mostly executed by the processor that has executed it
 * in the batch before, whose caches have what it needs.
 *
 * DOC: who waits for whom
 *
 * A worker executes with preemption disabled. When its processor is wanted it takes no other index,
 * and leaves what it has between two warps (kvgpu_workers_give_way()): the actor executes the rest
 * when that is due, and workers that come back take part in the next batch. So preemption is
 * disabled for as long as the actor's own use of the FPU does it, 256 instructions of a warp, and
 * the actor, which takes what nobody has taken, waits for workers only that execute. Who wants a
 * word with the actor (vgpu_system_interrupt()) has all of them leave what they are at.
 *
 * No lock is taken here. Workers touch of the models what a run() does, of one SM, and read page
 * tables, which nobody changes before the batch ends; they allocate nothing and call no other
 * operation of the host. The batch begins with a release of the ticket and ends with an acquire of
 * @done: what one side has written before, the other sees.
 */
#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/wait.h>

#include "kmod/core/core.h"
#include "kmod/core/workers.h"

static struct {
	unsigned long taken;		/* bit 0: by the actor whose batch it is */
	atomic64_t ticket;
	/* the batch: */
	void (*run)(void *arg, u32 n);
	void *arg;
	atomic_t done;			/* run() has returned for so many, to workers */
	wait_queue_head_t wake;		/* workers sleep here */
	struct task_struct *worker[KVGPU_WORKERS_MOST];
	unsigned int number;
	atomic64_t executed;		/* struct kvgpu_workers_counts: of workers … */
	atomic64_t left;
	atomic64_t ns;
	u64 batches;			/* … and of who has taken it */
	u64 by_actors;
} pool = {
	.wake = __WAIT_QUEUE_HEAD_INITIALIZER(pool.wake),
};

/* Indexes of batch @batch from @low on, below @high, are left. */
static s64 ticket_of(u32 batch, u32 low, u32 high)
{
	return (s64)((u64)batch << 32 | high << 16 | low);
}

static u32 batch_now(void)
{
	/* pairs with the release in kvgpu_workers_run() */
	return (u64)atomic64_read_acquire(&pool.ticket) >> 32;
}

/* Take an index of the present batch. False: none is left. */
static bool take_index(bool actor, u32 *index)
{
	s64 ticket = atomic64_read(&pool.ticket), next;

	do {
		u32 batch = (u64)ticket >> 32;
		u32 low = (u16)ticket, high = (u16)(ticket >> 16);

		if (low >= high)
			return false;
		*index = actor ? low : high - 1;
		next = actor ? ticket_of(batch, low + 1, high) : ticket_of(batch, low, high - 1);
	} while (!atomic64_try_cmpxchg_acquire(&pool.ticket, &ticket, next));
	return true;
}

/* ---- workers ------------------------------------------------------------ */

bool kvgpu_workers_give_way(void)
{
	/* the actor, which the batch waits for, lets others have the processor behind it */
	return need_resched() && !preemptible();
}

/* What is left of the present batch, with others. */
static void execute_batch(void)
{
	u64 begin;
	u32 n;

	for (;;) {
		preempt_disable();
		if (need_resched() || !take_index(false, &n))
			break;
		begin = ktime_get_ns();
		pool.run(pool.arg, n);
		atomic64_add(ktime_get_ns() - begin, &pool.ns);
		atomic64_inc(&pool.executed);
		if (need_resched())
			atomic64_inc(&pool.left);
		/* pairs with the acquire in kvgpu_workers_run(), where the batch ends */
		atomic_inc_return_release(&pool.done);
		preempt_enable();
	}
	preempt_enable();
}

static bool has_next(void *batch)
{
	return batch_now() != *(u32 *)batch || kthread_should_stop();
}

static int worker(void *unused)
{
	u32 batch = 0;

	while (!kthread_should_stop()) {
		if (!kvgpu_spin(has_next, &batch))
			wait_event_idle(pool.wake, has_next(&batch));
		batch = batch_now();
		execute_batch();
		cond_resched();
	}
	return 0;
}

int kvgpu_workers_start(unsigned int count)
{
	while (pool.number < count) {
		struct task_struct *task = kthread_run(worker, NULL, "vgpu-w%u", pool.number);

		if (IS_ERR(task)) {
			kvgpu_workers_stop();
			return PTR_ERR(task);
		}
		pool.worker[pool.number++] = task;
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

void kvgpu_workers_count(struct kvgpu_workers_counts *counts)
{
	*counts = (struct kvgpu_workers_counts){
		.batches = READ_ONCE(pool.batches),
		.actor = READ_ONCE(pool.by_actors),
		.workers = atomic64_read(&pool.executed),
		.left = atomic64_read(&pool.left),
		.ns = atomic64_read(&pool.ns),
	};
}

/* ---- batches (actor) ---------------------------------------------------- */

static void execute_alone(void (*run)(void *arg, u32 n), void (*end)(void *arg, u32 n), void *arg,
			  u32 count)
{
	for (u32 n = 0; n < count; n++) {
		run(arg, n);
		if (end)
			end(arg, n);
	}
}

void kvgpu_workers_run(struct kvgpu_system *system, void (*run)(void *arg, u32 n),
		       void (*end)(void *arg, u32 n), void *arg, u32 count)
{
	u64 before;
	u32 mine = 0, n;

	if (end || count > U16_MAX || num_online_cpus() == 1 ||
	    test_and_set_bit_lock(0, &pool.taken)) {
		execute_alone(run, end, arg, count);
		return;
	}
	before = atomic64_read(&pool.ns);
	pool.run = run;
	pool.arg = arg;
	atomic_set(&pool.done, 0);
	/* from here on it is there: who takes an index of it sees the above */
	atomic64_set_release(&pool.ticket, ticket_of(batch_now() + 1, 0, count));
	if (wq_has_sleeper(&pool.wake))
		wake_up_all(&pool.wake);
	for (; take_index(true, &n); mine++)
		run(arg, n);
	/* pairs with the release in execute_batch(); they execute, all of them */
	while (atomic_read_acquire(&pool.done) != count - mine)
		cpu_relax();
	/* theirs is as the actor's own: contexts are charged with it */
	system->unshared += atomic64_read(&pool.ns) - before;
	WRITE_ONCE(pool.batches, pool.batches + 1);
	WRITE_ONCE(pool.by_actors, pool.by_actors + mine);
	clear_bit_unlock(0, &pool.taken);
}

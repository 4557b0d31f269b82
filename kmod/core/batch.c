// SPDX-License-Identifier: GPL-2.0-only
/*
 * DOC: Batches
 *
 * A batch is some slices, of as many SMs: microseconds to milliseconds of work of one context. The
 * ticket is the batch's number and which indexes of it are left. Who takes one does so by a compare
 * and exchange; so the batch is still the one that he has looked at, and does not end before he
 * has: what describes it changes only between batches. The actor takes indexes from below and
 * others from above: an index is mostly executed by the processor that has executed it in the batch
 * before, whose caches have what it needs.
 *
 * DOC: who waits for whom
 *
 * Others than the actor execute with preemption disabled. When the processor is wanted, or a signal
 * is pending, they take no other index, and leave what they have between two warps
 * (kvgpu_batch_give_way()): the actor executes the rest when that is due. So preemption is disabled
 * for as long as the actor's own use of the FPU does it, 256 instructions of a warp, and the actor,
 * which takes what nobody has taken, waits for those only that execute: not for one that is
 * throttled, stopped, frozen, traced or preempted. Who wants a word with the actor
 * (vgpu_system_interrupt()) has all of them leave what they are at.
 *
 * DOC: what may be touched in a slice
 *
 * No lock is taken. A run() touches of the models what belongs to its SM, and reads page tables,
 * which nobody changes before the batch ends; it allocates nothing and calls no other operation of
 * the host than the question whether to give way. So everything that is touched belongs to the
 * actor or to who holds a slice: in kernels with lockdep the operations of the host check the one
 * (kvgpu_assert_actor()) and kvgpu_batch_give_way() the other, by the class "vgpu_slice", which is
 * held in a run(). The actor takes that, too, before it waits for a batch to end: a lock that were
 * both taken in a run() and held by an actor would be reported.
 *
 * The batch begins with a release of the ticket and ends with an acquire of @done: what one side
 * has written before, the other sees.
 */
#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/ktime.h>
#include <linux/lockdep.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>

#include "kmod/core/core.h"

/** struct part - struct kvgpu_batch_part, as it is counted */
struct part {
	atomic64_t executed;
	atomic64_t left;
	atomic64_t ns;
};

static struct {
	unsigned long taken;		/* bit 0: by the actor whose batch it is */
	atomic64_t ticket;
	/* the batch: */
	void (*run)(void *arg, u32 n);
	void *arg;
	struct kvgpu_helpers *helpers;	/* for others to compare */
	bool for_workers;
	atomic_t done;			/* run() has returned for so many, to others */
	struct part workers;
	struct part by_helpers;
	u64 batches;			/* of who has taken it */
	u64 by_actors;
} now;

#ifdef CONFIG_LOCKDEP
static struct lockdep_map slice_map = STATIC_LOCKDEP_MAP_INIT("vgpu_slice", &slice_map);
#define slice_hold()		lock_map_acquire(&slice_map)
#define slice_release()		lock_map_release(&slice_map)
#define slice_is_held()		lock_is_held(&slice_map)
#else
#define slice_hold()		do { } while (0)
#define slice_release()		do { } while (0)
#define slice_is_held()		true
#endif

/* Indexes of batch @batch from @low on, below @high, are left. */
static s64 ticket_of(u32 batch, u32 low, u32 high)
{
	return (s64)((u64)batch << 32 | high << 16 | low);
}

/*
 * Is the batch that @ticket was read of for @helpers, NULL: for workers, with something left? What
 * this reads is of that batch if @ticket has not changed since.
 */
static bool is_for(s64 ticket, const struct kvgpu_helpers *helpers)
{
	return (u16)ticket < (u16)(ticket >> 16) &&
	       (helpers ? READ_ONCE(now.helpers) == helpers : READ_ONCE(now.for_workers));
}

bool kvgpu_batch_open(const struct kvgpu_helpers *helpers)
{
	/* pairs with the release in kvgpu_batch_run() */
	return is_for(atomic64_read_acquire(&now.ticket), helpers);
}

/* Take an index from below. False: none is left. */
static bool take_mine(u32 *index)
{
	s64 ticket = atomic64_read(&now.ticket);

	do {
		if ((u16)ticket >= (u16)(ticket >> 16))
			return false;
		*index = (u16)ticket;
	} while (!atomic64_try_cmpxchg_acquire(&now.ticket, &ticket, ticket + 1));
	return true;
}

/* The same from above, for @helpers or workers. */
static bool take_for(const struct kvgpu_helpers *helpers, u32 *index)
{
	s64 ticket;

	do {
		/* not what a failed exchange has found: that has no order */
		ticket = atomic64_read_acquire(&now.ticket);
		if (!is_for(ticket, helpers))
			return false;
		*index = (u16)(ticket >> 16) - 1;
	} while (!atomic64_try_cmpxchg_acquire(&now.ticket, &ticket, ticket - (1 << 16)));
	return true;
}

/* ---- others than the actor ---------------------------------------------- */

/* The current thread has something else to do, or another one on this processor. */
static bool is_wanted(void)
{
	return need_resched() || signal_pending(current);
}

bool kvgpu_batch_give_way(const struct kvgpu_system *system)
{
	WARN_ON_ONCE(IS_ENABLED(CONFIG_PROVE_LOCKING) && current != system->actor &&
		     !slice_is_held());
	/* the actor, which the batch waits for, lets others have the processor behind it */
	return current != system->actor && is_wanted();
}

static void execute_one(struct part *part, struct kvgpu_helpers *helpers, u32 n)
{
	u64 begin = ktime_get_ns(), ns;

	slice_hold();
	now.run(now.arg, n);
	slice_release();
	ns = ktime_get_ns() - begin;
	atomic64_add(ns, &part->ns);
	if (helpers)
		atomic64_add(ns, &helpers->ns);
	atomic64_inc(&part->executed);
	if (is_wanted())
		atomic64_inc(&part->left);
	/* pairs with the acquire in kvgpu_batch_run(), where the batch ends */
	atomic_inc_return_release(&now.done);
}

void kvgpu_batch_execute(struct kvgpu_helpers *helpers)
{
	u32 n;

	for (;;) {
		preempt_disable();
		if (is_wanted() || !take_for(helpers, &n))
			break;
		execute_one(helpers ? &now.by_helpers : &now.workers, helpers, n);
		preempt_enable();
	}
	preempt_enable();
}

static struct kvgpu_batch_part count_part(const struct part *part)
{
	return (struct kvgpu_batch_part){
		.executed = atomic64_read(&part->executed),
		.left = atomic64_read(&part->left),
		.ns = atomic64_read(&part->ns),
	};
}

void kvgpu_batch_count(struct kvgpu_batch_counts *counts)
{
	*counts = (struct kvgpu_batch_counts){
		.batches = READ_ONCE(now.batches),
		.actor = READ_ONCE(now.by_actors),
		.workers = count_part(&now.workers),
		.helpers = count_part(&now.by_helpers),
	};
}

/* ---- the actor ---------------------------------------------------------- */

static void execute_alone(void (*run)(void *arg, u32 n), void (*end)(void *arg, u32 n), void *arg,
			  u32 count)
{
	for (u32 n = 0; n < count; n++) {
		run(arg, n);
		if (end)
			end(arg, n);
	}
}

/*
 * Have others know of a batch of @count. Workers take nothing of a context that a thread waits for:
 * what its kernels have of the machine is up to its own threads, and so to their control group.
 */
static void call_others(struct kvgpu_helpers *helpers, u32 count)
{
	u32 others = min(count, num_online_cpus()) - 1;
	u32 waiting = helpers ? kvgpu_helpers_ready(helpers) : 0;
	u32 batch = (u64)atomic64_read(&now.ticket) >> 32;

	WRITE_ONCE(now.helpers, helpers);
	WRITE_ONCE(now.for_workers, !waiting);
	atomic_set(&now.done, 0);
	/* from here on it is there: who takes an index of it sees the above */
	atomic64_set_release(&now.ticket, ticket_of(batch + 1, 0, count));
	if (waiting)
		kvgpu_helpers_wake(helpers, others);
	else
		kvgpu_workers_wake(others);
}

void kvgpu_batch_run(struct kvgpu_system *system, struct kvgpu_helpers *helpers,
		     void (*run)(void *arg, u32 n), void (*end)(void *arg, u32 n), void *arg,
		     u32 count)
{
	u64 ns;
	u32 mine = 0, n;

	if (end || count > U16_MAX || num_online_cpus() == 1 ||
	    test_and_set_bit_lock(0, &now.taken)) {
		execute_alone(run, end, arg, count);
		return;
	}
	ns = atomic64_read(&now.workers.ns);
	now.run = run;
	now.arg = arg;
	call_others(helpers, count);
	for (; take_mine(&n); mine++)
		run(arg, n);
	slice_hold();
	slice_release();
	/* pairs with the release in execute_one(); they execute, all of them */
	while (atomic_read_acquire(&now.done) != count - mine)
		cpu_relax();
	/* that of workers is as the actor's own: contexts are charged with it */
	ns = atomic64_read(&now.workers.ns) - ns;
	system->unshared += ns;
	if (helpers)
		WRITE_ONCE(helpers->workers_ns, helpers->workers_ns + ns);
	WRITE_ONCE(now.batches, now.batches + 1);
	WRITE_ONCE(now.by_actors, now.by_actors + mine);
	clear_bit_unlock(0, &now.taken);
}

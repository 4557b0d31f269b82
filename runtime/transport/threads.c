// SPDX-License-Identifier: MIT
/*
 * Threads for a device: see threads.h. A batch is some microseconds of work, and the next one
 * follows soon, so threads look for it for a while before they sleep.
 *
 * @ticket is the batch's number and which indexes of it are left. Who takes some does so by a
 * compare and exchange, so the batch is still the one that he has looked at, and cannot end
 * before he has: what describes it changes only between batches.
 *
 * Where there is no end() in the order of indexes, the caller takes them from below and the others
 * from above: an index is mostly done by the thread that has done it in the batch before, whose
 * caches have what it needs. They take several at once, as a line of the cache that is passed to
 * and fro costs as much as some of them.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "processors.h"
#include "threads.h"

#define MOST		64u
#define BATCH_MOST	1024u		/* SMs of a device */
#define LOOKS		32768u		/* before a thread sleeps */
#define PATIENCE	4096u		/* looks before a thread lets others have the processor */

#define LINE	__attribute__((aligned(64)))

struct vgpu_threads {
	LINE uint64_t ticket;
	/* the batch: */
	LINE void (*run)(void *arg, uint32_t n);
	void (*end)(void *arg, uint32_t n);	/* or NULL */
	void *arg;
	uint32_t count;
	LINE uint32_t done;		/* without end(): run() has returned for so many */
	LINE uint32_t turn;		/* end() has returned for all below */
	bool locked;			/* see lock() */
	bool shared;			/* the same for vgpu_threads_lock() */
	bool ran[BATCH_MOST];		/* run() has returned */
	/* threads that sleep */
	LINE pthread_mutex_t lock;
	pthread_cond_t wake;
	uint32_t sleeping;
	bool over;
	uint32_t automatic;		/* start so many at most; 0: they are started */
	uint32_t others;
	pthread_t other[MOST - 1];
};

static void pause_a_moment(uint32_t looks)
{
	if (looks % PATIENCE == PATIENCE - 1) {
		sched_yield();
		return;
	}
#ifdef __x86_64__
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}

/* For who describes a batch and who calls end(), and for vgpu_threads_lock(). */
static void lock(bool *locked)
{
	for (uint32_t looks = 0; __atomic_exchange_n(locked, true, __ATOMIC_ACQUIRE); looks++)
		pause_a_moment(looks);
}

static void unlock(bool *locked)
{
	__atomic_store_n(locked, false, __ATOMIC_RELEASE);
}

/*
 * All whose turn it is end. The caller's own index may have been ended by another thread, and the
 * batch may be the next one by then.
 */
static void end_those(struct vgpu_threads *t)
{
	lock(&t->locked);
	while (t->turn < t->count && __atomic_load_n(&t->ran[t->turn], __ATOMIC_ACQUIRE)) {
		t->end(t->arg, t->turn);
		__atomic_store_n(&t->turn, t->turn + 1, __ATOMIC_RELEASE);
	}
	unlock(&t->locked);
}

/* Indexes of batch @batch from @low on, below @high, are left. */
static uint64_t ticket_of(uint64_t batch, uint32_t low, uint32_t high)
{
	return batch << 32 | high << 16 | low;
}

static uint64_t batch_of(const struct vgpu_threads *t)
{
	return __atomic_load_n(&t->ticket, __ATOMIC_ACQUIRE) >> 32;
}

uint64_t vgpu_threads_batches(const struct vgpu_threads *t)
{
	return batch_of(t);
}

/* How many of @left indexes that have no order are taken at once */
static uint32_t share(const struct vgpu_threads *t, uint32_t left)
{
	uint32_t two_each = 2 * (t->others + 1);

	return (left + two_each - 1) / two_each;
}

/* Take indexes of the present batch from *@first on: how many. 0: none is left. */
static uint32_t take_some(struct vgpu_threads *t, bool caller, uint32_t *first)
{
	uint64_t ticket = __atomic_load_n(&t->ticket, __ATOMIC_ACQUIRE), next;
	uint32_t count;

	do {
		uint32_t low = (uint16_t)ticket, high = (uint16_t)(ticket >> 16);
		bool ordered;

		if (low >= high)
			return 0;
		ordered = __atomic_load_n(&t->end, __ATOMIC_RELAXED) != NULL;
		count = ordered ? 1 : share(t, high - low);
		*first = ordered || caller ? low : high - count;
		next = ordered || caller ? ticket_of(ticket >> 32, low + count, high) :
					   ticket_of(ticket >> 32, low, high - count);
	} while (!__atomic_compare_exchange_n(&t->ticket, &ticket, next, false, __ATOMIC_ACQ_REL,
					      __ATOMIC_ACQUIRE));
	return count;
}

/* What is left of the present batch is done, with others. */
static void do_batch(struct vgpu_threads *t, bool caller)
{
	uint32_t first, count, unordered = 0;

	while ((count = take_some(t, caller, &first))) {
		for (uint32_t n = first; n < first + count; n++)
			t->run(t->arg, n);
		if (t->end) {
			__atomic_store_n(&t->ran[first], true, __ATOMIC_RELEASE);
			end_those(t);
		} else {
			unordered += count;
		}
	}
	if (unordered)
		__atomic_fetch_add(&t->done, unordered, __ATOMIC_RELEASE);
}

static void *thread(void *arg)
{
	struct vgpu_threads *t = arg;
	uint64_t batch = batch_of(t);
	bool over = false;

	while (!over) {
		for (uint32_t looks = 0; looks < LOOKS && batch_of(t) == batch; looks++)
			pause_a_moment(looks);
		if (batch_of(t) == batch) {
			pthread_mutex_lock(&t->lock);
			__atomic_fetch_add(&t->sleeping, 1, __ATOMIC_SEQ_CST);
			while (batch_of(t) == batch && !t->over)
				pthread_cond_wait(&t->wake, &t->lock);
			__atomic_fetch_sub(&t->sleeping, 1, __ATOMIC_SEQ_CST);
			over = t->over;
			pthread_mutex_unlock(&t->lock);
		}
		batch = batch_of(t);
		do_batch(t, false);
	}
	return NULL;
}

void vgpu_threads_run(struct vgpu_threads *t, void (*run)(void *arg, uint32_t n),
		      void (*end)(void *arg, uint32_t n), void *arg, uint32_t count)
{
	uint32_t *const ended = end ? &t->turn : &t->done;

	lock(&t->locked);
	t->run = run;
	__atomic_store_n(&t->end, end, __ATOMIC_RELAXED);
	t->arg = arg;
	t->count = count;
	/* who comes late out of the last batch finds nothing to end */
	__atomic_store_n(&t->turn, end ? 0 : count, __ATOMIC_RELAXED);
	__atomic_store_n(&t->done, 0, __ATOMIC_RELAXED);
	for (uint32_t n = 0; end && n < count; n++)
		t->ran[n] = false;
	unlock(&t->locked);
	__atomic_store_n(&t->ticket, ticket_of(batch_of(t) + 1, 0, count), __ATOMIC_SEQ_CST);
	if (__atomic_load_n(&t->sleeping, __ATOMIC_SEQ_CST)) {
		pthread_mutex_lock(&t->lock);
		pthread_cond_broadcast(&t->wake);
		pthread_mutex_unlock(&t->lock);
	}
	do_batch(t, true);
	for (uint32_t looks = 0; __atomic_load_n(ended, __ATOMIC_ACQUIRE) < count; looks++)
		pause_a_moment(looks);
}

void vgpu_threads_lock(struct vgpu_threads *t)
{
	lock(&t->shared);
}

void vgpu_threads_unlock(struct vgpu_threads *t)
{
	unlock(&t->shared);
}

void vgpu_threads_turn(struct vgpu_threads *t, uint32_t n)
{
	for (uint32_t looks = 0; __atomic_load_n(&t->turn, __ATOMIC_ACQUIRE) != n; looks++)
		pause_a_moment(looks);
}

/* Others, until there are @count with the caller; a negative errno: not that many. */
static int start(struct vgpu_threads *t, uint32_t count)
{
	sigset_t all, before;
	int error = 0;

	/* signals are the program's */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	while (!error && t->others < count - 1) {
		error = -pthread_create(&t->other[t->others], NULL, thread, t);
		t->others += !error;
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return error;
}

bool vgpu_threads_automatic(const struct vgpu_threads *t)
{
	return t->automatic;
}

uint32_t vgpu_threads_start(struct vgpu_threads *t)
{
	uint32_t count = vgpu_processors();

	if (t->automatic)
		start(t, count < t->automatic ? count : t->automatic);
	t->automatic = 0;
	return t->others + 1;
}

/* VGPU_THREADS: *@count. It is not set: 0. */
static int read_count(uint32_t *count, char *message, size_t size)
{
	const char *wanted = getenv("VGPU_THREADS");
	unsigned long number;
	char *end;

	*count = 0;
	if (!wanted || !*wanted)
		return 0;
	number = strtoul(wanted, &end, 10);
	if (*end || *wanted < '0' || *wanted > '9' || !number || number > MOST) {
		snprintf(message, size,
			 "VGPU_THREADS=%s: it must be a number from 1 to %u, or unset for as many "
			 "as there are processors",
			 wanted, MOST);
		return -EINVAL;
	}
	*count = number;
	return 0;
}

int vgpu_threads_create(struct vgpu_threads **out, uint32_t sms, char *message, size_t size)
{
	const size_t room = (sizeof(struct vgpu_threads) + 63) & ~63ul;
	struct vgpu_threads *t;
	uint32_t count;
	int error;

	*out = NULL;
	error = read_count(&count, message, size);
	if (error || count == 1 || (!count && (sms < 2 || vgpu_processors() < 2)))
		return error;
	t = aligned_alloc(64, room);
	if (!t) {
		snprintf(message, size, "out of memory for threads");
		return -ENOMEM;
	}
	memset(t, 0, room);
	pthread_mutex_init(&t->lock, NULL);
	pthread_cond_init(&t->wake, NULL);
	if (!count)
		t->automatic = sms < MOST ? sms : MOST;
	else
		error = start(t, count);
	if (error) {
		snprintf(message, size, "VGPU_THREADS=%u: there are only %u threads", count,
			 t->others + 1);
		vgpu_threads_destroy(t);
		return error;
	}
	*out = t;
	return 0;
}

void vgpu_threads_destroy(struct vgpu_threads *t)
{
	if (!t)
		return;
	pthread_mutex_lock(&t->lock);
	t->over = true;
	pthread_cond_broadcast(&t->wake);
	pthread_mutex_unlock(&t->lock);
	for (uint32_t n = 0; n < t->others; n++)
		pthread_join(t->other[n], NULL);
	pthread_cond_destroy(&t->wake);
	pthread_mutex_destroy(&t->lock);
	free(t);
}

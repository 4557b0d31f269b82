// SPDX-License-Identifier: MIT
/*
 * Threads for a device: see threads.h. A batch is some microseconds of work, and the next one
 * follows soon, so threads look for it for a while before they sleep.
 *
 * @ticket is the batch's number and the next index of it to be taken. Who takes one does so by a
 * compare and exchange, so the batch is still the one that he has looked at, and cannot end
 * before he has: what describes it changes only between batches.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "threads.h"

#define MOST		64u
#define BATCH_MOST	1024u		/* SMs of a device */
#define LOOKS		32768u		/* before a thread sleeps */
#define PATIENCE	4096u		/* looks before a thread lets others have the processor */

struct vgpu_threads {
	uint64_t ticket;		/* batch << 32 | next index */
	uint32_t count;			/* of the batch */
	uint32_t turn;			/* end() has returned for all below */
	void (*run)(void *arg, uint32_t n);
	void (*end)(void *arg, uint32_t n);
	void *arg;
	bool locked;			/* see lock() */
	bool shared;			/* the same for vgpu_threads_lock() */
	bool ran[BATCH_MOST];		/* run() has returned */
	/* threads that sleep */
	pthread_mutex_t lock;
	pthread_cond_t wake;
	uint32_t sleeping;
	bool over;
	uint32_t others;
	pthread_t other[];
};

static void pause_a_moment(uint32_t looks)
{
	if (looks % PATIENCE == PATIENCE - 1)
		sched_yield();
	else
		__builtin_ia32_pause();
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

/* Take an index of the present batch, and do it. False: there is none. */
static bool do_one(struct vgpu_threads *t)
{
	uint64_t ticket = __atomic_load_n(&t->ticket, __ATOMIC_ACQUIRE);
	uint32_t n = (uint32_t)ticket;

	do {
		n = (uint32_t)ticket;
		if (n >= __atomic_load_n(&t->count, __ATOMIC_RELAXED))
			return false;
	} while (!__atomic_compare_exchange_n(&t->ticket, &ticket, ticket + 1, false,
					      __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
	t->run(t->arg, n);
	__atomic_store_n(&t->ran[n], true, __ATOMIC_RELEASE);
	end_those(t);
	return true;
}

static uint64_t batch_of(struct vgpu_threads *t)
{
	return __atomic_load_n(&t->ticket, __ATOMIC_ACQUIRE) >> 32;
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
		while (do_one(t))
			;
	}
	return NULL;
}

void vgpu_threads_run(struct vgpu_threads *t, void (*run)(void *arg, uint32_t n),
		      void (*end)(void *arg, uint32_t n), void *arg, uint32_t count)
{
	/* the last batch has no index left, however large the next one is */
	__atomic_store_n(&t->ticket, batch_of(t) << 32 | BATCH_MOST, __ATOMIC_RELEASE);
	lock(&t->locked);
	t->run = run;
	t->end = end;
	t->arg = arg;
	__atomic_store_n(&t->turn, 0, __ATOMIC_RELAXED);
	for (uint32_t n = 0; n < count; n++)
		t->ran[n] = false;
	__atomic_store_n(&t->count, count, __ATOMIC_RELAXED);
	unlock(&t->locked);
	__atomic_store_n(&t->ticket, (batch_of(t) + 1) << 32, __ATOMIC_SEQ_CST);
	if (__atomic_load_n(&t->sleeping, __ATOMIC_SEQ_CST)) {
		pthread_mutex_lock(&t->lock);
		pthread_cond_broadcast(&t->wake);
		pthread_mutex_unlock(&t->lock);
	}
	while (do_one(t))
		;
	for (uint32_t looks = 0; __atomic_load_n(&t->turn, __ATOMIC_ACQUIRE) < count; looks++)
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

int vgpu_threads_create(struct vgpu_threads **out, char *message, size_t size)
{
	const char *wanted = getenv("VGPU_THREADS");
	struct vgpu_threads *t;
	sigset_t all, before;
	unsigned long count;
	int error = 0;
	char *end;

	*out = NULL;
	if (!wanted || !*wanted)
		return 0;
	count = strtoul(wanted, &end, 10);
	if (*end || *wanted < '0' || *wanted > '9' || !count || count > MOST) {
		snprintf(message, size, "VGPU_THREADS=%s: it must be a number from 1 to %u", wanted,
			 MOST);
		return -EINVAL;
	}
	if (count == 1)
		return 0;
	t = calloc(1, sizeof(*t) + count * sizeof(*t->other));
	if (!t) {
		snprintf(message, size, "out of memory for threads");
		return -ENOMEM;
	}
	pthread_mutex_init(&t->lock, NULL);
	pthread_cond_init(&t->wake, NULL);
	/* signals are the program's */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	while (!error && t->others < count - 1) {
		error = -pthread_create(&t->other[t->others], NULL, thread, t);
		t->others += !error;
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (error) {
		snprintf(message, size, "VGPU_THREADS=%s: there are only %u threads", wanted,
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

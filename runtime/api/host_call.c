// SPDX-License-Identifier: MIT
/*
 * Functions of the program in streams; see host_call.h.
 *
 * What the threads need has a lock of its own: a thread that holds rt_lock may wait for the device,
 * and that for a function.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "host_call.h"

/** struct rt_caller - the thread of a queue; its functions, in order */
struct rt_caller {
	struct rt_state *state;
	struct rt_queue *queue;
	const struct vgpu_transport_ops *ops;
	struct vgpu_transport *transport;
	uint32_t hw;
	struct rt_host_call *first, **end;
};

static pthread_mutex_t calls_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t calls_changed = PTHREAD_COND_INITIALIZER;
static __thread bool in_call;

bool rt_in_host_call(void)
{
	return in_call;
}

static void call_it(const struct rt_host_call *call, vgpuError_t error)
{
	if (error != vgpuSuccess && !call->always)
		return;
	in_call = true;
	call->call(call->function, call->stream, call->argument, error);
	in_call = false;
}

/* Why the context has died, as other calls say it. */
static vgpuError_t death_of(struct rt_state *state, int error)
{
	vgpuError_t why;

	rt_current = state;
	pthread_mutex_lock(&rt_lock);
	why = rt_error_of(error);
	if (rt.sticky != vgpuSuccess)
		why = rt.sticky;
	pthread_mutex_unlock(&rt_lock);
	return why;
}

/* Until the call is due; -ECANCELED: there is no device any more. Without the lock. */
static int wait_until_due(const struct rt_caller *caller, uint64_t seq)
{
	int error;

	do {
		if (__atomic_load_n(&caller->state->calls_abandoned, __ATOMIC_ACQUIRE))
			return -ECANCELED;
		error = caller->ops->host_wait(caller->transport, caller->hw, seq);
	} while (error == -ETIMEDOUT);
	return error;
}

/* Its device is there as long as calls_lock is held. */
static void tell_device(const struct rt_caller *caller, uint64_t seq)
{
	pthread_mutex_lock(&calls_lock);
	if (!caller->state->calls_abandoned)
		caller->ops->host_done(caller->transport, caller->hw, seq);
	pthread_mutex_unlock(&calls_lock);
}

static void set_waiting(struct rt_caller *caller, int change)
{
	pthread_mutex_lock(&calls_lock);
	caller->state->calls_waiting += (unsigned int)change;
	pthread_cond_broadcast(&calls_changed);
	pthread_mutex_unlock(&calls_lock);
}

/* The next call; NULL: there is none, and the thread is at its end. */
static struct rt_host_call *next_call(struct rt_caller *caller)
{
	struct rt_host_call *call;

	pthread_mutex_lock(&calls_lock);
	call = caller->first;
	if (call) {
		caller->first = call->next;
		if (!caller->first)
			caller->end = &caller->first;
		caller->state->calls_waiting++;
	} else {
		if (caller->queue->caller == caller)
			caller->queue->caller = NULL;
		caller->state->callers--;
		pthread_cond_broadcast(&calls_changed);
	}
	pthread_mutex_unlock(&calls_lock);
	return call;
}

static void *calls_thread(void *argument)
{
	struct rt_caller *caller = argument;
	struct rt_host_call *call;

	while ((call = next_call(caller))) {
		int error = wait_until_due(caller, call->seq);

		set_waiting(caller, -1);
		if (!error)
			call_it(call, vgpuSuccess);
		else if (error != -ECANCELED)
			call_it(call, death_of(caller->state, error));
		tell_device(caller, call->seq);
		free(call);
	}
	free(caller);
	return NULL;
}

/* Signals are the program's. */
static bool start_thread(struct rt_caller *caller)
{
	sigset_t all, before;
	pthread_t thread;
	int error;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	error = pthread_create(&thread, NULL, calls_thread, caller);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (!error)
		pthread_detach(thread);
	return !error;
}

/* With calls_lock held. */
static vgpuError_t hand_to_caller(struct rt_queue *queue, struct rt_host_call *call)
{
	struct rt_caller *caller = queue->caller;

	if (!caller) {
		caller = calloc(1, sizeof(*caller));
		if (!caller)
			return vgpuErrorMemoryAllocation;
		*caller = (struct rt_caller){
			.state = rt_current, .queue = queue, .ops = rt.ops,
			.transport = rt.transport, .hw = queue->hw, .end = &caller->first,
		};
		if (!start_thread(caller)) {
			free(caller);
			return vgpuErrorMemoryAllocation;
		}
		rt.callers++;
		queue->caller = caller;
	}
	*caller->end = call;
	caller->end = &call->next;
	return vgpuSuccess;
}

vgpuError_t rt_host_call_add(struct rt_queue *queue, struct rt_host_call *call)
{
	vgpuError_t error;

	pthread_mutex_lock(&calls_lock);
	error = hand_to_caller(queue, call);
	/* nobody calls it: what comes behind it goes on */
	if (error != vgpuSuccess)
		rt.ops->host_done(rt.transport, queue->hw, call->seq);
	pthread_mutex_unlock(&calls_lock);
	return error;
}

bool rt_host_calls_any(void)
{
	bool any;

	pthread_mutex_lock(&calls_lock);
	any = rt.callers;
	pthread_mutex_unlock(&calls_lock);
	return any;
}

void rt_host_calls_end(bool abandon)
{
	struct rt_state *state = rt_current;

	pthread_mutex_lock(&calls_lock);
	__atomic_store_n(&state->calls_abandoned, abandon, __ATOMIC_RELEASE);
	while (abandon ? state->calls_waiting : state->callers) {
		if (!abandon)
			pthread_mutex_unlock(&rt_lock);
		pthread_cond_wait(&calls_changed, &calls_lock);
		if (!abandon) {
			pthread_mutex_unlock(&calls_lock);
			pthread_mutex_lock(&rt_lock);
			pthread_mutex_lock(&calls_lock);
		}
	}
	pthread_mutex_unlock(&calls_lock);
}

void rt_host_calls_forget(struct rt_queue *queue)
{
	pthread_mutex_lock(&calls_lock);
	queue->caller = NULL;
	pthread_mutex_unlock(&calls_lock);
}

void rt_host_calls_forked(void)
{
	pthread_mutex_init(&calls_lock, NULL);
	pthread_cond_init(&calls_changed, NULL);
	in_call = false;
}

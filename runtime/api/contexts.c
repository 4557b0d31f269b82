// SPDX-License-Identifier: MIT
/*
 * Contexts beside the primary ones, and the end of any; see contexts.h.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "contexts.h"
#include "modules/launches.h"
#include "host_call.h"
#include "memory/advice.h"
#include "memory/pool.h"
#include "memory/virtual.h"

/* ---- the end of one ------------------------------------------------------ */

/* Everything the context held goes; handles the program still has are not valid any more. */
static void context_reset(void)
{
	rt_events_reset();
	rt_modules_reset();
	rt_streams_reset();
	rt_queues_forget();
	rt_virtual_reset();
	rt_pools_forget();
	rt_alloc_reset();
	rt_malloc_reset();
	rt_launches_reset();
	rt.stack_limit = 0;
	rt_printf_reset();
	rt_advice_reset();
	rt.sticky = vgpuSuccess;
	memset(&rt.fault, 0, sizeof(rt.fault));
	rt.generation++;
}

/* The current context, which is open. The lock is given up meanwhile, unless it is idle. */
static void end_current(void)
{
	__atomic_store_n(&rt.resetting, true, __ATOMIC_RELAXED);
	if (rt.sticky == vgpuSuccess && rt_sync_all() == vgpuSuccess)
		rt_printf_flush(rt.default_stream.queue);
	/* Threads that wait come back on their own: all is done, or the context is dead. */
	do {
		while (rt.waiting) {
			pthread_mutex_unlock(&rt_lock);
			usleep(100);
			pthread_mutex_lock(&rt_lock);
		}
		rt_host_calls_end(false);
	} while (rt.waiting);
	rt_close();
	context_reset();
	__atomic_store_n(&rt.resetting, false, __ATOMIC_RELAXED);
}

/* Of whatever context of the device is current: the primary one. */
vgpuError_t vgpuDeviceReset(void)
{
	struct rt_state *before = rt_current;

	if (rt_in_host_call())
		return rt_remember(vgpuErrorNotPermitted);
	rt_current = &rt_devices[rt_device()];
	pthread_mutex_lock(&rt_lock);
	if (rt.phase == RT_FORKED) {
		pthread_mutex_unlock(&rt_lock);
		rt_current = before;
		return rt_remember(vgpuErrorInitializationError);
	}
	if (rt.phase == RT_READY)
		end_current();
	rt.phase = RT_NONE;
	rt_list_again();
	pthread_mutex_unlock(&rt_lock);
	vgpuGetLastError();
	rt_current = before;
	return vgpuSuccess;
}

/* All that it was given is done, as far as we know. */
static bool is_idle(void)
{
	for (unsigned int i = 0; i < RT_QUEUES; i++)
		if (rt.queues[i].completed != rt.queues[i].last)
			return false;
	return !rt.waiting && !rt_host_calls_any();
}

/* With the lock held, of the current context: closing it does not give the lock up. */
static bool is_empty(void)
{
	return rt.phase == RT_READY && rt.sticky == vgpuSuccess && is_idle() && !rt.modules &&
	       !rt.streams && !rt.events && !rt.heap.count && !rt_virtual_in_use() &&
	       !rt.stack_limit && !rt.malloc.limit && !rt.printf.limit && !rt.advised.count;
}

void rt_primary_leave(int device)
{
	struct rt_state *before = rt_current;

	rt_current = &rt_devices[device];
	pthread_mutex_lock(&rt_lock);
	if (is_empty()) {
		end_current();
		rt.phase = RT_NONE;
	}
	pthread_mutex_unlock(&rt_lock);
	rt_current = before;
}

/* ---- beside the primary one ---------------------------------------------- */

/* With the lock held. NULL: the process has as many as it may, or no memory. */
static struct rt_state *take_state(void)
{
	struct rt_state *state;

	for (unsigned int n = 0; n < rt_beside_count; n++)
		if (!rt_beside[n]->front)
			return rt_beside[n];
	if (rt_beside_count == RT_BESIDE)
		return NULL;
	state = calloc(1, sizeof(*state));
	if (!state)
		return NULL;
	state->number = RT_DEVICES + rt_beside_count;
	rt_beside[rt_beside_count] = state;
	__atomic_store_n(&rt_beside_count, rt_beside_count + 1, __ATOMIC_RELEASE);
	return state;
}

vgpuError_t rt_context_open(int device, void *front, struct rt_state **out)
{
	struct rt_state *before = rt_current, *state;
	vgpuError_t error;

	if (rt_in_host_call())
		return rt_remember(vgpuErrorNotPermitted);
	pthread_mutex_lock(&rt_lock);
	if (rt_devices[device].phase == RT_FORKED) {
		pthread_mutex_unlock(&rt_lock);
		return rt_remember(vgpuErrorInitializationError);
	}
	state = take_state();
	if (!state) {
		rt_message("the process has %u contexts, which is the most", rt_beside_count);
		pthread_mutex_unlock(&rt_lock);
		return rt_remember(vgpuErrorMemoryAllocation);
	}
	state->device = device;
	rt_current = state;
	error = rt_open();
	if (error == vgpuSuccess) {
		state->front = front;
		*out = state;
	} else {
		state->phase = RT_DESTROYED;
	}
	pthread_mutex_unlock(&rt_lock);
	rt_current = before;
	return rt_remember(error);
}

void rt_context_close(struct rt_state *state)
{
	struct rt_state *before = rt_current;

	rt_current = state;
	pthread_mutex_lock(&rt_lock);
	if (rt.phase == RT_READY) {
		/* first, so that no thread begins something in it any more */
		rt.phase = RT_DESTROYED;
		end_current();
	}
	rt_list_again();
	pthread_mutex_unlock(&rt_lock);
	rt_current = before;
}

void rt_context_forget(struct rt_state *state)
{
	pthread_mutex_lock(&rt_lock);
	if (state->phase == RT_DESTROYED)
		state->front = NULL;
	pthread_mutex_unlock(&rt_lock);
}

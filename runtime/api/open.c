// SPDX-License-Identifier: MIT
/*
 * Opening and closing of contexts: the primary one of a device is opened by the first call that
 * needs it, a fork leaves the child without any, and they are closed at the end of the process, or
 * before (contexts.c).
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "environment.h"
#include "host_call.h"
#include "modules/timing.h"
#include "variables.h"

/* What the program's devices are, known from the first call on. */
static struct {
	const struct vgpu_transport_ops *ops;	/* NULL: not known yet */
	unsigned int count;
	unsigned int index[RT_DEVICES];		/* the transport's numbers */
	unsigned int place[RT_DEVICES];		/* among all, before CUDA_VISIBLE_DEVICES */
} seen;

/*
 * The device belongs to the parent: the child may not touch it, whatever state the lock was copied
 * in.
 */
static void after_fork(void)
{
	struct rt_state *state;

	pthread_mutex_init(&rt_lock, NULL);
	rt_host_calls_forked();
	rt_for_each(state)
		if (rt_has_device(state) || state->phase == RT_FAILED) {
			state->phase = RT_FORKED;
			rt_devices[rt_device_of(state)].phase = RT_FORKED;
		}
}

static void before_fork(void)
{
	pthread_mutex_lock(&rt_lock);
}

static void after_fork_parent(void)
{
	pthread_mutex_unlock(&rt_lock);
}

static void install_fork_handlers(void)
{
	pthread_atfork(before_fork, after_fork_parent, after_fork);
}

/* What is in its variables becomes ordinary memory. */
void rt_close(void)
{
	rt_variables_save();
	rt.ops->close(rt.transport);
	rt_variables_restore();
	rt.transport = NULL;
}

/* What an embedded device still has to write (its trace) it writes when it is closed. */
static void at_exit(void)
{
	struct rt_state *before = rt_current, *state;

	pthread_mutex_lock(&rt_lock);
	rt_for_each(state) {
		if (state->phase != RT_READY)
			continue;
		rt_current = state;
		rt_host_calls_end(true);
		if (state->waiting)
			continue;
		rt_close();
		state->phase = RT_FAILED;
		state->open_error = vgpuErrorCudartUnloading;
	}
	rt_current = before;
	pthread_mutex_unlock(&rt_lock);
}

/* VGPU_DEVICE: the numbers of the devices the program is to see, in its order. */
static bool list_wanted(const char *text)
{
	const char *at = text;
	char *end;

	for (seen.count = 0;; at = end + 1) {
		long n = strtol(at, &end, 10);

		if (end == at || (*end && *end != ',') || n < 0 || n > 255 ||
		    seen.count == RT_DEVICES) {
			rt_message(
				"VGPU_DEVICE=%s: must be the number of a device, 0 for "
				"/dev/vgpu0, or a list such as 1,0",
				text);
			return false;
		}
		seen.index[seen.count++] = (unsigned int)n;
		if (!*end)
			return true;
	}
}

static vgpuError_t list_devices(void)
{
	const char *wanted = getenv("VGPU_DEVICE");
	const struct vgpu_transport_ops *ops;
	char message[512] = "";

	if (seen.ops)
		return vgpuSuccess;
	ops = vgpu_transport_select(message, sizeof(message));
	if (!ops) {
		rt_message("%s", message);
		return vgpuErrorInitializationError;
	}
	if (!wanted)
		seen.count = vgpu_transport_devices(ops, seen.index, RT_DEVICES);
	else if (!list_wanted(wanted))
		return vgpuErrorInvalidDevice;
	for (unsigned int i = 0; i < seen.count; i++)
		seen.place[i] = i;
	seen.count = rt_visible_devices(seen.index, seen.place, seen.count);
	seen.ops = ops;
	return vgpuSuccess;
}

unsigned int rt_device_count(void)
{
	unsigned int count;

	pthread_mutex_lock(&rt_lock);
	count = list_devices() == vgpuSuccess ? seen.count : 0;
	pthread_mutex_unlock(&rt_lock);
	return count;
}

unsigned int rt_device_place(unsigned int device)
{
	return seen.place[device];
}

/* One beside the primary context may fail because there are too many: the caller says what then. */
static vgpuError_t open_failed(vgpuError_t error)
{
	if (rt_is_primary(rt_current))
		fprintf(stderr, "vgpu: %s\n", vgpuGetLastMessage());
	rt.phase = RT_FAILED;
	rt.open_error = error;
	return error;
}

static vgpuError_t error_of_open(int error)
{
	switch (error) {
	case -ENOENT:
	case -ENODEV:
	case -ENXIO:
		return vgpuErrorNoDevice;
	case -EACCES:
	case -EPERM:
		return vgpuErrorNotPermitted;
	case -ESHUTDOWN:
		return vgpuErrorDevicesUnavailable;
	case -ENOMEM:
	case -ENOSPC:
	case -EMFILE:
	case -ENFILE:
		if (!rt_is_primary(rt_current))
			return vgpuErrorMemoryAllocation;
		return vgpuErrorInitializationError;
	default:
		return vgpuErrorInitializationError;
	}
}

vgpuError_t rt_open(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	static bool exit_set;
	char message[512] = "";
	vgpuError_t unknown;
	unsigned int sms;
	int error;

	pthread_once(&once, install_fork_handlers);
	unknown = list_devices();
	if (unknown != vgpuSuccess)
		return open_failed(unknown);
	if (!seen.count) {
		/* said by the error alone: it is what the program's user has asked for */
		rt_message("CUDA_VISIBLE_DEVICES leaves the program no device");
		rt.phase = RT_FAILED;
		rt.open_error = vgpuErrorNoDevice;
		return rt.open_error;
	}
	unknown = rt_timing_open();
	if (unknown != vgpuSuccess)
		return open_failed(unknown);
	rt.ops = seen.ops;
	error = rt.ops->open(seen.index[rt_device()], &rt.transport, message, sizeof(message));
	if (error) {
		rt_message("%s", message);
		return open_failed(error_of_open(error));
	}
	error = rt.ops->device_info(rt.transport, &rt.info);
	sms = error ? 0 : rt_sm_limit(rt.info.sms);
	rt.queue_limit = rt_queue_limit();
	rt.launch_blocking = rt_launch_blocking();
	rt.heap.limit = rt_memory_limit(rt_device_place((unsigned int)rt_device()));
	memset(&rt.default_stream, 0, sizeof(rt.default_stream));
	if (!error && rt_queue_get(0, &rt.default_stream.queue) != vgpuSuccess)
		error = -ENOSPC;
	if (!error)
		error = rt_pinned_open();
	if (!error && sms != rt.info.sms)
		error = rt.ops->limit_sms(rt.transport, sms);
	if (error) {
		rt_close();
		rt_queues_forget();
		if (error == -ENOSPC)
			rt_message(
				"all hardware queues of the device are in use by other processes");
		else
			rt_message("the device does not answer: %s", strerror(-error));
		return open_failed(error == -ENOSPC && rt_is_primary(rt_current) ?
					   vgpuErrorDevicesUnavailable : error_of_open(error));
	}
	unknown = rt_variables_map();
	if (unknown != vgpuSuccess) {
		rt_close();
		rt_queues_forget();
		return open_failed(unknown);
	}
	if (!exit_set) {
		exit_set = true;
		atexit(at_exit);
	}
	rt.phase = RT_READY;
	return vgpuSuccess;
}

vgpuError_t rt_enter(void)
{
	vgpuError_t error = vgpuSuccess;

	if (rt_in_host_call())
		return rt_remember(vgpuErrorNotPermitted);
	rt_thread_entered = true;
	pthread_mutex_lock(&rt_lock);
	if (rt.phase == RT_NONE)
		error = rt_open();
	else if (rt.phase == RT_FAILED)
		error = rt.open_error;
	else if (rt.phase == RT_FORKED)
		error = vgpuErrorInitializationError;
	else if (rt.phase == RT_DESTROYED)
		error = vgpuErrorContextIsDestroyed;
	if (error == vgpuSuccess)
		error = rt.sticky;
	if (error == vgpuSuccess)
		return error;
	pthread_mutex_unlock(&rt_lock);
	return rt_remember(error);
}

vgpuError_t rt_give_limit(uint64_t (*limit)(void), size_t *bytes)
{
	vgpuError_t error = rt_enter();

	if (error != vgpuSuccess)
		return error;
	if (!bytes)
		return rt_leave(vgpuErrorInvalidValue);
	*bytes = limit();
	return rt_leave(vgpuSuccess);
}

static bool any_open(void)
{
	struct rt_state *state;

	rt_for_each(state)
		if (state->phase == RT_READY)
			return true;
	return false;
}

void rt_list_again(void)
{
	if (!any_open())
		seen.ops = NULL;
}

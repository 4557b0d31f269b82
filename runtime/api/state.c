// SPDX-License-Identifier: MIT
/*
 * Birth and end of the runtime's state in a process: the device is opened by the first call that needs it, a fork leaves
 * the child without it, a reset closes it. Touches nothing but the runtime.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "state.h"

struct rt_state rt = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* The device belongs to the parent: the child may not touch it, whatever state the lock was copied in. */
static void after_fork(void)
{
	pthread_mutex_init(&rt.lock, NULL);
	if (rt.phase == RT_READY || rt.phase == RT_FAILED)
		rt.phase = RT_FORKED;
}

static void before_fork(void)
{
	pthread_mutex_lock(&rt.lock);
}

static void after_fork_parent(void)
{
	pthread_mutex_unlock(&rt.lock);
}

static void install_fork_handlers(void)
{
	pthread_atfork(before_fork, after_fork_parent, after_fork);
}

/* What an embedded device still has to write (its trace) it writes when it is closed. */
static void at_exit(void)
{
	pthread_mutex_lock(&rt.lock);
	if (rt.phase == RT_READY && !rt.waiting) {
		rt.ops->close(rt.transport);
		rt.transport = NULL;
		rt.phase = RT_FAILED;
		rt.open_error = vgpuErrorCudartUnloading;
	}
	pthread_mutex_unlock(&rt.lock);
}

static unsigned int queue_limit(void)
{
	const char *text = getenv("VGPU_MAX_CONNECTIONS");
	char *end;
	long n;

	if (!text)
		return 8;
	n = strtol(text, &end, 10);
	if (end == text || *end || n < 1 || n > (long)RT_QUEUES) {
		fprintf(stderr, "vgpu: VGPU_MAX_CONNECTIONS=%s: a number from 1 to %u is needed; 8 is taken\n", text,
			RT_QUEUES);
		return 8;
	}
	return (unsigned int)n;
}

static bool device_index(unsigned int *index)
{
	const char *text = getenv("VGPU_DEVICE");
	char *end;
	long n;

	*index = 0;
	if (!text)
		return true;
	n = strtol(text, &end, 10);
	if (end == text || *end || n < 0 || n > 255) {
		rt_message("VGPU_DEVICE=%s: the number of a device is needed, 0 for /dev/vgpu0", text);
		return false;
	}
	*index = (unsigned int)n;
	return true;
}

static vgpuError_t open_failed(vgpuError_t error)
{
	fprintf(stderr, "vgpu: %s\n", vgpuGetLastMessage());
	rt.phase = RT_FAILED;
	rt.open_error = error;
	return error;
}

static vgpuError_t open_device(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	static bool exit_set;
	char message[512] = "";
	unsigned int index;
	int error;

	pthread_once(&once, install_fork_handlers);
	rt.ops = vgpu_transport_select(message, sizeof(message));
	if (!rt.ops) {
		rt_message("%s", message);
		return open_failed(vgpuErrorInitializationError);
	}
	if (!device_index(&index))
		return open_failed(vgpuErrorInvalidDevice);
	error = rt.ops->open(index, &rt.transport, message, sizeof(message));
	if (error) {
		rt_message("%s", message);
		return open_failed(error == -ENOENT || error == -ENODEV || error == -ENXIO ? vgpuErrorNoDevice :
				   error == -EACCES || error == -EPERM ? vgpuErrorNotPermitted :
				   vgpuErrorInitializationError);
	}
	error = rt.ops->device_info(rt.transport, &rt.info);
	rt.queue_limit = queue_limit();
	memset(&rt.default_stream, 0, sizeof(rt.default_stream));
	if (!error && rt_queue_get(&rt.default_stream.queue) != vgpuSuccess)
		error = -ENOSPC;
	if (error) {
		rt.ops->close(rt.transport);
		rt.transport = NULL;
		if (error == -ENOSPC)
			rt_message("all hardware queues of the device are in use by other processes");
		else
			rt_message("the device does not answer: %s", strerror(-error));
		return open_failed(error == -ENOSPC ? vgpuErrorDevicesUnavailable : vgpuErrorInitializationError);
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

	pthread_mutex_lock(&rt.lock);
	if (rt.phase == RT_NONE)
		error = open_device();
	else if (rt.phase == RT_FAILED)
		error = rt.open_error;
	else if (rt.phase == RT_FORKED)
		error = vgpuErrorInitializationError;
	if (error == vgpuSuccess)
		error = rt.sticky;
	if (error == vgpuSuccess)
		return error;
	pthread_mutex_unlock(&rt.lock);
	return rt_remember(error);
}

vgpuError_t rt_leave(vgpuError_t error)
{
	if (rt.sticky != vgpuSuccess)
		error = rt.sticky;
	pthread_mutex_unlock(&rt.lock);
	return rt_remember(error);
}

vgpuError_t rt_leave_quiet(vgpuError_t error)
{
	if (error != vgpuErrorNotReady)
		return rt_leave(error);
	pthread_mutex_unlock(&rt.lock);
	return error;
}

vgpuError_t rt_result(vgpuError_t error)
{
	return rt_remember(error);
}

/* Everything the context held goes; handles the program still has are not valid any more. */
static void forget(void)
{
	rt_events_reset();
	rt_modules_reset();
	rt_streams_reset();
	for (unsigned int i = 0; i < RT_QUEUES; i++)
		rt_queue_forget(&rt.queues[i]);
	rt_alloc_reset();
	rt.sticky = vgpuSuccess;
	memset(&rt.fault, 0, sizeof(rt.fault));
	rt.generation++;
}

vgpuError_t vgpuDeviceReset(void)
{
	pthread_mutex_lock(&rt.lock);
	if (rt.phase == RT_FORKED) {
		pthread_mutex_unlock(&rt.lock);
		return rt_remember(vgpuErrorInitializationError);
	}
	if (rt.phase == RT_READY) {
		if (rt.sticky == vgpuSuccess)
			rt_sync_all();
		/* Threads that wait come back on their own: all is done, or the context is dead. */
		while (rt.waiting) {
			pthread_mutex_unlock(&rt.lock);
			usleep(100);
			pthread_mutex_lock(&rt.lock);
		}
		rt.ops->close(rt.transport);
		rt.transport = NULL;
		forget();
	}
	rt.phase = RT_NONE;
	pthread_mutex_unlock(&rt.lock);
	vgpuGetLastError();
	return vgpuSuccess;
}

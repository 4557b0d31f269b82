// SPDX-License-Identifier: MIT
/*
 * Devices for the program: how many, what they are like, waiting for one.
 */
#include <stdio.h>

#include "attributes.h"
#include "graph/capture.h"
#include "memory/virtual.h"

vgpuError_t vgpuGetDeviceCount(int *count)
{
	vgpuError_t error;

	if (!count)
		return rt_result(vgpuErrorInvalidValue);
	*count = 0;
	error = rt_enter();
	if (error != vgpuSuccess)
		return error;
	error = rt_leave(vgpuSuccess);
	*count = (int)rt_device_count();
	return error;
}

/* Opening one says why none is known. */
static vgpuError_t no_devices(void)
{
	vgpuError_t error = rt_enter();

	return error == vgpuSuccess ? rt_leave(vgpuErrorNoDevice) : error;
}

/* A device that does not open is not made the current one. */
vgpuError_t vgpuSetDevice(int device)
{
	struct rt_state *before = rt_current;
	unsigned int count = rt_device_count();
	vgpuError_t error;

	if (!count)
		return no_devices();
	if (device < 0 || (unsigned int)device >= count)
		return rt_result(vgpuErrorInvalidDevice);
	rt_current = &rt_devices[device];
	error = rt_enter();
	if (error == vgpuSuccess)
		return rt_leave(vgpuSuccess);
	/* a dead context is there: so that it can be reset */
	if (__atomic_load_n(&rt.sticky, __ATOMIC_RELAXED) == vgpuSuccess)
		rt_current = before;
	return error;
}

vgpuError_t vgpuGetDevice(int *device)
{
	if (!device)
		return rt_result(vgpuErrorInvalidValue);
	*device = rt_device();
	return vgpuSuccess;
}

static vgpuError_t properties_of_current(vgpuDeviceProperties *properties)
{
	vgpuError_t error = rt_enter();

	if (error != vgpuSuccess)
		return error;
	rt_device_properties(properties);
	properties->virtual_memory = rt_has_virtual();
	properties->stream_priorities = rt_most_priority() != 0;
	properties->exports_memory = rt_has_export();
	return rt_leave(vgpuSuccess);
}

/* A context of the device that can be asked: its primary one, unless only others are open. */
static struct rt_state *context_to_ask(int device)
{
	struct rt_state *state, *found = &rt_devices[device];

	pthread_mutex_lock(&rt_lock);
	if (found->phase == RT_NONE)
		rt_for_each(state)
			if (rt_device_of(state) == device && state->phase == RT_READY &&
			    state->sticky == vgpuSuccess)
				found = state;
	pthread_mutex_unlock(&rt_lock);
	return found;
}

vgpuError_t vgpuGetDeviceProperties(vgpuDeviceProperties *properties, int device)
{
	struct rt_state *before = rt_current;
	unsigned int count = rt_device_count();
	vgpuError_t error;

	if (!count)
		return no_devices();
	if (!properties)
		return rt_result(vgpuErrorInvalidValue);
	if (device < 0 || (unsigned int)device >= count)
		return rt_result(vgpuErrorInvalidDevice);
	rt_current = context_to_ask(device);
	error = properties_of_current(properties);
	rt_current = before;
	return error;
}

vgpuError_t vgpuDeviceSynchronize(void)
{
	vgpuError_t error = rt_enter();

	if (error != vgpuSuccess)
		return error;
	if (rt_captures)
		error = rt_capture_wide();
	if (error == vgpuSuccess)
		error = rt_sync_all();
	if (error == vgpuSuccess)
		error = rt_printf_flush(rt.default_stream.queue);
	return rt_leave(rt_synced(error));
}

/* Also of a dead context: what it did is still there to read. */
vgpuError_t vgpuContextInfo(struct vgpu_context_info *info)
{
	vgpuError_t error = rt_enter();

	if (!info)
		return error == vgpuSuccess ? rt_leave(vgpuErrorInvalidValue) : error;
	if (error != vgpuSuccess) {
		if (rt.phase != RT_READY)
			return error;
		pthread_mutex_lock(&rt_lock);
	}
	error = rt_error_of(rt.ops->context_info(rt.transport, info));
	pthread_mutex_unlock(&rt_lock);
	return rt_result(error);
}

vgpuError_t vgpuDeviceInfo(struct vgpu_device_info *info)
{
	vgpuError_t error = rt_enter();

	if (error != vgpuSuccess)
		return error;
	return rt_leave(info ? rt_error_of(rt.ops->device_info(rt.transport, info)) :
			       vgpuErrorInvalidValue);
}

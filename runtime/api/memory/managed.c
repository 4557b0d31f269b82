// SPDX-License-Identifier: MIT
/*
 * Advice, prefetches and questions about managed memory, as programs make them. See managed.h.
 */
#include "api/pageable.h"
#include "managed.h"

/* Managed memory, or that of the process where kernels use all of it. With the lock held. */
static vgpuError_t check_range(const void *pointer, size_t count)
{
	uint64_t base = 0, bytes = 0, address = (uint64_t)(uintptr_t)pointer;

	if (rt_is_pageable(pointer, count))
		return vgpuSuccess;
	return rt_is_managed(pointer) && rt_alloc_find(address, &base, &bytes) && count &&
			       count <= bytes - (address - base) ?
		       vgpuSuccess : vgpuErrorInvalidValue;
}

static bool device_there(int device)
{
	return device >= 0 && (unsigned int)device < rt_device_count();
}

/*
 * The number that calls without a struct rt_location use. There is one memory of the host, so
 * its first node is all of it.
 */
static vgpuError_t location_of(struct rt_location location, int *device)
{
	switch (location.type) {
	case RT_LOCATION_TYPE_DEVICE:
		*device = location.id;
		return device_there(*device) ? vgpuSuccess : vgpuErrorInvalidDevice;
	case RT_LOCATION_TYPE_NODE:
		*device = RT_LOCATION_HOST;
		return location.id == 0 ? vgpuSuccess : vgpuErrorInvalidValue;
	case RT_LOCATION_TYPE_HOST:
	case RT_LOCATION_TYPE_OWN_NODE:
		*device = RT_LOCATION_HOST;
		return vgpuSuccess;
	default:
		return vgpuErrorInvalidValue;
	}
}

vgpuError_t rt_prefetch(const void *pointer, size_t bytes, int device, vgpuStream_t stream)
{
	/* the memory is of one device, and no other can use it */
	if (device != RT_LOCATION_HOST && (!device_there(device) || device != rt_device()))
		return rt_result(vgpuErrorInvalidDevice);
	return vgpuMemPrefetchAsync(pointer, bytes, device != RT_LOCATION_HOST, stream);
}

vgpuError_t rt_prefetch_at(const void *pointer, size_t bytes, struct rt_location location,
			   vgpuStream_t stream)
{
	int device = RT_LOCATION_NONE;
	vgpuError_t error = location_of(location, &device);

	return error == vgpuSuccess ? rt_prefetch(pointer, bytes, device, stream) :
				      rt_result(error);
}

static bool names_location(int advice)
{
	return advice == RT_ADVISE_PREFERRED ||
	       advice == RT_ADVISE_ACCESSED_BY || advice == RT_ADVISE_NOT_ACCESSED_BY;
}

/*
 * What the device that has the memory does of that; VGPU_ADVICE_COUNT: nothing. No other device can
 * use it, and the host has all it may have anyway.
 */
static enum vgpu_advice device_advice(int advice, int device)
{
	switch (advice) {
	case RT_ADVISE_READ_MOSTLY:
		return VGPU_ADVICE_READ_MOSTLY;
	case RT_ADVISE_NOT_READ_MOSTLY:
		return VGPU_ADVICE_NOT_READ_MOSTLY;
	case RT_ADVISE_PREFERRED:
		return device == RT_LOCATION_HOST ? VGPU_ADVICE_PREFER_HOST :
		       device == rt_device()	 ? VGPU_ADVICE_PREFER_DEVICE :
						   VGPU_ADVICE_PREFER_NONE;
	case RT_ADVISE_NOT_PREFERRED:
		return VGPU_ADVICE_PREFER_NONE;
	case RT_ADVISE_ACCESSED_BY:
		return device == rt_device() ? VGPU_ADVICE_ACCESSED : VGPU_ADVICE_COUNT;
	case RT_ADVISE_NOT_ACCESSED_BY:
		return device == rt_device() ? VGPU_ADVICE_NOT_ACCESSED : VGPU_ADVICE_COUNT;
	}
	return VGPU_ADVICE_COUNT;
}

/* With the lock held. What the program has said, it can ask for again. */
static vgpuError_t remember(uint64_t address, size_t count, int advice,
			    int device)
{
	int bit = device == RT_LOCATION_HOST ? (int)RT_ACCESSED_BY_HOST : 1 << (device & 31);

	switch (advice) {
	case RT_ADVISE_READ_MOSTLY:
	case RT_ADVISE_NOT_READ_MOSTLY:
		return rt_advice_set(address, count, RT_ADVICE_READ_MOSTLY,
				     advice == RT_ADVISE_READ_MOSTLY);
	case RT_ADVISE_PREFERRED:
		return rt_advice_set(address, count, RT_ADVICE_PREFERRED, device);
	case RT_ADVISE_NOT_PREFERRED:
		return rt_advice_set(address, count, RT_ADVICE_PREFERRED, RT_LOCATION_NONE);
	case RT_ADVISE_ACCESSED_BY:
		return rt_advice_set(address, count, RT_ADVICE_ACCESSED_BY, bit);
	case RT_ADVISE_NOT_ACCESSED_BY:
		return rt_advice_set(address, count, RT_ADVICE_NOT_ACCESSED_BY, bit);
	default:
		return vgpuErrorInvalidValue;
	}
}

/* The device follows advice for managed memory. With the lock held. */
static vgpuError_t advise(uint64_t address, size_t count, int advice, int device)
{
	enum vgpu_advice passed = device_advice(advice, device);
	vgpuError_t error = vgpuSuccess;

	if (passed != VGPU_ADVICE_COUNT && rt_is_managed((const void *)(uintptr_t)address))
		error = rt_advice_pass(address, count, passed);
	return error == vgpuSuccess ? remember(address, count, advice, device) : error;
}

vgpuError_t rt_advise(const void *pointer, size_t bytes, int advice, int device)
{
	struct rt_state *before = rt_current;
	vgpuError_t error;

	if (names_location(advice) && device != RT_LOCATION_HOST && !device_there(device))
		return rt_result(vgpuErrorInvalidDevice);
	rt_current = rt_owner(pointer);
	error = rt_enter();
	if (error == vgpuSuccess) {
		error = check_range(pointer, bytes);
		if (error == vgpuSuccess)
			error = advise((uint64_t)(uintptr_t)pointer, bytes, advice, device);
		error = rt_leave(error);
	}
	rt_current = before;
	return error;
}

vgpuError_t rt_advise_at(const void *pointer, size_t bytes, int advice, struct rt_location location)
{
	bool node = location.type == RT_LOCATION_TYPE_NODE ||
		    location.type == RT_LOCATION_TYPE_OWN_NODE;
	int device = RT_LOCATION_NONE;
	vgpuError_t error = names_location(advice) ? location_of(location, &device) : vgpuSuccess;

	if (node && names_location(advice) && advice != RT_ADVISE_PREFERRED)
		error = vgpuErrorInvalidValue;
	return error == vgpuSuccess ? rt_advise(pointer, bytes, advice, device) : rt_result(error);
}

vgpuError_t vgpuMemAdviseShared(const void *pointer, size_t bytes, int shared)
{
	enum vgpu_advice advice = shared ? VGPU_ADVICE_SHARED : VGPU_ADVICE_NOT_SHARED;
	struct rt_state *before = rt_current;
	vgpuError_t error;

	rt_current = rt_owner(pointer);
	error = rt_enter();
	if (error == vgpuSuccess) {
		error = check_range(pointer, bytes);
		if (error == vgpuSuccess)
			error = rt_is_managed(pointer) ?
					rt_advice_pass((uint64_t)(uintptr_t)pointer, bytes,
						       advice) :
					vgpuErrorInvalidValue;
		error = rt_leave(error);
	}
	rt_current = before;
	return error;
}

/* ---- asking for advice -------------------------------------------------- */

static int location_type(int location)
{
	return location == RT_LOCATION_HOST     ? RT_LOCATION_TYPE_HOST :
	       location == RT_LOCATION_NONE ? RT_LOCATION_TYPE_INVALID :
						 RT_LOCATION_TYPE_DEVICE;
}

/* What is left of the list is RT_LOCATION_NONE. */
static void list_accessed_by(uint32_t bits, int *list, size_t room)
{
	size_t count = 0;

	if (bits & RT_ACCESSED_BY_HOST && count < room)
		list[count++] = RT_LOCATION_HOST;
	for (int device = 0; device < (int)RT_DEVICES && count < room; device++)
		if (bits & 1u << device)
			list[count++] = device;
	while (count < room)
		list[count++] = RT_LOCATION_NONE;
}

static vgpuError_t answer(const struct rt_advice *advice, int attribute,
			  int *data, size_t bytes)
{
	if (!data || !bytes || bytes % sizeof(int) ||
	    (attribute != RT_RANGE_ACCESSED_BY && bytes != sizeof(int)))
		return vgpuErrorInvalidValue;
	switch (attribute) {
	case RT_RANGE_READ_MOSTLY:
		*data = advice->read_mostly;
		return vgpuSuccess;
	case RT_RANGE_PREFERRED:
	case RT_RANGE_PREFERRED_ID:
		*data = advice->preferred;
		return vgpuSuccess;
	case RT_RANGE_PREFERRED_TYPE:
		*data = location_type(advice->preferred);
		return vgpuSuccess;
	case RT_RANGE_ACCESSED_BY:
		list_accessed_by(advice->accessed_by, data, bytes / sizeof(int));
		return vgpuSuccess;
	case RT_RANGE_PREFETCHED:
	case RT_RANGE_PREFETCHED_ID:
		*data = advice->prefetched;
		return vgpuSuccess;
	case RT_RANGE_PREFETCHED_TYPE:
		*data = location_type(advice->prefetched);
		return vgpuSuccess;
	}
	return vgpuErrorInvalidValue;
}

vgpuError_t rt_advice_ask(void **data, const size_t *data_bytes, const int *attributes,
			  size_t count, const void *pointer, size_t bytes)
{
	struct rt_state *before = rt_current;
	struct rt_advice advice;
	vgpuError_t error;

	if (!data || !data_bytes || !attributes || !count)
		return rt_result(vgpuErrorInvalidValue);
	rt_current = rt_owner(pointer);
	error = rt_enter();
	if (error == vgpuSuccess) {
		error = check_range(pointer, bytes);
		if (error == vgpuSuccess)
			advice = rt_advice_of((uint64_t)(uintptr_t)pointer, bytes);
		for (size_t i = 0; i < count && error == vgpuSuccess; i++)
			error = answer(&advice, attributes[i], data[i], data_bytes[i]);
		error = rt_leave(error);
	}
	rt_current = before;
	return error;
}

// SPDX-License-Identifier: MIT
/*
 * CUDA names: managed memory.
 */
#include "api/advice.h"
#include "api/pageable.h"
#include "calls.h"

cudaError_t cudaMallocManaged(void **pointer, size_t bytes, unsigned int flags)
{
	if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost)
		return cuda_error(rt_result(vgpuErrorInvalidValue));
	return cuda_error(vgpuMallocManaged(pointer, bytes));
}

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
 * The number that calls without a struct cudaMemLocation use. There is one memory of the host, so
 * its first node is all of it.
 */
static vgpuError_t location_of(struct cudaMemLocation location, int *device)
{
	switch (location.type) {
	case cudaMemLocationTypeDevice:
		*device = location.id;
		return device_there(*device) ? vgpuSuccess : vgpuErrorInvalidDevice;
	case cudaMemLocationTypeHostNuma:
		*device = cudaCpuDeviceId;
		return location.id == 0 ? vgpuSuccess : vgpuErrorInvalidValue;
	case cudaMemLocationTypeHost:
	case cudaMemLocationTypeHostNumaCurrent:
		*device = cudaCpuDeviceId;
		return vgpuSuccess;
	default:
		return vgpuErrorInvalidValue;
	}
}

cudaError_t cudaMemPrefetchAsync(const void *pointer, size_t count, int device, cudaStream_t stream)
{
	vgpuError_t error;

	if (device != cudaCpuDeviceId && !device_there(device))
		return cuda_error(rt_result(vgpuErrorInvalidDevice));
	error = rt_enter();
	if (error != vgpuSuccess)
		return cuda_error(error);
	error = check_range(pointer, count);
	/* The memory is of one device, and no other can use it. */
	if (error == vgpuSuccess && device != cudaCpuDeviceId && device != rt_device())
		error = vgpuErrorInvalidDevice;
	error = rt_leave(error);
	if (error != vgpuSuccess)
		return cuda_error(error);
	return cuda_error(vgpuMemPrefetchAsync(pointer, count, device != cudaCpuDeviceId,
					       cuda_stream(stream)));
}

cudaError_t cudaMemPrefetchAsync_v2(const void *pointer, size_t count,
				    struct cudaMemLocation location, unsigned int flags,
				    cudaStream_t stream)
{
	int device = cudaInvalidDeviceId;
	vgpuError_t error = flags ? vgpuErrorInvalidValue : location_of(location, &device);

	return error == vgpuSuccess ? cudaMemPrefetchAsync(pointer, count, device, stream) :
				      cuda_error(rt_result(error));
}

static bool names_location(enum cudaMemoryAdvise advice)
{
	return advice == cudaMemAdviseSetPreferredLocation ||
	       advice == cudaMemAdviseSetAccessedBy || advice == cudaMemAdviseUnsetAccessedBy;
}

/*
 * What the device that has the memory does of that; VGPU_ADVICE_COUNT: nothing. No other device can
 * use it, and the host has all it may have anyway.
 */
static enum vgpu_advice device_advice(enum cudaMemoryAdvise advice, int device)
{
	switch (advice) {
	case cudaMemAdviseSetReadMostly:
		return VGPU_ADVICE_READ_MOSTLY;
	case cudaMemAdviseUnsetReadMostly:
		return VGPU_ADVICE_NOT_READ_MOSTLY;
	case cudaMemAdviseSetPreferredLocation:
		return device == cudaCpuDeviceId ? VGPU_ADVICE_PREFER_HOST :
		       device == rt_device()	 ? VGPU_ADVICE_PREFER_DEVICE :
						   VGPU_ADVICE_PREFER_NONE;
	case cudaMemAdviseUnsetPreferredLocation:
		return VGPU_ADVICE_PREFER_NONE;
	case cudaMemAdviseSetAccessedBy:
		return device == rt_device() ? VGPU_ADVICE_ACCESSED : VGPU_ADVICE_COUNT;
	case cudaMemAdviseUnsetAccessedBy:
		return device == rt_device() ? VGPU_ADVICE_NOT_ACCESSED : VGPU_ADVICE_COUNT;
	}
	return VGPU_ADVICE_COUNT;
}

/* With the lock held. What the program has said, it can ask for again. */
static vgpuError_t remember(uint64_t address, size_t count, enum cudaMemoryAdvise advice,
			    int device)
{
	int bit = device == cudaCpuDeviceId ? (int)RT_ACCESSED_BY_HOST : 1 << (device & 31);

	switch (advice) {
	case cudaMemAdviseSetReadMostly:
	case cudaMemAdviseUnsetReadMostly:
		return rt_advice_set(address, count, RT_ADVICE_READ_MOSTLY,
				     advice == cudaMemAdviseSetReadMostly);
	case cudaMemAdviseSetPreferredLocation:
		return rt_advice_set(address, count, RT_ADVICE_PREFERRED, device);
	case cudaMemAdviseUnsetPreferredLocation:
		return rt_advice_set(address, count, RT_ADVICE_PREFERRED, RT_LOCATION_NONE);
	case cudaMemAdviseSetAccessedBy:
		return rt_advice_set(address, count, RT_ADVICE_ACCESSED_BY, bit);
	case cudaMemAdviseUnsetAccessedBy:
		return rt_advice_set(address, count, RT_ADVICE_NOT_ACCESSED_BY, bit);
	default:
		return vgpuErrorInvalidValue;
	}
}

/* The device follows advice for managed memory. With the lock held. */
static vgpuError_t advise(uint64_t address, size_t count, enum cudaMemoryAdvise advice, int device)
{
	enum vgpu_advice passed = device_advice(advice, device);
	vgpuError_t error = vgpuSuccess;

	if (passed != VGPU_ADVICE_COUNT && rt_is_managed((const void *)(uintptr_t)address))
		error = rt_advice_pass(address, count, passed);
	return error == vgpuSuccess ? remember(address, count, advice, device) : error;
}

cudaError_t cudaMemAdvise(const void *pointer, size_t count, enum cudaMemoryAdvise advice,
			  int device)
{
	struct rt_state *before = rt_current;
	vgpuError_t error;

	if (names_location(advice) && device != cudaCpuDeviceId && !device_there(device))
		return cuda_error(rt_result(vgpuErrorInvalidDevice));
	rt_current = rt_owner(pointer);
	error = rt_enter();
	if (error == vgpuSuccess) {
		error = check_range(pointer, count);
		if (error == vgpuSuccess)
			error = advise((uint64_t)(uintptr_t)pointer, count, advice, device);
		error = rt_leave(error);
	}
	rt_current = before;
	return cuda_error(error);
}

cudaError_t cudaMemAdvise_v2(const void *pointer, size_t count, enum cudaMemoryAdvise advice,
			     struct cudaMemLocation location)
{
	bool node = location.type == cudaMemLocationTypeHostNuma ||
		    location.type == cudaMemLocationTypeHostNumaCurrent;
	int device = cudaInvalidDeviceId;
	vgpuError_t error = names_location(advice) ? location_of(location, &device) : vgpuSuccess;

	if (node && names_location(advice) && advice != cudaMemAdviseSetPreferredLocation)
		error = vgpuErrorInvalidValue;
	return error == vgpuSuccess ? cudaMemAdvise(pointer, count, advice, device) :
				      cuda_error(rt_result(error));
}

/* ---- asking for advice -------------------------------------------------- */

static int location_type(int location)
{
	return location == cudaCpuDeviceId     ? cudaMemLocationTypeHost :
	       location == cudaInvalidDeviceId ? cudaMemLocationTypeInvalid :
						 cudaMemLocationTypeDevice;
}

/* What is left of the list is cudaInvalidDeviceId. */
static void list_accessed_by(uint32_t bits, int *list, size_t room)
{
	size_t count = 0;

	if (bits & RT_ACCESSED_BY_HOST && count < room)
		list[count++] = cudaCpuDeviceId;
	for (int device = 0; device < (int)RT_DEVICES && count < room; device++)
		if (bits & 1u << device)
			list[count++] = device;
	while (count < room)
		list[count++] = cudaInvalidDeviceId;
}

static vgpuError_t answer(const struct rt_advice *advice, enum cudaMemRangeAttribute attribute,
			  int *data, size_t bytes)
{
	if (!data || !bytes || bytes % sizeof(int) ||
	    (attribute != cudaMemRangeAttributeAccessedBy && bytes != sizeof(int)))
		return vgpuErrorInvalidValue;
	switch (attribute) {
	case cudaMemRangeAttributeReadMostly:
		*data = advice->read_mostly;
		return vgpuSuccess;
	case cudaMemRangeAttributePreferredLocation:
	case cudaMemRangeAttributePreferredLocationId:
		*data = advice->preferred;
		return vgpuSuccess;
	case cudaMemRangeAttributePreferredLocationType:
		*data = location_type(advice->preferred);
		return vgpuSuccess;
	case cudaMemRangeAttributeAccessedBy:
		list_accessed_by(advice->accessed_by, data, bytes / sizeof(int));
		return vgpuSuccess;
	case cudaMemRangeAttributeLastPrefetchLocation:
	case cudaMemRangeAttributeLastPrefetchLocationId:
		*data = advice->prefetched;
		return vgpuSuccess;
	case cudaMemRangeAttributeLastPrefetchLocationType:
		*data = location_type(advice->prefetched);
		return vgpuSuccess;
	}
	return vgpuErrorInvalidValue;
}

cudaError_t cudaMemRangeGetAttributes(void **data, size_t *data_bytes,
				      enum cudaMemRangeAttribute *attributes, size_t count,
				      const void *pointer, size_t bytes)
{
	struct rt_state *before = rt_current;
	struct rt_advice advice;
	vgpuError_t error;

	if (!data || !data_bytes || !attributes || !count)
		return cuda_error(rt_result(vgpuErrorInvalidValue));
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
	return cuda_error(error);
}

cudaError_t cudaMemRangeGetAttribute(void *data, size_t data_bytes,
				     enum cudaMemRangeAttribute attribute, const void *pointer,
				     size_t bytes)
{
	return cudaMemRangeGetAttributes(&data, &data_bytes, &attribute, 1, pointer, bytes);
}

/* ---- streams ------------------------------------------------------------ */

/*
 * Which streams may use the memory: where host and device may do so at the same time, nothing
 * follows from it.
 */
cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *pointer, size_t length,
				     unsigned int flags)
{
	size_t bytes = 0;
	void *base = NULL;
	vgpuError_t error;
	int kind = 0;

	(void)stream;
	if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost &&
	    flags != cudaMemAttachSingle)
		return cuda_error(rt_result(vgpuErrorInvalidValue));
	error = vgpuPointerInfo(pointer, &kind, &base, &bytes);
	if (error == vgpuSuccess &&
	    (kind != 3 || base != pointer || (length && length != bytes)))
		error = rt_result(vgpuErrorInvalidValue);
	return cuda_error(error);
}

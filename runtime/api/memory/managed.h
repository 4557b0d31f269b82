/* SPDX-License-Identifier: MIT */
/*
 * What front ends say and ask about managed memory, and about that of the process where kernels use
 * all of it. All functions take the lock themselves; they act on the device that has the memory,
 * but for rt_prefetch().
 */
#ifndef VGPU_RT_MANAGED_H
#define VGPU_RT_MANAGED_H

#include "advice.h"

/* CUDA's numbers, cudaMemoryAdvise and CUmem_advise */
enum rt_advise {
	RT_ADVISE_READ_MOSTLY = 1,
	RT_ADVISE_NOT_READ_MOSTLY,
	RT_ADVISE_PREFERRED,
	RT_ADVISE_NOT_PREFERRED,
	RT_ADVISE_ACCESSED_BY,
	RT_ADVISE_NOT_ACCESSED_BY,
};

/* CUDA's numbers, cudaMemLocationType and CUmemLocationType */
enum rt_location_type {
	RT_LOCATION_TYPE_INVALID,
	RT_LOCATION_TYPE_DEVICE,
	RT_LOCATION_TYPE_HOST,
	RT_LOCATION_TYPE_NODE,
	RT_LOCATION_TYPE_OWN_NODE,
};

/** struct rt_location - as cudaMemLocation and CUmemLocation have it */
struct rt_location {
	int type;		/* enum rt_location_type */
	int id;			/* of a device or a node */
};

/* CUDA's numbers, cudaMemRangeAttribute and CUmem_range_attribute; an int, or a list of them */
enum rt_range_attribute {
	RT_RANGE_READ_MOSTLY = 1,
	RT_RANGE_PREFERRED,		/* a location, as the three that follow this and the next */
	RT_RANGE_ACCESSED_BY,		/* a list of locations, RT_LOCATION_NONE behind the last */
	RT_RANGE_PREFETCHED,
	RT_RANGE_PREFERRED_TYPE,	/* enum rt_location_type */
	RT_RANGE_PREFERRED_ID,
	RT_RANGE_PREFETCHED_TYPE,
	RT_RANGE_PREFETCHED_ID,
};

/*
 * @device: a location (advice.h). vgpuErrorInvalidDevice: there is no such device, or (prefetch) it
 * is not the current one; vgpuErrorInvalidValue: the range is not such memory, or a number is none
 * of CUDA's.
 */
vgpuError_t rt_advise(const void *pointer, size_t bytes, int advice, int device);
vgpuError_t rt_prefetch(const void *pointer, size_t bytes, int device, vgpuStream_t stream);
/* The same with CUDA 12's locations. */
vgpuError_t rt_advise_at(const void *pointer, size_t bytes, int advice,
			 struct rt_location location);
vgpuError_t rt_prefetch_at(const void *pointer, size_t bytes, struct rt_location location,
			   vgpuStream_t stream);
/* What holds for all the range: @attributes[i] goes to @data[i], which has @data_bytes[i]. */
vgpuError_t rt_advice_ask(void **data, const size_t *data_bytes, const int *attributes,
			  size_t count, const void *pointer, size_t bytes);

#endif

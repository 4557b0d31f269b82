/* SPDX-License-Identifier: MIT */
/*
 * What both front ends answer alike: attributes of a device, by CUDA's numbers, and the limit of
 * stacks.
 */
#ifndef VGPU_RT_ATTRIBUTES_H
#define VGPU_RT_ATTRIBUTES_H

#include "state.h"

/* The version of CUDA's driver API that is known, as cuDriverGetVersion() says it. */
#define RT_DRIVER_VERSION	13000

/**
 * rt_device_attribute - one attribute of a device; needs no lock
 * @attribute: CU_DEVICE_ATTRIBUTE_*, which are the numbers of cudaDevAttr*
 * @device: the number that the program sees
 *
 * 0 for what a device here has not. vgpuErrorInvalidValue: CUDA has no such number.
 */
vgpuError_t rt_device_attribute(int attribute, const vgpuDeviceProperties *properties, int device,
				int *value);

/*
 * Of the current context's device, which is open, what it said of itself; the lock is held. Not of
 * virtual memory, priorities of streams and exports, which are 0.
 */
void rt_device_properties(vgpuDeviceProperties *properties);

#endif

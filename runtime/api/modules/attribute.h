/* SPDX-License-Identifier: MIT */
/*
 * Attributes of launches, as both front ends have them: numbers and layout are CUDA's.
 */
#ifndef VGPU_RT_ATTRIBUTE_H
#define VGPU_RT_ATTRIBUTE_H

#include <stdbool.h>
#include <stdint.h>

/* CUDA's numbers, cudaLaunchAttributeID and CUlaunchAttributeID. */
enum rt_attribute {
	RT_ATTRIBUTE_IGNORE = 0,
	RT_ATTRIBUTE_CACHE_WINDOW = 1,
	RT_ATTRIBUTE_COOPERATIVE = 2,
	RT_ATTRIBUTE_WAITING = 3,
	RT_ATTRIBUTE_CLUSTER = 4,
	RT_ATTRIBUTE_CLUSTER_POLICY = 5,
	RT_ATTRIBUTE_EARLY_START = 6,
	RT_ATTRIBUTE_EVENT_IN_KERNEL = 7,
	RT_ATTRIBUTE_PRIORITY = 8,
	RT_ATTRIBUTE_DOMAIN_MAP = 9,
	RT_ATTRIBUTE_DOMAIN = 10,
	RT_ATTRIBUTE_PREFERRED_CLUSTER = 11,
	RT_ATTRIBUTE_EVENT_AT_START = 12,
	RT_ATTRIBUTE_DEVICE_UPDATES = 13,
	RT_ATTRIBUTE_CARVEOUT = 14,
	RT_ATTRIBUTE_LINKS = 16,
};

/** union rt_attribute_value - CUDA's, cudaLaunchAttributeValue and CUlaunchAttributeValue */
union rt_attribute_value {
	uint8_t bytes[64];
	int cooperative, priority, device_updates;
	struct {
		unsigned int x, y, z;
	} cluster;
};

/*
 * An attribute of a launch. *@cooperative is set by the one that says so. What is not supported
 * about it, in the words of refusals.h; NULL: nothing, it has its effect or is a hint.
 */
const char *rt_launch_attribute(int attribute, const void *value, bool *cooperative);

#endif

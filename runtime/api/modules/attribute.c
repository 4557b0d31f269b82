// SPDX-License-Identifier: MIT
/*
 * Which attributes of launches have an effect, which are hints, and which are refused.
 */
#include "attribute.h"

#include <stddef.h>

const char *rt_launch_attribute(int attribute, const void *in, bool *cooperative)
{
	const union rt_attribute_value *value = in;

	switch (attribute) {
	case RT_ATTRIBUTE_COOPERATIVE:
		*cooperative = value->cooperative != 0;
		return NULL;
	case RT_ATTRIBUTE_CLUSTER:
	case RT_ATTRIBUTE_PREFERRED_CLUSTER:
		return (uint64_t)value->cluster.x * value->cluster.y * value->cluster.z > 1 ?
			       "a cluster of blocks is" : NULL;
	case RT_ATTRIBUTE_EVENT_IN_KERNEL:
	case RT_ATTRIBUTE_EVENT_AT_START:
		return "an event in a kernel is";
	case RT_ATTRIBUTE_DEVICE_UPDATES:
		return value->device_updates ? "launching graphs from kernels is" : NULL;
	case RT_ATTRIBUTE_IGNORE:
	case RT_ATTRIBUTE_CACHE_WINDOW:
	case RT_ATTRIBUTE_WAITING:
	case RT_ATTRIBUTE_CLUSTER_POLICY:
	case RT_ATTRIBUTE_EARLY_START:	/* permission to begin early, which is not taken */
	case RT_ATTRIBUTE_PRIORITY:
	case RT_ATTRIBUTE_DOMAIN_MAP:
	case RT_ATTRIBUTE_DOMAIN:
	case RT_ATTRIBUTE_CARVEOUT:
	case RT_ATTRIBUTE_LINKS:
		return NULL;
	default:
		return "this attribute of a launch is";
	}
}

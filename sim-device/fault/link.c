// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The interconnect; see link.h.
 */
#include "../platform.h"
#include "link.h"

#define PS_PER_SECOND	1000000000000ull

u64 vgpu_link_time(const struct vgpu_link *link, u64 bytes)
{
	return vgpu_mul_div(bytes, PS_PER_SECOND, link->config->link_bandwidth);
}

u64 vgpu_link_reserve(struct vgpu_link *link, enum vgpu_link_path path, u64 time, u64 bytes)
{
	u64 start = link->free[path] > time ? link->free[path] : time;
	u64 takes = vgpu_link_time(link, bytes);
	u64 left = VGPU_NEVER - 1 - start;

	if (!bytes)
		return time;
	link->began[path] = start;
	link->free[path] = start + (takes < left ? takes : left);
	return link->free[path];
}

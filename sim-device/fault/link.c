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

u64 vgpu_link_hold(struct vgpu_link *link, enum vgpu_link_path path, u64 time, u64 takes)
{
	u64 start = link->free[path] > time ? link->free[path] : time;
	u64 left = VGPU_NEVER - 1 - start;

	link->began[path] = start;
	link->free[path] = start + (takes < left ? takes : left);
	return link->free[path];
}

u64 vgpu_link_reserve(struct vgpu_link *link, enum vgpu_link_path path, u64 time, u64 bytes)
{
	return bytes ? vgpu_link_hold(link, path, time, vgpu_link_time(link, bytes)) : time;
}

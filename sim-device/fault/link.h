/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The interconnect between host and device (Tanasic 2.1): one path in each direction, which copies,
 * page migrations and accesses of SMs to memory of the host share. Who wants to transfer something
 * reserves the path, first come, first served, at the time when the transfer could begin.
 */
#ifndef VGPU_LINK_H
#define VGPU_LINK_H

#include "../platform.h"
#include "../vgpu_model.h"

#define VGPU_PS_PER_SECOND	1000000000000ull

enum vgpu_link_path { VGPU_LINK_TO_DEVICE, VGPU_LINK_TO_HOST, VGPU_LINK_PATHS };

/** struct vgpu_link - an idle link is zero, but for @config */
struct vgpu_link {
	const struct vgpu_config *config;
	u64 free[VGPU_LINK_PATHS];	/* when what is reserved so far has been transferred */
	u64 began[VGPU_LINK_PATHS];	/* when the last of that begins, or began; for the trace */
};

/** vgpu_link_time - time that @bytes take to cross, without waiting */
static inline u64 vgpu_link_time(const struct vgpu_link *link, u64 bytes)
{
	return vgpu_mul_div(bytes, VGPU_PS_PER_SECOND, link->config->link_bandwidth);
}

/**
 * vgpu_link_hold - reserve @path for what occupies it for @takes picoseconds, from @time on if it
 * is free then
 *
 * Returns when it is free again.
 */
static inline u64 vgpu_link_hold(struct vgpu_link *link, enum vgpu_link_path path, u64 time,
				 u64 takes)
{
	u64 start = link->free[path] > time ? link->free[path] : time;
	u64 left = VGPU_NEVER - 1 - start;

	link->began[path] = start;
	link->free[path] = start + (takes < left ? takes : left);
	return link->free[path];
}

/** vgpu_link_reserve - the same for @bytes; returns when they have been transferred */
static inline u64 vgpu_link_reserve(struct vgpu_link *link, enum vgpu_link_path path, u64 time,
				    u64 bytes)
{
	return bytes ? vgpu_link_hold(link, path, time, vgpu_link_time(link, bytes)) : time;
}

#endif

/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The interconnect between host and device (Tanasic 2.1): one path in each direction, which copies,
 * page migrations and accesses of SMs to memory of the host share. Who wants to transfer something
 * reserves the path, first come, first served, at the time when the transfer could begin.
 */
#ifndef VGPU_LINK_H
#define VGPU_LINK_H

#include "../vgpu_model.h"

enum vgpu_link_path { VGPU_LINK_TO_DEVICE, VGPU_LINK_TO_HOST, VGPU_LINK_PATHS };

/** struct vgpu_link - an idle link is zero, but for @config */
struct vgpu_link {
	const struct vgpu_config *config;
	u64 free[VGPU_LINK_PATHS];	/* when what is reserved so far has been transferred */
	u64 began[VGPU_LINK_PATHS];	/* when the last of that begins, or began; for the trace */
};

/** vgpu_link_time - time that @bytes take to cross, without waiting */
u64 vgpu_link_time(const struct vgpu_link *link, u64 bytes);
/**
 * vgpu_link_reserve - reserve @path for @bytes, from @time on if it is free then
 *
 * Returns when they have been transferred.
 */
u64 vgpu_link_reserve(struct vgpu_link *link, enum vgpu_link_path path, u64 time, u64 bytes);
/** vgpu_link_hold - the same for what occupies the path for @takes picoseconds */
u64 vgpu_link_hold(struct vgpu_link *link, enum vgpu_link_path path, u64 time, u64 takes);

#endif

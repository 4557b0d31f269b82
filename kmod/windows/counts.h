/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What kernels did, as netlink tells it (docs/statistics.md): the launches, streams and contexts
 * that were last counted, and all SMs. It is the actor's.
 */
#ifndef KVGPU_COUNTS_H
#define KVGPU_COUNTS_H

#include "kmod/windows/windows.h"
#include "vgpu_netlink.h"

/**
 * struct kvgpu_counted - of a launch, stream, context or SM: as much of it as that has
 * @owner: of the context
 * @pid: of who opened it, in the initial pid namespace
 * @used: when it was counted last, for who has to go; in the order of launches
 * @value: by enum vgpu_counter; ~0: it is not counted
 */
struct kvgpu_counted {
	enum vgpu_nl_counts scope;
	u32 context;
	u32 queue;
	u32 launch;
	u32 sm;
	kuid_t owner;
	pid_t pid;
	u64 used;
	u64 launches;
	u64 duration;
	u64 preempted;
	u64 submitted;
	u64 started;
	u32 grid[3];
	u32 block[3];
	u32 fitting;
	bool complete;
	char name[VGPU_NL_KERNEL_BYTES];
	u64 value[VGPU_COUNTER_COUNT];
};

/* Places for those of a scope; and what is in place @index below that: NULL, nothing. */
u32 kvgpu_counts_room(const struct kvgpu_dev *kdev, enum vgpu_nl_counts scope);
struct kvgpu_counted *kvgpu_counts_at(const struct kvgpu_dev *kdev, enum vgpu_nl_counts scope,
				      u32 index);

#endif

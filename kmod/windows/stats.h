/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Statistics: copies of what a device and its contexts are doing, each of one moment, and the
 * tables (made from uapi/vgpu_stats.h) by which sysfs, fdinfo and netlink show every one of them.
 */
#ifndef KVGPU_STATS_H
#define KVGPU_STATS_H

#include "kmod/windows/windows.h"

struct kvgpu_device_snap {
	struct vgpu_device_info info;
	struct vgpu_device_stats stats;
};

struct kvgpu_ctx_snap {
	struct vgpu_context_info info;
	struct {
		u64 host_calls;
		u64 host_execution;
		u64 host_workers;
		u64 host_helpers;
	} host;
	u64 time;
	u64 inflight;
	s32 priority;
	u32 tokens;
	u64 memory_budget;
	const char *clock;		/* "detached", "running", "waiting" */
};

/** struct kvgpu_stat - where in a snap a statistic is, and its netlink attribute */
struct kvgpu_stat {
	const char *name;
	u16 attr;
	u16 offset;
	u8 bytes;			/* 4 or 8 */
};

/* The last one has no name. */
extern const struct kvgpu_stat kvgpu_device_stats[];	/* of struct kvgpu_device_snap */
extern const struct kvgpu_stat kvgpu_context_stats[];	/* of struct kvgpu_ctx_snap */

static inline u64 kvgpu_stat_value(const struct kvgpu_stat *stat, const void *snap)
{
	const void *at = snap + stat->offset;

	return stat->bytes == sizeof(u64) ? *(const u64 *)at : *(const u32 *)at;
}

/* The file of statistic @name in sysfs; @snap has the statistics of table @stat. */
ssize_t kvgpu_stat_show(const struct kvgpu_stat *stat, const char *name, const void *snap,
			char *text);

/* Actor. */
void kvgpu_snap_device(struct kvgpu_dev *kdev, struct kvgpu_device_snap *snap);
void kvgpu_snap_context(const struct kvgpu_ctx *ctx, struct kvgpu_ctx_snap *snap);
/* Have the actor do it. -EINTR; -ENODEV: there is no context @id. */
int kvgpu_device_read(struct kvgpu_dev *kdev, struct kvgpu_device_snap *snap);
int kvgpu_context_read(struct kvgpu_dev *kdev, u32 id, struct kvgpu_ctx_snap *snap);

#endif

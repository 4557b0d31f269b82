/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Statistics: copies of what a device and its contexts are doing, all of one moment, and the tables
 * (made from uapi/vgpu_stats.h) by which sysfs, fdinfo and netlink show every one of them.
 */
#ifndef KVGPU_STATS_H
#define KVGPU_STATS_H

#include "kmod/windows/windows.h"

struct kvgpu_device_snap {
	struct vgpu_device_info info;
	struct vgpu_device_stats stats;
	u8 *sm_state;			/* of each SM: enum vgpu_sm_state */
	u32 sm_context[];		/* of each SM: context it serves, 0: none */
};

struct kvgpu_ctx_snap {
	struct vgpu_context_info info;
	u64 time;
	u64 inflight;
	pid_t pid;
	s32 priority;
	u32 tokens;
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

/* To be freed with kfree(). -ENOMEM, -EINTR. */
struct kvgpu_device_snap *kvgpu_snap_device(struct kvgpu_dev *kdev);
/* -ENODEV: there is no context @id; -EINTR. */
int kvgpu_snap_context(struct kvgpu_dev *kdev, u32 id, struct kvgpu_ctx_snap *snap);
/*
 * Call @fn for contexts from id @first on, in the order of their ids, until it does not return 0.
 * Returns what it did; -ENOMEM, -EINTR.
 */
int kvgpu_for_each_context(struct kvgpu_dev *kdev, u32 first,
			   int (*fn)(struct kvgpu_dev *kdev, const struct kvgpu_ctx_snap *snap,
				     void *arg),
			   void *arg);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Copies of what a device and its contexts are doing, all of one moment.
 */
#ifndef KVGPU_SNAPSHOT_H
#define KVGPU_SNAPSHOT_H

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
};

/* To be freed with kvfree(). -ENOMEM, -EINTR. */
struct kvgpu_device_snap *kvgpu_snap_device(struct kvgpu_dev *kdev);
/*
 * Contexts from id @first on, in the order of their ids. Returns how many, at most @room, or
 * -EINTR.
 */
int kvgpu_snap_contexts(struct kvgpu_dev *kdev, u32 first, struct kvgpu_ctx_snap *snaps, u32 room);

#endif

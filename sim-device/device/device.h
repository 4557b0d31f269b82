/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The device: connects the rooms, and is the only room that knows all of them. Private to device/;
 * hosts include only vgpu_device.h.
 */
#ifndef VGPU_DEVICE_DEVICE_H
#define VGPU_DEVICE_DEVICE_H

#include "../exec/exec.h"
#include "../memsys/memsys.h"
#include "../mmu/mmu.h"
#include "../queue/queue.h"
#include "../sim/work.h"
#include "../transfer/transfer.h"
#include "../vgpu_device.h"
#include "context.h"

/** struct vgpu_system - one clock, and the devices that share it */
struct vgpu_system {
	struct vgpu_sim sim;
	struct vgpu_work_log work;	/* of all contexts */
	u32 devices;
};

struct vgpu_device {
	struct vgpu_system *system;
	struct vgpu_sim *sim;		/* of the system */
	bool owns_system;
	struct vgpu_config config;
	const struct vgpu_host_ops *ops;
	void *host;
	struct vgpu_trace trace;
	struct vgpu_random random;	/* seeded by the configuration */
	struct vgpu_context_table contexts;
	u64 kernel_ids;			/* the last that a kernel has got */
	struct vgpu_mmu mmu;
	struct vgpu_memsys *memsys;	/* timing=pipeline, else NULL */
	struct vgpu_exec exec;
	struct vgpu_transfers transfers;
	struct vgpu_queues queues;
	/* by injection (inject.c) */
	u64 ecc_corrected, ecc_uncorrected;
	u64 retired_pages;
	u64 xids;
	u32 last_xid;
	bool offline;
};

/* Callbacks of the rooms below (device.c). */
extern const struct vgpu_exec_ops vgpu_device_exec_ops;
extern const struct vgpu_transfer_ops vgpu_device_transfer_ops;
extern const struct vgpu_queue_ops vgpu_device_queue_ops;

#endif

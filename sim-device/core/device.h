/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The device: everything one actor owns. Private to sim-device/; hosts see vgpu_device.h only.
 */
#ifndef VGPU_CORE_DEVICE_H
#define VGPU_CORE_DEVICE_H

#include "../exec/exec.h"
#include "../mmu/mmu.h"
#include "../queue/queue.h"
#include "../sm/sm.h"
#include "../transfer/transfer.h"
#include "../vgpu_device.h"
#include "context.h"
#include "event.h"
#include "random.h"

struct vgpu_device {
	struct vgpu_config config;
	const struct vgpu_host_ops *ops;
	void *host;
	u64 now;
	bool tracing;
	struct vgpu_tournament events;
	u32 events_reserved;
	u64 event_seq;
	u64 events_fired;
	bool stop;			/* vgpu_device_run() ends after this event */
	struct vgpu_random random;
	struct vgpu_context_table contexts;
	struct vgpu_queue *queues;	/* config.hw_queues */
	u32 queues_used;
	struct vgpu_dispatcher dispatcher;
	struct vgpu_transfer_engine transfer;
	struct vgpu_exec exec;
	struct vgpu_sm *sms;		/* config.sms */
	u32 sms_made;
	struct vgpu_mmu mmu;
};

#endif

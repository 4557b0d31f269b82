// SPDX-License-Identifier: GPL-2.0-only
/*
 * /proc/PID/fdinfo/FD of an open /dev/vgpuN: what its context uses, in the manner of the kernel's
 * Documentation/gpu/drm-usage-stats.rst, with "vgpu-" in place of "drm-" since this is no DRM
 * device.
 */
#include <linux/math64.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#include "snapshot.h"

static void show(struct seq_file *seq, struct kvgpu_ctx *ctx, const struct kvgpu_ctx_snap *snap)
{
	const struct vgpu_context_info *info = &snap->info;

	seq_printf(seq, "vgpu-driver:\tvgpu\nvgpu-device:\t%s\nvgpu-client-id:\t%u\n",
		   ctx->kdev->name, ctx->id);
	seq_printf(seq, "vgpu-engine-sm:\t%llu ns\nvgpu-engine-capacity-sm:\t%u\n",
		   div_u64(info->sm_time, VGPU_NS), ctx->kdev->config.sms);
	seq_printf(seq, "vgpu-total-vram:\t%llu KiB\nvgpu-resident-vram:\t%llu KiB\n",
		   info->mapped_bytes >> 10, info->resident_bytes >> 10);
	seq_printf(seq, "vgpu-pinned-memory:\t%llu KiB\n",
		   (u64)atomic64_read(&ctx->pins->pages) << (PAGE_SHIFT - 10));
	seq_printf(seq, "vgpu-queues:\t%u\nvgpu-inflight:\t%llu\n", info->queues, snap->inflight);
	seq_printf(seq, "vgpu-kernels:\t%llu\nvgpu-copied:\t%llu KiB\n", info->kernels,
		   info->copied_bytes >> 10);
	seq_printf(seq, "vgpu-preemptions:\t%llu\nvgpu-priority:\t%d\nvgpu-fault:\t%u\n",
		   info->account.preemptions, snap->priority, info->fault.reason);
}

void kvgpu_show_fdinfo(struct seq_file *seq, struct file *file)
{
	struct kvgpu_ctx *ctx = file->private_data;
	struct kvgpu_ctx_snap *snap = kzalloc(sizeof(*snap), GFP_KERNEL);

	/* what is not known is left out, as for a device that is gone */
	if (snap && kvgpu_snap_contexts(ctx->kdev, ctx->id, snap, 1) == 1)
		show(seq, ctx, snap);
	kfree(snap);
}

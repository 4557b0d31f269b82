// SPDX-License-Identifier: GPL-2.0-only
/*
 * Statistics of devices and contexts, copied by the actor into the caller's memory, and the window
 * that is nothing but them: /proc/PID/fdinfo/FD of an open /dev/vgpuN, in the manner of the
 * kernel's Documentation/gpu/drm-usage-stats.rst, with "vgpu-" in place of "drm-" since this is no
 * DRM device.
 */
#include <linux/math64.h>
#include <linux/seq_file.h>
#include <linux/sysfs.h>

#include "kmod/windows/stats.h"

#define STAT(struct_, path, number, file)							\
	{ #file, number, offsetof(struct_, path), sizeof(((struct_ *)0)->path) },
#define DEVICE_STAT(number, name, path, member, file, text)					\
	STAT(struct kvgpu_device_snap, path member, number, file)
#define CONTEXT_STAT(number, name, path, member, file, text)					\
	STAT(struct kvgpu_ctx_snap, info.path member, number, file)
#define HOST_STAT(number, name, path, member, file, text)					\
	STAT(struct kvgpu_ctx_snap, path member, number, file)

const struct kvgpu_stat kvgpu_device_stats[] = { VGPU_DEVICE_STATS(DEVICE_STAT) {} };
const struct kvgpu_stat kvgpu_context_stats[] = {
	VGPU_CONTEXT_GAUGES(CONTEXT_STAT) VGPU_CONTEXT_COUNTERS(CONTEXT_STAT)
	VGPU_CONTEXT_HOST_COUNTERS(HOST_STAT) {}
};

ssize_t kvgpu_stat_show(const struct kvgpu_stat *stat, const char *name, const void *snap,
			char *text)
{
	while (strcmp(stat->name, name))
		stat++;
	return sysfs_emit(text, "%llu\n", kvgpu_stat_value(stat, snap));
}

/* ---- copies ------------------------------------------------------------- */

void kvgpu_snap_device(struct kvgpu_dev *kdev, struct kvgpu_device_snap *snap)
{
	vgpu_device_info(kdev->model, &snap->info);
	vgpu_device_stats(kdev->model, &snap->stats);
}

static int do_device(struct kvgpu_dev *kdev, void *snap)
{
	kvgpu_snap_device(kdev, snap);
	return 0;
}

int kvgpu_device_read(struct kvgpu_dev *kdev, struct kvgpu_device_snap *snap)
{
	return kvgpu_actor_call_killable(kdev, do_device, snap);
}

static const char *clock_state(const struct kvgpu_participant *participant)
{
	if (participant->waiting)
		return "waiting";
	return participant->attached ? "running" : "detached";
}

void kvgpu_snap_context(const struct kvgpu_ctx *ctx, struct kvgpu_ctx_snap *snap)
{
	WARN_ON_ONCE(vgpu_context_info(ctx->kdev->model, ctx->id, &snap->info));
	snap->host.host_calls = READ_ONCE(ctx->inbox.used);
	snap->host.host_execution = READ_ONCE(ctx->executed);
	snap->host.host_workers = READ_ONCE(ctx->helpers->workers_ns);
	snap->host.host_helpers = atomic64_read(&ctx->helpers->ns);
	snap->time = vgpu_device_now(ctx->kdev->model);
	snap->priority = ctx->priority;
	snap->memory_budget = ctx->memory_budget;
	snap->tokens = ctx->tokens;
	snap->inflight = ctx->inflight;
	snap->clock = clock_state(ctx->participant);
}

/* @arg has the id. */
static int do_context(struct kvgpu_dev *kdev, void *arg)
{
	struct kvgpu_ctx_snap *snap = arg;
	struct kvgpu_ctx *ctx = xa_load(&kdev->contexts, snap->info.id);

	if (!ctx)
		return -ENODEV;
	kvgpu_snap_context(ctx, snap);
	return 0;
}

int kvgpu_context_read(struct kvgpu_dev *kdev, u32 id, struct kvgpu_ctx_snap *snap)
{
	snap->info.id = id;
	return kvgpu_actor_call_killable(kdev, do_context, snap);
}

/* ---- fdinfo ------------------------------------------------------------- */

void kvgpu_show_fdinfo(struct seq_file *seq, struct file *file)
{
	struct kvgpu_ctx *ctx = file->private_data;
	const struct kvgpu_stat *stat;
	struct kvgpu_ctx_snap snap;

	/* what is not known is left out, as for a device that is gone */
	if (kvgpu_context_read(ctx->kdev, ctx->id, &snap))
		return;
	seq_printf(seq, "vgpu-driver:\tvgpu\nvgpu-device:\t%s\nvgpu-client-id:\t%u\n",
		   ctx->kdev->name, ctx->id);
	seq_printf(seq, "vgpu-engine-sm:\t%llu ns\nvgpu-engine-capacity-sm:\t%u\n",
		   div_u64(snap.info.sm_time, VGPU_NS), ctx->kdev->config.sms);
	seq_printf(seq, "vgpu-total-vram:\t%llu KiB\nvgpu-resident-vram:\t%llu KiB\n",
		   snap.info.mapped_bytes >> 10, snap.info.resident_bytes >> 10);
	seq_printf(seq, "vgpu-pinned-memory:\t%llu KiB\nvgpu-copied:\t%llu KiB\n",
		   (u64)atomic64_read(&ctx->pins->pages) << (PAGE_SHIFT - 10),
		   snap.info.copied_bytes >> 10);
	seq_printf(seq, "vgpu-host-time:\t%llu ns\n",
		   snap.host.host_calls + snap.host.host_execution);
	seq_printf(seq, "vgpu-inflight:\t%llu\nvgpu-priority:\t%d\nvgpu-fault:\t%u\n",
		   snap.inflight, snap.priority, snap.info.fault.reason);
	for (stat = kvgpu_context_stats; stat->name; stat++)
		seq_printf(seq, "vgpu-%s:\t%llu\n", stat->name, kvgpu_stat_value(stat, &snap));
}

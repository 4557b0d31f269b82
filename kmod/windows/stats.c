// SPDX-License-Identifier: GPL-2.0-only
/*
 * Statistics of devices and contexts, copied by the actor into the caller's memory, and the window
 * that is nothing but them: /proc/PID/fdinfo/FD of an open /dev/vgpuN, in the manner of the
 * kernel's Documentation/gpu/drm-usage-stats.rst, with "vgpu-" in place of "drm-" since this is no
 * DRM device.
 */
#include <linux/math64.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/sysfs.h>

#include "kmod/windows/stats.h"

#define STAT(struct_, path, number, file)							\
	{ #file, number, offsetof(struct_, path), sizeof(((struct_ *)0)->path) },
#define DEVICE_STAT(number, name, path, member, file, text)					\
	STAT(struct kvgpu_device_snap, path member, number, file)
#define CONTEXT_STAT(number, name, path, member, file, text)					\
	STAT(struct kvgpu_ctx_snap, info.path member, number, file)

const struct kvgpu_stat kvgpu_device_stats[] = { VGPU_DEVICE_STATS(DEVICE_STAT) {} };
const struct kvgpu_stat kvgpu_context_stats[] = { VGPU_CONTEXT_STATS(CONTEXT_STAT) {} };

ssize_t kvgpu_stat_show(const struct kvgpu_stat *stat, const char *name, const void *snap,
			char *text)
{
	while (strcmp(stat->name, name))
		stat++;
	return sysfs_emit(text, "%llu\n", kvgpu_stat_value(stat, snap));
}

/* ---- a device ----------------------------------------------------------- */

static int do_device(struct kvgpu_dev *kdev, void *arg)
{
	struct kvgpu_device_snap *snap = arg;
	struct vgpu_sm_stats sm;
	u32 i;

	vgpu_device_info(kdev->model, &snap->info);
	vgpu_device_stats(kdev->model, &snap->stats);
	for (i = 0; i < kdev->config.sms && !vgpu_device_sm_stats(kdev->model, i, &sm); i++) {
		snap->sm_state[i] = sm.state;
		snap->sm_context[i] = sm.context;
	}
	return 0;
}

struct kvgpu_device_snap *kvgpu_snap_device(struct kvgpu_dev *kdev)
{
	u32 sms = kdev->config.sms;
	struct kvgpu_device_snap *snap;
	int ret;

	/* one piece: the numbers, a context for each SM, a state for each SM */
	snap = kzalloc(struct_size(snap, sm_context, sms) + sms, GFP_KERNEL);
	if (!snap)
		return ERR_PTR(-ENOMEM);
	snap->sm_state = (u8 *)&snap->sm_context[sms];
	ret = kvgpu_actor_call_killable(kdev, do_device, snap);
	if (!ret)
		return snap;
	kfree(snap);
	return ERR_PTR(ret);
}

/* ---- contexts ----------------------------------------------------------- */

struct snap_contexts {
	u32 first;
	u32 room;
	struct kvgpu_ctx_snap *snaps;
};

static const char *clock_state(const struct kvgpu_participant *participant)
{
	if (participant->waiting)
		return "waiting";
	return participant->attached ? "running" : "detached";
}

static int do_contexts(struct kvgpu_dev *kdev, void *arg)
{
	struct snap_contexts *range = arg;
	struct kvgpu_ctx_snap *snap = range->snaps;
	struct kvgpu_ctx *ctx;
	unsigned long id;

	xa_for_each_start(&kdev->contexts, id, ctx, range->first) {
		if (snap == range->snaps + range->room)
			break;
		if (vgpu_context_info(kdev->model, ctx->id, &snap->info))
			continue;
		snap->time = vgpu_device_now(kdev->model);
		snap->pid = ctx->pid;
		snap->priority = ctx->priority;
		snap->tokens = ctx->tokens;
		snap->inflight = ctx->inflight;
		snap->clock = clock_state(ctx->participant);
		snap++;
	}
	return snap - range->snaps;
}

/* Contexts from id @first on. Returns how many, at most @room, or -EINTR. */
static int snap_contexts(struct kvgpu_dev *kdev, u32 first, struct kvgpu_ctx_snap *snaps, u32 room)
{
	struct snap_contexts range = { .first = first, .room = room, .snaps = snaps };

	return kvgpu_actor_call_killable(kdev, do_contexts, &range);
}

int kvgpu_snap_context(struct kvgpu_dev *kdev, u32 id, struct kvgpu_ctx_snap *snap)
{
	int ret = snap_contexts(kdev, id, snap, 1);

	if (ret < 0)
		return ret;
	return ret && snap->info.id == id ? 0 : -ENODEV;
}

#define CONTEXTS_AT_ONCE	16u

int kvgpu_for_each_context(struct kvgpu_dev *kdev, u32 first,
			   int (*fn)(struct kvgpu_dev *kdev, const struct kvgpu_ctx_snap *snap,
				     void *arg),
			   void *arg)
{
	struct kvgpu_ctx_snap *snaps = kvcalloc(CONTEXTS_AT_ONCE, sizeof(*snaps), GFP_KERNEL);
	int count, i, ret = 0;

	if (!snaps)
		return -ENOMEM;
	do {
		count = snap_contexts(kdev, first, snaps, CONTEXTS_AT_ONCE);
		for (i = 0; i < count && !ret; i++)
			ret = fn(kdev, &snaps[i], arg);
		if (count > 0)
			first = snaps[count - 1].info.id + 1;
	} while (count > 0 && !ret);
	kvfree(snaps);
	return count < 0 ? count : ret;
}

/* ---- fdinfo ------------------------------------------------------------- */

void kvgpu_show_fdinfo(struct seq_file *seq, struct file *file)
{
	struct kvgpu_ctx *ctx = file->private_data;
	const struct kvgpu_stat *stat;
	struct kvgpu_ctx_snap snap;

	/* what is not known is left out, as for a device that is gone */
	if (kvgpu_snap_context(ctx->kdev, ctx->id, &snap))
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
	seq_printf(seq, "vgpu-inflight:\t%llu\nvgpu-priority:\t%d\nvgpu-fault:\t%u\n",
		   snap.inflight, snap.priority, snap.info.fault.reason);
	for (stat = kvgpu_context_stats; stat->name; stat++)
		seq_printf(seq, "vgpu-%s:\t%llu\n", stat->name, kvgpu_stat_value(stat, &snap));
}

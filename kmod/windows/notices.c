// SPDX-License-Identifier: GPL-2.0-only
/*
 * Netlink multicast. Rare events: the actor notes them in a ring of fixed size, without sleeping or
 * allocating, and a work item sends them; a full ring loses the newest and counts them. Samples: a
 * work item asks the actor every so often, if somebody listens. A listener that does not read has
 * its own messages dropped by netlink, which tells it so (ENOBUFS); nobody waits for it.
 */
#include <linux/cleanup.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "netlink.h"

/* ---- notices ------------------------------------------------------------ */

static int put_notice(struct sk_buff *skb, struct kvgpu_dev *kdev, const void *what)
{
	const struct kvgpu_notice *notice = what;

	return nla_put_u32(skb, VGPU_NL_A_DEVICE, kdev->index) ||
	       kvgpu_put_u64(skb, VGPU_NL_A_TIME, notice->time) ||
	       (notice->lost && kvgpu_put_u64(skb, VGPU_NL_A_LOST, notice->lost)) ||
	       (notice->context && (nla_put_u32(skb, VGPU_NL_A_CONTEXT, notice->context) ||
				    nla_put_u32(skb, VGPU_NL_A_PID, notice->pid))) ||
	       (notice->fault && (nla_put_u32(skb, VGPU_NL_A_FAULT, notice->fault) ||
				  kvgpu_put_u64(skb, VGPU_NL_A_FAULT_ADDRESS, notice->address))) ||
	       (notice->knob && (nla_put_string(skb, VGPU_NL_A_KNOB_NAME, notice->knob) ||
				 nla_put_string(skb, VGPU_NL_A_KNOB_VALUE, notice->value)));
}

static void notices_work(struct work_struct *work)
{
	struct kvgpu_notices *notices = container_of(work, struct kvgpu_notices, work);
	struct kvgpu_notice notice;

	while (kfifo_get(&notices->ring, &notice))
		kvgpu_multicast(KVGPU_GROUP_NOTICES, GENLMSG_DEFAULT_SIZE, notice.command,
				notices->kdev, put_notice, &notice);
}

/* Actor: if there is somebody to be told, and room. */
static void notice_add(struct kvgpu_dev *kdev, struct kvgpu_notice notice)
{
	struct kvgpu_notices *notices = kdev->notices;

	if (READ_ONCE(notices->stopped) || !kvgpu_listened(KVGPU_GROUP_NOTICES))
		return;
	notice.time = vgpu_device_now(kdev->model);
	notice.lost = notices->lost - notices->lost_told;
	if (kfifo_put(&notices->ring, notice))
		notices->lost_told = notices->lost;
	else
		WRITE_ONCE(notices->lost, notices->lost + 1);
	queue_work(system_unbound_wq, &notices->work);
}

void kvgpu_notice_context(struct kvgpu_ctx *ctx, u8 command, const struct vgpu_fault *fault)
{
	struct kvgpu_notice notice = { .command = command, .context = ctx->id, .pid = ctx->pid };

	if (fault) {
		notice.fault = fault->reason;
		notice.address = fault->address;
	}
	notice_add(ctx->kdev, notice);
}

void kvgpu_notice_knob(struct kvgpu_dev *kdev, const char *knob, const char *value)
{
	struct kvgpu_notice notice = { .command = VGPU_NL_CMD_KNOB_CHANGED, .knob = knob };

	strscpy(notice.value, value, sizeof(notice.value));
	notice_add(kdev, notice);
}

void kvgpu_notice_memory(struct kvgpu_dev *kdev)
{
	notice_add(kdev, (struct kvgpu_notice){ .command = VGPU_NL_CMD_MEMORY_LOW });
}

/* ---- samples ------------------------------------------------------------ */

static void sample_device(struct kvgpu_dev *kdev)
{
	struct kvgpu_device_snap *snap __free(kfree) = kvgpu_snap_device(kdev);

	if (IS_ERR(snap))
		return;
	kvgpu_multicast(KVGPU_GROUP_SAMPLES, kvgpu_device_room(snap->info.sms),
			VGPU_NL_CMD_DEVICE_SAMPLE, kdev, kvgpu_put_sampled_device, snap);
}

static int sample_context(struct kvgpu_dev *kdev, const struct kvgpu_ctx_snap *snap, void *unused)
{
	kvgpu_multicast(KVGPU_GROUP_SAMPLES, KVGPU_CONTEXT_ROOM, VGPU_NL_CMD_CONTEXT_SAMPLE, kdev,
			kvgpu_put_context, snap);
	return 0;
}

static void sample_next(struct kvgpu_dev *kdev)
{
	u32 ms = READ_ONCE(kdev->notices->sample_ms);

	if (ms && !READ_ONCE(kdev->notices->stopped))
		mod_delayed_work(system_unbound_wq, &kdev->notices->sample, msecs_to_jiffies(ms));
}

static void sample_work(struct work_struct *work)
{
	struct kvgpu_dev *kdev =
		container_of(to_delayed_work(work), struct kvgpu_notices, sample)->kdev;

	if (kvgpu_listened(KVGPU_GROUP_SAMPLES)) {
		sample_device(kdev);
		kvgpu_for_each_context(kdev, 0, sample_context, NULL);
	}
	sample_next(kdev);
}

void kvgpu_sample_every(struct kvgpu_dev *kdev, u32 ms)
{
	WRITE_ONCE(kdev->notices->sample_ms, ms);
	sample_next(kdev);
}

/* ---- a device comes and goes -------------------------------------------- */

#define SAMPLE_MS	1000u

void kvgpu_notices_init(struct kvgpu_dev *kdev)
{
	kdev->notices->kdev = kdev;
	INIT_KFIFO(kdev->notices->ring);
	INIT_WORK(&kdev->notices->work, notices_work);
	INIT_DELAYED_WORK(&kdev->notices->sample, sample_work);
}

void kvgpu_notices_start(struct kvgpu_dev *kdev)
{
	kvgpu_sample_every(kdev, SAMPLE_MS);
}

void kvgpu_notices_stop(struct kvgpu_dev *kdev)
{
	WRITE_ONCE(kdev->notices->stopped, true);
	cancel_delayed_work_sync(&kdev->notices->sample);
	cancel_work_sync(&kdev->notices->work);
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Netlink multicast. Rare events: the actor notes them in a ring of fixed
 * size, without sleeping or allocating, and a work item sends them; a full ring loses the newest
 * and counts them. Samples: a work item asks the actor every so often, if somebody listens. A
 * listener that does not read has its own messages dropped by netlink, which tells it so (ENOBUFS);
 * nobody waits for it.
 */
#include <linux/workqueue.h>

#include "netlink.h"

/* ---- notices ------------------------------------------------------------ */

static int put_notice(struct sk_buff *skb, struct kvgpu_dev *kdev,
		      const struct kvgpu_notice *notice)
{
	if (nla_put_u32(skb, VGPU_NL_A_DEVICE, kdev->index) ||
	    kvgpu_put_u64(skb, VGPU_NL_A_TIME, notice->time) ||
	    (notice->lost && kvgpu_put_u64(skb, VGPU_NL_A_LOST, notice->lost)))
		return -EMSGSIZE;
	if (notice->context && (nla_put_u32(skb, VGPU_NL_A_CONTEXT, notice->context) ||
				nla_put_u32(skb, VGPU_NL_A_PID, notice->pid)))
		return -EMSGSIZE;
	if (notice->fault && (nla_put_u32(skb, VGPU_NL_A_FAULT, notice->fault) ||
			      kvgpu_put_u64(skb, VGPU_NL_A_FAULT_ADDRESS, notice->address)))
		return -EMSGSIZE;
	if (notice->knob && (nla_put_string(skb, VGPU_NL_A_KNOB_NAME, notice->knob) ||
			     nla_put_string(skb, VGPU_NL_A_KNOB_VALUE, notice->value)))
		return -EMSGSIZE;
	return 0;
}

static void send_notice(struct kvgpu_dev *kdev, const struct kvgpu_notice *notice)
{
	struct sk_buff *skb = genlmsg_new(GENLMSG_DEFAULT_SIZE, GFP_KERNEL);
	void *head;

	if (!skb)
		return;
	head = genlmsg_put(skb, 0, 0, &kvgpu_family, 0, notice->command);
	if (!head || put_notice(skb, kdev, notice)) {
		nlmsg_free(skb);
		return;
	}
	genlmsg_end(skb, head);
	genlmsg_multicast(&kvgpu_family, skb, 0, KVGPU_GROUP_NOTICES, GFP_KERNEL);
}

static void notices_work(struct work_struct *work)
{
	struct kvgpu_notices *notices = container_of(work, struct kvgpu_notices, work);

	while (notices->tail != smp_load_acquire(&notices->head)) {
		send_notice(notices->kdev, &notices->ring[notices->tail % KVGPU_NOTICES]);
		smp_store_release(&notices->tail, notices->tail + 1);
	}
}

/* The next entry to fill in, NULL: nobody listens, or there is no room. Actor. */
static struct kvgpu_notice *notice_begin(struct kvgpu_dev *kdev, u8 command)
{
	struct kvgpu_notices *notices = kdev->notices;
	struct kvgpu_notice *notice;

	if (READ_ONCE(notices->stopped) || !kvgpu_listened(KVGPU_GROUP_NOTICES))
		return NULL;
	if (notices->head - smp_load_acquire(&notices->tail) == KVGPU_NOTICES) {
		WRITE_ONCE(notices->lost, notices->lost + 1);
		return NULL;
	}
	notice = &notices->ring[notices->head % KVGPU_NOTICES];
	*notice = (struct kvgpu_notice){
		.command = command,
		.time = vgpu_device_now(kdev->model),
		.lost = notices->lost - notices->lost_told,
	};
	notices->lost_told = notices->lost;
	return notice;
}

static void notice_end(struct kvgpu_dev *kdev)
{
	smp_store_release(&kdev->notices->head, kdev->notices->head + 1);
	queue_work(system_unbound_wq, &kdev->notices->work);
}

void kvgpu_notice_context(struct kvgpu_ctx *ctx, u8 command, const struct vgpu_fault *fault)
{
	struct kvgpu_notice *notice = notice_begin(ctx->kdev, command);

	if (!notice)
		return;
	notice->context = ctx->id;
	notice->pid = ctx->pid;
	if (fault) {
		notice->fault = fault->reason;
		notice->address = fault->address;
	}
	notice_end(ctx->kdev);
}

void kvgpu_notice_knob(struct kvgpu_dev *kdev, const char *knob, const char *value)
{
	struct kvgpu_notice *notice = notice_begin(kdev, VGPU_NL_CMD_KNOB_CHANGED);

	if (!notice)
		return;
	notice->knob = knob;
	strscpy(notice->value, value, sizeof(notice->value));
	notice_end(kdev);
}

void kvgpu_notice_memory(struct kvgpu_dev *kdev)
{
	if (notice_begin(kdev, VGPU_NL_CMD_MEMORY_LOW))
		notice_end(kdev);
}

/* ---- samples ------------------------------------------------------------ */

static void sample_device(struct kvgpu_dev *kdev)
{
	struct kvgpu_device_snap *snap = kvgpu_snap_device(kdev);
	struct sk_buff *skb;
	void *head;

	if (IS_ERR(snap))
		return;
	skb = genlmsg_new(kvgpu_device_room(snap->info.sms), GFP_KERNEL);
	if (!skb)
		goto out;
	head = genlmsg_put(skb, 0, 0, &kvgpu_family, 0, VGPU_NL_CMD_DEVICE_SAMPLE);
	if (!head || kvgpu_put_device(skb, kdev, snap) || kvgpu_put_sms(skb, kdev, snap)) {
		nlmsg_free(skb);
		goto out;
	}
	genlmsg_end(skb, head);
	genlmsg_multicast(&kvgpu_family, skb, 0, KVGPU_GROUP_SAMPLES, GFP_KERNEL);
out:
	kvfree(snap);
}

static void sample_context(struct kvgpu_dev *kdev, const struct kvgpu_ctx_snap *snap)
{
	struct sk_buff *skb = genlmsg_new(KVGPU_CONTEXT_ROOM, GFP_KERNEL);
	void *head;

	if (!skb)
		return;
	head = genlmsg_put(skb, 0, 0, &kvgpu_family, 0, VGPU_NL_CMD_CONTEXT_SAMPLE);
	if (!head || kvgpu_put_context(skb, kdev, snap)) {
		nlmsg_free(skb);
		return;
	}
	genlmsg_end(skb, head);
	genlmsg_multicast(&kvgpu_family, skb, 0, KVGPU_GROUP_SAMPLES, GFP_KERNEL);
}

#define CONTEXTS_AT_ONCE	16u

static void sample_contexts(struct kvgpu_dev *kdev)
{
	struct kvgpu_ctx_snap *snaps = kvcalloc(CONTEXTS_AT_ONCE, sizeof(*snaps), GFP_KERNEL);
	int count = 1, i;
	u32 first = 0;

	while (snaps && count > 0) {
		count = kvgpu_snap_contexts(kdev, first, snaps, CONTEXTS_AT_ONCE);
		for (i = 0; i < count; i++)
			sample_context(kdev, &snaps[i]);
		if (count > 0)
			first = snaps[count - 1].info.id + 1;
	}
	kvfree(snaps);
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
		sample_contexts(kdev);
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

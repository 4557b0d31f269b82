// SPDX-License-Identifier: GPL-2.0-only
/*
 * Netlink multicast. Rare events: the actor notes them in a ring of fixed size, without sleeping or
 * allocating, and a work item sends them; a full ring loses the newest and counts them. Samples: a
 * work item asks the actor every so often, if somebody listens. A listener that does not read has
 * its own messages dropped by netlink, which tells it so (ENOBUFS); nobody waits for it.
 */
#include <linux/pid_namespace.h>
#include <linux/workqueue.h>

#include "netlink.h"

/* ---- notices ------------------------------------------------------------ */

/* What everybody may be told. */
static int put_public(const struct kvgpu_message *m, struct kvgpu_dev *kdev)
{
	const struct kvgpu_notice *notice = m->what;

	return nla_put_u32(m->skb, VGPU_NL_A_DEVICE, kdev->index) ||
	       kvgpu_put_u64(m->skb, VGPU_NL_A_TIME, notice->time) ||
	       (notice->lost && kvgpu_put_u64(m->skb, VGPU_NL_A_LOST, notice->lost)) ||
	       (notice->context && nla_put_u32(m->skb, VGPU_NL_A_CONTEXT, notice->context)) ||
	       (notice->xid && !notice->fault &&
		nla_put_u32(m->skb, VGPU_NL_A_XID, notice->xid)) ||
	       (notice->knob && (nla_put_string(m->skb, VGPU_NL_A_KNOB_NAME, notice->knob) ||
				 nla_put_string(m->skb, VGPU_NL_A_KNOB_VALUE, notice->value))) ||
	       (*notice->reason && nla_put_string(m->skb, VGPU_NL_A_REASON, notice->reason));
}

static int put_notice(const struct kvgpu_message *m, struct kvgpu_dev *kdev)
{
	const struct kvgpu_notice *notice = m->what;

	return put_public(m, kdev) ||
	       (notice->context && nla_put_u32(m->skb, VGPU_NL_A_PID, notice->pid)) ||
	       (notice->xid && notice->fault &&
		nla_put_u32(m->skb, VGPU_NL_A_XID, notice->xid)) ||
	       (notice->fault && (nla_put_u32(m->skb, VGPU_NL_A_FAULT, notice->fault) ||
				  kvgpu_put_u64(m->skb, VGPU_NL_A_FAULT_ADDRESS,
						notice->address)));
}

static void notice_send(struct kvgpu_dev *kdev, struct kvgpu_notice *notice, unsigned int group,
			kvgpu_put_fn *put)
{
	struct kvgpu_message m = { .command = notice->command, .put = put, .what = notice };

	if (!kvgpu_listened(group))
		return;
	m.skb = genlmsg_new(GENLMSG_DEFAULT_SIZE, GFP_KERNEL);
	if (m.skb && !kvgpu_message_add(kdev, &m))
		genlmsg_multicast(&kvgpu_family, m.skb, 0, group, GFP_KERNEL);
	else
		nlmsg_free(m.skb);
}

static void notices_work(struct work_struct *work)
{
	struct kvgpu_notices *notices = container_of(work, struct kvgpu_notices, work);
	struct kvgpu_notice notice;

	/* without the actor, which may be gone already */
	while (kfifo_get(&notices->ring, &notice)) {
		notice_send(notices->kdev, &notice, KVGPU_GROUP_NOTICES, put_notice);
		notice_send(notices->kdev, &notice, KVGPU_GROUP_PUBLIC, put_public);
	}
}

/* Actor: if there is somebody to be told, and room. */
static void notice_add(struct kvgpu_dev *kdev, struct kvgpu_notice notice)
{
	struct kvgpu_notices *notices = kdev->notices;

	if (READ_ONCE(notices->stopped) ||
	    (!kvgpu_listened(KVGPU_GROUP_NOTICES) && !kvgpu_listened(KVGPU_GROUP_PUBLIC)))
		return;
	notice.time = vgpu_device_now(kdev->model);
	notice.lost = notices->lost - notices->lost_told;
	if (kfifo_put(&notices->ring, notice))
		notices->lost_told = notices->lost;
	else
		WRITE_ONCE(notices->lost, notices->lost + 1);
	queue_work(system_unbound_wq, &notices->work);
}

/* For who reads the log: what the number means. */
static const char *xid_text(u32 xid)
{
	switch (xid) {
	case 8: return "the watchdog has stopped a kernel";
	case 13: return "an exception of an engine";
	case 31: return "a page fault";
	case 43: return "a kernel was stopped";
	case 48: return "an uncorrectable error of memory";
	case 63: return "a page of memory is to be retired";
	case 64: return "a page of memory could not be retired";
	case 74: return "an error of a link between devices";
	case 79: return "the device has fallen off the bus";
	case 92: return "many corrected errors of memory";
	case 94: return "an uncorrectable error of memory, contained";
	case 95: return "an uncorrectable error of memory, not contained";
	default: return "injected";
	}
}

void kvgpu_notice_context(struct kvgpu_ctx *ctx, u8 command, const struct vgpu_fault *fault)
{
	struct kvgpu_notice notice = { .command = command, .context = ctx->id, .pid = ctx->pid };

	if (fault) {
		notice.fault = fault->reason;
		notice.address = fault->address;
		notice.xid = ctx->kdev->notices->xid;
	}
	if (notice.xid) {
		ctx->kdev->notices->ended++;
		pr_warn("vgpu vgpu%u: xid %u, pid %d, context %u ended: %s\n", ctx->kdev->index,
			notice.xid, ctx->pid, ctx->id, xid_text(notice.xid));
	}
	notice_add(ctx->kdev, notice);
}

static int do_inject(struct kvgpu_dev *kdev, void *what)
{
	struct kvgpu_notices *notices = kdev->notices;
	const struct vgpu_injection *injection = what;
	int ret;

	/* contexts that end meanwhile end by it */
	notices->ended = 0;
	ret = vgpu_device_inject(kdev->model, injection, &notices->xid);
	if (!ret && notices->xid && !notices->ended) {
		pr_warn("vgpu vgpu%u: xid %u: %s\n", kdev->index, notices->xid,
			xid_text(notices->xid));
		notice_add(kdev, (struct kvgpu_notice){ .command = VGPU_NL_CMD_XID,
							.xid = notices->xid });
	}
	if (!ret && injection->kind == VGPU_INJECT_ECC_CORRECTED)
		pr_info("vgpu vgpu%u: an error of memory was corrected\n", kdev->index);
	if (!ret && injection->kind == VGPU_INJECT_RECOVER)
		pr_info("vgpu vgpu%u: reset, the device is there again\n", kdev->index);
	notices->xid = 0;
	return ret;
}

int kvgpu_inject(struct kvgpu_dev *kdev, struct vgpu_injection *what)
{
	return kvgpu_actor_call_killable(kdev, do_inject, what);
}

void kvgpu_notice_knob(struct kvgpu_dev *kdev, const char *knob, const char *value)
{
	struct kvgpu_notice notice = { .command = VGPU_NL_CMD_KNOB_CHANGED, .knob = knob };

	strscpy(notice.value, value, sizeof(notice.value));
	notice_add(kdev, notice);
}

void kvgpu_notice_dropped(struct kvgpu_dev *kdev, const char *what, const char *name,
			  const char *reason, const char *next)
{
	struct kvgpu_notice notice = { .command = VGPU_NL_CMD_KNOB_CHANGED, .knob = what };

	snprintf(kdev->sysfs->dropped, sizeof(kdev->sysfs->dropped), "%s %s: %s; %s", what, name,
		 reason, next);
	pr_warn("vgpu vgpu%u: goes on without %s %s: %s; it has %s now\n", kdev->index, what, name,
		reason, next);
	strscpy(notice.value, next, sizeof(notice.value));
	snprintf(notice.reason, sizeof(notice.reason), "%s: %s", name, reason);
	notice_add(kdev, notice);
}

void kvgpu_notice_memory(struct kvgpu_dev *kdev)
{
	notice_add(kdev, (struct kvgpu_notice){ .command = VGPU_NL_CMD_MEMORY_LOW });
}

/* ---- samples ------------------------------------------------------------ */

/* Who may join the group. */
static const struct kvgpu_viewer everything = { .all = true, .pids = &init_pid_ns };

/* The context of id what, or the next one behind; its id is left there. */
static int put_next_context(const struct kvgpu_message *m, struct kvgpu_dev *kdev)
{
	unsigned long id = *(u32 *)m->what;

	if (!xa_find(&kdev->contexts, &id, ULONG_MAX, XA_PRESENT))
		return -ENODEV;
	*(u32 *)m->what = id;
	return kvgpu_put_context(m, kdev);
}

static int sample_send(struct kvgpu_dev *kdev, struct kvgpu_message *sample, size_t room)
{
	int ret = kvgpu_message_make(kdev, sample, room);

	if (!ret)
		genlmsg_multicast(&kvgpu_family, sample->skb, 0, KVGPU_GROUP_SAMPLES, GFP_KERNEL);
	return ret;
}

static void sample_next(struct kvgpu_dev *kdev)
{
	u32 ms = READ_ONCE(kdev->notices->sample_ms);

	if (ms && !READ_ONCE(kdev->notices->stopped))
		mod_delayed_work(system_unbound_wq, &kdev->notices->sample, msecs_to_jiffies(ms));
}

/*
 * In the order of ids, of which the next one is asked for after each message. Whoever opens
 * contexts faster than that has new ones there for ever: there are no more messages than @count
 * contexts, which were open when the sample began.
 */
static void sample_contexts(struct kvgpu_dev *kdev, u32 count)
{
	u32 id = 0;
	struct kvgpu_message context = {
		.command = VGPU_NL_CMD_CONTEXT_SAMPLE, .put = put_next_context, .what = &id,
		.viewer = &everything,
	};

	for (; count && !READ_ONCE(kdev->notices->stopped); count--)
		if (sample_send(kdev, &context, KVGPU_CONTEXT_ROOM) || !++id)
			break;
}

static void sample_work(struct work_struct *work)
{
	struct kvgpu_dev *kdev =
		container_of(to_delayed_work(work), struct kvgpu_notices, sample)->kdev;
	u32 contexts = 0;
	struct kvgpu_message device = {
		.command = VGPU_NL_CMD_DEVICE_SAMPLE, .put = kvgpu_put_sampled_device,
		.what = &contexts, .viewer = &everything,
	};

	if (kvgpu_listened(KVGPU_GROUP_SAMPLES) &&
	    !sample_send(kdev, &device, kvgpu_device_room(kdev->config.sms)))
		sample_contexts(kdev, contexts);
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

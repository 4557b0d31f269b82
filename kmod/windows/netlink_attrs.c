// SPDX-License-Identifier: GPL-2.0-only
/*
 * Netlink messages: what is said of a device and of a context, attribute by attribute
 * (uapi/vgpu_netlink.h), and whole messages of it.
 */
#include <linux/slab.h>

#include "netlink.h"

/* All or nothing of a nest. */
static int nest_end(struct sk_buff *skb, struct nlattr *nest, int failed)
{
	if (failed) {
		nla_nest_cancel(skb, nest);
		return -EMSGSIZE;
	}
	nla_nest_end(skb, nest);
	return 0;
}

static int put_sm_time(struct sk_buff *skb, unsigned int state, u64 time)
{
	struct nlattr *nest = nla_nest_start(skb, VGPU_NL_A_SM_TIME);

	if (!nest)
		return -EMSGSIZE;
	return nest_end(skb, nest,
			nla_put_string(skb, VGPU_NL_A_STATE_NAME, vgpu_sm_state_name(state)) ||
				kvgpu_put_u64(skb, VGPU_NL_A_STATE_TIME, time));
}

static int put_sm_times(struct sk_buff *skb, const struct vgpu_device_stats *stats)
{
	struct nlattr *nest = nla_nest_start(skb, VGPU_NL_A_SM_TIMES);
	unsigned int state;
	int failed = 0;

	if (!nest)
		return -EMSGSIZE;
	for (state = 0; state < VGPU_SM_STATES && !failed; state++)
		failed = put_sm_time(skb, state, stats->sm_time[state]);
	return nest_end(skb, nest, failed);
}

/* Every statistic of @snap. */
static int put_stats(struct sk_buff *skb, const struct kvgpu_stat *stat, const void *snap)
{
	int failed = 0;

	for (; stat->name && !failed; stat++) {
		u64 value = kvgpu_stat_value(stat, snap);

		failed = stat->bytes == sizeof(u32) ? nla_put_u32(skb, stat->attr, value) :
						      kvgpu_put_u64(skb, stat->attr, value);
	}
	return failed;
}

static int put_device_attrs(struct sk_buff *skb, struct kvgpu_dev *kdev,
			    const struct kvgpu_device_snap *snap)
{
	return nla_put_u32(skb, VGPU_NL_A_DEVICE, kdev->index) ||
	       nla_put_string(skb, VGPU_NL_A_NAME, kdev->name) ||
	       nla_put_string(skb, VGPU_NL_A_PRESET, snap->info.name) ||
	       nla_put_string(skb, VGPU_NL_A_CLOCK,
			      kvgpu_clock_name(READ_ONCE(kdev->clock->mode))) ||
	       nla_put_u32(skb, VGPU_NL_A_SAMPLE_MS, READ_ONCE(kdev->notices->sample_ms)) ||
	       kvgpu_put_u64(skb, VGPU_NL_A_VRAM_RESIDENT,
			     atomic64_read(&kdev->memory->frames) << VGPU_PAGE_SHIFT) ||
	       kvgpu_put_u64(skb, VGPU_NL_A_LOST, READ_ONCE(kdev->notices->lost)) ||
	       put_stats(skb, kvgpu_device_stats, snap) || put_sm_times(skb, &snap->stats);
}

static int put_sms(struct sk_buff *skb, const struct kvgpu_device_snap *snap)
{
	u32 sms = snap->info.sms;

	return nla_put(skb, VGPU_NL_A_SM_STATES, sms, snap->sm_state) ||
	       nla_put(skb, VGPU_NL_A_SM_CONTEXTS, sms * sizeof(u32), snap->sm_context);
}

static int put_knob(struct sk_buff *skb, const char *name, const char *value)
{
	struct nlattr *nest = nla_nest_start(skb, VGPU_NL_A_KNOB);

	if (!nest)
		return -EMSGSIZE;
	return nest_end(skb, nest, nla_put_string(skb, VGPU_NL_A_KNOB_NAME, name) ||
			nla_put_string(skb, VGPU_NL_A_KNOB_VALUE, value));
}

static int put_knobs(struct sk_buff *skb, struct kvgpu_dev *kdev)
{
	char value[VGPU_NL_VALUE_BYTES];
	struct nlattr *nest = nla_nest_start(skb, VGPU_NL_A_KNOBS);
	const char *name;
	unsigned int i;
	int failed = 0;

	if (!nest)
		return -EMSGSIZE;
	for (i = 0; (name = vgpu_device_knob_name(i)) && !failed; i++) {
		failed = kvgpu_knob_get(kdev, name, value, sizeof(value));
		failed = failed < 0 || put_knob(skb, name, value);
	}
	return nest_end(skb, nest, failed);
}

int kvgpu_put_device(struct sk_buff *skb, struct kvgpu_dev *kdev, const void *snap)
{
	return put_device_attrs(skb, kdev, snap) || put_sms(skb, snap) || put_knobs(skb, kdev) ?
	       -EMSGSIZE : 0;
}

int kvgpu_put_listed_device(struct sk_buff *skb, struct kvgpu_dev *kdev, const void *snap)
{
	return put_device_attrs(skb, kdev, snap) || put_knobs(skb, kdev) ? -EMSGSIZE : 0;
}

int kvgpu_put_sampled_device(struct sk_buff *skb, struct kvgpu_dev *kdev, const void *snap)
{
	return put_device_attrs(skb, kdev, snap) || put_sms(skb, snap) ? -EMSGSIZE : 0;
}

int kvgpu_put_context(struct sk_buff *skb, struct kvgpu_dev *kdev, const void *what)
{
	const struct kvgpu_ctx_snap *snap = what;
	const struct vgpu_context_info *info = &snap->info;
	bool failed = nla_put_u32(skb, VGPU_NL_A_DEVICE, kdev->index) ||
		      nla_put_u32(skb, VGPU_NL_A_CONTEXT, info->id) ||
		      kvgpu_put_u64(skb, VGPU_NL_A_TIME, snap->time) ||
		      nla_put_u32(skb, VGPU_NL_A_PID, snap->pid) ||
		      nla_put_s32(skb, VGPU_NL_A_PRIORITY, snap->priority) ||
		      nla_put_u32(skb, VGPU_NL_A_TOKENS, snap->tokens) ||
		      nla_put_u32(skb, VGPU_NL_A_FAULT, info->fault.reason) ||
		      kvgpu_put_u64(skb, VGPU_NL_A_FAULT_ADDRESS, info->fault.address) ||
		      kvgpu_put_u64(skb, VGPU_NL_A_INFLIGHT, snap->inflight) ||
		      put_stats(skb, kvgpu_context_stats, snap);

	return failed ? -EMSGSIZE : 0;
}

/* ---- messages ----------------------------------------------------------- */

int kvgpu_message_add(struct sk_buff *skb, u32 portid, u32 seq, int flags, u8 command,
		      struct kvgpu_dev *kdev, kvgpu_put_fn *put, const void *what)
{
	void *head = genlmsg_put(skb, portid, seq, &kvgpu_family, flags, command);
	int ret = head ? put(skb, kdev, what) : -EMSGSIZE;

	if (ret)
		genlmsg_cancel(skb, head);
	else
		genlmsg_end(skb, head);
	return ret;
}

static struct sk_buff *message(size_t room, u32 portid, u32 seq, u8 command,
			       struct kvgpu_dev *kdev, kvgpu_put_fn *put, const void *what)
{
	struct sk_buff *skb = genlmsg_new(room, GFP_KERNEL);
	int ret;

	if (!skb)
		return ERR_PTR(-ENOMEM);
	ret = kvgpu_message_add(skb, portid, seq, 0, command, kdev, put, what);
	if (!ret)
		return skb;
	nlmsg_free(skb);
	return ERR_PTR(ret);
}

int kvgpu_reply(struct genl_info *info, size_t room, u8 command, struct kvgpu_dev *kdev,
		kvgpu_put_fn *put, const void *what)
{
	struct sk_buff *skb =
		message(room, info->snd_portid, info->snd_seq, command, kdev, put, what);

	return IS_ERR(skb) ? PTR_ERR(skb) : genlmsg_reply(skb, info);
}

void kvgpu_multicast(unsigned int group, size_t room, u8 command, struct kvgpu_dev *kdev,
		     kvgpu_put_fn *put, const void *what)
{
	struct sk_buff *skb = message(room, 0, 0, command, kdev, put, what);

	if (!IS_ERR(skb))
		genlmsg_multicast(&kvgpu_family, skb, 0, group, GFP_KERNEL);
}

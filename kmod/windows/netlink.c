// SPDX-License-Identifier: GPL-2.0-only
/*
 * Generic netlink family "vgpu" (uapi/vgpu_netlink.h, docs/netlink.md): devices and contexts as
 * lists, knobs to be set. The attributes of a request are checked by strict policies before a
 * handler sees them; what a handler refuses it explains. Devices belong to the initial namespaces:
 * the family is there in the initial network namespace only, and setting needs CAP_SYS_ADMIN in the
 * initial user namespace, of the process and of whoever opened its socket.
 */
#include <linux/capability.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "netlink.h"

static const struct nla_policy device_policy[] = {
	[VGPU_NL_A_DEVICE] = NLA_POLICY_MAX(NLA_U32, KVGPU_DEVICES_MAX - 1),
};

static const struct nla_policy context_policy[] = {
	[VGPU_NL_A_DEVICE] = NLA_POLICY_MAX(NLA_U32, KVGPU_DEVICES_MAX - 1),
	[VGPU_NL_A_CONTEXT] = NLA_POLICY_MIN(NLA_U32, 1),
};

/* The limits inside a policy are 16 bits wide. */
static struct netlink_range_validation sample_range = { .max = VGPU_NL_SAMPLE_MS_MAX };

static const struct nla_policy device_set_policy[] = {
	[VGPU_NL_A_DEVICE] = NLA_POLICY_MAX(NLA_U32, KVGPU_DEVICES_MAX - 1),
	[VGPU_NL_A_KNOB_NAME] = { .type = NLA_NUL_STRING, .len = VGPU_NL_KNOB_BYTES - 1 },
	[VGPU_NL_A_KNOB_VALUE] = { .type = NLA_NUL_STRING, .len = VGPU_NL_VALUE_BYTES - 1 },
	[VGPU_NL_A_SAMPLE_MS] = NLA_POLICY_FULL_RANGE(NLA_U32, &sample_range),
};

static const struct nla_policy context_set_policy[] = {
	[VGPU_NL_A_DEVICE] = NLA_POLICY_MAX(NLA_U32, KVGPU_DEVICES_MAX - 1),
	[VGPU_NL_A_CONTEXT] = NLA_POLICY_MIN(NLA_U32, 1),
	[VGPU_NL_A_PRIORITY] = { .type = NLA_S32 },
	[VGPU_NL_A_TOKENS] = { .type = NLA_U32 },
};

/* ---- what requests name ------------------------------------------------- */

/* The device that a request names, with a reference. */
static struct kvgpu_dev *device_of(struct genl_info *info)
{
	struct nlattr *attr = info->attrs[VGPU_NL_A_DEVICE];
	struct kvgpu_dev *kdev;

	if (!attr) {
		NL_SET_ERR_MSG(
			info->extack,
			"DEVICE is missing: a number that a dump of DEVICE_GET lists");
		return ERR_PTR(-EINVAL);
	}
	kdev = kvgpu_dev_get(nla_get_u32(attr));
	if (!kdev) {
		NL_SET_ERR_MSG_ATTR(info->extack, attr,
				    "there is no such device; DEVICE_GET as a dump lists them");
		return ERR_PTR(-ENODEV);
	}
	return kdev;
}

static int context_of(struct genl_info *info, u32 *id)
{
	struct nlattr *attr = info->attrs[VGPU_NL_A_CONTEXT];

	if (!attr) {
		NL_SET_ERR_MSG(
			info->extack,
			"CONTEXT is missing: an id that a dump of CONTEXT_GET lists");
		return -EINVAL;
	}
	*id = nla_get_u32(attr);
	return 0;
}

static int no_context(struct genl_info *info)
{
	NL_SET_ERR_MSG_ATTR(info->extack, info->attrs[VGPU_NL_A_CONTEXT],
			    "this device has no such context; CONTEXT_GET as a dump lists them");
	return -ENOENT;
}

static int may_set(struct sk_buff *skb, struct genl_info *info)
{
	if (netlink_capable(skb, CAP_SYS_ADMIN))
		return 0;
	NL_SET_ERR_MSG(info->extack,
		       "to set anything takes CAP_SYS_ADMIN in the initial user namespace");
	return -EPERM;
}

/* ---- one ---------------------------------------------------------------- */

static int reply_device(struct kvgpu_dev *kdev, struct genl_info *info)
{
	struct kvgpu_device_snap *snap = kvgpu_snap_device(kdev);
	int ret;

	if (IS_ERR(snap))
		return PTR_ERR(snap);
	ret = kvgpu_reply(info, kvgpu_device_room(snap->info.sms), VGPU_NL_CMD_DEVICE_GET, kdev,
			  kvgpu_put_device, snap);
	kvfree(snap);
	return ret;
}

static int reply_context(struct kvgpu_dev *kdev, struct genl_info *info)
{
	struct kvgpu_ctx_snap *snap;
	u32 id;
	int ret = context_of(info, &id);

	if (ret)
		return ret;
	snap = kzalloc(sizeof(*snap), GFP_KERNEL);
	if (!snap)
		return -ENOMEM;
	ret = kvgpu_snap_context(kdev, id, snap);
	if (ret == -ENODEV)
		ret = no_context(info);
	if (!ret)
		ret = kvgpu_reply(info, KVGPU_CONTEXT_ROOM, VGPU_NL_CMD_CONTEXT_GET, kdev,
				  kvgpu_put_context, snap);
	kfree(snap);
	return ret;
}

/* Run @fn on the device that a request names. */
static int with_device(struct genl_info *info,
		       int (*fn)(struct kvgpu_dev *kdev, struct genl_info *info))
{
	struct kvgpu_dev *kdev = device_of(info);
	int ret;

	if (IS_ERR(kdev))
		return PTR_ERR(kdev);
	ret = fn(kdev, info);
	kvgpu_dev_put(kdev);
	return ret;
}

static int device_get(struct sk_buff *request, struct genl_info *info)
{
	return with_device(info, reply_device);
}

static int context_get(struct sk_buff *request, struct genl_info *info)
{
	return with_device(info, reply_context);
}

/* ---- all ---------------------------------------------------------------- */

/* Where a dump has come to, in the room that netlink keeps for it. */
struct cursor {
	unsigned long device;
	unsigned long context;		/* the next one is not before this */
};

static struct cursor *cursor_of(struct netlink_callback *cb)
{
	return (struct cursor *)cb->args;
}

/* The next device from where the dump is, with a reference; NULL: that was all. */
static struct kvgpu_dev *dump_device(struct netlink_callback *cb)
{
	struct nlattr *only = kvgpu_dump_attrs(cb)[VGPU_NL_A_DEVICE];
	struct cursor *cursor = cursor_of(cb);
	struct kvgpu_dev *kdev;

	if (only && cursor->device < nla_get_u32(only))
		cursor->device = nla_get_u32(only);
	for (; cursor->device < KVGPU_DEVICES_MAX; cursor->device++, cursor->context = 0) {
		if (only && cursor->device > nla_get_u32(only))
			return NULL;
		kdev = kvgpu_dev_get(cursor->device);
		if (kdev)
			return kdev;
	}
	return NULL;
}

static int dump_one(struct sk_buff *skb, struct netlink_callback *cb, u8 command,
		    struct kvgpu_dev *kdev, kvgpu_put_fn *put, const void *what)
{
	return kvgpu_message_add(skb, NETLINK_CB(cb->skb).portid, cb->nlh->nlmsg_seq, NLM_F_MULTI,
				 command, kdev, put, what);
}

static int dump_one_device(struct sk_buff *skb, struct netlink_callback *cb, struct kvgpu_dev *kdev)
{
	struct kvgpu_device_snap *snap = kvgpu_snap_device(kdev);
	int ret;

	if (IS_ERR(snap))
		return PTR_ERR(snap);
	ret = dump_one(skb, cb, VGPU_NL_CMD_DEVICE_GET, kdev, kvgpu_put_listed_device, snap);
	kvfree(snap);
	return ret;
}

/*
 * What a dump's step returns: a message that is full is sent, and the next step goes on behind it.
 */
static int dump_result(struct sk_buff *skb, int ret)
{
	return ret == -EMSGSIZE && skb->len ? skb->len : ret ? ret : skb->len;
}

static int device_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct kvgpu_dev *kdev;
	int ret = 0;

	while (!ret && (kdev = dump_device(cb))) {
		ret = dump_one_device(skb, cb, kdev);
		kvgpu_dev_put(kdev);
		if (!ret)
			cursor_of(cb)->device++;
	}
	return dump_result(skb, ret);
}

#define CONTEXTS_AT_ONCE	8u

/* Contexts of @kdev, as many as fit. 0: that was all. */
static int dump_contexts(struct sk_buff *skb, struct netlink_callback *cb, struct kvgpu_dev *kdev,
			 struct kvgpu_ctx_snap *snaps)
{
	struct cursor *cursor = cursor_of(cb);
	int count, i, ret = 0;

	do {
		count = kvgpu_snap_contexts(kdev, cursor->context, snaps, CONTEXTS_AT_ONCE);
		for (i = 0; i < count && !ret; i++) {
			ret = dump_one(skb, cb, VGPU_NL_CMD_CONTEXT_GET, kdev, kvgpu_put_context,
				       &snaps[i]);
			if (!ret)
				cursor->context = snaps[i].info.id + 1;
		}
	} while (count > 0 && !ret);
	return count < 0 ? count : ret;
}

static int context_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct kvgpu_ctx_snap *snaps;
	struct kvgpu_dev *kdev;
	int ret = 0;

	if (kvgpu_dump_attrs(cb)[VGPU_NL_A_CONTEXT]) {
		NL_SET_ERR_MSG(
			cb->extack,
			"a dump takes DEVICE or nothing; ask for one context without NLM_F_DUMP");
		return -EINVAL;
	}
	snaps = kvcalloc(CONTEXTS_AT_ONCE, sizeof(*snaps), GFP_KERNEL);
	if (!snaps)
		return -ENOMEM;
	while (!ret && (kdev = dump_device(cb))) {
		ret = dump_contexts(skb, cb, kdev, snaps);
		kvgpu_dev_put(kdev);
		if (!ret) {
			cursor_of(cb)->device++;
			cursor_of(cb)->context = 0;
		}
	}
	kvfree(snaps);
	return dump_result(skb, ret);
}

/* ---- setting ------------------------------------------------------------ */

#define KNOBS_MAX	64u

/*
 * What each knob takes, as a sentence; made when it is first needed. The choices of a knob never
 * change.
 */
static char *refusals[KNOBS_MAX];

/* -ENOENT: there is no knob @name. */
static int knob_index(const char *name)
{
	const char *known;
	unsigned int i;

	for (i = 0; i < KNOBS_MAX && (known = vgpu_device_knob_name(i)); i++)
		if (!strcmp(known, name))
			return i;
	return -ENOENT;
}

/* NULL: no memory. */
static const char *refusal(struct kvgpu_dev *kdev, unsigned int knob)
{
	const char *name = vgpu_device_knob_name(knob);
	char now[VGPU_NL_VALUE_BYTES];
	char *made, *from, *to;

	if (smp_load_acquire(&refusals[knob]) || kvgpu_knob_get(kdev, name, now, sizeof(now)) < 0)
		return refusals[knob];
	if (strchr(now, '[')) {
		for (from = now, to = now; *from; from++)
			if (*from != '[' && *from != ']')
				*to++ = *from;
		*to = 0;
		made = kasprintf(GFP_KERNEL, "%s takes one of: %s", name, now);
	} else {
		made = kasprintf(GFP_KERNEL, "%s takes a number, such as %s, within its limits",
				 name, now);
	}
	if (made && cmpxchg_release(&refusals[knob], NULL, made))
		kfree(made);
	return refusals[knob];
}

static int set_knob(struct kvgpu_dev *kdev, struct genl_info *info)
{
	struct nlattr *name = info->attrs[VGPU_NL_A_KNOB_NAME],
		      *value = info->attrs[VGPU_NL_A_KNOB_VALUE];
	int knob, ret;

	if (!name || !value) {
		NL_SET_ERR_MSG(info->extack, "KNOB_NAME and KNOB_VALUE go together");
		return -EINVAL;
	}
	knob = knob_index(nla_data(name));
	if (knob < 0) {
		NL_SET_ERR_MSG_ATTR(info->extack, name,
				    "there is no such knob; KNOBS of DEVICE_GET lists them");
		return knob;
	}
	ret = kvgpu_knob_set(kdev, nla_data(name), nla_data(value));
	if (ret == -EINVAL) {
		/*
		 * 6.1 has no macro for a text that is made at run time; this one stays as long as
		 * the module
		 */
		info->extack->_msg = refusal(kdev, knob);
		NL_SET_BAD_ATTR(info->extack, value);
	}
	return ret;
}

static int set_sample(struct kvgpu_dev *kdev, struct genl_info *info)
{
	struct nlattr *attr = info->attrs[VGPU_NL_A_SAMPLE_MS];
	u32 ms = nla_get_u32(attr);

	if (ms && ms < VGPU_NL_SAMPLE_MS_MIN) {
		NL_SET_ERR_MSG_ATTR(info->extack, attr,
				    "SAMPLE_MS is 0 for never, or 10 to 60000 milliseconds");
		return -ERANGE;
	}
	kvgpu_sample_every(kdev, ms);
	return 0;
}

static int set_device(struct kvgpu_dev *kdev, struct genl_info *info)
{
	bool knob = info->attrs[VGPU_NL_A_KNOB_NAME] || info->attrs[VGPU_NL_A_KNOB_VALUE];
	int ret = 0;

	if (!knob && !info->attrs[VGPU_NL_A_SAMPLE_MS]) {
		NL_SET_ERR_MSG(info->extack,
			       "nothing to set: KNOB_NAME with KNOB_VALUE, or SAMPLE_MS");
		return -EINVAL;
	}
	if (knob)
		ret = set_knob(kdev, info);
	if (!ret && info->attrs[VGPU_NL_A_SAMPLE_MS])
		ret = set_sample(kdev, info);
	return ret;
}

static int device_set(struct sk_buff *request, struct genl_info *info)
{
	int ret = may_set(request, info);

	return ret ? ret : with_device(info, set_device);
}

static int set_context(struct kvgpu_dev *kdev, struct genl_info *info)
{
	struct nlattr *priority = info->attrs[VGPU_NL_A_PRIORITY],
		      *tokens = info->attrs[VGPU_NL_A_TOKENS];
	u32 id;
	int ret = context_of(info, &id);

	if (ret)
		return ret;
	if (!priority && !tokens) {
		NL_SET_ERR_MSG(info->extack, "nothing to set: PRIORITY, TOKENS or both");
		return -EINVAL;
	}
	if (tokens && nla_get_u32(tokens) > VGPU_TOKENS_MAX &&
	    nla_get_u32(tokens) != VGPU_TOKENS_SHARE) {
		NL_SET_ERR_MSG_ATTR(
			info->extack, tokens,
			"TOKENS is a number of SMs, 0 to 1024, or ~0 for a share of the rest");
		return -ERANGE;
	}
	if (tokens)
		ret = kvgpu_context_set_tokens(kdev, id, nla_get_u32(tokens));
	if (!ret && priority)
		ret = kvgpu_context_set_priority(kdev, id, nla_get_s32(priority));
	return ret == -ENODEV ? no_context(info) : ret;
}

static int context_set(struct sk_buff *request, struct genl_info *info)
{
	int ret = may_set(request, info);

	return ret ? ret : with_device(info, set_context);
}

/* ---- the family --------------------------------------------------------- */

static const struct genl_ops ops[] = {
	{
		.cmd = VGPU_NL_CMD_DEVICE_GET,
		.doit = device_get,
		.dumpit = device_dump,
		.policy = device_policy,
		.maxattr = ARRAY_SIZE(device_policy) - 1,
	},
	{
		.cmd = VGPU_NL_CMD_CONTEXT_GET,
		.doit = context_get,
		.dumpit = context_dump,
		.policy = context_policy,
		.maxattr = ARRAY_SIZE(context_policy) - 1,
	},
	{
		.cmd = VGPU_NL_CMD_DEVICE_SET,
		.doit = device_set,
		.policy = device_set_policy,
		.maxattr = ARRAY_SIZE(device_set_policy) - 1,
	},
	{
		.cmd = VGPU_NL_CMD_CONTEXT_SET,
		.doit = context_set,
		.policy = context_set_policy,
		.maxattr = ARRAY_SIZE(context_set_policy) - 1,
	},
};

static const struct genl_multicast_group groups[] = {
	[KVGPU_GROUP_NOTICES] = { .name = VGPU_NL_GROUP_NOTICES },
	[KVGPU_GROUP_SAMPLES] = { .name = VGPU_NL_GROUP_SAMPLES },
};

struct genl_family kvgpu_family = {
	.name = VGPU_NL_FAMILY,
	.version = VGPU_NL_VERSION,
	.module = THIS_MODULE,
	.ops = ops,
	.n_ops = ARRAY_SIZE(ops),
	.mcgrps = groups,
	.n_mcgrps = ARRAY_SIZE(groups),
	/* a handler may wait for a device: it must not hold up the other families */
	.parallel_ops = true,
};

int kvgpu_netlink_init(void)
{
	return genl_register_family(&kvgpu_family);
}

void kvgpu_netlink_exit(void)
{
	unsigned int i;

	genl_unregister_family(&kvgpu_family);
	for (i = 0; i < KNOBS_MAX; i++)
		kfree(refusals[i]);
}

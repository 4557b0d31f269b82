// SPDX-License-Identifier: GPL-2.0-only
/*
 * Generic netlink family "vgpu" (uapi/vgpu_netlink.h, docs/netlink.md): devices and contexts as
 * lists, knobs to be set. The attributes of a request are checked by strict policies before a
 * handler sees them; what a handler refuses it explains. Devices belong to the initial namespaces:
 * the family is there in the initial network namespace only, and setting needs CAP_SYS_ADMIN in the
 * initial user namespace, of the process and of whoever opened its socket. So does CAP_PERFMON,
 * which shows what contexts of other users do.
 */
#include <linux/capability.h>
#include <linux/cleanup.h>
#include <linux/cred.h>
#include <linux/file.h>
#include <linux/module.h>
#include <linux/pid_namespace.h>
#include <linux/slab.h>
#include <net/sock.h>

#include "netlink.h"

static const struct nla_policy device_policy[] = {
	[VGPU_NL_A_DEVICE] = NLA_POLICY_MAX(NLA_U32, KVGPU_DEVICES_MAX - 1),
};

static const struct nla_policy context_policy[] = {
	[VGPU_NL_A_DEVICE] = NLA_POLICY_MAX(NLA_U32, KVGPU_DEVICES_MAX - 1),
	[VGPU_NL_A_CONTEXT] = NLA_POLICY_MIN(NLA_U32, 1),
};

static const struct nla_policy sm_policy[] = {
	[VGPU_NL_A_DEVICE] = NLA_POLICY_MAX(NLA_U32, KVGPU_DEVICES_MAX - 1),
	[VGPU_NL_A_SM] = { .type = NLA_U32 },
};

static const struct nla_policy counts_policy[] = {
	[VGPU_NL_A_DEVICE] = NLA_POLICY_MAX(NLA_U32, KVGPU_DEVICES_MAX - 1),
	[VGPU_NL_A_COUNTS_SCOPE] = NLA_POLICY_MAX(NLA_U32, VGPU_NL_COUNTS_SCOPES - 1),
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

static const struct nla_policy inject_policy[] = {
	[VGPU_NL_A_DEVICE] = NLA_POLICY_MAX(NLA_U32, KVGPU_DEVICES_MAX - 1),
	[VGPU_NL_A_CONTEXT] = NLA_POLICY_MIN(NLA_U32, 1),
	[VGPU_NL_A_XID] = { .type = NLA_U32 },
	[VGPU_NL_A_INJECT] = NLA_POLICY_MAX(NLA_U32, VGPU_INJECT_COUNT - 1),
};

/* ---- what requests name ------------------------------------------------- */

/* In internal_flags of an operation. */
#define NEEDS_ADMIN	1u
#define NEEDS_CONTEXT	2u
#define NEEDS_SM	4u

/* Check who asks and that all is there, and get the device that a request names. */
static int request_begin(const struct kvgpu_genl_op *op, struct sk_buff *skb,
			 struct genl_info *info)
{
	struct nlattr *attr = info->attrs[VGPU_NL_A_DEVICE];

	if (op->internal_flags & NEEDS_ADMIN && !netlink_capable(skb, CAP_SYS_ADMIN)) {
		NL_SET_ERR_MSG(info->extack,
			       "to set anything takes CAP_SYS_ADMIN in the initial user namespace");
		return -EPERM;
	}
	if (!attr) {
		NL_SET_ERR_MSG(info->extack,
			       "DEVICE is missing: a number that a dump of DEVICE_GET lists");
		return -EINVAL;
	}
	if (op->internal_flags & NEEDS_CONTEXT && !info->attrs[VGPU_NL_A_CONTEXT]) {
		NL_SET_ERR_MSG(info->extack,
			       "CONTEXT is missing: an id that a dump of CONTEXT_GET lists");
		return -EINVAL;
	}
	if (op->internal_flags & NEEDS_SM && !info->attrs[VGPU_NL_A_SM]) {
		NL_SET_ERR_MSG(info->extack, "SM is missing: a number below SMS of DEVICE_GET");
		return -EINVAL;
	}
	info->user_ptr[0] = kvgpu_dev_get(nla_get_u32(attr));
	if (!info->user_ptr[0]) {
		NL_SET_ERR_MSG_ATTR(info->extack, attr,
				    "there is no such device; DEVICE_GET as a dump lists them");
		return -ENODEV;
	}
	return 0;
}

static void request_end(const struct kvgpu_genl_op *op, struct sk_buff *skb,
			struct genl_info *info)
{
	kvgpu_dev_put(info->user_ptr[0]);
}

static int no_context(struct genl_info *info)
{
	NL_SET_ERR_MSG_ATTR(info->extack, info->attrs[VGPU_NL_A_CONTEXT],
			    "this device has no such context; CONTEXT_GET as a dump lists them");
	return -ENOENT;
}

/* ---- who asks ----------------------------------------------------------- */

/*
 * The process that sent @skb, or that has a dump of it go on: as with capabilities, both it and
 * whoever opened the socket must be allowed to see something. So nobody sees more by writing into
 * the socket of somebody else, nor by having a privileged program write into his.
 */
static struct kvgpu_viewer viewer_of(const struct sk_buff *skb)
{
	return (struct kvgpu_viewer){
		.all = netlink_capable(skb, CAP_PERFMON) || netlink_capable(skb, CAP_SYS_ADMIN),
		.uid = current_euid(),
		.opener = NETLINK_CB(skb).sk->sk_socket->file->f_cred->euid,
		.pids = task_active_pid_ns(current),
	};
}

/* ---- one ---------------------------------------------------------------- */

static int reply(struct sk_buff *request, struct genl_info *info, u8 command, size_t room,
		 kvgpu_put_fn *put, void *what)
{
	const struct kvgpu_viewer viewer = viewer_of(request);
	struct kvgpu_message m = { .portid = info->snd_portid, .seq = info->snd_seq,
				   .command = command, .put = put, .what = what,
				   .viewer = &viewer };
	int ret = kvgpu_message_make(info->user_ptr[0], &m, room);

	return ret ? ret : genlmsg_reply(m.skb, info);
}

static int device_get(struct sk_buff *request, struct genl_info *info)
{
	struct kvgpu_dev *kdev = info->user_ptr[0];

	return reply(request, info, VGPU_NL_CMD_DEVICE_GET, kvgpu_device_room(kdev->config.sms),
		     kvgpu_put_device, NULL);
}

static int context_get(struct sk_buff *request, struct genl_info *info)
{
	u32 id = nla_get_u32(info->attrs[VGPU_NL_A_CONTEXT]);
	int ret = reply(request, info, VGPU_NL_CMD_CONTEXT_GET, KVGPU_CONTEXT_ROOM,
			kvgpu_put_context, &id);

	return ret == -ENODEV ? no_context(info) : ret;
}

static int sm_get(struct sk_buff *request, struct genl_info *info)
{
	u32 sm = nla_get_u32(info->attrs[VGPU_NL_A_SM]);
	int ret = reply(request, info, VGPU_NL_CMD_SM_GET, KVGPU_SM_ROOM, kvgpu_put_sm, &sm);

	if (ret != -ENODEV)
		return ret;
	NL_SET_ERR_MSG_ATTR(info->extack, info->attrs[VGPU_NL_A_SM],
			    "this device has no such SM; SMS of DEVICE_GET is their number");
	return -ENOENT;
}

/* ---- all ---------------------------------------------------------------- */

/** struct cursor - where a dump has come to, in the room that netlink keeps for it */
struct cursor {
	unsigned long device;
	unsigned long context;		/* the next one, or the next SM, is not before this */
	unsigned long scope;		/* of counts */
};

/** struct dump - a step of a dump, which fills one skb */
struct dump {
	struct kvgpu_message message;
	struct cursor *cursor;
};

/*
 * Have the actor run @fn for each device that is left, or for the one that the request names. A
 * buffer that is full is sent, and the next step goes on behind it.
 */
static int dump_devices(struct sk_buff *skb, struct netlink_callback *cb,
			int (*fn)(struct kvgpu_dev *kdev, void *dump))
{
	struct nlattr *only = kvgpu_dump_attrs(cb)[VGPU_NL_A_DEVICE];
	const struct kvgpu_viewer viewer = viewer_of(cb->skb);
	struct dump dump = {
		.message = { .skb = skb, .portid = NETLINK_CB(cb->skb).portid,
			     .seq = cb->nlh->nlmsg_seq, .flags = NLM_F_MULTI,
			     .viewer = &viewer },
		.cursor = (void *)cb->args,
	};
	unsigned long first = only ? nla_get_u32(only) : 0;
	unsigned long last = only ? first : KVGPU_DEVICES_MAX - 1;
	struct kvgpu_dev *kdev;
	int ret;

	dump.cursor->device = max(dump.cursor->device, first);
	for (; dump.cursor->device <= last; dump.cursor->device++, dump.cursor->context = 0) {
		kdev = kvgpu_dev_get(dump.cursor->device);
		if (!kdev)
			continue;
		ret = kvgpu_actor_call_killable(kdev, fn, &dump);
		kvgpu_dev_put(kdev);
		if (ret)
			return ret == -EMSGSIZE && skb->len ? skb->len : ret;
	}
	return skb->len;
}

static int do_dump_device(struct kvgpu_dev *kdev, void *arg)
{
	struct dump *dump = arg;

	dump->message.command = VGPU_NL_CMD_DEVICE_GET;
	dump->message.put = kvgpu_put_listed_device;
	return kvgpu_message_add(kdev, &dump->message);
}

static int device_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	return dump_devices(skb, cb, do_dump_device);
}

static int do_dump_contexts(struct kvgpu_dev *kdev, void *arg)
{
	struct dump *dump = arg;
	struct kvgpu_ctx *ctx;
	unsigned long id;
	int ret = 0;

	dump->message.command = VGPU_NL_CMD_CONTEXT_GET;
	dump->message.put = kvgpu_put_context;
	xa_for_each_start(&kdev->contexts, id, ctx, dump->cursor->context) {
		dump->message.what = &ctx->id;
		ret = kvgpu_message_add(kdev, &dump->message);
		if (ret)
			break;
		dump->cursor->context = id + 1;
	}
	return ret;
}

static int context_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	if (kvgpu_dump_attrs(cb)[VGPU_NL_A_CONTEXT]) {
		NL_SET_ERR_MSG(
			cb->extack,
			"a dump takes DEVICE or nothing; ask for one context without NLM_F_DUMP");
		return -EINVAL;
	}
	return dump_devices(skb, cb, do_dump_contexts);
}

static int do_dump_sms(struct kvgpu_dev *kdev, void *arg)
{
	struct dump *dump = arg;
	int ret = 0;
	u32 sm;

	dump->message.command = VGPU_NL_CMD_SM_GET;
	dump->message.put = kvgpu_put_sm;
	dump->message.what = &sm;
	for (sm = dump->cursor->context; sm < kdev->config.sms && !ret; sm++) {
		ret = kvgpu_message_add(kdev, &dump->message);
		if (!ret)
			dump->cursor->context = sm + 1;
	}
	return ret;
}

static int sm_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	if (kvgpu_dump_attrs(cb)[VGPU_NL_A_SM]) {
		NL_SET_ERR_MSG(cb->extack,
			       "a dump takes DEVICE or nothing; ask for one SM without NLM_F_DUMP");
		return -EINVAL;
	}
	return dump_devices(skb, cb, do_dump_sms);
}

static int do_dump_counts(struct kvgpu_dev *kdev, void *arg)
{
	struct dump *dump = arg;
	enum vgpu_nl_counts scope = dump->cursor->scope;
	struct kvgpu_counted *one;
	int ret = 0;

	dump->message.command = VGPU_NL_CMD_COUNTS_GET;
	dump->message.put = kvgpu_put_counted;
	while (!ret && dump->cursor->context < kvgpu_counts_room(kdev, scope)) {
		one = kvgpu_counts_at(kdev, scope, dump->cursor->context);
		dump->message.what = one;
		/* an SM's are of all users: who asks often could tell the launches of one apart */
		if (one && (scope == VGPU_NL_COUNTS_SM ?
				    dump->message.viewer->all :
				    kvgpu_may_see(dump->message.viewer, one->owner)))
			ret = kvgpu_message_add(kdev, &dump->message);
		dump->cursor->context += !ret;
	}
	return ret;
}

static int counts_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct nlattr *scope = kvgpu_dump_attrs(cb)[VGPU_NL_A_COUNTS_SCOPE];

	if (!scope) {
		NL_SET_ERR_MSG(cb->extack, "COUNTS_SCOPE is missing: 0 for launches, 1 for "
			       "streams, 2 for contexts, 3 for SMs");
		return -EINVAL;
	}
	((struct cursor *)cb->args)->scope = nla_get_u32(scope);
	return dump_devices(skb, cb, do_dump_counts);
}

/* ---- setting ------------------------------------------------------------ */

/**
 * struct refusal - what a knob takes, as a sentence
 *
 * Netlink keeps the pointer after the call, so a sentence stays until the module goes. The choices
 * of a knob change when another module registers a policy, so there may be several.
 */
struct refusal {
	struct refusal *before;
	char text[];
};
static struct refusal *refusals[VGPU_KNOBS_MAX];	/* the newest first; under refusals_lock */
static DEFINE_MUTEX(refusals_lock);

/* -ENOENT: there is no knob @name. */
static int knob_index(const char *name)
{
	const char *known;
	unsigned int i;

	for (i = 0; i < VGPU_KNOBS_MAX && (known = vgpu_device_knob_name(i)); i++)
		if (!strcmp(known, name))
			return i;
	return -ENOENT;
}

/* The sentence for knob @name whose value is @now, which has brackets if it is a list. */
static struct refusal *refusal_make(const char *name, const char *now)
{
	const char *format = strchr(now, '[') ? "%s takes one of: %s" :
						"%s takes a number, such as %s, within its limits";
	size_t bytes = snprintf(NULL, 0, format, name, now) + 1;
	struct refusal *made = kmalloc(struct_size(made, text, bytes), GFP_KERNEL);
	char *from, *to;

	if (!made)
		return NULL;
	snprintf(made->text, bytes, format, name, now);
	/* the brackets say which one is active */
	for (from = to = made->text; *from; from++)
		if (*from != '[' && *from != ']')
			*to++ = *from;
	*to = 0;
	return made;
}

/* NULL: no memory. */
static const char *refusal(struct kvgpu_dev *kdev, unsigned int knob)
{
	const char *name = vgpu_device_knob_name(knob);
	char *now __free(kfree) = kmalloc(VGPU_NL_VALUE_BYTES, GFP_KERNEL);
	struct refusal *made;

	if (!now || kvgpu_knob_get(kdev, name, now, VGPU_NL_VALUE_BYTES) < 0)
		return NULL;
	made = refusal_make(name, now);
	if (!made)
		return NULL;
	mutex_lock(&refusals_lock);
	/* of a number the first one is as good as any */
	if (refusals[knob] && (!strchr(now, '[') || !strcmp(refusals[knob]->text, made->text))) {
		kfree(made);
	} else {
		made->before = refusals[knob];
		refusals[knob] = made;
	}
	made = refusals[knob];
	mutex_unlock(&refusals_lock);
	return made->text;
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
	ret = kvgpu_knob_set(kdev, vgpu_device_knob_name(knob), nla_data(value));
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

static int device_set(struct sk_buff *request, struct genl_info *info)
{
	bool knob = info->attrs[VGPU_NL_A_KNOB_NAME] || info->attrs[VGPU_NL_A_KNOB_VALUE];
	struct nlattr *sample = info->attrs[VGPU_NL_A_SAMPLE_MS];
	u32 ms = sample ? nla_get_u32(sample) : 0;
	int ret = 0;

	if (!knob && !sample) {
		NL_SET_ERR_MSG(info->extack,
			       "nothing to set: KNOB_NAME with KNOB_VALUE, or SAMPLE_MS");
		return -EINVAL;
	}
	if (knob)
		ret = set_knob(info->user_ptr[0], info);
	if (ret || !sample)
		return ret;
	if (ms && ms < VGPU_NL_SAMPLE_MS_MIN) {
		NL_SET_ERR_MSG_ATTR(info->extack, sample,
				    "SAMPLE_MS is 0 for never, or 10 to 60000 milliseconds");
		return -ERANGE;
	}
	kvgpu_sample_every(info->user_ptr[0], ms);
	return 0;
}

static int context_set(struct sk_buff *request, struct genl_info *info)
{
	struct nlattr *priority = info->attrs[VGPU_NL_A_PRIORITY],
		      *tokens = info->attrs[VGPU_NL_A_TOKENS];
	struct kvgpu_ctx_setting set = {
		.id = nla_get_u32(info->attrs[VGPU_NL_A_CONTEXT]),
		.set_priority = priority,
		.set_tokens = tokens,
	};
	int ret;

	if (!priority && !tokens) {
		NL_SET_ERR_MSG(info->extack, "nothing to set: PRIORITY, TOKENS or both");
		return -EINVAL;
	}
	if (priority)
		set.priority = nla_get_s32(priority);
	if (tokens)
		set.tokens = nla_get_u32(tokens);
	if (set.tokens > VGPU_TOKENS_MAX && set.tokens != VGPU_TOKENS_SHARE) {
		NL_SET_ERR_MSG_ATTR(
			info->extack, tokens,
			"TOKENS is a number of SMs, 0 to 1024, or ~0 for a share of the rest");
		return -ERANGE;
	}
	ret = kvgpu_context_set(info->user_ptr[0], &set);
	return ret == -ENODEV ? no_context(info) : ret;
}

static int device_inject(struct sk_buff *request, struct genl_info *info)
{
	struct nlattr *kind = info->attrs[VGPU_NL_A_INJECT], *xid = info->attrs[VGPU_NL_A_XID],
		      *context = info->attrs[VGPU_NL_A_CONTEXT];
	struct vgpu_injection what = {
		.kind = kind ? nla_get_u32(kind) : VGPU_INJECT_NONE,
		.xid = xid ? nla_get_u32(xid) : 0,
		.context = context ? nla_get_u32(context) : 0,
	};
	int ret = kvgpu_inject(info->user_ptr[0], &what);

	switch (ret) {
	case -EINVAL:
		NL_SET_ERR_MSG(info->extack,
			       "INJECT says what: xid, with XID from 1 to 255, ecc, offline, hang "
			       "or recover");
		return ret;
	case -ENOENT:
		if (context)
			return no_context(info);
		NL_SET_ERR_MSG(info->extack, "no kernel is executing: name a context");
		return ret;
	case -ESHUTDOWN:
		NL_SET_ERR_MSG(info->extack, "the device is offline: recover comes first");
		return ret;
	}
	return ret;
}

/* ---- the family --------------------------------------------------------- */

#define OP(command, policy_)	\
	.cmd = (command), .policy = (policy_), .maxattr = ARRAY_SIZE(policy_) - 1

static const struct genl_ops ops[] = {
	{ OP(VGPU_NL_CMD_DEVICE_GET, device_policy), .doit = device_get, .dumpit = device_dump },
	{ OP(VGPU_NL_CMD_CONTEXT_GET, context_policy), .doit = context_get, .dumpit = context_dump,
	  .internal_flags = NEEDS_CONTEXT },
	{ OP(VGPU_NL_CMD_SM_GET, sm_policy), .doit = sm_get, .dumpit = sm_dump,
	  .internal_flags = NEEDS_SM },
	{ OP(VGPU_NL_CMD_COUNTS_GET, counts_policy), .dumpit = counts_dump },
	{ OP(VGPU_NL_CMD_DEVICE_SET, device_set_policy), .doit = device_set,
	  .internal_flags = NEEDS_ADMIN },
	{ OP(VGPU_NL_CMD_CONTEXT_SET, context_set_policy), .doit = context_set,
	  .internal_flags = NEEDS_ADMIN | NEEDS_CONTEXT },
	{ OP(VGPU_NL_CMD_DEVICE_INJECT, inject_policy), .doit = device_inject,
	  .internal_flags = NEEDS_ADMIN },
};

static const struct genl_multicast_group groups[] = {
	/* they tell of contexts of all users; netlink has no flag for CAP_PERFMON */
	[KVGPU_GROUP_NOTICES] = { .name = VGPU_NL_GROUP_NOTICES,
				  .flags = GENL_MCAST_CAP_SYS_ADMIN },
	[KVGPU_GROUP_SAMPLES] = { .name = VGPU_NL_GROUP_SAMPLES,
				  .flags = GENL_MCAST_CAP_SYS_ADMIN },
	[KVGPU_GROUP_PUBLIC] = { .name = VGPU_NL_GROUP_PUBLIC },
};

struct genl_family kvgpu_family = {
	.name = VGPU_NL_FAMILY,
	.version = VGPU_NL_VERSION,
	.module = THIS_MODULE,
	.ops = ops,
	.n_ops = ARRAY_SIZE(ops),
	.pre_doit = request_begin,
	.post_doit = request_end,
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
	struct refusal *made;
	unsigned int i;

	genl_unregister_family(&kvgpu_family);
	for (i = 0; i < VGPU_KNOBS_MAX; i++)
		while ((made = refusals[i])) {
			refusals[i] = made->before;
			kfree(made);
		}
}

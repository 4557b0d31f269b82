/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Generic netlink family vgpu: netlink.c answers, netlink_attrs.c writes messages, notices.c sends
 * to multicast groups.
 */
#ifndef KVGPU_NETLINK_H
#define KVGPU_NETLINK_H

#include <net/genetlink.h>

#include "kmod/windows/counts.h"
#include "kmod/windows/stats.h"
#include "vgpu_netlink.h"

enum { KVGPU_GROUP_NOTICES, KVGPU_GROUP_SAMPLES, KVGPU_GROUP_PUBLIC };

extern struct genl_family kvgpu_family;

static inline bool kvgpu_listened(unsigned int group)
{
	return genl_has_listeners(&kvgpu_family, &init_net, group);
}

/* ---- netlink_attrs.c ---------------------------------------------------- */

/**
 * struct kvgpu_viewer - for whom a message is
 * @all: contexts of everybody are shown
 * @uid: of the process that asks
 * @opener: of the process that opened its socket; contexts of a user are shown if he is both
 * @pids: pid namespace of the process that asks
 */
struct kvgpu_viewer {
	bool all;
	kuid_t uid;
	kuid_t opener;
	struct pid_namespace *pids;
};

struct kvgpu_message;

/*
 * Attributes that say what @m is to say of @kdev. -ENODEV: there is no such thing; else, when not
 * 0, they do not fit.
 */
typedef int kvgpu_put_fn(const struct kvgpu_message *m, struct kvgpu_dev *kdev);

/* Actor: all of a device; in a list, without each SM. */
kvgpu_put_fn kvgpu_put_device, kvgpu_put_listed_device;
/* Actor: in a sample, without knobs; how many contexts are open goes to what, a u32. */
kvgpu_put_fn kvgpu_put_sampled_device;
/* Actor; what: id of a context. */
kvgpu_put_fn kvgpu_put_context;
/* Actor; what: number of an SM. */
kvgpu_put_fn kvgpu_put_sm;
/* netlink_counts.c; actor; what: a struct kvgpu_counted. */
kvgpu_put_fn kvgpu_put_counted;
/* May he know what contexts of @owner do? */
bool kvgpu_may_see(const struct kvgpu_viewer *viewer, kuid_t owner);

/** struct kvgpu_message - a message, to be appended to @skb */
struct kvgpu_message {
	struct sk_buff *skb;
	u32 portid;			/* of who asked, and number of the request; 0: nobody did */
	u32 seq;
	int flags;
	u8 command;
	kvgpu_put_fn *put;
	void *what;
	const struct kvgpu_viewer *viewer;
};

/* By whom its @put may be called. -EMSGSIZE: it does not fit; -ENODEV. */
int kvgpu_message_add(struct kvgpu_dev *kdev, void *message);
/* Have the actor do it, to a new skb with @room. -ENOMEM, -EINTR, -ENODEV: there is none. */
int kvgpu_message_make(struct kvgpu_dev *kdev, struct kvgpu_message *message, size_t room);

static inline int kvgpu_put_u64(struct sk_buff *skb, int attr, u64 value)
{
	return nla_put_u64_64bit(skb, attr, value, VGPU_NL_A_PAD);
}

/* Room for everything that is said of a device with @sms SMs, and of a context. */
static inline size_t kvgpu_device_room(u32 sms)
{
	return 8192 + sms * (sizeof(u32) + sizeof(u8));
}
#define KVGPU_CONTEXT_ROOM	2048u
#define KVGPU_SM_ROOM		2048u	/* of an SM with as many kernels as it may have */

#endif

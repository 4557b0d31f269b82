/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Generic netlink family vgpu: netlink.c answers, netlink_attrs.c writes messages, notices.c sends
 * to multicast groups.
 */
#ifndef KVGPU_NETLINK_H
#define KVGPU_NETLINK_H

#include <net/genetlink.h>

#include "kmod/windows/stats.h"
#include "vgpu_netlink.h"

enum { KVGPU_GROUP_NOTICES, KVGPU_GROUP_SAMPLES };

extern struct genl_family kvgpu_family;

static inline bool kvgpu_listened(unsigned int group)
{
	return genl_has_listeners(&kvgpu_family, &init_net, group);
}

/* ---- netlink_attrs.c ---------------------------------------------------- */

/*
 * Attributes that say @what of @kdev. -ENODEV: there is no such thing; else, when not 0, they do
 * not fit.
 */
typedef int kvgpu_put_fn(struct sk_buff *skb, struct kvgpu_dev *kdev, void *what);

/* Actor: all of a device; in a list, without each SM; in a sample, without knobs. @what: NULL. */
kvgpu_put_fn kvgpu_put_device, kvgpu_put_listed_device, kvgpu_put_sampled_device;
/* Actor; @what: id of a context. */
kvgpu_put_fn kvgpu_put_context;

/** struct kvgpu_message - a message, to be appended to @skb */
struct kvgpu_message {
	struct sk_buff *skb;
	u32 portid;			/* of who asked, and number of the request; 0: nobody did */
	u32 seq;
	int flags;
	u8 command;
	kvgpu_put_fn *put;
	void *what;
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
	return 4096 + sms * (sizeof(u32) + sizeof(u8));
}
#define KVGPU_CONTEXT_ROOM	1024u

#endif

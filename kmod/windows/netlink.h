/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Generic netlink family vgpu: netlink.c answers, message.c writes messages, notices.c sends what
 * nobody asked for.
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

/* ---- message.c: attributes; -EMSGSIZE: they do not fit ------------------ */

int kvgpu_put_device(struct sk_buff *skb, struct kvgpu_dev *kdev,
		     const struct kvgpu_device_snap *snap);
int kvgpu_put_sms(struct sk_buff *skb, struct kvgpu_dev *kdev,
		  const struct kvgpu_device_snap *snap);
int kvgpu_put_knobs(struct sk_buff *skb, struct kvgpu_dev *kdev);
int kvgpu_put_context(struct sk_buff *skb, struct kvgpu_dev *kdev,
		      const struct kvgpu_ctx_snap *snap);

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

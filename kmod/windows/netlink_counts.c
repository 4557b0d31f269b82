// SPDX-License-Identifier: GPL-2.0-only
/*
 * Netlink messages: what kernels did, of a launch, stream, context or SM (uapi/vgpu_netlink.h).
 */
#include "netlink.h"

/* Whose it is; an SM is nobody's. */
static int put_owner(const struct kvgpu_message *m, const struct kvgpu_counted *one)
{
	if (one->scope == VGPU_NL_COUNTS_SM)
		return nla_put_u32(m->skb, VGPU_NL_A_SM, one->sm);
	return nla_put_u32(m->skb, VGPU_NL_A_CONTEXT, one->context) ||
	       (one->pid && m->viewer->pids == &init_pid_ns &&
		nla_put_u32(m->skb, VGPU_NL_A_PID, one->pid)) ||
	       kvgpu_put_u64(m->skb, VGPU_NL_A_PREEMPTED_TIME, one->preempted) ||
	       (one->scope != VGPU_NL_COUNTS_CONTEXT &&
		nla_put_u32(m->skb, VGPU_NL_A_QUEUE, one->queue));
}

static int put_launch(struct sk_buff *skb, const struct kvgpu_counted *one)
{
	return nla_put_u32(skb, VGPU_NL_A_LAUNCH, one->launch) ||
	       nla_put_string(skb, VGPU_NL_A_KERNEL_NAME, one->name) ||
	       nla_put(skb, VGPU_NL_A_GRID, sizeof(one->grid), one->grid) ||
	       nla_put(skb, VGPU_NL_A_BLOCK, sizeof(one->block), one->block) ||
	       nla_put_u32(skb, VGPU_NL_A_FITTING, one->fitting) ||
	       kvgpu_put_u64(skb, VGPU_NL_A_SUBMITTED, one->submitted) ||
	       kvgpu_put_u64(skb, VGPU_NL_A_STARTED, one->started) ||
	       nla_put_u8(skb, VGPU_NL_A_COMPLETE, one->complete);
}

int kvgpu_put_counted(const struct kvgpu_message *m, struct kvgpu_dev *kdev)
{
	const struct kvgpu_counted *one = m->what;

	return nla_put_u32(m->skb, VGPU_NL_A_DEVICE, kdev->index) ||
	       nla_put_u32(m->skb, VGPU_NL_A_COUNTS_SCOPE, one->scope) ||
	       kvgpu_put_u64(m->skb, VGPU_NL_A_LAUNCHES, one->launches) ||
	       kvgpu_put_u64(m->skb, VGPU_NL_A_DURATION, one->duration) ||
	       nla_put_u32(m->skb, VGPU_NL_A_SM_WARPS, kdev->config.threads_per_sm / 32) ||
	       nla_put_64bit(m->skb, VGPU_NL_A_COUNTERS, sizeof(one->value), one->value,
			     VGPU_NL_A_PAD) ||
	       put_owner(m, one) ||
	       (one->scope == VGPU_NL_COUNTS_LAUNCH && put_launch(m->skb, one));
}

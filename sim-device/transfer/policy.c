// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Policies of the data transfer engine: in what order transfers that wait are served (Tanasic
 * 5.3.1).
 */
#include "../core/context.h"
#include "transfer.h"

static u64 fcfs_rank(const struct vgpu_context *ctx)
{
	(void)ctx;
	return 0;
}

/* npq: the highest priority first (Tanasic 5.3.2); a transfer that has begun goes on. */
static const struct vgpu_transfer_policy policies[] = {
	{ .name = "fcfs", .rank = fcfs_rank },
	{ .name = "npq", .rank = vgpu_rank_by_priority },
};

const struct vgpu_transfer_policy *vgpu_transfer_policy_at(unsigned int index)
{
	return index < VGPU_ARRAY_SIZE(policies) ? &policies[index] : NULL;
}

/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Dominant resource fairness inside one SM (SMK 5.3.2, figures 6 and 8), and quotas of issue slots
 * (5.4). Arithmetic only: nothing here looks at a device.
 */
#ifndef VGPU_POLICY_DRF_H
#define VGPU_POLICY_DRF_H

#include "../vgpu_policy.h"

/**
 * struct vgpu_drf_kernel - one kernel of those among which an SM is divided
 * @needs: what one block of it takes
 * @most: it gets no more than these, 0: there is no limit
 * @blocks: in: blocks that it has in any case; out: its partition
 */
struct vgpu_drf_kernel {
	struct vgpu_resources needs;
	u32 most;
	u32 blocks;
};

/*
 * Divide @all among @kernels (figure 6): one block more goes to the kernel with the lowest rK, its
 * dominant share of the SM, until no kernel has room for one more. The first block goes
 * to the first kernel if all have the same; of equal ones later, to the kernel of which a block
 * takes the smaller share, then to the first. A kernel whose next block does not fit gets no more,
 * and the others go on: so figure 8 ends with 6 and 12 blocks. What @kernels have must fit into
 * @all.
 */
void vgpu_drf_divide(struct vgpu_drf_kernel *kernels, u32 count, const struct vgpu_resources *all);

/**
 * struct vgpu_quota_kernel - one kernel of those that issue on an SM
 * @instructions, @slots: of it alone on one SM, lately: what was issued, and how many could have
 *   been: cycles times issue slots. Their quotient is x of 5.4, from WIPC per scheduler. 0 slots:
 *   not known yet, taken to be all of them
 * @alone: blocks that an SM holds then: T
 * @blocks: those it has on this SM: S. 0: it needs no quota
 * @quota: out: instructions of an epoch
 */
struct vgpu_quota_kernel {
	u64 instructions;
	u64 slots;
	u32 alone;
	u32 blocks;
	u64 quota;
};

/*
 * Divide the @epoch instructions of an epoch: C = x * S / T, quota = C / (sum of all C) * @epoch,
 * rounded down, and at least 1 for a kernel with blocks.
 */
void vgpu_quota_divide(struct vgpu_quota_kernel *kernels, u32 count, u64 epoch);

#endif

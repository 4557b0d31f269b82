/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Resource partitions of SMs (SMK 5.3.2, 5.5): which kernels share which SM, and how many blocks
 * each may have there. Policies smk-p and smk-pw.
 *
 * DOC: partitions
 *
 * Every SM has a partition for each active kernel that has blocks to issue or blocks there,
 * kernels_per_sm of them at most. With more kernels than that, an SM gets those that have the
 * fewest SMs so far (5.5): of equal ones those that have blocks there already, then those admitted
 * first.
 *
 * A kernel needs no more than it has and will issue. On each SM, by number, its partition is at
 * most what it has there and an equal part, rounded up, of what the SMs before have no room for. So
 * a small kernel does not keep others out of SMs that it does not use, nobody is evicted for blocks
 * that there are not, and a kernel that never ends does not keep others out of what it has (5.1:
 * part of what is there makes room for a kernel that arrives).
 *
 * Partitions are computed when kernels come or go, or have blocks to issue again. Then blocks
 * beyond their partition are evicted. Between that, a kernel issues where its partitions have room:
 * the kernel with the lowest rK first, to the SM with the lowest rSM.
 */
#ifndef VGPU_POLICY_PARTITIONS_H
#define VGPU_POLICY_PARTITIONS_H

#include "common.h"


/** struct vgpu_partitions - part of the private data of a policy, zeroed at its selection */
struct vgpu_partitions {
	u64 known;		/* of which kernels the partitions are: a sum over them */
	bool incomplete;	/* a partition could not be set: an SM has too many kernels yet */
};

/*
 * Partition all SMs again if that is due, and dispatch whatever partitions have room for.
 * @dedicated, NULL: there is none: the kernel that has SM @sm for itself; NULL if several share it.
 */
void vgpu_partitions_schedule(struct vgpu_exec *exec, struct vgpu_partitions *partitions,
			      struct vgpu_ksr *(*dedicated)(struct vgpu_exec *exec, u32 sm));

#endif

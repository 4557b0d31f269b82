// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Simultaneous multikernel with resource partitions (SMK 5.3.2, figures 6 and 7): see partitions.h.
 */
#include "partitions.h"

static void smk_p_schedule(struct vgpu_exec *exec)
{
	vgpu_policy_admit_all(exec);
	vgpu_partitions_schedule(exec, vgpu_exec_policy_data(exec), NULL);
}

const struct vgpu_policy vgpu_policy_smk_p = {
	.name = "smk-p",
	.by_block = true,
	.data_bytes = sizeof(struct vgpu_partitions),
	.schedule = smk_p_schedule,
};

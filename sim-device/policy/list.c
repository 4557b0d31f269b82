// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Table of the scheduling policies. To add one, add its file, and a line here and in common.h.
 */
#include "../sim/text.h"
#include "common.h"

static const struct vgpu_policy *const policies[] = {
	&vgpu_policy_fcfs,
	&vgpu_policy_npq,
	&vgpu_policy_ppq_exclusive,
	&vgpu_policy_ppq_shared,
	&vgpu_policy_dss,
	&vgpu_policy_static,
	&vgpu_policy_round_robin,
	&vgpu_policy_spart,
	&vgpu_policy_leftover,
	&vgpu_policy_smk,
	&vgpu_policy_smk_p,
	&vgpu_policy_smk_pw,
};

const struct vgpu_policy *vgpu_policy_at(unsigned int index)
{
	return index < VGPU_ARRAY_SIZE(policies) ? policies[index] : NULL;
}

const struct vgpu_policy *vgpu_policy_find(const char *name)
{
	unsigned int i;

	for (i = 0; i < VGPU_ARRAY_SIZE(policies); i++)
		if (vgpu_text_is(name, policies[i]->name))
			return policies[i];
	return NULL;
}

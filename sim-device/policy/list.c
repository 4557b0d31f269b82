// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Table of the scheduling policies, and those from outside behind them. To add one to the tree, add
 * its file, and a line here and in common.h.
 */
#include "../sim/outside_list.h"
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

static struct vgpu_outside_list outside;

const struct vgpu_policy *vgpu_policy_at(unsigned int index)
{
	return index < VGPU_ARRAY_SIZE(policies) ?
		       policies[index] :
		       vgpu_outside_at(&outside, index - VGPU_ARRAY_SIZE(policies));
}

const struct vgpu_policy *vgpu_policy_find(const char *name)
{
	const struct vgpu_policy *policy;

	for (unsigned int i = 0; (policy = vgpu_policy_at(i)); i++)
		if (vgpu_text_is(name, policy->name))
			return policy;
	return NULL;
}

int vgpu_policy_add(const struct vgpu_policy *policy)
{
	if (!vgpu_outside_name(policy->name, VGPU_NAME_BYTES) || !policy->schedule ||
	    policy->context_bytes > VGPU_POLICY_CONTEXT_BYTES ||
	    !policy->next_change != !policy->will_take)
		return -EINVAL;
	if (vgpu_policy_find(policy->name))
		return -EEXIST;
	return vgpu_outside_add(&outside, policy);
}

void vgpu_policy_remove(const struct vgpu_policy *policy)
{
	vgpu_outside_remove(&outside, policy);
}

bool vgpu_policy_is_outside(const struct vgpu_policy *policy)
{
	const struct vgpu_policy *at;

	for (unsigned int i = 0; (at = vgpu_outside_at(&outside, i)); i++)
		if (at == policy)
			return true;
	return false;
}

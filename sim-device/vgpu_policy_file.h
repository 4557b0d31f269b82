/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * A policy in a file of its own: compiled as it is into vgpu-sim (a shared object) or into a kernel
 * module. It ends with
 *
 *	VGPU_POLICY(edf,
 *		.schedule = edf_schedule,
 *		...);
 */
#ifndef VGPU_POLICY_FILE_H
#define VGPU_POLICY_FILE_H

#include "vgpu_policy.h"

/** struct vgpu_policy_file - the one symbol of such a file that others know */
struct vgpu_policy_file {
	u32 policy_bytes;		/* sizeof(struct vgpu_policy) where it was compiled */
	const struct vgpu_policy *policy;
};

extern const struct vgpu_policy_file vgpu_policy_file;

#define VGPU_POLICY(name_, ...)									\
	static const struct vgpu_policy name_##_policy = { .name = #name_, __VA_ARGS__ };	\
	const struct vgpu_policy_file vgpu_policy_file = {					\
		.policy_bytes = sizeof(struct vgpu_policy),					\
		.policy = &name_##_policy,							\
	}

#endif

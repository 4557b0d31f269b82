// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * First come, first served, as the GPUs of today do it (Tanasic 2.2, 2.3): kernels start in the
 * order in which they arrived, one after the other from one context, and the execution engine
 * belongs to one context at a time (exclusive.c).
 */
#include "common.h"

/* Everybody is equal: order of arrival decides. */
const struct vgpu_policy vgpu_policy_fcfs = {
	.name = "fcfs",
	.schedule = vgpu_policy_exclusive,
};

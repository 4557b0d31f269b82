// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * No preemption: a thread block stays in its SM until it has ended, and an SM with its kernel until
 * that has no more blocks (Tanasic 2.3, the GPUs of today).
 */
#include "common.h"

const struct vgpu_preemption vgpu_preemption_none = {
	.name = "none",
};

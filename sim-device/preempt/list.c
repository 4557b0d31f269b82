// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Table of preemption mechanisms. To add one, add its file, and a line here and in common.h.
 */
#include "../sim/text.h"
#include "common.h"

/*
 * No preemption: a thread block stays in its SM until it has ended, and an SM with its kernel until
 * that has no more blocks (Tanasic 2.3, the GPUs of today).
 */
static const struct vgpu_preemption none = {
	.name = "none",
};

static const struct vgpu_preemption *const mechanisms[] = {
	&none,
	&vgpu_preemption_drain,
	&vgpu_preemption_switch,
	&vgpu_preemption_drain_then_switch,
	&vgpu_preemption_flush,
	&vgpu_preemption_chimera,
	&vgpu_preemption_pep,
};

const struct vgpu_preemption *vgpu_preemption_at(unsigned int index)
{
	return index < VGPU_ARRAY_SIZE(mechanisms) ? mechanisms[index] : NULL;
}

const struct vgpu_preemption *vgpu_preemption_find(const char *name)
{
	unsigned int i;

	for (i = 0; i < VGPU_ARRAY_SIZE(mechanisms); i++)
		if (vgpu_text_is(name, mechanisms[i]->name))
			return mechanisms[i];
	return NULL;
}

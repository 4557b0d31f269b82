// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Table of preemption mechanisms, and those from outside behind them. To add one to the tree, add
 * its file, and a line here and in common.h.
 */
#include "../sim/outside_list.h"
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

static struct vgpu_outside_list outside;

const struct vgpu_preemption *vgpu_preemption_at(unsigned int index)
{
	return index < VGPU_ARRAY_SIZE(mechanisms) ?
		       mechanisms[index] :
		       vgpu_outside_at(&outside, index - VGPU_ARRAY_SIZE(mechanisms));
}

const struct vgpu_preemption *vgpu_preemption_find(const char *name)
{
	const struct vgpu_preemption *preemption;

	for (unsigned int i = 0; (preemption = vgpu_preemption_at(i)); i++)
		if (vgpu_text_is(name, preemption->name))
			return preemption;
	return NULL;
}

int vgpu_preemption_add(const struct vgpu_preemption *preemption)
{
	if (!vgpu_outside_name(preemption->name, VGPU_NAME_BYTES) ||
	    !preemption->begin != !preemption->estimate)
		return -EINVAL;
	if (vgpu_preemption_find(preemption->name))
		return -EEXIST;
	return vgpu_outside_add(&outside, preemption);
}

void vgpu_preemption_remove(const struct vgpu_preemption *preemption)
{
	vgpu_outside_remove(&outside, preemption);
}

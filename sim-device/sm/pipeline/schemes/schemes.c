// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Table of fault schemes. To add one, add its file, and a line here and in scheme.h.
 */
#include "../../../sim/text.h"
#include "../scheme.h"

/*
 * Wrong on purpose, for tests: what would happen if the warp just began again at the access that
 * faulted, in a pipeline that is otherwise the baseline. Younger instructions that have committed
 * are executed twice (sparse replay), and the access may read what they have written (RAW on
 * replay).
 */
const struct vgpu_fault_scheme vgpu_scheme_wrong = {
	.name = "wrong",
	.preemptible = true,
	.restarts = true,
	.issued = vgpu_pipe_fetch_on,
	.read = vgpu_pipe_release,
};

static const struct vgpu_fault_scheme *const schemes[] = {
	&vgpu_scheme_stall,
	&vgpu_scheme_wd_commit,
	&vgpu_scheme_wd_lastcheck,
	&vgpu_scheme_replay_queue,
	&vgpu_scheme_operand_log,
	&vgpu_scheme_wrong,
};

const struct vgpu_fault_scheme *vgpu_fault_scheme_at(unsigned int index)
{
	return index < VGPU_ARRAY_SIZE(schemes) ? schemes[index] : NULL;
}

const struct vgpu_fault_scheme *vgpu_fault_scheme_find(const char *name)
{
	for (u32 i = 0; i < VGPU_ARRAY_SIZE(schemes); i++)
		if (vgpu_text_is(name, schemes[i]->name))
			return schemes[i];
	return NULL;
}

const char *vgpu_fault_scheme_name(const struct vgpu_fault_scheme *scheme)
{
	return scheme->name;
}

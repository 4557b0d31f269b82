/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Between the memory into which kernels write what they launch (launched.c) and what becomes of it
 * (children.c).
 */
#ifndef VGPU_EXEC_LAUNCHED_H
#define VGPU_EXEC_LAUNCHED_H

#include "children.h"

/*
 * A launch by the grid of @launcher, whose struct takes over the reference to @module; parameters,
 * pool, stream and depth are the caller's to set. NULL: no memory.
 */
struct vgpu_child *vgpu_child_create(struct vgpu_ksr *launcher, const struct vgpu_cmd_launch *cmd,
				     struct vgpu_module_ref *module);
/* All of @child is set: it begins as its stream says. */
void vgpu_child_launch(struct vgpu_exec *exec, struct vgpu_child *child);
/* @child is pending no more. */
void vgpu_launched_over(const struct vgpu_child *child);

#endif

/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * What a configuration chooses by name for timing=pipeline: a table of operations each, one list a
 * kind. The find functions return NULL if there is no such name.
 */
#ifndef VGPU_PIPE_CHOICES_H
#define VGPU_PIPE_CHOICES_H

#include "../sm.h"

struct vgpu_fault_scheme;
struct vgpu_memory_model;
struct vgpu_pipe;
struct vgpu_pipe_entry;
struct vgpu_pipe_warp;

/**
 * struct vgpu_warp_scheduler - which warp the next instructions are fetched of
 * @pick: one of those that scheduler @n can fetch of (vgpu_pipe_candidates()), of which there are
 *   some
 */
struct vgpu_warp_scheduler {
	const char *name;
	struct vgpu_pipe_warp *(*pick)(struct vgpu_pipe *p, u32 n);
};

/**
 * struct vgpu_issue_order - how the instructions of one warp may overtake each other
 * @issue_in_order: an instruction is issued when all before it have been
 * @commit_in_order: ... and commits when all before it have
 */
struct vgpu_issue_order {
	const char *name;
	bool issue_in_order;
	bool commit_in_order;
};

const struct vgpu_fault_scheme *vgpu_fault_scheme_find(const char *name);
const struct vgpu_fault_scheme *vgpu_fault_scheme_at(unsigned int index);
const char *vgpu_fault_scheme_name(const struct vgpu_fault_scheme *scheme);
const struct vgpu_warp_scheduler *vgpu_warp_scheduler_find(const char *name);
const struct vgpu_issue_order *vgpu_issue_order_find(const char *name);
const struct vgpu_memory_model *vgpu_memory_model_find(const char *name);

#endif

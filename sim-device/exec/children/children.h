/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Launches by kernels (uapi vgpu_launch.h). The device takes what a kernel has written down when a
 * block of it ends. Each becomes a job like that of a command: it arrives at the command buffer of
 * its context, and policies see no difference.
 *
 * A grid is over when its blocks have ended and all that it launched is over, and then its tail
 * launches, one behind the other. A command ends when its grid is over. What a tail launch leaves
 * to be launched behind it takes its place, so that a row of tail launches, each made by the one
 * before it, has one in memory at a time.
 */
#ifndef VGPU_EXEC_CHILDREN_H
#define VGPU_EXEC_CHILDREN_H

#include "../../sm/module_table.h"
#include "../context.h"
#include "vgpu_launch.h"

struct vgpu_ksr;
struct vgpu_launch;

#define VGPU_FAMILY_ROWS	64u

/** struct vgpu_child - a launch by a kernel, until it is over */
struct vgpu_child {
	struct vgpu_job job;
	struct vgpu_family *family;	/* of the grid that launched it */
	struct vgpu_list all;		/* in ctx->children */
	struct vgpu_list row;		/* of the family: by stream, or its tails; or in none */
	struct vgpu_module_ref *module;
	const struct vgpu_block_kind *kind;	/* as of who launched it */
	struct vgpu_cmd_launch cmd;
	u64 pool;			/* where it is counted as pending */
	u64 stream;			/* vgpu_launch_record.stream */
	u64 arrives;			/* when it has been started */
	u32 depth;
	bool started;
	u8 params[] __attribute__((aligned(16)));	/* cmd.param_bytes */
};

/**
 * struct vgpu_family - a grid that has launched others
 * @job: of that grid
 * @depth: of the grid, 0: the process launched it
 * @left: launches that are not over, but for tails
 * @ended: all blocks of the grid have
 * @tail: the tail launch that runs; NULL: none does
 * @tails: those to come
 * @rows: launches in order, by a hash of their stream
 */
struct vgpu_family {
	struct vgpu_job *job;
	struct vgpu_list all;		/* in ctx->families */
	u32 depth;
	u32 left;
	bool ended;
	struct vgpu_child *tail;
	struct vgpu_list tails;
	struct vgpu_list rows[VGPU_FAMILY_ROWS];
};

/* @ctx has none yet; -ENOMEM. */
int vgpu_children_open(struct vgpu_exec_context *ctx);
void vgpu_children_close(struct vgpu_exec_context *ctx);
/* A block of @ksr, whose kernel launches, has ended: take what there is. */
void vgpu_children_take(struct vgpu_exec *exec, struct vgpu_ksr *ksr);
/* All blocks of the grid of @job have ended: vgpu_exec_ops.done() follows when it is over. */
void vgpu_children_grid_ended(struct vgpu_exec *exec, struct vgpu_job *job);
/* Drop all of @ctx, of which no kernel is active and no launch waits any more. */
void vgpu_children_abort(struct vgpu_exec_context *ctx);
/* For vgpu_exec_ops.shape(), of a launch by a kernel */
void vgpu_child_shape(const struct vgpu_job *job, struct vgpu_launch *launch);

#endif

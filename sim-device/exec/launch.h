/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * What the execution engine and the SMs both know of a kernel launch and of its thread blocks. The
 * engine fills a launch from a command; the SMs only read it.
 */
#ifndef VGPU_LAUNCH_H
#define VGPU_LAUNCH_H

#include "../platform.h"

struct vgpu_address_space;
struct vgpu_kernel;

/** struct vgpu_launch - one launched kernel, compiled or profiled */
struct vgpu_launch {
	u32 id;				/* unique on the device, from 1 */
	u32 context;
	/* uapi handle and index, for faults and traces; ~0: profiled */
	u32 module;
	u32 kernel_index;
	struct vgpu_address_space *as;
	const struct vgpu_kernel *kernel;	/* verified code; NULL: profiled */
	u32 grid[3];
	u32 block[3];
	u64 blocks;			/* thread blocks in the grid */
	u32 threads;			/* per block */
	u32 warps;			/* per block */
	/* 32-bit registers, warps x 32 x registers per thread when compiled */
	u32 regs_per_block;
	u32 shared_bytes;		/* per block, static and dynamic */
	u32 dynamic_shared;
	const u8 *params;
	u32 param_bytes;
	/* profiled only */
	u64 block_ps;
	u32 block_cv_permille;
};

struct vgpu_sm;
struct vgpu_warps;

/** struct vgpu_block - a thread block that has been issued, resident or preempted */
struct vgpu_block {
	struct vgpu_launch *launch;
	u64 index;			/* in the grid, x fastest */
	u32 slot;			/* in its SM */
	struct vgpu_sm *sm;		/* NULL: preempted */
	struct vgpu_block *next;	/* list link of whoever holds it */
	struct vgpu_block **link;	/* what points to it in the list of its SM */
	u64 remaining_ps;		/* profiled: when preempted */
	/* compiled: registers, stacks, shared and local memory; NULL before the first issue */
	struct vgpu_warps *warps;
};

#endif

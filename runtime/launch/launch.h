/* SPDX-License-Identifier: MIT */
/*
 * Launches by kernels: what the device code of CUDA's device runtime (launch.cu) is told by the
 * runtime (api/modules/launches.c). How a launch is written down is uapi vgpu_launch.h.
 */
#ifndef VGPU_LAUNCH_H
#define VGPU_LAUNCH_H

#include "vgpu_launch.h"

#define VGPU_LAUNCH_VARIABLE	__vgpu_launch
#define VGPU_LAUNCH_ATTRIBUTES	160	/* numbers of cudaDevAttr*, rounded up */
#define VGPU_LAUNCH_LIMITS	5	/* of cudaLimit*, those that there are */

/* An address of a kernel in device code: this, and 16 times its number in the module. */
#define VGPU_KERNEL_ADDRESS	(5ull << 56)

/** struct vgpu_launch_kernel - a kernel of the module; @module, @kernel: the device's numbers */
struct vgpu_launch_kernel {
	unsigned int module, kernel;
	unsigned int param_bytes, regs, shared_bytes, local_bytes;
	unsigned int max_threads;	/* of a block */
	unsigned int max_shared;	/* bytes that a block may have */
};

/**
 * struct vgpu_launch_table - in device memory, one for each module
 * @kernels: behind it, in the order of the module
 */
struct vgpu_launch_table {
	unsigned int count;
	unsigned int device;		/* its number in the process */
	unsigned int block_limit[3], threads_per_block, grid_limit[3];
	unsigned int threads_per_sm, blocks_per_sm, regs_per_sm, shared_steps[6];
	unsigned int constant_bytes;
	int attributes[VGPU_LAUNCH_ATTRIBUTES];
	unsigned long long limits[VGPU_LAUNCH_LIMITS];
	struct vgpu_launch_kernel kernels[];
};

/**
 * struct vgpu_launch - the variable of the module, set when the module is loaded
 * @pool: device address of struct vgpu_launch_pool
 * @row: of its row
 * @records: of its first record
 * @table: of struct vgpu_launch_table
 * @mask: slots - 1
 * @most: launches that may be pending
 */
struct vgpu_launch {
	unsigned long long pool, row, records, table;
	unsigned int mask, most;
};

#endif

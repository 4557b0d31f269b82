/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * vgpu user interface: launches by kernels. A kernel writes what it launches into memory of its
 * context, and the device takes it from there whenever a block of such a kernel ends. Whose binary
 * says where that memory is (struct vgpu_vass_kernel) is such a kernel. The rules are those of
 * vgpu.h.
 *
 * The memory is a struct vgpu_launch_pool, slots numbers of 32 bits (the row), and as many structs
 * vgpu_launch_record, each behind the other. Who maps it writes slots, and 0 everywhere else. A
 * kernel
 *
 *	adds 1 to pending, and takes that back if it was slots or more before
 *	finds a record whose state is 0, by exchanging that for VGPU_LAUNCH_TAKEN, and fills it
 *	adds 1 to tail, and writes 1 + the number of the record to the row, at the old tail modulo
 *	slots; all that it has written before must be visible by then
 *
 * The device copies the record, makes its state 0, and launches the kernel in the context of the
 * one that launched it. When that is over it takes 1 from pending. What a record says that is
 * wrong ends the context with VGPU_FAULT_LAUNCH.
 */
#ifndef VGPU_LAUNCH_POOL_H
#define VGPU_LAUNCH_POOL_H

#include <linux/types.h>

#define VGPU_LAUNCH_SLOTS_MAX	65536u	/* a power of two, as the number of slots is */
#define VGPU_LAUNCH_PARAM_MAX	4096u	/* bytes of parameters */
#define VGPU_LAUNCH_DEPTH_MAX	24u	/* launches one in the other, without the process's */
#define VGPU_LAUNCH_TAKEN	1u	/* in state */

struct vgpu_launch_pool {
	__u32 slots;
	__u32 pending;		/* launches that are not over */
	__u32 tail;		/* launches ever, modulo 2^32 */
	__u32 head;		/* of these the device has taken; written by it alone */
	__u32 cursor;		/* free for the use of kernels */
	__u32 streams;		/* the same */
	__u32 reserved[10];
};

/*
 * What vgpu_launch_record.stream says, in the upper two bits. IN_ORDER: launches of a grid with the
 * same number run one behind the other. FREE: with any others. TAIL: when the grid that launched it
 * has ended and all other launches of it are over, one behind the other.
 */
#define VGPU_LAUNCH_IN_ORDER	0ull
#define VGPU_LAUNCH_FREE	(1ull << 62)
#define VGPU_LAUNCH_TAIL	(2ull << 62)
#define VGPU_LAUNCH_KIND(stream) ((stream) & 3ull << 62)

/** struct vgpu_launch_record - one launch. @params are those that the kernel declares */
struct vgpu_launch_record {
	__u32 state;		/* 0: free */
	__u32 launcher;		/* the launch of who launches it: its %gridid */
	__u32 module;		/* as in struct vgpu_cmd_launch, from here on */
	__u32 kernel;
	__u32 grid[3];
	__u32 block[3];
	__u32 dynamic_shared;
	__u32 reserved;		/* 0 */
	__u64 stream;		/* VGPU_LAUNCH_* and a number */
	__u64 reserved1;	/* 0 */
	__u8 params[VGPU_LAUNCH_PARAM_MAX];
};

#endif

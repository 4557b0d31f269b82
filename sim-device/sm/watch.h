/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * DOC: watching what kernels do
 *
 * A host in user space may be told of everything that threads of compiled kernels do to memory and
 * to each other: accesses, fences, barriers, exits. It says so by a table of operations when it
 * creates the device. SMs then execute blocks by lanes/watched.c, an instance of the interpreter
 * of its own that calls the table, with timing=interval, one SM after the other and without native
 * code. Without a table nothing is tested for it while instructions execute: which instance
 * executes is decided once for an SM. Results, virtual times and traces are the same.
 *
 * Order of the calls. An event of a warp is told when it has happened, in the order of the
 * warp's instructions, each once: an access that had to wait, or was executed in parts, is one
 * access (or one for each part). Accesses of several warps and blocks are told in an order in
 * which they happened: what a load is told behind is what it read. Blocks of several launches may
 * be told of in turn.
 *
 * All structs live until the call returns. The table must not call the device.
 */
#ifndef VGPU_WATCH_H
#define VGPU_WATCH_H

#include "../platform.h"
#include "vgpu_isa.h"

#define VGPU_WATCH_WARPS	32u	/* most of a block; no device has larger ones */

/**
 * struct vgpu_watch_launch - a kernel that has been launched
 * @id: unique on the device, from 1
 * @queue, @seq: the command that launched it
 * @module, @kernel: as in that command
 * @name: of the kernel
 * @shared_bytes: of a block, @dynamic_shared of them, the last ones, by the launch
 * @local_bytes: of a thread
 * @code: as verified; a pc is an index into it. For as long as the launch
 */
struct vgpu_watch_launch {
	u32 id;
	u32 context;
	u32 queue;
	u64 seq;
	u32 module;
	u32 kernel;
	const char *name;
	u32 grid[3];
	u32 block[3];
	u32 threads;			/* of a block */
	u32 warps;			/* of a block; the last may have fewer lanes */
	u32 shared_bytes;
	u32 dynamic_shared;
	u32 local_bytes;
	const struct vgpu_insn *code;
	u32 code_count;
	const u8 *params;
	u32 param_bytes;
};

/**
 * struct vgpu_watch_warp - who does something
 * @block: what block_begin() returned
 * @warp: in its block: lane l is thread @warp * 32 + l
 * @live: lanes that exist and have not exited, before what is told
 */
struct vgpu_watch_warp {
	void *block;
	u32 warp;
	u32 live;
};

enum vgpu_watch_kind {
	VGPU_WATCH_READ,
	VGPU_WATCH_WRITE,
	VGPU_WATCH_ATOMIC,		/* reads and, for its observers at the same time, writes */
};

/* Parameters are not here: they are read only, and the verifier has seen where. */
enum vgpu_watch_space {
	VGPU_WATCH_GLOBAL,		/* addresses are the process's; constants are here, too */
	VGPU_WATCH_SHARED,		/* offsets from the block's first byte, static ones first */
	VGPU_WATCH_LOCAL,		/* offsets from the thread's first byte */
};

/**
 * struct vgpu_watch_access - one access of some lanes of a warp, at one instruction
 * @kind: enum vgpu_watch_kind
 * @space: enum vgpu_watch_space; a generic access whose lanes are in several is told once for each
 * @order: enum vgpu_order
 * @scope: enum vgpu_scope
 * @failed: it was refused, for what fault() tells next, and nothing was accessed
 * @pc: of the instruction
 * @bytes: of each lane, 1 to 16
 * @lanes: that take part, at least one
 * @address: of each lane [32]; undefined for lanes that do not take part
 * @value: WRITE: what is stored, elements one after the other, each of 32 lanes; those of up to 4
 *   bytes are u32, others u64. NULL: another kind, or nothing is said of it
 */
struct vgpu_watch_access {
	u8 kind;
	u8 space;
	u8 order;
	u8 scope;
	bool failed;
	u32 pc;
	u32 bytes;
	u32 lanes;
	const u64 *address;
	const void *value;
};

/**
 * struct vgpu_watch_sync - an operation by member masks (__syncwarp, shuffles, votes, matches)
 * @op: enum vgpu_op: BARWARP, SHFLSYNC, VOTESYNC, BALLOTSYNC, MATCHSYNC, MATCHSYNCQ
 * @pc: where; when lanes meet from several places, that of the lane below
 * @lanes: that execute it, or have met
 * @mask: of each lane [32]; undefined for others
 */
struct vgpu_watch_sync {
	u32 op;
	u32 pc;
	u32 lanes;
	const u32 *mask;
};

/**
 * struct vgpu_watch_barrier - a warp has come to a barrier of its block
 * @pc: where
 * @lanes: that have come; less than live: the others of the warp are elsewhere
 * @id: of the barrier, 0 to 15
 * @threads: that take part, a multiple of 32; 0: all that have not exited
 */
struct vgpu_watch_barrier {
	u32 pc;
	u32 lanes;
	u32 id;
	u32 threads;
};

/** struct vgpu_watch_fault - what ends the context; see struct vgpu_fault */
struct vgpu_watch_fault {
	u32 reason;			/* enum vgpu_fault_reason */
	u32 pc;
	u32 lane;
	u64 address;
	u32 bytes;
	bool write;
};

/**
 * struct vgpu_watch_ops - what the host is told
 * @launch_begin: before the first block of a launch begins. Returns what stands for it
 * @launch_end: all of its blocks have ended, or its context has died
 * @block_begin: block @index of the grid, x fastest, at @at. Its shared memory, local memory and
 *   registers are new. Returns what stands for it
 * @block_end: all of its threads have exited; or (@dropped) it did not get so far
 * @access: see struct vgpu_watch_access
 * @fence: @lanes execute a fence (MEMBAR) of @order and @scope
 * @sync_arrive: @sync->lanes execute it. Some may have to wait for others
 * @sync: all that the masks name have met, and go on
 * @barrier_arrive: see struct vgpu_watch_barrier. The warp waits until barrier_leave()
 * @barrier_leave: the warps that wait at barrier @id of the block all go on; bit n % 32 of
 *   @warps[n / 32]: warp n is one of them
 * @exit: @lanes exit at @pc; they are in live still
 * @fault: it ends the context; the warp stands at @fault->pc
 */
struct vgpu_watch_ops {
	void *(*launch_begin)(void *host, const struct vgpu_watch_launch *launch);
	void (*launch_end)(void *host, void *launch);
	void *(*block_begin)(void *host, void *launch, u64 index, const u32 *at);
	void (*block_end)(void *host, void *block, bool dropped);
	void (*access)(void *host, const struct vgpu_watch_warp *w,
		       const struct vgpu_watch_access *access);
	void (*fence)(void *host, const struct vgpu_watch_warp *w, u32 pc, u32 lanes, u32 order,
		      u32 scope);
	void (*sync_arrive)(void *host, const struct vgpu_watch_warp *w,
			    const struct vgpu_watch_sync *sync);
	void (*sync)(void *host, const struct vgpu_watch_warp *w,
		     const struct vgpu_watch_sync *sync);
	void (*barrier_arrive)(void *host, const struct vgpu_watch_warp *w,
			       const struct vgpu_watch_barrier *barrier);
	void (*barrier_leave)(void *host, void *block, u32 id, const u32 *warps);
	void (*exit)(void *host, const struct vgpu_watch_warp *w, u32 pc, u32 lanes);
	void (*fault)(void *host, const struct vgpu_watch_warp *w,
		      const struct vgpu_watch_fault *fault);
};

/** struct vgpu_watch - the table and its first argument; @ops NULL: nobody watches */
struct vgpu_watch {
	const struct vgpu_watch_ops *ops;
	void *host;
};

#endif

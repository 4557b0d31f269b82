/* SPDX-License-Identifier: MIT */
/*
 * DOC: the tools of the sanitizer
 *
 * A tool (memcheck, racecheck, initcheck, synccheck) is a table of functions. The core
 * (sanitizer.c) hears of what kernels do by sim-device/sm/watch.h, and of what the host does by
 * sanitizer.h, and calls the tools that are on, one after the other, under one mutex. Tools keep
 * what they know of a launch and of a block in @own, by their number; the core keeps none of it.
 *
 * Order of what commands do. Commands of a queue begin and end in order. command_begin() is called
 * when a command is submitted, so before it can do anything; command_end() when it has ended, so
 * what it did happened between the two; one that could not be submitted, and is again, is begun
 * again under its number. Of a launch, launch_begin() to launch_end() lie in between.
 * A WAIT command stands behind command @wait of queue @wait_queue. host_knows(): the host has
 * learned that a queue is at @seq, and so what it submits from then on is behind that.
 */
#ifndef VGPU_SANITIZER_TOOL_H
#define VGPU_SANITIZER_TOOL_H

#include "sm/watch.h"

enum san_tool_number { SAN_MEMCHECK, SAN_RACECHECK, SAN_INITCHECK, SAN_SYNCCHECK, SAN_TOOLS };

struct san_kernel;

/**
 * struct san_launch - a launch. It may be named in a report when it has ended, unless very many
 * others have ended since; @what.params may not be followed then
 */
struct san_launch {
	struct vgpu_watch_launch what;
	u32 device;			/* by number, from 0 */
	struct san_kernel *kernel;	/* core.h */
	void *own[SAN_TOOLS];		/* NULL at first */
};

/** struct san_block - a block that is executed */
struct san_block {
	struct san_launch *launch;
	u64 index;			/* in the grid, x fastest */
	u32 at[3];
	void *own[SAN_TOOLS];		/* NULL at first */
};

/** struct san_warp - who does something; see struct vgpu_watch_warp */
struct san_warp {
	struct san_block *block;
	u32 warp;
	u32 live;
};

/** enum san_memory_kind - what an allocation is */
enum san_memory_kind {
	SAN_MEMORY_DEVICE,		/* cudaMalloc */
	SAN_MEMORY_MANAGED,
	SAN_MEMORY_HOST,		/* pinned memory of the process that kernels use in place */
	SAN_MEMORY_VARIABLE,		/* a .global or .const variable of a module */
	SAN_MEMORY_PRIVATE,		/* the runtime's own: kernels may use it, nobody owns it */
};

/**
 * struct san_command - a command of a queue
 * @op: enum vgpu_cmd_op: COPY_H2D, COPY_D2H, COPY_D2D, FILL, LAUNCH, WAIT, others
 * @queue: of @device, the hardware's number; @seq its number there, from 1
 * @dst, @src, @bytes: of copies and fills; a fill has no @src. Process addresses on the host's side
 * @wait_queue, @wait: WAIT: behind that command of that queue
 */
struct san_command {
	u32 device;
	u32 op;
	u32 queue;
	u64 seq;
	u64 dst, src, bytes;
	u32 wait_queue;
	u64 wait;
};

/**
 * struct san_tool - one tool. Any function may be NULL
 * @name: as --tool has it
 * @launch_begin, @launch_end, @block_begin, @block_end, @access, @fence, @sync_arrive, @sync,
 *   @barrier_arrive, @barrier_leave, @exit, @fault: as in struct vgpu_watch_ops
 * @allocated: [address, address + bytes) is an allocation of the program from now on
 * @freed: the allocation at @address is gone. The host has waited, or says by stream order, that
 *   nothing uses it
 * @lost: it was not freed, and its device is closed, or reset; freed() follows
 * @command_begin, @command_end, @host_knows: see above
 * @end: the process ends: report what is left
 */
struct san_tool {
	const char *name;
	void (*launch_begin)(struct san_launch *launch);
	void (*launch_end)(struct san_launch *launch);
	void (*block_begin)(struct san_block *block);
	void (*block_end)(struct san_block *block, bool dropped);
	void (*access)(const struct san_warp *w, const struct vgpu_watch_access *access);
	void (*fence)(const struct san_warp *w, u32 pc, u32 lanes, u32 order, u32 scope);
	void (*sync_arrive)(const struct san_warp *w, const struct vgpu_watch_sync *sync);
	void (*sync)(const struct san_warp *w, const struct vgpu_watch_sync *sync);
	void (*barrier_arrive)(const struct san_warp *w, const struct vgpu_watch_barrier *barrier);
	void (*barrier_leave)(struct san_block *block, u32 id, const u32 *warps);
	void (*exit)(const struct san_warp *w, u32 pc, u32 lanes);
	void (*fault)(const struct san_warp *w, const struct vgpu_watch_fault *fault);
	void (*allocated)(u64 address, u64 bytes, enum san_memory_kind kind);
	void (*freed)(u64 address, u64 bytes, enum san_memory_kind kind);
	void (*lost)(u64 address, u64 bytes, enum san_memory_kind kind);
	void (*command_begin)(const struct san_command *command);
	void (*command_end)(const struct san_command *command);
	void (*host_knows)(u32 device, u32 queue, u64 seq);
	void (*end)(void);
};

extern const struct san_tool san_memcheck;
extern const struct san_tool san_racecheck __attribute__((__weak__));
extern const struct san_tool san_initcheck;
extern const struct san_tool san_synccheck;

#endif

/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Code of the host's processor in the place of the interpreter. Where a host can make it, it makes
 * it of a kernel's verified instructions, and a warp of that kernel is executed by
 * vgpu_native_code.run instead of vgpu_lanes_run_*(). What that returns and leaves is the same in
 * every bit: registers that a lane may yet read, predicates, memory, stack, counters, what an
 * access that must wait says of itself, and where a budget ends. So when a kernel gets such code,
 * and whether, has no influence on results, times or traces. The module has none.
 *
 * Other registers may have anything, also those of lanes that are not active. So an instruction
 * that only a part of the active lanes is to execute is the interpreter's.
 */
#ifndef VGPU_NATIVE_H
#define VGPU_NATIVE_H

#include "../platform.h"
#include "vgpu_isa.h"

struct vgpu_lanes;

/** struct vgpu_native_code - of one kernel. The host embeds it in what it knows of that */
struct vgpu_native_code {
	/* enum vgpu_lanes_end, as vgpu_lanes_run_*(); lanes->native is this struct */
	u32 (*run)(struct vgpu_lanes *lanes);
	/*
	 * run() only between these, any number of times, and that of any kernel of the host: what
	 * it needs of the thread of the host is made so, and as it was, which end() is told
	 */
	u32 (*begin)(void);
	void (*end)(u32 was);
};

/**
 * struct vgpu_native - where it comes from
 * @find: see vgpu_host_ops.native; NULL: from nowhere
 * @host: its first argument
 */
struct vgpu_native {
	int (*find)(void *host, const struct vgpu_insn *code, u32 count, const u16 *cost,
		    u64 executed, const struct vgpu_native_code **out);
	void *host;
};

/** struct vgpu_kernel_code - what becomes of a kernel's code while it is executed */
struct vgpu_kernel_code {
	u64 executed;			/* warp instructions, by anybody */
	u64 shares;			/* parts of slices, each of one block, in which they were */
	bool asked;			/* the host has given its answer */
	const struct vgpu_native_code *native;	/* NULL: it is interpreted */
};

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Launches in two parts: what a launch has to check and look up, and putting the command into a
 * stream. A graph does the first once for many launches. With rt_lock held.
 */
#ifndef VGPU_RT_LAUNCH_H
#define VGPU_RT_LAUNCH_H

#include "../state.h"

/** struct rt_prepared - a launch that was checked; good for as long as no module is unloaded */
struct rt_prepared {
	const struct vgpuFunction *function;
	const struct vgpu_program_kernel *kernel;
	struct vgpu_cmd cmd;
};

/*
 * What CUDA refuses, with its code. @arguments: one pointer for each parameter; @cooperative:
 * blocks may wait for each other (grid.h).
 */
vgpuError_t rt_launch_check(const struct vgpuFunction *function, const unsigned int grid[3],
			    const unsigned int block[3], void **arguments, size_t dynamic_shared,
			    bool cooperative);
/* @function and the rest were checked. */
vgpuError_t rt_launch_prepare(struct vgpuFunction *function, const unsigned int grid[3],
			      const unsigned int block[3], size_t dynamic_shared, bool cooperative,
			      struct rt_prepared *out);
/*
 * @params: the block of parameters, in which a workspace is put (grid.h); @priority:
 * VGPU_LAUNCH_PRIORITY. The waits that must stand before are there already; it need not be
 * submitted yet.
 */
vgpuError_t rt_launch_put(const struct rt_prepared *launch, void *params, unsigned int priority,
			  struct vgpuStream *stream);
/*
 * extra.c: parameters as in the list `extra' of CUDA, which has a block of them. A pointer to each
 * becomes @arguments, which is for the caller to free.
 */
vgpuError_t rt_launch_extra(const struct vgpuFunction *function, void **extra, void ***arguments);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Launches as CUDA 2 has them: block, shared memory and parameters are said one by one, and stay
 * with the function for all launches after that. With rt_lock held; @function was looked up.
 */
#ifndef VGPU_RT_SAID_H
#define VGPU_RT_SAID_H

#include "../state.h"

/* vgpuErrorInvalidValue: no block is so, or parameters end behind the 4,096 bytes there are. */
vgpuError_t rt_said_block(struct vgpuFunction *function, int x, int y, int z);
vgpuError_t rt_said_shared(struct vgpuFunction *function, unsigned int bytes);
vgpuError_t rt_said_size(struct vgpuFunction *function, unsigned int bytes);
vgpuError_t rt_said_param(struct vgpuFunction *function, int offset, const void *value,
			  unsigned int bytes);
/* vgpuErrorInvalidValue: no block was said, or the grid is none. */
vgpuError_t rt_said_launch(struct vgpuFunction *function, int width, int height,
			   struct vgpuStream *stream);

#endif

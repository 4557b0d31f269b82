/* SPDX-License-Identifier: MIT */
/*
 * Cooperative launches: all blocks of the grid may wait for each other.
 *
 * What a barrier of the grid counts with is the launch's *workspace*: 16 bytes of device memory, 0
 * at first, of which NVIDIA's code and ours use the second word. PTX reads its address from
 * %envreg1 (the upper half) and %envreg2; it is a parameter behind those of the kernel
 * (vgpu_program_kernel.workspace_offset), and 0 in launches that are not cooperative.
 */
#ifndef VGPU_RT_GRID_H
#define VGPU_RT_GRID_H

#include "../state.h"

/*
 * May @blocks blocks of @threads be launched so? vgpuErrorCooperativeLaunchTooLarge: the SMs that
 * the context may have, empty, have not room for all of them at once; vgpuErrorNotSupported.
 */
vgpuError_t rt_grid_check(const struct vgpuFunction *function, uint64_t blocks,
			  unsigned int threads, size_t dynamic_shared);
/* A workspace for the next command of @stream, which has begun. */
vgpuError_t rt_grid_workspace(struct vgpuStream *stream, uint64_t *address);
/* The work of @stream, which goes, is done. */
void rt_grid_forget(struct vgpuStream *stream);

#endif

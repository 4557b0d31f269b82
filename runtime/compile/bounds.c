// SPDX-License-Identifier: MIT
/*
 * How many registers a kernel may have. One that says how large its blocks are, or how many of them
 * an SM is to hold, gets what they leave of an SM's registers, as from NVIDIA's assembler for this
 * architecture: warps have their registers in steps of 256, threads in steps of 8.
 */
#include "cc.h"

#define SM_REGS		65536u
#define SM_THREADS	2048u
#define WARP		32u
#define STEP		8u
#define LEAST		16u	/* that any kernel can be spilled to */

static uint32_t for_blocks(uint32_t threads, uint32_t blocks)
{
	uint32_t warps = (threads + WARP - 1) / WARP;

	/* more than an SM can hold is no wish that can be kept */
	if (!blocks || (uint64_t)warps * blocks > SM_THREADS / WARP)
		blocks = 1;
	return SM_REGS / WARP / (warps * blocks) / STEP * STEP;
}

uint32_t cc_register_limit(const struct vgpu_compile_options *options,
			   const struct ptx_func *kernel)
{
	uint32_t limit = options && options->max_regs ? options->max_regs : VGPU_VASS_MAX_REGS;
	bool only = options && options->only;

	if (!only && kernel->max_regs)
		limit = kernel->max_regs;
	else if (!only && kernel->max_threads)
		limit = for_blocks(kernel->max_threads, kernel->min_blocks);
	if (limit < LEAST)
		return LEAST;
	return limit < VGPU_VASS_MAX_REGS ? limit : VGPU_VASS_MAX_REGS;
}

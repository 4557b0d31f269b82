/* SPDX-License-Identifier: MIT */
/*
 * make_cudaPitchedPtr() and its kin, for C and C++.
 */
#ifndef VGPU_CUDA_DRIVER_FUNCTIONS_H
#define VGPU_CUDA_DRIVER_FUNCTIONS_H

#include "driver_types.h"

static __inline__ struct cudaPitchedPtr make_cudaPitchedPtr(void *pointer, size_t pitch,
							    size_t xsize, size_t ysize)
{
	struct cudaPitchedPtr t;

	t.ptr = pointer;
	t.pitch = pitch;
	t.xsize = xsize;
	t.ysize = ysize;
	return t;
}

static __inline__ struct cudaPos make_cudaPos(size_t x, size_t y, size_t z)
{
	struct cudaPos t;

	t.x = x;
	t.y = y;
	t.z = z;
	return t;
}

static __inline__ struct cudaExtent make_cudaExtent(size_t width, size_t height, size_t depth)
{
	struct cudaExtent t;

	t.width = width;
	t.height = height;
	t.depth = depth;
	return t;
}

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Between CUDA's words for arrays and textures and the native ones. An array's handle is its
 * struct rt_array.
 */
#ifndef VGPU_CUDA_TEXTURES_H
#define VGPU_CUDA_TEXTURES_H

#include "api/textures/array.h"
#include "calls.h"

/* False for what no texel can be. */
bool cuda_format(const struct cudaChannelFormatDesc *desc, struct rt_format *format);
struct cudaChannelFormatDesc cuda_channels(const struct rt_format *format);

/**
 * struct cuda_side - one side of a copy in three dimensions
 * @array: NULL: memory, at @pointer
 */
struct cuda_side {
	const void *array;
	struct cudaPos pos;
	struct cudaPitchedPtr pointer;
};

/* As cudaMemcpy3D(), of which at least one side is an array. */
cudaError_t cuda_copy_arrays(const struct cuda_side *dst, const struct cuda_side *src,
			     struct cudaExtent extent, enum cudaMemcpyKind kind,
			     cudaStream_t stream, bool synchronous);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Arrays: memory of textures and surfaces that programs reach by copies and fetches only (CUDA's
 * cudaArray_t and CUarray, also mipmapped ones). An array is an allocation of its context. Rows lie
 * one behind the other, at a multiple of 32 bytes, slices and layers too, and then the levels of a
 * mipmap. Handles come from the program: they are looked for before they are followed.
 *
 * All functions take rt_lock themselves, but for those that say otherwise.
 */
#ifndef VGPU_RT_ARRAY_H
#define VGPU_RT_ARRAY_H

#include "state.h"
#include "texture/texture.h"

/* Flags, as both of CUDA's interfaces number them. */
#define RT_ARRAY_LAYERED	0x01u
#define RT_ARRAY_SURFACE	0x02u
#define RT_ARRAY_CUBE		0x04u
#define RT_ARRAY_GATHER		0x08u

#define RT_ARRAY_ROW		32u	/* bytes that a row is a multiple of */

/** struct rt_format - what a texel is: 1, 2 or 4 channels of 1, 2 or 4 bytes (VGPU_TEXTURE_SIGNED,
 * _UNSIGNED or _FLOAT, which has 2 or 4) */
struct rt_format {
	uint8_t channels, bytes, kind;
};

/**
 * struct rt_array_shape - what is asked for
 * @width, @height, @depth: in texels; as CUDA has it 0 is a direction that there is not, and
 *   @depth is the number of layers of what is layered, of faces of a cube
 * @levels: 1 but for a mipmap
 */
struct rt_array_shape {
	struct rt_format format;
	size_t width, height, depth;
	unsigned int flags, levels;
};

/** struct rt_array_level - one level: at least 1 in all directions, @depth slices or layers */
struct rt_array_level {
	uint64_t base, pitch, plane;
	uint32_t width, height, depth;
};

/**
 * struct rt_array - an array, a mipmap (shape.levels is more than 1, or @is_mipmap), or the array
 * that one level of a mipmap is
 * @mipmap: whose level it is; NULL: it has memory of its own
 */
struct rt_array {
	struct rt_array *next;
	struct rt_array_shape shape;
	struct rt_array_level level[VGPU_TEXTURE_LEVELS];
	struct rt_state *context;
	uint64_t generation;
	struct rt_array *mipmap;
	bool is_mipmap;
};

uint32_t rt_format_texel(const struct rt_format *format);	/* bytes */
/* False for what no texel can be. */
bool rt_format_valid(const struct rt_format *format);

/* vgpuErrorInvalidValue: there is no array of that shape; vgpuErrorMemoryAllocation. */
vgpuError_t rt_array_create(const struct rt_array_shape *shape, bool mipmap,
			    struct rt_array **array);
/*
 * Waits for the work of its context. Objects of it (object.h) are no objects any more. A level goes
 * with its mipmap only: vgpuErrorInvalidValue.
 */
vgpuError_t rt_array_free(const void *handle, bool mipmap);
/* NULL: it is none, or its context was reset. The second with rt_lock held. */
struct rt_array *rt_array_find(const void *handle, bool mipmap);
struct rt_array *rt_array_known(const void *handle, bool mipmap);
/* The array that level @level of @mipmap is; it is the same each time. */
vgpuError_t rt_array_of_level(struct rt_array *mipmap, unsigned int level,
			      struct rt_array **array);

/** struct rt_box - a part of an array: @x and @width in bytes */
struct rt_box {
	size_t x, y, z, width, height, depth;
};

/** struct rt_place - where it begins; bytes from row to row and from slice to slice */
struct rt_place {
	char *at;
	size_t pitch, plane;
};

/* vgpuErrorInvalidValue: @box is not inside. Takes no lock. */
vgpuError_t rt_array_place(const struct rt_array *array, const struct rt_box *box,
			   struct rt_place *place);
/* Rows of two places; as vgpuMemcpy2D() and, with @stream, vgpuMemcpy2DAsync() for each slice. */
vgpuError_t rt_copy_places(const struct rt_place *dst, const struct rt_place *src, size_t width,
			   size_t height, size_t depth, vgpuMemcpyKind kind, vgpuStream_t stream,
			   bool synchronous);
/*
 * @count bytes from row @y, byte @x on, row after row, to the array or from there; or from one
 * array to another. vgpuErrorInvalidValue: they are not all inside, and some may have been copied.
 */
vgpuError_t rt_array_copy(const struct rt_array *array, bool to_array, size_t x, size_t y,
			  char *memory, size_t count, vgpuMemcpyKind kind, vgpuStream_t stream,
			  bool synchronous);
vgpuError_t rt_array_copy_array(const struct rt_array *dst, size_t dst_x, size_t dst_y,
				const struct rt_array *src, size_t src_x, size_t src_y,
				size_t count);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Texture and surface objects, for both front ends. An object is a descriptor in device memory
 * (texture/texture.h), whose address is the handle that kernels get. It stays where it is until the
 * context ends. One that is destroyed, or whose array is freed, says so to a kernel that uses it,
 * which ends by a trap with the reason; its place serves a later object.
 *
 * All functions take rt_lock themselves, but for those that say otherwise.
 */
#ifndef VGPU_RT_OBJECT_H
#define VGPU_RT_OBJECT_H

#include "array.h"

/* CUDA's numbers, cudaResourceType and CUresourcetype. */
enum rt_source_kind { RT_SOURCE_ARRAY, RT_SOURCE_MIPMAP, RT_SOURCE_LINEAR, RT_SOURCE_PITCH };

/**
 * struct rt_source - what is fetched from
 * @array: ARRAY, MIPMAP
 * @address, @format: LINEAR, PITCH: device memory
 * @width: LINEAR: bytes; PITCH: texels, with @height rows, @pitch bytes from one to the next
 */
struct rt_source {
	enum rt_source_kind kind;
	struct rt_array *array;
	uint64_t address;
	struct rt_format format;
	size_t width, height, pitch;
};

/**
 * struct rt_sampling - how, as CUDA's struct cudaTextureDesc says
 * @address: VGPU_TEXTURE_WRAP and so on, of each direction
 * @as_float: integers are read as floats
 * @small_as_float: those of 8 and 16 bits are, as the driver API has it; others are as they are
 * @srgb: channels but the fourth one are converted from sRGB; of unsigned 8 bits read as floats
 */
struct rt_sampling {
	unsigned int address[3];
	bool linear, as_float, small_as_float, unit, mip_linear, srgb;
	float border[4];
	unsigned int anisotropy;
	float bias, least, most;
};

/**
 * struct rt_view - a part of what the source has: levels and layers; all of it if @whole
 * @format: texels of as many bytes, seen as others; no channels: those of the source
 */
struct rt_view {
	bool whole;
	struct rt_format format;
	unsigned int first_level, last_level, first_layer, last_layer;
};

/**
 * struct rt_view_asked - a view as programs say it: how struct cudaResourceViewDesc and
 * CUDA_RESOURCE_VIEW_DESC begin
 */
struct rt_view_asked {
	int format;			/* CUDA's number; 0: that of the source */
	size_t width, height, depth;
	unsigned int first_level, last_level, first_layer, last_layer;
};

/** struct rt_object - for questions: what it was made of */
struct rt_object {
	struct rt_object *next;
	uint64_t handle;
	bool surface, live;
	struct rt_state *context;
	uint64_t generation;
	struct rt_source source;
	struct rt_sampling sampling;
	struct rt_view view;
};

/*
 * A view that programs ask for, NULL: of everything. vgpuErrorInvalidValue: memory has no views, or
 * there is no such format; vgpuErrorNotSupported: compressed blocks.
 */
vgpuError_t rt_view_make(const struct rt_view_asked *asked, const struct rt_source *source,
			 struct rt_view *view);
/* What was asked for; vgpuErrorInvalidValue: nothing, as in CUDA. */
vgpuError_t rt_view_tell(const struct rt_object *object, struct rt_view_asked *asked);
/*
 * vgpuErrorInvalidChannelDescriptor: no texel is so; vgpuErrorInvalidFilterSetting: integers are
 * not filtered, unless they are read as floats; vgpuErrorInvalidNormSetting: 32 bits are not read
 * as floats; vgpuErrorInvalidResourceHandle: no such array; vgpuErrorInvalidValue: the memory is
 * not the device's, or not aligned, or the source is no texture of that kind;
 * vgpuErrorNotSupported: sRGB of other than unsigned 8 bits that are read as floats.
 */
vgpuError_t rt_texture_create(const struct rt_source *source, const struct rt_sampling *sampling,
			      const struct rt_view *view, uint64_t *handle);
/* Of an array with RT_ARRAY_SURFACE, else vgpuErrorInvalidValue. */
vgpuError_t rt_surface_create(const struct rt_source *source, uint64_t *handle);
/* Waits for the work of its context. 0 is no object, and no error. */
vgpuError_t rt_object_destroy(uint64_t handle, bool surface);
/* vgpuErrorInvalidValue: there is none. */
vgpuError_t rt_object_find(uint64_t handle, bool surface, struct rt_object *object);
/*
 * The objects of @array, or of a level of it, are no objects any more, of the context that is
 * current; array.c. Waits for its work.
 */
vgpuError_t rt_textures_lose(const struct rt_array *array);

/*
 * For references, which are bound to one object after the other: that of *@handle gets another
 * source, when work has ended that may use it; if it is 0 or gone, a new one.
 */
vgpuError_t rt_texture_change(const struct rt_source *source, const struct rt_sampling *sampling,
			      uint64_t *handle);
vgpuError_t rt_surface_change(const struct rt_source *source, uint64_t *handle);

/*
 * The same with rt_lock held, which is given up while work ends; no @sampling: a surface. The
 * second one is for an object of the current context, or of none, which is none any more.
 */
vgpuError_t rt_object_change(const struct rt_source *source, const struct rt_sampling *sampling,
			     const struct rt_view *view, uint64_t *handle);
vgpuError_t rt_object_lose(uint64_t handle, bool surface);
/* To device memory, behind all that the default stream has. With rt_lock held. */
vgpuError_t rt_write_words(uint64_t address, const void *words, uint64_t bytes);

#endif

// SPDX-License-Identifier: MIT
/*
 * Arrays of textures and surfaces: array.h.
 */
#include <stdlib.h>

#include "array.h"
#include "texture_limits.h"
#include "object.h"

static struct rt_array *arrays;		/* with rt_lock */

uint32_t rt_format_texel(const struct rt_format *format)
{
	return (uint32_t)format->channels * format->bytes;
}

bool rt_format_valid(const struct rt_format *format)
{
	bool channels = format->channels == 1 || format->channels == 2 || format->channels == 4;
	bool bytes = format->bytes == 1 || format->bytes == 2 || format->bytes == 4;

	return channels && bytes && format->kind <= VGPU_TEXTURE_FLOAT &&
	       (format->kind != VGPU_TEXTURE_FLOAT || format->bytes > 1);
}

/* ---- shapes -------------------------------------------------------------- */

static bool is_cube(const struct rt_array_shape *shape)
{
	bool layered = shape->flags & RT_ARRAY_LAYERED;

	if (shape->width != shape->height || shape->width > RT_TEXTURE_LAYERED)
		return false;
	return shape->depth &&
	       (layered ? shape->depth % 6 == 0 && shape->depth <= RT_TEXTURE_CUBE_LAYERS :
			  shape->depth == 6);
}

static bool is_layered(const struct rt_array_shape *shape)
{
	return shape->depth && shape->depth <= RT_TEXTURE_LAYERS &&
	       shape->width <= RT_TEXTURE_LAYERED && shape->height <= RT_TEXTURE_LAYERED;
}

static bool is_plain(const struct rt_array_shape *shape)
{
	size_t width = shape->width, height = shape->height;

	if (shape->depth)
		return height && width <= RT_TEXTURE_3D && height <= RT_TEXTURE_3D &&
		       shape->depth <= RT_TEXTURE_3D;
	return width <= RT_TEXTURE_1D && height <= RT_TEXTURE_2D_HEIGHT;
}

static unsigned int most_levels(const struct rt_array_shape *shape)
{
	size_t largest = shape->width > shape->height ? shape->width : shape->height;
	unsigned int levels = 1;

	if (!(shape->flags & (RT_ARRAY_LAYERED | RT_ARRAY_CUBE)) && shape->depth > largest)
		largest = shape->depth;
	for (; largest > 1; largest /= 2)
		levels++;
	return levels < VGPU_TEXTURE_LEVELS ? levels : VGPU_TEXTURE_LEVELS;
}

static bool is_shape(const struct rt_array_shape *shape)
{
	const unsigned int known =
		RT_ARRAY_LAYERED | RT_ARRAY_SURFACE | RT_ARRAY_CUBE | RT_ARRAY_GATHER;
	unsigned int flags = shape->flags;

	if (!rt_format_valid(&shape->format) || flags & ~known || !shape->width ||
	    !shape->levels || shape->levels > most_levels(shape))
		return false;
	if (flags & RT_ARRAY_GATHER && (!shape->height || (shape->depth && !(flags & 5u))))
		return false;
	return flags & RT_ARRAY_CUBE	? is_cube(shape) :
	       flags & RT_ARRAY_LAYERED ? is_layered(shape) :
					  is_plain(shape);
}

static uint32_t halved(size_t size, unsigned int level)
{
	return size >> level ? (uint32_t)(size >> level) : 1;
}

/* Levels one behind the other, from 0 on. Returns the bytes that all take. */
static uint64_t lay_out(struct rt_array *array)
{
	const struct rt_array_shape *shape = &array->shape;
	bool layers = shape->flags & (RT_ARRAY_LAYERED | RT_ARRAY_CUBE);
	uint32_t texel = rt_format_texel(&shape->format);
	uint64_t at = 0;

	for (unsigned int n = 0; n < shape->levels; n++) {
		struct rt_array_level *level = &array->level[n];

		level->base = at;
		level->width = halved(shape->width, n);
		level->height = halved(shape->height, n);
		level->depth = layers ? (uint32_t)shape->depth : halved(shape->depth, n);
		level->pitch = ((uint64_t)level->width * texel + RT_ARRAY_ROW - 1) &
			       ~(uint64_t)(RT_ARRAY_ROW - 1);
		level->plane = level->pitch * level->height;
		at += level->plane * level->depth;
	}
	return at;
}

/* ---- handles ------------------------------------------------------------- */

static bool is_there(const struct rt_array *array)
{
	return array->context->phase == RT_READY &&
	       array->generation == array->context->generation;
}

struct rt_array *rt_array_known(const void *handle, bool mipmap)
{
	for (struct rt_array *array = arrays; array; array = array->next)
		if (array == handle)
			return array->is_mipmap == mipmap && is_there(array) ? array : NULL;
	return NULL;
}

struct rt_array *rt_array_find(const void *handle, bool mipmap)
{
	struct rt_array *array;

	pthread_mutex_lock(&rt_lock);
	array = rt_array_known(handle, mipmap);
	pthread_mutex_unlock(&rt_lock);
	return array;
}

/* With the lock held. */
static void add_array(struct rt_array *array)
{
	array->context = rt_current;
	array->generation = rt.generation;
	array->next = arrays;
	arrays = array;
}

vgpuError_t rt_array_create(const struct rt_array_shape *shape, bool mipmap,
			    struct rt_array **out)
{
	struct rt_array *array;
	void *memory = NULL;
	vgpuError_t error;
	uint64_t bytes;

	if (!is_shape(shape))
		return rt_result(vgpuErrorInvalidValue);
	array = calloc(1, sizeof(*array));
	if (!array)
		return rt_result(vgpuErrorMemoryAllocation);
	array->shape = *shape;
	array->is_mipmap = mipmap;
	bytes = lay_out(array);
	error = vgpuMalloc(&memory, bytes);
	if (error != vgpuSuccess) {
		free(array);
		return error;
	}
	for (unsigned int n = 0; n < shape->levels; n++)
		array->level[n].base += (uint64_t)(uintptr_t)memory;
	pthread_mutex_lock(&rt_lock);
	add_array(array);
	pthread_mutex_unlock(&rt_lock);
	*out = array;
	return vgpuSuccess;
}

/* Takes it, and the levels of a mipmap that have handles, out of the list; with the lock held. */
static void forget(const struct rt_array *array)
{
	for (struct rt_array **at = &arrays, *own; (own = *at);) {
		if (own != array && own->mipmap != array) {
			at = &own->next;
			continue;
		}
		*at = own->next;
		if (own != array)
			free(own);
	}
}

vgpuError_t rt_array_free(const void *handle, bool mipmap)
{
	struct rt_state *before = rt_current;
	struct rt_array *array;
	vgpuError_t error;
	void *memory;

	pthread_mutex_lock(&rt_lock);
	array = rt_array_known(handle, mipmap);
	if (!array || array->mipmap) {
		pthread_mutex_unlock(&rt_lock);
		return rt_result(array ? vgpuErrorInvalidValue : vgpuErrorInvalidResourceHandle);
	}
	rt_current = array->context;
	memory = (void *)(uintptr_t)array->level[0].base;
	pthread_mutex_unlock(&rt_lock);
	error = rt_textures_lose(array);
	if (error == vgpuSuccess)
		error = vgpuFree(memory);
	rt_current = before;
	pthread_mutex_lock(&rt_lock);
	forget(array);
	pthread_mutex_unlock(&rt_lock);
	free(array);
	return error;
}

static struct rt_array *known_level(const struct rt_array *mipmap,
				    const struct rt_array_level *level)
{
	for (struct rt_array *array = arrays; array; array = array->next)
		if (array->mipmap == mipmap && array->level[0].base == level->base)
			return array;
	return NULL;
}

vgpuError_t rt_array_of_level(struct rt_array *mipmap, unsigned int number, struct rt_array **out)
{
	const struct rt_array_shape *shape = &mipmap->shape;
	struct rt_array *array;

	if (number >= shape->levels)
		return rt_result(vgpuErrorInvalidValue);
	pthread_mutex_lock(&rt_lock);
	array = known_level(mipmap, &mipmap->level[number]);
	if (!array)
		array = calloc(1, sizeof(*array));
	if (array && !array->mipmap) {
		*array = (struct rt_array){
			.shape = *shape, .level[0] = mipmap->level[number], .mipmap = mipmap,
		};
		array->shape.levels = 1;
		array->shape.width = array->level[0].width;
		array->shape.height = shape->height ? array->level[0].height : 0;
		array->shape.depth = shape->depth ? array->level[0].depth : 0;
		array->context = mipmap->context;
		array->generation = mipmap->generation;
		array->next = arrays;
		arrays = array;
	}
	pthread_mutex_unlock(&rt_lock);
	if (!array)
		return rt_result(vgpuErrorMemoryAllocation);
	*out = array;
	return vgpuSuccess;
}

/* ---- copies -------------------------------------------------------------- */

static bool within(size_t from, size_t count, size_t size)
{
	return from <= size && count <= size - from;
}

vgpuError_t rt_array_place(const struct rt_array *array, const struct rt_box *box,
			   struct rt_place *place)
{
	const struct rt_array_level *level = &array->level[0];
	size_t row = (size_t)level->width * rt_format_texel(&array->shape.format);

	if (!within(box->x, box->width, row) || !within(box->y, box->height, level->height) ||
	    !within(box->z, box->depth, level->depth))
		return rt_result(vgpuErrorInvalidValue);
	*place = (struct rt_place){
		.at = (char *)(uintptr_t)(level->base + box->z * level->plane +
					  box->y * level->pitch + box->x),
		.pitch = level->pitch,
		.plane = level->plane,
	};
	return vgpuSuccess;
}

vgpuError_t rt_copy_places(const struct rt_place *dst, const struct rt_place *src, size_t width,
			   size_t height, size_t depth, vgpuMemcpyKind kind, vgpuStream_t stream,
			   bool synchronous)
{
	struct rt_state *before = rt_current;
	vgpuError_t error = vgpuSuccess;

	if (synchronous)	/* whatever context is current, as vgpuMemcpy() */
		rt_current = rt_owner(rt_is_device(dst->at) ? dst->at : src->at);
	for (size_t z = 0; z < depth && error == vgpuSuccess; z++) {
		void *to = dst->at + z * dst->plane;
		const void *from = src->at + z * src->plane;

		if (synchronous)
			error = vgpuMemcpy2D(to, dst->pitch, from, src->pitch, width, height, kind);
		else
			error = vgpuMemcpy2DAsync(to, dst->pitch, from, src->pitch, width, height,
						  kind, stream);
	}
	rt_current = before;
	return error;
}

static size_t row_bytes(const struct rt_array *array)
{
	return (size_t)array->level[0].width * rt_format_texel(&array->shape.format);
}

/* What is left of the first row, whole rows, or what remains: the next rectangle of a copy. */
static struct rt_box next_rectangle(size_t row, size_t x, size_t y, size_t count)
{
	struct rt_box box = { .x = x, .y = y, .width = row, .height = count / row, .depth = 1 };

	if (x || !box.height) {
		box.height = 1;
		box.width = count < row - x ? count : row - x;
	}
	return box;
}

vgpuError_t rt_array_copy(const struct rt_array *array, bool to_array, size_t x, size_t y,
			  char *memory, size_t count, vgpuMemcpyKind kind, vgpuStream_t stream,
			  bool synchronous)
{
	size_t row = row_bytes(array), done = 0;
	vgpuError_t error = vgpuSuccess;

	if (count && x >= row)
		return rt_result(vgpuErrorInvalidValue);
	while (done < count && error == vgpuSuccess) {
		struct rt_box box = next_rectangle(row, x, y, count - done);
		struct rt_place other = { .at = memory + done, .pitch = box.width }, own;

		error = rt_array_place(array, &box, &own);
		if (error == vgpuSuccess)
			error = rt_copy_places(to_array ? &own : &other, to_array ? &other : &own,
					       box.width, box.height, 1, kind, stream,
					       synchronous);
		done += box.width * box.height;
		x = 0;
		y += box.height;
	}
	return error;
}

vgpuError_t rt_array_copy_array(const struct rt_array *dst, size_t dst_x, size_t dst_y,
				const struct rt_array *src, size_t src_x, size_t src_y,
				size_t count)
{
	size_t dst_row = row_bytes(dst), src_row = row_bytes(src);
	vgpuError_t error = vgpuSuccess;

	if (count && (dst_x >= dst_row || src_x >= src_row))
		return rt_result(vgpuErrorInvalidValue);
	/* as long as neither row ends */
	while (count && error == vgpuSuccess) {
		size_t left = dst_row - dst_x, other = src_row - src_x;
		size_t bytes = left < other ? left : other;
		struct rt_place to, from;
		struct rt_box box;

		bytes = bytes < count ? bytes : count;
		box = (struct rt_box){ dst_x, dst_y, 0, bytes, 1, 1 };
		error = rt_array_place(dst, &box, &to);
		box.x = src_x;
		box.y = src_y;
		if (error == vgpuSuccess)
			error = rt_array_place(src, &box, &from);
		if (error == vgpuSuccess)
			error = rt_copy_places(&to, &from, bytes, 1, 1, vgpuMemcpyDeviceToDevice,
					       NULL, true);
		count -= bytes;
		dst_x = bytes == left ? 0 : dst_x + bytes;
		dst_y += bytes == left;
		src_x = bytes == other ? 0 : src_x + bytes;
		src_y += bytes == other;
	}
	return error;
}
